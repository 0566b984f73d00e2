#include "record/log_file.h"
#include "base/alloc.h"
#include "base/file.h"
#include "tests/support/disk.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534
#define PIECE "0123456789\n" /* what is written whole or not at all */
#define PIECE_N (sizeof(PIECE) - 1)

struct log_file_bench {
	struct disk disk;
	char dir[32]; /* the test stands in it */
	int before;
};

FIXTURE(bench_init)
{
	struct log_file_bench *b = xcalloc(1, sizeof(*b));

	disk_init(&b->disk);
	strcpy(b->dir, "/tmp/malitop-test-XXXXXX");
	b->before = open(".", O_PATH | O_CLOEXEC);
	assert_non_null(mkdtemp(b->dir));
	assert_int_equal(chdir(b->dir), 0);
	*state = b;
	return 0;
}

FIXTURE(bench_fini)
{
	struct log_file_bench *b = *state;
	AUTOFREE char *remove = xasprintf("rm -rf %s", b->dir);

	assert_int_equal(fchdir(b->before), 0);
	close(b->before);
	assert_int_equal(system(remove), 0);
	assert_int_equal(b->disk.files, 0);
	disk_fini(&b->disk);
	free(b);
	return 0;
}

TEST_EACH(bench_init, bench_fini)

static const struct log_file_options plain, forced = {.force = true};

static struct log_file *open_log(struct log_file_bench *b, const char *path,
				 const struct log_file_options *options)
{
	struct err err;
	struct log_file *f = log_file_open(&b->disk.sys, path, options, &err);

	if (!f)
		fail_msg("%s", err.text);
	return f;
}

static bool put_row(struct log_file *f, struct err *err)
{
	return log_file_write(f, PIECE, PIECE_N, err);
}

static void assert_put(struct log_file *f, unsigned n)
{
	struct err err;

	for (unsigned i = 0; i < n; i++)
		if (!put_row(f, &err))
			fail_msg("%s", err.text);
}

static void assert_closed(struct log_file *f)
{
	struct err err;

	if (!log_file_close(f, &err))
		fail_msg("%s", err.text);
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' does not say '%s'", text, part);
}

/* Whole pieces in a file, and nothing else; -1: there is none. */
static int pieces(const char *path)
{
	struct err err;
	char *text;
	size_t n;

	if (!file_read(path, 1 << 20, &text, &n, &err))
		return -1;
	assert_int_equal(n % PIECE_N, 0);
	for (size_t at = 0; at < n; at += PIECE_N)
		assert_memory_equal(text + at, PIECE, PIECE_N);
	free(text);
	return (int)(n / PIECE_N);
}

static void make_file(const char *path, const char *text)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0644);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

/* ---- opening ---- */

TEST(a_new_file_has_mode_0644_less_umask)
{
	static const struct {
		mode_t umask, mode;
	} cases[] = {{0022, 0644}, {0, 0644}, {0027, 0640}, {0077, 0600}};
	struct log_file_bench *b = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		mode_t before = umask(cases[i].umask);
		struct log_file *f = open_log(b, "run.csv", &plain);
		struct stat st;

		umask(before);
		assert_int_equal(stat("run.csv", &st), 0);
		assert_int_equal(st.st_mode & 07777, cases[i].mode);
		assert_closed(f);
	}
}

static void make_fifo(const char *path)
{
	assert_int_equal(mkfifo(path, 0644), 0);
}

static void make_link(const char *path)
{
	make_file("precious", "precious\n");
	assert_int_equal(symlink("precious", path), 0);
}

static void make_dangling(const char *path)
{
	assert_int_equal(symlink("nowhere", path), 0);
}

static void make_second_name(const char *path)
{
	make_file("precious", "precious\n");
	assert_int_equal(link("precious", path), 0);
}

static void make_directory(const char *path)
{
	assert_int_equal(mkdir(path, 0755), 0);
}

static void make_socket(const char *path)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strcpy(name.sun_path, path);
	assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof(name)), 0);
	close(fd);
}

static void make_precious(const char *path)
{
	make_file(path, "precious\n");
}

