/* The report on the passes of a command: its frames, then a line per render pass. */
#include "export/export_priv.h"

#include "base/json.h"
#include "base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_LEAST 24
#define WORST_SHOWN 5

static double value_of(const struct metric_set *set, const double *vector, const char *name)
{
	const struct metric *metric = metric_find(set, span_of(name));

	return metric ? metric_value(metric, vector) : NAN;
}

#define TEXT ((char[32]){""})

static const char *ms_text(char text[32], double ms)
{
	snprintf(text, 32, isfinite(ms) ? "%.3f" : "-", ms);
	return text;
}

/* A percentile of all frames of the run. Logs of earlier versions have that of the last 256. */
static double share_ms(const struct frame_times *times, double share, const struct metric_set *set,
		       const double *vector, const char *metric)
{
	return times->n ? times_at(times, share) : value_of(set, vector, metric);
}

static void put_worst(const struct export_source *source, int64_t begin_ns, struct strbuf *out)
{
	const struct frame_stats *stats = &source->run->stats;

	if (!stats->n_worst)
		return;
	strbuf_printf(out, "\n%-24s  %10s  %10s  %10s  %10s  %10s  %s\n", "longest frames", "at s", "ms",
		      "CPU ms", "GPU ms", "present ms", "cause, longest pass");
	for (unsigned i = 0; i < stats->n_worst && i < WORST_SHOWN; i++) {
		const struct frame_facts *w = &stats->worst[i];
		char cause[FRAME_CAUSE_TEXT];

		strbuf_printf(out, "frame %-18.0f  %10s  %10s  %10s  %10s  %10s  %s", w->number,
			      ms_text(TEXT, (double)(w->end_ns - begin_ns) * 1e-9), ms_text(TEXT, w->ms),
			      ms_text(TEXT, w->cpu_ms), ms_text(TEXT, w->gpu_ms),
			      ms_text(TEXT, w->present_ms), frame_cause(stats, w, cause));
		if (w->pass[0])
			strbuf_printf(out, "%s%s %.3f ms", cause[0] ? "; " : "", w->pass, w->pass_ms);
		strbuf_line_end(out);
	}
}

static void put_frames(const struct export_source *source, const double *vector,
		       const struct pass_table *table, struct strbuf *out)
{
	const struct metric_set *set = source->set;
	const struct frame_times *times = &source->run->stats.times;
	static const struct {
		const char *metric, *title;
		double share;
	} rows[] = {
		{"frame.cpu_ms", "frame time, mean", 0},
		{"frame.p50_ms", "frame time, p50", 0.5},
		{"frame.p95_ms", "frame time, p95", 0.95},
		{"frame.p99_ms", "frame time, p99", 0.99},
		{"frame.worst_ms", "frame time, longest", 0},
		{"frame.busy_ms", "CPU time, presenting thread", 0},
		{"frame.cpu_all_ms", "CPU time, all threads", 0},
		{"frame.present_ms", "inside present", 0},
		{"frame.wait_ms", "waits for images, fences, queues", 0},
		{"frame.gpu_ms", "GPU, union of its passes", 0},
	};
	double changes = value_of(set, vector, "passes.changes");

	strbuf_printf(out, "\n%s", table->app);
	if (table->pid)
		strbuf_printf(out, " (pid %u)", table->pid);
	strbuf_printf(out, ": %.0f frames, from one %s to the next\n", value_of(set, vector, "frame.count"),
		      passes_boundary_names[table->boundary]);
	if (changes > 0)
		strbuf_printf(
			out,
			"(of several applications, one after the other: the one shown changed %.0f time%s)\n",
			changes, plural_ending((uint64_t)changes));
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		strbuf_printf(out, "%12s ms  %s\n",
			      ms_text(TEXT, rows[i].share > 0 ? share_ms(times, rows[i].share, set, vector,
									 rows[i].metric)
							      : value_of(set, vector, rows[i].metric)),
			      rows[i].title);
	strbuf_printf(out, "%12s fps the slowest 1 %% of frames\n", ms_text(TEXT, times_low(times, 0.01)));
	strbuf_printf(out, "%12s fps the slowest 0.1 %%\n", ms_text(TEXT, times_low(times, 0.001)));
	strbuf_printf(out, "%12s %%   on time\n", ms_text(TEXT, value_of(set, vector, "frame.on_time")));
}

static const char *work_text(char text[32], double n)
{
	snprintf(text, 32, isfinite(n) ? "%.1f" : "-", n);
	return text;
}

