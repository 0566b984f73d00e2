/* What the real program says of processes, over those there are, with one that the test owns. */
#include "base/alloc.h"
#include "tests/support/test.h"
#include "tests/tui/run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* A process with a name that no other has, which sleeps or spins; *name is freed by the caller. */
static pid_t start_child(char **name, bool spins)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		AUTOFREE char *own = xasprintf("nap%d", (int)getpid());

		prctl(PR_SET_NAME, own);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			if (!spins)
				pause();
	}
	*name = xasprintf("nap%d", (int)pid);
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void send_keys(struct run *run, const char *keys, int from, const char *wanted)
{
	pty_send(&run->pty, keys);
	if (run_wait(run, from, wanted))
		return;
	for (int row = 0; row < run->emulator.rows; row++)
		print_error("%s\n", emulator_row(&run->emulator, row));
	fail_msg("after '%s': no '%s'", keys, wanted);
}

/* Until the text is gone. */
static void send_away(struct run *run, const char *keys, int from, const char *unwanted)
{
	pty_send(&run->pty, keys);
	if (!run_wait_gone(run, from, unwanted))
		fail_msg("after '%s': still '%s'", keys, unwanted);
}

TEST(rows_come_in_the_order_that_is_asked_for)
{
	struct run run;

	run_shown(&run, &(struct run_options){0});
	send_keys(&run, "0", 2, " processes, ");
	send_keys(&run, "", 2, "CPU %\u25bc");
	send_keys(&run, "M", 2, "RSS\u25bc");
	send_keys(&run, "R", 2, "RSS\u25b2");
	send_keys(&run, "N", 2, "pid\u25b2");
	send_keys(&run, "s", 2, "command line\u25b2");
	send_keys(&run, "Nt", 2, "tree, by pid");
	send_keys(&run, "", 2, "\u2514\u2500 ");
	send_keys(&run, "?", 2, "by CPU, memory, time, pid");
	send_away(&run, "?", 2, "Sort by CPU");
	send_keys(&run, "9", 2, "all CPUs"); /* in another view these letters mean nothing */
	pty_send(&run.pty, "MtkR");
	send_keys(&run, "0", 2, "tree, by pid");
	run_quit(&run);
	run_assert_as_before(&run);
	run_stop(&run);
}

TEST(a_filter_finds_a_process_as_it_is_typed)
{
	AUTOFREE char *name = NULL, *asked = NULL;
	pid_t pid = start_child(&name, false);
	struct run run;

	asked = xasprintf("filter: %s_", name);
	run_shown(&run, &(struct run_options){.arg = "--ascii"});
	send_keys(&run, "0", 2, " processes, ");
	send_keys(&run, "/", RUN_ROWS - 1, "filter: _");
	send_keys(&run, name, RUN_ROWS - 1, asked);
	send_keys(&run, "", 2, ": 1 shown");
	send_keys(&run, "q", 2, "no process matches"); /* every key is the text's */
	send_keys(&run, "\x7f", 2, ": 1 shown");
	send_keys(&run, "\r", RUN_ROWS - 1, "quit");
	send_keys(&run, "", 2, ": 1 shown");
	send_away(&run, "\x1b", 2, "shown");
	run_quit(&run);
	run_assert_as_before(&run);
	run_stop(&run);
	end_child(pid);
}

TEST(a_signal_is_sent_after_a_question)
{
	AUTOFREE char *name = NULL, *asked = NULL, *sent = NULL;
	pid_t pid = start_child(&name, false);
	int status = 0;
	struct run run;

	asked = xasprintf("send SIGTERM to %d %s?", (int)pid, name);
	sent = xasprintf("%d %s: SIGTERM sent", (int)pid, name);
	run_shown(&run, &(struct run_options){0});
	send_keys(&run, "0", 2, " processes, ");
	pty_send(&run.pty, "/");
	send_keys(&run, name, 2, ": 1 shown");
	send_keys(&run, "\rk", 2, "> SIGTERM");
	send_away(&run, "\x1b", 2, "SIGTERM");
	send_keys(&run, "k\x1b[B", 2, "> SIGINT");
	send_keys(&run, "\x1b[A\r", RUN_ROWS - 1, asked);
	send_keys(&run, "n", RUN_ROWS - 1, "quit");
	assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
	send_keys(&run, "k\r", RUN_ROWS - 1, asked);
	send_keys(&run, "y", RUN_ALERT, sent);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
	send_keys(&run, "", 2, "no process matches"); /* the list goes on */
	run_quit(&run);
	run_assert_as_before(&run);
	run_stop(&run);
}

