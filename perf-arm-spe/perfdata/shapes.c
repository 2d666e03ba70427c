/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of record types.  Facts: perf_event.h of the kernel, perf/event.h of libperf. */
#include "record.h"

#define TO(member) ((uint16_t)offsetof(struct spe_perf_event, u.member))
#define U8(place, member)                                                                          \
	{                                                                                          \
		SPE_FIELD_U8, place, TO(member)                                                    \
	}
#define U32(place, member)                                                                         \
	{                                                                                          \
		SPE_FIELD_U32, place, TO(member)                                                   \
	}
#define U64(place, member)                                                                         \
	{                                                                                          \
		SPE_FIELD_U64, place, TO(member)                                                   \
	}
#define HERE(place, member)                                                                        \
	{                                                                                          \
		SPE_FIELD_HERE, place, TO(member)                                                  \
	}
#define STRING(place, member)                                                                      \
	{                                                                                          \
		SPE_FIELD_STRING, place, TO(member)                                                \
	}
#define BUILD_ID(place, member)                                                                    \
	{                                                                                          \
		SPE_FIELD_BYTES20, place, TO(member)                                               \
	}
/* Known only so that its byte order can be put right. */
#define SKIP(kind_, place)                                                                         \
	{                                                                                          \
		SPE_FIELD_##kind_, place, SPE_FIELD_NOWHERE                                        \
	}

static const struct spe_field mmap_fields[] = {
	U32(8, mmap.pid),  U32(12, mmap.tid),   U64(16, mmap.addr),
	U64(24, mmap.len), U64(32, mmap.pgoff), STRING(40, mmap.filename),
};

static const struct spe_field mmap2_fields[] = {
	U32(8, mmap.pid),   U32(12, mmap.tid),   U64(16, mmap.addr),
	U64(24, mmap.len),  U64(32, mmap.pgoff), U32(40, mmap.maj),
	U32(44, mmap.min),  U64(48, mmap.ino),   U64(56, mmap.ino_generation),
	U32(64, mmap.prot), U32(68, mmap.flags), STRING(72, mmap.filename),
};

static const struct spe_field mmap2_build_id_fields[] = {
	U32(8, mmap.pid),
	U32(12, mmap.tid),
	U64(16, mmap.addr),
	U64(24, mmap.len),
	U64(32, mmap.pgoff),
	U8(40, mmap.build_id_bytes),
	BUILD_ID(44, mmap.build_id),
	U32(64, mmap.prot),
	U32(68, mmap.flags),
	STRING(72, mmap.filename),
};

static const struct spe_field lost_fields[] = { U64(8, lost.id), U64(16, lost.lost) };
static const struct spe_field lost_samples_fields[] = { U64(8, lost.lost) };

static const struct spe_field comm_fields[] = {
	U32(8, comm.pid),
	U32(12, comm.tid),
	STRING(16, comm.comm),
};

static const struct spe_field task_fields[] = {
	U32(8, task.pid),   U32(12, task.ppid),    U32(16, task.tid),
	U32(20, task.ptid), U64(24, task.time_ns),
};

static const struct spe_field throttle_fields[] = {
	U64(8, throttle.time_ns),
	U64(16, throttle.id),
	U64(24, throttle.stream_id),
};

static const struct spe_field read_fields[] = { SKIP(U32, 8), SKIP(U32, 12) };

static const struct spe_field aux_fields[] = {
	U64(8, aux.offset),
	U64(16, aux.size),
	U64(24, aux.flags),
};

static const struct spe_field itrace_start_fields[] = {
	U32(8, itrace_start.pid),
	U32(12, itrace_start.tid),
};

static const struct spe_field switch_fields[] = {
	U32(8, sw.next_prev_pid),
	U32(12, sw.next_prev_tid),
};

static const struct spe_field namespaces_fields[] = {
	U32(8, namespaces.pid),
	U32(12, namespaces.tid),
	U64(16, namespaces.count),
	HERE(24, namespaces.dev_ino),
};

