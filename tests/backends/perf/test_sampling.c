/* Samples of running code, from the kernel's rings to a profile: in the order of time, with what
 * was lost, with and without rights, on machines with and without a PMU that can sample. */
#include "backends/backends.h"
#include "backends/perf/sampling.h"
#include "base/alloc.h"
#include "hot/hot_table.h"
#include "tests/support/perf_bench.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct sampling_bench {
	struct perf_bench perf;
	char root[64];
	struct source source;
	struct sampling *sampling;
	struct hot_profile profile;
	struct err err;
};

static void begin_bench(struct sampling_bench *b, const char *machine)
{
	snprintf(b->root, sizeof(b->root), "/tmp/sampling.XXXXXX");
	assert_non_null(mkdtemp(b->root));
	fake_sys_init(&b->perf.fake, b->root);
	b->perf.sys = &b->perf.fake.sys;
	b->perf.perf = fake_sys_add_perf(&b->perf.fake, machine);
	fake_perf_tree(b->perf.perf, b->root);
	b->source.sys = b->perf.sys;
	b->source.options.hot = "";
	b->sampling = xcalloc(1, sizeof(*b->sampling));
	b->sampling->maps = hot_maps_new(b->perf.sys);
	b->sampling->sample =
		xcalloc(1, sizeof(struct sample) + (SAMPLING_SLOTS + HOT_WORDS) * sizeof(uint64_t));
}

static bool open_it(struct sampling_bench *b)
{
	return sampling_open(b->sampling, &b->source, false, &b->err) && sampling_start(b->sampling, &b->err);
}

/* The profile of everything up to now. */
static const struct sample *take_sample(struct sampling_bench *b)
{
	sampling_drain(b->sampling, b->perf.fake.now_ns);
	sampling_finish(b->sampling, b->perf.fake.now_ns);
	hot_profile_clear(&b->profile);
	hot_words_add(&b->profile, b->sampling->sample);
	return b->sampling->sample;
}

static void end_bench(struct sampling_bench *b)
{
	sampling_close(b->sampling);
	hot_maps_free(b->sampling->maps);
	hot_profile_fini(&b->sampling->profile);
	hot_profile_fini(&b->profile);
	free(b->sampling->moments);
	free(b->sampling->sample);
	free(b->sampling);
	assert_null(fake_sys_leaks(&b->perf.fake));
	fake_perf_tree_remove(b->root);
	fake_sys_fini(&b->perf.fake);
	*b = (struct sampling_bench){.sampling = NULL};
}

static void sample_at(struct sampling_bench *b, int cpu, pid_t pid, uint64_t ip)
{
	fake_sys_run(&b->perf.fake, MS);
	fake_perf_sample(b->perf.perf, &(struct fake_hit){.cpu = cpu, .pid = pid, .tid = pid, .ip = ip});
}

static uint64_t count_in(const struct sampling_bench *b, const char *module)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < b->profile.n_hits; i++) {
		const struct hot_hit *h = &b->profile.hits[i];

		if (strcmp(b->profile.functions[b->profile.nodes[h->node].function].module, module) == 0)
			n += h->count;
	}
	return n;
}

/* A mapping on one CPU, samples on another: in the rings they are apart. */
TEST(rings_of_several_cpus_are_read_in_the_order_of_time)
{
	struct sampling_bench b = {.sampling = NULL};

	begin_bench(&b, "rk3588");
	assert_true(open_it(&b));
	fake_perf_comm(b.perf.perf, 0, 50, 50, "game", true);
	fake_perf_map_file(b.perf.perf, 0, 50, 0x1000, 0x1000, "/lib/first.so");
	sample_at(&b, 5, 50, 0x1800);
	fake_sys_run(&b.perf.fake, MS);
	fake_perf_map_file(b.perf.perf, 2, 50, 0x1000, 0x1000, "/lib/second.so");
	sample_at(&b, 0, 50, 0x1800);
	sample_at(&b, 5, 50, 0x1800);
	take_sample(&b);
	assert_int_equal(count_in(&b, "first.so"), 1);
	assert_int_equal(count_in(&b, "second.so"), 2);
	assert_string_equal(b.profile.threads[0].name, "game");
	end_bench(&b);
}

TEST(what_came_after_the_moment_waits_for_the_next_one)
{
	struct sampling_bench b = {.sampling = NULL};
	int64_t limit_ns;

	begin_bench(&b, "rk3588");
	assert_true(open_it(&b));
	sample_at(&b, 1, 50, 0x1800);
	limit_ns = b.perf.fake.now_ns;
	sample_at(&b, 0, 50, 0x1800);
	sampling_drain(b.sampling, limit_ns);
	assert_int_equal(b.sampling->count[SAMPLING_SAMPLES], 1);
	assert_int_equal(take_sample(&b)->value[SAMPLING_SAMPLES], 2);
	end_bench(&b);
}

