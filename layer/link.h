/* link: the writer's side of passes/passes.h: its memory, its names and its connections. channel.c
 * is the one of the libraries, malitop.h has its own.
 *
 * It runs in another program's threads: it never blocks, raises no signal, writes to no file or
 * terminal of that program, and starts no thread. Without malitop it tries to connect once a
 * second. Threads: all, for every function. C11 or C++11, on Linux, without _GNU_SOURCE. */
#ifndef MALITOP_LAYER_LINK_H
#define MALITOP_LAYER_LINK_H

#include "passes/passes.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/un.h>
#include <time.h>

#define PASSES_TEND_NS 1000000000ll
#define PASSES_NAME_SLOTS (PASSES_NAMES * 4)

/* Declarations that the C library makes only with _GNU_SOURCE, or not at all. */
enum {
	PASSES_WIPE_ON_FORK = 18, /* MADV_WIPEONFORK */
	PASSES_MFD_FLAGS = 1 | 2, /* MFD_CLOEXEC, MFD_ALLOW_SEALING */
	PASSES_ADD_SEALS = 1033,
	PASSES_SEAL_SEAL = 1,
	PASSES_SEAL_SIZE = 2 | 4, /* F_SEAL_SHRINK, F_SEAL_GROW */
	PASSES_SEAL_FUTURE_WRITE = 16,
};
struct passes_peer {
	pid_t pid;
	uid_t uid;
	gid_t gid;
};

/* A descriptor, and what it was: a program that closes all descriptors may reuse our number. */
struct passes_fd {
	int fd;
	dev_t dev;
	ino_t ino;
};

/* Zeros are a closed link, and a lock that is free. */
struct passes_link {
	pthread_mutex_t lock; /* of everything but memory, next_ns and connected */
	uint64_t *memory;     /* NULL: closed, or a child of fork */
	int64_t next_ns;      /* when passes_link_tend acts again */
	uint64_t events;      /* when it last did; of the lock's */
	unsigned connected;   /* to this many malitops */
	pid_t owner;          /* the process that opened it */
	const uint8_t *mine;  /* 1 there, 0 in its children; NULL where the kernel cannot do that */
	struct passes_fd memory_fd, socket[PASSES_SOCKETS];
	unsigned n_names;
	uint16_t by_hash[PASSES_NAME_SLOTS]; /* number of a name, or 0 */
	char names[PASSES_NAMES][PASSES_TEXT];
};

static inline uint64_t *passes_link_memory(struct passes_link *link)
{
	return __atomic_load_n(&link->memory, __ATOMIC_ACQUIRE);
}

static inline uint64_t passes_clock_ns(clockid_t clock)
{
	struct timespec t;

	return clock_gettime(clock, &t) == 0 ? (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec : 0;
}

static inline int64_t passes_now_ns(void)
{
	return (int64_t)passes_clock_ns(CLOCK_MONOTONIC);
}

/* Whether this process opened the link: its child has a copy. malitop.h cannot ask the C library to
 * call it in children, because that would call it also when its object was unloaded. */
static inline bool passes_link_is_own(const struct passes_link *link)
{
	return link->mine ? __atomic_load_n(link->mine, __ATOMIC_RELAXED) != 0 : link->owner == getpid();
}

/* What the CPUs had worked at the last boundary of frames. */
struct passes_cpu {
	uint64_t thread_ns, process_ns; /* 0: there was no boundary */
	pthread_t thread;               /* whose time that is */
};

static inline uint32_t passes_cpu_since(uint64_t before_ns, uint64_t now_ns)
{
	uint64_t most = PASSES_CPU_UNKNOWN - 1;

	if (!before_ns || now_ns < before_ns)
		return PASSES_CPU_UNKNOWN;
	return (uint32_t)(now_ns - before_ns < most ? now_ns - before_ns : most);
}

/* Set the CPU times of the frame that this thread ends. A frame that another thread began has no
 * thread of its own. */
static inline void passes_cpu_end(struct passes_cpu *cpu, struct passes_event *frame)
{
	uint64_t thread_ns = passes_clock_ns(CLOCK_THREAD_CPUTIME_ID),
		 process_ns = passes_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	bool same = cpu->thread_ns && pthread_equal(cpu->thread, pthread_self());

	frame->thread_ns = passes_cpu_since(same ? cpu->thread_ns : 0, thread_ns);
	frame->process_ns = passes_cpu_since(cpu->process_ns, process_ns);
	cpu->thread_ns = thread_ns;
	cpu->process_ns = process_ns;
	cpu->thread = pthread_self();
}

static inline bool passes_fd_set(struct passes_fd *own, int fd)
{
	struct stat st;

	own->fd = fd;
	if (fd < 0 || fstat(fd, &st) < 0) {
		own->fd = -1;
		return false;
	}
	own->dev = st.st_dev;
	own->ino = st.st_ino;
	return true;
}

static inline bool passes_fd_is_ours(const struct passes_fd *own)
{
	struct stat st;

	return own->fd >= 0 && fstat(own->fd, &st) == 0 && st.st_dev == own->dev && st.st_ino == own->ino;
}

static inline void passes_fd_close(struct passes_fd *own)
{
	if (passes_fd_is_ours(own))
		close(own->fd);
	own->fd = -1;
}

static inline uint64_t *passes_map_memory(struct passes_fd *own)
{
	int fd = (int)syscall(SYS_memfd_create, "malitop-passes", PASSES_MFD_FLAGS), saved = errno;
	void *memory = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, PASSES_BYTES) == 0)
		memory = mmap(NULL, PASSES_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory != MAP_FAILED && fcntl(fd, PASSES_ADD_SEALS, PASSES_SEAL_SIZE) == 0) {
		/* Linux 5.1 can also refuse writing to all others; before that, they are trusted
		 * with their own user's memory. */
		fcntl(fd, PASSES_ADD_SEALS, PASSES_SEAL_FUTURE_WRITE);
		fcntl(fd, PASSES_ADD_SEALS, PASSES_SEAL_SEAL);
		passes_fd_set(own, fd);
		return (uint64_t *)memory;
	}
	if (memory != MAP_FAILED)
		munmap(memory, PASSES_BYTES);
	if (fd >= 0)
		close(fd);
	errno = saved;
	return NULL;
}

