// SPDX-License-Identifier: MIT
// An interpreter: each thread runs programs of a stack machine that has two registers. Most
// instructions are cheap; POWER and SERIES are not. The executions of SERIES are counted in one word.
//
// data a: each lane runs another program
// data b: the lanes of a warp run the same program
//
// plan 0: for on the interpreter's loop, switch
// plan 1: delay on the switch
// plan 2: for on the programs, while policy(queue) on the interpreter
// plan 3: assign, for var policy(flatten)
#include "plans.h"

enum { ADD, MULTIPLY, XOR, SWAP, SHIFT, POWER, SERIES, OPCODES };
#define LENGTH 64

__global__ void
interpret(int n, int programs, const unsigned char *__restrict__ code, const unsigned *__restrict__ program,
	unsigned *out, unsigned *series)
{
	PLANS(, , for, assign)
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		const unsigned char *c = code + program[i] * LENGTH;
		unsigned a = i, b = 1;
		PLANS(for, for, while policy(queue), for var)
		for (int pc = 0; pc < LENGTH; pc++) {
			PLANS(switch, delay)
			switch (c[pc]) {
			case ADD: a += b; break;
			case MULTIPLY: a *= b | 1; break;
			case XOR: a ^= b; break;
			case SWAP: { unsigned t = a; a = b; b = t; break; }
			case SHIFT: a = a << 3 | a >> 29; break;
			case POWER:
				for (unsigned e = b & 15, p = a; e; e >>= 1, p *= p)
					a *= e & 1 ? p : 3;
				break;
			case SERIES:
				for (int k = 0; k < 8; k++)
					a = a * 0x01000193u ^ (b + k);
				atomicAdd(series, 1u);
				break;
			}
		}
		out[i] = a + b;
	}
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	const int n = options.size(1 << 20), programs = 256;
	Rng rng(6);
	std::vector<unsigned char> codes(programs * LENGTH);
	for (unsigned char &c : codes)
		c = rng.below(8) ? rng.below(POWER) : POWER + rng.below(2);
	std::vector<unsigned> which(n);
	for (int i = 0; i < n; i++)
		which[i] = options.divergent ? rng.below(programs) : (unsigned)(i / 32 * 0x9e3779b1u) >> 24;
	unsigned char *code = to_device(codes);
	unsigned *program = to_device(which), *out = device_zeros<unsigned>(n), *series = device_zeros<unsigned>(1);
	double ms = time_ms(options, [&] { CUDA_CHECK(cudaMemset(series, 0, sizeof(unsigned))); },
		[&] { interpret<<<loop_blocks(n, 256), 256>>>(n, programs, code, program, out, series); });
	Checksum sum;
	sum.device(out, n);
	sum.device(series, 1);
	return report(sum, ms);
}
