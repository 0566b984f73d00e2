/* chase: follow pointers through memory in an order that no prefetcher knows, as many in a small
 * list as in a big one: what a read costs in every cache and behind the last of them. */
#include "tests/workloads/loops.h"
#include "tests/workloads/ticks.h"
#include "tests/workloads/workload.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>

#define LINE 64
#define SAMPLES_MAX 1000
#define SAMPLES_MIN 16

struct chase_line {
	struct chase_line *next;
	char rest[LINE - sizeof(struct chase_line *)];
};

struct chase_list {
	struct chase_line *lines; /* aligned */
	uint64_t n, chases;
	struct chase_line *at;
};

static void chase(void *arg)
{
	struct chase_list *list = arg;

	list->at = loops_chase(list->at, list->chases);
}

/* One ring through all lines, in the order of a Fisher-Yates shuffle. */
static void list_init(struct chase_list *list, uint64_t size, uint64_t chases)
{
	AUTOFREE uint32_t *order = NULL;
	uint64_t state = 1;
	void *memory;

	list->n = size / LINE;
	list->chases = chases;
	if (!list->n || list->n > UINT32_MAX || posix_memalign(&memory, LINE, list->n * LINE) != 0) {
		fprintf(stderr, "chase: %llu bytes: no list has this size\n", (unsigned long long)size);
		exit(2);
	}
	list->at = list->lines = memory;
	order = xcalloc(list->n, sizeof(*order));
	for (uint64_t i = 0; i < list->n; i++) {
		uint64_t k = workload_random(&state) % (i + 1);

		order[i] = order[k];
		order[k] = (uint32_t)i;
	}
	for (uint64_t i = 0; i < list->n; i++)
		list->lines[order[i]].next = &list->lines[order[(i + 1) % list->n]];
}

static struct workload_counts predict_counts(const struct workload *w, const struct chase_list *list)
{
	struct workload_counts p = workload_nothing();
	uint64_t l1 = workload_cache(w, 1), size = list->n * LINE;

	if (LOOPS_CHASE) {
		p.count[WORKLOAD_INSTRUCTIONS] = LOOPS_CHASE * list->chases;
		p.count[WORKLOAD_BRANCHES] = list->chases;
	}
	p.count[WORKLOAD_BRANCH_MISSES] = 0;
	p.count[WORKLOAD_L1D_READS] = list->chases;
	/* Near the size of the cache the result is not predictable. */
	if (l1 && (size <= l1 / 2 || size >= 4 * l1))
		p.count[WORKLOAD_L1D_MISSES] = size <= l1 / 2 ? 0 : list->chases;
	return p;
}

static int compare_ticks(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Time one chase per traversal, at another place each time. Returns how many, sorted, in ticks. */
static unsigned sample_ticks(struct chase_list *list, uint64_t ticks[SAMPLES_MAX])
{
	uint64_t n = list->chases / list->n, state = 1;

	n = n > SAMPLES_MAX ? SAMPLES_MAX : n < SAMPLES_MIN ? SAMPLES_MIN : n;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t at = list->n > 2 ? 1 + workload_random(&state) % (list->n - 2) : 1, before;

		list->at = loops_chase(list->at, at);
		before = loops_ticks();
		list->at = loops_chase(list->at, 1);
		ticks[i] = loops_ticks() - before;
		if (list->n > at + 1)
			list->at = loops_chase(list->at, list->n - at - 1);
	}
	qsort(ticks, n, sizeof(*ticks), compare_ticks);
	return (unsigned)n;
}

/* What a sample costs without a chase, in ticks; and how long a tick is. */
static uint64_t calibrate(const struct sys *sys, double *ns_per_tick)
{
	int64_t begin = sys->monotonic_ns(sys), now;
	uint64_t first = loops_ticks(), bias = UINT64_MAX, last;

	do {
		uint64_t before = loops_ticks();

		last = loops_ticks();
		bias = last - before < bias ? last - before : bias;
		now = sys->monotonic_ns(sys);
	} while (now - begin < 20000000);
	*ns_per_tick = last > first ? (double)(now - begin) / (double)(last - first) : 1;
	return bias;
}

/* Rows of ns, each a quarter of an octave, with a bar; rows of less than one in a hundred are left
 * out. */
static void histogram(const struct workload *w, struct chase_list *list)
{
	static const char bar[] = "##################################################";
	uint64_t ticks[SAMPLES_MAX], bias;
	double ns_per_tick, low = 0, high = 0.5;
	unsigned n, done = 0;

	bias = calibrate(&w->sys, &ns_per_tick);
	n = sample_ticks(list, ticks);
	for (unsigned i = 0; i < n; i++)
		ticks[i] = ticks[i] > bias ? ticks[i] - bias : 0;
	workload_value("clock-bias-ns", (double)bias * ns_per_tick);
	workload_value("median-ns", (double)ticks[n / 2] * ns_per_tick);
	while (done < n) {
		unsigned begin = done;

		while (done < n && (double)ticks[done] * ns_per_tick < high)
			done++;
		if ((done - begin) * 100 >= n)
			printf("%8.1f to %8.1f ns %6u %.*s\n", low, high, done - begin,
			       (int)((done - begin) * (sizeof(bar) - 1) / n), bar);
		low = high;
		high *= 1.189207115;
	}
}

static void run_size(struct workload *w, uint64_t size)
{
	struct workload_counts predicted, measured;
	struct chase_list list;
	char title[64];

	list_init(&list, size, w->iterations);
	predicted = predict_counts(w, &list);
	snprintf(title, sizeof(title), "%llu KiB: %llu chases", (unsigned long long)size / 1024,
		 (unsigned long long)list.chases);
	measured = workload_run(w, title, &predicted, chase, &list);
	workload_check(w, (uint64_t)(list.at - list.lines) < list.n, "the chase left the list");
	workload_value("ns-per-access", (double)measured.wall_ns / (double)list.chases);
	histogram(w, &list);
	printf("\n");
	free(list.lines);
}

int main(int argc, char **argv)
{
	struct workload w;
	uint64_t first, last;

	workload_init(&w, "chase", 0, 1 << 22, argc, argv);
	first = workload_cache(&w, 1);
	last = workload_cache(&w, 0);
	first = first ? first / 8 : 4096;
	last = last ? 4 * last : 32 << 20;
	if (w.size)
		first = last = w.size;
	for (uint64_t size = first; size <= last; size *= 2)
		run_size(&w, size);
	return workload_end(&w);
}
