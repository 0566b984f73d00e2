#include "layer/vk.h"

#include <stdlib.h>

static pthread_once_t forks_once = PTHREAD_ONCE_INIT;
static pthread_rwlock_t lists_lock = PTHREAD_RWLOCK_INITIALIZER;
static struct vk_instance *instances;
static struct vk_device *devices;
static uint8_t n_devices;

enum passes_stamp layer_stamp(void)
{
	static int stamp;

	if (!__atomic_load_n(&stamp, __ATOMIC_RELAXED)) {
		const char *asked = getenv("MALITOP_STAMP");

		__atomic_store_n(&stamp,
				 asked && strcmp(asked, "top") == 0 ? PASSES_STAMP_TOP : PASSES_STAMP_BOTTOM,
				 __ATOMIC_RELAXED);
	}
	return (enum passes_stamp)__atomic_load_n(&stamp, __ATOMIC_RELAXED);
}

struct vk_instance *instance_of(void *key)
{
	struct vk_instance *instance;

	pthread_rwlock_rdlock(&lists_lock);
	for (instance = instances; instance && instance->key != key; instance = instance->next)
		;
	pthread_rwlock_unlock(&lists_lock);
	return instance;
}

struct vk_device *device_of(void *key)
{
	struct vk_device *device;

	pthread_rwlock_rdlock(&lists_lock);
	for (device = devices; device && device->key != key; device = device->next)
		;
	pthread_rwlock_unlock(&lists_lock);
	return device;
}

void device_unlist(struct vk_device *device)
{
	struct vk_device **link = &devices;

	pthread_rwlock_wrlock(&lists_lock);
	while (*link != device)
		link = &(*link)->next;
	*link = device->next;
	pthread_rwlock_unlock(&lists_lock);
}

/* In a child of fork: threads that are not there hold locks. Its parent's device is of no use to
 * the child, but it may destroy that, and make its own. */
static void leave_parent(void)
{
	lists_lock = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
	for (struct vk_device *device = devices; device; device = device->next) {
		struct map *maps[] = DEVICE_MAPS(device);

		pthread_mutex_init(&device->lock, NULL);
		for (unsigned i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
			map_release(maps[i]);
	}
}

static void handle_forks(void)
{
	channel_at_fork(leave_parent);
}

static bool has_name(const char *const *names, uint32_t n, const char *name)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* The loader's link for this layer. The chain has several structs of the loader's type. */
#define FIND_LINK(Struct, type, info)                                                 \
	Struct *link = (Struct *)(uintptr_t)(info)->pNext;                            \
	while (link && (link->sType != type || link->function != VK_LAYER_LINK_INFO)) \
		link = (Struct *)(uintptr_t)link->pNext;

static void load_instance_calls(struct vk_instance *instance, PFN_vkGetInstanceProcAddr get)
{
	instance->calls.GetInstanceProcAddr = get;
#define LOAD(name) instance->calls.name = (PFN_vk##name)get(instance->handle, "vk" #name);
	INSTANCE_FUNCTIONS(LOAD)
#undef LOAD
	if (!instance->calls.GetPhysicalDeviceFeatures2 && instance->properties2)
		instance->calls.GetPhysicalDeviceFeatures2 = (PFN_vkGetPhysicalDeviceFeatures2)get(
			instance->handle, "vkGetPhysicalDeviceFeatures2KHR");
}

VKAPI_ATTR VkResult VKAPI_CALL hook_CreateInstance(const VkInstanceCreateInfo *info,
						   const VkAllocationCallbacks *allocator, VkInstance *out)
{
	FIND_LINK(VkLayerInstanceCreateInfo, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO, info)
	struct vk_instance *instance = calloc(1, sizeof(*instance));
	PFN_vkGetInstanceProcAddr get;
	PFN_vkCreateInstance create;
	VkResult result = VK_ERROR_INITIALIZATION_FAILED;

	if (!link || !instance) {
		free(instance);
		return result;
	}
	get = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
	create = (PFN_vkCreateInstance)get(NULL, "vkCreateInstance");
	link->u.pLayerInfo = link->u.pLayerInfo->pNext;
	if (create)
		result = create(info, allocator, out);
	if (result != VK_SUCCESS) {
		free(instance);
		return result;
	}
	instance->handle = *out;
	instance->key = dispatch_key(*out);
	instance->api_version = info->pApplicationInfo ? info->pApplicationInfo->apiVersion : 0;
	instance->debug_utils = has_name(info->ppEnabledExtensionNames, info->enabledExtensionCount,
					 VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
	instance->properties2 = has_name(info->ppEnabledExtensionNames, info->enabledExtensionCount,
					 VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME);
	load_instance_calls(instance, get);
	pthread_once(&forks_once, handle_forks);
	pthread_rwlock_wrlock(&lists_lock);
	instance->next = instances;
	instances = instance;
	pthread_rwlock_unlock(&lists_lock);
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL hook_DestroyInstance(VkInstance handle, const VkAllocationCallbacks *allocator)
{
	struct vk_instance *instance, **link = &instances;

	if (!handle)
		return;
	instance = instance_of(dispatch_key(handle));
	pthread_rwlock_wrlock(&lists_lock);
	while (*link != instance)
		link = &(*link)->next;
	*link = instance->next;
	pthread_rwlock_unlock(&lists_lock);
	instance->calls.DestroyInstance(handle, allocator);
	free(instance);
}

/* What the layer adds to the application's request for a device. Names and structs of the
 * application come along unchanged. */
struct request {
	VkDeviceCreateInfo info;
	VkPhysicalDeviceHostQueryResetFeatures host_reset;
	const char **names;
	bool calibrated;
};

/* Host query reset is of Vulkan 1.2, and must be asked for once at most. */
static bool app_names_host_reset(const VkDeviceCreateInfo *info, bool *enabled)
{
	for (const VkBaseInStructure *s = info->pNext; s; s = s->pNext) {
		if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES)
			*enabled = ((const VkPhysicalDeviceHostQueryResetFeatures *)(const void *)s)
					   ->hostQueryReset;
		else if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES)
			*enabled =
				((const VkPhysicalDeviceVulkan12Features *)(const void *)s)->hostQueryReset;
		else
			continue;
		return true;
	}
	return false;
}

static bool device_can_reset(struct vk_instance *instance, VkPhysicalDevice physical)
{
	VkPhysicalDeviceHostQueryResetFeatures reset = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES};
	VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
					      .pNext = &reset};
	VkPhysicalDeviceProperties properties;

	instance->calls.GetPhysicalDeviceProperties(physical, &properties);
	if (instance->api_version < VK_API_VERSION_1_2 || properties.apiVersion < VK_API_VERSION_1_2 ||
	    !instance->calls.GetPhysicalDeviceFeatures2)
		return false;
	instance->calls.GetPhysicalDeviceFeatures2(physical, &features);
	return reset.hostQueryReset;
}

