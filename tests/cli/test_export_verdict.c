/* A log of all scenarios, one after the other: the verdicts in its export follow them. */
#include "backends/sim/sim_device.h"
#include "cli/commands.h"
#include "backends/process/process_scan.h"
#include "report/report.h"
#include "base/file.h"
#include "tests/support/fixture.h"
#include "tests/support/log_bench.h"
#include "tests/support/scenes.h"

#define SCENE_NS (6 * SECOND_NS)
#define DECIDES_NS (2 * SECOND_NS)

/* The simulated time begins with the scene. */
static void log_processes(struct log_bench *b, void *processes, int64_t begin_ns)
{
	const struct process_query query = {.threads_of = 4};
	struct process_list *list = sim_processes.read(processes, &query, b->now_ns - begin_ns);
	struct err err;

	list->begin_ns += begin_ns;
	list->end_ns += begin_ns;
	assert_true(mlog_writer_processes(b->writer, list, &err));
	process_list_free(list);
}

/* Record a scenario in the place of the one before; its GPU has the same slots. */
static void log_scene(struct log_bench *b, const char *gpu, const char *scenario)
{
	const struct source_options o = {.db = b->db,
					 .gpu_name = gpu,
					 .scenario = scenario,
					 .seed = 5,
					 .interval_ns = 100 * MS,
					 .frames_per_second = 60,
					 .width = 1920,
					 .height = 1080};
	int64_t begin_ns = b->now_ns - LOG_BEGIN_NS;
	void *processes = sim_processes.new(NULL, &o);

	sim_run_fini(&b->runs[0]);
	sim_run_init(&b->runs[0], &o, 100 * MS);
	b->sources[0].slots = b->runs[0].source.slots;
	for (int64_t ns = 0; ns < SCENE_NS; ns += SECOND_NS / 2) {
		if (ns < SECOND_NS || ns % SECOND_NS == 0)
			log_processes(b, processes, LOG_BEGIN_NS + begin_ns);
		log_until(b, begin_ns + ns + SECOND_NS / 2);
	}
	sim_processes.free(processes);
}

/* "...,\"verdict\":\"NAME\",..." */
static struct span verdict_in(struct span object)
{
	static const char key[] = "\"verdict\":\"";
	const char *at = memmem(object.p, object.n, key, strlen(key));
	struct span rest;

	if (!at)
		return (struct span){"", 0};
	rest = (struct span){at + strlen(key), object.n - (size_t)(at + strlen(key) - object.p)};
	return span_until(&rest, '"');
}

static void check_timeline(const char *gpu, const char *text)
{
	struct span rest = span_of(text);
	int64_t ns = 0;

	span_until(&rest, '\n'); /* describes the log */
	while (rest.n) {
		struct span verdict = verdict_in(span_until(&rest, '\n'));
		const struct scene_verdict *scene = &scene_verdicts[ns / SCENE_NS];

		ns += 100 * MS; /* the end of this row */
		if (ns % SCENE_NS > DECIDES_NS && !scene_is_right(scene, verdict))
			fail_msg("%s, %s after %.1f s: %.*s", gpu, scene->scenario,
				 (double)(ns % SCENE_NS) * 1e-9, SPAN_ARG(verdict));
	}
	assert_int_equal(ns, (int64_t)SCENE_VERDICTS * SCENE_NS);
}

TEST(the_verdicts_of_a_log_follow_its_scenes_within_two_seconds)
{
	struct gpudb *db = load_shipped();
	struct sys sys;
	struct err err;

	assert_true(sys_init(&sys, NULL, &err));
	for (unsigned g = 0; g < db->n_products; g += GPU_STEP) {
		struct options o = {.command = COMMAND_EXPORT, .format = FORMAT_JSONL, .metrics = "GPUBusy"};
		AUTOFREE char *out = NULL, *text = NULL;
		struct log_bench b;
		size_t n;

		log_begin(&b, &(struct log_what){{db->products[g].name}, {100 * MS}, "idle", false});
		for (size_t i = 0; i < SCENE_VERDICTS; i++)
			log_scene(&b, db->products[g].name, scene_verdicts[i].scenario);
		log_end(&b);
		out = xasprintf("%s.jsonl", b.path);
		o.operand = b.path;
		o.log = out;
		if (export_log_run(&sys, &o, &err) != EXIT_DONE || !file_read(out, 1 << 22, &text, &n, &err))
			fail_msg("%s", err.text);
		unlink(out);
		check_timeline(db->products[g].name, text);
		log_fini(&b);
	}
	gpudb_free(db);
	sys_fini(&sys);
}

static char *output_of(const struct sys *sys, struct options o, struct log_bench *b)
{
	AUTOFREE char *path = xasprintf("%s.out", b->path);
	struct err err = {0};
	char *text = NULL;
	size_t n;
	int status;

	o.operand = b->path;
	o.log = path;
	o.logs = (const char *[]){b->path};
	o.findings = true;
	status = o.command == COMMAND_REPORT ? report_run(sys, &o, &err) : export_log_run(sys, &o, &err);
	if (status != EXIT_DONE || !file_read(path, 1 << 22, &text, &n, &err))
		fail_msg("%s", err.text);
	unlink(path);
	return text;
}

/* Two scenes of one length: the GPU waits for half of the time, and holds the workload back in the
 * other half. */
TEST(export_and_report_have_the_same_verdict_of_a_log)
{
	static const char *const scenes[][3] = {{"idle", "fragment-bound", "mixed"},
						{"fragment-bound", "idle", "idle"}};
	struct gpudb *db = load_shipped();
	struct sys sys;
	struct err err;

	assert_true(sys_init(&sys, NULL, &err));
	for (size_t i = 0; i < ARRAY_LEN(scenes); i++) {
		AUTOFREE char *json = NULL, *text = NULL, *page = NULL, *says = NULL, *begins = NULL;
		const char *at;
		double share;
		struct log_bench b;

		log_begin(&b, &(struct log_what){{"Mali-G715"}, {100 * MS}, "idle", false});
		for (size_t k = 0; k < ARRAY_LEN(scenes[i]); k++)
			log_scene(&b, "Mali-G715", scenes[i][k]);
		log_end(&b);
		json = output_of(&sys,
				 (struct options){.command = COMMAND_EXPORT,
						  .format = FORMAT_JSONL,
						  .metrics = "GPUBusy"},
				 &b);
		text = output_of(&sys,
				 (struct options){.command = COMMAND_EXPORT,
						  .format = FORMAT_TABLE,
						  .metrics = "GPUBusy"},
				 &b);
		page = output_of(
			&sys, (struct options){.command = COMMAND_REPORT, .format = FORMAT_MD, .n_logs = 1},
			&b);
		at = strstr(json, "{\"verdict\":{\"id\":\"gpu-fragment\",\"confidence\":\"clear\",");
		assert_non_null(at);
		share = strtod(strstr(at, "\"share\":") + strlen("\"share\":"), NULL);
		assert_true(share > 0.25 && share < 0.4);
		says = xasprintf("GPU bound: fragment (clear, %.0f %% of the time)", share * 100);
		begins = xasprintf("verdict  %s: ", says);
		if (!strstr(text, begins))
			fail_msg("export does not say '%s': %s", begins, text);
		if (!strstr(page, says))
			fail_msg("report does not say '%s': %.200s", says, page);
		log_fini(&b);
	}
	gpudb_free(db);
	sys_fini(&sys);
}
