/* The property stream of a Mali driver over any bytes: it is read or refused, and what is read is
 * within its bounds. */
#include "backends/kbase/kbase.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t uk[UK_PROPS_SIZE] = {0};
	struct kbase_props props;

	kbase_props_parse(&props, data, size);
	assert(kbase_props_slices(&props) <= 64 && gpu_identity_bus_bits(props.l2_features) <= 4096);
	kbase_props_cores(&props);
	kbase_props_id(&props);
	memcpy(uk, data, size < sizeof(uk) ? size : sizeof(uk));
	kbase_props_parse_uk(&props, uk);
	assert(kbase_props_slices(&props) <= 64 && gpu_identity_bus_bits(props.l2_features) <= 4096);
	return 0;
}
