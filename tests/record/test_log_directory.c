/* The way to a log's directory: which links and directories of other people are refused, and that
 * all else works as in the kernel. */
#include "record/log_file.h"
#include "base/alloc.h"
#include "tests/support/disk.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOBODY 65534

/* Everything is made in a directory of the test, where it stands. */
static char top[] = "/tmp/malitop-test-XXXXXX";
static struct disk disk;

/* "open/" is a directory where everybody may write; what is "theirs" was made there by another
 * user, so far as there can be one. */
static const char tree[] = "mkdir mine mine/sub open elsewhere && chmod 1777 open && touch file &&"
			   "ln -s ../elsewhere open/ours && mkdir open/dir && ln -s loop loop &&"
			   "ln -s open/theirs via-theirs && ln -s \"$PWD/mine\" absolute &&"
			   "ln -s sub mine/relative && ln -s nowhere dangling";
static const char their_tree[] =
	"ln -s ../elsewhere open/theirs && mkdir open/their-dir && ln -s ../../elsewhere open/their-dir/link";

static void run_shell(const char *script)
{
	assert_int_equal(system(script), 0);
}

FIXTURE(make_tree)
{
	assert_non_null(mkdtemp(top));
	assert_int_equal(chmod(top, 0755) + chdir(top), 0);
	run_shell(tree);
	if (geteuid() != 0)
		return 0;
	run_shell(their_tree);
	assert_int_equal(lchown("open/theirs", NOBODY, NOBODY) + lchown("open/their-dir", NOBODY, NOBODY), 0);
	assert_int_equal(lchown("open/their-dir/link", NOBODY, NOBODY), 0);
	return 0;
}

FIXTURE(remove_tree)
{
	AUTOFREE char *remove = xasprintf("rm -rf %s", top);

	return chdir("/") + system(remove);
}

FIXTURE(take_disk)
{
	disk_init(&disk);
	return 0;
}

FIXTURE(drop_disk)
{
	assert_int_equal(disk.files, 0);
	disk_fini(&disk);
	return 0;
}

TEST_EACH(take_disk, drop_disk)

/* That it is the same directory as the kernel finds. */
static void assert_opens(const char *path)
{
	struct err err = {0};
	struct stat found, want;
	int fd = log_directory_open(&disk.sys, path, &err);

	if (fd < 0)
		fail_msg("%s: %s", path, err.text);
	assert_int_equal(fstat(fd, &found) + stat(path[0] ? path : ".", &want), 0);
	if (found.st_ino != want.st_ino || found.st_dev != want.st_dev)
		fail_msg("%s: another directory", path);
	disk.sys.close(&disk.sys, fd);
}

static void assert_refused(const char *path, int code, const char *says)
{
	struct err err = {0};

	assert_int_equal(log_directory_open(&disk.sys, path, &err), -1);
	if (err.code != code || !strstr(err.text, says))
		fail_msg("%s: %d, %s", path, err.code, err.text);
}

TEST(a_path_leads_where_the_kernel_leads)
{
	static const char *const paths[] = {"",
					    ".",
					    "/",
					    "mine",
					    "./mine//sub/",
					    "mine/..",
					    "mine/sub/../../open",
					    "mine/relative",
					    "absolute/relative/../sub",
					    "open/ours",
					    "open/dir",
					    "open/dir/../../mine",
					    "/proc/self/cwd/mine",
					    "/proc/self/../self/root"};
	AUTOFREE char *whole = xasprintf("%s/absolute/", top);

	assert_opens(whole);
	for (size_t i = 0; i < ARRAY_LEN(paths); i++)
		assert_opens(paths[i]);
}

TEST(what_is_no_directory_is_the_error_of_the_kernel)
{
	static const struct {
		const char *path;
		int code;
		const char *says;
	} cases[] = {
		{"no/such", ENOENT, "cannot create: No such file or directory"},
		{"dangling", ENOENT, "No such file or directory"},
		{"file", ENOTDIR, "Not a directory"},
		{"file/..", ENOTDIR, "Not a directory"},
		{"loop", ELOOP, "Too many levels of symbolic links"},
		{"mine/loop/../../loop/x", ENOENT, "No such file or directory"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_refused(cases[i].path, cases[i].code, cases[i].says);
}

/* Only the superuser can be two people. */
TEST(what_another_user_put_where_everybody_may_write_is_refused)
{
	static const struct {
		const char *path, *name;
	} cases[] = {
		{"open/theirs", "theirs"},          {"open/theirs/", "theirs"},
		{"mine/../open/theirs", "theirs"},  {"via-theirs", "theirs"}, /* our own link to theirs */
		{"open/their-dir", "their-dir"},    {"open/their-dir/link", "their-dir"},
		{"open/dir/../theirs/x", "theirs"}, {"/proc/self/cwd/open/theirs", "theirs"},
	};

	if (geteuid() != 0)
		skip();
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *says = xasprintf("%s: in a world-writable directory and owned by another "
						"user: choose another directory",
						cases[i].name);

		assert_refused(cases[i].path, EPERM, says);
	}
}

TEST(their_own_and_roots_are_followed_by_others_too)
{
	if (geteuid() != 0)
		skip();
	assert_int_equal(seteuid(NOBODY), 0);
	assert_opens("open/theirs"); /* theirs now */
	assert_opens("open/their-dir/link");
	assert_opens("open/ours"); /* root's */
	assert_int_equal(seteuid(0), 0);
}

TEST(whatever_call_fails_nothing_stays_open)
{
	unsigned at = 0;
	struct err err;
	int fd;

	do {
		disk.fail = DISK_OPEN | DISK_FSTAT;
		disk.at = ++at;
		disk.code = EIO;
		fd = log_directory_open(&disk.sys, "absolute/relative/../../open/ours", &err);
		if (fd < 0)
			assert_int_equal(err.code, EIO);
		else
			disk.sys.close(&disk.sys, fd);
		assert_int_equal(disk.files, 0);
	} while (fd < 0);
	assert_true(at > 15);
}

TEST_GROUP(make_tree, remove_tree)
