/* Scenarios and what they name, from stanzas of data. Only the chosen one is read. */
#include "backends/sim/sim.h"

#include "base/alloc.h"
#include "base/stanza.h"
#include "model/gpudb.h"

#include <stddef.h>
#include <stdio.h>

/* A number of a struct, by the word before it. What a text does not name keeps its default. */
struct sim_number {
	const char *name;
	size_t offset;
	double low, high, otherwise;
};

#define NUMBER(type, name, member, low, high, otherwise)                  \
	{                                                                 \
		name, offsetof(struct type, member), low, high, otherwise \
	}
#define SHADER(name, member, low, high, otherwise) NUMBER(sim_shader, name, member, low, high, otherwise)
#define LOOK(name, member, low, high, otherwise) NUMBER(sim_look, name, member, low, high, otherwise)

static const struct sim_number shader_numbers[] = {
	SHADER("alu", alu, 0, 1, 0),
	SHADER("tex", tex, 0, 1, 0),
	SHADER("ls", ls, 0, 1, 0),
	SHADER("var", var, 0, 1, 0),
	SHADER("rt", rt, 0, 1, 0),
	SHADER("bus_read", bus_read, 0, 1, 0.1),
	SHADER("l2_hit", l2_hit, 0, 0.98, 0.8),
	SHADER("issue", issue, 0.05, 1, 0.9),
	SHADER("any", any, 0.05, 1, 0.97),
	SHADER("samples", samples, 0, 64, 0),
	SHADER("filter", filter, 1, 2, 1),
	SHADER("compressed", compressed, 0, 1, 0),
	SHADER("narrow", narrow, 0, 1, 0.3),
	SHADER("diverged", diverged, 0, 1, 0.02),
	SHADER("registers", registers, 0, 1, 0.1),
	{0},
};

static const struct sim_number look_numbers[] = {
	LOOK("primitives", primitives, 0, 1, 0.14),
	LOOK("vertices", vertices, 0, 3, 1.15),
	LOOK("facing", facing, 0, 1, 0.47),
	LOOK("frustum", frustum, 0, 1, 0.12),
	LOOK("scissor", scissor, 0, 1, 0),
	LOOK("overdraw", overdraw, 0.01, 32, 1.3),
	LOOK("early_kill", early_kill, 0, 8, 0.35),
	LOOK("hidden_kill", hidden_kill, 0, 8, 0.22),
	LOOK("late", late, 0, 1, 0),
	LOOK("tested", tested, 0, 1, 1),
	LOOK("opaque", opaque, 0, 1, 1),
	LOOK("buffered", buffered, 0, 1, 0.97),
	LOOK("coarse", coarse, 0, 1, 1),
	LOOK("blended", blended, 0, 1, 0),
	LOOK("still", still, 0, 1, 0),
	LOOK("tile_bytes", tile_bytes, 0, 64, 3.2),
	{0},
};

static const struct sim_number pass_numbers[] = {
	NUMBER(sim_pass, "vertex", load[STREAM_VERTEX], 0.0001, 10, 0),
	NUMBER(sim_pass, "fragment", load[STREAM_FRAGMENT], 0.0001, 10, 0),
	NUMBER(sim_pass, "compute", load[STREAM_COMPUTE], 0.0001, 10, 0),
	NUMBER(sim_pass, "pixels", pixels, 0.0001, 1, 1),
	NUMBER(sim_pass, "waits", waits, 0, 1, 0),
	{0},
};

static const struct sim_number phase_numbers[] = {
	NUMBER(sim_phase, "seconds", seconds, 1, 3600, 1),
	NUMBER(sim_phase, "refreshes", refreshes, 0, 1000, 1),
	NUMBER(sim_phase, "cpu", cpu, 0, 1, 1),
	{0},
};

static const struct sim_number cpu_numbers[] = {
	NUMBER(sim_cpu_load, "main", main, 0, 1, 0.3),
	NUMBER(sim_cpu_load, "render", render, 0, 1, 0.2),
	NUMBER(sim_cpu_load, "worker", worker, 0, 1, 0.1),
	NUMBER(sim_cpu_load, "ipc", ipc, 0.05, 2, 1),
	{0},
};

