/* mlog_walk: finds the heads of a log one after another, skips damaged ranges and records them.
 *
 * Internal to the reader (mlog_reader.h). Thread: one at a time.
 */
#ifndef MALITOP_MLOG_WALK_H
#define MALITOP_MLOG_WALK_H

#include "mlog/mlog_reader.h"

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
 * are recorded as damaged, so `at` must be the begin or the end of a block. */
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

#endif
