/* SPDX-License-Identifier: MIT */
/* The read-only view of a PTX module.
 *
 * ptx_parse makes a Module from a text: dense arrays of functions, statements, operands and symbols
 * that refer to each other by 32-bit index (0 = none) and to the text by byte span. Nothing is
 * copied out of the text, and a view never changes: a pass reads the view and queues edits of the
 * text (transform/text/edit.h).
 *
 *	Module -> Func[] -> Stmt[] (all statements of the body, in text order)
 *	                 -> Opnd[] (pre-order trees) -> Sym[]
 *
 * The grammar is generic: opcodes and modifiers are words. ptx_op gives the meaning of an opcode
 * (parser/ops.def); an opcode that is not in the table is legal and gets OP_UNKNOWN. Source: PTX
 * ISA 9.0, chapters 4, 5, 7, 9 and 11. */
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
	/* a register: declared individually, or a member, named in the text, of a bank such as
	 * %r<50> */
	SYM_REG,
	SYM_BANK,       /* a parametrised declaration: %r<50>, and variables param<4> */
	SYM_VAR,        /* a variable in a memory space */
	/* a formal parameter or return parameter of a function (space param or reg) */
	SYM_PARAM,
	SYM_FUNC,
	/* a code label, or the label of .branchtargets, .calltargets or .callprototype */
	SYM_LABEL,
	SYM_SPECIAL,    /* %tid, %laneid, WARP_SZ ...: rows of sreg.def */
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

/* Fundamental types (PTX ISA 5.2). Most of the program only needs the size, and whether it is a
 * predicate. */
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
	/* Stmt that declares or defines it (module-level variables: see pos) */
	uint32_t decl;
	uint32_t pos;       /* byte offset of the name at its declaration or definition */
	/* Func that it belongs to; 0: the module. For SYM_FUNC: the function itself */
	uint32_t func;
	/* SYM_BANK: number of members; SYM_REG: its bank's Sym or 0; SYM_VAR, SYM_PARAM: bytes, 0
	 * if unknown (x[]), UINT32_MAX for 4 GiB and more (see Var); SYM_SPECIAL: Sreg */
	uint32_t aux;
} Sym;

typedef enum { LINK_NONE, LINK_EXTERN, LINK_VISIBLE, LINK_WEAK, LINK_COMMON } Linkage;

/* Properties of variables and parameters: one for each SYM_VAR, SYM_PARAM, and SYM_BANK of
 * variables. */
typedef struct {
	uint32_t sym;
	uint8_t linkage;    /* Linkage */
	uint32_t align;     /* bytes; natural unless declared */
	uint64_t bytes;     /* 0 if unknown (x[]); of a bank: size of one member */
	uint8_t cbank;      /* 1 + n for .const[n] of old PTX */
	Span attr;          /* .attribute(...); empty if none */
	Span ptr;           /* .ptr .global .align 4; empty if none */
	Span dims;          /* "[4][2]" after the name; empty if none */
	Span init;          /* initialiser after "="; empty if none */
} Var;

/* ---- operands -------------------------------------------------------------------------------- */

typedef enum {
	OPND_NONE,
	/* register, label, function, variable, parameter, special register or _; sel: component */
	OPND_SYM,
	/* a literal or a constant expression of literals; no children */
	OPND_IMM,
	OPND_SUM,       /* symbol + constant expression outside brackets; child: the symbol */
	OPND_NEG,       /* -r; child: the register */
	OPND_NOT,       /* !p; child: the predicate */
	OPND_PAIR,      /* p|q destination; children: both */
	/* [base], [base+imm], [imm], [tensor, coordinates]; children: base, then the operands after
	 * a comma */
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
	/* number of Opnds in this subtree, itself included; the next sibling is at this + tree */
	uint16_t tree;
	uint32_t sym;       /* SYM: the symbol */
	Span at;
} Opnd;

/* ---- statements ------------------------------------------------------------------------------ */

typedef enum {
	STMT_NONE,
	STMT_INSN,
	STMT_LABEL,         /* name: ; sym = the label */
	/* .reg, .local, .shared, .param ... declaration; sym: the first declared symbol or 0, the
	 * others follow it (Sym.decl); head .. head_end: from the first word to the type */
	STMT_DECL,
	STMT_OPEN,          /* { of a nested scope (not of the body itself) */
	STMT_CLOSE,         /* } */
	STMT_LOC,           /* .loc */
	STMT_PRAGMA,        /* .pragma */
	/* label: .branchtargets or .calltargets; operands: the targets; sym: the label */
	STMT_TARGETS,
	STMT_PROTO,         /* label: .callprototype ...; sym: the label */
	/* a CCC marker: the three comment lines from "// begin inline asm" to "// end inline
	 * asm" */
	STMT_MARKER
} Stmt_kind;

