# SPDX-License-Identifier: GPL-2.0-only
# awk -f examples.awk [-v folder=DIR] PAGE: the command lines under EXAMPLES of a manual page,
# one a line: `.Dl` lines, and in literal text those behind `$ `.  What stands under
# `$ cat FILE` becomes that file in DIR.
function plain(text) {
	gsub(/\\-/, "-", text)
	gsub(/\\e/, "\\", text)
	gsub(/\\&/, "", text)
	gsub(/\\\(dq/, "\"", text)
	return text
}

/^\.Sh/ {
	on = $2 == "EXAMPLES"
	next
}
!on { next }
/^\.Bd/ { literal = 1 }
/^\.Ed/ { literal = 0; file = "" }
/^\.Dl \(/ { next } # what a person does
/^\.Dl / {
	line = plain(substr($0, 5))
	if (line ~ /^".*"$/)
		line = substr(line, 2, length(line) - 2)
	if (line ~ /\\$/)
		held = held substr(line, 1, length(line) - 1)
	else {
		print held line
		held = ""
	}
}
literal && /^\$ / {
	print plain(substr($0, 3))
	file = $2 == "cat" ? $3 : ""
	next
}
literal && file && folder { print plain($0) >(folder "/" file) }
