# SPDX-License-Identifier: GPL-2.0-only
# What became no record is told, with its place and the reason.
printf '\260\250\004@\0\0\0\0\200q\020\0\0\0\0\0\0\0' >buf
printf '\260\250\004@\0\0\0\0\200\005q\020\0\0\0\0\0\0\0' >>buf
printf '\260\250\004@\0\0\0\0\200q\020\0\0\0\0\0\0\0\260\250' >>buf
perf-arm-spe dump --raw buf
