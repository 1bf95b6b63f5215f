/* SPDX-License-Identifier: MIT */
/* Unit tests of the view: references of statements, opcodes, numbers, names and scopes, markers.
 * Errors: view_errors.c. */
#include "tests/unit/view.h"

static const Stmt *
first_insn(const Module *m)
{
	const Stmt *s = m->stmts + 1;

	while (s->kind != STMT_INSN)
		s++;
	return s;
}

/* ---- what statements name -------------------------------------------------------------------- */

static void
put_names(const Module *m, const Stmt *s, Buf *out)
{
	PTX_REFS(m, s, r)
		buf_printf(out, "%s%c:%.*s", out->n ? " " : "", r.written ? 'w' : 'r',
			PTX_NAME(m, r.sym));
}

/* line, the references that PTX_REFS reports */
static const char *const names[][2] = {
	{ "add.u32 %r1, %r2, %r3;", "w:%r1 r:%r2 r:%r3" },
	{ "@%p1 mov.u32 %r1, 4;", "r:%p1 w:%r1" },
	{ "@!%p1 bra L;", "r:%p1 r:L" },
	{ "bra.uni M;", "r:M" },
	{ "mov.b64 {%r1, _}, %rd1;", "w:%r1 r:%rd1" },
	{ "mov.b64 %rd1, {%r1, %r2};", "w:%rd1 r:%r1 r:%r2" },
	{ "mov.u32 %r1, %tid.x;", "w:%r1 r:%tid" },
	{ "mov.u64 %rd1, g+4;", "w:%rd1 r:g" },
	{ "mov.f32 v.x, %f1;", "r:v w:v r:%f1" },
	{ "mov.f32 %f1, v.x;", "w:%f1 r:v" },
	{ "setp.lt.and.u32 %p1|%p2, %r1, %r2, !%p3;", "w:%p1 w:%p2 r:%r1 r:%r2 r:%p3" },
	{ "setp.lt.u32 _|%p2, %r1, 3;", "w:%p2 r:%r1" },
	{ "shfl.sync.idx.b32 %r1|%p1, %r2, 0, 31, %r3;", "w:%r1 w:%p1 r:%r2 r:%r3" },
	{ "match.all.sync.b32 %r1|%p1, %r2, -1;", "w:%r1 w:%p1 r:%r2" },
	{ "vote.sync.ballot.b32 %r1, !%p1, %r2;", "w:%r1 r:%p1 r:%r2" },
	{ "elect.sync _|%p1, %r1;", "w:%p1 r:%r1" },
	{ "activemask.b32 %r1;", "w:%r1" },
	{ "ld.global.v2.u32 {%r1, %r2}, [%rd1+8];", "w:%r1 w:%r2 r:%rd1" },
	{ "ld.param.u64 %rd1, [out];", "w:%rd1 r:out" },
	{ "st.global.v2.u32 [%rd1], {%r1, %r2};", "r:%rd1 r:%r1 r:%r2" },
	{ "st.param.b32 [a0+0], %r1;", "r:a0 r:%r1" },
	{ "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r1], %r2, [%r3];",
		"r:%r1 r:%r2 r:%r3" },
	{ "atom.global.cas.b32 %r1, [%rd1], %r2, %r3;", "w:%r1 r:%rd1 r:%r2 r:%r3" },
	{ "atom.global.add.u32 _, [%rd1], %r2;", "r:%rd1 r:%r2" },
	{ "red.global.add.u32 [%rd1], %r2;", "r:%rd1 r:%r2" },
	{ "call (r0), f, (a0, a0);", "w:r0 r:a0 r:a0" },
	{ "call (%r1), f, (%r2, 4);", "w:%r1 r:%r2" },
	{ "call f, (%r1, 4);", "r:%r1" },
	{ "call plain;", "" },
	{ "call plain, ();", "" },
	{ "call (%r1), %rd1, (%r2), P; P: .callprototype (.param .b32 _) _ (.param .b32 _);",
		"w:%r1 r:%rd1 r:%r2 r:P" },
	{ "brx.idx %r1, T; T: .branchtargets L, M;", "r:%r1 r:T" },
	{ "bar.sync 0, %r1;", "r:%r1" },
	{ "bar.red.popc.u32 %r1, 0, %r2, !%p1;", "w:%r1 r:%r2 r:%p1" },
	{ "bar.warp.sync %r1;", "r:%r1" },
	{ "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}|%p1, [%rd1, {%f5, %f6}];",
		"w:%f1 w:%f2 w:%f3 w:%f4 w:%p1 r:%rd1 r:%f5 r:%f6" },
	{ "tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];",
		"w:%f1 w:%f2 w:%f3 w:%f4 r:%rd1 r:%f5 r:%f6" },
	{ "suld.b.1d.b32.trap %r1, [%rd1, {%r2}];", "w:%r1 r:%rd1 r:%r2" },
	{ "sust.b.1d.b32.trap [%rd1, {%r2}], %r1;", "r:%rd1 r:%r2 r:%r1" },
	{ "mbarrier.arrive.shared.b64 %rd1, [%r1];", "w:%rd1 r:%r1" },
	{ "mbarrier.arrive.shared.b64 _, [%r1], 3;", "r:%r1" },
	{ "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %rd1, [%r1], %r2;",
		"w:%rd1 r:%r1 r:%r2" },
	{ "mbarrier.arrive.shared.b64 [%r1], 3;", "r:%r1" },
	{ "mbarrier.try_wait.parity.shared.b64 %p1, [%r1], %r2, 1000;", "w:%p1 r:%r1 r:%r2" },
	{ "mbarrier.init.shared.b64 [%r1], %r2;", "r:%r1 r:%r2" },
	{ "cp.async.ca.shared.global [%r1], [%rd1], 16;", "r:%r1 r:%rd1" },
	{ "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];",
		"r:%r1 r:%rd1 r:%r2 r:%r3 r:%r4" },
	{ "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %r2}, [%r3];", "w:%r1 w:%r2 r:%r3" },
	{ "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r3], {%r1};", "r:%r3 r:%r1" },
	{ "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%rd1, %rd2}, {%rd3}, {%rd4}, {%rd1, %rd2};",
		"w:%rd1 w:%rd2 r:%rd3 r:%rd4 r:%rd1 r:%rd2" },
	{ "wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1, %r2}, [%rd1], %r3;",
		"w:%r1 w:%r2 r:%rd1 r:%r3" },
	{ "wmma.store.d.sync.aligned.row.m16n16k16.f16 [%rd1], {%r1, %r2}, %r3;",
		"r:%rd1 r:%r1 r:%r2 r:%r3" },
	{ "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2}, %rd1, %rd2, %p1, 1, 1, 0, 0;",
		"r:%f1 w:%f1 r:%f2 w:%f2 r:%rd1 r:%rd2 r:%p1" },
	{ "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r1, %r2}, [%r3];", "w:%r1 w:%r2 r:%r3" },
	{ "tcgen05.ld.red.sync.aligned.32x32b.x2.min.f32 {%f1, %f2}, %f3, [%r3];",
		"w:%f1 w:%f2 w:%f3 r:%r3" },
	{ "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r3], {%r1};", "r:%r3 r:%r1" },
	{ "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r1, %r2, %r3, _}, %q;",
		"w:%r1 w:%r2 w:%r3 r:%q" },
	{ "isspacep.shared %p1, %rd1;", "w:%p1 r:%rd1" },
	{ "getctarank.u32 %r1, %rd1;", "w:%r1 r:%rd1" },
	{ "createpolicy.fractional.L2::evict_last.b64 %rd1, %f1;", "w:%rd1 r:%f1" },
	{ "vadd.u32.u32.u32.add %r1.b0, %r2.b1, %r3.h0, %r4;", "r:%r1 w:%r1 r:%r2 r:%r3 r:%r4" },
	{ "testp.nan.f32 %p1, %f1;", "w:%p1 r:%f1" },
	{ "stackrestore.u64 %rd1;", "r:%rd1" },
	{ "alloca.u64 %rd1, %rd2, 8;", "w:%rd1 r:%rd2" },
	{ "nanosleep.u32 %r1;", "r:%r1" },
	{ "unheard.of.u32 %r1, [%rd1], {%r2, 3};", "r:%r1 w:%r1 r:%rd1 w:%rd1 r:%r2 w:%r2" },
	{ "ret;", "" },
};

