/* Parse bytes from the terminal into keys. ncurses' getch would wait, refresh, and miss the mouse
 * of newer terminals.
 *
 * The bytes are untrusted. An unknown sequence is skipped completely, so that its letters do not
 * act as keys.
 */
#include "term/term_key.h"
#include "term/term_priv.h"
#include "base/alloc.h"
#include "base/str.h"

#include <string.h>

#define ESC '\x1b'

static const struct {
	char final;      /* of CSI ... final and of SS3 final */
	unsigned number; /* of CSI number ~ */
	uint32_t key;
} sequences[] = {
	{'A', 0, K_UP},  {'B', 0, K_DOWN},     {'C', 0, K_RIGHT},   {'D', 0, K_LEFT},      {'H', 0, K_HOME},
	{'F', 0, K_END}, {'Z', 0, K_BACK_TAB}, {'P', 0, K_F1},      {'~', 1, K_HOME},      {'~', 7, K_HOME},
	{'~', 4, K_END}, {'~', 8, K_END},      {'~', 5, K_PAGE_UP}, {'~', 6, K_PAGE_DOWN}, {'~', 11, K_F1},
	{'~', 12, K_F2}, {'~', 13, K_F3},      {'~', 14, K_F4},     {'~', 15, K_F5},       {'~', 17, K_F6},
	{'~', 18, K_F7}, {'~', 19, K_F8},      {'~', 20, K_F9},     {'~', 21, K_F10},
};

/* The number counts before a tilde only. */
static uint32_t sequence_key(char final, unsigned number)
{
	for (unsigned i = 0; i < ARRAY_LEN(sequences); i++)
		if (sequences[i].final == final && (final != '~' || sequences[i].number == number))
			return sequences[i].key;
	return 0;
}

/* Of SS3, also of the keypad, which is in application mode (smkx). CSI R would be a report of the
 * cursor's position. */
static uint32_t ss3_key(char final)
{
	static const char keypad[] = "*+,-./0123456789"; /* j to y */

	if (final >= 'j' && final <= 'y')
		return (unsigned char)keypad[final - 'j'];
	if (final >= 'P' && final <= 'S')
		return K_F1 + (uint32_t)(final - 'P');
	return final == 'M' ? K_ENTER : final == 'I' ? K_TAB : final == 'X' ? '=' : sequence_key(final, 0);
}

#define PASTE_BEGIN 200 /* CSI 200 ~ */
#define PASTE_END "\x1b[201~"

/* What follows ESC at the start of OSC, DCS, APC, PM and SOS. A terminal answers with such strings,
 * late on a slow line, and ends them with ST or BEL. */
#define STRINGS "]P_^X"
#define STRING_ENDS "\x1b\a\x18\x1a" /* ESC of ST or of another sequence, BEL, CAN, SUB */

/* The result of matching a sequence: its length in bytes (0: incomplete), its meaning, and what is
 * discarded from there on. */
struct match {
	size_t used;
	enum term_event event;
	enum discarded discard;
};

static struct match match_key(size_t used, uint32_t key, struct term_input *in)
{
	in->key = key;
	return (struct match){used, key ? TERM_KEY : TERM_NONE, DISCARD_NONE};
}

/* Of the mouse protocols; other buttons, and those with Shift and the like, mean nothing. */
enum { BUTTON_LEFT = 0, BUTTON_DRAG = 32, BUTTON_WHEEL_UP = 64, BUTTON_WHEEL_DOWN = 65 };

static struct match match_mouse(size_t used, unsigned button, bool press, int x, int y, struct term_input *in)
{
	if (!press || x < 1 || y < 1)
		return (struct match){.used = used};
	in->x = x - 1;
	in->y = y - 1;
	in->drag = button == BUTTON_DRAG;
	if (button == BUTTON_WHEEL_UP || button == BUTTON_WHEEL_DOWN)
		return match_key(used, button == BUTTON_WHEEL_UP ? K_WHEEL_UP : K_WHEEL_DOWN, in);
	return (struct match){.used = used,
			      .event = button == BUTTON_LEFT || in->drag ? TERM_MOUSE : TERM_NONE};
}

/* The first three numbers of a sequence, at most 9999 each. */
static void parse_numbers(const char *p, const char *end, unsigned out[3])
{
	unsigned n = 0;

	out[0] = out[1] = out[2] = 0;
	for (; p < end && n < 3; p++) {
		if (*p == ';')
			n++;
		else if (*p >= '0' && *p <= '9' && out[n] < 1000)
			out[n] = out[n] * 10 + (unsigned)(*p - '0');
	}
}

