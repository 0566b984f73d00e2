#include "config.h"

#include "backends/perf/perf_name.h"
#include "base/alloc.h"

#include <ctype.h>
#include <linux/perf_event.h>
#ifdef WITH_LIBPFM
#include <perfmon/pfmlib_perf_event.h>
#endif
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define NAME_MAX_BYTES 256

/* ---- the kernel's generic names ---- */

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

/* ---- the ways to find a name ---- */

/* A name while it is resolved. */
struct perf_quest {
	struct perf_name *name;
	const struct perf_pmus *pmus;
	const struct cpus *cpus;
	const char *text;
	struct span base; /* without modifiers */
	struct err *err;
};

static void found_event(struct perf_quest *q, const struct perf_event *event, const struct perf_pmu *pmu)
{
	struct perf_name_event *e = &q->name->events[q->name->n];

	if (q->name->n == PERF_NAME_PMUS)
		return;
	*e = (struct perf_name_event){*event, pmu};
	e->event.name = q->text;
	if (pmu)
		e->event.type = pmu->type;
	q->name->n++;
}

/* Each finds events or none. Returns false if the name is wrong, with err set. */

static bool find_raw(struct perf_quest *q)
{
	struct perf_event event = {.type = PERF_TYPE_RAW};
	size_t prefix = q->base.n > 2 && memcmp(q->base.p, "0x", 2) == 0 ? 2 : 1;
	char hex[2 + 16 + 1];

	if (q->base.n <= prefix || q->base.n > prefix + 16 || (prefix == 1 && q->base.p[0] != 'r'))
		return true;
	snprintf(hex, sizeof(hex), "0x%.*s", (int)(q->base.n - prefix), q->base.p + prefix);
	if (!span_u64(span_of(hex), &event.config))
		return true;
	for (unsigned i = 0; i < q->pmus->n; i++) {
		if (!q->pmus->pmus[i].core)
			continue;
		if (!perf_pmu_check(&q->pmus->pmus[i], q->pmus->sys, event.config, q->err))
			return false;
		found_event(q, &event, &q->pmus->pmus[i]);
	}
	if (!q->name->n)
		found_event(q, &event, NULL);
	return true;
}

static bool find_generic(struct perf_quest *q)
{
	struct perf_event event = {0};

	if (perf_generic_find(q->base, &event))
		found_event(q, &event, NULL);
	return true;
}

/* List the names of the available PMUs, for a message. */
static const char *list_pmus(const struct perf_pmus *pmus, bool core, char *list, size_t size)
{
	size_t n = 0;

	for (unsigned i = 0; i < pmus->n && n < size; i++)
		if (!core || pmus->pmus[i].core)
			n += (size_t)snprintf(list + n, size - n, "%s%s", n ? ", " : "", pmus->pmus[i].name);
	return n ? list : "none, as in most virtual machines";
}

static bool find_terms(struct perf_quest *q)
{
	struct span terms = q->base, pmu_name = span_until(&terms, '/');
	const struct perf_pmu *pmu = perf_pmus_get(q->pmus, pmu_name);
	struct perf_event event = {0};
	char list[256];

	if (pmu_name.n == q->base.n)
		return true;
	if (!terms.n || terms.p[terms.n - 1] != '/')
		return err_set(q->err, ERR_USAGE,
			       "parameters must be between two slashes: try PMU/event=0x1b/");
	if (!pmu)
		return err_set(q->err, ERR_USAGE, "no PMU of that name: try %s",
			       list_pmus(q->pmus, false, list, sizeof(list)));
	terms.n--;
	if (!perf_pmu_terms(pmu, q->pmus->sys, terms, true, &event, q->err))
		return false;
	found_event(q, &event, pmu);
	return true;
}

static bool find_named(struct perf_quest *q)
{
	char lower[PERF_PMU_NAME];
	struct err err = {0};
	size_t n = 0;

	for (; n < q->base.n && n < sizeof(lower); n++)
		lower[n] = (char)tolower((unsigned char)q->base.p[n]);
	for (unsigned i = 0; i < q->pmus->n; i++) {
		const struct perf_pmu *pmu = &q->pmus->pmus[i];
		struct perf_event event = {0};

		if (!pmu->core)
			continue;
		if (perf_pmu_named(pmu, q->pmus->sys, q->base, &event, &err) ||
		    (!err.text[0] &&
		     perf_pmu_named(pmu, q->pmus->sys, (struct span){lower, n}, &event, &err)))
			found_event(q, &event, pmu);
		else if (err.text[0])
			return err_set(q->err, err.code, "%s", err.text);
	}
	return true;
}

