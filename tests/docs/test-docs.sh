#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The documents against the thing: limits, status codes, packages, links,
# make targets, and a manual page for each command that names each option.
set -u
cd "${SPE_TOP:?}" || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
include=perf-arm-spe/include/perf-arm-spe
rc=0

# same NAME A B: two sorted lists are equal.
same() {
	if [ -s "$2" ] && diff -u "$2" "$3" >"$tmp/diff"; then
		echo "ok docs: $1"
	else
		echo "not ok docs: $1"
		cat "$tmp/diff"
		rc=1
	fi
}

# none NAME: nothing was written to $tmp/bad.
none() {
	if [ -s "$tmp/bad" ]; then
		echo "not ok docs: $1"
		cat "$tmp/bad"
		rc=1
	else
		echo "ok docs: $1"
	fi
}

grep -o '^#define SPE_LIMIT_[A-Z_]*' $include/limits.h | sed 's/#define //' | sort >"$tmp/a"
grep -o '^| `SPE_LIMIT_[A-Z_]*`' docs/limits.md | tr -d '|` ' | sort >"$tmp/b"
same 'limits.md explains each limit' "$tmp/a" "$tmp/b"

sed -nE 's/^\tX\(([A-Z_]*), (-?[0-9]+),.*/SPE_\1 \2/p' $include/base.h | sort >"$tmp/a"
sed -nE 's/^\| `(SPE_[A-Z_]*)` \| (-?[0-9]+) \|.*/\1 \2/p' docs/errors.md | sort >"$tmp/b"
same 'errors.md explains each status' "$tmp/a" "$tmp/b"

awk '!/^#/ && NF { print $1 }' tools/setup/packages | sort >"$tmp/a"
sed -nE 's/^\| `([a-z0-9.+-]+)` \| (required|optional).*/\1/p' README.md | sort >"$tmp/b"
same 'README.md lists each package' "$tmp/a" "$tmp/b"

# Relative links lead somewhere.
for f in README.md docs/*.md tests/*.md; do
	[ -f "$f" ] || continue
	grep -oE '\]\([^)#]+' "$f" | sed 's/^](//' | grep -vE '^(https?|mailto):' | while read -r link; do
		[ -e "$(dirname "$f")/$link" ] || echo "$f: link to $link"
	done
done >"$tmp/bad"
none 'links lead somewhere'

# `make TARGET` in the documents is a target.
grep -ohE '(^	|`)make [a-z][a-z-]+' README.md docs/*.md | sed 's/.*make //' | sort -u | while read -r target; do
	grep -qE "^([a-z -]* )?$target( [a-z -]*)?:" Makefile || echo "no target $target in the Makefile"
done >"$tmp/bad"
none 'make targets exist'

# Every folder with tracked files at the top has a row in README.md.
git ls-files 2>/dev/null | sed -n 's|/.*||p' | sort -u | grep -v '^\.' | while read -r d; do
	grep -q "^| \[*\`$d/" README.md || echo "README.md has no row for $d/"
done >"$tmp/bad"
none 'README.md has a row for each folder'

if command -v mandoc >/dev/null; then
	mandoc -T lint -W warning docs/man/*.[1-8] 2>&1 | grep -vE 'referenced manual not found' >"$tmp/bad"
	none 'manual pages are clean'
else
	echo 'skip docs: manual pages are clean: mandoc is not installed'
fi

if command -v perf-arm-spe >/dev/null; then
	for cmd in $(perf-arm-spe --list-cmds); do
		page=docs/man/perf-arm-spe-$cmd.1
		[ -f "$page" ] || { echo "no page $page"; continue; }
		sed 's/\\-/-/g' "$page" >"$tmp/page"
		for opt in $(perf-arm-spe "$cmd" --list-opts); do
			bare=$(echo "$opt" | sed -E 's/^-+//')
			grep -qE "^\.(It )?.*(Fl|Fl -)[ -]*$bare( |$|,)" "$tmp/page" || echo "$page does not name $opt"
		done
	done >"$tmp/bad"
	none 'each command has a page that names each option'
fi

if command -v perf-arm-spe >/dev/null; then
	tr ' ,' '\n\n' <docs/man/perf-arm-spe-report.1 >"$tmp/words"
	{ perf-arm-spe report -s list && perf-arm-spe report -F list; } | while read -r name _; do
		grep -qxF -e "$name" "$tmp/words" || echo "perf-arm-spe-report.1 does not name $name"
	done >"$tmp/bad"
	none 'each key and column of report is in its page'
fi

awk '{ print }' $include/*.h | grep -oE 'docs/[a-z-]+\.md' | sort -u | while read -r f; do
	[ -f "$f" ] || echo "a header refers to $f"
done >"$tmp/bad"
none 'headers refer to documents that exist'
exit $rc
