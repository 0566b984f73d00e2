#include "mlog/mlog_stream.h"

#include "base/alloc.h"
#include "base/crc32c.h"
#include "base/wire.h"
#include "mlog/mlog_block.h"
#include "mlog/mlog_index.h"

#include <stdlib.h>
#include <string.h>

#define HEAD_AT 8                  /* place in a head */
#define SAME_CLOCK_NS 2000000000ll /* what setting the wall clock a little may change */
#define FIRST 512
#define SHOWN 300

struct mlog_stream {
	char *name, *advice; /* how to have no terminal on the way */
	mlog_write_fn *write;
	void *ctx;
	struct mlog_stream_state state;
	struct strbuf in;  /* what arrived, and is no complete block yet */
	char first[FIRST]; /* its first bytes, for a message */
	size_t n_first;
	struct strbuf plain;   /* an unpacked start block */
	struct strbuf sources; /* of the first start block */
	struct strbuf block;   /* to pass on */
	int64_t offset_ns;     /* wall clock minus monotonic clock, by the first start block */
	int64_t shift_ns;      /* from the clock of the connection to that of the log */
	int64_t gap_ns;
	uint64_t at; /* bytes passed on */
	struct mlog_index index;
	struct mlog_builder *builder; /* of notes */
};

struct mlog_stream *mlog_stream_new(const char *name, const char *advice, mlog_write_fn *write, void *ctx)
{
	struct mlog_stream *s = xcalloc(1, sizeof(*s));

	s->name = xstrdup(name);
	s->advice = xstrdup(advice);
	s->write = write;
	s->ctx = ctx;
	s->builder = mlog_builder_new(NULL, 0);
	return s;
}

void mlog_stream_free(struct mlog_stream *s)
{
	if (!s)
		return;
	mlog_builder_free(s->builder);
	mlog_index_fini(&s->index);
	strbuf_fini(&s->in);
	strbuf_fini(&s->plain);
	strbuf_fini(&s->sources);
	strbuf_fini(&s->block);
	free(s->name);
	free(s->advice);
	free(s);
}

void mlog_stream_state(const struct mlog_stream *s, struct mlog_stream_state *state)
{
	*state = s->state;
}

/* ---- out ---- */

/* Pass on a block, with its place in our log. */
static bool pass_block(struct mlog_stream *s, struct mlog_head head, struct span payload, struct err *err)
{
	head.at = s->at;
	mlog_block_put(&head, payload, &s->block);
	if (!s->write(s->ctx, s->block.p, s->block.n, err))
		return false;
	s->at += s->block.n;
	s->state.end_ns = head.end_ns;
	if (head.type == MLOG_DATA) {
		s->state.blocks++;
		mlog_index_add(&s->index, &head);
	}
	return true;
}

/* Complete the head of a block whose payload is s->plain. */
static struct span plain_payload(const struct mlog_stream *s, struct mlog_head *head)
{
	head->coding = MLOG_STORED;
	head->size = head->raw_size = (uint32_t)s->plain.n;
	head->payload_crc = crc32c(0, s->plain.p, s->plain.n);
	return (struct span){s->plain.p, s->plain.n};
}

bool mlog_stream_note(struct mlog_stream *s, struct mlog_note note, int64_t gap_ns, struct err *err)
{
	struct mlog_head head = {.type = MLOG_DATA};
	struct span payload;

	if (!s->state.blocks)
		return true;
	note.time_ns = s->state.end_ns + gap_ns;
	mlog_builder_note(s->builder, &note);
	mlog_builder_take(s->builder, &head, &s->plain);
	payload = plain_payload(s, &head);
	return pass_block(s, head, payload, err);
}

/* Text came instead of a stream. A message of malitop explains more than a greeting before it. */
static bool refuse_text(const struct mlog_stream *s, struct err *err)
{
	char shown[SHOWN], text[FIRST + 1];
	const char *said;

	memcpy(text, s->first, s->n_first);
	text[s->n_first] = 0;
	said = strstr(text, "malitop: ");
	if (said)
		text[said - text + (ptrdiff_t)strcspn(said, "\r\n")] = 0;
	return err_set(err, 0, "%s: not a stream of malitop: it %s '%s'", s->name,
		       said ? "says" : "begins with",
		       str_printable(shown, sizeof(shown), said ? said : text));
}

