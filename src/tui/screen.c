#include "tui/screen.h"

#include "base/alloc.h"
#include "views/widget.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SATURATED 97 /* percent of all cycles at the top clock; samples jitter */
#define WATCHED 4    /* processes whose threads are read to find the busiest thread */
#define SECOND_NS 1000000000ll
#define SCAN_NS SECOND_NS /* processes are read at most this often, however fast the refresh */
/* For a panel of Overview or CPU; less often if reading takes over 0.03 % of a CPU. */
#define SCAN_BESIDE_NS 2000000000ll
#define SCAN_BESIDE_SHARE 3333
#define SCAN_BESIDE_MOST_NS 10000000000ll

/* Add the panel of pinned rows that these sources have. */
static void add_pins(const struct screen *screen, struct views *views)
{
	struct chart chart = {.name = "overview-pinned",
			      .title = "Pinned",
			      .base = "",
			      .place = PLACE_FULL,
			      .widget = widget_find(SPAN_LIT("rows")),
			      .series = xcalloc(SCREEN_PINS, sizeof(*chart.series)),
			      .priority = 1};

	for (unsigned i = 0; i < screen->n_pins; i++) {
		const struct session_source *shown = session_shown(screen->session, screen->pins[i].source);
		const struct metric *metric =
			shown ? metric_find(shown->set, span_of(screen->pins[i].name)) : NULL;

		if (metric)
			chart.series[chart.n_series++] = (struct series){.metric = metric,
									 .source = screen->pins[i].source,
									 .label = metric->def->short_title,
									 .brief = metric->def->short_title,
									 .note = ""};
	}
	if (chart.n_series)
		views_prepend(views, "overview", &chart);
	else
		free(chart.series);
}

static void shown_sets(const struct screen *screen, const struct metric_set *sets[SOURCE_KINDS])
{
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++) {
		const struct session_source *shown = session_shown(screen->session, kind);

		sets[kind] = shown ? shown->set : NULL;
	}
}

static bool make_views(const struct screen *screen, struct views *views, struct err *err)
{
	const struct metric_set *sets[SOURCE_KINDS];

	shown_sets(screen, sets);
	if (!views_init(views, screen->session->db, sets, err))
		return false;
	add_pins(screen, views);
	if (screen->compare.on) /* the panel of the largest changes */
		views_prepend(views, "overview",
			      &(struct chart){.name = "overview-changes",
					      .title = "Largest changes",
					      .base = "over all views, beyond the noise",
					      .place = PLACE_FULL,
					      .widget = &widget_changes,
					      .weight = 2,
					      .priority = 1});
	return true;
}

/* Find a view by name or key. For an unknown GPU the overview has no charts, so use Counters
 * instead. */
static const struct view *find_view(const struct session *session, const struct views *views,
				    const char *name)
{
	bool overview = strcmp(name, "overview") == 0, raw = session->gpu && !session->gpu->product;
	const struct view *view = views_find(views, overview && raw ? "counters" : name);

	return view || !overview ? view : &views->views[0];
}

static void set_view(struct screen *screen, const struct view *view)
{
	enum pane_busiest busiest = BUSIEST_NONE; /* which panel of processes the view has */

	for (unsigned i = 0; i < view->n_charts && !busiest; i++)
		if (view->charts[i].widget == widget_find(SPAN_LIT("busiest")))
			busiest = view->charts[i].n_options ? BUSIEST_THREADS : BUSIEST_PROCESSES;
	screen_forget_filtered(screen);
	screen->view = view;
	screen->scroll = (struct view_scroll){0};
	screen->selected = (struct row_subject){0};
	screen->zoom = NULL;
	screen->hits.n = 0;
	memset(screen->foot, 0, sizeof(screen->foot));
	process_pane_leave(&screen->pane);
	process_pane_want_busiest(&screen->pane, busiest);
	screen->gives_way = false;
}

struct process_pane *screen_pane(struct screen *screen)
{
	return strcmp(screen->view->name, "processes") == 0 ? &screen->pane : NULL;
}