static void put_lines(const struct pass_table *table, struct strbuf *out)
{
	char size[32], names[PASS_TABLE_ROWS][PASS_NAME_TEXT + 16];
	size_t width = NAME_LEAST;
	double sum = 0;

	for (unsigned i = 0; i < table->n; i++) {
		const struct pass_line *l = &table->lines[i];

		snprintf(names[i], sizeof(names[i]), l->per_frame >= 1.5 ? "%s x%.0f" : "%s", l->name,
			 l->per_frame);
		width = strlen(names[i]) > width ? strlen(names[i]) : width;
	}
	strbuf_printf(out, "\n%-*s  %10s  %10s  %7s  %-9s  %-11s  %7s  %10s\n", (int)width,
		      "pass, mean per frame", "own ms", "span ms", "share", "kind", "resolution", "calls",
		      "vertices");
	for (unsigned i = 0; i < table->n; i++) {
		const struct pass_line *l = &table->lines[i];

		sum += l->ms;
		size[0] = 0;
		if (l->width)
			snprintf(size, sizeof(size), "%ux%u", l->width, l->height);
		strbuf_printf(out, "%-*s  %10s  %10s  %5.1f %%  %-9s  %-11s  %7s  %10s", (int)width, names[i],
			      ms_text(TEXT, l->ms), ms_text(TEXT, l->span_ms), l->share,
			      passes_kind_names[l->kind], size, work_text(TEXT, l->draws + l->dispatches),
			      work_text(TEXT, l->vertices));
		strbuf_line_end(out);
	}
	strbuf_printf(out, "%-*s  %10s\n", (int)width, "all passes", ms_text(TEXT, sum));
}

/* Write regions, per frame if possible. They also ran in the first frame, which is omitted. */
static void put_regions(const struct pass_table *table, double frames, struct strbuf *out)
{
	size_t width = NAME_LEAST;

	if (!table->n_regions)
		return;
	for (unsigned i = 0; i < table->n_regions; i++)
		width = strlen(table->regions[i].name) > width ? strlen(table->regions[i].name) : width;
	strbuf_printf(out, "\n%-*s  %10s  %10s  %10s  %10s  %6s\n", (int)width, "region of the CPU",
		      "ms a frame", "ms a call", "calls", "Mcy a call", "IPC");
	for (unsigned i = 0; i < table->n_regions; i++) {
		const struct region_line *l = &table->regions[i];

		strbuf_printf(out, "%-*s  %10s  %10s  %10.0f  %10s  %6s\n", (int)width, l->name,
			      ms_text(TEXT, frames > 0 ? l->ms / frames : NAN),
			      ms_text(TEXT, l->ms / l->calls), l->calls,
			      ms_text(TEXT, l->cycles / l->calls * 1e-6),
			      ms_text(TEXT, l->instructions / l->cycles));
	}
}

/* Notes on data that is missing in these numbers. */
static const struct {
	const char *metric, *key, *what;
} losses[] = {
	{"passes.lost", "lost", "results were not available in time"},
	{"passes.disjoint", "disjoint", "results thrown out: the GPU's clock was not steady"},
	{"passes.untimed", "untimed", "passes could not be stamped"},
	{"passes.dropped", "dropped", "events were not read in time: their frames have no GPU time"},
	{"passes.unkept", "unkept", "frames and regions are in the sums, but not one by one"},
	{"passes.crowded", NULL,
	 "frames had more passes than malitop keeps (131072 in five frames, 65533 in one): they have no GPU "
	 "time"},
};

static void put_losses(const struct metric_set *set, const double *vector, const struct pass_table *table,
		       struct strbuf *out)
{
	for (size_t i = 0; i < ARRAY_LEN(losses); i++) {
		double n = value_of(set, vector, losses[i].metric);

		if (n > 0)
			strbuf_printf(out, "%.0f %s\n", n, losses[i].what);
	}
	if (table->software)
		strbuf_printf(out,
			      "%s renders on the CPU: its stamps do not measure the times of compute passes, "
			      "and each "
			      "costs time\n",
			      table->driver);
	strbuf_printf(out, "%s\n", passes_stamp_texts[table->stamp]);
}

/* Read the table. Returns the vector, which the caller frees; NULL if the source has no passes. */
static double *read_table(const struct export_source *source, const struct column *sum,
			  struct pass_table *table)
{
	const struct metric_set *set = source->set;
	double *vector;

	if (!source->run || !pass_table_has(set))
		return NULL;
	vector = xcalloc(set->n_vector, sizeof(*vector));
	metric_vector(set, sum, vector);
	pass_table_read(table, set, vector, pass_run_names(source->run));
	return vector;
}

