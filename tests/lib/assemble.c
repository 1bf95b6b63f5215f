/* SPDX-License-Identifier: MIT */
/* ptxccc_on_assemble: no text that the assembler refuses, no kernel that lost blocks it could be
 * launched with, and none that lost room for warps for a few registers. The assembler here says
 * what the case wants it to say; tests/nvcc/registers.sh has the real one. */
#include <ptxccc/ptxccc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed;
#define CHECK(name, x) ((x) ? (void)passed++ : (void)(failed++, printf("FAIL lib %s\n", name)))

#define KERNEL(name, bounds, n) KERNEL_WITH(name, bounds, n, "")
#define KERNEL_WITH(name, bounds, n, end) \
	".visible .entry " name "(.param .u64 p, .param .u32 n)\n" bounds "{\n" \
	"\t.reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<6>;\n" \
	"\tld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\n" \
	"\t// begin inline asm\n\t// .ccc begin for " n "0 \"k.cu\":3\n\t// end inline asm\n" \
	"LOOP:\n" \
	"\tsetp.ge.u32 %p1, %r2, %r1;\n\t@%p1 bra END;\n" \
	"\tmul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2;\n" \
	"\tld.global.u32 %r3, [%rd3];\n\tsetp.eq.u32 %p2, %r3, 0;\n\t@%p2 bra NEXT;\n" \
	"\t// begin inline asm\n\t// .ccc begin if " n "1 \"k.cu\":5\n\t// end inline asm\n" \
	"\trem.u32 %r4, %r3, 7; st.global.u32 [%rd3], %r4;\n" \
	"\t// begin inline asm\n\t// .ccc end if " n "1\n\t// end inline asm\n" \
	"NEXT:\n\tadd.u32 %r2, %r2, 32;\n\tbra LOOP;\n" \
	"END:\n" \
	"\t// begin inline asm\n\t// .ccc end for " n "0\n\t// end inline asm\n" \
	end "\tret;\n}\n"
#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

static const char open_ended[] = HEAD KERNEL("k", "", "1");
static const char bounded[] = HEAD KERNEL("k", ".maxntid 256, 1, 1\n", "1");
static const char limited[] = HEAD KERNEL("k", ".maxnreg 200\n", "1");
static const char calling[] = HEAD ".func f()\n{\n\tret;\n}\n" KERNEL_WITH("k",
	".maxntid 256, 1, 1\n", "1", "\tcall f;\n");
static const char elsewhere[] = HEAD ".extern .func f();\n" KERNEL_WITH("k", "", "1",
	"\tcall f;\n");
static const char two[] = HEAD KERNEL("k", "", "1") KERNEL("m", ".maxntid 256\n",
	"2") ".visible .entry other(.param .u64 p)\n{\n\t.reg .b32 %own;\n\tmov.u32 %own, 1;\n\tret;\n}\n";
/* Only ptxas knows which product is fused: the dead move makes each of them unknown. */
static const char unsure[] = HEAD KERNEL("k", "", "1")
	".visible .entry sum(.param .u64 p)\n{\n"
	"\t.reg .f32 %f<6>; .reg .b64 %rd<2>; .reg .b32 %r;\n\tmov.u32 %r, 1;\n"
	"\tld.param.u64 %rd1, [p]; ld.global.v2.f32 {%f1, %f2}, [%rd1];\n"
	"\tmul.f32 %f3, %f1, %f1; mul.f32 %f4, %f2, %f2; add.f32 %f5, %f3, %f4;\n"
	"\tst.global.f32 [%rd1], %f5;\n\tret;\n}\n";
/* Whether ptxas negates by an addition, which changes a NaN's sign, or in the selection. */
static const char sign[] = HEAD KERNEL("k", "", "1")
	".visible .entry sign(.param .u64 p)\n{\n"
	"\t.reg .f32 %f<5>; .reg .b64 %rd<2>; .reg .pred %p<2>;\n"
	"\tld.param.u64 %rd1, [p]; ld.global.v2.f32 {%f1, %f2}, [%rd1];\n"
	"\tneg.f32 %f3, %f1; setp.gt.f32 %p1, %f2, 0f00000000; @%p1 bra LAST;\n"
	"\tst.global.f32 [%rd1], %f2;\n"
	"LAST:\n\tselp.f32 %f4, %f3, %f2, %p1; st.global.f32 [%rd1+4], %f4;\n\tret;\n}\n";
