/* serve_gzip: pages as small as the reader asks for. Thread: one at a time. */
#ifndef MALITOP_SERVE_GZIP_H
#define MALITOP_SERVE_GZIP_H

#include "base/str.h"

/* Whether the header Accept-Encoding (NULL: there is none) asks for gzip. */
bool serve_gzip_asked(const char *accept);
/* Replace *out with the page as gzip. false: there is no zlib, or no memory. */
bool serve_gzip(const struct strbuf *page, struct strbuf *out);

#endif
