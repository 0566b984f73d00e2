#include "base/alloc.h"
#include "model/gpudb.h"
#include "model/metric.h"
#include "model/cpu_event.h"
#include "model/gpudb_parse.h"
#include "tests/support/gpu_set.h"
#include "tests/support/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct gpudb *load_data(const char *text)
{
	struct err err;
	struct gpudb *db = gpudb_load_texts(&(struct gpudb_text){"test.gpu", span_of(text)}, 1, &err);

	if (!db)
		fail_msg("%s", err.text);
	return db;
}

static const char *name_of(const struct gpu_product *p)
{
	return p ? p->name : "none";
}

TEST(shipped_gpus_are_found_by_the_id_of_their_driver)
{
	static const struct {
		uint64_t id;
		const char *name;
	} cases[] = {
		{0x70030000, "Mali-G31"},
		{0x7ff3ffff, "Mali-G31"}, /* major, minor and status of the revision vary */
		{0x70930100, "Mali-G31"},
		{0x60000000, "Mali-G71"},
		{0x60210010, "Mali-G72"},
		{0x90910000, "Mali-G57"},
		{0x90930000, "Mali-G57"},
		{0xa8670000, "Mali-G610"},
		{0xb8a20000, "Mali-G715"},
		{0xb8a30000, "Mali-G615"},
		{0xd8000000, "Mali-G725"},
		{0xe0010000, "Mali G1-Premium"},
		/* 64 bits: architecture in 63:56, product in 39:32, bits 31:28 all ones */
		{0x0b000002f0000000, "Mali-G715"},
		{0x0b123402f5678901, "Mali-G715"},
		{0x0b00fe02ffffffff, "Mali-G715"},
		{0x0e000000f0000000, "Mali G1-Ultra"},
		{0x0e000003f0000000, "Mali G1-Pro"},
		{0x07000003f0000000, "Mali-G31"},
		{0x0e000013f0000000, "none"}, /* product 0x13 is not product 3 */
		{0x1e000003f0000000, "none"},
		{0, "none"},
		{0x70040000, "none"},
		{0x00007003, "none"},
		{0x69560000, "Mali-T60x"},
		{0x07500100, "Mali-T760"},
		{0x08602000, "Mali-T860"},
		{0x06570000, "none"},
		{0xffffffff, "none"},
		{UINT64_MAX, "none"},
	};
	struct gpudb *db = load_shipped();

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (strcmp(name_of(gpudb_by_id(db, cases[i].id)), cases[i].name) != 0)
			fail_msg("0x%llx is %s", (unsigned long long)cases[i].id,
				 name_of(gpudb_by_id(db, cases[i].id)));
	gpudb_free(db);
}

TEST(every_id_of_every_shipped_gpu_leads_back_to_it)
{
	struct gpudb *db = load_shipped();

	assert_int_equal(db->n_products, 32);
	for (unsigned i = 0; i < db->n_products; i++) {
		const struct gpu_product *p = gpudb_product(db, i);

		for (unsigned k = 0; k < p->n_ids; k++)
			for (uint64_t revision = 0; revision < 0x1000; revision += 0x111) {
				uint64_t id = p->ids[k], narrow = id << 16 | revision |
								  (p->old_id ? 0 : (revision & 0xff0) << 16);
				uint64_t wide = (id >> 12) << 56 | (id & 15) << 32 | 0xf0000000 |
						revision << 40 | revision << 8;

				assert_ptr_equal(gpudb_by_id(db, narrow), p);
				if (!p->old_id) /* Midgard has no wide ids */
					assert_ptr_equal(gpudb_by_id(db, wide), p);
			}
	}
	gpudb_free(db);
}

TEST(an_old_id_is_tested_before_the_new_rule)
{
	/* Mali-T60x (0x6956): by the new rule its id would be 0x6006. */
	static const char text[] = "gpu Mali-New\n  family Bifrost\n  id 0x6006\n  layout L\n"
				   "gpu Mali-T60x\n  family Midgard\n  id old 0x6956\n  layout L\n  dump v4\n"
				   "layout L\n";
	static const struct {
		uint64_t id;
		const char *name;
	} cases[] = {
		{0x69560000, "Mali-T60x"}, {0x69560123, "Mali-T60x"},        {0x60060000, "Mali-New"},
		{0x69660000, "Mali-New"},  {0x06000006f0000000, "Mali-New"}, {0x69570000, "none"},
		{0x00006956, "none"},      {0x6956f0000000, "none"},
	};
	struct gpudb *db = load_data(text);

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_string_equal(name_of(gpudb_by_id(db, cases[i].id)), cases[i].name);
	gpudb_free(db);
}

