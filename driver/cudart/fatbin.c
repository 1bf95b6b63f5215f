/* The PTX in a fat binary, as nvcc embeds it.
 *
 * A wrapper { magic, version, data, ... } (fatbinary_section.h of the toolkit) points to a container: a header of 16 bytes
 * { magic, version, header's bytes, bytes behind it }, then entries, each with a header of its own. The layout of entries
 * is not documented; the fields used here, as nvcc 11 to 13 write them:
 *
 *	 0 u16 kind: 1 PTX, 2 ELF        16 u32 bytes when compressed         40 u64 flags: 0x2000 LZ4, 0x8000 Zstandard
 *	 4 u32 bytes of this header      28 u32 architecture: 90              56 u64 bytes when not compressed
 *	 8 u64 bytes of what follows
 *
 * nvcc 13 compresses by Zstandard, older ones by LZ4. Their libraries are loaded when they are first needed: every Debian
 * and its kin has libzstd.so.1 (dpkg itself uses it), the build needs no headers, and a program that was built with
 * --no-compress needs neither.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "driver/cudart/cudart.h"

enum { WRAPPER_MAGIC = 0x466243b1, WRAPPER_LINKED = 2, KIND_PTX = 1, FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };
#define FATBIN_MAGIC 0xba55ed50u
#define MAX_PTX (UINT32_C(1) << 31)

typedef struct { uint32_t magic, version; const uint8_t *data; const void *linked; } Wrapper;
typedef struct { uint32_t kind, arch; uint64_t flags, bytes, plain; const uint8_t *at; } Entry;

static uint64_t
get(const uint8_t *p, size_t n)
{
	uint64_t v = 0;
	memcpy(&v, p, n); /* the machines that run CUDA programs are little-endian */
	return v;
}

/* The container's data; NULL: *why says what it is instead. */
static const uint8_t *
container(const Wrapper *w, const uint8_t **end, const char **why)
{
	const uint8_t *d = w->data;
	*why = "its device code is not in a form that is known here";
	if (w->magic != WRAPPER_MAGIC || get(d, 4) != FATBIN_MAGIC)
		return NULL;
	*why = "it holds linked device code only: build it without -rdc=true (CMake: CUDA_SEPARABLE_COMPILATION OFF)";
	if (w->version == WRAPPER_LINKED)
		return NULL;
	*end = d + get(d + 6, 2) + get(d + 8, 8);
	return d + get(d + 6, 2);
}

/* The entry at *at, which it passes. */
static bool
next(const uint8_t **at, const uint8_t *end, Entry *e)
{
	const uint8_t *p = *at;
	if (end - p < 64)
		return false;
	uint64_t header = get(p + 4, 4), size = get(p + 8, 8);
	if (header < 24 || header > (uint64_t)(end - p) || size > (uint64_t)(end - p) - header)
		return false;
	*e = (Entry){ .kind = (uint32_t)get(p, 2), .arch = (uint32_t)get(p + 28, 4), .at = p + header, .bytes = size, .plain = size };
	if (header >= 64) {
		e->flags = get(p + 40, 8);
		if (e->flags & (FLAG_LZ4 | FLAG_ZSTD)) {
			e->bytes = get(p + 16, 4);
			e->plain = get(p + 56, 8);
		}
	}
	*at = p + header + size;
	return e->bytes <= size;
}

bool
fatbin_targets(const void *wrapper, Fatbin_visit *f, void *user, const char **why)
{
	const uint8_t *end, *at = container(wrapper, &end, why);
	Entry e;
	while (at && next(&at, end, &e))
		if (e.kind == KIND_PTX)
			f(user, e.arch);
	return at;
}

typedef size_t Zstd_decompress(void *to, size_t room, const void *from, size_t n);
typedef int Lz4_decompress(const char *from, char *to, int n, int room);

static void *
load(const char *library, const char *name)
{
	void *l = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	return l ? dlsym(l, name) : NULL;
}

/* Decompresses into room for e->plain bytes. */
static bool
expand(const Entry *e, char *to, const char **why)
{
	void *f;
	*why = "its PTX is compressed, and the library for that is not installed (libzstd.so.1, liblz4.so.1): install it, or "
		"build with --no-compress";
	if (e->flags & FLAG_ZSTD) {
		Zstd_decompress *zstd;
		if (!(f = load("libzstd.so.1", "ZSTD_decompress")))
			return false;
		memcpy(&zstd, &f, sizeof zstd); /* as POSIX has it: ISO C knows no such conversion */
		*why = "its compressed PTX cannot be read: build with --no-compress";
		return zstd(to, (size_t)e->plain, e->at, (size_t)e->bytes) == e->plain;
	}
	Lz4_decompress *lz4;
	if (!(f = load("liblz4.so.1", "LZ4_decompress_safe")))
		return false;
	memcpy(&lz4, &f, sizeof lz4);
	*why = "its compressed PTX cannot be read: build with --no-compress";
	return lz4((const char *)e->at, to, (int)e->bytes, (int)e->plain) == (int)e->plain;
}

bool
fatbin_ptx(const void *wrapper, uint32_t arch, const char *program, Source *src, const char **why)
{
	const uint8_t *end, *at = container(wrapper, &end, why);
	Entry e = {0};
	char name[128];
	while (at && next(&at, end, &e) && !(e.kind == KIND_PTX && e.arch == arch))
		continue;
	if (!at)
		return false;
	*why = "it has no PTX: build with -gencode arch=compute_90,code=compute_90, or with plain -arch=sm_90";
	if (e.kind != KIND_PTX || e.arch != arch || e.plain > MAX_PTX)
		return false;
	snprintf(name, sizeof name, "%s.sm_%u.ptx", program, arch);
	if (!(e.flags & (FLAG_LZ4 | FLAG_ZSTD))) {
		source_from(src, name, (const char *)e.at, strnlen((const char *)e.at, (size_t)e.bytes));
		return true;
	}
	char *text = xmalloc((size_t)e.plain + 1);
	bool ok = expand(&e, text, why);
	if (ok)
		source_from(src, name, text, strnlen(text, (size_t)e.plain));
	xfree(text);
	return ok;
}
