#include "options/options_table.h"

#include "views/canvas.h"

const char *const output_format_names[] = {"table", "csv", "jsonl", "mlog", "perfetto", "counters", NULL};

static const char *const scenarios[] = {
	"idle",       "mixed", "fragment-bound", "vertex-bound", "compute-bound", "bandwidth-bound", "cpu-bound", "serialised",
	"raytracing", NULL};
static const char *const definition_names[] = {"current", "guide", NULL};
static const char *const color_names[] = {"auto", "always", "never", NULL};

#define AT(field) .offset = offsetof(struct options, field)
#define MS 1e6
#define S 1e9
#define LOG_LONGEST (1e6 * 60 * S) /* two years */
#define PID_MAX 4194304            /* PID_MAX_LIMIT of the kernel */

const struct option_row option_rows[] = {
	{"backend", 'b', "LIST", NULL,
	 "where the numbers come from: kbase, panfrost, panthor, fdinfo, perf, proc, sim; kbase:vinstr and kbase:kinstr force an "
	 "interface",
	 "all that are found, never sim", IN_MEASURING, true, &kind_text, AT(backends), .check = check_backends},
	{"demo", 0, "SCENARIO", "mixed",
	 "a simulated GPU beside this machine's CPU: idle, mixed, fragment-bound, vertex-bound, compute-bound, bandwidth-bound, "
	 "cpu-bound, serialised, raytracing",
	 "mixed", IN_MEASURING | IN_DOCTOR, false, &kind_text, AT(scenario), .choices = scenarios},
	{"gpu", 0, "NAME", NULL, "the GPU to simulate, to assume where the product is unknown, or to ask about", NULL,
	 IN_ALL & ~IN_OF_LOG, true, &kind_text, AT(gpu)},
	{"device", 0, "PATH", NULL, "of several GPUs the one to show first; for record and stat the only one", NULL, IN_MEASURING,
	 true, &kind_text, AT(device)},
	{"interval", 'i', "TIME", NULL, "sampling interval, 1ms to 10s; with stat -- CMD: lines per interval while CMD runs",
	 "100ms; stat: 1s", IN_MEASURING | IN_DOCTOR, true, &kind_time, AT(interval_ns), .min = 1 * MS, .max = 10 * S},
	{"refresh", 'r', "TIME", NULL, "screen refresh and the time that is averaged over, 50ms to 60s, not below the interval",
	 "500ms", IN_SCREEN, true, &kind_time, AT(refresh_ns), .min = 50 * MS, .max = 60 * S},
	{"view", 'v', "NAME", NULL, "first view, by its name or key; see malitop list views", "overview", IN_SCREEN, true,
	 &kind_text, AT(view), .check = check_view},
	{"user", 'u', "USER", NULL, "in the Processes view only those of USER, a name or number", "everybody's", IN_SCREEN, true,
	 &kind_text, AT(user)},
	{"once", 0, "COLSxROWS", "100x30", "print one frame as plain text and leave; 1x1 to 500x200", "100x30", IN_SCREEN, false,
	 &kind_dimensions, AT(once), .most = {CANVAS_COLS_MAX, CANVAS_ROWS_MAX}},
	{"frames", 0, "N", NULL, "with --once: after N refreshes", "2", IN_SCREEN, false, &kind_count, AT(frames), .min = 1,
	 .max = 1000000},
	{"log", 'o', "FILE", NULL,
	 "log into FILE, format by its ending: .mlog, .csv, .jsonl or .pftrace; for stat and export also another, and - is "
	 "standard output",
	 "stat, export: -", IN_MEASURING | IN_EXPORT, false, &kind_text, AT(log)},
	{"metrics", 'm', "LIST", NULL, "metrics by name or glob, comma-separated; * is all",
	 "the template; stat: 12 headline metrics", IN_MEASURING | IN_EXPORT, false, &kind_text, AT(metrics)},
	{"format", 'f', "F", NULL, "table, csv, jsonl, mlog, perfetto, or counters (the raw table that eval reads)",
	 "by the ending of the log, else table", IN_MEASURING | IN_EXPORT | IN_LIST | IN_DOCTOR, false, &kind_choice, AT(format),
	 .choices = output_format_names},
	{"duration", 'd', "TIME", NULL, "stop after that long, 1ms to 9999m", NULL, IN_MEASURING | IN_REPLAY, false, &kind_time,
	 AT(duration_ns), .min = 1 * MS, .max = 9999 * 60 * S},
	{"per-core", 0, NULL, NULL, "keep and log every shader core, L2 slice and CPU by itself", "sums",
	 IN_MEASURING | IN_OF_LOG, true, &kind_flag, AT(per_core)},
	{"fps", 0, "N", NULL, "frames per second to budget for, 1 to 1000", "60", IN_MEASURING | IN_REPLAY, true, &kind_real,
	 AT(fps), .min = 1, .max = 1000},
	{"resolution", 0, "WxH", NULL, "pixels of a frame to budget for, 1x1 to 16384x16384", "1920x1080",
	 IN_MEASURING | IN_REPLAY, true, &kind_dimensions, AT(resolution), .most = {16384, 16384}},
	{"definitions", 0, "WHICH", NULL,
	 "current: metrics as Arm publishes them today; guide: as printed in the GPU's own guide (Mali-G52, Mali-G715, "
	 "Mali-G625)",
	 "current", IN_MEASURING | IN_OF_LOG | IN_EVAL, true, &kind_choice, AT(definitions), .choices = definition_names},
	{"seed", 0, "N", NULL, "seed of the simulator", "1", IN_MEASURING, false, &kind_seed, AT(seed)},
	{"pid", 'p', "PID", NULL, "CPU counters of that process only", "the whole machine", IN_MEASURING, false, &kind_count,
	 AT(pid), .min = 1, .max = PID_MAX},
	{"tid", 't', "TID", NULL, "CPU counters of that thread only", NULL, IN_MEASURING, false, &kind_count, AT(tid), .min = 1,
	 .max = PID_MAX},
	{"cpu", 'C', "LIST", NULL, "CPU counters of those CPUs only, such as 0-3,6", NULL, IN_MEASURING, false, &kind_text,
	 AT(cpus), .check = check_cpus},
	{"event", 'e', "NAME", NULL,
	 "a CPU event to count as well: cache-misses, br_mis_pred, r10, PMU/event=0x10/; repeatable, or a list",
	 "those that the metrics need", IN_MEASURING, false, &kind_event, .offset = 0},
	{"force", 0, NULL, NULL, "overwrite an existing log", NULL, IN_MEASURING | IN_EXPORT, false, &kind_flag, AT(force)},
	{"rotate", 0, "SIZE[,COUNT]", NULL, "for .mlog: a new file at SIZE (100MB, 1GiB), of which the last COUNT are kept",
	 "one file", IN_LIVE | IN_RECORD, false, &kind_rotate, .offset = 0, .min = 16e3, .max = 1e12},
	{"sync", 0, "TIME", NULL, "for .mlog: bring it to the disk so often, 100ms to 60m", "5s", IN_LIVE | IN_RECORD, true,
	 &kind_time, AT(sync_ns), .min = 100 * MS, .max = 3600 * S},
	{"from", 0, "T", NULL, "begin so long after the start of the log", "its start", IN_OF_LOG, false, &kind_time, AT(from_ns),
	 .min = 0, .max = LOG_LONGEST},
	{"to", 0, "T", NULL, "end so long after the start of the log", "its end", IN_OF_LOG, false, &kind_time, AT(to_ns),
	 .min = 1, .max = LOG_LONGEST},
	{"step", 0, "T", NULL, "fold samples to so long, as sums", "as logged", IN_OF_LOG, false, &kind_time, AT(step_ns),
	 .min = 1 * MS, .max = LOG_LONGEST},
	{"speed", 0, "N", NULL, "of replay: 0.1 to 100 times as fast as it was", "1", IN_REPLAY, false, &kind_real, AT(speed),
	 .min = 0.1, .max = 100},
	{"ascii", 0, NULL, NULL, "no character beyond ASCII", "by locale", IN_SCREEN, true, &kind_flag, AT(ascii)},
	{"color", 0, "WHEN", NULL, "auto, always or never", "auto: by terminal and NO_COLOR", IN_SCREEN, true, &kind_choice,
	 AT(color), .choices = color_names},
	{"theme", 0, "NAME", NULL, "colours of the screen", "dark", IN_SCREEN, true, &kind_text, AT(theme), .check = check_theme},
	{"config", 0, "FILE", NULL, "configuration file", "malitop/config under the XDG directory", IN_ALL, false, &kind_text,
	 AT(config)},
	{"print-config", 0, NULL, NULL, "print the effective configuration in the format of that file", NULL, IN_ALL, false,
	 &kind_flag, AT(print_config)},
	{"gpudb", 0, "DIR", NULL, "extra GPU, metric and chart files; repeatable", "malitop/gpudb under the XDG directory",
	 IN_ALL, true, &kind_gpudb, AT(gpudb)},
	{"help", 'h', NULL, NULL, "this text; of a command: malitop COMMAND --help", NULL, IN_ALL, false, &kind_flag, AT(help)},
	{"version", 'V', NULL, NULL, "version, build options and licence", NULL, IN_ALL, false, &kind_flag, AT(version)},
	{.name = "listen", .arg = "ADDR:PORT"},
	{.name = NULL},
};

