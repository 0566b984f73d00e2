/* Called in the ui thread while the sampler reads, so every file is opened anew. */
#include "backends/gpu/gpu_system.h"

#include "backends/cpu/tracepoint.h"
#include "backends/process_file.h"
#include "base/alloc.h"
#include "base/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_TEXT 65536 /* of a table: room for more than a thousand contexts */
#define PROCESSES_MAX 1024
#define CONTEXTS_MAX 4096
#define PROCESSES_SHOWN 6
#define NAME 48
#define SETTING_TEXT 160

struct process_bytes {
	struct gpu_system_process *items;
	unsigned n, cap;
};

/* A process with a part that is unknown is unknown. */
static void add_bytes(struct process_bytes *list, unsigned pid, uint64_t bytes)
{
	struct gpu_system_process *own = list->items;

	while (own < list->items + list->n && own->pid != pid)
		own++;
	if (own < list->items + list->n) {
		own->bytes = own->bytes == SAMPLE_UNKNOWN || bytes == SAMPLE_UNKNOWN ? SAMPLE_UNKNOWN
										     : own->bytes + bytes;
	} else if (list->n < PROCESSES_MAX) {
		GROW(list->items, list->n, list->cap);
		list->items[list->n++] = (struct gpu_system_process){.pid = pid, .bytes = bytes};
	}
}

/* "4711" of a process, "4711_3" of one of its contexts. */
static bool take_pid(const char *name, uint64_t *pid)
{
	struct span rest = span_of(name), number = span_until(&rest, '_');
	uint64_t context;

	return span_u64(number, pid) && *pid && *pid <= INT32_MAX &&
	       (number.n == strlen(name) || span_u64(rest, &context));
}

/* What a file says of memory; SAMPLE_UNKNOWN if it cannot be read or has an unknown format. */
static uint64_t read_bytes(const struct gpu_system *g, gpu_system_parse *parse, const char *path)
{
	struct gpu_system own = {.number = g->number, .page_bytes = g->page_bytes};
	AUTOFREE char *text = xmalloc(TABLE_TEXT);
	ssize_t n = sys_read_file(g->sys, path, text, TABLE_TEXT);
	uint64_t bytes;

	return parse(&own, gpu_system_lines(text, n, TABLE_TEXT), &bytes) == ANSWER_VALUE ? bytes
											  : SAMPLE_UNKNOWN;
}

/* A directory per process (Pixel) or per context, with a file that holds its memory. */
static bool list_directories(const struct gpu_system *g, const struct gpu_system_source *source,
			     struct process_bytes *list)
{
	char **names, path[SYSFS_PATH + 64];
	int n = g->sys->list(g->sys, source->file.path, &names);

	for (int i = 0; i < n && i < CONTEXTS_MAX; i++) {
		uint64_t pid, bytes;

		if (!take_pid(names[i], &pid))
			continue;
		snprintf(path, sizeof(path), "%s/%.24s/%s", source->file.path, names[i], source->entry);
		bytes = read_bytes(g, source->parse, path);
		add_bytes(list, (unsigned)pid, bytes);
	}
	sys_names_free(names, n);
	return n >= 0;
}

/* The total of the device comes first, so contexts that grow in between may exceed it a little. If
 * they exceed it by more than half, the table has an unknown meaning. */
static bool list_table(const struct gpu_system *g, const struct gpu_system_source *source,
		       struct process_bytes *list)
{
	AUTOFREE char *text = xmalloc(TABLE_TEXT);
	ssize_t n = sys_read_file(g->sys, source->file.path, text, TABLE_TEXT);
	struct gpu_system_table table;
	struct gpu_system_row row;
	uint64_t total = 0, sum = 0;

	gpu_system_table_init(&table, g, gpu_system_lines(text, n, TABLE_TEXT));
	while (gpu_system_table_next(&table, &row)) {
		if (row.device) {
			total = row.bytes;
			continue;
		}
		sum += row.bytes;
		if (row.pid)
			add_bytes(list, row.pid, row.bytes);
	}
	return table.pids && sum / 3 * 2 <= total;
}

