/* The shipped findings: each speaks beyond its limit and not before it, on the GPUs that it is
 * for. */
#include "tests/support/by_name.h"
#include "tests/support/reference.h"

#include <stdio.h>

/* A busy 3D game, in which units lead as `with` of the rows says. */
static const char usual[] =
	"GPUBusy=97 GPUQueueMax=95 GPUQueueNext=30 MaliCompQueueJob=9000 MaliGeomVisibleRate=45 "
	"MaliFragOpaqueQdRate=80 "
	"UnitNext=20 MaliNonFragQueueJob=9000 MaliGeomTotalPrim=9e6 MaliGeomTotalCullPrim=4e6 MaliGPUPix=2e8 "
	"MaliCoreUtil=90 UnitMax=70 MaliRTURay=4e7 MaliTexUtil=30 MaliLSUtil=30 CPUActivityUser=75";

static const struct {
	const char *finding, *gpu; /* "": a CPU */
	const char *name;          /* of the number that the limit is for */
	double fires, neighbour;   /* just beyond the limit, and just before it */
	const char *with;
} rows[] = {
	{"interrupts", "Mali-G625", "MaliGPUIRQUtil", 3.06, 2.94, ""},
	{"interrupts", "Mali-G715", "MaliGPUIRQUtil", 2.04, 1.96, ""},
	{"command-processor", "Mali-G715", "MaliCSFMCUUtil", 30.6, 29.4, ""},
	{"queues-take-turns", "Mali-G715", "GPUSerialisation", 86.7, 83.3, "GPUQueueMax=76.5"},
	{"tiler-leads", "Mali-G715", "MaliTilerUtil", 81.6, 78.4, "MaliNonFragUtil=27"},
	{"clock-low", "Mali-G715", "GPUClockShare", 83.3, 86.7, ""},
	{"over-budget", "Mali-G715", "GPUBudgetUsed", 1.02, 0.98, ""},
	{"over-budget-wanted", "Mali-G715", "GPUBudgetUsedWanted", 1.02, 0.98, ""},
	{"over-budget-wanted", "Mali-G715", "$FrameRate", NAN, 50, "GPUBudgetUsedWanted=1.1"},
	{"traffic-per-frame", "Mali-G715", "ExtBusByPerFrame", 102000000, 98000000, ""},
	{"traffic-wanted", "Mali-G715", "ExtBusByPerFrameWanted", 102000000, 98000000, ""},
	{"dispatch-drains", "Mali-G715", "CompQueueDrainStallShare", 15.3, 14.7, ""},
	{"dispatch-drains", "Mali-G52", "NonFragQueueWaitFinishShare", 15.3, 14.7, ""},
	{"dispatch-drains", "Mali-G715", "MaliCompQueueJob", 3060, 2940, "CompQueueDrainStallShare=20"},
	{"waits-for-cores", "Mali-G715", "CompQueueAssignStallShare", 25.5, 24.5, ""},
	{"queues-take-turns", "Mali-G715", "GPUQueueNext", 15.3, 14.7,
	 "GPUQueueMax=76.5 GPUSerialisation=90"},
	{"memory-slow", "Mali-G715", "MaliExtBusWrStallRate", 9.8, 10.2,
	 "ExtBusRdLatSlow=30 ExtBusRdUtil=13.5 MaliExtBusRdStallRate=9"},
	{"slow-reads", "Mali-G715", "MaliExtBusWrStallRate", 3.9, 4.1,
	 "ExtBusRdLatSlow=30 MaliExtBusRdStallRate=2"},
	{"draw-order", "Mali-G715", "MaliFragOpaqueQdRate", 31, 29,
	 "MaliFragEZSKillRate=5 MaliFragOverdraw=2.2 FragShadRatio=1"},
	{"overdraw", "Mali-G715", "FragShadRatio", 1, 1.3, "MaliFragOverdraw=2.6"},
	{"dram-power", "Mali-G52", "DRAMPowerHigh", 0.663, 0.637, ""},
	{"dram-power", "Mali-G715", "DRAMPowerLow", 0.663, 0.637, ""},
	{"read-stalls", "Mali-G715", "MaliExtBusRdStallRate", 10.2, 9.8, ""},
	{"write-stalls", "Mali-G715", "MaliExtBusWrStallRate", 10.2, 9.8, ""},
	{"slow-reads", "Mali-G715", "ExtBusRdLatSlow", 25.5, 24.5, ""},
	{"very-slow-reads", "Mali-G715", "ExtBusRdLatShare384", 15.3, 14.7, ""},
	{"memory-slow", "Mali-G715", "ExtBusRdLatSlow", 25.5, 24.5,
	 "ExtBusRdUtil=13.5 MaliExtBusRdStallRate=9"},
	{"l2-misses", "Mali-G715", "MaliL2CacheRdMissRate", 61.2, 58.8, "ExtBusRdUtil=11"},
	{"few-visible", "Mali-G715", "MaliGeomVisibleRate", 34.3, 35.7, ""},
	{"many-visible", "Mali-G625", "MaliGeomVisibleRate", 66.3, 63.7, ""},
	{"few-face-culled", "Mali-G715", "MaliGeomFaceCullRate", 34.3, 35.7, ""},
	{"outside-view", "Mali-G715", "MaliGeomPlaneCullRate", 25.5, 24.5, ""},
	{"outside-view", "Mali-G52", "MaliGeomZPlaneCullRate", 25.5, 24.5, ""},
	{"scissored", "Mali-G625", "MaliGeomScissorCullRate", 15.3, 14.7, ""},
	{"no-sample", "Mali-G715", "MaliGeomSampleCullRate", 20.4, 19.6, ""},
	{"small-triangles", "Mali-G715", "GeomPixPerPrim", 9.8, 10.2, ""},
	{"position-reuse", "Mali-G715", "MaliGeomPosShadThreadPerPrim", 1.53, 1.47, ""},
	{"position-reuse", "Mali-G715", "MaliGeomPosShadThreadPerPrim", 2.99, 3, ""}, /* 3: none is reused */
	{"no-position-reuse", "Mali-G715", "MaliGeomPosShadThreadPerPrim", 3, 2.99, ""},
	{"varying-reuse", "Mali-G715", "MaliGeomVarShadThreadPerPrim", 1.53, 1.47, ""},
	{"no-varying-reuse", "Mali-G715", "MaliGeomVarShadThreadPerPrim", 3, 2.99, ""},
	{"vertices-culled", "Mali-G715", "GeomVarOfPos", 24.5, 25.5, "MaliGeomVisibleRate=20"},
	{"vertices-culled", "Mali-G715", "MaliGeomVisibleRate", 37, 39, "GeomVarOfPos=20"},
	{"overdraw", "Mali-G715", "MaliFragOverdraw", 2.55, 2.45, "FragShadRatio=1"},
	{"few-early-tests", "Mali-G715", "MaliFragEZSTestRate", 58.8, 61.2, ""},
	{"draw-order", "Mali-G715", "MaliFragEZSKillRate", 9.8, 10.2, "MaliFragOverdraw=2.2 FragShadRatio=1"},
	{"few-early-updates", "Mali-G715", "MaliFragEZSUpdateRate", 39.2, 40.8, ""},
	{"early-kills", "Mali-G715", "MaliFragEZSKillRate", 51, 49, ""},
	{"hidden-kills", "Mali-G715", "MaliFragFPKKillRate", 25.5, 24.5, ""},
	{"late-tests", "Mali-G715", "MaliFragLZSTestRate", 20.4, 19.6, ""},
	{"late-kills", "Mali-G715", "MaliFragLZSKillRate", 10.2, 9.8, ""},
	{"sample-shading", "Mali-G715", "FragShadRatio", 1.0404, 0.9996, ""},
	{"variable-rate", "Mali-G715", "FragShadRatio", 0.9506, 0.9894, ""},
	{"few-in-prepass", "Mali-G625", "MaliFragPrepassPrimRate", 49, 51, ""},
	{"prepass-hides", "Mali-G625", "MaliFragPrepassCullPrimRate", 30.6, 29.4, ""},
	{"prepass-stopped", "Mali-G625", "MaliFragPrepassSkipPrimRate", 20.4, 19.6, ""},
	{"prepass-shades", "Mali-G625", "MaliFragPrepassWarpRate", 25.5, 24.5, ""},
	{"prepass-stalls", "Mali-G625", "MaliFragMainPassStallRate", 10.2, 9.8, ""},
	{"part-covered", "Mali-G52", "MaliFragPartWarpRate", 51, 49, ""},
	{"part-covered", "Mali-G715", "MaliFragRastPartQdRate", 30.6, 29.4, ""},
	{"software-blend", "Mali-G715", "MaliEngSWBlendRate", 10.2, 9.8, ""},
	{"tile-kill", "Mali-G715", "MaliFragTileKillRate", 51, 49, ""},
	{"tile-bytes", "Mali-G625", "MaliSCBusTileWrBPerPx", 8.16, 7.84, ""},
	{"buffer-empty", "Mali-G715", "MaliFragFPKBUtil", 78.4, 81.6, "MaliFragUtil=55"},
	{"cores-starve", "Mali-G715", "MaliCoreUtil", 49, 51, ""},
	{"core-imbalance", "Mali-G715", "GPUCoreImbalance", 15.3, 14.7, ""},
	{"registers", "Mali-G715", "MaliCoreAllRegsWarpRate", 30.6, 29.4, ""},
	{"part-warps", "Mali-G715", "MaliCoreFullWarpRate", 78.4, 81.6, ""},
	{"fragment-lanes", "Mali-G715", "MaliCoreFragWarpOcc", 78.4, 81.6, ""},
	{"divergence", "Mali-G715", "MaliEngDivergedInstrRate", 15.3, 14.7, ""},
	{"arithmetic-limits", "Mali-G715", "MaliALUUtil", 61.2, 58.8, "UnitMax=40"},
	{"varying-limits", "Mali-G715", "MaliVarUtil", 61.2, 58.8, "UnitMax=40"},
	{"texture-limits", "Mali-G715", "MaliTexUtil", 61.2, 58.8, "UnitMax=40"},
	{"load-store-limits", "Mali-G715", "MaliLSUtil", 45.9, 44.1, "UnitMax=40"},
	{"ray-tracing-limits", "Mali-G715", "MaliRTUUtil", 45.9, 44.1, "UnitMax=40"},
	{"wide-arithmetic", "Mali-G715", "MaliEngNarrowInstrRate", 49, 51, "MaliALUUtil=70"},
	{"wide-varyings", "Mali-G715", "VarWideShare", 51, 49, "MaliVarUtil=70"},
	{"texture-cost", "Mali-G715", "TexCPIOfBest", 1.53, 1.47, "MaliTexUtil=70"},
	{"trilinear", "Mali-G52", "MaliTexTriInstrRate", 51, 49, "MaliTexUtil=70"},
	{"trilinear", "Mali-G715", "TexTriShare", 40.8, 39.2, "MaliTexUtil=70"},
	{"few-mipmaps", "Mali-G52", "MaliTexMipInstrRate", 29.4, 30.6, "MaliTexUtil=70"},
	{"texture-l2", "Mali-G715", "MaliSCBusTexL2RdByPerRd", 8.16, 7.84, "MaliTexUtil=22"},
	{"texture-external", "Mali-G715", "MaliSCBusTexExtRdByPerRd", 4.08, 3.92, "MaliTexUtil=16.5"},
	{"texture-input-bus", "Mali-G625", "TexInBusLead", 1.071, 1.029, "MaliTexInBusUtil=70"},
	{"texture-output-bus", "Mali-G625", "TexOutBusLead", 1.071, 1.029, "MaliTexOutBusUtil=70"},
	{"varying-backpressure", "Mali-G625", "MaliEngVarBackpressureRate", 15.3, 14.7, ""},
	{"texture-backpressure", "Mali-G625", "MaliEngTexBackpressureRate", 15.3, 14.7, ""},
	{"load-store-backpressure", "Mali-G625", "MaliEngLSBackpressureRate", 15.3, 14.7, ""},
	{"attribute-backpressure", "Mali-G625", "MaliEngAttrBackpressureRate", 15.3, 14.7, ""},
	{"depth-backpressure", "Mali-G625", "MaliEngZSBackpressureRate", 15.3, 14.7, ""},
	{"blend-backpressure", "Mali-G625", "MaliEngBlendBackpressureRate", 15.3, 14.7, ""},
	{"partial-reads", "Mali-G715", "LSPartRdShare", 51, 49, "MaliLSUtil=70"},
	{"partial-writes", "Mali-G715", "LSPartWrShare", 51, 49, "MaliLSUtil=70"},
	{"atomics", "Mali-G715", "LSAtomicShare", 5.1, 4.9, "MaliLSUtil=11"},
	{"load-store-l2", "Mali-G715", "MaliSCBusLSL2RdByPerRd", 16.32, 15.68, "MaliLSUtil=16.5"},
	{"load-store-external", "Mali-G715", "MaliSCBusLSExtRdByPerRd", 8.16, 7.84, "MaliLSUtil=16.5"},
	{"load-store-written", "Mali-G625", "MaliSCBusLSWrByPerWr", 32.64, 31.36, "MaliLSUtil=16.5"},
	{"ray-boxes", "Mali-G715", "RTUBoxShare", 45.9, 44.1, "MaliRTUUtil=70"},
	{"ray-not-limit", "Mali-G715", "RTUBoxShare", 19.6, 20.4, ""},
	{"ray-triangles", "Mali-G715", "RTUTriShare", 30.6, 29.4, "MaliRTUUtil=70"},
	{"ray-deep", "Mali-G715", "RTUBoxPerRay", 8.16, 7.84, "MaliRTUUtil=70"},
	{"ray-many-triangles", "Mali-G715", "RTUTriPerRay", 4.08, 3.92, "MaliRTUUtil=70"},
	{"ray-boxes-apart", "Mali-G715", "RTUBoxFew", 51, 49, "MaliRTUUtil=70"},
	{"ray-triangles-apart", "Mali-G715", "RTUTriFew", 51, 49, "MaliRTUUtil=70"},
	{"ray-non-opaque", "Mali-G715", "RTUNonOpaqueShare", 20.4, 19.6, ""},
	{"ray-misses", "Mali-G715", "RTUMissShare", 61.2, 58.8, ""},
	{"ray-first-hit", "Mali-G715", "RTUFirstHitShare", 9.8, 10.2, ""},
	{"thread-waits", "", "$BusiestThreadWaits", 20.4, 19.6, "$BusiestThread=50"},
	{"thread-busy", "", "$BusiestThread", 91.8, 88.2, ""},
	{"cpu-full", "", "CPUActivityUser", 91.8, 88.2, ""},
	{"cpu-slow-clock", "", "CPUFrequencyShare", 58.8, 61.2, "CPUActivityUser=77"},
	{"cpu-hot", "", "TemperatureMax", 86.7, 83.3, ""},
	{"memory-full", "", "MemoryUsedShare", 91.8, 88.2, ""},
	{"storage-wait", "", "CPUIOWaitShare", 10.2, 9.8, ""},
	{"memory-pressure", "", "MemoryPressure", 5.1, 4.9, ""},
	{"storage-pressure", "", "StoragePressure", 10.2, 9.8, ""},
	{"host-steals", "", "CPUStealShare", 5.1, 4.9, ""},
	{"low-ipc", "", "CPUIPC", 0.588, 0.612, ""},
	{"mispredicts", "", "CPUBranchMispredictsPTI", 5.1, 4.9, ""},
	{"l1d-misses", "", "CPUL1DMissRatio", 10.2, 9.8, ""},
	{"l1i-misses", "", "CPUL1IMissesPTI", 20.4, 19.6, ""},
	{"l2-cpu-misses", "", "CPUL2MissRatio", 30.6, 29.4, "CPUL2MissesPTI=3.3"},
	{"memory-bound-cpu", "", "CPULLMissesPTI", 10.2, 9.8, ""},
	{"tlb-walks", "", "CPUDTLBWalksPTI", 2.04, 1.96, ""},
	{"backend-stalls", "", "CPUStallBackend", 61.2, 58.8, ""},
	{"frontend-stalls", "", "CPUStallFrontend", 40.8, 39.2, ""},
	{"major-faults", "", "CPUPageFaultsMajor", 20.4, 19.6, ""},
	{"migrations", "", "CPUMigrations", 5100, 4900, ""},
};

