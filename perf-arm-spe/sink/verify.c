/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two witnesses held against each other: what a record's context says, and
 * what the switch records of its CPU say of the same moment.
 */
#include "verify.h"

#include <perf-arm-spe/limits.h>

#include <stdlib.h>

/*
 * Can the sample's thread be held against switch records?  An id of a foreign
 * namespace only once it is translated.
 */
static bool comparable(const struct spe_verify *verify, const struct spe_sample *sample)
{
	if (sample->evidence == SPE_EVIDENCE_MAPPED)
		return true;
	return sample->evidence == SPE_EVIDENCE_CONTEXT && !verify->foreign;
}

/* What switches say of the sample's moment; the last answer serves while it holds. */
static const struct spe_switch_answer *switch_answer(struct spe_verify *verify,
						     const struct spe_sample *sample)
{
	struct verify_cpu *cpu = &verify->cpus[sample->stream];

	if (!cpu->has_answer || sample->time_ns < cpu->answer.from_ns ||
	    sample->time_ns >= cpu->answer.to_ns) {
		cpu->has_answer = true;
		if (spe_recording_switch(verify->recording, sample->cpu, sample->time_ns,
					 &cpu->answer))
			cpu->answer.evidence = SPE_EVIDENCE_NONE;
	}
	return &cpu->answer;
}

/* The process by its own name: that of its leader. */
static uint32_t process_name(const struct spe_verify *verify, const struct spe_sample *sample)
{
	struct spe_task task;

	if (spe_recording_task(verify->recording, sample->tid, sample->has_time, sample->time_ns,
			       &task))
		return sample->comm;
	return task.process_comm;
}

static int process_count(struct spe_verify *verify, const struct spe_sample *sample, bool agree)
{
	struct verify_process *p;

	HASH_FIND_INT(verify->processes, &sample->pid, p);
	if (!p) {
		p = calloc(1, sizeof(*p));
		if (!p)
			return SPE_NOMEM;
		p->pid = sample->pid;
		p->comm = process_name(verify, sample);
		HASH_ADD_INT(verify->processes, pid, p);
		if (!p->hh.tbl) {
			free(p);
			return SPE_NOMEM;
		}
	}
	if (sample->tid == sample->pid)
		p->comm = sample->comm;
	p->compared++;
	p->agree += agree;
	return SPE_OK;
}

static int span_extend(struct spe_verify *verify, const struct spe_sample *sample,
		       const struct spe_switch_answer *answer)
{
	struct verify_cpu *cpu = &verify->cpus[sample->stream];
	struct verify_span span = { .cpu = sample->cpu,
				    .first_ns = sample->time_ns,
				    .last_ns = sample->time_ns,
				    .samples = 1,
				    .context_tid = sample->tid,
				    .switch_tid = answer->tid };
	int status;

	if (cpu->open_span) {
		struct verify_span *open = &verify->spans.items[cpu->open_span - 1];

		open->last_ns = sample->time_ns;
		open->samples++;
	}
	if (cpu->parted)
		return SPE_OK;
	verify->result.spans++;
	if (verify->spans.count == SPE_LIMIT_VERIFY_SPANS)
		return SPE_OK;
	status = spe_vec_push(&verify->spans, &span, SPE_LIMIT_VERIFY_SPANS);
	cpu->open_span = status ? 0 : verify->spans.count;
	return status;
}

/* The host's context as the register held it. */
static bool raw_context(const struct spe_verify *verify, const struct spe_sample *sample,
			uint32_t *context)
{
	unsigned index = verify->host_el2 ? 1 : 0;

	*context = sample->record.context[index];
	return sample->record.present & (index ? SPE_HAS_CONTEXT_EL2 : SPE_HAS_CONTEXT_EL1);
}

/*
 * Do both name the same thread?  After an exec by a thread that was not the
 * leader, its old id stands in the register and in the last switch record, and
 * means the leader in both.
 */
