/* SPDX-License-Identifier: MIT */
/* Finds NVIDIA's ptxas, for ccc-ptxas, which has its name in some folders. */
#ifndef DRIVER_PTXAS_FIND_H
#define DRIVER_PTXAS_FIND_H

/* Returns the path of the ptxas that CCC_PTXAS names; else of argv0 with ".real" appended, where a
 * link to this program has taken the name of the original; else of the first ptxas on PATH, or in
 * the toolkit's usual folders, that is not this program. To be freed with xfree. Returns NULL if
 * there is none. */
char *ptxas_find(const char *argv0);

#endif
