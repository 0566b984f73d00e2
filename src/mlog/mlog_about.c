/* The text of the start block, written and parsed with one table per stanza. */
#include "mlog/mlog.h"

#include "base/alloc.h"
#include "base/stanza.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY 15 /* columns before a value */
#define SLOT_NAME 512
#define PERIOD_MAX ((uint64_t)86400 * 1000000000)

static const char *const source_words[SOURCE_MIX] = {"gpu", "cpu", "perf", "passes", "hot"};
static const char *const slot_words[] = {"delta", "steady", "level", "peak"};
static const char *const instance_words[INSTANCE_KINDS] = {"all", "core", "slice", "cluster", "cpu"};

struct about_reader {
	struct stanza s;
	struct stanza_line line; /* the current one */
	struct span rest;        /* of its value, not yet read */
	struct err *err;
	char *room; /* for the next text: printable texts are not longer, and a byte follows each */
	unsigned cap_slots;
};

#define about_fail(r, ...) stanza_fail(&(r)->s, (r)->line.line, (r)->err, __VA_ARGS__)

struct about_field {
	const char *key;
	/* `at` points to the member in its struct. put adds nothing for an unknown value. */
	void (*put)(const struct about_field *f, const void *at, struct strbuf *out);
	bool (*get)(const struct about_field *f, void *at, struct about_reader *r);
	size_t offset;
	uint64_t most; /* maximum of a number */
};

/* ---- kinds of fields ---- */

static bool get_number(struct about_reader *r, uint64_t most, uint64_t *value)
{
	struct span word = span_word(&r->rest);

	return (span_u64(word, value) && *value <= most) ||
	       about_fail(r, "'%.*s': expected a whole number up to %" PRIu64, SPAN_ARG(word), most);
}

static bool get_real(struct about_reader *r, double least, double *value)
{
	struct span word = span_word(&r->rest);

	return (span_double(word, value) && isfinite(*value) && *value >= least) ||
	       about_fail(r, "'%.*s': expected a number", SPAN_ARG(word));
}

static bool get_word(struct about_reader *r, const char *const *words, unsigned n, unsigned *value)
{
	struct span word = span_word(&r->rest);

	for (*value = 0; *value < n; ++*value)
		if (span_is(word, words[*value]))
			return true;
	return about_fail(r, "'%.*s': expected %s, %s ...", SPAN_ARG(word), words[0], words[1]);
}

/* Write as few digits as read back as the same number. */
static void put_real(struct strbuf *out, double value)
{
	char text[32];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	strbuf_printf(out, " %s", text);
}

static void put_key(const struct about_field *f, struct strbuf *out)
{
	strbuf_printf(out, "  %-*s", KEY - 3, f->key);
}

static void put_text(const struct about_field *f, const void *at, struct strbuf *out)
{
	const char *given = *(const char *const *)at;
	char text[STANZA_LINE_MAX + 1 - KEY];

	str_printable(text, sizeof(text), given ? given : "");
	if (!text[0])
		return;
	put_key(f, out);
	strbuf_printf(out, " %s\n", text);
}

static char *keep_text(struct about_reader *r, struct span text)
{
	char raw[STANZA_LINE_MAX + 1], *kept = r->room;

	assert(text.n < sizeof(raw));
	memcpy(raw, text.p, text.n);
	raw[text.n] = 0;
	str_printable(kept, text.n + 1, raw);
	r->room += strlen(kept) + 1;
	return kept;
}

static bool get_text(const struct about_field *f, void *at, struct about_reader *r)
{
	(void)f;
	*(const char **)at = keep_text(r, r->line.value);
	return true;
}

/* What a clock cannot be is written as the nearest that the reader takes. */
static void put_ns(const struct about_field *f, const void *at, struct strbuf *out)
{
	int64_t ns = *(const int64_t *)at, most = (int64_t)f->most;

	put_key(f, out);
	strbuf_printf(out, " %" PRId64 "\n", ns < 0 ? 0 : ns > most ? most : ns);
}

static bool get_u64(const struct about_field *f, void *at, struct about_reader *r)
{
	return get_number(r, f->most, at);
}

static void put_count(const struct about_field *f, const void *at, struct strbuf *out)
{
	unsigned n = *(const unsigned *)at;

	if (!n || n > f->most)
		return;
	put_key(f, out);
	strbuf_printf(out, " %u\n", n);
}

