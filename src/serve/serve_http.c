#include "serve/serve_http.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/message.h"
#include "base/sys_socket.h"
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CLIENTS_HIGH (SERVE_CLIENTS * 3 / 4) /* a new connection closes the oldest one from here on */
#define PEM_BYTES 1000000
#define PAGE_NS 100000000 /* scrapes within this time get the same page */
#define FRONT_NS 10000000000ll
#define TURN_RUNS 32 /* of libmicrohttpd, before samples are taken again */

/* What is called of libmicrohttpd. It is loaded when something is served, not when malitop starts:
 * with the libraries of TLS it is larger than malitop. A static malitop has it inside. */
#define MHD_CALLS(CALL)                   \
	CALL(add_response_header)         \
	CALL(create_response_from_buffer) \
	CALL(destroy_response)            \
	CALL(get_connection_info)         \
	CALL(get_daemon_info)             \
	CALL(get_timeout)                 \
	CALL(is_feature_supported)        \
	CALL(lookup_connection_value)     \
	CALL(queue_response)              \
	CALL(run)                         \
	CALL(start_daemon)                \
	CALL(stop_daemon)

#define MHD_MEMBER(name) __typeof__(&MHD_##name) name;
static struct {
	MHD_CALLS(MHD_MEMBER)
} mhd;

#ifdef MICROHTTPD_SONAME
#define MHD_LOAD(name) (mhd.name = (__typeof__(mhd.name))(uintptr_t)dlsym(library, "MHD_" #name)) &&
static bool load_mhd(struct err *err)
{
	void *library = dlopen(MICROHTTPD_SONAME, RTLD_NOW | RTLD_LOCAL); /* stays */

	if (library && MHD_CALLS(MHD_LOAD) true)
		return true;
	return err_set(err, 0, "serve: %s: install libmicrohttpd", dlerror());
}
#else
#define MHD_TAKE(name) mhd.name = MHD_##name;
static bool load_mhd(struct err *err)
{
	(void)err;
	MHD_CALLS(MHD_TAKE)
	return true;
}
#endif

/* An open connection. */
struct client {
	int fd; /* -1: free */
	int64_t since_ns;
	bool closing;
	bool answered; /* at least once */
};

struct serve_http {
	const struct sys *sys;
	struct serve_http_options options;
	struct MHD_Daemon *daemon;
	struct serve_auth *auth;
	char *cert, *key;
	struct client clients[SERVE_CLIENTS];
	bool changed; /* a connection came or went, so libmicrohttpd may have more to do */
	struct metrics_page {
		struct strbuf text, gzip; /* of /metrics; empty: not made yet */
		int64_t made_ns;
	} pages[OPENMETRICS_FORMS];
	struct strbuf front;
	int64_t front_ns;
	char url[96];
};

/* ---- answers ---- */

struct http_answer {
	unsigned status;
	const char *type;
	const void *text;
	size_t n;
	const char *headers[6]; /* names, each with its value; NULL after the last */
};

static enum MHD_Result send_answer(struct MHD_Connection *connection, const struct http_answer *answer)
{
	struct MHD_Response *response = mhd.create_response_from_buffer(
		answer->n, (void *)(uintptr_t)answer->text, MHD_RESPMEM_MUST_COPY);
	enum MHD_Result result = MHD_NO;

	if (!response)
		return MHD_NO;
	mhd.add_response_header(response, "Content-Type", answer->type);
	mhd.add_response_header(response, "Cache-Control", "no-store");
	mhd.add_response_header(response, "X-Content-Type-Options", "nosniff");
	for (size_t i = 0; i + 1 < ARRAY_LEN(answer->headers) && answer->headers[i]; i += 2)
		mhd.add_response_header(response, answer->headers[i], answer->headers[i + 1]);
	result = mhd.queue_response(connection, answer->status, response);
	mhd.destroy_response(response);
	return result;
}

static enum MHD_Result send_text(struct MHD_Connection *connection, unsigned status, const char *text,
				 const char *header, const char *value)
{
	return send_answer(connection,
			   &(struct http_answer){
				   status, "text/plain; charset=utf-8", text, strlen(text), {header, value}});
}

/* A page costs milliseconds, and anyone who connects can ask for thousands. */
static struct metrics_page *fresh_page(struct serve_http *http, enum openmetrics_form form)
{
	int64_t now_ns = http->sys->monotonic_ns(http->sys);
	struct metrics_page *page = &http->pages[form];

