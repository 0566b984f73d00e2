/* golden: screens that are compared with tests/golden/NAME.txt, and what they are made of: feeds of
 * a minute. Include it after the backends. */
#ifndef MALITOP_TEST_GOLDEN_H
#define MALITOP_TEST_GOLDEN_H

#include "base/alloc.h"
#include "model/history.h"
#include "tests/support/point.h"
#include "tests/support/test.h"
#include "views/feed.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INTERVAL_NS 100000000ll
#define REFRESH_NS 500000000ll
#define POINTS 120
#define END_NS (POINTS * REFRESH_NS)
#define CPUS 8
#define CLUSTERS 3

/* A source that was measured for POINTS refreshes, as ui sees it. */
struct measured {
	struct metric_set *set;
	struct history *history;
	struct column *now;
	double *newest, *total;
	double *vectors[POINTS];
	const double *points[POINTS];
	struct point_rows rows;
	struct feed feed;
};

static double *vector_of(const struct measured *m, const struct column *column)
{
	double *vector = xcalloc(m->set->n_vector, sizeof(*vector));

	metric_vector(m->set, column, vector);
	return vector;
}

static void measured_finish(struct measured *m)
{
	m->now = history_column_new(m->history);
	for (int i = 0; i < POINTS; i++) {
		history_span(m->history, i * REFRESH_NS, (i + 1) * REFRESH_NS, m->now);
		m->points[i] = m->newest = m->vectors[i] = vector_of(m, m->now);
	}
	m->rows = (struct point_rows){m->points, POINTS, m->set->n_vector};
	m->total = vector_of(m, history_total(m->history));
	m->feed = (struct feed){.set = m->set,
				.n_vector = m->set->n_vector,
				.now = m->newest,
				.total = m->total,
				.now_column = m->now,
				.points = points_of(&m->rows, m->set),
				.n_points = POINTS};
}

static inline void measured_fini(struct measured *m)
{
	for (int i = 0; i < POINTS; i++)
		free(m->vectors[i]);
	points_free(m->feed.points);
	free(m->total);
	free(m->now);
	history_free(m->history);
	metric_set_free(m->set);
	*m = (struct measured){0};
}

static struct metric_set *set_new(const struct gpudb *db, const struct metric_source *source)
{
	struct err err;
	struct metric_set *set = metric_set_new(db, source, &err);

	if (!set)
		fail_msg("%s", err.text);
	return set;
}

static struct sample *sample_new(unsigned n_slots)
{
	struct sample *sample = xcalloc(1, sizeof(*sample) + n_slots * sizeof(sample->value[0]));

	sample->n_values = n_slots;
	return sample;
}

/* What a CPU delivers. */
static const struct {
	const char *name;
	enum slot_kind kind;
	double scale;
} cpu_slots[] = {
	{"CPUTicksUser", SLOT_DELTA, 1},    {"CPUTicksNice", SLOT_DELTA, 1},
	{"CPUTicksSystem", SLOT_DELTA, 1},  {"CPUTicksIdle", SLOT_DELTA, 1},
	{"CPUTicksIOWait", SLOT_DELTA, 1},  {"CPUTicksIRQ", SLOT_DELTA, 1},
	{"CPUTicksSoftIRQ", SLOT_DELTA, 1}, {"CPUTicksSteal", SLOT_DELTA, 1},
	{"CPUClock", SLOT_LEVEL, 1e3},      {"CPUClockTop", SLOT_LEVEL, 1e3},
	{"CPUClockLimit", SLOT_LEVEL, 1e3}, {"CPUOnline", SLOT_LEVEL, 1},
	{"CPURunTime", SLOT_DELTA, 1e-9},
};
enum {
	TICK_USER,
	TICK_NICE,
	TICK_SYSTEM,
	TICK_IDLE,
	TICK_IOWAIT,
	TICK_IRQ,
	TICK_SOFTIRQ,
	TICK_STEAL,
	CLOCK,
	TOP,
	LIMIT,
	ONLINE,
	BUSY
};

/* CPUs of one kind; how busy each is at least, in ticks of 50; their clock. */
struct golden_cluster {
	const char *title;
	unsigned first, last, base, khz, top_khz;
};

/* A list of them ends without a title. */
static unsigned count_clusters(const struct golden_cluster *clusters)
{
	unsigned n = 0;

	while (clusters[n].title)
		n++;
	assert_in_range(n, 1, CLUSTERS);
	return n;
}

/* Repeats itself, without a random source. */
static unsigned wave(unsigned cpu, unsigned at)
{
	unsigned x = (at / 3 + 5 * cpu) % 16;

	return x < 8 ? x : 16 - x;
}

static void add_cpu(struct sample *sample, unsigned at, unsigned slot, const struct golden_cluster *cluster,
		    unsigned cpu)
{
	unsigned user = cluster->base + wave(cpu, at), system = 2 + wave(cpu + 3, at) / 3;
	uint64_t *value = &sample->value[slot];

	uint64_t busy = (user + system + (cpu == 0)) * (REFRESH_NS / 50);

	value[BUSY] = busy > value[BUSY] ? busy : value[BUSY]; /* that of the busiest */
	value[TICK_USER] += user;
	value[TICK_SYSTEM] += system;
	value[TICK_SOFTIRQ] += cpu == 0;
	value[TICK_IDLE] += 50 - user - system - (cpu == 0);
	value[CLOCK] = cluster->khz;
	value[TOP] = value[LIMIT] = cluster->top_khz;
	value[ONLINE]++;
}

