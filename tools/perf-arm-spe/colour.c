/* SPDX-License-Identifier: GPL-2.0-only */
/* Colour for percentages, in front of the library's plain text: it never writes escapes. */
#include <stdlib.h>
#include <string.h>

#include "output.h"

#define RED "\033[31m"
#define GREEN "\033[32m"
#define NORMAL "\033[m"
/* perf's thresholds. */
#define RED_PERCENT 5.0
#define GREEN_PERCENT 0.5
/* A line's head: enough for any percentage, indented. */
#define HEAD_BYTES 64u

/* The head of the line being written; what follows it passes straight through. */
static char head[HEAD_BYTES];
static size_t head_bytes;
static bool past_head;

bool output_colour_known(const char *mode)
{
	return !mode || !strcmp(mode, "auto") || !strcmp(mode, "always") || !strcmp(mode, "never");
}

static bool colour_wanted(const char *mode)
{
	const char *no_color = getenv("NO_COLOR");

	if (mode && strcmp(mode, "auto"))
		return !strcmp(mode, "always");
	return output_is_terminal() && !(no_color && *no_color);
}

/* The colour of a head such as "    92.26%"; NULL: none.  *end is behind the '%'. */
static const char *colour_of(size_t *end)
{
	double percent;
	char *at;

	if (!memchr(head, '%', head_bytes))
		return NULL;
	percent = strtod(head, &at);
	if (at == head || *at != '%')
		return NULL;
	*end = (size_t)(at - head) + 1;
	return percent >= RED_PERCENT ? RED : percent >= GREEN_PERCENT ? GREEN : NULL;
}

static int write_plain(const char *bytes, size_t n)
{
	struct spe_out out = output_stream();

	return n ? out.write(out.priv, bytes, n) : SPE_OK;
}

static int write_head(void)
{
	char text[HEAD_BYTES + sizeof(RED) + sizeof(NORMAL)];
	size_t end = 0;
	const char *colour;
	int n = 0;

	head[head_bytes] = '\0';
	colour = colour_of(&end);
	if (colour) {
		memcpy(text, colour, strlen(colour));
		n = (int)strlen(colour);
		memcpy(text + n, head, end);
		n += (int)end;
		memcpy(text + n, NORMAL, strlen(NORMAL));
		n += (int)strlen(NORMAL);
	}
	memcpy(text + n, head + end, head_bytes - end);
	n += (int)(head_bytes - end);
	head_bytes = 0;
	return write_plain(text, (size_t)n);
}

static int write_coloured(void *priv, const char *bytes, size_t n)
{
	int status = SPE_OK;

	(void)priv;
	while (n && !status) {
		const char *newline = memchr(bytes, '\n', n);
		size_t line = newline ? (size_t)(newline - bytes) + 1 : n;

		if (past_head) {
			status = write_plain(bytes, line);
		} else {
			size_t room = HEAD_BYTES - 1 - head_bytes;
			size_t part = line < room ? line : room;

			memcpy(head + head_bytes, bytes, part);
			head_bytes += part;
			line = part;
			past_head = head_bytes == HEAD_BYTES - 1;
			newline = newline && newline < bytes + part ? newline : NULL;
			if (past_head || newline)
				status = write_head();
		}
		if (newline)
			past_head = false;
		bytes += line;
		n -= line;
	}
	return status;
}

struct spe_out output_coloured(const char *mode)
{
	struct spe_out out = output_stream();

	if (colour_wanted(mode))
		out.write = write_coloured;
	return out;
}