	if (!page->text.n || now_ns - page->made_ns >= PAGE_NS) {
		strbuf_clear(&page->text);
		strbuf_clear(&page->gzip);
		http->options.print(http->options.ctx, form, &page->text);
		page->made_ns = now_ns;
	}
	return page;
}

static enum MHD_Result answer_metrics(struct serve_http *http, struct MHD_Connection *connection)
{
	static const char *const types[] = {
		[OPENMETRICS_1_0] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
		[OPENMETRICS_CLASSIC] = "text/plain; version=0.0.4; charset=utf-8"};
	enum openmetrics_form form =
		serve_http_form(mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Accept"));
	struct metrics_page *page = fresh_page(http, form);
	struct http_answer answer = {
		MHD_HTTP_OK, types[form], page->text.p, page->text.n, {"Vary", "Accept, Accept-Encoding"}};

	if (serve_gzip_asked(mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Accept-Encoding")) &&
	    (page->gzip.n || serve_gzip(&page->text, &page->gzip))) {
		answer.text = page->gzip.p;
		answer.n = page->gzip.n;
		answer.headers[2] = "Content-Encoding";
		answer.headers[3] = "gzip";
	}
	return send_answer(connection, &answer);
}

#define LINKS                                                                                 \
	"<p><a href=\"/metrics\">/metrics</a>: what the GPU and the CPU of this machine do, " \
	"for Prometheus. <a href=\"/healthz\">/healthz</a>: whether malitop runs.</p>\n"

/* The report of the newest minutes, with links to what is for machines before its end. A report
 * without that end is not a whole page. */
static void make_front(struct serve_http *http, struct strbuf *out)
{
	static const char end[] = "</body></html>";
	size_t n_end = strlen(end);

	strbuf_clear(out);
	if (!http->options.report || !http->options.report(http->options.ctx, out))
		strbuf_clear(out);
	while (out->n >= n_end && memcmp(out->p + out->n - n_end, end, n_end) != 0)
		out->n--;
	if (out->n >= n_end) {
		out->n -= n_end;
	} else {
		strbuf_clear(out);
		strbuf_str(out,
			   "<!DOCTYPE html>\n<html><title>malitop</title><body><h1>malitop " PACKAGE_VERSION
			   "</h1>\n");
	}
	strbuf_str(out, LINKS);
	strbuf_str(out, end);
}

/* A report costs more than a page of metrics. The reader's browser asks again in a minute. */
static enum MHD_Result answer_front(struct serve_http *http, struct MHD_Connection *connection)
{
	int64_t now_ns = http->sys->monotonic_ns(http->sys);

	if (!http->front.n || now_ns - http->front_ns >= FRONT_NS) {
		make_front(http, &http->front);
		http->front_ns = now_ns;
	}
	return send_answer(connection, &(struct http_answer){MHD_HTTP_OK,
							     "text/html; charset=utf-8",
							     http->front.p,
							     http->front.n,
							     {"Refresh", "60"}});
}

static enum MHD_Result answer_health(struct serve_http *http, struct MHD_Connection *connection)
{
	(void)http;
	return send_text(connection, MHD_HTTP_OK, "ok\n", NULL, NULL);
}

static const struct {
	const char *path;
	bool open; /* without auth */
	enum MHD_Result (*answer)(struct serve_http *http, struct MHD_Connection *connection);
} pages[] = {
	{"/metrics", false, answer_metrics}, {"/healthz", true, answer_health}, {"/", false, answer_front}};

static enum MHD_Result answer_request(void *ctx, struct MHD_Connection *connection, const char *path,
				      const char *method, const char *version, const char *body,
				      size_t *n_body, void **state)
{
	struct serve_http *http = ctx;

	(void)version, (void)body;
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return send_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n", "Allow",
				 "GET, HEAD");
	if (!*state || *n_body) { /* an answer before the end of the request would close the connection */
		*state = http;
		*n_body = 0;
		return MHD_YES;
	}
	for (size_t i = 0; i < ARRAY_LEN(pages); i++) {
		if (strcmp(path, pages[i].path) != 0)
			continue;
		if (http->auth && !pages[i].open &&
		    !serve_auth_allows(http->auth, mhd.lookup_connection_value(connection, MHD_HEADER_KIND,
									       "Authorization")))
			return send_text(connection, MHD_HTTP_UNAUTHORIZED, "not authorized\n",
					 "WWW-Authenticate",
					 "Basic realm=\"malitop\", Bearer realm=\"malitop\"");
		return pages[i].answer(http, connection);
	}
	return send_text(connection, MHD_HTTP_NOT_FOUND, "not found: try /metrics, /healthz or /\n", NULL,
			 NULL);
}

/* ---- connections ---- */

static void close_client(struct client *client)
{
	client->closing = true;
	sys_hang_up(client->fd);
}

/* Make room for a new connection. Those that had an answer go first, however new their next request
 * is: otherwise many that ask again and again would close each one that has not been heard yet. */
static void close_oldest(struct serve_http *http)
{
	struct client *oldest = NULL;
	unsigned n = 0;

	for (unsigned i = 0; i < SERVE_CLIENTS; i++) {
		struct client *c = &http->clients[i];

		if (c->fd < 0 || c->closing)
			continue;
		n++;
		if (!oldest ||
		    (c->answered == oldest->answered ? c->since_ns < oldest->since_ns : c->answered))
			oldest = c;
	}
	if (n >= CLIENTS_HIGH)
		close_client(oldest);
}

static void follow_connection(void *ctx, struct MHD_Connection *connection, void **context,
			      enum MHD_ConnectionNotificationCode what)
{
	const union MHD_ConnectionInfo *fd =
		mhd.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct serve_http *http = ctx;
	struct client *client = what == MHD_CONNECTION_NOTIFY_STARTED ? NULL : *context;