TEST(a_ring_goes_round_and_what_does_not_fit_is_lost_and_counted)
{
	enum { MANY = 40000 };
	struct sampling_bench b = {.sampling = NULL};
	uint64_t seen = 0, lost = 0;

	begin_bench(&b, "rk3588");
	assert_true(open_it(&b));
	for (unsigned i = 0; i < MANY; i++) {
		fake_perf_sample(b.perf.perf,
				 &(struct fake_hit){.cpu = 3, .pid = 50, .tid = 50, .ip = 0x1000 + i % 7});
		if (i % 5000 == 4999) {
			const struct sample *s = take_sample(&b);

			seen += s->value[SAMPLING_SAMPLES];
			lost += s->value[SAMPLING_LOST];
		}
	}
	assert_int_equal(lost, 0);
	assert_int_equal(seen, MANY);
	for (unsigned i = 0; i < MANY; i++) /* without reading */
		fake_perf_sample(b.perf.perf,
				 &(struct fake_hit){.cpu = 3, .pid = 50, .tid = 50, .ip = 0x1000});
	seen = take_sample(&b)->value[SAMPLING_SAMPLES];
	assert_true(seen < MANY);
	sample_at(&b, 3, 50, 0x1000); /* the next one reports the loss */
	assert_int_equal(take_sample(&b)->value[SAMPLING_LOST] + seen, MANY);
	end_bench(&b);
}

TEST(throttling_is_counted_and_the_idle_task_is_not)
{
	struct sampling_bench b = {.sampling = NULL};
	const struct sample *s;

	begin_bench(&b, "rk3588");
	assert_true(open_it(&b));
	fake_perf_throttle(b.perf.perf, 1);
	sample_at(&b, 1, 0, 0x1800);
	s = take_sample(&b);
	assert_int_equal(s->value[SAMPLING_THROTTLED], 1);
	assert_int_equal(s->value[SAMPLING_SAMPLES], 0);
	end_bench(&b);
}

TEST(callers_are_nodes_from_the_root_on)
{
	static const struct hot_scope all = {0};
	AUTO_STRBUF struct strbuf text = {0};
	struct sampling_bench b = {.sampling = NULL};

	begin_bench(&b, "rk3588");
	b.source.options.hot_callers = true;
	assert_true(open_it(&b));
	fake_perf_comm(b.perf.perf, 0, 50, 50, "game", true);
	fake_perf_map_file(b.perf.perf, 0, 50, 0x1000, 0x1000, "/lib/a.so");
	fake_perf_map_file(b.perf.perf, 0, 50, 0x2000, 0x1000, "/lib/b.so");
	fake_sys_run(&b.perf.fake, MS);
	fake_perf_sample(
		b.perf.perf,
		&(struct fake_hit){
			.cpu = 0, .pid = 50, .tid = 50, .ip = 0x2010, .frames = {0x1010}, .n_frames = 1});
	take_sample(&b);
	hot_fold_stacks(&b.profile, &all, &text);
	assert_string_equal(text.p, "game;a.so +0x0;b.so +0x0 1\n");
	end_bench(&b);
}

