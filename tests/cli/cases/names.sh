# SPDX-License-Identifier: GPL-2.0-only
# A name that is none is a command line nobody can obey, whatever option it stands behind;
# `list` shows the names, and needs no recording.
spe-asm -o f.data "$SPE_TOP/tests/traces/fields.spe"
try() {
	perf-arm-spe "$@" >out 2>err
	echo "exit $?, $(wc -c <out) bytes: $(cat err)"
}
try report -i f.data --sort command
try report -i f.data --sort pid,cpuu
try report -i f.data --group-by sim
try report -i f.data -F sampels
try report -i f.data --weight speed
try script -i f.data -F pid,cmom
try script -i f.data --itrace=%
try timeline -i f.data --source dream
for filter in 'op stroe' 'event mispredicted' 'event mispred+l1d-refil' 'source l9' 'evidence contxt'; do
	# shellcheck disable=SC2086
	try script -i f.data --$filter
done
# A name that means nothing on these cores.
try script -i f.data --source local-chip
for option in op event source evidence; do
	perf-arm-spe script --$option list >out || echo "exit $?"
	echo "--$option list: $(wc -l <out) names, $(grep -cE '^[a-z0-9-]+( .*[^ ])?$' out) well formed"
done
perf-arm-spe report --group-by list | cmp - <<END
$(perf-arm-spe report --sort list)
END
perf-arm-spe stat --evidence list
