/* SPDX-License-Identifier: MIT */
/* The emulator's own form of a program: what decode.c makes and everything else runs. Internal to
 * simt/.
 *
 * A frame is the register file of one warp in one activation of a function. A register is a row of
 * 32 lanes: of uint32_t up to 32 bits (8 and 16 bits zero-extended), of uint64_t for 64, two rows
 * of those for 128; a predicate is one uint32_t, a bit a lane. Constants and special registers are
 * rows too, written when the frame is made, so that every operand of an instruction is a byte
 * offset into the frame. Offset 0 holds a predicate that is always true.
 */
#ifndef SIMT_STATE_INSTRUCTION_H
#define SIMT_STATE_INSTRUCTION_H

#include "base/vec.h"
#include "simt/simt.h"

enum { LANES = 32, ALL = -1 };

/* Types as the handlers see them; finer than the parser's. */
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
uint32_t ty_size(Ty t);         /* bytes; 0 for predicates */
bool ty_signed(Ty t);
bool ty_float(Ty t);            /* scalar floating point */

typedef struct Inst Inst;
typedef struct Warp Warp;
typedef void Run(Warp *w, const Inst *i, uint32_t lanes);

typedef enum {
	I_PLAIN,    /* run on the active lanes, go on */
	I_JOIN,     /* a place where lanes may meet again; not in the program */
	I_BRA, I_BRX, I_CALL,
	I_OVER,     /* a bra that machine code does without (issue_slots.h); runs like BRA */
	I_OPEN,     /* lanes meet again at .meet, if they part (BSSY); not in the program */
	I_RESULT,   /* stands behind a call and copies its results; not in the program */
	I_RET, I_EXIT,
	I_WARP,     /* waits for all lanes of a mask, then runs on them */
	I_BAR,      /* waits for other warps of the block */
	/* an atom or red with a guard, which is a branch over it (atomic_contention.h) */
	I_ATOM,
	I_TRAP,
	I_YIELD     /* plain, but may wait for other lanes, which then get their turn */
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
	/* a loop of machine code, which slots have once: atomic_contention.h */
	F_ONCE = 16384
} Inst_flag;

/* The semantics of a fence or a strong access (F_STRONG); WIDE: its scope is larger than the
 * block. */
typedef enum { ORDER_ACQUIRE = 1, ORDER_RELEASE = 2, ORDER_WIDE = 4 } Inst_order;

struct Inst {
	Run *run;
	uint32_t guard, flip;   /* active lanes: guard ^ flip */
	uint32_t d, a, b, c;    /* rows: destination and sources */
	uint32_t e;             /* a second destination, or a fourth source; 0: none */
	/* BRA: where to; CALL: the Code, 0: at the address in a. b: results */
	uint32_t target;
	uint32_t meet;          /* BRA, BRX: the JOIN at the immediate post-dominator, 0: none */
	uint32_t stmt;
	/* vector elements, targets of BRX, pairs (from, to) of instructions that are predicated for
	 * OVER: in Prog.list; arguments: in Prog.slots */
	uint32_t list, nlist;
	int64_t imm;
	uint16_t flags;
	uint8_t kind;           /* Inst_kind */
	uint8_t op;             /* Op-specific: comparison, atomic operation, shuffle mode ... */
	uint8_t type, type2;    /* Ty: instruction type; source type of cvt and set */
	uint8_t space;
	/* 0 nearest even; else FE_* + 1; integer roundings of cvt: 'n' 'z' 'm' 'p' */
	uint8_t round;
	uint8_t order;          /* Inst_order */
	/* issue slots of its machine code (issue_slots.h) that are counted when it runs */
	uint16_t slots;
	/* the same, to be multiplied by the lanes that the guard leaves on. It differs from slots
	 * in predicated code only: there the branch over the code has counted the slots for all
	 * lanes (scheduler.c, count_over), so that slots is 0 here */
	uint16_t on;
	/* atom, red: what it issues beside slots, a row of atomic_contention.c's table; 0:
	 * nothing. Does
	 * it have BSSY and BSYNC of its own? */
	uint8_t form;
	bool apart;
	/* WARP: likewise, of lanes that have come apart (issue_slots.h) */
	uint8_t alone, together;
	bool uniform;           /* a bra whose lanes must go the same way */
	uint8_t wide_d, wide_a; /* the row of d, of a has 64-bit lanes */
};

