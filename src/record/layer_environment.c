#include "record/measure.h"

#include "base/alloc.h"
#include "base/message.h"
#include "base/str.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LAYER "VK_LAYER_MALITOP_passes"
#define MANIFEST "VkLayer_malitop.json"
#define VULKAN_LIBRARY "libVkLayer_malitop.so"
#define GLES_LIBRARY "libmalitop-gles.so"
#define ASAN_WORD "verify_asan_link_order"

#ifndef MALITOP_LAYER_DIR
#define MALITOP_LAYER_DIR ""
#endif

struct layer_variable {
	const char *name;
	char *value; /* owned */
};

#define VARIABLES 4

/* Where the libraries are. */
struct layers {
	char *directory; /* absolute */
	bool vulkan, gles;
	unsigned char elf[EI_NIDENT + 4]; /* the start of a library, up to its machine */
};

static void layers_fini(struct layers *layers)
{
	free(layers->directory);
}

/* Where a Vulkan loader looks for explicit layers if nothing is set: lists of directories, each
 * from a variable, else below the home directory, else as given. */
static const struct {
	const char *variable, *below_home, *otherwise;
} vulkan_places[] = {
	{"XDG_CONFIG_HOME", "/.config", NULL},
	{"XDG_CONFIG_DIRS", NULL, "/etc/xdg"},
	{NULL, NULL, "/usr/local/etc:/etc"},
	{"XDG_DATA_HOME", "/.local/share", NULL},
	{"XDG_DATA_DIRS", NULL, "/usr/local/share:/usr/share"},
};

static const char *variable_value(const char *name)
{
	const char *value = name ? getenv(name) : NULL;

	return value && value[0] ? value : NULL;
}

/* The value of a variable that is a list, separated by colons, with an entry that it has once. */
static char *list_with(const char *name, const char *entry, bool first)
{
	const char *rest = variable_value(name);
	size_t n = strlen(entry);

	for (const char *at = rest; at; at = strchr(at, ':'), at = at ? at + 1 : NULL)
		if (strncmp(at, entry, n) == 0 && (at[n] == ':' || !at[n]))
			return xstrdup(rest);
	return !rest   ? xstrdup(entry)
	       : first ? xasprintf("%s:%s", entry, rest)
		       : xasprintf("%s:%s", rest, entry);
}

/* Loaders before 1.3.207 do not know VK_ADD_LAYER_PATH, and those after it ignore that if
 * VK_LAYER_PATH is set. So all of them get the latter, with what each of them would search. */
static char *vulkan_path(const char *directory)
{
	const char *more = variable_value("VK_ADD_LAYER_PATH"), *home = variable_value("HOME");
	struct strbuf out = {0};

	if (variable_value("VK_LAYER_PATH"))
		return list_with("VK_LAYER_PATH", directory, true);
	strbuf_str(&out, directory);
	if (more)
		strbuf_printf(&out, ":%s", more);
	for (size_t i = 0; i < ARRAY_LEN(vulkan_places); i++) {
		const char *list = variable_value(vulkan_places[i].variable);
		AUTOFREE char *below = vulkan_places[i].below_home && home
					       ? xasprintf("%s%s", home, vulkan_places[i].below_home)
					       : NULL;

		list = list ? list : below ? below : vulkan_places[i].otherwise;
		for (; list && *list; list += strcspn(list, ":"), list += *list == ':')
			if (*list != ':')
				strbuf_printf(&out, ":%.*s/vulkan/explicit_layer.d", (int)strcspn(list, ":"),
					      list);
	}
	return out.p;
}

/* A program that is built with AddressSanitizer ends if a library comes before its runtime. That is
 * meant for libraries that define what the runtime does, which ours do not. */
static char *asan_options(void)
{
	const char *own = variable_value("ASAN_OPTIONS");

	return own && strstr(own, ASAN_WORD) ? xstrdup(own)
					     : list_with("ASAN_OPTIONS", ASAN_WORD "=0", false);
}

/* Read the start of a file. Returns the number of bytes, or -1 and errno. */
static ssize_t read_start(const struct sys *sys, const char *path, void *buf, size_t n)
{
	int fd = sys->open_at(sys, AT_FDCWD, path, O_RDONLY | O_NONBLOCK, 0), saved;
	ssize_t got = fd >= 0 ? sys->pread(sys, fd, buf, n, 0) : -1;

	saved = errno;
	if (fd >= 0)
		sys->close(sys, fd);
	errno = saved;
	return got;
}

/* Where the user says; else beside the program, in a build directory; else where they are
 * installed. */
