/* serve_http: an HTTP server over libmicrohttpd, without threads of its own.
 *
 * A client has SERVE_REQUEST_NS for each request, from its first byte (or the connection) to the
 * end of the answer; then the connection is closed. When most of the SERVE_CLIENTS connections are
 * taken, a new one closes the oldest, of those that had an answer if there are any. A request
 * header has at most SERVE_HEADER_BYTES. So no client can keep another one out.
 *
 * Thread: the main one.
 */
#ifndef MALITOP_SERVE_HTTP_H
#define MALITOP_SERVE_HTTP_H

#include "base/err.h"
#include "base/str.h"
#include "base/sys.h"
#include "export/openmetrics.h"

#define SERVE_CLIENTS 128
#define SERVE_REQUEST_NS 20000000000ll
#define SERVE_HEADER_BYTES 16384

struct serve_http_options {
	const char *listen;     /* "127.0.0.1:9821", "[::1]:0" */
	const char *cert, *key; /* files in PEM; NULL: no TLS */
	const char *auth;       /* see serve_auth_new; NULL: everybody may read */
	bool insecure;          /* also without TLS and auth */
	/* Append the page of /metrics. */
	void (*print)(void *ctx, enum openmetrics_form form, struct strbuf *out);
	/* Append the front page, HTML; false: there is none now. */
	bool (*report)(void *ctx, struct strbuf *out);
	void *ctx;
};

struct serve_http;

/* Listen. NULL on failure: an address that cannot be used, or one that others reach without TLS or
 * auth. */
struct serve_http *serve_http_new(const struct sys *sys, const struct serve_http_options *options,
				  struct err *err);
void serve_http_free(struct serve_http *http);
/* "http://127.0.0.1:9821", with the true port. */
const char *serve_http_url(const struct serve_http *http);
/* Readable when serve_http_turn has work. */
int serve_http_fd(const struct serve_http *http);
/* Accept, read, answer and close what can be without waiting. Returns after how many ms it must be
 * called again, at most 1000. */
int serve_http_turn(struct serve_http *http);

/* Choose the form of the page by the Accept header; NULL: there was none. */
enum openmetrics_form serve_http_form(const char *accept);
/* Whether the header Accept-Encoding (NULL: there is none) asks for gzip. */
bool serve_gzip_asked(const char *accept);
/* Replace *out with the page as gzip. false: there is no zlib, or no memory. */
bool serve_gzip(const struct strbuf *page, struct strbuf *out);

/* serve_auth: who may read: the bearer tokens and passwords of a file.
 *
 * A line of the file is "bearer TOKEN" or "basic USER:PASSWORD"; empty lines and lines that begin
 * with # are ignored.
 */

struct serve_auth;

/* NULL if the file cannot be read, is not a secret (file_read_secret), or has no valid line. */
struct serve_auth *serve_auth_new(const char *path, struct err *err);
void serve_auth_free(struct serve_auth *auth);
/* Whether this is the value of an Authorization header that may read; NULL: there was none. The
 * time it takes does not depend on how much of a secret was right. */
bool serve_auth_allows(const struct serve_auth *auth, const char *header);

#endif
