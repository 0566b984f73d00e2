#include "cli/commands.h"

#include "backends/registry.h"
#include "export/export.h"
#include "base/json.h"
#include "base/alloc.h"
#include "base/put.h"
#include "model/cpu_event.h"
#include "model/judge.h"
#include "model/template.h"
#include "views/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 11
#define TERMINAL_COLS 80 /* that a table without --long has, of one GPU */

struct list_column {
	char name[24];
	bool number; /* right-aligned; not quoted in JSON */
	bool hidden; /* in a table */
};

/* All cells, row by row: the width of a column is that of its widest cell. */
struct list_table {
	struct list_column columns[COLUMNS_MAX];
	unsigned n_columns;
	char **cells;
	unsigned n_cells, cap_cells;
};

static void put_text(struct strbuf *out, const char *text)
{
	strbuf_str(out, text ? text : "");
}

/* Add the cells of a row (put.h), separated by \1, which no text has. */

static void __attribute__((format(printf, 2, 3))) add_row(struct list_table *list, const char *fmt, ...)
{
	AUTO_STRBUF struct strbuf cells = {0};
	struct span rest;
	va_list ap;

	va_start(ap, fmt);
	put_format(&cells, put_text, NULL, fmt, ap);
	va_end(ap);
	rest = (struct span){cells.p, cells.n};
	for (unsigned c = 0; c < list->n_columns; c++) {
		GROW(list->cells, list->n_cells, list->cap_cells);
		list->cells[list->n_cells++] = span_dup(span_until(&rest, '\1'));
	}
}

static void list_fini(struct list_table *list)
{
	for (unsigned i = 0; i < list->n_cells; i++)
		free(list->cells[i]);
	free(list->cells);
}

/* ---- the lists ---- */

struct metric_set *list_metric_set(const struct gpudb *db, const struct gpu_product *product, struct err *err)
{
	struct source source = {.product = product};
	struct metric_set *set;

	source_add_gpu_sums(&source);
	set = metric_set_new(
		db,
		&(struct metric_source){.product = product, .slots = source.slots, .n_slots = source.n_slots},
		err);
	free(source.slots);
	return set;
}

/* The number of Arm's derived metrics, whose names begin with Mali. Our own and the user's do not
 * count. */
static unsigned count_derived(const struct metric_set *set)
{
	unsigned n = 0;

	for (unsigned i = 0; i < set->n_metrics; i++)
		n += !set->metrics[i].is_counter && strncmp(set->metrics[i].def->name, "Mali", 4) == 0;
	return n;
}

static bool add_gpu(struct list_table *list, const struct gpudb *db, const struct gpu_product *p,
		    struct err *err)
{
	struct metric_set *set = list_metric_set(db, p, err);
	AUTO_STRBUF struct strbuf also = {0};
	AUTO_STRBUF struct strbuf ids = {0};

	if (!set)
		return false;
	for (unsigned i = 0; i < p->n_also; i++)
		strbuf_printf(&also, "%s%s", i ? ", " : "", p->also[i]);
	for (unsigned i = 0; i < p->n_ids; i++)
		strbuf_printf(&ids, "%s0x%04x", i ? " " : "", p->ids[i]);
	add_row(list, "%s\1%s\1%s\1%s\1%s\1%u\1%u\1%u", p->name, also.p, gpu_family_architecture(p->family),
		gpu_family_front_end(p->family), ids.p, p->layout->slots_per_block, p->layout->n_published,
		count_derived(set));
	metric_set_free(set);
	return true;
}

/* Streamline's current name for a counter: the first variant that applies to this GPU. */
static struct span streamline_name(const struct metric_def *def, const struct gpu_product *product)
{
	for (const struct metric_variant *v = def ? def->vars : NULL; v; v = v->next)
		if (gpu_set_has(v->gpus, product)) {
			struct span words = v->text;

			return span_word(&words);
		}
	return (struct span){"", 0};
}

static bool add_counters(struct list_table *list, const struct gpudb *db, const struct gpu_product *p,
			 struct err *err)
{
	(void)err;
	for (unsigned i = 0; i < p->layout->n_counters; i++) {
		const struct gpu_counter *c = &p->layout->counters[i];
		const struct metric_def *def = c->name ? metric_def_find(db, span_of(c->name)) : NULL;

		if (!c->name)
			continue;
		add_row(list, "%s\1%s\1%u\1%s\1%s\1%.*s\1%s\1%s\1%u\1%s", p->name, gpu_block_names[c->block],
			c->index, c->hw_name, c->name, SPAN_ARG(streamline_name(def, p)),
			def ? def->title : "", def ? def->unit->name : "", c->scale, def ? def->group : "");
	}
	return true;
}

