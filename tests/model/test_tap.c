#include "base/alloc.h"
#include "model/tap.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define N_SUMS 2
#define N_SLOTS 3

static struct tap *tap_of(unsigned n, size_t bytes, bool instances)
{
	size_t each[4] = {bytes, bytes, bytes, bytes};

	return tap_new(each, n, instances);
}

static void push_sample(struct tap *tap, uint32_t source, int64_t end_ns)
{
	AUTOFREE struct sample *s = xcalloc(1, sizeof(*s) + N_SLOTS * sizeof(s->value[0]));

	s->source = source;
	s->end_ns = end_ns;
	tap_push(tap, s, N_SUMS, N_SLOTS);
}

static void samples_come_out_in_the_order_in_which_they_ended(void **state)
{
	static const struct {
		uint32_t source;
		int64_t end_ns;
	} pushed[] = {{0, 10}, {0, 20}, {0, 50}, {2, 5}, {2, 30}, {1, 20}, {1, 60}};
	static const int64_t out[] = {5, 10, 20, 20, 30, 50, 60};
	struct tap *tap = tap_of(3, 1000, false);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pushed); i++)
		push_sample(tap, pushed[i].source, pushed[i].end_ns);
	for (size_t i = 0; i < ARRAY_LEN(out); i++) {
		assert_int_equal(tap_peek(tap)->end_ns, out[i]);
		tap_release(tap);
	}
	assert_null(tap_peek(tap));
	tap_free(tap);
}

static void what_comes_while_one_looks_changes_nothing(void **state)
{
	struct tap *tap = tap_of(2, 1000, false);

	(void)state;
	push_sample(tap, 0, 20);
	assert_int_equal(tap_peek(tap)->end_ns, 20);
	push_sample(tap, 1, 10);
	tap_release(tap); /* what was seen */
	assert_int_equal(tap_peek(tap)->end_ns, 10);
	tap_free(tap);
}

static void instances_are_for_those_who_ask(void **state)
{
	(void)state;
	for (int instances = 0; instances < 2; instances++) {
		struct tap *tap = tap_of(1, 1000, instances);

		push_sample(tap, 0, 1);
		assert_int_equal(tap_peek(tap)->n_values, instances ? N_SLOTS : N_SUMS);
		tap_free(tap);
	}
	assert_int_equal(tap_values(TAP_FEW, N_SUMS, N_SLOTS), N_SLOTS);
	assert_int_equal(tap_values(TAP_FEW, 10, 138), 138);
	assert_int_equal(tap_values(TAP_FEW, 10, 139), 10);
	assert_int_equal(tap_values(TAP_FEW | TAP_INSTANCES, 10, 139), 139);
	assert_int_equal(tap_values(TAP_MORE, 10, 138), 10);
}

static void a_source_without_a_ring_is_left_out(void **state)
{
	struct tap *tap = tap_new((const size_t[]){0, 1000}, 2, false);

	(void)state;
	push_sample(tap, 0, 1);
	push_sample(tap, 2, 1);
	assert_null(tap_peek(tap));
	push_sample(tap, 1, 1);
	assert_int_equal(tap_peek(tap)->source, 1);
	assert_int_equal(tap_lost(tap), 0);
	tap_free(tap);
}

static void losses_of_all_sources_add_up_and_are_their_own(void **state)
{
	struct tap *tap = tap_of(3, 1, false);
	unsigned n = 0;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		push_sample(tap, 0, i);
		push_sample(tap, 1, i);
	}
	push_sample(tap, 2, 0);
	assert_true(tap_lost(tap) > 0);
	for (; tap_peek(tap); tap_release(tap))
		n++;
	assert_int_equal(n + tap_lost(tap), 2001);
	tap_free(tap);
}

/* Producers that push while the reader leaves; the last of them frees it (the sanitizers see
 * whether). */
static void *produce_samples(void *arg)
{
	struct tap *tap = arg;

	for (int i = 0; i < 2000; i++)
		push_sample(tap, 1, i);
	tap_free(tap);
	return NULL;
}

static void the_last_owner_frees_it(void **state)
{
	struct tap *tap = tap_of(2, 1000, true);
	pthread_t thread;
	unsigned n = 0;

	(void)state;
	tap_share(tap);
	assert_int_equal(pthread_create(&thread, NULL, produce_samples, tap), 0);
	while (n < 100) {
		if (tap_peek(tap)) {
			tap_release(tap);
			n++;
		} else {
			sched_yield();
		}
		if (n + tap_lost(tap) >= 2000)
			break;
	}
	tap_free(tap);
	pthread_join(thread, NULL);
	tap_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_come_out_in_the_order_in_which_they_ended),
		cmocka_unit_test(what_comes_while_one_looks_changes_nothing),
		cmocka_unit_test(instances_are_for_those_who_ask),
		cmocka_unit_test(a_source_without_a_ring_is_left_out),
		cmocka_unit_test(losses_of_all_sources_add_up_and_are_their_own),
		cmocka_unit_test(the_last_owner_frees_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
