/* SPDX-License-Identifier: MIT */
/* Unit tests of driver/cubin.c: hand-made cubins, equal, different and damaged; their registers. */
#include <elf.h>
#include <string.h>
#include "driver/cubin.h"
#include "tests/unit/test.h"

enum { SECTIONS = 4, CODE = 1, LINES, NAMES };

/* A cubin with machine code, line information and the names of sections. */
typedef struct {
	Elf64_Ehdr head;
	Elf64_Shdr section[SECTIONS];
	char code[16], lines[16], names[32];
} Cubin;

static const char names[] = "\0.text.k\0.debug_line\0.shstrtab";

static Elf64_Shdr
section(const char *name, size_t at, size_t n)
{
	uint32_t where = 0;

	while (strcmp(names + where, name) != 0)
		where += (uint32_t)strlen(names + where) + 1;
	return (Elf64_Shdr){
		.sh_name = where, .sh_type = SHT_PROGBITS, .sh_offset = at, .sh_size = n
	};
}

static Cubin
make(const char *code, const char *lines)
{
	Cubin c = { .head = { .e_shoff = offsetof(Cubin, section),
			    .e_shnum = SECTIONS,
			    .e_shstrndx = NAMES } };

	memcpy(c.head.e_ident, ELFMAG, SELFMAG);
	c.section[CODE] = section(".text.k", offsetof(Cubin, code), sizeof c.code);
	c.section[LINES] = section(".debug_line", offsetof(Cubin, lines), sizeof c.lines);
	c.section[NAMES] = section(".shstrtab", offsetof(Cubin, names), sizeof c.names);
	strncpy(c.code, code, sizeof c.code - 1);
	strncpy(c.lines, lines, sizeof c.lines - 1);
	memcpy(c.names, names, sizeof names);
	return c;
}

/* Compares a cubin with one whose code is "add". Returns the section that differs; "" if none does,
 * NULL if one cannot be read. */
static const char *
difference(const Cubin *c, size_t len)
{
	Cubin add = make("add", "1");
	const char *found;

	return cubins_are_equal((const char *)&add, sizeof add, (const char *)c, len, &found) ?
		"" :
		found;
}

static bool
differs_in(const Cubin *c, const char *wanted)
{
	const char *found = difference(c, sizeof *c);

	return found && strcmp(found, wanted) == 0;
}

static void
test_equal(void)
{
	Cubin c = make("add", "1");

	CHECK("the same", differs_in(&c, ""));
	c = make("add", "2");
	CHECK("other lines", differs_in(&c, ""));
	c = make("fma", "1");
	CHECK("other code", differs_in(&c, ".text.k"));
	c = make("add", "1");
	c.section[CODE].sh_size = 8;
	CHECK("shorter code", differs_in(&c, ".text.k"));
	c = make("add", "1");
	c.section[CODE].sh_name = c.section[LINES].sh_name;
	CHECK("no code", differs_in(&c, ".text.k"));
}

static void
test_damaged(void)
{
	const Cubin good = make("add", "1");
	Cubin c = good;

	CHECK("cut off", !difference(&c, sizeof c.head - 1));
	c.head.e_ident[0] = 0;
	CHECK("no ELF file", !difference(&c, sizeof c));
	c = good;
	c.head.e_shnum = 200;
	CHECK("too many sections", !difference(&c, sizeof c));
	c = good;
	c.head.e_shstrndx = SECTIONS;
	CHECK("no section of names", !difference(&c, sizeof c));
	c = good;
	c.section[CODE].sh_name = sizeof c.names;
	CHECK("a name beyond the end", !difference(&c, sizeof c));
	c = good;
	c.section[NAMES].sh_offset = sizeof c;
	CHECK("names beyond the end", !difference(&c, sizeof c));
	c = good;
	c.section[CODE].sh_offset = UINT64_MAX;
	CHECK("code beyond the end", differs_in(&c, ".text.k"));
}

