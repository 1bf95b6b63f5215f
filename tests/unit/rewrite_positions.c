/* SPDX-License-Identifier: MIT */
/* Every user token keeps its file, line and column in the rewritten text: all tests/annotate .ii
 * files, and the same with everything on fewer lines. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include "annotate/source/cxx.h"
#include "annotate/rewrite.h"

/* Blanks the lines that the rewriter inserts, which have one of a few beginnings. */
static void
blank_inserted(char *s)
{
	static const char *const starts[] = {
		"if (::__ccc_",
		"if (!__builtin_is_constant_evaluated() && ::__ccc_",
		"struct __ccc_g",
		"__attribute__((device)) __inline__ __attribute__((always_inline)) bool __ccc_",
		"asm volatile(\"// .ccc ",
	};

	for (size_t n; *s; s += n + (s[n] == '\n')) {
		n = strcspn(s, "\n");
		for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
			if (strncmp(s, starts[i], strlen(starts[i])) == 0)
				memset(s, ' ', n);
	}
}

static Cxx_token
next_user_token(Cxx *x)
{
	Cxx_token t;

	while ((t = cxx_next(x)).kind == CXX_DIRECTIVE)
		;
	return t;
}

static uint32_t
column(const Cxx *x, uint32_t pos)
{
	uint32_t n = 1;

	while (pos && x->text[pos - 1] != '\n')
		pos--, n++;
	return n;
}

static bool
same_bytes(const Cxx *x, Span a, const Cxx *y, Span b)
{
	return a.end - a.pos == b.end - b.pos &&
		memcmp(x->text + a.pos, y->text + b.pos, a.end - a.pos) == 0;
}

/* Compares token by token. */
static bool
same_places(const char *file, const Source *src, const Buf *out)
{
	Cxx x = cxx_open(src->text, src->len), y = cxx_open(out->at, (uint32_t)out->n);

	for (;;) {
		Cxx_token a = next_user_token(&x), b = next_user_token(&y);
		uint32_t from = column(&x, a.pos), to = column(&y, b.pos);
		if (a.kind == CXX_END && b.kind == CXX_END)
			return true;
		if (a.kind == b.kind &&
			same_bytes(&x, (Span){ a.pos, a.end }, &y, (Span){ b.pos, b.end }) &&
			a.place.line == b.place.line &&
			same_bytes(&x, a.place.file, &y, b.place.file) && from == to)
			continue;
		printf("FAIL %s: '%.*s' at %u:%u is '%.*s' at %u:%u\n", file, (int)(a.end - a.pos),
			x.text + a.pos, a.place.line, from, (int)(b.end - b.pos), y.text + b.pos,
			b.place.line, to);
		return false;
	}
}

/* Without the guards of even numbers: none of them is there, all others are. */
static bool
left_out(const char *file, const Source *src, const Buf *whole)
{
	bool even[] = { true, false, true, false, true, false, true, false };
	enum { N = sizeof even };
	Buf out = { 0 };
	Diags *d = diags_new(NULL);
	bool ok = true;

	rewrite_without(src, (Guards){ even, N }, &out, d);
	for (uint32_t i = 0; i < N; i++) {
		char name[3][32];
		for (int k = 0; k < 3; k++) {
			snprintf(name[k], sizeof name[k], "__ccc_%c%u()", "gbi"[k], i);
			bool there = strstr(out.at, name[k]), was = strstr(whole->at, name[k]);
			if (there != (was && !even[i])) {
				printf("FAIL %s: %s is %s\n", file, name[k],
					there ? "there" : "missing");
				ok = false;
			}
		}
	}
	blank_inserted(out.at);
	ok = same_places(file, src, &out) && ok;
	diags_free(d);
	buf_free(&out);
	return ok;
}

static void
check_tokens(const char *file, const Source *src)
{
	Buf out = { 0 };
	uint32_t n;
	Diags *d = diags_new(NULL);

	rewrite_pragmas(src->name, src->text, src->len, &out, &n, d);
	if (diags_errors(d) == 0 && n) {
		bool ok = left_out(file, src, &out);
		blank_inserted(out.at);
		if (same_places(file, src, &out) && ok)
			printf("ok %s\n", file);
	}
	diags_free(d);
	buf_free(&out);
}

/* Joins lines unless one is a directive, so that annotated statements are in the middle of
 * lines. */
static void
join_lines(Source *s)
{
	char *p = s->text;

	for (char *q; (q = strchr(p, '\n')) != NULL; p = q + 1)
		if (*p != '#' && *p != '%' && q[1] != '#' && q[1] != '%' &&
			!memchr(p, '/', (size_t)(q - p)) && q > p && q[-1] != '\\')
			*q = ' ';
}

int
main(void)
{
	DIR *dir = opendir("tests/annotate");

	if (!dir)
		return puts("FAIL tests/annotate cannot be read"), 1;
	for (struct dirent *e; (e = readdir(dir)) != NULL; ) {
		char path[512];
		Source src;
		const char *why;
		if (strlen(e->d_name) < 4 || strcmp(e->d_name + strlen(e->d_name) - 3, ".ii") != 0)
			continue;
		snprintf(path, sizeof path, "tests/annotate/%s", e->d_name);
		if (!source_read(&src, path, &why))
			return printf("FAIL %s: %s\n", path, why), 1;
		check_tokens(path, &src);
		join_lines(&src);
		check_tokens(path, &src);
		source_release(&src);
	}
	closedir(dir);
	return 0;
}
