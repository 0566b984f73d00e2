#include "cli/export_log.h"

#include "export/export_session.h"
#include "record/log_file.h"
#include "mlog/moment.h"
#include "base/alloc.h"
#include "base/file.h"
#include "mlog/mlog_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WRITE_BYTES 65536 /* at a time */

struct job {
	struct mlog_reader *reader;
	struct session session;
	struct export *export;
	struct log_file *out;  /* NULL: not open yet */
	struct strbuf pending; /* whole rows */
	int64_t from_ns, to_ns;
};

/* ---- out ---- */

static bool write_pending(struct job *job, struct err *err)
{
	bool ok = log_file_write(job->out, job->pending.p, job->pending.n, err);

	strbuf_clear(&job->pending);
	return ok;
}

static bool keep(void *ctx, const void *bytes, size_t n, struct err *err)
{
	struct job *job = ctx;

	strbuf_add(&job->pending, bytes, n);
	return !job->out || job->pending.n < WRITE_BYTES || write_pending(job, err);
}

static bool find_file(const struct sys *sys, const char *path, struct stat *st)
{
	int fd = sys->open_at(sys, AT_FDCWD, path, O_PATH, 0);
	bool found = fd >= 0 && sys->fstat(sys, fd, st) == 0;

	if (fd >= 0)
		sys->close(sys, fd);
	return found;
}

/* What is read must not be what is emptied first. */
static bool open_out(struct job *job, const struct sys *sys, const struct options *o, struct err *err)
{
	const struct log_file_options how = {.force = o->force};
	bool is_stdout = strcmp(o->log, "-") == 0;
	struct stat in, out;

	if (is_stdout && o->format == FORMAT_PERFETTO && isatty(STDOUT_FILENO))
		return err_set(err, ERR_USAGE, "--format perfetto: not for a terminal: give -o FILE.pftrace");
	if (!is_stdout && find_file(sys, o->operand, &in) && find_file(sys, o->log, &out) && in.st_dev == out.st_dev &&
	    in.st_ino == out.st_ino)
		return err_set(err, ERR_USAGE, "--log: that is the log itself: choose another name");
	job->out = log_file_open(sys, o->log, &how, err);
	return job->out != NULL;
}

/* ---- from the log ---- */

static bool is_wanted(const struct job *job, int64_t end_ns)
{
	return end_ns > job->from_ns && end_ns <= job->to_ns;
}

/* Marks up to a moment; *next is the first note that was not looked at. */
static bool export_marks(struct job *job, const struct mlog_block *block, unsigned *next, int64_t until_ns, struct err *err)
{
	for (; *next < block->n_notes && block->notes[*next].time_ns <= until_ns; ++*next) {
		const struct mlog_note *note = &block->notes[*next];

		if (note->kind == MLOG_NOTE_MARK && is_wanted(job, note->time_ns) &&
		    !export_mark(job->export, note->time_ns, note->text, err))
			return false;
	}
	return true;
}

static bool export_block(struct job *job, const struct mlog_block *block, struct err *err)
{
	unsigned note = 0;

	for (unsigned i = 0; i < block->n_samples; i++) {
		const struct sample *sample = block->samples[i];

		if (is_wanted(job, sample->end_ns) &&
		    !(export_marks(job, block, &note, sample->end_ns, err) && export_sample(job->export, sample, err)))
			return false;
	}
	return export_marks(job, block, &note, INT64_MAX, err);
}

/* Everything that there is now. Behind a block that begins too late nothing is wanted. */
static bool export_blocks(struct job *job, struct err *err)
{
	const struct mlog_block *block;

	mlog_reader_seek(job->reader, job->from_ns);
	while ((block = mlog_reader_next(job->reader, err)) && block->begin_ns <= job->to_ns)
		if (!export_block(job, block, err))
			return false;
	return (block || !err->code) && export_end(job->export, err) && write_pending(job, err);
}

/* ---- all of it ---- */

static void tell(const char *name, const char *text)
{
	fprintf(stderr, "malitop: %s: %s\n", name, text);
}

/* What the session found, and what cannot be had. */
static void tell_notes(const struct job *job, const struct options *o, const char *name)
{
	bool parts = false;

	session_tell_notes(&job->session, name);
	for (unsigned i = 0; i < job->session.n; i++)
		parts = parts || job->session.sources[i].n_slots > job->session.sources[i].n_sums;
	if (o->per_core && !parts)
		tell(name, "only sums were kept: give --per-core when it is recorded");
}

static bool open_log(struct job *job, const struct sys *sys, const struct options *o, const struct mlog_input *input,
		     const char *name, struct err *err)
{
	struct export_options form = {.metrics = o->metrics};
	struct mlog_state state;

	job->reader = mlog_reader_new(input, name, err);
	if (!job->reader || !session_open_log(&job->session, sys, o, mlog_reader_about(job->reader), err))
		return false;
	tell_notes(job, o, name);
	mlog_reader_state(job->reader, &state);
	if (!moment_check_from(o->from_ns, state.end_ns - state.begin_ns, err))
		return false;
	form.step_from_ns = state.begin_ns + o->from_ns;
	job->from_ns = o->from_ns ? form.step_from_ns : INT64_MIN;
	job->to_ns = o->to_ns ? state.begin_ns + o->to_ns : INT64_MAX;
	job->export = export_session(&job->session, &form, keep, job, err);
	return job->export != NULL;
}

/* Whether the log was whole, as far as it goes. */
static bool tell_damage(const struct job *job, const char *name)
{
	AUTO_STRBUF struct strbuf text = {0};
	struct mlog_state state;

	mlog_reader_complain(job->reader, &text);
	if (text.n)
		tell(name, text.p);
	mlog_reader_state(job->reader, &state);
	return !state.damaged;
}

int export_log_run(const struct sys *sys, const struct options *options, struct err *err)
{
	struct file *file = file_open(options->operand, err);
	const struct mlog_input input = {.ctx = file, .read = file_read_at, .size = file_size};
	struct job job = {0};
	char name[256];
	bool ok;

	if (!file)
		return EXIT_FAILED;
	str_printable(name, sizeof(name), options->operand);
	ok = open_log(&job, sys, options, &input, name, err) && open_out(&job, sys, options, err) && export_blocks(&job, err);
	ok = log_file_close(job.out, ok ? err : NULL) && ok;
	if (!ok && err->code == EPIPE) { /* whoever read has seen enough */
		err->text[0] = 0;
		ok = true;
	} else if (job.out) {
		ok = tell_damage(&job, name) && ok;
	}
	export_free(job.export);
	session_close(&job.session);
	mlog_reader_free(job.reader);
	file_close(file);
	strbuf_fini(&job.pending);
	return ok ? EXIT_DONE : EXIT_FAILED;
}
