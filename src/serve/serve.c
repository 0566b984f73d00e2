#include "serve/serve.h"

#include "base/alloc.h"
#include "base/message.h"
#include "base/sys_privilege.h"
#include "serve/serve_http.h"
#include "serve/serve_store.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static volatile sig_atomic_t asked_to_end;

static void note_signal(int signo)
{
	(void)signo;
	asked_to_end = 1;
}

/* Without SA_RESTART, so that a signal ends the wait. */
static void catch_signals(void)
{
	const struct sigaction end = {.sa_handler = note_signal};
	struct sigaction hangup;

	sigaction(SIGINT, &end, NULL);
	sigaction(SIGTERM, &end, NULL);
	if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) /* nohup */
		sigaction(SIGHUP, &end, NULL);
	signal(SIGPIPE, SIG_IGN);
}

struct server {
	const struct sys *sys;
	const struct options *options;
	struct session session;
	struct serve_store *store; /* NULL while the devices that were asked for are not there */
	struct serve_http *http;
	char missing[sizeof(((struct err *)0)->text)]; /* why they are not */
	struct strbuf known, seen; /* nodes: when the devices were opened; at the last look */
	int64_t look_ns;           /* when to look for others */
};

static void print_metrics(void *ctx, enum openmetrics_form form, struct strbuf *out)
{
	struct server *server = ctx;

	if (server->store)
		serve_store_print(server->store, server->sys->monotonic_ns(server->sys), form, out);
	else
		serve_store_print_none(form, out);
}

static bool print_report(void *ctx, struct strbuf *out)
{
	const struct server *server = ctx;
	struct err err = {0};

	return server->store && serve_store_report(server->store, out, &err);
}

/* Whether there is a GPU that was not there when the devices were opened. It has to be there at two
 * looks, so that its node has its owner. */
static bool find_device(struct server *server, int64_t now_ns)
{
	AUTO_STRBUF struct strbuf before = server->seen;
	bool found = false;

	server->look_ns = now_ns + SESSION_RETRY_NS;
	server->seen = (struct strbuf){0};
	devices_nodes(server->sys, server->options, &server->seen);
	for (struct span rest = {server->seen.p, server->seen.n}, node; (node = span_word(&rest)).n;)
		if (!span_has_word(span_of(server->known.p), node) &&
		    span_has_word(span_of(before.p), node)) {
			message("%.*s: new device: all devices are reopened, counters restart at 0",
				SPAN_ARG(node));
			found = true;
		}
	return found;
}

static void close_devices(struct server *server)
{
	serve_store_free(take_ptr(&server->store));
	session_close(&server->session);
}

/* Open all devices, as far as they are there: a board's driver may be loaded after the server has
 * started. Those that were asked for are tried again; why they cannot be opened is said once.
 * close_devices is fine after a failure, too. */
static bool open_devices(struct server *server, struct err *err)
{
	const struct options *options = server->options;

	strbuf_clear(&server->known);
	devices_nodes(server->sys, options, &server->known);
	if (!session_begin(&server->session, server->sys, options, 0, options->per_core, err))
		return false;
	if (!session_finish(&server->session, err)) {
		if (err->code == ERR_USAGE)
			return false;
		server->look_ns = server->sys->monotonic_ns(server->sys) + SESSION_RETRY_NS;
		if (strcmp(err->text, server->missing) != 0) {
			message("%s", err->text);
			message("nothing is measured until then: tried again every %d s",
				(int)(SESSION_RETRY_NS / 1000000000));
		}
		snprintf(server->missing, sizeof(server->missing), "%s", err->text);
		*err = (struct err){0};
		return true;
	}
	server->missing[0] = 0;
	session_settle(&server->session);
	session_report_notes(&server->session, NULL);
	server->store = serve_store_new(&server->session, err);
	return server->store != NULL;
}

static bool serve_until_end(struct server *server, struct err *err)
{
	const struct sys *sys = server->sys;
	int64_t now = sys->monotonic_ns(sys), length = server->options->duration_ns,
		end = length ? now + length : INT64_MAX;

	char text[512];

	for (; !asked_to_end && now < end; now = sys->monotonic_ns(sys)) {
		int wait_ms = serve_http_turn(server->http);
		struct pollfd fds[] = {{.fd = serve_http_fd(server->http), .events = POLLIN},
				       {.fd = -1, .events = POLLIN}};

		if (server->store) {
			fds[1].fd = sampler_fd(server->session.sampler);
			while (session_event(&server->session, now, text, sizeof(text)))
				if (text[0])
					message("%s", text);
			serve_store_drain(server->store);
		}
		if (end - now < wait_ms * 1000000ll)
			wait_ms = (int)((end - now) / 1000000) + 1;
		sys->poll(sys, fds, 2, wait_ms);
		if (now < server->look_ns || (server->store && !find_device(server, now)))
			continue;
		close_devices(server);
		if (!open_devices(server, err))
			return false;
	}
	return true;
}

int serve_run(const struct sys *sys, struct options *options, struct err *err)
{
	struct server server = {.sys = sys, .options = options};
	const struct serve_http_options how = {.listen = options->listen,
					       .cert = options->tls_cert,
					       .key = options->tls_key,
					       .auth = options->auth,
					       .insecure = options->insecure,
					       .print = print_metrics,
					       .report = print_report,
					       .ctx = &server};
	bool ok;

	options->counts = serve_metrics;
	server.http = serve_http_new(sys, &how, err);
	if (!server.http)
		return EXIT_FAILED;
	catch_signals();
	ok = sys_drop_privileges(err) && open_devices(&server, err);
	if (ok) {
		message("serving %s/metrics", serve_http_url(server.http));
		ok = serve_until_end(&server, err);
	}
	serve_http_free(server.http);
	close_devices(&server);
	strbuf_fini(&server.known);
	strbuf_fini(&server.seen);
	return ok ? EXIT_DONE : EXIT_FAILED;
}
