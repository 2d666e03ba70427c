/* SPDX-License-Identifier: GPL-2.0-only */
/* perf arm-spe dump: raw packets. */
#include <perf-arm-spe/sink.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "input.h"
#include "output.h"
#include "talk.h"

struct dump {
	struct input input;
	struct spe_listener listener;
	struct spe_error error;
	bool raw;
	int32_t cpu;
	uint64_t midr;
};

static const struct option_def dump_options[] = {
	OPT_FLAG(0, "raw", struct dump, raw, "the input is a bare SPE buffer, not a perf.data"),
	OPT_VALUE(INT, 'C', "cpu", struct dump, cpu, "cpu", "only the trace of this CPU"),
	OPT_VALUE(U64, 0, "midr", struct dump, midr, "value",
		  "core model (MIDR_EL1), to name its own events"),
	OPT_END,
};

/* ---- a bare buffer ---------------------------------------------------------- */

struct buffer {
	uint8_t *bytes;
	size_t n, room;
};

/* Bare buffers are as large as an AUX area, not as a recording. */
#define RAW_BYTES_MAX ((size_t)4 << 30)

static int grow(struct buffer *buffer)
{
	size_t room = buffer->room ? 2 * buffer->room : 1 << 20;
	uint8_t *bytes;

	if (room > RAW_BYTES_MAX)
		return SPE_LIMIT;
	bytes = realloc(buffer->bytes, room);
	if (!bytes)
		return SPE_NOMEM;
	buffer->bytes = bytes;
	buffer->room = room;
	return SPE_OK;
}

static int read_all(int fd, struct buffer *buffer)
{
	for (;;) {
		int status = buffer->n < buffer->room ? SPE_OK : grow(buffer);
		ssize_t got;

		if (status)
			return status;
		got = read(fd, buffer->bytes + buffer->n, buffer->room - buffer->n);
		if (got == 0)
			return SPE_OK;
		if (got < 0 && errno != EINTR)
			return SPE_IO;
		buffer->n += got > 0 ? (size_t)got : 0;
	}
}

/* Its packets would be looked for everywhere between the other records. */
static void warn_perfdata(const char *input, const struct buffer *buffer)
{
	if (buffer->n >= 8 &&
	    (!memcmp(buffer->bytes, "PERFILE2", 8) || !memcmp(buffer->bytes, "2ELIFREP", 8)))
		talk_warning("%s: this is a perf.data: leave --raw out", input);
}

static int dump_raw(struct dump *dump, const struct spe_dump_opts *opts, const struct spe_out *out)
{
	const char *input = input_path(&dump->input);
	bool is_stdin = !strcmp(input, "-");
	int fd = is_stdin ? STDIN_FILENO : open(input, O_RDONLY | O_CLOEXEC);
	struct buffer buffer = { .n = 0 };
	struct spe_error *error = &dump->error;
	int status = fd < 0 ? SPE_IO : read_all(fd, &buffer);

	if (status == SPE_IO)
		spe_error_set(error, SPE_IO, "%s: %s", input, strerror(errno));
	else if (status)
		spe_error_set(error, status, "%s: %s", input, spe_status_text(status));
	else {
		warn_perfdata(input, &buffer);
		status = spe_dump_bytes(buffer.bytes, buffer.n, 0, opts, out);
	}
	if (fd >= 0 && !is_stdin)
		close(fd);
	free(buffer.bytes);
	return status;
}

/* ---- a perf.data -------------------------------------------------------------- */

static int dump_file(struct dump *dump, const struct spe_dump_opts *opts, const struct spe_out *out)
{
	struct spe_perfdata_opts open_opts = { .size = sizeof(open_opts) };
	struct spe_perfdata *pd = NULL;
	int status;

	open_opts.listener = dump->listener;
	status = spe_perfdata_open(input_path(&dump->input), &open_opts, &pd, &dump->error);
	if (status)
		return status;
	status = spe_dump_perfdata(pd, opts, out, &dump->error);
	spe_perfdata_close(pd);
	return status;
}

int cmd_dump(int argc, const char **argv)
{
	struct dump dump = { .cpu = -1 };
	const struct option_set sets[] = {
		{ dump_options, &dump, NULL },
		{ input_options, &dump.input, NULL },
		{ NULL, NULL, NULL },
	};
	const struct command_line line = { "dump", "[<options>] [<file>]", sets, argc, argv };
	struct spe_dump_opts opts = { .size = sizeof(opts) };
	struct spe_out out = output_stream();
	int operands;
	int status;
	int code = options_parse(&line, &operands);

	if (code < 0)
		code = input_operands(&dump.input, &line, operands);
	if (code >= 0)
		return code;
	dump.listener = input_listen(&dump.input);
	output_pager();
	opts.cpu = dump.cpu;
	opts.midr = dump.midr;
	status = dump.raw ? dump_raw(&dump, &opts, &out) : dump_file(&dump, &opts, &out);
	return talk_status(status, &dump.error);
}
