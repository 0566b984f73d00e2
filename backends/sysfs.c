#include "backends/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void sysfs_file_init(struct sysfs_file *file, bool keep, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(file->path, sizeof(file->path), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(file->path))
		file->path[0] = 0; /* a truncated path could name a different file */
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
	/* A removed device returns ENODEV forever, even if its name has come back. */
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
	/* Disabled sensors report absolute zero; -40000 of a badly calibrated one is still real; no
	 * chip works above 250 degrees. */
	if (!span_u64(s, &v) || v > (minus ? 100000u : 250000u))
		return false;
	*millicelsius = minus ? -(int64_t)v : (int64_t)v;
	return true;
}

static bool is_gpu(const char *name)
{
	static const char *const ends[] = {"gpu", "gpufreq", ".gpu", ".mali", ".g3d"};
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (strcmp(dot ? dot : name, ends[i]) == 0)
			return true;
	return false;
}

bool sysfs_find_gpu(const struct sys *sys, const char *device, bool first, char dir[SYSFS_DIR])
{
	int n, found = 0, count = 0;
	char path[SYSFS_PATH], **names;
	bool own;

	snprintf(path, sizeof(path), "%s/devfreq", device);
	n = sys->list(sys, path, &names);
	own = n > 0 || !first;
	if (!own)
		n = sys->list(sys, "sys/class/devfreq", &names);
	for (int i = 0; i < n; i++)
		if (own || is_gpu(names[i])) {
			found = i;
			count++;
		}
	if (count == 1)
		snprintf(dir, SYSFS_DIR, "sys/class/devfreq/%.64s", names[found]);
	sys_names_free(names, n);
	return count == 1;
}
