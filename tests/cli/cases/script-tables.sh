# SPDX-License-Identifier: GPL-2.0-only
# CSV and JSON: stable names, absent is absent, nothing in a name escapes its quotes.
spe-asm -o f.data "$SPE_TOP/tests/traces/fields.spe"
perf-arm-spe script -i f.data --csv
perf-arm-spe script -i f.data --json
all=ip,event,period,el,ns,security,mode,op,events,source,total_lat,issue_lat,xlat_lat,va,tag,pa
all=$all,tgt,pbt,contexts,guest,offset,length,ticks,flags,data_src,weight,addr,phys_addr,brstack,misc
perf-arm-spe script -i f.data --itrace=bMl -F $all --csv
perf-arm-spe script -i f.data --itrace=bMl -F $all --json
# Another program reads it back.
if command -v python3 >/dev/null; then
	perf-arm-spe script -i f.data -F comm,time,ip --json | python3 -c '
import json, sys
for line in sys.stdin:
    print(repr(json.loads(line)), file=sys.stderr)' 2>read
	wc -l <read
fi
