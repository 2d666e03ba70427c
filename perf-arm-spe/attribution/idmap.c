/* SPDX-License-Identifier: GPL-2.0-only */
#include "idmap.h"
#include "tasks-private.h"
#include "../base/order.h"

#include <perf-arm-spe/limits.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Longest line of a pid map. */
#define LINE_BYTES 1024u

/* One line of the user's map. */
struct given {
	uint32_t context;
	int32_t pid, tid;
};

struct spe_idmap {
	SPE_VEC(struct given) given;            /* by context */
	SPE_VEC(struct spe_idmap_sight) sights; /* by context, first_ns */
	size_t contradictions;
};

int spe_idmap_new(struct spe_idmap **map)
{
	*map = calloc(1, sizeof(**map));
	return *map ? SPE_OK : SPE_NOMEM;
}

void spe_idmap_free(struct spe_idmap *map)
{
	if (!map)
		return;
	free(map->given.items);
	free(map->sights.items);
	free(map);
}

/* ---- the user's map ---------------------------------------------------------- */

static int given_order(const void *a, const void *b)
{
	const struct given *x = a, *y = b;

	SPE_ORDER(x->context, y->context);
	return 0;
}

/* One line; false when it makes no sense. An empty one gives context 0. */
static bool parse_line(char *line, struct given *given, const char **comm)
{
	char *end = line + strcspn(line, "#\n");
	long long context, pid, tid;
	int used = 0;

	*end = '\0';
	memset(given, 0, sizeof(*given));
	line += strspn(line, " \t\r");
	if (!*line)
		return true;
	if (sscanf(line, "%lld %lld %lld%n", &context, &pid, &tid, &used) != 3)
		return false;
	if (context <= 0 || context > INT32_MAX || pid < -1 || pid > INT32_MAX || tid <= 0 ||
	    tid > INT32_MAX || (line[used] && !strchr(" \t\r", line[used])))
		return false;
	*given = (struct given){ (uint32_t)context, (int32_t)pid, (int32_t)tid };
	line += used + strspn(line + used, " \t\r");
	for (end = line + strlen(line); end > line && strchr(" \t\r", end[-1]); end--)
		end[-1] = '\0';
	*comm = *line ? line : NULL;
	return true;
}

static int cannot(struct spe_error *error, const char *what, const char *path, int errnum)
{
	char reason[128];
	int status = spe_error_set(error, SPE_IO, "%s: cannot %s the pid map: %s", path, what,
				   strerror_r(errnum, reason, sizeof(reason)));

	if (error)
		error->sys_errno = errnum;
	return status;
}

static int read_lines(struct spe_idmap *map, FILE *file, const char *path, struct spe_tasks *tasks,
		      struct spe_error *error)
{
	char line[LINE_BYTES];
	size_t number = 0;
	int status = SPE_OK;

	while (!status && fgets(line, sizeof(line), file)) {
		const char *comm = NULL;
		struct given given;
		bool whole = strchr(line, '\n') || feof(file);

		number++;
		if (!whole || !parse_line(line, &given, &comm)) {
			status = spe_error_set(error, SPE_INVALID,
					       "%s:%zu: not a line of a pid map: want "
					       "\"context-tid pid tid [comm]\"",
					       path, number);
			break;
		}
		if (!given.context)
			continue;
		status = spe_vec_push(&map->given, &given, SPE_LIMIT_PID_MAP);
		if (!status)
			status = spe_tasks_add_pair(tasks, given.pid, given.tid, false, 0, comm);
		if (status)
			spe_error_set(error, status, "%s:%zu: %s", path, number,
				      spe_status_text(status));
	}
	if (!status && ferror(file))
		status = cannot(error, "read", path, errno);
	return status;
}

/* A context may stand there once, or several times with the same meaning. */
static int check_given(const struct spe_idmap *map, const char *path, struct spe_error *error)
{
	for (size_t i = 1; i < map->given.count; i++) {
		const struct given *x = &map->given.items[i - 1], *y = &map->given.items[i];

		if (x->context == y->context && (x->pid != y->pid || x->tid != y->tid))
			return spe_error_set(error, SPE_INVALID,
					     "%s: context %u is mapped to both %d/%d and %d/%d",
					     path, x->context, x->pid, x->tid, y->pid, y->tid);
	}
	return SPE_OK;
}

