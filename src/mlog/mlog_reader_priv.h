/* The internals of a reader, for mlog_reader*.c and mlog_walk.c. */
#ifndef MALITOP_MLOG_READER_PRIV_H
#define MALITOP_MLOG_READER_PRIV_H

#include "mlog/mlog_index.h"
#include "mlog/mlog_reader.h"

/* ---- mlog_walk: the heads one after another; skips damaged ranges and records them ---- */

#define MLOG_DAMAGES_MAX 16384 /* recorded ranges; further ones are skipped, but not counted */

struct mlog_damage {
	uint64_t at, n; /* bytes */
};

struct mlog_walk {
	struct mlog_input input;
	uint64_t end; /* bytes past it are not read */
	int error;    /* errno of the last failure */

	struct mlog_damage *damages; /* ascending */
	unsigned n_damages, cap_damages;
	uint64_t damaged;                 /* bytes in them */
	uint64_t passed;                  /* how often one was skipped */
	uint64_t headless_at, headless_n; /* range without a valid head, searched when the file was shorter */

	uint64_t window_at; /* offset of the window in the file */
	size_t window_n;
	struct strbuf payload;
	uint8_t window[1 << 16];
};

enum mlog_found {
	MLOG_FOUND,
	MLOG_NONE,   /* there is nothing complete */
	MLOG_FAILED, /* reading failed: walk->error */
};

void mlog_walk_fini(struct mlog_walk *w);
/* Discard the window, because the file may have changed; with `all`, also the damaged ranges. */
void mlog_walk_forget(struct mlog_walk *w, bool all);

/* Read the head at `at`, if it is valid. */
enum mlog_found mlog_walk_peek(struct mlog_walk *w, uint64_t at, struct mlog_head *head);
/* Find the first valid head at or after `at`, whose payload must end by walk->end. Skipped bytes
 * are recorded as damaged, so `at` must be the start or the end of a block. */
enum mlog_found mlog_walk_head(struct mlog_walk *w, uint64_t at, struct mlog_head *head);
/* Read and unpack a payload into *out. MLOG_NONE: it is damaged. */
enum mlog_found mlog_walk_payload(struct mlog_walk *w, const struct mlog_head *head, struct strbuf *out);
/* Record that n bytes are damaged, so that they are skipped. The same offset counts once. */
void mlog_walk_damage(struct mlog_walk *w, uint64_t at, uint64_t n);

/* Return the offset of the next block. */
static inline uint64_t mlog_walk_next(const struct mlog_head *head)
{
	return head->at + MLOG_HEAD + head->size;
}

/* ---- the reader ---- */

struct mlog_reader {
	char *name;
	struct mlog_walk walk; /* walk.end: after the last complete block */
	struct mlog_about about;
	struct mlog_index index;
	uint8_t start[MLOG_HEAD]; /* head of the start block; it differs in another log */
	uint64_t first;           /* offset after the start block */
	uint64_t size;            /* of the file at the last check */
	bool ended, replaced;
	int error; /* errno if walking through the heads failed */

	uint64_t next;     /* offset from which the next block is searched */
	uint64_t block_at; /* offset of the last block; NOWHERE after a seek */
	struct mlog_block block, aside;
	struct strbuf plain;

	struct process_list *list; /* after all blocks before list_to */
	uint64_t list_to;

	int64_t offset_ns; /* of the wall clock, after all blocks before clock_to */
	int64_t moved_ns;  /* how far it was set */
	uint64_t clock_to;
};

#define NOWHERE UINT64_MAX

/* Correct the wall time of the log by the notes in blocks that have not been searched yet. */
void mlog_reader_read_clock(struct mlog_reader *r);

/* Find the first data block at or after `at`. */
enum mlog_found mlog_reader_data(struct mlog_reader *r, uint64_t at, struct mlog_head *head);
/* Decode a block into *block. MLOG_NONE: it is damaged, and recorded as such. */
enum mlog_found mlog_reader_load(struct mlog_reader *r, const struct mlog_head *head,
				 struct mlog_block *block);

/* Return whether a place of the index has the head of a data block with the same end. */
bool mlog_reader_place_is_valid(struct mlog_reader *r, unsigned i);
/* A stretch is the data blocks from one place of the index to the next. Return the last one whose
 * first block ends before `time_ns`, or -1. */
int mlog_reader_stretch(const struct mlog_reader *r, int64_t time_ns);
/* Return the offset from which to read a stretch: its place if that is valid, else an earlier
 * one. */
uint64_t mlog_reader_stretch_begin(struct mlog_reader *r, int stretch);
/* Return the offset of the next stretch. */
uint64_t mlog_reader_stretch_end(const struct mlog_reader *r, int stretch);

#endif
