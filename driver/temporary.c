/* SPDX-License-Identifier: MIT */
/* Temporary files. See temporary.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "driver/temporary.h"

int
temporary_make(char *name, size_t room, const char *stem)
{
	const char *dir = getenv("TMPDIR");
	int n = snprintf(name, room, "%s/%s-XXXXXX", dir && *dir ? dir : "/tmp", stem);

	if (n > 0 && (size_t)n < room)
		return mkstemp(name);
	errno = ENAMETOOLONG;
	return -1;
}
