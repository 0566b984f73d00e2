/* The last minute of each process of a list. */
#include "base/alloc.h"
#include "base/real.h"
#include "model/process.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_NS 1000000000

/* The history of the same process in the list before; NULL if it has none. *at: where to look, as
 * both lists have the same order. */
static const uint8_t *past_before(const struct process_list *before, unsigned *at, const struct process *p)
{
	while (*at < before->n && process_compare(&before->processes[*at], p) < 0)
		++*at;
	if (*at == before->n || process_compare(&before->processes[*at], p) ||
	    before->processes[*at].start != p->start)
		return NULL;
	return before->past[*at];
}

static uint8_t past_value(float percent)
{
	return isnan(percent)  ? PROCESS_PAST_UNKNOWN
	       : percent > 100 ? 100
	       : percent > 0   ? (uint8_t)real_round(percent)
			       : 0;
}

static unsigned seconds_from(int64_t begin_ns, int64_t end_ns)
{
	int64_t seconds = end_ns / SECOND_NS - begin_ns / SECOND_NS;

	return seconds < PROCESS_PAST ? (unsigned)seconds : PROCESS_PAST;
}

void process_list_follow(struct process_list *list, const struct process_list *before)
{
	bool follows = before && before->past && before->end_ns && list->end_ns >= before->end_ns;
	/* seconds that have begun since, and those that the interval of the list covers */
	unsigned moved = follows ? seconds_from(before->end_ns, list->end_ns) : PROCESS_PAST, at = 0;
	unsigned covered = list->begin_ns ? seconds_from(list->begin_ns, list->end_ns) : 0;
	bool repeats = follows && list->end_ns == before->end_ns;

	if (covered > moved)
		covered = moved;
	if (!covered)
		covered = 1;
	free(list->past);
	list->past = xcalloc(list->n + 1, sizeof(*list->past));
	for (unsigned i = 0; i < list->n; i++) {
		const struct process *p = &list->processes[i];
		const uint8_t *old = follows ? past_before(before, &at, p) : NULL;
		uint8_t *past = list->past[i];

		memset(past, PROCESS_PAST_UNKNOWN, PROCESS_PAST);
		if (old)
			memcpy(past, old + moved, PROCESS_PAST - moved);
		if (!repeats && list->begin_ns)
			memset(past + PROCESS_PAST - covered, past_value(p->cpu_percent), covered);
	}
}
