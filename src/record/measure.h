/* measure: what `malitop record` and `malitop stat` have in common: they write samples to a file
 * without a screen, until --duration, the end of CMD, SIGINT or SIGTERM, or until the only process
 * that is measured has ended.
 *
 * CMD is held while the sources open and start, and released when the recorder starts. Thread: the
 * main one.
 */
#ifndef MALITOP_MEASURE_H
#define MALITOP_MEASURE_H

#include "backends/drm/drm_clients.h"
#include "record/control.h"
#include "record/recorder.h"

#include <signal.h>
#include <sys/types.h>

/* command: a command that is measured. Its process is held before its first instruction, so that
 * counting can be set up first; then it is released and waited for.
 *
 * Ctrl-C in a terminal reaches the command and us alike; the caller passes other signals on.
 */

/* Zero means no command; all functions except command_hold then do nothing. */
struct command {
	pid_t pid;
	int socket; /* socket to the held process; -1 after release */
	bool released, ended;
	int status;                 /* as in a shell: 128 + signal, 127 not found, 126 not run */
	int64_t begin_ns, end_ns;   /* released, ended: CLOCK_MONOTONIC */
	int64_t user_ns, system_ns; /* CPU time, including the children that it waited for */
};

/* Start a process that will become `cmd`, with the signal mask and the limit of open files that we
 * had at the first call. It ends if we end first. */
bool command_hold(struct command *command, char **cmd, struct err *err);
/* Let it run. Returns false if it cannot run: err->code is the reason, and status is set. */
bool command_release(struct command *command, char **cmd, int64_t now_ns, struct err *err);
/* Whether it has ended; all fields are then valid. Never waits. */
bool command_reap(struct command *command, int64_t now_ns);
/* End a process that is still held, without running `cmd`. */
void command_drop(struct command *command);

/* What a command and its children use of the GPUs with an open driver, whose files in /proc tell.
 * Zero-initialize it. (command.c) */
struct command_gpu {
	struct drm_clients clients;
	struct command_gpu_client {
		unsigned device;
		uint64_t id, ns; /* of its busiest queue, so far; SAMPLE_UNKNOWN */
	} * own;                 /* also those that have ended */
	unsigned n, cap;
	uint64_t most_bytes; /* that they had at once; SAMPLE_UNKNOWN */
	int64_t next_ns;     /* when to look again; INT64_MAX: no such GPU */
};

#define COMMAND_GPU_NS 100000000 /* how often it is looked at */

/* Look, if it is time. */
void command_gpu_look(struct command_gpu *gpu, const struct sys *sys, pid_t pid, int64_t now_ns);
/* The time of all; SAMPLE_UNKNOWN if nothing tells, or none was seen. */
uint64_t command_gpu_ns(const struct command_gpu *gpu);
void command_gpu_fini(struct command_gpu *gpu);

/* What the reader of a stream asks for (control.h): each request is carried out, or refused with a
 * reason. What arrives is untrusted. A request starts no program and opens no file. */
struct requests {
	struct session *session;
	struct options *options;
	struct recorder *recorder;
	uint64_t before; /* bytes of the stream before those of this recorder */
	bool restarts;   /* the recording has to begin again, for samples at another interval */
};
/* Carry out one (request.c); `said` (cleared) gets what was done, or why not. Returns whether it
 * was done. */
bool request_do(struct requests *requests, enum control_word word, const char *text, struct strbuf *said);

struct measure {
	const struct sys *sys;
	struct options *options;
	struct session session;
	struct recorder *recorder, *raw; /* raw: for the report of the run; NULL: not needed */
	struct command command;
	struct command_gpu gpu; /* of stat */
	sigset_t signals;
	int signals_fd;                       /* readable while one of them waits */
	struct control control;               /* of --control */
	struct requests requests;             /* of the reader of a stream */
	int status;                           /* exit status if it cannot begin */
	bool shows_progress;                  /* `tick` shows losses */
	bool interrupted;                     /* a signal ended the wait for --delay */
	bool timed_out;                       /* --duration ended CMD */
	bool failure_reported, loss_reported; /* reported already */
};

/* Hold CMD, open the sources and wait until they have started. Prints notes to standard error. On
 * failure everything is released. */
bool measure_open(struct measure *m, const struct sys *sys, struct options *options, struct err *err);
/* Start to record, and release CMD. A `form` of NULL records a log. On failure everything is
 * released, and m->status is the exit status. */
bool measure_begin(struct measure *m, const struct recorder_form *form, struct err *err);
/* Wait for the end. A log that fails ends the wait, unless there is a CMD. Calls `tick` (or NULL)
 * at least once a second. If CMD runs longer than --duration, sends it SIGTERM, as timeout(1) does,
 * and waits for it, so that its status can be passed on. */
void measure_wait(struct measure *m, void (*tick)(const struct measure *m, double seconds));
/* Write the rest and close everything. Returns the exit status: CMD's if it is not 0; else 1 if the
 * log failed or a source delivered only failed samples, which is reported on standard error. *err
 * gets the message of a failed log unless it was already printed. A reader that closed the pipe of
 * stat early is not an error. */
int measure_end(struct measure *m, struct recorder_state *state, struct err *err);

/* `malitop record` (record.c): record a log without a screen. Returns the exit status: that of CMD
 * if there is one (128 + signal, 127 not found, 126 not executable). *out gets a one-line summary.
 * *err gets the message of a failure, even if the status is that of CMD. */
int record_run(const struct sys *sys, struct options *options, struct strbuf *out, struct err *err);

/* layer_environment: what a command needs to load malitop's Vulkan layer and GLES library
 * (--passes). */

/* Set this process's environment, which CMD inherits: the Vulkan loader finds the layer, and the
 * dynamic linker preloads the GLES library after what it preloads anyway. Both are searched in
 * $MALITOP_LAYER_PATH, else in the directory layer beside the program, else where they are
 * installed; an error if neither is there. A note on standard error says what keeps them out of
 * `program` (CMD), which runs all the same.
 * Call it before any thread is started. */
bool layer_environment_set(const struct sys *sys, const char *program, struct err *err);
/* Append the same as lines that a shell reads, for an application that is started some other
 * way. */
bool layer_environment_print(const struct sys *sys, struct strbuf *out, struct err *err);
/* Append a word as a shell reads it, in quotes. */
void shell_quote(struct strbuf *out, const char *word);

#endif
