/* A trace for ui.perfetto.dev and trace_processor: a track for every source, below it one for every
 * group of its metrics, below that a counter for every metric, and below that one for every core,
 * slice, cluster and CPU.
 *
 * A counter keeps its value until the next event, so a value is an event at the begin of its
 * interval. Every interval is a slice on the track of its source: where there is no slice, nothing
 * was measured, and counters keep showing the previous value. Counts are rates, because a counter
 * event has no duration. An undefined value has no event.
 *
 * A source of passes has a track of frames, and tracks with a slice for every pass of the newest
 * frame of each sample. Slices of a track must not overlap, but passes may: those that do are on
 * further lanes, and frames take turns on two sets of lanes.
 */
#include "export/export_priv.h"

#include "base/alloc.h"
#include "base/proto.h"
#include "model/pass_table.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Field numbers and values of Perfetto's messages. */
enum { TRACE_PACKET = 1 };
enum {
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK_DESCRIPTOR = 60,
};
enum { STATE_CLEARED = 1, STATE_NEEDED = 2 }; /* of the defaults */
enum { DEFAULTS_CLOCK = 58 };
enum { SNAPSHOT_CLOCK = 1, SNAPSHOT_PRIMARY = 2 };
enum { CLOCK_ID = 1, CLOCK_TIMESTAMP = 2 };
enum { REALTIME = 1, MONOTONIC = 3, BOOTTIME = 6 };
enum {
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	TRACK_CHILD_ORDERING = 11,
	TRACK_RANK = 12,
	TRACK_DESCRIPTION = 14,
	TRACK_MERGING = 15,
};
enum { ORDER_BY_RANK = 3 };
enum { MERGE_NEVER = 2 };
enum { COUNTER_UNIT_NAME = 6, COUNTER_SHARED_SCALE = 7 };
enum { EVENT_TYPE = 9, EVENT_TRACK = 11, EVENT_NAME = 23, EVENT_VALUE = 44 };
enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 };

/* Traces may be concatenated, so avoid the small numbers that Perfetto uses for its own
 * sequences. */
#define SEQUENCE 8150

/* ---- ids of tracks ---- */

/* Ids must differ between traces: the low TRACKS_BITS number the tracks of a trace, the others
 * identify the trace. 35 bits take five bytes in every event, 64 bits would take ten. */
#define TRACKS_BITS 14
#define UUID_BITS 35

static uint64_t marks_uuid(const struct export_table *table)
{
	uint64_t hash =
		table->id * 0x9e3779b97f4a7c15; /* 2^64 by the golden ratio: the highest bits depend on all */

	return (hash >> (64 - UUID_BITS + TRACKS_BITS) << TRACKS_BITS) + 1;
}

static uint64_t source_uuid(const struct export_table *table, unsigned source)
{
	return marks_uuid(table) + 1 + source;
}

static uint64_t column_uuid(const struct export_table *table, unsigned column)
{
	return source_uuid(table, table->n_sources) + column;
}

/* The id of a group is made from its first column. */
static uint64_t group_uuid(const struct export_table *table, unsigned first)
{
	return column_uuid(table, table->n_metrics) + first;
}

/* The tracks of frames and passes. */
#define PASS_LANES 4 /* of one frame; passes that find none are left out */
#define REGION_THREADS 8
#define PASS_TRACKS (1 + 2 * PASS_LANES + REGION_THREADS)

static uint64_t frames_uuid(const struct export_table *table, unsigned source)
{
	return group_uuid(table, table->n_metrics) + source * PASS_TRACKS;
}

static uint64_t lane_uuid(const struct export_table *table, unsigned source, bool odd, unsigned lane)
{
	return frames_uuid(table, source) + 1 + (odd ? PASS_LANES : 0) + lane;
}

static uint64_t thread_uuid(const struct export_table *table, unsigned source, unsigned thread)
{
	return lane_uuid(table, source, true, PASS_LANES) + thread;
}

/* ---- the tree ---- */

static size_t begin_packet(struct strbuf *out)
{
	size_t packet = proto_begin(out, TRACE_PACKET);

	proto_uint(out, PACKET_SEQUENCE, SEQUENCE);
	return packet;
}

