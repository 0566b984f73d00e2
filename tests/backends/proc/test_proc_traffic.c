/* Disks and interfaces: each byte counts once, whatever lies on top of them. */
#include "backends/proc/proc.h"
#include "base/alloc.h"
#include "model/sample.h"
#include "tests/support/fixture.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

static const char disks[] = "   7       0 loop0 5 0 40 1 0 0 0 0 0 0 0\n"
			    " 259       0 nvme0n1 900 10 70000 100 500 20 30000 200 0 10 20 0 0 0 0\n"
			    " 259       1 nvme0n1p1 800 10 69000 100 500 20 30000 200 0 10 20 0 0 0 0\n"
			    "   8       0 sda 10 0 800 4 20 0 1600 8 0 1 2\n"
			    "   8       1 sda1 9 0 700 4 20 0 1600 8 0 1 2\n"
			    " 179       0 mmcblk0 10 0 8 4 20 0 16 8 0 1 2\n"
			    " 179      32 mmcblk0boot0 1 0 3 4 0 0 0 0 0 1 2\n"
			    " 253       0 dm-0 900 10 70000 100 500 20 30000 200 0 10 20\n"
			    " 254       0 zram0 9 9 9 9 9 9 9 9 9 9 9\n";

static const char interfaces[] =
	"Inter-|   Receive                                                |  Transmit\n"
	" face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo\n"
	"    lo: 18655271   21715    0    0    0     0          0         0 18655271   21715    0    0    0\n"
	"  eth0: 210934629    7125    0    0    0     0          0         0   286196    3696    0    0    "
	"0\n"
	"eth0.5: 1 1 0 0 0 0 0 0 1 1 0 0 0\n"
	"wlan0:77 1 0 0 0 0 0 0 88 1 0 0 0\n"
	"docker0: 5 1 0 0 0 0 0 0 5 1 0 0 0\n";

static void check_list(const struct traffic_list *list, const struct traffic_device *want, unsigned n)
{
	assert_int_equal(list->n, n);
	for (unsigned i = 0; i < n; i++) {
		assert_string_equal(list->devices[i].name, want[i].name);
		assert_int_equal(list->devices[i].in, want[i].in);
		assert_int_equal(list->devices[i].out, want[i].out);
	}
}

TEST(partitions_are_left_out)
{
	static const struct traffic_device whole[] = {
		{"loop0", 0, 40, 0},   {"nvme0n1", 0, 70000, 30000}, {"sda", 0, 800, 1600},
		{"mmcblk0", 0, 8, 16}, {"mmcblk0boot0", 0, 3, 0},    {"dm-0", 0, 70000, 30000},
		{"zram0", 0, 9, 9},
	};
	static const struct traffic_device listed[] = {{"lo", 0, 18655271, 18655271},
						       {"eth0", 0, 210934629, 286196},
						       {"eth0.5", 0, 1, 1},
						       {"wlan0", 0, 77, 88},
						       {"docker0", 0, 5, 5}};
	struct traffic_list list;

	traffic_parse_disks(&list, disks);
	check_list(&list, whole, ARRAY_LEN(whole));
	traffic_parse_interfaces(&list, interfaces);
	check_list(&list, listed, ARRAY_LEN(listed));
}

/* Devices as "NAME FILE..." in the order of /proc, with the files that sysfs has of each ("-" if
 * sysfs does not list it; "FILE=TEXT"), and a '*' before the names of those that count. */
