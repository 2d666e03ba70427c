# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Recordings simulate.awk makes, each one way for evidence to be missing or
# misleading; and what of them must come out right, in percent.

simulated_kinds() {
	echo 'one-cpu tenth switches holes zeros guests namespace reuse exec'
}

# simulate KIND SEED DIR: DIR/data, DIR/truth
simulate() {
	awk -v kind="$1" -v seed="$2" -f "$here/simulate.awk" >"$3/spe" &&
		spe-asm -o "$3/data" --truth "$3/truth" "$3/spe"
}

# what a kind is, in words
simulated_words() {
	case $1 in
	one-cpu) echo 'contexts on one CPU only, switches on both' ;;
	tenth) echo 'one record in ten without a context' ;;
	switches) echo 'no contexts, switches only' ;;
	holes) echo 'no contexts, half of the switches lost' ;;
	zeros) echo 'contexts always zero, switches' ;;
	guests) echo 'guests on a host at EL2, no switches' ;;
	namespace) echo 'perf in a pid namespace of its own, switches' ;;
	reuse) echo 'ids used again and again, no switches' ;;
	exec) echo 'threads that exec, no switches' ;;
	esac
}
