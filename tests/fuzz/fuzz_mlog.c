/* A log over any bytes: it opens or is refused with a message; what is read, sought, found and
 * followed keeps within what it promised, a log that was read while it grew gave what it gives at
 * once, and what is read can be shown and exported.
 *
 * The first byte of the input: an odd one makes the heads that follow right where they begin with
 * "MLog", so that what is behind the checksums is reached; the others are left as they are. */
#include "tests/fuzz/right_heads.h"

#include "export/export.h"
#include "base/alloc.h"
#include "mlog/mlog_reader.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct fuzz_file {
	uint8_t *p;
	size_t n;
};

static ssize_t file_read_at(void *ctx, void *buf, size_t n, uint64_t at)
{
	const struct fuzz_file *f = ctx;

	n = at >= f->n ? 0 : n < f->n - at ? n : (size_t)(f->n - at);
	if (n)
		memcpy(buf, f->p + at, n);
	return (ssize_t)n;
}

static int64_t file_size(void *ctx)
{
	return (int64_t)((const struct fuzz_file *)ctx)->n;
}

static void check_block(const struct mlog_block *block, const struct mlog_about *about)
{
	assert(block->begin_ns <= block->end_ns);
	for (unsigned i = 0; i < block->n_samples; i++) {
		const struct sample *s = block->samples[i];

		assert(s->source < about->n_sources && s->n_values == about->sources[s->source].n_slots);
		assert(0 <= block->begin_ns && block->begin_ns <= s->begin_ns && s->begin_ns <= s->end_ns &&
		       s->end_ns <= block->end_ns && block->end_ns <= SAMPLE_NS_MAX);
	}
	for (unsigned i = 0; i < block->n_notes; i++)
		assert(block->notes[i].source < (int)about->n_sources &&
		       memchr(block->notes[i].text, 0, MLOG_NOTE_TEXT));
}

/* From the next block on. Returns the sum of what they say, the same for the same blocks. */
static uint64_t read_rest(struct mlog_reader *r, bool processes)
{
	const struct mlog_block *block;
	uint64_t sum = 0;

	while ((block = mlog_reader_next(r, NULL))) {
		check_block(block, mlog_reader_about(r));
		sum = sum * 31 + (uint64_t)block->begin_ns * 7 + (uint64_t)block->end_ns + block->n_samples +
		      block->n_notes;
		if (processes)
			mlog_reader_processes(r);
	}
	return sum;
}

static void find_all(struct mlog_reader *r, bool back)
{
	int64_t at = back ? INT64_MAX : INT64_MIN, from = at;
	AUTO_STRBUF struct strbuf text = {0};

	for (int i = 0; i < 50 && mlog_reader_find(r, from, back, MLOG_MARK | MLOG_LOSS, &at, &text); i++) {
		assert(back ? at < from : at > from);
		from = at;
	}
}

static void jump_around(struct mlog_reader *r)
{
	struct mlog_state state;

	mlog_reader_state(r, &state);
	for (int i = 8; i >= -1; i--) {
		mlog_reader_seek(
			r, (int64_t)((uint64_t)state.begin_ns +
				     ((uint64_t)state.end_ns - (uint64_t)state.begin_ns) / 8 * (unsigned)i));
		mlog_reader_processes(r);
		if (mlog_reader_next(r, NULL))
			mlog_reader_processes(r);
	}
}

/* Opened when only the first n bytes were there. */
static void grow_file(struct fuzz_file *f, const struct mlog_input *input, size_t n, uint64_t want)
{
	size_t whole = f->n;
	struct mlog_reader *r;
	struct mlog_state state;
	uint64_t sum;

	f->n = n;
	r = mlog_reader_new(input, "fuzz", NULL);
	f->n = whole;
	if (!r)
		return;
	mlog_reader_refresh(r);
	sum = read_rest(r, true);
	assert(sum == want);
	f->n = n;
	mlog_reader_refresh(r);
	jump_around(r);
	find_all(r, true);
	mlog_reader_state(r, &state);
	assert(state.bytes <= whole && state.cut <= whole);
	f->n = whole;
	mlog_reader_free(r);
}

/* ---- what is made of it ---- */

/* As few metrics as can be: what a log says is tried, not what formulas make of it. */
static const struct gpudb *small_data(void)
{
	static const char text[] = "slots gpu\n  names MaliGPUActiveCy\n"
				   "metric Active\n  title Active\n  unit cycles\n  group G\n"
				   "  expr MaliGPUActiveCy / $ZOOM\n";
	static struct gpudb *db;
	struct err err = {0};

	if (!db)
		db = gpudb_load_texts(&(struct gpudb_text){"data", {text, sizeof(text) - 1}}, 1, &err);
	assert(db);
	return db;
}

static struct metric_set *set_of(const struct mlog_source *source)
{
	const struct gpudb *db = small_data();

