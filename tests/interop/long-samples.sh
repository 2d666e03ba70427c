#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# test-samples.sh with recordings of every form that spe-asm makes.
exec "$(dirname "$0")/test-samples.sh" --all
