/* SPDX-License-Identifier: MIT */
/* The builder: functions for the grammar's actions and the scanner. Internal to lexer/ and parser/.
 *
 *	parse.c     the driver, syntax errors, growth of the module's arrays
 *	scope.c     names: scopes, register banks, labels that are used before their definition
 *	decl.c      declarations, module-level statements
 *	func.c      functions
 *	insn.c      statements and operands
 *	marker.c    CCC markers
 *	section.c   bodies of .section
 *	expr.c      numbers and constant expressions
 */
#ifndef PARSER_BUILD_H
#define PARSER_BUILD_H

#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "parser/ptx.h"

/* The current meaning of the name with an interned id. */
typedef struct {
	uint32_t sym;       /* current symbol; 0: none */
	uint32_t scope;     /* serial number of the scope that declares it */
	uint32_t bank;      /* innermost bank %name<n>, index in Symbol_table.banks; 0: none */
	/* 1 + the smallest k for which a single register %name{k} was declared */
	uint32_t member;
} Name_state;

/* A change to restore at the end of a scope. Each scope has a list, latest first. */
typedef struct {
	uint32_t name;
	Name_state old;
	uint32_t next;
} Scope_undo;

typedef struct {
	uint32_t serial;
	uint32_t undo;      /* index in Symbol_table.undos + 1 */
	uint32_t pending;   /* pending.n at its start */
	uint32_t banks;     /* banks.n at its start */
	uint32_t pos;       /* position of its '{' */
} Scope;

typedef struct {
	uint32_t sym;
	uint32_t outer;     /* bank of the same name in an outer scope */
	uint32_t depth;     /* index of its scope in Symbol_table.scopes */
} Bank;

/* An operand whose name may turn out to be a label defined later. */
typedef struct {
	uint32_t opnd;
	uint32_t name;
} Pending_use;

/* The declaration specifiers read so far. */
typedef struct {
	Span at;            /* pos is UINT32_MAX: none */
	uint8_t linkage, space, type, vec;
	uint8_t cbank;
	bool typed, pointer; /* a type was read; a .ptr was read and may continue */
	uint32_t align;
	Span attr, ptr;
} Spec;

/* A variable named by both an external declaration and a later one: the old symbol is replaced by
 * the new one. */
typedef struct {
	uint32_t old, sym;
} Renewed_symbol;

/* The open scopes and what each name means in them (scope.c). */
typedef struct {
	Name_state *names;  /* by interned id */
	uint32_t names_cap;
	VEC(Scope_undo) undos;
	/* scopes.at[0] is the module, [1] a function with its parameters and body */
	VEC(Scope) scopes;
	VEC(Bank) banks;
	VEC(Pending_use) pending;
	uint32_t serial;
	uint32_t inner_banks; /* open banks in nested scopes of a function's body */
} Symbol_table;

/* What has been read of the current statement. */
typedef struct {
	uint32_t opnd;      /* its first operand */
	uint32_t guard;     /* symbol of its guard; 0: none */
	uint8_t guard_kind; /* as Stmt.guard */
} Open_stmt;

typedef enum { DIR_OTHER, DIR_MAXNTID, DIR_REQNTID, DIR_NORETURN } Directive;
typedef enum { LEX_COMMENT, LEX_STRING, LEX_NUMBER, LEX_SECTION, LEX_NUL, LEX_BYTE } Lex_error;
typedef struct Op_table Op_table;

typedef struct Parser {
	Module *m;
	const char *text;
	Diags *diags;
	uint32_t errors;
	const char *base;   /* the scanner's copy of the text */
	/* scanner: after a directive, a dot in a word begins a new word */
	bool after_word;

	VEC(Func) funcs;
	VEC(Stmt) stmts;
	VEC(Opnd) opnds;
	VEC(Sym) syms;
	VEC(Marker) markers;
	VEC(Var) vars;
	VEC(Item) items;

	Symbol_table table;
	Spec spec;
	uint32_t func;      /* current function; 0: none */
	Open_stmt stmt;
	uint32_t var_item;  /* first symbol of the current declaration; 0: none */
	VEC(Renewed_symbol) renewed;
	VEC(uint32_t) branches; /* statements of this function whose operand must be a label */
	Op_table *ops;
} Parser;

/* Whether c is a character of a name. */
static inline bool
name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
		c == '_' || c == '$' || c == '%';
}

