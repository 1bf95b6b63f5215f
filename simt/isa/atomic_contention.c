/* SPDX-License-Identifier: MIT */
/* Issue slots of atomic operations as compiled by ptxas of CUDA 13 for sm_80 to sm_90 (derived with
 * nvdisasm; see simt/sass/README.md):
 *
 *	branch      a guard becomes a branch over the operation: BSSY, BRA, BSYNC; for a uniform
 *	            guard, BRA alone
 *	loop        an operation without hardware support is a loop: load, compute,
 *	            compare-and-swap. Of the lanes with one address, one succeeds per iteration
 *	            and the others retry. In each iteration, the leaving lanes issue the BSYNC,
 *	            which belongs to the loop unless lanes reconverge there anyway
 *	gathering   if all lanes are known to have one address, the first lane performs the
 *	            operation for all: POPC, REDUX or SHFL combine their operands, and their
 *	            results are computed from its result
 *
 * All others are one instruction.
 */
#include "simt/isa/atomics.h"
#include "simt/isa/atomic_contention.h"

enum {
	SHARED = 1,
	GLOBAL = 2,
	GENERIC = 4,
	NAMED = SHARED | GLOBAL,        /* the instruction specifies the space */
	INSIDE = SHARED | GENERIC,
	MEMORY = SHARED | GLOBAL | GENERIC,

	ONE = ATOM_ONE,
	SAME = ATOM_SAME,
	ALIKE = ONE | SAME,
	VARIES = ATOM_VARIES,
	ANY = ALIKE | VARIES,

	UNREAD = 1,
	READ = 2,
	EITHER = UNREAD | READ,

	ADD = 1 << ATOM_ADD,
	CAS = 1 << ATOM_CAS,
	EXCH = 1 << ATOM_EXCH,
	LEAST = 1 << ATOM_MIN | 1 << ATOM_MAX,
	BITS = 1 << ATOM_AND | 1 << ATOM_OR | 1 << ATOM_XOR,
	EACH = (1 << (ATOM_ADD_FTZ + 1)) - 1,

	B16 = 1 << T_B16,
	HALF = 1 << T_F16 | 1 << T_BF16,
	WORD = 1 << T_U32 | 1 << T_S32 | 1 << T_B32,
	WIDE = 1 << T_U64 | 1 << T_S64 | 1 << T_B64,
	REAL = 1 << T_F32 | 1 << T_F16X2 | 1 << T_BF16X2,
	REAL64 = 1 << T_F64,
	TYPES = (1 << T_COUNT) - 1,

	/* a generic address, for an operation that shared memory does not support: ATOM, BSSY, BRA,
	 * BSYNC; for an address in shared memory also, around the loop: QSPC, BRA, MOV, MOV, BRA */
	ATTEMPT = 4,
	DETOUR = 5,

	BRANCH = 3                      /* BSSY, BRA, BSYNC */
};

/* The first matching row applies. The one that adds 1 in shared memory is ATOMS.POPC.INC. */
static const struct {
	uint32_t ops, types;    /* bit masks of Atomic and of Ty */
	uint8_t spaces;
	uint8_t value;          /* Atomic_operand_kind */
	uint8_t result;
	bool one_place;         /* requires that all lanes are known to have one address */
	uint8_t once;           /* instructions before the loop, or all instructions */
	uint8_t lone;           /* additional instructions by one lane */
	uint8_t whole; /* all instructions for a warp with all lanes active; 0: same as once */
	uint8_t round;          /* instructions of the loop */
	uint8_t early; /* the first of these, after which lanes that change nothing leave */
} forms[] = {
	/* clang-format off */
	{ 0 },
	/* ops          types   spaces  value   result  place  once lone whole round early */
	{ ADD,          WORD,   SHARED, ONE,    UNREAD, false, 1,   0,   0,    0,    0 },
	{ ADD,          WORD,   NAMED,  ONE,    UNREAD, true,  6,   0,   0,    0,    0 },
	{ ADD,          WORD,   NAMED,  ANY,    UNREAD, true,  7,   0,   0,    0,    0 },
	{ ADD,          WORD,   NAMED,  ONE,    READ,   true,  11,  0,   0,    0,    0 },
	{ ADD,          WORD,   NAMED,  SAME,   READ,   true,  12,  0,   0,    0,    0 },
	{ ADD,          WORD,   NAMED,  VARIES, READ,   true,  4,   0,   26,   0,    0 },
	{ LEAST | BITS, WORD,   NAMED,  ANY,    UNREAD, true,  7,   0,   0,    0,    0 },
	{ ADD,          WIDE,   GLOBAL, ALIKE,  UNREAD, true,  12,  0,   0,    0,    0 },
	{ ADD,          WIDE,   GLOBAL, ALIKE,  READ,   true,  19,  0,   0,    0,    0 },
	{ ADD,          WIDE,   SHARED, ALIKE,  UNREAD, true,  8,   11,  0,    0,    0 },
	{ ADD,          WIDE,   SHARED, ALIKE,  READ,   true,  17,  11,  0,    0,    0 },
	{ ADD,          REAL,   INSIDE, ANY,    EITHER, false, 0,   0,   0,    5,    0 },
	{ ADD,          REAL64, INSIDE, ANY,    EITHER, false, 0,   0,   0,    6,    0 },
	{ ADD | BITS,   WIDE,   INSIDE, ANY,    EITHER, false, 0,   0,   0,    7,    0 },
	{ LEAST,        WIDE,   INSIDE, ANY,    EITHER, false, 0,   0,   0,    8,    4 },
	{ ADD,          HALF,   MEMORY, ANY,    EITHER, false, 5,   0,   0,    6,    0 },
	{ CAS,          B16,    MEMORY, ANY,    EITHER, false, 5,   0,   0,    8,    0 },
	{ CAS,          WIDE,   GENERIC, ANY,   EITHER, false, 7,   0,   0,    0,    0 },
	{ EXCH,         WIDE,   GENERIC, ANY,   EITHER, false, 3,   0,   0,    0,    0 },
	{ EACH,         TYPES,  MEMORY, ANY,    EITHER, false, 1,   0,   0,    0,    0 }
	/* clang-format on */
};
enum { ITSELF = sizeof forms / sizeof *forms - 1 };

