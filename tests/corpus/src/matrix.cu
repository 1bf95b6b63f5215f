/* corpus: tensor cores by wmma, half and bfloat16 arithmetic, inline mma and ldmatrix, video and carry instructions */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void
tensor(const half *a, const half *b, float *c)
{
	wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
	wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
	wmma::fill_fragment(fc, 0.0f);
	wmma::load_matrix_sync(fa, a, 16);
	wmma::load_matrix_sync(fb, b, 16);
	wmma::mma_sync(fc, fa, fb, fc);
	wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

__global__ void
halves(__half2 *h, float *f)
{
	__half2 v = h[threadIdx.x];
	v = __hfma2(v, v, __float2half2_rn(1.5f));
	v = __hmax2(v, h2exp2(v));
	h[threadIdx.x] = v;
	f[threadIdx.x] = __low2float(v) + __half2float(hsin(__high2half(v)));
#if __CUDA_ARCH__ >= 800
	__nv_bfloat162 w = __floats2bfloat162_rn(f[0], f[1]);
	f[threadIdx.x] += __bfloat162float(__hmul2(w, w).x);
#endif
}

__global__ void
inline_asm(unsigned *p, unsigned long long *q)
{
	unsigned lo, hi, v, pred;
	asm volatile("{\n\t.reg .pred p, q;\n\tsetp.lt.u32 p|q, %1, 7;\n\tselp.u32 %0, 1, 0, p;\n\t@q bra DONE;\n\tadd.u32 %0, %0, 1;\n"
		"DONE:\n\t}" : "=r"(pred) : "r"(p[0]));
	asm("add.cc.u32 %0, %2, %3;\n\taddc.u32 %1, %2, 0;" : "=r"(lo), "=r"(hi) : "r"(p[0]), "r"(p[1]));
	asm("vadd.u32.u32.u32.add %0, %1.b0, %2.h1, %3;" : "=r"(v) : "r"(lo), "r"(hi), "r"(pred));
	asm("mov.b64 %0, {%1, %2};" : "=l"(q[0]) : "r"(v), "r"(lo));
	p[2] = __vadd4(p[0], p[1]) + __dp4a(p[0], p[1], 3u) + __funnelshift_l(p[0], p[1], 3) + __brev(p[3]) + __ffs(p[4]);
	p[3] = __match_any_sync(0xffffffffu, p[2]) + __ballot_sync(0xffffffffu, p[2] > 3) + __shfl_up_sync(0xffffffffu, v, 1);
}
// SPDX-License-Identifier: MIT
