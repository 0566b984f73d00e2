/* Addresses become functions: with the kernel's events in any order of churn, and the symbols of
 * this test's own file. */
#include "base/alloc.h"
#include "hot/hot_maps.h"
#include "tests/support/fixture.h"
#include "tests/support/test.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct maps_bench {
	struct fixture fixture;
	struct hot_maps *maps;
};

FIXTURE(setup)
{
	struct maps_bench *b = xcalloc(1, sizeof(*b));

	fixture_init(&b->fixture, NULL);
	b->maps = hot_maps_new(&b->fixture.sys);
	*state = b;
	return 0;
}

FIXTURE(teardown)
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

static struct hot_place place_at(struct maps_bench *b, pid_t pid, uint64_t address)
{
	struct hot_place place;

	hot_maps_find(b->maps, pid, address, b->fixture.monotonic_ns, false, &place);
	return place;
}

static const char *module_at(struct maps_bench *b, pid_t pid, uint64_t address)
{
	return place_at(b, pid, address).module;
}

/* In code that process 9 translated. */
static const char *function_at(struct maps_bench *b, uint64_t address, int64_t time_ns)
{
	static struct hot_place place;

	hot_maps_find(b->maps, 9, address, time_ns, false, &place);
	return place.function;
}

#define MS 1000000ll

/* Write a perf map that was changed last at this time, which is now or was; time passes to 100 ms
 * after it, when it is looked at. */
static void write_map(struct maps_bench *b, const char *path, const char *text, int64_t at_ns)
{
	struct timespec times[2];
	char full[128];
	int64_t real_ns;

	fixture_write(&b->fixture, path, text);
	b->fixture.monotonic_ns = at_ns + 100 * MS;
	real_ns = b->fixture.sys.realtime_ns(&b->fixture.sys) - 100 * MS;
	times[0] = times[1] =
		(struct timespec){.tv_sec = real_ns / 1000000000, .tv_nsec = real_ns % 1000000000};
	snprintf(full, sizeof(full), "%s/%s", b->fixture.root, path);
	assert_int_equal(utimensat(AT_FDCWD, full, times, 0), 0);
	hot_maps_look(b->maps);
}

TEST_WITH(a_library_that_takes_the_place_of_another_does_not_mix_with_it, setup, teardown)
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

TEST_WITH(a_child_has_the_maps_of_its_parent_until_it_runs_another_program, setup, teardown)
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

TEST_WITH(a_process_of_before_is_read_from_proc, setup, teardown)
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

/* What was read of files, by their names. */
static size_t bytes_read;

static ssize_t count_pread(const struct sys *sys, int fd, void *buf, size_t n, off_t at)
{
	struct fixture *f = sys->ctx;
	ssize_t got = f->real_pread(sys, fd, buf, n, at);

	bytes_read += got > 0 ? (size_t)got : 0;
	return got;
}

TEST_WITH(a_program_that_translates_is_read_from_its_map, setup, teardown)
{
	struct maps_bench *b = *state;
	struct hot_place place;

	fixture_write(&b->fixture, "proc/9/maps", "00030000-00034000 r-xp 00000000 00:00 0 \n");
	write_map(b, "tmp/perf-9.map", "30100 20 Foo.bar(int)\n0x30200 40 Baz\n30280 0 stub\n", 1000 * MS);
	place = place_at(b, 9, 0x30110);
	assert_string_equal(place.function, "Foo.bar(int)");
	assert_string_equal(place.module, "[jit]");
	assert_int_equal(place.address - place.start, 0x10);
	assert_string_equal(place_at(b, 9, 0x30120).function, "");
	assert_string_equal(place_at(b, 9, 0x30280).function, "stub");
	assert_string_equal(place_at(b, 9, 0x30281).function, ""); /* it has no size */
}

