/* fakegles: libEGL and libGLESv2 in one library without a GPU, with the timers that drivers can
 * have. Every clear takes a millisecond of its GPU. FAKEGLES has words:
 *
 *   noext       no GL_EXT_disjoint_timer_query
 *   bits=N      of the timer's counter; default 64
 *   never       results never come; else two frames after the query ended
 *   disjoint=N  GL_GPU_DISJOINT_EXT is set at the N-th end of a frame
 *
 * A call that OpenGL ES forbids ends the program with a message. One context, one thread;
 * with noext any number. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GL_GLEXT_PROTOTYPES
#define EGL_EGLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl32.h>
#include <GLES2/gl2ext.h>

#define QUERIES 4096
#define MS 1000000ull
#define EXPORTED __attribute__((visibility("default")))

static struct {
	unsigned n_queries, n_contexts, active, frame;
	bool disjoint;
	GLuint next_object;
	struct {
		bool ended;
		unsigned frame;
		GLuint64 elapsed;
	} query[QUERIES];
} gpu;

static const char *word_of(const char *name)
{
	const char *words = getenv("FAKEGLES"), *at = words ? strstr(words, name) : NULL;

	return at ? at + strlen(name) : NULL;
}

static void require(bool allowed, const char *what)
{
	if (allowed)
		return;
	fprintf(stderr, "fakegles: %s\n", what);
	_Exit(3);
}

static void end_fake_frame(void)
{
	const char *when = word_of("disjoint=");

	require(!gpu.active, "a frame ends within a query");
	gpu.frame++;
	gpu.disjoint |= when && (unsigned)atoi(when) == gpu.frame;
}

static bool is_there(GLuint query)
{
	return gpu.query[query].ended && !word_of("never") && gpu.query[query].frame + 2 <= gpu.frame;
}

static void GL_APIENTRY gen_queries(GLsizei n, GLuint *queries)
{
	require(gpu.n_queries + (unsigned)n < QUERIES, "more queries than a steady program needs");
	for (GLsizei i = 0; i < n; i++)
		queries[i] = ++gpu.n_queries;
}

static void GL_APIENTRY begin_query(GLenum target, GLuint query)
{
	require(target == GL_TIME_ELAPSED_EXT && query && query <= gpu.n_queries, "begin of no query");
	require(!gpu.active, "a query begins within another");
	gpu.active = query;
	gpu.query[query].ended = false;
	gpu.query[query].elapsed = 0;
}

static void GL_APIENTRY end_query(GLenum target)
{
	require(target == GL_TIME_ELAPSED_EXT && gpu.active, "end of a query that did not begin");
	gpu.query[gpu.active].ended = true;
	gpu.query[gpu.active].frame = gpu.frame;
	gpu.active = 0;
}

static void GL_APIENTRY get_query_bits(GLenum target, GLenum what, GLint *value)
{
	const char *bits = word_of("bits=");

	require(target == GL_TIME_ELAPSED_EXT && what == GL_QUERY_COUNTER_BITS_EXT, "another question");
	*value = bits ? atoi(bits) : 64;
}

static void GL_APIENTRY get_available(GLuint query, GLenum what, GLuint *value)
{
	require(query && query <= gpu.n_queries && what == GL_QUERY_RESULT_AVAILABLE_EXT,
		"no such query, or a result of 32 bits");
	require(query != gpu.active, "a query is asked while it is active");
	*value = is_there(query);
}

static void GL_APIENTRY get_result(GLuint query, GLenum what, GLuint64 *value)
{
	require(query && query <= gpu.n_queries && what == GL_QUERY_RESULT_EXT, "no such query");
	require(is_there(query), "a wait for a result");
	*value = gpu.query[query].elapsed;
}

EXPORTED void GL_APIENTRY glClear(GLbitfield mask)
{
	(void)mask;
	if (gpu.active)
		gpu.query[gpu.active].elapsed += MS;
}

EXPORTED void GL_APIENTRY glGetIntegerv(GLenum what, GLint *value)
{
	value[0] = 0;
	if (what == GL_GPU_DISJOINT_EXT) {
		require(!word_of("noext"), "a question of an absent extension");
		value[0] = gpu.disjoint;
		gpu.disjoint = false;
	} else if (what == GL_VIEWPORT) {
		memcpy(value, (GLint[4]){0, 0, 300, 200}, 4 * sizeof(*value));
	}
}

EXPORTED const GLubyte *GL_APIENTRY glGetString(GLenum what)
{
	switch (what) {
	case GL_VERSION:
		return (const GLubyte *)"OpenGL ES 3.2 fake";
	case GL_RENDERER:
		return (const GLubyte *)"fakegles";
	case GL_EXTENSIONS:
		return (const GLubyte *)(word_of("noext") ? "GL_EXT_disjoint_timer_query_webgl2 GL_KHR_debug"
							  : "GL_KHR_debug GL_EXT_disjoint_timer_query");
	default:
		return NULL;
	}
}

static void make_objects(GLsizei n, GLuint *objects)
{
	for (GLsizei i = 0; i < n; i++)
		objects[i] = ++gpu.next_object;
}

/* What has no effect here. */
/* clang-format off */
#define IGNORED(name, PARAMETERS) EXPORTED void GL_APIENTRY name PARAMETERS {}
IGNORED(glBindFramebuffer, (GLenum t, GLuint f))
IGNORED(glDeleteFramebuffers, (GLsizei n, const GLuint *f))
IGNORED(glFramebufferTexture2D, (GLenum t, GLenum a, GLenum k, GLuint x, GLint l))
IGNORED(glBindTexture, (GLenum t, GLuint x))
IGNORED(glTexStorage2D, (GLenum t, GLsizei l, GLenum f, GLsizei w, GLsizei h))
IGNORED(glViewport, (GLint x, GLint y, GLsizei w, GLsizei h))
IGNORED(glClearColor, (GLfloat r, GLfloat g, GLfloat b, GLfloat a))
IGNORED(glReadPixels, (GLint x, GLint y, GLsizei w, GLsizei h, GLenum f, GLenum t, void *p))
IGNORED(glPushDebugGroup, (GLenum s, GLuint i, GLsizei n, const GLchar *t))
IGNORED(glPopDebugGroup, (void))
IGNORED(glObjectLabel, (GLenum t, GLuint o, GLsizei n, const GLchar *x))
/* clang-format on */
EXPORTED void GL_APIENTRY glFinish(void)
{
	end_fake_frame();
}

