/* SPDX-License-Identifier: MIT */
/* Files of profiles: `ptxccc profile ...`, and what reads and writes them for other commands. */
#ifndef DRIVER_PROFILES_H
#define DRIVER_PROFILES_H

#include "profile/profile.h"

/* Takes a file's text; or, text NULL, why it cannot be read. */
typedef void Profiles_take(void *user, const char *file, const char *text, size_t len,
	const char *why);
/* Gives out a file, or, of a folder, each file in it that ends in .cccprof, by name. */
void profiles_each(const char *path, Profiles_take *take, void *user);

/* Settles a profile and writes it to a file. 0, or 2 after a message. */
int profiles_write(Profile *p, const char *path);

/* A profile of nothing at that path, to which records can be added; and the records that stand
 * there in the end summed up. 0, or 2 after a message. */
int profiles_begin(const char *path);
int profiles_settle(const char *path);

/* The command `ptxccc profile`; argv[0] is what stands behind that. Its exit status. */
int profiles_main(char **argv);

#endif
