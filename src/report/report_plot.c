#include "report/report_page.h"

#include "base/alloc.h"
#include "base/real.h"
#include "mlog/moment.h"
#include "views/widget.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLOT_HEIGHT 130   /* px */
#define COLD_CELSIUS 30.0 /* start of the axis of temperatures */
#define NOTABLE 0.1       /* a phase that exceeds the mean by this share is named */
#define TICKS 8           /* most ticks of time */

/* ---- parts ---- */

static double share_of(const struct report_log *log, int64_t at_ns)
{
	return (double)(at_ns - log->begin_ns) / (double)log->step_ns;
}

/* The first picture defines the background, which all others use. */
void report_svg_open(const struct report_log *log, const char *name, unsigned height, struct strbuf *out)
{
	html_put(out,
		 "<svg class=\"p\" style=\"height:%upx\" role=\"img\" aria-label=\"%s\" viewBox=\"0 0 %u "
		 "%d\" preserveAspectRatio=\"none\">",
		 height, name, log->n_steps, REPORT_PLOT_UNITS);
	for (unsigned i = 1; i < log->n_phases; i += 2)
		strbuf_printf(out, "<rect class=\"ph\" x=\"%.1f\" y=\"0\" width=\"%.1f\" height=\"%d\"/>",
			      share_of(log, log->phases[i].begin_ns),
			      (double)(log->phases[i].end_ns - log->phases[i].begin_ns) /
				      (double)log->step_ns,
			      REPORT_PLOT_UNITS);
	strbuf_printf(out, "<path class=\"gr\" d=\"M0 2H%uM0 %dH%u\"/>", log->n_steps, REPORT_PLOT_UNITS / 2,
		      log->n_steps);
}

static void put_marks(const struct report_log *log, struct strbuf *out)
{
	strbuf_str(out, log->n_marks ? "<path class=\"mk\" d=\"" : "");
	for (unsigned i = 0; i < log->n_marks; i++)
		strbuf_printf(out, "M%.1f 0V%d", share_of(log, log->marks[i].at_ns), REPORT_PLOT_UNITS);
	strbuf_str(out, log->n_marks ? "\"/>" : "");
}

/* A step without a value is a gap; a single value is a dot. Values above the top are drawn at the
 * top. */
void report_svg_path(const struct report_log *log, const double *values, double bottom, double top,
		     const char *class, const char *label, const char *metric, bool filled,
		     struct strbuf *out)
{
	bool open = false;
	long last = 0;
	unsigned from = 0;

	strbuf_printf(out, "<path class=\"%s\"", class);
	if (metric)
		strbuf_printf(out, " data-m=\"%s\"", metric);
	strbuf_str(out, " d=\"");
	for (unsigned i = 0; i <= log->n_steps; i++) {
		double v = i < log->n_steps ? (values[i] - bottom) / (top - bottom) : (double)NAN;
		long y = isfinite(v) ? (long)real_round((1 - real_max(0, real_min(v, 1))) * REPORT_PLOT_UNITS)
				     : 0;

		if (!isfinite(v)) {
			if (open && filled)
				strbuf_printf(out, "V%dH%u.5Z", REPORT_PLOT_UNITS, from);
			else if (open && i == from + 1)
				strbuf_str(out, "l0 0");
			open = false;
			continue;
		}
		if (open)
			strbuf_printf(out, y < last ? "l1%ld" : "l1 %ld", y - last);
		else
			strbuf_printf(out, "M%u.5 %ld", from = i, y);
		open = true;
		last = y;
	}
	html_put(out, "\"><title>%s</title></path>", label);
}

void report_svg_limit(double share, const char *text, struct strbuf *out)
{
	html_put(out, "<path class=\"li\" d=\"M0 %.0fH9999\"><title>%s</title></path>",
		 (1 - share) * REPORT_PLOT_UNITS, text);
}

