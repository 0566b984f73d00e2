/* vk_android: what Android's Vulkan loader needs of a layer beyond the negotiation. It reads no
 * manifest: it looks these functions up in libVkLayer_malitop.so, the last two under the layer's
 * name. build.sh adds this file to the layer. */
#include <string.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#define LAYER_NAME "VK_LAYER_MALITOP_passes"
#define EXPORTED __attribute__((visibility("default"))) VKAPI_ATTR

VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *negotiated);

static VkNegotiateLayerInterface layer_interface(void)
{
	VkNegotiateLayerInterface i = {.sType = LAYER_NEGOTIATE_INTERFACE_STRUCT,
				       .loaderLayerInterfaceVersion = 2};

	vkNegotiateLoaderLayerInterfaceVersion(&i);
	return i;
}

EXPORTED VkResult VKAPI_CALL vkEnumerateInstanceLayerProperties(uint32_t *n, VkLayerProperties *layers)
{
	static const VkLayerProperties layer = {
		.layerName = LAYER_NAME,
		.specVersion = VK_API_VERSION_1_3,
		.implementationVersion = 1,
		.description = "malitop: GPU and CPU time of frames and render passes"};

	if (layers && *n > 0)
		layers[0] = layer;
	else if (layers)
		return VK_INCOMPLETE;
	*n = 1;
	return VK_SUCCESS;
}

/* The layer has no extensions of its own. */
EXPORTED VkResult VKAPI_CALL vkEnumerateInstanceExtensionProperties(const char *name, uint32_t *n,
								    VkExtensionProperties *extensions)
{
	(void)extensions;
	if (!name || strcmp(name, LAYER_NAME) != 0)
		return VK_ERROR_LAYER_NOT_PRESENT;
	*n = 0;
	return VK_SUCCESS;
}

EXPORTED PFN_vkVoidFunction VKAPI_CALL VK_LAYER_MALITOP_passesGetInstanceProcAddr(VkInstance instance,
										   const char *name)
{
	return layer_interface().pfnGetInstanceProcAddr(instance, name);
}

EXPORTED PFN_vkVoidFunction VKAPI_CALL VK_LAYER_MALITOP_passesGetDeviceProcAddr(VkDevice device,
										 const char *name)
{
	return layer_interface().pfnGetDeviceProcAddr(device, name);
}
