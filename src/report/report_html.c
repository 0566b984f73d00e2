/* The page of one log, and its tables. */
#include "report/report_page.h"

#include "base/alloc.h"
#include "base/real.h"
#include "model/template.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORST 10
#define PROCESSES 10
#define FUNCTIONS 20
#define FUNCTIONS_FEW 3 /* functions that are shown even if they have few samples */

static void put_worst(const struct report_log *log, struct strbuf *out)
{
	const struct frame_facts *frames[WORST];
	unsigned n = report_late_frames(log, WORST, frames);
	char note[128], cause[FRAME_CAUSE_TEXT];

	if (!n) {
		report_heading("worst", "Worst frames", out);
		strbuf_str(out, "<p class=\"note\">No frame was late.</p>");
		return;
	}
	snprintf(note, sizeof(note), "The %u longest of those that were late, of %llu frame%s.", n,
		 (unsigned long long)log->frames->times.n, plural_ending(log->frames->times.n));
	report_table("worst", "Worst frames", note,
		     (const char *const[]){"frame", "#at", "#ms", "", "phase", "#CPU", "#waits", "#passes",
					   "cause, ms beyond the median", "longest pass", NULL},
		     out);
	for (unsigned i = 0; i < n; i++) {
		const struct frame_facts *w = frames[i];

		html_put(out, "<tr><th scope=\"row\">%.0f" NUMBER "<td class=\"n\">%.1f", w->number,
			 report_seconds(TEXT, (double)(w->begin_ns - log->begin_ns) * 1e-9), w->ms);
		report_bar(out, w->ms / frames[0]->ms, "late");
		html_put(out, WORDS NUMBER NUMBER NUMBER WORDS WORDS ROW_END,
			 log->phases[report_phase_at(log, w->begin_ns)].name, report_ms(TEXT, w->cpu_ms),
			 report_ms(TEXT, w->wait_ms + w->present_ms), report_ms(TEXT, w->gpu_ms),
			 frame_cause(log->frames, w, cause), w->pass);
	}
	strbuf_str(out, TABLE_END);
}

double report_pass_ms(const struct report_log *log, unsigned phase, const char *name)
{
	struct pass_table table;

	report_passes(log, phase, &table);
	for (unsigned i = 0; i < table.n; i++)
		if (strcmp(table.lines[i].name, name) == 0)
			return table.lines[i].ms;
	return NAN;
}

static void put_pass(const struct pass_line *l, const struct report_log *log, struct strbuf *out)
{
	html_put(out, ROW NUMBER NUMBER, l->name, report_ms(TEXT, l->ms), report_percent(TEXT, l->share));
	report_bar(out, l->share / 100, "");
	for (unsigned i = 0; i < log->n_phases && log->n_phases > 1; i++)
		html_put(out, NUMBER, report_ms(TEXT, report_pass_ms(log, i, l->name)));
	html_put(out, WORDS "<td>", passes_kind_names[l->kind]);
	if (l->width)
		strbuf_printf(out, "%ux%u", l->width, l->height);
	strbuf_str(out, ROW_END);
}

/* Add a column for each of the first n phases to the n_names columns of a table. Returns the new
 * number of columns. */
static unsigned name_phases(const struct report_log *log, unsigned n, char titles[REPORT_PHASES + 1][64],
			    const char **names, unsigned n_names)
{
	for (unsigned i = 0; i < n; i++) {
		snprintf(titles[i], sizeof(titles[i]), "#%.60s", log->phases[i].name);
		names[n_names++] = titles[i];
	}
	return n_names;
}

static void put_passes(const struct report_log *log, const struct pass_table *table, struct strbuf *out)
{
	const char *names[REPORT_PHASES + 8] = {"pass", "#a frame", "#of GPU time", ""};
	char titles[REPORT_PHASES + 1][64];
	unsigned n = name_phases(log, log->n_phases > 1 ? log->n_phases : 0, titles, names, 4);

	names[n++] = "kind";
	names[n++] = "size";
	report_table("passes", "Passes", "GPU time of a frame by render pass, overlaps divided evenly.",
		     names, out);
	for (unsigned i = 0; i < table->n; i++)
		put_pass(&table->lines[i], log, out);
	strbuf_str(out, TABLE_END);
}

