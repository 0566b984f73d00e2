/* Files of the user that are read piece by piece: which are taken, and what comes out of them. */
#include "base/file.h"

#include "base/alloc.h"
#include "tests/support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char directory[] = "test_file.XXXXXX";

FIXTURE(make_directory)
{
	return mkdtemp(directory) ? 0 : -1;
}

FIXTURE(remove_directory)
{
	return rmdir(directory);
}

static char *write_file(const char *name, const char *text)
{
	char *path = xasprintf("%s/%s", directory, name);
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	return path;
}

static char *text_of(const char *path)
{
	struct err err;
	char *text;
	size_t n;

	if (!file_read(path, 1000, &text, &n, &err))
		fail_msg("%s", err.text);
	return text;
}

TEST(a_file_is_replaced_with_its_mode_and_through_a_link)
{
	AUTOFREE char *path = write_file("old", "old"), *link = xasprintf("%s/link", directory);
	AUTOFREE char *made = xasprintf("%s/a/b/new", directory), *dir = xasprintf("%s/a/b", directory);
	AUTOFREE char *upper = xasprintf("%s/a", directory);
	AUTOFREE char *text = NULL, *fresh = NULL;
	struct stat st;
	struct err err;

	assert_int_equal(chmod(path, 0640), 0);
	assert_int_equal(symlink("old", link), 0);
	assert_true(file_replace(link, "new", 3, &err));
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	text = text_of(path);
	assert_string_equal(text, "new");
	assert_true(file_replace(made, "x", 1, &err));
	fresh = text_of(made);
	assert_string_equal(fresh, "x");
	assert_false(file_replace("/dev/null/x", "x", 1, &err));
	assert_non_null(strstr(err.text, "/dev/null/x: cannot write in its directory"));
	unlink(link);
	unlink(path);
	unlink(made);
	rmdir(dir);
	rmdir(upper);
}

TEST(pieces_come_from_where_they_stand)
{
	static const struct {
		uint64_t at;
		size_t n;
		const char *want;
	} cases[] = {
		{0, 5, "01234"}, {3, 4, "3456"},      {8, 100, "89"},          {10, 5, ""},
		{1000, 5, ""},   {UINT64_MAX, 5, ""}, {UINT64_MAX / 2, 5, ""},
	};
	AUTOFREE char *path = write_file("digits", "0123456789");
	struct err err = {0};
	struct file *file = file_open(path, &err);

	assert_non_null(file);
	assert_int_equal(file_size(file), 10);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char got[100];

		assert_int_equal(file_read_at(file, got, cases[i].n, cases[i].at), strlen(cases[i].want));
		assert_memory_equal(got, cases[i].want, strlen(cases[i].want));
	}
	file_close(file);
	unlink(path);
}

TEST(a_file_that_grows_is_read_further)
{
	AUTOFREE char *path = write_file("growing", "one");
	struct file *file = file_open(path, NULL);
	FILE *f = fopen(path, "ae");
	char got[10];

	assert_true(file && f);
	assert_int_equal(file_read_at(file, got, sizeof(got), 3), 0);
	fputs("two", f);
	fclose(f);
	assert_int_equal(file_size(file), 6);
	assert_int_equal(file_read_at(file, got, sizeof(got), 3), 3);
	assert_memory_equal(got, "two", 3);
	file_close(file);
	unlink(path);
}

TEST(a_file_that_cannot_seek_is_refused_without_waiting)
{
	AUTOFREE char *pipe = xasprintf("%s/pipe", directory), *missing = xasprintf("%s/missing", directory);
	const struct {
		const char *path;
		int code;
		const char *message;
	} cases[] = {
		{missing, ENOENT, "missing: cannot open: No such file or directory"},
		{directory, EISDIR, ": is a directory: "},
		{pipe, ESPIPE, "pipe: not a regular file: "},
		{"/dev/null", ESPIPE, "/dev/null: not a regular file: "},
	};

	assert_int_equal(mkfifo(pipe, 0600), 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err = {0};

		assert_null(file_open(cases[i].path, &err));
		assert_int_equal(err.code, cases[i].code);
		assert_non_null(strstr(err.text, cases[i].message));
	}
	unlink(pipe);
}

TEST(nothing_to_close_is_fine)
{
	file_close(NULL);
}

/* ---- whole files ---- */

static char *make_pipe(const char *name)
{
	char *path = xasprintf("%s/%s", directory, name);

	assert_int_equal(mkfifo(path, 0600), 0);
	return path;
}