static const struct {
	const char *what;
	unsigned kind; /* 0 disks, 1 interfaces */
	const char *devices[8];
} machines[] = {
	{"a bridge over Ethernet with a virtual machine and a container",
	 1,
	 {"lo type=772", "*eth0 device master ifindex=2 iflink=2",
	  "br0 bridge lower_eth0 lower_tap0 ifindex=3 iflink=3", "tap0 master ifindex=4 iflink=4",
	  "veth12ab master ifindex=5 iflink=2"}},
	{"tunnels",
	 1,
	 {"*wlan0 device type=1", "tailscale0 type=65534", "wg0 type=65534", "tun0 type=65534"}},
	{"a team and a bond of two each",
	 1,
	 {"*eth0 device master", "*eth1 device master", "team0 lower_eth0 lower_eth1", "*eth2 device master",
	  "*eth3 device master", "bond0 lower_eth2 lower_eth3"}},
	{"a VLAN and a macvtap",
	 1,
	 {"*end0 device", "end0.5 lower_end0 ifindex=3 iflink=2", "uplink lower_end0 ifindex=4 iflink=2",
	  "macvtap0 lower_end0 ifindex=5 iflink=2"}},
	{"a radio with a direct connection, whose bytes are its own, and a monitor, who sees all",
	 1,
	 {"*wlan0 device type=1", "*p2p-wlan0-0 device type=1", "wlan0mon device type=803"}},
	{"a switch whose ports lie on the interface of the CPU",
	 1,
	 {"*eth0 device", "lan1 device lower_eth0 master", "lan2 device lower_eth0 master",
	  "br-lan bridge lower_lan1"}},
	{"a phone by Qualcomm, whose modem has no device link",
	 1,
	 {"dummy0 ifindex=2 iflink=2", "*wlan0 device", "*rmnet_ipa0 ifindex=4 iflink=4",
	  "rmnet_data0 lower_rmnet_ipa0", "rmnet_data1 ifindex=6 iflink=6",
	  "v4-rmnet_data0 ifindex=7 iflink=7"}},
	{"a phone by MediaTek",
	 1,
	 {"*ccmni0 ifindex=2 iflink=2", "*wlan0 device", "ccmni-lan ifindex=4 iflink=4"}},
	{"a modem on USB", 1, {"*wwan0 device", "qmimux0 lower_wwan0"}},
	{"a board that is a USB gadget, with a name of its own for Ethernet",
	 1,
	 {"*usb0 device", "*uplink device"}},
	{"a container with one end of a pair",
	 1,
	 {"lo type=772", "tunl0 ifindex=2 iflink=0", "*eth0 ifindex=7 iflink=8"}},
	{"a container with containers and a tunnel",
	 1,
	 {"*net0 ifindex=2 iflink=9", "docker0 bridge lower_veth1 ifindex=3 iflink=3",
	  "veth1 master ifindex=4 iflink=8", "wg0 ifindex=5 iflink=5"}},
	{"a container whose end of a pair is in its bridge",
	 1,
	 {"*eth0 master ifindex=2 iflink=9", "br0 bridge lower_eth0", "vethab master ifindex=4 iflink=8"}},
	{"a namespace with nothing but a tap", 1, {"lo type=772", "*tap0 ifindex=2 iflink=2"}},
	{"nothing but loopback", 1, {"lo type=772"}},
	{"names only: a bridge", 1, {"lo -", "*eth0 -", "br0 -", "veth1 -"}},
	{"names only: a tunnel, a bridge of the user's name", 1, {"*wlan0 -", "tailscale0 -", "mybridge -"}},
	{"names only: a VLAN and a team", 1, {"*enp3s0 -", "enp3s0.7 -", "team0 -", "nebula1 -"}},
	{"names only: a phone", 1, {"*rmnet_ipa0 -", "rmnet_data0 -", "p2p0 -"}},
	{"names only: an interface of the user's name, and a bridge", 1, {"*uplink -", "br0 -"}},
	{"a bridge that sysfs does not list beside Ethernet that it lists",
	 1,
	 {"*eth0 device", "team0 -", "eth1 -"}},
	{"disks and what lies on them",
	 0,
	 {"loop0 queue", "*nvme0n1 device", "*sda device", "dm-0 slaves", "md127 slaves", "bcache0 slaves",
	  "zram0 queue"}},
	{"names only: disks", 0, {"loop0 -", "*vda -", "md0 -", "zram0 -"}},
	{"no disk", 0, {"loop0 queue", "ram0 queue", "zram0 queue"}},
};

/* Write what the machine lists. Device k has moved 1 << k in `round`. Returns the sum of those that
 * count. */
