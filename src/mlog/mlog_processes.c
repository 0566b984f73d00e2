#include "mlog/mlog_processes.h"

#include "base/alloc.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The numeric members of a process, each stored as an unsigned number of its size. */
#define COLUMN(member, most)                                                                  \
	{                                                                                     \
		offsetof(struct process, member), sizeof(((struct process *)0)->member), most \
	}
static const struct process_column {
	size_t offset, size;
	uint64_t most;
} columns[] = {
	COLUMN(pid, UINT32_MAX),       COLUMN(parent, UINT32_MAX),      COLUMN(is_thread, 1),
	COLUMN(state, UINT8_MAX),      COLUMN(uid, UINT32_MAX),         COLUMN(threads, UINT32_MAX),
	COLUMN(start, UINT64_MAX),     COLUMN(cpu_ns, UINT64_MAX),      COLUMN(rss_bytes, UINT64_MAX),
	COLUMN(gpu_bytes, UINT64_MAX), COLUMN(cpu_percent, UINT32_MAX), COLUMN(gpu_percent, UINT32_MAX),
	COLUMN(ipc, UINT32_MAX),
};
/* Times of the queues of a process if they are known; in a section of their own. */
static const struct process_column queues[] = {
	COLUMN(gpu_fragment_percent, UINT32_MAX),
	COLUMN(gpu_vertex_percent, UINT32_MAX),
};
static const struct process_column waits[] = {COLUMN(wait_percent, UINT32_MAX)};
static const struct process_column users[] = {COLUMN(gpu_user_percent, UINT32_MAX)};
#undef COLUMN

#define UNKNOWN 0x7fc00000u /* NaN */

#define KTHREADD 2 /* the parent of all kernel threads */

union number {
	uint8_t u8;
	uint32_t u32;
	uint64_t u64;
};

static uint64_t load_number(const struct process *p, const struct process_column *c)
{
	union number n;

	memcpy(&n, (const char *)p + c->offset, c->size);
	return c->size == sizeof(n.u64) ? n.u64 : c->size == sizeof(n.u32) ? n.u32 : n.u8;
}

static bool has_queues(const struct process *p)
{
	return p->gpu_queues;
}

static bool has_wait(const struct process *p)
{
	return !isnan(p->wait_percent);
}

static bool has_user(const struct process *p)
{
	return p->gpu_user_percent > 0;
}

static uint64_t load_queue(const struct process *p, const struct process_column *c)
{
	return p->gpu_queues ? load_number(p, c) : UNKNOWN;
}

/* Values in a separate section after that of the changes, because few processes have them. */
static const struct beside {
	const struct process_column *columns;
	size_t n;
	uint64_t (*load)(const struct process *p, const struct process_column *c);
	bool (*has)(const struct process *p);
} besides[MLOG_BESIDES] = {
	[MLOG_BESIDE_QUEUES] = {queues, ARRAY_LEN(queues), load_queue, has_queues},
	[MLOG_BESIDE_WAITS] = {waits, ARRAY_LEN(waits), load_number, has_wait},
	[MLOG_BESIDE_USERS] = {users, ARRAY_LEN(users), load_number, has_user},
};

static void store_number(struct process *p, const struct process_column *c, uint64_t value)
{
	union number n = {.u64 = value};

	if (c->size == sizeof(n.u32))
		n.u32 = (uint32_t)value;
	else if (c->size == sizeof(n.u8))
		n.u8 = (uint8_t)value;
	memcpy((char *)p + c->offset, &n, c->size);
}

void mlog_changes_fini(struct mlog_changes *c)
{
	free(c->gone);
	free(c->list.processes);
	*c = (struct mlog_changes){0};
}

/* ---- finding changes ---- */

