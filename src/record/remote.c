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
#include <sys/utsname.h>
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
#define NOT_FOUND 127     /* of a shell: there is no such program */
#define LOOK_MS 100       /* how often to look whether it asks for a password */
#define ANSWER_MOST 65536 /* bytes of uname and what comes around it */

/* Requests that set something: a board that was away is given the last of each again. */
static const char *const standing_words[] = {"send", "interval", "gpu", "hot"};

struct remote {
	const struct sys *sys;
	const struct options *options;
	const char *where;
	struct mlog_feed *feed;
	struct remote_program program; /* its out_fd is the feed's */
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

struct words {
	const char **list; /* and NULL */
	unsigned n, cap;
};

static void words_fini(struct words *w)
{
	free(w->list);
}
#define AUTO_WORDS __attribute__((cleanup(words_fini)))

static void add_word(struct words *w, const char *word)
{
	GROW(w->list, w->n, w->cap);
	w->list[w->n++] = word;
	GROW(w->list, w->n, w->cap);
	w->list[w->n] = NULL;
}

static void add_words(struct words *w, const char *const *words)
{
	while (*words)
		add_word(w, *words++);
}
#define ADD_WORDS(w, ...) add_words(w, (const char *const[]){__VA_ARGS__, NULL})

/* How a connection is made. The first row whose prefix WHERE has. */
static const struct way {
	const char *prefix;
	bool is_shell; /* the login shell there takes one text apart */
	const char *advice;
} ways[] = {
	{"docker:", false,
	 "docker exec without -t has none: start malitop there without script, and su without a pty"},
	{"cmd:", false, "the program of cmd: makes it: " MLOG_NO_TERMINAL},
	{"adb", true,
	 "adb shell -T of Android before 7 makes one: give 'cmd:adb exec-out', and su without a pty"},
	{"", true, "ssh -T has none: no RequestTTY force, no script, and su without a pty"},
};

static const struct way *way_of(const char *where)
{
	const struct way *way = ways;

	while (strncmp(where, way->prefix, strlen(way->prefix)) != 0 ||
	       (strcmp(way->prefix, "adb") == 0 && where[3] && where[3] != ':'))
		way++;
	return way;
}

/* Whether every shell takes the word as it is. */
static bool is_plain(const char *word)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:,@+-=";

	return word[0] && word[0] != '=' && !word[strspn(word, plain)];
}

/* What a login shell gets as one text. Shells differ in how they quote. So words that not all take
 * as they are do not reach it: sh reads them as the first line of standard input. */
static void put_text(const struct words *words, struct strbuf *text, struct strbuf *first)
{
	AUTO_STRBUF struct strbuf quoted = {0};
	bool plain = true;

	for (unsigned i = 0; i < words->n; i++) {
		plain &= is_plain(words->list[i]);
		strbuf_printf(text, "%s%s", i ? " " : "", words->list[i]);
		strbuf_str(&quoted, " ");
		shell_quote(&quoted, words->list[i]);
	}
	if (plain)
		return;
	strbuf_clear(text);
	strbuf_str(text, "sh -c 'IFS= read -r c; eval \"$c\"'");
	strbuf_str(first, "n=$(printf '\\n.'); n=${n%.}; exec");
	for (size_t i = 0; i < quoted.n; i++) {
		if (quoted.p[i] == '\n')
			strbuf_str(first, "'\"$n\"'");
		else
			strbuf_add(first, quoted.p + i, 1);
	}
	strbuf_str(first, "\n");
}

/* The program that makes the connection, with its arguments, which point into `where`, `words` and
 * *text; *first is what it gets on standard input before all else. */
static bool make_command(const char *where, const struct words *words, bool asks, struct words *argv,
			 struct strbuf *text, struct strbuf *first, struct err *err)
{
	const struct way *way = way_of(where);

