# SPDX-License-Identifier: GPL-2.0-only
# perf-arm-spe: one Makefile for everything; `make help` lists the targets.
#	V=1 shows commands, DEBUG=1 builds without optimisation,
#	SAN=address,undefined builds with sanitizers, O=DIR builds there,
#	CROSS=aarch64-linux-gnu- builds for another machine,
#	WITHOUT_ZSTD=1 (LIBTRACEEVENT, LIBDW, OPENCSD, DEMANGLE, RMATH, ZLIB, LIBPERF, CHARTJS,
#	DLFILTER, or ALL) leaves an optional library or part out.
VERSION := 0.9.0
SOVERSION := 0

prefix ?= /usr/local
bindir ?= $(prefix)/bin
libdir ?= $(prefix)/lib
includedir ?= $(prefix)/include
mandir ?= $(prefix)/share/man
bashdir ?= $(prefix)/share/bash-completion/completions
# Loaded for `perf`: before perf's own file where that lies in /usr, else with every shell.
perf_completion ?= $(if $(filter /usr,$(prefix)),/etc/bash_completion.d/perf-arm-spe,$(bashdir)/perf)
# Where perf finds plug-ins by name; elsewhere one needs its path.
perf_exec_path = $(if $(filter /usr /usr/local,$(prefix)),$(shell perf --exec-path 2>/dev/null))
dlfilterdir ?= $(or $(perf_exec_path:%=%/dlfilters),$(libdir)/perf-arm-spe)
docdir ?= $(prefix)/share/doc/perf-arm-spe
zshdir ?= $(prefix)/share/zsh/site-functions
INSTALL ?= install

comma := ,
O ?= build$(if $(CROSS),-$(CROSS:%-linux-gnu-=%))$(if $(SAN),-$(subst $(comma),-,$(SAN)))$(if $(DEBUG),-debug)
MAKEFLAGS += --no-builtin-rules --no-print-directory
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' $(1) $(2);)
JOBS ?= $(shell nproc)
# Jobs for a make we start ourselves, unless the user chose.
PAR = $(if $(findstring j,$(filter -j% --jobserver%,$(MAKEFLAGS))),,-j$(JOBS))

ifeq ($(origin CC),default)
CC := $(CROSS)gcc
endif
ifeq ($(origin AR),default)
AR := $(CROSS)ar
endif
PKG_CONFIG ?= pkg-config
WARN := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes
CFLAGS ?= $(if $(DEBUG),-O0 -g3,-O2 -g)
CPPFLAGS_ALL = -D_GNU_SOURCE -DSPE_VERSION='"$(VERSION)"' -Iperf-arm-spe/include $(HAVE) $(CPPFLAGS)
CFLAGS_ALL = -std=gnu11 $(WARN) -fvisibility=hidden -fPIC -pthread \
	$(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all) $(CFLAGS)
LDFLAGS_ALL = -pthread $(if $(SAN),-fsanitize=$(SAN)) $(LDFLAGS)

# ---- optional libraries: on where found, WITHOUT_x=1 turns one off --------
without = $(if $(CROSS),1,$(WITHOUT_ALL))$(WITHOUT_$(1))
have_pc = $(if $(call without,$(1)),,$(shell $(PKG_CONFIG) --exists $(2) 2>/dev/null && echo 1))
# A number sign in a function: make 4.3 would pass a backslash before it on.
HASH := \#
have_h = $(if $(call without,$(1)),,$(shell echo '$(HASH)include <$(2)>' | $(CC) -E -x c - >/dev/null 2>&1 && echo 1))
HAVE_ZSTD := $(call have_pc,ZSTD,libzstd)
HAVE_LIBTRACEEVENT := $(call have_pc,LIBTRACEEVENT,libtraceevent)
HAVE_LIBDW := $(call have_pc,LIBDW,libdw libelf)
HAVE_OPENCSD := $(call have_pc,OPENCSD,libopencsd)
HAVE_DEMANGLE := $(call have_h,DEMANGLE,libiberty/demangle.h)
HAVE_RMATH := $(call have_pc,RMATH,libRmath)
HAVE_DLFILTER := $(call have_h,DLFILTER,perf/perf_dlfilter.h)
HAVE_ZLIB := $(call have_pc,ZLIB,zlib)
# libperf: by pkg-config where there is one, else tools/setup/libperf made it.
LIBPERF_PC := $(call have_pc,LIBPERF,libperf)
LIBPERF_OWN := $(if $(call without,LIBPERF)$(LIBPERF_PC),,$(wildcard build/libperf/lib/libapi.a))
HAVE_LIBPERF := $(or $(LIBPERF_PC),$(LIBPERF_OWN))
# Chart.js goes into the page of report --html: a file, the same on every machine.
CHARTJS ?= /usr/share/javascript/chart.js/chart.min.js
CHARTJS_LICENCE ?= /usr/share/doc/libjs-chart.js/copyright
HAVE_CHARTJS := $(if $(WITHOUT_ALL)$(WITHOUT_CHARTJS),,$(if $(and $(wildcard $(CHARTJS)),$(wildcard $(CHARTJS_LICENCE))),$(CHARTJS) $(CHARTJS_LICENCE)))
PKGS := $(if $(HAVE_ZSTD),libzstd) $(if $(HAVE_LIBTRACEEVENT),libtraceevent) \
	$(if $(HAVE_LIBDW),libdw libelf) $(if $(HAVE_OPENCSD),libopencsd)
