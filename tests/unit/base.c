/* SPDX-License-Identifier: MIT */
/* Unit tests of base/. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/arena.h"
#include "base/bits.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/intern.h"
#include "base/marker_label.h"
#include "base/source.h"
#include "base/vec.h"
#include "tests/unit/test.h"

static void
arena(void)
{
	Arena *a = arena_new();
	char *s = arena_strndup(a, "hello, world", 5);
	Arena_mark mark = arena_mark(a);
	bool aligned = true, zero = true;

	CHECK("arena: strndup", strcmp(s, "hello") == 0);
	for (size_t i = 1; i < 3000; i++) {
		char *p = arena_zalloc(a, i);
		aligned &= (size_t)p % 8 == 0;
		zero &= p[0] == 0 && p[i - 1] == 0;
		memset(p, 0xaa, i);
	}
	char *big = arena_array(a, 1 << 20, 16);
	zero &= big[0] == 0 && big[(16 << 20) - 1] == 0;
	CHECK("arena: aligned", aligned);
	CHECK("arena: zeroed", zero);
	arena_release(a, mark);
	char *p = arena_zalloc(a, 100);
	CHECK("arena: zeroed again after release", p[0] == 0 && p[99] == 0);
	CHECK("arena: what is older than the mark stays", strcmp(s, "hello") == 0);
	arena_free(a);
	arena_free(NULL);
}

static void
vec(void)
{
	VEC(uint32_t) v = { 0 };
	bool same = true;

	for (uint32_t i = 0; i < 100000; i++)
		*vec_push(&v) = 3 * i;
	for (uint32_t i = 0; i < v.n; i++)
		same &= v.at[i] == 3 * i;
	CHECK("vec: pushed", same && v.n == 100000);
	CHECK("vec: pop", *vec_pop(&v) == 299997 && v.n == 99999);
	vec_free(&v);
	CHECK("vec: free", v.at == NULL && v.n == 0);
}

/* A sparse copy has the same bits, also after some of them are unset. */
static void
sparse_bits(void)
{
	Arena *a = arena_new();
	Bits b = bits_new(a, 1000), c = bits_new(a, 1000);

	CHECK("sparse bits: empty", !bits_any(bits_freeze(a, b)));
	for (uint32_t i = 70; i < 1000; i += i < 400 ? 7 : 211)
		bits_set(b, i);
	Bits f = bits_freeze(a, b);
	bits_copy(c, f);
	CHECK("sparse bits: copy", bits_within(b, f) && bits_within(f, b) && bits_within(c, b) &&
		bits_count(f) == bits_count(b));
	CHECK("sparse bits: has", bits_has(f, 77) && !bits_has(f, 78) && !bits_has(f, 0) &&
		!bits_has(f, 999));
	for (uint32_t i = 0; i < 700; i++)
		bits_unset(f, i);
	CHECK("sparse bits: unset", bits_next(f, 0) == bits_next(b, 700) && bits_meet(f, b));
	bits_and_not(b, f);
	CHECK("sparse bits: and not", !bits_meet(b, f) && bits_next(b, 700) == UINT32_MAX);
	arena_free(a);
}

