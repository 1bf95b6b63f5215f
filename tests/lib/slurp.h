/* SPDX-License-Identifier: MIT */
/* A whole file, NUL-terminated; NULL, with a message, if it cannot be read. */
#ifndef TESTS_LIB_SLURP_H
#define TESTS_LIB_SLURP_H

#include <stdio.h>
#include <stdlib.h>

static inline char *
slurp(const char *file, size_t *len)
{
	FILE *f = fopen(file, "rb");
	long n = f && !fseek(f, 0, SEEK_END) ? ftell(f) : -1;
	char *text = n >= 0 ? malloc((size_t)n + 1) : NULL;

	*len = n > 0 ? (size_t)n : 0;
	if (text) {
		rewind(f);
		if (fread(text, 1, *len, f) != *len)
			perror(file);
		text[*len] = '\0';
	} else {
		perror(file);
	}
	if (f)
		fclose(f);
	return text;
}

#endif
