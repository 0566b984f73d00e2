/* The table of `malitop stat`, to the last blank, and the metrics that it has by default. */
#include "cli/commands.h"
#include "tests/support/export_machine.h"

static struct export *start_text(struct export_machine *m, const char *metrics, enum export_lines lines)
{
	m->options.metrics = metrics;
	m->options.exact = true;
	m->options.lines = lines;
	return start_export(m, &export_text, m->sources, 2);
}

TEST_WITH(lines_are_of_metrics_and_counts_are_per_second, machine_init, machine_fini)
{
	struct export_machine *m = *state;
	struct export *ex = start_text(m, "MaliFragUtil,MaliGPUActiveCy,CPULoad,Heat", EXPORT_ROWS);

	push_gpu(ex, 0, 100, 4000000, 1000000);
	push_cpu(ex, 0, 200, 4, 30);
	push_gpu(ex, 100, 200, 0, 0);
	push_sample(ex, GPU, 200, 400, SAMPLE_SIMULATED | SAMPLE_GAP, (uint64_t[]){20, 1, 1, 0}, 4);
	assert_string_equal(m->out.p, "      time  name                value  unit      flags\n"
				      "     0.100  MaliFragUtil         25.0  %\n"
				      "     0.100  MaliGPUActiveCy      40.0  Mcy/s\n"
				      "     0.200  CPULoad                 5  /s\n"
				      "     0.200  Heat                 30.0  C\n"
				      "     0.200  MaliFragUtil            -\n"
				      "     0.200  MaliGPUActiveCy         0  cy/s\n"
				      "     0.400  MaliFragUtil          5.0  %         gap simulated\n"
				      "     0.400  MaliGPUActiveCy       100  cy/s      gap simulated\n");
	export_free(ex);
}

TEST_WITH(only_estimates_are_marked_as_such, machine_init, machine_fini)
{
	struct export_machine *m = *state;
	struct export *ex = start_text(m, "MaliFragUtil,CPULoad,Heat", EXPORT_ROWS);

	m->cpu->slots[1].running = 1; /* 30 of 4: counted all the time */
	m->cpu->slots[1].enabled = 0;
	push_sample(ex, CPU, 0, 100, SAMPLE_ESTIMATED, (uint64_t[]){4, 30, 3, 1, 1}, 5);
	push_gpu(ex, 0, 100, 4, 1);
	assert_string_equal(m->out.p, "      time  name             value  unit      flags\n"
				      "     0.100  CPULoad           [10]  /s        estimated\n"
				      "     0.100  Heat              30.0  C\n"
				      "     0.100  MaliFragUtil      25.0  %\n");
	export_free(ex);
}

TEST_WITH(failed_sample_is_a_dash_and_says_so, machine_init, machine_fini)
{
	struct export_machine *m = *state;
	struct export *ex = start_text(m, "MaliFragUtil,CPULoad", EXPORT_ROWS);

	push_sample(ex, GPU, 0, 100, SAMPLE_ERROR, (uint64_t[]){4, 1, 1, 0}, 4);
	assert_non_null(strstr(m->out.p, "\n     0.100  MaliFragUtil         -            error\n"));
	assert_null(strstr(m->out.p, "CPULoad"));
	export_free(ex);
}

/* A sample whose times the driver garbled has those of the last good one. */
TEST_WITH(row_that_ended_just_before_the_first_began_has_no_negative_zero, machine_init, machine_fini)
{
	struct export_machine *m = *state;
	struct export *ex = start_text(m, "MaliFragUtil,CPULoad", EXPORT_ROWS);
	struct sample late = {.source = GPU, .flags = SAMPLE_ERROR, .begin_ns = 99700000, .end_ns = 99700000};
	struct err err;

	push_cpu(ex, 100, 200, 4, 30);
	assert_true(export_sample(ex, &late, &err));
	assert_non_null(strstr(m->out.p, "\n     0.000  MaliFragUtil         -            error\n"));
	export_free(ex);
}

TEST_WITH(total_tells_counts_in_all_and_per_second, machine_init, machine_fini)
{
	static const struct export_command command = {.text = "make all",
						      .begin_ns = 0,
						      .end_ns = 1234000000,
						      .user_ns = 1100000000,
						      .system_ns = 56000000,
						      .status = 2};
	struct export_machine *m = *state;
	struct export *ex = start_text(m, "MaliFragUtil,MaliGPUActiveCy,CPULoad,Heat", EXPORT_TOTAL);
	struct err err;

	push_gpu(ex, 0, 100, 3000000, 1000000);
	push_gpu(ex, 100, 400, 1000000, 0);
	push_sample(ex, CPU, 0, 500, SAMPLE_ESTIMATED, (uint64_t[]){4, SAMPLE_UNKNOWN, 3, 1, 1}, 5);
	assert_int_equal(m->writes, 0);
	assert_true(export_total(ex, &command, &err));
	assert_string_equal(m->out.p, "make all\n"
				      "\n"
				      "name                value  unit          rate  unit      flags\n"
				      "MaliFragUtil         25.0  %\n"
				      "MaliGPUActiveCy      4.00  Mcy           10.0  Mcy/s\n"
				      "CPULoad               [1]                 [2]  /s        estimated\n"
				      "\n"
				      "       1.234 s  elapsed\n"
				      "       1.100 s  in programs\n"
				      "       0.056 s  in the kernel\n"
				      "           2    exit status\n");
	assert_int_equal(m->writes, 1);
	export_free(ex);
}