TEST_WITH(of_a_map_that_grows_only_what_is_new_is_read, setup, teardown)
{
	struct maps_bench *b = *state;
	AUTO_STRBUF struct strbuf text = {0};

	fixture_write(&b->fixture, "proc/9/maps", "10000000-20000000 r-xp 00000000 00:00 0 \n");
	for (unsigned i = 0; i < 5000; i++)
		strbuf_printf(&text, "%x 10 function_%u\n", 0x10000000 + i * 16, i);
	write_map(b, "tmp/perf-9.map", text.p, 1000 * MS);
	assert_string_equal(place_at(b, 9, 0x10000010).function, "function_1");
	b->fixture.sys.pread = count_pread;
	for (unsigned i = 0; i < 50; i++) {
		char name[32];

		strbuf_printf(&text, "%x 10 later_%u\n1000", 0x18000000 + i * 16, i);
		write_map(b, "tmp/perf-9.map", text.p, (2000 + i * 500) * MS);
		text.n -= 4; /* half a line is not one yet */
		bytes_read = 0;
		snprintf(name, sizeof(name), "later_%u", i);
		assert_string_equal(place_at(b, 9, 0x18000000 + i * 16).function, name);
		assert_string_equal(place_at(b, 9, 0x10000010 + i * 16).function[0] ? "named" : "", "named");
		assert_true(bytes_read < 4096);
	}
	assert_string_equal(place_at(b, 9, 0x18000000).function, "later_0");
	assert_int_equal(hot_maps_given_up(b->maps), 0);
}

TEST_WITH(a_map_that_is_too_large_is_given_up_and_counted, setup, teardown)
{
	struct maps_bench *b = *state;
	AUTO_STRBUF struct strbuf text = {0};

	fixture_write(&b->fixture, "proc/9/maps", "10000000-20000000 r-xp 00000000 00:00 0 \n");
	for (unsigned i = 0; i < (1 << 20) + 10; i++)
		strbuf_printf(&text, "%x 1 f\n", 0x10000000 + i);
	write_map(b, "tmp/perf-9.map", text.p, 1000 * MS);
	assert_string_equal(place_at(b, 9, 0x10000010).function, "");
	assert_int_equal(hot_maps_given_up(b->maps), 1);
	hot_maps_look(b->maps);
	place_at(b, 9, 0x10000010);
	assert_int_equal(hot_maps_given_up(b->maps), 1);
}

/* The program writes a line when it uses memory again. */
TEST_WITH(a_newer_function_counts_from_when_it_was_written, setup, teardown)
{
	struct maps_bench *b = *state;

	fixture_write(&b->fixture, "proc/9/maps", "00030000-00034000 r-xp 00000000 00:00 0 \n");
	write_map(b, "tmp/perf-9.map", "30000 40 first\n", 1000 * MS);
	assert_string_equal(function_at(b, 0x30010, 1050 * MS), "first");
	write_map(b, "tmp/perf-9.map", "30000 40 first\n30000 40 second\n", 2000 * MS);
	assert_string_equal(function_at(b, 0x30010, 1900 * MS), "first");
	assert_string_equal(function_at(b, 0x30010, 2050 * MS), "second");
	/* Of two in one look only the last one's time is known. */
	write_map(b, "tmp/perf-9.map", "30000 40 first\n30000 40 second\n30000 40 third\n31000 40 other\n",
		  3000 * MS);
	assert_string_equal(function_at(b, 0x30010, 2050 * MS), "second");
	assert_string_equal(function_at(b, 0x30010, 2900 * MS), ""); /* second or third */
	assert_string_equal(function_at(b, 0x31010, 2900 * MS), "other");
	assert_string_equal(function_at(b, 0x30010, 3050 * MS), "third");
}

TEST_WITH(a_newer_function_hides_what_is_under_it_and_no_more, setup, teardown)
{
	struct maps_bench *b = *state;
	struct hot_place place;

	fixture_write(&b->fixture, "proc/9/maps", "00030000-00034000 r-xp 00000000 00:00 0 \n");
	write_map(b, "tmp/perf-9.map",
		  "30400 40 old_small\n30000 1000 new_large\n"
		  "31000 1000 old_large\n31400 40 new_small\n",
		  1000 * MS);
	assert_string_equal(function_at(b, 0x30410, 1050 * MS), "new_large");
	assert_string_equal(function_at(b, 0x31410, 1050 * MS), "new_small");
	assert_string_equal(function_at(b, 0x313ff, 1050 * MS), "old_large");
	place = place_at(b, 9, 0x31440);
	assert_string_equal(place.function, "old_large");
	assert_int_equal(place.start, 0x31000);
	assert_int_equal(place.size, 0x1000);
}

