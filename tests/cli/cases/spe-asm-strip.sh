# SPDX-License-Identifier: GPL-2.0-only
# Records taken out of a file, and everything else as it was.
. "$CLI_LIB"
need perf
spe-asm -g records=2000,switches,lives=3,slice=30,aux=4096 -o with.data || exit
spe-asm --strip switch -o without.data with.data || exit
for f in with without; do
	perf script -i $f.data --itrace=i1i --ns -F comm,pid,tid,cpu,time,ip 2>/dev/null >$f.samples
	perf script -i $f.data -D 2>/dev/null | grep -oE 'PERF_RECORD_[A-Z0-9_]+' | grep -v SAMPLE | sort | uniq -c >$f.types
done
cmp with.samples without.samples
grep -c SWITCH with.types without.types
diff with.types without.types | grep '^[<>]' | grep -v SWITCH
spe-asm --strip switch,comm,nonsense -o no.data with.data
echo text >text
spe-asm --strip switch -o no.data text
dd if=with.data of=cut.data bs=1 count=5000 2>/dev/null
spe-asm --strip switch -o no.data cut.data
test ! -e no.data && echo nothing written
