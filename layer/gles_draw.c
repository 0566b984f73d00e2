#include "layer/gles.h"

static uint16_t title_of(struct gles_context *c)
{
	uint64_t name = map_get(&c->names, c->framebuffer), key;
	char text[PASSES_TEXT];

	if (name)
		return (uint16_t)name;
	key = (uint64_t)c->framebuffer << 32 | (uint64_t)(c->width & 0xffff) << 16 | (c->height & 0xffff);
	name = map_get(&c->titles, key + 1);
	if (!name) {
		if (c->framebuffer)
			snprintf(text, sizeof(text), "%dx%d framebuffer %u", c->width, c->height,
				 c->framebuffer);
		else
			snprintf(text, sizeof(text), "%dx%d surface", c->width, c->height);
		name = channel_name(text) + 1u;
		map_put(&c->titles, key + 1, name);
	}
	return (uint16_t)(name - 1);
}

/* Before every call that makes the GPU work. */
static void note_work(enum passes_kind kind)
{
	struct gles_context *c = gles_current();
	uint16_t name;

	if (!c || (c->open && c->kind == kind))
		return;
	gles_end_pass(c);
	c->kind = kind;
	name = labels_name(&c->labels);
	if (!name)
		name = kind == PASSES_COMPUTE ? channel_name("compute") : title_of(c);
	gles_begin_pass(c, kind, name);
}

/* What a hook notes, then the call itself. */
#define HOOK(name, note, PARAMETERS, ARGUMENTS)   \
	EXPORTED void GL_APIENTRY name PARAMETERS \
	{                                         \
		note;                             \
		REAL(name) ARGUMENTS;             \
	}
/* clang-format off */
#define DRAW(name, PARAMETERS, ARGUMENTS) HOOK(name, note_work(PASSES_RENDER), PARAMETERS, ARGUMENTS)
#define DISPATCH(name, PARAMETERS, ARGUMENTS) HOOK(name, note_work(PASSES_COMPUTE), PARAMETERS, ARGUMENTS)
#define INDICES GLsizei n, GLenum type, const void *indices

DRAW(glClear, (GLbitfield mask), (mask))
DRAW(glClearBufferfv, (GLenum buffer, GLint i, const GLfloat *value), (buffer, i, value))
DRAW(glClearBufferiv, (GLenum buffer, GLint i, const GLint *value), (buffer, i, value))
DRAW(glClearBufferuiv, (GLenum buffer, GLint i, const GLuint *value), (buffer, i, value))
DRAW(glClearBufferfi, (GLenum buffer, GLint i, GLfloat depth, GLint stencil), (buffer, i, depth, stencil))
DRAW(glDrawArrays, (GLenum mode, GLint first, GLsizei n), (mode, first, n))
DRAW(glDrawElements, (GLenum mode, INDICES), (mode, n, type, indices))
DRAW(glDrawRangeElements, (GLenum mode, GLuint first, GLuint last, INDICES),
	(mode, first, last, n, type, indices))
DRAW(glDrawArraysInstanced, (GLenum mode, GLint first, GLsizei n, GLsizei times), (mode, first, n, times))
DRAW(glDrawElementsInstanced, (GLenum mode, INDICES, GLsizei times), (mode, n, type, indices, times))
DRAW(glDrawArraysInstancedEXT, (GLenum mode, GLint first, GLsizei n, GLsizei times), (mode, first, n, times))
DRAW(glDrawElementsInstancedEXT, (GLenum mode, INDICES, GLsizei times), (mode, n, type, indices, times))
DRAW(glDrawArraysIndirect, (GLenum mode, const void *from), (mode, from))
DRAW(glDrawElementsIndirect, (GLenum mode, GLenum type, const void *from), (mode, type, from))
DRAW(glDrawElementsBaseVertex, (GLenum mode, INDICES, GLint base), (mode, n, type, indices, base))
DRAW(glDrawRangeElementsBaseVertex, (GLenum mode, GLuint first, GLuint last, INDICES, GLint base),
	(mode, first, last, n, type, indices, base))
DRAW(glDrawElementsInstancedBaseVertex, (GLenum mode, INDICES, GLsizei times, GLint base),
	(mode, n, type, indices, times, base))
DRAW(glBlitFramebuffer, (GLint x0, GLint y0, GLint x1, GLint y1, GLint to_x0, GLint to_y0, GLint to_x1,
	GLint to_y1, GLbitfield mask, GLenum filter),
	(x0, y0, x1, y1, to_x0, to_y0, to_x1, to_y1, mask, filter))
DISPATCH(glDispatchCompute, (GLuint x, GLuint y, GLuint z), (x, y, z))
DISPATCH(glDispatchComputeIndirect, (GLintptr from), (from))
/* clang-format on */

/* Binding the same framebuffer again, or one to read from, ends no pass. */
static void bind_framebuffer(struct gles_context *c, GLuint framebuffer)
{
	if (c->framebuffer != framebuffer)
		gles_end_pass(c);
	c->framebuffer = framebuffer;
}

EXPORTED void GL_APIENTRY glBindFramebuffer(GLenum target, GLuint framebuffer)
{
	if (gles_current() && target != GL_READ_FRAMEBUFFER)
		bind_framebuffer(gles_current(), framebuffer);
	REAL(glBindFramebuffer)(target, framebuffer);
}

EXPORTED void GL_APIENTRY glDeleteFramebuffers(GLsizei n, const GLuint *framebuffers)
{
	struct gles_context *c = gles_current();

	for (GLsizei i = 0; c && i < n; i++) {
		if (framebuffers[i] && framebuffers[i] == c->framebuffer)
			bind_framebuffer(c, 0);
		map_take(&c->names, framebuffers[i]);
	}
	REAL(glDeleteFramebuffers)(n, framebuffers);
}

