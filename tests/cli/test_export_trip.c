/* Round trip: the rows exported from a log are those recorded live, to the byte, for every product
 * and scenario, with a CPU, its counters and frames beside the GPUs; and raw counter tables give
 * the same values as the rows. */
#include "cli/commands.h"
#include "record/recorder_sink.h"
#include "session/devices.h"
#include "session/session_priv.h"
#include "backends/backends.h"
#include "base/alloc.h"
#include "base/file.h"
#include "tests/support/fixture.h"
#include "tests/support/perf_run.h"
#include "tests/support/sim_scenarios.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PERIOD_NS (100 * MS)
#define ROUNDS 5
#define WALL_AHEAD_NS 1700000000000000000ll
#define FILES 3

static const struct {
	enum output_format format;
	const char *name;
} files[FILES] = {{FORMAT_CSV, "live.csv"}, {FORMAT_JSONL, "live.jsonl"}, {FORMAT_MLOG, "run.mlog"}};

struct trip {
	char dir[40];
	struct gpudb *db;
	struct sys sys; /* the machine's own */
	struct fixture f;
	struct perf_run perf; /* all sources use its clock */
	struct source *proc, *passes, *gpus[SESSION_SOURCES_MAX];
	struct sample *sample; /* long enough for all */
	uint64_t seq[SESSION_SOURCES_MAX];
	struct options options;
	struct session session;
	struct recorder_sink *sinks[FILES];
	struct err err;
};

static int64_t wall_ns(const struct sys *sys)
{
	return sys->monotonic_ns(sys) + WALL_AHEAD_NS;
}

static char *path_of(const struct trip *t, const char *name)
{
	return xasprintf("%s/%s", t->dir, name);
}

/* ---- sources ---- */

static void trip_open(struct trip *t, bool per_core)
{
	const struct source_options what = {.db = t->db, .interval_ns = PERIOD_NS, .per_instance = per_core};

	perf_run_init(&t->perf, "rk3588");
	t->perf.options.per_instance = per_core;
	perf_run_begin(&t->perf, PERIOD_NS);
	fixture_init(&t->f, "rk3588");
	t->f.sys.realtime_ns = wall_ns;
	t->f.monotonic_ns = t->perf.fake.now_ns;
	t->proc = source_open(&t->f.sys, &backend_proc, &what, "", &t->err);
	assert_non_null(t->proc);
	assert_true(backend_proc.start(t->proc, 2 * PERIOD_NS, t->f.monotonic_ns, &t->err));
}

static void source_end(struct source *source)
{
	source->backend->stop(source);
	source->backend->close(source);
	source_free(source);
}

static void trip_close(struct trip *t)
{
	source_end(t->proc);
	perf_run_fini(&t->perf);
	fixture_fini(&t->f);
}

FIXTURE(trip_init)
{
	static struct trip t; /* static: the scanner's thread may outlive the test */

	t = (struct trip){.dir = "/tmp/malitop-test-XXXXXX"};
	assert_non_null(mkdtemp(t.dir));
	assert_true(sys_init(&t.sys, NULL, &t.err));
	t.db = gpudb_load(NULL, 0, &t.err);
	assert_non_null(t.db);
	*state = &t;
	return 0;
}

FIXTURE(trip_fini)
{
	struct trip *t = *state;

	for (size_t i = 0; i < FILES; i++) {
		AUTOFREE char *path = path_of(t, files[i].name);

		unlink(path);
	}
	AUTOFREE char *out = path_of(t, "out");

	unlink(out);
	rmdir(t->dir);
	gpudb_free(t->db);
	sys_fini(&t->sys);
	return 0;
}

TEST_EACH(trip_init, trip_fini)

/* ---- a session of a CPU, a GPU in every scenario, and the CPU's counters; its recording ---- */

static void take_source(struct trip *t, const struct source *source)
{
	struct session_source *mine = &t->session.sources[t->session.n];

	if (!session_take_source(&t->session, source, &t->err))
		fail_msg("%s", t->err.text);
	mine->index = (uint32_t)(mine - t->session.sources);
	mine->period_ns = source->period_ns;
}

