/* What malitop.h costs a program: ns for a begin and an end while no malitop listens, which are to
 * stay under 20 ns each, and while one does. Prints figures; judges nothing. */
#include "malitop.h"

#define CALLS 2000000
#define ROUNDS 7

static double best_ns(unsigned calls)
{
	double best = 1e9;

	for (unsigned round = 0; round < ROUNDS; round++) {
		int64_t begin = passes_now_ns();
		double ns;

		for (unsigned i = 0; i < calls; i++) {
			malitop_begin("region");
			__asm__ volatile("" ::: "memory");
			malitop_end();
		}
		ns = (double)(passes_now_ns() - begin) / calls;
		best = ns < best ? ns : best;
	}
	return best;
}

static int listen_here(const char *directory)
{
	struct sockaddr_un address;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	char path[108];

	memset(&address, 0, sizeof(address));
	address.sun_family = AF_UNIX;
	setenv("XDG_RUNTIME_DIR", directory, 1);
	passes_directory(path, sizeof(path));
	mkdir(path, 0700);
	passes_socket_path(address.sun_path, sizeof(address.sun_path), 0);
	if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 || listen(fd, 4) < 0)
		return -1;
	return fd;
}

int main(void)
{
	char directory[] = "/tmp/malitop-bench-XXXXXX", path[128];
	int fd;

	if (!mkdtemp(directory))
		return 1;
	setenv("XDG_RUNTIME_DIR", directory, 1);
	printf("malitop.h, a begin and an end\n");
	printf("  %6.1f ns while no malitop listens\n", best_ns(CALLS));
	fd = listen_here(directory);
	malitop_state.link.next_ns = 0;
	if (fd >= 0)
		printf("  %6.1f ns while one does\n", best_ns(CALLS / 10));
	snprintf(path, sizeof(path), "%s/malitop/passes.0", directory);
	unlink(path);
	snprintf(path, sizeof(path), "%s/malitop", directory);
	rmdir(path);
	rmdir(directory);
	return 0;
}
