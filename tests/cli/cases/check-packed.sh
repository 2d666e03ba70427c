# SPDX-License-Identifier: GPL-2.0-only
# `check`: what the kernel itself tells, /proc/config.gz, comes first.
. "$CLI_LIB"
perf-arm-spe --version | grep -q 'zlib: \[ on' || skip 'built without zlib'
need gzip
machine m
echo '# CONFIG_PID_IN_CONTEXTIDR is not set' >m/config
gzip -c m/config >m/proc/config.gz
perf-arm-spe check --root m | grep contexts
# Not a gzip, as far as it goes: no configuration, and the next one is asked.
: >m/proc/config.gz
perf-arm-spe check --root m | grep contexts
