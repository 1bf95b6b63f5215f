/* SPDX-License-Identifier: MIT */
/* Parses, fills, lays out and hashes kernel arguments. See args.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/source.h"
#include "driver/args.h"

/* ---- parsing --------------------------------------------------------------------------------- */

/* Parses the unsigned number, in C notation, at the start of s. Returns false if there is none
 * or it exceeds most. */
static bool
read_number(const char *s, uint64_t most, const char **end, uint64_t *to)
{
	char *behind;
	errno = 0;
	*to = strtoull(s, &behind, 0);
	*end = behind;
	return *s >= '0' && *s <= '9' && !errno && *to <= most;
}

bool
arg_number(uint64_t *to, const char *s, uint64_t most)
{
	const char *end;
	return read_number(s, most, &end, to) && !*end;
}

/* Applies CUDA's limits for grids; the limits for blocks are lower. */
bool
arg_dims(uint32_t d[3], const char *s)
{
	static const uint32_t most[3] = { INT32_MAX, UINT16_MAX, UINT16_MAX };
	uint64_t n = 0;
	for (int i = 0; i < 3; i++) {
		d[i] = 1;
		if (i && !*s)
			continue;
		if (!read_number(s, most[i], &s, &n) || !n || (*s && (*s++ != ',' || !*s)))
			return false;
		d[i] = (uint32_t)n;
	}
	return !*s;
}

typedef enum {
	FILL_ZERO, FILL_INDEX, FILL_VALUE, FILL_RANDOM, FILL_BELOW, FILL_F64, FILL_F32, FILL_NONE,
	FILL_FILE, FILL_COUNT
} Fill;
/* Names of the fills, and how many numbers may follow each. */
static const struct { const char *name; int numbers; } fills[FILL_COUNT] = {
	{ "zero", 0 }, { "index", 1 }, { "fill", 1 }, { "rand", 1 }, { "mod", 2 }, { "real64", 1 },
	{ "real", 1 }, { "none", 0 }, { "file", 0 }
};

/* Returns FILL_COUNT if there is no fill of that name. */
static Fill
fill_kind(const char *s)
{
	size_t n = strcspn(s, ":"), k = 0;
	while (k < FILL_COUNT && (strlen(fills[k].name) != n || memcmp(s, fills[k].name, n) != 0))
		k++;
	return (Fill)k;
}

static bool
fill_valid(const char *s)
{
	Fill kind = fill_kind(s);
	uint64_t n;
	if (kind == FILL_COUNT)
		return false;
	s += strlen(fills[kind].name);
	if (kind == FILL_FILE)
		return *s == ':';
	for (int k = 0; k < fills[kind].numbers && *s; k++)
		if (!read_number(s + 1 + (kind == FILL_VALUE && s[1] == '-'), UINT64_MAX, &s, &n))
			return false;
	return !*s;
}

static bool
parse_buffer(Arg *a, const char *s)
{
	a->buffer = true;
	a->size = 8;
	bool ok = read_number(s, UINT64_MAX, &s, &a->bytes);
	a->fill = *s == ':' ? s + 1 : "zero";
	return ok && (*s == ':' || !*s) && fill_valid(a->fill);
}

static bool
parse_float(Arg *a, const char *s)
{
	char *end;
	double x = strtod(s, &end);
	float f = (float)x;
	if (a->size == 4)
		memcpy(&a->bits, &f, 4);
	else
		memcpy(&a->bits, &x, 8);
	return end != s && !*end;
}

/* Negative values are stored as two's complement; u types do not allow them. */
static bool
parse_scalar(Arg *a, const char *type, const char *s)
{
	a->size = (uint32_t)strtoul(type + 1, NULL, 10) / 8;
	if (type[0] == 'f')
		return parse_float(a, s);
	bool minus = *s == '-' && type[0] != 'u';
	uint64_t all = UINT64_MAX >> (64 - 8 * a->size), high = all / 2 + 1;
	if (!arg_number(&a->bits, s + minus, minus ? high : type[0] == 's' ? all / 2 : all))
		return false;
	if (minus)
		a->bits = 0 - a->bits;
	return true;
}

