/* A trace for ui.perfetto.dev and trace_processor: a track for every source, below it one for every
 * group of its metrics, below that a counter for every metric, and below that one for every core,
 * slice, cluster and CPU.
 *
 * A counter keeps its value until the next event, so a value is an event at the start of its
 * interval. Every interval is a slice on the track of its source: where there is no slice, nothing
 * was measured, and counters keep showing the previous value. Counts are rates, because a counter
 * event has no duration. An undefined value has no event.
 *
 * The verdict is a track of slices, and so is each finding that held at any time. Both are known
 * only seconds later, so their events come after those of newer samples.
 */
#include "export/export_priv.h"
#include "export/perfetto.h"

#include "passes/pass_table.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- ids of tracks ---- */

/* Ids must differ between traces: the low TRACKS_BITS number the tracks of a trace, the others
 * identify the trace. An id of 35 bits takes five bytes in every event; 64 bits would take ten. */
#define TRACKS_BITS 14
#define UUID_BITS 35

/* The tracks of a trace, in the order of their ids. GROUPS are numbered by their first column.
 * FRAMES has SLICES_TRACKS tracks per source, for frames, passes and regions. JUDGED has the
 * verdict, the parent of findings, then each finding. */
enum track_kind { MARKS, SOURCES, COLUMNS, GROUPS, FRAMES, JUDGED, TRACK_KINDS };
#define FINDINGS 2

static uint64_t uuid_of(const struct export_table *table, enum track_kind kind, unsigned number)
{
	const unsigned sizes[TRACK_KINDS] = {[MARKS] = 1,
					     [SOURCES] = table->n_sources,
					     [COLUMNS] = table->n_metrics,
					     [GROUPS] = table->n_metrics,
					     [FRAMES] = table->n_sources * SLICES_TRACKS};
	uint64_t hash =
		table->id * 0x9e3779b97f4a7c15; /* 2^64 by the golden ratio: high bits depend on all */
	uint64_t uuid = (hash >> (64 - UUID_BITS + TRACKS_BITS) << TRACKS_BITS) + 1;

	for (enum track_kind before = 0; before < kind; before++)
		uuid += sizes[before];
	return uuid + number;
}

/* ---- the tree ---- */

static void put_source(const struct export_table *table, unsigned s, struct strbuf *out)
{
	const struct export_source *source = &table->sources[s];
	AUTO_STRBUF struct strbuf name = {0};
	AUTO_STRBUF struct strbuf description = {0};
	char period[UNITS_TEXT];

	strbuf_printf(&name, "%s%s%s%s", source->prefix, *source->prefix ? " " : "", source->title,
		      source->simulated ? " (simulated)" : "");
	strbuf_printf(&description, "%s, every %s, by malitop %s%s%s", source->driver,
		      time_format(period, source->period_ns), table->options->version,
		      *table->options->host ? " on " : "", table->options->host);
	perfetto_track(&(struct track){.uuid = uuid_of(table, SOURCES, s),
				       .rank = s,
				       .name = name.p,
				       .description = description.p},
		       out);
}

static unsigned first_of_group(const struct export_table *table, unsigned column)
{
	const struct export_column *c = &table->columns[column], *first = table->columns;

	while (first->source != c->source || strcmp(first->metric->def->group, c->metric->def->group) != 0)
		first++;
	return (unsigned)(first - table->columns);
}

/* Return the track of the sum over all instances, or of the group if the sum is not a column. */
static uint64_t parent_uuid(const struct export_table *table, unsigned column)
{
	const struct export_column *c = &table->columns[column];

	for (unsigned i = 0; c->instance >= 0 && i < table->n_metrics; i++)
		if (table->columns[i].metric == c->metric && table->columns[i].source == c->source &&
		    table->columns[i].instance < 0)
			return uuid_of(table, COLUMNS, i);
	return uuid_of(table, GROUPS, first_of_group(table, column));
}

static void put_column(const struct export_table *table, unsigned column, struct strbuf *out)
{
	const struct export_column *c = &table->columns[column];
	const struct metric_set *set = table->sources[c->source].set;
	const struct metric_instance *instance = c->instance < 0 ? NULL : &set->instances[c->instance];
	AUTO_STRBUF struct strbuf name = {0};
	AUTO_STRBUF struct strbuf description = {0};
	AUTO_STRBUF struct strbuf unit = {0};

	strbuf_printf(&name, "%s%s%s", instance ? instance->title : "", instance ? ": " : "", c->title);
	strbuf_printf(&description, "%s%s", c->name, c->metric->def->help.n ? ": " : "");
	metric_help(c->metric->def, &description);
	strbuf_printf(&unit, "%s%s", /* shown after a number: "B/s", "%", "cycles/pixel" */
		      c->metric->unit->kind == UNIT_RATIO || !*c->metric->unit->symbol
			      ? c->metric->unit->name
			      : c->metric->unit->symbol,
		      c->metric->grows ? "/s" : "");
	perfetto_track(&(struct track){.uuid = uuid_of(table, COLUMNS, column),
				       .parent = parent_uuid(table, column),
				       .rank = column,
				       .name = name.p,
				       .description = description.p,
				       .unit = unit.p,
				       .scale = instance ? instance_names[instance->kind]
						: c->unit->kind == UNIT_PERCENT ? c->unit->name
										: NULL},
		       out);
}

