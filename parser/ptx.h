/* SPDX-License-Identifier: MIT */
/* The read-only view of a PTX module.
 *
 * ptx_parse reads a text and gives a Module: dense arrays of functions, statements, operands and
 * symbols that refer to each other by 32-bit index (0 = none) and to the text by byte span. Nothing
 * is copied out of the text and nothing in a view is ever changed: a pass reads the view and queues
 * edits of the text (transform/text/edit.h).
 *
 *	Module  -> Func[] -> Stmt[] (all statements of the body, in text order) -> Opnd[] (pre-order
 *	        trees)
 *	                                                                               ->  Sym[]
 *
 * The grammar is generic: opcode and modifiers are words. ptx_op says what an opcode means
 * (parser/ops.def); one that the table lacks is legal and has the op OP_UNKNOWN. Source: PTX ISA
 * 9.0, chapters 4, 5, 7, 9 and 11.
 */
#ifndef PARSER_PTX_H
#define PARSER_PTX_H

#include <stdbool.h>
#include <stdint.h>
#include "base/annot.h"
#include "base/arena.h"
#include "base/diag.h"
#include "base/intern.h"
#include "base/source.h"

/* ---- symbols --------------------------------------------------------------------------------- */

typedef enum {
	SYM_NONE,
	/* a register: declared singly, or the member of a bank such as %r<50> that the text
	 * names */
	SYM_REG,
	SYM_BANK,       /* a parametrised declaration: %r<50>, and variables param<4> */
	SYM_VAR,        /* a variable in a memory space */
	/* a formal parameter or return parameter of a function (space param or reg) */
	SYM_PARAM,
	SYM_FUNC,
	/* code label; also a .branchtargets, .calltargets or .callprototype label */
	SYM_LABEL,
	SYM_SPECIAL,    /* %tid, %laneid, WARP_SZ ...: special_def of sreg.def */
	SYM_SINK        /* _ */
} Sym_kind;

typedef enum {
	SPACE_NONE,
	SPACE_REG,
	SPACE_GLOBAL,
	SPACE_SHARED,
	SPACE_LOCAL,
	SPACE_CONST,
	SPACE_PARAM,
	SPACE_TEX,
	SPACE_GENERIC
} Space;

/* Fundamental types (PTX ISA 5.2). Only the size and the fact of being a predicate matter to most
 * of the program. */
typedef enum {
	TYPE_NONE, TYPE_PRED,
	TYPE_B8, TYPE_B16, TYPE_B32, TYPE_B64, TYPE_B128,
	TYPE_U8, TYPE_U16, TYPE_U32, TYPE_U64, TYPE_S8, TYPE_S16, TYPE_S32, TYPE_S64,
	TYPE_F16, TYPE_F16X2, TYPE_F32, TYPE_F64,
	TYPE_TEXREF, TYPE_SURFREF, TYPE_SAMPLERREF
} Type;
uint32_t ptx_type_size(Type t);       /* bytes; 0 for predicates and opaque types */
const char *ptx_type_name(Type t);    /* "f32", without a dot */

typedef struct {
	uint32_t name;      /* interned; ptx_name */
	uint8_t kind;       /* Sym_kind */
	uint8_t type;       /* Type, for registers, variables, parameters */
	uint8_t space;      /* Space */
	uint8_t vec;        /* vector width of a .v2/.v4 declaration, else 1 */
	/* Stmt that declares or defines it (module-level variables: byte offset is in pos) */
	uint32_t decl;
	uint32_t pos;       /* byte offset of the name at its declaration or definition */
	uint32_t func;      /* Func it belongs to; 0 = module. For SYM_FUNC: the function itself */
	/* SYM_BANK: how many; SYM_REG: its bank's Sym or 0; SYM_VAR, SYM_PARAM: bytes, 0 if not
	 * known (x[]), UINT32_MAX for 4 GiB and more (see Var); SYM_SPECIAL: Sreg */
	uint32_t aux;
} Sym;

typedef enum { LINK_NONE, LINK_EXTERN, LINK_VISIBLE, LINK_WEAK, LINK_COMMON } Linkage;

/* What only variables and parameters have: one for each symbol that is a SYM_VAR, SYM_PARAM or a
 * SYM_BANK of variables. */
