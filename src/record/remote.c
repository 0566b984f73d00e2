#include "record/remote.h"

#include "record/control.h"
#include "record/measure.h"
#include "record/log_file.h"
#include "options/options_table.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/message.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND_NS 1000000000ll
#define RETRY_FIRST_NS 1000000000ll
#define RETRY_MOST_NS 30000000000ll
#define END_NS 1000000000ll /* for the program to end by itself; half of it after SIGTERM */
#define ACK_NS 50000000ll   /* acknowledgements are at least this far apart */
#define STEP_MS 20
#define FIRST_ACK "ack 0\n"
#define SAID_MOST 4096
#define NOT_STARTED 125
#define WORDS_MOST 300

/* Requests that set something: a board that was away is given the last of each again. */
static const char *const standing_words[] = {"send", "interval", "gpu", "hot"};

struct remote {
	const struct sys *sys;
	const struct options *options;
	const char *where;
	struct mlog_feed *feed;
	struct remote_program program; /* its out_fd is the feed's */
	int said_fd;                   /* standard error of the program */
	char said[SAID_MOST];          /* what it said */
	size_t n_said;
	char why[160]; /* the last line of a connection that was lost */
	int status;
	int64_t left_ns; /* since when it has to end; 0: it may go on */
	bool lost;       /* the connection is away, which was said */
	unsigned joined; /* connections that were reported */
	unsigned tries;  /* since it was lost */
	int64_t lost_ns, retry_ns, acked_ns, heard_ns;
	uint64_t bytes;         /* that arrived */
	uint64_t before, acked; /* bytes of the connections before; of this one, as acknowledged */
	unsigned requests;      /* so far */
	char standing[ARRAY_LEN(standing_words)][CONTROL_LINE]; /* the last of each; "": none */
	struct log_file *log;                                   /* NULL: none */
	char log_name[64];
	struct err log_err;
};

/* ---- the command ---- */

static unsigned add_words(const char **argv, unsigned n, const char *const *words)
{
	while (*words && n < WORDS_MOST)
		argv[n++] = *words++;
	return n;
}

static const char **make_command(const char *where, const char *const *words, bool asks, struct strbuf *text,
				 struct err *err)
{
	static const char *const ssh[] = {
		"ssh", "-T", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=2", NULL};
	const char **argv;
	unsigned n = 0;

	if (!where[0] || where[0] == '-') {
		err_set(err, ERR_USAGE,
			"on: '%.60s' is not a board: give user@host, adb, adb:SERIAL, docker:NAME or "
			"cmd:PROGRAM",
			where);
		return NULL;
	}
	argv = xcalloc(WORDS_MOST + 16, sizeof(*argv));
	for (const char *const *word = words; *word; word++) {
		strbuf_str(text, text->n ? " " : "");
		shell_quote(text, *word);
	}
	if (strncmp(where, "docker:", 7) == 0) {
		n = add_words(argv, n, (const char *const[]){"docker", "exec", "-i", "--", where + 7, NULL});
		n = add_words(argv, n, words);
	} else if (strncmp(where, "cmd:", 4) == 0) {
		strbuf_printf(text, "%c%s \"$@\"", 0, where + 4);
		n = add_words(argv, n,
			      (const char *const[]){"sh", "-c", text->p + strlen(text->p) + 1, "sh", NULL});
		n = add_words(argv, n, words);
	} else if (strcmp(where, "adb") == 0 || strncmp(where, "adb:", 4) == 0) {
		n = add_words(argv, n, (const char *const[]){"adb", NULL});
		if (where[3])
			n = add_words(argv, n, (const char *const[]){"-s", where + 4, NULL});
		n = add_words(argv, n, (const char *const[]){"shell", "-T", text->p, NULL});
	} else {
		n = add_words(argv, n, ssh);
		if (!asks)
			n = add_words(argv, n, (const char *const[]){"-o", "BatchMode=yes", NULL});
		n = add_words(argv, n, (const char *const[]){"--", where, text->p, NULL});
	}
	return argv;
}

/* ---- the program ---- */

static void become_program(const char **argv, const int in[2], const int out[2], const int said[2])
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	setpgid(0, 0); /* Ctrl-C ends us, and so it, but not before us */
	if (dup2(in[0], STDIN_FILENO) < 0 || dup2(out[1], STDOUT_FILENO) < 0 ||
	    dup2(said[1], STDERR_FILENO) < 0)
		_exit(1);
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	dprintf(STDERR_FILENO, "%s: cannot run: %s\n", argv[0], strerror(errno));
	_exit(NOT_STARTED);
}

