/* What one kind of chart is for: classes of latency, stages that cull, rows by core, tables,
 * clusters; and the shipped ones of every GPU. */
#include "tests/support/board.h"

#define VIEW "view v\n  key 1\n  title V\n"

TEST(histogram_shows_now_and_total_with_a_word_for_each_class)
{
	static const char text[] =
		VIEW "chart c\n  title Latency\n  widget histogram\n  words fast, very slow\n"
		     "  series Share | 0-127\n  series Watched | 128+\n";
	static const struct {
		int cols;
		const char *want;
	} cases[] = {
		{100,
		 "                                                                 now 0.5 s   since start\n"
		 "   0-127 ############################............................   50.0 %        50.0 %   "
		 "fast\n"
		 "    128+ ############################............................   50.0 %!       50.0 %   "
		 "very slow\n"},
		{60, "                         now 0.5 s   since start\n"
		     "   0-127 ########........   50.0 %        50.0 %   fast\n"
		     "    128+ ########........   50.0 %!       50.0 %   very slow\n"},
		{40, "                   now 0.5 s\n"
		     "   0-127 #####.....   50.0 %   fast\n"
		     "    128+ #####.....   50.0 %!  very slow\n"},
	};
	struct tiny t;

	tiny_init(&t);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *got = tiny_shown(&t, text, cases[i].cols, 12, true);

		expect_text(got, cases[i].want);
	}
	tiny_fini(&t);
}

TEST(histogram_in_a_tight_place_keeps_the_slowest_classes)
{
	static const char text[] =
		VIEW "chart c\n  title Latency\n  widget histogram\n  words a, b, c, d, e, f, g, h, i, j, k\n"
		     "  series Share | 1\n  series Share | 2\n  series Share | 3\n  series Share | 4\n"
		     "  series Share | 5\n  series Share | 6\n  series Share | 7\n  series Share | 8\n"
		     "  series Share | 9\n  series Share | 10\n  series Share | 11\n";
	AUTOFREE char *got = NULL;
	struct tiny t;

	tiny_init(&t);
	got = tiny_shown(&t, text, 50, 10, true);
	assert_null(strstr(got, " 2 #"));
	expect_text(got, "       3 ");
	expect_text(got, "      11 ");
	expect_text(got, "  k\n");
	tiny_fini(&t);
}

TEST(histogram_of_counts_is_drawn_to_the_largest)
{
	static const char text[] = VIEW "chart c\n  widget histogram\n  series Bytes | all\n";
	AUTOFREE char *got = NULL;
	struct tiny t;

	tiny_init(&t);
	got = tiny_shown(&t, text, 60, 10, true);
	expect_text(got, "     all ###################   2.00 GB/s         2.00 GB/s\n");
	tiny_fini(&t);
}

TEST(funnel_shows_what_each_stage_kills_of_what_enters_it)
{
	struct gpudb *db = shipped();
	AUTOFREE char *got = NULL, *nothing = NULL;
	struct board b;

	board_init(&b, db, "Mali-G715", 0, 0);
	*slot_of(&b, "MaliGeomFaceCullPrim", INSTANCE_ALL, 0) = 6e6;
	*slot_of(&b, "MaliGeomPlaneCullPrim", INSTANCE_ALL, 0) = 1.5e6;
	*slot_of(&b, "MaliGeomSampleCullPrim", INSTANCE_ALL, 0) = 0.5e6;
	*slot_of(&b, "MaliGeomVisiblePrim", INSTANCE_ALL, 0) = 4e6;
	got = shown(&b, "geometry", 73, 30, true);
	expect_text(got, "input    #####################   24.0 M/s       400 k              100 %\n"
			 "facing   ###########++++++++++   24.0 M/s       400 k    50.0 %   50.0 %\n"
			 "frustum  ########+++             12.0 M/s       200 k    25.0 %   12.5 %\n"
			 "sample   #######+                9.00 M/s       150 k    11.1 %    4.2 %\n"
			 "visible  #######                 8.00 M/s       133 k             33.3 %!\n");
	for (unsigned i = 0; i < b.n_slots; i++)
		b.now[VECTOR_CONSTANTS + i] = 0;
	nothing = shown(&b, "geometry", 73, 30, true);
	expect_text(nothing, "input                               0 /s          0                  -\n"
			     "facing                              0 /s          0         -        -\n");
	board_fini(&b);
	gpudb_free(db);
}

