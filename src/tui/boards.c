#include "tui/boards.h"

#include "base/alloc.h"
#include "base/real.h"
#include "model/watch.h"

#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS_AT_ONCE 64      /* of a board before others are served */
#define SORT_NS 10000000000ll  /* rows change their places at most this often */
#define MOVED_NS 10000000000ll /* likewise after the user has moved the selection */
#define IDLE_BUSY 1            /* percent of the GPU: a board without frames is idle below it */
#define FPS_LEAST 0.9          /* share of the wanted rate: frames are late below it */

/* ---- life ---- */

/* "rk3588-04" of "root@rk3588-04.lab", "pixel" of "adb:pixel", "run 3" of "cmd:/tmp/run 3". A
 * name that another board has gets a number. */
static void name_board(const struct boards *b, struct board_row *board, const char *given)
{
	const char *at = strrchr(board->where, '@'), *colon = strchr(board->where, ':'),
		   *from = at                  ? at + 1
			   : colon && colon[1] ? colon + 1
					       : board->where;
	size_t folder = strcspn(from, " "), n;
	char name[sizeof(board->name) - 4];

	while (folder && from[folder - 1] != '/')
		folder--;
	str_printable(name, sizeof(name), given ? given : from + folder);
	n = strcspn(name, ".");
	if (!given && !colon && name[n] && name[strspn(name, "0123456789.")])
		name[n] = 0; /* shorten a host name, not an address */
	snprintf(board->name, sizeof(board->name), "%s", name);
	for (unsigned i = 0, number = 2; i < b->n; i++)
		if (strcmp(b->boards[i]->name, board->name) == 0) {
			snprintf(board->name, sizeof(board->name), "%s-%u", name, number++ % 100);
			i = UINT_MAX; /* restart the loop */
		}
}

static void refuse_board(struct board_row *board, const char *why)
{
	board->state = BOARD_REFUSED;
	str_printable(board->said, sizeof(board->said), why);
}

struct boards *boards_open(const struct sys *sys, const struct options *options, struct err *err)
{
	struct boards *b = xcalloc(1, sizeof(*b));
	struct err refused;

	b->sys = sys;
	b->options = options;
	b->db = gpudb_load(options->gpudb, options->n_gpudb, err);
	if (!b->db || !options_budget(options, b->db, err)) {
		boards_close(b);
		return NULL;
	}
	for (unsigned i = 0; i < options->n_wheres && b->n < BOARDS_MOST; i++) {
		struct board_row *board = xcalloc(1, sizeof(*board));

		board->where = options->wheres[i].where;
		name_board(b, board, options->wheres[i].name);
		for (int k = 0; k < BOARD_NUMBERS; k++)
			board->now[k] = NAN;
		board->remote = remote_new(sys, options, board->where, &refused);
		if (!board->remote)
			refuse_board(board, refused.text);
		b->boards[b->n++] = board;
	}
	boards_arrange(b, sys->monotonic_ns(sys), true);
	return b;
}

/* Ask all connections to end before waiting for any of them. */
void boards_close(struct boards *b)
{
	if (!b)
		return;
	for (unsigned i = 0; i < b->n; i++)
		if (b->boards[i]->remote)
			remote_leave(b->boards[i]->remote);
	for (unsigned i = 0; i < b->n; i++) {
		struct board_row *board = b->boards[i];

		watch_free(board->watch);
		mlog_reader_free(board->reader);
		if (board->watch)
			session_close(&board->session);
		remote_close(board->remote);
		free(board);
	}
	gpudb_free(b->db);
	strbuf_fini(&b->said);
	free(b);
}

unsigned boards_fds(const struct boards *b, struct pollfd *fds)
{
	unsigned n = 0;

	for (unsigned i = 0; i < b->n; i++) {
		int fd = b->boards[i]->remote ? mlog_arrival_fd(remote_feed(b->boards[i]->remote)) : -1;

		if (fd >= 0)
			fds[n++] = (struct pollfd){.fd = fd, .events = POLLIN};
	}
	return n;
}

/* ---- one board ---- */

/* Open a session and a judge for the start block that has arrived. */
static void open_board(struct boards *b, struct board_row *board)
{
	struct session *session = &board->session;
	struct watch_source sources[SESSION_SOURCES_MAX];
	struct err err;

	board->input = mlog_opened(remote_feed(board->remote));
	board->reader = mlog_reader_new(&board->input, board->where, &err);
	if (!board->reader ||
	    !session_open_log(session, b->sys, b->options, mlog_reader_about(board->reader), b->db, &err)) {
		refuse_board(board, err.text);
		return;
	}
	for (unsigned i = 0; i < session->n; i++)
		sources[i] = (struct watch_source){.index = session->sources[i].index,
						   .kind = session->sources[i].kind,
						   .set = session->sources[i].set};
	board->watch = watch_new(session->db, sources, session->n, session->mix);
	board->wanted_fps = session->fps > 0 ? session->fps : (double)NAN;
	str_printable(board->gpu, sizeof(board->gpu),
		      !session->gpu           ? "no GPU"
		      : session->gpu->product ? session->gpu->product->name
					      : session->gpu->title);
}