bool screen_shows_verdict(const struct screen *screen)
{
	const struct judge *judge = screen->judge.judge;

	return judge && judge->n_verdicts &&
	       (strcmp(screen->view->name, "overview") == 0 || strcmp(screen->view->name, "hot") == 0);
}

bool screen_wants_processes(struct screen *screen, struct process_query *query, int64_t *period_ns)
{
	const struct process_pane *pane = screen_pane(screen);
	bool cpu = screen->view->foot == FOOT_CPU,
	     beside = screen->pane.wants_busiest == BUSIEST_PROCESSES && !screen->gives_way;
	int64_t least_ns = SCAN_NS;

	if (!pane && !cpu) {
		const struct process_list *list = screen->pane.list;

		least_ns = list ? list->cost_ns * SCAN_BESIDE_SHARE / SECOND_NS * SECOND_NS : 0;
		least_ns = least_ns < SCAN_BESIDE_NS        ? SCAN_BESIDE_NS
			   : least_ns < SCAN_BESIDE_MOST_NS ? least_ns
							    : SCAN_BESIDE_MOST_NS;
	}

	*query = (struct process_query){.threads_of = pane && pane->threads ? PROCESS_QUERY_ALL : 0,
					.gpu_memory = pane || beside,
					.counts = pane != NULL};
	if (pane)
		process_pane_query(pane, query);
	if (cpu || (pane && !pane->threads) || screen_shows_verdict(screen))
		query->threads_of = WATCHED;
	*period_ns = screen->feeds->refresh_ns > least_ns ? screen->feeds->refresh_ns : least_ns;
	return pane || cpu || beside || screen_shows_verdict(screen);
}

const struct screen_layout screen_layouts[SCREEN_LAYOUTS] = {
	{"all", ""}, {"gpu", "gumsw"}, {"cpu", "fcp"}, {"frames", "gfcw"}, {"minimal", ""}};

void screen_lay_out(struct screen *screen, const char *layout)
{
	const char *letters = layout;

	for (unsigned i = 0; i < SCREEN_LAYOUTS; i++)
		letters = strcmp(layout, screen_layouts[i].name) ? letters : screen_layouts[i].letters;
	screen->layout.minimal = !strcmp(layout, "minimal");
	snprintf(screen->layout.letters, sizeof(screen->layout.letters), "%s", letters);
}

/* Whether each letter is that of a panel which the Overview has on some machine. */
static bool check_letters(const struct gpudb *db, const char *letters, struct err *err)
{
	AUTO_STRBUF struct strbuf known = {0};
	struct views views;
	const struct view *view;
	const char *wrong = letters;
	bool ok;

	if (!*letters)
		return true;
	ok = views_read(&views, db, err);
	view = ok ? views_find(&views, "overview") : NULL;
	for (unsigned i = 0; view && i < view->n_charts; i++)
		if (view->charts[i].letter && !(known.n && strchr(known.p, view->charts[i].letter)))
			strbuf_add(&known, &view->charts[i].letter, 1);
	while (*wrong && known.n && strchr(known.p, *wrong))
		wrong++;
	if (ok && *wrong)
		ok = err_set(err, ERR_USAGE,
			     "--layout: unknown '%.40s': expected all, gpu, cpu, frames, minimal, or letters "
			     "of panels: %s",
			     letters, known.n ? known.p : "");
	views_fini(&views);
	return ok;
}

bool screen_init(struct screen *screen, struct session *session, struct feeds *feeds, const char *view,
		 struct err *err)
{
	AUTO_STRBUF struct strbuf names = {0};

