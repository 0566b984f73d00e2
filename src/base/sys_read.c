#include "base/str.h"
#include "base/sys.h"

#include <errno.h>
#include <fcntl.h>

ssize_t sys_read_file(const struct sys *sys, const char *path, char *buf, size_t size)
{
	int fd = sys->open(sys, path, O_RDONLY), saved;
	size_t n = 0;
	ssize_t got;

	buf[0] = 0;
	if (fd < 0)
		return -1;
	/* The kernel returns files of many records (proc/cpuinfo) in pieces. */
	do {
		got = sys->pread(sys, fd, buf + n, size - 1 - n, (off_t)n);
		if (got > 0)
			n += (size_t)got;
	} while (n < size - 1 && (got > 0 || (got < 0 && errno == EINTR)));
	saved = errno;
	sys->close(sys, fd);
	errno = saved;
	buf[got < 0 ? 0 : n] = 0;
	return got < 0 ? -1 : (ssize_t)n;
}

/* One pread is enough: files that are read repeatedly (proc/stat, one value in sysfs) arrive
 * complete, and a read at an offset would make the kernel format the same text a second time. */
ssize_t sys_reread(const struct sys *sys, int fd, char *buf, size_t size)
{
	ssize_t got;

	do
		got = sys->pread(sys, fd, buf, size - 1, 0);
	while (got < 0 && errno == EINTR);
	buf[got < 0 ? 0 : got] = 0;
	return got;
}

bool sys_read_i64(const struct sys *sys, const char *path, int64_t *value)
{
	char buf[64];
	ssize_t n = sys_read_file(sys, path, buf, sizeof(buf));
	bool complete = n >= 0 && n < (ssize_t)sizeof(buf) - 1; /* a truncated number would be wrong */
	struct span text = span_trim((struct span){buf, complete ? (size_t)n : 0});
	bool minus = text.n && text.p[0] == '-', plus = text.n && text.p[0] == '+';
	uint64_t v;

	if (minus || plus) {
		text.p++;
		text.n--;
	}
	if (!span_u64(text, &v) || v > (uint64_t)INT64_MAX + minus)
		return false;
	*value = minus ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}
