#include "record/recorder_sink.h"

#include "base/alloc.h"
#include "passes/pass_records.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS_MOST 256 /* of one metric */
#define NAME_WORDS (PASS_NAME_RECORDS * (RECORD_NAME_WORDS + RECORD_TEXT_WORDS))

/* What a row of Boards and the first lines of a screen show beside the template and the verdict. */
static const char *const shown[] = {
	"frame.fps",       "frame.gpu_ms",    "frame.cpu_ms", "frame.budget",
	"passes.apps",     "GPUBusy",         "GPUClock",     "GPUTemp",
	"TemperatureMax",  "PowerTotal",      "PowerSoC",     "MaliExtBusRdBPS",
	"MaliExtBusWrBPS", "CPUActivityUser", "CPUFrequency", "MemoryUsed",
};

/* Which passes take a frame's time, and whose they are. */
static const char *const of_passes[] = {"PassesAppName", "PassesDriver", "PassesPid",
					"PassesStamp",   "FrameTimed",   "FrameGPUTime"};
static const char *const of_rows[] = {"Time", "Count", "Kind", "Name"};

struct lean_source {
	const struct metric_set *set;
	bool *keeps; /* by slot */
	bool has_names;
	unsigned n_slots;
	size_t ended_size;
	struct sample *sum, *ended; /* of the samples since the last block; one that was complete before */
	bool any;                   /* there is a sum */
	unsigned n_names;           /* words of the names of its passes */
	uint64_t names[NAME_WORDS];
	uint64_t seq, number; /* of the last sample; of the last sum */
};

struct lean {
	struct lean_source sources[SESSION_SOURCES_MAX];
	unsigned n;
};

static void keep_metric(const struct metric *metric, bool *keeps)
{
	uint16_t slots[SLOTS_MOST];
	unsigned n = metric ? metric_slots(metric, slots, 0, SLOTS_MOST) : 0;

	for (unsigned i = 0; i < n; i++)
		keeps[slots[i]] = true;
}

/* What an estimate is made from belongs to it. */
static void keep_times(const struct metric_set *set, bool *keeps)
{
	for (unsigned i = 0; i < set->n_slots; i++) {
		const struct slot *slot = &set->slots[i];

		if (keeps[i] && (slot->running || slot->enabled))
			keeps[slot->running] = keeps[slot->enabled] = true;
	}
}

static void keep_template(const struct template_view *view, const struct metric_set *set, bool *keeps)
{
	for (unsigned i = 0; i < view->n_rows; i++) {
		struct span rest = view->rows[i].def->names, name = span_until(&rest, '/');

		keep_metric(metric_find(set, span_trim(name)), keeps);
		if (view->rows[i].metric && set->product)
			keep_metric(view->rows[i].metric, keeps);
	}
}

static void keep_slot(const struct metric_set *set, const char *name, bool *keeps)
{
	for (unsigned i = 0; i < set->n_slots; i++)
		keeps[i] |= strcmp(set->slots[i].name, name) == 0;
}

static void keep_passes(const struct metric_set *set, bool *keeps)
{
	char name[32];

	for (size_t i = 0; i < ARRAY_LEN(of_passes); i++)
		keep_slot(set, of_passes[i], keeps);
	for (unsigned row = 1; row <= PASS_TABLE_ROWS; row++)
		for (size_t i = 0; i < ARRAY_LEN(of_rows); i++) {
			snprintf(name, sizeof(name), "Pass%u%s", row, of_rows[i]);
			keep_slot(set, name, keeps);
		}
}

struct lean *lean_new(const struct session *session, const uint64_t *seq)
{
	const struct metric_set *sets[SOURCE_KINDS] = {0};
	struct lean *lean = xcalloc(1, sizeof(*lean));
	struct judge *judge;

	for (unsigned i = 0; i < session->n; i++)
		if (!sets[session->sources[i].kind])
			sets[session->sources[i].kind] = session->sources[i].set;
	judge = judge_new(session->db, sets);
	lean->n = session->n;
	for (unsigned i = 0; i < session->n; i++) {
		const struct session_source *s = &session->sources[i];
		size_t more = s->kind == SOURCE_PASSES ? NAME_WORDS : 0;
		size_t size = sizeof(struct sample) + (s->set->n_slots + more) * sizeof(uint64_t);
		bool *keeps = xcalloc(s->set->n_slots + 1, sizeof(*keeps));

		lean->sources[i] = (struct lean_source){.set = s->set,
							.seq = seq[i],
							.number = seq[i],
							.keeps = keeps,
							.has_names = more > 0,
							.n_slots = s->set->n_slots,
							.sum = xcalloc(1, size),
							.ended = xcalloc(1, size),
							.ended_size = size};
		keep_template(&session->templ, s->set, keeps);
		for (size_t k = 0; k < ARRAY_LEN(shown); k++)
			keep_metric(metric_find(s->set, span_of(shown[k])), keeps);
		if (sets[s->kind] == s->set)
			judge_mark_slots(judge, s->kind, keeps);
		keep_times(s->set, keeps);
		if (s->kind == SOURCE_PASSES)
			keep_passes(s->set, keeps);
	}
	judge_free(judge);
	return lean;
}

void lean_free(struct lean *lean)
{
	for (unsigned i = 0; lean && i < lean->n; i++) {
		free(lean->sources[i].keeps);
		free(lean->sources[i].sum);
		free(lean->sources[i].ended);
	}
	free(lean);
}

