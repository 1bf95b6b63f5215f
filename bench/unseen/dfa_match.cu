// SPDX-License-Identifier: MIT
// Matching lines against a regular expression by its automaton, one line a thread, with the table
// in shared memory. The automaton finds a decimal number, (+|-)?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?,
// that ends at a separator; a line ends at its first match or in the dead state.
#include "unseen.h"

enum { START, SIGN, INTEGER, POINT, FRACTION, EXPONENT, EXPONENT_SIGN, POWER, WORD, ACCEPT, DEAD, STATES };
enum { DIGIT, PLUS_MINUS, DOT, LETTER_E, LETTER, SPACE, OTHER, CLASSES };

__global__ void
match(const unsigned char *__restrict__ text, const int *__restrict__ start, int lines,
	const unsigned char *__restrict__ classes, const unsigned char *__restrict__ transitions,
	int *match_end, unsigned char *state_out)
{
	__shared__ unsigned char table[STATES * CLASSES], class_of[256];
	for (int i = threadIdx.x; i < STATES * CLASSES; i += blockDim.x)
		table[i] = transitions[i];
	for (int i = threadIdx.x; i < 256; i += blockDim.x)
		class_of[i] = classes[i];
	__syncthreads();
	int line = blockIdx.x * blockDim.x + threadIdx.x;
	if (line >= lines)
		return;
	int state = START, position = start[line], end = start[line + 1];
	for (; position < end; position++) {
		state = table[state * CLASSES + class_of[text[position]]];
		if (state == ACCEPT || state == DEAD)
			break;
	}
	match_end[line] = position - start[line];
	state_out[line] = state;
}

static int
class_number(int c)
{
	if (c >= '0' && c <= '9')
		return DIGIT;
	if (c == '+' || c == '-')
		return PLUS_MINUS;
	if (c == '.')
		return DOT;
	if (c == 'e')
		return LETTER_E;
	if (c >= 'a' && c <= 'z')
		return LETTER;
	return c == ' ' || c == ',' ? SPACE : OTHER;
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int lines = options.size(1 << 20);
	std::vector<unsigned char> classes(256), table(STATES * CLASSES, WORD);
	for (int c = 0; c < 256; c++)
		classes[c] = class_number(c);
	auto go = [&](int from, int by, int to) { table[from * CLASSES + by] = to; };
	for (int s = 0; s < STATES; s++) {
		go(s, SPACE, s == INTEGER || s == FRACTION || s == POWER || s == ACCEPT ? ACCEPT : START);
		go(s, OTHER, DEAD);
	}
	go(START, DIGIT, INTEGER), go(START, PLUS_MINUS, SIGN), go(SIGN, DIGIT, INTEGER),
		go(INTEGER, DIGIT, INTEGER);
	go(INTEGER, DOT, POINT), go(INTEGER, LETTER_E, EXPONENT), go(POINT, DIGIT, FRACTION),
		go(FRACTION, DIGIT, FRACTION);
	go(FRACTION, LETTER_E, EXPONENT), go(EXPONENT, PLUS_MINUS, EXPONENT_SIGN), go(EXPONENT, DIGIT, POWER);
	go(EXPONENT_SIGN, DIGIT, POWER), go(POWER, DIGIT, POWER);
	Rng rng(19);
	std::vector<int> start(lines + 1);
	std::vector<unsigned char> text;
	for (int l = 0; l < lines; l++) {
		int length = options.divergent ? 4 + (int)(-40 * log(1 - rng.real())) : 64;
		for (int i = 0; i < length; i++) {
			unsigned r = rng.below(1000);
			text.push_back(!options.divergent ? "word and "[i % 9] : r < 160 ? ' ' : r < 164 ? '#' : r < 168 ? '-' :
				r < 200 ? '0' + r % 10 : 'a' + r % 26);
		}
		start[l + 1] = (int)text.size();
	}
	unsigned char *d_text = to_device(text), *d_classes = to_device(classes), *d_table = to_device(table);
	int *d_start = to_device(start), *match_end = device_zeros<int>(lines);
	unsigned char *state = device_zeros<unsigned char>(lines);
	double ms = time_ms(options, [&] {
		match<<<blocks_for(lines, 256), 256>>>(d_text, d_start, lines, d_classes, d_table, match_end, state);
	});
	Checksum sum;
	sum.device(match_end, lines);
	sum.device(state, lines);
	return report(sum, ms);
}