TEST(funnel_counts_for_each_shown_frame_or_else_for_each_wanted_one)
{
	static const struct {
		bool known;
		double rate; /* shown frames per second */
		int cols;
		const char *want[3];
	} cases[] = {
		{true, 30, 120, {"entering         per frame    killed ", "M/s             400 k    25.0 %"}},
		{true, 30, 76, {"entering   per frame    killed ", "12.0 M/s       400 k    25.0 %"}},
		/* the application stands still, or its frames are not known at this moment */
		{true, 0, 76, {"entering   per frame    killed ", "12.0 M/s         -      25.0 %"}},
		{true, NAN, 76, {"entering   per frame    killed ", "12.0 M/s         -      25.0 %"}},
		/* 60 frames per second are wanted, whatever the vector says */
		{false, NAN, 120, {"entering  per target frame    killed ", "M/s             200 k    25.0"}},
		{false, 30, 76, {"entering  per target    killed ", "12.0 M/s       200 k    25.0 %"}},
		{true, 30, 60, {"entering    killed ", "12.0 M/s    25.0 %"}},
	};
	struct gpudb *db = shipped();
	struct board b;

	board_init(&b, db, "Mali-G715", 0, 0);
	*slot_of(&b, "MaliGeomFaceCullPrim", INSTANCE_ALL, 0) = 6e6;
	*slot_of(&b, "MaliGeomPlaneCullPrim", INSTANCE_ALL, 0) = 1.5e6;
	*slot_of(&b, "MaliGeomSampleCullPrim", INSTANCE_ALL, 0) = 0.5e6;
	*slot_of(&b, "MaliGeomVisiblePrim", INSTANCE_ALL, 0) = 4e6;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *got = NULL;

		b.data.frames_known = cases[i].known;
		b.now[VECTOR_FRAME_RATE] = cases[i].rate;
		got = shown(&b, "geometry", cases[i].cols, 30, true);
		for (size_t k = 0; cases[i].want[k]; k++)
			expect_text(got, cases[i].want[k]);
	}
	board_fini(&b);
	gpudb_free(db);
}

TEST(funnel_has_the_stages_of_each_gpu_in_its_own_order)
{
	static const char old[] = "input facing, XY frustum, Z sample visible ";
	static const char valhall[] = "input facing frustum sample visible ";
	static const char fifth[] = "input frustum scissor facing sample visible ";
	static const struct {
		const char *gpu, *stages;
	} cases[] = {
		{"G71", old},      {"G72", old},      {"G31", old},          {"G51", old},
		{"G52", old},      {"G76", old},      {"G57", old},          {"G68", old},
		{"G77", old},      {"G78", old},      {"G78AE", old},        {"G310", old},
		{"G510", old},     {"G610", old},     {"G710", old},         {"G615", valhall},
		{"G715", valhall}, {"G620", fifth},   {"G720", fifth},       {"G625", fifth},
		{"G725", fifth},   {"G1-Pro", fifth}, {"G1-Premium", fifth}, {"G1-Ultra", fifth},
	};
	struct gpudb *db = shipped();

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *got = NULL;
		AUTO_STRBUF struct strbuf stages = {0};
		struct board b;

		board_init(&b, db, cases[i].gpu, 0, 0);
		got = shown(&b, "geometry", 100, 27, true);
		/* the first column of the first panel, up to the bars */
		for (const char *row = strchr(got, '\n') + 1; *row == '|'; row = strchr(row, '\n') + 1) {
			struct span label = {row + 2, strcspn(row + 2, "#=-\n")};

			label = span_trim((struct span){label.p, label.n < 10 ? label.n : 10});
			if (label.n) /* no heading */
				strbuf_printf(&stages, "%.*s ", SPAN_ARG(label));
		}
		assert_string_equal(stages.p, cases[i].stages);
		board_fini(&b);
	}
	gpudb_free(db);
}

