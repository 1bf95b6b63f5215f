/* SPDX-License-Identifier: MIT */
/* Reads sources from files, and writes results to files. libptxccc does not need it.
 *
 * Writing uses a temporary file in the same folder and a rename, so that a full disk or a kill
 * leaves the old file intact. Signals that end programs are blocked until the temporary file is
 * gone. Written in place: existing files that are not regular (a pipe, /dev/null), files with
 * several links, and files that cannot be replaced (the folder is not writable, something is
 * mounted there). */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/heap.h"
#include "base/source.h"

enum { LONGEST = 100 }; /* bytes of a file's name that are used for its temporary file */

/* ---- reading --------------------------------------------------------------------------------- */

/* Reads to the end of the file. Terminates the text with a NUL that is not counted. */
static bool
read_all(Source *s, int fd, const char **err)
{
	struct stat st;
	size_t cap = 1 << 16, n = 0;

	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
		cap = (size_t)st.st_size + 1;
	char *text = xmalloc(cap + 1);
	for (;;) {
		if (n == cap)
			text = xrealloc(text, (cap *= 2) + 1);
		ssize_t k = read(fd, text + n, cap - n);
		if (k == 0)
			break;
		if (k > 0)
			n += (size_t)k;
		else if (errno != EINTR) {
			*err = strerror(errno);
			xfree(text);
			return false;
		}
		if (n >= UINT32_MAX) {
			*err = "4 GiB or more";
			xfree(text);
			return false;
		}
	}
	text[n] = '\0';
	s->text = text;
	s->len = (uint32_t)n;
	return true;
}

bool
source_read(Source *s, const char *path, const char **err)
{
	bool standard = strcmp(path, "-") == 0;
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY);

	*s = (Source){ 0 };
	if (fd < 0) {
		*err = strerror(errno);
		return false;
	}
	bool ok = read_all(s, fd, err);
	if (!standard)
		close(fd);
	if (ok) {
		const char *name = standard ? "<stdin>" : path;
		s->name = strcpy(xmalloc(strlen(name) + 1), name);
	}
	return ok;
}

bool
source_append(Buf *to, const char *path)
{
	Source file;
	const char *why;

	if (!source_read(&file, path, &why))
		return false;
	buf_add(to, file.text, file.len);
	source_release(&file);
	return true;
}

bool
source_is_special(const char *path)
{
	struct stat st;

	if (strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0)
		return true;
	return strcmp(path, "-") == 0 || (stat(path, &st) == 0 && !S_ISREG(st.st_mode));
}

const char *
source_read_shown(void *last, const char *file, size_t *len)
{
	Source *s = last;
	const char *why;

	if (!s->name || strcmp(s->name, file) != 0) {
		source_release(s);
		if (source_is_special(file) || !source_read(s, file, &why))
			return *s = (Source){ 0 }, NULL;
	}
	*len = s->len;
	return s->text;
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool
write_all(int fd, const char *text, size_t len, const char **err)
{
	while (len > 0) {
		ssize_t k = write(fd, text, len);
		if (k >= 0) {
			text += k;
			len -= (size_t)k;
		} else if (errno != EINTR) {
			*err = strerror(errno);
			return false;
		}
	}
	return true;
}

/* Writes into an existing or new file. Leaves no partial file on failure. */
static bool
write_in_place(const char *path, const char *text, size_t len, const char **err)
{
	struct stat st;
	bool there = stat(path, &st) == 0, regular = !there || S_ISREG(st.st_mode);
	int fd = open(path, there ? O_WRONLY : O_WRONLY | O_CREAT, 0666);

	if (fd < 0) {
		*err = strerror(errno);
		return false;
	}
	bool ok = write_all(fd, text, len, err);
	if (regular && ftruncate(fd, ok ? (off_t)len : 0) != 0 && ok) {
		*err = strerror(errno);
		ok = false;
	}
	if (close(fd) != 0 && ok) {
		*err = strerror(errno);
		ok = false;
	}
	if (!ok && !there) {
		char *real = realpath(path, NULL); /* the target, not a link to it */
		unlink(real ? real : path);
		free(real);
	}
	return ok;
}

/* Returns the permissions of a new file. */
static mode_t
default_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/* Creates a file in the same folder as path; *temp: its name, to be freed. The name is truncated,
 * so that it is valid whenever path is. */
static int
open_beside(const char *path, char **temp)
{
	const char *slash = strrchr(path, '/');
	size_t dir = slash ? (size_t)(slash + 1 - path) : 0, n = strlen(path + dir);

	n = dir + (n < LONGEST ? n : LONGEST);
	*temp = xmalloc(n + 8);
	memcpy(*temp, path, n);
	memcpy(*temp + n, ".XXXXXX", 8);
	return mkstemp(*temp);
}

/* Returns why no file can replace path; NULL: path may be written in place instead. */
static const char *
why_not_renamed(int e)
{
	switch (e) {
	case EACCES: case EPERM: case EROFS: case ENAMETOOLONG: case EBUSY: case EXDEV:
		return NULL;
	default:
		return strerror(e);
	}
}

static bool
replace_file(const char *path, mode_t mode, const char *text, size_t len, const char **err)
{
	char *temp;
	int fd = open_beside(path, &temp);

	if (fd < 0) {
		*err = why_not_renamed(errno);
		xfree(temp);
		return false;
	}
	bool ok = write_all(fd, text, len, err);
	if (ok && fchmod(fd, mode) != 0) {
		*err = strerror(errno);
		ok = false;
	}
	if (close(fd) != 0 && ok) {
		*err = strerror(errno);
		ok = false;
	}
	if (ok && rename(temp, path) != 0) {
		*err = why_not_renamed(errno);
		ok = false;
	}
	if (!ok)
		unlink(temp);
	xfree(temp);
	return ok;
}

/* Returns false with *err NULL if the file is to be written in place. */
static bool
write_renamed(const char *path, mode_t mode, const char *text, size_t len, const char **err)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t held, before;

	sigemptyset(&held);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		sigaddset(&held, ends[i]);
	sigprocmask(SIG_BLOCK, &held, &before);
	bool ok = replace_file(path, mode, text, len, err);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ok;
}

/* Writes to a path that does not exist. If it is a dangling symbolic link, creates the link's
 * target. */
static bool
write_new(const char *path, const char *text, size_t len, const char **err)
{
	struct stat st;

	if (lstat(path, &st) == 0)
		return write_in_place(path, text, len, err);
	return write_renamed(path, default_mode(), text, len, err) ||
		(!*err && write_in_place(path, text, len, err));
}

bool
source_write(const char *path, const char *text, size_t len, const char **err)
{
	struct stat st;

	if (!path || strcmp(path, "-") == 0)
		return write_all(STDOUT_FILENO, text, len, err);
	if (stat(path, &st) != 0)
		return write_new(path, text, len, err);
	if (!S_ISREG(st.st_mode) || st.st_nlink > 1)
		return write_in_place(path, text, len, err);
	/* replaces the target of a symbolic link, not the link */
	char *real = realpath(path, NULL);
	bool ok = write_renamed(real ? real : path, st.st_mode & 07777, text, len, err) ||
		(!*err && write_in_place(path, text, len, err));
	free(real);
	return ok;
}
