#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# `make install` into a scratch DESTDIR; every program of docs/examples builds
# against what was installed, with pkg-config alone, shared and static, and
# runs; the command runs from there; nothing names the build folder.
set -u
cd "${SPE_TOP:?}" || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
rc=0

# result NAME STATUS: the case ends; what it said is in $tmp/log.
result() {
	if [ "$2" -eq 0 ]; then
		echo "ok install: $1"
	else
		echo "not ok install: $1"
		cat "$tmp/log"
		rc=1
	fi
}

env -u MAKEFLAGS make O="$SPE_BUILD" prefix=/usr libdir=/usr/lib/spe-test DESTDIR="$tmp/root" install \
	>"$tmp/log" 2>&1
result 'make install' $?

lib=$tmp/root/usr/lib/spe-test
PKG_CONFIG_LIBDIR=$lib/pkgconfig:$(pkg-config --variable pc_path pkg-config)
PKG_CONFIG_SYSROOT_DIR=$tmp/root
export PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR
[ "$(pkg-config --modversion perf-arm-spe 2>"$tmp/log")" = "$SPE_VERSION" ]
result 'pkg-config knows the version' $?

objdump -p "$lib/libperf-arm-spe.so" 2>/dev/null | grep -q "SONAME *libperf-arm-spe\.so\.[0-9][0-9]*$"
result 'shared library has a soname' $?

if grep -rlF "$SPE_TOP" "$lib/pkgconfig" "$tmp/root/usr/include" >"$tmp/log"; then found=1; else found=0; fi
result 'nothing installed names the source folder' $found

# The whole of the public headers in one C and one C++ unit, pedantically.
(cd "$tmp/root/usr/include" && ls perf-arm-spe/*.h) | sed 's/.*/#include <&>/' >"$tmp/all.c"
$CC -std=c11 -Wall -Wextra -pedantic -Werror -fsyntax-only -I"$tmp/root/usr/include" "$tmp/all.c" >"$tmp/log" 2>&1
result 'headers stand alone in C11' $?
if command -v g++ >/dev/null; then
	g++ -std=c++17 -Wall -Werror -fsyntax-only -x c++ -I"$tmp/root/usr/include" "$tmp/all.c" >"$tmp/log" 2>&1
	result 'headers stand alone in C++17' $?
fi

# What each example gets on stdin and must print a part of.
input() {
	case $1 in
	packets) printf '\262\000\020\000\000\000\000\000\000\001' ;;
	owners) spe-asm --set form=pipe -o - tests/traces/demo.spe ;;
	opencsd-tree) # PC at EL0, context 1234, a store, End
		printf '\260\250\004\100\000\000\000\000\200\144\322\004\000\000\111\001\122\026\000\001' ;;
	esac
}
wanted() {
	case $1 in
	packets) echo '00000000  VA 0x1000' ;;
	owners) echo '1000 180' ;;
	opencsd-tree) echo 'id 10 EL0 CONTEXTIDR_EL1 1234' ;;
	esac
}
# Arguments of an example.
arguments() {
	case $1 in
	owners) echo '-' ;;
	esac
}
# What an example needs besides the library.
extra() {
	case $1 in
	opencsd-tree) echo '-lopencsd_c_api -lopencsd' ;;
	esac
}

# What a program that holds our archive is linked with besides.
others() {
	pkg-config --static --libs perf-arm-spe | sed 's/-lperf-arm-spe//; s/-L[^ ]*spe-test//'
}

for source in docs/examples/*.c; do
	name=$(basename "$source" .c)
	# shellcheck disable=SC2046
	if [ -n "$(extra "$name")" ] && ! echo 'int main(void){return 0;}' |
		$CC -x c - -o "$tmp/probe" $(extra "$name") 2>/dev/null; then
		echo "skip example $name: needs $(extra "$name")"
		continue
	fi
	static=static
	# shellcheck disable=SC2046
	if ! echo 'int main(void){return 0;}' | $CC -x c - -o "$tmp/probe" $(others) 2>/dev/null; then
		echo "skip example $name, static: not all that our libraries want is here to link with"
		static=
	fi
	whole=whole
	# shellcheck disable=SC2046
	if ! echo 'int main(void){return 0;}' | $CC -static -x c - -o "$tmp/probe" \
		$(sed -n 's/^Libs.private: //p' "$lib/pkgconfig/perf-arm-spe.pc" | tr ' ' '\n' | grep '^-l') 2>/dev/null; then
		echo "skip example $name, whole: not every library is here as an archive"
		whole=
	fi
	for kind in shared $static $whole; do
		# shellcheck disable=SC2046
		case $kind in
		shared) $CC -Wall -Wextra -Werror "$source" -o "$tmp/$name" \
			$(pkg-config --cflags --libs perf-arm-spe) $(extra "$name") ;;
		static) $CC -Wall -Wextra -Werror "$source" -o "$tmp/$name" $(pkg-config --cflags perf-arm-spe) \
			-Wl,-Bstatic -L"$lib" -lperf-arm-spe -Wl,-Bdynamic \
			$(others) $(extra "$name") ;;
		whole) $CC -Wall -Wextra -Werror -static "$source" -o "$tmp/$name" \
			$(pkg-config --static --cflags --libs perf-arm-spe) $(extra "$name") ;;
		esac >"$tmp/log" 2>&1 &&
			input "$name" | LD_LIBRARY_PATH=$lib "$tmp/$name" $(arguments "$name") >"$tmp/out" 2>>"$tmp/log" &&
			grep -qF "$(wanted "$name")" "$tmp/out"
		result "example $name, $kind" $?
	done
done

# What the manual pages name lies there, wherever that is.
env -u MAKEFLAGS -u PKG_CONFIG_LIBDIR -u PKG_CONFIG_SYSROOT_DIR make O="$SPE_BUILD" prefix=/opt/spe DESTDIR="$tmp/other" install >"$tmp/log" 2>&1
(cd "$tmp/other" && find opt -name '*.[1-9]' -exec grep -hoE '/(usr|opt)/[^ ]*(spe/[a-z-]+[.]md|dlfilter-arm-spe[.]so)' {} +) |
	sort -u >"$tmp/named"
[ "$(grep -c '[.]md$' "$tmp/named")" -ge 3 ] && while read -r path; do
	[ -f "$tmp/other$path" ] || case $path in
	*.so) [ ! -f "$SPE_BUILD/dlfilter-arm-spe.so" ] ;;
	*) false ;;
	esac || { echo "$path is not installed"; exit 1; }
done <"$tmp/named" >>"$tmp/log"
result 'files that manual pages name' $?

if [ -f "$tmp/root/usr/bin/perf-arm-spe" ]; then
	"$tmp/root/usr/bin/perf-arm-spe" --version >"$tmp/log" 2>&1 && grep -qF "$SPE_VERSION" "$tmp/log"
	result 'installed command tells its version' $?
fi
exit $rc
