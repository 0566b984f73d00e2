#include "backends/perf/perf_name.h"

#include "base/alloc.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 256
#define TEXT_SIZE 512 /* a file with one event or one format */

/* Whether the name is a safe path component. */
static bool is_name(struct span name)
{
	if (!name.n || name.n >= PERF_PMU_NAME || name.p[0] == '.')
		return false;
	for (size_t i = 0; i < name.n; i++)
		if (!isalnum((unsigned char)name.p[i]) && name.p[i] != '_' && name.p[i] != '-' &&
		    name.p[i] != '.')
			return false;
	return true;
}

static void add_pmu(struct perf_pmus *pmus, const struct sys *sys, const char *name)
{
	struct perf_pmu *pmu;
	char path[PATH_SIZE];
	bool has_cpus;
	int64_t type;

	snprintf(path, sizeof(path), PERF_DEVICES "/%.64s/type", name);
	if (!is_name(span_of(name)) || !sys_read_i64(sys, path, &type) || type < 0 || type > INT32_MAX)
		return;
	GROW(pmus->pmus, pmus->n, pmus->cap);
	pmu = &pmus->pmus[pmus->n++];
	*pmu = (struct perf_pmu){.type = (uint32_t)type};
	snprintf(pmu->name, sizeof(pmu->name), "%s", name);
	snprintf(path, sizeof(path), PERF_DEVICES "/%s/cpus", pmu->name);
	has_cpus = cpu_set_read(sys, &pmu->cpus, path);
	pmu->core = has_cpus || strcmp(name, "cpu") == 0;
	snprintf(path, sizeof(path), PERF_DEVICES "/%s/cpumask", pmu->name);
	if (!has_cpus && !cpu_set_read(sys, &pmu->cpus, path))
		memset(&pmu->cpus, 0xff, sizeof(pmu->cpus));
}

void perf_pmus_find(struct perf_pmus *pmus, const struct sys *sys)
{
	char **names;
	int n = sys->list(sys, PERF_DEVICES, &names);

	*pmus = (struct perf_pmus){.sys = sys};
	for (int i = 0; i < n; i++)
		add_pmu(pmus, sys, names[i]);
	sys_names_free(names, n);
}

void perf_pmus_fini(struct perf_pmus *pmus)
{
	free(pmus->pmus);
	*pmus = (struct perf_pmus){0};
}

const struct perf_pmu *perf_pmus_get(const struct perf_pmus *pmus, struct span name)
{
	for (unsigned i = 0; i < pmus->n; i++)
		if (span_is(name, pmus->pmus[i].name))
			return &pmus->pmus[i];
	return NULL;
}

/* Read one file of the PMU. A text that does not fit is an error. */
static bool read_text(const struct perf_pmu *pmu, const struct sys *sys, const char *dir, struct span name,
		      char text[TEXT_SIZE])
{
	char path[PATH_SIZE];
	ssize_t n;

	if (!is_name(name))
		return false;
	snprintf(path, sizeof(path), PERF_DEVICES "/%s/%s/%.*s", pmu->name, dir, SPAN_ARG(name));
	n = sys_read_file(sys, path, text, TEXT_SIZE);
	return n > 0 && n < TEXT_SIZE - 1;
}

static void list_formats(const struct perf_pmu *pmu, const struct sys *sys, char *list, size_t size)
{
	char path[PATH_SIZE], **names;
	size_t n = 0;
	int count;

	snprintf(path, sizeof(path), PERF_DEVICES "/%s/format", pmu->name);
	count = sys->list(sys, path, &names);
	list[0] = 0;
	for (int i = 0; i < count && n < size; i++)
		if (is_name(span_of(names[i])))
			n += (size_t)snprintf(list + n, size - n, "%s, ", names[i]);
	sys_names_free(names, count);
}

/* Return the config word of this name; NULL if there is none. */
static uint64_t *word_of(struct perf_event *event, struct span name)
{
	return span_is(name, "config")    ? &event->config
	       : span_is(name, "config1") ? &event->config1
	       : span_is(name, "config2") ? &event->config2
					  : NULL;
}

static bool put_parameter(const struct perf_pmu *pmu, const struct sys *sys, struct span name, uint64_t value,
			  struct perf_event *event, struct err *err)
{
	/* The config words need no format. */
	bool word = word_of(event, name) != NULL;
	AUTOFREE char *copy = span_dup(name);
	char text[TEXT_SIZE], shown[PERF_PMU_NAME], list[256];

