/* The rows around the body of a screen: header, tabs, verdict, footer. */
#include "tui/screen.h"

#include "base/alloc.h"
#include "mlog/moment.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* "SIMULATED", "GUIDE", "REPLAY run.mlog", "GPU gone, trying again", "REC run.csv 12.4 MB" */
static void state_text(const struct screen *screen, const struct session_source *head, char *out, size_t size)
{
	const char *away = head ? session_away_text(head) : NULL;
	char compared[sizeof(screen->compare.with) + 16] = "", hidden[32] = "", all[16], shown[16];
	char gone[64] = "", filter[sizeof(screen->filter) + 16] = "";
	unsigned n_hidden;
	size_t n = 0;

	if (away)
		snprintf(gone, sizeof(gone), "%s %s", head->kind == SOURCE_GPU ? "GPU" : "CPU", away);
	screen_letters(screen, all, shown);
	n_hidden = (unsigned)(strlen(all) - strlen(shown));
	if (n_hidden && !strcmp(screen->view->name, "overview"))
		snprintf(hidden, sizeof(hidden), "%u PANEL%s HIDDEN", n_hidden, n_hidden == 1 ? "" : "S");
	if (screen->compare.on)
		snprintf(compared, sizeof(compared), "COMPARED with %s", screen->compare.with);
	if (screen->filter[0])
		snprintf(filter, sizeof(filter), "FILTER %s", screen->filter);
	const char *const parts[] = {
		screen->replay,
		head && head->simulated ? "SIMULATED" : NULL,
		screen->session->gpu && screen->session->gpu->set->definitions == DEFINITIONS_GUIDE ? "GUIDE"
												    : NULL,
		gone,
		screen->position,
		compared,
		hidden,
		filter,
		screen->recording};

	out[0] = 0;
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (parts[i] && parts[i][0] && n < size)
			n += (size_t)snprintf(out + n, size - n, "%s%s", n ? "  " : "", parts[i]);
}

/* The texts of header and footer. */
struct frame_words {
	char title[96], clock[64], fps[48], span[64], state[256], paused[48], time[16], dropped[48];
};

static void put_words(const struct screen *screen, const struct session_source *head, struct frame_words *w)
{
	const struct session_source *gpu = screen->session->gpu;
	const struct feeds *feeds = screen->feeds;
	const struct feed feed = feeds_view(feeds, SOURCE_GPU);
	double hz = feed_now(&feed, span_of("GPUClock"));
	unsigned number, n_gpus = session_gpus(screen->session, &number);
	char now[24], top[24] = "", interval[UNITS_TEXT], refresh[UNITS_TEXT];
	int64_t oldest, newest;

	if (head)
		snprintf(w->title, sizeof(w->title), "%s", head->title);
	if (head && n_gpus > 1)
		snprintf(w->title, sizeof(w->title), "%s (GPU %u of %u)", head->title, number, n_gpus);
	if (isfinite(hz))
		snprintf(now, sizeof(now), "%.0f", hz / 1e6);
	else
		strcpy(now, "\u2013");
	if (gpu && gpu->constants.top_hz > 0)
		snprintf(top, sizeof(top), " of %.0f", gpu->constants.top_hz / 1e6);
	if (gpu)
		snprintf(w->clock, sizeof(w->clock), "%s%s MHz", now, top);
	time_format(interval,
		    head && head->period_ns ? head->period_ns : screen->session->options->interval_ns);
	snprintf(w->span, sizeof(w->span), "%s, mean of %s", interval,
		 time_format(refresh, feeds->refresh_ns));
	state_text(screen, head, w->state, sizeof(w->state));
	if (feeds->range_to_ns)
		snprintf(w->paused, sizeof(w->paused), "RANGE of %.1f s",
			 (double)(feeds->range_to_ns - feeds->range_from_ns) * 1e-9);
	else if (screen->paused_ns && feeds_reach(feeds, &oldest, &newest))
		snprintf(w->paused, sizeof(w->paused), "PAUSED %.1f s back",
			 (double)(newest - screen->paused_ns) * 1e-9);
	moment_clock(screen->realtime_ns, w->time, sizeof(w->time));
	snprintf(w->dropped, sizeof(w->dropped), "%llu dropped", (unsigned long long)feeds_lost(feeds));
}

void screen_draw_frame(struct screen *screen, const struct view *view, const struct foot_keys *keys,
		       const struct alert *alert, struct canvas *canvas, struct rect *body)
{
	const struct session_source *gpu = screen->session->gpu,
				    *head = gpu ? gpu : session_shown(screen->session, SOURCE_CPU);
	struct process_pane *pane = view ? screen_pane(screen) : NULL;
	struct timeline line = screen->timeline ? *screen->timeline : (struct timeline){0};
	struct metric_frames frames = feeds_frames(screen->feeds);
	struct frame_words words = {0};
	struct frame_text frame;

	metric_frames_say(&frames, words.fps, sizeof(words.fps));
	line.from_ns = screen->feeds->range_from_ns;
	line.to_ns = screen->feeds->range_to_ns;
	screen_judge_step(&screen->judge, screen->feeds,
			  screen->replay ? feeds_shown_ns(screen->feeds) : screen->paused_ns);
	put_words(screen, head, &words);
	canvas_clear(canvas);
	screen->hits.n = 0;
	frame = (struct frame_text){.gpu = head ? words.title : NULL,
				    .driver = gpu ? gpu->driver : "no GPU",
				    .clock = words.clock[0] ? words.clock : NULL,
				    .fps = frames.display >= 0 && words.fps[0] ? words.fps
									       : NULL, /* Frame has others */
				    .span = words.span,
				    .state = words.state,
				    .paused = words.paused,
				    .time = words.time,
				    .ask = screen->ask ? screen->ask
					   : pane      ? process_pane_ask(pane)
						       : NULL,
				    .alert = alert,
				    .keys = keys,
				    .dropped = words.dropped,
				    .timeline = screen->timeline ? &line : NULL,
				    .hits = &screen->hits,
				    .findings = screen_judge_held(&screen->judge)};
	if (view && screen_shows_verdict(screen))
		screen_judge_rows(&screen->judge, &screen->views, frame.verdict);
	else if (view)
		screen_judge_view(&screen->judge, view, frame.verdict);
	if (view && strcmp(view->name, "hot") == 0) /* the functions are what to look at next */
		frame.verdict[1] = (struct verdict_text){0};
	if (view && strcmp(view->name, "frame") == 0) {
		struct feed passes = feeds_view(screen->feeds, SOURCE_PASSES);

		screen_judge_frame(&screen->judge, &passes, screen->session->fps, frame.verdict);
	}
	*body = canvas_rect(canvas);
	frame_draw(&frame, &screen->views, view, canvas, body);
}
