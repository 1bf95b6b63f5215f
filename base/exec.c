/* SPDX-License-Identifier: MIT */
/* Replaces the process by another program; see exec.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/exec.h"
#include "base/heap.h"

static bool
is_text(const char *path)
{
	char begin[256];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, begin, sizeof begin) : -1;

	if (fd >= 0)
		close(fd);
	return n >= 0 && !memchr(begin, 0, (size_t)n);
}

/* Runs the script at path with the shell. */
static void
exec_script(const char *path, char *const *argv)
{
	size_t n = 0;

	while (argv[n])
		n++;
	const char **words = xmalloc((n + 2) * sizeof *words);
	words[0] = "sh";
	words[1] = path;
	for (size_t i = 1; i <= n; i++) /* including the NULL */
		words[i + 1] = argv[i];
	execv("/bin/sh", (char *const *)(void *)words);
	xfree(words);
}

static void
exec_path(const char *path, char *const *argv)
{
	execv(path, argv);
	if (errno != ENOEXEC)
		return;
	if (is_text(path))
		exec_script(path, argv);
	errno = ENOEXEC;
}

void
exec_program(char *const *argv)
{
	const char *dirs = getenv("PATH"), *dir = dirs ? dirs : "/bin:/usr/bin";
	char path[4096];
	int why = ENOENT;

	if (strchr(argv[0], '/')) {
		exec_path(argv[0], argv);
		return;
	}
	for (size_t n; *argv[0]; dir += n + 1) {
		n = strcspn(dir, ":");
		int len = snprintf(path, sizeof path, "%.*s%s%s", (int)n, dir, n ? "/" : "", argv[0]);
		if (len > 0 && (size_t)len < sizeof path) {
			exec_path(path, argv);
			if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
				return;
			why = errno == EACCES ? EACCES : why;
		}
		if (!dir[n])
			break;
	}
	errno = why;
}
