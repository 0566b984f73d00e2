#include "tests/workloads/workload.h"

#include "base/alloc.h"
#include "base/units.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* The name that reports have, and those that are tried: not every core has every generic event. */
static const struct {
	const char *name, *events[2];
} events[WORKLOAD_EVENTS] = {
	[WORKLOAD_CYCLES] = {"cycles", {"cycles"}},
	[WORKLOAD_INSTRUCTIONS] = {"instructions", {"instructions"}},
	[WORKLOAD_BRANCHES] = {"branches", {"branches", "br_pred"}},
	[WORKLOAD_BRANCH_MISSES] = {"branch-misses", {"branch-misses", "br_mis_pred"}},
	[WORKLOAD_L1D_READS] = {"L1D-reads", {"L1-dcache-loads", "l1d_cache"}},
	[WORKLOAD_L1D_MISSES] = {"L1D-misses", {"L1-dcache-load-misses", "l1d_cache_refill"}},
	[WORKLOAD_TASK_CLOCK] = {"task-clock", {"task-clock"}},
	[WORKLOAD_PAGE_FAULTS] = {"page-faults", {"page-faults"}},
	[WORKLOAD_CONTEXT_SWITCHES] = {"context-switches", {"context-switches"}},
	[WORKLOAD_CPU_TIME] = {"CPU-time", {NULL}},
};

static const struct {
	const char *name;
	enum workload_event above, below;
	double scale;
} ratios[] = {
	{"IPC", WORKLOAD_INSTRUCTIONS, WORKLOAD_CYCLES, 1},
	{"CPI", WORKLOAD_CYCLES, WORKLOAD_INSTRUCTIONS, 1},
	{"branches-PTI", WORKLOAD_BRANCHES, WORKLOAD_INSTRUCTIONS, 1000},
	{"mispredict-ratio", WORKLOAD_BRANCH_MISSES, WORKLOAD_BRANCHES, 1},
	{"L1D-miss-ratio", WORKLOAD_L1D_MISSES, WORKLOAD_L1D_READS, 1},
	{"GHz", WORKLOAD_CYCLES, WORKLOAD_TASK_CLOCK, 1},
};

/* What the kernel does for the loop is not the loop's; but it does all context switches itself. */
static struct perf_target target_of(const struct workload *w, enum workload_event e)
{
	return (struct perf_target){.pid = 0, .cpu = w->cpu, .user_only = e != WORKLOAD_CONTEXT_SWITCHES};
}

/* The event as the CPU has it that we run on, opened once to see. */
static bool find_event(struct workload *w, enum workload_event e, const char *text)
{
	struct perf_target target = target_of(w, e);
	struct perf_group group;
	struct perf_name name;
	struct err *err = &w->reason;

	if (!perf_name_find(&name, &w->pmus, NULL, text, err))
		return false;
	for (unsigned i = 0; i < name.n; i++)
		if (!name.events[i].pmu || cpu_set_has(&name.events[i].pmu->cpus, (unsigned)w->cpu))
			w->events[e] = name.events[i].event;
	if (!w->events[e].name)
		return false;
	perf_group_init(&group, &w->sys, &target);
	w->there[e] = perf_group_add(&group, &w->events[e], err);
	perf_group_fini(&group);
	return w->there[e];
}

static void stay_here(struct workload *w)
{
	cpu_set_t set;

	w->cpu = sched_getcpu();
	CPU_ZERO(&set);
	if (w->cpu >= 0 && w->cpu < CPU_SETSIZE)
		CPU_SET(w->cpu, &set);
	if (w->cpu < 0 || sched_setaffinity(0, sizeof(set), &set) != 0)
		w->cpu = -1;
}

static uint64_t number(const char *name, const char *text)
{
	uint64_t v;

	if (!span_u64(span_of(text), &v) || !v) {
		fprintf(stderr, "%s: \"%s\" is no number above 0\n", name, text);
		exit(2);
	}
	return v;
}

static void take_options(struct workload *w, int argc, char **argv)
{
	static const struct option options[] = {{"size", required_argument, NULL, 's'},
						{"iterations", required_argument, NULL, 'i'},
						{"software", no_argument, NULL, 'w'},
						{NULL, 0, NULL, 0}};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1)
		if (c == 's')
			w->size = number(w->name, optarg);
		else if (c == 'i')
			w->iterations = number(w->name, optarg);
		else if (c == 'w')
			w->software = true;
		else
			exit(2);
	if (optind == argc)
		return;
	fprintf(stderr, "usage: %s [--size N] [--iterations N] [--software]\n", w->name);
	exit(2);
}

