/* The explanation of a number: all of it can be read at every size, on every GPU. */
#include "tui/explain_card.h"
#include "tests/support/sim_screen.h"
#include "tui/keys.h"

#define SAMPLES 20

struct explain_bench {
	struct sim_screen s;
	struct explain_card card;
	struct chart chart; /* of what is selected */
};

static void begin_gpu(struct explain_bench *b, struct gpudb *db, const char *gpu)
{
	*b = (struct explain_bench){0};
	sim_screen_init(&b->s, db, gpu, "mixed");
	sim_screen_run(&b->s, SAMPLES);
}

static void end_gpu(struct explain_bench *b)
{
	sim_screen_fini(&b->s);
}

static void begin_screen(struct explain_bench *b, int cols, int rows)
{
	canvas_init(&b->s.canvas, cols, rows, false);
}

static void explain_one(struct explain_bench *b, const struct metric *m)
{
	b->card = (struct explain_card){0};
	b->s.screen.selected = (struct row_subject){.chart = &b->chart, .metric = m};
	assert_true(explain_card_draw(&b->card, &b->s.screen, NULL, &b->s.canvas));
}

static enum key_answer press_key(struct explain_bench *b, uint32_t key)
{
	AUTO_STRBUF struct strbuf said = {0};
	enum key_answer answer = explain_card_key(&b->card, &b->s.screen, key, &said);

	explain_card_draw(&b->card, &b->s.screen, NULL, &b->s.canvas);
	return answer;
}

/* What stands in the last n lines of the card's text, without blanks and borders. */
static void read_lines(const struct explain_bench *b, int n, struct strbuf *out)
{
	const struct canvas *c = &b->s.canvas;
	int end = c->rows - 2; /* border and footer */

	for (int y = end - n; y < end; y++)
		for (int x = 0; x < c->cols; x++) {
			uint32_t ch = c->cells[y * c->cols + x].ch;
			char utf8[4];

			if (ch > ' ' && (ch < 0x2500 || ch >= 0x2900))
				strbuf_add(out, utf8, utf8_put(utf8, ch));
		}
}

/* The whole text, page by page. */
static void read_all(struct explain_bench *b, struct strbuf *out)
{
	int seen = b->card.page;

	read_lines(b, seen, out);
	while (b->card.scroll < b->card.scroll_max) {
		press_key(b, K_PAGE_DOWN);
		read_lines(b, b->card.scroll + b->card.page - seen, out);
		seen = b->card.scroll + b->card.page;
	}
}

static bool has_text(const struct strbuf *all, struct span text)
{
	AUTO_STRBUF struct strbuf wanted = {0};

	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] != ' ')
			strbuf_add(&wanted, text.p + i, 1);
	return !wanted.n || strstr(all->p, wanted.p);
}

static void check_metric(struct explain_bench *b, const struct metric *m)
{
	struct span guide = {"", 0};
	AUTO_STRBUF struct strbuf all = {0}, help = {0};

	strbuf_str(&help, "");
	metric_help(m->def, &help);
	for (const struct metric_variant *v = m->def->guides; v && !guide.n; v = v->next)
		if (gpu_set_has(v->gpus, b->s.session.gpu->set->product))
			guide = v->text;
	explain_one(b, m);
	read_all(b, &all);
	if (!has_text(&all, (struct span){help.p, help.n}) || !has_text(&all, m->text) ||
	    !has_text(&all, guide))
		fail_msg("%s: %s on %s at %dx%d: %s", "cut", m->def->name, b->s.run.source.title,
			 b->s.canvas.cols, b->s.canvas.rows, all.p);
}

TEST(no_text_of_any_metric_of_any_gpu_is_cut)
{
	static const struct {
		int cols, rows;
	} sizes[] = {{80, 24}, {160, 48}};
	struct gpudb *db = load_shipped();

	for (unsigned g = 0; g < db->n_products; g++) {
		struct explain_bench b;

		begin_gpu(&b, db, db->products[g].name);
		for (unsigned s = 0; s < ARRAY_LEN(sizes); s++) {
			begin_screen(&b, sizes[s].cols, sizes[s].rows);
			for (unsigned i = 0; i < b.s.session.gpu->set->n_metrics; i++)
				check_metric(&b, &b.s.session.gpu->set->metrics[i]);
			canvas_fini(&b.s.canvas);
		}
		end_gpu(&b);
	}
	gpudb_free(db);
}

static const struct metric *metric_named(const struct explain_bench *b, const char *name)
{
	const struct metric *m = metric_find(b->s.session.gpu->set, span_of(name));

	assert_non_null(m);
	return m;
}

