/* SPDX-License-Identifier: MIT */
/* Functions of CUDA's device runtime, as called by nvcc's output: vprintf, __assertfail, malloc,
 * free (CUDA C++ Programming Guide, 10.34 to 10.36).
 *
 * They execute in one step, lane after lane. The output of printf is appended to Sim_launch.text;
 * C's printf formats each conversion. As on the device, "%.*d" and size modifiers other than h, l
 * and ll are not conversions and are printed unchanged. malloc allocates from a heap of
 * Sim_launch.heap bytes and returns 0 when it is exhausted.
 */
#include <string.h>
#include "simt/isa/handlers.h"

static uint64_t
call_argument(const Warp *w, const Inst *i, uint32_t k, uint32_t lane)
{
	Slot s = w->sim->prog.slots.at[i->list + k];
	uint64_t v = 0;
	if (s.memory)
		memcpy(&v, lane_memory(&w->local, lane) + w->frame->base + s.at,
			s.size < 8 ? s.size : 8);
	else
		v = row_get(w, s.at, s.size > 4, lane);
	return v;
}

static void
set_call_result(Warp *w, const Inst *i, uint32_t lane, uint64_t v)
{
	if (!i->b)
		return;
	Slot s = w->sim->prog.slots.at[i->list + i->nlist];
	if (s.memory)
		memcpy(lane_memory(&w->local, lane) + w->frame->base + s.at, &v,
			s.size < 8 ? s.size : 8);
	else
		row_put(w, s.at, s.size > 4, lane, v);
}

/* Reads size bytes at a generic address; false after a fault. */
static bool
fetch_generic(Warp *w, const Inst *i, uint32_t lane, uint64_t at, uint32_t size, uint64_t *v)
{
	Access x = { .i = i, .kind = ACCESS_READ, .space = (Space)i->space, .size = size };
	Access_target p = { .lane = lane };
	x.at[lane] = at;
	*v = 0;
	if (memory_locate(w, &x, &p))
		memcpy(v, p.bytes, size);
	return p.bytes != NULL;
}

/* Appends the string at a generic address, at most n bytes of it; false after a fault. */
static bool
fetch_string(Warp *w, const Inst *i, uint32_t lane, uint64_t at, size_t n, Buf *to)
{
	uint64_t c = 1;
	buf_puts(to, "");
	for (; n-- > 0; at++) {
		if (!fetch_generic(w, i, lane, at, 1, &c))
			return false;
		if (!c)
			break;
		buf_putc(to, (char)c);
	}
	return true;
}

/* ---- printf ---------------------------------------------------------------------------------- */

/* A conversion of a format: %, flags, width, precision, length, letter. */
typedef struct {
	/* C format: flags, then "*.*" ("*" for c and p) and the letter */
	char spec[16];
	int width, precision;   /* 0 and -1 if absent */
	bool wide;              /* 64 bits */
	uint8_t narrow;         /* 8 bits for hh, 16 for h, else 0 */
	char letter;
} Conversion;

typedef struct {
	Warp *w;
	const Inst *i;
	uint32_t lane;
	uint64_t at;            /* address of the next argument */
	uint32_t taken;
} Vprintf_arguments;

static bool
next_argument(Vprintf_arguments *a, uint32_t size, uint64_t *v)
{
	a->at = (a->at + size - 1) & ~(uint64_t)(size - 1);
	bool ok = fetch_generic(a->w, a->i, a->lane, a->at, size, v);
	a->at += size;
	a->taken++;
	return ok;
}

/* Parses a number of a format. */
static const char *
parse_number(const char *s, int *n)
{
	uint64_t v = 0;
	for (; *s >= '0' && *s <= '9'; s++)
		v = v < 100000 ? 10 * v + (uint64_t)(*s - '0') : v;
	*n = (int)v;
	return s;
}

/* Parses the conversion that begins with the % at s; returns the text after it. letter: 0 if it is
 * not a conversion. */