void export_passes(const struct export_source *source, const struct column *sum, int64_t begin_ns,
		   struct strbuf *out)
{
	struct pass_table table;
	double *vector = read_table(source, sum, &table), omitted;

	if (!vector)
		return;
	if (table.app[0]) {
		omitted = value_of(source->set, vector, "passes.omitted");
		put_frames(source, vector, &table, out);
		put_worst(source, begin_ns, out);
		if (table.n)
			put_lines(&table, out);
		put_regions(&table,
			    value_of(source->set, vector, "frame.count") + (omitted > 0 ? omitted : 0), out);
		put_losses(source->set, vector, &table, out);
	} else {
		strbuf_str(out, "\nno frames: the command did not render with Vulkan or OpenGL ES, or did "
				"not load the layer"
				"\n(programs that are setuid, or linked statically with EGL, do not)\n");
		if (table.other[0])
			strbuf_printf(out, "frames came from %s (pid %u), which the command did not start\n",
				      table.other, table.other_pid);
	}
	free(vector);
}

const char *export_pass_name(const struct pass_table *passes, unsigned row, const char *unknown)
{
	for (unsigned i = 0; i < passes->n; i++)
		if (passes->lines[i].row == row)
			return passes->lines[i].name;
	return unknown;
}

struct metric_frames export_frames(const struct export_table *table, const struct column *const *sums)
{
	struct metric_frames frames = METRIC_FRAMES_UNKNOWN;

	for (unsigned s = 0; s < table->n_sources; s++)
		if (sums[s] && !table->sources[s].mix)
			metric_frames_add(&frames, table->sources[s].set, sums[s]);
	return frames;
}

