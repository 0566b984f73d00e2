#include "cli/list.h"

#include "export/export.h"
#include "backends/registry.h"
#include "base/alloc.h"
#include "model/template.h"
#include "views/view.h"

#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 10

struct list_column {
	const char *name;
	bool number; /* right-aligned, bare in JSON */
};

/* Cells by row; all of them are kept, as a table is as wide as its widest cell. */
struct list {
	const struct list_column *columns;
	unsigned n_columns;
	char **cells;
	unsigned n_cells, cap_cells;
};

static void cell(struct list *list, const char *text)
{
	GROW(list->cells, list->n_cells, list->cap_cells);
	list->cells[list->n_cells++] = xstrdup(text ? text : "");
}

static void cell_span(struct list *list, struct span text)
{
	GROW(list->cells, list->n_cells, list->cap_cells);
	list->cells[list->n_cells++] = span_dup(text);
}

static void cell_number(struct list *list, unsigned long long number)
{
	GROW(list->cells, list->n_cells, list->cap_cells);
	list->cells[list->n_cells++] = xasprintf("%llu", number);
}

static void list_fini(struct list *list)
{
	for (unsigned i = 0; i < list->n_cells; i++)
		free(list->cells[i]);
	free(list->cells);
}

/* ---- what is listed ---- */

/* All that a source of this GPU can feed. */
static struct metric_set *set_of(const struct gpudb *db, const struct gpu_product *product, struct err *err)
{
	struct source source = {.product = product};
	struct metric_set *set;

	source_add_gpu_sums(&source);
	set = metric_set_new(db, &(struct metric_source){.product = product, .slots = source.slots, .n_slots = source.n_slots},
			     err);
	free(source.slots);
	return set;
}

/* Arm's names begin with Mali; metrics of our own and of the user are not part of what a product has. */
static unsigned derived_metrics(const struct metric_set *set)
{
	unsigned n = 0;

	for (unsigned i = 0; i < set->n_metrics; i++)
		n += !set->metrics[i].is_counter && strncmp(set->metrics[i].def->name, "Mali", 4) == 0;
	return n;
}

static bool add_gpu(struct list *list, const struct gpudb *db, const struct gpu_product *p, struct err *err)
{
	struct metric_set *set = set_of(db, p, err);
	AUTO_STRBUF struct strbuf also = {0};
	AUTO_STRBUF struct strbuf ids = {0};

	if (!set)
		return false;
	for (unsigned i = 0; i < p->n_also; i++)
		strbuf_printf(&also, "%s%s", i ? ", " : "", p->also[i]);
	for (unsigned i = 0; i < p->n_ids; i++)
		strbuf_printf(&ids, "%s0x%04x", i ? " " : "", p->ids[i]);
	cell(list, p->name);
	cell(list, also.p);
	cell(list, gpu_family_architecture(p->family));
	cell(list, gpu_family_front_end(p->family));
	cell(list, ids.p);
	cell_number(list, p->layout->slots_per_block);
	cell_number(list, p->layout->n_published);
	cell_number(list, derived_metrics(set));
	metric_set_free(set);
	return true;
}

/* Streamline's current name of a counter on this GPU: the first that holds there. */
static struct span streamline_name(const struct metric_def *def, const struct gpu_product *product)
{
	for (const struct metric_variant *v = def ? def->vars : NULL; v; v = v->next)
		if (gpu_set_has(v->gpus, product)) {
			struct span words = v->text;

			return span_word(&words);
		}
	return (struct span){"", 0};
}

static bool add_counters(struct list *list, const struct gpudb *db, const struct gpu_product *p, struct err *err)
{
	(void)err;
	for (unsigned i = 0; i < p->layout->n_counters; i++) {
		const struct gpu_counter *c = &p->layout->counters[i];
		const struct metric_def *def = c->name ? metric_def_find(db, span_of(c->name)) : NULL;

		if (!c->name)
			continue;
		cell(list, p->name);
		cell(list, gpu_block_names[c->block]);
		cell_number(list, c->index);
		cell(list, c->hw_name);
		cell(list, c->name);
		cell_span(list, streamline_name(def, p));
		cell(list, def ? def->title : NULL);
		cell(list, def ? def->unit->name : NULL);
		cell_number(list, c->scale);
		cell(list, def ? def->group : NULL);
	}
	return true;
}

static void add_metric(struct list *list, const struct gpu_product *p, const struct metric *m, const struct template_row *row)
{
	cell(list, p->name);
	cell(list, row ? row->number : NULL);
	cell(list, m->def->name);
	cell(list, row ? row->title : m->def->title);
	cell(list, row ? row->unit_name : m->def->unit->name);
	cell(list, m->is_counter ? "counter" : m->text.n ? "expression" : "constant");
	cell(list, m->def->group);
	cell_span(list, m->text);
}

static bool add_metrics(struct list *list, const struct gpudb *db, const struct gpu_product *p, struct err *err)
{
	struct metric_set *set = set_of(db, p, err);
	struct template_view view;
	AUTOFREE bool *seen = NULL;

	if (!set)
		return false;
	seen = xcalloc(set->n_metrics, sizeof(*seen));
	template_view_init(&view, db, set);
	for (unsigned i = 0; i < view.n_rows; i++) {
		const struct metric *m = view.rows[i].metric;

		if (!m || seen[m - set->metrics])
			continue; /* one row per name, also where the guide shows it twice */
		seen[m - set->metrics] = true;
		add_metric(list, p, m, &view.rows[i]);
	}
	for (unsigned i = 0; i < set->n_metrics; i++)
		if (!seen[i] && !set->metrics[i].is_counter)
			add_metric(list, p, &set->metrics[i], NULL);
	template_view_fini(&view);
	metric_set_free(set);
	return true;
}

