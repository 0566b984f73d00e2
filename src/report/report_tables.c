/* The tables of a page: worst frames, passes, phases, processes, counters. */
#include "report/report_changes.h"
#include "report/report_html.h"

#include "base/alloc.h"
#include "base/real.h"
#include "model/template.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROCESSES 10
#define FUNCTIONS 20
#define FUNCTIONS_FEW 3 /* that are shown even with few samples */

/* ---- tables ---- */

#define REPORT_WORST 10

void report_put_worst(const struct report_log *log, struct strbuf *out)
{
	const struct frame_stats *f = log->frames;
	unsigned n = f->n_worst < REPORT_WORST ? f->n_worst : REPORT_WORST;

	report_heading("worst", "Worst frames", out);
	strbuf_printf(
		out,
		"<p class=\"note\">The %u longest of %llu frames, and what the verdict was then.</p><div "
		"class=\"sc\"><table>",
		n, (unsigned long long)f->times.n);
	report_head((const char *const[]){"frame", "#at", "#ms", "", "phase", "verdict", "#waits", "#passes",
					  "longest pass", NULL},
		    out);
	strbuf_str(out, "<tbody>");
	for (unsigned i = 0; i < n; i++) {
		const struct frame_facts *w = &f->worst[i];
		const struct judged *v = report_verdict(log, w->begin_ns, w->begin_ns + log->step_ns);
		unsigned phase = 0;
		char number[32];

		while (phase + 1 < log->n_phases && log->phases[phase].end_ns <= w->begin_ns)
			phase++;
		snprintf(number, sizeof(number), "%.0f", w->number);
		report_row_open(out, number);
		report_cell(out, true);
		html_seconds(out, (double)(w->begin_ns - log->begin_ns) * 1e-9);
		report_cell(out, true);
		strbuf_printf(out, "%.1f", w->ms);
		report_bar(out, w->ms / f->worst[0].ms, "late");
		report_cell(out, false);
		html_text(out, log->phases[phase].name);
		report_cell(out, false);
		html_text(out, v ? v->def->title : "Not clear");
		report_cell(out, true);
		html_ms(out, w->wait_ms + w->present_ms);
		report_cell(out, true);
		html_ms(out, w->gpu_ms);
		report_cell(out, false);
		html_text(out, w->pass);
		report_row_close(out);
	}
	strbuf_str(out, "</tbody></table></div>");
}

static void put_pass(const struct pass_line *l, const struct report_log *log, struct strbuf *out)
{
	report_row_open(out, l->name);
	report_cell(out, true);
	html_ms(out, l->ms);
	report_cell(out, true);
	if (isfinite(l->share))
		strbuf_printf(out, "%.1f %%", l->share);
	else
		strbuf_str(out, "–");
	report_bar(out, l->share / 100, "");
	for (unsigned i = 0; i < log->n_phases && log->n_phases > 1; i++) {
		struct report_span span = report_phase_span(log, i);
		const double *vector = report_passes_vector(log, &span);
		struct pass_table table = {.n = 0};
		double ms = NAN;

		if (vector)
			pass_table_read(&table, log->sets[SOURCE_PASSES], vector, &log->names);
		for (unsigned k = 0; k < table.n; k++)
			if (strcmp(table.lines[k].name, l->name) == 0)
				ms = table.lines[k].ms;
		report_cell(out, true);
		html_ms(out, ms);
	}
	report_cell(out, false);
	strbuf_str(out, passes_kind_names[l->kind]);
	report_cell(out, false);
	if (l->width)
		strbuf_printf(out, "%ux%u", l->width, l->height);
	report_row_close(out);
}