static void read_numbers(struct board_row *board)
{
	static const char *const names[BOARD_NUMBERS][3] = {
		[BOARD_FPS] = {"frame.fps"},
		[BOARD_BUSY] = {"GPUBusy", "GPUUtil"},
		[BOARD_CLOCK] = {"GPUClock", "GPUDevfreqClock"},
		[BOARD_HEAT] = {"GPUTemp", "TemperatureMax"},
		[BOARD_POWER] = {"PowerTotal", "PowerSoC"},
	};
	double in = watch_value(board->watch, span_of("MaliExtBusRdBPS")),
	       out = watch_value(board->watch, span_of("MaliExtBusWrBPS"));
	const struct judge *judge = watch_judge(board->watch);

	for (int i = 0; i < BOARD_NUMBERS; i++)
		for (int k = 0; names[i][k] && (!k || isnan(board->now[i])); k++)
			board->now[i] = watch_value(board->watch, span_of(names[i][k]));
	board->now[BOARD_TRAFFIC] = in + out;
	board->now[BOARD_TOP_CLOCK] = board->session.gpu && board->session.gpu->constants.top_hz > 0
					      ? board->session.gpu->constants.top_hz
					      : (double)NAN;
	board->n_findings = 0;
	board->is_critical = board->warns = false;
	for (unsigned i = 0; i < judge->n_findings; i++) {
		const struct judged *f = &judge->findings[i];
		struct judge_rank rank = judge_rank(judge, judge->verdict.why, false, f);

		if (!f->holds || rank.severity == SEVERITY_NOTE)
			continue;
		board->n_findings++;
		board->is_critical |= rank.severity == SEVERITY_CRITICAL;
		board->warns = true;
	}
}

static void read_blocks(struct board_row *board, int64_t now_ns)
{
	const struct process_list *list;
	const struct mlog_block *block;
	struct err err;

	mlog_reader_refresh(board->reader);
	for (int i = 0; i < BLOCKS_AT_ONCE && (block = mlog_reader_next(board->reader, &err)); i++) {
		for (unsigned k = 0; k < block->n_samples; k++)
			if (block->samples[k]->source < board->session.n)
				watch_sample(board->watch, block->samples[k]);
		board->sample_ns = block->n_samples ? now_ns : board->sample_ns;
		list = block->has_processes ? mlog_reader_processes(board->reader) : NULL;
		if (list)
			watch_processes(board->watch, list);
	}
	read_numbers(board);
}

static bool run_board(struct boards *b, struct board_row *board, int64_t now_ns)
{
	AUTO_STRBUF struct strbuf said = {0};
	struct mlog_arrival arrival;
	enum board_state before = board->state;
	int64_t age_ns, since;
	unsigned tries;

	if (!board->remote || board->state == BOARD_REFUSED)
		return false;
	mlog_take(remote_feed(board->remote));
	remote_run(board->remote, now_ns, &said);
	if (said.n)
		strbuf_printf(&b->said, "%s: %s", board->name, said.p);
	mlog_arrival(remote_feed(board->remote), &arrival);
	if (!board->watch && arrival.stream.started)
		open_board(b, board);
	if (board->watch && arrival.stream.blocks != board->blocks) {
		board->blocks = arrival.stream.blocks;
		read_blocks(board, now_ns);
	}
	if (arrival.ended && arrival.err.text[0])
		refuse_board(board, arrival.err.text);
	if (board->state == BOARD_REFUSED)
		return true;
	age_ns = board_age_ns(board, now_ns);
	if (remote_retry_ns(board->remote, &tries, &since))
		board->state = BOARD_AWAY;
	else if (age_ns == INT64_MAX && now_ns - remote_heard_ns(board->remote) <= BOARDS_GONE_NS)
		board->state = BOARD_CONNECTING;
	else
		board->state = age_ns > BOARDS_GONE_NS ? BOARD_SILENT : BOARD_LIVE;
	return board->state != before;
}

int64_t board_age_ns(const struct board_row *board, int64_t now_ns)
{
	return board->sample_ns ? now_ns - board->sample_ns : INT64_MAX;
}

/* ---- all ---- */