	http->changed = true;
	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		close_oldest(http);
		for (unsigned i = 0; fd && i < SERVE_CLIENTS && !client; i++)
			if (http->clients[i].fd < 0)
				client = &http->clients[i];
		if (client)
			*client = (struct client){fd->connect_fd, http->sys->monotonic_ns(http->sys), false,
						  false};
		*context = client;
	} else if (client) {
		client->fd = -1;
	}
}

/* The next request of the connection has its own time. */
static void end_request(void *ctx, struct MHD_Connection *connection, void **state,
			enum MHD_RequestTerminationCode why)
{
	const union MHD_ConnectionInfo *info =
		mhd.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct serve_http *http = ctx;
	struct client *client = info ? info->socket_context : NULL;

	(void)state, (void)why;
	if (!client)
		return;
	client->since_ns = http->sys->monotonic_ns(http->sys);
	client->answered = true;
}

int serve_http_turn(struct serve_http *http)
{
	unsigned runs = 0;
	int64_t late_ns = http->sys->monotonic_ns(http->sys) - SERVE_REQUEST_NS;
	MHD_UNSIGNED_LONG_LONG wait_ms;

	for (unsigned i = 0; i < SERVE_CLIENTS; i++) {
		struct client *c = &http->clients[i];

		if (c->fd >= 0 && !c->closing && c->since_ns < late_ns)
			close_client(c);
	}
	do {
		http->changed = false;
		mhd.run(http->daemon);
	} while (http->changed && ++runs < TURN_RUNS);
	if (http->changed)
		return 0;
	return mhd.get_timeout(http->daemon, &wait_ms) == MHD_YES && wait_ms < 1000 ? (int)wait_ms : 1000;
}

int serve_http_fd(const struct serve_http *http)
{
	const union MHD_DaemonInfo *info = mhd.get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD);

	return info->epoll_fd;
}

const char *serve_http_url(const struct serve_http *http)
{
	return http->url;
}

/* ---- start ---- */

/* Split "ADDR:PORT" or "[ADDR]:PORT". */
static bool split_address(const char *text, char *host, size_t size, unsigned *port)
{
	const char *colon = strrchr(text, ':');
	struct span address = {text, colon ? (size_t)(colon - text) : 0};
	uint64_t number;

	if (!colon || !span_u64(span_of(colon + 1), &number) || number > 65535)
		return false;
	if (address.n > 2 && address.p[0] == '[' && address.p[address.n - 1] == ']')
		address = (struct span){address.p + 1, address.n - 2};
	else if (memchr(address.p, ':', address.n))
		return false;
	*port = (unsigned)number;
	return address.n && (size_t)snprintf(host, size, "%.*s", SPAN_ARG(address)) < size;
}

/* Everybody in the network reaches other addresses than loopback. */
static bool check_security(const struct serve_http_options *o, const char *host, struct err *err)
{
	if (!o->cert != !o->key)
		return err_set(err, ERR_USAGE, "--tls-%s: give --tls-%s as well", o->cert ? "cert" : "key",
			       o->cert ? "key" : "cert");
	if (sys_is_loopback(host) || (o->cert && o->auth))
		return true;
	if (o->insecure) {
		message("--insecure: %s: reachable from other machines: %s", o->listen,
			o->auth ? "without TLS, anyone on the path can read secrets and metrics"
				: "without --auth, anyone there can read all metrics");
		return true;
	}
	return err_set(err, ERR_USAGE,
		       "--listen: other machines can reach %s: give %s, or --insecure if they all may read",
		       o->listen,
		       o->cert   ? "--auth FILE"
		       : o->auth ? "--tls-cert and --tls-key"
				 : "--tls-cert, --tls-key and --auth FILE");
}