TEST(a_process_is_counted_alone_until_it_ends)
{
	AUTOFREE char *name = NULL, *counting = NULL, *about = NULL, *ended = NULL;
	struct run run;
	pid_t pid;

	if (!run_has_fake())
		skip();
	pid = start_child(&name, true);
	counting = xasprintf("counting process %d %s, kernel and user", (int)pid, name);
	about = xasprintf(" process %d %s, kernel and user ", (int)pid, name);
	ended = xasprintf("process %d %s, kernel and user: has ended", (int)pid, name);
	run_shown(&run, &(struct run_options){.devices = "driver=r44p0 gpu=0x74021000 cores=0x3",
					      .env = "FAKEPERF=machine=a72x4"});
	send_keys(&run, "9", 2, " all CPUs, kernel and user ");
	send_keys(&run, "0", 2, " processes, ");
	pty_send(&run.pty, "/");
	send_keys(&run, name, 2, ": 1 shown");
	pty_send(&run.pty, "\r");
	send_keys(&run, "\r", RUN_ALERT, counting);
	send_keys(&run, "", 2, ">*");
	send_keys(&run, "", 2, " IPC ");
	send_keys(&run, "9", 2, about);
	send_keys(&run, "", 2, "GHz"); /* its clock; the machine tells none */
	end_child(pid);
	send_keys(&run, "", RUN_ALERT, ended);
	send_keys(&run, "", 2, " all CPUs, kernel and user ");
	run_quit(&run);
	run_assert_as_before(&run);
	run_stop(&run);
}

TEST(a_paused_list_stands_still)
{
	AUTOFREE char *name = NULL;
	pid_t pid = start_child(&name, false);
	struct run run;

	run_shown(&run, &(struct run_options){0});
	send_keys(&run, "0", 2, " processes, ");
	pty_send(&run.pty, "/");
	send_keys(&run, name, 2, ": 1 shown");
	send_keys(&run, "\r ", 0, "PAUSED");
	pty_read_for(&run.pty, 5000); /* the list of that moment was perhaps still being read */
	end_child(pid);
	pty_read_for(&run.pty, 2500);
	assert_true(emulator_find(&run.emulator, 2, ": 1 shown") >= 0);
	send_keys(&run, " ", 2, "no process matches");
	run_quit(&run);
	run_stop(&run);
}

TEST(one_frame_waits_for_percentages)
{
	const char *program = getenv("MALITOP");
	AUTOFREE char *name = NULL, *command = NULL;
	pid_t pid = start_child(&name, true);
	double percent = -1;
	char line[2048];
	FILE *f;

	command = xasprintf("%s -bsim,proc --once --frames=1 -r100ms --view processes",
			    program ? program : "./malitop");
	f = popen(command, "re");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (strstr(line, name))
			assert_int_equal(
				sscanf(line + strcspn(line, "0123456789"), "%*d %*s R %*u %lf", &percent),
				1); /* no dash */
	assert_int_equal(pclose(f), 0);
	assert_true(percent >= 0); /* of the CPU that it got: on a busy machine maybe none */
	end_child(pid);
}

TEST(the_cpu_view_names_the_busiest_thread)
{
	AUTOFREE char *name = NULL;
	pid_t pid = start_child(&name, true);
	struct run run;

	run_shown(&run, &(struct run_options){0});
	send_keys(&run, "9", 2, "busiest thread");
	send_keys(&run, "", 2, "% of the time");
	assert_true(emulator_find(&run.emulator, 2, ", GPU ") < 0); /* which is simulated */
	send_away(&run, "1", 2, "busiest thread");
	send_keys(&run, "9", 2, "% of the time");
	run_quit(&run);
	run_assert_as_before(&run);
	run_stop(&run);
	end_child(pid);
}
