/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a machine offers for recording SPE, read from its files: this machine's,
 * or those of a tree that was captured elsewhere.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpulist.h"
#include "kernel-config.h"

enum answer { ANSWER_UNKNOWN, ANSWER_NO, ANSWER_YES };

#define MACHINE_PMUS_MAX 16

/* One arm_spe_* of /sys/bus/event_source/devices. */
struct machine_pmu {
	char name[64];
	int64_t type; /* -1: not readable */
	bool has_cpus;
	struct cpu_list cpus;
	int64_t min_interval, count_size, arch_inst; /* caps; -1: not there */
	bool ts_enable, jitter;                      /* of format/ */
};

struct machine {
	const char *root;  /* "": this machine */
	char release[128]; /* of the kernel; "" when not known */
	char arch[65];     /* "aarch64"; "" when not known */
	bool has_online;
	struct cpu_list online;
	struct machine_pmu pmus[MACHINE_PMUS_MAX]; /* by name */
	size_t pmu_count;
	struct kernel_config config;
	bool has_paranoid, has_caps, has_mlock, has_locked;
	int paranoid;             /* perf_event_paranoid */
	uint64_t caps;            /* effective capabilities; 0 in a user namespace of its own */
	uint64_t program_caps;    /* those that perf's own file gives, see machine_add_program() */
	bool user_namespace;      /* capabilities count for nothing */
	enum answer first_pid_ns; /* is this the initial pid namespace? */
	uint64_t mlock_kb;        /* perf_event_mlock_kb: for each CPU, each user */
	uint64_t locked_bytes;    /* RLIMIT_MEMLOCK; UINT64_MAX: no limit */
};

void machine_read(struct machine *machine, const char *root);

/* Count in what the capabilities of perf's file allow it. */
void machine_add_program(struct machine *machine, const char *path);

/*
 * The first line of a file below the root, without its newline.  The name is
 * printf's.  False if the file is not there, or empty; text is "" then.
 */
bool machine_line(const struct machine *machine, char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* As machine_line(), the whole file; NULs (of the device tree) become blanks, those at its end go.
 */
bool machine_text(const struct machine *machine, char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The first `size` bytes of a file as they are. Returns how many there are. */
size_t machine_bytes(const struct machine *machine, void *bytes, size_t size, const char *format,
		     ...) __attribute__((format(printf, 4, 5)));

/* Is there such a file or folder below the root? */
bool machine_has(const struct machine *machine, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* perf's own word for "privileged": CAP_PERFMON or CAP_SYS_ADMIN. */
bool machine_privileged(const struct machine *machine);

/* May we open events that see all CPUs (-a)? */
enum answer machine_sees_cpus(const struct machine *machine);

/* May we see the kernel, which this kernel asks for before it lets contexts out? */
enum answer machine_sees_contexts(const struct machine *machine);

/* Does perf_event_paranoid decide about that on this kernel, or a capability alone? */
bool machine_sysctl_helps(const struct machine *machine);

/* All that contexts in a recording need, but for a PMU: kernel, permission, pid namespace. */
enum answer machine_gives_contexts(const struct machine *machine);

/* Bytes of AUX buffer each CPU may have beside data_bytes of ring; UINT64_MAX: no limit. */
uint64_t machine_aux_limit(const struct machine *machine, unsigned cpus, uint64_t data_bytes);

#endif
