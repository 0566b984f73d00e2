#include "cli/commands.h"

#include "mlog/mlog_stream.h"
#include "record/log_file.h"
#include "record/remote.h"
#include "base/alloc.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#define PIECE 65536
#define LOOK_MS 100
#define SHOWN 80

static volatile sig_atomic_t asked; /* how often a signal asked to end */

static void note_signal(int signal)
{
	(void)signal;
	asked++;
}

/* What comes back: a stream of counters, whose blocks are checked; a trace, whose packets are; or
 * text, of which nothing may control a terminal. */
struct result {
	const struct options *options;
	struct log_file *file;
	struct mlog_stream *stream; /* NULL: no counters */
	const char *begin;          /* of the text, before which only greetings come; NULL: any */
	struct strbuf held, text;   /* not complete; ready to be written */
	uint64_t left;              /* bytes of this packet of a trace */
	unsigned shift;             /* of the next bits of its length */
	enum { TRACE_TAG, TRACE_LENGTH, TRACE_BYTES } next;
	bool begun, in_line, reader_left;
};

static bool write_file(void *ctx, const void *bytes, size_t n, struct err *err)
{
	struct result *r = ctx;

	return log_file_write(r->file, bytes, n, err);
}

static bool refuse_result(const struct result *r, struct err *err)
{
	char shown[SHOWN];

	return err_set(err, 0, "%.80s: no %s came: it begins with '%s'", r->options->where,
		       output_format_names[r->options->format],
		       str_printable(shown, sizeof(shown), r->text.n ? r->text.p : ""));
}

static bool refuse_altered(const struct result *r, struct err *err)
{
	const char *where = r->options->where;

	return err_set(err, 0, "%.80s: the %s was altered on its way: is there a terminal in between? %s",
		       where, output_format_names[r->options->format], remote_advice(where));
}

/* Leave out what a login says before the first line. */
static bool skip_greeting(struct result *r, struct err *err)
{
	const char *begin = r->text.n ? strstr(r->text.p, r->begin) : NULL;

	r->begun = begin != NULL;
	if (!begin)
		return r->text.n <= MLOG_STREAM_BEFORE || refuse_result(r, err);
	r->text.n -= (size_t)(begin - r->text.p);
	memmove(r->text.p, begin, r->text.n + 1);
	return true;
}

static bool take_text(struct result *r, const char *bytes, size_t n, struct err *err)
{
	bool ok = strbuf_printable(&r->text, &r->held, bytes, n,
				   r->options->format == FORMAT_CSV ? "\r\n" : "\n");

	if (r->begun && r->begin && !ok)
		return refuse_altered(r, err);
	if (!r->begun && !skip_greeting(r, err))
		return false;
	if (!r->begun || !r->text.n)
		return true;
	r->in_line = r->text.p[r->text.n - 1] != '\n';
	ok = log_file_write(r->file, r->text.p, r->text.n, err);
	strbuf_clear(&r->text);
	return ok;
}

/* A trace has no checksums, but each packet has a tag, which is a line feed, and its length. */
static bool take_trace(struct result *r, const char *bytes, size_t n, struct err *err)
{
	for (size_t i = 0; i < n;) {
		uint8_t byte = (uint8_t)bytes[i];
		size_t part = r->left < n - i ? (size_t)r->left : n - i;

		if (r->next == TRACE_BYTES) {
			i += part;
			r->left -= part;
			r->next = r->left ? TRACE_BYTES : TRACE_TAG;
			continue;
		}
		if (r->next == TRACE_TAG ? byte != '\n' : r->shift > 28)
			return r->begun || byte == '\r'
				       ? refuse_altered(r, err)
				       : (strbuf_add(&r->text, bytes, n), refuse_result(r, err));
		if (r->next == TRACE_LENGTH)
			r->left |= (uint64_t)(byte & 0x7f) << r->shift;
		r->shift = r->next == TRACE_TAG ? 0 : r->shift + 7;
		if (r->next == TRACE_TAG)
			r->next = TRACE_LENGTH;
		else if (!(byte & 0x80))
			r->next = r->left ? TRACE_BYTES : TRACE_TAG;
		r->begun = true;
		i++;
	}
	return log_file_write(r->file, bytes, n, err);
}

static bool take_bytes(struct result *r, const char *bytes, size_t n, struct err *err)
{
	return r->stream                               ? mlog_stream_add(r->stream, bytes, n, err)
	       : r->options->format == FORMAT_PERFETTO ? take_trace(r, bytes, n, err)
						       : take_text(r, bytes, n, err);
}

