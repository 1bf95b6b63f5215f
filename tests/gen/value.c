/* SPDX-License-Identifier: MIT */
/* Random numbers, registers, labels and the values in scope. */
#include <stdarg.h>
#include <stdio.h>
#include "tests/gen/inner.h"

uint64_t
gen_random(uint64_t *state) /* splitmix64 */
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

uint32_t
below(Gen *g, uint32_t n)
{
	return (uint32_t)(gen_random(&g->state) >> 33) % n;
}

bool
chance(Gen *g, uint32_t percent)
{
	return below(g, 100) < percent;
}

bool
also(Gen *g, uint32_t percent)
{
	return g->grown && (uint32_t)(gen_random(&g->more) >> 33) % 100 < percent;
}

bool
turns(Gen *g, uint32_t percent)
{
	return g->turns && (uint32_t)(gen_random(&g->more) >> 33) % 100 < percent;
}

void
line(Gen *g, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	buf_putc(g->body, '\t');
	buf_vprintf(g->body, fmt, ap);
	buf_puts(g->body, ";\n");
	va_end(ap);
}

uint32_t
fresh(Gen *g, Ty ty)
{
	return ++g->nregs[ty];
}

const char *
reg_name(Ty ty)
{
	static const char *const names[TY_COUNT] = { "%rs", "%r", "%rd", "%f", "%fd", "%p" };
	return names[ty];
}

uint32_t
label(Gen *g)
{
	return ++g->labels;
}

void
place_label(Gen *g, uint32_t l)
{
	buf_printf(g->body, "$L%u:\n", l);
}

void
value_add(Gen *g, Ty ty, uint32_t reg, Kind kind)
{
	if (g->nvalues < MAX_VALUES)
		g->values[g->nvalues++] = (Value){ (uint8_t)ty, (uint8_t)kind, false, reg };
}

/* Whether this is common code. */
bool
in_own_part(const Gen *g)
{
	return g->place == PROLOG || g->place == PREFIX || g->place == REST;
}

/* For unified branches: whether the state belongs to another path. */
static bool
is_others(const Gen *g, const Value *v)
{
	return g->unifies && g->place == PATH &&
		(g->inside || g->path != (uint32_t)(v - g->values) % 2);
}

/* Dead values can be read in the path that wrote them. Prefers newer values, which makes contexts
 * larger. */
uint32_t
value_any(Gen *g, Ty ty)
{
	uint32_t found = 0;
	for (int k = 0; k < 2; k++) {
		uint32_t start = g->nvalues ? below(g, g->nvalues) : 0;
		for (uint32_t i = 0; i < g->nvalues; i++) {
			const Value *v = &g->values[(start + i) % g->nvalues];
			bool hidden = v->kind == STATE && (in_own_part(g) || is_others(g, v));
			if (v->ty == ty && !hidden) {
				found = v->reg > found ? v->reg : found;
				break;
			}
		}
	}
	if (found)
		return found;
	uint32_t r = fresh(g, ty);
	static const char *const moves[TY_COUNT] = { "mov.u16", "mov.u32", "mov.u64", "mov.f32",
		"mov.f64", "mov.pred" };
	static const char *const consts[TY_COUNT] = { "77", "123456789", "81985529216486895",
		"0f40490FDB", "0d400921FB54442D18", "-1" };
	line(g, "%s \t%s%u, %s", moves[ty], reg_name(ty), r, consts[ty]);
	return r;
}

Value *
value_to_write(Gen *g, Ty ty)
{
	uint32_t start = g->nvalues ? below(g, g->nvalues) : 0;
	for (uint32_t i = 0; i < g->nvalues; i++) {
		Value *v = &g->values[(start + i) % g->nvalues];
		bool path = g->place == PATH || g->inside;
		bool may = v->kind == STATE ? !in_own_part(g) && !is_others(g, v) :
			path                ? v->kind == LOCAL || g->ordered :
			g->place == REST    ? v->kind == LOCAL || !g->jumps :
					      true;
		if (v->ty == ty && v->kind != FIXED && may)
			return v;
	}
	return NULL;
}

void
values_bury(Gen *g)
{
	for (uint32_t i = 0; i < g->nvalues; i++)
		if (g->values[i].dead)
			g->values[i].ty = TY_COUNT;
}