static bool add_views(struct list *list, const struct gpudb *db, const struct gpu_product *p, struct err *err)
{
	struct views views;
	bool ok = options_views(&views, err);

	(void)db, (void)p;
	for (unsigned i = 0; i < views.n_views; i++) {
		cell(list, views.views[i].name);
		cell(list, (char[2]){views.views[i].key, 0});
		cell(list, views.views[i].title);
	}
	views_fini(&views);
	return ok;
}

static bool add_backends(struct list *list, const struct gpudb *db, const struct gpu_product *p, struct err *err)
{
	(void)db, (void)p, (void)err;
	for (unsigned i = 0; registry[i]; i++) {
		cell(list, registry[i]->name);
		cell(list, registry[i]->help);
	}
	return true;
}

static const struct list_kind {
	bool per_gpu; /* add is called for every product asked for */
	bool (*add)(struct list *list, const struct gpudb *db, const struct gpu_product *product, struct err *err);
	struct list_column columns[COLUMNS_MAX + 1]; /* ends with a name of NULL */
} kinds[LIST_COUNT] = {
	[LIST_GPUS] = {true,
		       add_gpu,
		       {{"name", false},
			{"also_sold_as", false},
			{"architecture", false},
			{"front_end", false},
			{"ids", false},
			{"slots_per_block", true},
			{"counters", true},
			{"metrics", true}}},
	[LIST_COUNTERS] = {true,
			   add_counters,
			   {{"gpu", false},
			    {"block", false},
			    {"index", true},
			    {"hw_name", false},
			    {"name", false},
			    {"streamline_name", false},
			    {"title", false},
			    {"unit", false},
			    {"multiplier", true},
			    {"group", false}}},
	[LIST_METRICS] = {true,
			  add_metrics,
			  {{"gpu", false},
			   {"number", false},
			   {"name", false},
			   {"title", false},
			   {"unit", false},
			   {"kind", false},
			   {"group", false},
			   {"expression", false}}},
	[LIST_VIEWS] = {false, add_views, {{"name", false}, {"key", false}, {"title", false}}},
	[LIST_BACKENDS] = {false, add_backends, {{"name", false}, {"help", false}}},
};

/* ---- how it is printed ---- */

/* Columns on the screen, not bytes. */
static unsigned width_of(const char *text)
{
	return (unsigned)text_width(text);
}

static void pad(struct strbuf *out, unsigned from, unsigned to)
{
	for (; from < to; from++)
		strbuf_str(out, " ");
}

static void print_table(const struct list *list, struct strbuf *out)
{
	unsigned widths[COLUMNS_MAX], n = list->n_columns, n_rows = list->n_cells / n;

	for (unsigned c = 0; c < n; c++)
		widths[c] = width_of(list->columns[c].name);
	for (unsigned i = 0; i < list->n_cells; i++)
		if (width_of(list->cells[i]) > widths[i % n])
			widths[i % n] = width_of(list->cells[i]);
	for (unsigned row = 0; row <= n_rows; row++) {
		for (unsigned c = 0; c < n; c++) {
			const char *text = row ? list->cells[(row - 1) * n + c] : list->columns[c].name;

			if (list->columns[c].number)
				pad(out, width_of(text), widths[c]);
			strbuf_str(out, text);
			if (c + 1 < n && !list->columns[c].number)
				pad(out, width_of(text), widths[c]);
			strbuf_str(out, c + 1 < n ? "  " : "\n");
		}
	}
}

static void print_csv(const struct list *list, struct strbuf *out)
{
	unsigned n = list->n_columns;

	for (unsigned c = 0; c < n; c++)
		strbuf_printf(out, "%s%s", list->columns[c].name, c + 1 < n ? "," : CSV_EOL);
	for (unsigned i = 0; i < list->n_cells; i++) {
		csv_field(out, list->cells[i]);
		strbuf_str(out, (i + 1) % n ? "," : CSV_EOL);
	}
}

static void print_jsonl(const struct list *list, struct strbuf *out)
{
	unsigned n = list->n_columns;

	for (unsigned i = 0; i < list->n_cells; i++) {
		strbuf_str(out, i % n ? "," : "{");
		json_string(out, list->columns[i % n].name);
		strbuf_str(out, ":");
		if (list->columns[i % n].number)
			strbuf_str(out, list->cells[i]);
		else
			json_string(out, list->cells[i]);
		strbuf_str(out, (i + 1) % n ? "" : "}\n");
	}
}

static void (*const printers[])(const struct list *list, struct strbuf *out) = {
	[FORMAT_TABLE] = print_table,
	[FORMAT_CSV] = print_csv,
	[FORMAT_JSONL] = print_jsonl,
};

enum exit_status list_run(const struct options *options, const struct gpudb *db, struct strbuf *out, struct err *err)
{
	const struct list_kind *kind = &kinds[options->list];
	struct list list = {.columns = kind->columns};
	const struct gpu_product *only;
	bool ok = true;

	if (!options_gpu(options, db, &only, err))
		return EXIT_USAGE;
	while (list.n_columns < COLUMNS_MAX && kind->columns[list.n_columns].name)
		list.n_columns++;
	if (!kind->per_gpu)
		ok = kind->add(&list, db, NULL, err);
	for (unsigned i = 0; kind->per_gpu && ok && i < db->n_products; i++)
		if (!only || only == &db->products[i])
			ok = kind->add(&list, db, &db->products[i], err);
	if (ok)
		printers[options->format](&list, out);
	list_fini(&list);
	return ok ? EXIT_DONE : EXIT_FAILED;
}
