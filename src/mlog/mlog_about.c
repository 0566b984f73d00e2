/* The start block's text, both ways: a table for each stanza, whose rows know how a field is written and read. */
#include "mlog/mlog.h"

#include "base/alloc.h"
#include "base/stanza.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY 15 /* columns in front of a value */
#define SLOT_NAME 512
#define REALTIME_MAX ((uint64_t)1 << 62)
#define PERIOD_MAX ((uint64_t)86400 * 1000000000)

static const char *const source_words[SOURCE_KINDS] = {"gpu", "cpu", "perf"};
static const char *const slot_words[] = {"delta", "steady", "level", "peak"};
static const char *const instance_words[INSTANCE_KINDS] = {"all", "core", "slice", "cluster", "cpu"};

struct reader {
	struct stanza s;
	char *room; /* where the next text goes: texts only get shorter by becoming printable, and each has a byte behind it */
	unsigned cap_slots;
};

struct field;

/* `at` is the field's place in the thing that a stanza describes. put adds nothing where it is unknown. */
struct field_kind {
	void (*put)(const struct field *f, const void *at, struct strbuf *out);
	bool (*get)(const struct field *f, void *at, struct reader *r, const struct stanza_line *line, struct err *err);
};

struct field {
	const char *key;
	const struct field_kind *kind;
	size_t offset;
	uint64_t most; /* of a number */
};

/* ---- what a field can be ---- */

static bool get_number(struct reader *r, const struct stanza_line *line, struct span *rest, uint64_t most, uint64_t *value,
		       struct err *err)
{
	struct span word = span_word(rest);

	return (span_u64(word, value) && *value <= most) ||
	       stanza_fail(&r->s, line->line, err, "'%.*s': expected a whole number up to %" PRIu64, SPAN_ARG(word), most);
}

static bool get_real(struct reader *r, const struct stanza_line *line, struct span *rest, double least, double *value,
		     struct err *err)
{
	struct span word = span_word(rest);

	return (span_double(word, value) && isfinite(*value) && *value >= least) ||
	       stanza_fail(&r->s, line->line, err, "'%.*s': expected a number", SPAN_ARG(word));
}

static bool get_word(struct reader *r, const struct stanza_line *line, struct span *rest, const char *const *words, unsigned n,
		     unsigned *value, struct err *err)
{
	struct span word = span_word(rest);

	for (*value = 0; *value < n; ++*value)
		if (span_is(word, words[*value]))
			return true;
	return stanza_fail(&r->s, line->line, err, "'%.*s': expected %s, %s ...", SPAN_ARG(word), words[0], words[1]);
}

/* As few digits as read back to the same number. */
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

static void put_key(const struct field *f, struct strbuf *out)
{
	strbuf_printf(out, "  %-*s", KEY - 3, f->key);
}

static void put_text(const struct field *f, const void *at, struct strbuf *out)
{
	char text[STANZA_LINE_MAX + 1 - KEY];

	str_printable(text, sizeof(text), *(const char *const *)at);
	if (!text[0])
		return;
	put_key(f, out);
	strbuf_printf(out, " %s\n", text);
}

static char *keep(struct reader *r, struct span text)
{
	char raw[STANZA_LINE_MAX + 1], *kept = r->room;

	assert(text.n < sizeof(raw));
	memcpy(raw, text.p, text.n);
	raw[text.n] = 0;
	str_printable(kept, text.n + 1, raw);
	r->room += strlen(kept) + 1;
	return kept;
}

static bool get_text(const struct field *f, void *at, struct reader *r, const struct stanza_line *line, struct err *err)
{
	(void)f, (void)err;
	*(const char **)at = keep(r, line->value);
	return true;
}

static void put_u64(const struct field *f, const void *at, struct strbuf *out)
{
	put_key(f, out);
	strbuf_printf(out, " %" PRIu64 "\n", *(const uint64_t *)at);
}

static bool get_u64(const struct field *f, void *at, struct reader *r, const struct stanza_line *line, struct err *err)
{
	struct span rest = line->value;

	return get_number(r, line, &rest, f->most, at, err);
}

static void put_count(const struct field *f, const void *at, struct strbuf *out)
{
	if (*(const unsigned *)at)
		put_u64(f, &(uint64_t){*(const unsigned *)at}, out);
}

