#include "backends/perf/sampling.h"

#include "base/alloc.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>

#define FRAMES_MOST 127
#define TRAILER 16                      /* pid, tid, time */
#define CONTEXT_LEAST ((uint64_t)-4095) /* greater frames are markers of the context */

/* The content of a record, read in order. A read past its end returns 0, and sets `short_of`. */
struct content {
	const unsigned char *p;
	size_t left;
	bool short_of;
};

static uint64_t take_u64(struct content *c)
{
	uint64_t v = 0;

	if (c->left < sizeof(v)) {
		c->short_of = true;
		return 0;
	}
	memcpy(&v, c->p, sizeof(v));
	c->p += sizeof(v);
	c->left -= sizeof(v);
	return v;
}

static void take_pair(struct content *c, uint32_t pair[2])
{
	uint64_t both = take_u64(c);

	memcpy(pair, &both, sizeof(both));
}

/* Return the text at the end of a record, before its trailer. The kernel terminates it. */
static const char *take_name(const struct content *c)
{
	size_t n = c->left > TRAILER ? c->left - TRAILER : 0;

	return n && memchr(c->p, 0, n) ? (const char *)c->p : NULL;
}

/* Add frames. Those of the kernel come first, the innermost of each part first. An outer frame is
 * the address after a call. */
static unsigned add_frames(struct sampling *s, pid_t pid, int64_t time_ns, const uint64_t *frames,
			   const bool *kernel, unsigned n, struct hot_place *leaf)
{
	struct hot_node node = {0};
	struct hot_place place;
	unsigned at = 0;

	for (unsigned i = n; i-- > 0;) {
		hot_maps_find(s->maps, pid, frames[i] - (i > 0), time_ns, kernel[i], &place);
		node.function =
			hot_profile_function(&s->profile, &(struct hot_function){place.function, place.module,
										 place.start, place.size});
		at = hot_profile_node(&s->profile, &node);
		node.parent = at + 1;
	}
	*leaf = place;
	return at;
}

static unsigned take_chain(struct content *c, uint64_t ip, bool in_kernel, uint64_t frames[FRAMES_MOST],
			   bool kernel[FRAMES_MOST])
{
	uint64_t n_reported = take_u64(c);
	bool now = in_kernel;
	unsigned n = 0;

	for (uint64_t i = 0; i < n_reported && !c->short_of && n < FRAMES_MOST; i++) {
		uint64_t frame = take_u64(c);

		if (frame >= CONTEXT_LEAST) {
			now = frame == PERF_CONTEXT_KERNEL;
			continue;
		}
		frames[n] = frame;
		kernel[n++] = now;
	}
	if (n)
		return n;
	frames[0] = ip;
	kernel[0] = in_kernel;
	return 1;
}

