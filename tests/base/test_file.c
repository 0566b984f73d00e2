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
#include <sys/stat.h>
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

static void what_has_no_places_is_refused_and_nobody_waits(void **state)
{
	AUTOFREE char *pipe = xasprintf("%s/pipe", directory), *missing = xasprintf("%s/missing", directory);
	const struct {
		const char *path;
		int code;
		const char *message;
	} cases[] = {
		{missing, ENOENT, "missing: cannot open: No such file or directory"},
		{directory, EISDIR, ": is a directory: "},
		{pipe, ESPIPE, "pipe: is no regular file: "},
		{"/dev/null", ESPIPE, "/dev/null: is no regular file: "},
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_come_from_where_they_stand),
		cmocka_unit_test(a_file_that_grows_is_read_further),
		cmocka_unit_test(what_has_no_places_is_refused_and_nobody_waits),
		cmocka_unit_test(nothing_to_close_is_fine),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
