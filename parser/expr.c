/* SPDX-License-Identifier: MIT */
/* Numbers and constant expressions: 64-bit integers that wrap, with C's operators and precedence.
 *
 * The grammar only finds the end of an expression; it is evaluated here on demand, by precedence
 * climbing over the text. A value is signed unless a literal has the suffix U, is too large for a
 * signed number, or is cast to .u64; only division, remainder, right shift and comparison depend on
 * that. Source: PTX ISA 9.0, chapter 4.5. */
#include "parser/build.h"

/* ---- literals -------------------------------------------------------------------------------- */

static int
digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

bool
expr_integer(const char *s, size_t n, uint64_t *value)
{
	unsigned base = 10;
	uint64_t v = 0;

	if (n == 7 && memcmp(s, "WARP_SZ", 7) == 0) {
		*value = 32;
		return true;
	}
	if (n > 1 && s[n - 1] == 'U')
		n--;
	if (n > 2 && s[0] == '0' && (s[1] | 0x20) == 'x')
		base = 16, s += 2, n -= 2;
	else if (n > 2 && s[0] == '0' && (s[1] | 0x20) == 'b')
		base = 2, s += 2, n -= 2;
	else if (n > 1 && s[0] == '0')
		base = 8, s++, n--;
	for (size_t i = 0; i < n; i++) {
		unsigned d = (unsigned)digit_value(s[i]);
		if (d >= base || v > (UINT64_MAX - d) / base)
			return false;
		v = v * base + d;
	}
	*value = v;
	return n > 0;
}

void
parser_check_integer(Parser *p, Span at)
{
	/* ptxas accepts this number, but no larger one, as 0 */
	static const char excused[] = "18446744073709551616";
	uint64_t v;
	size_t n = at.end - at.pos;

	if (expr_integer(p->text + at.pos, n, &v) ||
		(n == sizeof excused - 1 && memcmp(p->text + at.pos, excused, n) == 0))
		return;
	parser_wrong(p, D_RANGE, at, "has more than 64 bits");
}

uint64_t
expr_number(Parser *p, Span at, uint64_t max, const char *what)
{
	uint64_t v;

	if (expr_integer(p->text + at.pos, at.end - at.pos, &v) && v <= max)
		return v;
	parser_error(p, D_RANGE, at.pos, "%s '%.*s' is not an integer from 0 to %llu", what,
		at.end - at.pos < 40 ? (int)(at.end - at.pos) : 40, p->text + at.pos,
		(unsigned long long)max);
	return 0;
}

/* Computes the bits of a floating-point literal: 0f... 32 bits, others the bits of a double. */
static bool
real_bits(const char *s, size_t n, uint64_t *value)
{
	char buf[64];
	double d;

	if (n > 2 && s[0] == '0' && ((s[1] | 0x20) == 'f' || (s[1] | 0x20) == 'd')) {
		*value = 0;
		for (size_t i = 2; i < n; i++)
			*value = *value << 4 | (uint64_t)digit_value(s[i]);
		return true;
	}
	if (n >= sizeof buf)
		n = sizeof buf - 1; /* more digits than a double has */
	memcpy(buf, s, n);
	buf[n] = '\0';
	d = strtod(buf, NULL);
	memcpy(value, &d, sizeof d);
	return true;
}

/* ---- tokens ---------------------------------------------------------------------------------- */

uint32_t
expr_skip(const char *text, uint32_t pos, uint32_t end)
{
	for (;;) {
		if (pos < end && text[pos] > ' ' && text[pos] != '/' && text[pos] != '#')
			return pos;
		while (pos < end &&
			(strchr(" \t\r\n\f\x1a", text[pos]) != NULL && text[pos] != '\0'))
			pos++;
		bool comment = pos + 1 < end && text[pos] == '/' &&
			(text[pos + 1] == '/' || text[pos + 1] == '*');
		if (pos >= end || (!comment && text[pos] != '#'))
			return pos;
		if (!comment || text[pos + 1] == '/') {
			while (pos < end && text[pos] != '\n')
				pos++;
		} else {
			for (pos += 3; pos < end && !(text[pos] == '/' && text[pos - 1] == '*');
				pos++)
				;
			pos += pos < end;
		}
	}
}

/* Whether c is a character of a literal. */
static bool
literal_char(char c)
{
	return c == '.' || (name_char(c) && c != '%' && c != '$');
}

static uint32_t
literal_end(const char *text, uint32_t pos, uint32_t end)
{
	uint32_t start = pos;
	bool hex = end - pos > 1 && text[pos] == '0' && strchr("xXfFdDbB", text[pos + 1]) &&
		text[pos + 1];

	for (; pos < end; pos++) {
		bool sign = !hex && pos > start && (text[pos] == '+' || text[pos] == '-') &&
			(text[pos - 1] | 0x20) == 'e';
		if (!literal_char(text[pos]) && !sign)
			break;
	}
	return pos;
}

