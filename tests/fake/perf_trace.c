/* Trace points: their files in tracefs, who may have their fields, filters, and rings. */
#include "tests/fake/perf_priv.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define RECORD_LOST 2
#define RECORD_SAMPLE 9

/* As Linux 6.6 lays them out on 64 bits: eight bytes that all events have come first. */
static const struct trace_point {
	const char *name;
	unsigned id, size;
	struct {
		const char *type, *name;
		unsigned at, size;
	} fields[6];
} points[] = {
	{"power/gpu_work_period",
	 612,
	 40,
	 {{"u32", "gpu_id", 8, 4},
	  {"u32", "uid", 12, 4},
	  {"u64", "start_time_ns", 16, 8},
	  {"u64", "end_time_ns", 24, 8},
	  {"u64", "total_active_duration_ns", 32, 8}}},
	{"drm/drm_vblank_event_delivered",
	 731,
	 24,
	 {{"struct drm_file *", "file", 8, 8}, {"int", "crtc", 16, 4}, {"unsigned int", "seq", 20, 4}}},
};

static const struct trace_point *point_of(const char *name, uint64_t id)
{
	for (size_t i = 0; i < ARRAY_LEN(points); i++)
		if (name ? strcmp(points[i].name, name) == 0 : points[i].id == id)
			return &points[i];
	return NULL;
}

bool fake_perf_is_traced(uint64_t id)
{
	return point_of(NULL, id) != NULL;
}

static void write_text(const char *path, const char *text)
{
	FILE *out;

	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		AUTOFREE char *dir = xasprintf("%.*s", (int)(slash - path), path);

		mkdir(dir, 0755);
	}
	out = fopen(path, "we");
	if (!out || fputs(text, out) < 0 || fclose(out)) {
		fprintf(stderr, "%s: cannot be written\n", path);
		abort();
	}
}

void fake_perf_tracefs(const char *dir, const char *name)
{
	const struct trace_point *p = point_of(name, 0);
	AUTOFREE char *id = xasprintf("%s/sys/kernel/tracing/events/%s/id", dir, name);
	AUTOFREE char *format = xasprintf("%s/sys/kernel/tracing/events/%s/format", dir, name);
	AUTO_STRBUF struct strbuf text = {0};

	strbuf_printf(&text, "%u\n", p->id);
	write_text(id, text.p);
	text.n = 0;
	strbuf_printf(&text, "name: %s\nID: %u\nformat:\n", strchr(name, '/') + 1, p->id);
	strbuf_str(&text, "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			  "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
			  "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
			  "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n");
	for (size_t i = 0; i < ARRAY_LEN(p->fields) && p->fields[i].name; i++)
		strbuf_printf(&text, "\tfield:%s %s;\toffset:%u;\tsize:%u;\tsigned:0;\n", p->fields[i].type,
			      p->fields[i].name, p->fields[i].at, p->fields[i].size);
	strbuf_str(&text, "\nprint fmt: \"...\"\n");
	write_text(format, text.p);
}

/* ---- filters ---- */

/* "crtc == 1" is the only kind. */
int fake_perf_set_filter(struct fake_event *e, const char *text)
{
	const struct trace_point *p = e->pmu->kind == FAKE_TRACEPOINT ? point_of(NULL, e->raw) : NULL;
	char name[32];
	long long value;

	if (!p || sscanf(text, "%31s == %lld", name, &value) != 2)
		return fake_perf_fail(EINVAL);
	for (size_t i = 0; i < ARRAY_LEN(p->fields) && p->fields[i].name; i++)
		if (strcmp(p->fields[i].name, name) == 0) {
			e->filter_field = (int)i + 1;
			e->filter_value = (uint64_t)value;
			return 0;
		}
	return fake_perf_fail(EINVAL);
}

/* ---- records ---- */

/* A record of what found no room comes before the next one that fits. */
static void put_record(struct fake_event *e, const unsigned char *raw, uint32_t size)
{
	uint32_t padded = (4 + size + 7) / 8 * 8 - 4;
	unsigned char zeros[8] = {0};

	if (fake_ring_room(e) < 8 + 4 + padded + (e->lost_records ? 24u : 0)) {
		e->lost_records++;
		return;
	}
	if (e->lost_records) {
		fake_ring_head(e, RECORD_LOST, 1, 24);
		fake_ring_bytes(e, &e->id, 8);
		fake_ring_bytes(e, &e->lost_records, 8);
		e->lost_records = 0;
	}
	fake_ring_head(e, RECORD_SAMPLE, 1, 8 + 4 + padded);
	fake_ring_bytes(e, &padded, 4);
	fake_ring_bytes(e, raw, size);
	fake_ring_bytes(e, zeros, padded - size);
}

void fake_perf_trace(struct fake_perf *f, int cpu, const char *name, const uint64_t *values)
{
	const struct trace_point *p = point_of(name, 0);
	unsigned char raw[64] = {(unsigned char)p->id, (unsigned char)(p->id >> 8)};

	for (size_t i = 0; i < ARRAY_LEN(p->fields) && p->fields[i].name; i++)
		memcpy(raw + p->fields[i].at, &values[i], p->fields[i].size);
	for (unsigned i = 0; i < f->n_events; i++) {
		struct fake_event *e = f->events[i];

		if (e->pmu->kind != FAKE_TRACEPOINT || e->raw != p->id || e->cpu != cpu || e->lost ||
		    e->state < FAKE_INACTIVE ||
		    (e->filter_field && values[e->filter_field - 1] != e->filter_value))
			continue;
		e->total.count++;
		e->total.truth++;
		if (e->ring)
			put_record(e, raw, p->size);
	}
}