void report_put_passes(const struct report_log *log, const struct pass_table *table, struct strbuf *out)
{
	const char *names[REPORT_PHASES + 8] = {"pass", "#a frame", "#of GPU time", ""};
	char titles[REPORT_PHASES][64];
	unsigned n = 4;

	for (unsigned i = 0; i < log->n_phases && log->n_phases > 1; i++) {
		snprintf(titles[i], sizeof(titles[i]), "#%.60s", log->phases[i].name);
		names[n++] = titles[i];
	}
	names[n++] = "kind";
	names[n++] = "size";
	report_heading("passes", "Passes", out);
	strbuf_str(out,
		   "<p class=\"note\">GPU time of a frame by render pass, overlaps divided evenly.</p><div "
		   "class=\"sc\"><table>");
	report_head(names, out);
	strbuf_str(out, "<tbody>");
	for (unsigned i = 0; i < table->n; i++)
		put_pass(&table->lines[i], log, out);
	strbuf_str(out, "</tbody></table></div>");
}

void report_put_regions(const struct pass_table *table, struct strbuf *out)
{
	report_heading("regions", "Regions", out);
	strbuf_str(out, "<p class=\"note\">Of the program's own code, on the CPU.</p><table>");
	report_head((const char *const[]){"region", "#a frame", "#a call", "#calls", "#IPC", NULL}, out);
	strbuf_str(out, "<tbody>");
	for (unsigned i = 0; i < table->n_regions; i++) {
		const struct region_line *l = &table->regions[i];

		report_row_open(out, l->name);
		report_cell(out, true);
		html_ms(out, l->ms / table->frames);
		report_cell(out, true);
		html_ms(out, l->ms / l->calls);
		report_cell(out, true);
		strbuf_printf(out, "%.0f", l->calls);
		report_cell(out, true);
		if (isfinite(l->instructions / l->cycles))
			strbuf_printf(out, "%.2f", l->instructions / l->cycles);
		else
			strbuf_str(out, "–");
		report_row_close(out);
	}
	strbuf_str(out, "</tbody></table>");
}

void report_put_phases(const struct report_log *log, struct strbuf *out)
{
	const char *names[REPORT_PHASES + 3] = {""};
	char titles[REPORT_PHASES][64];

	for (unsigned i = 0; i < log->n_phases; i++) {
		snprintf(titles[i], sizeof(titles[i]), "#%.60s", log->phases[i].name);
		names[i + 1] = titles[i];
	}
	names[log->n_phases + 1] = log->n_phases > 1 ? "#whole log" : NULL;
	report_heading("phases", "Phases side by side", out);
	strbuf_str(out, "<p class=\"note\">A phase is the time from one mark to the next.</p><div "
			"class=\"sc\"><table>");
	report_head(names, out);
	strbuf_str(out, "<tbody>");
	for (unsigned row = 0; row < report_rows(); row++) {
		char text[UNITS_TEXT];

		if (isnan(report_row_value(log, row, -1)))
			continue;
		report_row_open(out, report_row_title(log, row));
		for (int i = 0; i <= (int)log->n_phases - (log->n_phases == 1); i++) {
			double value = report_row_value(log, row, i < (int)log->n_phases ? i : -1);

			report_cell(out, true);
			html_text(out, report_row_format(log, row, value, text));
		}
		report_row_close(out);
	}
	report_row_open(out, "verdict");
	for (unsigned i = 0; i <= log->n_phases - (log->n_phases == 1); i++) {
		bool all = i == log->n_phases;
		const struct judged *v = report_verdict(log, all ? log->begin_ns : log->phases[i].begin_ns,
							all ? log->end_ns : log->phases[i].end_ns);

		report_cell(out, true);
		html_text(out, v ? v->def->title : "Not clear");
	}
	report_row_close(out);
	strbuf_str(out, "</tbody></table></div>");
}

static int compare_processes(const void *a, const void *b)
{
	const struct report_process *x = a, *y = b;
	double p = real_max(0, x->gpu_s) * 8 + x->cpu_s, q = real_max(0, y->gpu_s) * 8 + y->cpu_s;

	return (p < q) - (p > q);
}

static void put_share(struct strbuf *out, double seconds, double of_s)
{
	report_cell(out, true);
	if (isfinite(seconds) && of_s > 0)
		strbuf_printf(out, "%.1f %%", seconds / of_s * 100);
	else
		strbuf_str(out, "–");
}

static void put_bytes(struct strbuf *out, double bytes)
{
	char text[UNITS_TEXT];

	report_cell(out, true);
	html_text(out, unit_format(text, bytes, unit_find(SPAN_LIT("bytes total")), false, false));
}