static bool device_has_extension(struct vk_instance *instance, VkPhysicalDevice physical, const char *name)
{
	VkExtensionProperties *list = NULL;
	uint32_t n = 0;
	bool found = false;

	if (instance->calls.EnumerateDeviceExtensionProperties(physical, NULL, &n, NULL) == VK_SUCCESS && n)
		list = calloc(n, sizeof(*list));
	if (list &&
	    instance->calls.EnumerateDeviceExtensionProperties(physical, NULL, &n, list) >= VK_SUCCESS)
		for (uint32_t i = 0; i < n && !found; i++)
			found = strcmp(list[i].extensionName, name) == 0;
	free(list);
	return found;
}

static bool device_has_monotonic(struct vk_instance *instance, VkPhysicalDevice physical)
{
	VkTimeDomainEXT domains[16];
	uint32_t n = 16;
	unsigned found = 0;

	if (!instance->calls.GetPhysicalDeviceCalibrateableTimeDomainsEXT ||
	    instance->calls.GetPhysicalDeviceCalibrateableTimeDomainsEXT(physical, &n, domains) < VK_SUCCESS)
		return false;
	for (uint32_t i = 0; i < n; i++)
		found |= domains[i] == VK_TIME_DOMAIN_DEVICE_EXT            ? 1u
			 : domains[i] == VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT ? 2u
									    : 0u;
	return found == 3;
}

static void ask_for_calibration(struct request *request, struct vk_instance *instance,
				VkPhysicalDevice physical)
{
	static const char name[] = VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME;
	uint32_t n = request->info.enabledExtensionCount;

	if ((instance->api_version < VK_API_VERSION_1_1 && !instance->properties2) ||
	    !device_has_extension(instance, physical, name) || !device_has_monotonic(instance, physical))
		return;
	request->calibrated = has_name(request->info.ppEnabledExtensionNames, n, name);
	if (request->calibrated)
		return;
	request->names = calloc(n + 1, sizeof(*request->names));
	if (!request->names)
		return;
	for (uint32_t i = 0; i < n; i++)
		request->names[i] = request->info.ppEnabledExtensionNames[i];
	request->names[n] = name;
	request->info.ppEnabledExtensionNames = request->names;
	request->info.enabledExtensionCount = n + 1;
	request->calibrated = true;
}

static void ask_for_host_reset(struct request *request, struct vk_instance *instance,
			       VkPhysicalDevice physical, bool *enabled)
{
	if (app_names_host_reset(&request->info, enabled) || !device_can_reset(instance, physical))
		return;
	request->host_reset = (VkPhysicalDeviceHostQueryResetFeatures){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES,
		.pNext = (void *)(uintptr_t)request->info.pNext,
		.hostQueryReset = VK_TRUE};
	request->info.pNext = &request->host_reset;
	*enabled = true;
}

