#include "tui/compare.h"

#include "base/alloc.h"
#include "base/real.h"
#include "model/process.h"
#include "report/report_log.h"
#include "views/widget.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROCESSES_MOST 64 /* processes with listed changes */
#define GONE_NAMED 3      /* processes named as gone */
#define CPU_LEAST 2       /* percent of one CPU: a listed process has this now or had it before */

/* A process of the other side. */
struct compare_process {
	char name[PROCESS_NAME];
	struct process_id id; /* pid 0 in a log, which has no threads and may be of another run */
	double cpu_percent, gpu_percent, rss_bytes;
};

/* A metric of the log: its mean, and that of each phase. */
struct baseline_value {
	const char *name; /* owned */
	double over[1 + REPORT_PHASES];
};

struct baseline {
	char name[64];
	char phases[REPORT_PHASES][MLOG_NOTE_TEXT];
	unsigned n_phases;
	struct baseline_value *values; /* by name */
	unsigned n, cap;
	struct compare_process *processes;
	unsigned n_processes;
};

/* ---- another log ---- */

static int compare_values(const void *a, const void *b)
{
	return strcmp(((const struct baseline_value *)a)->name, ((const struct baseline_value *)b)->name);
}

static void take_values(struct baseline *b, const struct report_log *log, enum source_kind kind)
{
	const struct metric_set *set = log->sets[kind];

	for (unsigned i = 0; set && i < set->n_metrics; i++) {
		const struct metric *m = &set->metrics[i];
		struct baseline_value *v;
		struct report_span span = report_all(log);

		GROW(b->values, b->n, b->cap);
		v = &b->values[b->n++];
		*v = (struct baseline_value){.name = xstrdup(m->def->name)};
		v->over[0] = report_value(log, kind, m, NULL, &span);
		for (unsigned p = 0; p < log->n_phases; p++) {
			span = report_phase_span(log, p);
			v->over[p + 1] = report_value(log, kind, m, NULL, &span);
		}
	}
}

static struct baseline *baseline_of(const struct report_log *log, const char *path)
{
	struct baseline *b = xcalloc(1, sizeof(*b));
	const char *slash = strrchr(path, '/');

	str_printable(b->name, sizeof(b->name), slash ? slash + 1 : path);
	b->n_phases = log->n_phases;
	for (unsigned i = 0; i < log->n_phases; i++)
		str_printable(b->phases[i], sizeof(b->phases[i]), log->phases[i].name);
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++)
		take_values(b, log, kind);
	qsort(b->values, b->n, sizeof(*b->values), compare_values);
	b->processes = xcalloc(log->n_processes + 1, sizeof(*b->processes));
	for (unsigned i = 0; i < log->n_processes; i++) {
		const struct report_process *p = &log->processes[i];
		struct compare_process *process = &b->processes[i];

		memcpy(process->name, p->name, sizeof(process->name));
		process->cpu_percent = p->rated_s > 0 ? p->cpu_s / p->rated_s * 100 : (double)NAN;
		process->gpu_percent = p->rated_s > 0 ? p->gpu_s / p->rated_s * 100 : (double)NAN;
		process->rss_bytes = p->rss;
	}
	b->n_processes = log->n_processes;
	return b;
}

static void baseline_free(struct baseline *b)
{
	if (!b)
		return;
	for (unsigned i = 0; i < b->n; i++)
		free((char *)(uintptr_t)b->values[i].name);
	free(b->values);
	free(b->processes);
	free(b);
}

bool compare_read(struct compare *c, const struct sys *sys, const struct options *options, const char *path,
		  struct err *err)
{
	struct options whole = *options;
	struct report_log *log = xcalloc(1, sizeof(*log));
	bool ok;

	whole.findings = true;           /* a report includes verdicts, too */
	whole.from_ns = whole.to_ns = 0; /* --from and --to apply to the shown log */
	ok = report_log_read(log, sys, &whole, path, err);
	if (ok) {
		baseline_free(c->baseline);
		c->baseline = baseline_of(log, path);
		report_log_fini(log);
	}
	free(log);
	return ok;
}

void compare_end(struct compare *c)
{
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++)
		free(take_ptr(&c->was[kind]));
	free(take_ptr(&c->processes));
	free(take_ptr(&c->pairs));
	c->paired = NULL;
	c->others = NULL;
	c->n_others = 0;
	c->changes = (struct view_changes){0};
	c->on = c->with_log = false;
	c->with[0] = 0;
}

void compare_fini(struct compare *c)
{
	compare_end(c);
	baseline_free(c->baseline);
	free(c->rows);
	*c = (struct compare){0};
}

