/* SPDX-License-Identifier: MIT */
/* The grammar of PTX: generic in opcodes and modifiers, so that it is independent of the
 * instruction set.
 *
 * Every action is one call of the builder (build.h). Semantic values are operand indices, or the
 * variant of a token class. Locations are byte spans. After a syntax error, parsing continues after
 * the next ';' or, at the end of a block, after its '}'. Source: PTX ISA 9.0, chapters 4, 5, 7 and
 * 11; rules for what ptxas accepts beyond it say so. */
%require "3.8"
%define api.pure full
%define api.prefix {ptxyy}
%define api.location.type {Span}
%define api.value.type {uint32_t}
%define parse.error custom
%expect 0
%param {void *scanner}
%parse-param {Parser *p}

%code requires {
#include "parser/build.h"
}
%code top {
#if defined __GNUC__
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif
}
%code {
#include "ptx.lex.h"

#define YYMAXDEPTH 20000
#define YYMALLOC xmalloc
#define YYFREE xfree
#define YYLLOC_DEFAULT(now, rhs, n) \
	((now).pos = (n) ? YYRHSLOC(rhs, 1).pos : YYRHSLOC(rhs, 0).end, (now).end = YYRHSLOC(rhs, n).end)

static void ptxyyerror(const Span *at, void *scanner, Parser *p, const char *message);
}

%token ID "name" DOTTED "word with modifiers" NUM "number" STRING "string" DOT "modifier"
%token MARKER "CCC marker" SECTION ".section"
%token VERSION_ ".version" TARGET ".target" ADDRESS_SIZE ".address_size" FILE_ ".file" ALIAS ".alias" PRAGMA ".pragma"
%token LOC ".loc" LOC3 ".loc with numbers"
%token LINKAGE "linkage" SPACE "state space" ALIGN ".align" ATTRIBUTE ".attribute" PTR ".ptr"
%token ENTRY ".entry" FUNC ".func" LIMIT "performance directive" FLAG "function directive"
%token BRANCHTARGETS ".branchtargets" CALLTARGETS ".calltargets" CALLPROTOTYPE ".callprototype"
%token SHL "<<" SHR ">>" LE "<=" GE ">=" EQ "==" NE "!=" ANDAND "&&" OROR "||"

%precedence NOTHING     /* a function without body ... */
%precedence ".pragma"   /* ... but a .pragma after its header belongs to it */
%right '?' ':'
%left "||"
%left "&&"
%left '|'
%left '^'
%left '&'
%left "==" "!="
%left '<' '>' "<=" ">="
%left "<<" ">>"
%left '+' '-'
%left '*' '/' '%'
%precedence UNARY

%%

/* ---- module level ---- */

module: items;

items
	: %empty
	| items item
	;

item
	: ".version" NUM                        { parser_version(p, @$, @2); }
	| ".target" targets                     { parser_target(p, @$); }
	| ".address_size" NUM                   { parser_address_size(p, @$, @2); }
	| linkage specs variables ';'           { parser_variables(p, @$); }
	| function
	| ".file" NUM STRING                    { parser_file(p, @$, @2, @3); }
	| ".file" NUM STRING ',' NUM ',' NUM    { parser_file(p, @$, @2, @3); }
	| ".pragma" strings ';'                 { parser_item(p, ITEM_PRAGMA, @$, @2); }
	| ".alias" ID ',' ID ';'                { parser_alias(p, @$, @2, @4); }
	| SECTION                               { parser_section(p, @$); }
	| MARKER                                { parser_stray_marker(p, @$); }
	| error ';'                             { parser_recover_item(p); }
	| error '}'                             { parser_recover_item(p); }
	;

targets
	: ID                                    { parser_target_word(p, @1); }
	| targets ',' ID                        { parser_target_word(p, @3); }
	;

strings
	: STRING
	| strings ',' STRING
	;

/* ---- declarations ---- */

linkage
	: %empty                                { parser_linkage(p, LINK_NONE, @$); }
	| LINKAGE                               { parser_linkage(p, $1, @1); }
	;

specs
	: spec1
	| specs spec
	;

spec1   /* allowed first specifiers, so that an unknown directive is reported at its position */
	: SPACE                                 { parser_space(p, $1, @1); }
	| SPACE '[' NUM ']'                     { parser_const_bank(p, @$, @3); }
	| ".align" NUM                          { parser_align(p, @$, @2); }
	| ".attribute" '(' attributes ')'       { parser_attribute(p, @$); }
	;

spec
	: spec1
	| DOT                                   { parser_type(p, @1); }
	| ".ptr"                                { parser_ptr(p, @1); }
	;

attributes
	: DOT
	| DOT '(' numbers ')'
	| attributes ',' DOT
	| attributes ',' DOT '(' numbers ')'
	;

numbers
	: NUM
	| numbers ',' NUM
	;

variables   /* ptxas accepts an empty list */
	: %empty
	| variables1
	;

