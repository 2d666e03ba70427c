# SPDX-License-Identifier: GPL-2.0-only
# glob.awk PATTERN TEXT: whole text against a pattern of lines; see test-cli.sh.

function regex(s, i, c, out) {
	out = "^"
	for (i = 1; i <= length(s); i++) {
		c = substr(s, i, 1)
		if (c == "*")
			out = out ".*"
		else if (c ~ /[A-Za-z0-9 _]/)
			out = out c
		else if (c == "^" || c == "\\")
			out = out "\\" c
		else
			out = out "[" c "]"
	}
	return out "$"
}

NR == FNR {
	pattern[++patterns] = $0
	next
}
{ text[++texts] = $0 }

# Patterns from p against lines from t; depth is bounded by the dots lines.
function match_from(p, t, k) {
	for (; p <= patterns; p++) {
		if (pattern[p] == "...") {
			for (k = t; k <= texts + 1; k++)
				if (match_from(p + 1, k))
					return 1
			return 0
		}
		if (t > texts || text[t] !~ regex(pattern[p])) {
			if (p > worst) {
				worst = p
				at = t
			}
			return 0
		}
		t++
	}
	if (t <= texts && p > worst) {
		worst = p
		at = t
	}
	return t > texts
}

END {
	if (match_from(1, 1))
		exit 0
	printf "expected line %d: %s\n", worst, worst > patterns ? "(end)" : pattern[worst]
	printf "got line %d: %s\n", at, at > texts ? "(end)" : text[at]
	exit 1
}
