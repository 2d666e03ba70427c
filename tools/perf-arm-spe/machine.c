/* SPDX-License-Identifier: GPL-2.0-only */
#include "machine.h"

#include <dirent.h>
#include <endian.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Numbers of capabilities are part of the kernel's interface (linux/capability.h). */
#define CAP(number) (UINT64_C(1) << (number))
#define OUR_CAP_IPC_LOCK CAP(14)
#define OUR_CAP_SYS_ADMIN CAP(21)
#define OUR_CAP_PERFMON CAP(38)

#define PMU_FOLDER "/sys/bus/event_source/devices"
#define FIRST_PID_NS                                                                               \
	"pid:[4026531836]" /* PROC_PID_INIT_INO, the same since namespaces have inodes */
#define RING_HEADER_BYTES UINT64_C(65536) /* its page, where pages are largest */

/* ---- files ------------------------------------------------------------------ */

static bool path_make(const struct machine *machine, char *path, size_t size, const char *format,
		      va_list args)
{
	int n = snprintf(path, size, "%s", machine->root);

	if (n < (int)size)
		n += vsnprintf(path + n, size - (size_t)n, format, args);
	return n < (int)size;
}

static size_t file_read(const struct machine *machine, char *text, size_t size, const char *format,
			va_list args)
{
	char path[4096];
	size_t n = 0;
	FILE *in;

	text[0] = '\0';
	if (!path_make(machine, path, sizeof(path), format, args))
		return 0;
	in = fopen(path, "re");
	if (!in)
		return 0;
	n = fread(text, 1, size - 1, in);
	fclose(in);
	text[n] = '\0';
	return n;
}

bool machine_line(const struct machine *machine, char *text, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	file_read(machine, text, size, format, args);
	va_end(args);
	text[strcspn(text, "\n")] = '\0';
	return text[0] != '\0';
}

