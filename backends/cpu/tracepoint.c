#include "backends/cpu/tracepoint.h"

#include "base/alloc.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ONLINE "sys/devices/system/cpu/online"
#define RING_PAGES 4 /* a power of two; an event of a hundred bytes a second and user */
#define FORMAT_TEXT 8192
#define RECORD_MAX 512 /* bytes; a longer one is none of ours */

static const char *const roots[] = {"sys/kernel/tracing", "sys/kernel/debug/tracing"};

bool tracepoint_find(struct tracepoint *t, const struct sys *sys, const char *name, struct err *err)
{
	int code = 0;

	for (size_t i = 0; i < ARRAY_LEN(roots); i++) {
		char path[sizeof(t->dir) + 4];
		int64_t id;

		*t = (struct tracepoint){.sys = sys};
		snprintf(t->dir, sizeof(t->dir), "%s/events/%s", roots[i], name);
		snprintf(path, sizeof(path), "%s/id", t->dir);
		errno = 0;
		if (sys_read_i64(sys, path, &id) && id > 0) {
			t->id = (uint64_t)id;
			return true;
		}
		code = errno == EACCES || errno == EPERM ? EACCES : code;
	}
	t->id = 0;
	if (code)
		return err_set(err, code, "/%s: %s", roots[0], strerror(code));
	return err_set(err, ENOENT, "%s: the kernel has no such event, or tracefs is not mounted", name);
}

/* "	field:u32 uid;	offset:12;	size:4;	signed:0;" */
bool tracepoint_field(const struct tracepoint *t, const char *name, struct tracepoint_field *field)
{
	AUTOFREE char *text = xmalloc(FORMAT_TEXT);
	char path[sizeof(t->dir) + 8];
	struct span rest, line;
	ssize_t n;

	snprintf(path, sizeof(path), "%s/format", t->dir);
	n = sys_read_file(t->sys, path, text, FORMAT_TEXT);
	for (rest = (struct span){text, n > 0 ? (size_t)n : 0}; rest.n;) {
		struct span declared, word, last = {0};
		unsigned at, size;

		line = span_until(&rest, '\n');
		declared = span_until(&line, ';');
		while ((word = span_word(&declared)).n)
			last = word;
		if (!span_is(last, name) || sscanf(line.p, " offset:%u; size:%u;", &at, &size) != 2)
			continue;
		*field = (struct tracepoint_field){at, size};
		return (size == 4 || size == 8) && at <= RECORD_MAX - size;
	}
	return false;
}

const char *tracepoint_help(int code)
{
	return code == EACCES || code == EPERM ? "run as root, or on Android in adb shell" : NULL;
}

uint64_t tracepoint_value(const struct tracepoint_field *field, const unsigned char *bytes, size_t n)
{
	uint32_t word = 0;
	uint64_t value = 0;
	bool whole = field->at + field->size <= n;

	if (whole && field->size == sizeof(value))
		memcpy(&value, bytes + field->at, sizeof(value));
	else if (whole)
		memcpy(&word, bytes + field->at, sizeof(word));
	return value + word;
}

/* ---- the events of each CPU ---- */

static size_t ring_bytes(void)
{
	return (1 + RING_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
}

static void close_cpu(struct tracepoint_cpus *cpus)
{
	const struct sys *sys = cpus->of.sys;
	struct tracepoint_cpu *c = &cpus->cpus[--cpus->n];

	if (c->ring)
		sys->munmap(sys, c->ring, ring_bytes());
	sys->close(sys, c->fd);
}

static bool read_count(const struct sys *sys, int fd, uint64_t *count)
{
	return sys->read(sys, fd, count, sizeof(*count)) == (ssize_t)sizeof(*count);
}

/* Returns 0 or an errno. */
static int open_cpu(struct tracepoint_cpus *cpus, unsigned number)
{
	const struct sys *sys = cpus->of.sys;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = cpus->of.id,
		.sample_period = cpus->one_by_one,
		.sample_type = cpus->one_by_one ? PERF_SAMPLE_RAW : 0,
	};
	struct tracepoint_cpu *c;
	int fd = sys->perf_event_open(sys, &attr, -1, (int)number, -1, PERF_FLAG_FD_CLOEXEC), code;

	if (fd < 0)
		return errno == ENODEV ? 0 : errno; /* it went offline meanwhile */
	GROW(cpus->cpus, cpus->n, cpus->cap);
	c = &cpus->cpus[cpus->n++];
	*c = (struct tracepoint_cpu){.fd = fd};
	if (cpus->filter[0] && sys->ioctl(sys, fd, PERF_EVENT_IOC_SET_FILTER, cpus->filter) != 0)
		code = errno;
	else if (cpus->one_by_one && !(c->ring = sys_map_shared(sys, fd, ring_bytes(), 0)))
		code = errno;
	else
		return 0;
	close_cpu(cpus);
	return code;
}

