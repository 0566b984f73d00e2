#include "hot/hot_words.h"

#include "base/search.h"
#include "base/alloc.h"

#include <stdlib.h>

#define WORD ((unsigned)sizeof(uint64_t))
#define KIND_BITS 8
#define TIMES_MOST 4096 /* of one record; a hit may have several */

/* ---- writing ---- */

struct hot_writer {
	uint64_t *words;
	unsigned n, room;
};

/* Begin a record of n words, the first of them included; NULL: there is no room. */
static uint64_t *put_record(struct hot_writer *w, enum hot_record kind, unsigned n)
{
	uint64_t *at = w->words + w->n;

	if (n > w->room - w->n)
		return NULL;
	at[0] = kind | (uint64_t)n << KIND_BITS;
	w->n += n;
	return at;
}

static bool put_names(struct hot_writer *w, struct hot_profile *p)
{
	uint64_t *at;

	for (unsigned i = 0; i < p->n_texts; i++) {
		size_t length = strlen(p->texts[i]);
		unsigned n = 1 + ((unsigned)length + WORD - 1) / WORD;

		if (!(at = put_record(w, HOT_TEXT, n)))
			return false;
		memset(at + 1, 0, (n - 1) * WORD);
		memcpy(at + 1, p->texts[i], length);
	}
	for (unsigned i = 0; i < p->n_functions; i++) {
		const struct hot_function *f = &p->functions[i];

		if (!(at = put_record(w, HOT_FUNCTION_RECORD, 5)))
			return false;
		at[1] = hot_profile_text(p, f->name);
		at[2] = hot_profile_text(p, f->module);
		at[3] = f->start;
		at[4] = f->size;
	}
	for (unsigned i = 0; i < p->n_threads; i++) {
		const struct hot_thread *t = &p->threads[i];

		if (!(at = put_record(w, HOT_THREAD, 5)))
			return false;
		at[1] = t->pid;
		at[2] = t->tid;
		at[3] = hot_profile_text(p, t->name);
		at[4] = hot_profile_text(p, t->process);
	}
	for (unsigned i = 0; i < p->n_nodes; i++) {
		if (!(at = put_record(w, HOT_NODE, 3)))
			return false;
		at[1] = p->nodes[i].parent;
		at[2] = p->nodes[i].function;
	}
	return true;
}

