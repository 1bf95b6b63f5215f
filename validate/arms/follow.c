/* SPDX-License-Identifier: MIT */
/* Follows a lane through an arm and the melded text (arms.h).
 *
 * Both sides compute what they can, up to an event (an access to memory, a call), a conditional
 * branch, or the end of the arm. Events must be equal, in the same order; a branch must be decided
 * by the same predicate; and the lane must leave to the same place with the same live registers.
 * Results of equal events are equal. What only one side computes has no effect until then. */
#include <string.h>
#include "validate/arms/arms.h"

enum {
	CLASS_TRUE = 1,
	CLASS_FALSE,
	CLASS_FIRST, /* of other values */
	MOST_STEPS = 1000000,
	MOST_NESTED = 3, /* branches to one statement */
	KIND_NODE = 31,
	KIND_EVENT
};

bool
arm_fault(Arms_check *w, uint32_t out, bool unknown, const char *why)
{
	uint32_t col;

	w->fault = (Arms_fault){ .why = why, .unknown = unknown };
	source_position(w->out.m->src, w->out.m->stmts[out].at.pos, &w->fault.line, &col);
	return false;
}

bool
arm_has_stmt(const Arms_check *w, uint32_t stmt)
{
	uint32_t block = fn_block(w->input.fn, stmt);

	return bits_has(w->arm[0]->blocks, block) || bits_has(w->arm[1]->blocks, block);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* The value of the i-th slot of both texts. */
static Value *
value_at(const Arms_check *w, uint32_t i)
{
	return i < w->in.syms.n ? &w->in.value[i] : &w->out.value[i - w->in.syms.n];
}

/* Sets the registers to what is known at the node. */
static void
load_node(Arms_check *w, const Arm_node *n)
{
	for (uint32_t i = 0; i < w->in.syms.n + w->out.syms.n; i++) {
		uint32_t class = n->classes[i];
		*value_at(w, i) = class == CLASS_TRUE ? VALUE_TRUE :
			class == CLASS_FALSE          ? VALUE_FALSE :
							value_make(KIND_NODE, class);
	}
}

typedef struct {
	uint32_t old, name;
	Value value;
} Class_entry;

/* The class of the registers that had this class and have this value; new ones are numbered in
 * order. */
static uint32_t
class_of(Class_entry *table, uint32_t cap, uint32_t old, Value v, uint32_t *n)
{
	uint32_t i = (uint32_t)trial_mix(v, old) & (cap - 1);

	while (table[i].name && (table[i].old != old || table[i].value != v))
		i = (i + 1) & (cap - 1);
	if (!table[i].name)
		table[i] = (Class_entry){ old, (*n)++, v };
	return table[i].name;
}

/* Refines what is known at the node by the current values. Returns whether that changes it. */
static bool
refine_node(Arms_check *w, Arm_node *node, bool first)
{
	uint32_t all = w->in.syms.n + w->out.syms.n, cap = 4, n = CLASS_FIRST;
	Arena_mark mark = arena_mark(w->arena);
	bool changed = first;

	while (cap < 2 * all)
		cap *= 2;
	Class_entry *table = arena_array(w->arena, cap, sizeof *table);
	for (uint32_t i = 0; i < all; i++) {
		Value v = *value_at(w, i);
		uint32_t old = first ? 0 : node->classes[i],
			 constant = v == VALUE_TRUE ? CLASS_TRUE :
			v == VALUE_FALSE            ? CLASS_FALSE :
						      0;
		uint32_t now = constant && (first || old == constant) ?
			constant :
			class_of(table, cap, old, v, &n);
		changed |= now != old;
		node->classes[i] = now;
	}
	arena_release(w->arena, mark);
	return changed;
}

/* The lane is at these statements, with the current values. */
static void
reach_node(Arms_check *w, uint32_t in, uint32_t out)
{
	uint32_t i = 0;

	while (i < w->nodes.n && (w->nodes.at[i].in != in || w->nodes.at[i].out != out))
		i++;
	bool first = i == w->nodes.n;
	if (first)
		*vec_push(&w->nodes) = (Arm_node){ in, out,
			arena_array(w->arena, w->in.syms.n + w->out.syms.n, sizeof(uint32_t)),
			false };
	w->nodes.at[i].pending |= refine_node(w, &w->nodes.at[i], first);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Where the lane would leave the arm at this statement; 0 if it is still in it. */
static uint32_t
leaves_input(const Arms_check *w, uint32_t stmt)
{
	return stmt >= input_end(&w->input) || !arm_has_stmt(w, stmt) ? stmt : 0;
}

/* The melded text ends at a label or an instruction of the input outside of the arms. Its markers
 * are comments. */
static uint32_t
leaves_output(const Arms_check *w, uint32_t stmt)
{
	uint8_t kind = w->out.m->stmts[stmt].kind;
	uint32_t origin = w->origin[ptx_local_stmt(w->out.f, stmt)];

	return origin && (kind == STMT_LABEL || kind == STMT_INSN) && !arm_has_stmt(w, origin) ?
		origin :
		0;
}

/* The first statement from here on that the lane executes, jumps apart. A branch both of whose
 * edges lead to the same statement is a jump; such branches may be nested `depth` deep. */
static uint32_t
next_plain(const Arm_text *t, uint32_t stmt, uint32_t depth)
{
	for (uint32_t n = 0; n < t->f->nstmt && ptx_has_stmt(t->f, stmt); n++) {
		const Stmt *s = &t->m->stmts[stmt];
		Value guard = arm_guard(t, s);
		if (s->kind != STMT_INSN || guard == VALUE_FALSE) {
			stmt++;
			continue;
		}
		uint32_t sym = s->nopnd ? t->m->opnds[s->opnd].sym : 0;
		if (ptx_op(t->m, s) != OP_BRA || !ptx_has_sym(t->f, sym))
			break;
		uint32_t to = t->label[ptx_local_sym(t->f, sym)];
		if (guard != VALUE_TRUE &&
			(!depth ||
				next_plain(t, to, depth - 1) != next_plain(t, stmt + 1, depth - 1)))
			break;
		stmt = to;
	}
	return stmt;
}

/* Whether both edges of the branch lead to the same statement. */
static bool
is_jump(const Arm_text *t, const Lane_step *step)
{
	return step->value == VALUE_TRUE ||
		next_plain(t, step->to, MOST_NESTED) == next_plain(t, step->stmt + 1, MOST_NESTED);
}

/* Executes statements from `stmt` to the next step. */
static Lane_step
advance(Arms_check *w, Arm_text *t, uint32_t stmt)
{
	Lane_step step = { STEP_UNKNOWN, 0, 0, 0 };

	for (; w->steps < MOST_STEPS; w->steps++) {
		if (!ptx_has_stmt(t->f, stmt))
			return (Lane_step){ STEP_UNKNOWN, stmt - 1, 0, 0 };
		uint32_t to = t == &w->in ? leaves_input(w, stmt) : leaves_output(w, stmt);
		if (to)
			return (Lane_step){ STEP_LEAVE, stmt, 0, to };
		if (arm_execute(t, stmt, &step)) {
			stmt++;
			continue;
		}
		if (step.kind != STEP_BRANCH || !is_jump(t, &step))
			return step;
		stmt = step.to;
	}
	return (Lane_step){ STEP_UNKNOWN, stmt, 0, 0 };
}

/* Whether the input's arms may write the register. */
static bool
arms_write(const Arms_check *w, uint32_t sym)
{
	const Fn *fn = w->input.fn;

	FN_DEFS_OF_SYM(fn, sym, d)
		if (fn_def(fn, d)->stmt && arm_has_stmt(w, fn_def(fn, d)->stmt))
			return true;
	return false;
}

/* Whether the output's register of the same name holds the value of the input's register. If the
 * melded text does not name it, it is unchanged. */
static bool
register_is_right(const Arms_check *w, uint32_t slot)
{
	uint32_t sym = w->in.syms.at[slot];
	size_t n;
	const char *name = ptx_name(w->in.m, sym, &n);
	uint32_t id = intern_find(w->out.m->names, name, n);

	for (uint32_t k = 1; k < w->out.syms.n; k++)
		if (w->out.m->syms[w->out.syms.at[k]].name == id)
			return w->out.value[k] == w->in.value[slot];
	return !arms_write(w, sym);
}

/* The lane leaves: to the same place, with the same live registers. */
static bool
compare_exit(Arms_check *w, const Lane_step *a, const Lane_step *b)
{
	uint32_t at = input_next_plain(&w->input, a->to);

	if (at != input_next_plain(&w->input, b->to))
		return arm_fault(w, b->stmt, false,
			"a lane leaves the arms to another place than in the input");
	Bits live = input_live_registers(&w->input, at, w->arena);
	for (uint32_t k = 1; k < w->in.syms.n; k++) {
		uint32_t sym = w->in.syms.at[k];
		if (ptx_is_reg(w->in.m, sym) && bits_has(live, ptx_local_sym(w->in.f, sym)) &&
			!register_is_right(w, k))
			return arm_fault(w, b->stmt, false,
				"a register holds something else behind the arms");
	}
	return true;
}

/* The lane reaches these statements, and the predicate v holds. */
static void
reach_if(Arms_check *w, Value v, uint32_t in, uint32_t out)
{
	uint32_t n = w->in.syms.n + w->out.syms.n;

	for (uint32_t i = 0; i < n; i++) {
		Value *x = value_at(w, i);
		w->saved[i] = *x;
		*x = *x == v ? VALUE_TRUE : *x == value_not(v) ? VALUE_FALSE : *x;
	}
	reach_node(w, in, out);
	for (uint32_t i = 0; i < n; i++)
		*value_at(w, i) = w->saved[i];
}

/* A conditional branch: the lane may take either edge. */
static bool
split(Arms_check *w, const Lane_step *a, const Lane_step *b)
{
	bool same = a->value == b->value;

	if (!same && a->value != value_not(b->value))
		return arm_fault(w, b->stmt, false,
			"a branch is decided by another value than in the input");
	reach_if(w, a->value, a->to, same ? b->to : b->stmt + 1);
	reach_if(w, value_not(a->value), a->stmt + 1, same ? b->stmt + 1 : b->to);
	return true;
}

/* Follows the lane from a node to the next ones. */
static bool
follow_from(Arms_check *w, uint32_t node)
{
	uint32_t in = w->nodes.at[node].in, out = w->nodes.at[node].out;

	w->nodes.at[node].pending = false;
	load_node(w, &w->nodes.at[node]);
	for (uint32_t n = 1;; n++) {
		Lane_step a = advance(w, &w->in, in), b = advance(w, &w->out, out);
		if (a.kind == STEP_UNKNOWN || b.kind == STEP_UNKNOWN)
			return arm_fault(w, b.stmt, true, "a statement of unknown form in an arm");
		if (a.kind != b.kind)
			return arm_fault(
				w, b.stmt, false, "a lane does something else than in the input");
		if (a.kind == STEP_LEAVE)
			return compare_exit(w, &a, &b);
		if (a.kind == STEP_BRANCH)
			return split(w, &a, &b);
		if (a.value != b.value)
			return arm_fault(
				w, b.stmt, false, "memory is accessed otherwise than in the input");
		arm_set_results(&w->in, a.stmt, value_make(KIND_EVENT, n));
		arm_set_results(&w->out, b.stmt, value_make(KIND_EVENT, n));
		in = a.stmt + 1;
		out = b.stmt + 1;
	}
}

bool
arm_follow(Arms_check *w, uint32_t arm)
{
	for (uint32_t i = 0; i < w->in.syms.n; i++)
		w->in.value[i] = i ? arm_start_value(w->in.m, w->in.syms.at[i]) : 0;
	for (uint32_t i = 0; i < w->out.syms.n; i++)
		w->out.value[i] = i ? arm_start_value(w->out.m, w->out.syms.at[i]) : 0;
	w->nodes.n = w->steps = 0;
	reach_node(w, w->in.m->markers[w->arm[arm]->marker].stmt + 1, w->entry[arm]);
	for (uint32_t i = 0; i < w->nodes.n;) {
		if (!w->nodes.at[i].pending) {
			i++;
			continue;
		}
		if (!follow_from(w, i))
			return false;
		i = 0;
	}
	return true;
}
