/* SPDX-License-Identifier: GPL-2.0-only */
/* The perf that is to record. */
#include "check.h"

#include <stdio.h>

#include "program.h"

struct version {
	unsigned major, minor;
};

/* perf records SPE since this one. */
static const struct version spe_since = { 4, 16 };

static bool is_before(const struct version *a, const struct version *b)
{
	return a->major < b->major || (a->major == b->major && a->minor < b->minor);
}

static void check_version(struct check_findings *findings, const char *path)
{
	const char *const argv[] = { path, "--version", NULL };
	struct version version;
	char text[256];

	if (!program_ask(argv, text, sizeof(text)) ||
	    sscanf(text, "perf version %u.%u", &version.major, &version.minor) != 2) {
		check_add(findings, CHECK_FAIL, "perf", "%s does not tell a version", path);
		check_remedy(findings, "%s",
			     "is it perf, and the one of this kernel? Ubuntu's "
			     "wrapper wants linux-tools-$(uname -r)");
		return;
	}
	if (is_before(&version, &spe_since)) {
		check_add(findings, CHECK_FAIL, "perf", "%s is perf %u.%u, which knows no SPE",
			  path, version.major, version.minor);
		check_remedy(findings, "install perf %u.%u or newer", spe_since.major,
			     spe_since.minor);
		return;
	}
	check_add(findings, CHECK_OK, "perf", "%s is perf %u.%u", path, version.major,
		  version.minor);
}

void check_perf(struct check_findings *findings, const struct machine *m, const char *perf)
{
	char path[4096];

	if (!perf && *m->root)
		return;
	if (program_find(perf ? perf : "perf", path, sizeof(path))) {
		check_version(findings, path);
		return;
	}
	check_add(findings, CHECK_FAIL, "perf", "there is no %s to run", perf ? perf : "perf");
	check_remedy(findings, "install it (Debian: linux-perf; Ubuntu: linux-tools-$(uname -r); "
			       "Fedora: perf)");
}
