#include "session/process_counts.h"

#include "backends/registry.h"
#include "base/alloc.h"
#include "session/devices.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PERIOD_NS 1000000000
#define THREADS_MOST 256 /* of all that are counted: each takes some open files */
#define LEAST_PERCENT 0.5f

enum { CYCLES, INSTRUCTIONS, MISSES, COUNTS };
static const char *const slot_names[COUNTS] = {
	[CYCLES] = "CPUCycles", [INSTRUCTIONS] = "CPUInstructions", [MISSES] = "CPULLReadMisses"};

struct process_count {
	int32_t pid;
	uint64_t start;
	bool wanted;           /* by the newest list */
	struct source *source; /* NULL: it cannot be counted */
	struct sample *sample;
	float ipc, misses; /* of the last list; NaN: unknown */
};

struct process_counts {
	const struct sys *sys;
	const struct backend *perf; /* NULL: not in this build */
	struct source_options what;
	struct metric_need needs[COUNTS];
	struct process_count processes[PROCESS_COUNTED_MOST];
	unsigned n;
	bool may_not; /* the kernel permits none, or counts nothing here */
};

struct process_counts *process_counts_new(const struct sys *sys, const struct source_options *what)
{
	struct process_counts *counts = xcalloc(1, sizeof(*counts));

	*counts = (struct process_counts){.sys = sys, .perf = registry_find(span_of("perf")), .what = *what};
	for (unsigned i = 0; i < COUNTS; i++)
		counts->needs[i] = (struct metric_need){.slot = span_of(slot_names[i])};
	counts->what.events = NULL;
	counts->what.event_groups = NULL;
	counts->what.n_events = 0;
	counts->what.needs = counts->needs;
	counts->what.n_needs = COUNTS;
	counts->what.needs_only = true;
	counts->what.raw_counts = false;
	counts->what.per_instance = false;
	return counts;
}

static void close_source(struct source **source)
{
	(*source)->backend->close(*source);
	source_free(take_ptr(source));
}

static void end_one(struct process_count *c)
{
	if (c->source) {
		c->source->backend->stop(c->source);
		close_source(&c->source);
	}
	free(c->sample);
	*c = (struct process_count){0};
}

void process_counts_stop(struct process_counts *counts)
{
	for (unsigned i = 0; i < counts->n; i++)
		end_one(&counts->processes[i]);
	counts->n = 0;
}

void process_counts_free(struct process_counts *counts)
{
	if (!counts)
		return;
	process_counts_stop(counts);
	free(counts);
}

/* ---- reading ---- */

static void read_counts(const struct process_count *c, double values[COUNTS])
{
	for (unsigned k = 0; k < COUNTS; k++)
		values[k] = NAN;
	for (unsigned i = 0; i < c->source->n_sums; i++) {
		const struct slot *slot = &c->source->slots[i];

		for (unsigned k = 0; k < COUNTS; k++)
			if (slot->instance == INSTANCE_ALL && strcmp(slot->name, slot_names[k]) == 0 &&
			    c->sample->value[i] != SAMPLE_UNKNOWN)
				values[k] = (double)c->sample->value[i] * slot->scale;
	}
}

static void read_one(struct process_count *c, int64_t now_ns)
{
	double values[COUNTS];
	enum read_result result;

	c->ipc = c->misses = NAN;
	if (!c->source)
		return;
	c->source->cut = true;
	result = c->source->backend->read(c->source, now_ns, c->sample);
	c->source->cut = false;
	if (result != READ_GOT || c->sample->flags & SAMPLE_ERROR)
		return;
	read_counts(c, values);
	if (values[CYCLES] > 0)
		c->ipc = (float)(values[INSTRUCTIONS] / values[CYCLES]);
	if (values[INSTRUCTIONS] > 0)
		c->misses = (float)(values[MISSES] / values[INSTRUCTIONS] * 1000);
}

static struct process_count *find_counted(struct process_counts *counts, const struct process *p)
{
	for (unsigned i = 0; i < counts->n; i++)
		if (counts->processes[i].pid == p->pid && counts->processes[i].start == p->start)
			return &counts->processes[i];
	return NULL;
}

