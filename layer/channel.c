#include "layer/channel.h"

static struct passes_link channel;
static unsigned channel_users; /* under its lock */
static pthread_once_t forks_once = PTHREAD_ONCE_INIT;
static bool forks_handled;

/* glibc puts pthread_atfork into each program, where it calls __register_atfork, which no other C
 * library has. A library that is to work with all of them needs neither. */
#ifdef __GLIBC__
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *object)
	__attribute__((weak));
extern __typeof__(pthread_atfork) pthread_atfork __attribute__((weak));

bool channel_at_fork(void (*child)(void))
{
	return __register_atfork ? __register_atfork(NULL, NULL, child, NULL) == 0
				 : pthread_atfork && pthread_atfork(NULL, NULL, child) == 0;
}
#else
bool channel_at_fork(void (*child)(void))
{
	return pthread_atfork(NULL, NULL, child) == 0;
}
#endif

static void leave_channel(void)
{
	passes_link_leave(&channel);
}

static void handle_forks(void)
{
	forks_handled = channel_at_fork(leave_channel);
}

bool channel_open(enum passes_writer writer, enum passes_stamp stamp, const char *driver)
{
	bool open;

	pthread_once(&forks_once, handle_forks);
	pthread_mutex_lock(&channel.lock);
	open = channel_users || (forks_handled && passes_link_open(&channel, writer, stamp, driver));
	channel_users += open;
	pthread_mutex_unlock(&channel.lock);
	if (open)
		channel_tend(passes_now_ns());
	return open;
}

void channel_close(void)
{
	int saved = errno;

	pthread_mutex_lock(&channel.lock);
	if (channel_users && --channel_users == 0)
		passes_link_close(&channel);
	pthread_mutex_unlock(&channel.lock);
	errno = saved;
}

void channel_write(const struct passes_event *e, unsigned n)
{
	uint64_t *memory = passes_link_memory(&channel);

	if (memory)
		passes_write_all(memory, e, n);
}

void channel_grow(void)
{
	uint64_t *memory = passes_link_memory(&channel);

	if (memory)
		passes_grow(memory);
}

void channel_count(enum passes_count count, unsigned n)
{
	uint64_t *memory = passes_link_memory(&channel);

	if (memory && n)
		passes_count(memory, count, n);
}

uint16_t channel_name(const char *text)
{
	return passes_link_name(&channel, text);
}

void channel_tend(int64_t now_ns)
{
	passes_link_tend(&channel, now_ns);
}
