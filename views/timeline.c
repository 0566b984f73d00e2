#include "views/timeline.h"
#include "views/widget.h"

#include "base/alloc.h"

#include <math.h>

#define CLOCK_COLS 9 /* "14:02:11 " */
#define EDGE 1
#define CELLS_MIN 20
#define CELLS_LEAST 5 /* least cells of a scene */

int64_t timeline_cell_ns(const struct timeline *t, int cell)
{
	return t->begin_ns + (int64_t)((double)(t->end_ns - t->begin_ns) * cell / t->n_cells);
}

void timeline_take_nearer(struct timeline_place *found, const struct timeline_place *place, int64_t from_ns,
			  int way)
{
	int64_t at_ns = place->at_ns;

	if (way < 0 ? at_ns < from_ns && (!found->at_ns || at_ns > found->at_ns)
		    : at_ns > from_ns && (!found->at_ns || at_ns < found->at_ns))
		*found = *place;
}

void timeline_take_scene(struct timeline_place *found, const struct timeline *t, int64_t from_ns, int way)
{
	for (unsigned i = 0; i < t->n_scenes; i++)
		timeline_take_nearer(found, &(struct timeline_place){t->scenes[i], "another scene"}, from_ns,
				     way);
}

int timeline_cells(int cols)
{
	int cells = cols - 2 * (CLOCK_COLS + EDGE);

	return cells < CELLS_MIN ? 0 : cells;
}

static int cell_of(const struct timeline *t, int cells, int64_t at_ns)
{
	double length = (double)(t->end_ns - t->begin_ns), from = (double)(at_ns - t->begin_ns);
	int cell = length > 0 ? (int)(from / length * cells) : cells - 1;

	return cell < 0 ? 0 : cell >= cells ? cells - 1 : cell;
}

int64_t timeline_moment(const struct timeline *t, const struct rect *at, int x)
{
	double share = at->w > 1 ? (double)(x - at->x) / (at->w - 1) : 1;

	share = share < 0 ? 0 : share > 1 ? 1 : share;
	return t->begin_ns + (int64_t)((double)(t->end_ns - t->begin_ns) * share);
}

static void draw_activity(const struct timeline *t, struct canvas *canvas, struct rect r)
{
	for (int x = 0; x < r.w && t->n_cells; x++) {
		const struct timeline_cell *c = &t->cells[x * t->n_cells / r.w];
		struct rect cell = {r.x + x, r.y, 1, 1};

		canvas_history(canvas, cell, (double[]){c->share, c->share},
			       (uint8_t[]){(uint8_t)load_style((double)c->share * 100)}, 1);
		if (c->lost)
			canvas_fill(canvas, cell, STYLE_HOT, '!');
	}
}

/* ---- scenes ---- */

unsigned timeline_scenes(const struct timeline *t, struct scene_change changes[TIMELINE_SCENES])
{
	AUTOFREE struct scene_rates *cells = xcalloc((size_t)t->n_cells + 1, sizeof(*cells));
	int64_t cell_ns = t->n_cells ? (t->end_ns - t->begin_ns) / t->n_cells : 0;
	int64_t least = cell_ns > 0 ? (SCENE_LEAST_NS + cell_ns - 1) / cell_ns : INT64_MAX;

	if (least > t->n_cells)
		return 0;
	for (int i = 0; i < t->n_cells; i++)
		cells[i] = t->cells[i].scene;
	return scene_changes(cells, t->n_cells, least < CELLS_LEAST ? CELLS_LEAST : (int)least, changes,
			     TIMELINE_SCENES);
}

/* ---- drawing ---- */

static void draw_sign(const struct timeline *t, int64_t at_ns, enum style style, uint32_t ch,
		      struct canvas *canvas, struct rect r)
{
	canvas_fill(canvas, (struct rect){r.x + cell_of(t, r.w, at_ns), r.y, 1, 1}, style, ch);
}

void timeline_draw(const struct timeline *t, struct canvas *canvas, struct rect row, struct hits *hits)
{
	struct rect left, right;

	rect_left(&row, EDGE);
	rect_right(&row, EDGE);
	left = rect_left(&row, CLOCK_COLS);
	right = rect_right(&row, CLOCK_COLS);
	canvas_text(canvas, left, STYLE_DIM, t->begin);
	canvas_text_right(canvas, right, STYLE_DIM, t->end);
	hits_add(hits, &(struct hit){.at = row, .kind = HIT_TIMELINE});
	draw_activity(t, canvas, row);
	for (unsigned i = 0; i < t->n_scenes; i++)
		draw_sign(t, t->scenes[i], STYLE_DIM, 0x2502, canvas, row);
	for (unsigned i = 0; i < t->n_marks; i++)
		draw_sign(t, t->marks[i].at_ns, STYLE_MARK, 0x25b2, canvas, row);
	if (t->to_ns) {
		int from = cell_of(t, row.w, t->from_ns), to = cell_of(t, row.w, t->to_ns);

		canvas_restyle(canvas, (struct rect){row.x + from, row.y, to - from + 1, 1}, STYLE_SELECTED);
	}
	canvas_restyle(canvas, (struct rect){row.x + cell_of(t, row.w, t->at_ns), row.y, 1, 1}, STYLE_CURSOR);
}
