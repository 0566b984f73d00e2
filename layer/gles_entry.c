#include "layer/gles.h"

#include <dlfcn.h>
#include <link.h>

/* How an application may find a function: by its linked name (this library comes first), by
 * eglGetProcAddress, or by dlsym of a library it opened. Hence both of these are hooked. A program
 * that has EGL linked into itself is not reached. */
typedef void *(*symbol_finder)(void *library, const char *name);

#define NAME(name) #name,
static const char *const hook_names[GLES_HOOK_COUNT] = {GLES_HOOKS(NAME)};
#undef NAME
#define FUNCTION(name) (gles_function) name,
static const gles_function hook_functions[GLES_HOOK_COUNT] = {GLES_HOOKS(FUNCTION)};
#undef FUNCTION
static gles_function real_functions[GLES_HOOK_COUNT];

/* Android's loader of layers. */
static void *layer_id;
static void *(*layer_next)(void *id, const char *name);

static gles_function to_function(void *symbol)
{
	gles_function function;

	memcpy(&function, &symbol, sizeof(function));
	return function;
}

static void *to_symbol(gles_function function)
{
	void *symbol;

	memcpy(&symbol, &function, sizeof(symbol));
	return symbol;
}

/* This library's own dlsym has the C library's name, so the real one is asked for by version. C
 * libraries without versions have no function for that: there it is found in the symbols of the
 * object that also has dladdr, which no library that replaces dlsym does. */
extern __typeof__(dlvsym) dlvsym __attribute__((weak));

struct symbols {
	const ElfW(Sym) * all;
	const char *names;
	size_t n;
};

static size_t count_symbols(const uint32_t *gnu_hash)
{
	const uint32_t *buckets = gnu_hash + 4 + gnu_hash[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t)),
		       *chains = buckets + gnu_hash[0];
	uint32_t last = 0;

	for (uint32_t i = 0; i < gnu_hash[0]; i++)
		last = buckets[i] > last ? buckets[i] : last;
	if (last < gnu_hash[1])
		return gnu_hash[1];
	while (!(chains[last - gnu_hash[1]] & 1))
		last++;
	return last + 1;
}

static struct symbols symbols_of(const struct dl_phdr_info *object)
{
	const ElfW(Dyn) *d = NULL;
	struct symbols s = {.n = 0};

