/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "recording-private.h"

#define RECORD_HEADER_BYTES 8
#define RECORD_MAX_BYTES 65528u /* the largest multiple of 8 that a header can say */
#define RECORD_USER_FIRST 64u   /* types that perf itself writes: no trailer */
#define SCHED_COMM_BYTES 16
#define PRIO_NORMAL 120

void recording_defaults(struct recording_opts *o)
{
	*o = (struct recording_opts){
		.index = INDEX_YES,
		.ids = IDS_IDENTIFIER,
		.attr_bytes = 112,
		.info_version = 1,
		.info_parameters = 4,
		.has_time = true,
		.kernel_el = 1,
		.pmu_type = 8,
		.event_config = 1,
		.clockid = -1,
		.clock = { .present = true, .mult = 1 },
		.cmdline = "perf record -e arm_spe_0/ts_enable=1/ -a",
	};
#define X(name, feature, value) o->strings[STRING_##name] = value;
	RECORDING_STRINGS(X)
#undef X
}

/* ---- options ------------------------------------------------------------- */

static const char *const form_names[] = { "file", "pipe", "directory", NULL };
static const char *const compress_names[] = { "no", "zstd", "zstd2", NULL };
static const char *const index_names[] = { "no", "yes", "empty", NULL };
static const char *const ids_names[] = { "no", "id", "identifier", NULL };
static const char *const order_names[] = { "little", "big", NULL };
static const char *const info_names[] = { "none", "1", "2", NULL };
static const char *const el_names[] = { "el0", "el1", "el2", NULL };

static void set_choice(struct words *words, const char *key, const char *const *names,
		       unsigned *value)
{
	const char *text = words_key(words, key);

	if (text)
		*value = words_choice(words, text, names);
}

void recording_set(struct recording_opts *o, struct words *words)
{
	unsigned big = o->big_endian;

	set_choice(words, "form", form_names, &o->form);
	set_choice(words, "compress", compress_names, &o->compress);
	set_choice(words, "index", index_names, &o->index);
	set_choice(words, "ids", ids_names, &o->ids);
	set_choice(words, "order", order_names, &big);
	set_choice(words, "auxtrace-info", info_names, &o->info_version);
	set_choice(words, "kernel", el_names, &o->kernel_el);
	o->big_endian = big;
	o->info_parameters = (unsigned)words_key_number(words, "parameters", o->info_parameters);
	if (o->info_parameters < 1 || o->info_parameters > 4)
		die_at(&words->place, "parameters= is 1 to 4");
	o->attr_bytes = (uint32_t)words_key_number(words, "attr-size", o->attr_bytes);
	o->pmu_type = (uint32_t)words_key_number(words, "pmu-type", o->pmu_type);
	o->event_config = words_key_number(words, "event-config", o->event_config);
	o->clockid = (int32_t)words_key_number(words, "clockid", (uint64_t)(int64_t)o->clockid);
	o->aux_bytes = words_key_number(words, "aux-bytes", o->aux_bytes);
	o->no_trailers = !words_key_bool(words, "trailers", !o->no_trailers);
	if (words_key(words, "time")) {
		o->has_time = words_key_bool(words, "time", true);
		o->time_said = true;
	}
	o->no_dummy = !words_key_bool(words, "dummy", !o->no_dummy);
	o->no_id_index = !words_key_bool(words, "id-index", !o->no_id_index);
	o->no_finished_init = !words_key_bool(words, "finished-init", !o->no_finished_init);
	o->switches = words_key_bool(words, "switches", o->switches);
	o->sched_switch = words_key_bool(words, "sched-switch", o->sched_switch);
}

/* ---- begin and end ------------------------------------------------------- */

static void give_up(void *arg)
{
	struct recording *r = arg;

	spe_perfdata_writer_abort(r->writer);
}

static char *in_folder(const char *folder, const char *name)
{
	struct buffer path = { 0 };

	buffer_printf(&path, "%s/%s", folder, name);
	buffer_u8(&path, 0);
	return (char *)path.bytes;
}

/* A folder with bare record streams beside the file: data.0, data.1 ... one a CPU. */
static void open_folder(struct recording *r, const char *path)
{
	char name[32];

	for (size_t i = 1; i < r->outlet_count; i++) {
		struct outlet *o = &r->outlets[i];

		snprintf(name, sizeof(name), "data.%zu", i - 1);
		o->path = in_folder(path, name);
		o->file = fopen(o->path, "wb");
		if (!o->file)
			die("%s: %s", o->path, strerror(errno));
		o->compress = r->opts.compress;
	}
}

