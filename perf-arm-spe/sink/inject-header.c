/* SPDX-License-Identifier: GPL-2.0-only */
/* Attrs and feature sections of the file that inject writes. */
#include "inject.h"

#include <string.h>

/* PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS: perf's own choice for synthesized events. */
#define SYNTH_TYPE 0u
#define SYNTH_CONFIG_INSTRUCTIONS 1u

/* PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY: perf's side-band event. */
#define TYPE_SOFTWARE 1u
#define CONFIG_DUMMY 9u

/* PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HW_INDEX */
#define BRANCH_SAMPLE_TYPE (1ull << 3 | 1ull << 17)

/* Sizes perf_event_attr has had, and the offset from which a longer one is needed. */
static const uint32_t attr_sizes[] = { 112, 120, 128, 136, 144 };

/*
 * The smallest size that holds the fields in use: perf refuses files whose
 * attrs are larger than its own.
 */
static uint32_t attr_size_needed(const struct spe_perf_attr *attr)
{
	size_t used = attr->raw_bytes;

	while (used > attr_sizes[0] && !attr->raw[used - 1])
		used--;
	for (size_t i = 0; i < sizeof(attr_sizes) / sizeof(attr_sizes[0]); i++)
		if (used <= attr_sizes[i])
			return attr_sizes[i];
	return attr->attr_size;
}

/*
 * EVENT_DESC needs a name for every event; a recording whose recorder was killed
 * has none.
 */
static const char *name_for(const struct inject *inject, const struct spe_perf_attr *attr)
{
	if (attr->name[0])
		return attr->name;
	if (attr == inject_spe_attr(inject))
		return "arm_spe//";
	return attr->type == TYPE_SOFTWARE && attr->config == CONFIG_DUMMY ? "dummy:u" : "event";
}

bool inject_is_traced(const struct inject *inject, size_t attr)
{
	for (size_t i = 0; i < spe_recording_streams(inject->recording); i++)
		if (spe_recording_stream_attr(inject->recording, i) == attr)
			return true;
	return false;
}

/* What a record's trailer has of these is laid out by the event's sample_type. */
#define TRAILER_FIELDS                                                                             \
	(SPE_SAMPLE_TID | SPE_SAMPLE_TIME | SPE_SAMPLE_ID | SPE_SAMPLE_STREAM_ID |                 \
	 SPE_SAMPLE_CPU | SPE_SAMPLE_IDENTIFIER)

/*
 * `perf script -F addr` asks the first event of a kind whether it has addresses,
 * and refuses if not.  The SPE event, which has no samples of its own, comes
 * first: it says that it has what the synthesized ones have.
 */
static uint64_t fields_promised(const struct inject *inject, size_t attr)
{
	if (inject->traced_samples || !inject_is_traced(inject, attr))
		return 0;
	return inject->layout.sample_type & ~(uint64_t)TRAILER_FIELDS;
}

static int original_attrs(struct inject *inject)
{
	struct spe_perfdata *pd = spe_recording_perfdata(inject->recording);
	int status = SPE_OK;

	for (size_t i = 0; !status && i < spe_perfdata_attr_count(pd); i++) {
		struct spe_perf_attr attr = *spe_perfdata_attr(pd, i);

		attr.name = name_for(inject, spe_perfdata_attr(pd, i));
		attr.attr_size = attr_size_needed(&attr);
		attr.sample_type |= SPE_SAMPLE_IDENTIFIER | fields_promised(inject, i);
		if (!attr.id_count && inject->add_identifier) {
			attr.ids = &inject->default_id;
			attr.id_count = 1;
		}
		status = spe_perfdata_writer_attr(inject->writer, &attr);
	}
	return status;
}

/* Flags that say what was left out of the recording hold for the samples too. */
#define FLAGS_KEPT                                                                                 \
	(0xfull << SPE_ATTR_EXCLUDE_USER | 1ull << SPE_ATTR_SAMPLE_ID_ALL |                        \
	 1ull << SPE_ATTR_EXCLUDE_HOST | 1ull << SPE_ATTR_EXCLUDE_GUEST)

static int synthesized_attrs(struct inject *inject)
{
	const struct spe_perf_attr *spe = inject_spe_attr(inject);
	int status = SPE_OK;

	for (unsigned i = 0; !status && i < SPE_SYNTH_EVENTS; i++) {
		uint64_t id = inject->layout.ids[i];
		struct spe_perf_attr attr = {
			.type = SYNTH_TYPE,
			.attr_size = attr_sizes[0],
			.config = i == SPE_SYNTH_INSTRUCTIONS ? SYNTH_CONFIG_INSTRUCTIONS : 0,
			.sample_period = inject->itrace.period,
			.sample_type = inject->layout.sample_type,
			.read_format = spe->read_format,
			.flags = spe->flags & FLAGS_KEPT,
			.branch_sample_type = inject->layout.branch_stack ? BRANCH_SAMPLE_TYPE : 0,
			.name = spe_synth_name(i),
			.ids = &id,
			.id_count = 1,
		};

		if (id)
			status = spe_perfdata_writer_attr(inject->writer, &attr);
	}
	return status;
}

