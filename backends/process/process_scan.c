#include "backends/process/process_scan.h"

#include "backends/process_file.h"
#include "backends/process/process_gpu.h"
#include "backends/process/process_users.h"
#include "base/alloc.h"
#include "base/search.h"
#include "model/sample.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROWS_MAX 65536 /* processes, and the same number of threads */
#define FRESH_NS 200000000
#define OWNER_NS 16000000000 /* a process that drops privileges keeps its program */
#define STAT_TEXT 1024       /* longer than the fields that are needed */
#define PATH 64

/* A process or a thread, kept from one list to the next. */
struct record {
	struct process p;
	char *command;  /* owned; p.command is that of a list */
	bool commanded; /* it was read: NULL if there is none */
	uint64_t flags;
	uint64_t comm;    /* hash */
	bool named;       /* named from comm already */
	bool watched;     /* its threads are listed */
	int64_t owner_ns; /* when to check it again */
	/* The start of the next cpu_percent; at_ns is 0 if there is none. */
	int64_t at_ns;
	uint64_t cpu_ns;
	/* The same of wait_percent. */
	int64_t waited_at_ns;
	uint64_t waited_ns;
};

/* Ordered like the list. */
struct table {
	struct record *records;
	unsigned n, cap;
};

struct scan_kind {
	struct table now, before;
	unsigned cursor; /* in `before`: earlier entries come before what is read now */
};

struct process_scan {
	const struct sys *sys;
	uint64_t tick_ns, page_bytes;
	struct scan_kind processes, threads;
	int32_t *pids, *tids;
	unsigned cap_pids, cap_tids;
	unsigned n_hidden;
	int64_t now_ns, begin_ns, end_ns, uptime_ns;
	bool fresh; /* percentages are calculated anew */
	bool users_changed;
	struct process_users users;
	struct process_gpu gpu;
	char text[STAT_TEXT];
};

const struct process process_unknown = {.uid = UINT32_MAX,
					.rss_bytes = SAMPLE_UNKNOWN,
					.gpu_bytes = SAMPLE_UNKNOWN,
					.cpu_percent = NAN,
					.gpu_percent = NAN,
					.ipc = NAN,
					.misses = NAN,
					.wait_percent = NAN};

struct process_scan *process_scan_new(const struct sys *sys)
{
	struct process_scan *s = xcalloc(1, sizeof(*s));
	long ticks = sysconf(_SC_CLK_TCK);

	s->sys = sys;
	s->tick_ns = 1000000000u / (ticks > 0 ? (uint64_t)ticks : 100);
	s->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	return s;
}

/* Forget the records, but keep the memory. */
static void clear_table(struct table *table)
{
	for (unsigned i = 0; i < table->n; i++)
		free(table->records[i].command);
	table->n = 0;
}

static void free_table(struct table *table)
{
	clear_table(table);
	free(table->records);
}

void process_scan_free(struct process_scan *s)
{
	if (!s)
		return;
	process_gpu_fini(&s->gpu);
	process_users_fini(&s->users);
	free_table(&s->processes.now);
	free_table(&s->processes.before);
	free_table(&s->threads.now);
	free_table(&s->threads.before);
	free(s->pids);
	free(s->tids);
	free(s);
}

static void begin_list(struct scan_kind *kind)
{
	struct table read = kind->now;

	clear_table(&kind->before);
	kind->now = kind->before;
	kind->before = read;
	kind->cursor = 0;
}

static int32_t group_of(const struct process *p)
{
	return p->is_thread ? p->parent : p->pid;
}

/* Find the previous record; both lists have the same order. */
static struct record *find_before(struct scan_kind *kind, int32_t group, int32_t pid)
{
	for (; kind->cursor < kind->before.n; kind->cursor++) {
		struct record *r = &kind->before.records[kind->cursor];
		int32_t its = group_of(&r->p);

		if (its == group && r->p.pid == pid)
			return r;
		if (its > group || (its == group && r->p.pid > pid))
			break;
	}
	return NULL;
}

/* Read with one pread, because the kernel generates the text again for a second one. */
static bool read_stat(struct process_scan *s, const char *path, struct process_stat *stat)
{
	int fd = s->sys->open(s->sys, path, O_RDONLY), saved;
	ssize_t n = fd < 0 ? -1 : sys_reread(s->sys, fd, s->text, sizeof(s->text));

	saved = errno;
	if (fd >= 0)
		s->sys->close(s->sys, fd);
	errno = saved;
	if (n >= 0 && !process_stat_parse(stat, (struct span){s->text, (size_t)n})) {
		errno = EPROTO;
		return false;
	}
	return n >= 0;
}

