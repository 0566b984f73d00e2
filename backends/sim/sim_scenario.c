/* Scenarios, and their shaders and looks, from stanzas of data. Only the chosen one is read. */
#include "backends/sim/sim.h"

#include "base/alloc.h"
#include "base/stanza.h"
#include "model/gpudb.h"

#include <stddef.h>
#include <stdio.h>

/* src/data/demo.scenario says what each is. */
const struct sim_number sim_shader_numbers[] = {
	{"alu", 0, 1, 0},       {"tex", 0, 1, 0},         {"ls", 0, 1, 0},          {"var", 0, 1, 0},
	{"rt", 0, 1, 0},        {"bus_read", 0, 1, 0.1},  {"l2_hit", 0, 0.98, 0.8}, {"issue", 0.05, 1, 0.9},
	{"any", 0.05, 1, 0.97}, {"samples", 0, 64, 0},    {"filter", 1, 2, 1},      {"compressed", 0, 1, 0},
	{"narrow", 0, 1, 0.3},  {"diverged", 0, 1, 0.02}, {"registers", 0, 1, 0.1}, {0}};

const struct sim_number sim_look_numbers[] = {{"primitives", 0, 1, 0.14},
					      {"vertices", 0, 3, 1.15},
					      {"facing", 0, 1, 0.47},
					      {"frustum", 0, 1, 0.12},
					      {"scissor", 0, 1, 0},
					      {"overdraw", 0.01, 32, 1.3},
					      {"early_kill", 0, 8, 0.35},
					      {"hidden_kill", 0, 8, 0.22},
					      {"late", 0, 1, 0},
					      {"tested", 0, 1, 1},
					      {"opaque", 0, 1, 1},
					      {"buffered", 0, 1, 0.97},
					      {"coarse", 0, 1, 1},
					      {"blended", 0, 1, 0},
					      {"still", 0, 1, 0},
					      {"tile_bytes", 0, 64, 3.2},
					      {0}};

static const struct sim_table shaders = {"shaders", sim_shader_numbers, 0, 1, NULL};
static const struct sim_table looks = {"looks", sim_look_numbers, 0, 1, NULL};

static const struct sim_number pass_numbers[] = {{"vertex", 0.0001, 10, 0},  {"fragment", 0.0001, 10, 0},
						 {"compute", 0.0001, 10, 0}, {"pixels", 0.0001, 1, 1},
						 {"waits", 0, 1, 0},         {0}};

static const struct sim_number phase_numbers[] = {
	{"seconds", 1, 3600, 1}, {"refreshes", 0, 1000, 1}, {"cpu", 0, 1, 1}, {0}};

static const struct sim_number cpu_numbers[] = {
	{"main", 0, 1, 0.3}, {"render", 0, 1, 0.2}, {"worker", 0, 1, 0.1}, {"ipc", 0.05, 2, 1}, {0}};

static const struct sim_number game_numbers[] = {
	{"wave", 0, 0.5, 0},         /* amplitude of the load's variation, 0.2: 20 % */
	{"imbalance", 0, 0.5, 0.03}, /* how far the slowest core lags */
	{"in-flight", 1, 3, 2},      /* frames that may be queued */
	{"fps", 1, 1000, 0},         /* its refreshes per second, whatever --fps says; 0: those of --fps */
	{"cpu-frame", 0.1, 1000, 0}, /* time the CPU takes per frame, in units of 1/60 s; 0: never late */
	{"clock-step", 0, SIM_CLOCK_STEPS - 1, SIM_CLOCK_STEPS - 1}, /* the initial one */
	{"hitch-every", 1, 3600, 0}, /* seconds between hitches of 250 ms without a frame; 0: none */
	{"hitch-first", 0, 3600, 0}, /* when the first one is: in play, and not where a screen begins */
	{"sleeps", 0, 1, 0},         /* a limiter of its own sleeps between frames, which no API wait shows */
	{"paced", 0, 1, 0},          /* for tests: known by its frames, not by counters */
	{0}};

_Static_assert(sizeof(struct sim_shader) == (ARRAY_LEN(sim_shader_numbers) - 1) * sizeof(double),
	       "each member");
_Static_assert(sizeof(struct sim_look) == (ARRAY_LEN(sim_look_numbers) - 1) * sizeof(double), "each member");
_Static_assert(sizeof(struct sim_cpu_load) == (ARRAY_LEN(cpu_numbers) - 1) * sizeof(double), "each member");

/* The first number of a struct; the others follow it in memory. */
#define NUMBERS_IN(thing, type, first) ((double *)(void *)((char *)(thing) + offsetof(struct type, first)))

/* A position in a text. */
struct scenario_text {
	struct sim_scenario *sc;
	const struct gpudb *db;
	struct stanza s;
	struct stanza_line line;
};

static void set_defaults(double *out, const struct sim_number *numbers)
{
	for (const struct sim_number *n = numbers; n->name; n++)
		for (struct span names = span_of(n->name); span_word(&names).n;)
			*out++ = n->otherwise;
}

