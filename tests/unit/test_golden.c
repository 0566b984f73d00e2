/* The golden screens: every view over a simulated GPU and a CPU with fixed numbers, compared with tests/golden/NAME.txt.
 * MALITOP_GOLDEN_UPDATE=1 rewrites them; look at the difference before you keep it. */
#include "backends/backends.h"
#include "backends/gpu_system.h"
#include "base/alloc.h"
#include "model/history.h"
#include "tests/unit/people.h"
#include "views/processes.h"
#include "views/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define INTERVAL_NS 100000000ll
#define REFRESH_NS 500000000ll
#define POINTS 120
#define END_NS (POINTS * REFRESH_NS)
#define CPUS 8

/* A source that was measured for POINTS refreshes, as ui sees it. */
struct measured {
	struct metric_set *set;
	struct history *history;
	struct column *now;
	double *vectors[POINTS], *total;
	const double *points[POINTS];
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
		m->points[i] = m->vectors[i] = vector_of(m, m->now);
	}
	m->total = vector_of(m, history_total(m->history));
	m->feed = (struct feed){m->set, m->set->n_vector, m->points[POINTS - 1], m->total, m->now, m->points, POINTS, NULL};
}

static void measured_fini(struct measured *m)
{
	for (int i = 0; i < POINTS; i++)
		free(m->vectors[i]);
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

/* What the header says of the GPU. */
struct labels {
	char title[64], clock[64];
};

/* What a machine says of its GPU. */
struct system {
	struct gpu_system g;
	struct gpu_system_values values;
};

/* A simulated GPU, and what its machine says of it unless `system` is NULL. */
static void measure_gpu(struct measured *m, const struct gpudb *db, const char *gpu, const struct system *system,
			struct labels *labels)
{
	struct source s = {
		.backend = &backend_sim,
		.options = {.db = db,
			    .gpu_name = gpu,
			    .scenario = "mixed",
			    .seed = 1,
			    .interval_ns = INTERVAL_NS,
			    .frames_per_second = 60,
			    .width = 1920,
			    .height = 1080,
			    .per_instance = true},
		.priv = xcalloc(1, backend_sim.priv_size),
	};
	unsigned system_slot;
	struct err err;

	if (!backend_sim.open(&s, "", &err) || !backend_sim.start(&s, INTERVAL_NS, 0, &err))
		fail_msg("%s", err.text);
	system_slot = s.n_slots;
	if (system)
		gpu_system_add_slots(&system->g, &s);
	m->set = set_new(db, &(struct metric_source){.product = s.product,
						     .slots = s.slots,
						     .n_slots = s.n_slots,
						     .core_count = s.constants.core_count,
						     .l2_slice_count = s.constants.l2_slice_count,
						     .bus_width_bits = s.constants.bus_width_bits});
	m->history = history_new(s.slots, s.n_slots, s.n_slots, INTERVAL_NS);
	AUTOFREE struct sample *sample = sample_new(s.n_slots);

	for (int64_t now = INTERVAL_NS; now <= END_NS; now += INTERVAL_NS)
		while (backend_sim.read(&s, now, sample) == READ_GOT) {
			sample->seq++;
			if (system)
				gpu_system_fill(&system->g, &system->values, sample->value + system_slot);
			history_push(m->history, sample);
		}
	backend_sim.stop(&s);
	backend_sim.close(&s);
	free(s.priv);
	measured_finish(m);
	snprintf(labels->title, sizeof(labels->title), "%s", s.title);
	snprintf(labels->clock, sizeof(labels->clock), "%.0f of %.0f MHz",
		 metric_value(metric_find(m->set, SPAN_LIT("GPUClock")), m->feed.now) * 1e-6, s.constants.top_hz * 1e-6);
	free(s.slots);
}

/* What a CPU delivers. */
static const struct {
	const char *name;
	enum slot_kind kind;
	double scale;
} cpu_slots[] = {
	{"CPUTicksUser", SLOT_DELTA, 1},    {"CPUTicksNice", SLOT_DELTA, 1},   {"CPUTicksSystem", SLOT_DELTA, 1},
	{"CPUTicksIdle", SLOT_DELTA, 1},    {"CPUTicksIOWait", SLOT_DELTA, 1}, {"CPUTicksIRQ", SLOT_DELTA, 1},
	{"CPUTicksSoftIRQ", SLOT_DELTA, 1}, {"CPUTicksSteal", SLOT_DELTA, 1},  {"CPUClock", SLOT_LEVEL, 1e3},
	{"CPUClockTop", SLOT_LEVEL, 1e3},   {"CPUOnline", SLOT_LEVEL, 1},
};
enum { TICK_USER, TICK_NICE, TICK_SYSTEM, TICK_IDLE, TICK_IOWAIT, TICK_IRQ, TICK_SOFTIRQ, TICK_STEAL, CLOCK, TOP, ONLINE };

static const struct {
	const char *title;
	unsigned first, last, base, khz, top_khz; /* CPUs; their load in ticks of 50; clock */
} clusters[] = {{"Cortex-A510 x4", 0, 3, 9, 1200000, 1800000},
		{"Cortex-A715 x3", 4, 6, 14, 1900000, 2400000},
		{"Cortex-X3", 7, 7, 24, 2840000, 2840000}};

/* Repeats itself, without a random source. */
static unsigned wave(unsigned cpu, unsigned at)
{
	unsigned x = (at / 3 + 5 * cpu) % 16;

	return x < 8 ? x : 16 - x;
}

static void fill_cpu(struct sample *sample, unsigned at, unsigned slot, unsigned first, unsigned last, const unsigned *clock)
{
	uint64_t *value = &sample->value[slot];

	memset(value, 0, ARRAY_LEN(cpu_slots) * sizeof(*value));
	for (unsigned cpu = first; cpu <= last; cpu++) {
		unsigned user = (cpu < 4 ? clusters[0].base : cpu < 7 ? clusters[1].base : clusters[2].base) + wave(cpu, at);
		unsigned system = 2 + wave(cpu + 3, at) / 3;

		value[TICK_USER] += user;
		value[TICK_SYSTEM] += system;
		value[TICK_SOFTIRQ] += cpu == 0;
		value[TICK_IDLE] += 50 - user - system - (cpu == 0);
	}
	value[CLOCK] = clock[0];
	value[TOP] = clock[1];
	value[ONLINE] = last - first + 1;
}

static unsigned add_cpu_slots(struct slot *slots, unsigned n, enum instance_kind kind, unsigned number)
{
	for (size_t i = 0; i < ARRAY_LEN(cpu_slots); i++)
		slots[n++] = (struct slot){.name = cpu_slots[i].name,
					   .kind = cpu_slots[i].kind,
					   .instance = kind,
					   .number = (uint16_t)number,
					   .scale = cpu_slots[i].scale,
					   .title = kind == INSTANCE_CLUSTER ? clusters[number].title : NULL};
	return n;
}

static void measure_cpu(struct measured *m, const struct gpudb *db)
{
	struct slot slots[(1 + ARRAY_LEN(clusters) + CPUS) * ARRAY_LEN(cpu_slots)];
	unsigned per = ARRAY_LEN(cpu_slots), n = add_cpu_slots(slots, 0, INSTANCE_ALL, 0);

	for (unsigned c = 0; c < ARRAY_LEN(clusters); c++)
		n = add_cpu_slots(slots, n, INSTANCE_CLUSTER, c);
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		n = add_cpu_slots(slots, n, INSTANCE_CPU, cpu);
	m->set = set_new(db, &(struct metric_source){.slots = slots, .n_slots = n});
	m->history = history_new(slots, n, n, REFRESH_NS);
	AUTOFREE struct sample *sample = sample_new(n);

	for (unsigned at = 0; at < POINTS; at++) {
		sample->seq++;
		sample->begin_ns = at * REFRESH_NS;
		sample->end_ns = sample->begin_ns + REFRESH_NS;
		fill_cpu(sample, at, 0, 0, CPUS - 1, &clusters[2].khz);
		for (unsigned c = 0; c < ARRAY_LEN(clusters); c++) {
			fill_cpu(sample, at, (1 + c) * per, clusters[c].first, clusters[c].last, &clusters[c].khz);
			for (unsigned cpu = clusters[c].first; cpu <= clusters[c].last; cpu++)
				fill_cpu(sample, at, (1 + (unsigned)ARRAY_LEN(clusters) + cpu) * per, cpu, cpu, &clusters[c].khz);
		}
		history_push(m->history, sample);
	}
	measured_finish(m);
}

/* The screens of one machine. */
struct machine {
	struct gpudb *db;
	struct measured gpu, cpu;
	struct template_view templ;
	struct views views;
	struct view_data data;
	struct frame_text text;
	struct labels labels;
	bool system;
	struct process_list *list;
	struct process_row rows[ARRAY_LEN(people)];
	struct process_table processes;
	unsigned first, page;
};

/* As the screen has them when the tree was asked for and the selection moved. */
static void add_processes(struct machine *m)
{
	m->list = people_list(true);
	m->list->n_hidden = 2;
	m->processes = (struct process_table){.list = m->list,
					      .rows = m->rows,
					      .selected = 1,
					      .first = &m->first,
					      .page = &m->page,
					      .order.tree = true,
					      .unknown = 1u << PROCESS_BY_IPC,
					      .n_processes = 9,
					      .n_threads = 91,
					      .n_running = 1,
					      .counted = {4715, 5715, true}};
	m->processes.n = process_arrange(m->list, &m->processes.order, m->rows);
	m->data.processes = &m->processes;
}

static void machine_init(struct machine *m, const char *gpu, const struct system *system)
{
	const struct metric_set *sets[SOURCE_KINDS] = {0};
	struct err err;

	*m = (struct machine){.db = gpudb_load(NULL, 0, &err), .system = system};
	if (!m->db)
		fail_msg("%s", err.text);
	if (gpu) {
		measure_gpu(&m->gpu, m->db, gpu, system, &m->labels);
		template_view_init(&m->templ, m->db, m->gpu.set);
	}
	measure_cpu(&m->cpu, m->db);
	sets[SOURCE_GPU] = m->gpu.set;
	sets[SOURCE_CPU] = m->cpu.set;
	if (!views_init(&m->views, sets, &err))
		fail_msg("%s", err.text);
	m->data = (struct view_data){
		.feeds = {[SOURCE_GPU] = m->gpu.feed, [SOURCE_CPU] = m->cpu.feed},
		.templ = gpu ? &m->templ : NULL,
		.refresh_s = REFRESH_NS * 1e-9,
		.fps = 60,
		.width = 1920,
		.height = 1080,
	};
	m->text = (struct frame_text){
		.gpu = gpu ? m->labels.title : NULL,
		.driver = gpu ? "sim mixed" : NULL,
		.clock = gpu ? m->labels.clock : NULL,
		.span = "100 ms, mean of 0.5 s",
		.state = gpu ? "SIMULATED" : NULL,
		.time = "14:02:11",
		.dropped = "0 dropped",
	};
	add_processes(m);
}

static void machine_fini(struct machine *m)
{
	process_list_free(m->list);
	views_fini(&m->views);
	if (m->data.templ)
		template_view_fini(&m->templ);
	if (m->gpu.set)
		measured_fini(&m->gpu);
	measured_fini(&m->cpu);
	gpudb_free(m->db);
}

static char *screen(const struct machine *m, const struct view *view, int cols, int rows, bool ascii)
{
	AUTO_STRBUF struct strbuf out = {0};
	struct canvas c;
	struct view_data data = m->data;
	struct rect r;

	if (view->foot == FOOT_GPU && m->system)
		data.foot[0] = "GPU memory 734 MB: com.studio.game 412 MB, surfaceflinger 96.5 MB";
	if (view->foot == FOOT_CPU)
		data.foot[0] = "load 2.41 1.98 1.75   memory 3.21 of 7.66 GB   hottest 61.5 C (cpu7)";
	canvas_init(&c, cols, rows, ascii);
	r = canvas_rect(&c);
	frame_draw(&m->text, &m->views, view, &c, &r);
	view_draw(view, &data, &c, r);
	canvas_dump(&c, &out);
	canvas_fini(&c);
	return take_ptr(&out.p);
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

/* The number of screens that are not as they were. */
static int compare(const struct machine *m, const char *view_name, const char *variant, int cols, int rows, bool ascii)
{
	const char *dir = getenv("srcdir");
	const struct view *view = views_find(&m->views, view_name);

	assert_non_null(view);
	AUTOFREE char *path = xasprintf("%s/tests/golden/%s%s-%dx%d%s.txt", dir ? dir : ".", view_name, variant, cols, rows,
					ascii ? "-ascii" : "");
	AUTOFREE char *got = screen(m, view, cols, rows, ascii), *want = read_text(path);

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

static int compare_sizes(const struct machine *m, const char *view_name, const char *variant)
{
	return compare(m, view_name, variant, 100, 30, false) + compare(m, view_name, variant, 80, 24, false) +
	       compare(m, view_name, variant, 100, 30, true);
}

static void every_view_looks_as_it_did(void **state)
{
	struct machine m;
	int differ = 0;

	(void)state;
	machine_init(&m, "Mali-G715", NULL);
	for (unsigned i = 0; i < m.views.n_views; i++)
		differ += compare_sizes(&m, m.views.views[i].name, "");
	differ += compare(&m, "overview", "", 40, 10, false);
	differ += compare(&m, "overview", "", 160, 50, false);
	differ += compare(&m, "processes", "", 40, 10, true);
	m.data.per_instance = true;
	differ += compare(&m, "core", "-each", 100, 30, false);
	differ += compare(&m, "cpu", "-each", 100, 30, false);
	machine_fini(&m);
	assert_int_equal(differ, 0);
}

static void other_gpus_show_their_own_queues(void **state)
{
	static const struct {
		const char *gpu, *variant;
	} gpus[] = {{"Mali-G52", "-g52"}, {"Mali-G725", "-g725"}, {NULL, "-cpu-only"}};
	int differ = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(gpus); i++) {
		struct machine m;

		machine_init(&m, gpus[i].gpu, NULL);
		differ += compare(&m, "overview", gpus[i].variant, 80, 24, false);
		if (gpus[i].gpu)
			differ += compare(&m, "queues", gpus[i].variant, 100, 30, false);
		machine_fini(&m);
	}
	assert_int_equal(differ, 0);
}

static void heat_and_memory_are_shown_where_the_machine_tells_them(void **state)
{
	static const struct system system = {
		.g = {.n_zones = 1,
		      .source = {[GPU_SYSTEM_UTILIZATION].file.path = "load", [GPU_SYSTEM_MEMORY].file.path = "gpu_memory"}},
		.values = {{[GPU_SYSTEM_TEMPERATURE] = 54538, [GPU_SYSTEM_UTILIZATION] = 91, [GPU_SYSTEM_MEMORY] = 734003200}}};
	struct machine m;
	int differ = 0;

	(void)state;
	machine_init(&m, "Mali-G715", &system);
	differ += compare(&m, "overview", "-system", 100, 30, false);
	differ += compare(&m, "overview", "-system", 80, 24, false);
	differ += compare(&m, "memory", "-system", 100, 30, false);
	differ += compare(&m, "memory", "-system", 80, 24, false);
	machine_fini(&m);
	assert_int_equal(differ, 0);
}

static void every_view_of_every_gpu_fits_every_size(void **state)
{
	static const int sizes[][2] = {{1, 1}, {40, 10}, {41, 11}, {57, 13}, {80, 24}, {97, 25}, {99, 40}, {132, 60}, {500, 200}};
	static const char *const gpus[] = {"Mali-G52", "Mali-G1-Ultra", NULL};

	(void)state;
	for (size_t g = 0; g < ARRAY_LEN(gpus); g++) {
		struct machine m;

		machine_init(&m, gpus[g], NULL);
		for (unsigned i = 0; i < m.views.n_views * ARRAY_LEN(sizes) * 4; i++) {
			const int *size = sizes[i / 4 % ARRAY_LEN(sizes)];

			m.data.per_instance = i & 1;
			m.data.feeds[SOURCE_GPU] =
				i & 2 ? (struct feed){.set = m.gpu.set} : m.gpu.feed; /* nothing measured yet */
			m.data.scroll = (int)(i % 7) * 10;
			AUTOFREE char *text = screen(&m, &m.views.views[i / 4 / ARRAY_LEN(sizes)], size[0], size[1], i % 3 == 0);

			assert_null(strstr(text, "nan"));
			assert_null(strstr(text, "inf "));
		}
		machine_fini(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_view_looks_as_it_did),
		cmocka_unit_test(other_gpus_show_their_own_queues),
		cmocka_unit_test(heat_and_memory_are_shown_where_the_machine_tells_them),
		cmocka_unit_test(every_view_of_every_gpu_fits_every_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