	*screen = (struct screen){
		.session = session, .feeds = feeds, .per_instance = session->options->per_core};
	process_pane_init(&screen->pane, session->sys, session->options->user);
	if (!make_views(screen, &screen->views, err))
		return false;
	if (!screen->views.n_views) {
		views_fini(&screen->views);
		return err_set(err, 0, "nothing to show: no source was opened; try --demo");
	}
	screen_judge_follow(&screen->judge, session);
	screen->view = find_view(session, &screen->views, view);
	snprintf(screen->wanted, sizeof(screen->wanted), "%s", view);
	screen_lay_out(screen, session->options->layout ? session->options->layout : "all");
	if (screen->view) {
		set_view(screen, screen->view);
		if (check_letters(session->db, screen->layout.letters, err))
			return true;
		views_fini(&screen->views);
		return false;
	}
	for (unsigned i = 0; i < screen->views.n_views; i++)
		strbuf_printf(&names, " %s", screen->views.views[i].name);
	views_fini(&screen->views);
	return err_set(err, ERR_USAGE, "--view: there is no '%.40s' for these sources: try one of%s", view,
		       names.p);
}

void screen_fini(struct screen *screen)
{
	if (screen->session) {
		views_fini(&screen->views);
		process_pane_fini(&screen->pane);
		screen_judge_fini(&screen->judge);
	}
	compare_fini(&screen->compare);
	screen_forget_filtered(screen);
	screen_hot_fini(&screen->hot);
	hits_fini(&screen->hits);
	*screen = (struct screen){0};
}

void screen_show(struct screen *screen, const struct view *view)
{
	if (!view)
		return;
	snprintf(screen->wanted, sizeof(screen->wanted), "%s", view->name);
	set_view(screen, view);
}

/* Rebuild the views; show the same one if it still exists. */
static void renew_views(struct screen *screen)
{
	const struct view *same;
	struct views views;

	if (!make_views(screen, &views, NULL))
		return; /* the charts were read before, so they cannot fail */
	same = find_view(screen->session, &views, screen->wanted);
	if (!same)
		same = find_view(screen->session, &views, "overview");
	views_fini(&screen->views);
	screen->views = views;
	set_view(screen, same);
}

void screen_follow(struct screen *screen)
{
	if (screen->compare.with_log)
		screen_compare_phase(screen, "");
	renew_views(screen);
	screen_judge_follow(&screen->judge, screen->session);
}

bool screen_pin(struct screen *screen, const struct row_subject *subject, bool *pinned)
{
	const char *name = subject->metric ? subject->metric->def->name : NULL;
	unsigned i = 0;

	while (name && i < screen->n_pins && strcmp(screen->pins[i].name, name) != 0)
		i++;
	*pinned = i == screen->n_pins;
	if (!name || i == SCREEN_PINS)
		return false;
	if (*pinned) {
		snprintf(screen->pins[i].name, sizeof(screen->pins[i].name), "%s", name);
		screen->pins[i].source = subject->series ? subject->series->source : SOURCE_GPU;
		screen->n_pins++;
	} else {
		memmove(&screen->pins[i], &screen->pins[i + 1],
			(--screen->n_pins - i) * sizeof(screen->pins[0]));
	}
	renew_views(screen);
	return true;
}

void screen_compare(struct screen *screen, const char *with)
{
	if (with) {
		compare_begin(&screen->compare, with, screen->pane.list);
	} else {
		compare_begin_log(&screen->compare);
		screen_compare_phase(screen, "");
	}
	renew_views(screen);
}

void screen_compare_end(struct screen *screen)
{
	compare_end(&screen->compare);
	renew_views(screen);
}

void screen_compare_phase(struct screen *screen, const char *name)
{
	const struct metric_set *sets[SOURCE_KINDS];

	shown_sets(screen, sets);
	compare_phase(&screen->compare, name, sets);
}

bool screen_next_gpu(struct screen *screen)
{
	if (!session_next_gpu(screen->session))
		return false;
	screen_follow(screen);
	return true;
}

bool screen_turn(struct screen *screen, int by, bool own)
{
	unsigned n = screen->views.n_views, at = (unsigned)(screen->view - screen->views.views);

	if (own && !screen->view->own)
		at = n - 1; /* wraps before the first */
	for (unsigned i = 0; i < n; i++) {
		const struct view *view;

		at = (at + (by > 0 ? 1 : n - 1)) % n;
		view = &screen->views.views[at];
		if (own ? !view->own : view->hidden || view == screen->view)
			continue;
		screen_show(screen, view);
		return true;
	}
	return false;
}

