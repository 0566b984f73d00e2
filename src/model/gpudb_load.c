#include "model/gpudb.h"

#include "base/alloc.h"
#include "base/file.h"
#include "model/cpu_event.h"
#include "model/embed.h"
#include "model/finding.h"
#include "model/gpudb_parse.h"
#include "model/metric.h"
#include "model/template.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX ((size_t)4 << 20)
#define ROWS_MOST 64
#define ROW_NUMBER_MOST 9999

/* Keep the place of a stanza for its backend, and skip it. */
static bool part_parse(struct gpudb *db, struct stanza *s, const struct stanza_line *open, struct err *err)
{
	struct gpudb_part part = {open->key, open->value, open->line, *s};
	struct stanza_line line;
	int more;

	GROW(db->parts, db->n_parts, db->cap_parts);
	db->parts[db->n_parts++] = part;
	if (s->shipped) {
		stanza_skip(s);
		return true;
	}
	while ((more = stanza_more(s, STANZA_FIELD, &line, err)) > 0)
		;
	return more == 0;
}

/* Every kind of stanza and its parser. */
static const struct {
	const char *keyword;
	stanza_parse_fn *parse;
} stanzas[] = {
	{"gpu", gpu_parse},
	{"layout", layout_parse},
	{"metric", metric_parse},
	{"heading", heading_parse},
	{"prometheus", prometheus_parse},
	{"slots", slots_parse},
	{"template", template_parse},
	{"section", section_parse},
	{"chart", chart_parse},
	{"finding", judgement_parse},
	{"verdict", judgement_parse},
	{"condition", judgement_parse},
	{"note", judgement_parse},
	{"event", event_parse},
	{"group", group_parse},
	{"resource", judgement_parse},
	{"scenario", part_parse},
	{"shaders", part_parse},
	{"looks", part_parse},
	{"people", part_parse},
	{"events", part_parse},
	{"clusters", part_parse},
	{"traffic", part_parse},
};

static size_t stanza_index(struct span keyword)
{
	size_t i = 0;

	while (i < ARRAY_LEN(stanzas) && !span_is(keyword, stanzas[i].keyword))
		i++;
	return i;
}

bool gpudb_knows_stanza(struct span keyword)
{
	return stanza_index(keyword) < ARRAY_LEN(stanzas);
}

/* Copy a stanza with the number of a row in place of each '#'. Comments and the field `rows` become
 * empty lines, so that messages have the right number. */
static struct span copy_row(struct gpudb *db, struct span stanza, unsigned row)
{
	AUTO_STRBUF struct strbuf copy = {0};
	const char *text;
	char number[12];

	snprintf(number, sizeof(number), "%u", row);
	while (stanza.n) {
		struct span line = span_until(&stanza, '\n'), rest = line, word = span_word(&rest);

		if (span_is(word, "rows") || (word.n && word.p[0] == '#'))
			line.n = 0;
		while (line.n) {
			struct span part = span_until(&line, '#');
			bool has_place = line.p > part.p + part.n;

			strbuf_add(&copy, part.p, part.n);
			strbuf_str(&copy, has_place ? number : "");
		}
		strbuf_str(&copy, "\n");
	}
	text = gpudb_string(db, (struct span){copy.p, copy.n});
	return (struct span){text, copy.n};
}

/* Read the numbers of rows: all that are listed, or 1 to N if there is one. Returns how many there
 * are; 0: it is malformed. */
static unsigned read_row_numbers(struct span list, unsigned numbers[ROWS_MOST])
{
	struct span word;
	uint64_t number;
	unsigned n = 0;

	while ((word = span_word(&list)).n) {
		if (n == ROWS_MOST || !span_u64(word, &number) || number > ROW_NUMBER_MOST)
			return 0;
		numbers[n++] = (unsigned)number;
	}
	if (n != 1)
		return n;
	n = numbers[0] <= ROWS_MOST ? numbers[0] : 0;
	for (unsigned i = 0; i < n; i++)
		numbers[i] = i + 1;
	return n;
}

/* A stanza with '#' in its name has `rows` as its first field: it stands for a stanza per row. */
static bool parse_rows(struct gpudb *db, stanza_parse_fn *parse, struct stanza *s,
		       const struct stanza_line *open, struct err *err)
{
	struct span stanza = open->text;
	struct stanza_line line;
	struct stanza copy;
	unsigned numbers[ROWS_MOST], n_rows = 0;
	int more;

	if (!stanza_next(s, &line, err))
		return false;
	if (line.kind == STANZA_FIELD && span_is(line.key, "rows"))
		n_rows = read_row_numbers(line.value, numbers);
	if (!n_rows)
		return stanza_fail(
			s, line.line, err,
			"%.*s: expected the field 'rows', 1 to %d, or up to %d numbers of at most %d",
			SPAN_ARG(open->value), ROWS_MOST, ROWS_MOST, ROW_NUMBER_MOST);
	while ((more = stanza_more(s, STANZA_FIELD, &line, err)) > 0)
		;
	if (more < 0)
		return false;
	stanza.n = (size_t)((line.kind == STANZA_OPEN ? line.text.p : s->rest.p) - stanza.p);
	for (unsigned i = 0; i < n_rows; i++) {
		stanza_init(&copy, s->file, copy_row(db, stanza, numbers[i]));
		copy.shipped = s->shipped;
		copy.line = open->line - 1;
		if (!stanza_next(&copy, &line, err) || !parse(db, &copy, &line, err))
			return false;
	}
	return true;
}

