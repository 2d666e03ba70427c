/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfdata: perf.data in and out.  Knows nothing of SPE.
 *
 * Facts: the kernel's include/uapi/linux/perf_event.h and perf's
 * tools/perf/Documentation/perf.data-file-format.txt (the code wins where they
 * differ); record layouts from libperf's perf/event.h.
 */
#ifndef PERF_ARM_SPE_PERFDATA_H
#define PERF_ARM_SPE_PERFDATA_H

#include <perf-arm-spe/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Record types (PERF_RECORD_*); those past libperf 6.1's list are named here too. */
enum spe_perf_record {
	SPE_PERF_MMAP = 1,
	SPE_PERF_LOST = 2,
	SPE_PERF_COMM = 3,
	SPE_PERF_EXIT = 4,
	SPE_PERF_THROTTLE = 5,
	SPE_PERF_UNTHROTTLE = 6,
	SPE_PERF_FORK = 7,
	SPE_PERF_READ = 8,
	SPE_PERF_SAMPLE = 9,
	SPE_PERF_MMAP2 = 10,
	SPE_PERF_AUX = 11,
	SPE_PERF_ITRACE_START = 12,
	SPE_PERF_LOST_SAMPLES = 13,
	SPE_PERF_SWITCH = 14,
	SPE_PERF_SWITCH_CPU_WIDE = 15,
	SPE_PERF_NAMESPACES = 16,
	SPE_PERF_KSYMBOL = 17,
	SPE_PERF_BPF_EVENT = 18,
	SPE_PERF_CGROUP = 19,
	SPE_PERF_TEXT_POKE = 20,
	SPE_PERF_AUX_OUTPUT_HW_ID = 21,
	SPE_PERF_CALLCHAIN_DEFERRED = 22,
	SPE_PERF_HEADER_ATTR = 64,
	SPE_PERF_HEADER_EVENT_TYPE = 65,
	SPE_PERF_TRACING_DATA = 66,
	SPE_PERF_BUILD_ID = 67,
	SPE_PERF_FINISHED_ROUND = 68,
	SPE_PERF_ID_INDEX = 69,
	SPE_PERF_AUXTRACE_INFO = 70,
	SPE_PERF_AUXTRACE = 71,
	SPE_PERF_AUXTRACE_ERROR = 72,
	SPE_PERF_THREAD_MAP = 73,
	SPE_PERF_CPU_MAP = 74,
	SPE_PERF_STAT_CONFIG = 75,
	SPE_PERF_STAT = 76,
	SPE_PERF_STAT_ROUND = 77,
	SPE_PERF_EVENT_UPDATE = 78,
	SPE_PERF_TIME_CONV = 79,
	SPE_PERF_HEADER_FEATURE = 80,
	SPE_PERF_COMPRESSED = 81,
	SPE_PERF_FINISHED_INIT = 82,
	SPE_PERF_COMPRESSED2 = 83,
	SPE_PERF_RECORD_MAX = 96, /**< types at or above this are counted together */
};

/** perf's name of a record type ("MMAP2"), as its --stats prints it; NULL when it has none. */
SPE_API const char *spe_perf_record_name(uint32_t type);

/** perf's auxtrace types (AUXTRACE_INFO.type). */
enum spe_auxtrace_type {
	SPE_AUXTRACE_INTEL_PT = 1,
	SPE_AUXTRACE_INTEL_BTS = 2,
	SPE_AUXTRACE_CS_ETM = 3,
	SPE_AUXTRACE_ARM_SPE = 4,
};

/** Feature bits of the file header (HEADER_*). */
enum spe_perf_feature {
	SPE_FEAT_TRACING_DATA = 1,
	SPE_FEAT_BUILD_ID = 2,
	SPE_FEAT_HOSTNAME = 3,
	SPE_FEAT_OSRELEASE = 4,
	SPE_FEAT_VERSION = 5,
	SPE_FEAT_ARCH = 6,
	SPE_FEAT_NRCPUS = 7,
	SPE_FEAT_CPUDESC = 8,
	SPE_FEAT_CPUID = 9,
	SPE_FEAT_TOTAL_MEM = 10,
	SPE_FEAT_CMDLINE = 11,
	SPE_FEAT_EVENT_DESC = 12,
	SPE_FEAT_CPU_TOPOLOGY = 13,
	SPE_FEAT_NUMA_TOPOLOGY = 14,
	SPE_FEAT_BRANCH_STACK = 15,
	SPE_FEAT_PMU_MAPPINGS = 16,
	SPE_FEAT_GROUP_DESC = 17,
	SPE_FEAT_AUXTRACE = 18,
	SPE_FEAT_STAT = 19,
	SPE_FEAT_CACHE = 20,
	SPE_FEAT_SAMPLE_TIME = 21,
	SPE_FEAT_MEM_TOPOLOGY = 22,
	SPE_FEAT_CLOCKID = 23,
	SPE_FEAT_DIR_FORMAT = 24,
	SPE_FEAT_COMPRESSED = 27,
	SPE_FEAT_CLOCK_DATA = 29,
	SPE_FEAT_MAX = 256,
};

