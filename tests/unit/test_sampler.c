/* The sampler over a source that the test scripts. Times are real but short: nothing here waits for more than some 100 ms. */
#include "app/sampler.h"
#include "base/alloc.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MS 1000000ll

/* What the source does; written by the test before it is adopted, and by the sampler's thread afterwards. */
struct script {
	int64_t begin_ns;
	unsigned reads, starts, stops, closes;
	unsigned gone_after; /* samples; 0: never */
	unsigned lost_at;    /* this sample says that two were lost before it */
	bool fails_to_start;
	bool ready_without_sample;
	int ready_fd;
};
static struct script script; /* closes and frees outlive the source */
static unsigned n_samples;

static bool fake_start(struct source *source, int64_t period_ns, int64_t now_ns, struct err *err)
{
	script.starts++;
	if (script.fails_to_start)
		return err_set(err, 5, "fake: will not start");
	source->period_ns = period_ns;
	script.begin_ns = now_ns;
	return true;
}

static int fake_fd(const struct source *source)
{
	(void)source;
	return script.ready_without_sample ? script.ready_fd : -1;
}

static enum read_result fake_read(struct source *source, int64_t now_ns, struct sample *sample)
{
	script.reads++;
	if (script.gone_after && n_samples >= script.gone_after)
		return READ_GONE;
	if (script.ready_without_sample || script.begin_ns + source->period_ns > now_ns)
		return READ_NONE;
	sample->begin_ns = script.begin_ns;
	script.begin_ns = sample->end_ns = script.begin_ns + source->period_ns;
	n_samples++;
	sample->lost = n_samples == script.lost_at ? 2 : 0;
	for (unsigned i = 0; i < source->n_slots; i++)
		sample->value[i] = n_samples;
	return READ_GOT;
}

static void fake_stop(struct source *source)
{
	(void)source;
	script.stops++;
}

static void fake_close(struct source *source)
{
	(void)source;
	script.closes++;
}

static void fake_describe(const struct source *source, struct strbuf *text)
{
	strbuf_printf(text, "%s\n", source->title);
}

static const struct backend fake = {.name = "fake",
				    .start = fake_start,
				    .fd = fake_fd,
				    .read = fake_read,
				    .stop = fake_stop,
				    .close = fake_close,
				    .describe = fake_describe};

struct bench {
	struct sys sys;
	struct sampler *sampler;
};

static struct source *fake_source(const struct sys *sys)
{
	struct source *source = xcalloc(1, sizeof(*source));

	*source = (struct source){.backend = &fake, .sys = sys, .title = "a fake", .n_slots = 3, .n_sums = 2};
	source->slots = xcalloc(3, sizeof(*source->slots));
	return source;
}

static void bench_init(struct bench *b)
{
	struct err err;

	script = (struct script){0};
	n_samples = 0;
	assert_true(sys_init(&b->sys, NULL, &err));
	b->sampler = sampler_new(&b->sys, &err);
	assert_non_null(b->sampler);
}

static void bench_fini(struct bench *b)
{
	sampler_free(b->sampler);
	sys_fini(&b->sys);
}

static void wait_ms(struct bench *b, int ms)
{
	b->sys.poll(&b->sys, NULL, 0, ms);
}

/* The next thing the sampler tells, within a second. */
static struct sampler_event next_event(struct bench *b)
{
	struct pollfd fd = {.fd = sampler_fd(b->sampler), .events = POLLIN};
	struct sampler_event event = {0};

	for (int i = 0; i < 10; i++) {
		b->sys.poll(&b->sys, &fd, 1, 100);
		if (sampler_next_event(b->sampler, &event))
			return event;
	}
	fail_msg("the sampler tells nothing");
	return event;
}

/* Takes everything out; checks that the count and the times go on without a break. Returns how many there were. */
static unsigned drain(struct ring *ring, uint64_t *seq, int64_t *end_ns, int64_t period_ns, uint32_t n_values)
{
	const struct sample *s;
	unsigned n = 0;

	for (; (s = ring_peek(ring)); n++) {
		assert_int_equal(s->n_values, n_values);
		assert_int_equal(s->end_ns - s->begin_ns, period_ns);
		if (*seq) {
			assert_int_equal(s->seq, *seq + 1 + s->lost);
			assert_int_equal(s->begin_ns, *end_ns);
		}
		*seq = s->seq;
		*end_ns = s->end_ns;
		ring_release(ring);
	}
	return n;
}