/* Random lines, some at a time: the newest one over an address counts, as if all were searched. */
TEST_WITH(any_order_of_lines_gives_the_newest, setup, teardown)
{
	enum { LINES = 600, SPACE = 512 };
	struct maps_bench *b = *state;
	AUTO_STRBUF struct strbuf text = {0};
	unsigned names[SPACE] = {0}, random = 1;

	fixture_write(&b->fixture, "proc/9/maps", "00030000-00034000 r-xp 00000000 00:00 0 \n");
	for (unsigned i = 1; i <= LINES; i++) {
		unsigned start, size;

		random = random * 1103515245 + 12345;
		start = (random >> 8) % SPACE;
		size = 1 + (random >> 20) % 64;
		strbuf_printf(&text, "%x %x f%u\n", 0x30000 + start, size, i);
		for (unsigned k = start; k < start + size && k < SPACE; k++)
			names[k] = i;
		if (i % 37 && i != LINES)
			continue;
		write_map(b, "tmp/perf-9.map", text.p, i * 500 * MS);
		for (unsigned k = 0; k < SPACE; k++) {
			char name[16] = "";

			if (names[k])
				snprintf(name, sizeof(name), "f%u", names[k]);
			assert_string_equal(place_at(b, 9, 0x30000 + k).function, name);
		}
	}
}

TEST_WITH(code_in_memory_that_is_shared_or_has_a_name_is_translated_code, setup, teardown)
{
	static const char *const names[] = {"",
					    "//anon",
					    "/memfd:doublemapper (deleted)",
					    "/dev/zero (deleted)",
					    "/SYSV00000000 (deleted)",
					    "/dev/shm/doublemapper_9 (deleted)",
					    "[anon:v8]",
					    "[heap]"};
	struct maps_bench *b = *state;

	fixture_write(&b->fixture, "proc/9/maps", "");
	write_map(b, "tmp/perf-9.map", "30100 20 method\n", 1000 * MS);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		hot_maps_exec(b->maps, 9);
		map(b, 9, 0x30000, 0x4000, names[i]);
		assert_string_equal(place_at(b, 9, 0x30100).function, "method");
		assert_string_equal(place_at(b, 9, 0x30100).module, "[jit]");
	}
	hot_maps_exec(b->maps, 9);
	map(b, 9, 0x30000, 0x4000, "/memfd:doublemapper (deleted)"); /* where nothing is known */
	assert_string_equal(place_at(b, 9, 0x30200).module, "memfd:doublemapper (deleted)");
	map(b, 9, 0x30000, 0x4000, "/lib/a.so");
	assert_string_equal(place_at(b, 9, 0x30100).function, "");
}

TEST_WITH(a_container_has_a_map_of_its_own_pid_in_its_own_tmp, setup, teardown)
{
	struct maps_bench *b = *state;

	fixture_write(&b->fixture, "proc/9/maps", "00030000-00034000 r-xp 00000000 00:00 0 \n");
	fixture_write(&b->fixture, "proc/9/status", "Name:\tjava\nNSpid:\t9\t41\t3\nThreads:\t2\n");
	fixture_write(&b->fixture, "proc/9/root/tmp/perf-3.map", "30100 20 inside\n");
	write_map(b, "tmp/perf-9.map", "30100 20 outside\n", 1000 * MS);
	assert_string_equal(place_at(b, 9, 0x30100).function, "inside");
}

TEST_WITH(a_map_of_an_earlier_process_with_the_pid_is_none, setup, teardown)
{
	struct maps_bench *b = *state;

	fixture_write(&b->fixture, "proc/9/maps", "00030000-00034000 r-xp 00000000 00:00 0 \n");
	fixture_write(&b->fixture, "proc/9/stat",
		      "9 (a) b) S 1 9 9 0 -1 4194560 1 0 0 0 5 1 0 0 20 0 1 0 6000 99 11 184467\n");
	write_map(b, "tmp/perf-9.map", "30100 20 stale\n", 50000 * MS); /* it began at 60 s */
	assert_string_equal(place_at(b, 9, 0x30100).function, "");
	write_map(b, "tmp/perf-9.map", "30100 20 own\n", 61000 * MS);
	assert_string_equal(place_at(b, 9, 0x30100).function, "own");
}

