/* SPDX-License-Identifier: MIT */
/* An emulator for random kernels, with its buffers. The buffers and the race check's records of
 * them are reused for all kernels, because allocating them takes longer than many a launch. */
#ifndef GEN_MACHINE_H
#define GEN_MACHINE_H

#include "simt/simt.h"
#include "tests/gen/gen.h"

enum { GEN_BUFFERS = 4 };

typedef struct {
	Sim *memory;            /* owns only the buffers; NULL: none yet */
	uint32_t kernels;       /* that it has seen */
	Source src;
	Diags *diags;
	Module *m;
	Sim *sim;
	Sim_kernel *kernel;
	uint64_t at[GEN_BUFFERS];
	uint8_t params[64];
	Sim_counts counts;      /* of the last launch */
} Machine;

/* Reads the text into a machine that is all zeros or was released; if that fails, returns false and
 * sets why. Release it in any case. */
bool machine_init(Machine *k, const char *name, const Buf *text, const Gen_info *info, Buf *why);
void machine_release(Machine *k);
void machine_free(Machine *k);  /* the buffers, too */
/* Launches the kernel on fresh buffers; returns false if a check of the emulator failed. */
bool machine_run(Machine *k, Sim_launch l, uint32_t in_seed, Buf *why);
/* Saves the contents of the buffers after a launch, and restores them. */
void machine_keep(Machine *k, Buf *memory);
void machine_restore(Machine *k, const Buf *memory);
/* Whether both left the same memory. */
bool machines_agree(Machine *a, Machine *b, Buf *why);

#endif
