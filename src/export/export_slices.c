/* The frames, passes and regions of a passes source in a trace: a track of frames, tracks with a
 * slice for every pass, and a track per thread with regions. Slices of a track must not overlap,
 * but passes may. Overlapping passes are on further lanes, and frames alternate between two sets of
 * lanes. */
#include "export/export_priv.h"
#include "export/perfetto.h"

#include "base/alloc.h"
#include "base/real.h"

#include <stdio.h>

/* Return the id of a lane's track, counted from that of frames, the first one of the source. */
static uint64_t lane_uuid(uint64_t frames, bool odd, unsigned lane)
{
	return frames + 1 + (odd ? SLICES_LANES : 0) + lane;
}

static uint64_t thread_uuid(uint64_t frames, unsigned thread)
{
	return lane_uuid(frames, true, SLICES_LANES) + thread;
}

static void put_region_tracks(const struct export_table *table, uint64_t parent, uint64_t frames,
			      struct strbuf *out)
{
	struct track track = {.parent = parent,
			      .rank = table->n_metrics + SLICES_TRACKS,
			      .name = "CPU: regions of a thread",
			      .description = "Regions of the program's own code (malitop.h)."};

	for (unsigned i = 0; i < SLICES_THREADS; i++) {
		track.uuid = thread_uuid(frames, i);
		track.rank++;
		perfetto_track(&track, out);
	}
}

void slices_begin(const struct export_table *table, uint64_t parent, uint64_t frames, struct strbuf *out)
{
	static const char *const names[2] = {"GPU: passes of even frames", "GPU: passes of odd frames"};
	struct track track = {.uuid = frames,
			      .parent = parent,
			      .rank = table->n_metrics,
			      .name = "CPU: frames",
			      .description = "Frames from present to present."};

	perfetto_track(&track, out);
	track.description = "Passes by the GPU's clock.";
	for (unsigned i = 0; i < 2 * SLICES_LANES; i++) {
		track.uuid = lane_uuid(frames, i >= SLICES_LANES, i % SLICES_LANES);
		track.name = names[i / SLICES_LANES];
		track.rank++;
		perfetto_track(&track, out);
	}
	put_region_tracks(table, parent, frames, out);
}

/* The state for the slices of a sample. */
struct slices {
	const struct export_table *table;
	uint64_t frames;  /* id of the track of frames */
	int64_t wall_ns;  /* CLOCK_REALTIME minus CLOCK_MONOTONIC */
	double budget_ms; /* NaN: unknown */
	struct pass_table passes;
	int64_t lane_ns[2][SLICES_LANES]; /* end of the last slice on each lane */
	struct strbuf *out;
};

/* Write a slice from at_ns[0] to at_ns[1]. */
static void put_slice(const struct slices *s, uint64_t track, const char *name, const int64_t at_ns[2])
{
	perfetto_event(s->table, &(struct perfetto_event){at_ns[0], SLICE_BEGIN, track, name, 0}, s->out);
	perfetto_event(s->table, &(struct perfetto_event){at_ns[1], SLICE_END, track, NULL, 0}, s->out);
}

static const char *name_of_region(const struct slices *s, unsigned row)
{
	for (unsigned i = 0; i < s->passes.n_regions; i++)
		if (s->passes.regions[i].row == row)
			return s->passes.regions[i].name;
	return "region";
}

/* Write a slice of a frame; its times are in ms since the start of the frame. */
static void put_span(const struct slices *s, uint64_t track, const char *name, int64_t origin_ns,
		     const struct frame_span *span)
{
	const int64_t at_ns[2] = {origin_ns + (int64_t)(span->begin_ms * 1e6),
				  origin_ns + (int64_t)(span->end_ms * 1e6)};

	put_slice(s, track, name, at_ns);
}

static void put_frame_slice(const struct slices *s, double number, int64_t begin_ns, int64_t end_ns)
{
	double late_ms = (double)(end_ns - begin_ns) * 1e-6 - s->budget_ms;
	char name[48];

	if (late_ms > s->budget_ms * (FRAME_LATE - 1))
		snprintf(name, sizeof(name), "frame %.0f, late %.1f ms", number, late_ms);
	else
		snprintf(name, sizeof(name), "frame %.0f", number);
	put_slice(s, s->frames, name, (const int64_t[]){begin_ns, end_ns});
}