TEST(a_pipe_is_read_until_its_writer_closes_it)
{
	static const char words[] = "from a pipe, in two pieces";
	AUTOFREE char *path = make_pipe("spoken"), *text = NULL;
	struct err err = {0};
	size_t n;
	pid_t writer = fork();

	if (writer == 0) {
		int fd = open(path, O_WRONLY);

		_exit(write(fd, words, 6) == 6 && write(fd, words + 6, sizeof(words) - 7) == sizeof(words) - 7
			      ? 0
			      : 1);
	}
	assert_true(writer > 0);
	if (!file_read(path, 100, &text, &n, &err))
		fail_msg("%s", err.text);
	assert_string_equal(text, words);
	assert_int_equal(n, sizeof(words) - 1);
	assert_int_equal(waitpid(writer, NULL, 0), writer);
	assert_int_equal(unlink(path), 0);
}

TEST(a_pipe_without_a_writer_times_out)
{
	AUTOFREE char *path = make_pipe("silent"), *text = NULL;
	struct err err = {0};
	size_t n;

	alarm(600); /* a read that waits for ever ends the test here */
	assert_false(file_read(path, 100, &text, &n, &err));
	alarm(0);
	assert_int_equal(err.code, ETIMEDOUT);
	assert_non_null(strstr(err.text, "silent: no data from this pipe for 3 s: start the writer first"));
	assert_int_equal(unlink(path), 0);
}

TEST(a_link_to_nothing_gets_its_target)
{
	AUTOFREE char *link = xasprintf("%s/dangling", directory), *next = xasprintf("%s/next", directory);
	AUTOFREE char *target = xasprintf("%s/dots/config", directory), *text = NULL;
	AUTOFREE char *dots = xasprintf("%s/dots", directory);
	struct stat st;
	struct err err;

	assert_int_equal(symlink("next", link), 0);
	assert_int_equal(symlink("dots/config", next), 0);
	assert_true(file_replace(link, "new", 3, &err));
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	text = text_of(target);
	assert_string_equal(text, "new");
	unlink(next);
	assert_int_equal(symlink("dangling", next), 0); /* a circle */
	assert_false(file_replace(link, "x", 1, &err));
	assert_int_equal(err.code, ELOOP);
	unlink(link);
	unlink(next);
	unlink(target);
	rmdir(dots);
}

