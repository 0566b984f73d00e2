/* Commands to a measurement, through real FIFOs and pipes. */
#include "record/control.h"
#include "base/alloc.h"
#include "tests/support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct control_bench {
	struct sys sys;
	char dir[32], fifo[64], ack[64], file[64];
	struct control control;
};

FIXTURE(set_up)
{
	static struct control_bench b;
	struct err err;

	b = (struct control_bench){.dir = "/tmp/malitop-XXXXXX"};
	assert_non_null(mkdtemp(b.dir));
	snprintf(b.fifo, sizeof(b.fifo), "%s/fifo", b.dir);
	snprintf(b.ack, sizeof(b.ack), "%s/ack", b.dir);
	snprintf(b.file, sizeof(b.file), "%s/file", b.dir);
	assert_int_equal(mkfifo(b.fifo, 0600) | mkfifo(b.ack, 0600), 0);
	close(creat(b.file, 0600));
	assert_true(sys_init(&b.sys, NULL, &err));
	*state = &b;
	return 0;
}

FIXTURE(tear_down)
{
	struct control_bench *b = *state;

	control_close(&b->control);
	sys_fini(&b->sys);
	unlink(b->fifo);
	unlink(b->ack);
	unlink(b->file);
	rmdir(b->dir);
	return 0;
}

TEST_EACH(set_up, tear_down)

__attribute__((format(printf, 2, 3))) static void open_control(struct control_bench *b, const char *format,
							       ...)
{
	AUTOFREE char *text = NULL;
	struct err err;
	va_list args;

	va_start(args, format);
	assert_true(vasprintf(&text, format, args) > 0);
	va_end(args);
	if (!control_open(&b->control, &b->sys, text, &err))
		fail_msg("%s: %s", text, err.text);
}

static void send_bytes(const char *path, const char *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_NONBLOCK);

	assert_int_equal(write(fd, bytes, n), n);
	close(fd);
}

static void expect_word(struct control_bench *b, enum control_word word, const char *text)
{
	const char *got;

	assert_int_equal(control_next(&b->control, &got), word);
	assert_string_equal(got, text);
}

TEST(lines_of_a_fifo_are_commands_however_they_arrive)
{
	static const char all[] = "enable\nmark the second level\nmark\n\ndisable\0\nping\n";
	struct control_bench *b = *state;

	for (size_t piece = 1; piece <= sizeof(all); piece++) {
		enum control_word words[8];
		unsigned n = 0;

		open_control(b, "%s", b->fifo);
		expect_word(b, CONTROL_NONE, "");
		for (size_t at = 0; at < sizeof(all) - 1; at += piece) {
			const char *text;

			send_bytes(b->fifo, all + at,
				   at + piece < sizeof(all) - 1 ? piece : sizeof(all) - 1 - at);
			while ((words[n] = control_next(&b->control, &text)) != CONTROL_NONE) {
				assert_string_equal(text, n == 1 ? "the second level" : "");
				n++;
			}
		}
		assert_int_equal(n, 5);
		assert_int_equal(words[0], CONTROL_ENABLE);
		assert_int_equal(words[1], CONTROL_MARK);
		assert_int_equal(words[2], CONTROL_MARK);
		assert_int_equal(words[3], CONTROL_DISABLE);
		assert_int_equal(words[4], CONTROL_PING);
		control_close(&b->control);
	}
}

TEST(what_is_no_command_is_unknown_and_the_next_line_counts)
{
	char longest[4 * CONTROL_LINE + 1];
	const char *const lines[] = {"enabled",  "Enable",  " enable", "enable now",
				     "markthis", "\x1b[2J", longest};
	struct control_bench *b = *state;

	memset(longest, 'e', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = 0;
	open_control(b, "fifo:%s", b->fifo);
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		send_bytes(b->fifo, lines[i], strlen(lines[i]));
		send_bytes(b->fifo, "\nenable\n", 8);
		expect_word(b, CONTROL_UNKNOWN, "");
		expect_word(b, CONTROL_ENABLE, "");
		expect_word(b, CONTROL_NONE, "");
	}
}

