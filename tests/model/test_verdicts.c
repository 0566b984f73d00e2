/* The shipped verdicts: each is given beyond its limit, and another one before it. */
#include "tests/support/by_name.h"

/* A busy GPU at its highest clock, whose longest queue is the fragment queue. */
static const char busy[] =
	"GPUBusy=97 GPUQueueMax=95 GPUQueueNext=30 UnitMax=70 MaliL2CacheRdMissRate=30 ExtBusRdUtil=10 "
	"GPUClockShare=100 GPUTemp=50 GPUProtected=0 GPUSerialisation=40 "
	"MaliExtBusRdStallRate=5 MaliExtBusWrStallRate=2 ExtBusRdLatSlow=10 "
	"MaliGPUActiveCy=97e7 MaliFragQueueActiveCy=95e7 MaliMainQueueActiveCy=95e7 "
	"MaliFragQueueUtil=95 MaliMainQueueUtil=95 MaliVertQueueUtil=30 MaliCompQueueUtil=10 "
	"MaliBinningQueueUtil=30 MaliNonFragQueueUtil=30 $BusiestThread=40";
#define RESTED "GPUBusy=50 "
#define LATE "$FrameRate=50 " /* of 60 that are wanted */

/* Frames that are late, with neither side at its limit. */
#define FRAMES                                                                                            \
	"$FrameRate=50 frame.fps=50 frame.cpu_ms=20 frame.gpu_ms=10 frame.busy_ms=8 frame.in_flight=1.5 " \
	"frame.gpu_share=60 frame.busy_share=40 "

