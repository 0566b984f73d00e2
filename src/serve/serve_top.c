#include "serve/serve_store.h"

#include "base/alloc.h"
#include "base/real.h"
#include "base/self.h"
#include "passes/frame_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define APPS_KEPT 4096
#define PASSES_KEPT 256

enum app_value { APP_CPU, APP_GPU, APP_RESIDENT, APP_GPU_MEMORY, APP_PROCESSES, APP_VALUES };
enum pass_value { PASS_TIME, PASS_RUNS, PASS_VALUES };

static const struct openmetrics_family app_families[APP_VALUES] = {
	[APP_CPU] = {{"malitop_application_cpu_seconds", "counter", "seconds", 1},
		     "CPU time of all processes of this name"},
	[APP_GPU] = {{"malitop_application_gpu_seconds", "counter", "seconds", 1},
		     "Time on the queues of the GPU, which may overlap"},
	[APP_RESIDENT] = {{"malitop_application_resident_memory_bytes", "gauge", "bytes", 1},
			  "Memory in RAM; what they share is counted for each"},
	[APP_GPU_MEMORY] = {{"malitop_application_gpu_memory_bytes", "gauge", "bytes", 1},
			    "Memory that the GPU's driver holds for them"},
	[APP_PROCESSES] = {{"malitop_application_processes", "gauge", "", 1}, "How many processes run"},
};
static const struct openmetrics_family pass_families[PASS_VALUES] = {
	[PASS_TIME] = {{"malitop_pass_seconds", "counter", "seconds", 1},
		       "Time of a pass, overlaps with others divided evenly"},
	[PASS_RUNS] = {{"malitop_pass_runs", "counter", "", 1}, "How often a pass ran"},
};

/* All processes of one name. NaN: unknown. */
struct serve_app {
	char name[PROCESS_NAME];
	bool simulated;
	bool runs;           /* is in the newest list */
	double cpu_s, gpu_s; /* in its interval */
	double values[APP_VALUES];
};

struct serve_pass {
	char app[PASS_NAME_TEXT], name[PASS_NAME_TEXT];
	enum passes_kind kind;
	bool simulated;
	bool runs; /* is in the newest table */
	double values[PASS_VALUES];
};

struct serve_top {
	struct serve_app *apps;
	unsigned n_apps, cap_apps;
	struct serve_pass *passes;
	unsigned n_passes, cap_passes;
	struct pass_names names;
};

struct serve_top *serve_top_new(void)
{
	return xcalloc(1, sizeof(struct serve_top));
}

void serve_top_free(struct serve_top *top)
{
	if (!top)
		return;
	free(top->apps);
	free(top->passes);
	free(top);
}

/* ---- applications ---- */

/* Lists are alike: *at is where to look first. */
static struct serve_app *app_of(struct serve_top *top, const struct process *p, unsigned *at)
{
	struct serve_app *app;

	for (unsigned n = top->n_apps; n-- > 0; ++*at) {
		*at = *at < top->n_apps ? *at : 0;
		if (strcmp(top->apps[*at].name, p->name) == 0)
			return &top->apps[(*at)++];
	}
	GROW(top->apps, top->n_apps, top->cap_apps);
	app = &top->apps[top->n_apps++];
	*app = (struct serve_app){.simulated = p->simulated,
				  .values = {[APP_GPU] = NAN, [APP_RESIDENT] = NAN, [APP_GPU_MEMORY] = NAN}};
	memcpy(app->name, p->name, sizeof(app->name));
	return app;
}

static void begin_list(struct serve_top *top)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < top->n_apps; i++) { /* full: those that are gone are forgotten */
		if (top->n_apps >= APPS_KEPT && !top->apps[i].runs)
			continue;
		top->apps[kept] = top->apps[i];
		top->apps[kept].runs = false;
		top->apps[kept].cpu_s = top->apps[kept].gpu_s = 0;
		top->apps[kept].values[APP_RESIDENT] = top->apps[kept].values[APP_GPU_MEMORY] = NAN;
		top->apps[kept++].values[APP_PROCESSES] = 0;
	}
	top->n_apps = kept;
}