static void
test_refs(void)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		Module *m = parse_body(names[i][0]);
		Buf text = { 0 };
		buf_puts(&text, "");
		if (m)
			put_names(m, first_insn(m), &text);
		if (strcmp(text.at, names[i][1]) != 0)
			printf("# %s\n# %s\n", names[i][0], text.at);
		CHECK("names", m && strcmp(text.at, names[i][1]) == 0);
		buf_free(&text);
		done(m);
	}
}

/* ---- opcodes --------------------------------------------------------------------------------- */

static const struct {
	const char *line;
	Op op;
	uint32_t set, clear;
	Space space;
	Type type;
} opcodes[] = {
	{ "add.s32 %r1, %r2, %r3;", OP_ADD, OPF_PURE | OPF_WRITES1, OPF_EFFECT, SPACE_GENERIC,
		TYPE_S32 },
	{ "add.cc.u32 %r1, %r2, %r3;", OP_ADD_CC, OPF_CARRY, OPF_PURE, SPACE_GENERIC, TYPE_U32 },
	{ "addc.cc.u32 %r1, %r2, %r3;", OP_ADDC, OPF_CARRY, OPF_PURE, SPACE_GENERIC, TYPE_U32 },
	{ "mad.lo.cc.u32 %r1, %r2, %r3, %r4;", OP_MAD_CC, OPF_CARRY, OPF_PURE, SPACE_GENERIC,
		TYPE_U32 },
	{ "cvt.rn.f32.s32 %f1, %r1;", OP_CVT, OPF_PURE, 0, SPACE_GENERIC, TYPE_S32 },
	{ "add.rn.bf16x2 %r1, %r2, %r3;", OP_ADD, OPF_PURE, 0, SPACE_GENERIC, TYPE_B32 },
	{ "ld.u32.global %r1, [%rd1];", OP_LD, OPF_LOAD, OPF_EFFECT | OPF_PURE, SPACE_GLOBAL,
		TYPE_U32 },
	{ "ld /* .shared */ .volatile .global.u32 %r1, [%rd1];", OP_LD, OPF_LOAD | OPF_EFFECT, 0,
		SPACE_GLOBAL, TYPE_U32 },
	{ "ld # 3 \"f.volatile.cu\"\n.global.u32 %r1, [%rd1 + # 4 \"g\"\n 4];", OP_LD, OPF_LOAD,
		OPF_EFFECT, SPACE_GLOBAL, TYPE_U32 },
	{ "ld.acquire.gpu.u32 %r1, [%rd1];", OP_LD, OPF_EFFECT, 0, SPACE_GENERIC, TYPE_U32 },
	{ "ld.shared::cluster.u32 %r1, [%r2];", OP_LD, OPF_LOAD, 0, SPACE_SHARED, TYPE_U32 },
	{ "ld.param::entry.u64 %rd1, [out];", OP_LD, OPF_LOAD, 0, SPACE_PARAM, TYPE_U64 },
	{ "st.local.v2.f32 [%rd1], {%f1, %f2};", OP_ST, OPF_STORE, OPF_LOAD | OPF_WRITES1,
		SPACE_LOCAL, TYPE_F32 },
	{ "mov.u32 %r1, %clock;", OP_MOV, OPF_VARIES, OPF_PURE, SPACE_GENERIC, TYPE_U32 },
	{ "mov.u32 %r1, %tid.x;", OP_MOV, OPF_PURE, 0, SPACE_GENERIC, TYPE_U32 },
	{ "bar.warp.sync -1;", OP_BAR_WARP, OPF_CROSS, OPF_BARRIER, SPACE_GENERIC, TYPE_NONE },
	{ "bar.sync 0;", OP_BAR, OPF_BARRIER, OPF_WRITES1, SPACE_GENERIC, TYPE_NONE },
	{ "bar.cta.red.popc.u32 %r1, 0, %p1;", OP_BAR_RED, OPF_BARRIER | OPF_WRITES1, 0,
		SPACE_GENERIC, TYPE_U32 },
	{ "barrier.cluster.arrive.release;", OP_BARRIER_CLUSTER, OPF_BARRIER, 0, SPACE_GENERIC,
		TYPE_NONE },
	{ "barrier.sync 0;", OP_BARRIER, OPF_BARRIER, 0, SPACE_GENERIC, TYPE_NONE },
	{ "cp.async.wait_all;", OP_CP_ASYNC_WAIT_ALL, OPF_EFFECT, 0, SPACE_GENERIC, TYPE_NONE },
	{ "cp.async.bulk.wait_group.read 0;", OP_CP_ASYNC_BULK_WAIT, OPF_EFFECT, OPF_LOAD,
		SPACE_GENERIC, TYPE_NONE },
	{ "cp.async.bulk.prefetch.L2.global [%rd1], 16;", OP_CP_ASYNC_BULK_PREFETCH, 0, OPF_STORE,
		SPACE_GLOBAL, TYPE_NONE },
	{ "cp.async.cg.shared.global [%r1], [%rd1], 16;", OP_CP_ASYNC, OPF_LOAD | OPF_STORE, 0,
		SPACE_SHARED, TYPE_NONE },
	{ "red.async.relaxed.cluster.mbarrier::complete_tx::bytes.shared::cluster.inc.u32 [%r1], %r2, [%r3];",
		OP_RED_ASYNC, OPF_ATOMIC, OPF_WRITES1, SPACE_SHARED, TYPE_U32 },
	{ "vote.sync.any.pred %p1, %p2, -1;", OP_VOTE, OPF_CROSS | OPF_VARIES, 0, SPACE_GENERIC,
		TYPE_PRED },
	{ "wgmma.fence.sync.aligned;", OP_WGMMA_FENCE, OPF_CROSS, 0, SPACE_GENERIC, TYPE_NONE },
	{ "exit;", OP_EXIT, OPF_EXIT, 0, SPACE_GENERIC, TYPE_NONE },
	{ "trap;", OP_TRAP, OPF_EXIT | OPF_EFFECT, 0, SPACE_GENERIC, TYPE_NONE },
	{ "wgmma.future %r1;", OP_UNKNOWN, 0, OPF_PURE, SPACE_GENERIC, TYPE_NONE },
	{ "ad %r1;", OP_UNKNOWN, 0, OPF_PURE, SPACE_GENERIC, TYPE_NONE },
	{ "addcc %r1;", OP_UNKNOWN, 0, OPF_PURE, SPACE_GENERIC, TYPE_NONE },
};