static bool get_count(const struct about_field *f, void *at, struct about_reader *r)
{
	uint64_t value;

	if (!get_u64(f, &value, r))
		return false;
	*(unsigned *)at = (unsigned)value;
	return true;
}

static void put_hz(const struct about_field *f, const void *at, struct strbuf *out)
{
	double hz = *(const double *)at;

	if (!isfinite(hz) || hz <= 0)
		return;
	put_key(f, out);
	put_real(out, hz);
	strbuf_str(out, "\n");
}

static bool get_hz(const struct about_field *f, void *at, struct about_reader *r)
{
	(void)f;
	return get_real(r, 0, at);
}

static void put_flag(const struct about_field *f, const void *at, struct strbuf *out)
{
	if (*(const bool *)at)
		strbuf_printf(out, "  %s\n", f->key);
}

static bool get_flag(const struct about_field *f, void *at, struct about_reader *r)
{
	(void)f, (void)r;
	*(bool *)at = true;
	return true;
}

static void put_source_kind(const struct about_field *f, const void *at, struct strbuf *out)
{
	put_key(f, out);
	strbuf_printf(out, " %s\n", source_words[*(const enum source_kind *)at]);
}

static bool get_source_kind(const struct about_field *f, void *at, struct about_reader *r)
{
	unsigned kind;

	(void)f;
	if (!get_word(r, source_words, SOURCE_MIX, &kind))
		return false;
	*(enum source_kind *)at = kind;
	return true;
}

/* ---- fields of several numbers: `at` is the struct itself ---- */

static void put_frames(const struct about_field *f, const void *at, struct strbuf *out)
{
	const struct mlog_about *about = at;

	if (!(about->fps > 0) || !isfinite(about->fps))
		return;
	put_key(f, out);
	put_real(out, about->fps);
	strbuf_printf(out, " %u %u\n", about->width, about->height);
}

static bool get_frames(const struct about_field *f, void *at, struct about_reader *r)
{
	struct mlog_about *about = at;
	uint64_t width, height;

	if (!get_real(r, 0, &about->fps) || !get_number(r, f->most, &width) ||
	    !get_number(r, f->most, &height))
		return false;
	about->width = (unsigned)width;
	about->height = (unsigned)height;
	return true;
}

static void put_cores(const struct about_field *f, const void *at, struct strbuf *out)
{
	const struct mlog_source *source = at;

	if ((!source->constants.core_count && !source->constants.core_mask) ||
	    source->constants.core_count > f->most)
		return;
	put_key(f, out);
	strbuf_printf(out, " %u 0x%" PRIx64 "\n", source->constants.core_count, source->constants.core_mask);
}

static bool get_cores(const struct about_field *f, void *at, struct about_reader *r)
{
	struct mlog_source *source = at;
	uint64_t n;

	if (!get_number(r, f->most, &n) || !get_number(r, UINT64_MAX, &source->constants.core_mask))
		return false;
	source->constants.core_count = (unsigned)n;
	return true;
}

static void put_slot(const struct slot *slot, struct strbuf *out)
{
	char name[SLOT_NAME], title[STANZA_LINE_MAX];
	size_t begin = out->n;

	str_printable(name, sizeof(name), slot->name);
	assert(name[0]);
	for (char *p = name; *p; p++) /* one word that does not start a comment */
		if (*p == ' ' || (*p == '#' && p == name))
			*p = '?';
	strbuf_printf(out, "    %s %s %s %u", name, slot_words[slot->kind], instance_words[slot->instance],
		      slot->number);
	put_real(out, slot->scale);
	if (slot->running || slot->enabled || slot->raw || slot->title)
		strbuf_printf(out, " %u %u %u", slot->running, slot->enabled, slot->raw);
	if (slot->title)
		strbuf_printf(out, " %s",
			      str_printable(title, STANZA_LINE_MAX - (out->n - begin), slot->title));
	strbuf_str(out, "\n");
}

static void put_slots(const struct about_field *f, const void *at, struct strbuf *out)
{
	const struct mlog_source *source = at;

	if (source->n_slots)
		strbuf_printf(out, "  %s\n", f->key);
	for (unsigned i = 0; i < source->n_slots; i++)
		put_slot(&source->slots[i], out);
}