/* All has come, with this exit status. A program that failed has said why. */
static bool end_result(struct result *r, int status, struct err *err)
{
	const char *where = r->options->where;
	struct mlog_stream_state state;

	if (!r->stream && r->options->format != FORMAT_PERFETTO)
		return take_text(r, NULL, 0, err) &&
		       (status || (r->begun ? !r->begin || !r->in_line || refuse_altered(r, err)
					    : refuse_result(r, err)));
	if (!r->stream)
		return r->next == TRACE_TAG || status ||
		       err_set(err, 0, "%.80s: the trace ended inside a packet", where);
	mlog_stream_state(r->stream, &state);
	if (!state.bytes && status)
		return true;
	if (!mlog_stream_end(r->stream, err))
		return false;
	if (!state.bytes || !state.started)
		return err_set(err, 0, "%.80s: no stream came: it ended without a message", where);
	if (state.skipped)
		return err_set(err, 0, "%.80s: %llu byte%s of the stream %s damaged and %s skipped", where,
			       (unsigned long long)state.skipped, plural_ending(state.skipped),
			       was_or_were(state.skipped), was_or_were(state.skipped));
	return state.complete || status ||
	       err_set(err, 0, "%.80s: the stream was cut: all that came before is intact", where);
}

/* The first signal closes standard input there, which ends a recording; the second one ends the
 * program here. */
static bool pass_output(const struct sys *sys, struct remote_program *p, struct result *result,
			struct err *err)
{
	AUTO_STRBUF struct strbuf held = {0};
	char bytes[PIECE];
	int handled = 0;

	while (p->out_fd >= 0 || p->said_fd >= 0) {
		struct pollfd fds[] = {{.fd = p->out_fd, .events = POLLIN},
				       {.fd = p->said_fd, .events = POLLIN}};
		ssize_t n;

		if (asked != handled && p->in_fd >= 0)
			close(take_fd(&p->in_fd));
		else if (asked != handled)
			kill(-p->pid, SIGTERM);
		handled = asked;
		remote_program_lend(p);
		if (sys->poll(sys, fds, ARRAY_LEN(fds), LOOK_MS) <= 0)
			continue;
		if (fds[1].revents)
			remote_program_show(p, &held);
		if (!fds[0].revents)
			continue;
		n = read(p->out_fd, bytes, sizeof(bytes));
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		remote_program_reclaim(p);
		if (n <= 0)
			close(take_fd(&p->out_fd));
		else if (!take_bytes(result, bytes, (size_t)n, err))
			break;
	}
	result->reader_left = err->code == EPIPE; /* the reader of our standard output */
	if (result->reader_left)
		*err = (struct err){0};
	else if (p->out_fd >= 0)
		kill(-p->pid, SIGTERM);
	return result->reader_left || p->out_fd < 0;
}

static bool is_binary(enum output_format format)
{
	return format == FORMAT_MLOG || format == FORMAT_PERFETTO;
}

static bool begin_result(struct result *r, const struct sys *sys, struct err *err)
{
	static const char *const begins[FORMAT_COUNT] = {
		[FORMAT_CSV] = "time,duration,flags", [FORMAT_JSONL] = "{\"malitop\""};
	const struct options *o = r->options;
	const char *path = o->log ? o->log : "-";

	if (is_binary(o->format) && strcmp(path, "-") == 0 && isatty(STDOUT_FILENO))
		return err_set(err, ERR_USAGE, "--log: %s is not for a terminal: give -o FILE",
			       o->format == FORMAT_MLOG ? "a stream of counters" : "a trace");
	r->file = log_file_open(sys, path, &(struct log_file_options){.force = o->force}, err);
	if (!r->file)
		return false;
	if (o->remote_command == COMMAND_RECORD)
		r->begin = begins[o->format];
	r->begun = !r->begin && o->format != FORMAT_PERFETTO;
	if (o->format == FORMAT_MLOG)
		r->stream = mlog_stream_new(o->where, remote_advice(o->where), write_file, r);
	return true;
}

int on_run(const struct sys *sys, const struct options *options, struct err *err)
{
	const struct sigaction action = {.sa_handler = note_signal};
	struct result result = {.options = options};
	struct remote_program p;
	int status = EXIT_FAILED;
	bool ok;

	if (!begin_result(&result, sys, err))
		return EXIT_FAILED;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	ok = remote_program_start(&p, options, options->where, err);
	if (ok) {
		ok = pass_output(sys, &p, &result, err);
		status = remote_program_end(&p);
		ok = ok && (result.reader_left || end_result(&result, status, err));
	}
	if (ok)
		remote_refusal(options, options->where, status, "", err);
	mlog_stream_free(result.stream);
	strbuf_fini(&result.held);
	strbuf_fini(&result.text);
	if (!log_file_close(result.file, ok ? err : NULL) || !ok)
		return EXIT_FAILED;
	return status;
}