static bool is_screen(struct span keyword)
{
	return span_is(keyword, "view") || span_is(keyword, "chart") || span_is(keyword, "options") ||
	       span_is(keyword, "keys") || span_is(keyword, "boards");
}

char *gpudb_own_name(struct span view, struct span chart, unsigned n)
{
	return xasprintf("%.*s.%.*s.%u", SPAN_ARG(view), SPAN_ARG(chart), n);
}

/* FORMULA [| label [/ brief] [| unit]] */
static bool add_formula(struct gpudb *db, char *name, struct stanza *s, const struct stanza_line *line,
			struct err *err)
{
	struct span rest = line->value, formula = span_trim(span_until(&rest, '|'));
	struct span label = span_trim(span_until(&rest, '|')), unit = span_trim(rest);
	struct metric_variant *v = gpudb_alloc(db, sizeof(*v));
	struct metric_def def = {.name = gpudb_string(db, span_of(name)),
				 .group = "",
				 .help = SPAN_LIT("A formula of the user's own."),
				 .file = s->file,
				 .exprs = v};

	free(name);
	if (!formula.n)
		return stanza_fail(s, line->line, err,
				   "expr without a formula: expected FORMULA [| label [| unit]]");
	*v = (struct metric_variant){.text = formula, .line = line->line};
	def.title = gpudb_string(db, label.n ? label : formula);
	def.short_title = def.title;
	def.unit = unit_find(unit.n ? unit : SPAN_LIT("count"));
	if (!def.unit)
		return stanza_fail(s, line->line, err,
				   "unit '%.*s' is not known: expected one such as cycles, percent, bytes, "
				   "count or ratio",
				   SPAN_ARG(unit));
	*gpudb_metric_slot(db, def.name) = def;
	return true;
}

/* Skip a stanza of a file of the user's that is no data, but define a metric for each formula of a
 * chart. *view: the one that is open. */
static bool screen_parse(struct gpudb *db, struct span *view, struct stanza *s,
			 const struct stanza_line *open, struct err *err)
{
	bool is_chart = span_is(open->key, "chart");
	struct span chart = open->value;
	struct stanza_line line;
	unsigned n = 0;
	int more;

	if (span_is(open->key, "view"))
		*view = open->value;
	while ((more = stanza_more(s, STANZA_FIELD, &line, err)) > 0)
		if (is_chart && line.kind == STANZA_FIELD && span_is(line.key, "expr") &&
		    !add_formula(db, gpudb_own_name(*view, chart, ++n), s, &line, err))
			return false;
	return more == 0;
}

/* view: of a file of the user's that may have screens; NULL: it is data only. */
static bool load_text(struct gpudb *db, struct gpudb_text text, bool shipped, struct span *view,
		      struct err *err)
{
	struct stanza_line line;
	struct stanza s;

	stanza_init(&s, text.file, text.text);
	s.shipped = shipped;
	db->heading = "";
	db->by_title = false;
	for (;;) {
		struct span rest, name;
		size_t i;
		bool ok;

		if (!stanza_next(&s, &line, err))
			return false;
		if (line.kind == STANZA_END)
			return true;
		rest = line.value;
		name = span_word(&rest);
		i = stanza_index(line.key);
		if (view && line.kind == STANZA_OPEN && is_screen(line.key))
			ok = screen_parse(db, view, &s, &line, err);
		else if (line.kind != STANZA_OPEN || i == ARRAY_LEN(stanzas))
			ok = stanza_fail(
				&s, line.line, err,
				"'%.*s': expected %sgpu, layout, metric, heading, prometheus, slots, event, "
				"group, template, section, chart, finding, verdict, condition, resource, "
				"note, scenario, shaders, looks, people, events, clusters or traffic in "
				"column 0",
				SPAN_ARG(line.key), view ? "view, options, " : "");
		else if (!name.n)
			ok = stanza_fail(&s, line.line, err, "'%.*s' without a name", SPAN_ARG(line.key));
		else if (memchr(name.p, '#', name.n))
			ok = parse_rows(db, stanzas[i].parse, &s, &line, err);
		else
			ok = stanzas[i].parse(db, &s, &line, err);
		if (!ok)
			return false;
	}
}

static bool is_data_file(const char *name)
{
	static const char *const endings[] = {".gpu",      ".metrics",  ".chart",
					      ".findings", ".scenario", ".view"};

	for (size_t i = 0; i < ARRAY_LEN(endings); i++)
		if (file_has_ending(name, endings[i]))
			return true;
	return false;
}

