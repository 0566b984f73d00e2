/* proto: messages of Protocol Buffers, appended to a buffer field by field. */
#ifndef MALITOP_PROTO_H
#define MALITOP_PROTO_H

#include "base/str.h"

void proto_uint(struct strbuf *out, unsigned field, uint64_t value); /* not sint or fixed */
void proto_double(struct strbuf *out, unsigned field, double value);
void proto_text(struct strbuf *out, unsigned field, const char *text); /* UTF-8 */

/* Write a message as a field: it holds everything written before proto_end, which takes the value
 * that proto_begin returned. Nests. */
size_t proto_begin(struct strbuf *out, unsigned field);
void proto_end(struct strbuf *out, size_t begin);

#endif
