/* SPDX-License-Identifier: GPL-2.0-only */
/* Who owns a sample: every rule of docs/attribution.md, on small recordings made here. */
#include "recording-file.h"

#define S 1000000000ull
#define NS(n) (S + (n))

/* Processes alpha 100/100, beta 200/200 with a thread 201, known before the recording began. */
static struct file *usual(struct file_kind kind)
{
	struct file *f = file_new(kind);

	file_comm(f, 100, 100, "alpha", 0);
	file_comm(f, 200, 200, "beta", 0);
	file_comm(f, 200, 201, "beta-t", 0);
	return f;
}

static const char *comm_of(const struct answers *a, size_t i)
{
	return spe_recording_comm(a->recording, a->samples[i].comm);
}

/*
 * After a LOST record an id that was always a process's own is one still, as long
 * as no thread was ever forked; not so where the side-band breaks off, since what
 * is missing may have forked one.
 */
static int32_t pid_after_lost(bool cut)
{
	struct file *f = file_new((struct file_kind){ 0 });
	struct trace t = { 0 };
	struct answers a;
	int32_t pid;

	file_task(f, SPE_PERF_FORK, 300, 300, 100, 100, NS(1000));
	file_task(f, SPE_PERF_EXIT, 300, 300, 100, 100, NS(50000000));
	file_lost(f, 0, NS(60000000), 7);
	put_sample(&t, EL0_PC, 300, NO_CONTEXT, NS(90000000));
	file_trace(f, 0, &t);
	if (cut) { /* a record's header, and nothing of the 64 bytes it promises */
		file_begin_record(f, SPE_PERF_COMM, 0);
		f->bytes[f->record + 6] = 64;
	}
	a = ask_file(f);
	ck_assert_uint_eq(a.count, 1);
	ck_assert_int_eq(spe_recording_facts(a.recording)->partial, cut);
	ck_assert_int_eq(a.samples[0].tid, 300);
	pid = a.samples[0].pid;
	answers_free(&a);
	file_free(f);
	return pid;
}

START_TEST(habit_ends_where_the_file_does)
{
	ck_assert_int_eq(pid_after_lost(false), 300);
	ck_assert_int_eq(pid_after_lost(true), -1);
}
END_TEST

/* ---- the context ------------------------------------------------------------------- */

START_TEST(context_names_the_thread)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct trace t = { 0 };
	struct answers a;

	put_sample(&t, EL0_PC, 100, NO_CONTEXT, NS(100));
	put_sample(&t, EL0_PC, 201, NO_CONTEXT, NS(200));
	put_sample(&t, EL1_PC, 0, NO_CONTEXT, NS(300));
	put_sample(&t, EL0_PC, 999, NO_CONTEXT, NS(400));
	put_sample(&t, EL0_PC, 200, NO_CONTEXT, NS(500));
	file_trace(f, 0, &t);
	a = ask_file(f);
	ck_assert_uint_eq(a.count, 5);
	expect(&a, 0, 100, 100, CONTEXT);
	expect(&a, 1, 200, 201, CONTEXT);
	expect(&a, 2, 0, 0, CONTEXT);
	expect(&a, 3, -1, 999, CONTEXT);
	expect(&a, 4, 200, 200, CONTEXT);
	ck_assert_str_eq(comm_of(&a, 0), "alpha");
	ck_assert_str_eq(comm_of(&a, 1), "beta-t");
	ck_assert_str_eq(comm_of(&a, 2), "swapper");
	ck_assert_ptr_null(comm_of(&a, 3));
	ck_assert(a.samples[1].has_time);
	ck_assert_uint_eq(a.samples[1].time_ns, NS(200));
	ck_assert_int_eq(a.samples[1].cpu, 0);
	ck_assert_int_eq(spe_recording_facts(a.recording)->host_el, SPE_HOST_EL1);
	answers_free(&a);
	file_free(f);
}
END_TEST

