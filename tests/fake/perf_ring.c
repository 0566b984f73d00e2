/* Sampling: the rings that events write, and the records in them. A test says what is sampled and
 * mapped; this decides who gets it, and what is lost. */
#include "tests/fake/perf_priv.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Words of the page before the data. */
enum { DATA_HEAD = 1024 / 8, DATA_TAIL = 1032 / 8, DATA_OFFSET = 1040 / 8, DATA_SIZE = 1048 / 8 };

enum {
	RECORD_LOST = 2,
	RECORD_COMM = 3,
	RECORD_EXIT = 4,
	RECORD_THROTTLE = 5,
	RECORD_FORK = 7,
	RECORD_SAMPLE = 9,
	RECORD_MMAP2 = 10
};
enum { SAMPLE_CALLCHAIN = 32 };
enum { MISC_KERNEL = 1, MISC_USER = 2, MISC_EXEC = 1 << 13 };

struct ring_record {
	unsigned char bytes[2048];
	size_t n;
};

static void add_bytes(struct ring_record *r, const void *bytes, size_t n)
{
	memcpy(r->bytes + r->n, bytes, n);
	r->n += n;
}

static void add_u64(struct ring_record *r, uint64_t v)
{
	add_bytes(r, &v, sizeof(v));
}

static void add_pair(struct ring_record *r, uint32_t a, uint32_t b)
{
	add_bytes(r, &a, sizeof(a));
	add_bytes(r, &b, sizeof(b));
}

static void add_text(struct ring_record *r, const char *text)
{
	size_t n = strlen(text) + 1, whole = (n + 7) / 8 * 8;

	add_bytes(r, text, n);
	memset(r->bytes + r->n, 0, whole - n);
	r->n += whole - n;
}

/* ---- rings ---- */

void *fake_perf_mmap(struct fake_perf *f, size_t n, int prot, int flags, int fd, int64_t at)
{
	struct fake_event *e = fake_perf_find(f, fd);
	size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = n / page;
	void *p;

	if (!e || e->ring || n % page || pages < 2 || (pages - 1) & (pages - 2) || at ||
	    !(flags & MAP_SHARED) || !(prot & PROT_READ) || (e->cpu == -1 && e->attr.bits & FAKE_INHERIT)) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	if (!(prot & PROT_WRITE))
		fake_perf_breach(f,
				 "a ring that cannot be written: the kernel writes over what was not read");
	if (f->mlock_pages && pages - 1 > f->mlock_pages && !fake_perfmon(f) && f->paranoid > -1) {
		errno = EPERM;
		return MAP_FAILED;
	}
	p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return p;
	e->ring = p;
	e->ring[DATA_OFFSET] = page;
	e->ring[DATA_SIZE] = n - page;
	return p;
}

void fake_perf_unmapped(struct fake_perf *f, const void *p)
{
	for (unsigned i = 0; i < f->n_events; i++)
		if (f->events[i]->ring == p)
			f->events[i]->ring = NULL;
}

/* PERF_EVENT_IOC_SET_OUTPUT: into the ring of another event of the same CPU. */
int fake_perf_set_output(struct fake_perf *f, struct fake_event *e, int fd)
{
	struct fake_event *to = fake_perf_find(f, fd);

	if (!to || to == e || to->cpu != e->cpu || to->cpu < 0 || e->ring)
		return fake_perf_fail(to ? EINVAL : EBADF);
	e->output_id = to->id;
	return 0;
}

static struct fake_event *ring_of(const struct fake_perf *f, struct fake_event *e)
{
	struct fake_event *owner = e->parent ? e->parent : e;

	for (unsigned i = 0; owner->output_id && i < f->n_events; i++)
		if (f->events[i]->id == owner->output_id && !f->events[i]->parent)
			return f->events[i];
	return owner;
}

size_t fake_ring_room(const struct fake_event *e)
{
	return e->ring[DATA_SIZE] - (e->ring[DATA_HEAD] - e->ring[DATA_TAIL]);
}

void fake_ring_bytes(struct fake_event *e, const void *bytes, size_t n)
{
	unsigned char *data = (unsigned char *)e->ring + e->ring[DATA_OFFSET];

	for (size_t i = 0; i < n; i++)
		data[e->ring[DATA_HEAD]++ % e->ring[DATA_SIZE]] = ((const unsigned char *)bytes)[i];
}

void fake_ring_head(struct fake_event *e, unsigned type, unsigned misc, size_t size)
{
	fake_ring_bytes(e, &(uint32_t){type}, 4);
	fake_ring_bytes(e, &(uint16_t){(uint16_t)misc}, 2);
	fake_ring_bytes(e, &(uint16_t){(uint16_t)size}, 2);
}

static void put_whole(struct fake_event *ring, unsigned type, unsigned misc, const struct ring_record *r)
{
	fake_ring_head(ring, type, misc, r->n + 8);
	fake_ring_bytes(ring, r->bytes, r->n);
}