/* What a program may put where its map is looked for. */
TEST_WITH(a_map_is_a_file_of_its_own_and_no_link, setup, teardown)
{
	struct maps_bench *b = *state;
	char path[128];

	fixture_write(&b->fixture, "proc/9/maps", "00030000-00034000 r-xp 00000000 00:00 0 \n");
	fixture_write(&b->fixture, "secret", "30100 20 secret\n");
	fixture_write(&b->fixture, "tmp/other", "");
	snprintf(path, sizeof(path), "%s/tmp/perf-9.map", b->fixture.root);
	assert_int_equal(symlink("../secret", path), 0);
	b->fixture.monotonic_ns = 1000 * MS;
	hot_maps_look(b->maps);
	assert_string_equal(place_at(b, 9, 0x30100).function, "");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0666), 0);
	b->fixture.monotonic_ns = 2000 * MS;
	hot_maps_look(b->maps);
	assert_string_equal(place_at(b, 9, 0x30100).function, "");
}

TEST_WITH(threads_go_on_when_the_first_one_has_ended, setup, teardown)
{
	struct maps_bench *b = *state;

	fixture_write(&b->fixture, "proc/9/maps", "");
	fixture_write(&b->fixture, "proc/9/task/9/maps", "");
	fixture_write(&b->fixture, "proc/9/task/12/maps",
		      "00020000-00024000 r-xp 00001000 08:01 12 /lib/a.so\n");
	assert_string_equal(module_at(b, 9, 0x20000), "a.so");
	/* While it is followed. */
	hot_maps_exec(b->maps, 7);
	hot_maps_name(b->maps, 7, 7, "game");
	map(b, 7, 0x10000, 0x4000, "/lib/first.so");
	hot_maps_exit(b->maps, 7, 7);
	assert_string_equal(module_at(b, 7, 0x11000), "first.so");
	assert_string_equal(hot_maps_thread(b->maps, 7, 7), "game");
	hot_maps_fork(b->maps, 7, 7, 1); /* another one has the pid */
	assert_string_equal(module_at(b, 7, 0x11000), "[unknown]");
	/* Many come and go: they are forgotten, and what lives is not. */
	hot_maps_exit(b->maps, 9, 9);
	for (pid_t pid = 1000; pid < 3000; pid++) {
		hot_maps_exec(b->maps, pid);
		hot_maps_exit(b->maps, pid, pid);
	}
	assert_string_equal(module_at(b, 9, 0x20000), "a.so");
}

static struct hot_place kernel_at(struct maps_bench *b, uint64_t address)
{
	struct hot_place place;

	hot_maps_find(b->maps, 9, address, 0, true, &place);
	return place;
}

TEST_WITH(the_kernel_is_named_where_it_tells_addresses, setup, teardown)
{
	struct maps_bench *b = *state;

	fixture_write(&b->fixture, "proc/kallsyms",
		      "0000000000000000 A fixed_percpu_data\nffffffff81000000 T _text\nffffffff81000100 t "
		      "clear_page\n"
		      "ffffffff81000180 D not_code\nffffffffc0000000 t $x\t[mali_kbase]\n"
		      "ffffffffc0000000 t mali_irq\t[mali_kbase]\nffffffffc0000800 t $x.41\t[mali_kbase]\n"
		      "ffffffffc0010000 t $d\t[other]\nffffffffc0010000 T probe\t[other]\n");
	assert_string_equal(kernel_at(b, 0xffffffff81000190).module, "[kernel]");
	assert_string_equal(kernel_at(b, 0xffffffff81000190).function, "clear_page");
	assert_string_equal(kernel_at(b, 0xffffffffc0000900).function, "mali_irq");
	assert_string_equal(kernel_at(b, 0xffffffffc0010004).function, "probe");
	/* Between modules, and between them and the kernel, may be other code. */
	assert_string_equal(kernel_at(b, 0xffffffff90000000).function, "");
	assert_string_equal(kernel_at(b, 0xffffffffc0008000).function, "");
	assert_string_equal(kernel_at(b, 0xffffffffc0020000).function, "");
}