/* On a host at EL2 index 1 owns, whatever the order of the packets; index 0 is a guest's. */
START_TEST(host_at_el2_owns_by_index_1)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct trace t = { 0 };
	struct answers a;

	put_sample(&t, EL2_PC, 200, 100, NS(100));
	put_pc(&t, EL1_PC);
	put_context2(&t, 100);
	put_context1(&t, 200);
	put_op(&t, SPE_OP_OTHER, 0);
	put_timestamp(&t, NS(200));
	put_sample(&t, EL0_PC, 200, 100, NS(300));
	put_sample(&t, EL0_PC, NO_CONTEXT, 201, NS(400));
	put_sample(&t, EL1_PC, 200, NO_CONTEXT, NS(500));
	file_trace(f, 0, &t);
	a = ask_file(f);
	ck_assert_uint_eq(a.count, 5);
	for (size_t i = 0; i < 3; i++) {
		expect(&a, i, 100, 100, CONTEXT);
		ck_assert(a.samples[i].has_guest_context);
		ck_assert_uint_eq(a.samples[i].guest_context, 200);
	}
	ck_assert_int_eq(a.samples[0].guest, SPE_GUEST_NO);
	ck_assert_int_eq(a.samples[1].guest, SPE_GUEST_KERNEL);
	ck_assert_int_eq(a.samples[2].guest, SPE_GUEST_MAYBE);
	expect(&a, 3, 200, 201, CONTEXT);
	ck_assert(!a.samples[3].has_guest_context);
	ck_assert_int_eq(a.samples[3].guest, SPE_GUEST_NO);
	expect(&a, 4, -1, -1, NONE); /* index 0 alone is no owner there */
	ck_assert_int_eq(a.samples[4].guest, SPE_GUEST_KERNEL);
	ck_assert_int_eq(spe_recording_facts(a.recording)->host_el, SPE_HOST_EL2);
	answers_free(&a);
	file_free(f);
}
END_TEST

/* One PC at EL2 anywhere makes index 0 a guest's on every CPU. */
START_TEST(one_el2_pc_speaks_for_the_file)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct trace one = { 0 }, two = { 0 };
	struct answers a;

	put_sample(&one, EL0_PC, 100, NO_CONTEXT, NS(100));
	put_sample(&two, EL2_PC, NO_CONTEXT, NO_CONTEXT, NS(200));
	file_trace(f, 0, &one);
	file_trace(f, 1, &two);
	a = ask_file(f);
	expect(&a, 0, -1, -1, NONE);
	ck_assert_uint_eq(a.samples[0].guest_context, 100);
	answers_free(&a);
	file_free(f);
}
END_TEST

/* ... unless code at EL2 itself carries index 0, and nothing index 1. */
START_TEST(index_0_owns_where_el2_code_carries_it)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct trace t = { 0 };
	struct answers a;

	put_sample(&t, EL0_PC, 100, NO_CONTEXT, NS(100));
	put_sample(&t, EL2_PC, 201, NO_CONTEXT, NS(200));
	file_trace(f, 0, &t);
	a = ask_file(f);
	expect(&a, 0, 100, 100, CONTEXT);
	expect(&a, 1, 200, 201, CONTEXT);
	ck_assert(!a.samples[1].has_guest_context);
	ck_assert_int_eq(spe_recording_facts(a.recording)->host_el, SPE_HOST_EL2);
	answers_free(&a);
	file_free(f);
}
END_TEST

/* A record without a context never has the owner of the one before. */
START_TEST(absence_inherits_nothing)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct trace t = { 0 };
	struct answers a;

	put_sample(&t, EL0_PC, 100, NO_CONTEXT, NS(100));
	put_sample(&t, EL0_PC, NO_CONTEXT, NO_CONTEXT, NS(200));
	put_sample(&t, EL0_PC, 0xffffffff, NO_CONTEXT, NS(300));
	put_sample(&t, EL0_PC, 0x80000064, NO_CONTEXT, NS(400));
	put_sample(&t, EL0_PC, 100, NO_CONTEXT, NS(500));
	file_trace(f, 0, &t);
	file_aux(f, 0, NS(600), 0, t.n, 0); /* its trailer says 9/9 */
	a = ask_file(f);
	expect(&a, 0, 100, 100, CONTEXT);
	expect(&a, 1, -1, -1, NONE);
	expect(&a, 2, -1, -1, NONE);
	expect(&a, 3, -1, -1, NONE); /* no thread id is negative */
	expect(&a, 4, 100, 100, CONTEXT);
	answers_free(&a);
	file_free(f);
}
END_TEST

