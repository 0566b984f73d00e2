#include "layer/vk.h"

static const struct {
	VkFormat format;
	const char *name;
} format_names[] = {
	{VK_FORMAT_R5G6B5_UNORM_PACK16, "RGB565"},
	{VK_FORMAT_R8_UNORM, "R8"},
	{VK_FORMAT_R8G8_UNORM, "RG8"},
	{VK_FORMAT_R8G8B8A8_UNORM, "RGBA8"},
	{VK_FORMAT_R8G8B8A8_SRGB, "RGBA8 sRGB"},
	{VK_FORMAT_B8G8R8A8_UNORM, "BGRA8"},
	{VK_FORMAT_B8G8R8A8_SRGB, "BGRA8 sRGB"},
	{VK_FORMAT_A8B8G8R8_UNORM_PACK32, "ABGR8"},
	{VK_FORMAT_A8B8G8R8_SRGB_PACK32, "ABGR8 sRGB"},
	{VK_FORMAT_A2B10G10R10_UNORM_PACK32, "RGB10A2"},
	{VK_FORMAT_A2R10G10B10_UNORM_PACK32, "BGR10A2"},
	{VK_FORMAT_R16_SFLOAT, "R16F"},
	{VK_FORMAT_R16G16_SFLOAT, "RG16F"},
	{VK_FORMAT_R16G16B16A16_SFLOAT, "RGBA16F"},
	{VK_FORMAT_R32_SFLOAT, "R32F"},
	{VK_FORMAT_R32G32_SFLOAT, "RG32F"},
	{VK_FORMAT_R32G32B32A32_SFLOAT, "RGBA32F"},
	{VK_FORMAT_B10G11R11_UFLOAT_PACK32, "RG11B10F"},
	{VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, "RGB9E5"},
};

static const char *format_name(uint32_t format, char number[24])
{
	for (unsigned i = 0; i < sizeof(format_names) / sizeof(format_names[0]); i++)
		if ((uint32_t)format_names[i].format == format)
			return format_names[i].name;
	snprintf(number, 24, "format %u", format);
	return number;
}

static uint16_t make_title(uint64_t format, VkExtent2D size)
{
	unsigned colours = format >> 32 & 0xff;
	bool depth = format >> 40 & 1;
	char text[PASSES_TEXT], number[24], more[16] = "";

	if (colours > 1)
		snprintf(more, sizeof(more), " x%u", colours);
	snprintf(text, sizeof(text), "%ux%u %s%s%s", size.width, size.height,
		 colours ? format_name((uint32_t)format, number)
		 : depth ? "depth"
			 : "no target",
		 more, colours && depth ? " + depth" : "");
	return channel_name(text);
}

uint16_t pass_title(struct vk_device *device, uint64_t target, uint64_t pass, uint64_t format,
		    VkExtent2D size)
{
	uint64_t name = target ? map_get(&device->names, target) : 0, key;

	if (!name && pass)
		name = map_get(&device->names, pass);
	if (name)
		return (uint16_t)name;
	key = (format ^ (uint64_t)size.width << 42 ^ (uint64_t)size.height << 20) * 0x9e3779b97f4a7c15ull;
	name = map_get(&device->titles, key);
	if (!name) {
		name = make_title(format, size) + 1u;
		map_put(&device->titles, key, name);
	}
	return (uint16_t)(name - 1);
}
