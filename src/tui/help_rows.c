/* The rows of help: keys, tasks, signs and, in a search, metrics and findings. */
#include "tui/help.h"

#include "base/alloc.h"
#include "model/embed.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Needs of a task besides enum key_need. */
enum { TASK_GPU = 1 << 24, TASK_NO_GPU = 1 << 25, TASK_FRAMES = 1 << 26, TASK_NO_FRAMES = 1 << 27 };

/* The twelve tasks of doc/how.md are its text. These are more, with the shortest way from any view.
 * If a source is missing, another task replaces it. */
EMBED(how, "how.md");

static const struct task {
	const char *task, *keys, *then;
	unsigned needs;
} tasks[] = {
	{"find what limits my frames", "1", "row below the tabs; ! for more", TASK_GPU},
	{"find what limits this machine", "1", "row below the tabs", TASK_NO_GPU},
	{"know what to change first", "!", "the first finding: what to do", 0},
	{"see which pass takes longest", "f", "passes, with their GPU time", TASK_FRAMES},
	{"see which CPUs are busy", "9", "clusters, CPUs, busy threads", TASK_NO_FRAMES},
	{"see each shader core", "6 c", "cores beside each other", TASK_GPU},
	{"see each CPU by itself", "9 c", "every CPU with its load", TASK_NO_GPU},
	{"find a metric by a word", "? /", "type it; Enter explains it", 0},
	{"see one moment again", "space <", "< > step; space resumes", 0},
	{"find where a log changes", "}", "the next mark or loss", NEEDS_REPLAY},
	{"keep a row in sight", "1 Down P", "at the top of Overview", 0},
};

/* Signs in panels and beside numbers; doc/screens.md describes them in full. */
static const struct {
	const char *sign;
	enum style style;
	const char *brief, *help;
} signs[] = {
	{"ok", STYLE_CALM, "within its limit",
	 "Within its limit; no word means no limit, or one that is irrelevant now, as on an idle GPU"},
	{"high ! low !", STYLE_BUSY, "a warning",
	 "Beyond the limit of Arm's guide or of a finding that is a warning; i says which"},
	{"high !! low !!", STYLE_HOT, "critical: frames are late",
	 "Beyond the limit of a finding that is critical: frames are late, and this is why"},
	{"\u2584\u2584\u2584\u2584", STYLE_CALM, "calm: below 70 %",
	 "A load below 70 %, or a number within its limit"},
	{"\u2584\u2584\u2584\u2584", STYLE_BUSY, "busy: 70 to 90 %",
	 "A load of 70 to 90 %, or what a warning is about"},
	{"\u2584\u2584\u2584\u2584", STYLE_HOT, "hot: above 90 %", "A load above 90 %, or what is critical"},
	{"\u2584\u2584\u2584\u2584", STYLE_SERIES1, "neither good nor bad",
	 "An amount, neither good nor bad"},
	{"\u2502", STYLE_LIMIT, "in a bar: its limit", "In a bar: its limit"},
	{"\u2577", STYLE_DIM, "in a bar: its peak", "In a bar: the peak of the history beside it"},
	{"\u2013", STYLE_DIM, "unknown, never a zero", "Unknown or undefined, never a zero"},
	{"[42.0]", STYLE_TEXT, "an estimate", "An estimate: counted for a part of the time"},
	{"42.0 \u00b7", STYLE_TEXT, "samples are missing",
	 "Samples are missing in it, took longer than asked for, or failed"},
};

#define BEST_RANK 3

/* 3: the text starts with the search; 2: a word in it does; 1: it contains it; 0: none of these */
static int match_rank(const char *text, const char *search)
{
	size_t n = strlen(search);
	int rank = 0;

	for (const char *p = text; n && p && (p = strcasestr(p, search)); p += n) {
		int here = p == text ? BEST_RANK : isalnum((unsigned char)p[-1]) ? 1 : 2;

		rank = here > rank ? here : rank;
	}
	return n ? rank : BEST_RANK;
}

/* Rows of one pass. In a search, these are the hits of one rank. */
struct gathering {
	struct help_rows *rows;
	const struct help_text *text;
	const char *search;
	bool ascii;
	int rank;
};

