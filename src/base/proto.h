/* proto: messages of Protocol Buffers, written field by field behind what is in a buffer. */
#ifndef MALITOP_PROTO_H
#define MALITOP_PROTO_H

#include "base/str.h"

void proto_uint(struct strbuf *out, unsigned field, uint64_t value); /* any integer but sint and fixed, bool, enum */
void proto_double(struct strbuf *out, unsigned field, double value);
void proto_text(struct strbuf *out, unsigned field, const char *text); /* UTF-8 */

/* A message as a field: everything that is written up to proto_end, which takes what proto_begin returned. Nests. */
size_t proto_begin(struct strbuf *out, unsigned field);
void proto_end(struct strbuf *out, size_t begin);

#endif
