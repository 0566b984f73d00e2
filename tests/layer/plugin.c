/* plugin: a library with malitop.h that is loaded and unloaded. */
#define MALITOP_COUNTERS
#include "malitop.h"

void plugin_work(void);
unsigned plugin_counted(void);

void plugin_work(void)
{
	malitop_begin("plugin");
	malitop_end();
}

/* Threads whose events are open. */
unsigned plugin_counted(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < MALITOP_COUNTED_MOST; i++)
		n += malitop_state.counters[i].thread != 0;
	return n;
}
