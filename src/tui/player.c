#include "tui/player.h"

#include "mlog/moment.h"
#include "base/alloc.h"
#include "tui/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_NS 100000000ll /* the shortest time between two frames */
#define LOOK_NS 250000000ll  /* how often to check a log that is still being written */
#define GROWING_NS 5000000000ll
#define SILENT_NS 3000000000ll /* after this time without data, its absence is reported first */
#define BRIEF_NS 200000000ll   /* longer reading is shown */

static bool is_at_end(const struct player *p)
{
	return p->at_ns >= player_last(p);
}

/* ---- the clock ---- */

static void restart_clock(struct player *p, int64_t now_ns)
{
	p->real_ns = now_ns;
	p->log_ns = p->at_ns;
}

static void restart_measure(struct player *p, int64_t now_ns)
{
	p->was_behind = p->behind = false;
	p->measured_ns = now_ns;
	p->measured_at_ns = p->at_ns;
}

/* Read data that was written or has arrived since; an empty log may get its first block. */
static bool check_growth(struct player *p, int64_t now_ns)
{
	bool began = p->state.blocks != 0, arrived = mlog_take(p->feed);
	struct mlog_arrival arrival;

	if (p->remote) { /* the remote feed is shared with Boards */
		remote_run(p->remote, now_ns, &p->said);
		mlog_arrival(p->feed, &arrival);
		arrived = arrival.stream.blocks != p->arrived;
		p->arrived = arrival.stream.blocks;
	}

	if (p->state.ended || (!arrived && now_ns < p->look_ns))
		return false;
	p->look_ns = now_ns + LOOK_NS;
	if (!mlog_reader_refresh(p->reader))
		return arrived;
	p->grown_ns = now_ns;
	player_take_state(p);
	/* clocks of two machines differ, so ages are relative to the quickest arrival */
	if (!p->timed || now_ns - p->state.end_ns < p->delay_ns)
		p->delay_ns = now_ns - p->state.end_ns;
	p->timed = true;
	if (!began && p->follows)
		player_seek(p, player_last(p));
	else if (!began)
		player_seek(p, p->state.begin_ns + p->from_ns);
	return true;
}

static void show_fed(struct player *p)
{
	if (p->fed_ns > p->at_ns)
		p->at_ns = p->sought_ns = p->window_ns = p->fed_ns;
}

static void play_log(struct player *p, int64_t now_ns)
{
	int64_t passed = now_ns - p->real_ns, last = player_last(p);
	double clock = (double)passed * p->speed;
	int64_t left = last > p->log_ns ? last - p->log_ns : 0,
		until = p->log_ns + (clock < (double)left ? (int64_t)clock : left);
	bool done = player_advance(p, until / p->refresh_ns * p->refresh_ns);

	show_fed(p);
	p->behind = !done;
	p->was_behind |= p->behind;
	if (p->behind || is_at_end(p))
		restart_clock(p, now_ns);
	if (is_at_end(p) && (p->state.ended || p->to_ns < p->state.end_ns))
		p->paused = true;
	if (now_ns - p->measured_ns >= SECOND) {
		p->reached = (double)(p->at_ns - p->measured_at_ns) / (double)(now_ns - p->measured_ns);
		p->measured_ns = now_ns;
		p->measured_at_ns = p->at_ns;
		p->was_behind = p->behind;
	}
}

static int64_t frame_ns(const struct player *p)
{
	return p->refresh_ns < SHOWN_NS ? p->refresh_ns : SHOWN_NS;
}

bool player_run(struct player *p, int64_t now_ns)
{
	int64_t at = p->at_ns;
	bool changed = check_growth(p, now_ns);

	p->work = WORK_MOST;
	if (player_is_reading(p)) {
		if (!p->reading_ns)
			p->reading_ns = now_ns;
		changed |= player_read(p);
		restart_clock(p, now_ns);
		restart_measure(p, now_ns);
	} else if (p->follows && !p->paused) { /* the clock follows the recording */
		p->behind = !player_advance(p, player_last(p));
		show_fed(p);
		restart_clock(p, now_ns);
	} else if (!p->paused) {
		play_log(p, now_ns);
	}
	if (!player_is_reading(p)) {
		p->reading_ns = 0;
		changed |= player_read_line(p);
	}
	p->unshown |= changed || p->at_ns != at;
	if (!p->unshown || (!changed && now_ns - p->shown_ns < frame_ns(p)))
		return false;
	p->unshown = false;
	p->shown_ns = now_ns;
	return true;
}