void compare_begin(struct compare *c, const char *with, const struct process_list *list)
{
	compare_end(c);
	c->on = true;
	snprintf(c->with, sizeof(c->with), "%s", with);
	if (!list)
		return;
	c->processes = xcalloc(list->n + 1, sizeof(*c->processes));
	for (unsigned i = 0; i < list->n; i++) {
		const struct process *from = &list->processes[i];
		struct compare_process *p = &c->processes[i];

		memcpy(p->name, from->name, sizeof(p->name));
		p->id = process_id_of(from);
		p->cpu_percent = (double)from->cpu_percent;
		p->gpu_percent = (double)from->gpu_percent;
		p->rss_bytes = from->rss_bytes == SAMPLE_UNKNOWN ? (double)NAN : (double)from->rss_bytes;
	}
	c->others = c->processes;
	c->n_others = list->n;
}

void compare_begin_log(struct compare *c)
{
	compare_end(c);
	c->on = c->with_log = true;
	c->phase = 0;
	c->others = c->baseline->processes;
	c->n_others = c->baseline->n_processes;
	snprintf(c->with, sizeof(c->with), "%s", c->baseline->name);
}

void compare_phase(struct compare *c, const char *name, const struct metric_set *const sets[SOURCE_KINDS])
{
	const struct baseline *b = c->baseline;
	unsigned phase = b->n_phases;

	while (phase > 0 && strcmp(b->phases[phase - 1], name) != 0)
		phase--;
	c->phase = phase;
	snprintf(c->asked, sizeof(c->asked), "%s", name);
	snprintf(c->with, sizeof(c->with), "%s%s%s", b->name, c->phase ? ", " : "", c->phase ? name : "");
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++) {
		free(take_ptr(&c->was[kind]));
		if (!sets[kind])
			continue;
		c->was[kind] = xcalloc(sets[kind]->n_metrics + 1, sizeof(double));
		for (unsigned i = 0; i < sets[kind]->n_metrics; i++) {
			const struct baseline_value key = {.name = sets[kind]->metrics[i].def->name}, *found;

			found = b->n ? bsearch(&key, b->values, b->n, sizeof(key), compare_values) : NULL;
			c->was[kind][i] = found ? found->over[c->phase] : (double)NAN;
		}
	}
}

/* ---- what changed most ---- */

static void add_change(struct compare *c, const struct view_change *change)
{
	const struct comparison *of = &change->compared;
	bool same;

	if (isnan(of->was) || isnan(of->now) || (of->was == 0 && of->now == 0))
		return;
	same = compared_is_same(of);
	c->changes.n_known++;
	if (!same && of->worse)
		*((of->worse > 0) == (of->now > of->was) ? &c->changes.n_worse : &c->changes.n_better) += 1;
	if (same)
		return;
	GROW(c->rows, c->n, c->cap);
	c->rows[c->n++] = *change;
}

static void add_chart(struct compare *c, const struct view *view, const struct chart *chart,
		      const struct view_data *data)
{
	for (unsigned i = 0; i < chart->n_series; i++) {
		const struct series *s = &chart->series[i];
		bool listed = false;

		for (unsigned k = 0; k < c->n; k++)
			listed |= c->rows[k].series && c->rows[k].series->metric == s->metric;
		if (!listed)
			add_change(c, &(struct view_change){.name = s->metric->def->short_title,
							    .view = view,
							    .series = s,
							    .compared = {.unit = s->metric->unit,
									 .grows = s->metric->grows,
									 .was = series_was(s, data, NULL),
									 .now = series_rate_now(s, data),
									 .worse = metric_worse(s->metric)}});
	}
}

static bool is_named(const struct process *p, const char *name)
{
	return !p->is_thread && !strcmp(p->name, name);
}

/* Find the process on the other side. In another moment of this screen it has the same identity; in
 * a log it is the only one with that name, if this side has only one, too. */
static struct process_was was_of(const struct compare *c, const struct process_list *list,
				 const struct process *p)
{
	const struct compare_process *found = NULL;
	unsigned n_found = 0, n_alike = 0;

	for (unsigned i = 0; i < c->n_others; i++)
		if (c->with_log ? is_named(p, c->others[i].name) : process_is(p, c->others[i].id)) {
			found = &c->others[i];
			n_found++;
		}
	for (unsigned i = 0; i < list->n; i++)
		n_alike += is_named(&list->processes[i], p->name);
	return n_found == 1 && (!c->with_log || n_alike == 1)
		       ? (struct process_was){.cpu_percent = found->cpu_percent,
					      .gpu_percent = found->gpu_percent,
					      .rss_bytes = found->rss_bytes}
		       : (struct process_was){!n_found && !(c->with_log && p->is_thread), NAN, NAN, NAN};
}

