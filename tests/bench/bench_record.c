/* What recording costs: the real program ($MALITOP, else ./malitop) writing .mlog over the
 * simulator, and over this machine beside the monitors that log it, as far as they are installed.
 * Prints figures; judges nothing. Usage: bench_record [SECONDS]
 *
 * CPU time is that of the process and its children, user and kernel. Every program runs twice, for
 * 1 s and for 1 s more than SECONDS, and the difference is what is told: starting is in neither
 * number. The simulator's own work is in the figures of a simulated GPU: the row of one value,
 * thrown away, tells how much that is (with taking the samples and one formula), and the row below
 * it what is left for the log; where that is below 0, it is less than what one run differs from the
 * next. bench_log has it alone. */
#include "base/alloc.h"
#include "base/file.h"
#include "mlog/mlog_reader.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUTPUT_MAX ((size_t)1 << 30)
#define WORDS_MAX 24
#define EVENTS                                                                                            \
	"cpu-clock,context-switches,page-faults,cpu-migrations,task-clock,minor-faults,major-faults,cpu-" \
	"clock,page-faults,"                                                                              \
	"context-switches"
#define N_EVENTS 10

/* NaN is unknown. */
struct record_cost {
	double samples, values, bytes, cpu_s, lost, peak_mib;
};

struct bench_record {
	const char *malitop, *file;
	double seconds;
};

/* ---- what was written ---- */

static ssize_t read_file(void *ctx, void *buf, size_t n, uint64_t at)
{
	return pread(*(int *)ctx, buf, n, (off_t)at);
}

static int64_t size_of_file(void *ctx)
{
	struct stat st;

	return fstat(*(int *)ctx, &st) == 0 ? st.st_size : -1;
}

static bool count_mlog(const char *path, struct record_cost *cost)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct mlog_input input = {&fd, read_file, size_of_file};
	struct err err = {0};
	struct mlog_reader *r = mlog_reader_new(&input, path, &err);
	const struct mlog_block *block;

	cost->samples = cost->lost = 0;
	while (r && (block = mlog_reader_next(r, &err)))
		for (unsigned i = 0; i < block->n_samples; i++) {
			cost->samples++;
			cost->values += block->samples[i]->n_values;
			cost->lost += block->samples[i]->lost;
		}
	mlog_reader_free(r);
	close(fd);
	return cost->samples > 0;
}

/* A line is a value. */
static bool count_perf(const char *path, struct record_cost *cost)
{
	struct err err;
	size_t n;
	char *text;

	if (!file_read(path, OUTPUT_MAX, &text, &n, &err))
		return false;
	for (size_t i = 0; i < n; i++)
		cost->values += text[i] == '\n';
	cost->samples = cost->values / N_EVENTS;
	free(text);
	return cost->samples > 0;
}

/* sadf prints a line per value. */
static bool count_sadc(const char *path, struct record_cost *cost)
{
	AUTOFREE char *command = xasprintf("sadf -p %s -- -A 2>/dev/null", path);
	FILE *in = popen(command, "re");

	if (!in)
		return false;
	for (int c = getc(in); c != EOF; c = getc(in))
		cost->values += c == '\n';
	return pclose(in) == 0 && cost->values > 0;
}

/* ---- running ---- */

/* A word of `argv` may be one of MALITOP, FILE, SECONDS, SECONDS+1 and DURATION, for which stands
 * what they are. */
struct monitor {
	const char *name;
	double period_s;
	/* Counts values, and samples where the clock is not enough. NULL: nothing is known of
	 * values. */
	bool (*count)(const char *path, struct record_cost *cost);
	const char *argv[WORDS_MAX];
};

static void start_child(const struct bench_record *b, const struct monitor *m, double seconds)
{
	const char *argv[WORDS_MAX] = {NULL};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	const struct {
		const char *word, *text;
	} words[] = {{"MALITOP", b->malitop},
		     {"FILE", b->file},
		     {"SECONDS", xasprintf("%.0f", seconds)},
		     {"SECONDS+1", xasprintf("%.0f", seconds + 1)},
		     {"DURATION", xasprintf("%.0fs", seconds)}};

	for (unsigned i = 0; i + 1 < WORDS_MAX && m->argv[i]; i++) {
		argv[i] = m->argv[i];
		for (size_t w = 0; w < ARRAY_LEN(words); w++)
			if (!strcmp(argv[i], words[w].word))
				argv[i] = words[w].text;
	}
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	execvp(argv[0], (char *const *)(uintptr_t)argv); /* exec changes nothing */
	_exit(127);
}

static double seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

/* The process and all that it left behind, which is ours then. Its status. */
static int wait_for_all(pid_t pid, struct record_cost *cost)
{
	int status = -1, of_any;
	struct rusage used;
	pid_t got;

	while ((got = wait4(-1, &of_any, 0, &used)) > 0) {
		cost->cpu_s += seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
		cost->peak_mib = fmax(cost->peak_mib, (double)used.ru_maxrss / 1024);
		if (got == pid)
			status = WIFEXITED(of_any) ? WEXITSTATUS(of_any) : -1;
	}
	return status;
}

/* NULL, or why there are no figures. */
static const char *run_program(const struct bench_record *b, const struct monitor *m, double seconds,
			       struct record_cost *cost)
{
	struct stat st;
	int status;
	pid_t pid;

	unlink(b->file);
	pid = fork();
	if (pid == 0)
		start_child(b, m, seconds);
	*cost = (struct record_cost){
		.samples = seconds / m->period_s, .values = m->count ? 0 : NAN, .bytes = NAN, .lost = NAN};
	status = wait_for_all(pid, cost);
	if (status != 0)
		return status == 127 ? "is not installed" : "failed";
	if (m->count && !m->count(b->file, cost))
		return "wrote nothing that can be read";
	if (stat(b->file, &st) == 0)
		cost->bytes = (double)st.st_size;
	return NULL;
}