typedef struct {
	Span at;            /* from the first byte, including the guard, to after the semicolon */
	/* LABEL, TARGETS, PROTO: symbol of the label; INSN: the guard's predicate or 0; MARKER:
	 * index into Module.markers */
	uint32_t sym;
	uint32_t opnd;      /* index of the first operand in Module.opnds, if nopnd > 0 */
	uint16_t nopnd;     /* number of top-level operands */
	uint8_t kind;       /* Stmt_kind */
	uint8_t guard;      /* INSN: 0 no guard, 1 @p, 2 @!p */
	uint32_t head;      /* INSN: byte offset of the opcode word */
	uint32_t head_end;  /* INSN: end of the last modifier */
	uint16_t op;        /* INSN: Op; use ptx_op */
	/* INSN: from its modifiers; use ptx_insn_type, ptx_space and ptx_flags */
	unsigned type : 8, space : 7, ordered : 1;
} Stmt;

/* ---- CCC markers (annotate/ writes them; docs/design.md 4.3) --------------------------------- */

/* Numbers from LAYERS_OF_MARKERS on are those of layers, two for each. A function with such markers
 * only counts: each layer is counted as if the function had no others, so layers may overlap
 * (suggest/auto_layers.h). */
enum { LAYERS_OF_MARKERS = 1 << 24 };

/* A marker of kind ANNOT_ITERATION has no end marker; it is at the beginning of the loop's body. */
typedef struct {
	bool end;           /* an end marker */
	/* written by this program in place of the marker of a transformed site, which is then no
	 * site */
	bool done;
	Annot annot;        /* kind, which end markers have too, and clauses */
	/* why the annotation has no effect, NUL-terminated; NULL: its clauses are valid, and none
	 * switches it off */
	const char *wrong;
	uint32_t wrong_at;  /* byte of the text with the error */
	/* number of the annotation in its translation unit; equal in its begin and end markers */
	uint32_t id;
	uint32_t stmt;
	uint32_t func;
	/* file (NUL-terminated, in the module's arena) and line of the annotation */
	Cuda_pos cuda;
} Marker;

/* ---- functions and module -------------------------------------------------------------------- */

typedef struct {
	/* SYM_FUNC, shared by all prototypes and the definition of that name */
	uint32_t sym;
	bool entry;             /* .entry, otherwise .func */
	bool body;              /* has a body in this module */
	bool noreturn;
	uint8_t linkage;        /* Linkage */
	Span at;                /* whole definition or prototype */
	uint32_t word;          /* byte offset of .entry or .func, after the linkage */
	Span name;
	Span list;              /* parameters with parentheses; empty if none */
	Span block;             /* body with its braces, if `body` */
	uint32_t stmt, nstmt;   /* Module.stmts[stmt .. stmt + nstmt) */
	/* local symbols: Module.syms[sym0 .. sym0 + nsym): parameters, registers, labels */
	uint32_t sym0, nsym;
	uint32_t maxntid[3];    /* .maxntid, 0: not given; missing dimensions are 1 */
	uint32_t reqntid[3];
	/* CCC markers in the body: Module.markers[marker .. marker + nmarkers) */
	uint32_t marker, nmarkers;
	uint32_t ret, nret;     /* return parameters: Module.syms[ret .. ret + nret) */
	uint32_t param, nparam; /* parameters, in the same way */
	Span attrs;             /* .attribute(...) of a .func; empty if none */
	/* directives between parameters and body (.maxntid ...); empty if none */
	Span dirs;
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
	/* FUNC: Func; VAR: first declared symbol, or 0; FILE: file number */
	uint32_t ref;
	uint32_t n;             /* VAR: number of symbols */
	/* VAR: from the linkage to the type; FILE: name with quotes; SECTION: ".debug_info" */
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
	/* Index 0 of each array is unused, except of vars and items. */
	Func *funcs;     uint32_t nfuncs;
	Stmt *stmts;     uint32_t nstmts;
	Opnd *opnds;     uint32_t nopnds;
	Sym *syms;       uint32_t nsyms;
	Marker *markers; uint32_t nmarkers;
	Var *vars;       uint32_t nvars;    /* ascending by sym */
	Item *items;     uint32_t nitems;
} Module;

/* Parses the text of src, which must outlive the view. Reports errors to d; returns NULL if there
 * are any. */
Module *ptx_parse(Source *src, Diags *d);
void ptx_free(Module *m); /* m may be NULL */
/* Renumbers functions as in `like`, a view of the same text before functions were added to it; the
 * added functions get the numbers after those. */