static const struct spe_field ksymbol_fields[] = {
	SKIP(U64, 8),
	SKIP(U32, 16),
	SKIP(U16, 20),
	SKIP(U16, 22),
};

static const struct spe_field bpf_event_fields[] = {
	SKIP(U16, 8),
	SKIP(U16, 10),
	SKIP(U32, 12),
};

static const struct spe_field cgroup_fields[] = { SKIP(U64, 8) };
static const struct spe_field text_poke_fields[] = { SKIP(U64, 8), SKIP(U16, 16), SKIP(U16, 18) };
static const struct spe_field hw_id_fields[] = { U64(8, hw_id.hw_id) };
static const struct spe_field tracing_data_fields[] = { SKIP(U32, 8) };

static const struct spe_field build_id_fields[] = {
	U32(8, build_id.pid),
	BUILD_ID(12, build_id.build_id),
	U8(32, build_id.build_id_bytes),
	STRING(36, build_id.filename),
};

static const struct spe_field id_index_fields[] = {
	U64(8, id_index.count),
	HERE(16, id_index.entries),
};

static const struct spe_field auxtrace_info_fields[] = {
	U32(8, auxtrace_info.type),
	SKIP(U32, 12),
	HERE(16, auxtrace_info.priv),
};

static const struct spe_field auxtrace_fields[] = {
	U64(8, auxtrace.size), U64(16, auxtrace.offset), U64(24, auxtrace.reference),
	U32(32, auxtrace.idx), U32(36, auxtrace.tid),    U32(40, auxtrace.cpu),
	SKIP(U32, 44),
};

static const struct spe_field auxtrace_error_fields[] = {
	SKIP(U32, 8),  SKIP(U32, 12), SKIP(U32, 16), SKIP(U32, 20),
	SKIP(U32, 24), SKIP(U32, 28), SKIP(U64, 32),
};

static const struct spe_field thread_map_fields[] = {
	U64(8, thread_map.count),
	HERE(16, thread_map.entries),
};

static const struct spe_field event_update_fields[] = { SKIP(U64, 8), SKIP(U64, 16) };

static const struct spe_field time_conv_fields[] = {
	SKIP(U64, 8), SKIP(U64, 16), SKIP(U64, 24), SKIP(U64, 32), SKIP(U64, 40),
};

static const struct spe_field header_feature_fields[] = { SKIP(U64, 8) };
static const struct spe_field compressed2_fields[] = { SKIP(U64, 8) };

#define SHAPE(fields_, min, at, tail_)                                                             \
	{                                                                                          \
		.fields = fields_, .field_count = sizeof(fields_) / sizeof((fields_)[0]),          \
		.min_bytes = min, .tail_at = at, .tail = SPE_TAIL_##tail_                          \
	}
#define BARE(min, tail_)                                                                           \
	{                                                                                          \
		.min_bytes = min, .tail_at = 8, .tail = SPE_TAIL_##tail_                           \
	}

static const struct spe_shape mmap2_build_id = SHAPE(mmap2_build_id_fields, 72, 72, BYTES);
static const struct spe_shape unknown = BARE(0, BYTES);