/* ---- telling ---- */

static void tell_value(double value, int width, int digits)
{
	if (isfinite(value))
		printf(" %*.*f", width, digits, value);
	else
		printf(" %*s", width, "-");
}

static void tell_row(const char *name, const struct record_cost *c, double seconds)
{
	printf("%-44s", name);
	tell_value(c->samples / seconds, 9, 1);
	tell_value(c->values / c->samples, 8, 0);
	tell_value(c->cpu_s / c->samples * 1e3, 14, 4);
	tell_value(c->cpu_s / c->values * 1e6, 13, 4);
	tell_value(c->bytes / c->samples, 13, 1);
	tell_value(c->bytes / c->values, 12, 2);
	tell_value(c->lost, 6, 0);
	tell_value(c->peak_mib, 8, 1);
	printf("\n");
}

/* What the longer run has more than the shorter one. false: there are no figures. */
static bool bench_monitor(const struct bench_record *b, const struct monitor *m, struct record_cost *cost)
{
	struct record_cost shorter;
	const char *why = run_program(b, m, 1, &shorter);

	if (!why)
		why = run_program(b, m, 1 + b->seconds, cost);
	if (why) {
		printf("%-44s %s\n", m->name, why);
		return false;
	}
	cost->samples -= shorter.samples;
	cost->cpu_s -= shorter.cpu_s;
	cost->values -= shorter.values;
	cost->bytes -= shorter.bytes;
	tell_row(m->name, cost, b->seconds);
	return true;
}

/* ---- what is compared ---- */

static const struct simulated {
	const char *name, *gpu, *interval, *cores;
	double period_s;
} simulated[] = {
	{"Mali-G715, 7 cores, 100 ms", "G715", "100ms", NULL, 0.1},
	{"Mali-G715, 7 cores, 10 ms", "G715", "10ms", NULL, 0.01},
	{"Mali-G715, 7 cores, 1 ms", "G715", "1ms", NULL, 0.001},
	{"Mali-G78, 20 cores, per core, 100 ms", "G78", "100ms", "--per-core", 0.1},
	{"Mali-G78, 20 cores, per core, 10 ms", "G78", "10ms", "--per-core", 0.01},
	{"Mali-G78, 20 cores, per core, 1 ms", "G78", "1ms", "--per-core", 0.001},
};

static void bench_simulated(const struct bench_record *b, const struct simulated *s)
{
	struct monitor log = {s->name,
			      s->period_s,
			      count_mlog,
			      {"MALITOP", "record", "-b", "sim", "--gpu", s->gpu, "-i", s->interval, "-d",
			       "DURATION", "-o", "FILE", s->cores}};
	struct monitor nothing = {"  one value as csv, thrown away",
				  s->period_s,
				  NULL,
				  {"MALITOP", "record", "-b", "sim", "--gpu", s->gpu, "-i", s->interval, "-d",
				   "DURATION", "-m", "MaliGPUActiveCy", "-f", "csv", "--force", "-o",
				   "/dev/null", s->cores}};
	struct record_cost all, rest;

	if (!bench_monitor(b, &log, &all) || !bench_monitor(b, &nothing, &rest))
		return;
	all.cpu_s -= rest.cpu_s;
	all.peak_mib = NAN;
	tell_row("  the log by itself", &all, b->seconds);
}

static const struct monitor monitors[] = {
	{"malitop record -b proc -i 1s",
	 1,
	 count_mlog,
	 {"MALITOP", "record", "-b", "proc", "-i", "1s", "-d", "DURATION", "-o", "FILE"}},
	{"atop -w FILE 1", 1, NULL, {"atop", "-w", "FILE", "1", "SECONDS"}},
	{"sadc 1", 1, count_sadc, {"/usr/lib/sysstat/sadc", "1", "SECONDS+1", "FILE"}},
	{"sar -o FILE 1", 1, count_sadc, {"sar", "-o", "FILE", "1", "SECONDS"}},
	{"malitop record -b perf -i 10ms",
	 0.01,
	 count_mlog,
	 {"MALITOP", "record", "-b", "perf", "-i", "10ms", "-d", "DURATION", "-o", "FILE"}},
	{"perf stat -I 10 -a -x, (10 events)",
	 0.01,
	 count_perf,
	 {"perf", "stat", "-a", "-x,", "-I", "10", "-e", EVENTS, "-o", "FILE", "sleep", "SECONDS"}},
};

int main(int argc, char **argv)
{
	struct bench_record b = {.malitop = getenv("MALITOP") ? getenv("MALITOP") : "./malitop",
				 .seconds = argc > 1 ? strtod(argv[1], NULL) : 10};
	char directory[] = "/tmp/malitop-bench-XXXXXX";
	AUTOFREE char *file = NULL;
	struct record_cost cost;

	if (b.seconds < 1 || prctl(PR_SET_CHILD_SUBREAPER, 1) || !mkdtemp(directory)) {
		fprintf(stderr, "usage: bench_record [SECONDS]\n");
		return 2;
	}
	b.file = file = xasprintf("%s/run.mlog", directory);
	printf("%-44s %9s %8s %14s %13s %13s %12s %6s %8s\n", "", "samples/s", "values", "ms CPU/sample",
	       "us CPU/value", "bytes/sample", "bytes/value", "lost", "MiB peak");
	for (size_t i = 0; i < ARRAY_LEN(simulated); i++)
		bench_simulated(&b, &simulated[i]);
	for (size_t i = 0; i < ARRAY_LEN(monitors); i++)
		bench_monitor(&b, &monitors[i], &cost);
	unlink(file);
	rmdir(directory);
	return 0;
}
