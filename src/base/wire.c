#include "base/wire.h"

void wire_varint(struct strbuf *out, uint64_t n)
{
	uint8_t bytes[WIRE_VARINT_MAX];

	strbuf_add(out, bytes, (size_t)(wire_put(bytes, n) - bytes));
}

void wire_signed(struct strbuf *out, int64_t n)
{
	wire_varint(out, wire_zigzag(n));
}

void wire_text(struct strbuf *out, struct span text)
{
	wire_varint(out, text.n);
	strbuf_add(out, text.p, text.n);
}

uint64_t wire_get(struct wire *in)
{
	uint64_t n = 0;

	for (unsigned shift = 0; in->p < in->end && shift < 64; shift += 7) {
		uint8_t byte = *in->p++;

		if (shift == 63 && byte > 1)
			break; /* more than 64 bits */
		n |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return n;
	}
	in->p = in->end;
	in->bad = true;
	return 0;
}

int64_t wire_get_signed(struct wire *in)
{
	return wire_unzigzag(wire_get(in));
}

uint64_t wire_get_most(struct wire *in, uint64_t most)
{
	uint64_t n = wire_get(in);

	if (n <= most)
		return n;
	in->p = in->end;
	in->bad = true;
	return 0;
}

struct wire wire_get_part(struct wire *in, uint64_t n)
{
	struct wire part = {in->p, in->p, in->bad};

	if (n > (uint64_t)(in->end - in->p)) {
		in->p = in->end;
		in->bad = part.bad = true;
		return part;
	}
	part.end = in->p += n;
	return part;
}

struct span wire_get_text(struct wire *in)
{
	uint64_t n = wire_get(in);
	struct wire part = wire_get_part(in, n);

	return (struct span){(const char *)part.p, (size_t)(part.end - part.p)};
}