typedef struct {
	uint32_t sym;
	uint8_t linkage;    /* Linkage */
	uint32_t align;     /* bytes: as declared, else natural */
	uint64_t bytes;     /* 0 if not known (x[]); of a bank: of one member */
	uint8_t cbank;      /* 1 + n for .const[n] of old PTX */
	Span attr;          /* .attribute(...); empty if none */
	Span ptr;           /* .ptr .global .align 4; empty if none */
	Span dims;          /* "[4][2]" behind the name; empty if none */
	Span init;          /* the initialiser behind "="; empty if none */
} Var;

/* ---- operands -------------------------------------------------------------------------------- */

typedef enum {
	OPND_NONE,
	/* register, label, function, variable, parameter, special register or _; sel = component */
	OPND_SYM,
	/* a literal or a constant expression of literals, as a whole; no children */
	OPND_IMM,
	OPND_SUM,       /* symbol + constant expression outside brackets; child: the symbol */
	OPND_NEG,       /* -r; child: the register */
	OPND_NOT,       /* !p; child: the predicate */
	OPND_PAIR,      /* p|q destination; children: both */
	/* [base], [base+imm], [imm], [tensor, coordinates]; children: base, then what follows a
	 * comma */
	OPND_ADDR,
	OPND_VEC,       /* {a, b, c, d}; children: the elements */
	OPND_INDEX,     /* a[i], old PTX; children */
	OPND_LIST       /* (a, b): argument or return list of a call; children */
} Opnd_kind;

typedef struct {
	uint8_t kind;       /* Opnd_kind */
	/* SYM: component after the dot: 0 none, else its character ('x' 'y' 'z' 'w' 'r' 'g' 'b'
	 * 'a', or 'B'/'H' for a video selector such as .b0, .h1) */
	uint8_t sel;
	/* number of Opnds in this subtree, itself included: the next sibling is at this + tree */
	uint16_t tree;
	uint32_t sym;       /* SYM: the symbol */
	Span at;
} Opnd;

/* ---- statements ------------------------------------------------------------------------------ */

typedef enum {
	STMT_NONE,
	STMT_INSN,
	STMT_LABEL,         /* name: ; sym = the label */
	/* .reg, .local, .shared, .param ... declaration; sym = the first symbol declared or 0, the
	 * others follow it (Sym.decl); head .. head_end = from the first word to the type */
	STMT_DECL,
	STMT_OPEN,          /* { of a nested scope (not the body's own braces) */
	STMT_CLOSE,         /* } */
	STMT_LOC,           /* .loc */
	STMT_PRAGMA,        /* .pragma */
	/* label: .branchtargets ..., or .calltargets; operands: the targets; sym = the label */
	STMT_TARGETS,
	STMT_PROTO,         /* label: .callprototype ...; sym = the label */
	/* a CCC marker: the three comment lines from "// begin inline asm" to "// end inline
	 * asm" */
	STMT_MARKER
} Stmt_kind;

typedef struct {
	Span at;            /* from the first byte (guard included) to past the semicolon */
	/* LABEL, TARGETS, PROTO: the label's symbol; INSN: the guard's predicate symbol or 0;
	 * MARKER: index into Module.markers */
	uint32_t sym;
	uint32_t opnd;      /* first operand's index in Module.opnds, if nopnd > 0 */
	uint16_t nopnd;     /* top-level operands */
	uint8_t kind;       /* Stmt_kind */
	uint8_t guard;      /* INSN: 0 no guard, 1 @p, 2 @!p */
	uint32_t head;      /* INSN: byte offset of the opcode word */
	uint32_t head_end;  /* INSN: past the last modifier */
	uint16_t op;        /* INSN: Op; ask ptx_op */
} Stmt;

/* ---- CCC markers (annotate/ writes them; docs/design.md 4.3) --------------------------------- */

/* One of kind ANNOT_ITERATION stands alone, where the body of the annotated loop begins. */
typedef struct {
	bool end;           /* an end marker */
	/* written by this program in place of a marker whose site was transformed: no site any
	 * more */
	bool done;
	Annot annot;        /* its kind, which end markers carry too, and its clauses */
	const char *wrong;  /* why the clauses cannot be read, NUL-terminated; NULL: they can */
	uint32_t wrong_at;  /* byte of the text */
	/* the annotation's number in its translation unit: begin and end agree in it */
	uint32_t id;
	uint32_t stmt;
	uint32_t func;
	/* file (NUL-terminated, in the module's arena) and line of the annotation */
	Cuda_pos cuda;
} Marker;

/* ---- functions and module -------------------------------------------------------------------- */

