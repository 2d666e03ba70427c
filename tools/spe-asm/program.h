/* SPDX-License-Identifier: GPL-2.0-only */
/* A text being assembled. */
#ifndef SPE_ASM_PROGRAM_H
#define SPE_ASM_PROGRAM_H

#include "recording.h"
#include "truth.h"

/* Which context packets records get when they do not say. */
enum contexts { CONTEXTS_NONE, CONTEXTS_EL1, CONTEXTS_EL2 };

/* Bytes a record is laid out in. */
enum shape { SHAPE_PACKED = 0, SHAPE_NEOVERSE = 1 }; /* else: packed, padded to so many bytes */

/* A row of truth waits until its record's bytes have left for good. */
struct waiting_row {
	struct truth_row row;
	char comm[16]; /* what row.comm shall be */
	uint64_t end;  /* of the record in its stream */
};

/* What one AUX buffer holds that was not written yet, and who runs there. */
struct stream {
	struct buffer bytes;
	uint64_t offset;   /* of bytes[0] in the stream */
	uint64_t aux_from; /* up to here AUX records tell */
	bool has_task;
	struct task task;
	unsigned contexts;
	struct buffer rows; /* struct waiting_row */
};

/* A task whose name was told. */
struct known_task {
	struct task task, parent;
	uint64_t start_ns;
	char comm[16];
};

struct program {
	struct recording_opts opts;
	struct recording *recording; /* NULL: bytes only */
	struct stream *streams;      /* as opts.buffers */
	size_t current;              /* the stream statements speak of */
	uint64_t now_ns;
	unsigned shape;
	struct buffer known; /* struct known_task */
	struct truth *truth;
};

/* A statement: its keyword, and what it does. */
struct statement {
	const char *keyword;
	void (*run)(struct program *p, struct words *words);
};

/* Statements by topic; each list ends with a NULL keyword. */
extern const struct statement setup_statements[];    /* first, wherever they stand */
extern const struct statement sideband_statements[]; /* records of perf.data */
extern const struct statement trace_statements[];    /* AUX data */

/* Look at a statement of the other lists for the CPUs and buffers it speaks of. */
void setup_scan(struct program *p, struct words *words);
/* All set-up statements were run: what they leave open gets its default. */
void setup_finish(struct program *p);

/* Assemble a text: into bytes (out) or, if path is not NULL, into a perf.data file. */
struct assembly {
	const char *name; /* of the text, for messages */
	const char *text;
	size_t n;
	const char *settings; /* what --set said, or NULL */
	const char *path;
	const char *truth_path; /* or NULL */
	struct buffer *out;
	int32_t cpu; /* whose bytes; -1: there is one buffer */
};
void assemble(const struct assembly *a);

/* ---- for statements ------------------------------------------------------- */

/*
 * The time a statement has: its time= if there is one, which is then the time
 * of what follows (but for an explicit 0: made up by perf, this one only).
 */
uint64_t program_time(struct program *p, struct words *words);
/* "1500", "1.5us", "+20us" after `now`. */
uint64_t words_to_time(const struct words *words, const char *text, uint64_t now_ns);
/* Time, CPU (on=), task (as=) and id (id=) of a record; `task` unless it says otherwise. */
struct trailer program_trailer(struct program *p, struct words *words, struct task task);
/* Add a record, unless only bytes are wanted. */
void program_record(struct program *p, uint32_t type, uint16_t misc, const struct buffer *body,
		    const struct trailer *trailer);
/* What is known of a thread; added if nothing is. */
struct known_task *program_task(struct program *p, struct task task);

/* Who runs on a stream: what 'run' said, or the thread whose buffer it is, or nobody. */
struct task stream_task(struct program *p, size_t stream);
/* Position in a stream. */
uint64_t stream_position(const struct stream *s);
/* Write what a stream holds: AUXTRACE, and with `aux` an AUX record before it. */
void stream_write(struct program *p, size_t stream, bool aux, uint64_t flags,
		  const struct trailer *trailer);

/* Rows of truth whose bytes stay. */
void stream_write_truth(struct program *p, struct stream *s);

/* The record statement. */
void record_statement(struct program *p, struct words *words);

#endif
