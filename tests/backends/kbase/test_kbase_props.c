/* What a Mali driver tells of its GPU, and which counter interface follows from it. */
#include "backends/kbase/kbase.h"
#include "base/alloc.h"
#include "tests/support/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A property stream on its way. */
struct props_stream {
	uint8_t bytes[512];
	size_t n;
};

/* code 0, 1, 2, 3: a value of 1, 2, 4, 8 bytes */
static void put_value(struct props_stream *s, uint32_t id, unsigned code, uint64_t value)
{
	uint32_t key = id << 2 | code;

	memcpy(s->bytes + s->n, &key, 4);
	memcpy(s->bytes + s->n + 4, &value, 1u << code);
	s->n += 4 + (1u << code);
}

static struct kbase_props parse_text(const struct props_stream *s)
{
	struct kbase_props props;

	assert_true(kbase_props_parse(&props, s->bytes, s->n));
	return props;
}

TEST(values_are_read_in_every_width_at_any_address)
{
	for (unsigned code = 0; code < 4; code++) {
		struct props_stream s = {.n = 0};
		struct kbase_props props;

		put_value(&s, 2, 0, 0); /* so that nothing is aligned */
		put_value(&s, 55, code, 0x74);
		put_value(&s, 30, code, 3);
		put_value(&s, 25, code, 0x5b);
		props = parse_text(&s);
		assert_int_equal(props.gpu_id, 0x74);
		assert_int_equal(props.core_features, 3);
		assert_int_equal(props.shader_present, 0x5b);
	}
}

TEST(ids_that_nobody_knows_are_skipped)
{
	struct props_stream s = {.n = 0};

	put_value(&s, 0x3fffffff, 3, UINT64_MAX);
	put_value(&s, 0, 1, 7);
	put_value(&s, 15, 0, 2);
	put_value(&s, 88, 2, 1);
	assert_int_equal(kbase_props_slices(&(struct kbase_props){0}), 0);
	assert_int_equal(parse_text(&s).l2_slices, 2);
}

TEST(a_stream_that_ends_anywhere_inside_a_value_is_refused)
{
	struct props_stream s = {.n = 0};
	struct kbase_props props;

	put_value(&s, 55, 3, 0xb8520000);
	put_value(&s, 29, 2, 0x07130206);
	for (size_t n = 0; n <= s.n; n++)
		assert_int_equal(kbase_props_parse(&props, s.bytes, n), n == 0 || n == 12 || n == 20);
}

TEST(the_cores_are_those_of_the_core_groups_else_of_the_register)
{
	struct props_stream s = {.n = 0};
	struct kbase_props props;

	put_value(&s, 25, 3, 0xff);
	put_value(&s, 64, 3, 0x0f);
	put_value(&s, 65, 3, 0x30);
	put_value(&s, 66, 3, 0xc0); /* a coherency group, but no core group */
	props = parse_text(&s);
	assert_int_equal(kbase_props_cores(&props), 0xff);
	put_value(&s, 62, 2, 2);
	props = parse_text(&s);
	assert_int_equal(kbase_props_cores(&props), 0x3f);
	props.n_core_groups = 1000;
	assert_int_equal(kbase_props_cores(&props), 0xff);
}

TEST(slices_and_the_bus_come_from_the_registers_where_they_must)
{
	static const struct {
		struct kbase_props props;
		unsigned slices, bits;
	} cases[] = {
		{{.l2_slices = 4, .l2_features = 0x07130206}, 4, 128},
		{{.mem_features = 0x101, .l2_features = 0x08000000}, 2, 256},
		{{.mem_features = 0x001}, 1, 0},
		{{.l2_slices = 65, .l2_features = 0xff000000}, 0, 0},
		{{.l2_features = 0x05000000}, 0, 32},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(kbase_props_slices(&cases[i].props), cases[i].slices);
		assert_int_equal(gpu_identity_bus_bits(cases[i].props.l2_features), cases[i].bits);
	}
}

