/* The command line and the configuration file: what they mean, and what they refuse. */
#include "options/options_table.h"

#include "base/alloc.h"
#include "backends/registry.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARGS_MAX 12

static char config_dir[64];

/* Parse "malitop" and these words; options_fini is the caller's. */
static enum exit_status parse_text(struct options *options, const char *const *words, struct err *err)
{
	static char *argv[ARGS_MAX + 2]; /* what the options point to stays */
	static char text[ARGS_MAX + 1][128];
	int argc = 0;

	snprintf(text[0], sizeof(text[0]), "malitop");
	argv[argc++] = text[0];
	for (; argc <= ARGS_MAX && words[argc - 1]; argc++) {
		snprintf(text[argc], sizeof(text[argc]), "%s", words[argc - 1]);
		argv[argc] = text[argc];
	}
	argv[argc] = NULL;
	err->text[0] = 0;
	return options_parse(options, argc, argv, err);
}

static void write_config(const char *text)
{
	AUTOFREE char *path = xasprintf("%s/malitop/config", config_dir);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

TEST(usage_error_names_what_and_what_to_try)
{
	static const struct {
		const char *words[ARGS_MAX];
		const char *message;
	} cases[] = {
		{{"-i", "0"}, "--interval: '0' is not a time from 1 ms to 10 s"},
		{{"-i", "0s"}, "--interval: '0s' is not a time from 1 ms to 10 s"},
		{{"-i", "11s"}, "--interval: '11s' is not a time from 1 ms to 10 s"},
		{{"-i", "1e99s"}, "--interval: '1e99s' is not a time"},
		{{"--interval=ten"}, "--interval: 'ten' is not a time"},
		{{"-i", "-5ms"}, "--interval: '-5ms' is not a time"},
		{{"-i", "100"}, "--interval: '100' is not a time"},
		{{"-i", "nan"}, "--interval: 'nan' is not a time"},
		{{"-i", "0.9ms"}, "--interval: '0.9ms' is not a time"},
		{{"-r", "49ms"}, "--refresh: '49ms' is not a time from 50 ms to 60 s"},
		{{"-r", "61s"}, "--refresh: '61s' is not"},
		{{"-r", "500ms", "-i", "1s"}, "--refresh: 0.5 s is below the interval of 1 s"},
		{{"-d", "0s"}, "--duration: '0s' is not a time"},
		{{"-d", "ten"}, "--duration: 'ten' is not a time"},
		{{"stat", "--units"}, "--units: only for csv"},
		{{"export", "x.mlog", "-f", "jsonl", "--units"}, "--units: only for csv"},
		{{"record", "-o", "x.mlog", "--units"}, "--units: only for csv"},
		{{"stat", "--units", "-f", "csv", "--repeat", "2", "--", "true"}, "--units: only for csv"},
		{{"--once=0x10"}, "--once: '0x10' is not COLSxROWS from 1x1 to 500x200"},
		{{"--once=501x10"}, "--once: '501x10' is not"},
		{{"--once=100x201"}, "--once: '100x201' is not"},
		{{"--once=100"}, "--once: '100' is not"},
		{{"--once=100x30x2"}, "--once: '100x30x2' is not"},
		{{"--once=-1x5"}, "--once: '-1x5' is not"},
		{{"--once=99999999999999999999x5"}, "is not COLSxROWS"},
		{{"--once", "--frames", "0"}, "--frames: '0' is not a whole number from 1"},
		{{"--once", "--frames", "-1"}, "--frames: '-1' is not"},
		{{"--once", "--frames", "1.5"}, "--frames: '1.5' is not"},
		{{"--frames", "3"}, "--frames: only with --once"},
		{{"--fps", "0"}, "--fps: '0' is not a number from 1 to 1000"},
		{{"--fps", "1e99"}, "--fps: '1e99' is not"},
		{{"--fps", "nan"}, "--fps: 'nan' is not"},
		{{"--resolution", "0x0"}, "--resolution: '0x0' is not WxH from 1x1 to 16384x16384"},
		{{"--seed", "-1"}, "--seed: '-1' is not a whole number"},
		{{"--seed", "18446744073709551616"}, "--seed: '18446744073709551616' is not"},
		{{"--seed", "ten"}, "--seed: 'ten' is not"},
		{{"--demo=busy"}, "--demo: unknown 'busy': expected one of idle, mixed,"},
		{{"-b", "nouveau"}, "--backend: unknown 'nouveau' in this build: expected a list of "},
		{{"-b", ""}, "--backend: empty"},
		{{"-b", "sim,"}, NULL},
		{{"-b", ",sim"}, "--backend: unknown '' in this build"},
		{{"-b", "nouveau:vinstr"}, "--backend: unknown 'nouveau:vinstr' in this build"},
		{{"-b", "sim:vinstr"}, "--backend: unknown 'sim:vinstr'"},
		{{"-b", "kbase:foo"}, "--backend: unknown 'kbase:foo'"},
		{{"-v", "sideways"}, "--view: unknown 'sideways': expected overview, "},
		{{"--color", "pink"}, "--color: unknown 'pink': expected auto, always or never"},
		{{"--theme", "pink"}, "--theme: unknown 'pink': expected one of default, "},
		{{"--snapshot", "txt,png"}, "--snapshot: unknown 'png': expected one of txt, csv, html"},
		{{"--snapshot", ","}, "--snapshot: empty: expected a list of txt, csv and html"},
		{{"--definitions", "old"}, "--definitions: unknown 'old': expected current or guide"},
		{{"-f", "xml", "-o", "x.csv"},
		 "--format: unknown 'xml': expected table, csv, jsonl, mlog, perfetto, counters, junit, "
		 "openmetrics, folded, html or md"},
		{{"-f", "csv"}, "--format: only with --log"},
		{{"-o", "run"}, "--log: 'run' does not end in .mlog, .csv, .jsonl or .pftrace"},
		{{"-o", ".csv"}, "--log: '.csv' does not end in"},
		{{"-o", "run.mlog"}, NULL},
		{{"record", "-o", "run.mlog", "--rotate", "100MB,5", "--sync", "1s"}, NULL},
		{{"-o", "run.csv", "--rotate", "1GiB"}, "--rotate: only for a log that ends in .mlog"},
		{{"-o", "run.mlog", "--rotate", "100"}, "--rotate: '100' is not SIZE or SIZE,COUNT"},
		{{"-o", "run.mlog", "--rotate", "15kB"}, "--rotate: '15kB' is not"},
		{{"-o", "run.mlog", "--rotate", "-1MB"}, "--rotate: '-1MB' is not"},
		{{"-o", "run.mlog", "--rotate", "1TB"}, "--rotate: '1TB' is not"},
		{{"-o", "run.mlog", "--rotate", "1MB,"}, "--rotate: '1MB,' is not"},
		{{"-o", "run.mlog", "--rotate", "1MB,0"}, "--rotate: '1MB,0' is not"},
		{{"-o", "run.mlog", "--sync", "0s"}, "--sync: '0s' is not a time from 100 ms"},
		{{"-o", "-"}, "--log: '-' is not for the live screen"},
		{{"stat", "-", "--", "true"}, "stat -: reads a stream, so it cannot run a command"},
		{{"record", "-o", "-", "--flush", "1ms"}, "--flush: "},
		{{"-o", "x", "-f", "table"},
		 "--format: not table: a log is csv, jsonl, mlog, perfetto or counters"},
		{{"record"}, "record: no log: give -o FILE"},
		{{"record", "-o", "x.csv", "sleep", "1"}, "sleep: one argument too many, CMD must follow --"},
		{{"record", "-o", "x.csv", "--once"}, "--once: not with record: see malitop record --help"},
		{{"record", "-o", "x.csv", "-r", "1s"}, "--refresh: not with record"},
		{{"eval", "x.tsv"}, "eval: no GPU: give --gpu NAME"},
		{{"eval", "--gpu", "G52"}, "eval: expected FILE: see malitop eval --help"},
		{{"eval", "--gpu", "G52", "a", "b"}, "b: one argument too many"},
		{{"eval", "--gpu", "G52", "a", "-i", "1s"}, "--interval: not with eval"},
		{{"list"},
		 "list: missing argument: expected gpus, counters, metrics, views, backends, events, groups, "
		 "findings or options"},
		{{"list", "cats"}, "list: unknown list cats"},
		{{"list", "gpus", "cats"}, "cats: one argument too many"},
		{{"list", "gpus", "--", "cats"}, "cats: only record and stat run a command"},
		{{"stat"}, NULL},
		{{"stat", "sleep", "1"}, "sleep: one argument too many, CMD must follow --"},
		{{"stat", "--once"}, "--once: not with stat: see malitop stat --help"},
		{{"stat", "-r", "1s"}, "--refresh: not with stat"},
		{{"stat", "-o", "x.mlog"}, "--log: not mlog: stat writes table, csv, jsonl or junit"},
		{{"stat", "-i", "0"}, "--interval: '0' is not a time"},
		{{"stat", "-f", "perfetto"}, "--format: not perfetto: stat writes"},
		{{"list", "gpus", "-f", "mlog"}, "--format: not mlog: list prints table, csv or jsonl"},
		{{"doctor", "-f", "csv"}, "--format: not csv: doctor prints table or jsonl"},
		{{"server"}, "server: unknown command"},
		{{"replay"}, "replay: expected FILE: see malitop replay --help"},
		{{"replay", "a", "b"}, "b: one argument too many"},
		{{"replay", "a", "--", "b"}, "replay: expected FILE: see"},
		{{"replay", "--", "a"}, NULL},
		{{"run.mlog"}, NULL},
		{{"run.mlog", "--from", "1m", "--to", "90s", "--step", "1s", "--speed", "10"}, NULL},
		{{"run.mlog", "other.mlog"}, "other.mlog: one argument too many"},
		{{"run.mlog", "--from", "90s", "--to", "1m"}, "--to: 60 s is not after --from, 90 s"},
		{{"run.mlog", "--from", "10"}, "--from: '10' is not a time"},
		{{"run.mlog", "--speed", "101"}, "--speed: '101' is not a number from 0.1 to 100"},
		{{"run.mlog", "-i", "1s"}, "--interval: not with replay"},
		{{"run.mlog", "-o", "x.csv"}, "--log: not with replay"},
		{{"export"}, "export: expected FILE: see"},
		{{"export", "a"}, NULL},
		{{"export", "a", "-o", "b.pftrace"}, NULL},
		{{"export", "a", "-o", "b.mlog"}, "--log: not mlog: export writes"},
		{{"export", "a", "-f", "mlog"}, "--format: not mlog: export writes"},
		{{"export", "a", "--once"}, "--once: not with export"},
		{{"export", "a", "-o", "b.xyz"},
		 "--log: 'b.xyz' does not end in .csv, .jsonl, .pftrace or .txt: rename it or give"},
		{{"export", "a", "-o", "b.xyz", "-f", "csv"}, NULL},
		{{"export", "a", "-o", "b.txt"}, NULL},
		{{"record", "-o", "b.txt"}, "--log: 'b.txt' does not end in .mlog, .csv, .jsonl or .pftrace"},
		{{"export", "a", "-o", "/dev/stdout"}, NULL},
		{{"export", "a", "-o", "dir.d/b"}, NULL},
		{{"help", "cats"}, "help cats: expected one command"},
		{{"help", "stat", "cats"}, "help cats: expected one command"},
		{{"frobnicate"}, "frobnicate: unknown command"},
		{{"fro\033[2Jb"}, "fro?[2Jb: unknown command"},
		{{"-p", "1"}, NULL},
		{{"-p", "0"}, "--pid: '0' is not a whole number from 1 to 4194304"},
		{{"-p", "-1"}, "--pid: '-1' is not"},
		{{"-p", "4194305"}, "--pid: '4194305' is not"},
		{{"-p", "init"}, "--pid: 'init' is not"},
		{{"-t", "1x"}, "--tid: '1x' is not"},
		{{"record", "-o", "x.csv", "-t", "77"}, NULL},
		{{"list", "gpus", "-p", "1"}, "--pid: not with list"},
		{{"-p", "1", "-t", "1"}, "--pid, --tid, --cpu: more than one of them"},
		{{"stat", "-C0", "-t1"}, "--pid, --tid, --cpu: more than one of them"},
		{{"stat", "-p", "1", "--", "true"}, "--pid: not with a command"},
		{{"stat", "-t", "1", "--", "true"}, "--tid: not with a command"},
		{{"stat", "-C", "0-3,6", "--", "true"}, NULL},
		{{"-C", "0"}, NULL},
		{{"-C", "4095"}, NULL},
		{{"-C", "4-4,2,0-1"}, NULL},
		{{"-C", ""}, "--cpu: empty: expected LIST"},
		{{"-C", "4096"}, "--cpu: '4096' is not a list of CPUs from 0 to 4095: write it like 0-3,6"},
		{{"-C", "3-0"}, "--cpu: '3-0' is not a list"},
		{{"-C", "0-"}, "--cpu: '0-' is not a list"},
		{{"-C", "-1"}, "--cpu: '-1' is not a list"},
		{{"-C", "0,"}, "--cpu: '0,' is not a list"},
		{{"-C", ",0"}, "--cpu: ',0' is not a list"},
		{{"-C", "0-1-2"}, "--cpu: '0-1-2' is not a list"},
		{{"-C", "0x1"}, "--cpu: '0x1' is not a list"},
		{{"-C", "0 1"}, "--cpu: '0 1' is not a list"},
		{{"-C", "all"}, "--cpu: 'all' is not a list"},
		{{"-C", "18446744073709551616"}, "--cpu: '18446744073709551616' is not a list"},
		{{"-e", ""}, "--event: empty: expected NAME"},
		{{"-e", " ,"}, "--event: empty: expected NAME"},
		{{"--listening=:1"}, "--listening=:1: unknown or ambiguous option"},
		{{"--frob"}, "--frob: unknown or ambiguous option"},
		{{"--re", "1"}, "--re: unknown or ambiguous option"},
		{{"-x"}, "-x: unknown option"},
		{{"-i"}, "--interval: needs TIME"},
		{{"--interval"}, "--interval: needs TIME"},
		{{"--force=yes"}, "--force: takes no argument"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct options options;
		struct err err;
		enum exit_status status = parse_text(&options, cases[i].words, &err);

		if (status != (cases[i].message ? EXIT_USAGE : EXIT_DONE) ||
		    (cases[i].message && !strstr(err.text, cases[i].message)))
			fail_msg("%s %s: status %d, '%s' does not say '%s'", cases[i].words[0],
				 cases[i].words[1] ? cases[i].words[1] : "", status, err.text,
				 cases[i].message ? cases[i].message : "");
		options_fini(&options);
	}
}

TEST(an_option_that_would_change_nothing_is_refused)
{
	static const struct {
		const char *words[ARGS_MAX];
		const char *message;
	} cases[] = {
		{{"--once", "-d", "3s"}, "--duration: not with --once"},
		{{"--once", "--baseline", "x.mlog"}, "--baseline: not with --once"},
		{{"--once", "--theme", "light"}, "--theme: not with --once"},
		{{"--once", "--color", "always"}, "--color: not with --once"},
		{{"--once", "--color", "never"}, NULL},
		{{"--once", "--snapshot", "html"}, "--snapshot: not with --once"},
		{{"--once", "--lean"}, "--lean: only for a log"},
		{{"--lean"}, NULL}, /* the key l begins a log */
		{{"x.mlog", "--once", "--speed", "2"}, "--speed: not with --once"},
		{{"x.mlog", "--once", "--follow"}, "--follow: not with --once"},
		{{"record", "-o", "x.csv", "--lean"}, "--lean: only for a log that ends in .mlog"},
		{{"record", "-o", "x.csv", "--flush", "1s"}, "--flush: only for"},
		{{"record", "-o", "x.csv", "--sync", "1s"}, "--sync: only for"},
		{{"record", "-o", "x.csv", "--detail", "late"}, "--detail: only for"},
		{{"record", "-o", "-", "--sync", "1s"}, "--sync: only for"},
		{{"record", "-o", "-", "--force"}, "--force: only with --log FILE"},
		{{"record", "-o", "x.mlog", "--hot-callers"}, "--hot-callers: only with --hot"},
		{{"stat", "--long", "-f", "csv"}, "--long: only for a table"},
		{{"stat", "--force"}, "--force: only with --log FILE"},
		{{"stat", "-", "-i", "1s"}, "--interval: not with stat -"},
		{{"stat", "-", "--long", "-m", "GPUClock"}, NULL},
		{{"--seed", "2"}, "--seed: only with --demo"},
		{{"--seed", "2", "-b", "proc,sim"}, NULL},
		{{"on", "x", "--from", "1s"}, "--from: not with on"},
		{{"on", "x", "--follow"}, "--follow: not with on"},
		{{"on", "x", "--force"}, "--force: only with --log FILE"},
		{{"on", "x", "--once", "-d", "1s"}, "--duration: not with --once"},
		{{"on", "x", "--once", "-o", "x.mlog", "--force"}, NULL},
		{{"on", "x", "-o", "x.csv"},
		 "--log: 'x.csv': on keeps the stream, in a file that ends in .mlog"},
		{{"on", "x", "-o", "-"}, "--log: '-': on keeps the stream"},
		{{"on", "x", "--hot", "--hot-callers"}, NULL},
		{{"on", "x", "y", "--once", "-v", "queues"}, "--view: not with --once of several boards"},
		{{"on", "x", "y", "-v", "queues", "--force"}, NULL},
		{{"on", "x", "stat", "-r", "1s"}, "--refresh: not with on"},
		{{"on", "x", "stat", "--once"}, "--once: not with on"},
		{{"on", "x", "doctor", "--theme", "light"}, "--theme: not with on"},
		{{"on", "x", "stat", "-o", "x.pftrace"}, "--log: not perfetto: stat writes"},
		{{"on", "x", "stat", "-o", "x.csv", "-i", "1s"}, NULL},
		{{"on", "x", "record", "-f", "html"}, "--format: not html: a log is"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct options options;
		struct err err = {0};
		bool ok = parse_text(&options, cases[i].words, &err) == EXIT_DONE;

		if (ok != !cases[i].message || (!ok && !strstr(err.text, cases[i].message)))
			fail_msg("case %zu: %s", i, ok ? "not refused" : err.text);
		options_fini(&options);
	}
}

TEST(a_limit_is_named_by_the_message_that_meets_it)
{
	static const struct {
		const char *command;
		unsigned n;
		const char *message;
	} cases[] = {{"on", 64, NULL},
		     {"on", 65, "on: 65 boards: expected 64 at most"},
		     {"report", 100, NULL},
		     {"report", 101, "report: 101 files: expected 100 at most"},
		     {"export", 10001, "export: 10001 files: expected 10000 at most"}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char **words = xcalloc(cases[i].n + 4, sizeof(*words));
		static char program[] = "malitop", name[] = "x.mlog";
		AUTOFREE char *command = xstrdup(cases[i].command);
		struct options options;
		struct err err = {0};
		bool ok;

		words[0] = program;
		words[1] = command;
		for (unsigned k = 0; k < cases[i].n; k++)
			words[2 + k] = name;
		ok = options_parse(&options, (int)cases[i].n + 2, words, &err) == EXIT_DONE;
		if (ok != !cases[i].message || (!ok && !strstr(err.text, cases[i].message)))
			fail_msg("%s: %s", cases[i].command, ok ? "not refused" : err.text);
		options_fini(&options);
	}
}

TEST(defaults_are_those_of_the_contract)
{
	struct options o;
	struct err err;

	assert_int_equal(parse_text(&o, (const char *const[]){NULL}, &err), EXIT_DONE);
	assert_int_equal(o.command, COMMAND_LIVE);
	assert_int_equal(o.interval_ns, 100000000);
	assert_int_equal(o.refresh_ns, 500000000);
	assert_string_equal(o.view, "overview");
	assert_int_equal(o.once.w, 0);
	assert_int_equal(o.frames, 2);
	assert_int_equal(o.seed, 1);
	assert_int_equal(o.resolution.w, 1920);
	assert_int_equal(o.definitions, DEFINITIONS_CURRENT);
	assert_null(o.backends);
	assert_null(o.scenario);
	assert_null(o.log);
	assert_int_equal(o.duration_ns, 0);
	assert_int_equal(o.n_gpudb, 1);
	assert_false(o.gpudb[0].must_exist);
	options_fini(&o);
}

TEST(options_reach_their_fields)
{
	static const char *const words[] = {
		"record", "-o", "a.txt", "-fjsonl", "-i1ms", "--demo=raytracing", "--per-core", "-d",
		"1.5m",   "--", "sh",    "-c",      NULL};
	struct options o;
	struct err err;

	if (parse_text(&o, words, &err) != EXIT_DONE)
		fail_msg("%s", err.text);
	assert_int_equal(o.command, COMMAND_RECORD);
	assert_int_equal(o.format, FORMAT_JSONL);
	assert_int_equal(o.interval_ns, 1000000);
	assert_string_equal(o.scenario, "raytracing");
	assert_true(o.per_core);
	assert_int_equal(o.duration_ns, 90000000000);
	assert_string_equal(o.cmd[0], "sh");
	assert_string_equal(o.cmd[1], "-c");
	assert_null(o.cmd[2]);
	options_fini(&o);
}

TEST(optional_arguments_have_their_defaults)
{
	struct options o;
	struct err err;

	assert_int_equal(parse_text(&o, (const char *const[]){"--once", "--demo", NULL}, &err), EXIT_DONE);
	assert_int_equal(o.once.w, 100);
	assert_int_equal(o.once.h, 30);
	assert_string_equal(o.scenario, "mixed");
	options_fini(&o);
}

TEST(log_format_is_by_extension)
{
	static const struct {
		const char *file;
		enum output_format format;
	} cases[] = {{"x.csv", FORMAT_CSV}, {"dir.csv/x.jsonl", FORMAT_JSONL}, {"a.b.csv", FORMAT_CSV}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct options o;
		struct err err;

		assert_int_equal(parse_text(&o, (const char *const[]){"-o", cases[i].file, NULL}, &err),
				 EXIT_DONE);
		assert_int_equal(o.format, cases[i].format);
		options_fini(&o);
	}
}

TEST(stat_has_defaults_of_its_own)
{
	static const struct {
		const char *words[ARGS_MAX];
		const char *log;
		enum output_format format;
		int64_t interval_ns;
		bool rows;
	} cases[] = {
		{{"stat"}, "-", FORMAT_TABLE, 1000000000, true},
		{{"stat", "-i", "10ms"}, "-", FORMAT_TABLE, 10000000, true},
		{{"stat", "-o", "x.csv"}, "x.csv", FORMAT_CSV, 1000000000, true},
		{{"stat", "-o", "x.txt"}, "x.txt", FORMAT_TABLE, 1000000000, true},
		{{"stat", "-o", "x.csv", "-f", "table"}, "x.csv", FORMAT_TABLE, 1000000000, true},
		{{"stat", "-o", "-", "-f", "jsonl"}, "-", FORMAT_JSONL, 1000000000, true},
		{{"stat", "--", "true"}, "-", FORMAT_TABLE, 10000000, false},
		{{"stat", "-i", "200ms", "--", "true"}, "-", FORMAT_TABLE, 200000000, true},
		{{"stat", "-d", "300ms"}, "-", FORMAT_TABLE, 300000000, true},
		{{"stat", "-d", "3s"}, "-", FORMAT_TABLE, 1000000000, true},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct options o;
		struct err err;

		if (parse_text(&o, cases[i].words, &err) != EXIT_DONE)
			fail_msg("%s", err.text);
		assert_int_equal(o.command, COMMAND_STAT);
		assert_string_equal(o.log, cases[i].log);
		assert_int_equal(o.format, cases[i].format);
		assert_int_equal(o.interval_ns, cases[i].interval_ns);
		assert_int_equal(o.rows, cases[i].rows);
		options_fini(&o);
	}
}

TEST(events_in_braces_are_one_group)
{
	static const char *const names[] = {"cycles", "r8:u", "cpu/event=1,umask=2/:u", "r1b", "r9", "ra"};
	static const unsigned groups[] = {0, 1, 1, 0, 2, 2};
	struct options o;
	struct err err;

	assert_int_equal(
		parse_text(&o,
			   (const char *const[]){"stat", "-e", "cycles,{r8,cpu/event=1,umask=2/}:u,r1b", "-e",
						 "{r9,ra}", NULL},
			   &err),
		EXIT_DONE);
	assert_int_equal(o.n_events, ARRAY_LEN(names));
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		assert_string_equal(o.events[i], names[i]);
		assert_int_equal(o.event_groups[i], groups[i]);
	}
	options_fini(&o);
	assert_int_equal(parse_text(&o, (const char *const[]){"stat", "-e", "{r9,ra", NULL}, &err),
			 EXIT_USAGE);
	assert_string_equal(err.text, "--event: '{r9,ra': expected } after the last event of the group");
	options_fini(&o);
}

TEST(scope_and_events_reach_their_fields)
{
	struct options o;
	struct err err;

	assert_int_equal(
		parse_text(&o,
			   (const char *const[]){"stat", "-e", "cycles",
						 "--event=r1b,cpu/event=1,umask=2/u, r1c", "-C0-3,6", NULL},
			   &err),
		EXIT_DONE);
	assert_int_equal(o.n_events, 4);
	assert_string_equal(o.events[0], "cycles");
	assert_string_equal(o.events[1], "r1b");
	assert_string_equal(o.events[2], "cpu/event=1,umask=2/u");
	assert_string_equal(o.events[3], "r1c");
	assert_string_equal(o.cpus, "0-3,6");
	assert_int_equal(o.pid, 0);
	options_fini(&o);
	assert_int_equal(parse_text(&o, (const char *const[]){"-p", "4194304", NULL}, &err), EXIT_DONE);
	assert_int_equal(o.pid, 4194304);
	options_fini(&o);
	assert_int_equal(parse_text(&o, (const char *const[]){"stat", "--tid", "12", NULL}, &err), EXIT_DONE);
	assert_int_equal(o.tid, 12);
	options_fini(&o);
}

TEST(eval_takes_options_after_its_file_and_standard_input)
{
	static const char *const cases[][6] = {{"eval", "--gpu", "G52", "-", "--definitions=guide"},
					       {"eval", "-", "--definitions", "guide", "--gpu=G52"},
					       {"--gpu=G52", "eval", "--definitions", "guide", "-"}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct options o;
		struct err err;

		if (parse_text(&o, cases[i], &err) != EXIT_DONE)
			fail_msg("%s", err.text);
		assert_string_equal(o.operand, "-");
		assert_int_equal(o.definitions, DEFINITIONS_GUIDE);
		options_fini(&o);
	}
}

TEST(refresh_is_never_under_the_interval)
{
	struct options o;
	struct err err;

	assert_int_equal(parse_text(&o, (const char *const[]){"-i", "2s", NULL}, &err), EXIT_DONE);
	assert_int_equal(o.refresh_ns, 2000000000);
	options_fini(&o);
	write_config("options\n  refresh 200ms\n");
	assert_int_equal(parse_text(&o, (const char *const[]){"-i", "2s", NULL}, &err), EXIT_DONE);
	assert_int_equal(o.refresh_ns, 2000000000);
	options_fini(&o);
	write_config("options\n  refresh 200ms\n  interval 1s\n");
	assert_int_equal(parse_text(&o, (const char *const[]){NULL}, &err), EXIT_USAGE);
	options_fini(&o);
	write_config("");
}

TEST(demo_is_the_simulator_beside_the_cpu)
{
	static const struct {
		const char *words[4], *list;
	} cases[] = {{{"--demo"}, "sim"},
		     {{"--demo", "-b", "proc"}, "sim,proc"},
		     {{"-b", "sim"}, "sim"},
		     {{NULL}, NULL}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf buf = {0};
		struct options o;
		struct err err;
		const char *list;

		assert_int_equal(parse_text(&o, cases[i].words, &err), EXIT_DONE);
		list = options_backends(&o, &buf);
		if (cases[i].list)
			assert_string_equal(list, cases[i].list);
		else
			assert_null(list);
		options_fini(&o);
	}
}

TEST(command_line_wins_over_the_file)
{
	struct options o;
	struct err err;

	write_config("\xef\xbb\xbf# mine\noptions\n  interval 20ms\n  view 2\n  ascii yes\n  resolution "
		     "1280x720\n  "
		     "gpudb /one\n");
	if (parse_text(&o, (const char *const[]){"-v", "memory", "--gpudb", "/two", NULL}, &err) != EXIT_DONE)
		fail_msg("%s", err.text);
	assert_int_equal(o.interval_ns, 20000000);
	assert_string_equal(o.view, "memory");
	assert_true(o.ascii);
	assert_int_equal(o.resolution.h, 720);
	assert_int_equal(o.n_gpudb, 4);
	assert_non_null(strstr(o.gpudb[1].path, "/config")); /* it may have views and metrics */
	assert_string_equal(o.gpudb[2].path, "/one");
	assert_string_equal(o.gpudb[3].path, "/two");
	assert_true(o.gpudb[3].must_exist);
	options_fini(&o);
	write_config("");
}

TEST(wrong_configuration_names_file_and_line)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"interval 5ms\n", "config:1: 'interval 5ms': expected options"},
		{"options now\n", "config:1: 'options now': expected options"},
		{"options\n  interval 11s\n", "config:2: interval: '11s' is not a time from 1 ms to 10 s"},
		{"options\n  intervall 1s\n", "config:2: 'intervall': expected an option"},
		{"options\n  version yes\n", "config:2: 'version': expected an option"},
		{"options\n  frames 0\n", "config:2: frames: '0'"}, /* also of another command */
		{"options\n  speed 1000\n", "config:2: speed: '1000'"},
		{"keys\n  p\n", "config:2: 'p': expected a key and the key whose meaning it gets"},
		{"keys\n  pp q\n", "config:2: 'pp q': expected a key"},
		{"keys\n  p q r\n", "config:2: 'p q r': expected a key"},
		{"options\n  ascii maybe\n", "config:2: ascii: unknown 'maybe': expected yes or no"},
		{"options\n  view\n", "config:2: view: empty"},
		{"options\n  view sideways\n", "config: view: unknown 'sideways': expected overview, "},
		{"options\n  gpudb\n", "config:2: gpudb: empty"},
		{"options\n\tascii yes\n", "config:2: control character"},
		{"options\n  ascii yes\n    more\n", "config:3: indented too far"},
		{"  ascii yes\n", "config:1: field without a stanza"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct options o;
		struct err err;

		write_config(cases[i].text);
		assert_int_equal(parse_text(&o, (const char *const[]){NULL}, &err), EXIT_USAGE);
		if (!strstr(err.text, cases[i].message))
			fail_msg("'%s' does not say '%s'", err.text, cases[i].message);
		options_fini(&o);
	}
	write_config("");
}

