/* The report on the CPU events of a command: counts, estimates for multiplexed events, and metrics,
 * by set of events that were counted together, for all CPUs and for each cluster. */
#include "export/export_priv.h"

#include "base/alloc.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SOFTWARE "PerfRunningSoftware" /* time of the set of the kernel's own events */
#define REQUESTED "PerfRunningEvent"   /* ... and a number: time of a set of requested events */
#define INSTRUCTIONS "CPUInstructions"
#define PTI "per 1000 instructions"
#define COUNT_WIDTH 20
#define SLOTS_MOST 256 /* slots of one metric */
#define SHARE_WIDTH 8
#define RATE_WIDTH 9
#define PER_WIDTH 3 /* "M/s" */

struct events_report {
	const struct metric_set *set;
	const double *vector;
	double instructions;
	int width; /* columns of the names */
	bool part; /* of one cluster */
	struct strbuf *out;
};

static double slot_sum(const struct events_report *r, unsigned slot)
{
	return r->vector[VECTOR_CONSTANTS + slot];
}

static bool is_event(const struct metric_set *set, unsigned slot)
{
	const struct slot *event = &set->slots[slot];

	return event->instance == INSTANCE_ALL && event->raw;
}

/* Write "[1,241,209,259]" right-aligned in a column; a dash if unknown. */
static void put_count(const struct events_report *r, double count, bool estimate)
{
	char digits[UNITS_TEXT] = "-", text[UNITS_TEXT + 2];

	if (!isnan(count))
		count_format(digits, (uint64_t)count);
	snprintf(text, sizeof(text), estimate ? "[%s]" : "%s", digits);
	strbuf_printf(r->out, "  %*s", COUNT_WIDTH, text);
}

/* Format a ratio with three decimals, so that runs can be compared. */
static char *ratio_text(char text[UNITS_TEXT], double value)
{
	snprintf(text, UNITS_TEXT, isfinite(value) ? "%.3f" : "-", value);
	return text;
}

static void put_value(const struct events_report *r, double value, const struct unit *unit, bool estimate)
{
	char number[UNITS_TEXT], suffix[UNITS_TEXT], text[UNITS_TEXT + 2];

	unit_split(number, suffix, value, unit, false, true);
	if (unit->kind != UNIT_LEVEL && isfinite(value)) {
		ratio_text(number, value);
		snprintf(suffix, sizeof(suffix), "%s", unit->symbol[0] ? unit->symbol : unit->name);
	}
	snprintf(text, sizeof(text), estimate && isfinite(value) ? "[%s]" : "%s", number);
	strbuf_printf(r->out, "  %*s %s", COUNT_WIDTH, text, suffix);
}

/* Return the unit of an event's count: times of the kernel are in ns, all others are counts. */
static const char *count_unit(const char *event)
{
	static const char *const times[] = {"CPUTaskTime", "task-clock", "cpu-clock"};

	for (size_t i = 0; i < ARRAY_LEN(times); i++) {
		size_t n = strlen(times[i]);

		if (strncmp(event, times[i], n) == 0 && (!event[n] || event[n] == ':'))
			return "ns";
	}
	return "";
}

/* Write the ratio to the first event. Requested events of a group were counted at the same times,
 * so their ratio is exact even if they are estimates. */
static void put_ratio_to_first(const struct events_report *r, unsigned slot, unsigned first)
{
	const struct slot *event = &r->set->slots[slot];
	const char *set = r->set->slots[event->running].name;
	char ratio[UNITS_TEXT];

	if (slot == first || strncmp(set, REQUESTED, strlen(REQUESTED)) != 0)
		return;
	strbuf_printf(r->out, "  %s of %s", ratio_text(ratio, slot_sum(r, slot) / slot_sum(r, first)),
		      r->set->slots[first].name);
}

/* Write an event. `first` is the first event of its set. */
static void put_event(const struct events_report *r, unsigned slot, unsigned first)
{
	const struct slot *event = &r->set->slots[slot];
	double running = slot_sum(r, event->running), enabled = slot_sum(r, event->enabled);
	double likely = running > 0 ? slot_sum(r, slot) : (double)NAN;
	char ratio[UNITS_TEXT], share[UNITS_TEXT] = "-", rate[UNITS_TEXT] = "", per[UNITS_TEXT] = "";

	if (isnan(likely)) /* use the time of the set's first event, which may have run alone */
		running = 0;
	strbuf_printf(r->out, "%-*s", r->width, event->name);
	put_count(r, running > 0 ? slot_sum(r, event->raw) : (double)NAN, false);
	if (running > 0 && running < enabled)
		put_count(r, likely, true);
	else
		strbuf_printf(r->out, " %-*s", COUNT_WIDTH + 1, count_unit(event->name));
	if (isfinite(running / enabled))
		snprintf(share, sizeof(share), "%.1f %%", running / enabled * 100);
	if (!count_unit(event->name)[0])
		unit_split(rate, per, likely / r->vector[VECTOR_SECONDS], unit_find(SPAN_LIT("count")), true,
			   true);
	strbuf_printf(r->out, "  %*s  %*s %-*s", SHARE_WIDTH, share, RATE_WIDTH, rate, PER_WIDTH, per);
	if (strcmp(event->name, INSTRUCTIONS) != 0 &&
	    strcmp(r->set->slots[event->running].name, SOFTWARE) != 0)
		strbuf_printf(r->out, "  %*s", RATE_WIDTH,
			      ratio_text(ratio, likely / r->instructions * 1000));
	put_ratio_to_first(r, slot, first);
	strbuf_line_end(r->out);
}