variables1
	: ID suffix init                        { parser_declare(p, @1, @2, @3); }
	| variables1 ',' ID suffix init         { parser_declare(p, @3, @4, @5); }
	;

suffix
	: %empty
	| '<' NUM '>'
	| dims
	;

dims
	: '[' ']'
	| '[' NUM ']'
	| dims '[' NUM ']'
	;

init
	: %empty
	| '=' value                             { @$ = @2; }
	;

value
	: expr
	| address
	| NUM '(' address ')'                   /* one byte of an address: 0xff(symbol) */
	| '{' '}'
	| '{' values '}'
	;

values
	: value
	| property
	| values ',' value
	| values ',' property
	;

property    /* .texref t = { width = 640, filter_mode = linear } */
	: ID '=' expr
	| ID '=' ID
	;

address
	: ID                                    { parser_init_name(p, @1); }
	| ID '+' expr                           { parser_init_name(p, @1); }
	| ID '(' ID ')'                         { parser_init_generic(p, @1, @3); }
	| ID '(' ID '+' expr ')'                { parser_init_generic(p, @1, @3); }
	| ID '(' ID ')' '+' expr                { parser_init_generic(p, @1, @3); }
	;

/* ---- functions ---- */

function
	: entry parameters directives body      { parser_func_end(p, @$, @3); }
	| func parameters directives body       { parser_func_end(p, @$, @3); }
	;

entry
	: linkage ".entry" ID                   { parser_entry(p, @2, @3); }
	;

func
	: func_word returns ID                  { parser_func_name(p, @3); }
	;

func_word
	: linkage ".func"                       { parser_func(p, @2, (Span){ 0, 0 }); }
	| linkage ".func" ".attribute" '(' attributes ')' { parser_func(p, @2, ((Span){ @3.pos, @6.end })); }
	;

returns
	: %empty
	| '(' params ')'                        { parser_returns(p); }
	;

parameters
	: %empty
	| '(' params ')'                        { parser_params(p, @$); }
	;

params
	: %empty
	| params1
	;

params1
	: specs ID suffix                       { parser_param(p, @2, @3); }
	| params1 ',' specs ID suffix           { parser_param(p, @4, @5); }
	;

directives
	: %empty
	| directives directive
	;

directive
	: LIMIT numbers                         { parser_limit(p, $1, @2); }
	| FLAG                                  { parser_flag(p, $1, @1); }
	| ".pragma" strings ';'
	;

body    /* prototypes of old compilers have no semicolon, and ptxas accepts them */
	: %empty %prec NOTHING
	| ';'
	| open_body statements '}'              { parser_body_end(p, @3); }
	| open_body statements error '}'        { parser_body_end(p, @4); }
	;

open_body
	: '{'                                   { parser_body(p, @1); }
	;

/* ---- statements ---- */

statements
	: %empty
	| statements statement
	;

statement
	: instruction
	| ID ':'                                { parser_label(p, @$, @1); }
	| specs variables ';'                   { parser_declaration(p, @$, @1); }
	| open statements '}'                   { parser_scope_end(p, @3); }
	| open statements error '}'             { parser_scope_end(p, @4); }
	| loc                                   { parser_stmt(p, STMT_LOC, @$); }
	| ".pragma" strings ';'                 { parser_stmt(p, STMT_PRAGMA, @$); }
	| ID ':' ".branchtargets" targets_list ';' { parser_table(p, @$, @1, true); }
	| ID ':' ".calltargets" targets_list ';' { parser_table(p, @$, @1, false); }
	| ID ':' ".callprototype" proto_params ID proto_params directives ';' { parser_proto(p, @$, @1, @5); }
	| MARKER                                { parser_marker(p, @$); }
	| error ';'                             { parser_recover(p); }
	;

open
	: '{'                                   { parser_scope(p, @1); }
	;

loc
	: LOC3
	| LOC3 ',' ID ID ',' ID NUM NUM NUM     { parser_inlined(p, @3, @6); }
	| LOC3 ',' ID ID '+' NUM ',' ID NUM NUM NUM { parser_inlined(p, @3, @8); }
	| ".loc" NUM NUM NUM
	| ".loc" NUM NUM NUM ',' ID ID ',' ID NUM NUM NUM { parser_inlined(p, @6, @9); }
	| ".loc" NUM NUM NUM ',' ID ID '+' NUM ',' ID NUM NUM NUM { parser_inlined(p, @6, @11); }
	;

targets_list
	: ID                                    { parser_symbol(p, @1); }
	| targets_list ',' ID                   { parser_symbol(p, @3); }
	;

proto_params
	: %empty
	| '(' ')'
	| '(' proto_params1 ')'
	;

proto_params1   /* declares nothing */
	: specs ID suffix                       { spec_reset(p); }
	| proto_params1 ',' specs ID suffix     { spec_reset(p); }
	;