typedef struct {
	/* its SYM_FUNC: one for a name, shared by prototypes and the definition */
	uint32_t sym;
	bool entry;             /* .entry, else .func */
	bool body;              /* has a body here */
	bool noreturn;
	uint8_t linkage;        /* Linkage */
	Span at;                /* the whole definition or prototype */
	uint32_t word;          /* byte offset of .entry or .func: the linkage stands in front */
	Span name;
	Span list;              /* the parameters and their parentheses; empty if none */
	Span block;             /* the body's braces and what is between, if body */
	uint32_t stmt, nstmt;   /* statements: Module.stmts[stmt .. stmt + nstmt) */
	/* symbols local to the function: Module.syms[sym0 .. sym0 + nsym): parameters, registers,
	 * labels */
	uint32_t sym0, nsym;
	uint32_t maxntid[3];    /* .maxntid, 0 = none given; missing dimensions are 1 */
	uint32_t reqntid[3];
	/* CCC markers in the body: Module.markers[marker .. marker + nmarkers) */
	uint32_t marker, nmarkers;
	uint32_t ret, nret;     /* return parameters: Module.syms[ret .. ret + nret) */
	uint32_t param, nparam; /* parameters likewise */
	Span attrs;             /* .attribute(...) of a .func; empty if none */
	Span dirs;              /* .maxntid ... between parameters and body; empty if none */
} Func;

/* A module-level statement, in text order. */
typedef enum {
	ITEM_NONE,
	ITEM_VERSION,
	ITEM_TARGET,
	ITEM_ADDRESS_SIZE,
	ITEM_VAR,
	ITEM_FUNC,
	ITEM_FILE,
	ITEM_PRAGMA,
	ITEM_ALIAS,
	ITEM_SECTION
} Item_kind;

typedef struct {
	Span at;
	uint8_t kind;           /* Item_kind */
	uint8_t linkage;        /* VAR: Linkage */
	/* FUNC: the Func; VAR: the first symbol declared, or 0; FILE: the file's number */
	uint32_t ref;
	uint32_t n;             /* VAR: how many symbols */
	/* VAR: from the linkage to the type; FILE: the name with its quotes; SECTION:
	 * ".debug_info" */
	Span spec;
} Item;

typedef struct Module {
	Source *src;
	Arena *arena;
	Intern *names;
	uint32_t version;       /* 10 * major + minor: 90 for 9.0 */
	uint32_t target;        /* 90 for sm_90a */
	uint32_t address_size;  /* 32 or 64 */
	bool debug;             /* .target ..., debug */
	bool registers;         /* declares registers at module level, as PTX without an ABI may */
	/* Index 0 of each array is unused, but of vars and items. */
	Func *funcs;     uint32_t nfuncs;
	Stmt *stmts;     uint32_t nstmts;
	Opnd *opnds;     uint32_t nopnds;
	Sym *syms;       uint32_t nsyms;
	Marker *markers; uint32_t nmarkers;
	Var *vars;       uint32_t nvars;    /* ascending by sym */
	Item *items;     uint32_t nitems;
} Module;

/* Parses and resolves the text of src, which must outlive the view. Errors go to d; NULL if there
 * was any. */
Module *ptx_parse(Source *src, Diags *d);
void ptx_free(Module *m); /* m may be NULL */
/* Gives functions the numbers that they have in `like`, a view of the same text before functions
 * were added to it; those have the numbers behind. */
void ptx_number_like(Module *m, const Module *like);
/* The function with a body that has the name of one of another view; 0: there is none. */
uint32_t ptx_func_like(const Module *m, const Module *of, uint32_t func);

/* ---- questions ------------------------------------------------------------------------------- */

/* The statements of a function. */
#define PTX_STMTS(f, s) for (uint32_t s = (f)->stmt; s < (f)->stmt + (f)->nstmt; s++)
/* Its own symbols: parameters, registers, labels and so on. */
#define PTX_SYMS(f, sym) for (uint32_t sym = (f)->sym0; sym < (f)->sym0 + (f)->nsym; sym++)
/* The number of a function's own symbol, or statement, in tables that count from its first. */
static inline uint32_t ptx_local_sym(const Func *f, uint32_t sym) { return sym - f->sym0; }
static inline uint32_t ptx_sym_at(const Func *f, uint32_t local) { return f->sym0 + local; }
static inline uint32_t ptx_local_stmt(const Func *f, uint32_t stmt) { return stmt - f->stmt; }
/* Is the statement one of the function's, and the symbol? */
static inline bool ptx_has_stmt(const Func *f, uint32_t stmt)
{
	return stmt >= f->stmt && stmt - f->stmt < f->nstmt;
}
static inline bool ptx_has_sym(const Func *f, uint32_t sym)
{
	return sym >= f->sym0 && sym - f->sym0 < f->nsym;
}