TEST(names_are_found_however_they_are_written)
{
	static const struct {
		const char *text, *name;
	} cases[] = {
		{"Mali-G715", "Mali-G715"},
		{"mali g715", "Mali-G715"},
		{"G715", "Mali-G715"},
		{"g-7_1 5", "Mali-G715"},
		{"MALIG715", "Mali-G715"},
		{"Immortalis-G715", "Mali-G715"},
		{"immortalis g720", "Mali-G720"},
		{"Immortalis G925", "Mali-G725"},
		{"Mali G1-Ultra", "Mali G1-Ultra"},
		{"g1ultra", "Mali G1-Ultra"},
		{"Mali-G1-Premium", "Mali G1-Premium"},
		{"G78AE", "Mali-G78AE"},
		{"G7", "none"},
		{"G7155", "none"},
		{"Mali", "none"},
		{"", "none"},
		{" - _ ", "none"},
		{"Mali-Mali-G715", "none"},
		{"G925", "none"},
		{"gggggggggggggggggggggggggggggggggggggggggggggggggggggggggggggggggggggggggggggggg", "none"},
	};
	struct gpudb *db = load_shipped();

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (strcmp(name_of(gpudb_by_name(db, cases[i].text)), cases[i].name) != 0)
			fail_msg("'%s' is %s", cases[i].text, name_of(gpudb_by_name(db, cases[i].text)));
	gpudb_free(db);
}

TEST(the_name_shown_goes_by_the_number_of_cores)
{
	static const struct {
		const char *gpu;
		unsigned cores;
		const char *shown;
	} cases[] = {
		{"G715", 16, "Immortalis-G715"}, {"G715", 10, "Immortalis-G715"}, {"G715", 9, "Mali-G715"},
		{"G715", 7, "Mali-G715"},        {"G715", 6, "Mali-G615"},        {"G715", 0, "Mali-G615"},
		{"G615", 12, "Mali-G615"},       {"G720", 10, "Immortalis-G720"}, {"G720", 5, "Mali-G620"},
		{"G725", 10, "Immortalis-G925"}, {"G725", 6, "Mali-G725"},        {"G725", 5, "Mali-G725"},
		{"G31", 2, "Mali-G31"},
	};
	struct gpudb *db = load_shipped();

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_string_equal(gpu_product_shown_name(gpudb_by_name(db, cases[i].gpu), cases[i].cores),
				    cases[i].shown);
	gpudb_free(db);
}

TEST(a_gpu_set_has_products_and_families)
{
	static const struct {
		const char *words, *gpu;
		bool has;
	} cases[] = {
		{"", "G31", true},
		{"G31", "G31", true},
		{"Mali-G31", "G31", true},
		{"G51,G31", "G31", true},
		{"Bifrost", "G31", true},
		{"Valhall-JM,Bifrost", "G31", true},
		{"5thGen", "G1-Pro", true},
		{"Valhall-CSF", "G715", true},
		{"Valhall-JM", "G57", true},
		{"Immortalis-G715", "G715", false}, /* the product's own name only */
		{"G51", "G31", false},
		{"Valhall-CSF", "G57", false},
		{"Valhall", "G57", false},
		{"bifrost", "G31", false},
		{"Bifrost", "G57", false},
		{"G3", "G31", false},
		{"5thGen", "G715", false},
	};
	struct gpudb *db = load_shipped();

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (gpu_set_has((struct gpu_set){span_of(cases[i].words)}, gpudb_by_name(db, cases[i].gpu)) !=
		    cases[i].has)
			fail_msg("@%s and %s", cases[i].words, cases[i].gpu);
	assert_true(gpu_set_has((struct gpu_set){{0}}, NULL));
	assert_false(gpu_set_has((struct gpu_set){SPAN_LIT("Bifrost")}, NULL));
	gpudb_free(db);
}