/* A number per frame is of a frame that was shown, or says that it is of a wanted one. */
TEST(without_frames_a_screen_says_that_they_are_wanted)
{
	static const char *const labels[] = {"used, target ", "needs target ", "px, target "};
	struct gpudb *db = shipped();
	struct board b;

	board_init(&b, db, "G715", 3, 2);
	for (int turn = 0; turn < 2; turn++) { /* and back */
		AUTOFREE char *known = NULL, *wanted = NULL, *saturated = NULL, *narrow = NULL;

		views_frames(&b.views, true, true);
		known = shown(&b, "fragment", 200, 60, true);
		assert_non_null(strstr(known, "a frame needs"));
		assert_null(strstr(known, "target"));
		views_frames(&b.views, false, false);
		wanted = shown(&b, "fragment", 200, 60, true);
		assert_non_null(strstr(wanted, "Cycles per screen pixel at 60 fps target"));
		assert_non_null(strstr(wanted, "target"));
		views_frames(&b.views, false, true);
		saturated = shown(&b, "overview", 160, 48, true);
		assert_non_null(strstr(saturated, "more if below 60 fps"));
		narrow = shown(&b, "fragment", 160, 48, true);
		for (size_t i = 0; i < ARRAY_LEN(labels); i++) /* whole, and of a wanted frame */
			assert_non_null(strstr(narrow, labels[i]));
	}
	board_fini(&b);
	gpudb_free(db);
}

TEST(every_value_of_the_screens_exists_on_every_gpu_that_counts)
{
	static const char *const names[] = {"memory", "geometry", "core"};
	struct gpudb *db = shipped();

	for (unsigned i = 0; i < db->n_products; i++)
		for (size_t j = 0; j < ARRAY_LEN(names); j++)
			for (int each = 0; each < 2; each++) {
				AUTOFREE char *got = NULL;
				struct board b;

				board_init(&b, db, db->products[i].name, 3, 2);
				b.data.per_instance = each;
				got = shown(&b, names[j], 100, 60, false);
				for (char *row = got, *end; row && *row; row = end ? end + 1 : NULL) {
					end = strchr(row, '\n');
					if (end)
						*end = 0;
					if (strstr(row, "–"))
						fail_msg("%s, %s: %s", db->products[i].name, names[j], row);
				}
				board_fini(&b);
			}
	gpudb_free(db);
}

TEST(nothing_measured_draws_no_numbers_at_any_size)
{
	static const int cols[] = {40, 41, 47, 56, 60, 79, 80, 81, 99, 100, 131, 200, 500};
	struct gpudb *db = shipped();
	struct board b;

	board_init(&b, db, "G1-Ultra", 5, 3);
	for (int each = 0; each < 2; each++)
		for (unsigned v = 0; v < b.views.n_views; v++)
			for (size_t i = 0; i < ARRAY_LEN(cols); i++)
				for (int rows = 10; rows < 60; rows += 7)
					for (int empty = 0; empty < 2; empty++) {
						AUTOFREE char *got = NULL;

						b.data.feeds[SOURCE_GPU] =
							(struct feed){.set = b.set,
								      .n_vector = b.set->n_vector,
								      .now = empty ? NULL : b.now,
								      .total = empty ? NULL : b.now,
								      .now_column = b.column,
								      .points = empty ? NULL : b.points,
								      .n_points = empty ? 0 : TINY_POINTS};
						b.data.per_instance = each;
						got = shown(&b, b.views.views[v].name, cols[i], rows, i % 2);
						assert_null(strstr(got, "nan"));
					}
	board_fini(&b);
	gpudb_free(db);
}

