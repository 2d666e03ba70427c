# SPDX-License-Identifier: GPL-2.0-only
# verify: the two witnesses agree (0), part (2), or there is nothing to ask (1).
. "$CLI_LIB"
# Turns of alpha and a thread of beta, two records each; one turn with a wrong context;
# then three turns whose switch records are lost; then none has a context.
recording() { # WRONG-CONTEXT LOST
	cat <<-TEXT
		file cpus=1 switches=yes
		process 100 alpha
		process 200 beta
		thread 200/201 beta-io
		time 1ms
		repeat 10
		run 100 time=+10us
		record pc=0x400100 count=2 every=1us
		run 200/201 time=+10us
		record pc=0x400200 count=2 every=1us
		again
		run 100 time=+10us
		record pc=0x400300 context=$1 count=2 every=1us
		run 200 time=+10us
		record pc=0x400400 context=none
		$2
	TEXT
}
recording 100 | spe-asm -o agree.data -
perf-arm-spe verify agree.data
echo "exit $?"
recording 201 | spe-asm -o part.data -
perf-arm-spe verify -i part.data
echo "exit $?"
perf-arm-spe verify --json -i part.data >part.json
echo "exit $?"
if command -v python3 >/dev/null; then
	python3 -m json.tool part.json >/dev/null || echo 'no JSON'
fi
cat part.json
recording 201 'lost 7 time=+10us' | spe-asm -o lost.data -
perf-arm-spe verify -i lost.data | tail -n 3
perf-arm-spe verify --strict -i lost.data >/dev/null
echo "exit $?"
# A filter leaves what agrees.
perf-arm-spe verify -i part.data --time ,0.001200 | tail -n 1
echo "exit $?"
# The order of threads and the form of the file change nothing.
perf-arm-spe verify -i part.data >part.text
recording 201 | spe-asm -o - - | perf-arm-spe verify -j 3 | diff - part.text
spe-asm --strip switch -o alone.data part.data
perf-arm-spe verify -i alone.data
echo "exit $?"
perf-arm-spe verify -i absent.data
echo "exit $?"
perf-arm-spe verify --jsn 2>/dev/null
echo "exit $?"
