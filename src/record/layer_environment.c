#include "record/layer_environment.h"

#include "base/alloc.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LAYER "VK_LAYER_MALITOP_passes"
#define MANIFEST "VkLayer_malitop.json"
#define GLES_LIBRARY "libmalitop-gles.so"

#ifndef MALITOP_LAYER_DIR
#define MALITOP_LAYER_DIR ""
#endif

/* The variable is a list that is separated by colons. */
static void add_to_list(const char *variable, const char *value, bool first)
{
	const char *rest = getenv(variable);
	AUTOFREE char *list = !rest || !rest[0] ? xstrdup(value)
			      : first           ? xasprintf("%s:%s", value, rest)
						: xasprintf("%s:%s", rest, value);

	setenv(variable, list, 1);
}

static bool file_is_there(const struct sys *sys, const char *path)
{
	int fd = sys->open_at(sys, AT_FDCWD, path, O_RDONLY, 0);

	if (fd >= 0)
		sys->close(sys, fd);
	return fd >= 0;
}

bool layer_environment_set(const struct sys *sys, struct err *err)
{
	const char *own = getenv("MALITOP_LAYER_PATH"), *directory = own && own[0] ? own : MALITOP_LAYER_DIR;
	AUTOFREE char *manifest = xasprintf("%s/" MANIFEST, directory);
	AUTOFREE char *gles = xasprintf("%s/" GLES_LIBRARY, directory);
	bool has_gles = file_is_there(sys, gles);
	char shown[256];

	if (!file_is_there(sys, manifest) && !has_gles)
		return err_set(err, errno,
			       "--passes: %s: %s: install malitop's Vulkan layer, or set "
			       "MALITOP_LAYER_PATH to its directory",
			       str_printable(shown, sizeof(shown), directory[0] ? manifest : MANIFEST),
			       strerror(errno));
	if (has_gles && strpbrk(gles, " :"))
		return err_set(
			err, 0,
			"--passes: %s: a library cannot be preloaded from a path with a space or a colon: "
			"copy its directory elsewhere, and set MALITOP_LAYER_PATH",
			str_printable(shown, sizeof(shown), gles));
	/* The loader ignores the additional path if VK_LAYER_PATH is set. */
	add_to_list(getenv("VK_LAYER_PATH") ? "VK_LAYER_PATH" : "VK_ADD_LAYER_PATH", directory, true);
	add_to_list("VK_INSTANCE_LAYERS", LAYER, true);
	if (has_gles)
		add_to_list("LD_PRELOAD", gles, false);
	return true;
}
