#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# bash completion, of the command and behind `perf`; zsh's, if there is a zsh.
set -u
command -v perf-arm-spe >/dev/null || { echo 'skip completion: no perf-arm-spe'; exit 77; }
file=${SPE_TOP:?}/tools/completion/perf-arm-spe.bash
rc=0

# What a shell of its own would offer for these words, the last one unfinished.
offered() {
	bash --norc --noprofile -c '
		. "$0"
		COMP_WORDS=("$@")
		COMP_CWORD=$(($# - 1))
		spec=$(complete -p "$1") && spec=${spec#*-F } && "${spec%% *}" "$1" "${COMP_WORDS[COMP_CWORD]}"
		printf "%s\n" "${COMPREPLY[@]}"' "$file" "$@" 2>/dev/null
}

# has NAME WORD WORDS...: WORD is offered for WORDS.
has() {
	local name=$1 word=$2
	shift 2
	if offered "$@" | grep -qx -e "$word"; then
		echo "ok completion: $name"
	else
		echo "not ok completion: $name"
		offered "$@" | head -n 20
		rc=1
	fi
}

has 'a sub-command' report perf-arm-spe rep
has 'a sub-command behind perf' report perf arm-spe rep
has 'an option' --sort perf-arm-spe report --so
has 'an option behind perf' --sort perf arm-spe report --so
has 'an option after another' --cpu perf arm-spe script --ns --cp
has 'arm-spe itself' arm-spe perf arm
if [ -r /usr/share/bash-completion/completions/perf ]; then
	has "perf's own commands" record perf reco
fi
if offered perf arm-spe report --no-such | grep -q .; then
	echo 'not ok completion: nothing for what nothing begins with'
	rc=1
else
	echo 'ok completion: nothing for what nothing begins with'
fi
if command -v zsh >/dev/null; then
	if zsh -n "$SPE_TOP/tools/completion/_perf-arm-spe"; then
		echo 'ok completion: zsh reads its file'
	else
		echo 'not ok completion: zsh reads its file'
		rc=1
	fi
fi
exit $rc
