#include "backends/sim/sim_rules.h"

void sim_chain_init(struct sim_chain *chain, const struct sim_rules *list, struct sim_wants *wants,
		    bool *ratios)
{
	bool leaves[SIM_RULES_MAX] = {false}, kept[SIM_RULES_MAX] = {false};

	/* Backwards, because a rule comes before the rules that it feeds. */
	for (unsigned i = list->n; i-- > 0;) {
		const struct sim_rule *r = &list->rules[i];

		kept[i] = wants->shown[r->out] || wants->fed[r->out];
		leaves[i] = r->op == OP_PART && !wants->fed[r->out];
		if (!kept[i])
			continue;
		wants->fed[r->a] = true;
		if (r->op == OP_SUM || r->op == OP_REST)
			wants->fed[r->b] = true;
	}
	*chain = (struct sim_chain){0};
	for (unsigned i = 0; i < list->n; i++) {
		const struct sim_rule *r = &list->rules[i];

		if (!kept[i])
			continue;
		if (leaves[i])
			chain->leaves[chain->n_leaves++] = *r;
		else
			chain->rules[chain->n_rules++] = *r;
		if (!leaves[i] && wants->shown[r->out])
			chain->sums[chain->n_sums++] = r->out;
		if (r->op != OP_PART)
			continue;
		chain->rows++;
		ratios[r->b] = true;
	}
}

static void count_part(uint32_t *restrict out, const uint32_t *restrict in, const uint32_t *restrict ratio,
		       uint64_t *restrict rest)
{
	for (unsigned i = 0; i < SIM_LANES; i++) {
		uint64_t x = rest[i] + (uint64_t)in[i] * ratio[i];

		rest[i] = x & (SIM_ONE - 1);
		out[i] = (uint32_t)(x / SIM_ONE);
	}
}

/* Add up a part that is rounded later. */
static void count_leaf(const uint32_t *restrict in, const uint32_t *restrict ratio, uint64_t *restrict rest)
{
	for (unsigned i = 0; i < SIM_LANES; i++)
		rest[i] += (uint64_t)in[i] * ratio[i];
}

static void settle_totals(uint64_t *restrict rest, uint64_t *restrict total)
{
	for (unsigned i = 0; i < SIM_LANES; i++) {
		total[i] += rest[i] / SIM_ONE;
		rest[i] &= SIM_ONE - 1;
	}
}

static void add_lanes(uint64_t *restrict total, const uint32_t *restrict now)
{
	for (unsigned i = 0; i < SIM_LANES; i++)
		total[i] += now[i];
}

static void sum_lanes(uint32_t *restrict out, const uint32_t *restrict a, const uint32_t *restrict b)
{
	for (unsigned i = 0; i < SIM_LANES; i++)
		out[i] = a[i] + b[i];
}

static void rest_of(uint32_t *restrict out, const uint32_t *restrict a, const uint32_t *restrict b)
{
	for (unsigned i = 0; i < SIM_LANES; i++)
		out[i] = a[i] - b[i];
}

static void multiply_lanes(uint32_t *restrict out, const uint32_t *restrict a, uint32_t constant)
{
	for (unsigned i = 0; i < SIM_LANES; i++)
		out[i] = a[i] * constant;
}

void sim_chain_apply(const struct sim_chain *chain, const uint32_t (*ratios)[SIM_LANES],
		     uint64_t (*restrict rest)[SIM_LANES], uint32_t (*restrict now)[SIM_LANES],
		     uint64_t (*restrict total)[SIM_LANES])
{
	for (const struct sim_rule *r = chain->rules; r < chain->rules + chain->n_rules; r++) {
		if (r->op == OP_PART)
			count_part(now[r->out], now[r->a], ratios[r->b], *rest++);
		else if (r->op == OP_SUM)
			sum_lanes(now[r->out], now[r->a], now[r->b]);
		else if (r->op == OP_REST)
			rest_of(now[r->out], now[r->a], now[r->b]);
		else
			multiply_lanes(now[r->out], now[r->a], r->b);
	}
	for (const struct sim_rule *r = chain->leaves; r < chain->leaves + chain->n_leaves; r++)
		count_leaf(now[r->a], ratios[r->b], *rest++);
	for (const uint8_t *out = chain->sums; out < chain->sums + chain->n_sums; out++)
		add_lanes(total[*out], now[*out]);
}

void sim_chain_settle(const struct sim_chain *chain, uint64_t (*restrict rest)[SIM_LANES],
		      uint64_t (*restrict total)[SIM_LANES])
{
	rest += chain->rows - chain->n_leaves;
	for (const struct sim_rule *r = chain->leaves; r < chain->leaves + chain->n_leaves; r++)
		settle_totals(*rest++, total[r->out]);
}
