# SPDX-License-Identifier: GPL-2.0-only
# Stock perf finds the owners of one text in every form it can read.
. "$CLI_LIB"
need perf
cat >in.spe <<'EOT'
file cpus=2 switches=yes
process 100 alpha
process 200 beta
thread 200/201 beta-t
time 1ms
run 100
record pc=0x400100 count=2 every=1us
cpu 1
run 200/201
record pc=0x400200 target=0x400300
run 0 time=+1us
record pc=0xffff800008001000
cpu 0
record pc=0x400abc time=+1us
EOT
for set in form=file order=big attr-size=128 index=no index=empty ids=id id-index=no compress=zstd aux-bytes=64; do
	echo "$set"
	spe-asm --set "$set" -o out.data in.spe || exit
	perf script -i out.data --itrace=i1i -F comm,pid,tid,cpu,time,ip 2>/dev/null | awk '{ $1 = $1; print }' >got
	if [ "$set" = form=file ]; then cat got && mv got first; else diff first got; fi
done
echo pipe
spe-asm -o - in.spe | perf script -i - --itrace=i1i -F comm,pid,tid,cpu,time,ip 2>/dev/null |
	awk '{ $1 = $1; print }' | diff first -
