#include "views/pass_groups.h"
#include "passes/frame_stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Return the length of the first label of a name. */
static size_t label_bytes(const char *name)
{
	const char *end = strchr(name, '/');

	return end && end[1] ? (size_t)(end - name) : strlen(name);
}

static bool same_label(const struct pass_line *a, const struct pass_line *b)
{
	size_t n = label_bytes(a->name);

	return n && n == label_bytes(b->name) && memcmp(a->name, b->name, n) == 0;
}

bool pass_table_of(const struct view_data *data, bool total, struct pass_table *table)
{
	const struct feed *feed = &data->feeds[SOURCE_PASSES];
	const double *vector = total && feed->total ? feed->total : feed->now;

	if (!feed->set || !feed->now || !pass_table_has(feed->set))
		return false;
	pass_table_read(table, feed->set, vector, pass_run_names(feed->run));
	return true;
}

bool view_folds_has(const struct view_folds *folds, uint64_t what)
{
	unsigned i = 0;

	while (folds && i < folds->n && folds->what[i] != what)
		i++;
	return folds && i < folds->n;
}

void view_folds_turn(struct view_folds *folds, uint64_t what)
{
	unsigned kept = 0;
	bool had = view_folds_has(folds, what);

	for (unsigned i = 0; i < folds->n; i++)
		if (folds->what[i] != what && (had || i || folds->n < VIEW_FOLDS))
			folds->what[kept++] = folds->what[i];
	if (!had)
		folds->what[kept++] = what;
	folds->n = kept;
}

void pass_sum_add(struct pass_line *sum, const struct pass_line *line)
{
	sum->ms += line->ms;
	sum->share += line->share;
	sum->draws += line->draws;
	sum->dispatches += line->dispatches;
	sum->vertices += line->vertices;
}

/* Make the row of the group that starts at `first`. Returns whether it has several passes. */
static bool make_group(const struct pass_table *table, unsigned first, struct grouped_pass *group)
{
	const struct pass_line *line = &table->lines[first];
	size_t n = label_bytes(line->name);

	*group = (struct grouped_pass){
		.group = span_hash((struct span){line->name, n}) | 1, /* never 0 */
		.line = {.span_ms = NAN, .least_ms = NAN, .p50_ms = NAN, .most_ms = NAN, .kind = line->kind}};
	memcpy(group->line.name, line->name, n);
	for (unsigned i = first; i < table->n; i++)
		if (same_label(line, &table->lines[i])) {
			pass_sum_add(&group->line, &table->lines[i]);
			group->passes++;
		}
	return group->passes > 1;
}

static bool is_grouped_before(const struct pass_table *table, unsigned i)
{
	unsigned first = 0;

	while (first < i && !same_label(&table->lines[first], &table->lines[i]))
		first++;
	return first < i;
}

/* Return where a group with that time belongs: after the rows that take longer. */
static unsigned place_of(const struct grouped_pass *rows, unsigned n, double ms)
{
	unsigned at = 0;

	while (at < n && (rows[at].inside || rows[at].line.ms >= ms))
		at++;
	return at;
}

static unsigned list_inside(const struct pass_table *table, unsigned first, struct grouped_pass *rows)
{
	size_t label = label_bytes(table->lines[first].name);
	unsigned n = 0;

	for (unsigned i = first; i < table->n; i++) {
		const struct pass_line *line = &table->lines[i];
		struct grouped_pass *row = &rows[n];

		if (!same_label(&table->lines[first], line))
			continue;
		*row = (struct grouped_pass){.line = *line, .inside = true};
		if (line->name[label])
			snprintf(row->line.name, sizeof(row->line.name), "%s", line->name + label + 1);
		n++;
	}
	return n;
}

unsigned pass_groups(const struct pass_table *table, const struct view_folds *folds,
		     struct grouped_pass rows[PASS_ROWS_SHOWN])
{
	struct grouped_pass made[PASS_TABLE_ROWS + 1];
	unsigned n = 0;

	for (unsigned i = 0; i < table->n; i++) {
		unsigned n_made = 1, at;

		if (is_grouped_before(table, i))
			continue;
		if (!make_group(table, i, &made[0]))
			made[0] = (struct grouped_pass){.line = table->lines[i]};
		else if (!(made[0].folded = view_folds_has(folds, made[0].group)))
			n_made += list_inside(table, i, &made[1]);
		at = place_of(rows, n, made[0].line.ms);
		memmove(&rows[at + n_made], &rows[at], (n - at) * sizeof(*rows));
		memcpy(&rows[at], made, n_made * sizeof(*rows));
		n += n_made;
	}
	return n;
}
