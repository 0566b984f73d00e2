#include "mlog/mlog_reader_priv.h"

#include "base/alloc.h"
#include "base/search.h"

#include <stdlib.h>
#include <string.h>

void mlog_reader_free(struct mlog_reader *r)
{
	if (!r)
		return;
	mlog_block_fini(&r->block);
	mlog_block_fini(&r->aside);
	mlog_about_fini(&r->about);
	mlog_index_fini(&r->index);
	mlog_walk_fini(&r->walk);
	process_list_free(r->list);
	strbuf_fini(&r->plain);
	free(r->name);
	free(r);
}

const struct mlog_about *mlog_reader_about(const struct mlog_reader *r)
{
	return &r->about;
}

/* ---- state of the file ---- */

void mlog_reader_state(const struct mlog_reader *r, struct mlog_state *state)
{
	*state = (struct mlog_state){.begin_ns = r->index.begin_ns,
				     .end_ns = r->index.end_ns,
				     .bytes = r->walk.end,
				     .blocks = r->index.n_blocks,
				     .ended = r->ended,
				     .cut = r->size > r->walk.end ? r->size - r->walk.end : 0,
				     .damaged = r->walk.damaged};
}

/* "812 bytes at the end are an incomplete block and were skipped" */
static void put_skipped(struct strbuf *text, uint64_t n, const char *where, const char *what)
{
	strbuf_printf(text, "%s%llu byte%s %s %s %s and %s skipped", text->n ? "; " : "",
		      (unsigned long long)n, plural_ending(n), where, n == 1 ? "is" : "are", what,
		      was_or_were(n));
}

void mlog_reader_complain(const struct mlog_reader *r, struct strbuf *text)
{
	struct mlog_state state;

	mlog_reader_state(r, &state);
	strbuf_clear(text);
	strbuf_str(text, r->replaced ? "another log replaced this one while it was read: open it again" : "");
	if (state.damaged)
		put_skipped(text, state.damaged, "inside", "damaged");
	if (state.cut && r->error)
		strbuf_printf(text, "%scannot read past byte %llu: %s", text->n ? "; " : "",
			      (unsigned long long)state.bytes, strerror(r->error));
	else if (state.cut) {
		put_skipped(text, state.cut, "at the end", "an incomplete block");
		strbuf_str(text, ": the recording was cut off there or is still running");
	} else if (!state.ended && !r->replaced)
		strbuf_printf(text,
			      "%sthe recording did not end normally: it was cut off or is still running",
			      text->n ? "; " : "");
}

/* ---- blocks ---- */

enum mlog_found mlog_reader_data(struct mlog_reader *r, uint64_t at, struct mlog_head *head)
{
	enum mlog_found found;

	while ((found = mlog_walk_head(&r->walk, at, head)) == MLOG_FOUND && head->type != MLOG_DATA)
		at = mlog_walk_next(head);
	return found;
}

enum mlog_found mlog_reader_load(struct mlog_reader *r, const struct mlog_head *head,
				 struct mlog_block *block)
{
	enum mlog_found found = mlog_walk_payload(&r->walk, head, &r->plain);

	if (found == MLOG_FOUND &&
	    !mlog_block_decode(block, &r->about, head, (struct span){r->plain.p, r->plain.n}))
		found = MLOG_NONE;
	if (found == MLOG_NONE)
		mlog_walk_damage(&r->walk, head->at, MLOG_HEAD + head->size);
	return found;
}

const struct mlog_block *mlog_reader_next(struct mlog_reader *r, struct err *err)
{
	enum mlog_found found, loaded = MLOG_NONE;
	struct mlog_head head;

	while (loaded == MLOG_NONE && (found = mlog_reader_data(r, r->next, &head)) == MLOG_FOUND) {
		loaded = mlog_reader_load(r, &head, &r->block);
		if (loaded != MLOG_FAILED)
			r->next = mlog_walk_next(&head);
	}
	if (loaded == MLOG_FOUND) {
		r->block_at = head.at;
		return &r->block;
	}
	r->block_at = NOWHERE;
	if (loaded == MLOG_FAILED || found == MLOG_FAILED)
		err_set(err, r->walk.error, "%s: cannot read: %s", r->name, strerror(r->walk.error));
	else if (err)
		err->code = 0;
	return NULL;
}

/* ---- times ---- */

int mlog_reader_stretch(const struct mlog_reader *r, int64_t time_ns)
{
	return (int)search_first(r->index.n, i, r->index.places[i].end_ns >= time_ns) - 1;
}

bool mlog_reader_place_is_valid(struct mlog_reader *r, unsigned i)
{
	const struct mlog_place *place = &r->index.places[i];
	struct mlog_head head;

	return mlog_walk_peek(&r->walk, place->at, &head) == MLOG_FOUND && head.type == MLOG_DATA &&
	       head.end_ns == place->end_ns;
}

uint64_t mlog_reader_stretch_begin(struct mlog_reader *r, int stretch)
{
	while (stretch >= 0 && !mlog_reader_place_is_valid(r, (unsigned)stretch))
		stretch--;
	return stretch < 0 ? r->first : r->index.places[stretch].at;
}

uint64_t mlog_reader_stretch_end(const struct mlog_reader *r, int stretch)
{
	return stretch + 1 < (int)r->index.n ? r->index.places[stretch + 1].at : r->walk.end;
}

void mlog_reader_seek(struct mlog_reader *r, int64_t time_ns)
{
	uint64_t at = mlog_reader_stretch_begin(r, mlog_reader_stretch(r, time_ns));
	enum mlog_found found;
	struct mlog_head head;

	while ((found = mlog_reader_data(r, at, &head)) == MLOG_FOUND && head.end_ns < time_ns)
		at = mlog_walk_next(&head);
	r->next = found == MLOG_FOUND ? head.at : found == MLOG_NONE ? r->walk.end : at;
	r->block_at = NOWHERE;
}
