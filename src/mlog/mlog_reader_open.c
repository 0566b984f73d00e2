/* Opening a log, and reading the heads that were written since. */
#include "mlog/mlog_reader_priv.h"

#include "base/alloc.h"
#include "base/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool cannot_read(const struct mlog_reader *r, int error, struct err *err)
{
	return err_set(err, error, "%s: cannot read: %s", r->name, strerror(error));
}

/* ---- the start block ---- */

static bool read_start_head(struct mlog_reader *r, struct err *err)
{
	ssize_t n = r->walk.input.read(r->walk.input.ctx, r->start, MLOG_HEAD, 0);

	if (n < 0)
		return cannot_read(r, errno, err);
	if (n == 0)
		return err_set(err, 0, "%s: the file is empty: nothing was recorded", r->name);
	if (memcmp(r->start, "MLog", n < 4 ? (size_t)n : 4) != 0)
		return err_set(err, 0, "%s: not a raw counter log (.mlog): wrong magic number", r->name);
	if (n > 4 && r->start[4] > MLOG_VERSION)
		return err_set(err, 0,
			       "%s: written by a newer malitop (format %u; this version reads format %u): "
			       "use the newer version",
			       r->name, r->start[4], MLOG_VERSION);
	if (n < MLOG_HEAD)
		return err_set(err, 0,
			       "%s: cut off after %zd bytes, inside the start block: nothing can be read",
			       r->name, n);
	return true;
}

static bool read_start(struct mlog_reader *r, struct err *err)
{
	struct mlog_head head;
	enum mlog_found found;

	if (!read_start_head(r, err))
		return false;
	if (!mlog_head_get(&head, r->start, 0) || head.type != MLOG_START)
		return err_set(err, 0,
			       "%s: the head of the start block is damaged: nothing can be read without it",
			       r->name);
	r->first = mlog_walk_next(&head);
	if (r->first > r->size)
		return err_set(err, 0,
			       "%s: cut off after %llu bytes, inside the start block: nothing can be read",
			       r->name, (unsigned long long)r->size);
	found = mlog_walk_payload(&r->walk, &head, &r->plain);
	if (found == MLOG_FAILED)
		return cannot_read(r, r->walk.error, err);
	if (found == MLOG_NONE)
		return err_set(err, 0, "%s: the start block is damaged: nothing can be read without it",
			       r->name);
	return mlog_about_parse(&r->about, r->name, (struct span){r->plain.p, r->plain.n}, err);
}

/* ---- the blocks ---- */

static void add_head(struct mlog_reader *r, const struct mlog_head *head)
{
	if (head->type == MLOG_DATA)
		mlog_index_add(&r->index, head);
	r->ended = head->type == MLOG_INDEX;
}

/* Walk through the heads after walk->end. Check the payload of the last block too: a file can reach
 * its final length before its bytes are written. */
static void read_new_heads(struct mlog_reader *r)
{
	uint64_t at = r->walk.end;
	struct mlog_head head, last;
	enum mlog_found found;
	bool any = false;

	r->walk.end = r->size;
	for (; (found = mlog_walk_head(&r->walk, at, &head)) == MLOG_FOUND; any = true) {
		if (any)
			add_head(r, &last);
		last = head;
		at = mlog_walk_next(&head);
	}
	r->error = found == MLOG_FAILED ? r->walk.error : 0;
	if (any && (found = mlog_walk_payload(&r->walk, &last, &r->plain)) == MLOG_FOUND)
		add_head(r, &last);
	else if (any)
		at = last.at;
	if (found == MLOG_FAILED)
		r->error = r->walk.error;
	r->walk.end = at;
}

/* An index is only a hint. Check its first and last place and the number of blocks, which is cheap;
 * other places are checked when they are used. */