/* Ids are reused: time decides. */
START_TEST(time_decides_between_namesakes)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct trace t = { 0 };
	struct answers a;

	file_task(f, SPE_PERF_FORK, 100, 301, 100, 100, NS(1000000));
	file_task(f, SPE_PERF_EXIT, 100, 301, 100, 100, NS(2000000));
	file_task(f, SPE_PERF_FORK, 301, 301, 200, 200, NS(9000000));
	put_sample(&t, EL0_PC, 301, NO_CONTEXT, NS(1500000));
	put_sample(&t, EL0_PC, 301, NO_CONTEXT, NS(9500000));
	file_trace(f, 0, &t);
	a = ask_file(f);
	expect(&a, 0, 100, 301, CONTEXT);
	expect(&a, 1, 301, 301, CONTEXT);
	answers_free(&a);
	file_free(f);
}
END_TEST

/* A thread that execs takes its leader's id, but the register keeps the old one. */
START_TEST(exec_by_another_thread_means_the_leader)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct trace t = { 0 };
	struct answers a;

	file_switch(f, 0, NS(100), 100, 100, 200, 201);
	file_exec(f, 200, "new", NS(1000));
	file_switch(f, 0, NS(9000), 200, 200, 100, 100);
	put_sample(&t, EL0_PC, 201, NO_CONTEXT, NS(500));
	put_sample(&t, EL0_PC, 201, NO_CONTEXT, NS(1500));
	put_sample(&t, EL0_PC, NO_CONTEXT, NO_CONTEXT, NS(600));
	put_sample(&t, EL0_PC, NO_CONTEXT, NO_CONTEXT, NS(1600));
	file_trace(f, 0, &t);
	a = ask_file(f);
	expect(&a, 0, 200, 201, CONTEXT);
	expect(&a, 1, 200, 200, CONTEXT);
	expect(&a, 2, 200, 201, SWITCH);
	expect(&a, 3, 200, 200, SWITCH);
	ck_assert_str_eq(comm_of(&a, 1), "new");
	answers_free(&a);
	file_free(f);
}
END_TEST

/* ---- zeros ------------------------------------------------------------------------------ */

/* Idle never runs at EL0: a run of zeros with such a record is of nobody, the next run of idle. */
START_TEST(zeros_at_el0_were_never_written)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct trace t = { 0 };
	struct answers a;

	put_sample(&t, EL1_PC, 0, NO_CONTEXT, NS(100));
	put_sample(&t, EL0_PC, 0, NO_CONTEXT, NS(200));
	put_sample(&t, EL1_PC, NO_CONTEXT, NO_CONTEXT, NS(250)); /* breaks no run */
	put_sample(&t, EL1_PC, 0, NO_CONTEXT, NS(300));
	put_sample(&t, EL1_PC, 100, NO_CONTEXT, NS(400));
	put_sample(&t, EL1_PC, 0, NO_CONTEXT, NS(500));
	file_trace(f, 0, &t);
	a = ask_file(f);
	expect(&a, 0, -1, -1, NONE);
	expect(&a, 1, -1, -1, NONE);
	expect(&a, 3, -1, -1, NONE);
	expect(&a, 4, 100, 100, CONTEXT);
	expect(&a, 5, 0, 0, CONTEXT);
	ck_assert_uint_eq(spe_recording_stream(a.recording, 0)->zero_contexts, 4);
	ck_assert_uint_eq(spe_recording_stream(a.recording, 0)->unwritten_zeros, 3);
	answers_free(&a);
	file_free(f);
}
END_TEST

/* Nothing but zeros, and nobody to bear them out: absent. */
START_TEST(zeros_alone_prove_nothing)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct trace t = { 0 };
	struct answers a;

	put_sample(&t, EL1_PC, 0, NO_CONTEXT, NS(100));
	put_sample(&t, EL1_PC, 0, NO_CONTEXT, NS(200));
	file_trace(f, 0, &t);
	a = ask_file(f);
	expect(&a, 0, -1, -1, NONE);
	ck_assert(!spe_recording_facts(a.recording)->zero_is_idle);
	answers_free(&a);
	file_free(f);
}
END_TEST