int64_t player_wait_ns(const struct player *p, int64_t now_ns)
{
	int64_t wait = SECOND, due;

	if (player_is_reading(p) || p->behind || !player_line_is_read(p))
		return 0;
	if (!p->state.ended && p->look_ns - now_ns < wait)
		wait = p->look_ns - now_ns;
	if (!p->paused && !p->follows && !is_at_end(p)) {
		due = p->real_ns + (int64_t)((double)(p->fed_ns + p->refresh_ns - p->log_ns) / p->speed) + 1;
		if (due < p->shown_ns + frame_ns(p))
			due = p->shown_ns + frame_ns(p);
		wait = due - now_ns < wait ? due - now_ns : wait;
	}
	return wait > 0 ? wait : 0;
}

void player_settle(struct player *p)
{
	p->work = INT64_MAX;
	player_read(p);
}

bool player_is_brief(const struct player *p, int64_t now_ns)
{
	return player_is_reading(p) && now_ns - p->reading_ns < BRIEF_NS;
}

/* ---- keys ---- */

void player_pause(struct player *p, int64_t now_ns)
{
	if (!p->paused) {
		p->paused = true;
		return;
	}
	p->paused = false;
	if (p->follows)
		player_seek(p, player_last(p));
	else if (is_at_end(p))
		player_seek(p, player_first(p));
	else if (p->at_ns < p->fed_ns)
		player_seek(p, p->at_ns);
	restart_clock(p, now_ns);
	restart_measure(p, now_ns);
}

bool player_step(struct player *p, int by, int64_t now_ns)
{
	int64_t to = p->at_ns + by * player_step_ns(p), first = player_first(p), last = player_last(p);
	bool moved = true;

	p->paused = true;
	to = to < first ? first : to > last ? last : to;
	if (to == p->at_ns) {
		restart_measure(p, now_ns);
		moved = player_is_reading(p);
	} else if (player_is_reading(p)) {
		player_seek(p, to); /* p->at_ns is the target of the reading, so no step is lost */
	} else if (to > p->fed_ns && p->window_ns == p->fed_ns) {
		player_take_aways(p, p->fed_ns);
		p->window_ns = p->at_ns = p->sought_ns = to; /* p->fed_ns is the previous refresh */
	} else {
		player_go_to(p, to);
	}
	p->unshown = true;
	return moved;
}

bool player_speed(struct player *p, int by, int64_t now_ns)
{
	static const double speeds[] = {0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100};
	double found = keys_step(speeds, ARRAY_LEN(speeds), p->speed, by);

	if (p->follows)
		return false; /* a stream plays at the speed of the recording */
	p->speed = found > 0 ? found : p->speed;
	restart_clock(p, now_ns);
	restart_measure(p, now_ns);
	return found > 0;
}

bool player_go(struct player *p, const char *text, int64_t *wanted_ns, struct err *err)
{
	int64_t begin = p->state.begin_ns, to;

	if (!moment_parse(text, p->at_ns - begin, p->state.end_ns - begin, &to, err))
		return false;
	*wanted_ns = begin + to;
	player_go_to(p, *wanted_ns);
	return true;
}

void player_show_again(struct player *p)
{
	if (player_is_reading(p))
		return;
	if (p->at_ns < p->fed_ns)
		feeds_show(p->feeds, p->window_ns, p->at_ns);
	else
		feeds_show(p->feeds, 0, 0);
}

bool player_await(struct player *p, unsigned refreshes)
{
	while (mlog_is_stream(p->feed) &&
	       p->state.end_ns - p->state.begin_ns <= (int64_t)refreshes * p->refresh_ns &&
	       mlog_await(p->feed)) {
		if (p->remote)
			remote_ack(p->remote);
		mlog_reader_refresh(p->reader);
		player_take_state(p);
	}
	return p->state.blocks != 0;
}

void player_find(struct player *p, bool back, struct strbuf *said)
{
	AUTO_STRBUF struct strbuf text = {0};
	struct timeline_place found = {0}; /* without a text: what the log has there */
	char at[UNITS_TEXT];

	p->paused = true;
	mlog_reader_find(p->reader, p->sought_ns, back, MLOG_MARK | MLOG_LOSS, &found.at_ns, &text);
	timeline_take_scene(&found, &p->line.line, p->sought_ns, back ? -1 : 1);
	if (!found.at_ns) {
		strbuf_printf(said, "no mark, loss or other scene %s this point", back ? "before" : "after");
		return;
	}
	player_go_to(p, found.at_ns);
	strbuf_printf(said, "%s at %s",
		      found.text[0] ? found.text
		      : text.n      ? text.p
				    : "a mark",
		      moment_format(at, found.at_ns - p->state.begin_ns, true));
}

/* ---- requests to the shown machine ---- */

static bool takes_word(const struct player *p, const char *word)
{
	struct span words = span_of(p->remote ? mlog_reader_about(p->reader)->control : "");

	span_word(&words); /* the version */
	return span_has_word(words, span_of(word));
}

