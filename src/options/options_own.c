/* The file of the user's own charts, which the screen adds metrics to. */
#include "options/options.h"

#include "base/alloc.h"
#include "base/file.h"

#include <errno.h>

#define OWN_MAX ((size_t)1 << 20) /* bytes */
#define OWN_CHART "my-metrics"

static const char head[] = "# Metrics that the key e adds, in the explanation of a metric on the screen. "
			   "Edit this file as you like;\n"
			   "# the key U reads it again. OWN VIEWS in malitop(1) describes it.\n\n"
			   "view my\n"
			   "  title        My charts\n";
static const char chart[] = "\nchart " OWN_CHART "\n"
			    "  title        Metrics\n"
			    "  widget       rows\n";

bool options_own_edit(struct span text, const char *metric, struct strbuf *out)
{
	struct span rest = text;
	const char *end = NULL; /* of the last field of our chart */
	bool mine = false;

	while (rest.n) {
		struct span line = span_until(&rest, '\n'), words = line, word = span_word(&words);
		bool field = line.n && line.p[0] == ' ';

		if (!field && word.n && word.p[0] != '#')
			mine = span_is(word, "chart") && span_is(span_trim(words), OWN_CHART);
		if (mine && span_is(word, "series") && span_is(span_word(&words), metric))
			return false;
		if (mine && word.n && word.p[0] != '#')
			end = line.p + line.n;
	}
	strbuf_add(out, text.p, end ? (size_t)(end - text.p) : text.n);
	if (out->n && out->p[out->n - 1] != '\n')
		strbuf_str(out, "\n");
	if (!end)
		strbuf_printf(out, "%s%s", text.n ? "\nview my\n  title        My charts\n" : head, chart);
	strbuf_printf(out, "  series       %s\n", metric);
	if (end && end < text.p + text.n)
		strbuf_add(out, end + 1, (size_t)(text.p + text.n - end - 1));
	return true;
}

bool options_own_add(const struct options *options, const char *metric, bool *added, struct err *err)
{
	AUTOFREE char *text = NULL;
	AUTO_STRBUF struct strbuf out = {0};
	size_t n = 0;

	if (!options->own_view)
		return err_set(err, 0, "own charts: no place for them: set HOME");
	if (!file_read(options->own_view, OWN_MAX, &text, &n, err) && err->code != ENOENT)
		return false;
	*added = options_own_edit((struct span){text ? text : "", n}, metric, &out);
	return !*added || file_replace(options->own_view, out.p, out.n, err);
}
