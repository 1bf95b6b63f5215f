/* SPDX-License-Identifier: MIT */
/* File operations of the hooks. See files.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "annotate/files.h"
#include "base/console.h"
#include "base/source.h"

const char *
message_name(void)
{
	return strcmp(program_name, "ccc-annotate") == 0 ? "cccnvcc" : program_name;
}

int
file_write(const char *path, const char *text, size_t len)
{
	const char *why;

	if (source_write(path, text, len, &why))
		return 0;
	fprintf(stderr, "%s: error: cannot write '%s': %s\n", message_name(), path, why);
	return 2;
}

bool
file_on_path(const char *program)
{
	const char *dirs = getenv("PATH");
	char path[4096];

	if (strchr(program, '/'))
		return access(program, X_OK) == 0;
	for (size_t n; dirs && *dirs; dirs += n + (dirs[n] == ':')) {
		n = strcspn(dirs, ":");
		snprintf(path, sizeof path, "%.*s/%s", (int)n, n ? dirs : ".", program);
		if (access(path, X_OK) == 0)
			return true;
	}
	return false;
}

bool
file_has_text(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_size > 0;
}

static bool
read_or_say(Source *s, const char *path)
{
	const char *why;
	bool ok = source_read(s, path, &why);

	if (!ok)
		fprintf(stderr, "%s: error: cannot read '%s': %s\n", message_name(), path, why);
	return ok;
}

int
file_copy(const char *from, const char *to)
{
	Source s;

	if (!read_or_say(&s, from))
		return 2;
	int rc = file_write(to, s.text, s.len);
	source_release(&s);
	return rc;
}

void
file_read_and_remove(const char *path, Buf *to)
{
	if (access(path, F_OK) == 0 && source_append(to, path))
		unlink(path);
}

int
file_deliver(const char *from, const char *to)
{
	Source s;

	if (!read_or_say(&s, from))
		return 2;
	int rc = strcmp(to, "-") == 0 ? file_write(to, s.text, s.len) :
					file_write_here(to, s.text, s.len);
	source_release(&s);
	return rc;
}

int
file_append(const char *path, const char *text, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);

	if (fd < 0 || write(fd, text, len) != (ssize_t)len) {
		fprintf(stderr, "%s: error: cannot write '%s'\n", message_name(), path);
		if (fd >= 0)
			close(fd);
		return 2;
	}
	return close(fd) == 0 ? 0 : 2;
}

int
file_write_here(const char *path, const char *text, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	size_t at = 0;

	while (fd >= 0 && at < len) {
		ssize_t n = write(fd, text + at, len - at);
		if (n < 0 && errno != EINTR)
			break;
		at += n > 0 ? (size_t)n : 0;
	}
	if (fd >= 0 && close(fd) == 0 && at == len)
		return 0;
	fprintf(stderr, "%s: error: cannot write '%s': %s\n", message_name(), path, strerror(errno));
	return 2;
}

Diag_style
file_style(Source *last)
{
	return (Diag_style){ .read = source_read_shown, .reader = last,
		.color = console_color(NULL) };
}
