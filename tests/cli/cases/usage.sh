# SPDX-License-Identifier: GPL-2.0-only
# Command lines nobody can obey: one line, and where to look; exit 129.
try() {
	perf-arm-spe "$@" >out 2>err
	echo "exit $?, $(wc -c <out) bytes: $(head -n 1 err)"
	# The whole usage comes only where it was asked for.
	echo "$(grep -c '^ Usage: perf arm-spe' err) usage, $(($(wc -l <err) > 1)) more than a line"
}
try dump --foo
try dump --raw=yes
try dump -C
try dump --cpu
try dump --cpu x
try dump --cpu -1
try dump --cpu 99999999999
try dump --midr 0x
try dump -z
try dump one two
try dump -h
try -h
try
try --foo
try foo
try help foo
# No name is no file.
for command in report script stat verify dump timeline inject; do
	try $command -i ''
done
try report ''
try inject -i in.data -o ''
try report --html ''
try script --pid-map ''
try record -o '' -- true
try overhead -o ''
try report -j 1024 absent.data
try report -j 1025 absent.data
# What an option does not know, behind whatever option.
spe-asm -g records=10,cpus=1 -o in.data
for options in --sort -F --group-by --weight -t --event; do
	try report $options '' in.data
done
try report --event '!' in.data
try script --itrace=zzz in.data
try script --itrace=i1073741825i in.data
try script --itrace=i99999999999999999999i in.data
perf-arm-spe script -q --itrace=i1073741824i in.data && echo 'the longest period'
[ "$(perf-arm-spe script -q --itrace=i0i in.data | wc -l)" = 10 ] && echo 'i0i is all'
