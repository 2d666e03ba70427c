# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Functions for tests/cli/cases/*.sh: `. "$CLI_LIB"`.

# skip WHY: this case cannot run here.
skip() {
	echo "$1" >&2
	exit 77
}

# need PROGRAM...: skip where one is not installed.
need() {
	for p; do
		command -v "$p" >/dev/null 2>&1 || skip "$p is not installed"
	done
}

# shared PATH: where that file of the shared recordings lies; skip where absent:
#	file=$(shared lab/el1-perf6.12-a.data) || exit 77
shared() {
	[ -e "${SPE_SHARED:-/nowhere}/data/$1" ] || skip "no recording $1 here (SPE_SHARED)"
	echo "$SPE_SHARED/data/$1"
}