/* `said` gets its standard error; NULL: it is ours. The caller closes what is open on success. */
static bool fork_program(const char **argv, struct remote_program *p, int *said_fd, struct err *err)
{
	int in[2] = {-1, -1}, out[2] = {-1, -1}, said[2] = {-1, STDERR_FILENO};

	*p = (struct remote_program){.in_fd = -1, .out_fd = -1};
	if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 ||
	    (said_fd && pipe2(said, O_CLOEXEC) != 0))
		p->pid = -1;
	else
		p->pid = fork();
	if (p->pid == 0)
		become_program(argv, in, out, said);
	sys_cleanup_close(&in[0]);
	sys_cleanup_close(&out[1]);
	if (said_fd)
		sys_cleanup_close(&said[1]);
	if (p->pid < 0) {
		p->pid = 0;
		sys_cleanup_close(&in[1]);
		sys_cleanup_close(&out[0]);
		if (said_fd)
			sys_cleanup_close(&said[0]);
		return err_set(err, errno, "%s: cannot start: %s", argv[0], strerror(errno));
	}
	p->in_fd = in[1];
	p->out_fd = out[0];
	if (said_fd)
		*said_fd = said[0];
	return true;
}

static int exit_status_of(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int remote_program_end(struct remote_program *p)
{
	int status = 0;

	sys_cleanup_close(&p->in_fd);
	sys_cleanup_close(&p->out_fd);
	while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
		;
	return exit_status_of(status);
}

/* ---- --push ---- */

/* The program comes first on standard input. It is removed while it runs, so that nothing stays
 * however it ends. */
static void put_script(struct strbuf *out, uint64_t size)
{
	unsigned long long n = size;

	strbuf_printf(
		out,
		"d=\"${TMPDIR:-/tmp}/malitop-$$\"; mkdir -m 700 \"$d\" 2>/dev/null || "
		"{ d=/data/local/tmp/malitop-$$; mkdir -m 700 \"$d\"; } || exit 1; "
		"trap 'rm -rf \"$d\"' EXIT; trap 'exit 1' HUP INT TERM; head -c %llu >\"$d/malitop\"; "
		"[ \"$(wc -c <\"$d/malitop\")\" -eq %llu ] || exit 1; chmod 700 \"$d/malitop\" || exit 1; "
		"(sleep 5; rm -rf \"$d\") </dev/null >/dev/null 2>&1 & exec \"$d/malitop\" \"$@\"",
		n, n);
}

/* The first line that a command there prints. */
static bool ask_there(const char *where, const char *const *words, char *line, size_t size, struct err *err)
{
	AUTO_STRBUF struct strbuf text = {0};
	AUTOFREE const char **argv = make_command(where, words, true, &text, err);
	struct remote_program p;
	size_t n = 0;
	ssize_t got;

	if (!argv || !fork_program(argv, &p, NULL, err))
		return false;
	while (n < size - 1 && (got = read(p.out_fd, line + n, size - 1 - n)) > 0)
		n += (size_t)got;
	line[n] = 0;
	line[strcspn(line, "\r\n")] = 0;
	return remote_program_end(&p) == 0 ||
	       err_set(err, 0, "%.80s: %s failed there: is it a machine with a shell?", where, words[0]);
}

/* The program to copy: the one that was named, or the static one of this installation for that
 * machine. The caller closes it. -1 on failure. */
static int open_push(const struct options *o, const char *where, uint64_t *size, struct err *err)
{
	AUTO_STRBUF struct strbuf path = {0};
	char machine[32];
	struct stat st;
	int fd;

	if (strcmp(o->push, "auto") != 0)
		strbuf_str(&path, o->push);
	if (!path.n) {
		if (!ask_there(where, (const char *const[]){"uname", "-m", NULL}, machine, sizeof(machine),
			       err))
			return -1;
		for (char *p = machine; *p; p++)
			if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789_", *p))
				*p = '_';
		strbuf_printf(&path, "%s/malitop-%s", MALITOP_LAYER_DIR, machine);
	}
	fd = open(path.p, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		*size = (uint64_t)st.st_size;
		return fd;
	}
	err_set(err, 0,
		"--push: %.200s: not there: build it with make static (contrib/setup.sh), or give "
		"--push=FILE",
		path.p);
	if (fd >= 0)
		close(fd);
	return -1;
}

/* A process of its own feeds the program to the connection. What follows on standard input waits
 * until something has come back. */
static void feed_program(int file_fd, int in_fd)
{
	char bytes[65536];
	ssize_t n, done;
	pid_t pid = fork();

	if (pid != 0) {
		waitpid(pid, NULL, 0);
		return;
	}
	if (fork() != 0)
		_exit(0); /* so that nothing has to wait for the other */
	signal(SIGPIPE, SIG_DFL);
	while ((n = read(file_fd, bytes, sizeof(bytes))) > 0)
		for (ssize_t at = 0; at<n; at += done> 0 ? done : 0) {
			done = write(in_fd, bytes + at, (size_t)(n - at));
			if (done < 0 && errno == EAGAIN) /* the owner does not wait */
				poll(&(struct pollfd){.fd = in_fd, .events = POLLOUT}, 1, -1);
			else if (done < 0 && errno != EINTR)
				_exit(1);
		}
	if (write(in_fd, FIRST_ACK, strlen(FIRST_ACK)) < 0)
		_exit(1);
	_exit(0);
}

/* ---- the command there ---- */

/* malitop record -o - --control - and what was given for the far side; stat and doctor print. The
 * caller frees it. */
static const char **command_words(const struct options *o, const char *program, const char *script)
{
	const char *command =
		o->remote_command == COMMAND_ON ? "record" : command_rows[o->remote_command].name;
	static const struct {
		const char *ending, *format;
	} forms[] = {
		{".csv", "--format=csv"}, {".jsonl", "--format=jsonl"}, {".pftrace", "--format=perfetto"}};
	const char **words = xcalloc(WORDS_MOST + 8, sizeof(*words));
	unsigned n =
		program ? add_words(words, 0, (const char *const[]){program, command, NULL})
			: add_words(words, 0, (const char *const[]){"sh", "-c", script, "sh", command, NULL});

	if (o->remote_command == COMMAND_ON || o->remote_command == COMMAND_RECORD)
		n = add_words(words, n, (const char *const[]){"-o", "-", NULL});
	for (size_t i = 0; o->remote_command == COMMAND_RECORD && o->log && i < ARRAY_LEN(forms); i++)
		if (file_has_ending(o->log, forms[i].ending))
			words[n++] = forms[i].format;
	if (o->remote_command != COMMAND_DOCTOR)
		n = add_words(words, n, (const char *const[]){"--control", "-", NULL});
	if (o->remote_command == COMMAND_ON && o->n_wheres > 1)
		n = add_words(words, n, (const char *const[]){"--lean", NULL});
	for (unsigned i = 0; i < o->n_remote && n < WORDS_MOST; i++)
		words[n++] = o->remote[i];
	if (o->cmd) {
		n = add_words(words, n, (const char *const[]){"--", NULL});
		add_words(words, n, (const char *const *)o->cmd);
	}
	return words;
}

static bool run_program(const struct options *o, const char *where, bool asks, struct remote_program *p,
			int *said_fd, struct err *err)
{
	AUTO_STRBUF struct strbuf text = {0}, script = {0};
	AUTOFREE const char **words = NULL;
	AUTOFREE const char **argv = NULL;
	CLOSE_FD int push_fd = -1;
	uint64_t size;

	if (o->push && (push_fd = open_push(o, where, &size, err)) < 0)
		return false;
	if (o->push)
		put_script(&script, size);
	words = command_words(o, o->push ? NULL : "malitop", script.p);
	argv = make_command(where, words, asks, &text, err);
	if (!argv || !fork_program(argv, p, said_fd, err))
		return false;
	/* the writer should know from the start that this side acknowledges */
	if (o->push)
		feed_program(push_fd, p->in_fd);
	else if (o->remote_command == COMMAND_ON && write(p->in_fd, FIRST_ACK, strlen(FIRST_ACK)) < 0)
		return true; /* it has ended, which is seen later */
	return true;
}

static void take_signals(void)
{
	signal(SIGCHLD, SIG_DFL); /* if it is ignored, the status of the program is lost */
	signal(SIGPIPE, SIG_IGN); /* a request to a program that has ended */
}

bool remote_program_start(struct remote_program *p, const struct options *options, const char *where,
			  struct err *err)
{
	take_signals();
	return run_program(options, where, true, p, NULL, err);
}

static bool start_program(struct remote *r, bool first, struct err *err)
{
	struct mlog_arrival arrival;
	int64_t gap;

	if (!run_program(r->options, r->where, first, &r->program, &r->said_fd, err))
		return false;
	r->n_said = 0;
	fcntl(r->said_fd, F_SETFL, O_NONBLOCK);
	fcntl(r->program.in_fd, F_SETFL, O_NONBLOCK);
	mlog_arrival(r->feed, &arrival);
	r->before = arrival.stream.bytes;
	r->acked = r->before;
	r->requests = 0;
	gap = (r->sys->monotonic_ns(r->sys) - r->lost_ns) / SECOND_NS;
	mlog_connect(r->feed, take_fd(&r->program.out_fd), first ? 0 : gap * SECOND_NS);
	return true;
}

static void hear_program(struct remote *r)
{
	ssize_t n;

	if (r->said_fd < 0)
		return;
	if (r->n_said == sizeof(r->said)) /* the last lines say why */
		memmove(r->said, r->said + sizeof(r->said) / 2, r->n_said = sizeof(r->said) / 2);
	while ((n = read(r->said_fd, r->said + r->n_said, sizeof(r->said) - r->n_said)) > 0)
		r->n_said += (size_t)n;
}

/* The last line that it said, "" for none. */
static void last_line(const struct remote *r, char *line, size_t size)
{
	size_t end = r->n_said, begin;
	char text[256];

	while (end && strchr("\r\n ", r->said[end - 1]))
		end--;
	for (begin = end; begin && r->said[begin - 1] != '\n' && end - begin < sizeof(text) - 1;)
		begin--;
	memcpy(text, r->said + begin, end - begin);
	text[end - begin] = 0;
	str_printable(line, size, text);
}

/* Close its standard input, which ends the far side. */
static void leave_program(struct remote *r, int64_t now_ns)
{
	if (r->program.in_fd >= 0)
		close(take_fd(&r->program.in_fd));
	mlog_disconnect(r->feed);
	if (r->program.pid && !r->left_ns)
		r->left_ns = now_ns;
}

/* Be less patient with time. Returns whether it has ended; never waits. */
static bool hurry_program(struct remote *r, int64_t now_ns)
{
	int64_t left_ns = now_ns - r->left_ns;
	pid_t got;

	if (!r->program.pid)
		return true;
	got = waitpid(r->program.pid, &r->status, WNOHANG);
	if (got == r->program.pid || (got < 0 && errno != EINTR)) {
		hear_program(r);
		close(take_fd(&r->said_fd));
		r->program.pid = 0;
		r->left_ns = 0;
		return true;
	}
	if (left_ns > END_NS)
		kill(-r->program.pid, left_ns > END_NS * 3 / 2 ? SIGKILL : SIGTERM);
	return false;
}

static void end_program(struct remote *r)
{
	leave_program(r, r->sys->monotonic_ns(r->sys));
	while (!hurry_program(r, r->sys->monotonic_ns(r->sys)))
		poll(NULL, 0, STEP_MS);
}

/* ---- the connection ---- */

static bool refuse_start(struct remote *r, struct err *err)
{
	struct mlog_arrival arrival;
	char line[200], where[80];

	end_program(r);
	remote_why(r, line, sizeof(line));
	str_printable(where, sizeof(where), r->where);
	mlog_arrival(r->feed, &arrival);
	if (exit_status_of(r->status) == REMOTE_NOT_FOUND)
		return err_set(err, 0, "%s: no malitop there: %s: give --push, or install it in its PATH",
			       where, line[0] ? line : "not found");
	if (line[0] || !arrival.err.text[0])
		return err_set(err, 0, "%s: no stream came: %s", where,
			       line[0] ? line : "it ended without a message");
	*err = arrival.err;
	return false;
}

/* What makes the connection may ask for a password: until the stream comes, the terminal is its. */
static void lend_terminal(pid_t group)
{
	void (*before)(int) = signal(SIGTTOU, SIG_IGN);

	if (isatty(STDIN_FILENO))
		tcsetpgrp(STDIN_FILENO, group);
	signal(SIGTTOU, before);
}

bool remote_await(struct remote *r, struct err *err)
{
	struct mlog_arrival arrival = {0};
	bool goes_on = true;

	setpgid(r->program.pid, r->program.pid); /* it does so itself, perhaps later */
	lend_terminal(r->program.pid);
	while (!arrival.stream.started && goes_on) {
		goes_on = mlog_await(r->feed);
		hear_program(r);
		mlog_arrival(r->feed, &arrival);
	}
	goes_on = arrival.stream.started || refuse_start(r, err);
	lend_terminal(getpgrp());
	return goes_on;
}

struct remote *remote_new(const struct sys *sys, const struct options *options, const char *where,
			  struct err *err)
{
	struct remote *r = xcalloc(1, sizeof(*r));

	*r = (struct remote){
		.sys = sys, .options = options, .where = where, .program.in_fd = -1, .said_fd = -1};
	r->feed = mlog_open_remote(where, err);
	take_signals();
	r->heard_ns = sys->monotonic_ns(sys);
	if (r->feed && start_program(r, true, err))
		return r;
	remote_close(r);
	return NULL;
}

void remote_leave(struct remote *r)
{
	leave_program(r, r->sys->monotonic_ns(r->sys));
}

void remote_close(struct remote *r)
{
	struct err err;

	if (!r)
		return;
	if (r->feed)
		end_program(r);
	if (r->log && !remote_log_end(r, &err))
		message("%s", err.text);
	mlog_close(r->feed);
	free(r);
}

struct mlog_feed *remote_feed(struct remote *r)
{
	return r->feed;
}

const char *remote_where(const struct remote *r)
{
	return r->where;
}

void remote_why(const struct remote *r, char *line, size_t size)
{
	if (r->lost)
		snprintf(line, size, "%s", r->why);
	else
		last_line(r, line, size);
}

int64_t remote_retry_ns(const struct remote *r, unsigned *tries, int64_t *lost_ns)
{
	*tries = r->tries;
	*lost_ns = r->lost_ns;
	return r->lost ? r->retry_ns : 0;
}

int64_t remote_heard_ns(const struct remote *r)
{
	return r->heard_ns;
}

static void lose_connection(struct remote *r, int64_t now_ns, struct strbuf *said)
{
	struct mlog_note note = {.kind = MLOG_NOTE_MESSAGE, .source = -1};

	last_line(r, r->why, sizeof(r->why));
	if (!r->lost) {
		r->lost = true;
		r->lost_ns = now_ns;
		r->tries = 0;
		strbuf_printf(said, "the connection is lost%s%s: trying again\n", r->why[0] ? ": " : "",
			      r->why);
		str_printable(note.text, sizeof(note.text), "the connection was lost");
		mlog_add_note(r->feed, &note, 0);
	}
	r->retry_ns = now_ns + (r->tries < 5 ? RETRY_FIRST_NS << r->tries : RETRY_MOST_NS);
}

void remote_retry(struct remote *r)
{
	r->retry_ns = 0;
}

/* What it cannot take now it gets later: it says how much was taken in all. */
static void send_ack(struct remote *r, uint64_t bytes, int64_t now_ns)
{
	char line[32];
	int n = snprintf(line, sizeof(line), "ack %llu\n", (unsigned long long)(bytes - r->before));

	if (r->program.in_fd < 0 || bytes == r->acked || (r->options->push && bytes == r->before) ||
	    now_ns - r->acked_ns < ACK_NS)
		return;
	r->acked_ns = now_ns;
	if (write(r->program.in_fd, line, (size_t)n) == n)
		r->acked = bytes;
}

/* ---- its log ---- */

static bool write_log(void *ctx, const void *bytes, size_t n, struct err *err)
{
	struct remote *r = ctx;

	(void)err;
	if (log_file_write(r->log, bytes, n, &r->log_err))
		return true;
	*err = r->log_err;
	return false;
}

bool remote_log(struct remote *r, const char *path, bool force, struct err *err)
{
	const char *slash = strrchr(path, '/');

	r->log = log_file_open(r->sys, path, &(struct log_file_options){.force = force}, err);
	if (!r->log)
		return false;
	r->log_err = (struct err){0};
	str_printable(r->log_name, sizeof(r->log_name), slash ? slash + 1 : path);
	if (mlog_copy(r->feed, write_log, r, err))
		return true;
	log_file_forget(r->log);
	log_file_close(take_ptr(&r->log), NULL);
	return false;
}

bool remote_log_end(struct remote *r, struct err *err)
{
	bool ok = !r->log || r->log_err.text[0] || mlog_copy_end(r->feed, err);

	if (r->log_err.text[0]) {
		*err = r->log_err;
		ok = false;
	}
	r->log_err = (struct err){0};
	return log_file_close(take_ptr(&r->log), ok ? err : NULL) && ok;
}

const char *remote_log_state(const struct remote *r, uint64_t *bytes, struct err *failed)
{
	*failed = r->log_err;
	*bytes = r->log ? log_file_bytes(r->log) : 0;
	return r->log && !r->log_err.text[0] ? r->log_name : NULL;
}

/* ---- requests ---- */

void remote_ack(struct remote *r)
{
	struct mlog_arrival arrival;

	mlog_arrival(r->feed, &arrival);
	r->acked_ns = 0;
	send_ack(r, arrival.stream.bytes, r->sys->monotonic_ns(r->sys));
}

bool remote_ask(struct remote *r, const char *word, const char *text, int64_t *number, struct err *err)
{
	char line[CONTROL_LINE + 32];
	int n = snprintf(line, sizeof(line), "%u %s%s%s\n", r->requests + 1, word, text[0] ? " " : "", text);

	if (r->program.in_fd < 0 || r->lost)
		return err_set(err, 0, "%s: not connected now", word);
	if (n <= 0 || (size_t)n >= CONTROL_LINE || write(r->program.in_fd, line, (size_t)n) != n)
		return err_set(err, errno, "%s: cannot send it", word);
	*number = ++r->requests;
	for (size_t i = 0; i < ARRAY_LEN(standing_words); i++)
		if (strcmp(word, standing_words[i]) == 0)
			snprintf(r->standing[i], sizeof(r->standing[i]), "%s %s\n", word, text);
	return true;
}

/* Without a number: the desk does not wait for the answers. */
static void ask_again(struct remote *r)
{
	for (size_t i = 0; i < ARRAY_LEN(standing_words); i++) {
		size_t n = strlen(r->standing[i]);

		if (n && write(r->program.in_fd, r->standing[i], n) != (ssize_t)n)
			return; /* it is lost again, which is noticed */
	}
}

void remote_run(struct remote *r, int64_t now_ns, struct strbuf *said)
{
	struct mlog_arrival arrival;
	struct err err;

	hear_program(r);
	mlog_arrival(r->feed, &arrival);
	if (arrival.stream.bytes != r->bytes) {
		r->bytes = arrival.stream.bytes;
		r->heard_ns = now_ns;
	}
	send_ack(r, arrival.stream.bytes, now_ns);
	if (arrival.ended)
		return;
	if (r->program.pid && mlog_arrival_fd(r->feed) < 0) {
		leave_program(r, now_ns);
		if (hurry_program(r, now_ns))
			lose_connection(r, now_ns, said);
	} else if (!r->program.pid && now_ns >= r->retry_ns) {
		r->tries++;
		if (!start_program(r, false, &err)) {
			strbuf_printf(said, "%s\n", err.text);
			lose_connection(r, now_ns, said);
		}
	} else if (r->lost && r->program.pid && arrival.stream.joined != r->joined) {
		r->lost = false;
		r->joined = arrival.stream.joined;
		ask_again(r);
		strbuf_printf(said, "connected again after %.0f s\n", (double)(now_ns - r->lost_ns) * 1e-9);
	}
}
