# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# bash completion of `perf-arm-spe` and of `perf arm-spe`.
# The command itself tells its sub-commands and options, so this file knows
# none of them.  What perf had for its other commands goes on working: it is
# loaded when first asked for.

# Names that option $2 of command $1 takes: what its `list` prints.
_perf_arm_spe_values()
{
	case $1 in
	report | script | inject | verify) perf-arm-spe "$1" "$2" list 2>/dev/null | awk '{ print $1 }' ;;
	timeline) [ "$2" != --source ] || echo spe etm switch ;;
	esac
}

# The words after `perf-arm-spe` or `perf arm-spe`, of which the last is $1.
_perf_arm_spe_words()
{
	local cur=$1 prev=$2 cmd=$3
	local words=

	case $prev in
	-i | --input | -o | --output | --pid-map | --symfs | --vmlinux | --kallsyms | --html | --from | --root | --perf)
		COMPREPLY=()
		return
		;;
	-s | --sort | -F | --fields | --group-by | --op | --event | --source | --evidence)
		words=$(_perf_arm_spe_values "$cmd" "$prev")
		;;
	esac
	if [ -n "$words" ]; then
		# A list: the last of its names is completed.
		local before=
		case $cur in *,*) before=${cur%,*}, ;; esac
		# shellcheck disable=SC2086
		words=$(printf "$before%s\n" $words)
	elif [ "$cmd" = help ]; then
		words="$(perf-arm-spe --list-cmds 2>/dev/null) overview dlfilter"
	elif [ -z "$cmd" ]; then
		words="$(perf-arm-spe --list-cmds 2>/dev/null) help -h --help --version"
	else
		words=$(perf-arm-spe "$cmd" --list-opts 2>/dev/null)
		# A file may stand where no option is begun.
		[ -n "$cur" ] && [ "${cur#-}" = "$cur" ] && words=
	fi
	# shellcheck disable=SC2207
	COMPREPLY=($(compgen -W "$words" -- "$cur"))
}

# $1: how many words make the command (1: perf-arm-spe, 2: perf arm-spe).
_perf_arm_spe_at()
{
	local skip=$1 cmd='' i

	for ((i = skip; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		-*) ;;
		*)
			cmd=${COMP_WORDS[i]}
			break
			;;
		esac
	done
	_perf_arm_spe_words "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" "$cmd"
}

_perf_arm_spe()
{
	_perf_arm_spe_at 1
}

# perf's own completion, as it is installed; then ours in front of it again.
_perf_arm_spe_stock=
_perf_arm_spe_load_stock()
{
	local file line

	for file in "${PERF_COMPLETION:-}" /usr/share/bash-completion/completions/perf \
		/etc/bash_completion.d/perf; do
		[ -n "$file" ] && [ -r "$file" ] || continue
		# shellcheck disable=SC1090
		. "$file" >/dev/null 2>&1
		line=$(complete -p perf 2>/dev/null)
		line=${line#*-F }
		_perf_arm_spe_stock=${line%% *}
		break
	done
	[ "$_perf_arm_spe_stock" != _perf_arm_spe_behind_perf ] || _perf_arm_spe_stock=
	complete -o bashdefault -o default -F _perf_arm_spe_behind_perf perf
	[ -n "$_perf_arm_spe_stock" ] || _perf_arm_spe_stock=:
}

_perf_arm_spe_behind_perf()
{
	if [ "${COMP_WORDS[1]}" = arm-spe ] && [ "$COMP_CWORD" -gt 1 ]; then
		_perf_arm_spe_at 2
		return
	fi
	[ -n "$_perf_arm_spe_stock" ] || _perf_arm_spe_load_stock
	COMPREPLY=()
	"$_perf_arm_spe_stock" "$@"
	if [ "$COMP_CWORD" -eq 1 ]; then
		case arm-spe in "${COMP_WORDS[1]}"*) COMPREPLY+=(arm-spe) ;; esac
	fi
}

complete -o bashdefault -o default -F _perf_arm_spe perf-arm-spe
if [ -z "$_perf_arm_spe_stock" ]; then
	complete -o bashdefault -o default -F _perf_arm_spe_behind_perf perf
fi