const struct option_row *option_row_find(struct span name)
{
	for (const struct option_row *row = option_rows; row->name; row++)
		if (span_is(name, row->name))
			return row;
	return NULL;
}

const struct command_row command_rows[COMMAND_COUNT] = {
	[COMMAND_LIVE] = {NULL, "malitop [options]", "Show live what a Mali GPU and the CPU beside it are doing."},
	[COMMAND_REPLAY] = {"replay", "malitop replay FILE, malitop FILE.mlog",
			    "Show a log as if it happened now: play, pause, go to any moment. One that is still being written is "
			    "followed."},
	[COMMAND_RECORD] =
		{"record", "malitop record -o FILE [options] [-- CMD ARG...]",
		 "Log without a screen, until --duration, the end of CMD, SIGINT or SIGTERM. The exit status is that of CMD."},
	[COMMAND_STAT] = {"stat", "malitop stat [options] [-- CMD ARG...]",
			  "Print metrics: a line for each and every interval, until --duration, SIGINT or SIGTERM; or what they "
			  "came to over "
			  "CMD, with its times. Table: counts per second; of CMD also in all; an estimate stands in [brackets]; "
			  "time is in "
			  "seconds since the start. csv and jsonl: per interval. CMD writes to standard output, too: tell them "
			  "apart by -o. "
			  "The exit status is that of CMD."},
	[COMMAND_EXPORT] = {"export", "malitop export FILE [-f FORMAT] [-o OUT]",
			    "Print a log as rows of metrics: table, csv, jsonl, perfetto (for ui.perfetto.dev) or counters."},
	[COMMAND_EVAL] = {"eval", "malitop eval --gpu NAME FILE",
			  "Print every metric of the template for one raw counter table; FILE - is standard input."},
	[COMMAND_LIST] = {"list", "malitop list gpus|counters|metrics|views|backends [--gpu NAME] [-f csv|jsonl]",
			  "List what malitop knows."},
	[COMMAND_DOCTOR] =
		{"doctor", "malitop doctor [-f jsonl]",
		 "Tell what was found on this machine, what is missing, and what would help. Exit status 0 when a GPU can be "
		 "measured, else 1."},
};

const char *const later_commands[] = {"serve", NULL};

const char *const list_names[LIST_COUNT + 1] = {
	[LIST_GPUS] = "gpus",   [LIST_COUNTERS] = "counters", [LIST_METRICS] = "metrics",
	[LIST_VIEWS] = "views", [LIST_BACKENDS] = "backends",
};