EXPORTED void GL_APIENTRY glGenFramebuffers(GLsizei n, GLuint *objects)
{
	make_objects(n, objects);
}

EXPORTED void GL_APIENTRY glGenTextures(GLsizei n, GLuint *objects)
{
	make_objects(n, objects);
}

EXPORTED GLenum GL_APIENTRY glGetError(void)
{
	return GL_NO_ERROR;
}

EXPORTED EGLDisplay EGLAPIENTRY eglGetPlatformDisplay(EGLenum platform, void *native, const EGLAttrib *list)
{
	(void)platform, (void)native, (void)list;
	return &gpu;
}

#define SUCCEEDS(name, PARAMETERS)                      \
	EXPORTED EGLBoolean EGLAPIENTRY name PARAMETERS \
	{                                               \
		return EGL_TRUE;                        \
	}
/* clang-format off */
SUCCEEDS(eglBindAPI, (EGLenum api))
SUCCEEDS(eglMakeCurrent, (EGLDisplay d, EGLSurface w, EGLSurface r, EGLContext c))
SUCCEEDS(eglDestroyContext, (EGLDisplay d, EGLContext c))
SUCCEEDS(eglTerminate, (EGLDisplay d))
SUCCEEDS(eglInitialize, (EGLDisplay d, EGLint *major, EGLint *minor))
/* clang-format on */

EXPORTED EGLBoolean EGLAPIENTRY eglChooseConfig(EGLDisplay d, const EGLint *list, EGLConfig *configs,
						EGLint size, EGLint *n)
{
	(void)d, (void)list, (void)size;
	configs[0] = &gpu;
	*n = 1;
	return EGL_TRUE;
}

EXPORTED EGLContext EGLAPIENTRY eglCreateContext(EGLDisplay d, EGLConfig config, EGLContext share,
						 const EGLint *list)
{
	(void)d, (void)config, (void)share, (void)list;
	return (char *)&gpu + ++gpu.n_contexts;
}

EXPORTED EGLSurface EGLAPIENTRY eglCreatePbufferSurface(EGLDisplay d, EGLConfig config, const EGLint *list)
{
	(void)d, (void)config, (void)list;
	return &gpu.frame;
}

EXPORTED EGLBoolean EGLAPIENTRY eglQueryContext(EGLDisplay d, EGLContext c, EGLint what, EGLint *value)
{
	(void)d, (void)c, (void)what;
	*value = EGL_OPENGL_ES_API;
	return EGL_TRUE;
}

EXPORTED EGLBoolean EGLAPIENTRY eglSwapBuffers(EGLDisplay d, EGLSurface surface)
{
	(void)d, (void)surface;
	end_fake_frame();
	return EGL_TRUE;
}

EXPORTED __eglMustCastToProperFunctionPointerType EGLAPIENTRY eglGetProcAddress(const char *name)
{
#define KNOWN(text, function)        \
	if (strcmp(name, text) == 0) \
		return (__eglMustCastToProperFunctionPointerType)function;
	KNOWN("glGenQueriesEXT", gen_queries)
	KNOWN("glBeginQueryEXT", begin_query)
	KNOWN("glEndQueryEXT", end_query)
	KNOWN("glGetQueryivEXT", get_query_bits)
	KNOWN("glGetQueryObjectuivEXT", get_available)
	KNOWN("glGetQueryObjectui64vEXT", get_result)
	return NULL;
}
