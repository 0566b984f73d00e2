/* The frames and render passes of the simulated game, as malitop's layer would report them: a
 * second run of the GPU's model, without its counters. It has the same seed, so both simulate the
 * same frames.
 *
 * Timestamps are bottom-of-pipe, like those of the layer: a render pass starts when all earlier
 * render passes and the dispatches that it needs have ended. It includes its binning only where
 * this does not overlap them. Dispatches are on a separate queue. */
#include "backends/backends.h"
#include "backends/sim/sim_model.h"
#include "base/alloc.h"
#include "base/real.h"
#include "passes/pass_fold.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FRAMES_KEPT 8 /* exceeds the frames in flight */
#define DISPATCHES_KEPT 8
#define GAME_PID 5207 /* sim_processes.c */
#define PRESENT_SHARE 0.015
#define PROCESS_SHARE 1.6       /* CPU time of all threads, relative to that of the presenting thread */
#define PERIOD_MIN_NS 500000000 /* enough for a view, and keeps its history small */

/* A frame from its submission until the GPU has completed it. */
struct sim_frame {
	struct passes_event frame, passes[SIM_PASSES_MAX];
	int64_t began_ns[SIM_PASSES_MAX]; /* binning, by pass; 0: none */
	unsigned n;
};

struct sim_passes {
	struct sim_pace pace; /* first */
	struct sim_model model;
	struct pass_fold fold;
	struct sim_frame frames[FRAMES_KEPT];
	int64_t submitted_ns;                 /* submission of the frame before */
	int64_t rendered_ns;                  /* end of the last render pass */
	int64_t computed_ns[DISPATCHES_KEPT]; /* ends of the last dispatches; a ring */
	unsigned n_computed;
};

static void note_frame(void *ctx, uint64_t number, int64_t at_ns, unsigned in_flight)
{
	struct sim_passes *p = ctx;
	struct sim_frame *f = &p->frames[number % FRAMES_KEPT];
	const struct sim_scenario *s = &p->model.scenario;
	/* The main thread works for a share of the time, and waits in calls for the rest. A limiter
	 * that sleeps does so outside of them. */
	double ns = (double)(at_ns - p->submitted_ns),
	       work = s->cpu_frame > 0 || s->cpu.main >= 1
			      ? 1
			      : real_min(s->cpu.main * sim_scenario_phase(s, at_ns)->cpu, 0.97);
	uint32_t present_ns = (uint32_t)(ns * PRESENT_SHARE * (work < 1));

	*f = (struct sim_frame){
		.frame = {.type = PASSES_FRAME,
			  .kind = PASSES_PRESENT,
			  .frame = number,
			  .begin_ns = p->submitted_ns,
			  .end_ns = at_ns,
			  .present_ns = present_ns,
			  .thread_ns = (uint32_t)(ns * work),
			  .process_ns = (uint32_t)(ns * work * PROCESS_SHARE),
			  .wait_ns = s->sleeps > 0 ? 0 : (uint32_t)(ns * (1 - work)) - present_ns,
			  .submits = 1,
			  .in_flight = (uint16_t)in_flight}};
	p->submitted_ns = at_ns;
}

/* A render pass can start when its binning has started, and its fragments when their job has. */
static void add_pass(struct sim_passes *p, struct sim_frame *f, const struct sim_job *job, unsigned index,
		     int64_t end_ns)
{
	bool renders = job->stream == STREAM_FRAGMENT;
	int64_t begin_ns = renders && f->began_ns[index] ? f->began_ns[index] : job->begin_ns;
	double pixels = job->pass->pixels, width = p->model.width, height = p->model.height;

	if (pixels < 1) /* a shadow map or the like */
		width = height = real_root(pixels * width * height);
	if (renders && begin_ns < p->rendered_ns)
		begin_ns = p->rendered_ns;
	for (unsigned i = 0; i < DISPATCHES_KEPT && renders; i++)
		if (p->computed_ns[i] > begin_ns && p->computed_ns[i] <= job->begin_ns)
			begin_ns = p->computed_ns[i];
	if (!renders)
		p->computed_ns[p->n_computed++ % DISPATCHES_KEPT] = end_ns;
	f->passes[f->n++] = (struct passes_event){.type = PASSES_PASS,
						  .kind = renders ? PASSES_RENDER : PASSES_COMPUTE,
						  .queue = !renders,
						  .name = (uint16_t)(index + 1),
						  .frame = job->frame,
						  .begin_ns = begin_ns,
						  .end_ns = end_ns,
						  .width = renders ? (uint16_t)width : 0,
						  .height = renders ? (uint16_t)height : 0};
	if (renders)
		p->rendered_ns = end_ns;
}