static const struct {
	const char *gpu, *name; /* of the number that is put */
	double value, neighbour;
	const char *verdict, *otherwise; /* at the value, and at its neighbour */
	const char *with;
} rows[] = {
	/* what counts nothing is not judged by its counters */
	{"Mali-G715", "GPUProtected", 51, 49, "protected", "idle", "GPUBusy=0"},
	/* contradictory: a queue cannot work for longer than the GPU */
	{"Mali-G715", "MaliFragQueueActiveCy", 122e7, 120e7, "unclear", "gpu-fragment", ""},
	{"Mali-G52", "MaliNonFragQueueActiveCy", 122e7, 120e7, "unclear", "gpu-fragment", ""},
	{"Mali-G625", "MaliMainQueueActiveCy", 122e7, 120e7, "unclear", "gpu-main", ""},
	{"Mali-G715", "MaliExtBusRdStallRate", 25.5, 24.5, "memory", "gpu-fragment", ""},
	{"Mali-G715", "GPUClockShare", 84, 86, "clock", "gpu-fragment", ""},
	{"Mali-G715", "GPUTemp", 79, 77, "heat", "clock", "GPUClockShare=80"},
	{"Mali-G715", "GPUClockShare", 84, 86, "heat", "gpu-fragment", "GPUTemp=85"},
	{"Mali-G715", "GPUSerialisation", 81, 79, "serialised", "gpu-fragment",
	 "GPUQueueMax=60 MaliFragQueueUtil=60"},
	{"Mali-G715", "GPUQueueMax", 67, 69, "serialised", "gpu-fragment",
	 "GPUSerialisation=85 MaliFragQueueUtil=69"},
	{"Mali-G715", "MaliFragQueueUtil", 97.85, 97.95, "gpu-vertex", "gpu-fragment",
	 "GPUQueueMax=98 MaliVertQueueUtil=98"},
	{"Mali-G715", "MaliFragQueueUtil", 97.85, 97.95, "gpu-compute", "gpu-fragment",
	 "GPUQueueMax=98 MaliCompQueueUtil=98"},
	{"Mali-G625", "MaliMainQueueUtil", 97.85, 97.95, "gpu-binning", "gpu-main",
	 "GPUQueueMax=98 MaliBinningQueueUtil=98"},
	{"Mali-G52", "MaliFragQueueUtil", 97.85, 97.95, "gpu-nonfragment", "gpu-fragment",
	 "GPUQueueMax=98 MaliNonFragQueueUtil=98 MaliTilerUtil=40"},
	{"Mali-G52", "MaliTilerUtil", 9, 11, "gpu-nonfragment-compute", "gpu-nonfragment",
	 "GPUQueueMax=98 MaliNonFragQueueUtil=98 MaliFragQueueUtil=20"},
	{"Mali-G715", "GPUBusy", 92.5, 91.5, "gpu-fragment", "frame-cap", ""},
	/* a thread that never rests, while the GPU waits */
	{"Mali-G715", "$BusiestThread", 91, 89, "cpu", "frame-cap", RESTED},
	{"Mali-G715", "GPUBusy", 89, 93, "cpu", "gpu-fragment", "$BusiestThread=99"},
	{"Mali-G715", "GPUBusy", 4.9, 5.1, "idle", "frame-cap", ""},
	/* a clock that is not known */
	{"Mali-G52", "MaliGPUActiveCy", 0, 1e9, "idle-at-any-clock", "unclear", "GPUBusy=?"},
	/* 60 frames per second are wanted: 93 % of them are 55.8 */
	{"Mali-G715", "$FrameRate", 55.5, 56.1, "scheduling", "frame-cap", RESTED},
	{"Mali-G715", "$BusiestThread", 89, 91, "scheduling", "cpu", RESTED LATE},
	{"Mali-G715", "GPUBusy", 89, 93, "scheduling", "gpu-fragment", LATE},
	/* frame times say one thing, counters another */
	{"Mali-G715", "frame.gpu_share", 59, 61, "counters-disagree", "gpu-fragment", FRAMES},
	{"Mali-G715", "GPUBusy", 92.5, 91.5, "counters-disagree", "scheduling",
	 FRAMES "frame.gpu_share=50 $BusiestThread=60"},
	{"Mali-G715", "GPUBusy", 59, 61, "frames-disagree", "gpu", FRAMES "frame.gpu_share=95"},
	{"Mali-G715", "frame.gpu_share", 92.5, 91.5, "frames-disagree", "scheduling", RESTED FRAMES},
	/* what takes the whole frame: passes, the application, both in turn, the display */
	{"Mali-G715", "frame.gpu_share", 92.5, 91.5, "gpu", "scheduling", FRAMES "GPUBusy=80"},
	{"Mali-G715", "frame.busy_share", 90.5, 89.5, "cpu-frame", "scheduling",
	 RESTED FRAMES "$BusiestThread=80"},
	/* a limiter that sleeps is no work of the CPU */
	{"Mali-G715", "$BusiestThread", 71, 69, "cpu-frame", "scheduling",
	 RESTED FRAMES "frame.busy_share=95"},
	{"Mali-G715", "frame.gpu_share", 87.5, 88.5, "cpu-frame", "scheduling",
	 FRAMES "GPUBusy=80 frame.busy_share=95 $BusiestThread=80"},
	{"Mali-G715", "frame.in_flight", 0.45, 0.55, "cpu-gpu-turns", "scheduling", RESTED FRAMES},
	{"Mali-G715", "frame.gpu_ms", 9.7, 9.5, "cpu-gpu-turns", "scheduling",
	 RESTED FRAMES "frame.in_flight=0"},
	{"Mali-G715", "frame.busy_ms", 7.7, 7.5, "cpu-gpu-turns", "scheduling",
	 RESTED FRAMES "frame.in_flight=0"},
	{"Mali-G715", "$FrameRate", 56.5, 57.5, "cpu-gpu-turns", "frame-cap",
	 RESTED FRAMES "frame.in_flight=0"},
	{"Mali-G715", "frame.gpu_share", 87.5, 88.5, "cpu-gpu-turns", "scheduling",
	 FRAMES "GPUBusy=80 frame.in_flight=0"},
	{"Mali-G715", "$BusiestThread", NAN, 40, "display", "display", RESTED FRAMES "$FrameRate=59.9"},
	{"Mali-G715", "$FrameRate", 58.3, 56.9, "display", "unclear", RESTED FRAMES "$BusiestThread=?"},
	/* on time, whatever else holds; or at a part of the wanted rate */
	{"Mali-G715", "$FrameRate", 58.3, 57.9, "display", "gpu-fragment", ""},
	{"Mali-G715", "$FrameRate", 62.3, 62.5, "display", "clock", "GPUClockShare=50"},
	{"Mali-G715", "$FrameRate", 58.3, 57.9, "display", "heat", "GPUClockShare=50 GPUTemp=86"},
	{"Mali-G715", "$FrameRate", 30.5, 31, "frame-cap-part", "scheduling", "GPUBusy=40"},
	{"Mali-G715", "$BusiestThread", 84, 86, "frame-cap-part", "scheduling", "GPUBusy=40 $FrameRate=30"},
	{"Mali-G715", "GPUFrameNeeds", 16.3, 16, "gpu-too-late", "scheduling", "$FrameRate=30 GPUBusy=50"},
	{"Mali-G715", "GPUFrameNeeds", 14.8, 15.2, "frame-cap-part", "scheduling",
	 "$FrameRate=30 GPUBusy=60"},
	/* memory: bandwidth of the direction that stalls, latency, cache */
	{"Mali-G715", "MaliExtBusWrStallRate", 25.5, 24.5, "memory-write", "gpu-fragment", ""},
	{"Mali-G715", "MaliExtBusRdStallRate", 30, 29, "memory", "memory-write",
	 "MaliExtBusWrStallRate=29.5"},
	{"Mali-G715", "ExtBusRdLatSlow", 41, 39, "memory-latency", "gpu-fragment",
	 "MaliL2CacheRdMissRate=60 UnitMax=30"},
	{"Mali-G715", "UnitMax", 49, 51, "memory-latency", "gpu-fragment",
	 "MaliL2CacheRdMissRate=60 ExtBusRdLatSlow=60"},
	{"Mali-G715", "MaliL2CacheRdMissRate", 71, 69, "memory-cache", "gpu-fragment",
	 "MaliExtBusRdStallRate=12 UnitMax=30"},
	/* a queue alone takes no turns */
	{"Mali-G715", "GPUQueueNext", 15.3, 14.7, "serialised", "gpu-fragment",
	 "GPUSerialisation=95 GPUQueueMax=60 MaliFragQueueUtil=60"},
	/* without a GPU */
	{"", "$BusiestThread", 91, 89, "cpu-thread", "cpu-free", ""},
	{"", "CPUActivityUser", 91, 89, "cpu-all", "cpu-free", ""},
	{"", "MemoryPressure", 11, 9, "cpu-memory-short", "cpu-free", ""},
	{"", "StoragePressure", 21, 19, "cpu-storage", "cpu-free", ""},
	{"", "CPUStallBackend", 61, 59, "cpu-waits", "cpu-free", "CPUActivityUser=60"},
	{"", "CPUActivityUser", 4.5, 5.5, "cpu-idle", "cpu-free", ""},
	/* thin: without the busiest thread nothing says what the GPU waits for */
	{"Mali-G715", "$BusiestThread", NAN, 40, "unclear", "frame-cap", RESTED},
};

