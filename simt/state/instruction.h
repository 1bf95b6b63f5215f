/* SPDX-License-Identifier: MIT */
/* The decoded program: decode.c creates it, everything else runs it. Internal to simt/.
 *
 * A frame is the register file of one warp in one activation of a function. A register is a row of
 * 32 lanes: of uint32_t for up to 32 bits (8 and 16 bits are zero-extended), of uint64_t for 64
 * bits, two such rows for 128 bits. A predicate is one uint32_t with a bit per lane. Constants and
 * special registers are rows too, filled in when the frame is created, so every operand of an
 * instruction is a byte offset into the frame. Offset 0 holds a predicate that is always true.
 */
#ifndef SIMT_STATE_INSTRUCTION_H
#define SIMT_STATE_INSTRUCTION_H

#include "base/vec.h"
#include "simt/simt.h"

enum { LANES = 32, ALL = -1 };

/* Types as the instruction handlers need them; finer than the parser's. */
typedef enum {
	T_NONE,
	T_PRED,
	T_B8,
	T_B16,
	T_B32,
	T_B64,
	T_B128,
	T_U8,
	T_U16,
	T_U32,
	T_U64,
	T_S8,
	T_S16,
	T_S32,
	T_S64,
	T_F16,
	T_F16X2,
	T_BF16,
	T_BF16X2,
	T_F32,
	T_F64,
	T_COUNT
} Ty;
uint32_t ty_size(Ty t);         /* in bytes; 0 for predicates */
bool ty_signed(Ty t);
bool ty_float(Ty t);            /* scalar floating point */

typedef struct Inst Inst;
typedef struct Warp Warp;
typedef void Run(Warp *w, const Inst *i, uint32_t lanes);

typedef enum {
	I_PLAIN,    /* executes on the active lanes and continues */
	I_JOIN,     /* a reconvergence point; not in the PTX */
	I_BRA, I_BRX, I_CALL,
	/* a bra that the machine code replaces by predication (issue_slots.h); executes like BRA */
	I_OVER,
	/* sets the reconvergence point .meet for lanes that diverge later (BSSY); not in the PTX */
	I_OPEN,
	I_RESULT,   /* follows a call and copies its results; not in the PTX */
	I_RET, I_EXIT,
	I_WARP,     /* waits for all lanes of a mask, then executes on them */
	I_BAR,      /* waits for other warps of the block */
	/* a guarded atom or red, counted as a branch over it (atomic_contention.h) */
	I_ATOM,
	I_TRAP,
	I_YIELD     /* like PLAIN, but may wait for other lanes, which are then scheduled */
} Inst_kind;

typedef enum {
	F_FTZ = 1,
	F_SAT = 2,
	F_ADDR32 = 4,
	F_STRONG = 8,
	F_SHORT = 16,
	F_NOT = 32,
	F_ABS = 64,
	F_NAN = 128,
	F_CARRY_IN = 256,
	F_CARRY_OUT = 512,
	F_HI = 1024,
	F_APPROX = 2048,
	F_XORSIGN = 4096,
	F_POLL = 8192,          /* a load that waits for a write: spin_loops.h */
	/* a loop in machine code whose slots are counted once: atomic_contention.h */
	F_ONCE = 16384,
	F_UNIFORM = 32768,      /* bra.uni: its lanes must not diverge */
	/* a store of one value by all iterations of an annotated loop, or a load of what the kernel
	 * does not write: promised_loops.h */
	F_MARK = 65536
} Inst_flag;

/* The semantics of a fence or a strong access (F_STRONG). WIDE: its scope exceeds the block. */
typedef enum { ORDER_ACQUIRE = 1, ORDER_RELEASE = 2, ORDER_WIDE = 4 } Inst_order;

/* The lanes for which the guard predicate holds: row ^ flip. */
typedef struct { uint32_t row, flip; } Guard;

/* Issue slots of an instruction's machine code (issue_slots.h), counted when it executes. */
typedef struct {
	uint16_t all;
	/* the same, counted for lanes that are not predicated off. It differs from `all` only in
	 * predicated code, where `all` is 0 because the OVER branch has counted the slots for all
	 * lanes (scheduler.c, count_skipped) */
	uint16_t active;
	/* atom, red: additional slots, as a row of atomic_contention.c's table; 0: none.
	 * apart: it has its own BSSY and BSYNC */
	uint8_t form;
	bool apart;
	uint8_t divergent, converged;   /* WARP: additional slots for lanes that have diverged */
} Inst_slots;

