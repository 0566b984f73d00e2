/* The golden screens: every view over a simulated GPU and a CPU with fixed numbers, compared with
 * tests/golden/views/GPU-SIZE.txt, which has all views of that size one below the other.
 * MALITOP_GOLDEN_UPDATE=1 rewrites them; look at the difference before you keep it. */
#include "tests/support/golden_machine.h"

static void add_screen(struct strbuf *out, const struct golden_machine *m, const struct view *view, int cols,
		       int rows, bool ascii)
{
	assert_non_null(view);
	AUTOFREE char *got = screen_text(m, view, cols, rows, ascii);

	strbuf_printf(out, "%s", got);
}

/* The number of files that are not as they were. */
static int compare_screens(const struct strbuf *screens, const char *variant, int cols, int rows, bool ascii)
{
	AUTOFREE char *name = xasprintf("views/%s-%dx%d%s", variant, cols, rows, ascii ? "-ascii" : "");

	return golden_compare(name, screens->p);
}

/* The screens of tests/golden: every view of each of these at each of these sizes. */
static const struct {
	const char *gpu, *name; /* NULL: no GPU */
} gpus[] = {{"Mali-G52", "g52"}, {"Mali-G715", "g715"}, {"Mali-G625", "g625"}, {NULL, "none"}};

static const struct {
	int cols, rows;
	bool ascii;
} sizes[] = {{80, 24, false}, {80, 24, true}, {100, 30, false}, {160, 48, false}, {200, 60, false}};

TEST(every_view_looks_as_it_did)
{
	int differ = 0;

	for (size_t g = 0; g < ARRAY_LEN(gpus); g++) {
		struct golden_machine m;

		machine_init(&m, gpus[g].gpu, NULL);
		for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
			AUTO_STRBUF struct strbuf out = {0};

			for (unsigned v = 0; v < m.views.n_views; v++)
				add_screen(&out, &m, &m.views.views[v], sizes[s].cols, sizes[s].rows,
					   sizes[s].ascii);
			differ += compare_screens(&out, gpus[g].name, sizes[s].cols, sizes[s].rows,
						  sizes[s].ascii);
		}
		machine_fini(&m);
	}
	assert_int_equal(differ, 0);
}

TEST(small_screens_and_those_by_core_look_as_they_did)
{
	AUTO_STRBUF struct strbuf tiny = {0}, each = {0};
	struct golden_machine m;
	int differ;

	machine_init(&m, "Mali-G715", NULL);
	for (unsigned v = 0; v < m.views.n_views; v++)
		add_screen(&tiny, &m, &m.views.views[v], 40, 10, v % 2);
	differ = compare_screens(&tiny, "g715", 40, 10, false);
	m.data.per_instance = true;
	for (unsigned v = 0; v < m.views.n_views; v++)
		add_screen(&each, &m, &m.views.views[v], 160, 48, false);
	add_screen(&each, &m, views_find(&m.views, "core"), 80, 24, false);
	add_screen(&each, &m, views_find(&m.views, "cpu"), 100, 30, false);
	differ += compare_screens(&each, "g715-each", 160, 48, false);
	machine_fini(&m);
	assert_int_equal(differ, 0);
}

TEST(heat_and_memory_are_shown_where_the_machine_tells_them)
{
	static const struct system system = {.g = {.n_zones = 1,
						   .source = {[GPU_SYSTEM_UTILIZATION].file.path = "load",
							      [GPU_SYSTEM_MEMORY].file.path = "gpu_memory"}},
					     .values = {{[GPU_SYSTEM_TEMPERATURE] = 54538,
							 [GPU_SYSTEM_UTILIZATION] = 91,
							 [GPU_SYSTEM_MEMORY] = 734003200}}};
	AUTO_STRBUF struct strbuf out = {0};
	struct golden_machine m;

	machine_init(&m, "Mali-G715", &system);
	add_screen(&out, &m, views_find(&m.views, "overview"), 100, 30, false);
	add_screen(&out, &m, views_find(&m.views, "memory"), 100, 30, false);
	assert_int_equal(compare_screens(&out, "g715-system", 100, 30, false), 0);
	machine_fini(&m);
}

/* Whether Overview has the text in that size. */
static bool overview_has(const struct golden_machine *m, int cols, int rows, const char *text)
{
	AUTOFREE char *got = screen_text(m, views_find(&m->views, "overview"), cols, rows, true);

	return strstr(got, text) != NULL;
}

TEST(each_cpu_has_its_history_where_lines_are_left_over)
{
	static const struct {
		int cols, rows;
		bool cpus;
	} cases[] = {{80, 24, false}, {100, 30, false}, {120, 36, false}, {160, 48, true},
		     {160, 60, true}, {200, 60, true},  {240, 70, true},  {240, 90, true}};
	struct golden_machine m;
	unsigned kept;

	machine_init(&m, "Mali-G715", NULL);
	kept = m.data.feeds[SOURCE_CPU].n_vector;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int cols = cases[i].cols, rows = cases[i].rows;

		/* two CPUs side by side */
		assert_int_equal(overview_has(&m, cols, rows, "| cpu0   42.0 %  "), cases[i].cpus);
		assert_int_equal(overview_has(&m, cols, rows, "  cpu7   68.0 %  "), cases[i].cpus);
	}
	assert_true(overview_has(&m, 240, 90, "| each CPU ---"));
	assert_true(overview_has(&m, 240, 90, "| CPU over time ---"));
	/* what is not kept per CPU leaves its lines to the graph, and `c` shows each anyway */
	m.data.feeds[SOURCE_CPU].n_vector = kept - CPUS * (unsigned)ARRAY_LEN(cpu_slots);
	assert_false(overview_has(&m, 200, 60, "cpu0"));
	assert_true(overview_has(&m, 200, 60, "| CPU over time ---"));
	m.data.feeds[SOURCE_CPU].n_vector = kept;
	m.data.per_instance = true;
	assert_false(overview_has(&m, 200, 60, "each CPU"));
	machine_fini(&m);
}

TEST(no_golden_screen_is_left_over)
{
	assert_int_equal(golden_strays("views"), 0);
}

TEST(every_view_of_every_gpu_fits_every_size)
{
	static const int odd[][2] = {{1, 1},   {40, 10}, {41, 11},  {57, 13},  {80, 24},
				     {97, 25}, {99, 40}, {132, 60}, {500, 200}};
	static const char *const names[] = {"Mali-G52", "Mali-G1-Ultra", NULL};

	for (size_t g = 0; g < ARRAY_LEN(names); g++) {
		struct golden_machine m;

		machine_init(&m, names[g], NULL);
		for (unsigned i = 0; i < m.views.n_views * ARRAY_LEN(odd) * 4; i++) {
			const int *size = odd[i / 4 % ARRAY_LEN(odd)];

			m.data.per_instance = i & 1;
			m.data.feeds[SOURCE_GPU] = i & 2 ? (struct feed){.set = m.gpu.set}
							 : m.gpu.feed; /* nothing measured yet */
			m.data.scroll = &(struct view_scroll){.at = (int)(i % 7) * 10};
			AUTOFREE char *text = screen_text(&m, &m.views.views[i / 4 / ARRAY_LEN(odd)], size[0],
							  size[1], i % 3 == 0);

			assert_null(strstr(text, "nan"));
			assert_null(strstr(text, "inf "));
		}
		machine_fini(&m);
	}
}
