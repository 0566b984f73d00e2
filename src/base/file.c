#include "base/file.h"

#include "base/alloc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

struct file {
	int fd;
};

struct file *file_open(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* a pipe must not make us wait */
	struct file *file;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		err_set(err, errno, "%s: cannot open: %s", path, strerror(errno));
	else if (S_ISDIR(st.st_mode))
		err_set(err, EISDIR, "%s: is a directory: name a file in it", path);
	else if (!S_ISREG(st.st_mode))
		err_set(err, ESPIPE, "%s: is no regular file: copy what it gives into one", path);
	else {
		file = xmalloc(sizeof(*file));
		file->fd = fd;
		return file;
	}
	if (fd >= 0)
		close(fd);
	return NULL;
}

void file_close(struct file *file)
{
	if (file)
		close(file->fd);
	free(file);
}

ssize_t file_read_at(void *file, void *buf, size_t n, uint64_t at)
{
	size_t done = 0;
	ssize_t got;

	if (at > (uint64_t)INT64_MAX - n)
		return 0;
	do {
		got = pread(((struct file *)file)->fd, (char *)buf + done, n - done, (off_t)(at + done));
		if (got < 0 && errno != EINTR)
			return -1;
		done += got > 0 ? (size_t)got : 0;
	} while (got && done < n);
	return (ssize_t)done;
}

int64_t file_size(void *file)
{
	struct stat st;

	return fstat(((struct file *)file)->fd, &st) < 0 ? -1 : st.st_size;
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