static const struct sim_number game_numbers[] = {
	NUMBER(sim_scenario, "wave", wave, 0, 0.5, 0),
	NUMBER(sim_scenario, "imbalance", imbalance, 0, 0.5, 0.03),
	NUMBER(sim_scenario, "in-flight", in_flight, 1, 3, 2),
	NUMBER(sim_scenario, "fps", fps, 1, 1000, 0),
	NUMBER(sim_scenario, "cpu-frame", cpu_frame, 0.1, 1000, 0),
	NUMBER(sim_scenario, "clock-step", clock_step, 0, SIM_CLOCK_STEPS - 1, SIM_CLOCK_STEPS - 1),
	NUMBER(sim_scenario, "hitch-every", hitch_every, 1, 3600, 0),
	NUMBER(sim_scenario, "hitch-first", hitch_first, 0, 3600, 0),
	NUMBER(sim_scenario, "sleeps", sleeps, 0, 1, 0),
	NUMBER(sim_scenario, "paced", paced, 0, 1, 0),
	{0},
};

static double *number_in(void *thing, const struct sim_number *n)
{
	return (double *)(void *)((char *)thing + n->offset);
}

static void set_defaults(void *thing, const struct sim_number *numbers)
{
	for (const struct sim_number *n = numbers; n->name; n++)
		*number_in(thing, n) = n->otherwise;
}

static const struct sim_number *find_number(const struct sim_number *numbers, const struct stanza *s,
					    unsigned line, struct span word, struct err *err)
{
	AUTO_STRBUF struct strbuf known = {0};

	for (const struct sim_number *n = numbers; n->name; n++) {
		if (span_is(word, n->name))
			return n;
		strbuf_printf(&known, " %s", n->name);
	}
	stanza_fail(s, line, err, "unknown '%.*s': expected one of%s", SPAN_ARG(word), known.p);
	return NULL;
}

static bool set_number(void *thing, const struct sim_number *n, const struct stanza *s, unsigned line,
		       struct span text, struct err *err)
{
	double *x = number_in(thing, n);

	if (span_double(text, x) && *x >= n->low && *x <= n->high)
		return true;
	return stanza_fail(s, line, err, "%s '%.*s': expected %g to %g", n->name, SPAN_ARG(text), n->low,
			   n->high);
}

static bool copy_name(char name[SIM_NAME_BYTES], const struct stanza *s, unsigned line, struct span text,
		      struct err *err)
{
	if (!text.n || text.n >= SIM_NAME_BYTES)
		return stanza_fail(s, line, err, "name '%.*s': expected 1 to %d bytes", SPAN_ARG(text),
				   SIM_NAME_BYTES - 1);
	snprintf(name, SIM_NAME_BYTES, "%.*s", SPAN_ARG(text));
	return true;
}

/* Read the row of that name from the tables of the data: the numbers of the table's columns. The
 * last table that has the row counts. The text is known to be well-formed. */
static bool row_load(const struct gpudb *db, const char *table, const struct sim_number *numbers,
		     struct span name, void *thing, struct err *err)
{
	for (unsigned i = db->n_parts; i-- > 0;) {
		const struct gpudb_part *part = &db->parts[i];
		struct span columns = part->name, rest = part->text.rest, column;
		unsigned no = part->line;

		while (span_is(part->keyword, table) && rest.n) {
			struct span line = span_until(&rest, '\n');

			if (line.n && line.p[0] >= 'a' && line.p[0] <= 'z')
				break; /* the next stanza */
			no++;
			if (!span_eq(span_word(&line), name))
				continue;
			set_defaults(thing, numbers);
			while ((column = span_word(&columns)).n) {
				const struct sim_number *n =
					find_number(numbers, &part->text, no, column, err);

				if (!n || !set_number(thing, n, &part->text, no, span_word(&line), err))
					return false;
			}
			return !span_word(&line).n ||
			       stanza_fail(&part->text, no, err, "more numbers than columns in '%s'", table);
		}
	}
	return err_set(err, 0, "no '%.*s' in the %s", SPAN_ARG(name), table);
}