TEST(a_product_is_read_field_by_field)
{
	struct gpudb *db = load_data(
		"gpu Mali-X1\n  also Super-X1\n  also Hyper-X1\n  family 5thGen\n  year 2030\n  id 0xf001\n  "
		"id 0xf002\n"
		"  layout L\n  name 4 Big X1\n  dump v5\n  codename AB CD\n  constant MaliGPUWarpSize 16\n"
		"  constant Half 0.5\n  engines 0:1 3:7 *:2\n  lone-registers 0x2000\n  typical cores 7 "
		"slices 2 bus 256 "
		"mhz 850\n"
		"layout L\n  slots 128\n  block shader_core\n    127 HW_B MaliB *4\n    3 HW_A -  $MaliOld "
		"$MaliOlder\n"
		"  block front_end\n    3 HW_C MaliC\n");
	const struct gpu_product *p = gpudb_by_name(db, "hyper x1");
	const struct gpu_counter *c;

	assert_non_null(p);
	assert_int_equal(p->n_also, 2);
	assert_int_equal(p->family, FAMILY_5TH_GEN);
	assert_string_equal(gpu_family_architecture(p->family), "5th Generation");
	assert_string_equal(gpu_family_front_end(p->family), "CSF");
	assert_int_equal(p->year, 2030);
	assert_int_equal(p->n_ids, 2);
	assert_string_equal(p->codenames, "AB CD");
	assert_int_equal(p->n_constants, 2);
	assert_true(p->constants[1].value == 0.5);
	assert_true(p->engines[0] == 1 && p->engines[3] == 7 && p->engines[1] == 2 && p->engines[15] == 2);
	assert_int_equal(p->lone_registers, 0x2000);
	assert_true(p->typical.cores == 7 && p->typical.slices == 2 && p->typical.bus_bits == 256 &&
		    p->typical.mhz == 850);
	assert_int_equal(p->layout->n_counters, 3);
	assert_int_equal(p->layout->n_published, 2);
	assert_string_equal(p->layout->counters[0].hw_name, "HW_C"); /* by block, then by index */
	assert_string_equal(p->layout->counters[1].hw_name, "HW_A");
	c = gpu_layout_at(p->layout, BLOCK_CORE, 127);
	assert_string_equal(c->name, "MaliB");
	assert_int_equal(c->scale, 4);
	c = gpu_layout_at(p->layout, BLOCK_CORE, 3);
	assert_null(c->name);
	assert_true(span_is(c->vars, "$MaliOld $MaliOlder"));
	assert_null(gpu_layout_at(p->layout, BLOCK_TILER, 3));
	gpudb_free(db);
}

TEST(a_layout_is_read_when_its_gpu_is_asked_for)
{
	struct gpudb *db = load_data("gpu Mali-X1\n  family Bifrost\n  id 0x7003\n  layout L\n"
				     "gpu Mali-X2\n  family Bifrost\n  id 0x7004\n  layout M\n"
				     "layout L\n  block tiler\n    4 HW_A MaliA $A1 $A2\n"
				     "layout M\n  block tiler\n    4 HW_B -\n");
	const char *const known[] = {"HW_A", "MaliA", "$A1", "$A2", "HW_B"};

	assert_true(!db->products[0].layout && !db->products[1].layout);
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		assert_true(metric_name_known(db, span_of(known[i])));
	assert_false(metric_name_known(db, SPAN_LIT("-")) || metric_name_known(db, SPAN_LIT("4")));
	assert_string_equal(gpudb_by_id(db, 0x70040000)->layout->counters[0].hw_name, "HW_B");
	assert_null(db->products[0].layout);
	assert_ptr_equal(gpudb_product(db, 0)->layout, gpudb_by_name(db, "X1")->layout);
	assert_string_equal(db->products[0].layout->counters[0].name, "MaliA");
	gpudb_free(db);
}

