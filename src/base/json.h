/* json: values of JSON as text. Thread: any. */
#ifndef MALITOP_JSON_H
#define MALITOP_JSON_H

#include "base/str.h"

/* Add a string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void json_string(struct strbuf *out, const char *text);
/* Add a number, or null for NaN and infinity. */
void json_number(struct strbuf *out, double value);
/* Add a format (put.h): %s is a string, or null for json_null; %g is a number or null. */
extern const char json_null[];
void json_put(struct strbuf *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
