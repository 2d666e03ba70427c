# SPDX-License-Identifier: GPL-2.0-only
# Faults are told with their place; nothing is left behind.
printf 'cpu 0\n\nrecord pc=0x400100 colour=red\n' >bad.spe
spe-asm -o bad.data bad.spe
echo "exit $?"
spe-asm -b absent.spe
echo "exit $?"
spe-asm -o absent/bad.data bad.spe
echo "exit $?"
printf 'cpu 0\nend\ncpu 1\nend\n' | spe-asm -b -
echo "exit $?"
printf 'end\n' | spe-asm -b --cpu 3 -
echo "exit $?"
printf 'time 5\nrecord pc=1\n' | spe-asm -o bad.data --truth truth.csv -
echo "exit $?"
spe-asm
echo "exit $?"
spe-asm -b -d x
echo "exit $?"
spe-asm -g records=many -o bad.data
echo "exit $?"
for line in 'bad.spe' '-b one two' '-g records=1 -o f.data x' '-g records=1' '--nonsense x' '-o'; do
	# shellcheck disable=SC2086
	spe-asm $line
	echo "exit $?"
done
spe-asm --help | head -n 1
echo "end" | spe-asm -b - | spe-asm -d -
ls
