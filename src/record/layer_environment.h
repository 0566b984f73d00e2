/* layer_environment: what a command needs to load malitop's Vulkan layer and GLES library
 * (--passes). */
#ifndef MALITOP_LAYER_ENVIRONMENT_H
#define MALITOP_LAYER_ENVIRONMENT_H

#include "base/err.h"
#include "base/str.h"
#include "base/sys.h"

/* Set this process's environment, which CMD inherits: the Vulkan loader finds the layer, and the
 * dynamic linker preloads the GLES library after what it preloads anyway. Both are searched in
 * $MALITOP_LAYER_PATH, else where they are installed; an error if neither is there. Call it before
 * any thread is started. */
bool layer_environment_set(const struct sys *sys, struct err *err);
/* Append the same as lines that a shell reads, for an application that is started some other
 * way. */
bool layer_environment_print(const struct sys *sys, struct strbuf *out, struct err *err);
/* Append a word as a shell reads it, in quotes. */
void shell_quote(struct strbuf *out, const char *word);

#endif
