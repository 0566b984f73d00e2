#include "report/report_page.h"

#include "base/real.h"
#include "model/embed.h"
#include "views/view.h"
#include "config.h"

#include <math.h>
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
	char text[64] = "";

	if (gmtime_r(&at, &parts))
		strftime(text, sizeof(text), ", %Y-%m-%d %H:%M:%S UTC", &parts);
	html_put(out, "%s%s", report_seconds(TEXT, (double)(log->end_ns - log->begin_ns) * 1e-9), text);
}

static bool is_simulated(const struct report_log *log)
{
	for (unsigned i = 0; i < log->session.n; i++)
		if (log->session.sources[i].simulated)
			return true;
	return false;
}

void report_page_open(const struct report_log *log, unsigned n_logs, const char *title, struct strbuf *out)
{
	struct pass_table table;

	report_passes(log, log->n_phases, &table);
	html_put(out,
		 "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
		 "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
		 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		 "style-src 'unsafe-inline'; script-src 'sha256-" REPORT_SCRIPT_SHA256
		 "'\"><title>%s</title><style>",
		 title);
	strbuf_add(out, embed_report_css, (size_t)(embed_report_css_end - embed_report_css));
	strbuf_printf(out, "</style></head>\n<body data-step=\"%g\"><header><p><b>malitop</b> report</p>%s",
		      (double)log->step_ns * 1e-9, is_simulated(log) ? "<p class=\"sim\">SIMULATED</p>" : "");
	html_put(out, "<p class=\"dev\">%s%s%s · ",
		 log->session.gpu ? log->session.gpu->title : log->session.log->host,
		 table.app[0] ? " · " : "", table.app);
	if (n_logs > 1)
		strbuf_printf(out, "%u logs", n_logs);
	else
		report_put_start(log, out);
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
	html_put(out, "\">%s</h2>\n", title);
}

void report_head(const char *const *names, struct strbuf *out)
{
	strbuf_str(out, "<thead><tr>");
	for (; *names; names++)
		if (**names == '#')
			html_put(out, "<th scope=\"col\" class=\"n\">%s</th>", *names + 1);
		else
			html_put(out, "<th scope=\"col\">%s</th>", *names);
	strbuf_str(out, "</tr></thead><tbody>");
}

void report_table(const char *id, const char *title, const char *note, const char *const *names,
		  struct strbuf *out)
{
	report_heading(id, title, out);
	strbuf_printf(out, "<p class=\"note\">%s</p><div class=\"sc\"><table>", note);
	report_head(names, out);
}

void report_bar(struct strbuf *out, double share, const char *class)
{
	strbuf_printf(out,
		      "<td class=\"br sm\"><svg class=\"b %s\" viewBox=\"0 0 100 10\" "
		      "preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect width=\"%.1f\" "
		      "height=\"10\"/></svg>",
		      class, isfinite(share) ? real_max(0, real_min(share, 1)) * 100 : 0);
}

/* ---- the plots of a page ---- */

bool report_views(const struct report_log *log, struct views *views, struct err *err)
{
	struct gpudb_text shipped = {
		"report.chart", {embed_report_chart, (size_t)(embed_report_chart_end - embed_report_chart)}};
	const struct gpudb *db = log->session.db;
	bool ok;

	*views = (struct views){0};
	ok = chart_read(views, NULL, &shipped, log->sets, err);
	for (unsigned i = 0; ok && i < db->n_own; i++)
		ok = chart_read(views, db, &db->own[i], log->sets, err);
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
		const char *title = report_verdict_title(v);

		if (i + 1 < log->n_steps && verdicts[i + 1] == v)
			continue;
		html_put(out,
			 "<rect class=\"%s\" x=\"%u\" width=\"%u\" height=\"%d\"><title>%s</title></rect>",
			 band_class(v), from, i + 1 - from, REPORT_PLOT_UNITS, title);
		if ((i + 1 - from) * 25 > log->n_steps)
			html_put(&words,
				 "<span class=\"%s\" data-a=\"%u\" data-b=\"%u\" style=\"left:%.2f%%;"
				 "width:%.2f%%\" aria-hidden=\"true\">%s</span>",
				 band_class(v), from, i + 1, (double)from / log->n_steps * 100,
				 (double)(i + 1 - from) / log->n_steps * 100, title);
		from = i + 1;
	}
	strbuf_printf(out, "</svg>%s<b>%s</b></div>", words.n ? words.p : "", label);
}
