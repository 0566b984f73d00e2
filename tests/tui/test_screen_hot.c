/* The view Hot: its columns, its history, and whose functions it shows. */
#include "tui/screen_hot.h"
#include "base/alloc.h"
#include "views/hot.h"
#include "views/widget.h"
#include "tests/support/golden.h"

#include <stdio.h>

#define SECONDS 10

/* Samples of a second of `tid`, of a process of its own, in a function. */
static void add_samples(struct screen_hot *hot, uint32_t pid, uint32_t tid, const char *thread,
			const char *name, uint64_t count)
{
	struct hot_profile *p = &hot->profile;
	struct hot_node node = {
		.function = hot_profile_function(
			p, &(struct hot_function){name, "libgame.so", 0x1000 + span_hash(span_of(name)) % 97,
						  64})};
	struct hot_hit hit = {.count = count, .weight = count};

	hit.node = hot_profile_node(p, &node);
	hit.thread = hot_profile_thread(
		p, &(struct hot_thread){pid, tid, thread, pid == 100 ? "com.game" : "server\033[2J"});
	hot_profile_hit(p, &hit);
}

static void make_shown(struct screen_hot *hot)
{
	hot_table_fini(&hot->table);
	hot_table_make(&hot->table, &hot->profile, &hot->scope);
	hot->shown = (struct hot_shown){.profile = &hot->profile,
					.table = &hot->table,
					.scope = hot->scope,
					.event = "cycles, 199 Hz per busy CPU",
					.whose = hot->whose[0] ? hot->whose : "all",
					.past = &hot->past,
					.one_cpu = 199,
					.seconds = SECONDS,
					.cost = 0.3,
					.busy = 100.0 * (double)hot->table.count / 199 / SECONDS};
}

static void make_hot(struct screen_hot *hot)
{
	*hot = (struct screen_hot){0};
	add_samples(hot, 100, 101, "GameMain", "Physics::step", 1200);
	add_samples(hot, 100, 102, "Worker", "Particles::simulate", 500);
	add_samples(hot, 100, 102, "Worker", "Physics::step", 40);
	add_samples(hot, 100, 101, "GameMain", "memcpy", 8);
	add_samples(hot, 200, 200, "server", "poll", 300);
	hot->past.n = hot->profile.n_functions;
	hot->past.seconds = xcalloc(hot->past.n, sizeof(*hot->past.seconds));
	for (unsigned i = 0; i < SECONDS; i++) {
		hot->past.seconds[0][HOT_PAST - 1 - i] = (uint16_t)(199 - 15 * i);
		hot->past.seconds[1][HOT_PAST - 1 - i] = i % 2 ? 100 : 0;
	}
	make_shown(hot);
}

static void assert_drawn(const struct screen_hot *hot, const char *name, int cols, int rows, bool ascii)
{
	static const struct chart chart = {.name = "hot-functions"};
	struct view_data data = {.hot = &hot->shown};
	AUTO_STRBUF struct strbuf out = {0};
	struct hits hits = {.n = 0};
	struct canvas c;

	data.hits = &hits;
	canvas_init(&c, cols, rows, ascii);
	widget_hot.draw(&(struct drawing){&chart, &data, &c}, canvas_rect(&c));
	canvas_dump(&c, &out);
	canvas_fini(&c);
	hits_fini(&hits);
	assert_int_equal(golden_compare(name, out.p), 0);
}

TEST(the_hottest_come_first_with_share_margin_and_history)
{
	struct screen_hot hot;

	make_hot(&hot);
	assert_drawn(&hot, "hot/all-120", 120, 8, false);
	assert_drawn(&hot, "hot/all-80-ascii", 80, 8, true);
	assert_drawn(&hot, "hot/more-60", 60, 5, false); /* the rest in one row */
	screen_hot_fini(&hot);
}

TEST(the_scope_goes_from_a_process_to_its_thread_to_all)
{
	struct screen_hot hot;
	uint64_t item;

	make_hot(&hot);
	item = hot_row_item(&hot.profile, &hot.table.rows[1]); /* of Worker */
	screen_hot_next_scope(&hot, item);
	assert_int_equal(hot.scope.pid, 100);
	assert_int_equal(hot.scope.tid, 0);
	assert_string_equal(hot.whose, "com.game (100)");
	make_shown(&hot);
	assert_int_equal(hot.table.count, 1748);
	screen_hot_next_scope(&hot, item);
	assert_int_equal(hot.scope.pid, 100);
	assert_int_equal(hot.scope.tid, 102);
	assert_string_equal(hot.whose, "thread Worker (102)");
	make_shown(&hot);
	assert_int_equal(hot.table.count, 540);
	assert_drawn(&hot, "hot/thread-120", 120, 6, false);
	screen_hot_next_scope(&hot, 0);
	assert_int_equal(hot.scope.pid, 0);
	assert_string_equal(hot.whose, "");
	screen_hot_fini(&hot);
}

TEST(a_process_is_shown_with_its_threads_and_a_thread_alone)
{
	struct process process = {.pid = 200, .name = "server"}, thread = {.pid = 102, .parent = 100};
	struct screen_hot hot;

	make_hot(&hot);
	snprintf(thread.name, sizeof(thread.name), "Worker");
	thread.is_thread = true;
	screen_hot_of_process(&hot, &process);
	assert_int_equal(hot.scope.pid, 200);
	assert_int_equal(hot.scope.tid, 0);
	screen_hot_of_process(&hot, &thread);
	assert_int_equal(hot.scope.pid, 100);
	assert_int_equal(hot.scope.tid, 102);
	screen_hot_fini(&hot);
}

/* What a process calls itself is not for the terminal as it is. */
TEST(names_are_printable)
{
	struct screen_hot hot;

	make_hot(&hot);
	screen_hot_next_scope(&hot, hot_row_item(&hot.profile, &hot.table.rows[2]));
	assert_int_equal(hot.scope.pid, 200);
	assert_null(strchr(hot.whose, '\033'));
	screen_hot_fini(&hot);
}

TEST(no_samples_have_no_scope)
{
	struct screen_hot hot = {0};

	screen_hot_next_scope(&hot, 7);
	assert_int_equal(hot.scope.pid, 0);
	screen_hot_fini(&hot);
}

TEST(no_screen_is_left_over)
{
	assert_int_equal(golden_strays("hot"), 0);
}
