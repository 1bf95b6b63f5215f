/* SPDX-License-Identifier: MIT */
/* Many conditional updates of one register: their uses share one list of definitions. */
#include "analysis/analyse.h"
#include "base/buf.h"
#include "tests/unit/test.h"

enum { UPDATES = 3000 };

static void
put_kernel(Buf *out)
{
	buf_puts(out,
		".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 to)\n"
		"{\n.reg .pred %p;\n.reg .b32 %r;\n.reg .b64 %rd;\nld.param.u64 %rd, [to];\n"
		"mov.u32 %r, %tid.x;\nsetp.gt.u32 %p, %r, 3;\n");
	for (int i = 0; i < UPDATES; i++)
		buf_printf(out, "@%%p xor.b32 %%r, %%r, %d;\n", i);
	buf_puts(out, "st.global.u32 [%rd], %r;\nret;\n}\n");
}

static void
check_lists(const Fn *fn)
{
	uint32_t last = fn->defuse->nuses - 1, entries = 0, n = 0;

	while (fn_is_reg(fn, fn_use(fn, last)->sym) && fn_use(fn, last)->ndef != UPDATES + 1)
		last--;
	CHECK("all updates reach the store", fn_use(fn, last)->ndef == UPDATES + 1);
	CHECK("uses share their list", fn_use(fn, last)->def == fn_use(fn, last - 2)->def);
	for (uint32_t d = 1; d < fn->defuse->ndefs; d++)
		entries += fn->defuse->users_of[d + 1] - fn->defuse->users_of[d];
	CHECK("one entry a definition", entries <= fn->defuse->ndefs);
	FN_REACH(fn, last, d)
		FN_USES(fn, d, u)
			n += u == last;
	CHECK("each names the store", n == UPDATES + 1);
}

int
main(void)
{
	Buf text = { 0 };
	Source src;

	put_kernel(&text);
	source_from(&src, "updates.ptx", text.at, text.n);
	Diags *d = diags_new(&src);
	Module *m = ptx_parse(&src, d);
	Arena *a = arena_new();
	CHECK("parsed", m != NULL);
	if (m)
		check_lists(fn_build(m, 1, NULL, a));
	arena_free(a);
	ptx_free(m);
	diags_free(d);
	source_release(&src);
	buf_free(&text);
	return test_end();
}
