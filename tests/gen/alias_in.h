/* SPDX-License-Identifier: MIT */
/* The parts of the generator of unannotated kernels: values (alias_value.c), memory
 * (alias_memory.c), statements (alias_stmt.c), the kernel (alias.c). */
#ifndef GEN_ALIAS_IN_H
#define GEN_ALIAS_IN_H

#include <stdbool.h>
#include "tests/gen/alias.h"

typedef enum { INT, FLOAT, DOUBLE, ADDR, TEST, TYPES } Type_of;

/* What a pointer may point into; a bit mask of these is a set of objects. */
typedef enum {
	OBJ_A,
	OBJ_B,
	OBJ_C,
	OBJ_G1,
	OBJ_G2,
	OBJ_S1,
	OBJ_S2,
	OBJ_D1,
	OBJ_D2,
	OBJ_L1,
	OBJ_L2,
	OBJECTS
} Object;

typedef enum { IN_GLOBAL, IN_SHARED, IN_LOCAL, IN_GENERIC, SPACES } Space_of;

typedef struct {
	uint8_t type;
	uint32_t reg;
} Var;

enum { MAX_VARS = 64, MAX_COUNTERS = 8, NAMES = 64 };

/* The context in which code is generated. */
typedef struct {
	uint32_t nvars, ncounters;
	/* the code reads and writes only variables from `first` on: those of its iteration */
	bool own;
	bool mixed; /* all branches in that code may have all effects, not just one */
	uint32_t first;
	uint32_t writable;      /* the code writes only variables below */
	uint32_t reads, writes; /* the objects that the code reads and writes */
	uint32_t arm_writes;    /* of branches of the innermost loop */
	uint32_t depth;
	uint32_t leave, next; /* labels: of the innermost loop's exit, of its next iteration */
} Alias_scope;

/* Registers that nothing changes. one: 64 bits, 1 in all launches. */
typedef struct {
	uint32_t in, last, sums, n, x, gid, tid, one;
} Alias_registers;

typedef struct {
	uint64_t state, which; /* random numbers for statements, and for the values in them */
	Buf *body;
	uint32_t nregs[TYPES];
	uint32_t labels, tables;
	Var vars[MAX_VARS];
	uint32_t counters[MAX_COUNTERS];
	Alias_scope at;
	Alias_registers reg;
	uint32_t objects;        /* of the kernel */
	uint32_t base[OBJECTS];  /* the thread's window */
	uint32_t offset[SPACES]; /* of the window in an array of that space; 0: none */
	uint32_t moving[SPACES]; /* a pointer variable of that space; 0: none */
	uint32_t fuel;           /* statements left */
	bool looks;              /* it uses ld.volatile, and the results of atomics */
	bool fences;
	bool exits;
	char names[NAMES][32];
	uint32_t nnames;
} Alias;

/* ---- alias_value.c --------------------------------------------------------------------------- */

uint32_t alias_below(Alias *g, uint32_t n);
bool alias_chance(Alias *g, uint32_t percent);
void alias_line(Alias *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void alias_label(Alias *g, uint32_t label);
uint32_t alias_fresh(Alias *g, Type_of t);
extern const char *const alias_register[TYPES];
/* The name of a register; valid until NAMES more are made. */
const char *alias_name(Alias *g, Type_of t, uint32_t reg);
void alias_var_add(Alias *g, Type_of t, uint32_t reg);
/* A value of that type to read; a variable to write. */
const char *alias_read(Alias *g, Type_of t);
const char *alias_write(Alias *g, Type_of t);
/* A predicate that is true in some lanes. */
const char *alias_test(Alias *g);
/* A predicate: whether the integer passes a test. */
const char *alias_test_int(Alias *g, const char *of);
/* Computes something into a variable. */
void alias_compute(Alias *g);

/* ---- alias_memory.c -------------------------------------------------------------------------- */

void alias_prologue(Alias *g); /* pointers */
void alias_fill(Alias *g);     /* writes all of the thread's windows */
void alias_show(Alias *g);     /* writes the contents of windows outside of buffers to `last` */
void alias_load(Alias *g);
const char *alias_load_int(Alias *g); /* a variable with the loaded value */
void alias_load_in(Alias *g, const char *to);
void alias_store(Alias *g);
void alias_atomic(Alias *g);
/* Makes a pointer variable point elsewhere. */
void alias_repoint(Alias *g);

/* ---- alias_stmt.c ---------------------------------------------------------------------------- */

void alias_some(Alias *g, uint32_t n);
void alias_branch(Alias *g);
void alias_loop(Alias *g);

#endif
