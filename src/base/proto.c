#include "base/proto.h"

#include "base/wire.h"

#include <string.h>

enum wire_type { VARINT = 0, FIXED64 = 1, COUNTED = 2 };

static void put_tag(struct strbuf *out, unsigned field, enum wire_type type)
{
	wire_varint(out, (uint64_t)field << 3 | type);
}

void proto_uint(struct strbuf *out, unsigned field, uint64_t value)
{
	put_tag(out, field, VARINT);
	wire_varint(out, value);
}

void proto_double(struct strbuf *out, unsigned field, double value)
{
	uint8_t bytes[sizeof(uint64_t)];
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	wire_u64(bytes, bits);
	put_tag(out, field, FIXED64);
	strbuf_add(out, bytes, sizeof(bytes));
}

void proto_text(struct strbuf *out, unsigned field, const char *text)
{
	put_tag(out, field, COUNTED);
	wire_text(out, span_of(text));
}

/* Reserve one byte for the length, which is enough for nearly all messages. */
size_t proto_begin(struct strbuf *out, unsigned field)
{
	put_tag(out, field, COUNTED);
	strbuf_add(out, "", 1);
	return out->n;
}

void proto_end(struct strbuf *out, size_t begin)
{
	uint8_t length[WIRE_VARINT_MAX];
	size_t size = out->n - begin, more = (size_t)(wire_put(length, size) - length) - 1;

	strbuf_add(out, length, more);
	memmove(out->p + begin + more, out->p + begin, size);
	memcpy(out->p + begin - 1, length, 1 + more);
}