/* ESC [ is at p[0] and p[1]. */
static struct match match_csi(const char *p, size_t n, struct term_input *in)
{
	unsigned v[3];
	size_t i = 2;

	if (n > 2 && p[2] == '[') /* the Linux console's function keys: ESC [ [ A to E */
		return n < 4 ? (struct match){0}
			     : match_key(4, p[3] >= 'A' && p[3] <= 'E' ? K_F1 + (uint32_t)(p[3] - 'A') : 0,
					 in);
	if (n > 2 && p[2] == 'M') /* the older mouse protocol: three bytes, each plus 32 */
		return n < 6 ? (struct match){0}
			     : match_mouse(6, (unsigned char)p[3] - 32u, true, (unsigned char)p[4] - 32,
					   (unsigned char)p[5] - 32, in);
	while (i < n && p[i] >= 0x20 && p[i] <= 0x3f)
		i++;
	if (i == n)
		return (struct match){0};
	if (p[i] < 0x40 || p[i] > 0x7e) /* not a sequence; parse this byte again */
		return (struct match){.used = i};
	parse_numbers(p + 2 + (p[2] == '<'), p + i, v);
	if (p[2] == '<')
		return match_mouse(i + 1, v[0], p[i] == 'M', (int)v[1], (int)v[2], in);
	if (p[2] > '9' && p[2] < '@') /* a reply of the terminal, not a key */
		return (struct match){.used = i + 1};
	if (p[i] == '~' && v[0] == PASTE_BEGIN)
		return (struct match){i + 1, TERM_PASTE, DISCARD_PASTE};
	return match_key(i + 1, sequence_key(p[i], v[0]), in);
}

static struct match match_escape(const char *p, size_t n, struct term_input *in)
{
	if (n < 2)
		return (struct match){0};
	if (p[1] == '[')
		return match_csi(p, n, in);
	if (p[1] == 'O')
		return n < 3 ? (struct match){0} : match_key(3, ss3_key(p[2]), in);
	if (p[1] == '\\') /* the end of a string that was given up */
		return (struct match){.used = 2};
	if (!memchr(STRINGS, p[1], strlen(STRINGS)))
		return match_key(1, K_ESCAPE, in);
	return n < 3 ? (struct match){0} : (struct match){.used = 2, .discard = DISCARD_STRING};
}

/* Match the keys of the terminfo entry, before all others. Sets *partial if the bytes may become
 * one of them. */
static struct match match_caps(const struct input *input, bool *partial, struct term_input *in)
{
	struct match best = {0};

	*partial = false;
	for (unsigned i = 0; i < input->n_caps; i++) {
		size_t len = strlen(input->caps[i].seq);

		if (len <= input->n && len > best.used && !memcmp(input->buf, input->caps[i].seq, len))
			best = match_key(len, input->caps[i].key, in);
		else if (len > input->n && !memcmp(input->buf, input->caps[i].seq, input->n))
			*partial = true;
	}
	return best;
}

/* Match a character beyond ASCII, complete or not. Skip invalid bytes and control characters one by
 * one. */
static struct match match_utf8(const char *p, size_t n, bool waited, struct term_input *in)
{
	unsigned char lead = (unsigned char)p[0];
	size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1, have = 1;
	const char *next = p;
	uint32_t ch;

	while (have < n && have < length && ((unsigned char)p[have] & 0xc0) == 0x80)
		have++;
	if (have == n && have < length && !waited)
		return (struct match){0};
	ch = utf8_next(&next, p + n);
	return match_key((size_t)(next - p), ch == 0xfffd || ch < 0xa0 ? 0 : ch, in);
}

static struct match match_any(const struct input *input, bool waited, struct term_input *in)
{
	bool partial;
	struct match match = match_caps(input, &partial, in);

	if (match.used)
		return match;
	if (partial && !waited)
		return match;
	if (input->buf[0] == ESC)
		match = match_escape(input->buf, input->n, in);
	else if ((unsigned char)input->buf[0] < 0x80)
		match = match_key(1, (unsigned char)input->buf[0], in);
	else
		match = match_utf8(input->buf, input->n, waited, in);
	if (match.used || !waited)
		return match;
	/* Nothing followed: Escape is the key, alone or before a letter that starts strings. An
	 * incomplete sequence is discarded. */
	if (input->n == 1 || memchr(STRINGS, input->buf[1], strlen(STRINGS)))
		return match_key(1, K_ESCAPE, in);
	return (struct match){.used = input->n};
}

