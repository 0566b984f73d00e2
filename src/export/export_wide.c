/* A text table with a line per interval and a column per metric, under a header that is repeated,
 * like vmstat. Counts are per second, with an SI prefix after the number. The columns of a run
 * never change: the first rows wait until each source has had a sample. */
#include "export/export_findings.h"
#include "export/export_priv.h"

#include "base/alloc.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELL_TEXT (2 * UNITS_TEXT + 2) /* fits a number, its prefix, and brackets */
#define TIME_WIDTH 9
#define CELL_WIDTH 7           /* fits "[24.1M]" */
#define LABEL_LINES 4          /* lines of a header above the units */
#define HEADER_ROWS 20         /* rows from one header to the next */
#define SETTLE_NS 1000000000ll /* how long the first rows wait for sources without a row */
#define LABEL_TEXT 64

/* The title of a column, cut into lines. */
struct label {
	char text[LABEL_TEXT];
	struct span lines[LABEL_LINES];
	unsigned n;
	int width; /* columns on the screen */
};

/* Split a title into lines as wide as its longest word. Remaining words share the last line. */
static void make_label(const struct export_table *table, const struct export_column *c, struct label *label)
{
	const struct export_source *source = &table->sources[c->source];
	const char *prefix = source->prefix;
	struct span rest, word;

	*label = (struct label){.width = CELL_WIDTH};
	snprintf(label->text, sizeof(label->text), "%s%s%s%s%s", prefix, prefix[0] ? " " : "",
		 c->metric->def->short_title, c->instance < 0 ? "" : " ",
		 c->instance < 0 ? "" : source->set->instances[c->instance].label);
	rest = span_of(label->text);
	while ((word = span_word(&rest)).n)
		if ((int)word.n > label->width)
			label->width = (int)word.n;
	rest = span_of(label->text);
	while ((word = span_word(&rest)).n) {
		struct span *last = label->n ? &label->lines[label->n - 1] : NULL;
		size_t joined = last ? (size_t)(word.p + word.n - last->p) : 0;

		if (last && ((int)joined <= label->width || label->n == LABEL_LINES))
			last->n = joined;
		else
			label->lines[label->n++] = word;
		if (last && (int)last->n > label->width)
			label->width = (int)last->n;
	}
}

/* Whether the column is shown: its source has had a row. */
static bool is_shown(const struct export_column *c)
{
	return c->known && !c->hidden;
}

/* Write a line of the header. The line of units follows those of labels. */
static void write_labels(const struct export_table *table, unsigned n_lines, unsigned line,
			 struct strbuf *out)
{
	strbuf_printf(out, "%*s", TIME_WIDTH, line == n_lines ? "s" : line + 1 == n_lines ? "time" : "");
	for (unsigned i = 0; i < table->n_metrics; i++) {
		const struct export_column *c = &table->columns[i];
		struct span text = {"", 0};
		char unit[UNITS_TEXT];
		struct label label;

		if (!is_shown(c))
			continue;
		make_label(table, c, &label);
		snprintf(unit, sizeof(unit), "%s%s", c->unit->symbol, c->metric->grows ? "/s" : "");
		if (line == n_lines)
			text = span_of(unit);
		else if (line + label.n >= n_lines)
			text = label.lines[line + label.n - n_lines];
		strbuf_printf(out, "  %*.*s", label.width, SPAN_ARG(text));
	}
	strbuf_line_end(out);
}

static void write_header(const struct export_table *table, struct strbuf *out)
{
	unsigned n_lines = 1;

	for (unsigned i = 0; i < table->n_metrics; i++) {
		struct label label;

		make_label(table, &table->columns[i], &label);
		if (is_shown(&table->columns[i]) && label.n > n_lines)
			n_lines = label.n;
	}
	for (unsigned line = 0; line <= n_lines; line++)
		write_labels(table, n_lines, line, out);
}

