/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * script, inside: a line is a program of small emit functions, made once from
 * the fields asked for and run for every sample.
 */
#ifndef SPE_SINK_SCRIPT_H
#define SPE_SINK_SCRIPT_H

#include <perf-arm-spe/limits.h>
#include <perf-arm-spe/sink.h>
#include <pthread.h>

#include "format.h"
#include "itrace.h"
#include "lookup.h"
#include "synth.h"

#define SCRIPT_FIELDS_MAX 64u
/* Columns perf gives a name. */
#define SCRIPT_COMM_COLUMNS 16u

struct script_step;
struct script_cache;

/* The source line of a place. */
#define SCRIPT_SRCLINES 512u
struct script_srcline {
	uint64_t address;
	uint32_t dso_id;
	bool set;
	char text[128]; /* "": none */
};

/* What a worker needs to look addresses up. */
struct script_symbols {
	struct spe_lookup lookup;
	struct script_srcline srclines[SCRIPT_SRCLINES];
};

/* What an emit function looks at. */
struct script_line {
	const struct spe_script *script;
	struct script_cache *cache; /* of this worker */
	const struct spe_sample *sample;
	struct script_symbols *symbols; /* of this worker; NULL: no field wants them */
	const struct spe_symbol *code;  /* what is at the sample's PC, with symbols */
	uint64_t midr;                  /* of the core the sample is from */
	unsigned event;                 /* enum spe_synth_event */
};

/* Write at `at` and return the end; nothing written: the sample has no such thing. */
typedef char *(*script_value)(char *at, const struct script_line *line);

/* How a bare value is dressed in JSON and CSV. */
enum script_kind {
	SCRIPT_NUMBER, /* decimal */
	SCRIPT_WORD,   /* text that needs no escape; addresses with 0x too */
	SCRIPT_LIST,   /* such words, with commas between them */
	SCRIPT_READY,  /* the value function dresses itself */
};

/* What a field's text is a function of, besides the script. */
enum script_depends {
	SCRIPT_ON_RECORD, /* anything */
	SCRIPT_ON_OWNER,  /* comm, pid, tid and cpu of the sample */
	SCRIPT_ON_EVENT,  /* which event it is */
};

struct script_field {
	const char *name;
	const char *help;
	uint32_t want;   /* SPE_HAS_* */
	uint8_t kind;    /* enum script_kind */
	uint8_t depends; /* enum script_depends */
	bool names;      /* it looks at the sample's comm */
	bool symbols;    /* it looks at what is at the PC */
	bool standard;   /* shown if -F says nothing */
	uint16_t room;   /* the most a value takes, bytes */
	script_value value;
	script_value column; /* perf's shape in text; NULL: " name=value" */
};

/* In the order in which text shows them: perf's fields, then ours. */
extern const struct script_field spe_script_fields[];
extern const size_t spe_script_field_count;

/* Columns that two fields share, or that take another form. */
char *spe_script_column_pid_tid(char *at, const struct script_line *line);
char *spe_script_column_time_us(char *at, const struct script_line *line);
char *spe_script_column_time_ns(char *at, const struct script_line *line);

/* perf's words for a data_src. Room: SCRIPT_DATA_SRC_ROOM. */
char *spe_script_data_src_text(char *at, uint64_t word);
#define SCRIPT_DATA_SRC_ROOM 128u

struct script_step {
	char *(*emit)(char *at, const struct script_line *line, const struct script_step *step);
	script_value value;
	const char *name;
	uint16_t prefix_bytes;
	uint16_t room;
	uint8_t kind;         /* enum script_kind */
	uint8_t depends;      /* enum script_depends */
	bool is_column;       /* value is perf's column: nothing goes before it */
	char prefix_text[32]; /* `,"total_lat":` */
};

/*
 * Steps that are run together.  What depends on the owner or the event alone
 * is written once, kept, and copied: both repeat for long.
 */
struct script_part {
	char *(*emit)(char *at, const struct script_line *line, const struct script_part *part);
	const struct script_step *steps;
	size_t count;
};

/* Text kept: all SCRIPT_KEPT bytes are copied, `bytes` of them count. */
#define SCRIPT_KEPT 64u
struct script_kept {
	uint32_t bytes;
	char text[SCRIPT_KEPT];
};

/* The last owner of a stream. */
struct script_owner {
	uint32_t stream, comm;
	int32_t pid, tid, cpu;
	struct script_kept kept;
};

#define SCRIPT_OWNERS 256u /* streams beyond these share a place */
struct script_cache {
	struct script_owner owners[SCRIPT_OWNERS];
	uint64_t second_ns; /* where the second begins that kept_second is */
	struct script_kept second;
};

/* A name ready to be written: bytes at offset in names. */
struct script_name {
	uint32_t offset;
	uint32_t bytes;
};

struct spe_script {
	const struct spe_recording *recording;
	struct spe_out out;
	struct spe_sink_ops ops;
	struct spe_itrace itrace;
	uint32_t format; /* enum spe_format */
	bool ns;
	bool wants_symbols;
	struct spe_symbols *symbols; /* NULL: no field wants them */
	bool plain;                  /* one INSTRUCTIONS line a record, nothing to decide */
	unsigned event_columns;      /* width of the event name */
	enum spe_host_el host_el;

	struct script_step steps[SCRIPT_FIELDS_MAX];
	size_t step_count;
	size_t line_room; /* the most a line takes */
	struct script_part parts[SCRIPT_FIELDS_MAX];
	size_t part_count;
	const struct script_part *event_part; /* the one whose text is in events; or NULL */
	struct script_kept events[SPE_SYNTH_EVENTS];

	struct script_name *comms; /* by comm number; NULL when no field shows names */
	size_t comm_count;
	struct script_name idle; /* what thread 0 is called */
	char *names;

	uint64_t *midrs; /* per stream */
	uint32_t *due;   /* per stream: records since the last INSTRUCTIONS event */

	pthread_mutex_t lock; /* around out: unordered workers share it */
	bool header_done;
};

/* Choose the fields and make the program. SPE_OK, SPE_INVALID with *error. */
int spe_script_program(struct spe_script *script, const char *fields, struct spe_error *error);

/* Put the steps together into parts, once everything else of the script is set. */
void spe_script_parts(struct spe_script *script);

/* A cache that knows nothing yet. */
void spe_script_cache_init(struct script_cache *cache);

/* Prepare every name the recording has. SPE_OK, SPE_NOMEM. */
int spe_script_names(struct spe_script *script);

/* script-symbols.c: a worker's. SPE_OK, SPE_NOMEM. */
int spe_script_symbols_new(const struct spe_script *script, struct script_symbols **symbols);
void spe_script_symbols_free(struct script_symbols *symbols);

/* The CSV header line; returns its length, at most SCRIPT_FIELDS_MAX * 32. */
size_t spe_script_header(const struct spe_script *script, char *text);

#endif