TEST(sorted_units_change_places_every_five_seconds_at_most)
{
	static const char text[] =
		VIEW "chart c\n  widget rows\n  sort load\n  sub Share | steady\n  sub Clock | jumpy\n";
	static const char *const orders[] = {"steady", "jumpy"};
	/* refreshes of 0.5 s; the first one that ends at 100 s on a whole block of 5 s. Share is 50
	 * %, Clock what a test says. */
	static const struct {
		int since;      /* refreshes since 100 s */
		int high_from;  /* the refresh after 100 s from which Clock is high */
		unsigned first; /* what comes first */
	} cases[] = {
		{0, -20, 1}, {1, 1, 0}, {9, 1, 0}, {10, 1, 1}, {19, 1, 1}, {19, 11, 0}, {20, 11, 1},
	};
	struct tiny t;

	tiny_init(&t);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *got = NULL;
		const char *a, *b;

		t.column->end_ns = 100000000000 + cases[i].since * 500000000ll;
		for (int back = 0; back < TINY_POINTS; back++) {
			bool high = cases[i].since - back >= cases[i].high_from;

			tiny_point(&t, back, 50, 100, 0, high ? 90 : 10);
		}
		got = tiny_shown(&t, text, 80, 12, true);
		a = strstr(got, orders[0]);
		b = strstr(got, orders[1]);
		if ((a < b ? 0u : 1u) != cases[i].first)
			fail_msg("case %zu:\n%s", i, got);
	}
	tiny_fini(&t);
}

TEST(an_idle_core_stands_out_among_its_like)
{
	struct gpudb *db = shipped();
	AUTOFREE char *got = NULL, *sums = NULL;
	struct board b;

	board_init(&b, db, "Mali-G52", 3, 1);
	for (unsigned i = 0; i < 3; i++)
		*slot_of(&b, "MaliFragWarp", INSTANCE_CORE, i) = i == 1 ? 0 : 3e6;
	*slot_of(&b, "MaliFragWarp", INSTANCE_ALL, 0) = 6e6;
	sums = shown(&b, "core", 120, 60, true);
	expect_text(sums, "fragment warps");
	expect_text(sums, "12.0 M/s");
	b.data.per_instance = true;
	got = shown(&b, "core", 120, 60, true);
	expect_text(got, "fragment warps");
	expect_text(got, "| mean");
	expect_text(got, "| core1");
	expect_text(got, " 6.00 M/s   |");
	expect_text(got, " 0 /s !  |");
	board_fini(&b);
	gpudb_free(db);
}

TEST(without_values_per_core_the_sums_stay_and_say_how_to_get_them)
{
	static const char hint[] = " no values per core: run or record with --per-core\n";
	static const char *const names[] = {"core", "geometry", "counters"};
	struct gpudb *db = shipped();
	struct board b;

	board_init(&b, db, "Mali-G625", 0, 0);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		AUTOFREE char *sums = NULL, *each = NULL;

		b.data.per_instance = true;
		each = shown(&b, names[i], 100, 31, true);
		b.data.per_instance = false;
		if (strcmp(names[i], "counters") == 0) { /* its columns say that there is nothing else */
			sums = shown(&b, names[i], 100, 31, true);
			assert_string_equal(each, sums);
			continue;
		}
		sums = shown(&b, names[i], 100, 30, true);
		assert_int_equal(strncmp(each, hint, sizeof(hint) - 1), 0);
		assert_string_equal(each + sizeof(hint) - 1, sums);
	}
	board_fini(&b);
	gpudb_free(db);
}

