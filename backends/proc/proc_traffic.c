#include "backends/proc/proc.h"

#include "base/alloc.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define FILE_TEXT 32768

/* How a name begins, and what that implies; the first row that fits counts. A '#' is a digit. */
struct traffic_name {
	const char *begin;
	enum traffic_rank rank;
};

static const struct traffic_name disk_names[] = {
	{"loop", TRAFFIC_NEVER}, {"ram", TRAFFIC_NEVER}, {"zram", TRAFFIC_NEVER}, {"dm-", TRAFFIC_NEVER},
	{"md", TRAFFIC_NEVER},   {"nbd", TRAFFIC_NEVER}, {"fd", TRAFFIC_NEVER},   {"", TRAFFIC_OTHER},
};

/* Modems of phones: drivers of Qualcomm, MediaTek, Samsung and Unisoc. They set no device link. */
static const struct traffic_name modem_names[] = {
	{"rmnet_ipa#", TRAFFIC_DEVICE},
	{"rmnet_mhi#", TRAFFIC_DEVICE},
	{"rmnet_usb#", TRAFFIC_DEVICE},
	{"rmnet#", TRAFFIC_DEVICE},
	{"ccmni#", TRAFFIC_DEVICE},
	{"seth_", TRAFFIC_DEVICE},
	{"", TRAFFIC_NEVER},
};

static const struct traffic_name interface_names[] = {
	/* VLANs and p2p have the name of their interface and more */
	{"eth#", TRAFFIC_NAMED},        {"en", TRAFFIC_NAMED},        {"wlan#", TRAFFIC_NAMED},
	{"wl", TRAFFIC_NAMED},          {"ww", TRAFFIC_NAMED},        {"usb#", TRAFFIC_NAMED},
	{"rndis", TRAFFIC_NAMED},       {"ib#", TRAFFIC_NAMED},       {"ifb", TRAFFIC_STACKED},
	{"veth", TRAFFIC_STACKED},      {"docker", TRAFFIC_STACKED},  {"br", TRAFFIC_STACKED},
	{"vmbr", TRAFFIC_STACKED},      {"virbr", TRAFFIC_STACKED},   {"lxc", TRAFFIC_STACKED},
	{"lxd", TRAFFIC_STACKED},       {"tun", TRAFFIC_STACKED},     {"tap", TRAFFIC_STACKED},
	{"macv", TRAFFIC_STACKED},      {"ipvl", TRAFFIC_STACKED},    {"vlan", TRAFFIC_STACKED},
	{"wg", TRAFFIC_STACKED},        {"bond", TRAFFIC_STACKED},    {"team", TRAFFIC_STACKED},
	{"tailscale", TRAFFIC_STACKED}, {"zt", TRAFFIC_STACKED},      {"ppp", TRAFFIC_STACKED},
	{"dummy", TRAFFIC_STACKED},     {"sit", TRAFFIC_STACKED},     {"gre", TRAFFIC_STACKED},
	{"erspan", TRAFFIC_STACKED},    {"ip_vti", TRAFFIC_STACKED},  {"ip6", TRAFFIC_STACKED},
	{"ipsec", TRAFFIC_STACKED},     {"xfrm", TRAFFIC_STACKED},    {"vxlan", TRAFFIC_STACKED},
	{"geneve", TRAFFIC_STACKED},    {"rmnet_", TRAFFIC_STACKED},  {"v4-", TRAFFIC_STACKED},
	{"p2p", TRAFFIC_STACKED},       {"mon", TRAFFIC_STACKED},     {"cni", TRAFFIC_STACKED},
	{"cali", TRAFFIC_STACKED},      {"flannel", TRAFFIC_STACKED}, {"", TRAFFIC_OTHER},
};

static enum traffic_rank rank_of_name(const char *name, const struct traffic_name *names)
{
	for (;; names++) {
		size_t n = strcspn(names->begin, "#");

		if (strncmp(name, names->begin, n) == 0 &&
		    (!names->begin[n] || isdigit((unsigned char)name[n])))
			return names->rank;
	}
}