/** sample_type bits (PERF_SAMPLE_*). */
enum spe_sample_bit {
	SPE_SAMPLE_IP = 1u << 0,
	SPE_SAMPLE_TID = 1u << 1,
	SPE_SAMPLE_TIME = 1u << 2,
	SPE_SAMPLE_ADDR = 1u << 3,
	SPE_SAMPLE_READ = 1u << 4,
	SPE_SAMPLE_CALLCHAIN = 1u << 5,
	SPE_SAMPLE_ID = 1u << 6,
	SPE_SAMPLE_CPU = 1u << 7,
	SPE_SAMPLE_PERIOD = 1u << 8,
	SPE_SAMPLE_STREAM_ID = 1u << 9,
	SPE_SAMPLE_RAW = 1u << 10,
	SPE_SAMPLE_BRANCH_STACK = 1u << 11,
	SPE_SAMPLE_WEIGHT = 1u << 14,
	SPE_SAMPLE_DATA_SRC = 1u << 15,
	SPE_SAMPLE_IDENTIFIER = 1u << 16,
	SPE_SAMPLE_PHYS_ADDR = 1u << 19,
	SPE_SAMPLE_WEIGHT_STRUCT = 1u << 24,
};

/** misc bits of a record header. */
enum spe_perf_misc {
	SPE_MISC_CPUMODE_MASK = 7,
	SPE_MISC_KERNEL = 1,
	SPE_MISC_USER = 2,
	SPE_MISC_HYPERVISOR = 3,
	SPE_MISC_GUEST_KERNEL = 4,
	SPE_MISC_GUEST_USER = 5,
	SPE_MISC_COMM_EXEC = 1 << 13,
	SPE_MISC_SWITCH_OUT = 1 << 13,
	SPE_MISC_MMAP_DATA = 1 << 13,
	SPE_MISC_SWITCH_OUT_PREEMPT = 1 << 14,
	SPE_MISC_MMAP_BUILD_ID = 1 << 14,
	SPE_MISC_BUILD_ID_SIZE = 1 << 15,
};

/** One event attribute (perf_event_attr), host byte order, absent tail zero. */
struct spe_perf_attr {
	uint32_t type;
	uint32_t attr_size; /**< as the file has it */
	uint64_t config, config1, config2, config3, config4;
	uint64_t sample_period;
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t flags; /**< the bit field at offset 40, bit 0 = disabled */
	uint64_t branch_sample_type;
	int32_t clockid;  /**< meaningful with SPE_ATTR_USE_CLOCKID */
	const char *name; /**< from EVENT_DESC, EVENT_UPDATE or PMU_MAPPINGS; "" when not known */
	const uint64_t *ids;
	size_t id_count;
	const uint8_t *raw; /**< the attr as it stands in the file, host byte order */
	size_t raw_bytes;
};

/** Flag bits of an attr (offset 40). */
enum spe_attr_flag {
	SPE_ATTR_EXCLUDE_USER = 4,
	SPE_ATTR_EXCLUDE_KERNEL = 5,
	SPE_ATTR_MMAP = 8,
	SPE_ATTR_COMM = 9,
	SPE_ATTR_FREQ = 10,
	SPE_ATTR_TASK = 13,
	SPE_ATTR_SAMPLE_ID_ALL = 18,
	SPE_ATTR_EXCLUDE_HOST = 19,
	SPE_ATTR_EXCLUDE_GUEST = 20,
	SPE_ATTR_USE_CLOCKID = 25,
	SPE_ATTR_CONTEXT_SWITCH = 26,
	SPE_ATTR_NAMESPACES = 28,
};

