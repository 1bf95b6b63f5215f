/* SPDX-License-Identifier: MIT */
/* memory FILE ...: libptxccc with memory that ends. Each file (.cu: annotated, else: transformed)
 * is worked on with an allocator whose N-th call fails, for N = 1, 2, ... until none does, once
 * failing from there on and once that one time only. Each failure must give PTXCCC_NO_MEMORY and
 * leave a context that still does its work; at the end, not a byte may be missing.
 */
#include <ptxccc/ptxccc.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "tests/lib/slurp.h"

/* Blocks with their size in front. */
typedef struct {
	unsigned long calls, fail_at; /* 0: never */
	int once;
	size_t blocks, bytes;
} Memory;

static void *
allocate(void *user, void *p, size_t size)
{
	Memory *m = user;
	size_t *old = p ? (size_t *)p - 2 : NULL;

	if (size == 0) {
		m->blocks--;
		m->bytes -= *old;
		free(old);
		return NULL;
	}
	m->calls++;
	if (m->fail_at && (m->once ? m->calls == m->fail_at : m->calls >= m->fail_at))
		return NULL;
	size_t was = old ? *old : 0, *b = realloc(old, size + 2 * sizeof *b);
	if (!b)
		return NULL;
	m->blocks += !old;
	m->bytes += size - was;
	*b = size;
	return b + 2;
}

typedef struct { const char *name; char *text; size_t len; int cuda; } File;

static ptxccc_status
process_file(ptxccc *c, const File *f)
{
	return (f->cuda ? ptxccc_annotate : ptxccc_transform)(c, f->name, f->text, f->len);
}

/* The same status, text and report? */
static int
results_are_equal(ptxccc *a, ptxccc_status sa, ptxccc *b, ptxccc_status sb)
{
	const char *s = ptxccc_text(a, NULL), *t = ptxccc_text(b, NULL);

	return sa == sb && !s == !t && (!s || !strcmp(s, t)) &&
	       !strcmp(ptxccc_report(a, PTXCCC_JSON), ptxccc_report(b, PTXCCC_JSON));
}

/* 0, or the number of the call whose failure went wrong. */
static unsigned long
fail_each(const File *f, int once, ptxccc *right, ptxccc_status status, unsigned long *failures)
{
	for (unsigned long n = 1;; n++) {
		Memory m = { .fail_at = n, .once = once };
		ptxccc *c = ptxccc_new(allocate, &m);
		if (!c) {
			if (n != 1 || m.blocks)
				return n;
			++*failures;
			continue;
		}
		ptxccc_status s = process_file(c, f);
		unsigned long calls = m.calls;
		m.fail_at = 0;
		if (calls >= n &&
			(s != PTXCCC_NO_MEMORY || ptxccc_text(c, NULL) ||
				*ptxccc_report(c, PTXCCC_TEXT) || ptxccc_site_at(c, 0) ||
				strcmp(ptxccc_message(c), "out of memory")))
			return n;
		if (calls >= n) /* once more, with memory */
			s = process_file(c, f);
		if (!results_are_equal(c, s, right, status))
			return n;
		ptxccc_free(c);
		if (m.blocks || m.bytes)
			return n;
		if (calls < n)
			return 0;
		++*failures;
	}
}

int
main(int argc, char **argv)
{
	int passed = 0, failed = 0;
	unsigned long failures = 0;

	for (int i = 1; i < argc; i++) {
		size_t n = strlen(argv[i]);
		File f = { .name = argv[i], .cuda = n > 3 && !strcmp(argv[i] + n - 3, ".cu") };
		f.text = slurp(f.name, &f.len);
		ptxccc *right = ptxccc_new(NULL, NULL);
		if (!f.text || !right)
			return 2;
		ptxccc_status status = process_file(right, &f);
		for (int once = 0; once < 2; once++) {
			unsigned long at = fail_each(&f, once, right, status, &failures);
			if (at)
				printf("FAIL lib memory %s: allocation %lu\n", f.name, at);
			*(at ? &failed : &passed) += 1;
		}
		ptxccc_free(right);
		free(f.text);
	}
	printf("lib memory, %lu failures survived: %d passed, %d failed\n", failures, passed,
		failed);
	return failed != 0;
}
