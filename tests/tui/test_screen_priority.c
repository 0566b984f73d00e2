/* What is on the screen of the CPU's counters, in the order in which it matters. */
#include "tests/support/test.h"
#include "tui/screen.h"
#include "views/view.h"
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static struct slot slots[] = {
	{.name = "CPUCycles", .scale = 1},      {.name = "CPUInstructions", .scale = 1},
	{.name = "CPUL1DAccesses", .scale = 1}, {.name = "CPUL1DRefills", .scale = 1},
	{.name = "CPUL2Accesses", .scale = 1},  {.name = "CPUL2Refills", .scale = 1},
};

struct screen_priority_bench {
	struct session session;
	struct screen screen;
	const struct view *cpu;
};

FIXTURE(set_up)
{
	static struct screen_priority_bench b;
	const struct metric_set *sets[SOURCE_KINDS] = {0};
	struct err err;

	b = (struct screen_priority_bench){.session = {.n = 1}};
	b.session.db = gpudb_load(NULL, 0, &err);
	assert_non_null(b.session.db);
	b.session.sources[0] = (struct session_source){.kind = SOURCE_PERF};
	sets[SOURCE_PERF] = b.session.sources[0].set = metric_set_new(
		b.session.db, &(struct metric_source){.slots = slots, .n_slots = ARRAY_LEN(slots)}, &err);
	assert_non_null(sets[SOURCE_PERF]);
	b.screen = (struct screen){.session = &b.session};
	assert_true(views_init(&b.screen.views, NULL, sets, &err));
	b.cpu = views_find(&b.screen.views, "cpu");
	*state = &b;
	return 0;
}

FIXTURE(tear_down)
{
	struct screen_priority_bench *b = *state;

	views_fini(&b->screen.views);
	hits_fini(&b->screen.hits);
	metric_set_free(b->session.sources[0].set);
	gpudb_free(b->session.db);
	return 0;
}

TEST_EACH(set_up, tear_down)

static const struct metric *metric_of(const struct screen_priority_bench *b, const char *name)
{
	const struct metric *metric = metric_find(b->session.sources[0].set, span_of(name));

	assert_non_null(metric);
	return metric;
}

static void assert_priority(const struct screen_priority_bench *b, unsigned n_sure, const char *names)
{
	AUTO_STRBUF struct strbuf text = {0};
	struct source_priority priority;

	screen_priority(&b->screen, SOURCE_PERF, &priority);
	for (unsigned i = 0; i < priority.n; i++)
		strbuf_printf(&text, "%s%s", i ? " " : "", slots[priority.slots[i]].name);
	assert_string_equal(text.n ? text.p : "", names);
	assert_int_equal(priority.n_sure, n_sure);
}

static void draw_panel(struct screen_priority_bench *b, const char *name)
{
	for (unsigned i = 0; i < b->cpu->n_charts; i++)
		if (strcmp(b->cpu->charts[i].name, name) == 0)
			hits_add(&b->screen.hits, &(struct hit){.kind = HIT_PANEL,
								.at = {0, 0, 80, 6},
								.subject.chart = &b->cpu->charts[i]});
}

TEST(panels_and_the_selected_row_say_what_is_needed)
{
	struct screen_priority_bench *b = *state;

	assert_priority(b, 0, "");
	draw_panel(b, "misses");
	assert_priority(b, 0, "CPUL1DRefills CPUInstructions CPUL2Refills");
	draw_panel(b, "counters");
	assert_priority(b, 0,
			"CPUL1DRefills CPUInstructions CPUL2Refills CPUCycles CPUL1DAccesses CPUL2Accesses");
	b->screen.selected =
		(struct row_subject){.chart = b->cpu->charts, .metric = metric_of(b, "CPUL2MissRatio")};
	assert_priority(b, 2,
			"CPUL2Refills CPUL2Accesses CPUL1DRefills CPUInstructions CPUCycles CPUL1DAccesses");
}

TEST(rows_without_a_chart_of_their_own_count_if_they_are_in_sight)
{
	struct screen_priority_bench *b = *state;
	struct hit hit = {.kind = HIT_ROW, .at = {0, 0, 80, 0}};

	hit.subject.metric = metric_of(b, "CPUIPC");
	hits_add(&b->screen.hits, &hit);
	assert_priority(b, 0, ""); /* it is scrolled away */
	hit.at.h = 1;
	hits_add(&b->screen.hits, &hit);
	assert_priority(b, 0, "CPUInstructions CPUCycles");
}

TEST(a_source_that_is_not_shown_gets_no_priority)
{
	struct screen_priority_bench *b = *state;

	draw_panel(b, "counters");
	b->session.n = 0;
	assert_priority(b, 0, "");
	b->session.n = 1;
	b->session.sources[0].kind = SOURCE_CPU; /* another one */
	assert_priority(b, 0, "");
	b->session.sources[0].kind = SOURCE_PERF;
}