START_TEST(zeros_that_switches_bear_out_are_idle)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct trace t = { 0 };
	struct answers a;

	file_switch(f, 0, NS(50), 100, 100, 0, 0);
	file_switch(f, 0, NS(1000), 0, 0, 100, 100);
	put_sample(&t, EL1_PC, 0, NO_CONTEXT, NS(100));
	put_sample(&t, EL1_PC, 0, NO_CONTEXT, NS(200));
	file_trace(f, 0, &t);
	a = ask_file(f);
	expect(&a, 0, 0, 0, CONTEXT);
	expect(&a, 1, 0, 0, CONTEXT);
	answers_free(&a);
	file_free(f);
}
END_TEST

/* The register is never written, the switches know better. */
START_TEST(zeros_that_switches_deny_are_absent)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct trace t = { 0 };
	struct answers a;

	file_switch(f, 0, NS(50), 0, 0, 100, 100);
	file_switch(f, 0, NS(1000), 100, 100, 200, 201);
	put_sample(&t, EL1_PC, 0, NO_CONTEXT, NS(100));
	put_sample(&t, EL1_PC, 0, NO_CONTEXT, NS(2000));
	file_trace(f, 0, &t);
	a = ask_file(f);
	expect(&a, 0, 100, 100, SWITCH);
	expect(&a, 1, 200, 201, SWITCH);
	answers_free(&a);
	file_free(f);
}
END_TEST

/* ---- the other rungs ------------------------------------------------------------------------ */

/* One CPU with contexts must not silence the switches of another. */
START_TEST(switches_where_contexts_are_absent)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct trace one = { 0 }, two = { 0 };
	struct answers a;

	file_switch(f, 1, NS(100), 100, 100, 200, 201);
	file_switch(f, 1, NS(1000), 200, 201, 0, 0);
	file_switch(f, 1, NS(1550), 0, 0, 200, 200);
	put_sample(&one, EL0_PC, 100, NO_CONTEXT, NS(500));
	put_sample(&two, EL0_PC, NO_CONTEXT, NO_CONTEXT, NS(50)); /* before the first */
	put_sample(&two, EL0_PC, NO_CONTEXT, NO_CONTEXT, NS(500));
	put_sample(&two, EL1_PC, NO_CONTEXT, NO_CONTEXT, NS(1005)); /* between out and in */
	put_sample(&two, EL1_PC, NO_CONTEXT, NO_CONTEXT, NS(1500));
	put_sample(&two, EL0_PC, 200, NO_CONTEXT, NS(1600)); /* contexts start in mid-recording */
	file_trace(f, 0, &one);
	file_trace(f, 1, &two);
	a = ask_file(f);
	expect(&a, 0, 100, 100, CONTEXT);
	expect(&a, 1, 100, 100, SWITCH);
	expect(&a, 2, 200, 201, SWITCH);
	expect(&a, 3, -1, -1, NONE);
	expect(&a, 4, 0, 0, SWITCH);
	expect(&a, 5, 200, 200, CONTEXT);
	ck_assert_str_eq(comm_of(&a, 2), "beta-t");
	answers_free(&a);
	file_free(f);
}
END_TEST

/* What was lost is not told by what was not. */
START_TEST(switches_are_not_trusted_across_lost)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct trace t = { 0 };
	struct answers a;

	file_switch(f, 0, NS(100), 100, 100, 200, 201);
	file_lost(f, 0, NS(5000), 7);
	file_switch(f, 0, NS(9000), 100, 100, 200, 200);
	put_sample(&t, EL0_PC, NO_CONTEXT, NO_CONTEXT, NS(50));
	put_sample(&t, EL0_PC, NO_CONTEXT, NO_CONTEXT, NS(3000));
	put_sample(&t, EL0_PC, NO_CONTEXT, NO_CONTEXT, NS(7000));
	put_sample(&t, EL0_PC, NO_CONTEXT, NO_CONTEXT, NS(9500));
	file_trace(f, 0, &t);
	a = ask_file(f);
	expect(&a, 0, 100, 100, SWITCH);
	expect(&a, 1, -1, -1, NONE);
	expect(&a, 2, -1, -1, NONE);
	expect(&a, 3, 200, 200, SWITCH);
	ck_assert_uint_eq(spe_recording_stream(a.recording, 0)->lost_events, 7);
	ck_assert_uint_eq(spe_recording_stream(a.recording, 0)->loss_first_ns, NS(5000));
	answers_free(&a);
	file_free(f);
}
END_TEST

