# SPDX-License-Identifier: GPL-2.0-only
# Filters, by perf's names for them, and conditions that must all hold.
spe-asm -o f.data "$SPE_TOP/tests/traces/fields.spe"
show() {
	echo "# $*"
	perf-arm-spe script -i f.data -F pid,tid,cpu,ip "$@"
	code=$?
	[ $code -eq 0 ] || echo "exit $code"
}
show --pid 200
show --tid 201,999
show --comm alpha
show --comms swapper
show -c alpha -C 0 --el 2
show -C 1
show --time 1.000003,1.000005
show --op store
show --event mispred
show --min-latency 100
show --evidence none
show --pid 12345
# Not known is printed as -1, and asked for so; no other id is below 0.
show --pid -1
show --tid=-1,200
show --pid -2
show --tid -1-5
show -C -3
show --pid x
show --time 9
