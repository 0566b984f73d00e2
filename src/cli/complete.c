#include "cli/commands.h"

#include "base/alloc.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Names of a list. GPUs share most of their metrics, so they are sorted, and each is given once. */
struct name_list {
	struct name {
		char *text, *title;
	} * names;
	unsigned n, cap;
};

static void add_name(void *ctx, const char *text, const char *title)
{
	struct name_list *list = ctx;

	GROW(list->names, list->n, list->cap);
	list->names[list->n++] = (struct name){xstrdup(text), xstrdup(title)};
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

static void print_names(struct name_list *list, const struct option_completion *c, struct strbuf *out)
{
	if (list->n)
		qsort(list->names, list->n, sizeof(*list->names), compare_names);
	for (unsigned i = 0; i < list->n; i++)
		if (!i || strcmp(list->names[i - 1].text, list->names[i].text) != 0)
			option_candidate(c, span_of(list->names[i].text), list->names[i].title, out);
	for (unsigned i = 0; i < list->n; i++) {
		free(list->names[i].text);
		free(list->names[i].title);
	}
	free(list->names);
}

/* A GPU goes by several spellings: the one that the user has begun is completed. */
static void print_gpu(const struct gpu_product *product, const struct option_completion *c,
		      struct strbuf *out)
{
	AUTOFREE char *full = xstrdup(product->name), *small = xstrdup(product->name);
	static const char maker[] = "Mali-";
	size_t skip;

	for (size_t i = 0; full[i]; i++) {
		full[i] = full[i] == ' ' ? '-' : full[i];
		small[i] = (char)tolower((unsigned char)full[i]);
	}
	skip = strncmp(full, maker, sizeof(maker) - 1) == 0 ? sizeof(maker) - 1 : 0;
	for (int i = 0; i < 4; i++) {
		const char *form = (i & 1 ? small : full) + (i & 2 ? skip : 0);

		if (strncmp(form, c->word.p, c->word.n) == 0) {
			option_candidate(c, span_of(form), gpu_family_architecture(product->family), out);
			return;
		}
	}
}

enum exit_status complete_run(const struct options *options, const struct gpudb *db, struct strbuf *out,
			      struct err *err)
{
	AUTO_STRBUF struct strbuf candidates = {0};
	const struct gpu_product *only;
	struct option_completion c;
	struct name_list list = {0};
	bool ok = true;

	if (!options->cmd) {
		err_set(err, 0, "complete: expected the words after --: see malitop complete --help");
		return EXIT_USAGE;
	}
	options_complete(options->cmd, &c, &candidates);
	AUTOFREE char *gpu = span_dup(c.gpu);
	only = c.gpu.n ? gpudb_by_name(db, gpu) : NULL;
	if (c.lists & 1u << LIST_GPUS)
		for (unsigned i = 0; i < db->n_products; i++)
			print_gpu(&db->products[i], &c, &candidates);
	for (enum list_name name = LIST_GPUS + 1; ok && name < LIST_COUNT; name++)
		if (c.lists & 1u << name)
			ok = list_each_name(name, db, only, add_name, &list, err);
	print_names(&list, &c, &candidates);
	strbuf_printf(out, "%s\n%s", c.hint, candidates.p ? candidates.p : "");
	return ok ? EXIT_DONE : EXIT_FAILED;
}