TEST(a_block_is_like_that_of_a_layout_above_but_for_its_own_rows)
{
	static const char text[] =
		"gpu Mali-X1\n  family Bifrost\n  id 0x7003\n  layout L\n"
		"gpu Mali-X2\n  family Bifrost\n  id 0x7004\n  layout M\n"
		"gpu Mali-X3\n  family Bifrost\n  id 0x7005\n  layout N\n"
		"layout L\n  slots 128\n  block tiler\n    4 HW_A MaliA $A\n    5 HW_B MaliB\n    6 HW_C "
		"MaliC\n"
		"    100 HW_Z MaliZ\n"
		"layout M\n  slots 128\n  block tiler like L\n    5 HW_X MaliX *4\n    6 -\n    7 HW_D -\n"
		"layout N\n  block tiler like M\n    6 HW_E MaliE\n  block front_end\n    6 HW_F MaliF\n"
		"layout L\n  block tiler\n    4 HW_NEW MaliNew\n";
	static const struct {
		const char *gpu, *hw[6];
	} cases[] = {{"X1", {"HW_NEW"}},
		     {"X2", {"HW_A", "HW_X", NULL, "HW_D", NULL, "HW_Z"}},
		     {"X3", {"HW_A", "HW_X", "HW_E", "HW_D"}}}; /* it has 64 slots */
	static const unsigned indices[] = {4, 5, 6, 7, 8, 100}, published[] = {1, 3, 4};
	struct gpudb *db = load_data(text);

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct gpu_layout *layout = gpudb_by_name(db, cases[i].gpu)->layout;

		for (size_t k = 0; k < ARRAY_LEN(indices); k++) {
			const struct gpu_counter *c = gpu_layout_at(layout, BLOCK_TILER, indices[k]);

			assert_string_equal(c ? c->hw_name : "none",
					    cases[i].hw[k] ? cases[i].hw[k] : "none");
		}
		assert_int_equal(layout->n_published, published[i]);
	}
	assert_true(span_is(gpu_layout_at(gpudb_by_name(db, "X3")->layout, BLOCK_TILER, 4)->vars, "$A"));
	assert_int_equal(gpu_layout_at(gpudb_by_name(db, "X3")->layout, BLOCK_TILER, 5)->scale, 4);
	assert_non_null(gpu_layout_at(gpudb_by_name(db, "X3")->layout, BLOCK_FRONT_END, 6));
	gpudb_free(db);
}

TEST(what_an_event_means_is_on_its_line_or_in_a_field)
{
	struct gpudb *db = load_data("event A  Words # of it.\nevent B\n  help Words\n    of it.\nevent C\n");

	assert_string_equal(cpu_event_find(db, "A")->help, "Words # of it.");
	assert_string_equal(cpu_event_find(db, "B")->help, "Words of it.");
	assert_string_equal(cpu_event_find(db, "C")->help, "");
	gpudb_free(db);
}

TEST(a_gpu_is_like_one_above_but_for_its_own_fields)
{
	struct gpudb *db =
		load_data("gpu Mali-X1\n  also Super\n  family 5thGen\n  year 2030\n  id 0xf001\n  layout L\n"
			  "  dump v4\n  constant A 1\n  constant B 2\n  engines *:2\n  typical cores 7\n"
			  "gpu Mali-X2\n  like Mali-X1\n  id 0xf002\n  year 2031\n  constant B 3\n"
			  "layout L\n");
	const struct gpu_product *p = gpudb_by_name(db, "X2");

	assert_true(p->family == FAMILY_5TH_GEN && p->year == 2031 && p->dump_v4 && p->layout);
	assert_true(p->n_constants == 2 && p->constants[0].value == 1 && p->constants[1].value == 3);
	assert_true(p->n_ids == 1 && p->n_also == 0 && p->engines[0] == -1 && p->typical.cores == 1);
	gpudb_free(db);
}

#define GPU "gpu Mali-X1\n  family Bifrost\n  id 0x7003\n  layout L\n"
#define LAYOUT "layout L\n  slots 64\n  block front_end\n    4 HW_A MaliA\n"
#define METRIC "metric M\n  title T\n  unit cycles\n"