TEST(table_lists_every_counter_under_its_block_and_scrolls)
{
	struct gpudb *db = shipped();
	AUTOFREE char *top = NULL, *end = NULL, *beyond = NULL;
	struct board b;

	board_init(&b, db, "Mali-G31", 0, 0);
	*slot_of(&b, "MaliGPUActiveCy", INSTANCE_ALL, 0) = 300123456;
	*slot_of(&b, "MaliSCBusLSOtherWrBt", INSTANCE_ALL, 0) = NAN;
	top = shown(&b, "counters", 100, 20, true);
	expect_text(top,
		    "|                           name                            per second  since start     "
		    "  in 0.5 s |\n"
		    "| Front end                                                                             "
		    "           |\n"
		    "| MESSAGES_SENT             -                               14.0 M/s     7.00 M         "
		    "   7000000 |\n"
		    "| MESSAGES_RECEIVED         -                               6.00 M/s     3.00 M         "
		    "   3000000 |\n"
		    "| GPU active cycles         MaliGPUActiveCy                  600 Mcy/s    300 Mcy       "
		    " 300123456 |\n");
	/* counters and four headings, without an unknown one; border and heads do not scroll */
	assert_int_equal(b.scroll.max, (int)gpudb_by_name(db, "G31")->layout->n_counters + 4 - 17 - 1);
	b.scroll.at = b.scroll.max;
	end = shown(&b, "counters", 100, 20, true);
	expect_text(end, "since start       in 0.5 s |\n| Shader cores, all together ");
	assert_null(strstr(end, "MaliSCBusLSOtherWrBt"));
	b.scroll.at = 1 << 20;
	beyond = shown(&b, "counters", 100, 20, true);
	assert_string_equal(end, beyond);
	b.data.filter = "LSOtherWr"; /* the unknown one is there on request */
	AUTOFREE char *asked = shown(&b, "counters", 100, 20, true);
	expect_text(asked, " MaliSCBusLSOtherWrBt               -            -                    - |\n");
	board_fini(&b);
	gpudb_free(db);
}

TEST(table_spreads_counters_over_cores_and_slices)
{
	struct gpudb *db = shipped();
	AUTOFREE char *got = NULL;
	struct board b;

	board_init(&b, db, "Mali-G31", 3, 2);
	*slot_of(&b, "MaliFragWarp", INSTANCE_CORE, 1) = 3e6;
	*slot_of(&b, "MaliFragWarp", INSTANCE_CORE, 2) = 500;
	b.data.per_instance = true;
	got = shown(&b, "counters", 100, 200, true);
	expect_text(got, "  slice0  slice1 ");
	expect_text(got, "   core0   core1   core2 ");
	expect_text(got, " 200 M/s     1.00 k   66.7 M  66.7 M  6.00 M  1.00 k ");
	board_fini(&b);
	gpudb_free(db);
}

/* A CPU of clusters 0 and 1 (the tiny source has them on slot A). */
TEST(clusters_have_a_row_each_under_the_whole)
{
	static const char text[] = VIEW "chart c\n  title CPU\n  widget clusters\n  series Share | activity\n"
					"  series Clock | clock\n";
	AUTOFREE char *got = NULL;
	struct tiny t;

	tiny_init(&t);
	got = tiny_shown(&t, text, 60, 12, true);
	expect_text(got, "                            activity       clock  last 10 s\n"
			 "all CPUs        ######.....   50.0 %    2.00 GHz  ==========\n"
			 "cluster0        ##.........   20.0 %       -      __________\n"
			 "Cortex-A76 x4   ####.......   30.0 %       -      __________\n");
	tiny_fini(&t);
}

TEST(columns_of_a_single_row_go_on_below_it)
{
	static const char text[] = VIEW
		"chart c\n  title CPU\n  widget clusters\n  plain yes\n  rows single\n  series Share | "
		"activity\n"
		"  series Clock | clock\n  series Bytes | bytes\n"
		"chart d\n  title Several\n  widget clusters\n  rows several\n  series Share | activity\n";
	static const char *const names[TINY_SLOTS] = {"A", "B", "C", "D"};
	struct slot slots[TINY_SLOTS + 1];
	AUTOFREE char *got = NULL;
	struct tiny t;
	struct err err;

	tiny_init(&t);
	for (unsigned i = 0; i < TINY_SLOTS; i++)
		slots[i] = (struct slot){.name = names[i], .scale = 1};
	slots[TINY_SLOTS] = (struct slot){.name = "A", .instance = INSTANCE_CLUSTER, .scale = 1};
	metric_set_free(t.set);
	t.set = metric_set_new(t.db, &(struct metric_source){.slots = slots, .n_slots = TINY_SLOTS + 1},
			       &err);
	assert_non_null(t.set);
	t.data.feeds[SOURCE_GPU].set = t.set;
	t.data.feeds[SOURCE_GPU].n_vector = t.set->n_vector;
	got = tiny_shown(&t, text, 48, 12, true);
	expect_text(got, "                 activity       clock\n"
			 "all CPUs           50.0 %    2.00 GHz\n"
			 "                       bytes\n"
			 "all CPUs           2.00 GB/s\n");
	assert_null(strstr(got, "Several"));
	tiny_fini(&t);
}

