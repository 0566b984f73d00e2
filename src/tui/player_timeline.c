/* The timeline of a log: its marks, losses and GPU activity. One block is read for each part of the
 * log, a few milliseconds of work at a time, by a separate reader. */
#include "tui/player.h"

#include "base/alloc.h"
#include "mlog/moment.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>

#define LOSSES_MAX 200 /* samples that are missing at more places of a log are ignored */

static int64_t begin_of(const struct player_line *line, int cell)
{
	return timeline_cell_ns(&line->line, cell);
}

/* ---- marks and losses ---- */

/* Find the marks that fit, and the cells with losses. */
static void find_places(struct player_line *line)
{
	int64_t from = line->line.begin_ns - 1, found, length = line->line.end_ns - line->line.begin_ns;

	while (line->line.n_marks < TIMELINE_MARKS) {
		struct timeline_place *mark = &line->marks[line->line.n_marks];
		AUTO_STRBUF struct strbuf text = {0};

		if (!mlog_reader_find(line->reader, from, false, MLOG_MARK, &found, &text) || found <= from)
			break;
		line->line.n_marks++;
		mark->at_ns = from = found;
		str_printable(mark->text, TIMELINE_MARK, text.n ? text.p : "mark");
	}
	from = line->line.begin_ns - 1;
	for (int i = 0; i < LOSSES_MAX && length > 0; i++) {
		int cell;

		if (!mlog_reader_find(line->reader, from, false, MLOG_LOSS, &found, NULL) || found <= from)
			return;
		cell = (int)((double)(found - line->line.begin_ns) / (double)length * line->line.n_cells);
		if (cell >= 0 && cell < line->line.n_cells)
			line->cells[cell].lost = true;
		from = found;
	}
}

/* ---- activity ---- */

/* Where to fold the samples of one source. */
struct line_fold {
	const struct session_source *source;
	struct column *one, *all;
	double *scratch;
};

/* Finish the current cell and start the next one. */
static void end_cell(struct player_line *line, struct line_fold *fold)
{
	feeds_activity_of(fold->source, fold->all, fold->scratch, &line->cells[line->next++]);
	free(fold->all);
	fold->all = column_new(fold->source->n_slots);
}

/* Fill cells from the next one on, up to the end of the block. Fills none if all of its samples are
 * earlier, or unusable because the clock changed; the next block is needed then. Returns the
 * work. */
static int64_t take_block(struct player_line *line, const struct mlog_block *block, struct line_fold *fold)
{
	const struct session_source *source = fold->source;
	struct timeline_cell cell;
	int64_t work = 0;

	for (unsigned i = 0; i < block->n_samples; i++) {
		const struct sample *s = block->samples[i];

		work += s->n_values;
		if (s->source != source->index || s->n_values > source->n_slots ||
		    s->end_ns <= begin_of(line, line->next))
			continue;
		while (line->next < line->line.n_cells - 1 && s->begin_ns >= begin_of(line, line->next + 1))
			end_cell(line, fold);
		column_from_sample(fold->one, s, source->set->slots, source->n_slots);
		column_fold(fold->all, fold->one, source->set->slots, source->n_slots);
		while (line->next < line->line.n_cells - 1 && s->end_ns >= begin_of(line, line->next + 2) &&
		       feeds_activity_of(source, fold->all, fold->scratch,
					 &cell)) { /* the next cell is within the sample, too */
			end_cell(line, fold);
			column_fold(fold->all, fold->one, source->set->slots, source->n_slots);
		}
	}
	if (feeds_activity_of(source, fold->all, fold->scratch, &cell))
		end_cell(line, fold);
	return work;
}

/* Read the block in which the next cell starts. */
static int64_t read_block(struct player *p, const struct session_source *source)
{
	struct player_line *line = &p->line;
	struct line_fold fold = {.source = source,
				 .one = column_new(source->n_slots),
				 .all = column_new(source->n_slots),
				 .scratch = xcalloc(source->set->n_vector, sizeof(*fold.scratch))};
	const struct mlog_block *block;
	struct err err = {0};
	int64_t work = 1;
	int cell = line->next;

	mlog_reader_seek(line->reader, begin_of(line, cell) + 1);
	do {
		block = mlog_reader_next(line->reader, &err);
		if (!block || block->begin_ns >= begin_of(line, cell + 1))
			line->next++; /* a gap */
		else
			work += take_block(line, block, &fold);
	} while (line->next == cell);
	free(fold.one);
	free(fold.all);
	free(fold.scratch);
	return work;
}