TEST_WITH(a_kernel_that_hides_its_addresses_has_no_names, setup, teardown)
{
	struct maps_bench *b = *state;

	fixture_write(&b->fixture, "proc/kallsyms",
		      "0000000000000000 T _text\n0000000000000000 t clear_page\n");
	assert_string_equal(kernel_at(b, 0xffffffff81000190).module, "[kernel]");
	assert_string_equal(kernel_at(b, 0xffffffff81000190).function, "");
}

/* ---- ELF: files that a test makes ---- */

struct elf_symbol {
	uint64_t start, size;
	const char *name;
	unsigned type, binding;
};

/* Read a file with these symbols of a .text at 0x1000 .. 0x2000, in a table of this type; NULL ends
 * them. */
static void read_made(struct maps_bench *b, struct hot_symbols *s, uint32_t type,
		      const struct elf_symbol *symbols)
{
	Elf64_Ehdr head = {.e_type = ET_DYN, .e_machine = EM_AARCH64, .e_phoff = sizeof(head), .e_phnum = 1};
	Elf64_Phdr segment = {.p_type = PT_LOAD, .p_offset = 0, .p_vaddr = 0, .p_filesz = 0x4000};
	Elf64_Shdr sections[4] = {{0},
				  {.sh_type = SHT_PROGBITS,
				   .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				   .sh_addr = 0x1000,
				   .sh_size = 0x1000},
				  {.sh_type = type, .sh_link = 3},
				  {.sh_type = SHT_STRTAB}};
	AUTO_STRBUF struct strbuf file = {0}, names = {0}, table = {0};
	char path[128];
	FILE *f;
	int fd;

	strbuf_add(&names, "", 1);
	for (; symbols->name; symbols++) {
		Elf64_Sym one = {.st_name = (uint32_t)names.n,
				 .st_info = ELF64_ST_INFO(symbols->binding, symbols->type),
				 .st_shndx = 1,
				 .st_value = symbols->start,
				 .st_size = symbols->size};

		strbuf_add(&names, symbols->name, strlen(symbols->name) + 1);
		strbuf_add(&table, &one, sizeof(one));
	}
	memcpy(head.e_ident, ELFMAG, SELFMAG);
	head.e_ident[EI_CLASS] = ELFCLASS64;
	head.e_ident[EI_DATA] = ELFDATA2LSB;
	head.e_shoff = sizeof(head) + sizeof(segment);
	head.e_shnum = 4;
	head.e_shentsize = sizeof(sections[0]);
	sections[2].sh_offset = head.e_shoff + sizeof(sections);
	sections[2].sh_size = table.n;
	sections[3].sh_offset = sections[2].sh_offset + table.n;
	sections[3].sh_size = names.n;
	strbuf_add(&file, &head, sizeof(head));
	strbuf_add(&file, &segment, sizeof(segment));
	strbuf_add(&file, sections, sizeof(sections));
	strbuf_add(&file, table.p, table.n);
	strbuf_add(&file, names.p, names.n);
	snprintf(path, sizeof(path), "%s/made.so", b->fixture.root);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(file.p, 1, file.n, f), file.n);
	fclose(f);
	fd = b->fixture.sys.open(&b->fixture.sys, "made.so", O_RDONLY);
	*s = (struct hot_symbols){0};
	hot_symbols_read_elf(s, &b->fixture.sys, fd, NULL, "/made.so", 0, file.n);
	close(fd);
}

static const char *name_at(const struct hot_symbols *s, uint64_t address)
{
	static struct hot_symbol found;

	if (!hot_symbols_find(s, address, &found))
		return "nothing";
	assert_true(address - found.start < found.size);
	return found.name ? s->names + found.name : "";
}

