/* golden_machine: a simulated GPU, or none, a CPU and processes, all with fixed numbers, and their
 * screens. */
#ifndef MALITOP_TEST_GOLDEN_MACHINE_H
#define MALITOP_TEST_GOLDEN_MACHINE_H

#include "backends/backends.h"
#include "backends/gpu/gpu_system.h"
#include "tests/support/golden.h"
#include "tests/support/people.h"
#include "tui/keys.h"
#include "views/processes.h"

#include <limits.h>

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
static void measure_gpu(struct measured *m, const struct gpudb *db, const char *gpu,
			const struct system *system, struct labels *labels)
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
						     .constants = s.constants,
						     .frames_per_second = 60,
						     .screen_pixels = 1920 * 1080});
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
		 metric_value(metric_find(m->set, SPAN_LIT("GPUClock")), m->feed.now) * 1e-6,
		 s.constants.top_hz * 1e-6);
	free(s.slots);
}

/* The screens of one machine. */
struct golden_machine {
	struct gpudb *db;
	struct measured gpu, cpu;
	struct template_view templ;
	struct views views;
	struct view_data data;
	struct frame_text text;
	struct foot_keys keys;
	struct labels labels;
	bool system;
	struct process_list *list;
	struct process_row rows[ARRAY_LEN(people)];
	struct process_row busiest_rows[ARRAY_LEN(people)];
	struct process_table processes, busiest;
	unsigned busiest_page;
	unsigned first, page;
};

/* As the screen has them when the tree was asked for and the selection moved. */
static void add_processes(struct golden_machine *m)
{
	m->list = people_list(true);
	m->list->n_hidden = 2;
	process_list_follow(m->list, NULL);
	m->processes = (struct process_table){
		.list = m->list,
		.cpu_most = 164.2,
		.rows = m->rows,
		.selected = 1,
		.first = &m->first,
		.page = &m->page,
		.order.tree = true,
		.unknown = 1u << PROCESS_BY_IPC | 1u << PROCESS_BY_WAIT | 1u << PROCESS_BY_MISSES |
			   1u << PROCESS_BY_GPU_FRAGMENT | 1u << PROCESS_BY_GPU_VERTEX,
		.n_processes = 9,
		.n_threads = 91,
		.n_running = 1,
		.counted = {4715, 5715, true}};
	m->processes.n = process_arrange(m->list, &m->processes.order, m->rows);
	m->data.processes = &m->processes;
	m->busiest = m->processes;
	m->busiest.order = (struct process_order){.key = PROCESS_BY_CPU};
	m->busiest.selected = UINT_MAX;
	m->busiest.rows = m->busiest_rows;
	m->busiest.page = &m->busiest_page;
	m->busiest.n = process_arrange(m->list, &m->busiest.order, m->busiest_rows);
	m->data.busiest = &m->busiest;
}

static inline void machine_init(struct golden_machine *m, const char *gpu, const struct system *system)
{
	const struct metric_set *sets[SOURCE_KINDS] = {0};
	struct err err;

	*m = (struct golden_machine){.db = gpudb_load(NULL, 0, &err), .system = system};
	if (!m->db)
		fail_msg("%s", err.text);
	if (gpu) {
		measure_gpu(&m->gpu, m->db, gpu, system, &m->labels);
		template_view_init(&m->templ, m->db, m->gpu.set);
	}
	measure_cpu(&m->cpu, m->db, clusters, !gpu);
	sets[SOURCE_GPU] = m->gpu.set;
	sets[SOURCE_CPU] = m->cpu.set;
	if (!views_init(&m->views, NULL, sets, &err))
		fail_msg("%s", err.text);
	views_frames(&m->views, false, false); /* nobody counts frames */
	m->data = (struct view_data){
		.feeds = {[SOURCE_GPU] = m->gpu.feed, [SOURCE_CPU] = m->cpu.feed},
		.templ = gpu ? &m->templ : NULL,
		.refresh_s = REFRESH_NS * 1e-9,
		.point_s = REFRESH_NS * 1e-9,
		.fps = 60,
		.width = 1920,
		.height = 1080,
	};
	keys_foot(&m->keys, NULL, NEEDS_LIVE);
	if (!gpu)
		m->data.notice =
			"looked for\n/dev/mali*\tnot there\n/dev/dri/renderD*\tof virtio_gpu, not a Mali "
			"driver\n\n"
			"to try\nmalitop doctor\tsays why, step by step\nmalitop --demo\ta simulated GPU\n"
			"malitop run.mlog\treplay of a log\n";
	m->text = (struct frame_text){
		.gpu = gpu ? m->labels.title : NULL,
		.driver = gpu ? "sim mixed" : NULL,
		.clock = gpu ? m->labels.clock : NULL,
		.span = "100 ms, mean of 0.5 s",
		.state = gpu ? "SIMULATED" : NULL,
		.time = "14:02:11",
		.dropped = "0 dropped",
		.keys = &m->keys,
	};
	add_processes(m);
}

static inline void machine_fini(struct golden_machine *m)
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

/* Draws the whole screen into a canvas; returns what the frame left for the view. */
static inline struct rect machine_draw(const struct golden_machine *m, const struct view *view,
				       struct canvas *c)
{
	struct view_data data = m->data;
	struct rect r;

	if (view->foot == FOOT_GPU && m->system)
		data.foot[0] = "GPU memory 734 MB: com.studio.game 412 MB, surfaceflinger 96.5 MB";
	if (view->foot == FOOT_CPU)
		data.foot[0] = "load 2.41 1.98 1.75   memory 3.21 of 7.66 GB   hottest 61.5 C (cpu7)";
	r = canvas_rect(c);
	frame_draw(&m->text, &m->views, view, c, &r);
	view_draw(view, &data, c, r);
	return r;
}

static inline char *screen_text(const struct golden_machine *m, const struct view *view, int cols, int rows,
				bool ascii)
{
	AUTO_STRBUF struct strbuf out = {0};
	struct canvas c;

	canvas_init(&c, cols, rows, ascii);
	machine_draw(m, view, &c);
	canvas_dump(&c, &out);
	canvas_fini(&c);
	return take_ptr(&out.p);
}

#endif
