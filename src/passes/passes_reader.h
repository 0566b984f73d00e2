/* passes_reader: reads the shared memory of one application (passes.h). The writer is another
 * program: it may write anything, at any time, and stop at any point. Nothing it does can make the
 * reader loop, crash or return a value out of range. Thread: one; the functions neither allocate
 * nor lock. */
#ifndef MALITOP_PASSES_READER_H
#define MALITOP_PASSES_READER_H

#include "base/err.h"
#include "passes/passes.h"

struct passes_reader {
	const uint64_t *memory;         /* mapped read-only; the caller's */
	bool can_grow;                  /* it has the large ring */
	uint64_t grown;                 /* index of the first event there; UINT64_MAX: not known */
	uint64_t cursor;                /* index of the next event */
	int64_t stalled_ns;             /* since when that event has been incomplete, or 0 */
	uint64_t overwritten;           /* events that the ring lost before they were read */
	uint64_t torn;                  /* events whose writer did not complete them, or gave them up */
	uint64_t invalid;               /* events with impossible contents, skipped */
	uint64_t counts[PASSES_COUNTS]; /* the writer's, as of the last passes_reader_counts */
};

/* Check the header of `size` bytes at `memory`. Reading begins with the oldest event that the
 * ring holds, which may be of long ago. */
bool passes_reader_init(struct passes_reader *reader, const void *memory, size_t size, struct err *err);

/* Return the next complete event, or false if there is none at now_ns. Its fields are in range:
 * known type, kind and name, end_ns >= begin_ns, times at most an hour from now_ns, passes and
 * regions at most 10 s long. An event that stays incomplete for 100 ms is skipped. At most
 * PASSES_RING events are skipped in one call. */
bool passes_reader_next(struct passes_reader *reader, int64_t now_ns, struct passes_event *event);

/* Copy the name of an event, with " #2" for its second pass in a frame; printable, never empty. */
void passes_reader_name(const struct passes_reader *reader, unsigned name, unsigned ordinal, char *text,
			size_t size);
/* A text of the header (PASSES_RECORD_TITLE, PASSES_RECORD_DRIVER), printable, "" if not set. */
void passes_reader_text(const struct passes_reader *reader, unsigned record, char *text, size_t size);
enum passes_writer passes_reader_writer(const struct passes_reader *reader);
enum passes_stamp passes_reader_stamp(const struct passes_reader *reader);
/* Update reader->counts; they never decrease, whatever the writer does. */
void passes_reader_counts(struct passes_reader *reader);

extern const char *const passes_writer_names[PASSES_WRITERS];      /* "Vulkan", "GLES", "regions" */
extern const char *const passes_kind_names[PASSES_KINDS];          /* "render", "compute", ... */
extern const char *const passes_boundary_names[PASSES_BOUNDARIES]; /* "present", "wait for the GPU" */
/* One sentence each: which stage is stamped, and what that means on a tile-based GPU. */
extern const char *const passes_stamp_texts[PASSES_STAMPS];

#endif
