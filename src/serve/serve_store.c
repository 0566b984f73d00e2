#include "serve/serve_store.h"

#include "serve/serve_self.h"
#include "serve/serve_top.h"
#include "export/export_session.h"
#include "report/report.h"
#include "session/scanner.h"
#include "base/alloc.h"
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SCAN_NS 5000000000ll /* between lists of processes */
#define THREADS_OF 4         /* processes whose threads are read: the verdict asks for the busiest */

const char serve_metrics[] =
	/* cycles, and what they are a share of */
	"MaliGPUActiveCy,MaliAnyActiveCy,MaliCSFMCUActiveCy,Mali*QueueActiveCy,MaliTilerActiveCy,"
	"MaliGPUIRQActiveCy,"
	"Mali*QueueUtil,MaliTilerUtil,GPUBusy,GPUClock,GPUShaderClock,GPUClockShare,GPUCapacity,"
	"GPUBudgetUsed,"
	"GPUQueueMax,UnitMax,GPUSerialisation,"
	/* memory */
	"MaliExtBus[RW][dr]By,MaliExtBusRdBt,MaliExtBusRdLat*,MaliExtBus*StallRate,ExtBusByPerFrame,"
	"ExtBusGuideline,"
	"DRAMPowerLow,DRAMPowerHigh,MaliSCBus*By,MaliL2CacheRdMissRate,MaliL2CacheWrMissRate,"
	/* content */
	"MaliGeomTotalPrim,MaliGeomTotalCullPrim,MaliGeomVisiblePrim,MaliGPUPix,MaliFragOverdraw,"
	"MaliGPUCyPerPix,"
	"MaliFragEZSKillRate,MaliFragFPKKillRate,MaliFragTileKillRate,"
	/* shader cores */
	"MaliFragWarp,MaliNonFragWarp,MaliMainWarp,MaliAnyUtil,MaliFragUtil,MaliNonFragUtil,MaliCoreUtil,"
	"MaliALUUtil,"
	"MaliVarUtil,MaliTexUtil,MaliLSUtil,MaliRTUUtil,MaliCoreFullWarpRate,MaliEngDivergedInstrRate,"
	"MaliTexCPI,MaliRTURay,MaliConfig*Count,"
	/* what drivers say */
	"GPUFreq,GPUTemp,GPUDriverUtil,GPUMem,GPUPowered,GPUProtected,DRM*,"
	/* the machine */
	"CPUActivityUser,CPUUserShare,CPUSystemShare,CPUIOWaitShare,CPUIRQShare,CPUFrequency,"
	"CPUFrequencyShare,CPUFrequencyCap,CPUBrakes,CPUBusiest,"
	"CPUOnline,LoadAverage*,MemoryUsed,MemoryUsedShare,TemperatureMax,CPUTaskActivity,"
	"CPUCycles,CPUInstructions,CPUIPC,CPUBranchMispredictsPTI,CPUL1DMissRatio,CPULLMissesPTI,CPUStall*,"
	"CPUContextSwitches,CPUMigrations,CPUPageFaults,CPUPageFaultsMajor,Power*,"
	/* frames */
	"frame.count,frame.fps,frame.p50_ms,frame.p95_ms,frame.p99_ms,frame.missed,Display*FlipRate,"
	"FrameEnergy*";

/* One source, or what several have together (session.mix), which has columns of their columns. */
struct store_source {
	struct history *history;
	struct column *mixed; /* of the total; NULL: `history` has it */
	uint64_t n_samples, n_failed;
	struct column *recent;
	bool has_recent;
};

struct serve_store {
	struct session *session;
	struct subscriber *subscriber;
	struct export_options options;
	struct export_sources sources;
	struct export_table table;
	struct store_source *mine;     /* of the session, then the mix */
	double *values;                /* per column */
	double *shown;                 /* likewise: what a counter had reached; it never falls */
	double *total, *recent, *part; /* vectors */
	struct watch *watch;           /* NULL without a GPU */
	struct serve_top *top;
	struct scanner *scanner; /* NULL without --processes */
};

