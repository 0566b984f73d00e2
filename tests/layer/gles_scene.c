/* gles_scene SCENE [FRAMES]: renders with OpenGL ES, without a window, and prints nothing.
 *
 * Built with LINKED, it calls functions by name. Else it is linked with neither EGL nor OpenGL ES
 * and finds them as toolkits do: dlsym, and, in the scenes named proc-*, eglGetProcAddress.
 * Exit status 77: no OpenGL ES. */
#include "tests/layer/forks.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl32.h>
#include <GLES2/gl2ext.h>

/* clang-format off */
#define EGL_FUNCTIONS(X) \
	X(eglGetProcAddress) X(eglGetPlatformDisplay) X(eglInitialize) X(eglBindAPI) \
	X(eglChooseConfig) X(eglCreateContext) X(eglCreatePbufferSurface) X(eglMakeCurrent) \
	X(eglSwapBuffers) X(eglDestroyContext) X(eglTerminate)
#define GL_FUNCTIONS(X) \
	X(glGenFramebuffers) X(glBindFramebuffer) X(glDeleteFramebuffers) X(glFramebufferTexture2D) \
	X(glGenTextures) X(glBindTexture) X(glTexStorage2D) X(glViewport) X(glClear) X(glClearColor) \
	X(glFinish) X(glReadPixels) X(glGetError) X(glGetIntegerv) X(glPushDebugGroup) \
	X(glPopDebugGroup) X(glObjectLabel)
/* clang-format on */

static struct {
#define MEMBER(name) __typeof__(&name) name;
	EGL_FUNCTIONS(MEMBER)
	GL_FUNCTIONS(MEMBER)
	PFNGLGENQUERIESEXTPROC gen_queries;
	PFNGLBEGINQUERYEXTPROC begin_query;
	PFNGLENDQUERYEXTPROC end_query;
	PFNGLGETQUERYOBJECTUIVEXTPROC get_query;
} f;

struct gles_target {
	GLuint framebuffer, texture;
	GLsizei size;
};

struct gles_screen {
	EGLDisplay display;
	EGLConfig config;
	EGLContext context;
	EGLSurface surface;
	struct gles_target shadow, bloom;
};

#define EXPECT(what)                                                                   \
	do {                                                                           \
		if (!(what)) {                                                         \
			fprintf(stderr, "gles_scene: line %d: %s\n", __LINE__, #what); \
			exit(1);                                                       \
		}                                                                      \
	} while (0)

static void leave_untested(const char *why)
{
	fprintf(stderr, "gles_scene: %s: install libegl1 libgles2 libegl-mesa0\n", why);
	exit(77);
}

#ifdef LINKED
static void find_functions(bool proc)
{
	(void)proc;
#define LINK(name) f.name = name;
	EGL_FUNCTIONS(LINK)
	GL_FUNCTIONS(LINK)
}
#else
static void *find_symbol(void *library, const char *name)
{
	void *symbol = library ? dlsym(library, name) : NULL;

	if (!symbol)
		leave_untested(name);
	return symbol;
}

static void find_functions(bool proc)
{
	void *egl = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
	void *gles = dlopen("libGLESv2.so.2", RTLD_NOW | RTLD_LOCAL);
	void *symbol;

#define LOAD(name)                        \
	symbol = find_symbol(egl, #name); \
	memcpy(&f.name, &symbol, sizeof(symbol));
#define LOAD_GL(name)                                                    \
	if (proc) {                                                      \
		f.name = (__typeof__(f.name))f.eglGetProcAddress(#name); \
	} else {                                                         \
		symbol = find_symbol(gles, #name);                       \
		memcpy(&f.name, &symbol, sizeof(symbol));                \
	}
	EGL_FUNCTIONS(LOAD)
	GL_FUNCTIONS(LOAD_GL)
}
#endif

static void make_target(struct gles_target *t, GLsizei size)
{
	t->size = size;
	f.glGenTextures(1, &t->texture);
	f.glBindTexture(GL_TEXTURE_2D, t->texture);
	f.glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, size, size);
	f.glGenFramebuffers(1, &t->framebuffer);
	f.glBindFramebuffer(GL_FRAMEBUFFER, t->framebuffer);
	f.glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t->texture, 0);
}

static void make_display(struct gles_screen *s)
{
	static const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
					EGL_OPENGL_ES3_BIT, EGL_NONE};
	EGLint n = 0;

	s->display = f.eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL);
	if (!s->display || !f.eglInitialize(s->display, NULL, NULL) || !f.eglBindAPI(EGL_OPENGL_ES_API) ||
	    !f.eglChooseConfig(s->display, wanted, &s->config, 1, &n) || n < 1)
		leave_untested("no surfaceless display");
}

