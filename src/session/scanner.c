#include "session/scanner.h"

#include "session/opener.h"
#include "base/alloc.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define PAUSE 4                  /* times as long as reading took: so that it never takes more than a fifth of a CPU */
#define SECOND_LIST_NS 300000000 /* long enough for percentages, short enough to look at once */
#define END_MS 250

/* What is wanted. */
struct request {
	struct process_wish wish;
	int64_t period_ns; /* 0: nothing */
	bool at_once;      /* since the last list the wish has changed */
	bool end;
};

struct scanner {
	const struct sys *sys;
	struct opener *opener; /* the thread, and who frees all this if it has to be left */
	int wake_fd, ready_fd;
	pthread_mutex_t lock;
	struct request request;
	struct process_list *list;
};

/* What the thread keeps to itself. */
struct pace {
	int64_t begin_ns, end_ns; /* of the last list; 0: there was none */
	bool counted;             /* it had percentages */
};

static void drop(void *job)
{
	struct scanner *s = job;

	process_list_free(s->list);
	sys_cleanup_close(&s->wake_fd);
	sys_cleanup_close(&s->ready_fd);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

static struct request look(struct scanner *s)
{
	struct request request;

	pthread_mutex_lock(&s->lock);
	request = s->request;
	s->request.at_once = false;
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

/* After a long list a longer pause. */
static int64_t due_ns(const struct pace *pace, const struct request *request)
{
	int64_t period_ns = request->period_ns, pause_ns = pace->end_ns + PAUSE * (pace->end_ns - pace->begin_ns);

	if (!pace->begin_ns || request->at_once)
		return 0;
	if (!pace->counted && period_ns > SECOND_LIST_NS)
		period_ns = SECOND_LIST_NS;
	return pace->begin_ns + period_ns > pause_ns ? pace->begin_ns + period_ns : pause_ns;
}

static void rest(struct scanner *s, int64_t ns)
{
	struct pollfd fd = {.fd = s->wake_fd, .events = POLLIN};
	int64_t ms = ns / 1000000 + 1;

	s->sys->poll(s->sys, &fd, 1, ns < 0 ? -1 : ms < 3600000 ? (int)ms : 3600000);
	sys_event_ack(s->wake_fd);
}

static void run(void *job)
{
	struct scanner *s = job;
	struct process_scan *scan = NULL;
	struct pace pace = {0};

	for (struct request request = look(s); !request.end; request = look(s)) {
		int64_t now_ns = s->sys->monotonic_ns(s->sys), due = due_ns(&pace, &request);
		struct process_list *list;

		if (!request.period_ns) {
			process_scan_free(take_ptr(&scan));
			pace.begin_ns = 0;
			rest(s, -1);
			continue;
		}
		if (now_ns < due) {
			rest(s, due - now_ns);
			continue;
		}
		if (!scan)
			scan = process_scan_new(s->sys);
		list = process_scan_read(scan, &request.wish, now_ns);
		pace = (struct pace){now_ns, s->sys->monotonic_ns(s->sys), list->begin_ns != 0};
		hand_over(s, list);
	}
	process_scan_free(scan);
}

struct scanner *scanner_new(const struct sys *sys, struct err *err)
{
	struct scanner *s = xcalloc(1, sizeof(*s));
	struct opener *opener;

	*s = (struct scanner){.sys = sys, .wake_fd = sys_event_new(), .ready_fd = sys_event_new()};
	pthread_mutex_init(&s->lock, NULL);
	if (s->wake_fd < 0 || s->ready_fd < 0) {
		err_set(err, errno, "processes: cannot be read: %s", strerror(errno));
		drop(s);
		return NULL;
	}
	opener = opener_start(run, drop, s, err);
	if (!opener) {
		err_prefix(err, "processes: ");
		return NULL;
	}
	s->opener = opener;
	return s;
}

void scanner_free(struct scanner *s)
{
	struct opener *opener = s ? s->opener : NULL;
	const struct sys *sys = s ? s->sys : NULL;
	struct pollfd fd = {.events = POLLIN};

	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	s->request.end = true;
	pthread_mutex_unlock(&s->lock);
	sys_event_signal(s->wake_fd);
	fd.fd = opener_fd(opener);
	sys->poll(sys, &fd, 1, END_MS);
	opener_leave(opener); /* which drops the scanner, now or when the thread comes back */
}

void scanner_want(struct scanner *s, const struct process_wish *wish, int64_t period_ns)
{
	bool other;

	pthread_mutex_lock(&s->lock);
	other = wish->threads_of != s->request.wish.threads_of || wish->gpu_memory != s->request.wish.gpu_memory;
	s->request.at_once |= other;
	other |= period_ns != s->request.period_ns;
	s->request.wish = *wish;
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