	if (!where[0] || where[0] == '-')
		return err_set(err, ERR_USAGE,
			       "on: '%.60s' is not a board: give user@host, adb, adb:SERIAL, docker:NAME or "
			       "cmd:PROGRAM",
			       where);
	if (way->is_shell)
		put_text(words, text, first);
	if (strcmp(way->prefix, "docker:") == 0) {
		ADD_WORDS(argv, "docker", "exec", "-i", "--", where + 7);
	} else if (strcmp(way->prefix, "cmd:") == 0) {
		strbuf_printf(text, "%s \"$@\"", where + 4);
		ADD_WORDS(argv, "sh", "-c", text->p, "sh");
	} else if (strcmp(way->prefix, "adb") == 0) {
		add_word(argv, "adb");
		if (where[3])
			ADD_WORDS(argv, "-s", where + 4);
		ADD_WORDS(argv, "shell", "-T");
	} else {
		ADD_WORDS(argv, "ssh", "-T", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=2");
		if (!asks)
			ADD_WORDS(argv, "-o", "BatchMode=yes");
		ADD_WORDS(argv, "--", where);
	}
	if (way->is_shell)
		add_word(argv, text->p);
	else
		add_words(argv, words->list);
	return true;
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

/* The caller closes what is open on success. */
static bool fork_program(const char **argv, struct remote_program *p, struct err *err)
{
	int in[2] = {-1, -1}, out[2] = {-1, -1}, said[2] = {-1, -1};

	*p = (struct remote_program){.in_fd = -1, .out_fd = -1, .said_fd = -1};
	if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 || pipe2(said, O_CLOEXEC) != 0)
		p->pid = -1;
	else
		p->pid = fork();
	if (p->pid == 0)
		become_program(argv, in, out, said);
	sys_cleanup_close(&in[0]);
	sys_cleanup_close(&out[1]);
	sys_cleanup_close(&said[1]);
	if (p->pid < 0) {
		p->pid = 0;
		sys_cleanup_close(&in[1]);
		sys_cleanup_close(&out[0]);
		sys_cleanup_close(&said[0]);
		return err_set(err, errno, "%s: cannot start: %s", argv[0], strerror(errno));
	}
	setpgid(p->pid, p->pid); /* it does so itself, perhaps later */
	p->in_fd = in[1];
	p->out_fd = out[0];
	p->said_fd = said[0];
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
	sys_cleanup_close(&p->said_fd);
	while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
		;
	return exit_status_of(status);
}

/* ---- the terminal ---- */

/* What makes the connection may ask for a password. It is no job of the foreground, so the kernel
 * stops it when it does. */
bool remote_program_asks(const struct remote_program *p)
{
	siginfo_t what = {0};

	return p->pid && waitid(P_PID, (id_t)p->pid, &what, WSTOPPED | WNOHANG | WNOWAIT) == 0 && what.si_pid;
}

static void give_terminal(pid_t group)
{
	void (*before)(int) = signal(SIGTTOU, SIG_IGN);
	int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);

	if (fd >= 0) {
		tcsetpgrp(fd, group);
		close(fd);
	}
	signal(SIGTTOU, before);
}

void remote_program_lend(struct remote_program *p)
{
	siginfo_t what;

	if (!remote_program_asks(p))
		return;
	waitid(P_PID, (id_t)p->pid, &what, WSTOPPED | WNOHANG);
	give_terminal(p->pid);
	kill(-p->pid, SIGCONT);
	p->has_terminal = true;
}

void remote_program_reclaim(struct remote_program *p)
{
	if (p->has_terminal)
		give_terminal(getpgrp());
	p->has_terminal = false;
}

void remote_program_show(struct remote_program *p, struct strbuf *held)
{
	AUTO_STRBUF struct strbuf text = {0};
	char bytes[4096];
	ssize_t n = read(p->said_fd, bytes, sizeof(bytes));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	strbuf_printable(&text, held, bytes, n > 0 ? (size_t)n : 0, "\n");
	message_text(text.p, text.n);
	if (n <= 0)
		close(take_fd(&p->said_fd));
}

/* ---- --push ---- */

/* The program comes first on standard input. It is removed while it runs, so that nothing stays
 * however it ends. A directory fits if an empty program runs there: some take none (noexec). */