int spe_idmap_read(struct spe_idmap *map, const char *path, struct spe_tasks *tasks,
		   struct spe_error *error)
{
	FILE *file = fopen(path, "re");
	int status;

	if (!file)
		return cannot(error, "open", path, errno);
	status = read_lines(map, file, path, tasks, error);
	fclose(file);
	if (status)
		return status;
	if (map->given.count)
		qsort(map->given.items, map->given.count, sizeof(*map->given.items), given_order);
	return check_given(map, path, error);
}

/* ---- the derived map ------------------------------------------------------------- */

int spe_idmap_add(struct spe_idmap *map, const struct spe_idmap_sight *sight)
{
	return spe_vec_push(&map->sights, sight, SPE_LIMIT_SWITCHES);
}

static int sight_order(const void *a, const void *b)
{
	const struct spe_idmap_sight *x = a, *y = b;

	SPE_ORDER(x->context, y->context);
	SPE_ORDER(x->first_ns, y->first_ns);
	SPE_ORDER(x->last_ns, y->last_ns);
	SPE_ORDER(x->tid, y->tid);
	return 0;
}

static bool same_meaning(const struct spe_idmap_sight *x, const struct spe_idmap_sight *y)
{
	return x->context == y->context && x->pid == y->pid && x->tid == y->tid;
}

/* Did one and the same task have this id at both times? */
static bool one_life(const struct spe_tasks *tasks, int32_t tid, uint64_t a_ns, uint64_t b_ns)
{
	const struct spe_tid *slot = spe_tasks_slot(tasks, tid);

	return slot && spe_tasks_life(tasks, slot, a_ns) == spe_tasks_life(tasks, slot, b_ns);
}

/* Join neighbours that mean the same; sorted input, in place. */
static void join_sights(struct spe_idmap *map)
{
	struct spe_idmap_sight *s = map->sights.items;
	size_t kept = 0;

	for (size_t i = 0; i < map->sights.count; i++) {
		if (kept && same_meaning(&s[kept - 1], &s[i])) {
			if (s[i].last_ns > s[kept - 1].last_ns)
				s[kept - 1].last_ns = s[i].last_ns;
			continue;
		}
		s[kept++] = s[i];
	}
	map->sights.count = kept;
}

/*
 * A thread keeps its ids for life and runs in one place at a time.  A sight
 * that stands within another of the same context, or between two of one and
 * the same life, cannot be true.
 */
static void drop_contradictions(struct spe_idmap *map, const struct spe_tasks *tasks)
{
	struct spe_idmap_sight *s = map->sights.items;
	size_t count = map->sights.count, kept = 0;

	for (size_t i = 0; i < count; i++) {
		const struct spe_idmap_sight *before = kept ? &s[kept - 1] : NULL;
		const struct spe_idmap_sight *after = i + 1 < count ? &s[i + 1] : NULL;
		bool within = before && before->context == s[i].context &&
			      !same_meaning(before, &s[i]) && s[i].first_ns <= before->last_ns;
		bool between = before && after && same_meaning(before, after) &&
			       before->context == s[i].context && before->tid > 0 &&
			       one_life(tasks, before->tid, before->last_ns, after->first_ns);

		if (within || between) {
			map->contradictions++;
			continue;
		}
		s[kept++] = s[i];
	}
	map->sights.count = kept;
}

void spe_idmap_finish(struct spe_idmap *map, const struct spe_tasks *tasks)
{
	if (!map->sights.count)
		return;
	qsort(map->sights.items, map->sights.count, sizeof(*map->sights.items), sight_order);
	join_sights(map);
	drop_contradictions(map, tasks);
	join_sights(map);
}

size_t spe_idmap_contexts(const struct spe_idmap *map)
{
	size_t count = map->given.count;

	for (size_t i = 0; i < map->sights.count; i++)
		count += !i || map->sights.items[i - 1].context != map->sights.items[i].context;
	return count;
}

size_t spe_idmap_contradictions(const struct spe_idmap *map)
{
	return map->contradictions;
}

/* ---- asking ------------------------------------------------------------------------ */

static bool find_given(const struct spe_idmap *map, uint32_t context,
		       struct spe_idmap_answer *answer)
{
	struct given key = { .context = context };
	const struct given *found = NULL;