/* Not copied: what no longer holds (trace index, compression, folder) or is written anew. */
static bool feature_kept(unsigned feature, bool foreign_order)
{
	switch (feature) {
	case SPE_FEAT_AUXTRACE:
	case SPE_FEAT_DIR_FORMAT:
	case SPE_FEAT_COMPRESSED:
	case SPE_FEAT_EVENT_DESC:
	case SPE_FEAT_GROUP_DESC:
	case SPE_FEAT_BRANCH_STACK:
	case SPE_FEAT_STAT:
		return false;
	}
	return !foreign_order;
}

/* A string feature: u32 room (padded to 64), then the bytes. */
static int string_feature(struct inject *inject, unsigned feature, const char *text)
{
	uint8_t body[4 + 4096] = { 0 };
	uint32_t length = (uint32_t)strnlen(text, 4000) + 1, room = (length + 63) & ~63u;

	if (!*text)
		return SPE_OK;
	memcpy(body, &room, sizeof(room));
	memcpy(body + sizeof(room), text, length - 1);
	return spe_perfdata_writer_feature(inject->writer, feature, body, sizeof(room) + room);
}

/* Of a file of the other byte order the bodies cannot be copied; what we read is written again. */
static int features_again(struct inject *inject)
{
	const struct spe_perfdata_info *info =
		spe_perfdata_info(spe_recording_perfdata(inject->recording));
	const struct {
		unsigned feature;
		const char *text;
	} strings[] = {
		{ SPE_FEAT_HOSTNAME, info->hostname }, { SPE_FEAT_OSRELEASE, info->osrelease },
		{ SPE_FEAT_VERSION, info->version },   { SPE_FEAT_ARCH, info->arch },
		{ SPE_FEAT_CPUDESC, info->cpudesc },   { SPE_FEAT_CPUID, info->cpuid },
	};
	uint32_t cpus[2] = { info->cpus_available, info->cpus_online };
	int status = SPE_OK;

	for (size_t i = 0; !status && i < sizeof(strings) / sizeof(strings[0]); i++)
		status = string_feature(inject, strings[i].feature, strings[i].text);
	if (!status && cpus[0])
		status = spe_perfdata_writer_feature(inject->writer, SPE_FEAT_NRCPUS,
						     (const uint8_t *)cpus, sizeof(cpus));
	return status;
}

/*
 * A recorder that was killed left no features.  perf 7.3 crashes without the
 * number of CPUs, and takes none that is higher; both values follow from the
 * records.
 */
static int features_missing(struct inject *inject)
{
	struct spe_perfdata *pd = spe_recording_perfdata(inject->recording);
	int status = SPE_OK;
	uint32_t cpus[2] = { inject->side.cpus };
	const uint8_t *bytes;
	size_t n;

	for (size_t i = 0; i < spe_recording_streams(inject->recording); i++) {
		int32_t cpu = spe_recording_stream(inject->recording, i)->cpu;

		if (cpu >= 0 && (uint32_t)cpu >= cpus[0])
			cpus[0] = (uint32_t)cpu + 1;
	}
	cpus[1] = cpus[0];
	if (cpus[0] && spe_perfdata_feature(pd, SPE_FEAT_NRCPUS, &bytes, &n))
		status = spe_perfdata_writer_feature(inject->writer, SPE_FEAT_NRCPUS,
						     (const uint8_t *)cpus, sizeof(cpus));
	if (!status && spe_perfdata_feature(pd, SPE_FEAT_ARCH, &bytes, &n))
		status = string_feature(inject, SPE_FEAT_ARCH, "aarch64");
	return status;
}

static bool order_is_foreign(const struct spe_perfdata_info *info)
{
	return info->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static int features(struct inject *inject)
{
	struct spe_perfdata *pd = spe_recording_perfdata(inject->recording);
	bool foreign = order_is_foreign(spe_perfdata_info(pd));
	int status = features_missing(inject);

	if (!status && foreign)
		status = features_again(inject);

	for (unsigned f = 0; !status && f < SPE_FEAT_MAX; f++) {
		const uint8_t *bytes;
		size_t n;

		if (feature_kept(f, foreign) && !spe_perfdata_feature(pd, f, &bytes, &n))
			status = spe_perfdata_writer_feature(inject->writer, f, bytes, n);
	}
	if (!status && inject->layout.branch_stack)
		status =
			spe_perfdata_writer_feature(inject->writer, SPE_FEAT_BRANCH_STACK, NULL, 0);
	return status;
}

int inject_header_write(struct inject *inject)
{
	int status = original_attrs(inject);

	if (!status)
		status = synthesized_attrs(inject);
	return status ? status : features(inject);
}
