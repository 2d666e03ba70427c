#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# `make deb`, lintian and all; then the packages unpacked into an empty folder: behind
# stock perf the command works from there, explains itself, completes; perf
# lists the plug-in; a program builds with what the -dev package holds.
set -u
cd "${SPE_TOP:?}" || exit 2
command -v dh >/dev/null || { echo 'skip deb: debhelper is not installed'; exit 77; }
git rev-parse --git-dir >/dev/null 2>&1 || { echo 'skip deb: the sources are not a git tree'; exit 77; }
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
root=$tmp/root
rc=0

# result NAME STATUS: the case ends; what it said is in $tmp/log.
result() {
	if [ "$2" -eq 0 ]; then
		echo "ok deb: $1"
	else
		echo "not ok deb: $1"
		tail -n 20 "$tmp/log"
		rc=1
	fi
}

# same NAME: what $tmp/got holds is $tmp/want, and that is something.
same() {
	[ -s "$tmp/want" ] && diff "$tmp/want" "$tmp/got" >"$tmp/log"
	result "$1" $?
}

tools/deb/deb "$SPE_VERSION" "$tmp/deb" >"$tmp/log" 2>&1
result "built$(command -v lintian >/dev/null && echo ', and lintian finds nothing')" $?
mkdir "$root"
for package in "$tmp"/deb/*.deb; do
	case $package in *-dbgsym_*) ;; *) dpkg-deb -x "$package" "$root" ;; esac
done >"$tmp/log" 2>&1
result 'unpacked' $?

# No other perf-arm-spe is in the way, and the build folder's is not used.
spe-asm -g records=2000,cpus=2,processes=3 -o "$tmp/perf.data"
perf-arm-spe report -i "$tmp/perf.data" >"$tmp/want"
PATH=$root/usr/bin:$(echo "$PATH" | tr : '\n' | grep -vxF "$SPE_BUILD" | paste -sd:)
export PATH
cd "$tmp" || exit 2
[ "$(command -v perf-arm-spe)" = "$root/usr/bin/perf-arm-spe" ]
result 'found on PATH' $?
perf-arm-spe report >"$tmp/got" 2>&1
same 'report'
if command -v perf >/dev/null; then
	perf arm-spe report >"$tmp/got" 2>&1
	same 'perf arm-spe report'
	perf --exec-path="$root/usr/lib/perf-core" script --list-dlfilters >"$tmp/log" 2>&1
	grep -q 'dlfilter-arm-spe.so  *Arm SPE: ' "$tmp/log"
	result 'perf lists the plug-in' $?
	perf --exec-path="$root/usr/lib/perf-core" script --itrace=i1i -F tid --dlfilter dlfilter-arm-spe.so \
		--dlarg pid=1001 2>"$tmp/log" | awk '{ print $1 }' | sort | uniq -c >"$tmp/got"
	perf-arm-spe script --pid 1001 -F tid | awk '{ print $1 }' | sort | uniq -c >"$tmp/want"
	same 'perf uses the plug-in'
else
	echo 'skip deb: behind perf: linux-perf is not installed'
fi

for command in $(perf-arm-spe --list-cmds); do
	[ -f "$root/usr/share/man/man1/perf-arm-spe-$command.1.gz" ] || echo "perf-arm-spe-$command.1"
done >"$tmp/log"
[ -f "$root/usr/share/man/man3/libperf-arm-spe.3.gz" ] || echo libperf-arm-spe.3 >>"$tmp/log"
[ ! -s "$tmp/log" ]
result 'each command and the library have their page' $?
if command -v man >/dev/null && [ ! -e /etc/dpkg/dpkg.cfg.d/excludes ]; then
	MANPATH=$root/usr/share/man MANPAGER=cat PAGER=cat perf-arm-spe report --help >"$tmp/log" 2>&1 </dev/null
	grep -q 'PERF-ARM-SPE-REPORT(1)' "$tmp/log"
	result '--help opens our page' $?
else
	echo 'skip deb: --help: no man'
fi

# The link in /etc leads to the file, and that offers our words.
link=$root/etc/bash_completion.d/perf-arm-spe
case $(readlink "$link") in /*) file=$root$(readlink "$link") ;; *) file=$link ;; esac
if command -v bash >/dev/null; then
	bash --norc --noprofile -c '
		. "$1" && COMP_WORDS=(perf arm-spe report --sor) COMP_CWORD=3
		spec=$(complete -p perf) && spec=${spec#*-F } && "${spec%% *}" perf --sor
		echo "${COMPREPLY[@]}"' sh "$file" >"$tmp/log" 2>&1
	[ "$(cat "$tmp/log")" = --sort ]
	result 'bash completes behind perf' $?
fi
[ -f "$root/usr/share/zsh/vendor-completions/_perf-arm-spe" ]
result 'zsh has its file' $?

# A program of the -dev package's examples, with pkg-config alone.
lib=$(dirname "$(find "$root/usr/lib" -name libperf-arm-spe.so)")
PKG_CONFIG_LIBDIR=$lib/pkgconfig:$(pkg-config --variable pc_path pkg-config) PKG_CONFIG_SYSROOT_DIR=$root
export PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR
# shellcheck disable=SC2046
$CC -o owners "$root/usr/share/doc/libperf-arm-spe-dev/examples/owners.c" $(pkg-config --cflags --libs perf-arm-spe) \
	>"$tmp/log" 2>&1 && LD_LIBRARY_PATH=$lib ./owners perf.data >owned 2>>"$tmp/log" && grep -q '^ *1001 ' owned
result 'an example of the -dev package' $?
exit $rc
