/* A text table: a line per metric and interval of its source, and the totals of a command at its
 * end. Counts are per second for an interval; for a command they are totals and per second. */
#include "export/export_findings.h"
#include "base/real.h"
#include "export/export_priv.h"

#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define VALUE_WIDTH 8 /* fits "[24.1]" and two blanks */
#define UNIT_WIDTH 8

static int name_width(const struct export_table *table)
{
	size_t width = 0;

	for (unsigned i = 0; i < table->n_metrics; i++)
		if (strlen(table->columns[i].name) > width)
			width = strlen(table->columns[i].name);
	return (int)width;
}

/* What a table shows as the unit of a ratio: its symbol, else its name; a count needs none. */
static const char *ratio_unit(const struct unit *unit)
{
	return unit->kind == UNIT_RATIO && !unit->symbol[0] ? unit->name : unit->symbol;
}

static int unit_width(const struct export_table *table)
{
	size_t width = UNIT_WIDTH;

	for (unsigned i = 0; i < table->n_metrics; i++)
		if (!table->columns[i].hidden && strlen(ratio_unit(table->columns[i].unit)) > width)
			width = strlen(ratio_unit(table->columns[i].unit));
	return (int)width;
}

/* Write "24.1  MB/s" with the unit in `width` columns; an estimate is in [brackets]. */
static void put_value(struct strbuf *out, double value, const struct unit *unit, bool rate, bool estimated,
		      int width)
{
	char number[UNITS_TEXT], suffix[UNITS_TEXT], shown[UNITS_TEXT + 2];

	unit_split(number, suffix, value, unit, rate, true);
	if (!suffix[0] && isfinite(value))
		snprintf(suffix, sizeof(suffix), "%s", ratio_unit(unit));
	snprintf(shown, sizeof(shown), estimated && isfinite(value) ? "[%s]" : "%s", number);
	strbuf_printf(out, "  %*s  %-*s", VALUE_WIDTH, shown, width, suffix);
}

/* Return the flags of one value. The flag for estimates may concern other values of its source. */
static uint32_t flags_of_value(uint32_t flags, bool estimated)
{
	return estimated ? flags : flags & ~(uint32_t)SAMPLE_ESTIMATED;
}

static void text_begin(const struct export_table *table, struct strbuf *out)
{
	if (table->options->lines != EXPORT_TOTAL)
		strbuf_printf(out, "%10s  %-*s  %*s  %-*s  flags\n", "time", name_width(table), "name",
			      VALUE_WIDTH, "value", unit_width(table), "unit");
}

/* `time` is the end of the interval, in seconds since the start of the first one. Round it to ms
 * first: an interval that ended just before that is at 0.000, not at -0.000. */
static void text_interval(const struct export_table *table, const struct export_row *row, struct strbuf *out)
{
	double time_s = (double)real_round((double)(row->end_ns - table->begin_ns) * 1e-6) * 1e-3;
	int width = name_width(table);
	char words[EXPORT_FLAGS_TEXT];

	for (unsigned i = 0; i < table->n_metrics; i++) {
		const struct export_column *c = &table->columns[i];
		double value = export_rate(c, row->values[i], row->sums[c->source]);
		struct export_row one = *row;

		if (c->source != row->source || c->hidden)
			continue;
		strbuf_printf(out, "%10.3f  %-*s", time_s, width, c->name);
		put_value(out, value, c->unit, c->metric->grows, row->estimated[i], unit_width(table));
		one.flags = flags_of_value(row->flags, row->estimated[i]);
		strbuf_printf(out, "  %s", export_flags(words, &one));
		strbuf_line_end(out);
	}
}

