/* Metrics as OpenMetrics text. */
#include "export/openmetrics.h"

#include "base/crc32c.h"
#include "base/file.h"
#include "base/str.h"
#include "model/embed.h"
#include "tests/support/export_machine.h"

#include <ctype.h>
#include <math.h>

/* ---- names ---- */

static enum source_kind kind_of(const struct metric_def *def)
{
	return strncmp(def->name, "CPU", 3) == 0 || strchr(def->name, '.') ? SOURCE_CPU : SOURCE_GPU;
}

static void name_of(const struct metric_def *def, bool grows, struct openmetrics_name *name)
{
	openmetrics_name(&(struct metric){.def = def, .unit = def->unit, .grows = grows}, kind_of(def), name);
}

FIXTURE(reset_options)
{
	struct export_machine *m = *state;

	m->options.metrics = NULL;
	return 0;
}

TEST(every_shipped_metric_has_a_name_of_its_own)
{
	struct err err = {0};
	struct gpudb *db = gpudb_load(NULL, 0, &err);
	struct openmetrics_name *names;

	assert_non_null(db);
	names = xcalloc(db->n_metrics, sizeof(*names));
	for (unsigned i = 0; i < db->n_metrics; i++) {
		const struct metric_def *def = &db->metrics[i];
		struct metric_def unnamed;
		struct openmetrics_name by_title;

		if (!def->by_title)
			fail_msg("%s: %s has no stanza 'prometheus titles'", def->name, def->file);
		name_of(def, false, &names[i]);
		unnamed = *def;
		unnamed.prometheus.n = 0;
		name_of(&unnamed, false, &by_title);
		if (def->prometheus.n && strcmp(by_title.text, names[i].text) == 0)
			fail_msg("%s: its title gives the same name as its field 'prometheus'", def->name);
		for (const char *p = names[i].text; *p; p++)
			assert_true(islower((unsigned char)*p) || isdigit((unsigned char)*p) || *p == '_');
		assert_null(strstr(names[i].text, "__"));
		for (unsigned k = 0; k < i; k++)
			if (strcmp(names[i].text, names[k].text) == 0)
				fail_msg("%s and %s: both %s", def->name, db->metrics[k].name, names[i].text);
	}
	free(names);
	gpudb_free(db);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Append "FILE COUNT CHECKSUM", of the names of the metrics that the file of this one defines. */
static void sum_file(const struct gpudb *db, const char *file, struct strbuf *out)
{
	char **lines = xcalloc(db->n_metrics, sizeof(*lines));
	struct openmetrics_name name;
	unsigned n = 0;
	uint32_t sum = 0;

	for (unsigned i = 0; i < db->n_metrics; i++)
		if (strcmp(db->metrics[i].file, file) == 0) {
			name_of(&db->metrics[i], false, &name);
			lines[n++] = xasprintf("%s %s\n", db->metrics[i].name, name.text);
		}
	qsort(lines, n, sizeof(*lines), by_text);
	for (unsigned i = 0; i < n; i++) {
		sum = crc32c(sum, lines[i], strlen(lines[i]));
		free(lines[i]);
	}
	free(lines);
	strbuf_printf(out, "%s %u %08x\n", file, n, sum);
}

/* Stored series, dashboards and alerts of users have these names. */
TEST(names_of_shipped_metrics_stay)
{
	const char *srcdir = getenv("srcdir");
	AUTOFREE char *path = xasprintf("%s/tests/golden/openmetrics-sums.txt", srcdir ? srcdir : ".");
	AUTO_STRBUF struct strbuf got = {0};
	AUTOFREE char *want = NULL;
	struct err err = {0};
	struct gpudb *db = gpudb_load(NULL, 0, &err);
	size_t n;

	for (const struct embedded *e = embedded_data; e->file; e++)
		if (file_has_ending(e->file, ".metrics"))
			sum_file(db, e->file, &got);
	gpudb_free(db);
	if (getenv("MALITOP_GOLDEN_UPDATE") && !file_replace(path, got.p, got.n, &err))
		fail_msg("%s", err.text);
	if (file_read(path, 4096, &want, &n, &err) && strcmp(want, got.p) == 0)
		return;
	print_error(
		"%s (file, metrics, checksum of their names) is not as the data, which has:\n%s"
		"If a title or unit changed, the name in Prometheus may not: write the old name into a field "
		"'prometheus' of the metric.\n"
		"If metrics were added or removed, renew the file: "
		"MALITOP_GOLDEN_UPDATE=1 tests/export/test_openmetrics\n",
		path, got.p);
	fail();
}

TEST(names_have_base_units)
{
	static const struct {
		const char *metric, *text, *unit;
		double divisor;
	} cases[] = {
		{"MaliFragQueueActiveCy", "mali_fragment_queue_active_cycles", "cycles", 1},
		{"MaliFragQueueUtil", "mali_fragment_queue_utilization_ratio", "ratio", 100},
		{"MaliCoreFullWarpRate", "mali_full_warp_ratio", "ratio", 100},
		{"MaliExtBusRdBPS", "mali_output_external_read_bandwidth_bytes_per_second",
		 "bytes_per_second", 1},
		{"MaliSCBusFFEL2RdBy", "mali_front_end_unit_read_from_l2_cache_bytes", "bytes", 1},
		{"MaliConfigCoreCount", "mali_shader_cores", "", 1},
		{"GPUClock", "mali_gpu_clock_hertz", "hertz", 1},
		{"GPUTemp", "mali_gpu_temperature_celsius", "celsius", 1},
		{"GPUMem", "mali_gpu_memory_bytes", "bytes", 1},
		{"CPUContextSwitches", "malitop_context_switches", "", 1},
		{"CPUInstructions", "malitop_retired_instructions", "instructions", 1},
		{"frame.p95_ms", "malitop_frame_time_95th_percentile_seconds", "seconds", 1000},
	};
	struct err err = {0};
	struct gpudb *db = gpudb_load(NULL, 0, &err);

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct openmetrics_name name;

		name_of(metric_def_find(db, span_of(cases[i].metric)), false, &name);
		assert_string_equal(name.text, cases[i].text);
		assert_string_equal(name.unit, cases[i].unit);
		assert_float_equal(name.divisor, cases[i].divisor, 0);
	}
	gpudb_free(db);
}

