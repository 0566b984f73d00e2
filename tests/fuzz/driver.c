/* driver: main for a fuzz target where libFuzzer is not: runs the target over the files given, each
 * in a block of its own size, so that a sanitizer sees a read beyond the end. */
#include "base/alloc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	AUTOFREE uint8_t *data = NULL;
	size_t n = 0, cap = 0;
	int c;

	if (!f) {
		perror(path);
		exit(1);
	}
	while ((c = getc(f)) != EOF) {
		GROW(data, n, cap);
		data[n++] = (uint8_t)c;
	}
	fclose(f);
	data = xreallocarray(data, n, 1);
	LLVMFuzzerTestOneInput(data, n);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		run_file(argv[i]);
	printf("%s: %d inputs\n", argv[0], argc - 1);
	return 0;
}