static void
test_opcodes(void)
{
	for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++) {
		Module *m = parse_body(opcodes[i].line);
		const Stmt *s = m ? first_insn(m) : NULL;
		bool ok = s && ptx_op(m, s) == opcodes[i].op &&
			(ptx_flags(m, s) & opcodes[i].set) == opcodes[i].set &&
			!(ptx_flags(m, s) & opcodes[i].clear) &&
			ptx_space(m, s) == opcodes[i].space &&
			ptx_insn_type(m, s) == opcodes[i].type;
		if (!ok && s)
			printf("# %s: %s flags %x space %d type %d\n", opcodes[i].line,
				ptx_ops[ptx_op(m, s)].name, ptx_flags(m, s), ptx_space(m, s),
				ptx_insn_type(m, s));
		CHECK("opcode", ok);
		done(m);
	}
}

/* ---- constants ------------------------------------------------------------------------------- */

static const struct { const char *text; uint64_t value; bool real;
} constants[] = {
	{ "42", 42, false },
	{ "0x10U", 16, false },
	{ "0b101", 5, false },
	{ "017", 15, false },
	{ "0", 0, false },
	{ "18446744073709551615", UINT64_MAX, false },
	{ "-1", UINT64_MAX, false },
	{ "1+2*3", 7, false },
	{ "(1+2)*3", 9, false },
	{ "7 % 4 - -3", 6, false },
	{ "1<<4|1", 17, false },
	{ "-8>>1", (uint64_t)-4, false },
	{ "(.u64)-8>>60", 15, false },
	{ "~0 == -1", 1, false },
	{ "!3", 0, false },
	{ "1 < 2 ? 10 : 20", 10, false },
	{ "0?1:0?2:3", 3, false },
	{ "-7/2", (uint64_t)-3, false },
	{ "0xffffffffffffffff/2", INT64_MAX, false },
	{ "1&&0||1", 1, false },
	{ "5^1&3", 4, false },
	{ "1/*c*/+ /* 9 */ 1", 2, false },
	{ "0f3f800000", 0x3f800000, true },
	{ "0d3FF0000000000000", 0x3ff0000000000000, true },
	{ "1.5", 0x3ff8000000000000, true },
	{ "-2.0", 0xc000000000000000, true },
	{ "1e2", 0x4059000000000000, true },
	{ ".5", 0x3fe0000000000000, true },
	{ "-9223372036854775807-1 / -1", 0x8000000000000002, false },
	{ "WARP_SZ*2", 64, false },
	{ "0XaB", 0xab, false },
	{ "-0x10", (uint64_t)-16, false },
	{ "- 5", (uint64_t)-5, false },
	{ "00", 0, false },
	{ "7U", 7, false },
	{ "999999999999999999", 999999999999999999, false },
	{ "9223372036854775808", UINT64_C(1) << 63, false },
	{ "0xfedcba9876543210", 0xfedcba9876543210, false },
	{ "-0d3FF0000000000000", 0xbff0000000000000, true },
	{ "-0F3F800000", UINT64_C(1) << 63 | 0x3f800000, true },
};

