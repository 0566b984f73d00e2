#include "record/recorder.h"

#include "base/alloc.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct sample_filter {
	/* Used by the thread of sample_filter_pass: */
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

struct sample_filter *sample_filter_new(unsigned n)
{
	struct sample_filter *filter = xcalloc(1, sizeof(*filter));

	filter->n = n;
	filter->kept_out = xcalloc(n, sizeof(*filter->kept_out));
	filter->passed = xcalloc(n, sizeof(*filter->passed));
	filter->paused = xcalloc(n, sizeof(*filter->paused));
	pthread_mutex_init(&filter->lock, NULL);
	return filter;
}

void sample_filter_free(struct sample_filter *filter)
{
	if (!filter)
		return;
	pthread_mutex_destroy(&filter->lock);
	free(filter->kept_out);
	free(filter->passed);
	free(filter->paused);
	free(filter->copy);
	free(filter->turn_ns);
	free(filter);
}

/* The time is taken under the lock: a sample that ends later then finds this turn. */
bool sample_filter_set(struct sample_filter *filter, const struct sys *sys, bool open)
{
	bool turns;
	int64_t now_ns;

	pthread_mutex_lock(&filter->lock);
	turns = filter->opened != open;
	now_ns = sys->monotonic_ns(sys);
	if (turns) {
		GROW(filter->turn_ns, filter->n_turns, filter->cap_turns);
		filter->turn_ns[filter->n_turns++] = now_ns;
		if (open)
			filter->since_ns = now_ns;
		else
			filter->before_ns += now_ns - filter->since_ns;
		filter->times += open;
		filter->opened = open;
	}
	pthread_mutex_unlock(&filter->lock);
	return turns;
}

int64_t sample_filter_open_ns(struct sample_filter *filter, const struct sys *sys, unsigned *times)
{
	int64_t ns;

	pthread_mutex_lock(&filter->lock);
	ns = filter->before_ns + (filter->opened ? sys->monotonic_ns(sys) - filter->since_ns : 0);
	*times = filter->times;
	pthread_mutex_unlock(&filter->lock);
	return ns;
}

/* Follow the turns before a time. A sample that was cut just before a turn may end with it. */
static void follow_turns(struct sample_filter *filter, int64_t end_ns)
{
	unsigned n = 0;

	pthread_mutex_lock(&filter->lock);
	while (n < filter->n_turns && filter->turn_ns[n] < end_ns)
		n++;
	filter->n_turns -= n;
	if (n)
		memmove(filter->turn_ns, filter->turn_ns + n, filter->n_turns * sizeof(*filter->turn_ns));
	pthread_mutex_unlock(&filter->lock);
	filter->is_open ^= n & 1;
}

static struct sample *copy_sample(struct sample_filter *filter, const struct sample *sample)
{
	size_t size = sample_size(sample);

	if (size > filter->copy_size) {
		free(filter->copy);
		filter->copy = xmalloc(size);
		filter->copy_size = size;
	}
	memcpy(filter->copy, sample, size);
	return filter->copy;
}

const struct sample *sample_filter_pass(struct sample_filter *filter, const struct sample *sample)
{
	struct sample *copy;
	uint32_t s;

	if (!filter || sample->source >= filter->n)
		return sample;
	s = sample->source;
	follow_turns(filter, sample->end_ns);
	if (!filter->is_open) {
		filter->kept_out[s]++;
		filter->paused[s] = true;
		return NULL;
	}
	copy = copy_sample(filter, sample);
	copy->seq -= filter->kept_out[s];
	if (filter->paused[s] && filter->passed[s])
		copy->flags |= SAMPLE_GAP;
	filter->paused[s] = false;
	filter->passed[s] = true;
	return copy;
}
