/* bench_drm [PROCESSES [CLIENTS]]: what the open drivers cost, in CPU time of the calling thread: a
 * read of all clients on a machine with PROCESSES processes, and a dump of Panfrost's counters,
 * folded into slots. The files are real ones in a temporary directory. The fake reads each file of
 * proc/PID/fd to know what it stands for, where the kernel only answers a stat, so reading clients
 * costs less than is shown, apart from what a driver does to format its fdinfo. */
#include "backends/drm/drm_clients.h"
#include "base/alloc.h"
#include "tests/support/drm_run.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILES 20 /* of a process */
#define READS 100
#define DUMPS 20000
#define S (1000 * MS)

static unsigned n_processes = 500, n_clients = 50;

static void make_machine(struct drm_run *r)
{
	for (unsigned p = 0; p < n_processes; p++) {
		for (int fd = 1; fd <= FILES; fd++)
			drm_run_write(r, "1:3", "proc/%u/fd/%d", 100 + p, fd);
		if (p < n_clients)
			drm_run_client(
				r, (int)(100 + p), FILES + 1, 128, "panfrost", p + 1,
				"drm-engine-fragment:\t1846584880 ns\ndrm-cycles-fragment:\t1424359409\n"
				"drm-maxfreq-fragment:\t799999987 Hz\ndrm-curfreq-fragment:\t799999987 Hz\n"
				"drm-engine-vertex-tiler:\t71932239 ns\n"
				"drm-cycles-vertex-tiler:\t52617357\n"
				"drm-total-memory:\t290 MiB\ndrm-resident-memory:\t36496 KiB\n");
	}
}

static void time_clients(void **state)
{
	struct drm_clients c;
	struct drm_run r;
	struct sys real;
	struct err err;
	int64_t began, first;

	(void)state;
	drm_run_init(&r, &backend_panfrost, "panfrost-6.18", 0x74021000, 0x1b);
	make_machine(&r);
	assert_true(sys_init(&real, NULL, &err));
	c = (struct drm_clients){.sys = &r.fake.sys};
	drm_clients_add(&c, "renderD128", "panfrost");
	began = real.thread_ns(&real);
	drm_clients_read(&c, S);
	first = real.thread_ns(&real) - began;
	began = real.thread_ns(&real);
	for (int i = 2; i < READS + 2; i++)
		drm_clients_read(&c, i * S);
	printf("clients: %u processes with %d files, %u clients: first read %.2f ms, then %.2f ms each\n",
	       n_processes, FILES, c.n, (double)first * 1e-6,
	       (double)(real.thread_ns(&real) - began) * 1e-6 / READS);
	drm_clients_fini(&c);
	sys_fini(&real);
	drm_run_fini(&r);
}

static void time_dumps(void **state)
{
	struct drm_run r;
	struct sys real;
	struct err err;
	int64_t began, spent;

	(void)state;
	drm_run_init(&r, &backend_panfrost, "panfrost-6.18", 0x74021000, 0x1b)->dump_ns = 0;
	assert_true(sys_init(&real, NULL, &err));
	assert_true(drm_run_open(&r) && drm_run_start(&r, 10 * MS));
	began = real.thread_ns(&real);
	for (int i = 0; i < DUMPS; i++) {
		fake_sys_run(&r.fake, 10 * MS);
		assert_int_equal(r.backend->read(r.source, r.fake.now_ns, r.sample), READ_GOT);
	}
	spent = real.thread_ns(&real) - began;
	printf("dumps: %u slots: %.1f us each, with the fake that writes them and every 50th with the "
	       "clients\n",
	       r.source->n_slots, (double)spent * 1e-3 / DUMPS);
	drm_run_fini(&r);
	sys_fini(&real);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest benches[] = {cmocka_unit_test(time_clients), cmocka_unit_test(time_dumps)};

	if (argc > 1)
		n_processes = (unsigned)strtoul(argv[1], NULL, 0);
	if (argc > 2)
		n_clients = (unsigned)strtoul(argv[2], NULL, 0);
	return cmocka_run_group_tests(benches, NULL, NULL);
}