static bool load_file(struct gpudb *db, const char *path, bool is_own, struct err *err)
{
	struct span view = {0};
	struct gpudb_text own;
	char *text;

	if (!file_read(path, FILE_MAX, &text, &own.text.n, err))
		return false;
	GROW(db->owned, db->n_owned, db->cap_owned);
	db->owned[db->n_owned++] = text;
	db->arena_left = 0; /* the last block in `owned` is now a file's text, not the arena's */
	own.file = gpudb_string(db, span_of(path));
	own.text.p = text;
	if (is_own) {
		GROW(db->own, db->n_own, db->cap_own);
		db->own[db->n_own++] = own;
	}
	if (!load_text(db, own, false, is_own ? &view : NULL, err))
		return false;
	for (unsigned i = 0; i < db->n_metrics; i++)
		db->metrics[i].own |= db->metrics[i].file == own.file;
	return true;
}

/* Keeps errno. */
static bool is_file(const char *path)
{
	int saved_errno = errno;
	struct err ignored;
	struct file *file = file_open(path, &ignored);

	file_close(file);
	errno = saved_errno;
	return file != NULL;
}

static bool load_dir(struct gpudb *db, const struct gpudb_dir *dir, struct err *err)
{
	bool ok = true;
	char **names;
	int n;

	if (!dir->path)
		return true;
	n = file_list(dir->path, &names);
	if (n < 0 && errno == ENOTDIR && is_file(dir->path))
		return load_file(db, dir->path, true, err);
	if (n < 0) {
		if (!dir->must_exist && (errno == ENOENT || errno == ENOTDIR || errno == EACCES))
			return true;
		return err_set(err, errno, "%s: cannot read the directory: %s%s", dir->path, strerror(errno),
			       dir->must_exist ? ": give --gpudb a directory or a file" : "");
	}
	for (int i = 0; i < n; i++) {
		AUTOFREE char *path = xasprintf("%s/%s", dir->path, names[i]);

		ok = ok && (!is_data_file(names[i]) ||
			    load_file(db, path, file_has_ending(names[i], ".view"), err));
		free(names[i]);
	}
	free(names);
	return ok;
}

/* What is loaded, if all of it is right; else NULL. */
static struct gpudb *finish_db(struct gpudb *db, bool ok, struct err *err)
{
	db->raw.name = "raw";
	GROW_FIT(db->metrics, db->n_metrics, db->cap_metrics);
	GROW_FIT(db->findings, db->n_findings, db->cap_findings);
	if (ok && gpudb_link(db, err) && findings_link(db, err))
		return db;
	gpudb_free(db);
	return NULL;
}

struct gpudb *gpudb_load(const struct gpudb_dir *dirs, unsigned n_dirs, struct err *err)
{
	struct gpudb *db = xcalloc(1, sizeof(*db));
	bool ok = true;

	for (const struct embedded *e = embedded_data; ok && e->file; e++) {
		struct span text = {e->begin, (size_t)(e->end - e->begin)};

		ok = load_text(db, (struct gpudb_text){e->file, text}, true, NULL, err);
	}
	for (unsigned i = 0; ok && i < n_dirs; i++)
		ok = load_dir(db, &dirs[i], err);
	return finish_db(db, ok, err);
}

struct gpudb *gpudb_load_texts(const struct gpudb_text *texts, unsigned n, struct err *err)
{
	struct gpudb *db = xcalloc(1, sizeof(*db));
	bool ok = true;

	for (unsigned i = 0; ok && i < n; i++)
		ok = load_text(db, texts[i], false, NULL, err);
	return finish_db(db, ok, err);
}

bool gpudb_budget(struct gpudb *db, const char *path, struct err *err)
{
	unsigned kept = finding_drop_rules(db);

	if (!load_file(db, path, false, err) || !findings_link(db, err))
		return false;
	for (unsigned i = kept; i < db->n_findings; i++)
		if (db->findings[i].kind == FINDING_RULE)
			return true;
	return err_set(err, 0, "%s: no findings in it: see doc/data-format.md", path);
}

static pthread_mutex_t sharing = PTHREAD_MUTEX_INITIALIZER;

struct gpudb *gpudb_share(const struct gpudb *db)
{
	struct gpudb *mine = (struct gpudb *)(uintptr_t)db;

	if (!mine)
		return NULL;
	pthread_mutex_lock(&sharing);
	mine->shares++;
	pthread_mutex_unlock(&sharing);
	return mine;
}

void gpudb_free(struct gpudb *db)
{
	bool last;

	if (!db)
		return;
	pthread_mutex_lock(&sharing);
	last = !db->shares;
	db->shares -= !last;
	pthread_mutex_unlock(&sharing);
	if (!last)
		return;
	for (unsigned i = 0; i < db->n_layouts; i++)
		free(db->layouts[i].counters);
	free(db->raw.counters);
	for (unsigned i = 0; i < db->n_templates; i++)
		free(db->templates[i].rows);
	for (unsigned i = 0; i < db->n_owned; i++)
		free(db->owned[i]);
	free(db->products);
	free(db->layouts);
	free(db->metrics);
	free(db->metric_index);
	free(db->slot_names);
	free(db->slot_titles);
	free(db->findings);
	free(db->own);
	free(db->events);
	free(db->parts);
	free(db->groups);
	free(db->templates);
	free(db->owned);
	free(db);
}