static bool get_slot(struct slot *slot, struct about_reader *r)
{
	uint64_t number, more[3] = {0};
	unsigned kind, instance;

	if (!get_word(r, slot_words, ARRAY_LEN(slot_words), &kind) ||
	    !get_word(r, instance_words, INSTANCE_KINDS, &instance) || !get_number(r, UINT16_MAX, &number) ||
	    !get_real(r, -INFINITY, &slot->scale))
		return false;
	for (unsigned i = 0, n = span_trim(r->rest).n ? ARRAY_LEN(more) : 0; i < n; i++)
		if (!get_number(r, MLOG_SLOTS_MAX - 1, &more[i]))
			return false;
	slot->name = keep_text(r, r->line.key);
	slot->kind = kind;
	slot->instance = instance;
	slot->number = (uint16_t)number;
	slot->running = (uint16_t)more[0];
	slot->enabled = (uint16_t)more[1];
	slot->raw = (uint16_t)more[2];
	r->rest = span_trim(r->rest);
	slot->title = r->rest.n ? keep_text(r, r->rest) : NULL;
	return true;
}

static bool get_slots(const struct about_field *f, void *at, struct about_reader *r)
{
	struct mlog_source *source = at;
	int more;

	while ((more = stanza_more(&r->s, STANZA_ROW, &r->line, r->err)) > 0) {
		r->rest = r->line.value;
		if (source->n_slots == f->most)
			return about_fail(r, "more than %" PRIu64 " slots", f->most);
		GROW(source->slots, source->n_slots, r->cap_slots);
		if (!get_slot(&source->slots[source->n_slots], r))
			return false;
		source->n_slots++;
	}
	return more == 0;
}

/* ---- the stanzas ---- */

#define AT(member) offsetof(struct mlog_about, member)
static const struct about_field log_fields[] = {
	{"program", put_text, get_text, AT(program), 0},
	{"host", put_text, get_text, AT(host), 0},
	{"kernel", put_text, get_text, AT(kernel), 0},
	{"monotonic", put_ns, get_u64, AT(monotonic_ns), SAMPLE_NS_MAX},
	{"realtime", put_ns, get_u64, AT(realtime_ns), MLOG_REALTIME_MAX},
	{"frames", put_frames, get_frames, 0, 1 << 20},
	{"scope", put_text, get_text, AT(scope), 0},
	{"control", put_text, get_text, AT(control), 0},
	{.key = NULL},
};
#undef AT

#define AT(member) offsetof(struct mlog_source, member)
static const struct about_field source_fields[] = {
	{"kind", put_source_kind, get_source_kind, AT(kind), 0},
	{"backend", put_text, get_text, AT(backend), 0},
	{"device", put_text, get_text, AT(device), 0},
	{"title", put_text, get_text, AT(title), 0},
	{"driver", put_text, get_text, AT(driver), 0},
	{"note", put_text, get_text, AT(note), 0},
	{"product", put_text, get_text, AT(product), 0},
	{"period", put_ns, get_u64, AT(period_ns), PERIOD_MAX},
	{"asked", put_ns, get_u64, AT(asked_ns), PERIOD_MAX},
	{"simulated", put_flag, get_flag, AT(simulated), 0},
	{"top_hz", put_hz, get_hz, AT(constants.top_hz), 0},
	{"cores", put_cores, get_cores, 0, 64},
	{"slices", put_count, get_count, AT(constants.l2_slice_count), 64},
	{"bus_bits", put_count, get_count, AT(constants.bus_width_bits), 1 << 20},
	{"block_values", put_count, get_count, AT(constants.block_values), 1 << 20},
	{"sums", put_count, get_count, AT(n_sums), MLOG_SLOTS_MAX},
	{"slots", put_slots, get_slots, 0, MLOG_SLOTS_MAX},
	{.key = NULL},
};
#undef AT

static void put_fields(const struct about_field *f, const void *thing, struct strbuf *out)
{
	for (; f->key; f++)
		f->put(f, (const char *)thing + f->offset, out);
}

void mlog_about_format(const struct mlog_about *about, struct strbuf *out)
{
	strbuf_clear(out);
	strbuf_str(out, "log\n");
	put_fields(log_fields, about, out);
	for (unsigned i = 0; i < about->n_sources; i++) {
		strbuf_printf(out, "source %u\n", i);
		put_fields(source_fields, &about->sources[i], out);
	}
}

