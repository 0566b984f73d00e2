#include "layer/vk.h"

/* No function here has a name that the application's loader has: such a name would resolve to the
 * loader's. Only the negotiation is exported. */
static PFN_vkVoidFunction get_instance_proc(VkInstance instance, const char *name);
static PFN_vkVoidFunction get_device_proc(VkDevice device, const char *name);

struct hook {
	const char *name; /* without the suffix of an extension that was promoted */
	PFN_vkVoidFunction function;
};

#define HOOK(name) {"vk" #name, (PFN_vkVoidFunction)hook_##name},
static const struct hook instance_hooks[] = {
	HOOK(CreateInstance) HOOK(DestroyInstance)
		HOOK(CreateDevice){"vkGetInstanceProcAddr", (PFN_vkVoidFunction)get_instance_proc},
	{NULL, NULL},
};
static const struct hook device_hooks[] = {
	HOOKED_FUNCTIONS(HOOK){"vkGetDeviceProcAddr", (PFN_vkVoidFunction)get_device_proc},
	{NULL, NULL},
};

static PFN_vkVoidFunction find_hook(const struct hook *hooks, const char *name)
{
	for (; hooks->name; hooks++) {
		size_t n = strlen(hooks->name);

		if (strncmp(name, hooks->name, n) == 0 &&
		    (!name[n] || strcmp(name + n, "KHR") == 0 || strcmp(name + n, "EXT") == 0))
			return hooks->function;
	}
	return NULL;
}

/* Labels and names reach the layer also where no driver takes them. */
static bool is_hooked_alone(const struct vk_instance *instance, const char *name)
{
	return instance->debug_utils && (strcmp(name, "vkCmdBeginDebugUtilsLabelEXT") == 0 ||
					 strcmp(name, "vkCmdEndDebugUtilsLabelEXT") == 0 ||
					 strcmp(name, "vkSetDebugUtilsObjectNameEXT") == 0);
}

/* A function that the device does not have must stay unknown to the application. */
static PFN_vkVoidFunction get_device_proc(VkDevice handle, const char *name)
{
	struct vk_device *device = handle ? device_of(dispatch_key(handle)) : NULL;
	PFN_vkVoidFunction hook, next;

	if (!device || !name)
		return NULL;
	hook = find_hook(device_hooks, name);
	next = device->calls.GetDeviceProcAddr(handle, name);
	return hook && (next || is_hooked_alone(device->instance, name)) ? hook : next;
}

static PFN_vkVoidFunction get_instance_proc(VkInstance handle, const char *name)
{
	struct vk_instance *instance = handle ? instance_of(dispatch_key(handle)) : NULL;
	PFN_vkVoidFunction hook, next;

	if (!name)
		return NULL;
	hook = find_hook(instance_hooks, name);
	if (hook || !instance)
		return hook;
	hook = find_hook(device_hooks, name);
	next = instance->calls.GetInstanceProcAddr(handle, name);
	return hook && (next || is_hooked_alone(instance, name)) ? hook : next;
}

__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *negotiated)
{
	if (negotiated->loaderLayerInterfaceVersion < 2)
		return VK_ERROR_INITIALIZATION_FAILED;
	negotiated->loaderLayerInterfaceVersion = 2;
	negotiated->pfnGetInstanceProcAddr = get_instance_proc;
	negotiated->pfnGetDeviceProcAddr = get_device_proc;
	negotiated->pfnGetPhysicalDeviceProcAddr = NULL;
	return VK_SUCCESS;
}