TEST(writers_of_a_fifo_come_and_go)
{
	struct control_bench *b = *state;

	open_control(b, "%s", b->fifo);
	for (unsigned i = 0; i < 3; i++) {
		expect_word(b, CONTROL_NONE, "");
		send_bytes(b->fifo, "enable\n", 7);
		expect_word(b, CONTROL_ENABLE, "");
	}
}

TEST(a_pipe_that_is_closed_ends_its_last_line)
{
	struct control_bench *b = *state;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	open_control(b, "%d", ends[0]);
	assert_int_equal(write(ends[1], "enable\ndisable", 14), 14);
	expect_word(b, CONTROL_ENABLE, "");
	expect_word(b, CONTROL_NONE, "");
	close(ends[1]);
	expect_word(b, CONTROL_DISABLE, "");
	expect_word(b, CONTROL_NONE, "");
	assert_int_equal(b->control.fd, -1); /* or it would be ready forever */
	control_close(&b->control);
	assert_int_equal(close(ends[0]), 0); /* the caller's */
}

TEST(commands_are_acknowledged_and_unknown_ones_refused)
{
	struct control_bench *b = *state;
	char answers[32] = "";
	int fd;

	open_control(b, "fifo:%s,%s", b->fifo, b->ack);
	fd = open(b->ack, O_RDONLY | O_NONBLOCK);
	control_answer(&b->control, CONTROL_ENABLE);
	control_answer(&b->control, CONTROL_UNKNOWN);
	assert_int_equal(read(fd, answers, sizeof(answers) - 1), 10);
	assert_string_equal(answers, "ack\nerror\n");
	close(fd);
	for (unsigned i = 0; i < 100000; i++) /* more than a FIFO holds: they are dropped */
		control_answer(&b->control, CONTROL_PING);
}

TEST(a_reader_of_answers_that_leaves_ends_only_the_answers)
{
	struct control_bench *b = *state;
	int commands[2], answers[2];

	assert_int_equal(pipe(commands) | pipe(answers), 0);
	open_control(b, "fd:%d,%d", commands[0], answers[1]);
	close(answers[0]);
	assert_int_equal(write(commands[1], "ping\nenable\n", 12), 12);
	expect_word(b, CONTROL_PING, "");
	control_answer(&b->control, CONTROL_PING);
	expect_word(b, CONTROL_ENABLE, "");
	control_answer(&b->control, CONTROL_ENABLE);
	control_close(&b->control);
	close(commands[0]);
	close(commands[1]);
	close(answers[1]);
}

TEST(what_cannot_be_a_control_is_refused_with_the_reason)
{
	struct control_bench *b = *state;
	AUTOFREE char *absent = xasprintf("%s/absent", b->dir),
		      *half = xasprintf("fifo:%s,%s", b->fifo, absent),
		      *private = xasprintf("%d", b->sys.root_fd);
	int ends[2];
	char wrong_way[16];
	struct err err;

	assert_int_equal(pipe(ends), 0);
	snprintf(wrong_way, sizeof(wrong_way), "%d", ends[1]);
	{
		const struct {
			const char *text, *says;
		} cases[] = {
			{"", "expected FD"},
			{"fd:", "expected FD"},
			{"fd:x", "expected FD"},
			{"3,", "expected FD"},
			{"99999999999", "expected FD"},
			{"7654", "file descriptor 7654: not open"},
			{private, "not open: open it in the shell"},
			{wrong_way, "not open for reading"},
			{absent, "make it with mkfifo"},
			{half, "make it with mkfifo"},
			{b->file, "not a FIFO"},
			{b->dir, "cannot open"},
		};

		for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
			assert_false(control_open(&b->control, &b->sys, cases[i].text, &err));
			if (!strstr(err.text, cases[i].says))
				fail_msg("'%s': %s", cases[i].text, err.text);
			assert_true(b->control.fd < 0 && b->control.ack_fd < 0);
		}
	}
	close(ends[0]);
	close(ends[1]);
}
