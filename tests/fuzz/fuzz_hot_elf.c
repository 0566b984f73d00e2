/* A file of any bytes: as ELF its functions are read or not, in order; as a perf map that grows its
 * lines; as a symbol it is written out; and nothing else happens. */
#include "base/alloc.h"
#include "base/sys.h"
#include "hot/hot_jit.h"
#include "hot/hot_symbols.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
	const uint8_t *data;
	size_t size;
} file;

static ssize_t read_file(const struct sys *sys, int fd, void *buf, size_t n, off_t at)
{
	(void)sys, (void)fd;
	if (at < 0 || (size_t)at > file.size)
		return 0;
	n = n < file.size - (size_t)at ? n : file.size - (size_t)at;
	memcpy(buf, file.data + at, n);
	return (ssize_t)n;
}

static int open_none(const struct sys *sys, const char *root, const char *path, int flags)
{
	(void)sys, (void)root, (void)path, (void)flags;
	return errno = ENOENT, -1;
}

/* As a map: the first descriptor is it, anything else is not there. */
static int open_map(const struct sys *sys, const char *root, const char *path, int flags)
{
	(void)sys, (void)root, (void)path, (void)flags;
	return 3;
}

static int open_absent(const struct sys *sys, const char *path, int flags)
{
	(void)sys, (void)path, (void)flags;
	return errno = ENOENT, -1;
}

static int close_file(const struct sys *sys, int fd)
{
	(void)sys, (void)fd;
	return 0;
}

static int stat_process(const struct sys *sys, const char *path, struct stat *st)
{
	(void)sys, (void)path;
	*st = (struct stat){.st_mode = S_IFDIR};
	return 0;
}

static int stat_file(const struct sys *sys, int fd, struct stat *st)
{
	(void)sys, (void)fd;
	*st = (struct stat){.st_mode = S_IFREG, .st_size = (off_t)file.size};
	return 0;
}

static int64_t no_time(const struct sys *sys)
{
	(void)sys;
	return 0;
}

static void read_map(const uint8_t *data, size_t size)
{
	static const struct sys sys = {.pread = read_file,
				       .open = open_absent,
				       .open_regular = open_map,
				       .close = close_file,
				       .stat = stat_process,
				       .fstat = stat_file,
				       .realtime_ns = no_time,
				       .monotonic_ns = no_time};
	struct hot_jit *j = hot_jit_new();

	for (size_t part = 1; part <= 4; part++) {
		size_t budget = 1 << 20;
		int64_t now_ns = (int64_t)part * 1000;

		file.data = data;
		file.size = size * part / 4;
		hot_jit_read(j, &sys, 7, now_ns - 500, now_ns, &budget);
		for (uint64_t address = 0; address < 64; address++) {
			const char *name;
			uint64_t start, length;

			if (hot_jit_find(j, address, now_ns - 700, &name, &start, &length))
				assert(address - start < length && strlen(name) < 2000);
		}
	}
	hot_jit_free(j);
}

static void write_out(const uint8_t *data, size_t size)
{
	char *symbol = xmalloc(size + 3), text[64];

	memcpy(symbol, "_Z", 2);
	memcpy(symbol + 2, data, size);
	symbol[size + 2] = 0;
	hot_demangle(symbol, text, sizeof(text));
	hot_demangle(symbol + 2, text, sizeof(text));
	free(symbol);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct sys sys = {.pread = read_file, .open_regular = open_none};
	struct hot_symbols s = {0};
	struct hot_symbol found;
	char name[64];

	file.data = data;
	file.size = size;
	hot_symbols_read_elf(&s, &sys, 3, "proc/7/root", "/lib/x.so", 0, size);
	for (size_t i = 0; i < s.n; i++) {
		assert(!i || s.list[i - 1].start < s.list[i].start);
		if (i < 8 && s.list[i].name)
			hot_demangle(s.names + s.list[i].name, name, sizeof(name));
		if (i < 64 && hot_symbols_find(&s, s.list[i].start + s.list[i].size, &found))
			assert(s.list[i].start + s.list[i].size - found.start < found.size);
	}
	for (size_t i = 0; i < s.n_returns; i++)
		assert(s.returns[i].symbol < s.n && (!i || s.returns[i - 1].start < s.returns[i].start));
	hot_symbols_address(&s, 0x1000);
	hot_symbols_fini(&s);
	read_map(data, size);
	write_out(data, size);
	return 0;
}
