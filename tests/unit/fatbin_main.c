/* SPDX-License-Identifier: MIT */
/* fatbin_main -ptx | -elf | -code FILE: the device code in a fat binary, a cubin, an object, a
 * program or an archive of objects.
 *
 *	-ptx    the text of all PTX in it
 *	-elf    the sections and symbols of its machine code: lines "section NAME", "symbol NAME"
 *	-code   its instructions, lines of two words (sm_70 and later: 16 bytes); before those of
 *	        a function a line with its section
 *
 * Exit status 0: done (a file without any is done, too); 2: FILE cannot be read, or is none of
 * these; 77: it is compressed, and the library for that is not installed.
 */
#include <ar.h>
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/heap.h"
#include "driver/rt/fatbin.h"

enum { MACHINE_CUDA = 190, DONE = 0, BAD = 2, UNREADABLE = 77, MEMBER_HEADER = 60 };
typedef enum { PTX, ELF, CODE } What;
typedef struct { const uint8_t *at; size_t n; } Bytes;
typedef struct { Bytes file; Elf64_Ehdr head; } Elf; /* nothing in the file need be aligned */

static Bytes
part(Bytes b, uint64_t from, uint64_t n)
{
	return from <= b.n && n <= b.n - from ? (Bytes){ b.at + from, n } : (Bytes){ b.at, 0 };
}

static bool
bytes_begin(Bytes b, const void *text, size_t n)
{
	return b.n >= n && memcmp(b.at, text, n) == 0;
}

/* ---- ELF files ----------------------------------------------------------------------------- */

static bool
elf_open(Elf *e, Bytes file)
{
	if (file.n < sizeof e->head || !bytes_begin(file, ELFMAG, SELFMAG) ||
		file.at[EI_CLASS] != ELFCLASS64)
		return false;
	e->file = file;
	memcpy(&e->head, file.at, sizeof e->head);
	return true;
}

/* Returns an empty section if there is none. */
static Elf64_Shdr
section(const Elf *e, unsigned i)
{
	Elf64_Shdr s = { 0 };
	Bytes all = part(e->file, e->head.e_shoff, e->head.e_shnum * sizeof s);
	Bytes one = part(all, i * sizeof s, sizeof s);

	memcpy(&s, one.at, one.n);
	return s;
}

static Bytes
content(const Elf *e, Elf64_Shdr s)
{
	return s.sh_type == SHT_NOBITS ? part(e->file, 0, 0) :
					 part(e->file, s.sh_offset, s.sh_size);
}

/* The name at an offset in a table of strings. */
static const char *
name(const Elf *e, unsigned table, size_t at)
{
	Bytes strings = content(e, section(e, table));

	bool ends = at < strings.n && memchr(strings.at + at, 0, strings.n - at);
	return ends ? (const char *)strings.at + at : "";
}

static const char *
section_name(const Elf *e, Elf64_Shdr s)
{
	return name(e, e->head.e_shstrndx, s.sh_name);
}

/* ---- machine code -------------------------------------------------------------------------- */

static void
show_symbols(const Elf *e, Elf64_Shdr table)
{
	Bytes all = content(e, table);
	Elf64_Sym one;

	for (size_t at = 0; all.n - at >= sizeof one; at += sizeof one) {
		memcpy(&one, all.at + at, sizeof one);
		printf("symbol %s\n", name(e, table.sh_link, one.st_name));
	}
}

static void
show_instructions(Bytes code)
{
	uint64_t word[2];

	for (size_t at = 0; code.n - at >= sizeof word; at += sizeof word) {
		memcpy(word, code.at + at, sizeof word);
		printf("%016" PRIx64 " %016" PRIx64 "\n", word[0], word[1]);
	}
}

static int
show_elf(const Elf *e, What what)
{
	for (unsigned i = 0; i < e->head.e_shnum; i++) {
		Elf64_Shdr s = section(e, i);
		bool code = strncmp(section_name(e, s), ".text.", 6) == 0;
		if (what == ELF || code)
			printf("section %s\n", section_name(e, s));
		if (what == ELF && s.sh_type == SHT_SYMTAB)
			show_symbols(e, s);
		if (what == CODE && code)
			show_instructions(content(e, s));
	}
	return DONE;
}