bool
expr_next(const char *text, uint32_t *pos, uint32_t end, Span *number)
{
	for (;;) {
		*pos = expr_skip(text, *pos, end);
		if (*pos >= end)
			return false;
		if (literal_char(text[*pos]))
			break;
		++*pos;
	}
	number->pos = *pos;
	*pos = number->end = literal_end(text, *pos, end);
	return true;
}

/* ---- expressions ----------------------------------------------------------------------------- */

enum { MAX_NESTING = 256 };

typedef struct {
	const char *text;
	uint32_t pos, end;
	int depth;
	bool ok;
	bool real; /* a floating-point literal occurred */
} Expr_reader;

typedef struct { uint64_t v; bool is_unsigned; } Expr_value;

static Expr_value parse_ternary(Expr_reader *r);

static Expr_value
expr_fail(Expr_reader *r)
{
	r->ok = false;
	return (Expr_value){ 0, false };
}

static bool
accept_char(Expr_reader *r, char c)
{
	r->pos = expr_skip(r->text, r->pos, r->end);
	if (r->pos >= r->end || r->text[r->pos] != c)
		return false;
	r->pos++;
	return true;
}

static Expr_value
parse_literal(Expr_reader *r)
{
	Expr_value v = { 0, false };
	Span at = { r->pos, literal_end(r->text, r->pos, r->end) };
	const char *s = r->text + at.pos;
	size_t n = at.end - at.pos;

	if (n == 0)
		return expr_fail(r);
	r->pos = at.end;
	if (expr_integer(s, n, &v.v)) {
		v.is_unsigned = s[n - 1] == 'U' || v.v > INT64_MAX;
		return v;
	}
	if (s[0] != '.' && (s[0] < '0' || s[0] > '9'))
		return expr_fail(r);
	for (size_t i = 0; i < n; i++)
		if (strchr(".eEfFdD", s[i]))
			r->real = true;
	if (!r->real || !real_bits(s, n, &v.v))
		return expr_fail(r); /* more than 64 bits */
	return v;
}

/* Whether ".s64)" is at the current position, and not the number ".5". */
static bool
at_cast(const Expr_reader *r)
{
	return r->end - r->pos > 1 && r->text[r->pos] == '.' &&
		digit_value(r->text[r->pos + 1]) > 9;
}

static Expr_value
parse_cast(Expr_reader *r)
{
	const char *s = r->text + r->pos;
	bool is_unsigned = r->end - r->pos > 4 && memcmp(s, ".u64", 4) == 0;

	if (!is_unsigned && !(r->end - r->pos > 4 && memcmp(s, ".s64", 4) == 0))
		return expr_fail(r);
	r->pos += 4;
	if (!accept_char(r, ')'))
		return expr_fail(r);
	return (Expr_value){ 0, is_unsigned };
}

static Expr_value
parse_unary(Expr_reader *r)
{
	Expr_value v;

	if (++r->depth > MAX_NESTING)
		return expr_fail(r);
	if (accept_char(r, '-')) {
		v = parse_unary(r);
		v.v = r->real ? v.v ^ UINT64_C(1) << 63 : 0 - v.v;
	} else if (accept_char(r, '+')) {
		v = parse_unary(r);
	} else if (accept_char(r, '~')) {
		v = parse_unary(r);
		v.v = ~v.v;
	} else if (accept_char(r, '!')) {
		v = (Expr_value){ !parse_unary(r).v, false };
	} else if (accept_char(r, '(')) {
		r->pos = expr_skip(r->text, r->pos, r->end);
		if (at_cast(r)) {
			bool is_unsigned = parse_cast(r).is_unsigned;
			v = parse_unary(r);
			v.is_unsigned = is_unsigned;
		} else {
			v = parse_ternary(r);
			if (!accept_char(r, ')'))
				return expr_fail(r);
		}
	} else {
		v = parse_literal(r);
	}
	r->depth--;
	return v;
}

/* Binary operators; a longer one precedes its prefixes. ORDER OPERATOR: apply's cases. */
static const struct { char s[3]; int prec;
} operators[] = {
	{ "||", 1 },
	{ "&&", 2 },
	{ "|", 3 },
	{ "^", 4 },
	{ "&", 5 },
	{ "==", 6 },
	{ "!=", 6 },
	{ "<<", 8 },
	{ ">>", 8 },
	{ "<=", 7 },
	{ ">=", 7 },
	{ "<", 7 },
	{ ">", 7 },
	{ "+", 9 },
	{ "-", 9 },
	{ "*", 10 },
	{ "/", 10 },
	{ "%", 10 },
};

static int
peek_operator(Expr_reader *r)
{
	r->pos = expr_skip(r->text, r->pos, r->end);
	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
		size_t n = strlen(operators[i].s);
		if (r->end - r->pos >= n && memcmp(r->text + r->pos, operators[i].s, n) == 0)
			return (int)i;
	}
	return -1;
}