TEST(configuration_that_was_asked_for_must_exist)
{
	struct options o;
	struct err err;

	assert_int_equal(parse_text(&o, (const char *const[]){"--config", "/nowhere/config", NULL}, &err),
			 EXIT_FAILED);
	assert_non_null(strstr(err.text, "/nowhere/config"));
	options_fini(&o);
}

TEST(printed_configuration_reads_back)
{
	AUTO_STRBUF struct strbuf once = {0};
	AUTO_STRBUF struct strbuf twice = {0};
	struct options o;
	struct err err;

	if (parse_text(&o,
		       (const char *const[]){"-i", "1.5ms", "--fps=59.94", "--gpudb", "/db", "-b", "proc",
					     "--print-config", NULL},
		       &err) != EXIT_DONE)
		fail_msg("%s", err.text);
	assert_true(o.print_config);
	options_print_config(&o, &once);
	options_fini(&o);
	assert_non_null(strstr(once.p, "options\n"));
	assert_non_null(strstr(once.p, "  interval     1500us\n"));
	assert_non_null(strstr(once.p, "  fps          59.94\n"));
	assert_non_null(strstr(once.p, "  gpudb        /db\n"));
	write_config(once.p);
	if (parse_text(&o, (const char *const[]){"--print-config", NULL}, &err) != EXIT_DONE)
		fail_msg("%s", err.text);
	options_print_config(&o, &twice);
	assert_string_equal(once.p, twice.p);
	options_fini(&o);
	write_config("");
}

