#include "passes/passes_reader.h"

#include "base/str.h"

#define STALL_NS 100000000ll
#define LONGEST_NS 10000000000ll
#define AWAY_NS 3600000000000ll

const char *const passes_writer_names[PASSES_WRITERS] = {"", "Vulkan", "GLES", "regions"};
const char *const passes_kind_names[PASSES_KINDS] = {"render", "compute", "transfer", "secondary"};
const char *const passes_boundary_names[PASSES_BOUNDARIES] = {"present", "wait for the GPU", "malitop_frame"};
const char *const passes_stamp_texts[PASSES_STAMPS] = {
	"no timestamps: the device has none, so only frames are timed",
	"bottom-of-pipe timestamps: a pass lasts from the end of the work before it to its own end; "
	"overlap between passes is not visible",
	"top-to-bottom-of-pipe timestamps: a pass includes its wait for earlier passes, "
	"and passes overlap",
	"durations by the driver: on a tile-based GPU the work may be done later than the pass was recorded",
};

static const uint64_t *event_words(const struct passes_reader *reader, uint64_t index)
{
	bool large = reader->can_grow && index >= reader->grown;
	unsigned place = passes_place(large ? index | PASSES_GROWN : index & ~PASSES_GROWN);

	return reader->memory + (size_t)place * PASSES_WORDS;
}

/* Return the end of the events in the ring of the cursor, and the size of that *ring. */
static uint64_t read_head(struct passes_reader *reader, unsigned *ring)
{
	uint64_t head = passes_load(&reader->memory[PASSES_WORD_HEAD]), grown;

	*ring = PASSES_RING;
	if (!reader->can_grow)
		return head;
	if (head & PASSES_GROWN && reader->grown == UINT64_MAX) {
		grown = passes_load(&reader->memory[PASSES_WORD_GROWN]);
		if (!grown)
			return reader->cursor; /* the writer is about to say it */
		head &= ~PASSES_GROWN;
		reader->grown = grown - 1 < head ? grown - 1 : head;
	}
	head &= ~PASSES_GROWN;
	if (reader->cursor < reader->grown)
		return head < reader->grown ? head : reader->grown;
	*ring = PASSES_LARGE_RING;
	return head;
}

bool passes_reader_init(struct passes_reader *reader, const void *memory, size_t size, struct err *err)
{
	const uint64_t *word = memory;

	unsigned ring;
	uint64_t head;

	*reader =
		(struct passes_reader){.memory = word, .can_grow = size == PASSES_BYTES, .grown = UINT64_MAX};
	if (size != PASSES_BYTES && size != PASSES_SMALL_BYTES)
		return err_set(err, 0, "shared memory of %zu bytes, expected %d", size, PASSES_BYTES);
	if (passes_load(&word[PASSES_WORD_MAGIC]) != PASSES_MAGIC)
		return err_set(err, 0, "shared memory without the mark of malitop's layer");
	if (passes_load(&word[PASSES_WORD_VERSION]) != PASSES_VERSION ||
	    passes_load(&word[PASSES_WORD_BYTES]) != size)
		return err_set(err, 0, "layer of another version: use that of this malitop");
	/* The small ring keeps its last events when the writer leaves it. */
	head = read_head(reader, &ring);
	head = reader->grown < head ? reader->grown : head;
	reader->cursor = head - (head < PASSES_RING * 7 / 8 ? head : PASSES_RING * 7 / 8);
	head = passes_load(&word[PASSES_WORD_HEAD]) & ~PASSES_GROWN;
	if (reader->grown < head && head - reader->grown > PASSES_LARGE_RING / 8 * 7)
		reader->cursor = head - PASSES_LARGE_RING / 8 * 7;
	passes_reader_counts(reader);
	for (unsigned i = 0; i < PASSES_COUNTS; i++)
		reader->counts[i] = 0;
	return true;
}

static bool event_is_valid(const struct passes_event *e, int64_t now_ns)
{
	static const uint8_t kinds[PASSES_TYPES] = {
		0, PASSES_BOUNDARIES, PASSES_KINDS, 1, 1,
	};

	if (e->type == 0 || e->type >= PASSES_TYPES || e->kind >= kinds[e->type] || e->name >= PASSES_NAMES)
		return false;
	if (e->begin_ns < now_ns - AWAY_NS || e->begin_ns > now_ns + AWAY_NS || e->end_ns < e->begin_ns ||
	    e->end_ns > now_ns + AWAY_NS)
		return false;
	return e->type == PASSES_FRAME || e->end_ns - e->begin_ns <= LONGEST_NS;
}

