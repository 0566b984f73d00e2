#include "serve/serve_store.h"

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
};

struct serve_store {
	struct session *session;
	struct subscriber *subscriber;
	struct export_options options;
	struct export_sources sources;
	struct export_table table;
	struct store_source *mine; /* of the session, then the mix */
	struct export_values values;
	struct watch *watch; /* NULL without a GPU */
	struct serve_top *top;
	struct scanner *scanner; /* NULL without --processes */
};

/* ---- samples ---- */

static void init_sources(struct serve_store *store)
{
	struct session *session = store->session;
	bool per_core = session->options->per_core;

	store->mine = xcalloc(session->n + 1, sizeof(*store->mine));
	for (unsigned i = 0; i < session->n; i++) {
		const struct session_source *s = &session->sources[i];
		struct store_source *mine = &store->mine[i];

		mine->history =
			history_new(s->set->slots, s->set->n_slots, per_core ? s->set->n_slots : s->n_sums,
				    s->period_ns ? s->period_ns : s->asked_ns);
		mine->recent = history_column_new(mine->history);
	}
	if (session->mix) {
		store->mine[session->n].mixed = column_new(session->mix->set->n_slots);
		store->mine[session->n].recent = column_new(session->mix->set->n_slots);
	}
}

struct serve_store *serve_store_new(struct session *session, struct err *err)
{
	const struct options *o = session->options;
	struct serve_store *store = xcalloc(1, sizeof(*store));
	bool ok;

	store->session = session;
	store->options = (struct export_options){.metrics = o->metrics ? o->metrics : serve_metrics,
						 .optional = !o->metrics,
						 .per_core = o->per_core};
	export_session_sources(session, &store->sources);
	store->table = (struct export_table){.options = &store->options,
					     .sources = store->sources.list,
					     .n_sources = session->n + (session->mix != NULL)};
	ok = export_columns(&store->table, err) && openmetrics_check(&store->table, err);
	if (ok && o->applications)
		ok = (store->scanner = scanner_new(session->sys, devices_processes(o), &session->what, err));
	if (!ok) {
		serve_store_free(store);
		return NULL;
	}
	if (store->scanner)
		scanner_want(store->scanner,
			     &(struct process_query){.threads_of = THREADS_OF, .gpu_memory = true}, SCAN_NS);
	openmetrics_arrange(&store->table);
	init_sources(store);
	export_values_init(&store->values, &store->table);
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
	export_values_fini(&store->values);
	free(store);
}

void serve_store_drain(struct serve_store *store)
{
	struct process_list *list = store->scanner ? scanner_take(store->scanner) : NULL;
	const struct sample *sample;

	if (list)
		serve_top_processes(store->top, list);
	if (list && store->watch)
		watch_processes(store->watch, list);
	process_list_free(list);
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

/* Fold the recent past of a source; NULL if it has none, or is away. */
static const struct column *fold_recent(const struct serve_store *store, unsigned s, int64_t now_ns)
{
	const struct store_source *mine = &store->mine[s];

	if (store->session->sources[s].away != AWAY_NOT)
		return NULL;
	history_span(mine->history, now_ns - store->session->options->window_ns, now_ns, mine->recent);
	return mine->recent->n_samples ? mine->recent : NULL;
}

/* Gauges are over the recent past, counters over the total. */
static void evaluate_columns(struct serve_store *store, int64_t now_ns)
{
	const struct column *recents[SESSION_SOURCES_MAX + 1] = {0}, *totals[SESSION_SOURCES_MAX + 1];
	const struct column *parts[SOURCE_KINDS] = {0};
	unsigned n = store->session->n;
	const struct store_source *mixed = &store->mine[n];

	for (unsigned s = 0; s < n; s++) {
		recents[s] = fold_recent(store, s, now_ns);
		totals[s] = history_total(store->mine[s].history);
	}
	if (store->session->mix) {
		export_mix_parts(&store->table, recents, parts);
		metric_mix_column(store->session->mix, parts, mixed->recent);
		export_mix_parts(&store->table, totals, parts);
		metric_mix_column(store->session->mix, parts, mixed->mixed);
		recents[n] = mixed->recent->n_samples ? mixed->recent : NULL;
		totals[n] = mixed->mixed;
	}
	export_evaluate(&store->values, &store->table, recents, false);
	export_evaluate(&store->values, &store->table, totals, true);
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

	serve_store_drain(store);
	evaluate_columns(store, now_ns);
	print_version(form, out);
	print_sources(store, form, out);
	print_about(store, form, out);
	print_findings(store, form, out);
	serve_top_print(store->top, store->session->options->applications, form, out);
	serve_self_print(store->session->sys, form, out);
	openmetrics_table(&store->table, &lines, store->values.values, out);
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
