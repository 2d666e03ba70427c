# SPDX-License-Identifier: GPL-2.0-only
# `record`: perf is run, and what it wrote is looked at.
. "$CLI_LIB"
head='process 100 alpha
time 1ms
run 100'

# A perf that writes what is in made.data, and says how it was called.
cat >perf <<'END'
#!/bin/sh
echo "perf: $*"
out=perf.data
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	[ "$1" = -o ] && out=$2
	shift
done
[ -e made.data ] && cp made.data "$out"
[ -e after ] && . ./after
exit 0
END
chmod +x perf
PATH=$PWD:$PATH
machine m

# makes LINE: what the next perf writes.
makes() { printf '%s\n%s\n' "$head" "$1" | spe-asm -o made.data -; }
run() {
	echo "-- $*"
	perf-arm-spe record --root m --perf perf "$@" 2>&1
	echo "exit $?"
}

makes 'record pc=0x400100 count=4 every=1us'
run -a -o out.data -- sleep 1
cmp made.data out.data && rm out.data
run -q -o out.data
makes 'record pc=0x400100 count=4 every=1us
flush flags=truncated
record pc=0x400100 count=4 every=1us
flush flags=truncated,collision'
run -a
makes 'record pc=0x400100 count=2 every=1us context=none'
run -a
sed -i 's/CONTEXTIDR=y/CONTEXTIDR=n/' m/boot/config-*
run -a
sed -i 's/CONTEXTIDR=n/CONTEXTIDR=y/' m/boot/config-*
printf 'Name:\tsh\nCapEff:\t0000000000000000\n' >m/proc/self/status
run -a
rm -r m
machine m
makes ''
run -a
# A file that is cut, none at all, one of before, one for standard output.
makes 'record pc=0x400100 count=4 every=1us'
head -c 1000 made.data >cut && mv cut made.data
run -a
echo nonsense >made.data
run -a
rm made.data perf.data
run -a
echo before >perf.data
sleep 0.1
run -a
run -a -o -
# perf's exit code, and its end by the signal that stops it.
echo 'exit 7' >after
run -a
makes 'record pc=0x400100 count=4 every=1us'
run -a
echo 'kill -INT $$' >after
run -a
echo 'kill -SEGV $$' >after
run -a
# A signal for us reaches perf.
cat >after <<'END'
trap 'echo stopped; exit 0' TERM
touch started
for _ in $(seq 200); do sleep 0.05; done
END
perf-arm-spe record --root m --perf perf -a >log 2>&1 &
for _ in $(seq 200); do
	[ -e started ] && break
	sleep 0.05
done
kill -TERM $!
wait $!
echo "exit $?"
grep -v '^perf' log
# No unit, no perf.
rm -r m/sys/bus
run -a
run --perf ./nothing -a
# Nor can there be a command line.
run --dry-run
run --dry-run -e dummy
# Of another machine only by a perf that records there.
touch started-here
printf '#!/bin/sh\nrm started-here\n' >perf
perf-arm-spe record --root m -e dummy -a 2>&1
echo "exit $?, $(ls started-here)"
