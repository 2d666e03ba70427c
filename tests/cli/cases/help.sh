# SPDX-License-Identifier: GPL-2.0-only
# --help opens the manual; where there is none, it says the usage on stdout.
mkdir bin
printf '#!/bin/sh\necho "man $*"\n' >bin/man
chmod +x bin/man
PATH=$PWD/bin:$PATH
perf-arm-spe --help
perf-arm-spe help
perf-arm-spe help script
perf-arm-spe script --help
perf-arm-spe help nonsense
echo "exit $?"
printf '#!/bin/sh\necho "No manual entry for $1" >&2\nexit 16\n' >bin/man
perf-arm-spe dump --help | sed -n 2p
perf-arm-spe help dump | sed -n 2p
perf-arm-spe --help | sed -n 2p
perf-arm-spe script --help >/dev/null
echo "exit $?"
# Pages that are not a command's.
perf-arm-spe help overview | sed -n 2p
perf-arm-spe help dlfilter
echo "exit $?"
printf '#!/bin/sh\necho "man $*"\n' >bin/man
perf-arm-spe help overview
perf-arm-spe help dlfilter