void report_put_processes(const struct report_log *log, struct strbuf *out)
{
	double length_s = (double)(log->end_ns - log->begin_ns) * 1e-9;

	report_heading("processes", "Processes", out);
	strbuf_str(out,
		   "<p class=\"note\">Shares of the log's time, CPU of one CPU; memory at its most.</p><div "
		   "class=\"sc\"><table>");
	report_head((const char *const[]){"process", "#pid", "#CPU", "#GPU", "#memory", "#GPU memory", NULL},
		    out);
	strbuf_str(out, "<tbody>");
	qsort(log->processes, log->n_processes, sizeof(*log->processes), compare_processes);
	for (unsigned i = 0; i < log->n_processes && i < PROCESSES; i++) {
		const struct report_process *p = &log->processes[i];

		report_row_open(out, p->name);
		report_cell(out, true);
		strbuf_printf(out, "%d", (int)p->pid);
		put_share(out, p->cpu_s, length_s);
		put_share(out, p->gpu_s, length_s);
		put_bytes(out, p->rss > 0 ? p->rss : (double)NAN);
		put_bytes(out, p->gpu_bytes);
		report_row_close(out);
	}
	strbuf_str(out, "</tbody></table></div>");
}

/* ---- functions ---- */

static void put_function(const struct report_log *log, const struct hot_row *row, struct strbuf *out)
{
	const struct hot_function *f = &log->hot.functions[row->function];
	char text[HOT_NAME_TEXT];

	hot_function_text(f, text, sizeof(text));
	report_row_open(out, text);
	report_cell(out, true);
	strbuf_printf(out, row->count < HOT_FEW ? "[%.1f] %%" : "%.1f %%", row->self * 100);
	strbuf_printf(out, " <small>± %.1f</small>", row->plus_minus * 100);
	report_bar(out, row->self, "");
	report_cell(out, true);
	if (isfinite(row->total))
		strbuf_printf(out, "%.1f %%", row->total * 100);
	else
		strbuf_str(out, "–");
	report_cell(out, false);
	html_text(out, f->module);
	report_cell(out, false);
	if (row->n_threads > 1)
		strbuf_printf(out, "%u threads", row->n_threads);
	else
		html_text(out, row->n_threads ? log->hot.threads[row->thread].name : "");
	report_row_close(out);
}

void report_put_functions(const struct report_log *log, struct strbuf *out)
{
	const struct hot_table *t = &log->functions;

	report_heading("functions", "Hot functions", out);
	strbuf_str(out, "<p class=\"note\">");
	html_text(out, log->sources[SOURCE_HOT].source->driver);
	strbuf_printf(out,
		      "; %llu samples in %u threads. Shares of them, with their 95 %% confidence; in "
		      "[brackets]: fewer than %d samples.</p><div class=\"sc\"><table>",
		      (unsigned long long)t->count, t->n_threads, HOT_FEW);
	report_head((const char *const[]){"function", "#self", "", "#total", "module", "thread", NULL}, out);
	strbuf_str(out, "<tbody>");
	for (unsigned i = 0; i < t->n && i < FUNCTIONS && (i < FUNCTIONS_FEW || t->rows[i].count >= HOT_FEW);
	     i++)
		put_function(log, &t->rows[i], out);
	strbuf_str(out, "</tbody></table></div>");
}

/* ---- method and counters ---- */

static void put_fact(struct strbuf *out, const char *name, const char *text)
{
	if (!*text)
		return;
	strbuf_printf(out, "<dt>%s</dt><dd>", name);
	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		AUTOFREE char *line = xstrndup(text, strcspn(text, "\n"));

		html_text(out, line);
		strbuf_str(out, text[strcspn(text, "\n")] ? "<br>" : "");
	}
	strbuf_str(out, "</dd>");
}