/* A page that is zero in a child of fork, since Linux 4.14; else NULL. */
static inline const uint8_t *passes_map_mine(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return NULL;
	if (madvise(page, size, PASSES_WIPE_ON_FORK) == 0) {
		*(uint8_t *)page = 1;
		return (const uint8_t *)page;
	}
	munmap(page, size);
	return NULL;
}

/* The name of the program, as the kernel has it. */
static inline void passes_set_title(uint64_t *memory)
{
	char title[64] = "";
	int fd = open("/proc/self/comm", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, title, sizeof(title) - 1) : 0;

	if (fd >= 0)
		close(fd);
	title[n > 0 && title[n - 1] == '\n' ? n - 1 : 0] = 0;
	passes_set_text(memory, PASSES_RECORD_TITLE, title);
}

/* Make the memory, with the lock held. `driver` is what renders, for malitop's user. A child of
 * fork has to call passes_link_leave. Returns false if there is no memory. */
static inline bool passes_link_open(struct passes_link *link, enum passes_writer writer,
				    enum passes_stamp stamp, const char *driver)
{
	int saved = errno;
	uint64_t *memory = passes_map_memory(&link->memory_fd);

	if (memory) {
		link->owner = getpid();
		link->mine = passes_map_mine();
	}
	errno = saved;
	if (!memory)
		return false;
	for (unsigned i = 0; i < PASSES_SOCKETS; i++)
		link->socket[i].fd = -1;
	link->n_names = 1;
	link->events = 0;
	memset(link->by_hash, 0, sizeof(link->by_hash));
	passes_set_title(memory);
	errno = saved;
	passes_set_text(memory, PASSES_RECORD_DRIVER, driver);
	passes_set_text(memory, PASSES_HEADER, "other");
	passes_init(memory, writer, stamp);
	__atomic_store_n(&link->next_ns, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&link->memory, memory, __ATOMIC_RELEASE);
	return true;
}

/* A child of fork must not write into its parent's memory, nor keep its connections open. Another
 * thread of the parent may have held the lock, and is not there to release it. Taking the lock
 * before fork instead would let a fork in a signal handler wait for its own thread. What that
 * thread left half done does not matter: the link is closed, and passes_link_open begins anew. */
static inline void passes_link_leave(struct passes_link *link)
{
	int saved = errno;

	__atomic_store_n(&link->memory, (uint64_t *)NULL, __ATOMIC_RELEASE);
	__atomic_store_n(&link->connected, 0u, __ATOMIC_RELEASE);
	__atomic_store_n(&link->next_ns, INT64_MAX, __ATOMIC_RELAXED);
	memset(&link->lock, 0, sizeof(link->lock));
	for (unsigned i = 0; i < PASSES_SOCKETS; i++)
		passes_fd_close(&link->socket[i]);
	passes_fd_close(&link->memory_fd);
	errno = saved;
}

/* Hang up and return the memory, with the lock held. */
static inline uint64_t *passes_link_hang_up(struct passes_link *link)
{
	for (unsigned i = 0; i < PASSES_SOCKETS; i++)
		passes_fd_close(&link->socket[i]);
	passes_fd_close(&link->memory_fd);
	return __atomic_exchange_n(&link->memory, (uint64_t *)NULL, __ATOMIC_ACQ_REL);
}

/* Unmap the memory and hang up, with the lock held. */
static inline void passes_link_close(struct passes_link *link)
{
	uint64_t *memory = passes_link_hang_up(link);

	if (memory)
		munmap(memory, PASSES_BYTES);
	if (memory && link->mine)
		munmap((void *)(uintptr_t)link->mine, (size_t)sysconf(_SC_PAGESIZE));
}

