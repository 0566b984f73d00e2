/* Names of C++ by libiberty. A symbol may refer to parts of itself, so 600 bytes can stand for a
 * text without end, and a printer that looks for a parameter pack walks such a symbol without
 * printing anything. So the tree of its parts is measured before it is printed, and the printer is
 * left as soon as the text is full. */
#include "hot/hot_symbols.h"

#include "base/alloc.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>

#define PARTS_MOST 8192    /* of a name that is written out: a part counts wherever it is used */
#define PARAMETERS_MOST 32 /* of templates: each stands for an argument that may have others */
#define DEEPEST 256        /* the printer calls itself for each level */

/* Which of its two words point to parts: all others point to both. The rest of a word is stale. */
enum { NEITHER = 1, FIRST, SECOND };
static const unsigned char words[] = {
	[DEMANGLE_COMPONENT_NAME] = NEITHER,
	[DEMANGLE_COMPONENT_TEMPLATE_PARAM] = NEITHER,
	[DEMANGLE_COMPONENT_FUNCTION_PARAM] = NEITHER,
	[DEMANGLE_COMPONENT_SUB_STD] = NEITHER,
	[DEMANGLE_COMPONENT_BUILTIN_TYPE] = NEITHER,
	[DEMANGLE_COMPONENT_OPERATOR] = NEITHER,
	[DEMANGLE_COMPONENT_CHARACTER] = NEITHER,
	[DEMANGLE_COMPONENT_NUMBER] = NEITHER,
	[DEMANGLE_COMPONENT_UNNAMED_TYPE] = NEITHER,
	[DEMANGLE_COMPONENT_FIXED_TYPE] = FIRST,
	[DEMANGLE_COMPONENT_LAMBDA] = FIRST,
	[DEMANGLE_COMPONENT_DEFAULT_ARG] = FIRST,
	[DEMANGLE_COMPONENT_CTOR] = SECOND,
	[DEMANGLE_COMPONENT_DTOR] = SECOND,
	[DEMANGLE_COMPONENT_EXTENDED_OPERATOR] = SECOND,
};

struct name_measure {
	const struct demangle_component *parts;
	size_t n;
	struct {
		uint32_t n, parameters; /* below it, itself included; n 0: not measured */
	} * of;
	unsigned depth;
};

/* All parts are in one block: what does not point there is none, whatever a later libiberty adds.
 * Returns false for what is too large to print. */
static bool measure_part(struct name_measure *m, const struct demangle_component *part)
{
	unsigned kind = part->type < ARRAY_LEN(words) ? words[part->type] : 0;
	const char *begin = (const char *)m->parts, *below[2];
	size_t at = (size_t)(part - m->parts);
	uint32_t n = 1, parameters = part->type == DEMANGLE_COMPONENT_TEMPLATE_PARAM;

	if (m->of[at].n)
		return m->of[at].n <= PARTS_MOST; /* more than that: it contains itself */
	if (m->depth == DEEPEST)
		return false;
	m->of[at].n = PARTS_MOST + 1;
	m->depth++;
	memcpy(below, &part->u, sizeof(below));
	for (unsigned i = 0; i < ARRAY_LEN(below); i++) {
		uintptr_t offset = (uintptr_t)below[i] - (uintptr_t)begin;
		size_t k = offset / sizeof(*part);

		if ((kind && kind != i + FIRST) || offset >= m->n * sizeof(*part) || offset % sizeof(*part))
			continue;
		if (!measure_part(m, &m->parts[k]))
			return false;
		n += m->of[k].n;
		parameters += m->of[k].parameters;
	}
	m->depth--;
	m->of[at].n = n;
	m->of[at].parameters = parameters;
	return n <= PARTS_MOST && parameters <= PARAMETERS_MOST;
}

struct output {
	char *text;
	size_t n, size;
	jmp_buf full;
};

static void take_text(const char *text, size_t n, void *ctx)
{
	struct output *out = ctx;
	size_t left = out->size - 1 - out->n;

	memcpy(out->text + out->n, text, n < left ? n : left);
	out->n += n < left ? n : left;
	if (n >= left)
		longjmp(out->full, 1); /* the printer has nothing to free: its lists are on the stack */
}

bool hot_demangle(const char *symbol, char *text, size_t size)
{
	AUTOFREE char *raw = xcalloc(1, size);
	struct output out = {.text = raw, .size = size};
	size_t length = strlen(symbol);
	bool is_cxx = symbol[0] == '_' && symbol[1] == 'Z', ok = true;
	struct demangle_component *tree = NULL;
	struct name_measure m = {.n = 2 * length}; /* as many as libiberty makes room for */
	void *parts = NULL;

	if (is_cxx && length < HOT_SYMBOL)
		tree = cplus_demangle_v3_components(symbol, DMGL_NO_OPTS, &parts);
	if (tree) {
		m.parts = parts;
		m.of = xcalloc(m.n, sizeof(*m.of));
		ok = measure_part(&m, tree);
		free(m.of);
	}
	if (tree && ok && !setjmp(out.full))
		cplus_demangle_print_callback(DMGL_NO_OPTS, tree, take_text, &out);
	free(parts);
	str_printable(text, size, raw[0] ? raw : symbol);
	return ok && !(is_cxx && length >= HOT_SYMBOL);
}