static char *layer_directory(void)
{
	static const char *const files[] = {MANIFEST, GLES_LIBRARY};
	const char *own = variable_value("MALITOP_LAYER_PATH");
	AUTOFREE char *program = own ? NULL : realpath("/proc/self/exe", NULL);

	for (size_t i = 0; program && i < ARRAY_LEN(files); i++) {
		AUTOFREE char *directory =
			xasprintf("%.*s/layer", (int)(strrchr(program, '/') - program), program);
		AUTOFREE char *file = xasprintf("%s/%s", directory, files[i]);

		if (access(file, R_OK) == 0)
			return take_ptr(&directory);
	}
	return xstrdup(own ? own : MALITOP_LAYER_DIR);
}

static bool find_layers(const struct sys *sys, struct layers *layers, struct err *err)
{
	AUTOFREE char *directory = layer_directory();
	AUTOFREE char *manifest = xasprintf("%s/" MANIFEST, directory);
	AUTOFREE char *vulkan = xasprintf("%s/" VULKAN_LIBRARY, directory);
	AUTOFREE char *gles = xasprintf("%s/" GLES_LIBRARY, directory);
	char byte, shown[256];
	ssize_t n = sizeof(layers->elf);

	*layers = (struct layers){.directory = realpath(directory, NULL)};
	layers->gles = read_start(sys, gles, layers->elf, sizeof(layers->elf)) == n;
	layers->vulkan = read_start(sys, manifest, &byte, 1) == 1;
	if (!layers->gles && !layers->vulkan)
		return err_set(err, errno,
			       "%s: %s: install malitop's Vulkan layer, or set MALITOP_LAYER_PATH to its "
			       "directory",
			       str_printable(shown, sizeof(shown), directory[0] ? manifest : MANIFEST),
			       strerror(errno));
	if (!layers->directory)
		return err_set(err, errno, "%s: %s", str_printable(shown, sizeof(shown), directory),
			       strerror(errno));
	if (!layers->gles)
		read_start(sys, vulkan, layers->elf, sizeof(layers->elf));
	if (layers->gles && strpbrk(layers->directory, " :"))
		return err_set(err, 0,
			       "%s: a library cannot be preloaded from a path with a space or a colon: copy "
			       "its directory elsewhere, and set MALITOP_LAYER_PATH",
			       str_printable(shown, sizeof(shown), gles));
	return true;
}

static unsigned make_variables(const struct layers *layers, struct layer_variable made[VARIABLES])
{
	AUTOFREE char *gles = xasprintf("%s/" GLES_LIBRARY, layers->directory);
	unsigned n = 0;

	if (layers->vulkan) {
		made[n++] = (struct layer_variable){"VK_LAYER_PATH", vulkan_path(layers->directory)};
		made[n++] = (struct layer_variable){"VK_INSTANCE_LAYERS",
						    list_with("VK_INSTANCE_LAYERS", LAYER, true)};
	}
	if (layers->gles) {
		made[n++] = (struct layer_variable){"LD_PRELOAD", list_with("LD_PRELOAD", gles, false)};
		made[n++] = (struct layer_variable){"ASAN_OPTIONS", asan_options()};
	}
	return n;
}

/* What keeps the libraries out of a program. Its children may still get them, unless they are of
 * no use to any program of its kind: then `alone`, and the environment stays as it is. */
enum hindrance { FITS, IS_STATIC, IS_PRIVILEGED, IS_FOREIGN, HINDRANCES };

static const struct {
	const char *text;
	bool alone;
} hindrances[HINDRANCES] = {
	[IS_STATIC] = {"linked statically, so malitop's libraries cannot be loaded into it: link it "
		       "dynamically, or mark its frames with malitop.h",
		       false},
	[IS_PRIVILEGED] =
		{"set-user-ID or set-group-ID, so malitop's libraries are not loaded into it: run a "
		 "copy without that bit",
		 false},
	[IS_FOREIGN] = {"of another architecture than malitop's libraries, so they cannot be loaded into it: "
			"build them for it, and set MALITOP_LAYER_PATH to their directory",
			true},
};

/* Open the file that execvp would run. Returns a descriptor, or -1. */
static int open_program(const struct sys *sys, const char *name, struct stat *st)
{
	const char *path = strchr(name, '/') ? "" : variable_value("PATH");

	for (path = path ? path : "/bin:/usr/bin"; path;
	     path = strchr(path, ':'), path = path ? path + 1 : NULL) {
		int length = (int)strcspn(path, ":");
		AUTOFREE char *file = xasprintf("%.*s%s%s", length, path, length ? "/" : "", name);
		int fd = sys->open_at(sys, AT_FDCWD, file, O_RDONLY | O_NONBLOCK, 0);

		if (fd >= 0 && sys->fstat(sys, fd, st) == 0 && S_ISREG(st->st_mode) && st->st_mode & 0111)
			return fd;
		if (fd >= 0)
			sys->close(sys, fd);
	}
	return -1;
}

/* Whether an ELF program asks for a dynamic loader. The loader itself does not, nor do we know what
 * it is to run. */
