/* SPDX-License-Identifier: GPL-2.0-only */
#include "kernel-config.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

/* Best first: what the kernel itself says, then what its package left. */
static const struct {
	const char *before, *after; /* the release stands between; no `after`: it does not */
} places[] = {
	{ "/proc/config.gz", NULL },           { "/boot/config-", "" },
	{ "/lib/modules/", "/config" },        { "/usr/lib/modules/", "/config" },
	{ "/lib/modules/", "/build/.config" },
};

static void take(const char *line, const char *name, enum kernel_option *option)
{
	size_t n = strlen(name);

	if (!strncmp(line, "# ", 2) && !strncmp(line + 2, name, n) &&
	    !strncmp(line + 2 + n, " is not set", 11))
		*option = KERNEL_OPTION_NO;
	if (strncmp(line, name, n) || line[n] != '=')
		return;
	*option = line[n + 1] == 'y'   ? KERNEL_OPTION_YES
		  : line[n + 1] == 'm' ? KERNEL_OPTION_MODULE
				       : KERNEL_OPTION_NO;
}

static void take_line(struct kernel_config *config, const char *line)
{
	take(line, "CONFIG_PID_IN_CONTEXTIDR", &config->contextidr);
	take(line, "CONFIG_ARM_SPE_PMU", &config->spe);
}

#ifdef HAVE_ZLIB
/* gzopen() reads plain text as it is. */
static bool read_lines(struct kernel_config *config, const char *path)
{
	gzFile in = gzopen(path, "rbe");
	char line[512];
	bool any = false;

	if (!in)
		return false;
	while (gzgets(in, line, sizeof(line))) {
		take_line(config, line);
		any = true;
	}
	gzclose(in);
	return any;
}
#else
static bool read_lines(struct kernel_config *config, const char *path)
{
	size_t n = strlen(path);
	char line[512];
	bool any = false;
	FILE *in;

	if (n > 3 && !strcmp(path + n - 3, ".gz")) {
		config->packed = config->packed || !access(path, R_OK);
		return false;
	}
	in = fopen(path, "re");
	if (!in)
		return false;
	while (fgets(line, sizeof(line), in)) {
		take_line(config, line);
		any = true;
	}
	fclose(in);
	return any;
}
#endif

static bool read_place(struct kernel_config *config, const char *root, const char *release,
		       size_t i)
{
	char path[4096];
	int n = snprintf(config->path, sizeof(config->path), "%s%s%s", places[i].before,
			 places[i].after ? release : "", places[i].after ? places[i].after : "");

	if (n < (int)sizeof(config->path) &&
	    snprintf(path, sizeof(path), "%s%s", root, config->path) < (int)sizeof(path) &&
	    read_lines(config, path))
		return true;
	config->path[0] = '\0';
	return false;
}

void kernel_config_read(struct kernel_config *config, const char *root, const char *release)
{
	*config = (struct kernel_config){ .path = "" };
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (read_place(config, root, release, i))
			break;
	/* An option that depends on something switched off is not even mentioned. */
	if (config->path[0] && config->contextidr == KERNEL_OPTION_UNKNOWN)
		config->contextidr = KERNEL_OPTION_NO;
	if (config->path[0] && config->spe == KERNEL_OPTION_UNKNOWN)
		config->spe = KERNEL_OPTION_NO;
}