/* WORD [NUMBER [SHADER]], ... of which a word alone is a flag. */
static bool list_parse(void *thing, const struct sim_number *numbers, const struct stanza *s,
		       const struct stanza_line *line, struct span list, const struct gpudb *db,
		       struct err *err)
{
	struct sim_pass *pass = numbers == pass_numbers ? thing : NULL;

	set_defaults(thing, numbers);
	list = span_trim(list);
	while (list.n) {
		struct span item = span_trim(span_until(&list, ',')), word = span_word(&item),
			    value = span_word(&item), shader = span_trim(item);
		const struct sim_number *n;
		bool ok = true;

		if (pass && span_is(word, "look")) {
			if (!row_load(db, "looks", look_numbers, value, &pass->look, err))
				return err_prefix(err, "%s:%u: ", s->file, line->line);
			continue;
		}
		n = find_number(numbers, s, line->line, word, err);
		if (!n || !set_number(thing, n, s, line->line, value.n ? value : SPAN_LIT("1"), err))
			return false;
		if (pass && n < pass_numbers + STREAMS)
			ok = row_load(db, "shaders", shader_numbers, shader, &pass->shaders[n - pass_numbers],
				      err);
		else if (shader.n)
			ok = err_set(err, 0, "'%.*s' after '%s'", SPAN_ARG(shader), n->name);
		if (!ok)
			return err_prefix(err, "%s:%u: ", s->file, line->line);
	}
	return true;
}

typedef bool field_parse(struct sim_scenario *sc, struct stanza *s, const struct stanza_line *line,
			 const struct gpudb *db, struct err *err);

static bool help_parse(struct sim_scenario *sc, struct stanza *s, const struct stanza_line *line,
		       const struct gpudb *db, struct err *err)
{
	AUTO_STRBUF struct strbuf help = {0};
	struct stanza_line row = *line;

	(void)db;
	strbuf_add(&help, line->value.p, line->value.n);
	while (stanza_next(s, &row, err) && row.kind == STANZA_ROW)
		strbuf_printf(&help, " %.*s", SPAN_ARG(row.text));
	stanza_back(s, &row);
	if (help.n >= sizeof(sc->help))
		return stanza_fail(s, line->line, err, "help is longer than %zu bytes", sizeof(sc->help) - 1);
	snprintf(sc->help, sizeof(sc->help), "%s", help.p);
	return true;
}

static bool pass_parse(struct sim_scenario *sc, struct stanza *s, const struct stanza_line *line,
		       const struct gpudb *db, struct err *err)
{
	struct span rest = line->value, name = span_trim(span_until(&rest, ':'));
	struct sim_pass *p = &sc->passes[sc->n_passes];

	if (sc->n_passes++ == SIM_PASSES_MAX)
		return stanza_fail(s, line->line, err, "a scenario has at most %d passes", SIM_PASSES_MAX);
	if (!copy_name(p->name, s, line->line, name, err) ||
	    !list_parse(p, pass_numbers, s, line, rest, db, err))
		return false;
	if (p->load[STREAM_COMPUTE] > 0
		    ? p->load[STREAM_VERTEX] > 0 || p->load[STREAM_FRAGMENT] > 0
		    : !(p->load[STREAM_VERTEX] > 0 && p->load[STREAM_FRAGMENT] > 0 && p->look.overdraw > 0))
		return stanza_fail(s, line->line, err,
				   "pass '%s': expected vertex, fragment and look, or compute", p->name);
	return true;
}

/* NAME: numbers [| passes] */
static bool phase_parse(struct sim_scenario *sc, struct stanza *s, const struct stanza_line *line,
			const struct gpudb *db, struct err *err)
{
	struct span passes = line->value, list = span_until(&passes, '|'), name = span_until(&list, ':');
	struct sim_phase *p = &sc->phases[sc->n_phases];

	if (sc->n_phases++ == SIM_PHASES_MAX)
		return stanza_fail(s, line->line, err, "a scenario has at most %d phases", SIM_PHASES_MAX);
	if (!copy_name(p->name, s, line->line, span_trim(name), err) ||
	    !list_parse(p, phase_numbers, s, line, list, db, err))
		return false;
	p->seconds = (unsigned)p->seconds;
	p->refreshes = (unsigned)p->refreshes;
	p->passes = passes.n ? 0 : ~0u;
	while (passes.n) {
		struct span pass = span_trim(span_until(&passes, ','));
		unsigned i = 0;

		while (i < sc->n_passes && !span_is(pass, sc->passes[i].name))
			i++;
		if (i == sc->n_passes)
			return stanza_fail(s, line->line, err, "no pass '%.*s' above", SPAN_ARG(pass));
		p->passes |= 1u << i;
	}
	return true;
}