void report_axis(double bottom, double top, double factor, struct strbuf *out)
{
	strbuf_str(out, "<div class=\"ya\" aria-hidden=\"true\">");
	for (int i = 2; i >= 0; i--)
		strbuf_printf(out, "<span style=\"bottom:%d%%\">%.3g</span>", i * 50,
			      (bottom + (top - bottom) * i / 2) * factor);
	strbuf_str(out, "</div>");
}

static int64_t tick_step(int64_t length_ns)
{
	static const int seconds[] = {1,   2,    5,    10,   20,    30,    60,    120,   300,    600,
				      900, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 604800};

	for (size_t i = 0; i < ARRAY_LEN(seconds); i++)
		if (length_ns / TICKS <= seconds[i] * 1000000000ll)
			return seconds[i] * 1000000000ll;
	return length_ns / TICKS;
}

void report_ticks(const struct report_log *log, struct strbuf *out)
{
	int64_t length_ns = log->end_ns - log->begin_ns, step_ns = tick_step(length_ns);
	double steps = (double)log->n_steps * (double)log->step_ns;

	if (length_ns < 2000000000ll)
		step_ns = 200000000;
	strbuf_str(out, "<div class=\"xa\" aria-hidden=\"true\">");
	for (int64_t at_ns = 0; at_ns <= length_ns; at_ns += step_ns) {
		char text[UNITS_TEXT];

		if (length_ns >= 120000000000ll)
			moment_format(text, at_ns, false);
		else
			snprintf(text, sizeof(text), "%g%s", (double)at_ns * 1e-9,
				 at_ns + step_ns > length_ns ? " s" : "");
		strbuf_printf(out, "<span style=\"left:%.2f%%\">%s</span>", (double)at_ns / steps * 100,
			      text);
	}
	strbuf_str(out, "</div>");
}

void report_phase_names(const struct report_log *log, struct strbuf *out)
{
	double steps = (double)log->n_steps;

	if (log->n_phases < 2)
		return;
	strbuf_str(out, "<div class=\"pn\" aria-hidden=\"true\">");
	for (unsigned i = 0; i < log->n_phases; i++) {
		const struct report_phase *p = &log->phases[i];
		double from = share_of(log, p->begin_ns), to = share_of(log, p->end_ns);

		html_put(out,
			 "<span data-a=\"%.1f\" data-b=\"%.1f\" style=\"left:%.2f%%;width:%.2f%%\">%s</span>",
			 from, to, from / steps * 100, (to - from) / steps * 100, p->name);
	}
	strbuf_str(out, "</div>");
}

/* ---- a chart ---- */

double report_line_value(const struct report_plot *plot, unsigned line, unsigned phase)
{
	const struct report_line *l = &plot->lines[line];
	struct report_span span = report_phase_span(plot->log, phase);

	return report_value(plot->log, l->source, l->metric, l->instance, &span);
}

/* Fill the values of a line. Returns whether any is known. */
static bool fill_values(const struct report_log *log, struct report_line *line)
{
	bool any = false;

	line->values = xcalloc(log->n_steps, sizeof(*line->values));
	for (unsigned i = 0; i < log->n_steps; i++) {
		struct report_span span = report_step(log, i);

		line->values[i] = report_value(log, line->source, line->metric, line->instance, &span);
		any = any || isfinite(line->values[i]);
	}
	return any;
}

static void add_line(struct report_plot *plot, const struct series *series,
		     const struct metric_instance *instance)
{
	struct report_line *line = &plot->lines[plot->n];

	if (plot->n == REPORT_LINES || (plot->n && series->metric->unit != plot->unit))
		return;
	*line = (struct report_line){
		.source = series->source, .metric = series->metric, .instance = instance};
	str_printable(line->label, sizeof(line->label),
		      instance ? instance->title : series->label + strspn(series->label, " "));
	if (!fill_values(plot->log, line)) {
		free(line->values);
		return;
	}
	plot->unit = series->metric->unit;
	plot->rate = series->metric->grows;
	plot->n++;
}

