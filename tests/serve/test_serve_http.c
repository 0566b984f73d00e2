/* The server, with a clock that the test sets. */
#include "config.h"
#include "serve/serve_http.h"

#include "base/alloc.h"
#include "tests/support/test.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static int64_t now_ns;

static int64_t test_clock(const struct sys *sys)
{
	(void)sys;
	return now_ns;
}

static unsigned n_printed;

static void print_page(void *ctx, enum openmetrics_form form, struct strbuf *out)
{
	(void)ctx;
	n_printed++;
	strbuf_str(out, form == OPENMETRICS_1_0 ? "open\n" : "classic\n");
}

static const char *report_text; /* NULL: there is none */

static bool print_report(void *ctx, struct strbuf *out)
{
	(void)ctx;
	strbuf_str(out, report_text ? report_text : "half a p");
	return report_text != NULL;
}

struct serve_bench {
	struct sys sys;
	struct serve_http *http;
};

static void bench_init(struct serve_bench *b)
{
	struct err err = {0};

	now_ns = 1000000000;
	assert_true(sys_init(&b->sys, NULL, &err));
	b->sys.monotonic_ns = test_clock;
	b->http =
		serve_http_new(&b->sys,
			       &(struct serve_http_options){
				       .listen = "127.0.0.1:0", .print = print_page, .report = print_report},
			       &err);
	assert_string_equal(err.text, "");
	assert_non_null(b->http);
}

static void bench_fini(struct serve_bench *b)
{
	serve_http_free(b->http);
	sys_fini(&b->sys);
}

static int connect_client(const struct serve_bench *b)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	address.sin_port = htons((uint16_t)atoi(strrchr(serve_http_url(b->http), ':') + 1));
	assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

/* Let the server work until the client can read; the length of what it got, 0 if it was closed. */
static ssize_t read_answer(const struct serve_bench *b, int fd, char *text, size_t size)
{
	ssize_t n;

	for (int tries = 0; tries < 60000; tries++) {
		serve_http_turn(b->http);
		if (poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 1) == 1)
			break;
	}
	n = recv(fd, text, size - 1, MSG_DONTWAIT);
	text[n > 0 ? n : 0] = 0;
	return n;
}

static void send_text(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), (int)strlen(text));
}

TEST(client_with_half_a_request_is_closed_after_its_time)
{
	struct serve_bench b;
	char text[1000];
	int fd;

	bench_init(&b);
	fd = connect_client(&b);
	send_text(fd, "GET /metrics HTTP/1.1\r\nHost: a\r\nX-Slow");
	for (int i = 0; i < 10; i++) { /* a byte at a time does not make the time longer */
		serve_http_turn(b.http);
		now_ns += SERVE_REQUEST_NS / 11;
		send_text(fd, "o");
		assert_int_equal(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 0), 0);
	}
	now_ns += SERVE_REQUEST_NS / 5;
	assert_true(read_answer(&b, fd, text, sizeof(text)) <= 0);
	close(fd);
	bench_fini(&b);
}

