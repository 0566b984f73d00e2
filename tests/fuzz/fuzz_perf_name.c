/* The name of an event, and what sysfs says of two PMUs, over any bytes: it is understood or
 * refused with a message.
 *
 * Lines: the name; then what stands in files called type, cpus, format/..., events/...; then the
 * names of the PMUs. */
#include "backends/perf/perf_name.h"

#include "base/alloc.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum fuzz_line { NAME, TYPE, CPUS, FORMAT, EVENTS, PMUS, LINES = PMUS + 2 };

/* A machine whose files are lines: the fd is the line. */
static int fake_open(const struct sys *sys, const char *path, int flags)
{
	static const char *const files[] = {
		[TYPE] = "/type", [CPUS] = "/cpus", [FORMAT] = "/format/", [EVENTS] = "/events/"};

	(void)sys;
	(void)flags;
	assert(strncmp(path, "sys/bus/event_source/devices/", 29) == 0 && !strstr(path, "/../") &&
	       strlen(path) < 200);
	for (int i = TYPE; i < PMUS; i++)
		if (strstr(path, files[i]))
			return i;
	return errno = ENOENT, -1;
}

static int fake_close(const struct sys *sys, int fd)
{
	(void)sys;
	assert(fd >= TYPE && fd < PMUS);
	return 0;
}

static ssize_t fake_pread(const struct sys *sys, int fd, void *buf, size_t n, off_t at)
{
	const struct span *line = (const struct span *)sys->ctx + fd;
	size_t left = (size_t)at < line->n ? line->n - (size_t)at : 0;

	n = n < left ? n : left;
	if (n)
		memcpy(buf, line->p + at, n);
	return (ssize_t)n;
}

static int fake_list(const struct sys *sys, const char *path, char ***names)
{
	const struct span *lines = sys->ctx;

	(void)path;
	*names = xcalloc(2, sizeof(**names));
	for (int i = 0; i < 2; i++)
		(*names)[i] = span_dup(lines[PMUS + i]);
	return 2;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span rest = {(const char *)data, size}, lines[LINES];
	struct sys sys = {
		.ctx = lines, .open = fake_open, .close = fake_close, .pread = fake_pread, .list = fake_list};
	struct perf_pmus pmus;
	struct perf_name name;
	struct err err = {0};

	for (size_t i = 0; i < LINES; i++)
		lines[i] = span_until(&rest, '\n');
	AUTOFREE char *text = span_dup(lines[NAME]);
	perf_pmus_find(&pmus, &sys);
	if (perf_name_find(&name, &pmus, NULL, text, &err)) {
		assert(name.n >= 1 && name.n <= PERF_NAME_PMUS);
		for (unsigned i = 0; i < name.n; i++)
			assert(name.events[i].event.name == text &&
			       (!name.events[i].pmu ||
				name.events[i].pmu->type == name.events[i].event.type));
	} else {
		assert(err.text[0]);
	}
	perf_pmus_fini(&pmus);
	return 0;
}