static void load_device_calls(struct vk_device *device, PFN_vkGetDeviceProcAddr get)
{
	device->calls.GetDeviceProcAddr = get;
#define LOAD(name)                                                                        \
	device->calls.name = (PFN_vk##name)get(device->handle, "vk" #name);               \
	if (!device->calls.name)                                                          \
		device->calls.name = (PFN_vk##name)get(device->handle, "vk" #name "KHR"); \
	if (!device->calls.name)                                                          \
		device->calls.name = (PFN_vk##name)get(device->handle, "vk" #name "EXT");
	DEVICE_FUNCTIONS(LOAD)
#undef LOAD
}

static void load_families(struct vk_device *device, VkPhysicalDevice physical)
{
	struct vk_instance *instance = device->instance;
	VkPhysicalDeviceProperties properties;
	bool stamps = false;
	uint32_t n = 0;

	instance->calls.GetPhysicalDeviceProperties(physical, &properties);
	clock_init(&device->clock, &properties.limits);
	instance->calls.GetPhysicalDeviceQueueFamilyProperties(physical, &n, NULL);
	device->families = calloc(n, sizeof(*device->families));
	device->n_families = device->families ? n : 0;
	instance->calls.GetPhysicalDeviceQueueFamilyProperties(physical, &device->n_families,
							       device->families);
	for (uint32_t i = 0; i < device->n_families; i++) {
		uint32_t bits = device->families[i].timestampValidBits;

		stamps |= bits > 0;
		if (bits && bits < 64)
			device->clock.mask &= (1ull << bits) - 1;
	}
	if (!stamps)
		device->clock.period_ns = 0;
}

static void init_device(struct vk_device *device, VkPhysicalDevice physical, PFN_vkGetDeviceProcAddr get)
{
	struct map *maps[] = DEVICE_MAPS(device);
	VkPhysicalDeviceProperties properties;
	char driver[PASSES_TEXT + 1];

	for (unsigned i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		map_init(maps[i]);
	pthread_mutex_init(&device->lock, NULL);
	device->key = dispatch_key(device->handle);
	load_device_calls(device, get);
	load_families(device, physical);
	device->can_calibrate &= device->calls.GetCalibratedTimestampsEXT && device->clock.period_ns > 0;
	device->host_reset &= device->calls.ResetQueryPool != NULL;
	device->frames.boundary_ns = passes_now_ns();
	device->instance->calls.GetPhysicalDeviceProperties(physical, &properties);
	snprintf(driver, sizeof(driver), "%.40s%s", properties.deviceName,
		 properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU ? PASSES_ON_CPU : "");
	device->channel = channel_open(
		PASSES_VULKAN, device->clock.period_ns > 0 ? layer_stamp() : PASSES_STAMP_NONE, driver);
	pthread_rwlock_wrlock(&lists_lock);
	device->number = n_devices++;
	device->next = devices;
	devices = device;
	pthread_rwlock_unlock(&lists_lock);
}

/* A driver that refuses what the layer adds gets the application's own request. */
static VkResult create_device(struct vk_device *device, VkPhysicalDevice physical,
			      const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator,
			      PFN_vkCreateDevice create, VkLayerDeviceLink **next, VkDevice *out)
{
	struct request request = {.info = *info};
	VkLayerDeviceLink *below = *next;
	VkResult result;

	ask_for_host_reset(&request, device->instance, physical, &device->host_reset);
	ask_for_calibration(&request, device->instance, physical);
	result = create(physical, &request.info, allocator, out);
	device->can_calibrate = request.calibrated;
	if (result != VK_SUCCESS && (request.names || request.info.pNext != info->pNext)) {
		*next = below;
		device->can_calibrate = device->host_reset = false;
		app_names_host_reset(info, &device->host_reset);
		result = create(physical, info, allocator, out);
	}
	free(request.names);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hook_CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
						 const VkAllocationCallbacks *allocator, VkDevice *out)
{
	FIND_LINK(VkLayerDeviceCreateInfo, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO, info)
	struct vk_instance *instance = instance_of(dispatch_key(physical));
	struct vk_device *device = calloc(1, sizeof(*device));
	PFN_vkGetInstanceProcAddr get_instance;
	PFN_vkGetDeviceProcAddr get;
	PFN_vkCreateDevice create;
	VkResult result = VK_ERROR_INITIALIZATION_FAILED;

	if (!link || !instance || !device) {
		free(device);
		return result;
	}
	get_instance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
	get = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
	create = (PFN_vkCreateDevice)get_instance(instance->handle, "vkCreateDevice");
	link->u.pLayerInfo = link->u.pLayerInfo->pNext;
	device->instance = instance;
	if (create)
		result = create_device(device, physical, info, allocator, create, &link->u.pLayerInfo, out);
	if (result != VK_SUCCESS) {
		free(device);
		return result;
	}
	device->handle = *out;
	init_device(device, physical, get);
	return VK_SUCCESS;
}