/* Whether it is a partition of a disk of the list: "sda1" of "sda", "mmcblk0p1" of "mmcblk0". */
static bool is_partition(const struct traffic_list *list, struct span name)
{
	for (unsigned i = 0; i < list->n; i++) {
		size_t n = strlen(list->devices[i].name);
		struct span digits;

		if (name.n <= n || memcmp(name.p, list->devices[i].name, n) != 0)
			continue;
		n += name.p[n] == 'p';
		digits = (struct span){name.p + n, name.n - n};
		while (digits.n && isdigit((unsigned char)digits.p[digits.n - 1]))
			digits.n--;
		if (!digits.n && name.n > n)
			return true;
	}
	return false;
}

/* Add a device with the numbers at two places of the words after its name. */
static void add_device(struct traffic_list *list, struct span name, struct span line, unsigned first,
		       unsigned second)
{
	struct traffic_device d = {.rank = TRAFFIC_NEVER};
	bool ok = list->n < TRAFFIC_DEVICES;

	snprintf(d.name, sizeof(d.name), "%.*s", SPAN_ARG(name));
	for (unsigned i = 0; i <= second && ok; i++) {
		struct span word = span_word(&line);

		if (i == first || i == second)
			ok = span_u64(word, i == first ? &d.in : &d.out);
	}
	if (ok)
		list->devices[list->n++] = d;
}

/* "   8       0 sda 1234 56 78901 ...": number, minor, name, reads, merged, sectors read, ms,
 * writes, merged, sectors written */
void traffic_parse_disks(struct traffic_list *list, const char *text)
{
	enum { READ = 2, WRITTEN = 6 };
	struct span rest = span_of(text);

	list->n = 0;
	while (memchr(rest.p, '\n', rest.n)) {
		struct span line = span_until(&rest, '\n'), name;

		span_word(&line);
		span_word(&line);
		name = span_word(&line);
		if (!is_partition(list, name))
			add_device(list, name, line, READ, WRITTEN);
	}
}

/* "  eth0: 210934629 7125 0 0 0 0 0 0 286196 ...": received bytes and seven more, sent bytes. Two
 * lines of headings have no colon. */
void traffic_parse_interfaces(struct traffic_list *list, const char *text)
{
	enum { RECEIVED = 0, SENT = 8 };
	struct span rest = span_of(text);

	list->n = 0;
	while (memchr(rest.p, '\n', rest.n)) {
		struct span line = span_until(&rest, '\n');

		if (memchr(line.p, ':', line.n)) {
			struct span name = span_trim(span_until(&line, ':'));

			add_device(list, name, line, RECEIVED, SENT);
		}
	}
}

static enum traffic_rank rank_disk(const struct sys *sys, const char *name)
{
	char path[SYSFS_DIR], **files;
	int n;
	bool device = false;

	snprintf(path, sizeof(path), "sys/block/%s", name);
	n = sys->list(sys, path, &files);
	for (int i = 0; i < n; i++)
		device |= strcmp(files[i], "device") == 0;
	sys_names_free(files, n);
	return n > 0 ? (device ? TRAFFIC_DEVICE : TRAFFIC_NEVER) : rank_of_name(name, disk_names);
}

static enum traffic_rank rank_interface(const struct sys *sys, const char *name)
{
	enum { WIFI_MONITOR = 801, WIFI_MONITOR_LAST = 803 }; /* sees all bytes of its interface again */
	bool device = rank_of_name(name, modem_names) == TRAFFIC_DEVICE, on_top = false, master = false;
	char path[SYSFS_DIR], **files;
	int64_t type = 0, peer, own;
	int n;

	if (strcmp(name, "lo") == 0)
		return TRAFFIC_NEVER;
	snprintf(path, sizeof(path), "sys/class/net/%s", name);
	n = sys->list(sys, path, &files);
	for (int i = 0; i < n; i++) {
		device |= strcmp(files[i], "device") == 0;
		master |= strcmp(files[i], "master") == 0;
		on_top |= strcmp(files[i], "bridge") == 0 || strncmp(files[i], "lower_", 6) == 0;
	}
	sys_names_free(files, n);
	snprintf(path, sizeof(path), "sys/class/net/%s/type", name);
	if (on_top || (sys_read_i64(sys, path, &type) && type >= WIFI_MONITOR && type <= WIFI_MONITOR_LAST))
		return TRAFFIC_NEVER;
	if (device)
		return TRAFFIC_DEVICE;
	snprintf(path, sizeof(path), "sys/class/net/%s/iflink", name);
	if (!master && sys_read_i64(sys, path, &peer)) {
		snprintf(path, sizeof(path), "sys/class/net/%s/ifindex", name);
		if (sys_read_i64(sys, path, &own) && peer != own && peer > 0)
			return TRAFFIC_PAIR;
	}
	/* "eth0.5" is a VLAN */
	return strchr(name, '.') ? TRAFFIC_STACKED : rank_of_name(name, interface_names);
}