/* A killed recorder: trace may be younger than the last of that CPU's side-band. */
START_TEST(switches_end_where_the_recorder_was_killed)
{
	for (int unfinished = 0; unfinished < 2; unfinished++) {
		struct file *f = usual((struct file_kind){ .unfinished = unfinished });
		struct trace t = { 0 };
		struct answers a;

		file_switch(f, 0, NS(100), 100, 100, 200, 201);
		file_comm(f, 200, 201, "beta-t", NS(1000)); /* CPU 0's last record */
		put_sample(&t, EL0_PC, NO_CONTEXT, NO_CONTEXT, NS(500));
		put_sample(&t, EL0_PC, NO_CONTEXT, NO_CONTEXT, NS(5000));
		file_trace(f, 0, &t);
		a = ask_file(f);
		ck_assert_int_eq(spe_recording_facts(a.recording)->partial, unfinished);
		expect(&a, 0, 200, 201, SWITCH);
		if (unfinished)
			expect(&a, 1, -1, -1, NONE);
		else
			expect(&a, 1, 200, 201, SWITCH);
		answers_free(&a);
		file_free(f);
	}
}
END_TEST

/* A buffer of one thread: the context comes first, then the thread. */
START_TEST(the_thread_of_the_buffer)
{
	struct file *f = usual((struct file_kind){ .no_time = true, .per_thread = true });
	struct trace t = { 0 };
	struct answers a;

	put_sample(&t, EL0_PC, NO_CONTEXT, NO_CONTEXT, 0);
	put_sample(&t, EL0_PC, 201, NO_CONTEXT, 0);
	file_auxtrace(f, -1, 100, 0, t.bytes, t.n);
	a = ask_file(f);
	ck_assert_uint_eq(a.count, 2);
	expect(&a, 0, 100, 100, THREAD);
	expect(&a, 1, 200, 201, CONTEXT);
	ck_assert_int_eq(a.samples[0].cpu, -1);
	ck_assert(!a.samples[0].has_time);
	ck_assert(spe_recording_facts(a.recording)->per_thread);
	ck_assert_int_eq(spe_recording_stream(a.recording, 0)->tid, 100);
	answers_free(&a);
	file_free(f);
}
END_TEST

/* Without times contexts work just the same; an id of two tasks is unknown. */
START_TEST(no_timestamps)
{
	struct file *f = usual((struct file_kind){ 0 });
	struct trace t = { 0 };
	struct answers a;

	file_task(f, SPE_PERF_FORK, 100, 301, 100, 100, NS(1000000));
	file_task(f, SPE_PERF_EXIT, 100, 301, 100, 100, NS(2000000));
	file_task(f, SPE_PERF_FORK, 301, 301, 200, 200, NS(9000000));
	put_sample(&t, EL0_PC, 201, NO_CONTEXT, 0);
	put_sample(&t, EL0_PC, 301, NO_CONTEXT, 0);
	file_trace(f, 0, &t);
	a = ask_file(f);
	expect(&a, 0, 200, 201, CONTEXT);
	expect(&a, 1, -1, 301, CONTEXT);
	ck_assert(!a.samples[0].has_time);
	ck_assert(!spe_recording_facts(a.recording)->has_timestamps);
	answers_free(&a);
	file_free(f);
}
END_TEST

/* ---- other clocks --------------------------------------------------------------------------- */

/* The perf clock's time in the side-band's, 5 s ahead and fast by so many millionths. */
static uint64_t side(uint64_t time, unsigned drift)
{
	return time + 5 * S + (time - S) / 1000 * drift / 1000;
}

static bool alpha_at(uint64_t i)
{
	return i < 2 || (i - 2) / 4 % 2;
}

/* Nothing but AUX records and the two witnesses say how side-band and records lie. */
static struct file *other_clock(bool bounded, unsigned drift)
{
	struct file *f = usual((struct file_kind){ .other_clock = true });
	const uint64_t ms = 1000000;
	static struct trace t;

	t.n = 0;
	if (bounded)
		file_itrace_start(f, 0, 100, side(S, drift));
	for (uint64_t i = 0; i < 500; i++)
		file_switch(f, 0, side(S + (i * 4 + 2) * ms, drift), i % 2 ? 200 : 100,
			    i % 2 ? 201 : 100, i % 2 ? 100 : 200, i % 2 ? 100 : 201);
	for (uint64_t i = 0; i < 2000; i++)
		put_sample(&t, EL0_PC,
			   i % 10 == 5   ? NO_CONTEXT
			   : alpha_at(i) ? 100
					 : 201,
			   NO_CONTEXT, S + i * ms + ms / 2);
	file_trace(f, 0, &t);
	file_aux(f, 0, bounded ? side(S + 2000 * ms, drift) : 0, 0, t.n, 0);
	return f;
}