#define MARK(what) "\t// begin inline asm\n\t// .ccc " what "\n\t// end inline asm\n"
#define SUMS_WITH(loop, path, path_end, loop_end, last) HEAD \
	".visible .entry k(.param .u64 p, .param .u32 n)\n{\n" \
	"\t.reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<6>; .reg .f32 %f<9>;\n" \
	"\t.loc 1 3 1\n" \
	"\tld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mov.u32 %r7, 1;\n" \
	loop "LOOP:\n" \
	"\tsetp.ge.u32 %p1, %r2, %r1;\n\t@%p1 bra END;\n" \
	"\tmul.wide.u32 %rd2, %r2, 8; add.s64 %rd3, %rd1, %rd2;\n" \
	"\tld.global.v2.f32 {%f1, %f2}, [%rd3];\n\tsetp.gt.f32 %p2, %f1, 0f3F800000;\n\t@%p2 bra NEXT;\n" \
	path "\tmul.f32 %f3, %f1, %f1;\n\tmul.f32 %f4, %f2, %f2;\n\t" last "\n" \
	"\tst.global.f32 [%rd3], %f5;\n" \
	path_end "NEXT:\n\tadd.u32 %r2, %r2, 32;\n\tbra LOOP;\n" \
	"END:\n" loop_end "\tret;\n}\n\t.file 1 \"k.cu\"\n"
#define SUMS(last) SUMS_WITH(MARK("begin for 1 \"k.cu\":3 proven policy(wait)"), \
	MARK("begin if 2 \"k.cu\":5 proven"), MARK("end if 2"), MARK("end for 1"), last)
#define PLAIN_SUMS(last) SUMS_WITH("", "", "", "", last)
static const char squares[] = SUMS("add.f32 %f5, %f3, %f4;");
static const char difference[] = SUMS("sub.f32 %f5, %f3, %f4;");
#define TWICE "mul.f32 %f6, %f1, %f2;\n\tmul.f32 %f7, %f1, %f2;\n\tadd.f32 %f5, %f6, %f7;"
static const char twice[] = SUMS(TWICE), plain_twice[] = PLAIN_SUMS(TWICE);
static const char plain_squares[] = PLAIN_SUMS("add.f32 %f5, %f3, %f4;");
static const char swapped_squares[] = PLAIN_SUMS("add.f32 %f5, %f4, %f3;");

/* An assembler: registers of k before, after, and after where it is held to some, and bytes that it
 * stores then; 0: it refuses the text. asks: how often it is asked; 0: that does not matter. */
typedef struct {
	int before, after, held, stores, asks;
	const char *option, *next_option;
	/* the machine code of a text with explicit products, and of others; NULL: not supplied */
	const char *code, *explicit_code;
	int is_explicit;        /* the last text has explicit products */
	const char *marked;     /* the code of explicit products with markers; NULL: the same */
	const char *plain;      /* the text without annotations; NULL: not supplied */
	int is_marked;
	int asked, saw_other;
	char log[600], diagnosed[100], text[400];
} Fake;

static int
assemble(void *user, const char *ptx, size_t len, const char **log)
{
	Fake *f = (Fake *)user;
	int done = strstr(ptx, "vote.sync") != NULL,
	    held = done && strstr(ptx, ".maxnreg") && !strstr(ptx, ".maxnreg 200"),
	    used = !done ? f->before : held ? f->held : f->after;

	f->asked++;
	f->is_explicit = strstr(ptx, "fma.rn") != NULL;
	f->is_marked = strstr(ptx, ".ccc begin") != NULL;
	f->saw_other |= strstr(ptx, "%own") != NULL || strlen(ptx) != len;
	snprintf(f->log, sizeof f->log,
		used ? "ptxas info    : Compiling entry function 'k' for 'sm_70'\nptxas info    : Function properties for callee\n"
		       "    8 bytes stack frame, 999 bytes spill stores, 0 bytes spill loads\nptxas info    : Function properties for k\n"
		       "    8 bytes stack frame, %d bytes spill stores, 4 bytes spill loads\n"
		       "ptxas info    : Used %d registers, used 0 barriers\n" :
		       "ptxas x.ptx, line 7; error   : wrong\n",
		held ? f->stores : 0, used);
	*log = f->log;
	return used == 0;
}

static const char *
machine_code(void *user, size_t *len)
{
	const Fake *f = (const Fake *)user;
	const char *code = f->is_explicit && f->is_marked && f->marked ? f->marked :
		f->is_explicit ? f->explicit_code : f->code;

	*len = code ? strlen(code) : 0;
	return code;
}

static void
see_diagnostic(void *user, const ptxccc_diagnostic *d)
{
	Fake *f = (Fake *)user;

	snprintf(f->diagnosed + strlen(f->diagnosed), sizeof f->diagnosed - strlen(f->diagnosed),
		"%s ", d->name);
	snprintf(f->text, sizeof f->text, "%s\n%s", d->text, d->notes);
}

