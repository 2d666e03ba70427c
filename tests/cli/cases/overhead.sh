# SPDX-License-Identifier: GPL-2.0-only
# overhead: tables typed in by hand, runs kept and joined, metrics, what is refused.
. "$CLI_LIB"
need python3
perf-arm-spe overhead --from /dev/null 2>&1 | grep -q r-mathlib && skip 'built without r-mathlib'
over() {
	echo "overhead $*:"
	perf-arm-spe overhead "$@"
	echo "exit $?"
}

cat >contextidr <<'END'
# perf bench sched messaging -t -g 20 -l 1000, seconds
      dis     enb     true    false
1   26.568  26.786  26.056  26.197
2   26.442  26.457  26.458  26.846
3   26.719  26.701  27.119  26.281
4   26.448  27.595  26.953  27.043
5   27.017  27.263  26.638  26.933
avg 26.6388 26.9604 26.6448 26.6600
END
over --from contextidr
printf 'sp_el0,tpidr,stack\n2.911,3.590,3.103\n' >once
over -f once
perf-arm-spe overhead --from contextidr --baseline true --json >json
cat json
python3 -m json.tool json >/dev/null || echo 'no JSON'

# Metrics: a number in the output, the size of a file; the program must not fail.
perf-arm-spe overhead --arm 'a=echo Result: 7 s' --arm 'b=echo Result: 8 s' --match 'Result: ([0-9]+)' \
	-r 3 -w 0 --seed 5 -q -o runs.csv >out
echo "exit $?"
# The last line tells the kernel it ran on.
sed '$d' out
tail -n 1 out | grep -cE "^# $(uname -s) $(uname -r).*; kernel writes CONTEXTIDR: (yes|no|not known)$"
sed -E '/^# system:/d; /^[ab#]/!d; s/^(([^,]*,){4}).*/\1/' runs.csv | sort
# The same again, from what was kept; and joined with runs of elsewhere.
perf-arm-spe overhead --from runs.csv | diff out -
perf-arm-spe overhead --collect 'c=echo Result: 9 s' --match 'Result: ([0-9]+)' -r 3 -w 0 -o more.csv | head -n 1
perf-arm-spe overhead --from runs.csv --from more.csv | grep -E '^ *(run|average|delta)'
perf-arm-spe overhead -a 'a=echo x >f' -a 'b=echo xxx >f' --measure-file f -r 2 -w 0 | grep average

over -a 'a=exit 3' -r 1
over -a 'a=echo nothing' --match '([0-9]+)' -r 1
over -a 'a=true' --match '[0-9]+' -r 1
over -a 'a=true' --metric speed
over -a 'a=true' --preset speed
over -a 'a=true' -a 'a=false'
over -a 'a=true' --baseline b
over -a nothing
over -a 'a=true' --pin 1,x
over --from absent
printf 'a b\n1 2\n3 x\n' >bad
over --from bad
printf 'a b\n1\n' >short
over --from short
for wrong in '' '-a a=true -r 0' '--collect a=true' '--from once -a a=true' '--recording true -a a=true' stray; do
	echo "overhead $wrong:"
	# shellcheck disable=SC2086
	perf-arm-spe overhead $wrong 2>&1 | head -n 1
done
