// SPDX-License-Identifier: MIT
// Smith-Waterman extension of seeds in a band around the diagonal, with affine gaps and an X-drop;
// one pair of sequences a thread. Data set a has pairs of many lengths and similarities, b equal
// lengths of similar sequences.
#include "unseen.h"

#define HALF_BAND 7
#define BAND (2 * HALF_BAND + 1)

struct Scoring {
	int match, mismatch, gap_open, gap_extend, xdrop;
};

struct Alignment {
	int score, query_end, target_end;
};

__global__ void
extend(int pairs, const char *__restrict__ query, const int *__restrict__ query_start,
	const char *__restrict__ target, const int *__restrict__ target_start, Scoring s,
	Alignment *alignments, int *rows_done)
{
	int id = blockIdx.x * blockDim.x + threadIdx.x;
	if (id >= pairs)
		return;
	const char *q = query + query_start[id], *t = target + target_start[id];
	int m = query_start[id + 1] - query_start[id], n = target_start[id + 1] - target_start[id];
	int h[BAND], e[BAND]; // of the last row: best score, and best that ends in a gap
	for (int k = 0; k < BAND; k++) {
		h[k] = k >= HALF_BAND ? (k == HALF_BAND ? 0 : -s.gap_open - (k - HALF_BAND) * s.gap_extend) : -10000;
		e[k] = -10000;
	}
	Alignment best = { 0, 0, 0 };
	int i;
	for (i = 0; i < m; i++) {
		int f = -10000, row_best = -10000, left = -10000;
#pragma unroll
		for (int k = 0; k < BAND; k++) { // column j = i + k - HALF_BAND
			int j = i + k - HALF_BAND;
			int up = k + 1 < BAND ? h[k + 1] : -10000, up_gap = k + 1 < BAND ? e[k + 1] : -10000;
			if (j < 0 || j >= n) {
				left = f = h[k] = e[k] = -10000;
				continue;
			}
			int score = h[k] + (q[i] == t[j] ? s.match : -s.mismatch);
			int gap = max(up_gap, up - s.gap_open) - s.gap_extend;
			f = max(f, left - s.gap_open) - s.gap_extend;
			score = max(score, max(gap, f));
			left = h[k] = score;
			e[k] = gap;
			if (score > row_best)
				row_best = score;
			if (score > best.score)
				best = { score, i, j };
		}
		if (row_best < best.score - s.xdrop)
			break;
	}
	alignments[id] = best;
	rows_done[id] = i;
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int pairs = options.size(1 << 18);
	Rng rng(20);
	std::vector<char> query, target;
	std::vector<int> query_start(1, 0), target_start(1, 0);
	for (int p = 0; p < pairs; p++) {
		int length = options.divergent ? 16 + (int)std::min(300.0, -60 * log(1 - rng.real())) : 96;
		int quality = options.divergent ? rng.below(100) : 98; // percent of letters that are the same
		uint64_t bits = 0;
		for (int i = 0; i < length; i++) {
			if (i % 16 == 0)
				bits = rng.next();
			char letter = "ACGT"[bits >> (2 * (i % 16)) & 3];
			int copies = 1;
			if ((int)rng.below(100) >= quality)
				copies = rng.below(8) ? 1 : (int)rng.below(3); // else a gap
			query.push_back(letter);
			for (int c = 0; c < copies; c++)
				target.push_back(c == 0 && (int)rng.below(100) < quality ? letter : "ACGT"[bits >> (32 + i % 16) & 3]);
		}
		query_start.push_back((int)query.size());
		target_start.push_back((int)target.size());
	}
	char *q = to_device(query), *t = to_device(target);
	int *qs = to_device(query_start), *ts = to_device(target_start), *rows = device_zeros<int>(pairs);
	Alignment *alignments = device_zeros<Alignment>(pairs);
	Scoring scoring = { 2, 4, 4, 2, 30 };
	double ms = time_ms(options, [&] {
		extend<<<blocks_for(pairs, 128), 128>>>(
			pairs, q, qs, t, ts, scoring, alignments, rows);
	});
	Checksum sum;
	sum.device(alignments, pairs);
	sum.device(rows, pairs);
	return report(sum, ms);
}