/* ---- samples ---- */

static void init_sources(struct serve_store *store)
{
	struct session *session = store->session;
	bool per_core = session->options->per_core;
	unsigned longest = VECTOR_CONSTANTS;

	store->mine = xcalloc(session->n + 1, sizeof(*store->mine));
	for (unsigned i = 0; i < session->n; i++) {
		const struct session_source *s = &session->sources[i];
		struct store_source *mine = &store->mine[i];

		mine->history =
			history_new(s->set->slots, s->set->n_slots, per_core ? s->set->n_slots : s->n_sums,
				    s->period_ns ? s->period_ns : s->asked_ns);
		mine->recent = history_column_new(mine->history);
		longest = s->set->n_vector > longest ? s->set->n_vector : longest;
	}
	if (session->mix) {
		const struct metric_set *set = session->mix->set;

		store->mine[session->n] = (struct store_source){.mixed = column_new(set->n_slots),
								.recent = column_new(set->n_slots)};
		longest = set->n_vector > longest ? set->n_vector : longest;
	}
	store->total = xcalloc(longest, sizeof(double));
	store->recent = xcalloc(longest, sizeof(double));
	store->part = xcalloc(longest, sizeof(double));
}

static bool start_scanner(struct serve_store *store, struct err *err)
{
	const struct session *session = store->session;
	const struct process_query query = {.threads_of = THREADS_OF, .gpu_memory = true};

	if (!session->options->applications)
		return true;
	store->scanner = scanner_new(session->sys, devices_processes(session->options), &session->what, err);
	if (!store->scanner)
		return false;
	scanner_want(store->scanner, &query, SCAN_NS);
	return true;
}

struct serve_store *serve_store_new(struct session *session, struct err *err)
{
	const struct options *o = session->options;
	struct serve_store *store = xcalloc(1, sizeof(*store));

	store->session = session;
	store->options = (struct export_options){.metrics = o->metrics ? o->metrics : serve_metrics,
						 .optional = !o->metrics,
						 .per_core = o->per_core};
	export_session_sources(session, &store->sources);
	store->table = (struct export_table){.options = &store->options,
					     .sources = store->sources.list,
					     .n_sources = session->n + (session->mix != NULL)};
	if (!export_columns(&store->table, err) || !openmetrics_check(&store->table, err) ||
	    !start_scanner(store, err)) {
		serve_store_free(store);
		return NULL;
	}
	openmetrics_arrange(&store->table);
	init_sources(store);
	store->values = xcalloc(store->table.n_metrics + 1, sizeof(double));
	store->shown = xcalloc(store->table.n_metrics + 1, sizeof(double));
	store->watch = session_watch(session);
	store->top = serve_top_new();
	store->subscriber =
		session_subscriber(session, SUBSCRIBER_MORE | (o->per_core ? SUBSCRIBER_INSTANCES : 0));
	return store;
}

void serve_store_free(struct serve_store *store)
{
	if (!store)
		return;
	for (unsigned i = 0; store->mine && i < store->table.n_sources; i++) {
		history_free(store->mine[i].history);
		free(store->mine[i].mixed);
		free(store->mine[i].recent);
	}
	export_columns_free(&store->table);
	if (store->subscriber) {
		sampler_detach(store->session->sampler, store->subscriber);
		subscriber_free(store->subscriber);
	}
	watch_free(store->watch);
	serve_top_free(store->top);
	scanner_free(store->scanner);
	free(store->mine);
	free(store->values);
	free(store->shown);
	free(store->total);
	free(store->recent);
	free(store->part);
	free(store);
}

static void take_processes(struct serve_store *store)
{
	struct process_list *list = store->scanner ? scanner_take(store->scanner) : NULL;

	if (list) {
		serve_top_processes(store->top, list);
		if (store->watch)
			watch_processes(store->watch, list);
	}
	process_list_free(list);
}