/* What exists there, in a directory that is world-writable or not. */
static const struct log_refusal {
	void (*make)(const char *path);
	mode_t dir;
	bool force;
	const char *says; /* NULL: it is taken */
} refusals[] = {
	{make_precious, 0755, false, "log: d/run.csv: already exists: choose another name or use --force"},
	{make_precious, 0755, true, NULL},
	{make_precious, 01777, true, NULL},
	{make_link, 0755, false, "already exists"},
	{make_link, 0755, true, NULL},
	{make_link, 01777, false, "already exists"},
	{make_link, 01777, true,
	 "log: d/run.csv: a symbolic link in a world-writable directory: not followed"},
	{make_link, 0777, true, "a symbolic link"},
	{make_dangling, 0755, false, "already exists"},
	{make_dangling, 01777, false, "already exists"},
	{make_dangling, 01777, true, "a symbolic link"},
	{make_second_name, 0755, true, NULL},
	{make_second_name, 01777, true, "log: d/run.csv: not overwritten: in a world-writable directory"},
	{make_directory, 0755, false, "already exists"},
	{make_directory, 0755, true, "cannot create: Is a directory"},
	{make_fifo, 0755, false, "already exists"},
	{make_fifo, 0755, true, "log: d/run.csv: no reader has this pipe open: start the reader first"},
	{make_socket, 0755, true, "d/run.csv"},
};

TEST(what_stands_there_already_is_left_alone_where_it_should_be)
{
	struct log_file_bench *b = *state;

	for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
		const struct log_refusal *r = &refusals[i];
		struct log_file *f;
		struct err err = {.text = ""};

		assert_int_equal(mkdir("d", 0755) + chmod("d", r->dir) + chdir("d"), 0);
		r->make("run.csv");
		assert_int_equal(chdir(".."), 0);
		f = log_file_open(&b->disk.sys, "d/run.csv", &(struct log_file_options){.force = r->force},
				  &err);
		if ((f == NULL) != (r->says != NULL))
			fail_msg("case %zu: %s", i, err.text);
		if (r->says)
			assert_has(err.text, r->says);
		log_file_close(f, NULL);
		if (r->says && access("d/precious", F_OK) == 0) {
			struct stat st;

			assert_int_equal(stat("d/precious", &st), 0);
			assert_int_equal(st.st_size, 9);
		}
		assert_int_equal(system("rm -r d"), 0);
	}
}

TEST(what_was_there_is_emptied_by_force)
{
	struct log_file *f;

	make_file("run.csv", "more than a piece, which must not stay behind it\n");
	f = open_log(*state, "run.csv", &forced);
	assert_put(f, 1);
	assert_closed(f);
	assert_int_equal(pieces("run.csv"), 1);
}

/* Only the superuser can be two people. */
TEST(another_ones_file_is_not_taken_where_everybody_may_write)
{
	struct log_file_bench *b = *state;
	struct log_file *f;
	struct err err;

	if (geteuid() != 0)
		skip();
	assert_int_equal(chmod(".", 0755), 0);
	assert_int_equal(mkdir("d", 0755) + chmod("d", 01777), 0);
	assert_int_equal(seteuid(NOBODY), 0);
	make_file("d/run.csv", "planted\n");
	assert_int_equal(seteuid(0), 0);
	f = log_file_open(&b->disk.sys, "d/run.csv", &forced, &err);
	assert_null(f);
	assert_has(err.text, "owned by another user");
	assert_int_equal(mkdir("mine", 0755), 0);
	assert_int_equal(symlink("../mine", "d/link") + lchown("d/link", NOBODY, NOBODY), 0);
	f = log_file_open(&b->disk.sys, "d/link/run.csv", &forced, &err);
	assert_null(f);
	assert_has(err.text,
		   "log: d/link/run.csv: link: in a world-writable directory and owned by another user");
	assert_int_equal(seteuid(NOBODY), 0);
	f = log_file_open(&b->disk.sys, "mine/run.csv", &forced, &err);
	assert_int_equal(seteuid(0), 0);
	assert_null(f);
	assert_has(err.text, "log: mine/run.csv: cannot create: Permission denied");
}

TEST(a_name_that_cannot_be_is_an_error_and_leaves_nothing_behind)
{
	static const struct {
		const char *path, *says;
	} cases[] = {
		{"no/such/run.csv", "log: no/such/run.csv: cannot create: No such file or directory"},
		{"", "cannot create"},
		{"file/run.csv", "cannot create: Not a directory"},
		{"a\033[2Jb/run.csv", "log: a?[2Jb/run.csv: cannot create"},
	};
	struct log_file_bench *b = *state;
	struct err err;

	make_file("file", "");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_null(log_file_open(&b->disk.sys, cases[i].path, &forced, &err));
		assert_has(err.text, cases[i].says);
		assert_int_equal(b->disk.files, 0);
	}
}