void screen_letters(const struct screen *screen, char all[16], char shown[16])
{
	const struct view *view = views_find(&screen->views, "overview");
	size_t n = 0, n_shown = 0;

	for (unsigned i = 0; view && i < view->n_charts && n < 15; i++) {
		char letter = view->charts[i].letter;

		if (!letter || view->charts[i].elsewhere || memchr(all, letter, n))
			continue;
		all[n++] = letter;
		if (!screen->layout.letters[0] || strchr(screen->layout.letters, letter))
			shown[n_shown++] = letter;
	}
	all[n] = shown[n_shown] = 0;
}

void screen_fill_data(struct screen *screen, struct view_data *data)
{
	const struct session_source *source = screen->session->gpu;
	bool overview = strcmp(screen->view->name, "overview") == 0;
	const struct feed *gpu;

	*data = (struct view_data){
		.processes = &screen->pane.table,
		.busiest = screen->pane.wants_busiest ? &screen->pane.busiest : NULL,
		.templ = screen->session->templ.parent ? &screen->session->templ : NULL,
		.judge = screen->judge.judge,
		.refresh_s = (double)screen->feeds->refresh_ns * 1e-9,
		.point_s = (double)feeds_point_ns(screen->feeds) * 1e-9,
		.range_s = (double)(screen->feeds->range_to_ns - screen->feeds->range_from_ns) * 1e-9,
		.fps = screen->session->fps,
		.width = screen->session->resolution.w,
		.height = screen->session->resolution.h,
		.filter = screen->filter,
		.order = screen->order,
		.only_counted = screen->only_counted,
		.windows = screen->feeds->windows,
		.layout = overview && screen->layout.letters[0] ? screen->layout.letters : NULL,
		.compact = overview && screen->layout.minimal,
		.letters = overview && screen->layout.choosing,
		.per_instance = screen->per_instance,
		/* why there is no GPU, or no counters, and the remedy */
		.notice = source && !metric_find(source->set, SPAN_LIT("GPUBusy"))
				  ? source->note
				  : screen->session->no_gpu.p,
		.advice = screen->judge.advice.p,
		.folds = &screen->folds,
		.scroll = &screen->scroll,
		.selected = screen->selected,
		.zoom = screen->zoom,
		.hits = &screen->hits,
		.marks = screen->marks,
		.n_marks = screen->n_marks,
	};
	for (unsigned i = 0; i < VIEW_FOOT_LINES; i++)
		data->foot[i] = screen->foot[i];
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++) {
		data->feeds[kind] = feeds_view(screen->feeds, kind);
		data->feeds[kind].was = screen->compare.with_log ? screen->compare.was[kind] : NULL;
	}
	screen->hot.fps = screen->session->fps;
	if (strcmp(screen->view->name, "hot") == 0)
		data->hot = screen_hot_make(&screen->hot, screen->feeds,
					    screen->paused_ns != 0 || screen->replay != NULL);
	/* views use shown frames while these are known */
	gpu = &data->feeds[SOURCE_GPU];
	data->frames_known = feeds_frames(screen->feeds).rate > 0;
	views_frames(&screen->views, data->frames_known,
		     gpu->set && feed_now(gpu, SPAN_LIT("GPUCapacity")) >= SATURATED);
	if (screen->compare.on)
		data->changes = &screen->compare.changes;
}

void screen_of_log(struct screen *screen, const struct player *player)
{
	screen->replay = player->title;
	screen->pane.past = true;
	screen->pane.table.commands = false; /* a log has no command lines */
	screen->pane.table.missing = "no processes in this log up to here";
}

void screen_show_moment(struct screen *screen, const struct player *player, int64_t now_ns)
{
	screen->realtime_ns = player_realtime_ns(player);
	screen->feeds->paused = player->paused;
	player_position(player, now_ns, screen->position, sizeof(screen->position));
}

unsigned screen_apps(const struct screen *screen)
{
	const struct feed feed = feeds_view(screen->feeds, SOURCE_PASSES);
	double apps = feed_now(&feed, span_of("passes.apps"));

	return apps > 0 ? (unsigned)apps : 0;
}

