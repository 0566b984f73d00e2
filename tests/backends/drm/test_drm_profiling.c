/* The switch for timing jobs: set where it may be, put back at every end, reported after a kill. */
#include "backends/drm/drm_usage.h"
#include "base/alloc.h"
#include "tests/support/drm_run.h"
#include "tests/support/test.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define SYSFS "sys/class/drm/renderD128/device/profiling"
#define DEBUGFS "sys/kernel/debug/dri/128/profile"
#define NOTE "run/malitop-profiling-renderD128"

static const struct {
	const struct backend *backend;
	const char *driver, *path, *off, *on;
} switches[] = {
	{&backend_panfrost, "panfrost-6.7", DEBUGFS, "N\n", "1\n"},
	{&backend_panfrost, "panfrost-6.10", SYSFS, "0\n", "1\n"},
	{&backend_panthor, "panthor-6.18", SYSFS, "0\n", "3\n"},
	{&backend_panthor, "panthor-6.18", SYSFS, "1\n", "3\n"},
};

static void check_file(struct drm_run *r, const char *path, const char *text)
{
	char got[64];

	assert_true(sys_read_file(&r->files.sys, path, got, sizeof(got)) >= 0);
	got[strlen(text)] = 0; /* a file, unlike a switch, keeps what was behind */
	assert_string_equal(got, text);
}

static bool has_note(struct drm_run *r)
{
	char text[64];

	return sys_read_file(&r->files.sys, NOTE, text, sizeof(text)) >= 0;
}

static void begin_run(struct drm_run *r, size_t i)
{
	drm_run_init(r, switches[i].backend, switches[i].driver, i < 2 ? 0x74021000 : 0xa8670000, 3);
	r->fake.drm.gpus[0].unstable = false;
	drm_run_write(r, switches[i].off, "%s", switches[i].path);
	drm_run_write(r, "", "run/other");
	r->options.profiling = true;
}

TEST(it_is_on_while_the_source_is_open_and_then_as_before)
{
	for (size_t i = 0; i < ARRAY_LEN(switches); i++) {
		struct drm_run r;

		begin_run(&r, i);
		assert_true(drm_run_open(&r));
		check_file(&r, switches[i].path, switches[i].on);
		assert_true(has_note(&r));
		assert_null(strstr(r.source->note, "profiling"));
		drm_run_close(&r);
		check_file(&r, switches[i].path, i ? switches[i].off : "0\n");
		assert_false(has_note(&r));
		drm_run_fini(&r);
	}
}

TEST(without_the_option_it_is_left_alone)
{
	struct drm_run r;

	begin_run(&r, 1);
	r.options.profiling = false;
	assert_true(drm_run_open(&r));
	check_file(&r, SYSFS, "0\n");
	assert_non_null(strstr(r.source->note, "run malitop --profiling as root"));
	drm_run_fini(&r);
}

TEST(what_is_on_already_stays_on)
{
	struct drm_run r;

	begin_run(&r, 1);
	drm_run_write(&r, "1\n", SYSFS);
	assert_true(drm_run_open(&r));
	assert_false(has_note(&r));
	drm_run_close(&r);
	check_file(&r, SYSFS, "1\n");
	drm_run_fini(&r);
}

TEST(what_somebody_else_changed_is_not_put_back)
{
	struct drm_run r;

	begin_run(&r, 2);
	assert_true(drm_run_open(&r));
	drm_run_write(&r, "2\n", SYSFS);
	drm_run_close(&r);
	check_file(&r, SYSFS, "2\n");
	assert_false(has_note(&r));
	drm_run_fini(&r);
}

TEST(a_kill_is_reported_next_time_and_the_old_value_is_remembered)
{
	AUTO_STRBUF struct strbuf text = {0};
	struct drm_run r;

	begin_run(&r, 2);
	r.options.profiling = false;
	drm_run_write(&r, "3\n", SYSFS);
	drm_run_write(&r, "999999 12345 1\n", NOTE); /* of a process that is not there */
	assert_true(drm_run_open(&r));
	assert_non_null(
		strstr(r.source->note, "left on by a malitop that was killed: echo 1 | sudo tee /" SYSFS));
	r.backend->describe(r.source, &text);
	assert_non_null(strstr(text.p, "limited: profiling: left on by a malitop that was killed"));
	drm_run_close(&r);
	check_file(&r, SYSFS, "3\n");
	r.options.profiling = true; /* takes over, and puts back what the killed one would have */
	assert_true(drm_run_open(&r));
	drm_run_close(&r);
	check_file(&r, SYSFS, "1\n");
	assert_false(has_note(&r));
	drm_run_fini(&r);
}

