/* regions: what malitop.h is made of, besides passes.h and link.h; it is C11 and C++11, and every
 * file of a program may include it. */
#ifndef MALITOP_LAYER_REGIONS_H
#define MALITOP_LAYER_REGIONS_H

#include "layer/link.h"

#ifdef MALITOP_COUNTERS
#include <linux/perf_event.h>
#endif

#define MALITOP_REGIONS_DEEP 32

struct malitop_region {
	int64_t begin_ns;
	uint64_t cycles, instructions;
	uint16_t name;
};

enum malitop_counting { MALITOP_UNASKED, MALITOP_UNCOUNTED, MALITOP_COUNTED };

struct malitop_thread {
	unsigned depth; /* of regions that began; those below MALITOP_REGIONS_DEEP are kept */
	enum malitop_counting counting;
	int cycles_fd, instructions_fd; /* a group; open if it is counted */
	uint32_t id;
	struct malitop_region regions[MALITOP_REGIONS_DEEP];
};

struct malitop_state {
	struct passes_link link;
	int64_t frame_ns; /* the last boundary; under the link's lock */
	struct passes_cpu cpu;
	uint64_t frames;
	bool has_key;
	pthread_key_t key; /* of threads with counters */
};

/* One of each for the program, however many files include this. */
#ifdef __cplusplus
extern "C" {
#endif
extern struct malitop_state malitop_state;
extern __thread struct malitop_thread malitop_thread;
__attribute__((weak)) struct malitop_state malitop_state;
__attribute__((weak)) __thread struct malitop_thread malitop_thread;
#ifdef __cplusplus
}
#endif

/* In a child of fork: it is never due again, so it records nothing, and its parent's regions are
 * not open in it. */
static inline void malitop_leave(void)
{
	passes_link_leave(&malitop_state.link);
	malitop_thread.depth = 0;
}

/* Time at a tick of the kernel's: cheap, and close enough to look once a second. */
static inline bool malitop_is_due(void)
{
	return (int64_t)passes_clock_ns(CLOCK_MONOTONIC_COARSE) >=
	       __atomic_load_n(&malitop_state.link.next_ns, __ATOMIC_RELAXED);
}

static inline bool malitop_listens(void)
{
	return __atomic_load_n(&malitop_state.link.connected, __ATOMIC_ACQUIRE) > 0;
}

static inline bool malitop_has_socket(void)
{
	char path[108];

	for (unsigned i = 0; i < PASSES_SOCKETS; i++)
		if (passes_socket_path(path, sizeof(path), i) && access(path, F_OK) == 0)
			return true;
	return false;
}

/* The memory is made when the first malitop is there. */
static inline bool malitop_tend(void)
{
	struct passes_link *link = &malitop_state.link;
	int64_t now_ns = passes_now_ns();
	int saved = errno;

	if (now_ns < __atomic_load_n(&link->next_ns, __ATOMIC_RELAXED))
		return malitop_listens();
	if (!passes_link_memory(link)) {
		__atomic_store_n(&link->next_ns, now_ns + PASSES_TEND_NS, __ATOMIC_RELAXED);
		if (malitop_has_socket() && pthread_mutex_trylock(&link->lock) == 0) {
			if (!link->memory)
				passes_link_open(link, PASSES_REGIONS, PASSES_STAMP_NONE, "", malitop_leave);
			pthread_mutex_unlock(&link->lock);
		}
	}
	passes_link_tend(link, now_ns);
	errno = saved;
	return malitop_listens();
}

#ifdef MALITOP_COUNTERS
static inline int malitop_open_counter(uint64_t config, int group)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.type = PERF_TYPE_HARDWARE;
	attr.size = sizeof(attr);
	attr.config = config;
	attr.exclude_kernel = attr.exclude_hv = 1;
	attr.read_format = PERF_FORMAT_GROUP;
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
}

static inline void malitop_close_counters(void *thread)
{
	struct malitop_thread *t = (struct malitop_thread *)thread;

	t->counting = MALITOP_UNCOUNTED;
	close(t->instructions_fd);
	close(t->cycles_fd);
}

/* The descriptors of a thread are closed when it ends. */
static inline bool malitop_open_counters(struct malitop_thread *t)
{
	bool has_key;

	pthread_mutex_lock(&malitop_state.link.lock);
	if (!malitop_state.has_key)
		malitop_state.has_key = pthread_key_create(&malitop_state.key, malitop_close_counters) == 0;
	has_key = malitop_state.has_key;
	pthread_mutex_unlock(&malitop_state.link.lock);
	t->cycles_fd = has_key ? malitop_open_counter(PERF_COUNT_HW_CPU_CYCLES, -1) : -1;
	if (t->cycles_fd < 0)
		return false;
	t->instructions_fd = malitop_open_counter(PERF_COUNT_HW_INSTRUCTIONS, t->cycles_fd);
	if (t->instructions_fd >= 0 && pthread_setspecific(malitop_state.key, t) == 0)
		return true;
	close(t->cycles_fd);
	return false;
}