static void text_times(const struct export_command *c, struct strbuf *out)
{
	strbuf_printf(out, "\n%12.3f s  elapsed\n", (double)(c->end_ns - c->begin_ns) * 1e-9);
	if (c->n_parts)
		strbuf_printf(out, "%12.3f s  counted, in %u part%s\n", (double)c->counted_ns * 1e-9,
			      c->n_parts, plural_ending(c->n_parts));
	strbuf_printf(out, "%12.3f s  in programs\n", (double)c->user_ns * 1e-9);
	strbuf_printf(out, "%12.3f s  in the kernel\n", (double)c->system_ns * 1e-9);
	if (c->gpu && c->gpu_ns != SAMPLE_UNKNOWN)
		strbuf_printf(out, "%12.3f ms on the GPU, %.1f %% of the elapsed time\n",
			      (double)c->gpu_ns * 1e-6,
			      (double)c->gpu_ns / (double)(c->end_ns - c->begin_ns) * 100);
	if (c->gpu && c->gpu_bytes != SAMPLE_UNKNOWN)
		strbuf_printf(out, "%12.1f MB GPU memory at most\n", (double)c->gpu_bytes * 1e-6);
	strbuf_printf(out, "%12d    exit status\n", c->status);
}

static void text_total(const struct export_table *table, const struct export_row *row, struct strbuf *out)
{
	struct metric_frames frames = export_frames(table, row->sums);
	char words[SAMPLE_FLAGS_TEXT], said[64];
	int width = name_width(table);

	strbuf_printf(out, "%s%s\n%s\n", table->options->lines == EXPORT_TOTAL ? "" : "\n",
		      row->command->text, row->guide ? "metrics as the guide of the GPU defines them\n" : "");
	strbuf_printf(out, "%-*s  %*s  %-*s  %*s  %-*s  flags\n", width, "name", VALUE_WIDTH, "value",
		      unit_width(table), "unit", VALUE_WIDTH, "rate", UNIT_WIDTH, "unit");
	for (unsigned i = 0; i < table->n_metrics; i++) {
		const struct export_column *c = &table->columns[i];
		const struct column *sum = row->sums[c->source];
		uint32_t flags = flags_of_value(sum ? sum->flags : 0, row->estimated[i]);

		if (c->hidden || (sum && export_events_have(table->sources[c->source].set, c->name)))
			continue; /* the report on events has it */
		strbuf_printf(out, "%-*s", width, c->name);
		put_value(out, row->values[i], c->unit, false, row->estimated[i], unit_width(table));
		if (c->metric->grows)
			put_value(out, export_rate(c, row->values[i], sum), c->unit, true, row->estimated[i],
				  UNIT_WIDTH);
		else
			strbuf_printf(out, "%*s", 4 + VALUE_WIDTH + UNIT_WIDTH, "");
		sample_flags_format(words, flags);
		strbuf_printf(out, "  %s%s%s", words,
			      words[0] && table->sources[c->source].machine ? " " : "",
			      table->sources[c->source].machine ? "machine" : "");
		strbuf_line_end(out);
	}
	for (unsigned s = 0; s < table->n_sources; s++) {
		if (!row->sums[s] || table->sources[s].mix)
			continue; /* the sources of the mix have these reports */
		export_events(&table->sources[s], row->sums[s], out);
		export_passes(&table->sources[s], row->sums[s], row->command->begin_ns, out);
	}
	export_frame_energy(table, row, out);
	metric_frames_say(&frames, said, sizeof(said));
	if (said[0] && frames.display >= 0) /* an application's frames, unless this says otherwise */
		strbuf_printf(out, "frames: %s\n", said);
	export_hot(table, out);
	text_times(row->command, out);
}

static void text_row(const struct export_table *table, const struct export_row *row, struct strbuf *out)
{
	if (row->command)
		text_total(table, row, out);
	else
		text_interval(table, row, out);
}

/* Write the end without a total: of a log, or of a run without a command. */
void export_text_end(const struct export_table *table, struct strbuf *out)
{
	if (table->options->lines == EXPORT_ROWS)
		export_hot(table, out);
}

const struct export_format export_text = {.name = "table",
					  .each = true,
					  .hot = true,
					  .begin = text_begin,
					  .row = text_row,
					  .end = export_text_end,
					  .findings = findings_text};
