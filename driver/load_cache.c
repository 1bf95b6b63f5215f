/* SPDX-License-Identifier: MIT */
/* The cache of ptxccc-run. See load_cache.h.
 *
 * Each entry is a file in a folder that only its owner can read or write. A file appears by a
 * rename, so that concurrent processes see whole entries. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/source.h"
#include "base/vec.h"
#include "driver/load_cache.h"

typedef struct { char name[40]; off_t size; struct timespec used; } Entry;
typedef VEC(Entry) Entries;

static uint64_t
mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

Cache_key
cache_key(const char *text, size_t len, uint64_t sum)
{
	Cache_key k = { { mix(sum, len), mix(~sum, len) } };

	for (size_t i = 0; i < len; i += 8) {
		uint64_t v = 0;
		memcpy(&v, text + i, len - i < 8 ? len - i : 8);
		k.half[0] = mix(k.half[0], v);
		k.half[1] = mix(k.half[1] + v, k.half[0]);
	}
	return k;
}

/* Returns the limit in bytes. */
static uint64_t
size_limit(void)
{
	const char *limit = getenv("CCC_CACHE_SIZE");

	return (limit && *limit ? strtoull(limit, NULL, 10) : 256) << 20;
}

/* Creates the folder. Returns false if there can be none, or if others could write to it. */
static bool
open_folder(Buf *path)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	struct stat st;

	if (cache && *cache == '/')
		buf_puts(path, cache);
	else if (home && *home == '/')
		buf_printf(path, "%s/.cache", home);
	else
		return false;
	(void)mkdir(path->at, 0700);
	buf_puts(path, "/ptxccc");
	(void)mkdir(path->at, 0777);
	buf_puts(path, "/run");
	(void)mkdir(path->at, 0700);
	return size_limit() && lstat(path->at, &st) == 0 && S_ISDIR(st.st_mode) &&
		st.st_uid == geteuid() && (st.st_mode & 077) == 0;
}

static bool
entry_path(Cache_key key, Buf *path)
{
	bool ok = open_folder(path);

	buf_printf(path, "/%016llx%016llx", (unsigned long long)key.half[0],
		(unsigned long long)key.half[1]);
	return ok;
}

bool
cache_read(Cache_key key, Buf *to)
{
	Buf path = { 0 };
	Source src;
	const char *why;
	bool ok = entry_path(key, &path) && access(path.at, R_OK) == 0 &&
		source_read(&src, path.at, &why);

	if (ok) {
		buf_add(to, src.text, src.len);
		source_release(&src);
		(void)utimensat(AT_FDCWD, path.at, NULL, 0);
	}
	buf_free(&path);
	return ok;
}

static int
by_use(const void *a, const void *b)
{
	const Entry *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	return x->used.tv_nsec < y->used.tv_nsec ? -1 : x->used.tv_nsec > y->used.tv_nsec;
}

static uint64_t
list_entries(DIR *d, Entries *all)
{
	uint64_t total = 0;
	struct stat st;

	for (struct dirent *e; (e = readdir(d));) {
		Entry n = { .size = 0 };
		if (strlen(e->d_name) >= sizeof n.name || e->d_name[0] == '.' ||
			fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		memcpy(n.name, e->d_name, strlen(e->d_name) + 1);
		n.size = st.st_size;
		n.used = st.st_mtim;
		total += (uint64_t)n.size;
		*vec_push(all) = n;
	}
	return total;
}

static void
remove_oldest(const char *folder)
{
	DIR *d = opendir(folder);
	Entries all = { 0 };

	if (!d)
		return;
	uint64_t total = list_entries(d, &all), limit = size_limit();
	if (total > limit)
		qsort(all.at, all.n, sizeof *all.at, by_use);
	for (uint32_t i = 0; i < all.n && total > limit; i++) {
		(void)unlinkat(dirfd(d), all.at[i].name, 0);
		total -= (uint64_t)all.at[i].size;
	}
	vec_free(&all);
	closedir(d);
}

void
cache_write(Cache_key key, const Buf *from)
{
	Buf path = { 0 };
	const char *why;

	if (entry_path(key, &path) && source_write(path.at, from->at, from->n, &why)) {
		*strrchr(path.at, '/') = '\0';
		remove_oldest(path.at);
	}
	buf_free(&path);
}
