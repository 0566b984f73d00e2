#include "tui/screen.h"

#include "base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define DESCRIBE_NS 1000000000
#define WATCHED 4 /* processes whose threads are read to find the busiest one */

static bool make_views(struct session *session, struct views *views, struct err *err)
{
	const struct metric_set *sets[SOURCE_KINDS] = {0};

	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++) {
		const struct session_source *shown = session_shown(session, kind);

		sets[kind] = shown ? shown->set : NULL;
	}
	return views_init(views, sets, err);
}

/* The view of that name (or key). Of a GPU that is not in the data the overview knows nothing: its counters stand in for it. */
static const struct view *find_view(const struct session *session, const struct views *views, const char *name)
{
	bool overview = strcmp(name, "overview") == 0, raw = session->gpu && !session->gpu->product;
	const struct view *view = views_find(views, overview && raw ? "counters" : name);

	return view || !overview ? view : &views->views[0];
}

static void set_view(struct screen *screen, const struct view *view)
{
	screen->view = view;
	screen->scroll = screen->scroll_max = 0;
	screen->described_ns = 0;
	memset(screen->foot, 0, sizeof(screen->foot));
	process_pane_leave(&screen->pane);
}

struct process_pane *screen_pane(struct screen *screen)
{
	return strcmp(screen->view->name, "processes") == 0 ? &screen->pane : NULL;
}

bool screen_wants_processes(struct screen *screen, struct process_wish *wish)
{
	const struct process_pane *pane = screen_pane(screen);

	*wish = (struct process_wish){.threads_of = pane && pane->threads ? PROCESS_WISH_ALL : 0, .gpu_memory = pane != NULL};
	if (screen->view->foot == FOOT_CPU)
		wish->threads_of = WATCHED;
	return pane || screen->view->foot == FOOT_CPU;
}

bool screen_init(struct screen *screen, struct session *session, struct feeds *feeds, const char *view, struct err *err)
{
	AUTO_STRBUF struct strbuf names = {0};

	*screen = (struct screen){.session = session, .feeds = feeds, .per_instance = session->options->per_core};
	process_pane_init(&screen->pane, session->sys, session->options->user);
	if (!make_views(session, &screen->views, err))
		return false;
	if (!screen->views.n_views) {
		views_fini(&screen->views);
		return err_set(err, 0, "nothing to show: no source was opened; try --demo");
	}
	screen->view = find_view(session, &screen->views, view);
	snprintf(screen->wanted, sizeof(screen->wanted), "%s", view);
	if (screen->view)
		return true;
	for (unsigned i = 0; i < screen->views.n_views; i++)
		strbuf_printf(&names, " %s", screen->views.views[i].name);
	views_fini(&screen->views);
	return err_set(err, ERR_USAGE, "--view: there is no '%.40s' for these sources: try one of%s", view, names.p);
}

void screen_fini(struct screen *screen)
{
	if (screen->session) {
		views_fini(&screen->views);
		process_pane_fini(&screen->pane);
	}
	*screen = (struct screen){0};
}

void screen_show(struct screen *screen, const struct view *view)
{
	if (!view)
		return;
	snprintf(screen->wanted, sizeof(screen->wanted), "%s", view->name);
	set_view(screen, view);
}

void screen_follow(struct screen *screen)
{
	const struct view *same;
	struct views views;

	if (!make_views(screen->session, &views, NULL))
		return; /* the charts were read before: they cannot fail */
	same = find_view(screen->session, &views, screen->wanted);
	if (!same)
		same = find_view(screen->session, &views, "overview");
	views_fini(&screen->views);
	screen->views = views;
	set_view(screen, same);
}

void screen_next_gpu(struct screen *screen)
{
	if (session_next_gpu(screen->session))
		screen_follow(screen);
}

void screen_turn(struct screen *screen, int by)
{
	unsigned n = screen->views.n_views, at = (unsigned)(screen->view - screen->views.views);

	for (unsigned i = 0; i < n; i++) {
		at = (at + (by > 0 ? 1 : n - 1)) % n;
		if (!screen->views.views[at].hidden) {
			screen_show(screen, &screen->views.views[at]);
			return;
		}
	}
}

void screen_describe(struct screen *screen, int64_t now_ns)
{
	static const enum source_kind kinds[] = {[FOOT_GPU] = SOURCE_GPU, [FOOT_CPU] = SOURCE_CPU};
	enum view_foot foot = screen->view->foot;
	struct session_source *source = foot ? session_shown(screen->session, kinds[foot]) : NULL;
	AUTO_STRBUF struct strbuf text = {0};

	if (screen->described_ns && now_ns - screen->described_ns < DESCRIBE_NS)
		return;
	screen->described_ns = now_ns;
	if (source)
		session_describe(screen->session, source, &text);
	if (text.n)
		text.p[strcspn(text.p, "\n")] = 0;
	str_printable(screen->foot[0], sizeof(screen->foot[0]), text.n ? text.p : "");
}

static double metric_now(const struct feed *feed, const char *name)
{
	const struct metric *m = feed->set ? metric_find(feed->set, span_of(name)) : NULL;

	return m ? metric_value(m, feed->now) : NAN;
}

/* "Mali-G78 10 cores", "Mali-G78 10 cores (GPU 2 of 3)" */
static void title_text(const struct session_source *head, unsigned number, unsigned n_gpus, char *out, size_t size)
{
	if (n_gpus > 1)
		snprintf(out, size, "%s (GPU %u of %u)", head->title, number, n_gpus);
	else
		snprintf(out, size, "%s", head->title);
}

