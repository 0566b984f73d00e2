/* New definitions for a running session. The threads that sample know nothing of metrics, so that
 * only this thread and the recorder have to do with it. */
#include "session/session_priv.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

static unsigned whole_number(double value)
{
	return value > 0 ? (unsigned)value : 0; /* NaN is unknown */
}

static double known_number(double value)
{
	return isnan(value) ? 0 : value;
}

/* The same slots and constants, with other definitions. */
static struct metric_set *make_set(const struct session *session, const struct gpudb *db,
				   const struct metric_set *old, struct err *err)
{
	bool raw = gpudb_is_raw(session->db, old->layout);
	const double *constants = old->constants;

	return metric_set_new(db,
			      &(struct metric_source){
				      .product = old->product,
				      .layout = raw ? gpudb_raw_layout(db) : old->layout,
				      .slots = old->slots,
				      .n_slots = old->n_slots,
				      .core_count = whole_number(constants[VECTOR_CORES]),
				      .l2_slice_count = whole_number(constants[VECTOR_SLICES]),
				      .bus_width_bits = whole_number(constants[VECTOR_BUS_BITS]),
				      .frames_per_second = session->fps,
				      .screen_pixels = (double)session->resolution.w * session->resolution.h,
				      .top_hz = known_number(constants[VECTOR_TOP_HZ]),
				      .definitions = old->definitions},
			      err);
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
		data->sets[data->n] = make_set(session, data->db, session->sources[data->n].set, err);
		ok = data->sets[data->n] != NULL;
	}
	ok = ok && session_mix_load(session, data, err);
	if (!ok)
		session_data_fini(data);
	return ok;
}

void session_data_sets(const struct session *session, const struct session_data *data,
		       const struct metric_set *sets[SOURCE_KINDS])
{
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++) {
		const struct session_source *s = session_shown((struct session *)(uintptr_t)session, kind);

		sets[kind] = s && kind != SOURCE_MIX ? data->sets[s - session->sources] : NULL;
	}
	if (data->mix)
		sets[SOURCE_MIX] = data->mix->set;
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
