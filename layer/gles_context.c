#include "layer/gles.h"

#include <stdlib.h>

static pthread_once_t forks_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct gles_context *contexts;
static uint8_t n_contexts;
static __thread struct gles_context *current;

struct gles_context *gles_current(void)
{
	return current;
}

static void free_context(struct gles_context *c)
{
	gles_drop(c);
	map_fini(&c->names);
	map_fini(&c->titles);
	if (c->channel)
		channel_close();
	free(c);
}

/* Take the contexts out of the list that are of the display, and this one (NULL: all). One that is
 * current in a thread lives on until that lets it go, as in EGL. */
static void destroy_contexts(EGLDisplay display, EGLContext handle)
{
	struct gles_context **link = &contexts, *c, *gone = NULL;

	pthread_mutex_lock(&list_lock);
	while ((c = *link)) {
		if (c->display != display || (handle && c->handle != handle)) {
			link = &c->next;
			continue;
		}
		*link = c->next;
		c->destroyed = true;
		if (!c->current) {
			c->next = gone;
			gone = c;
		}
	}
	pthread_mutex_unlock(&list_lock);
	while ((c = gone)) {
		gone = c->next;
		free_context(c);
	}
}

static struct gles_context *find_context(EGLDisplay display, EGLContext handle)
{
	struct gles_context *c;

	for (c = contexts; c && (c->handle != handle || c->display != display); c = c->next)
		;
	if (!c && (c = calloc(1, sizeof(*c)))) {
		c->handle = handle;
		c->display = display;
		c->number = n_contexts++;
		map_init(&c->names);
		map_init(&c->titles);
		c->next = contexts;
		contexts = c;
	}
	if (c)
		c->current = true;
	return c;
}

/* The first time that a context is current: what it is, and whether it can be timed. */
static void open_context(struct gles_context *c)
{
	const GLubyte *(*get_string)(GLenum) = (const GLubyte *(*)(GLenum))gles_find("glGetString");
	__typeof__(&eglQueryContext) query = (__typeof__(&eglQueryContext))gles_find("eglQueryContext");
	const char *version, *renderer;
	GLint viewport[4] = {0};
	EGLint type = 0;

	if (!query || !get_string || !query(c->display, c->handle, EGL_CONTEXT_CLIENT_TYPE, &type) ||
	    type != EGL_OPENGL_ES_API)
		return;
	version = (const char *)get_string(GL_VERSION);
	renderer = (const char *)get_string(GL_RENDERER);
	if (!version || strncmp(version, "OpenGL ES ", 10) != 0)
		return;
	c->es = true;
	gles_find_timers(c);
	REAL(glGetIntegerv)(GL_VIEWPORT, viewport);
	c->width = viewport[2];
	c->height = viewport[3];
	c->channel = channel_open(PASSES_GLES, c->timed ? PASSES_STAMP_ELAPSED : PASSES_STAMP_NONE,
				  renderer ? renderer : "");
	c->frames.boundary_ns = passes_now_ns();
}

static void leave_context(struct gles_context *c)
{
	bool destroyed;

	pthread_mutex_lock(&list_lock);
	c->current = false;
	destroyed = c->destroyed;
	pthread_mutex_unlock(&list_lock);
	if (destroyed)
		free_context(c);
}

/* In a child of fork: a thread that is not there may hold the lock. */
static void leave_parent(void)
{
	pthread_mutex_init(&list_lock, NULL);
}

static void handle_forks(void)
{
	channel_at_fork(leave_parent);
}

static void enter_context(EGLDisplay display, EGLSurface surface, EGLContext handle)
{
	struct gles_context *c;

	pthread_once(&forks_once, handle_forks);
	pthread_mutex_lock(&list_lock);
	c = find_context(display, handle);
	pthread_mutex_unlock(&list_lock);
	if (!c)
		return;
	if (!c->frames.boundary_ns)
		open_context(c);
	c->surface = surface;
	current = c->es ? c : NULL;
	if (!current)
		leave_context(c);
}

