/* sysfs: small files of /sys and /proc that are read repeatedly.
 * Thread: one at a time for a file; any for its `path`, which is constant after init. */
#ifndef MALITOP_SYSFS_H
#define MALITOP_SYSFS_H

#include "base/str.h"
#include "base/sys.h"

#include <sys/types.h>

#define SYSFS_PATH 192
#define SYSFS_DIR 96

struct sysfs_file {
	int fd;    /* -1: not open now */
	bool keep; /* open between reads */
	char path[SYSFS_PATH];
};

/* Opens nothing yet. A path that is too long becomes "". */
void sysfs_file_init(struct sysfs_file *file, bool keep, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Like sys_reread. Opens the file if necessary, and closes it if its device was removed. */
ssize_t sysfs_file_read(const struct sys *sys, struct sysfs_file *file, char *buf, size_t size);
void sysfs_file_close(const struct sys *sys, struct sysfs_file *file);

/* Thousandths of a degree, as in a thermal zone. Returns false if it is not a temperature. */
bool sysfs_temperature(int64_t *millicelsius, const char *text);

/* Find the devfreq directory of a GPU among those of memory controllers and other devices: the one
 * under its `device` directory in sysfs; otherwise, if it is the machine's `first` GPU, the only
 * one with such a name. Returns false, and does not change dir, if there is none. */
bool sysfs_find_gpu(const struct sys *sys, const char *device, bool first, char dir[SYSFS_DIR]);

#endif
