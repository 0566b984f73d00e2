#include "session/scanner.h"

#include "session/opener.h"
#include "session/process_counts.h"
#include "base/alloc.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define PAUSE 4                  /* times the reading took: at most a fifth of a CPU */
#define SECOND_LIST_NS 300000000 /* long enough for percentages, short enough to appear at once */
#define END_MS 250

struct scan_request {
	struct process_query query;
	int64_t period_ns; /* 0 means nothing is wanted */
	bool at_once;      /* the query has changed since the last list */
	bool again;        /* only requested command lines have changed */
	bool end;
};

struct scanner {
	const struct sys *sys;
	const struct process_reader *reader;
	struct source_options what;
	struct opener *opener; /* the thread; frees all this if it has to be abandoned */
	int wake_fd, ready_fd;
	pthread_mutex_t lock;
	struct scan_request request;
	struct process_list *list;
};

/* The thread's own state. */
struct pace {
	int64_t begin_ns, end_ns; /* of the last list; 0 if there was none */
	bool counted;             /* it had percentages */
};

static void drop_scanner(void *job)
{
	struct scanner *s = job;

	process_list_free(s->list);
	sys_cleanup_close(&s->wake_fd);
	sys_cleanup_close(&s->ready_fd);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

static struct scan_request take_request(struct scanner *s)
{
	struct scan_request request;

	pthread_mutex_lock(&s->lock);
	request = s->request;
	s->request.at_once = s->request.again = false;
	pthread_mutex_unlock(&s->lock);
	return request;
}

static void hand_over(struct scanner *s, struct process_list *list)
{
	struct process_list *old;

	pthread_mutex_lock(&s->lock);
	old = s->list;
	s->list = list;
	sys_event_signal(s->ready_fd);
	pthread_mutex_unlock(&s->lock);
	process_list_free(old);
}

/* When the next list is due; a list that took long is followed by a longer pause. */
static int64_t due_ns(const struct pace *pace, const struct scan_request *request)
{
	int64_t period_ns = request->period_ns,
		pause_ns = pace->end_ns + PAUSE * (pace->end_ns - pace->begin_ns);

	if (!pace->begin_ns || request->at_once)
		return 0;
	if (!pace->counted && period_ns > SECOND_LIST_NS)
		period_ns = SECOND_LIST_NS;
	return pace->begin_ns + period_ns > pause_ns ? pace->begin_ns + period_ns : pause_ns;
}

static void sleep_for(struct scanner *s, int64_t ns)
{
	struct pollfd fd = {.fd = s->wake_fd, .events = POLLIN};
	int64_t ms = ns / 1000000 + 1;

	s->sys->poll(s->sys, &fd, 1, ns < 0 ? -1 : ms < 3600000 ? (int)ms : 3600000);
	sys_event_ack(s->wake_fd);
}

static void run_scanner(void *job)
{
	struct scanner *s = job;
	void *reader = NULL;
	struct pace pace = {0};

	for (struct scan_request request = take_request(s); !request.end; request = take_request(s)) {
		int64_t now_ns = s->sys->monotonic_ns(s->sys), due = due_ns(&pace, &request);
		struct process_list *list;

		if (!request.period_ns) {
			s->reader->free(take_ptr(&reader));
			pace.begin_ns = 0;
			sleep_for(s, -1);
			continue;
		}
		if (now_ns < due && request.again) {
			request.query.again = true;
			hand_over(s, s->reader->read(reader, &request.query, now_ns));
			continue;
		}
		if (now_ns < due) {
			sleep_for(s, due - now_ns);
			continue;
		}
		if (!reader)
			reader = s->reader->new (s->sys, &s->what);
		list = s->reader->read(reader, &request.query, now_ns);
		pace = (struct pace){now_ns, s->sys->monotonic_ns(s->sys), list->begin_ns != 0};
		hand_over(s, list);
	}
	s->reader->free(reader);
}

/* This machine: its processes, and what the busiest ones count. */
struct machine_reader {
	struct process_scan *scan;
	struct process_counts *counts;
};

static void *machine_new(const struct sys *sys, const struct source_options *options)
{
	struct machine_reader *m = xcalloc(1, sizeof(*m));

	*m = (struct machine_reader){process_scan_new(sys), process_counts_new(sys, options)};
	return m;
}

static struct process_list *machine_read(void *reader, const struct process_query *query, int64_t now_ns)
{
	struct machine_reader *m = reader;
	struct process_list *list = process_scan_read(m->scan, query, now_ns);

	if (query->again)
		process_counts_repeat(m->counts, list);
	else if (query->counts)
		process_counts_fill(m->counts, list, now_ns);
	else
		process_counts_stop(m->counts);
	return list;
}

static void machine_free(void *reader)
{
	struct machine_reader *m = reader;

	if (!m)
		return;
	process_scan_free(m->scan);
	process_counts_free(m->counts);
	free(m);
}

static const struct process_reader machine = {.new = machine_new, .read = machine_read, .free = machine_free};

struct scanner *scanner_new(const struct sys *sys, const struct process_reader *reader,
			    const struct source_options *what, struct err *err)
{
	struct scanner *s = xcalloc(1, sizeof(*s));
	struct opener *opener;

	*s = (struct scanner){.sys = sys,
			      .reader = reader ? reader : &machine,
			      .wake_fd = sys_event_new(),
			      .ready_fd = sys_event_new()};
	if (what)
		s->what = *what;
	pthread_mutex_init(&s->lock, NULL);
	if (s->wake_fd < 0 || s->ready_fd < 0) {
		err_set(err, errno, "processes: cannot start reading: %s", strerror(errno));
		drop_scanner(s);
		return NULL;
	}
	opener = opener_start(run_scanner, drop_scanner, s, err);
	if (opener)
		s->opener = opener;
	else
		err_prefix(err, "processes: ");
	return opener ? s : NULL;
}

void scanner_free(struct scanner *s)
{
	struct pollfd fd = {.events = POLLIN};

	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	s->request.end = true;
	pthread_mutex_unlock(&s->lock);
	sys_event_signal(s->wake_fd);
	fd.fd = opener_fd(s->opener);
	s->sys->poll(s->sys, &fd, 1, END_MS);
	opener_leave(s->opener); /* drops the scanner, now or when the thread returns */
}

static bool same_commands(const struct process_query *a, const struct process_query *b)
{
	return a->all_commands == b->all_commands && a->n_commands == b->n_commands &&
	       memcmp(a->commands, b->commands, a->n_commands * sizeof(*a->commands)) == 0;
}

void scanner_want(struct scanner *s, const struct process_query *query, int64_t period_ns)
{
	bool other, again;

	pthread_mutex_lock(&s->lock);
	other = query->threads_of != s->request.query.threads_of ||
		query->gpu_memory != s->request.query.gpu_memory;
	again = !same_commands(query, &s->request.query);
	s->request.at_once |= other;
	s->request.again |= again;
	other |= again || period_ns != s->request.period_ns;
	s->request.query = *query;
	s->request.period_ns = period_ns;
	pthread_mutex_unlock(&s->lock);
	if (other)
		sys_event_signal(s->wake_fd);
}

int scanner_fd(const struct scanner *s)
{
	return s->ready_fd;
}

struct process_list *scanner_take(struct scanner *s)
{
	struct process_list *list;

	pthread_mutex_lock(&s->lock);
	list = take_ptr(&s->list);
	sys_event_ack(s->ready_fd);
	pthread_mutex_unlock(&s->lock);
	return list;
}