/* Add a line for each cluster. CPUs without clusters are one line. */
static void add_clusters(struct report_plot *plot, const struct series *series)
{
	const struct metric_set *set = plot->log->sets[series->source];

	for (unsigned i = 0; i < set->n_instances; i++)
		if (set->instances[i].kind == INSTANCE_CLUSTER &&
		    series->metric->instances & 1u << INSTANCE_CLUSTER)
			add_line(plot, series, &set->instances[i]);
	if (!plot->n)
		add_line(plot, series, NULL);
}

static void find_limit(struct report_plot *plot)
{
	const struct chart *chart = plot->chart;
	const struct metric *m = chart->series[0].metric;
	struct view_data data = {0};
	struct report_span all = report_all(plot->log);
	struct series named;

	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++)
		data.feeds[kind].set = plot->log->sets[kind];
	if (chart_option_series(chart, &data, "limit", &named)) {
		struct span words = chart_option_words(chart, "limit");

		plot->limit = report_value(plot->log, named.source, named.metric, NULL, &all);
		snprintf(plot->words, sizeof(plot->words), "%.*s", SPAN_ARG(words));
	} else if (plot->n == 1 && m->alert != ALERT_NONE) {
		plot->limit = m->alert_at;
		snprintf(plot->words, sizeof(plot->words), "limit");
	}
}

bool report_plot_init(struct report_plot *plot, const struct report_log *log, const struct chart *chart)
{
	bool clusters = strcmp(chart->widget->name, "clusters") == 0;

	*plot = (struct report_plot){.log = log, .chart = chart, .limit = NAN};
	if (strcmp(chart->widget->name, "funnel") == 0)
		return false;
	if (strcmp(chart->widget->name, "histogram") == 0)
		plot->shape = REPORT_SHARES;
	for (unsigned i = 0; i < chart->n_series && !(clusters && i); i++)
		if (clusters)
			add_clusters(plot, &chart->series[i]);
		else
			add_line(plot, &chart->series[i], NULL);
	if (!plot->n)
		return false;
	if (plot->n > 1 && strcmp(chart->widget->name, "area") == 0)
		plot->shape = REPORT_STACK;
	find_limit(plot);
	return true;
}

void report_plot_fini(struct report_plot *plot)
{
	for (unsigned i = 0; i < plot->n; i++) {
		free(plot->lines[i].values);
		free(plot->lines[i].was);
	}
}

/* ---- the figure of a plot ---- */

/* Get the drawn values of a line; in a stack, the sum with the lines below it. */
static void sum_lines(const struct report_plot *plot, unsigned line, bool was, double *out)
{
	unsigned first = plot->shape == REPORT_LINE || was ? line : 0;

	for (unsigned i = 0; i < plot->log->n_steps; i++) {
		out[i] = NAN;
		for (unsigned k = first; k <= line; k++) {
			double v = (was ? plot->lines[k].was : plot->lines[k].values)[i];

			if (isfinite(v))
				out[i] = isnan(out[i]) ? v : out[i] + v;
		}
	}
}

static double plot_top(const struct report_plot *plot, double *scratch)
{
	double peak = plot->limit;

	if (plot->unit->kind == UNIT_PERCENT && !plot->unit->open)
		return 100;
	for (unsigned i = 0; i < plot->n; i++)
		for (int was = 0; was <= (plot->lines[i].was != NULL); was++) {
			sum_lines(plot, i, was, scratch);
			for (unsigned k = 0; k < plot->log->n_steps; k++)
				peak = real_max(peak, scratch[k]);
		}
	return widget_nice_top(peak);
}

/* Return the factor for numbers at which the top of the axis has no prefix; *suffix is the unit
 * with that prefix. */
static double axis_factor(const struct report_plot *plot, double top, char suffix[UNITS_TEXT])
{
	char number[UNITS_TEXT];

	unit_split(number, suffix, top, plot->unit, plot->rate, false);
	return top > 0 ? strtod(number, NULL) / top : 1;
}

