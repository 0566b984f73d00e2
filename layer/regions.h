/* regions: what malitop.h is made of, besides passes.h and link.h; it is C11 and C++11, and every
 * file of a program may include it. */
#ifndef MALITOP_LAYER_REGIONS_H
#define MALITOP_LAYER_REGIONS_H

#include "layer/link.h"

#ifdef MALITOP_COUNTERS
#include <linux/perf_event.h>
#endif

#define MALITOP_REGIONS_DEEP 32
#define MALITOP_COUNTED_MOST 256 /* threads with counters at a time; others are not counted */

struct malitop_region {
	int64_t begin_ns;
	uint64_t cycles, instructions;
	uint16_t name;
};

/* The events of a thread that counts: a group. No one tells when the thread ends, so the next one
 * that begins to count closes them. */
struct malitop_counters {
	uint32_t thread; /* 0: free */
	struct passes_fd cycles, instructions;
};

enum malitop_counting { MALITOP_UNASKED, MALITOP_UNCOUNTED, MALITOP_COUNTED };

struct malitop_thread {
	unsigned depth; /* of regions that began; those below MALITOP_REGIONS_DEEP are kept */
	enum malitop_counting counting;
	struct malitop_counters *counters; /* if it is counted */
	uint32_t id;
	struct malitop_region regions[MALITOP_REGIONS_DEEP];
};

struct malitop_state {
	struct passes_link link;
	int64_t frame_ns; /* the last boundary; under the link's lock */
	struct passes_cpu cpu;
	uint64_t frames;
	unsigned users; /* files that include this, of all objects that are loaded */
	struct malitop_counters counters[MALITOP_COUNTED_MOST]; /* under the link's lock */
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

static inline void malitop_close_counters(struct malitop_counters *c)
{
	passes_fd_close(&c->instructions);
	passes_fd_close(&c->cycles);
	c->thread = 0;
}

static inline void malitop_close_all_counters(void)
{
	for (unsigned i = 0; i < MALITOP_COUNTED_MOST; i++)
		if (malitop_state.counters[i].thread)
			malitop_close_counters(&malitop_state.counters[i]);
}

/* Whether this is a child of fork that has what its parent opened, which the first call closes. The
 * child is never due again, so it records nothing, and its parent's regions are not open in it. */
static inline bool malitop_leave(void)
{
	struct passes_link *link = &malitop_state.link;

	if (!passes_link_memory(link) || passes_link_is_own(link))
		return false;
	malitop_thread.depth = 0;
	__atomic_store_n(&link->connected, 0u, __ATOMIC_RELEASE);
	__atomic_store_n(&link->next_ns, INT64_MAX, __ATOMIC_RELEASE);
	if (__atomic_exchange_n(&link->memory, (uint64_t *)NULL, __ATOMIC_ACQ_REL)) {
		passes_link_leave(link);
		malitop_close_all_counters();
	}
	return true;
}

/* The C library keeps no address of this code or its data, so that a plugin can be unloaded while
 * threads that called it live on: no thread may be in here then, but at the end of the program some
 * may, and go on writing. They get memory of their own in the place of the shared one. */
static inline void malitop_unload(void)
{
	struct passes_link *link = &malitop_state.link;

	malitop_leave();
	__atomic_store_n(&link->connected, 0u, __ATOMIC_RELEASE);
	__atomic_store_n(&link->next_ns, INT64_MAX, __ATOMIC_RELEASE);
	if (!passes_link_memory(link) || pthread_mutex_trylock(&link->lock) != 0)
		return;
	mmap(passes_link_hang_up(link), PASSES_BYTES, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
	malitop_close_all_counters();
	pthread_mutex_unlock(&link->lock);
}

/* A plugin may share the state of the program that loads it, so the last one closes it. */
__attribute__((constructor)) static void malitop_add_user(void)
{
	__atomic_fetch_add(&malitop_state.users, 1u, __ATOMIC_RELAXED);
}

__attribute__((destructor)) static void malitop_remove_user(void)
{
	if (__atomic_sub_fetch(&malitop_state.users, 1u, __ATOMIC_ACQ_REL) == 0)
		malitop_unload();
}

/* Time at a tick of the kernel's: cheap, and close enough to look once a second. */
static inline bool malitop_is_due(void)
{
	return (int64_t)passes_clock_ns(CLOCK_MONOTONIC_COARSE) >=
	       __atomic_load_n(&malitop_state.link.next_ns, __ATOMIC_RELAXED);
}

static inline bool malitop_listens(void)
{
	return __atomic_load_n(&malitop_state.link.connected, __ATOMIC_ACQUIRE) > 0 &&
	       passes_link_is_own(&malitop_state.link);
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

	if (malitop_leave())
		return false;
	if (now_ns < __atomic_load_n(&link->next_ns, __ATOMIC_RELAXED))
		return malitop_listens();
	if (!passes_link_memory(link)) {
		__atomic_store_n(&link->next_ns, now_ns + PASSES_TEND_NS, __ATOMIC_RELAXED);
		if (malitop_has_socket() && pthread_mutex_trylock(&link->lock) == 0) {
			if (!link->memory)
				passes_link_open(link, PASSES_REGIONS, PASSES_STAMP_NONE, "");
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

/* A free place, with the events of threads that have ended closed; NULL if there is none. */
static inline struct malitop_counters *malitop_find_counters(uint32_t thread)
{
	struct malitop_counters *found = NULL;

	for (unsigned i = MALITOP_COUNTED_MOST; i--;) {
		struct malitop_counters *c = &malitop_state.counters[i];

		if (c->thread &&
		    (c->thread == thread || syscall(SYS_tgkill, getpid(), (int)c->thread, 0) != 0))
			malitop_close_counters(c);
		found = c->thread ? found : c;
	}
	return found;
}

static inline bool malitop_open_counters(struct malitop_thread *t)
{
	struct malitop_counters *c;
	bool open = false;

	pthread_mutex_lock(&malitop_state.link.lock);
	c = malitop_find_counters(t->id);
	if (c && passes_fd_set(&c->cycles, malitop_open_counter(PERF_COUNT_HW_CPU_CYCLES, -1))) {
		open = passes_fd_set(&c->instructions,
				     malitop_open_counter(PERF_COUNT_HW_INSTRUCTIONS, c->cycles.fd));
		if (open)
			c->thread = t->id;
		else
			passes_fd_close(&c->cycles);
	}
	pthread_mutex_unlock(&malitop_state.link.lock);
	t->counters = c;
	return open;
}

/* Counts of this thread so far; UINT64_MAX if the kernel refuses. */
static inline void malitop_read_counters(struct malitop_thread *t, uint64_t *cycles, uint64_t *instructions)
{
	uint64_t group[3];
	int saved = errno;

	if (t->counting == MALITOP_UNASKED)
		t->counting = malitop_open_counters(t) ? MALITOP_COUNTED : MALITOP_UNCOUNTED;
	if (t->counting == MALITOP_COUNTED &&
	    read(t->counters->cycles.fd, group, sizeof(group)) == sizeof(group)) {
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
	if (!t->id)
		t->id = (uint32_t)syscall(SYS_gettid);
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

	if (malitop_leave() || --t->depth >= MALITOP_REGIONS_DEEP)
		return;
	region = &t->regions[t->depth];
	memset(&e, 0, sizeof(e));
	e.end_ns = passes_now_ns();
	malitop_read_counters(t, &cycles, &instructions);
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