static double memory_value(uint64_t bytes)
{
	return bytes == SAMPLE_UNKNOWN ? (double)NAN : (double)bytes;
}

void serve_top_processes(struct serve_top *top, const struct process_list *list)
{
	double seconds = list->begin_ns ? (double)(list->end_ns - list->begin_ns) * 1e-9 : (double)NAN;
	unsigned at = 0;

	begin_list(top);
	for (unsigned i = 0; i < list->n; i++) {
		const struct process *p = &list->processes[i];
		struct serve_app *app = p->is_thread || !p->name[0] ? NULL : app_of(top, p, &at);
		double cpu_s = (double)p->cpu_percent / 100 * seconds,
		       gpu_s = (double)p->gpu_percent / 100 * seconds;

		if (!app)
			continue;
		app->runs = true;
		real_add(&app->cpu_s, cpu_s);
		real_add(&app->gpu_s, gpu_s);
		real_add(&app->values[APP_CPU], cpu_s);
		real_add(&app->values[APP_GPU], gpu_s);
		real_add(&app->values[APP_RESIDENT], memory_value(p->rss_bytes));
		real_add(&app->values[APP_GPU_MEMORY], memory_value(p->gpu_bytes));
		app->values[APP_PROCESSES]++;
	}
}

static int compare_apps(const void *a, const void *b)
{
	const struct serve_app *x = *(const struct serve_app *const *)a,
			       *y = *(const struct serve_app *const *)b;

	if (x->gpu_s != y->gpu_s)
		return x->gpu_s < y->gpu_s ? 1 : -1;
	if (x->cpu_s != y->cpu_s)
		return x->cpu_s < y->cpu_s ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* ---- passes ---- */

static struct serve_pass *pass_of(struct serve_top *top, const struct pass_table *table,
				  const struct pass_line *line)
{
	struct serve_pass *pass;

	for (unsigned i = 0; i < top->n_passes; i++)
		if (top->passes[i].kind == line->kind && strcmp(top->passes[i].name, line->name) == 0 &&
		    strcmp(top->passes[i].app, table->app) == 0)
			return &top->passes[i];
	GROW(top->passes, top->n_passes, top->cap_passes);
	pass = &top->passes[top->n_passes++];
	*pass = (struct serve_pass){.kind = line->kind};
	memcpy(pass->app, table->app, sizeof(pass->app));
	memcpy(pass->name, line->name, sizeof(pass->name));
	return pass;
}

static void begin_table(struct serve_top *top)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < top->n_passes; i++) {
		if (top->n_passes >= PASSES_KEPT && !top->passes[i].runs)
			continue;
		top->passes[kept] = top->passes[i];
		top->passes[kept++].runs = false;
	}
	top->n_passes = kept;
}

void serve_top_passes(struct serve_top *top, const struct export_source *source, const struct sample *sample)
{
	struct pass_table table;

	if (!sample->n_more)
		return;
	pass_names_take(&top->names, sample);
	pass_table_sample(&table, source->set, sample, &top->names);
	if (!table.n)
		return;
	begin_table(top);
	for (unsigned i = 0; i < table.n; i++) {
		const struct pass_line *line = &table.lines[i];
		struct serve_pass *pass = pass_of(top, &table, line);

		pass->runs = true;
		pass->simulated = source->simulated;
		real_add(&pass->values[PASS_TIME], line->ms * table.frames * 1e-3);
		real_add(&pass->values[PASS_RUNS], line->count);
	}
}

/* ---- the page ---- */

static void print_apps(const struct serve_top *top, unsigned n_most, enum openmetrics_form form,
		       struct strbuf *out)
{
	AUTOFREE const struct serve_app **order = xcalloc(top->n_apps + 1, sizeof(*order));
	AUTO_STRBUF struct strbuf labels = {0};
	unsigned n = 0;

