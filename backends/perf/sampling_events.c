#include "backends/perf/sampling.h"

#include "backends/perf/perf.h"
#include "base/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RING_PAGES 128 /* pages that an unprivileged user may have for each CPU (perf_event_mlock_kb) */
#define RING_PAGES_LEAST 8
#define EVENTS_MOST 4096 /* threads x CPUs */
#define DEFAULT_EVENT "cycles"
#define CLOCK_EVENT "cpu-clock"
#define RATE_MOST_FILE "proc/sys/kernel/perf_event_max_sample_rate"

struct sampling_opening {
	struct sampling *s;
	const struct source *source;
	struct scope scope;
	struct perf_pmus pmus;
	struct perf_name name;
	int32_t *tids; /* threads to sample, on every CPU; NULL: all that run on a CPU */
	unsigned n_tids;
	bool inherit;
	bool is_default;   /* the user requested no event */
	int64_t rate_most; /* that the kernel permits; 0: unknown */
	bool only_tries;   /* open one event and close it */
};

/* "EVENT:RATE" or "EVENT:N/": the part after the last colon, if it is a number. The kernel lowers
 * its maximum by itself when interrupts take long, so the default rate follows it. */
static bool split_event(struct sampling_event *event, const char *asked, int64_t rate_most, char *name,
			size_t size, struct err *err)
{
	const char *colon = strrchr(asked, ':');
	struct span digits = span_of(colon ? colon + 1 : "");
	uint64_t number = 0;

	event->is_lowered = rate_most > 0 && rate_most < SAMPLING_RATE;
	event->rate = event->is_lowered ? (uint64_t)rate_most : SAMPLING_RATE;
	if (colon && digits.n > 7 && memcmp(digits.p, "period=", 7) == 0) {
		event->rate = 0;
		digits = (struct span){digits.p + 7, digits.n - 7};
	}
	if (colon && span_u64(digits, &number)) {
		if (!number || (event->rate && number > 1000000))
			return err_set(err, ERR_USAGE,
				       "--hot: '%.40s': the rate must be from 1 to 1000000 a second", asked);
		*(event->rate ? &event->rate : &event->period) = number;
		event->is_lowered = false;
		snprintf(name, size, "%.*s", (int)(colon - asked), asked);
		return true;
	}
	snprintf(name, size, "%s", asked);
	return event->rate ||
	       err_set(err, ERR_USAGE, "--hot: '%.40s': expected period=N, a number of events", asked);
}

static bool find_threads(struct sampling_opening *o, struct err *err)
{
	const struct sys *sys = o->source->sys;
	unsigned cap = 0;
	char path[32];
	int n = 1;

	if (o->scope.kind == SCOPE_MACHINE || o->scope.kind == SCOPE_CPUS)
		return true;
	o->inherit = o->scope.kind != SCOPE_THREAD;
	o->s->on_exec = o->scope.kind == SCOPE_COMMAND;
	if (o->scope.kind == SCOPE_PROCESS) {
		snprintf(path, sizeof(path), "proc/%d/task", (int)o->scope.pid);
		n = sys->list_numbers(sys, path, &o->tids, &cap);
	} else {
		o->tids = xcalloc(1, sizeof(*o->tids));
		o->tids[0] = o->scope.pid;
	}
	o->n_tids = n > 0 ? (unsigned)n : 0;
	return o->n_tids || err_set(err, ESRCH, "hot: process %d: not found: see ps", (int)o->scope.pid);
}

/* ---- opening ---- */

/* Return the event for that CPU; NULL if its PMU has none. */
static const struct perf_event *event_on(const struct sampling_opening *o, unsigned cpu)
{
	for (unsigned i = 0; i < o->name.n; i++)
		if (!o->name.events[i].pmu || cpu_set_has(&o->name.events[i].pmu->cpus, cpu))
			return &o->name.events[i].event;
	return NULL;
}

