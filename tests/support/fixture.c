#include "tests/support/fixture.h"
#include "tests/support/test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH 512

static int fake_open(const struct sys *sys, const char *path, int flags)
{
	struct fixture *f = sys->ctx;
	int fd = f->real_open(sys, path, flags);

	f->opens++;
	if (fd >= 0 && fd < 512)
		snprintf(f->paths[fd], sizeof(f->paths[fd]), "%s", path);
	return fd;
}

static ssize_t fake_pread(const struct sys *sys, int fd, void *buf, size_t n, off_t at)
{
	struct fixture *f = sys->ctx;

	if (f->broken && fd >= 0 && fd < 512 && strstr(f->paths[fd], f->broken)) {
		errno = f->broken_errno;
		return -1;
	}
	return f->real_pread(sys, fd, buf, n, at);
}

static int64_t fake_monotonic(const struct sys *sys)
{
	const struct fixture *f = sys->ctx;

	return f->monotonic_ns;
}

static int64_t fake_boottime(const struct sys *sys)
{
	const struct fixture *f = sys->ctx;

	return f->monotonic_ns + f->suspended_ns;
}

/* A captured tree has no kernel that counts. */
static int no_perf(const struct sys *sys, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		   unsigned long flags)
{
	(void)sys, (void)attr, (void)pid, (void)cpu, (void)group_fd, (void)flags;
	return errno = ENOSYS, -1;
}

static void copy_file(const char *from, const char *to)
{
	char text[8192];
	int in = open(from, O_RDONLY | O_CLOEXEC),
	    out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	ssize_t n;

	assert_true(in >= 0 && out >= 0);
	while ((n = read(in, text, sizeof(text))) > 0)
		assert_int_equal(write(out, text, (size_t)n), n);
	assert_int_equal(n, 0);
	close(in);
	close(out);
}

/* Directories may be there already; "next" at the top is another state, not part of this one. */
static void copy_tree(const char *from, const char *to, int depth)
{
	DIR *dir = opendir(from);
	struct dirent *entry;

	assert_non_null(dir);
	assert_true(depth < 16);
	mkdir(to, 0755);
	while ((entry = readdir(dir))) {
		char source[PATH], target[PATH];
		struct stat st;

		if (entry->d_name[0] == '.' || (depth == 0 && strcmp(entry->d_name, "next") == 0))
			continue;
		assert_true(snprintf(source, PATH, "%s/%s", from, entry->d_name) < PATH);
		assert_true(snprintf(target, PATH, "%s/%s", to, entry->d_name) < PATH);
		assert_int_equal(stat(source, &st), 0);
		if (S_ISDIR(st.st_mode))
			copy_tree(source, target, depth + 1);
		else
			copy_file(source, target);
	}
	closedir(dir);
}

static void source_path(char path[PATH], const char *board, const char *state)
{
	const char *srcdir = getenv("srcdir");

	assert_true(snprintf(path, PATH, "%s/tests/fixtures/%s%s", srcdir ? srcdir : ".", board, state) <
		    PATH);
}

static struct gpudb *db;

static void free_db(void)
{
	gpudb_free(db);
}

const struct gpudb *fixture_db(void)
{
	struct err err;

	if (!db) {
		db = gpudb_load(NULL, 0, &err);
		assert_non_null(db);
		atexit(free_db);
	}
	return db;
}

void scratch_directory(char path[SCRATCH_PATH])
{
	snprintf(path, SCRATCH_PATH, "%s/malitop-test-XXXXXX",
		 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	assert_non_null(mkdtemp(path));
}

void fixture_init(struct fixture *f, const char *board)
{
	char path[PATH];
	struct err err;

	memset(f, 0, sizeof(*f));
	scratch_directory(f->root);
	if (board) {
		source_path(path, board, "");
		copy_tree(path, f->root, 0);
	}
	assert_true(sys_init(&f->sys, f->root, &err));
	f->monotonic_ns = 1000000000000;
	f->real_open = f->sys.open;
	f->real_pread = f->sys.pread;
	f->sys.ctx = f;
	f->sys.open = fake_open;
	f->sys.pread = fake_pread;
	f->sys.monotonic_ns = fake_monotonic;
	f->sys.boottime_ns = fake_boottime;
	f->sys.perf_event_open = no_perf;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void fixture_fini(struct fixture *f)
{
	sys_fini(&f->sys);
	assert_int_equal(nftw(f->root, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

void fixture_write(struct fixture *f, const char *path, const char *text)
{
	char whole[PATH];
	int fd;

	assert_true(snprintf(whole, PATH, "%s/%s", f->root, path) < PATH);
	for (char *slash = whole + strlen(f->root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = 0;
		mkdir(whole, 0755);
		*slash = '/';
	}
	fd = open(whole, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

void fixture_remove(struct fixture *f, const char *path)
{
	char whole[PATH];

	assert_true(snprintf(whole, PATH, "%s/%s", f->root, path) < PATH);
	assert_int_equal(nftw(whole, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

void fixture_next(struct fixture *f, const char *board)
{
	char path[PATH];

	source_path(path, board, "/next");
	copy_tree(path, f->root, 1);
}
