/* SPDX-License-Identifier: MIT */
/* Which operands take slow paths on a GPU? Times operations with edge cases of operands, one lane
 * of a warp at a time, and compares with what the emulator says of them (simt/sass/slow_paths.h):
 * those that
 * it takes for quick must all take less time than any other. See simt-slow.sh.
 *
 * A row of a Markdown table for each operation. Exit status: 0 as the emulator says; 1 otherwise;
 * 2 no GPU.
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "simt/sass/slow_paths.h"

enum { BLOCKS = 528, ROOM = 40000, FRACTION32 = 23, FRACTION64 = 52 }; /* a warp a scheduler */

static const struct { const char *op; bool wide, two; } ops[] = {
	{ "div.rn.f32 %q, %x, %y;", false, true },
	{ "rcp.rn.f32 %q, %x;", false, false },
	{ "sqrt.rn.f32 %q, %x;", false, false },
	{ "div.rn.f64 %q, %x, %y;", true, true },
	{ "rcp.rn.f64 %q, %x;", true, false },
	{ "sqrt.rn.f64 %q, %x;", true, false },
	{ "rsqrt.approx.f64 %q, %x;", true, false },
};

/* Each pair of operands three times: the least time counts. `zero` is 0, which the compiler does
 * not know, so that each time is another; and branches keep what is timed from what is not. */
