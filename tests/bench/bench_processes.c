/* bench_processes [PROCESSES [TIMES [THREADS]]]: what reading the processes of the machine costs,
 * beside other programs that show them: CPU time of the whole program by its own /proc/PID/stat,
 * per process and refresh. PROCESSES sleeping children with THREADS threads each stand for a busy
 * machine. They refresh once a second, of more than 5000 processes less often, as the others would
 * fall behind; TIMES is how often. */
#include "backends/process/process_scan.h"
#include "backends/process_file.h"
#include "base/alloc.h"

#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WARM_MS 3000
#define ARRANGED 20000

static struct sys sys;

static int64_t now_ns(void)
{
	return sys.monotonic_ns(&sys);
}

/* ---- the machine ---- */

static void *doze_thread(void *unused)
{
	(void)unused;
	for (;;)
		pause();
	return NULL;
}

static void be_child(unsigned threads)
{
	pthread_attr_t attr;
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	while (threads-- > 1)
		pthread_create(&thread, &attr, doze_thread, NULL);
	doze_thread(NULL);
}

static pid_t *start_children(unsigned *n, unsigned threads)
{
	pid_t *children = xcalloc(*n + 1, sizeof(*children));

	for (unsigned i = 0; i < *n; i++) {
		children[i] = fork();
		if (children[i] == 0)
			be_child(threads);
		if (children[i] < 0)
			*n = i; /* as many as the limits allow */
	}
	return children;
}

static void end_children(pid_t *children, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		kill(children[i], SIGKILL);
	for (unsigned i = 0; i < n; i++)
		waitpid(children[i], NULL, 0);
	free(children);
}

/* ---- programs ---- */

static double cpu_us(pid_t pid)
{
	struct process_stat stat;
	char path[32], text[1024];
	ssize_t n;

	snprintf(path, sizeof(path), "proc/%d/stat", (int)pid);
	n = sys_read_file(&sys, path, text, sizeof(text));
	if (n <= 0 || !process_stat_parse(&stat, (struct span){text, (size_t)n}))
		return NAN;
	return (double)stat.ticks * 1e6 / (double)sysconf(_SC_CLK_TCK);
}

/* Take what it writes for so long. */
static void follow_output(int master, int64_t ms)
{
	int64_t end = now_ns() + ms * 1000000, left;
	char buf[1 << 16];

	while ((left = end - now_ns()) > 0) {
		struct pollfd fd = {.fd = master, .events = POLLIN};

		if (sys.poll(&sys, &fd, 1, (int)(left / 1000000) + 1) > 0 &&
		    read(master, buf, sizeof(buf)) <= 0)
			usleep(10000);
	}
}

/* The scan alone, as the scanner's thread does it. */
static void scan_forever(const struct process_query *query, unsigned interval_s)
{
	struct process_scan *scan = process_scan_new(&sys);

	for (int64_t due = now_ns();; due += interval_s * 1000000000ll) {
		while (now_ns() < due)
			usleep((useconds_t)((due - now_ns()) / 1000 + 1));
		process_list_free(process_scan_read(scan, query, now_ns()));
	}
}

struct program {
	const char *name;
	const char *const *argv; /* NULL: the scan */
	struct process_query query;
};

/* us per process and refresh; NaN if it did not run. */
static double measure_cost(const struct program *p, unsigned n, unsigned interval_s, unsigned times)
{
	struct winsize size = {.ws_row = 48, .ws_col = 160};
	double before, after;
	int master;
	pid_t pid = forkpty(&master, NULL, NULL, &size);

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!p->argv)
			scan_forever(&p->query, interval_s);
		setenv("TERM", "xterm-256color", 1);
		setenv("LANG", "C.UTF-8", 1);
		execvp(p->argv[0], (char *const *)(uintptr_t)p->argv); /* exec changes nothing */
		_exit(127);
	}
	follow_output(master, WARM_MS * interval_s);
	before = cpu_us(pid);
	follow_output(master, times * interval_s * 1000);
	after = cpu_us(pid);
	if (waitpid(pid, NULL, WNOHANG) == 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	} else {
		after = NAN; /* it has ended */
	}
	close(master);
	return (after - before) / n / times;
}

/* btop has its interval from a file. */
static void configure_btop(char dir[64], unsigned interval_s)
{
	char path[128];
	FILE *file;

	strcpy(dir, "/tmp/malitop-bench-XXXXXX");
	if (!mkdtemp(dir))
		return;
	setenv("XDG_CONFIG_HOME", dir, 1);
	snprintf(path, sizeof(path), "%s/btop", dir);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/btop/btop.conf", dir);
	file = fopen(path, "we");
	if (!file)
		return;
	fprintf(file, "update_ms = %u000\n", interval_s);
	fclose(file);
}

