#include "backends/gpu/gpu_system.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define TEXT 8192 /* more than any file that fits one page */

enum gpu_system_place { AT_DEVICE, AT_DEVFREQ, AT_DEBUG, AT_MPGPU, AT_GED, AT_GPU, PLACES };

/* The sources of each fact, the most exact first. Arm's driver has those in devfreq and debugfs;
 * the others are vendors' files. */
static const struct candidate {
	enum gpu_system_thing thing;
	enum gpu_system_place place;
	const char *name;
	gpu_system_parse *parse;
	const char *entry; /* NULL: a file; otherwise a directory, with this file for each process */
} candidates[] = {
	{GPU_SYSTEM_CLOCK, AT_DEVFREQ, "cur_freq", gpu_system_parse_clock, NULL},
	{GPU_SYSTEM_CLOCK, AT_DEVICE, "cur_freq", gpu_system_parse_clock, NULL},
	{GPU_SYSTEM_CLOCK, AT_DEVICE, "clock", gpu_system_parse_clock, NULL},
	{GPU_SYSTEM_CLOCK, AT_MPGPU, "cur_freq", gpu_system_parse_clock, NULL},
	{GPU_SYSTEM_CLOCK, AT_GED, "current_freqency", gpu_system_parse_indexed_clock, NULL},
	{GPU_SYSTEM_CLOCK, AT_GPU, "gpu_clock", gpu_system_parse_clock, NULL},
	/* max_freq is a limit that may be lowered. In mpgpu it is not a clock but the index of
	 * one. */
	{GPU_SYSTEM_TOP_CLOCK, AT_DEVFREQ, "available_frequencies", gpu_system_parse_top_clock, NULL},
	{GPU_SYSTEM_TOP_CLOCK, AT_DEVFREQ, "max_freq", gpu_system_parse_clock, NULL},
	{GPU_SYSTEM_TOP_CLOCK, AT_DEVICE, "available_frequencies", gpu_system_parse_top_clock, NULL},
	{GPU_SYSTEM_UTILIZATION, AT_DEVFREQ, "load", gpu_system_parse_percent, NULL},
	{GPU_SYSTEM_UTILIZATION, AT_DEVICE, "utilization", gpu_system_parse_percent, NULL},
	{GPU_SYSTEM_UTILIZATION, AT_MPGPU, "utilization", gpu_system_parse_percent, NULL},
	{GPU_SYSTEM_UTILIZATION, AT_GED, "gpu_utilization", gpu_system_parse_percent, NULL},
	{GPU_SYSTEM_UTILIZATION, AT_GPU, "gpu_busy", gpu_system_parse_percent, NULL},
	{GPU_SYSTEM_UTILIZATION, AT_DEBUG, "dvfs_utilization", gpu_system_parse_counts, NULL},
	{GPU_SYSTEM_MEMORY, AT_DEVICE, "total_gpu_mem", gpu_system_parse_bytes, NULL},
	{GPU_SYSTEM_MEMORY, AT_DEVICE, "gpu_memory", gpu_system_parse_table, NULL},
	{GPU_SYSTEM_MEMORY, AT_DEBUG, "gpu_memory", gpu_system_parse_table, NULL},
	{GPU_SYSTEM_PROCESSES, AT_DEVICE, "kprcs", gpu_system_parse_bytes, "total_gpu_mem"},
	{GPU_SYSTEM_PROCESSES, AT_DEVICE, "gpu_memory", gpu_system_parse_pids, NULL},
	{GPU_SYSTEM_PROCESSES, AT_DEBUG, "gpu_memory", gpu_system_parse_pids, NULL},
	/* Not the kernel's counts but what the driver in each program reported last. */
	{GPU_SYSTEM_PROCESSES, AT_DEBUG, "ctx", gpu_system_parse_profile, "mem_profile"},
	{GPU_SYSTEM_POWER, AT_DEVICE, "power/runtime_status", gpu_system_parse_power, NULL},
	{GPU_SYSTEM_POWER, AT_DEVFREQ, "device/power/runtime_status", gpu_system_parse_power, NULL},
};

static void note_refusal(struct gpu_system_source *source, const char *path)
{
	if ((errno != EACCES && errno != EPERM) || source->refused_errno)
		return;
	source->refused_errno = errno;
	snprintf(source->refused, sizeof(source->refused), "%s", path);
}

/* Whether the file reports the value now. */
static enum gpu_system_answer try_file(struct gpu_system *g, const struct candidate *c,
				       struct sysfs_file *file, uint64_t *value)
{
	char text[TEXT];
	ssize_t n;

	errno = 0;
	n = sysfs_file_read(g->sys, file, text, sizeof(text));
	if (n >= 0)
		return c->parse(g, gpu_system_lines(text, n, sizeof(text)), value);
	note_refusal(&g->source[c->thing], file->path);
	/* A sensor or a driver answers this while the GPU is off; it reports a value later. */
	return file->fd >= 0 && (errno == EAGAIN || errno == EINVAL || errno == EIO || errno == ENODATA)
		       ? ANSWER_NOTHING_NOW
		       : ANSWER_STRANGE;
}

