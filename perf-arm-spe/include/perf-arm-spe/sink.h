/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sink: what is done with samples.  A sink is an ops struct; the run decodes
 * and attributes pieces on all workers, filters, and hands batches to it.
 */
#ifndef PERF_ARM_SPE_SINK_H
#define PERF_ARM_SPE_SINK_H

#include <perf-arm-spe/attribution.h>
#include <perf-arm-spe/symbols.h>

#ifdef __cplusplus
extern "C" {
#endif

struct spe_run_stats {
	uint64_t samples;                         /**< attributed or not: = decode.records */
	uint64_t filtered;                        /**< of those, taken out by the filter */
	uint64_t by_evidence[SPE_EVIDENCE_KINDS]; /**< before the filter; sums to samples */
	uint64_t unresolved;                      /**< tid known, process not */
	uint64_t guest_samples;
	struct spe_decode_stats decode;
};

/**
 * A sink.  All functions return SPE_OK or a negative status, which stops the run.
 *
 * begin: make the partial of one worker.  batch: samples of one stream, in
 * stream order (ordered sinks: of any stream, in time order, one worker).
 * Samples are the sink's to change until it returns.  merge: fold a
 * partial into the sink and free it; called once per partial in worker order,
 * also after a failure.  end: all partials are in.
 */
struct spe_sink_ops {
	const char *name;
	uint32_t want; /**< SPE_HAS_* it looks at; 0: all */
	bool names;    /**< it looks at spe_sample.comm */
	bool ordered;  /**< batches in time order, from one thread */
	int (*begin)(void *sink, unsigned worker, void **partial);
	int (*batch)(void *sink, void *partial, struct spe_sample *samples, size_t count);
	int (*merge)(void *sink, void *partial);
	int (*end)(void *sink, const struct spe_run_stats *stats);
	/**
	 * May be called in the place of batch, where no filter is, for `count` samples that differ
	 * in their records and times alone; *sample is the latest, but for its record.  NULL:
	 * never.
	 */
	int (*run)(void *sink, void *partial, const struct spe_sample *sample, uint64_t count);
	void (*drop)(void *sink, void *partial); /**< free a partial without folding it in: the
						    sink can be run anew.  NULL: it cannot */
};

struct spe_filter;

struct spe_run_opts {
	size_t size;                     /**< sizeof(struct spe_run_opts) */
	unsigned threads;                /**< 0: as many as CPUs */
	size_t batch_records;            /**< 0: the default */
	const struct spe_filter *filter; /**< NULL: all samples */
	struct spe_listener listener;
};

/**
 * Run a sink over a recording.  The result does not depend on threads or
 * batch_records.  Samples without a time come, in time order, at the place
 * their stream position gives them; equal times in order of (stream, offset).
 */
SPE_API SPE_MUST_CHECK int spe_sink_run(const struct spe_recording *recording,
					const struct spe_sink_ops *ops, void *sink,
					const struct spe_run_opts *opts,
					struct spe_run_stats *stats, struct spe_error *error);

/**
 * The same over a recording that was opened with `later`, of which this makes the rest
 * (spe_recording_finish()).  A sink that has `drop` takes its samples while the trace is
 * surveyed, so that it is read once; should the survey turn out not as expected, the sink
 * runs anew.  The result is that of spe_sink_run().  On failure also what
 * spe_recording_finish() returns.
 */
SPE_API SPE_MUST_CHECK int spe_sink_run_first(struct spe_recording *recording,
					      const struct spe_sink_ops *ops, void *sink,
					      const struct spe_run_opts *opts,
					      struct spe_run_stats *stats, struct spe_error *error);

/* ---- filters ----------------------------------------------------------- */

/** An empty filter lets all through. Caller frees. */
SPE_API SPE_MUST_CHECK int spe_filter_new(struct spe_filter **filter);
/** Free a filter; NULL is allowed. */
SPE_API void spe_filter_free(struct spe_filter *filter);
/**
 * Add a condition by its option name and argument, as on the command line:
 * "pid" "1,2", "tid", "comm" "a,b", "cpu" "0-3,7", "time" "1.5,2.5" or "10%-20%",
 * "op" "load,store" ("=branch": operations of that name alone), "event" "l1d-refill", "source",
 * "el" "0,2", "min-latency" "100", "evidence" "context,none".  Conditions of different names are
 * and-ed. SPE_OK, SPE_NOMEM, SPE_INVALID with *error saying what is wrong.
 */
SPE_API SPE_MUST_CHECK int spe_filter_add(struct spe_filter *filter, const char *name,
					  const char *argument, struct spe_error *error);
/**
 * Names that a filter takes ("op", "event", "source", "evidence"), one a call: index 0, 1, ...
 * Each goes into value with a terminating 0, cut to room bytes (48 hold all of them); *help gets
 * a static text, empty where the name says it.  Numbers may stand in the place of an event or a
 * source.  SPE_OK, SPE_END after the last, SPE_INVALID for any other filter.
 */
SPE_API int spe_filter_value(const char *filter, unsigned index, char *value, size_t room,
			     const char **help);

/* ---- report ------------------------------------------------------------ */

enum spe_format { SPE_FORMAT_TEXT, SPE_FORMAT_JSON, SPE_FORMAT_CSV };

struct spe_report;

struct spe_report_opts {
	size_t size;
	const char *sort;      /**< keys, "pid,comm": NULL is "pid"; spe_report_key() lists them */
	const char *fields;    /**< columns beside the overhead, "samples,latency", in this
				    order; NULL: the default; spe_report_column() lists them */
	bool show_nr_samples;  /**< -n: the column samples first */
	const char *separator; /**< -t; NULL: aligned columns */
	double percent_limit;  /**< rows below it are not shown, but said */
	const char *weight;    /**< "samples" (default) or "latency": what overhead adds up */
	uint32_t format;       /**< enum spe_format */
	bool no_header;        /**< text and CSV: rows alone */
	bool mem;              /**< loads and stores only; sort and fields for memory by default */
	bool hierarchy;        /**< each sort key a level of a tree, with subtotals */
	const char *group_by;  /**< keys of a level above the sort keys; NULL: none */
	const char *dsos;      /**< only code of these files, "libc.so.6,[kernel.kallsyms]" */
	const char *symbol_names; /**< only code of these functions, "main,memcpy" */
	/** For keys that look addresses up; NULL: the default.  Without such a key no file is
	 * opened.  The recording's event cursor is used up then. */
	const struct spe_symbols_opts *symbols;
};

/** Make a report sink. Caller frees. SPE_OK, SPE_NOMEM, SPE_INVALID (unknown key: named in *error).
 */
SPE_API SPE_MUST_CHECK int spe_report_new(const struct spe_recording *recording,
					  const struct spe_report_opts *opts,
					  struct spe_report **report, struct spe_error *error);
/** Free a report; NULL is allowed. */
SPE_API void spe_report_free(struct spe_report *report);
/** The ops to hand to spe_sink_run() with the report as sink. */
SPE_API const struct spe_sink_ops *spe_report_ops(const struct spe_report *report);
/** Print it after the run: table, then the accounting. SPE_OK, SPE_CLOSED, SPE_IO, SPE_NOMEM.
 */
SPE_API SPE_MUST_CHECK int spe_report_print(const struct spe_report *report,
					    const struct spe_run_stats *stats,
					    const struct spe_out *out);
/** Sort keys one a call: index 0, 1, ... SPE_END after the last. */
SPE_API int spe_report_key(unsigned index, const char **name, const char **help);
/** Columns one a call, as spe_report_key(). */
SPE_API int spe_report_column(unsigned index, const char **name, const char **help);

/* ---- page -------------------------------------------------------------- */

struct spe_html_opts {
	size_t size;                     /**< sizeof(struct spe_html_opts) */
	const struct spe_filter *filter; /**< NULL: all samples */
	const char *selection;           /**< the filter in words, for the page; NULL: none */
	/** Where to look functions and data objects up; NULL: none on the page */
	const struct spe_symbols_opts *symbols;
	unsigned threads;     /**< 0: as many as CPUs */
	size_t batch_records; /**< 0: the default */
	struct spe_listener listener;
};

/**
 * Write the recording as one HTML page that needs nothing else: who ran where
 * over time, latencies, misses, data sources, hot code and data by process.  It holds
 * counts, not samples, and stays small whatever the recording is (which may have
 * been opened with `later`).  Two runs over the trace; the bytes do not depend on threads or
 * batch_records. A regular file appears under its name (mode 0600) when it is complete; path
 * "-" is standard output.
 * SPE_OK; SPE_UNSUPPORTED (the library was built without Chart.js), SPE_INVALID
 * (output is the input), SPE_NOMEM, SPE_LIMIT, SPE_IO, SPE_CLOSED with *error filled.
 */
SPE_API SPE_MUST_CHECK int spe_html_write(struct spe_recording *recording, const char *path,
					  const struct spe_html_opts *opts,
					  struct spe_run_stats *stats, struct spe_error *error);

/* ---- script ------------------------------------------------------------ */

struct spe_script;

struct spe_script_opts {
	size_t size;        /**< sizeof(struct spe_script_opts) */
	const char *fields; /**< "comm,pid,tid,time,ip"; "+x,-y" change the default; NULL: that */
	const char *itrace; /**< perf's letters; "": perf's default set; NULL: one line a record */
	bool ns;            /**< text: nine digits of the second instead of six */
	bool unordered;     /**< in no order of time.  A period above 1 is ordered all the same */
	uint32_t format;    /**< enum spe_format: perf's columns, an object a line, or CSV */
	struct spe_out out; /**< takes whole lines, from one thread at a time */
	/** For fields that look addresses up, which the default has; NULL: the default.  Without
	 * such a field no file is opened.  The recording's event cursor is used up then. */
	const struct spe_symbols_opts *symbols;
};

/**
 * Make a script sink, which writes while the run goes on.  Caller frees.
 * SPE_OK; SPE_NOMEM; SPE_INVALID (an unknown field or letter, named in *error).
 */
SPE_API SPE_MUST_CHECK int spe_script_new(const struct spe_recording *recording,
					  const struct spe_script_opts *opts,
					  struct spe_script **script, struct spe_error *error);
/** Free a script sink; NULL is allowed. */
SPE_API void spe_script_free(struct spe_script *script);
/** The ops to hand to spe_sink_run() with the script as sink. */
SPE_API const struct spe_sink_ops *spe_script_ops(const struct spe_script *script);
/** Field names one a call: index 0, 1, ... SPE_END after the last. */
SPE_API int spe_script_field(unsigned index, const char **name, const char **help);

/* ---- inject ------------------------------------------------------------ */

struct spe_inject_opts {
	size_t size;
	const char *itrace; /**< perf's letters; NULL: perf's default set */
	bool merge_threads; /**< write tid = pid */
	bool weight_struct; /**< PERF_SAMPLE_WEIGHT_STRUCT */
	bool strip;         /**< drop original samples and switch records, as perf inject --strip */
	const struct spe_filter *filter;
	unsigned threads;
	struct spe_listener listener;
};

/**
 * Write the recording again with one SAMPLE per synthesized event, between the
 * original side-band, in time order.  path "-" writes pipe form.
 * SPE_OK; SPE_INVALID (output is the input, bad itrace), SPE_UNSUPPORTED (no
 * time conversion), SPE_IO, SPE_CLOSED with *error filled.
 */
SPE_API SPE_MUST_CHECK int spe_inject(const struct spe_recording *recording, const char *path,
				      const struct spe_inject_opts *opts,
				      struct spe_run_stats *stats, struct spe_error *error);

/* ---- stat, dump, verify ------------------------------------------------ */

/**
 * Print what the recording holds.  stats: of a run over all samples, for the
 * line of owners; NULL leaves it out.  SPE_OK, SPE_INVALID, SPE_NOMEM,
 * SPE_CLOSED, SPE_IO.
 */
SPE_API SPE_MUST_CHECK int spe_stat_print(const struct spe_recording *recording,
					  const struct spe_run_stats *stats, uint32_t format,
					  const struct spe_out *out);

/**
 * The accounting below a report: records, drops with bytes, attributed per
 * evidence, loss per CPU.  full prints the evidence table even when all is context.
 */
SPE_API SPE_MUST_CHECK int spe_accounting_print(const struct spe_recording *recording,
						const struct spe_run_stats *stats, bool full,
						const struct spe_out *out);

struct spe_dump_opts {
	size_t size;   /**< sizeof(struct spe_dump_opts) */
	uint64_t midr; /**< core model, 0: as the file says */
	int32_t cpu;   /**< only this CPU; -1: all */
};
/**
 * Dump the packets of a bare buffer that stands at aux_offset of its stream: place
 * from its beginning, bytes, and the words of spe_packet_describe(), in perf's look;
 * a line tells what became no record.  opts may be NULL.
 * SPE_OK (whatever the bytes are), SPE_NOMEM, SPE_INVALID, or what out returned.
 */
SPE_API SPE_MUST_CHECK int spe_dump_bytes(const uint8_t *bytes, size_t n, uint64_t aux_offset,
					  const struct spe_dump_opts *opts,
					  const struct spe_out *out);
/**
 * Dump all SPE AUXTRACE records of a perf.data in file order, each by itself and
 * under a line that names it.  The event cursor of pd is rewound and used up.
 * SPE_OK; SPE_NO_SPE; SPE_NOT_FOUND (no trace of that CPU); SPE_NOMEM, SPE_INVALID;
 * what spe_perfdata_next() or out returned.  *error says what and where.
 */
SPE_API SPE_MUST_CHECK int spe_dump_perfdata(struct spe_perfdata *pd,
					     const struct spe_dump_opts *opts,
					     const struct spe_out *out, struct spe_error *error);

/* ---- verify -------------------------------------------------------------- */

/** Which of two witnesses that part is to be believed. */
enum spe_verify_belief {
	SPE_BELIEVE_EITHER,   /**< they agree, or there was nothing to compare */
	SPE_BELIEVE_CONTEXTS, /**< the side-band has holes where they part */
	SPE_BELIEVE_SWITCHES, /**< contexts do not change where switches do */
	SPE_BELIEVE_NEITHER,  /**< nothing in the file explains it */
};

/** The comparison of context packets with switch records, in all. */
struct spe_verify_result {
	uint64_t compared, agree, part;
	uint64_t in_window;    /**< between switch-out and switch-in: either answer is right */
	uint64_t no_switch;    /**< a context, and no switch record that covers the moment */
	uint64_t no_context;   /**< no context packet to compare */
	uint64_t untranslated; /**< an id of another pid namespace that nothing translates */
	uint64_t etm_compared, etm_agree; /**< contexts against ETM/ETE trace, where it vouches */
	uint64_t spans;                   /**< stretches in which the two part */
	uint64_t lost_events; /**< side-band events the kernel could not write, all CPUs */
	enum spe_verify_belief belief;
};

struct spe_verify;

/**
 * Make a sink that compares the two witnesses, context packets and switch
 * records, sample by sample, outside the switch windows.  Caller frees.
 * SPE_OK, SPE_NOMEM.
 */
SPE_API SPE_MUST_CHECK int spe_verify_new(const struct spe_recording *recording,
					  struct spe_verify **verify);
/** Free; NULL is allowed. */
SPE_API void spe_verify_free(struct spe_verify *verify);
/** The ops to hand to spe_sink_run() with the verify object as sink. Never NULL. */
SPE_API const struct spe_sink_ops *spe_verify_ops(const struct spe_verify *verify);
/** The totals; meaningful after the run. Never NULL. */
SPE_API const struct spe_verify_result *spe_verify_result(const struct spe_verify *verify);
/**
 * Print agreement per CPU and per process, where they part, what the side-band
 * lost there, and which to believe.  SPE_OK, SPE_NOMEM, SPE_CLOSED, SPE_IO.
 */
SPE_API SPE_MUST_CHECK int spe_verify_print(const struct spe_verify *verify, uint32_t format,
					    const struct spe_out *out);

/* ---- timeline ------------------------------------------------------------ */

struct spe_timeline_opts {
	size_t size;
	const char *source; /**< "spe", "etm", "switch"; NULL: every witness the file has */
	int32_t cpu;        /**< only this CPU; -1: all */
	uint32_t format;    /**< enum spe_format */
	unsigned threads;   /**< 0: as many as CPUs */
	struct spe_listener listener;
};

/**
 * Print who ran when on each CPU, a line a stretch, from every witness: the
 * contexts of SPE records, those of ETM/ETE trace, switch records.  The
 * recording may have been opened without_spe.  SPE_OK, SPE_NOMEM, SPE_CLOSED,
 * SPE_IO; SPE_INVALID (no such source), SPE_NOT_FOUND (the file has no such
 * witness, or nothing of that CPU), SPE_UNSUPPORTED with *error filled.
 */
SPE_API SPE_MUST_CHECK int spe_timeline_print(const struct spe_recording *recording,
					      const struct spe_timeline_opts *opts,
					      const struct spe_out *out, struct spe_error *error);

#ifdef __cplusplus
}
#endif
#endif