/* ---- scenes ---- */

struct line_part {
	struct player *player;
	const struct session_source *source;
	int64_t length_ns;
};

static bool read_part(void *user, int64_t from_ns, struct scene_rates *scene)
{
	const struct line_part *part = user;
	const struct session_source *source = part->source;
	struct mlog_reader *reader = part->player->line.reader;
	AUTOFREE struct column *one = column_new(source->n_slots), *all = column_new(source->n_slots);
	AUTOFREE double *scratch = xcalloc(source->set->n_vector, sizeof(*scratch));
	int64_t to_ns = from_ns + part->length_ns;
	const struct mlog_block *block;
	struct timeline_cell cell;
	struct err err;

	mlog_reader_seek(reader, from_ns + 1);
	while ((block = mlog_reader_next(reader, &err)) && block->begin_ns < to_ns)
		for (unsigned i = 0; i < block->n_samples; i++) {
			const struct sample *s = block->samples[i];

			if (s->source != source->index || s->n_values > source->n_slots ||
			    s->end_ns <= from_ns || s->begin_ns >= to_ns)
				continue;
			column_from_sample(one, s, source->set->slots, source->n_slots);
			column_fold(all, one, source->set->slots, source->n_slots);
		}
	if (!feeds_activity_of(source, all, scratch, &cell))
		return false;
	*scene = cell.scene;
	return true;
}

/* ---- the whole timeline ---- */

static void start_line(struct player *p, int n_cells)
{
	struct player_line *line = &p->line;
	const struct mlog_about *about = mlog_reader_about(p->reader);

	line->line = (struct timeline){.begin_ns = p->state.begin_ns,
				       .end_ns = p->state.end_ns,
				       .cells = line->cells,
				       .n_cells = n_cells,
				       .marks = line->marks,
				       .scenes = line->scenes};
	for (int i = 0; i < n_cells; i++)
		line->cells[i] = (struct timeline_cell){.share = NAN, .scene = scene_unknown};
	line->next = 0;
	line->n_changes = 0;
	moment_clock(about->realtime_ns + p->state.begin_ns - about->monotonic_ns, line->line.begin,
		     sizeof(line->line.begin));
	moment_clock(about->realtime_ns + p->state.end_ns - about->monotonic_ns, line->line.end,
		     sizeof(line->line.end));
	if (line->reader)
		mlog_reader_refresh(line->reader);
	else
		line->reader = mlog_reader_new(&p->input, p->title, NULL);
	if (line->reader)
		find_places(line);
}

bool player_read_line(struct player *p)
{
	struct player_line *line = &p->line;
	const struct feed_state *feed = feeds_activity_feed(p->feeds);
	const struct session_source *source = feed ? feed->source : NULL;
	struct line_part part = {p, source, p->refresh_ns};
	const struct scene_change *change;
	int64_t work = WORK_MOST / 4;
	int from = line->next;

	if (!source)
		line->next = line->line.n_cells;
	if (!line->reader)
		return false;
	if (from == line->line.n_cells) {
		if (line->line.n_scenes == line->n_changes)
			return false;
		change = &line->changes[line->line.n_scenes]; /* after all cells are known */
		line->scenes[line->line.n_scenes++] =
			scene_moment(change, begin_of(line, change->cell - 1),
				     begin_of(line, change->cell + 1), part.length_ns, read_part, &part);
		return true;
	}
	while (line->next < line->line.n_cells && work > 0)
		work -= read_block(p, source);
	if (source && line->next == line->line.n_cells)
		line->n_changes = timeline_scenes(&line->line, line->changes);
	return line->next != from;
}

bool player_line_is_read(const struct player *p)
{
	return !p->line.reader ||
	       (p->line.next >= p->line.line.n_cells && p->line.line.n_scenes == p->line.n_changes);
}

const struct timeline *player_timeline(struct player *p, int n_cells)
{
	const struct timeline *t = &p->line.line;

	if (n_cells < 1 || n_cells > CANVAS_COLS_MAX || !p->state.blocks)
		return NULL;
	/* a growing log gets new cells when one more fits */
	if (t->n_cells != n_cells || t->begin_ns != p->state.begin_ns ||
	    p->state.end_ns - t->end_ns > (t->end_ns - t->begin_ns) / n_cells ||
	    (p->state.ended && p->state.end_ns != t->end_ns))
		start_line(p, n_cells);
	p->line.line.at_ns = p->at_ns;
	return &p->line.line;
}
