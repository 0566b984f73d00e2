#include "record/measure.h"

#include "base/alloc.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#define LAYER "VK_LAYER_MALITOP_passes"
#define MANIFEST "VkLayer_malitop.json"
#define GLES_LIBRARY "libmalitop-gles.so"

#ifndef MALITOP_LAYER_DIR
#define MALITOP_LAYER_DIR ""
#endif

struct layer_variable {
	const char *name;
	char *value; /* owned */
};

#define VARIABLES 3

/* A variable that is a list, separated by colons: what it is now, with one more entry. */
static struct layer_variable added_entry(const char *name, const char *value, bool first)
{
	const char *rest = getenv(name);

	return (struct layer_variable){name, !rest || !rest[0] ? xstrdup(value)
					     : first           ? xasprintf("%s:%s", value, rest)
							       : xasprintf("%s:%s", rest, value)};
}

static bool file_is_there(const struct sys *sys, const char *path)
{
	int fd = sys->open_at(sys, AT_FDCWD, path, O_RDONLY, 0);

	if (fd >= 0)
		sys->close(sys, fd);
	return fd >= 0;
}

/* Returns how many variables there are; 0 is an error. */
static unsigned find_variables(const struct sys *sys, struct layer_variable found[VARIABLES], struct err *err)
{
	const char *own = getenv("MALITOP_LAYER_PATH"), *directory = own && own[0] ? own : MALITOP_LAYER_DIR;
	AUTOFREE char *manifest = xasprintf("%s/" MANIFEST, directory);
	AUTOFREE char *gles = xasprintf("%s/" GLES_LIBRARY, directory);
	bool has_gles = file_is_there(sys, gles);
	char shown[256];

	if (!file_is_there(sys, manifest) && !has_gles)
		return err_set(err, errno,
			       "%s: %s: install malitop's Vulkan layer, or set MALITOP_LAYER_PATH to its "
			       "directory",
			       str_printable(shown, sizeof(shown), directory[0] ? manifest : MANIFEST),
			       strerror(errno));
	if (has_gles && strpbrk(gles, " :"))
		return err_set(err, 0,
			       "%s: a library cannot be preloaded from a path with a space or a colon: copy "
			       "its directory elsewhere, and set MALITOP_LAYER_PATH",
			       str_printable(shown, sizeof(shown), gles));
	/* The loader ignores the additional path if VK_LAYER_PATH is set. */
	found[0] =
		added_entry(getenv("VK_LAYER_PATH") ? "VK_LAYER_PATH" : "VK_ADD_LAYER_PATH", directory, true);
	found[1] = added_entry("VK_INSTANCE_LAYERS", LAYER, true);
	if (has_gles)
		found[2] = added_entry("LD_PRELOAD", gles, false);
	return has_gles ? 3 : 2;
}

bool layer_environment_set(const struct sys *sys, struct err *err)
{
	struct layer_variable variables[VARIABLES];
	unsigned n = find_variables(sys, variables, err);

	for (unsigned i = 0; i < n; i++) {
		setenv(variables[i].name, variables[i].value, 1);
		free(variables[i].value);
	}
	return n || err_prefix(err, "--passes: ");
}

void shell_quote(struct strbuf *out, const char *word)
{
	strbuf_str(out, "'");
	for (; *word; word++)
		if (*word == '\'')
			strbuf_str(out, "'\\''");
		else
			strbuf_add(out, word, 1);
	strbuf_str(out, "'");
}

bool layer_environment_print(const struct sys *sys, struct strbuf *out, struct err *err)
{
	struct layer_variable variables[VARIABLES];
	unsigned n = find_variables(sys, variables, err);

	for (unsigned i = 0; i < n; i++) {
		strbuf_printf(out, "export %s=", variables[i].name);
		shell_quote(out, variables[i].value);
		strbuf_str(out, "\n");
		free(variables[i].value);
	}
	return n || err_prefix(err, "passes: ");
}
