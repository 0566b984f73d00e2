/* term_cells: the fewest bytes that change what a terminal shows into a canvas.
 *
 * It remembers what each cell of the terminal shows, compares it with the canvas, and appends the
 * difference to a buffer: a short cursor movement to each change, few attribute changes, and
 * erasing and repeating if the terminal can. It does not touch the terminal or curses: the caller
 * passes the terminal's capabilities as strings (struct term_strings) and the looks of the styles
 * as a table (struct look). A style is an index into that table. One thread; nothing here fails.
 *
 * term_cells.c  frames: what has changed, and the order of writing it
 * term_move.c   the cursor
 * term_pen.c    attributes and colours
 */
#ifndef MALITOP_TERM_CELLS_H
#define MALITOP_TERM_CELLS_H

#include "base/str.h"
#include "views/canvas.h"

/* ---- from the caller ---- */

enum { LOOK_BOLD = 1, LOOK_DIM = 2, LOOK_UNDERLINE = 4, LOOK_REVERSE = 8 };

struct look {
	int fg, bg;     /* index in the terminal's palette; -1: its default */
	unsigned attrs; /* LOOK_* */
};

#define CELLS_LOOKS_MAX 256 /* a cell's style is a byte */

/* Capabilities, with their terminfo names. CAP_CLEAR also moves to the top left. */
/* clang-format off */
#define CAPS(X) \
	X(CLEAR, clear) X(CUP, cup) X(HOME, home) X(HPA, hpa) X(VPA, vpa) X(CUF, cuf) X(CUF1, cuf1) \
	X(CUB, cub) X(CUB1, cub1) X(CUU, cuu) X(CUU1, cuu1) X(CUD, cud) X(CUD1, cud1) X(CR, cr) X(EL, el) \
	X(ECH, ech) X(REP, rep) X(ICH, ich) X(SGR0, sgr0) X(OP, op) X(BOLD, bold) X(DIM, dim) \
	X(SMUL, smul) X(REV, rev) X(SETAF, setaf) X(SETAB, setab)
/* clang-format on */

#define CAP_ID(cap, name) CAP_##cap,
enum term_string { CAPS(CAP_ID) CAP_COUNT };

struct term_strings {
	const char *cap[CAP_COUNT]; /* NULL: not supported. CAP_CLEAR and CAP_CUP are never NULL */
	bool am;                    /* the cursor wraps after the last column, */
	bool xenl;                  /* but not before the next character is written */
	bool msgr;                  /* the cursor can move while attributes are on */
	unsigned not_colored;       /* LOOK_* that cannot be combined with a colour */
	/* Append a capability with its parameters filled in. */
	void (*add)(struct strbuf *out, const char *cap, int a, int b);
};

/* ---- for term.c ---- */

/* The attributes that the terminal currently writes with, by look. */
#define PEN_TEXT_MAX 32 /* a longer capability counts as missing */
#define PEN_ATTRIBUTES 4

struct pen_look {
	struct look look; /* only what the terminal supports */
	bool shows_blank; /* a blank is visible in this look */
	char fg[PEN_TEXT_MAX], bg[PEN_TEXT_MAX];
};
struct pen {
	const struct term_strings *strings;
	unsigned n_looks;
	struct pen_look *looks;             /* owned; the first is the terminal's default */
	uint16_t of_style[CELLS_LOOKS_MAX]; /* index into looks; styles that look the same share a look */
	unsigned n_styles;
	char reset[PEN_TEXT_MAX], attributes[PEN_ATTRIBUTES][PEN_TEXT_MAX];
	unsigned now;   /* index into looks */
	uint8_t *costs; /* n_looks * n_looks, owned: bytes of each change plus 1; 0: not yet measured */
};

#define GROUPS_MAX 256

/* Changes in a row that are written together. */
enum group_kind { GROUP_CELLS, GROUP_ERASE, GROUP_CORNER };
#define GROUP_BLANK UINT16_MAX /* the look of a group of blanks: almost any look will do */
struct cell_group {
	int16_t y, from, end;
	uint16_t look; /* of its characters */
	uint8_t kind;  /* enum group_kind */
	uint8_t reach; /* about how many bytes it takes to move there from anywhere */
};