static void put_clock(struct strbuf *out, unsigned id, int64_t time_ns)
{
	size_t clock = proto_begin(out, SNAPSHOT_CLOCK);

	proto_uint(out, CLOCK_ID, id);
	proto_uint(out, CLOCK_TIMESTAMP, (uint64_t)time_ns);
	proto_end(out, clock);
}

/* Write the clocks at the start, and state that all times are CLOCK_MONOTONIC. */
static void put_clocks(const struct export_options *options, struct strbuf *out)
{
	size_t packet = begin_packet(out), part;

	proto_uint(out, PACKET_SEQUENCE_FLAGS, STATE_CLEARED);
	part = proto_begin(out, PACKET_DEFAULTS);
	proto_uint(out, DEFAULTS_CLOCK, MONOTONIC);
	proto_end(out, part);
	part = proto_begin(out, PACKET_CLOCK_SNAPSHOT);
	put_clock(out, MONOTONIC, options->start_ns);
	put_clock(out, REALTIME, options->start_ns + options->epoch_offset_ns);
	if (options->boottime_ns)
		put_clock(out, BOOTTIME, options->boottime_ns);
	proto_uint(out, SNAPSHOT_PRIMARY, MONOTONIC);
	proto_end(out, part);
	proto_end(out, packet);
}

struct track {
	uint64_t uuid, parent; /* parent 0: none */
	unsigned rank;         /* among its siblings */
	const char *name, *description;
	const char *unit,
		*scale; /* of a counter; siblings with the same `scale` share an axis; NULL: its own */
};

static void put_track(const struct track *track, struct strbuf *out)
{
	size_t packet = begin_packet(out), descriptor = proto_begin(out, PACKET_TRACK_DESCRIPTOR), counter;

	proto_uint(out, TRACK_UUID, track->uuid);
	proto_text(out, TRACK_NAME, track->name);
	if (track->parent)
		proto_uint(out, TRACK_PARENT, track->parent);
	if (track->description)
		proto_text(out, TRACK_DESCRIPTION, track->description);
	if (track->unit) {
		counter = proto_begin(out, TRACK_COUNTER);
		proto_text(out, COUNTER_UNIT_NAME, track->unit);
		if (track->scale)
			proto_text(out, COUNTER_SHARED_SCALE, track->scale);
		proto_end(out, counter);
	}
	proto_uint(out, TRACK_CHILD_ORDERING, ORDER_BY_RANK);
	proto_uint(out, TRACK_RANK, track->rank);
	proto_uint(out, TRACK_MERGING, MERGE_NEVER);
	proto_end(out, descriptor);
	proto_end(out, packet);
}

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
	put_track(&(struct track){.uuid = source_uuid(table, s),
				  .rank = s,
				  .name = name.p,
				  .description = description.p},
		  out);
}

/* Write the unit shown after a number: "B/s", "%", "cycles/pixel". */
static void put_unit(const struct metric *metric, struct strbuf *out)
{
	const struct unit *unit = metric->unit;
	const char *symbol = unit->kind == UNIT_RATIO || !*unit->symbol ? unit->name : unit->symbol;

	strbuf_printf(out, "%s%s", symbol, metric->grows ? "/s" : "");
}

static bool share_group(const struct export_column *a, const struct export_column *b)
{
	return a->source == b->source && strcmp(a->metric->def->group, b->metric->def->group) == 0;
}

static unsigned first_of_group(const struct export_table *table, unsigned column)
{
	unsigned i = 0;

	while (!share_group(&table->columns[i], &table->columns[column]))
		i++;
	return i;
}

/* Return the track of the sum over all instances, or of the group if that is not a column. */
static uint64_t parent_uuid(const struct export_table *table, unsigned column)
{
	const struct export_column *c = &table->columns[column];

	for (unsigned i = 0; c->instance >= 0 && i < table->n_metrics; i++)
		if (table->columns[i].metric == c->metric && table->columns[i].source == c->source &&
		    table->columns[i].instance < 0)
			return column_uuid(table, i);
	return group_uuid(table, first_of_group(table, column));
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
	put_unit(c->metric, &unit);
	put_track(&(struct track){.uuid = column_uuid(table, column),
				  .parent = parent_uuid(table, column),
				  .rank = column,
				  .name = name.p,
				  .description = description.p,
				  .unit = unit.p,
				  .scale = instance                        ? instance_names[instance->kind]
					   : c->unit->kind == UNIT_PERCENT ? c->unit->name
									   : NULL},
		  out);
}

