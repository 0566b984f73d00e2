#include "backends/cpu/cpu_ticks.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* "cpu4095" and ten numbers of at most 20 digits. */
#define LINE_MAX_BYTES 224
/* More than any machine counts in an interval. */
#define DELTA_MAX ((uint64_t)1 << 40)

void cpu_ticks_init(struct cpu_ticks *t, const struct cpus *cpus)
{
	*t = (struct cpu_ticks){.cpus = cpus};
	sysfs_file_init(&t->stat, true, "proc/stat");
	t->text_size = (t->cpus->n + 4) * LINE_MAX_BYTES;
	t->text = xmalloc(t->text_size);
	t->each = xcalloc(t->cpus->n, sizeof(*t->each));
	cpu_ticks_forget(t);
}

void cpu_ticks_fini(struct cpu_ticks *t, const struct sys *sys)
{
	if (!t->cpus)
		return; /* never initialized */
	sysfs_file_close(sys, &t->stat);
	free(take_ptr(&t->each));
	free(take_ptr(&t->text));
}

void cpu_ticks_forget(struct cpu_ticks *t)
{
	t->all.known = t->all.counted = false;
	for (unsigned i = 0; i < t->cpus->n; i++)
		t->each[i].known = t->each[i].counted = false;
}

/* idle and iowait can step back when a CPU comes or goes, steal when a virtual machine migrates. If
 * any other count goes back, the CPU started from zero and the interval is lost. */
static bool take_delta(struct cpu_ticks_line *ticks, const uint64_t now[CPU_TICKS])
{
	for (unsigned i = 0; i < CPU_TICKS; i++) {
		if (now[i] < ticks->last[i] && i != TICK_IDLE && i != TICK_IOWAIT && i != TICK_STEAL)
			return false;
		ticks->delta[i] = now[i] < ticks->last[i] ? 0 : now[i] - ticks->last[i];
	}
	return true;
}

/* An implausible jump. Do not take the next delta from it: falling back from it would look like
 * zero idle time. */
static bool is_garbage(const struct cpu_ticks_line *ticks, const uint64_t now[CPU_TICKS])
{
	for (unsigned i = 0; i < CPU_TICKS; i++)
		if (ticks->known && now[i] > ticks->last[i] && now[i] - ticks->last[i] > DELTA_MAX)
			return true;
	return false;
}

/* Take all ticks of a line or none: some of the ticks would look like a load. */
static void take_line(struct cpu_ticks_line *ticks, struct span numbers)
{
	uint64_t now[CPU_TICKS];
	bool whole = true;

	ticks->listed = true;
	for (unsigned i = 0; i < CPU_TICKS && whole; i++)
		whole = span_u64(span_word(&numbers), &now[i]);
	if (!whole || is_garbage(ticks, now)) {
		ticks->known = ticks->counted = false;
		return;
	}
	ticks->counted = ticks->known && take_delta(ticks, now);
	memcpy(ticks->last, now, sizeof(now));
	ticks->known = true;
}

static void take_text(struct cpu_ticks *t, struct span text)
{
	while (text.n > 3 && memcmp(text.p, "cpu", 3) == 0 && memchr(text.p, '\n', text.n)) {
		struct span line = span_until(&text, '\n'), name = span_word(&line);
		uint64_t number;
		int cpu;

		name.p += 3;
		name.n -= 3;
		if (!name.n) {
			take_line(&t->all, line);
			continue;
		}
		if (!span_u64(name, &number))
			continue;
		cpu = cpus_index(t->cpus, number);
		t->lines++;
		if (cpu >= 0)
			take_line(&t->each[cpu], line);
		else
			t->strange++;
	}
}

void cpu_ticks_read(struct cpu_ticks *t, const struct sys *sys)
{
	ssize_t n = sysfs_file_read(sys, &t->stat, t->text, t->text_size);

	t->lines = t->strange = 0;
	t->all.listed = false;
	for (unsigned i = 0; i < t->cpus->n; i++)
		t->each[i].listed = false;
	if (n > 0)
		take_text(t, (struct span){t->text, (size_t)n});
	t->all.known &= t->all.listed;
	t->all.counted &= t->all.listed;
	for (unsigned i = 0; i < t->cpus->n; i++) {
		t->each[i].known &= t->each[i].listed;
		t->each[i].counted &= t->each[i].listed;
	}
}

bool cpu_ticks_offline(const struct cpu_ticks *t, unsigned cpu)
{
	return t->lines && !t->each[cpu].listed;
}