static uint64_t write_machine(struct fixture *f, size_t m, unsigned round)
{
	AUTO_STRBUF struct strbuf text = {0};
	uint64_t sum = 0;

	for (unsigned k = 0; k < ARRAY_LEN(machines[m].devices) && machines[m].devices[k]; k++) {
		struct span line = span_of(machines[m].devices[k]), name = span_word(&line), word;
		unsigned moved = 1000 + (round << k);

		if (name.p[0] == '*') {
			sum += round << k;
			name = (struct span){name.p + 1, name.n - 1};
		}
		strbuf_printf(&text,
			      machines[m].kind ? "%.*s: %u 0 0 0 0 0 0 0 %u 0\n"
					       : "8 0 %.*s 0 0 %u 0 0 0 %u 0\n",
			      SPAN_ARG(name), moved, moved);
		while (word = span_word(&line), word.n && word.p[0] != '-') {
			struct span value = word,
				    file = memchr(word.p, '=', word.n) ? span_until(&value, '=') : word;
			char path[96], number[16];

			snprintf(path, sizeof(path), "sys/%s/%.*s/%.*s",
				 machines[m].kind ? "class/net" : "block", SPAN_ARG(name), SPAN_ARG(file));
			snprintf(number, sizeof(number), "%.*s\n", SPAN_ARG(value));
			fixture_write(f, path, number);
		}
	}
	fixture_write(f, machines[m].kind ? "proc/net/dev" : "proc/diskstats", text.p);
	return sum;
}

TEST(each_byte_counts_once_whatever_lies_on_top_of_a_device)
{
	for (size_t m = 0; m < ARRAY_LEN(machines); m++) {
		unsigned kind = machines[m].kind;
		uint64_t moved[TRAFFIC_KINDS], want;
		struct traffic t;
		struct fixture f;

		fixture_init(&f, NULL);
		write_machine(&f, m, 0);
		traffic_open(&t, &f.sys);
		traffic_read(&t, &f.sys, moved);
		want = write_machine(&f, m, 1);
		assert_int_equal(t.found[kind], want > 0);
		traffic_read(&t, &f.sys, moved);
		for (unsigned i = 2 * kind; i < 2 * kind + 2; i++)
			if (moved[i] != (want ? want : SAMPLE_UNKNOWN))
				fail_msg("%s: %#llx, should be %#llx", machines[m].what,
					 (unsigned long long)moved[i], (unsigned long long)want);
		traffic_close(&t, &f.sys);
		fixture_fini(&f);
	}
}

TEST(a_device_that_comes_is_ranked_then)
{
	uint64_t moved[TRAFFIC_KINDS];
	struct fixture f;
	struct traffic t;

	fixture_init(&f, NULL);
	fixture_write(&f, "proc/net/dev", "tun0: 100 0 0 0 0 0 0 0 0 0\n");
	traffic_open(&t, &f.sys);
	traffic_read(&t, &f.sys, moved);
	fixture_write(&f, "proc/net/dev", "tun0: 150 0 0 0 0 0 0 0 0 0\n");
	traffic_read(&t, &f.sys, moved);
	assert_int_equal(moved[TRAFFIC_RECEIVED], 50); /* it is all there is */
	fixture_write(&f, "sys/class/net/usb0/device", "");
	fixture_write(&f, "proc/net/dev", "tun0: 160 0 0 0 0 0 0 0 0 0\nusb0: 7 0 0 0 0 0 0 0 0 0\n");
	traffic_read(&t, &f.sys, moved);
	assert_true(moved[TRAFFIC_RECEIVED] == SAMPLE_UNKNOWN);
	fixture_write(&f, "proc/net/dev", "tun0: 170 0 0 0 0 0 0 0 0 0\nusb0: 19 0 0 0 0 0 0 0 0 0\n");
	traffic_read(&t, &f.sys, moved);
	assert_int_equal(moved[TRAFFIC_RECEIVED], 12);
	traffic_close(&t, &f.sys);
	fixture_fini(&f);
}

/* The kernel returns a page of a list at most. */
static ssize_t page_pread(const struct sys *sys, int fd, void *buf, size_t n, off_t at)
{
	return ((const struct fixture *)sys->ctx)->real_pread(sys, fd, buf, n < 4096 ? n : 4096, at);
}

