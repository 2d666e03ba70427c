# SPDX-License-Identifier: GPL-2.0-only
# Input that cannot be read: one line that names the file, exit 1.
try() {
	"$@" >out
	echo "exit $?, $(wc -c <out) bytes"
}
try perf-arm-spe dump absent.data
try perf-arm-spe dump --raw absent.bin
: >empty.data
try perf-arm-spe dump empty.data
echo 'no perf.data' >text.data
try perf-arm-spe dump -i text.data
mkdir folder
try perf-arm-spe dump folder
try perf-arm-spe dump --raw folder
# Nothing named and none there.
try perf-arm-spe dump
