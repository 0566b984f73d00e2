/* The passes of a log in the Frame view, at two sizes of the terminal. */
#include "cli/commands.h"
#include "tests/support/frame_log.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PASSES 14

static char directory[] = "/tmp/malitop-passes-XXXXXX", path[64];
static struct sys sys;

/* The screen after a second of a log. Free it. */
static char *replayed_screen(const struct frame_log *log, struct dimensions size)
{
	struct options options = {.command = COMMAND_REPLAY,
				  .operand = path,
				  .refresh_ns = 500000000,
				  .view = "frame",
				  .once = size,
				  .frames = 2,
				  .speed = 1};
	struct strbuf out = {0};
	struct err err = {0};

	assert_true(frame_log_write(log, path));
	if (once_run(&sys, &options, false, &out, &err) != EXIT_DONE)
		fail_msg("%s", err.text);
	return out.p;
}

static unsigned count_of(const char *text, const char *word)
{
	unsigned n = 0;

	for (; (text = strstr(text, word)); text++)
		n++;
	return n;
}

/* The number before a word, 0 without it. */
static double number_before(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	while (at && at > text && strchr("0123456789.", at[-1]))
		at--;
	return at ? strtod(at, NULL) : 0;
}

static double first_number(const char *text, const char *after)
{
	const char *at = strstr(text, after);

	return at ? strtod(at + strlen(after), NULL) : -1;
}

TEST(all_passes_are_shown_or_counted)
{
	static const struct {
		struct dimensions size;
		unsigned least;
	} cases[] = {{{80, 24}, 3}, {{100, 30}, 3}, {{160, 48}, 9}, {{160, 70}, PASSES}};
	const struct frame_log log = {.frames = 60, .passes = PASSES};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *got = replayed_screen(&log, cases[i].size);
		const char *table = strstr(got, "own time");
		unsigned lines, more;

		if (!table)
			fail_msg("no passes in %s", got);
		lines = count_of(table, "  part ") + (strstr(table, "scene ") != NULL);
		more = (unsigned)number_before(table, " more ");
		if (!strstr(table, " group ") || lines < cases[i].least || lines + more != PASSES)
			fail_msg("%u lines and %u more in %s", lines, more, table);
		if (fabs(first_number(table, " sum ") - 10) > 0.02)
			fail_msg("no sum of 10 ms in %s", got);
		/* the n-th of 14 passes takes n of 105 parts of 10 ms; below the group is `scene`,
		 * the longest */
		if (more &&
		    fabs(first_number(table, " more ") - (PASSES + more * (more - 1) / 2.) * 10 / 105) > 0.02)
			fail_msg("not the sum of the last %u in %s", more, table);
		/* all frames are alike: mean, min, median and longest are, too */
		if (cases[i].size.w >= 80 && !strstr(table, "1.24 ms    1.24    1.24    1.24"))
			fail_msg("no statistics of part 13 in %s", table);
	}
}

TEST(nobody_leads_by_less_than_nothing)
{
	const struct frame_log log = {.frames = 60};

	AUTOFREE char *got = replayed_screen(&log, (struct dimensions){160, 48});

	if (!strstr(got, "GPU leads by") || !strstr(got, "CPU leads by") || strstr(got, "-2.0"))
		fail_msg("%s", got);
}

FIXTURE(make_directory)
{
	struct err err;

	assert_true(sys_init(&sys, NULL, &err));
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/run.mlog", directory);
	return 0;
}

FIXTURE(remove_directory)
{
	unlink(path);
	sys_fini(&sys);
	return rmdir(directory);
}

TEST_GROUP(make_directory, remove_directory)