static bool cpu_parse(struct sim_scenario *sc, struct stanza *s, const struct stanza_line *line,
		      const struct gpudb *db, struct err *err)
{
	return list_parse(&sc->cpu, cpu_numbers, s, line, line->value, db, err);
}

static bool game_parse(struct sim_scenario *sc, struct stanza *s, const struct stanza_line *line,
		       const struct gpudb *db, struct err *err)
{
	return list_parse(sc, game_numbers, s, line, line->value, db, err);
}

static bool busiest_parse(struct sim_scenario *sc, struct stanza *s, const struct stanza_line *line,
			  const struct gpudb *db, struct err *err)
{
	(void)s, (void)db, (void)err;
	sc->busiest = line->value;
	return true;
}

/* LOW HIGH WHY: FORMULA */
static bool expect_parse(struct sim_scenario *sc, struct stanza *s, const struct stanza_line *line,
			 const struct gpudb *db, struct err *err)
{
	struct span rest = line->value, low = span_word(&rest), high = span_word(&rest);
	struct sim_expect *e = &sc->expect[sc->n_expect];

	(void)db;
	if (sc->n_expect++ == SIM_EXPECT_MAX)
		return stanza_fail(s, line->line, err, "at most %d rows of `expect`", SIM_EXPECT_MAX);
	e->why = span_trim(span_until(&rest, ':'));
	e->formula = span_trim(rest);
	if (!span_double(low, &e->low) || !span_double(high, &e->high) || !e->formula.n)
		return stanza_fail(s, line->line, err, "expect '%.*s': expected LOW HIGH WHY: FORMULA",
				   SPAN_ARG(line->value));
	return true;
}

static const struct {
	const char *key;
	field_parse *parse;
} fields[] = {
	{"help", help_parse}, {"pass", pass_parse},       {"phase", phase_parse},   {"cpu", cpu_parse},
	{"game", game_parse}, {"busiest", busiest_parse}, {"expect", expect_parse},
};

static bool scenario_parse(struct sim_scenario *sc, const struct gpudb *db, const struct gpudb_part *part,
			   struct err *err)
{
	struct stanza s = part->text;
	struct stanza_line line;

	set_defaults(&sc->cpu, cpu_numbers);
	set_defaults(sc, game_numbers);
	while (stanza_next(&s, &line, err)) {
		size_t i = 0;

		if (line.kind == STANZA_OPEN || line.kind == STANZA_END)
			return (sc->n_phases && sc->n_passes) ||
			       stanza_fail(&s, part->line, err, "scenario '%s' needs a pass and a phase",
					   sc->name);
		while (i < ARRAY_LEN(fields) && !span_is(line.key, fields[i].key))
			i++;
		if (i == ARRAY_LEN(fields) || line.kind != STANZA_FIELD)
			return stanza_fail(&s, line.line, err,
					   "'%.*s': expected help, pass, phase, cpu, game, busiest or expect",
					   SPAN_ARG(line.key));
		if (!fields[i].parse(sc, &s, &line, db, err))
			return false;
	}
	return false;
}

bool sim_scenario_load(struct sim_scenario *sc, const struct gpudb *db, const char *name, struct err *err)
{
	AUTO_STRBUF struct strbuf all = {0};
	char shown[64];

	*sc = (struct sim_scenario){0};
	name = name ? name : "mixed";
	for (unsigned i = db->n_parts; i-- > 0;) {
		const struct gpudb_part *part = &db->parts[i];

		if (span_is(part->keyword, "scenario") && span_is(part->name, name))
			return copy_name(sc->name, &part->text, part->line, part->name, err) &&
			       scenario_parse(sc, db, part, err);
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