static void check_other_clock(unsigned drift)
{
	struct file *f = other_clock(true, drift);
	struct answers a = ask_file(f);
	const struct spe_recording_facts *facts = spe_recording_facts(a.recording);
	size_t by_switch = 0;

	ck_assert(facts->other_clock);
	ck_assert(facts->clock_offset_known);
	ck_assert_int_ge(facts->clock_offset_ns, (int64_t)(5 * S) - 1000000);
	ck_assert_int_le(facts->clock_offset_ns, (int64_t)(5 * S) + 2000000);
	ck_assert_uint_le(facts->clock_slack_ns, 600000); /* samples are 1 ms apart */
	ck_assert_uint_gt(facts->clock_slack_ns, 0);
	ck_assert_uint_eq(a.count, 2000);
	for (size_t i = 0; i < a.count; i++) {
		int pid = alpha_at(i) ? 100 : 200, tid = alpha_at(i) ? 100 : 201;

		if (i % 10 != 5) {
			expect(&a, i, pid, tid, CONTEXT);
		} else if (a.samples[i].evidence != SPE_EVIDENCE_NONE) {
			by_switch++;
			expect(&a, i, pid, tid, SWITCH);
		}
	}
	ck_assert_uint_ge(by_switch, 100);
	ck_assert_uint_eq(a.samples[0].time_ns, S + 500000);
	/* Switches 2 ms from the next record tell the offset to 1 ms, wherever one looks. */
	for (uint64_t t = S; t < 3 * S; t += S / 4) {
		int64_t off = (int64_t)(spe_recording_side_ns(a.recording, t) - side(t, drift));

		ck_assert_int_ge(off, -1000000);
		ck_assert_int_le(off, 1000000);
	}
	answers_free(&a);
	file_free(f);
}

START_TEST(another_clock_is_lined_up)
{
	check_other_clock(0);
	check_other_clock(20);
	check_other_clock(450);
}
END_TEST

/* An id used twice: within what the clocks may be off by, it may be either. */
START_TEST(another_clock_and_an_id_used_twice)
{
	struct file *f = other_clock(true, 0);
	const uint64_t ms = 1000000, then = S + 2500 * ms, offset = 2000 * 64;
	struct trace t = { 0 };
	struct answers a;

	file_task(f, SPE_PERF_FORK, 100, 301, 100, 100, side(S + 2100 * ms, 0));
	file_task(f, SPE_PERF_EXIT, 100, 301, 100, 100, side(then - 20000, 0));
	file_task(f, SPE_PERF_FORK, 301, 301, 200, 200, side(then, 0));
	put_sample(&t, EL0_PC, 301, NO_CONTEXT, S + 2200 * ms);
	put_sample(&t, EL0_PC, 301, NO_CONTEXT, then - 50000);
	put_sample(&t, EL0_PC, 301, NO_CONTEXT, then + 50000);
	put_sample(&t, EL0_PC, 301, NO_CONTEXT, S + 2800 * ms);
	file_auxtrace(f, 0, -1, offset, t.bytes, t.n);
	file_aux(f, 0, side(S + 2900 * ms, 0), offset, t.n, 0);
	a = ask_file(f);
	ck_assert_uint_eq(a.count, 2004);
	ck_assert_uint_gt(spe_recording_facts(a.recording)->clock_slack_ns, 50000);
	expect(&a, 2000, 100, 301, CONTEXT);
	expect(&a, 2001, -1, 301, CONTEXT);
	expect(&a, 2002, -1, 301, CONTEXT);
	expect(&a, 2003, 301, 301, CONTEXT);
	answers_free(&a);
	file_free(f);
}
END_TEST

/* Nothing lines them up: contexts still count, rungs that need time do not. */
START_TEST(another_clock_stays_apart)
{
	struct file *f = other_clock(false, 0);
	struct answers a = ask_file(f);

	ck_assert(!spe_recording_facts(a.recording)->clock_offset_known);
	expect(&a, 0, 100, 100, CONTEXT);
	expect(&a, 2, 200, 201, CONTEXT);
	expect(&a, 5, -1, -1, NONE);
	ck_assert_uint_eq(spe_recording_side_ns(a.recording, 2 * S), 2 * S);
	answers_free(&a);
	file_free(f);
}
END_TEST