static void step_board(struct board_row *board, int64_t now_ns)
{
	bool known = board_age_ns(board, now_ns) < BOARDS_DIM_NS;
	double values[2] = {known ? board->now[BOARD_FPS] / board->wanted_fps : (double)NAN,
			    known ? board->now[BOARD_BUSY] / 100 : (double)NAN};

	if (board_age_ns(board, now_ns) > BOARDS_GONE_NS)
		for (int i = 0; i < BOARD_NUMBERS; i++)
			board->now[i] = NAN;
	if (board->n_past == BOARDS_PAST) {
		for (int k = 0; k < 2; k++)
			memmove(board->past[k], board->past[k] + 1, sizeof(board->past[k]) - sizeof(float));
		board->n_past--;
	}
	for (int k = 0; k < 2; k++)
		board->past[k][board->n_past] = (float)(values[k] > 1 ? 1 : values[k]);
	board->n_past++;
}

bool boards_run(struct boards *b, int64_t now_ns)
{
	bool changed = false;
	uint64_t bytes = 0;

	for (unsigned i = 0; i < b->n; i++)
		changed |= run_board(b, b->boards[i], now_ns);
	if (now_ns - b->step_ns < BOARDS_STEP_NS)
		return changed;
	for (unsigned i = 0; i < b->n; i++) {
		struct mlog_arrival arrival;

		step_board(b->boards[i], now_ns);
		if (!b->boards[i]->remote)
			continue;
		mlog_arrival(remote_feed(b->boards[i]->remote), &arrival);
		bytes += arrival.stream.bytes;
	}
	b->rate = b->step_ns ? (double)(bytes - b->bytes) / ((double)(now_ns - b->step_ns) * 1e-9) : 0;
	b->bytes = bytes;
	b->step_ns = now_ns;
	boards_arrange(b, now_ns, false);
	return true;
}

/* ---- the order of the rows ---- */

/* Rank a board; 0 is the worst: silent, critical, reconnecting, a warning, fine, idle. */
static int rank_of(const struct board_row *board)
{
	static const int ranks[] = {
		[BOARD_CONNECTING] = 2, [BOARD_SILENT] = 0, [BOARD_AWAY] = 2, [BOARD_REFUSED] = 0};
	bool late = board->now[BOARD_FPS] < FPS_LEAST * board->wanted_fps;

	if (board->state != BOARD_LIVE)
		return ranks[board->state];
	if (board->is_critical)
		return 1;
	if (board->now[BOARD_BUSY] < IDLE_BUSY && !(board->now[BOARD_FPS] > 0))
		return 5;
	return board->warns || late ? 3 : 4;
}

static double key_of(const struct board_row *board, enum boards_sort sort)
{
	double value = sort == BOARDS_BY_BUSY   ? -board->now[BOARD_BUSY]
		       : sort == BOARDS_BY_HEAT ? -board->now[BOARD_HEAT]
						: board->now[BOARD_FPS] / board->wanted_fps;

	return isnan(value) ? 1e9 : value;
}

static bool comes_before(const struct board_row *x, const struct board_row *y, enum boards_sort sort)
{
	int a = sort == BOARDS_WORST ? rank_of(x) : 0, b = sort == BOARDS_WORST ? rank_of(y) : 0;

	if (a != b)
		return a < b;
	if (sort != BOARDS_BY_NAME && (sort != BOARDS_WORST || a == 3)) {
		double v = key_of(x, sort), w = key_of(y, sort);

		if (v < w || v > w)
			return v < w;
	}
	return strcasecmp(x->name, y->name) < 0;
}

void boards_arrange(struct boards *b, int64_t now_ns, bool at_once)
{
	bool is_selected = false;

	if (!at_once && b->n_shown &&
	    (now_ns - b->sorted_ns < SORT_NS || (b->moved_ns && now_ns - b->moved_ns < MOVED_NS)))
		return;
	b->sorted_ns = now_ns;
	b->n_shown = 0;
	for (unsigned i = 0; i < b->n; i++) {
		unsigned at = b->n_shown;

		if (b->filter[0] && !strcasestr(b->boards[i]->name, b->filter) &&
		    !strcasestr(b->boards[i]->gpu, b->filter))
			continue;
		for (; at > 0 && comes_before(b->boards[i], b->boards[b->order[at - 1]], b->sort); at--)
			b->order[at] = b->order[at - 1];
		b->order[at] = i;
		b->n_shown++;
	}
	for (unsigned i = 0; i < b->n_shown; i++)
		is_selected |= b->order[i] == b->selected;
	if (b->n_shown && (!is_selected || (!b->moved_ns && b->sort == BOARDS_WORST)))
		b->selected = b->order[0];
}

struct board_row *boards_selected(struct boards *b)
{
	return b->n_shown ? b->boards[b->selected] : NULL;
}