TEST(each_finding_speaks_beyond_its_limit_and_not_before_it)
{
	struct gpudb *db = load_shipped();

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct gpu_product *product = rows[i].gpu[0] ? gpudb_by_name(db, rows[i].gpu) : NULL;
		struct metric_set *like =
			product ? set_of_gpu(db, product, DEFINITIONS_CURRENT, false) : set_of_cpu_names(db);

		for (int beyond = 0; beyond < 2; beyond++) {
			const struct judged *f;
			struct by_name t;

			named_init(&t, db, like, product != NULL);
			named_put_all(&t, usual);
			named_put_all(&t, rows[i].with);
			named_put(&t, span_of(rows[i].name), beyond ? rows[i].fires : rows[i].neighbour);
			named_step(&t, product != NULL, 1, 1 + 2 * S);
			f = find_judged(t.judge, rows[i].finding);
			if (!f || f->holds != beyond)
				fail_msg("%s on %s, %s = %g: %s", rows[i].finding,
					 product ? product->name : "a CPU", rows[i].name,
					 beyond ? rows[i].fires : rows[i].neighbour,
					 !f         ? "not there"
					 : f->holds ? "holds"
						    : "does not hold");
			named_fini(&t);
		}
		metric_set_free(like);
	}
	gpudb_free(db);
}

