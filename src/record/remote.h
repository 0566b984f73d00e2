/* remote: a malitop on another machine, which records for this one: `malitop on WHERE`.
 *
 * A plain program makes the connection: ssh, adb, docker, or any that gives a stream of bytes both
 * ways. The far side runs `malitop record -o - --control -`: its standard output is the stream, and
 * it ends when its standard input does, so closing the pipe ends it, and so does our own end,
 * however it comes. What a connection brings is as untrusted as a log (mlog_stream.h).
 *
 * Thread: one.
 */
#ifndef MALITOP_REMOTE_H
#define MALITOP_REMOTE_H

#include "base/sys.h"
#include "mlog/mlog_open.h"
#include "options/options.h"

#include <sys/types.h>

struct remote;

/* The program that makes the connection to one command there. */
struct remote_program {
	pid_t pid;                  /* of its group as well; 0: none */
	int in_fd, out_fd, said_fd; /* its standard input, output and error; -1: closed */
	bool is_fed;                /* something comes first on its standard input, which takes a while */
	bool has_terminal;          /* it asked for it */
	char machine[32];           /* what uname -m says there, once it was asked */
};
/* Run options->remote_command there. */
bool remote_program_start(struct remote_program *p, const struct options *options, const char *where,
			  struct err *err);
/* Wait for its end, and close the rest. Returns its exit status. */
int remote_program_end(struct remote_program *p);
/* Whether it has stopped because it asks for a password; let it have the terminal if so; take the
 * terminal back. */
bool remote_program_asks(const struct remote_program *p);
void remote_program_lend(struct remote_program *p);
void remote_program_reclaim(struct remote_program *p);
/* Show what it has said on our standard error, without control characters. *held keeps the rest.
 * Waits if nothing came; closes said_fd at its end. */
void remote_program_show(struct remote_program *p, struct strbuf *held);
/* Explain an exit status that says that no malitop ran there; `line` is the last one that was said.
 * Returns whether it is one. */
bool remote_refusal(const struct options *options, const char *where, int status, const char *line,
		    struct err *err);
/* How to keep a terminal out of this connection. */
const char *remote_advice(const char *where);

/* Begin to connect; remote_run goes on with it. NULL if the program cannot be started. `options`
 * has what the far side is given; it and `where` must outlive it. */
struct remote *remote_new(const struct sys *sys, const struct options *options, const char *where,
			  struct err *err);
/* Take what has come so far; never waits. */
enum remote_start {
	REMOTE_CONNECTS,
	REMOTE_ASKS,  /* remote_program_asks: it needs the terminal, which remote_await gives it */
	REMOTE_BEGAN, /* with the start block */
	REMOTE_ENDED
} remote_look(struct remote *r);
/* Connect anew: what asked for a password may have taken the modes of our screen for those of the
 * terminal. */
bool remote_restart(struct remote *r, struct err *err);
/* Wait for the start block. false: it does not come; the message has the last line that the program
 * said. */
bool remote_await(struct remote *r, struct err *err);
/* Let the far side end, without waiting for it. */
void remote_leave(struct remote *r);
/* End the far side and the program; waits for it less than two seconds. NULL is fine. */
void remote_close(struct remote *r);

struct mlog_feed *remote_feed(struct remote *r); /* owned by `r` */
const char *remote_where(const struct remote *r);
/* Look at the connection after mlog_take: acknowledge what was taken, and make a connection that
 * has ended again, after 1, 2, 4 and up to 30 s. Appends a line to *said for each change. Never
 * waits. Call it at least once a second. */
void remote_run(struct remote *r, int64_t now_ns, struct strbuf *said);
/* Acknowledge at once, for a reader that waits without remote_run. */
void remote_ack(struct remote *r);
/* When it will be tried again, 0: it is not lost; how often it was, and since when it is lost. */
int64_t remote_retry_ns(const struct remote *r, unsigned *tries, int64_t *lost_ns);
void remote_retry(struct remote *r); /* try at once */
/* When the last byte arrived, or it was started; the last line that the program said. */
int64_t remote_heard_ns(const struct remote *r);
void remote_why(const struct remote *r, char *line, size_t size);
/* Keep the stream in a file (log_file.h), all of it so far and what follows, instead of the file
 * before; end that, which close does as well. An error later is in remote_log_state. */
bool remote_log(struct remote *r, const char *path, bool force, struct err *err);
bool remote_log_end(struct remote *r, struct err *err);
/* The bytes in it; *name is without directories. NULL: there is none, *failed (or text "") says
 * why it ended. */
const char *remote_log_state(const struct remote *r, uint64_t *bytes, struct err *failed);
/* Send a request (control.h). Its answer is a note in the stream, MLOG_NOTE_ANSWER with *number. */
bool remote_ask(struct remote *r, const char *word, const char *text, int64_t *number, struct err *err);

#endif
