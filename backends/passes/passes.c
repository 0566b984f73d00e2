#include "backends/passes/passes.h"

#include "backends/backends.h"
#include "base/alloc.h"
#include "base/sys_socket.h"

#include <stdio.h>
#include <string.h>

#define ALONE_NS 2000000000ll      /* after which it looks for applications less often */
#define PERIOD_MAX_NS 500000000ll  /* while there are none */
#define APPS_PERIOD_NS 100000000ll /* else: the rings of busy ones hold less than a second */

/* The source is always found; open reports problems with its socket. */
static bool passes_probe(const struct sys *sys, struct source_found **found, struct err *err)
{
	(void)sys;
	(void)err;
	source_found_add(found, &backend_passes, "");
	return true;
}

static bool passes_open(struct source *source, const char *device, struct err *err)
{
	struct passes *p = source->priv;
	struct slot slots[PASS_FOLD_SLOTS + REGIONS_SLOTS];

	(void)device;
	p->source = source;
	if (!passes_listen(p, err))
		return false;
	snprintf(source->title, sizeof(source->title), "Frames and passes");
	snprintf(source->driver, sizeof(source->driver), "malitop's layer");
	pass_fold_slots(&p->fold, slots);
	regions_slots(&p->regions, slots + PASS_FOLD_SLOTS);
	for (unsigned i = 0; i < ARRAY_LEN(slots); i++)
		source_add_slot(source, &slots[i]);
	source->n_more = PASS_MORE_WORDS;
	return true;
}

static void passes_close(struct source *source)
{
	passes_unlisten(source->priv);
}

static bool passes_start(struct source *source, int64_t period_ns, int64_t now_ns, struct err *err)
{
	struct passes *p = source->priv;

	(void)err;
	source->period_ns = period_ns < APPS_PERIOD_NS ? period_ns : APPS_PERIOD_NS;
	p->asked_ns = source->period_ns;
	p->begin_ns = p->since_ns = p->alone_ns = now_ns;
	p->due_ns = now_ns + source->period_ns;
	pass_fold_start(&p->fold, source->options.frames_per_second);
	return true;
}

/* Without the room for it, a mark counts as an event that was not read. */
static void take_mark(struct passes *p, struct app *app, const struct passes_event *e)
{
	struct source_mark *mark = &p->marks[p->n_marks];

	if (p->n_marks == MARKS_MOST) {
		app->reader.overwritten++;
		app->missed++; /* it is of no frame */
		return;
	}
	mark->time_ns = e->begin_ns;
	passes_reader_name(&app->reader, e->name, 0, mark->text, sizeof(mark->text));
	p->n_marks++;
}

/* The regions and marks of a program come in memory of their own. */
static void take_own(struct passes *p, struct app *app, const struct passes_event *e, int64_t now_ns)
{
	char name[PASS_NAME_TEXT];

	if (!p->shown || p->shown->pid != app->pid)
		return;
	if (e->type == PASSES_MARK) {
		take_mark(p, app, e);
		return;
	}
	passes_reader_name(&app->reader, e->name, 0, name, sizeof(name));
	regions_event(&p->regions, e, name, now_ns, &p->fold.records);
}

static void take_events(struct passes *p, struct app *app, int64_t now_ns)
{
	const struct passes_reader *r = &app->reader;
	struct passes_event e;

	for (unsigned i = 0; i < PASSES_LARGE_RING && passes_reader_next(&app->reader, now_ns, &e); i++) {
		uint64_t missed = r->overwritten + r->torn + r->invalid;

		if (app == p->shown && missed != app->missed)
			pass_fold_miss(&p->fold);
		app->missed = missed;
		if (e.end_ns < p->since_ns)
			continue;
		if (e.type == PASSES_REGION || e.type == PASSES_MARK)
			take_own(p, app, &e, now_ns);
		if (!app->has_device || (e.type == PASSES_FRAME && now_ns - app->frame_ns > PASS_AWAY_NS)) {
			app->has_device = true;
			app->device = e.device;
		}
		if (e.device != app->device)
			continue;
		if (e.type == PASSES_FRAME) {
			app->frame_ns = now_ns;
			app->frames++;
		}
		if (app == p->shown)
			pass_fold_event(&p->fold, &e, now_ns);
	}
}