bool
arg_parse(Arg *a, const char *s)
{
	static const char *const types[] = { "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64",
		"f32", "f64", "b32", "b64" };
	const char *value = strchr(s, ':');
	*a = (Arg){ .label = s };
	if (!value)
		return false;
	if (!strncmp(s, "buf:", 4))
		return parse_buffer(a, value + 1);
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (!strncmp(s, types[i], (size_t)(value - s)) &&
			strlen(types[i]) == (size_t)(value - s))
			return parse_scalar(a, types[i], value + 1);
	return false;
}

/* ---- filling --------------------------------------------------------------------------------- */

static uint32_t
next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33);
}

/* Returns the number after the k-th colon of a fill, `none` if it is absent. */
static uint64_t
fill_field(const char *fill, int k, uint64_t none)
{
	while (fill && k-- > 0) {
		fill = strchr(fill, ':');
		fill = fill ? fill + 1 : NULL;
	}
	return fill ? strtoull(fill, NULL, 0) : none;
}

bool arg_unwritten(const Arg *a) { return a->buffer && fill_kind(a->fill) == FILL_NONE; }

/* Reads the first bytes of a file. */
static const char *
fill_from_file(const Arg *a, uint8_t *to)
{
	Source src;
	const char *why;
	if (!source_read(&src, a->fill + 5, &why))
		return why;
	memcpy(to, src.text, src.len < a->bytes ? src.len : (size_t)a->bytes);
	source_release(&src);
	return NULL;
}

const char *
arg_fill(const Arg *a, uint8_t *to)
{
	Fill kind = fill_kind(a->fill);
	if (kind == FILL_FILE)
		return fill_from_file(a, to);
	uint64_t state = fill_field(a->fill, kind == FILL_BELOW ? 2 : 1, 1),
		 m = fill_field(a->fill, 1, 1), size = kind == FILL_F64 ? 8 : 4;
	for (uint64_t k = 0; k + size <= a->bytes && kind != FILL_ZERO && kind != FILL_NONE;
		k += size) {
		uint32_t v = kind == FILL_INDEX ? (uint32_t)(k / 4 * m) :
			kind == FILL_VALUE      ? (uint32_t)m :
						  next_random(&state);
		if (kind >= FILL_BELOW)
			v %= kind == FILL_BELOW ? (uint32_t)(m ? m : 1) : 1000;
		float f = (float)v;
		double d = v;
		memcpy(to + k,
			kind == FILL_F64         ? (const void *)&d :
				kind == FILL_F32 ? (const void *)&f :
						   (const void *)&v,
			size);
	}
	return NULL;
}

/* ---- after the fill -------------------------------------------------------------------------- */

const char *
args_lay_out(
	const Arg *args, uint32_t nargs, const Arg_place *places, uint32_t nplaces, uint8_t *params)
{
	uint32_t n = 0, used = 0;
	Arg_place at = {0};
	for (uint32_t i = 0; i < nargs; i++) {
		const Arg *a = &args[i];
		used = (used + a->size - 1) / a->size * a->size;
		if (used >= at.size) {
			if (n == nplaces)
				return "too many arguments for";
			at = places[n++];
			used = 0;
		}
		if (a->size > at.size - used)
			return "an argument is larger than its parameter in";
		memcpy(params + at.offset + used, &a->bits, a->size);
		used += a->size;
	}
	return n == nplaces ? NULL : "too few arguments for";
}

uint64_t
arg_hash(const uint8_t *p, uint64_t n)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	uint64_t i = 0;
	for (uint64_t v; i + 8 <= n; i += 8) {
		memcpy(&v, p + i, 8);
		h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 32;
	}
	for (; i < n; i++)
		h = (h ^ p[i]) * UINT64_C(0x100000001b3);
	return h;
}
