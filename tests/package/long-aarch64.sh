#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The machine of our users: everything cross-built for aarch64 without the
# optional libraries, the unit tests and the command's tests under qemu-user.
# libcheck for aarch64 is unpacked from its package into the build folder.
set -u
cd "${SPE_TOP:?}" || exit 2
command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64 >/dev/null || {
	echo 'skip aarch64: no cross compiler or no qemu-user'
	exit 77
}
out=$SPE_TOP/build-aarch64
arm=$SPE_TOP/build/arm64
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT

tools/setup/foreign arm64 build/arm64 check libsubunit-dev >"$log" 2>&1 || {
	echo 'not ok aarch64: libcheck for arm64'
	cat "$log"
	exit 1
}
libs=$arm/usr/lib/aarch64-linux-gnu
# uthash is headers only and the same everywhere: last of all places.
if ! env -u MAKEFLAGS -u CC make "-j$JOBS" CROSS=aarch64-linux-gnu- O=build-aarch64 \
	CPPFLAGS='-idirafter /usr/include' CHECK_CFLAGS="-I$arm/usr/include" \
	CHECK_LIBS="$libs/libcheck.a $libs/libsubunit.a -lrt -lm" all unit-bin >"$log" 2>&1; then
	echo 'not ok aarch64: build'
	tail -n 40 "$log"
	exit 1
fi
echo 'ok aarch64: build'
rc=0
export QEMU_LD_PREFIX=/usr/aarch64-linux-gnu CK_TIMEOUT_MULTIPLIER=20
for t in "$out"/tests/unit/test-*; do
	name=aarch64/$(basename "$t")
	if timeout 900 qemu-aarch64 "$t" >"$log" 2>&1; then
		echo "ok $name: $(tail -n 1 "$log")"
	else
		echo "not ok $name: exit $?"
		tail -n 30 "$log"
		rc=1
	fi
done
exit $rc