void player_ask(struct player *p, const char *word, const char *text)
{
	const struct mlog_about *about = mlog_reader_about(p->reader);
	int64_t number;
	struct err err;

	if (!takes_word(p, word)) {
		strbuf_printf(&p->said, "%s: %s there does not support that: install this version there\n",
			      word, about->program[0] ? about->program : "the malitop");
		return;
	}
	if (!remote_ask(p->remote, word, text, &number, &err)) {
		strbuf_printf(&p->said, "%s\n", err.text);
		return;
	}
	if (strcmp(word, "interval") == 0) {
		p->asked.number = number;
		p->asked.interval_ns = atoll(text);
	}
}

void player_sample_functions(struct player *p, bool on)
{
	if (on == p->samples_functions || !takes_word(p, "hot"))
		return;
	player_ask(p, "hot", on ? "on" : "off");
	p->samples_functions = on;
}

/* ---- reports ---- */

/* "PAUSED", or "PAUSED x10" if the speed is not 1. */
static void held_text(const struct player *p, const char *word, char *out, size_t size)
{
	if (p->speed < 1 || p->speed > 1)
		snprintf(out, size, "%s x%.3g", word, p->speed);
	else
		snprintf(out, size, "%s", word);
}

/* "newest 0.3 s old", "no data for 12 s", "END of the stream at 1:02". NULL for a time that is not
 * the newest. */
static const char *newest_text(const struct player *p, int64_t now_ns, char *out, size_t size)
{
	double age = (double)(now_ns - p->state.end_ns - p->delay_ns) * 1e-9;
	struct mlog_arrival arrival;
	char at[UNITS_TEXT];

	mlog_arrival(p->feed, &arrival);
	if (!p->follows || p->paused || player_is_reading(p))
		return NULL;
	if (p->state.ended || (mlog_is_stream(p->feed) && arrival.ended))
		snprintf(out, size, "END of the %s at %s", mlog_is_stream(p->feed) ? "stream" : "log",
			 moment_format(at, p->state.end_ns - p->state.begin_ns, false));
	else if (!p->timed)
		snprintf(out, size, "no data yet");
	else if (now_ns - p->grown_ns >= SILENT_NS)
		snprintf(out, size, "no data for %.0f s", (double)(now_ns - p->grown_ns) * 1e-9);
	else
		snprintf(out, size, "newest %.1f s old", age > 0 ? age : 0.0);
	return out;
}

void player_position(const struct player *p, int64_t now_ns, char *out, size_t size)
{
	int64_t begin = p->state.begin_ns, length = p->state.end_ns - begin, at = p->at_ns - begin;
	char at_text[UNITS_TEXT], length_text[UNITS_TEXT], how[32];
	bool tenths = p->refresh_ns % SECOND != 0; /* fixed digits, so that the text does not move */
	bool grows = !p->state.ended && p->grown_ns && now_ns - p->grown_ns < GROWING_NS;

	if (newest_text(p, now_ns, out, size))
		return;
	at = at < 0 ? 0 : at > length ? length : at;
	if (player_is_reading(p))
		snprintf(how, sizeof(how), "READING");
	else if (is_at_end(p) && !p->paused && grows)
		snprintf(how, sizeof(how), "FOLLOWING");
	else if (is_at_end(p))
		held_text(p, "END", how, sizeof(how));
	else if (p->paused)
		held_text(p, "PAUSED", how, sizeof(how));
	else if (p->was_behind && p->reached > 0 && p->reached < 0.9 * p->speed)
		snprintf(how, sizeof(how), "x%.2g of x%.3g", p->reached, p->speed);
	else
		snprintf(how, sizeof(how), "x%.3g", p->speed);
	moment_format(length_text, length, false);
	moment_format(at_text, at, tenths);
	snprintf(out, size, "%*s of %s  %3.0f %%  %-6s", (int)strlen(length_text) + 2 * tenths, at_text,
		 length_text, length ? (double)at / (double)length * 100 : 100.0, how);
}

int64_t player_realtime_ns(const struct player *p)
{
	const struct mlog_about *about = mlog_reader_about(p->reader);

	return about->realtime_ns + (p->state.blocks ? p->at_ns - about->monotonic_ns : 0);
}

void player_complain(const struct player *p, struct strbuf *text)
{
	struct mlog_arrival arrival;

	mlog_arrival(p->feed, &arrival);
	if (arrival.ended && !p->remote) { /* otherwise it is still running */
		mlog_reader_complain(p->reader, text);
		mlog_reader_tell_clock(p->reader, text);
	}
	mlog_arrival_complain(p->feed, text);
}

