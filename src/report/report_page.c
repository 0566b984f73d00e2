#include "report/report_page.h"

#include "base/alloc.h"
#include "base/real.h"
#include "model/embed.h"
#include "views/chart.h"
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

EMBED(report_chart, "report.chart");
EMBED(report_css, "report.css");
EMBED(report_js, "report.js");

/* ---- the frame of a page ---- */

void report_put_start(const struct report_log *log, struct strbuf *out)
{
	const struct mlog_about *about = mlog_reader_about(log->reader);
	time_t at = (time_t)((log->begin_ns - about->monotonic_ns + about->realtime_ns) / 1000000000);
	struct tm parts;
	char text[64];

	html_seconds(out, (double)(log->end_ns - log->begin_ns) * 1e-9);
	if (gmtime_r(&at, &parts) && strftime(text, sizeof(text), ", %Y-%m-%d %H:%M:%S UTC", &parts))
		strbuf_str(out, text);
}

static bool is_simulated(const struct report_log *log)
{
	for (unsigned i = 0; i < log->session.n; i++)
		if (log->session.sources[i].simulated)
			return true;
	return false;
}

static void put_device(const struct report_log *log, unsigned n_logs, struct strbuf *out)
{
	const double *vector;
	struct report_span all = report_all(log);
	struct pass_table table;

	html_text(out, log->session.gpu ? log->session.gpu->title : log->session.log->host);
	vector = report_passes_vector(log, &all);
	if (vector) {
		pass_table_read(&table, log->sets[SOURCE_PASSES], vector, &log->names);
		strbuf_str(out, table.app[0] ? " · " : "");
		html_text(out, table.app);
	}
	strbuf_str(out, " · ");
	if (n_logs > 1)
		strbuf_printf(out, "%u logs", n_logs);
	else
		report_put_start(log, out);
}

void report_page_open(const struct report_log *log, unsigned n_logs, const char *title, struct strbuf *out)
{
	strbuf_str(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
			"<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
			"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
			"style-src 'unsafe-inline'; script-src 'sha256-" REPORT_SCRIPT_SHA256 "'\"><title>");
	html_text(out, title);
	strbuf_str(out, "</title><style>");
	strbuf_add(out, embed_report_css, (size_t)(embed_report_css_end - embed_report_css));
	strbuf_printf(out, "</style></head>\n<body data-step=\"%g\"><header><p><b>malitop</b> report</p>",
		      (double)log->step_ns * 1e-9);
	strbuf_str(out, is_simulated(log) ? "<p class=\"sim\">SIMULATED</p>" : "");
	strbuf_str(out, "<p class=\"dev\">");
	put_device(log, n_logs, out);
	strbuf_str(out, "</p></header>\n<main>");
}

void report_page_close(struct strbuf *out)
{
	strbuf_str(out, "</main>\n<footer>Made by malitop " PACKAGE_VERSION
			". This page is one file: it loads nothing.</footer>\n<script>");
	strbuf_add(out, embed_report_js, (size_t)(embed_report_js_end - embed_report_js));
	strbuf_str(out, "</script></body></html>\n");
}

void report_heading(const char *id, const char *title, struct strbuf *out)
{
	strbuf_str(out, "<h2 id=\"");
	html_id(out, "s-", id);
	strbuf_str(out, "\">");
	html_text(out, title);
	strbuf_str(out, "</h2>\n");
}

void report_head(const char *const *names, struct strbuf *out)
{
	strbuf_str(out, "<thead><tr>");
	for (; *names; names++) {
		strbuf_str(out, **names == '#' ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">");
		html_text(out, *names + (**names == '#'));
		strbuf_str(out, "</th>");
	}
	strbuf_str(out, "</tr></thead>");
}

/* ---- its plots ---- */

/* Take the user's own views out of all views. */
static bool add_own(const struct report_log *log, struct views *views, struct err *err)
{
	for (unsigned i = 0; i < log->session.db->n_own; i++)
		if (!chart_read_own(views, log->session.db, &log->session.db->own[i], log->sets, err))
			return false;
	return true;
}

bool report_views(const struct report_log *log, struct views *views, struct err *err)
{
	struct span text = {embed_report_chart, (size_t)(embed_report_chart_end - embed_report_chart)};
	bool ok;

	*views = (struct views){0};
	ok = chart_read(views, "report.chart", text, log->sets, err) && add_own(log, views, err);
	if (ok)
		chart_prune(views);
	else
		views_fini(views);
	return ok;
}

/* ---- the band of verdicts ---- */

static const char *band_class(const struct judged *verdict)
{
	const char *name = verdict ? verdict->def->id : "unclear";

	return strcmp(name, "memory") == 0                                       ? "memory"
	       : strncmp(name, "cpu", 3) == 0 || strcmp(name, "scheduling") == 0 ? "cpu"
	       : report_is_gpu(verdict) && strcmp(name, "frame-cap") != 0        ? "gpu"
										 : "calm";
}

void report_band(const struct report_log *log, const struct judged *const *verdicts, const char *label,
		 struct strbuf *out)
{
	AUTO_STRBUF struct strbuf words = {0};