static void put_regions(const struct pass_table *table, struct strbuf *out)
{
	report_heading("regions", "Regions", out);
	strbuf_str(out, "<p class=\"note\">Of the program's own code, on the CPU.</p><table>");
	report_head((const char *const[]){"region", "#a frame", "#a call", "#calls", "#IPC", NULL}, out);
	for (unsigned i = 0; i < table->n_regions; i++) {
		const struct region_line *l = &table->regions[i];
		double ipc = l->instructions / l->cycles;

		html_put(out, ROW NUMBER NUMBER "<td class=\"n\">%.0f<td class=\"n\">", l->name,
			 report_ms(TEXT, l->ms / table->frames), report_ms(TEXT, l->ms / l->calls), l->calls);
		strbuf_printf(out, isfinite(ipc) ? "%.2f" ROW_END : "–" ROW_END, ipc);
	}
	strbuf_str(out, "</tbody></table>");
}

static void put_phases(const struct report_log *log, struct strbuf *out)
{
	const char *names[REPORT_PHASES + 3] = {""};
	char titles[REPORT_PHASES + 1][64];
	unsigned n = log->n_phases + (log->n_phases > 1);

	name_phases(log, n, titles, names, 1);
	report_table("phases", "Phases side by side", "A phase is the time from one mark to the next.", names,
		     out);
	for (unsigned row = 0; row < report_rows(); row++) {
		if (isnan(report_row_value(log, row, log->n_phases)))
			continue;
		html_put(out, ROW, report_row_title(log, row));
		for (unsigned i = 0; i < n; i++)
			html_put(out, NUMBER,
				 report_row_format(log, row, report_row_value(log, row, i), TEXT));
		strbuf_str(out, ROW_END);
	}
	html_put(out, ROW, "verdict");
	for (unsigned i = 0; i < n; i++)
		html_put(out, NUMBER,
			 report_verdict_title(
				 report_verdict(log, log->phases[i].begin_ns, log->phases[i].end_ns)));
	strbuf_str(out, ROW_END TABLE_END);
}

static int compare_processes(const void *a, const void *b)
{
	const struct report_process *x = a, *y = b;
	double p = real_max(0, x->gpu_s) * 8 + x->cpu_s, q = real_max(0, y->gpu_s) * 8 + y->cpu_s;

	return (p < q) - (p > q);
}

static void put_processes(const struct report_log *log, struct strbuf *out)
{
	const struct unit *bytes = unit_find(SPAN_LIT("bytes total"));
	double length_s = (double)(log->end_ns - log->begin_ns) * 1e-9;

	report_table("processes", "Processes",
		     "Shares of the log's time, CPU of one CPU; memory at its most.",
		     (const char *const[]){"process", "#pid", "#CPU", "#GPU", "#memory", "#GPU memory", NULL},
		     out);
	qsort(log->processes, log->n_processes, sizeof(*log->processes), compare_processes);
	for (unsigned i = 0; i < log->n_processes && i < PROCESSES; i++) {
		const struct report_process *p = &log->processes[i];

		html_put(out, ROW "<td class=\"n\">%d" NUMBER NUMBER NUMBER NUMBER ROW_END, p->name,
			 (int)p->pid, report_percent(TEXT, p->cpu_s / length_s * 100),
			 report_percent(TEXT, p->gpu_s / length_s * 100),
			 unit_format(TEXT, p->rss > 0 ? p->rss : (double)NAN, bytes, false, false),
			 unit_format(TEXT, p->gpu_bytes, bytes, false, false));
	}
	strbuf_str(out, TABLE_END);
}

/* ---- functions ---- */