	if (map->given.count)
		found = bsearch(&key, map->given.items, map->given.count, sizeof(key), given_order);
	if (!found)
		return false;
	answer->pid = found->pid;
	answer->tid = found->tid;
	return true;
}

/* Number of sights of contexts below this one, or of it and not after side_ns. */
static size_t sights_before(const struct spe_idmap *map, uint32_t context, uint64_t side_ns)
{
	size_t low = 0, high = map->sights.count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct spe_idmap_sight *s = &map->sights.items[mid];

		if (s->context < context || (s->context == context && s->first_ns <= side_ns))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool be_sight(const struct spe_idmap_sight *sight, struct spe_idmap_answer *answer)
{
	answer->pid = sight->pid;
	answer->tid = sight->tid;
	answer->outside = !sight->tid;
	return true;
}

/* Was the task of this sight still (or already) there at a time outside the sight? */
static bool sight_reaches(const struct spe_idmap_sight *sight, uint64_t side_ns,
			  const struct spe_tasks *tasks)
{
	const struct spe_tid *slot = spe_tasks_slot(tasks, sight->tid);
	const struct spe_life *life;
	uint32_t number;

	if (!slot)
		return false;
	number = spe_tasks_life(tasks, slot, sight->first_ns);
	if (number != spe_tasks_life(tasks, slot, side_ns))
		return false;
	life = &tasks->lives.items[number];
	if (side_ns > sight->last_ns)
		return side_ns < life->gone_ns &&
		       (!(life->flags & SPE_LIFE_EXITED) || side_ns <= life->end_ns);
	return !(life->flags & SPE_LIFE_FORKED) || side_ns >= life->start_ns;
}

/* Between sights: the neighbour whose task lived then, if it is one of them only. */
static bool find_between(const struct spe_idmap *map, uint32_t context, uint64_t side_ns,
			 const struct spe_tasks *tasks, size_t after,
			 struct spe_idmap_answer *answer)
{
	const struct spe_idmap_sight *s = map->sights.items, *earlier = NULL, *later = NULL;
	bool first, second;

	if (after && s[after - 1].context == context)
		earlier = &s[after - 1];
	if (after < map->sights.count && s[after].context == context)
		later = &s[after];
	if (!earlier && !later) {
		answer->from_ns = 0;
		answer->to_ns = UINT64_MAX;
		return false;
	}
	answer->from_ns = side_ns;
	answer->to_ns = side_ns + 1;
	/* outside: all that was ever seen of this id */
	if (earlier && !later && !earlier->tid && (after < 2 || s[after - 2].context != context))
		return be_sight(earlier, answer);
	if (later && !earlier && !later->tid &&
	    (after + 1 == map->sights.count || s[after + 1].context != context))
		return be_sight(later, answer);
	first = earlier && sight_reaches(earlier, side_ns, tasks);
	second = later && sight_reaches(later, side_ns, tasks);
	if (first == second)
		return false;
	return be_sight(first ? earlier : later, answer);
}

/* Without time an id means something only if it always meant the same. */
static bool find_untimed(const struct spe_idmap *map, uint32_t context,
			 struct spe_idmap_answer *answer)
{
	size_t end = sights_before(map, context, UINT64_MAX);
	const struct spe_idmap_sight *s = map->sights.items;

	if (!end || s[end - 1].context != context || (end > 1 && s[end - 2].context == context))
		return false;
	return be_sight(&s[end - 1], answer);
}

bool spe_idmap_find(const struct spe_idmap *map, uint32_t context, bool timed, uint64_t side_ns,
		    const struct spe_tasks *tasks, struct spe_idmap_answer *answer)
{
	const struct spe_idmap_sight *s = map->sights.items;
	size_t after;

	*answer = (struct spe_idmap_answer){ .pid = -1, .tid = -1, .to_ns = UINT64_MAX };
	if (find_given(map, context, answer))
		return true;
	if (!timed)
		return find_untimed(map, context, answer);
	after = sights_before(map, context, side_ns);
	if (after && s[after - 1].context == context && side_ns <= s[after - 1].last_ns) {
		answer->from_ns = s[after - 1].first_ns;
		answer->to_ns = s[after - 1].last_ns + 1;
		return be_sight(&s[after - 1], answer);
	}
	return find_between(map, context, side_ns, tasks, after, answer);
}