static uint8_t
find_atomic(const Inst *i, const Atomic_uniformity *atom)
{
	uint32_t space = i->space == SPACE_SHARED ? SHARED :
		i->space == SPACE_GLOBAL          ? GLOBAL :
						    GENERIC;
	uint8_t k = 1;
	while (!(forms[k].ops >> i->op & 1 && forms[k].types >> i->type & 1 &&
		forms[k].spaces & space && forms[k].value & atom->value &&
		forms[k].result & (atom->used ? READ : UNREAD) &&
		(!forms[k].one_place || atom->one_place)))
		k++;
	return k;
}

void
contention_register(Inst *i, const Atomic_uniformity *atom, bool meets)
{
	i->slots.form = find_atomic(i, atom);
	i->slots.apart = forms[i->slots.form].round && (atom->used || !(atom->splits || meets));
	i->kind = i->guard.row ? I_ATOM : I_PLAIN;
	i->slots.all = !i->guard.row ? 0 : atom->splits ? BRANCH : 1;
	i->slots.active = 0;
	if (!i->guard.row && i->slots.form == ITSELF)
		i->slots = (Inst_slots){ .all = 1, .active = 1 }; /* as for any instruction */
}

void
contention_is_listed(Inst *i, const Atomic_uniformity *atom)
{
	i->slots.form = find_atomic(i, atom);
	if (forms[i->slots.form].round)
		i->flags |= F_ONCE;
	else
		i->slots.form = 0;
}

/* ---- execution ------------------------------------------------------------------------------- */

/* Groups the lanes by the iteration in which they leave the loop: each lane waits for the preceding
 * writers of the same word. Returns the number of iterations. */
static uint32_t
lanes_leaving(const Access *x, uint32_t wrote, uint32_t leave[LANES])
{
	uint32_t times = 0;
	for (uint32_t left = x->lanes, same; left; left &= ~same) {
		uint32_t k = 0, first = low_bit(left);
		same = 0;
		for EACH_LANE(l, left) {
			if (x->at[l] / 4 != x->at[first] / 4)
				continue;
			same |= UINT32_C(1) << l;
			if (k == times)
				leave[times++] = 0;
			leave[k] |= UINT32_C(1) << l;
			k += wrote >> l & 1;
		}
	}
	return times;
}

static void
count_loop(Sim_counts *c, const Access *x, uint32_t changed)
{
	const uint32_t round = forms[x->i->slots.form].round, early = forms[x->i->slots.form].early;
	/* otherwise lanes also write values that are already there */
	uint32_t wrote = early || x->i->op == ATOM_CAS ? changed : x->lanes;
	uint32_t leave[LANES], times = lanes_leaving(x, wrote, leave), left = x->lanes, groups = 0;
	for (uint32_t k = 0; k < times; k++) {
		uint32_t idle = early ? leave[k] & ~wrote : 0;
		if (k > 0 || !(x->i->flags & F_ONCE)) {
			count_issue(c, early, left);
			count_issue(c, round - early, left & ~idle);
		}
		groups += (uint32_t)(idle != 0) + (uint32_t)(idle != leave[k]);
		left &= ~leave[k];
	}
	if (x->i->slots.apart)
		count_issue(c, 2, x->lanes); /* BSSY, BSYNC */
	c->warp_insts += groups - 1;
}

void
contention_count(Warp *w, const Access *x, uint32_t changed)
{
	const Inst *i = x->i;
	const uint32_t form = i->slots.form;
	Sim_counts *c = stmt_counts(w->sim, i);
	uint64_t at = x->at[low_bit(x->lanes)];
	bool generic = x->space == SPACE_GENERIC && ty_size((Ty)i->type) > 2,
	     loops = forms[form].round != 0, listed = i->flags & F_ONCE;
	uint32_t once = forms[form].whole && x->lanes == UINT32_MAX ? forms[form].whole :
								      forms[form].once;
	if (generic && loops) {
		once = ATTEMPT;
		loops = memory_space(x->space, &at) == SPACE_SHARED;
		once += loops ? DETOUR : 0;
	}
	if (!listed) {
		count_issue(c, once, x->lanes);
		count_issue(c, forms[form].lone, 1);
	}
	if (loops)
		count_loop(c, x, changed);
}

void
contention_guard(Sim *s, const Inst *i, uint32_t lanes, uint32_t active)
{
	Sim_counts *c = stmt_counts(s, i);
	bool parts = active && active != lanes;
	c->branches++;
	c->divergent += parts;
	c->warp_insts += parts; /* both groups issue the BSYNC */
	c->active_insts += count_bits(lanes & ~active) + (i->slots.all - 1u) * count_bits(lanes);
}
