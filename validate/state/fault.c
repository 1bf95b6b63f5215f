/* SPDX-License-Identifier: MIT */
/* Records the first error or unknown form that the proof meets (state.h). */
#include <stdarg.h>
#include "validate/state/state.h"

static bool set_fault(Loop_check *s, uint32_t stmt, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));

static bool
set_fault(Loop_check *s, uint32_t stmt, const char *fmt, va_list ap)
{
	Buf b = { 0 };

	if (s->fault.why)
		return false;
	buf_vprintf(&b, fmt, ap);
	s->fault.why = arena_strndup(s->arena, b.at, b.n);
	s->fault.stmt = stmt;
	buf_free(&b);
	return false;
}

bool
loop_check_fault(Loop_check *s, uint32_t stmt, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set_fault(s, stmt, fmt, ap);
	va_end(ap);
	return false;
}

bool
loop_check_unknown(Loop_check *s, uint32_t stmt, const char *fmt, ...)
{
	va_list ap;

	if (s->fault.why)
		return false;
	s->fault.unknown = true;
	va_start(ap, fmt);
	set_fault(s, stmt, fmt, ap);
	va_end(ap);
	return false;
}
