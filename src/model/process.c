#include "model/process.h"

#include "base/alloc.h"
#include "base/search.h"
#include "model/sample.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
#define LAST UINT64_MAX /* rank of unknown values */

void process_list_free(struct process_list *list)
{
	if (!list)
		return;
	free(list->processes);
	free(list->commands);
	free(list->past);
	free(list);
}

void process_list_bound(struct process_list *list, double gpu_active)
{
	double sum = 0;

	list->gpu_active = (float)gpu_active;
	for (unsigned i = 0; i < list->n; i++)
		if (!list->processes[i].is_thread && !isnan(list->processes[i].gpu_percent))
			sum += (double)list->processes[i].gpu_percent;
	for (unsigned i = 0; i < list->n && sum > gpu_active; i++)
		list->processes[i].gpu_percent *= (float)(gpu_active / sum);
}

/* Return the sort key of the list: a thread follows its process. */
static int32_t group_of(const struct process *p)
{
	return p->is_thread ? p->parent : p->pid;
}

int process_compare(const struct process *a, const struct process *b)
{
	int32_t x = group_of(a), y = group_of(b);

	if (x != y)
		return x < y ? -1 : 1;
	if (a->is_thread != b->is_thread)
		return a->is_thread ? 1 : -1;
	return (a->pid > b->pid) - (a->pid < b->pid);
}

const struct process *process_find(const struct process_list *list, int32_t pid)
{
	unsigned at = search_first(list->n, i, group_of(&list->processes[i]) >= pid);

	if (at < list->n && list->processes[at].pid == pid && !list->processes[at].is_thread)
		return &list->processes[at];
	for (unsigned i = 0; list->threads && i < list->n; i++)
		if (list->processes[i].pid == pid)
			return &list->processes[i];
	return NULL;
}

const struct process *process_busiest(const struct process_list *list)
{
	const struct process *busiest = NULL;
	float most = 0, hidden = 0, rest = 0; /* rest: of the process, minus its threads so far */

	for (unsigned i = 0; i < list->n; i++) {
		const struct process *p = &list->processes[i];
		float percent = isnan(p->cpu_percent) ? 0 : p->cpu_percent;

		if (p->is_thread)
			rest -= percent;
		else
			rest = p->threads > 1 ? percent : 0;
		if ((p->is_thread || p->threads <= 1) && percent > most) {
			busiest = p;
			most = percent;
		}
		if ((i + 1 == list->n || !list->processes[i + 1].is_thread) && rest > hidden)
			hidden = rest;
	}
	return hidden > most ? NULL : busiest;
}

/* ---- order ---- */

/* One row while it is sorted. Numbers and the beginnings of texts are ranks, which compare quickly,
 * so that sorting does not touch the list itself, which is larger than a cache. */
struct process_item {
	uint64_t rank, more; /* ascending; more: the next 8 bytes of a text */
	const char *rest;    /* the rest of a longer text, else "" */
	uint32_t index;
};

