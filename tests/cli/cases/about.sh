# SPDX-License-Identifier: GPL-2.0-only
# Version with what is built in, and what completion asks for.
perf-arm-spe --version | head -n 1 | sed 's/ [0-9][0-9.]*$/ N/'
perf-arm-spe --version | grep -cE '^ +[a-z]+: \[ (on |OFF) \]$' | sed 's/[4-9]/some/'
perf-arm-spe --list-cmds | grep -x dump
perf-arm-spe --list-opts
perf-arm-spe dump --list-opts
