#include "tui/turns.h"

#include "base/alloc.h"
#include "base/real.h"

#include <math.h>
#include <stdio.h>

/* The guides describe the signs and give no numbers; these are ours. Above 90 % something is busy
 * "all the time": the rest is the cost of waking up and handing over. Below 15 % it is a helper of
 * another thread. The sum of two that take turns is 100 %, less the cost of handing over (down to
 * 85 %), plus their overlap and the error of CPU time in 10 ms ticks and of the window edges, which
 * may be a tenth of a second apart (up to 110 %). */
#define BUSY 90
#define IDLE 15
#define ANY 0, 1000

/* The first matching row counts: low <= share < high. */
static const struct {
	double thread_low, thread_high, gpu_low, gpu_high, sum_low, sum_high;
	enum turns turns;
	const char *text;
} rules[] = {
	{BUSY, 1000, BUSY, 1000, ANY, TURNS_BOTH_BUSY, ": both are busy all the time"},
	{BUSY, 1000, ANY, ANY, TURNS_THREAD_BUSY, ": the thread runs all the time (CPU bound)"},
	{ANY, BUSY, 1000, ANY, TURNS_GPU_BUSY, ": the GPU is busy all the time"},
	{IDLE, BUSY, IDLE, BUSY, 85, 110, TURNS_TAKEN,
	 ": they seem to take turns (scheduling bound): find waits for the GPU"},
	{ANY, ANY, ANY, TURNS_NONE, ""},
};

static size_t rule_of(double thread, double gpu)
{
	size_t i = 0;

	while (i < ARRAY_LEN(rules) &&
	       !(thread >= rules[i].thread_low && thread < rules[i].thread_high && gpu >= rules[i].gpu_low &&
		 gpu < rules[i].gpu_high && thread + gpu >= rules[i].sum_low &&
		 thread + gpu < rules[i].sum_high))
		i++;
	return i;
}

/* As the shown numbers are, so that the text matches them. */
static double whole_percent(double percent)
{
	return isfinite(percent) ? (double)real_round(percent) : percent;
}

enum turns turns_of(double thread_percent, double gpu_percent)
{
	size_t i = rule_of(whole_percent(thread_percent), whole_percent(gpu_percent));

	return i < ARRAY_LEN(rules) ? rules[i].turns : TURNS_UNKNOWN;
}

void turns_text(char *out, size_t size, double thread_percent, double gpu_percent)
{
	double thread = whole_percent(thread_percent), gpu = whole_percent(gpu_percent);
	size_t i = rule_of(thread, gpu);

	out[0] = 0;
	if (i == ARRAY_LEN(rules))
		return;
	if (rules[i].turns == TURNS_TAKEN)
		snprintf(out, size, "thread %.0f %% + GPU %.0f %% = %.0f %%%s", thread, gpu, thread + gpu,
			 rules[i].text);
	else
		snprintf(out, size, "thread %.0f %%, GPU %.0f %%%s", thread, gpu, rules[i].text);
}
