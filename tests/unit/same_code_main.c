/* SPDX-License-Identifier: MIT */
/* same_code_main A B: whether two cubins have the same code and data.
 *
 * Compares the sections that a GPU runs or reads (.text, .nv.constant, .nv.global, .nv.shared,
 * .nv.info, .rel) byte by byte and leaves out those that describe the source: with -g or -lineinfo
 * ptxas copies the PTX's own text and lines there. Exit status 0: the same; 1: not, and the first
 * section that differs is named; 2: unreadable.
 */
#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CUDA_INFO = 0x70000000 }; /* sh_type of .nv.info */

typedef struct {
	char *at;
	size_t n;
	const Elf64_Shdr *sections;
	unsigned count;
	const char *names;
} Cubin;

static bool
open_cubin(Cubin *c, const char *path)
{
	FILE *f = fopen(path, "rb");

	if (!f)
		return false;
	fseek(f, 0, SEEK_END);
	c->n = (size_t)ftell(f);
	rewind(f);
	c->at = malloc(c->n + 1);
	bool ok = c->at && fread(c->at, 1, c->n, f) == c->n && c->n > sizeof(Elf64_Ehdr) &&
		memcmp(c->at, ELFMAG, SELFMAG) == 0;
	fclose(f);
	if (!ok)
		return false;
	const Elf64_Ehdr *e = (const void *)c->at;
	if (e->e_shoff > c->n || e->e_shnum > (c->n - e->e_shoff) / sizeof(Elf64_Shdr) ||
		e->e_shstrndx >= e->e_shnum)
		return false;
	c->sections = (const void *)(c->at + e->e_shoff);
	c->count = e->e_shnum;
	c->names = c->at + c->sections[e->e_shstrndx].sh_offset;
	return true;
}

static bool
matters(const char *name)
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
	while (i < c->count && !matters(c->names + c->sections[i].sh_name))
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
	if (s->sh_offset > a->n || s->sh_size > a->n - s->sh_offset || t->sh_offset > b->n ||
		t->sh_size > b->n - t->sh_offset)
		return false;
	return memcmp(a->at + s->sh_offset, b->at + t->sh_offset, s->sh_size) == 0;
}

/* Prints the first difference and returns false if there is one. */
static bool
compare_cubins(const Cubin *a, const Cubin *b, const char *name)
{
	unsigned i = next_section(a, 0), k = next_section(b, 0);

	for (; i < a->count && k < b->count;
		i = next_section(a, i + 1), k = next_section(b, k + 1)) {
		if (sections_are_equal(a, &a->sections[i], b, &b->sections[k]))
			continue;
		printf("%s: section %s differs\n", name, a->names + a->sections[i].sh_name);
		return false;
	}
	if (i < a->count || k < b->count)
		printf("%s: one file has more sections\n", name);
	return i == a->count && k == b->count;
}

int
main(int argc, char **argv)
{
	Cubin a = { 0 }, b = { 0 };
	int status = 2;

	if (argc == 3 && open_cubin(&a, argv[1]) && open_cubin(&b, argv[2]))
		status = compare_cubins(&a, &b, argv[1]) ? 0 : 1;
	else
		fprintf(stderr, "usage: same_code_main A.cubin B.cubin\n");
	free(a.at);
	free(b.at);
	return status;
}
