#include "serve/serve.h"

#include "base/message.h"
#include "base/sys_privilege.h"
#include "serve/serve_http.h"
#include "serve/serve_store.h"

#include <poll.h>
#include <signal.h>

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
	struct serve_store *store;
	struct serve_http *http;
};

static void print_metrics(void *ctx, enum openmetrics_form form, struct strbuf *out)
{
	struct server *server = ctx;

	serve_store_print(server->store, server->sys->monotonic_ns(server->sys), form, out);
}

static void take_events(struct server *server, int64_t now_ns)
{
	char text[512];

	while (session_event(&server->session, now_ns, text, sizeof(text)))
		if (text[0])
			message("%s", text);
}

static void serve_until_end(struct server *server)
{
	const struct sys *sys = server->sys;
	int64_t now = sys->monotonic_ns(sys), length = server->options->duration_ns,
		end = length ? now + length : INT64_MAX;
	struct pollfd fds[] = {{.fd = serve_http_fd(server->http), .events = POLLIN},
			       {.fd = sampler_fd(server->session.sampler), .events = POLLIN}};

	for (; !asked_to_end && now < end; now = sys->monotonic_ns(sys)) {
		int wait_ms = serve_http_turn(server->http);

		take_events(server, now);
		serve_store_drain(server->store);
		if (end - now < wait_ms * 1000000ll)
			wait_ms = (int)((end - now) / 1000000) + 1;
		sys->poll(sys, fds, 2, wait_ms);
	}
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
					       .ctx = &server};
	bool ok;

	options->counts = serve_metrics;
	server.http = serve_http_new(sys, &how, err);
	if (!server.http)
		return EXIT_FAILED;
	catch_signals();
	ok = sys_drop_privileges(err) &&
	     session_open(&server.session, sys, options, 0, options->per_core, err);
	if (ok) {
		session_settle(&server.session);
		session_tell_notes(&server.session, NULL);
		server.store = serve_store_new(&server.session, err);
		ok = server.store != NULL;
		if (ok) {
			message("serving %s/metrics", serve_http_url(server.http));
			serve_until_end(&server);
		}
		serve_http_free(server.http);
		serve_store_free(server.store);
		session_close(&server.session);
	} else {
		serve_http_free(server.http);
	}
	return ok ? EXIT_DONE : EXIT_FAILED;
}
