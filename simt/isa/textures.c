/* SPDX-License-Identifier: MIT */
/* Texture and surface objects (PTX ISA 9.7.10, 9.7.11; CUDA C++ Programming Guide, "Texture
 * Fetching").
 *
 * A handle encodes an index into the list of objects. Texels are stored by rows in global memory,
 * so all checks of loads apply: bounds, uninitialised reads, races. A coordinate x in a dimension
 * of N texels refers to texel floor(x). With linear filtering, floor(x - 0.5) and the next texel
 * are weighted by the fraction, which the hardware represents with 8 bits. Normalized coordinates
 * are first multiplied by N. There is a single mip level.
 */
#include "simt/isa/floating_point.h"
#include "simt/isa/handlers.h"

#define HANDLE UINT64_C(0x5e00000000) /* offset of handles, outside of all address windows */

uint64_t
sim_texture(Sim *s, const Sim_texture *t)
{
	*vec_push(&s->memory->textures) = *t;
	return HANDLE + s->memory->textures.n;
}

static Sim_texture *
find_texture(const Sim *s, uint64_t handle)
{
	uint64_t k = handle - HANDLE - 1;
	bool there = k < s->memory->textures.n && s->memory->textures.at[k].at;
	return there ? &s->memory->textures.at[k] : NULL;
}

bool
sim_texture_free(Sim *s, uint64_t handle)
{
	Sim_texture *t = find_texture(s, handle);
	if (t)
		t->at = 0;
	return t != NULL;
}

/* ---- texels ---------------------------------------------------------------------------------- */

/* A lane's access to a texture. */
typedef struct { Warp *w; const Inst *i; uint32_t lane; const Sim_texture *t; } Texture_fetch;
typedef struct { uint32_t v[4]; } Texel;

static uint32_t
texel_bytes(const Sim_texture *t)
{
	return (uint32_t)t->bytes * t->channels;
}

/* Converts a channel to its register value. */
static uint32_t
channel_value(const Sim_texture *t, uint32_t v)
{
	uint32_t bits = 8u * t->bytes, sign = bits < 32 ? v >> (bits - 1) & 1 : 0;
	int32_t with_sign = sign ? (int32_t)(v | UINT32_MAX << bits) : (int32_t)v;
	if (t->channel == SIM_FLOAT)
		return t->bytes == 2 ? float_bits((float)half_get(v, false)) : v;
	if (!t->fraction)
		return t->channel == SIM_SIGNED ? (uint32_t)with_sign : v;
	if (t->channel == SIM_UNSIGNED)
		return float_bits((float)v / (float)((1u << bits) - 1));
	float x = (float)with_sign / (float)((1u << (bits - 1)) - 1);
	return float_bits(x < -1 ? -1 : x);
}

/* The texel outside of the texture. Missing channels are 0, the fourth one 1. */
static Texel
border_texel(const Sim_texture *t)
{
	Texel x;
	for (uint32_t k = 0; k < 4; k++)
		x.v[k] = t->fraction || t->channel == SIM_FLOAT ? float_bits(t->border[k]) :
								  (uint32_t)t->border[k];
	return x;
}

/* Reads bytes at a global address, or stores them from `from` if that is not NULL. Returns their
 * host address, or NULL after a fault. */
static const uint8_t *
bytes_at(const Texture_fetch *f, uint64_t at, uint32_t size, const uint8_t *from)
{
	Access_target p = { .lane = f->lane, .from = from };
	Access x;
	x.kind = from ? ACCESS_WRITE : ACCESS_READ;
	x.size = size;
	access_of(&x, f->w, f->i, 0);
	x.lanes = UINT32_C(1) << f->lane;
	x.space = SPACE_GLOBAL;
	x.at[f->lane] = at;
	return memory_access(f->w, &x, &p);
}

