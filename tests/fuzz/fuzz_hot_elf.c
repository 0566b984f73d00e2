/* An ELF file of any bytes: its functions are read or not, in order, and nothing else happens. */
#include "base/alloc.h"
#include "base/sys.h"
#include "hot/hot_symbols.h"

#include <assert.h>
#include <errno.h>
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
	return 0;
}
