#include "export/export.h"

#include "base/units.h"

#include <string.h>

void csv_field(struct strbuf *out, const char *text)
{
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

static void csv_begin(const struct export_table *table, struct strbuf *out)
{
	strbuf_str(out, table->options->several ? "host,time,duration,flags" : "time,duration,flags");
	for (unsigned i = 0; i < table->n_columns; i++) {
		strbuf_str(out, ",");
		csv_field(out, table->columns[i].name);
	}
	strbuf_str(out, CSV_EOL);
}

static void csv_row(const struct export_table *table, const struct export_row *row, struct strbuf *out)
{
	char flags[EXPORT_FLAGS_TEXT], number[NUMBER_TEXT];

	if (table->options->several) {
		csv_field(out, table->options->host);
		strbuf_str(out, ",");
	}
	export_seconds(out, row->begin_ns);
	strbuf_str(out, ",");
	export_seconds(out, row->duration_ns);
	strbuf_str(out, ",");
	strbuf_str(out, export_flags(flags, row));
	for (unsigned i = 0; i < table->n_columns; i++) {
		strbuf_str(out, ",");
		strbuf_str(out, number_shortest(number, row->values[i]));
	}
	strbuf_str(out, CSV_EOL);
}

const struct export_format export_csv = {.name = "csv", .begin = csv_begin, .row = csv_row};