void process_counts_repeat(const struct process_counts *counts, struct process_list *list)
{
	for (unsigned i = 0; i < counts->n; i++) {
		const struct process_count *c = &counts->processes[i];
		unsigned k = 0;

		while (k < list->n && (list->processes[k].pid != c->pid ||
				       list->processes[k].start != c->start || list->processes[k].is_thread))
			k++;
		if (k < list->n) {
			list->processes[k].ipc = c->ipc;
			list->processes[k].misses = c->misses;
		}
	}
}

/* ---- choosing ---- */

static int compare_cpu(const void *a, const void *b)
{
	const struct process *x = *(const struct process *const *)a, *y = *(const struct process *const *)b;

	if (x->cpu_percent != y->cpu_percent)
		return x->cpu_percent < y->cpu_percent ? 1 : -1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

static bool has_cycles(const struct source *source)
{
	for (unsigned i = 0; i < source->n_sums; i++)
		if (strcmp(source->slots[i].name, slot_names[CYCLES]) == 0)
			return true;
	return false;
}

static void begin_one(struct process_counts *counts, const struct process *p, int64_t now_ns)
{
	struct process_count *c = &counts->processes[counts->n++];
	struct err err = {0};

	*c = (struct process_count){
		.pid = p->pid, .start = p->start, .wanted = true, .ipc = (float)NAN, .misses = (float)NAN};
	counts->what.scope = (struct scope){.kind = SCOPE_PROCESS, .pid = p->pid};
	c->source = source_open(counts->sys, counts->perf, &counts->what, "", &err);
	if (!c->source || !has_cycles(c->source)) /* the machine has none, or permits none */
		counts->may_not = c->source || err.code == ENOENT || err.code == ENOSYS;
	if (c->source && (counts->may_not || !c->source->backend->start(c->source, PERIOD_NS, now_ns, &err)))
		close_source(&c->source);
	if (c->source)
		c->sample = xcalloc(1, sizeof(*c->sample) + c->source->n_slots * sizeof(uint64_t));
}

static void drop_others(struct process_counts *counts)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < counts->n; i++) {
		struct process_count c = counts->processes[i];

		if (!c.wanted)
			end_one(&counts->processes[i]);
		else
			counts->processes[kept++] = c;
	}
	counts->n = kept;
}

static void choose_processes(struct process_counts *counts, struct process_list *list, int64_t now_ns)
{
	AUTOFREE const struct process **busy = xcalloc(list->n + 1, sizeof(*busy));
	unsigned n = 0, chosen = 0, threads = 0;

	for (unsigned i = 0; i < list->n; i++) {
		const struct process *p = &list->processes[i];

		if (!p->is_thread && !p->simulated && p->cpu_percent >= LEAST_PERCENT)
			busy[n++] = p;
	}
	qsort(busy, n, sizeof(*busy), compare_cpu);
	for (unsigned i = 0; i < counts->n; i++)
		counts->processes[i].wanted = false;
	for (unsigned i = 0; i < n && chosen < PROCESS_COUNTED_MOST; i++) {
		struct process_count *c = find_counted(counts, busy[i]);

		if (threads + busy[i]->threads > THREADS_MOST)
			continue;
		threads += busy[i]->threads;
		busy[chosen++] = busy[i];
		if (c)
			c->wanted = true;
	}
	drop_others(counts);
	for (unsigned i = 0; i < chosen && !counts->may_not; i++)
		if (!find_counted(counts, busy[i]))
			begin_one(counts, busy[i], now_ns);
}

void process_counts_fill(struct process_counts *counts, struct process_list *list, int64_t now_ns)
{
	if (!counts->perf || counts->may_not || !list->n)
		return;
	for (unsigned i = 0; i < counts->n; i++)
		read_one(&counts->processes[i], now_ns);
	process_counts_repeat(counts, list);
	choose_processes(counts, list, now_ns);
}
