# SPDX-License-Identifier: GPL-2.0-only
# verify: two CPUs counted apart, nothing compared between out and in or behind a
# hole, and a register that nobody writes.
. "$CLI_LIB"
need python3
# CPU 0: alpha, a slow switch, beta.  CPU 1: beta with a context of alpha's; a hole; alpha.
spe-asm -o windows.data - <<'TEXT'
file cpus=2 switches=yes
process 100 alpha
process 200 beta
cpu 0
time 1ms
run 100
record pc=0x400100 count=3 every=1us
switch out 100 next 200 time=+5us
record pc=0xffff800008000100 context=100 time=+1us
record pc=0xffff800008000104 context=200 time=+1us
switch in 200 prev 100 time=+1us
record pc=0x400200 context=200 count=2 every=1us
cpu 1
time 1ms
run 200
record pc=0x400300 count=2 every=1us
record pc=0x400308 context=100 count=3 every=1us
record pc=0x400320 context=200
record pc=0x400324 context=100
run 100 time=+2us
run 200 time=+2us
lost 4 time=+2us
record pc=0x400328 context=100 time=+1us
run 100 time=+2us
record pc=0x400400 count=2 every=1us
TEXT
perf-arm-spe verify -i windows.data
echo "exit $?"
perf-arm-spe verify --json -i windows.data | python3 -c '
import json, sys
v = json.load(sys.stdin)
counts = "compared", "agree", "in_window", "no_switch", "no_context", "untranslated"
for k in counts:
    assert v[k] == sum(c[k] for c in v["cpus"]), k
assert v["compared"] == v["agree"] + v["part"] == sum(p["compared"] for p in v["processes"])
assert v["part"] == sum(s["samples"] for s in v["spans"])
print([[c[k] for k in ("cpu",) + counts] for c in v["cpus"]], v["believe"])'
# One CPU of it.
perf-arm-spe verify -C 0 -i windows.data | sed -n 2,3p
# The tasks change, the context never.
spe-asm -o stuck.data - <<'TEXT'
file cpus=1 switches=yes
process 100 alpha
process 200 beta
process 300 gamma
time 1ms
repeat 10
run 100 time=+10us
record pc=0x400100 context=100 count=2 every=1us
run 200 time=+10us
record pc=0x400200 context=100 count=2 every=1us
run 300 time=+10us
record pc=0x400300 context=100 count=2 every=1us
again
TEXT
perf-arm-spe verify -q -i stuck.data | tail -n 1
perf-arm-spe verify -q -i stuck.data >verdict
echo "exit $?"