	for (unsigned i = 0; i < object->dlpi_phnum; i++)
		if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
			d = (const ElfW(Dyn) *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
	for (; d && d->d_tag != DT_NULL; d++) {
		/* some loaders leave addresses as the file has them */
		ElfW(Addr) at = d->d_un.d_ptr + (d->d_un.d_ptr < object->dlpi_addr ? object->dlpi_addr : 0);

		if (d->d_tag == DT_SYMTAB)
			s.all = (const ElfW(Sym) *)at;
		else if (d->d_tag == DT_STRTAB)
			s.names = (const char *)at;
		else if (d->d_tag == DT_HASH)
			s.n = ((const uint32_t *)at)[1];
		else if (d->d_tag == DT_GNU_HASH && !s.n)
			s.n = count_symbols((const uint32_t *)at);
	}
	return s;
}

static void *find_symbol(const struct dl_phdr_info *object, const char *name)
{
	struct symbols s = symbols_of(object);

	for (size_t i = 0; s.all && s.names && i < s.n; i++)
		if (s.all[i].st_shndx != SHN_UNDEF && strcmp(s.names + s.all[i].st_name, name) == 0)
			return (void *)(object->dlpi_addr + s.all[i].st_value);
	return NULL;
}

static int find_dlsym(struct dl_phdr_info *object, size_t size, void *found)
{
	void *symbol = find_symbol(object, "dlsym");

	(void)size;
	if (!symbol || !find_symbol(object, "dladdr"))
		return 0;
	*(gles_function *)found = to_function(symbol);
	return 1;
}

static symbol_finder real_dlsym(void)
{
	static const char *const versions[] = {"GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.4",
					       "GLIBC_2.0",   "GLIBC_2.27", "GLIBC_2.34"};
	static gles_function found;
	gles_function function = __atomic_load_n(&found, __ATOMIC_ACQUIRE);

	for (size_t i = 0; dlvsym && !function && i < sizeof(versions) / sizeof(versions[0]); i++)
		function = to_function(dlvsym(RTLD_NEXT, "dlsym", versions[i]));
	if (!function && !dlvsym)
		dl_iterate_phdr(find_dlsym, &function);
	__atomic_store_n(&found, function, __ATOMIC_RELEASE);
	return (symbol_finder)function;
}

static int find_hook(const char *name)
{
	if (name && (strncmp(name, "gl", 2) == 0 || strncmp(name, "egl", 3) == 0))
		for (int i = 0; i < GLES_HOOK_COUNT; i++)
			if (strcmp(hook_names[i], name) == 0)
				return i;
	return -1;
}

gles_function gles_find(const char *name)
{
	static const char *const libraries[] = {"libGLESv2.so.2", "libEGL.so.1", "libGLESv2.so", "libEGL.so"};
	symbol_finder find = real_dlsym();
	void *symbol = layer_next ? layer_next(layer_id, name) : find ? find(RTLD_NEXT, name) : NULL;

	for (size_t i = 0; find && !symbol && i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);

		if (library) {
			symbol = find(library, name);
			dlclose(library);
		}
	}
	if (!symbol && strcmp(name, "eglGetProcAddress") != 0) {
		gles_function get = gles_real(GLES_eglGetProcAddress);

		return get ? ((__typeof__(&eglGetProcAddress))get)(name) : NULL;
	}
	return to_function(symbol);
}

static void note_real(int hook, gles_function function)
{
	gles_function none = NULL;

	__atomic_compare_exchange_n(&real_functions[hook], &none, function, 0, __ATOMIC_ACQ_REL,
				    __ATOMIC_ACQUIRE);
}

gles_function gles_real(enum gles_hook hook)
{
	gles_function function = __atomic_load_n(&real_functions[hook], __ATOMIC_ACQUIRE);

	if (!function) {
		function = gles_find(hook_names[hook]);
		note_real(hook, function);
	}
	return function;
}

/* A function that the driver does not have must stay unknown to the application. */
static gles_function hook_of(const char *name, gles_function function)
{
	int hook = find_hook(name);

	if (!function || hook < 0 || function == hook_functions[hook])
		return function;
	note_real(hook, function);
	return hook_functions[hook];
}

EXPORTED __eglMustCastToProperFunctionPointerType EGLAPIENTRY eglGetProcAddress(const char *name)
{
	gles_function get = gles_real(GLES_eglGetProcAddress);

	return get ? hook_of(name, ((__typeof__(&eglGetProcAddress))get)(name)) : NULL;
}

/* What comes next after a library depends on who asks: the last call must be a jump, so that the
 * real dlsym sees this function's caller. The answer to that question is never a hook, because one
 * that asks is another hook. */
EXPORTED void *dlsym(void *library, const char *name)
{
	symbol_finder find = real_dlsym();

	if (!find)
		return NULL;
	if (library == RTLD_NEXT || find_hook(name) < 0)
		return find(library, name);
	return to_symbol(hook_of(name, to_function(find(library, name))));
}

EXPORTED void AndroidGLESLayer_Initialize(void *id, void *(*next)(void *id, const char *name));
EXPORTED void *AndroidGLESLayer_GetProcAddress(const char *name, void *next);

EXPORTED void AndroidGLESLayer_Initialize(void *id, void *(*next)(void *id, const char *name))
{
	layer_id = id;
	layer_next = next;
}

EXPORTED void *AndroidGLESLayer_GetProcAddress(const char *name, void *next)
{
	return to_symbol(hook_of(name, to_function(next)));
}
