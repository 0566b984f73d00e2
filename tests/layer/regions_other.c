#include "tests/layer/regions.h"

#include "malitop.h"

void call_other_file(void)
{
	malitop_begin("other file");
	malitop_end();
}