HAVE := $(foreach f,ZSTD LIBTRACEEVENT LIBDW OPENCSD DEMANGLE RMATH ZLIB LIBPERF CHARTJS,$(if $(HAVE_$(f)),-DHAVE_$(f)=1))
ifneq ($(strip $(PKGS)),)
HAVE += $(shell $(PKG_CONFIG) --cflags $(PKGS))
LIBS := $(shell $(PKG_CONFIG) --libs $(PKGS))
endif
# What a program that is linked statically needs besides: theirs, and OpenCSD is C++.
LIBS_STATIC = $(if $(HAVE_OPENCSD),-lopencsd_c_api) $(if $(strip $(PKGS)),$(shell $(PKG_CONFIG) --static --libs $(PKGS))) \
	$(if $(HAVE_OPENCSD),-lstdc++) $(if $(HAVE_DEMANGLE),-liberty) -lm
LIBS := $(if $(HAVE_OPENCSD),-lopencsd_c_api) $(LIBS) $(if $(HAVE_DEMANGLE),-liberty) -lm
CMD_LIBS = $(if $(HAVE_RMATH),-lRmath) $(if $(HAVE_ZLIB),-lz) $(if $(LIBPERF_PC),$(shell $(PKG_CONFIG) --libs libperf)) \
	$(if $(LIBPERF_OWN),build/libperf/lib/libperf.a build/libperf/lib/libapi.a)
HAVE += $(if $(LIBPERF_OWN),-isystem build/libperf/include)
CHECK_CFLAGS ?= $(shell $(PKG_CONFIG) --cflags check 2>/dev/null)
CHECK_LIBS ?= $(shell $(PKG_CONFIG) --libs check 2>/dev/null)

