/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * attribution: who was running when an operation was sampled.
 *
 * A recording is opened in two passes over what does not change afterwards:
 * pass 1 reads the side-band into timelines, pass 1b surveys the trace (which
 * context index, which exception levels, runs of zeros, ids nobody knows).
 * Then every record names its own owner, in any order, on any thread: the
 * answer never depends on batch size, thread count or chunk boundaries.
 * The rules: docs/attribution.md.
 */
#ifndef PERF_ARM_SPE_ATTRIBUTION_H
#define PERF_ARM_SPE_ATTRIBUTION_H

#include <perf-arm-spe/perfdata.h>
#include <perf-arm-spe/record.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How the owner of a sample is known. */
enum spe_evidence {
	SPE_EVIDENCE_NONE,    /**< not known: pid -1, tid -1 */
	SPE_EVIDENCE_CONTEXT, /**< the record's own CONTEXT packet */
	SPE_EVIDENCE_ETM,     /**< the CPU's ETM/ETE trace at that time */
	SPE_EVIDENCE_SWITCH,  /**< PERF_RECORD_SWITCH(_CPU_WIDE) at that time */
	SPE_EVIDENCE_SCHED,   /**< a sched:sched_switch sample at that time */
	SPE_EVIDENCE_THREAD,  /**< the AUX buffer belongs to one thread */
	SPE_EVIDENCE_MAPPED,  /**< context of a foreign pid namespace, through the derived or given
				 id map */
	SPE_EVIDENCE_OUTSIDE, /**< a task outside the recorder's pid namespace: tid of the context,
				 pid -1 */
	SPE_EVIDENCE_KINDS
};

/** Stable name of an evidence, "context", as -F and --sort print it; "?" out of range. Never NULL.
 */
SPE_API const char *spe_evidence_name(unsigned evidence);

/** What kind of code a sample ran in. */
enum spe_guest {
	SPE_GUEST_NO,     /**< host code */
	SPE_GUEST_KERNEL, /**< PC at EL1 on a host whose kernel is at EL2 */
	SPE_GUEST_MAYBE,  /**< PC at EL0 with both contexts on such a host: guest user or host user
			   */
};

/** One attributed sample. */
struct spe_sample {
	struct spe_record record; /**< first: decoders write straight into it */
	uint64_t time_ns;         /**< perf clock; meaningful with has_time */
	int32_t pid;              /**< process, -1 when not known */
	int32_t tid;              /**< thread, -1 when not known */
	uint32_t comm;    /**< name: see spe_recording_comm(); SPE_COMM_NONE when not known */
	int32_t cpu;      /**< -1 when the buffer belongs to a thread and nothing says */
	uint32_t stream;  /**< index of the AUX stream */
	uint32_t process; /**< which of the processes that had this pid: equal numbers, the same
			       process; 0 when not known */
	uint32_t guest_context; /**< CONTEXTIDR_EL1 of a guest; meaningful with has_guest_context */
	uint8_t evidence;       /**< enum spe_evidence */
	uint8_t guest;          /**< enum spe_guest */
	bool has_time;
	bool has_guest_context;
};

#define SPE_COMM_NONE UINT32_MAX

enum spe_host_el { SPE_HOST_EL_UNKNOWN, SPE_HOST_EL1, SPE_HOST_EL2 };

/** Do contexts and side-band number tasks alike? */
enum spe_namespace_state {
	SPE_NS_SAME,    /**< the initial namespace, or nothing speaks against it */
	SPE_NS_FOREIGN, /**< perf ran in a child pid namespace; ids differ */
	SPE_NS_MAPPED,  /**< foreign, and a map (derived or given) translates some ids */
};

/** One AUX stream: the buffers of one CPU, or of one thread. */
struct spe_stream_info {
	int32_t cpu;                    /**< -1 for a per-thread buffer */
	int32_t tid;                    /**< -1 for a per-CPU buffer */
	uint32_t idx;                   /**< AUXTRACE.idx */
	uint64_t midr;                  /**< MIDR_EL1, 0 when not known */
	uint64_t chunks;                /**< AUXTRACE records */
	uint64_t bytes;                 /**< AUX bytes in the file, duplicates taken out */
	uint64_t first_ns, last_ns;     /**< of its records; 0 when no time */
	struct spe_decode_stats decode; /**< counts of the survey: they hold for every run */
	/* survey */
	uint64_t with_el1_context, with_el2_context, with_both_contexts, without_context;
	uint64_t zero_contexts,
		unwritten_zeros; /**< of those with a context: value 0; taken as absent */
	uint64_t at_el[4];
	uint32_t align_bytes;
	/* loss, from AUX records and gaps */
	uint64_t aux_records, truncated, partial, collisions, overwrites;
	uint64_t gaps,
		gap_bytes; /**< AUX bytes the side-band promises and the file does not hold */
	uint64_t loss_first_ns, loss_last_ns; /**< span in which loss was reported; 0 when none */
	uint64_t lost_records,
		lost_events; /**< PERF_RECORD_LOST on this CPU: records, events they count */
};

