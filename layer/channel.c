#include "layer/channel.h"

static struct passes_link channel;
static unsigned channel_users; /* under its lock */

static void leave_channel(void)
{
	passes_link_leave(&channel);
}

bool channel_open(enum passes_writer writer, enum passes_stamp stamp, const char *driver)
{
	bool open;

	pthread_mutex_lock(&channel.lock);
	open = channel_users || passes_link_open(&channel, writer, stamp, driver, leave_channel);
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
