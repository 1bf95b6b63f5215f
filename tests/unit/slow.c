/* SPDX-License-Identifier: MIT */
/* Unit tests: which operands take slow paths, and which path through them
 * (simt/sass/slow_paths.h). */
#include <string.h>
#include "base/buf.h"
#include "simt/sass/slow_paths.h"
#include "tests/unit/test.h"

static const char head[] = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n"
			   ".reg .b64 %rd<4>;\n.reg .f32 %f<4>;\n.reg .f64 %fd<4>;\n";

/* How operands of an instruction are classified. */
static uint8_t
kind_of(const char *instruction)
{
	Buf text = { 0 };
	Source src;
	uint8_t kind = 0;
	buf_puts(&text, head);
	buf_puts(&text, instruction);
	buf_puts(&text, "\nret;\n}\n");
	source_from(&src, "slow.ptx", text.at, text.n);
	Diags *d = diags_new(&src);
	Module *m = ptx_parse(&src, d);
	CHECK("parsed", m != NULL);
	for (uint32_t s = 0; m && s < m->funcs[1].nstmt && !kind; s++)
		if (m->stmts[m->funcs[1].stmt + s].kind == STMT_INSN)
			kind = slow_path_kind(m, &m->stmts[m->funcs[1].stmt + s]);
	ptx_free(m);
	diags_free(d);
	source_release(&src);
	buf_free(&text);
	return kind;
}

static bool
quick(uint8_t kind, uint64_t a, uint64_t b)
{
	return kind && !slow_path_class(kind, a, b);
}

static void
test_f32(void)
{
	enum { ZERO = 0, TINY = 1, ONE = 0x3f800000, HUGE = 0x7f000000, INF = 0x7f800000 };
	uint8_t div = kind_of("div.rn.f32 %f1, %f2, %f3;"), root = kind_of("sqrt.rn.f32 %f1, %f2;");
	uint8_t rcp = kind_of("rcp.rn.f32 %f1, %f2;");
	CHECK("approximations have no slow path", !kind_of("div.approx.ftz.f32 %f1, %f2, %f3;"));
	CHECK("a quotient", quick(div, ONE, ONE) && quick(div, ONE, ONE | 1u << 31));
	CHECK("of zero", !quick(div, ZERO, ONE) && !quick(div, ONE, ZERO));
	CHECK("of a subnormal number", !quick(div, TINY, ONE) && !quick(div, ONE, TINY));
	CHECK("out of range", !quick(div, HUGE, 0x00800000) && !quick(div, 0x00800000, HUGE));
	CHECK("exponents at the ends of the range",
		quick(div, 25u << 23, 100u << 23) && !quick(div, 24u << 23, 100u << 23) &&
			quick(div, ONE, 2u << 23) && !quick(div, ONE, 1u << 23) &&
			quick(div, 200u << 23, 251u << 23) && !quick(div, 200u << 23, 252u << 23));
	CHECK("exponents apart",
		quick(div, 228u << 23, 102u << 23) && !quick(div, 229u << 23, 102u << 23) &&
			quick(div, 102u << 23, 226u << 23) && !quick(div, 102u << 23, 227u << 23));
	CHECK("a root", quick(root, ONE, 0) && quick(root, 0x0d000000, 0));
	CHECK("of zero, of less, of much less",
		!quick(root, ZERO, 0) && !quick(root, ONE | 1u << 31, 0) &&
			!quick(root, 0x0cffffff, 0));
	CHECK("of infinity", !quick(root, INF, 0));
	CHECK("a reciprocal", quick(rcp, ONE, 0) && quick(rcp, 0x00800000, 0));
	CHECK("out of range", !quick(rcp, HUGE, 0) && !quick(rcp, TINY, 0) && !quick(rcp, INF, 0));
}

static void
test_wide(void)
{
	const uint64_t one = 0x3ff0000000000000, inf = 0x7ff0000000000000;
	uint8_t div = kind_of("div.rn.f64 %fd1, %fd2, %fd3;"),
		rem = kind_of("rem.u64 %rd1, %rd2, %rd3;");
	CHECK("a quotient", quick(div, one, one));
	CHECK("of zero, of infinity",
		!quick(div, 0, one) && !quick(div, one, 0) && !quick(div, inf, one) &&
			!quick(div, one, inf));
	CHECK("an integer", quick(rem, 17, 5) && !quick(rem, UINT64_C(1) << 32, 5));
}

/* The path of a root of zero leaves at the first branch, others do not. */
static void
test_steps(void)
{
	static const char listing[] =
		"\t.section\t.text.k,\"ax\",@progbits\n"
		"k:\n"
		"        /*0000*/                   LOP3.LUT P0, RZ, R0, 0x7fffffff ;\n"
		"        /*0010*/              @!P0 BRA `(.L_x_1) ;\n"
		"        /*0020*/                   FADD R1, R1, R1 ;\n"
		"        /*0030*/               @P1 BRA `(.L_x_1) ;\n"
		"        /*0040*/                   FADD R1, R1, R1 ;\n"
		".L_x_1:\n"
		"        /*0050*/                   RET.REL.NODEC R4 `(k) ;\n";
	Sass *s = sass_read(listing);
	uint8_t root = kind_of("sqrt.rn.f32 %f1, %f2;");
	uint32_t zero = slow_path_class(root, 0, 0), less = slow_path_class(root, 0xbf800000, 0);
	CHECK("the shortest way", slow_path_steps(s, 0, root, zero) == 3);
	CHECK("a longer one", slow_path_steps(s, 0, root, less) == 5);
	CHECK("no branch is taken that nothing is known of", slow_path_steps(s, 0, 0, 0) == 6);
	CHECK("a routine that is not there", slow_path_steps(s, 6, root, zero) == 0);
	sass_free(s);
}

int
main(void)
{
	test_f32();
	test_wide();
	test_steps();
	return test_end();
}
