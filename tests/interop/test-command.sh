#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# As a command of the stock perf of this machine: found on PATH, exit codes pass
# through, and a reader that goes away is nothing to cry FATAL over.
set -u
command -v perf >/dev/null || { echo 'skip interop: perf is not installed'; exit 77; }
command -v perf-arm-spe >/dev/null || { echo 'skip interop: no perf-arm-spe'; exit 77; }
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 2
rc=0

# is NAME EXPECTED GOT
is() {
	if [ "$2" = "$3" ]; then
		echo "ok interop/$1"
	else
		echo "not ok interop/$1: expected '$2', got '$3'"
		rc=1
	fi
}

spe-asm -g records=50000,cpus=2 -o f.data
is 'perf arm-spe' "$(perf-arm-spe --version | head -n 1)" "$(perf arm-spe --version | head -n 1)"
is 'perf arm-spe script' "$(perf-arm-spe script -i f.data | cksum)" "$(perf arm-spe script -i f.data | cksum)"
perf arm-spe script -h 2>err
is 'exit of -h' 129 $?
is 'usage on stderr' 1 "$(grep -c 'Usage: perf arm-spe script' err)"
perf arm-spe script -i absent.data 2>err
is 'exit of a failure' 1 $?
is 'its one line' 'perf-arm-spe: absent.data: cannot be opened: No such file or directory' "$(cat err)"
is 'a reader that leaves' 1 "$(perf arm-spe script -F tid,ip -i f.data 2>err | head -n 1 | wc -l)"
is 'nothing said of it' '' "$(cat err)"
mkdir bin
printf '#!/bin/sh\necho "man $*"\n' >bin/man
chmod +x bin/man
is '--help opens our page' 'man perf-arm-spe-report' "$(PATH=$tmp/bin:$PATH perf arm-spe report --help)"
perf --no-pager arm-spe report -i f.data >out 2>err
is 'perf --no-pager' "0 $(perf-arm-spe report -i f.data | cksum)" "$? $(cksum <out)"
exit $rc
