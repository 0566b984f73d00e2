/* What the live screen costs: the real program ($MALITOP, else ./malitop) in a pseudo-terminal of 160x48 that libvterm follows, and
 * other monitors beside it where they are installed. Prints figures; judges nothing. Usage: bench_live [SECONDS]
 *
 * A frame is output without a pause of 20 ms. The kernel hands over one write of less than 4096 bytes in one read, and the reader
 * here is always waiting, so reads are counted as writes. */
#include "base/alloc.h"
#include "base/sys.h"

#include <dirent.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vterm.h>

#define COLS 160
#define ROWS 48
#define WARM_MS 3000
#define FRAME_PAUSE_MS 20
#define KEYS 60

static struct sys sys;

struct run {
	pid_t pid;
	int master;
	VTerm *vterm;
	VTermScreen *screen;
	VTermScreenCell before[ROWS][COLS];
	unsigned long long bytes, reads, frames, changed;
	double layout_ms;
};

static double now_ms(void)
{
	return (double)sys.monotonic_ns(&sys) * 1e-6;
}

static VTermScreenCell cell_at(const struct run *r, int row, int col)
{
	VTermScreenCell cell;

	vterm_screen_get_cell(r->screen, (VTermPos){row, col}, &cell);
	return cell;
}

static void count_changes(struct run *r)
{
	for (int y = 0; y < ROWS; y++)
		for (int x = 0; x < COLS; x++) {
			VTermScreenCell cell = cell_at(r, y, x);

			r->changed +=
				cell.chars[0] != r->before[y][x].chars[0] || !vterm_color_is_equal(&cell.fg, &r->before[y][x].fg);
			r->before[y][x] = cell;
		}
}

static bool has_footer(const struct run *r)
{
	char row[COLS + 1] = "";

	for (int x = 0; x < COLS; x++) {
		uint32_t ch = cell_at(r, ROWS - 1, x).chars[0];

		row[x] = ch > 0x20 && ch < 0x7f ? (char)ch : ' ';
	}
	return strstr(row, "q quit") != NULL;
}

/* Follow the output for so long; false when it ended. */
static bool follow(struct run *r, double ms, double started)
{
	double end = now_ms() + ms;
	bool in_frame = false;
	char buf[1 << 16];

	for (double now = now_ms(); now < end; now = now_ms()) {
		struct pollfd fd = {.fd = r->master, .events = POLLIN};
		double wait = in_frame ? FRAME_PAUSE_MS : end - now;
		ssize_t n;

		if (sys.poll(&sys, &fd, 1, (int)wait + 1) <= 0) {
			if (in_frame)
				count_changes(r);
			in_frame = false;
			continue;
		}
		n = read(r->master, buf, sizeof(buf));
		if (n <= 0)
			return false;
		vterm_input_write(r->vterm, buf, (size_t)n);
		r->bytes += (unsigned long long)n;
		r->reads++;
		r->frames += !in_frame;
		in_frame = true;
		if (started > 0 && !r->layout_ms && has_footer(r))
			r->layout_ms = now_ms() - started;
	}
	return true;
}

static void start(struct run *r, const char *const *argv)
{
	struct winsize size = {.ws_row = ROWS, .ws_col = COLS};

	*r = (struct run){.vterm = vterm_new(ROWS, COLS)};
	vterm_set_utf8(r->vterm, 1);
	r->screen = vterm_obtain_screen(r->vterm);
	vterm_screen_enable_altscreen(r->screen, 1);
	vterm_screen_reset(r->screen, 1);
	r->pid = forkpty(&r->master, NULL, NULL, &size);
	if (r->pid == 0) {
		setenv("TERM", "xterm-256color", 1);
		setenv("LANG", "C.UTF-8", 1);
		execvp(argv[0], (char *const *)(uintptr_t)argv); /* exec changes nothing */
		_exit(127);
	}
}

static void end(struct run *r)
{
	kill(r->pid, SIGTERM);
	follow(r, 300, 0);
	kill(r->pid, SIGKILL);
	waitpid(r->pid, NULL, 0);
	close(r->master);
	vterm_free(r->vterm);
}

/* Sum over all threads: CPU time in ns, and how often they went to sleep. */
static void thread_costs(pid_t pid, double *cpu_ns, double *sleeps)
{
	char path[96], text[4096];
	const struct dirent *task;
	DIR *dir;

	*cpu_ns = *sleeps = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	for (dir = opendir(path); dir && (task = readdir(dir));) {
		const char *line;

		snprintf(path, sizeof(path), "proc/%d/task/%.16s/schedstat", (int)pid, task->d_name);
		if (sys_read_file(&sys, path, text, sizeof(text)) > 0)
			*cpu_ns += strtod(text, NULL);
		snprintf(path, sizeof(path), "proc/%d/task/%.16s/status", (int)pid, task->d_name);
		if (sys_read_file(&sys, path, text, sizeof(text)) > 0 && (line = strstr(text, "\nvoluntary_ctxt_switches:")))
			*sleeps += strtod(line + 25, NULL);
	}
	if (dir)
		closedir(dir);
}