/** Facts of the whole recording. */
struct spe_recording_facts {
	enum spe_host_el host_el;
	enum spe_namespace_state namespace_state;
	const char *namespace_reason; /**< one sentence; "" when SPE_NS_SAME */
	struct spe_time_conv conv;
	bool has_timestamps; /**< some record has one */
	bool has_time;       /**< ... and they convert to perf clock ns */
	bool other_clock;    /**< -k: the side-band is in another clock */
	bool clock_offset_known;
	int64_t clock_offset_ns; /**< side-band time = perf clock + this, in mid-recording */
	uint64_t clock_slack_ns; /**< how far off that may be anywhere; 0 with one clock */
	bool has_switches, has_sched, has_etm;
	bool per_thread;   /**< some stream belongs to a thread */
	bool snapshots;    /**< overlapping buffers were merged; offsets of records then count whole
			      laps of the ring, which the file's do not */
	bool zero_is_idle; /**< context 0 counts as the idle task where it is not unwritten */
	uint64_t tasks, comms, switches;
	uint64_t side_band_lost; /**< events PERF_RECORD_LOST counts, all CPUs */
	uint64_t other_auxtrace; /**< AUXTRACE records of other kinds, stepped over */
	bool partial; /**< the file is cut or damaged: what is here is what could be read */
	const char *partial_reason; /**< "" when whole */
};

struct spe_recording;

struct spe_recording_opts {
	size_t size; /**< sizeof(struct spe_recording_opts) */
	struct spe_listener listener;
	unsigned threads;     /**< 0: as many as CPUs */
	const char *pid_map;  /**< file of "context-tid pid tid [comm]" lines, or NULL */
	const char *tmpdir;   /**< as spe_perfdata_opts.tmpdir */
	uint32_t decoder;     /**< enum spe_decoder_kind */
	size_t batch_records; /**< for tests; 0: the default */
	uint64_t midr;        /**< force a core model for all CPUs; 0: as the file says */
	bool without_spe;     /**< open a file without SPE trace too: for its tasks and switches */
	bool later;           /**< pass 1 only: spe_recording_finish() makes the rest */
};

/**
 * Open a recording and make its facts: pass 1 and 1b.  Caller closes it.
 * Returns SPE_OK; what spe_perfdata_open() returns; SPE_NO_SPE when the file
 * holds no SPE trace (the error says what it does hold).  A damaged file opens
 * with facts.partial when anything of it can be used.
 */
SPE_API SPE_MUST_CHECK int spe_recording_open(const char *path,
					      const struct spe_recording_opts *opts,
					      struct spe_recording **recording,
					      struct spe_error *error);
/** Close; NULL is allowed. */
SPE_API void spe_recording_close(struct spe_recording *recording);

/**
 * Takes samples while the trace is surveyed, so that it need not be read twice.
 * They are made by what the facts of the trace are likely to be.
 */
struct spe_companion {
	size_t size;   /**< sizeof(struct spe_companion) */
	uint32_t want; /**< as in struct spe_reader_opts */
	bool names;    /**< fill spe_sample.comm */
	void *arg;
	/** Before the first batch: batches come from workers 0 .. workers-1. */
	int (*start)(void *arg, unsigned workers);
	/** Samples of one stream, in stream order; the callee may change them. */
	int (*batch)(void *arg, unsigned worker, struct spe_sample *samples, size_t count);
	/**
	 * May come in the place of batch, for `count` samples that differ in their records and
	 * times alone: *sample is the latest of them, but for its record.  NULL: never.
	 */
	int (*run)(void *arg, unsigned worker, const struct spe_sample *sample, uint64_t count);
};

/**
 * Make pass 1b of a recording that was opened with `later`; does nothing when it is made.
 * Until then there are no pieces, and what the trace itself tells is absent from facts
 * and stream infos.  companion may be NULL.  *kept (may be NULL without a companion): it
 * got every sample, as readers make them.  Otherwise what it got, if anything, is to be
 * thrown away.  SPE_OK, SPE_NOMEM, SPE_INVALID, what a companion's function returned;
 * after a failure the recording can only be closed.
 */
SPE_API SPE_MUST_CHECK int spe_recording_finish(struct spe_recording *recording,
						const struct spe_companion *companion, bool *kept,
						struct spe_error *error);

/** The file beneath. Never NULL. Its event cursor may be rewound and used by one caller. */
SPE_API struct spe_perfdata *spe_recording_perfdata(const struct spe_recording *recording);
/** Facts of the whole. Never NULL. */
SPE_API const struct spe_recording_facts *
spe_recording_facts(const struct spe_recording *recording);
/** Number of AUX streams. */
SPE_API size_t spe_recording_streams(const struct spe_recording *recording);
/** Stream i in order of (cpu, tid, idx); NULL when out of range. */
SPE_API const struct spe_stream_info *spe_recording_stream(const struct spe_recording *recording,
							   size_t i);
/** Index in the attr list of the SPE event stream i belongs to (the first one if the file does not
 * say). */