TEST(every_finding_is_in_that_table)
{
	struct gpudb *db = load_shipped();

	for (unsigned k = 0; k < db->n_findings; k++) {
		bool found = db->findings[k].kind != FINDING_RULE;

		for (size_t i = 0; i < ARRAY_LEN(rows); i++)
			found |= strcmp(rows[i].finding, db->findings[k].name) == 0;
		if (!found)
			fail_msg("%s has no row", db->findings[k].name);
	}
	gpudb_free(db);
}

static bool judge_has(const struct judge *judge, const struct finding_def *def)
{
	for (unsigned i = 0; i < judge->n_findings; i++)
		if (judge->findings[i].def == def)
			return true;
	for (unsigned i = 0; i < judge->n_verdicts; i++)
		if (judge->verdicts[i].def == def)
			return true;
	return def->kind == FINDING_NOTE;
}

/* The sources of a device: this GPU and a CPU with all that one can report. */
static struct judge *judge_of_device(const struct gpudb *db, const struct metric_set *gpu,
				     const struct metric_set *cpu)
{
	const struct metric_set *sets[SOURCE_KINDS] = {[SOURCE_GPU] = gpu, [SOURCE_CPU] = cpu};

	return judge_new(db, sets);
}

TEST(every_rule_of_a_guide_has_its_place_on_the_gpus_of_that_guide)
{
	struct gpudb *db = load_shipped();
	struct metric_set *cpu = set_of_cpu_names(db);
	struct reference r;
	unsigned n = 0;

	for (reference_open(&r, "rules.tsv"); reference_next(&r); n++) {
		struct span guides = r.cell[1];

		while (guides.n && !r.cell[2].n) {
			struct span gpu = span_until(&guides, ',');
			char name[32];
			struct metric_set *set;
			struct judge *judge;
			bool found = false;

			snprintf(name, sizeof(name), "%.*s", SPAN_ARG(gpu));
			set = set_of_gpu(db, gpudb_by_name(db, name), DEFINITIONS_CURRENT, false);
			judge = judge_of_device(db, set, cpu);
			for (unsigned i = 0; i < db->n_findings; i++) {
				struct span words = db->findings[i].rules, word;

				while ((word = span_word(&words)).n)
					found |= span_eq(word, r.cell[0]) &&
						 judge_has(judge, &db->findings[i]) &&
						 gpu_set_has(db->findings[i].gpus, set->product);
			}
			if (!found)
				fail_msg("%.*s has no place on %s", SPAN_ARG(r.cell[0]), name);
			judge_free(judge);
			metric_set_free(set);
		}
	}
	assert_int_equal(n, 198);
	metric_set_free(cpu);
	gpudb_free(db);
}

