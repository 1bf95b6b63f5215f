// SPDX-License-Identifier: MIT
// A stack machine that evaluates the programs of genetic programming, one individual and fitness
// case a thread. Data set a has another program in each thread, b one program for all.
#include "unseen.h"

#define LONGEST 48
#define STACK 32

enum Op : unsigned char {
	PUSH_X, PUSH_Y, PUSH_CONST, ADD, SUB, MUL, DIV, SIN, EXP, LOG, SQRT, MAX, SELECT, LOOP, END_LOOP, HALT
};

struct Instruction {
	unsigned char op;
	unsigned char operand; // PUSH_CONST: an index; LOOP: the number of iterations
};

__constant__ float constants[16];

__device__ float
execute(const Instruction *__restrict__ code, float x, float y, int *executed)
{
	float stack[STACK];
	int sp = 0, pc = 0, count = 0, loop_pc = 0, loop_left = 0;
	float accumulator = 0;
	for (;;) {
		Instruction in = code[pc++];
		count++;
		switch (in.op) {
		case PUSH_X: stack[sp++] = x; break;
		case PUSH_Y: stack[sp++] = y; break;
		case PUSH_CONST: stack[sp++] = constants[in.operand & 15]; break;
		case ADD: sp--; stack[sp - 1] += stack[sp]; break;
		case SUB: sp--; stack[sp - 1] -= stack[sp]; break;
		case MUL: sp--; stack[sp - 1] *= stack[sp]; break;
		case DIV:
			sp--;
			if (fabsf(stack[sp]) > 1e-6f)
				stack[sp - 1] /= stack[sp];
			break;
		case SIN: stack[sp - 1] = sinf(stack[sp - 1]); break;
		case EXP: stack[sp - 1] = expf(fminf(stack[sp - 1], 20.0f)); break;
		case LOG: stack[sp - 1] = logf(fabsf(stack[sp - 1]) + 1e-6f); break;
		case SQRT: stack[sp - 1] = sqrtf(fabsf(stack[sp - 1])); break;
		case MAX: sp--; stack[sp - 1] = fmaxf(stack[sp - 1], stack[sp]); break;
		case SELECT:
			sp -= 2;
			stack[sp - 1] = stack[sp - 1] > 0 ? stack[sp] : stack[sp + 1];
			break;
		case LOOP: // the stack is as deep at END_LOOP as here
			loop_pc = pc;
			loop_left = in.operand;
			break;
		case END_LOOP:
			accumulator += sp > 0 ? stack[sp - 1] : 0;
			x = 0.9f * x + 0.1f;
			if (--loop_left > 0)
				pc = loop_pc;
			break;
		default:
			*executed = count;
			return accumulator + (sp > 0 ? stack[sp - 1] : 0);
		}
	}
}

__global__ void
evaluate(int individuals, int cases, const Instruction *__restrict__ programs,
	const float2 *__restrict__ inputs, float *result, int *executed)
{
	int id = blockIdx.x * blockDim.x + threadIdx.x;
	if (id >= individuals * cases)
		return;
	int individual = id % individuals, which = id / individuals;
	float2 in = inputs[which];
	int count;
	float r = execute(programs + individual * LONGEST, in.x, in.y, &count);
	result[id] = isfinite(r) ? r : 1e30f;
	executed[id] = count;
}

// A random program of length to length + 16; `depth` is the number of values on the stack.
static void
generate(Rng &rng, Instruction *code, int length)
{
	int depth = 0, at = 0, loop_depth = -1;
	auto put = [&](int op, int change, int operand = 0) {
		code[at++] = { (unsigned char)op, (unsigned char)operand }, depth += change;
	};
	while (at < length) {
		int kind = depth == 0 ? 0 : rng.below(10);
		if (loop_depth < 0 && depth > 0 && at + 12 < length && rng.below(8) == 0) {
			put(LOOP, 0, 1 + rng.below(12));
			loop_depth = depth;
		} else if (loop_depth == depth && rng.below(3) == 0) {
			put(END_LOOP, 0);
			loop_depth = -2; // one loop in a program
		} else if ((kind < 4 && depth < 12) || depth == loop_depth) {
			if (depth == loop_depth && kind > 4) // one value for another
				put(SIN + rng.below(4), 0);
			else
				put(PUSH_X + rng.below(3), 1, rng.below(16));
		} else if (kind < 6 || depth < 2 || depth - 1 < loop_depth) {
			put(SIN + rng.below(4), 0);
		} else if (kind == 9 && depth >= 3 && depth - 2 >= loop_depth) {
			put(SELECT, -2);
		} else {
			put(kind == 6 ? MAX : ADD + (int)rng.below(4), -1);
		}
	}
	while (loop_depth >= 0 && depth > loop_depth)
		put(ADD, -1);
	if (loop_depth >= 0)
		put(END_LOOP, 0);
	put(HALT, 0);
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int individuals = options.size(1 << 14), cases = options.scale < 0.1 ? 4 : 64;
	Rng rng(33);
	std::vector<Instruction> programs(individuals * LONGEST, { HALT, 0 });
	for (int i = 0; i < individuals; i++) {
		Instruction *code = &programs[i * LONGEST];
		if (options.divergent) {
			generate(rng, code, 4 + rng.below(LONGEST - 24));
		} else if (i > 0) {
			std::copy(&programs[0], &programs[LONGEST], code);
		} else { // one with a long loop
			auto long_loop = [](Instruction in) { return in.op == LOOP && in.operand >= 10; };
			do
				generate(rng, code, LONGEST - 24);
			while (std::none_of(code, code + 8, long_loop));
		}
	}
	std::vector<float2> inputs(cases);
	for (float2 &in : inputs)
		in = make_float2(rng.real(-2, 2), rng.real(-2, 2));
	float table[16];
	for (float &c : table)
		c = rng.real(-3, 3);
	CUDA_CHECK(cudaMemcpyToSymbol(constants, table, sizeof table));
	int n = individuals * cases;
	Instruction *d_programs = to_device(programs);
	float2 *d_inputs = to_device(inputs);
	float *result = device_zeros<float>(n);
	int *executed = device_zeros<int>(n);
	double ms = time_ms(options, [&] {
		evaluate<<<blocks_for(n, 128), 128>>>(
			individuals, cases, d_programs, d_inputs, result, executed);
	});
	Checksum sum;
	sum.device(result, n);
	sum.device(executed, n);
	return report(sum, ms);
}
