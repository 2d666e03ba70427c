# SPDX-License-Identifier: GPL-2.0-only
# awk -f score.awk TRUTH.csv SCRIPT: how many samples got the right owner.  TRUTH
# is what `spe-asm --truth` writes, SCRIPT lines of `script --ns -F pid,tid,cpu,time,ip`.
# A thread and process 7777 is a task outside perf's pid namespace: no process is right.
# Contexts from 41000 on are ids of another namespace for the same thread, as good as its own.
#	records N missing N made-up N tid-right N tid-wrong N pid-right N pid-wrong N

BEGIN {
	FS = ","
	made = tr = tw = pr = pw = 0
}

# cpu,timestamp,pc,tid,tgid,comm,perf_time,...: one record a CPU and moment
FNR == NR {
	if (FNR > 1) {
		tid[$1, $7] = $4
		context[$1, $7] = $12
		pid[$1, $7] = $5 == 7777 ? -1 : $5
		records++
	}
	next
}

/\[[0-9]+\]/ {
	split($0, word, " ")
	split(word[1], id, "/")
	cpu = word[2]
	gsub(/[][]/, "", cpu)
	time = word[3]
	gsub(/[.:]/, "", time)
	sub(/^0+/, "", time)
	key = cpu + 0 SUBSEP time
	if (!(key in tid)) {
		made++
		next
	}
	if (id[2] == tid[key] || (id[2] >= 41000 && id[2] == context[key]))
		tr++
	else if (id[2] >= 0)
		tw++
	if (id[1] == pid[key])
		pr++
	else if (id[1] >= 0)
		pw++
	delete tid[key]
	found++
}

END {
	print "records", records, "missing", records - found, "made-up", made, "tid-right", tr, \
		"tid-wrong", tw, "pid-right", pr, "pid-wrong", pw
}
