#include "record/gate.h"

#include "base/alloc.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct gate {
	/* Used by the thread of gate_pass: */
	bool is_open; /* at the last sample */
	uint64_t *kept_out;
	bool *passed, *paused; /* by source: it has passed a sample; it was kept out since then */
	unsigned n;
	struct sample *copy;
	size_t copy_size;

	pthread_mutex_t lock; /* guards the rest */
	int64_t *turn_ns;     /* when it was opened or closed, in order, after the last sample */
	unsigned n_turns, cap_turns;
	bool opened; /* now */
	unsigned times;
	int64_t since_ns, before_ns; /* open since; open before that */
};

struct gate *gate_new(unsigned n)
{
	struct gate *gate = xcalloc(1, sizeof(*gate));

	gate->n = n;
	gate->kept_out = xcalloc(n, sizeof(*gate->kept_out));
	gate->passed = xcalloc(n, sizeof(*gate->passed));
	gate->paused = xcalloc(n, sizeof(*gate->paused));
	pthread_mutex_init(&gate->lock, NULL);
	return gate;
}

void gate_free(struct gate *gate)
{
	if (!gate)
		return;
	pthread_mutex_destroy(&gate->lock);
	free(gate->kept_out);
	free(gate->passed);
	free(gate->paused);
	free(gate->copy);
	free(gate->turn_ns);
	free(gate);
}

/* The time is taken under the lock: a sample that ends later then finds this turn. */
bool gate_set(struct gate *gate, const struct sys *sys, bool open)
{
	bool turns;
	int64_t now_ns;

	pthread_mutex_lock(&gate->lock);
	turns = gate->opened != open;
	now_ns = sys->monotonic_ns(sys);
	if (turns) {
		GROW(gate->turn_ns, gate->n_turns, gate->cap_turns);
		gate->turn_ns[gate->n_turns++] = now_ns;
		if (open)
			gate->since_ns = now_ns;
		else
			gate->before_ns += now_ns - gate->since_ns;
		gate->times += open;
		gate->opened = open;
	}
	pthread_mutex_unlock(&gate->lock);
	return turns;
}

int64_t gate_open_ns(struct gate *gate, const struct sys *sys, unsigned *times)
{
	int64_t ns;

	pthread_mutex_lock(&gate->lock);
	ns = gate->before_ns + (gate->opened ? sys->monotonic_ns(sys) - gate->since_ns : 0);
	*times = gate->times;
	pthread_mutex_unlock(&gate->lock);
	return ns;
}

/* Follow the turns before a time. A sample that was cut just before a turn may end with it. */
static void follow_turns(struct gate *gate, int64_t end_ns)
{
	unsigned n = 0;

	pthread_mutex_lock(&gate->lock);
	while (n < gate->n_turns && gate->turn_ns[n] < end_ns)
		n++;
	gate->n_turns -= n;
	if (n)
		memmove(gate->turn_ns, gate->turn_ns + n, gate->n_turns * sizeof(*gate->turn_ns));
	pthread_mutex_unlock(&gate->lock);
	gate->is_open ^= n & 1;
}

static struct sample *copy_sample(struct gate *gate, const struct sample *sample)
{
	size_t size = sample_size(sample);

	if (size > gate->copy_size) {
		free(gate->copy);
		gate->copy = xmalloc(size);
		gate->copy_size = size;
	}
	memcpy(gate->copy, sample, size);
	return gate->copy;
}

const struct sample *gate_pass(struct gate *gate, const struct sample *sample)
{
	struct sample *copy;
	uint32_t s;

	if (!gate || sample->source >= gate->n)
		return sample;
	s = sample->source;
	follow_turns(gate, sample->end_ns);
	if (!gate->is_open) {
		gate->kept_out[s]++;
		gate->paused[s] = true;
		return NULL;
	}
	copy = copy_sample(gate, sample);
	copy->seq -= gate->kept_out[s];
	if (gate->paused[s] && gate->passed[s])
		copy->flags |= SAMPLE_GAP;
	gate->paused[s] = false;
	gate->passed[s] = true;
	return copy;
}
