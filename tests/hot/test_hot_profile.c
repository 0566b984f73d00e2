/* Profiles of running code: added up, written as words, read back, and shown as a table. */
#include "base/alloc.h"
#include "hot/hot_past.h"
#include "hot/hot_table.h"
#include "hot/hot_words.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MS 1000000ll

/* Frames from the root to the leaf, of module "lib". */
static unsigned add_hit(struct hot_profile *p, uint32_t tid, const char *path, uint64_t offset,
			uint64_t count)
{
	struct hot_hit hit = {.offset = offset, .count = count, .weight = 10 * count};
	struct span rest = span_of(path), name;
	struct hot_node node = {0};

	while ((name = span_word(&rest)).n) {
		AUTOFREE char *text = span_dup(name);

		node.function = hot_profile_function(
			p, &(struct hot_function){text[0] == '?' ? "" : text, "lib",
						  text[0] == '?' ? 0x400 : 0x1000 + span_hash(name) % 997,
						  0x100});
		hit.node = hot_profile_node(p, &node);
		node.parent = hit.node + 1;
	}
	hit.thread =
		hot_profile_thread(p, &(struct hot_thread){100, tid, tid == 100 ? "main" : "worker", "game"});
	return hot_profile_hit(p, &hit);
}

/* Write and read back. */
static void copy_profile(struct hot_profile *to, struct hot_profile *from, struct hot_moment *moments,
			 unsigned n, unsigned room, uint64_t *unkept)
{
	struct sample *sample = xcalloc(1, sizeof(*sample) + HOT_WORDS * sizeof(uint64_t));

	sample->begin_ns = 1000 * MS;
	sample->end_ns = 1500 * MS;
	sample->n_more =
		(uint16_t)hot_words_put(from, moments, n, sample->begin_ns, sample->value, room, unkept);
	hot_words_add(to, sample);
	free(sample);
}

static const struct hot_row *row_of(const struct hot_table *t, const struct hot_profile *p, const char *name)
{
	for (unsigned i = 0; i < t->n; i++)
		if (strcmp(p->functions[t->rows[i].function].name, name) == 0)
			return &t->rows[i];
	return NULL;
}

TEST(the_table_has_shares_of_self_and_total)
{
	static const struct hot_scope all = {0}, worker = {.tid = 101};
	struct hot_profile p = {0};
	struct hot_table t;

	add_hit(&p, 100, "main update step", 4, 60);
	add_hit(&p, 100, "main update step step", 8, 10);
	add_hit(&p, 100, "main draw", 0, 20);
	add_hit(&p, 101, "main draw", 0, 10);
	hot_table_make(&t, &p, &all);
	assert_int_equal(t.count, 100);
	assert_ptr_equal(&t.rows[0], row_of(&t, &p, "step")); /* the hottest first */
	assert_float_equal(row_of(&t, &p, "step")->self, 0.70, 1e-9);
	assert_float_equal(row_of(&t, &p, "step")->total, 0.70, 1e-9); /* a recursion counts once */
	assert_float_equal(row_of(&t, &p, "update")->self, 0, 1e-9);
	assert_float_equal(row_of(&t, &p, "update")->total, 0.70, 1e-9);
	assert_float_equal(row_of(&t, &p, "main")->total, 1, 1e-9);
	assert_int_equal(row_of(&t, &p, "draw")->n_threads, 2);
	/* 1.96 sqrt(0.7 x 0.3 / 100) */
	assert_float_equal(row_of(&t, &p, "step")->plus_minus, 0.0898, 1e-4);
	hot_table_fini(&t);
	hot_table_make(&t, &p, &worker);
	assert_int_equal(t.n, 2);
	assert_float_equal(row_of(&t, &p, "draw")->self, 1, 1e-9);
	hot_table_fini(&t);
	hot_profile_fini(&p);
}

TEST(around_a_function_are_callers_calls_and_addresses)
{
	static const struct hot_scope all = {0};
	struct hot_profile p = {0};
	struct hot_around a;
	struct hot_table t;

	add_hit(&p, 100, "main update step", 4, 50);
	add_hit(&p, 100, "main update step", 8, 20);
	add_hit(&p, 100, "main replay step copy", 0, 30);
	hot_table_make(&t, &p, &all);
	hot_around_make(&a, &p, &all, row_of(&t, &p, "step")->function);
	assert_int_equal(a.n_callers, 2);
	assert_string_equal(p.functions[a.callers[0].function].name, "update");
	assert_int_equal(a.callers[0].count, 70);
	assert_int_equal(a.n_calls, 2);
	assert_true(a.calls[0].function == UINT32_MAX); /* itself */
	assert_string_equal(p.functions[a.calls[1].function].name, "copy");
	assert_int_equal(a.n_addresses, 2);
	assert_int_equal(a.addresses[0].offset, 4);
	hot_around_fini(&a);
	hot_table_fini(&t);
	hot_profile_fini(&p);
}