/* Counts of this thread so far; UINT64_MAX if the kernel refuses. */
static inline void malitop_read_counters(struct malitop_thread *t, uint64_t *cycles, uint64_t *instructions)
{
	uint64_t group[3];
	int saved = errno;

	if (t->counting == MALITOP_UNASKED)
		t->counting = malitop_open_counters(t) ? MALITOP_COUNTED : MALITOP_UNCOUNTED;
	if (t->counting == MALITOP_COUNTED && read(t->cycles_fd, group, sizeof(group)) == sizeof(group)) {
		*cycles = group[1];
		*instructions = group[2];
	}
	errno = saved;
}
#else
static inline void malitop_read_counters(struct malitop_thread *t, uint64_t *cycles, uint64_t *instructions)
{
	(void)t, (void)cycles, (void)instructions;
}
#endif

static inline void malitop_write(struct passes_event *e)
{
	uint64_t *memory = passes_link_memory(&malitop_state.link);

	if (memory)
		passes_write(memory, e);
}

static inline void malitop_push(const char *name)
{
	struct malitop_thread *t = &malitop_thread;
	struct malitop_region *region;

	if (!malitop_listens() && !malitop_tend() && !t->depth)
		return;
	if (t->depth++ >= MALITOP_REGIONS_DEEP)
		return;
	region = &t->regions[t->depth - 1];
	region->name = passes_link_name(&malitop_state.link, name);
	region->cycles = region->instructions = UINT64_MAX;
	malitop_read_counters(t, &region->cycles, &region->instructions);
	region->begin_ns = passes_now_ns();
}

static inline uint64_t malitop_difference(uint64_t begin, uint64_t end)
{
	return begin == UINT64_MAX || end == UINT64_MAX ? UINT64_MAX : end - begin;
}

static inline void malitop_pop(void)
{
	struct malitop_thread *t = &malitop_thread;
	uint64_t cycles = UINT64_MAX, instructions = UINT64_MAX;
	struct malitop_region *region;
	struct passes_event e;

	if (--t->depth >= MALITOP_REGIONS_DEEP) {
		return;
	}
	region = &t->regions[t->depth];
	memset(&e, 0, sizeof(e));
	e.end_ns = passes_now_ns();
	malitop_read_counters(t, &cycles, &instructions);
	if (!t->id)
		t->id = (uint32_t)syscall(SYS_gettid);
	e.type = PASSES_REGION;
	e.name = region->name;
	e.begin_ns = region->begin_ns;
	e.thread = t->id;
	e.cycles = malitop_difference(region->cycles, cycles);
	e.instructions = malitop_difference(region->instructions, instructions);
	malitop_write(&e);
	passes_link_tend(&malitop_state.link, e.end_ns);
}

/* A region of this thread begins. `name` is read before this returns. */
static inline void malitop_begin(const char *name)
{
	if (malitop_listens() || malitop_thread.depth || malitop_is_due())
		malitop_push(name);
}

/* The region that began last ends. Without a begin that was recorded it does nothing. */
static inline void malitop_end(void)
{
	if (malitop_thread.depth)
		malitop_pop();
}

/* A frame ends, and the next one begins. */
static inline void malitop_frame(void)
{
	struct passes_event e;

	if (!malitop_listens() && !(malitop_is_due() && malitop_tend()))
		return;
	memset(&e, 0, sizeof(e));
	e.type = PASSES_FRAME;
	e.kind = PASSES_CALLED;
	e.flags = PASSES_NO_TIMESTAMPS;
	pthread_mutex_lock(&malitop_state.link.lock);
	e.end_ns = passes_now_ns();
	e.begin_ns = malitop_state.frame_ns ? malitop_state.frame_ns : e.end_ns;
	malitop_state.frame_ns = e.end_ns;
	e.frame = malitop_state.frames++;
	passes_cpu_end(&malitop_state.cpu, &e);
	malitop_write(&e);
	pthread_mutex_unlock(&malitop_state.link.lock);
	passes_link_tend(&malitop_state.link, e.end_ns);
}

/* Something worth a mark happens now. */
static inline void malitop_mark(const char *name)
{
	struct passes_event e;

	if (!malitop_listens() && !(malitop_is_due() && malitop_tend()))
		return;
	memset(&e, 0, sizeof(e));
	e.type = PASSES_MARK;
	e.name = passes_link_name(&malitop_state.link, name);
	e.begin_ns = e.end_ns = passes_now_ns();
	malitop_write(&e);
}

#endif