static void
test_constants(void)
{
	char line[200];
	uint64_t v;
	bool real;

	for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
		snprintf(line, sizeof line, "foo %s;", constants[i].text);
		Module *m = parse_body(line);
		bool ok = m && ptx_imm(m, &m->opnds[ptx_operand(m, first_insn(m), 0)], &v, &real) &&
			v == constants[i].value && real == constants[i].real;
		if (!ok)
			printf("# %s: %llx\n", constants[i].text, (unsigned long long)v);
		CHECK("constant", ok);
		done(m);
	}
	Module *m = parse_body("foo 1/0;");
	CHECK("constant: division by zero has no value",
		m && !ptx_imm(m, &m->opnds[first_insn(m)->opnd], &v, &real));
	done(m);
}

static void
test_offsets(void)
{
	static const struct {
		const char *text;
		int64_t value;
	} offsets[] = { { "[%rd1]", 0 }, { "[%rd1+4]", 4 }, { "[%rd1 + -4]", -4 },
		{ "[%rd1+4*2, {%r1, %r2}]", 8 }, { "[g+(1?4:8) , %r1]", 4 }, { "[16]", 0 },
		{ "g+12", 12 }, { "[%rd1/* +9 */+0x10/* , */, %r2, {1}]", 16 },
		{ "[%rd1 + # 4 \"g\"\n 4]", 4 } };
	char line[200];
	int64_t v;

	for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
		snprintf(line, sizeof line, "foo %s;", offsets[i].text);
		Module *m = parse_body(line);
		CHECK("offset",
			m && ptx_offset(m, &m->opnds[first_insn(m)->opnd], &v) &&
				v == offsets[i].value);
		done(m);
	}
}

