/* SPDX-License-Identifier: MIT */
/* Verdicts; see verdict.h. */
#include <stdarg.h>
#include <string.h>
#include "base/buf.h"
#include "base/verdict.h"

__attribute__((format(printf, 2, 0)))
static const char *
format_text(Arena *a, const char *fmt, va_list ap)
{
	Buf b = { 0 };

	buf_vprintf(&b, fmt, ap);
	const char *s = arena_strndup(a, b.at ? b.at : "", b.n);
	buf_free(&b);
	return s;
}

Verdict
verdict(Arena *a, Diag_kind kind, uint32_t pos, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	Verdict v = { .kind = kind, .pos = pos, .text = format_text(a, fmt, ap) };
	va_end(ap);
	return v;
}

Verdict
verdict_off(Arena *a)
{
	return verdict(a, D_OFF, DIAG_NOWHERE, "policy(none)");
}

Verdict
verdict_note(Verdict v, Arena *a, uint32_t pos, const char *fmt, ...)
{
	va_list ap;

	ASSERT(v.nnotes < VERDICT_NOTES);
	va_start(ap, fmt);
	v.note[v.nnotes].pos = pos;
	v.note[v.nnotes++].text = format_text(a, fmt, ap);
	va_end(ap);
	return v;
}

static const char *
copy_text(const char *s, Arena *a)
{
	return s ? arena_strndup(a, s, strlen(s)) : NULL;
}

Verdict
verdict_copy(const Verdict *v, Arena *a)
{
	Verdict w = *v;

	w.text = copy_text(v->text, a);
	w.at.file = copy_text(v->at.file, a);
	for (uint32_t i = 0; i < v->nnotes; i++)
		w.note[i].text = copy_text(v->note[i].text, a);
	return w;
}

void
verdict_report(const Verdict *v, Diags *d, Cuda_pos at, const char *lead)
{
	diag_cuda(d, v->kind, v->at.file ? v->at : at, v->pos, "%s%s", lead, v->text);
	for (uint32_t i = 0; i < v->nnotes; i++)
		diag_note(d, v->note[i].pos, "%s", v->note[i].text);
}
