/* New definitions for a running session. The threads that sample know nothing of metrics, so that
 * only this thread and the recorder have to do with it. */
#include "session/session_priv.h"

#include "base/alloc.h"

#include <stdlib.h>

/* The same slots and constants, with other definitions. */
static struct metric_set *make_set(const struct session *session, const struct gpudb *db,
				   const struct session_source *s, struct err *err)
{
	const struct gpu_layout *layout = s->set->layout;

	if (gpudb_is_raw(session->db, layout))
		layout = gpudb_raw_layout(db);
	return session_set(session, db, s, layout, s->set->slots, err);
}

void session_data_fini(struct session_data *data)
{
	for (unsigned i = 0; i < data->n; i++)
		metric_set_free(data->sets[i]);
	metric_mix_free(data->mix);
	gpudb_free(data->db);
	*data = (struct session_data){0};
}

bool session_load(const struct session *session, struct session_data *data, struct err *err)
{
	const struct options *o = session->options;
	bool ok;

	*data = (struct session_data){.db = gpudb_load(o->gpudb, o->n_gpudb, err)};
	ok = data->db && options_budget(o, data->db, err);
	for (; ok && data->n < session->n; data->n++) {
		data->sets[data->n] = make_set(session, data->db, &session->sources[data->n], err);
		ok = data->sets[data->n] != NULL;
	}
	ok = ok && session_mix_load(session, data, err);
	if (!ok)
		session_data_fini(data);
	return ok;
}

/* The first data have the products and layouts of the sources, so they stay. */
void session_adopt(struct session *session, struct session_data *data)
{
	struct session_data old = {.db = session->db, .n = session->n, .mix = session->mix};

	for (unsigned i = 0; i < session->n; i++) {
		old.sets[i] = session->sources[i].set;
		session->sources[i].set = data->sets[i];
	}
	session_mix_show(session, data->mix);
	session->db = data->db;
	template_view_fini(&session->templ);
	if (session->gpu)
		template_view_init(&session->templ, session->db, session->gpu->set);
	GROW(session->retired, session->n_retired, session->cap_retired);
	session->retired[session->n_retired++] = old;
	*data = (struct session_data){0};
}

void session_forget_data(struct session *session)
{
	while (session->n_retired > 1)
		session_data_fini(&session->retired[--session->n_retired]);
}
