#include "tui/turns.h"

#include "base/alloc.h"

#include <math.h>
#include <stdio.h>

/* The guides describe the signs and give no numbers; these are ours. From 90 % of the time on, something is busy "all the time": the
 * rest is what waking up and handing over cost. Below 15 % it is a helper of somebody else's. The sum of two that take turns is 100 %,
 * less what handing over costs (down to 85 %), plus what they overlap and what CPU time in ticks of 10 ms and the edges of
 * the GPU's window, up to a tenth of a second apart, may add (up to 110 %). */
#define BUSY 90
#define IDLE 15
#define ANY 0, 1000

/* The first row that fits counts: low <= share < high. */
static const struct {
	double thread_low, thread_high, gpu_low, gpu_high, sum_low, sum_high;
	enum turns turns;
	const char *text;
} rules[] = {
	{BUSY, 1000, BUSY, 1000, ANY, TURNS_BOTH_BUSY, ": both are busy all the time"},
	{BUSY, 1000, ANY, ANY, TURNS_THREAD_BUSY, ": the thread runs all the time (CPU bound)"},
	{ANY, BUSY, 1000, ANY, TURNS_GPU_BUSY, ": the GPU is busy all the time"},
	{IDLE, BUSY, IDLE, BUSY, 85, 110, TURNS_TAKEN, ": they seem to take turns (scheduling bound): find waits for the GPU"},
	{ANY, ANY, ANY, TURNS_NONE, ""},
};

static size_t rule_of(double thread, double gpu)
{
	size_t i = 0;

	while (i < ARRAY_LEN(rules) &&
	       !(thread >= rules[i].thread_low && thread < rules[i].thread_high && gpu >= rules[i].gpu_low &&
		 gpu < rules[i].gpu_high && thread + gpu >= rules[i].sum_low && thread + gpu < rules[i].sum_high))
		i++;
	return i;
}

/* Whole percents, so that what is told is what is shown. */

enum turns turns_of(double thread_percent, double gpu_percent)
{
	size_t i = rule_of(round(thread_percent), round(gpu_percent));

	return i < ARRAY_LEN(rules) ? rules[i].turns : TURNS_UNKNOWN;
}

void turns_text(char *out, size_t size, double thread_percent, double gpu_percent)
{
	double thread = round(thread_percent), gpu = round(gpu_percent);
	size_t i = rule_of(thread, gpu);

	out[0] = 0;
	if (i == ARRAY_LEN(rules))
		return;
	if (rules[i].turns == TURNS_TAKEN)
		snprintf(out, size, "thread %.0f %% + GPU %.0f %% = %.0f %%%s", thread, gpu, thread + gpu, rules[i].text);
	else
		snprintf(out, size, "thread %.0f %%, GPU %.0f %%%s", thread, gpu, rules[i].text);
}
