#include "model/scene.h"

#include "base/alloc.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define SHIFT 1.25f   /* a rate is that many times the other */
#define NOISE 3       /* times the mean deviation within a scene */
#define SMALL 0.05f   /* of the largest rate: factors below it mean nothing */
#define RATES_LEAST 2 /* that change together */

static const char *const rates[SCENE_RATES] = {"MaliGeomTotalPrim", "MaliGPUPix", "frame.jobs_rate"};

void scene_read(struct scene_rates *scene, const struct metric_set *set, const double *vector)
{
	for (unsigned r = 0; r < SCENE_RATES; r++) {
		const struct metric *m = metric_find(set, span_of(rates[r]));

		scene->rate[r] =
			m ? (float)(metric_value(m, vector) / (m->grows ? vector[VECTOR_SECONDS] : 1)) : NAN;
	}
}

/* ---- medians of some cells ---- */

static int compare_floats(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

/* NaN: fewer than half are known. */
static float median_of(float *values, int n, int of)
{
	qsort(values, (size_t)n, sizeof(*values), compare_floats);
	return 2 * n > of ? values[n / 2] : NAN;
}

struct middle {
	float median, deviation;
};

static struct middle middle_of(const struct scene_rates *cells, int n, unsigned r, float *scratch)
{
	struct middle m;
	int known = 0;

	for (int i = 0; i < n; i++)
		if (!isnan(cells[i].rate[r]))
			scratch[known++] = cells[i].rate[r];
	m.median = median_of(scratch, known, n);
	m.deviation = 0;
	for (int i = 0; i < known; i++)
		m.deviation += fabsf(scratch[i] - m.median) / (float)known;
	return m;
}

/* ---- changes ---- */

struct search {
	const struct scene_rates *cells;
	int least;
	float small[SCENE_RATES];
	float *scratch;
};

/* How many times the smaller one the larger one is. */
static float shift_of(float a, float b, float small)
{
	return a < b ? (b + small) / (a + small) : (a + small) / (b + small);
}

/* How much the scene changes between `least` cells and the next ones: the sum of the factors; 0:
 * it does not. */
static float change_at(const struct search *s, int cell, struct scene_change *change)
{
	unsigned changed = 0;
	float sum = 0;

	change->cell = cell;
	for (unsigned r = 0; r < SCENE_RATES; r++) {
		struct middle before = middle_of(s->cells + cell - s->least, s->least, r, s->scratch);
		struct middle after = middle_of(s->cells + cell, s->least, r, s->scratch);
		float shift = shift_of(before.median, after.median, s->small[r]);
		float by = fabsf(after.median - before.median);

		change->before.rate[r] = before.median;
		change->after.rate[r] = after.median;
		if (shift > SHIFT && by > NOISE * (before.deviation + after.deviation)) {
			changed++;
			sum += shift;
		}
	}
	return changed >= RATES_LEAST ? sum : 0;
}

/* Whether a part of the time around the change is more like the scene after it. */
static bool is_after(const struct scene_change *change, const struct scene_rates *part)
{
	float nearer = 0;

	for (unsigned r = 0; r < SCENE_RATES; r++) {
		float before = change->before.rate[r], after = change->after.rate[r];
		float small = SMALL * (before > after ? before : after) + FLT_MIN;
		float by = shift_of(part->rate[r], before, small) - shift_of(part->rate[r], after, small);

		nearer += isnan(by) ? 0 : by;
	}
	return nearer > 0;
}

/* Move it to the cell with the fewest cells on the wrong side, which medians do not show. Returns
 * false if that many are on the wrong side that the scene alternates. */
static bool settle_cell(const struct search *s, struct scene_change *change)
{
	int middle = change->cell, wrong = 0, fewest;

	for (int i = middle - s->least; i < middle + s->least; i++)
		wrong += !is_after(change, &s->cells[i]);
	fewest = wrong + 1;
	for (int i = middle - s->least; i < middle + s->least; i++) {
		if (wrong < fewest) {
			fewest = wrong;
			change->cell = i;
		}
		wrong += is_after(change, &s->cells[i]) ? 1 : -1;
	}
	return fewest <= s->least / 3;
}

unsigned scene_changes(const struct scene_rates *cells, int n, int least, struct scene_change *out,
		       unsigned most)
{
	AUTOFREE float *scratch = xcalloc((size_t)(n > 0 ? n : 1), sizeof(*scratch));
	struct search s = {.cells = cells, .least = least, .scratch = scratch};
	unsigned found = 0;
	float best = 0;

	if (least < 1)
		return 0;
	for (unsigned r = 0; r < SCENE_RATES; r++) {
		for (int i = 0; i < n; i++)
			s.small[r] =
				cells[i].rate[r] * SMALL > s.small[r] ? cells[i].rate[r] * SMALL : s.small[r];
	}
	for (int i = least; i <= n - least && found < most; i++) {
		struct scene_change at;
		float by = change_at(&s, i, &at);

		if (by > best) { /* the largest of a run of cells that change */
			out[found] = at;
			best = by;
		}
		if (best > 0 && (by <= 0 || i - out[found].cell >= least || i == n - least)) {
			bool settled = settle_cell(&s, &out[found]);

			i = out[found].cell + least - 1;
			found += settled;
			best = 0;
		}
	}
	return found;
}

int64_t scene_moment(const struct scene_change *change, int64_t before_ns, int64_t after_ns, int64_t part_ns,
		     scene_reader *read, void *user)
{
	while (after_ns - before_ns > part_ns) {
		int64_t middle = before_ns + (after_ns - before_ns) / 2;
		struct scene_rates part;

		if (!read(user, middle - part_ns / 2, &part))
			break;
		*(is_after(change, &part) ? &after_ns : &before_ns) = middle;
	}
	return after_ns;
}
