/* regions SCENE: a program with malitop.h, in two files. Prints nothing. */
#include "tests/layer/regions.h"

#include "malitop.h"
#include "tests/layer/forks.h"

#define FRAMES 10

static void nest_regions(void)
{
	for (unsigned i = 0; i < FRAMES; i++) {
		malitop_begin("physics");
		malitop_begin("solver");
		malitop_end();
		malitop_begin("solver");
		malitop_end();
		malitop_end();
		call_other_file();
		malitop_frame();
	}
	malitop_end(); /* of nothing */
	malitop_mark("level \033[1m loaded");
}

static void pace_frames(void)
{
	for (unsigned i = 0; i < 60; i++) {
		const struct timespec pause = {0, 5000000};

		if (i == 30)
			malitop_mark("half \033[1m time");
		malitop_begin("physics");
		nanosleep(&pause, NULL);
		call_other_file();
		malitop_end();
		malitop_frame();
	}
}

static void nest_too_deep(void)
{
	for (unsigned i = 0; i < 40; i++)
		malitop_begin("deep");
	for (unsigned i = 0; i < 41; i++)
		malitop_end();
}

static void *work_in_thread(void *name)
{
	for (unsigned i = 0; i < FRAMES; i++) {
		malitop_begin((const char *)name);
		call_other_file();
		malitop_end();
	}
	return NULL;
}

static void start_threads(void)
{
	static char names[8][16];
	pthread_t thread[8];

	call_other_file(); /* connects: no region is recorded before */
	for (unsigned i = 0; i < 8; i++) {
		snprintf(names[i], sizeof(names[i]), "worker %u", i);
		if (pthread_create(&thread[i], NULL, work_in_thread, names[i]) != 0)
			exit(1);
	}
	for (unsigned i = 0; i < 8; i++)
		pthread_join(thread[i], NULL);
}

static void act_as_child(void)
{
	malitop_begin("child");
	malitop_end();
	malitop_end();
	malitop_frame();
	malitop_mark("child");
}

/* Only the parent's regions are its own. */
static void fork_in_region(unsigned number)
{
	malitop_begin("parent");
	forks_child(number, act_as_child);
	malitop_end();
}

static void fork_one_child(void)
{
	fork_in_region(0);
}

static void *mark_in_thread(void *number)
{
	char name[16];

	for (unsigned i = 0; forks_go_on(); i++) {
		snprintf(name, sizeof(name), "mark %u.%u", *(unsigned *)number, i % 100);
		malitop_mark(name);
	}
	return NULL;
}

static void fork_while_others_mark(void)
{
	call_other_file(); /* connects */
	forks_run(mark_in_thread, fork_in_region);
}

/* A child that lives on does not keep its parent's connection. */
static void fork_daemon(void)
{
	const struct timespec pause = {FORKS_PATIENCE_S, 0};

	malitop_begin("parent");
	if (fork() == 0) {
		nanosleep(&pause, NULL);
		_exit(0);
	}
	malitop_end();
}

static const struct {
	const char *name;
	void (*play)(void);
} scenes[] = {
	{"nested", nest_regions},   {"paced", pace_frames},   {"deep", nest_too_deep},
	{"threads", start_threads}, {"fork", fork_one_child}, {"forks", fork_while_others_mark},
	{"daemon", fork_daemon},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(scenes) / sizeof(scenes[0]); i++)
		if (strcmp(scenes[i].name, argv[1]) == 0) {
			scenes[i].play();
			return 0;
		}
	fprintf(stderr, "regions: nested, paced, deep, threads, fork, forks or daemon?\n");
	return 2;
}