/* An application that reports only its own regions and frames gives way to one that renders. */
static bool is_better(const struct app *app, const struct app *than)
{
	bool regions = passes_reader_writer(&app->reader) == PASSES_REGIONS;

	if (regions != (passes_reader_writer(&than->reader) == PASSES_REGIONS))
		return !regions;
	return app->frames > than->frames;
}

/* The application of this process that renders most, of any process for 0; NULL: there is none. */
static struct app *best_app(struct passes *p, uint64_t pid)
{
	struct app *best = NULL;

	for (struct app *app = p->apps; app < p->apps + APPS_MOST; app++)
		if (app->fd >= 0 && (!pid || app->pid == pid) && (!best || is_better(app, best)))
			best = app;
	return best;
}

static bool renders_now(const struct app *app, uint64_t pid, int64_t now_ns)
{
	return app && app->fd >= 0 && (!pid || app->pid == pid) && now_ns - app->frame_ns < PASS_AWAY_NS &&
	       passes_reader_writer(&app->reader) != PASSES_REGIONS;
}

/* The application that the user has chosen as long as it runs, else that of --pid, or else the one
 * with the most frames; it stays until it has had none for two seconds. */
static void choose_app(struct passes *p, const struct scope *scope, int64_t now_ns)
{
	uint64_t pid = scope->kind == SCOPE_PROCESS ? (uint64_t)scope->pid : 0;
	struct app *best = p->asked ? best_app(p, p->asked) : NULL;

	if (!best && renders_now(p->shown, pid, now_ns))
		return;
	if (!best)
		best = best_app(p, pid);
	if (best == p->shown)
		return;
	p->shown = best;
	if (best) {
		p->fold.frame[FRAME_CHANGES] += p->shown_pid && p->shown_pid != best->pid;
		p->shown_pid = best->pid;
	}
	pass_fold_forget(&p->fold);
	regions_forget(&p->regions);
}

/* What the writer and the ring lost since the last sample. */
static void count_losses(struct app *app, uint64_t losses[PASSES_COUNTS + 1])
{
	const struct passes_reader *r = &app->reader;
	uint64_t dropped = r->overwritten + r->torn + r->invalid;

	passes_reader_counts(&app->reader);
	for (unsigned i = 0; i < PASSES_COUNTS; i++) {
		losses[i] = r->counts[i] - app->dropped[i];
		app->dropped[i] = r->counts[i];
	}
	losses[PASSES_COUNTS] = dropped - app->dropped[PASSES_COUNTS];
	app->dropped[PASSES_COUNTS] = dropped;
}

/* The next process after the shown one, cyclically. */
static uint64_t next_pid(const struct passes *p)
{
	uint64_t shown = p->shown ? p->shown->pid : 0;
	size_t first = p->shown ? (size_t)(p->shown - p->apps) + 1 : 0;

	for (size_t i = first; i < first + APPS_MOST; i++) {
		const struct app *app = &p->apps[i % APPS_MOST];

		if (app->fd >= 0 && app->pid != shown)
			return app->pid;
	}
	return shown;
}

static void passes_choose(struct source *source, pid_t pid)
{
	struct passes *p = source->priv;

	p->asked = pid == SOURCE_NEXT_PROCESS ? next_pid(p) : (uint64_t)pid;
}

static bool passes_mark(struct source *source, struct source_mark *mark)
{
	struct passes *p = source->priv;

	if (!p->n_marks)
		return false;
	*mark = p->marks[0];
	memmove(p->marks, p->marks + 1, --p->n_marks * sizeof(p->marks[0]));
	return true;
}

/* A process may have several: one that renders, and its regions. */
static unsigned count_processes(const struct passes *p)
{
	unsigned n = 0;

	for (unsigned i = 0; i < APPS_MOST; i++) {
		unsigned before = 0;

		while (before < i && !(p->apps[before].fd >= 0 && p->apps[before].pid == p->apps[i].pid))
			before++;
		n += p->apps[i].fd >= 0 && before == i;
	}
	return n;
}

static void write_name(const void *reader, unsigned name, unsigned ordinal, char *text, size_t size)
{
	passes_reader_name(reader, name, ordinal, text, size);
}