TEST(a_machine_without_a_pmu_is_sampled_by_the_clock)
{
	static const struct {
		const char *machine, *event;
		bool silent, ok;
		const char *driver;
	} cases[] = {
		{"vm", "", false, true, "cpu-clock, 199 Hz per busy CPU"},
		{"vm", ":99", false, true, "cpu-clock, 99 Hz per busy CPU"},
		{"vm", "cycles", false, false, ""},
		{"rk3588", "", false, true, "cycles, 199 Hz per busy CPU"},
		{"rk3588", "", true, true, "cpu-clock, 199 Hz per busy CPU"},
		{"rk3588", "cycles", true, false, ""},
		{"rk3588", "branch-misses:period=1000", false, true, "branch-misses, one of 1000"},
		{"rk3588", "cycles:200000", false, false, ""},
		{"rk3588", "no-such-event", false, false, ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sampling_bench b = {.sampling = NULL};
		bool ok;

		begin_bench(&b, cases[i].machine);
		for (unsigned k = 0; k < b.perf.perf->n_pmus; k++)
			b.perf.perf->pmus[k].silent = cases[i].silent && k >= 2;
		b.source.options.hot = cases[i].event;
		ok = open_it(&b);
		assert_int_equal(ok, cases[i].ok);
		if (ok)
			assert_string_equal(b.source.driver, cases[i].driver);
		else
			assert_non_null(strstr(b.err.text, "hot"));
		end_bench(&b);
	}
}

/* The kernel lowers its maximum by itself, and then refuses a higher rate with EINVAL. */
TEST(the_default_rate_follows_the_maximum_of_the_kernel)
{
	static const struct {
		const char *event;
		unsigned most;
		const char *driver; /* NULL: refused with the rate that is permitted */
	} cases[] = {
		{"", 50, "cycles, 50 Hz per busy CPU (kernel's maximum)"},
		{":", 50, "cycles, 50 Hz per busy CPU (kernel's maximum)"}, /* --hot without a value */
		{"", 199, "cycles, 199 Hz per busy CPU"},
		{"cycles", 1, "cycles, 1 Hz per busy CPU (kernel's maximum)"},
		{":40", 50, "cycles, 40 Hz per busy CPU"},
		{"cycles:period=1000", 50, "cycles, one of 1000"},
		{"cycles:99", 50, NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sampling_bench b = {.sampling = NULL};

		begin_bench(&b, "rk3588");
		b.perf.perf->max_sample_rate = cases[i].most;
		fake_perf_tree(b.perf.perf, b.root);
		b.source.options.hot = cases[i].event;
		assert_int_equal(open_it(&b), cases[i].driver != NULL);
		if (cases[i].driver)
			assert_string_equal(b.source.driver, cases[i].driver);
		else
			assert_non_null(strstr(b.err.text, "maximum is 50: use :50"));
		end_bench(&b);
	}
}

TEST(what_is_permitted_decides_who_is_sampled)
{
	static const struct {
		int paranoid;
		enum scope_kind scope;
		bool ok;
		const char *driver; /* begins so */
	} cases[] = {
		{-1, SCOPE_MACHINE, true, "cycles,"}, {0, SCOPE_MACHINE, true, "cycles,"},
		{1, SCOPE_MACHINE, false, ""},        {1, SCOPE_THREAD, true, "cycles,"},
		{2, SCOPE_THREAD, true, "cycles:u,"}, {2, SCOPE_MACHINE, false, ""},
		{3, SCOPE_THREAD, false, ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sampling_bench b = {.sampling = NULL};
		bool ok;

		begin_bench(&b, "rk3588");
		b.perf.perf->paranoid = cases[i].paranoid;
		b.source.options.scope = (struct scope){.kind = cases[i].scope, .pid = 1000};
		ok = open_it(&b);
		assert_int_equal(ok, cases[i].ok);
		if (ok)
			assert_memory_equal(b.source.driver, cases[i].driver, strlen(cases[i].driver));
		else
			assert_non_null(strstr(b.err.text, "perf_event_paranoid"));
		end_bench(&b);
	}
}

TEST(a_small_limit_of_locked_memory_makes_rings_smaller)
{
	struct sampling_bench b = {.sampling = NULL};

	begin_bench(&b, "rk3588");
	b.perf.perf->paranoid = 0;
	b.perf.perf->mlock_pages = 32;
	assert_true(open_it(&b));
	assert_int_equal(b.sampling->rings[0].size, 32 * sys_page_size());
	end_bench(&b);
}

/* As help asks on a live screen, before the view Hot was ever shown. */
TEST(a_source_that_rests_is_described)
{
	struct sampling_bench b = {.sampling = NULL};
	AUTO_STRBUF struct strbuf text = {0};

	begin_bench(&b, "rk3588");
	b.source.options.hot = NULL;
	b.source.priv = xcalloc(1, backend_perf_hot.priv_size);
	assert_true(backend_perf_hot.open(&b.source, "", &b.err));
	backend_perf_hot.describe(&b.source, &text);
	assert_non_null(strstr(text.p, "samples cycles,"));
	backend_perf_hot.close(&b.source);
	free(b.source.slots);
	free(b.source.priv);
	end_bench(&b);
}

TEST(a_call_that_fails_leaves_nothing_open)
{
	for (unsigned n = 1; n < 40; n++) {
		struct sampling_bench b = {.sampling = NULL};

		begin_bench(&b, "rk3588");
		b.perf.fake.fault = (struct fake_fault){FAKE_CALL_PERF | FAKE_CALL_MMAP, n, 100, ENOMEM};
		open_it(&b);
		b.perf.fake.fault.times = 0;
		end_bench(&b);
	}
}