/* sysfs lists only common events. An event that a core lacks opens, but counts nothing. */
static bool find_arm(struct perf_quest *q)
{
	uint16_t number;

	if (!arm_event_find(q->base, &number))
		return true;
	for (unsigned i = 0; i < q->pmus->n; i++) {
		const struct perf_pmu *pmu = &q->pmus->pmus[i];

		if (pmu->core && arm_core_has(arm_core_find(pmu->name, &pmu->cpus, q->cpus), number))
			found_event(q, &(struct perf_event){.config = number}, pmu);
	}
	return true;
}

bool perf_pfm_find(const char *name, struct perf_event *event)
#ifdef WITH_LIBPFM
{
	struct perf_event_attr attr = {.size = sizeof(attr)};
	pfm_perf_encode_arg_t arg = {.attr = &attr, .size = sizeof(arg)};

	if (pfm_initialize() != PFM_SUCCESS ||
	    pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg) != PFM_SUCCESS)
		return false;
	event->type = attr.type;
	event->config = attr.config;
	event->config1 = attr.config1;
	event->config2 = attr.config2;
	return true;
}
#else
{
	(void)name;
	(void)event;
	return false;
}
#endif

static bool find_pfm(struct perf_quest *q)
{
	AUTOFREE char *base = span_dup(q->base);
	const struct perf_pmu *pmu = NULL;
	struct perf_event event = {0};

	if (!perf_pfm_find(base, &event))
		return true;
	for (unsigned i = 0; i < q->pmus->n && !pmu; i++)
		if (q->pmus->pmus[i].type == event.type)
			pmu = &q->pmus->pmus[i];
	found_event(q, &event, pmu);
	return true;
}

/* The most reliable first. */
static bool (*const ways[])(struct perf_quest *q) = {find_terms, find_raw, find_generic,
						     find_named, find_arm, find_pfm};

/* Split "cycles:u" and "PMU/terms/u" into base and modifiers. A ':' that does not start modifiers
 * belongs to a libpfm name. */
static struct span split_modifiers(const char *text, struct span *base)
{
	const char *mark = strrchr(text, '/');
	struct span modifiers;

	*base = span_of(text);
	if (mark)
		mark += mark[1] == ':' ? 2 : 1;
	else
		mark = strrchr(text, ':') ? strrchr(text, ':') + 1 : text + base->n;
	modifiers = span_of(mark);
	if (span_is(modifiers, "force")) {
		base->n -= modifiers.n + 1;
		return modifiers;
	}
	for (size_t i = 0; i < modifiers.n; i++)
		if (modifiers.p[i] != 'u' && modifiers.p[i] != 'k')
			return (struct span){text + base->n, 0};
	base->n -= modifiers.n + (modifiers.n && mark[-1] == ':');
	return modifiers;
}

static bool not_known(const struct perf_quest *q, const char *shown)
{
	char list[256];

	return err_set(
		q->err, ERR_USAGE,
		"%s: no such event here%s: try a generic one such as cycles, branch-misses, "
		"L1-dcache-load-misses or "
		"page-faults, one "
		"of a PMU's events, or a number such as r1b, 0x1b or PMU/event=0x1b/ (PMUs of CPUs here: %s)",
		shown, strchr(q->text, ':') ? " (the modifiers are :u, :k and :force)" : "",
		list_pmus(q->pmus, true, list, sizeof(list)));
}

bool perf_name_find(struct perf_name *name, const struct perf_pmus *pmus, const struct cpus *cpus,
		    const char *text, struct err *err)
{
	struct perf_quest q = {.name = name, .pmus = pmus, .cpus = cpus, .text = text, .err = err};
	struct span modifiers = split_modifiers(text, &q.base);
	bool forced = span_is(modifiers, "force");
	bool user = !forced && modifiers.n && memchr(modifiers.p, 'u', modifiers.n),
	     kernel = !forced && modifiers.n && memchr(modifiers.p, 'k', modifiers.n);
	char shown[64];

	*name = (struct perf_name){
		.user_only = user && !kernel, .kernel_only = kernel && !user, .forced = forced};
	str_printable(shown, sizeof(shown), text);
	for (size_t i = 0; i < ARRAY_LEN(ways) && !name->n && q.base.n && q.base.n < NAME_MAX_BYTES; i++)
		if (!ways[i](&q))
			return err_prefix(err, "%s: ", shown);
	return name->n || not_known(&q, shown);
}
