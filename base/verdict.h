/* SPDX-License-Identifier: MIT */
/* The answer of a check: yes, or no and why. Nobody prints one but who decides. */
#ifndef BASE_VERDICT_H
#define BASE_VERDICT_H

#include "base/arena.h"
#include "base/diag.h"

enum { VERDICT_NOTES = 3 };

typedef struct {
	const char *text;       /* why not; NULL: yes */
	Diag_kind kind;
	uint32_t pos;           /* byte in the PTX, or DIAG_NOWHERE */
	/* where in the CUDA source, if not at the annotation that was asked about; else file
	 * NULL */
	Cuda_pos at;
	struct { uint32_t pos; const char *text; } note[VERDICT_NOTES];
	uint32_t nnotes;
	bool reorders;          /* yes, if floating-point sums might change their order */
} Verdict;

#define VERDICT_YES ((Verdict){ 0 })
static inline bool verdict_no(Verdict v) { return v.text != NULL; }

/* A no, whose texts live in the arena. */
Verdict verdict(Arena *a, Diag_kind kind, uint32_t pos, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The same verdict with a note: what it speaks of, or what to do. */
Verdict verdict_note(Verdict v, Arena *a, uint32_t pos, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The verdict with its texts copied to the arena. */
Verdict verdict_copy(const Verdict *v, Arena *a);
/* Reports a no at its own place in the CUDA source, else at this one, with `lead` in front of the
 * text. */
void verdict_report(const Verdict *v, Diags *d, Cuda_pos at, const char *lead);

#endif