static void add_row(struct gathering *g, const struct help_row *row)
{
	const char *const texts[] = {row->brief, row->detail, row->key};
	int best = 0;

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		int rank = match_rank(texts[i], g->search);

		best = rank > best ? rank : best;
	}
	if (best != g->rank)
		return;
	GROW(g->rows->rows, g->rows->n, g->rows->cap);
	g->rows->rows[g->rows->n++] = *row;
}

static bool of_view(const struct key_row *row)
{
	return row->needs & (NEEDS_TABLE | NEEDS_LANES | NEEDS_APPS);
}

static uint32_t main_key(const struct key_table *table, const struct key_row *row)
{
	return keys_code(table, row->action, 0)->key;
}

/* The keys of the view take precedence. */
static bool is_there(const struct key_row *row, const struct help_text *text)
{
	const struct key_row *own = text->own ? text->own->rows : NULL;

	if (row->needs & ~text->has)
		return false;
	for (; own && own->action; own++)
		if (main_key(text->own, own) == main_key(keys_everywhere, row))
			return false;
	return true;
}

/* Return the row of the other case of a letter; NULL for none. */
static const struct key_row *other_case(const struct key_row *row, const struct help_text *text)
{
	uint32_t key = main_key(keys_everywhere, row), other = key ^ 0x20;

	if (key > 'z' || !isalpha((int)key))
		return NULL;
	for (const struct key_row *k = keys_everywhere->rows; k->action; k++)
		if (main_key(keys_everywhere, k) == other && !of_view(k) && is_there(k, text))
			return k;
	return NULL;
}

static void add_key(struct gathering *g, enum help_section section, const struct key_table *table,
		    const struct key_row *row, bool second)
{
	add_row(g,
		&(struct help_row){section, g->ascii && row->ascii ? row->ascii : row->keys, row->brief,
				   row->help, STYLE_KEY, .press = {main_key(table, row)}, .second = second});
}
static void add_group(struct gathering *g, enum key_group group)
{
	enum help_section section = (enum help_section)(HELP_MOVE + (int)group);

	for (const struct key_row *row = keys_everywhere->rows; row->action; row++) {
		const struct key_row *other = other_case(row, g->text);

		if (row->group != group || of_view(row) || !is_there(row, g->text))
			continue;
		if (other && isupper((int)main_key(keys_everywhere, row)))
			continue; /* it is listed beside the small letter, in its group */
		add_key(g, section, keys_everywhere, row, false);
		if (other)
			add_key(g, section, keys_everywhere, other, true);
	}
}

static void add_view_keys(struct gathering *g)
{
	const struct key_table *own = g->text->own;

	for (const struct key_row *row = own ? own->rows : NULL; row && row->action; row++)
		if (!(row->needs & ~g->text->has))
			add_key(g, HELP_VIEW, own, row, false);
	for (const struct key_row *row = keys_everywhere->rows; row->action; row++)
		if (of_view(row) && is_there(row, g->text))
			add_key(g, HELP_VIEW, keys_everywhere, row, false);
}

/* The keys of a task, "f W Enter": none if a word of it is no key. */
static void read_presses(const char *keys, uint32_t press[HELP_PRESSES])
{
	static const struct {
		const char *word;
		uint32_t key;
	} names[] = {{"Down", K_DOWN}, {"Enter", K_ENTER}, {"space", ' '}, {"F2", K_F2}};
	struct span rest = span_of(keys), word;
	unsigned n = 0;

	while ((word = span_word(&rest)).n && n < HELP_PRESSES) {
		press[n] = word.n == 1 ? (unsigned char)word.p[0] : 0;
		for (size_t i = 0; i < ARRAY_LEN(names); i++)
			if (span_is(word, names[i].word))
				press[n] = names[i].key;
		n++;
	}
}

static void add_task(struct gathering *g, const char *task, const char *keys, const char *then)
{
	struct help_row row = {HELP_TASK, keys, task, then, .style = STYLE_KEY};

	read_presses(keys, row.press);
	add_row(g, &row);
}

