/* SPDX-License-Identifier: MIT */
/* .maxnreg: the maximal number of registers of a kernel's threads (PTX ISA 11.4.2). */
#include <stdlib.h>
#include <string.h>
#include "transform/output/maxnreg.h"

/* Returns the span of the number of a .maxnreg among the kernel's directives; empty if there is
 * none. */
static Span
maxnreg_span(const Module *m, Span dirs)
{
	static const char word[] = ".maxnreg";
	const char *text = m->src->text;

	for (uint32_t i = dirs.pos; i + sizeof word <= dirs.end; i++) {
		if (memcmp(text + i, word, sizeof word - 1) != 0)
			continue;
		uint32_t from = i + (uint32_t)sizeof word - 1;
		from += (uint32_t)strspn(text + from, " \t\r\n");
		return (Span){ from, from + (uint32_t)strspn(text + from, "0123456789") };
	}
	return (Span){ 0, 0 };
}

void
maxnreg_limit(const Module *m, uint32_t func, uint32_t n, Edits *e)
{
	const Func *f = &m->funcs[func];
	Span old = maxnreg_span(m, f->dirs);
	Buf text = { 0 };

	if (old.end == 0) {
		buf_printf(&text, ".maxnreg %u\n", n);
		edit_insert(e, f->block.pos, text.at, text.n);
	} else if (strtoul(m->src->text + old.pos, NULL, 10) > n) {
		buf_printf(&text, "%u", n);
		edit_replace(e, old, text.at, text.n);
	}
	buf_free(&text);
}

void
maxnreg_write(const Module *m, const Pass_options *opt, const Report *r, const Effects *effects,
	Edits *e, Arena *a)
{
	Bits changed = bits_new(a, m->nfuncs);

	for (uint32_t i = 0; i < r->sites.n; i++)
		if (r->sites.at[i].done)
			effects_flood_callers(m, effects, r->sites.at[i].func, changed);
	BITS_EACH(f, changed) {
		uint32_t most = opt->funcs.max_regs && opt->funcs.max_regs[f] ?
			opt->funcs.max_regs[f] :
			opt->max_regs;
		if (m->funcs[f].entry && m->funcs[f].body && most)
			maxnreg_limit(m, f, most, e);
	}
}
