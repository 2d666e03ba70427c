/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A plug-in of stock `perf script`: lets pass only SPE samples of certain owners.
 *
 *	perf script --itrace=i1i --dlfilter dlfilter-arm-spe.so --dlarg pid=4711
 *
 * perf may not be told another owner (a filter sees the sample, and no more), so
 * the recording is read a second time, by this library.  A sample of perf's
 * and a record are the same if CPU, time and address are.
 */
#include <perf-arm-spe/sink.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* perf finds them by name. */
#pragma GCC visibility push(default)
#include <perf/perf_dlfilter.h>
struct perf_dlfilter_fns perf_dlfilter_fns;
#pragma GCC visibility pop

/* The part of an address that perf and we agree on: perf sets the top byte of all EL1 code. */
#define ADDRESS_BITS 56u
#define ADDRESS_MASK ((UINT64_C(1) << ADDRESS_BITS) - 1)

#define COMMAND_BYTES_MAX 65536u

/* A record that passes. */
struct record {
	uint64_t time_ns;
	uint64_t address; /* its evidence in the top byte */
	int32_t pid, tid;
};

/* Those of a CPU or thread, sorted by time and address. */
struct stream {
	int32_t cpu, tid;
	struct record *records;
	size_t count, room;
};

struct plugin {
	struct stream *streams;
	size_t stream_count;
	bool show;
};

/* What one worker of the run has: streams of its own, merged at the end. */
struct partial {
	struct stream *streams;
};

static int complain(const char *what, const char *text)
{
	fprintf(stderr, "dlfilter-arm-spe: %s%s\n", what, text);
	return -1;
}

/* ---- reading the recording ------------------------------------------------- */

static int stream_reserve(struct stream *stream, size_t more)
{
	size_t room = stream->room ? stream->room : 256;
	void *grown;

	if (stream->room - stream->count >= more)
		return SPE_OK;
	while (room < stream->count + more)
		room *= 2;
	grown = realloc(stream->records, room * sizeof(*stream->records));
	if (!grown)
		return SPE_NOMEM;
	stream->records = grown;
	stream->room = room;
	return SPE_OK;
}

static int on_begin(void *sink, unsigned worker, void **partial)
{
	const struct plugin *plugin = sink;
	struct partial *p = calloc(1, sizeof(*p));

	(void)worker;
	*partial = p;
	if (!p)
		return SPE_NOMEM;
	p->streams = calloc(plugin->stream_count + 1, sizeof(*p->streams));
	return p->streams ? SPE_OK : SPE_NOMEM;
}

static int on_batch(void *sink, void *partial, struct spe_sample *samples, size_t count)
{
	struct partial *p = partial;

	(void)sink;
	for (size_t i = 0; i < count; i++) {
		const struct spe_sample *sample = &samples[i];
		struct stream *stream = &p->streams[sample->stream];

		if (!sample->has_time)
			continue;
		if (stream_reserve(stream, 1))
			return SPE_NOMEM;
		stream->records[stream->count++] = (struct record){
			.time_ns = sample->time_ns,
			.address = (sample->record.pc & ADDRESS_MASK) | (uint64_t)sample->evidence
										<< ADDRESS_BITS,
			.pid = sample->pid,
			.tid = sample->tid,
		};
	}
	return SPE_OK;
}

static int on_merge(void *sink, void *partial)
{
	struct plugin *plugin = sink;
	struct partial *p = partial;
	int status = SPE_OK;

	for (size_t i = 0; p && p->streams && i < plugin->stream_count; i++) {
		struct stream *from = &p->streams[i], *to = &plugin->streams[i];

		if (!status && from->count)
			status = stream_reserve(to, from->count);
		if (!status && from->count) {
			memcpy(to->records + to->count, from->records,
			       from->count * sizeof(*from->records));
			to->count += from->count;
		}
		free(from->records);
	}
	if (p)
		free(p->streams);
	free(p);
	return status;
}

static int compare_records(const void *a, const void *b)
{
	const struct record *x = a, *y = b;
	uint64_t p = x->address & ADDRESS_MASK, q = y->address & ADDRESS_MASK;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (p > q) - (p < q);
}

static int on_end(void *sink, const struct spe_run_stats *stats)
{
	struct plugin *plugin = sink;

	(void)stats;
	for (size_t i = 0; i < plugin->stream_count; i++)
		if (plugin->streams[i].count)
			qsort(plugin->streams[i].records, plugin->streams[i].count,
			      sizeof(struct record), compare_records);
	return SPE_OK;
}