/* The limit of a cubin whose two sections are the attributes of functions. */
static unsigned
limit(const void *first, const void *second)
{
	Cubin c = make("", "");

	memcpy(c.names + 1, ".nv.info.k\0.nv.info.m", 22);
	c.section[CODE].sh_name = 1;
	c.section[LINES].sh_name = 12;
	memcpy(c.code, first, sizeof c.code);
	memcpy(c.lines, second, sizeof c.lines);
	return cubin_register_limit((const char *)&c, sizeof c);
}

static void
test_limit(void)
{
	static const unsigned char limited[16] = { 4, 0x37, 4, 0, 3, 0x1b, 9, 9, 3, 0x1b, 24, 0 },
				   other[16] = { 3, 0x1b, 32, 0 }, none[16] = { 3, 0x1b, 0xff, 0 },
				   longer[16] = { 4, 0x37, 0xff, 0xff };

	CHECK("a register limit", limit(limited, limited) == 24);
	CHECK("two limits", limit(limited, other) == 0);
	CHECK("a limit of one function", limit(limited, none) == 24);
	CHECK("no limit", limit(none, none) == 0);
	CHECK("an attribute beyond the end", limit(longer, longer) == 0);
	CHECK("no limit of what is no cubin", cubin_register_limit("text", 4) == 0);
}

/* Whether a kernel can be launched as one with other registers. bounds: it has launch bounds. */
static bool
launches_on(unsigned arch, unsigned registers, unsigned before, bool bounds)
{
	static const char listed[] = "\0.text.k\0.nv.info.k\0.nv.info";
	Cubin c[2] = { make("", ""), make("", "") };

	for (int i = 0; i < 2; i++) {
		uint32_t n = i ? before : registers, of[3] = { 0x2f04 | 8 << 16, 7, n };
		memset(c[i].code, 0, sizeof c[i].code);
		memcpy(c[i].names, listed, sizeof listed);
		memcpy(c[i].lines, of, sizeof of);
		memcpy(c[i].code, bounds ? "\4\5" : "\4\6", 2);
		c[i].section[0] = (Elf64_Shdr){ .sh_name = 1, .sh_info = 7 };
		c[i].section[CODE].sh_name = 9;
		c[i].section[LINES].sh_name = 20;
		c[i].section[LINES].sh_size = sizeof of;
		c[i].section[NAMES].sh_size = sizeof listed;
	}
	return cubin_launches_as(
		(const char *)&c[0], sizeof c[0], (const char *)&c[1], sizeof c[1], arch);
}

static bool
launches(unsigned registers, unsigned before, bool bounds)
{
	return launches_on(90, registers, before, bounds);
}

static void
test_launches(void)
{
	CHECK("more registers", !launches(80, 72, false));
	CHECK("more, with launch bounds", launches(80, 72, true));
	CHECK("more, as they are allocated", launches(80, 73, false));
	CHECK("more, for any block", launches(64, 40, false));
	CHECK("as many", launches(96, 96, false));
	CHECK("more, with as many warps in each part", launches(128, 100, false));
	CHECK("fewer warps in each part", !launches(129, 100, false));
	CHECK("more, in two parts", !launches_on(60, 128, 100, false));
	CHECK("unknown", launches(96, 0, false));
	CHECK("no cubin", !cubin_launches_as("text", 4, "text", 4, 90));
}

static void
test_code_is_in(void)
{
	Cubin a = make("same", ""), b = make("same", "x"), c = make("else", "");
	char all[sizeof a + 1] = "s";

	memcpy(all + 1, &a, sizeof a);
	CHECK("its own code", cubin_code_is_in((char *)&b, sizeof b, all, sizeof all));
	CHECK("other code", !cubin_code_is_in((char *)&c, sizeof c, all, sizeof all));
	CHECK("no bytes", !cubin_code_is_in((char *)&a, sizeof a, "", 0));
	CHECK("code of no cubin", !cubin_code_is_in("text", 4, all, sizeof all));
}

int
main(void)
{
	test_code_is_in();
	test_launches();
	test_limit();
	test_equal();
	test_damaged();
	return test_end();
}
