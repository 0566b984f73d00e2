#!/usr/bin/env python3
"""screenshot.py [-s COLSxROWS] [-w SECONDS] [-k KEYS] [-l] OUTPUT.svg COMMAND...

A picture of what COMMAND draws on a terminal: tmux runs it, waits, types KEYS (one tmux key name per word), and its screen becomes an
SVG that says by what command. -l draws on a light background. The README's picture is made this way:

    contrib/screenshot.py -s 160x48 -w 8 doc/overview.svg ./malitop --demo
"""
import argparse
import html
import os
import shlex
import subprocess
import sys
import time

CELL_W, CELL_H, SIZE = 8.43, 18, 14
SIXTEEN = ["#000000", "#cd3131", "#0dbc79", "#e5e510", "#2472c8", "#bc3fbc", "#11a8cd", "#e5e5e5",
           "#666666", "#f14c4c", "#23d18b", "#f5f543", "#3b8eea", "#d670d6", "#29b8db", "#ffffff"]
STEPS = [0, 95, 135, 175, 215, 255]


def colour(n):
    if n < 16:
        return SIXTEEN[n]
    if n < 232:
        n -= 16
        return "#%02x%02x%02x" % (STEPS[n // 36], STEPS[n // 6 % 6], STEPS[n % 6])
    grey = 8 + 10 * (n - 232)
    return "#%02x%02x%02x" % (grey, grey, grey)


def tmux(*words, check=True):
    server = ["tmux", "-L", "malitop-screenshot-%d" % os.getpid()]
    return subprocess.run([*server, *words], check=check, capture_output=True, text=True).stdout


def screen(command, cols, rows, wait, keys):
    """The screen of the command after a while, with its colours as escape sequences."""
    tmux("-f", "/dev/null", "new-session", "-d", "-s", "s", "-x", str(cols), "-y", str(rows),
         "env", "TERM=tmux-256color", "COLORTERM=truecolor", *command)
    try:
        tmux("set-option", "-g", "status", "off")
        tmux("resize-window", "-t", "s", "-x", str(cols), "-y", str(rows))
        time.sleep(wait)
        for key in keys:
            tmux("send-keys", "-t", "s", key)
            time.sleep(0.7)
        return tmux("capture-pane", "-e", "-p", "-t", "s").split("\n")[:rows]
    finally:
        tmux("kill-server", check=False)


class Pen:
    def __init__(self):
        self.reset()

    def reset(self):
        self.fg = self.bg = None
        self.bold = self.dim = self.reverse = False

    def apply(self, codes):
        codes = [int(c or 0) for c in codes.replace(":", ";").split(";")]
        while codes:
            c = codes.pop(0)
            if c == 0:
                self.reset()
            elif c in (1, 2, 7):
                setattr(self, {1: "bold", 2: "dim", 7: "reverse"}[c], True)
            elif c == 22:
                self.bold = self.dim = False
            elif c == 27:
                self.reverse = False
            elif c in (38, 48) and codes and codes[0] == 5:
                setattr(self, "fg" if c == 38 else "bg", colour(codes[1]))
                codes = codes[2:]
            elif c in (38, 48) and len(codes) > 3:
                setattr(self, "fg" if c == 38 else "bg", "#%02x%02x%02x" % tuple(codes[1:4]))
                codes = codes[4:]
            elif c in (39, 49):
                setattr(self, "fg" if c == 39 else "bg", None)
            elif 30 <= c <= 37 or 90 <= c <= 97:
                self.fg = SIXTEEN[c - 30 if c < 40 else c - 82]
            elif 40 <= c <= 47 or 100 <= c <= 107:
                self.bg = SIXTEEN[c - 40 if c < 50 else c - 92]


def cells(line, pen):
    """(character, foreground, background, bold, dim) of each cell."""
    i = 0
    while i < len(line):
        if line[i] == "\x1b":
            end = i + 1
            while end < len(line) and not line[end].isalpha() and line[end] != "\\":
                end += 1
            if end < len(line) and line[end] == "m" and line[i + 1] == "[":
                pen.apply(line[i + 2:end])
            i = end + 1
            continue
        if line[i] >= " ":
            yield line[i], (pen.fg, pen.bg, pen.bold, pen.dim, pen.reverse)
        i += 1


# The dots of braille by bit: column and row. Fonts draw them in other widths, so they are drawn as squares.
DOTS = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)]


