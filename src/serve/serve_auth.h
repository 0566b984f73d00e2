/* serve_auth: who may read: the bearer tokens and passwords of a file.
 *
 * A line of the file is "bearer TOKEN" or "basic USER:PASSWORD"; empty lines and lines that begin
 * with # are ignored.
 */
#ifndef MALITOP_SERVE_AUTH_H
#define MALITOP_SERVE_AUTH_H

#include "base/err.h"

#include <stdbool.h>

struct serve_auth;

/* NULL if the file cannot be read, is not a secret (file_read_secret), or has no valid line. */
struct serve_auth *serve_auth_new(const char *path, struct err *err);
void serve_auth_free(struct serve_auth *auth);
/* Whether this is the value of an Authorization header that may read; NULL: there was none. The
 * time it takes does not depend on how much of a secret was right. */
bool serve_auth_allows(const struct serve_auth *auth, const char *header);

#endif