static unsigned char folded_char(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static uint64_t descending_rank(uint64_t v)
{
	return v == SAMPLE_UNKNOWN ? LAST : LAST - 1 - v;
}

static uint64_t rank_count(const void *field)
{
	return descending_rank(*(const uint64_t *)field);
}

static uint64_t rank_threads(const void *field)
{
	uint32_t threads = *(const uint32_t *)field;

	return threads ? descending_rank(threads) : LAST;
}

/* The bits of non-negative doubles have the same order as the values. */
static uint64_t rank_value(const void *field)
{
	double v = (double)*(const float *)field;
	uint64_t bits;

	if (isnan(v))
		return LAST;
	v = v > 0 ? v : 0;
	memcpy(&bits, &v, sizeof(bits));
	return descending_rank(bits);
}

static uint64_t rank_pid(const void *field)
{
	return (uint64_t)((int64_t) * (const int32_t *)field - INT32_MIN);
}

/* Return the next 8 bytes of a text as a number with the same order, and advance. */
static uint64_t pack_text(const char **text)
{
	uint64_t packed = 0;

	for (unsigned i = 0; i < sizeof(packed); i++) {
		packed = packed << 8 | folded_char(**text);
		*text += **text != 0;
	}
	return packed;
}

static uint64_t rank_text(const void *field)
{
	const char *text = field;

	return text[0] ? pack_text(&text) : LAST;
}

/* Running and waiting processes come first. */
static uint64_t rank_state(const void *field)
{
	static const char states[] = "RDTtZXSI";
	const char *found = memchr(states, *(const char *)field, sizeof(states) - 1);

	return found ? (uint64_t)(found - states) : LAST;
}

static const struct {
	uint64_t (*rank)(const void *field);
	size_t offset;
} keys[PROCESS_KEYS] = {
	[PROCESS_BY_CPU] = {rank_value, offsetof(struct process, cpu_percent)},
	[PROCESS_BY_MEMORY] = {rank_count, offsetof(struct process, rss_bytes)},
	[PROCESS_BY_GPU] = {rank_value, offsetof(struct process, gpu_percent)},
	[PROCESS_BY_GPU_MEMORY] = {rank_count, offsetof(struct process, gpu_bytes)},
	[PROCESS_BY_TIME] = {rank_count, offsetof(struct process, cpu_ns)},
	[PROCESS_BY_PID] = {rank_pid, offsetof(struct process, pid)},
	[PROCESS_BY_NAME] = {rank_text, offsetof(struct process, name)},
	[PROCESS_BY_USER] = {rank_text, offsetof(struct process, user)},
	[PROCESS_BY_THREADS] = {rank_threads, offsetof(struct process, threads)},
	[PROCESS_BY_STATE] = {rank_state, offsetof(struct process, state)},
	[PROCESS_BY_IPC] = {rank_value, offsetof(struct process, ipc)},
	[PROCESS_BY_GPU_FRAGMENT] = {rank_value, offsetof(struct process, gpu_fragment_percent)},
	[PROCESS_BY_GPU_VERTEX] = {rank_value, offsetof(struct process, gpu_vertex_percent)},
	[PROCESS_BY_WAIT] = {rank_value, offsetof(struct process, wait_percent)},
	[PROCESS_BY_MISSES] = {rank_value, offsetof(struct process, misses)},
};

static void put_item(struct process_item *item, const struct process *p, uint32_t index,
		     const struct process_order *order)
{
	const char *field = (const char *)p + keys[order->key].offset;

	*item = (struct process_item){.rank = keys[order->key].rank(field), .rest = "", .index = index};
	if (keys[order->key].rank == rank_text && item->rank != LAST) {
		item->rest = field;
		item->rank = pack_text(&item->rest);
		item->more = pack_text(&item->rest);
		if (!*item->rest)
			item->rest = ""; /* a constant stays in the cache; the list does not */
	}
	if (order->reversed && item->rank != LAST) {
		item->rank = LAST - 1 - item->rank;
		item->more = ~item->more;
	}
}

/* Return whether b, which is after a, must come before it. */
static inline bool is_out_of_order(const struct process_item *a, const struct process_item *b, bool reversed)
{
	if (a->rank != b->rank)
		return b->rank < a->rank;
	if (a->more != b->more)
		return b->more < a->more;
	return reversed ? strcasecmp(b->rest, a->rest) > 0 : strcasecmp(b->rest, a->rest) < 0;
}

/* A merge sort, because equal items must stay in the order of pids and most are equal (idle).
 * `spare` has room for n / 2. */
static void sort_items(struct process_item *items, struct process_item *spare, unsigned n, bool reversed)
{
	unsigned half = n / 2, left = 0, right = half;

	if (n < 2)
		return;
	sort_items(items, spare, half, reversed);
	sort_items(items + half, spare, n - half, reversed);
	if (!is_out_of_order(&items[half - 1], &items[half], reversed))
		return;
	memcpy(spare, items, half * sizeof(*items));
	for (unsigned to = 0; left < half; to++)
		items[to] = right < n && is_out_of_order(&spare[left], &items[right], reversed)
				    ? items[right++]
				    : spare[left++];
}

/* ---- filter ---- */

static bool pid_contains(int32_t pid, const char *digits)
{
	char text[12];
	char *p = text + sizeof(text) - 1;

	*p = 0;
	do
		*--p = (char)('0' + pid % 10);
	while ((pid /= 10) > 0);
	return strstr(p, digits) != NULL;
}

bool process_contains(const struct process *p, const char *text)
{
	bool is_number = text[strspn(text, "0123456789")] == 0;

	return strcasestr(p->name, text) || strcasestr(p->user, text) ||
	       (p->command && strcasestr(p->command, text)) ||
	       (is_number && p->pid >= 0 && pid_contains(p->pid, text));
}

struct filter {
	const struct process_order *order;
	uint64_t uid; /* the user if it is a number, else UINT64_MAX */
};

static struct filter filter_of(const struct process_order *order)
{
	struct filter f = {.order = order, .uid = UINT64_MAX};

	if (order->user && !span_u64(span_of(order->user), &f.uid))
		f.uid = UINT64_MAX;
	return f;
}

/* Whether it may be shown at all, even as the parent of what the text finds. */
static bool is_wanted(const struct filter *f, const struct process *p)
{
	const struct process_order *o = f->order;

	return (!o->user || p->uid == f->uid || strcmp(p->user, o->user) == 0) &&
	       !(o->no_kernel && p->kernel) && !(o->tasks && p->threads > 1) &&
	       !(o->processes && p->is_thread);
}

static bool is_found(const struct filter *f, const struct process *p)
{
	const char *text = f->order->filter;

	return is_wanted(f, p) && (!text || !text[0] || process_contains(p, text));
}

static unsigned arrange_flat(const struct process_list *list, const struct process_order *order,
			     struct process_row *rows)
{
	AUTOFREE struct process_item *items = xcalloc(list->n + list->n / 2 + 1, sizeof(*items));
	struct filter filter = filter_of(order);
	unsigned n = 0;

	for (unsigned i = 0; i < list->n; i++)
		if (is_found(&filter, &list->processes[i]))
			put_item(&items[n++], &list->processes[i], i, order);
	sort_items(items, items + n, n, order->reversed);
	for (unsigned i = 0; i < n; i++)
		rows[i] = (struct process_row){.process = &list->processes[items[i].index]};
	return n;
}

/* ---- tree ---- */

/* Nodes are indexed like the list; one more, after the last, is the root. */
struct node {
	uint32_t parent, first, next; /* next: sibling; NONE */
	uint32_t walk;                /* the last walk that visited it, in break_cycles */
	bool shown;
};

/* The indices of processes in the list, without threads, by pid. */
struct pid_index {
	int32_t *pids;
	uint32_t *indices;
	unsigned n;
};

static uint32_t find_index(const struct pid_index *index, int32_t pid)
{
	unsigned at = search_first(index->n, i, index->pids[i] >= pid);

	return at < index->n && index->pids[at] == pid ? index->indices[at] : NONE;
}

static void find_parents(const struct process_list *list, struct node *nodes)
{
	AUTOFREE int32_t *pids = xcalloc(list->n + 1, sizeof(*pids));
	AUTOFREE uint32_t *indices = xcalloc(list->n + 1, sizeof(*indices));
	struct pid_index index = {.pids = pids, .indices = indices};

	for (uint32_t i = 0; i < list->n; i++)
		if (!list->processes[i].is_thread) {
			pids[index.n] = list->processes[i].pid;
			indices[index.n++] = i;
		}
	for (uint32_t i = 0; i < list->n; i++) {
		uint32_t parent = find_index(&index, list->processes[i].parent);

		nodes[i] = (struct node){.parent = parent != NONE && parent != i ? parent : list->n,
					 .first = NONE,
					 .next = NONE};
	}
	nodes[list->n] = (struct node){.parent = NONE, .first = NONE, .next = NONE};
}

/* Break cycles of parents. Reading a list takes time, so a process may seem to descend from itself
 * if a pid is reused meanwhile. */
static void break_cycles(struct node *nodes, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = i;

		while (at != n && !nodes[at].walk) {
			nodes[at].walk = i + 1;
			if (nodes[nodes[at].parent].walk == i + 1)
				nodes[at].parent = n;
			at = nodes[at].parent;
		}
	}
}