static bool same_thread(const struct spe_verify *verify, const struct spe_sample *sample,
			const struct spe_switch_answer *answer)
{
	uint32_t context;

	if (sample->tid == answer->tid)
		return true;
	return sample->evidence == SPE_EVIDENCE_CONTEXT && raw_context(verify, sample, &context) &&
	       context == (uint32_t)answer->tid;
}

/* Does each witness ever say something else? */
static void note_change(struct spe_verify *verify, const struct spe_sample *sample,
			const struct spe_switch_answer *answer)
{
	uint32_t context;

	if (!raw_context(verify, sample, &context) || answer->evidence == SPE_EVIDENCE_NONE ||
	    answer->in_window)
		return;
	if (!verify->seen++) {
		verify->context = context;
		verify->thread = answer->tid;
	}
	verify->other_contexts += verify->context != context;
	verify->other_threads += verify->thread != answer->tid;
}

static int compare(struct spe_verify *verify, const struct spe_sample *sample,
		   const struct spe_switch_answer *answer)
{
	struct verify_cpu *cpu = &verify->cpus[sample->stream];
	bool agree = same_thread(verify, sample, answer);
	int status = process_count(verify, sample, agree);

	note_change(verify, sample, answer);
	cpu->compared++;
	cpu->agree += agree;
	if (agree)
		cpu->open_span = 0;
	else if (!status)
		status = span_extend(verify, sample, answer);
	cpu->parted = !agree;
	return status;
}

/* ETM trace carries ids of the initial namespace, as the context itself does. */
static void etm_compare(struct spe_verify *verify, const struct spe_sample *sample)
{
	struct verify_cpu *cpu = &verify->cpus[sample->stream];
	uint32_t context;

	if (!raw_context(verify, sample, &context))
		return;
	if (sample->time_ns < cpu->etm_from_ns || sample->time_ns >= cpu->etm_to_ns)
		spe_recording_etm(verify->recording, sample->cpu, sample->time_ns, &cpu->etm_tid,
				  &cpu->etm_from_ns, &cpu->etm_to_ns);
	if (cpu->etm_tid < 0)
		return;
	cpu->etm_compared++;
	cpu->etm_agree += (uint32_t)cpu->etm_tid == context;
}

static int sample_take(struct spe_verify *verify, const struct spe_sample *sample)
{
	struct verify_cpu *cpu = &verify->cpus[sample->stream];
	const struct spe_switch_answer *answer;

	if (!comparable(verify, sample)) {
		if (sample->evidence == SPE_EVIDENCE_CONTEXT ||
		    sample->evidence == SPE_EVIDENCE_OUTSIDE)
			cpu->untranslated++;
		else
			cpu->no_context++;
		if (verify->foreign && sample->has_time && sample->cpu >= 0)
			note_change(verify, sample, switch_answer(verify, sample));
		return SPE_OK;
	}
	if (!sample->has_time || sample->cpu < 0) {
		cpu->no_switch++;
		return SPE_OK;
	}
	if (verify->has_etm)
		etm_compare(verify, sample);
	answer = switch_answer(verify, sample);
	if (answer->evidence == SPE_EVIDENCE_NONE)
		cpu->no_switch++;
	else if (answer->in_window)
		cpu->in_window++;
	else
		return compare(verify, sample, answer);
	return SPE_OK;
}

/* ---- the sink ------------------------------------------------------------- */

static int on_begin(void *sink, unsigned worker, void **partial)
{
	(void)worker;
	*partial = sink;
	return SPE_OK;
}

static int on_batch(void *sink, void *partial, struct spe_sample *samples, size_t count)
{
	int status = SPE_OK;

	(void)partial;
	for (size_t i = 0; !status && i < count; i++)
		status = sample_take(sink, &samples[i]);
	return status;
}

static int on_merge(void *sink, void *partial)
{
	(void)sink;
	(void)partial;
	return SPE_OK;
}