static void
bits(void)
{
	Arena *a = arena_new();
	Bits b = bits_new(a, 200), c = bits_new(a, 200);

	CHECK("bits: empty", !bits_any(b) && bits_next(b, 0) == UINT32_MAX && bits_count(b) == 0);
	bits_set(b, 0);
	bits_set(b, 63);
	bits_set(b, 64);
	bits_set(b, 199);
	CHECK("bits: next",
		bits_next(b, 0) == 0 && bits_next(b, 1) == 63 && bits_next(b, 64) == 64 &&
			bits_next(b, 65) == 199);
	CHECK("bits: next past the end",
		bits_next(b, 200) == UINT32_MAX && bits_next(b, 5000) == UINT32_MAX);
	CHECK("bits: count", bits_count(b) == 4 && bits_has(b, 63) && !bits_has(b, 62));
	CHECK("bits: or says whether it changed", bits_or(c, b) && !bits_or(c, b));
	bits_unset(b, 63);
	bits_and_not(c, b);
	CHECK("bits: and not", bits_count(c) == 1 && bits_has(c, 63));
	bits_copy(c, b);
	CHECK("bits: copy", bits_count(c) == 3);
	bits_clear(c);
	CHECK("bits: clear", !bits_any(c));
	bits_set(b, 5);
	CHECK("bits: set in front", bits_count(b) == 4 && bits_next(b, 1) == 5);
	bits_clear(b);
	bits_set(b, 130);
	bits_set(c, 70);
	CHECK("bits: next from in front of the first word", bits_next(b, 0) == 130);
	CHECK("bits: apart", !bits_meet(b, c) && !bits_meet(c, b) && !bits_within(c, b));
	CHECK("bits: or of other words", bits_or(c, b) && bits_count(c) == 2);
	CHECK("bits: meet", bits_meet(b, c) && bits_meet(c, b) && bits_within(b, c));
	bits_copy(c, b);
	CHECK("bits: copy to more words", bits_count(c) == 1 && bits_next(c, 0) == 130);
	bits_and(c, bits_new(a, 200));
	CHECK("bits: and with none", !bits_any(c) && bits_next(c, 0) == UINT32_MAX);
	bits_fill(c, 60, 140);
	CHECK("bits: fill", bits_count(c) == 80 && bits_next(c, 0) == 60 && bits_has(c, 139));
	CHECK("bits: none at all",
		!bits_any(bits_new(a, 0)) && bits_next(bits_new(a, 0), 0) == UINT32_MAX);
	arena_free(a);
}

static void
intern(void)
{
	Intern *t = intern_new();
	static char names[20000][12];
	bool dense = true, found = true;
	size_t len;

	for (uint32_t i = 0; i < 20000; i++) {
		int n = snprintf(names[i], sizeof names[i], "%%r%0*u", (int)(i % 8), i);
		dense &= intern_add(t, names[i], (size_t)n) == i + 1;
	}
	CHECK("intern: ids are dense", dense && intern_count(t) == 20000);
	for (uint32_t i = 0; i < 20000; i++)
		found &= intern_find(t, names[i], strlen(names[i])) == i + 1 &&
			intern_add(t, names[i], strlen(names[i])) == i + 1;
	CHECK("intern: found again", found);
	CHECK("intern: not there",
		intern_find(t, "nobody", 6) == 0 &&
			intern_find(t, "a name of more than eight", 25) == 0);
	CHECK("intern: prefixes differ",
		intern_add(t, "abcdefgh", 8) != intern_add(t, "abcdefgh!", 9) &&
			intern_add(t, "abc\0", 4) != intern_add(t, "abc", 3) &&
			intern_add(t, "", 0) != intern_add(t, "\0", 1));
	CHECK("intern: text",
		strncmp(intern_text(t, 7, &len), names[6], len) == 0 && len == strlen(names[6]));
	intern_free(t);
	intern_free(NULL);
}

static void
buf(void)
{
	Buf b = { 0 };

	for (int i = 0; i < 1000; i++)
		buf_printf(&b, "%d,", i);
	buf_puts(&b, "end");
	buf_putc(&b, '.');
	buf_add(&b, "", 0);
	CHECK("buf: length", b.n == strlen(b.at) && b.n == 3890 + 4);
	CHECK("buf: text",
		strncmp(b.at, "0,1,2,", 6) == 0 && strcmp(b.at + b.n - 8, "999,end.") == 0);
	buf_free(&b);
	CHECK("buf: free", b.at == NULL && b.n == 0);
}