static void perfetto_begin(const struct export_table *table, struct strbuf *out)
{
	perfetto_clocks(table->options, out);
	perfetto_track(
		&(struct track){.uuid = uuid_of(table, MARKS, 0), .rank = table->n_sources, .name = "Marks"},
		out);
	if (table->options->watch) {
		perfetto_track(&(struct track){.uuid = uuid_of(table, JUDGED, 0),
					       .rank = table->n_sources + 1,
					       .name = "Verdict",
					       .description =
						       "What holds the workload back. Where there is no "
						       "slice, this is not clear."},
			       out);
		perfetto_track(&(struct track){.uuid = uuid_of(table, JUDGED, 1),
					       .rank = table->n_sources + 2,
					       .name = "Findings"},
			       out);
	}
	for (unsigned s = 0; s < table->n_sources; s++) {
		put_source(table, s, out);
		if (pass_table_has(table->sources[s].set))
			slices_begin(table, uuid_of(table, SOURCES, s),
				     uuid_of(table, FRAMES, s * SLICES_TRACKS), out);
	}
	for (unsigned i = 0; i < table->n_metrics; i++) {
		if (first_of_group(table, i) == i)
			perfetto_track(
				&(struct track){.uuid = uuid_of(table, GROUPS, i),
						.parent = uuid_of(table, SOURCES, table->columns[i].source),
						.rank = i,
						.name = table->columns[i].metric->def->group},
				out);
		put_column(table, i, out);
	}
}

/* ---- events ---- */

static void perfetto_sample(const struct export_table *table, unsigned source, const struct sample *sample,
			    struct strbuf *out)
{
	if (table->sources[source].kind == SOURCE_HOT)
		perfetto_hot(sample, out);
	else
		slices_sample(table, source, uuid_of(table, FRAMES, source * SLICES_TRACKS), sample, out);
}

static void perfetto_row(const struct export_table *table, const struct export_row *row, struct strbuf *out)
{
	uint64_t source = uuid_of(table, SOURCES, row->source), first = uuid_of(table, COLUMNS, 0);
	char words[EXPORT_FLAGS_TEXT];

	assert(!row->command); /* traces have no totals */
	export_flags(words, row);
	perfetto_event(
		table,
		&(struct perfetto_event){row->begin_ns, SLICE_BEGIN, source, *words ? words : "interval", 0},
		out);
	perfetto_event(table,
		       &(struct perfetto_event){row->begin_ns + row->duration_ns, SLICE_END, source, NULL, 0},
		       out);
	for (unsigned i = 0; i < table->n_metrics; i++) {
		const struct export_column *c = &table->columns[i];
		double value = export_rate(c, row->values[i], row->sums[c->source]);

		if (isfinite(value))
			perfetto_event(
				table,
				&(struct perfetto_event){row->begin_ns, COUNTER, first + i, NULL, value},
				out);
	}
}

static void put_finding_track(const struct export_table *table, const struct export_judgement *change,
			      struct strbuf *out)
{
	const struct gpu_product *product = watch_judge(table->options->watch)->product;
	const struct finding_def *def = change->what->def;
	struct span says = finding_text(def->says, product), advice = finding_text(def->advice, product);
	AUTO_STRBUF struct strbuf description = {0};

	strbuf_printf(&description, "%s: %.*s %.*s", def->name, SPAN_ARG(says), SPAN_ARG(advice));
	perfetto_track(&(struct track){.uuid = uuid_of(table, JUDGED, FINDINGS + change->number),
				       .parent = uuid_of(table, JUDGED, 1),
				       .rank = change->number,
				       .name = def->title,
				       .description = description.p},
		       out);
}

static void perfetto_judged(const struct export_table *table, const struct export_judgement *change,
			    struct strbuf *out)
{
	if (change->first && !change->is_verdict)
		put_finding_track(table, change, out);
	perfetto_event(
		table,
		&(struct perfetto_event){
			.time_ns = change->time_ns,
			.type = change->begins ? SLICE_BEGIN : SLICE_END,
			.track = uuid_of(table, JUDGED, change->is_verdict ? 0 : FINDINGS + change->number),
			.name = change->begins ? change->what->def->title : NULL},
		out);
}

static void perfetto_mark(const struct export_table *table, int64_t time_ns, const char *text,
			  struct strbuf *out)
{
	perfetto_event(table,
		       &(struct perfetto_event){time_ns, INSTANT, uuid_of(table, MARKS, 0),
						*text ? text : "mark", 0},
		       out);
}

const struct export_format export_perfetto = {.name = "perfetto",
					      .each = true,
					      .also = "GPUClock",
					      .begin = perfetto_begin,
					      .row = perfetto_row,
					      .sample = perfetto_sample,
					      .judged = perfetto_judged,
					      .mark = perfetto_mark};
