/* SPDX-License-Identifier: GPL-2.0-only */
/* Attrs, feature sections and the first records of a perf.data file. */
#include <stdlib.h>
#include <string.h>

#include "recording-private.h"

/* perf's string: u32 length, a multiple of this, then the padded text. */
#define STRING_ALIGN 64u

#define PERF_TYPE_SOFTWARE 1
#define PERF_TYPE_TRACEPOINT 2
#define PERF_COUNT_SW_DUMMY 9
#define PERF_FORMAT_ID 4
#define ATTR_INHERIT 1
#define ATTR_EXCLUDE_HV 6
#define ATTR_MMAP2 23
#define ATTR_COMM_EXEC 24

#define INFO_CPU_MAGIC UINT64_C(0x1010101010101010)
#define INFO_V2_WORDS 4 /* of the header of AUXTRACE_INFO version 2 */

static uint64_t flag(unsigned bit)
{
	return UINT64_C(1) << bit;
}

/* Numbers of a feature section stand in the file's own byte order. */
static void put32(const struct recording *r, struct buffer *b, uint32_t v)
{
	buffer_u32(b, r->opts.big_endian ? __builtin_bswap32(v) : v);
}

static void put64(const struct recording *r, struct buffer *b, uint64_t v)
{
	buffer_u64(b, r->opts.big_endian ? __builtin_bswap64(v) : v);
}

static void put_string(const struct recording *r, struct buffer *b, const char *text, size_t n)
{
	size_t padded = (n + STRING_ALIGN) / STRING_ALIGN * STRING_ALIGN;

	put32(r, b, (uint32_t)padded);
	buffer_put(b, text, n);
	buffer_zeros(b, padded - n);
}

static void set_feature(struct recording *r, unsigned feature, struct buffer *body)
{
	int status = spe_perfdata_writer_feature(r->writer, feature, body->bytes, body->n);

	if (status)
		die("feature %u: %s", feature, spe_status_text(status));
	body->n = 0;
}

static void put_cmdline(const struct recording *r, struct buffer *b)
{
	const char *at = r->opts.cmdline;
	uint32_t words = 0;
	struct buffer strings = { 0 };

	while (*(at += strspn(at, " "))) {
		size_t n = strcspn(at, " ");

		put_string(r, &strings, at, n);
		words++;
		at += n;
	}
	put32(r, b, words);
	buffer_put(b, strings.bytes, strings.n);
	buffer_free(&strings);
}

static void put_pmus(const struct recording *r, struct buffer *b)
{
	const struct {
		uint32_t type;
		const char *name;
	} pmus[] = {
		{ PERF_TYPE_SOFTWARE, "software" },
		{ PERF_TYPE_TRACEPOINT, "tracepoint" },
		{ r->opts.pmu_type, "arm_spe_0" },
	};
	size_t n = sizeof(pmus) / sizeof(pmus[0]);

	put32(r, b, (uint32_t)n);
	for (size_t i = 0; i < n; i++) {
		put32(r, b, pmus[i].type);
		put_string(r, b, pmus[i].name, strlen(pmus[i].name));
	}
}

