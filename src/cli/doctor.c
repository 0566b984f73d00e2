#include "cli/doctor.h"

#include "base/json.h"
#include "base/alloc.h"
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 80
#define INDENT 14 /* column of the words */

static const char *const area_names[DOCTOR_AREAS] = {
	[DOCTOR_GPU] = "gpu", [DOCTOR_PERF] = "perf", [DOCTOR_PROC] = "proc", [DOCTOR_TERMINAL] = "terminal"};
static const char *const area_titles[DOCTOR_AREAS] = {[DOCTOR_GPU] = "GPU",
						      [DOCTOR_PERF] = "CPU counters (perf events)",
						      [DOCTOR_PROC] = "CPU and system files (/proc, /sys)",
						      [DOCTOR_TERMINAL] = "Terminal"};
static const char *const state_names[DOCTOR_STATES] = {
	[DOCTOR_OK] = "ok",           [DOCTOR_NOTE] = "note",       [DOCTOR_LIMITED] = "limited",
	[DOCTOR_REFUSED] = "refused", [DOCTOR_MISSING] = "missing", [DOCTOR_UNSUPPORTED] = "unsupported",
};

static void fill_help(struct doctor_finding *f, const char *help)
{
	AUTO_STRBUF struct strbuf text = {0};

	for (; *help; help++) {
		if (strncmp(help, "{}", 2) == 0) {
			strbuf_str(&text, f->thing);
			help++;
		} else {
			strbuf_add(&text, help, 1);
		}
	}
	str_printable(f->help, sizeof(f->help), text.n ? text.p : "");
}

void doctor_add(struct doctor *d, enum doctor_area area, enum doctor_state state, const char *thing,
		const char *help, const char *fmt, ...)
{
	struct doctor_finding *f;
	char words[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(words, sizeof(words), fmt, ap);
	va_end(ap);
	GROW(d->findings, d->n, d->cap);
	f = &d->findings[d->n++];
	*f = (struct doctor_finding){.area = area, .state = state};
	str_printable(f->thing, sizeof(f->thing), thing);
	fill_help(f, help ? help : "");
	str_printable(f->words, sizeof(f->words), words);
}

enum doctor_state doctor_state_of(int code)
{
	static const struct {
		int code;
		enum doctor_state state;
	} states[] = {
		{EACCES, DOCTOR_REFUSED},     {EPERM, DOCTOR_REFUSED},       {EBUSY, DOCTOR_REFUSED},
		{ENOENT, DOCTOR_MISSING},     {ENODEV, DOCTOR_MISSING},      {ENXIO, DOCTOR_MISSING},
		{ENOSYS, DOCTOR_MISSING},     {ENOTSUP, DOCTOR_UNSUPPORTED}, {EPROTO, DOCTOR_UNSUPPORTED},
		{ENOTTY, DOCTOR_UNSUPPORTED},
	};

	for (size_t i = 0; i < ARRAY_LEN(states); i++)
		if (states[i].code == code)
			return states[i].state;
	return DOCTOR_LIMITED;
}

bool doctor_read(const struct doctor *d, const char *path, char *text, size_t size)
{
	AUTOFREE char *raw = xmalloc(size);

	text[0] = 0;
	if (sys_read_file(d->sys, path, raw, size) < 0)
		return false;
	raw[strcspn(raw, "\n")] = 0;
	str_printable(text, size, raw);
	return true;
}

/* ---- printing ---- */

static void print_text(const struct doctor *d, struct strbuf *out)
{
	for (unsigned i = 0; i < d->n; i++) {
		const struct doctor_finding *f = &d->findings[i];
		AUTOFREE char *line = xasprintf("%s: %s", f->thing, f->words);

		if (!i || f->area != d->findings[i - 1].area)
			strbuf_printf(out, "%s%s\n", i ? "\n" : "", area_titles[f->area]);
		strbuf_printf(out, " %-*s", INDENT - 1, f->state == DOCTOR_NOTE ? "" : state_names[f->state]);
		strbuf_wrap(out, INDENT, INDENT, WIDTH, line);
		if (f->help[0]) {
			strbuf_printf(out, "%*s", INDENT, "-> ");
			strbuf_wrap(out, INDENT, INDENT, WIDTH, f->help);
		}
	}
	strbuf_printf(
		out, "\n%s\n",
		d->gpu_works
			? "A GPU can be measured: start malitop."
			: "No GPU of this machine can be measured. `malitop --demo` shows a simulated one.");
}

static void print_jsonl(const struct doctor *d, struct strbuf *out)
{
	for (unsigned i = 0; i < d->n; i++) {
		const struct doctor_finding *f = &d->findings[i];

		json_put(out, "{\"area\":%s,\"state\":%s,\"thing\":%s,\"words\":%s,\"help\":%s}\n",
			 area_names[f->area], state_names[f->state], f->thing, f->words, f->help);
	}
	strbuf_printf(out, "{\"malitop\":\"%s\",\"gpu_works\":%s}\n", PACKAGE_VERSION,
		      d->gpu_works ? "true" : "false");
}

void doctor_print(const struct doctor *d, struct strbuf *out)
{
	if (d->options->format == FORMAT_JSONL)
		print_jsonl(d, out);
	else
		print_text(d, out);
}