static void open_outlets(struct recording *r, const char *path)
{
	bool folder = r->opts.form == FORM_DIRECTORY;
	struct spe_perfdata_writer_opts wopts = {
		.size = sizeof(wopts),
		.pipe = r->opts.form == FORM_PIPE,
		.big_endian = r->opts.big_endian,
	};
	char *file = folder ? in_folder(path, "data") : NULL;
	struct spe_error error = { 0 };

	if (r->opts.big_endian && (folder || r->opts.compress))
		die("order=big goes with neither a directory nor compression");
	if (r->opts.big_endian && r->opts.index == INDEX_NO)
		die("order=big needs an index; index=empty has nothing in it");
	if (folder && mkdir(path, 0700) && errno != EEXIST)
		die("%s: %s", path, strerror(errno));
	r->outlet_count = folder ? 1 + r->opts.buffer_count : 1;
	r->outlets = need(calloc(r->outlet_count, sizeof(*r->outlets)));
	if (folder)
		open_folder(r, path);
	die_on(spe_perfdata_writer_new(file ? file : path, &wopts, &r->writer, &error), &error);
	free(file);
	r->outlets[0].writer = r->writer;
	r->outlets[0].no_index = r->opts.index == INDEX_NO;
	r->outlets[0].compress = r->opts.compress;
	die_cleanup(give_up, r);
}

struct recording *recording_new(const char *path, const struct recording_opts *opts)
{
	struct recording *r = need(calloc(1, sizeof(*r)));

	r->opts = *opts;
	r->per_thread = opts->buffer_count && opts->buffers[0].cpu < 0;
	open_outlets(r, path);
	recording_header(r);
	recording_first_records(r);
	return r;
}

void recording_finish(struct recording *r)
{
	struct spe_error error = { 0 };
	int status;

	if (r->opts.clock_place == CLOCK_LAST)
		recording_time_conv(r);
	for (size_t i = 0; i < r->outlet_count; i++)
		outlet_flush(&r->outlets[i]);
	die_cleanup_done(r);
	status = spe_perfdata_writer_finish(r->writer, &error);
	die_on(status, &error);
	for (size_t i = 0; i < r->outlet_count; i++)
		outlet_close(&r->outlets[i]);
	free(r->outlets);
	buffer_free(&r->scratch);
	free(r);
}

/* ---- records ------------------------------------------------------------- */

static void put_task(struct buffer *b, struct task task)
{
	buffer_u32(b, (uint32_t)task.pid);
	buffer_u32(b, (uint32_t)task.tid);
}

static uint64_t trailer_id(const struct recording *r, const struct trailer *t)
{
	if (t->has_id)
		return t->id;
	return recording_id(r, t->of_spe ? EVENT_SPE : EVENT_DUMMY, t->buffer);
}

static void put_trailer(const struct recording *r, const struct trailer *t, struct buffer *b)
{
	uint64_t type = recording_sample_type(r);
	size_t start = b->n;

	put_task(b, t->task);
	if (type & SPE_SAMPLE_TIME)
		buffer_u64(b, t->time_ns);
	if (type & SPE_SAMPLE_ID)
		buffer_u64(b, trailer_id(r, t));
	if (type & SPE_SAMPLE_CPU)
		buffer_u64(b, (uint32_t)t->cpu);
	if (type & SPE_SAMPLE_IDENTIFIER)
		buffer_u64(b, trailer_id(r, t));
	if (t->zero)
		memset(b->bytes + start, 0, b->n - start);
}

/* The outlet a record belongs to: of its CPU in a directory, but for what perf made up. */
static struct outlet *outlet_of(struct recording *r, const struct trailer *t)
{
	bool own = r->opts.form == FORM_DIRECTORY && t && !t->zero;

	return &r->outlets[own ? 1 + t->buffer : 0];
}

/* What comes first ends with the first record that has a time. */
static void begin(struct recording *r)
{
	if (r->begun)
		return;
	r->begun = true;
	if (!r->opts.no_finished_init)
		recording_record(r, SPE_PERF_FINISHED_INIT, 0, NULL, NULL);
}

static void finish_record(struct recording *r, struct buffer *b, const struct trailer *t)
{
	uint16_t size;

	if (b->n > RECORD_MAX_BYTES)
		die("a record of %zu bytes is longer than its header can say", b->n);
	size = (uint16_t)b->n;
	memcpy(b->bytes + 6, &size, sizeof(size));
	if (t && !t->zero)
		outlet_compressible(outlet_of(r, t), b->bytes, b->n);
	else
		outlet_records(outlet_of(r, t), b->bytes, b->n);
}