/* A paste also ends without its end marker, which a terminal may never send, so that keys are not
 * lost for long: typed keys are slower than any paste, also on a serial line. A string may come
 * more slowly, and is short. */
static bool is_discard_over(const struct input *input, int64_t now_ns)
{
	if (now_ns - input->since_ns >= DISCARD_WAIT_NS)
		return true;
	return input->discarded == DISCARD_STRING
		       ? now_ns - input->span_ns >= STRING_SPAN_NS
		       : now_ns - input->span_ns >= PASTE_SPAN_NS && input->span_n < PASTE_SPAN_BYTES;
}

/* An Escape after a string without an end is a key. */
static void end_discard(struct input *input)
{
	if (input->discarded == DISCARD_PASTE)
		input->n = 0;
	input->discarded = DISCARD_NONE;
}

static void begin_span(struct input *input, int64_t now_ns)
{
	input->span_ns = now_ns;
	input->span_n = input->n;
}

void input_add(struct input *input, const char *bytes, size_t n, int64_t now_ns)
{
	if (input->discarded && is_discard_over(input, now_ns))
		end_discard(input);
	if (input->discarded == DISCARD_PASTE && now_ns - input->span_ns >= PASTE_SPAN_NS)
		begin_span(input, now_ns);
	if (n > sizeof(input->buf) - input->n)
		n = sizeof(input->buf) - input->n;
	input->span_n += n;
	memcpy(input->buf + input->n, bytes, n);
	input->n += n;
	input->since_ns = now_ns;
}

static void drop_bytes(struct input *input, size_t n)
{
	input->n -= n;
	memmove(input->buf, input->buf + n, input->n);
}

/* Discard pasted text, but keep what may be the start of the end marker. */
static void drop_pasted(struct input *input)
{
	const size_t length = strlen(PASTE_END);
	const char *end = memmem(input->buf, input->n, PASTE_END, length);
	size_t keep = length - 1 < input->n ? length - 1 : input->n;

	if (end) {
		drop_bytes(input, (size_t)(end - input->buf) + length);
		input->discarded = DISCARD_NONE;
		return;
	}
	while (keep && memcmp(input->buf + input->n - keep, PASTE_END, keep))
		keep--;
	drop_bytes(input, input->n - keep);
}

/* Discard a string to its end, or to the Escape of another sequence. Keep an Escape that may be the
 * start of ST. */
static void drop_string(struct input *input)
{
	size_t i = 0;

	while (i < input->n && !memchr(STRING_ENDS, input->buf[i], strlen(STRING_ENDS)))
		i++;
	if (i < input->n && input->buf[i] != ESC)
		drop_bytes(input, i + 1);
	else if (i + 1 < input->n)
		drop_bytes(input, input->buf[i + 1] == '\\' ? i + 2 : i);
	else {
		drop_bytes(input, i);
		return;
	}
	input->discarded = DISCARD_NONE;
}

static void drop_discarded(struct input *input, int64_t now_ns)
{
	if (input->discarded == DISCARD_PASTE)
		drop_pasted(input);
	else
		drop_string(input);
	if (input->discarded && is_discard_over(input, now_ns))
		end_discard(input);
}

/* How long the bytes that are there may be incomplete. */
static int64_t patience_ns(const struct input *input)
{
	return input->n == 1 && !input->discarded ? INPUT_WAIT_NS : DISCARD_WAIT_NS;
}

int64_t input_wait_ns(const struct input *input, int64_t now_ns)
{
	return input->n || input->discarded ? input->since_ns + patience_ns(input) - now_ns : INT64_MAX;
}

enum term_event input_next(struct input *input, int64_t now_ns, struct term_input *in)
{
	if (input->discarded)
		drop_discarded(input, now_ns);
	while (input->n && !input->discarded) {
		/* A full buffer without a complete sequence never becomes one. */
		bool waited =
			now_ns - input->since_ns >= patience_ns(input) || input->n == sizeof(input->buf);
		struct match match = match_any(input, waited, in);

		if (!match.used)
			return TERM_NONE;
		drop_bytes(input, match.used);
		input->discarded = match.discard;
		if (match.discard) {
			begin_span(input, now_ns);
			drop_discarded(input, now_ns);
		}
		if (match.event != TERM_NONE)
			return match.event;
	}
	return TERM_NONE;
}
