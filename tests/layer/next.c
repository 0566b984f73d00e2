/* next: a library that is preloaded after the GLES library, and asks what comes after itself. */
#include <dlfcn.h>
#include <string.h>

#include <EGL/egl.h>

__attribute__((visibility("default"))) EGLBoolean EGLAPIENTRY eglInitialize(EGLDisplay display, EGLint *major,
									    EGLint *minor)
{
	void *symbol = dlsym(RTLD_NEXT, "eglInitialize");
	__typeof__(&eglInitialize) real;

	memcpy(&real, &symbol, sizeof(real));
	return real && real != eglInitialize ? real(display, major, minor) : EGL_FALSE;
}
