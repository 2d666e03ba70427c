/* SPDX-License-Identifier: GPL-2.0-only */
/* What the running kernel was built with, as far as SPE is concerned. */
#ifndef KERNEL_CONFIG_H
#define KERNEL_CONFIG_H

#include <stdbool.h>

enum kernel_option {
	KERNEL_OPTION_UNKNOWN, /* no configuration was found */
	KERNEL_OPTION_NO,
	KERNEL_OPTION_MODULE,
	KERNEL_OPTION_YES,
};

struct kernel_config {
	char path[512]; /* where it was found, below root; "" when nowhere */
	bool packed;    /* the only one is a config.gz, which this build cannot unpack */
	enum kernel_option contextidr; /* CONFIG_PID_IN_CONTEXTIDR */
	enum kernel_option spe;        /* CONFIG_ARM_SPE_PMU */
};

/* Look for the configuration of kernel `release` below root ("": this machine). */
void kernel_config_read(struct kernel_config *config, const char *root, const char *release);

#endif
