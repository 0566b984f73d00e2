/* sysfs: small files of /sys and /proc that are read again and again.
 *
 * Thread: one at a time for a file; `path` is constant after init, so any may read that.
 */
#ifndef MALITOP_SYSFS_H
#define MALITOP_SYSFS_H

#include "base/str.h"
#include "base/sys.h"

#define SYSFS_PATH 192
#define SYSFS_DIR 96

struct sysfs_file {
	int fd;    /* -1: not open now */
	bool keep; /* open between reads */
	char path[SYSFS_PATH];
};

/* Opens nothing yet. A path that is too long is none. */
void sysfs_file_init(struct sysfs_file *file, bool keep, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* As sys_reread. Opens the file where it is not open, and closes one whose device went away. */
ssize_t sysfs_file_read(const struct sys *sys, struct sysfs_file *file, char *buf, size_t size);
void sysfs_file_close(const struct sys *sys, struct sysfs_file *file);

/* Thousandths of a degree, as a thermal zone tells them. false for what is no temperature. */
bool sysfs_temperature(int64_t *millicelsius, const char *text);

/* Where the devfreq of the GPU /dev/mali<number> is, among those of memory controllers and others: what hangs at its own device;
 * else, for number 0, by name, if one alone has such a name. false, and dir is left as it is, where there is none. */
bool sysfs_find_gpu(const struct sys *sys, unsigned number, char dir[SYSFS_DIR]);

#endif
