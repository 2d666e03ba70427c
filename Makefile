# SPDX-License-Identifier: GPL-2.0-only
# perf-arm-spe: one Makefile for everything.
#	make demo | check | check-long | bench | fuzz | lint | install
#	V=1 shows commands, DEBUG=1 builds without optimisation,
#	SAN=address,undefined builds with sanitizers, O=DIR builds there.
VERSION := 0.9.0
SOVERSION := 0

O ?= build$(if $(SAN),-$(subst $(comma),-,$(SAN)))$(if $(DEBUG),-debug)
comma := ,
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' $(1) $(2);)

CC ?= gcc
PKG_CONFIG ?= pkg-config
WARN := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes
CPPFLAGS_ALL = -D_GNU_SOURCE -DSPE_VERSION='"$(VERSION)"' -Iperf-arm-spe/include $(HAVE) $(CPPFLAGS)
CFLAGS ?= $(if $(DEBUG),-O0 -g3,-O2 -g)
CFLAGS_ALL = -std=gnu11 $(WARN) -fvisibility=hidden -fPIC -pthread \
	$(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all) $(CFLAGS)
LDFLAGS_ALL = -pthread $(if $(SAN),-fsanitize=$(SAN)) $(LDFLAGS)

# ---- optional libraries: on where found, WITHOUT_x=1 turns one off --------
have = $(if $(WITHOUT_$(1)),,$(shell $(PKG_CONFIG) --exists $(2) 2>/dev/null && echo 1))
HAVE_ZSTD := $(call have,ZSTD,libzstd)
HAVE_LIBTRACEEVENT := $(call have,LIBTRACEEVENT,libtraceevent)
HAVE_LIBDW := $(call have,LIBDW,libdw libelf)
HAVE_OPENCSD := $(call have,OPENCSD,libopencsd)
PKGS := $(if $(HAVE_ZSTD),libzstd) $(if $(HAVE_LIBTRACEEVENT),libtraceevent) \
	$(if $(HAVE_LIBDW),libdw libelf) $(if $(HAVE_OPENCSD),libopencsd)
HAVE := $(foreach f,ZSTD LIBTRACEEVENT LIBDW OPENCSD,$(if $(HAVE_$(f)),-DHAVE_$(f)=1))
ifneq ($(strip $(PKGS)),)
HAVE += $(shell $(PKG_CONFIG) --cflags $(PKGS))
LIBS := $(shell $(PKG_CONFIG) --libs $(PKGS))
endif
LIBS += $(if $(HAVE_OPENCSD),-lopencsd_c_api) -lm

LIB_SRC := $(sort $(wildcard perf-arm-spe/*/*.c))
CMD_SRC := $(sort $(wildcard tools/perf-arm-spe/*.c))
ASM_SRC := $(sort $(wildcard tools/spe-asm/*.c))
LIB_OBJ := $(LIB_SRC:%.c=$(O)/%.o)
CMD_OBJ := $(CMD_SRC:%.c=$(O)/%.o)
ASM_OBJ := $(ASM_SRC:%.c=$(O)/%.o)
UNIT_SRC := $(sort $(wildcard tests/unit/test-*.c))
UNIT_BIN := $(UNIT_SRC:%.c=$(O)/%)

all: $(O)/libperf-arm-spe.a $(if $(CMD_SRC),$(O)/perf-arm-spe) $(if $(ASM_SRC),$(O)/spe-asm)

$(O)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

$(O)/libperf-arm-spe.a: $(LIB_OBJ)
	@mkdir -p $(@D)
	$(call say,AR,$@)rm -f $@ && $(AR) rcs $@ $^

$(O)/perf-arm-spe: $(CMD_OBJ) $(O)/libperf-arm-spe.a
	$(call say,LD,$@)$(CC) $(LDFLAGS_ALL) -o $@ $^ $(LIBS)

$(O)/spe-asm: $(ASM_OBJ) $(O)/libperf-arm-spe.a
	$(call say,LD,$@)$(CC) $(LDFLAGS_ALL) -o $@ $^ $(LIBS)

# A room's unit test: tests/unit/test-ROOM.c or test-ROOM-*.c
$(O)/tests/unit/%: $(O)/tests/unit/%.o $(O)/libperf-arm-spe.a
	$(call say,LD,$@)$(CC) $(LDFLAGS_ALL) -o $@ $^ $(LIBS) -lcheck -lsubunit -lrt -lm

unit: $(UNIT_BIN)
	@for t in $(UNIT_BIN); do $$t || exit 1; done

clean:
	rm -rf build build-*

.PHONY: all unit clean
.SECONDARY:
-include $(shell find $(O) -name '*.d' 2>/dev/null)
