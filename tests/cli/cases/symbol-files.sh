# SPDX-License-Identifier: GPL-2.0-only
# Files named for symbols that are not there, or are none: said by name, exit 1.
spe-asm -o r.data "$SPE_TOP/tests/traces/demo.spe" || exit 1
mkdir folder
echo >file
for named in '--symfs none' '--symfs file' '--symfs none/below' '--vmlinux none' \
	'--vmlinux folder' '--vmlinux /dev/null' '--kallsyms none' '--kallsyms folder' \
	'--kallsyms /dev/null' '-k file/below'; do
	for command in 'report -s sym' 'report' 'script'; do
		# shellcheck disable=SC2086 # words on purpose
		perf-arm-spe $command -i r.data $named >out
		echo "$command $named: $? $(wc -c <out)"
	done
done
# What is there is good enough.
perf-arm-spe report -q -s sym -i r.data --symfs folder --kallsyms file --vmlinux file >out
echo "$?"
