#include "backends/process/process_users.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PATH "etc/passwd"
#define TEXT_MAX (1 << 20) /* more than ten thousand users */

void process_users_fini(struct process_users *users)
{
	free(users->users);
	*users = (struct process_users){0};
}

/* "name:password:uid:..." */
static void take_line(struct process_users *users, struct span line)
{
	struct span name = span_until(&line, ':'), uid;
	char text[4 * PROCESS_USER];
	uint64_t number;

	span_until(&line, ':');
	uid = span_until(&line, ':');
	if (!name.n || !span_u64(uid, &number) || number > UINT32_MAX)
		return;
	snprintf(text, sizeof(text), "%.*s", SPAN_ARG(name));
	GROW(users->users, users->n, users->cap);
	users->users[users->n].uid = (uint32_t)number;
	str_printable(users->users[users->n++].name, PROCESS_USER, text);
}

static int by_uid(const void *a, const void *b)
{
	const struct process_user *x = a, *y = b;

	return (x->uid > y->uid) - (x->uid < y->uid);
}

static bool take_file(struct process_users *users, const struct sys *sys)
{
	AUTOFREE char *text = xmalloc(TEXT_MAX);
	ssize_t n = sys_read_file(sys, PATH, text, TEXT_MAX);
	struct span rest = {text, n > 0 ? (size_t)n : 0};

	while (n == TEXT_MAX - 1 && rest.n &&
	       rest.p[rest.n - 1] != '\n') /* a truncated line would be another user */
		rest.n--;
	while (rest.n)
		take_line(users, span_until(&rest, '\n'));
	if (users->n)
		qsort(users->users, users->n, sizeof(*users->users), by_uid);
	return n >= 0;
}

bool process_users_refresh(struct process_users *users, const struct sys *sys)
{
	int64_t changed_ns = 0, size = -1;
	struct stat st;

	if (sys->stat(sys, PATH, &st) == 0) {
		changed_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
		size = st.st_size;
	}
	if (changed_ns == users->changed_ns && size == users->size)
		return false;
	users->changed_ns = changed_ns;
	users->size = size;
	users->n = 0;
	if (size >= 0 && !take_file(users, sys))
		users->changed_ns = -1; /* read again next time */
	return true;
}

void process_users_name(const struct process_users *users, uint32_t uid, char name[PROCESS_USER])
{
	struct process_user key = {.uid = uid};
	const struct process_user *found =
		users->n ? bsearch(&key, users->users, users->n, sizeof(*users->users), by_uid) : NULL;

	if (found)
		memcpy(name, found->name, PROCESS_USER);
	else
		snprintf(name, PROCESS_USER, "%u", uid);
}
