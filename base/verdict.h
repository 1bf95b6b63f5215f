/* SPDX-License-Identifier: MIT */
/* The result of a check: yes, or no with a reason. Only the caller that decides prints it. */
#ifndef BASE_VERDICT_H
#define BASE_VERDICT_H

#include "base/arena.h"
#include "base/diag.h"

enum { VERDICT_NOTES = 4 };

typedef struct {
	const char *text;       /* why not; NULL: yes */
	Diag_kind kind;
	uint32_t pos;           /* byte in the PTX, or DIAG_NOWHERE */
	/* CUDA position if it differs from that of the annotation in question; else file NULL */
	Cuda_pos at;
	struct { uint32_t pos; const char *text; } note[VERDICT_NOTES];
	uint32_t nnotes;
	bool reorders;          /* yes, but floating-point sums may be reordered */
} Verdict;

#define VERDICT_YES ((Verdict){ 0 })
static inline bool verdict_is_no(Verdict v) { return v.text != NULL; }

/* Returns a no whose texts are in the arena. */
Verdict verdict(Arena *a, Diag_kind kind, uint32_t pos, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Returns the refusal of an annotation that `policy(none)` switches off. */
Verdict verdict_off(Arena *a);
/* Returns the verdict with a note: the place it refers to, or advice. */
Verdict verdict_note(Verdict v, Arena *a, uint32_t pos, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Returns the verdict with its texts copied to the arena. */
Verdict verdict_copy(const Verdict *v, Arena *a);
/* Reports a no at its own CUDA position, or else at this one, with `lead` before the text. */
void verdict_report(const Verdict *v, Diags *d, Cuda_pos at, const char *lead);

#endif
