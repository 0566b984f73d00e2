/* disk: the real files, on a disk that is slow, full or broken when the test says so. */
#ifndef DISK_H
#define DISK_H

#include "base/sys.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/types.h>
#include <time.h>

enum disk_call {
	DISK_OPEN = 1 << 0,
	DISK_FSTAT = 1 << 1,
	DISK_WRITE = 1 << 2,
	DISK_TRUNCATE = 1 << 3,
	DISK_SYNC = 1 << 4, /* fsync and fdatasync */
	DISK_UNLINK = 1 << 5,
	DISK_CLOSE = 1 << 6,
	DISK_ANY = (1 << 7) - 1,
};

struct disk {
	struct sys sys; /* hand this in */
	struct sys real;
	pthread_mutex_t lock; /* for what follows; the calls take it */
	pthread_cond_t freed;
	bool stuck;            /* writes wait until it is not any more: disk_set_stuck */
	unsigned fail, at;     /* the at-th of these calls fails, 1: the next one; 0: none */
	unsigned times;        /* and this many calls after it */
	int code;              /* with that */
	int64_t room;          /* bytes that fit on it; -1: any number */
	size_t piece;          /* bytes that a write takes at most; 0: any number */
	unsigned files, syncs; /* open; so far */
	int64_t ahead_ns;      /* of the wall clock */
	int64_t slept_ns;      /* what CLOCK_BOOTTIME has more than CLOCK_MONOTONIC */
};

static inline struct disk *disk_of(const struct sys *sys)
{
	return sys->ctx;
}

/* true: this call fails, with errno. */
static inline bool disk_fails(const struct sys *sys, enum disk_call call)
{
	struct disk *d = disk_of(sys);
	bool fails;

	pthread_mutex_lock(&d->lock);
	d->syncs += call == DISK_SYNC;
	fails = d->fail & call && d->at && --d->at == 0;
	if (fails && d->times) {
		d->times--;
		d->at = 1;
	}
	pthread_mutex_unlock(&d->lock);
	if (fails)
		errno = d->code;
	return fails;
}

static inline void disk_count(struct disk *d, int files)
{
	pthread_mutex_lock(&d->lock);
	d->files += (unsigned)files;
	pthread_mutex_unlock(&d->lock);
}

static inline int disk_open_at(const struct sys *sys, int dir_fd, const char *path, int flags, mode_t mode)
{
	int fd = disk_fails(sys, DISK_OPEN) ? -1 : disk_of(sys)->real.open_at(sys, dir_fd, path, flags, mode);

	disk_count(disk_of(sys), fd >= 0);
	return fd;
}

static inline int disk_close(const struct sys *sys, int fd)
{
	bool fails = disk_fails(sys, DISK_CLOSE);
	int code = errno;

	disk_count(disk_of(sys), -1);
	disk_of(sys)->real.close(sys, fd); /* the file is closed in any case */
	errno = code;
	return fails ? -1 : 0;
}

static inline int disk_fstat(const struct sys *sys, int fd, struct stat *st)
{
	return disk_fails(sys, DISK_FSTAT) ? -1 : disk_of(sys)->real.fstat(sys, fd, st);
}

/* How much of n bytes it takes; 0: it is full. */
static inline size_t disk_take(struct disk *d, size_t n)
{
	pthread_mutex_lock(&d->lock);
	while (d->stuck)
		pthread_cond_wait(&d->freed, &d->lock);
	if (d->piece && n > d->piece)
		n = d->piece;
	if (d->room >= 0 && n > (size_t)d->room)
		n = (size_t)d->room;
	if (d->room >= 0)
		d->room -= (int64_t)n;
	pthread_mutex_unlock(&d->lock);
	return n;
}

static inline void disk_set_stuck(struct disk *d, bool stuck)
{
	pthread_mutex_lock(&d->lock);
	d->stuck = stuck;
	pthread_cond_broadcast(&d->freed);
	pthread_mutex_unlock(&d->lock);
}

static inline ssize_t disk_write(const struct sys *sys, int fd, const void *buf, size_t n)
{
	if (disk_fails(sys, DISK_WRITE))
		return -1;
	n = disk_take(disk_of(sys), n);
	if (n)
		return disk_of(sys)->real.write(sys, fd, buf, n);
	errno = ENOSPC;
	return -1;
}

static inline int disk_ftruncate(const struct sys *sys, int fd, off_t n)
{
	return disk_fails(sys, DISK_TRUNCATE) ? -1 : disk_of(sys)->real.ftruncate(sys, fd, n);
}

static inline int disk_fsync(const struct sys *sys, int fd)
{
	(void)fd;
	return disk_fails(sys, DISK_SYNC) ? -1 : 0;
}

static inline ssize_t disk_read_link(const struct sys *sys, int fd, char *buf, size_t n)
{
	return disk_fails(sys, DISK_OPEN) ? -1 : disk_of(sys)->real.read_link(sys, fd, buf, n);
}

static inline int disk_unlink_at(const struct sys *sys, int dir_fd, const char *path)
{
	return disk_fails(sys, DISK_UNLINK) ? -1 : disk_of(sys)->real.unlink_at(sys, dir_fd, path);
}

static inline int64_t disk_realtime_ns(const struct sys *sys)
{
	struct disk *d = disk_of(sys);
	int64_t ahead_ns;

	pthread_mutex_lock(&d->lock);
	ahead_ns = d->ahead_ns;
	pthread_mutex_unlock(&d->lock);
	return d->real.realtime_ns(sys) + ahead_ns;
}

static inline int64_t disk_boottime_ns(const struct sys *sys)
{
	struct disk *d = disk_of(sys);
	int64_t slept_ns;

	pthread_mutex_lock(&d->lock);
	slept_ns = d->slept_ns;
	pthread_mutex_unlock(&d->lock);
	return d->real.monotonic_ns(sys) + slept_ns;
}

static inline void disk_init(struct disk *d)
{
	struct err err;

	*d = (struct disk){.room = -1};
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->freed, NULL);
	if (!sys_init(&d->real, NULL, &err))
		abort();
	d->sys = d->real;
	d->sys.ctx = d;
	d->sys.open_at = disk_open_at;
	d->sys.close = disk_close;
	d->sys.fstat = disk_fstat;
	d->sys.write = disk_write;
	d->sys.ftruncate = disk_ftruncate;
	d->sys.fsync = disk_fsync;
	d->sys.fdatasync = disk_fsync;
	d->sys.read_link = disk_read_link;
	d->sys.unlink_at = disk_unlink_at;
	d->sys.realtime_ns = disk_realtime_ns;
	d->sys.boottime_ns = disk_boottime_ns;
}

static inline void disk_fini(struct disk *d)
{
	sys_fini(&d->real);
	pthread_cond_destroy(&d->freed);
	pthread_mutex_destroy(&d->lock);
}

#endif
