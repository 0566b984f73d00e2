#include "base/file.h"

#include "base/alloc.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool file_read(const char *path, size_t max, char **text, size_t *n, struct err *err)
{
	FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	struct strbuf all = {0};
	char chunk[8192];
	size_t got = 0;
	bool ok;

	if (!f)
		return err_set(err, errno, "%s: cannot open: %s", path, strerror(errno));
	strbuf_str(&all, "");
	while (all.n <= max && (got = fread(chunk, 1, sizeof(chunk), f)) > 0)
		strbuf_add(&all, chunk, got);
	ok = !ferror(f);
	if (!ok)
		err_set(err, errno, "%s: cannot read: %s", path, strerror(errno));
	else if (all.n > max)
		ok = err_set(err, 0, "%s: larger than %zu bytes: is it the right file?", path, max);
	if (f != stdin)
		fclose(f);
	if (!ok) {
		strbuf_fini(&all);
		return false;
	}
	*text = all.p;
	*n = all.n;
	return true;
}

static int not_hidden(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int file_list(const char *dir, char ***names)
{
	struct dirent **entries;
	int n = scandir(dir, &entries, not_hidden, alphasort);

	if (n < 0)
		return -1;
	*names = xcalloc((size_t)n, sizeof(**names));
	for (int i = 0; i < n; i++) {
		(*names)[i] = xstrdup(entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return n;
}