static void
positions(void)
{
	Source s;
	uint32_t line, col;

	source_from(&s, "x", "ab\ncd\r\n\nlast", 12);
	source_position(&s, 0, &line, &col);
	CHECK("source: first byte", line == 1 && col == 1);
	source_position(&s, 4, &line, &col);
	CHECK("source: second line", line == 2 && col == 2);
	source_position(&s, 12, &line, &col);
	CHECK("source: end", line == 4 && col == 5);
	Span at = source_line(&s, 3);
	CHECK("source: line without its end", at.pos == 3 && at.end == 5);
	at = source_line(&s, 7);
	CHECK("source: empty line", at.pos == 7 && at.end == 7);
	CHECK("source: starts of lines",
		source_line_start(&s, 1) == 0 && source_line_start(&s, 4) == 8 &&
			source_line_start(&s, 5) == 12);
	source_release(&s);
	source_from(&s, "x", "", 0);
	source_position(&s, 0, &line, &col);
	CHECK("source: empty text", line == 1 && col == 1);
	source_release(&s);
}

static bool
file_holds(const char *path, const char *text)
{
	Source s;
	const char *err;
	bool ok = source_read(&s, path, &err) && s.len == strlen(text) &&
		memcmp(s.text, text, s.len) == 0;

	if (ok)
		source_release(&s);
	return ok;
}

static void
files(void)
{
	char dir[] = "/tmp/ptxccc-base-XXXXXX", path[64], link[64], in[64];
	const char *err = NULL;
	struct stat st;
	Source s;

	if (!mkdtemp(dir))
		return;
	snprintf(path, sizeof path, "%s/out.ptx", dir);
	snprintf(link, sizeof link, "%s/link.ptx", dir);
	snprintf(in, sizeof in, "%s/none/out.ptx", dir);
	CHECK("write: a new file", source_write(path, "one", 3, &err) && file_holds(path, "one"));
	chmod(path, 0640);
	CHECK("write: over an old one",
		source_write(path, "second", 6, &err) && file_holds(path, "second"));
	CHECK("write: keeps the permissions", stat(path, &st) == 0 && (st.st_mode & 0777) == 0640);
	CHECK("write: through a link",
		symlink("out.ptx", link) == 0 && source_write(link, "third", 5, &err) &&
			file_holds(path, "third") && lstat(link, &st) == 0 && S_ISLNK(st.st_mode));
	CHECK("write: no such folder", !source_write(in, "x", 1, &err) && err != NULL);
	CHECK("write: a folder", !source_write(dir, "x", 1, &err));
	CHECK("write: a device",
		source_write("/dev/null", "x", 1, &err) && stat("/dev/null", &st) == 0 &&
			S_ISCHR(st.st_mode));
	if (access("/dev/full", W_OK) == 0)
		CHECK("write: a full disk",
			!source_write("/dev/full", "x", 1, &err) && strstr(err, "space"));
	CHECK("read: no such file", !source_read(&s, in, &err) && err != NULL);
	CHECK("read: a folder", !source_read(&s, dir, &err));
	unlink(link);
	unlink(path);
	CHECK("write: leaves nothing else behind", rmdir(dir) == 0);
}

/* What diags_print writes. */
static char *
printed(Diags *d)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	diags_print(d, f);
	fclose(f);
	return text;
}

