#include "options/options_table.h"

#include "backends/registry.h"
#include "views/canvas.h"

const char *const output_format_names[] = {"table", "csv",         "jsonl",  "mlog", "perfetto", "counters",
					   "junit", "openmetrics", "folded", "html", "md",       NULL};
static const char *const fail_on_names[] = {"never", "warning", "critical", NULL};

static const char *const definition_names[] = {"current", "guide", NULL};
static const char *const detail_names[] = {"all", "late", NULL};
static const char *const color_names[] = {"auto", "always", "never", NULL};

#define MEANINGS(...)                               \
	.meanings = (const struct option_meaning[]) \
	{                                           \
		__VA_ARGS__,                        \
		{                                   \
			0                           \
		}                                   \
	}
#define AT(field) .offset = offsetof(struct options, field)
#define MS 1e6
#define S 1e9
#define LOG_LONGEST (730 * 24 * 3600 * S)
#define PID_MAX 4194304 /* PID_MAX_LIMIT of the kernel */

const struct option_row option_rows[] = {
	{"backend", 'b', "LIST", NULL, "sources to measure", "everything found except sim", IN_SAMPLING, true,
	 &kind_text, AT(backends), .check = registry_check, .names = registry_words, .hint = "list"},
	{"demo", 0, "SCENARIO", "mixed", "show a simulated phone, nothing of this machine", "mixed",
	 IN_SAMPLING | IN_DOCTOR, true, &kind_text, AT(scenario), .names = scenario_names},
	{"gpu", 0, "NAME", NULL, "the GPU to simulate, or to assume if the product is unknown", NULL,
	 IN_ALL & ~(IN_OF_LOG | IN_REPORT | IN_COMPLETE), true, &kind_text, AT(gpu), .lists = 1u << LIST_GPUS,
	 MEANINGS({IN_EVAL, "the GPU that the table was counted on", NULL},
		  {IN_LIST, "list only what this GPU has", "all GPUs"},
		  {IN_EXPLAIN, "what holds for this GPU", "all GPUs, with every variant"})},
	{"device", 0, "PATH", NULL, "if there are several GPUs, the one to show first", NULL, IN_SAMPLING,
	 true, &kind_text, AT(device), .hint = "files",
	 MEANINGS({IN_RECORD | IN_STAT | IN_SERVE, "if there are several GPUs, measure only this one",
		   "all"})},
	{"interval", 'i', "TIME", NULL, "sampling interval, 1ms to 10s", "100ms", IN_SAMPLING | IN_DOCTOR,
	 true, &kind_time, AT(interval_ns), .min = 1 * MS, .max = 10 * S,
	 MEANINGS({IN_STAT,
		   "sampling interval, 1ms to 10s; with CMD, also print a line per interval while it runs",
		   "1s"})},
	{"refresh", 'r', "TIME", NULL,
	 "screen refresh and averaging time, 50ms to 60s, not below the interval", "500ms", IN_SCREEN, true,
	 &kind_time, AT(refresh_ns), .min = 50 * MS, .max = 60 * S},
	{"view", 'v', "NAME", NULL, "first view, by name or key; see malitop list views", "overview",
	 IN_SCREEN, true, &kind_text, AT(view), .lists = 1u << LIST_VIEWS},
	{"layout", 0, "NAME", NULL,
	 "panels of the Overview: all, gpu, cpu, frames, minimal, or their letters, as key L shows them",
	 "all", IN_SCREEN, true, &kind_text, AT(layout)},
	{"user", 'u', "USER", NULL, "in the Processes view, show only USER's processes; a name or number",
	 "all users", IN_SCREEN, true, &kind_text, AT(user), .hint = "users"},
	{"once", 0, "COLSxROWS", "100x30", "print one frame as plain text and exit; 1x1 to 500x200", "100x30",
	 IN_SCREEN, true, &kind_dimensions, AT(once), .most = {CANVAS_COLS_MAX, CANVAS_ROWS_MAX}},
	{"frames", 0, "N", NULL, "with --once: print after N refreshes", "2", IN_SCREEN, true, &kind_count,
	 AT(frames), .min = 1, .max = 1000000},
	{"log", 'o', "FILE", NULL,
	 "log to FILE; its extension sets the format: .mlog, .csv, .jsonl or .pftrace", NULL,
	 IN_MEASURING | IN_EXPORT | IN_REPORT | IN_ON, true, &kind_text, AT(log), .hint = "files",
	 MEANINGS({IN_RECORD,
		   "log to FILE; its extension sets the format: .mlog, .csv, .jsonl or .pftrace; - is "
		   "standard output: a stream of .mlog, or what --format says",
		   NULL},
		  {IN_STAT,
		   "print to FILE; .csv or .jsonl sets the format, else a table; - is standard output", "-"},
		  {IN_EXPORT,
		   "print to FILE; .csv, .jsonl, .pftrace or .txt sets the format; - is standard output",
		   "-"},
		  {IN_REPORT, "write to FILE; .html or .md sets the format; - is standard output", "-"})},
	{"metrics", 'm', "LIST", NULL, "metrics by name or glob, comma-separated; * is all", "the template",
	 IN_SAMPLING | IN_EXPORT, true, &kind_text, AT(metrics), .hint = "list", .lists = 1u << LIST_METRICS,
	 MEANINGS({IN_STAT, "metrics by name or glob, comma-separated; * is all", "12 headline metrics"},
		  {IN_SERVE, "metrics by name or glob, comma-separated; * is all", "the most useful ones"})},
	{"format", 'f', "F", NULL, "csv, jsonl, mlog, perfetto, or counters (the raw table that eval reads)",
	 "by the log's extension", IN_MEASURING | IN_EXPORT | IN_REPORT | IN_LIST | IN_DOCTOR | IN_EVAL, true,
	 &kind_choice, AT(format), .choices = output_format_names,
	 MEANINGS({IN_STAT, "table, csv, jsonl, or junit (findings only)",
		   "by the extension of FILE, else table"},
		  {IN_EXPORT,
		   "table, csv, jsonl, perfetto, counters (the raw table that eval reads), openmetrics (to "
		   "fill in Prometheus), folded (stacks of running code), or junit (findings only)",
		   "by the extension of FILE, else table"},
		  {IN_EVAL, "with --findings: table, jsonl or junit", "table"},
		  {IN_REPORT, "html (a page) or md (text for a ticket)",
		   "by the extension of FILE, else html"},
		  {IN_LIST, "table, csv or jsonl", "table"}, {IN_DOCTOR, "table or jsonl", "table"})},
	{"duration", 'd', "TIME", NULL, "stop after this time, 1ms to 730d", NULL, IN_SAMPLING | IN_REPLAY,
	 true, &kind_time, AT(duration_ns), .min = 1 * MS, .max = LOG_LONGEST,
	 MEANINGS({IN_RECORD | IN_STAT,
		   "stop after this time, 1ms to 730d, or at the end of CMD, whichever comes first", NULL})},
	{"repeat", 0, "N", NULL, "run CMD N times: mean, deviation, minimum and maximum of each figure",
	 "1, without statistics", IN_STAT | IN_REPORT, true, &kind_count, AT(repeat), .min = 1, .max = 100000,
	 MEANINGS({IN_REPORT,
		   "compare builds of N runs each, whose logs follow each other: means, deviations, and "
		   "which changes may be chance",
		   "1, without deviations"})},
	{"warmup", 0, "N", NULL, "run CMD N times first, without counting", "0", IN_STAT, true, &kind_count,
	 AT(warmup), .min = 0, .max = 100000},
	{"delay", 0, "TIME", NULL, "start CMD, and begin to count after this time, 1ms to 60m", "at once",
	 IN_RECORD | IN_STAT, true, &kind_time, AT(delay_ns), .min = 1 * MS, .max = 3600 * S},
	{"control", 0, "FD|PATH", NULL,
	 "count only between the lines enable and disable from this FIFO or file descriptor; FD,ACK and "
	 "fifo:PATH,ACK also acknowledge them",
	 "from start to end", IN_RECORD | IN_STAT, true, &kind_text, AT(control), .hint = "files"},
	{"long", 0, NULL, NULL, "a line per metric and interval instead of columns", NULL, IN_STAT | IN_LIST,
	 true, &kind_flag, AT(long_rows),
	 MEANINGS({IN_LIST, "all columns of a table, however wide, with the help of metrics", NULL})},
	{"per-core", 0, NULL, NULL, "break down by shader core, L2 slice and CPU", "sums",
	 IN_SAMPLING | IN_OF_LOG, true, &kind_flag, AT(per_core)},
	{"units", 0, NULL, NULL, "for csv: a second row with the unit of each column", NULL,
	 IN_STAT | IN_RECORD | IN_EXPORT, true, &kind_flag, AT(units)},
	{"passes", 0, NULL, NULL, "time the frames and render passes of CMD, with malitop's layers", NULL,
	 IN_RECORD | IN_STAT, true, &kind_flag, AT(passes)},
	{"detail", 0, "WHICH", NULL,
	 "for .mlog: keep each pass of all frames, or only of late frames and their neighbours", "all",
	 IN_RECORD, true, &kind_choice, AT(detail), .choices = detail_names},
	{"hot", 0, "EVENT[:RATE]", ":",
	 "sample which functions run, RATE times a second on each busy CPU (EVENT:period=N: after every N "
	 "events)",
	 "off; without a value: cycles, else cpu-clock, at 199", IN_RECORD | IN_STAT, true, &kind_text,
	 AT(hot), .hint = "list", .lists = 1u << LIST_EVENTS},
	{"hot-callers", 0, NULL, NULL, "with --hot: also keep callers, by frame pointers", NULL,
	 IN_RECORD | IN_STAT, true, &kind_flag, AT(hot_callers)},
	{"env", 0, NULL, NULL, "print the environment as lines for a shell", NULL, IN_PASSES, false,
	 &kind_flag, AT(env)},
	{"profiling", 0, NULL, NULL, "let Panfrost or Panthor time the queues while malitop runs; needs root",
	 "unchanged", IN_SAMPLING, true, &kind_flag, AT(profiling)},
	{"fps", 0, "N", NULL, "frame rate of the frame budget, 1 to 1000", "60",
	 IN_SAMPLING | IN_REPLAY | IN_REPORT | IN_EVAL, true, &kind_real, AT(fps), .min = 1, .max = 1000},
	{"resolution", 0, "WxH", NULL, "frame size of the frame budget, 1x1 to 16384x16384", "1920x1080",
	 IN_SAMPLING | IN_REPLAY | IN_REPORT | IN_EVAL, true, &kind_dimensions, AT(resolution),
	 .most = {16384, 16384}},
	{"definitions", 0, "WHICH", NULL,
	 "current: metrics as Arm publishes them today; guide: as printed in the GPU's own guide, for these "
	 "GPUs",
	 "current", IN_SAMPLING | IN_OF_LOG | IN_REPORT | IN_EVAL, true, &kind_choice, AT(definitions),
	 .choices = definition_names, .names = guide_names},
	{"seed", 0, "N", NULL, "seed of the simulator", "1", IN_SAMPLING, true, &kind_seed, AT(seed)},
	{"pid", 'p', "PID", NULL, "count CPU events of this process only", "the whole machine", IN_MEASURING,
	 true, &kind_count, AT(pid), .min = 1, .max = PID_MAX},
	{"tid", 't', "TID", NULL, "count CPU events of this thread only", NULL, IN_MEASURING, true,
	 &kind_count, AT(tid), .min = 1, .max = PID_MAX},
	{"cpu", 'C', "LIST", NULL, "count CPU events of these CPUs only, for example 0-3,6", NULL,
	 IN_MEASURING, true, &kind_text, AT(cpus), .check = check_cpus},
	{"event", 'e', "NAME", NULL,
	 "also count this CPU event: cache-misses, br_mis_pred, r10 or 0x10, PMU/event=0x10/; :u for "
	 "programs only, :k for the kernel only, :force to count it even if the core lacks it; repeatable, "
	 "or a "
	 "list; {a,b}: counted together",
	 "the events that the metrics need", IN_MEASURING, true, &kind_event, .offset = 0, .hint = "list",
	 .lists = 1u << LIST_EVENTS},
	{"group", 'g', "LIST", NULL, "count these predefined groups of CPU events; see malitop list groups",
	 NULL, IN_STAT | IN_RECORD, true, &kind_text, AT(groups), .hint = "list", .lists = 1u << LIST_GROUPS},
	{"report", 0, "FILE", NULL,
	 "also write the report of the run to FILE: .html is a page, .md text for a ticket", NULL,
	 IN_RECORD | IN_STAT, false, &kind_text, AT(report_file), .hint = "files html,md"},
	{"force", 0, NULL, NULL, "overwrite an existing log", NULL,
	 IN_MEASURING | IN_EXPORT | IN_REPORT | IN_ON, true, &kind_flag, AT(force)},
	{"keep-going", 0, NULL, NULL, "exit with 0 even if samples were lost; the log shows them as gaps",
	 NULL, IN_RECORD, true, &kind_flag, AT(keep_going)},
	{"findings", 0, NULL, NULL,
	 "report the verdict and the findings of the whole run at its end (csv: to standard error)", NULL,
	 IN_STAT | IN_EXPORT | IN_EVAL, true, &kind_flag, AT(findings),
	 MEANINGS(
		 {IN_EVAL, "judge the table, or several samples of it: the verdict and the findings", NULL})},
	{"baseline", 0, "FILE", NULL,
	 "compare the screen with the log FILE, phase by phase where both have marks of the same name", NULL,
	 IN_LIVE | IN_REPLAY, false, &kind_text, AT(baseline), .hint = "files mlog"},
	{"compare", 0, "FILE", NULL,
	 "compare the log FILE, as it was before, with the exported one: what changed, largest first", NULL,
	 IN_EXPORT, true, &kind_text, AT(compare), .hint = "files mlog"},
	{"tables", 0, "DIR", NULL,
	 "write samples, frames, passes, processes, functions, findings and marks, each as a CSV file, to "
	 "DIR",
	 NULL, IN_EXPORT, true, &kind_text, AT(tables), .hint = "files"},
	{"fail-on", 0, "LEVEL", NULL,
	 "exit with 3 if a finding of this severity held: warning or critical; implies --findings", "never",
	 IN_STAT | IN_EXPORT | IN_REPORT | IN_EVAL, true, &kind_choice, AT(fail_on), .choices = fail_on_names,
	 MEANINGS({IN_REPORT, "exit with 3 if a finding of this severity held: warning or critical",
		   "never; with --budget warning"})},
	{"budget", 0, "FILE", NULL,
	 "check the findings in FILE instead of the shipped ones; implies --findings", NULL,
	 IN_STAT | IN_EXPORT | IN_REPORT, true, &kind_text, AT(budget), .hint = "files",
	 MEANINGS({IN_REPORT,
		   "the findings in FILE instead of the shipped ones, each with pass or fail; exit with 3 if "
		   "one failed",
		   NULL})},
	{"rotate", 0, "SIZE[,COUNT]", NULL,
	 "for .mlog: start a new file at SIZE (100MB, 1GiB), and keep the last COUNT", "one file",
	 IN_LIVE | IN_RECORD, true, &kind_rotate, .offset = 0, .min = 16e3, .max = 1e12},
	{"flush", 0, "TIME", NULL, "for .mlog: the longest time until a block is complete, 10ms to 10s",
	 "500ms for a stream, 750ms for a file", IN_LIVE | IN_RECORD, true, &kind_time, AT(flush_ns),
	 .min = 10 * MS, .max = 10 * S},
	{"push", 0, "FILE", "auto",
	 "copy malitop to the board for this run: FILE, or this installation's binary for that board", NULL,
	 IN_ON, false, &kind_text, AT(push), .hint = "files"},
	{"lean", 0, NULL, NULL,
	 "for .mlog: only the counters of the template and the verdict, passes, and the 20 busiest processes",
	 NULL, IN_LIVE | IN_RECORD, true, &kind_flag, AT(lean)},
	{"sync", 0, "TIME", NULL, "for .mlog: how often to sync the log to disk, 100ms to 60m", "5s",
	 IN_LIVE | IN_RECORD, true, &kind_time, AT(sync_ns), .min = 100 * MS, .max = 3600 * S},
	{"from", 0, "T", NULL, "start at this time, counted from the start of the log", "its start",
	 IN_OF_LOG | IN_REPORT, true, &kind_time, AT(from_ns), .min = 0, .max = LOG_LONGEST},
	{"to", 0, "T", NULL, "end at this time, counted from the start of the log", "its end",
	 IN_OF_LOG | IN_REPORT, true, &kind_time, AT(to_ns), .min = 1, .max = LOG_LONGEST},
	{"step", 0, "T", NULL, "sum samples into steps of this length", "as logged", IN_OF_LOG, true,
	 &kind_time, AT(step_ns), .min = 1 * MS, .max = LOG_LONGEST,
	 MEANINGS({IN_REPLAY, "the minimum screen step", "as logged"})},
	{"follow", 0, NULL, NULL, "show the newest data of a log that grows, as a live screen", NULL,
	 IN_REPLAY, true, &kind_flag, AT(follow)},
	{"speed", 0, "N", NULL, "0.1 to 100 times the recorded speed", "1", IN_REPLAY, true, &kind_real,
	 AT(speed), .min = 0.1, .max = 100},
	{"ascii", 0, NULL, NULL, "draw with ASCII characters only", "by locale", IN_SCREEN, true, &kind_flag,
	 AT(ascii)},
	{"color", 0, "WHEN", NULL, "auto, always or never", "auto: by terminal and NO_COLOR", IN_SCREEN, true,
	 &kind_choice, AT(color), .choices = color_names},
	{"theme", 0, "NAME", NULL, "colours of the screen", "default", IN_SCREEN, true, &kind_text, AT(theme),
	 .check = check_theme, .names = theme_names},
	{"snapshot", 0, "LIST", NULL, "what the key S saves, comma-separated", "txt,csv", IN_SCREEN, true,
	 &kind_text, AT(snapshot), .check = check_snapshot, .names = snapshot_names, .hint = "list"},
	{"listen", 0, "ADDR:PORT", NULL, "where to serve; other addresses than loopback need TLS and --auth",
	 "127.0.0.1:9821", IN_SERVE, true, &kind_text, AT(listen)},
	{"tls-cert", 0, "FILE", NULL, "certificate in PEM, for TLS", "no TLS", IN_SERVE, true, &kind_text,
	 AT(tls_cert), .hint = "files"},
	{"tls-key", 0, "FILE", NULL, "its private key in PEM", NULL, IN_SERVE, true, &kind_text, AT(tls_key),
	 .hint = "files"},
	{"auth", 0, "FILE", NULL, "who may read: lines 'bearer TOKEN' or 'basic USER:PASSWORD'", "everybody",
	 IN_SERVE, true, &kind_text, AT(auth), .hint = "files"},
	{"insecure", 0, NULL, NULL, "allow other addresses than loopback without TLS or --auth", NULL,
	 IN_SERVE, true, &kind_flag, AT(insecure)},
	{"window", 0, "TIME", NULL, "gauges are means over this time before a scrape, 1s to 10m", "15s",
	 IN_SERVE, true, &kind_time, AT(window_ns), .min = 1 * S, .max = 600 * S},
	{"processes", 0, "N", NULL,
	 "add CPU time, GPU time and memory of the N applications that use most of the GPU, 0 to 100", "0",
	 IN_SERVE, true, &kind_count, AT(applications), .min = 0, .max = 100},
	{"config", 0, "FILE", NULL, "configuration file", "malitop/config under the XDG directory", IN_ALL,
	 false, &kind_text, AT(config), .hint = "files"},
	{"print-config", 0, NULL, NULL, "print the effective configuration, in the format of that file", NULL,
	 IN_ALL, false, &kind_flag, AT(print_config)},
	{"gpudb", 0, "DIR", NULL, "own GPUs, metrics, findings and views: a directory or a file; repeatable",
	 "malitop/gpudb under the XDG directory", IN_ALL, true, &kind_gpudb, .offset = 0, .hint = "files"},
	{"help", 'h', NULL, NULL, "this text", NULL, IN_ALL, false, &kind_flag, AT(help),
	 MEANINGS({IN_LIVE, "this text; for a command: malitop COMMAND --help, or malitop help COMMAND",
		   NULL})},
	{"version", 'V', NULL, NULL, "version, build options and licence", NULL, IN_ALL, false, &kind_flag,
	 AT(version)},
	{.name = NULL},
};