static void add_metric(struct list_table *list, const struct gpu_product *p, const struct metric *m,
		       const struct template_row *row, const struct views *views)
{
	AUTO_STRBUF struct strbuf names = {0}, help = {0};

	views_of_metric(views, m, &names);
	metric_help(m->def, &help);
	add_row(list, "%s\1%s\1%s\1%s\1%s\1%s\1%s\1%s\1%s\1%.*s\1%s", p->name, row ? row->number : "",
		m->def->name, row ? row->title : m->def->title, row ? row->unit_name : m->def->unit->name,
		m->is_counter ? "counter"
		: m->text.n   ? "expression"
			      : "constant",
		m->def->group, help.p, names.p, SPAN_ARG(m->text), m->def->short_title);
}

static bool add_metrics(struct list_table *list, const struct gpudb *db, const struct gpu_product *p,
			struct err *err)
{
	struct metric_set *set = list_metric_set(db, p, err);
	struct template_view view;
	AUTOFREE bool *seen = NULL;
	struct views views;

	if (!set ||
	    !views_init(&views, db, (const struct metric_set *[SOURCE_KINDS]){[SOURCE_GPU] = set}, err)) {
		metric_set_free(set);
		return false;
	}
	seen = xcalloc(set->n_metrics, sizeof(*seen));
	template_view_init(&view, db, set);
	for (unsigned i = 0; i < view.n_rows; i++) {
		const struct metric *m = view.rows[i].metric;

		if (!m || seen[m - set->metrics])
			continue; /* one row per name, even if the guide shows it twice */
		seen[m - set->metrics] = true;
		add_metric(list, p, m, &view.rows[i], &views);
	}
	for (unsigned i = 0; i < set->n_metrics; i++)
		if (!seen[i] && !set->metrics[i].is_counter)
			add_metric(list, p, &set->metrics[i], NULL, &views);
	template_view_fini(&view);
	views_fini(&views);
	metric_set_free(set);
	return true;
}

/* The findings that this GPU has the counters for. */
static bool add_findings(struct list_table *list, const struct gpudb *db, const struct gpu_product *p,
			 struct err *err)
{
	struct metric_set *set = list_metric_set(db, p, err);
	const struct metric_set *sets[SOURCE_KINDS] = {[SOURCE_GPU] = set};
	struct judge *judge;

	if (!set)
		return false;
	judge = judge_new(db, sets);
	for (unsigned i = 0; i < judge->n_findings; i++) {
		const struct judged *f = &judge->findings[i];
		char limit[NUMBER_TEXT];

		add_row(list, "%s\1%s\1%s\1%s\1%s\1%s\1%s\1%s\1%.*s\1%.*s", p->name, f->def->name,
			finding_severity_names[f->def->severity], f->def->title, f->number.name,
			f->side == ALERT_ABOVE ? "above" : "below", number_shortest(limit, f->limit),
			finding_origin(f->def), SPAN_ARG(finding_guide(db, f->def, p)),
			SPAN_ARG(f->def->look));
	}
	judge_free(judge);
	metric_set_free(set);
	return true;
}

static bool add_views(struct list_table *list, const struct gpudb *db, const struct gpu_product *p,
		      struct err *err)
{
	struct views views;
	bool ok = views_read(&views, db, err);

	(void)p;
	for (unsigned i = 0; i < views.n_views; i++)
		add_row(list, "%s\1%s\1%s", views.views[i].name, (char[2]){views.views[i].key, 0},
			views.views[i].title);
	views_fini(&views);
	return ok;
}

static bool add_backends(struct list_table *list, const struct gpudb *db, const struct gpu_product *p,
			 struct err *err)
{
	(void)db, (void)p, (void)err;
	for (unsigned i = 0; registry[i]; i++)
		if (!registry[i]->part_of)
			add_row(list, "%s\1%s", registry[i]->name, registry[i]->help);
	return true;
}

struct event_list {
	struct list_table *list;
	const struct gpudb *db;
};

