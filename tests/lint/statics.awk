# SPDX-License-Identifier: GPL-2.0-only
# statics.awk: `objdump -t` of the library in, its mutable data out.
# .data.rel.ro is constant after relocation and allowed.
/file format/ {
	member = $1
	sub(/:$/, "", member)
}
/ O / || /\*COM\*/ {
	for (i = 2; i < NF; i++)
		if ($i ~ /^(\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ && $i !~ /^\.data\.rel\.ro/) {
			name = $NF
			if (name !~ /^(__asan|__ubsan|__gcov|__sancov)/)
				printf "%s:1: mutable static %s in %s\n", lib, name, member
		}
}