static void put_function(const struct report_log *log, const struct hot_row *row, struct strbuf *out)
{
	const struct hot_function *f = &log->hot.functions[row->function];
	char text[HOT_NAME_TEXT];

	hot_function_text(f, text, sizeof(text));
	html_put(out, ROW "<td class=\"n\">", text);
	strbuf_printf(out, row->count < HOT_FEW ? "[%.1f] %%" : "%.1f %%", row->self * 100);
	strbuf_printf(out, " <small>± %.1f</small>", row->plus_minus * 100);
	report_bar(out, row->self, "");
	html_put(out, NUMBER WORDS "<td>", report_percent(TEXT, row->total * 100), f->module);
	if (row->n_threads > 1)
		strbuf_printf(out, "%u threads", row->n_threads);
	else
		html_text(out, row->n_threads ? log->hot.threads[row->thread].name : "");
	strbuf_str(out, ROW_END);
}

static void put_functions(const struct report_log *log, struct strbuf *out)
{
	const struct hot_table *t = &log->functions;
	AUTO_STRBUF struct strbuf note = {0};

	html_put(&note,
		 "%s; %llu sample%s; threads: %u. Shares of them, with their 95 %% confidence; in "
		 "[brackets]: fewer than %d samples.",
		 log->sources[SOURCE_HOT].source->driver, (unsigned long long)t->count,
		 plural_ending(t->count), t->n_threads, HOT_FEW);
	report_table("functions", "Hot functions", note.p,
		     (const char *const[]){"function", "#self", "", "#total", "module", "thread", NULL}, out);
	for (unsigned i = 0; i < t->n && i < FUNCTIONS && (i < FUNCTIONS_FEW || t->rows[i].count >= HOT_FEW);
	     i++)
		put_function(log, &t->rows[i], out);
	strbuf_str(out, TABLE_END);
}

/* ---- method and counters ---- */

/* Write each line of the text, which may be NULL, as a line of HTML. */
static void put_fact(struct strbuf *out, const char *name, const char *text)
{
	struct span rest = span_of(text);

	if (!rest.n)
		return;
	strbuf_printf(out, "<dt>%s</dt><dd>", name);
	while (rest.n) {
		struct span line = span_until(&rest, '\n');

		html_put(out, "%.*s", SPAN_ARG(line));
		strbuf_str(out, line.p[line.n] ? "<br>" : "");
	}
	strbuf_str(out, "</dd>");
}

static void put_method(const struct report_log *log, const char *absent, struct strbuf *out)
{
	const struct mlog_about *about = mlog_reader_about(log->reader);
	AUTO_STRBUF struct strbuf sources = {0}, steps = {0}, missing = {0}, clock = {0};

	for (unsigned i = 0; i < log->session.n; i++) {
		const struct session_source *s = &log->session.sources[i];

		strbuf_printf(&sources, "%s%s (%s)%s, every %g ms", i ? "\n" : "", s->title, s->driver,
			      s->simulated ? ", simulated" : "", (double)s->period_ns * 1e-6);
	}
	strbuf_printf(&steps,
		      "a point of a line is the mean over %g s; a metric is a ratio of sums, a level such as "
		      "a temperature the last one of its time",
		      (double)log->step_ns * 1e-9);
	strbuf_str(&missing, absent);
	if (!log->sources[SOURCE_PASSES].source)
		strbuf_printf(&missing, "%sframes and passes: no application loaded malitop's layer",
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
		 "from Arm's guide for this GPU, or malitop's own (house): malitop explain NAME has the "
		 "reason");
	put_fact(out, "Not in this report", missing.p);
	put_fact(out, "Missing in the log", log->missing.p);
	mlog_reader_tell_clock(log->reader, &clock);
	put_fact(out, "Clock", clock.n ? clock.p : "");
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
	html_put(out, ROW WORDS NUMBER NUMBER NUMBER ROW_END, title, m->def->name,
		 report_value_text(TEXT, m, value), report_value_text(TEXT, m, least),
		 report_value_text(TEXT, m, most));
}

