/* SPDX-License-Identifier: MIT */
/* Unit tests of driver/rt/fatbin.c and driver/load_fatbin.c: hand-made containers: valid,
 * compressed and damaged, and which of their entries a GPU executes. */
#include <stdint.h>
#include <string.h>
#include "base/heap.h"
#include "driver/load_fatbin.h"
#include "driver/rt/fatbin.h"
#include "tests/unit/test.h"

enum { HEADER = 16, ENTRY = 64, LZ4 = 0x2000, ZSTD = 0x8000 };

typedef struct { uint8_t at[512]; size_t n; } Container;
typedef struct {
	uint16_t kind;
	uint32_t arch;
	uint64_t flags;
	const void *data;
	size_t n, plain;
} Given;

static void
put_number(Container *c, size_t at, uint64_t value, size_t n)
{
	memcpy(c->at + at, &value, n);
}

static void
start_container(Container *c)
{
	memset(c, 0, sizeof *c);
	put_number(c, 0, FATBIN_MAGIC, 4);
	put_number(c, 4, 1, 2);
	put_number(c, 6, HEADER, 2);
	c->n = HEADER;
}

static void
add_entry(Container *c, Given g)
{
	size_t e = c->n, room = (g.n + 7) / 8 * 8;

	put_number(c, e, g.kind, 2);
	put_number(c, e + 4, ENTRY, 4);
	put_number(c, e + 8, room, 8);
	put_number(c, e + 28, g.arch, 4);
	put_number(c, e + 40, g.flags, 8);
	if (g.flags) {
		put_number(c, e + 16, g.n, 4);
		put_number(c, e + 56, g.plain, 8);
	}
	memcpy(c->at + e + ENTRY, g.data, g.n);
	c->n += ENTRY + room;
	put_number(c, 8, c->n - HEADER, 8);
}

static void
test_whole(void)
{
	const uint8_t *end, *at;
	const char *why = "";
	Container c;
	Fatbin_entry e;

	start_container(&c);
	add_entry(&c, (Given){ .kind = FATBIN_ELF, .arch = 80, .data = "\x7f""ELF and more", .n = 13 });
	add_entry(&c, (Given){ .kind = FATBIN_PTX, .arch = 90, .data = ".version", .n = 8 });
	at = fatbin_open(c.at, c.n, &end);
	CHECK("opened", at == c.at + HEADER && end == c.at + c.n);
	bool first = fatbin_next(&at, end, &e);
	CHECK("machine code", first && e.kind == FATBIN_ELF && e.arch == 80 && e.plain == 16);
	bool second = fatbin_next(&at, end, &e);
	CHECK("PTX", second && e.kind == FATBIN_PTX && e.arch == 90);
	char *text = fatbin_contents(&e, &why);
	CHECK("contents", text && strcmp(text, ".version") == 0 && !fatbin_unreadable(&e));
	xfree(text);
	CHECK("no third entry", !fatbin_next(&at, end, &e));
}

/* Both encodings contain "compressed?" literally, which every decompressor accepts. */
static void
compressed(void)
{
	static const uint8_t lz4[] = "\xb0""compressed?";
	static const uint8_t zstd[] = "\x28\xb5\x2f\xfd\x20\x0b\x59\x00\x00""compressed?";
	const Given given[] = {
		{ FATBIN_ELF, 90, LZ4, lz4, sizeof lz4 - 1, 11 },
		{ FATBIN_PTX, 90, ZSTD, zstd, sizeof zstd - 1, 11 },
	};
	static const char *const names[] = { "LZ4", "Zstandard" };
	static const char *const bad[] = { "LZ4, damaged", "Zstandard, damaged" };

	for (size_t i = 0; i < 2; i++) {
		const uint8_t *end, *at;
		const char *why = "";
		Container c;
		Fatbin_entry e = { 0 };
		start_container(&c);
		add_entry(&c, given[i]);
		at = fatbin_open(c.at, c.n, &end);
		bool found = fatbin_next(&at, end, &e);
		char *text = fatbin_contents(&e, &why);
		bool missing = fatbin_unreadable(&e) && strstr(why, "not installed");
		CHECK(names[i], found && (missing || (text && strcmp(text, "compressed?") == 0)));
		xfree(text);
		e.bytes -= 3;
		CHECK(bad[i],
			!fatbin_contents(&e, &why) && (missing || strstr(why, "cannot be read")));
	}
}