TEST(a_device_after_the_first_page_of_the_list_counts)
{
	uint64_t moved[TRAFFIC_KINDS];
	struct fixture f;
	struct traffic t;

	fixture_init(&f, NULL);
	f.sys.pread = page_pread;
	for (unsigned round = 0; round < 2; round++) {
		AUTO_STRBUF struct strbuf text = {0};

		for (unsigned k = 0; k < 100; k++)
			strbuf_printf(&text, "veth%u: 1000000000 1000000 0 0 0 0 0 0 1000000000 0 0 0 0\n",
				      k);
		strbuf_printf(&text, "eth0: %u 0 0 0 0 0 0 0 0 0\n", 10 + round);
		fixture_write(&f, "proc/net/dev", text.p);
		if (round == 0)
			traffic_open(&t, &f.sys);
		traffic_read(&t, &f.sys, moved);
	}
	assert_int_equal(moved[TRAFFIC_RECEIVED], 1);
	traffic_close(&t, &f.sys);
	fixture_fini(&f);
}

TEST(malformed_and_incomplete_lines_are_left_out)
{
	static const char *const texts[] = {
		"",
		"\n",
		"8 0 sda\n",
		"8 0 sda 1 2 x 4 5 6 7\n",
		"8 0 sda 1 2 3 4 5 6 -7\n",
		"8 0 sda 1 2 3 4 5 6 7", /* cut off */
		"eth0: 1 2 3 4 5 6 7\n",
		"eth0: one 2 3 4 5 6 7 8 9\n",
		":\n",
	};
	struct traffic_list list;

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		(strchr(texts[i], ':') ? traffic_parse_interfaces : traffic_parse_disks)(&list, texts[i]);
		assert_int_equal(list.n, 0);
	}
}

TEST(only_so_many_devices_are_kept)
{
	AUTO_STRBUF struct strbuf text = {0};
	struct traffic_list list;

	for (unsigned i = 0; i < TRAFFIC_DEVICES + 5; i++)
		strbuf_printf(&text, "8 0 disk%c%c 1 2 3 4 5 6 7\n", 'a' + (int)i / 26, 'a' + (int)i % 26);
	traffic_parse_disks(&list, text.p);
	assert_int_equal(list.n, TRAFFIC_DEVICES);
}

TEST(what_moved_is_known_from_the_second_reading_on)
{
	uint64_t moved[TRAFFIC_KINDS];
	struct fixture f;
	struct traffic t;

	fixture_init(&f, NULL);
	fixture_write(&f, "proc/diskstats", "8 0 sda 1 0 100 0 1 0 200 0\n");
	traffic_open(&t, &f.sys);
	assert_true(t.found[0]);
	assert_false(t.found[1]); /* no /proc/net/dev */
	traffic_read(&t, &f.sys, moved);
	assert_true(moved[TRAFFIC_DISK_READ] == SAMPLE_UNKNOWN);
	/* another disk comes, which does not count before it was seen twice */
	fixture_write(&f, "proc/diskstats", "8 0 sda 1 0 130 0 1 0 200 0\n8 16 sdb 1 0 9000 0 1 0 9000 0\n");
	traffic_read(&t, &f.sys, moved);
	assert_int_equal(moved[TRAFFIC_DISK_READ], 30);
	assert_int_equal(moved[TRAFFIC_DISK_WRITTEN], 0);
	assert_true(moved[TRAFFIC_RECEIVED] == SAMPLE_UNKNOWN);
	/* one starts again from zero */
	fixture_write(&f, "proc/diskstats", "8 0 sda 1 0 5 0 1 0 6 0\n8 16 sdb 1 0 9007 0 1 0 9000 0\n");
	traffic_read(&t, &f.sys, moved);
	assert_int_equal(moved[TRAFFIC_DISK_READ], 7);
	fixture_write(&f, "proc/diskstats", "");
	traffic_read(&t, &f.sys, moved);
	assert_true(moved[TRAFFIC_DISK_READ] == SAMPLE_UNKNOWN);
	traffic_close(&t, &f.sys);
	fixture_fini(&f);
}
