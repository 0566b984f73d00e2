#include "backends/sim/sim_model.h"

#define SHOT_NS 6500000000ll /* mean length; a cut is up to 4 s late */
#define LATE_NS 4000000000.0
#define SWAY_NS 3100000000ll
#define TREMBLE_NS 700000000ll

static double knot_value(uint64_t seed, uint64_t knot, unsigned what)
{
	return 2 * sim_hash_unit(sim_hash(seed, knot, what)) - 1;
}

/* Smooth from one knot to the next. */
static double glide_value(uint64_t seed, int64_t at_ns, int64_t period_ns, unsigned what)
{
	uint64_t knot = (uint64_t)(at_ns / period_ns);
	double x = (double)(at_ns % period_ns) / (double)period_ns;
	double from = knot_value(seed, knot, what), to = knot_value(seed, knot + 1, what);

	return from + (to - from) * x * x * (3 - 2 * x);
}

void sim_drift(uint64_t seed, int64_t at_ns, double drifts[SIM_DRIFTS])
{
	uint64_t shot = 1 + (uint64_t)(at_ns / SHOT_NS);

	if ((double)(at_ns % SHOT_NS) < LATE_NS * sim_hash_unit(sim_hash(seed, shot, 7000)))
		shot--;
	for (unsigned i = 0; i < SIM_DRIFTS; i++)
		drifts[i] = 0.45 * knot_value(seed, shot, 7010 + i) +
			    0.35 * glide_value(seed, at_ns, SWAY_NS, 7020 + i) +
			    0.2 * glide_value(seed, at_ns, TREMBLE_NS, 7030 + i);
}
