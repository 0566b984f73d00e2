#include "layer/labels.h"

#include "layer/channel.h"

#include <stdio.h>
#include <string.h>

/* The path of the label around, as far as it may stand before others. */
static const char *path_around(const struct debug_labels *l, size_t n)
{
	const char *path = l->n && l->n <= LABELS_DEEP ? l->paths[l->n - 1] : "";

	return strpbrk(path, "0123456789") || strlen(path) + 1 + n > PASSES_TEXT ? "" : path;
}

void labels_push(struct debug_labels *l, const char *text)
{
	if (l->n < LABELS_DEEP) {
		char *path = l->paths[l->n];
		const char *around = path_around(l, text ? strlen(text) : 0);

		snprintf(path, sizeof(l->paths[0]), "%s%s%s", around, around[0] && text && text[0] ? "/" : "",
			 text ? text : "");
		l->names[l->n] = text && text[0] ? channel_name(path) : labels_name(l);
	}
	l->n++;
}

void labels_pop(struct debug_labels *l)
{
	l->n -= l->n > 0;
}

uint16_t labels_name(const struct debug_labels *l)
{
	unsigned n = l->n < LABELS_DEEP ? l->n : LABELS_DEEP;

	return n ? l->names[n - 1] : 0;
}
