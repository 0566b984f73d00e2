/* wire: numbers as bytes, written one after another, and read back from untrusted bytes.
 *
 * A varint is an unsigned number, seven bits a byte, lowest first (LEB128); a zigzag is a signed
 * one as a varint.
 */
#ifndef MALITOP_WIRE_H
#define MALITOP_WIRE_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

#define WIRE_VARINT_MAX 10 /* bytes */

static inline uint64_t wire_zigzag(int64_t n)
{
	return ((uint64_t)n << 1) ^ (uint64_t)(n >> 63);
}

static inline int64_t wire_unzigzag(uint64_t n)
{
	return (int64_t)(n >> 1) ^ -(int64_t)(n & 1);
}

/* Write a varint; p has room for WIRE_VARINT_MAX bytes. Returns the byte after it. */
static inline uint8_t *wire_put(uint8_t *p, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		*p++ = (uint8_t)(n | 0x80);
	*p++ = (uint8_t)n;
	return p;
}

/* Take a varint that wire_put wrote: its bytes are trusted. Returns the byte after it. */
static inline const uint8_t *wire_take(const uint8_t *p, uint64_t *n)
{
	uint64_t value = *p & 0x7f;

	for (unsigned shift = 7; *p++ >= 0x80; shift += 7)
		value |= (uint64_t)(*p & 0x7f) << shift;
	*n = value;
	return p;
}

void wire_varint(struct strbuf *out, uint64_t n);
void wire_signed(struct strbuf *out, int64_t n);      /* zigzag */
void wire_text(struct strbuf *out, struct span text); /* its length, then its bytes */

/* Numbers of fixed length, little-endian. */
static inline void wire_u32(uint8_t *p, uint32_t n)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (uint8_t)(n >> 8 * i);
}

static inline void wire_u64(uint8_t *p, uint64_t n)
{
	wire_u32(p, (uint32_t)n);
	wire_u32(p + 4, (uint32_t)(n >> 32));
}

static inline uint32_t wire_get_u32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t wire_get_u64(const uint8_t *p)
{
	return wire_get_u32(p) | (uint64_t)wire_get_u32(p + 4) << 32;
}

/* The bytes left to read. A read past the end or of a malformed number returns 0 and sets `bad`,
 * which stays set. */
struct wire {
	const uint8_t *p, *end;
	bool bad;
};

uint64_t wire_get(struct wire *in);       /* varint */
int64_t wire_get_signed(struct wire *in); /* zigzag */
/* A varint; one above `most` is bad. */
uint64_t wire_get_most(struct wire *in, uint64_t most);
struct span wire_get_text(struct wire *in);             /* points into what is read */
struct wire wire_get_part(struct wire *in, uint64_t n); /* the next n bytes, to be read separately */

#endif