/* ---- names ----------------------------------------------------------------------------------- */

/* The symbol that the k-th operand of the n-th instruction (both from 0) names. */
static const Sym *
named(const Module *m, int n, uint32_t k)
{
	const Stmt *s = m->stmts + 1;

	for (;; s++)
		if (s->kind == STMT_INSN && n-- == 0)
			return &m->syms[m->opnds[ptx_operand(m, s, k)].sym];
}

static void
test_names(void)
{
	Module *m = parse_body(
		"mov.u32 %r7, %r3; mov.u32 %r07, 1; { .reg .f64 %r<4>; mov.u32 %r3, %r9; { mov.u32 %r3, 1; } }"
		" mov.u32 %r3, 2; { .reg .u32 %r3; mov.u32 %r3, 3; } mov.u32 %r3, 4;");
	CHECK("names: a member is one symbol",
		named(m, 0, 0) == named(m, 1, 0) && named(m, 0, 0)->kind == SYM_REG);
	CHECK("names: its bank",
		m->syms[named(m, 0, 0)->aux].kind == SYM_BANK &&
			m->syms[named(m, 0, 0)->aux].aux == 40);
	CHECK("names: an inner bank hides",
		named(m, 2, 0)->type == TYPE_F64 && named(m, 2, 0) == named(m, 3, 0));
	CHECK("names: and only as far as it goes", named(m, 2, 1)->type == TYPE_B32);
	CHECK("names: afterwards the outer one again",
		named(m, 4, 0) == named(m, 0, 1) && named(m, 6, 0) == named(m, 0, 1));
	CHECK("names: an inner register hides",
		named(m, 5, 0) != named(m, 0, 1) && named(m, 5, 0)->type == TYPE_U32);
	done(m);
	m = parse_body("A: bra A; { bra A; A: bra A; { bra A; } } { bra A; } bra L;");
	CHECK("labels: back and forth",
		named(m, 0, 0) == named(m, 4, 0) && named(m, 5, 0)->kind == SYM_LABEL);
	CHECK("labels: an inner one hides, also above where it stands",
		named(m, 1, 0) != named(m, 0, 0) && named(m, 1, 0) == named(m, 2, 0) &&
			named(m, 1, 0) == named(m, 3, 0));
	done(m);
	m = parse_body(
		"{ .reg .u32 %tid; mov.u32 %r1, %tid; } mov.u32 %r1, %tid.y; call plain; mov.u64 %rd1, g; mov.u32 %r1, WARP_SZ;");
	CHECK("names: a special register can be hidden",
		named(m, 0, 1)->kind == SYM_REG && named(m, 1, 1)->kind == SYM_SPECIAL);
	CHECK("names: which special register",
		named(m, 1, 1)->aux == SREG_TID && named(m, 4, 1)->aux == SREG_WARP_SZ);
	CHECK("names: component", m->opnds[ptx_operand(m, first_insn(m) + 2, 1)].sel == 'y');
	CHECK("names: function",
		named(m, 2, 0)->kind == SYM_FUNC && !m->funcs[named(m, 2, 0)->func].body);
	CHECK("names: variable",
		named(m, 3, 1)->kind == SYM_VAR && named(m, 3, 1)->aux == 64 &&
			named(m, 3, 1)->func == 0);
	const Var *v = ptx_var(m, (uint32_t)(named(m, 3, 1) - m->syms));
	CHECK("names: its size and alignment", v && v->bytes == 64 && v->align == 16);
	done(m);
}