static void put_pass_tracks(const struct export_table *table, unsigned source, struct strbuf *out)
{
	static const char *const names[2] = {"GPU: passes of even frames", "GPU: passes of odd frames"};
	struct track track = {.uuid = frames_uuid(table, source),
			      .parent = source_uuid(table, source),
			      .rank = table->n_metrics,
			      .name = "CPU: frames",
			      .description = "The newest complete frame of each sample."};

	put_track(&track, out);
	track.description = "Each pass of that frame, by the GPU's clock.";
	for (unsigned i = 0; i < 2 * PASS_LANES; i++) {
		track.uuid = lane_uuid(table, source, i >= PASS_LANES, i % PASS_LANES);
		track.name = names[i / PASS_LANES];
		track.rank++;
		put_track(&track, out);
	}
}

static void put_region_tracks(const struct export_table *table, unsigned source, struct strbuf *out)
{
	struct track track = {.parent = source_uuid(table, source),
			      .rank = table->n_metrics + PASS_TRACKS,
			      .name = "CPU: regions of a thread",
			      .description = "Regions of the program's own code (malitop.h) in that frame."};

	for (unsigned i = 0; i < REGION_THREADS; i++) {
		track.uuid = thread_uuid(table, source, i);
		track.rank++;
		put_track(&track, out);
	}
}

static void perfetto_begin(const struct export_table *table, struct strbuf *out)
{
	put_clocks(table->options, out);
	put_track(&(struct track){.uuid = marks_uuid(table), .rank = table->n_sources, .name = "Marks"}, out);
	for (unsigned s = 0; s < table->n_sources; s++) {
		put_source(table, s, out);
		if (pass_table_has(table->sources[s].set)) {
			put_pass_tracks(table, s, out);
			put_region_tracks(table, s, out);
		}
	}
	for (unsigned i = 0; i < table->n_metrics; i++) {
		if (first_of_group(table, i) == i)
			put_track(&(struct track){.uuid = group_uuid(table, i),
						  .parent = source_uuid(table, table->columns[i].source),
						  .rank = i,
						  .name = table->columns[i].metric->def->group},
				  out);
		put_column(table, i, out);
	}
}

/* ---- events ---- */

struct perfetto_event {
	int64_t time_ns; /* since the epoch */
	unsigned type;
	uint64_t track;
	const char *name; /* NULL: none */
	double value;     /* of a counter */
};

static void put_event(const struct export_table *table, const struct perfetto_event *event,
		      struct strbuf *out)
{
	size_t packet = begin_packet(out), part;

	proto_uint(out, PACKET_TIMESTAMP, (uint64_t)(event->time_ns - table->options->epoch_offset_ns));
	proto_uint(out, PACKET_SEQUENCE_FLAGS, STATE_NEEDED);
	part = proto_begin(out, PACKET_TRACK_EVENT);
	proto_uint(out, EVENT_TYPE, event->type);
	proto_uint(out, EVENT_TRACK, event->track);
	if (event->name)
		proto_text(out, EVENT_NAME, event->name);
	if (event->type == COUNTER)
		proto_double(out, EVENT_VALUE, event->value);
	proto_end(out, part);
	proto_end(out, packet);
}

static void put_slice(const struct export_table *table, uint64_t track, const char *name,
		      const int64_t at_ns[2], struct strbuf *out)
{
	put_event(table, &(struct perfetto_event){at_ns[0], SLICE_BEGIN, track, name, 0}, out);
	put_event(table, &(struct perfetto_event){at_ns[1], SLICE_END, track, NULL, 0}, out);
}

/* Times within a frame are in ms since its begin. */
static void span_times(int64_t origin_ns, double begin_ms, double end_ms, int64_t at_ns[2])
{
	at_ns[0] = origin_ns + (int64_t)(begin_ms * 1e6);
	at_ns[1] = origin_ns + (int64_t)(end_ms * 1e6);
}