static void name_process(const struct sys *sys, unsigned pid, char name[NAME])
{
	char path[64], comm[64];

	snprintf(path, sizeof(path), "proc/%u/comm", pid);
	sys_read_file(sys, path, comm, sizeof(comm));
	process_name(sys, (int32_t)pid, (struct span){comm, strcspn(comm, "\n")}, name, NAME);
	if (!name[0])
		snprintf(name, NAME, "pid %u", pid);
}

static int greatest_first(const void *a, const void *b)
{
	const struct gpu_system_process *x = a, *y = b;

	/* Unknown ones last: as the largest number plus 1 they are the smallest. */
	if (x->bytes != y->bytes)
		return x->bytes + 1 < y->bytes + 1 ? 1 : -1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

int gpu_system_process_list(const struct gpu_system *g, struct gpu_system_process **processes)
{
	const struct gpu_system_source *source = &g->source[GPU_SYSTEM_PROCESSES];
	struct process_bytes list = {0};
	bool reported = gpu_system_reports(g, GPU_SYSTEM_PROCESSES) &&
			(source->entry ? list_directories : list_table)(g, source, &list);

	if (!reported) {
		free(list.items);
		list = (struct process_bytes){0};
	}
	if (list.n)
		qsort(list.items, list.n, sizeof(*list.items), greatest_first);
	*processes = list.items;
	return reported ? (int)list.n : -1;
}

void gpu_system_processes(const struct gpu_system *g, struct strbuf *text)
{
	const struct unit *unit = unit_find(SPAN_LIT("bytes total"));
	AUTOFREE struct gpu_system_process *list = NULL;
	int n = gpu_system_process_list(g, &list);
	char amount[UNITS_TEXT], name[NAME];
	const struct gpu_system_source *source = &g->source[GPU_SYSTEM_MEMORY];
	bool reported = gpu_system_reports(g, GPU_SYSTEM_MEMORY);
	uint64_t total = reported ? read_bytes(g, source->parse, source->file.path) : SAMPLE_UNKNOWN;
	bool known = total != SAMPLE_UNKNOWN;
	int n_known = 0;

	while (n_known < n && list[n_known].bytes && list[n_known].bytes != SAMPLE_UNKNOWN)
		n_known++;
	if (known || n_known)
		strbuf_str(text, "GPU memory");
	if (known)
		strbuf_printf(text, " %s", unit_format(amount, (double)total, unit, false, true));
	for (int i = 0; i < n_known && i < PROCESSES_SHOWN; i++) {
		name_process(g->sys, list[i].pid, name);
		strbuf_printf(text, "%s%s %s", i ? ", " : ": ", name,
			      unit_format(amount, (double)list[i].bytes, unit, false, true));
	}
}

static const struct {
	enum gpu_system_thing thing;
	const char *title;
} lines[] = {
	{GPU_SYSTEM_CLOCK, "clock"},       {GPU_SYSTEM_TOP_CLOCK, "top clock"},
	{GPU_SYSTEM_POWER, "power state"}, {GPU_SYSTEM_UTILIZATION, "driver's own utilization"},
	{GPU_SYSTEM_MEMORY, "GPU memory"}, {GPU_SYSTEM_PROCESSES, "GPU memory per process"},
};

/* Whether debugfs cannot be seen, although root could use it. */
static bool debugfs_is_empty(const struct gpu_system *g)
{
	char **names;
	int n = g->sys->list(g->sys, "sys/kernel/debug", &names);

	sys_names_free(names, n);
	return n == 0;
}

static void put_path(struct strbuf *text, const char *title, const char *path, const char *end)
{
	char shown[SYSFS_PATH];

	strbuf_printf(text, "%s: /%s%s", title, str_printable(shown, sizeof(shown), path), end);
}

/* Settings of Arm's driver that change what a measurement means. */
static const struct {
	const char *file, *title;
} settings[] = {
	{"power_policy", "power policy"},
	{"core_mask", "core mask"},
	{"js_scheduling_period", "scheduling period, ms"},
	{"csg_scheduling_period", "scheduling period, ms"},
	{"js_ctx_scheduling_mode", "scheduling mode"},
	{"idle_hysteresis_time", "time until an idle GPU is off, us"},
};

/* A line for each file that can be read; lines of a file are joined, and what is long is cut. */
static void describe_settings(const struct gpu_system *g, struct strbuf *text)
{
	char path[SYSFS_PATH], words[SETTING_TEXT], shown[SETTING_TEXT];

	for (size_t i = 0; i < ARRAY_LEN(settings); i++) {
		ssize_t n;

		snprintf(path, sizeof(path), "sys/class/misc/mali%u/device/%s", g->number, settings[i].file);
		n = sys_read_file(g->sys, path, words, sizeof(words));
		while (n > 0 && (words[n - 1] == '\n' || words[n - 1] == ' '))
			words[--n] = 0;
		for (ssize_t k = 0; k < n; k++)
			words[k] = words[k] == '\n' ? ';' : words[k];
		if (n > 0)
			strbuf_printf(text, "%s: %s\n", settings[i].title,
				      str_printable(shown, sizeof(shown), words));
	}
}

/* Opened and closed again: the list of processes has its own. */
static void describe_work(const struct gpu_system *g, struct strbuf *text, struct strbuf *missing)
{
	struct tracepoint_cpus cpus = {0};
	struct tracepoint event;
	struct err err;
	const char *help;

	if (tracepoint_find(&event, g->sys, GPU_WORK_EVENT, &err)) {
		bool open = tracepoint_open(&cpus, &event, "", true, &err);

		tracepoint_close(&cpus);
		if (open) {
			put_path(text, "GPU time per application", event.dir, "\n");
			return;
		}
	}
	if (err.code == ENOENT) {
		strbuf_str(missing, ", GPU time per application");
		return;
	}
	help = tracepoint_help(err.code);
	strbuf_printf(text, "missing: GPU time per application: %s%s%s\n", err.text, help ? ": " : "",
		      help ? help : "");
}

void gpu_system_describe(const struct gpu_system *g, struct strbuf *text)
{
	AUTO_STRBUF struct strbuf missing = {0};

	for (unsigned i = 0; i < g->n_zones; i++)
		put_path(text, "temperature", g->zones[i].path, "\n");
	if (!g->n_zones)
		strbuf_str(&missing, ", temperature");
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		const struct gpu_system_source *source = &g->source[lines[i].thing];

		if (g->is_node &&
		    (lines[i].thing == GPU_SYSTEM_MEMORY || lines[i].thing == GPU_SYSTEM_PROCESSES ||
		     lines[i].thing == GPU_SYSTEM_UTILIZATION))
			continue;
		if (gpu_system_reports(g, lines[i].thing)) {
			put_path(text, lines[i].title, source->file.path, "\n");
		} else if (source->refused_errno) {
			put_path(text, lines[i].title, source->refused, ": ");
			strbuf_printf(text, "%s: run as root: sudo malitop (Android: adb root)\n",
				      strerror(source->refused_errno));
		} else {
			strbuf_printf(&missing, ", %s", lines[i].title);
		}
	}
	if (!g->is_node) {
		describe_work(g, text, &missing);
		describe_settings(g, text);
	}
	if (missing.n)
		strbuf_printf(text, "missing: this machine has no file for: %s\n", missing.p + 2);
	if (!g->is_node && !gpu_system_reports(g, GPU_SYSTEM_MEMORY) && debugfs_is_empty(g))
		strbuf_str(text, "limited: GPU memory: /sys/kernel/debug is not mounted -> sudo mount -t "
				 "debugfs none /sys/kernel/debug\n");
}
