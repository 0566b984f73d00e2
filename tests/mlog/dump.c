/* A log as lines of text by mlog_reader, as tests/mlog/reader.py prints them: second_reader.sh
 * compares the two. Usage: dump FILE */
#include "base/alloc.h"
#include "mlog/mlog_reader.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const source_kinds[] = {"gpu", "cpu", "perf", "passes"};
static const char *const slot_kinds[] = {"delta", "steady", "level", "peak"};
static const char *const instances[] = {"all", "core", "slice", "cluster", "cpu"};

static ssize_t read_file(void *ctx, void *buf, size_t n, uint64_t at)
{
	return pread(*(int *)ctx, buf, n, (off_t)at);
}

static int64_t size_of_file(void *ctx)
{
	struct stat st;

	return fstat(*(int *)ctx, &st) == 0 ? st.st_size : -1;
}

static void dump_slot(unsigned n, const struct slot *s)
{
	printf("slot %u %s %s %s %u %.17g %u %u %u %s\n", n, s->name, slot_kinds[s->kind],
	       instances[s->instance], s->number, s->scale, s->running, s->enabled, s->raw,
	       s->title ? s->title : "");
}

static void dump_source(unsigned n, const struct mlog_source *s)
{
	const struct {
		const char *name, *text;
	} texts[] = {{"kind", source_kinds[s->kind]}, {"backend", s->backend},
		     {"device", s->device},           {"title", s->title},
		     {"driver", s->driver},           {"note", s->note},
		     {"product", s->product}};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		printf("source %u %s %s\n", n, texts[i].name, texts[i].text);
	printf("source %u %" PRId64 " %" PRId64 " %d %.17g %u 0x%" PRIx64 " %u %u %u %u\n", n, s->period_ns,
	       s->asked_ns, s->simulated, s->constants.top_hz, s->constants.core_count,
	       s->constants.core_mask, s->constants.l2_slice_count, s->constants.bus_width_bits,
	       s->constants.block_values, s->n_sums);
	for (unsigned i = 0; i < s->n_slots; i++)
		dump_slot(n, &s->slots[i]);
}

static void dump_about(const struct mlog_about *about)
{
	printf("log program %s\nlog host %s\nlog kernel %s\nlog scope %s\n", about->program, about->host,
	       about->kernel, about->scope);
	printf("log %" PRId64 " %" PRId64 " %.17g %u %u\n", about->monotonic_ns, about->realtime_ns,
	       about->fps, about->width, about->height);
	for (unsigned i = 0; i < about->n_sources; i++)
		dump_source(i, &about->sources[i]);
}

static void dump_sample(const struct sample *s, const struct slot *slots)
{
	printf("%u %" PRIu64 " %" PRId64 " %" PRId64 " %u %u", s->source, s->seq, s->begin_ns, s->end_ns,
	       s->flags, s->lost);
	for (unsigned i = 0; i < s->n_values; i++)
		if (s->value[i] == SAMPLE_UNKNOWN)
			printf(" -");
		else if (slots[i].kind == SLOT_LEVEL || slots[i].kind == SLOT_PEAK)
			printf(" %" PRId64, (int64_t)s->value[i]);
		else
			printf(" %" PRIu64, s->value[i]);
	if (s->n_more)
		printf(" lanes");
	for (unsigned i = 0; i < s->n_more; i++)
		printf(" %" PRIu64, s->value[s->n_values + i]);
	printf("\n");
}

static void dump_note(const struct mlog_note *note)
{
	printf("note %u %" PRId64 " ", note->kind, note->time_ns);
	if (note->source >= 0)
		printf("%d", note->source);
	else
		printf("-");
	printf(" %" PRId64 " %s\n", note->value, note->text);
}

static void dump_bytes(uint64_t n)
{
	if (n == SAMPLE_UNKNOWN)
		printf(" -");
	else
		printf(" %" PRIu64, n);
}

static void dump_float(float value)
{
	if (isnan(value))
		printf(" -");
	else
		printf(" %.9g", (double)value);
}

static void dump_processes(const struct process_list *list)
{
	/* a list without percentages yet: its begin is 0, and in a log its end */
	printf("processes %" PRId64 " %" PRId64 " %" PRId64 " %u %d %u\n",
	       list->begin_ns ? list->begin_ns : list->end_ns, list->end_ns, list->cost_ns, list->n_hidden,
	       list->threads, list->n);
	for (unsigned i = 0; i < list->n; i++) {
		const struct process *p = &list->processes[i];

		printf("process %d %d %d %d %u %u %" PRIu64 " %" PRIu64, p->pid, p->parent, p->is_thread,
		       p->state, p->uid, p->threads, p->start, p->cpu_ns);
		dump_bytes(p->rss_bytes);
		dump_bytes(p->gpu_bytes);
		dump_float(p->cpu_percent);
		dump_float(p->gpu_percent);
		dump_float(p->ipc);
		dump_float(p->gpu_queues ? p->gpu_fragment_percent : NAN);
		dump_float(p->gpu_queues ? p->gpu_vertex_percent : NAN);
		printf(" %s|%s\n", p->name, p->user);
	}
}

static void dump_block(struct mlog_reader *r, const struct mlog_block *block)
{
	const struct mlog_about *about = mlog_reader_about(r);
	const struct process_list *list = block->has_processes ? mlog_reader_processes(r) : NULL;

	printf("block %" PRId64 " %" PRId64 " %u\n", block->begin_ns, block->end_ns, block->flags);
	for (unsigned i = 0; i < block->n_samples; i++)
		dump_sample(block->samples[i], about->sources[block->samples[i]->source].slots);
	for (unsigned i = 0; i < block->n_notes; i++)
		dump_note(&block->notes[i]);
	if (list)
		dump_processes(list);
}

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	struct mlog_input input = {&fd, read_file, size_of_file};
	const struct mlog_block *block;
	struct mlog_reader *r;
	struct mlog_state state;
	struct err err = {0};

	if (fd < 0) {
		fprintf(stderr, "usage: dump FILE\n");
		return 2;
	}
	r = mlog_reader_new(&input, argv[1], &err);
	if (!r) {
		fprintf(stderr, "dump: %s\n", err.text);
		return 1;
	}
	dump_about(mlog_reader_about(r));
	while ((block = mlog_reader_next(r, &err)))
		dump_block(r, block);
	mlog_reader_state(r, &state);
	printf("whole %" PRIu64 " ended %d cut %" PRIu64 " damaged %" PRIu64 "\n", state.bytes, state.ended,
	       state.cut, state.damaged);
	mlog_reader_free(r);
	close(fd);
	return err.code != 0;
}
