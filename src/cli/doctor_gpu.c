/* GPUs: open each device that a backend finds and take one sample, as the program would. */
#include "cli/doctor.h"

#include "session/devices.h"
#include "backends/registry.h"
#include "base/alloc.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define WAIT_NS 2000000000ll /* for a first sample */
#define PROCESSES_LINE 0     /* the first line of a description is for the screen only */

static const char *help_of(enum doctor_area area, int code)
{
	static const struct code_text helps[] = {
		{EACCES, "sudo chmod a+rw {} (until the next start), or join its group, which `ls -l {}` "
			 "shows (sudo usermod -aG GROUP $USER, then log in again); on Android run "
			 "malitop from adb shell, in /data/local/tmp, and look for `avc: denied` in dmesg"},
		{EPERM, "run it as root once, to see whether a security module or a container denies access"},
		{EBUSY,
		 "stop other profilers (Streamline's gatord, HWCPipe, another malitop), then try again"},
		{ENOMEM, "free some memory: the driver could not allocate its buffers"},
		{ENODEV, "check dmesg: the driver is loaded, but its GPU does not respond"},
		{ENXIO, "check dmesg: the driver is loaded, but its GPU does not respond"},
		{EIO, "check dmesg: on GPUs with a command stream front end the first open loads firmware, "
		      "which may be missing"},
		{ENOTSUP, "remove the interface from --backend, or choose the other one"},
		{EPROTO, "update malitop, or send its authors the driver's lines of `dmesg | grep -i mali`"},
	};

	/* Messages of other areas have their own advice. */
	return area == DOCTOR_GPU ? code_text_find(helps, ARRAY_LEN(helps), code) : NULL;
}

