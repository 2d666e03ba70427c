#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# test-lint.sh: each rule of lint is broken once in a tree of its own, and lint
# must name it; a clean tree must pass.
set -u
lint=$(cd "$(dirname "$0")" && pwd)/lint
tree=$(mktemp -d) || exit 2
trap 'rm -rf "$tree"' EXIT
cd "$tree" && git init -q . || exit 2
fails=0
head='/* SPDX-License-Identifier: GPL-2.0-only */'

# expect NAME TEXT: lint must print a line with TEXT ('' for none).
expect() {
	git add -A
	out=$(LINT_FAST=1 LIB=${lib:-none} "$lint" "$tree" 2>&1)
	rc=$?
	if [ -z "$2" ]; then
		[ $rc -eq 0 ] && return
	else
		case $out in *"$2"*) [ $rc -eq 1 ] && return ;; esac
	fi
	fails=$((fails + 1))
	printf '%s: wanted "%s", lint (exit %d) said:\n%s\n' "$1" "$2" "$rc" "$out"
}

# file PATH LINES...: a C file with the licence line.
file() {
	mkdir -p "$(dirname "$1")"
	path=$1
	shift
	{
		echo "$head"
		printf '%s\n' "$@"
	} >"$path"
}

# try NAME EXPECTED PATH LINES...
try() {
	name=$1 want=$2 path=$3
	shift 2
	file "$@"
	expect "$name" "$want"
	rm -f "$path"
}

long=$(i=0; while [ $i -lt 70 ]; do echo '	f();'; i=$((i + 1)); done)
file perf-arm-spe/base/ok.c 'int f(void)' '{' '	return 0; /* printf("x") */' '}'
expect clean ''
try upward 'room base includes perf-arm-spe/packet.h' perf-arm-spe/base/a.c '#include <perf-arm-spe/packet.h>'
try sideways 'room packet includes ../perfdata/x.h' perf-arm-spe/packet/a.c '#include "../perfdata/x.h"'
try private "a tool includes the library's private" tools/t/a.c '#include "../../perf-arm-spe/base/vec.h"'
try public-quote 'a public header includes' perf-arm-spe/include/perf-arm-spe/base.h '#ifndef A' '#include "x.h"' '#endif'
try long-function 'a.c:2: function of 73 lines' tools/t/a.c 'int f(void)' '{' "$long" '}'
try prints 'a.c:4: printf() is banned in the library' perf-arm-spe/base/a.c 'int f(void)' '{' '	printf("x");' '}'
try unsafe 'strcpy() is banned' tools/t/a.c 'int f(void)' '{' '	strcpy(a, b);' '}'
try undocumented 'a.h:4: public declaration without a comment' perf-arm-spe/include/perf-arm-spe/a.h \
	'#ifndef A' '' 'SPE_API int spe_f(void);' '#endif' 2>/dev/null
try wide 'line of 105 columns' tools/t/a.c "$(printf '/* %0100d*/' 0)"
try guard 'header without include guard' tools/t/a.h 'int f(void);'
try long-file 'file has 801 lines' tools/t/a.c "$(awk 'BEGIN { for (i = 0; i < 800; i++) print ";" }')"
try place 'a path of one machine' tools/t/a.c "/* see /$(echo work)/x */"
try host 'the host of a package registry' tools/t/a.c "/* see deb.$(echo debian).org */"
try space 'white space at the end' tools/t/a.c 'int f(void); '
mkdir -p tests && printf '#!/bin/sh\ntrue\n' >tests/a
expect licence 'tests/a:1: no SPDX'
printf '\000\001' >tests/a
expect binary 'tests/a:1: not text'
awk 'BEGIN { for (i = 0; i < 30000; i++) print "0123456789" }' >tests/a
expect big 'tests/a:1: larger than 256 KiB'
rm tests/a
: >crash-0123
expect top 'crash-0123:1: does not belong at the top'
rm crash-0123
printf 'int counter;\nstatic const char *const names[] = { "a" };\nconst char *const *f(void) { return names + counter; }\n' >x.c
gcc -fPIC -c -o x.o x.c && ar rc lib.a x.o && rm x.c x.o && echo '*.a' >.gitignore
lib=$tree/lib.a
expect static 'mutable static counter'
[ "$fails" -eq 0 ] || { echo "test-lint: $fails failures"; exit 1; }