TEST(a_note_of_a_malitop_that_runs_is_no_leftover)
{
	struct drm_run r, second;

	begin_run(&r, 1);
	drm_run_write(&r, "", "proc/%d/stat", (int)getpid());
	assert_true(drm_run_open(&r));
	second = r;
	second.options.profiling = false;
	assert_true(drm_run_open(&second));
	assert_null(strstr(second.source->note, "killed"));
	drm_run_close(&second);
	drm_run_close(&r);
	drm_run_fini(&r);
}

TEST(a_switch_that_several_want_is_put_back_by_the_last)
{
	enum { END_A, END_B, KILL_A, KILL_B }; /* the kernel closes the files of a killed one */
	static const struct {
		int first, last;
		bool left;
	} cases[] = {
		{END_A, END_B, false}, {END_B, END_A, false}, {KILL_A, END_B, false}, {KILL_B, END_A, false},
		{END_A, KILL_B, true}, {END_B, KILL_A, true}, {KILL_A, KILL_B, true},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct drm_profiling_switch s[2], later;
		unsigned before;
		struct drm_run r;

		begin_run(&r, 3);
		drm_profiling_init(&later, &r.fake.sys, "renderD128", 3);
		for (int k = 0; k < 2; k++) {
			drm_profiling_init(&s[k], &r.fake.sys, "renderD128", 3);
			assert_true(drm_profiling_set(&s[k]));
		}
		for (int k = 0; k < 2; k++) {
			int what = k ? cases[i].last : cases[i].first;
			struct drm_profiling_switch *own = &s[what % 2];

			check_file(&r, SYSFS, "3\n");
			assert_false(drm_profiling_left_on(&later, &before));
			if (what < KILL_A)
				drm_profiling_restore(own);
			else
				r.fake.sys.close(&r.fake.sys, own->lock_fd);
		}
		assert_int_equal(has_note(&r), cases[i].left);
		check_file(&r, SYSFS, cases[i].left ? "3\n" : "1\n");
		if (cases[i].left) {
			assert_true(drm_profiling_left_on(&later, &before));
			assert_int_equal(before, 1);
			assert_true(drm_profiling_set(&later));
			drm_profiling_restore(&later);
			check_file(&r, SYSFS, "1\n");
			assert_false(has_note(&r));
		}
		drm_run_fini(&r);
	}
}

TEST(what_another_program_turns_off_is_said_and_turned_on_again)
{
	for (size_t i = 1; i < ARRAY_LEN(switches); i++)
		for (int by_user = 0; by_user < 2; by_user++) { /* it was on before */
			struct drm_run r;
			int said = 0;

			begin_run(&r, i);
			if (by_user)
				drm_run_write(&r, switches[i].on, "%s", switches[i].path);
			assert_true(drm_run_open(&r) && drm_run_start(&r, 500 * MS));
			drm_run_next(&r);
			assert_null(r.source->news);
			for (int k = 0; k < 40; k++) { /* the other one insists for 20 s */
				if (k < 20)
					drm_run_write(&r, "0\n", "%s", switches[i].path);
				drm_run_next(&r);
				said += r.source->news != NULL;
				if (r.source->news)
					assert_string_equal(r.source->news, "another program turned "
									    "profiling off: it is on again");
			}
			assert_in_range(said, 2, 4);
			check_file(&r, switches[i].path, switches[i].on);
			drm_run_close(&r);
			check_file(&r, switches[i].path, "0\n");
			assert_false(has_note(&r));
			drm_run_fini(&r);
		}
}

TEST(a_refusal_says_why)
{
	struct drm_run r;

	begin_run(&r, 1);
	fixture_remove(&r.files, SYSFS);
	assert_true(drm_run_open(&r));
	assert_non_null(strstr(r.source->note, "--profiling: this kernel has no visible switch"));
	assert_false(has_note(&r));
	drm_run_fini(&r);
}