const struct option_row *option_row_find(struct span name)
{
	for (const struct option_row *row = option_rows; row->name; row++)
		if (span_is(name, row->name))
			return row;
	return NULL;
}

#define LOGS_MAX 10000
#define REPORT_LOGS_MAX 100 /* all of them are in memory */
#define ROW_FORMATS (FORMATS(CSV) | FORMATS(JSONL) | FORMATS(PERFETTO) | FORMATS(COUNTERS))
#define LISTED(list) (1u << LIST_##list)

const struct command_row command_rows[COMMAND_COUNT] = {
	[COMMAND_LIVE] = {NULL, "malitop [options]",
			  "Show live what a Mali GPU and the CPU beside it are doing.",
			  .formats = ROW_FORMATS | FORMATS(MLOG),
			  .expected = "a log is csv, jsonl, mlog, perfetto or counters"},
	[COMMAND_REPLAY] = {"replay", "malitop replay FILE, malitop FILE.mlog, malitop -",
			    "Show a log as if it happened now: play, pause, go to any time. A log that is "
			    "still being written is followed. FILE - is standard input, and like any pipe a "
			    "stream: its newest data are shown as a live screen shows them.",
			    .operands = 1, .file = true, .hint = "files mlog"},
	[COMMAND_RECORD] = {"record", "malitop record -o FILE|- [options] [-- CMD ARG...]",
			    "Log without a screen, until --duration, the end of CMD, SIGINT or SIGTERM, "
			    "whichever comes first. The exit status is that of CMD.",
			    .runs = true, .formats = ROW_FORMATS | FORMATS(MLOG),
			    .expected = "a log is csv, jsonl, mlog, perfetto or counters"},
	[COMMAND_STAT] = {"stat", "malitop stat [options] [-- CMD ARG...], malitop stat -",
			  "Print metrics: one line per interval until --duration, SIGINT or SIGTERM; with "
			  "CMD, the totals for its run and its times. The table shows counts per second, for "
			  "CMD also the totals, estimates in [brackets], and the time in seconds since the "
			  "start. csv and jsonl show counts per interval. stat - reads a stream from "
			  "standard input instead of measuring. CMD also writes to standard output: use -o "
			  "to keep them apart. The exit status is that of CMD.",
			  .runs = true,
			  .formats = FORMATS(TABLE) | FORMATS(CSV) | FORMATS(JSONL) | FORMATS(JUNIT),
			  .expected = "stat writes table, csv, jsonl or junit"},
	[COMMAND_EXPORT] =
		{"export", "malitop export FILE... [-f FORMAT] [-o OUT]",
		 "Print a log as rows of metrics: table, csv, jsonl, perfetto (for ui.perfetto.dev) or "
		 "counters.",
		 .operands = LOGS_MAX, .file = true,
		 .formats = FORMATS(TABLE) | ROW_FORMATS | FORMATS(JUNIT) | FORMATS(OPENMETRICS) |
			    FORMATS(FOLDED),
		 .expected =
			 "export writes table, csv, jsonl, perfetto, counters, junit, openmetrics or folded",
		 .hint = "files mlog"},
	[COMMAND_REPORT] = {"report", "malitop report FILE... [-f html|md] [-o OUT]",
			    "Write a self-explanatory page about a log: what held the workload back, "
			    "when and by how much, and what to change, with plots. With two logs, the first "
			    "is how it was and the second how it is now; more are columns. The page is one "
			    "file that loads nothing; md is text for a ticket.",
			    .operands = REPORT_LOGS_MAX, .file = true, .formats = FORMATS(HTML) | FORMATS(MD),
			    .expected = "report writes html or md", .hint = "files mlog"},
	[COMMAND_EVAL] = {"eval", "malitop eval --gpu NAME [--findings] FILE",
			  "Print every metric of the template for one raw counter table, or judge it with "
			  "--findings; FILE - is standard input.",
			  .operands = 1, .file = true,
			  .formats = FORMATS(TABLE) | FORMATS(JSONL) | FORMATS(JUNIT),
			  .expected = "eval writes table, jsonl or junit", .hint = "files"},
	[COMMAND_LIST] = {"list",
			  "malitop list gpus|counters|metrics|views|backends|events|groups|findings|options "
			  "[--gpu NAME] [-f csv|jsonl]",
			  "List what malitop knows.", .operands = 1,
			  .formats = FORMATS(TABLE) | FORMATS(CSV) | FORMATS(JSONL),
			  .expected = "list prints table, csv or jsonl", .hint = "words"},
	[COMMAND_EXPLAIN] =
		{"explain", "malitop explain NAME [--gpu NAME]",
		 "Explain a metric, a counter, a finding or a verdict: its formula, its limits, what it "
		 "means and what to do. NAME may also be a hardware name or a Streamline variable.",
		 .operands = 1, .file = true, .hint = "words",
		 .lists = LISTED(METRICS) | LISTED(COUNTERS) | LISTED(FINDINGS)},
	[COMMAND_DOCTOR] = {"doctor", "malitop doctor [-f jsonl]",
			    "Report what was found on this machine, what is missing, and what would help. "
			    "The exit status is 0 if a GPU can be measured, else 1.",
			    .formats = FORMATS(TABLE) | FORMATS(JSONL),
			    .expected = "doctor prints table or jsonl"},
	[COMMAND_SERVE] = {"serve", "malitop serve [--listen ADDR:PORT] [options]",
			   "Measure all the time, and serve the metrics over HTTP for a Prometheus server: "
			   "/metrics, /healthz and /.",
			   .operands = 0},
	[COMMAND_PASSES] = {"passes", "malitop passes --env",
			    "Print the environment that times the render passes of an application that you "
			    "start yourself: eval \"$(malitop passes --env)\" in its shell, then start "
			    "it and malitop in either order.",
			    .operands = 0},
	[COMMAND_ON] =
		{"on", "malitop on WHERE... [record|stat|doctor|once] [options] [-- CMD ARG...]",
		 "Show live what another machine is doing: malitop records there and is shown here. WHERE is "
		 "user@host (by ssh, its configuration and keys), adb or adb:SERIAL, docker:NAME, "
		 "cmd:PROGRAM, which gets the command as further arguments, or a name of the stanza boards "
		 "in the configuration. Several are shown in one screen; without any, all of that stanza. A "
		 "lost connection is reopened. Options of record are given to the malitop there. "
		 "With record, stat or doctor that command runs there, and its result comes here.",
		 .operands = 1, .runs = true},
	[COMMAND_COMPLETE] =
		{"complete", "malitop complete -- WORD...",
		 "Print what may follow: the rest of the last WORD, which may be empty. The completions of "
		 "bash, zsh and fish call it. The first line shows what else may follow: nothing (words), "
		 "more after a comma (list), files with these extensions, users, or a command.",
		 .runs = true},
};

bool command_find(const char *word, enum command_word *command)
{
	for (unsigned c = 0; c < COMMAND_COUNT; c++)
		if (command_rows[c].name && strcmp(word, command_rows[c].name) == 0) {
			*command = c;
			return true;
		}
	return false;
}

const char *const list_names[LIST_COUNT + 1] = {
	[LIST_GPUS] = "gpus",     [LIST_COUNTERS] = "counters", [LIST_METRICS] = "metrics",
	[LIST_VIEWS] = "views",   [LIST_BACKENDS] = "backends", [LIST_EVENTS] = "events",
	[LIST_GROUPS] = "groups", [LIST_FINDINGS] = "findings", [LIST_OPTIONS] = "options",
};
