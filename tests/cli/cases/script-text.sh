# SPDX-License-Identifier: GPL-2.0-only
# perf script's line, and what -F and --itrace make of it.
spe-asm -o f.data "$SPE_TOP/tests/traces/fields.spe"
show() {
	echo "# $*"
	perf-arm-spe script -i f.data "$@"
}
show
show --itrace=i1i --ns -F pid,tid,cpu,time,ip
show --itrace
show --itrace=cr -F comm,event,flags,addr,ip
show --itrace=i4i -F tid,cpu,period,ip
show -F -comm,-period,+evidence,+el
show --itrace=M -F pid,event,addr,weight,data_src,ip,phys_addr
show -F ip,misc,el,ns,security,mode,op,events,source,total_lat,issue_lat,xlat_lat
show -F ip,va,tag,pa,tgt,pbt,context_el1,context_el2,contexts,guest,offset,length,ticks
# What perf2bolt and AutoFDO read: the same bytes give the same text in perf 7.3.
show --itrace=bl -F pid,brstack
show --itrace=bl -F pid,ip,addr
show --itrace=bl1 -F pid,ip,brstack