static bool is_rule(struct span name)
{
	bool found = false;
	struct reference r;

	for (reference_open(&r, "rules.tsv"); reference_next(&r);)
		found |= span_eq(r.cell[0], name);
	return found;
}

TEST(every_rule_that_a_finding_names_exists)
{
	struct gpudb *db = load_shipped();

	for (unsigned i = 0; i < db->n_findings; i++) {
		struct span words = db->findings[i].rules, word;

		while ((word = span_word(&words)).n)
			if (!is_rule(word))
				fail_msg("%s: there is no rule %.*s", db->findings[i].name, SPAN_ARG(word));
	}
	gpudb_free(db);
}

TEST(every_finding_can_be_decided_on_some_gpu)
{
	struct gpudb *db = load_shipped();
	bool *found = xcalloc(db->n_findings, sizeof(*found));
	struct metric_set *cpu = set_of_cpu_names(db);

	for (unsigned g = 0; g < db->n_products; g++) {
		struct metric_set *set = set_of_gpu(db, gpudb_product(db, g), DEFINITIONS_CURRENT, false);
		struct judge *judge = judge_of_device(db, set, cpu);

		assert_true(judge->n_findings > (db->products[g].family == FAMILY_MIDGARD ? 20 : 40));
		for (unsigned i = 0; i < db->n_findings; i++)
			found[i] |= judge_has(judge, &db->findings[i]);
		judge_free(judge);
		metric_set_free(set);
	}
	for (unsigned i = 0; i < db->n_findings; i++)
		if (!found[i] && db->findings[i].kind != FINDING_CONDITION &&
		    db->findings[i].kind != FINDING_RESOURCE && !db->findings[i].alone)
			fail_msg("%s: no GPU has what it needs", db->findings[i].name);
	free(found);
	metric_set_free(cpu);
	gpudb_free(db);
}

