#include "backends/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>

void sysfs_file_init(struct sysfs_file *file, bool keep, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(file->path, sizeof(file->path), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(file->path))
		file->path[0] = 0; /* cut it would name another file */
	file->keep = keep;
	file->fd = -1;
}

void sysfs_file_close(const struct sys *sys, struct sysfs_file *file)
{
	if (file->fd >= 0)
		sys->close(sys, file->fd);
	file->fd = -1;
}

ssize_t sysfs_file_read(const struct sys *sys, struct sysfs_file *file, char *buf, size_t size)
{
	ssize_t n;

	buf[0] = 0;
	if (file->fd < 0 && file->path[0])
		file->fd = sys->open(sys, file->path, O_RDONLY);
	if (file->fd < 0)
		return -1;
	n = sys_reread(sys, file->fd, buf, size);
	/* A device that was removed answers ENODEV for ever, also when one of the same name has come back. */
	if (!file->keep || (n < 0 && errno == ENODEV))
		sysfs_file_close(sys, file);
	return n;
}

bool sysfs_temperature(int64_t *millicelsius, const char *text)
{
	struct span s = span_trim(span_of(text));
	bool minus = s.n && s.p[0] == '-';
	uint64_t v;

	if (minus) {
		s.p++;
		s.n--;
	}
	/* Sensors that are off report absolute zero, -40000 of a bad calibration is still real; above 250 nothing computes. */
	if (!span_u64(s, &v) || v > (minus ? 100000u : 250000u))
		return false;
	*millicelsius = minus ? -(int64_t)v : (int64_t)v;
	return true;
}