# ---- files ----------------------------------------------------------------
# Top room first: linking in this order finds a call that goes upwards.
ROOMS := sink symbols attribution record packet perfdata base
LIB_SRC := $(sort $(wildcard perf-arm-spe/*/*.c))
CMD_SRC := $(sort $(wildcard tools/perf-arm-spe/*.c))
ASM_SRC := $(sort $(wildcard tools/spe-asm/*.c))
UNIT_SRC := $(sort $(wildcard tests/unit/test-*.c))
FUZZ_SRC := $(sort $(wildcard tests/fuzz/fuzz-*.c))
HEADERS := $(sort $(wildcard perf-arm-spe/include/perf-arm-spe/*.h))
LIB_OBJ := $(LIB_SRC:%.c=$(O)/obj/%.o) $(O)/obj/perf-arm-spe/sink/html-page.o
CMD_OBJ := $(CMD_SRC:%.c=$(O)/obj/%.o)
ASM_OBJ := $(ASM_SRC:%.c=$(O)/obj/%.o)
UNIT_BIN := $(UNIT_SRC:%.c=$(O)/%)
FUZZ_BIN := $(FUZZ_SRC:%.c=$(O)/%)
BENCH_SRC := $(sort $(wildcard tests/bench/bench-*.c))
BENCH_BIN := $(BENCH_SRC:%.c=$(O)/%)
REPLAY_BIN := $(FUZZ_SRC:tests/fuzz/fuzz-%.c=$(O)/tests/fuzz/replay-%)
LIB_A := $(O)/libperf-arm-spe.a
LIB_SO := $(O)/libperf-arm-spe.so.$(VERSION)
PROGRAMS := $(if $(CMD_SRC),$(O)/perf-arm-spe) $(if $(ASM_SRC),$(O)/spe-asm)

PLUGINS := $(if $(HAVE_DLFILTER),$(O)/dlfilter-arm-spe.so)

all: $(LIB_A) $(LIB_SO) $(PROGRAMS) $(PLUGINS)
	@:

# Whatever changes the command lines rebuilds what they made.
FLAGS_NOW := $(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS_ALL) $(LIBS)
ifneq ($(strip $(file <$(O)/flags)),$(strip $(FLAGS_NOW)))
$(shell mkdir -p $(O))$(file >$(O)/flags,$(FLAGS_NOW))
endif

$(O)/obj/%.o: %.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(EXTRA_CFLAGS) -MMD -MP -c -o $@ $<

# The page of report --html, put together from its parts.
PAGE := $(sort $(wildcard perf-arm-spe/sink/html/*))
$(O)/html-page.c: $(PAGE) $(HAVE_CHARTJS) $(O)/flags
	$(call say,PAGE,$@)perf-arm-spe/sink/html/embed $@ $(HAVE_CHARTJS)
$(O)/obj/perf-arm-spe/sink/html-page.o: $(O)/html-page.c perf-arm-spe/sink/html.h
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -Iperf-arm-spe/sink -c -o $@ $<

$(LIB_A): $(LIB_OBJ)
	$(call say,AR,$@)rm -f $@ && $(AR) rcs $@ $^

$(LIB_SO): $(LIB_OBJ) perf-arm-spe/libperf-arm-spe.map
	$(call say,LD,$@)$(CC) -shared -Wl,-soname,libperf-arm-spe.so.$(SOVERSION) \
		-Wl,--version-script=perf-arm-spe/libperf-arm-spe.map $(if $(SAN),,-Wl,-z,defs) \
		$(LDFLAGS_ALL) -o $@ $(LIB_OBJ) $(LIBS)

$(O)/perf-arm-spe: $(CMD_OBJ) $(LIB_A)
	@[ ! -d $@ ] || rm -rf $@
	$(call say,LD,$@)$(CC) $(LDFLAGS_ALL) -o $@ $^ $(CMD_LIBS) $(LIBS)

$(O)/spe-asm: $(ASM_OBJ) $(LIB_A)
	$(call say,LD,$@)$(CC) $(LDFLAGS_ALL) -o $@ $^ $(LIBS)

# The library is inside, and none of its names are seen: perf has its own.
$(O)/dlfilter-arm-spe.so: $(O)/obj/tools/dlfilter/dlfilter-arm-spe.o $(LIB_A)
	$(call say,LD,$@)$(CC) -shared -Wl,--exclude-libs,ALL $(LDFLAGS_ALL) -o $@ $^ $(LIBS)

# ---- unit tests: test-ROOM*.c links with that room and those below only ----
below_packet := base
below_record := packet base
below_perfdata := base
below_attribution := record packet perfdata base
below_symbols := perfdata base
below_sink := $(filter-out sink,$(ROOMS))
name_of = $(word 2,$(subst -, ,$(notdir $(1))))
links = $(if $(filter $(call name_of,$(1)),$(ROOMS)),$(patsubst %,$(O)/rooms/%.a,\
	$(call name_of,$(1)) $(below_$(call name_of,$(1)))),\
	$(if $(filter asm,$(call name_of,$(1))),$(filter-out %/main.o,$(ASM_OBJ)))\
	$(if $(filter cmd,$(call name_of,$(1))),$(filter-out %/main.o,$(CMD_OBJ)))\
	$(LIB_A))

define room_rule
$(O)/rooms/$(1).a: $(filter $(O)/obj/perf-arm-spe/$(1)/%,$(LIB_OBJ))
	@mkdir -p $$(@D)
	@rm -f $$@ && $(AR) rcs $$@ $$^
endef
$(foreach r,$(ROOMS),$(eval $(call room_rule,$(r))))

.SECONDEXPANSION:
$(O)/obj/tests/unit/%.o: EXTRA_CFLAGS = $(CHECK_CFLAGS) -include tests/unit/quick-check.h
$(UNIT_BIN): $(O)/%: $(O)/obj/%.o $$(call links,$$*)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(LDFLAGS_ALL) -o $@ $(filter %.o %.a,$^) $(CMD_LIBS) $(LIBS) $(CHECK_LIBS)

unit-bin: $(UNIT_BIN)
	@:
unit: $(UNIT_BIN)
	@for t in $(UNIT_BIN); do $$t || [ $$? = 77 ] || exit 1; done

# ---- faults: calls of the library that the linker sends through tests/fault --
WRAPPED := malloc calloc realloc aligned_alloc posix_memalign strdup mmap read pread write pwrite writev
$(O)/tests/fault/fault: $(O)/obj/tests/fault/fault.o $(O)/obj/tests/fault/failing.o $(LIB_A)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(LDFLAGS_ALL) $(WRAPPED:%=-Wl,--wrap=%) -o $@ $^ $(LIBS)
fault-bin: $(O)/tests/fault/fault
	@:

# ---- fuzzing: the same targets replayed by a plain driver, or by libFuzzer --
# asm: spe-asm's own files, but for how it gives up; its memory and statements are counted.
fuzz_objects = $(if $(filter asm,$(1)),$(filter-out %/main.o %/die.o,$(ASM_OBJ)))
fuzz_flags = $(if $(filter %-asm,$(1)),$(addprefix -Wl$(comma)--wrap=,malloc calloc realloc free strdup strndup \
	realpath asprintf words_again))
$(REPLAY_BIN): $(O)/tests/fuzz/replay-%: $(O)/obj/tests/fuzz/fuzz-%.o $(O)/obj/tests/fuzz/replay.o \
		$$(call fuzz_objects,$$*) $(LIB_A)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(LDFLAGS_ALL) $(call fuzz_flags,$@) -o $@ $^ $(LIBS)
$(FUZZ_BIN): $(O)/tests/fuzz/fuzz-%: $(O)/obj/tests/fuzz/fuzz-%.o $$(call fuzz_objects,$$*) $(LIB_A)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(LDFLAGS_ALL) -fsanitize=fuzzer $(call fuzz_flags,$@) -o $@ $^ $(LIBS)
replay-bin: $(REPLAY_BIN)
	@:
fuzz-bin: $(FUZZ_BIN)
	@:
fuzz:
	@tools/setup/setup build fuzz
	@$(MAKE) $(PAR) all
	@$(MAKE) $(PAR) CC=clang SAN=address,undefined,fuzzer-no-link O=build-fuzz CFLAGS='-O2 -g' fuzz-bin
	@tests/fuzz/run build-fuzz $(or $(MINUTES),1)

# ---- benchmarks of a part: tests/bench/bench-PART.c, linked with the library --
$(BENCH_BIN): $(O)/%: $(O)/obj/%.o $(LIB_A)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(LDFLAGS_ALL) -o $@ $^ $(LIBS)
bench-bin: $(BENCH_BIN)
	@:

# ---- what people run ------------------------------------------------------
demo:
	@tools/setup/setup build
	@$(MAKE) $(PAR) all
	@PATH="$(abspath $(O)):$$PATH" tests/demo $(O)/demo

TEST_ENV = SPE_TOP=$(CURDIR) SPE_BUILD=$(abspath $(O)) SPE_SHARED=$(abspath $(or $(SPE_SHARED),../shared)) \
	SPE_SAN=$(abspath $(SAN_O)) SPE_VERSION=$(VERSION) CC='$(CC)' PATH="$(abspath $(O)):$$PATH" JOBS=$(JOBS)
SAN_O := build-address-undefined
# What reads hostile bytes; replayed fuzzing takes them through the sinks, check-long runs all.
SAN_UNIT_BIN := $(patsubst %.c,$(SAN_O)/%,$(filter-out tests/unit/test-sink-% tests/unit/test-cmd-%,$(UNIT_SRC)))
# With ceilings that are low enough to be reached.
LOW_O := build-low
LOW_BIN := $(addprefix $(LOW_O)/tests/unit/,test-limits test-sink-html)
SCRIPTS := tests/lint/lint $(sort $(wildcard tests/*/test-*.sh))