static void put_script(struct strbuf *out, uint64_t size)
{
	unsigned long long n = size;

	strbuf_printf(
		out,
		"p=; for d in \"${TMPDIR:-/tmp}\" /tmp /data/local/tmp /var/tmp /dev/shm "
		"\"$XDG_RUNTIME_DIR\" "
		"\"$HOME\"; do [ -d \"$d\" ] || continue; p=$d/malitop-$$; mkdir -m 700 \"$p\" 2>/dev/null "
		"|| "
		"{ p=; continue; }; true 2>/dev/null >\"$p/malitop\" && chmod 700 \"$p/malitop\" && "
		"\"$p/malitop\" 2>/dev/null && break; rm -rf \"$p\"; p=; done; "
		"[ \"$p\" ] || { echo \"malitop: --push: ${TMPDIR:-/tmp}, /var/tmp and others there: not "
		"writable, "
		"or mounted noexec: set TMPDIR there\" >&2; exit 1; }; "
		"trap 'rm -rf \"$p\"' EXIT; trap 'exit 1' HUP INT TERM; head -c %llu >\"$p/malitop\"; "
		"[ \"$(wc -c <\"$p/malitop\")\" -eq %llu ] || { echo \"malitop: --push: $p there: the "
		"program did "
		"not get there whole: is there room for %llu bytes? else set TMPDIR there\" >&2; exit 1; }; "
		"(sleep 5; rm -rf \"$p\") </dev/null >/dev/null 2>&1 & exec \"$p/malitop\" \"$@\"",
		n, n, n);
}

static bool write_whole(int fd, const char *bytes, size_t n)
{
	while (n > 0) {
		ssize_t done = write(fd, bytes, n);

		if (done < 0 && errno == EAGAIN) /* the owner does not wait */
			poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
		else if (done < 0 && errno != EINTR)
			return false;
		bytes += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	return true;
}

/* A process of its own feeds text and program to the connection. What follows on standard input
 * waits until something has come back. */
static void feed_program(struct span first, int file_fd, const char *last, int in_fd)
{
	char bytes[65536];
	ssize_t n = 0;
	pid_t pid = fork();

	if (pid != 0) {
		waitpid(pid, NULL, 0);
		return;
	}
	if (fork() != 0)
		_exit(0); /* so that nothing has to wait for the other */
	signal(SIGPIPE, SIG_DFL);
	if (!write_whole(in_fd, first.p, first.n))
		_exit(1);
	while (file_fd >= 0 && (n = read(file_fd, bytes, sizeof(bytes))) > 0)
		if (!write_whole(in_fd, bytes, (size_t)n))
			_exit(1);
	_exit(n == 0 && write_whole(in_fd, last, strlen(last)) ? 0 : 1);
}

static bool start_words(const char *where, const struct words *words, bool asks, int push_fd,
			const char *last, struct remote_program *p, struct err *err)
{
	AUTO_STRBUF struct strbuf text = {0}, first = {0};
	AUTO_WORDS struct words argv = {0};

	if (!make_command(where, words, asks, &argv, &text, &first, err) || !fork_program(argv.list, p, err))
		return false;
	p->is_fed = first.n || push_fd >= 0;
	if (p->is_fed)
		feed_program((struct span){first.p, first.n}, push_fd, last, p->in_fd);
	else if (write(p->in_fd, last, strlen(last)) < 0)
		return true; /* it has ended, which is seen later */
	return true;
}

/* What kind of machine it is. Greetings may come before the answer, and after it. */
static bool ask_machine(const char *where, struct remote_program *p, struct err *err)
{
	static const char mark[] = "malitop-machine ";
	AUTO_STRBUF struct strbuf out = {0}, held = {0};
	AUTO_WORDS struct words words = {0};
	char shown[80];

	ADD_WORDS(&words, "sh", "-c", "echo \"malitop-machine $(uname -m).\"");
	if (!start_words(where, &words, true, -1, "", p, err))
		return false;
	close(take_fd(&p->in_fd));
	for (ssize_t n = 1; n != 0 && out.n < ANSWER_MOST;) {
		char bytes[4096];
		struct pollfd fds[] = {{.fd = p->out_fd, .events = POLLIN},
				       {.fd = p->said_fd, .events = POLLIN}};

		remote_program_lend(p);
		poll(fds, ARRAY_LEN(fds), LOOK_MS);
		if (fds[1].revents)
			remote_program_show(p, &held);
		if (fds[0].revents && (n = read(p->out_fd, bytes, sizeof(bytes))) > 0)
			strbuf_add(&out, bytes, (size_t)n);
	}
	while (p->said_fd >= 0)
		remote_program_show(p, &held);
	remote_program_end(p);
	for (const char *at = out.p; at && (at = strstr(at, mark));) {
		size_t n = strspn(at += strlen(mark), "abcdefghijklmnopqrstuvwxyz0123456789_");

		if (n && n < sizeof(p->machine) && at[n] == '.') {
			snprintf(p->machine, sizeof(p->machine), "%.*s", (int)n, at);
			return true;
		}
	}
	return err_set(err, 0, "%.80s: uname failed there%s%s: is it a machine with a shell?", where,
		       out.n ? ": it says " : "", out.n ? str_printable(shown, sizeof(shown), out.p) : "");
}

/* The program to copy: the one that was named, or the static one of this installation for that
 * machine, or if it is like this one the program that runs. The caller closes it. -1 on failure. */
static int open_push(const struct options *o, const char *where, struct remote_program *p, uint64_t *size,
		     struct err *err)
{
	bool is_auto = strcmp(o->push, "auto") == 0;
	AUTO_STRBUF struct strbuf path = {0};
	struct utsname here;
	struct stat st;
	int fd;

	if (is_auto && !p->machine[0] && !ask_machine(where, p, err))
		return -1;
	if (is_auto)
		strbuf_printf(&path, "%s/malitop-%s", MALITOP_LAYER_DIR, p->machine);
	else
		strbuf_str(&path, o->push);
	fd = open(path.p, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 && is_auto && uname(&here) == 0 && strcmp(here.machine, p->machine) == 0)
		fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		*size = (uint64_t)st.st_size;
		return fd;
	}
	err_set(err, 0,
		"--push: %.200s: not there: build it with make static BOARD=HOST, or give --push=FILE, or "
		"install malitop there with contrib/setup.sh install USER@HOST",
		path.p);
	if (fd >= 0)
		close(fd);
	return -1;
}