static const char *verdict_at(const struct gpudb *db, const struct metric_set *like, size_t row, double value)
{
	bool gpu = rows[row].gpu[0];
	struct by_name t;
	const char *name;

	named_init_with(&t, db, like, gpu, rows[row].with);
	named_put_all(&t, gpu ? busy
			      : "$BusiestThread=40 CPUActivityUser=40 CPUIOWaitShare=1 MemoryPressure=0 "
				"StoragePressure=1");
	named_put_all(&t, rows[row].with);
	named_put(&t, span_of(rows[row].name), value);
	named_step(&t, gpu, 1, 1 + 2 * S);
	name = t.judge->verdict.why ? t.judge->verdict.why->def->name : "unclear"; /* of the data */
	named_fini(&t);
	return name;
}

TEST(each_verdict_is_given_beyond_its_limit_and_not_before_it)
{
	struct gpudb *db = load_shipped();

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct gpu_product *product = rows[i].gpu[0] ? gpudb_by_name(db, rows[i].gpu) : NULL;
		struct metric_set *like =
			product ? set_of_gpu(db, product, DEFINITIONS_CURRENT, false) : set_of_cpu_names(db);
		const char *at = verdict_at(db, like, i, rows[i].value),
			   *beside = verdict_at(db, like, i, rows[i].neighbour);

		if (strcmp(at, rows[i].verdict) != 0 || strcmp(beside, rows[i].otherwise) != 0)
			fail_msg("%s, %s: %g is %s, not %s; or %g is %s, not %s", rows[i].gpu, rows[i].name,
				 rows[i].value, at, rows[i].verdict, rows[i].neighbour, beside,
				 rows[i].otherwise);
		metric_set_free(like);
	}
	gpudb_free(db);
}

TEST(every_verdict_is_in_that_table)
{
	struct gpudb *db = load_shipped();

	for (unsigned k = 0; k < db->n_findings; k++) {
		bool found = db->findings[k].kind != FINDING_VERDICT;

		for (size_t i = 0; i < ARRAY_LEN(rows); i++)
			found |= strcmp(rows[i].verdict, db->findings[k].name) == 0 ||
				 strcmp(rows[i].otherwise, db->findings[k].name) == 0;
		if (!found)
			fail_msg("%s has no row", db->findings[k].name);
	}
	gpudb_free(db);
}

TEST(a_verdict_says_what_is_missing)
{
	static const struct {
		const char *with, *unknown, *missing;
	} cases[] = {
		{RESTED, "$BusiestThread", "Busiest thread is not known"},
		{"", "GPUBusy", "GPU active is not known"},
	};
	struct gpudb *db = load_shipped();
	struct metric_set *like = set_of_gpu(db, gpudb_by_name(db, "Mali-G715"), DEFINITIONS_CURRENT, false);

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf said = {0};
		struct by_name t;

		named_init(&t, db, like, true);
		named_put_all(&t, busy);
		named_put_all(&t, cases[i].with);
		named_put(&t, span_of(cases[i].unknown), NAN);
		named_step(&t, true, 1, 1 + 2 * S);
		assert_int_equal(t.judge->verdict.surety, JUDGE_UNCLEAR);
		judge_missing(t.judge, &said);
		assert_string_equal(said.p, cases[i].missing);
		named_fini(&t);
	}
	metric_set_free(like);
	gpudb_free(db);
}