	return metric_set_new(
		db,
		&(struct metric_source){.layout = source->kind == SOURCE_GPU ? gpudb_raw_layout(db) : NULL,
					.slots = source->slots,
					.n_slots = source->n_slots,
					.constants.core_count = source->constants.core_count},
		NULL);
}

static bool measure_cost(void *ctx, const void *bytes, size_t n, struct err *err)
{
	(void)bytes, (void)err;
	*(size_t *)ctx += n;
	return true;
}

static void export_all(struct mlog_reader *r, const struct export_format *format, int64_t step_ns,
		       const struct export_source *sources)
{
	const struct mlog_about *about = mlog_reader_about(r);
	const struct export_options options = {.step_ns = step_ns,
					       .epoch_offset_ns = about->realtime_ns - about->monotonic_ns,
					       .start_ns = about->monotonic_ns,
					       .per_core = true,
					       .host = about->host,
					       .version = "1"};
	const struct mlog_block *block;
	size_t bytes = 0;
	struct export *ex =
		export_new(format, &options, sources, about->n_sources, measure_cost, &bytes, NULL);

	mlog_reader_seek(r, INT64_MIN);
	while (ex && (block = mlog_reader_next(r, NULL))) {
		for (unsigned i = 0; i < block->n_samples; i++)
			export_sample(ex, block->samples[i], NULL);
		for (unsigned i = 0; i < block->n_notes; i++)
			export_note(ex, &block->notes[i], NULL);
	}
	if (ex)
		export_end(ex, NULL);
	export_free(ex);
}

static void keep_history(struct mlog_reader *r, unsigned source)
{
	const struct mlog_source *about = &mlog_reader_about(r)->sources[source];
	struct history *h = history_new(about->slots, about->n_slots, about->n_sums, about->asked_ns);
	AUTOFREE struct column *out = history_column_new(h);
	const struct mlog_block *block;
	int64_t newest;

	mlog_reader_seek(r, INT64_MIN);
	while ((block = mlog_reader_next(r, NULL)))
		for (unsigned i = 0; i < block->n_samples; i++)
			if (block->samples[i]->source == source)
				history_push(h, block->samples[i]);
	newest = history_newest_ns(h);
	history_span(h, history_oldest_ns(h), newest, out);
	history_span(h, newest - about->period_ns, newest, out);
	assert(out->time_ns >= 0 && out->time_ns <= SAMPLE_NS_MAX &&
	       history_total(h)->time_ns <= SAMPLE_NS_MAX);
	history_free(h);
}

static void use_reader(struct mlog_reader *r)
{
	static const struct export_format *const formats[] = {&export_csv, &export_perfetto, &export_counters,
							      &export_text};
	const struct mlog_about *about = mlog_reader_about(r);
	struct export_source sources[MLOG_SOURCES_MAX] = {0};
	struct metric_set *sets[MLOG_SOURCES_MAX];
	unsigned n = 0;

	for (; n < about->n_sources; n++) {
		sets[n] = set_of(&about->sources[n]);
		assert(sets[n]);
		keep_history(r, n);
		sources[n] = (struct export_source){.index = n,
						    .title = about->sources[n].title,
						    .driver = about->sources[n].driver,
						    .set = sets[n],
						    .db = small_data(),
						    .period_ns = about->sources[n].period_ns};
		if (n)
			snprintf(sources[n].prefix, sizeof(sources[n].prefix), "gpu1:");
	}
	for (size_t i = 0; i < 2 * ARRAY_LEN(formats); i++)
		export_all(r, formats[i / 2], i & 1 ? 10000000 : 0, sources);
	while (n--)
		metric_set_free(sets[n]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_file f = {.n = size ? size - 1 : 0};
	struct mlog_input input = {&f, file_read_at, file_size};
	AUTO_STRBUF struct strbuf text = {0};
	struct mlog_reader *r;
	struct mlog_state state;
	struct err err = {0};
	uint64_t sum;

	f.p = xmalloc(f.n + 1);
	if (f.n)
		memcpy(f.p, data + 1, f.n);
	if (size && data[0] & 1)
		right_heads(f.p, f.n);
	r = mlog_reader_new(&input, "fuzz", &err);
	assert(r ? true : err.text[0]);
	if (r) {
		sum = read_rest(r, false);
		mlog_reader_state(r, &state);
		mlog_reader_complain(r, &text);
		assert(state.bytes + state.cut == f.n && state.damaged <= f.n &&
		       (text.n > 0) == (state.cut || state.damaged || !state.ended));
		jump_around(r);
		find_all(r, false);
		find_all(r, true);
		grow_file(&f, &input, f.n / 2, sum);
		grow_file(&f, &input, f.n - f.n / 8, sum);
		use_reader(r);
	}
	mlog_reader_free(r);
	free(f.p);
	return 0;
}
