/* process_details: the facts on the selected process, below the list. */
#include "base/alloc.h"
#include "base/units.h"
#include "model/sample.h"
#include "views/process_cells.h"
#include "views/widget.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LABEL = 12, BAR = 26, VALUE = 22, TEXT = 160, TICKS_PER_SECOND = 100 };

struct detail {
	const char *label;
	double share; /* of the bar; NaN: no bar */
	enum style style;
	char value[TEXT], note[TEXT];
};

static const char *bytes_text(char out[UNITS_TEXT], double bytes)
{
	return unit_format(out, bytes, unit_find(SPAN_LIT("bytes total")), false, true);
}

static void describe_cpu(struct detail *d, const struct process_table *t, const struct process *p,
			 const struct view_data *data)
{
	double all = feed_now(&data->feeds[SOURCE_CPU], span_of("CPUOnline")) * 100,
	       percent = (double)p->cpu_percent,
	       age = t->list->uptime_ns
			     ? (double)t->list->uptime_ns * 1e-9 - (double)p->start / TICKS_PER_SECOND
			     : (double)NAN;
	char time[UNITS_TEXT], alive[UNITS_TEXT];

	d->label = "CPU";
	d->share = percent / (all > 0 ? all : 100);
	d->style = STYLE_SERIES1;
	if (isnan(percent))
		snprintf(d->value, TEXT, "\u2013");
	else if (all > 0)
		snprintf(d->value, TEXT, "%.1f of %.0f %%", percent, all);
	else
		snprintf(d->value, TEXT, "%.1f %%", percent);
	process_time_text(time, p->cpu_ns);
	process_time_text(alive, age > 0 ? (uint64_t)(age * 1e9) : 0);
	if (age >= 0)
		snprintf(d->note, TEXT, "ran %s of the %s since its start", time, alive);
	else
		snprintf(d->note, TEXT, "ran %s since its start", time);
}

static void describe_gpu(struct detail *d, const struct process_table *t, const struct process *p)
{
	double active = (double)t->list->gpu_active, percent = (double)p->gpu_percent;

	d->label = "GPU";
	d->share = percent / 100;
	d->style = load_style(percent);
	if (isnan(percent))
		snprintf(d->value, TEXT, "\u2013");
	else
		snprintf(d->value, TEXT, "%.1f %% of time", percent);
	if (active >= 0)
		snprintf(d->note, TEXT, "the GPU was active %.1f %% of that time", active);
}

static void describe_memory(struct detail *d, const struct process_table *t, const struct process *p,
			    const struct view_data *data)
{
	double used = feed_now(&data->feeds[SOURCE_CPU], span_of("MemoryUsed")),
	       all = used / feed_now(&data->feeds[SOURCE_CPU], span_of("MemoryUsedShare")) * 100,
	       rss = (double)p->rss_bytes;
	char a[UNITS_TEXT], b[UNITS_TEXT];
	bool has_gpu = !(t->unknown >> PROCESS_BY_GPU_MEMORY & 1) && p->gpu_bytes != SAMPLE_UNKNOWN;

	d->label = "memory";
	d->share = rss / all;
	d->style = STYLE_SERIES1;
	if (p->rss_bytes == SAMPLE_UNKNOWN) {
		d->share = 0;
		snprintf(d->value, TEXT, "\u2013");
		return;
	}
	snprintf(d->value, TEXT, "%s", bytes_text(a, rss));
	snprintf(d->note, TEXT, "RSS%s%s%s%s%s", all > 0 ? " of " : "", all > 0 ? bytes_text(a, all) : "",
		 has_gpu ? "; GPU memory " : "", has_gpu ? bytes_text(b, (double)p->gpu_bytes) : "",
		 has_gpu ? ", of which RSS may have a part" : "");
}

#define IPC_FULL 4 /* of its bar: what big cores retire in a cycle */

static void describe_ipc(struct detail *d, const struct process *p)
{
	d->label = "IPC";
	d->share = (double)p->ipc / IPC_FULL;
	d->style = STYLE_SERIES1;
	if (isnan(p->ipc))
		snprintf(d->value, TEXT, "\u2013");
	else
		snprintf(d->value, TEXT, "%.2f", (double)p->ipc);
	snprintf(d->note, TEXT, "instructions per cycle");
}

static void draw_detail(const struct detail *d, struct canvas *canvas, struct rect r)
{
	int bar = r.w >= LABEL + BAR + VALUE + 46 ? BAR : 10;

	canvas_text(canvas, rect_left(&r, LABEL), STYLE_TEXT, d->label);
	canvas_meter(canvas, rect_left(&r, bar), d->style, d->share, NAN);
	rect_left(&r, 2);
	canvas_text(canvas, rect_left(&r, VALUE), STYLE_VALUE, d->value);
	if (text_width(d->note) <= r.w) /* a truncated note would mislead */
		canvas_text(canvas, r, STYLE_DIM, d->note);
}

/* "selected: com.studio.game (4711) --------" */
static void draw_title(const struct process *p, struct canvas *canvas, struct rect r)
{
	char title[TEXT];

	snprintf(title, sizeof(title), "%s %s (%d) ", p->is_thread ? "thread" : "selected:", p->name, p->pid);
	rect_left(&r, canvas_text(canvas, r, STYLE_VALUE, title));
	canvas_fill(canvas, r, STYLE_BORDER, 0x2504);
}

static void draw_command(const struct process *p, struct canvas *canvas, struct rect r)
{
	canvas_text(canvas, rect_left(&r, LABEL), STYLE_TEXT, "command");
	canvas_text(canvas, r, STYLE_DIM,
		    p->command  ? p->command
		    : p->kernel ? "none: a kernel thread"
				: "\u2013");
}

static bool is_known(const struct process_table *t, enum process_key key)
{
	return !(t->unknown >> key & 1);
}

/* Title, CPU, memory, command line; GPU and IPC where they have a column, too. */
int process_details_rows(const struct process_table *t)
{
	return 4 + is_known(t, PROCESS_BY_GPU) + is_known(t, PROCESS_BY_IPC);
}

void process_details_draw(const struct drawing *d, const struct process_table *t, struct rect r)
{
	const struct process *p = t->n ? t->rows[t->selected].process : NULL;
	struct detail details[4] = {{0}};
	unsigned n = 0;

	if (!p)
		return;
	describe_cpu(&details[n++], t, p, d->data);
	if (is_known(t, PROCESS_BY_GPU))
		describe_gpu(&details[n++], t, p);
	describe_memory(&details[n++], t, p, d->data);
	if (is_known(t, PROCESS_BY_IPC))
		describe_ipc(&details[n++], p);
	draw_title(p, d->canvas, rect_top(&r, 1));
	for (unsigned i = 0; i < n; i++)
		draw_detail(&details[i], d->canvas, rect_top(&r, 1));
	draw_command(p, d->canvas, rect_top(&r, 1));
}