static const struct {
	const char *path;
	void (*parse)(struct traffic_list *list, const char *text);
	enum traffic_rank (*rank)(const struct sys *sys, const char *name);
} sources[] = {
	{"proc/diskstats", traffic_parse_disks, rank_disk},
	{"proc/net/dev", traffic_parse_interfaces, rank_interface},
};

/* Find a device in the other list, which mostly has it at the same place. */
static const struct traffic_device *find_device(const struct traffic_list *list, const char *name,
						unsigned place)
{
	for (unsigned i = 0; i < list->n; i++) {
		const struct traffic_device *d = &list->devices[(place + i) % list->n];

		if (strcmp(d->name, name) == 0)
			return d;
	}
	return NULL;
}

/* Read a file into `now`. A device keeps its rank while it is listed: sysfs is asked only once. */
static void read_list(struct traffic *t, const struct sys *sys, unsigned i)
{
	struct sysfs_file *file = &t->files[i];
	char text[FILE_TEXT];
	ssize_t n = sysfs_file_read(sys, file, text, sizeof(text)), more = n;

	t->now.n = 0;
	/* The kernel returns a page at most for each read of such a list. */
	for (; more > 0; n += more > 0 ? more : 0)
		more = sys->pread(sys, file->fd, text + n, sizeof(text) - 1 - (size_t)n, n);
	if (n > 0) {
		text[n] = 0;
		sources[i].parse(&t->now, text);
	}
	for (unsigned k = 0; k < t->now.n; k++) {
		struct traffic_device *d = &t->now.devices[k];
		const struct traffic_device *before = find_device(&t->lists[i], d->name, k);

		d->rank = before ? before->rank : sources[i].rank(sys, d->name);
	}
}

static enum traffic_rank best_rank(const struct traffic_list *list)
{
	enum traffic_rank best = TRAFFIC_NEVER;

	for (unsigned k = 0; k < list->n; k++)
		if (list->devices[k].rank > best)
			best = list->devices[k].rank;
	return best;
}

void traffic_open(struct traffic *t, const struct sys *sys)
{
	traffic_forget(t);
	for (unsigned i = 0; i < ARRAY_LEN(sources); i++) {
		sysfs_file_init(&t->files[i], true, "%s", sources[i].path);
		read_list(t, sys, i);
		t->found[i] = best_rank(&t->now) > TRAFFIC_NEVER;
		if (!t->found[i])
			sysfs_file_close(sys, &t->files[i]);
	}
}

void traffic_close(struct traffic *t, const struct sys *sys)
{
	for (unsigned i = 0; i < ARRAY_LEN(sources); i++)
		sysfs_file_close(sys, &t->files[i]);
}

void traffic_forget(struct traffic *t)
{
	t->lists[0].n = t->lists[1].n = 0;
}

static void add_moved(uint64_t *moved, uint64_t before, uint64_t now)
{
	if (now >= before) /* otherwise it is another device of that name, or a counter has wrapped */
		*moved = (*moved == SAMPLE_UNKNOWN ? 0 : *moved) + (now - before);
}

void traffic_read(struct traffic *t, const struct sys *sys, uint64_t moved[TRAFFIC_KINDS])
{
	for (unsigned i = 0; i < ARRAY_LEN(sources); i++) {
		uint64_t *in = &moved[2 * i], *out = in + 1;
		enum traffic_rank best;

		*in = *out = SAMPLE_UNKNOWN;
		if (!t->found[i])
			continue;
		read_list(t, sys, i);
		best = best_rank(&t->now);
		for (unsigned k = 0; k < t->now.n && best > TRAFFIC_NEVER; k++) {
			const struct traffic_device *now = &t->now.devices[k];
			const struct traffic_device *before = find_device(&t->lists[i], now->name, k);

			if (!before || now->rank != best)
				continue;
			add_moved(in, before->in, now->in);
			add_moved(out, before->out, now->out);
		}
		t->lists[i].n = t->now.n;
		memcpy(t->lists[i].devices, t->now.devices, t->now.n * sizeof(t->now.devices[0]));
	}
}