static void
test_functions(void)
{
	Module *m = parse(HEAD
		".func (.param .b32 r) f(.param .b32 a);\n.func (.param .b32 r) f(.param .b32 a) .noreturn;\n"
		".visible .entry k(.param .u64 .ptr .global .align 16 p, .param .align 8 .b8 s[24]) .maxntid 128, 2 .reqntid 64\n"
		"{ call (r), f, (a); .reg .b32 r, a; }\n.weak .func (.param .b32 r) f(.param .b32 a) { ret; }\n");
	CHECK("functions: use above declaration", !m && diags_errors(diags) == 2);
	done(m);
	m = parse(HEAD
		".func (.param .b32 r) f(.param .b32 a);\n.func (.param .b32 r) f(.param .b32 a) .noreturn;\n"
		".visible .entry k(.param .u64 .ptr .global .align 16 p, .param .align 8 .b8 s[24]) .maxntid 128, 2 .reqntid 64\n"
		"{ .reg .b32 r, a; call (r), f, (a); }\n.weak .func (.param .b32 r) f(.param .b32 a) { ret; }\n");
	CHECK("functions: counted", m && m->nfuncs == 5);
	const Func *f = m->funcs;
	CHECK("functions: one symbol",
		f[1].sym == f[2].sym && f[1].sym == f[4].sym && m->syms[f[1].sym].func == 4);
	CHECK("functions: bodies",
		!f[1].body && !f[2].body && f[3].body && f[4].body && f[2].noreturn &&
			!f[3].noreturn);
	CHECK("functions: kinds",
		f[3].entry && !f[4].entry && f[3].linkage == LINK_VISIBLE &&
			f[4].linkage == LINK_WEAK);
	CHECK("functions: limits",
		f[3].maxntid[0] == 128 && f[3].maxntid[1] == 2 && f[3].maxntid[2] == 1 &&
			f[3].reqntid[0] == 64);
	CHECK("functions: parameters",
		f[3].nparam == 2 && f[3].nret == 0 && f[4].nparam == 1 && f[4].nret == 1);
	CHECK("functions: their symbols",
		m->syms[f[3].param + 1].kind == SYM_PARAM && m->syms[f[3].param + 1].aux == 24 &&
			m->syms[f[4].ret].func == 4 && f[4].sym0 <= f[4].ret);
	CHECK("functions: extent",
		strncmp(src.text + f[3].at.pos, ".visible .entry k", 17) == 0 &&
			src.text[f[3].block.pos] == '{' && src.text[f[3].at.end - 1] == '}' &&
			f[3].block.end == f[3].at.end);
	CHECK("functions: alignment of a pointer's target is not the parameter's",
		ptx_var(m, f[3].param)->align == 8);
	done(m);
}