TEST(a_pipe_is_written_to_as_it_is)
{
	struct log_file *f;
	char got[64];
	int fd;

	make_fifo("pipe");
	fd = open("pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	f = open_log(*state, "pipe", &forced);
	assert_put(f, 2);
	assert_int_equal(read(fd, got, sizeof(got)), 2 * PIECE_N);
	assert_memory_equal(got, PIECE PIECE, 2 * PIECE_N);
	assert_closed(f);
	close(fd);
}

TEST(a_file_that_nothing_came_into_is_removed)
{
	struct log_file *f = open_log(*state, "run.csv", &plain);

	assert_closed(f);
	assert_int_equal(access("run.csv", F_OK), -1);
	make_file("run.csv", "");
	assert_closed(open_log(*state, "run.csv", &forced));
	assert_int_equal(access("run.csv", F_OK), 0); /* which it did not create */
}

/* ---- writing ---- */

TEST(a_full_device_is_one_clear_message)
{
	struct log_file *f = open_log(*state, "/dev/full", &forced);
	struct err err;

	assert_false(put_row(f, &err));
	assert_int_equal(err.code, ENOSPC);
	assert_string_equal(
		err.text, "log: /dev/full: No space left on device: logging stopped after 0.0 MB; everything "
			  "up to there is intact");
	log_file_close(f, NULL);
}

TEST(what_comes_in_pieces_comes_whole)
{
	static const int codes[] = {0, EINTR, EAGAIN};
	struct log_file_bench *b = *state;

	b->disk.piece = 3;
	for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
		struct log_file *f = open_log(b, "run.csv", &forced);

		b->disk.fail = DISK_WRITE;
		b->disk.at = codes[i] ? 2 : 0;
		b->disk.code = codes[i];
		assert_put(f, 5);
		assert_int_equal(log_file_bytes(f), 5 * PIECE_N);
		assert_closed(f);
		assert_int_equal(pieces("run.csv"), 5);
	}
}

TEST(what_did_not_fit_is_cut_off_again)
{
	struct log_file_bench *b = *state;
	struct log_file *f = open_log(b, "run.csv", &plain);
	struct err err;

	b->disk.room = 3 * PIECE_N + 4;
	assert_put(f, 3);
	assert_false(put_row(f, &err));
	assert_has(err.text, "log: run.csv: No space left on device: logging stopped after 0.0 MB; "
			     "everything up to there is intact");
	assert_int_equal(log_file_bytes(f), 3 * PIECE_N);
	log_file_close(f, NULL);
	assert_int_equal(pieces("run.csv"), 3);
}

TEST(of_several_pieces_those_that_fit_are_kept)
{
	static const struct {
		size_t room;
		unsigned kept;
	} cases[] = {{0, 0},           {4, 0},
		     {PIECE_N, 1},     {3 * PIECE_N - 1, 2},
		     {3 * PIECE_N, 3}, {4 * PIECE_N + 1, 4},
		     {5 * PIECE_N, 5}};
	struct log_file_bench *b = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct log_file *f = open_log(b, "run.csv", &forced);
		struct log_pieces rows = {0};
		unsigned kept;
		struct err err;

		assert_put(f, 1);
		b->disk.room = (int64_t)cases[i].room;
		b->disk.piece = i % 2 ? 7 : 0;
		for (uint64_t k = 1; k <= 5; k++)
			log_pieces_add(&rows, PIECE, PIECE_N, k);
		assert_int_equal(log_file_write_pieces(f, &rows, &kept, &err), cases[i].kept == 5);
		assert_int_equal(kept, cases[i].kept);
		assert_int_equal(log_file_bytes(f), (1 + kept) * PIECE_N);
		if (kept < 5)
			assert_has(err.text, "No space left on device: logging stopped after 0.0 MB; "
					     "everything up to there is intact");
		log_file_close(f, NULL);
		log_pieces_fini(&rows);
		b->disk.room = -1;
		b->disk.piece = 0;
		assert_int_equal(pieces("run.csv"), 1 + kept);
	}
}