void ptx_number_like(Module *m, const Module *like);
/* Returns the function with a body that has the name of function func of another view; 0 if there
 * is none. */
uint32_t ptx_func_like(const Module *m, const Module *of, uint32_t func);
/* Returns the position after the last function of the text; 0 if it has none. */
uint32_t ptx_functions_end(const Module *m);

/* ---- queries --------------------------------------------------------------------------------- */

/* The statements of a function. */
#define PTX_STMTS(f, s) for (uint32_t s = (f)->stmt; s < (f)->stmt + (f)->nstmt; s++)
/* Its local symbols: parameters, registers, labels and so on. */
#define PTX_SYMS(f, sym) for (uint32_t sym = (f)->sym0; sym < (f)->sym0 + (f)->nsym; sym++)
/* Convert a function's local symbol or statement to an index of tables that count from its first,
 * and back. */
static inline uint32_t ptx_local_sym(const Func *f, uint32_t sym) { return sym - f->sym0; }
static inline uint32_t ptx_sym_at(const Func *f, uint32_t local) { return f->sym0 + local; }
static inline uint32_t ptx_local_stmt(const Func *f, uint32_t stmt) { return stmt - f->stmt; }
/* Whether a statement, or a symbol, belongs to the function. */
static inline bool ptx_has_stmt(const Func *f, uint32_t stmt)
{
	return stmt >= f->stmt && stmt - f->stmt < f->nstmt;
}
static inline bool ptx_has_sym(const Func *f, uint32_t sym)
{
	return sym >= f->sym0 && sym - f->sym0 < f->nsym;
}

/* Returns a symbol's name; not NUL-terminated. */
const char *ptx_name(const Module *m, uint32_t sym, size_t *len);
/* The same for printf: printf("%.*s", PTX_NAME(m, sym)) */
#define PTX_NAME(m, sym) ptx_name_len(m, sym), ptx_name_text(m, sym)
int ptx_name_len(const Module *m, uint32_t sym);
const char *ptx_name_text(const Module *m, uint32_t sym);
/* Whether the symbol is a register: a declared one, or a parameter or result in the register space.
 * Special registers are not. */
bool ptx_is_reg(const Module *m, uint32_t sym);
/* Whether it is a register of function f. (Old PTX has registers of the module too.) */
bool ptx_is_reg_of(const Module *m, const Func *f, uint32_t sym);
/* Returns the index in opnds of the k-th top-level operand (from 0) of a statement; 0 if there are
 * fewer. */
uint32_t ptx_operand(const Module *m, const Stmt *s, uint32_t k);
/* Iterates over all top-level operands: o is the operand's index in opnds, k its number. */
#define PTX_OPNDS(m, s, k, o) \
	for (uint32_t k = 0, o = (s)->opnd; k < (s)->nopnd; o += (m)->opnds[o].tree, k++)

/* Returns the Var of a variable, parameter or bank of variables; NULL for other symbols. */
const Var *ptx_var(const Module *m, uint32_t sym);
/* Evaluates an OPND_IMM: an integer constant expression (64 bits, wraps), or the bits of a
 * floating-point literal (*real; 0f: 32 bits, all others: bits of a double). Returns false if it
 * has no value (division by zero). */
bool ptx_imm(const Module *m, const Opnd *o, uint64_t *value, bool *real);
/* The same for an instruction of this operand size: for 4, a double literal is rounded to float. */
bool ptx_imm_sized(const Module *m, const Opnd *o, uint32_t size, uint64_t *value);
/* Computes the constant added to the base of an OPND_ADDR or to the symbol of an OPND_SUM; 0 if
 * there is none. */
bool ptx_offset(const Module *m, const Opnd *o, int64_t *value);
/* A position as in .loc: file number, line and column. */
typedef struct { uint64_t file; uint32_t line, col; } Ptx_place;
/* Reads the position that a .loc statement names; false if that is invalid. */
bool ptx_loc_place(const Module *m, uint32_t loc, Ptx_place *at);
/* Reads the position where the code of a .loc statement was inlined (.loc ... inlined_at); false if
 * it was not inlined. */
bool ptx_loc_caller(const Module *m, uint32_t loc, Ptx_place *at);
/* Computes the CUDA position of statement s from the last .loc before it in its function. False if
 * there is none, or it names line 0, as compilers do for code of no line. The file name is in the
 * module's arena. */
bool ptx_cuda_pos(const Module *m, uint32_t stmt, Cuda_pos *at);
/* Returns the CUDA position of byte pos for diagnostics. Uses the file names of markers for files
 * that those name too. */
