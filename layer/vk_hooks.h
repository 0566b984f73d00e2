/* vk_hooks: the functions that replace Vulkan's. Each has the type of the function it replaces. */
#ifndef MALITOP_LAYER_VK_HOOKS_H
#define MALITOP_LAYER_VK_HOOKS_H

#include "layer/vk.h"

#define DECLARE(name) __typeof__(*(PFN_vk##name)0) hook_##name;
HOOKED_FUNCTIONS(DECLARE)
DECLARE(CreateInstance)
DECLARE(DestroyInstance)
DECLARE(CreateDevice)
#undef DECLARE

#endif