static void bench_programs(unsigned n, unsigned times)
{
	unsigned interval_s = 1 + n / 5000;
	char *tenths = xasprintf("%u0", interval_s), *refresh = xasprintf("-r%us", interval_s);
	const char *own = getenv("MALITOP");
	char *top = xasprintf("exec top -b -d %u >/dev/null", interval_s);
	const struct program programs[] = {
		{"process_scan", NULL, {0}},
		{"  and 8 with threads", NULL, {.threads_of = 8}},
		{"  and all threads", NULL, {.threads_of = PROCESS_QUERY_ALL}},
		{"malitop, Processes",
		 (const char *[]){own ? own : "./malitop", "-bproc", "--view=processes", refresh, NULL},
		 {0}},
		{"top -b", (const char *[]){"sh", "-c", top, NULL}, {0}},
		{"htop", (const char *[]){"htop", "-d", tenths, NULL}, {0}},
		{"btop", (const char *[]){"btop", "--utf-force", NULL}, {0}},
	};
	char dir[64], *remove;
	double ours = NAN;

	configure_btop(dir, interval_s);
	printf("every %u s %14s %14s %10s\n", interval_s, "", "us per process", "ratio");
	for (size_t i = 0; i < ARRAY_LEN(programs); i++) {
		double us = measure_cost(&programs[i], n, interval_s, times);

		ours = i ? ours : us;
		if (isnan(us))
			printf("%-24s did not run\n", programs[i].name);
		else
			printf("%-24s %14.1f %10.2f\n", programs[i].name, us, us / ours);
		fflush(stdout);
	}
	printf("%-24s %14s\n", "aim", "20");
	remove = xasprintf("rm -r %s", dir);
	if (system(remove) != 0)
		fprintf(stderr, "%s: stays\n", dir);
	free(remove);
	free(refresh);
	free(tenths);
	free(top);
}

/* ---- order ---- */

static double arrange_ms(const struct process_list *list, const struct process_order *order,
			 struct process_row *rows)
{
	int64_t best = INT64_MAX;

	for (int i = 0; i < 8; i++) {
		int64_t began = now_ns();

		process_arrange(list, order, rows);
		best = now_ns() - began < best ? now_ns() - began : best;
	}
	return (double)best * 1e-6;
}

/* Nothing is in order, and hardly any two are the same. */
static void bench_arrange(void)
{
	static const struct {
		const char *name;
		struct process_order order;
	} cases[] = {
		{"by CPU", {.key = PROCESS_BY_CPU}},
		{"by name", {.key = PROCESS_BY_NAME}},
		{"tree, by CPU", {.key = PROCESS_BY_CPU, .tree = true}},
		{"filter of names", {.filter = "ss-12"}},
	};
	struct process_list list = {.processes = xcalloc(ARRANGED, sizeof(*list.processes)), .n = ARRANGED};
	struct process_row *rows = xcalloc(ARRANGED, sizeof(*rows));
	unsigned seed = 1;

	for (int i = 0; i < ARRANGED; i++) {
		struct process *p = &list.processes[i];

		p->pid = i + 1;
		p->parent = i ? rand_r(&seed) % i + 1 : 0;
		p->cpu_percent = (float)rand_r(&seed);
		snprintf(p->name, sizeof(p->name), "process-%d", rand_r(&seed) % 100000);
		strcpy(p->user, "user");
	}
	printf("\narranging %d processes, ms (aim 2):", ARRANGED);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		printf("%s %s %.2f", i ? "," : "", cases[i].name, arrange_ms(&list, &cases[i].order, rows));
	printf("\n");
	free(list.processes);
	free(rows);
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 2000;
	unsigned times = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 10;
	unsigned threads = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 1;
	struct process_query query = {0};
	struct process_scan *scan;
	struct process_list *list;
	pid_t *children;
	struct err err;

	if (!n || !times || !threads || !sys_init(&sys, NULL, &err)) {
		fprintf(stderr, "usage: bench_processes [PROCESSES [TIMES [THREADS]]]\n");
		return 2;
	}
	children = start_children(&n, threads);
	scan = process_scan_new(&sys);
	list = process_scan_read(scan, &query, now_ns());
	printf("%u processes, %u of them asleep with %u threads each; the first list took %.1f ms of CPU\n",
	       list->n, n, threads, (double)list->cost_ns * 1e-6);
	fflush(stdout);
	bench_programs(list->n, times);
	bench_arrange();
	process_list_free(list);
	process_scan_free(scan);
	end_children(children, n);
	sys_fini(&sys);
	return 0;
}
