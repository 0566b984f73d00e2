/* sim_screen: a screen over a simulated GPU, without a terminal. */
#ifndef SIM_SCREEN_H
#define SIM_SCREEN_H

#include "tests/support/sim_run.h"
#include "tui/screen.h"

#define SIM_SCREEN_PERIOD_NS (100 * MS)

struct sim_screen {
	struct sim_run run;
	struct session session;
	struct feeds feeds;
	struct screen screen;
	struct canvas canvas;
};

/* Measure for n more intervals, which are refreshes, too. */
static inline void sim_screen_run(struct sim_screen *s, unsigned n)
{
	while (n--) {
		uint64_t seq = s->run.sample->seq;

		sim_run_read(&s->run);
		s->run.sample->seq = seq + 1;
		feeds_take(&s->feeds, s->run.sample);
		feeds_step(&s->feeds);
	}
}

static inline void sim_screen_init(struct sim_screen *s, struct gpudb *db, const char *gpu,
				   const char *scenario)
{
	const struct source_options options = {.db = db,
					       .gpu_name = gpu,
					       .scenario = scenario,
					       .seed = 1,
					       .interval_ns = SIM_SCREEN_PERIOD_NS,
					       .frames_per_second = 60,
					       .width = 1920,
					       .height = 1080};
	struct session_source *source = &s->session.sources[0];
	const struct metric_set *sets[SOURCE_KINDS] = {0};
	struct err err;

	*s = (struct sim_screen){0};
	sim_run_init(&s->run, &options, SIM_SCREEN_PERIOD_NS);
	*source = (struct session_source){.kind = SOURCE_GPU,
					  .n_slots = s->run.source.n_slots,
					  .n_sums = s->run.source.n_slots,
					  .period_ns = SIM_SCREEN_PERIOD_NS,
					  .set = sim_run_metrics(&s->run)};
	s->session.db = db;
	s->session.n = 1;
	s->session.gpu = source;
	feeds_init(&s->feeds, &s->session, 0, SIM_SCREEN_PERIOD_NS);
	sets[SOURCE_GPU] = source->set;
	s->screen = (struct screen){.session = &s->session, .feeds = &s->feeds};
	if (!views_init(&s->screen.views, NULL, sets, &err))
		fail_msg("%s", err.text);
	s->screen.view = s->screen.views.views;
	screen_judge_follow(&s->screen.judge, &s->session);
}

/* The finding of that name, to be changed. */
static inline struct judged *sim_screen_finding(struct sim_screen *s, const char *name)
{
	struct judge *judge = s->screen.judge.judge;

	for (unsigned i = 0; i < judge->n_findings; i++)
		if (!strcmp(judge->findings[i].def->name, name))
			return &judge->findings[i];
	fail_msg("no finding %s", name);
	return NULL;
}

static inline void sim_screen_fini(struct sim_screen *s)
{
	screen_judge_fini(&s->screen.judge);
	views_fini(&s->screen.views);
	hits_fini(&s->screen.hits);
	feeds_fini(&s->feeds);
	metric_set_free(s->session.sources[0].set);
	sim_run_fini(&s->run);
}

#endif