TEST(malformed_data_names_file_line_and_what_was_expected)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"thing x\n", "test.gpu:1: 'thing': expected gpu, layout, metric, heading, prometheus, "
			      "slots, event, group, "
			      "template, section, chart, finding, verdict, condition, resource, note, "
			      "scenario, shaders, looks, people, events, clusters or traffic in column 0"},
		{"prometheus names\n", "test.gpu:1: prometheus 'names': expected 'titles'"},
		{"prometheus\n", "test.gpu:1: 'prometheus' without a name"},
		{"prometheus titles\n  a b\n", "test.gpu:2: 'a': expected gpu, layout"},
		{"gpu\n", "test.gpu:1: 'gpu' without a name"},
		{"gpu X\n\tid 1\n", "test.gpu:2: control character 0x09"},
		{"gpu X\n  colour red\n",
		 "test.gpu:2: unknown field 'colour': expected one of also family year id layout name dump "},
		{"gpu X\n  family\n",
		 "test.gpu:2: family '': expected Midgard, Bifrost, Valhall-JM, Valhall-CSF or 5thGen"},
		{"gpu X\n  family Utgard\n", "test.gpu:2: family 'Utgard': expected Midgard, Bifrost"},
		{"gpu X\n  year soon\n", "test.gpu:2: 'soon': expected a whole number up to 9999"},
		{"gpu X\n  year 10000\n", "test.gpu:2: '10000': expected a whole number up to 9999"},
		{"gpu X\n  id 0x10000\n", "test.gpu:2: '0x10000': expected a whole number up to 65535"},
		{"gpu X\n  id\n", "test.gpu:2: '': expected a whole number"},
		{"gpu X\n  id old\n", "test.gpu:2: '': expected a whole number"},
		{"gpu X\n  id 1\n  id 2\n  id 3\n  id 4\n  id 5\n", "test.gpu:6: more than 4 'id' fields"},
		{"gpu X\n  also a\n  also b\n  also c\n  also d\n  also e\n",
		 "test.gpu:6: more than 4 'also' fields"},
		{"gpu X\n  name many X\n", "test.gpu:2: 'many': expected a whole number up to 64"},
		{"gpu X\n  dump v6\n", "test.gpu:2: dump 'v6': expected v4 or v5"},
		{"gpu X\n  constant C\n", "test.gpu:2: constant 'C': expected a name and a number"},
		{"gpu X\n  constant C 1x\n", "test.gpu:2: constant 'C 1x': expected a name and a number"},
		{"gpu X\n  lone-registers 65536\n",
		 "test.gpu:2: '65536': expected a whole number up to 65535"},
		{"gpu X\n  engines 16:1\n", "test.gpu:2: '16': expected a whole number up to 15"},
		{"gpu X\n  engines 1:128\n", "test.gpu:2: '128': expected a whole number up to 127"},
		{"gpu X\n  engines 1\n", "test.gpu:2: '': expected a whole number up to 127"},
		{"gpu X\n  typical cores\n", "test.gpu:2: '': expected a whole number up to 64"},
		{"gpu X\n  typical cores 65\n", "test.gpu:2: '65': expected a whole number up to 64"},
		{"gpu X\n  typical wheels 4\n",
		 "test.gpu:2: typical 'wheels': expected cores, slices, bus or mhz and a number"},
		{"gpu X\n  year 2000\n    more\n", "test.gpu:3: row 'more': this field has no rows"},
		{"\n\n" GPU, "test.gpu:3: gpu Mali-X1: expected a field 'layout' with the name of a layout "
			     "stanza, not L"},
		{"gpu X\n  id 1\n",
		 "test.gpu:1: gpu X: expected a field 'layout' with the name of a layout stanza"},
		{"layout L\ngpu X\n  layout L\n", "test.gpu:2: gpu X: expected a field 'id'"},
		{"layout L\n  slots 32\n", "test.gpu:2: slots 32: expected 64 or 128"},
		{"layout L\n  slots 256\n", "test.gpu:2: '256': expected a whole number up to 128"},
		{LAYOUT "  slots 128\n", "test.gpu:5: slots: expected above the blocks"},
		{"layout L\n  block cache\n",
		 "test.gpu:2: block 'cache': expected front_end, tiler, memory_system or shader_core"},
		{LAYOUT "  block tiler like\n",
		 "test.gpu:5: block 'tiler like': expected the name of a layout"},
		{LAYOUT "  block tiler like L\n",
		 "test.gpu:5: block 'tiler like L': expected the name of a layout"},
		{LAYOUT "  block tiler as L\n", "test.gpu:5: block 'tiler as L': expected front_end, tiler"},
		{LAYOUT "    5 -\n", "test.gpu:5: expected index, hardware name and machine name (or -)"},
		{"gpu X\n  like Y\n", "test.gpu:2: like 'Y': expected a GPU that is above"},
		{LAYOUT "    4 HW_B MaliB\n", "test.gpu:5: index 4 is used twice in this block"},
		{LAYOUT "  block tiler\n    4 HW B\n  block front_end\n    4 HW B\n",
		 "test.gpu:8: index 4 is used twice in this block"},
		{LAYOUT "    64 HW_B MaliB\n", "test.gpu:5: '64': expected a whole number up to 63"},
		{"layout L\n  slots 128\n  block tiler\n    128 HW B\n",
		 "test.gpu:4: '128': expected a whole number up to 127"},
		{LAYOUT "    -1 HW_B MaliB\n", "test.gpu:5: '-1': expected a whole number up to 63"},
		{LAYOUT "    5 HW_B\n", "test.gpu:5: expected index, hardware name and machine name (or -)"},
		{LAYOUT "    5\n", "test.gpu:5: expected index, hardware name and machine name (or -)"},
		{LAYOUT "    5 HW_B MaliB *\n", "test.gpu:5: '': expected a whole number up to 65535"},
		{LAYOUT "    5 HW_B MaliB *0\n", "test.gpu:5: a multiplier of 0"},
		{LAYOUT "    5 HW_B MaliB *x\n", "test.gpu:5: 'x': expected a whole number up to 65535"},
		{LAYOUT "    5 HW_B MaliB *65536\n",
		 "test.gpu:5: '65536': expected a whole number up to 65535"},
		{"metric A B\n", "test.gpu:1: metric 'A B': a name has no blanks"},
		{"metric M#\n  title T\n",
		 "test.gpu:2: M#: expected the field 'rows', 1 to 64, or up to 64 numbers of at most 9999"},
		{"metric M#\n  rows\n", "test.gpu:2: M#: expected the field 'rows', 1 to 64"},
		{"metric M#\n  rows 0\n", "test.gpu:2: M#: expected the field 'rows', 1 to 64"},
		{"metric M#\n  rows 65\n", "test.gpu:2: M#: expected the field 'rows', 1 to 64"},
		{"metric M#\n  rows 1 x\n", "test.gpu:2: M#: expected the field 'rows', 1 to 64"},
		{"metric M#\n  rows 1 10000\n", "test.gpu:2: M#: expected the field 'rows', 1 to 64"},
		{"metric M#\n  rows 5 6\n  title T\n  unit x#\n", "test.gpu:4: unit 'x5' is not known"},
		{"metric M#\n  rows 2\n  title T\n# a comment\n  unit x#\n",
		 "test.gpu:5: unit 'x1' is not known"},
		{"metric M\n  unit cycles\n", "test.gpu:1: metric M: expected a field 'title'"},
		{"metric M\n  title T\n", "test.gpu:1: metric M: expected a field 'unit'"},
		{"metric M\n  unit furlongs\n",
		 "test.gpu:2: unit 'furlongs' is not known: expected one such as"},
		{METRIC "  gpus G31\n", "test.gpu:4: 'G31': expected a GPU set such as @G57,5thGen"},
		{METRIC "  gpus @\n", "test.gpu:4: '@': expected GPUs or families after '@'"},
		{METRIC "  gpus @G31,\n", "test.gpu:4: '@G31,': expected GPUs or families after '@'"},
		{METRIC "  gpus @G31,,G51\n", "test.gpu:4: '@G31,,G51': an empty name in the GPU set"},
		{METRIC "  gpus @,G51\n", "test.gpu:4: '@,G51': an empty name in the GPU set"},
		{METRIC "  expr\n", "test.gpu:4: 'expr' is empty"},
		{METRIC "  expr @G31\n", "test.gpu:4: 'expr' is empty"},
		{METRIC "  expr @ 1\n", "test.gpu:4: '@': expected GPUs or families after '@'"},
		{METRIC "  alert over 2\n",
		 "test.gpu:4: alert 'over 2': expected 'above' or 'below' and a number"},
		{METRIC "  alert above\n",
		 "test.gpu:4: alert 'above': expected 'above' or 'below' and a number"},
		{METRIC "  alert @G31 below x\n",
		 "test.gpu:4: alert '@G31 below x': expected 'above' or 'below' and a number"},
		{METRIC "  help a\n    b\n\tc\n", "test.gpu:6: control character 0x09"},
		{METRIC "  formula 1\n",
		 "test.gpu:4: unknown field 'formula': expected one of title short unit group var gpus expr"},
		{"slots s\n  name a\n", "test.gpu:2: unknown field 'name': expected one of names"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err = {0};
		struct gpudb *db =
			gpudb_load_texts(&(struct gpudb_text){"test.gpu", span_of(cases[i].text)}, 1, &err);

		if (db || strncmp(err.text, cases[i].want, strlen(cases[i].want)) != 0)
			fail_msg("case %zu: '%s' does not begin with '%s'", i, err.text, cases[i].want);
	}
}

