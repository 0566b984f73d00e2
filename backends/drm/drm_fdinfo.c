#include "backends/drm/drm_clients.h"

#include "base/alloc.h"

#include <string.h>

#define MEMORY_MAX ((uint64_t)1 << 44)

/* A number with the unit that its key has; memory may be in other units, and 0 in none. */
static bool take_number(struct span value, const char *unit, uint64_t *number)
{
	static const struct {
		const char *name;
		unsigned shift;
	} sizes[] = {{"", 0}, {"KiB", 10}, {"MiB", 20}};
	struct span word;
	uint64_t v;

	if (!span_u64(span_word(&value), &v))
		return false;
	word = span_word(&value);
	if (span_word(&value).n)
		return false;
	if (unit) {
		if (!span_is(word, unit) || v == SAMPLE_UNKNOWN)
			return false;
		*number = v;
		return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
		if (span_is(word, sizes[i].name) && v <= MEMORY_MAX >> sizes[i].shift) {
			*number = v << sizes[i].shift;
			return true;
		}
	return false;
}

static bool take_name(char name[DRM_ENGINE_NAME], struct span text)
{
	if (!text.n || text.n >= DRM_ENGINE_NAME)
		return false;
	for (size_t i = 0; i < text.n; i++)
		if (!(text.p[i] >= 'a' && text.p[i] <= 'z') && !(text.p[i] >= '0' && text.p[i] <= '9') &&
		    text.p[i] != '-' && text.p[i] != '_')
			return false;
	memcpy(name, text.p, text.n);
	name[text.n] = 0;
	return true;
}

static struct drm_engine *take_engine(struct drm_fdinfo *info, struct span text)
{
	char name[DRM_ENGINE_NAME];

	if (!take_name(name, text))
		return NULL;
	for (unsigned i = 0; i < info->n_engines; i++)
		if (strcmp(info->engines[i].name, name) == 0)
			return &info->engines[i];
	if (info->n_engines == DRM_ENGINES_MAX)
		return NULL;
	info->engines[info->n_engines] =
		(struct drm_engine){.ns = SAMPLE_UNKNOWN, .cycles = SAMPLE_UNKNOWN, .hz = SAMPLE_UNKNOWN};
	memcpy(info->engines[info->n_engines].name, name, sizeof(name));
	return &info->engines[info->n_engines++];
}

static bool take_engine_line(struct drm_fdinfo *info, struct span key, struct span value)
{
	static const struct {
		const char *prefix, *unit;
		size_t offset;
	} lines[] = {
		{"drm-engine-capacity-", NULL, 0}, /* of other drivers */
		{"drm-engine-", "ns", offsetof(struct drm_engine, ns)},
		{"drm-cycles-", "", offsetof(struct drm_engine, cycles)},
		{"drm-curfreq-", "Hz", offsetof(struct drm_engine, hz)},
	};

	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		size_t n = strlen(lines[i].prefix);
		struct drm_engine *engine;
		uint64_t number;

		if (key.n < n || memcmp(key.p, lines[i].prefix, n) != 0)
			continue;
		if (!lines[i].unit || !take_number(value, lines[i].unit, &number))
			return true;
		engine = take_engine(info, (struct span){key.p + n, key.n - n});
		if (engine)
			*(uint64_t *)(void *)((char *)engine + lines[i].offset) = number;
		return true;
	}
	return false;
}

bool drm_fdinfo_parse(struct drm_fdinfo *info, struct span text)
{
	static const struct {
		const char *key, *unit;
		size_t offset;
	} lines[] = {
		{"drm-client-id", "", offsetof(struct drm_fdinfo, client)},
		{"drm-total-memory", NULL, offsetof(struct drm_fdinfo, total)},
		{"drm-resident-memory", NULL, offsetof(struct drm_fdinfo, resident)},
		{"panthor-resident-memory", NULL, offsetof(struct drm_fdinfo, internal)},
	};

	*info = (struct drm_fdinfo){.client = SAMPLE_UNKNOWN,
				    .total = SAMPLE_UNKNOWN,
				    .resident = SAMPLE_UNKNOWN,
				    .internal = SAMPLE_UNKNOWN};
	while (text.n) {
		struct span value = span_until(&text, '\n'), key = span_until(&value, ':');

		if (span_is(key, "drm-driver"))
			take_name(info->driver, span_trim(value));
		else if (!take_engine_line(info, key, value))
			for (size_t i = 0; i < ARRAY_LEN(lines); i++)
				if (span_is(key, lines[i].key))
					take_number(value, lines[i].unit,
						    (uint64_t *)(void *)((char *)info + lines[i].offset));
	}
	return info->driver[0] && info->client != SAMPLE_UNKNOWN;
}

uint64_t drm_fdinfo_bytes(const struct drm_fdinfo *info)
{
	uint64_t bytes = info->resident != SAMPLE_UNKNOWN ? info->resident : info->total;

	if (bytes == SAMPLE_UNKNOWN)
		return info->internal;
	return bytes + (info->internal != SAMPLE_UNKNOWN ? info->internal : 0);
}

const struct drm_engine *drm_fdinfo_engine(const struct drm_fdinfo *info, const char *name)
{
	for (unsigned i = 0; i < info->n_engines; i++)
		if (strcmp(info->engines[i].name, name) == 0)
			return &info->engines[i];
	return NULL;
}