TEST(a_title_names_a_metric_with_its_unit_at_the_end)
{
	static const struct {
		const char *title, *unit, *text;
	} cases[] = {
		{"GPU active cycles", "cycles", "mali_gpu_active_cycles"},
		{"CPUs, L2 (64-bit)", "count", "mali_cpus_l2_64_bit"},
		{"Share of the GPU's frame", "percent", "mali_share_of_the_gpus_frame_ratio"},
		{"L2 cache read miss percentage", "percent", "mali_l2_cache_read_miss_ratio"},
		{"Error percentage", "count", "mali_error_percentage"},
		{"Read beats from L2 cache", "beats", "mali_read_from_l2_cache_beats"},
		{"Beats of off-beats", "beats", "mali_beats_of_off_beats"},
		{"Upbeats of drums", "beats", "mali_upbeats_of_drums_beats"},
		{"Upbeats and beats of drums", "beats", "mali_upbeats_and_of_drums_beats"},
		{"Tiles", "tiles", "mali_tiles"},
		{"Frames per second, by pixels", "frames/second", "mali_by_pixels_frames_per_second"},
		{"Frame time", "milliseconds", "mali_frame_time_seconds"},
		{"Caf\xc3\xa9 #1", "bytes", "mali_caf_1_bytes"},
		{"A title of so many words that no series in any database can have a name that is made of "
		 "them all",
		 "bytes",
		 "mali_a_title_of_so_many_words_that_no_series_in_any_database_can_have_a_name_that_is_made_"
		 "of_bytes"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct metric_def def = {.name = "MaliThing",
					 .title = cases[i].title,
					 .by_title = true,
					 .unit = unit_find(span_of(cases[i].unit))};
		struct openmetrics_name name;

		openmetrics_name(&(struct metric){.def = &def, .unit = def.unit}, SOURCE_GPU, &name);
		assert_string_equal(name.text, cases[i].text);
		def.prometheus = SPAN_LIT("old");
		openmetrics_name(&(struct metric){.def = &def, .unit = unit_find(SPAN_LIT("count"))},
				 SOURCE_GPU, &name);
		assert_string_equal(name.text, "mali_old");
	}
}

/* A guide may have another unit. The name has both, so that two units are never one series. */
TEST(a_unit_of_a_guide_follows_that_of_the_metric)
{
	const struct metric_def def = {.name = "MaliFragShadRate",
				       .title = "Shading rate",
				       .by_title = true,
				       .unit = unit_find(SPAN_LIT("percent"))};
	struct openmetrics_name name;

	openmetrics_name(&(struct metric){.def = &def, .unit = unit_find(SPAN_LIT("coarse quads/fine quad"))},
			 SOURCE_GPU, &name);
	assert_string_equal(name.text, "mali_shading_rate_ratio_coarse_quads_per_fine_quad");
	assert_string_equal(name.unit, "coarse_quads_per_fine_quad");
	assert_float_equal(name.divisor, 1, 0);
}

/* Without `prometheus titles`, as in a file of a user's. */
TEST(the_machine_name_is_the_default)
{
	static const struct {
		const char *metric, *field, *text;
	} cases[] = {
		{"MaliGPUActiveCy", "", "mali_gpu_active_cy_cycles"},
		{"MyCost.2", "", "mali_my_cost_2_cycles"},
		{"MaliGPUActiveCy", "busy", "mali_busy_cycles"},
		{"MaliGPUActiveCy", "busy_cycles", "mali_busy_cycles"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (unsigned k = 0; k < 2; k++) {
			const struct metric_def def = {.name = cases[i].metric,
						       .title = k ? "Other words" : "Words",
						       .prometheus = span_of(cases[i].field),
						       .unit = unit_find(SPAN_LIT("cycles"))};
			struct openmetrics_name name;

			openmetrics_name(&(struct metric){.def = &def, .unit = def.unit}, SOURCE_GPU, &name);
			assert_string_equal(name.text, cases[i].text);
		}
}

TEST(two_metrics_of_one_name_are_an_error)
{
	const struct unit *unit = unit_find(SPAN_LIT("cycles"));
	struct metric_def defs[] = {{.name = "A", .prometheus = SPAN_LIT("busy"), .unit = unit},
				    {.name = "B", .prometheus = SPAN_LIT("idle"), .unit = unit},
				    {.name = "C", .prometheus = SPAN_LIT("busy_cycles"), .unit = unit}};
	struct metric metrics[ARRAY_LEN(defs)];
	struct export_column columns[ARRAY_LEN(defs)];
	struct export_source source = {.kind = SOURCE_GPU};
	struct export_table table = {.sources = &source, .columns = columns, .n_metrics = 2};
	struct err err = {0};

	for (size_t i = 0; i < ARRAY_LEN(defs); i++) {
		metrics[i] = (struct metric){.def = &defs[i], .unit = unit};
		columns[i] = (struct export_column){.metric = &metrics[i]};
	}
	assert_true(openmetrics_check(&table, &err));
	table.n_metrics = 3;
	assert_false(openmetrics_check(&table, &err));
	assert_string_equal(err.text,
			    "metrics A and C: both are mali_busy_cycles in Prometheus: give one of them a "
			    "field 'prometheus'");
	defs[2].name = "A"; /* of another device */
	assert_true(openmetrics_check(&table, &err));
}

/* ---- text ---- */

/* Arrange a table of the sources, and write one sample of each with these lines. */
static void write_table(struct export_machine *m, struct openmetrics_lines lines)
{
	struct export_table table = {.options = &m->options, .sources = m->sources, .n_sources = 3};
	double *values;
	struct err err = {0};

	m->sources[CPU].kind = SOURCE_CPU;
	m->sources[GPU1].number = 1;
	m->sources[GPU1].simulated = true;
	assert_true(export_columns(&table, &err));
	openmetrics_arrange(&table);
	values = xcalloc(table.n_metrics, sizeof(*values));
	for (unsigned i = 0; i < table.n_metrics; i++)
		values[i] = strcmp(table.columns[i].metric->def->name, "Heat") == 0 ? (double)NAN : 10.5 + i;
	strbuf_clear(&m->out);
	openmetrics_table(&table, &lines, values, &m->out);
	export_columns_free(&table);
	free(values);
}

TEST_WITH(counts_are_counters_and_the_rest_are_gauges, NULL, reset_options)
{
	struct export_machine *m = *state;

	write_table(m, (struct openmetrics_lines){.head = true, .labels = ""});
	assert_string_equal(
		m->out.p,
		"# TYPE mali_frag_util_ratio gauge\n# UNIT mali_frag_util_ratio ratio\n"
		"# HELP mali_frag_util_ratio Fragment (MaliFragUtil)\n"
		"mali_frag_util_ratio{gpu=\"0\",product=\"Mali-Test\"} 0.105\n"
		"mali_frag_util_ratio{gpu=\"1\",product=\"Mali-Test\",simulated=\"true\"} 0.115\n"
		"# TYPE mali_gpu_active_cy_cycles counter\n# UNIT mali_gpu_active_cy_cycles cycles\n"
		"# HELP mali_gpu_active_cy_cycles GPU active (MaliGPUActiveCy)\n"
		"mali_gpu_active_cy_cycles_total{gpu=\"0\",product=\"Mali-Test\"} 12.5\n"
		"mali_gpu_active_cy_cycles_total{gpu=\"1\",product=\"Mali-Test\",simulated=\"true\"} 13.5\n"
		"# TYPE malitop_cpu_load counter\n# HELP malitop_cpu_load Load (CPULoad)\n"
		"malitop_cpu_load_total 14.5\n");
}

TEST_WITH(classic_form_has_no_units, NULL, reset_options)
{
	struct export_machine *m = *state;

	m->options.metrics = "CPULoad";
	write_table(m, (struct openmetrics_lines){.form = OPENMETRICS_CLASSIC,
						  .head = true,
						  .labels = "host=\"a\"",
						  .time_ns = 1700000000250000000});
	assert_string_equal(
		m->out.p,
		"# TYPE malitop_cpu_load_total counter\n# HELP malitop_cpu_load_total Load (CPULoad)\n"
		"malitop_cpu_load_total{host=\"a\"} 10.5 1700000000.250000000\n");
}

TEST_WITH(parts_replace_their_sum, NULL, reset_options)
{
	struct export_machine *m = *state;

	m->options.metrics = "MaliFragActiveCy,CPULoad";
	m->options.per_core = true;
	write_table(m, (struct openmetrics_lines){.labels = ""});
	m->options.per_core = false;
	assert_string_equal(
		m->out.p,
		"mali_frag_active_cy_cycles_total{gpu=\"0\",product=\"Mali-Test\",core=\"0\"} 10.5\n"
		"mali_frag_active_cy_cycles_total{gpu=\"0\",product=\"Mali-Test\",core=\"3\"} 11.5\n"
		"mali_frag_active_cy_cycles_total{gpu=\"1\",product=\"Mali-Test\",core=\"0\",simulated="
		"\"true\"} 12.5\n"
		"mali_frag_active_cy_cycles_total{gpu=\"1\",product=\"Mali-Test\",core=\"3\",simulated="
		"\"true\"} 13.5\n"
		"malitop_cpu_load_total{cpu=\"5\"} 14.5\n");
}

TEST(labels_are_escaped)
{
	AUTO_STRBUF struct strbuf labels = {0};

	openmetrics_label(&labels, "a", "1\"2\\3\n4");
	openmetrics_label(&labels, "b", "");
	assert_string_equal(labels.p, "a=\"1\\\"2\\\\3\\n4\",b=\"\"");
}

TEST_GROUP(machine_init, machine_fini)
