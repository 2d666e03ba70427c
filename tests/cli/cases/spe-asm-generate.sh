# SPDX-License-Identifier: GPL-2.0-only
# Made-up recordings: stock perf finds every record under the owner that the truth names.
. "$CLI_LIB"
need perf
for spec in records=3000 \
	records=3000,cpus=3,shape=43,switches,seed=2 \
	records=20000,shape=mixed,lives=2,slice=20,switches,seed=3 \
	records=3000,contexts=el2,threads=3,idle=20,aux=2048,seed=4; do
	spe-asm -g "$spec" -o made.data --truth made.csv || exit
	awk -F , 'NR > 1 { printf "%s %d/%d [%03d] %d.%09d: %s\n", $6, $5, $4, $1,
		$7 / 1e9, $7 % 1e9, substr($3, 3) }' made.csv | sort >truth
	perf script -i made.data --itrace=i1i --ns -F comm,pid,tid,cpu,time,ip 2>/dev/null |
		awk '{ $1 = $1; print }' | sort >got
	echo "$spec: $(wc -l <got) samples, $(comm -13 truth got | wc -l) wrong"
	spe-asm -g "$spec" -o again.data
	cmp made.data again.data
done
spe-asm -g records=300,contexts=none -o none.data --set "kernel=el1" || exit
spe-asm -g records=3000,contexts=50 -o half.data --truth half.csv || exit
awk -F , 'NR > 1 { n += $12 == 0 } END { print (n > 1300 && n < 1700) ? "about half" : n }' half.csv
