# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# What run and growth share.  Wants $dir; $build is where the build is.
build=$(dirname "${dir:?}")

# make_file NAME SPEC: $dir/NAME.data, made unless it is there, and in the page cache.
make_file() {
	[ -f "$dir/$1.data" ] || spe-asm -g "$2" -o "$dir/$1.data" || {
		rm -f "$dir/$1.data"
		return 1
	}
	cat "$dir/$1.data" >/dev/null
}

# timed RUNS COMMAND...: "wall cpu anon_kib", see bench-time
timed() {
	"$build/tests/bench/bench-time" "$@"
}

machine() {
	cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
	echo "$(uname -m), $(nproc) CPUs, ${cpu:-unknown}, Linux $(uname -r), load $(cut -d' ' -f1 /proc/loadavg)"
}
