#include "backends/sim/sim.h"

#define BEHIND_NS 5000000000ll /* a longer lag means that the machine slept */

bool sim_probe(const struct sys *sys, struct source_found **found, struct err *err)
{
	(void)sys, (void)found, (void)err;
	return true;
}

void sim_stop(struct source *source)
{
	(void)source;
}

bool sim_start(struct source *source, int64_t period_ns, int64_t now_ns, struct err *err)
{
	struct sim_pace *pace = source->priv;
	int64_t history_ns = source->options.history_ns;

	(void)err;
	if (pace->begun || history_ns > now_ns)
		history_ns = pace->begun ? 0 : now_ns;
	source->period_ns = pace->period_ns = period_ns < pace->least_ns ? pace->least_ns : period_ns;
	pace->live_ns = now_ns;
	pace->next_ns = now_ns - history_ns;
	pace->begun = true;
	return true;
}

bool sim_pace_next(struct sim_pace *pace, int64_t now_ns, struct sample *sample)
{
	bool history = pace->next_ns < pace->live_ns;
	int64_t step = history && pace->period_ns < SOURCE_HISTORY_STEP_NS ? SOURCE_HISTORY_STEP_NS
									   : pace->period_ns;
	int64_t end = pace->next_ns + step;

	if (history && end > pace->live_ns)
		end = pace->live_ns;
	if (now_ns < end)
		return false;
	sample->flags = SAMPLE_SIMULATED;
	sample->lost = 0;
	if (!history && now_ns - pace->next_ns > BEHIND_NS + step) {
		sample->flags |= SAMPLE_GAP;
		sample->lost = (uint32_t)((now_ns - pace->next_ns) / step - 1);
		pace->next_ns += sample->lost * step;
		end = pace->next_ns + step;
	}
	sample->begin_ns = pace->next_ns;
	sample->end_ns = pace->next_ns = end;
	pace->sim_ns += end - sample->begin_ns;
	return true;
}
