/* What a stream may send over simulated connections: what arrives is new, and fast ones are not
 * held back. */
#include "record/recorder_sink.h"

#include "base/alloc.h"
#include "tests/support/test.h"

#include <stdlib.h>

#define MS 1000000ll
#define STEP_NS (10 * MS)
#define PIECES 4096

/* Bytes travel at a rate, arrive after half a round trip, and are acknowledged after the other
 * half. */
struct link {
	double rate;
	int64_t trip_ns;
	struct {
		uint64_t end;
		int64_t made_ns, acked_ns;
	} pieces[PIECES];
	unsigned n, acked;
	double free_ns; /* when the link has sent what was written */
	struct flow flow;
	int64_t oldest_ns; /* the greatest age of the newest data at the reader */
	uint64_t sent, left_out;
};

static void send_piece(struct link *l, size_t n, int64_t now_ns)
{
	double begin = l->free_ns > (double)now_ns ? l->free_ns : (double)now_ns;

	assert_true(l->n < PIECES);
	flow_wrote(&l->flow, n, now_ns);
	l->free_ns = begin + (double)n / l->rate * 1e9;
	l->pieces[l->n].end = l->flow.written;
	l->pieces[l->n].made_ns = now_ns;
	l->pieces[l->n++].acked_ns = (int64_t)l->free_ns + l->trip_ns;
	l->sent += n;
}

/* A piece of `bytes` every `every_ns`; a lean one is never less than `least`. */
static void run_link(struct link *l, size_t bytes, size_t least, int64_t every_ns, int64_t until_ns)
{
	int64_t due = 0, newest = 0;

	send_piece(l, 4600, 0); /* the start block */
	flow_acked(&l->flow, 0, 0);
	for (int64_t now = STEP_NS; now < until_ns; now += STEP_NS) {
		for (; l->acked < l->n && l->pieces[l->acked].acked_ns <= now; l->acked++)
			flow_acked(&l->flow, l->pieces[l->acked].end, now);
		for (unsigned i = 0; i < l->n; i++)
			if (l->pieces[i].acked_ns - l->trip_ns / 2 <= now && l->pieces[i].made_ns > newest)
				newest = l->pieces[i].made_ns;
		if (now > 10000 * MS && now - newest > l->oldest_ns)
			l->oldest_ns = now - newest;
		if (now >= due) {
			size_t room = flow_room(&l->flow, now);

			due = now + every_ns;
			l->left_out += room < bytes && now > 10000 * MS;
			if (room)
				send_piece(l, room >= bytes ? bytes : room < least ? least : room, now);
		}
	}
}

TEST(a_link_is_used_as_far_as_it_goes)
{
	static const struct {
		const char *name;
		double rate;
		int64_t trip_ns;
		size_t bytes, least;
		int64_t most_ms;
		bool all; /* nothing is left out */
	} links[] = {
		{"1 kB/s, 300 ms", 1e3, 300 * MS, 5000, 500, 2000, false},
		{"2 kB/s, 300 ms", 2e3, 300 * MS, 5000, 500, 2000, false},
		{"20 kB/s, 50 ms", 2e4, 50 * MS, 5000, 500, 1000, true},
		{"60 kB/s with too much", 6e4, 50 * MS, 113000, 500, 2000, false},
		{"1 MB/s, 300 ms", 1e6, 300 * MS, 113000, 500, 1000, true},
		{"1 MB/s, 500 ms", 1e6, 500 * MS, 5000, 500, 1000, true},
	};

	for (size_t i = 0; i < ARRAY_LEN(links); i++) {
		struct link *l = xcalloc(1, sizeof(*l));

		l->rate = links[i].rate;
		l->trip_ns = links[i].trip_ns;
		run_link(l, links[i].bytes, links[i].least, links[i].all ? 500 * MS : 100 * MS, 60000 * MS);
		if (l->oldest_ns > links[i].most_ms * MS || (links[i].all && l->left_out))
			fail_msg("%s: the newest is up to %lld ms old, %llu were cut", links[i].name,
				 (long long)(l->oldest_ns / MS), (unsigned long long)l->left_out);
		if (!links[i].all && (double)l->sent < links[i].rate * 60 * 0.3)
			fail_msg("%s: only %llu bytes were sent", links[i].name, (unsigned long long)l->sent);
		free(l);
	}
}

TEST(without_acknowledgements_nothing_is_limited)
{
	struct flow f = {0};

	for (int i = 0; i < 1000; i++) {
		flow_wrote(&f, 100000, i * MS);
		assert_true(flow_room(&f, i * MS + 100000 * MS) == SIZE_MAX);
	}
}

TEST(a_reader_that_lies_stops_nothing_for_good)
{
	struct flow f = {0};

	flow_wrote(&f, 1000, 0);
	flow_acked(&f, UINT64_MAX, 1); /* more than was written: a greeting came first */
	assert_true(f.acked == 1000 && !f.n);
	flow_acked(&f, 5, 2); /* less than before */
	assert_true(f.acked == 1000);
	assert_true(flow_room(&f, 3) > 10000);
}
