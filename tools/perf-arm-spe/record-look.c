/* SPDX-License-Identifier: GPL-2.0-only */
/* After a recording: is what was wanted in the file? */
#include "record.h"

#include <perf-arm-spe/attribution.h>

#include <inttypes.h>

#include "command.h"
#include "strict.h"
#include "talk.h"

struct look {
	struct spe_stream_info sum; /* counts of all streams */
	size_t streams, lossy;      /* streams (CPUs or threads), and those that lost something */
	uint64_t records, with_context;
};

static void look_stream(struct look *look, const struct spe_stream_info *stream)
{
	char reason[STRICT_REASON];
	struct spe_stream_info *sum = &look->sum;

	strict_stream_reason(stream, reason, sizeof(reason));
	look->streams++;
	look->lossy += reason[0] != '\0';
	look->records += stream->decode.records;
	look->with_context += stream->decode.records - stream->without_context;
	sum->truncated += stream->truncated;
	sum->partial += stream->partial;
	sum->collisions += stream->collisions;
	sum->gaps += stream->gaps;
	sum->lost_records += stream->lost_records;
	sum->unwritten_zeros += stream->unwritten_zeros;
}

static void say_loss(const struct look *look, const char *path,
		     const struct spe_recording_facts *facts)
{
	char reason[STRICT_REASON];

	strict_stream_reason(&look->sum, reason, sizeof(reason));
	if (facts->partial)
		talk_warning("%s", facts->partial_reason);
	if (reason[0])
		talk_warning("%s: lost: %s, in %zu of %zu streams; a larger period (-c) or buffer "
			     "(-m ,SIZE) loses less",
			     path, reason, look->lossy, look->streams);
	else if (look->records && !facts->partial)
		talk_note("%s: nothing was lost", path);
}

/* Contexts, and if they are not there: why. */
static void say_contexts(const struct look *look, const char *path, const struct machine *machine,
			 const struct spe_recording_facts *facts)
{
	uint64_t good = look->with_context - look->sum.unwritten_zeros;
	const char *others =
		facts->has_switches || facts->has_sched || facts->has_etm
			? "switch records name the owners"
			: "nothing else names the owners, but where a buffer belongs to one thread";
	/* What was expected tells nothing when it came otherwise. */
	const char *why = machine_gives_contexts(machine) == ANSWER_YES
				  ? "the kernel did not give them; perf arm-spe check may tell why"
				  : record_reason(machine);

	talk_note("%s: %" PRIu64 " records, %" PRIu64 " with a context", path, look->records, good);
	if (!look->records)
		talk_warning("%s: no SPE record at all; perf arm-spe check may tell why", path);
	else if (!good)
		talk_warning("%s: no contexts: %s; %s", path, why, others);
	else if (facts->namespace_state != SPE_NS_SAME)
		talk_warning("%s: %s", path, facts->namespace_reason);
}

int record_look(const char *path, const struct machine *machine)
{
	struct spe_recording_opts opts = { .size = sizeof(opts) };
	struct spe_recording *recording;
	const struct spe_recording_facts *facts;
	struct look look = { .streams = 0 };
	struct spe_error error = { .status = 0 };
	int status = spe_recording_open(path, &opts, &recording, &error);

	if (status)
		return talk_status(status, &error);
	facts = spe_recording_facts(recording);
	for (size_t i = 0; i < spe_recording_streams(recording); i++)
		look_stream(&look, spe_recording_stream(recording, i));
	say_contexts(&look, path, machine, facts);
	say_loss(&look, path, facts);
	spe_recording_close(recording);
	return EXIT_OK;
}
