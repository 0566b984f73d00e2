/* The parts of the simulated phones. */
#include "backends/sim/sim_device.h"

#include "base/alloc.h"

const struct sim_soc sim_socs[] = {
	{"Cortex-A76 x4 + Cortex-A55 x4",
	 {{"Cortex-A55", "Cortex-A55 x4", 0, 4, 1950000, 0.8},
	  {"Cortex-A76", "Cortex-A76 x4", 4, 4, 2400000, 1.7}},
	 2,
	 6 << 20},
	{"Cortex-X3 + Cortex-A715 x3 + Cortex-A510 x4",
	 {{"Cortex-A510", "Cortex-A510 x4", 0, 4, 2000000, 0.9},
	  {"Cortex-A715", "Cortex-A715 x3", 4, 3, 2800000, 1.9},
	  {"Cortex-X3", "Cortex-X3", 7, 1, 3200000, 2.6}},
	 3,
	 8 << 20},
};

#define PROCESS(name, command, pid, parent, role, cluster, user, uid, rss, gpu_mib, gpu)                \
	{                                                                                               \
		name, command, pid, parent, false, ROLE_##role, cluster, user, uid, rss, gpu_mib, (gpu) \
	}
#define THREAD(name, tid, pid, role, cluster, user, uid)                             \
	{                                                                            \
		name, NULL, tid, pid, true, ROLE_##role, cluster, user, uid, 0, 0, 0 \
	}
const struct sim_task sim_tasks[] = {
	PROCESS("init", "/system/bin/init second_stage", 1, 0, REST, 0, "root", 0, 9, 0, 0),
	PROCESS("[kthreadd]", NULL, 2, 0, REST, 0, "root", 0, 0, 0, 0),
	PROCESS("[ksoftirqd/0]", NULL, 14, 2, REST, 0, "root", 0, 0, 0, 0),
	PROCESS("[kworker/u16:2]", NULL, 87, 2, SYSTEM, 0, "root", 0, 0, 0, 0),
	PROCESS("[mali_jd_fence]", NULL, 231, 2, SYSTEM, 0, "root", 0, 0, 0, 0),
	PROCESS("logd", "/system/bin/logd", 412, 1, REST, 0, "logd", 1036, 14, 0, 0),
	PROCESS("zygote64", "zygote64", 603, 1, REST, 0, "root", 0, 142, 0, 0),
	PROCESS("audioserver", "/system/bin/audioserver", 611, 1, AUDIO, 0, "audioserver", 1041, 38, 0, 0),
	PROCESS("netd", "/system/bin/netd", 618, 1, REST, 0, "root", 0, 17, 0, 0),
	PROCESS("surfaceflinger", "/system/bin/surfaceflinger", 655, 1, DISPLAY, 0, "system", 1000, 96, 54,
		0.05),
	THREAD("surfaceflinger", 655, 655, DISPLAY, 0, "system", 1000),
	THREAD("RenderEngine", 671, 655, DISPLAY, 0, "system", 1000),
	PROCESS("composer-service", "/vendor/bin/hw/composer-service", 662, 1, DISPLAY, 0, "system", 1000, 31,
		6, 0),
	PROCESS("thermal-service", "/vendor/bin/hw/thermal-service", 689, 1, REST, 0, "system", 1000, 11, 0,
		0),
	PROCESS("system_server", "system_server", 1178, 603, SYSTEM, 0, "system", 1000, 388, 0, 0),
	THREAD("system_server", 1178, 1178, SYSTEM, 0, "system", 1000),
	THREAD("android.display", 1203, 1178, REST, 0, "system", 1000),
	PROCESS("com.example.ui", "com.example.ui", 1640, 603, REST, 0, "u0_a88", 10088, 231, 38, 0.01),
	PROCESS("com.example.launcher", "com.example.launcher", 2017, 603, REST, 0, "u0_a101", 10101, 164, 22,
		0),
	PROCESS("com.example.mail", "com.example.mail", 3345, 603, REST, 0, "u0_a130", 10130, 97, 0, 0),
	PROCESS("com.example.game", "com.example.game --level 3 --vulkan", 5207, 603, MAIN, 2, "u0_a214",
		10214, 1460, 690, 0.94),
	THREAD("GameMain", 5207, 5207, MAIN, 2, "u0_a214", 10214),
	THREAD("RenderThread", 5244, 5207, RENDER, 1, "u0_a214", 10214),
	THREAD("Worker 0", 5231, 5207, WORKER, 1, "u0_a214", 10214),
	THREAD("Worker 1", 5232, 5207, WORKER, 1, "u0_a214", 10214),
	THREAD("Worker 2", 5233, 5207, WORKER, 0, "u0_a214", 10214),
	THREAD("AssetLoader", 5250, 5207, LOADER, 0, "u0_a214", 10214),
	THREAD("AudioTrack", 5261, 5207, AUDIO, 0, "u0_a214", 10214),
};
const unsigned sim_n_tasks = ARRAY_LEN(sim_tasks);
_Static_assert(ARRAY_LEN(sim_tasks) <= SIM_TASKS_MAX, "room for each task");