/** Identity of a record: the trailer of non-SAMPLE records, or a SAMPLE's own words. */
struct spe_perf_id {
	uint32_t present; /**< SPE_SAMPLE_TID, _TIME, _CPU, _ID, _STREAM_ID */
	int32_t pid, tid;
	uint64_t time_ns;
	uint64_t id, stream_id;
	uint32_t cpu;
};

/**
 * Time conversion (TIME_CONV record; the mmap page's time_* fields).
 * With mult 0 there is none, and nothing is ever divided by it.
 */
struct spe_time_conv {
	bool present;   /**< there is one, and its numbers can be used: shift < 64, mult not 0 */
	bool cap_short; /**< cycles and mask hold: the counter is short */
	uint16_t shift;
	uint32_t mult;
	uint64_t zero, cycles, mask;
};

/** One record, decoded to host byte order. */
struct spe_perf_event {
	uint32_t type; /**< enum spe_perf_record */
	uint16_t misc;
	uint32_t size;         /**< of the record, header included, AUXTRACE payload not; over
				    65535 only for simpleperf's own types */
	uint32_t file_index;   /**< 0, or n + 1 for data.n of a directory */
	uint64_t file_offset;  /**< where the record stands in that file; of the COMPRESSED record
				    it came out of, if compressed */
	uint64_t sequence;     /**< 0, 1, 2 ... in reading order */
	int32_t attr_index;    /**< event it belongs to, -1 when not known */
	struct spe_perf_id id; /**< trailer; synthesised records have time 0 */
	const uint8_t
		*raw; /**< the whole record, host byte order, 8-aligned; valid until the next call.
			   Left in the file's order: what is not known (types, HEADER_FEATURE
			   bodies).  NULL: over 65535 bytes and not where it can be pointed at */
	union {
		struct {
			int32_t pid, tid;
			const char *comm;
		} comm; /**< comm is NUL-terminated */
		struct {
			int32_t pid, ppid, tid, ptid;
			uint64_t time_ns;
		} task; /**< FORK, EXIT */
		struct {
			int32_t pid, tid;
			uint64_t addr, len, pgoff;
			uint32_t maj, min;
			uint64_t ino, ino_generation;
			uint8_t build_id[20];
			uint8_t build_id_bytes; /**< 0 when none */
			uint32_t prot, flags;   /**< MMAP2 only */
			const char *filename;
		} mmap; /**< MMAP, MMAP2 */
		struct {
			int32_t next_prev_pid, next_prev_tid;
			bool out, cpu_wide;
		} sw; /**< SWITCH, SWITCH_CPU_WIDE */
		struct {
			uint64_t id, lost;
		} lost; /**< LOST, LOST_SAMPLES (id 0) */
		struct {
			uint64_t time_ns, id, stream_id;
		} throttle;
		struct {
			uint64_t offset, size, flags;
		} aux;
		struct {
			int32_t pid, tid;
		} itrace_start;
		struct {
			int32_t pid, tid;
			uint64_t count;
			const uint64_t *dev_ino;
		} namespaces; /**< pairs; index 3 is pid */
		struct {
			uint64_t size, offset, reference;
			uint32_t idx;
			int32_t tid, cpu; /**< -1 when none */
			const uint8_t
				*data; /**< size bytes; stays valid until the file is closed */
			uint64_t data_bytes;  /**< bytes really there: less than size if the file is
						 cut */
			uint64_t data_offset; /**< in the file, 0 if spooled */
		} auxtrace;
		struct {
			uint32_t type;
			const uint64_t *priv;
			size_t priv_count;
		} auxtrace_info;
		struct {
			size_t count;
			const uint8_t *entries;
		} thread_map; /**< count x {u64 pid, char comm[16]} */
		struct {
			size_t count;
			const uint64_t *entries;
		} id_index; /**< count x {id, mmap index, cpu, tid} */
		struct {
			int32_t pid;
			uint8_t build_id[20];
			uint8_t build_id_bytes; /**< 20 when the record does not say */
			const char *filename;
		} build_id;                     /**< BUILD_ID */
		struct spe_time_conv time_conv; /**< TIME_CONV */
		struct {
			uint64_t hw_id;
		} hw_id;
		struct {
			uint64_t ip, addr, period, weight, data_src, phys_addr;
			const uint8_t *raw_data; /**< PERF_SAMPLE_RAW, NULL when none */
			uint32_t raw_bytes;
		} sample;
	} u;
};

/** AUX record flags (PERF_AUX_FLAG_*). */
enum spe_aux_flag {
	SPE_AUX_TRUNCATED = 1,
	SPE_AUX_OVERWRITE = 2,
	SPE_AUX_PARTIAL = 4,
	SPE_AUX_COLLISION = 8,
};

