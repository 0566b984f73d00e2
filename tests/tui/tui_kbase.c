/* The real program on a real terminal over fake Mali devices: every generation of the driver, poor
 * terminals, devices that vanish. */
#include "base/alloc.h"
#include "tests/support/test.h"
#include "tests/tui/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *devices, *title;
} generations[] = {
	{"driver=r16p0 gpu=0x07200000 cores=0x7f slices=2 v4", "Mali-T720 7 cores"},
	{"driver=r25p0 gpu=0x74021000 cores=0x3", "Mali-G52 2 cores"},
	{"driver=r32p1 gpu=0x90820000 cores=0x5b3 slices=2 clocks=2", "Mali-G78 7 cores"},
	{"driver=r38p1 gpu=0x90820000 cores=0x5b3 slices=2", "Mali-G78 7 cores"},
	{"driver=r44p0 gpu=0x74021000 cores=0x3", "Mali-G52 2 cores"},
	{"driver=r54p1 gpu=0xb8520000 cores=0x5b3 slices=2 values=128 clocks=2", "Mali-G715 7 cores"},
};

TEST(every_generation_is_live_with_every_key)
{
	static const char keys[] = "1234567890acc+- << >>??\t\t";

	for (size_t i = 0; i < ARRAY_LEN(generations); i++) {
		struct run run;

		run_shown(&run, &(struct run_options){.devices = generations[i].devices});
		assert_non_null(strstr(emulator_row(&run.emulator, 0), generations[i].title));
		assert_null(strstr(emulator_row(&run.emulator, 0), "SIMULATED"));
		for (const char *key = keys; *key; key++) {
			pty_send(&run.pty, (char[]){*key, 0});
			if (!pty_read_for(&run.pty, 40))
				fail_msg("%s: ended at '%c'", generations[i].devices, *key);
		}
		pty_send(&run.pty, ">>>>"); /* faster than samples come */
		if (!run_wait(&run, RUN_ALERT, "history: this is the newest") &&
		    !strstr(generations[i].title, "unknown"))
			fail_msg("%s: '%s'", generations[i].title, emulator_row(&run.emulator, -1));
		run_quit(&run);
		run_assert_as_before(&run);
		run_stop(&run);
	}
}

/* As over a serial line. */
TEST(poor_terminals_are_drawn_and_left_clean)
{
	static const char *const terms[] = {"linux", "vt100", "vt220", "ansi"};

	for (size_t i = 0; i < ARRAY_LEN(terms); i++) {
		struct run run;

		run_shown(&run, &(struct run_options){.devices = generations[5].devices,
						      .term = terms[i],
						      .cols = 80,
						      .rows = 24});
		assert_int_equal(emulator_find(&run.emulator, 0, "\u2588"),
				 -1); /* no blocks where there may be none */
		run_quit(&run);
		assert_true(pty_same_modes(&run.pty.before, &run.pty.report.modes));
		run_stop(&run);
	}
}

TEST(a_card_says_until_escape_that_a_gpu_cannot_be_opened)
{
	struct run run;

	run_start(&run,
		  &(struct run_options){.devices = generations[0].devices, .env = "FAKEMALI_FAIL=open:1:13"});
	assert_true(run_wait(&run, 2, "No Mali GPU"));
	assert_true(run_wait(&run, 2, "/dev/mali*         there"));
	assert_true(run_wait(&run, 2, "kbase: /dev/mali0: "));
	pty_send(&run.pty, "\x1b");
	assert_true(run_wait_gone(&run, 2, "No Mali GPU"));
	run_quit(&run);
	run_assert_as_before(&run);
	run_stop(&run);
}

int main(void)
{
	if (!run_has_fake())
		return 77;
	return test_run();
}