/* A record of what was lost comes before the next record that fits. */
static void put_record(struct fake_perf *f, struct fake_event *e, unsigned type, unsigned misc,
		       const struct ring_record *r)
{
	struct fake_event *ring = ring_of(f, e);
	struct ring_record lost = {.n = 0};

	if (!ring->ring)
		return;
	add_u64(&lost, ring->id);
	add_u64(&lost, ring->lost_records);
	add_pair(&lost, 0, 0);
	add_u64(&lost, (uint64_t)f->now_ns);
	if (fake_ring_room(ring) < r->n + 8 + (ring->lost_records ? lost.n + 8 : 0)) {
		ring->lost_records++;
		return;
	}
	if (ring->lost_records)
		put_whole(ring, RECORD_LOST, 0, &lost);
	ring->lost_records = 0;
	put_whole(ring, type, misc, r);
}

/* ---- records ---- */

static bool concerns(const struct fake_event *e, int cpu, pid_t tid)
{
	return e->state >= FAKE_INACTIVE && (e->cpu < 0 || e->cpu == cpu) &&
	       (!e->task || e->task->pid == tid) && e->attr.sample_period;
}

void fake_perf_sample(struct fake_perf *f, const struct fake_hit *hit)
{
	for (unsigned i = 0; i < f->n_events; i++) {
		struct fake_event *e = f->events[i];
		bool freq = e->attr.bits & FAKE_FREQ;
		struct ring_record r = {.n = 0};

		if (!concerns(e, hit->cpu, hit->tid) || (hit->kernel && e->attr.bits & FAKE_EXCLUDE_KERNEL) ||
		    (!hit->kernel && e->attr.bits & FAKE_EXCLUDE_USER))
			continue;
		add_u64(&r, hit->ip);
		add_pair(&r, (uint32_t)hit->pid, (uint32_t)hit->tid);
		add_u64(&r, (uint64_t)f->now_ns);
		add_u64(&r, freq ? 1000000000 / e->attr.sample_period : e->attr.sample_period);
		if (e->attr.sample_type & SAMPLE_CALLCHAIN) {
			add_u64(&r, hit->n_frames + 2);
			add_u64(&r, hit->kernel ? (uint64_t)-128 : (uint64_t)-512);
			add_u64(&r, hit->ip);
			for (unsigned k = 0; k < hit->n_frames; k++)
				add_u64(&r, hit->frames[k]);
		}
		put_record(f, e, RECORD_SAMPLE, hit->kernel ? MISC_KERNEL : MISC_USER, &r);
	}
}

/* A record that is no sample. Events that share a ring repeat it there, as in the kernel. */
static void put_side(struct fake_perf *f, int cpu, pid_t tid, uint64_t wants, unsigned type, unsigned misc,
		     struct ring_record *r, pid_t pid)
{
	add_pair(r, (uint32_t)pid, (uint32_t)tid);
	add_u64(r, (uint64_t)f->now_ns);
	for (unsigned i = 0; i < f->n_events; i++)
		if (concerns(f->events[i], cpu, tid) && (f->events[i]->attr.bits & wants) == wants)
			put_record(f, f->events[i], type, misc, r);
}

void fake_perf_map_file(struct fake_perf *f, int cpu, pid_t pid, uint64_t start, uint64_t size,
			const char *path)
{
	struct ring_record r = {.n = 0};

	add_pair(&r, (uint32_t)pid, (uint32_t)pid);
	add_u64(&r, start);
	add_u64(&r, size);
	add_u64(&r, 0);
	add_pair(&r, 8, 1);
	add_u64(&r, 77);
	add_u64(&r, 0);
	add_pair(&r, PROT_READ | PROT_EXEC, MAP_PRIVATE);
	add_text(&r, path);
	put_side(f, cpu, pid, FAKE_MMAP | FAKE_MMAP2, RECORD_MMAP2, MISC_USER, &r, pid);
}

void fake_perf_comm(struct fake_perf *f, int cpu, pid_t pid, pid_t tid, const char *name, bool exec)
{
	struct ring_record r = {.n = 0};

	add_pair(&r, (uint32_t)pid, (uint32_t)tid);
	add_text(&r, name);
	put_side(f, cpu, tid, FAKE_COMM, RECORD_COMM, exec ? MISC_EXEC : 0, &r, pid);
}

void fake_perf_task_record(struct fake_perf *f, int cpu, bool exit, pid_t pid, pid_t tid, pid_t parent)
{
	struct ring_record r = {.n = 0};

	add_pair(&r, (uint32_t)pid, (uint32_t)parent);
	add_pair(&r, (uint32_t)tid, (uint32_t)parent);
	add_u64(&r, (uint64_t)f->now_ns);
	put_side(f, cpu, exit ? tid : parent, FAKE_TASK, exit ? RECORD_EXIT : RECORD_FORK, 0, &r, pid);
}

void fake_perf_throttle(struct fake_perf *f, int cpu)
{
	for (unsigned i = 0; i < f->n_events; i++) {
		struct ring_record r = {.n = 0};

		if (f->events[i]->cpu != cpu)
			continue;
		add_u64(&r, (uint64_t)f->now_ns);
		add_u64(&r, f->events[i]->id);
		add_u64(&r, f->events[i]->id);
		add_pair(&r, 0, 0);
		add_u64(&r, (uint64_t)f->now_ns);
		put_record(f, f->events[i], RECORD_THROTTLE, 0, &r);
	}
}
