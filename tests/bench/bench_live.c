/* What the live screen costs: every view of the real program ($MALITOP, else ./malitop) in pseudo-
 * terminals that libvterm follows, in three sizes and at two refresh rates, and the default screens
 * of the other monitors that are installed. Prints figures; judges nothing.
 *
 * Usage: bench_live [SECONDS [VIEW]], for all views and the other monitors, or for one view alone.
 *
 * Screens of a size and rate run at the same time, each in its own terminal; one view alone runs in
 * all settings at the same time. They are started one after the other, so that the next one does
 * not slow down the first layout, which takes `layout` ms: until malitop shows its footer, and
 * until another monitor ends its first frame. A frame is output without a pause of 20 ms. The
 * kernel hands over one write of less than 4096 bytes in one read, and the reader here is always
 * waiting, so reads are counted as writes. `steady` is bytes per frame of a paused screen; `curses`
 * and `writes` after it are what ncurses takes for the same frames. */
#include "base/alloc.h"
#include "base/sys.h"
#include "tests/bench/curses_peer.h"

#include <dirent.h>
#include <math.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vterm.h>

#define LAYOUT_MS 2000 /* the longest wait for the first layout */
#define WARM_MS 3000
#define PAUSE_MS 1500 /* until a paused screen is quiet */
#define STEADY_MS 3000
#define FRAME_PAUSE_MS 20
#define KEYS 60
#define RUNS_MAX 32

static struct sys sys;

struct live_counts {
	unsigned long long bytes, reads, frames, changed;
	unsigned long long largest; /* bytes of a frame */
	unsigned long long curses_bytes, curses_writes;
	double cpu_ns, sleeps;
};

struct live_run {
	char name[64];
	bool is_malitop;
	pid_t pid;
	int master; /* -1: it has ended */
	int rows, cols;
	VTerm *vterm;
	VTermScreen *screen;
	VTermScreenCell *before;    /* rows * cols, owned */
	struct curses_peer *curses; /* of malitop; owned */
	struct live_counts counts;
	unsigned long long frame_bytes;
	double started_ms, layout_ms; /* NaN: not yet */
	double last_ms;               /* of the frame that has begun; 0: none has */
};

static double now_ms(void)
{
	return (double)sys.monotonic_ns(&sys) * 1e-6;
}

static VTermScreenCell cell_at(const struct live_run *r, int row, int col)
{
	VTermScreenCell cell;

	vterm_screen_get_cell(r->screen, (VTermPos){row, col}, &cell);
	return cell;
}

/* Whether they look the same: an erased cell is a blank, and a blank has no colour of its own. */
static bool same_cell(const VTermScreenCell *a, const VTermScreenCell *b)
{
	bool blank = a->chars[0] == 0 || a->chars[0] == ' ';

	if (blank ? b->chars[0] != 0 && b->chars[0] != ' ' : a->chars[0] != b->chars[0])
		return false;
	return vterm_color_is_equal(&a->bg, &b->bg) && a->attrs.reverse == b->attrs.reverse &&
	       a->attrs.underline == b->attrs.underline &&
	       (blank || (vterm_color_is_equal(&a->fg, &b->fg) && a->attrs.bold == b->attrs.bold));
}

static void count_changes(struct live_run *r)
{
	for (int y = 0; y < r->rows; y++)
		for (int x = 0; x < r->cols; x++) {
			VTermScreenCell cell = cell_at(r, y, x), *before = &r->before[y * r->cols + x];

			r->counts.changed += !same_cell(&cell, before);
			*before = cell;
		}
}

static bool has_footer(const struct live_run *r)
{
	AUTOFREE char *row = xcalloc((size_t)r->cols + 1, 1);

	for (int x = 0; x < r->cols; x++) {
		uint32_t ch = cell_at(r, r->rows - 1, x).chars[0];

		row[x] = ch > 0x20 && ch < 0x7f ? (char)ch : ' ';
	}
	return strstr(row, "q quit") != NULL;
}

static void end_frame(struct live_run *r)
{
	if (isnan(r->layout_ms) && !r->is_malitop)
		r->layout_ms = r->last_ms - r->started_ms;
	if (r->frame_bytes > r->counts.largest)
		r->counts.largest = r->frame_bytes;
	r->frame_bytes = 0;
	r->last_ms = 0;
	count_changes(r);
	if (r->curses)
		curses_peer_draw(r->curses, r->screen, &r->counts.curses_bytes, &r->counts.curses_writes);
}

