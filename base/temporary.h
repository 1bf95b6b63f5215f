/* SPDX-License-Identifier: MIT */
/* Temporary files. None is opened by a name that somebody else could have taken in the meantime:
 * they lie in a private folder, or have no name. */
#ifndef BASE_TEMPORARY_H
#define BASE_TEMPORARY_H

#include <stdbool.h>
#include <stddef.h>

/* Makes a folder for this user alone (mode 700) in TMPDIR, else in /tmp; its name begins with stem.
 * Returns its path, to be freed with xfree, or NULL, with errno. */
char *temporary_folder(const char *stem);
/* Removes a folder and everything in it. */
void temporary_remove(const char *folder);

/* A file in memory, for a program that takes only names of files. */
typedef struct {
	int fd;         /* close-on-exec is off */
	char path[32];  /* for this process, and for children that have fd */
} Memory_file;

/* Makes a file that holds text, len bytes. It goes away when the last process closes it. False,
 * with errno: it could not be made. */
bool memory_file(Memory_file *f, const char *text, size_t len);

#endif