/* What the driver gives and what is missing comes first, so that it is not overlooked. */
static bool comes_first(struct span line)
{
	static const char *const begins[] = {"gives ", "refused:", "missing:", "limited:"};

	for (size_t i = 0; i < ARRAY_LEN(begins); i++)
		if (line.n > strlen(begins[i]) && strncmp(line.p, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

/* Add a line of a description as a finding. Both "clock: /sys/..." and "driver    K:r44..." are a
 * thing and words. What helps may follow " -> ". */
static void add_line(struct doctor *d, enum doctor_area area, struct span line)
{
	static const struct {
		const char *begins;
		enum doctor_state state;
	} states[] = {{"refused", DOCTOR_REFUSED}, {"missing", DOCTOR_MISSING}, {"limited", DOCTOR_LIMITED}};
	enum doctor_state state = DOCTOR_NOTE;
	AUTOFREE char *words = span_dup(line);
	char *help = strstr(words, " -> ");
	struct span rest, thing;
	size_t gap = 0;

	if (help)
		*help = 0;
	rest = line = span_of(words);
	thing = span_until(&rest, ':');
	while (gap + 1 < line.n && !(line.p[gap] == ' ' && line.p[gap + 1] == ' '))
		gap++;
	if (gap + 1 < line.n && gap < thing.n) {
		thing = (struct span){line.p, gap};
		rest = (struct span){line.p + gap, line.n - gap};
	}
	if (!span_trim(rest).n)
		return;
	for (size_t i = 0; i < ARRAY_LEN(states); i++)
		if (span_is(thing, states[i].begins))
			state = states[i].state;
	if (state != DOCTOR_NOTE)
		thing = span_until(&rest, ':');
	AUTOFREE char *name = span_dup(span_trim(thing));

	doctor_add(d, area, state, name, help ? help + strlen(" -> ") : NULL, "%.*s",
		   SPAN_ARG(span_trim(rest)));
}

static void add_description(struct doctor *d, enum doctor_area area, const struct source *source)
{
	AUTO_STRBUF struct strbuf text = {0};

	source->backend->describe(source, &text);
	for (int first = 1; first >= 0; first--) {
		struct span rest = {text.p, text.n};

		for (unsigned n = 0; rest.n; n++) {
			struct span line = span_until(&rest, '\n');

			if (n != PROCESSES_LINE && line.n && comes_first(line) == first)
				add_line(d, area, line);
		}
	}
}

/* Remove the names that the finding already shows: "kbase: /dev/mali0: cannot open it" becomes
 * "cannot open it". */
static const char *without_names(const char *message, const char *backend, const char *thing)
{
	const char *names[] = {backend, thing};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		size_t n = strlen(names[i]);

		if (strncmp(message, names[i], n) == 0 && strncmp(message + n, ": ", 2) == 0)
			message += n + 2;
	}
	return message;
}

/* The result of waiting for a valid sample. */
struct attempt {
	enum read_result got;
	int64_t took_ns;
	unsigned n_failed;
	const char *why; /* why the last sample failed */
};

/* Wait for a valid sample, or until WAIT_NS is over. */
static struct attempt try_sample(const struct doctor *d, struct source *source, struct sample *sample)
{
	struct attempt a = {.got = READ_NONE, .why = "the driver reports no reason"};
	int64_t start = d->sys->monotonic_ns(d->sys), now = start;

	for (; a.got == READ_NONE && now - start < WAIT_NS; now = d->sys->monotonic_ns(d->sys)) {
		struct pollfd fd = {.fd = source_fd(source), .events = POLLIN};
		int step_ms = fd.fd < 0 ? 1 + (int)(source->period_ns / 4000000) : 200;

		d->sys->poll(d->sys, fd.fd < 0 ? NULL : &fd, fd.fd >= 0, step_ms < 200 ? step_ms : 200);
		sample->flags = sample->lost = 0;
		a.got = source->backend->read(source, d->sys->monotonic_ns(d->sys), sample);
		if (a.got != READ_GOT || !(sample->flags & SAMPLE_ERROR))
			continue;
		a.got = READ_NONE;
		a.n_failed++;
		a.why = sample_failure_texts[sample_failure(sample->flags)];
	}
	a.took_ns = now - start;
	return a;
}

/* Events of a sample that never got a counter. */
static void add_starved_events(struct doctor *d, enum doctor_area area, const char *thing,
			       const struct source *source, const struct sample *sample)
{
	unsigned n = 0, starved = 0;

	for (unsigned i = 0; i < source->n_sums; i++) {
		const struct slot *slot = &source->slots[i];
		uint64_t enabled = sample->value[slot->enabled];

		if (slot->running == slot->enabled || slot->instance != INSTANCE_ALL)
			continue;
		n++;
		starved += enabled && enabled != SAMPLE_UNKNOWN && !sample->value[slot->running];
	}
	if (starved)
		doctor_add(
			d, area, DOCTOR_LIMITED, thing,
			"stop other programs that count events (perf, a debugger), or sudo sysctl "
			"kernel.nmi_watchdog=0",
			"%u of %u event%s had no counter for %lld ms: other programs or the kernel use the "
			"counters",
			starved, n, plural_ending(n),
			(long long)(sample->end_ns - sample->begin_ns) / 1000000);
}

static void measure_source(struct doctor *d, enum doctor_area area, const char *thing, struct source *source)
{
	AUTOFREE struct sample *sample = xcalloc(1, sizeof(*sample) + source->n_slots * sizeof(uint64_t));
	int64_t period_ns = d->options->interval_ns;
	struct attempt a;
	struct err err = {0};

	if (source->untried) { /* a report must not cost energy */
		d->gpu_works |= source->kind == SOURCE_GPU;
		doctor_add(d, area, DOCTOR_OK, thing, NULL,
			   "%s (%s): its counters are available; not tried, because counting keeps the GPU "
			   "powered; `malitop --once` tries them",
			   source->title, source->driver);
		return;
	}
	if (!source->backend->start(source, period_ns, d->sys->monotonic_ns(d->sys), &err)) {
		doctor_add(d, area, doctor_state_of(err.code), thing, help_of(area, err.code), "%s",
			   without_names(err.text, source->backend->name, thing));
		return;
	}
	a = try_sample(d, source, sample);
	source->backend->stop(source);
	if (a.got == READ_GOT) {
		d->gpu_works |= source->kind == SOURCE_GPU && !source->simulated;
		doctor_add(d, area, DOCTOR_OK, thing, NULL, "%s (%s): a sample of %u values after %lld ms%s",
			   source->title, source->driver, source->n_sums ? source->n_sums : source->n_slots,
			   (long long)(a.took_ns / 1000000), source->simulated ? ", simulated" : "");
		add_starved_events(d, area, thing, source, sample);
	} else if (a.got == READ_GONE) {
		doctor_add(d, area, DOCTOR_MISSING, thing, help_of(area, ENODEV), "%s: the device went away",
			   source->title);
	} else if (!a.n_failed) {
		doctor_add(d, area, DOCTOR_LIMITED, thing,
			   "run something that draws, so that the GPU is powered, then try again",
			   "%s (%s): no sample within %lld s", source->title, source->driver,
			   WAIT_NS / 1000000000);
	}
	if (a.n_failed)
		doctor_add(d, area, DOCTOR_LIMITED, thing,
			   "check dmesg; if the driver has another interface, try it (-b kbase:kinstr, -b "
			   "kbase:vinstr)",
			   a.got == READ_GOT
				   ? "%s (%s): %u sample%s failed before that, the last one because %s"
				   : "%s (%s): all %u sample%s failed, the last one because %s",
			   source->title, source->driver, a.n_failed, plural_ending(a.n_failed), a.why);
}

static void check_device(struct doctor *d, enum doctor_area area, const struct backend *backend,
			 const char *device)
{
	const struct source_options what = {.db = d->db,
					    .gpu_name = d->options->gpu,
					    .scenario = d->options->scenario,
					    .seed = d->options->seed,
					    .interval_ns = d->options->interval_ns};
	const char *thing = device[0] ? device : backend->name;
	struct err err = {0};
	struct source *source = source_open(d->sys, backend, &what, device, &err);
	char *advice = strstr(err.text, ": try `malitop doctor`"); /* the user is already running it */

	if (advice)
		*advice = 0;
	if (!source) {
		doctor_add(d, area, doctor_state_of(err.code), thing, help_of(area, err.code), "%s",
			   without_names(err.text, backend->name, thing));
		return;
	}
	measure_source(d, area, thing, source);
	add_description(d, area, source);
	backend->close(source);
	source_free(source);
}

void doctor_backend(struct doctor *d, enum doctor_area area, const struct backend *backend)
{
	struct source_found *found = NULL, *next;
	struct err err = {0};

	if (!backend->probe(d->sys, &found, &err))
		doctor_add(d, area, doctor_state_of(err.code), backend->name, help_of(area, err.code), "%s",
			   without_names(err.text, backend->name, ""));
	for (; found; found = next) {
		next = found->next;
		check_device(d, area, backend, found->device);
		free(found);
	}
}

void doctor_gpu(struct doctor *d)
{
	for (unsigned i = 0; registry[i]; i++) {
		bool is_sim = strcmp(registry[i]->name, "sim") == 0;

		if (is_sim && d->options->scenario)
			check_device(d, DOCTOR_GPU, registry[i], "");
		else if (!is_sim && registry[i]->kind == SOURCE_GPU)
			doctor_backend(d, DOCTOR_GPU, registry[i]);
	}
}
