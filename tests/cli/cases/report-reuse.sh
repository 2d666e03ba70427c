# SPDX-License-Identifier: GPL-2.0-only
# Processes that used an id one after the other have rows of their own; which ids those are
# is said, a few by name.
{
	echo 'process 50 parent'
	echo 'time 1s'
	echo 'run 50'
	for id in 300 300 300 301 301 302 302 303 303 304 304 305; do
		echo "fork $id from 50 time=+1us"
		echo "run $id"
		echo 'record pc=0x400100 count=2 every=1us'
		echo "exit $id time=+1us"
		echo 'run 50'
	done
} | spe-asm -o reuse.data -
for sort in pid tid comm cpu,pid; do
	echo "-- $sort"
	perf-arm-spe report -i reuse.data --sort $sort | grep -E '30[0-9]'
done
echo '-- rows that are not shown'
perf-arm-spe report -i reuse.data --percent-limit 99 | grep -c again
perf-arm-spe report -i reuse.data --no-header | grep -c again
perf-arm-spe report -i reuse.data --hierarchy --sort comm,pid | grep again