	for (unsigned i = 0; i < top->n_apps; i++)
		if (top->apps[i].runs)
			order[n++] = &top->apps[i];
	qsort(order, n, sizeof(*order), compare_apps);
	n = n < n_most ? n : n_most;
	for (enum app_value v = 0; v < APP_VALUES; v++) {
		bool has_head = false;

		for (unsigned i = 0; i < n; i++) {
			strbuf_clear(&labels);
			openmetrics_label(&labels, "application", order[i]->name);
			if (order[i]->simulated)
				openmetrics_label(&labels, "simulated", "true");
			openmetrics_value(&app_families[v], form, labels.p, order[i]->values[v], &has_head,
					  out);
		}
	}
}

static void print_passes(const struct serve_top *top, enum openmetrics_form form, struct strbuf *out)
{
	AUTO_STRBUF struct strbuf labels = {0};

	for (enum pass_value v = 0; v < PASS_VALUES; v++) {
		bool has_head = false;

		for (unsigned i = 0; i < top->n_passes; i++) {
			const struct serve_pass *pass = &top->passes[i];

			if (!pass->runs)
				continue;
			strbuf_clear(&labels);
			openmetrics_label(&labels, "application", pass->app);
			openmetrics_label(&labels, "pass", pass->name);
			openmetrics_label(&labels, "kind", passes_kind_names[pass->kind]);
			if (pass->simulated)
				openmetrics_label(&labels, "simulated", "true");
			openmetrics_value(&pass_families[v], form, labels.p, pass->values[v], &has_head, out);
		}
	}
}

void serve_top_print(const struct serve_top *top, unsigned n_apps, enum openmetrics_form form,
		     struct strbuf *out)
{
	print_apps(top, n_apps, form, out);
	print_passes(top, form, out);
}

/* ---- what malitop itself takes, under the names that exporters share ---- */

enum self_value { SELF_CPU, SELF_RESIDENT, SELF_VIRTUAL, SELF_START, SELF_FILES, SELF_VALUES };
static const struct openmetrics_family self[SELF_VALUES] = {
	[SELF_CPU] = {{"process_cpu_seconds", "counter", "seconds", 1},
		      "CPU time of malitop, user and system"},
	[SELF_RESIDENT] = {{"process_resident_memory_bytes", "gauge", "bytes", 1}, "Its memory in RAM"},
	[SELF_VIRTUAL] = {{"process_virtual_memory_bytes", "gauge", "bytes", 1}, "Its address space"},
	[SELF_START] = {{"process_start_time_seconds", "gauge", "seconds", 1},
			"When it started, since the epoch"},
	[SELF_FILES] = {{"process_open_fds", "gauge", "", 1}, "Its open files"},
};

/* One of them is the directory that is read. */
static double count_files(const struct sys *sys)
{
	char **names;
	int n = sys->list(sys, "proc/self/fd", &names);

	if (n < 0)
		return NAN;
	sys_names_free(names, n);
	return n - 1;
}

void serve_self_print(const struct sys *sys, enum openmetrics_form form, struct strbuf *out)
{
	const struct self now = self_read(sys);
	const double boot_s = (double)(sys->realtime_ns(sys) - sys->boottime_ns(sys)) * 1e-9;
	const double values[SELF_VALUES] = {[SELF_CPU] = now.cpu_s,
					    [SELF_RESIDENT] = now.resident_bytes,
					    [SELF_VIRTUAL] = now.virtual_bytes,
					    [SELF_START] = boot_s + now.start_s,
					    [SELF_FILES] = count_files(sys)};

	for (enum self_value i = 0; i < SELF_VALUES; i++) {
		bool has_head = false;

		openmetrics_value(&self[i], form, "", values[i], &has_head, out);
	}
}