/* Frames of the simulated game, which has run for a while: a sample takes half a second. */
static void open_passes(struct trip *t, const struct gpu_product *product)
{
	struct source_options what = {.db = t->db,
				      .gpu_name = product->name,
				      .scenario = sim_scenarios[0].name,
				      .seed = 1,
				      .interval_ns = PERIOD_NS,
				      .history_ns = 20 * PERIOD_NS,
				      .frames_per_second = 60};

	t->passes = source_open(&t->f.sys, &backend_sim_passes, &what, "", &t->err);
	if (!t->passes || !backend_sim_passes.start(t->passes, PERIOD_NS, t->perf.fake.now_ns, &t->err))
		fail_msg("%s", t->err.text);
	take_source(t, t->passes);
}

/* The first GPU has the rows; its scenario changes with the product. */
static void begin_session(struct trip *t, const struct gpu_product *product, unsigned first, bool per_core)
{
	size_t longest = t->proc->n_slots;

	t->options = (struct options){.interval_ns = PERIOD_NS, .per_core = per_core, .force = true};
	t->session = (struct session){.sys = &t->f.sys, .options = &t->options, .db = t->db};
	take_source(t, t->proc);
	for (unsigned i = 0; i < sim_n_scenarios; i++) {
		struct source_options what = {.db = t->db,
					      .gpu_name = product->name,
					      .scenario = sim_scenarios[(first + i) % sim_n_scenarios].name,
					      .seed = 1 + i,
					      .interval_ns = PERIOD_NS,
					      .frames_per_second = 60,
					      .width = 1920,
					      .height = 1080,
					      .per_instance = per_core};
		struct source *gpu = source_open(&t->f.sys, &backend_sim, &what, "", &t->err);

		if (!gpu || !backend_sim.start(gpu, PERIOD_NS, t->perf.fake.now_ns, &t->err))
			fail_msg("%s", t->err.text);
		t->gpus[i] = gpu;
		take_source(t, gpu);
		longest = gpu->n_slots > longest ? gpu->n_slots : longest;
	}
	take_source(t, t->perf.source);
	longest = t->perf.source->n_slots > longest ? t->perf.source->n_slots : longest;
	open_passes(t, product);
	longest = t->passes->n_slots > longest ? t->passes->n_slots : longest;
	t->sample = xcalloc(1, sizeof(*t->sample) + (longest + t->passes->n_more) * sizeof(uint64_t));
	session_show_first(&t->session);
}

static void end_session(struct trip *t)
{
	for (unsigned i = 0; i < sim_n_scenarios; i++)
		source_end(t->gpus[i]);
	source_end(t->passes);
	free(take_ptr(&t->sample));
	t->session.db = NULL; /* not freed with the session */
	session_close(&t->session);
	memset(t->seq, 0, sizeof(t->seq));
}

static void begin_files(struct trip *t)
{
	for (size_t i = 0; i < FILES; i++) {
		AUTOFREE char *path = path_of(t, files[i].name);
		struct log_file *file =
			log_file_open(&t->sys, path, &(struct log_file_options){.force = true}, &t->err);

		assert_non_null(file);
		t->options.format = files[i].format;
		t->sinks[i] = files[i].format == FORMAT_MLOG
				      ? recorder_mlog_new(&t->session)
				      : recorder_rows_new(&t->session, &(struct recorder_form){0}, &t->err);
		if (!t->sinks[i])
			fail_msg("%s", t->err.text);
		t->sinks[i]->file = file;
		assert_true(t->sinks[i]->kind->begin(t->sinks[i], &t->err));
	}
}

static void end_files(struct trip *t)
{
	for (size_t i = 0; i < FILES; i++) {
		struct log_file *file = t->sinks[i]->file;

		assert_true(t->sinks[i]->kind->end(t->sinks[i], NULL, &t->err));
		t->sinks[i]->kind->free(t->sinks[i]);
		assert_true(log_file_close(file, &t->err));
	}
}

/* ---- samples ---- */

