/* Source text: reading, positions, writing.
 *
 * Writing goes by way of a temporary file in the same folder and a rename, so that a full disk or a kill leaves the old
 * file. What exists and is no regular file (a pipe, /dev/null) is written directly.
 */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/arena.h"
#include "base/diag.h"
#include "base/source.h"

/* ---- reading --------------------------------------------------------------------------------- */

/* Reads to the end of file. The text ends in a NUL that is not counted. */
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
			free(text);
			return false;
		}
		if (n >= UINT32_MAX) {
			*err = "4 GiB or more";
			free(text);
			return false;
		}
	}
	text[n] = '\0';
	s->text = text;
	s->len = (uint32_t)n;
	return true;
}

static char *
copy(const char *s, size_t n)
{
	char *p = xmalloc(n + 1);

	memcpy(p, s, n);
	p[n] = '\0';
	return p;
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
	if (ok)
		s->name = standard ? copy("<stdin>", 7) : copy(path, strlen(path));
	return ok;
}

void
source_from(Source *s, const char *name, const char *text, size_t len)
{
	if (len >= UINT32_MAX)
		die("text of 4 GiB or more");
	*s = (Source){ .name = copy(name, strlen(name)), .text = copy(text, len), .len = (uint32_t)len };
}

void
source_release(Source *s)
{
	free(s->name);
	free(s->text);
	free(s->line);
	*s = (Source){ 0 };
}

/* ---- positions ------------------------------------------------------------------------------- */

static void
build_lines(Source *s)
{
	uint32_t n = 1;

	for (uint32_t i = 0; i < s->len; i++)
		n += s->text[i] == '\n';
	s->line = xmalloc(n * sizeof *s->line);
	s->line[0] = 0;
	s->nlines = 1;
	for (uint32_t i = 0; i < s->len; i++)
		if (s->text[i] == '\n')
			s->line[s->nlines++] = i + 1;
}

/* The number, from 0, of the line that holds pos: the last that does not begin behind it. */
static uint32_t
find_line(Source *s, uint32_t pos)
{
	if (!s->line)
		build_lines(s);
	uint32_t lo = 0, hi = s->nlines;
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (s->line[mid] <= pos)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

void
source_position(Source *s, uint32_t pos, uint32_t *line, uint32_t *col)
{
	uint32_t i = find_line(s, pos);

	*line = i + 1;
	*col = pos - s->line[i] + 1;
}

Span
source_line(Source *s, uint32_t pos)
{
	uint32_t i = find_line(s, pos);
	Span at = { s->line[i], i + 1 < s->nlines ? s->line[i + 1] : s->len };

	while (at.end > at.pos && (s->text[at.end - 1] == '\n' || s->text[at.end - 1] == '\r'))
		at.end--;
	return at;
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

static bool
write_direct(const char *path, const char *text, size_t len, const char **err)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0) {
		*err = strerror(errno);
		return false;
	}
	bool ok = write_all(fd, text, len, err);
	if (close(fd) != 0 && ok) {
		*err = strerror(errno);
		ok = false;
	}
	return ok;
}

/* The permissions of a new file. */
static mode_t
default_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

static bool
write_renamed(const char *path, mode_t mode, const char *text, size_t len, const char **err)
{
	size_t n = strlen(path);
	char *temp = xmalloc(n + 8);

	memcpy(temp, path, n);
	memcpy(temp + n, ".XXXXXX", 8);
	int fd = mkstemp(temp);
	if (fd < 0) {
		*err = strerror(errno);
		free(temp);
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
		*err = strerror(errno);
		ok = false;
	}
	if (!ok)
		unlink(temp);
	free(temp);
	return ok;
}

bool
source_write(const char *path, const char *text, size_t len, const char **err)
{
	struct stat st;

	if (!path || strcmp(path, "-") == 0)
		return write_all(STDOUT_FILENO, text, len, err);
	if (stat(path, &st) != 0)
		return write_renamed(path, default_mode(), text, len, err);
	if (!S_ISREG(st.st_mode))
		return write_direct(path, text, len, err);
	char *real = realpath(path, NULL); /* through a symbolic link: the file itself is replaced, not the link */
	bool ok = write_renamed(real ? real : path, st.st_mode & 07777, text, len, err);
	free(real);
	return ok;
}