static void read_output(struct live_run *r)
{
	static char buf[1 << 16];
	ssize_t n = read(r->master, buf, sizeof(buf));

	if (n <= 0) {
		close(take_fd(&r->master));
		return;
	}
	vterm_input_write(r->vterm, buf, (size_t)n);
	r->counts.bytes += (unsigned long long)n;
	r->frame_bytes += (unsigned long long)n;
	r->counts.reads++;
	r->counts.frames += !r->last_ms;
	r->last_ms = now_ms();
	if (isnan(r->layout_ms) && r->is_malitop && has_footer(r))
		r->layout_ms = r->last_ms - r->started_ms;
}

/* Follow the output for so long; `until` (or NULL) ends it early, when its layout is complete. */
static void follow_screens(struct live_run *runs, unsigned n, double ms, const struct live_run *until)
{
	struct pollfd fds[RUNS_MAX];
	double end = now_ms() + ms;

	for (double now = now_ms(); now < end && !(until && !isnan(until->layout_ms)); now = now_ms()) {
		double wake = end;

		for (unsigned i = 0; i < n; i++) {
			fds[i] = (struct pollfd){.fd = runs[i].master, .events = POLLIN};
			if (runs[i].last_ms > 0 && runs[i].last_ms + FRAME_PAUSE_MS < wake)
				wake = runs[i].last_ms + FRAME_PAUSE_MS;
		}
		sys.poll(&sys, fds, n, wake > now ? (int)(wake - now) + 1 : 0);
		for (unsigned i = 0; i < n; i++) {
			if (fds[i].revents)
				read_output(&runs[i]);
			else if (runs[i].last_ms > 0 && now_ms() - runs[i].last_ms >= FRAME_PAUSE_MS)
				end_frame(&runs[i]);
		}
	}
}

static void start_program(struct live_run *r, const char *const *argv, int cols, int rows)
{
	struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};

	*r = (struct live_run){.is_malitop = r->is_malitop,
			       .rows = rows,
			       .cols = cols,
			       .layout_ms = NAN,
			       .vterm = vterm_new(rows, cols)};
	r->before = xcalloc((size_t)rows * (size_t)cols, sizeof(*r->before));
	vterm_set_utf8(r->vterm, 1);
	r->screen = vterm_obtain_screen(r->vterm);
	vterm_screen_enable_altscreen(r->screen, 1);
	vterm_screen_reset(r->screen, 1);
	r->curses = r->is_malitop ? curses_peer_new(rows, cols) : NULL;
	r->started_ms = now_ms();
	r->pid = forkpty(&r->master, NULL, NULL, &size);
	if (r->pid == 0) {
		setenv("TERM", "xterm-256color", 1);
		setenv("LANG", "C.UTF-8", 1);
		execvp(argv[0], (char *const *)(uintptr_t)argv); /* exec changes nothing */
		_exit(127);
	}
}