static bool refuse_start(struct mlog_stream *s, const uint8_t *p, const char *change, struct err *err)
{
	s->state.altered = true;
	if (p[4] > MLOG_VERSION && p[5] == MLOG_START)
		return err_set(err, 0,
			       "%s: a stream in another version of the format, %u: this malitop reads %u",
			       s->name, p[4], MLOG_VERSION);
	if (change)
		return err_set(err, 0, "%s: %s on the way: is there a terminal in between? %s", s->name,
			       change, s->advice);
	return err_set(err, 0, "%s: the stream was altered on its way: is there a terminal in between? %s",
		       s->name, s->advice);
}

bool mlog_stream_index(struct mlog_stream *s, mlog_write_fn *write, void *ctx, struct err *err)
{
	struct mlog_head head = {
		.type = MLOG_INDEX, .at = s->at, .begin_ns = s->index.begin_ns, .end_ns = s->state.end_ns};
	struct span payload;

	mlog_index_format(&s->index, s->at, &s->plain);
	payload = plain_payload(s, &head);
	mlog_block_put(&head, payload, &s->block);
	return write(ctx, s->block.p, s->block.n, err);
}

bool mlog_stream_end(struct mlog_stream *s, struct err *err)
{
	const uint8_t *in = (const uint8_t *)s->in.p;
	struct mlog_head head;

	if (!s->state.started && s->in.n >= MLOG_HEAD && mlog_head_get(&head, in, wire_get_u64(in + HEAD_AT)))
		return err_set(err, 0,
			       "%s: the stream ended inside its start block: see the messages of its writer",
			       s->name);
	if (!s->state.started)
		return !s->n_first || refuse_text(s, err);
	if (!s->state.complete)
		return true;
	return mlog_stream_index(s, s->write, s->ctx, err);
}

/* ---- blocks ---- */

/* What samples mean: the text of a start block from its first source on, without the lines that may
 * be others in the next recording of the same sources. */
static void add_sources(struct span text, struct strbuf *out)
{
	static const char *const others[] = {"period", "asked", "note", "driver", NULL};
	const char *p = text.n ? memmem(text.p, text.n, "\nsource ", 8) : NULL;
	struct span rest = p ? (struct span){p + 1, (size_t)(text.p + text.n - p) - 1} : (struct span){0};

	strbuf_clear(out);
	while (rest.n) {
		struct span line = span_until(&rest, '\n'), words = line, word = span_word(&words);
		const char *const *other = others;

		while (*other && !span_is(word, *other))
			other++;
		if (*other)
			continue;
		strbuf_add(out, line.p, line.n);
		strbuf_str(out, "\n");
	}
}

/* The first one is passed on; a further one must describe the same sources. */
static bool take_start(struct mlog_stream *s, const struct mlog_head *head, struct span payload,
		       struct err *err)
{
	struct mlog_about about;
	struct span text;
	bool same;
	int64_t offset_ns, moved_ns, now_ns;

	if (!mlog_unpack(head, payload, &s->plain))
		return err_set(err, 0, "%s: the start block is damaged: nothing can be read without it",
			       s->name);
	text = (struct span){s->plain.p, s->plain.n};
	if (!mlog_about_parse(&about, s->name, text, err))
		return false;
	now_ns = about.monotonic_ns;
	offset_ns = about.realtime_ns - now_ns;
	mlog_about_fini(&about);
	if (!s->state.started) {
		s->offset_ns = offset_ns;
		add_sources(text, &s->sources);
		s->state.started = true;
		return pass_block(s, *head, payload, err);
	}
	add_sources(text, &s->block);
	same = span_eq((struct span){s->block.p, s->block.n}, (struct span){s->sources.p, s->sources.n});
	s->state.complete = false;
	if (!same)
		return err_set(err, 0, "%s: another log follows, of other sources: open it by itself",
			       s->name);
	/* Let the times of another connection go on after those before: by the same clock, if it is
	 * the same. */
	moved_ns = offset_ns - s->offset_ns;
	same = moved_ns > -SAME_CLOCK_NS && moved_ns < SAME_CLOCK_NS &&
	       now_ns >= s->state.end_ns - SAME_CLOCK_NS;
	s->shift_ns = same ? 0 : s->state.end_ns + s->gap_ns - now_ns;
	s->state.joined++;
	return true;
}

