/* Disks and interfaces: each byte counts once, whatever lies on top of them. */
#include "backends/proc/proc.h"
#include "base/alloc.h"
#include "model/sample.h"
#include "tests/support/fixture.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

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

static void partitions_and_what_lies_on_other_devices_are_left_out(void **state)
{
	static const struct traffic_device whole[] = {
		{"nvme0n1", 70000, 30000}, {"sda", 800, 1600}, {"mmcblk0", 8, 16}, {"mmcblk0boot0", 3, 0}};
	static const struct traffic_device real[] = {{"eth0", 210934629, 286196}, {"wlan0", 77, 88}};
	struct traffic_list list;

	(void)state;
	traffic_parse_disks(&list, disks);
	check_list(&list, whole, ARRAY_LEN(whole));
	traffic_parse_interfaces(&list, interfaces);
	check_list(&list, real, ARRAY_LEN(real));
}

static void malformed_and_incomplete_lines_are_left_out(void **state)
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

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		(strchr(texts[i], ':') ? traffic_parse_interfaces : traffic_parse_disks)(&list, texts[i]);
		assert_int_equal(list.n, 0);
	}
}

static void only_so_many_devices_are_kept(void **state)
{
	AUTO_STRBUF struct strbuf text = {0};
	struct traffic_list list;

	(void)state;
	for (unsigned i = 0; i < TRAFFIC_DEVICES + 5; i++)
		strbuf_printf(&text, "8 0 disk%c%c 1 2 3 4 5 6 7\n", 'a' + (int)i / 26, 'a' + (int)i % 26);
	traffic_parse_disks(&list, text.p);
	assert_int_equal(list.n, TRAFFIC_DEVICES);
}

static void what_moved_is_known_from_the_second_reading_on(void **state)
{
	uint64_t moved[TRAFFIC_KINDS];
	struct fixture f;
	struct traffic t;

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(partitions_and_what_lies_on_other_devices_are_left_out),
		cmocka_unit_test(malformed_and_incomplete_lines_are_left_out),
		cmocka_unit_test(only_so_many_devices_are_kept),
		cmocka_unit_test(what_moved_is_known_from_the_second_reading_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