SPE_API size_t spe_recording_stream_attr(const struct spe_recording *recording, size_t i);
/** A name by its number: "swapper"; ":TID" style is the caller's; NULL for SPE_COMM_NONE. */
SPE_API const char *spe_recording_comm(const struct spe_recording *recording, uint32_t comm);
/** Number of names: comm numbers are below it. */
SPE_API size_t spe_recording_comms(const struct spe_recording *recording);

/** Answer of the task timeline. */
struct spe_task {
	int32_t pid;             /**< -1 when not known */
	uint32_t comm;           /**< SPE_COMM_NONE when not known */
	uint32_t process_comm;   /**< name of the process (its leader) at that time */
	uint64_t from_ns, to_ns; /**< the answer is the same for all times in [from, to) */
	uint32_t process;        /**< as spe_sample.process */
};
/**
 * Who is thread `tid` at time_ns (perf clock)?  without has_time, ids used by
 * two tasks answer only what both agree on.  Thread-safe.  SPE_OK or SPE_NOT_FOUND.
 */
SPE_API int spe_recording_task(const struct spe_recording *recording, int32_t tid, bool has_time,
			       uint64_t time_ns, struct spe_task *task);
/**
 * A time of the perf clock as the clock of the side-band (perf record -k) tells
 * it: the same when there is one clock, or the two are not linked.  Thread-safe.
 */
SPE_API uint64_t spe_recording_side_ns(const struct spe_recording *recording, uint64_t time_ns);
/** Does any side-band task carry this thread id, at any time? Thread-safe. */
SPE_API bool spe_recording_knows_tid(const struct spe_recording *recording, int32_t tid);

/* ---- pass 2: pieces of streams, in any order, on any thread ------------ */

/** A run of records of one stream that can be decoded by itself. */
struct spe_piece {
	uint32_t stream;
	uint64_t first_chunk; /**< private to the recording */
	uint64_t chunk_count;
	uint64_t bytes;
	uint64_t first_ns; /**< time of the earliest record of the piece, 0 when none */
	uint64_t last_ns;  /**< time of the latest */
};
/** Number of pieces; sorted by (stream, AUX offset). */
SPE_API size_t spe_recording_pieces(const struct spe_recording *recording);
/** Piece i, or NULL when out of range. */
SPE_API const struct spe_piece *spe_recording_piece(const struct spe_recording *recording,
						    size_t i);

struct spe_reader;

struct spe_reader_opts {
	size_t size;   /**< sizeof(struct spe_reader_opts) */
	uint32_t want; /**< SPE_HAS_* the caller looks at besides what attribution needs; 0: all */
	bool names;    /**< fill spe_sample.comm */
	/**
	 * Many readers of one thread need much less together: this one shares what it learns
	 * with that one, which is freed after it.  NULL: with none.
	 */
	const struct spe_reader *beside;
};

/**
 * A reader turns pieces into attributed samples; one per thread.
 * SPE_OK, SPE_NOMEM, SPE_INVALID.
 */
SPE_API SPE_MUST_CHECK int spe_reader_new(const struct spe_recording *recording,
					  const struct spe_reader_opts *opts,
					  struct spe_reader **reader);
/** Free; NULL is allowed. */
SPE_API void spe_reader_free(struct spe_reader *reader);
/** Begin with a piece. SPE_OK or SPE_INVALID. */
SPE_API SPE_MUST_CHECK int spe_reader_start(struct spe_reader *reader, size_t piece);
/**
 * The next samples of the piece, at most `room`, in stream order.
 * Returns SPE_OK with *count > 0, or SPE_END.
 */
SPE_API SPE_MUST_CHECK int spe_reader_next(struct spe_reader *reader, struct spe_sample *samples,
					   size_t room, size_t *count);
/** Decode counts of all pieces read so far. Never NULL. */
SPE_API const struct spe_decode_stats *spe_reader_stats(const struct spe_reader *reader);

/* ---- switches, for verify and timeline --------------------------------- */

/** What the switch timeline of a CPU says of a moment. */
struct spe_switch_answer {
	int32_t pid, tid;
	uint8_t evidence; /**< SPE_EVIDENCE_SWITCH, _SCHED, or _NONE */
	bool in_window;   /**< between a switch-out and the next switch-in */
	bool dying; /**< the span ends with a switch-out that has no id for the task any more: it
		       gave the id up somewhere in the span */
	uint64_t from_ns, to_ns; /**< same answer for [from, to) */
};
/** Ask the switch timeline of a CPU. Thread-safe. SPE_OK or SPE_NOT_FOUND. */
SPE_API int spe_recording_switch(const struct spe_recording *recording, int32_t cpu,
				 uint64_t time_ns, struct spe_switch_answer *answer);

/**
 * Which thread (id of the initial namespace) does the CPU's ETM/ETE trace vouch
 * for at this moment?  The answer is the same for [*from_ns, *to_ns), perf clock,
 * also where it is none.  Thread-safe.  SPE_OK or SPE_NOT_FOUND.
 */
SPE_API int spe_recording_etm(const struct spe_recording *recording, int32_t cpu, uint64_t time_ns,
			      int32_t *tid, uint64_t *from_ns, uint64_t *to_ns);

#ifdef __cplusplus
}
#endif
#endif