Diag_place ptx_locate(const Module *m, uint32_t pos);
/* The same for a statement, without its function; file NULL: unknown. */
Diag_place ptx_place(const Module *m, uint32_t stmt);
/* Computes where the code of the statement was inlined (.loc ... inlined_at); false if it was
 * not. */
bool ptx_cuda_caller(const Module *m, uint32_t stmt, Cuda_pos *at);

/* ---- opcodes (parser/ops.def) ---------------------------------------------------------------- */

typedef enum {
	OP_UNKNOWN,
#define OP(id, ...) OP_##id,
#include "parser/ops.def"
#undef OP
	OP_COUNT
} Op;

/* The properties of an opcode that the analyses need (docs/design.md 3.2). */
typedef enum {
	/* writes the first operand (register, vector of registers, or p|q pair) */
	OPF_WRITES1 = 1 << 0,
	OPF_LOAD    = 1 << 1,   /* reads memory */
	OPF_STORE   = 1 << 2,   /* writes memory (atomics: both) */
	/* atom, red, mbarrier ...: atomic; results differ between lanes */
	OPF_ATOMIC  = 1 << 3,
	/* exchanges data between lanes or waits for lanes: shfl, vote, match, bar.warp.sync, mma
	 * ... */
	OPF_CROSS   = 1 << 4,
	/* waits for other warps of the block: bar, barrier, barrier.cluster */
	OPF_BARRIER = 1 << 5,
	OPF_BRANCH  = 1 << 6,   /* bra, brx.idx */
	OPF_EXIT    = 1 << 7,   /* ret, exit, trap: control does not continue */
	OPF_CALL    = 1 << 8,
	/* result depends only on the operands, no memory access or effect; may be computed twice */
	OPF_PURE    = 1 << 9,
	OPF_VARIES  = 1 << 10,  /* result may differ between lanes even if the operands are equal */
	/* other effect that must occur once and in order: fence, nanosleep, printf ... */
	OPF_EFFECT  = 1 << 11,
	OPF_STACK   = 1 << 12,  /* alloca, stacksave, stackrestore */
	/* reads or writes the carry flag CC: add.cc, addc ...; such a sequence must stay
	 * together */
	OPF_CARRY   = 1 << 13
} Op_flag;

/* Cost class: determines, with the target, the issue slots of a warp instruction
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

/* Returns the opcode of an instruction, including modifiers that select another instruction
 * (bar.warp.sync is OP_BAR_WARP, bar.sync OP_BAR; barrier.cluster.* OP_BARRIER_CLUSTER). */
Op ptx_op(const Module *m, const Stmt *s);
/* Returns its flags, more precise than ptx_ops[op].flags: for example ld.volatile and ld.acquire
 * have OPF_EFFECT. */
uint32_t ptx_flags(const Module *m, const Stmt *s);
/* Whether the instruction has modifier ".word"; word has no dot. */
bool ptx_has(const Module *m, const Stmt *s, const char *word);
/* Whether it has one of these words, terminated by NULL. */
bool ptx_has_any(const Module *m, const Stmt *s, const char *const *words);
/* Returns the state space that a memory instruction names; SPACE_GENERIC if it names none. */
Space ptx_space(const Module *m, const Stmt *s);
/* Returns the instruction type: the last type modifier (.s32 of cvt.f32.s32); TYPE_NONE if there is
 * none. */
Type ptx_insn_type(const Module *m, const Stmt *s);
/* A cursor over the symbols that a statement names: registers, special registers, variables,
 * parameters and labels, the guard first. A symbol that is read and written occurs twice, first as
 * read. If the instruction is guarded, its destinations are written only on some lanes.
 *
 *	PTX_REFS(m, s, r)
 *		use(r.sym, r.opnd, r.written);
 */
typedef struct {
	uint32_t sym;
	uint32_t opnd;      /* its operand in Module.opnds; 0: the guard */
	bool written;       /* a destination */
	/* Internal: */
	/* access to the current top-level operand; accesses of sym still to be reported */
	uint8_t access, left;
	/* next operand; end of the top-level operand, of its brackets */
	uint32_t next, end, inside;
	uint32_t k, ndest;              /* next top-level operand; number of written ones */
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
	/* may change between two reads: %clock*, %globaltimer*, %smid, %warpid, %pm* */
	SREGF_TIME   = 1 << 1,
	SREGF_BLOCK  = 1 << 2   /* the same for all threads of a block: %ctaid, %ntid ... */
} Sreg_flag;
typedef struct { const char *name; uint8_t flags; } Sreg_info;
extern const Sreg_info ptx_sregs[SREG_COUNT];

#endif