/* "746 of 848 MHz" */
static void clock_text(const struct session_source *gpu, const struct feed *feed, bool ascii, char *out, size_t size)
{
	double hz = metric_now(feed, "GPUClock");
	char now[24];

	if (isfinite(hz))
		snprintf(now, sizeof(now), "%.0f", hz / 1e6);
	else
		snprintf(now, sizeof(now), "%s", ascii ? "-" : "\u2013");
	if (gpu->top_hz > 0)
		snprintf(out, size, "%s of %.0f MHz", now, gpu->top_hz / 1e6);
	else
		snprintf(out, size, "%s MHz", now);
}

/* "SIMULATED", "REPLAY run.mlog", "GPU gone, trying again", "PAUSED 12.5 s back", "REC run.csv 12.4 MB" */
static void state_text(const struct screen *screen, const struct session_source *head, char *out, size_t size)
{
	const char *away = head ? session_away_text(head) : NULL;
	char gone[64] = "", paused[64] = "";
	int64_t oldest, newest;
	size_t n = 0;

	if (away)
		snprintf(gone, sizeof(gone), "%s %s", head->kind == SOURCE_GPU ? "GPU" : "CPU", away);
	if (screen->paused_ns && feeds_reach(screen->feeds, &oldest, &newest))
		snprintf(paused, sizeof(paused), "PAUSED %.1f s back", (double)(newest - screen->paused_ns) * 1e-9);
	const char *const parts[] = {
		screen->replay, head && head->simulated ? "SIMULATED" : NULL, gone, screen->position, paused, screen->recording};

	out[0] = 0;
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (parts[i] && parts[i][0] && n < size)
			n += (size_t)snprintf(out + n, size - n, "%s%s", n ? "  " : "", parts[i]);
}

static void local_time(int64_t realtime_ns, char *out, size_t size)
{
	time_t now = (time_t)(realtime_ns / 1000000000);
	struct tm tm;

	if (!localtime_r(&now, &tm) || !strftime(out, size, "%H:%M:%S", &tm))
		out[0] = 0;
}

/* "100 ms, mean of 0.5 s" */
static void span_text(const struct screen *screen, const struct session_source *s, char *out, size_t size)
{
	char interval[UNITS_TEXT], refresh[UNITS_TEXT];

	snprintf(out, size, "%s, mean of %s",
		 time_format(interval, s && s->period_ns ? s->period_ns : screen->session->options->interval_ns),
		 time_format(refresh, screen->feeds->refresh_ns));
}

static void fill_data(struct screen *screen, struct view_data *data)
{
	*data = (struct view_data){
		.processes = &screen->pane.table,
		.templ = screen->session->templ.parent ? &screen->session->templ : NULL,
		.refresh_s = (double)screen->feeds->refresh_ns * 1e-9,
		.fps = screen->session->fps,
		.width = screen->session->resolution.w,
		.height = screen->session->resolution.h,
		.per_instance = screen->per_instance,
		.scroll = screen->scroll,
		.scroll_max = &screen->scroll_max,
	};
	for (unsigned i = 0; i < VIEW_FOOT_LINES; i++)
		data->foot[i] = screen->foot[i];
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++)
		data->feeds[kind] = feeds_view(screen->feeds, kind);
}

void screen_of_log(struct screen *screen, const struct player *player)
{
	screen->replay = player_title(player);
	screen->pane.past = true;
	screen->pane.table.missing = "no processes in this log up to here";
}

void screen_show_moment(struct screen *screen, const struct player *player, int64_t now_ns)
{
	screen->realtime_ns = player_realtime_ns(player);
	player_position(player, now_ns, screen->position, sizeof(screen->position));
}

unsigned screen_has(const struct screen *screen)
{
	unsigned number, has = NEEDS_SCROLL | (screen->replay ? NEEDS_REPLAY : NEEDS_LIVE);

	return session_gpus(screen->session, &number) > 1 ? has | NEEDS_GPUS : has;
}

void screen_draw(struct screen *screen, const char *alert, struct canvas *canvas)
{
	const struct session_source *gpu = screen->session->gpu, *head = gpu ? gpu : session_shown(screen->session, SOURCE_CPU);
	char title[96] = "", clock[64] = "", span[64], state[256], time_of_day[16], dropped[48];
	uint64_t lost = feeds_lost(screen->feeds);
	struct rect body = canvas_rect(canvas);
	struct view_data data;
	unsigned number, n_gpus = session_gpus(screen->session, &number);
	struct process_pane *pane = screen_pane(screen);

	fill_data(screen, &data);
	if (head)
		title_text(head, number, n_gpus, title, sizeof(title));
	if (gpu)
		clock_text(gpu, &data.feeds[SOURCE_GPU], canvas->ascii, clock, sizeof(clock));
	span_text(screen, head, span, sizeof(span));
	state_text(screen, head, state, sizeof(state));
	local_time(screen->realtime_ns, time_of_day, sizeof(time_of_day));
	snprintf(dropped, sizeof(dropped), "%llu dropped", (unsigned long long)lost);
	canvas_clear(canvas);
	frame_draw(&(struct frame_text){.gpu = head ? title : NULL,
					.driver = gpu ? gpu->driver : "no GPU",
					.clock = clock[0] ? clock : NULL,
					.span = span,
					.state = state,
					.time = time_of_day,
					.ask = screen->ask ? screen->ask
					       : pane      ? process_pane_ask(pane)
							   : NULL,
					.alert = alert,
					.keys = pane ? process_pane_foot_keys(pane) : NULL,
					.dropped = dropped,
					.has = screen_has(screen)},
		   &screen->views, screen->view, canvas, &body);
	view_draw(screen->view, &data, canvas, body);
	if (screen->scroll > screen->scroll_max)
		screen->scroll = screen->scroll_max;
}