TEST(what_is_no_regular_file_is_not_replaced)
{
	AUTOFREE char *path = make_pipe("device");
	struct stat st;
	struct err err;

	assert_false(file_replace(path, "x", 1, &err));
	assert_non_null(strstr(err.text, "device: not a regular file"));
	assert_int_equal(stat(path, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	unlink(path);
}

/* With sudo, HOME is often that of the user. */
TEST(root_leaves_files_to_their_owners)
{
	AUTOFREE char *path = write_file("theirs", "old"), *home = xasprintf("%s/home", directory);
	AUTOFREE char *made = xasprintf("%s/home/a/b/config", directory);
	static const char *const made_paths[] = {"home/a/b/config", "home/a/b", "home/a", "home"};
	struct stat st;
	struct err err;

	if (geteuid() != 0)
		skip();
	assert_int_equal(chown(path, 1234, 2345), 0);
	assert_int_equal(chmod(path, 0600), 0);
	assert_true(file_replace(path, "new", 3, &err));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_uid, 1234);
	assert_int_equal(st.st_gid, 2345);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(mkdir(home, 0755), 0);
	assert_int_equal(chown(home, 1234, 2345), 0);
	assert_true(file_replace(made, "new", 3, &err));
	for (size_t i = 0; i < ARRAY_LEN(made_paths); i++) {
		AUTOFREE char *one = xasprintf("%s/%s", directory, made_paths[i]);

		assert_int_equal(stat(one, &st), 0);
		assert_int_equal(st.st_uid, 1234);
		assert_int_equal(st.st_gid, 2345);
		remove(one);
	}
	unlink(path);
}

#define WRITERS 4
#define ROUNDS 40
#define LONG_TEXT 100000

/* Start writers, each of which does `work` ROUNDS times and ends with how often that failed. */
static void start_writers(const char *path, bool (*work)(const char *path, int writer), pid_t pids[WRITERS])
{
	for (int i = 0; i < WRITERS; i++) {
		pids[i] = fork();
		if (pids[i])
			continue;
		for (int round = 0, failed = 0;; round++) {
			if (round == ROUNDS)
				_exit(failed);
			failed += !work(path, i);
		}
	}
}

static void await_writers(const pid_t pids[WRITERS])
{
	int status;

	for (int i = 0; i < WRITERS; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
}

static bool write_long(const char *path, int writer)
{
	AUTOFREE char *text = xcalloc(LONG_TEXT, 1);
	struct err err;

	memset(text, 'a' + writer, LONG_TEXT);
	return file_replace(path, text, LONG_TEXT, &err);
}

TEST(writers_at_once_never_show_a_part_of_a_file)
{
	AUTOFREE char *path = xasprintf("%s/many", directory);
	pid_t pids[WRITERS];
	struct err err;

	assert_true(write_long(path, 0));
	start_writers(path, write_long, pids);
	for (bool ended = false; !ended;) {
		AUTOFREE char *text = NULL;
		siginfo_t info = {0};
		size_t n;

		assert_int_equal(waitid(P_PID, (id_t)pids[0], &info, WEXITED | WNOHANG | WNOWAIT), 0);
		ended = info.si_pid != 0;
		assert_true(file_read(path, LONG_TEXT + 1, &text, &n, &err));
		assert_int_equal(n, LONG_TEXT);
		assert_int_equal(text[0], text[n - 1]);
	}
	await_writers(pids);
	unlink(path);
}

static bool add_letter(void *ctx, struct span text, struct strbuf *out)
{
	strbuf_add(out, text.p, text.n);
	strbuf_add(out, ctx, 1);
	return true;
}

static bool edit_letters(const char *path, int writer)
{
	char letter = (char)('a' + writer);
	struct err err;

	return file_edit(path, LONG_TEXT, add_letter, &letter, &err);
}

static bool keep_all(void *ctx, struct span text, struct strbuf *out)
{
	(void)text;
	strbuf_str(out, "dropped");
	++*(int *)ctx;
	return false;
}

TEST(changes_at_once_are_all_kept)
{
	AUTOFREE char *path = xasprintf("%s/edited", directory), *text = NULL;
	unsigned counts[WRITERS] = {0};
	pid_t pids[WRITERS];
	struct err err;
	int calls = 0;

	start_writers(path, edit_letters, pids);
	await_writers(pids);
	assert_true(file_edit(path, LONG_TEXT, keep_all, &calls, &err));
	assert_int_equal(calls, 1);
	text = text_of(path);
	assert_int_equal(strlen(text), WRITERS * ROUNDS);
	for (const char *p = text; *p; p++)
		counts[*p - 'a']++;
	for (int i = 0; i < WRITERS; i++)
		assert_int_equal(counts[i], ROUNDS);
	unlink(path);
}

TEST(what_a_killed_writer_left_is_removed_and_what_one_writes_is_not)
{
	AUTOFREE char *left = write_file(".malitop-99-0", "half"),
		      *busy = write_file(".malitop-99-1", "half");
	AUTOFREE char *own = write_file(".malitop-old", "mine"), *path = xasprintf("%s/config", directory);
	int fd = open(busy, O_RDONLY);
	struct err err;

	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_true(file_replace(path, "x", 1, &err));
	assert_int_equal(access(left, F_OK), -1);
	assert_int_equal(access(busy, F_OK), 0);
	assert_int_equal(access(own, F_OK), 0);
	close(fd);
	unlink(busy);
	unlink(path);
	unlink(own);
}

TEST(a_change_does_not_wait_for_ever)
{
	AUTOFREE char *path = xasprintf("%s/config", directory);
	int fd = open(directory, O_RDONLY | O_DIRECTORY), calls = 0;
	struct err err;

	assert_int_equal(flock(fd, LOCK_EX), 0); /* a writer that is stopped */
	assert_false(file_edit(path, LONG_TEXT, keep_all, &calls, &err));
	assert_non_null(strstr(err.text, "config: another program has had a lock on its directory for 3 s"));
	assert_int_equal(calls, 0);
	close(fd);
}

/* The screen saves settings; a signal would end it. */
TEST(a_file_that_may_not_grow_is_an_error_and_no_signal)
{
	AUTOFREE char *path = write_file("small", "old"), *text = NULL;
	struct rlimit before, limit;
	struct err err = {0};
	bool replaced;

	getrlimit(RLIMIT_FSIZE, &before);
	limit = (struct rlimit){4, before.rlim_max};
	setrlimit(RLIMIT_FSIZE, &limit);
	replaced = file_replace(path, "much longer", 11, &err);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_false(replaced);
	assert_int_equal(err.code, EFBIG);
	text = text_of(path);
	assert_string_equal(text, "old");
	unlink(path);
}

TEST(a_byte_order_mark_is_no_part_of_the_text)
{
	static const char *const cases[][2] = {
		{"\xef\xbb\xbfoptions\n", "options\n"}, {"\xef\xbb\xbf", ""},     {"\xef\xbb", "\xef\xbb"},
		{"a\xef\xbb\xbf", "a\xef\xbb\xbf"},     {"\r\n\xef", "\r\n\xef"}, {"", ""}};

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *path = write_file("mark", cases[i][0]), *text = NULL;
		struct err err;
		size_t n;

		assert_true(file_read(path, 1000, &text, &n, &err));
		assert_string_equal(text, cases[i][1]);
		assert_int_equal(n, strlen(cases[i][1]));
		assert_int_equal(unlink(path), 0);
	}
}

TEST_GROUP(make_directory, remove_directory)