static void set_features(struct recording *r)
{
	static const uint8_t features[STRINGS] = {
#define X(name, feature, value) [STRING_##name] = feature,
		RECORDING_STRINGS(X)
#undef X
	};
	const struct recording_opts *o = &r->opts;
	struct buffer b = { 0 };

	for (unsigned i = 0; i < STRINGS; i++)
		if (o->strings[i]) {
			put_string(r, &b, o->strings[i], strlen(o->strings[i]));
			set_feature(r, features[i], &b);
		}
	put32(r, &b, o->cpus);
	put32(r, &b, o->cpus);
	set_feature(r, SPE_FEAT_NRCPUS, &b);
	if (o->cmdline) {
		put_cmdline(r, &b);
		set_feature(r, SPE_FEAT_CMDLINE, &b);
	}
	put_pmus(r, &b);
	set_feature(r, SPE_FEAT_PMU_MAPPINGS, &b);
	if (o->sched_switch) {
		tracing_data(&b, o->big_endian);
		set_feature(r, SPE_FEAT_TRACING_DATA, &b);
	}
	if (o->compress) {
		const uint32_t zstd[] = { 0, 1, 1, 2, OUTLET_PLAIN_BYTES * 2 };

		for (size_t i = 0; i < sizeof(zstd) / sizeof(zstd[0]); i++)
			put32(r, &b, zstd[i]);
		set_feature(r, SPE_FEAT_COMPRESSED, &b);
	}
	if (o->form == FORM_DIRECTORY) {
		put64(r, &b, 1);
		set_feature(r, SPE_FEAT_DIR_FORMAT, &b);
	}
	if (o->index == INDEX_EMPTY) {
		put64(r, &b, 0);
		set_feature(r, SPE_FEAT_AUXTRACE, &b);
	}
	for (size_t i = 0; i < o->feature_count; i++)
		set_feature(r, o->features[i].feature, &o->features[i].body);
	buffer_free(&b);
}

/* ---- events -------------------------------------------------------------- */

bool recording_has_event(const struct recording *r, enum recording_event event)
{
	return event == EVENT_SPE ||
	       (event == EVENT_DUMMY ? !r->opts.no_dummy : r->opts.sched_switch);
}

uint64_t recording_id(const struct recording *r, enum recording_event event, size_t buffer)
{
	if (!recording_has_event(r, event))
		event = EVENT_SPE;
	return 1 + event * r->opts.buffer_count + buffer;
}

uint64_t recording_sample_type(const struct recording *r)
{
	static const uint64_t ids[] = {
		[IDS_NO] = 0,
		[IDS_ID] = SPE_SAMPLE_ID,
		[IDS_IDENTIFIER] = SPE_SAMPLE_IDENTIFIER,
	};
	uint64_t type = SPE_SAMPLE_IP | SPE_SAMPLE_TID | ids[r->opts.ids];

	if (r->opts.has_time)
		type |= SPE_SAMPLE_TIME;
	if (!r->per_thread)
		type |= SPE_SAMPLE_CPU;
	return type;
}

static void add_event(struct recording *r, enum recording_event event, struct spe_perf_attr *attr)
{
	uint64_t *ids = need(calloc(r->opts.buffer_count, sizeof(*ids)));
	int status;

	for (size_t i = 0; i < r->opts.buffer_count; i++)
		ids[i] = recording_id(r, event, i);
	attr->attr_size = r->opts.attr_bytes;
	attr->sample_period = attr->sample_period ? attr->sample_period : 1;
	attr->read_format = PERF_FORMAT_ID;
	attr->flags |= flag(ATTR_INHERIT) | flag(SPE_ATTR_EXCLUDE_GUEST);
	if (!r->opts.no_trailers)
		attr->flags |= flag(SPE_ATTR_SAMPLE_ID_ALL);
	if (r->opts.clockid >= 0) {
		attr->flags |= flag(SPE_ATTR_USE_CLOCKID);
		attr->clockid = r->opts.clockid;
	}
	attr->ids = ids;
	attr->id_count = r->opts.buffer_count;
	status = spe_perfdata_writer_attr(r->writer, attr);
	if (status)
		die("an event of %u bytes: %s", attr->attr_size, spe_status_text(status));
	free(ids);
}

static void add_events(struct recording *r)
{
	uint64_t type = recording_sample_type(r);
	struct spe_perf_attr spe = {
		.type = r->opts.pmu_type,
		.config = r->opts.event_config,
		.sample_period = 1024,
		.sample_type = type | SPE_SAMPLE_DATA_SRC,
		.name = r->opts.event_config & 1 ? "arm_spe_0/ts_enable=1/" : "arm_spe_0//",
	};
	struct spe_perf_attr dummy = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = type,
		.flags = flag(SPE_ATTR_EXCLUDE_KERNEL) | flag(ATTR_EXCLUDE_HV) |
			 flag(SPE_ATTR_MMAP) | flag(SPE_ATTR_COMM) | flag(SPE_ATTR_TASK) |
			 flag(ATTR_MMAP2) | flag(ATTR_COMM_EXEC) | flag(SPE_ATTR_CONTEXT_SWITCH),
		.name = "dummy:u",
	};
	struct spe_perf_attr sched_switch = {
		.type = PERF_TYPE_TRACEPOINT,
		.config = TRACING_SCHED_SWITCH_ID,
		.sample_type = type | SPE_SAMPLE_RAW,
		.name = "sched:sched_switch",
	};

	add_event(r, EVENT_SPE, &spe);
	if (recording_has_event(r, EVENT_DUMMY))
		add_event(r, EVENT_DUMMY, &dummy);
	if (recording_has_event(r, EVENT_SCHED_SWITCH))
		add_event(r, EVENT_SCHED_SWITCH, &sched_switch);
}