/* Times that no log could have are left to the reader: they are bounded, as those of any head. */
static int64_t shifted_time(int64_t ns, int64_t shift_ns)
{
	int64_t sum;

	if (__builtin_add_overflow(ns, shift_ns, &sum))
		sum = shift_ns < 0 ? 0 : SAMPLE_NS_MAX;
	return sum < 0 ? 0 : sum > SAMPLE_NS_MAX ? SAMPLE_NS_MAX : sum;
}

static bool take_block(struct mlog_stream *s, struct mlog_head head, struct span payload, struct err *err)
{
	struct mlog_index index;

	if (head.type == MLOG_START)
		return take_start(s, &head, payload, err);
	if (head.type == MLOG_INDEX) {
		s->state.complete = true;
		if (mlog_index_parse(&index, head.at, payload)) {
			s->index.n_samples += index.n_samples;
			s->index.n_lost += index.n_lost;
			mlog_index_fini(&index);
		}
	}
	if (head.type != MLOG_DATA)
		return true;
	s->state.complete = false;
	head.begin_ns = shifted_time(head.begin_ns, s->shift_ns);
	head.end_ns = shifted_time(head.end_ns, s->shift_ns);
	if (head.end_ns < s->state.end_ns)
		head.end_ns = s->state.end_ns;
	if (s->shift_ns) /* notes of the wall clock are by times that are not those of the log */
		head.flags &= (uint8_t)~MLOG_CLOCK;
	return pass_block(s, head, payload, err);
}

/* ---- in ---- */

/* Take one block, or skip what is none. Returns how many of the n bytes: 0 if more have to arrive
 * first. */
static size_t take_one(struct mlog_stream *s, const uint8_t *p, size_t n, bool *ok, struct err *err)
{
	struct mlog_head head;
	const char *change;
	const uint8_t *next;
	size_t skip;

	if (n < MLOG_HEAD)
		return 0;
	if (mlog_head_get(&head, p, wire_get_u64(p + HEAD_AT)) &&
	    (s->state.started || head.type == MLOG_START)) {
		struct span payload = {(const char *)p + MLOG_HEAD, head.size};

		if (n < MLOG_HEAD + head.size)
			return 0;
		if (crc32c(0, payload.p, payload.n) == head.payload_crc) {
			*ok = take_block(s, head, payload, err);
			return MLOG_HEAD + head.size;
		}
	}
	next = memmem(p + 1, n - 1, "MLog", 4);
	skip = next ? (size_t)(next - p) : n - 3; /* the last three may begin one */
	if (s->state.started)
		s->state.skipped += skip;
	else if (mlog_head_is_start(p, &change))
		*ok = refuse_start(s, p, change, err);
	else if (s->state.bytes > MLOG_STREAM_BEFORE)
		*ok = refuse_text(s, err);
	return skip;
}

bool mlog_stream_add(struct mlog_stream *s, const void *bytes, size_t n, struct err *err)
{
	size_t at = 0, done, len = n < FIRST - s->n_first ? n : FIRST - s->n_first;
	bool ok = true;

	memcpy(s->first + s->n_first, bytes, len);
	s->n_first += len;
	strbuf_add(&s->in, bytes, n);
	s->state.bytes += n;
	while (ok && (done = take_one(s, (const uint8_t *)s->in.p + at, s->in.n - at, &ok, err)))
		at += done;
	s->in.n -= at;
	memmove(s->in.p, s->in.p + at, s->in.n);
	return ok;
}

void mlog_stream_again(struct mlog_stream *s, int64_t gap_ns)
{
	s->state.skipped += s->state.started ? s->in.n : 0;
	s->in.n = 0;
	s->gap_ns = gap_ns;
	if (!s->state.started)
		s->state.bytes = s->n_first = 0;
}
