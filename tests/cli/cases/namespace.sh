# SPDX-License-Identifier: GPL-2.0-only
# perf ran in a pid namespace of its own: what to do is said once on stderr, what is known below the table.
file=$SPE_TOP/tests/interop/inputs/namespace.spe
spe-asm -o ns.data "$file" || exit 1
perf-arm-spe report -i ns.data --no-header >/dev/null
perf-arm-spe report -q -i ns.data | grep -E '^# (Process|Namespace|Owners)'