static ptxccc *
transform_ptx(const char *ptx, Fake *f)
{
	ptxccc *c = ptxccc_new(NULL, NULL);

	ptxccc_option(c, "--choose=first"); /* a plan, whatever it gains */
	if (f->option)
		ptxccc_option(c, f->option);
	if (f->next_option)
		ptxccc_option(c, f->next_option);
	ptxccc_on_assemble(c, assemble, f);
	ptxccc_on_machine_code(c, machine_code);
	if (f->plain)
		ptxccc_plain(c, "plain.ptx", f->plain, strlen(f->plain));
	ptxccc_on_diagnostic(c, see_diagnostic, f);
	CHECK("transforms", ptxccc_transform(c, "k.ptx", ptx, strlen(ptx)) == PTXCCC_OK);
	return c;
}

/* What comes out: has `wanted`, and is the input if wanted is NULL. */
static int
check_output(const char *ptx, Fake f, const char *wanted, const char *diagnosed, const char *text)
{
	ptxccc *c = transform_ptx(ptx, &f);
	const char *out = ptxccc_text(c, NULL);
	int same = strcmp(out, ptx) == 0, ok = wanted ? !same && strstr(out, wanted) : same;

	if (!ok || strcmp(f.diagnosed, diagnosed) != 0 || !strstr(f.text, text) || f.saw_other ||
		(f.asks && f.asks != f.asked)) {
		printf("# said %s: %s\n", f.diagnosed, f.text);
		ok = 0;
	}
	ptxccc_free(c);
	return ok;
}

/* of a multiprocessor, for blocks of 256 threads: 64 warps with 32 registers a thread, 48 with 40,
 * 40 with 48 */
static void
room(void)
{
	CHECK("room for as many warps",
		check_output(bounded, (Fake){ .before = 24, .after = 37, .held = 32, .asks = 3 },
			"1, 1\n.maxnreg 32\n{", "", ""));
	CHECK("without launch bounds",
		check_output(open_ended, (Fake){ .before = 24, .after = 33, .held = 32, .asks = 3 },
			".maxnreg 32\n{", "", ""));
	CHECK("nothing lost",
		check_output(bounded, (Fake){ .before = 33, .after = 40, .asks = 2 }, "1, 1\n{", "", ""));
	CHECK("room, but by spilling",
		check_output(bounded,
			(Fake){ .before = 24, .after = 37, .held = 32, .stores = 4, .asks = 3 },
			"1, 1\n{", "", ""));
	CHECK("room, but it takes more",
		check_output(bounded, (Fake){ .before = 24, .after = 37, .held = 37, .asks = 3 },
			"1, 1\n{", "", ""));
	CHECK("too far to go",
		check_output(bounded, (Fake){ .before = 24, .after = 42, .held = 40, .asks = 2 },
			"1, 1\n{", "", ""));
	CHECK("no matter what room",
		check_output(bounded,
			(Fake){ .before = 24,
				.after = 37,
				.held = 32,
				.asks = 2,
				.option = "--occupancy=ignore" },
			"1, 1\n{", "", ""));
	CHECK("what is spilled in functions is not told",
		check_output(calling, (Fake){ .before = 24, .after = 37, .held = 32, .asks = 2 },
			"1, 1\n{", "", ""));
	CHECK("a limit of its own",
		check_output(limited, (Fake){ .before = 24, .after = 37, .held = 32, .asks = 3 },
			"\n.maxnreg 32\n{", "", ""));
}

/* A guess at what is contracted counts only if the machine code is the input's. */
static void
contraction(void)
{
	static const char *const why = "whether ptxas fuses this multiplication";

	CHECK("the first product of a sum",
		check_output(squares,
			(Fake){ .before = 30, .after = 30, .code = "C", .explicit_code = "C" },
			"\tmul.rn.f32 %f4, %f2, %f2;\n\tfma.rn.f32 %f5, %f1, %f1, %f4;\n", "", ""));
	CHECK("a difference",
		check_output(difference,
			(Fake){ .before = 30, .after = 30, .code = "C", .explicit_code = "C" },
			"\tmul.rn.f32 %f4, %f2, %f2;\n\t{ .reg .f32 %ccc_minus; neg.f32 %ccc_minus, %f4; fma.rn.f32 %f5, %f1, %f1, %ccc_minus; }\n",
			"", ""));
	CHECK("other code",
		check_output(squares,
			(Fake){ .before = 30, .after = 30, .code = "C", .explicit_code = "D", .asks = 2 },
			NULL, "ccc-rounding ", why));
	CHECK("longer code",
		check_output(squares,
			(Fake){ .before = 30, .after = 30, .code = "C", .explicit_code = "CC" }, NULL,
			"ccc-rounding ", why));
	CHECK("no code",
		check_output(squares, (Fake){ .before = 30, .after = 30 }, NULL, "ccc-rounding ", why));
	CHECK("as without annotations",
		check_output(squares,
			(Fake){ .before = 30,
				.after = 30,
				.code = "C",
				.explicit_code = "C",
				.marked = "M",
				.plain = plain_squares },
			"\tfma.rn.f32 %f5, %f1, %f1, %f4;\n", "", ""));
	CHECK("other code without annotations",
		check_output(squares,
			(Fake){ .before = 30,
				.after = 30,
				.code = "C",
				.explicit_code = "D",
				.marked = "M",
				.plain = plain_squares },
			NULL, "ccc-rounding ", why));
	CHECK("the other product without annotations",
		check_output(squares,
			(Fake){ .before = 30,
				.after = 30,
				.code = "C",
				.explicit_code = "C",
				.marked = "M",
				.plain = swapped_squares },
			NULL, "ccc-rounding ", why));
	CHECK("products that lines and operands do not distinguish",
		check_output(twice,
			(Fake){ .before = 30,
				.after = 30,
				.code = "C",
				.explicit_code = "C",
				.marked = "M",
				.plain = plain_twice },
			NULL, "ccc-rounding ", why));
	CHECK("results may differ",
		check_output(squares,
			(Fake){ .before = 30,
				.after = 30,
				.code = "C",
				.explicit_code = "C",
				.option = "--fp=relaxed" },
			"\tadd.f32 %f5, %f3, %f4;\n", "", ""));
}

