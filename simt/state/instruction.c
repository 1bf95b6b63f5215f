/* SPDX-License-Identifier: MIT */
/* Type properties, and function addresses: WIN_CODE plus CODE_STEP times the function's number.
 * Every function whose address is taken is decoded. */
#include "simt/state/instruction.h"

uint32_t
ty_size(Ty t)
{
	static const uint8_t size[T_COUNT] = { [T_B8] = 1,
		[T_U8] = 1,
		[T_S8] = 1,
		[T_B16] = 2,
		[T_U16] = 2,
		[T_S16] = 2,
		[T_F16] = 2,
		[T_BF16] = 2,
		[T_B32] = 4,
		[T_U32] = 4,
		[T_S32] = 4,
		[T_F32] = 4,
		[T_F16X2] = 4,
		[T_BF16X2] = 4,
		[T_B64] = 8,
		[T_U64] = 8,
		[T_S64] = 8,
		[T_F64] = 8,
		[T_B128] = 16 };
	return size[t];
}

bool ty_signed(Ty t) { return t >= T_S8 && t <= T_S64; }
bool ty_float(Ty t) { return t == T_F16 || t == T_BF16 || t == T_F32 || t == T_F64; }

/* ---- function addresses ---------------------------------------------------------------------- */

enum { CODE_STEP = 16 };

uint32_t
call_code(Prog *p, uint32_t func)
{
	if (!p->code_of[func]) {
		p->code_of[func] = p->codes.n;
		*vec_push(&p->codes) = (Code){ .func = func };
	}
	return p->code_of[func];
}

uint64_t
call_address(Prog *p, uint32_t func)
{
	if (p->m->funcs[func].body) {
		uint32_t code = call_code(p, func);
		p->codes.at[code].taken = true;
	}
	return WIN_CODE + (uint64_t)func * CODE_STEP;
}

uint32_t
call_at(const Prog *p, uint64_t at)
{
	uint64_t func = (at - WIN_CODE) / CODE_STEP;
	return at > WIN_CODE && at % CODE_STEP == 0 && func < p->m->nfuncs ? p->code_of[func] : 0;
}
