/* SPDX-License-Identifier: MIT */
/* Growable text buffer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"

enum { FORMATTED = 63 };        /* most formatted texts are no longer */

static void
reserve(Buf *b, size_t more)
{
	size_t need = b->n + more + 1;

	if (need <= b->cap)
		return;
	b->cap = need < 64 ? 128 : need + need / 2;
	b->at = xrealloc(b->at, b->cap);
}

void
buf_add(Buf *b, const char *s, size_t len)
{
	reserve(b, len);
	if (len)
		memcpy(b->at + b->n, s, len);
	b->n += len;
	b->at[b->n] = '\0';
}

void
buf_puts(Buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void
buf_putc(Buf *b, char c)
{
	buf_add(b, &c, 1);
}

void
buf_vprintf(Buf *b, const char *fmt, va_list ap)
{
	va_list again;

	va_copy(again, ap);
	reserve(b, FORMATTED);
	int n = vsnprintf(b->at + b->n, b->cap - b->n, fmt, ap);
	if (n < 0)
		die("bad format '%s'", fmt);
	if ((size_t)n >= b->cap - b->n) {
		reserve(b, (size_t)n);
		vsnprintf(b->at + b->n, (size_t)n + 1, fmt, again);
	}
	va_end(again);
	b->n += (size_t)n;
}

void
buf_printf(Buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(b, fmt, ap);
	va_end(ap);
}

void
buf_free(Buf *b)
{
	xfree(b->at);
	*b = (Buf){ 0 };
}
