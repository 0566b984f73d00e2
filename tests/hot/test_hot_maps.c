/* Addresses become functions: with the kernel's events in any order of churn, and the symbols of
 * this test's own file. */
#include "base/alloc.h"
#include "hot/hot_maps.h"
#include "tests/support/fixture.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct maps_bench {
	struct fixture fixture;
	struct hot_maps *maps;
};

static int setup(void **state)
{
	struct maps_bench *b = xcalloc(1, sizeof(*b));

	fixture_init(&b->fixture, NULL);
	b->maps = hot_maps_new(&b->fixture.sys);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct maps_bench *b = *state;

	hot_maps_free(b->maps);
	fixture_fini(&b->fixture);
	free(b);
	return 0;
}

static void map(struct maps_bench *b, pid_t pid, uint64_t start, uint64_t size, const char *path)
{
	hot_maps_map(b->maps, pid,
		     &(struct hot_mapping){
			     .start = start, .size = size, .inode = span_hash(span_of(path)), .path = path});
}

static const char *module_at(struct maps_bench *b, pid_t pid, uint64_t address)
{
	struct hot_place place;

	hot_maps_find(b->maps, pid, address, false, &place);
	return place.module;
}

static void a_library_that_takes_the_place_of_another_does_not_mix_with_it(void **state)
{
	struct maps_bench *b = *state;

	hot_maps_exec(b->maps, 7);
	map(b, 7, 0x10000, 0x4000, "/lib/first.so");
	assert_string_equal(module_at(b, 7, 0x11000), "first.so");
	map(b, 7, 0x10000, 0x4000, "/lib/second.so"); /* dlclose, dlopen */
	assert_string_equal(module_at(b, 7, 0x11000), "second.so");
	map(b, 7, 0x11000, 0x1000, "/lib/third.so"); /* into its middle */
	assert_string_equal(module_at(b, 7, 0x10fff), "second.so");
	assert_string_equal(module_at(b, 7, 0x11000), "third.so");
	assert_string_equal(module_at(b, 7, 0x12000), "second.so");
	map(b, 7, 0xf000, 0x6000, "/lib/fourth.so"); /* over all of them */
	assert_string_equal(module_at(b, 7, 0x11000), "fourth.so");
	assert_string_equal(module_at(b, 7, 0x15000), "[unknown]");
}

static void a_child_has_the_maps_of_its_parent_until_it_runs_another_program(void **state)
{
	struct maps_bench *b = *state;

	hot_maps_exec(b->maps, 7);
	hot_maps_name(b->maps, 7, 7, "game");
	map(b, 7, 0x10000, 0x4000, "/lib/first.so");
	hot_maps_fork(b->maps, 8, 8, 7);
	map(b, 7, 0x10000, 0x4000, "/lib/second.so"); /* in the parent only */
	assert_string_equal(module_at(b, 8, 0x11000), "first.so");
	assert_string_equal(hot_maps_thread(b->maps, 8, 8), "game");
	hot_maps_exec(b->maps, 8);
	assert_string_equal(module_at(b, 8, 0x11000), "[unknown]");
	hot_maps_exit(b->maps, 8, 8);
	hot_maps_fork(b->maps, 8, 8, 7); /* the pid again */
	assert_string_equal(module_at(b, 8, 0x11000), "second.so");
}

static void a_process_of_before_is_read_from_proc(void **state)
{
	struct maps_bench *b = *state;

	fixture_write(&b->fixture, "proc/9/maps",
		      "00010000-00014000 r--p 00000000 08:01 11 /lib/data.so\n"
		      "00020000-00024000 r-xp 00001000 08:01 12 /lib/code with blanks.so\n"
		      "00030000-00034000 r-xp 00000000 00:00 0 \n"
		      "garbage\n");
	fixture_write(&b->fixture, "proc/9/task/9/comm", "old\n");
	assert_string_equal(module_at(b, 9, 0x10000), "[unknown]"); /* no code */
	assert_string_equal(module_at(b, 9, 0x20000), "code with blanks.so");
	assert_string_equal(module_at(b, 9, 0x30000), "[jit]");
	assert_string_equal(hot_maps_thread(b->maps, 9, 9), "old");
}

static void a_program_that_translates_is_read_from_its_map(void **state)
{
	struct maps_bench *b = *state;
	struct hot_place place;

	fixture_write(&b->fixture, "proc/9/maps", "00030000-00034000 r-xp 00000000 00:00 0 \n");
	fixture_write(&b->fixture, "tmp/perf-9.map", "30100 20 Foo.bar(int)\n0x30200 40 Baz\n");
	hot_maps_find(b->maps, 9, 0x30110, false, &place);
	assert_string_equal(place.function, "Foo.bar(int)");
	assert_int_equal(place.address - place.start, 0x10);
	hot_maps_find(b->maps, 9, 0x30120, false, &place);
	assert_string_equal(place.function, "");
	/* it grows */
	fixture_write(&b->fixture, "tmp/perf-9.map",
		      "30100 20 Foo.bar(int)\n0x30200 40 Baz\n30300 10 late\n");
	hot_maps_find(b->maps, 9, 0x30300, false, &place);
	assert_string_equal(place.function, "late");
}

