/* sim_run: a simulated GPU that a test reads at its own pace, with the metrics it feeds. */
#ifndef SIM_RUN_H
#define SIM_RUN_H

#include "backends/backends.h"
#include "base/alloc.h"
#include "model/metric.h"
#include "tests/support/fixture.h"
#include "tests/support/shipped.h"
#include "tests/support/sim_scenarios.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000ll

struct sim_run {
	struct source source;
	struct sample *sample;
	int64_t now_ns;
};

static inline void sim_run_init(struct sim_run *run, const struct source_options *options, int64_t period_ns)
{
	struct err err = {0};

	*run = (struct sim_run){.source = {.backend = &backend_sim, .options = *options}};
	run->source.priv = xcalloc(1, backend_sim.priv_size);
	if (!backend_sim.open(&run->source, "", &err) || !backend_sim.start(&run->source, period_ns, 0, &err))
		fail_msg("%s", err.text);
	run->sample = xcalloc(1, sizeof(*run->sample) + (run->source.n_slots + run->source.n_more) *
								sizeof(run->sample->value[0]));
	run->sample->n_values = run->source.n_slots;
}

static inline void sim_run_fini(struct sim_run *run)
{
	run->source.backend->stop(&run->source);
	run->source.backend->close(&run->source);
	free(run->source.priv);
	free(run->source.slots);
	free(run->sample);
}

/* One more interval. */
static inline const struct sample *sim_run_read(struct sim_run *run)
{
	run->now_ns += run->source.period_ns;
	run->sample->n_more = (uint16_t)run->source.n_more;
	if (run->source.backend->read(&run->source, run->now_ns, run->sample) != READ_GOT)
		fail_msg("no sample at %lld ns", (long long)run->now_ns);
	return run->sample;
}

static inline unsigned sim_run_slot(const struct sim_run *run, const char *name, enum instance_kind kind,
				    unsigned number)
{
	for (unsigned i = 0; i < run->source.n_slots; i++) {
		const struct slot *slot = &run->source.slots[i];

		if (slot->instance == kind && slot->number == number && !strcmp(slot->name, name))
			return i;
	}
	fail_msg("%s has no slot %s", run->source.title, name);
	return 0;
}

/* Sum of `n` more samples, one number per slot; owned by the caller. */
static inline uint64_t *sim_run_sum(struct sim_run *run, unsigned n)
{
	uint64_t *sum = xcalloc(run->source.n_slots, sizeof(*sum));

	while (n--) {
		const struct sample *sample = sim_run_read(run);

		for (unsigned i = 0; i < run->source.n_slots; i++)
			sum[i] += sample->value[i] == SAMPLE_UNKNOWN ? 0 : sample->value[i];
	}
	return sum;
}

static inline struct metric_set *sim_run_metrics(const struct sim_run *run)
{
	const struct source *s = &run->source;
	struct err err = {0};
	struct metric_set *set = metric_set_new(s->options.db,
						&(struct metric_source){.product = s->product,
									.slots = s->slots,
									.n_slots = s->n_slots,
									.constants = s->constants},
						&err);

	if (!set)
		fail_msg("%s", err.text);
	return set;
}

#endif
