/* SPDX-License-Identifier: MIT */
/* Fat binaries in the form that nvcc embeds.
 *
 * A wrapper { magic, version, data, ... } (fatbinary_section.h of the toolkit) points to a
 * container (fatbin_entries.c).
 *
 * With -rdc=true the wrapper's version is 2: `data` is nvlink's output, machine code, and `linked`
 * points to a NULL-terminated list of the containers that were linked (link.stub of the toolkit).
 * These are the parts, with the PTX of each translation unit.
 *
 * nvcc 13 compresses with Zstandard, older versions with LZ4. Their libraries are loaded at first
 * use, so the build needs no headers, and a program built with --no-compress needs neither.
 * libzstd.so.1 is present on every Debian system, because dpkg uses it.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "base/heap.h"
#include "driver/rt/fatbin.h"

enum { WRAPPER_MAGIC = 0x466243b1, WRAPPER_LINKED = 2 };
#define MAX_CONTENTS INT32_MAX /* limit of LZ4 */

typedef struct { uint32_t magic, version; const uint8_t *data; const void *linked; } Wrapper;

/* ---- what they hold ------------------------------------------------------------------------ */

typedef size_t Zstd_decompress(void *to, size_t room, const void *from, size_t n);
typedef int Lz4_decompress(const char *from, char *to, int n, int room);

/* Returns the function that decompresses the entry; NULL if its library is not installed. */
static void *
find_decompressor(const Fatbin_entry *e)
{
	bool zstd = e->flags & FATBIN_ZSTD;
	void *library = dlopen(zstd ? "libzstd.so.1" : "liblz4.so.1", RTLD_NOW | RTLD_LOCAL);

	return library ? dlsym(library, zstd ? "ZSTD_decompress" : "LZ4_decompress_safe") : NULL;
}

bool
fatbin_unreadable(const Fatbin_entry *e)
{
	return e->flags & (FATBIN_LZ4 | FATBIN_ZSTD) && !find_decompressor(e);
}

/* Decompresses into a buffer of e->plain bytes. */
static bool
decompress_entry(const Fatbin_entry *e, char *to, const char **why)
{
	void *f = find_decompressor(e);

	*why = "its device code is compressed, and the library for that is not installed (libzstd.so.1, "
	       "liblz4.so.1): install it, or build with --no-compress";
	if (!f)
		return false;
	*why = "its compressed device code cannot be read: build with --no-compress";
	if (e->flags & FATBIN_ZSTD) {
		Zstd_decompress *zstd;
		/* as POSIX recommends: ISO C does not define this conversion */
		memcpy(&zstd, &f, sizeof zstd);
		return zstd(to, (size_t)e->plain, e->at, (size_t)e->bytes) == e->plain;
	}
	Lz4_decompress *lz4;
	memcpy(&lz4, &f, sizeof lz4);
	return lz4((const char *)e->at, to, (int)e->bytes, (int)e->plain) == (int)e->plain;
}

char *
fatbin_contents(const Fatbin_entry *e, const char **why)
{
	*why = "its device code is larger than can be";
	if (e->plain > MAX_CONTENTS || e->bytes > MAX_CONTENTS)
		return NULL;
	char *to = xmalloc((size_t)e->plain + 1);
	to[e->plain] = 0;
	if (!(e->flags & (FATBIN_LZ4 | FATBIN_ZSTD))) {
		memcpy(to, e->at, (size_t)e->plain);
		return to;
	}
	if (decompress_entry(e, to, why))
		return to;
	xfree(to);
	return NULL;
}

/* ---- a running program's ------------------------------------------------------------------- */

bool
fatbin_is(const void *p)
{
	/* compares the magic numbers as strings, because other data may be shorter */
	return !strncmp(p, "\xb1\x43\x62\x46", 4) || !strncmp(p, "\x50\xed\x55\xba", 4);
}

const void *
fatbin_part(const void *fatbin, uint32_t k)
{
	const Wrapper *w = fatbin;

	if (w->magic == FATBIN_MAGIC || w->magic != WRAPPER_MAGIC)
		return k ? NULL : fatbin;
	if (w->version != WRAPPER_LINKED)
		return k ? NULL : w->data;
	return ((const void *const *)w->linked)[k];
}

/* Returns the first entry of a part, or NULL with the reason in *why. */
static const uint8_t *
fatbin_container(const void *part, const uint8_t **end, const char **why)
{
	*why = "its device code is not in a form that is known here";
	return fatbin_open(part, SIZE_MAX, end);
}

bool
fatbin_targets(const void *part, Fatbin_visit *f, void *user, const char **why)
{
	const uint8_t *end, *at = fatbin_container(part, &end, why);
	Fatbin_entry e;

	while (at && fatbin_next(&at, end, &e))
		if (e.kind == FATBIN_PTX)
			f(user, e.arch);
	return at;
}

bool
fatbin_ptx(const void *part, uint32_t arch, const char *program, Source *src, const char **why)
{
	const uint8_t *end, *at = fatbin_container(part, &end, why);
	Fatbin_entry e = { 0 };
	char name[128];

	while (at && fatbin_next(&at, end, &e) && !(e.kind == FATBIN_PTX && e.arch == arch))
		continue;
	if (!at)
		return false;
	*why = "it has no PTX: build with -gencode arch=compute_90,code=compute_90, or with plain -arch=sm_90";
	if (e.kind != FATBIN_PTX || e.arch != arch)
		return false;
	char *text = fatbin_contents(&e, why);
	if (!text)
		return false;
	snprintf(name, sizeof name, "%s.sm_%u.ptx", program, arch);
	source_from(src, name, text, strnlen(text, (size_t)e.plain));
	xfree(text);
	return true;
}