TEST(what_cannot_be_cut_off_is_reported)
{
	struct log_file_bench *b = *state;
	struct log_file *f = open_log(b, "run.csv", &plain);
	struct stat st;
	struct err err;

	b->disk.room = 2 * PIECE_N + 4;
	b->disk.fail = DISK_TRUNCATE;
	b->disk.at = 1;
	b->disk.code = EIO;
	assert_put(f, 2);
	assert_false(put_row(f, &err));
	assert_int_equal(err.code, ENOSPC);
	assert_has(err.text, "; everything up to there is intact, the data after it is incomplete");
	log_file_close(f, NULL);
	assert_int_equal(stat("run.csv", &st), 0);
	assert_int_equal(st.st_size, 2 * PIECE_N + 4);
}

TEST(what_another_process_appended_is_kept)
{
	struct log_file_bench *b = *state;
	struct log_file *f = open_log(b, "run.csv", &plain);
	int fd = open("run.csv", O_WRONLY | O_APPEND | O_CLOEXEC);
	struct stat st;
	struct err err;

	assert_put(f, 1);
	assert_int_equal(pwrite(fd, "precious", 8, 0), 8); /* O_APPEND: at the end */
	b->disk.room = 4;
	assert_false(put_row(f, &err));
	assert_has(err.text, "the data after it is incomplete");
	log_file_close(f, NULL);
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(st.st_size >= (off_t)PIECE_N + 8);
	close(fd);
}

