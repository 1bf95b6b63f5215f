/* SPDX-License-Identifier: MIT */
/* Random programs and textbook facts about their flow; see model.h. */
#include "tests/analysis/model.h"

uint32_t
random_below(Random *r, uint32_t n)
{
	r->state ^= r->state << 13;
	r->state ^= r->state >> 7;
	r->state ^= r->state << 17;
	return (uint32_t)((r->state >> 16) % n);
}

/* ---- programs -------------------------------------------------------------------------------- */

static uint32_t
any_pred(Random *r)
{
	return NREGS + random_below(r, NPREDS);
}

static Insn
random_insn(Random *r)
{
	Insn i = { .kind = (Insn_kind)random_below(r, I_BRA) };

	if (i.kind == I_LANE && random_below(r, 5))
		i.kind = I_ADD;
	i.dst = i.kind == I_SETP || i.kind == I_SETP2 ? any_pred(r) : random_below(r, NREGS);
	do
		i.dst2 = any_pred(r);
	while (i.dst2 == i.dst);
	i.a = random_below(r, NREGS);
	i.b = random_below(r, NREGS);
	i.p = any_pred(r);
	i.k = random_below(r, 5);
	i.guard = random_below(r, 5) ? 0 : 1 + random_below(r, 2);
	i.gp = any_pred(r);
	return i;
}

/* Any block but the entry, which has no label in half of the programs. */
static uint32_t
any_target(const Program *p, Random *r, bool entry)
{
	return entry ? 1 + random_below(r, p->n) : 2 + random_below(r, p->n - 1);
}

static void
random_end(Program *p, uint32_t b, Random *r, bool entry)
{
	Part *k = &p->block[b];
	Insn i = { .gp = any_pred(r) };
	uint32_t what = random_below(r, 16);

	if (what < 3)
		return;         /* falls through */
	i.kind = what < 13 ? I_BRA :
		what == 13 ? I_BRX :
		what == 14 ? (random_below(r, 3) ? I_RET : I_TRAP) :
			     I_EXIT;
	i.guard = what < 11 || i.kind == I_EXIT ? 1 + random_below(r, 2) : 0;
	i.a = random_below(r, NREGS);
	i.nto = i.kind == I_BRX ? 2 + random_below(r, MAX_TARGETS - 1) : i.kind == I_BRA;
	for (uint32_t t = 0; t < i.nto; t++)
		i.to[t] = any_target(p, r, entry);
	k->insn[k->n++] = i;
}

static void
find_succ(Program *p, uint32_t b)
{
	const Part *k = &p->block[b];
	const Insn *last = k->n ? &k->insn[k->n - 1] : NULL;
	bool ends = last && last->kind >= I_BRA;

	p->succ[b] = 0;
	for (uint32_t t = 0; ends && t < last->nto; t++)
		p->succ[b] |= 1u << last->to[t];
	if (ends && !last->nto)
		p->succ[b] |= 1;
	if (!ends || last->guard)
		p->succ[b] |= b < p->n ? 1u << (b + 1) : 1;
}

/* Gives every register a value that is the same in all lanes. */
static void
define_all(Part *k, Random *r)
{
	for (uint32_t reg = 0; reg < NALL; reg++) {
		Insn i = { .kind = reg < NREGS ? I_CONST : I_SETP, .dst = reg };
		i.k = random_below(r, 5);
		i.a = random_below(r, NREGS);
		i.b = random_below(r, NREGS);
		k->insn[k->n++] = i;
	}
}

void
program_random(Program *p, Random *r)
{
	bool entry = random_below(r, 2), defined = random_below(r, 4);

	*p = (Program){ .n = 2 + random_below(r, MAX_BLOCKS - 1) };
	for (uint32_t b = 1; b <= p->n; b++) {
		Part *k = &p->block[b];
		if (b == 1 && defined)
			define_all(k, r);
		for (uint32_t n = random_below(r, MAX_INSNS - NALL); n > 0; n--)
			k->insn[k->n++] = random_insn(r);
		random_end(p, b, r, entry);
		find_succ(p, b);
	}
}

/* ---- text ------------------------------------------------------------------------------------ */

static void
put_reg(uint32_t reg, Buf *out)
{
	buf_printf(out, reg < NREGS ? "%%r%u" : "%%p%u", reg < NREGS ? reg : reg - NREGS);
}

/* The instruction by a pattern: d, q the destinations, a, b, p the operands, k the constant. */
static void
put_pattern(const Insn *i, const char *s, Buf *out)
{
	for (; *s; s++)
		switch (*s) {
		case '1': put_reg(i->dst, out); break;
		case '2': put_reg(i->dst2, out); break;
		case 'A': put_reg(i->a, out); break;
		case 'B': put_reg(i->b, out); break;
		case 'P': put_reg(i->p, out); break;
		case 'K': buf_printf(out, "%u", i->k); break;
		case 'T': buf_printf(out, "L%u", i->to[0]); break;
		default:  buf_putc(out, *s);
		}
}

