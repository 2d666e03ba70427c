/* SPDX-License-Identifier: GPL-2.0-only */
/* What the page counts per process, one table. */
#include "html.h"

const struct html_table html_tables[HTML_TABLES] = {
	{ .name = "level", .keys = { "level" }, .top = 12, .top_all = 12, .memory = true },
	{ .name = "source", .keys = { "source" }, .top = 16, .top_all = 24, .memory = true },
	{ .name = "op", .keys = { "op" }, .top = 16, .top_all = 32 },
	{ .name = "evidence", .keys = { "evidence" }, .top = 8, .top_all = 8 },
	{ .name = "el", .keys = { "el" }, .top = 5, .top_all = 5 },
	{ .name = "thread", .keys = { "tid" }, .top = 12, .top_all = 24, .pair = true },
	{ .name = "code",
	  .keys = { "ip" },
	  .top = 20,
	  .top_all = 40,
	  .address = true,
	  .unit_bytes = 4 },
	{ .name = "line",
	  .keys = { "dcacheline" },
	  .top = 20,
	  .top_all = 40,
	  .memory = true,
	  .pair = true,
	  .address = true,
	  .unit_bytes = 64 },
};