/* A symbol's name; not NUL-terminated. */
const char *ptx_name(const Module *m, uint32_t sym, size_t *len);
/* The same for printf: printf("%.*s", PTX_NAME(m, sym)) */
#define PTX_NAME(m, sym) ptx_name_len(m, sym), ptx_name_text(m, sym)
int ptx_name_len(const Module *m, uint32_t sym);
const char *ptx_name_text(const Module *m, uint32_t sym);
/* Is the symbol a register: a declared one, or a parameter or result in the register space?
 * (special ones are not) */
bool ptx_is_reg(const Module *m, uint32_t sym);
/* Is it one of function f's? (Others are the module's, of old PTX.) */
bool ptx_is_reg_of(const Module *m, const Func *f, uint32_t sym);
/* The k-th top-level operand (from 0) of a statement: its index in opnds; 0 if there are fewer. */
uint32_t ptx_operand(const Module *m, const Stmt *s, uint32_t k);
/* All of them: o is the operand's index in opnds, k its number. */
#define PTX_OPNDS(m, s, k, o) \
	for (uint32_t k = 0, o = (s)->opnd; k < (s)->nopnd; o += (m)->opnds[o].tree, k++)

/* The Var of a variable, parameter or bank of variables; NULL for other symbols. */
const Var *ptx_var(const Module *m, uint32_t sym);
/* The value of an OPND_IMM: an integer constant expression (64 bits, wraps), or the bits of a
 * floating-point literal (0f: 32 bits, all others: those of a double; *real says that it is one).
 * False if it has none (division by zero). */
bool ptx_imm(const Module *m, const Opnd *o, uint64_t *value, bool *real);
/* The same for an instruction of so many bytes: a floating-point literal is rounded to 4 if need
 * be. */
bool ptx_imm_sized(const Module *m, const Opnd *o, uint32_t size, uint64_t *value);
/* The constant added to the base of an OPND_ADDR or to the symbol of an OPND_SUM; 0 when there is
 * none. */
bool ptx_offset(const Module *m, const Opnd *o, int64_t *value);
/* A place as .loc names it: file's number, line and column. */
typedef struct { uint64_t file; uint32_t line, col; } Ptx_place;
/* The place that a .loc statement names; false if it cannot be read. */
bool ptx_loc_place(const Module *m, uint32_t loc, Ptx_place *at);
/* Where the code of a .loc statement was inlined (.loc ... inlined_at); false if it was not. */
bool ptx_loc_caller(const Module *m, uint32_t loc, Ptx_place *at);
/* The CUDA position that the last .loc before statement s of its function gives; false if there is
 * none, or it names line 0, as compilers do for code that is of no line. The file's name is copied
 * to the module's arena. */
bool ptx_cuda_pos(const Module *m, uint32_t stmt, Cuda_pos *at);
/* Where the CUDA source of byte pos is, for diagnostics: file names as markers have them where
 * those name the same file. */
Diag_place ptx_locate(const Module *m, uint32_t pos);
/* The same of a statement, without its function; file NULL: not known. */
Diag_place ptx_place(const Module *m, uint32_t stmt);
/* Where the code of that position was inlined (.loc ... inlined_at); false if it was not. */
bool ptx_cuda_caller(const Module *m, uint32_t stmt, Cuda_pos *at);

/* ---- opcodes (parser/ops.def) ---------------------------------------------------------------- */

typedef enum {
	OP_UNKNOWN,
#define OP(id, ...) OP_##id,
#include "parser/ops.def"
#undef OP
	OP_COUNT
} Op;

