#include "cli/commands.h"

#include "backends/registry.h"
#include "base/alloc.h"
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

/* With --gpu: its metrics and views. */
static bool open_gpu(struct explanation *e, struct metric_set **set, struct views *views, struct err *err)
{
	const struct metric_set *sets[SOURCE_KINDS] = {0};

	if (!e->product)
		return true;
	sets[SOURCE_GPU] = e->set = *set = list_metric_set(e->db, e->product, err);
	e->views = views;
	return *set && views_init(views, e->db, sets, err);
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

enum exit_status explain_run(const struct options *options, const struct gpudb *db, struct strbuf *out,
			     struct err *err)
{
	const char *name = options->operand;
	AUTO_STRBUF struct strbuf near = {0};
	enum exit_status status = EXIT_FAILED;
	struct explanation e = {.db = db};
	struct metric_set *set = NULL;
	struct views views = {0};
	char shown[80];

	if (!options_gpu(options, db, &e.product, err))
		return EXIT_USAGE;
	if (open_gpu(&e, &set, &views, err)) {
		bool found = explanation_named(&e, name) || explain_event(db, name, out) ||
			     explanation_shown(&e, name, &near);

		status = found ? EXIT_DONE : EXIT_USAGE;
		if (!found)
			err_set(err, ERR_USAGE, "explain: unknown '%s': %s%s",
				str_printable(shown, sizeof(shown), name),
				near.n ? "try " : "see malitop list metrics and list findings",
				near.n ? near.p : "");
	}
	for (unsigned i = 0; i < e.n; i++)
		if (e.items[i].part == EXPLANATION_TITLE)
			strbuf_printf(out, "%s\n", e.items[i].text);
		else
			print_line(out, e.items[i].name, e.items[i].text);
	explanation_fini(&e);
	views_fini(&views);
	metric_set_free(set);
	return status;
}
