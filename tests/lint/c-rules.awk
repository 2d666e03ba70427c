# SPDX-License-Identifier: GPL-2.0-only
# c-rules.awk FILE...: the rules for C: which room includes which, sizes,
# banned calls, a comment above each public declaration, no bare statics.

BEGIN {
	MAX_FUNCTION = 70
	MAX_FILE = 800
	MAX_COLUMNS = 100
	MEDIAN = 18
	# What a room may include: itself and the rooms below it.
	below["base"] = " base "
	below["packet"] = " base packet "
	below["record"] = " base packet record "
	below["perfdata"] = " base perfdata "
	below["attribution"] = " base packet record perfdata attribution "
	below["symbols"] = " base perfdata symbols "
	below["sink"] = " base packet record perfdata attribution symbols sink "
	# Bad anywhere: no bounds, no thread safety, or no way to see a failure.
	split("strcpy strcat strncpy strncat stpcpy sprintf vsprintf gets strtok strtok_r " \
	      "atoi atol atoll atof mktemp tmpnam tempnam tmpfile alloca gmtime localtime asctime ctime", w, " ")
	for (i in w)
		never[w[i]] = 1
	# Bad in a library: prints, ends the process, or changes it for others.
	split("printf vprintf fprintf vfprintf dprintf vdprintf puts fputs putc fputc putchar perror " \
	      "psignal exit _exit _Exit quick_exit abort assert err errx warn warnx error atexit " \
	      "setlocale signal sigaction chdir umask putenv setenv unsetenv rand srand random srandom " \
	      "system popen fork vfork execl execlp execv execvp execve strerror getopt getopt_long", w, " ")
	for (i in w)
		not_in_library[w[i]] = 1
}

function bad(line, what) {
	printf "%s:%d: %s\n", FILENAME, line, what
}

# The line without comments and without what stands in strings.
function code_of(s, out, c, i, n, two) {
	if (!in_comment && index(s, "\"") == 0 && index(s, "'") == 0 && index(s, "/") == 0)
		return s
	out = ""
	n = length(s)
	for (i = 1; i <= n; i++) {
		c = substr(s, i, 1)
		two = substr(s, i, 2)
		if (in_comment) {
			if (two == "*/") {
				in_comment = 0
				i++
			}
		} else if (two == "/*") {
			in_comment = 1
			i++
		} else if (two == "//") {
			break
		} else if (c == "\"" || c == "'") {
			out = out c
			for (i++; i <= n && substr(s, i, 1) != c; i++)
				if (substr(s, i, 1) == "\\")
					i++
			out = out c
		} else {
			out = out c
		}
	}
	return out
}

function columns(s, n, i, parts, k) {
	if (length(s) * 8 <= MAX_COLUMNS)
		return 0
	k = split(s, parts, "\t")
	n = length(parts[1])
	for (i = 2; i <= k; i++)
		n = (int(n / 8) + 1) * 8 + length(parts[i])
	return n
}