TEST_WITH(only_a_certain_name_is_one, setup, teardown)
{
	static const struct elf_symbol complete[] = {
		{0x1000, 0x100, "outer", STT_FUNC, STB_GLOBAL},
		{0x1010, 0x10, "inner", STT_FUNC, STB_GLOBAL},
		{0x1014, 4, "innermost", STT_FUNC, STB_GLOBAL},
		{0x1040, 0, "label_inside", STT_NOTYPE, STB_LOCAL},
		{0x1180, 0, "label", STT_NOTYPE, STB_GLOBAL},
		{0x1200, 0x10, "helper", STT_FUNC, STB_LOCAL},
		{0x1300, 0, "$x", STT_NOTYPE, STB_LOCAL},
		{0x1300, 0, "$d.12", STT_NOTYPE, STB_LOCAL},
		{0x1300, 0x20, "$s4game4stepyyF", STT_FUNC, STB_GLOBAL},
		{0x1400, 0x40, "overlaps", STT_FUNC, STB_GLOBAL},
		{0x1420, 0x40, "overlapped", STT_FUNC, STB_GLOBAL},
		{0x1800, 0, "last", STT_FUNC, STB_GLOBAL},
		{0, 0, NULL, 0, 0},
	};
	static const struct {
		uint64_t address;
		const char *name, *exported;
	} cases[] = {
		{0x0fff, "", ""},
		{0x1000, "outer", "outer"},
		{0x1012, "inner", "inner"},
		{0x1015, "innermost", "innermost"},
		{0x1018, "inner", "inner"},
		{0x1020, "outer", "outer"}, /* behind a nested one */
		{0x1050, "outer", "outer"}, /* behind a label */
		{0x1100, "", ""},
		{0x1181, "label", ""}, /* exported functions only: others may follow it */
		{0x1205, "helper", "helper"},
		{0x1210, "", ""},
		{0x1301, "$s4game4stepyyF", "$s4game4stepyyF"},
		{0x1320, "", ""},
		{0x1430, "overlapped", "overlapped"},
		{0x1fff, "last", ""},
		{0x2000, "", ""}, /* the end of its section */
	};
	struct maps_bench *b = *state;
	struct elf_symbol exported[ARRAY_LEN(complete)];
	struct hot_symbols s;

	read_made(b, &s, SHT_SYMTAB, complete);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_string_equal(name_at(&s, cases[i].address), cases[i].name);
	hot_symbols_fini(&s);
	memcpy(exported, complete, sizeof(exported));
	for (size_t i = 0; i < ARRAY_LEN(exported); i++)
		exported[i].binding = STB_GLOBAL;
	read_made(b, &s, SHT_DYNSYM, exported);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_string_equal(name_at(&s, cases[i].address), cases[i].exported);
	hot_symbols_fini(&s);
}

/* Deeply nested ones, and ones side by side in a large one: as if all were searched. */
TEST(of_any_symbols_the_innermost_is_found)
{
	enum { SYMBOLS = 300, SPACE = 1024 };
	unsigned random = 7;

	for (unsigned round = 0; round < 50; round++) {
		struct hot_symbol list[SYMBOLS];
		struct hot_symbols s = {.is_complete = true};

		for (unsigned i = 0; i < SYMBOLS; i++) {
			unsigned size;

			random = random * 1103515245 + 12345;
			size = 1 + (random >> 8) % (random >> 30 ? 16 : 400);
			list[i] = (struct hot_symbol){.start = 0x1000 + (random >> 16) % SPACE, .size = size};
			hot_symbols_add(&s, &list[i], SPAN_LIT("f"));
		}
		hot_symbols_sort(&s);
		for (uint64_t at = 0x1000; at < 0x1000 + SPACE + 400; at++) {
			const struct hot_symbol *best = NULL;
			struct hot_symbol found;

			for (unsigned i = 0; i < SYMBOLS; i++)
				if (at - list[i].start < list[i].size &&
				    (!best || list[i].start > best->start ||
				     (list[i].start == best->start && list[i].size > best->size)))
					best = &list[i];
			if (!hot_symbols_find(&s, at, &found) || !found.name)
				assert_null(best);
			else
				assert_true(best && best->start == found.start && best->size == found.size);
		}
		hot_symbols_fini(&s);
	}
}

