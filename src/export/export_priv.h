/* Declarations for the files of export; no other file includes this. */
#ifndef MALITOP_EXPORT_PRIV_H
#define MALITOP_EXPORT_PRIV_H

#include "export/export.h"

#define EXPORT_COMMAND_COLUMNS 3 /* user and system time, status */

/* Hide columns that this machine lacks, of sources whose first row this is, by the values of a
 * row. */
void export_hide_columns(struct export_table *table, const double *values, const struct column *const *sums);

/* Return a count per second of measured time, any other value unchanged. NaN for a count without a
 * sum. */
double export_rate(const struct export_column *column, double value, const struct column *sum);
/* Write a report on the frames and passes of a passes source; nothing for other sources. Times of
 * frames count from begin_ns. */
void export_passes(const struct export_source *source, const struct column *sum, int64_t begin_ns,
		   struct strbuf *out);
/* Write that report as one JSON object. */
void export_passes_json(const struct export_source *source, const struct column *sum, int64_t begin_ns,
			struct strbuf *out);
/* Return the name of the pass in that row of the source; `unknown` if it has none. */
const char *export_pass_name(const struct pass_table *passes, unsigned row, const char *unknown);
/* Write the end of a text table. */
void export_text_end(const struct export_table *table, struct strbuf *out);
/* Write the functions that ran (table->hot), or nothing if they were not sampled. */
void export_hot(const struct export_table *table, struct strbuf *out);
/* Write these functions as one JSON object. */
void export_hot_json(const struct export_table *table, struct strbuf *out);
/* Return the shown frames per second in the sums of all sources; NaN if unknown. */
struct metric_frames export_frames(const struct export_table *table, const struct column *const *sums);
/* Write the energy per frame of each part of the machine with known power, if frames are known. */
void export_frame_energy(const struct export_table *table, const struct export_row *row, struct strbuf *out);
/* Write a report on the CPU events of a source with raw counts; nothing for other sources. */
void export_events(const struct export_source *source, const struct column *sum, struct strbuf *out);
/* Whether that report has a row of this name. */
bool export_events_have(const struct metric_set *set, const char *name);

/* export_queue: the samples of a source that wait for a row, as columns of one sample or one step,
 * in bounded memory. */

struct export_queue {
	const struct metric_set *set;
	struct column **columns; /* the first n are used, oldest first; owned */
	unsigned n;
	int64_t newest_end_ns; /* samples that end by then are folded into the newest column */
	struct column *total;  /* since the start; NULL without a total; owned */
};

/* `set` must live as long as the queue. */
void export_queue_init(struct export_queue *q, const struct metric_set *set, bool total);
void export_queue_fini(struct export_queue *q);
/* Add a sample (with these flags) to the column that ends at end_ns. A failed sample is ignored.
 * When the queue is full because no row takes its columns, the two oldest are merged. */
void export_queue_add(struct export_queue *q, const struct sample *sample, uint32_t flags, int64_t end_ns);
/* Remove and fold the columns that ended by end_ns. Returns NULL if there are none. The queue owns
 * the result, which is valid until the next sample is added. */
const struct column *export_queue_take(struct export_queue *q, int64_t end_ns);

#endif