static void every_interval_becomes_a_sample_and_nothing_drifts(void **state)
{
	static const int64_t periods[] = {MS, 5 * MS, 10 * MS, 20 * MS};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(periods); i++) {
		struct ring *ring = ring_new(1 << 16);
		uint64_t seq = 0;
		int64_t end = 0, begin;
		struct bench b;
		unsigned n;

		bench_init(&b);
		sampler_attach(b.sampler, ring, false);
		begin = b.sys.monotonic_ns(&b.sys);
		sampler_adopt(b.sampler, fake_source(&b.sys), periods[i]);
		assert_int_equal(next_event(&b).period_ns, periods[i]);
		wait_ms(&b, 120);
		sampler_detach(b.sampler, ring); /* reads what has ended */
		n = drain(ring, &seq, &end, periods[i], 2);
		assert_true(n >= 100 * MS / periods[i]);
		assert_true(end <= b.sys.monotonic_ns(&b.sys) && end >= begin + 100 * MS);
		ring_free(ring);
		bench_fini(&b);
	}
}

static void short_intervals_are_read_in_batches(void **state)
{
	struct ring *ring = ring_new(1 << 16);
	struct bench b;

	(void)state;
	bench_init(&b);
	sampler_attach(b.sampler, ring, false);
	sampler_adopt(b.sampler, fake_source(&b.sys), MS);
	next_event(&b);
	wait_ms(&b, 160);
	sampler_free(b.sampler);
	assert_true(n_samples >= 120);
	/* Each wake ends with one read that gives nothing: so many wakes there were. */
	assert_true(script.reads - n_samples <= 20);
	sys_fini(&b.sys);
	ring_free(ring);
}

static void a_ring_has_instances_only_when_it_asks(void **state)
{
	struct ring *sums = ring_new(1 << 14), *all = ring_new(1 << 14);
	uint64_t seq = 0, seq_all = 0;
	int64_t end = 0, end_all = 0;
	struct bench b;

	(void)state;
	bench_init(&b);
	sampler_attach(b.sampler, sums, false);
	sampler_attach(b.sampler, all, true);
	sampler_adopt(b.sampler, fake_source(&b.sys), 10 * MS);
	wait_ms(&b, 50);
	sampler_free(b.sampler);
	assert_true(drain(sums, &seq, &end, 10 * MS, 2) > 0);
	assert_true(drain(all, &seq_all, &end_all, 10 * MS, 3) > 0);
	ring_free(sums);
	ring_free(all);
	sys_fini(&b.sys);
}

static void a_full_ring_hurts_only_its_reader(void **state)
{
	struct ring *small = ring_new(1), *large = ring_new(1 << 18);
	uint64_t seq = 0;
	int64_t end = 0;
	struct bench b;

	(void)state;
	bench_init(&b);
	sampler_attach(b.sampler, small, true);
	sampler_attach(b.sampler, large, true);
	sampler_adopt(b.sampler, fake_source(&b.sys), MS);
	wait_ms(&b, 200);
	sampler_free(b.sampler);
	assert_true(ring_lost(small) > 0);
	assert_int_equal(ring_lost(large), 0);
	assert_int_equal(drain(large, &seq, &end, MS, 3), n_samples);
	ring_free(small);
	ring_free(large);
	sys_fini(&b.sys);
}

static void what_the_driver_lost_is_in_the_count(void **state)
{
	struct ring *ring = ring_new(1 << 14);
	uint64_t seq = 0;
	int64_t end = 0;
	struct bench b;

	(void)state;
	bench_init(&b);
	script.lost_at = 3;
	sampler_attach(b.sampler, ring, false);
	sampler_adopt(b.sampler, fake_source(&b.sys), 10 * MS);
	wait_ms(&b, 80);
	sampler_free(b.sampler);
	assert_true(drain(ring, &seq, &end, 10 * MS, 2) >= 3);
	assert_int_equal(seq, n_samples + 2);
	ring_free(ring);
	sys_fini(&b.sys);
}

static void a_source_that_fails_to_start_is_told_and_closed(void **state)
{
	struct sampler_event event;
	struct bench b;

	(void)state;
	bench_init(&b);
	script.fails_to_start = true;
	sampler_adopt(b.sampler, fake_source(&b.sys), 10 * MS);
	event = next_event(&b);
	assert_int_equal(event.kind, SAMPLER_FAILED);
	assert_string_equal(event.err.text, "fake: will not start");
	bench_fini(&b);
	assert_int_equal(script.closes, 1);
	assert_int_equal(script.stops, 0);
	assert_int_equal(script.reads, 0);
}