/* Append the sentence as plain text. */
static void put_sentence(const struct report_plot *plot, struct strbuf *out)
{
	const struct report_log *log = plot->log;
	double most = -INFINITY, best = -INFINITY;
	unsigned lead = 0, phase = 0;
	const struct report_line *line;

	for (unsigned i = 0; i < plot->n; i++) {
		double value = report_line_value(plot, i, log->n_phases);

		if (value > most) {
			most = value;
			lead = i;
		}
	}
	for (unsigned i = 0; i < log->n_phases; i++) {
		double value = report_line_value(plot, lead, i);

		if (value > best) {
			best = value;
			phase = i;
		}
	}
	line = &plot->lines[lead];
	strbuf_printf(out, "%s %s %s%s", line->label,
		      report_value_text(TEXT, line->metric, isfinite(most) ? most : (double)NAN),
		      strcmp(plot->unit->name, "celsius") == 0 ? "at the end" : "over the whole log",
		      plot->n > 1 ? ", the highest of these" : "");
	if (line->was)
		strbuf_printf(out, ", was %s", report_value_text(TEXT, line->metric, line->was_mean));
	if (log->n_phases > 1 && best > most * (1 + NOTABLE))
		strbuf_printf(out, "; highest in %s, %s", log->phases[phase].name,
			      report_value_text(TEXT, line->metric, best));
	strbuf_str(out, ".");
}

/* Append the table with a column for each phase, if there are several, and for the whole log. */
static void put_table(const struct report_plot *plot, struct strbuf *out)
{
	const struct report_log *log = plot->log;
	unsigned first = log->n_phases > 1 ? 0 : log->n_phases;

	html_put(out,
		 "<details><summary>Table: %s</summary><div class=\"sc\"><table><thead><tr><th "
		 "scope=\"col\"></th>",
		 plot->chart->title);
	for (unsigned i = first; i <= log->n_phases; i++)
		html_put(out, "<th scope=\"col\">%s</th>", log->phases[i].name);
	strbuf_str(out, "</tr></thead><tbody>");
	for (unsigned k = 0; k < plot->n; k++) {
		html_put(out, ROW "</th>", plot->lines[k].label);
		for (unsigned i = first; i <= log->n_phases; i++)
			html_put(out, WORDS "</td>",
				 report_value_text(TEXT, plot->lines[k].metric,
						   report_line_value(plot, k, i)));
		strbuf_str(out, ROW_END);
	}
	strbuf_str(out, TABLE_END "</details>");
}

/* Draw the highest line of a stack first, because each lower one is drawn over it. */
static void put_paths(const struct report_plot *plot, double bottom, double top, double *scratch,
		      struct strbuf *out)
{
	char class[16], metric[128];

	for (unsigned k = 0; k < plot->n; k++) {
		unsigned i = plot->shape == REPORT_LINE ? k : plot->n - 1 - k;

		snprintf(class, sizeof(class), "%s%u",
			 plot->shape == REPORT_SHARES  ? "f h"
			 : plot->shape == REPORT_STACK ? "f s"
						       : "l s",
			 i + 1);
		sum_lines(plot, i, false, scratch);
		snprintf(metric, sizeof(metric), "%s%s%s", plot->lines[i].metric->def->name,
			 plot->lines[i].instance ? "." : "",
			 plot->lines[i].instance ? plot->lines[i].instance->label : "");
		report_svg_path(plot->log, scratch, bottom, top, class, plot->lines[i].label, metric,
				plot->shape != REPORT_LINE, out);
	}
	for (unsigned i = 0; i < plot->n; i++)
		if (plot->lines[i].was) {
			sum_lines(plot, i, true, scratch);
			report_svg_path(plot->log, scratch, bottom, top, "l was", "was", NULL, false, out);
		}
}

static void put_legend(const struct report_plot *plot, struct strbuf *out)
{
	strbuf_str(out, "<ul class=\"lg\">");
	for (unsigned k = 0; k < plot->n; k++) {
		unsigned i = plot->shape == REPORT_LINE ? k : plot->n - 1 - k;

		html_put(out, "<li class=\"%s%u\">%s</li>", plot->shape == REPORT_SHARES ? "h" : "s", i + 1,
			 plot->lines[i].was && plot->n == 1 ? "now" : plot->lines[i].label);
	}
	strbuf_str(out, plot->lines[0].was ? "<li class=\"was\">was</li></ul>" : "</ul>");
}