/* What an opcode does, as far as the analyses ask (docs/design.md 3.2). */
typedef enum {
	/* the first operand is written (register, vector of registers, or p|q pair) */
	OPF_WRITES1 = 1 << 0,
	OPF_LOAD    = 1 << 1,   /* reads memory */
	OPF_STORE   = 1 << 2,   /* writes memory (atomics: both) */
	/* atom, red, mbarrier ...: indivisible; results differ from lane to lane */
	OPF_ATOMIC  = 1 << 3,
	/* exchanges data between lanes or waits for lanes: shfl, vote, match, bar.warp.sync, mma
	 * ... */
	OPF_CROSS   = 1 << 4,
	/* waits for other warps of the block: bar, barrier, barrier.cluster */
	OPF_BARRIER = 1 << 5,
	OPF_BRANCH  = 1 << 6,   /* bra, brx.idx */
	OPF_EXIT    = 1 << 7,   /* ret, exit, trap: control does not go on when executed */
	OPF_CALL    = 1 << 8,
	/* result depends on the operands alone: no memory, no effect; may be computed twice */
	OPF_PURE    = 1 << 9,
	OPF_VARIES  = 1 << 10,  /* result may differ between lanes though operands agree */
	/* some other effect that must stay once and in order: fence, nanosleep, printf ... */
	OPF_EFFECT  = 1 << 11,
	OPF_STACK   = 1 << 12,  /* alloca, stacksave, stackrestore */
	/* reads or writes the carry flag CC: add.cc, addc ...: such a sequence stays together */
	OPF_CARRY   = 1 << 13
} Op_flag;

/* Cost class: issue slots of one warp instruction come from this and the target
 * (analysis/cost/static_cost.h). */
typedef enum {
	COST_NONE,
	COST_ALU,
	COST_MUL,
	COST_FMA,
	COST_F64,
	COST_SFU,
	COST_CVT,
	COST_MEM,
	COST_ATOM,
	COST_SYNC,
	COST_BRANCH,
	COST_CALL,
	COST_MMA
} Cost_class;

typedef struct { const char *name; uint16_t flags; uint8_t cost; } Op_info;
extern const Op_info ptx_ops[OP_COUNT];

/* The opcode of an instruction statement, with its modifiers taken into account where they decide
 * what it is (bar.warp.sync is OP_BAR_WARP, bar.sync OP_BAR; barrier.cluster.*
 * OP_BARRIER_CLUSTER). */
Op ptx_op(const Module *m, const Stmt *s);
/* Its flags. Finer than ptx_ops[op].flags: ld.volatile, ld.acquire etc. get OPF_EFFECT, setp.f32
 * and so on are pure ... */
uint32_t ptx_flags(const Module *m, const Stmt *s);
/* Does the instruction have modifier ".word" (give word without the dot)? */
bool ptx_has(const Module *m, const Stmt *s, const char *word);
/* One of these, which NULL ends? */
bool ptx_has_any(const Module *m, const Stmt *s, const char *const *words);
/* The state space that a memory instruction names; SPACE_GENERIC when it names none. */
Space ptx_space(const Module *m, const Stmt *s);
/* The instruction type: the last type modifier (.s32 of cvt.f32.s32), TYPE_NONE if none. */
Type ptx_insn_type(const Module *m, const Stmt *s);
/* What a statement names: a cursor over its registers, special registers, variables, parameters and
 * labels, the guard first; what is both read and written comes twice, read first. A destination
 * whose instruction is guarded is written only on some lanes (see the guard).
 *
 *	PTX_REFS(m, s, r)
 *		use(r.sym, r.opnd, r.written);
 */
typedef struct {
	uint32_t sym;
	uint32_t opnd;      /* where it stands in Module.opnds; 0: the guard */
	bool written;       /* a destination */
	/* the cursor's own: */
	/* to the top-level operand at hand; what is to be told of sym */
	uint8_t access, left;
	/* operand to come; ends of the top-level one, of its brackets */
	uint32_t next, end, inside;
	uint32_t k, ndest;              /* top-level operands: the next one, how many are written */
	const Module *m;
	const Stmt *s;
} Ptx_refs;
Ptx_refs ptx_refs(const Module *m, const Stmt *s);
bool ptx_next_ref(Ptx_refs *r);
#define PTX_REFS(m, s, r) for (Ptx_refs r = ptx_refs(m, s); ptx_next_ref(&r);)

/* ---- special registers (parser/sreg.def) ----------------------------------------------------- */

typedef enum {
#define SREG(id, name, flags) SREG_##id,
#include "parser/sreg.def"
#undef SREG
	SREG_COUNT
} Sreg;
typedef enum {
	/* differs between the lanes of a warp and belongs to the thread: %tid, %laneid,
	 * %lanemask_* */
	SREGF_LANE   = 1 << 0,
	/* may differ from read to read: %clock*, %globaltimer*, %smid, %warpid, %pm* */
	SREGF_TIME   = 1 << 1,
	SREGF_BLOCK  = 1 << 2   /* the same in all threads of a block: %ctaid, %ntid ... */
} Sreg_flag;
typedef struct { const char *name; uint8_t flags; } Sreg_info;
extern const Sreg_info ptx_sregs[SREG_COUNT];

#endif
