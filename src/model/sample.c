#include "model/sample.h"

#include "base/alloc.h"

#include <stdio.h>
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

const char *const sample_failure_texts[FAILURE_KINDS] = {
	[FAILURE_UNKNOWN] = "the driver reports no reason",
	[FAILURE_RESET] = "the GPU was reset, which stops its counters: they are started again",
	[FAILURE_TIMEOUT] = "the GPU did not finish the dump within a second: see dmesg, it may hang",
	[FAILURE_OFF] = "the kernel's unstable ioctls have been turned off",
	[FAILURE_TAKEN] = "the counters belong to another program now",
	[FAILURE_UNWRITTEN] = "the driver could not write the dump",
	[FAILURE_REFUSED] = "the driver refused the dump",
	[FAILURE_UNREAD] = "the driver could not read the counters",
	[FAILURE_OVERFLOW] = "a counter overflowed in it",
	[FAILURE_STAMPS] = "its timestamps are impossible",
	[FAILURE_SHORT] = "it is shorter than the shortest interval of any driver",
	[FAILURE_DAMAGED] = "its metadata is damaged",
	[FAILURE_BUFFER] = "its buffer does not exist",
};

enum sample_failure sample_failure(uint32_t flags)
{
	for (enum sample_failure i = FAILURE_UNKNOWN + 1; i < FAILURE_KINDS; i++)
		if (flags & sample_failed(i) & ~(uint32_t)SAMPLE_ERROR)
			return i;
	return FAILURE_UNKNOWN;
}

bool sample_failures_add(struct sample_failures *f, uint32_t flags, int64_t at_ns)
{
	enum sample_failure why;
	bool news;

	if (!(flags & SAMPLE_ERROR))
		return false;
	why = sample_failure(flags);
	news = !f->n[why]++ || at_ns - f->at_ns[why] >= SAMPLE_FAILURE_NEWS_NS;
	f->at_ns[why] = at_ns;
	return news;
}

uint64_t sample_failures_all(const struct sample_failures *f)
{
	uint64_t n = 0;

	for (size_t i = 0; i < FAILURE_KINDS; i++)
		n += f->n[i];
	return n;
}

void sample_failures_format(const struct sample_failures *f, char *buf, size_t size)
{
	size_t at = 0;

	buf[0] = 0;
	for (size_t i = 0; i < FAILURE_KINDS; i++)
		if (f->n[i] && at < size)
			at += (size_t)snprintf(buf + at, size - at, "%s%s (%llu)", at ? ", " : "",
					       sample_failure_texts[i], (unsigned long long)f->n[i]);
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
