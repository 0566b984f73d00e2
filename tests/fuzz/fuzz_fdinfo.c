/* A client's fdinfo of any bytes: it is read or refused, and what is read is within its bounds. */
#include "backends/drm/drm_clients.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct drm_fdinfo info;
	uint64_t bytes;

	if (!drm_fdinfo_parse(&info, (struct span){(const char *)data, size}))
		return 0;
	assert(info.driver[0] && strlen(info.driver) < sizeof(info.driver));
	assert(info.client != SAMPLE_UNKNOWN && info.n_engines <= DRM_ENGINES_MAX);
	for (unsigned i = 0; i < info.n_engines; i++) {
		assert(strlen(info.engines[i].name) < sizeof(info.engines[i].name));
		assert(drm_fdinfo_engine(&info, info.engines[i].name) == &info.engines[i]);
	}
	bytes = drm_fdinfo_bytes(&info);
	assert(bytes == SAMPLE_UNKNOWN || bytes <= (uint64_t)1 << 46);
	return 0;
}
