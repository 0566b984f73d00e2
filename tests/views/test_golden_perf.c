/* The CPU view of machines whose CPUs count: the perf backend over a fake kernel, compared with
 * tests/golden/cpu-MACHINE-SIZE.txt. MALITOP_GOLDEN_UPDATE=1 rewrites them; look at the difference
 * before you keep it. */
#include "session/devices.h"
#include "tui/keys.h"
#include "backends/backends.h"
#include "tests/fake/fake_sys.h"
#include "tests/support/golden.h"

/* A fake machine, and what is seen of it. */
struct golden_perf_machine {
	struct gpudb *db;
	struct measured cpu, perf;
	struct views views;
	char about[64], driver[64];
};

static const struct {
	const char *name, *machine, *title;
	int off; /* a CPU that goes off after half of the time, so that nothing is known of it; -1: none */
	struct golden_cluster clusters[CLUSTERS + 1];
} machines[] = {
	{"a72x4", "a72x4", "Cortex-A72 x4", -1, {{"Cortex-A72 x4", 0, 3, 12, 1500000, 1800000}}},
	{"a72x4-off", "a72x4", "Cortex-A72 x4", 2, {{"Cortex-A72 x4", 0, 3, 12, 1500000, 1800000}}},
	{"rk3588",
	 "rk3588",
	 "Cortex-A76 x4 + Cortex-A55 x4",
	 -1,
	 {{"Cortex-A55 x4", 0, 3, 9, 1200000, 1800000}, {"Cortex-A76 x4", 4, 7, 20, 2208000, 2400000}}},
};

/* Samples of a minute, which begins where the fake's clock is not zero. */
static void take_samples(struct measured *m, struct fake_sys *fake, struct source *s, int off)
{
	AUTOFREE struct sample *sample = sample_new(s->n_slots);
	int64_t start_ns = fake->now_ns;
	struct err err;

	if (!s->backend->start(s, INTERVAL_NS, start_ns, &err))
		fail_msg("%s", err.text);
	while (fake->now_ns - start_ns < END_NS) {
		fake_sys_run(fake, INTERVAL_NS);
		if (off >= 0 && fake->now_ns - start_ns == END_NS / 2)
			fake_perf_online(&fake->perf, off, false);
		sample->flags = sample->lost = 0;
		while (s->backend->read(s, fake->now_ns, sample) == READ_GOT) {
			sample->seq++;
			sample->begin_ns -= start_ns;
			sample->end_ns -= start_ns;
			history_push(m->history, sample);
		}
	}
	s->backend->stop(s);
}

static void measure_perf(struct golden_perf_machine *m, const char *name, int off)
{
	char dir[] = "/tmp/malitop-golden-XXXXXX";
	struct source_options options = {.interval_ns = INTERVAL_NS, .per_instance = true};
	struct fake_sys fake;
	struct source *s;
	struct err err;

	assert_non_null(mkdtemp(dir));
	fake_sys_init(&fake, dir);
	fake_perf_tree(fake_sys_add_perf(&fake, name), dir);
	s = source_open(&fake.sys, &backend_perf, &options, "", &err);
	if (!s)
		fail_msg("%s", err.text);
	m->perf.set = set_new(m->db, &(struct metric_source){.slots = s->slots, .n_slots = s->n_slots});
	m->perf.history = history_new(s->slots, s->n_slots, s->n_slots, INTERVAL_NS);
	take_samples(&m->perf, &fake, s, off);
	measured_finish(&m->perf);
	snprintf(m->about, sizeof(m->about), "%s", s->title);
	s->backend->close(s);
	source_free(s);
	fake_sys_fini(&fake);
	fake_perf_tree_remove(dir);
}

static void machine_init(struct golden_perf_machine *m, size_t at)
{
	const struct metric_set *sets[SOURCE_KINDS] = {0};
	struct err err;

	*m = (struct golden_perf_machine){.db = gpudb_load(NULL, 0, &err)};
	if (!m->db)
		fail_msg("%s", err.text);
	measure_cpu(&m->cpu, m->db, machines[at].clusters, false);
	measure_perf(m, machines[at].machine, machines[at].off);
	sets[SOURCE_CPU] = m->cpu.set;
	sets[SOURCE_PERF] = m->perf.set;
	if (!views_init(&m->views, NULL, sets, &err))
		fail_msg("%s", err.text);
}

static void machine_fini(struct golden_perf_machine *m)
{
	views_fini(&m->views);
	measured_fini(&m->perf);
	measured_fini(&m->cpu);
	gpudb_free(m->db);
}

static char *screen_text(const struct golden_perf_machine *m, const char *title, const char *name, int cols,
			 int rows, bool ascii, bool each)
{
	const struct view *view = views_find(&m->views, name);
	struct view_data data = {
		.feeds = {[SOURCE_CPU] = m->cpu.feed, [SOURCE_PERF] = m->perf.feed},
		.refresh_s = REFRESH_NS * 1e-9,
		.point_s = REFRESH_NS * 1e-9,
		.per_instance = each,
		.foot = {"load 2.41 1.98 1.75   memory 3.21 GB of 7.66 GB   bigcore0-thermal 57.3 C",
			 "busiest thread   62 % of the time  RenderThread of com.studio.game (4711)",
			 "thread 62 % + GPU 36 % = 98 %: they seem to take turns (scheduling bound): find "
			 "waits for the GPU"}};
	AUTO_STRBUF struct strbuf out = {0};
	struct foot_keys keys;
	struct canvas c;
	struct rect r;

	keys_foot(&keys, NULL, NEEDS_LIVE);
	data.feeds[SOURCE_PERF].about = m->about;
	canvas_init(&c, cols, rows, ascii);
	r = canvas_rect(&c);
	frame_draw(&(struct frame_text){.gpu = title,
					.driver = "no GPU",
					.span = "100 ms, mean of 0.5 s",
					.time = "14:02:11",
					.dropped = "0 dropped",
					.keys = &keys},
		   &m->views, view, &c, &r);
	view_draw(view, &data, &c, r);
	canvas_dump(&c, &out);
	canvas_fini(&c);
	return take_ptr(&out.p);
}

TEST(counters_of_cpus_look_as_they_did)
{
	static const struct {
		const char *view;
		int cols, rows;
		bool ascii, each;
	} variants[] = {{"cpu", 120, 40, false, false},    {"cpu", 120, 40, false, true},
			{"cpu", 160, 48, false, false},    {"cpu", 160, 48, false, true},
			{"cpu", 80, 24, false, false},     {"cpu", 80, 24, true, false},
			{"counters", 80, 24, false, false}};
	int differ = 0;

	for (size_t i = 0; i < ARRAY_LEN(machines); i++) {
		struct golden_perf_machine m;

		machine_init(&m, i);
		for (size_t v = 0; v < ARRAY_LEN(variants); v++) {
			int cols = variants[v].cols, rows = variants[v].rows;

			if (machines[i].off >= 0 && !variants[v].each)
				continue;
			AUTOFREE char *got = screen_text(&m, machines[i].title, variants[v].view, cols, rows,
							 variants[v].ascii, variants[v].each);
			AUTOFREE char *name = xasprintf("perf/%s-%s%s-%dx%d%s", variants[v].view,
							machines[i].name, variants[v].each ? "-each" : "",
							cols, rows, variants[v].ascii ? "-ascii" : "");

			differ += golden_compare(name, got);
		}
		machine_fini(&m);
	}
	assert_int_equal(differ, 0);
	assert_int_equal(golden_strays("perf"), 0);
}
