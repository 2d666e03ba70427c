# SPDX-License-Identifier: GPL-2.0-only
# What inject will not do leaves everything as it was, and one line says why.
. "$CLI_LIB"
spe-asm -g records=2000,cpus=2,switches -o in.data
ln -s in.data link
ln in.data other
mkdir folder
before=$(cksum <in.data)
try() {
	echo "$*: "
	perf-arm-spe inject "$@"
	echo "$?"
}
for out in in.data link other ./in.data folder absent/x in.data/x /dev/full; do
	try -i in.data -o $out
done
try -i link -o in.data
# The same file by another way: a redirect keeps no name.
try -i - -o in.data <in.data
try -o other - <in.data
perf-arm-spe inject -i in.data -o - >>in.data
perf-arm-spe report -i - --html in.data <in.data
# A folder's files are its recording; another file in it is none.
mkdir recording
cp in.data recording/data
try -i recording -o recording/data
cmp in.data recording/data && perf-arm-spe inject -q -i recording -o recording/other && echo 'beside it'
rm -r recording
# What is no file holds nothing that could be lost.
cat in.data | perf-arm-spe inject -q -i - -o /dev/null && echo 'from a pipe'
try -i absent.data -o out
try -i folder -o out
try -i in.data -o out --itrace=i1ms
try -i in.data -o out --itrace=%
perf-arm-spe inject -q -i in.data -o done
try -i done -o out
try -i done -o done
echo 'process 100 alpha' | spe-asm -o no-trace -
try -q -i no-trace -o empty
printf 'clock place=none\nprocess 100 alpha\ntime 1ms\nrun 100\nrecord pc=0x400100\n' | spe-asm -o no-clock -
try -i no-clock -o out
# Of a file that is cut, what is there; not without a word, and with --strict no success.
head -c 100000 in.data >cut
try -i cut -o short
try --strict -i cut -o shorter
[ "$before" = "$(cksum <in.data)" ] && echo 'the input is as it was'
[ -L link ] && echo 'the link is one'
ls -A
