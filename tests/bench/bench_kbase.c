/* What a sample of a Mali driver costs: the backend alone against the fake driver in this process,
 * then the real program ($MALITOP, else ./malitop) recording every millisecond over libfakemali.so.
 * GPUs of 16 cores. Prints figures; judges nothing.
 *
 * The fake driver's own work is in the second part's CPU time, as a real driver's would be in the
 * kernel's. */
#include "backends/backends.h"
#include "base/alloc.h"
#include "tests/fake/fake_sys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000ll
#define SAMPLES 20000
#define BATCH 16 /* samples that the sampler takes at once, at 1 ms */
#define RECORD "10s"

static const struct kbase_kind {
	const char *what, *driver;
	uint64_t id;
	unsigned n_values;
	bool per_core;
} kinds[] = {
	{"vinstr, Mali-G78, sums", "r44p0", 0x90820000, 64, false},
	{"vinstr, Mali-G78, per core", "r44p0", 0x90820000, 64, true},
	{"kinstr_prfcnt, Mali-G715, sums", "r54p1", 0xb8520000, 128, false},
	{"kinstr_prfcnt, Mali-G715, per core", "r54p1", 0xb8520000, 128, true},
};

static int64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* CPU time of read alone, per sample; 0 on failure. */
static double measure_cost(const struct kbase_kind *kind, const struct gpudb *db, unsigned *n_slots,
			   unsigned *n_lost)
{
	struct fake_sys fake;
	struct source source = {.backend = &backend_kbase};
	struct sample *sample;
	int64_t spent = 0;
	unsigned n = 0;
	struct err err;

	fake_sys_init(&fake, NULL);
	fake_sys_add_gpu(&fake, kind->driver, kind->id, 0xffff)->n_values = kind->n_values;
	fake.kbase.gpus[0].slices = 4;
	source.sys = &fake.sys;
	source.options = (struct source_options){.db = db, .interval_ns = MS, .per_instance = kind->per_core};
	source.priv = xcalloc(1, backend_kbase.priv_size);
	if (!backend_kbase.open(&source, "/dev/mali0", &err) ||
	    !backend_kbase.start(&source, MS, fake.now_ns, &err)) {
		printf("%s: %s\n", kind->what, err.text);
		return 0;
	}
	*n_slots = source.n_slots;
	*n_lost = 0;
	sample = xcalloc(1, sizeof(*sample) + source.n_slots * sizeof(uint64_t));
	while (n < SAMPLES) {
		int64_t before;

		fake_sys_run(&fake, BATCH * MS);
		before = cpu_ns();
		for (; backend_kbase.read(&source, fake.now_ns, sample) == READ_GOT; n++) {
			*n_lost += sample->lost + (sample->flags != 0);
			sample->flags = sample->lost = 0;
		}
		spent += cpu_ns() - before;
	}
	backend_kbase.stop(&source);
	backend_kbase.close(&source);
	free(sample);
	free(source.slots);
	free(source.priv);
	fake_sys_fini(&fake);
	return (double)spent / n;
}

static void bench_backend(void)
{
	struct gpudb *db = gpudb_load(NULL, 0, NULL);

	printf("%-36s %8s %12s %10s %12s %8s\n", "backend, 16 cores, 4 L2 slices", "slots", "us a sample",
	       "at 1 ms", "samples/s", "flagged");
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		unsigned n_slots = 0, n_lost = 0;
		double ns = measure_cost(&kinds[i], db, &n_slots, &n_lost);

		printf("%-36s %8u %12.2f %8.2f %% %12.0f %8u\n", kinds[i].what, n_slots, ns / 1e3, ns / 1e4,
		       1e9 / ns, n_lost);
	}
	gpudb_free(db);
}

static void bench_record(const char *devices, const char *per_core, const char *what)
{
	const char *program = getenv("MALITOP");
	char log[] = "/tmp/bench-kbase-XXXXXX.csv";
	int fd = mkstemps(log, 4), status = 0;
	struct rusage used = {0};
	double cpu;
	pid_t pid;

	close(fd);
	printf("%-36s ", what);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		setenv("LD_PRELOAD", "tests/fake/libfakemali.so", 1);
		setenv("FAKEMALI", devices, 1);
		execl(program ? program : "./malitop", "malitop", "record", "-bkbase", "--force", "-o", log,
		      "-i1ms", "-d" RECORD, per_core, NULL);
		_exit(127);
	}
	wait4(pid, &status, 0, &used);
	cpu = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
	      (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
	printf("%-36s CPU %.2f s, %.1f MiB\n", "", cpu, (double)used.ru_maxrss / 1024);
	unlink(log);
}

int main(void)
{
	bench_backend();
	printf("\nmalitop record -i1ms -d" RECORD ", fake driver included\n");
	bench_record("driver=r44p0 gpu=0x90820000 cores=0xffff slices=4", NULL, "vinstr, Mali-G78, template");
	bench_record("driver=r54p1 gpu=0xb8520000 cores=0xffff slices=4 values=128", NULL,
		     "kinstr_prfcnt, Mali-G715, template");
	bench_record("driver=r54p1 gpu=0xb8520000 cores=0xffff slices=4 values=128", "--per-core",
		     "kinstr_prfcnt, Mali-G715, per core");
	return 0;
}