/* Regions of a thread nest; an inner one ends, and so comes, before its outer one. */
static void put_region_slices(const struct export_table *table, const struct export_row *row,
			      const struct pass_table *passes, const struct pass_frame *frame,
			      int64_t origin_ns, struct strbuf *out)
{
	for (unsigned i = frame->n_regions; i-- > 0;) {
		const struct frame_span *span = &frame->regions[i];
		const char *name = "region";
		int64_t at_ns[2];

		for (unsigned n = 0; n < passes->n_regions; n++)
			if (passes->regions[n].row == span->row)
				name = passes->regions[n].name;
		span_times(origin_ns, span->begin_ms, span->end_ms, at_ns);
		put_slice(table, thread_uuid(table, row->source, span->queue % REGION_THREADS), name, at_ns,
			  out);
	}
}

static const char *name_of_row(const struct pass_table *passes, unsigned row)
{
	for (unsigned i = 0; i < passes->n; i++)
		if (passes->lines[i].row == row)
			return passes->lines[i].name;
	return "pass";
}

static void put_frame(const struct export_table *table, const struct export_row *row,
		      const struct pass_table *passes, const struct pass_frame *frame, struct strbuf *out)
{
	int64_t origin_ns = row->end_ns - (int64_t)(frame->age_ms * 1e6), at_ns[2];
	double lanes[PASS_LANES] = {0};
	char name[32];

	snprintf(name, sizeof(name), "frame %.0f", frame->number);
	span_times(origin_ns, 0, frame->ms, at_ns);
	put_slice(table, frames_uuid(table, row->source), name, at_ns, out);
	put_region_slices(table, row, passes, frame, origin_ns, out);
	for (unsigned i = 0; i < frame->n; i++) {
		const struct frame_span *span = &frame->spans[i];
		unsigned lane = 0;

		while (lane < PASS_LANES && lanes[lane] > span->begin_ms)
			lane++;
		if (span->of != SPAN_OF_FRAME || lane == PASS_LANES)
			continue;
		lanes[lane] = span->end_ms;
		span_times(origin_ns, span->begin_ms, span->end_ms, at_ns);
		put_slice(table, lane_uuid(table, row->source, fmod(frame->number, 2) > 0, lane),
			  name_of_row(passes, span->row), at_ns, out);
	}
}

static void put_passes(const struct export_table *table, const struct export_row *row, struct strbuf *out)
{
	const struct metric_set *set = table->sources[row->source].set;
	const struct column *sum = row->sums[row->source];
	struct pass_table passes;
	struct pass_frame frame;

	if (!sum || !pass_table_has(set))
		return;
	AUTOFREE double *vector = xcalloc(set->n_vector, sizeof(*vector));

	metric_vector(set, sum, vector);
	pass_frame_read(&frame, set, vector);

	if (!(frame.ms > 0 && frame.age_ms >= 0))
		return;
	pass_table_read(&passes, set, vector);
	put_frame(table, row, &passes, &frame, out);
}

static void perfetto_row(const struct export_table *table, const struct export_row *row, struct strbuf *out)
{
	uint64_t source = source_uuid(table, row->source), first = column_uuid(table, 0);
	char words[EXPORT_FLAGS_TEXT];

	assert(!row->command); /* traces have no totals */
	export_flags(words, row);
	put_event(
		table,
		&(struct perfetto_event){row->begin_ns, SLICE_BEGIN, source, *words ? words : "interval", 0},
		out);
	put_event(table,
		  &(struct perfetto_event){row->begin_ns + row->duration_ns, SLICE_END, source, NULL, 0},
		  out);
	for (unsigned i = 0; i < table->n_metrics; i++) {
		const struct export_column *c = &table->columns[i];
		double value = export_rate(c, row->values[i], row->sums[c->source]);

		if (isfinite(value))
			put_event(table,
				  &(struct perfetto_event){row->begin_ns, COUNTER, first + i, NULL, value},
				  out);
	}
	put_passes(table, row, out);
}

static void perfetto_mark(const struct export_table *table, int64_t time_ns, const char *text,
			  struct strbuf *out)
{
	put_event(table,
		  &(struct perfetto_event){time_ns, INSTANT, marks_uuid(table), *text ? text : "mark", 0},
		  out);
}

const struct export_format export_perfetto = {.name = "perfetto",
					      .each = true,
					      .also = "GPUClock",
					      .begin = perfetto_begin,
					      .row = perfetto_row,
					      .mark = perfetto_mark};
