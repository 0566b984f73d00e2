/* Reads the functions of an ELF file (hot_symbols.h). */
#include "hot/hot_symbols.h"

#include "base/alloc.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define SECTIONS_MOST 65536
#define SEGMENTS_MOST 64
#define NOTES_BYTES 4096
#define LINK_BYTES 256
#define BUILD_ID_BYTES 64
#define PIECE_SYMBOLS 1024
#define DEBUG_ROOT "usr/lib/debug"
#define EH_TABLE 0x3b /* DW_EH_PE_datarel | DW_EH_PE_sdata4: what every linker writes */
#define EH_COUNT 0x03 /* DW_EH_PE_udata4 */

struct elf {
	const struct sys *sys;
	int fd;
	uint64_t base, size;
	bool wide;
	uint16_t machine;
	Elf64_Shdr *sections;
	unsigned n_sections;
	char *names; /* of the sections */
	size_t n_names;
	unsigned char id[BUILD_ID_BYTES];
	size_t n_id;
};

static bool read_part(const struct elf *e, uint64_t offset, void *to, uint64_t n)
{
	char *p = to;

	if (offset > e->size || n > e->size - offset)
		return false;
	while (n) {
		ssize_t got = e->sys->pread(e->sys, e->fd, p, n, (off_t)(e->base + offset));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		p += got;
		offset += (uint64_t)got;
		n -= (uint64_t)got;
	}
	return true;
}

/* All of a section as memory, terminated; NULL if it has none, is too large, or cannot be read. */
static void *read_section(const struct elf *e, const Elf64_Shdr *s, uint64_t most)
{
	char *p;

	if (!s->sh_size || s->sh_size > most || s->sh_type == SHT_NOBITS || s->sh_flags & SHF_COMPRESSED ||
	    s->sh_size > e->size)
		return NULL;
	p = xmalloc(s->sh_size + 1);
	p[s->sh_size] = 0;
	if (read_part(e, s->sh_offset, p, s->sh_size))
		return p;
	free(p);
	return NULL;
}

/* ---- heads: 32-bit ones become 64-bit ones ---- */

static bool read_head(struct elf *e, Elf64_Ehdr *head)
{
	const unsigned char data = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	Elf32_Ehdr narrow;

	if (!read_part(e, 0, head, EI_NIDENT) || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
	    head->e_ident[EI_DATA] != data)
		return false;
	e->wide = head->e_ident[EI_CLASS] == ELFCLASS64;
	if (e->wide)
		return read_part(e, 0, head, sizeof(*head)) && head->e_shentsize == sizeof(Elf64_Shdr);
	if (!read_part(e, 0, &narrow, sizeof(narrow)) || narrow.e_shentsize != sizeof(Elf32_Shdr))
		return false;
	*head = (Elf64_Ehdr){.e_machine = narrow.e_machine,
			     .e_phoff = narrow.e_phoff,
			     .e_shoff = narrow.e_shoff,
			     .e_phnum = narrow.e_phnum,
			     .e_shnum = narrow.e_shnum,
			     .e_shstrndx = narrow.e_shstrndx};
	return true;
}

static bool read_section_head(const struct elf *e, uint64_t offset, Elf64_Shdr *s)
{
	Elf32_Shdr narrow;

	if (e->wide)
		return read_part(e, offset, s, sizeof(*s));
	if (!read_part(e, offset, &narrow, sizeof(narrow)))
		return false;
	*s = (Elf64_Shdr){.sh_name = narrow.sh_name,
			  .sh_type = narrow.sh_type,
			  .sh_flags = narrow.sh_flags,
			  .sh_addr = narrow.sh_addr,
			  .sh_offset = narrow.sh_offset,
			  .sh_size = narrow.sh_size,
			  .sh_link = narrow.sh_link,
			  .sh_entsize = narrow.sh_entsize};
	return true;
}

