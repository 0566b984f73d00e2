#include "cli/explain.h"

#include "backends/registry.h"
#include "base/alloc.h"
#include "cli/list.h"
#include "model/cpu_event.h"
#include "views/explanation.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define WIDTH 90 /* of wrapped text */

static void print_line(struct strbuf *out, const char *name, const char *text)
{
	strbuf_printf(out, "  %-*s", EXPLANATION_NAME_COLS - 2, name);
	strbuf_wrap(out, EXPLANATION_NAME_COLS, EXPLANATION_NAME_COLS, EXPLANATION_NAME_COLS + WIDTH, text);
}

static void print_explanation(const struct explanation *e, struct strbuf *out)
{
	for (unsigned i = 0; i < e->n; i++) {
		const struct explanation_item *item = &e->items[i];

		if (item->part == EXPLANATION_TITLE) {
			strbuf_printf(out, "%s\n", item->text);
			continue;
		}
		print_line(out, item->name, item->text);
	}
}

/* The metric of a Streamline variable or of a hardware counter. */
static const struct metric_def *metric_by_other_name(const struct gpudb *db,
						     const struct gpu_product *product, const char *name)
{
	for (unsigned i = 0; i < db->n_metrics; i++)
		for (const struct metric_variant *v = db->metrics[i].vars; v; v = v->next)
			if (span_has_word(v->text, span_of(name)) &&
			    (!product || gpu_set_has(v->gpus, product)))
				return &db->metrics[i];
	for (unsigned g = 0; g < db->n_products; g++) {
		const struct gpu_layout *layout = gpudb_product(db, g)->layout;

		for (unsigned i = 0; i < layout->n_counters; i++)
			if (layout->counters[i].name && !strcmp(layout->counters[i].hw_name, name) &&
			    (!product || product->layout == layout))
				return metric_def_find(db, span_of(layout->counters[i].name));
	}
	return NULL;
}

static const struct finding_def *find_finding(const struct gpudb *db, const char *name)
{
	const struct finding_def *def = finding_find(db, FINDING_RULE, span_of(name));

	return def ? def : finding_find(db, FINDING_VERDICT, span_of(name));
}

/* With --gpu: its metrics and views. */
static bool open_scene(struct explanation_scene *scene, struct metric_set **set, struct views *views,
		       struct err *err)
{
	const struct metric_set *sets[SOURCE_KINDS] = {0};

	if (!scene->product)
		return true;
	*set = list_metric_set(scene->db, scene->product, err);
	sets[SOURCE_GPU] = *set;
	if (!*set || !views_init(views, scene->db, sets, err))
		return false;
	scene->set = *set;
	scene->views = views;
	return true;
}

/* An event of the CPUs by name or number: what is known of it. */
struct event_quest {
	const struct gpudb *db;
	const char *name;
	uint64_t number; /* UINT64_MAX: none */
	struct strbuf *out;
	bool found;
};

static void print_event(void *ctx, const struct event_info *event)
{
	struct event_quest *q = ctx;
	const struct cpu_event *meaning = cpu_event_find(q->db, event->name);
	AUTOFREE char *number = event->number < 0 ? NULL : xasprintf("0x%02x", (unsigned)event->number);

	if (q->found || (strcasecmp(event->name, q->name) != 0 &&
			 (event->number < 0 || (uint64_t)event->number != q->number)))
		return;
	q->found = true;
	strbuf_printf(q->out, "%s, an event of the CPUs\n", event->name);
	if (meaning)
		print_line(q->out, "means", meaning->help);
	print_line(q->out, "number", number ? number : "the kernel chooses it for the core");
	print_line(q->out, "cores", event->cores[0] ? event->cores : "all");
	print_line(q->out, "here", event->now ? "counted" : "not counted");
}

/* "0x08", "r8" */
static uint64_t event_number(const char *name)
{
	const char *digits = name[0] == 'r' ? name + 1 : strncmp(name, "0x", 2) == 0 ? name + 2 : "";
	char *end;
	unsigned long long number = strtoull(digits, &end, 16);

	return digits[0] && !*end ? number : UINT64_MAX;
}

static bool explain_event(const struct gpudb *db, const char *name, struct strbuf *out)
{
	struct event_quest q = {.db = db, .name = name, .number = event_number(name), .out = out};
	struct sys sys;
	struct err err;

	if (!sys_init(&sys, NULL, &err))
		return false;
	for (unsigned i = 0; registry[i] && !q.found; i++)
		if (backend_extras(registry[i])->list_events)
			backend_extras(registry[i])->list_events(&sys, print_event, &q);
	sys_fini(&sys);
	return q.found;
}

static enum exit_status explain_name(const struct explanation_scene *scene, const char *name,
				     struct explanation *e, struct strbuf *out, struct err *err)
{
	const struct finding_def *finding = find_finding(scene->db, name);
	const struct metric_def *metric = metric_def_find(scene->db, span_of(name));
	const struct metric_constant *constant = metric_constant_find(span_of(name));
	AUTO_STRBUF struct strbuf near = {0};
	char shown[80];

	if (!metric)
		metric = metric_by_other_name(scene->db, scene->product, name);
	if (!finding && !metric && !constant && explain_event(scene->db, name, out))
		return EXIT_DONE;
	if (!finding && !metric && !constant)
		metric = explanation_named(scene, name, &near);
	if (finding)
		explanation_finding(e, scene, finding);
	else if (metric)
		explanation_metric(e, scene, metric);
	else if (constant)
		explanation_constant(e, scene, constant);
	else
		err_set(err, ERR_USAGE, "explain: unknown '%s': %s%s",
			str_printable(shown, sizeof(shown), name),
			near.n ? "try " : "see malitop list metrics and list findings", near.n ? near.p : "");
	return finding || metric || constant ? EXIT_DONE : EXIT_USAGE;
}

enum exit_status explain_run(const struct options *options, const struct gpudb *db, struct strbuf *out,
			     struct err *err)
{
	struct explanation_scene scene = {.db = db};
	enum exit_status status = EXIT_FAILED;
	struct metric_set *set = NULL;
	struct explanation e = {0};
	struct views views = {0};

	if (!options_gpu(options, db, &scene.product, err))
		return EXIT_USAGE;
	if (open_scene(&scene, &set, &views, err))
		status = explain_name(&scene, options->operand, &e, out, err);
	print_explanation(&e, out);
	explanation_fini(&e);
	views_fini(&views);
	metric_set_free(set);
	return status;
}