static bool get_count(const struct field *f, void *at, struct reader *r, const struct stanza_line *line, struct err *err)
{
	uint64_t value;

	if (!get_u64(f, &value, r, line, err))
		return false;
	*(unsigned *)at = (unsigned)value;
	return true;
}

static void put_hz(const struct field *f, const void *at, struct strbuf *out)
{
	double hz = *(const double *)at;

	if (!isfinite(hz) || hz <= 0)
		return;
	put_key(f, out);
	put_real(out, hz);
	strbuf_str(out, "\n");
}

static bool get_hz(const struct field *f, void *at, struct reader *r, const struct stanza_line *line, struct err *err)
{
	struct span rest = line->value;

	(void)f;
	return get_real(r, line, &rest, 0, at, err);
}

static void put_flag(const struct field *f, const void *at, struct strbuf *out)
{
	if (*(const bool *)at)
		strbuf_printf(out, "  %s\n", f->key);
}

static bool get_flag(const struct field *f, void *at, struct reader *r, const struct stanza_line *line, struct err *err)
{
	(void)f, (void)r, (void)line, (void)err;
	*(bool *)at = true;
	return true;
}

static void put_source_kind(const struct field *f, const void *at, struct strbuf *out)
{
	put_key(f, out);
	strbuf_printf(out, " %s\n", source_words[*(const enum source_kind *)at]);
}

static bool get_source_kind(const struct field *f, void *at, struct reader *r, const struct stanza_line *line, struct err *err)
{
	struct span rest = line->value;
	unsigned kind;

	(void)f;
	if (!get_word(r, line, &rest, source_words, SOURCE_KINDS, &kind, err))
		return false;
	*(enum source_kind *)at = kind;
	return true;
}

/* ---- of more than one number: `at` is the thing itself ---- */

static void put_frames(const struct field *f, const void *at, struct strbuf *out)
{
	const struct mlog_about *about = at;

	if (!(about->fps > 0) || !isfinite(about->fps))
		return;
	put_key(f, out);
	put_real(out, about->fps);
	strbuf_printf(out, " %u %u\n", about->width, about->height);
}

static bool get_frames(const struct field *f, void *at, struct reader *r, const struct stanza_line *line, struct err *err)
{
	struct mlog_about *about = at;
	struct span rest = line->value;
	uint64_t width, height;

	if (!get_real(r, line, &rest, 0, &about->fps, err) || !get_number(r, line, &rest, f->most, &width, err) ||
	    !get_number(r, line, &rest, f->most, &height, err))
		return false;
	about->width = (unsigned)width;
	about->height = (unsigned)height;
	return true;
}

static void put_cores(const struct field *f, const void *at, struct strbuf *out)
{
	const struct mlog_source *source = at;

	if (!source->core_count && !source->core_mask)
		return;
	put_key(f, out);
	strbuf_printf(out, " %u 0x%" PRIx64 "\n", source->core_count, source->core_mask);
}

static bool get_cores(const struct field *f, void *at, struct reader *r, const struct stanza_line *line, struct err *err)
{
	struct mlog_source *source = at;
	struct span rest = line->value;
	uint64_t n;

	if (!get_number(r, line, &rest, f->most, &n, err) || !get_number(r, line, &rest, UINT64_MAX, &source->core_mask, err))
		return false;
	source->core_count = (unsigned)n;
	return true;
}

/* A name is one word, and no comment. */
static void slot_name(char name[SLOT_NAME], const char *text)
{
	str_printable(name, SLOT_NAME, text);
	assert(name[0]);
	for (char *p = name; *p; p++)
		if (*p == ' ' || (*p == '#' && p == name))
			*p = '?';
}

static void put_slot(const struct slot *slot, struct strbuf *out)
{
	char name[SLOT_NAME], title[STANZA_LINE_MAX];
	size_t begin = out->n;

	slot_name(name, slot->name);
	strbuf_printf(out, "    %s %s %s %u", name, slot_words[slot->kind], instance_words[slot->instance], slot->number);
	put_real(out, slot->scale);
	if (slot->running || slot->enabled || slot->raw || slot->title)
		strbuf_printf(out, " %u %u %u", slot->running, slot->enabled, slot->raw);
	if (slot->title)
		strbuf_printf(out, " %s", str_printable(title, STANZA_LINE_MAX - (out->n - begin), slot->title));
	strbuf_str(out, "\n");
}