static enum gpu_system_answer try_directory(struct gpu_system *g, const struct candidate *c,
					    const struct sysfs_file *file)
{
	char **names;
	int n = file->path[0] ? g->sys->list(g->sys, file->path, &names) : -1;

	if (n < 0) {
		note_refusal(&g->source[c->thing], file->path);
		return ANSWER_STRANGE;
	}
	sys_names_free(names, n);
	return ANSWER_VALUE;
}

/* Use this file for the value if it reports enough. */
static bool use_file(struct gpu_system *g, const struct candidate *c, const char *dir,
		     enum gpu_system_answer enough)
{
	struct gpu_system_source *source = &g->source[c->thing];
	bool keep = c->thing < GPU_SYSTEM_LEVELS || c->thing == GPU_SYSTEM_POWER;
	enum gpu_system_answer answer;
	struct sysfs_file file;
	uint64_t value = SAMPLE_UNKNOWN;

	sysfs_file_init(&file, keep, "%s/%s", dir, c->name);
	answer = c->entry ? try_directory(g, c, &file) : try_file(g, c, &file, &value);
	if (answer < enough) {
		sysfs_file_close(g->sys, &file);
		return false;
	}
	if (c->thing == GPU_SYSTEM_TOP_CLOCK)
		g->top_hz = answer == ANSWER_VALUE ? value : SAMPLE_UNKNOWN;
	source->file = file;
	source->parse = c->parse;
	source->entry = c->entry;
	return true;
}

static void find_thing(struct gpu_system *g, enum gpu_system_thing thing, char dirs[PLACES][SYSFS_DIR])
{
	static const enum gpu_system_answer passes[] = {ANSWER_VALUE, ANSWER_NOTHING_NOW};

	for (size_t pass = 0; pass < ARRAY_LEN(passes); pass++)
		for (size_t i = 0; i < ARRAY_LEN(candidates); i++) {
			const struct candidate *c = &candidates[i];

			if (c->thing == thing && dirs[c->place][0] &&
			    use_file(g, c, dirs[c->place], passes[pass]))
				return;
		}
}

/* "gpu-thermal", "gpu_thermal", "gpu", "G3D", "gpu1-thermal": no other words in the name. */
static bool is_gpu_zone(const char *type)
{
	static const char *const names[] = {"gpu", "g3d", "mali"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		size_t n = strlen(names[i]);

		if (strncasecmp(type, names[i], n) != 0)
			continue;
		n += strspn(type + n, "0123456789");
		if (!type[n] || strcasecmp(type + n, "-thermal") == 0 ||
		    strcasecmp(type + n, "_thermal") == 0)
			return true;
	}
	return false;
}

static void find_zones(struct gpu_system *g)
{
	char **names, path[SYSFS_PATH], type[64];
	int n = g->sys->list(g->sys, "sys/class/thermal", &names);

	for (int i = 0; i < n && g->n_zones < GPU_SYSTEM_ZONES; i++) {
		if (strncmp(names[i], "thermal_zone", 12) != 0)
			continue;
		snprintf(path, sizeof(path), "sys/class/thermal/%.64s/type", names[i]);
		if (sys_read_file(g->sys, path, type, sizeof(type)) <= 0)
			continue;
		type[strcspn(type, "\n")] = 0;
		if (is_gpu_zone(type))
			sysfs_file_init(&g->zones[g->n_zones++], true, "sys/class/thermal/%.64s/temp",
					names[i]);
	}
	sys_names_free(names, n);
}

static void init_places(struct gpu_system *g, const struct sys *sys, unsigned number,
			char dirs[PLACES][SYSFS_DIR])
{
	*g = (struct gpu_system){.sys = sys,
				 .number = number,
				 .page_bytes = (unsigned)sysconf(_SC_PAGESIZE),
				 .top_hz = SAMPLE_UNKNOWN};
	for (size_t i = 0; i < GPU_SYSTEM_THINGS; i++)
		sysfs_file_init(&g->source[i].file, false, "%s", "");
	snprintf(dirs[AT_DEVICE], SYSFS_DIR, "sys/class/misc/mali%u/device", number);
	snprintf(dirs[AT_DEBUG], SYSFS_DIR, "sys/kernel/debug/mali%u", number);
}

static void find_things(struct gpu_system *g, char dirs[PLACES][SYSFS_DIR])
{
	for (enum gpu_system_thing thing = 0; thing < GPU_SYSTEM_THINGS; thing++)
		find_thing(g, thing, dirs);
	find_zones(g);
}

void gpu_system_open(struct gpu_system *g, const struct sys *sys, unsigned number)
{
	char dirs[PLACES][SYSFS_DIR] = {{0}};

	init_places(g, sys, number, dirs);
	sysfs_find_gpu(sys, dirs[AT_DEVICE], number == 0, dirs[AT_DEVFREQ]);
	if (number == 0) { /* these files cover only one GPU */
		strcpy(dirs[AT_MPGPU], "sys/class/mpgpu");
		strcpy(dirs[AT_GED], "sys/kernel/ged/hal");
		strcpy(dirs[AT_GPU], "sys/kernel/gpu");
	}
	find_things(g, dirs);
}