TEST(each_request_of_a_connection_has_its_own_time)
{
	struct serve_bench b;
	char text[1000];
	int fd;

	bench_init(&b);
	fd = connect_client(&b);
	for (int i = 0; i < 5; i++) {
		send_text(fd, "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
		assert_true(read_answer(&b, fd, text, sizeof(text)) > 0);
		assert_non_null(strstr(text, " 200 OK"));
		now_ns += SERVE_REQUEST_NS / 2;
	}
	close(fd);
	bench_fini(&b);
}

TEST(front_page_is_a_whole_report_or_the_plain_page)
{
	static const char plain[] = "<html><title>malitop</title><body><h1>malitop ";
	static const struct {
		const char *report, *begin; /* of the page, after its first line if the report has none */
	} cases[] = {
		{"<html><body>all is well</body></html>\n",
		 "<html><body>all is well<p><a href=\"/metrics\">"},
		{"</body></html>", "<p><a href=\"/metrics\">"},
		{"<html><body>a report that was cut before its end", plain},
		{"short", plain},
		{"", plain},
		{NULL, plain},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct serve_bench b;
		char text[20000], *body;
		int fd;

		bench_init(&b);
		report_text = cases[i].report;
		fd = connect_client(&b);
		send_text(fd, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
		assert_true(read_answer(&b, fd, text, sizeof(text)) > 0);
		body = strstr(text, "\r\n\r\n") + 4;
		if (cases[i].begin == plain)
			body += strlen("<!DOCTYPE html>\n");
		if (strncmp(body, cases[i].begin, strlen(cases[i].begin)) != 0)
			fail_msg("case %zu: %s", i, body);
		assert_string_equal(strstr(body, "</body>"), "</body></html>");
		close(fd);
		bench_fini(&b);
	}
}

/* Of a page of many equal words. */
TEST(a_page_is_as_small_as_the_reader_asks_for)
{
	static const struct {
		const char *header;
		bool small;
	} cases[] = {{"", false},
		     {"Accept-Encoding: gzip\r\n", true},
		     {"Accept-Encoding: br, gzip;q=0.5\r\n", true},
		     {"Accept-Encoding: *\r\n", true},
		     {"Accept-Encoding: gzip;q=0, identity\r\n", false},
		     {"Accept-Encoding: br\r\n", false}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct serve_bench b;
		char request[200], text[20000], *body;
		ssize_t n;
		int fd;

		bench_init(&b);
		fd = connect_client(&b);
		snprintf(request, sizeof(request), "GET /metrics HTTP/1.1\r\nHost: a\r\n%s\r\n",
			 cases[i].header);
		send_text(fd, request);
		n = read_answer(&b, fd, text, sizeof(text));
		assert_true(n > 0);
		assert_non_null(strstr(text, "Vary: Accept, Accept-Encoding\r\n"));
		body = strstr(text, "\r\n\r\n") + 4;
#ifdef WITH_ZLIB
		if (cases[i].small) {
			assert_non_null(strstr(text, "Content-Encoding: gzip\r\n"));
			assert_memory_equal(body, "\x1f\x8b\x08", 3);
			close(fd);
			bench_fini(&b);
			continue;
		}
#endif
		assert_null(strstr(text, "Content-Encoding"));
		assert_int_not_equal(body[0], 0x1f);
		close(fd);
		bench_fini(&b);
	}
}

/* Else clients that ask for thousands of pages, and do not even read them, delay a scrape. */
TEST(scrapes_at_one_time_cost_one_page)
{
	static const char request[] = "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n";
	struct serve_bench b;
	char text[20000];
	int fds[5];

	bench_init(&b);
	n_printed = 0;
	for (unsigned i = 0; i < ARRAY_LEN(fds); i++) {
		fds[i] = connect_client(&b);
		for (unsigned k = 0; k < 20; k++)
			send_text(fds[i], request);
	}
	for (unsigned i = 0, answers = 0; i < ARRAY_LEN(fds); i++, answers = 0)
		while (answers < 20) {
			assert_true(read_answer(&b, fds[i], text, sizeof(text)) > 0);
			for (const char *p = text; (p = strstr(p, "HTTP/1.1 200")); p++)
				answers++;
		}
	assert_int_equal(n_printed, 1);
	now_ns += 1000000000; /* a later scrape is as of its time */
	send_text(fds[0], request);
	assert_true(read_answer(&b, fds[0], text, sizeof(text)) > 0);
	assert_int_equal(n_printed, 2);
	for (unsigned i = 0; i < ARRAY_LEN(fds); i++)
		close(fds[i]);
	bench_fini(&b);
}

TEST(address_that_others_reach_needs_tls_and_auth)
{
	static const struct {
		struct serve_http_options options;
		const char *error; /* NULL: it listens */
	} cases[] = {
		{{.listen = "127.0.0.1:0"}, NULL},
		{{.listen = "127.9.9.9:0"}, NULL},
		{{.listen = "0.0.0.0:0"}, "give --tls-cert, --tls-key and --auth FILE, or --insecure"},
		{{.listen = "[::]:0"}, "give --tls-cert, --tls-key and --auth FILE, or --insecure"},
		{{.listen = "0.0.0.0:0", .cert = "c", .key = "k"}, "give --auth FILE, or --insecure"},
		{{.listen = "0.0.0.0:0", .insecure = true}, NULL},
		{{.listen = "127.0.0.1:0", .cert = "c"}, "--tls-cert: give --tls-key as well"},
		{{.listen = "127.0.0.1:0", .key = "k"}, "--tls-key: give --tls-cert as well"},
		{{.listen = "127.0.0.1:0", .cert = "/dev/null", .key = "/dev/null"},
		 "--tls-key: /dev/null: not a regular file"},
		{{.listen = "127.0.0.1:0", .cert = "/nonexistent", .key = "/dev/null"},
		 "--tls-cert: /nonexistent: cannot open"},
		{{.listen = "127.0.0.1:0", .auth = "/nonexistent"}, "/nonexistent"},
		{{.listen = "localhost:0"}, "not a numeric address"},
		{{.listen = "127.0.0.1"}, "expected ADDR:PORT"},
		{{.listen = "9821"}, "expected ADDR:PORT"},
		{{.listen = "::1:9821"}, "expected ADDR:PORT"},
		{{.listen = "127.0.0.1:65536"}, "expected ADDR:PORT"},
		{{.listen = "127.0.0.1:"}, "expected ADDR:PORT"},
		{{.listen = ""}, "expected ADDR:PORT"},
	};
	struct sys sys;
	struct err err = {0};

	assert_true(sys_init(&sys, NULL, &err));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct serve_http *http;

		err = (struct err){0};
		http = serve_http_new(&sys, &cases[i].options, &err);
		if (!cases[i].error != (http != NULL) ||
		    (cases[i].error && !strstr(err.text, cases[i].error)))
			fail_msg("%s: %s", cases[i].options.listen, err.text);
		serve_http_free(http);
	}
	sys_fini(&sys);
}

TEST(accept_header_chooses_the_form)
{
	static const struct {
		const char *accept;
		enum openmetrics_form form;
	} cases[] = {
		{NULL, OPENMETRICS_CLASSIC},
		{"", OPENMETRICS_CLASSIC},
		{"*/*", OPENMETRICS_CLASSIC},
		{"text/html", OPENMETRICS_CLASSIC},
		{"application/openmetrics-text", OPENMETRICS_1_0},
		{"application/openmetrics-text; version=1.0.0; charset=utf-8", OPENMETRICS_1_0},
		{"application/openmetrics-text;version=1.0.0,application/"
		 "openmetrics-text;version=0.0.1;q=0.75,"
		 "text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
		 OPENMETRICS_1_0},
		{"application/openmetrics-text;version=0.0.1", OPENMETRICS_CLASSIC},
		{"application/openmetrics-text;q=0.3,text/plain;q=0.5", OPENMETRICS_CLASSIC},
		{"application/openmetrics-text;q=0,*/*;q=0.1", OPENMETRICS_CLASSIC},
		{"application/openmetrics-text;q=x", OPENMETRICS_CLASSIC},
		{"text/plain;version=0.0.4;q=0.5,*/*;q=0.1", OPENMETRICS_CLASSIC},
		{",;,;q=;=,", OPENMETRICS_CLASSIC},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (serve_http_form(cases[i].accept) != cases[i].form)
			fail_msg("%s", cases[i].accept);
}

TEST(auth_file_is_checked)
{
	static const struct {
		const char *text;
		mode_t mode;
		const char *error, *header;
	} cases[] = {
		{"bearer 12345678\n", 0600, NULL, "Bearer 12345678"},
		{"# lab\n\nbearer 12345678", 0400, NULL, "bEARER 12345678"},
		{"basic a:12345\r\n", 0600, NULL, NULL}, /* too short */
		{"basic Aladdin:open sesame\n", 0600, NULL, "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="},
		{"bearer 12345678\n", 0644, "--auth: /tmp/test_serve_", NULL},
		{"bearer 1234567\n", 0600, ":1: expected", NULL},
		{"bearer 12345678\ntoken abc\n", 0600, ":2: expected", NULL},
		{"basic no-password\n", 0600, ":1: expected", NULL},
		{"# nothing\n", 0600, "empty", NULL},
	};
	char path[] = "/tmp/test_serve_XXXXXX";
	struct err err = {0};
	int fd = mkstemp(path);

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct serve_auth *auth;

		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, cases[i].text, strlen(cases[i].text), 0),
				 (int)strlen(cases[i].text));
		assert_int_equal(fchmod(fd, cases[i].mode), 0);
		err = (struct err){0};
		auth = serve_auth_new(path, &err);
		if (cases[i].error ? auth || !strstr(err.text, cases[i].error)
				   : auth == NULL && cases[i].header)
			fail_msg("case %zu: %s", i, err.text);
		if (cases[i].header) {
			assert_true(serve_auth_allows(auth, cases[i].header));
			assert_false(serve_auth_allows(auth, NULL));
			assert_false(serve_auth_allows(auth, ""));
			assert_false(serve_auth_allows(auth, "Bearer"));
			assert_false(serve_auth_allows(auth, "Basic "));
		}
		serve_auth_free(auth);
	}
	close(fd);
	unlink(path);
}

