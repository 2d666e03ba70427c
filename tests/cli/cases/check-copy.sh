# SPDX-License-Identifier: GPL-2.0-only
# The commands of the manual page that copy what `check --root` reads: of the copy it says
# what it says of the machine.
. "$CLI_LIB"
need bash
machine m
touch m/sys/module/arm_spe_pmu/uevent
# Below m in place of the root; a copy of m's own link.
awk '/^mkdir -p machine/ { on = 1 } /^\.Ed/ { on = 0 } on' "$SPE_TOP/docs/man/perf-arm-spe-check.1" |
	sed -E 's/\\e$/\\/; s#(^| )/(proc|boot|lib|sys)/#\1\2/#g; s/^dmesg/echo/' >copy
grep -c . copy
(cd m && bash ../copy)
for folder in m m/machine; do
	perf-arm-spe check --root $folder >$folder.out
	echo "exit $?"
done
diff m.out m/machine.out && tail -n 1 m.out
perf-arm-spe record --dry-run --root m/machine
