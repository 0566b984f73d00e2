#include "base/alloc.h"
#include "model/subscriber.h"
#include "tests/support/test.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#define N_SUMS 2
#define N_SLOTS 3

static struct subscriber *subscriber_of(unsigned n, size_t bytes, bool instances)
{
	size_t each[4] = {bytes, bytes, bytes, bytes};

	return subscriber_new(each, n, instances);
}

static void push_sample(struct subscriber *subscriber, uint32_t source, int64_t end_ns)
{
	AUTOFREE struct sample *s = xcalloc(1, sizeof(*s) + N_SLOTS * sizeof(s->value[0]));

	s->source = source;
	s->end_ns = end_ns;
	subscriber_push(subscriber, s, N_SUMS, N_SLOTS);
}

TEST(samples_come_out_in_the_order_in_which_they_ended)
{
	static const struct {
		uint32_t source;
		int64_t end_ns;
	} pushed[] = {{0, 10}, {0, 20}, {0, 50}, {2, 5}, {2, 30}, {1, 20}, {1, 60}};
	static const int64_t out[] = {5, 10, 20, 20, 30, 50, 60};
	struct subscriber *subscriber = subscriber_of(3, 1000, false);

	for (size_t i = 0; i < ARRAY_LEN(pushed); i++)
		push_sample(subscriber, pushed[i].source, pushed[i].end_ns);
	for (size_t i = 0; i < ARRAY_LEN(out); i++) {
		assert_int_equal(subscriber_peek(subscriber)->end_ns, out[i]);
		subscriber_release(subscriber);
	}
	assert_null(subscriber_peek(subscriber));
	subscriber_free(subscriber);
}

TEST(what_comes_while_one_looks_changes_nothing)
{
	struct subscriber *subscriber = subscriber_of(2, 1000, false);

	push_sample(subscriber, 0, 20);
	assert_int_equal(subscriber_peek(subscriber)->end_ns, 20);
	push_sample(subscriber, 1, 10);
	subscriber_release(subscriber); /* what was seen */
	assert_int_equal(subscriber_peek(subscriber)->end_ns, 10);
	subscriber_free(subscriber);
}

TEST(instances_are_for_those_who_ask)
{
	for (int instances = 0; instances < 2; instances++) {
		struct subscriber *subscriber = subscriber_of(1, 1000, instances);

		push_sample(subscriber, 0, 1);
		assert_int_equal(subscriber_peek(subscriber)->n_values, instances ? N_SLOTS : N_SUMS);
		subscriber_free(subscriber);
	}
	assert_int_equal(subscriber_values(SUBSCRIBER_FEW, N_SUMS, N_SLOTS), N_SLOTS);
	assert_int_equal(subscriber_values(SUBSCRIBER_FEW, 10, 138), 138);
	assert_int_equal(subscriber_values(SUBSCRIBER_FEW, 10, 139), 10);
	assert_int_equal(subscriber_values(SUBSCRIBER_FEW | SUBSCRIBER_INSTANCES, 10, 139), 139);
	assert_int_equal(subscriber_values(SUBSCRIBER_MORE, 10, 138), 10);
}

TEST(a_source_without_a_ring_is_left_out)
{
	struct subscriber *subscriber = subscriber_new((const size_t[]){0, 1000}, 2, false);

	push_sample(subscriber, 0, 1);
	push_sample(subscriber, 2, 1);
	assert_null(subscriber_peek(subscriber));
	push_sample(subscriber, 1, 1);
	assert_int_equal(subscriber_peek(subscriber)->source, 1);
	assert_int_equal(subscriber_lost(subscriber), 0);
	subscriber_free(subscriber);
}

TEST(losses_of_all_sources_add_up_and_are_their_own)
{
	struct subscriber *subscriber = subscriber_of(3, 1, false);
	unsigned n = 0;

	for (int i = 0; i < 1000; i++) {
		push_sample(subscriber, 0, i);
		push_sample(subscriber, 1, i);
	}
	push_sample(subscriber, 2, 0);
	assert_true(subscriber_lost(subscriber) > 0);
	for (; subscriber_peek(subscriber); subscriber_release(subscriber))
		n++;
	assert_int_equal(n + subscriber_lost(subscriber), 2001);
	subscriber_free(subscriber);
}

/* Producers that push while the reader leaves; the last of them frees it (the sanitizers see
 * whether). */
static void *produce_samples(void *arg)
{
	struct subscriber *subscriber = arg;

	for (int i = 0; i < 2000; i++)
		push_sample(subscriber, 1, i);
	subscriber_free(subscriber);
	return NULL;
}

TEST(the_last_owner_frees_it)
{
	struct subscriber *subscriber = subscriber_of(2, 1000, true);
	pthread_t thread;
	unsigned n = 0;

	subscriber_share(subscriber);
	assert_int_equal(pthread_create(&thread, NULL, produce_samples, subscriber), 0);
	while (n < 100) {
		if (subscriber_peek(subscriber)) {
			subscriber_release(subscriber);
			n++;
		} else {
			sched_yield();
		}
		if (n + subscriber_lost(subscriber) >= 2000)
			break;
	}
	subscriber_free(subscriber);
	pthread_join(thread, NULL);
	subscriber_free(NULL);
}