void serve_store_drain(struct serve_store *store)
{
	const struct sample *sample;

	take_processes(store);
	while ((sample = subscriber_peek(store->subscriber))) {
		for (unsigned i = 0; i < store->session->n; i++) {
			if (store->session->sources[i].index != sample->source)
				continue;
			history_push(store->mine[i].history, sample);
			store->mine[i].n_samples++;
			store->mine[i].n_failed += (sample->flags & SAMPLE_ERROR) != 0;
			if (store->session->sources[i].kind == SOURCE_PASSES)
				serve_top_passes(store->top, &store->sources.list[i], sample);
		}
		if (store->watch)
			watch_sample(store->watch, sample);
		subscriber_release(store->subscriber);
	}
}

/* ---- values ---- */

/* Fold the recent past of a source. Returns false if it has none, or is away. */
static bool fold_recent(const struct serve_store *store, unsigned s, int64_t now_ns)
{
	const struct store_source *mine = &store->mine[s];

	if (store->session->sources[s].away != AWAY_NOT)
		return false;
	history_span(mine->history, now_ns - store->session->options->window_ns, now_ns, mine->recent);
	return mine->recent->n_samples > 0;
}

static double column_value(struct serve_store *store, const struct export_column *c, const double *vector)
{
	const struct metric_set *set = store->sources.list[c->source].set;

	if (c->instance < 0)
		return metric_value(c->metric, vector);
	metric_vector_instance(set, &set->instances[c->instance], vector, set->n_vector, store->part);
	return metric_value(c->metric, store->part);
}

static const struct column *total_of(const struct store_source *mine)
{
	return mine->mixed ? mine->mixed : history_total(mine->history);
}

/* Make the columns of the mix, of the sources that it is made of. */
static void fold_mix(struct serve_store *store)
{
	const struct metric_mix *mix = store->session->mix;
	const struct column *totals[SOURCE_KINDS] = {0}, *recents[SOURCE_KINDS] = {0};
	struct store_source *mixed = &store->mine[store->session->n];

	for (unsigned s = 0; s < store->session->n; s++) {
		const struct export_source *one = &store->sources.list[s];

		if (!mix->uses[one->kind] || mix->sources[one->kind] != one->set)
			continue;
		totals[one->kind] = total_of(&store->mine[s]);
		recents[one->kind] = store->mine[s].has_recent ? store->mine[s].recent : NULL;
	}
	metric_mix_column(mix, totals, mixed->mixed);
	metric_mix_column(mix, recents, mixed->recent);
	mixed->has_recent = mixed->recent->n_samples > 0;
}

/* Fold the recent past of all sources. Returns the frames that one of them counted. */
static struct metric_frames fold_sources(struct serve_store *store, int64_t now_ns)
{
	struct metric_frames frames = METRIC_FRAMES_UNKNOWN;

	for (unsigned s = 0; s < store->session->n; s++)
		store->mine[s].has_recent = fold_recent(store, s, now_ns);
	for (unsigned s = 0; s < store->session->n; s++)
		if (store->mine[s].has_recent)
			metric_frames_add(&frames, store->sources.list[s].set, store->mine[s].recent);
	if (store->session->mix)
		fold_mix(store);
	return frames;
}

/* Evaluate the columns of a source: counters over its total, gauges over its recent past. */
static void evaluate_source(struct serve_store *store, unsigned s, const struct metric_frames *frames)
{
	const struct metric_set *set = store->sources.list[s].set;
	bool recent = store->mine[s].has_recent;

	metric_vector(set, total_of(&store->mine[s]), store->total);
	if (recent)
		metric_vector(set, store->mine[s].recent, store->recent);
	metric_frames_put(frames, store->recent);
	for (unsigned i = 0; i < store->table.n_metrics; i++) {
		const struct export_column *c = &store->table.columns[i];
		double *value = &store->values[i];

		if (c->source != s)
			continue;
		if (!c->metric->grows) {
			*value = recent ? column_value(store, c, store->recent) : (double)NAN;
			continue;
		}
		*value = column_value(store, c, store->total);
		if (*value < store->shown[i]) /* a difference of counters may fall a little */
			*value = store->shown[i];
		if (*value > store->shown[i])
			store->shown[i] = *value;
	}
}

