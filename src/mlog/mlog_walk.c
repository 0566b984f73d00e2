#include "mlog/mlog_walk.h"

#include "base/alloc.h"
#include "base/crc32c.h"

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
		w->barren_n = w->damaged = w->n_damages = 0;
}

/* ---- damages ---- */

/* The first damage that does not begin before `at`. */
static unsigned damage_at(const struct mlog_walk *w, uint64_t at)
{
	unsigned low = 0, high = w->n_damages;

	while (low < high) {
		unsigned mid = low + (high - low) / 2;

		if (w->damages[mid].at < at)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
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

static uint64_t past_damages(const struct mlog_walk *w, uint64_t at)
{
	for (unsigned i = damage_at(w, at); i < w->n_damages && w->damages[i].at == at; i++)
		at += w->damages[i].n;
	return at;
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

/* A head's worth of bytes at `at`, out of the window. Disks are much faster in order than in places, so it is read whole; what
 * is behind the head may be unreadable, though. */
static enum mlog_found look(struct mlog_walk *w, uint64_t at, const uint8_t **bytes)
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
			return got < 0 ? MLOG_FAILED : MLOG_NONE; /* it became shorter */
		w->window_at = at;
		w->window_n = (size_t)got;
	}
	*bytes = w->window + (at - w->window_at);
	return MLOG_FOUND;
}

/* The first right head that begins at `at` or behind. */
static enum mlog_found scan(struct mlog_walk *w, uint64_t at, struct mlog_head *head)
{
	enum mlog_found found;
	const uint8_t *bytes;

	while ((found = look(w, at, &bytes)) == MLOG_FOUND) {
		size_t n = w->window_n - (size_t)(bytes - w->window) - (MLOG_HEAD - 1); /* so many may begin in the window */
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
	enum mlog_found found = look(w, at, &bytes);

	return found == MLOG_FOUND && !mlog_head_get(head, bytes, at) ? MLOG_NONE : found;
}

/* Where no right head stands: the next one. At the end of a log that grows it is asked for again and again. */
static enum mlog_found resume(struct mlog_walk *w, uint64_t at, struct mlog_head *head)
{
	enum mlog_found found = scan(w, at + (at == w->barren_at && w->barren_n ? w->barren_n : 1), head);

	if (found == MLOG_NONE && w->end - at >= MLOG_HEAD) {
		w->barren_at = at;
		w->barren_n = w->end - at - MLOG_HEAD + 1;
	}
	return found;
}

enum mlog_found mlog_walk_head(struct mlog_walk *w, uint64_t at, struct mlog_head *head)
{
	uint64_t from = past_damages(w, at);
	enum mlog_found found = mlog_walk_peek(w, from, head);

	if (found == MLOG_NONE && from < w->end)
		found = resume(w, from, head);
	if (found != MLOG_FOUND)
		return found;
	if (mlog_walk_behind(head) > w->end)
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
	if ((size_t)got != head->size || crc32c(0, payload.p, payload.n) != head->payload_crc || !mlog_unpack(head, payload, out))
		return MLOG_NONE;
	return MLOG_FOUND;
}