TEST(variants_of_a_metric_are_kept_in_the_order_as_written)
{
	struct gpudb *db = load_data(
		METRIC "  expr 1\n  expr @G31 2\n    + 3\n  alert above 1\n  alert @Bifrost below 2\n"
		       "  var $A $B\n  var @G51 $C\n  guide @G52 4\n");
	const struct metric_def *m = metric_def_find(db, SPAN_LIT("M"));

	assert_true(span_is(m->exprs->text, "1") && m->exprs->line == 4);
	assert_true(span_is(m->exprs->next->text, "2 + 3") && m->exprs->next->line == 5);
	assert_true(span_is(m->exprs->next->gpus.words, "G31"));
	assert_null(m->exprs->next->next);
	assert_true(span_is(m->alerts->text, "above 1") && span_is(m->alerts->next->text, "below 2"));
	assert_true(span_is(m->vars->text, "$A $B") && span_is(m->vars->next->gpus.words, "G51"));
	assert_true(span_is(m->guides->text, "4") && m->guides->next == NULL);
	gpudb_free(db);
}

TEST(rows_are_counted_from_1_or_have_the_numbers_listed)
{
	static const struct {
		const char *rows, *names;
	} cases[] = {{"1", "M1"},
		     {"3", "M1 M2 M3"},
		     {"50 95 99", "M50 M95 M99"},
		     {"3 2", "M3 M2"},
		     {"0 7", "M0 M7"}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *text = xasprintf("metric M#\n  rows %s\n  title The #th\n  unit count\n"
						"slots s#\n  rows %s\n  names S#\n",
						cases[i].rows, cases[i].rows);
		struct gpudb *db = load_data(text);
		struct span rest = span_of(cases[i].names), name;
		unsigned n = 0;

		for (; (name = span_word(&rest)).n; n++) {
			AUTOFREE char *title = xasprintf("The %.*sth", (int)name.n - 1, name.p + 1);

			assert_true(n < db->n_metrics && span_is(name, db->metrics[n].name));
			assert_string_equal(db->metrics[n].title, title);
			assert_int_equal(db->slot_names[n].p[0], 'S');
			assert_memory_equal(db->slot_names[n].p + 1, name.p + 1, name.n - 1);
		}
		assert_int_equal(db->n_metrics, n);
		assert_int_equal(db->n_slot_names, n);
		gpudb_free(db);
	}
}