/* ---- about the sources ---- */

enum about_value { ABOUT_UP, ABOUT_INTERVAL, ABOUT_SAMPLES, ABOUT_LOST, ABOUT_FAILED, ABOUT_MEASURED };
static const struct openmetrics_family about[] = {
	[ABOUT_UP] = {{"malitop_source_up", "gauge", "", 1},
		      "Whether the source is measured: 1, or 0 while it is away"},
	[ABOUT_INTERVAL] = {{"malitop_source_interval_seconds", "gauge", "seconds", 1},
			    "True sampling interval"},
	[ABOUT_SAMPLES] = {{"malitop_source_samples", "counter", "", 1}, "Samples taken"},
	[ABOUT_LOST] = {{"malitop_source_samples_lost", "counter", "", 1},
			"Samples lost: their counts are missing"},
	[ABOUT_FAILED] = {{"malitop_source_samples_failed", "counter", "", 1},
			  "Samples that the driver failed to take"},
	[ABOUT_MEASURED] = {{"malitop_source_measured_seconds", "counter", "seconds", 1},
			    "Time that the counters cover, without gaps"},
};

static double about_source(const struct serve_store *store, unsigned s, enum about_value what)
{
	const struct session_source *source = &store->session->sources[s];
	const struct store_source *mine = &store->mine[s];
	const double values[] = {
		[ABOUT_UP] = source->away == AWAY_NOT,
		[ABOUT_INTERVAL] = source->period_ns ? (double)source->period_ns / 1e9 : (double)NAN,
		[ABOUT_SAMPLES] = (double)mine->n_samples,
		[ABOUT_LOST] = (double)history_lost(mine->history),
		[ABOUT_FAILED] = (double)mine->n_failed,
		[ABOUT_MEASURED] = (double)history_total(mine->history)->time_ns / 1e9,
	};

	return values[what];
}

static void label_source(const struct export_source *source, struct strbuf *labels)
{
	static const char *const kinds[SOURCE_KINDS] = {
		[SOURCE_GPU] = "gpu",       [SOURCE_CPU] = "cpu", [SOURCE_PERF] = "events",
		[SOURCE_PASSES] = "frames", [SOURCE_HOT] = "hot", [SOURCE_MIX] = "mixed"};
	char name[32];

	snprintf(name, sizeof(name), "%s%u", kinds[source->kind], source->number);
	strbuf_clear(labels);
	openmetrics_label(labels, "source", name);
}

/* Facts are in labels. In the classic form they are gauges. */
static void print_version(enum openmetrics_form form, struct strbuf *out)
{
	static const struct openmetrics_name build[] = {{"malitop_build", "info", "", 1},
							{"malitop_build_info", "gauge", "", 1}};

	openmetrics_head(&build[form == OPENMETRICS_CLASSIC], form, "Version of malitop", out);
	openmetrics_line("malitop_build_info", "", "version=\"" PACKAGE_VERSION "\"", 1, 0, out);
}

static void print_sources(const struct serve_store *store, enum openmetrics_form form, struct strbuf *out)
{
	static const struct openmetrics_name source[] = {{"malitop_source", "info", "", 1},
							 {"malitop_source_info", "gauge", "", 1}};
	bool classic = form == OPENMETRICS_CLASSIC;
	AUTO_STRBUF struct strbuf labels = {0};

	openmetrics_head(&source[classic], form, "What is measured", out);
	for (unsigned s = 0; s < store->session->n; s++) {
		const struct export_source *one = &store->sources.list[s];

		label_source(one, &labels);
		openmetrics_label(&labels, "title", one->title);
		openmetrics_label(&labels, "driver", one->driver);
		if (one->simulated)
			openmetrics_label(&labels, "simulated", "true");
		openmetrics_line("malitop_source_info", "", labels.p, 1, 0, out);
	}
}