bool machine_text(const struct machine *machine, char *text, size_t size, const char *format, ...)
{
	va_list args;
	size_t n;

	va_start(args, format);
	n = file_read(machine, text, size, format, args);
	va_end(args);
	while (n && !text[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		if (!text[i])
			text[i] = ' ';
	return n > 0;
}

size_t machine_bytes(const struct machine *machine, void *bytes, size_t size, const char *format,
		     ...)
{
	va_list args;
	size_t n;

	va_start(args, format);
	n = file_read(machine, bytes, size, format, args);
	va_end(args);
	return n;
}

bool machine_has(const struct machine *machine, const char *format, ...)
{
	char path[4096];
	va_list args;
	bool made;

	va_start(args, format);
	made = path_make(machine, path, sizeof(path), format, args);
	va_end(args);
	return made && !access(path, F_OK);
}

/* A decimal number alone in its file; -1 when there is none. */
static int64_t number_read(const struct machine *machine, const char *folder, const char *name)
{
	char text[64], *end;
	long long value;

	if (!machine_line(machine, text, sizeof(text), "%s/%s", folder, name))
		return -1;
	value = strtoll(text, &end, 10);
	return *end || value < 0 ? -1 : value;
}

/* ---- the parts --------------------------------------------------------------- */

static void read_kernel(struct machine *m)
{
	char info[8192];
	struct utsname u;
	bool here = !*m->root && !uname(&u);

	if (!machine_line(m, m->release, sizeof(m->release), "/proc/sys/kernel/osrelease") && here)
		snprintf(m->release, sizeof(m->release), "%s", u.release);
	if (here)
		snprintf(m->arch, sizeof(m->arch), "%s", u.machine);
	else if (!machine_line(m, m->arch, sizeof(m->arch), "/proc/sys/kernel/arch") &&
		 machine_text(m, info, sizeof(info), "/proc/cpuinfo") &&
		 strstr(info, "CPU implementer"))
		snprintf(m->arch, sizeof(m->arch), "aarch64");
	kernel_config_read(&m->config, m->root, m->release);
}

static void read_cpus(struct machine *m)
{
	char text[4096];

	m->has_online = machine_line(m, text, sizeof(text), "/sys/devices/system/cpu/online") &&
			cpu_list_add(&m->online, text);
}

static void read_pmu(struct machine *m, const char *name)
{
	struct machine_pmu *pmu = &m->pmus[m->pmu_count++];
	char folder[512], text[4096];

	snprintf(pmu->name, sizeof(pmu->name), "%.*s", (int)sizeof(pmu->name) - 1, name);
	snprintf(folder, sizeof(folder), PMU_FOLDER "/%s", pmu->name);
	pmu->type = number_read(m, folder, "type");
	pmu->min_interval = number_read(m, folder, "caps/min_interval");
	pmu->count_size = number_read(m, folder, "caps/count_size");
	pmu->arch_inst = number_read(m, folder, "caps/arch_inst");
	pmu->ts_enable = machine_has(m, "%s/format/ts_enable", folder);
	pmu->jitter = machine_has(m, "%s/format/jitter", folder);
	pmu->has_cpus = machine_line(m, text, sizeof(text), "%s/cpumask", folder) &&
			cpu_list_add(&pmu->cpus, text);
}

static int by_name(const void *a, const void *b)
{
	const struct machine_pmu *left = a, *right = b;

	return strverscmp(left->name, right->name);
}

static void read_pmus(struct machine *m)
{
	char path[4096];
	struct dirent *entry;
	DIR *folder;

	snprintf(path, sizeof(path), "%s" PMU_FOLDER, m->root);
	folder = opendir(path);
	if (!folder)
		return;
	while ((entry = readdir(folder)) && m->pmu_count < MACHINE_PMUS_MAX)
		if (!strncmp(entry->d_name, "arm_spe_", 8))
			read_pmu(m, entry->d_name);
	closedir(folder);
	qsort(m->pmus, m->pmu_count, sizeof(m->pmus[0]), by_name);
}

static void read_permissions(struct machine *m)
{
	char text[8192], *at;
	unsigned long long inside, outside, count;

	m->has_paranoid =
		machine_line(m, text, sizeof(text), "/proc/sys/kernel/perf_event_paranoid");
	m->paranoid = (int)strtol(text, NULL, 10);
	machine_text(m, text, sizeof(text), "/proc/self/status");
	at = strstr(text, "\nCapEff:");
	m->has_caps = at != NULL;
	m->caps = at ? strtoull(at + strlen("\nCapEff:"), NULL, 16) : 0;
	/* The kernel asks for capabilities in the initial user namespace. */
	if (machine_line(m, text, sizeof(text), "/proc/self/uid_map") &&
	    sscanf(text, "%llu %llu %llu", &inside, &outside, &count) == 3)
		m->user_namespace = inside != 0 || outside != 0 || count != UINT32_MAX;
	if (m->user_namespace)
		m->caps = 0;
}

static void read_namespace(struct machine *m)
{
	char path[4096], text[64];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/proc/self/ns/pid", m->root);
	n = readlink(path, text, sizeof(text) - 1);
	if (n <= 0)
		return;
	text[n] = '\0';
	m->first_pid_ns = strcmp(text, FIRST_PID_NS) ? ANSWER_NO : ANSWER_YES;
}

static void read_limits(struct machine *m)
{
	int64_t mlock = number_read(m, "/proc/sys/kernel", "perf_event_mlock_kb");
	char text[8192], *at;

	m->has_mlock = mlock >= 0;
	m->mlock_kb = mlock >= 0 ? (uint64_t)mlock : 0;
	machine_text(m, text, sizeof(text), "/proc/self/limits");
	at = strstr(text, "\nMax locked memory");
	if (!at)
		return;
	m->has_locked = true;
	at += strlen("\nMax locked memory");
	at += strspn(at, " ");
	m->locked_bytes = strncmp(at, "unlimited", 9) ? strtoull(at, NULL, 10) : UINT64_MAX;
}

void machine_read(struct machine *machine, const char *root)
{
	*machine = (struct machine){ .root = root };
	read_kernel(machine);
	read_cpus(machine);
	read_pmus(machine);
	read_permissions(machine);
	read_namespace(machine);
	read_limits(machine);
}

void machine_add_program(struct machine *machine, const char *path)
{
	enum { LOW = 1, HIGH = 3, WORDS = 6 }; /* permitted: linux/capability.h, vfs_cap_data */
	uint32_t data[WORDS] = { 0 };

	if (machine->user_namespace ||
	    getxattr(path, "security.capability", data, sizeof(data)) < (ssize_t)(5 * 4))
		return;
	machine->program_caps = le32toh(data[LOW]) | (uint64_t)le32toh(data[HIGH]) << 32;
	machine->caps |= machine->program_caps;
}

/* ---- what follows from them --------------------------------------------------- */

bool machine_privileged(const struct machine *machine)
{
	return machine->has_caps && machine->caps & (OUR_CAP_PERFMON | OUR_CAP_SYS_ADMIN);
}

enum answer machine_sees_cpus(const struct machine *machine)
{
	if (machine_privileged(machine))
		return ANSWER_YES;
	if (!machine->has_paranoid)
		return ANSWER_UNKNOWN;
	if (machine->paranoid <= 0)
		return ANSWER_YES;
	return machine->has_caps ? ANSWER_NO : ANSWER_UNKNOWN;
}

/* Kernels that let whoever may profile the kernel have contexts; before, it took a capability. */
bool machine_sysctl_helps(const struct machine *machine)
{
	unsigned major = 0, minor = 0;

	return sscanf(machine->release, "%u.%u", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 12));
}

enum answer machine_sees_contexts(const struct machine *machine)
{
	if (machine_privileged(machine))
		return ANSWER_YES;
	if (!machine->has_caps || !machine->has_paranoid)
		return ANSWER_UNKNOWN;
	return machine->paranoid <= 1 && machine_sysctl_helps(machine) ? ANSWER_YES : ANSWER_NO;
}

enum answer machine_gives_contexts(const struct machine *machine)
{
	static const enum answer configured[] = {
		[KERNEL_OPTION_UNKNOWN] = ANSWER_UNKNOWN,
		[KERNEL_OPTION_NO] = ANSWER_NO,
		[KERNEL_OPTION_MODULE] = ANSWER_NO,
		[KERNEL_OPTION_YES] = ANSWER_YES,
	};
	enum answer kernel = configured[machine->config.contextidr];
	enum answer allowed = machine_sees_contexts(machine);
	enum answer first = machine->first_pid_ns;

	if (kernel == ANSWER_NO || allowed == ANSWER_NO || first == ANSWER_NO)
		return ANSWER_NO;
	return kernel == ANSWER_YES && allowed == ANSWER_YES && first == ANSWER_YES
		       ? ANSWER_YES
		       : ANSWER_UNKNOWN;
}

uint64_t machine_aux_limit(const struct machine *machine, unsigned cpus, uint64_t data_bytes)
{
	uint64_t limit = machine->mlock_kb * 1024;

	if ((machine->has_caps && machine->caps & OUR_CAP_IPC_LOCK) ||
	    (machine->has_paranoid && machine->paranoid < 0) || !machine->has_mlock ||
	    machine->locked_bytes == UINT64_MAX)
		return UINT64_MAX;
	limit += machine->locked_bytes / (cpus ? cpus : 1);
	data_bytes += RING_HEADER_BYTES;
	return limit > data_bytes ? limit - data_bytes : 0;
}
