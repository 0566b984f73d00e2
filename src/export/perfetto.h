/* perfetto: the packets of a trace for ui.perfetto.dev: clocks, tracks, and events on them. */
#ifndef MALITOP_PERFETTO_H
#define MALITOP_PERFETTO_H

#include "export/export.h"

/* Write the clocks at the start, and state that all times are CLOCK_MONOTONIC. */
void perfetto_clocks(const struct export_options *options, struct strbuf *out);

struct track {
	uint64_t uuid, parent; /* 0 for no parent */
	unsigned rank;         /* among its siblings */
	const char *name, *description;
	const char *unit,
		*scale; /* of a counter; siblings with the same `scale` share an axis; NULL: its own axis */
};

void perfetto_track(const struct track *track, struct strbuf *out);

enum event_type { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 };

struct perfetto_event {
	int64_t time_ns; /* since the epoch */
	enum event_type type;
	uint64_t track;
	const char *name; /* NULL: none */
	double value;     /* of a counter */
};

void perfetto_event(const struct export_table *table, const struct perfetto_event *event, struct strbuf *out);

/* The frames, passes and regions of a passes source (export_slices.c): write the tracks below that
 * of the source, then each sample. Their ids count from `frames` on. */
#define SLICES_LANES 4 /* of one frame; passes that find no free lane are omitted */
#define SLICES_THREADS 8
#define SLICES_TRACKS (1 + 2 * SLICES_LANES + SLICES_THREADS)
void slices_begin(const struct export_table *table, uint64_t parent, uint64_t frames, struct strbuf *out);
void slices_sample(const struct export_table *table, unsigned source, uint64_t frames,
		   const struct sample *sample, struct strbuf *out);

/* Write the samples of functions after a sample of a hot source. */
void perfetto_hot(const struct sample *sample, struct strbuf *out);

#endif
