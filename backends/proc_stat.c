#include "backends/proc.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* "cpu4095" and ten numbers of at most 20 digits. */
#define LINE_MAX_BYTES 224
/* More than any machine counts in an interval. */
#define DELTA_MAX ((uint64_t)1 << 40)

void proc_stat_open(struct proc *p, const struct sys *sys)
{
	(void)sys;
	sysfs_file_init(&p->stat, true, "proc/stat");
	p->text_size = (p->topology.n + 4) * LINE_MAX_BYTES;
	p->text = xmalloc(p->text_size);
	p->each = xcalloc(p->topology.n, sizeof(*p->each));
	proc_stat_forget(p);
}

void proc_stat_close(struct proc *p, const struct sys *sys)
{
	sysfs_file_close(sys, &p->stat);
	free(take_ptr(&p->each));
	free(take_ptr(&p->text));
}

void proc_stat_forget(struct proc *p)
{
	p->all.known = p->all.counted = false;
	for (unsigned i = 0; i < p->topology.n; i++)
		p->each[i].known = p->each[i].counted = false;
}

/* idle and iowait are known to step back when a CPU comes or goes, steal when a virtual machine moves; anything else going
 * back means that the CPU started from zero, and that the interval is lost. */
static bool may_step_back(unsigned tick)
{
	return tick == TICK_IDLE || tick == TICK_IOWAIT || tick == TICK_STEAL;
}

static bool take_delta(struct proc_ticks *ticks, const uint64_t now[PROC_TICKS])
{
	for (unsigned i = 0; i < PROC_TICKS; i++) {
		if (now[i] < ticks->last[i] && !may_step_back(i))
			return false;
		ticks->delta[i] = now[i] < ticks->last[i] ? 0 : now[i] - ticks->last[i];
	}
	return true;
}

/* A jump that no clock made. It must not be what the next delta is taken from: coming down from it would look like no idling. */
static bool is_garbage(const struct proc_ticks *ticks, const uint64_t now[PROC_TICKS])
{
	for (unsigned i = 0; i < PROC_TICKS; i++)
		if (ticks->known && now[i] > ticks->last[i] && now[i] - ticks->last[i] > DELTA_MAX)
			return true;
	return false;
}

/* A line counts as a whole or not at all: a share of the ticks would look like a load. */
static void take_line(struct proc_ticks *ticks, struct span numbers)
{
	uint64_t now[PROC_TICKS];
	bool whole = true;

	ticks->listed = true;
	for (unsigned i = 0; i < PROC_TICKS && whole; i++)
		whole = span_u64(span_word(&numbers), &now[i]);
	if (!whole || is_garbage(ticks, now)) {
		ticks->known = ticks->counted = false;
		return;
	}
	ticks->counted = ticks->known && take_delta(ticks, now);
	memcpy(ticks->last, now, sizeof(now));
	ticks->known = true;
}

static void take_text(struct proc *p, struct span text)
{
	while (text.n > 3 && memcmp(text.p, "cpu", 3) == 0 && memchr(text.p, '\n', text.n)) {
		struct span line = span_until(&text, '\n'), name = span_word(&line);
		uint64_t number;
		int cpu;

		name.p += 3;
		name.n -= 3;
		if (!name.n) {
			take_line(&p->all, line);
			continue;
		}
		if (!span_u64(name, &number))
			continue;
		cpu = cpus_index(&p->topology, number);
		p->lines++;
		if (cpu >= 0)
			take_line(&p->each[cpu], line);
		else
			p->strange++;
	}
}

static void drop_unlisted(struct proc_ticks *ticks)
{
	if (!ticks->listed)
		ticks->known = ticks->counted = false;
}

void proc_stat_read(struct proc *p, const struct sys *sys)
{
	ssize_t n = sysfs_file_read(sys, &p->stat, p->text, p->text_size);

	p->lines = p->strange = 0;
	p->all.listed = false;
	for (unsigned i = 0; i < p->topology.n; i++)
		p->each[i].listed = false;
	if (n > 0)
		take_text(p, (struct span){p->text, (size_t)n});
	drop_unlisted(&p->all);
	for (unsigned i = 0; i < p->topology.n; i++)
		drop_unlisted(&p->each[i]);
}

bool proc_stat_offline(const struct proc *p, unsigned cpu)
{
	return p->lines && !p->each[cpu].listed;
}
