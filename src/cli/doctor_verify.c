/* doctor --verify: whether GPUs deliver samples, and the CPU counters count what known loops
 * certainly do. */
#include "cli/doctor.h"

#include "backends/registry.h"
#include "base/json.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>

/* For people, and in JSON. */
static const char *const verdicts[][2] = {[VERIFY_RIGHT] = {"right", "right"},
					  [VERIFY_WRONG] = {"WRONG", "wrong"},
					  [VERIFY_UNJUDGED] = {"not judged", "unjudged"}};

struct verify_print {
	struct strbuf *out;
	bool json;
	unsigned n[VERIFY_UNJUDGED + 1]; /* by verdict */
	unsigned n_accesses;
};

static const char *number_text(char text[UNITS_TEXT], double value)
{
	if (!isfinite(value))
		return "-";
	return count_format(text, (uint64_t)value);
}

static void print_row(struct verify_print *p, const struct verify_row *row)
{
	char expected[UNITS_TEXT], low[UNITS_TEXT], high[UNITS_TEXT], counted[UNITS_TEXT];
	bool first = !p->n[0] && !p->n[1] && !p->n[2];

	if (first)
		strbuf_printf(p->out, "%-24s  %-22s %14s  %14s  %14s %14s\n", "loop", "event", "counted",
			      "expected", "at least", "at most");
	strbuf_printf(p->out, "%-24s  %-22s %14s  %14s  %14s %14s  %s%s%s\n", row->loop, row->event,
		      number_text(counted, row->counted), number_text(expected, row->expected),
		      number_text(low, row->low), number_text(high, row->high), verdicts[row->verdict][0],
		      row->why ? ": " : "", row->why ? row->why : "");
}

static void json_row(struct verify_print *p, const struct verify_row *row)
{
	json_put(p->out,
		 "{\"loop\":%s,\"event\":%s,\"counted\":%g,\"expected\":%g,\"low\":%g,\"high\":%g,"
		 "\"verdict\":%s,\"why\":%s}\n",
		 row->loop, row->event, row->counted, row->expected, row->low, row->high,
		 verdicts[row->verdict][1], row->why ? row->why : "");
}

static void add_row(void *ctx, const struct verify_row *row)
{
	struct verify_print *p = ctx;

	if (p->json)
		json_row(p, row);
	else
		print_row(p, row);
	p->n[row->verdict]++;
}

static void add_access(void *ctx, const struct verify_access *access)
{
	struct verify_print *p = ctx;
	char cycles[UNITS_TEXT] = "-";

	if (p->json) {
		json_put(p->out, "{\"bytes\":%llu,\"level\":%s,\"ns\":%g,\"cycles\":%g}\n",
			 (unsigned long long)access->bytes, access->level, access->ns, access->cycles);
		return;
	}
	if (!p->n_accesses++)
		strbuf_printf(p->out,
			      "\nA read that waits for the one before it, by size of the array:\n\n"
			      "%10s  %-8s %8s %8s\n",
			      "KiB", "fits", "ns", "cycles");
	if (isfinite(access->cycles))
		snprintf(cycles, sizeof(cycles), "%.1f", access->cycles);
	strbuf_printf(p->out, "%10llu  %-8s %8.2f %8s\n", (unsigned long long)access->bytes >> 10,
		      access->level, access->ns, cycles);
}

enum exit_status doctor_verify(const struct doctor *d, struct strbuf *out)
{
	struct verify_print p = {.out = out, .json = d->options->format == FORMAT_JSONL};
	const struct verify_out to = {add_row, add_access, &p};

	bool judged = false;

	doctor_verify_gpus(d, &to);
	for (unsigned i = 0; registry[i]; i++)
		if (backend_extras(registry[i])->verify) {
			backend_extras(registry[i])->verify(d->sys, &to);
			judged = true;
		}
	if (!judged && !p.json)
		strbuf_str(out, "CPU counters are not judged: this build has no loops for that "
				"(configure --enable-verify)\n");
	if (p.json)
		strbuf_printf(out, "{\"right\":%u,\"wrong\":%u,\"unjudged\":%u}\n", p.n[VERIFY_RIGHT],
			      p.n[VERIFY_WRONG], p.n[VERIFY_UNJUDGED]);
	else
		strbuf_printf(out, "\n%u counts are right, %u wrong, %u could not be judged.\n",
			      p.n[VERIFY_RIGHT], p.n[VERIFY_WRONG], p.n[VERIFY_UNJUDGED]);
	return p.n[VERIFY_WRONG] || !p.n[VERIFY_RIGHT] ? EXIT_FAILED : EXIT_DONE;
}