static void add_tasks(struct gathering *g)
{
	unsigned has = g->text->has | (unsigned)(g->text->session->gpu ? TASK_GPU : TASK_NO_GPU) |
		       (unsigned)(g->text->frames ? TASK_FRAMES : TASK_NO_FRAMES);

	for (size_t i = 0; i < ARRAY_LEN(tasks); i++)
		if (!(tasks[i].needs & ~has))
			add_task(g, tasks[i].task, tasks[i].keys, tasks[i].then);
	for (unsigned i = 0; i < g->rows->n_how; i++)
		add_task(g, g->rows->how[i].task, g->rows->how[i].keys, g->rows->how[i].then);
}

/* Add metrics of the sources on the screen. */
static void add_metrics(struct gathering *g)
{
	struct session *session = g->text->session;

	for (unsigned i = 0; i < session->n; i++) {
		struct session_source *s = &session->sources[i];

		for (unsigned k = 0; s->set && s == session_shown(session, s->kind) && k < s->set->n_metrics;
		     k++) {
			const struct metric_def *def = s->set->metrics[k].def;

			add_row(g, &(struct help_row){HELP_METRIC, def->name, def->title, def->title,
						      STYLE_KEY, .metric = def->name});
		}
	}
}

/* Return a cell of a table of Markdown as text, without backquotes. */
static char *cell_text(struct span cell)
{
	char *text = span_dup(span_trim(cell)), *to = text;

	for (const char *p = text; *p; p++)
		if (*p != '`')
			*to++ = *p;
	*to = 0;
	return text;
}

/* Read the rows of the table: task, keys, a command, what one sees. */
static void read_how(struct help_rows *rows)
{
	struct span rest = {embed_how, (size_t)(embed_how_end - embed_how)};
	unsigned line_of_table = 0;

	while (rest.n && rows->n_how < ARRAY_LEN(rows->how)) {
		struct span line = span_until(&rest, '\n'), cells[4];
		struct how_task *how = &rows->how[rows->n_how];
		char *command, *seen;

		if (!line.n || line.p[0] != '|' || line_of_table++ < 2) /* its head */
			continue;
		span_until(&line, '|');
		for (unsigned i = 0; i < ARRAY_LEN(cells); i++)
			cells[i] = span_until(&line, '|');
		command = cell_text(cells[2]);
		seen = cell_text(cells[3]);
		*how = (struct how_task){cell_text(cells[0]), cell_text(cells[1]),
					 xasprintf(command[0] ? "%s; %s" : "%s", seen, command)};
		free(command);
		free(seen);
		rows->n_how++;
	}
}

void help_rows_free(struct help_rows *rows)
{
	for (unsigned i = 0; i < rows->n_how; i++) {
		free(rows->how[i].task);
		free(rows->how[i].keys);
		free(rows->how[i].then);
	}
	free(rows->rows);
	*rows = (struct help_rows){0};
}

void help_rows_gather(struct help_rows *rows, const struct help_text *text, const char *search, bool ascii)
{
	const struct gpudb *db = text->session->db;

	if (!rows->n_how)
		read_how(rows);
	rows->n = 0;
	for (int rank = BEST_RANK; rank > 0; rank--) {
		struct gathering g = {rows, text, search, ascii, rank};

		add_view_keys(&g);
		for (enum key_group group = 0; group < KEY_GROUPS; group++)
			add_group(&g, group);
		add_tasks(&g);
		for (size_t i = 0; i < ARRAY_LEN(signs); i++)
			add_row(&g, &(struct help_row){HELP_SIGN, signs[i].sign, signs[i].brief,
						       signs[i].help, signs[i].style, .press = {0}});
		if (!search[0])
			break;
		add_metrics(&g);
		for (unsigned i = 0; db && i < db->n_findings; i++) {
			const struct finding_def *def = &db->findings[i];

			if (def->kind == FINDING_RULE || def->kind == FINDING_VERDICT)
				add_row(&g, &(struct help_row){HELP_FINDING, def->name, def->title,
							       def->title, STYLE_KEY, .finding = def});
		}
	}
}
