# SPDX-License-Identifier: GPL-2.0-only
# The output does not depend on threads, decoder or the file's form; unordered are the same lines.
make() {
	spe-asm --set "form=$1" -g records=20000,cpus=4,processes=9,switches -o "$2"
}
make file f.data
make pipe p.data
perf-arm-spe script -j 1 -i f.data --ns -F comm,pid,tid,cpu,time,ip,va,evidence >one
wc -l <one
for j in 2 7; do
	perf-arm-spe script -j $j -i f.data --ns -F comm,pid,tid,cpu,time,ip,va,evidence | cmp - one && echo "-j $j"
done
for d in general fast; do
	PERF_ARM_SPE_DECODER=$d perf-arm-spe script -i f.data --ns -F comm,pid,tid,cpu,time,ip,va,evidence |
		cmp - one && echo "$d decoder"
done
PERF_ARM_SPE_DECODER=best perf-arm-spe script -i f.data
echo "exit $?"
perf-arm-spe script --ns -F comm,pid,tid,cpu,time,ip,va,evidence -i - <p.data | cmp - one && echo pipe
for j in 1 3; do
	perf-arm-spe script --unordered -j $j -i f.data --ns -F comm,pid,tid,cpu,time,ip,va,evidence |
		sort >unordered
	sort one | cmp - unordered && echo "unordered, -j $j"
done
# The times do not go back.
perf-arm-spe script --ns -F time -i f.data | tr -d ' :.' | sort -nc && echo in order