/* Returns the index of the number; -1 after an error. */
static int take_number(double *out, const struct sim_number *numbers, const struct scenario_text *r,
		       struct span name, struct span text, struct err *err)
{
	AUTO_STRBUF struct strbuf known = {0};
	int i = 0;

	for (const struct sim_number *n = numbers; n->name; n++) {
		struct span names = span_of(n->name), word;

		strbuf_printf(&known, " %s", n->name);
		for (; (word = span_word(&names)).n; i++) {
			if (!span_eq(name, word))
				continue;
			if (span_double(text, &out[i]) && out[i] >= n->low && out[i] <= n->high)
				return i;
			stanza_fail(&r->s, r->line.line, err, "%.*s '%.*s': expected %g to %g",
				    SPAN_ARG(name), SPAN_ARG(text), n->low, n->high);
			return -1;
		}
	}
	stanza_fail(&r->s, r->line.line, err, "unknown '%.*s': expected one of%s", SPAN_ARG(name), known.p);
	return -1;
}

static bool take_name(const struct scenario_text *r, struct span *name, struct span text, struct err *err)
{
	*name = span_trim(text);
	return name->n || stanza_fail(&r->s, r->line.line, err, "expected a name");
}

/* The text is known to be well-formed. */
unsigned sim_table_load(void *rows, const struct sim_table *t, struct span name, const struct gpudb *db,
			struct err *err)
{
	unsigned n = 0;

	for (unsigned i = db->n_parts; i-- > 0 && !n;) {
		struct scenario_text r = {.s = db->parts[i].text};

		while (span_is(db->parts[i].keyword, t->keyword) && (t->size || !n) &&
		       stanza_more(&r.s, STANZA_FIELD, &r.line, err) > 0) {
			struct span columns = db->parts[i].name, column;
			struct sim_row *row = (struct sim_row *)(void *)((char *)rows + n * t->size);
			double *out = (double *)(void *)(t->size ? row + 1 : row);
			const char *wrong = NULL;

			if (name.n && !span_eq(r.line.key, name))
				continue;
			if (n == t->most)
				return stanza_fail(&r.s, r.line.line, err, "more than %u rows in '%s'",
						   t->most, t->keyword);
			set_defaults(out, t->numbers);
			while ((column = span_word(&columns)).n)
				if (take_number(out, t->numbers, &r, column, span_word(&r.line.value), err) <
				    0)
					return 0;
			if (t->size)
				*row = (struct sim_row){r.line.key, span_trim(r.line.value)};
			if (t->finish)
				wrong = t->finish(db, rows, n);
			else if (r.line.value.n)
				wrong = "more numbers than columns";
			if (wrong)
				return stanza_fail(&r.s, r.line.line, err, "%s in '%s'", wrong, t->keyword);
			n++;
		}
	}
	return n ? n : err_set(err, 0, "no '%.*s' in the %s", SPAN_ARG(name), t->keyword);
}

/* WORD [NUMBER [SHADER]], ... A word alone is a flag. pass: NULL unless the list is a pass's. */
static bool take_list(double *out, const struct sim_number *numbers, struct sim_pass *pass,
		      const struct scenario_text *r, struct span list, struct err *err)
{
	set_defaults(out, numbers);
	list = span_trim(list);
	while (list.n) {
		struct span item = span_trim(span_until(&list, ',')), word = span_word(&item),
			    value = span_word(&item), shader = span_trim(item);
		bool ok = true;
		int i;

		if (pass && span_is(word, "look")) {
			ok = sim_table_load(NUMBERS_IN(pass, sim_pass, look), &looks, value, r->db, err);
		} else {
			i = take_number(out, numbers, r, word, value.n ? value : SPAN_LIT("1"), err);
			if (i < 0)
				return false;
			if (pass && i < STREAMS)
				ok = sim_table_load(NUMBERS_IN(pass, sim_pass, shaders[i]), &shaders, shader,
						    r->db, err);
			else if (shader.n)
				ok = err_set(err, 0, "'%.*s' after '%.*s'", SPAN_ARG(shader), SPAN_ARG(word));
		}
		if (!ok)
			return err_prefix(err, "%s:%u: ", r->s.file, r->line.line);
	}
	return true;
}

static bool parse_help(struct scenario_text *r, struct err *err)
{
	struct stanza_line row;
	int more;

	r->sc->help = r->line.value;
	while ((more = stanza_more(&r->s, STANZA_ROW, &row, err)) > 0)
		r->sc->help.n = (size_t)(row.text.p + row.text.n - r->sc->help.p);
	return more == 0;
}