static uint64_t
divide_values(Expr_reader *r, Expr_value a, Expr_value b, bool remainder)
{
	if (b.v == 0) {
		r->ok = false;
		return 0;
	}
	if (a.is_unsigned || b.is_unsigned)
		return remainder ? a.v % b.v : a.v / b.v;
	if (b.v == UINT64_MAX) /* division by -1, also of the smallest number */
		return remainder ? 0 : 0 - a.v;
	return remainder ? (uint64_t)((int64_t)a.v % (int64_t)b.v) :
			   (uint64_t)((int64_t)a.v / (int64_t)b.v);
}

static uint64_t
shift_right(Expr_value a, uint64_t n)
{
	uint64_t sign = !a.is_unsigned && a.v >> 63 ? UINT64_MAX : 0;

	if (n > 63)
		return sign;
	return n == 0 ? a.v : a.v >> n | sign << (64 - n);
}

static Expr_value
apply_operator(Expr_reader *r, int op, Expr_value a, Expr_value b)
{
	bool u = a.is_unsigned || b.is_unsigned;
	bool less = u ? a.v < b.v : (int64_t)a.v < (int64_t)b.v;

	switch (op) {
	case 0: return (Expr_value){ a.v || b.v, false };
	case 1: return (Expr_value){ a.v && b.v, false };
	case 2: return (Expr_value){ a.v | b.v, u };
	case 3: return (Expr_value){ a.v ^ b.v, u };
	case 4: return (Expr_value){ a.v & b.v, u };
	case 5: return (Expr_value){ a.v == b.v, false };
	case 6: return (Expr_value){ a.v != b.v, false };
	case 7: return (Expr_value){ b.v > 63 ? 0 : a.v << b.v, a.is_unsigned };
	case 8: return (Expr_value){ shift_right(a, b.v), a.is_unsigned };
	case 9: return (Expr_value){ less || a.v == b.v, false };
	case 10: return (Expr_value){ !less, false };
	case 11: return (Expr_value){ less, false };
	case 12: return (Expr_value){ !less && a.v != b.v, false };
	case 13: return (Expr_value){ a.v + b.v, u };
	case 14: return (Expr_value){ a.v - b.v, u };
	case 15: return (Expr_value){ a.v * b.v, u };
	case 16: return (Expr_value){ divide_values(r, a, b, false), u };
	default: return (Expr_value){ divide_values(r, a, b, true), u };
	}
}

static Expr_value
parse_binary(Expr_reader *r, int least)
{
	Expr_value a = parse_unary(r);

	for (int op; r->ok && (op = peek_operator(r)) >= 0 && operators[op].prec >= least;) {
		r->pos += (uint32_t)strlen(operators[op].s);
		Expr_value b = parse_binary(r, operators[op].prec + 1);
		if (r->real)
			/* arithmetic on floating-point constants is not supported */
			return expr_fail(r);
		a = apply_operator(r, op, a, b);
	}
	return a;
}

static Expr_value
parse_ternary(Expr_reader *r)
{
	Expr_value c = parse_binary(r, 1);

	if (!r->ok || !accept_char(r, '?'))
		return c;
	Expr_value a = parse_ternary(r);
	if (!accept_char(r, ':'))
		return expr_fail(r);
	Expr_value b = parse_ternary(r);
	return c.v ? a : b;
}

/* Evaluates the common case of a single literal with an optional sign: decimal digits, or 0x, 0f or
 * 0d and hexadecimal digits. Returns false for other expressions. */
static bool
is_single_literal(const char *s, size_t n, uint64_t *value, bool *real)
{
	bool minus = n > 0 && *s == '-';
	uint64_t v = 0;

	s += minus, n -= minus;
	bool zero = n > 1 && s[0] == '0';
	char c = zero ? (char)(s[1] | 0x20) : '\0';
	if (n == 0 || n > 18 || (zero && (n == 2 || (c != 'x' && c != 'f' && c != 'd'))))
		return false;
	uint64_t base = zero ? 16 : 10;
	for (size_t i = zero ? 2 : 0; i < n; i++) {
		uint64_t d = (uint64_t)digit_value(s[i]);
		if (d >= base)
			return false;
		v = v * base + d;
	}
	*real = c == 'f' || c == 'd';
	*value = !minus ? v : *real ? v ^ UINT64_C(1) << 63 : 0 - v;
	return true;
}

bool
expr_value(const char *text, Span at, uint64_t *value, bool *real)
{
	if (is_single_literal(text + at.pos, at.end - at.pos, value, real))
		return true;
	Expr_reader r = { .text = text, .pos = at.pos, .end = at.end, .ok = true };
	Expr_value v = parse_ternary(&r);

	*value = v.v;
	*real = r.real;
	return r.ok && expr_skip(text, r.pos, r.end) == r.end;
}