static void read_sections(struct elf *e, const Elf64_Ehdr *head)
{
	size_t size = e->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	Elf64_Shdr first;
	uint64_t n = head->e_shnum, names = head->e_shstrndx;

	if (!head->e_shoff || !read_section_head(e, head->e_shoff, &first))
		return;
	n = n ? n : first.sh_size; /* more than fit into the head */
	names = names == SHN_XINDEX ? first.sh_link : names;
	if (n > SECTIONS_MOST || n > e->size / size)
		return;
	e->sections = xcalloc(n, sizeof(*e->sections));
	while (e->n_sections < n &&
	       read_section_head(e, head->e_shoff + e->n_sections * size, &e->sections[e->n_sections]))
		e->n_sections++;
	if (names >= e->n_sections)
		return;
	e->names = read_section(e, &e->sections[names], HOT_NAMES_BYTES);
	e->n_names = e->names ? e->sections[names].sh_size : 0;
}

static const Elf64_Shdr *find_section(const struct elf *e, const char *name)
{
	for (unsigned i = 0; i < e->n_sections; i++)
		if (e->sections[i].sh_name < e->n_names &&
		    strcmp(e->names + e->sections[i].sh_name, name) == 0)
			return &e->sections[i];
	return NULL;
}

static const Elf64_Shdr *find_type(const struct elf *e, uint32_t type)
{
	for (unsigned i = 0; i < e->n_sections; i++)
		if (e->sections[i].sh_type == type)
			return &e->sections[i];
	return NULL;
}

static void read_segments(const struct elf *e, const Elf64_Ehdr *head, struct hot_symbols *s)
{
	size_t size = e->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);

	s->segments = xcalloc(SEGMENTS_MOST, sizeof(*s->segments));
	for (unsigned i = 0; i < head->e_phnum && s->n_segments < SEGMENTS_MOST; i++) {
		uint64_t offset = head->e_phoff + i * size;
		Elf32_Phdr narrow;
		Elf64_Phdr p;

		if (e->wide ? !read_part(e, offset, &p, sizeof(p))
			    : !read_part(e, offset, &narrow, sizeof(narrow)))
			return;
		if (!e->wide)
			p = (Elf64_Phdr){.p_type = narrow.p_type,
					 .p_offset = narrow.p_offset,
					 .p_vaddr = narrow.p_vaddr,
					 .p_filesz = narrow.p_filesz};
		if (p.p_type == PT_LOAD)
			s->segments[s->n_segments++] =
				(struct hot_segment){p.p_offset, p.p_filesz, p.p_vaddr};
	}
}

static bool elf_open(struct elf *e, const struct sys *sys, int fd, uint64_t base, uint64_t size,
		     Elf64_Ehdr *head)
{
	*e = (struct elf){.sys = sys, .fd = fd, .base = base, .size = size};
	if (!read_head(e, head))
		return false;
	e->machine = head->e_machine;
	read_sections(e, head);
	return true;
}

static void elf_close(struct elf *e)
{
	free(e->sections);
	free(e->names);
}

/* ---- symbols ---- */

/* The section of a symbol; NULL: none that exists. */
static const Elf64_Shdr *section_of(const struct elf *e, const Elf64_Sym *symbol)
{
	return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < e->n_sections
		       ? &e->sections[symbol->st_shndx]
		       : NULL;
}

static void take_symbol(const struct elf *e, struct hot_symbols *s, const Elf64_Sym *symbol,
			struct span names)
{
	const Elf64_Shdr *section = section_of(e, symbol);
	unsigned type = ELF64_ST_TYPE(symbol->st_info);
	bool in_code = section && section->sh_flags & SHF_EXECINSTR;
	struct hot_symbol one = {.start = symbol->st_value, .is_label = !symbol->st_size};
	uint64_t size = symbol->st_size;
	struct span name;

