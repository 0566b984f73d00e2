/* sim_watch: a simulated GPU with its metrics, over as many samples as a test likes. */
#ifndef SIM_WATCH_H
#define SIM_WATCH_H

#include "tests/support/sim_run.h"

struct sim_watch {
	struct sim_run run;
	struct metric_set *set;
	struct column *column;
	double *vector, *own; /* inputs of formulas: of the GPU, and room for those of one instance */
};

static inline void sim_watch_init(struct sim_watch *w, const struct source_options *o, int64_t period_ns)
{
	sim_run_init(&w->run, o, period_ns);
	w->set = sim_run_metrics(&w->run);
	w->column = xcalloc(1, sizeof(*w->column) + w->run.source.n_slots * sizeof(double));
	w->vector = xcalloc(w->set->n_vector, sizeof(double));
	w->own = xcalloc(w->set->n_vector, sizeof(double));
}

/* As sim_watch_init, of another part of the simulated phone. */
static inline void sim_watch_part(struct sim_watch *w, const struct backend *backend,
				  const struct source_options *o, int64_t period_ns)
{
	struct err err = {0};

	*w = (struct sim_watch){.run.source = {.backend = backend, .kind = backend->kind, .options = *o}};
	w->run.source.priv = xcalloc(1, backend->priv_size);
	if (!backend->open(&w->run.source, "", &err) || !backend->start(&w->run.source, period_ns, 0, &err))
		fail_msg("%s", err.text);
	w->run.sample = xcalloc(1, sizeof(*w->run.sample) +
					   (w->run.source.n_slots + w->run.source.n_more) * sizeof(uint64_t));
	w->run.sample->n_values = w->run.source.n_slots;
	w->set = sim_run_metrics(&w->run);
	w->column = xcalloc(1, sizeof(*w->column) + w->run.source.n_slots * sizeof(double));
	w->vector = xcalloc(w->set->n_vector, sizeof(double));
	w->own = xcalloc(w->set->n_vector, sizeof(double));
}

static inline void sim_watch_fini(struct sim_watch *w)
{
	free(w->own);
	free(w->vector);
	free(w->column);
	metric_set_free(w->set);
	sim_run_fini(&w->run);
}

/* Folds n more samples as history does: steady slots without those in which the clock changed. */
static inline void sim_watch_read(struct sim_watch *w, unsigned n)
{
	w->column->time_ns = 0;
	w->column->n_samples = n;
	memset(w->column->value, 0, w->run.source.n_slots * sizeof(double));
	while (n--) {
		const struct sample *sample = sim_run_read(&w->run);

		w->column->time_ns += w->run.source.period_ns;
		for (unsigned i = 0; i < w->run.source.n_slots; i++)
			if (sample->value[i] == SAMPLE_UNKNOWN)
				w->column->value[i] = (double)NAN;
			else if (w->run.source.slots[i].kind != SLOT_STEADY ||
				 !(sample->flags & SAMPLE_CLOCK))
				w->column->value[i] += (double)sample->value[i];
	}
	metric_vector(w->set, w->column, w->vector);
}

/* Compiles the first of `formulas`, separated by '|', that the GPU has; false if it has none. */
static inline bool sim_watch_compile(const struct sim_watch *w, const char *formulas, struct expr *out)
{
	struct span all = span_of(formulas);
	struct err err;

	while (all.n)
		if (metric_compile(w->set, w->run.source.options.db, span_trim(span_until(&all, '|')), false,
				   out, &err))
			return true;
	return false;
}

/* NaN if the GPU has none of `formulas`. */
static inline double sim_watch_value(const struct sim_watch *w, const char *formulas)
{
	struct expr expr = {0};
	double x;

	if (!sim_watch_compile(w, formulas, &expr))
		return (double)NAN;
	x = expr_eval(&expr, w->vector);
	expr_fini(&expr);
	return x;
}

#endif
