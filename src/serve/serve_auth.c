#include "serve/serve_http.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define FILE_BYTES 65536
#define SECRET_BYTES 512 /* all of them are compared, whatever is in them */
#define SCHEME_MIN_SECRET 8

/* What follows the scheme in the header. */
struct credential {
	const char *scheme;
	char secret[SECRET_BYTES];
};

struct serve_auth {
	struct credential *list;
	unsigned n, cap;
};

static bool add_line(struct serve_auth *auth, struct span line)
{
	struct span rest = line, scheme = span_word(&rest), secret = span_trim(rest);
	bool basic = span_is(scheme, "basic");
	struct credential *c;

	if (!line.n || line.p[0] == '#')
		return true;
	if (!basic && !span_is(scheme, "bearer"))
		return false;
	if (secret.n < SCHEME_MIN_SECRET || secret.n > SECRET_BYTES / 4 * 3 - 3 ||
	    (basic && !memchr(secret.p, ':', secret.n)))
		return false;
	GROW(auth->list, auth->n, auth->cap);
	c = &auth->list[auth->n++];
	*c = (struct credential){.scheme = basic ? "Basic" : "Bearer"};
	if (basic)
		base64_put(c->secret, secret);
	else
		memcpy(c->secret, secret.p, secret.n);
	return true;
}

static bool read_lines(struct serve_auth *auth, const char *path, struct err *err)
{
	AUTOFREE char *text = NULL;
	struct span rest;
	unsigned n = 0;
	size_t size;

	if (!file_read_secret(path, FILE_BYTES, &text, &size, err))
		return err_prefix(err, "--auth: ");
	for (rest = (struct span){text, size}; rest.n;) {
		n++;
		if (!add_line(auth, span_trim(span_until(&rest, '\n'))))
			return err_set(
				err, ERR_USAGE,
				"--auth: %s:%u: expected 'bearer TOKEN' or 'basic USER:PASSWORD', with %u to "
				"%u characters",
				path, n, SCHEME_MIN_SECRET, SECRET_BYTES / 4 * 3 - 3);
	}
	return auth->n ||
	       err_set(err, ERR_USAGE,
		       "--auth: %s: empty: expected lines 'bearer TOKEN' or 'basic USER:PASSWORD'", path);
}

struct serve_auth *serve_auth_new(const char *path, struct err *err)
{
	struct serve_auth *auth = xcalloc(1, sizeof(*auth));

	if (read_lines(auth, path, err))
		return auth;
	serve_auth_free(auth);
	return NULL;
}

void serve_auth_free(struct serve_auth *auth)
{
	if (!auth)
		return;
	if (auth->list)
		explicit_bzero(auth->list, auth->n * sizeof(*auth->list));
	free(auth->list);
	free(auth);
}

/* Compare all bytes; `volatile` keeps the compiler from leaving early. */
static unsigned count_differences(const char *a, const char *b)
{
	volatile unsigned char differences = 0;

	for (size_t i = 0; i < SECRET_BYTES; i++)
		differences = (unsigned char)(differences | (a[i] ^ b[i]));
	return differences;
}

bool serve_auth_allows(const struct serve_auth *auth, const char *header)
{
	char given[SECRET_BYTES] = {0};
	size_t scheme;
	bool allowed = false;

	if (!header)
		return false;
	scheme = strcspn(header, " ");
	for (const char *p = header + scheme + strspn(header + scheme, " "), *begin = p; *p; p++) {
		if (p - begin >= SECRET_BYTES)
			return false;
		given[p - begin] = *p;
	}
	for (unsigned i = 0; i < auth->n; i++) {
		const struct credential *c = &auth->list[i];
		bool same_scheme = strlen(c->scheme) == scheme && strncasecmp(c->scheme, header, scheme) == 0;

		allowed |= !count_differences(c->secret, given) && same_scheme;
	}
	return allowed;
}
