#include "tui/screen_hot.h"

#include "hot/hot_words.h"
#include "passes/frame_stats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define CODE_NS 5000000000ll

void screen_hot_fini(struct screen_hot *hot)
{
	hot_table_fini(&hot->table);
	hot_profile_fini(&hot->profile);
	hot_past_fini(&hot->past);
	*hot = (struct screen_hot){0};
}

/* Return a slot of a sample, 0 if it is unknown. */
static double slot_of(const struct session_source *source, const struct sample *sample, const char *name)
{
	for (unsigned i = 0; i < source->n_slots && i < sample->n_values; i++)
		if (strcmp(source->set->slots[i].name, name) == 0 && sample->value[i] != SAMPLE_UNKNOWN)
			return (double)sample->value[i];
	return 0;
}

struct sums {
	double seconds, run_s, samples, lost, cost_s, given_up;
};

static void add_samples(struct screen_hot *hot, const struct feed_state *feed, struct sums *sums,
			const struct hot_spans *spans)
{
	const struct session_source *source = feed->source;
	const struct feeds_records *records = &feed->records;
	int64_t end_ns = INT64_MIN;

	for (uint64_t i = records->oldest; i < records->n; i++) {
		int64_t sample_ns = feeds_records_sample(records, i)->end_ns;

		end_ns = sample_ns <= hot->to_ns && sample_ns > end_ns ? sample_ns : end_ns;
	}
	for (uint64_t i = records->oldest; i < records->n; i++) {
		const struct sample *sample = feeds_records_sample(records, i);

		if (sample->end_ns <= hot->from_ns || sample->end_ns > hot->to_ns)
			continue;
		hot_past_add(&hot->past, &hot->profile, &hot->scope, spans, sample, end_ns);
		sums->seconds += (double)(sample->end_ns - sample->begin_ns) * 1e-9;
		sums->run_s += slot_of(source, sample, "HotRunTime") * 1e-9;
		sums->samples += slot_of(source, sample, "HotSamples");
		sums->lost += slot_of(source, sample, "HotLost") + slot_of(source, sample, "HotUnkept");
		sums->given_up += slot_of(source, sample, "HotGivenUp");
		sums->cost_s += slot_of(source, sample, "HotCost") * 1e-9;
	}
}

static void make_table(struct screen_hot *hot, const struct feed_state *feed, const struct feed_state *passes)
{
	struct late_frames late = {0};
	struct hot_spans spans;
	struct sums sums = {0};
	double late_s = 0;
	char late_text[40];

	hot_profile_clear(&hot->profile);
	hot_table_fini(&hot->table);
	hot_past_clear(&hot->past);
	for (uint64_t i = passes ? passes->records.oldest : 0; hot->late && passes && i < passes->records.n;
	     i++)
		late_frames_add(&late, feeds_records_sample(&passes->records, i), hot->from_ns, hot->to_ns);
	if (hot->late && passes) /* the length of the late frames */
		late_s = late_frames_keep(&late, hot->fps > 0 ? 1000 / hot->fps : 0);
	spans = (struct hot_spans){late.begin_ns, late.end_ns, late.n};
	add_samples(hot, feed, &sums, hot->late ? &spans : NULL);
	hot_table_make(&hot->table, &hot->profile, &hot->scope);
	snprintf(late_text, sizeof(late_text), ", %u late frames", late.n);
	snprintf(hot->label, sizeof(hot->label), "%s%s", hot->whose[0] ? hot->whose : "all",
		 !hot->late ? ""
		 : passes   ? late_text
			    : ", late frames: none are counted");
	hot->shown = (struct hot_shown){.profile = &hot->profile,
					.table = &hot->table,
					.scope = hot->scope,
					.event = feed->source->driver,
					.refused = strncmp(feed->source->driver, "not sampled", 11) == 0,
					.may_not = strstr(feed->source->driver, strerror(EACCES)),
					.whose = hot->label,
					.past = &hot->past,
					.one_cpu = sums.run_s > 0 ? sums.samples / sums.run_s : (double)NAN,
					.seconds = hot->late ? late_s : sums.seconds,
					.lost = sums.lost,
					.given_up = sums.given_up,
					.cost = 100 * sums.cost_s / sums.seconds};
	hot->shown.busy = 100 * (double)hot->table.count / hot->shown.one_cpu / hot->shown.seconds;
	late_frames_fini(&late);
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
		make_table(hot, feed, feeds_shown(feeds, SOURCE_PASSES));
	}
	return &hot->shown;
}

static void set_scope(struct screen_hot *hot, uint32_t pid, uint32_t tid, const char *name)
{
	char shown[64];

	hot->scope = (struct hot_scope){pid, tid};
	hot->made = false;
	hot->whose[0] = 0;
	if (pid)
		snprintf(hot->whose, sizeof(hot->whose), "%s%s (%u)", tid ? "thread " : "",
			 str_printable(shown, sizeof(shown), name), tid ? tid : pid);
}

void screen_hot_next_scope(struct screen_hot *hot, uint64_t item)
{
	const struct hot_table *t = &hot->table;
	const struct hot_thread *thread;
	unsigned at = 0;

	for (unsigned i = 0; i < t->n && item; i++)
		if (hot_row_item(&hot->profile, &t->rows[i]) == item)
			at = i;
	if (!t->n || hot->scope.tid) {
		set_scope(hot, 0, 0, "");
		return;
	}
	thread = &hot->profile.threads[t->rows[at].thread];
	set_scope(hot, thread->pid, hot->scope.pid ? thread->tid : 0,
		  hot->scope.pid ? thread->name : thread->process);
}

void screen_hot_turn_late(struct screen_hot *hot)
{
	hot->late = !hot->late;
	hot->made = false;
}

void screen_hot_of_process(struct screen_hot *hot, const struct process *process)
{
	if (process->is_thread)
		set_scope(hot, (uint32_t)process->parent, (uint32_t)process->pid, process->name);
	else
		set_scope(hot, (uint32_t)process->pid, 0, process->name);
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