static void put_counters(const struct report_log *log, struct strbuf *out)
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
	for (unsigned i = 0; i < templ->n_rows; i++)
		if (templ->rows[i].metric)
			put_metric(log, SOURCE_GPU, templ->rows[i].metric, templ->rows[i].title, out);
	for (enum source_kind kind = SOURCE_CPU; kind <= SOURCE_PERF; kind++)
		for (unsigned i = 0; log->sets[kind] && i < log->sets[kind]->n_metrics; i++)
			put_metric(log, kind, &log->sets[kind]->metrics[i],
				   log->sets[kind]->metrics[i].def->title, out);
	strbuf_str(out, TABLE_END "</details></div>");
}

/* ---- findings ---- */

static void put_finding(const struct report_log *log, const struct judge_rank *rank, struct strbuf *out)
{
	const struct finding_def *def = rank->f->def;
	const struct judge *judge = report_judge(log);
	AUTO_STRBUF struct strbuf where = {0}, limit = {0};

	report_reason(log, rank, 3, &limit, &where);
	strbuf_str(out, "<tr id=\"");
	html_id(out, "f-", def->name);
	html_put(out,
		 "\"><th scope=\"row\">%s<small class=\"sev\">%s</small><td>%s<small>%.*s</small>" WORDS
		 "<td>%.*s<td>%.*s" ROW_END,
		 def->title, finding_severity_names[rank->severity], limit.p,
		 SPAN_ARG(finding_text(def->says, judge->product)), where.p,
		 SPAN_ARG(finding_text(def->advice, judge->product)),
		 SPAN_ARG(finding_guide(judge->db, def, judge->product)));
}

static void put_findings(const struct report_log *log, const struct judge_rank *held, unsigned n,
			 struct strbuf *out)
{
	report_heading("findings", "Findings", out);
	strbuf_printf(out,
		      "<p class=\"note\">%u of %u checks were beyond their limit; the most useful change "
		      "first.</p>",
		      n, report_judge(log)->n_findings);
	if (!n)
		return;
	strbuf_str(out, "<table class=\"cards\">");
	report_head((const char *const[]){"finding", "evidence", "held", "what to do", "guide", NULL}, out);
	for (unsigned i = 0; i < n; i++)
		put_finding(log, &held[i], out);
	strbuf_str(out, "</tbody></table>");
}

/* Write the results of --budget: every line, with pass or fail. */
static void put_budget(const struct report_log *log, struct strbuf *out)
{
	const struct judge *judge = report_judge(log);

	report_heading("budget", "Budget", out);
	strbuf_str(out, "<table>");
	report_head((const char *const[]){"line", "result", "#mean", "#limit", "#beyond it for", NULL}, out);
	for (unsigned i = 0; i < judge->n_findings; i++) {
		const struct judged *f = &judge->findings[i];
		bool failed = f->held_s > 0;

		strbuf_str(out, "<tr id=\"");
		html_id(out, "f-", f->def->name);
		html_put(out,
			 "\"><th scope=\"row\">%s<td><span class=\"%s\">%s</span>" NUMBER NUMBER NUMBER
				 ROW_END,
			 f->def->title, failed ? "bad" : "good", failed ? "fail" : "pass",
			 report_number_text(TEXT, &f->number, failed ? f->mean : f->number.value),
			 report_number_text(TEXT, &f->number, f->limit), report_seconds(TEXT, f->held_s));
	}
	strbuf_str(out, "</tbody></table>");
}

/* ---- plots ---- */

