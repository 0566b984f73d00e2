#include "views/chart.h"

/* One line per screen, in the order of the tabs. */
#define CHART_FILES(X)                        \
	X(chart_overview, "overview.chart")   \
	X(chart_queues, "queues.chart")       \
	X(chart_memory, "memory.chart")       \
	X(chart_geometry, "geometry.chart")   \
	X(chart_fragment, "fragment.chart")   \
	X(chart_core, "core.chart")           \
	X(chart_units, "units.chart")         \
	X(chart_traffic, "traffic.chart")     \
	X(chart_cpu, "cpu.chart")             \
	X(chart_processes, "processes.chart") \
	X(chart_frame, "frame.chart")         \
	X(chart_hot, "hot.chart")             \
	X(chart_counters, "counters.chart")

#define EMBED_ONE(symbol, path) EMBED(symbol, path);
CHART_FILES(EMBED_ONE)

#define EMBED_ROW(symbol, path) {path, embed_##symbol, embed_##symbol##_end},
const struct embedded embedded_charts[] = {CHART_FILES(EMBED_ROW){0}};