/* Without the option, the loop is transformed, which leaves the products outside of it to the
 * assembler. */
static void
other_assembler(void)
{
	Fake f = { .before = 30, .after = 30 };

	CHECK("the same assembler", check_output(unsure, f, "vote.sync", "", ""));
	f.option = "--other-assembler";
	CHECK("another one, nothing to round",
		check_output(open_ended, f, "vote.sync", "", ""));
	CHECK("another one",
		check_output(unsure, f, NULL, "ccc-rounding ", "another assembler may fuse other"));
	CHECK("another one, a sign",
		check_output(sign, f, NULL, "ccc-rounding ", "another assembler may fuse other"));
	f.next_option = "--profile-generate";
	CHECK("another one, counting",
		check_output(unsure, f, NULL, "ccc-rounding ", "another assembler may fuse other"));
	f.next_option = "--no-other-assembler";
	CHECK("the same one again", check_output(unsure, f, "vote.sync", "", ""));
}

int
main(void)
{
	other_assembler();
	CHECK("as many blocks",
		check_output(open_ended, (Fake){ .before = 40, .after = 64 }, "vote.sync", "", ""));
	CHECK("fewer blocks than the largest",
		check_output(open_ended, (Fake){ .before = 40, .after = 65, .held = 64 }, ".maxnreg 64\n{",
			"ccc-maxnreg ",
			"kernel 'k' takes 65 registers a thread instead of 40: limited to 64, so that blocks of 1024 threads can still be launched"));
	CHECK("stored for it",
		check_output(open_ended,
			(Fake){ .before = 40, .after = 65, .held = 64, .stores = 12 },
			".maxnreg 64\n{", "ccc-maxnreg ", "ptxas stores 12 bytes"));
	CHECK("of fewer warps",
		check_output(open_ended, (Fake){ .before = 73, .after = 90, .held = 80 }, ".maxnreg 80\n{",
			"ccc-maxnreg ", "blocks of 800 threads"));
	CHECK("held in vain",
		check_output(open_ended, (Fake){ .before = 40, .after = 65, .held = 65 }, NULL,
			"ccc-registers ", "too many for blocks of 1024 threads"));
	CHECK("not to be held, since functions elsewhere may take more",
		check_output(elsewhere, (Fake){ .before = 40, .after = 65, .held = 64 }, NULL,
			"ccc-registers ", "too many for blocks of 1024 threads"));
	CHECK("refused",
		check_output(open_ended, (Fake){ .before = 40 }, NULL, "ccc-bug ",
			"line 7; error   : wrong"));
	CHECK("refused before, too", check_output(open_ended, (Fake){ .before = 0 }, "vote.sync", "", ""));
	CHECK("launch bounds",
		check_output(bounded, (Fake){ .before = 40, .after = 200 }, "vote.sync", "", ""));
	CHECK("another .maxnreg",
		check_output(limited, (Fake){ .before = 40, .after = 200, .held = 64 }, "\n.maxnreg 64\n{",
			"ccc-maxnreg ", "limited to 64"));
	CHECK("one of two kernels",
		check_output(two, (Fake){ .before = 40, .after = 65, .held = 65 }, "vote.sync",
			"ccc-registers ", "left unchanged"));
	room();
	contraction();
	printf("lib assemble: %d passed, %d failed\n", passed, failed);
	return failed != 0;
}
