/* What the model costs: loading, compiling, evaluating, and samples on their way. Prints figures;
 * judges nothing. */
#include "backends/backend.h"
#include "base/alloc.h"
#include "model/history.h"
#include "model/metric.h"
#include "model/ring.h"

#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 15
#define EVALUATIONS 400
#define SAMPLES 20000

static struct sys sys;

static double now_us(void)
{
	return (double)sys.monotonic_ns(&sys) * 1e-3;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Runs something ROUNDS times and prints minimum, median and maximum of what it took, per `per`. */
static void measure_cost(const char *what, const char *unit, const char *aim, double per, void (*run)(void *),
			 void *arg)
{
	double took[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		double start = now_us();

		run(arg);
		took[i] = (now_us() - start) / per;
	}
	qsort(took, ROUNDS, sizeof(*took), by_value);
	printf("%-44s %10.3f %10.3f %10.3f  %-10s %s\n", what, took[0], took[ROUNDS / 2], took[ROUNDS - 1],
	       unit, aim);
}

struct bench_model {
	struct gpudb *db;
	const struct gpu_product *product;
	struct source source;
	struct metric_set *set;
	double *vector;
	struct sample *sample;
	volatile double sink;
};

static struct metric_set *compile_formulas(const struct bench_model *b)
{
	struct err err;

	return metric_set_new(b->db,
			      &(struct metric_source){.product = b->product,
						      .slots = b->source.slots,
						      .n_slots = b->source.n_slots,
						      .constants.core_count = 4,
						      .constants.l2_slice_count = 2,
						      .constants.bus_width_bits = 128},
			      &err);
}

static void run_load(void *arg)
{
	struct err err;

	(void)arg;
	gpudb_free(gpudb_load(NULL, 0, &err));
}

static void run_compile(void *arg)
{
	metric_set_free(compile_formulas(arg));
}

static void run_evaluate(void *arg)
{
	struct bench_model *b = arg;

	for (int r = 0; r < EVALUATIONS; r++)
		for (unsigned i = 0; i < b->set->n_metrics; i++)
			b->sink = metric_value(&b->set->metrics[i], b->vector);
}

static void run_samples(void *arg)
{
	struct bench_model *b = arg;
	struct ring *ring = ring_new(ring_bytes(64, b->sample->n_values));
	struct history *h = history_new(b->source.slots, b->source.n_slots, b->source.n_slots, 1000000);
	int64_t at = 0;

	for (int i = 0; i < SAMPLES; i++) {
		b->sample->seq++;
		b->sample->begin_ns = at;
		b->sample->end_ns = at += 1000000;
		ring_push(ring, b->sample);
		history_push(h, ring_peek(ring));
		ring_release(ring);
	}
	history_free(h);
	ring_free(ring);
}

static void bench_gpu(struct bench_model *b, bool samples)
{
	char what[80];

	b->source = (struct source){.product = b->product};
	source_add_gpu_sums(&b->source);
	b->set = compile_formulas(b);
	b->vector = xcalloc(b->set->n_vector, sizeof(*b->vector));
	b->sample = xcalloc(1, sizeof(*b->sample) + b->source.n_slots * sizeof(uint64_t));
	b->sample->n_values = b->source.n_slots;
	for (unsigned i = 0; i < b->set->n_vector; i++)
		b->vector[i] = 1000 + 37 * i;
	snprintf(what, sizeof(what), "%s: compile %u metrics", b->product->name, b->set->n_metrics);
	measure_cost(what, "us", "2000 us with the loading", 1, run_compile, b);
	snprintf(what, sizeof(what), "%s: evaluate one metric", b->product->name);
	measure_cost(what, "us", "0.015 us", (double)b->set->n_metrics * EVALUATIONS, run_evaluate, b);
	if (samples)
		measure_cost("  one sample through ring and history", "us", "", SAMPLES, run_samples, b);
	metric_set_free(b->set);
	free(b->vector);
	free(b->sample);
	free(b->source.slots);
}

int main(void)
{
	struct bench_model b = {0};
	struct err err;

	if (!sys_init(&sys, NULL, &err) || !(b.db = gpudb_load(NULL, 0, &err))) {
		fprintf(stderr, "bench_model: %s\n", err.text);
		return 1;
	}
	printf("%-44s %10s %10s %10s  %-10s %s\n", "", "minimum", "median", "maximum", "", "aim");
	measure_cost("load all data", "us", "", 1, run_load, NULL);
	for (unsigned i = 0; i < b.db->n_products; i++) {
		b.product = gpudb_product(b.db, i);
		bench_gpu(&b, i + 1 == b.db->n_products || gpudb_by_name(b.db, "G715") == b.product);
	}
	gpudb_free(b.db);
	sys_fini(&sys);
	return 0;
}
