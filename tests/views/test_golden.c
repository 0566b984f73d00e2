/* The golden screens: every view over a simulated GPU and a CPU with fixed numbers, compared with tests/golden/NAME.txt.
 * MALITOP_GOLDEN_UPDATE=1 rewrites them; look at the difference before you keep it. */
#include "backends/backends.h"
#include "backends/machine/gpu_system.h"
#include "tests/support/golden.h"
#include "tests/support/people.h"
#include "views/processes.h"

static const struct golden_cluster clusters[] = {{"Cortex-A510 x4", 0, 3, 9, 1200000, 1800000},
						 {"Cortex-A715 x3", 4, 6, 14, 1900000, 2400000},
						 {"Cortex-X3", 7, 7, 24, 2840000, 2840000},
						 {.title = NULL}};

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
	measure_cpu(&m->cpu, m->db, clusters);
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
		.has = NEEDS_LIVE,
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

/* The number of screens that are not as they were. */
static int compare(const struct machine *m, const char *view_name, const char *variant, int cols, int rows, bool ascii)
{
	const struct view *view = views_find(&m->views, view_name);

	assert_non_null(view);
	AUTOFREE char *name = xasprintf("%s%s-%dx%d%s", view_name, variant, cols, rows, ascii ? "-ascii" : "");
	AUTOFREE char *got = screen(m, view, cols, rows, ascii);

	return golden_compare(name, got);
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
