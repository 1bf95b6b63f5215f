// SPDX-License-Identifier: MIT
// Inline PTX with vectors, predicates, scopes, labels and branches, carry flags, reads of special registers, stores, memory barriers.
#ifndef KERNELS
#define KERNELS "ptxasm.cu"
#include "features.cuh"
int main()
{
	RUN(vector_load); RUN(scoped); RUN(branches); RUN(branches_own); RUN(carries); RUN(carry_across); RUN(selects); RUN(bits); RUN(clocks); RUN(memory_fence);
	RUN(volatile_asm); RUN(stores); RUN(cache_hints); RUN(loop_asm); RUN(wide_multiply); RUN(predicated_store); RUN(address_of); RUN(brx); RUN(comments);
	RUN(local_scope); RUN(inout); RUN(prefetch); RUN(nanosleep); RUN(special);
	return finish();
}
#else
__global__ void vector_load(G g)
{
	FOR
	for (int i = thread_id(); i < g.n / 4; i += threads()) {
		unsigned a, b, c, d;
		asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(g.in + 4 * i) : "memory");
		IF
		if (rare(a)) {
			a = work(a);
			asm volatile("st.global.v2.b32 [%0], {%1, %2};\n\tst.global.v2.b32 [%0+8], {%3, %4};" ::"l"(g.out + 4 * i), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
		}
	}
}
LAUNCH(vector_load)
__global__ void scoped(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i], y;
		asm("{\n\t.reg .pred p;\n\t.reg .b32 t<3>;\n\tsetp.gt.u32 p, %1, 1000000;\n\tadd.u32 t1, %1, 5;\n\t@p mul.lo.u32 t1, t1, 3;\n\tmov.u32 %0, t1;\n\t}" : "=r"(y) : "r"(x));
		IF
		if (rare(x)) {
			unsigned z;
			asm("{\n\t.reg .pred p, q;\n\tsetp.lt.u32 p|q, %1, %2;\n\t@p add.u32 %0, %1, 1;\n\t@q sub.u32 %0, %2, 1;\n\t}" : "=r"(z) : "r"(y), "r"(x));
			g.out[i] = work(y) + z;
		}
	}
}
LAUNCH(scoped)
__global__ void branches(G g) // labels and branches in the path
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			unsigned y;
			asm("{\n\t.reg .pred p;\n\tmov.u32 %0, %1;\n\tsetp.lt.u32 p, %1, 500000000;\n\t@p bra L%=;\n\tadd.u32 %0, %0, 77;\nL%=:\n\txor.b32 %0, %0, 3;\n\t}" : "=&r"(y) : "r"(x));
			g.out[i] = work(y);
		}
	}
}
LAUNCH(branches)
__global__ void branches_own(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i], y;
		asm volatile("{\n\t.reg .pred p;\n\tmov.u32 %0, 0;\n\tmov.u32 %1, %2;\nagain%=:\n\tshr.u32 %1, %1, 1;\n\tadd.u32 %0, %0, 1;\n\tsetp.ne.u32 p, %1, 0;\n\t@p bra again%=;\n\t}" : "=&r"(y), "+&r"(x) : "r"(g.in[i]));
		x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(y);
	}
}
LAUNCH(branches_own)
__global__ void carries(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i], lo, hi;
		IF
		if (rare(x)) {
			asm("add.cc.u32 %0, %2, %3;\n\taddc.u32 %1, %4, 0;" : "=r"(lo), "=r"(hi) : "r"(x * 7), "r"(0xf0000000u), "r"(x));
			g.out[i] = work(lo) + hi;
		}
	}
}
LAUNCH(carries)
__global__ void carry_across(G g) // the flag passes from one asm to the next, around the path: undefined, but it must not break
{
	FOR
	EACH(i) {
		unsigned x = g.in[i], lo, hi;
		asm volatile("mad.lo.cc.u32 %0, %1, %2, %3;" : "=r"(lo) : "r"(x), "r"(0x10001u), "r"(x << 7));
		asm volatile("madc.hi.u32 %0, %1, %2, 0;" : "=r"(hi) : "r"(x), "r"(0x10001u));
		IF
		if (rare(x))
			g.out[i] = work(lo) + hi;
	}
}
LAUNCH(carry_across)
__global__ void selects(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i], y;
		float f;
		asm("slct.u32.s32 %0, %1, %2, %3;" : "=r"(y) : "r"(x), "r"(x * 3), "r"(x << 5));
		asm("slct.f32.s32 %0, %1, %2, %3;" : "=f"(f) : "f"(1.5f), "f"(2.5f), "r"(x << 9));
		IF
		if (rare(x))
			g.out[i] = work(y), g.f[i] = f;
	}
}
LAUNCH(selects)
__global__ void bits(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i], a, b, c, d, e;
		asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(a) : "r"(x), "r"(x >> 3), "r"(i));
		asm("prmt.b32 %0, %1, %2, 0x2143;" : "=r"(b) : "r"(x), "r"(a));
		asm("bfe.u32 %0, %1, 5, 9;" : "=r"(c) : "r"(b));
		IF
		if (rare(x)) {
			asm("bfi.b32 %0, %1, %2, 4, 8;" : "=r"(d) : "r"(a), "r"(b));
			asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(e) : "r"(a), "r"(b), "r"(c));
			g.out[i] = work(d) + e + __dp4a(a, b, c);
		}
	}
}
LAUNCH(bits)
__global__ void clocks(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			long long t = clock64();
			unsigned y = work(x);
			g.out[i] = y + (clock64() < t);
		}
	}
}
LAUNCH(clocks)
__global__ void memory_fence(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			g.out[i] = work(x);
			__threadfence();
			g.f[i] = 1;
		}
	}
}
LAUNCH(memory_fence)
__global__ void volatile_asm(G g)
{
	unsigned s = 0;
	SEQ
	EACH(i) {
		unsigned x = g.in[i];
		asm volatile("add.u32 %0, %0, 1;" : "+r"(s));
		SIF
		if (rare(x)) {
			asm volatile("mad.lo.u32 %0, %0, 3, %1;" : "+r"(s) : "r"(x));
			s = work(s);
		}
	}
	g.thread[thread_id()] = s;
}
LAUNCH(volatile_asm)
__global__ void stores(G g) // the compiler does not see that this writes memory
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			asm volatile("st.global.b32 [%0], %1;" ::"l"(g.out + i), "r"(work(x)));
	}
}
LAUNCH(stores)
__global__ void cache_hints(G g)
{
	FOR
	EACH(i) {
		unsigned x = __ldcg(g.in + i), y = __ldcs(g.in + (i + 1) % g.n), z = __ldg(g.in + i / 2);
		IF
		if (rare(x)) {
			__stcs(g.out + i, work(x) + y);
			__stwt((unsigned *)g.f + i, z);
		}
	}
}
LAUNCH(cache_hints)
__global__ void loop_asm(G g) // the inner loop is asm
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			unsigned y = x;
			asm volatile("{\n\t.reg .pred p;\n\t.reg .u32 k;\n\tmov.u32 k, 0;\nlp%=:\n\tmad.lo.u32 %0, %0, 1664525, 1013904223;\n\tadd.u32 k, k, 1;\n\tsetp.lt.u32 p, k, %1;\n\t@p bra lp%=;\n\t}" : "+r"(y) : "r"(x >> 7 & 15));
			g.out[i] = y;
		}
	}
}
LAUNCH(loop_asm)
__global__ void wide_multiply(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		unsigned long long w;
		asm("mul.wide.u32 %0, %1, %2;" : "=l"(w) : "r"(x), "r"(x * 9 + 1));
		IF
		if (rare(x)) {
			unsigned lo, hi;
			asm("mov.b64 {%0, %1}, %2;" : "=r"(lo), "=r"(hi) : "l"(w));
			g.out[i] = work(lo) ^ hi;
		}
	}
}
LAUNCH(wide_multiply)
__global__ void predicated_store(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %2, 0;\n\t@p st.global.u32 [%0], %1;\n\t@!p st.global.u32 [%0], 9;\n\t}" ::"l"(g.f + i), "r"(x), "r"(x & 1) : "memory");
		IF
		if (rare(x))
			g.out[i] = work(x);
	}
}
LAUNCH(predicated_store)
__device__ unsigned asm_table[8] = { 8, 7, 6, 5, 4, 3, 2, 1 };
__global__ void address_of(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i], y;
		IF
		if (rare(x)) {
			size_t p = __cvta_generic_to_global(asm_table) + (x >> 4 & 7) * 4;
			asm volatile("ld.global.u32 %0, [%1];" : "=r"(y) : "l"(p));
			g.out[i] = work(x) + y;
		}
	}
}
LAUNCH(address_of)
__global__ void brx(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i], y;
		IF
		if (rare(x)) {
			asm volatile("{\n\t.reg .u32 k;\n\tand.b32 k, %1, 24;\n\tshr.u32 k, k, 3;\nts%=: .branchtargets ta%=, tb%=, tc%=, ta%=;\n\tbrx.idx k, ts%=;\nta%=:\n\tmov.u32 %0, 5;\n\tbra te%=;\ntb%=:\n\tmov.u32 %0, 7;\n\tbra te%=;\ntc%=:\n\tmov.u32 %0, %1;\nte%=:\n\t}" : "=&r"(y) : "r"(x));
			g.out[i] = work(x) + y;
		}
	}
}
LAUNCH(brx)
__global__ void comments(G g) // comments that look like markers, strings that look like labels
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		asm volatile("// this is no marker\n\t/* begin inline asm */ mov.u32 %0, %0; // ccc for" : "+r"(x));
		IF
		if (rare(x)) {
			asm volatile("/* multi\nline { */ xor.b32 %0, %0, 1; // }" : "+r"(x));
			g.out[i] = work(x);
		}
	}
}
LAUNCH(comments)
__global__ void local_scope(G g) // variables declared in a scope of asm: local and shared memory
{
	FOR
	EACH(i) {
		unsigned x = g.in[i], y;
		IF
		if (rare(x)) {
			asm volatile("{\n\t.local .align 4 .b8 buf[16];\n\t.reg .b64 a;\n\tmov.u64 a, buf;\n\tst.local.u32 [a+4], %1;\n\tld.local.u32 %0, [a+4];\n\t}" : "=r"(y) : "r"(x));
			g.out[i] = work(y);
		}
	}
}
LAUNCH(local_scope)
__global__ void inout(G g)
{
	unsigned long long a = 1;
	double d = 1;
	SEQ
	EACH(i) {
		unsigned x = g.in[i];
		SIF
		if (rare(x)) {
			asm("mad.lo.u64 %0, %0, %0, %1;" : "+l"(a) : "l"((unsigned long long)work(x)));
			asm("fma.rz.f64 %0, %0, 0d3FE0000000000000, %1;" : "+d"(d) : "d"((double)x));
		}
	}
	g.thread[thread_id()] = (unsigned)a ^ (unsigned)(a >> 32) ^ (unsigned)d;
}
LAUNCH(inout)
__global__ void prefetch(G g)
{
	FOR
	EACH(i) {
		asm volatile("prefetch.global.L2 [%0];" ::"l"(g.in + (i + threads()) % g.n));
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x);
	}
}
LAUNCH(prefetch)
__global__ void nanosleep(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			__nanosleep(20);
			g.out[i] = work(x);
		}
	}
}
LAUNCH(nanosleep)
__global__ void special(G g) // special registers in the path: those of the owner, not of the lane that runs it
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			unsigned lane, tid, warp, ltmask;
			asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
			asm volatile("mov.u32 %0, %%tid.x;" : "=r"(tid));
			asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(ltmask));
			asm volatile("mov.u32 %0, %%nctaid.x;" : "=r"(warp));
			g.out[i] = work(x) + lane * 3 + tid * 5 + ltmask + warp;
		}
	}
}
LAUNCH(special)
#endif