TEST(cpus_follow_their_clusters_and_scroll)
{
	static const char text[] =
		VIEW "chart c\n  title CPU\n  widget clusters\n  series Share | activity\n";
	static const char *const names[TINY_SLOTS] = {"A", "B", "C", "D"};
	struct slot slots[TINY_SLOTS + 14];
	AUTOFREE char *whole = NULL, *each = NULL, *end = NULL;
	AUTOFREE double *now = NULL;
	struct tiny t;
	struct err err;
	struct view_scroll scroll = {0};

	tiny_init(&t);
	for (unsigned i = 0; i < TINY_SLOTS; i++)
		slots[i] = (struct slot){.name = names[i], .scale = 1};
	slots[TINY_SLOTS] = (struct slot){
		.name = "A", .instance = INSTANCE_CLUSTER, .scale = 1, .title = "Cortex-A72 x13"};
	for (unsigned i = 0; i < 13; i++)
		slots[TINY_SLOTS + 1 + i] = (struct slot){
			.name = "A", .instance = INSTANCE_CPU, .number = (uint16_t)i, .scale = 1};
	metric_set_free(t.set);
	t.set = metric_set_new(t.db, &(struct metric_source){.slots = slots, .n_slots = TINY_SLOTS + 14},
			       &err);
	assert_non_null(t.set);
	now = xcalloc(t.set->n_vector, sizeof(*now));
	tiny_values(now, 50, 100, 0, 0);
	now[VECTOR_CONSTANTS + TINY_SLOTS + 1 + 12] = 100;
	t.data.feeds[SOURCE_GPU] =
		(struct feed){.set = t.set, .n_vector = t.set->n_vector, .now = now, .total = now};
	t.data.scroll = &scroll;
	whole = tiny_shown(&t, text, 50, 10, true);
	assert_null(strstr(whole, "A72")); /* a single cluster is the whole */
	t.data.per_instance = true;
	each = tiny_shown(&t, text, 50, 10, true);
	expect_text(each, " activity  last 11 s\nall CPUs        ");
	expect_text(each, "\ncpu7 ");
	assert_int_equal(scroll.max, 5);
	scroll.at = 1000;
	end = tiny_shown(&t, text, 50, 10, true);
	expect_text(end, " activity  last 11 s\ncpu4 ");
	expect_text(end, "\ncpu12           ############    100 %");
	tiny_fini(&t);
}

TEST(notice_is_words_and_a_table_and_wraps)
{
	static const char text[] =
		VIEW "chart c\n  widget rows\n  series Share\nchart n\n  title N\n  widget notice\n";
	AUTOFREE char *without = NULL, *with = NULL;
	struct tiny t;

	tiny_init(&t);
	without = tiny_shown(&t, text, 40, 12, true);
	t.data.notice =
		"looked for\n/dev/a*\tnot there\n/dev/long*\tof another, not a driver of ours\n\nto try\n";
	with = tiny_shown(&t, text, 40, 12, true);
	assert_null(strstr(without, "looked"));
	expect_text(with, "looked for\n"
			  "/dev/a*     not there\n"
			  "/dev/long*  of another, not a driver of\n"
			  "            ours\n"
			  "\n"
			  "to try\n");
	tiny_fini(&t);
}

TEST(widgets_refuse_words_they_do_not_know)
{
	static const char *const texts[] = {
		VIEW "chart c\n  widget rows\n  sort name\n  series Share\n",
		VIEW "chart c\n  widget clusters\n  plain no\n  series Share\n",
		VIEW "chart c\n  widget histogram\n  only G715\n  series Share\n",
		VIEW "chart c\n  widget table\n  words a\n  series Share\n",
	};
	struct tiny t;
	struct err err;

	tiny_init(&t);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		assert_false(tiny_read(&t, texts[i], &err));
		assert_non_null(strstr(err.text, "tiny.chart:6: "));
	}
	tiny_fini(&t);
}