static void put_slots(const struct field *f, const void *at, struct strbuf *out)
{
	const struct mlog_source *source = at;

	if (source->n_slots)
		strbuf_printf(out, "  %s\n", f->key);
	for (unsigned i = 0; i < source->n_slots; i++)
		put_slot(&source->slots[i], out);
}

static bool get_slot(struct slot *slot, struct reader *r, const struct stanza_line *row, struct err *err)
{
	struct span rest = row->value;
	uint64_t number, more[3] = {0};
	unsigned kind, instance;

	if (!get_word(r, row, &rest, slot_words, ARRAY_LEN(slot_words), &kind, err) ||
	    !get_word(r, row, &rest, instance_words, INSTANCE_KINDS, &instance, err) ||
	    !get_number(r, row, &rest, UINT16_MAX, &number, err) || !get_real(r, row, &rest, -INFINITY, &slot->scale, err))
		return false;
	for (unsigned i = 0, n = span_trim(rest).n ? ARRAY_LEN(more) : 0; i < n; i++)
		if (!get_number(r, row, &rest, MLOG_SLOTS_MAX - 1, &more[i], err))
			return false;
	slot->name = keep(r, row->key);
	slot->kind = kind;
	slot->instance = instance;
	slot->number = (uint16_t)number;
	slot->running = (uint16_t)more[0];
	slot->enabled = (uint16_t)more[1];
	slot->raw = (uint16_t)more[2];
	rest = span_trim(rest);
	slot->title = rest.n ? keep(r, rest) : NULL;
	return true;
}

static bool get_slots(const struct field *f, void *at, struct reader *r, const struct stanza_line *line, struct err *err)
{
	struct mlog_source *source = at;
	struct stanza_line row;

	(void)line;
	for (;;) {
		if (!stanza_next(&r->s, &row, err))
			return false;
		if (row.kind != STANZA_ROW)
			break;
		if (source->n_slots == f->most)
			return stanza_fail(&r->s, row.line, err, "more than %" PRIu64 " slots", f->most);
		GROW(source->slots, source->n_slots, r->cap_slots);
		if (!get_slot(&source->slots[source->n_slots], r, &row, err))
			return false;
		source->n_slots++;
	}
	stanza_back(&r->s, &row);
	return true;
}

/* ---- the stanzas ---- */

static const struct field_kind text = {put_text, get_text}, u64 = {put_u64, get_u64}, count = {put_count, get_count},
			       hz = {put_hz, get_hz}, flag = {put_flag, get_flag},
			       source_kind = {put_source_kind, get_source_kind}, frames = {put_frames, get_frames},
			       cores = {put_cores, get_cores}, slots = {put_slots, get_slots};

#define AT(member) offsetof(struct mlog_about, member)
static const struct field log_fields[] = {
	{"program", &text, AT(program), 0},
	{"host", &text, AT(host), 0},
	{"kernel", &text, AT(kernel), 0},
	{"monotonic", &u64, AT(monotonic_ns), SAMPLE_NS_MAX},
	{"realtime", &u64, AT(realtime_ns), REALTIME_MAX},
	{"frames", &frames, 0, 1 << 20},
	{"scope", &text, AT(scope), 0},
	{.key = NULL},
};
#undef AT

#define AT(member) offsetof(struct mlog_source, member)
static const struct field source_fields[] = {
	{"kind", &source_kind, AT(kind), 0},
	{"backend", &text, AT(backend), 0},
	{"device", &text, AT(device), 0},
	{"title", &text, AT(title), 0},
	{"driver", &text, AT(driver), 0},
	{"note", &text, AT(note), 0},
	{"product", &text, AT(product), 0},
	{"period", &u64, AT(period_ns), PERIOD_MAX},
	{"asked", &u64, AT(asked_ns), PERIOD_MAX},
	{"simulated", &flag, AT(simulated), 0},
	{"top_hz", &hz, AT(top_hz), 0},
	{"cores", &cores, 0, 64},
	{"slices", &count, AT(l2_slice_count), 64},
	{"bus_bits", &count, AT(bus_width_bits), 1 << 20},
	{"block_values", &count, AT(block_values), 1 << 20},
	{"sums", &count, AT(n_sums), MLOG_SLOTS_MAX},
	{"slots", &slots, 0, MLOG_SLOTS_MAX},
	{.key = NULL},
};
#undef AT

