#include "tui/screen_hot.h"

#include "hot/hot_words.h"

#include <math.h>
#include <stdio.h>

#define CODE_NS 5000000000ll

void screen_hot_fini(struct screen_hot *hot)
{
	hot_table_fini(&hot->table);
	hot_profile_fini(&hot->profile);
	*hot = (struct screen_hot){0};
}

/* A slot of a sample, 0 if it is unknown. */
static double slot_of(const struct session_source *source, const struct sample *sample, const char *name)
{
	for (unsigned i = 0; i < source->n_slots && i < sample->n_values; i++)
		if (strcmp(source->set->slots[i].name, name) == 0 && sample->value[i] != SAMPLE_UNKNOWN)
			return (double)sample->value[i];
	return 0;
}

static void add_sample(struct screen_hot *hot, const struct session_source *source,
		       const struct sample *sample)
{
	double ns = (double)(sample->end_ns - sample->begin_ns);

	hot_words_add(&hot->profile, sample);
	hot->shown.seconds += ns * 1e-9;
	hot->shown.busy += slot_of(source, sample, "HotRunTime") * 1e-9;
	hot->shown.lost += slot_of(source, sample, "HotLost") + slot_of(source, sample, "HotUnkept");
	hot->shown.cost += slot_of(source, sample, "HotCost") * 1e-9;
}

static void make_table(struct screen_hot *hot, const struct feed_state *feed)
{
	const struct feeds_records *records = &feed->records;

	hot_profile_clear(&hot->profile);
	hot_table_fini(&hot->table);
	hot->shown = (struct hot_shown){.profile = &hot->profile,
					.table = &hot->table,
					.event = feed->source->driver,
					.may_not = strncmp(feed->source->driver, "not sampled", 11) == 0,
					.whose = "all"};
	for (uint64_t i = records->oldest; i < records->n; i++) {
		const struct sample *sample = feeds_records_sample(records, i);

		if (sample->end_ns > hot->from_ns && sample->end_ns <= hot->to_ns)
			add_sample(hot, feed->source, sample);
	}
	hot_table_make(&hot->table, &hot->profile, &hot->shown.scope);
	hot->shown.cost *= 100 / hot->shown.seconds;
	hot->shown.busy = hot->shown.busy > 0 ? 100 * hot->shown.busy / hot->shown.seconds : (double)NAN;
}

const struct hot_shown *screen_hot_make(struct screen_hot *hot, const struct feeds *feeds, bool past)
{
	const struct feed_state *feed = feeds_shown(feeds, SOURCE_HOT);
	int64_t to_ns = past && feed ? feed->at_ns : INT64_MAX, from_ns;

	if (!feed)
		return NULL;
	from_ns = feeds->range_to_ns ? feeds->range_from_ns : past ? to_ns - SCREEN_HOT_NS : 0;
	to_ns = feeds->range_to_ns ? feeds->range_to_ns : to_ns;
	if (!hot->made || hot->n != feed->records.n || hot->from_ns != from_ns || hot->to_ns != to_ns) {
		hot->made = true;
		hot->n = feed->records.n;
		hot->from_ns = from_ns;
		hot->to_ns = to_ns;
		make_table(hot, feed);
	}
	return &hot->shown;
}

void screen_hot_code(const struct feeds *feeds, int32_t tid, int64_t end_ns, char *text, size_t size)
{
	const struct hot_scope scope = {.tid = (uint32_t)tid};
	const struct feed_state *feed = feeds_shown(feeds, SOURCE_HOT);
	struct hot_profile profile = {0};
	struct hot_table table;
	char name[HOT_NAME_TEXT];

	text[0] = 0;
	for (uint64_t i = feed ? feed->records.oldest : 0; feed && i < feed->records.n; i++) {
		const struct sample *sample = feeds_records_sample(&feed->records, i);

		if (sample->end_ns > end_ns - CODE_NS && sample->end_ns <= end_ns + CODE_NS / 5)
			hot_words_add(&profile, sample);
	}
	if (!profile.count)
		return;
	hot_table_make(&table, &profile, &scope);
	if (table.n && table.rows[0].count >= HOT_FEW) {
		hot_function_text(&profile.functions[table.rows[0].function], name, sizeof(name));
		snprintf(text, size, "%.0f %% in %.60s", table.rows[0].self * 100, name);
	}
	hot_table_fini(&table);
	hot_profile_fini(&profile);
}
