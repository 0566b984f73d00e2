/* about: a row that says of what the charts below it tell: the title of the source that its series belongs to. */
#include "views/widget.h"

static void about_size(const struct chart *chart, const struct view_data *data, int cols, int *min, int *most)
{
	(void)data, (void)cols;
	*min = *most = widget_title_rows(chart);
}

static void about_draw(const struct chart *chart, const struct view_data *data, struct canvas *canvas, struct rect r)
{
	const char *about = series_feed(&chart->series[0], data)->about;
	struct rect rest = widget_title(chart, canvas, &r);

	rect_left(&rest, 2);
	canvas_text(canvas, rest, STYLE_DIM, about ? about : "");
}

const struct widget widget_about = {.name = "about", .size = about_size, .draw = about_draw};