static void end_programs(struct live_run *runs, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		kill(runs[i].pid, SIGTERM);
	follow_screens(runs, n, 300, NULL);
	for (unsigned i = 0; i < n; i++) {
		kill(runs[i].pid, SIGKILL);
		waitpid(runs[i].pid, NULL, 0);
		sys_cleanup_close(&runs[i].master);
		vterm_free(runs[i].vterm);
		free(runs[i].before);
		curses_peer_free(runs[i].curses);
	}
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
		if (sys_read_file(&sys, path, text, sizeof(text)) > 0 &&
		    (line = strstr(text, "\nvoluntary_ctxt_switches:")))
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

static bool is_installed(const char *program)
{
	AUTOFREE char *dirs = xstrdup(getenv("PATH") ? getenv("PATH") : "");
	char *rest = dirs;

	for (const char *dir; (dir = strsep(&rest, ":"));) {
		AUTOFREE char *path = xasprintf("%s/%s", dir, program);

		if (access(path, X_OK) == 0)
			return true;
	}
	return false;
}

/* btop has no option for it in all releases. */
static void write_btop_rate(int ms)
{
	AUTOFREE char *dir = xasprintf("%s/btop", getenv("XDG_CONFIG_HOME")),
		      *path = xasprintf("%s/btop.conf", dir);
	FILE *f;

	mkdir(dir, 0700);
	f = fopen(path, "we");
	if (f) {
		fprintf(f, "update_ms = %d\n", ms);
		fclose(f);
	}
}

static void reset_counts(struct live_run *r)
{
	r->counts = (struct live_counts){0};
	r->frame_bytes = 0;
	thread_costs(r->pid, &r->counts.cpu_ns, &r->counts.sleeps);
}

static void follow_counted(struct live_run *runs, unsigned n, double ms)
{
	for (unsigned i = 0; i < n; i++)
		reset_counts(&runs[i]);
	follow_screens(runs, n, ms, NULL);
	for (unsigned i = 0; i < n; i++) {
		double cpu_ns, sleeps;

		thread_costs(runs[i].pid, &cpu_ns, &sleeps);
		runs[i].counts.cpu_ns = cpu_ns - runs[i].counts.cpu_ns;
		runs[i].counts.sleeps = sleeps - runs[i].counts.sleeps;
	}
}

static void print_costs(const struct live_run *r, const struct live_counts *c, double seconds)
{
	double frames = c->frames ? (double)c->frames : NAN;

	if (r->master < 0) {
		printf("%-36s did not run\n", r->name);
		return;
	}
	printf("%-36s %8.0f %8llu %7.2f %7.2f %7.3f %8.1f %6.2f %7.1f", r->name, (double)c->bytes / frames,
	       c->largest, (double)c->reads / frames,
	       c->changed ? (double)c->bytes / (double)c->changed : NAN, c->cpu_ns / (seconds * 1e7),
	       c->sleeps / seconds, peak_mib(r->pid), r->layout_ms);
	if (r->is_malitop)
		printf(" %7.0f %7.0f %7.1f",
		       r->counts.frames ? (double)r->counts.bytes / (double)r->counts.frames : 0,
		       (double)c->curses_bytes / frames, (double)c->curses_writes / frames);
	printf("\n");
}

/* Measure the screens that were started, print a line for each, and end them. */
static void bench_screens(struct live_run *runs, unsigned n, double seconds)
{
	struct live_counts counts[RUNS_MAX];

	follow_screens(runs, n, WARM_MS, NULL);
	follow_counted(runs, n, seconds * 1000);
	for (unsigned i = 0; i < n; i++) {
		counts[i] = runs[i].counts;
		if (runs[i].is_malitop && runs[i].master >= 0 && write(runs[i].master, " ", 1) != 1)
			fprintf(stderr, "%s: cannot be paused\n", runs[i].name);
	}
	follow_screens(runs, n, PAUSE_MS, NULL);
	follow_counted(runs, n, STEADY_MS);
	for (unsigned i = 0; i < n; i++)
		print_costs(&runs[i], &counts[i], seconds);
	fflush(stdout);
	end_programs(runs, n);
}

/* A size and a rate: ten frames a second, or one. */
struct live_setting {
	int cols, rows;
	bool fast;
};

/* Start one more, and wait for its layout. */
static void add_run(struct live_run *runs, unsigned *n, const struct live_setting *s, const char *what,
		    const char *const *argv)
{
	struct live_run *r = &runs[*n];

	start_program(r, argv, s->cols, s->rows);
	snprintf(r->name, sizeof(r->name), "%3dx%-3d %4s  %s", s->cols, s->rows, s->fast ? "0.1s" : "1s",
		 what);
	follow_screens(runs, ++*n, LAYOUT_MS, r);
}

static void add_view(struct live_run *runs, unsigned *n, const struct live_setting *s, const char *program,
		     const char *view)
{
	static const char *const sources[][2] = {{"--demo", "demo"}, {"--backend=proc", "no GPU"}};

	for (unsigned i = 0; i < ARRAY_LEN(sources); i++) {
		const char *const argv[] = {program, sources[i][0], "-r", s->fast ? "100ms" : "1s",
					    "-v",    view,          NULL};
		AUTOFREE char *what = xasprintf("%-7s %s", sources[i][1], view);

		runs[*n].is_malitop = true;
		add_run(runs, n, s, what, argv);
		if (runs[*n - 1].master < 0) /* the view needs a GPU */
			end_programs(&runs[--*n], 1);
	}
}

/* atop refreshes once a second at most; btop has its rate in a file of $XDG_CONFIG_HOME. */
static void add_others(struct live_run *runs, unsigned *n, const struct live_setting *s)
{
	const struct {
		const char *argv[4];
		bool once_a_second;
	} others[] = {
		{{"htop", "-d", s->fast ? "1" : "10"}, false},  {{"btop"}, false},
		{{"top", "-d", s->fast ? "0.1" : "1"}, false},  {{"atop", "1"}, true},
		{{"nvtop", "-d", s->fast ? "1" : "10"}, false},
	};

	write_btop_rate(s->fast ? 100 : 1000);
	for (unsigned i = 0; i < ARRAY_LEN(others); i++)
		if (is_installed(others[i].argv[0]) && !(s->fast && others[i].once_a_second)) {
			runs[*n].is_malitop = false;
			add_run(runs, n, s, others[i].argv[0], others[i].argv);
		}
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* From the key to the first byte of the answer. */
static void bench_keys(const char *program)
{
	double took[KEYS];
	struct live_run r = {.is_malitop = true};

	start_program(&r, (const char *[]){program, "--demo", "-r", "1s", NULL}, 160, 48);
	follow_screens(&r, 1, WARM_MS, NULL);
	for (int i = 0; i < KEYS; i++) {
		struct pollfd fd = {.fd = r.master, .events = POLLIN};
		double sent = now_ms();

		if (write(r.master, i % 2 ? "2" : "3", 1) != 1)
			break;
		sys.poll(&sys, &fd, 1, 1000);
		took[i] = now_ms() - sent;
		follow_screens(&r, 1, 90 + i, NULL);
	}
	end_programs(&r, 1);
	qsort(took, KEYS, sizeof(*took), by_value);
	printf("\nkey to first byte, ms: median %.2f, 95th percentile %.2f, worst %.2f\n", took[KEYS / 2],
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
		execlp(program, program, "record", "-b", "sim", "--demo", "-i", "1ms", "-d", duration, "-m",
		       "MaliGPUActiveCy", "-f", "csv", "-o", "/dev/null", "--force", (char *)NULL);
		_exit(127);
	}
	wait4(pid, &status, 0, &use);
	printf("%.3f %% CPU\n", ((double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
				 (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-6) /
					seconds * 100);
}

/* Return how many views `malitop list views` prints, and their names, which the caller frees. */
static unsigned list_views(const char *program, char *names[RUNS_MAX])
{
	AUTOFREE char *command = xasprintf("'%s' list views -f csv", program);
	FILE *f = popen(command, "re");
	char line[128];
	unsigned n = 0;

	while (f && n < RUNS_MAX && fgets(line, sizeof(line), f)) {
		line[strcspn(line, ",")] = 0;
		if (strcmp(line, "name") != 0)
			names[n++] = xstrdup(line);
	}
	if (f)
		pclose(f);
	return n;
}

static void bench_all(const char *program, double seconds, char *const *views, unsigned n, bool others)
{
	static const struct live_setting settings[] = {{80, 24, false}, {160, 48, false}, {300, 100, false},
						       {80, 24, true},  {160, 48, true},  {300, 100, true}};
	struct live_run runs[RUNS_MAX];
	unsigned n_runs = 0;

	printf("%-36s %8s %8s %7s %7s %7s %8s %6s %7s %7s %7s %7s\n", "size, refresh", "B/frame", "largest",
	       "writes", "B/cell", "CPU %", "sleeps/s", "MiB", "layout", "steady", "curses", "writes");
	for (unsigned i = 0; i < ARRAY_LEN(settings); i++) {
		for (unsigned v = 0; v < n; v++)
			add_view(runs, &n_runs, &settings[i], program, views[v]);
		if (others)
			add_others(runs, &n_runs, &settings[i]);
		else if (i + 1 < ARRAY_LEN(settings))
			continue; /* one view: all settings at the same time */
		bench_screens(runs, n_runs, seconds);
		n_runs = 0;
	}
}

int main(int argc, char **argv)
{
	const char *program = getenv("MALITOP") ? getenv("MALITOP") : "./malitop";
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 15;
	char config[] = "/tmp/malitop-bench-XXXXXX", *views[RUNS_MAX];
	AUTOFREE char *sweep = NULL;
	unsigned n;
	struct err err;

	if (seconds <= 0 || argc > 3 || !sys_init(&sys, NULL, &err) || !mkdtemp(config)) {
		fprintf(stderr, "usage: bench_live [SECONDS [VIEW]]\n");
		return 2;
	}
	setenv("XDG_CONFIG_HOME", config, 1); /* the default screen of each */
	n = argc > 2 ? 1 : list_views(program, views);
	if (argc > 2)
		views[0] = xstrdup(argv[2]);
	bench_all(program, seconds, views, n, argc < 3);
	if (argc < 3) {
		bench_keys(program);
		bench_millisecond(program, seconds);
	}
	while (n)
		free(views[--n]);
	sweep = xasprintf("rm -rf '%s'", config);
	sys_fini(&sys);
	return system(sweep) ? 1 : 0;
}
