/* SPDX-License-Identifier: MIT */
/* Growable text buffer, used by the emitter, the dumps and the reports. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>

/* {0} is an empty buffer; at is NUL-terminated after the first write */
typedef struct { char *at; size_t n, cap; } Buf;

void buf_add(Buf *b, const char *s, size_t len);
void buf_puts(Buf *b, const char *s);
void buf_putc(Buf *b, char c);
void buf_printf(Buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(Buf *b, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
void buf_free(Buf *b);

#endif