static void note_job(void *ctx, const struct sim_job *job, int64_t end_ns)
{
	struct sim_passes *p = ctx;
	struct sim_frame *f = &p->frames[job->frame % FRAMES_KEPT];
	unsigned index = (unsigned)(job->pass - p->model.scenario.passes);

	if (job->stream == STREAM_VERTEX)
		f->began_ns[index] = job->begin_ns;
	else if (f->n < SIM_PASSES_MAX)
		add_pass(p, f, job, index, end_ns);
	if (!job->ends_frame)
		return;
	for (unsigned i = 0; i < f->n; i++)
		pass_fold_event(&p->fold, &f->passes[i], end_ns);
	f->frame.passes = f->n;
	pass_fold_event(&p->fold, &f->frame, end_ns);
}

static bool sim_passes_open(struct source *source, const char *device, struct err *err)
{
	struct sim_passes *p = source->priv;
	struct slot slots[PASS_FOLD_SLOTS];

	(void)device;
	if (!sim_model_init(&p->model, &source->options, err))
		return false;
	source->simulated = true;
	snprintf(source->title, sizeof(source->title), "Frames and passes");
	snprintf(source->driver, sizeof(source->driver), "sim %s", p->model.scenario.name);
	pass_fold_slots(&p->fold, slots);
	for (unsigned i = 0; i < ARRAY_LEN(slots); i++)
		source_add_slot(source, &slots[i]);
	source->n_more = PASS_MORE_WORDS;
	p->pace.least_ns = PERIOD_MIN_NS;
	p->model.watcher = (struct sim_watcher){.ctx = p, .frame = note_frame, .job = note_job};
	return true;
}

static bool sim_passes_start(struct source *source, int64_t period_ns, int64_t now_ns, struct err *err)
{
	struct sim_passes *p = source->priv;

	pass_fold_start(&p->fold, p->model.fps);
	return sim_start(source, period_ns, now_ns, err);
}

static void write_name(const void *scenario, unsigned name, unsigned ordinal, char *text, size_t size)
{
	(void)ordinal;
	snprintf(text, size, "%.*s",
		 SPAN_ARG(((const struct sim_scenario *)scenario)->passes[name - 1].name));
}

static enum read_result sim_passes_read(struct source *source, int64_t now_ns, struct sample *sample)
{
	struct sim_passes *p = source->priv;

	if (!sim_pace_next(&p->pace, now_ns, sample))
		return READ_NONE;
	sim_model_run(&p->model, p->pace.sim_ns);
	pass_fold_sample(&p->fold,
			 &(struct pass_fold_app){.apps = 1,
						 .pid = GAME_PID,
						 .writer = PASSES_VULKAN,
						 .stamp = PASSES_STAMP_BOTTOM,
						 .title = "com.example.game",
						 .driver = "",
						 .name = write_name,
						 .names = &p->model.scenario},
			 sample->value);
	pass_fold_records(&p->fold, p->pace.sim_ns, source->n_slots, sample);
	return READ_GOT;
}

static void sim_passes_describe(const struct source *source, struct strbuf *text)
{
	(void)source;
	strbuf_str(text, "the frames and passes of the simulated game\n");
}

const struct backend backend_sim_passes = {
	.name = "sim-passes",
	.help = "the frames and render passes of the simulated game",
	.part_of = "sim",
	.kind = SOURCE_PASSES,
	.priv_size = sizeof(struct sim_passes),
	.probe = sim_probe,
	.open = sim_passes_open,
	.start = sim_passes_start,
	.read = sim_passes_read,
	.stop = sim_stop,
	.close = sim_stop,
	.describe = sim_passes_describe,
};