setup:
	@tools/setup/setup build libperf check
	@$(if $(WITHOUT_LIBPERF),:,tools/setup/libperf build/libperf)
check: setup
	@$(MAKE) $(PAR) all unit-bin
	@$(MAKE) $(PAR) SAN=address,undefined O=$(SAN_O) CFLAGS='-O1 -g1' $(PROGRAMS:$(O)/%=$(SAN_O)/%) $(SAN_UNIT_BIN) replay-bin fault-bin
	@$(MAKE) $(PAR) O=$(LOW_O) CPPFLAGS='-include tests/unit/low-limits.h $(CPPFLAGS)' CFLAGS='-O0 -g1' $(LOW_BIN)
	@$(MAKE) run-tests
run-tests:
	@$(TEST_ENV) tests/run $(O)/results $(UNIT_BIN) $(wildcard $(LOW_BIN)) $(SAN_UNIT_BIN) $(SCRIPTS)
check-long: check
	@tools/setup/setup check-long deb
	@$(TEST_ENV) TEST_TIMEOUT=$(or $(TEST_TIMEOUT),1800) tests/run $(O)/results-long $(sort $(wildcard tests/*/long-*.sh))
coverage: setup
	@$(MAKE) $(PAR) O=build-coverage CFLAGS='-O0 -g --coverage' LDFLAGS=--coverage all unit-bin fault-bin replay-bin
	@$(TEST_ENV) tests/coverage build-coverage
bench:
	@tools/setup/setup build
	@$(MAKE) $(PAR) all bench-bin
	@$(TEST_ENV) tests/bench/run $(O)/bench
lint: all
	@LIB=$(LIB_A) tests/lint/lint
check-abi: all
	@$(TEST_ENV) sh tests/package/test-abi.sh
abi-update:
	@$(TEST_ENV) sh tests/package/test-abi.sh --update
deb:
	@tools/setup/setup build deb
	@tools/deb/deb $(VERSION) $(O)/deb

# ---- install --------------------------------------------------------------
MAN := $(sort $(wildcard docs/man/*.[1-8]))
put = $(if $(strip $(2)),$(INSTALL) -d $(DESTDIR)$(3) && $(INSTALL) -m $(1) $(2) $(DESTDIR)$(3),:)
$(O)/perf-arm-spe.pc: perf-arm-spe/perf-arm-spe.pc.in Makefile
	@sed -e 's|@prefix@|$(prefix)|' -e 's|@libdir@|$(libdir)|' -e 's|@includedir@|$(includedir)|' \
		-e 's|@version@|$(VERSION)|' -e 's|@libs@|$(strip $(LIBS_STATIC))|' $< >$@

install: all
	@rm -f $(O)/perf-arm-spe.pc && $(MAKE) $(O)/perf-arm-spe.pc
	$(call say,INSTALL,$(DESTDIR)$(prefix))$(call put,755,$(PROGRAMS),$(bindir))
	$(Q)$(call put,644,$(PLUGINS),$(dlfilterdir))
	$(Q)$(call put,644,$(LIB_A) $(LIB_SO),$(libdir))
	$(Q)ln -sf libperf-arm-spe.so.$(VERSION) $(DESTDIR)$(libdir)/libperf-arm-spe.so.$(SOVERSION)
	$(Q)ln -sf libperf-arm-spe.so.$(SOVERSION) $(DESTDIR)$(libdir)/libperf-arm-spe.so
	$(Q)$(call put,644,$(HEADERS),$(includedir)/perf-arm-spe)
	$(Q)$(call put,644,$(O)/perf-arm-spe.pc,$(libdir)/pkgconfig)
	$(Q)$(foreach s,$(sort $(patsubst .%,%,$(suffix $(MAN)))),$(call put,644,$(filter %.$(s),$(MAN)),$(mandir)/man$(s)) && ) :
	$(Q)sed -i 's|/usr/share/doc/perf-arm-spe|$(docdir)|; s|/usr/lib/perf-arm-spe|$(dlfilterdir)|' \
		$(foreach m,$(MAN),$(DESTDIR)$(mandir)/man$(patsubst .%,%,$(suffix $(m)))/$(notdir $(m)))
	$(Q)$(call put,644,$(sort $(wildcard docs/*.md)),$(docdir))
	$(Q)$(call put,644,tools/completion/perf-arm-spe.bash,$(bashdir))
	$(Q)mv $(DESTDIR)$(bashdir)/perf-arm-spe.bash $(DESTDIR)$(bashdir)/perf-arm-spe
	$(Q)$(INSTALL) -d $(DESTDIR)$(dir $(perf_completion))
	$(Q)ln -sf $(bashdir)/perf-arm-spe $(DESTDIR)$(perf_completion)
	$(Q)$(call put,644,tools/completion/_perf-arm-spe,$(zshdir))

clean:
	rm -rf build build-*

help:
	@sed -n '2,8s/^#//p' Makefile
	@echo '  demo        make a recording and report it by process'
	@echo '  check       build, lint and test; sanitizers included'
	@echo '  check-long  check, aarch64 under qemu, valgrind, every optional library left out, deb'
	@echo '  fuzz        libFuzzer over every layer, MINUTES=n in all'
	@echo '  bench       speed beside stock perf;  coverage  lines of the library that check runs'
	@echo '  lint  unit  install (prefix= libdir= DESTDIR=)  deb  check-abi  abi-update  setup  clean'

.PHONY: all unit unit-bin fault-bin replay-bin fuzz-bin bench-bin fuzz demo setup check run-tests check-long coverage bench \
	lint check-abi abi-update deb install clean help
.SECONDARY:
-include $(shell find $(O)/obj -name '*.d' 2>/dev/null)
