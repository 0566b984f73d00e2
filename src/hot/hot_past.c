#include "hot/hot_past.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

#define FIRST 256 /* functions there is room for at first */
#define SECOND_NS 1000000000ll

void hot_past_clear(struct hot_past *past)
{
	for (unsigned i = 0; i < past->n; i++)
		memset(past->seconds[i], 0, sizeof(past->seconds[i]));
}

void hot_past_fini(struct hot_past *past)
{
	free(past->seconds);
	*past = (struct hot_past){0};
}

struct counting {
	struct hot_past *past;
	const struct hot_scope *scope;
	int64_t end_ns;
};

static void count_sample(void *ctx, const struct hot_profile *p, const struct hot_hit *hit, int64_t time_ns)
{
	const struct counting *c = ctx;
	struct hot_past *past = c->past;
	uint32_t function = p->nodes[hit->node].function;
	int64_t age_ns = c->end_ns - time_ns;
	uint16_t *second;

	if (age_ns < 0 || age_ns >= HOT_PAST * SECOND_NS || !hot_in_scope(p, c->scope, hit))
		return;
	while (function >= past->n) {
		unsigned more = past->n ? past->n : FIRST;

		past->seconds = xreallocarray(past->seconds, past->n + more, sizeof(*past->seconds));
		memset(past->seconds + past->n, 0, more * sizeof(*past->seconds));
		past->n += more;
	}
	second = &past->seconds[function][HOT_PAST - 1 - age_ns / SECOND_NS];
	*second += *second < UINT16_MAX;
}

void hot_past_add(struct hot_past *past, struct hot_profile *p, const struct hot_scope *scope,
		  const struct hot_spans *spans, const struct sample *sample, int64_t end_ns)
{
	hot_words_walk(p, sample, spans, count_sample, &(struct counting){past, scope, end_ns});
}