static void put_energy(const struct metric_set *set, const double *vector, struct strbuf *out)
{
	static const struct {
		const char *metric, *title;
	} rows[] = {
		{"FrameEnergyTotal", "board"},   {"FrameEnergySoC", "chip"},
		{"FrameEnergyCPU", "CPUs"},      {"FrameEnergyGPU", "GPU"},
		{"FrameEnergyMemory", "memory"}, {"FrameEnergyBattery", "battery"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		double joules = value_of(set, vector, rows[i].metric) / 1000;

		if (isfinite(joules))
			strbuf_printf(out, "%12.6f J   per frame, %s\n", joules, rows[i].title);
	}
}

void export_frame_energy(const struct export_table *table, const struct export_row *row, struct strbuf *out)
{
	struct metric_frames frames = export_frames(table, row->sums);

	for (unsigned s = 0; s < table->n_sources; s++) {
		const struct metric_set *set = table->sources[s].set;
		AUTOFREE double *vector = xcalloc(set->n_vector, sizeof(*vector));

		if (!row->sums[s])
			continue;
		metric_vector(set, row->sums[s], vector);
		metric_frames_put(&frames, vector);
		put_energy(set, vector, out);
	}
}

/* Append ,"cpu_ms":{"mean":..,"p50":..,"p95":..,"p99":..}. */
static void put_percentiles(const struct metric_set *set, const double *vector,
			    const struct frame_times *times, const char *const metrics[4], const char *name,
			    struct strbuf *out)
{
	json_put(out, ",%s:{\"mean\":%g,\"p50\":%g,\"p95\":%g,\"p99\":%g}", name,
		 value_of(set, vector, metrics[0]), share_ms(times, 0.5, set, vector, metrics[1]),
		 share_ms(times, 0.95, set, vector, metrics[2]),
		 share_ms(times, 0.99, set, vector, metrics[3]));
}

static void put_json_worst(const struct frame_stats *stats, int64_t begin_ns, struct strbuf *out)
{
	json_put(out, ",\"low_1pct_fps\":%g,\"low_01pct_fps\":%g,\"worst\":[", times_low(&stats->times, 0.01),
		 times_low(&stats->times, 0.001));
	for (unsigned i = 0; i < stats->n_worst && i < WORST_SHOWN; i++) {
		const struct frame_facts *w = &stats->worst[i];

		strbuf_str(out, i ? "," : "");
		json_put(out,
			 "{\"at_s\":%g,\"frame\":%g,\"ms\":%g,\"cpu_ms\":%g,\"gpu_ms\":%g,"
			 "\"present_ms\":%g,\"wait_ms\":%g,\"pass\":%s,\"pass_ms\":%g}",
			 (double)(w->end_ns - begin_ns) * 1e-9, w->number, w->ms, w->cpu_ms, w->gpu_ms,
			 w->present_ms, w->wait_ms, w->pass[0] ? w->pass : json_null, w->pass_ms);
	}
	strbuf_str(out, "]");
}

static void put_json_lines(const struct pass_table *table, struct strbuf *out)
{
	strbuf_str(out, ",\"passes\":[");
	for (unsigned i = 0; i < table->n; i++) {
		const struct pass_line *l = &table->lines[i];

		strbuf_str(out, i ? "," : "");
		json_put(out,
			 "{\"name\":%s,\"width\":%g,\"height\":%g,\"count\":%g,\"kind\":%s,"
			 "\"ms\":{\"mean\":%g,\"p95\":%g,\"min\":%g,\"p50\":%g,\"longest\":%g},"
			 "\"share\":%g,\"draws\":%g,\"dispatches\":%g,\"vertices\":%g}",
			 l->name, l->width ? l->width : (double)NAN, l->height ? l->height : (double)NAN,
			 l->count, passes_kind_names[l->kind], l->ms, l->p95_ms, l->least_ms, l->p50_ms,
			 l->most_ms, l->share, l->draws, l->dispatches, l->vertices);
	}
	strbuf_str(out, "]");
}

/* Write the sums over all threads. */
static void put_json_regions(const struct pass_table *table, struct strbuf *out)
{
	strbuf_str(out, ",\"regions\":[");
	for (unsigned i = 0; i < table->n_regions; i++) {
		const struct region_line *l = &table->regions[i];

		strbuf_str(out, i ? "," : "");
		json_put(out, "{\"name\":%s,\"calls\":%g,\"ms\":%g,\"cycles\":%g,\"instructions\":%g}",
			 l->name, l->calls, l->ms, l->cycles, l->instructions);
	}
	strbuf_str(out, "]");
}

/* Write the application of the frames, and notes on missing data. */
static void put_json_facts(const struct metric_set *set, const double *vector, const struct pass_table *table,
			   struct strbuf *out)
{
	json_put(out, ",\"application\":%s,\"pid\":", table->app);
	strbuf_printf(out, table->pid ? "%u" : "null", table->pid);
	json_put(out, ",\"changes\":%g,\"omitted\":%g", value_of(set, vector, "passes.changes"),
		 value_of(set, vector, "passes.omitted"));
	for (size_t i = 0; i < ARRAY_LEN(losses) && losses[i].key; i++)
		json_put(out, ",%s:%g", losses[i].key, value_of(set, vector, losses[i].metric));
	json_put(out, ",\"boundary\":%s,\"driver\":%s", passes_boundary_names[table->boundary],
		 table->driver);
	strbuf_printf(out, ",\"software\":%s", table->software ? "true" : "false");
	json_put(out, ",\"stamps\":%s,\"crowded\":%g", passes_stamp_texts[table->stamp],
		 value_of(set, vector, "passes.crowded"));
}

void export_passes_json(const struct export_source *source, const struct column *sum, int64_t begin_ns,
			struct strbuf *out)
{
	const struct frame_stats *stats = source->run ? &source->run->stats : NULL;
	static const char *const cpu[] = {"frame.cpu_ms", "frame.p50_ms", "frame.p95_ms", "frame.p99_ms"};
	static const char *const gpu[] = {"frame.gpu_ms", "frame.gpu_p50_ms", "frame.gpu_p95_ms",
					  "frame.gpu_p99_ms"};
	struct pass_table table;
	double *vector = read_table(source, sum, &table);

	if (!vector)
		return;
	json_put(out, "{\"frames\":{\"count\":%g", value_of(source->set, vector, "frame.count"));
	put_percentiles(source->set, vector, &stats->times, cpu, "cpu_ms", out);
	put_percentiles(source->set, vector, &stats->gpu, gpu, "gpu_ms", out);
	json_put(out, ",\"missed\":%g,\"longest_ms\":%g,\"busy_ms\":%g,\"present_ms\":%g,\"wait_ms\":%g",
		 table.missed, value_of(source->set, vector, "frame.worst_ms"),
		 value_of(source->set, vector, "frame.busy_ms"),
		 value_of(source->set, vector, "frame.present_ms"),
		 value_of(source->set, vector, "frame.wait_ms"));
	put_json_worst(stats, begin_ns, out);
	strbuf_str(out, "}");
	put_json_lines(&table, out);
	put_json_regions(&table, out);
	put_json_facts(source->set, vector, &table, out);
	strbuf_str(out, "}\n");
	free(vector);
}