TEST(operands_have_their_values_of_now)
{
	struct gpudb *db = load_shipped();
	AUTO_STRBUF struct strbuf all = {0}, filled = {0};
	struct explain_bench b;
	char value[UNITS_TEXT];
	const char *const names[] = {"MaliFragQueueActiveCy", "MaliGPUActiveCy"};
	const struct unit *count = unit_find(SPAN_LIT("count"));
	const double *now;

	begin_gpu(&b, db, "Mali-G715");
	begin_screen(&b, 80, 24);
	now = feeds_view(&b.s.feeds, SOURCE_GPU).now;
	for (unsigned i = 0; i < ARRAY_LEN(names); i++)
		strbuf_printf(&filled, "%s%s", i ? " / " : "",
			      unit_format(value, metric_value(metric_named(&b, names[i]), now), count, false,
					  false));
	strbuf_printf(&filled, " * 100 = %s over 0.1 s",
		      unit_format(value, metric_value(metric_named(&b, "MaliFragQueueUtil"), now),
				  unit_find(SPAN_LIT("percent")), false, false));
	explain_one(&b, metric_named(&b, "MaliFragQueueUtil"));
	read_all(&b, &all);
	if (!has_text(&all, span_of(filled.p)))
		fail_msg("no %s in %s", filled.p, all.p);
	assert_true(has_text(&all, SPAN_LIT("in guide MaliFragQueuedCy / MaliGPUActiveRawCy * 100")));
	assert_false(has_text(&all, SPAN_LIT("verdict gpu-fragment"))); /* it does not hold */
	assert_true(has_text(&all, SPAN_LIT("view 2 Queues: Lanes")));
	canvas_fini(&b.s.canvas);
	end_gpu(&b);
	gpudb_free(db);
}

/* In the border, where scrolling does not move it; too long a title gives way to the name. */
TEST(the_value_of_now_stays_in_the_border)
{
	static const struct {
		int cols;
		const char *title;
	} cases[] = {{80, "\u256d\u2500 MaliCoreUtil \u2500"},
		     {160, "\u256d\u2500 MaliCoreUtil  Execution core utilization  (percent, Shader Core"}};
	struct gpudb *db = load_shipped();

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf shown = {0}, corner = {0}, guide = {0};
		char value[UNITS_TEXT];
		struct explain_bench b;
		const struct metric *m;

		begin_gpu(&b, db, "Mali-G715");
		template_view_init(&b.s.session.templ, db, b.s.session.gpu->set);
		begin_screen(&b, cases[i].cols, 24);
		m = metric_named(&b, "MaliCoreUtil");
		explain_one(&b, m);
		press_key(&b, K_PAGE_DOWN);
		strbuf_printf(&corner, "\u2500 %s \u2500",
			      unit_format(value, metric_value(m, feeds_view(&b.s.feeds, SOURCE_GPU).now),
					  m->unit, false, false));
		canvas_dump(&b.s.canvas, &shown);
		assert_non_null(strstr(shown.p, cases[i].title));
		assert_non_null(strstr(shown.p, corner.p));
		explain_one(&b, m);
		read_all(&b, &guide);
		if (cases[i].cols == 80 && !has_text(&guide, SPAN_LIT("guide Mali-G715 5.3.5")))
			fail_msg("no guide in %s", guide.p);
		canvas_fini(&b.s.canvas);
		template_view_fini(&b.s.session.templ);
		end_gpu(&b);
	}
	gpudb_free(db);
}

TEST(enter_goes_to_the_view_with_the_row_selected)
{
	struct gpudb *db = load_shipped();
	struct explain_bench b;

	begin_gpu(&b, db, "Mali-G715");
	begin_screen(&b, 80, 24);
	explain_one(&b, metric_named(&b, "MaliFragQueueUtil"));
	assert_int_equal(press_key(&b, K_ENTER), KEY_CLOSES);
	assert_string_equal(b.s.screen.view->name, "queues");
	assert_ptr_equal(screen_selected(&b.s.screen)->metric, metric_named(&b, "MaliFragQueueUtil"));
	canvas_fini(&b.s.canvas);
	end_gpu(&b);
	gpudb_free(db);
}

TEST(a_finding_leads_to_the_row_of_its_number)
{
	struct gpudb *db = load_shipped();
	unsigned n_rows = 0, n = 0;
	struct explain_bench b;

	begin_gpu(&b, db, "Mali-G715");
	for (unsigned i = 0; i < b.s.screen.judge.judge->n_findings; i++) {
		const struct judged *f = &b.s.screen.judge.judge->findings[i];

		n++;
		assert_true(screen_show_finding(&b.s.screen, f));
		n_rows += screen_selected(&b.s.screen) != NULL;
	}
	assert_in_range(n_rows, n * 3 / 4, n); /* a few numbers have a view but no row of their own */
	end_gpu(&b);
	gpudb_free(db);
}

TEST(a_finding_is_explained_whole)
{
	struct gpudb *db = load_shipped();
	struct explain_bench b;

	begin_gpu(&b, db, "Mali-G715");
	begin_screen(&b, 80, 24);
	for (unsigned i = 0; i < b.s.screen.judge.judge->n_findings; i++) {
		const struct judged *f = &b.s.screen.judge.judge->findings[i];
		AUTO_STRBUF struct strbuf all = {0};

		b.card = (struct explain_card){.finding = f->def};
		explain_card_draw(&b.card, &b.s.screen, NULL, &b.s.canvas);
		read_all(&b, &all);
		assert_true(has_text(&all, finding_text(f->def->says, b.s.screen.judge.judge->product)));
		assert_true(has_text(&all, finding_text(f->def->advice, b.s.screen.judge.judge->product)));
		assert_true(has_text(&all, span_of(f->def->house)));
	}
	canvas_fini(&b.s.canvas);
	end_gpu(&b);
	gpudb_free(db);
}