/* Contexts there are, and all are zeros that nobody wrote. */
static bool contexts_unwritten(const struct spe_recording *recording)
{
	uint64_t written = 0, zeros = 0;

	for (size_t i = 0; i < spe_recording_streams(recording); i++) {
		const struct spe_stream_info *info = spe_recording_stream(recording, i);

		zeros += info->unwritten_zeros;
		written += info->decode.records - info->without_context - info->unwritten_zeros;
	}
	return zeros && !written;
}

/*
 * A register that nobody writes: one context while tasks change, and not just now
 * and then.  (It makes ids seem to be of another namespace, and what they are
 * then translated to agrees with the switches it was learnt from.)
 */
static bool contexts_stuck(const struct spe_verify *verify)
{
	const struct spe_verify_result *r = &verify->result;

	if (contexts_unwritten(verify->recording))
		return true;
	if (verify->other_contexts || verify->other_threads < verify->seen / 4 + 1)
		return false;
	return verify->foreign || r->part > r->agree;
}

/* Lost side-band explains why switches are wrong. */
static enum spe_verify_belief belief(const struct spe_verify *verify)
{
	const struct spe_verify_result *r = &verify->result;

	if (contexts_stuck(verify))
		return SPE_BELIEVE_SWITCHES;
	if (!r->part)
		return SPE_BELIEVE_EITHER;
	return r->lost_events ? SPE_BELIEVE_CONTEXTS : SPE_BELIEVE_NEITHER;
}

static int on_end(void *sink, const struct spe_run_stats *stats)
{
	struct spe_verify *verify = sink;
	struct spe_verify_result *r = &verify->result;

	(void)stats;
	for (size_t i = 0; i < spe_recording_streams(verify->recording); i++) {
		const struct verify_cpu *cpu = &verify->cpus[i];

		r->compared += cpu->compared;
		r->agree += cpu->agree;
		r->in_window += cpu->in_window;
		r->no_switch += cpu->no_switch;
		r->no_context += cpu->no_context;
		r->untranslated += cpu->untranslated;
		r->etm_compared += cpu->etm_compared;
		r->etm_agree += cpu->etm_agree;
	}
	r->part = r->compared - r->agree;
	r->lost_events = spe_recording_facts(verify->recording)->side_band_lost;
	r->belief = belief(verify);
	return SPE_OK;
}

int spe_verify_new(const struct spe_recording *recording, struct spe_verify **out)
{
	struct spe_verify *verify = calloc(1, sizeof(*verify));

	*out = NULL;
	if (!verify)
		return SPE_NOMEM;
	verify->recording = recording;
	verify->has_etm = spe_recording_facts(recording)->has_etm;
	verify->host_el2 = spe_recording_facts(recording)->host_el == SPE_HOST_EL2;
	verify->foreign = spe_recording_facts(recording)->namespace_state != SPE_NS_SAME;
	verify->cpus = calloc(spe_recording_streams(recording) + 1, sizeof(*verify->cpus));
	if (!verify->cpus) {
		free(verify);
		return SPE_NOMEM;
	}
	/* In time order, from one thread: spans are runs of samples of a CPU. */
	verify->ops = (struct spe_sink_ops){ .name = "verify",
					     .want = SPE_HAS_TIMESTAMP | SPE_HAS_CONTEXT_EL1 |
						     SPE_HAS_CONTEXT_EL2,
					     .names = true,
					     .ordered = true,
					     .begin = on_begin,
					     .batch = on_batch,
					     .merge = on_merge,
					     .end = on_end };
	*out = verify;
	return SPE_OK;
}

void spe_verify_free(struct spe_verify *verify)
{
	struct verify_process *p, *next;

	if (!verify)
		return;
	HASH_ITER (hh, verify->processes, p, next) {
		HASH_DEL(verify->processes, p);
		free(p);
	}
	free(verify->spans.items);
	free(verify->cpus);
	free(verify);
}

const struct spe_sink_ops *spe_verify_ops(const struct spe_verify *verify)
{
	return &verify->ops;
}

const struct spe_verify_result *spe_verify_result(const struct spe_verify *verify)
{
	return &verify->result;
}