TEST(a_file_that_was_removed_or_truncated_ends_the_log)
{
	static const struct {
		const char *command, *says;
	} cases[] = {
		{"rm run.csv", "log: run.csv: the file was removed: logging stopped after 0.0 MB"},
		{": >run.csv", "log: run.csv: the file was truncated: logging stopped after 0.0 MB"},
		{"echo behind >>run.csv", NULL},
		{"mv run.csv renamed.csv", NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct log_file *f = open_log(*state, "run.csv", &forced);
		struct err err = {.text = ""};

		assert_put(f, 2);
		assert_int_equal(system(cases[i].command), 0);
		assert_int_equal(put_row(f, &err), cases[i].says == NULL);
		assert_string_equal(err.text, cases[i].says ? cases[i].says : "");
		log_file_close(f, NULL);
	}
}

TEST(whatever_call_fails_files_are_whole_and_the_message_names_them)
{
	static const int codes[] = {EIO, ENOSPC, EDQUOT, EFBIG, EPIPE, EACCES, EROFS, EINVAL};
	static const struct log_file_options options = {
		.force = true, .rotates = true, .keep = 2, .sync_ns = 1};
	struct log_file_bench *b = *state;
	unsigned failures = 0;
	bool reached = true;

	for (unsigned n = 1; reached; n++)
		for (size_t c = 0; c < ARRAY_LEN(codes); c++) {
			struct err err = {.text = ""};
			struct log_file *f;
			bool ok;

			b->disk.fail = DISK_ANY;
			b->disk.code = codes[c];
			b->disk.piece = 4;
			b->disk.at = n;
			f = log_file_open(&b->disk.sys, "run.mlog", &options, &err);
			ok = f && put_row(f, &err) && put_row(f, &err) && log_file_sync(f, 1, &err);
			for (int i = 0; i < 3 && ok; i++)
				ok = log_file_next(f, &err) && put_row(f, &err);
			reached = b->disk.at == 0;
			if (f && ok)
				ok = log_file_close(f, &err);
			else
				log_file_close(f, NULL);
			if (!ok) {
				assert_has(err.text, "log: run.");
				assert_int_equal(err.code, codes[c]);
				failures++;
			}
			assert_int_equal(b->disk.files, 0);
			assert_true(pieces("run.mlog") <= 2 && pieces("run.1.mlog") <= 1 &&
				    pieces("run.3.mlog") <= 1);
			b->disk.at = 0;
			assert_int_equal(system("rm -f run*"), 0);
		}
	assert_true(failures > 20 * ARRAY_LEN(codes));
}

TEST(a_file_that_may_not_grow_is_an_error_and_no_signal)
{
	struct rlimit before, limit;
	struct log_file *f = open_log(*state, "run.csv", &plain);
	struct err err = {.text = ""};
	int n = 0;

	getrlimit(RLIMIT_FSIZE, &before);
	limit = (struct rlimit){100, before.rlim_max};
	setrlimit(RLIMIT_FSIZE, &limit);
	while (put_row(f, &err))
		n++;
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(err.code, EFBIG);
	assert_int_equal(n, 100 / PIECE_N);
	log_file_close(f, NULL);
	assert_int_equal(pieces("run.csv"), n);
}

/* Standard output that is this, for so long. */
static int redirect_fd(int fd)
{
	int saved = dup(STDOUT_FILENO);

	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	return saved;
}

static void restore_fd(int saved)
{
	dup2(saved, STDOUT_FILENO);
	close(saved);
}

TEST(a_pipe_that_nobody_reads_is_an_error_and_no_signal)
{
	struct log_file *f;
	struct err err;
	int ends[2], saved;
	bool ok;

	assert_int_equal(pipe(ends), 0);
	saved = redirect_fd(ends[1]);
	close(ends[0]);
	f = open_log(*state, "-", &plain);
	ok = put_row(f, &err);
	log_file_close(f, NULL);
	restore_fd(saved);
	close(ends[1]);
	assert_false(ok);
	assert_int_equal(err.code, EPIPE);
	assert_string_equal(
		err.text,
		"log: -: Broken pipe: logging stopped after 0.0 MB; everything up to there is intact");
}

TEST(what_stood_in_the_file_behind_standard_output_stays)
{
	struct log_file_bench *b = *state;
	struct log_file *f;
	struct err err;
	int fd, saved;
	bool ok;

	make_file("out", PIECE PIECE);
	fd = open("out", O_WRONLY | O_APPEND | O_CLOEXEC);
	saved = redirect_fd(fd);
	f = open_log(b, "-", &plain);
	b->disk.room = PIECE_N + 5;
	ok = put_row(f, &err) && !put_row(f, &err);
	log_file_close(f, NULL);
	restore_fd(saved);
	close(fd);
	assert_true(ok);
	assert_int_equal(pieces("out"), 3);
}

/* Whoever may not mount for himself may where he is the superuser of his own. */
static bool may_mount(void)
{
	AUTOFREE char *map = xasprintf("0 %u 1", (unsigned)geteuid());
	bool ok;
	int fd;

	if (unshare(CLONE_NEWNS) == 0)
		return true;
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
		return false;
	fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
	ok = fd >= 0 && write(fd, map, strlen(map)) > 0;
	close(fd);
	return ok;
}

/* In a child with a small disk of its own. */
static int fill_a_disk(struct log_file_bench *b)
{
	struct log_file *f;
	struct err err = {.text = ""};
	int n = 0;

	if (!may_mount() || mkdir("small", 0755) != 0 || mount("none", "small", "tmpfs", 0, "size=32k") != 0)
		return 77;
	f = log_file_open(&b->disk.sys, "small/run.mlog", &plain, &err);
	while (f && put_row(f, &err))
		n++;
	log_file_close(f, NULL);
	return n > 1000 && err.code == ENOSPC && pieces("small/run.mlog") == n ? 0 : 1;
}

TEST(on_a_disk_that_is_really_full_everything_before_is_whole)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(fill_a_disk(*state));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77) {
		print_message("a tmpfs cannot be mounted here\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* ---- the disk ---- */

TEST(it_is_brought_to_the_disk_in_time_and_at_the_end)
{
	struct log_file_bench *b = *state;
	struct log_file *f = open_log(b, "run.mlog", &(struct log_file_options){.sync_ns = 5000000000});
	int64_t now = b->disk.sys.monotonic_ns(&b->disk.sys);
	struct err err;

	assert_int_equal(b->disk.syncs, 1);                 /* the directory */
	assert_false(log_file_is_due(f, now + 6000000000)); /* there is nothing */
	assert_put(f, 1);
	assert_false(log_file_is_due(f, now + 4000000000));
	assert_true(log_file_is_due(f, now + 6000000000));
	assert_true(log_file_sync(f, now + 6000000000, &err));
	assert_int_equal(b->disk.syncs, 2);
	assert_false(log_file_is_due(f, now + 12000000000)); /* nothing new */
	assert_put(f, 1);
	assert_false(log_file_is_due(f, now + 10000000000));
	assert_true(log_file_is_due(f, now + 11000000000));
	assert_closed(f);
	assert_int_equal(b->disk.syncs, 3);
}

TEST(what_is_not_asked_for_or_no_file_is_not_synced)
{
	struct log_file_bench *b = *state;
	struct log_file *files[] = {
		open_log(b, "run.csv", &plain),
		open_log(b, "/dev/null", &(struct log_file_options){.force = true, .sync_ns = 1})};

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		assert_put(files[i], 1);
		assert_false(log_file_is_due(files[i], INT64_MAX));
		assert_closed(files[i]);
	}
	assert_int_equal(b->disk.syncs, 0);
}

TEST(a_disk_that_cannot_keep_it_is_reported)
{
	static const enum disk_call calls[] = {DISK_SYNC, DISK_CLOSE};
	struct log_file_bench *b = *state;

	for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
		struct log_file *f =
			open_log(b, "run.csv", &(struct log_file_options){.force = true, .sync_ns = 1});
		struct err err;

		assert_put(f, 1);
		b->disk.fail = calls[i];
		b->disk.at = 1;
		b->disk.code = EIO;
		assert_false(log_file_close(f, &err));
		assert_has(err.text, "log: run.csv: Input/output error: logging stopped after 0.0 MB; the "
				     "newest data may not have "
				     "reached the disk");
	}
}