/* The list that systemd sets on a credential: its owner, root, and another user may read it. */
static bool share_by_acl(const char *path, uid_t user, unsigned group)
{
	const uint16_t entries[][4] = {{1, 4, 0xffff, 0xffff},
				       {2, 4, (uint16_t)user, (uint16_t)(user >> 16)},
				       {4, (uint16_t)group, 0xffff, 0xffff},
				       {16, 4, 0xffff, 0xffff},
				       {32, 0, 0xffff, 0xffff}};
	unsigned char list[4 + sizeof(entries)] = {2};

	memcpy(list + 4, entries, sizeof(entries)); /* little-endian */
	return setxattr(path, "system.posix_acl_access", list, sizeof(list), 0) == 0;
}

static void make_fifo(const char *path)
{
	assert_int_equal(mkfifo(path, 0600), 0);
}

static void make_directory(const char *path)
{
	assert_int_equal(mkdir(path, 0700), 0);
}

static void make_secret(const char *path)
{
	int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);

	assert_int_equal(write(fd, "bearer 12345678\n", 16), 16);
	close(fd);
}

static void make_group_readable(const char *path)
{
	make_secret(path);
	assert_int_equal(chmod(path, 0640), 0);
}

static void make_readable(const char *path)
{
	make_secret(path);
	assert_int_equal(chmod(path, 0604), 0);
}