TEST(stanzas_without_fields_are_for_the_metrics_that_follow_in_the_file)
{
	static const struct gpudb_text texts[] = {
		{"a.metrics", SPAN_LIT("metric A\n  title A\n  unit cycles\n"
				       "heading H\nprometheus titles\n"
				       "metric B\n  title B\n  unit cycles\n"
				       "metric C\n  title C\n  unit cycles\n  group G\n  prometheus c\n")},
		{"b.metrics", SPAN_LIT("metric D\n  title D\n  unit cycles\n"
				       "metric B#\n  rows 1\n  title B\n  unit cycles\n")},
	};
	static const struct {
		const char *group;
		bool by_title;
	} want[] = {{"", false}, {"H", true}, {"G", true}, {"", false}, {"", false}};
	struct err err = {0};
	struct gpudb *db = gpudb_load_texts(texts, ARRAY_LEN(texts), &err);

	assert_int_equal(db->n_metrics, ARRAY_LEN(want));
	for (unsigned i = 0; i < db->n_metrics; i++) {
		assert_string_equal(db->metrics[i].group, want[i].group);
		assert_int_equal(db->metrics[i].by_title, want[i].by_title);
	}
	gpudb_free(db);
}

TEST(a_later_stanza_of_the_same_name_replaces_the_earlier)
{
	static const char old[] = GPU "  also Other\n  constant C 1\n" LAYOUT METRIC "  expr MaliA\n";
	static const char new[] = "gpu Mali-X1\n  family 5thGen\n  id 0xe009\n  layout L\n"
				  "layout L\n  slots 128\n  block tiler\n    100 HW_Z MaliZ\n"
				  "metric M\n  title New\n  unit bytes\n";
	const struct gpudb_text texts[] = {{"old.gpu", SPAN_LIT(old)}, {"new.gpu", SPAN_LIT(new)}};
	const struct gpu_product *p;
	const struct metric_def *m;
	struct gpudb *db;
	struct err err;

	db = gpudb_load_texts(texts, 2, &err);
	assert_non_null(db);
	assert_true(db->n_products == 1 && db->n_metrics == 1);
	p = gpudb_by_id(db, 0xe0090000);
	assert_non_null(p);
	assert_null(gpudb_by_id(db, 0x70030000));
	assert_null(gpudb_by_name(db, "Other"));
	assert_int_equal(p->n_constants, 0);
	assert_int_equal(p->layout->n_counters, 1);
	assert_non_null(gpu_layout_at(p->layout, BLOCK_TILER, 100));
	m = metric_def_find(db, SPAN_LIT("M"));
	assert_string_equal(m->title, "New");
	assert_string_equal(m->file, "new.gpu");
	assert_null(m->exprs);
	gpudb_free(db);
}