static void add_event(void *ctx, const struct event_info *event)
{
	const struct event_list *l = ctx;
	const struct cpu_event *meaning = cpu_event_find(l->db, event->name);
	char number[16] = "";

	if (event->number >= 0)
		snprintf(number, sizeof(number), "0x%02x", (unsigned)event->number);
	add_row(l->list, "%s\1%s\1%s\1%s\1%s", event->name, number, event->now ? "yes" : "no",
		event->cores[0] ? event->cores : "all", meaning ? meaning->help : "");
}

static bool add_events(struct list_table *list, const struct gpudb *db, const struct gpu_product *p,
		       struct err *err)
{
	struct event_list l = {list, db};
	struct sys sys;

	(void)p;
	if (!sys_init(&sys, NULL, err))
		return false;
	for (unsigned i = 0; registry[i]; i++)
		if (backend_extras(registry[i])->list_events)
			backend_extras(registry[i])->list_events(&sys, add_event, &l);
	sys_fini(&sys);
	return true;
}

static bool add_groups(struct list_table *list, const struct gpudb *db, const struct gpu_product *p,
		       struct err *err)
{
	(void)p, (void)err;
	for (unsigned i = 0; i < db->n_groups; i++) {
		const struct cpu_group *group = &db->groups[i];

		if (cpu_group_find(db, span_of(group->name)) == group) /* no later one replaces it */
			add_row(list, "%s\1%s\1%.*s", group->name, group->title, SPAN_ARG(group->metrics));
	}
	return true;
}

static void add_option(void *ctx, const struct option_entry *entry)
{
	add_row(ctx, "%s\1%s\1%s\1%s\1%s\1%s\1%s", entry->name, (char[2]){entry->letter, 0}, entry->arg,
		entry->standard, entry->commands.p, entry->config ? "yes" : "no", entry->help.p);
}

static bool add_options(struct list_table *list, const struct gpudb *db, const struct gpu_product *p,
			struct err *err)
{
	(void)db, (void)p, (void)err;
	options_each(add_option, list);
	return true;
}

static const struct list_kind {
	bool per_gpu; /* call add for every product of the list */
	bool (*add)(struct list_table *list, const struct gpudb *db, const struct gpu_product *product,
		    struct err *err);
	const char *columns; /* separated by blanks; a number is marked by # */
	const char *brief;   /* those that a table has without --long; NULL: all */
} kinds[LIST_COUNT] = {
	[LIST_GPUS] = {true, add_gpu,
		       "name also_sold_as architecture front_end ids #slots_per_block #counters #metrics",
		       NULL},
	[LIST_COUNTERS] = {true, add_counters,
			   "gpu block #index hw_name name streamline_name title unit #multiplier group",
			   NULL},
	[LIST_METRICS] = {true, add_metrics,
			  "gpu number name title unit kind group help views expression short",
			  "gpu name unit short"},
	[LIST_VIEWS] = {false, add_views, "name key title", NULL},
	[LIST_FINDINGS] = {true, add_findings, "gpu name severity title metric side #limit origin guide look",
			   NULL},
	[LIST_BACKENDS] = {false, add_backends, "name help", NULL},
	[LIST_EVENTS] = {false, add_events, "name number countable cores meaning", NULL},
	[LIST_GROUPS] = {false, add_groups, "name title metrics", NULL},
	[LIST_OPTIONS] = {false, add_options, "name letter argument default commands config help", NULL},
};

static void set_columns(struct list_table *list, const char *names)
{
	struct span rest = span_of(names), word;

	for (; (word = span_word(&rest)).n; list->n_columns++) {
		struct list_column *c = &list->columns[list->n_columns];

		c->number = word.p[0] == '#';
		snprintf(c->name, sizeof(c->name), "%.*s", (int)word.n - c->number, word.p + c->number);
	}
}

/* ---- printing ---- */

static void pad_text(struct strbuf *out, unsigned from, unsigned to)
{
	for (; from < to; from++)
		strbuf_str(out, " ");
}

