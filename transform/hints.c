/* CCC: what is transformed, but may not be what was meant. Both are beyond what ptxccc can know: whether lanes wait for each
 * other, and which memory is whose.
 *
 * The owner of a task goes on without waiting for the path, and fills the iteration after it while the task is still on
 * the stack. So the order is lost between what the path writes and what the rest of its iteration reads or writes, and
 * between what the path reads and what any iteration writes outside of it: memory that each iteration fills for its
 * own path, too. A fence behind the path does not hold for what the path writes. Accesses that go to different arrays (analysis/base.h), and atomic operations, are let pass. (DESIGN 6.4)
 */
#include "analysis/base.h"
#include "analysis/defuse.h"
#include "transform/ccc.h"

/* Does the value that a statement of an inner loop reads come from an access that others may
 * change, in that loop? */
static bool
polled(const Ccc *c, uint32_t stmt, uint32_t loop)
{
	const Fn *fn = c->fn;
	const Defuse *du = fn->defuse;
	Arena_mark mark = arena_mark(c->arena);
	uint32_t *stack = arena_array(c->arena, fn->f->nstmt + 1, sizeof *stack), n = 0;
	Bits seen = bits_new(c->arena, fn->f->nstmt);
	bool found = false;
	for (stack[n++] = stmt; n && !found;) {
		uint32_t s = stack[--n], u = du->use_of_stmt[s - fn->f->stmt];
		found = effects_stmt(fn->m, fn->effects, s) & EFF_SPIN;
		for (; u && u < du->nuses && du->uses[u].stmt == s; u++)
			for (uint32_t k = 0; k < du->uses[u].ndef; k++) {
				uint32_t d = du->defs[du->reach[du->uses[u].def + k]].stmt;
				if (!d || bits_has(seen, d - fn->f->stmt) ||
					!loop_contains(fn->loops, loop, cfg_block_of(fn->cfg, d)))
					continue;
				bits_set(seen, d - fn->f->stmt);
				stack[n++] = d;
			}
	}
	arena_release(c->arena, mark);
	return found;
}

/* Loops inside the annotated one that are left when memory changes. */
static void
warn_spin(Ccc *c)
{
	const Fn *fn = c->fn;
	const Loops *l = fn->loops;
	BITS_EACH(b, c->site->r.blocks) {
		uint32_t inner = l->loop_of[b], t = cfg_terminator(fn->cfg, b);
		bool leaves = false;
		if (!t || !inner || inner == c->site->loop ||
			!loop_contains(l, c->site->loop, l->loops[inner].header))
			continue;
		for (uint32_t i = 0; i < fn->cfg->blocks[b].nsucc; i++)
			leaves |= !loop_contains(l, inner, cfg_succ(fn->cfg, b)[i]);
		if (leaves && polled(c, t, inner)) {
			ccc_warn(c, D_SPIN, fn_stmt(fn, t)->at.pos,
				"a loop here polls memory: if it waits for another lane of its warp, "
				"that lane may be waiting for this one");
			return;
		}
	}
}

/* ---- accesses whose order is lost -------------------------------------------------------------- */

/* A statement that reads or writes memory. */
typedef struct { uint32_t stmt; bool reads, writes, atomic; Base base; } Access;
typedef VEC(Access) Accesses;

static void
find_accesses(const Ccc *c, uint32_t b, Accesses *to)
{
	const Fn *fn = c->fn;
	for (uint32_t s = fn->cfg->blocks[b].stmt; s < fn->cfg->blocks[b].end; s++) {
		uint32_t eff = effects_stmt(fn->m, fn->effects, s);
		Op op = fn_stmt(fn, s)->kind == STMT_INSN ? ptx_op(fn->m, fn_stmt(fn, s)) : OP_UNKNOWN;
		const Base any = { .space = SPACE_GENERIC };
		if (op == OP_MEMBAR || op == OP_FENCE) /* for the path's writes, too, one would think */
			*vec_push(to) = (Access){ s, true, false, false, any };
		else if (eff & (EFF_READ | EFF_WRITE))
			*vec_push(to) = (Access){ s, eff & EFF_READ, eff & EFF_WRITE, ptx_flags(fn->m, fn_stmt(fn, s)) & OPF_ATOMIC,
				op == OP_CALL ? any : base_of(fn, s, c->arena) };
	}
}

/* rest: b is reached from behind the path in the same iteration. */
static bool
order_lost(const Access *path, const Access *b, bool rest)
{
	if ((path->atomic && b->atomic) || !base_meets(&path->base, &b->base))
		return false;
	return (path->writes && rest) || (path->reads && b->writes);
}

static void
tell_hazard(Ccc *c, const Access *path, const Access *b, bool rest)
{
	const Fn *fn = c->fn;
	bool before = path->writes && rest; /* else the path reads what the other writes */
	ccc_warn(c, D_HAZARD, fn_stmt(fn, b->stmt)->at.pos, "the path %s memory, and %s, which no longer waits for the path, %s memory",
		before ? "writes" : "reads", rest ? "the rest of the iteration" : "the next iteration",
		before && b->reads ? "reads" : "writes");
	diag_note(c->diags, DIAG_NOWHERE, "if the two do not share any, say 'independent'");
}

/* The first pair that is found is told; there may be more. */
static void
warn_hazard(Ccc *c)
{
	const Cfg *g = c->fn->cfg;
	Bits rest = bits_new(c->arena, g->nblocks), within = bits_new(c->arena, g->nblocks);
	Accesses path = {0}, others = {0};
	bool found = false;
	bits_copy(within, c->cloned);
	bits_unset(within, ccc_header(c));
	cfg_flood(g, c->path->next, false, within, rest);
	BITS_EACH(b, c->path->r.blocks)
		find_accesses(c, b, &path);
	BITS_EACH(b, c->cloned) {
		if (found || ccc_in_path(c, b))
			continue;
		others.n = 0;
		find_accesses(c, b, &others);
		for (uint32_t i = 0; i < others.n && !found; i++)
			for (uint32_t k = 0; k < path.n && !found; k++)
				if ((found = order_lost(&path.at[k], &others.at[i], bits_has(rest, b))))
					tell_hazard(c, &path.at[k], &others.at[i], bits_has(rest, b));
	}
	vec_free(&path);
	vec_free(&others);
}

void
ccc_hints(Ccc *c)
{
	warn_spin(c);
	if (!c->independent)
		warn_hazard(c);
}
