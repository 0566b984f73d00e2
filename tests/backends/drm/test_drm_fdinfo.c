/* The text of a client's fdinfo: what is taken from it, in which units, and what is not
 * believed. */
#include "backends/drm/drm_clients.h"
#include "base/alloc.h"
#include "tests/support/test.h"

#include <string.h>

static bool parse_text(struct drm_fdinfo *info, const char *text)
{
	return drm_fdinfo_parse(info, span_of(text));
}

TEST(panfrost_tells_two_engines_and_memory)
{
	struct drm_fdinfo info;

	assert_true(parse_text(&info,
			       "pos:\t0\nflags:\t02400002\nmnt_id:\t26\nino:\t303\n"
			       "drm-driver:\tpanfrost\ndrm-client-id:\t14\n"
			       "drm-engine-fragment:\t1846584880 ns\ndrm-cycles-fragment:\t1424359409\n"
			       "drm-maxfreq-fragment:\t799999987 Hz\ndrm-curfreq-fragment:\t799999987 Hz\n"
			       "drm-engine-vertex-tiler:\t71932239 ns\ndrm-cycles-vertex-tiler:\t52617357\n"
			       "drm-maxfreq-vertex-tiler:\t799999987 Hz\n"
			       "drm-curfreq-vertex-tiler:\t799999987 Hz\n"
			       "drm-total-memory:\t290 MiB\ndrm-shared-memory:\t0\n"
			       "drm-active-memory:\t226 MiB\ndrm-resident-memory:\t36496 KiB\n"
			       "drm-purgeable-memory:\t128 KiB\n"));
	assert_string_equal(info.driver, "panfrost");
	assert_int_equal(info.client, 14);
	assert_int_equal(info.n_engines, 2);
	assert_int_equal(drm_fdinfo_engine(&info, "fragment")->ns, 1846584880);
	assert_int_equal(drm_fdinfo_engine(&info, "fragment")->cycles, 1424359409);
	assert_int_equal(drm_fdinfo_engine(&info, "vertex-tiler")->ns, 71932239);
	assert_int_equal(info.total, 290ull << 20);
	assert_int_equal(drm_fdinfo_bytes(&info), 36496ull << 10);
}

TEST(panthor_tells_one_engine_and_the_drivers_own_memory)
{
	struct drm_fdinfo info;

	assert_true(parse_text(
		&info, "drm-driver:\tpanthor\ndrm-client-id:\t3\ndrm-engine-panthor:\t111110952750 ns\n"
		       "drm-cycles-panthor:\t94439687187\ndrm-maxfreq-panthor:\t1000000000 Hz\n"
		       "drm-curfreq-panthor:\t1000000000 Hz\npanthor-resident-memory:\t10396 KiB\n"
		       "panthor-active-memory:\t10396 KiB\ndrm-total-memory:\t16480 KiB\n"
		       "drm-resident-memory:\t16200 KiB\n"));
	assert_int_equal(info.n_engines, 1);
	assert_int_equal(drm_fdinfo_engine(&info, "panthor")->ns, 111110952750);
	assert_int_equal(drm_fdinfo_bytes(&info), (16200ull + 10396) << 10);
}

/* The lines of engines are not zero while profiling is off: they are not there. */
TEST(without_profiling_there_is_no_time_and_no_zero)
{
	struct drm_fdinfo info;

	assert_true(parse_text(&info, "drm-driver:\tpanfrost\ndrm-client-id:\t14\n"
				      "drm-maxfreq-fragment:\t800000000 Hz\ndrm-curfreq-fragment:\t0 Hz\n"));
	assert_true(drm_fdinfo_engine(&info, "fragment")->ns == SAMPLE_UNKNOWN);
	assert_true(drm_fdinfo_engine(&info, "fragment")->cycles == SAMPLE_UNKNOWN);
	assert_int_equal(drm_fdinfo_engine(&info, "fragment")->hz, 0);
	assert_null(drm_fdinfo_engine(&info, "vertex-tiler"));
	assert_true(drm_fdinfo_bytes(&info) == SAMPLE_UNKNOWN);
}

TEST(what_is_no_client_is_refused)
{
	static const char *const texts[] = {
		"",
		"\n\n\n",
		"drm-driver:\tpanfrost\n",
		"drm-client-id:\t14\n",
		"drm-driver:\t\ndrm-client-id:\t14\n",
		"drm-driver:\tpanfrost\ndrm-client-id:\tfourteen\n",
		"drm-driver:\tpanfrost\ndrm-client-id:\t-1\n",
		"drm-driver:\tpanfrost\ndrm-client-id:\t18446744073709551615\n",
		"drm-driver:\tpanfrost\ndrm-client-id:\t18446744073709551616\n",
		"drm-driver:\tpan\033[2Jfrost\ndrm-client-id:\t14\n",
		"drm-driver:\tpanfrostpanfrostpanfrost\ndrm-client-id:\t14\n",
		"inotify wd:1 ino:aed7 sdev:800013 mask:800afce\n",
	};
	struct drm_fdinfo info;

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		assert_false(parse_text(&info, texts[i]));
}

TEST(a_line_that_is_malformed_tells_nothing_and_harms_no_other)
{
	static const char *const lines[] = {
		"drm-engine-fragment:\t5\n",
		"drm-engine-fragment:\t5 ms\n",
		"drm-engine-fragment:\t5 ns more\n",
		"drm-engine-fragment:\t-5 ns\n",
		"drm-engine-fragment:\t18446744073709551615 ns\n",
		"drm-engine-fragment:\tns\n",
		"drm-engine-fragment\t5 ns\n",
		"drm-engine-:\t5 ns\n",
		"drm-engine-FRAGMENT:\t5 ns\n",
		"drm-engine-frag\033ment:\t5 ns\n",
		"drm-engine-a-name-that-is-too-long:\t5 ns\n",
		"drm-engine-capacity-fragment:\t5\n",
		"drm-total-memory:\t5 GiB\n",
		"drm-total-memory:\t99999999999 MiB\n",
		"drm-resident-memory:\tKiB\n",
	};

	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		AUTOFREE char *text = xasprintf("drm-driver:\tpanfrost\n%sdrm-client-id:\t14\n", lines[i]);
		struct drm_fdinfo info;

		assert_true(parse_text(&info, text));
		assert_int_equal(info.n_engines, 0);
		assert_true(drm_fdinfo_bytes(&info) == SAMPLE_UNKNOWN);
	}
}

TEST(engines_beyond_the_table_are_skipped)
{
	AUTO_STRBUF struct strbuf text = {0};
	struct drm_fdinfo info;

	strbuf_str(&text, "drm-driver:\tpanfrost\ndrm-client-id:\t14\n");
	for (int i = 0; i < 100; i++)
		strbuf_printf(&text, "drm-engine-e%d:\t%d ns\n", i, i);
	assert_true(drm_fdinfo_parse(&info, (struct span){text.p, text.n}));
	assert_int_equal(info.n_engines, DRM_ENGINES_MAX);
	assert_int_equal(drm_fdinfo_engine(&info, "e3")->ns, 3);
}