static void print_table(const struct list_table *list, struct strbuf *out)
{
	unsigned widths[COLUMNS_MAX], n = list->n_columns, n_rows = list->n_cells / n, last = n - 1;

	for (unsigned c = 0; c < n; c++)
		widths[c] = (unsigned)text_width(list->columns[c].name);
	for (unsigned i = 0; i < list->n_cells; i++)
		if ((unsigned)text_width(list->cells[i]) > widths[i % n])
			widths[i % n] = (unsigned)text_width(list->cells[i]);
	while (last > 0 && list->columns[last].hidden)
		last--;
	for (unsigned row = 0; row <= n_rows; row++)
		for (unsigned c = 0, used = 0; c <= last; c++) {
			const char *text = row ? list->cells[(row - 1) * n + c] : list->columns[c].name;

			if (list->columns[c].hidden)
				continue;
			if (list->columns[c].number)
				pad_text(out, (unsigned)text_width(text), widths[c]);
			if (c == last && list->columns[0].hidden) /* in a terminal */
				strbuf_printf(out, "%.*s", (int)(TERMINAL_COLS - used), text);
			else
				strbuf_str(out, text);
			used += widths[c] + 2;
			if (c < last && !list->columns[c].number)
				pad_text(out, (unsigned)text_width(text), widths[c]);
			strbuf_str(out, c < last ? "  " : "\n");
		}
}

static void print_csv(const struct list_table *list, struct strbuf *out)
{
	unsigned n = list->n_columns;

	for (unsigned c = 0; c < n; c++)
		strbuf_printf(out, "%s%s", list->columns[c].name, c + 1 < n ? "," : CSV_EOL);
	for (unsigned i = 0; i < list->n_cells; i++) {
		csv_field(out, list->cells[i]);
		strbuf_str(out, (i + 1) % n ? "," : CSV_EOL);
	}
}

static void print_jsonl(const struct list_table *list, struct strbuf *out)
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

/* Fill a list; `only` is the GPU to list it for, NULL for all. */
static bool fill_list(struct list_table *list, enum list_name name, const struct gpudb *db,
		      const struct gpu_product *only, struct err *err)
{
	const struct list_kind *kind = &kinds[name];
	bool ok = true;

	set_columns(list, kind->columns);
	if (!kind->per_gpu)
		return kind->add(list, db, NULL, err);
	for (unsigned i = 0; ok && i < db->n_products; i++)
		if (!only || only == &db->products[i])
			ok = kind->add(list, db, gpudb_product(db, i), err);
	return ok;
}

static unsigned find_column(const struct list_table *list, const char *names)
{
	for (struct span rest = span_of(names), name; (name = span_word(&rest)).n;)
		for (unsigned c = 0; c < list->n_columns; c++)
			if (span_is(name, list->columns[c].name))
				return c;
	return 0;
}

bool list_each_name(enum list_name name, const struct gpudb *db, const struct gpu_product *only,
		    void (*add)(void *ctx, const char *name, const char *title), void *ctx, struct err *err)
{
	struct list_table list = {0};
	bool ok = fill_list(&list, name, db, only, err);
	unsigned at = find_column(&list, "name"), title = find_column(&list, "title help meaning");

	for (unsigned i = 0; ok && i < list.n_cells; i += list.n_columns)
		add(ctx, list.cells[i + at], title ? list.cells[i + title] : "");
	list_fini(&list);
	return ok;
}

/* Leave out what makes a table wider than a terminal, and the name of the only GPU. */
static void hide_columns(struct list_table *list, const char *brief, bool one_gpu)
{
	for (unsigned c = 0; c < list->n_columns; c++) {
		struct span rest = span_of(brief), word;
		bool shown = false;

		while ((word = span_word(&rest)).n)
			shown |= span_is(word, list->columns[c].name);
		list->columns[c].hidden = !shown || (one_gpu && !strcmp(list->columns[c].name, "gpu"));
	}
}

enum exit_status list_run(const struct options *options, const struct gpudb *db, struct strbuf *out,
			  struct err *err)
{
	struct list_table list = {0};
	const struct gpu_product *only;
	bool ok;

	if (!options_gpu(options, db, &only, err))
		return EXIT_USAGE;
	ok = fill_list(&list, options->list, db, only, err);
	if (kinds[options->list].brief && !options->long_rows)
		hide_columns(&list, kinds[options->list].brief, only != NULL);
	if (ok)
		(options->format == FORMAT_CSV     ? print_csv
		 : options->format == FORMAT_JSONL ? print_jsonl
						   : print_table)(&list, out);
	list_fini(&list);
	return ok ? EXIT_DONE : EXIT_FAILED;
}