def shape(c, x, y):
    """The path of a glyph that is drawn and not written: blocks and braille; None for all others."""
    n = ord(c)
    if 0x2800 < n < 0x2900:
        return "".join("M%.2f %.2fh2.6v2.6h-2.6z" % (x + 1 + 4.2 * col, y + 1 + 4.5 * row)
                       for bit, (col, row) in enumerate(DOTS) if (n - 0x2800) >> bit & 1)
    if 0x2581 <= n <= 0x2588:
        h = CELL_H * (n - 0x2580) / 8
        return "M%.2f %.2fh%.2fv%.2fh-%.2fz" % (x, y + CELL_H - h, CELL_W + 0.1, h, CELL_W + 0.1)
    if n == 0x2596:
        return "M%.2f %.2fh%.2fv%.2fh-%.2fz" % (x, y + CELL_H / 2, CELL_W / 2, CELL_H / 2, CELL_W / 2)
    return None


def runs(row):
    """Neighbouring cells of one look: (column, text, look)."""
    start = 0
    for i in range(1, len(row) + 1):
        if i == len(row) or row[i][1] != row[start][1]:
            yield start, "".join(c for c, _ in row[start:i]), row[start][1]
            start = i


def draw(lines, cols, rows, light, made_by):
    ink, paper = ("#1a1a1a", "#fdfdfd") if light else ("#d0d0d0", "#0c0c0c")
    width, height = cols * CELL_W, rows * CELL_H
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.2f %.2f">' % (width, height, width, height),
           "<desc>Generated: %s</desc>" % html.escape(made_by),
           '<rect width="100%%" height="100%%" fill="%s"/>' % paper,
           '<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="%d" xml:space="preserve">' % SIZE]
    pen = Pen()
    for y, line in enumerate(lines):
        for x, text, (fg, bg, bold, dim, reverse) in runs(list(cells(line, pen))):
            fg, bg = fg or ink, bg
            if reverse:
                fg, bg = bg or paper, fg
            if bg:
                out.append('<rect x="%.2f" y="%d" width="%.2f" height="%d" fill="%s"/>' % (
                    x * CELL_W, y * CELL_H, len(text) * CELL_W + 0.3, CELL_H, bg))
            shapes = [shape(c, (x + i) * CELL_W, y * CELL_H) for i, c in enumerate(text)]
            if any(shapes):
                out.append('<path fill="%s" d="%s"/>' % (fg, "".join(s for s in shapes if s)))
                text = "".join(" " if s else c for c, s in zip(text, shapes))
            if text.strip():
                out.append('<text x="%.2f" y="%.1f" fill="%s"%s%s textLength="%.2f" lengthAdjust="spacingAndGlyphs">%s</text>' % (
                    x * CELL_W, y * CELL_H + 14, fg, ' font-weight="bold"' if bold else "", ' opacity="0.6"' if dim else "",
                    len(text) * CELL_W, html.escape(text)))
    return "\n".join(out + ["</g>", "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-s", "--size", default="160x48")
    parser.add_argument("-w", "--wait", type=float, default=5)
    parser.add_argument("-k", "--keys", default="")
    parser.add_argument("-l", "--light", action="store_true")
    parser.add_argument("output")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    cols, rows = (int(n) for n in args.size.split("x"))
    command = [os.path.abspath(args.command[0])] + args.command[1:] if os.path.sep in args.command[0] else args.command
    with open(args.output, "w", encoding="utf-8") as file:
        file.write(draw(screen(command, cols, rows, args.wait, args.keys.split()), cols, rows, args.light,
                        shlex.join(["contrib/screenshot.py", *sys.argv[1:]])))
    return 0


sys.exit(main())