static int compare_pids(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

static bool is_same(const struct process *x, const struct process *y)
{
	for (size_t i = 0; i < ARRAY_LEN(columns); i++)
		if (load_number(x, &columns[i]) != load_number(y, &columns[i]))
			return false;
	for (size_t b = 0; b < MLOG_BESIDES; b++)
		for (size_t i = 0; i < besides[b].n; i++)
			if (besides[b].load(x, &besides[b].columns[i]) !=
			    besides[b].load(y, &besides[b].columns[i]))
				return false;
	return strcmp(x->name, y->name) == 0 && strcmp(x->user, y->user) == 0;
}

static bool is_among(const int32_t *pids, unsigned n, int32_t pid)
{
	return n && bsearch(&pid, pids, n, sizeof(pid), compare_pids);
}

/* Return whether a process is gone, or a thread with its process. */
static bool is_gone(const struct mlog_changes *c, const struct process *p)
{
	return is_among(c->gone, c->n_gone, p->pid) ||
	       (p->is_thread && is_among(c->gone, c->n_gone, p->parent));
}

static void find_gone(struct mlog_changes *c, const struct process *before, unsigned n,
		      const struct process_list *now)
{
	const struct process *taken = NULL; /* the last process that is gone, with its threads */

	for (unsigned i = 0, j = 0; i < n; i++) {
		while (j < now->n && process_compare(&now->processes[j], &before[i]) < 0)
			j++;
		if ((j < now->n && process_compare(&now->processes[j], &before[i]) == 0) ||
		    (taken && before[i].is_thread && before[i].parent == taken->pid))
			continue;
		if (!before[i].is_thread)
			taken = &before[i];
		GROW(c->gone, c->n_gone, c->cap_gone);
		c->gone[c->n_gone++] = before[i].pid;
	}
	if (c->n_gone)
		qsort(c->gone, c->n_gone, sizeof(*c->gone), compare_pids);
}

void mlog_changes_find(struct mlog_changes *c, const struct process *before, unsigned n,
		       const struct process_list *now)
{
	c->list = (struct process_list){.processes = c->list.processes,
					.threads = now->threads,
					.n_hidden = now->n_hidden,
					.begin_ns = now->begin_ns,
					.end_ns = now->end_ns,
					.cost_ns = now->cost_ns};
	c->n_gone = 0;
	if (c->complete)
		n = 0;
	find_gone(c, before, n, now);
	for (unsigned i = 0, j = 0; j < now->n; j++) {
		const struct process *p = &now->processes[j];

		while (i < n && process_compare(&before[i], p) < 0)
			i++;
		if (i < n && process_compare(&before[i], p) == 0 && is_same(&before[i], p) && !is_gone(c, p))
			continue;
		GROW(c->list.processes, c->list.n, c->cap);
		c->list.processes[c->list.n++] = *p;
	}
}

/* ---- encoding and decoding ---- */

static void put_column(const struct mlog_changes *c, const struct process_column *column,
		       uint64_t (*load)(const struct process *p, const struct process_column *c),
		       struct strbuf *out)
{
	uint64_t before = 0;

	for (unsigned i = 0; i < c->list.n; i++) {
		uint64_t value = load(&c->list.processes[i], column);

		wire_signed(out, (int64_t)(value - before));
		before = value;
	}
}

void mlog_changes_put(const struct mlog_changes *c, int64_t base_ns, struct strbuf *out)
{
	bool is_interval = c->list.begin_ns > 0 && c->list.begin_ns < c->list.end_ns;
	uint64_t before = 0;

	wire_varint(out, !c->complete);
	wire_signed(out, (is_interval ? c->list.begin_ns : c->list.end_ns) - base_ns);
	wire_signed(out, c->list.end_ns - base_ns);
	wire_varint(out, c->list.cost_ns < 0 ? 0 : (uint64_t)c->list.cost_ns);
	wire_varint(out, c->list.n_hidden);
	wire_varint(out, c->list.threads);
	wire_varint(out, c->n_gone);
	for (unsigned i = 0; i < c->n_gone; before = (uint64_t)c->gone[i++])
		wire_signed(out, (int64_t)((uint64_t)c->gone[i] - before));
	wire_varint(out, c->list.n);
	for (size_t k = 0; k < ARRAY_LEN(columns); k++)
		put_column(c, &columns[k], load_number, out);
	for (unsigned i = 0; i < c->list.n; i++)
		wire_text(out, span_of(c->list.processes[i].name));
	for (unsigned i = 0; i < c->list.n; i++)
		wire_text(out, span_of(c->list.processes[i].user));
}

bool mlog_changes_put_beside(const struct mlog_changes *c, enum mlog_beside beside, struct strbuf *out)
{
	const struct beside *b = &besides[beside];
	bool any = false;

	for (unsigned i = 0; i < c->list.n; i++)
		any |= b->has(&c->list.processes[i]);
	for (size_t k = 0; any && k < b->n; k++)
		put_column(c, &b->columns[k], b->load, out);
	return any;
}

static int64_t get_time(struct wire *in, int64_t base_ns)
{
	return (int64_t)((uint64_t)base_ns + (uint64_t)wire_get_signed(in));
}

static void get_gone(struct mlog_changes *c, struct wire *in)
{
	unsigned n = (unsigned)wire_get_most(in, MLOG_PROCESSES_MAX);
	uint64_t pid = 0;

	for (c->n_gone = 0; c->n_gone < n && !in->bad; c->n_gone++) {
		pid += (uint64_t)wire_get_signed(in);
		in->bad |= (int64_t)pid != (int32_t)pid;
		GROW(c->gone, c->n_gone, c->cap_gone);
		c->gone[c->n_gone] = (int32_t)pid;
	}
	if (c->n_gone)
		qsort(c->gone, c->n_gone, sizeof(*c->gone), compare_pids);
}

static void get_column(struct mlog_changes *c, const struct process_column *column, struct wire *in)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < c->list.n && !in->bad; i++) {
		value += (uint64_t)wire_get_signed(in);
		in->bad |= value > column->most;
		store_number(&c->list.processes[i], column, value <= column->most ? value : 0);
	}
}

static void get_text(char *text, size_t size, struct wire *in)
{
	struct span span = wire_get_text(in);
	char raw[4 * PROCESS_NAME];

	if (span.n >= sizeof(raw))
		span.n = sizeof(raw) - 1;
	memcpy(raw, span.p, span.n);
	raw[span.n] = 0;
	str_printable(text, size, raw);
}