static void take_time(struct process_scan *s, struct record *r, uint64_t ticks)
{
	uint64_t cpu_ns = ticks < UINT64_MAX / s->tick_ns ? ticks * s->tick_ns : r->p.cpu_ns;
	int64_t at_ns = s->sys->monotonic_ns(s->sys);

	if (cpu_ns > r->p.cpu_ns) /* some kernels let it step back */
		r->p.cpu_ns = cpu_ns;
	if (r->at_ns && !s->fresh)
		return;
	if (r->at_ns) {
		double percent = 100 * (double)(r->p.cpu_ns - r->cpu_ns) / (double)(at_ns - r->at_ns);

		r->p.cpu_percent = at_ns > r->at_ns ? (float)percent : NAN;
		if (r->p.is_thread && percent > 100) /* an error of up to one tick */
			r->p.cpu_percent = 100;
	}
	r->at_ns = at_ns;
	r->cpu_ns = r->p.cpu_ns;
}

/* "RUN WAIT SLICES" of schedstat, ns: how long it was ready while another ran. One that neither ran
 * nor is ready did not wait: its file is not read. */
static void take_wait(struct process_scan *s, struct record *r, const char *dir)
{
	bool ready = r->p.state == 'R' || r->p.cpu_percent > 0;
	char path[PATH];
	unsigned long long run, waited;
	int64_t at_ns;
	ssize_t n;

	if (r->waited_at_ns && !s->fresh)
		return;
	r->p.wait_percent = NAN;
	if (!ready) {
		r->waited_at_ns = 0;
		return;
	}
	snprintf(path, sizeof(path), "%.48s/schedstat", dir);
	n = sys_read_file(s->sys, path, s->text, sizeof(s->text));
	at_ns = s->sys->monotonic_ns(s->sys);
	if (n <= 0 || sscanf(s->text, "%llu %llu", &run, &waited) != 2) {
		r->waited_at_ns = 0;
		return;
	}
	if (r->waited_at_ns && at_ns > r->waited_at_ns && waited >= r->waited_ns) {
		double percent = 100 * (double)(waited - r->waited_ns) / (double)(at_ns - r->waited_at_ns);

		r->p.wait_percent = (float)(percent < 100 ? percent : 100);
	}
	r->waited_at_ns = at_ns;
	r->waited_ns = waited;
}

static void take_name(struct process_scan *s, struct record *r, const struct process_stat *stat)
{
	char comm[PROCESS_NAME], printable[PROCESS_NAME - 2];

	r->named = true;
	if (r->p.is_thread || (stat->flags & PROCESS_KERNEL) || stat->state == 'D') {
		snprintf(comm, sizeof(comm), "%.*s", SPAN_ARG(stat->comm));
		str_printable(printable, sizeof(printable), comm);
		snprintf(r->p.name, sizeof(r->p.name), stat->flags & PROCESS_KERNEL ? "[%s]" : "%s",
			 printable);
		/* A process in state D may keep its memory busy, so its command line is read
		 * later. */
		r->named =
			r->p.is_thread || (stat->flags & PROCESS_KERNEL) || !process_name_is_cut(stat->comm);
	} else {
		process_name(s->sys, r->p.pid, stat->comm, r->p.name, sizeof(r->p.name));
	}
}

static void take_owner(struct process_scan *s, struct record *r, const char *dir)
{
	struct stat st;

	if (s->sys->stat(s->sys, dir, &st) == 0) {
		r->p.uid = st.st_uid;
		process_users_name(&s->users, r->p.uid, r->p.user);
	}
	r->commanded = false; /* a program may change its command line */
	/* Spread over time, so that one list does not check all owners. */
	r->owner_ns = s->now_ns + OWNER_NS / 16 * (16 - r->p.pid % 8);
}

/* Read a row of the list: `who`, whose files are in dir. A pid that another process used before
 * starts from scratch. Returns NULL if it is gone or hidden. */
static struct record *read_record(struct process_scan *s, struct scan_kind *kind, const char *dir,
				  const struct process *who, struct process_stat *stat)
{
	struct record *before, *r;
	char path[PATH];
	uint64_t comm;

	snprintf(path, sizeof(path), "%.48s/stat", dir);
	if (kind->now.n >= ROWS_MAX || !read_stat(s, path, stat)) {
		s->n_hidden +=
			kind->now.n >= ROWS_MAX || (!who->is_thread && errno != ENOENT && errno != ESRCH);
		return NULL;
	}
	before = find_before(kind, group_of(who), who->pid);
	GROW(kind->now.records, kind->now.n, kind->now.cap);
	r = &kind->now.records[kind->now.n++];
	if (before && before->p.start == stat->start) {
		*r = *before;
		before->command = NULL;
	} else {
		*r = (struct record){.p = *who};
	}
	r->p.start = stat->start;
	r->p.state = stat->state;
	r->watched = false;
	take_time(s, r, stat->ticks);
	comm = span_hash(stat->comm);
	if (!r->named || r->comm != comm || (r->flags & ~stat->flags & PROCESS_NOT_EXECUTED)) {
		take_name(s, r, stat);
		r->owner_ns = s->now_ns;
	}
	r->comm = comm;
	r->flags = stat->flags;
	return r;
}