static inline uint16_t passes_find_name(struct passes_link *link, const char text[PASSES_TEXT])
{
	char terminated[PASSES_TEXT + 1] = "";
	unsigned slot = 2166136261u;

	for (unsigned i = 0; i < PASSES_TEXT && text[i]; i++)
		slot = (slot ^ (unsigned char)text[i]) * 16777619u;
	slot %= PASSES_NAME_SLOTS;
	for (; link->by_hash[slot]; slot = (slot + 1) % PASSES_NAME_SLOTS)
		if (memcmp(link->names[link->by_hash[slot]], text, PASSES_TEXT) == 0)
			return link->by_hash[slot];
	if (link->n_names == PASSES_NAMES || !link->memory)
		return 0;
	link->by_hash[slot] = (uint16_t)link->n_names++;
	memcpy(link->names[link->by_hash[slot]], text, PASSES_TEXT);
	memcpy(terminated, text, PASSES_TEXT);
	passes_set_text(link->memory, PASSES_HEADER + link->by_hash[slot], terminated);
	return link->by_hash[slot];
}

/* Return the number of a name; 0 if there is no room for another one. */
static inline uint16_t passes_link_name(struct passes_link *link, const char *text)
{
	char padded[PASSES_TEXT] = "";
	uint16_t name;

	if (!passes_link_memory(link))
		return 0;
	for (unsigned i = 0; i < PASSES_TEXT && text[i]; i++)
		padded[i] = text[i];
	pthread_mutex_lock(&link->lock);
	name = passes_find_name(link, padded);
	pthread_mutex_unlock(&link->lock);
	return name;
}

/* A directory that others may enter could hold another user's socket. */
static inline bool passes_directory_is_safe(void)
{
	char path[108];
	struct stat st;

	return passes_directory(path, sizeof(path)) && lstat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
	       st.st_uid == geteuid() && !(st.st_mode & 077);
}

static inline bool passes_peer_is_user(int fd)
{
	struct passes_peer peer;
	socklen_t size = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

static inline bool passes_send_memory(int to, int memory_fd)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	char text[] = PASSES_HELLO;
	struct iovec hello;
	struct msghdr message;
	struct cmsghdr *c;

	memset(&control, 0, sizeof(control));
	memset(&message, 0, sizeof(message));
	hello.iov_base = text;
	hello.iov_len = sizeof(text) - 1;
	message.msg_iov = &hello;
	message.msg_iovlen = 1;
	message.msg_control = &control;
	message.msg_controllen = sizeof(control.bytes);
	c = CMSG_FIRSTHDR(&message);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &memory_fd, sizeof(int));
	return sendmsg(to, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)sizeof(text) - 1;
}

static inline void passes_connect_socket(struct passes_link *link, unsigned number)
{
	struct sockaddr_un address;
	int fd;

	memset(&address, 0, sizeof(address));
	address.sun_family = AF_UNIX;
	if (!passes_socket_path(address.sun_path, sizeof(address.sun_path), number))
		return;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return;
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0 && passes_peer_is_user(fd) &&
	    passes_send_memory(fd, link->memory_fd.fd))
		passes_fd_set(&link->socket[number], fd);
	else
		close(fd);
}

static inline void passes_tend_sockets(struct passes_link *link)
{
	unsigned connected = 0;
	char byte;

	for (unsigned i = 0; i < PASSES_SOCKETS; i++) {
		struct passes_fd *own = &link->socket[i];

		if (own->fd >= 0 &&
		    (!passes_fd_is_ours(own) || recv(own->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0))
			passes_fd_close(own);
		if (own->fd < 0)
			passes_connect_socket(link, i);
		connected += own->fd >= 0;
	}
	__atomic_store_n(&link->connected, connected, __ATOMIC_RELEASE);
}

/* malitop reads ten times a second, but may be late. */
static inline void passes_link_make_room(struct passes_link *link)
{
	uint64_t *memory = passes_link_memory(link), events;

	if (!memory)
		return;
	events = passes_load(&memory[PASSES_WORD_HEAD]) & ~PASSES_GROWN;
	if (events - link->events > PASSES_RING / 2)
		passes_grow(memory);
	link->events = events;
}

/* Connect to malitops that have appeared, and forget those that are gone: call it often, it acts
 * once a second. */
static inline void passes_link_tend(struct passes_link *link, int64_t now_ns)
{
	int saved = errno;

	if (now_ns < __atomic_load_n(&link->next_ns, __ATOMIC_RELAXED) || !passes_link_memory(link) ||
	    pthread_mutex_trylock(&link->lock))
		return;
	__atomic_store_n(&link->next_ns, now_ns + PASSES_TEND_NS, __ATOMIC_RELAXED);
	passes_link_make_room(link);
	if (passes_link_memory(link) && passes_fd_is_ours(&link->memory_fd) && passes_directory_is_safe())
		passes_tend_sockets(link);
	pthread_mutex_unlock(&link->lock);
	errno = saved;
}

#endif