static const char *
parse_conversion(const char *s, Vprintf_arguments *a, Conversion *c)
{
	size_t n = 1;
	uint64_t v;
	*c = (Conversion){ .spec = "%", .precision = -1 };
	for (s++; *s && strchr("-+ #0", *s); s++)
		if (!memchr(c->spec, *s, n))
			c->spec[n++] = *s;
	if (*s == '*' && next_argument(a, 4, &v))
		c->width = (int)(int32_t)v, s++;
	else
		s = parse_number(s, &c->width);
	if (*s == '.')
		s = parse_number(s + 1, &c->precision);
	for (; *s == 'h' || *s == 'l'; s++) {
		c->wide = c->wide || *s == 'l';
		c->narrow = *s != 'h' ? 0 : c->narrow ? 8 : 16;
	}
	c->letter = *s && strchr("diouxXeEfFgGaAcsp%", *s) ? *s : 0;
	const char *rest = strchr("cp", c->letter) ? "*" :
		strchr("diouxX", c->letter)        ? "*.*ll" :
						     "*.*";
	memcpy(c->spec + n, rest, strlen(rest));
	c->spec[n + strlen(rest)] = c->letter;
	return *s ? s + 1 : s;
}

static uint64_t
narrow_value(const Conversion *c, uint64_t v)
{
	uint32_t bits = c->narrow ? c->narrow : c->wide ? 64 : 32;
	v <<= 64 - bits;
	return c->letter == 'd' || c->letter == 'i' ? (uint64_t)((int64_t)v >> (64 - bits)) :
						      v >> (64 - bits);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored \
	"-Wformat-nonliteral" /* spec is one conversion, built above for this argument */
static bool
print_one(const Conversion *c, Vprintf_arguments *a, Buf *to)
{
	bool address = c->letter == 's' || c->letter == 'p',
	     real = strchr("eEfFgGaA", c->letter) != NULL;
	uint64_t v;
	double x;
	if (!next_argument(a, address || real || (c->wide && c->letter != 'c') ? 8 : 4, &v))
		return false;
	memcpy(&x, &v, sizeof x);
	if (real) {
		buf_printf(to, c->spec, c->width, c->precision, x);
	} else if (c->letter == 'c') {
		buf_printf(to, c->spec, c->width, (int)(uint8_t)v);
	} else if (c->letter == 'p') {
		buf_printf(to, c->spec, c->width, (void *)(uintptr_t)v);
	} else if (c->letter == 's') {
		Buf s = {0};
		bool ok = !v ||
			fetch_string(a->w, a->i, a->lane, v,
				c->precision < 0 ? SIZE_MAX : (size_t)c->precision, &s);
		if (ok)
			buf_printf(to, c->spec, c->width, c->precision, v ? s.at : "(null)");
		buf_free(&s);
		return ok;
	} else {
		buf_printf(to, c->spec, c->width, c->precision, (long long)narrow_value(c, v));
	}
	return true;
}
#pragma GCC diagnostic pop

static bool
print_format(Vprintf_arguments *a, const char *format, Buf *to)
{
	for (const char *s = format; *s;) {
		Conversion c;
		const char *from = s;
		if (*s != '%') {
			buf_putc(to, *s++);
			continue;
		}
		s = parse_conversion(s, a, &c);
		if (c.letter == '%')
			buf_putc(to, '%');
		else if (!c.letter)
			buf_add(to, from, (size_t)(s - from));
		else if (!print_one(&c, a, to))
			return false;
	}
	return true;
}

/* Returns the number of arguments that the format takes. Discards a lane's text after a fault. */
static void
vprintf_lanes(Warp *w, const Inst *i, uint32_t lanes)
{
	if (!block_queue_run_serial(w->sim))
		return;
	for EACH_LANE(l, lanes) {
		Vprintf_arguments a = {
			.w = w, .i = i, .lane = l, .at = call_argument(w, i, 1, l)
		};
		Buf format = {0}, text = {0};
		uint64_t at = call_argument(w, i, 0, l);
		bool ok = at && fetch_string(w, i, l, at, SIZE_MAX, &format) &&
			print_format(&a, format.at, &text);
		if (ok && w->sim->l->text && text.n)
			buf_add(w->sim->l->text, text.at, text.n);
		set_call_result(w, i, l, ok ? a.taken : UINT32_MAX);
		buf_free(&format);
		buf_free(&text);
	}
}

/* ---- assert ---------------------------------------------------------------------------------- */

/* Arguments: message, file, line, function, size of a character. */
static void
report_assertion(Warp *w, const Inst *i, uint32_t lanes)
{
	static const uint32_t strings[] = { 0, 1, 3 };
	uint32_t l = low_bit(lanes);
	Buf b[3] = {0};
	bool ok = block_queue_run_serial(w->sim);
	for (int k = 0; k < 3; k++)
		ok = ok &&
			fetch_string(w, i, l, call_argument(w, i, strings[k], l), SIZE_MAX, &b[k]);
	if (ok)
		sim_fault(w, i, l, FAULT_ASSERT, "`%s', %s:%u, in %s", b[0].at, b[1].at,
			(uint32_t)call_argument(w, i, 2, l), b[2].at);
	for (int k = 0; k < 3; k++)
		buf_free(&b[k]);
}

/* ---- the heap -------------------------------------------------------------------------------- */

/* The label of heap buffers, compared by address. */
static const char heap_label[] = "memory from malloc";
enum { HEAP_BYTES = 8 << 20 };

static void
malloc_lanes(Warp *w, const Inst *i, uint32_t lanes)
{
	Sim *s = w->sim;
	if (!block_queue_run_serial(s))
		return;
	uint64_t room = s->l->heap ? s->l->heap : HEAP_BYTES;
	for EACH_LANE(l, lanes) {
		uint64_t n = call_argument(w, i, 0, l);
		bool fits = n <= room && s->memory->heap <= room - n;
		s->memory->heap += fits ? n : 0;
		set_call_result(w, i, l, fits && n ? sim_alloc_unwritten(s, n, heap_label) : 0);
	}
}

static void
free_lanes(Warp *w, const Inst *i, uint32_t lanes)
{
	if (!block_queue_run_serial(w->sim))
		return;
	for EACH_LANE(l, lanes) {
		uint64_t at = call_argument(w, i, 0, l);
		const Buffer *b = buffer_find(w->sim, at);
		if (!at)
			continue;
		if (!b || b->at != at || b->label != heap_label || !b->bytes) {
			sim_fault(w, i, l, FAULT_FREE, "0x%llx %s", (unsigned long long)at,
				b && b->label == heap_label && !b->bytes ?
					"was freed before" :
					"is not what malloc gave");
			return;
		}
		w->sim->memory->heap -= b->n;
		sim_release(w->sim, at);
	}
}

/* ---- decoding -------------------------------------------------------------------------------- */

static const struct { const char *name; Run *run; uint32_t nparam, nret;
} functions[] = { { "vprintf", vprintf_lanes, 2, 1 }, { "__assertfail", report_assertion, 5, 0 },
	{ "malloc", malloc_lanes, 1, 1 }, { "free", free_lanes, 1, 0 } };

bool
system_decode(Opcode *h, Inst *i, const Func *f)
{
	size_t n;
	const char *name = ptx_name(h->m, f->sym, &n);
	for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
		if (n == strlen(functions[k].name) && !memcmp(name, functions[k].name, n) &&
			f->nparam == functions[k].nparam && f->nret == functions[k].nret) {
			i->kind = I_PLAIN;
			i->space = SPACE_GENERIC;
			i->run = functions[k].run;
			return true;
		}
	opcode_error(h, "neither the module nor the emulator has '%.*s'", (int)n, name);
	return true;
}