static const struct spe_shape shapes[SPE_PERF_RECORD_MAX] = {
	[SPE_PERF_MMAP] = SHAPE(mmap_fields, 40, 40, BYTES),
	[SPE_PERF_LOST] = SHAPE(lost_fields, 24, 24, BYTES),
	[SPE_PERF_COMM] = SHAPE(comm_fields, 16, 16, BYTES),
	[SPE_PERF_EXIT] = SHAPE(task_fields, 32, 32, BYTES),
	[SPE_PERF_THROTTLE] = SHAPE(throttle_fields, 32, 32, BYTES),
	[SPE_PERF_UNTHROTTLE] = SHAPE(throttle_fields, 32, 32, BYTES),
	[SPE_PERF_FORK] = SHAPE(task_fields, 32, 32, BYTES),
	[SPE_PERF_READ] = SHAPE(read_fields, 16, 16, WORDS64),
	[SPE_PERF_SAMPLE] = BARE(8, BYTES),
	[SPE_PERF_MMAP2] = SHAPE(mmap2_fields, 72, 72, BYTES),
	[SPE_PERF_AUX] = SHAPE(aux_fields, 32, 32, BYTES),
	[SPE_PERF_ITRACE_START] = SHAPE(itrace_start_fields, 16, 16, BYTES),
	[SPE_PERF_LOST_SAMPLES] = SHAPE(lost_samples_fields, 16, 16, BYTES),
	[SPE_PERF_SWITCH] = BARE(8, BYTES),
	[SPE_PERF_SWITCH_CPU_WIDE] = SHAPE(switch_fields, 16, 16, BYTES),
	[SPE_PERF_NAMESPACES] = SHAPE(namespaces_fields, 24, 24, WORDS64),
	[SPE_PERF_KSYMBOL] = SHAPE(ksymbol_fields, 24, 24, BYTES),
	[SPE_PERF_BPF_EVENT] = SHAPE(bpf_event_fields, 24, 16, BYTES),
	[SPE_PERF_CGROUP] = SHAPE(cgroup_fields, 16, 16, BYTES),
	[SPE_PERF_TEXT_POKE] = SHAPE(text_poke_fields, 20, 20, BYTES),
	[SPE_PERF_AUX_OUTPUT_HW_ID] = SHAPE(hw_id_fields, 16, 16, BYTES),
	[SPE_PERF_CALLCHAIN_DEFERRED] = BARE(24, WORDS64),
	[SPE_PERF_HEADER_ATTR] = BARE(8 + SPE_ATTR_SIZE_MIN, SPECIAL),
	[SPE_PERF_HEADER_EVENT_TYPE] = BARE(8, BYTES),
	[SPE_PERF_TRACING_DATA] = SHAPE(tracing_data_fields, 12, 12, BYTES),
	[SPE_PERF_BUILD_ID] = SHAPE(build_id_fields, 36, 36, BYTES),
	[SPE_PERF_FINISHED_ROUND] = BARE(8, BYTES),
	[SPE_PERF_ID_INDEX] = SHAPE(id_index_fields, 16, 16, WORDS64),
	[SPE_PERF_AUXTRACE_INFO] = SHAPE(auxtrace_info_fields, 16, 16, WORDS64),
	[SPE_PERF_AUXTRACE] = SHAPE(auxtrace_fields, SPE_AUXTRACE_HEADER_BYTES, 48, BYTES),
	[SPE_PERF_AUXTRACE_ERROR] = SHAPE(auxtrace_error_fields, 40, 40, SPECIAL),
	[SPE_PERF_THREAD_MAP] = SHAPE(thread_map_fields, 16, 16, THREADS),
	[SPE_PERF_CPU_MAP] = BARE(10, SPECIAL),
	[SPE_PERF_STAT_CONFIG] = BARE(16, WORDS64),
	[SPE_PERF_STAT] = BARE(48, SPECIAL),
	[SPE_PERF_STAT_ROUND] = BARE(24, WORDS64),
	[SPE_PERF_EVENT_UPDATE] = SHAPE(event_update_fields, 24, 24, SPECIAL),
	[SPE_PERF_TIME_CONV] = SHAPE(time_conv_fields, 32, 48, BYTES),
	[SPE_PERF_HEADER_FEATURE] = SHAPE(header_feature_fields, 16, 16, BYTES),
	[SPE_PERF_COMPRESSED] = BARE(8, BYTES),
	[SPE_PERF_FINISHED_INIT] = BARE(8, BYTES),
	[SPE_PERF_COMPRESSED2] = SHAPE(compressed2_fields, 16, 16, BYTES),
};

const struct spe_shape *spe_shape_of(uint32_t type, uint16_t misc)
{
	if (type >= SPE_PERF_RECORD_MAX || !shapes[type].min_bytes)
		return &unknown;
	if (type == SPE_PERF_MMAP2 && (misc & SPE_MISC_MMAP_BUILD_ID))
		return &mmap2_build_id;
	return &shapes[type];
}