	strbuf_printf(out,
		      "<div class=\"vb\"><svg role=\"img\" aria-label=\"Verdict over time; the table below "
		      "has how long each held\" viewBox=\"0 0 %u %d\" preserveAspectRatio=\"none\">",
		      log->n_steps, REPORT_PLOT_UNITS);
	for (unsigned i = 0, from = 0; i < log->n_steps; i++) {
		const struct judged *v = verdicts[i];
		const char *title = v ? v->def->title : "Not clear";

		if (i + 1 < log->n_steps && verdicts[i + 1] == v)
			continue;
		strbuf_printf(out, "<rect class=\"%s\" x=\"%u\" width=\"%u\" height=\"%d\"><title>",
			      band_class(v), from, i + 1 - from, REPORT_PLOT_UNITS);
		html_text(out, title);
		strbuf_str(out, "</title></rect>");
		if ((i + 1 - from) * 25 > log->n_steps) {
			strbuf_printf(&words,
				      "<span class=\"%s\" data-a=\"%u\" data-b=\"%u\" style=\"left:%.2f%%;"
				      "width:%.2f%%\" aria-hidden=\"true\">",
				      band_class(v), from, i + 1, (double)from / log->n_steps * 100,
				      (double)(i + 1 - from) / log->n_steps * 100);
			html_text(&words, title);
			strbuf_str(&words, "</span>");
		}
		from = i + 1;
	}
	strbuf_str(out, "</svg>");
	strbuf_str(out, words.n ? words.p : "");
	strbuf_printf(out, "<b>%s</b></div>", label);
}

/* ---- the verdict in words ---- */

static bool is_calm(const struct judged *verdict)
{
	return !verdict || strcmp(verdict->def->id, "frame-cap") == 0 ||
	       strcmp(verdict->def->id, "idle") == 0 || strcmp(verdict->def->id, "unclear") == 0;
}

#define WORTH_NAMING 0.1 /* of the time: a shorter verdict is not what the log is about */

/* The verdict that held longest, of those that hold something back if there is one. */
static const struct judged *main_verdict(const struct report_log *log)
{
	const struct judge *judge = report_judge(log);
	double length_s = (double)(log->end_ns - log->begin_ns) * 1e-9, most = WORTH_NAMING * length_s, share;
	const struct judged *found = NULL;

	for (unsigned i = 0; i < judge->n_verdicts; i++) {
		const struct judged *v = &judge->verdicts[i];
		double held_s = report_held_s(log, v, true, log->begin_ns, log->end_ns);

		if (is_calm(v) || held_s < most)
			continue;
		most = held_s;
		found = v;
	}
	return found ? found : judge_longest(judge, &share);
}

bool report_is_calm(const struct report_log *log)
{
	return is_calm(main_verdict(log)) && main_verdict(log);
}

static void put_need(const struct report_need *need, struct strbuf *out)
{
	double over = need->need_ms - need->have_ms;

	strbuf_printf(out, ": a frame%s needs %.1f ms of the GPU and has %.1f ms, ",
		      need->wanted ? " at the wanted rate" : "", need->need_ms, need->have_ms);
	strbuf_printf(out, over > 0 ? "over by %.1f ms" : "%.1f ms to spare", over > 0 ? over : -over);
}

void report_sentence(const struct report_log *log, struct strbuf *out)
{
	const struct judged *verdict = main_verdict(log);
	struct report_need need;

	if (!verdict) {
		strbuf_str(out, "Not clear: ");
		judge_missing(report_judge(log), out);
		return;
	}
	need = report_verdict_need(log, verdict);
	strbuf_str(out, verdict->def->title);
	if (log->n_phases > 1 && !report_throughout(log, verdict, true))
		strbuf_printf(out, " in %s", log->phases[report_phase_of(log, verdict, true)].name);
	if (report_is_gpu(verdict) && isfinite(need.need_ms) && isfinite(need.have_ms)) {
		put_need(&need, out);
	} else {
		AUTO_STRBUF struct strbuf evidence = {0};

		report_evidence(verdict, &evidence);
		strbuf_printf(out, "%s%s", evidence.n ? ": " : "", evidence.n ? evidence.p : "");
	}
	strbuf_str(out, ".");
}

void report_lead(const struct report_log *log, struct strbuf *out)
{
	const struct judge *judge = report_judge(log);
	const struct judged *verdict = main_verdict(log);
	unsigned n = 0;

	for (unsigned i = 0; i < judge->n_verdicts; i++) {
		const struct judged *v = &judge->verdicts[i];
		double held_s = report_held_s(log, v, true, log->begin_ns, log->end_ns);

		if (v == verdict || !(held_s > 0))
			continue;
		strbuf_printf(out, "%s%s for ", n++ ? ", " : "Also ", v->def->title);
		html_seconds(out, held_s);
	}
	strbuf_str(out, n ? ". " : "");
	if (log->frames->times.n)
		strbuf_printf(out, "%llu of %llu frames were late. ", (unsigned long long)log->frames->late,
			      (unsigned long long)log->frames->times.n);
	if (log->session.fps > 0 && (log->session.gpu || log->frames->times.n))
		strbuf_printf(out, "Goal: %g fps, %.2f ms, of which 15 %% stay in reserve.", log->session.fps,
			      1000 / log->session.fps);
}