/* Format "24.1M", in [brackets] if it is an estimate. */
static void format_cell(char cell[CELL_TEXT], const struct export_column *c, double value, bool estimated)
{
	char number[UNITS_TEXT], suffix[UNITS_TEXT];
	size_t plain = strlen(c->unit->symbol) + (c->metric->grows ? strlen("/s") : 0);
	bool brackets = estimated && isfinite(value);

	unit_split(number, suffix, value, c->unit, c->metric->grows, true);
	suffix[strlen(suffix) > plain ? strlen(suffix) - plain : 0] = 0;
	snprintf(cell, CELL_TEXT, "%s%s%s%s", brackets ? "[" : "", number, suffix, brackets ? "]" : "");
}

/* Rows that wait for the first samples of all sources: a cell for each column, and the flags, each
 * terminated by a zero byte. */
struct table_held {
	struct strbuf cells;
	bool settled;
	unsigned n_rows; /* written so far */
};

struct table_held *export_wide_new(void)
{
	return xcalloc(1, sizeof(struct table_held));
}

void export_wide_free(struct table_held *held)
{
	if (held)
		strbuf_fini(&held->cells);
	free(held);
}

static void hold_cell(struct table_held *held, const char *text)
{
	strbuf_str(&held->cells, text);
	strbuf_add(&held->cells, "", 1);
}

static void hold_row(struct table_held *held, const struct export_table *table, const struct export_row *row)
{
	struct export_row without = *row;
	char words[EXPORT_FLAGS_TEXT], time[UNITS_TEXT];

	snprintf(time, sizeof(time), "%.3f", (double)(row->end_ns - table->begin_ns) * 1e-9);
	hold_cell(held, time);
	for (unsigned i = 0; i < table->n_metrics; i++) {
		const struct export_column *c = &table->columns[i];
		char cell[CELL_TEXT] = "";

		if (row->sums[c->source])
			format_cell(cell, c, export_rate(c, row->values[i], row->sums[c->source]),
				    row->estimated[i]);
		hold_cell(held, cell[0] ? cell : c->missed ? "-" : "");
	}
	without.flags &= ~(uint32_t)SAMPLE_ESTIMATED; /* the brackets show the estimates */
	hold_cell(held, export_flags(words, &without));
}

static void write_held(struct table_held *held, const struct export_table *table, struct strbuf *out)
{
	const char *at = held->cells.p, *end = at + held->cells.n;

	while (at < end) {
		if (held->n_rows++ % HEADER_ROWS == 0)
			write_header(table, out);
		strbuf_printf(out, "%*s", TIME_WIDTH, at);
		at += strlen(at) + 1;
		for (unsigned i = 0; i < table->n_metrics; i++, at += strlen(at) + 1) {
			struct label label;

			make_label(table, &table->columns[i], &label);
			if (is_shown(&table->columns[i]))
				strbuf_printf(out, "  %*s", label.width, at);
		}
		strbuf_printf(out, "  %s", at);
		at += strlen(at) + 1;
		strbuf_line_end(out);
	}
	strbuf_clear(&held->cells);
}

/* Whether all sources have had a row, or time enough for one. After that the columns stay: a source
 * that comes later has dashes until its first row. */
static bool settle_columns(struct table_held *held, const struct export_table *table, bool enough)
{
	bool known = true;

	for (unsigned i = 0; i < table->n_metrics; i++)
		known = known && table->columns[i].known;
	held->settled = held->settled || known || enough;
	for (unsigned i = 0; i < table->n_metrics && held->settled; i++) {
		table->columns[i].missed |= !table->columns[i].known;
		table->columns[i].known = true;
	}
	return held->settled;
}

/* Write the waiting rows at once when a run ends early. */
static void write_waiting(const struct export_table *table, struct strbuf *out)
{
	if (!table->held)
		return;
	settle_columns(table->held, table, true);
	write_held(table->held, table, out);
}

static void wide_row(const struct export_table *table, const struct export_row *row, struct strbuf *out)
{
	if (row->command) {
		write_waiting(table, out);
		export_text.row(table, row, out);
		return;
	}
	hold_row(table->held, table, row);
	if (settle_columns(table->held, table, row->end_ns - table->begin_ns >= SETTLE_NS))
		write_held(table->held, table, out);
}

static void wide_end(const struct export_table *table, struct strbuf *out)
{
	write_waiting(table, out);
	export_text_end(table, out);
}

const struct export_format export_wide = {
	.name = "table", .hot = true, .row = wide_row, .end = wide_end, .findings = findings_text};
