#include "model/sample.h"

#include "base/alloc.h"

#include <stdlib.h>
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

/* Slots of one instance are adjacent and share its title. */
static bool shares_title(const struct slot *slots, unsigned i)
{
	return i && slots[i].title == slots[i - 1].title;
}

struct slot *slots_copy(const struct slot *slots, unsigned n)
{
	struct slot *copy = xcalloc(n, sizeof(*copy));

	for (unsigned i = 0; i < n; i++) {
		copy[i] = slots[i];
		if (slots[i].title)
			copy[i].title = shares_title(slots, i) ? copy[i - 1].title : xstrdup(slots[i].title);
	}
	return copy;
}

void slots_free(struct slot *slots, unsigned n)
{
	for (unsigned i = n; i-- > 0;)
		if (!shares_title(slots, i))
			free((void *)(uintptr_t)slots[i].title);
	free(slots);
}