static bool is_dynamic(const struct sys *sys, int fd, const unsigned char *head, const char *name)
{
	const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
	bool wide = head[EI_CLASS] == ELFCLASS64;
	Elf64_Ehdr h64;
	Elf32_Ehdr h32;
	Elf64_Word type;
	unsigned n, size;
	uint64_t at;

	memcpy(&h64, head, sizeof(h64));
	memcpy(&h32, head, sizeof(h32));
	at = wide ? h64.e_phoff : h32.e_phoff;
	n = wide ? h64.e_phnum : h32.e_phnum;
	size = wide ? h64.e_phentsize : h32.e_phentsize;
	for (unsigned i = 0; i < n; i++)
		if (sys->pread(sys, fd, &type, sizeof(type), (off_t)(at + (uint64_t)i * size)) !=
			    sizeof(type) ||
		    type == PT_INTERP)
			return true;
	return strncmp(base, "ld-", 3) == 0 || strncmp(base, "ld.", 3) == 0;
}

static bool is_privileged(const struct stat *st)
{
	return (st->st_mode & S_ISUID && st->st_uid != geteuid()) ||
	       (st->st_mode & S_ISGID && st->st_mode & S_IXGRP && st->st_gid != getegid());
}

/* A script is what its interpreter is. What cannot be read is taken to fit. */
static enum hindrance find_hindrance(const struct sys *sys, const struct layers *layers, const char *name)
{
	enum { KIND = 4, SCRIPTS_MOST = 4 }; /* class and byte order, in the ident; the machine */
	char program[256];
	struct stat st;

	snprintf(program, sizeof(program), "%s", name);
	for (unsigned i = 0; i < SCRIPTS_MOST; i++) {
		CLOSE_FD int fd = open_program(sys, program, &st);
		unsigned char head[256] = {0};

		if (fd < 0 || sys->pread(sys, fd, head, sizeof(head) - 1, 0) <= 0)
			return FITS;
		if (memcmp(head, ELFMAG, SELFMAG) == 0)
			return memcmp(layers->elf, ELFMAG, SELFMAG) != 0 ? FITS
			       : memcmp(head + KIND, layers->elf + KIND, 2) != 0 ||
					       memcmp(head + EI_NIDENT + 2, layers->elf + EI_NIDENT + 2, 2) !=
						       0
				       ? IS_FOREIGN
			       : is_privileged(&st)                  ? IS_PRIVILEGED
			       : !is_dynamic(sys, fd, head, program) ? IS_STATIC
								     : FITS;
		if (sscanf((const char *)head, "#! %254[^ \t\r\n]", program) != 1)
			return FITS;
	}
	return FITS;
}

/* Whether the code of the libraries may be run from where they are. */
static bool may_execute(const struct sys *sys, const struct layers *layers)
{
	AUTOFREE char *path =
		xasprintf("%s/%s", layers->directory, layers->gles ? GLES_LIBRARY : VULKAN_LIBRARY);
	CLOSE_FD int fd = sys->open_at(sys, AT_FDCWD, path, O_RDONLY, 0);

	return fd < 0 || sys_may_execute(sys, fd);
}

/* Say what cannot be measured, and why. Returns whether the environment is of use to any program
 * that may come. */
static bool report_hindrances(const struct sys *sys, const struct layers *layers, const char *program)
{
	enum hindrance hindrance = program ? find_hindrance(sys, layers, program) : FITS;
	char shown[256];

	if (!may_execute(sys, layers)) {
		message("--passes: %s: no code may be executed from there (mounted noexec?), so nothing is "
			"timed: copy the directory elsewhere, and set MALITOP_LAYER_PATH",
			str_printable(shown, sizeof(shown), layers->directory));
		return false;
	}
	if (hindrance != FITS)
		message("--passes: %s: %s", str_printable(shown, sizeof(shown), program),
			hindrances[hindrance].text);
	return !hindrances[hindrance].alone;
}

bool layer_environment_set(const struct sys *sys, const char *program, struct err *err)
{
	__attribute__((cleanup(layers_fini))) struct layers layers;
	struct layer_variable variables[VARIABLES];
	unsigned n;

	if (!find_layers(sys, &layers, err))
		return err_prefix(err, "--passes: ");
	if (!report_hindrances(sys, &layers, program))
		return true;
	n = make_variables(&layers, variables);
	for (unsigned i = 0; i < n; i++) {
		setenv(variables[i].name, variables[i].value, 1);
		free(variables[i].value);
	}
	return true;
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
	__attribute__((cleanup(layers_fini))) struct layers layers;
	struct layer_variable variables[VARIABLES];
	unsigned n;

	if (!find_layers(sys, &layers, err))
		return err_prefix(err, "passes: ");
	report_hindrances(sys, &layers, NULL);
	n = make_variables(&layers, variables);
	for (unsigned i = 0; i < n; i++) {
		strbuf_printf(out, "export %s=", variables[i].name);
		shell_quote(out, variables[i].value);
		strbuf_str(out, "\n");
		free(variables[i].value);
	}
	return true;
}
