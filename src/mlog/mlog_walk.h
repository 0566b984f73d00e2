/* mlog_walk: through the bytes of a log from one right head to the next, past what is damaged, of which it keeps a record.
 *
 * The reader's own (mlog_reader.h). Thread: one at a time.
 */
#ifndef MALITOP_MLOG_WALK_H
#define MALITOP_MLOG_WALK_H

#include "mlog/mlog_reader.h"

#define MLOG_DAMAGES_MAX 16384 /* pieces that are remembered; further ones are left out, but not counted */

struct mlog_damage {
	uint64_t at, n; /* bytes */
};

struct mlog_walk {
	struct mlog_input input;
	uint64_t end; /* what stands behind it is not looked at */
	int error;    /* errno of what failed last */

	struct mlog_damage *damages; /* ordered by place */
	unsigned n_damages, cap_damages;
	uint64_t damaged;             /* bytes in them */
	uint64_t passed;              /* how often one was passed over */
	uint64_t barren_at, barren_n; /* here no head stood when the file was shorter */

	uint64_t window_at; /* what of the file the window holds */
	size_t window_n;
	struct strbuf payload;
	uint8_t window[1 << 16];
};

enum mlog_found {
	MLOG_FOUND,
	MLOG_NONE,   /* nothing whole is there */
	MLOG_FAILED, /* reading failed: walk->error */
};

void mlog_walk_fini(struct mlog_walk *w);
/* What was read ahead, as the file may have changed; with `all`, damages as well. */
void mlog_walk_forget(struct mlog_walk *w, bool all);

/* The head at `at`, if that is a right one. */
enum mlog_found mlog_walk_peek(struct mlog_walk *w, uint64_t at, struct mlog_head *head);
/* The first right head at `at` or behind that, if its payload ends by walk->end. What had to be passed over is noted as
 * damaged: `at` must be where a block begins, or ends. */
enum mlog_found mlog_walk_head(struct mlog_walk *w, uint64_t at, struct mlog_head *head);
/* Its payload, unpacked, into *out; none: it is damaged. */
enum mlog_found mlog_walk_payload(struct mlog_walk *w, const struct mlog_head *head, struct strbuf *out);
/* Note that n bytes are damaged, and will be passed over. The same place counts once. */
void mlog_walk_damage(struct mlog_walk *w, uint64_t at, uint64_t n);

/* Where the block behind it stands. */
static inline uint64_t mlog_walk_behind(const struct mlog_head *head)
{
	return head->at + MLOG_HEAD + head->size;
}

#endif