static void put_fields(const struct field *f, const void *thing, struct strbuf *out)
{
	for (; f->key; f++)
		f->kind->put(f, (const char *)thing + f->offset, out);
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

/* Until the next stanza. Unknown fields, and their rows, are a later version's. */
static bool get_fields(const struct field *fields, void *thing, struct reader *r, struct err *err)
{
	struct stanza_line line;

	for (;;) {
		const struct field *f = fields;

		if (!stanza_next(&r->s, &line, err))
			return false;
		if (line.kind == STANZA_OPEN || line.kind == STANZA_END)
			break;
		while (f->key && !(line.kind == STANZA_FIELD && span_is(line.key, f->key)))
			f++;
		if (f->key && !f->kind->get(f, (char *)thing + f->offset, r, &line, err))
			return false;
	}
	stanza_back(&r->s, &line);
	return true;
}

static bool check_source(struct mlog_source *source, const struct reader *r, unsigned line, struct err *err)
{
	unsigned n = source->n_slots;

	if (source->kind == SOURCE_KINDS)
		return stanza_fail(&r->s, line, err, "a source without 'kind'");
	if (!source->period_ns || !source->asked_ns)
		return stanza_fail(&r->s, line, err, "a source without 'period' and 'asked' above 0");
	if (!source->n_sums)
		source->n_sums = n;
	if (source->n_sums > n)
		return stanza_fail(&r->s, line, err, "%u sums, but only %u slots", source->n_sums, n);
	for (unsigned i = 0; i < n; i++)
		if (source->slots[i].running >= n || source->slots[i].enabled >= n || source->slots[i].raw >= n)
			return stanza_fail(&r->s, line, err, "slot '%s' refers to one that is not there", source->slots[i].name);
	return true;
}

static bool get_source(struct mlog_about *about, struct reader *r, const struct stanza_line *open, struct err *err)
{
	struct span rest = open->value;
	struct mlog_source *source;
	uint64_t number;

	if (about->n_sources == MLOG_SOURCES_MAX)
		return stanza_fail(&r->s, open->line, err, "more than %d sources", MLOG_SOURCES_MAX);
	if (!get_number(r, open, &rest, MLOG_SOURCES_MAX - 1, &number, err))
		return false;
	if (number != about->n_sources)
		return stanza_fail(&r->s, open->line, err, "source %" PRIu64 ": expected source %u", number, about->n_sources);
	about->sources = xreallocarray(about->sources, number + 1, sizeof(*about->sources));
	source = &about->sources[about->n_sources++];
	*source = (struct mlog_source){.kind = SOURCE_KINDS};
	source->backend = source->device = source->title = source->driver = source->note = source->product = about->texts;
	r->cap_slots = 0;
	return get_fields(source_fields, source, r, err) && check_source(source, r, open->line, err);
}

static bool get_about(struct mlog_about *about, struct reader *r, struct err *err)
{
	static const struct field none = {.key = NULL};
	bool is_log = false, ok = true;
	struct stanza_line line;

	while (ok) {
		if (!stanza_next(&r->s, &line, err))
			return false;
		if (line.kind == STANZA_END)
			return is_log || stanza_fail(&r->s, line.line, err, "no stanza 'log'");
		if (span_is(line.key, "log"))
			ok = is_log = get_fields(log_fields, about, r, err);
		else if (span_is(line.key, "source"))
			ok = get_source(about, r, &line, err);
		else
			ok = get_fields(&none, NULL, r, err);
	}
	return false;
}

bool mlog_about_parse(struct mlog_about *about, const char *name, struct span content, struct err *err)
{
	struct reader r;

	*about = (struct mlog_about){.texts = xcalloc(content.n + 2, 1)};
	about->program = about->host = about->kernel = about->scope = about->texts; /* "" */
	r = (struct reader){.room = about->texts + 1};
	stanza_init(&r.s, name, content);
	if (get_about(about, &r, err))
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