/* Reads the texel at a position within the texture; false after a fault. */
static bool
read_texel(const Texture_fetch *f, const uint32_t at[3], Texel *to)
{
	const Sim_texture *t = f->t;
	bool real = t->fraction || t->channel == SIM_FLOAT;
	uint64_t place = t->at + at[2] * t->slice + at[1] * t->pitch +
		(uint64_t)at[0] * texel_bytes(t);
	const uint8_t *p = bytes_at(f, place, texel_bytes(t), NULL);
	if (!p)
		return false;
	*to = (Texel){ { 0, 0, 0, real ? float_bits(1) : 1 } };
	for (uint32_t k = 0; k < t->channels; k++) {
		uint32_t v = 0;
		memcpy(&v, p + k * t->bytes, t->bytes);
		to->v[k] = channel_value(t, v);
	}
	return true;
}

/* ---- coordinates ----------------------------------------------------------------------------- */

/* The texels used in one dimension, and their weights. */
typedef struct { int64_t at[2]; bool outside[2]; float weight[2]; uint32_t n; } Taps;

static void
apply_address_mode(const Sim_texture *t, uint32_t dim, int64_t *at, bool *outside)
{
	int64_t n = t->size[dim] ? t->size[dim] : 1, k = *at;
	Sim_edge mode = t->edge[dim];
	*outside = false;
	if (k >= 0 && k < n)
		return;
	if (!t->normalized && (mode == SIM_WRAP || mode == SIM_MIRROR))
		mode = SIM_CLAMP;
	switch (mode) {
	case SIM_BORDER: *outside = true; break;
	case SIM_CLAMP: *at = k < 0 ? 0 : n - 1; break;
	case SIM_WRAP: *at = (k % n + n) % n; break;
	case SIM_MIRROR:
		k = (k % (2 * n) + 2 * n) % (2 * n);
		*at = k < n ? k : 2 * n - 1 - k;
		break;
	}
}

static Taps
taps_float(const Sim_texture *t, uint32_t dim, float x, bool linear)
{
	Taps p = { .n = 1, .weight = { 1 } };
	const float most = 1 << 30;
	x = t->normalized ? x * (float)t->size[dim] : x;
	x = x != x ? 0 : x > most ? most : x < -most ? -most : x;
	x -= linear ? 0.5f : 0;
	p.at[0] = (int64_t)floorf(x);
	if (linear) {
		p.n = 2;
		p.at[1] = p.at[0] + 1;
		p.weight[1] = floorf((x - floorf(x)) * 256 + 0.5f) / 256;
		p.weight[0] = 1 - p.weight[1];
	}
	for (uint32_t k = 0; k < p.n; k++)
		apply_address_mode(t, dim, &p.at[k], &p.outside[k]);
	return p;
}

static Taps
taps_whole(const Sim_texture *t, uint32_t dim, int64_t x)
{
	Taps p = { .n = 1, .weight = { 1 }, .at = { x } };
	apply_address_mode(t, dim, &p.at[0], &p.outside[0]);
	return p;
}

/* Geometries: number of coordinates; whether a layer precedes them. */
typedef struct { uint8_t dims; bool layer; } Texture_form;
static const char *const form_names[] = { "1d", "2d", "3d", "a1d", "a2d", NULL };
static const Texture_form forms[] = { { 1, false }, { 2, false }, { 3, false }, { 1, true },
	{ 2, true } };

/* Rows of an instruction: its results or the values to store, then its coordinates. */
static const uint32_t *
operand_rows(const Warp *w, const Inst *i)
{
	return w->sim->prog.list.at + i->list;
}