/* Write the plots by section. Sections without a plot have no heading, but are named in *absent. */
static void put_views(const struct report_log *log, const struct views *views, struct strbuf *nav,
		      struct strbuf *absent, struct strbuf *out)
{
	for (unsigned i = 0; i < views->n_views; i++) {
		const struct view *view = &views->views[i];
		AUTO_STRBUF struct strbuf plots = {0};
		struct report_plot plot;
		unsigned n = 0;

		for (unsigned k = 0; k < view->n_charts; k++)
			if (report_funnel_html(log, &view->charts[k], &plots)) {
				n++;
			} else if (report_plot_init(&plot, log, &view->charts[k])) {
				report_plot_html(&plot, &plots);
				report_plot_fini(&plot);
				n++;
			}
		if (!n) {
			strbuf_printf(absent, "%s%s: not in the log", absent->n ? "; " : "", view->title);
			continue;
		}
		strbuf_str(nav, "<a href=\"#");
		html_id(nav, "s-", view->name);
		html_put(nav, "\">%s</a>", view->title);
		report_heading(view->name, view->title, out);
		strbuf_add(out, plots.p, plots.n);
	}
}

/* ---- the page ---- */

static void put_first(const struct report_log *log, const struct judge_rank *held, unsigned n,
		      struct strbuf *out)
{
	AUTO_STRBUF struct strbuf sentence = {0}, lead = {0};

	report_sentence(log, &sentence);
	report_lead(log, &lead);
	report_page_open(log, 1, sentence.p, out);
	html_put(out, "<h1>%s</h1><p class=\"lead\">%s</p>", sentence.p, lead.p);
	if (log->missing.n)
		html_put(out, "<p class=\"note miss\">The log is not complete. %s</p>", log->missing.p);
	strbuf_str(out, log->frames->times.n ? "<div class=\"two\">" : "<div>");
	report_put_changes(log, held, n, out);
	if (log->frames->times.n)
		report_put_frames(log, NULL, out);
	strbuf_str(out, "</div>");
	report_put_time(log, NULL, NULL, out);
	if (log->n_spans)
		report_put_verdicts(log, out);
}

bool report_html(const struct report_log *log, struct strbuf *out, struct err *err)
{
	AUTO_STRBUF struct strbuf plots = {0}, nav = {0}, absent = {0};
	bool budget = log->session.options->budget, frames = log->frames->times.n;
	struct pass_table passes;
	AUTOFREE struct judge_rank *held = NULL;
	struct views views;
	unsigned n;

	if (!report_views(log, &views, err))
		return false;
	strbuf_str(&absent, "");
	put_views(log, &views, &nav, &absent, &plots);
	views_fini(&views);
	report_passes(log, log->n_phases, &passes);
	held = report_findings(log, &n);
	put_first(log, held, n, out);
	strbuf_printf(
		out,
		"<nav aria-label=\"Sections\">On this page: %s%s%s%s%s<a href=\"#s-phases\">Phases</a>%s%s",
		budget ? "<a href=\"#s-budget\">Budget</a>" : "<a href=\"#s-findings\">Findings</a>",
		nav.n ? nav.p : "", frames ? "<a href=\"#s-worst\">Worst frames</a>" : "",
		passes.n ? "<a href=\"#s-passes\">Passes</a>" : "",
		passes.n_regions ? "<a href=\"#s-regions\">Regions</a>" : "",
		log->n_processes ? "<a href=\"#s-processes\">Processes</a>" : "",
		log->functions.n ? "<a href=\"#s-functions\">Hot functions</a>" : "");
	strbuf_str(out, "<a href=\"#s-method\">Device and method</a><a href=\"#s-counters\">All counters</a>"
			"<span class=\"js\" hidden>In a plot: drag or + to zoom, arrows to move, Esc to go "
			"back.</span></nav>");
	if (budget)
		put_budget(log, out);
	else
		put_findings(log, held, n, out);
	strbuf_add(out, plots.p, plots.n);
	if (frames)
		put_worst(log, out);
	if (passes.n)
		put_passes(log, &passes, out);
	if (passes.n_regions)
		put_regions(&passes, out);
	put_phases(log, out);
	if (log->n_processes)
		put_processes(log, out);
	if (log->functions.n)
		put_functions(log, out);
	put_method(log, absent.p, out);
	put_counters(log, out);
	report_page_close(out);
	return true;
}
