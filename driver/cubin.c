/* SPDX-License-Identifier: MIT */
/* Compares machine code. See cubin.h. */
#include <elf.h>
#include <string.h>
#include "driver/cubin.h"

enum { CUDA_INFO = 0x70000000 }; /* sh_type of .nv.info */

typedef struct {
	const char *at;
	size_t n;
	const Elf64_Shdr *sections;
	unsigned count;
	const char *names;
} Cubin;

static bool
is_inside(const Cubin *c, const Elf64_Shdr *s)
{
	return s->sh_offset <= c->n && s->sh_size <= c->n - s->sh_offset;
}

static bool
open_cubin(Cubin *c, const char *at, size_t n)
{
	const Elf64_Ehdr *e = (const void *)at;

	*c = (Cubin){ .at = at, .n = n };
	if (n < sizeof *e || memcmp(at, ELFMAG, SELFMAG) != 0 || e->e_shoff > n ||
		e->e_shoff % sizeof(void *) ||
		e->e_shnum > (n - e->e_shoff) / sizeof(Elf64_Shdr) || e->e_shstrndx >= e->e_shnum)
		return false;
	c->sections = (const void *)(at + e->e_shoff);
	c->count = e->e_shnum;
	const Elf64_Shdr *names = &c->sections[e->e_shstrndx];
	if (!is_inside(c, names) || !names->sh_size ||
		at[names->sh_offset + names->sh_size - 1] != '\0')
		return false;
	c->names = at + names->sh_offset;
	for (unsigned i = 0; i < c->count; i++)
		if (c->sections[i].sh_name >= names->sh_size)
			return false;
	return true;
}

static bool
is_compared(const char *name)
{
	static const char *const kinds[] = { ".text", ".nv.constant", ".nv.global", ".nv.shared",
		".nv.info", ".rel.text", ".rela.text", ".rel.nv.", ".rela.nv." };

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strncmp(name, kinds[i], strlen(kinds[i])) == 0)
			return true;
	return false;
}

/* Returns the next compared section at or after i; c->count at the end. */
static unsigned
next_section(const Cubin *c, unsigned i)
{
	while (i < c->count && !is_compared(c->names + c->sections[i].sh_name))
		i++;
	return i;
}

static bool
sections_are_equal(const Cubin *a, const Elf64_Shdr *s, const Cubin *b, const Elf64_Shdr *t)
{
	if (strcmp(a->names + s->sh_name, b->names + t->sh_name) != 0 || s->sh_size != t->sh_size ||
		s->sh_type != t->sh_type)
		return false;
	if (s->sh_type != SHT_PROGBITS && s->sh_type != SHT_REL && s->sh_type != SHT_RELA &&
		s->sh_type != CUDA_INFO)
		return true; /* no bytes in the file */
	return is_inside(a, s) && is_inside(b, t) &&
		memcmp(a->at + s->sh_offset, b->at + t->sh_offset, s->sh_size) == 0;
}

bool
cubins_are_equal(const char *a, size_t a_len, const char *b, size_t b_len, const char **section)
{
	Cubin x, y;

	*section = NULL;
	if (!open_cubin(&x, a, a_len) || !open_cubin(&y, b, b_len))
		return false;
	for (unsigned i = 0, k = 0;; i++, k++) {
		i = next_section(&x, i);
		k = next_section(&y, k);
		if (i == x.count && k == y.count)
			return true;
		if (i == x.count || k == y.count ||
			!sections_are_equal(&x, &x.sections[i], &y, &y.sections[k])) {
			*section = i < x.count ? x.names + x.sections[i].sh_name :
						 y.names + y.sections[k].sh_name;
			return false;
		}
	}
}

/* Returns the limit in the attributes of a function; 0 if there is none. The format is
 * undocumented: each attribute has a byte that gives the form, one that names it, and a number of
 * 16 bits, which in form 4 is the number of bytes that follow. */
static unsigned
limit_of_function(const unsigned char *at, size_t n)
{
	enum { MAX_REGISTERS = 0x1b, NO_LIMIT = 0xff, FORM_NUMBER = 3, FORM_BYTES };
	unsigned limit = 0;

	for (size_t i = 0; i + 4 <= n;) {
		unsigned value = at[i + 2] | (unsigned)at[i + 3] << 8;
		if (at[i] == FORM_NUMBER && at[i + 1] == MAX_REGISTERS && value != NO_LIMIT)
			limit = value;
		i += 4 + (at[i] == FORM_BYTES ? value : 0);
	}
	return limit;
}

unsigned
cubin_register_limit(const char *at, size_t len)
{
	static const char prefix[] = ".nv.info.";
	unsigned limit = 0;
	Cubin c;

	if (!open_cubin(&c, at, len))
		return 0;
	for (unsigned i = 0; i < c.count; i++) {
		const Elf64_Shdr *s = &c.sections[i];
		if (strncmp(c.names + s->sh_name, prefix, sizeof prefix - 1) != 0 ||
			!is_inside(&c, s))
			continue;
		unsigned one = limit_of_function(
			(const unsigned char *)at + s->sh_offset, s->sh_size);
		if (one && limit && one != limit)
			return 0;
		limit = one ? one : limit;
	}
	return limit;
}