/* Includes failed samples, losses, gaps and a clock that changes. */
static void push_sample(struct trip *t, unsigned source, unsigned round)
{
	const struct session_source *s = &t->session.sources[source];
	static const uint32_t flags[ROUNDS] = {0, SAMPLE_ERROR, SAMPLE_STRETCHED, SAMPLE_GAP | SAMPLE_CLOCK,
					       0};

	t->sample->source = source;
	t->sample->n_values = (uint16_t)(t->options.per_core ? s->n_slots : s->n_sums);
	t->sample->flags |= flags[(round + source) % ROUNDS];
	t->sample->lost = round == 2 ? 3 : 0;
	t->sample->seq = t->seq[source] += 1 + t->sample->lost;
	for (size_t i = 0; i < FILES; i++)
		assert_true(t->sinks[i]->kind->sample(t->sinks[i], t->sample, &t->err));
	t->sample->flags = 0;
}

static void push_mark(struct trip *t)
{
	const struct mlog_note mark = {.kind = MLOG_NOTE_MARK,
				       .time_ns = t->perf.fake.now_ns - MS,
				       .source = -1,
				       .value = 1,
				       .text = "here"};

	for (size_t i = 0; i < FILES; i++)
		assert_true(t->sinks[i]->kind->note(t->sinks[i], &mark, &t->err));
}

static bool read_passes(struct trip *t, int64_t now_ns)
{
	t->sample->n_more = (uint16_t)t->passes->n_more;
	return backend_sim_passes.read(t->passes, now_ns, t->sample) == READ_GOT;
}

static void run_round(struct trip *t, unsigned round)
{
	int64_t now;

	if (perf_run_read(&t->perf, 2 * PERIOD_NS) != READ_GOT)
		fail_msg("no sample of the CPU's counters");
	now = t->f.monotonic_ns = t->perf.fake.now_ns;
	memcpy(t->sample, t->perf.sample, sizeof(*t->sample) + t->perf.source->n_slots * sizeof(uint64_t));
	push_sample(t, 1 + sim_n_scenarios, round);
	if (round == 3)
		push_mark(t);
	if (backend_proc.read(t->proc, now, t->sample) == READ_GOT)
		push_sample(t, 0, round);
	while (read_passes(t, now))
		push_sample(t, 2 + sim_n_scenarios, round);
	t->sample->n_more = 0;
	for (unsigned i = sim_n_scenarios; i-- > 0;)
		while (backend_sim.read(t->gpus[i], now, t->sample) == READ_GOT)
			push_sample(t, 1 + i, round);
	for (size_t i = 0; i < FILES; i++)
		assert_true(round % 2 || t->sinks[i]->kind->flush(t->sinks[i], &t->err));
}

static void record_file(struct trip *t)
{
	begin_files(t);
	for (unsigned round = 0; round < ROUNDS; round++)
		run_round(t, round);
	end_files(t);
}

/* ---- comparing ---- */

static char *read_text(const char *path)
{
	struct err err;
	char *text;
	size_t n;

	if (!file_read(path, (size_t)1 << 28, &text, &n, &err))
		fail_msg("%s", err.text);
	assert_int_equal(strlen(text), n);
	return text;
}

/* The log as text, freed by the caller. */
static char *export_as(struct trip *t, enum output_format format, int64_t step_ns)
{
	AUTOFREE char *log = path_of(t, "run.mlog");
	AUTOFREE char *out = path_of(t, "out");
	const struct options o = {.command = COMMAND_EXPORT,
				  .operand = log,
				  .log = out,
				  .format = format,
				  .per_core = t->options.per_core,
				  .step_ns = step_ns,
				  .force = true};

	if (export_log_run(&t->sys, &o, &t->err) != EXIT_DONE)
		fail_msg("%s", t->err.text);
	return read_text(out);
}

static void assert_same_text(const char *got, const char *expected, const char *what)
{
	unsigned line = 1;
	size_t i = 0;

	for (; got[i] == expected[i] && got[i]; i++)
		line += got[i] == '\n';
	if (got[i] || expected[i])
		fail_msg("%s: line %u: '%.80s' instead of '%.80s'", what, line, got + i, expected + i);
}

/* The log of a live screen has no verdicts, because the screen marks their changes. */
static void leave_out_verdicts(char *text)
{
	static const char member[] = "\"verdict\":\"unclear\",";

	for (char *at = text; (at = strstr(at, member));)
		memmove(at, at + strlen(member), strlen(at + strlen(member)) + 1);
}

