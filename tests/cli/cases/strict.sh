# SPDX-License-Identifier: GPL-2.0-only
# --strict: nothing lost is exit 0, anything lost is said and exit 1; without it all is 0.
head='process 100 alpha
time 1ms
run 100
record pc=0x400100 count=4 every=1us'
try() {
	printf '%s\n%s\n' "$head" "$1" | spe-asm -o f.data -
	for command in script report stat; do
		perf-arm-spe $command --strict -i f.data >strict
		strict=$?
		perf-arm-spe $command -i f.data >lax
		echo "$command: $strict, $?, $(cmp strict lax && echo same output)"
	done
}
try ''
try 'flush flags=truncated'
try 'flush flags=partial'
try 'flush flags=collision'
try 'lost 3 time=+1us'
try 'chop 20'
try 'aux 4096 64'
# A file cut short.
printf '%s\n' "$head" | spe-asm -o f.data -
head -c 1000 f.data >cut.data
perf-arm-spe script --strict -i cut.data -F ip
echo "exit $?"
