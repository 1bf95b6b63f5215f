/* SPDX-License-Identifier: MIT */
/* Machine code for modules that are loaded: the driver need not compile PTX then, which it
 * otherwise does in the program's first launch. */
#ifndef DRIVER_LOAD_CODE_H
#define DRIVER_LOAD_CODE_H

#include "base/heap.h"
#include "base/source.h"
#include "driver/ptxas.h"

typedef struct {
	const Source *ptx;      /* the original */
	unsigned driver;        /* the driver's CUDA version: 13000 */
	enum { ORIGINAL_UNTRIED, ORIGINAL_REJECTED, ORIGINAL_ASSEMBLED } state;
	Heap heap;              /* of the members below: the library has one of its own */
	Ptxas ptxas;            /* program NULL: there is none */
	char limit[16];         /* of registers */
	bool by_driver;         /* the driver's compiler assembles, not ptxas */
	Buf original;           /* the original's machine code; empty if that must be linked */
} Load_code;

/* Finds ptxas. ptx: the original, which is read later; arch: the GPU's. */
void load_code_open(Load_code *c, const Source *ptx, unsigned arch, unsigned driver);
void load_code_close(Load_code *c);
/* Results replace this machine code of an architecture: they are for the same one, with the same
 * limit of registers. Returns whether there is such a limit, which PTX would not have. */
bool load_code_replaces(Load_code *c, const Buf *code, unsigned arch);
/* A ptxccc_assemble (lib/ptxccc.h) whose user is a Load_code. Fails if ptxas does not accept the
 * original for this GPU. */
int load_code_assemble(void *user, const char *ptx, size_t len, const char **log);
/* A ptxccc_machine_code for the same user. */
const char *load_code_machine_code(void *user, size_t *len);
/* Whether ptxas makes this machine code of the original. */
bool load_code_is(Load_code *c, const Buf *code);
/* From now on, the driver's compiler assembles. False if it cannot, or may make other code of the
 * original when a program loads that. */
bool load_code_by_driver(Load_code *c, unsigned arch);
/* Whether the result's kernels can be launched with the blocks of the original's. */
bool load_code_launches(Load_code *c, const char *ptx, size_t len);
/* Assembles the result. `to` remains empty if the driver may not take such code, if that cannot
 * replace PTX, or if ptxas does not accept the text as a whole program. */
void load_code_make(Load_code *c, const char *ptx, size_t len, Buf *to);

#endif
