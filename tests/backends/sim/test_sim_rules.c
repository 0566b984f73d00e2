/* The text of the rules: what is wrong with a line is an error that names it. */
#include "backends/sim/sim_model.h"
#include "base/alloc.h"
#include "tests/support/shipped.h"

#include <stdio.h>
#include <stdlib.h>

static bool parse_rules(const char *text, struct sim_book *book, struct sim_laws *laws, struct err *err)
{
	const struct sim_gpu gpu = {.facts = {{"cores", 4}, {"ray_tracing", 0}}};

	return sim_book_load(book, laws, &gpu, &(struct gpudb_text){"own.rules", span_of(text)}, err);
}

#define KNOWN "values\n  size; more 0.5\nratios content\n  line 0.25\nrules exec\n  exec\n"

TEST(a_wrong_line_is_an_error_that_names_file_and_line)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"ratios content\n  line (\n", "own.rules:2: expected a number, a name"},
		{"ratios content\n  line 1; more x\n", "own.rules:2: unknown: expected a value above"},
		{"ratios content\n  line gpu.x\n", "own.rules:2: not a number of the GPU"},
		{KNOWN "rules nothing\n", "own.rules:7: 'rules nothing': expected a list of rules"},
		{KNOWN "rules exec x\n", "own.rules:7: 'rules exec x': expected a list of rules, and what"},
		{KNOWN "  a b % line\n", "own.rules:7: 'b': expected a quantity above"},
		{KNOWN "  a exec / line\n", "own.rules:7: 'line': expected a quantity above"},
		{KNOWN "  a exec / exec\n", "own.rules:7: '/': expected an operation"},
		{KNOWN "  a exec %\n", "own.rules:7: '': expected a ratio above"},
		{KNOWN "  a exec % b\n", "own.rules:7: 'b': expected a ratio above"},
		{KNOWN "  a exec % more\n", "own.rules:7: 'more': expected a ratio above"},
		{KNOWN "  a exec + b\n", "own.rules:7: 'b': expected a quantity above"},
		{KNOWN "  a exec * 0\n", "own.rules:7: '0': expected a number, or one of the GPU"},
		{KNOWN "  a exec * 513\n", "own.rules:7: '513': expected a number, or one of"},
		{"rules queue\n  cycles\n  a cycles % 1.5\n", "own.rules:3: '1.5': expected a share"},
	};

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct sim_book *book = xcalloc(1, sizeof(*book));
		struct sim_laws *laws = xcalloc(1, sizeof(*laws));
		struct err err = {0};

		if (parse_rules(cases[i].text, book, laws, &err) || !strstr(err.text, cases[i].says))
			fail_msg("%s: %s, not %s", cases[i].text, err.text, cases[i].says);
		sim_laws_fini(laws);
		sim_book_free(book);
		free(laws);
	}
}

TEST(rules_of_what_the_gpu_lacks_are_left_out)
{
	struct sim_book *book = xcalloc(1, sizeof(*book));
	struct sim_laws *laws = xcalloc(1, sizeof(*laws));
	struct err err = {0};

	if (!parse_rules(KNOWN "rules rays cores\n  a exec * 2\nrules rays ray_tracing\n  b exec * 2\n", book,
			 laws, &err))
		fail_msg("%s", err.text);
	assert_int_equal(laws->lists[LIST_RAYS].n, 1);
	assert_int_equal(book->quantities[SIM_CORE].n, 2);
	sim_laws_fini(laws);
	sim_book_free(book);
	free(laws);
}

/* "shader.alu" for the number "alu" of the shaders. */
static void check_inputs(const struct sim_names *values, unsigned first, const char *group,
			 const struct sim_number *numbers)
{
	for (unsigned i = 0; numbers[i].name; i++) {
		struct span own = values->names[first + i], of = span_until(&own, '.');

		if (!span_is(of, group) || !span_is(own, numbers[i].name))
			fail_msg("%s.%s is not input %u", group, numbers[i].name, first + i);
	}
}