static void make_context(struct gles_screen *s, bool surface)
{
	static const EGLint version[] = {EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE};
	static const EGLint size[] = {EGL_WIDTH, 300, EGL_HEIGHT, 200, EGL_NONE};

	s->surface = surface ? f.eglCreatePbufferSurface(s->display, s->config, size) : EGL_NO_SURFACE;
	s->context = f.eglCreateContext(s->display, s->config, EGL_NO_CONTEXT, version);
	if (!s->context || !f.eglMakeCurrent(s->display, s->surface, s->surface, s->context))
		leave_untested("no context");
	make_target(&s->shadow, 512);
	make_target(&s->bloom, 256);
	f.glObjectLabel(GL_FRAMEBUFFER, s->bloom.framebuffer, -1, "bloom");
}

static void end_context(struct gles_screen *s)
{
	f.glDeleteFramebuffers(1, &s->bloom.framebuffer);
	f.glFinish();
	EXPECT(f.glGetError() == GL_NO_ERROR);
	EXPECT(f.eglMakeCurrent(s->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
	EXPECT(f.eglDestroyContext(s->display, s->context));
}

static void draw_target(const struct gles_target *t, unsigned times)
{
	f.glBindFramebuffer(GL_FRAMEBUFFER, t->framebuffer);
	f.glViewport(0, 0, t->size, t->size);
	for (unsigned i = 0; i < times; i++) {
		f.glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
		f.glClear(GL_COLOR_BUFFER_BIT);
		f.glBindFramebuffer(GL_DRAW_FRAMEBUFFER, t->framebuffer);
	}
}

static void draw_frame(struct gles_screen *s)
{
	f.glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 1, 6, "shadows");
	draw_target(&s->shadow, 3);
	f.glPopDebugGroup();
	draw_target(&s->bloom, 2);
	draw_target(&s->shadow, 1);
	if (s->surface)
		draw_target(&(struct gles_target){.size = 300}, 1);
}

static void scene_swap(struct gles_screen *s, unsigned frames)
{
	make_context(s, true);
	for (unsigned i = 0; i < frames; i++) {
		draw_frame(s);
		f.glFinish(); /* a window would hold it up: this must not run far ahead of the GPU */
		EXPECT(f.eglSwapBuffers(s->display, s->surface));
	}
	end_context(s);
}

static void scene_finish(struct gles_screen *s, unsigned frames)
{
	make_context(s, false);
	for (unsigned i = 0; i < frames; i++) {
		draw_frame(s);
		f.glFinish();
	}
	end_context(s);
}

static void scene_read(struct gles_screen *s, unsigned frames)
{
	unsigned char pixel[4];

	make_context(s, false);
	for (unsigned i = 0; i < frames; i++) {
		draw_frame(s);
		f.glBindFramebuffer(GL_FRAMEBUFFER, s->shadow.framebuffer);
		f.glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
	}
	end_context(s);
}

/* The application times its own work, so the library must not. */
static void scene_timer(struct gles_screen *s, unsigned frames)
{
	GLuint query, there = 0;
	GLint disjoint;

	make_context(s, true);
#define TIMER(member, Type, name) f.member = (Type)f.eglGetProcAddress(name);
	TIMER(gen_queries, PFNGLGENQUERIESEXTPROC, "glGenQueriesEXT")
	TIMER(begin_query, PFNGLBEGINQUERYEXTPROC, "glBeginQueryEXT")
	TIMER(end_query, PFNGLENDQUERYEXTPROC, "glEndQueryEXT")
	TIMER(get_query, PFNGLGETQUERYOBJECTUIVEXTPROC, "glGetQueryObjectuivEXT")
	f.gen_queries(1, &query);
	for (unsigned i = 0; i < frames; i++) {
		draw_target(&s->shadow, 1);
		f.begin_query(GL_TIME_ELAPSED_EXT, query);
		draw_target(&s->shadow, 1);
		draw_target(&s->bloom, 1);
		f.end_query(GL_TIME_ELAPSED_EXT);
		draw_target(&(struct gles_target){.size = 300}, 1);
		f.glFinish();
		EXPECT(f.eglSwapBuffers(s->display, s->surface));
		f.glGetIntegerv(GL_GPU_DISJOINT_EXT, &disjoint);
		EXPECT(f.glGetError() == GL_NO_ERROR);
	}
	f.glFinish();
	f.get_query(query, GL_QUERY_RESULT_AVAILABLE_EXT, &there);
	EXPECT(there);
	end_context(s);
}

struct worker {
	struct gles_screen screen;
	unsigned frames;
};

static void *draw_context(void *arg)
{
	struct worker *w = arg;

	f.eglBindAPI(EGL_OPENGL_ES_API);
	scene_finish(&w->screen, w->frames);
	return NULL;
}

/* One context stays all the time: with the last one the library hangs up, and a thread may be done
 * before the next one has begun. */
static void scene_contexts(struct gles_screen *s, unsigned frames)
{
	struct worker worker[4];
	pthread_t thread[4];

	make_context(s, false);
	for (unsigned i = 0; i < 4; i++) {
		worker[i] = (struct worker){*s, frames};
		EXPECT(pthread_create(&thread[i], NULL, draw_context, &worker[i]) == 0);
	}
	for (unsigned i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	end_context(s);
}

static struct gles_screen fork_screens[FORKS_THREADS + 1];

static void make_current(struct gles_screen *s, EGLContext context)
{
	EXPECT(f.eglMakeCurrent(s->display, EGL_NO_SURFACE, EGL_NO_SURFACE, context));
}

static void *switch_in_thread(void *number)
{
	struct gles_screen *s = &fork_screens[*(unsigned *)number];
	char name[16];

	for (unsigned i = 0; forks_go_on(); i++) {
		snprintf(name, sizeof(name), "label %u", i);
		make_current(s, s->context);
		f.glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 1, -1, name);
		f.glPopDebugGroup();
		make_current(s, EGL_NO_CONTEXT);
	}
	return NULL;
}

static void act_as_child(void)
{
	struct gles_screen *s = &fork_screens[FORKS_THREADS];

	f.glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 1, -1, "child");
	f.glPopDebugGroup();
	make_current(s, EGL_NO_CONTEXT);
	EXPECT(f.eglDestroyContext(s->display, s->context));
	EXPECT(f.eglTerminate(s->display));
}