static int open_all(struct tracepoint_cpus *cpus)
{
	for (unsigned i = 0; i < CPU_NUMBER_MAX; i++) {
		int code = cpu_set_has(&cpus->online, i) ? open_cpu(cpus, i) : 0;

		if (code)
			return code;
	}
	return cpus->n ? 0 : ENODEV;
}

bool tracepoint_open(struct tracepoint_cpus *cpus, const struct tracepoint *t, const char *filter,
		     bool one_by_one, struct err *err)
{
	int code;

	*cpus = (struct tracepoint_cpus){.of = *t, .one_by_one = one_by_one};
	snprintf(cpus->filter, sizeof(cpus->filter), "%s", filter);
	if (!cpu_set_read(t->sys, &cpus->online, ONLINE))
		return err_set(err, ENOENT, "/" ONLINE ": cannot be read");
	code = open_all(cpus);
	return !code || err_set(err, code, "/%s: cannot be counted: %s", t->dir, strerror(code));
}

void tracepoint_close(struct tracepoint_cpus *cpus)
{
	while (cpus->n)
		close_cpu(cpus);
	free(cpus->cpus);
	*cpus = (struct tracepoint_cpus){0};
}

static void follow_cpus(struct tracepoint_cpus *cpus)
{
	struct cpu_set online;
	uint64_t own;

	if (!cpu_set_read(cpus->of.sys, &online, ONLINE) ||
	    memcmp(&online, &cpus->online, sizeof(online)) == 0)
		return;
	while (cpus->n) {
		if (!cpus->one_by_one && read_count(cpus->of.sys, cpus->cpus[cpus->n - 1].fd, &own))
			cpus->counted += own;
		close_cpu(cpus);
	}
	cpus->online = online;
	open_all(cpus);
}

uint64_t tracepoint_count(struct tracepoint_cpus *cpus)
{
	uint64_t sum, own;

	follow_cpus(cpus);
	sum = cpus->counted;
	for (unsigned i = 0; i < cpus->n; i++) {
		if (!read_count(cpus->of.sys, cpus->cpus[i].fd, &own))
			return UINT64_MAX;
		sum += own;
	}
	return cpus->n ? sum : UINT64_MAX;
}

/* ---- rings ---- */

/* The data follows the first page: the kernel's data_offset is not known to Linux before 4.1. */
static void copy_bytes(const void *ring, uint64_t from, void *to, size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = RING_PAGES * page, at = (size_t)(from % size),
	       first = n < size - at ? n : size - at;
	const char *data = (const char *)ring + page;

	memcpy(to, data + at, first);
	memcpy((char *)to + first, data, n - first);
}

static void take_record(struct tracepoint_cpus *cpus, const struct perf_event_header *head,
			const unsigned char *body, size_t n, tracepoint_take_fn *take, void *ctx)
{
	uint32_t raw;
	uint64_t lost[2];

	if (head->type == PERF_RECORD_LOST && n >= sizeof(lost)) {
		memcpy(lost, body, sizeof(lost));
		cpus->lost += lost[1];
	}
	if (head->type != PERF_RECORD_SAMPLE || n < sizeof(raw))
		return;
	memcpy(&raw, body, sizeof(raw));
	take(ctx, body + sizeof(raw), raw < n - sizeof(raw) ? raw : n - sizeof(raw));
}

static void drain_ring(struct tracepoint_cpus *cpus, struct perf_event_mmap_page *page,
		       tracepoint_take_fn *take, void *ctx)
{
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), tail = page->data_tail;
	unsigned char body[RECORD_MAX];

	/* The page is the kernel's, but what it says is bounded all the same. */
	for (struct perf_event_header record; head - tail >= sizeof(record); tail += record.size) {
		copy_bytes(page, tail, &record, sizeof(record));
		if (record.size < sizeof(record) || record.size > head - tail)
			break;
		if (record.size - sizeof(record) > sizeof(body))
			continue;
		copy_bytes(page, tail + sizeof(record), body, record.size - sizeof(record));
		take_record(cpus, &record, body, record.size - sizeof(record), take, ctx);
	}
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
}

void tracepoint_drain(struct tracepoint_cpus *cpus, tracepoint_take_fn *take, void *ctx)
{
	for (unsigned i = 0; i < cpus->n; i++)
		drain_ring(cpus, cpus->cpus[i].ring, take, ctx);
	follow_cpus(cpus);
}