void workload_init(struct workload *w, const char *name, uint64_t size, uint64_t iterations, int argc,
		   char **argv)
{
	struct err err;

	*w = (struct workload){.name = name, .size = size, .iterations = iterations};
	take_options(w, argc, argv);
	if (!sys_init(&w->sys, NULL, &err)) {
		fprintf(stderr, "%s: %s\n", name, err.text);
		exit(1);
	}
	stay_here(w);
	perf_pmus_find(&w->pmus, &w->sys);
	for (unsigned e = w->software ? WORKLOAD_SOFTWARE : 0; e < WORKLOAD_EVENTS; e++)
		for (unsigned i = 0; i < ARRAY_LEN(events[e].events) && events[e].events[i] && !w->there[e];
		     i++)
			find_event(w, e, events[e].events[i]);
	if (!w->software && !w->there[WORKLOAD_CYCLES])
		find_event(w, WORKLOAD_CYCLES, "cycles"); /* for its reason */
}

int workload_end(struct workload *w)
{
	bool skipped = !w->software && !w->hardware;

	if (skipped)
		printf("%s: skipped: no hardware events: %s\n", w->name, w->reason.text);
	perf_pmus_fini(&w->pmus);
	sys_fini(&w->sys);
	return w->wrong ? 1 : skipped ? 77 : 0;
}

static int64_t cpu_time_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * (int64_t)1000000000 +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * (int64_t)1000;
}

/* A stretch of events[] that is counted together. */
struct workload_run_state {
	struct workload *w;
	void (*loop)(void *);
	void *arg;
	struct workload_counts *into;
	enum workload_event members[PERF_GROUP_MAX];
	struct perf_group group;
};

/* Open what there is from `first` on until the counters are used up, `most` at most; returns the
 * first that is left over. */
static unsigned fill_group(struct workload_run_state *r, unsigned first, unsigned end, unsigned most)
{
	struct perf_target target = target_of(r->w, first);
	unsigned e = first;

	perf_group_init(&r->group, &r->w->sys, &target);
	for (; e < end && r->group.n < most; e++) {
		if (!r->w->there[e])
			continue;
		if (!perf_group_add(&r->group, &r->w->events[e], NULL))
			break;
		r->members[r->group.n - 1] = e;
	}
	return e;
}

/* A line per event: count, the estimate in [brackets] if the group was multiplexed, and its share
 * of time. */
static void print_group(const struct perf_group *group, const struct perf_reading *reading,
			struct strbuf *out)
{
	uint64_t enabled = reading->enabled_ns, running = reading->running_ns;
	char count[UNITS_TEXT], estimate[UNITS_TEXT], name[64];

	for (unsigned i = 0; i < group->n; i++) {
		uint64_t likely = perf_estimate(reading->count[i], enabled, running, NULL);

		str_printable(name, sizeof(name), group->events[i]->name);
		if (!running) {
			strbuf_printf(out, "%20s  %-24s not counted\n", "-", name);
			continue;
		}
		strbuf_printf(out, "%20s  %-24s", count_format(count, reading->count[i]), name);
		if (running < enabled)
			strbuf_printf(out, " [%s] %.1f %%", count_format(estimate, likely),
				      (double)running * 100 / (double)enabled);
		strbuf_str(out, "\n");
	}
}

static void keep_reading(struct workload_run_state *r, const struct perf_reading *reading)
{
	AUTO_STRBUF struct strbuf text = {0};

	for (unsigned i = 0; i < r->group.n; i++) {
		uint64_t count =
			perf_estimate(reading->count[i], reading->enabled_ns, reading->running_ns, NULL);

		r->into->count[r->members[i]] = count;
		r->w->hardware |= r->members[i] < WORKLOAD_SOFTWARE && count != WORKLOAD_UNKNOWN;
	}
	print_group(&r->group, reading, &text);
	printf("%s\n", text.p);
}

static void run_loop(struct workload_run_state *r)
{
	int64_t wall = r->w->sys.monotonic_ns(&r->w->sys), cpu = cpu_time_ns();

	r->loop(r->arg);
	r->into->count[WORKLOAD_CPU_TIME] = (uint64_t)(cpu_time_ns() - cpu);
	r->into->wall_ns = r->w->sys.monotonic_ns(&r->w->sys) - wall;
	r->into->runs++;
}

/* Run the loop over one group; false if the group was never on the counters. */
static bool run_group(struct workload_run_state *r)
{
	struct perf_reading reading;

	if (!perf_group_start(&r->group, NULL))
		return false;
	run_loop(r);
	if (!perf_group_read(&r->group, &reading) || !reading.running_ns)
		return false;
	keep_reading(r, &reading);
	return true;
}