/* Of the event at the cursor. MISSED: it is not there in time, and the ring holds a later one. */
enum event_place { EVENT_AWAITED, EVENT_COPIED, EVENT_GIVEN_UP, EVENT_MISSED };

static enum event_place copy_event(const struct passes_reader *reader, uint64_t word[PASSES_WORDS])
{
	const uint64_t *from = event_words(reader, reader->cursor);
	uint64_t before = passes_load(&from[0]), state = before - passes_lock_word(reader->cursor);

	if (state >= PASSES_STATES)
		return (int64_t)state < 0 ? EVENT_AWAITED : EVENT_MISSED;
	if (state != PASSES_COMPLETE)
		return state == PASSES_WRITING ? EVENT_AWAITED : EVENT_GIVEN_UP;
	for (unsigned i = 1; i < PASSES_WORDS; i++)
		word[i] = passes_load(&from[i]);
	return passes_load(&from[0]) == before ? EVENT_COPIED : EVENT_MISSED;
}

/* Move a cursor that the writer has overtaken to the oldest event that is not about to be
 * overwritten, and one that is ahead of the writer back to it. */
static void place_cursor(struct passes_reader *reader, uint64_t head, unsigned ring)
{
	uint64_t waiting = head - reader->cursor;

	if (waiting > UINT64_MAX / 2) {
		reader->cursor = head;
		reader->invalid++;
	} else if (waiting > ring) {
		reader->overwritten += waiting - ring / 8 * 7;
		reader->cursor = head - ring / 8 * 7;
	}
}

bool passes_reader_next(struct passes_reader *reader, int64_t now_ns, struct passes_event *event)
{
	uint64_t head, word[PASSES_WORDS] = {0};
	enum event_place place;
	unsigned ring;

	for (unsigned i = 0; i < PASSES_RING; i++) {
		head = read_head(reader, &ring);
		place_cursor(reader, head, ring);
		if (reader->cursor == head)
			return false;
		place = copy_event(reader, word);
		if (place == EVENT_AWAITED) {
			if (!reader->stalled_ns)
				reader->stalled_ns = now_ns;
			if (now_ns - reader->stalled_ns < STALL_NS)
				return false;
		}
		reader->stalled_ns = 0;
		reader->cursor++;
		reader->overwritten += place == EVENT_MISSED;
		reader->torn += place == EVENT_AWAITED || place == EVENT_GIVEN_UP;
		if (place != EVENT_COPIED)
			continue;
		passes_unpack(event, word);
		if (event_is_valid(event, now_ns))
			return true;
		reader->invalid++;
	}
	return false;
}

void passes_reader_text(const struct passes_reader *reader, unsigned record, char *text, size_t size)
{
	const uint64_t *word = reader->memory + (size_t)record * PASSES_WORDS;
	uint64_t bytes[PASSES_WORDS] = {0};
	char raw[PASSES_TEXT + 1] = "";

	if (passes_load(&word[0])) {
		for (unsigned i = 0; i < PASSES_WORDS - 1; i++)
			bytes[i] = passes_load(&word[1 + i]);
		memcpy(raw, bytes, PASSES_TEXT);
	}
	str_printable(text, size, raw);
}

void passes_reader_name(const struct passes_reader *reader, unsigned name, unsigned ordinal, char *text,
			size_t size)
{
	char base[PASSES_TEXT + 1];

	passes_reader_text(reader, PASSES_HEADER + (name < PASSES_NAMES ? name : 0), base, sizeof(base));
	if (ordinal)
		snprintf(text, size, "%s #%u", base[0] ? base : "other", ordinal + 1);
	else
		snprintf(text, size, "%s", base[0] ? base : "other");
}

enum passes_writer passes_reader_writer(const struct passes_reader *reader)
{
	uint64_t writer = passes_load(&reader->memory[PASSES_WORD_WRITER]);

	return writer < PASSES_WRITERS ? (enum passes_writer)writer : (enum passes_writer)0;
}

enum passes_stamp passes_reader_stamp(const struct passes_reader *reader)
{
	uint64_t stamp = passes_load(&reader->memory[PASSES_WORD_STAMP]);

	return stamp < PASSES_STAMPS ? (enum passes_stamp)stamp : PASSES_STAMP_NONE;
}

void passes_reader_counts(struct passes_reader *reader)
{
	for (unsigned i = 0; i < PASSES_COUNTS; i++) {
		uint64_t now = passes_load(&reader->memory[PASSES_WORD_LOST + i]);

		if (now > reader->counts[i] && now < UINT64_MAX / 2)
			reader->counts[i] = now;
	}
}