instruction
	: head ';'                              { parser_insn(p, @$, @1); }
	| head operands ';'                     { parser_insn(p, @$, @1); }
	| '@' guard head ';'                    { parser_insn(p, @$, @3); }
	| '@' guard head operands ';'           { parser_insn(p, @$, @3); }
	;

guard
	: ID                                    { parser_guard(p, 1, @1); }
	| '!' ID                                { parser_guard(p, 2, @2); }
	;

head
	: ID
	| DOTTED
	| head modifier
	;

modifier   /* any dot word */
	: DOT | ".version" | ".target" | ".address_size" | ".file" | ".alias" | ".pragma" | ".loc"
	| LINKAGE | SPACE | ".align" | ".attribute" | ".ptr" | ".entry" | ".func" | LIMIT | FLAG
	| ".branchtargets" | ".calltargets" | ".callprototype"
	;

/* ---- operands: lists contain registers and constants directly, to save reductions ---- */

operands
	: symbol
	| constant
	| compound
	| symbol '|' symbol                     { parser_node(p, OPND_PAIR, $1, @$); }
	| vector '|' symbol                     { parser_node(p, OPND_PAIR, $1, @$); }
	| operands ',' symbol
	| operands ',' constant
	| operands ',' compound
	;

operand
	: symbol
	| constant
	| compound
	;

constant
	: expr                                  { $$ = parser_imm(p, @1); }
	;

compound
	: symbol '+' expr                       { $$ = parser_node(p, OPND_SUM, $1, @$); }
	| '-' symbol                            { $$ = parser_node(p, OPND_NEG, $2, @$); }
	| '!' symbol                            { $$ = parser_node(p, OPND_NOT, $2, @$); }
	| vector
	| '[' place ']'                         { $$ = parser_node(p, OPND_ADDR, $2, @$); }
	| symbol '[' base ']'                   { $$ = parser_node(p, OPND_INDEX, $1, @$); }
	| '(' ')'                               { $$ = parser_empty_list(p, @$); }
	| '(' symbol ')'                        { $$ = parser_node(p, OPND_LIST, $2, @$); }
	| '(' compound ')'                      { $$ = parser_node(p, OPND_LIST, $2, @$); }
	| '(' operands2 ')'                     { $$ = parser_node(p, OPND_LIST, $2, @$); }
	;

/* at least two, to distinguish the constant (1) from a list; in a call insn.c makes it one */
operands2
	: operand ',' operand
	| operands2 ',' operand
	;

place
	: base
	| base ',' operand
	| base ',' operands2
	;

base
	: symbol
	| symbol '+' expr
	| constant
	;

vector
	: '{' elements '}'                      { $$ = parser_node(p, OPND_VEC, $2, @$); }
	;

elements
	: element
	| elements ',' element
	;

element
	: symbol
	| constant
	| symbol '+' expr                       { $$ = parser_node(p, OPND_SUM, $1, @$); }
	| '-' symbol                            { $$ = parser_node(p, OPND_NEG, $2, @$); }
	;

symbol
	: ID                                    { $$ = parser_symbol(p, @1); }
	| DOTTED                                { $$ = parser_component(p, @1); }
	| ID DOT                                { $$ = parser_component(p, @$); }
	;

/* ---- constant expressions: only their extent matters here, see expr.c ---- */

expr
	: NUM
	| '(' expr ')'
	| '(' DOT ')' expr %prec UNARY
	| '-' expr %prec UNARY
	| '+' expr %prec UNARY
	| '!' expr %prec UNARY
	| '~' expr %prec UNARY
	| expr '*' expr
	| expr '/' expr
	| expr '%' expr
	| expr '+' expr
	| expr '-' expr
	| expr "<<" expr
	| expr ">>" expr
	| expr '<' expr
	| expr '>' expr
	| expr "<=" expr
	| expr ">=" expr
	| expr "==" expr
	| expr "!=" expr
	| expr '&' expr
	| expr '^' expr
	| expr '|' expr
	| expr "&&" expr
	| expr "||" expr
	| expr '?' expr ':' expr
	;

%%

/* Only "memory exhausted" is reported here: the stack exceeds YYMAXDEPTH. */
static void
ptxyyerror(const Span *at, void *scanner, Parser *p, const char *message)
{
	(void)scanner;
	(void)message;
	parser_too_deep(p, *at);
}

static int
yyreport_syntax_error(const yypcontext_t *context, void *scanner, Parser *p)
{
	enum { MAX = 5 };
	yysymbol_kind_t found = yypcontext_token(context), expected[MAX];
	int n = yypcontext_expected_tokens(context, expected, MAX);
	const char *name[MAX];

	(void)scanner;
	for (int i = 0; i < n; i++)
		name[i] = yysymbol_name(expected[i]);
	parser_syntax_error(p, *yypcontext_location(context), found == YYSYMBOL_YYEOF, name, n);
	return 0;
}