	if (symbol->st_shndx == SHN_UNDEF || !symbol->st_value || symbol->st_name >= names.n ||
	    (type != STT_FUNC && type != STT_GNU_IFUNC && (type != STT_NOTYPE || !in_code)))
		return;
	/* Bounded: many symbols may share a name without end. */
	name.p = names.p + symbol->st_name;
	name.n = strnlen(name.p, HOT_SYMBOL);
	if (!name.n || hot_symbols_is_mark(name))
		return;
	if (e->machine == EM_ARM && type == STT_FUNC)
		one.start &= ~1ull; /* Thumb */
	if (one.is_label)
		size = section && one.start - section->sh_addr < section->sh_size
			       ? section->sh_addr + section->sh_size - one.start
			       : 1;
	else
		s->is_complete |= ELF64_ST_BIND(symbol->st_info) == STB_LOCAL;
	one.size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
	hot_symbols_add(s, &one, name);
}

static void read_symbols(const struct elf *e, const Elf64_Shdr *table, struct hot_symbols *s)
{
	size_t size = e->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	uint64_t n = table->sh_size / size;
	AUTOFREE char *piece = xmalloc(PIECE_SYMBOLS * size);
	AUTOFREE char *names = NULL;
	const Elf64_Shdr *texts;
	struct span pool;

	if (table->sh_link >= e->n_sections)
		return;
	texts = &e->sections[table->sh_link];
	names = read_section(e, texts, HOT_NAMES_BYTES);
	s->is_cut |= texts->sh_size > HOT_NAMES_BYTES && texts->sh_size < e->size;
	pool = (struct span){names, names ? texts->sh_size : 0};
	for (uint64_t at = 0, step; pool.n && at < n && !s->is_cut; at += step) {
		step = n - at < PIECE_SYMBOLS ? n - at : PIECE_SYMBOLS;
		if (!read_part(e, table->sh_offset + at * size, piece, step * size))
			return;
		for (uint64_t i = 0; i < step; i++) {
			Elf64_Sym symbol;
			Elf32_Sym narrow;

			memcpy(e->wide ? (void *)&symbol : (void *)&narrow, piece + i * size, size);
			if (!e->wide)
				symbol = (Elf64_Sym){.st_name = narrow.st_name,
						     .st_info = narrow.st_info,
						     .st_shndx = narrow.st_shndx,
						     .st_value = narrow.st_value,
						     .st_size = narrow.st_size};
			take_symbol(e, s, &symbol, pool);
		}
	}
}

/* The table of .eh_frame_hdr has the start of every function, also of a stripped file. */
static void read_borders(const struct elf *e, struct hot_symbols *s)
{
	const Elf64_Shdr *section = find_section(e, ".eh_frame_hdr");
	AUTOFREE unsigned char *p = section ? read_section(e, section, HOT_NAMES_BYTES) : NULL;
	uint32_t n;
	int32_t at;

	if (!p || section->sh_size < 12 || p[0] != 1 || p[2] != EH_COUNT || p[3] != EH_TABLE)
		return;
	memcpy(&n, p + 8, sizeof(n));
	for (uint64_t i = 0; i < n && 12 + 8 * i + 8 <= section->sh_size; i++) {
		memcpy(&at, p + 12 + 8 * i, sizeof(at));
		hot_symbols_add(s,
				&(struct hot_symbol){.start = section->sh_addr + (uint64_t)(int64_t)at,
						     .size = UINT32_MAX,
						     .is_label = 1,
						     .is_border = 1},
				(struct span){0});
	}
}

/* ---- the file that has the symbols of a stripped one ---- */

static void read_build_id(struct elf *e)
{
	const Elf64_Shdr *section = find_section(e, ".note.gnu.build-id");
	AUTOFREE unsigned char *p = section ? read_section(e, section, NOTES_BYTES) : NULL;
	uint32_t head[3]; /* lengths of name and text, type */

	if (!p || section->sh_size < sizeof(head) + 4)
		return;
	memcpy(head, p, sizeof(head));
	if (head[0] != 4 || head[1] > BUILD_ID_BYTES || head[1] > section->sh_size - sizeof(head) - 4)
		return;
	e->n_id = head[1];
	memcpy(e->id, p + sizeof(head) + 4, e->n_id);
}

