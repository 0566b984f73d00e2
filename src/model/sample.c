#include "model/sample.h"

#include "base/alloc.h"

#include <string.h>

const char *const instance_names[INSTANCE_KINDS] = {"", "core", "slice", "cluster", "cpu"};

char *sample_flags_format(char *buf, uint32_t flags)
{
	static const struct {
		uint32_t flag;
		const char *word;
	} words[] = {
		{SAMPLE_GAP, "gap"},       {SAMPLE_STRETCHED, "stretched"}, {SAMPLE_ERROR, "error"},
		{SAMPLE_CLOCK, "clock"},   {SAMPLE_ESTIMATED, "estimated"}, {SAMPLE_SIMULATED, "simulated"},
		{SAMPLE_REPLAY, "replay"},
	};

	buf[0] = 0;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (flags & words[i].flag) {
			if (buf[0])
				strcat(buf, " ");
			strcat(buf, words[i].word); /* SAMPLE_FLAGS_TEXT has room for all */
		}
	return buf;
}
