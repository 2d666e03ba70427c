#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A small recording cut at every byte; every command at every seventh.
CUT_STEP=1 CUT_EVERY=7 exec sh "$(dirname "$0")/test-cut.sh"
