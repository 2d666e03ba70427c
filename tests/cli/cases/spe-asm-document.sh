# SPDX-License-Identifier: GPL-2.0-only
# The example in docs/spe-asm.md gives what stands below it.
. "$CLI_LIB"
need perf

# block N: the N-th indented block under "An example", each line's words.
block() {
	awk -v want="$1" '/^## An example/ { on = 1; next }
		/^## / { on = 0 }
		on && /^    / { if (!inside) n++; inside = 1; if (n == want) print; next }
		on && NF { inside = 0 }' "$SPE_TOP/docs/spe-asm.md" | awk '{ $1 = $1; print }'
}

block 1 >example.spe
block 2 >expected
spe-asm -o example.data example.spe || exit
perf script -i example.data --itrace=i1i -F comm,pid,tid,cpu,time,ip 2>/dev/null |
	awk '{ $1 = $1; print }' >got
[ -s expected ] && diff expected got && echo same
