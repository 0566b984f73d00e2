#include "backends/drm/drm_usage.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK_TRIES 20
#define LOCK_WAIT_MS 10

static bool read_text(const struct sys *sys, const char *path, char text[32])
{
	return path[0] && sys_read_file(sys, path, text, 32) > 0;
}

void drm_profiling_init(struct drm_profiling_switch *s, const struct sys *sys, const char *node, unsigned on)
{
	char path[SYSFS_PATH], text[32];

	*s = (struct drm_profiling_switch){.sys = sys, .on = on, .lock_fd = -1};
	snprintf(s->note, sizeof(s->note), "run/malitop-profiling-%.32s", node);
	snprintf(s->path, sizeof(s->path), "sys/class/drm/%.32s/device/profiling", node);
	errno = 0;
	if (read_text(sys, s->path, text) || errno != ENOENT)
		return;
	s->path[0] = 0;
	snprintf(path, sizeof(path), "sys/kernel/debug/dri/%.16s/profile",
		 node + strcspn(node, "0123456789"));
	if (read_text(sys, path, text))
		snprintf(s->path, sizeof(s->path), "%s", path);
}

/* A number, or the Y and N of debugfs. */
static bool read_value(const struct drm_profiling_switch *s, unsigned *value)
{
	char text[32];
	uint64_t v;

	if (!read_text(s->sys, s->path, text))
		return false;
	if (text[0] == 'Y' || text[0] == 'N') {
		*value = text[0] == 'Y';
		return true;
	}
	if (!span_u64(span_trim(span_of(text)), &v) || v > 255)
		return false;
	*value = (unsigned)v;
	return true;
}

enum drm_profiling drm_profiling_state(const struct drm_profiling_switch *s)
{
	unsigned value;

	if (!s->path[0])
		return DRM_PROFILING_ABSENT;
	if (!read_value(s, &value))
		return DRM_PROFILING_UNKNOWN;
	return (value & s->on) == s->on ? DRM_PROFILING_ON : DRM_PROFILING_OFF;
}

static bool write_file(const struct sys *sys, const char *path, int flags, const char *text)
{
	int fd = sys->open_at(sys, sys->root_fd, path, O_WRONLY | O_NOFOLLOW | flags, 0644), saved;
	ssize_t n = fd < 0 ? -1 : sys->write(sys, fd, text, strlen(text));

	saved = errno;
	if (fd >= 0)
		sys->close(sys, fd);
	errno = saved;
	return n == (ssize_t)strlen(text);
}

static bool write_value(const struct drm_profiling_switch *s, unsigned value)
{
	char text[16];

	snprintf(text, sizeof(text), "%u\n", value);
	return write_file(s->sys, s->path, 0, text);
}

/* "PID START BEFORE": the process, with its start, as another may get its number. */
static bool read_note(const struct drm_profiling_switch *s, uint64_t words[3])
{
	char text[96];
	struct span rest;

	if (sys_read_file(s->sys, s->note, text, sizeof(text)) <= 0)
		return false;
	rest = span_of(text);
	for (int i = 0; i < 3; i++)
		if (!span_u64(span_word(&rest), &words[i]))
			return false;
	return words[2] <= 255;
}

/* Since when the process runs: the time of its directory in proc. */
static bool read_start(const struct sys *sys, uint64_t pid, uint64_t *start)
{
	char path[48];
	struct stat st;

	snprintf(path, sizeof(path), "proc/%llu", (unsigned long long)pid);
	if (sys->stat(sys, path, &st) != 0)
		return false;
	*start = (uint64_t)st.st_ctim.tv_sec;
	return true;
}

/* One of a version without locks is known by its number. */
static bool is_wanted(const struct drm_profiling_switch *s, const uint64_t words[3])
{
	int fd = s->sys->open(s->sys, s->path, O_RDONLY);
	bool locked = fd >= 0 && sys_is_locked(fd);
	uint64_t start;

	if (fd >= 0)
		s->sys->close(s->sys, fd);
	return locked || (read_start(s->sys, words[0], &start) && start == words[1]);
}

bool drm_profiling_left_on(const struct drm_profiling_switch *s, unsigned *before)
{
	uint64_t words[3];

	if (!read_note(s, words) || drm_profiling_state(s) != DRM_PROFILING_ON)
		return false;
	*before = (unsigned)words[2];
	return !is_wanted(s, words);
}

/* One that puts back the old value excludes others for a moment. */
static bool share_lock(struct drm_profiling_switch *s)
{
	if (s->lock_fd < 0)
		s->lock_fd = s->sys->open(s->sys, s->path, O_RDWR);
	for (unsigned i = 0; s->lock_fd >= 0 && i < LOCK_TRIES && !sys_lock(s->lock_fd, SYS_LOCK_SHARED); i++)
		s->sys->poll(s->sys, NULL, 0, LOCK_WAIT_MS);
	return s->lock_fd >= 0;
}

static bool write_note(const struct drm_profiling_switch *s, unsigned before)
{
	uint64_t start = 0;
	char text[96];

	read_start(s->sys, (uint64_t)getpid(), &start);
	snprintf(text, sizeof(text), "%ld %llu %u\n", (long)getpid(), (unsigned long long)start, before);
	s->sys->unlink_at(s->sys, s->sys->root_fd, s->note);
	return write_file(s->sys, s->note, O_CREAT | O_EXCL, text);
}

static void drop_lock(struct drm_profiling_switch *s)
{
	if (s->lock_fd >= 0)
		s->sys->close(s->sys, take_fd(&s->lock_fd));
}

bool drm_profiling_set(struct drm_profiling_switch *s)
{
	bool locked = s->path[0] && share_lock(s), ok;
	int saved = s->path[0] ? errno : ENOENT;
	unsigned before;

	ok = read_value(s, &before);
	if (ok && (before & s->on) == s->on)
		return true; /* with a note of another one: the last one puts back what it says */
	ok = ok && locked && write_note(s, before) && write_value(s, s->on);
	if (ok)
		return true;
	saved = locked ? errno : saved;
	if (locked)
		s->sys->unlink_at(s->sys, s->sys->root_fd, s->note);
	drop_lock(s);
	return errno = saved, false;
}

/* Of two that end at once, both give up their share before either tries to have the lock alone, so
 * one of them gets it. */
void drm_profiling_restore(struct drm_profiling_switch *s)
{
	uint64_t words[3];
	unsigned now;

	if (s->lock_fd < 0)
		return;
	if (sys_lock(s->lock_fd, SYS_LOCK_NONE) && sys_lock(s->lock_fd, SYS_LOCK_ONLY) &&
	    read_note(s, words)) {
		if (read_value(s, &now) && now == s->on)
			write_value(s, (unsigned)words[2]);
		s->sys->unlink_at(s->sys, s->sys->root_fd, s->note);
	}
	drop_lock(s);
}