TEST(the_shipped_text_has_what_the_model_uses_in_its_order)
{
#define INPUT(member) (unsigned)(offsetof(struct sim_inputs, member) / sizeof(double))
	static const struct {
		unsigned input;
		const char *name;
	} inputs[] = {{INPUT(streams[STREAM_VERTEX]), "job.vertex"},
		      {INPUT(streams[STREAM_FRAGMENT]), "job.fragment"},
		      {INPUT(streams[STREAM_COMPUTE]), "job.compute"},
		      {INPUT(size.visible), "size.visible"},
		      {INPUT(size.culled), "size.culled"},
		      {INPUT(size.pixels), "size.pixels"},
		      {INPUT(size.quads), "size.quads"},
		      {INPUT(size.partial), "size.partial"},
		      {INPUT(load), "job.load"},
		      {INPUT(slower[0]), "job.over128"},
		      {INPUT(slower[1]), "job.over192"},
		      {INPUT(slower[2]), "job.over256"},
		      {INPUT(slower[3]), "job.over320"},
		      {INPUT(slower[4]), "job.over384"},
		      {INPUT(pixels), "job.pixels"},
		      {INPUT(threads), "job.threads"},
		      {INPUT(issue), "job.issue"}};
	static const struct {
		enum sim_block block;
		unsigned quantity;
		const char *name;
	} quantities[] = {{SIM_QUEUE, QUEUE_CYCLES, "cycles"},
			  {SIM_QUEUE, QUEUE_JOBS, "jobs"},
			  {SIM_QUEUE, QUEUE_TASKS, "tasks"},
			  {SIM_FRONT, GPU_ZERO, "zero"},
			  {SIM_FRONT, GPU_ACTIVE, "active"},
			  {SIM_FRONT, GPU_ANY_QUEUE, "any_queue"},
			  {SIM_FRONT, GPU_IRQS, "irqs"},
			  {SIM_FRONT, GPU_FLUSHES, "flushes"},
			  {SIM_FRONT, GPU_TAIL, "tail"},
			  {SIM_FRONT, GPU_UNITS, "irq_cycles"},
			  {SIM_FRONT, GPU_UNITS + SIM_UNITS - 1, "lsu"},
			  {SIM_TILER, TILER_WORK, "work"},
			  {SIM_TILER, TILER_QUEUE, "queue"},
			  {SIM_TILER, TILER_READ_BEATS, "read_beats"},
			  {SIM_TILER, TILER_WRITE_BEATS, "write_beats"},
			  {SIM_TILER, TILER_WARPS, "warps"},
			  {SIM_CORE, CORE_ANY, "any"},
			  {SIM_CORE, CORE_NONFRAG, "nonfrag"},
			  {SIM_CORE, CORE_FRAG, "frag"},
			  {SIM_CORE, CORE_EXEC, "exec"},
			  {SIM_CORE, CORE_EXEC_QUARTER, "exec_quarter"},
			  {SIM_CORE, CORE_VERTEX_WARPS, "vertex_warps"},
			  {SIM_CORE, CORE_READS, "read_tex"},
			  {SIM_CORE, CORE_WRITES, "write_ls_wb"},
			  {SIM_CORE, CORE_TRAFFIC_END - 1, "write_other"},
			  {SIM_SLICE, SLICE_READS, "reads"},
			  {SIM_SLICE, SLICE_WRITES, "writes"},
			  {SIM_SLICE, SLICE_ACTIVE, "active"}};
	struct sim_book *book = xcalloc(1, sizeof(*book));
	struct sim_model *model = xcalloc(1, sizeof(*model));
	const struct sim_laws *laws = &model->laws;
	struct gpudb *db = load_shipped();
	struct err err = {0};

	if (!sim_model_init(model, &(struct source_options){.db = db}, &err) ||
	    !sim_book_load(book, &model->laws, &model->gpu, NULL, &err))
		fail_msg("%s", err.text);
	check_inputs(&book->values, 0, "shader", sim_shader_numbers);
	check_inputs(&book->values, INPUT(look), "look", sim_look_numbers);
	for (unsigned i = 0; i < ARRAY_LEN(inputs); i++)
		if (!span_is(book->values.names[inputs[i].input], inputs[i].name))
			fail_msg("%s is not input %u", inputs[i].name, inputs[i].input);
	for (unsigned i = 0; i < laws->n_values; i++)
		if ((laws->values[i].formula.n > 0) != (i >= SIM_INPUTS))
			fail_msg("value %u: the values without a formula are not the inputs", i);
	for (unsigned i = 0; i < laws->n_values; i++)
		for (unsigned k = 0; k < i; k++)
			if (span_eq(book->values.names[i], book->values.names[k]))
				fail_msg("%.*s: two formulas", SPAN_ARG(book->values.names[i]));
	for (unsigned i = 0; i < ARRAY_LEN(quantities); i++)
		if (!span_is(book->quantities[quantities[i].block].names[quantities[i].quantity],
			     quantities[i].name))
			fail_msg("%s is not quantity %u", quantities[i].name, quantities[i].quantity);
	sim_book_free(book);
	sim_model_fini(model);
	free(model);
	gpudb_free(db);
#undef INPUT
}