struct cells {
	const struct term_strings *strings;
	struct pen pen;
	bool ascii; /* write ASCII only */
	int cols, rows;
	uint32_t *shown, *next; /* rows * cols codes: what the terminal shows, and shall show; owned */
	bool stale;             /* shown is not known */
	int x, y;               /* of the cursor; -1: unknown */
	bool unsure;            /* x depends on the terminal's idea of how wide a character is */
	const char *repeat;     /* the part of CAP_REP after the character; NULL: none */
	struct cell_group groups[GROUPS_MAX];
	unsigned n_groups;
	unsigned look;     /* of the group being written */
	struct strbuf way; /* ways to the cell that the cursor moves to */
};

/* looks[style] for each of n_styles styles (1 to CELLS_LOOKS_MAX); any other style gets looks[0].
 * strings must outlive cells; looks is copied. Call cells_resize before drawing. */
void cells_init(struct cells *cells, const struct term_strings *strings, const struct look *looks,
		unsigned n_styles, bool ascii);
void cells_fini(struct cells *cells);
void cells_resize(struct cells *cells, int cols, int rows); /* calls cells_forget */
/* Assume that something else wrote to the terminal: the next frame clears it and writes
 * everything. */
void cells_forget(struct cells *cells);
/* Append the bytes that make the terminal show the canvas. A canvas of another size is cut or
 * padded with blanks. Returns false, with nothing appended, if nothing has changed. Unless all the
 * bytes reach the terminal, call cells_forget. */
bool cells_draw(struct cells *cells, const struct canvas *canvas, struct strbuf *out);

/* ---- shared by the files above ---- */

/* A code is a character that is safe to write, and the index of its look. Blanks that look the same
 * have the same code. Character 0 is the right half of a wide character. */
#define CODE_LOOK_SHIFT 21
#define CODE_BLANK ((uint32_t)' ') /* in the terminal's default look */

static inline uint32_t code_char(uint32_t code)
{
	return code & ((1u << CODE_LOOK_SHIFT) - 1);
}

static inline unsigned code_look(uint32_t code)
{
	return code >> CODE_LOOK_SHIFT;
}

/* Whether the cell at x in a row of codes is the left half of a wide character. */
static inline bool code_is_wide(const uint32_t *row, int x, int cols)
{
	return x + 1 < cols && !code_char(row[x + 1]);
}

static inline void code_add(uint32_t code, struct strbuf *out)
{
	char utf8[4];

	strbuf_add(out, utf8, utf8_put(utf8, code_char(code)));
}

void pen_init(struct pen *pen, const struct term_strings *strings, const struct look *looks,
	      unsigned n_styles);
void pen_fini(struct pen *pen);
void pen_reset(struct pen *pen, struct strbuf *out); /* to the default look, from an unknown one */
/* Append the change from one look to another. */
void pen_change(const struct pen *pen, unsigned from, unsigned to, struct strbuf *out);
void pen_set(struct pen *pen, unsigned look, struct strbuf *out);
int pen_measure(struct pen *pen, unsigned from, unsigned to);
/* Bytes of that change. */
static inline int pen_cost(struct pen *pen, unsigned from, unsigned to)
{
	unsigned cost = pen->costs[from * pen->n_looks + to];

	return cost ? (int)cost - 1 : pen_measure(pen, from, to);
}

static inline int count_digits(int n) /* below 1000 */
{
	return 1 + (n >= 10) + (n >= 100);
}

/* The look for writing a cell of cells->next when the current look is `now`. A blank keeps any look
 * in which it is invisible; otherwise it gets the look of the group. */
unsigned cells_look(const struct cells *cells, int y, int x, unsigned now);
/* Move the cursor to a cell of cells->next that will be written next. */
void cells_move(struct cells *cells, int y, int x, struct strbuf *out);

#endif
