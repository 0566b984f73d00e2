/* proc_traffic: the bytes that the machine's disks and network interfaces moved since the last
 * reading.
 *
 * Each byte counts once: partitions and devices on top of others (loop, device mapper, RAID,
 * bridges, tunnels, virtual pairs) are left out, as is the loopback interface. Thread: one at a
 * time.
 */
#ifndef MALITOP_PROC_TRAFFIC_H
#define MALITOP_PROC_TRAFFIC_H

#include "backends/sysfs.h"

enum traffic_kind { TRAFFIC_DISK_READ, TRAFFIC_DISK_WRITTEN, TRAFFIC_RECEIVED, TRAFFIC_SENT, TRAFFIC_KINDS };

#define TRAFFIC_DEVICES 32
#define TRAFFIC_NAME 24

struct traffic_device {
	char name[TRAFFIC_NAME];
	uint64_t in, out; /* sectors of 512 bytes, or bytes */
};

struct traffic_list {
	struct traffic_device devices[TRAFFIC_DEVICES];
	unsigned n;
};

struct traffic {
	struct sysfs_file files[2];   /* disks, interfaces */
	struct traffic_list lists[2]; /* as last read */
	bool found[2];                /* the machine has any */
};

/* Find out which of the two this machine tells of. */
void traffic_open(struct traffic *traffic, const struct sys *sys);
void traffic_close(struct traffic *traffic, const struct sys *sys);
/* Read both. moved gets sectors (of disks) and bytes (of interfaces) since the last call;
 * SAMPLE_UNKNOWN at the first, or if nothing is known of any device. */
void traffic_read(struct traffic *traffic, const struct sys *sys, uint64_t moved[TRAFFIC_KINDS]);
/* Parse /proc/diskstats, /proc/net/dev. Lines that are incomplete or malformed are left out. */
void traffic_parse_disks(struct traffic_list *list, const char *text);
void traffic_parse_interfaces(struct traffic_list *list, const char *text);

#endif