static void read_process(struct process_scan *s, int32_t pid)
{
	struct process who = process_unknown;
	struct process_stat stat;
	struct record *r;
	char dir[PATH];

	who.pid = pid;
	snprintf(dir, sizeof(dir), "proc/%d", pid);
	r = read_record(s, &s->processes, dir, &who, &stat);
	if (!r)
		return;
	r->p.parent = stat.parent;
	r->p.kernel = stat.flags & PROCESS_KERNEL;
	r->p.threads = stat.threads;
	r->p.rss_bytes =
		stat.rss_pages < UINT64_MAX / s->page_bytes ? stat.rss_pages * s->page_bytes : SAMPLE_UNKNOWN;
	if (s->now_ns >= r->owner_ns)
		take_owner(s, r, dir);
	else if (s->users_changed)
		process_users_name(&s->users, r->p.uid, r->p.user);
	if (r->p.threads == 1 && !r->p.kernel)
		take_wait(s, r, dir);
	else
		r->p.wait_percent = NAN;
}

static void read_thread(struct process_scan *s, const struct record *process, int32_t tid)
{
	struct process who = process_unknown;
	struct process_stat stat;
	struct record *r;
	char dir[PATH];

	who.pid = tid;
	who.parent = process->p.pid;
	who.is_thread = true;
	snprintf(dir, sizeof(dir), "proc/%d/task/%d", process->p.pid, tid);
	r = read_record(s, &s->threads, dir, &who, &stat);
	if (!r)
		return;
	r->p.uid = process->p.uid;
	memcpy(r->p.user, process->p.user, sizeof(r->p.user));
	take_wait(s, r, dir);
}

static void read_threads(struct process_scan *s, const struct record *process)
{
	char path[PATH];
	int n;

	snprintf(path, sizeof(path), "proc/%d/task", process->p.pid);
	n = s->sys->list_numbers(s->sys, path, &s->tids, &s->cap_tids);
	for (int i = 0; i < n && n > 1; i++)
		read_thread(s, process, s->tids[i]);
}

static bool is_busier(const struct process *a, const struct process *b)
{
	float x = a->cpu_percent > 0 ? a->cpu_percent : 0, y = b->cpu_percent > 0 ? b->cpu_percent : 0;

	return x > y || (!(x < y) && a->cpu_ns > b->cpu_ns);
}

static void watch_entries(struct table *table, unsigned n)
{
	if (n == PROCESS_QUERY_ALL)
		for (unsigned i = 0; i < table->n; i++)
			table->records[i].watched = true;
	for (n = n == PROCESS_QUERY_ALL ? 0 : n < PROCESS_WISH_MOST ? n : PROCESS_WISH_MOST; n; n--) {
		struct record *busiest = NULL;

		for (unsigned i = 0; i < table->n; i++) {
			struct record *r = &table->records[i];

			if (!r->watched && (!busiest || is_busier(&r->p, &busiest->p)))
				busiest = r;
		}
		if (!busiest)
			return;
		busiest->watched = true;
	}
}

/* A process in state D may keep its memory busy, so its command line is read later. */
static void read_command(struct process_scan *s, struct record *r)
{
	if (r->commanded || r->p.kernel || r->p.state == 'D')
		return;
	free(r->command);
	r->command = process_command(s->sys, r->p.pid);
	r->commanded = true;
}

static void read_commands(struct process_scan *s, const struct process_query *query)
{
	struct table *t = &s->processes.now;

	for (unsigned i = 0; i < t->n && query->all_commands; i++)
		read_command(s, &t->records[i]);
	for (unsigned i = 0; i < query->n_commands && i < PROCESS_WISH_COMMANDS; i++) {
		unsigned at = search_first(t->n, k, t->records[k].p.pid >= query->commands[i]);

		if (at < t->n && t->records[at].p.pid == query->commands[i])
			read_command(s, &t->records[at]);
	}
}

/* Copy the command lines into the list. */
static void put_commands(struct process_list *list, const struct table *processes)
{
	size_t size = 0, at = 0;

	for (unsigned i = 0; i < processes->n; i++)
		size += processes->records[i].command ? strlen(processes->records[i].command) + 1 : 0;
	if (!size)
		return;
	list->commands = xmalloc(size);
	list->commands_size = size;
	for (unsigned i = 0, k = 0; i < processes->n; i++, k++) {
		const char *command = processes->records[i].command;

		while (list->processes[k].is_thread)
			k++;
		if (!command)
			continue;
		list->processes[k].command = strcpy(list->commands + at, command);
		at += strlen(command) + 1;
	}
}