static void show_found(const struct process_list *list, const struct process_order *order, struct node *nodes)
{
	struct filter filter = filter_of(order);

	for (uint32_t i = 0; i < list->n; i++)
		if (is_found(&filter, &list->processes[i]))
			for (uint32_t at = i; at != list->n && !nodes[at].shown; at = nodes[at].parent)
				nodes[at].shown = true;
	for (uint32_t i = 0; i < list->n; i++)
		nodes[i].shown = nodes[i].shown && is_wanted(&filter, &list->processes[i]);
}

/* Link children from the last to the first, so that each becomes the first child of its parent. */
static void join_children(const struct process_list *list, const struct process_order *order,
			  struct node *nodes)
{
	AUTOFREE struct process_item *items = xcalloc(list->n + list->n / 2 + 1, sizeof(*items));
	unsigned n = 0;

	for (uint32_t i = 0; i < list->n; i++)
		if (nodes[i].shown)
			put_item(&items[n++], &list->processes[i], i, order);
	sort_items(items, items + n, n, order->reversed);
	while (n--) {
		struct node *node = &nodes[items[n].index];

		if (node->parent != list->n && !nodes[node->parent].shown)
			node->parent = list->n;
		node->next = nodes[node->parent].first;
		nodes[node->parent].first = items[n].index;
	}
}

static unsigned arrange_tree(const struct process_list *list, const struct process_order *order,
			     struct process_row *rows)
{
	AUTOFREE struct node *nodes = xcalloc(list->n + 1, sizeof(*nodes));
	unsigned n = 0, depth = 0;

	find_parents(list, nodes);
	break_cycles(nodes, list->n);
	show_found(list, order, nodes);
	join_children(list, order, nodes);
	for (uint32_t at = nodes[list->n].first; at != NONE;) {
		rows[n++] = (struct process_row){.process = &list->processes[at],
						 .depth = (uint16_t)(depth < UINT16_MAX ? depth : UINT16_MAX),
						 .last = nodes[at].next == NONE};
		if (nodes[at].first != NONE) {
			at = nodes[at].first;
			depth++;
			continue;
		}
		while (at != list->n && nodes[at].next == NONE) {
			at = nodes[at].parent;
			depth--;
		}
		at = at == list->n ? NONE : nodes[at].next;
	}
	return n;
}

unsigned process_arrange(const struct process_list *list, const struct process_order *order,
			 struct process_row *rows)
{
	return order->tree ? arrange_tree(list, order, rows) : arrange_flat(list, order, rows);
}