void gpu_system_open_node(struct gpu_system *g, const struct sys *sys, const char *node, bool first)
{
	char dirs[PLACES][SYSFS_DIR] = {{0}};

	init_places(g, sys, 0, dirs);
	g->is_node = true;
	dirs[AT_DEBUG][0] = 0;
	snprintf(dirs[AT_DEVICE], SYSFS_DIR, "sys/class/drm/%.32s/device", node);
	sysfs_find_gpu(sys, dirs[AT_DEVICE], first, dirs[AT_DEVFREQ]);
	find_things(g, dirs);
}

bool gpu_system_open_processes(struct gpu_system *g, const struct sys *sys, unsigned number)
{
	char dirs[PLACES][SYSFS_DIR] = {{0}};

	init_places(g, sys, number, dirs);
	find_thing(g, GPU_SYSTEM_PROCESSES, dirs);
	return gpu_system_reports(g, GPU_SYSTEM_PROCESSES);
}

void gpu_system_close(struct gpu_system *g)
{
	if (!g->sys)
		return; /* never opened */
	for (size_t i = 0; i < GPU_SYSTEM_THINGS; i++)
		sysfs_file_close(g->sys, &g->source[i].file);
	for (unsigned i = 0; i < g->n_zones; i++)
		sysfs_file_close(g->sys, &g->zones[i]);
}

static bool read_thing(struct gpu_system *g, unsigned thing, uint64_t *value)
{
	struct gpu_system_source *source = &g->source[thing];
	char text[TEXT];
	ssize_t n;

	if (!source->file.path[0])
		return false;
	n = sysfs_file_read(g->sys, &source->file, text, sizeof(text));
	return n > 0 && source->parse(g, gpu_system_lines(text, n, sizeof(text)), value) == ANSWER_VALUE;
}

static uint64_t read_temperature(struct gpu_system *g)
{
	int64_t hottest = INT64_MIN, v;
	char text[64];

	for (unsigned i = 0; i < g->n_zones; i++)
		if (sysfs_file_read(g->sys, &g->zones[i], text, sizeof(text)) > 0 &&
		    sysfs_temperature(&v, text) && v > hottest)
			hottest = v;
	if (hottest == INT64_MIN)
		return SAMPLE_UNKNOWN;
	return hottest == -1 ? (uint64_t)-2 : (uint64_t)hottest; /* -1 means unknown */
}

bool gpu_system_suspended(struct gpu_system *g)
{
	uint64_t asleep;

	return read_thing(g, GPU_SYSTEM_POWER, &asleep) && asleep;
}

/* Drivers keep reporting the last clock and load of a GPU that is off. */
bool gpu_system_clock(struct gpu_system *g, int64_t *hz)
{
	uint64_t v;

	if (gpu_system_suspended(g) || !read_thing(g, GPU_SYSTEM_CLOCK, &v))
		return false;
	*hz = (int64_t)v;
	return true;
}

void gpu_system_read(struct gpu_system *g, struct gpu_system_values *values)
{
	bool suspended = gpu_system_suspended(g);
	uint64_t v;

	for (unsigned i = 0; i < GPU_SYSTEM_LEVELS; i++)
		values->level[i] =
			(i == GPU_SYSTEM_MEMORY || !suspended) && read_thing(g, i, &v) ? v : SAMPLE_UNKNOWN;
	values->level[GPU_SYSTEM_TEMPERATURE] = read_temperature(g);
}

bool gpu_system_reports(const struct gpu_system *g, enum gpu_system_thing thing)
{
	return thing == GPU_SYSTEM_TEMPERATURE ? g->n_zones > 0 : g->source[thing].file.path[0] != 0;
}

const struct slot gpu_system_slots[GPU_SYSTEM_LEVELS] = {
	[GPU_SYSTEM_CLOCK] = {.name = "GPUFreq", .kind = SLOT_LEVEL, .scale = 1},
	[GPU_SYSTEM_TEMPERATURE] = {.name = "GPUTemp", .kind = SLOT_LEVEL, .scale = 1e-3},
	[GPU_SYSTEM_UTILIZATION] = {.name = "GPUDriverUtil", .kind = SLOT_LEVEL, .scale = 1},
	[GPU_SYSTEM_MEMORY] = {.name = "GPUMem", .kind = SLOT_LEVEL, .scale = 1},
};

unsigned gpu_system_add_slots(const struct gpu_system *g, struct source *source)
{
	unsigned first = source->n_slots;

	for (unsigned i = 0; i < GPU_SYSTEM_LEVELS; i++)
		if (gpu_system_reports(g, i))
			source_add_slot(source, &gpu_system_slots[i]);
	return source->n_slots - first;
}

void gpu_system_fill(const struct gpu_system *g, const struct gpu_system_values *values, uint64_t *value)
{
	for (unsigned i = 0; i < GPU_SYSTEM_LEVELS; i++)
		if (gpu_system_reports(g, i))
			*value++ = values->level[i];
}
