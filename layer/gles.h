/* gles: the parts of the GLES library, which is loaded before the application's own (LD_PRELOAD),
 * or by Android as a GLES layer.
 *
 *   gles_entry.c   how its functions take the place of EGL's and OpenGL ES's
 *   gles_context.c contexts, swaps and waits
 *   gles_draw.c    what begins and ends passes
 *   gles_read.c    timer queries and their results
 *
 * A pass is what is drawn into one framebuffer without another in between. The driver measures its
 * duration (GL_TIME_ELAPSED); a pair of timestamps would be taken while the GPU's work is still
 * waiting. Contexts of OpenGL ES 2.0 and later are timed; all others pass through untouched.
 *
 * Locks: a context is current in one thread at a time, which alone touches it. Only their list has
 * a lock. No lock is held while a function of EGL or OpenGL ES is called. A child of fork gets the
 * lock released.
 */
#ifndef MALITOP_LAYER_GLES_H
#define MALITOP_LAYER_GLES_H

#include "layer/frames.h"
#include "layer/labels.h"
#include "layer/map.h"

#define GL_GLEXT_PROTOTYPES
#define EGL_EGLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl32.h>
#include <GLES2/gl2ext.h>

/* Every function that has a hook. */
/* clang-format off */
#define GLES_HOOKS(X) \
	X(eglGetProcAddress) X(eglMakeCurrent) X(eglReleaseThread) X(eglDestroyContext) \
	X(eglTerminate) X(eglSwapBuffers) X(eglSwapBuffersWithDamageKHR) \
	X(eglSwapBuffersWithDamageEXT) X(eglClientWaitSync) X(eglClientWaitSyncKHR) \
	X(glBindFramebuffer) X(glDeleteFramebuffers) X(glViewport) X(glFlush) X(glFinish) \
	X(glReadPixels) X(glClientWaitSync) X(glDispatchCompute) X(glDispatchComputeIndirect) \
	X(glClear) X(glClearBufferfv) X(glClearBufferiv) X(glClearBufferuiv) X(glClearBufferfi) \
	X(glDrawArrays) X(glDrawElements) X(glDrawRangeElements) X(glDrawArraysInstanced) \
	X(glDrawElementsInstanced) X(glDrawArraysInstancedEXT) X(glDrawElementsInstancedEXT) \
	X(glDrawArraysIndirect) X(glDrawElementsIndirect) X(glDrawElementsBaseVertex) \
	X(glDrawRangeElementsBaseVertex) X(glDrawElementsInstancedBaseVertex) \
	X(glBlitFramebuffer) X(glBeginQuery) X(glBeginQueryEXT) X(glEndQuery) X(glEndQueryEXT) \
	X(glGetIntegerv) X(glGetInteger64v) X(glGetBooleanv) X(glGetFloatv) X(glPushDebugGroup) \
	X(glPushDebugGroupKHR) X(glPopDebugGroup) X(glPopDebugGroupKHR) X(glPushGroupMarkerEXT) \
	X(glPopGroupMarkerEXT) X(glObjectLabel) X(glObjectLabelKHR) X(glLabelObjectEXT)
/* clang-format on */

enum gles_hook {
#define GLES_ID(name) GLES_##name,
	GLES_HOOKS(GLES_ID)
#undef GLES_ID
		GLES_HOOK_COUNT
};

typedef void (*gles_function)(void);

/* The function that a hook replaces, with its type. */
#define REAL(name) ((__typeof__(&name))gles_real(GLES_##name))
#define EXPORTED __attribute__((visibility("default")))

#define RING_PASSES 2048 /* a power of two; of one context, until their results are there */

enum gles_state { GLES_UNTIMED, GLES_PENDING, GLES_READ, GLES_LOST, GLES_DISJOINT };

struct gles_pass {
	GLuint query; /* kept when the place in the ring is used again; 0: none yet */
	uint8_t state, kind;
	uint16_t name, width, height;
	uint64_t frame;
	int64_t call_ns, read_ns, elapsed_ns;
};

/* Functions of GL_EXT_disjoint_timer_query, by the name without "gl" and "EXT". */
/* clang-format off */
#define GLES_TIMERS(X) \
	X(GenQueries, PFNGLGENQUERIESEXTPROC) X(BeginQuery, PFNGLBEGINQUERYEXTPROC) \
	X(EndQuery, PFNGLENDQUERYEXTPROC) X(GetQueryiv, PFNGLGETQUERYIVEXTPROC) \
	X(GetQueryObjectuiv, PFNGLGETQUERYOBJECTUIVEXTPROC) \
	X(GetQueryObjectui64v, PFNGLGETQUERYOBJECTUI64VEXTPROC)
/* clang-format on */

struct gles_timers {
#define MEMBER(name, type) type name;
	GLES_TIMERS(MEMBER)
#undef MEMBER
};

struct gles_context {
	struct gles_context *next;
	EGLContext handle;
	EGLDisplay display;
	EGLSurface surface;
	bool current, destroyed; /* under the list's lock */
	bool es, timed, channel;
	bool presents, app_timer;    /* it swaps; its own GL_TIME_ELAPSED query is active */
	bool disjoint, app_disjoint; /* seen, and not yet reported to us, or to the application */
	uint8_t number;
	struct gles_timers timers;
	enum passes_kind kind; /* of the open pass */
	GLuint framebuffer;
	GLsizei width, height; /* of the viewport */
	unsigned waits;        /* with a surface, before the first swap */
	struct debug_labels labels;
	struct map names, titles; /* of framebuffers; of passes by framebuffer and size */
	struct frames frames;
	struct ordinals ordinals;
	int64_t placed_ns;         /* end of the last pass that was written */
	uint64_t first, n, unread; /* of the ring: the oldest, their number, the first pending */
	bool open, running;        /* a pass is drawn; its query, the youngest, runs */
	struct gles_pass ring[RING_PASSES];
};

/* gles_entry.c */
gles_function gles_real(enum gles_hook hook);
gles_function gles_find(const char *name); /* of the driver, not of this library */

/* gles_context.c: the context of this thread, or NULL if it is none that is timed. */
struct gles_context *gles_current(void);
/* Like the end of a swap, for an application that shows nothing. */
void gles_end_wait(struct gles_context *c, int64_t begin_ns, bool finished);

/* gles_read.c */
void gles_find_timers(struct gles_context *c);
void gles_begin_pass(struct gles_context *c, enum passes_kind kind, uint16_t name);
void gles_end_pass(struct gles_context *c);
/* The application wants the timer, of which there is one: the pass goes on untimed. */
void gles_yield_timer(struct gles_context *c);
/* Read what is there, without waiting, and write the frames that are complete. */
void gles_poll(struct gles_context *c, int64_t now_ns);
void gles_end_frame(struct gles_context *c, enum passes_boundary kind, int64_t now_ns);
/* The context's queries are gone: what is not read is lost. */
void gles_drop(struct gles_context *c);

#endif
