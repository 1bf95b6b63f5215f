/* SPDX-License-Identifier: MIT */
/* same_code_main A B: whether two cubins have the same code and data (driver/cubin.h).
 *
 * Exit status 0: the same; 1: not, and the first section that differs is named; 2: unreadable. */
#include <stdio.h>
#include "base/source.h"
#include "driver/cubin.h"

int
main(int argc, char **argv)
{
	const char *why, *section;
	Source a, b;
	int status = 2;

	if (argc != 3 || !source_read(&a, argv[1], &why)) {
		fprintf(stderr, "usage: same_code_main A.cubin B.cubin\n");
		return 2;
	}
	if (source_read(&b, argv[2], &why)) {
		status = cubins_are_equal(a.text, a.len, b.text, b.len, &section) ? 0 :
			section							? 1 :
										  2;
		if (status)
			printf("%s: section %s differs\n", argv[1], section ? section : "headers");
		source_release(&b);
	}
	source_release(&a);
	return status;
}