static void the_kernel_is_named_where_it_tells_addresses(void **state)
{
	struct maps_bench *b = *state;
	struct hot_place place;

	fixture_write(&b->fixture, "proc/kallsyms",
		      "0000000000000000 A fixed_percpu_data\nffffffff81000000 T _text\nffffffff81000100 t "
		      "clear_page\n"
		      "ffffffff81000180 D not_code\nffffffffc0000000 t mali_irq\t[mali_kbase]\n");
	hot_maps_find(b->maps, 9, 0xffffffff81000190, true, &place);
	assert_string_equal(place.module, "[kernel]");
	assert_string_equal(place.function, "clear_page");
}

static void a_kernel_that_hides_its_addresses_has_no_names(void **state)
{
	struct maps_bench *b = *state;
	struct hot_place place;

	fixture_write(&b->fixture, "proc/kallsyms",
		      "0000000000000000 T _text\n0000000000000000 t clear_page\n");
	hot_maps_find(b->maps, 9, 0xffffffff81000190, true, &place);
	assert_string_equal(place.module, "[kernel]");
	assert_string_equal(place.function, "");
}

/* ---- ELF: this test's own file ---- */

int hot_maps_test_marker(int n);
__attribute__((noinline)) int hot_maps_test_marker(int n)
{
	__asm__ volatile("");
	return n + 1;
}

/* Read it as if it were cut to `most` bytes. */
static void read_own(struct hot_symbols *s, off_t most)
{
	struct sys sys;
	struct err err;
	struct stat st;
	int fd;

	assert_true(sys_init(&sys, NULL, &err));
	fd = sys.open(&sys, "proc/self/exe", O_RDONLY);
	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	*s = (struct hot_symbols){0};
	hot_symbols_read_elf(s, &sys, fd, "/proc/self/exe", 0,
			     (uint64_t)(most < st.st_size ? most : st.st_size));
	close(fd);
	sys_fini(&sys);
}

static void functions_of_a_file_have_their_names(void **state)
{
	struct hot_symbols s;
	bool found = false;

	(void)state;
	read_own(&s, (off_t)1 << 40);
	assert_true(s.n > 50 && s.n_segments > 0);
	for (size_t i = 0; i < s.n; i++) {
		char name[HOT_FUNCTION];
		uint64_t size;

		assert_true(!i || s.list[i - 1].start < s.list[i].start);
		hot_symbols_name(&s, &s.list[i], name, sizeof(name));
		if (strcmp(name, "hot_maps_test_marker") != 0)
			continue;
		found = true;
		assert_ptr_equal(hot_symbols_find(&s, s.list[i].start, &size), &s.list[i]);
		assert_ptr_equal(hot_symbols_find(&s, s.list[i].start + size - 1, &size), &s.list[i]);
	}
	assert_true(found);
	hot_symbols_fini(&s);
}

static void a_file_that_is_cut_costs_names_only(void **state)
{
	(void)state;
	for (off_t most = 0; most < 300000; most = most * 2 + 1) {
		struct hot_symbols s;

		read_own(&s, most);
		hot_symbols_fini(&s);
	}
}

static void names_of_cxx_are_shown_as_written_where_the_build_can(void **state)
{
	static const struct hot_symbol symbol = {.name = 1};
	char names[] = "\0_ZN7Physics4stepEm";
	struct hot_symbols s = {.names = names};
	char text[HOT_FUNCTION];

	(void)state;
	hot_symbols_name(&s, &symbol, text, sizeof(text));
	assert_true(strcmp(text, "Physics::step") == 0 || strcmp(text, "_ZN7Physics4stepEm") == 0);
	hot_symbols_name(&s, &symbol, text, 8);
	assert_int_equal(strlen(text), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_library_that_takes_the_place_of_another_does_not_mix_with_it, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_child_has_the_maps_of_its_parent_until_it_runs_another_program, setup, teardown),
		cmocka_unit_test_setup_teardown(a_process_of_before_is_read_from_proc, setup, teardown),
		cmocka_unit_test_setup_teardown(a_program_that_translates_is_read_from_its_map, setup,
						teardown),
		cmocka_unit_test_setup_teardown(the_kernel_is_named_where_it_tells_addresses, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_kernel_that_hides_its_addresses_has_no_names, setup,
						teardown),
		cmocka_unit_test(functions_of_a_file_have_their_names),
		cmocka_unit_test(a_file_that_is_cut_costs_names_only),
		cmocka_unit_test(names_of_cxx_are_shown_as_written_where_the_build_can),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
