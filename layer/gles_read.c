#include "layer/gles.h"

#define LONGEST_NS 10000000000ll
#define QUERIES_AT_ONCE 32

static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (; list && *list; list += strcspn(list, " "), list += strspn(list, " "))
		if (strncmp(list, word, n) == 0 && (list[n] == ' ' || !list[n]))
			return true;
	return false;
}

/* A counter without bits measures nothing, although the extension is there. */
void gles_find_timers(struct gles_context *c)
{
	const GLubyte *(*get_string)(GLenum) = (const GLubyte *(*)(GLenum))gles_find("glGetString");
	__typeof__(&eglGetProcAddress) find = REAL(eglGetProcAddress);
	GLint bits = 0, disjoint;
	bool found = true;

	if (!has_word((const char *)get_string(GL_EXTENSIONS), "GL_EXT_disjoint_timer_query") || !find)
		return;
#define LOAD(name, type)                               \
	c->timers.name = (type)find("gl" #name "EXT"); \
	found &= c->timers.name != NULL;
	GLES_TIMERS(LOAD)
#undef LOAD
	if (!found)
		return;
	c->timers.GetQueryiv(GL_TIME_ELAPSED_EXT, GL_QUERY_COUNTER_BITS_EXT, &bits);
	c->timed = bits > 0;
	if (c->timed)
		REAL(glGetIntegerv)(GL_GPU_DISJOINT_EXT, &disjoint); /* what was before is no matter */
}

static struct gles_pass *pass_at(struct gles_context *c, uint64_t number)
{
	return &c->ring[number % RING_PASSES];
}

/* Places of the ring get their queries when they are first used. */
static GLuint query_of(struct gles_context *c, uint64_t number)
{
	GLuint made[QUERIES_AT_ONCE] = {0};

	if (!pass_at(c, number)->query) {
		c->timers.GenQueries(QUERIES_AT_ONCE, made);
		for (unsigned i = 0; i < QUERIES_AT_ONCE; i++)
			pass_at(c, number + i)->query = made[i];
	}
	return pass_at(c, number)->query;
}

/* A pass without a query is in no frame's report, but counted: by the channel, and by its frame. */
void gles_begin_pass(struct gles_context *c, enum passes_kind kind, uint16_t name)
{
	struct gles_pass *pass = pass_at(c, c->first + c->n);
	bool full = c->n == RING_PASSES;
	GLuint query = full || !c->timed || c->app_timer ? 0 : query_of(c, c->first + c->n);

	c->frames.passes++;
	c->open = true;
	if (!query) {
		channel_count(PASSES_UNTIMED, 1);
		frames_at(&c->frames, c->frames.now)->stamped += full;
		return;
	}
	*pass = (struct gles_pass){.query = query,
				   .state = GLES_PENDING,
				   .kind = (uint8_t)kind,
				   .name = name,
				   .frame = c->frames.now,
				   .call_ns = passes_now_ns()};
	if (kind == PASSES_RENDER) {
		pass->width = (uint16_t)(c->width < UINT16_MAX ? c->width : UINT16_MAX);
		pass->height = (uint16_t)(c->height < UINT16_MAX ? c->height : UINT16_MAX);
	}
	c->n++;
	c->running = true;
	frames_at(&c->frames, pass->frame)->outstanding++;
	frames_at(&c->frames, pass->frame)->stamped++;
	c->timers.BeginQuery(GL_TIME_ELAPSED_EXT, query);
}

static void count_state(enum gles_state state)
{
	static const enum passes_count counts[] = {[GLES_UNTIMED] = PASSES_UNTIMED,
						   [GLES_LOST] = PASSES_LOST,
						   [GLES_DISJOINT] = PASSES_DISJOINT};

	if (state != GLES_READ)
		channel_count(counts[state], 1);
}

static void settle_pass(struct gles_context *c, struct gles_pass *pass, enum gles_state state)
{
	pass->state = (uint8_t)state;
	count_state(state);
	frames_at(&c->frames, pass->frame)->outstanding--;
	frames_at(&c->frames, pass->frame)->stamped -= state == GLES_UNTIMED;
}

/* Results come in order. */
static void read_results(struct gles_context *c, int64_t now_ns)
{
	uint64_t end = c->first + c->n;

	for (c->unread = c->unread > c->first ? c->unread : c->first; c->unread < end; c->unread++) {
		struct gles_pass *pass = pass_at(c, c->unread);
		GLuint available = 0;
		GLuint64 elapsed = 0;

		if (pass->state != GLES_PENDING)
			continue;
		c->timers.GetQueryObjectuiv(pass->query, GL_QUERY_RESULT_AVAILABLE_EXT, &available);
		if (!available && c->frames.now - pass->frame < FRAMES_LATE)
			return;
		if (available)
			c->timers.GetQueryObjectui64v(pass->query, GL_QUERY_RESULT_EXT, &elapsed);
		pass->elapsed_ns = (int64_t)elapsed;
		pass->read_ns = now_ns;
		settle_pass(c, pass,
			    !available                       ? GLES_LOST
			    : elapsed > (GLuint64)LONGEST_NS ? GLES_DISJOINT
							     : GLES_READ);
	}
}

/* The GPU's clock was reset, or its frequency changed in a way that spoils times: every result
 * since the last look is void, and with it its whole frame. The driver forgets this once it is
 * read, so the application must get it the next time it asks. */
static void check_disjoint(struct gles_context *c)
{
	GLint disjoint = 0;

	REAL(glGetIntegerv)(GL_GPU_DISJOINT_EXT, &disjoint);
	c->app_disjoint |= disjoint != 0;
	if (!disjoint && !c->disjoint)
		return;
	c->disjoint = false;
	for (uint64_t i = c->first; i < c->first + c->n; i++) {
		struct gles_pass *pass = pass_at(c, i);

		if (pass->state == GLES_READ) {
			pass->state = GLES_DISJOINT;
			count_state(GLES_DISJOINT);
		} else if (pass->state == GLES_PENDING) {
			settle_pass(c, pass, GLES_DISJOINT);
		}
	}
	c->unread = c->first + c->n;
}

/* The driver reports how long a pass took, not when. The pass started after its call and after the
 * pass before it, and was complete when its result was read. */
static void write_pass(struct gles_context *c, const struct gles_pass *pass)
{
	struct passes_event e = {.type = PASSES_PASS,
				 .kind = pass->kind,
				 .device = c->number,
				 .flags = PASSES_UNCALIBRATED,
				 .name = pass->name,
				 .frame = pass->frame,
				 .width = pass->width,
				 .height = pass->height};

	e.begin_ns = pass->call_ns > c->placed_ns ? pass->call_ns : c->placed_ns;
	if (e.begin_ns + pass->elapsed_ns > pass->read_ns)
		e.begin_ns = pass->read_ns - pass->elapsed_ns;
	e.end_ns = c->placed_ns = e.begin_ns + pass->elapsed_ns;
	e.ordinal = ordinals_next(&c->ordinals, e.name, e.frame);
	channel_write(&e, 1);
}

/* A part of a frame's passes would look like a shorter frame. */
static bool frame_is_void(struct gles_context *c)
{
	for (uint64_t i = c->first; i < c->first + c->n && pass_at(c, i)->frame == c->frames.emitted; i++)
		if (pass_at(c, i)->state == GLES_DISJOINT)
			return true;
	return false;
}

static void write_frames(struct gles_context *c)
{
	while (frames_is_complete(&c->frames)) {
		bool void_frame = frame_is_void(c);

		while (c->n && pass_at(c, c->first)->frame == c->frames.emitted) {
			struct gles_pass *pass = pass_at(c, c->first++);

			c->n--;
			if (pass->state == GLES_READ && void_frame)
				count_state(GLES_DISJOINT);
			else if (pass->state == GLES_READ)
				write_pass(c, pass);
		}
		frames_write(&c->frames);
	}
}

void gles_end_pass(struct gles_context *c)
{
	if (c->running)
		c->timers.EndQuery(GL_TIME_ELAPSED_EXT);
	c->open = c->running = false;
}

void gles_yield_timer(struct gles_context *c)
{
	if (!c->running)
		return;
	c->timers.EndQuery(GL_TIME_ELAPSED_EXT);
	c->running = false;
	settle_pass(c, pass_at(c, c->first + c->n - 1), GLES_UNTIMED);
}

void gles_poll(struct gles_context *c, int64_t now_ns)
{
	if (c->timed) {
		read_results(c, now_ns);
		check_disjoint(c);
	}
	write_frames(c);
}

void gles_end_frame(struct gles_context *c, enum passes_boundary kind, int64_t now_ns)
{
	struct passes_event frame = {
		.kind = (uint8_t)kind, .device = c->number, .flags = c->timed ? 0 : PASSES_NO_TIMESTAMPS};

	frames_end(&c->frames, &frame, now_ns);
	gles_poll(c, now_ns);
	channel_tend(now_ns);
}

void gles_drop(struct gles_context *c)
{
	for (uint64_t i = c->first; i < c->first + c->n; i++)
		if (pass_at(c, i)->state == GLES_PENDING)
			settle_pass(c, pass_at(c, i), GLES_LOST);
	write_frames(c);
}