static const char text[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry k(.param .u64 a, .param .u64 out, .param .u32 n, .param .u32 zero)\n"
	"{\n"
	"\t.reg .pred %%p;\n\t.reg .b32 %%i, %%n, %%k, %%from, %%to, %%best, %%all, %%zero;\n"
	"\t.reg .b64 %%a, %%out, %%at;\n\t.reg .b%u %%bits, %%none, %%one;\n"
	"\t.reg .f%u %%q, %%x, %%y;\n"
	"\tld.param.u64 %%a, [a];\n\tld.param.u64 %%out, [out];\n\tld.param.u32 %%n, [n];\n"
	"\tld.param.u32 %%zero, [zero];\n"
	"\tmov.u32 %%i, %%ctaid.x;\n\tmov.u32 %%all, %%nctaid.x;\n"
	"$next:\n\tsetp.ge.u32 %%p, %%i, %%n;\n\t@%%p bra $end;\n"
	"\tmov.u32 %%best, 65535;\n\tmov.u32 %%k, 0;\n\tmad.wide.u32 %%at, %%i, %u, %%a;\n"
	"\tld.global.b%u %%bits, [%%at];\n\tld.global.f%u %%y, [%%at+%u];\n"
	"$again:\n\tmul.%s.u32 %%none, %%k, %%zero;\n\tor.b%u %%one, %%bits, %%none;\n"
	"\tmov.b%u %%x, %%one;\n\tmov.u32 %%from, %%clock;\n\t%s\n"
	"\tsetp.eq.f%u %%p, %%q, %%y;\n\t@!%%p bra $done;\n\tadd.u32 %%best, %%best, %%zero;\n"
	"$done:\n\tmov.u32 %%to, %%clock;\n"
	"\tsub.u32 %%to, %%to, %%from;\n\tmin.u32 %%best, %%best, %%to;\n"
	"\tadd.u32 %%k, %%k, 1;\n\tsetp.lt.u32 %%p, %%k, 3;\n\t@%%p bra $again;\n"
	"\tmad.wide.u32 %%at, %%i, 4, %%out;\n\tst.global.u32 [%%at], %%best;\n"
	"\tadd.u32 %%i, %%i, %%all;\n\tbra $next;\n$end:\n\tret;\n}\n";

static void
check_call(CUresult r, const char *call)
{
	const char *name = "?";
	if (r == CUDA_SUCCESS)
		return;
	cuGetErrorName(r, &name);
	fprintf(stderr, "simt_slow: %s: %s\n", call, name);
	exit(2);
}
#define CHECK(call) check_call(call, #call)

/* ---- operands -------------------------------------------------------------------------------- */

typedef struct { uint64_t x, y; } Pair;
typedef VEC(Pair) Pairs;

/* All exponents of one word, with the least and the largest fractions; two: of both. Of doubles
 * those at the ends, in the middle, and each 16th. */
static bool
is_tried(bool wide, uint32_t exponent)
{
	return !wide || exponent < 70 || exponent > 1990 || exponent % 16 == 0 ||
		(exponent > 1000 && exponent < 1050);
}

static void
pairs_of_exponents(bool wide, Pairs *to)
{
	uint32_t n = wide ? 2048 : 256, shift = wide ? FRACTION64 : FRACTION32;
	uint64_t least = 0, most = (UINT64_C(1) << shift) - 1;
	for (uint64_t i = 0; i < n; i++)
		for (uint64_t j = 0; j < n && is_tried(wide, (uint32_t)i); j++)
			if (is_tried(wide, (uint32_t)j)) {
				*vec_push(to) = (Pair){ i << shift | least, j << shift | most };
				*vec_push(to) = (Pair){ i << shift | most, j << shift | least };
			}
}

/* All words by their upper 16 bits. */
static void
make_words(bool wide, Pairs *to)
{
	uint32_t shift = wide ? 48 : 16;
	for (uint64_t i = 0; i < 65536; i++) {
		*vec_push(to) = (Pair){ i << shift, 0 };
		*vec_push(to) = (Pair){ i << shift | ((UINT64_C(1) << shift) - 1), 0 };
	}
}

/* ---- on the emulator, on the GPU ------------------------------------------------------------- */

static uint8_t
kind_of(const char *ptx)
{
	Source src;
	uint8_t kind = 0;
	source_from(&src, "slow.ptx", ptx, strlen(ptx));
	Diags *d = diags_new(&src);
	Module *m = ptx_parse(&src, d);
	for (uint32_t s = 0; m && s < m->nstmts && !kind; s++)
		kind = m->stmts[s].kind == STMT_INSN ? slow_path_kind(m, &m->stmts[s]) : 0;
	ptx_free(m);
	diags_free(d);
	source_release(&src);
	return kind;
}

static void
time_all(const char *ptx, const Pairs *p, bool wide, uint32_t *times)
{
	CUmodule module;
	CUfunction k;
	CUdeviceptr a, out;
	uint32_t size = wide ? 8 : 4, n = p->n, zero = 0;
	char *bytes = xmalloc((size_t)n * 2 * size);
	for (uint32_t i = 0; i < n; i++) {
		memcpy(bytes + (size_t)i * 2 * size, &p->at[i].x, size);
		memcpy(bytes + (size_t)i * 2 * size + size, &p->at[i].y, size);
	}
	CHECK(cuModuleLoadData(&module, ptx));
	CHECK(cuModuleGetFunction(&k, module, "k"));
	CHECK(cuMemAlloc(&a, (size_t)n * 2 * size));
	CHECK(cuMemAlloc(&out, (size_t)n * sizeof *times));
	CHECK(cuMemcpyHtoD(a, bytes, (size_t)n * 2 * size));
	void *args[] = { &a, &out, &n, &zero };
	CHECK(cuLaunchKernel(k, BLOCKS, 1, 1, 1, 1, 1, ROOM, NULL, args, NULL));
	CHECK(cuMemcpyDtoH(times, out, (size_t)n * sizeof *times));
	CHECK(cuMemFree(a));
	CHECK(cuMemFree(out));
	CHECK(cuModuleUnload(module));
	xfree(bytes);
}

/* A row of the table; false: some take as long as they should not. */
static bool
compare_operation(const char *ptx, const char *op, bool wide, bool two)
{
	struct { uint32_t n, least, most; } of[2] = { { 0, UINT32_MAX, 0 }, { 0, UINT32_MAX, 0 } };
	uint8_t kind = kind_of(ptx);
	Pairs p = { 0 };
	if (two)
		pairs_of_exponents(wide, &p);
	else
		make_words(wide, &p);
	uint32_t *times = xmalloc(p.n * sizeof *times);
	time_all(ptx, &p, wide, times);
	for (uint32_t i = 0; i < p.n; i++) {
		uint32_t slow = slow_path_class(kind, p.at[i].x, p.at[i].y) != 0;
		of[slow].n++;
		of[slow].least = times[i] < of[slow].least ? times[i] : of[slow].least;
		of[slow].most = times[i] > of[slow].most ? times[i] : of[slow].most;
	}
	bool right = of[0].n && of[1].n && of[0].most < of[1].least;
	printf("| %.*s | %u | %u to %u | %u | %u to %u | %s |\n", (int)strcspn(op, " "), op,
		of[0].n, of[0].least, of[0].most, of[1].n, of[1].least, of[1].most,
		right ? "yes" : "NO");
	xfree(times);
	vec_free(&p);
	return right;
}

int
main(void)
{
	CUdevice device;
	CUcontext context;
	char ptx[4096], name[256];
	bool right = true;
	CHECK(cuInit(0));
	CHECK(cuDeviceGet(&device, 0));
	CHECK(cuDeviceGetName(name, sizeof name, device));
	CHECK(cuDevicePrimaryCtxRetain(&context, device));
	CHECK(cuCtxSetCurrent(context));
	printf("%s\n\n| operation | quick | cycles | slow | cycles | told apart |\n"
	       "| --- | --: | --: | --: | --: | --- |\n", name);
	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
		uint32_t bits = ops[i].wide ? 64 : 32, bytes = bits / 8;
		snprintf(ptx, sizeof ptx, text, bits, bits, 2 * bytes, bits, bits, bytes,
			ops[i].wide ? "wide" : "lo", bits, bits, ops[i].op, bits);
		right &= compare_operation(ptx, ops[i].op, ops[i].wide, ops[i].two);
	}
	return !right;
}