void recording_header(struct recording *r)
{
	add_events(r);
	set_features(r);
}

/* ---- the first records --------------------------------------------------- */

void recording_time_conv(struct recording *r)
{
	const struct spe_time_conv *c = &r->opts.clock;
	struct buffer b = { 0 };

	buffer_u64(&b, c->shift);
	buffer_u64(&b, c->mult);
	buffer_u64(&b, c->zero);
	buffer_u64(&b, c->cycles);
	buffer_u64(&b, c->mask);
	buffer_u8(&b, 1); /* cap_user_time_zero */
	buffer_u8(&b, c->cap_short);
	buffer_zeros(&b, 6);
	recording_record(r, SPE_PERF_TIME_CONV, 0, &b, NULL);
	buffer_free(&b);
}

static void put_id_index(struct recording *r)
{
	struct buffer b = { 0 };
	uint64_t n = 0;

	buffer_u64(&b, 0);
	for (unsigned event = 0; event < EVENTS; event++)
		for (size_t i = 0; i < r->opts.buffer_count && recording_has_event(r, event); i++) {
			const struct aux_buffer *aux = &r->opts.buffers[i];

			buffer_u64(&b, recording_id(r, event, i));
			buffer_u64(&b, i);
			buffer_u64(&b, (uint64_t)(int64_t)aux->cpu);
			buffer_u64(&b, (uint64_t)(int64_t)aux->tid);
			n++;
		}
	memcpy(b.bytes, &n, sizeof(n));
	recording_record(r, SPE_PERF_ID_INDEX, 0, &b, NULL);
	buffer_free(&b);
}

static void put_info_cpu(const struct recording *r, unsigned cpu, struct buffer *b)
{
	const struct core *core = &r->opts.cores[cpu];
	const uint64_t words[] = { core->midr, core->no_spe ? UINT64_MAX : r->opts.pmu_type,
				   core->min_interval, core->event_filter };

	buffer_u64(b, INFO_CPU_MAGIC);
	buffer_u64(b, cpu);
	buffer_u64(b, r->opts.info_parameters);
	buffer_put(b, words, r->opts.info_parameters * sizeof(words[0]));
}

static void put_auxtrace_info(struct recording *r)
{
	struct buffer b = { 0 };

	buffer_u32(&b, SPE_AUXTRACE_ARM_SPE);
	buffer_u32(&b, 0);
	if (r->opts.info_version == 1) {
		buffer_u64(&b, r->opts.pmu_type);
		buffer_u64(&b, !r->per_thread);
	} else {
		buffer_u64(&b, r->opts.info_version);
		buffer_u64(&b, INFO_V2_WORDS);
		buffer_u64(&b, r->opts.pmu_type);
		buffer_u64(&b, r->opts.cpus);
		for (unsigned cpu = 0; cpu < r->opts.cpus; cpu++)
			put_info_cpu(r, cpu, &b);
	}
	recording_record(r, SPE_PERF_AUXTRACE_INFO, 0, &b, NULL);
	buffer_free(&b);
}

void recording_first_records(struct recording *r)
{
	if (r->opts.clock_place == CLOCK_FIRST)
		recording_time_conv(r);
	if (!r->opts.no_id_index)
		put_id_index(r);
	if (r->opts.info_version)
		put_auxtrace_info(r);
}
