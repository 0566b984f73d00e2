/* What stands around the body of a screen: header, tabs, verdict, footer. */
#include "tui/screen.h"

#include "base/alloc.h"
#include "mlog/moment.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* "746 of 848 MHz" */
static void clock_text(const struct session_source *gpu, const struct feed *feed, bool ascii, char *out,
		       size_t size)
{
	double hz = feed_now(feed, span_of("GPUClock"));
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

/* "SIMULATED", "GUIDE", "REPLAY run.mlog", "GPU gone, trying again", "REC
 * run.csv 12.4 MB"
 */
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

void screen_draw_frame(struct screen *screen, const struct view *view, const struct foot_keys *keys,
		       const struct alert *alert, struct canvas *canvas, struct rect *body)
{
	const struct session_source *gpu = screen->session->gpu,
				    *head = gpu ? gpu : session_shown(screen->session, SOURCE_CPU);
	char title[96] = "", clock[64] = "", span[64], state[256], paused[48] = "", time_of_day[16],
	     dropped[48];
	uint64_t lost = feeds_lost(screen->feeds);
	int64_t oldest, newest;
	struct feed feed = feeds_view(screen->feeds, SOURCE_GPU);
	unsigned number, n_gpus = session_gpus(screen->session, &number);
	struct process_pane *pane = view ? screen_pane(screen) : NULL;
	struct timeline line = screen->timeline ? *screen->timeline : (struct timeline){0};
	struct metric_frames frames = feeds_frames(screen->feeds);
	char fps[48], interval[UNITS_TEXT], refresh[UNITS_TEXT];
	struct frame_text frame;

	metric_frames_say(&frames, fps, sizeof(fps));
	line.from_ns = screen->feeds->range_from_ns;
	line.to_ns = screen->feeds->range_to_ns;
	screen_judge_step(&screen->judge, screen->feeds,
			  screen->replay ? feeds_shown_ns(screen->feeds) : screen->paused_ns);
	if (head)
		snprintf(title, sizeof(title), "%s", head->title);
	if (head && n_gpus > 1)
		snprintf(title, sizeof(title), "%s (GPU %u of %u)", head->title, number, n_gpus);
	if (gpu)
		clock_text(gpu, &feed, canvas->ascii, clock, sizeof(clock));
	time_format(interval,
		    head && head->period_ns ? head->period_ns : screen->session->options->interval_ns);
	snprintf(span, sizeof(span), "%s, mean of %s", interval,
		 time_format(refresh, screen->feeds->refresh_ns));
	state_text(screen, head, state, sizeof(state));
	if (screen->feeds->range_to_ns)
		snprintf(paused, sizeof(paused), "RANGE of %.1f s",
			 (double)(screen->feeds->range_to_ns - screen->feeds->range_from_ns) * 1e-9);
	else if (screen->paused_ns && feeds_reach(screen->feeds, &oldest, &newest))
		snprintf(paused, sizeof(paused), "PAUSED %.1f s back",
			 (double)(newest - screen->paused_ns) * 1e-9);
	moment_clock(screen->realtime_ns, time_of_day, sizeof(time_of_day));
	snprintf(dropped, sizeof(dropped), "%llu dropped", (unsigned long long)lost);
	canvas_clear(canvas);
	screen->hits.n = 0;
	frame = (struct frame_text){
		.gpu = head ? title : NULL,
		.driver = gpu ? gpu->driver : "no GPU",
		.clock = clock[0] ? clock : NULL,
		.fps = frames.display >= 0 && fps[0] ? fps : NULL, /* the Frame view has others */
		.span = span,
		.state = state,
		.paused = paused,
		.time = time_of_day,
		.ask = screen->ask ? screen->ask
		       : pane      ? process_pane_ask(pane)
				   : NULL,
		.alert = alert,
		.keys = keys,
		.dropped = dropped,
		.timeline = screen->timeline ? &line : NULL,
		.hits = &screen->hits,
		.findings = screen_judge_held(&screen->judge)};
	if (view && screen_shows_verdict(screen))
		screen_judge_rows(&screen->judge, &screen->views, canvas->ascii, frame.verdict);
	else if (view)
		screen_judge_view(&screen->judge, view, canvas->ascii, frame.verdict);
	if (view && strcmp(view->name, "hot") == 0) /* the functions are what to look at next */
		frame.verdict[1] = (struct verdict_text){0};
	if (view && strcmp(view->name, "frame") == 0) {
		struct feed passes = feeds_view(screen->feeds, SOURCE_PASSES);

		screen_judge_frame(&screen->judge, &passes, screen->session->fps, frame.verdict);
	}
	*body = canvas_rect(canvas);
	frame_draw(&frame, &screen->views, view, canvas, body);
}
