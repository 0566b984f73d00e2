/* CSV: a row per sample, and tables for data that rows cannot hold. */
#include "export/export_priv.h"

#include "base/alloc.h"
#include "base/units.h"
#include "hot/hot_table.h"
#include "model/process.h"
#include "passes/pass_records.h"

#include <math.h>
#include <string.h>

/* A spreadsheet takes a text that begins so for a formula, unless it is a number. */
static bool is_formula(const char *text)
{
	double number;

	return text[0] && strchr("=+-@\t\r", text[0]) && text[1] && !span_double(span_of(text), &number);
}

void csv_field(struct strbuf *out, const char *text)
{
	AUTOFREE char *harmless = is_formula(text) ? xasprintf("'%s", text) : NULL;

	text = harmless ? harmless : text;
	if (!strpbrk(text, ",\"\r\n")) {
		strbuf_str(out, text);
		return;
	}
	strbuf_str(out, "\"");
	for (; *text; text++) {
		if (*text == '"')
			strbuf_str(out, "\"");
		strbuf_add(out, text, 1);
	}
	strbuf_str(out, "\"");
}

static void begin_line(const struct export_table *table, int64_t time_ns, struct strbuf *out)
{
	if (table->options->several) {
		csv_field(out, table->options->host);
		strbuf_str(out, ",");
	}
	export_seconds(out, time_ns);
}

static void add_text(struct strbuf *out, const char *text)
{
	strbuf_str(out, ",");
	csv_field(out, text);
}

static void add_number(struct strbuf *out, double value)
{
	char number[NUMBER_TEXT];

	strbuf_str(out, ",");
	strbuf_str(out, number_shortest(number, value));
}

static void add_bytes(struct strbuf *out, uint64_t bytes)
{
	if (bytes == SAMPLE_UNKNOWN)
		strbuf_str(out, ",");
	else
		strbuf_printf(out, ",%llu", (unsigned long long)bytes);
}

static int64_t wall_of(const struct export_table *table, int64_t ns)
{
	return ns + table->options->epoch_offset_ns;
}

static void csv_begin(const struct export_table *table, struct strbuf *out)
{
	strbuf_str(out, table->options->several ? "host,time,duration,flags" : "time,duration,flags");
	for (unsigned i = 0; i < table->n_columns; i++)
		add_text(out, table->columns[i].name);
	strbuf_str(out, CSV_EOL);
	if (!table->options->units)
		return;
	strbuf_str(out, table->options->several ? ",s,s," : "s,s,");
	for (unsigned i = 0; i < table->n_columns; i++)
		add_text(out, table->columns[i].unit->name);
	strbuf_str(out, CSV_EOL);
}

static void csv_row(const struct export_table *table, const struct export_row *row, struct strbuf *out)
{
	char flags[EXPORT_FLAGS_TEXT];

	begin_line(table, row->begin_ns, out);
	strbuf_str(out, ",");
	export_seconds(out, row->duration_ns);
	strbuf_str(out, ",");
	strbuf_str(out, export_flags(flags, row));
	for (unsigned i = 0; i < table->n_columns; i++)
		add_number(out, row->values[i]);
	strbuf_str(out, CSV_EOL);
}

const struct export_format export_csv = {.name = "csv", .begin = csv_begin, .row = csv_row};

/* ---- frames, passes ---- */

static void frames_sample(const struct export_table *table, unsigned source, const struct sample *sample,
			  struct strbuf *out)
{
	struct pass_record r;
	unsigned at = 0;

	if (table->sources[source].kind != SOURCE_PASSES)
		return;
	while (pass_records_next(sample, &at, &r)) {
		if (r.kind != RECORD_FRAME)
			continue;
		begin_line(table, wall_of(table, r.begin_ns), out);
		add_number(out, r.number);
		add_number(out, (double)(r.end_ns - r.begin_ns) * 1e-6);
		add_number(out, r.cpu_ms);
		add_number(out, r.gpu_ms);
		add_number(out, r.present_ms);
		add_number(out, r.wait_ms);
		strbuf_str(out, CSV_EOL);
	}
}

static void put_passes(const struct export_table *table, const struct pass_table *names,
		       const struct pass_record *frame, struct strbuf *out)
{
	struct frame_span span;

	for (unsigned i = 0; i < frame->n; i++) {
		if (!pass_record_pass(frame, i, &span))
			continue;
		begin_line(table, wall_of(table, frame->begin_ns) + (int64_t)(span.begin_ms * 1e6), out);
		add_number(out, frame->number);
		add_text(out, export_pass_name(names, span.row, ""));
		add_number(out, span.queue);
		add_number(out, span.end_ms - span.begin_ms);
		strbuf_str(out, CSV_EOL);
	}
}