static int open_event(const struct sampling_opening *o, const struct perf_event *event, pid_t tid, int cpu)
{
	const struct sampling_event *e = &o->s->event;
	bool software = event->type == PERF_TYPE_SOFTWARE;
	struct perf_event_attr attr = {
		.type = event->type,
		.size = sizeof(attr),
		.config = event->config,
		.config1 = event->config1,
		.config2 = event->config2,
		.sample_period = e->rate ? e->rate : e->period,
		.freq = e->rate != 0,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD |
			       (e->calls ? PERF_SAMPLE_CALLCHAIN : 0),
		.disabled = 1,
		.inherit = o->inherit,
		.enable_on_exec = o->s->on_exec,
		.exclude_user = o->name.kernel_only && !e->user_only,
		.exclude_kernel = e->user_only,
		.exclude_hv = e->user_only,
		.exclude_idle = software, /* some PMUs refuse it; their counters rest in idle */
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.sample_id_all = 1,
		.watermark = 1,
		.wakeup_watermark = (uint32_t)(RING_PAGES * sys_page_size() / 2),
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	return o->source->sys->perf_event_open(o->source->sys, &attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Map the largest permitted ring. */
static bool map_ring(struct sampling *s, int fd)
{
	struct sampling_ring ring = {.fd = fd};
	size_t page = sys_page_size();

	for (size_t pages = RING_PAGES; pages >= RING_PAGES_LEAST && !ring.page; pages /= 2) {
		ring.size = pages * page;
		ring.page = sys_map_shared(s->sys, fd, page + ring.size, 0);
	}
	if (!ring.page)
		return false;
	GROW(s->rings, s->n_rings, s->cap_rings);
	s->rings[s->n_rings++] = ring;
	return true;
}

/* Open a thread's event (-1: of all) on a CPU, whose first event has the ring. 0, or an errno. */
static int add_event(struct sampling_opening *o, pid_t tid, int cpu, int *ring_fd)
{
	const struct perf_event *event = event_on(o, (unsigned)cpu);
	struct sampling *s = o->s;
	int fd, code;

	if (!event)
		return 0;
	if (s->n_rings + s->n_fds >= EVENTS_MOST)
		return EMFILE;
	fd = open_event(o, event, tid, cpu);
	if (fd < 0)
		return errno;
	if (o->only_tries) {
		s->sys->close(s->sys, fd);
		return 0;
	}
	if (*ring_fd < 0 && map_ring(s, fd)) {
		*ring_fd = fd;
		return 0;
	}
	if (*ring_fd >= 0 &&
	    s->sys->ioctl(s->sys, fd, PERF_EVENT_IOC_SET_OUTPUT, (void *)(intptr_t)*ring_fd) == 0) {
		GROW(s->fds, s->n_fds, s->cap_fds);
		s->fds[s->n_fds++] = fd;
		return 0;
	}
	code = errno;
	s->sys->close(s->sys, fd);
	return code;
}

static void close_events(struct sampling *s)
{
	for (unsigned i = 0; i < s->n_fds; i++)
		s->sys->close(s->sys, s->fds[i]);
	for (unsigned i = 0; i < s->n_rings; i++) {
		s->sys->munmap(s->sys, s->rings[i].page, sys_page_size() + s->rings[i].size);
		s->sys->close(s->sys, s->rings[i].fd);
	}
	s->n_fds = s->n_rings = 0;
}

/* Open the events on all CPUs. Returns 0, or the errno of the refusal. An offline CPU has none. */
static int open_events(struct sampling_opening *o)
{
	const struct scope *scope = &o->scope;
	struct sampling *s = o->s;
	struct cpu_set set;
	int code, absent = ENODEV;

	memset(&set, 0xff, sizeof(set));
	if (scope->kind == SCOPE_CPUS && !cpu_set_parse(&set, scope->cpus))
		return EINVAL;
	for (unsigned i = 0; i < s->cpus.n; i++) {
		int cpu = (int)s->cpus.cpus[i].number, ring_fd = -1;

		if (!cpu_set_has(&set, (unsigned)cpu))
			continue;
		for (unsigned k = 0; k < (o->n_tids ? o->n_tids : 1); k++) {
			code = add_event(o, o->n_tids ? o->tids[k] : -1, cpu, &ring_fd);
			if (code == ENODEV || code == ESRCH) {
				absent = code;
				continue;
			}
			if (!code && o->only_tries)
				return 0;
			if (code) {
				close_events(s);
				return code;
			}
		}
	}
	return s->n_rings ? 0 : absent;
}

/* Open the events, including the kernel if that is permitted. */
static int open_permitted(struct sampling_opening *o)
{
	int code;

	o->s->event.user_only = o->name.user_only;
	code = open_events(o);
	if (perf_is_denied(code) && !o->s->event.user_only) {
		o->s->event.user_only = true;
		code = open_events(o);
	}
	return code;
}

static bool find_event(struct sampling_opening *o, const char *text, struct err *err)
{
	snprintf(o->s->event.name, sizeof(o->s->event.name), "%s", text);
	if (!perf_name_find(&o->name, &o->pmus, &o->s->cpus, o->s->event.name, err))
		return err_prefix(err, "--hot: "), false;
	o->s->event.is_time = o->name.events[0].event.type == PERF_TYPE_SOFTWARE &&
			      o->name.events[0].event.config <= PERF_COUNT_SW_TASK_CLOCK;
	return true;
}

static bool refuse_events(const struct sampling_opening *o, int code, struct err *err)
{
	const char *help = perf_rights_help(code);
	const struct sampling_event *e = &o->s->event;

	if (code == EINVAL && o->rate_most > 0 && e->rate > (uint64_t)o->rate_most)
		return err_set(
			err, code,
			"hot: %s: cannot be sampled %llu times a second: the kernel's maximum is %lld: "
			"use :%lld, or raise kernel.perf_event_max_sample_rate (sysctl)",
			e->name, (unsigned long long)e->rate, (long long)o->rate_most,
			(long long)o->rate_most);
	if (code == ESRCH)
		return err_set(err, code, "hot: process %d: not found: see ps", (int)o->scope.pid);
	return err_set(err, code, "hot: %s: cannot be sampled: %s%s%s", e->name, strerror(code),
		       help ? ": " : "", help ? help : "");
}

/* Open the events; without a PMU that samples, use the kernel's clock. Returns 0 or the errno. */
static int open_events_of(struct sampling_opening *o)
{
	struct err ignored;
	int code = open_permitted(o);

	if (o->is_default && (code == ENOENT || code == EOPNOTSUPP || code == ENODEV || code == EINVAL) &&
	    find_event(o, CLOCK_EVENT, &ignored))
		code = open_permitted(o);
	return code;
}

static bool open_all(struct sampling_opening *o, const char *asked, struct err *err)
{
	char name[64];
	int code;

	if (!sys_read_i64(o->source->sys, RATE_MOST_FILE, &o->rate_most))
		o->rate_most = 0;
	if (!split_event(&o->s->event, asked[0] ? asked : DEFAULT_EVENT, o->rate_most, name, sizeof(name),
			 err))
		return false;
	o->is_default = !name[0] || !asked[0] || asked[0] == ':';
	if (!find_event(o, o->is_default ? DEFAULT_EVENT : name, err) || !find_threads(o, err))
		return false;
	code = open_events_of(o);
	if (perf_is_denied(code) && o->scope.kind == SCOPE_MACHINE && o->source->options.command) {
		/* sampling the whole machine may be refused, while the own command is permitted */
		o->scope = (struct scope){.kind = SCOPE_COMMAND, .pid = o->source->options.command};
		if (!find_threads(o, err))
			return false;
		code = open_events_of(o);
	}
	return !code || refuse_events(o, code, err);
}

bool sampling_open(struct sampling *s, struct source *source, bool only_tries, struct err *err)
{
	struct sampling_opening o = {
		.s = s, .source = source, .scope = source->options.scope, .only_tries = only_tries};
	const struct sampling_event *e = &s->event;
	const char *asked = source->options.hot ? source->options.hot : "";
	bool ok;

	s->sys = source->sys;
	s->event.calls = source->options.hot_callers;
	cpus_find(&s->cpus, source->sys);
	perf_pmus_find(&o.pmus, source->sys);
	ok = open_all(&o, asked, err);
	free(o.tids);
	perf_pmus_fini(&o.pmus);
	if (!ok) {
		sampling_close(s);
		return false;
	}
	snprintf(source->title, sizeof(source->title), "Hot functions");
	snprintf(source->driver, sizeof(source->driver),
		 e->rate ? "%.24s%s, %llu Hz per busy CPU%s%s" : "%.24s%s, one of %llu%s%s", e->name,
		 e->user_only && !strchr(e->name, ':') ? ":u" : "",
		 (unsigned long long)(e->rate ? e->rate : e->period),
		 e->is_lowered ? " (kernel's maximum)" : "", e->calls ? ", callers" : "");
	return true;
}

void sampling_close(struct sampling *s)
{
	close_events(s);
	free(take_ptr(&s->rings));
	free(take_ptr(&s->fds));
	cpus_fini(&s->cpus);
}

static bool control_events(const struct sampling *s, unsigned long request)
{
	bool ok = true;

	for (unsigned i = 0; i < s->n_rings; i++)
		ok &= s->sys->ioctl(s->sys, s->rings[i].fd, request, NULL) == 0;
	for (unsigned i = 0; i < s->n_fds; i++)
		ok &= s->sys->ioctl(s->sys, s->fds[i], request, NULL) == 0;
	return ok;
}

bool sampling_start(struct sampling *s, struct err *err)
{
	if (s->on_exec || control_events(s, PERF_EVENT_IOC_ENABLE))
		return true;
	return err_set(err, errno, "hot: %s: cannot start sampling: %s", s->event.name, strerror(errno));
}

void sampling_stop(struct sampling *s)
{
	control_events(s, PERF_EVENT_IOC_DISABLE);
}