static unsigned add_cpu_slots(struct slot *slots, unsigned n, enum instance_kind kind, unsigned number,
			      const char *title)
{
	for (size_t i = 0; i < ARRAY_LEN(cpu_slots); i++)
		slots[n++] = (struct slot){.name = cpu_slots[i].name,
					   .kind = cpu_slots[i].kind,
					   .instance = kind,
					   .number = (uint16_t)number,
					   .scale = cpu_slots[i].scale,
					   .title = title};
	return n;
}

/* What the machine tells beside its CPUs. */
static const struct {
	const char *name;
	double scale;
	uint64_t value;
} machine_slots[] = {
	{"MemoryTotal", 1024, 8032000},
	{"MemoryAvailable", 1024, 4666000},
	{"TemperatureMax", 1e-3, 61500},
	{"LoadAverage1", 0.01, 241},
	{"LoadAverage5", 0.01, 198},
	{"LoadAverage15", 0.01, 175},
	{"CPUBrakes", 1, 0},
};

/* whole: with what the machine tells. */
static inline void measure_cpu(struct measured *m, const struct gpudb *db,
			       const struct golden_cluster *clusters, bool whole)
{
	struct slot slots[(1 + CLUSTERS + CPUS) * ARRAY_LEN(cpu_slots) + ARRAY_LEN(machine_slots)];
	unsigned per = ARRAY_LEN(cpu_slots), n = add_cpu_slots(slots, 0, INSTANCE_ALL, 0, NULL),
		 n_clusters = count_clusters(clusters);

	for (unsigned c = 0; c < n_clusters; c++)
		n = add_cpu_slots(slots, n, INSTANCE_CLUSTER, c, clusters[c].title);
	for (unsigned cpu = 0; cpu <= clusters[n_clusters - 1].last; cpu++)
		n = add_cpu_slots(slots, n, INSTANCE_CPU, cpu, NULL);
	unsigned n_cpu = n;

	for (size_t i = 0; whole && i < ARRAY_LEN(machine_slots); i++)
		slots[n++] = (struct slot){
			.name = machine_slots[i].name, .kind = SLOT_LEVEL, .scale = machine_slots[i].scale};
	m->set = set_new(db, &(struct metric_source){.slots = slots, .n_slots = n});
	m->history = history_new(slots, n, n, REFRESH_NS);
	AUTOFREE struct sample *sample = sample_new(n);

	for (unsigned at = 0; at < POINTS; at++) {
		sample->seq++;
		sample->begin_ns = at * REFRESH_NS;
		sample->end_ns = sample->begin_ns + REFRESH_NS;
		memset(sample->value, 0, n * sizeof(sample->value[0]));
		for (unsigned c = 0; c < n_clusters; c++)
			for (unsigned cpu = clusters[c].first; cpu <= clusters[c].last; cpu++) {
				add_cpu(sample, at, 0, &clusters[c], cpu);
				add_cpu(sample, at, (1 + c) * per, &clusters[c], cpu);
				add_cpu(sample, at, (1 + n_clusters + cpu) * per, &clusters[c], cpu);
			}
		for (unsigned i = n_cpu; i < n; i++)
			sample->value[i] = machine_slots[i - n_cpu].value;
		history_push(m->history, sample);
	}
	measured_finish(m);
}

static char *read_text(const char *path)
{
	FILE *f = fopen(path, "r");
	AUTO_STRBUF struct strbuf text = {0};
	char part[4096];
	size_t n;

	if (!f)
		return NULL;
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		strbuf_add(&text, part, n);
	fclose(f);
	strbuf_str(&text, "");
	return take_ptr(&text.p);
}

static char *golden_seen[512]; /* names that were compared */
static unsigned n_golden_seen;

/* 0 where it is as it was, 1 where it differs. */
static inline int golden_compare(const char *name, const char *got)
{
	const char *dir = getenv("srcdir");
	AUTOFREE char *path = xasprintf("%s/tests/golden/%s.txt", dir ? dir : ".", name);
	AUTOFREE char *want = read_text(path);

	assert_true(n_golden_seen < ARRAY_LEN(golden_seen));
	golden_seen[n_golden_seen++] = xstrdup(name);
	if (want && strcmp(want, got) == 0)
		return 0;
	if (getenv("MALITOP_GOLDEN_UPDATE")) {
		FILE *f = fopen(path, "w");

		assert_non_null(f);
		fputs(got, f);
		assert_int_equal(fclose(f), 0);
		return 0;
	}
	print_error("%s %s; it shows:\n%s", path, want ? "differs" : "is missing", got);
	return 1;
}

/* The number of screens in tests/golden/FOLDER that no test compared; all must have been before.
 * MALITOP_GOLDEN_UPDATE removes them. */
static inline int golden_strays(const char *folder)
{
	const char *srcdir = getenv("srcdir");
	AUTOFREE char *path = xasprintf("%s/tests/golden/%s", srcdir ? srcdir : ".", folder);
	DIR *dir = opendir(path);
	struct dirent *entry;
	int strays = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		AUTOFREE char *name = NULL;
		unsigned i = 0;

		if (entry->d_name[0] == '.')
			continue;
		name = xasprintf("%s/%.*s", folder, (int)strcspn(entry->d_name, "."), entry->d_name);
		while (i < n_golden_seen && strcmp(golden_seen[i], name) != 0)
			i++;
		if (i < n_golden_seen)
			continue;
		if (getenv("MALITOP_GOLDEN_UPDATE")) {
			unlinkat(dirfd(dir), entry->d_name, 0);
			continue;
		}
		print_error("%s/%s: no test compares it\n", path, entry->d_name);
		strays++;
	}
	closedir(dir);
	while (n_golden_seen)
		free(golden_seen[--n_golden_seen]);
	return strays;
}

#endif