/** Timer ticks -> perf clock ns. false when there is no conversion. */
SPE_API bool spe_time_from_ticks(const struct spe_time_conv *conv, uint64_t ticks,
				 uint64_t *time_ns);
/** Perf clock ns -> timer ticks. false when there is no conversion. */
SPE_API bool spe_time_to_ticks(const struct spe_time_conv *conv, uint64_t time_ns, uint64_t *ticks);

struct spe_perfdata;

struct spe_perfdata_opts {
	size_t size; /**< sizeof(struct spe_perfdata_opts) */
	struct spe_listener listener;
	const char *tmpdir; /**< for spooling pipes; NULL: $TMPDIR, else /tmp */
};

/**
 * Open a perf.data file, directory or pipe ("-" is standard input).
 * Little- and big-endian files; a pipe is spooled to an unlinked file as it is
 * read.  Caller closes it.
 * Of a directory the file `data' comes first, then data.0, data.1 ... by number.
 * A damaged header section costs what it says, with a warning to the listener.
 * opts may be NULL.  Returns SPE_OK; SPE_IO, SPE_NOT_PERFDATA, SPE_CORRUPT,
 * SPE_UNSUPPORTED, SPE_LIMIT, SPE_NOMEM, SPE_INVALID (opts) with *error filled.
 */
SPE_API SPE_MUST_CHECK int spe_perfdata_open(const char *path, const struct spe_perfdata_opts *opts,
					     struct spe_perfdata **pd, struct spe_error *error);
/** Close; NULL is allowed.  Every pointer got from it dies here. */
SPE_API void spe_perfdata_close(struct spe_perfdata *pd);

/**
 * The next record in file order.  AUXTRACE payloads are mapped.  COMPRESSED records
 * are not given, only what is in them.  A record that does not add up is left out,
 * counted in info.records_skipped.
 * Returns SPE_OK; SPE_END; SPE_CORRUPT (damage: what came before stands,
 * nothing comes after), SPE_IO, SPE_NOMEM, SPE_LIMIT, SPE_UNSUPPORTED (compressed,
 * and no libzstd) with *error filled, the same again until a rewind.
 * A file that somebody shortens while it is read is found out here (SPE_IO), but a
 * payload read later may then raise SIGBUS: a program that minds handles that signal.
 */
SPE_API SPE_MUST_CHECK int spe_perfdata_next(struct spe_perfdata *pd, struct spe_perf_event *event,
					     struct spe_error *error);
/** Start again at the first record (also for a spooled pipe). Returns SPE_OK or SPE_IO. */
SPE_API SPE_MUST_CHECK int spe_perfdata_rewind(struct spe_perfdata *pd);

/** What the header says.  Strings are "" and numbers 0 when the file does not say. */
struct spe_perfdata_info {
	const char *path;
	bool pipe; /**< pipe form (header size 16) */
	bool directory;
	bool big_endian;
	bool compressed;
	bool unfinished; /**< data size 0: the recorder did not finish */
	uint64_t file_bytes;
	uint64_t data_offset, data_bytes;
	uint64_t records_skipped; /**< since the beginning or the last rewind: records that do not
				       add up (too short for their type, counts past their end) */
	const char *hostname, *osrelease, *version, *arch, *cpudesc, *cpuid, *cmdline;
	uint32_t cpus_available, cpus_online;
	uint64_t first_sample_ns, last_sample_ns;
	bool has_clock_data;
	uint32_t clock_data_clockid;
	uint64_t clock_data_wall_ns, clock_data_clock_ns;
	uint64_t sizes_mended;      /**< AUXTRACE records read so far that claimed other records for
					 their trace: taken to end where those begin */
	uint64_t sections_left_out; /**< of the header: outside the file, or damaged */
};
/** The header; in pipe form complete once the first non-header record was read. Never NULL. */
SPE_API const struct spe_perfdata_info *spe_perfdata_info(const struct spe_perfdata *pd);

/** Number of events (attrs) known so far. */
SPE_API size_t spe_perfdata_attr_count(const struct spe_perfdata *pd);
/** Attr i, or NULL when out of range. */
SPE_API const struct spe_perf_attr *spe_perfdata_attr(const struct spe_perfdata *pd, size_t i);

/**
 * Body of a feature section as it stands in the file (byte order of the file).
 * SPE_OK or SPE_NOT_FOUND.  Valid until close.
 */
