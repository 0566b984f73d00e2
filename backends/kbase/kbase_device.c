#include "backends/kbase/kbase.h"
#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
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

/* ---- handshake ---- */

const struct kbase_generation kbase_generations[] = {
	[KBASE_UK] = {"UK", 10, UK_VERSION_CHECK, UK_SET_FLAGS},
	[KBASE_JM] = {"job manager", 11, KBASE_VERSION_CHECK_JM, KBASE_SET_FLAGS},
	[KBASE_CSF] = {"command stream", 1, KBASE_VERSION_CHECK_CSF, KBASE_SET_FLAGS},
};

/* A driver leaves the version of another generation's request at 0.0, except that a UK driver puts
 * its error number there. So ask for UK first. */
static bool ask_version(struct kbase_device *d)
{
	for (unsigned api = 0; api < ARRAY_LEN(kbase_generations); api++) {
		struct uk_version uk = {.header = {.id = UK_ID_VERSION_CHECK}};
		struct kbase_abi_version v = {0, 0};

		kbase_ioctl(d->sys, d->fd, kbase_generations[api].version_check,
			    api == KBASE_UK ? (void *)&uk : &v);
		d->version = (struct kbase_version){api, api == KBASE_UK ? uk.major : v.major,
						    api == KBASE_UK ? uk.minor : v.minor};
		if (d->version.major || d->version.minor)
			return true;
	}
	return false;
}

static bool shake_hands(struct kbase_device *d, struct err *err)
{
	const struct kbase_generation *g;

	errno = 0;
	if (!ask_version(d)) {
		if (errno && errno != EPERM && errno != ENOTTY && errno != EINVAL && errno != EFAULT)
			return err_set(err, errno, "%s: the driver refuses the version handshake: %s",
				       d->path, strerror(errno));
		return err_set(err, EPROTO,
			       "%s: not a Mali driver that malitop supports: it reports no API version",
			       d->path);
	}
	g = &kbase_generations[d->version.api];
	return d->version.major == g->major ||
	       err_set(err, EPROTO, "%s: the driver's API %u.%u (%s) is too %s: malitop supports %u.x",
		       d->path, d->version.major, d->version.minor, g->name,
		       d->version.major < g->major ? "old" : "new", g->major);
}

/* Request a context that only monitors. If there is one already, or the driver does not know the
 * flag, the request fails. That is harmless: the next one shows whether there is a context. */
static bool set_flags(struct kbase_device *d, struct err *err)
{
	struct uk_flags uk = {.header = {.id = UK_ID_SET_FLAGS}, .create_flags = KBASE_FLAG_MONITOR};
	uint32_t flags = KBASE_FLAG_MONITOR;
	bool is_uk = d->version.api == KBASE_UK;

	return kbase_ioctl(d->sys, d->fd, kbase_generations[d->version.api].set_flags,
			   is_uk ? (void *)&uk : &flags) >= 0 ||
	       errno == EPERM || errno == EINVAL || (is_uk && errno == EFAULT) ||
	       err_set(err, errno, "%s: cannot create a context: %s", d->path, strerror(errno));
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

bool kbase_device_open(struct kbase_device *d, const struct sys *sys, const char *path, struct err *err)
{
	char text[256] = "";
	struct kbase_abi_buffer release = {.address = (uintptr_t)text, .size = sizeof(text) - 1};

	*d = (struct kbase_device){.sys = sys};
	str_printable(d->path, sizeof(d->path), path);
	d->fd = sys->open(sys, path, O_RDONLY);
	if (d->fd < 0)
		return err_set(err, errno, "%s: cannot open: %s", d->path, strerror(errno));
	if (shake_hands(d, err) && set_flags(d, err) &&
	    (d->version.api == KBASE_UK ? read_props_uk(d, err) : read_props(d, err))) {
		/* Only shown to the user, so it is no error if it is not reported. */
		if (d->version.api != KBASE_UK &&
		    kbase_ioctl(sys, d->fd, KBASE_GET_DDK_VERSION, &release) > 0)
			str_printable(d->release, sizeof(d->release), text);
		if (kbase_props_id(&d->props) && kbase_props_cores(&d->props))
			return true;
		err_set(err, EPROTO, "%s: the driver reports no GPU id or no shader cores", d->path);
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

/* ---- the choice of a counter interface ---- */

/* The same as that of Arm's libGPUCounters (hwcnt/backend_type.cpp): vinstr if the driver has it
 * and the GPU's generation was released with it, because its samples are right in every release;
 * otherwise kinstr_prfcnt. */

#define ARCH_OLD_HI 0x1000 /* below this, the upper half of GPU_ID is a Midgard product */
#define ARCH_T60X_HI 0x6956
#define ARCH_LAST_VINSTR 10 /* architecture of the Mali-G710 family */

static unsigned gpu_architecture(uint64_t gpu_id)
{
	unsigned hi = (unsigned)(gpu_id >> 16 & 0xffff), arch = (unsigned)(gpu_id >> 28 & 15);

	if (gpu_id <= UINT32_MAX && (hi == ARCH_T60X_HI || hi < ARCH_OLD_HI))
		return 0;
	return arch == 15 ? (unsigned)(gpu_id >> 56) : arch;
}

bool kbase_choose(const struct kbase_version *v, uint64_t gpu_id, const char *interface,
		  struct kbase_choice *c, struct err *err)
{
	static const struct {
		const struct kbase_reader *reader;
		const char *lacking; /* if it was requested */
		const char *better, *only, *second;
	} readers[] = {
		{&kbase_vinstr, "vinstr: this driver no longer has it: try -b kbase:kinstr",
		 "the driver has it, and the GPU is of the same generation", "the driver has nothing newer",
		 "kinstr_prfcnt was refused"},
		{&kbase_kinstr, "kinstr: this driver does not have it yet: try -b kbase:vinstr",
		 "the GPU has counters that vinstr does not show", "the driver has no vinstr",
		 "vinstr was refused"},
	};
	const bool has[] = {!kbase_since(v, 40, 21), kbase_since(v, 34, 10)}; /* one at least */
	bool both = has[0] && has[1], old_gpu = gpu_architecture(gpu_id) <= ARCH_LAST_VINSTR;
	unsigned first = both ? !old_gpu : has[1];

	for (unsigned i = 0; interface && i < ARRAY_LEN(readers); i++) {
		if (strcmp(interface, readers[i].reader->interface) != 0)
			continue;
		*c = (struct kbase_choice){{readers[i].reader}, {"requested by name"}, 1};
		return has[i] || err_set(err, ENOTSUP, "%s", readers[i].lacking);
	}
	*c = (struct kbase_choice){
		{readers[first].reader, readers[!first].reader},
		{both ? readers[first].better : readers[first].only, readers[!first].second},
		both ? 2 : 1};
	return !interface ||
	       err_set(err, ERR_USAGE, "--backend: kbase:%.40s: expected kbase:vinstr or kbase:kinstr",
		       interface);
}