static const struct spe_sink_ops ops = {
	.name = "dlfilter",
	.want = SPE_HAS_PC | SPE_HAS_TIMESTAMP,
	.begin = on_begin,
	.batch = on_batch,
	.merge = on_merge,
	.end = on_end,
};

static int streams_make(struct plugin *plugin, const struct spe_recording *recording)
{
	plugin->stream_count = spe_recording_streams(recording);
	plugin->streams = calloc(plugin->stream_count + 1, sizeof(*plugin->streams));
	if (!plugin->streams)
		return SPE_NOMEM;
	for (size_t i = 0; i < plugin->stream_count; i++) {
		plugin->streams[i].cpu = spe_recording_stream(recording, i)->cpu;
		plugin->streams[i].tid = spe_recording_stream(recording, i)->tid;
	}
	return SPE_OK;
}

static void on_log(void *priv, enum spe_log_level level, const char *text)
{
	(void)priv;
	if (level == SPE_LOG_WARNING)
		complain("warning: ", text);
}

/* ---- what the user wants ------------------------------------------------------ */

struct wishes {
	const char *path;
	char *command; /* what path may point into */
	struct spe_recording_opts opts;
	struct spe_filter *filter; /* NULL: all */
	bool show;
};

/* The argument after -i or --input of perf's own command line, as perf takes it. */
static const char *input_of(char *command, size_t bytes)
{
	const char *path = NULL;

	for (size_t at = 0; at < bytes; at += strlen(command + at) + 1) {
		const char *word = command + at, *next = word + strlen(word) + 1;
		bool last = next >= command + bytes;

		if (!strcmp(word, "--"))
			break;
		if (!strncmp(word, "--input=", 8))
			path = word + 8;
		else if ((!strcmp(word, "--input") || !strcmp(word, "-i")) && !last)
			path = next;
		else if (!strncmp(word, "-i", 2) && word[2])
			path = word + 2;
	}
	return path;
}

/* A filter is not told what perf reads; the command line is there to be read. */
static int input_find(struct wishes *wishes)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	wishes->command = calloc(1, COMMAND_BYTES_MAX + 1);
	if (fd >= 0 && wishes->command)
		n = read(fd, wishes->command, COMMAND_BYTES_MAX);
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return complain("cannot tell what perf reads: name it by --dlarg file=FILE", "");
	wishes->path = input_of(wishes->command, (size_t)n);
	if (!wishes->path)
		wishes->path = "perf.data";
	return strcmp(wishes->path, "-")
		       ? 0
		       : complain("perf reads a pipe, which cannot be read twice: "
				  "write the recording to a file",
				  "");
}

static int wish_take(struct wishes *wishes, char *argument)
{
	char *value = strchr(argument, '=');
	struct spe_error error = { 0 };
	int status = SPE_OK;

	if (!strcmp(argument, "show")) {
		wishes->show = true;
		return 0;
	}
	if (!value || !value[1])
		return complain("--dlarg wants NAME=VALUE or show, not ", argument);
	*value++ = '\0';
	if (!strcmp(argument, "file")) {
		wishes->path = value;
	} else if (!strcmp(argument, "pid-map")) {
		wishes->opts.pid_map = value;
	} else {
		if (!wishes->filter)
			status = spe_filter_new(&wishes->filter);
		if (!status)
			status = spe_filter_add(wishes->filter, argument, value, &error);
	}
	return status ? complain("--dlarg: ", *error.text ? error.text : spe_status_text(status))
		      : 0;
}

static int wishes_take(struct wishes *wishes, void *ctx)
{
	int count = 0, failed = 0;
	char **arguments = perf_dlfilter_fns.args(ctx, &count);

	for (int i = 0; !failed && i < count; i++)
		failed = wish_take(wishes, arguments[i]);
	if (!failed && !wishes->filter && !wishes->show)
		failed = complain("nothing to filter by: say --dlarg pid=N, --dlarg "
				  "evidence=context, ... or --dlarg show",
				  "");
	if (!failed && !wishes->path)
		failed = input_find(wishes);
	return failed;
}

/* ---- the plug-in ---------------------------------------------------------------- */

static void plugin_free(struct plugin *plugin)
{
	if (!plugin)
		return;
	for (size_t i = 0; plugin->streams && i < plugin->stream_count; i++)
		free(plugin->streams[i].records);
	free(plugin->streams);
	free(plugin);
}

