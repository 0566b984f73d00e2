/* A build without libmicrohttpd. */
#include "serve/serve.h"

int serve_run(const struct sys *sys, struct options *options, struct err *err)
{
	(void)sys;
	(void)options;
	err_set(err, 0, "serve: this build cannot serve: install libmicrohttpd-dev and build malitop again");
	return EXIT_FAILED;
}