static bool index_is_valid(struct mlog_reader *r)
{
	const struct mlog_index *index = &r->index;
	enum mlog_found first;
	struct mlog_head head;
	int64_t end_ns = 0;
	uint64_t blocks, at;

	first = mlog_reader_data(r, r->first, &head);
	if (!index->n)
		return first == MLOG_NONE;
	if (first != MLOG_FOUND || head.at != index->places[0].at || head.begin_ns != index->begin_ns ||
	    !mlog_reader_place_is_valid(r, 0) || !mlog_reader_place_is_valid(r, index->n - 1))
		return false;
	blocks = (index->n - 1) * index->stride;
	for (at = index->places[index->n - 1].at; mlog_reader_data(r, at, &head) == MLOG_FOUND;
	     at = mlog_walk_next(&head)) {
		end_ns = head.end_ns;
		blocks++;
	}
	return blocks == index->n_blocks && end_ns == index->end_ns;
}

static bool read_index(struct mlog_reader *r)
{
	struct mlog_head head;
	uint8_t tail[8];
	uint64_t at;

	if (r->size < r->first + MLOG_HEAD + sizeof(tail) ||
	    r->walk.input.read(r->walk.input.ctx, tail, sizeof(tail), r->size - sizeof(tail)) != sizeof(tail))
		return false;
	r->walk.end = r->size;
	at = wire_get_u64(tail);
	if (at < r->first || mlog_walk_peek(&r->walk, at, &head) != MLOG_FOUND || head.type != MLOG_INDEX ||
	    head.coding != MLOG_STORED || mlog_walk_next(&head) != r->size ||
	    mlog_walk_payload(&r->walk, &head, &r->plain) != MLOG_FOUND ||
	    !mlog_index_parse(&r->index, at, (struct span){r->plain.p, r->plain.n}))
		return false;
	r->ended = index_is_valid(r);
	return r->ended;
}

static void read_all_heads(struct mlog_reader *r)
{
	mlog_index_fini(&r->index);
	r->walk.end = r->first;
	r->ended = false;
	read_new_heads(r);
}

struct mlog_reader *mlog_reader_new(const struct mlog_input *input, const char *name, struct err *err)
{
	struct mlog_reader *r = xcalloc(1, sizeof(*r));
	int64_t size = input->size(input->ctx);

	r->walk.input = *input;
	r->name = xstrdup(name);
	r->size = size < 0 ? 0 : (uint64_t)size;
	if (size < 0 ? !cannot_read(r, errno, err) : !read_start(r, err)) {
		mlog_reader_free(r);
		return NULL;
	}
	if (!read_index(r))
		read_all_heads(r);
	r->next = r->list_to = r->first;
	r->block_at = NOWHERE;
	r->offset_ns = r->about.realtime_ns - r->about.monotonic_ns;
	mlog_reader_read_clock(r);
	return r;
}

/* ---- a log that changes ---- */

static void start_again(struct mlog_reader *r)
{
	mlog_walk_forget(&r->walk, true);
	read_all_heads(r);
	if (r->next > r->walk.end)
		r->next = r->walk.end;
	r->block_at = NOWHERE;
	process_list_free(take_ptr(&r->list));
	r->list_to = r->first;
}

bool mlog_reader_refresh(struct mlog_reader *r)
{
	int64_t size = r->walk.input.size(r->walk.input.ctx);
	uint64_t end = r->walk.end;
	uint8_t start[MLOG_HEAD];

	if (size < 0 || r->replaced || ((uint64_t)size == r->size && end == r->size))
		return false;
	mlog_walk_forget(&r->walk, false);
	r->replaced = (uint64_t)size != r->size &&
		      (r->walk.input.read(r->walk.input.ctx, start, MLOG_HEAD, 0) != MLOG_HEAD ||
		       memcmp(start, r->start, MLOG_HEAD) != 0);
	r->size = r->replaced ? 0 : (uint64_t)size;
	if (r->size < end)
		start_again(r);
	else
		read_new_heads(r);
	mlog_reader_read_clock(r);
	return r->walk.end > end;
}
