/* SPDX-License-Identifier: MIT */
/* Profile files: the command `ptxccc profile`, and reading and writing profiles for other
 * commands. */
#ifndef DRIVER_PROFILES_H
#define DRIVER_PROFILES_H

#include "profile/profile.h"

/* Receives a file's text; or, if text is NULL, the reason why the file cannot be read. */
typedef void Profiles_take(void *user, const char *file, const char *text, size_t len,
	const char *why);
/* Passes a file to take, or each *.cccprof file of a folder, sorted by name. */
void profiles_each(const char *path, Profiles_take *take, void *user);

/* Writes a profile with all records merged. Returns 0, or 2 after printing a message. */
int profiles_write(Profile *p, const char *path);

/* profiles_begin creates an empty profile, to which records can be appended; profiles_settle
 * merges these records. Both return 0, or 2 after printing a message. */
int profiles_begin(const char *path);
int profiles_settle(const char *path);

/* Runs the command `ptxccc profile` and returns its exit status; argv[0] is its first argument. */
int profiles_main(char **argv);

#endif