static void
damaged(void)
{
	const uint8_t *end, *at;
	Container c;
	Fatbin_entry e;
	bool none = true;

	start_container(&c);
	add_entry(&c, (Given){ .kind = FATBIN_PTX, .arch = 90, .data = ".version", .n = 8 });
	for (size_t n = 0; n < c.n; n++)
		none &= !fatbin_open(c.at, n, &end);
	CHECK("a container that is cut off", none);
	put_number(&c, HEADER + 8, 9, 8);
	at = fatbin_open(c.at, c.n, &end);
	CHECK("an entry longer than its container", !fatbin_next(&at, end, &e));
	put_number(&c, HEADER + 8, UINT64_MAX, 8);
	CHECK("an entry of all memory", !fatbin_next(&at, end, &e));
	put_number(&c, HEADER + 8, 8, 8);
	put_number(&c, HEADER + 4, UINT32_MAX, 4);
	CHECK("a header of all memory", !fatbin_next(&at, end, &e));
	put_number(&c, HEADER + 4, ENTRY, 4);
	put_number(&c, HEADER + 16, 9, 4);
	put_number(&c, HEADER + 40, ZSTD, 8);
	CHECK("more compressed bytes than there are", !fatbin_next(&at, end, &e));
	put_number(&c, 0, 0, 4);
	CHECK("another magic number", !fatbin_open(c.at, c.n, &end));
}

enum { SPECIAL = 0x100000 }; /* sm_90a, for example */

/* What is chosen of up to four entries, whose contents are their letters, for a GPU: the PTX, the
 * machine code, and "?" if the PTX's source may differ; "" if it is unknown. */
static const char *
choice(const Given *entries, size_t n, unsigned arch)
{
	static char text[8];
	Container c;
	Source src;
	Fatbin_choice chosen;

	start_container(&c);
	for (size_t i = 0; i < n; i++)
		add_entry(&c, entries[i]);
	source_from(&src, "container", (const char *)c.at, c.n);
	bool ok = fatbin_choose(&src, arch, &chosen);
	snprintf(text, sizeof text, "%.1s%.1s%s", ok ? chosen.ptx.text : "",
		ok && chosen.code.n ? chosen.code.at : "", ok && chosen.other_source ? "?" : "");
	fatbin_choice_release(&chosen);
	source_release(&src);
	return text;
}

#define PTX_ENTRY(letter, sm) { .kind = FATBIN_PTX, .arch = sm, .data = letter, .n = 1 }
#define ELF_ENTRY(letter, sm) { .kind = FATBIN_ELF, .arch = sm, .data = letter, .n = 1 }
#define CHOOSES(name, wanted, arch, ...) \
	do { \
		const Given e[] = { __VA_ARGS__ }; \
		CHECK(name, strcmp(choice(e, sizeof e / sizeof *e, arch), wanted) == 0); \
	} while (0)

static void
test_choice(void)
{
	CHOOSES("PTX alone", "b", 90, PTX_ENTRY("a", 80), PTX_ENTRY("b", 90), PTX_ENTRY("c", 100));
	CHOOSES("no PTX", "", 90, ELF_ENTRY("a", 90), PTX_ENTRY("b", 100));
	CHOOSES("the PTX of the machine code", "ab", 86, PTX_ENTRY("a", 80), ELF_ENTRY("b", 80),
		PTX_ENTRY("c", 86));
	CHOOSES("PTX of an earlier GPU", "ab?", 90, PTX_ENTRY("a", 80), ELF_ENTRY("b", 90));
	CHOOSES("PTX of a later GPU", "ab?", 86, PTX_ENTRY("a", 86), ELF_ENTRY("b", 80));
	CHOOSES("machine code of another GPU", "a", 90, PTX_ENTRY("a", 80), ELF_ENTRY("b", 80));
	CHOOSES("machine code of a variant", "cb", 90, PTX_ENTRY("a", 90),
		{ .kind = FATBIN_ELF, .arch = 90, .data = "b", .n = 1, .flags = SPECIAL, .plain = 1 },
		{ .kind = FATBIN_PTX, .arch = 90, .data = "c", .n = 1, .flags = SPECIAL, .plain = 1 });
	CHOOSES("two machine codes", "", 90, PTX_ENTRY("a", 90), ELF_ENTRY("b", 90),
		{ .kind = FATBIN_ELF, .arch = 90, .data = "c", .n = 1, .flags = SPECIAL, .plain = 1 });
	CHOOSES("two texts", "", 90, PTX_ENTRY("a", 90),
		{ .kind = FATBIN_PTX, .arch = 90, .data = "c", .n = 1, .flags = SPECIAL, .plain = 1 });
}

int
main(void)
{
	test_choice();
	test_whole();
	compressed();
	damaged();
	return test_end();
}