/* Fold one value into the sum so far. */
static uint64_t folded_value(enum slot_kind kind, uint64_t sum, uint64_t value)
{
	if (value == SAMPLE_UNKNOWN || sum == SAMPLE_UNKNOWN)
		return value == SAMPLE_UNKNOWN ? sum : value;
	if (kind == SLOT_LEVEL)
		return value;
	if (kind == SLOT_PEAK)
		return (int64_t)value > (int64_t)sum ? value : sum;
	return sum + value;
}

static bool has_name(const struct lean_source *s, unsigned number)
{
	for (unsigned at = 0; at < s->n_names; at += RECORD_NAME_WORDS + (unsigned)s->names[at + 2])
		if (s->names[at + 1] == number)
			return true;
	return false;
}

/* Names that slots have as numbers; the frames one by one stay away. */
static void add_names(struct lean_source *s, const struct sample *sample)
{
	struct pass_record record;
	unsigned at = 0;

	while (s->has_names && pass_records_next(sample, &at, &record))
		if (record.kind == RECORD_NAME && !has_name(s, record.row) &&
		    s->n_names + RECORD_NAME_WORDS + RECORD_TEXT_WORDS <= NAME_WORDS)
			s->n_names += pass_record_name(record.row, record.name, s->names + s->n_names);
}

/* The sum is complete: put its names after its values. */
static const struct sample *end_sum(struct lean_source *s, struct sample *sum)
{
	memcpy(sum->value + sum->n_values, s->names, s->n_names * sizeof(s->names[0]));
	sum->n_more = (uint16_t)s->n_names;
	return sum;
}

/* Numbers of samples go on by one where none was missed. */
static void begin_sum(struct lean_source *s, const struct sample *sample)
{
	uint64_t missed = sample_missed(sample, s->seq);

	s->seq = sample->seq;
	s->number += 1 + missed;
	*s->sum = *sample;
	s->sum->seq = s->number;
	s->sum->n_more = 0;
	s->sum->n_values = sample->n_values < s->n_slots ? sample->n_values : s->n_slots;
	for (unsigned i = 0; i < s->sum->n_values; i++)
		s->sum->value[i] = s->keeps[i] ? sample->value[i] : SAMPLE_UNKNOWN;
	s->n_names = 0;
	add_names(s, sample);
	s->any = true;
}

/* Samples with a hole between them, or of which one failed or had another clock, stay apart. */
static bool goes_on(const struct lean_source *s, const struct sample *sample)
{
	return sample->seq == s->seq + 1 && sample->begin_ns == s->sum->end_ns && !sample->lost &&
	       sample->flags == s->sum->flags && !(sample->flags & (SAMPLE_ERROR | SAMPLE_GAP));
}

const struct sample *lean_add(struct lean *lean, const struct sample *sample)
{
	struct lean_source *s = &lean->sources[sample->source];
	const struct sample *ended = NULL;

	if (s->any && goes_on(s, sample)) {
		s->seq = sample->seq;
		s->sum->end_ns = sample->end_ns;
		for (unsigned i = 0; i < s->sum->n_values && i < sample->n_values; i++)
			if (s->keeps[i])
				s->sum->value[i] = folded_value(s->set->slots[i].kind, s->sum->value[i],
								sample->value[i]);
		add_names(s, sample);
		return NULL;
	}
	if (s->any) {
		memcpy(s->ended, s->sum, sizeof(*s->sum) + s->sum->n_values * sizeof(s->sum->value[0]));
		ended = end_sum(s, s->ended);
	}
	begin_sum(s, sample);
	return ended;
}

const struct sample *lean_pass(struct lean *lean, const struct sample *sample)
{
	struct lean_source *s = &lean->sources[sample->source];

	s->number += 1 + sample_missed(sample, s->seq);
	s->seq = sample->seq;
	if (s->number == sample->seq)
		return sample;
	if (sample_size(sample) > s->ended_size) {
		s->ended_size = sample_size(sample);
		s->ended = xreallocarray(s->ended, 1, s->ended_size);
	}
	memcpy(s->ended, sample, sample_size(sample));
	s->ended->seq = s->number;
	return s->ended;
}

const struct sample *lean_take(struct lean *lean, unsigned source)
{
	struct lean_source *s = &lean->sources[source];

	if (!s->any)
		return NULL;
	s->any = false;
	return end_sum(s, s->sum);
}

static float share_of(const struct process *p)
{
	return isnan(p->cpu_percent) ? -1 : (float)p->cpu_percent;
}

static int by_share(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

void lean_processes(struct process_list *list)
{
	AUTOFREE float *shares = xcalloc(list->n + 1, sizeof(*shares));
	unsigned n = 0, over = 0, owner = 0;
	bool owner_kept = false;

	if (list->n <= LEAN_PROCESSES)
		return;
	for (unsigned i = 0; i < list->n; i++)
		shares[i] = share_of(&list->processes[i]);
	qsort(shares, list->n, sizeof(*shares), by_share);
	for (unsigned i = 0; i < LEAN_PROCESSES; i++)
		over += shares[i] > shares[LEAN_PROCESSES - 1];
	for (unsigned i = 0; i < list->n; i++) {
		const struct process p = list->processes[i];
		float least = shares[LEAN_PROCESSES - 1];
		bool kept = share_of(&p) > least || (share_of(&p) >= least && over++ < LEAN_PROCESSES);

		if (!p.is_thread) {
			owner = i;
			owner_kept = kept;
		}
		if (!kept)
			continue;
		if (p.is_thread && !owner_kept)
			list->processes[n++] = list->processes[owner];
		owner_kept = true;
		list->processes[n++] = p;
	}
	list->n = n;
}