unsigned screen_has(struct screen *screen)
{
	unsigned number, has = process_pane_has(&screen->pane);

	has |= screen->of_boards ? NEEDS_BOARDS : 0;
	has |= screen->paused_ns || screen->replay ? NEEDS_TIMELINE : NEEDS_NO_TIMELINE;
	if (session_gpus(screen->session, &number) > 1)
		has |= NEEDS_GPUS;
	if (strcmp(screen->view->name, "counters") == 0)
		has |= NEEDS_TABLE;
	if (strcmp(screen->view->name, "hot") == 0)
		has |= NEEDS_HOT;
	if (strcmp(screen->view->name, "frame") == 0)
		has |= NEEDS_LANES | (screen_apps(screen) > 1 ? NEEDS_APPS : 0);
	return screen_pane(screen) ? has : has | NEEDS_ROWS;
}

void screen_draw(struct screen *screen, const struct alert *alert, struct canvas *canvas)
{
	const struct view *view;
	struct view_data data;
	struct foot_keys keys;
	struct rect body;

	keys_foot(&keys, screen_pane(screen) ? keys_of_processes : NULL, screen_has(screen));
	screen_draw_frame(screen, screen->view, &keys, alert, canvas, &body);
	view = screen_shown_view(screen);
	screen_fill_data(screen, &data);
	screen->pane.busiest_page = 0;
	screen->pane.table.was =
		screen->compare.on ? compare_processes(&screen->compare, screen->pane.list) : NULL;
	screen->pane.table.gone = screen->pane.table.was ? screen->compare.gone : NULL;
	if (screen->compare.on)
		compare_gather(&screen->compare, &screen->views, &data, screen->pane.list);
	if (view->n_charts)
		view_draw(view, &data, canvas, body);
	else
		canvas_text(canvas, body, STYLE_DIM, "No row matches. Esc clears the filter.");
	screen->gives_way = !screen->pane.busiest_page;
	screen->scroll.follow = false;
}

bool screen_reload(struct screen *screen, struct err *err)
{
	const struct metric_set *sets[SOURCE_KINDS];
	struct session_data data;
	struct views views;
	bool ok;

	if (!session_load(screen->session, &data, err))
		return false;
	session_data_sets(screen->session, &data, sets);
	ok = views_init(&views, data.db, sets, err);
	if (ok) {
		views_fini(&views); /* rebuilt below, now that reading them works */
		session_adopt(screen->session, &data);
		feeds_renew(screen->feeds);
		screen_follow(screen);
	}
	session_data_fini(&data);
	return ok;
}

/* ---- the shown slots, for a source that cannot count everything at once ---- */

static void add_metric(struct source_priority *priority, const struct metric_set *set,
		       const struct metric *metric)
{
	if (metric >= set->metrics && metric < set->metrics + set->n_metrics)
		priority->n = metric_slots(metric, priority->slots, priority->n, SOURCE_PRIORITY_MAX);
}

void screen_priority(const struct screen *screen, enum source_kind kind, struct source_priority *priority)
{
	const struct session_source *shown = session_shown(screen->session, kind);

	*priority = (struct source_priority){0};
	if (!shown)
		return;
	if (screen->selected.chart && screen->selected.metric)
		add_metric(priority, shown->set, screen->selected.metric);
	priority->n_sure = priority->n;
	/* A row counts for its whole panel, because one line may show several metrics. A row
	 * without a series, as in the table of counters, counts for itself. */
	for (unsigned i = 0; i < screen->hits.n; i++) {
		const struct hit *hit = &screen->hits.list[i];

		for (unsigned k = 0; hit->kind == HIT_PANEL && k < hit->subject.chart->n_series; k++)
			add_metric(priority, shown->set, hit->subject.chart->series[k].metric);
		if (hit->kind == HIT_ROW && !hit->subject.series && hit->at.h && hit->subject.metric)
			add_metric(priority, shown->set, hit->subject.metric);
	}
}