/* Return the last set that a metric needs; the metric is shown after it. 0 means none, because the
 * first slot of a source is a time. */
static unsigned set_of_metric(const struct metric_set *set, const struct metric *m)
{
	unsigned last = 0;
	uint16_t slots[SLOTS_MOST];
	unsigned n = metric_slots(m, slots, 0, SLOTS_MOST);

	for (unsigned i = 0; i < n; i++) {
		const struct slot *slot = &set->slots[slots[i]];

		if (slot->running != slot->enabled && slot->enabled > last)
			last = slot->enabled;
	}
	return last;
}

/* Whether a metric is per shown frame, which this report does not count. */
static bool is_per_frame(const struct metric *m)
{
	return strcmp(m->def->group, "Frames Shown") == 0;
}

/* Write the metrics of a set, except those per 1000 instructions, which are in the rows of their
 * events. */
static void put_ratios(const struct events_report *r, unsigned enabled)
{
	for (unsigned i = 0; i < r->set->n_metrics; i++) {
		const struct metric *m = &r->set->metrics[i];

		if (m->unit->kind == UNIT_COUNT || is_per_frame(m) || strcmp(m->unit->name, PTI) == 0 ||
		    set_of_metric(r->set, m) != enabled)
			continue;
		strbuf_printf(r->out, "%-*s", r->width, m->def->name);
		put_value(r, metric_value(m, r->vector), m->unit, metric_share(r->set, m, r->vector) < 1);
		strbuf_line_end(r->out);
	}
}

static void put_sets(const struct events_report *r)
{
	unsigned enabled = 0, first = 0;

	for (unsigned i = 0; i < r->set->n_slots; i++) {
		const struct slot *slot = &r->set->slots[i];

		if (!is_event(r->set, i) || (r->part && !(slot_sum(r, slot->enabled) > 0)))
			continue; /* the kernel's own events of a command are not counted per cluster */
		if (slot->enabled != enabled && enabled) {
			put_ratios(r, enabled);
			strbuf_str(r->out, "\n");
		}
		first = slot->enabled != enabled ? i : first;
		enabled = slot->enabled;
		put_event(r, i, first);
	}
	put_ratios(r, enabled);
}

static void put_block(const struct metric_set *set, const double *vector, int width, const char *title,
		      bool part, struct strbuf *out)
{
	struct events_report r = {
		.set = set, .vector = vector, .instructions = NAN, .width = width, .part = part, .out = out};

	for (unsigned i = 0; i < set->n_slots; i++)
		if (is_event(set, i) && strcmp(set->slots[i].name, INSTRUCTIONS) == 0)
			r.instructions = slot_sum(&r, i);
	strbuf_printf(out, "\n%s\n\n%-*s  %*s  %*s  %*s  %*s %-*s  %*s\n", title, width, "event", COUNT_WIDTH,
		      "counted", COUNT_WIDTH, "estimate", SHARE_WIDTH, "of time", RATE_WIDTH, "rate",
		      PER_WIDTH, "", RATE_WIDTH, "PTI");
	put_sets(&r);
}

/* Return whether any set was counted. */
static bool has_times(const struct metric_set *set, const double *vector)
{
	for (unsigned i = 0; i < set->n_slots; i++)
		if (is_event(set, i) && vector[VECTOR_CONSTANTS + set->slots[i].enabled] > 0)
			return true;
	return false;
}

bool export_events_have(const struct metric_set *set, const char *name)
{
	for (unsigned i = 0; i < set->n_slots; i++)
		if (is_event(set, i) && strcmp(set->slots[i].name, name) == 0)
			return true;
	return false;
}

void export_events(const struct export_source *source, const struct column *sum, struct strbuf *out)
{
	const struct metric_set *set = source->set;
	AUTOFREE double *whole = xcalloc(set->n_vector, sizeof(*whole));
	AUTOFREE double *part = xcalloc(set->n_vector, sizeof(*part));
	AUTOFREE char *title = xasprintf("CPU events: %s (PTI: per 1000 instructions)", source->title);
	unsigned clusters = 0;
	int width = 0;

	for (unsigned i = 0; i < set->n_slots; i++)
		if (is_event(set, i) && (int)strlen(set->slots[i].name) > width)
			width = (int)strlen(set->slots[i].name);
	if (!width)
		return;
	for (unsigned i = 0; i < set->n_metrics; i++)
		if (!is_per_frame(&set->metrics[i]) && (int)strlen(set->metrics[i].def->name) > width)
			width = (int)strlen(set->metrics[i].def->name);
	metric_vector(set, sum, whole);
	put_block(set, whole, width, title, false, out);
	for (unsigned i = 0; i < set->n_instances; i++)
		clusters += set->instances[i].kind == INSTANCE_CLUSTER;
	for (unsigned i = 0; clusters > 1 && i < set->n_instances; i++) {
		metric_vector_instance(set, &set->instances[i], whole, set->n_vector, part);
		if (set->instances[i].kind == INSTANCE_CLUSTER && has_times(set, part))
			put_block(set, part, width, set->instances[i].title, true, out);
	}
}
