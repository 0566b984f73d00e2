#include "mlog/mlog_reader_priv.h"

#include "base/alloc.h"
#include "base/crc32c.h"
#include "base/search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void mlog_walk_fini(struct mlog_walk *w)
{
	free(w->damages);
	strbuf_fini(&w->payload);
}

void mlog_walk_forget(struct mlog_walk *w, bool all)
{
	w->window_n = 0;
	if (all)
		w->headless_n = w->damaged = w->n_damages = 0;
}

/* ---- damaged ranges ---- */

/* Return the first damaged range at or after `at`. */
static unsigned damage_at(const struct mlog_walk *w, uint64_t at)
{
	return search_first(w->n_damages, i, w->damages[i].at >= at);
}

void mlog_walk_damage(struct mlog_walk *w, uint64_t at, uint64_t n)
{
	unsigned i = damage_at(w, at);

	if ((i < w->n_damages && w->damages[i].at == at) || w->n_damages == MLOG_DAMAGES_MAX)
		return;
	GROW(w->damages, w->n_damages, w->cap_damages);
	memmove(w->damages + i + 1, w->damages + i, (w->n_damages++ - i) * sizeof(*w->damages));
	w->damages[i] = (struct mlog_damage){at, n};
	w->damaged += n;
}

/* ---- heads ---- */

static ssize_t read_at(struct mlog_walk *w, void *buf, size_t n, uint64_t at)
{
	ssize_t got = w->input.read(w->input.ctx, buf, n, at);

	if (got < 0)
		w->error = errno;
	return got;
}

static bool is_in_window(const struct mlog_walk *w, uint64_t at, size_t n)
{
	return at >= w->window_at && at - w->window_at + n <= w->window_n;
}

/* Return the MLOG_HEAD bytes at `at` in the window. Fill the complete window, because disks are
 * much faster at sequential reads, but fall back to the head alone, because the bytes after it may
 * be unreadable. */
static enum mlog_found read_head_bytes(struct mlog_walk *w, uint64_t at, const uint8_t **bytes)
{
	uint64_t left = at < w->end ? w->end - at : 0;
	ssize_t got;

	if (left < MLOG_HEAD)
		return MLOG_NONE;
	if (!is_in_window(w, at, MLOG_HEAD)) {
		w->window_n = 0;
		got = read_at(w, w->window, left < sizeof(w->window) ? (size_t)left : sizeof(w->window), at);
		if (got < 0)
			got = read_at(w, w->window, MLOG_HEAD, at);
		if (got < MLOG_HEAD)
			return got < 0 ? MLOG_FAILED : MLOG_NONE; /* the file was truncated */
		w->window_at = at;
		w->window_n = (size_t)got;
	}
	*bytes = w->window + (at - w->window_at);
	return MLOG_FOUND;
}

/* The first valid head at or after `at`. */
static enum mlog_found scan_for_head(struct mlog_walk *w, uint64_t at, struct mlog_head *head)
{
	enum mlog_found found;
	const uint8_t *bytes;

	while ((found = read_head_bytes(w, at, &bytes)) == MLOG_FOUND) {
		size_t n = w->window_n - (size_t)(bytes - w->window) - (MLOG_HEAD - 1); /* heads that fit */
		const uint8_t *next = memmem(bytes, n + 3, "MLog", 4);

		at += next ? (size_t)(next - bytes) : n;
		if (next && mlog_head_get(head, next, at))
			return MLOG_FOUND;
		at += next != NULL;
	}
	return found;
}

enum mlog_found mlog_walk_peek(struct mlog_walk *w, uint64_t at, struct mlog_head *head)
{
	const uint8_t *bytes;
	enum mlog_found found = read_head_bytes(w, at, &bytes);

	return found == MLOG_FOUND && !mlog_head_get(head, bytes, at) ? MLOG_NONE : found;
}

/* There is no valid head at `at`: find the next one. At the end of a growing log this is repeated,
 * so remember the range already searched. */
static enum mlog_found find_next_head(struct mlog_walk *w, uint64_t at, struct mlog_head *head)
{
	enum mlog_found found =
		scan_for_head(w, at + (at == w->headless_at && w->headless_n ? w->headless_n : 1), head);

	if (found == MLOG_NONE && w->end - at >= MLOG_HEAD) {
		w->headless_at = at;
		w->headless_n = w->end - at - MLOG_HEAD + 1;
	}
	return found;
}

enum mlog_found mlog_walk_head(struct mlog_walk *w, uint64_t at, struct mlog_head *head)
{
	uint64_t from = at;
	enum mlog_found found;

	for (unsigned i = damage_at(w, at); i < w->n_damages && w->damages[i].at == from; i++)
		from += w->damages[i].n;
	found = mlog_walk_peek(w, from, head);
	if (found == MLOG_NONE && from < w->end)
		found = find_next_head(w, from, head);
	if (found != MLOG_FOUND)
		return found;
	if (mlog_walk_next(head) > w->end)
		return MLOG_NONE;
	if (head->at > from)
		mlog_walk_damage(w, from, head->at - from);
	w->passed += head->at > at;
	return MLOG_FOUND;
}

enum mlog_found mlog_walk_payload(struct mlog_walk *w, const struct mlog_head *head, struct strbuf *out)
{
	struct span payload = {NULL, head->size};
	uint64_t at = head->at + MLOG_HEAD;
	ssize_t got = head->size;

	if (is_in_window(w, at, head->size)) {
		payload.p = (const char *)w->window + (at - w->window_at);
	} else {
		strbuf_clear(&w->payload);
		payload.p = strbuf_more(&w->payload, head->size);
		got = read_at(w, w->payload.p, head->size, at);
	}
	if (got < 0)
		return MLOG_FAILED;
	if ((size_t)got != head->size || crc32c(0, payload.p, payload.n) != head->payload_crc ||
	    !mlog_unpack(head, payload, out))
		return MLOG_NONE;
	return MLOG_FOUND;
}