static void a_device_that_goes_is_told_once_and_the_others_go_on(void **state)
{
	struct sampler_event event;
	AUTO_STRBUF struct strbuf text = {0};
	uint32_t index;
	struct bench b;

	(void)state;
	bench_init(&b);
	script.gone_after = 2;
	index = sampler_adopt(b.sampler, fake_source(&b.sys), 10 * MS);
	assert_int_equal(next_event(&b).kind, SAMPLER_STARTED);
	sampler_describe(b.sampler, index, &text);
	assert_string_equal(text.p, "a fake\n");
	event = next_event(&b);
	assert_int_equal(event.kind, SAMPLER_GONE);
	assert_int_equal(event.source, index);
	assert_non_null(strstr(event.err.text, "a fake: the device is gone"));
	strbuf_clear(&text);
	sampler_describe(b.sampler, index, &text);
	assert_int_equal(text.n, 0);
	script.gone_after = 0;
	assert_int_equal(sampler_adopt(b.sampler, fake_source(&b.sys), 10 * MS), index + 1);
	assert_int_equal(next_event(&b).kind, SAMPLER_STARTED);
	bench_fini(&b);
	assert_int_equal(script.closes, 2);
	assert_int_equal(script.stops, 2);
}

static void a_new_period_starts_the_source_anew(void **state)
{
	uint32_t index;
	struct bench b;

	(void)state;
	bench_init(&b);
	index = sampler_adopt(b.sampler, fake_source(&b.sys), 10 * MS);
	assert_int_equal(next_event(&b).period_ns, 10 * MS);
	sampler_set_period(b.sampler, index, 20 * MS);
	assert_int_equal(next_event(&b).period_ns, 20 * MS);
	bench_fini(&b);
	assert_int_equal(script.starts, 2);
	assert_int_equal(script.stops, 2);
	assert_int_equal(script.closes, 1);
}

static void an_fd_that_is_always_ready_does_not_make_it_spin(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b);
	script.ready_without_sample = true;
	script.ready_fd = sys_event_new();
	sys_event_signal(script.ready_fd);
	sampler_adopt(b.sampler, fake_source(&b.sys), 20 * MS);
	next_event(&b);
	wait_ms(&b, 100);
	bench_fini(&b);
	assert_true(script.reads >= 4 && script.reads <= 16); /* two a period, not thousands */
	sys_cleanup_close(&script.ready_fd);
}

static unsigned boottime_asked;

/* An hour passes after the fifth look: the source is there by then. */
static int64_t fake_boottime(const struct sys *sys)
{
	return sys->monotonic_ns(sys) + (boottime_asked++ < 5 ? -3600000 * MS : 0);
}

static void a_suspend_leaves_a_gap(void **state)
{
	struct ring *ring = ring_new(1 << 14);
	const struct sample *s;
	unsigned gaps = 0;
	struct err err;
	struct bench b;

	(void)state;
	script = (struct script){0};
	n_samples = 0;
	boottime_asked = 0;
	assert_true(sys_init(&b.sys, NULL, &err));
	b.sys.boottime_ns = fake_boottime;
	b.sampler = sampler_new(&b.sys, &err);
	sampler_attach(b.sampler, ring, false);
	sampler_adopt(b.sampler, fake_source(&b.sys), 10 * MS);
	wait_ms(&b, 60);
	sampler_free(b.sampler);
	while ((s = ring_peek(ring))) {
		gaps += (s->flags & SAMPLE_GAP) != 0;
		ring_release(ring);
	}
	assert_true(n_samples >= 3);
	assert_int_equal(gaps, 1);
	ring_free(ring);
	sys_fini(&b.sys);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_interval_becomes_a_sample_and_nothing_drifts),
		cmocka_unit_test(short_intervals_are_read_in_batches),
		cmocka_unit_test(a_ring_has_instances_only_when_it_asks),
		cmocka_unit_test(a_full_ring_hurts_only_its_reader),
		cmocka_unit_test(what_the_driver_lost_is_in_the_count),
		cmocka_unit_test(a_source_that_fails_to_start_is_told_and_closed),
		cmocka_unit_test(a_device_that_goes_is_told_once_and_the_others_go_on),
		cmocka_unit_test(a_new_period_starts_the_source_anew),
		cmocka_unit_test(an_fd_that_is_always_ready_does_not_make_it_spin),
		cmocka_unit_test(a_suspend_leaves_a_gap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