static void get_processes(struct mlog_changes *c, struct wire *in)
{
	size_t least = ARRAY_LEN(columns) + 2; /* bytes of a row */

	c->list.n = (unsigned)wire_get_most(in, MLOG_PROCESSES_MAX);
	if ((size_t)(in->end - in->p) / least < c->list.n)
		in->bad = true;
	if (in->bad)
		return;
	while (c->cap < c->list.n)
		GROW(c->list.processes, c->cap, c->cap);
	if (c->list.n) /* what a log does not hold is unset */
		memset(c->list.processes, 0, c->list.n * sizeof(*c->list.processes));
	for (size_t k = 0; k < ARRAY_LEN(columns); k++)
		get_column(c, &columns[k], in);
	for (unsigned i = 0; i < c->list.n; i++)
		get_text(c->list.processes[i].name, PROCESS_NAME, in);
	for (unsigned i = 0; i < c->list.n; i++) {
		struct process *p = &c->list.processes[i];

		get_text(p->user, PROCESS_USER, in);
		p->wait_percent = p->misses = NAN; /* they have no columns */
		p->kernel = !p->is_thread && !p->rss_bytes && p->name[0] == '[' &&
			    (p->pid == KTHREADD || p->parent == KTHREADD);
		if (p->state <= ' ' || p->state > '~')
			p->state = '?';
	}
}

bool mlog_changes_get(struct mlog_changes *c, int64_t base_ns, struct wire *in)
{
	c->complete = !wire_get_most(in, 1);
	c->list.begin_ns = get_time(in, base_ns);
	c->list.end_ns = get_time(in, base_ns);
	in->bad |= c->list.begin_ns > c->list.end_ns;
	if (c->list.begin_ns == c->list.end_ns)
		c->list.begin_ns = 0;
	c->list.cost_ns = (int64_t)wire_get_most(in, INT64_MAX);
	c->list.n_hidden = (unsigned)wire_get_most(in, UINT32_MAX);
	c->list.threads = wire_get_most(in, 1);
	get_gone(c, in);
	get_processes(c, in);
	return !in->bad && in->p == in->end;
}

bool mlog_changes_get_beside(struct mlog_changes *c, enum mlog_beside beside, struct wire *in)
{
	const struct beside *b = &besides[beside];

	if ((size_t)(in->end - in->p) / b->n < c->list.n)
		return false;
	for (size_t k = 0; k < b->n; k++)
		get_column(c, &b->columns[k], in);
	for (unsigned i = 0; beside == MLOG_BESIDE_QUEUES && i < c->list.n; i++) {
		struct process *p = &c->list.processes[i];

		p->gpu_queues = !isnan(p->gpu_fragment_percent) && !isnan(p->gpu_vertex_percent);
		if (!p->gpu_queues)
			p->gpu_fragment_percent = p->gpu_vertex_percent = 0;
	}
	return !in->bad && in->p == in->end;
}

/* ---- applying changes ---- */

/* Return a key that differs for a process and a thread with the same pid. */
static uint64_t key_of(const struct process *p)
{
	return (uint64_t)(uint32_t)p->pid << 1 | p->is_thread;
}

static int compare_keys(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Move the processes that are neither gone nor changed to the front of a list. Returns how many. */
static unsigned keep_unchanged(const struct mlog_changes *c, const struct process_list *list)
{
	AUTOFREE uint64_t *changed = xcalloc(c->list.n + 1, sizeof(*changed));
	unsigned n = 0;

	for (unsigned i = 0; i < c->list.n; i++)
		changed[i] = key_of(&c->list.processes[i]);
	qsort(changed, c->list.n, sizeof(*changed), compare_keys);
	for (unsigned i = 0; i < list->n; i++) {
		uint64_t key = key_of(&list->processes[i]);

		if (!is_gone(c, &list->processes[i]) &&
		    !bsearch(&key, changed, c->list.n, sizeof(key), compare_keys))
			list->processes[n++] = list->processes[i];
	}
	return n;
}

void mlog_changes_apply(const struct mlog_changes *c, struct process_list **list)
{
	struct process_list *old = *list, *now;
	unsigned n = 0;

	if (!c->complete && !old)
		return;
	if (!c->complete)
		n = keep_unchanged(c, old);
	*list = NULL;
	if (n + c->list.n <= MLOG_PROCESSES_MAX) {
		*list = now = xcalloc(1, sizeof(*now));
		*now = c->list;
		now->n = 0;
		now->processes = xcalloc(n + c->list.n + 1, sizeof(*now->processes));
		for (unsigned i = 0, j = 0; i < n || j < c->list.n;)
			now->processes[now->n++] =
				j == c->list.n || (i < n && process_compare(&old->processes[i],
									    &c->list.processes[j]) < 0)
					? old->processes[i++]
					: c->list.processes[j++];
	}
	process_list_free(old);
}
