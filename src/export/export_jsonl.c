#include "export/export_findings.h"
#include "export/export_priv.h"

#include "base/alloc.h"
#include "base/json.h"
#include "model/rawtable.h"

/* Write the constants of a GPU: those of the device under their names in raw counter tables, then
 * those of the product. */
static void json_constants(const struct export_source *source, struct strbuf *out)
{
	static const struct {
		enum rawtable_constant name;
		enum vector_constant at;
	} machine[] = {{RAWTABLE_CORES, VECTOR_CORES},
		       {RAWTABLE_SLICES, VECTOR_SLICES},
		       {RAWTABLE_BUS_BITS, VECTOR_BUS_BITS}};
	const struct gpu_product *product = source->set->product;

	for (size_t i = 0; i < ARRAY_LEN(machine); i++)
		json_put(out, i ? ",%s:%g" : "{%s:%g", rawtable_constant_names[machine[i].name],
			 source->set->constants[machine[i].at]);
	for (unsigned i = 0; product && i < product->n_constants; i++)
		json_put(out, ",%s:%g", product->constants[i].name, (double)product->constants[i].value);
	strbuf_str(out, "}");
}

static void json_source(const struct export_source *source, struct strbuf *out)
{
	static const char *const kinds[SOURCE_KINDS] = {"gpu", "cpu", "cpu", "passes", "hot", "mixed"};
	const struct gpu_product *product = source->set->product;

	json_put(out,
		 "{\"kind\":%s,\"name\":%s,\"driver\":%s,\"prefix\":%s,\"interval\":", kinds[source->kind],
		 source->title, source->driver, source->prefix);
	export_seconds(out, source->period_ns);
	if (source->set->layout) {
		json_put(out, ",\"product\":%s,\"constants\":", product ? product->name : json_null);
		json_constants(source, out);
	}
	strbuf_str(out, "}");
}

static void jsonl_begin(const struct export_table *table, struct strbuf *out)
{
	const struct export_source *first = &table->sources[table->first];
	bool gpu = first->set->layout != NULL;

	json_put(out, "{\"malitop\":%s,\"host\":%s,\"gpu\":%s,\"driver\":%s,\"constants\":",
		 table->options->version, table->options->host, gpu ? first->title : json_null,
		 first->driver);
	if (gpu)
		json_constants(first, out);
	else
		strbuf_str(out, "{}");
	json_put(out, ",\"definitions\":%s,\"sources\":[", table->guide ? "guide" : "current");
	for (unsigned i = 0; i < table->n_sources; i++) {
		strbuf_str(out, i ? "," : "");
		json_source(&table->sources[i], out);
	}
	strbuf_str(out, "],\"metrics\":[");
	for (unsigned i = 0; i < table->n_columns; i++) {
		const struct export_column *c = &table->columns[i];

		strbuf_str(out, i ? "," : "");
		json_put(out, "{\"name\":%s,\"title\":%s,\"unit\":%s}", c->name, c->title, c->unit->name);
	}
	strbuf_str(out, "]}\n");
}

static void jsonl_row(const struct export_table *table, const struct export_row *row, struct strbuf *out)
{
	char flags[EXPORT_FLAGS_TEXT];

	strbuf_str(out, "{\"time\":");
	export_seconds(out, row->begin_ns);
	if (table->options->several)
		json_put(out, ",\"host\":%s", table->options->host);
	strbuf_str(out, ",\"duration\":");
	export_seconds(out, row->duration_ns);
	json_put(out, ",\"flags\":%s", export_flags(flags, row));
	if (row->verdict)
		json_put(out, ",\"verdict\":%s", row->verdict);
	for (unsigned i = 0; i < table->n_columns; i++) {
		strbuf_str(out, ",");
		json_string(out, table->columns[i].name);
		strbuf_str(out, ":");
		json_number(out, row->values[i]);
	}
	if (row->command && row->command->gpu && row->command->gpu_ns != SAMPLE_UNKNOWN)
		strbuf_printf(out, ",\"command_gpu_ms\":%.6f,\"command_gpu_percent\":%.3f",
			      (double)row->command->gpu_ns * 1e-6,
			      (double)row->command->gpu_ns /
				      (double)(row->command->end_ns - row->command->begin_ns) * 100);
	if (row->command && row->command->gpu && row->command->gpu_bytes != SAMPLE_UNKNOWN)
		strbuf_printf(out, ",\"command_gpu_bytes\":%llu",
			      (unsigned long long)row->command->gpu_bytes);
	strbuf_str(out, "}\n");
	for (unsigned i = 0; i < table->n_sources && row->command; i++)
		if (row->sums[i])
			export_passes_json(&table->sources[i], row->sums[i], row->command->begin_ns, out);
	if (row->command)
		export_hot_json(table, out);
}

/* End without a total: of a log, or of a run without a command. */
static void jsonl_end(const struct export_table *table, struct strbuf *out)
{
	if (table->options->lines == EXPORT_ROWS)
		export_hot_json(table, out);
}

const struct export_format export_jsonl = {.name = "jsonl",
					   .hot = true,
					   .begin = jsonl_begin,
					   .row = jsonl_row,
					   .end = jsonl_end,
					   .findings = findings_jsonl};
