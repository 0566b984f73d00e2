/* Keys of the user's own: the stanza `keys` of the configuration. */
#include "options/options_table.h"

#include "base/alloc.h"
#include "term/term_key.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	uint32_t key;
} key_names[] = {
	{"space", ' '},       {"enter", K_ENTER},  {"tab", K_TAB},        {"backtab", K_BACK_TAB},
	{"escape", K_ESCAPE}, {"up", K_UP},        {"down", K_DOWN},      {"left", K_LEFT},
	{"right", K_RIGHT},   {"pgup", K_PAGE_UP}, {"pgdn", K_PAGE_DOWN}, {"home", K_HOME},
	{"end", K_END},       {"f1", K_F1},        {"f2", K_F2},          {"f3", K_F3},
	{"f4", K_F4},         {"f5", K_F5},        {"f6", K_F6},          {"f7", K_F7},
	{"f8", K_F8},         {"f9", K_F9},        {"f10", K_F10},
};

/* A name, or one character. */
static bool parse_key(struct span word, uint32_t *key)
{
	const char *p = word.p;

	for (size_t i = 0; i < ARRAY_LEN(key_names); i++)
		if (span_is(word, key_names[i].name)) {
			*key = key_names[i].key;
			return true;
		}
	if (!word.n)
		return false;
	*key = utf8_next(&p, word.p + word.n);
	return p == word.p + word.n && *key > ' ' && *key != 0xfffd;
}

bool option_keys_field(struct options *options, const struct stanza *s, const struct stanza_line *line,
		       struct err *err)
{
	struct option_key k;

	if (!parse_key(line->key, &k.key) || !parse_key(line->value, &k.means))
		return stanza_fail(s, line->line, err,
				   "'%.*s': expected a key and the key whose meaning it gets: characters, or "
				   "space, enter, tab, backtab, escape, up, down, left, right, pgup, pgdn, "
				   "home, end, f1 to f10",
				   line->text.n > 40 ? 40 : (int)line->text.n, line->text.p);
	GROW(options->keys, options->n_keys, options->cap_keys);
	options->keys[options->n_keys++] = k;
	return true;
}

uint32_t options_key(const struct options *options, uint32_t key)
{
	for (unsigned i = options->n_keys; i-- > 0;)
		if (options->keys[i].key == key)
			return options->keys[i].means;
	return key;
}

static void print_key(uint32_t key, struct strbuf *out)
{
	char utf8[4];

	for (size_t i = 0; i < ARRAY_LEN(key_names); i++)
		if (key_names[i].key == key) {
			strbuf_str(out, key_names[i].name);
			return;
		}
	strbuf_add(out, utf8, utf8_put(utf8, key));
}

void option_keys_print(const struct options *options, struct strbuf *out)
{
	strbuf_str(out,
		   "\n# A key, and the key of malitop (?) whose meaning it gets; not while a text is typed.\n"
		   "keys\n  # p          space\n");
	for (unsigned i = 0; i < options->n_keys; i++) {
		AUTO_STRBUF struct strbuf name = {0};

		print_key(options->keys[i].key, &name);
		strbuf_printf(out, "  %-12s ", name.p);
		print_key(options->keys[i].means, out);
		strbuf_str(out, "\n");
	}
}