/* u64 ip; u32 pid, tid; u64 time, period; with call chains u64 nr, ips[nr] */
static void take_sample(struct sampling *s, const struct perf_event_header *head, struct content *c,
			int64_t time_ns)
{
	uint64_t frames[FRAMES_MOST], ip = take_u64(c), period;
	bool kernel[FRAMES_MOST], in_kernel;
	struct hot_place leaf;
	uint32_t who[2];
	struct hot_hit hit = {.count = 1};
	struct hot_thread thread;
	char process[HOT_NAME];
	unsigned n = 1;

	take_pair(c, who);
	take_u64(c);
	period = take_u64(c);
	in_kernel = (head->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	frames[0] = ip;
	kernel[0] = in_kernel;
	if (s->event.calls)
		n = take_chain(c, ip, in_kernel, frames, kernel);
	if (c->short_of || !who[0]) /* the idle task */
		return;
	snprintf(process, sizeof(process), "%s", hot_maps_thread(s->maps, (pid_t)who[0], (pid_t)who[0]));
	thread = (struct hot_thread){who[0], who[1], hot_maps_thread(s->maps, (pid_t)who[0], (pid_t)who[1]),
				     process};
	hit.thread = hot_profile_thread(&s->profile, &thread);
	hit.node = add_frames(s, (pid_t)who[0], time_ns, frames, kernel, n, &leaf);
	hit.offset = leaf.address - leaf.start;
	hit.weight = period;
	GROW(s->moments, s->n_moments, s->cap_moments);
	s->moments[s->n_moments++] = (struct hot_moment){hot_profile_hit(&s->profile, &hit), time_ns};
	s->count[SAMPLING_SAMPLES]++;
	s->count[SAMPLING_WEIGHT] += period;
}

/* u32 pid, tid; u64 addr, len, pgoff; u32 major, minor; u64 inode, generation; u32 prot, flags;
 * path */
static void take_map(struct sampling *s, struct content *c)
{
	uint32_t who[2], device[2];
	struct hot_mapping mapping;

	take_pair(c, who);
	mapping.start = take_u64(c);
	mapping.size = take_u64(c);
	mapping.offset = take_u64(c);
	take_pair(c, device);
	mapping.major = device[0];
	mapping.minor = device[1];
	mapping.inode = take_u64(c);
	take_u64(c);
	take_u64(c);
	mapping.path = take_name(c);
	if (!c->short_of && mapping.path)
		hot_maps_map(s->maps, (pid_t)who[0], &mapping);
}

static void take_comm(struct sampling *s, const struct perf_event_header *head, struct content *c)
{
	uint32_t who[2];
	const char *name;

	take_pair(c, who);
	name = take_name(c);
	if (c->short_of || !name)
		return;
	if (head->misc & PERF_RECORD_MISC_COMM_EXEC)
		hot_maps_exec(s->maps, (pid_t)who[0]);
	hot_maps_name(s->maps, (pid_t)who[0], (pid_t)who[1], name);
}

/* u32 pid, ppid, tid, ptid */
static void take_task(struct sampling *s, const struct perf_event_header *head, struct content *c)
{
	uint32_t pids[2], tids[2];

	take_pair(c, pids);
	take_pair(c, tids);
	if (c->short_of)
		return;
	if (head->type == PERF_RECORD_FORK)
		hot_maps_fork(s->maps, (pid_t)pids[0], (pid_t)tids[0], (pid_t)pids[1]);
	else
		hot_maps_exit(s->maps, (pid_t)pids[0], (pid_t)tids[0]);
}

void sampling_take(struct sampling *s, const struct perf_event_header *head, int64_t time_ns)
{
	struct content c = {(const unsigned char *)(head + 1), head->size - sizeof(*head), false};

	switch (head->type) {
	case PERF_RECORD_SAMPLE:
		take_sample(s, head, &c, time_ns);
		break;
	case PERF_RECORD_MMAP2:
		take_map(s, &c);
		break;
	case PERF_RECORD_COMM:
		take_comm(s, head, &c);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		take_task(s, head, &c);
		break;
	case PERF_RECORD_LOST: /* u64 id, lost */
		take_u64(&c);
		s->count[SAMPLING_LOST] += take_u64(&c);
		break;
	case PERF_RECORD_THROTTLE:
		s->count[SAMPLING_THROTTLED]++;
		break;
	}
}

void sampling_finish(struct sampling *s, int64_t end_ns)
{
	struct sample *sample = s->sample;
	int64_t cost_ns = s->sys->thread_ns(s->sys);

	sample->begin_ns = s->begin_ns;
	sample->end_ns = end_ns;
	sample->flags = sample->lost = 0;
	sample->n_values = SAMPLING_SLOTS;
	sample->n_more = (uint16_t)hot_words_put(&s->profile, s->moments, s->n_moments, s->begin_ns,
						 sample->value + SAMPLING_SLOTS, HOT_WORDS,
						 &s->count[SAMPLING_UNKEPT]);
	/* Events of the kernel's clock are CPU time. Otherwise the rate defines the CPU time of a
	 * sample. */
	s->count[SAMPLING_RUN_TIME] = s->event.is_time ? s->count[SAMPLING_WEIGHT]
				      : s->event.rate
					      ? s->count[SAMPLING_SAMPLES] * (1000000000 / s->event.rate)
					      : SAMPLE_UNKNOWN;
	s->count[SAMPLING_GIVEN_UP] = hot_maps_given_up(s->maps) - s->given_up;
	s->given_up += s->count[SAMPLING_GIVEN_UP];
	s->count[SAMPLING_COST] = (uint64_t)(cost_ns - s->cost_ns);
	memcpy(sample->value, s->count, sizeof(s->count));
	memset(s->count, 0, sizeof(s->count));
	hot_profile_clear(&s->profile);
	s->n_moments = 0;
	s->begin_ns = end_ns;
	s->cost_ns = cost_ns;
}