# perf-arm-spe/ROOM/x.c and include/perf-arm-spe/ROOM.h belong to ROOM.
function room_of(path, p) {
	if (path ~ /^perf-arm-spe\/include\/perf-arm-spe\//) {
		p = path
		sub(/^.*\//, "", p)
		sub(/\.h$/, "", p)
		if (p == "etm")
			return "attribution" # a header of its own: it needs no SPE
		if (p == "opencsd")
			return "record" # for those who have OpenCSD
		return p == "limits" ? "base" : p
	}
	if (path ~ /^perf-arm-spe\//) {
		split(path, p_, "/")
		return p_[2]
	}
	return ""
}

# dir/../x -> x
function tidy(path, n, i, part, out, k) {
	n = split(path, part, "/")
	k = 0
	for (i = 1; i <= n; i++) {
		if (part[i] == "..")
			k--
		else if (part[i] != ".")
			out_[++k] = part[i]
	}
	out = out_[1]
	for (i = 2; i <= k; i++)
		out = out "/" out_[i]
	return out
}

function include_rule(line, name, target, other) {
	match(line, /[<"][^>"]*[>"]/)
	name = substr(line, RSTART + 1, RLENGTH - 2)
	if (substr(line, RSTART, 1) == "<") {
		if (name !~ /^perf-arm-spe\//)
			return
		target = "perf-arm-spe/include/" name
	} else {
		target = tidy(dir "/" name)
		if (target !~ /^(perf-arm-spe|tools|tests|docs)\//)
			target = "perf-arm-spe/" name
		if (is_public)
			bad(FNR, "a public header includes \"" name "\"; only <perf-arm-spe/...> is installed")
	}
	other = room_of(target)
	if (room != "" && other != "") {
		if (!(room in below))
			bad(FNR, "room " room " is not in the order of rooms (tests/lint/c-rules.awk)")
		else if (index(below[room], " " other " ") == 0)
			bad(FNR, "room " room " includes " name " of room " other ", which is not below it")
	} else if (room != "" && target !~ /^perf-arm-spe\//) {
		bad(FNR, "the library includes " name)
	} else if (FILENAME ~ /^tools\// && other != "" && target !~ /^perf-arm-spe\/include\//) {
		bad(FNR, "a tool includes the library's private " name)
	}
}

function calls(code, word, rest) {
	rest = code
	while (match(rest, /[A-Za-z_][A-Za-z0-9_]*[ ]*\(/)) {
		word = substr(rest, RSTART, RLENGTH - 1)
		sub(/ +$/, "", word)
		prev = RSTART > 1 ? substr(rest, RSTART - 1, 1) : ""
		if (prev != "." && prev != ">") {
			if (word in never)
				bad(FNR, word "() is banned")
			else if (in_library && (word in not_in_library))
				bad(FNR, word "() is banned in the library")
		}
		rest = substr(rest, RSTART + RLENGTH)
	}
}

function end_of_file() {
	if (file == "")
		return
	if (lines >= MAX_FILE)
		printf "%s:%d: file has %d lines, %d or more\n", file, MAX_FILE, lines, MAX_FILE
	if (file ~ /\.h$/ && !guarded)
		printf "%s:1: header without include guard\n", file
}

FNR == 1 {
	end_of_file()
	file = FILENAME
	dir = FILENAME
	sub(/\/[^\/]*$/, "", dir)
	room = room_of(FILENAME)
	in_library = room != ""
	is_public = FILENAME ~ /^perf-arm-spe\/include\//
	in_comment = in_function = guarded = 0
	signature = previous = ""
	if ($0 !~ /^\/\* SPDX-License-Identifier: GPL-2.0-only \*\/$/)
		bad(1, "first line is not /* SPDX-License-Identifier: GPL-2.0-only */")
}

{
	lines = FNR
	if (columns($0) > MAX_COLUMNS)
		bad(FNR, "line of " columns($0) " columns, more than " MAX_COLUMNS)
	code = code_of($0)
}

/^#[ \t]*include/ { include_rule($0) }
/^#[ \t]*(ifndef|pragma once)/ { guarded = 1 }

is_public && code ~ /(^|[ \t])SPE_API([ \t]|$)/ && code !~ /^#/ && previous !~ /\*\/[ \t]*$/ {
	bad(FNR, "public declaration without a comment directly above")
}

code !~ /^#/ { calls(code) }

# A function opens with { and ends with } in the first column.
code ~ /^\{/ && !in_function {
	in_function = 1
	start = signature ? signature : FNR
}
code ~ /^\}/ {
	if (in_function) {
		n = FNR - start + 1
		if (n > MAX_FUNCTION)
			bad(start, "function of " n " lines, more than " MAX_FUNCTION)
		if (FILENAME ~ /^(perf-arm-spe|tools)\//)
			sizes[n]++
		if (FILENAME ~ /^(perf-arm-spe|tools)\//)
			functions++
	}
	in_function = 0
	signature = 0
}
!in_function {
	if (code ~ /^[ \t]*$/ || code ~ /^#/ || code ~ /[;}][ \t]*$/)
		signature = 0
	else if (!signature)
		signature = FNR
}
{ previous = $0 }

END {
	end_of_file()
	half = 0
	for (n = 1; n <= MAX_FUNCTION && half * 2 < functions; n++)
		half += sizes[n]
	if (functions > 20 && n - 1 > MEDIAN)
		printf "perf-arm-spe:1: the median function has %d lines, more than %d\n", n - 1, MEDIAN
}