/* All events from first to end, in as few groups as the counters allow. */
static void run_all(struct workload_run_state *r, unsigned first, unsigned end)
{
	unsigned most = PERF_GROUP_MAX;

	while (first < end) {
		unsigned next = fill_group(r, first, end, most), n = r->group.n;
		bool counted = n && run_group(r);

		perf_group_fini(&r->group);
		if (counted || n <= 1) /* a group may open and yet be too big */
			first = n ? next : next + 1, most = PERF_GROUP_MAX;
		else
			most = n - 1;
	}
}

struct workload_counts workload_nothing(void)
{
	struct workload_counts counts = {0};

	for (unsigned e = 0; e < WORKLOAD_EVENTS; e++)
		counts.count[e] = WORKLOAD_UNKNOWN;
	counts.count[WORKLOAD_PAGE_FAULTS] = 0;
	return counts;
}

/* A row, unless both values are unknown. */
static void row_text(const char *name, const char *predicted, const char *measured)
{
	if (*predicted || *measured)
		printf("%-20s %20s %20s\n", name, *predicted ? predicted : "-", *measured ? measured : "-");
}

static const char *show_count(char text[UNITS_TEXT], uint64_t count)
{
	return count == WORKLOAD_UNKNOWN ? "" : count_format(text, count);
}

static const char *show_ratio(char text[UNITS_TEXT], const struct workload_counts *c, size_t i)
{
	uint64_t above = c->count[ratios[i].above], below = c->count[ratios[i].below];

	if (above == WORKLOAD_UNKNOWN || below == WORKLOAD_UNKNOWN || !below)
		return "";
	snprintf(text, UNITS_TEXT, "%.3f", (double)above * ratios[i].scale / (double)below);
	return text;
}

struct workload_counts workload_run(struct workload *w, const char *title,
				    const struct workload_counts *predicted, void (*loop)(void *), void *arg)
{
	struct workload_counts measured = workload_nothing();
	struct workload_run_state r = {.w = w, .loop = loop, .arg = arg, .into = &measured};
	char a[UNITS_TEXT], b[UNITS_TEXT];

	measured.count[WORKLOAD_PAGE_FAULTS] = WORKLOAD_UNKNOWN;
	printf("%s: %s\n\n", w->name, title);
	run_loop(&r); /* so that memory, caches and predictors are warm for every group alike */
	run_all(&r, 0, WORKLOAD_SOFTWARE);
	run_all(&r, WORKLOAD_CONTEXT_SWITCHES, WORKLOAD_CONTEXT_SWITCHES + 1);
	run_all(&r, WORKLOAD_SOFTWARE, WORKLOAD_CONTEXT_SWITCHES);
	row_text("", "predicted", "measured");
	for (unsigned e = 0; e < WORKLOAD_EVENTS; e++)
		row_text(events[e].name, show_count(a, predicted->count[e]),
			 show_count(b, measured.count[e]));
	for (size_t i = 0; i < ARRAY_LEN(ratios); i++)
		row_text(ratios[i].name, show_ratio(a, predicted, i), show_ratio(b, &measured, i));
	row_text("runs", "", count_format(b, measured.runs));
	workload_value("ms", (double)measured.wall_ns / 1e6);
	return measured;
}

void workload_value(const char *name, double value)
{
	printf("%-20s %20s %20.2f\n", name, "-", value);
}

void workload_check(struct workload *w, bool right, const char *what)
{
	if (!right)
		printf("%s: WRONG: %s\n", w->name, what);
	w->wrong |= !right;
}

uint64_t workload_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1d;
}

uint64_t workload_cache(const struct workload *w, unsigned level)
{
	uint64_t best = 0, best_level = 0;

	for (unsigned i = 0; i < 8; i++) {
		char path[128], type[32], size[32];
		struct span text;
		int64_t at;
		uint64_t v;

		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/cache/index%u/level",
			 w->cpu < 0 ? 0 : w->cpu, i);
		if (!sys_read_i64(&w->sys, path, &at) || at < 1 || (level && (unsigned)at != level) ||
		    (uint64_t)at < best_level)
			continue;
		strcpy(strrchr(path, '/'), "/type");
		sys_read_file(&w->sys, path, type, sizeof(type));
		strcpy(strrchr(path, '/'), "/size");
		sys_read_file(&w->sys, path, size, sizeof(size));
		text = span_trim(span_of(size));
		if (type[0] == 'I' || text.n < 2 || text.p[--text.n] != 'K' || !span_u64(text, &v))
			continue;
		best = v << 10;
		best_level = (uint64_t)at;
	}
	return best;
}