SPE_API int spe_perfdata_feature(const struct spe_perfdata *pd, unsigned feature,
				 const uint8_t **bytes, size_t *n);

/** Name of the PMU with this type number, or NULL (PMU_MAPPINGS). */
SPE_API const char *spe_perfdata_pmu_name(const struct spe_perfdata *pd, uint32_t type);

/** How many records of a type have been read since the beginning or the last rewind, skipped
 * ones and COMPRESSED ones included (types >= SPE_PERF_RECORD_MAX count under
 * that). */
SPE_API uint64_t spe_perfdata_count(const struct spe_perfdata *pd, uint32_t type);

/* ---- writing ----------------------------------------------------------- */

struct spe_perfdata_writer;

struct spe_perfdata_writer_opts {
	size_t size;
	bool pipe;              /**< pipe form; path "-" implies it */
	bool big_endian;        /**< for tests: write the other byte order */
	uint64_t reserve_bytes; /**< expected size, 0 when not known */
};

/**
 * Begin a perf.data file.  A regular file is written out of sight in the same
 * folder, mode 0600, and takes its name in _finish(); whatever stood there stays
 * until then.  "-" writes pipe form to standard output, and so does a path that
 * is a FIFO or a device.  opts may be NULL.
 * Returns SPE_OK, SPE_IO, SPE_NOMEM, SPE_INVALID (opts) with *error filled.
 */
SPE_API SPE_MUST_CHECK int spe_perfdata_writer_new(const char *path,
						   const struct spe_perfdata_writer_opts *opts,
						   struct spe_perfdata_writer **writer,
						   struct spe_error *error);
/**
 * Add an event before the first record: the fields, in attr->attr_size bytes (64,
 * 72, ... 144; 0: 112, which perf reads since 4.1).  What has no field of its own
 * comes from attr->raw, where that is given.  All attrs of a file get the size of
 * the largest.  The name goes to EVENT_DESC (which is left out unless all have one).
 * SPE_OK, SPE_NOMEM, SPE_LIMIT, SPE_INVALID (size, or a record was written already).
 */
SPE_API SPE_MUST_CHECK int spe_perfdata_writer_attr(struct spe_perfdata_writer *writer,
						    const struct spe_perf_attr *attr);
/**
 * Set a feature section's body (copied), in the file's byte order.  In pipe form
 * before the first record; TRACING_DATA and BUILD_ID go out as records there, and
 * features that stock perf does not take from a pipe are left out.  AUXTRACE and
 * EVENT_DESC need not be set: the writer makes them.
 * SPE_OK, SPE_NOMEM, SPE_LIMIT, SPE_INVALID.
 */
SPE_API SPE_MUST_CHECK int spe_perfdata_writer_feature(struct spe_perfdata_writer *writer,
						       unsigned feature, const uint8_t *bytes,
						       size_t n);
/**
 * Append bytes of the data section: whole records, host byte order, several at
 * a time are welcome.  SPE_OK, SPE_IO (a full disk says so), SPE_CLOSED, SPE_NOMEM,
 * SPE_LIMIT (an attr too big for pipe form), SPE_INVALID (big-endian: not whole records).
 */
SPE_API SPE_MUST_CHECK int spe_perfdata_writer_records(struct spe_perfdata_writer *writer,
						       const uint8_t *bytes, size_t n,
						       struct spe_error *error);
/**
 * Append an AUXTRACE record (48 bytes, host byte order, its size field equal to
 * data_bytes) and its payload; remembered for the AUXTRACE index.
 * SPE_OK, SPE_IO, SPE_CLOSED, SPE_LIMIT, SPE_NOMEM, SPE_INVALID.
 */
SPE_API SPE_MUST_CHECK int spe_perfdata_writer_auxtrace(struct spe_perfdata_writer *writer,
							const uint8_t *record, size_t record_bytes,
							const uint8_t *data, size_t data_bytes,
							struct spe_error *error);
/** Finish: features, header, name.  The writer is freed either way.
 * SPE_OK, SPE_IO, SPE_CLOSED, SPE_NOMEM, SPE_LIMIT; then no file is left behind. */
SPE_API SPE_MUST_CHECK int spe_perfdata_writer_finish(struct spe_perfdata_writer *writer,
						      struct spe_error *error);
/** Give up: no file is left behind.  NULL is allowed. */
SPE_API void spe_perfdata_writer_abort(struct spe_perfdata_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