void recording_record(struct recording *r, uint32_t type, uint16_t misc, const struct buffer *body,
		      const struct trailer *trailer)
{
	struct buffer *b = &r->scratch;

	if (trailer && !trailer->zero)
		begin(r);
	b->n = 0;
	buffer_u32(b, type);
	buffer_u16(b, misc);
	buffer_u16(b, 0);
	if (body)
		buffer_put(b, body->bytes, body->n);
	buffer_align(b, 8);
	if (trailer && type < RECORD_USER_FIRST && !r->opts.no_trailers)
		put_trailer(r, trailer, b);
	finish_record(r, b, trailer);
}

void recording_raw(struct recording *r, const uint8_t *bytes, size_t n)
{
	outlet_records(&r->outlets[0], bytes, n);
}

void recording_auxtrace(struct recording *r, size_t buffer, uint64_t offset, const uint8_t *bytes,
			size_t n)
{
	const struct aux_buffer *aux = &r->opts.buffers[buffer];
	size_t whole = (n + 7) / 8 * 8;
	struct trailer of = { .buffer = buffer };
	struct buffer b = { 0 }, data = { 0 };

	begin(r);
	buffer_u32(&b, SPE_PERF_AUXTRACE);
	buffer_u16(&b, 0);
	buffer_u16(&b, 48);
	buffer_u64(&b, whole);
	buffer_u64(&b, offset);
	buffer_u64(&b, 0); /* reference */
	buffer_u32(&b, (uint32_t)buffer);
	buffer_u32(&b, (uint32_t)aux->tid);
	buffer_u32(&b, (uint32_t)aux->cpu);
	buffer_u32(&b, 0);
	if (whole != n) {
		buffer_put(&data, bytes, n);
		buffer_zeros(&data, whole - n);
		bytes = data.bytes;
	}
	outlet_auxtrace(outlet_of(r, &of), b.bytes, b.n, bytes, whole);
	buffer_free(&b);
	buffer_free(&data);
}

static void put_comm(struct buffer *b, const char *comm)
{
	size_t n = strnlen(comm, SCHED_COMM_BYTES - 1);

	buffer_put(b, comm, n);
	buffer_zeros(b, SCHED_COMM_BYTES - n);
}

/* Raw data stands in the byte order of the machine that recorded: nothing swaps it later. */
static void put_raw(const struct recording *r, struct buffer *b, uint64_t value, unsigned bytes)
{
	uint8_t out[sizeof(value)];

	for (unsigned i = 0; i < bytes; i++)
		out[r->opts.big_endian ? bytes - 1 - i : i] = (uint8_t)(value >> 8 * i);
	buffer_put(b, out, bytes);
}

/* The fields as tracing_data() describes them. */
void recording_sched_switch(struct recording *r, const struct trailer *t, const char *prev_comm,
			    struct task prev, uint64_t prev_state, const char *next_comm,
			    struct task next)
{
	struct buffer raw = { 0 }, *b = &r->scratch;
	uint64_t type = recording_sample_type(r);

	begin(r);
	put_raw(r, &raw, TRACING_SCHED_SWITCH_ID, 2);
	put_raw(r, &raw, 0, 2); /* flags, preempt count */
	put_raw(r, &raw, (uint32_t)t->task.tid, 4);
	put_comm(&raw, prev_comm);
	put_raw(r, &raw, (uint32_t)prev.tid, 4);
	put_raw(r, &raw, PRIO_NORMAL, 4);
	put_raw(r, &raw, prev_state, 8);
	put_comm(&raw, next_comm);
	put_raw(r, &raw, (uint32_t)next.tid, 4);
	put_raw(r, &raw, PRIO_NORMAL, 4);
	buffer_zeros(&raw, 4); /* the size word and the data together are a multiple of 8 */

	b->n = 0;
	buffer_u32(b, SPE_PERF_SAMPLE);
	buffer_u16(b, SPE_MISC_KERNEL);
	buffer_u16(b, 0);
	if (type & SPE_SAMPLE_IDENTIFIER)
		buffer_u64(b, recording_id(r, EVENT_SCHED_SWITCH, t->buffer));
	buffer_u64(b, UINT64_C(0xffff800008000000)); /* IP: somewhere in the kernel */
	put_task(b, t->task);
	if (type & SPE_SAMPLE_TIME)
		buffer_u64(b, t->time_ns);
	if (type & SPE_SAMPLE_ID)
		buffer_u64(b, recording_id(r, EVENT_SCHED_SWITCH, t->buffer));
	if (type & SPE_SAMPLE_CPU)
		buffer_u64(b, (uint32_t)t->cpu);
	buffer_u32(b, (uint32_t)raw.n);
	buffer_put(b, raw.bytes, raw.n);
	finish_record(r, b, t);
	buffer_free(&raw);
}