TEST(an_id_that_the_driver_lacks_is_made_of_the_product)
{
	assert_int_equal(kbase_props_id(&(struct kbase_props){.product_id = 0x7402}), 0x74020000);
	assert_int_equal(kbase_props_id(&(struct kbase_props){.product_id = 0x7402, .gpu_id = 0x74021000}),
			 0x74021000);
}

TEST(the_interface_follows_from_the_release_and_the_gpu)
{
	enum { G52 = 0x74021000, T760 = 0x07500000 };
	static const uint32_t g78 = 0x90820000, g610 = 0xa8670000, g715 = 0xb8520000;
	static const struct {
		struct kbase_version version;
		uint64_t id;
		const char *interface;
		const char *first, *second; /* NULL: none */
		int code;                   /* of the error */
	} cases[] = {
		{{KBASE_UK, 10, 6}, T760, NULL, "vinstr", NULL, 0},
		{{KBASE_JM, 11, 0}, T760, NULL, "vinstr", NULL, 0},
		{{KBASE_JM, 11, 21}, G52, NULL, "vinstr", NULL, 0},
		{{KBASE_JM, 11, 33}, g78, NULL, "vinstr", NULL, 0},
		{{KBASE_JM, 11, 34}, g78, NULL, "vinstr", "kinstr_prfcnt", 0},
		{{KBASE_JM, 11, 39}, g78, NULL, "vinstr", "kinstr_prfcnt", 0},
		{{KBASE_JM, 11, 40}, g78, NULL, "kinstr_prfcnt", NULL, 0},
		{{KBASE_CSF, 1, 5}, g610, NULL, "vinstr", NULL, 0},
		{{KBASE_CSF, 1, 9}, g715, NULL, "vinstr", NULL, 0},
		{{KBASE_CSF, 1, 10}, g610, NULL, "vinstr", "kinstr_prfcnt", 0},
		{{KBASE_CSF, 1, 10}, g715, NULL, "kinstr_prfcnt", "vinstr", 0},
		{{KBASE_CSF, 1, 20}, g715, NULL, "kinstr_prfcnt", "vinstr", 0},
		{{KBASE_CSF, 1, 21}, g610, NULL, "kinstr_prfcnt", NULL, 0},
		{{KBASE_CSF, 1, 38}, g715, NULL, "kinstr_prfcnt", NULL, 0},
		/* 64-bit ids: architecture 14 and 10 in the top byte */
		{{KBASE_CSF, 1, 20},
		 0x0e000000f0000000 + ((uint64_t)14 << 56),
		 NULL,
		 "kinstr_prfcnt",
		 "vinstr",
		 0},
		{{KBASE_CSF, 1, 20}, 0x0a000002f0000000, NULL, "vinstr", "kinstr_prfcnt", 0},
		/* by name */
		{{KBASE_JM, 11, 39}, g78, "kinstr", "kinstr_prfcnt", NULL, 0},
		{{KBASE_JM, 11, 39}, g715, "vinstr", "vinstr", NULL, 0},
		{{KBASE_JM, 11, 40}, g78, "vinstr", NULL, NULL, ENOTSUP},
		{{KBASE_CSF, 1, 21}, g610, "vinstr", NULL, NULL, ENOTSUP},
		{{KBASE_JM, 11, 33}, g78, "kinstr", NULL, NULL, ENOTSUP},
		{{KBASE_UK, 10, 6}, T760, "kinstr", NULL, NULL, ENOTSUP},
		{{KBASE_JM, 11, 39}, g78, "vinster", NULL, NULL, ERR_USAGE},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct kbase_choice c;
		struct err err = {0};

		if (kbase_choose(&cases[i].version, cases[i].id, cases[i].interface, &c, &err) !=
		    !cases[i].code)
			fail_msg("case %zu: %s", i, err.text);
		assert_int_equal(err.code, cases[i].code);
		if (cases[i].code)
			continue;
		assert_string_equal(c.readers[0]->name, cases[i].first);
		assert_int_equal(c.n, cases[i].second ? 2 : 1);
		if (cases[i].second)
			assert_string_equal(c.readers[1]->name, cases[i].second);
	}
}
