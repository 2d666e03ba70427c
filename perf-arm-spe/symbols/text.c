/* SPDX-License-Identifier: GPL-2.0-only */
/* Symbols from text files: kallsyms, and what just-in-time compilers write for perf. */
#include "symbols.h"

#include <perf-arm-spe/limits.h>

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE_BYTES 8192u

/* Lines of a file, with one buffer. */
struct lines {
	int fd;
	size_t start, end;
	uint64_t taken;
	char bytes[LINE_BYTES];
};

/* Move what is left to the front and read more; false at the end of the file. */
static bool lines_fill(struct lines *lines)
{
	ssize_t n;

	memmove(lines->bytes, lines->bytes + lines->start, lines->end - lines->start);
	lines->end -= lines->start;
	lines->start = 0;
	do
		n = read(lines->fd, lines->bytes + lines->end, LINE_BYTES - 1 - lines->end);
	while (n < 0 && errno == EINTR);
	if (n <= 0 || lines->taken > SPE_LIMIT_SYMBOL_TEXT_BYTES)
		return false;
	lines->end += (size_t)n;
	lines->taken += (uint64_t)n;
	return true;
}

/* The next line without its newline, NUL-terminated; NULL after the last.  Longer ones are cut
 * into several. */
static char *lines_next(struct lines *lines)
{
	char *newline = NULL;
	char *line;

	for (;;) {
		newline = memchr(lines->bytes + lines->start, '\n', lines->end - lines->start);
		if (newline || lines->end - lines->start == LINE_BYTES - 1 || !lines_fill(lines))
			break;
	}
	if (lines->start == lines->end)
		return NULL;
	line = lines->bytes + lines->start;
	if (!newline)
		newline = lines->bytes + lines->end;
	*newline = '\0';
	lines->start = (size_t)(newline - lines->bytes) + 1;
	if (lines->start > lines->end)
		lines->start = lines->end;
	return line;
}

/* A hexadecimal number and the blanks behind it; false when there is none. */
static bool take_hex(char **at, uint64_t *value)
{
	char *end;

	if (!isxdigit((unsigned char)**at))
		return false;
	errno = 0;
	*value = strtoull(*at, &end, 16);
	if (errno || (*end != ' ' && *end != '\t'))
		return false;
	*at = end + strspn(end, " \t");
	return true;
}

/* ---- kallsyms -------------------------------------------------------------------- */

static bool is_mapping_symbol(const char *name)
{
	return name[0] == '$' && name[1] && strchr("adtx", name[1]) && (!name[2] || name[2] == '.');
}

/* "\t[ext4]" behind the name: cut off; NULL: the kernel's own. */
static const char *cut_module(char *name)
{
	char *module = strpbrk(name, " \t");
	char *end;

	if (!module)
		return NULL;
	*module++ = '\0';
	module += strspn(module, " \t[");
	end = strchr(module, ']');
	if (end)
		*end = '\0';
	return module;
}

/* Code and data that is somewhere; absolute symbols are not. */
static bool type_counts(char type)
{
	return type && strchr("tTwWdDbBrRvV", type);
}

static uint32_t type_flags(char type)
{
	if (type == 'w' || type == 'W' || type == 'v' || type == 'V')
		return SPE_TABLE_WEAK;
	return isupper((unsigned char)type) ? SPE_TABLE_GLOBAL : 0;
}

static void take_mark(struct spe_kallsyms_marks *marks, const char *name, uint64_t address,
		      const char *reference)
{
	if (reference && !marks->reference && strcmp(name, reference) == 0)
		marks->reference = address;
	if (name[0] != '_')
		return;
	if (strcmp(name, "_text") == 0 || (strcmp(name, "_stext") == 0 && !marks->text))
		marks->text = address;
	if (strcmp(name, "_etext") == 0)
		marks->etext = address;
	if ((strcmp(name, "_etext") == 0 || strcmp(name, "_edata") == 0 ||
	     strcmp(name, "_end") == 0) &&
	    address > marks->last)
		marks->last = address;
}

static int take_kallsyms_line(char *line, const struct spe_kallsyms_opts *opts,
			      struct spe_table *table, struct spe_kallsyms_marks *marks)
{
	const char *module;
	uint64_t address;
	char *name = line;
	char type;

	if (!take_hex(&name, &address) || !name[0] || name[1] != ' ')
		return SPE_OK;
	type = name[0];
	name += 2;
	module = cut_module(name);
	if (!*name)
		return SPE_OK;
	if (!module)
		take_mark(marks, name, address, opts->reference);
	if (!address || !type_counts(type) || is_mapping_symbol(name) || !module != !opts->module ||
	    (module && strcmp(module, opts->module) != 0))
		return SPE_OK;
	return spe_table_add(table, address, UINT64_MAX, name, strlen(name), type_flags(type));
}

int spe_text_kallsyms(const char *path, const struct spe_kallsyms_opts *opts,
		      struct spe_table *table, struct spe_kallsyms_marks *marks)
{
	struct lines lines = { .fd = spe_file_open(path, SPE_LIMIT_SYMBOL_TEXT_BYTES) };
	int status = SPE_OK;
	char *line;

	memset(marks, 0, sizeof(*marks));
	if (lines.fd < 0)
		return SPE_NOT_FOUND;
	while (!status && (line = lines_next(&lines)))
		status = take_kallsyms_line(line, opts, table, marks);
	close(lines.fd);
	return status;
}

/* ---- perf-PID.map ------------------------------------------------------------------ */

/* Anybody may write to /tmp: only what the reader or root wrote is believed. */
static bool is_ours(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && (st.st_uid == geteuid() || st.st_uid == 0);
}

int spe_text_jit(const char *path, struct spe_table *table)
{
	struct lines lines = { .fd = spe_file_open(path, SPE_LIMIT_SYMBOL_TEXT_BYTES) };
	int status = SPE_OK;
	char *line;

	if (lines.fd < 0)
		return SPE_NOT_FOUND;
	if (!is_ours(lines.fd)) {
		close(lines.fd);
		return SPE_NOT_FOUND;
	}
	while (!status && (line = lines_next(&lines))) {
		uint64_t start;
		uint64_t bytes;

		if (take_hex(&line, &start) && take_hex(&line, &bytes) && *line && bytes &&
		    start + bytes > start)
			status = spe_table_add(table, start, start + bytes, line, strlen(line),
					       SPE_TABLE_GLOBAL | SPE_TABLE_SIZED);
	}
	close(lines.fd);
	return status;
}