/* Parse the fields up to the next stanza. Skip unknown fields: later versions may add some. */
static bool get_fields(const struct about_field *fields, void *thing, struct about_reader *r)
{
	int more;

	while ((more = stanza_more(&r->s, STANZA_FIELD, &r->line, r->err)) > 0) {
		const struct about_field *f = fields;

		r->rest = r->line.value;
		while (f->key && !(r->line.kind == STANZA_FIELD && span_is(r->line.key, f->key)))
			f++;
		if (f->key && !f->get(f, (char *)thing + f->offset, r))
			return false;
	}
	return more == 0;
}

static bool check_source(struct mlog_source *source, struct about_reader *r)
{
	unsigned n = source->n_slots;

	if (source->kind == SOURCE_KINDS)
		return about_fail(r, "a source without 'kind'");
	if (!source->period_ns || !source->asked_ns)
		return about_fail(r, "a source without 'period' and 'asked' above 0");
	if (!source->n_sums)
		source->n_sums = n;
	if (source->n_sums > n)
		return about_fail(r, "%u sum%s, but only %u slot%s", source->n_sums,
				  plural_ending(source->n_sums), n, plural_ending(n));
	if (source->n_sums < n && (source->kind == SOURCE_PASSES || source->kind == SOURCE_HOT))
		return about_fail(r, "%u sum%s and %u slots: this kind of source has only sums",
				  source->n_sums, plural_ending(source->n_sums), n);
	for (unsigned i = 0; i < n; i++) {
		const struct slot *slot = &source->slots[i];
		unsigned within = i < source->n_sums ? source->n_sums : n; /* what is kept with it */

		if (slot->running >= within || slot->enabled >= within || slot->raw >= within)
			return about_fail(r, "slot '%s' refers to a slot that does not exist", slot->name);
		/* Formulas load what is no instance, and mostly the sums are all that is kept. */
		if (i >= source->n_sums && slot->instance == INSTANCE_ALL)
			return about_fail(r, "slot '%s' is a sum, but follows the first %u", slot->name,
					  source->n_sums);
	}
	return true;
}

static bool get_source(struct mlog_about *about, struct about_reader *r)
{
	struct stanza_line open = r->line;
	struct mlog_source *source;
	uint64_t number;

	if (about->n_sources == MLOG_SOURCES_MAX)
		return about_fail(r, "more than %d sources", MLOG_SOURCES_MAX);
	if (!get_number(r, MLOG_SOURCES_MAX - 1, &number))
		return false;
	if (number != about->n_sources)
		return about_fail(r, "source %" PRIu64 ": expected source %u", number, about->n_sources);
	about->sources = xreallocarray(about->sources, number + 1, sizeof(*about->sources));
	source = &about->sources[about->n_sources++];
	*source = (struct mlog_source){.kind = SOURCE_KINDS};
	source->backend = source->device = source->title = source->driver = source->note = source->product =
		about->texts;
	r->cap_slots = 0;
	if (!get_fields(source_fields, source, r))
		return false;
	r->line = open; /* errors of the whole source are reported at its first line */
	return check_source(source, r);
}

static bool get_about(struct mlog_about *about, struct about_reader *r)
{
	static const struct about_field none = {.key = NULL};
	bool is_log = false, ok = true;

	while (ok) {
		if (!stanza_next(&r->s, &r->line, r->err))
			return false;
		r->rest = r->line.value;
		if (r->line.kind == STANZA_END)
			return is_log || about_fail(r, "no stanza 'log'");
		if (span_is(r->line.key, "log"))
			ok = is_log = get_fields(log_fields, about, r);
		else if (span_is(r->line.key, "source"))
			ok = get_source(about, r);
		else
			ok = get_fields(&none, NULL, r);
	}
	return false;
}

bool mlog_about_parse(struct mlog_about *about, const char *name, struct span content, struct err *err)
{
	struct about_reader r;

	*about = (struct mlog_about){.texts = xcalloc(content.n + 2, 1)};
	about->program = about->host = about->kernel = about->scope = about->control = about->texts; /* "" */
	r = (struct about_reader){.err = err, .room = about->texts + 1};
	stanza_init(&r.s, name, content);
	if (get_about(about, &r))
		return true;
	mlog_about_fini(about);
	return false;
}

void mlog_about_fini(struct mlog_about *about)
{
	for (unsigned i = 0; i < about->n_sources; i++)
		free(about->sources[i].slots);
	free(about->sources);
	free(about->texts);
	*about = (struct mlog_about){0};
}
