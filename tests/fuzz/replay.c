/* SPDX-License-Identifier: MIT */
/* Replays a fuzzer's corpus: runs its entry on each file named, so that `make check` needs no
 * libFuzzer. */
#include <stdint.h>
#include <stdio.h>
#include "base/source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		Source src;
		const char *why;
		if (!source_read(&src, argv[i], &why)) {
			fprintf(stderr, "%s: %s\n", argv[i], why);
			return 2;
		}
		LLVMFuzzerTestOneInput((const uint8_t *)src.text, src.len);
		source_release(&src);
	}
	return 0;
}
