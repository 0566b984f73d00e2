/* What a reader accepts: forms of the page, gzip. */
#include "serve/serve_http.h"

#include "config.h"

#include "base/alloc.h"

#include <string.h>

/* The quality that the parameters of a choice give (";q=0.5"), else 1. */
static double quality_of(struct span parameters)
{
	double q = 1;

	while (parameters.n) {
		struct span one = span_trim(span_until(&parameters, ';'));

		if (one.n > 2 && (one.p[0] == 'q' || one.p[0] == 'Q') && one.p[1] == '=' &&
		    !span_double((struct span){one.p + 2, one.n - 2}, &q))
			q = 0;
	}
	return q;
}

/* Whether the range of OpenMetrics has a version that we write: 1.0.0, or none is named. */
static bool is_our_version(struct span parameters)
{
	while (parameters.n) {
		struct span one = span_trim(span_until(&parameters, ';'));

		if (one.n > 8 && memcmp(one.p, "version=", 8) == 0 && !span_is(one, "version=1.0.0"))
			return false;
	}
	return true;
}

enum openmetrics_form serve_http_form(const char *accept)
{
	static const char *const classic_ranges[] = {"text/plain", "text/*", "*/*"};
	struct span rest = span_of(accept);
	double open = 0, classic = 0;

	while (rest.n) {
		struct span parameters = span_until(&rest, ','),
			    type = span_trim(span_until(&parameters, ';'));
		double q = quality_of(parameters);

		if (span_is(type, "application/openmetrics-text") && is_our_version(parameters) && q > open)
			open = q;
		for (size_t i = 0; i < ARRAY_LEN(classic_ranges); i++)
			if (span_is(type, classic_ranges[i]) && q > classic)
				classic = q;
	}
	return open > 0 && open >= classic ? OPENMETRICS_1_0 : OPENMETRICS_CLASSIC;
}

/* ---- gzip ---- */

bool serve_gzip_asked(const char *accept)
{
	struct span rest = span_of(accept ? accept : "");

	while (rest.n) {
		struct span parameters = span_until(&rest, ','),
			    coding = span_trim(span_until(&parameters, ';'));

		if (span_is(coding, "gzip") || span_is(coding, "*"))
			return quality_of(parameters) > 0;
	}
	return false;
}

#ifdef WITH_ZLIB

#include <dlfcn.h>
#include <string.h>
#include <zlib.h>

#define WINDOW_BITS (12 + 16) /* of gzip; with this window and memory: 32 KiB while it runs */
#define MEMORY_LEVEL 5

#define ZLIB_CALLS(CALL) CALL(deflateInit2_) CALL(deflateBound) CALL(deflate) CALL(deflateEnd)
#define ZLIB_MEMBER(name) __typeof__(&name) name;
static struct {
	ZLIB_CALLS(ZLIB_MEMBER)
} z;

static bool load_zlib(void)
{
#ifdef ZLIB_SONAME
#define ZLIB_LOAD(name) (z.name = (__typeof__(z.name))(uintptr_t)dlsym(library, #name)) &&
	void *library = z.deflate ? NULL : dlopen(ZLIB_SONAME, RTLD_NOW | RTLD_LOCAL); /* stays */

	return z.deflate || (library && ZLIB_CALLS(ZLIB_LOAD) true);
#else
#define ZLIB_TAKE(name) z.name = name;
	ZLIB_CALLS(ZLIB_TAKE)
	return true;
#endif
}

bool serve_gzip(const struct strbuf *page, struct strbuf *out)
{
	z_stream stream = {.next_in = (Bytef *)(uintptr_t)page->p, .avail_in = (uInt)page->n};
	bool ok;

	strbuf_clear(out);
	if (page->n > UINT32_MAX || !load_zlib() ||
	    z.deflateInit2_(&stream, Z_BEST_SPEED, Z_DEFLATED, WINDOW_BITS, MEMORY_LEVEL, Z_DEFAULT_STRATEGY,
			    ZLIB_VERSION, (int)sizeof(stream)) != Z_OK)
		return false;
	stream.avail_out = (uInt)z.deflateBound(&stream, page->n);
	stream.next_out = (Bytef *)strbuf_more(out, stream.avail_out);
	ok = z.deflate(&stream, Z_FINISH) == Z_STREAM_END;
	out->n = ok ? stream.total_out : 0;
	z.deflateEnd(&stream);
	return ok;
}

#else

bool serve_gzip(const struct strbuf *page, struct strbuf *out)
{
	(void)page, (void)out;
	return false;
}

#endif
