#include "backends/perf/perf_name.h"

#include "base/alloc.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *name, *alias;
	uint32_t type;
	uint64_t config;
} events[] = {
	{"cycles", "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{"instructions", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	{"cache-references", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
	{"cache-misses", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
	{"branches", "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{"branch-misses", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
	{"bus-cycles", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
	{"stalled-cycles-frontend", "idle-cycles-frontend", PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
	{"stalled-cycles-backend", "idle-cycles-backend", PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
	{"ref-cycles", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
	{"cpu-clock", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
	{"task-clock", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
	{"page-faults", "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
	{"minor-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
	{"major-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
	{"context-switches", "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
	{"cpu-migrations", "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
	{"alignment-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
	{"emulation-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
};

#define READ (1 << PERF_COUNT_HW_CACHE_OP_READ)
#define WRITE (1 << PERF_COUNT_HW_CACHE_OP_WRITE)
#define PREFETCH (1 << PERF_COUNT_HW_CACHE_OP_PREFETCH)

/* A cache event is CACHE[-OPERATION][-RESULT]; the defaults are reads and accesses. */
static const struct {
	const char *name, *alias;
	unsigned operations; /* the supported ones */
} caches[] = {
	[PERF_COUNT_HW_CACHE_L1D] = {"L1-dcache", "l1d", READ | WRITE | PREFETCH},
	[PERF_COUNT_HW_CACHE_L1I] = {"L1-icache", "l1i", READ | PREFETCH},
	[PERF_COUNT_HW_CACHE_LL] = {"LLC", NULL, READ | WRITE | PREFETCH},
	[PERF_COUNT_HW_CACHE_DTLB] = {"dTLB", NULL, READ | WRITE | PREFETCH},
	[PERF_COUNT_HW_CACHE_ITLB] = {"iTLB", NULL, READ},
	[PERF_COUNT_HW_CACHE_BPU] = {"branch", "bpu", READ},
	[PERF_COUNT_HW_CACHE_NODE] = {"node", NULL, READ | WRITE | PREFETCH},
};
static const char *const operations[][3] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = {"loads", "load", "read"},
	[PERF_COUNT_HW_CACHE_OP_WRITE] = {"stores", "store", "write"},
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = {"prefetches", "prefetch", "prefetch"},
};
static const char *const results[][3] = {
	[PERF_COUNT_HW_CACHE_RESULT_ACCESS] = {"refs", "ops", "access"},
	[PERF_COUNT_HW_CACHE_RESULT_MISS] = {"misses", "miss", "miss"},
};

static bool same_name(struct span text, const char *name)
{
	return name && text.n == strlen(name) && strncasecmp(text.p, name, text.n) == 0;
}

/* Remove CACHE and the following '-' from *rest. */
static int take_cache(struct span *rest)
{
	for (size_t i = 0; i < ARRAY_LEN(caches); i++)
		for (int alias = 0; alias < 2; alias++) {
			const char *name = alias ? caches[i].alias : caches[i].name;
			size_t n = name ? strlen(name) : SIZE_MAX;

			if (n > rest->n || !same_name((struct span){rest->p, n}, name) ||
			    (n < rest->n && rest->p[n] != '-'))
				continue;
			n += n < rest->n;
			*rest = (struct span){rest->p + n, rest->n - n};
			return (int)i;
		}
	return -1;
}

static int word_in(const char *const words[][3], size_t n, struct span word)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < 3; k++)
			if (same_name(word, words[i][k]))
				return (int)i;
	return -1;
}

static bool find_cache(struct span name, struct perf_event *event)
{
	int cache = take_cache(&name), operation = -1, result = -1;

	if (cache < 0)
		return false;
	while (name.n) {
		struct span word = span_until(&name, '-');
		int op = word_in(operations, ARRAY_LEN(operations), word),
		    r = word_in(results, ARRAY_LEN(results), word);

		if (op >= 0 ? operation >= 0 : r < 0 || result >= 0)
			return false;
		operation = op >= 0 ? op : operation;
		result = r >= 0 ? r : result;
	}
	if (operation < 0 && result < 0)
		return false; /* perf accepts a bare "LLC", but it is never intended */
	operation = operation < 0 ? PERF_COUNT_HW_CACHE_OP_READ : operation;
	result = result < 0 ? PERF_COUNT_HW_CACHE_RESULT_ACCESS : result;
	if (!(caches[cache].operations >> operation & 1))
		return false;
	event->type = PERF_TYPE_HW_CACHE;
	event->config = (uint64_t)cache | (uint64_t)operation << 8 | (uint64_t)result << 16;
	return true;
}

bool perf_generic_find(struct span name, struct perf_event *event)
{
	for (size_t i = 0; i < ARRAY_LEN(events); i++)
		if (same_name(name, events[i].name) || same_name(name, events[i].alias)) {
			event->type = events[i].type;
			event->config = events[i].config;
			return true;
		}
	return find_cache(name, event);
}

/* The plural names of operations and the singular ones before a result, as perf writes them. */
static bool cache_name(unsigned i, char *name, size_t size)
{
	unsigned n_results = ARRAY_LEN(results), n_operations = ARRAY_LEN(operations);
	unsigned result = i % n_results, operation = i / n_results % n_operations,
		 cache = i / n_results / n_operations;

	name[0] = 0;
	if (cache >= ARRAY_LEN(caches))
		return false;
	if (caches[cache].operations >> operation & 1)
		snprintf(name, size, "%s-%s%s", caches[cache].name, operations[operation][result ? 1 : 0],
			 result ? "-misses" : "");
	return true;
}

bool perf_generic_name(unsigned i, char *name, size_t size)
{
	if (i >= ARRAY_LEN(events))
		return cache_name(i - ARRAY_LEN(events), name, size);
	snprintf(name, size, "%s", events[i].name);
	return true;
}
