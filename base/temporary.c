/* SPDX-License-Identifier: MIT */
/* Temporary files; see temporary.h. */
#define _GNU_SOURCE /* memfd_create, mkdtemp */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/heap.h"
#include "base/temporary.h"

char *
temporary_folder(const char *stem)
{
	const char *dir = getenv("TMPDIR");
	Buf path = { 0 };

	buf_printf(&path, "%s/%s-XXXXXX", dir && *dir ? dir : "/tmp", stem);
	if (mkdtemp(path.at))
		return path.at;
	int e = errno;
	buf_free(&path);
	errno = e;
	return NULL;
}

void
temporary_remove(const char *folder)
{
	DIR *d = opendir(folder);

	for (struct dirent *e; d && (e = readdir(d));) {
		Buf name = { 0 };
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		buf_printf(&name, "%s/%s", folder, e->d_name);
		if (unlink(name.at) != 0)
			temporary_remove(name.at);
		buf_free(&name);
	}
	if (d)
		closedir(d);
	rmdir(folder);
}

bool
memory_file(Memory_file *f, const char *text, size_t len)
{
	f->fd = memfd_create("ptxccc", 0);
	if (f->fd < 0)
		return false;
	snprintf(f->path, sizeof f->path, "/proc/self/fd/%d", f->fd);
	while (len > 0) {
		ssize_t n = write(f->fd, text, len);
		if (n < 0 && errno != EINTR) {
			int e = errno;
			close(f->fd);
			errno = e;
			return false;
		}
		text += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return true;
}