/* How a row of a frame comes by its value. */
typedef enum { ROW_CONST, ROW_LOCAL, ROW_DYNAMIC, ROW_SREG } Row_kind;
typedef struct {
	uint32_t off;
	/* Row_kind: a constant; address of a local variable; of dynamic shared memory; special
	 * register */
	uint8_t kind;
	uint8_t width;          /* bytes a lane; 0: predicate */
	uint8_t sel;            /* SREG: component */
	uint64_t value;         /* SREG: Sreg */
	/* 1 + index of the row before it in its bucket (operand_decode.c); 0: none */
	uint32_t before;
} Row;
typedef VEC(Row) Rows;

/* A formal parameter, or an argument: a register row or bytes of local memory. */
typedef struct {
	bool memory;
	uint32_t at;            /* row, or offset from the frame's local base */
	uint32_t size;          /* bytes */
} Slot;

typedef struct {
	uint32_t func;
	uint32_t entry;         /* index of its first instruction */
	uint32_t bytes;         /* of a frame */
	uint32_t local;         /* bytes of local memory of an activation */
	/* of a kernel: bytes of static shared memory, including those of functions it calls */
	uint32_t shared;
	uint32_t scratch;       /* row that takes what goes to _ */
	Rows rows;
	VEC(Slot) formals;      /* parameters, then return parameters */
	uint32_t nparam;
	uint32_t end;           /* past its last instruction */
	bool taken;             /* its address is taken: calls through pointers may reach it */
	bool told;              /* its errors have been reported */
	Buf errors;             /* messages about what is not supported in it */
} Code;

typedef struct {
	const Module *m;
	VEC(Inst) insts;        /* index 0 unused */
	VEC(Code) codes;        /* index 0 unused */
	VEC(uint32_t) list;
	VEC(Slot) slots;        /* arguments of calls */
	uint32_t *code_of;      /* by Func; 0: not decoded */
	uint64_t *address;      /* by Sym: of variables once placed; else 0 */
	uint32_t decoded;       /* of codes */
	uint8_t *placed;        /* by Sym */
	uint32_t shared;        /* end of the static shared memory that several kernels name */
	uint32_t own;           /* end of that which only the kernel being decoded names */
	bool dynamic;           /* extern shared memory is named */
	Arena *arena;
} Prog;

/* ---- address windows ------------------------------------------------------------------------- */

/* Generic addresses of the spaces; in their own space the windows begin at 0. Kernel parameters lie
 * at the beginning of the param space, parameters of functions and calls, which are a lane's own,
 * from PARAM_OWN on. Global memory begins at GLOBAL_BASE, and up to GLOBAL_END a Linux process has
 * nothing of its own: elsewhere, addresses are those of the host (sim_map). */
#define WIN_SHARED  UINT64_C(0x010000000000)
#define WIN_LOCAL   UINT64_C(0x020000000000)
#define WIN_PARAM   UINT64_C(0x030000000000)
#define WIN_CONST   UINT64_C(0x040000000000)
#define WIN_CODE    UINT64_C(0x050000000000)
#define WIN_BYTES   UINT64_C(0x000100000000)
#define GLOBAL_BASE UINT64_C(0x100000000000)
#define GLOBAL_END  UINT64_C(0x500000000000)
#define PARAM_OWN   UINT64_C(0x80000000)
#define STACK_OWN   UINT64_C(0x40000000)    /* in the local space: see lane_stack.c */

/* ---- functions (instruction.c) --------------------------------------------------------------- */

/* The Code of a function; the first call makes one that is still to be decoded. */
uint32_t call_code(Prog *p, uint32_t func);
uint64_t call_address(Prog *p, uint32_t func);          /* for code that takes its address */
uint32_t call_at(const Prog *p, uint64_t at);           /* the Code at an address; 0: none */

#endif
