#include "model/embed.h"

/* One line per file, in reading order. */
#define DATA_FILES(X)                           \
	X(mali_g31, "mali-g31.gpu")             \
	X(mali_g51, "mali-g51.gpu")             \
	X(mali_g52, "mali-g52.gpu")             \
	X(mali_g71, "mali-g71.gpu")             \
	X(mali_g76, "mali-g76.gpu")             \
	X(mali_g77, "mali-g77.gpu")             \
	X(mali_g78, "mali-g78.gpu")             \
	X(mali_g710, "mali-g710.gpu")           \
	X(mali_g715, "mali-g715.gpu")           \
	X(mali_g720, "mali-g720.gpu")           \
	X(mali_g725, "mali-g725.gpu")           \
	X(mali_g1, "mali-g1.gpu")               \
	X(mali_t600, "mali-t600.gpu")           \
	X(mali_t720, "mali-t720.gpu")           \
	X(mali_t760, "mali-t760.gpu")           \
	X(mali_t820, "mali-t820.gpu")           \
	X(counters, "counters.metrics")         \
	X(derived, "derived.metrics")           \
	X(malitop, "malitop.metrics")           \
	X(cpu, "cpu.metrics")                   \
	X(cpu_events, "cpu-events.metrics")     \
	X(frame, "frame.metrics")               \
	X(hot, "hot.metrics")                   \
	X(findings_verdict, "verdict.findings") \
	X(findings_gpu, "gpu.findings")         \
	X(findings_cpu, "cpu.findings")         \
	X(notes, "notes.findings")              \
	X(demo, "demo.scenario")                \
	X(template_g52, "template-g52.chart")   \
	X(template_g715, "template-g715.chart") \
	X(template_g625, "template-g625.chart") \
	X(template_midgard, "template-midgard.chart")

#define EMBED_ONE(symbol, path) EMBED(symbol, path);
DATA_FILES(EMBED_ONE)

#define EMBED_ROW(symbol, path) {path, embed_##symbol, embed_##symbol##_end},
const struct embedded embedded_data[] = {DATA_FILES(EMBED_ROW){0}};
