/* SPDX-License-Identifier: MIT */
/* Unit tests: parts of a module (suggest/module_parts.h). */
#include <string.h>
#include "analysis/interproc/escape.h"
#include "suggest/module_parts.h"
#include "tests/unit/test.h"

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func (.param .b32 r) " \
	"unseen ();\n.global .u32 g;\n"
static const char REGISTERS[] = ".reg .b64 %d<2>; .reg .b32 %r<2>; ";

typedef struct { Source src; Diags *d; Module *m; } Parsed;

static void
parse(Parsed *p, const char *text)
{
	source_from(&p->src, "t.ptx", text, strlen(text));
	p->d = diags_new(&p->src);
	p->m = ptx_parse(&p->src, p->d);
}

static void
release(Parsed *p)
{
	ptx_free(p->m);
	diags_free(p->d);
	source_release(&p->src);
}

/* Parses a module of what `rest` defines and of kernel `last`, with registers and code `one`. */
static void
parse_module(Parsed *p, const char *one, const char *rest)
{
	Buf b = { 0 };

	buf_printf(&b, "%s%s.visible .entry last() { %s%s\n", HEAD, rest, REGISTERS, one);
	parse(p, b.at);
	buf_free(&b);
}

/* Whether all functions with a body are in one part. */
static bool
is_one_part(const char *one, const char *rest)
{
	Parsed p;
	Arena *a = arena_new();
	parse_module(&p, one, rest);
	Module_parts k = module_parts_build(p.m, effects_build(p.m, a), a);
	uint32_t part = 0;
	bool same = true;

	for (uint32_t f = 1; f < p.m->nfuncs; f++) {
		same &= !p.m->funcs[f].body || !part || k.of[f] == part;
		part = p.m->funcs[f].body ? k.of[f] : part;
	}
	arena_free(a);
	release(&p);
	return same;
}

/* Whether addresses escape in the text that keeps only kernel `last`: 1: of variables, 2: of
 * thread-local ones. */
static int
escapes_without(const char *rest)
{
	Parsed p, q;
	Arena *a = arena_new();
	Edits *e = edit_new(a);
	parse_module(&p, "ret; }", rest);
	Module_parts k = module_parts_build(p.m, effects_build(p.m, a), a);
	Bits keep = bits_new(a, k.n);
	Buf text = { 0 };

	bits_set(keep, k.of[p.m->nfuncs - 1]);
	module_parts_keep(&k, p.m, keep, e);
	edit_apply(e, p.m->src, &text);
	parse(&q, text.at);
	int found = q.m ? escape_any(q.m) + 2 * escape_local(q.m) : -1;
	bool gone = !strstr(text.at, "clock");
	release(&q);
	buf_free(&text);
	edit_release(e);
	arena_free(a);
	release(&p);
	return gone ? found : -2;
}

#define SECOND(body) ".visible .entry second() { .reg .b64 %d<2>; .reg .b32 %r<2>; " \
	"mov.u32 %r1, %clock; " body " ret; }\n"
#define STORES "mov.u64 %d1, g; st.global.u64 [%d1], %d1; "
#define STORES_LOCAL ".local .b64 v; mov.u64 %d1, v; st.global.u64 [g], %d1; "

int
main(void)
{
	CHECK("kernels that read one variable", !is_one_part("ld.global.u32 %r1, [g]; ret; }",
		SECOND("ld.global.u32 %r1, [g];")));
	CHECK("a kernel and what it calls", is_one_part("call callee; ret; }",
		".func callee() { ret; }\n"));
	CHECK("unseen code may call what is visible", is_one_part(
		"{ .param .b32 r; call (r), unseen; } ret; }", ".visible .func other() { ret; }\n"));
	CHECK("nothing escapes", escapes_without(SECOND("")) == 0);
	CHECK("an address escapes", escapes_without(SECOND(STORES)) == 1);
	CHECK("a local address escapes", escapes_without(SECOND(STORES_LOCAL)) == 2);
	CHECK("both escape", escapes_without(SECOND(STORES STORES_LOCAL)) == 3);
	return test_end();
}