/* Computes the taps of all three dimensions. A layer is a slice, and its index is clamped. */
static void
locate_taps(const Texture_fetch *f, bool linear, Taps to[3])
{
	const Texture_form form = forms[f->i->op];
	const uint32_t *row = operand_rows(f->w, f->i) + f->i->target;
	for (uint32_t d = 0; d < 3; d++)
		to[d] = (Taps){ .n = 1, .weight = { 1 } };
	if (form.layer) {
		int64_t layer = row32(f->w, *row++)[f->lane], n = f->t->size[2];
		to[2].at[0] = layer < n ? layer : n ? n - 1 : 0;
	}
	for (uint32_t d = 0; d < form.dims; d++) {
		uint32_t x = row32(f->w, row[d])[f->lane];
		to[d] = f->i->type2 == T_F32 ? taps_float(f->t, d, float_of(x), linear) :
					       taps_whole(f->t, d, (int32_t)x);
	}
}

/* ---- handlers: textures ---------------------------------------------------------------------- */

static const Sim_texture *
texture_object(Warp *w, const Inst *i, uint32_t lane)
{
	const Sim_texture *t = find_texture(w->sim, row64(w, i->a)[lane]);
	if (!t)
		sim_fault(w, i, lane, FAULT_BOUNDS, "no texture or surface object is 0x%llx",
			(unsigned long long)row64(w, i->a)[lane]);
	return t;
}

/* Reads one of the up to eight surrounding texels: bit d of k selects the tap of dimension d. */
static bool
read_corner(const Texture_fetch *f, const Taps taps[3], uint32_t k, Texel *x)
{
	uint32_t at[3];
	bool outside = false;
	for (uint32_t d = 0; d < 3; d++) {
		at[d] = (uint32_t)taps[d].at[k >> d & 1];
		outside |= taps[d].outside[k >> d & 1];
	}
	if (!outside)
		return read_texel(f, at, x);
	*x = border_texel(f->t);
	return true;
}

static bool
sample_linear(const Texture_fetch *f, Texel *to)
{
	Taps taps[3];
	bool real = f->t->fraction || f->t->channel == SIM_FLOAT;
	float sum[4] = { 0 };
	locate_taps(f, f->t->linear && real, taps);
	if (taps[0].n == 1)
		return read_corner(f, taps, 0, to);
	for (uint32_t k = 0; k < 8; k++) {
		float weight = 1;
		bool there = true;
		Texel x;
		for (uint32_t d = 0; d < 3; d++) {
			there = there && (k >> d & 1) < taps[d].n;
			weight *= taps[d].weight[k >> d & 1];
		}
		if (!there || weight == 0)
			continue;
		if (!read_corner(f, taps, k, &x))
			return false;
		for (uint32_t c = 0; c < 4; c++)
			sum[c] += weight * float_of(x.v[c]);
	}
	for (uint32_t c = 0; c < 4; c++)
		to->v[c] = float_bits(sum[c]);
	return true;
}

/* tld4: reads channel i->round of the four texels used by linear filtering, counterclockwise from
 * the one with the lower x and the higher y. */
static bool
gather_channel(const Texture_fetch *f, Texel *to)
{
	static const uint8_t corners[] = { 2, 3, 1, 0 };
	Taps taps[3];
	locate_taps(f, true, taps);
	for (uint32_t k = 0; k < 4; k++) {
		Texel x;
		if (!read_corner(f, taps, corners[k], &x))
			return false;
		to->v[k] = x.v[f->i->round];
	}
	return true;
}

static void
fetch_all(Warp *w, const Inst *i, uint32_t lanes, bool (*one)(const Texture_fetch *f, Texel *to))
{
	for EACH_LANE(l, lanes) {
		const Texture_fetch f = { w, i, l, texture_object(w, i, l) };
		Texel x;
		if (!f.t || !one(&f, &x))
			return;
		for (uint32_t k = 0; k < i->target; k++)
			row32(w, operand_rows(w, i)[k])[l] = x.v[k];
	}
}

static void
run_tex(Warp *w, const Inst *i, uint32_t lanes)
{
	fetch_all(w, i, lanes, sample_linear);
}
static void
run_tld4(Warp *w, const Inst *i, uint32_t lanes)
{
	fetch_all(w, i, lanes, gather_channel);
}