/* parse.c */
/* Report an error at a byte of the text, up to a maximum number of errors, and a note to it. */
void parser_error(Parser *p, Diag_kind kind, uint32_t pos, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void parser_note(Parser *p, uint32_t pos, const char *text);
/* Reports an error about a piece of the text: "'piece' why". */
void parser_wrong(Parser *p, Diag_kind kind, Span at, const char *why);
int parser_lex_error(Parser *p, Span at, Lex_error what);
void parser_syntax_error(Parser *p, Span at, bool eof, const char *const *expected, int n);
void parser_too_deep(Parser *p, Span at);
void parser_recover(Parser *p);      /* in a body */
void parser_recover_item(Parser *p); /* at module level */

/* scope.c */
uint32_t scope_name(Parser *p, Span at);     /* interned id, with p->names extended to it */
void scope_open(Parser *p, uint32_t pos);
void scope_close(Parser *p);
/* Creates a symbol that no name refers to yet. */
uint32_t scope_symbol(Parser *p, uint32_t name, Sym_kind kind, uint32_t pos);
/* Creates a symbol that the name refers to from now on; reports a redefinition. */
uint32_t scope_declare(Parser *p, uint32_t name, Sym_kind kind, uint32_t pos);
uint32_t scope_declare_bank(Parser *p, uint32_t name, uint32_t count, uint32_t pos);
/* Returns the symbol of a name; 0 if it has none yet. Records the operand if that may change. */
uint32_t scope_resolve(Parser *p, uint32_t name, uint32_t opnd);
uint32_t scope_find(Parser *p, uint32_t name); /* the same without recording */
void scope_undeclared(Parser *p, uint32_t name, uint32_t pos); /* reports an error */
void scope_init(Parser *p); /* opens the module's scope with the special registers */

/* decl.c */
void parser_version(Parser *p, Span at, Span number);
void parser_target(Parser *p, Span at);
void parser_target_word(Parser *p, Span word);
void parser_address_size(Parser *p, Span at, Span number);
void parser_item(Parser *p, Item_kind kind, Span at, Span spec);
void parser_file(Parser *p, Span at, Span number, Span name);
void parser_alias(Parser *p, Span at, Span a, Span b);
void parser_linkage(Parser *p, Linkage linkage, Span at);
void parser_space(Parser *p, Space space, Span at);
void parser_const_bank(Parser *p, Span at, Span number);
void parser_align(Parser *p, Span at, Span number);
void parser_attribute(Parser *p, Span at);
void parser_type(Parser *p, Span at);
void parser_ptr(Parser *p, Span at);
void parser_declare(Parser *p, Span name, Span suffix, Span init);
void parser_init_name(Parser *p, Span name);
void parser_init_generic(Parser *p, Span word, Span name);
void parser_variables(Parser *p, Span at);
void parser_declaration(Parser *p, Span at, Span spec);
void spec_reset(Parser *p);
/* Adds the Var of a symbol of p->spec's type with the given dimensions. */
void decl_var(Parser *p, uint32_t sym, Span dims, Span init);

/* func.c */
void parser_entry(Parser *p, Span at, Span name);
void parser_func(Parser *p, Span at, Span attrs);
void parser_func_name(Parser *p, Span name);
void parser_param(Parser *p, Span name, Span suffix);
void parser_returns(Parser *p);
void parser_params(Parser *p, Span at);
void parser_limit(Parser *p, Directive which, Span numbers);
void parser_flag(Parser *p, Directive which, Span at);
void parser_body(Parser *p, Span open);
void parser_body_end(Parser *p, Span at);
void parser_func_end(Parser *p, Span at, Span dirs);

/* insn.c */
void parser_stmt(Parser *p, Stmt_kind kind, Span at);
void parser_insn(Parser *p, Span at, Span head);
void parser_guard(Parser *p, uint8_t kind, Span name);
void parser_label(Parser *p, Span at, Span name);
void parser_scope(Parser *p, Span open);
void parser_scope_end(Parser *p, Span close);
void parser_inlined(Parser *p, Span function_name, Span inlined_at);
void parser_table(Parser *p, Span at, Span label, bool branch);
void parser_proto(Parser *p, Span at, Span label, Span name);
uint32_t parser_imm(Parser *p, Span at);
uint32_t parser_symbol(Parser *p, Span at);
uint32_t parser_component(Parser *p, Span at);
/* takes all operands from first on as children */
uint32_t parser_node(Parser *p, Opnd_kind kind, uint32_t first, Span at);
uint32_t parser_empty_list(Parser *p, Span at);

/* marker.c, section.c */
void parser_marker(Parser *p, Span at);
void parser_stray_marker(Parser *p, Span at);
void parser_section(Parser *p, Span at);

/* expr.c */
/* Reports a literal of more than 64 bits. */
void parser_check_integer(Parser *p, Span at);
/* Evaluates an integer literal or WARP_SZ. Returns false if it is neither, or exceeds 64 bits. */
bool expr_integer(const char *s, size_t n, uint64_t *value);
/* The same for a span of the text, at most max. Reports an error that names `what` and returns 0
 * otherwise. */
uint64_t expr_number(Parser *p, Span at, uint64_t max, const char *what);
/* Finds the next literal at or after *pos, skipping comments and punctuation. Returns false at the
 * end. */
bool expr_next(const char *text, uint32_t *pos, uint32_t end, Span *number);
/* Evaluates the constant expression at [pos, end) of the text. */
bool expr_value(const char *text, Span at, uint64_t *value, bool *real);
/* Returns the position of the first byte in [pos, end) that is not white space, comment or line
 * marker (# 1 "f.cu"); end if there is none. */
uint32_t expr_skip(const char *text, uint32_t pos, uint32_t end);

/* query.c */
/* Returns the end of the "+expr" after the base of an OPND_ADDR or OPND_SUM. */
uint32_t ptx_offset_end(const Module *m, const Opnd *o);

/* ops.c */
Op_table *op_table_new(Arena *a);
/* Sets the statement's opcode, and what its modifiers tell, from head .. head_end of the text. */
void insn_set_op(Op_table *t, const char *text, Stmt *s);
bool type_parse(const char *word, size_t n, Type *type); /* type of a declaration: "u32" */

#endif