/* Why perf's samples of this recording cannot be told apart; NULL: they can. */
static const char *no_use(const struct spe_recording *recording)
{
	if (!spe_recording_streams(recording))
		return ": no SPE trace in it; name the recording it came of by --dlarg file=FILE";
	if (!spe_recording_facts(recording)->has_time)
		return ": its records have no times, by which samples are told apart";
	return NULL;
}

static int plugin_read(struct plugin *plugin, const struct wishes *wishes)
{
	struct spe_run_opts run = { .size = sizeof(run), .filter = wishes->filter };
	struct spe_recording *recording;
	struct spe_run_stats stats;
	struct spe_error error = { 0 };
	int status = spe_recording_open(wishes->path, &wishes->opts, &recording, &error);

	if (status)
		return complain(error.text, "");
	if (no_use(recording)) {
		complain(wishes->path, no_use(recording));
		spe_recording_close(recording);
		return -1;
	}
	status = streams_make(plugin, recording);
	if (!status)
		status = spe_sink_run(recording, &ops, plugin, &run, &stats, &error);
	spe_recording_close(recording);
	return status ? complain("", *error.text ? error.text : spe_status_text(status)) : 0;
}

int start(void **data, void *ctx)
{
	struct wishes wishes = { .opts = { .size = sizeof(wishes.opts) } };
	struct plugin *plugin = calloc(1, sizeof(*plugin));
	int failed = plugin ? 0 : complain("out of memory", "");

	wishes.opts.listener.log = on_log;
	if (!failed)
		failed = wishes_take(&wishes, ctx);
	if (!failed)
		failed = plugin_read(plugin, &wishes);
	spe_filter_free(wishes.filter);
	free(wishes.command);
	if (failed) {
		plugin_free(plugin);
		return -EINVAL;
	}
	plugin->show = wishes.show;
	*data = plugin;
	return 0;
}

int stop(void *data, void *ctx)
{
	(void)ctx;
	plugin_free(data); /* NULL after start() failed */
	return 0;
}

/* Events that perf makes of SPE records; others pass. */
static bool is_spe_event(const char *name)
{
	static const char *const names[] = { "l1d-miss",   "l1d-access",  "llc-miss",
					     "llc-access", "tlb-miss",    "tlb-access",
					     "branch",     "branch-miss", "remote-access",
					     "memory",     "instructions" };
	size_t n = name ? strcspn(name, ":") : 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == n && !strncmp(names[i], name, n))
			return true;
	return false;
}

static const struct record *record_find(const struct plugin *plugin,
					const struct perf_dlfilter_sample *sample)
{
	const struct record key = { .time_ns = sample->time, .address = sample->ip & ADDRESS_MASK };

	for (size_t i = 0; i < plugin->stream_count; i++) {
		const struct stream *stream = &plugin->streams[i];
		const struct record *found;

		if (!stream->count ||
		    (stream->cpu < 0 ? stream->tid != sample->tid : stream->cpu != sample->cpu))
			continue;
		found = bsearch(&key, stream->records, stream->count, sizeof(key), compare_records);
		if (found)
			return found;
	}
	return NULL;
}

int filter_event(void *data, const struct perf_dlfilter_sample *sample, void *ctx)
{
	struct plugin *plugin = data;
	const struct record *record;

	(void)ctx;
	if (!is_spe_event(sample->event))
		return 0;
	record = record_find(plugin, sample);
	if (!record)
		return 1;
	if (plugin->show)
		printf("%7d/%-7d %-8s ", record->pid, record->tid,
		       spe_evidence_name((enum spe_evidence)(record->address >> ADDRESS_BITS)));
	return 0;
}

const char *filter_description(const char **long_description)
{
	static const char text[] =
		"Lets pass SPE samples whose record fulfils all conditions:\n"
		"  --dlarg pid=N,...  tid= comm= cpu= time= evidence= el= op= event= source=\n"
		"          min-latency=    as `perf arm-spe script` has them\n"
		"  --dlarg show            begin each line with the true pid/tid and how it is "
		"known\n"
		"  --dlarg file=FILE       the recording, where perf reads another form of it\n"
		"  --dlarg pid-map=FILE    ids of another pid namespace\n"
		"Samples of other events pass.";

	if (long_description)
		*long_description = text;
	return "Arm SPE: filter by true process, evidence and more";
}
