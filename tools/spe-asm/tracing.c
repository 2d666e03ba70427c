/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Feature TRACING_DATA: what /sys/kernel/tracing says about the one tracepoint
 * these files have, in the layout trace-cmd and perf share (version 0.6).
 */
#include <string.h>

#include "recording-private.h"

#define TRACING_PAGE_BYTES 4096u
#define TRACING_LONG_BYTES 8

static const uint8_t magic[] = { 23, 8, 68 };

static const char header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

static const char header_event[] = "# compressed entry header\n"
				   "\ttype_len    :    5 bits\n"
				   "\ttime_delta  :   27 bits\n"
				   "\tarray       :   32 bits\n";

#define FIELD(type, offset, size, is_signed)                                                       \
	"\tfield:" type ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #is_signed ";\n"

/* clang-format off */
static const char event_format[] =
	"format:\n"
	FIELD("unsigned short common_type", 0, 2, 0)
	FIELD("unsigned char common_flags", 2, 1, 0)
	FIELD("unsigned char common_preempt_count", 3, 1, 0)
	FIELD("int common_pid", 4, 4, 1)
	"\n"
	FIELD("char prev_comm[16]", 8, 16, 0)
	FIELD("pid_t prev_pid", 24, 4, 1)
	FIELD("int prev_prio", 28, 4, 1)
	FIELD("long prev_state", 32, 8, 1)
	FIELD("char next_comm[16]", 40, 16, 0)
	FIELD("pid_t next_pid", 56, 4, 1)
	FIELD("int next_prio", 60, 4, 1)
	"\n"
	"print fmt: \"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%ld ==> "
	"next_comm=%s next_pid=%d next_prio=%d\", REC->prev_comm, REC->prev_pid, REC->prev_prio, "
	"REC->prev_state, REC->next_comm, REC->next_pid, REC->next_prio\n";
/* clang-format on */

/* Numbers stand in the file's byte order, which the blob says for itself. */
static void put32(struct buffer *out, bool big, uint32_t v)
{
	buffer_u32(out, big ? __builtin_bswap32(v) : v);
}

static void put64(struct buffer *out, bool big, uint64_t v)
{
	buffer_u64(out, big ? __builtin_bswap64(v) : v);
}

/* A file: u64 size, then what it says. */
static void put_file(struct buffer *out, bool big, const char *text, size_t n)
{
	put64(out, big, n);
	buffer_put(out, text, n);
}

void tracing_data(struct buffer *out, bool big)
{
	struct buffer format = { 0 };

	buffer_put(out, magic, sizeof(magic));
	buffer_put(out, "tracing", strlen("tracing"));
	buffer_string(out, "0.6");
	buffer_u8(out, big);
	buffer_u8(out, TRACING_LONG_BYTES);
	put32(out, big, TRACING_PAGE_BYTES);
	buffer_string(out, "header_page");
	put_file(out, big, header_page, strlen(header_page));
	buffer_string(out, "header_event");
	put_file(out, big, header_event, strlen(header_event));
	put32(out, big, 0); /* ftrace's own events */
	put32(out, big, 1); /* systems */
	buffer_string(out, "sched");
	put32(out, big, 1); /* events of it */
	buffer_printf(&format, "name: sched_switch\nID: %u\n%s", TRACING_SCHED_SWITCH_ID,
		      event_format);
	put_file(out, big, (const char *)format.bytes, format.n);
	put32(out, big, 0); /* kallsyms */
	put32(out, big, 0); /* printk formats */
	put64(out, big, 0); /* saved command lines */
	buffer_free(&format);
}
