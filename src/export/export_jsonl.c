#include "export/export.h"

#include "export/export_findings.h"

#include "export/export_priv.h"

#include "base/json.h"
#include "base/units.h"
#include "model/rawtable.h"

#include <math.h>
#include <string.h>

static void json_member(struct strbuf *out, const char *name)
{
	strbuf_str(out, ",");
	json_string(out, name);
	strbuf_str(out, ":");
}

/* Write the constants of a GPU: those of the device under the names of the raw counter table, then
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

	for (size_t i = 0; i < sizeof(machine) / sizeof(machine[0]); i++) {
		strbuf_printf(out, "%s\"%s\":", i ? "," : "{", rawtable_constant_names[machine[i].name]);
		json_number(out, source->set->constants[machine[i].at]);
	}
	for (unsigned i = 0; product && i < product->n_constants; i++) {
		json_member(out, product->constants[i].name);
		json_number(out, product->constants[i].value);
	}
	strbuf_str(out, "}");
}

static void json_source(const struct export_source *source, struct strbuf *out)
{
	static const char *const kinds[SOURCE_KINDS] = {"gpu", "cpu", "cpu", "passes", "hot", "mixed"};
	const struct gpu_product *product = source->set->product;

	strbuf_printf(out, "{\"kind\":\"%s\"", kinds[source->kind]);
	json_member(out, "name");
	json_string(out, source->title);
	json_member(out, "driver");
	json_string(out, source->driver);
	json_member(out, "prefix");
	json_string(out, source->prefix);
	json_member(out, "interval");
	export_seconds(out, source->period_ns);
	if (source->set->layout) {
		json_member(out, "product");
		if (product)
			json_string(out, product->name);
		else
			strbuf_str(out, "null");
		json_member(out, "constants");
		json_constants(source, out);
	}
	strbuf_str(out, "}");
}

static void jsonl_begin(const struct export_table *table, struct strbuf *out)
{
	const struct export_source *first = &table->sources[table->first];
	bool gpu = first->set->layout != NULL;

	strbuf_str(out, "{\"malitop\":");
	json_string(out, table->options->version);
	json_member(out, "host");
	json_string(out, table->options->host);
	json_member(out, "gpu");
	if (gpu)
		json_string(out, first->title);
	else
		strbuf_str(out, "null");
	json_member(out, "driver");
	json_string(out, first->driver);
	json_member(out, "constants");
	if (gpu)
		json_constants(first, out);
	else
		strbuf_str(out, "{}");
	json_member(out, "definitions");
	json_string(out, table->guide ? "guide" : "current");
	json_member(out, "sources");
	for (unsigned i = 0; i < table->n_sources; i++) {
		strbuf_str(out, i ? "," : "[");
		json_source(&table->sources[i], out);
	}
	strbuf_str(out, "]");
	json_member(out, "metrics");
	for (unsigned i = 0; i < table->n_columns; i++) {
		const struct export_column *c = &table->columns[i];

		strbuf_str(out, i ? ",{\"name\":" : "[{\"name\":");
		json_string(out, c->name);
		json_member(out, "title");
		json_string(out, c->title);
		json_member(out, "unit");
		json_string(out, c->unit->name);
		strbuf_str(out, "}");
	}
	strbuf_str(out, table->n_columns ? "]}\n" : "[]}\n");
}

static void jsonl_row(const struct export_table *table, const struct export_row *row, struct strbuf *out)
{
	char flags[EXPORT_FLAGS_TEXT];

	strbuf_str(out, "{\"time\":");
	export_seconds(out, row->begin_ns);
	if (table->options->several) {
		json_member(out, "host");
		json_string(out, table->options->host);
	}
	json_member(out, "duration");
	export_seconds(out, row->duration_ns);
	json_member(out, "flags");
	json_string(out, export_flags(flags, row));
	if (row->verdict) {
		json_member(out, "verdict");
		json_string(out, row->verdict);
	}
	for (unsigned i = 0; i < table->n_columns; i++) {
		json_member(out, table->columns[i].name);
		json_number(out, row->values[i]);
	}
	strbuf_str(out, "}\n");
	for (unsigned i = 0; i < table->n_sources && row->command; i++)
		if (row->sums[i])
			export_passes_json(&table->sources[i], row->sums[i], row->command->begin_ns, out);
	if (row->command)
		export_hot_json(table, out);
}

/* A log, or a run without a command, has no total. */
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