struct Inst {
	Run *run;
	Guard guard;
	uint32_t d, a, b, c;    /* rows: destination and sources */
	uint32_t e;             /* a second destination, or a fourth source; 0: none */
	/* BRA: target; CALL: the Code, 0: indirect by the address in a. b: results */
	uint32_t target;
	uint32_t meet;          /* BRA, BRX: the JOIN at the immediate post-dominator; 0: none */
	uint32_t stmt;
	/* in Prog.list: vector elements, targets of BRX, for OVER pairs (from, to) of predicated
	 * instructions; in Prog.slots: arguments */
	uint32_t list, nlist;
	int64_t imm;
	uint32_t flags;
	uint8_t kind;           /* Inst_kind */
	uint8_t op; /* depends on the instruction: comparison, atomic operation, shuffle mode ... */
	uint8_t type, type2;    /* Ty: instruction type; source type of cvt and set */
	uint8_t space;
	/* 0: to nearest even; else FE_* + 1; integer roundings of cvt: 'n' 'z' 'm' 'p' */
	uint8_t round;
	uint8_t order;          /* Inst_order */
	Inst_slots slots;
	uint8_t wide_d, wide_a; /* row d, row a has 64-bit lanes */
};

/* The origin of a row's value. */
typedef enum { ROW_CONST, ROW_LOCAL, ROW_DYNAMIC, ROW_SREG } Row_kind;
typedef struct {
	uint32_t off;
	/* Row_kind: constant; address of a local variable; address of dynamic shared memory;
	 * special register */
	uint8_t kind;
	uint8_t width;          /* bytes per lane; 0: predicate */
	uint8_t sel;            /* SREG: component */
	uint64_t value;         /* SREG: Sreg */
	/* 1 + index of the previous row in its hash bucket (operand_decode.c); 0: none */
	uint32_t before;
} Row;
typedef VEC(Row) Rows;

/* A formal parameter or an argument: a register row, or bytes of local memory. */
typedef struct {
	bool memory;
	uint32_t at;            /* row, or offset from the frame's local base */
	uint32_t size;          /* bytes */
} Slot;

typedef struct {
	uint32_t func;
	uint32_t entry;         /* index of its first instruction */
	uint32_t bytes;         /* size of a frame */
	uint32_t local;         /* bytes of local memory per activation */
	/* kernel: bytes of static shared memory, including that of its callees */
	uint32_t shared;
	uint32_t scratch;       /* row that receives values assigned to _ */
	Rows rows;
	VEC(Slot) formals;      /* parameters, then return parameters */
	uint32_t nparam;
	uint32_t end;           /* past its last instruction */
	bool taken;             /* address is taken: indirect calls may reach it */
	bool told;              /* its errors have been reported */
	Buf errors;             /* messages about unsupported instructions */
} Code;

typedef struct {
	const Module *m;
	VEC(Inst) insts;        /* index 0 unused */
	VEC(Code) codes;        /* index 0 unused */
	VEC(uint32_t) list;
	VEC(Slot) slots;        /* arguments of calls */
	uint32_t *code_of;      /* by Func; 0: not decoded */
	uint64_t *address;      /* by Sym: of variables once placed, else 0 */
	uint32_t decoded;       /* number of decoded codes */
	uint8_t *placed;        /* by Sym */
	uint32_t shared;        /* end of the static shared memory that several kernels use */
	uint32_t own;           /* end of the part that only the kernel being decoded uses */
	bool dynamic;           /* extern shared memory is used */
	Arena *arena;
} Prog;

/* ---- address windows ------------------------------------------------------------------------- */

/* Generic addresses of the spaces; addresses within a space start at 0. In the param space, kernel
 * parameters are at the beginning; parameters of functions and calls, which are private to a lane,
 * start at PARAM_OWN. Global memory is from GLOBAL_BASE to GLOBAL_END, a range that Linux processes
 * do not use. Other addresses are host addresses (sim_map). */
#define WIN_SHARED  UINT64_C(0x010000000000)
#define WIN_LOCAL   UINT64_C(0x020000000000)
#define WIN_PARAM   UINT64_C(0x030000000000)
#define WIN_CONST   UINT64_C(0x040000000000)
#define WIN_CODE    UINT64_C(0x050000000000)
#define WIN_BYTES   UINT64_C(0x000100000000)
#define GLOBAL_BASE UINT64_C(0x100000000000)
#define GLOBAL_END  UINT64_C(0x500000000000)
#define PARAM_OWN   UINT64_C(0x80000000)
#define STACK_OWN   UINT64_C(0x40000000)    /* in the local space: lane_stack.c */

/* ---- functions (instruction.c) --------------------------------------------------------------- */

/* Returns the Code of a function. The first call creates one that is yet to be decoded. */
uint32_t call_code(Prog *p, uint32_t func);
uint64_t call_address(Prog *p, uint32_t func);          /* for code that takes its address */
uint32_t call_at(const Prog *p, uint64_t at);           /* the Code at an address; 0: none */

#endif