/* ---- one after the other ---- */

static void follow_log(struct log_file_bench *b, const char *path, const struct log_file_options *options,
		       unsigned n)
{
	struct log_file *f = open_log(b, path, options);
	struct err err = {.text = ""};

	assert_put(f, 1);
	for (unsigned i = 0; i < n; i++) {
		if (!log_file_next(f, &err))
			fail_msg("%s", err.text);
		assert_put(f, 1);
	}
	assert_int_equal(log_file_bytes(f), (n + 1) * PIECE_N);
	assert_closed(f);
}

TEST(the_number_of_the_next_file_goes_up)
{
	static const struct {
		const char *first, *second, *third;
	} cases[] = {{"run.mlog", "run.1.mlog", "run.2.mlog"},
		     {"run", "run.1", "run.2"},
		     {".run", ".run.1", ".run.2"},
		     {"a.b.mlog", "a.b.1.mlog", "a.b.2.mlog"}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		follow_log(*state, cases[i].first, &(struct log_file_options){.rotates = true}, 2);
		assert_int_equal(pieces(cases[i].first), 1);
		assert_int_equal(pieces(cases[i].second), 1);
		assert_int_equal(pieces(cases[i].third), 1);
	}
}

TEST(a_number_that_is_taken_is_left_out)
{
	make_file("run.1.mlog", "precious\n");
	assert_int_equal(symlink("nowhere", "run.3.mlog"), 0);
	follow_log(*state, "run.mlog", &(struct log_file_options){.rotates = true}, 2);
	assert_int_equal(pieces("run.mlog"), 1);
	assert_int_equal(pieces("run.2.mlog"), 1);
	assert_int_equal(pieces("run.4.mlog"), 1);
	assert_int_equal(access("nowhere", F_OK), -1);
	assert_int_equal(system("echo precious | cmp -s - run.1.mlog"), 0);
}

TEST(by_force_files_of_another_run_are_written_over)
{
	make_file("run.1.mlog", "another run\n");
	follow_log(*state, "run.mlog", &(struct log_file_options){.force = true, .rotates = true}, 1);
	assert_int_equal(pieces("run.1.mlog"), 1);
}

TEST(of_more_files_than_are_kept_the_oldest_goes)
{
	struct log_file_options options = {.rotates = true, .keep = 2};

	make_file("run.2.mlog", PIECE PIECE); /* of another run: it stays */
	follow_log(*state, "run.mlog", &options, 3);
	assert_int_equal(pieces("run.mlog"), -1);
	assert_int_equal(pieces("run.1.mlog"), -1);
	assert_int_equal(pieces("run.2.mlog"), 2);
	assert_int_equal(pieces("run.3.mlog"), 1);
	assert_int_equal(pieces("run.4.mlog"), 1);
	options.keep = 1;
	follow_log(*state, "one.mlog", &options, 2);
	assert_int_equal(pieces("one.mlog"), -1);
	assert_int_equal(pieces("one.1.mlog"), -1);
	assert_int_equal(pieces("one.2.mlog"), 1);
}

TEST(what_has_no_name_has_no_next_file)
{
	static const char *const paths[] = {"-", "/dev/null"};
	struct log_file_bench *b = *state;
	struct err err;

	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		assert_null(log_file_open(&b->disk.sys, paths[i],
					  &(struct log_file_options){.force = true, .rotates = true}, &err));
		assert_int_equal(err.code, ERR_USAGE);
		assert_has(err.text, "--rotate needs a file with a name");
	}
}