static void print_about(const struct serve_store *store, enum openmetrics_form form, struct strbuf *out)
{
	AUTO_STRBUF struct strbuf labels = {0};

	for (enum about_value what = 0; what < ARRAY_LEN(about); what++) {
		bool has_head = false;

		for (unsigned s = 0; s < store->session->n; s++) {
			label_source(&store->sources.list[s], &labels);
			openmetrics_value(&about[what], form, labels.p, about_source(store, s, what),
					  &has_head, out);
		}
	}
}

/* ---- what holds the workload back ---- */

static void print_judged(const char *name, const struct judged *what, bool with_severity, struct strbuf *out)
{
	AUTO_STRBUF struct strbuf labels = {0};

	openmetrics_label(&labels, "id", what->def->id);
	openmetrics_label(&labels, "title", what->def->title);
	if (with_severity)
		openmetrics_label(&labels, "severity", finding_severity_names[what->def->severity]);
	openmetrics_line(name, "", labels.p, 1, 0, out);
}

static void print_findings(const struct serve_store *store, enum openmetrics_form form, struct strbuf *out)
{
	static const struct openmetrics_name verdict = {"malitop_verdict", "gauge", "", 1},
					     active = {"malitop_finding_active", "gauge", "", 1};
	const struct judge *judge = store->watch ? watch_judge(store->watch) : NULL;

	if (!judge)
		return;
	openmetrics_head(&verdict, form, "What holds the workload back now; none while it is unclear", out);
	if (judge->verdict.why)
		print_judged(verdict.text, judge->verdict.why, false, out);
	openmetrics_head(&active, form, "Findings that hold now", out);
	for (unsigned i = 0; i < judge->n_findings; i++)
		if (judge->findings[i].holds)
			print_judged(active.text, &judge->findings[i], true, out);
}

void serve_store_print(struct serve_store *store, int64_t now_ns, enum openmetrics_form form,
		       struct strbuf *out)
{
	const struct openmetrics_lines lines = {.form = form, .head = true, .labels = ""};
	struct metric_frames frames;

	serve_store_drain(store);
	frames = fold_sources(store, now_ns);
	for (unsigned s = 0; s < store->table.n_sources; s++)
		evaluate_source(store, s, &frames);
	print_version(form, out);
	print_sources(store, form, out);
	print_about(store, form, out);
	print_findings(store, form, out);
	serve_top_print(store->top, store->session->options->applications, form, out);
	serve_self_print(store->session->sys, form, out);
	openmetrics_table(&store->table, &lines, store->values, out);
	if (form == OPENMETRICS_1_0)
		strbuf_str(out, "# EOF\n");
}

void serve_store_print_none(enum openmetrics_form form, struct strbuf *out)
{
	print_version(form, out);
	openmetrics_head(&about[ABOUT_UP].name, form, about[ABOUT_UP].help, out);
	openmetrics_line(about[ABOUT_UP].name.text, "", "source=\"all\"", 0, 0, out);
	if (form == OPENMETRICS_1_0)
		strbuf_str(out, "# EOF\n");
}

bool serve_store_report(const struct serve_store *store, struct strbuf *out, struct err *err)
{
	const struct session *session = store->session;
	int64_t now_ns = session->sys->monotonic_ns(session->sys);
	struct history_log what = {.session = session,
				   .from_ns = now_ns > SERVE_PAGE_NS ? now_ns - SERVE_PAGE_NS : 0,
				   .step_ns = HISTORY_FINE_NS};
	char name[64];

	for (unsigned i = 0; i < session->n; i++)
		what.histories[i] = store->mine[i].history;
	snprintf(name, sizeof(name), "malitop serve, %.40s", session->gpu ? session->gpu->title : "CPUs");
	return report_page_of_history(session->options, &what, name, out, err);
}
