#include "base/sys_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 64
#define LOCAL_SOCKET (SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK)
#define LOCK_TRIES 100
#define LOCK_PAUSE_MS 10

static int fail_with(int fd, int error)
{
	if (fd >= 0)
		close(fd);
	errno = error;
	return -1;
}

int sys_private_directory(const char *path)
{
	struct stat st;

	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return -1;
	if (lstat(path, &st) < 0)
		return -1;
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || st.st_mode & 077)
		return fail_with(-1, EPERM);
	return 0;
}

/* Called under the lock of the directory, so the socket cannot be another starting program's. */
static int remove_stale(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, LOCAL_SOCKET, 0);
	bool stale;

	if (fd < 0)
		return -1;
	stale = connect(fd, (const struct sockaddr *)address, sizeof(*address)) < 0 && errno == ECONNREFUSED;
	close(fd);
	if (stale && unlink(address->sun_path) < 0)
		return -1;
	return 0;
}

/* A starting program holds the lock for a moment. */
static int lock_directory(int fd)
{
	for (unsigned i = 0; flock(fd, LOCK_EX | LOCK_NB) < 0; i++) {
		if (errno != EWOULDBLOCK || i == LOCK_TRIES)
			return -1;
		poll(NULL, 0, LOCK_PAUSE_MS);
	}
	return 0;
}

int sys_listen_local(const char *directory, const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int lock, fd, saved;

	if ((size_t)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path) >=
	    sizeof(address.sun_path))
		return fail_with(-1, ENAMETOOLONG);
	lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (lock < 0 || lock_directory(lock) < 0)
		return fail_with(lock, errno);
	fd = remove_stale(&address) < 0 ? -1 : socket(AF_UNIX, LOCAL_SOCKET, 0);
	if (fd >= 0 &&
	    (bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 || listen(fd, BACKLOG) < 0))
		fd = fail_with(fd, errno);
	saved = errno;
	close(lock);
	errno = saved;
	return fd;
}

void sys_unlisten_local(int fd, const char *path)
{
	if (fd < 0)
		return;
	unlink(path);
	close(fd);
}

int sys_accept_user(int fd)
{
	int got = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	socklen_t size = sizeof(struct ucred);
	struct ucred peer;

	if (got < 0)
		return -1;
	if (getsockopt(got, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || peer.uid != geteuid())
		return fail_with(got, EPERM);
	return got;
}

int sys_peer_process(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 ? 0 : (int)peer.pid;
}

/* The first descriptor of a message; surplus ones are closed. */
static int passed_descriptor(struct msghdr *message)
{
	int first = -1, fd;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t at = 0; at + sizeof(int) <= c->cmsg_len - CMSG_LEN(0); at += sizeof(int)) {
			memcpy(&fd, CMSG_DATA(c) + at, sizeof(fd));
			if (first < 0)
				first = fd;
			else
				close(fd);
		}
	}
	return first;
}

static void *map_sealed(int fd, size_t *bytes)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct stat st;
	void *memory;

	if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(fd, &st) < 0 || st.st_size <= 0 ||
	    st.st_size > (off_t)*bytes) {
		errno = EINVAL;
		return NULL;
	}
	*bytes = (size_t)st.st_size;
	memory = mmap(NULL, *bytes, PROT_READ, MAP_SHARED, fd, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

ssize_t sys_receive_memory(int fd, char *buf, size_t n, size_t *bytes, void **memory)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(4 * sizeof(int))];
	} control;
	struct iovec text = {buf, n};
	struct msghdr message = {.msg_iov = &text,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control.bytes)};
	ssize_t got = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	int passed, saved;

	*memory = NULL;
	if (got < 0)
		return -1;
	passed = passed_descriptor(&message);
	if (passed < 0)
		return got ? fail_with(-1, EINVAL) : 0;
	*memory = got ? map_sealed(passed, bytes) : NULL;
	saved = errno;
	close(passed);
	errno = saved;
	return *memory || !got ? got : -1;
}

void sys_unmap(void *memory, size_t bytes)
{
	if (memory)
		munmap(memory, bytes);
}

int sys_hung_up(int fd)
{
	char byte;
	ssize_t got;

	for (unsigned i = 0; i < 16; i++) {
		got = recv(fd, &byte, 1, MSG_DONTWAIT);
		if (got <= 0)
			return got == 0 || (errno != EAGAIN && errno != EINTR);
	}
	return 1; /* it does not stop talking */
}

/* A TCP address. */
union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static bool tcp_address(union address *address, const char *host, unsigned port)
{
	*address = (union address){.v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)}};
	if (inet_pton(AF_INET, host, &address->v4.sin_addr) == 1)
		return true;
	*address = (union address){.v6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)}};
	return inet_pton(AF_INET6, host, &address->v6.sin6_addr) == 1;
}

int sys_listen_tcp(const char *host, unsigned *port)
{
	union address address;
	socklen_t size = sizeof(address);
	int fd;

	if (!tcp_address(&address, host, *port))
		return fail_with(-1, EINVAL);
	fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int)) < 0 ||
	    bind(fd, &address.any,
		 address.any.sa_family == AF_INET ? sizeof(address.v4) : sizeof(address.v6)) < 0 ||
	    listen(fd, SOMAXCONN) < 0 || getsockname(fd, &address.any, &size) < 0)
		return fail_with(fd, errno);
	*port = ntohs(address.any.sa_family == AF_INET ? address.v4.sin_port : address.v6.sin6_port);
	return fd;
}

int sys_is_loopback(const char *host)
{
	union address address;

	if (!tcp_address(&address, host, 0))
		return false;
	return address.any.sa_family == AF_INET ? ntohl(address.v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET
						: IN6_IS_ADDR_LOOPBACK(&address.v6.sin6_addr);
}

void sys_hang_up(int fd)
{
	shutdown(fd, SHUT_RDWR);
}