static void put_sample(struct passes *p, uint64_t *value)
{
	struct app *app = p->shown;
	struct pass_fold_app facts = {.apps = count_processes(p), .other = ""};
	char title[PASS_NAME_TEXT], driver[PASS_NAME_TEXT];

	if (p->other.seen_ns && p->begin_ns - p->other.seen_ns < PASS_AWAY_NS) {
		facts.other = p->other.title;
		facts.other_pid = p->other.pid;
	}
	if (app) {
		passes_reader_text(&app->reader, PASSES_RECORD_TITLE, title, sizeof(title));
		passes_reader_text(&app->reader, PASSES_RECORD_DRIVER, driver, sizeof(driver));
		facts.title = title;
		facts.driver = driver;
		facts.pid = app->pid;
		facts.writer = passes_reader_writer(&app->reader);
		facts.stamp = passes_reader_stamp(&app->reader);
		facts.name = write_name;
		facts.names = &app->reader;
		count_losses(app, facts.losses);
	}
	regions_sample(&p->regions, &p->fold, value + PASS_FOLD_SLOTS);
	pass_fold_sample(&p->fold, &facts, value);
}

static void read_apps(struct passes *p, const struct scope *scope, int64_t now_ns)
{
	passes_connect(p, now_ns);
	choose_app(p, scope, now_ns);
	for (struct app *app = p->apps; app < p->apps + APPS_MOST; app++) {
		if (app->fd < 0)
			continue;
		app->frames = 0;
		app->gone = app_has_ended(p, app); /* then all that it wrote is there */
		take_events(p, app, now_ns);
		if (app->gone && app == p->shown)
			pass_fold_finish(&p->fold);
	}
}

static void release_apps(struct passes *p)
{
	for (struct app *app = p->apps; app < p->apps + APPS_MOST; app++)
		if (app->fd >= 0 && app->gone) {
			app_release(p, app);
			p->shown = p->shown == app ? NULL : p->shown;
		}
}

/* While there are no applications: looking every 10 ms would cost more than it is worth. */
static void choose_period(struct source *source, struct passes *p, int64_t now_ns)
{
	int64_t period_ns;

	for (unsigned i = 0; i < APPS_MOST; i++)
		if (p->apps[i].fd >= 0)
			p->alone_ns = now_ns;
	period_ns = now_ns - p->alone_ns > ALONE_NS ? PERIOD_MAX_NS : p->asked_ns;
	if (period_ns == source->period_ns)
		return;
	source->period_ns = period_ns;
	p->due_ns = now_ns + period_ns;
}

static enum read_result passes_read(struct source *source, int64_t now_ns, struct sample *sample)
{
	struct passes *p = source->priv;

	if (now_ns < p->due_ns && (!source->cut || now_ns == p->begin_ns))
		return READ_NONE;
	while (p->due_ns <= now_ns)
		p->due_ns += source->period_ns;
	read_apps(p, &source->options.scope, now_ns);
	sample->begin_ns = p->begin_ns;
	sample->end_ns = now_ns;
	put_sample(p, sample->value);
	pass_fold_records(&p->fold, now_ns, source->n_slots, sample);
	release_apps(p);
	sample->lost = 0;
	sample->flags = source_stretched(p->begin_ns, now_ns, source->period_ns);
	/* The GPU's clock jumped, or was reset: times of this sample may be wrong. */
	if (sample->value[FRAME_DISJOINT] && sample->value[FRAME_DISJOINT] != SAMPLE_UNKNOWN)
		sample->flags |= SAMPLE_CLOCK;
	p->begin_ns = now_ns;
	choose_period(source, p, now_ns);
	return READ_GOT;
}

static void passes_stop(struct source *source)
{
	(void)source; /* no activity between reads */
}

static void passes_describe(const struct source *source, struct strbuf *text)
{
	const struct passes *p = source->priv;

	strbuf_printf(text, "listens at %s\n", p->path);
	strbuf_str(text, "applications with malitop's layer: see `malitop record --passes`\n");
}

const struct backend backend_passes = {
	.name = "passes",
	.help = "frames and render passes of applications with malitop's layers",
	.kind = SOURCE_PASSES,
	.asked_only = true,
	.priv_size = sizeof(struct passes),
	.probe = passes_probe,
	.open = passes_open,
	.start = passes_start,
	.read = passes_read,
	.stop = passes_stop,
	.close = passes_close,
	.describe = passes_describe,
	.extras = &(const struct backend_extras){.mark = passes_mark, .choose = passes_choose},
};
