/* Files of the user that are read piece by piece: which are taken, and what comes out of them. */
#include "base/file.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "test_file.XXXXXX";

static int make_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
	(void)state;
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

static void a_file_is_replaced_with_its_mode_and_through_a_link(void **state)
{
	AUTOFREE char *path = write_file("old", "old"), *link = xasprintf("%s/link", directory);
	AUTOFREE char *made = xasprintf("%s/a/b/new", directory), *dir = xasprintf("%s/a/b", directory);
	AUTOFREE char *upper = xasprintf("%s/a", directory);
	AUTOFREE char *text = NULL, *fresh = NULL;
	struct stat st;
	struct err err;

	(void)state;
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

static void pieces_come_from_where_they_stand(void **state)
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

	(void)state;
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

static void a_file_that_grows_is_read_further(void **state)
{
	AUTOFREE char *path = write_file("growing", "one");
	struct file *file = file_open(path, NULL);
	FILE *f = fopen(path, "ae");
	char got[10];

	(void)state;
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

static void a_file_that_cannot_seek_is_refused_without_waiting(void **state)
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

	(void)state;
	assert_int_equal(mkfifo(pipe, 0600), 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err = {0};

		assert_null(file_open(cases[i].path, &err));
		assert_int_equal(err.code, cases[i].code);
		assert_non_null(strstr(err.text, cases[i].message));
	}
	unlink(pipe);
}

static void nothing_to_close_is_fine(void **state)
{
	(void)state;
	file_close(NULL);
}

/* ---- whole files ---- */

static char *make_pipe(const char *name)
{
	char *path = xasprintf("%s/%s", directory, name);

	assert_int_equal(mkfifo(path, 0600), 0);
	return path;
}

static void a_pipe_is_read_until_its_writer_closes_it(void **state)
{
	static const char words[] = "from a pipe, in two pieces";
	AUTOFREE char *path = make_pipe("spoken"), *text = NULL;
	struct err err = {0};
	size_t n;
	pid_t writer = fork();

	(void)state;
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

static void a_pipe_without_a_writer_times_out(void **state)
{
	AUTOFREE char *path = make_pipe("silent"), *text = NULL;
	struct err err = {0};
	size_t n;

	(void)state;
	alarm(600); /* a read that waits for ever ends the test here */
	assert_false(file_read(path, 100, &text, &n, &err));
	alarm(0);
	assert_int_equal(err.code, ETIMEDOUT);
	assert_non_null(strstr(err.text, "silent: no data from this pipe for 3 s: start the writer first"));
	assert_int_equal(unlink(path), 0);
}

/* The screen saves settings; a signal would end it. */
static void a_file_that_may_not_grow_is_an_error_and_no_signal(void **state)
{
	AUTOFREE char *path = write_file("small", "old"), *text = NULL;
	struct rlimit before, limit;
	struct err err = {0};
	bool replaced;

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_come_from_where_they_stand),
		cmocka_unit_test(a_file_that_grows_is_read_further),
		cmocka_unit_test(a_file_that_cannot_seek_is_refused_without_waiting),
		cmocka_unit_test(nothing_to_close_is_fine),
		cmocka_unit_test(a_file_is_replaced_with_its_mode_and_through_a_link),
		cmocka_unit_test(a_file_that_may_not_grow_is_an_error_and_no_signal),
		cmocka_unit_test(a_pipe_is_read_until_its_writer_closes_it),
		cmocka_unit_test(a_pipe_without_a_writer_times_out),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