TEST_WITH(names_without_an_end_are_cut, setup, teardown)
{
	enum { SYMBOLS = 100, LONG = 1 << 20 };
	struct maps_bench *b = *state;
	struct elf_symbol symbols[SYMBOLS + 1] = {{0}};
	char *name = xmalloc(LONG + 1);
	struct hot_symbols s;

	memset(name, 'A', LONG);
	name[LONG] = 0;
	for (unsigned i = 0; i < SYMBOLS; i++)
		symbols[i] = (struct elf_symbol){0x1000 + i * 16, 16, name + LONG - i, STT_FUNC, STB_GLOBAL};
	symbols[0].name = name;
	read_made(b, &s, SHT_SYMTAB, symbols);
	assert_int_equal(strlen(name_at(&s, 0x1000)), HOT_SYMBOL);
	assert_int_equal(strlen(name_at(&s, 0x1020)), 2);
	hot_symbols_fini(&s);
	free(name);
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
	hot_symbols_read_elf(s, &sys, fd, NULL, "/proc/self/exe", 0,
			     (uint64_t)(most < st.st_size ? most : st.st_size));
	close(fd);
	sys_fini(&sys);
}

TEST(functions_of_a_file_have_their_names)
{
	struct hot_symbols s;
	bool found = false;

	read_own(&s, (off_t)1 << 40);
	assert_true(s.n > 50 && s.n_segments > 0);
	for (size_t i = 0; i < s.n; i++) {
		const char *name = s.list[i].name ? s.names + s.list[i].name : "";

		assert_true(!i || s.list[i - 1].start < s.list[i].start);
		if (strcmp(name, "hot_maps_test_marker") != 0)
			continue;
		found = true;
		assert_ptr_equal(name_at(&s, s.list[i].start), name);
		assert_ptr_equal(name_at(&s, s.list[i].start + s.list[i].size - 1), name);
	}
	assert_true(found);
	hot_symbols_fini(&s);
}

TEST(a_file_that_is_cut_costs_names_only)
{
	for (off_t most = 0; most < 300000; most = most * 2 + 1) {
		struct hot_symbols s;

		read_own(&s, most);
		hot_symbols_fini(&s);
	}
}

TEST(names_of_cxx_are_shown_as_written_where_the_build_can)
{
	char text[HOT_FUNCTION];

	assert_true(hot_demangle("_ZN7Physics4stepEm", text, sizeof(text)));
	assert_true(strcmp(text, "Physics::step") == 0 || strcmp(text, "_ZN7Physics4stepEm") == 0);
	assert_true(hot_demangle("_ZN7Physics4stepEm", text, 8));
	assert_int_equal(strlen(text), 7);
}

/* Types with the one before twice: 200 bytes for a text of 2^30. In the second kind the printer
 * looks for a pack in them, and prints nothing. */
TEST(a_name_that_expands_without_end_stays_as_it_is)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	AUTO_STRBUF struct strbuf plain = {0}, pack = {0};
	const struct strbuf *const symbols[] = {&plain, &pack};

	strbuf_str(&plain, "_Z1fI1AIiiE");
	strbuf_str(&pack, "_Z1fIDp1AI");
	for (unsigned k = 2; k < 30; k++)
		strbuf_str(&pack, "S0_I");
	strbuf_str(&pack, "S0_IiiE");
	for (unsigned k = 1; k < 30; k++) {
		strbuf_printf(&plain, "S0_IS%c_S%c_E", digits[k], digits[k]);
		strbuf_printf(&pack, "S%c_E", digits[k]);
	}
	for (size_t i = 0; i < ARRAY_LEN(symbols); i++) {
		AUTO_STRBUF struct strbuf symbol = {0};
		char text[HOT_FUNCTION];

		strbuf_printf(&symbol, "%sEvv", symbols[i]->p);
		hot_demangle(symbol.p, text, sizeof(text));
		assert_memory_equal(text, symbol.p, 20);
	}
}
