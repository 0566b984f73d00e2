#include "backends/kbase/kbase.h"
#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define PROPS_BYTES_MAX 65536
#define RETRIES 16

int kbase_ioctl(const struct sys *sys, int fd, unsigned request, void *arg)
{
	int result, tries = 0;

	do
		result = sys->ioctl(sys, fd, request, arg);
	while (result < 0 && errno == EINTR && ++tries < RETRIES);
	return result;
}

enum read_result kbase_wait_result(const struct sys *sys, int fd)
{
	struct pollfd waiting = {.fd = fd, .events = POLLIN};

	if (sys->poll(sys, &waiting, 1, 0) < 1)
		return READ_NONE;
	return waiting.revents & POLLIN ? READ_GOT : READ_GONE;
}

/* ---- handshake ---- */

/* Each generation has its own version request. A driver of another generation leaves the version at
 * 0.0, except that a UK driver answers a later request with its error number there. So ask for UK
 * first. */
static bool ask_uk(struct kbase_device *d)
{
	struct uk_version v = {.header = {.id = UK_ID_VERSION_CHECK}};

	kbase_ioctl(d->sys, d->fd, UK_VERSION_CHECK, &v);
	d->version = (struct kbase_version){KBASE_UK, v.major, v.minor};
	return v.major || v.minor;
}

static bool ask_ioctl(struct kbase_device *d, enum kbase_api api, unsigned request)
{
	struct kbase_abi_version v = {0, 0};

	kbase_ioctl(d->sys, d->fd, request, &v);
	d->version = (struct kbase_version){api, v.major, v.minor};
	return v.major || v.minor;
}

/* The supported major version of each API; all of its minor versions are known or compatible. */
static const unsigned majors[] = {[KBASE_UK] = 10, [KBASE_JM] = 11, [KBASE_CSF] = 1};
const char *const kbase_api_names[] = {
	[KBASE_UK] = "UK", [KBASE_JM] = "job manager", [KBASE_CSF] = "command stream"};

static bool shake_hands(struct kbase_device *d, struct err *err)
{
	const struct kbase_version *v = &d->version;

	errno = 0;
	if (!ask_uk(d) && !ask_ioctl(d, KBASE_JM, KBASE_VERSION_CHECK_JM) &&
	    !ask_ioctl(d, KBASE_CSF, KBASE_VERSION_CHECK_CSF)) {
		if (errno && errno != EPERM && errno != ENOTTY && errno != EINVAL && errno != EFAULT)
			return err_set(err, errno, "%s: the driver refuses the version handshake: %s",
				       d->path, strerror(errno));
		return err_set(err, EPROTO,
			       "%s: not a Mali driver that malitop supports: it reports no API version",
			       d->path);
	}
	if (v->major == majors[v->api])
		return true;
	return err_set(err, EPROTO, "%s: the driver's API %u.%u (%s) is too %s: malitop supports %u.x",
		       d->path, v->major, v->minor, kbase_api_names[v->api],
		       v->major < majors[v->api] ? "old" : "new", majors[v->api]);
}

/* Request a context that only monitors. If the handshake made a context already, or the driver does
 * not know the flag, the request fails. That is harmless: the next request shows whether there is a
 * context. */
static bool set_flags(struct kbase_device *d, struct err *err)
{
	struct uk_flags uk = {.header = {.id = UK_ID_SET_FLAGS}, .create_flags = KBASE_FLAG_MONITOR};
	uint32_t flags = KBASE_FLAG_MONITOR;
	bool is_uk = d->version.api == KBASE_UK;
	int result = is_uk ? kbase_ioctl(d->sys, d->fd, UK_SET_FLAGS, &uk)
			   : kbase_ioctl(d->sys, d->fd, KBASE_SET_FLAGS, &flags);

	if (result >= 0 || errno == EPERM || errno == EINVAL || (is_uk && errno == EFAULT))
		return true;
	return err_set(err, errno, "%s: the driver creates no context: %s", d->path, strerror(errno));
}

/* ---- identity ---- */

static bool read_props_uk(struct kbase_device *d, struct err *err)
{
	union {
		struct uk_header header;
		uint8_t bytes[UK_PROPS_SIZE];
	} props = {.bytes = {0}};

	props.header.id = UK_ID_GPU_PROPS;
	if (kbase_ioctl(d->sys, d->fd, UK_GPU_PROPS, &props) < 0)
		return err_set(err, errno, "%s: cannot read the GPU's properties: %s", d->path,
			       strerror(errno));
	if (props.header.id)
		return err_set(err, EPROTO, "%s: cannot read the GPU's properties: the driver's error %u",
			       d->path, props.header.id);
	kbase_props_parse_uk(&d->props, props.bytes);
	return true;
}

static bool read_props(struct kbase_device *d, struct err *err)
{
	struct kbase_abi_buffer request = {0};
	int n = kbase_ioctl(d->sys, d->fd, KBASE_GET_GPUPROPS, &request), size = n;
	AUTOFREE uint8_t *stream = NULL;

	if (n > PROPS_BYTES_MAX)
		return err_set(err, EPROTO, "%s: too many GPU properties: %d bytes", d->path, n);
	if (n > 0) {
		stream = xcalloc((size_t)n, 1);
		request = (struct kbase_abi_buffer){.address = (uintptr_t)stream, .size = (uint32_t)n};
		n = kbase_ioctl(d->sys, d->fd, KBASE_GET_GPUPROPS, &request);
	}
	if (n < 0)
		return err_set(err, errno, "%s: cannot read the GPU's properties: %s", d->path,
			       strerror(errno));
	if (n && n <= size && kbase_props_parse(&d->props, stream, (size_t)n))
		return true;
	return err_set(err, EPROTO, "%s: cannot read the GPU's properties: the driver's list is malformed",
		       d->path);
}

/* Only shown to the user, so it is not an error if the driver does not report it. */
static void read_release(struct kbase_device *d)
{
	char text[256] = "";
	struct kbase_abi_buffer request = {.address = (uintptr_t)text, .size = sizeof(text) - 1};

	if (d->version.api == KBASE_UK || kbase_ioctl(d->sys, d->fd, KBASE_GET_DDK_VERSION, &request) <= 0)
		return;
	str_printable(d->release, sizeof(d->release), text);
}

static bool check_props(const struct kbase_device *d, struct err *err)
{
	if (kbase_props_id(&d->props) && kbase_props_cores(&d->props))
		return true;
	return err_set(err, EPROTO, "%s: the driver reports no GPU id or no shader cores", d->path);
}

bool kbase_device_open(struct kbase_device *d, const struct sys *sys, const char *path, struct err *err)
{
	bool uk;

	*d = (struct kbase_device){.sys = sys};
	str_printable(d->path, sizeof(d->path), path);
	d->fd = sys->open(sys, path, O_RDONLY);
	if (d->fd < 0)
		return err_set(err, errno, "%s: cannot be opened: %s", d->path, strerror(errno));
	if (shake_hands(d, err) && set_flags(d, err)) {
		uk = d->version.api == KBASE_UK;
		if ((uk ? read_props_uk(d, err) : read_props(d, err)) && check_props(d, err)) {
			read_release(d);
			return true;
		}
	}
	kbase_device_close(d);
	return false;
}

void kbase_device_close(struct kbase_device *d)
{
	if (d->fd >= 0)
		d->sys->close(d->sys, d->fd);
	d->fd = -1;
}