/* Width, height or depth. Channel type and order are not supported. */
static void
run_query(Warp *w, const Inst *i, uint32_t lanes)
{
	for EACH_LANE(l, lanes) {
		const Sim_texture *t = texture_object(w, i, l);
		if (!t)
			return;
		row32(w, i->d)[l] = t->size[i->op];
	}
}

/* ---- handlers: surfaces ---------------------------------------------------------------------- */

enum { TRAP, CLAMP, ZERO };
static const char *const bounds_names[] = { "trap", "clamp", "zero", NULL };

/* Returns the address of a lane's bytes in a surface: x in bytes, y in rows, z in slices. Returns 0
 * if they are outside, with *fault set if that is reported. */
static uint64_t
surface_address(const Texture_fetch *f, uint32_t bytes, bool *fault)
{
	const Texture_form form = forms[f->i->op];
	const uint32_t *row = operand_rows(f->w, f->i) + f->i->target;
	int64_t at[3] = { 0 }, n[3] = { (int64_t)f->t->size[0] * texel_bytes(f->t), f->t->size[1],
		f->t->size[2] };
	*fault = false;
	if (form.layer)
		at[2] = row32(f->w, *row++)[f->lane];
	for (uint32_t d = 0; d < form.dims; d++)
		at[d] = (int32_t)row32(f->w, row[d])[f->lane];
	for (uint32_t d = 0; d < 3; d++) {
		int64_t most = (n[d] ? n[d] : 1) - (d ? 1 : bytes);
		if (at[d] >= 0 && at[d] <= most)
			continue;
		if (f->i->round == TRAP)
			sim_fault(f->w, f->i, f->lane, FAULT_BOUNDS,
				"coordinate %u of a surface is %lld, and can be 0 to %lld", d + 1,
				(long long)at[d], (long long)most);
		*fault = f->i->round == TRAP;
		if (f->i->round != CLAMP)
			return 0;
		at[d] = at[d] < 0 ? 0 : most;
	}
	return f->t->at + (uint64_t)at[2] * f->t->slice + (uint64_t)at[1] * f->t->pitch +
		(uint64_t)at[0];
}

static void
surface_access(Warp *w, const Inst *i, uint32_t lanes, bool write)
{
	uint32_t size = ty_size((Ty)i->type), n = i->target;
	for EACH_LANE(l, lanes) {
		uint8_t value[16] = { 0 };
		const Texture_fetch f = { w, i, l, texture_object(w, i, l) };
		bool fault = true;
		uint64_t at = f.t ? surface_address(&f, size * n, &fault) : 0;
		for (uint32_t k = 0; write && k < n; k++) {
			uint64_t v = row_get(w, operand_rows(w, i)[k], size == 8, l);
			memcpy(value + k * size, &v, size);
		}
		const uint8_t *p = at ? bytes_at(&f, at, size * n, write ? value : NULL) : NULL;
		if (fault || (at && !p))
			return;
		for (uint32_t k = 0; !write && k < n; k++) {
			uint64_t v = 0;
			if (p)
				memcpy(&v, p + k * size, size);
			row_put(w, operand_rows(w, i)[k], size == 8, l, v);
		}
	}
}

static void run_suld(Warp *w, const Inst *i, uint32_t lanes) { surface_access(w, i, lanes, false); }
static void run_sust(Warp *w, const Inst *i, uint32_t lanes) { surface_access(w, i, lanes, true); }

/* ---- decoding -------------------------------------------------------------------------------- */

/* Adds the registers of an operand, one or a vector; returns their number. */
static uint32_t
decode_registers(Opcode *h, uint32_t o, Ty t, bool dest)
{
	const Opnd *opnds = h->m->opnds;
	bool one = opnds[o].kind != OPND_VEC;
	uint32_t n = 0;
	for (uint32_t k = one ? o : o + 1; k < o + opnds[o].tree; k += opnds[k].tree, n++)
		*vec_push(&h->p->list) =
			dest ? operand_dest(h, k, t) : operand_source(h, k, t, NULL);
	return n;
}