/* ---- the command there ---- */

/* malitop record -o - --control - and what was given for the far side; stat and doctor print. */
static void add_command(struct words *words, const struct options *o)
{
	enum command_word command = o->remote_command == COMMAND_ON ? COMMAND_RECORD : o->remote_command;

	add_word(words, command_rows[command].name);
	if (command == COMMAND_RECORD)
		ADD_WORDS(words, "-o", "-");
	if (command != COMMAND_DOCTOR)
		ADD_WORDS(words, "--control", "-");
	if (o->remote_command == COMMAND_ON && o->n_wheres > 1)
		add_word(words, "--lean");
	if (o->format_there)
		ADD_WORDS(words, "--format", output_format_names[o->format]);
	for (unsigned i = 0; i < o->n_remote; i++)
		add_word(words, o->remote[i]);
	if (o->cmd) {
		add_word(words, "--");
		add_words(words, (const char *const *)o->cmd);
	}
}

static bool run_program(const struct options *o, const char *where, bool asks, struct remote_program *p,
			struct err *err)
{
	AUTO_STRBUF struct strbuf script = {0};
	AUTO_WORDS struct words words = {0};
	CLOSE_FD int push_fd = -1;
	uint64_t size;

	if (o->push && (push_fd = open_push(o, where, p, &size, err)) < 0)
		return false;
	if (o->push) {
		put_script(&script, size);
		ADD_WORDS(&words, "sh", "-c", script.p, "sh");
	} else {
		add_word(&words, "malitop");
	}
	add_command(&words, o);
	/* the writer should know from the start that this side acknowledges */
	return start_words(where, &words, asks, push_fd, o->remote_command == COMMAND_ON ? FIRST_ACK : "", p,
			   err);
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
	*p = (struct remote_program){0};
	return run_program(options, where, true, p, err);
}

const char *remote_advice(const char *where)
{
	return way_of(where)->advice;
}

bool remote_refusal(const struct options *options, const char *where, int status, const char *line,
		    struct err *err)
{
	const char *reason = line[0] ? line : "not found";

	if (status == NOT_FOUND && options->push)
		err_set(err, 0,
			"%.80s: the program that --push sent does not run there: %s: give a static one, "
			"--push=FILE of make static",
			where, reason);
	else if (status == NOT_FOUND)
		err_set(err, 0, "%.80s: no malitop there: %s: give --push, or install it in its PATH", where,
			reason);
	return status == NOT_FOUND;
}