void player_want_processes(struct player *p, bool wanted)
{
	bool begins = wanted && !p->wants_processes;

	p->wants_processes = wanted;
	if (begins && p->at_ns < p->fed_ns)
		player_seek(p, p->at_ns); /* the processes read last are of a later time */
	else if (begins)
		player_copy_processes(p);
}

struct process_list *player_take_processes(struct player *p)
{
	return player_is_reading(p) ? NULL : take_ptr(&p->list);
}

/* ---- life ---- */

const struct pass_run *player_frames(struct player *p)
{
	const struct session_source *source = session_shown(p->session, SOURCE_PASSES);
	double budget_ms = p->session->fps > 0 ? 1000 / p->session->fps : 0;
	const struct mlog_block *block;
	struct mlog_reader *reader;
	struct err ignored;

	if (p->frames || !source || mlog_is_stream(p->feed) || p->follows)
		return p->frames;
	reader = mlog_reader_new(&p->input, p->title, &ignored);
	if (!reader)
		return NULL;
	p->frames = xcalloc(1, sizeof(*p->frames));
	while ((block = mlog_reader_next(reader, &ignored)))
		for (unsigned i = 0; i < block->n_samples; i++) {
			const struct sample *sample = block->samples[i];

			if (sample->source == source->index && sample->n_values <= source->n_slots &&
			    sample->end_ns >= player_first(p) && sample->end_ns <= player_last(p))
				pass_run_take(p->frames, source->set, sample, budget_ms);
		}
	mlog_reader_free(reader);
	return p->frames;
}

struct player *player_open(struct session *session, const struct sys *sys, const struct options *options,
			   struct remote *remote, struct err *err)
{
	bool owned = options->command == COMMAND_ON && options->n_wheres == 1;
	const struct session_source *first;
	struct player *p;
	const char *operand, *slash;
	unsigned most = 0;
	bool is_stream;
	char name[48];

	if (owned && !remote)
		remote = remote_new(sys, options, options->where, err);
	if (owned && (!remote || !remote_await(remote, err))) {
		remote_close(remote);
		return NULL;
	}
	operand = remote ? remote_where(remote) : options->operand;
	*session = (struct session){0};
	p = xcalloc(1, sizeof(*p));
	p->session = session;
	p->speed = options->speed;
	p->from_ns = options->from_ns;
	p->remote = remote;
	p->owns_remote = owned;
	p->feed = remote ? remote_feed(remote) : mlog_open(operand, err);
	if (p->feed)
		p->input = mlog_opened(p->feed);
	if (p->feed)
		p->reader = mlog_reader_new(&p->input, operand, err);
	if (!p->reader || !session_open_log(session, sys, options, mlog_reader_about(p->reader), NULL, err)) {
		player_free(p);
		return NULL;
	}
	p->follows = (options->follow || mlog_is_stream(p->feed)) && !options->once.w;
	/* the machine of a watched stream; otherwise the name of the file */
	is_stream = mlog_is_stream(p->feed) || p->follows;
	slash = strrchr(operand, '/');
	str_printable(name, sizeof(name),
		      is_stream ? mlog_reader_about(p->reader)->host
		      : slash   ? slash + 1
				: operand);
	snprintf(p->title, sizeof(p->title), is_stream ? "REMOTE %s" : "REPLAY %s", name[0] ? name : "log");
	player_take_state(p);
	for (unsigned i = 0; i < session->n; i++)
		most = session->sources[i].n_slots > most ? session->sources[i].n_slots : most;
	p->copy = xcalloc(1, sizeof(*p->copy) + (most + UINT16_MAX) * sizeof(p->copy->value[0]));
	first = session->gpu ? session->gpu : session->n ? &session->sources[0] : NULL;
	p->refresh_ns = first && first->asked_ns > session->options->refresh_ns
				? first->asked_ns
				: session->options->refresh_ns;
	return p;
}

void player_free(struct player *p)
{
	if (!p)
		return;
	player_sample_functions(p, false);
	mlog_reader_free(p->reader);
	mlog_reader_free(p->line.reader);
	free(p->frames);
	if (p->owns_remote)
		remote_close(p->remote);
	else if (!p->remote)
		mlog_close(p->feed);
	process_list_free(p->list);
	strbuf_fini(&p->said);
	free(p->copy);
	free(p);
}

bool player_start(struct player *p, struct feeds *feeds, int64_t now_ns, struct err *err)
{
	const struct options *o = p->session->options;

	p->feeds = feeds;
	p->to_ns = o->to_ns ? p->state.begin_ns + o->to_ns : INT64_MAX;
	if (!moment_check_from(p->from_ns, p->state.end_ns - p->state.begin_ns, err))
		return false;
	player_seek(p, p->follows ? player_last(p) : p->state.begin_ns + p->from_ns);
	restart_clock(p, now_ns);
	restart_measure(p, now_ns);
	return true;
}