static double peak_mib(pid_t pid)
{
	char path[64], text[4096];
	const char *line;

	snprintf(path, sizeof(path), "proc/%d/status", (int)pid);
	if (sys_read_file(&sys, path, text, sizeof(text)) <= 0 || !(line = strstr(text, "VmHWM:")))
		return 0;
	return strtod(line + 6, NULL) / 1024;
}

static void bench_screen(const char *name, const char *const *argv, const char *key, double seconds)
{
	double cpu, sleeps, cpu_end, sleeps_end, started = now_ms();
	struct run r;

	start(&r, argv);
	if (!follow(&r, WARM_MS, started)) {
		printf("%-22s did not run\n", name);
		end(&r);
		return;
	}
	if (key && write(r.master, key, strlen(key)) > 0)
		follow(&r, 1500, 0);
	count_changes(&r);
	r.bytes = r.reads = r.frames = r.changed = 0;
	thread_costs(r.pid, &cpu, &sleeps);
	follow(&r, seconds * 1000, 0);
	thread_costs(r.pid, &cpu_end, &sleeps_end);
	printf("%-22s %9.0f %9.1f %9.2f %9.2f %8.3f %8.1f %8.2f", name, (double)r.bytes / seconds,
	       r.frames ? (double)r.bytes / (double)r.frames : 0, r.frames ? (double)r.reads / (double)r.frames : 0,
	       r.changed ? (double)r.bytes / (double)r.changed : 0, (cpu_end - cpu) / (seconds * 1e7),
	       (sleeps_end - sleeps) / seconds, peak_mib(r.pid));
	if (r.layout_ms > 0)
		printf(" %9.1f", r.layout_ms);
	printf("\n");
	end(&r);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* From the key to the first byte of the answer. */
static void bench_keys(const char *const *argv)
{
	double took[KEYS];
	struct run r;

	start(&r, argv);
	follow(&r, WARM_MS, 0);
	for (int i = 0; i < KEYS; i++) {
		struct pollfd fd = {.fd = r.master, .events = POLLIN};
		double sent = now_ms();

		if (write(r.master, i % 2 ? "2" : "3", 1) != 1)
			break;
		sys.poll(&sys, &fd, 1, 1000);
		took[i] = now_ms() - sent;
		follow(&r, 90 + i, 0);
	}
	end(&r);
	qsort(took, KEYS, sizeof(*took), by_value);
	printf("\nkey to first byte, ms: median %.2f, 95th percentile %.2f, worst %.2f (aim: 5 at the 95th)\n", took[KEYS / 2],
	       took[KEYS * 95 / 100], took[KEYS - 1]);
}

/* Every counter of a GPU once a millisecond, as CSV to nowhere. */
static void bench_millisecond(const char *program, double seconds)
{
	AUTOFREE char *duration = xasprintf("%.0fs", seconds);
	struct rusage use;
	int status;
	pid_t pid;

	printf("\n1 ms sampling of a whole GPU for %s, logging: ", duration);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		execlp(program, program, "record", "-b", "sim", "--demo", "-i", "1ms", "-d", duration, "-m", "MaliGPUActiveCy",
		       "-f", "csv", "-o", "/dev/null", "--force", (char *)NULL);
		_exit(127);
	}
	wait4(pid, &status, 0, &use);
	printf("%.3f %% CPU (aim 1.5, without loss)\n", ((double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
							 (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-6) /
								seconds * 100);
}

int main(int argc, char **argv)
{
	const char *program = getenv("MALITOP") ? getenv("MALITOP") : "./malitop";
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 15;
	char *p = xstrdup(program);
	struct err err;

	if (seconds <= 0 || !sys_init(&sys, NULL, &err)) {
		fprintf(stderr, "usage: bench_live [SECONDS]\n");
		return 2;
	}
	printf("%-22s %9s %9s %9s %9s %8s %8s %8s %9s\n", "at 1 s refresh", "B/s", "B/frame", "writes/fr", "B/cell", "CPU %",
	       "sleeps/s", "MiB peak", "layout ms");
	bench_screen("overview", (const char *[]){p, "--demo", "-r", "1s", NULL}, NULL, seconds);
	bench_screen("queues", (const char *[]){p, "--demo", "-r", "1s", "-v", "queues", NULL}, NULL, seconds);
	bench_screen("memory", (const char *[]){p, "--demo", "-r", "1s", "-v", "memory", NULL}, NULL, seconds);
	bench_screen("overview, paused", (const char *[]){p, "--demo", "-r", "1s", NULL}, " ", seconds);
	bench_screen("overview, real CPU only", (const char *[]){p, "-b", "proc", "-r", "1s", NULL}, NULL, seconds);
	bench_screen("htop", (const char *[]){"htop", "-d", "10", NULL}, NULL, seconds);
	bench_screen("top", (const char *[]){"top", "-d", "1", NULL}, NULL, seconds);
	printf("%-22s %9s %9s %9s %9s %8s %8s %8s %9s\n", "aim", "", "1500/3000", "1", "", "0.15", "", "6", "12");
	bench_keys((const char *[]){p, "--demo", "-r", "1s", NULL});
	bench_millisecond(program, seconds);
	free(p);
	sys_fini(&sys);
	return 0;
}