static void
test_markers(void)
{
	Module *m = parse_body(
		"\t// begin inline asm\r\n"
		"\t// .ccc begin for-var 7 \"a=20b/c.cu\":14 policy( stack ), reduction(=2A: s, x)\r\n"
		"\t// end inline asm\r\n// begin inline asm\n// .ccc end if 3\n// end inline asm\n"
		"// begin inline asm\n// .ccc done while 9 \"a.cu\":1\n// end inline asm\n"
		"// begin inline asm\n// other\n// end inline asm\n"
		"// begin inline asm\n// .ccc begin if 4 \"a.cu\":1 reduction(=2A:s) treads(4)\n"
		"// end inline asm\n");
	CHECK("markers: counted", m && m->nmarkers == 5 && m->funcs[m->nfuncs - 1].nmarkers == 4);
	const Marker *k = m->markers;
	CHECK("markers: begin", !k[1].end && !k[1].done && k[1].annot.kind == ANNOT_FOR_VAR &&
		k[1].id == 7 && k[1].cuda.line == 14);
	CHECK("markers: decoded", strcmp(k[1].cuda.file, "a b/c.cu") == 0 && !k[1].wrong &&
		k[1].annot.policy == POLICY_STACK && k[1].annot.nlists == 1 &&
		k[1].annot.lists[0].op == OPERATOR_MUL);
	CHECK("markers: end", k[2].end && k[2].annot.kind == ANNOT_IF && k[2].id == 3 &&
		k[2].annot.given == 0);
	CHECK("markers: done", k[3].done && k[3].annot.kind == ANNOT_WHILE);
	CHECK("markers: misspelt",
		k[4].wrong && k[4].annot.kind == ANNOT_IF && k[4].annot.given == 0 &&
			strcmp(k[4].wrong, "unknown clause 'treads'; did you mean 'threads'?") ==
				0);
	CHECK("markers: where", strncmp(src.text + k[4].wrong_at, "treads(4)", 9) == 0);
	CHECK("markers: statement",
		m->stmts[k[1].stmt].kind == STMT_MARKER && m->stmts[k[1].stmt].sym == 1);
	done(m);
}

static void
test_loc(void)
{
	Module *m = parse(HEAD
		".file 1 \"a.cu\"\n.file 2 \"dir/b.cuh\", 1, 2\n.entry k {\nret;\n.loc 2 17 3\nret;\n.loc 2 0 0\nret;\n}\n.entry j { ret; }\n");
	Cuda_pos at;

	CHECK("loc: none yet", m && !ptx_cuda_pos(m, 1, &at));
	CHECK("loc: file, line, column",
		ptx_cuda_pos(m, 3, &at) && strcmp(at.file, "dir/b.cuh") == 0 && at.line == 17 &&
			at.col == 3);
	CHECK("loc: line 0 is none", !ptx_cuda_pos(m, 5, &at) && !at.file);
	CHECK("loc: not another function's", !ptx_cuda_pos(m, m->nstmts - 1, &at));
	done(m);
}

int
main(void)
{
	test_refs();
	test_opcodes();
	test_constants();
	test_offsets();
	test_names();
	test_functions();
	test_markers();
	test_loc();
	return test_end();
}