static void make_group_writable(const char *path)
{
	make_secret(path);
	assert_int_equal(chmod(path, 0620), 0);
}

static void make_anothers(const char *path)
{
	make_secret(path);
	if (geteuid() == 0)
		assert_int_equal(chown(path, 65534, 65534), 0);
	else
		assert_int_equal(chmod(path, 0604), 0);
}

static void make_credential(const char *path)
{
	make_secret(path);
	share_by_acl(path, geteuid(), 0); /* where there are no lists, it is a plain secret */
}

static void make_shared_with_another(const char *path)
{
	make_secret(path);
	if (!share_by_acl(path, 12345, 0))
		assert_int_equal(chmod(path, 0640), 0);
}

static void make_shared_with_a_group(const char *path)
{
	make_secret(path);
	if (!share_by_acl(path, geteuid(), 4))
		assert_int_equal(chmod(path, 0640), 0);
}

/* A FIFO does not hang, and the file that is checked is the one that is read. */
TEST(secrets_are_regular_files_of_the_user_only)
{
	static const struct {
		void (*make)(const char *path);
		const char *error; /* NULL: it is read */
	} cases[] = {
		{make_secret, NULL},
		{make_credential, NULL},
		{make_fifo, "not a regular file"},
		{make_directory, "not a regular file"},
		{make_readable, "other users may read or change it: chmod 600 "},
		{make_group_readable, "other users may read or change it: chmod 600 "},
		{make_group_writable, "other users may read or change it: chmod 600 "},
		{make_shared_with_another, "other users may read or change it: chmod 600 "},
		{make_shared_with_a_group, "other users may read or change it: chmod 600 "},
		{make_anothers, ": "},
	};
	char dir[] = "/tmp/test_serve_XXXXXX", path[64];
	struct sys sys;
	struct err err;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/secret", dir);
	assert_true(sys_init(&sys, NULL, &err));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct serve_http_options options[] = {
			{.listen = "127.0.0.1:0", .auth = path},
			{.listen = "127.0.0.1:0", .cert = "/dev/null", .key = path}};
		static const char *const names[] = {"--auth: ", "--tls-key: "};

		cases[i].make(path);
		for (size_t k = 0; k < ARRAY_LEN(options); k++) {
			bool reads = !cases[i].error;
			struct serve_http *http = serve_http_new(&sys, &options[k], &err);

			/* the secret is no key of the certificate */
			if (reads ? k == 0 && !http
				  : http || strncmp(err.text, names[k], strlen(names[k])) != 0)
				fail_msg("case %zu, %s%s", i, names[k], http ? "is read" : err.text);
			if (cases[i].error && !strstr(err.text, cases[i].error))
				fail_msg("case %zu: %s", i, err.text);
			if (reads && k == 1)
				assert_non_null(strstr(err.text, "not a certificate"));
			serve_http_free(http);
		}
		if (cases[i].make == make_directory)
			rmdir(path);
		else
			unlink(path);
	}
	rmdir(dir);
	sys_fini(&sys);
}