/* A beat of 16 bytes is no 160 bytes per second. */
TEST_WITH(constant_is_no_rate_whatever_its_unit, machine_init, machine_fini)
{
	static const struct export_command command = {.text = "true"};
	struct export_machine *m = *state;
	struct export *ex = start_text(m, "MaliBeat", EXPORT_ROWS_AND_TOTAL);
	struct err err;

	push_gpu(ex, 0, 100, 4, 1);
	assert_non_null(strstr(m->out.p, "\n     0.100  MaliBeat        16  B\n"));
	strbuf_clear(&m->out);
	assert_true(export_total(ex, &command, &err));
	assert_non_null(strstr(m->out.p, "\nMaliBeat        16  B\n"));
	export_free(ex);
}

TEST_WITH(total_of_a_source_without_a_sample_is_a_dash, machine_init, machine_fini)
{
	static const struct export_command command = {.text = "true"};
	struct export_machine *m = *state;
	struct export *ex = start_text(m, "MaliGPUActiveCy,CPULoad", EXPORT_TOTAL);
	struct err err;

	assert_true(export_total(ex, &command, &err));
	assert_non_null(strstr(m->out.p, "\nMaliGPUActiveCy         -                   -\nCPULoad           "
					 "      -                   -\n"));
	export_free(ex);
}

/* ---- headline metrics ---- */

static struct metric_set *set_of(const struct gpudb *db, const char *gpu, const char *const *slots,
				 unsigned n)
{
	struct metric_source what = {0};
	struct slot have[8];
	struct err err;
	struct metric_set *set;

	for (unsigned i = 0; i < n; i++)
		have[i] = (struct slot){.name = slots[i], .scale = 1};
	what.slots = have;
	what.n_slots = n;
	what.product = gpu ? gpudb_by_name(db, gpu) : NULL;
	set = metric_set_new(db, &what, &err);
	if (!set)
		fail_msg("%s", err.text);
	return set;
}

TEST(headline_is_what_exists_in_order_of_importance)
{
	static const char *const cpu[] = {"CPUTicksUser",    "CPUTicksNice",   "CPUTicksSystem",
					  "CPUTicksIdle",    "CPUTicksIOWait", "CPUTicksIRQ",
					  "CPUTicksSoftIRQ", "CPUTicksSteal"};
	struct gpudb *db;
	struct metric_set *sets[2];
	struct err err;
	char *names;

	db = gpudb_load(NULL, 0, &err);
	assert_non_null(db);
	sets[0] = set_of(db, NULL, cpu, 8);
	names = headline_choose((const struct metric_set *const *)sets, 1, NULL, 0);
	assert_string_equal(names, "CPUActivityUser,CPUUserShare,CPUSystemShare,CPUIOWaitShare,CPUIRQShare");
	free(names);
	sets[1] = set_of(
		db, "G52",
		(const char *const[]){"MaliNonFragQueueActiveCy", "MaliFragQueueActiveCy", "MaliGPUActiveCy"},
		3);
	names = headline_choose((const struct metric_set *const *)sets, 2, NULL, 0);
	assert_string_equal(
		names, "CPUActivityUser,MaliGPUActiveCy,MaliFragQueueUtil,MaliNonFragQueueUtil,CPUUserShare,"
		       "CPUSystemShare,CPUIOWaitShare,CPUIRQShare");
	free(names);
	names = headline_choose((const struct metric_set *const *)sets, 2,
				(const char *const[]){"r1", "cpu/event=1,umask=2/", "r1", "r2", "r3", "r4",
						      "r5", "r6", "r7", "r8"},
				10);
	assert_string_equal(names, "r1,cpu/event=1,umask=2/"
				   ",r2,r3,r4,r5,r6,r7,r8,CPUActivityUser,MaliGPUActiveCy,MaliFragQueueUtil");
	free(names);
	names = headline_choose(NULL, 0, NULL, 0);
	assert_string_equal(names, "");
	free(names);
	metric_set_free(sets[0]);
	metric_set_free(sets[1]);
	gpudb_free(db);
}
