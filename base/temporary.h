/* SPDX-License-Identifier: MIT */
/* Temporary files. None has a name that another process could have taken in the meantime: they are
 * in a private folder, or have no name. */
#ifndef BASE_TEMPORARY_H
#define BASE_TEMPORARY_H

#include <stdbool.h>
#include <stddef.h>

/* Creates a folder with mode 700 in TMPDIR, or else in /tmp; its name begins with stem. Returns its
 * path, to be freed with xfree, or NULL with errno. */
char *temporary_folder(const char *stem);
/* Removes a folder and everything in it. */
void temporary_remove(const char *folder);

/* A file in memory, for a program that only takes file names. */
typedef struct {
	int fd;         /* without close-on-exec */
	char path[32];  /* valid in this process and in children that inherit fd */
} Memory_file;

/* Creates a file that contains text, len bytes. It is removed when the last process closes it.
 * Returns false on failure, with errno. */
bool memory_file(Memory_file *f, const char *text, size_t len);

#endif