	str_printable(shown, sizeof(shown), copy);
	if (!word && !read_text(pmu, sys, "format", name, text)) {
		list_formats(pmu, sys, list, sizeof(list));
		return err_set(err, ERR_USAGE,
			       "%s has no parameter or event \"%s\": try %sconfig, config1, config2",
			       pmu->name, shown, list);
	}
	if (word)
		snprintf(text, sizeof(text), "%s:0-63", shown);
	return (perf_format_put(event, span_of(text), value, err) &&
		(!span_is(name, "config") || perf_pmu_check(pmu, sys, value, err))) ||
	       err_prefix(err, "%s: ", shown);
}

bool perf_pmu_terms(const struct perf_pmu *pmu, const struct sys *sys, struct span terms, bool names,
		    struct perf_event *event, struct err *err)
{
	while (terms.n) {
		struct span value = span_trim(span_until(&terms, ',')), whole = value;
		struct span name = span_until(&value, '=');
		bool bare = name.n == whole.n;
		struct err named = {0};
		uint64_t v = 1;

		if (bare && names && perf_pmu_named(pmu, sys, name, event, &named))
			continue;
		if (named.text[0])
			return err_set(err, named.code, "%s", named.text);
		if (!bare && !span_u64(value, &v)) {
			AUTOFREE char *copy = span_dup(whole);
			char shown[PERF_PMU_NAME];

			return err_set(err, ERR_USAGE, "\"%s\": expected a decimal or 0x number",
				       str_printable(shown, sizeof(shown), copy));
		}
		if (!put_parameter(pmu, sys, name, v, event, err))
			return false;
	}
	return true;
}

bool perf_pmu_named(const struct perf_pmu *pmu, const struct sys *sys, struct span name,
		    struct perf_event *event, struct err *err)
{
	struct perf_event found = *event;
	char text[TEXT_SIZE];
	struct span terms;

	*err = (struct err){0};
	if (!read_text(pmu, sys, "events", name, text))
		return false;
	terms = span_trim(span_of(text));
	if (terms.n ? !perf_pmu_terms(pmu, sys, terms, false, &found, err)
		    : !err_set(err, EINVAL, "it is empty"))
		return err_prefix(err, "%s/events/%.*s: ", pmu->name, SPAN_ARG(name));
	*event = found;
	return true;
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

/* The positions of a value's bits. */
struct spread {
	uint64_t left; /* bits without a position */
	uint64_t mask, bits;
	unsigned width;
};

/* Spread the value over "0-7,32-35". Returns false if these are not ranges. */
static bool spread_value(struct spread *s, struct span ranges)
{
	while (ranges.n) {
		uint64_t first, last, ones;

		if (!parse_range(span_until(&ranges, ','), &first, &last))
			return false;
		ones = UINT64_MAX >> (63 - (last - first));
		s->mask |= ones << first;
		s->bits |= (s->left & ones) << first;
		s->left = ones == UINT64_MAX ? 0 : s->left >> (last - first + 1);
		s->width += (unsigned)(last - first + 1);
	}
	return s->mask != 0;
}

bool perf_format_put(struct perf_event *event, struct span format, uint64_t value, struct err *err)
{
	struct span ranges = span_trim(format);
	uint64_t *word = word_of(event, span_until(&ranges, ':'));
	struct spread spread = {.left = value};
	char shown[64];

	if (!word || !spread_value(&spread, ranges)) {
		AUTOFREE char *text = span_dup(span_trim(format));

		return err_set(err, EINVAL, "unknown format in sysfs: \"%s\"",
			       str_printable(shown, sizeof(shown), text));
	}
	if (spread.left)
		return err_set(err, EINVAL, "%#" PRIx64 " is too big: it has %u bit%s", value, spread.width,
			       plural_ending(spread.width));
	*word = (*word & ~spread.mask) | spread.bits;
	return true;
}

bool perf_pmu_check(const struct perf_pmu *pmu, const struct sys *sys, uint64_t config, struct err *err)
{
	AUTOFREE char *path = xasprintf(PERF_DEVICES "/%s/format", pmu->name);
	char **names, text[TEXT_SIZE];
	int n = sys->list(sys, path, &names);
	uint64_t known = 0;

	for (int i = 0; i < n; i++) {
		struct spread spread = {.left = 0};
		struct span ranges;

		if (!read_text(pmu, sys, "format", span_of(names[i]), text))
			continue;
		ranges = span_trim(span_of(text));
		if (span_is(span_until(&ranges, ':'), "config") && spread_value(&spread, ranges))
			known |= spread.mask;
	}
	sys_names_free(names, n);
	return !known || !(config & ~known) ||
	       err_set(err, ERR_USAGE, "%#" PRIx64 " has bits that %s does not use: valid bits are %#" PRIx64,
		       config, pmu->name, known);
}
