/* SPDX-License-Identifier: MIT */
/* Unit tests: the parser of machine-code listings and its flow graph, compared with results
 * computed by hand. */
#include <string.h>
#include "simt/sass/listing.h"
#include "tests/unit/test.h"

/* Two branch bodies that reconverge, the first with a division; a loop of one block; a function
 * that is called. */
static const char listing[] =
	"\t.section\t.text.k,\"ax\",@progbits\n"
	"k:\n.text.k:\n"
	"\t//## File \".nv_debug_ptx_txt\", line 8\n"
	"        /*0000*/                   BSSY B0, `(.L_x_0) ;\n" /* 0 */
	"\t//## File \".nv_debug_ptx_txt\", line 9\n"
	"        /*0010*/              @!P0 BRA `(.L_x_1) ;\n" /* 1 */
	"\t//## File \"k.cu\", line 77\n"
	"\t//## File \".nv_debug_ptx_txt\", line 10\n"
	"        /*0020*/              @!P1 BRA `(.L_x_3) ;\n"                               /* 2 */
	"        /*0030*/                   CALL.REL.NOINC `($__internal_0_$__cuda_div) ;\n" /* 3 */
	".L_x_3:\n"
	"        /*0040*/                   BRA.DIV UR4, `(.L_x_9) ;\n" /* 4 */
	"        /*0050*/                   BSYNC B0 ;\n"               /* 5 */
	".L_x_1:\n"
	"\t//## File \".nv_debug_ptx_txt\", line 12\n"
	"        /*0060*/                   BSYNC B0 ;\n" /* 6 */
	".L_x_0:\n"
	"        /*0070*/               @PT FADD R1, R1, R2 ;\n" /* 7 */
	".L_x_4:\n"
	"        /*0080*/               @P2 BRA `(.L_x_4) ;\n" /* 8 */
	"        /*0090*/                   EXIT ;\n"          /* 9 */
	".L_x_9:\n"
	"        /*00a0*/                   BRA `(.L_x_3) ;\n" /* 10 */
	"$k$_Z4calli:\n"
	"        /*00b0*/                   RET.REL.NODEC R4 `(k) ;\n" /* 11 */
	".L_x_17:\n"
	"\t.section\t.text.other,\"ax\",@progbits\n"
	"other:\n"
	"        /*0000*/                   EXIT ;\n";

static void
test_reading(const Sass *s)
{
	const Sass_func *k = sass_find(s, "k", 1), *call = sass_find(s, "_Z4calli", 8);
	CHECK("functions", s->funcs.n == 3 && k && call && sass_find(s, "other", 5));
	CHECK("a function that is called has the name of its own", call && call->first == 11);
	CHECK("a function ends where the next one begins", k && k->first == 0 && k->end == 11);
	CHECK("one that is not there", !sass_find(s, "oth", 3));
	CHECK("instructions", s->insts.n == 13);
	const Sass_inst *i = s->insts.at;
	CHECK("lines of the PTX, none of other files", i[0].line == 8 && i[2].line == 10);
	CHECK("a function begins without a line", i[11].line == 0);
	CHECK("guards", i[1].guarded && !i[0].guarded && !i[7].guarded);
	CHECK("kinds",
		i[0].kind == SASS_BSSY && i[3].kind == SASS_ROUTINE && i[4].kind == SASS_APART &&
			i[9].kind == SASS_EXIT && i[11].kind == SASS_RET);
	CHECK("targets", i[8].nto == 1 && s->targets.at[i[8].to] == 8);
}

/* The blocks: 0-1, 2, 3, 4-5, 6, 7, 8, 9, 10. */
static void
test_flow(const Sass *s)
{
	Arena *a = arena_new();
	Sass_flow *f = sass_flow(s, sass_find(s, "k", 1), a);
	CHECK("blocks", f->nblocks == 9);
	const Sass_block *b = f->blocks;
	CHECK("a branch's target comes first",
		b[0].nsucc == 2 && f->succ[b[0].succ] == 4 && f->succ[b[0].succ + 1] == 1);
	CHECK("a slow path is a way, its routine is none",
		b[1].nsucc == 2 && b[2].npred == 1 && !s->insts.at[3].nto);
	CHECK("a BSYNC goes to the target of its BSSY",
		b[3].nsucc == 1 && f->succ[b[3].succ] == 5 && b[4].nsucc == 1);
	CHECK("what lanes run that are not together is left out", f->norder == 8);
	CHECK("dominators", sass_dominates(f, 0, 7) && !sass_dominates(f, 3, 5));
	CHECK("loops", b[6].depth == 1 && b[5].depth == 0);
	arena_free(a);
}

int
main(void)
{
	Sass *s = sass_read(listing), *none = sass_read("no listing\n: \n/*\n");
	test_reading(s);
	test_flow(s);
	CHECK("a text that is no listing", none->insts.n == 0);
	sass_free(none);
	sass_free(s);
	return test_end();
}