TEST(every_limit_is_from_a_guide_or_has_a_reason)
{
	struct gpudb *db = load_shipped();

	for (unsigned i = 0; i < db->n_findings; i++) {
		const struct finding_def *def = &db->findings[i];

		if (def->kind != FINDING_RULE)
			continue;
		if (!def->house && !def->guide.n)
			fail_msg("%s: a limit of no guide without a reason", def->name);
		if (!def->advice || !def->look.n || !def->evidence.n)
			fail_msg("%s: lacks do, look or evidence", def->name);
	}
	gpudb_free(db);
}

TEST(the_document_names_every_finding_and_every_rule)
{
	const char *srcdir = getenv("srcdir");
	AUTOFREE char *path = xasprintf("%s/doc/findings.md", srcdir ? srcdir : ".");
	AUTOFREE char *text = NULL;
	struct gpudb *db = load_shipped();
	struct reference r;
	struct err err;
	size_t n;

	if (!file_read(path, (size_t)1 << 20, &text, &n, &err))
		fail_msg("%s", err.text);
	for (unsigned i = 0; i < db->n_findings; i++) {
		AUTOFREE char *name = xasprintf("`%s`", db->findings[i].name);

		if (db->findings[i].kind != FINDING_CONDITION && db->findings[i].kind != FINDING_RESOURCE &&
		    !memmem(text, n, name, strlen(name)))
			fail_msg("doc/findings.md has no %s", name);
	}
	for (reference_open(&r, "rules.tsv"); reference_next(&r);) {
		AUTOFREE char *row = xasprintf("\n| %.*s |", SPAN_ARG(r.cell[0]));

		if (!memmem(text, n, row, strlen(row)))
			fail_msg("doc/findings.md has no row of %.*s", SPAN_ARG(r.cell[0]));
	}
	gpudb_free(db);
}