/* Read the symbols of this file if it belongs to `of`. */
static bool read_debug_file(const struct elf *of, const char *root, const char *path, struct hot_symbols *s)
{
	int fd = of->sys->open_regular(of->sys, root, path, 0);
	const Elf64_Shdr *table;
	Elf64_Ehdr head;
	struct stat st;
	struct elf e;
	bool ok = false;

	if (fd < 0)
		return false;
	if (of->sys->fstat(of->sys, fd, &st) == 0 && st.st_size > 0 &&
	    elf_open(&e, of->sys, fd, 0, (uint64_t)st.st_size, &head)) {
		read_build_id(&e);
		table = find_type(&e, SHT_SYMTAB);
		ok = table && e.n_id == of->n_id && memcmp(e.id, of->id, e.n_id) == 0;
		if (ok)
			read_symbols(&e, table, s);
		elf_close(&e);
	}
	of->sys->close(of->sys, fd);
	return ok;
}

static bool read_by_build_id(const struct elf *e, const char *root, struct hot_symbols *s)
{
	char path[sizeof(DEBUG_ROOT) + 2 * BUILD_ID_BYTES + 32];
	int n = snprintf(path, sizeof(path), DEBUG_ROOT "/.build-id/%02x/", e->id[0]);

	for (size_t i = 1; i < e->n_id; i++)
		n += snprintf(path + n, sizeof(path) - (size_t)n, "%02x", e->id[i]);
	snprintf(path + n, sizeof(path) - (size_t)n, ".debug");
	return read_debug_file(e, root, path, s);
}

/* "NAME" beside the file, in .debug beside it, or in its directory below /usr/lib/debug. A file
 * without a build-id is not trusted to be of the same build. */
static bool read_by_link(const struct elf *e, const char *own, const char *root, struct hot_symbols *s)
{
	static const struct {
		const char *root, *below;
	} places[] = {{DEBUG_ROOT "/", ""}, {"", ".debug/"}, {"", ""}};
	const Elf64_Shdr *section = find_section(e, ".gnu_debuglink");
	AUTOFREE char *name = section ? read_section(e, section, LINK_BYTES) : NULL;
	const char *slash = strrchr(own, '/');
	char path[PATH_MAX];

	if (!name || !name[0] || strchr(name, '/') || !slash)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		int n = snprintf(path, sizeof(path), "%s%.*s/%s%s", places[i].root, (int)(slash - own), own,
				 places[i].below, name);

		if (n > 0 && (size_t)n < sizeof(path) && strcmp(path, own) != 0 &&
		    read_debug_file(e, root, path, s))
			return true;
	}
	return false;
}

static bool read_elsewhere(const struct elf *e, const char *own, const char *root, struct hot_symbols *s)
{
	return e->n_id && (read_by_build_id(e, root, s) || read_by_link(e, own, root, s));
}

void hot_symbols_read_elf(struct hot_symbols *s, const struct sys *sys, int fd, const char *root,
			  const char *path, uint64_t base, uint64_t n_bytes)
{
	const Elf64_Shdr *table;
	Elf64_Ehdr head;
	struct elf e;

	if (!elf_open(&e, sys, fd, base, n_bytes, &head))
		return;
	read_segments(&e, &head, s);
	read_build_id(&e);
	table = find_type(&e, SHT_SYMTAB);
	if (!table && !(root && read_elsewhere(&e, path, root, s)) && !read_elsewhere(&e, path, NULL, s))
		table = find_type(&e, SHT_DYNSYM);
	if (table)
		read_symbols(&e, table, s);
	s->is_complete &= !s->is_cut;
	read_borders(&e, s);
	elf_close(&e);
	hot_symbols_sort(s);
}