/* Whether the GPU time of a user may be that of this process: of one that has a context, whatever
 * is known of its memory, or of any where contexts are not reported. */
static bool may_work(const struct process *p, uint32_t uid, bool contexts)
{
	return !p->is_thread && !p->kernel && p->uid == uid && (p->gpu_context || !contexts);
}

/* Give the GPU time of a user to the only process of the user that may work. Nothing tells the
 * shares of several: they are unknown, and each has the sum. */
static void share_work(const struct gpu_work *work, bool contexts, struct process_list *list)
{
	for (struct process *p = list->processes; p < list->processes + list->n; p++) {
		double percent = p->is_thread ? (double)NAN : gpu_work_percent(work, p->uid);
		unsigned n = 0;

		if (isnan(percent))
			continue;
		p->gpu_percent = 0;
		if (!(percent > 0) || !may_work(p, p->uid, contexts))
			continue;
		for (const struct process *q = list->processes; q < list->processes + list->n; q++)
			n += may_work(q, p->uid, contexts);
		p->gpu_percent = n == 1 ? (float)percent : NAN;
		p->gpu_user_percent = n == 1 ? 0 : (float)percent;
	}
}

static struct process_list *make_list(struct process_scan *s, const struct process_query *query)
{
	const struct table *processes = &s->processes.now, *threads = &s->threads.now;
	struct process_list *list = xcalloc(1, sizeof(*list));
	unsigned holder = 0, thread = 0;

	*list = (struct process_list){.threads = query->threads_of > 0,
				      .n_hidden = s->n_hidden,
				      .begin_ns = s->begin_ns,
				      .end_ns = s->end_ns,
				      .uptime_ns = s->uptime_ns};
	list->processes = xcalloc(processes->n + threads->n + 1, sizeof(*list->processes));
	for (unsigned i = 0; i < processes->n; i++) {
		struct process *p = &list->processes[list->n++];

		*p = processes->records[i].p;
		p->gpu_bytes = SAMPLE_UNKNOWN;
		if (query->gpu_memory) {
			struct process_gpu_use use = process_gpu_of(&s->gpu, (unsigned)p->pid, &holder);

			p->gpu_bytes = use.bytes;
			p->gpu_context = use.held;
			p->gpu_percent = (float)use.percent;
			p->gpu_queues = !isnan(use.fragment);
			p->gpu_fragment_percent = p->gpu_queues ? (float)use.fragment : 0;
			p->gpu_vertex_percent = p->gpu_queues ? (float)use.vertex : 0;
		}
		while (thread < threads->n && threads->records[thread].p.parent == p->pid)
			list->processes[list->n++] = threads->records[thread++].p;
	}
	if (query->gpu_memory && s->gpu.work.open)
		share_work(&s->gpu.work, s->gpu.reported, list);
	put_commands(list, processes);
	return list;
}

static void read_all(struct process_scan *s, const struct process_query *query, int64_t now_ns)
{
	struct table *processes = &s->processes.now;
	int n;

	s->now_ns = now_ns;
	s->n_hidden = 0;
	s->fresh = now_ns - s->end_ns >= FRESH_NS;
	if (s->fresh) {
		s->begin_ns = s->end_ns;
		s->end_ns = now_ns;
		s->uptime_ns = s->sys->boottime_ns(s->sys);
	}
	begin_list(&s->processes);
	begin_list(&s->threads);
	s->users_changed = process_users_refresh(&s->users, s->sys);
	n = s->sys->list_numbers(s->sys, "proc", &s->pids, &s->cap_pids);
	for (int i = 0; i < n; i++)
		read_process(s, s->pids[i]);
	watch_entries(processes, query->threads_of);
	for (unsigned i = 0; i < processes->n; i++)
		if (processes->records[i].watched && processes->records[i].p.threads > 1)
			read_threads(s, &processes->records[i]);
	if (query->gpu_memory)
		process_gpu_refresh(&s->gpu, s->sys, now_ns);
}

struct process_list *process_scan_read(struct process_scan *s, const struct process_query *query,
				       int64_t now_ns)
{
	int64_t began_ns = s->sys->thread_ns(s->sys);
	struct process_list *list;

	if (!query->again)
		read_all(s, query, now_ns);
	read_commands(s, query);
	list = make_list(s, query);
	list->cost_ns = s->sys->thread_ns(s->sys) - began_ns;
	return list;
}
