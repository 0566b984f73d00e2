/* A log as replay and report show it: every view is drawn, of sums alone or with instances, and a
 * report is made. What is tried is the text of the start block above all: the mutator changes the
 * payload of one block and leaves all heads right, so that the blocks after it are read as well.
 * The first byte: 1 with instances, 2 a report. */
#include "tests/fuzz/right_heads.h"

#include "base/file.h"
#include "report/report.h"
#include "tui/player.h"
#include "tui/screen.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
/* Of libFuzzer; without it nothing mutates. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most) __attribute__((weak));

#define FRAMES 3

/* Mutate the payload of one block, half the time that of the start block. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	size_t at = 1, starts[64], n = 0, begin, len, rest, fresh;
	AUTOFREE uint8_t *tail = NULL;

	if (size < 1 + MLOG_HEAD || !LLVMFuzzerMutate)
		return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, most) : size;
	data[0] = (uint8_t)(seed >> 8);
	for (; n < ARRAY_LEN(starts) && at + MLOG_HEAD <= size && memcmp(data + at, "MLog", 4) == 0; n++) {
		starts[n] = at;
		at += MLOG_HEAD + (size_t)wire_get_u32(data + at + 32);
	}
	if (!n)
		return LLVMFuzzerMutate(data, size, most);
	begin = starts[seed & 1 ? 0 : (seed >> 16) % n];
	len = wire_get_u32(data + begin + 32);
	if (len > size - begin - MLOG_HEAD)
		len = size - begin - MLOG_HEAD;
	rest = size - begin - MLOG_HEAD - len;
	tail = xmalloc(rest + 1);
	memcpy(tail, data + begin + MLOG_HEAD + len, rest);
	fresh = LLVMFuzzerMutate(data + begin + MLOG_HEAD, len, most - begin - MLOG_HEAD - rest);
	wire_u32(data + begin + 32, (uint32_t)fresh);
	memcpy(data + begin + MLOG_HEAD + fresh, tail, rest);
	return begin + MLOG_HEAD + fresh + rest;
}

static void draw_views(const struct sys *sys, const struct options *options, unsigned parts)
{
	struct session session;
	struct err err = {0};
	struct player *player = player_open(&session, sys, options, NULL, &err);
	struct screen screen = {0};
	struct feeds feeds;
	struct canvas canvas;
	AUTO_STRBUF struct strbuf text = {0};

	if (!player)
		return;
	feeds_init(&feeds, &session, parts, player->refresh_ns);
	canvas_init(&canvas, 120, 60, false);
	canvas.mono = true;
	if (screen_init(&screen, &session, &feeds, options->view, &err)) {
		feeds_want_points(&feeds, 2 * canvas.cols + VIEW_POINTS_BEFORE);
		if (player_start(player, &feeds, 0, &err)) {
			screen_of_log(&screen, player);
			player_settle(player);
			for (int i = 0; i < FRAMES; i++) {
				player_step(player, 1, 0);
				player_settle(player);
			}
			screen_describe(&screen, 0);
			screen_show_moment(&screen, player, 0);
			for (unsigned i = 0; i < screen.views.n_views; i++) {
				screen_show(&screen, &screen.views.views[i]);
				screen_draw(&screen, NULL, &canvas);
			}
			canvas_dump(&canvas, &text);
		}
	}
	canvas_fini(&canvas);
	screen_fini(&screen);
	feeds_fini(&feeds);
	session_close(&session);
	player_free(player);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct options options;
	static struct sys sys;
	static char program[] = "malitop", command[] = "replay", path[64],
		    *arguments[] = {program, command, path, NULL};
	static int fd = -1;
	struct file *file;
	AUTO_STRBUF struct strbuf page = {0};
	struct err err = {0};
	size_t n = size ? size - 1 : 0;
	AUTOFREE uint8_t *copy = xmalloc(n + 1);

	if (fd < 0) {
		fd = memfd_create("fuzz", MFD_CLOEXEC);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		if (fd < 0 || !sys_init(&sys, NULL, &err) ||
		    options_parse(&options, 3, arguments, &err) != EXIT_DONE)
			abort();
	}
	if (n)
		memcpy(copy, data + 1, n);
	right_heads(copy, n);
	if (ftruncate(fd, 0) != 0 || pwrite(fd, copy, n, 0) != (ssize_t)n)
		abort();
	draw_views(&sys, &options, size && data[0] & 1 ? SUBSCRIBER_INSTANCES : 0);
	if (size && data[0] & 2 && (file = file_open(path, &err)))
		report_page_of(&sys, &options, file, path, &page, &err);
	return 0;
}