/* ---- directories of a user ---- */

static char dir[] = "/tmp/malitop-test-XXXXXX";

static void write_file(const char *name, const char *text)
{
	AUTOFREE char *path = xasprintf("%s/%s", dir, name);
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void remove_file(const char *name)
{
	AUTOFREE char *path = xasprintf("%s/%s", dir, name);

	assert_int_equal(unlink(path), 0);
}

FIXTURE(make_dir)
{
	return mkdtemp(dir) ? 0 : -1;
}

FIXTURE(drop_dir)
{
	return rmdir(dir);
}

TEST(a_users_directory_adds_and_overrides)
{
	const struct gpudb_dir dirs[] = {{NULL, false}, {dir, true}, {"/nonexistent/gpudb", false}};
	const struct gpu_product *p;
	struct gpudb *db;
	struct err err;

	write_file("b.gpu", "gpu Mali-G31\n  family Bifrost\n  id 0x7003\n  layout Mine\n");
	write_file("a.gpu", "layout Mine\n  block tiler\n    1 HW MaliMine\n");
	write_file("my.metrics", "metric MaliMine\n  title Mine\n  unit count\n");
	write_file("notes.txt", "this is no data\n");
	write_file(".hidden.gpu", "neither is this\n");
	db = gpudb_load(dirs, ARRAY_LEN(dirs), &err);
	if (!db)
		fail_msg("%s", err.text);
	assert_int_equal(db->n_products, 32);
	p = gpudb_by_name(db, "G31");
	assert_string_equal(p->layout->name, "Mine");
	assert_non_null(metric_def_find(db, SPAN_LIT("MaliMine")));
	gpudb_free(db);
	remove_file("b.gpu");
	remove_file("a.gpu");
	remove_file("my.metrics");
	remove_file("notes.txt");
	remove_file(".hidden.gpu");
}

TEST(a_broken_file_of_a_user_is_named)
{
	const struct gpudb_dir dirs[] = {{dir, false}};
	AUTOFREE char *want = xasprintf("%s/x.chart:2: unknown field 'colour'", dir);
	struct err err = {0};

	write_file("x.chart", "template T\n  colour red\n");
	assert_null(gpudb_load(dirs, 1, &err));
	assert_non_null(strstr(err.text, want));
	remove_file("x.chart");
}

TEST(a_directory_that_must_exist_and_does_not_is_an_error)
{
	static const char *const paths[] = {"/nonexistent/gpudb", "/dev/null"};
	struct err err;

	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		const struct gpudb_dir must = {paths[i], true}, may = {paths[i], false};
		struct gpudb *db;

		assert_null(gpudb_load(&must, 1, &err));
		assert_non_null(strstr(err.text, paths[i]));
		assert_non_null(strstr(err.text, "cannot read the directory"));
		db = gpudb_load(&may, 1, &err);
		assert_non_null(db);
		gpudb_free(db);
	}
}

TEST(freeing_nothing_is_fine)
{
	gpudb_free(NULL);
}

TEST_GROUP(make_dir, drop_dir)
