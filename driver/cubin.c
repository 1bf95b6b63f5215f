/* SPDX-License-Identifier: MIT */
/* Compares machine code. See cubin.h. */
#define _GNU_SOURCE /* memmem */
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
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
starts_with(const char *name, const char *prefix)
{
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

static bool
is_compared(const char *name)
{
	static const char *const kinds[] = { ".text", ".nv.constant", ".nv.global", ".nv.shared",
		".nv.info", ".rel.text", ".rela.text", ".rel.nv.", ".rela.nv." };

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (starts_with(name, kinds[i]))
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

/* ---- attributes ------------------------------------------------------------------------------ */

/* The format is undocumented: each attribute has a byte that gives the form, one that names it, and
 * a number of 16 bits, which in form 4 is the number of bytes that follow. */
enum { FORM_NUMBER = 3, FORM_BYTES };
enum { MAX_THREADS = 0x05, REQUIRED_THREADS = 0x10, MAX_REGISTERS = 0x1b, REGISTERS = 0x2f };

typedef struct { uint8_t form, name; uint16_t number; } Attribute;

/* Calls f for each attribute of a section, with the bytes that follow, until it returns nonzero.
 * Returns that, else 0. */
typedef uint32_t Attribute_reader(const Attribute *a, const char *bytes, uint32_t wanted);

static uint32_t
read_attributes(const Cubin *c, const char *section, Attribute_reader *f, uint32_t wanted)
{
	uint32_t found = 0;
	Attribute a;

	for (unsigned k = 0; k < c->count; k++) {
		const Elf64_Shdr *s = &c->sections[k];
		if (strcmp(c->names + s->sh_name, section) != 0 || !is_inside(c, s))
			continue;
		for (size_t i = 0, n; !found && i + sizeof a <= s->sh_size; i += sizeof a + n) {
			const char *at = c->at + s->sh_offset + i;
			memcpy(&a, at, sizeof a);
			n = a.form == FORM_BYTES ? a.number : 0;
			if (n <= s->sh_size - i - sizeof a)
				found = f(&a, at + sizeof a, wanted);
		}
	}
	return found;
}

static uint32_t
read_limit(const Attribute *a, const char *bytes, uint32_t unused)
{
	enum { NO_LIMIT = 0xff };

	(void)bytes, (void)unused;
	return a->form == FORM_NUMBER && a->name == MAX_REGISTERS && a->number != NO_LIMIT ?
		a->number :
		0;
}

static uint32_t
read_bounds(const Attribute *a, const char *bytes, uint32_t unused)
{
	(void)bytes, (void)unused;
	return a->form == FORM_BYTES && (a->name == MAX_THREADS || a->name == REQUIRED_THREADS);
}

static uint32_t
read_registers(const Attribute *a, const char *bytes, uint32_t symbol)
{
	uint32_t of[2] = { 0 }; /* the symbol and its number of registers */

	if (a->form != FORM_BYTES || a->name != REGISTERS || a->number != sizeof of)
		return 0;
	memcpy(of, bytes, sizeof of);
	return of[0] == symbol ? of[1] : 0;
}

unsigned
cubin_register_limit(const char *at, size_t len)
{
	unsigned limit = 0;
	Cubin c;

	if (!open_cubin(&c, at, len))
		return 0;
	for (unsigned i = 0; i < c.count; i++) {
		const char *name = c.names + c.sections[i].sh_name;
		unsigned one = starts_with(name, ".nv.info.") ?
			read_attributes(&c, name, read_limit, 0) :
			0;
		if (one && limit && one != limit)
			return 0;
		limit = one ? one : limit;
	}
	return limit;
}

/* Returns the registers of a function, in the units in which a GPU allocates them; 0 if they are
 * unknown. */
static uint32_t
registers_of(const Cubin *c, const char *text)
{
	enum { SYMBOL = 0xffffff };
	uint32_t n = 0;

	for (unsigned i = 0; i < c->count; i++)
		if (strcmp(c->names + c->sections[i].sh_name, text) == 0)
			n = read_attributes(
				c, ".nv.info", read_registers, c->sections[i].sh_info & SYMBOL);
	return (n + 7) / 8 * 8;
}

/* Returns the warps of the largest block of threads with that number of registers. Each part of a
 * multiprocessor has registers of its own; a block takes the same number of warps in each. */
static uint32_t
largest_block(uint32_t registers, unsigned arch)
{
	enum { REGISTERS_OF_LANE = 65536 / 32, MOST = 1024 / 32 };
	uint32_t parts = arch == 60 ? 2 : 4, warps = REGISTERS_OF_LANE / parts / registers * parts;

	return warps < MOST ? warps : MOST;
}

bool
cubin_launches_as(
	const char *at, size_t len, const char *other, size_t other_len, unsigned arch)
{
	char info[1024];
	Cubin c, o;

	if (!open_cubin(&c, at, len) || !open_cubin(&o, other, other_len))
		return false;
	for (unsigned i = 0; i < c.count; i++) {
		const char *name = c.names + c.sections[i].sh_name;
		if (!starts_with(name, ".text."))
			continue;
		uint32_t now = registers_of(&c, name), before = registers_of(&o, name);
		int n = snprintf(info, sizeof info, ".nv.info.%s", name + strlen(".text."));
		bool bounded = n < (int)sizeof info && read_attributes(&c, info, read_bounds, 0);
		if (!bounded && before && now > before &&
			largest_block(now, arch) < largest_block(before, arch))
			return false;
	}
	return true;
}

bool
cubin_code_is_in(const char *at, size_t len, const char *bytes, size_t n)
{
	bool any = false;
	Cubin c;

	if (!open_cubin(&c, at, len))
		return false;
	for (unsigned i = 0; i < c.count; i++) {
		const Elf64_Shdr *s = &c.sections[i];
		if (!starts_with(c.names + s->sh_name, ".text."))
			continue;
		if (!is_inside(&c, s) || !s->sh_size ||
			!memmem(bytes, n, at + s->sh_offset, s->sh_size))
			return false;
		any = true;
	}
	return any;
}