/* Every option that may be in the file, with a value that is not its default. */
TEST(every_option_but_four_can_be_in_the_file)
{
	static const char text[] =
		"options\n  backend proc\n  demo idle\n  gpu g52\n  device /dev/mali0\n  interval 20ms\n"
		"  refresh 1s\n  view memory\n  user root\n  once 80x24\n  frames 3\n  log x.csv\n"
		"  metrics Mali*\n  format jsonl\n  duration 5s\n  repeat 3\n  warmup 1\n"
		"  delay 1s\n  long yes\n  per-core yes\n  units yes\n  passes yes\n  profiling yes\n  fps "
		"30\n"
		"  resolution 640x480\n  definitions guide\n  seed 7\n  pid 5\n  tid 6\n  cpu 0-3\n"
		"  event cycles,{r10,r11}\n  group x\n  force yes\n  keep-going yes\n  findings yes\n"
		"  fail-on critical\n  budget b\n  rotate 1MB,3\n  sync 1s\n  from 1s\n  to 9s\n  step 2s\n"
		"  speed 2\n  ascii yes\n  color never\n  theme mono\n  gpudb /db\n\nkeys\n  p space\n  "
		"\xc3\xa4 f1\n";
	AUTO_STRBUF struct strbuf once = {0}, twice = {0};
	struct options o;
	struct err err;

	write_config(text);
	if (parse_text(&o, (const char *const[]){"--print-config", NULL}, &err) != EXIT_DONE)
		fail_msg("%s", err.text);
	options_print_config(&o, &once);
	options_fini(&o);
	for (struct span rest = span_of(text), line; rest.n;) {
		struct span key, value;
		AUTOFREE char *wanted = NULL;

		line = span_until(&rest, '\n');
		value = line;
		key = span_word(&value);
		if (line.n && line.p[0] == ' ' && !span_is(key, "rotate")) /* which is in bytes */
			wanted = xasprintf("\n  %-12.*s %.*s\n", SPAN_ARG(key), SPAN_ARG(span_trim(value)));
		if (wanted && line.p[2] != '\xc3' && !strstr(once.p, wanted))
			fail_msg("no %s in %s", wanted, once.p);
	}
	write_config(once.p);
	assert_int_equal(parse_text(&o, (const char *const[]){"--print-config", NULL}, &err), EXIT_DONE);
	options_print_config(&o, &twice);
	assert_string_equal(once.p, twice.p);
	assert_int_equal(options_key(&o, 'p'), ' ');
	assert_int_equal(options_key(&o, 'q'), 'q');
	options_fini(&o);
	write_config("");
}

