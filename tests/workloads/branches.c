/* branches: count the '1' among characters. In random text the CPU guesses one of two branches, and
 * half of these guesses are wrong. */
#include "tests/workloads/loops.h"
#include "tests/workloads/workload.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

struct text {
	char *text;
	uint64_t n, times, ones;
};

static void count_letters(void *arg)
{
	struct text *t = arg;

	for (uint64_t i = 0; i < t->times; i++)
		t->ones = loops_ones(t->text, t->n);
}

static void fill_text(struct text *t, const char *letters)
{
	uint64_t state = 1;

	for (uint64_t i = 0; i < t->n; i++)
		t->text[i] = letters[workload_random(&state) >> 63];
}

static struct workload_counts predict_counts(const struct text *t, uint64_t ones, bool random)
{
	struct workload_counts p = workload_nothing();

	if (LOOPS_ONES) {
		p.count[WORKLOAD_INSTRUCTIONS] = (LOOPS_ONES * t->n + ones) * t->times;
		p.count[WORKLOAD_BRANCHES] = 2 * t->n * t->times;
	}
	p.count[WORKLOAD_BRANCH_MISSES] = random ? t->n / 2 * t->times : 0;
	p.count[WORKLOAD_L1D_READS] = t->n * t->times;
	return p;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name, *letters;
	} cases[] = {{"random", "01"}, {"ones", "11"}, {"zeroes", "00"}};
	struct workload w;
	struct text t;

	workload_init(&w, "branches", 4000000, 10, argc, argv);
	t = (struct text){.text = xmalloc(w.size), .n = w.size, .times = w.iterations};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct workload_counts predicted;
		uint64_t ones = 0;
		char title[64];

		fill_text(&t, cases[i].letters);
		for (uint64_t k = 0; k < t.n; k++)
			ones += (uint64_t)(t.text[k] - '0');
		predicted = predict_counts(&t, ones, cases[i].letters[0] != cases[i].letters[1]);
		snprintf(title, sizeof(title), "%s: %llu characters", cases[i].name, (unsigned long long)t.n);
		workload_run(&w, title, &predicted, count_letters, &t);
		workload_check(&w, t.ones == ones, "the number of ones");
		printf("\n");
	}
	alloc_cleanup_free(&t.text);
	return workload_end(&w);
}
