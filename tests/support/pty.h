/* pty: a program in a terminal of its own, with a small shell above it. The shell (a session
 * leader) makes it the foreground job, tells how it stopped or ended and which modes it left, and
 * takes it to the foreground or background again when asked. */
#ifndef MALITOP_TEST_PTY_H
#define MALITOP_TEST_PTY_H

#include "base/str.h"

#include <sys/types.h>
#include <termios.h>

struct pty_options {
	int cols, rows;
	const char *term;       /* TERM; NULL: not set */
	const char *const *env; /* more "NAME=value", NULL at the end; may be NULL */
	char *const *argv;      /* a program, or */
	int (*body)(void *arg); /* a function of this one, which gives its exit status */
	void *arg;
	bool ignore_hup;          /* as nohup does */
	bool no_stdin, no_stdout; /* /dev/null instead of the terminal */
	bool limit_core;          /* it will crash: no core file */
};

struct pty_report {           /* of the last stop or end */
	int status;           /* as of waitpid */
	long cpu_us;          /* used by the job; only at the end */
	struct termios modes; /* what it left behind */
};

struct pty {
	int master, reports, commands, notes_fd;
	pid_t shell, job;
	struct termios before;                            /* modes before it started */
	struct strbuf out;                                /* every byte it wrote to the terminal */
	struct strbuf notes;                              /* what pty_note wrote */
	void (*feed)(void *ctx, const char *p, size_t n); /* sees the bytes, too; may be NULL */
	void *feed_ctx;
	struct pty_report report;
	unsigned n_reports;
};

void pty_start(struct pty *pty, const struct pty_options *options);
void pty_stop(struct pty *pty); /* kills what is left, frees */

/* In a body: a line for the test to see. */
void pty_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

void pty_send(struct pty *pty, const char *bytes);
void pty_resize(struct pty *pty, int cols, int rows); /* the kernel sends SIGWINCH */
void pty_signal(struct pty *pty, int signo);          /* to the job */
void pty_foreground(struct pty *pty);                 /* fg */
void pty_background(struct pty *pty);                 /* bg */
void pty_hang_up(struct pty *pty);                    /* the terminal is gone */

/* Read for so long. False when the job has ended before. */
#define PATIENCE_MS 60000 /* a loaded machine is slow, a broken program never answers */

bool pty_read_for(struct pty *pty, int ms);
/* Read until the output (from `from` on) or the notes have the text; false after some seconds. */
bool pty_wait_output(struct pty *pty, size_t from, const char *text);
bool pty_wait_note(struct pty *pty, const char *text);
/* The same, but what it writes to the terminal stays unread meanwhile: the terminal stalls. */
bool pty_wait_note_unread(struct pty *pty, const char *text);
/* Read until the job stopped or ended once more than `n_reports` says; false after some seconds. */
bool pty_wait_report(struct pty *pty, unsigned n_reports);

/* Whether output from `from` on has these bytes. */
bool pty_wrote(const struct pty *pty, size_t from, const char *bytes);
bool pty_same_modes(const struct termios *a, const struct termios *b);

#endif