EXPORTED EGLBoolean EGLAPIENTRY eglMakeCurrent(EGLDisplay display, EGLSurface draw, EGLSurface read,
					       EGLContext handle)
{
	struct gles_context *before = current;
	bool stays = before && before->handle == handle && before->display == display;
	EGLBoolean done;

	if (before && !(stays && before->surface == draw)) {
		gles_end_pass(before);
		gles_poll(before, passes_now_ns());
	}
	done = REAL(eglMakeCurrent)(display, draw, read, handle);
	if (!done)
		return done;
	if (stays) {
		before->surface = draw;
		return done;
	}
	current = NULL;
	if (before)
		leave_context(before);
	if (handle != EGL_NO_CONTEXT)
		enter_context(display, draw, handle);
	return done;
}

EXPORTED EGLBoolean EGLAPIENTRY eglReleaseThread(void)
{
	struct gles_context *before = current;
	EGLBoolean done;

	if (before) {
		gles_end_pass(before);
		gles_poll(before, passes_now_ns());
	}
	done = REAL(eglReleaseThread)();
	if (done && before) {
		current = NULL;
		leave_context(before);
	}
	return done;
}

EXPORTED EGLBoolean EGLAPIENTRY eglDestroyContext(EGLDisplay display, EGLContext handle)
{
	EGLBoolean done = REAL(eglDestroyContext)(display, handle);

	if (done && handle)
		destroy_contexts(display, handle);
	return done;
}

EXPORTED EGLBoolean EGLAPIENTRY eglTerminate(EGLDisplay display)
{
	EGLBoolean done = REAL(eglTerminate)(display);

	if (done)
		destroy_contexts(display, NULL);
	return done;
}

static int64_t begin_swap(void)
{
	int64_t now_ns = passes_now_ns();

	if (current) {
		current->presents = true;
		current->frames.submits++;
		gles_end_pass(current);
		gles_end_frame(current, PASSES_PRESENT, now_ns);
	}
	return now_ns;
}

static void end_swap(int64_t begin_ns)
{
	if (current)
		frames_add_present(&current->frames, begin_ns, passes_now_ns());
}

#define SWAP(name, PARAMETERS, ARGUMENTS)               \
	EXPORTED EGLBoolean EGLAPIENTRY name PARAMETERS \
	{                                               \
		int64_t begin_ns = begin_swap();        \
		EGLBoolean done = REAL(name) ARGUMENTS; \
                                                        \
		end_swap(begin_ns);                     \
		return done;                            \
	}
/* clang-format off */
SWAP(eglSwapBuffers, (EGLDisplay display, EGLSurface surface), (display, surface))
SWAP(eglSwapBuffersWithDamageKHR, (EGLDisplay display, EGLSurface surface, const EGLint *rects, EGLint n),
	(display, surface, rects, n))
SWAP(eglSwapBuffersWithDamageEXT, (EGLDisplay display, EGLSurface surface, const EGLint *rects, EGLint n),
	(display, surface, rects, n))
/* clang-format on */

/* Does the application show its frames? One with a surface may wait before it first does. */
static bool is_shown(struct gles_context *c)
{
	return c->presents || (c->surface && ++c->waits <= FRAMES_LATE);
}

void gles_end_wait(struct gles_context *c, int64_t begin_ns, bool finished)
{
	int64_t now_ns = passes_now_ns();

	frames_add_wait(&c->frames, begin_ns, now_ns);
	if (finished && c->frames.passes && !is_shown(c))
		gles_end_frame(c, PASSES_WAIT, now_ns);
}

/* A wait for another context's work, or the display's, is no boundary. */
#define WAIT_SYNC(name, Sync, Time)                                                                 \
	EXPORTED EGLint EGLAPIENTRY name(EGLDisplay display, Sync sync, EGLint flags, Time timeout) \
	{                                                                                           \
		int64_t begin_ns = passes_now_ns();                                                 \
		EGLint result = REAL(name)(display, sync, flags, timeout);                          \
                                                                                                    \
		if (current)                                                                        \
			frames_add_wait(&current->frames, begin_ns, passes_now_ns());               \
		return result;                                                                      \
	}
WAIT_SYNC(eglClientWaitSync, EGLSync, EGLTime)
WAIT_SYNC(eglClientWaitSyncKHR, EGLSyncKHR, EGLTimeKHR)