static bool parse_pass(struct scenario_text *r, struct err *err)
{
	struct span rest = r->line.value, name = span_until(&rest, ':');
	struct sim_pass *p = &r->sc->passes[r->sc->n_passes];
	bool vertex, fragment;

	if (r->sc->n_passes++ == SIM_PASSES_MAX)
		return stanza_fail(&r->s, r->line.line, err, "a scenario has at most %d passes",
				   SIM_PASSES_MAX);
	if (!take_name(r, &p->name, name, err) ||
	    !take_list(NUMBERS_IN(p, sim_pass, load), pass_numbers, p, r, rest, err))
		return false;
	vertex = p->load[STREAM_VERTEX] > 0;
	fragment = p->load[STREAM_FRAGMENT] > 0;
	if (p->load[STREAM_COMPUTE] > 0 ? vertex || fragment : !(vertex && fragment && p->look.overdraw > 0))
		return stanza_fail(&r->s, r->line.line, err,
				   "pass '%.*s': expected vertex, fragment and look, or compute",
				   SPAN_ARG(p->name));
	return true;
}

/* NAME: numbers [| passes] */
static bool parse_phase(struct scenario_text *r, struct err *err)
{
	struct span passes = r->line.value, list = span_until(&passes, '|'), name = span_until(&list, ':');
	struct sim_scenario *sc = r->sc;
	struct sim_phase *p = &sc->phases[sc->n_phases];

	if (sc->n_phases++ == SIM_PHASES_MAX)
		return stanza_fail(&r->s, r->line.line, err, "a scenario has at most %d phases",
				   SIM_PHASES_MAX);
	if (!take_name(r, &p->name, name, err) ||
	    !take_list(NUMBERS_IN(p, sim_phase, seconds), phase_numbers, NULL, r, list, err))
		return false;
	p->seconds = (unsigned)p->seconds;
	p->refreshes = (unsigned)p->refreshes;
	p->passes = passes.n ? 0 : ~0u;
	while (passes.n) {
		struct span pass = span_trim(span_until(&passes, ','));
		unsigned i = 0;

		while (i < sc->n_passes && !span_eq(pass, sc->passes[i].name))
			i++;
		if (i == sc->n_passes)
			return stanza_fail(&r->s, r->line.line, err, "no pass '%.*s' above", SPAN_ARG(pass));
		p->passes |= 1u << i;
	}
	return true;
}

static bool parse_field(struct scenario_text *r, struct err *err)
{
	struct span key = r->line.key, value = r->line.value;
	bool field = r->line.kind == STANZA_FIELD;

	if (field && span_is(key, "help"))
		return parse_help(r, err);
	if (field && span_is(key, "pass"))
		return parse_pass(r, err);
	if (field && span_is(key, "phase"))
		return parse_phase(r, err);
	if (field && span_is(key, "cpu"))
		return take_list(NUMBERS_IN(r->sc, sim_scenario, cpu), cpu_numbers, NULL, r, value, err);
	if (field && span_is(key, "game"))
		return take_list(NUMBERS_IN(r->sc, sim_scenario, wave), game_numbers, NULL, r, value, err);
	if (field && (span_is(key, "busiest") || span_is(key, "expect")))
		return true; /* tests read them */
	return stanza_fail(&r->s, r->line.line, err,
			   "'%.*s': expected help, pass, phase, cpu, game, busiest or expect", SPAN_ARG(key));
}

static bool parse_scenario(struct scenario_text *r, unsigned first, struct err *err)
{
	int more;

	set_defaults(NUMBERS_IN(r->sc, sim_scenario, cpu), cpu_numbers);
	set_defaults(NUMBERS_IN(r->sc, sim_scenario, wave), game_numbers);
	while ((more = stanza_more(&r->s, STANZA_FIELD, &r->line, err)) > 0)
		if (!parse_field(r, err))
			return false;
	if (more < 0)
		return false;
	return (r->sc->n_phases && r->sc->n_passes) ||
	       stanza_fail(&r->s, first, err, "scenario '%s' needs a pass and a phase", r->sc->name);
}

bool sim_scenario_load(struct sim_scenario *sc, const struct gpudb *db, const char *name, struct err *err)
{
	AUTO_STRBUF struct strbuf all = {0};
	char shown[64];

	name = name ? name : "mixed";
	*sc = (struct sim_scenario){.name = name};
	for (unsigned i = db->n_parts; i-- > 0;) {
		const struct gpudb_part *part = &db->parts[i];
		struct scenario_text r = {.sc = sc, .db = db, .s = part->text};

		if (span_is(part->keyword, "scenario") && span_is(part->name, name))
			return parse_scenario(&r, part->line, err);
	}
	gpudb_scenarios(db, &all);
	return err_set(err, ERR_USAGE, "--demo: unknown '%s': expected one of %s",
		       str_printable(shown, sizeof(shown), name), all.n ? all.p : "none");
}

const struct sim_phase *sim_scenario_phase(const struct sim_scenario *s, int64_t at_ns)
{
	double all = 0, left;

	for (unsigned i = 0; i < s->n_phases; i++)
		all += s->phases[i].seconds;
	left = (double)(at_ns / 1000000000 % (int64_t)all);
	for (unsigned i = 0; i < s->n_phases; i++) {
		if (left < s->phases[i].seconds)
			return &s->phases[i];
		left -= s->phases[i].seconds;
	}
	return &s->phases[0];
}