static int compare_cpu(const void *a, const void *b)
{
	double x = (*(const struct compare_process *const *)a)->cpu_percent,
	       y = (*(const struct compare_process *const *)b)->cpu_percent;

	return (x < y) - (x > y);
}

/* "2 gone: game 80.8 %, loader 3.1 %" */
static void name_gone(struct compare *c, const struct process_list *list)
{
	AUTOFREE const struct compare_process **gone = xcalloc(c->n_others + 1, sizeof(*gone));
	AUTO_STRBUF struct strbuf text = {0};
	unsigned n = 0;

	for (unsigned i = 0; i < c->n_others; i++) {
		const struct compare_process *was = &c->others[i];
		bool is_gone = !was->id.is_thread && was->cpu_percent > 0;

		for (unsigned k = 0; k < list->n && is_gone; k++)
			is_gone = c->with_log ? strcmp(list->processes[k].name, was->name) != 0
					      : !process_is(&list->processes[k], was->id);
		if (is_gone)
			gone[n++] = was;
	}
	if (n)
		qsort(gone, n, sizeof(*gone), compare_cpu);
	for (unsigned i = 0; i < n && i < GONE_NAMED; i++) {
		if (i == 0)
			strbuf_printf(&text, "%u gone: ", n);
		strbuf_printf(&text, "%s%.20s %.1f %%", i ? ", " : "", gone[i]->name, gone[i]->cpu_percent);
	}
	str_printable(c->gone, sizeof(c->gone), text.n ? text.p : "");
}

const struct process_was *compare_processes(struct compare *c, const struct process_list *list)
{
	if (!list || !c->n_others)
		return NULL;
	if (c->paired == list && c->paired_ns == list->end_ns)
		return c->pairs;
	c->pairs = xreallocarray(c->pairs, list->n + 1, sizeof(*c->pairs));
	for (unsigned i = 0; i < list->n; i++)
		c->pairs[i] = was_of(c, list, &list->processes[i]);
	name_gone(c, list);
	c->paired = list;
	c->paired_ns = list->end_ns;
	return c->pairs;
}

/* Add the percentages of one CPU of all processes that share a name. */
static void add_processes(struct compare *c, const struct views *views, const struct process_list *list)
{
	unsigned n = 0;
	const struct view *view = views_find(views, "processes");
	const struct unit *percent = unit_find(SPAN_LIT("percent"));

	for (unsigned i = 0; c->others && i < list->n && n < PROCESSES_MOST; i++) {
		const struct process *p = &list->processes[i];
		struct view_change change = {.name = p->name, .view = view, .compared = {.unit = percent}};
		bool again = false;

		if (p->is_thread || isnan(p->cpu_percent))
			continue;
		for (unsigned k = 0; k < i; k++)
			again |= is_named(&list->processes[k], p->name);
		for (unsigned k = i; k < list->n; k++)
			if (is_named(&list->processes[k], p->name))
				real_add(&change.compared.now, (double)list->processes[k].cpu_percent);
		for (unsigned k = 0; k < c->n_others; k++)
			if (!c->others[k].id.is_thread && !strcmp(c->others[k].name, p->name))
				real_add(&change.compared.was, c->others[k].cpu_percent);
		if (again || (change.compared.now < CPU_LEAST && change.compared.was < CPU_LEAST))
			continue;
		add_change(c, &change);
		n++;
	}
}

/* Rank by the ratio of the two sides; changes from zero come last. */
static double rank_of(const struct view_change *change)
{
	double share = fabs(compared_share(&change->compared));

	return isinf(share) ? 0 : share;
}

static int compare_ranks(const void *a, const void *b)
{
	double x = rank_of(a), y = rank_of(b);

	return x < y   ? 1
	       : x > y ? -1
		       : strcmp(((const struct view_change *)a)->name, ((const struct view_change *)b)->name);
}

void compare_gather(struct compare *c, const struct views *views, const struct view_data *data,
		    const struct process_list *list)
{
	c->n = 0;
	c->changes = (struct view_changes){0};
	for (unsigned v = 0; v < views->n_views; v++)
		for (unsigned i = 0; i < views->views[v].n_charts; i++)
			add_chart(c, &views->views[v], &views->views[v].charts[i], data);
	if (list)
		add_processes(c, views, list);
	if (c->n)
		qsort(c->rows, c->n, sizeof(*c->rows), compare_ranks);
	c->changes.rows = c->rows;
	c->changes.n = c->n;
}