static bool start_program(struct remote *r, bool first, struct err *err)
{
	struct mlog_arrival arrival;
	int64_t gap;

	if (!run_program(r->options, r->where, first && r->options->n_wheres == 1, &r->program, err))
		return false;
	r->n_said = 0;
	fcntl(r->program.said_fd, F_SETFL, O_NONBLOCK);
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

	if (r->program.said_fd < 0)
		return;
	if (r->n_said == sizeof(r->said)) /* the last lines say why */
		memmove(r->said, r->said + sizeof(r->said) / 2, r->n_said = sizeof(r->said) / 2);
	while ((n = read(r->program.said_fd, r->said + r->n_said, sizeof(r->said) - r->n_said)) > 0)
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
		close(take_fd(&r->program.said_fd));
		remote_program_reclaim(&r->program);
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

static void refuse_start(struct remote *r, struct err *err)
{
	struct mlog_arrival arrival;
	char line[200], where[80];

	end_program(r);
	remote_why(r, line, sizeof(line));
	str_printable(where, sizeof(where), r->where);
	mlog_arrival(r->feed, &arrival);
	if (remote_refusal(r->options, where, exit_status_of(r->status), line, err))
		return;
	if (arrival.stream.altered || (arrival.err.text[0] && !line[0]))
		*err = arrival.err;
	else
		err_set(err, 0, "%s: no stream came: %s", where,
			line[0] ? line : "it ended without a message");
}

enum remote_start remote_look(struct remote *r)
{
	struct mlog_arrival arrival;

	hear_program(r);
	mlog_take(r->feed);
	mlog_arrival(r->feed, &arrival);
	return arrival.stream.started             ? REMOTE_BEGAN
	       : mlog_arrival_fd(r->feed) < 0     ? REMOTE_ENDED
	       : remote_program_asks(&r->program) ? REMOTE_ASKS
						  : REMOTE_CONNECTS;
}

bool remote_restart(struct remote *r, struct err *err)
{
	kill(-r->program.pid, SIGKILL); /* it is stopped */
	end_program(r);
	return start_program(r, true, err);
}

bool remote_await(struct remote *r, struct err *err)
{
	enum remote_start start;

	while ((start = remote_look(r)) == REMOTE_CONNECTS || start == REMOTE_ASKS) {
		remote_program_lend(&r->program);
		poll(&(struct pollfd){.fd = mlog_arrival_fd(r->feed), .events = POLLIN}, 1, LOOK_MS);
	}
	remote_program_reclaim(&r->program);
	if (start == REMOTE_ENDED)
		refuse_start(r, err);
	return start == REMOTE_BEGAN;
}

struct remote *remote_new(const struct sys *sys, const struct options *options, const char *where,
			  struct err *err)
{
	struct remote *r = xcalloc(1, sizeof(*r));

	*r = (struct remote){.sys = sys, .options = options, .where = where};
	r->program.in_fd = r->program.said_fd = -1;
	r->feed = mlog_open_remote(where, remote_advice(where), err);
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
	struct mlog_arrival arrival;

	last_line(r, r->why, sizeof(r->why));
	mlog_arrival(r->feed, &arrival);
	if (!r->why[0])
		str_printable(r->why, sizeof(r->why), arrival.err.text);
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

	if (r->program.in_fd < 0 || bytes == r->acked || (r->program.is_fed && bytes == r->before) ||
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

	if (r->log && !remote_log_end(r, err))
		return false;
	r->log = log_file_open(r->sys, path, &(struct log_file_options){.force = force}, err);
	if (!r->log)
		return false;
	str_printable(r->log_name, sizeof(r->log_name), slash ? slash + 1 : path);
	if (mlog_copy(r->feed, write_log, r, err))
		return true;
	r->log_err = (struct err){0};
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
	if (r->program.pid && !r->left_ns && remote_program_asks(&r->program)) {
		r->n_said = (size_t)snprintf(r->said, sizeof(r->said), "it asks for a password");
		leave_program(r, now_ns); /* a screen has the terminal */
	}
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