static void
put_insn(const Insn *i, uint32_t block, Buf *out)
{
	static const char *const pattern[] = {
		[I_LANE] = "mov.b3X 1, %laneid",
		[I_CONST] = "mov.b3X 1, K",
		[I_PARAM] = "ld.param.b3X 1, [n]",
		[I_ADD] = "add.s3X 1, A, B",
		[I_SETP] = "setp.lt.s3X 1, A, B",
		[I_SETP2] = "setp.lt.s3X 1|2, A, B",
		[I_SELP] = "selp.b3X 1, A, B, P",
		[I_BRA] = "bra T",
		[I_BRX] = "brx.idx A, ",
		[I_RET] = "ret",
		[I_EXIT] = "exit",
		[I_TRAP] = "trap",
	};
	Buf text = {0};

	if (i->kind == I_BRX) {
		buf_printf(out, "T%u: .branchtargets ", block);
		for (uint32_t t = 0; t < i->nto; t++)
			buf_printf(out, "%sL%u", t ? ", " : "", i->to[t]);
		buf_puts(out, ";\n");
	}
	if (i->guard) {
		buf_puts(out, i->guard == 1 ? "@" : "@!");
		put_reg(i->gp, out);
		buf_putc(out, ' ');
	}
	put_pattern(i, pattern[i->kind], &text);
	for (size_t k = 0; k < text.n; k++)     /* X is 2: digits name operands in a pattern */
		buf_putc(out, text.at[k] == 'X' ? '2' : text.at[k]);
	if (i->kind == I_BRX)
		buf_printf(out, "T%u", block);
	buf_puts(out, ";\n");
	buf_free(&text);
}

void
program_text(const Program *p, Buf *out)
{
	bool label = false;

	for (uint32_t b = 1; b <= p->n; b++)
		label |= p->succ[b] >> 1 & 1;
	buf_puts(out,
		".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .b32 n)\n{\n");
	buf_printf(out, "%s.reg .b32 %%r<%d>;\n.reg .pred %%p<%d>;\n", label ? "L1:\n" : "", NREGS,
		NPREDS);
	for (uint32_t b = 1; b <= p->n; b++) {
		if (b > 1)
			buf_printf(out, "L%u:\n", b);
		for (uint32_t i = 0; i < p->block[b].n; i++)
			put_insn(&p->block[b].insn[i], b, out);
	}
	buf_puts(out, "}\n");
}

/* ---- facts ----------------------------------------------------------------------------------- */

uint32_t
insn_reads(const Insn *i)
{
	uint32_t m = i->guard ? 1u << i->gp : 0;

	if (i->kind == I_ADD || i->kind == I_SETP || i->kind == I_SETP2 || i->kind == I_SELP)
		m |= 1u << i->a | 1u << i->b;
	if (i->kind == I_SELP)
		m |= 1u << i->p;
	return i->kind == I_BRX ? m | 1u << i->a : m;
}

uint32_t
insn_writes(const Insn *i)
{
	return i->kind >= I_BRA    ? 0 :
		i->kind == I_SETP2 ? 1u << i->dst | 1u << i->dst2 :
				     1u << i->dst;
}

uint32_t
flow_from(const uint32_t *succ, uint32_t n, uint32_t from, uint32_t avoid)
{
	uint32_t seen = avoid >> from & 1 ? 0 : 1u << from, before;

	do {
		before = seen;
		for (uint32_t b = 0; b <= n; b++)
			if (seen >> b & 1)
				seen |= succ[b] & ~avoid;
	} while (seen != before);
	return seen;
}

/* The edges, and one to the exit from the last block of each set that control cannot leave. */
static void
join_endless(const Program *p, uint32_t *succ)
{
	uint32_t live = flow_from(p->succ, p->n, 1, 0);

	for (uint32_t b = 0; b <= p->n; b++)
		succ[b] = p->succ[b];
	for (uint32_t b = 1; b <= p->n; b++) {
		uint32_t set = flow_from(p->succ, p->n, b, 0);
		bool closed = (live >> b & 1) && !(set & 1), last = !(set >> 1 >> b);
		for (uint32_t c = 1; c <= p->n; c++)
			if (set >> c & 1 && !(flow_from(p->succ, p->n, c, 0) >> b & 1))
				closed = false;
		if (closed && last)
			succ[b] |= 1;
	}
}

void
naive_ipdom(const Program *p, uint32_t *ipdom)
{
	uint32_t succ[MAX_BLOCKS + 1], pdom[MAX_BLOCKS + 1];

	join_endless(p, succ);
	for (uint32_t b = 0; b <= p->n; b++) {
		pdom[b] = 0;
		for (uint32_t a = 0; a <= p->n; a++)
			if (a == b || a == 0 || !(flow_from(succ, p->n, b, 1u << a) & 1))
				pdom[b] |= 1u << a;
	}
	/* The nearest one: all the others post-dominate it. */
	for (uint32_t b = 1; b <= p->n; b++)
		for (uint32_t a = 0; a <= p->n; a++)
			if (a != b && pdom[b] >> a & 1 && (pdom[b] & ~(1u << b)) == pdom[a])
				ipdom[b] = a;
}