/* Decodes the object and the coordinates: "[%rd1, {%f1, %f2}]". */
static bool
decode_place(Opcode *h, Inst *i, uint32_t o)
{
	const Opnd *opnds = h->m->opnds;
	uint32_t base = o + 1, at = base + opnds[base].tree;
	if (opnds[o].kind != OPND_ADDR || opnds[base].kind != OPND_SYM)
		return false;
	if (!ptx_is_reg(h->m, opnds[base].sym)) {
		opcode_error(h, "a texture or surface reference: only objects can be had");
		return false;
	}
	i->a = operand_source(h, base, T_B64, NULL);
	if (at >= o + opnds[o].tree)
		return i->op == OP_TXQ || i->op == OP_SUQ;
	if (opnds[at].kind == OPND_SYM && ptx_is_reg(h->m, opnds[at].sym) &&
		at + 1 < o + opnds[o].tree) {
		opcode_error(h, "a separate sampler");
		return false;
	}
	return decode_registers(h, at, i->type2 == T_F32 ? T_F32 : T_B32, false) > 0;
}

static bool
query_decode(Opcode *h, Inst *i)
{
	static const char *const what[] = { "width", "height", "depth", NULL };
	int k = opcode_which(h, what);
	if (k < 0 || !decode_place(h, i, operand_next(h, 1)))
		return false;
	i->d = operand_dest(h, operand_next(h, 0), T_B32);
	i->op = (uint8_t)k;
	i->run = run_query;
	return true;
}

static bool
surface_decode(Opcode *h, Inst *i)
{
	bool write = i->op == OP_SUST;
	int form = opcode_which(h, form_names), bounds = opcode_which(h, bounds_names);
	(void)(opcode_has(h, "v2") || opcode_has(h, "v4"));
	if (!opcode_has(h, "b") || form < 0 || h->ntypes != 1)
		return false;
	i->type = (uint8_t)h->type[0];
	i->round = (uint8_t)(bounds > 0 ? bounds : TRAP);
	i->list = h->p->list.n;
	i->target = decode_registers(h, operand_next(h, write ? 1 : 0), h->type[0], !write);
	if (ty_size(h->type[0]) * i->target > 16 ||
		!decode_place(h, i, operand_next(h, write ? 0 : 1)))
		return false;
	i->nlist = h->p->list.n - i->list;
	i->op = (uint8_t)form;
	i->run = write ? run_sust : run_suld;
	return true;
}

bool
texture_decode(Opcode *h, Inst *i)
{
	static const char *const channels[] = { "r", "g", "b", "a", NULL };
	bool four = i->op == OP_TLD4;
	if (i->op == OP_TXQ || i->op == OP_SUQ)
		return query_decode(h, i);
	if (i->op == OP_SULD || i->op == OP_SUST)
		return surface_decode(h, i);
	if (i->op != OP_TEX && !four)
		return false;
	int form = opcode_which(h, form_names), part = four ? opcode_which(h, channels) : 0;
	/* there is only one mip level */
	(void)(opcode_has(h, "base") || opcode_has(h, "level") || opcode_has(h, "grad"));
	if (form < 0 || part < 0 || !opcode_has(h, "v4") || h->ntypes != 2 || ty_size(h->type[0]) != 4)
		return false;
	i->type = (uint8_t)h->type[0];
	i->type2 = (uint8_t)h->type[1];
	i->round = (uint8_t)part;
	i->list = h->p->list.n;
	i->target = decode_registers(h, operand_next(h, 0), h->type[0], true);
	if (i->target != 4 || !decode_place(h, i, operand_next(h, 1)))
		return false;
	i->nlist = h->p->list.n - i->list;
	i->op = (uint8_t)form;
	i->run = four ? run_tld4 : run_tex;
	return true;
}