void report_plot_html(const struct report_plot *plot, struct strbuf *out)
{
	AUTOFREE double *scratch = xcalloc(plot->log->n_steps, sizeof(*scratch));
	AUTO_STRBUF struct strbuf sentence = {0};
	const struct chart *chart = plot->chart;
	bool heat = strcmp(plot->unit->name, "celsius") == 0;
	double bottom = heat ? COLD_CELSIUS : 0, top = plot_top(plot, scratch), factor,
	       limit = (plot->limit - bottom) / (top - bottom);
	bool has_limit = plot->limit > bottom && plot->limit <= top;
	char suffix[UNITS_TEXT];

	factor = axis_factor(plot, top, suffix);
	strbuf_printf(&sentence, "%s: ", chart->title);
	put_sentence(plot, &sentence);
	strbuf_str(out, "<figure class=\"pl\" id=\"");
	html_id(out, "p-", chart->name);
	html_put(out, "\"><h3>%s <small>%s%s</small></h3><p class=\"say\">%s</p>", chart->title,
		 chart->base[0] ? chart->base : suffix, heat ? ", axis from 30" : "",
		 sentence.p + strlen(chart->title) + strlen(": "));
	strbuf_printf(out, "<div class=\"bx\" data-bottom=\"%.6g\" data-top=\"%.6g\" data-unit=\"%s\"%s>",
		      bottom * factor, top * factor, suffix, plot->shape == REPORT_LINE ? "" : " data-stack");
	report_axis(bottom, top, factor, out);
	report_svg_open(plot->log, sentence.p, PLOT_HEIGHT, out);
	put_paths(plot, bottom, top, scratch, out);
	if (has_limit)
		report_svg_limit(limit, plot->words, out);
	put_marks(plot->log, out);
	strbuf_str(out, "</svg>");
	if (has_limit)
		html_put(out, "<span class=\"ll\" style=\"bottom:%.1f%%\">%s %.3g</span>", limit * 100,
			 plot->words, plot->limit * factor);
	put_legend(plot, out);
	strbuf_str(out, "</div>");
	report_ticks(plot->log, out);
	put_table(plot, out);
	strbuf_str(out, "</figure>\n");
}

/* ---- the funnel ---- */

bool report_funnel_html(const struct report_log *log, const struct chart *chart, struct strbuf *out)
{
	double input = 0;
	unsigned phase = 0;
	struct report_span span;

	if (strcmp(chart->widget->name, "funnel") != 0)
		return false;
	for (unsigned i = 0; i < log->n_phases && chart->n_series; i++) {
		double value;

		span = report_phase_span(log, i);
		value = report_value(log, chart->series[0].source, chart->series[0].metric, NULL, &span);
		if (value > input) {
			input = value;
			phase = i;
		}
	}
	if (!(input > 0))
		return false;
	span = report_phase_span(log, phase);
	html_put(out,
		 "<figure class=\"fu\"><h3>%s <small>primitives per second%s%s</small></h3><div "
		 "class=\"sc\"><table><tbody>",
		 chart->title, log->n_phases > 1 ? ", mean of " : "",
		 log->n_phases > 1 ? log->phases[phase].name : "");
	for (unsigned i = 0; i < chart->n_series; i++) {
		const struct series *s = &chart->series[i];
		double value = report_value(log, s->source, s->metric, NULL, &span);
		double share = isfinite(value) ? value / input * 100 : 0;

		html_put(out,
			 ROW "</th><td class=\"br\"><svg class=\"b\" viewBox=\"0 0 100 10\" "
			     "preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect width=\"%.1f\" "
			     "height=\"10\"/></svg></td><td>%s</td><td>%.1f %%</td></tr>",
			 s->label, share, report_value_text(TEXT, s->metric, value), share);
	}
	strbuf_str(out, TABLE_END "</figure>\n");
	return true;
}
