/* message: messages on standard error, prefixed with "malitop: ".
 *
 * Arguments and the names of files, devices and processes are untrusted. Control characters are
 * replaced here (str_printable), so callers need not do it. Thread: the main one.
 */
#ifndef MALITOP_MESSAGE_H
#define MALITOP_MESSAGE_H

#include <stddef.h>

/* Print one message; no newline at the end of fmt. A newline inside is kept only if two blanks
 * follow it. */
void message(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Print lines of a report, each as it is. */
void message_lines(const char *text);

/* Print text of strbuf_printable. */
void message_text(const char *text, size_t n);

/* Print a line that the next message or the next progress line replaces. */
void message_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void message_progress_end(void);

#endif