static int compare_moments(const void *a, const void *b)
{
	const struct hot_moment *x = a, *y = b;

	if (x->hit != y->hit)
		return x->hit < y->hit ? -1 : 1;
	return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

static bool put_hit(struct hot_writer *w, const struct hot_hit *h, const struct hot_moment *moments,
		    unsigned n, int64_t begin_ns)
{
	uint64_t *at = put_record(w, HOT_HIT, 5 + n);
	int64_t before_us = 0;

	if (!at)
		return false;
	at[1] = h->thread;
	at[2] = h->node;
	at[3] = h->offset;
	/* All have the same share of the weight: frequencies change slowly. */
	at[4] = h->count ? (uint64_t)((double)h->weight / (double)h->count * n + 0.5) : 0;
	for (unsigned i = 0; i < n; i++) {
		int64_t us = (moments[i].time_ns - begin_ns) / 1000;

		us = us > before_us ? us : before_us;
		at[5 + i] = (uint64_t)(us - before_us);
		before_us = us;
	}
	return true;
}

unsigned hot_words_put(struct hot_profile *p, struct hot_moment *moments, unsigned n, int64_t begin_ns,
		       uint64_t *words, unsigned room, uint64_t *unkept)
{
	struct hot_writer w = {.words = words, .room = room};
	bool fits = put_names(&w, p);

	if (n)
		qsort(moments, n, sizeof(*moments), compare_moments);
	for (unsigned i = 0, step; i < n; i += step) {
		for (step = 1; i + step < n && step < TIMES_MOST && moments[i + step].hit == moments[i].hit;)
			step++;
		fits = fits && put_hit(&w, &p->hits[moments[i].hit], &moments[i], step, begin_ns);
		*unkept += fits ? 0 : step;
	}
	return w.n;
}

/* ---- reading ---- */

struct hot_word_reader {
	struct hot_profile *p;
	const struct sample *sample;
	const struct hot_spans *spans;
	void (*take)(void *ctx, const struct hot_profile *p, const struct hot_hit *hit, int64_t time_ns);
	void *ctx;
	/* Numbers of the sample, as indices of the profile. */
	uint32_t *map[HOT_HIT];
	unsigned n[HOT_HIT], cap[HOT_HIT];
};

static void map_item(struct hot_word_reader *r, enum hot_record kind, unsigned index)
{
	GROW(r->map[kind], r->n[kind], r->cap[kind]);
	r->map[kind][r->n[kind]++] = index;
}

static bool read_text(struct hot_word_reader *r, const uint64_t *word, unsigned n)
{
	char raw[HOT_NAME_TEXT + WORD], text[HOT_NAME_TEXT];
	size_t bytes = (n - 1) * WORD;

	bytes = bytes < sizeof(raw) - 1 ? bytes : sizeof(raw) - 1;
	memcpy(raw, word + 1, bytes);
	raw[bytes] = 0;
	map_item(r, HOT_TEXT, hot_profile_text(r->p, str_printable(text, sizeof(text), raw)));
	return true;
}

static const char *text_of(const struct hot_word_reader *r, uint64_t number)
{
	return r->p->texts[r->map[HOT_TEXT][number]];
}

static bool read_function(struct hot_word_reader *r, const uint64_t *word, unsigned n)
{
	if (n < 5 || word[1] >= r->n[HOT_TEXT] || word[2] >= r->n[HOT_TEXT])
		return false;
	map_item(r, HOT_FUNCTION_RECORD,
		 hot_profile_function(r->p, &(struct hot_function){text_of(r, word[1]), text_of(r, word[2]),
								   word[3], word[4]}));
	return true;
}

static bool read_thread(struct hot_word_reader *r, const uint64_t *word, unsigned n)
{
	if (n < 5 || word[3] >= r->n[HOT_TEXT] || word[4] >= r->n[HOT_TEXT])
		return false;
	map_item(r, HOT_THREAD,
		 hot_profile_thread(r->p, &(struct hot_thread){(uint32_t)word[1], (uint32_t)word[2],
							       text_of(r, word[3]), text_of(r, word[4])}));
	return true;
}

/* A parent comes before its children, so there is no circle. */
static bool read_node(struct hot_word_reader *r, const uint64_t *word, unsigned n)
{
	struct hot_node node = {0};

	if (n < 3 || word[1] > r->n[HOT_NODE] || word[2] >= r->n[HOT_FUNCTION_RECORD])
		return false;
	if (word[1])
		node.parent = r->map[HOT_NODE][word[1] - 1] + 1;
	node.function = r->map[HOT_FUNCTION_RECORD][word[2]];
	map_item(r, HOT_NODE, hot_profile_node(r->p, &node));
	return true;
}

static bool read_hit(struct hot_word_reader *r, const uint64_t *word, unsigned n)
{
	struct hot_hit hit = {0};
	int64_t time_ns = r->sample->begin_ns;
	unsigned times = n - 5, span;

	if (n < 6 || word[1] >= r->n[HOT_THREAD] || word[2] >= r->n[HOT_NODE])
		return false;
	hit.thread = r->map[HOT_THREAD][word[1]];
	hit.node = r->map[HOT_NODE][word[2]];
	hit.offset = word[3];
	for (unsigned i = 0; i < times && (r->spans || r->take); i++) {
		uint64_t left_us = (uint64_t)(r->sample->end_ns - time_ns) / 1000;

		time_ns += (int64_t)(word[5 + i] < left_us ? word[5 + i] : left_us) * 1000;
		span = r->spans ? search_first(r->spans->n, k, r->spans->end_ns[k] > time_ns) : 0;
		if (r->spans && (span == r->spans->n || r->spans->begin_ns[span] > time_ns))
			continue;
		hit.count++;
		if (r->take)
			r->take(r->ctx, r->p, &hit, time_ns);
	}
	if (!r->spans)
		hit.count = times;
	hit.weight = word[4] / times * hit.count + word[4] % times * hit.count / times;
	if (hit.count)
		hot_profile_hit(r->p, &hit);
	return true;
}

void hot_words_walk(struct hot_profile *p, const struct sample *sample, const struct hot_spans *spans,
		    void (*take)(void *ctx, const struct hot_profile *p, const struct hot_hit *hit,
				 int64_t time_ns),
		    void *ctx)
{
	static bool (*const kinds[])(struct hot_word_reader * r, const uint64_t *word, unsigned n) = {
		[HOT_TEXT] = read_text,     [HOT_FUNCTION_RECORD] = read_function,
		[HOT_THREAD] = read_thread, [HOT_NODE] = read_node,
		[HOT_HIT] = read_hit,
	};
	struct hot_word_reader r = {.p = p, .sample = sample, .spans = spans, .take = take, .ctx = ctx};
	const uint64_t *word = sample->value + sample->n_values;
	bool ok = true;

	for (unsigned at = 0, n; ok && at < sample->n_more; at += n) {
		uint64_t kind = word[at] & ((1u << KIND_BITS) - 1), length = word[at] >> KIND_BITS;

		if (!length || length > sample->n_more - at)
			break;
		n = (unsigned)length;
		if (kind < ARRAY_LEN(kinds) && kinds[kind])
			ok = kinds[kind](&r, word + at, n);
	}
	for (unsigned i = 0; i < HOT_HIT; i++)
		free(r.map[i]);
}

void hot_words_add(struct hot_profile *p, const struct sample *sample)
{
	hot_words_walk(p, sample, NULL, NULL, NULL);
}