/* What the file says for other commands changes nothing. */
TEST(options_of_other_commands_are_ignored)
{
	struct options o;
	struct err err;

	write_config("options\n  speed 2\n  repeat 3\n  format csv\n  fail-on warning\n  findings yes\n");
	assert_int_equal(parse_text(&o, (const char *const[]){NULL}, &err), EXIT_DONE);
	assert_false(o.findings);
	options_fini(&o);
	assert_int_equal(parse_text(&o, (const char *const[]){"doctor", NULL}, &err), EXIT_DONE);
	assert_int_equal(o.format, FORMAT_TABLE);
	options_fini(&o);
	assert_int_equal(parse_text(&o, (const char *const[]){"stat", NULL}, &err), EXIT_DONE);
	assert_true(o.findings);
	assert_int_equal(o.format, FORMAT_CSV);
	options_fini(&o);
	write_config("");
}

TEST(one_option_is_changed_and_all_other_lines_stay)
{
	static const struct {
		const char *before, *after;
	} cases[] = {
		{"", "options\n  theme        mono\n"},
		{"# mine\n", "# mine\n\noptions\n  theme        mono\n"},
		{"options\n  fps 30\n", "options\n  theme        mono\n  fps 30\n"},
		{"options\n  theme light\n  fps 30\n", "options\n  theme        mono\n  fps 30\n"},
		{"options\n  # theme x\n\n  fps 30", "options\n  # theme x\n  theme        mono\n\n  fps 30"},
		{"view v\n  theme 3\n# c\noptions\n  theme light",
		 "view v\n  theme 3\n# c\noptions\n  theme        mono\n"},
		{"options\n  fps 30\nunknown\n  theme 5\n",
		 "options\n  theme        mono\n  fps 30\nunknown\n  theme 5\n"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf out = {0};

		options_edit(span_of(cases[i].before), "theme", "mono", &out);
		assert_string_equal(out.p, cases[i].after);
	}
}

TEST(a_metric_is_added_to_the_own_charts_once_and_the_rest_stays)
{
	static const struct {
		const char *before, *after; /* NULL: it is there already */
	} cases[] = {
		{"chart my-metrics\n  widget rows\n",
		 "chart my-metrics\n  widget rows\n  series       Two\n"},
		{"chart my-metrics\n  series One", "chart my-metrics\n  series One\n  series       Two\n"},
		{"chart my-metrics\n  series One\n  # Two\n\n# end\nchart other\n  series Two\n",
		 "chart my-metrics\n  series One\n  series       Two\n  # Two\n\n# end\nchart other\n  "
		 "series "
		 "Two\n"},
		{"chart other\n  series Two",
		 "chart other\n  series Two\n\nview my\n  title        My charts\n\nchart my-metrics\n"
		 "  title        Metrics\n  widget       rows\n  series       Two\n"},
		{"chart my-metrics\n  series  Two | label\n", NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf out = {0};
		bool added = options_own_edit(span_of(cases[i].before), "Two", &out);

		assert_int_equal(added, cases[i].after != NULL);
		if (added)
			assert_string_equal(out.p, cases[i].after);
	}
}

TEST(own_charts_without_a_home_are_an_error)
{
	const struct options options = {.own_view = NULL};
	struct err err;
	bool added;

	assert_false(options_own_add(&options, "Two", &added, &err));
	assert_string_equal(err.text, "own charts: no place for them: set HOME");
}

/* The configuration may have scenarios, too. */
TEST(a_scenario_of_the_users_own_can_be_named)
{
	struct options options = {0};
	struct err err;

	write_config("scenario mine\n  pass p: compute 1 blur\n  phase a: seconds 1\n");
	if (parse_text(&options, (const char *const[]){"--demo=mine", NULL}, &err) != EXIT_DONE)
		fail_msg("%s", err.text);
	options_fini(&options);
	assert_int_equal(parse_text(&options, (const char *const[]){"--demo=yours", NULL}, &err), EXIT_USAGE);
	assert_non_null(strstr(err.text, "sleeping-limiter, mine"));
	options_fini(&options);
	write_config("");
}

TEST(help_of_a_command_shows_its_options_only)
{
	static const char *const words[COMMAND_COUNT][3] = {
		[COMMAND_LIVE] = {"--help"},
		[COMMAND_REPLAY] = {"replay", "--help"},
		[COMMAND_RECORD] = {"record", "--help"},
		[COMMAND_STAT] = {"stat", "--help"},
		[COMMAND_EXPORT] = {"export", "--help"},
		[COMMAND_REPORT] = {"report", "--help"},
		[COMMAND_EVAL] = {"eval", "--help"},
		[COMMAND_LIST] = {"list", "--help"},
		[COMMAND_DOCTOR] = {"doctor", "--help"},
		[COMMAND_EXPLAIN] = {"explain", "--help"},
		[COMMAND_SERVE] = {"serve", "--help"},
		[COMMAND_PASSES] = {"passes", "--help"},
		[COMMAND_COMPLETE] = {"complete", "--help"},
		[COMMAND_ON] = {"on", "--help"},
	};

	for (unsigned c = 0; c < COMMAND_COUNT; c++) {
		AUTO_STRBUF struct strbuf out = {0};
		struct options o;
		struct err err;

		assert_int_equal(parse_text(&o, words[c], &err), EXIT_DONE);
		assert_true(o.help);
		options_help(&o, &out);
		assert_null(strstr(out.p, ": ,")); /* a list begins with a name */
		for (const struct option_row *row = option_rows; row->name; row++) {
			char name[32];

			snprintf(name, sizeof(name), "--%s%s", row->name,
				 row->arg && row->without ? "["
				 : row->arg               ? " "
							  : "");
			if (row->commands & 1u << c && !strstr(out.p, name))
				fail_msg("help of command %u lacks %s", c, name);
			snprintf(name, sizeof(name), " --%s ", row->name);
			if (!(row->commands & 1u << c) && strstr(out.p, name))
				fail_msg("help of command %u has %s", c, name);
		}
		for (char *line = strtok(out.p, "\n"); line; line = strtok(NULL, "\n"))
			if (!strstr(line, "malitop ")) /* usage lines are as long as they are */
				assert_in_range(strlen(line), 0, 80);
		options_fini(&o);
	}
}

TEST(help_of_a_command_speaks_of_no_other)
{
	for (unsigned c = COMMAND_LIVE + 1; c < COMMAND_COUNT; c++) {
		AUTO_STRBUF struct strbuf out = {0};
		struct options o;
		struct err err;
		char *options;

		assert_int_equal(
			parse_text(&o, (const char *const[]){"help", command_rows[c].name, NULL}, &err),
			EXIT_DONE);
		assert_true(o.help);
		assert_int_equal(o.command, c);
		options_help(&o, &out);
		options = strstr(out.p, "\nOptions:\n");
		assert_non_null(options);
		for (unsigned other = COMMAND_LIVE + 1; other < COMMAND_COUNT; other++) {
			AUTOFREE char *word = xasprintf(" %s ", command_rows[other].name);

			/* a table of eval's, a list, render passes, or "report the verdict" */
			if (other != COMMAND_EVAL && other != COMMAND_LIST && other != COMMAND_PASSES &&
			    other != COMMAND_REPORT && strstr(options, word))
				fail_msg("help of %s speaks of%s", command_rows[c].name, word);
		}
		options_fini(&o);
	}
}

static void join_lines(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++)
		if (!strchr(" \n", *from))
			*to++ = *from;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	*to = 0;
}

TEST(help_names_scenarios_guides_and_themes_from_their_own_tables)
{
	AUTO_STRBUF struct strbuf out = {0}, names = {0};
	struct options o;
	struct err err;

	assert_int_equal(parse_text(&o, (const char *const[]){"--help", NULL}, &err), EXIT_DONE);
	options_help(&o, &out);
	join_lines(out.p);
	for (const struct option_row *row = option_rows; row->name; row++)
		if (row->names) {
			strbuf_clear(&names);
			row->names(&names);
			assert_non_null(strstr(out.p, names.n ? names.p : ""));
		}
	assert_non_null(
		strstr(out.p, "guide, for these GPUs: Mali-G52, Mali-G715, Mali-G625 (default: current)"));
	assert_non_null(strstr(out.p, "screen: default, light, "));
	options_fini(&o);
}

TEST(help_names_the_backends_of_this_build)
{
	AUTO_STRBUF struct strbuf out = {0};
	struct options o;
	struct err err;

	assert_int_equal(parse_text(&o, (const char *const[]){"help", NULL}, &err), EXIT_DONE);
	options_help(&o, &out);
	for (unsigned i = 0; registry[i]; i++)
		if (!registry[i]->part_of)
			assert_non_null(strstr(strstr(out.p, "to measure: "), registry[i]->name));
	options_fini(&o);
}

TEST(a_gpu_that_is_unknown_names_those_that_are_like_it)
{
	static const struct {
		const char *name, *message;
	} cases[] = {
		{"g1", "--gpu: unknown 'g1': is it Mali G1-Pro or Mali G1-Premium or Mali G1-Ultra? see "
		       "malitop list gpus"},
		{"715", "--gpu: unknown '715': is it Mali-G715? see malitop list gpus"},
		{"banana", "--gpu: unknown 'banana': see malitop list gpus"},
		{"-", "--gpu: unknown '-': see malitop list gpus"},
	};
	struct gpudb *db;
	struct err err;

	db = gpudb_load(NULL, 0, &err);
	assert_non_null(db);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct options o = {.gpu = cases[i].name};
		const struct gpu_product *product;

		assert_false(options_gpu(&o, db, &product, &err));
		assert_int_equal(err.code, ERR_USAGE);
		assert_string_equal(err.text, cases[i].message);
	}
	gpudb_free(db);
}

TEST(every_option_of_this_version_is_complete)
{
	for (const struct option_row *row = option_rows; row->name; row++) {
		for (const struct option_row *other = option_rows; other != row; other++) {
			assert_string_not_equal(row->name, other->name);
			assert_true(!row->letter || row->letter != other->letter);
		}
		if (row->commands)
			assert_true(row->help && row->kind && row->kind->parse);
	}
}

FIXTURE(make_config_dir)
{
	AUTOFREE char *sub = NULL;

	snprintf(config_dir, sizeof(config_dir), "/tmp/malitop-options.XXXXXX");
	if (!mkdtemp(config_dir))
		return -1;
	sub = xasprintf("mkdir %s/malitop", config_dir);
	return setenv("XDG_CONFIG_HOME", config_dir, 1) || system(sub);
}

FIXTURE(remove_config_dir)
{
	AUTOFREE char *command = xasprintf("rm -r %s", config_dir);

	return system(command);
}

TEST_GROUP(make_config_dir, remove_config_dir)
