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
has 'a key' srcline perf-arm-spe report --sort srcl
has 'a key after another' pid,comm perf arm-spe report -s pid,co
has 'a column' samples perf arm-spe report -F sam
has 'a field' evidence perf arm-spe script -F evi
has 'an operation' load-atomic perf arm-spe script --op load-at
has 'an evidence' outside perf arm-spe inject --evidence ou
has 'an event' l1d-refill perf arm-spe verify --event l1d-ref
has 'a witness' switch perf arm-spe timeline --source sw
has 'a page' overview perf arm-spe help over
has 'a command behind help' report perf arm-spe help rep
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

# zsh_completes NAME LINE COMPLETED ...: what zsh makes of LINE.
zsh_completes() {
	local -a lines=() completed=() names=()
	while [ $# -gt 0 ]; do
		names+=("$1") lines+=("$2") completed+=("$3")
		shift 3
	done
	mapfile -t got < <(cd "$SPE_TOP" && timeout 60 zsh -f tests/cli/completion.zsh "${lines[@]}" </dev/null)
	for i in "${!lines[@]}"; do
		if [ "${got[i]:-}" = "${completed[i]}" ]; then
			echo "ok completion: zsh: ${names[i]}"
		else
			echo "not ok completion: zsh: ${names[i]}: '${got[i]:-}'"
			rc=1
		fi
	done
}

if command -v zsh >/dev/null; then
	command -v perf >/dev/null && zsh_completes "perf's own commands" 'perf reco' 'perf record '
	zsh_completes 'a sub-command' 'perf-arm-spe rep' 'perf-arm-spe report ' \
		'a sub-command behind perf' 'perf arm-spe rep' 'perf arm-spe report ' \
		'an option' 'perf-arm-spe report --sor' 'perf-arm-spe report --sort ' \
		'an option behind perf' 'perf arm-spe report --sor' 'perf arm-spe report --sort ' \
		'an option after another' 'perf arm-spe script --ns --cp' 'perf arm-spe script --ns --cpu ' \
		'a key' 'perf arm-spe report --sort srcl' 'perf arm-spe report --sort srcline ' \
		'a key after another' 'perf arm-spe report -s pid,com' 'perf arm-spe report -s pid,comm ' \
		'an evidence' 'perf arm-spe script --evidence ou' 'perf arm-spe script --evidence outside ' \
		'a page' 'perf arm-spe help overv' 'perf arm-spe help overview ' \
		'arm-spe itself' 'perf arm' 'perf arm-spe ' \
		'a file for an option' 'perf arm-spe report -i READ' 'perf arm-spe report -i README.md ' \
		'a file' 'perf arm-spe script READ' 'perf arm-spe script README.md ' \
		'nothing for what nothing begins with' 'perf arm-spe report --no-such' 'perf arm-spe report --no-such'
else
	echo 'skip completion: zsh is not installed'
fi
exit $rc
