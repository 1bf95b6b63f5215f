/* SPDX-License-Identifier: MIT */
/* Dump of regions: annotated loops and their paths. */
#include "analysis/dump/dump.h"
#include "analysis/region/region.h"

static void
dump_region_blocks(const Fn *fn, Bits set, Buf *out)
{
	BITS_EACH(b, set) {
		buf_putc(out, ' ');
		dump_block(fn->cfg, b, out);
	}
	buf_putc(out, '\n');
}

static void
dump_region_place(const Fn *fn, const Region *r, Buf *out)
{
	const Marker *k = &fn->m->markers[r->marker];
	buf_printf(out, "%s:%u, line %u, blocks", k->cuda.file, k->cuda.line,
		dump_line(fn->m, k->stmt));
	dump_region_blocks(fn, r->blocks, out);
}

void
dump_region(const Fn *fn, Diags *d, Buf *out)
{
	Regions *rs = region_build(fn, d, fn->arena);

	region_report_strays(fn, rs);
	for (uint32_t i = 0; i < rs->nloops; i++) {
		const Region *s = rs->loops[i], *outer = region_enclosing_site(s);
		buf_printf(out, "site %u", i + 1);
		for (uint32_t o = 0; outer && o < rs->nloops; o++)
			if (rs->loops[o] == outer)
				buf_printf(out, " in site %u", o + 1);
		buf_puts(out, ": ");
		dump_region_place(fn, s, out);
		if (s->loop) {
			buf_puts(out, "\tloop: header ");
			dump_block(fn->cfg, fn->loops->loops[s->loop].header, out);
			buf_putc(out, '\n');
		}
		for (uint32_t k = 0; k < s->npaths; k++) {
			const Region *p = s->paths[k];
			buf_printf(out, "\tpath: cost %llu, ", (unsigned long long)p->cost);
			dump_region_place(fn, p, out);
			buf_puts(out, "\t\tthen ");
			if (p->next)
				dump_block(fn->cfg, p->next, out);
			else
				buf_puts(out, p->other ? "to several places" : "nowhere");
			buf_putc(out, '\n');
		}
	}
}
