/* SPDX-License-Identifier: MIT */
/* Growable text buffer; see buf.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"

enum { FORMATTED = 63 };        /* length that most formatted texts do not exceed */

static void
reserve_bytes(Buf *b, size_t more)
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
	reserve_bytes(b, len);
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

static void
put_number(Buf *b, unsigned v)
{
	char digits[16];
	size_t i = sizeof digits;

	do
		digits[--i] = (char)('0' + v % 10);
	while (v /= 10);
	buf_add(b, digits + i, sizeof digits - i);
}

/* Formats a text with only %s, %u, %c and %%, the usual case. Returns false for other formats; b is
 * then unchanged. */
static bool
format_plain(Buf *b, const char *fmt, va_list ap)
{
	size_t n = b->n;

	for (const char *at; (at = strchr(fmt, '%')); fmt = at + 2) {
		buf_add(b, fmt, (size_t)(at - fmt));
		if (at[1] == 's') {
			buf_puts(b, va_arg(ap, const char *));
		} else if (at[1] == 'u') {
			put_number(b, va_arg(ap, unsigned));
		} else if (at[1] == 'c' || at[1] == '%') {
			buf_putc(b, at[1] == '%' ? '%' : (char)va_arg(ap, int));
		} else {
			b->n = n;
			return false;
		}
	}
	buf_puts(b, fmt);
	return true;
}

void
buf_vprintf(Buf *b, const char *fmt, va_list ap)
{
	va_list again;

	va_copy(again, ap);
	bool plain = format_plain(b, fmt, again);
	va_end(again);
	if (plain)
		return;
	va_copy(again, ap);
	reserve_bytes(b, FORMATTED);
	int n = vsnprintf(b->at + b->n, b->cap - b->n, fmt, ap);
	if (n < 0)
		die("bad format '%s'", fmt);
	if ((size_t)n >= b->cap - b->n) {
		reserve_bytes(b, (size_t)n);
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
