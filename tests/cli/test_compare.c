/* export --compare: the totals of two logs beside each other, the largest change first. */
#include "cli/commands.h"
#include "base/file.h"
#include "tests/support/mlog_file.h"
#include "tests/support/test.h"

#include <unistd.h>

#define SAMPLES 4

/* Counts of one second, which the samples share equally. */
static const struct {
	const char *name;
	unsigned before, after;
} counts[] = {{"CPUContextSwitches", 100, 160}, {"CPUMigrations", 80, 8},
	      {"CPUPageFaults", 40, 40},        {"CPUPageFaultsMajor", 0, 4},
	      {"CPUBranches", 1000, 1000},      {"CPUBranchMispredicts", 24, 460}};

struct compare_bench {
	char dir[40], before[60], after[60], out[60];
	struct sys sys;
	struct options options;
	char *text;
	struct err err;
};

static bool write_file(void *ctx, const void *bytes, size_t n, struct err *err)
{
	(void)err;
	return fwrite(bytes, 1, n, ctx) == n;
}

static void write_log(const char *path, bool after)
{
	struct slot slots[ARRAY_LEN(counts)] = {0};
	struct mlog_about about = *mlog_file_about();
	struct mlog_source source = about.sources[1];
	struct sample *sample = xcalloc(1, sizeof(*sample) + sizeof(uint64_t) * ARRAY_LEN(counts));
	FILE *f = fopen(path, "we");
	struct mlog_writer *w;
	struct err err;

	for (size_t i = 0; i < ARRAY_LEN(counts); i++)
		slots[i] = (struct slot){.name = counts[i].name, .scale = 1};
	source.slots = slots;
	source.n_slots = source.n_sums = sample->n_values = ARRAY_LEN(counts);
	about.sources = &source;
	about.n_sources = 1;
	w = mlog_writer_new(&about, write_file, f, &err);
	for (unsigned k = 0; k < SAMPLES; k++) {
		sample->seq = k + 1;
		sample->begin_ns = MLOG_FILE_START + k * MLOG_FILE_SECOND / SAMPLES;
		sample->end_ns = sample->begin_ns + MLOG_FILE_SECOND / SAMPLES;
		for (size_t i = 0; i < ARRAY_LEN(counts); i++)
			sample->value[i] = (after ? counts[i].after : counts[i].before) / SAMPLES;
		mlog_writer_sample(w, sample, &err);
	}
	mlog_writer_end(w, &err);
	mlog_writer_free(w);
	free(sample);
	fclose(f);
}

FIXTURE(bench_init)
{
	struct compare_bench *b = xcalloc(1, sizeof(*b));

	strcpy(b->dir, "/tmp/malitop-test-XXXXXX");
	assert_non_null(mkdtemp(b->dir));
	snprintf(b->before, sizeof(b->before), "%s/before.mlog", b->dir);
	snprintf(b->after, sizeof(b->after), "%s/after.mlog", b->dir);
	snprintf(b->out, sizeof(b->out), "%s/out", b->dir);
	write_log(b->before, false);
	write_log(b->after, true);
	assert_true(sys_init(&b->sys, NULL, &b->err));
	b->options = (struct options){.command = COMMAND_EXPORT,
				      .compare = b->before,
				      .operand = b->after,
				      .log = b->out,
				      .force = true};
	*state = b;
	return 0;
}

FIXTURE(bench_fini)
{
	struct compare_bench *b = *state;

	unlink(b->before);
	unlink(b->after);
	unlink(b->out);
	rmdir(b->dir);
	sys_fini(&b->sys);
	free(b->text);
	free(b);
	return 0;
}

TEST_EACH(bench_init, bench_fini)

static const char *compare_as(struct compare_bench *b, enum output_format format)
{
	size_t n;

	b->options.format = format;
	free(b->text);
	b->text = NULL;
	if (export_log_run(&b->sys, &b->options, &b->err) != EXIT_DONE ||
	    !file_read(b->out, 1 << 20, &b->text, &n, &b->err))
		fail_msg("%s", b->err.text);
	return b->text;
}

TEST(what_changed_most_comes_first)
{
	assert_string_equal(compare_as(*state, FORMAT_CSV),
			    "name,unit,before,after,change_percent,change_points\r\n"
			    "CPUPageFaultsMajor,count per second,0.0,4.0,,\r\n"
			    "CPUBranchMispredictRatio,percent,2.4,46.0,,43.6\r\n"
			    "CPUMigrations,count per second,80.0,8.0,-90.0,\r\n"
			    "CPUContextSwitches,count per second,100.0,160.0,60.0,\r\n"
			    "CPUPageFaults,count per second,40.0,40.0,0.0,\r\n");
}

TEST(people_see_only_what_changed)
{
	const char *text = compare_as(*state, FORMAT_TABLE);

	assert_non_null(strstr(text, "\nCPUPageFaultsMajor                0 /s          4 /s         new\n"));
	assert_non_null(strstr(text, "\nCPUMigrations                    80 /s          8 /s     -90.0 %\n"));
	assert_non_null(strstr(text, "      2.4 %        46.0 %    +43.6 pt\n"));
	assert_null(strstr(text, "CPUPageFaults "));
	assert_non_null(
		strstr(text, "\n1 metric changed by less than 0.1 %, or points (pt) of a percentage\n"));
}

TEST(programs_get_an_object_per_metric)
{
	const char *text = compare_as(*state, FORMAT_JSONL);

	assert_non_null(strstr(text, "\"seconds\":1.0,"));
	assert_non_null(strstr(
		text, "\n{\"name\":\"CPUPageFaultsMajor\",\"unit\":\"count per second\",\"before\":0.0,"
		      "\"after\":4.0,\"change_percent\":null,\"change_points\":null}\n"));
	assert_non_null(strstr(
		text, "\"before\":80.0,\"after\":8.0,\"change_percent\":-90.0,\"change_points\":null}\n"));
	assert_non_null(strstr(text, "\"change_percent\":null,\"change_points\":43.6}\n"));
}

TEST(neither_log_is_written_over)
{
	struct compare_bench *b = *state;
	const char *logs[] = {b->before, b->after};

	for (size_t i = 0; i < ARRAY_LEN(logs); i++) {
		b->options.log = logs[i];
		assert_int_equal(export_log_run(&b->sys, &b->options, &b->err), EXIT_FAILED);
		assert_non_null(strstr(b->err.text, "this is the log that is read"));
	}
}
