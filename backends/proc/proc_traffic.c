#include "backends/proc/proc.h"

#include "base/alloc.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define FILE_TEXT 16384

/* What names begin with whose bytes another device counts as well. */
static const char *const stacked_disks[] = {"loop", "ram", "zram", "dm-", "md", "nbd", "fd"};
static const char *const stacked_interfaces[] = {"lo",  "ifb",    "veth",   "docker", "br-",  "virbr",
						 "lxc", "tun",    "tap",    "wg",     "bond", "dummy",
						 "sit", "ip6tnl", "rmnet_", "p2p-",   "cni",  "flannel"};

static bool begins_with_any(const char *name, const char *const *starts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strncmp(name, starts[i], strlen(starts[i])) == 0)
			return true;
	return false;
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

/* Add a device with the numbers at two places of the words after its name, unless that begins as
 * one of `stacked`. */
static void add_device(struct traffic_list *list, struct span name, struct span line, unsigned first,
		       unsigned second, const char *const *stacked, size_t n)
{
	struct traffic_device d;
	bool ok = list->n < TRAFFIC_DEVICES;

	snprintf(d.name, sizeof(d.name), "%.*s", SPAN_ARG(name));
	for (unsigned i = 0; i <= second && ok; i++) {
		struct span word = span_word(&line);

		if (i == first || i == second)
			ok = span_u64(word, i == first ? &d.in : &d.out);
	}
	if (ok && !begins_with_any(d.name, stacked, n))
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
			add_device(list, name, line, READ, WRITTEN, stacked_disks, ARRAY_LEN(stacked_disks));
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
		struct span line = span_until(&rest, '\n'), name;

		if (!memchr(line.p, ':', line.n))
			continue;
		name = span_trim(span_until(&line, ':'));
		if (!memchr(name.p, '.', name.n)) /* a VLAN */
			add_device(list, name, line, RECEIVED, SENT, stacked_interfaces,
				   ARRAY_LEN(stacked_interfaces));
	}
}

static const struct {
	const char *path;
	void (*parse)(struct traffic_list *list, const char *text);
} sources[] = {
	{"proc/diskstats", traffic_parse_disks},
	{"proc/net/dev", traffic_parse_interfaces},
};

static void read_list(struct traffic *t, const struct sys *sys, unsigned i, struct traffic_list *list)
{
	char text[FILE_TEXT];

	list->n = 0;
	if (sysfs_file_read(sys, &t->files[i], text, sizeof(text)) > 0)
		sources[i].parse(list, text);
}

void traffic_open(struct traffic *t, const struct sys *sys)
{
	for (unsigned i = 0; i < ARRAY_LEN(sources); i++) {
		struct traffic_list list;

		sysfs_file_init(&t->files[i], true, "%s", sources[i].path);
		read_list(t, sys, i, &list);
		t->found[i] = list.n > 0;
		t->lists[i].n = 0;
		if (!t->found[i])
			sysfs_file_close(sys, &t->files[i]);
	}
}

void traffic_close(struct traffic *t, const struct sys *sys)
{
	for (unsigned i = 0; i < ARRAY_LEN(sources); i++)
		sysfs_file_close(sys, &t->files[i]);
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
		struct traffic_list now;

		*in = *out = SAMPLE_UNKNOWN;
		if (!t->found[i])
			continue;
		read_list(t, sys, i, &now);
		for (unsigned k = 0; k < now.n; k++)
			for (unsigned m = 0; m < t->lists[i].n; m++) {
				const struct traffic_device *before = &t->lists[i].devices[m];

				if (strcmp(before->name, now.devices[k].name) != 0)
					continue;
				add_moved(in, before->in, now.devices[k].in);
				add_moved(out, before->out, now.devices[k].out);
			}
		t->lists[i] = now;
	}
}