TEST(words_read_back_are_the_same_profile)
{
	static const struct hot_scope all = {0};
	struct hot_profile p = {0}, q = {0};
	struct hot_moment moments[6];
	AUTO_STRBUF struct strbuf one = {0}, other = {0};
	uint64_t unkept = 0;

	for (unsigned i = 0; i < 6; i++)
		moments[i] = (struct hot_moment){
			add_hit(&p, i % 2 ? 101 : 100, i < 3 ? "main a;b" : "main ?", i / 2, 1),
			(1000 + 50 * i) * MS};
	copy_profile(&q, &p, moments, 6, HOT_WORDS, &unkept);
	hot_fold_stacks(&p, &all, &one);
	hot_fold_stacks(&q, &all, &other);
	assert_string_equal(one.p, other.p);
	assert_string_equal(one.p, "game;main;a:b 2\ngame;worker;main;a:b 1\n"
				   "game;main;lib +0x400 1\ngame;worker;main;lib +0x400 2\n");
	assert_int_equal(unkept, 0);
	assert_int_equal(q.weight, p.weight);
	hot_profile_fini(&p);
	hot_profile_fini(&q);
}

TEST(what_does_not_fit_is_counted)
{
	struct hot_profile p = {0}, q = {0};
	struct hot_moment moments[200];
	uint64_t unkept = 0;

	for (unsigned i = 0; i < 200; i++)
		moments[i] = (struct hot_moment){add_hit(&p, 100, "main", i, 1), 1000 * MS};
	copy_profile(&q, &p, moments, 200, 200, &unkept);
	assert_true(q.count > 0 && q.count < 200);
	assert_int_equal(unkept + q.count, 200);
	hot_profile_fini(&p);
	hot_profile_fini(&q);
}

TEST(only_what_ran_in_the_spans_is_taken)
{
	static const int64_t begins[] = {1100 * MS, 1300 * MS}, ends[] = {1200 * MS, 1400 * MS};
	const struct hot_spans spans = {begins, ends, 2};
	struct sample *sample = xcalloc(1, sizeof(*sample) + HOT_WORDS * sizeof(uint64_t));
	struct hot_profile p = {0}, q = {0};
	struct hot_moment moments[10];
	uint64_t unkept = 0;

	for (unsigned i = 0; i < 10; i++)
		moments[i] = (struct hot_moment){add_hit(&p, 100, "main", 0, 1), (1010 + 40 * i) * MS};
	sample->begin_ns = 1000 * MS;
	sample->end_ns = 1500 * MS;
	sample->n_more =
		(uint16_t)hot_words_put(&p, moments, 10, sample->begin_ns, sample->value, HOT_WORDS, &unkept);
	hot_words_walk(&q, sample, &spans, NULL, NULL);
	assert_int_equal(q.count, 4); /* 1130, 1170, 1330, 1370 */
	hot_profile_fini(&p);
	hot_profile_fini(&q);
	free(sample);
}

/* A second that was not sampled is 0, what is older or newer is not counted. */
TEST(each_function_has_its_samples_by_second)
{
	struct hot_profile from = {0}, to = {0};
	static const struct hot_scope all = {0}, other = {.pid = 100, .tid = 7};
	struct hot_past past = {0};
	struct sample *sample = xcalloc(1, sizeof(*sample) + HOT_WORDS * sizeof(uint64_t));
	unsigned step = add_hit(&from, 101, "main step", 4, 3), draw = add_hit(&from, 101, "main draw", 8, 1);
	struct hot_moment moments[] = {
		{step, 1100 * MS}, {step, 1200 * MS}, {step, 2900 * MS}, {draw, 2950 * MS}};
	uint64_t unkept = 0;

	sample->begin_ns = 1000 * MS;
	sample->end_ns = 3000 * MS;
	sample->n_more = (uint16_t)hot_words_put(&from, moments, ARRAY_LEN(moments), sample->begin_ns,
						 sample->value, HOT_WORDS, &unkept);
	for (int again = 0; again < 2; again++) {
		unsigned sum = 0;

		hot_profile_clear(&to);
		hot_past_clear(&past);
		hot_past_add(&past, &to, &all, NULL, sample, 3000 * MS);
		assert_int_equal(to.count, 4);
		for (unsigned i = 0; i < to.n_functions; i++) {
			const uint16_t *second = past.seconds[i];

			for (unsigned k = 0; k < HOT_PAST; k++)
				sum += second[k];
			if (strcmp(to.functions[i].name, "step") == 0) {
				assert_int_equal(second[HOT_PAST - 1], 1);
				assert_int_equal(second[HOT_PAST - 2], 2);
			}
			if (strcmp(to.functions[i].name, "draw") == 0)
				assert_int_equal(second[HOT_PAST - 1], 1);
		}
		assert_int_equal(sum, 4);
	}
	hot_past_clear(&past);
	hot_past_add(&past, &to, &all, NULL, sample, 60000 * MS);
	hot_past_add(&past, &to, &all, NULL, sample, 500 * MS);
	hot_past_add(&past, &to, &other, NULL, sample, 3000 * MS);
	for (unsigned i = 0; i < past.n; i++)
		for (unsigned k = 0; k < HOT_PAST; k++)
			assert_int_equal(past.seconds[i][k], 0);
	free(sample);
	hot_past_fini(&past);
	hot_profile_fini(&from);
	hot_profile_fini(&to);
}
