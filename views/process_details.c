/* process_details: facts about the selected process, below the list. */
#include "base/real.h"
#include "base/units.h"
#include "model/sample.h"
#include "views/process_cells.h"
#include "views/widget.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LABEL = 12, BAR = 26, VALUE = 22, TEXT = 160, TICKS_PER_SECOND = 100 };

static const char *bytes_text(char out[UNITS_TEXT], double bytes)
{
	return unit_format(out, bytes, unit_find(SPAN_LIT("bytes total")), false, true);
}

/* Draw a row: label, bar, value or a dash, note. */
static void draw_detail(struct canvas *canvas, struct rect r, const char *label, enum style style,
			double share, const char *value, const char *note)
{
	int bar = r.w >= LABEL + BAR + VALUE + 46 ? BAR : 10;

	canvas_text(canvas, rect_left(&r, LABEL), STYLE_TEXT, label);
	canvas_meter(canvas, rect_left(&r, bar), style, share, NAN);
	rect_left(&r, 2);
	canvas_text(canvas, rect_left(&r, VALUE), STYLE_VALUE, isnan(share) ? "\u2013" : value);
	if (text_width(note) <= r.w) /* a truncated note would mislead */
		canvas_text(canvas, r, STYLE_DIM, note);
}

static void draw_cpu(const struct drawing *d, const struct process_table *t, const struct process *p,
		     struct rect r)
{
	double all = feed_now(&d->data->feeds[SOURCE_CPU], span_of("CPUOnline")) * 100,
	       percent = (double)p->cpu_percent,
	       age = (double)t->list->uptime_ns * 1e-9 - (double)p->start / TICKS_PER_SECOND;
	char time[UNITS_TEXT], alive[UNITS_TEXT], value[TEXT], note[TEXT];

	snprintf(value, TEXT, all > 0 ? "%.1f of %.0f %%" : "%.1f %%", percent, all);
	process_time_text(time, p->cpu_ns);
	process_time_text(alive, age > 0 ? (uint64_t)(age * 1e9) : 0);
	if (t->list->uptime_ns && age >= 0)
		snprintf(note, TEXT, "ran %s of the %s since its start", time, alive);
	else
		snprintf(note, TEXT, "ran %s since its start", time);
	draw_detail(d->canvas, r, "CPU", STYLE_SERIES1, percent / (all > 0 ? all : 100), value, note);
}

static void draw_gpu(struct canvas *canvas, const struct process_table *t, const struct process *p,
		     struct rect r)
{
	double active = (double)t->list->gpu_active, percent = (double)p->gpu_percent;
	char value[TEXT], note[TEXT] = "";

	snprintf(value, TEXT, "%.1f %% of time", percent);
	if (isnan(percent) && p->gpu_user_percent > 0)
		snprintf(note, TEXT, "its user's programs together: %.1f %% of time",
			 (double)p->gpu_user_percent);
	else if (active >= 0)
		snprintf(note, TEXT, "the GPU was active %.1f %% of that time", active);
	draw_detail(canvas, r, "GPU", load_style(percent), percent / 100, value, note);
}

static void draw_memory(const struct drawing *d, const struct process_table *t, const struct process *p,
			struct rect r)
{
	double used = feed_now(&d->data->feeds[SOURCE_CPU], span_of("MemoryUsed")),
	       all = used / feed_now(&d->data->feeds[SOURCE_CPU], span_of("MemoryUsedShare")) * 100;
	bool known = p->rss_bytes != SAMPLE_UNKNOWN,
	     has_gpu = !(t->unknown >> PROCESS_BY_GPU_MEMORY & 1) && p->gpu_bytes != SAMPLE_UNKNOWN;
	char a[UNITS_TEXT], b[UNITS_TEXT], value[UNITS_TEXT], note[TEXT] = "";

	if (known)
		snprintf(note, TEXT, "RSS%s%s%s%s%s", all > 0 ? " of " : "",
			 all > 0 ? bytes_text(a, all) : "", has_gpu ? "; GPU memory " : "",
			 has_gpu ? bytes_text(b, (double)p->gpu_bytes) : "",
			 has_gpu ? ", of which RSS may have a part" : "");
	draw_detail(d->canvas, r, "memory", STYLE_SERIES1,
		    known ? real_max((double)p->rss_bytes / all, 0) : 0,
		    known ? bytes_text(value, (double)p->rss_bytes) : "\u2013", note);
}

#define IPC_FULL 4 /* of a full bar: instructions that big cores retire per cycle */

static void draw_ipc(struct canvas *canvas, const struct process *p, struct rect r)
{
	char value[TEXT];

	snprintf(value, TEXT, "%.2f", (double)p->ipc);
	draw_detail(canvas, r, "IPC", STYLE_SERIES1, (double)p->ipc / IPC_FULL, value,
		    "instructions per cycle");
}

static bool is_known(const struct process_table *t, enum process_key key)
{
	return !(t->unknown >> key & 1);
}

/* Title, CPU, memory, command line; also GPU and IPC if they have a column. */
int process_details_rows(const struct process_table *t)
{
	return 4 + is_known(t, PROCESS_BY_GPU) + is_known(t, PROCESS_BY_IPC);
}

void process_details_draw(const struct drawing *d, const struct process_table *t, struct rect r)
{
	const struct process *p = t->n ? t->rows[t->selected].process : NULL;
	struct rect title = rect_top(&r, 1);

	if (!p)
		return;
	/* "selected: com.studio.game (4711) --------" */
	rect_left(&title, canvas_printf(d->canvas, title, STYLE_VALUE, "%s %s (%d) ",
					p->is_thread ? "thread" : "selected:", p->name, p->pid));
	canvas_fill(d->canvas, title, STYLE_BORDER, 0x2504);
	draw_cpu(d, t, p, rect_top(&r, 1));
	if (is_known(t, PROCESS_BY_GPU))
		draw_gpu(d->canvas, t, p, rect_top(&r, 1));
	draw_memory(d, t, p, rect_top(&r, 1));
	if (is_known(t, PROCESS_BY_IPC))
		draw_ipc(d->canvas, p, rect_top(&r, 1));
	r = rect_top(&r, 1);
	canvas_text(d->canvas, rect_left(&r, LABEL), STYLE_TEXT, "command");
	canvas_text(d->canvas, r, STYLE_DIM,
		    p->command  ? p->command
		    : p->kernel ? "none: a kernel thread"
				: "\u2013");
}