EXPORTED void GL_APIENTRY glViewport(GLint x, GLint y, GLsizei width, GLsizei height)
{
	struct gles_context *c = gles_current();

	if (c && width >= 0 && height >= 0) {
		c->width = width;
		c->height = height;
	}
	REAL(glViewport)(x, y, width, height);
}

static void note_submit(struct gles_context *c)
{
	if (c) {
		gles_end_pass(c);
		c->frames.submits++;
	}
}

HOOK(glFlush, note_submit(gles_current()), (void), ())

/* These wait for the GPU. */
#define FINISH(name, PARAMETERS, ARGUMENTS)               \
	EXPORTED void GL_APIENTRY name PARAMETERS         \
	{                                                 \
		struct gles_context *c = gles_current();  \
		int64_t begin_ns = passes_now_ns();       \
                                                          \
		note_submit(c);                           \
		REAL(name) ARGUMENTS;                     \
		if (c)                                    \
			gles_end_wait(c, begin_ns, true); \
	}
/* clang-format off */
FINISH(glFinish, (void), ())
FINISH(glReadPixels,
	(GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, GLenum type, void *pixels),
	(x, y, width, height, format, type, pixels))
/* clang-format on */

EXPORTED GLenum GL_APIENTRY glClientWaitSync(GLsync sync, GLbitfield flags, GLuint64 timeout)
{
	struct gles_context *c = gles_current();
	int64_t begin_ns = passes_now_ns();
	GLenum result;

	note_submit(c);
	result = REAL(glClientWaitSync)(sync, flags, timeout);
	if (c)
		gles_end_wait(c, begin_ns, result == GL_ALREADY_SIGNALED || result == GL_CONDITION_SATISFIED);
	return result;
}

static void note_query(GLenum target, bool begins)
{
	struct gles_context *c = gles_current();

	if (!c || target != GL_TIME_ELAPSED_EXT)
		return;
	if (begins)
		gles_yield_timer(c);
	c->app_timer = begins;
}

/* clang-format off */
HOOK(glBeginQuery, note_query(target, true), (GLenum target, GLuint query), (target, query))
HOOK(glBeginQueryEXT, note_query(target, true), (GLenum target, GLuint query), (target, query))
HOOK(glEndQuery, note_query(target, false), (GLenum target), (target))
HOOK(glEndQueryEXT, note_query(target, false), (GLenum target), (target))

/* What this library has read is gone from the driver, and what the application reads is gone for
 * this library. */
#define GET(name, Type)                                            \
	EXPORTED void GL_APIENTRY name(GLenum what, Type *value)   \
	{                                                          \
		struct gles_context *c = gles_current();           \
                                                                   \
		REAL(name)(what, value);                           \
		if (!c || what != GL_GPU_DISJOINT_EXT || !value)   \
			return;                                    \
		c->disjoint |= *value != 0;                        \
		*value = (Type)(*value != 0 || c->app_disjoint);   \
		c->app_disjoint = false;                           \
	}
GET(glGetIntegerv, GLint)
GET(glGetInteger64v, GLint64)
GET(glGetBooleanv, GLboolean)
GET(glGetFloatv, GLfloat)
/* clang-format on */

/* Texts of the application have a length, or end with a zero byte. */
static const char *copy_text(char terminated[PASSES_TEXT + 1], const GLchar *text, GLsizei length)
{
	size_t most = length > 0 && length < PASSES_TEXT ? (size_t)length : PASSES_TEXT;
	size_t n = text ? strnlen(text, most) : 0;

	if (n)
		memcpy(terminated, text, n);
	terminated[n] = 0;
	return terminated;
}

static void push_label(const GLchar *text, GLsizei length)
{
	struct gles_context *c = gles_current();
	char terminated[PASSES_TEXT + 1];

	if (c)
		labels_push(&c->labels, copy_text(terminated, text, length));
}

static void pop_label(void)
{
	struct gles_context *c = gles_current();

	if (c)
		labels_pop(&c->labels);
}

static void name_object(GLenum type, GLuint object, GLsizei length, const GLchar *text)
{
	struct gles_context *c = gles_current();
	char terminated[PASSES_TEXT + 1];

	if (!c || type != GL_FRAMEBUFFER || !object)
		return;
	if (text && text[0])
		map_put(&c->names, object, channel_name(copy_text(terminated, text, length)));
	else
		map_take(&c->names, object);
}

/* clang-format off */
HOOK(glPushDebugGroup, push_label(text, length),
	(GLenum source, GLuint id, GLsizei length, const GLchar *text), (source, id, length, text))
HOOK(glPushDebugGroupKHR, push_label(text, length),
	(GLenum source, GLuint id, GLsizei length, const GLchar *text), (source, id, length, text))
HOOK(glPushGroupMarkerEXT, push_label(text, length), (GLsizei length, const GLchar *text), (length, text))
HOOK(glPopDebugGroup, pop_label(), (void), ())
HOOK(glPopDebugGroupKHR, pop_label(), (void), ())
HOOK(glPopGroupMarkerEXT, pop_label(), (void), ())
HOOK(glObjectLabel, name_object(type, object, length, text),
	(GLenum type, GLuint object, GLsizei length, const GLchar *text), (type, object, length, text))
HOOK(glObjectLabelKHR, name_object(type, object, length, text),
	(GLenum type, GLuint object, GLsizei length, const GLchar *text), (type, object, length, text))
HOOK(glLabelObjectEXT, name_object(type, object, length, text),
	(GLenum type, GLuint object, GLsizei length, const GLchar *text), (type, object, length, text))
/* clang-format on */