static bool read_tls(struct serve_http *http, struct err *err)
{
	size_t n;

	if (!http->options.cert)
		return true;
	if (mhd.is_feature_supported(MHD_FEATURE_TLS) != MHD_YES)
		return err_set(err, 0, "--tls-cert: the libmicrohttpd of this machine was built without TLS");
	if (!file_read(http->options.cert, PEM_BYTES, &http->cert, &n, err))
		return err_prefix(err, "--tls-cert: ");
	return file_read_secret(http->options.key, PEM_BYTES, &http->key, &n, err) ||
	       err_prefix(err, "--tls-key: ");
}

static bool start_daemon(struct serve_http *http, int fd, struct err *err)
{
	const struct MHD_OptionItem tls[] = {
		{MHD_OPTION_HTTPS_MEM_CERT, 0, http->cert},
		{MHD_OPTION_HTTPS_MEM_KEY, 0, http->key},
		{MHD_OPTION_HTTPS_PRIORITIES, 0,
		 (void *)(uintptr_t) "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"},
		{MHD_OPTION_END, 0, NULL}};

	http->daemon = mhd.start_daemon(
		MHD_USE_EPOLL | (http->cert ? MHD_USE_TLS : 0), 0, NULL, NULL, answer_request, http,
		MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT, (unsigned)SERVE_CLIENTS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)SERVE_HEADER_BYTES, MHD_OPTION_NOTIFY_CONNECTION,
		follow_connection, http, MHD_OPTION_NOTIFY_COMPLETED, end_request, http, MHD_OPTION_ARRAY,
		http->cert ? tls : tls + ARRAY_LEN(tls) - 1, MHD_OPTION_END);
	if (http->daemon)
		return true;
	close(fd);
	return err_set(err, 0,
		       http->cert ? "--tls-cert, --tls-key: not a certificate with its key in PEM: %s, %s"
				  : "libmicrohttpd does not start%s%s",
		       http->cert ? http->options.cert : "", http->cert ? http->options.key : "");
}

static bool start_listening(struct serve_http *http, struct err *err)
{
	const char *text = http->options.listen;
	char host[64];
	unsigned port;
	int fd;

	if (!split_address(text, host, sizeof(host), &port))
		return err_set(err, ERR_USAGE,
			       "--listen: '%.60s': expected ADDR:PORT, such as 127.0.0.1:9821 or "
			       "[::1]:9821",
			       text);
	fd = sys_listen_tcp(host, &port);
	if (fd < 0)
		return err_set(err, errno,
			       errno == EINVAL ? "--listen: '%.60s': not a numeric address: %s"
					       : "--listen: %.60s: cannot listen: %s",
			       text, strerror(errno));
	if (!check_security(&http->options, host, err) || !read_tls(http, err)) {
		close(fd);
		return false;
	}
	snprintf(http->url, sizeof(http->url), strchr(host, ':') ? "%s://[%s]:%u" : "%s://%s:%u",
		 http->cert ? "https" : "http", host, port);
	return start_daemon(http, fd, err);
}

struct serve_http *serve_http_new(const struct sys *sys, const struct serve_http_options *options,
				  struct err *err)
{
	struct serve_http *http = xcalloc(1, sizeof(*http));
	bool ok = load_mhd(err);

	http->sys = sys;
	http->options = *options;
	for (unsigned i = 0; i < SERVE_CLIENTS; i++)
		http->clients[i].fd = -1;
	if (ok && options->auth)
		ok = (http->auth = serve_auth_new(options->auth, err)) != NULL;
	if (ok && start_listening(http, err))
		return http;
	serve_http_free(http);
	return NULL;
}

void serve_http_free(struct serve_http *http)
{
	if (!http)
		return;
	if (http->daemon)
		mhd.stop_daemon(http->daemon);
	serve_auth_free(http->auth);
	for (unsigned i = 0; i < OPENMETRICS_FORMS; i++) {
		strbuf_fini(&http->pages[i].text);
		strbuf_fini(&http->pages[i].gzip);
	}
	strbuf_fini(&http->front);
	if (http->key)
		explicit_bzero(http->key, strlen(http->key));
	free(http->cert);
	free(http->key);
	free(http);
}
