# SPDX-License-Identifier: GPL-2.0-only
# Command lines nobody can obey: one line, and where to look; exit 129.
try() {
	perf-arm-spe "$@" >out 2>err
	echo "exit $?, $(wc -c <out) bytes: $(head -n 1 err)"
	# The whole usage comes only where it was asked for.
	echo "$(grep -c '^ Usage: perf arm-spe' err) usage, $(($(wc -l <err) > 1)) more than a line"
}
try dump --foo
try dump --raw=yes
try dump -C
try dump --cpu
try dump --cpu x
try dump --cpu -1
try dump --cpu 99999999999
try dump --midr 0x
try dump -z
try dump one two
try dump -h
try -h
try
try --foo
# Not a command: exit 1, as perf's.
perf-arm-spe foo
echo "exit $?"