/* ---- files --------------------------------------------------------------------------------- */

static int
show_entry(const Fatbin_entry *entry, What what)
{
	const char *why;
	Elf e;
	int status = BAD;
	char *text = fatbin_contents(entry, &why);

	if (!text) {
		fprintf(stderr, "fatbin_main: %s\n", why);
		return fatbin_unreadable(entry) ? UNREADABLE : BAD;
	}
	if (what == PTX)
		status = puts(text) < 0 ? BAD : DONE;
	else if (elf_open(&e, (Bytes){ (const uint8_t *)text, (size_t)entry->plain }))
		status = show_elf(&e, what);
	xfree(text);
	return status;
}

/* Consecutive containers, as the linker places those of several objects. */
static int
show_containers(Bytes b, What what)
{
	uint32_t wanted = what == PTX ? FATBIN_PTX : FATBIN_ELF;
	const uint8_t *end = b.at + b.n, *behind;
	int status = DONE;
	Fatbin_entry e;

	for (const uint8_t *p = b.at; end - p >= 8 && status == DONE;) {
		const uint8_t *at = fatbin_open(p, (size_t)(end - p), &behind);
		p += 8; /* padding between two containers */
		if (!at)
			continue;
		while (status == DONE && fatbin_next(&at, behind, &e))
			status = e.kind == wanted ? show_entry(&e, what) : DONE;
		p = behind;
	}
	return status;
}

/* A cubin, or an object or a program: .nv_fatbin, and __nv_relfatbin in what nvcc -dc makes. */
static int
show_object(const Elf *e, What what)
{
	int status = DONE;

	if (e->head.e_machine == MACHINE_CUDA)
		return what == PTX ? DONE : show_elf(e, what);
	for (unsigned i = 0; i < e->head.e_shnum && status == DONE; i++) {
		Elf64_Shdr s = section(e, i);
		const char *is = section_name(e, s);
		if (strcmp(is, ".nv_fatbin") == 0 || strcmp(is, "__nv_relfatbin") == 0)
			status = show_containers(content(e, s), what);
	}
	return status;
}

/* The objects of an archive. */
static int
show_archive(Bytes b, What what)
{
	size_t at = SARMAG;
	char size[11] = "";
	int status = DONE;
	Elf e;

	while (b.n - at >= MEMBER_HEADER && status == DONE) {
		memcpy(size, b.at + at + 48, 10);
		size_t n = strtoul(size, NULL, 10);
		at += MEMBER_HEADER;
		if (n > b.n - at)
			return BAD;
		if (elf_open(&e, part(b, at, n)))
			status = show_object(&e, what);
		at += n + n % 2;
		at = at < b.n ? at : b.n;
	}
	return status;
}

static int
show_file(Bytes b, What what)
{
	const uint8_t *end;
	Elf e;

	if (elf_open(&e, b))
		return show_object(&e, what);
	if (bytes_begin(b, ARMAG, SARMAG))
		return show_archive(b, what);
	return fatbin_open(b.at, b.n, &end) ? show_containers(b, what) : BAD;
}

int
main(int argc, char **argv)
{
	static const char *const options[] = { [PTX] = "-ptx", [ELF] = "-elf", [CODE] = "-code" };
	const char *why = "usage: fatbin_main -ptx | -elf | -code FILE";
	What what = PTX;
	Source src;

	while (argc == 3 && what <= CODE && strcmp(argv[1], options[what]) != 0)
		what++;
	if (argc != 3 || what > CODE || !source_read(&src, argv[2], &why)) {
		fprintf(stderr, "%s\n", why);
		return BAD;
	}
	int status = show_file((Bytes){ (const uint8_t *)src.text, src.len }, what);
	if (status == BAD)
		fprintf(stderr, "fatbin_main: '%s' holds no device code, or is damaged\n", argv[2]);
	source_release(&src);
	return status;
}