void report_put_method(const struct report_log *log, const char *absent, struct strbuf *out)
{
	const struct mlog_about *about = mlog_reader_about(log->reader);
	AUTO_STRBUF struct strbuf sources = {0}, steps = {0}, missing = {0};

	for (unsigned i = 0; i < log->session.n; i++) {
		const struct session_source *s = &log->session.sources[i];

		strbuf_printf(&sources, "%s%s (%s)%s, every %g ms", i ? "\n" : "", s->title, s->driver,
			      s->simulated ? ", simulated" : "", (double)s->period_ns * 1e-6);
	}
	strbuf_printf(&steps,
		      "a point of a line is the mean over %g s; a metric is a ratio of sums, a level such as "
		      "a temperature the last one of its time",
		      (double)log->step_ns * 1e-9);
	strbuf_printf(&missing, "%s", absent);
	if (!log->sources[SOURCE_PASSES].source)
		strbuf_printf(&missing, "%sframes and passes: no application had malitop's layer",
			      missing.n ? "; " : "");
	if (!log->n_processes)
		strbuf_printf(&missing, "%sprocesses: not in the log", missing.n ? "; " : "");
	report_heading("method", "Device and method", out);
	strbuf_str(out, "<dl class=\"me\">");
	put_fact(out, "Log", log->name);
	put_fact(out, "Host", about->host);
	put_fact(out, "Kernel", about->kernel);
	put_fact(out, "Measured", about->scope);
	put_fact(out, "Recorded by", about->program);
	put_fact(out, "Sources", sources.p);
	put_fact(out, "Steps", steps.p);
	put_fact(out, "Frames",
		 log->frames->times.n
			 ? "late: more than 105 % of the budget; 1 % low: the mean of the longest hundredth"
			 : "");
	put_fact(out, "GPU needs", "cycles of a frame at the top clock; it has 85 % of the budget");
	put_fact(out, "Limits",
		 "of Arm's guide for this GPU, or of the house: malitop explain NAME has the reason");
	put_fact(out, "Not in this report", missing.n ? missing.p : "");
	put_fact(out, "Missing in the log", log->missing.n ? log->missing.p : "");
	strbuf_str(out, "</dl>");
}

static void put_metric(const struct report_log *log, enum source_kind kind, const struct metric *m,
		       const char *title, struct strbuf *out)
{
	struct report_span span = report_all(log);
	double value = report_value(log, kind, m, NULL, &span), least = NAN, most = NAN;

	if (isnan(value))
		return;
	for (unsigned i = 0; i < log->n_steps; i++) {
		double v;

		span = report_step(log, i);
		v = report_value(log, kind, m, NULL, &span);
		least = real_min(least, v);
		most = real_max(most, v);
	}
	report_row_open(out, title);
	report_cell(out, false);
	html_text(out, m->def->name);
	report_cell(out, true);
	html_value(out, m, value);
	report_cell(out, true);
	html_value(out, m, least);
	report_cell(out, true);
	html_value(out, m, most);
	report_row_close(out);
}

void report_put_counters(const struct report_log *log, struct strbuf *out)
{
	const struct template_view *templ = &log->session.templ;

	strbuf_str(out, "<div class=\"fold\">");
	report_heading("counters", "All counters", out);
	strbuf_printf(
		out,
		"<details><summary>The metrics of the template and of the CPU: mean of the whole log, and "
		"the lowest and highest of its steps of %g s</summary><div class=\"sc\"><table>",
		(double)log->step_ns * 1e-9);
	report_head((const char *const[]){"metric", "name", "#mean", "#lowest", "#highest", NULL}, out);
	strbuf_str(out, "<tbody>");
	for (unsigned i = 0; i < templ->n_rows; i++)
		if (templ->rows[i].metric)
			put_metric(log, SOURCE_GPU, templ->rows[i].metric, templ->rows[i].title, out);
	for (enum source_kind kind = SOURCE_CPU; kind <= SOURCE_PERF; kind++)
		for (unsigned i = 0; log->sets[kind] && i < log->sets[kind]->n_metrics; i++)
			put_metric(log, kind, &log->sets[kind]->metrics[i],
				   log->sets[kind]->metrics[i].def->title, out);
	strbuf_str(out, "</tbody></table></div></details></div>");
}
