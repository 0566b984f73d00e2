/* What `malitop stat` costs: the real program ($MALITOP, else ./malitop) over the simulator, 100
 * samples a second of 100 values as CSV into a file, and perf stat beside it where it is installed.
 * Prints figures; judges nothing. Usage: bench_stat [SECONDS]
 *
 * The simulator's own work is in the figures: a line of one value tells how much that is. */
#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define VALUES 100
#define INTERVAL "10ms"
#define OUTPUT_MAX ((size_t)1 << 30)

struct stat_cost {
	double samples, bytes, cpu_s;
};

/* Run it with standard output into a file, read that. NULL if it failed. */
static char *run_program(const char *const *argv, const char *path, double *cpu_s, size_t *n)
{
	struct rusage used;
	struct err err;
	char *text;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
		int out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

		if (out >= 0 && dup2(out, STDOUT_FILENO) >= 0 && dup2(null, STDERR_FILENO) >= 0)
			execvp(argv[0], (char *const *)(uintptr_t)argv); /* exec changes nothing */
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &used) != pid || !WIFEXITED(status) ||
	    WEXITSTATUS(status) != 0 || !file_read(path, OUTPUT_MAX, &text, n, &err))
		return NULL;
	*cpu_s = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
		 (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
	return text;
}

static unsigned count_lines(const char *text, size_t n)
{
	unsigned lines = 0;

	for (size_t i = 0; i < n; i++)
		lines += text[i] == '\n';
	return lines;
}

/* The names of the first n metrics, with commas between. */
static char *names(const char *program, const char *path, unsigned n)
{
	const char *const argv[] = {program, "stat", "-b",  "sim", "-i", "10ms", "-d",
				    "50ms",  "-f",   "csv", "-m",  "*",  NULL};
	struct strbuf list = {0};
	double cpu_s;
	size_t size;
	AUTOFREE char *text = run_program(argv, path, &cpu_s, &size);
	struct span rest, line;

	if (!text)
		return NULL;
	rest = (struct span){text, size};
	line = span_trim(span_until(&rest, '\r'));
	for (unsigned i = 0; line.n && i < 3 + n; i++) {
		struct span name = span_until(&line, ',');

		if (i >= 3)
			strbuf_printf(&list, "%s%.*s", list.n ? "," : "", SPAN_ARG(name));
	}
	return list.p;
}

static bool cost_of_stat(const char *program, const char *path, const char *metrics, double seconds,
			 struct stat_cost *cost)
{
	AUTOFREE char *duration = xasprintf("%.0fs", seconds);
	const char *const argv[] = {program,  "stat", "-b",  "sim", "-i",    INTERVAL, "-d",
				    duration, "-f",   "csv", "-m",  metrics, NULL};
	size_t size;
	AUTOFREE char *text = run_program(argv, path, &cost->cpu_s, &size);

	if (!text)
		return false;
	cost->samples = count_lines(text, size) - 1;
	cost->bytes = (double)size;
	return true;
}

/* Its software events are there on any machine; a line is a value. */
static bool cost_of_perf(const char *path, double seconds, unsigned n_events, struct stat_cost *cost)
{
	static const char *const events[] = {"cpu-clock",      "context-switches", "page-faults",
					     "cpu-migrations", "task-clock",       "minor-faults",
					     "major-faults"};
	AUTOFREE char *duration = xasprintf("%.0f", seconds);
	AUTO_STRBUF struct strbuf list = {0};
	const char *argv[] = {"perf", "stat", "-a", "-x,",   "-I",     "10", "--log-fd",
			      "1",    "-e",   NULL, "sleep", duration, NULL};
	size_t size;
	char *text;

	for (unsigned i = 0; i < n_events; i++)
		strbuf_printf(&list, "%s%s", i ? "," : "", events[i % ARRAY_LEN(events)]);
	argv[9] = list.p;
	text = run_program(argv, path, &cost->cpu_s, &size);
	if (text) {
		cost->samples = (double)count_lines(text, size) / n_events;
		cost->bytes = (double)size;
	}
	free(text);
	return text != NULL;
}

static void print_row(const char *name, unsigned values, const struct stat_cost *c, double seconds)
{
	printf("%-24s %8u %12.1f %14.3f %14.0f %12.1f\n", name, values, c->samples / seconds,
	       c->cpu_s / c->samples * 1e3, c->bytes / c->samples, c->bytes / c->samples / values);
}

int main(int argc, char **argv)
{
	const char *program = getenv("MALITOP") ? getenv("MALITOP") : "./malitop";
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 10;
	char path[] = "/tmp/malitop-bench-XXXXXX";
	struct stat_cost all = {0}, one = {0}, perf = {0};
	AUTOFREE char *metrics = NULL;
	int fd = seconds > 0 ? mkstemp(path) : -1;

	if (fd < 0) {
		fprintf(stderr, "usage: bench_stat [SECONDS]\n");
		return 2;
	}
	close(fd);
	metrics = names(program, path, VALUES);
	printf("%-24s %8s %12s %14s %14s %12s\n", "every 10 ms", "values", "samples/s", "ms CPU/sample",
	       "bytes/sample", "bytes/value");
	if (metrics && cost_of_stat(program, path, metrics, seconds, &all) &&
	    cost_of_stat(program, path, "MaliGPUActiveCy", seconds, &one)) {
		print_row("malitop stat", VALUES, &all, seconds);
		print_row("malitop stat", 1, &one, seconds);
	}
	if (cost_of_perf(path, seconds, VALUES, &perf)) {
		print_row("perf stat -I 10 -a -x,", VALUES, &perf, seconds);
		if (all.samples > 0)
			printf("malitop to perf: samples %.2f, CPU per sample %.2f, bytes per sample %.2f\n",
			       all.samples / perf.samples,
			       all.cpu_s / all.samples / (perf.cpu_s / perf.samples),
			       all.bytes / all.samples / (perf.bytes / perf.samples));
	}
	unlink(path);
	return 0;
}