bool boards_move(struct boards *b, int by, int64_t now_ns)
{
	for (unsigned i = 0; i < b->n_shown; i++) {
		int64_t to = (int64_t)i + by;

		if (b->order[i] != b->selected)
			continue;
		b->moved_ns = now_ns;
		to = to < 0 ? 0 : to >= (int64_t)b->n_shown ? (int64_t)b->n_shown - 1 : to;
		b->selected = b->order[to];
		return to != (int64_t)i;
	}
	return false;
}

/* ---- requests ---- */

void boards_prefer(struct boards *b, const struct board_row *full)
{
	int64_t number;
	struct err err;

	for (unsigned i = 0; i < b->n; i++) {
		struct board_row *board = b->boards[i];

		if (!board->remote || board->full == (board == full))
			continue;
		if (remote_ask(board->remote, "send", board == full ? "full" : "lean", &number, &err))
			board->full = board == full;
	}
}

/* A board whose own view keeps its stream already goes on with that file. */
static bool log_board(const struct boards *b, struct board_row *board, const char *dir, struct err *err)
{
	AUTOFREE char *path = xasprintf("%s/%s.mlog", dir, board->name);
	uint64_t bytes;

	for (char *p = path + strlen(dir) + 1; *p; p++)
		*p = *p == '/' ? '-' : *p;
	return remote_log_state(board->remote, &bytes, err) ||
	       remote_log(board->remote, path, b->options->force, err);
}

bool boards_log(struct boards *b, const char *dir, struct err *failed)
{
	unsigned n = 0;
	bool ok = true;

	for (unsigned i = 0; i < b->n; i++) {
		struct board_row *board = b->boards[i];
		struct err err;

		if (!board->remote)
			continue;
		if (b->logs ? remote_log_end(board->remote, &err) : log_board(b, board, dir, &err)) {
			n++;
			continue;
		}
		err_set(failed, 0, "%s: %s", board->name, err.text);
		strbuf_printf(&b->said, "%s\n", failed->text);
		ok = false;
	}
	b->logs = !b->logs && n;
	if (b->logs)
		strbuf_printf(&b->said, "log: the stream%s of %u board%s %s kept in %s; l stops that\n",
			      plural_ending(n), n, plural_ending(n), n == 1 ? "is" : "are", dir);
	else if (n)
		strbuf_printf(&b->said, "log: the files are complete in %s\n", dir);
	return ok;
}

bool board_log_failed(struct board_row *board, struct err *err)
{
	uint64_t bytes;

	return board->remote && !remote_log_state(board->remote, &bytes, err) && err->text[0] &&
	       !remote_log_end(board->remote, err);
}

/* ---- words ---- */

const char *const board_state_words[] = {[BOARD_CONNECTING] = "connecting",
					 [BOARD_LIVE] = "live",
					 [BOARD_SILENT] = "silent",
					 [BOARD_AWAY] = "reconnecting",
					 [BOARD_REFUSED] = "refused"};

void board_words(const struct board_row *board, int64_t now_ns, char *title, size_t size,
		 struct strbuf *evidence)
{
	static const char *const ordinals[] = {"1st", "2nd", "3rd"};
	int64_t lost_ns = 0, retry_ns;
	unsigned tries = 0;
	char line[120] = "", number[UNITS_TEXT];

	strbuf_clear(evidence);
	snprintf(title, size, "%s", board->state == BOARD_LIVE ? "" : board_state_words[board->state]);
	if (board->state == BOARD_REFUSED) {
		strbuf_str(evidence, board->said);
	} else if (board->state == BOARD_AWAY) {
		retry_ns = remote_retry_ns(board->remote, &tries, &lost_ns);
		remote_why(board->remote, line, sizeof(line));
		strbuf_printf(evidence, "%.0f s, ", (double)(now_ns - lost_ns) * 1e-9);
		if (tries < 3)
			strbuf_printf(evidence, "%s", ordinals[tries]);
		else
			strbuf_printf(evidence, "%uth", tries + 1);
		strbuf_printf(evidence, " try in %.0f s%s%s", real_max((double)(retry_ns - now_ns) * 1e-9, 0),
			      line[0] ? "; " : "", line);
	} else if (board->state == BOARD_SILENT) {
		strbuf_printf(evidence, "%.0f s, but the connection is up",
			      (double)(now_ns - remote_heard_ns(board->remote)) * 1e-9);
	} else if (rank_of(board) == 5) {
		snprintf(title, size, "idle");
	} else if (board->watch) {
		const struct judge_verdict *verdict = &watch_judge(board->watch)->verdict;

		snprintf(title, size, "%s", judge_verdict_title(verdict));
		for (unsigned i = 0; verdict->why && i < verdict->why->n_evidence && i < 2; i++) {
			const struct judge_number *n = &verdict->why->evidence[i];

			if (!isnan(n->value))
				strbuf_printf(evidence, "%s%s %s", evidence->n ? ", " : "", n->title,
					      unit_format(number, n->value, n->unit, false, false));
		}
	}
}
