# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# `. lib.sh` with $tmp, which has machine/, the files of an Arm server: makes $tmp/bin, for PATH.
# In it, `perf arm-spe` is ours, and looks at that server; `perf record` writes a copy of
# $tmp/made.data, `perf bench` pretends, all else of perf is the installed one's ($perf), if any.
perf=$(command -v perf)
mkdir "$tmp/bin"
cat >"$tmp/bin/perf" <<END
#!/bin/sh
case \$1 in
arm-spe)
	command=\$2
	shift 2
	case \$command in
	check) set -- --root "$tmp/machine" "\$@" ;;
	record) set -- --root "$tmp/machine" --perf perf "\$@" ;;
	esac
	exec perf-arm-spe "\$command" "\$@"
	;;
record)
	out=perf.data
	while [ \$# -gt 0 ] && [ "\$1" != -- ]; do
		[ "\$1" = -o ] && out=\$2
		shift
	done
	[ "\$out" = - ] || cp "$tmp/made.data" "\$out"
	;;
bench) echo "Total time: 1.\$\$ [sec]" ;;
*) ${perf:+exec $perf "\$@"} ;;
esac
END
for pretend in sleep make perf2bolt; do
	printf '#!/bin/sh\n' >"$tmp/bin/$pretend"
done
printf '#!/bin/sh\nexec cat\n' >"$tmp/bin/less"
chmod +x "$tmp/bin"/*