static void passes_sample(const struct export_table *table, unsigned source, const struct sample *sample,
			  struct strbuf *out)
{
	const struct export_source *s = &table->sources[source];
	struct pass_record record;
	struct pass_table names;
	unsigned at = 0;

	if (!s->run || !sample->n_more)
		return;
	pass_table_sample(&names, s->set, sample, &s->run->names);
	while (pass_records_next(sample, &at, &record))
		if (record.kind == RECORD_FRAME)
			put_passes(table, &names, &record, out);
}

/* ---- processes ---- */

static void processes_list(const struct export_table *table, const struct process_list *list,
			   struct strbuf *out)
{
	for (unsigned i = 0; list->begin_ns && i < list->n; i++) {
		const struct process *p = &list->processes[i];
		const char state[2] = {p->state, 0};

		begin_line(table, wall_of(table, list->begin_ns), out);
		strbuf_str(out, ",");
		export_seconds(out, list->end_ns - list->begin_ns);
		strbuf_printf(out, ",%d,%d,%d", p->pid, p->parent, p->is_thread);
		add_text(out, p->name);
		add_text(out, p->user);
		add_text(out, state);
		add_number(out, (double)p->cpu_percent);
		add_number(out, (double)p->gpu_percent);
		add_bytes(out, p->rss_bytes);
		add_bytes(out, p->gpu_bytes);
		strbuf_str(out, CSV_EOL);
	}
}

/* ---- functions: of the whole log, so their time is its start ---- */

static void functions_end(const struct export_table *table, struct strbuf *out)
{
	static const struct hot_scope all = {0};
	char text[HOT_NAME_TEXT];
	struct hot_table t;

	if (!table->hot)
		return;
	hot_table_make(&t, table->hot, &all);
	for (unsigned i = 0; i < t.n; i++) {
		const struct hot_function *f = &table->hot->functions[t.rows[i].function];

		hot_function_text(f, text, sizeof(text));
		begin_line(table, wall_of(table, table->options->start_ns), out);
		add_text(out, text);
		add_text(out, f->module);
		add_number(out, t.rows[i].self * 100);
		add_number(out, t.rows[i].plus_minus * 100);
		add_number(out, t.has_calls ? t.rows[i].total * 100 : (double)NAN);
		strbuf_printf(out, ",%llu" CSV_EOL, (unsigned long long)t.rows[i].count);
	}
	hot_table_fini(&t);
}

/* ---- findings, marks ---- */

static void findings_judged(const struct export_table *table, const struct export_judgement *change,
			    struct strbuf *out)
{
	const struct finding_def *def = change->what->def;

	if (change->begins)
		return;
	begin_line(table, change->begin_ns, out);
	strbuf_str(out, ",");
	export_seconds(out, change->time_ns - change->begin_ns);
	add_text(out, change->is_verdict ? "verdict" : "finding");
	add_text(out, change->is_verdict ? "" : finding_severity_names[def->severity]);
	add_text(out, def->name);
	add_text(out, def->title);
	strbuf_str(out, CSV_EOL);
}

/* CSV has rows only, without a report after them. */
static void no_report(const struct export_table *table, const struct judge *judge, struct strbuf *out)
{
	(void)table, (void)judge, (void)out;
}

static void marks_mark(const struct export_table *table, int64_t time_ns, const char *text,
		       struct strbuf *out)
{
	if (strncmp(text, JUDGE_NEWS, strlen(JUDGE_NEWS)) == 0)
		return; /* the table of findings has the verdicts */
	begin_line(table, time_ns, out);
	add_text(out, text);
	strbuf_str(out, CSV_EOL);
}

static const struct export_format
	frames = {.name = "frames",
		  .raw = true,
		  .heads = "time,frame,ms,cpu_ms,gpu_ms,present_ms,wait_ms",
		  .sample = frames_sample},
	passes = {.name = "passes",
		  .raw = true,
		  .heads = "time,frame,pass,queue,ms",
		  .sample = passes_sample},
	processes = {.name = "processes",
		     .raw = true,
		     .heads = "time,duration,pid,parent,thread,name,user,state,cpu_percent,gpu_percent,rss_"
			      "bytes,gpu_bytes",
		     .processes = processes_list},
	functions = {.name = "functions",
		     .raw = true,
		     .hot = true,
		     .heads = "time,function,module,self_percent,plus_minus,total_percent,samples",
		     .end = functions_end},
	findings = {.name = "findings",
		    .raw = true,
		    .heads = "time,duration,kind,severity,id,title",
		    .judged = findings_judged,
		    .findings = no_report},
	marks = {.name = "marks", .raw = true, .heads = "time,text", .mark = marks_mark};

const struct export_table_file export_table_files[] = {
	{"samples", &export_csv},  {"frames", &frames},     {"passes", &passes}, {"processes", &processes},
	{"functions", &functions}, {"findings", &findings}, {"marks", &marks},   {NULL, NULL}};