/* So the log has them as they were live. */
static void has_percentiles(enum output_format format, const char *live)
{
	static const char *const names[] = {"frame.p50_ms", "frame.p95_ms", "frame.p99_ms",
					    "frame.longest_ms"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		AUTOFREE char *member = xasprintf("\"%s\":", names[i]);
		const char *at = strstr(live, format == FORMAT_CSV ? names[i] : member);

		if (!at)
			fail_msg("no %s", names[i]);
		for (at += strlen(member); format != FORMAT_CSV && at && !(*at >= '1' && *at <= '9');)
			at = (at = strstr(at, member)) ? at + strlen(member) : NULL;
		if (!at)
			fail_msg("%s is never known", names[i]);
	}
}

static void rows_of_a_log_are_those_that_were_live(struct trip *t, const char *product)
{
	for (size_t i = 0; i < FILES && files[i].format != FORMAT_MLOG; i++) {
		AUTOFREE char *path = path_of(t, files[i].name);
		AUTOFREE char *live = read_text(path);
		AUTOFREE char *exported = export_as(t, files[i].format, 0);

		leave_out_verdicts(exported);
		assert_same_text(exported, live, product);
		has_percentiles(files[i].format, live);
		assert_non_null(strstr(live, "mark"));
		assert_non_null(strstr(live, "gap"));
	}
}

/* The cell of a column in the only row. */
static struct span cell(struct span header, struct span row, struct span name)
{
	while (header.n) {
		struct span column = span_until(&header, ','), value = span_until(&row, ',');

		if (span_eq(span_trim(column), name))
			return span_trim(value);
	}
	fail_msg("no column %.*s", SPAN_ARG(name));
	return row;
}

static bool is_same_value(struct span a, struct span b)
{
	AUTOFREE char *text_a = span_dup(a);
	AUTOFREE char *text_b = span_dup(b);
	double x = strtod(text_a, NULL), y = strtod(text_b, NULL);

	return a.n && b.n ? fabs(x - y) <= 1e-10 * fmax(fabs(x), fabs(y)) + 1e-9 : !a.n && !b.n;
}

/* eval prints twelve digits. */
static void table_gives_the_values_of_its_row(struct trip *t, const struct gpu_product *product)
{
	AUTOFREE char *table = export_as(t, FORMAT_COUNTERS, 3600 * 1000 * MS);
	AUTOFREE char *csv = export_as(t, FORMAT_CSV, 3600 * 1000 * MS);
	AUTO_STRBUF struct strbuf values = {0};
	struct span row = span_of(csv), header = span_until(&row, '\n'), rest;
	unsigned n = 0;

	if (!eval_table(t->db, product, DEFINITIONS_CURRENT, "table", span_of(table), &values, &t->err))
		fail_msg("%s", t->err.text);
	rest = (struct span){values.p, values.n};
	span_until(&rest, '\n');
	for (; rest.n; n++) {
		struct span line = span_until(&rest, '\n'), name, value, in_row;

		span_until(&line, '\t');
		name = span_until(&line, '\t');
		value = span_until(&line, '\t');
		in_row = cell(header, row, name);
		if (!is_same_value(value, in_row))
			fail_msg("%s: %.*s: %.*s in the table, %.*s in the row", product->name,
				 SPAN_ARG(name), SPAN_ARG(value), SPAN_ARG(in_row));
	}
	assert_true(n > 20);
}

static void every_product_and_scenario(struct trip *t, bool per_core)
{
	trip_open(t, per_core);
	for (unsigned i = 0; i < t->db->n_products; i += GPU_STEP) {
		const struct gpu_product *product = gpudb_product(t->db, i);

		begin_session(t, product, i, per_core);
		record_file(t);
		rows_of_a_log_are_those_that_were_live(t, product->name);
		if (per_core)
			table_gives_the_values_of_its_row(t, product);
		end_session(t);
	}
	trip_close(t);
}

TEST(logs_of_sums_give_the_rows_that_were_live)
{
	every_product_and_scenario(*state, false);
}

TEST(logs_of_every_core_give_the_rows_that_were_live_and_tables)
{
	every_product_and_scenario(*state, true);
}

int main(void)
{
	load_scenarios();

	return test_run();
}
