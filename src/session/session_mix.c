/* The metrics of several sources together, which are shown beside those of each one. */
#include "session/session_priv.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>

static void find_sets(const struct session *session, const struct session_data *data,
		      const struct metric_set *sets[SOURCE_KINDS])
{
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++) {
		const struct session_source *s =
			kind == SOURCE_MIX ? NULL : session_shown((struct session *)(uintptr_t)session, kind);

		sets[kind] = !s ? NULL : data ? data->sets[s - session->sources] : s->set;
	}
}

void session_data_sets(const struct session *session, const struct session_data *data,
		       const struct metric_set *sets[SOURCE_KINDS])
{
	find_sets(session, data, sets);
	if (data->mix)
		sets[SOURCE_MIX] = data->mix->set;
}

bool session_mix_load(const struct session *session, struct session_data *data, struct err *err)
{
	const struct metric_set *sets[SOURCE_KINDS];

	find_sets(session, data, sets);
	return metric_mix_new(data->db, sets, &data->mix, err);
}

void session_mix_show(struct session *session, struct metric_mix *mix)
{
	struct session_source *shown = &session->mixed;

	session->mix = mix;
	*shown = (struct session_source){.kind = SOURCE_MIX, .index = UINT32_MAX, .epoch = shown->epoch + 1};
	if (!mix)
		return;
	snprintf(shown->title, sizeof(shown->title), "several sources");
	shown->set = mix->set;
	shown->n_slots = shown->n_sums = mix->set->n_slots;
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++) {
		const struct session_source *s = mix->uses[kind] ? session_shown(session, kind) : NULL;

		if (!s)
			continue;
		shown->simulated |= s->simulated;
		shown->asked_ns = s->asked_ns > shown->asked_ns ? s->asked_ns : shown->asked_ns;
		shown->period_ns = s->period_ns > shown->period_ns ? s->period_ns : shown->period_ns;
	}
}

bool session_mix_first(struct session *session, struct err *err)
{
	const struct metric_set *sets[SOURCE_KINDS];

	if (!session_mix(session, err))
		return false;
	find_sets(session, NULL, sets);
	sets[SOURCE_MIX] = session->mix ? session->mix->set : NULL;
	return session_report_missing(session, sets, err);
}

bool session_mix(struct session *session, struct err *err)
{
	const struct metric_set *sets[SOURCE_KINDS];
	struct metric_mix *mix;

	find_sets(session, NULL, sets);
	if (!metric_mix_new(session->db, sets, &mix, err))
		return false;
	if (session->mix) {
		GROW(session->past_mixes, session->n_past_mixes, session->cap_past_mixes);
		session->past_mixes[session->n_past_mixes++] = session->mix;
	}
	session_mix_show(session, mix);
	return true;
}

void session_mix_fini(struct session *session)
{
	for (unsigned i = 0; i < session->n_past_mixes; i++)
		metric_mix_free(session->past_mixes[i]);
	free(session->past_mixes);
	metric_mix_free(session->mix);
}
