#include "backends/perf/perf_format.h"

#include "base/alloc.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static uint64_t *word_of(struct perf_event *event, struct span name)
{
	const struct {
		const char *name;
		uint64_t *word;
	} words[] = {{"config", &event->config}, {"config1", &event->config1}, {"config2", &event->config2}};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (span_is(name, words[i].name))
			return words[i].word;
	return NULL;
}

/* "7" or "0-7": bits of a 64-bit word. */
static bool parse_range(struct span text, uint64_t *first, uint64_t *last)
{
	bool one = !text.n || !memchr(text.p, '-', text.n);

	if (!span_u64(span_until(&text, '-'), first))
		return false;
	*last = *first;
	return (one || span_u64(text, last)) && *first <= *last && *last < 64;
}

/* The bits of the ranges; 0 for a format that cannot be parsed. */
static uint64_t mask_of(struct span ranges)
{
	uint64_t mask = 0, first, last;

	while (ranges.n) {
		if (!parse_range(span_until(&ranges, ','), &first, &last))
			return 0;
		mask |= UINT64_MAX >> (63 - (last - first)) << first;
	}
	return mask;
}

uint64_t perf_format_config(struct span format)
{
	struct span ranges = span_trim(format);

	return span_is(span_until(&ranges, ':'), "config") ? mask_of(ranges) : 0;
}

bool perf_format_put(struct perf_event *event, struct span format, uint64_t value, struct err *err)
{
	struct span ranges = span_trim(format);
	uint64_t *word = word_of(event, span_until(&ranges, ':'));
	uint64_t left = value, mask = 0, bits = 0;
	unsigned width = 0;
	char shown[64];

	while (word && ranges.n) {
		uint64_t first, last, ones;

		if (!parse_range(span_until(&ranges, ','), &first, &last)) {
			word = NULL;
			break;
		}
		ones = UINT64_MAX >> (63 - (last - first));
		mask |= ones << first;
		bits |= (left & ones) << first;
		left = ones == UINT64_MAX ? 0 : left >> (last - first + 1);
		width += (unsigned)(last - first + 1);
	}
	if (!word || !mask) {
		AUTOFREE char *text = span_dup(span_trim(format));

		return err_set(err, EINVAL, "unknown format in sysfs: \"%s\"",
			       str_printable(shown, sizeof(shown), text));
	}
	if (left)
		return err_set(err, EINVAL, "%#" PRIx64 " is too big: it has %u bit%s", value, width,
			       width > 1 ? "s" : "");
	*word = (*word & ~mask) | bits;
	return true;
}
