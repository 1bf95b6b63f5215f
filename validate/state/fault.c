/* SPDX-License-Identifier: MIT */
/* Records the first error or unknown form that the proof meets (state.h). */
#include <stdarg.h>
#include "validate/state/state.h"

static bool fault(Site *s, uint32_t stmt, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));

static bool
fault(Site *s, uint32_t stmt, const char *fmt, va_list ap)
{
	Buf b = { 0 };

	if (s->why)
		return false;
	buf_vprintf(&b, fmt, ap);
	s->why = arena_strndup(s->arena, b.at, b.n);
	s->why_at = stmt;
	buf_free(&b);
	return false;
}

bool
site_fault(Site *s, uint32_t stmt, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fault(s, stmt, fmt, ap);
	va_end(ap);
	return false;
}

bool
site_unknown(Site *s, uint32_t stmt, const char *fmt, ...)
{
	va_list ap;

	if (s->why)
		return false;
	s->unknown = true;
	va_start(ap, fmt);
	fault(s, stmt, fmt, ap);
	va_end(ap);
	return false;
}
