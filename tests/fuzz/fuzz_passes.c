/* Shared memory that a hostile application wrote: no endless loop, no event or text out of range.
 *
 * Input: records of 72 bytes. The first 8 say which record of the memory the other 64 become; the
 * reader runs after each. */
#include "base/alloc.h"
#include "model/passes_reader.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NOW 1000000000000ll

static void read_events(struct passes_reader *reader, int64_t now_ns)
{
	struct passes_event e;
	char text[PASSES_TEXT + 16];

	for (unsigned i = 0; i < 64 && passes_reader_next(reader, now_ns, &e); i++) {
		assert(e.type && e.type < PASSES_TYPES && e.name < PASSES_NAMES && e.end_ns >= e.begin_ns);
		passes_reader_name(reader, e.name, e.ordinal, text, sizeof(text));
		assert(text[0] && strlen(text) < sizeof(text));
	}
	passes_reader_text(reader, PASSES_RECORD_TITLE, text, sizeof(text));
	passes_reader_counts(reader);
	assert(passes_reader_writer(reader) < PASSES_WRITERS && passes_reader_stamp(reader) < PASSES_STAMPS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint64_t *memory;
	struct passes_reader reader;

	if (!memory)
		memory = xmalloc(PASSES_BYTES);
	memset(memory, 0, (PASSES_HEADER + PASSES_NAMES + 64) * 64);
	passes_init(memory, PASSES_VULKAN, PASSES_STAMP_BOTTOM);
	assert(passes_reader_init(&reader, memory, PASSES_BYTES, NULL));
	for (int64_t now_ns = NOW; size >= 72; data += 72, size -= 72, now_ns += 60000000) {
		uint64_t at;

		memcpy(&at, data, 8);
		memcpy(passes_record(memory, at % (PASSES_HEADER + PASSES_NAMES + 64)), data + 8, 64);
		read_events(&reader, now_ns);
	}
	return 0;
}