static void
diagnostics(void)
{
	Source s;
	source_from(&s, "a.ptx", "one\n\ttwo three\nfour\n", 20);
	Diags *d = diags_new(&s);

	diag(d, D_SYNTAX, 9, "second");
	diag_note(d, 15, "a note");
	diag_cuda(
		d, D_LIVE_OUT, (Cuda_pos){ "b.cu", 14, 0 }, 5, "path left unchanged: '%s'", "%f12");
	diag_note(d, DIAG_NOWHERE, "do something");
	CHECK("diag: counts", diags_errors(d) == 1);
	char *text = printed(d);
	CHECK("diag: form and order", strcmp(text,
		"b.cu:14: warning: path left unchanged: '%f12' [-Wccc-live-out]\n"
		"  a.ptx:2:2: note: in the PTX here\n"
		"      2 | \ttwo three\n"
		"        | \t^\n"
		"  note: do something\n"
		"a.ptx:2:6: error: second [-Wsyntax]\n"
		"      2 | \ttwo three\n"
		"        | \t    ^\n"
		"  a.ptx:3:1: note: a note\n"
		"      3 | four\n"
		"        | ^\n") == 0);
	free(text);
	Diag_settings set = diag_defaults();
	CHECK("diag: unknown option",
		!diag_option(&set, "no-such") && !diag_option(&set, "no-no-such") &&
			!diag_option(&set, ""));
	CHECK("diag: options",
		diag_option(&set, "no-ccc-local") && diag_option(&set, "error=ccc-call"));
	diags_set(d, &set);
	diag(d, D_LOCAL, 0, "silent");
	diag_note(d, 0, "also silent");
	diag(d, D_CALL, 0, "promoted");
	CHECK("diag: promoted counts as error", diags_errors(d) == 2);
	text = printed(d);
	CHECK("diag: promoted",
		strncmp(text, "a.ptx:1:1: error: promoted [-Werror=ccc-call]\n", 46) == 0 &&
			!strstr(text, "silent"));
	free(text);
	for (int i = 0; i < 30; i++)
		diag(d, D_RANGE, (uint32_t)i % 20, "number %d", i);
	text = printed(d);
	CHECK("diag: twenty at most",
		strstr(text, "a.ptx: note: 10 more errors\n") && !strstr(text, "number 15 "));
	free(text);
	diags_free(d);
	source_release(&s);
}

/* ---- heap ---- */

static char finishes[] = "not at all", bug[] = "bug", memory[] = "memory";

static void
fails(void *how)
{
	Buf b = { 0 };
	VEC(int) v = { 0 };

	buf_puts(&b, "lost unless the heap knows it");
	for (int i = 0; i < 1000; i++)
		*vec_push(&v) = i;
	(void)arena_zalloc(arena_new(), 100000);
	if (how == bug)
		die("no %s", "such thing");
	if (how == memory)
		(void)arena_array(arena_new(), SIZE_MAX / 4, 8);
}

static void
nested(void *arg)
{
	Heap *inner = arg;
	Heap_end end = heap_run(inner, fails, bug);

	if (end == HEAP_BUG)
		fails(memory);
}

static void
heaps(void)
{
	Heap h, inner;
	char *outside = xmalloc(10);

	heap_init(&h, NULL, NULL);
	heap_init(&inner, NULL, NULL);
	CHECK("heap: done",
		heap_run(&h, fails, finishes) == HEAP_DONE && h.blocks.next != &h.blocks);
	heap_clear(&h);
	CHECK("heap: cleared", h.blocks.next == &h.blocks && h.blocks.prev == &h.blocks);
	CHECK("heap: bug", heap_run(&h, fails, bug) == HEAP_BUG && !strcmp(h.bug, "no such thing"));
	CHECK("heap: no memory", heap_run(&h, fails, memory) == HEAP_NO_MEMORY);
	CHECK("heap: one in another",
		heap_run(&h, nested, &inner) == HEAP_NO_MEMORY &&
			!strcmp(inner.bug, "no such thing"));
	heap_clear(&h);
	heap_clear(&inner);
	outside = xrealloc(outside, 1000);
	xfree(outside);
}

/* A text that has a marker's comments and its label, or, as a fat binary stores it, its label. */
static void
marker_labels(void)
{
	static const char marker[] = "\t// begin inline asm\n\t// .ccc begin for 0 \"a.cu\":4\n"
		"\t// end inline asm\n";
	Buf both = { 0 }, again = { 0 }, back = { 0 };

	marker_labels_encode(marker, strlen(marker), &both);
	CHECK("marker labels: one is added", both.n > strlen(marker));
	marker_labels_decode(both.at, both.n, &again);
	CHECK("marker labels: not doubled", strcmp(again.at, both.at) == 0);
	marker_labels_decode(both.at + strlen(marker), both.n - strlen(marker), &back);
	CHECK("marker labels: decoded", strcmp(back.at, marker) == 0);
	buf_free(&both);
	buf_free(&again);
	buf_free(&back);
}

int
main(void)
{
	marker_labels();
	arena();
	vec();
	bits();
	sparse_bits();
	intern();
	buf();
	positions();
	files();
	diagnostics();
	heaps();
	return test_end();
}