/* ---- no conversion, no SPE, damage ------------------------------------------------------------
 */

START_TEST(no_conversion_no_time)
{
	struct file *f = usual((struct file_kind){ .no_conv = true });
	struct trace t = { 0 };
	struct answers a;

	put_sample(&t, EL0_PC, 201, NO_CONTEXT, NS(100));
	file_trace(f, 0, &t);
	a = ask_file(f);
	expect(&a, 0, 200, 201, CONTEXT);
	ck_assert(!a.samples[0].has_time);
	ck_assert(spe_recording_facts(a.recording)->has_timestamps);
	ck_assert(!spe_recording_facts(a.recording)->has_time);
	answers_free(&a);
	file_free(f);
}
END_TEST

START_TEST(conversion_may_come_last)
{
	struct file *f = usual((struct file_kind){ .no_conv = true });
	struct trace t = { 0 };
	struct answers a;

	put_sample(&t, EL0_PC, 201, NO_CONTEXT, NS(100));
	file_trace(f, 0, &t);
	file_time_conv(f);
	a = ask_file(f);
	ck_assert(a.samples[0].has_time);
	ck_assert_uint_eq(a.samples[0].time_ns, NS(100));
	answers_free(&a);
	file_free(f);
}
END_TEST

START_TEST(files_that_cannot_be_opened)
{
	struct spe_recording *recording = NULL;
	struct spe_error error = { 0 };

	ck_assert_int_eq(spe_recording_open("/nonexistent/perf.data", NULL, &recording, &error),
			 SPE_IO);
	ck_assert_ptr_nonnull(strstr(error.text, "/nonexistent/perf.data"));
	ck_assert_int_eq(spe_recording_open(NULL, NULL, &recording, &error), SPE_INVALID);
	ck_assert_ptr_null(recording);
	spe_recording_close(NULL);
	spe_reader_free(NULL);
}
END_TEST

/* ---- evidence
 * ------------------------------------------------------------------------------------ */

START_TEST(evidence_has_names)
{
	static const char *const names[] = { "none",  "context", "etm",    "switch",
					     "sched", "thread",  "mapped", "outside" };

	for (unsigned i = 0; i < SPE_EVIDENCE_KINDS; i++)
		ck_assert_str_eq(spe_evidence_name(i), names[i]);
	ck_assert_str_eq(spe_evidence_name(SPE_EVIDENCE_KINDS), "?");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("recording");
	TCase *tc = tcase_create("owners");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, context_names_the_thread);
	tcase_add_test(tc, habit_ends_where_the_file_does);
	tcase_add_test(tc, host_at_el2_owns_by_index_1);
	tcase_add_test(tc, one_el2_pc_speaks_for_the_file);
	tcase_add_test(tc, index_0_owns_where_el2_code_carries_it);
	tcase_add_test(tc, absence_inherits_nothing);
	tcase_add_test(tc, time_decides_between_namesakes);
	tcase_add_test(tc, exec_by_another_thread_means_the_leader);
	tcase_add_test(tc, zeros_at_el0_were_never_written);
	tcase_add_test(tc, zeros_alone_prove_nothing);
	tcase_add_test(tc, zeros_that_switches_bear_out_are_idle);
	tcase_add_test(tc, zeros_that_switches_deny_are_absent);
	tcase_add_test(tc, switches_where_contexts_are_absent);
	tcase_add_test(tc, switches_are_not_trusted_across_lost);
	tcase_add_test(tc, switches_end_where_the_recorder_was_killed);
	tcase_add_test(tc, the_thread_of_the_buffer);
	tcase_add_test(tc, no_timestamps);
	tcase_add_test(tc, another_clock_is_lined_up);
	tcase_add_test(tc, another_clock_stays_apart);
	tcase_add_test(tc, another_clock_and_an_id_used_twice);
	tcase_add_test(tc, no_conversion_no_time);
	tcase_add_test(tc, conversion_may_come_last);
	tcase_add_test(tc, files_that_cannot_be_opened);
	tcase_add_test(tc, evidence_has_names);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