/* Write a pass on the first lane that is free. */
static void put_pass(struct slices *s, double number, int64_t origin_ns, const struct frame_span *span)
{
	bool odd = (uint64_t)real_min(real_max(number, 0), 1e18) % 2;
	int64_t begin_ns = origin_ns + (int64_t)(span->begin_ms * 1e6);
	unsigned lane = 0;

	while (lane < SLICES_LANES && s->lane_ns[odd][lane] > begin_ns)
		lane++;
	if (lane == SLICES_LANES)
		return;
	s->lane_ns[odd][lane] = origin_ns + (int64_t)(span->end_ms * 1e6);
	put_span(s, lane_uuid(s->frames, odd, lane), export_pass_name(&s->passes, span->row, "pass"),
		 origin_ns, span);
}

/* Write the newest frame of a sample, the only one in logs of earlier versions. Regions of a thread
 * nest; an inner one ends, and so comes, before its outer one. */
static void put_newest(struct slices *s, const struct metric_set *set, const struct sample *sample)
{
	AUTOFREE double *vector = xcalloc(set->n_vector, sizeof(*vector));
	AUTOFREE struct column *column = column_new(set->n_slots);
	struct pass_frame newest, *frame = &newest;
	int64_t origin_ns;

	column_from_sample(column, sample, set->slots,
			   sample->n_values < set->n_slots ? sample->n_values : set->n_slots);
	metric_vector(set, column, vector);
	pass_frame_read(&newest, set, vector);
	if (!(newest.ms > 0 && newest.age_ms >= 0))
		return;
	origin_ns = sample->end_ns + s->wall_ns - (int64_t)(newest.age_ms * 1e6);
	put_frame_slice(s, frame->number, origin_ns, origin_ns + (int64_t)(frame->ms * 1e6));
	for (unsigned i = frame->n_regions; i-- > 0;)
		put_span(s, thread_uuid(s->frames, frame->regions[i].queue % SLICES_THREADS),
			 name_of_region(s, frame->regions[i].row), origin_ns, &frame->regions[i]);
	for (unsigned i = 0; i < frame->n; i++)
		if (frame->spans[i].of == SPAN_OF_FRAME)
			put_pass(s, frame->number, origin_ns, &frame->spans[i]);
}

static void put_lane(struct slices *s, const struct pass_record *record)
{
	int64_t origin_ns = record->begin_ns + s->wall_ns;
	struct frame_span span;

	put_frame_slice(s, record->number, origin_ns, record->end_ns + s->wall_ns);
	for (unsigned i = 0; i < record->n; i++)
		if (pass_record_pass(record, i, &span))
			put_pass(s, record->number, origin_ns, &span);
}

/* Write the regions of a sample, from the last one of each thread on: outer ones come first. */
static void put_regions(const struct slices *s, const struct sample *sample)
{
	struct pass_record record;
	unsigned at = 0, starts[PASS_RECORDS_WORDS / RECORD_REGION_WORDS], n = 0;

	for (unsigned start = 0; pass_records_next(sample, &at, &record) && n < ARRAY_LEN(starts); start = at)
		if (record.kind == RECORD_REGION)
			starts[n++] = start;
	while (n-- > 0 && pass_records_next(sample, &starts[n], &record))
		put_slice(s, thread_uuid(s->frames, record.thread % SLICES_THREADS),
			  name_of_region(s, record.row),
			  (const int64_t[]){record.begin_ns + s->wall_ns, record.end_ns + s->wall_ns});
}

void slices_sample(const struct export_table *table, unsigned source, uint64_t frames,
		   const struct sample *sample, struct strbuf *out)
{
	const struct metric_set *set = table->sources[source].set;
	struct slices s = {.table = table, .frames = frames, .out = out};
	struct pass_record record;
	unsigned at = 0;

	if (!pass_table_has(set))
		return;
	s.wall_ns = table->options->epoch_offset_ns;
	s.budget_ms = 1000 / set->constants[VECTOR_FPS];
	pass_table_sample(&s.passes, set, sample, pass_run_names(table->sources[source].run));
	if (!sample->n_more)
		put_newest(&s, set, sample);
	while (pass_records_next(sample, &at, &record))
		if (record.kind == RECORD_FRAME)
			put_lane(&s, &record);
	put_regions(&s, sample);
}