static void fork_one(unsigned number)
{
	forks_child(number, act_as_child);
}

static void scene_forks(struct gles_screen *s, unsigned frames)
{
	(void)frames;
	for (unsigned i = 0; i <= FORKS_THREADS; i++) {
		fork_screens[i] = *s;
		make_context(&fork_screens[i], false);
	}
	forks_run(switch_in_thread, fork_one);
	end_context(&fork_screens[FORKS_THREADS]);
}

static const struct {
	const char *name;
	void (*play)(struct gles_screen *s, unsigned frames);
} scenes[] = {
	{"swap", scene_swap},   {"proc-swap", scene_swap},    {"finish", scene_finish}, {"read", scene_read},
	{"timer", scene_timer}, {"contexts", scene_contexts}, {"forks", scene_forks},
};

int main(int argc, char **argv)
{
	struct gles_screen s = {0};
	const char *name = argc > 1 ? argv[1] : "swap";
	unsigned frames = argc > 2 ? (unsigned)atoi(argv[2]) : 10;

	find_functions(strncmp(name, "proc-", 5) == 0);
	make_display(&s);
	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++)
		if (strcmp(scenes[i].name, name) == 0) {
			scenes[i].play(&s, frames);
			EXPECT(f.eglTerminate(s.display));
			return 0;
		}
	fprintf(stderr, "gles_scene: no scene \"%s\"\n", name);
	return 2;
}
