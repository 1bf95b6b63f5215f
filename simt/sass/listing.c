/* SPDX-License-Identifier: MIT */
/* Parses the output of `nvdisasm -gp -c` for a module assembled with `ptxas -lineinfo`:
 *
 *	.text.k:                                        a section; the next label is a function
 *	k:
 *	        //## File ".nv_debug_ptx_txt", line 8   line of the PTX, from here on
 *	        /\*0040*\/         @!P0 BRA `(.L_x_1) ;   an instruction, here with a guard
 *	.L_x_1:                                         a label, numbered within the module
 *
 * Functions that a kernel calls, and slow paths of division and the like, follow it in the same
 * section, as $k$name and $__internal_0_$name.
 */
#include <stdlib.h>
#include <string.h>
#include "base/heap.h"
#include "simt/sass/listing.h"

/* A call of a routine, or the beginning of one, with its full name. */
typedef struct {
	const char *name;
	size_t length;
	uint32_t inst;
} Named_routine;

typedef struct {
	Sass *to;
	uint32_t line;
	VEC(uint32_t) labels; /* by number: 1 + instruction */
	VEC(Named_routine) calls;
	VEC(Named_routine) begins; /* the beginning of each function */
} Sass_reader;

/* Whether s begins with `with`. */
static bool
text_starts_with(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

/* Returns the number at the end of a label: 12 for .L_x_12. */
static uint32_t
label_number(const char *label)
{
	while (*label && strchr(".L_x", *label))
		label++;
	return (uint32_t)strtoul(label, NULL, 10);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void
read_place(Sass_reader *r, const char *s)
{
	static const char of_ptx[] = "//## File \".nv_debug_ptx_txt\", line ";
	if (text_starts_with(s, of_ptx))
		r->line = (uint32_t)strtoul(s + sizeof of_ptx - 1, NULL, 10);
}

static void
end_function(Sass_reader *r)
{
	if (r->to->funcs.n)
		r->to->funcs.at[r->to->funcs.n - 1].end = r->to->insts.n;
}

/* Begins a function; name excludes the colon. "$k$f" is f. */
static void
begin_function(Sass_reader *r, const char *name, size_t n)
{
	const char *dollar = *name == '$' ? memchr(name + 1, '$', n - 1) : NULL;
	size_t skip = dollar ? (size_t)(dollar + 1 - name) : 0;
	end_function(r);
	r->line = 0;
	*vec_push(&r->begins) = (Named_routine){ name, n, r->to->insts.n };
	*vec_push(&r->to->funcs) =
		(Sass_func){ name + skip, n - skip, r->to->insts.n, r->to->insts.n };
}

static void
read_label(Sass_reader *r, const char *s, size_t n)
{
	if (!text_starts_with(s, ".L")) {
		if (*s != '.')
			begin_function(r, s, n);
		return;
	}
	uint32_t k = label_number(s);
	while (k < 1u << 24 && r->labels.n <= k)
		*vec_push(&r->labels) = 0;
	if (k < r->labels.n)
		r->labels.at[k] = r->to->insts.n + 1;
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* Relevant opcodes; modifiers may follow. BRA.DIV branches if the lanes have diverged, BRA.CONV if
 * they have not. */
static const struct {
	const char *opcode;
	Sass_kind kind;
} kinds[] = {
	{ "BRA.DIV", SASS_APART },
	{ "BRA.CONV", SASS_BRA },
	{ "BRA", SASS_BRA },
	{ "BRX", SASS_BRX },
	{ "JMP", SASS_BRA },
	{ "JMX", SASS_BRX },
	{ "EXIT", SASS_EXIT },
	{ "RET", SASS_RET },
	{ "BSSY", SASS_BSSY },
	{ "BSYNC", SASS_BSYNC },
	{ "WARPSYNC.COLLECTIVE", SASS_COLLECT },
	{ "CALL.REL.NOINC `($__internal", SASS_ROUTINE },
	{ "CALL.REL.NOINC `(.L", SASS_BRA }, /* does not return */
};

static Sass_kind
kind_of(const char *opcode)
{
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		size_t n = strlen(kinds[k].opcode);
		if (!strncmp(opcode, kinds[k].opcode, n) && !(opcode[n] >= 'A' && opcode[n] <= 'Z'))
			return kinds[k].kind;
	}
	return SASS_PLAIN;
}

/* Adds the labels that the operands refer to. They are numbers until resolve_labels() converts them
 * to instructions. */
static void
read_targets(Sass_reader *r, Sass_inst *i, const char *s, const char *end)
{
	i->to = r->to->targets.n;
	for (const char *label; (label = strstr(s, ".L")) && label < end; s = label + 2)
		*vec_push(&r->to->targets) = label_number(label);
	i->nto = r->to->targets.n - i->to;
}

/* Parses an instruction; s points behind the address. */
static void
read_instruction(Sass_reader *r, const char *s, const char *end)
{
	Sass_inst i = { .line = r->line };
	s += strspn(s, " {");
	if (*s == '@') {
		i.guarded = !text_starts_with(s, "@PT ");
		s += strcspn(s, " \n");
		s += strspn(s, " ");
	}
	i.kind = (uint8_t)kind_of(s);
	if (i.kind == SASS_BSSY || i.kind == SASS_BSYNC) {
		const char *b = strstr(s, " B");
		i.barrier = b && b < end ? (uint8_t)strtoul(b + 2, NULL, 10) : 0;
	}
	if (i.kind == SASS_BRA || i.kind == SASS_BRX || i.kind == SASS_BSSY || i.kind == SASS_APART)
		read_targets(r, &i, s, end);
	if (i.kind == SASS_ROUTINE) {
		const char *name = strchr(s, '$');
		*vec_push(&r->calls) = (Named_routine){ name, strcspn(name, ")\n"), r->to->insts.n };
	}
	*vec_push(&r->to->insts) = i;
}

static void
read_line(Sass_reader *r, const char *s, const char *end)
{
	s += strspn(s, " \t");
	size_t n = (size_t)(end - s);
	if (text_starts_with(s, "//##"))
		read_place(r, s);
	else if (text_starts_with(s, "/*") && n > 4 && strchr("0123456789abcdef", s[2]))
		read_instruction(r, s + 3 + strcspn(s + 2, "/\n"), end);
	else if (text_starts_with(s, ".section"))
		end_function(r);
	else if (n > 1 && end[-1] == ':')
		read_label(r, s, n - 1);
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Converts label numbers to instructions; an undefined label becomes the instruction itself. */
static void
resolve_labels(Sass_reader *r)
{
	for (uint32_t k = 0; k < r->to->insts.n; k++) {
		const Sass_inst *i = &r->to->insts.at[k];
		for (uint32_t t = i->to; t < i->to + i->nto; t++) {
			uint32_t *at = &r->to->targets.at[t];
			*at = *at < r->labels.n && r->labels.at[*at] ? r->labels.at[*at] - 1 : k;
		}
	}
}

static void
find_routines(Sass_reader *r)
{
	for (uint32_t c = 0; c < r->calls.n; c++) {
		const Named_routine *call = &r->calls.at[c];
		Sass_inst *i = &r->to->insts.at[call->inst];
		for (uint32_t k = 0; k < r->begins.n && !i->nto; k++) {
			const Named_routine *f = &r->begins.at[k];
			if (f->length != call->length || memcmp(f->name, call->name, f->length))
				continue;
			i->to = r->to->targets.n;
			i->nto = 1;
			*vec_push(&r->to->targets) = f->inst;
		}
	}
}

Sass *
sass_read(const char *text)
{
	Sass_reader r = { .to = xmalloc(sizeof *r.to) };
	*r.to = (Sass){ 0 };
	for (const char *end; *text; text = end + (*end == '\n')) {
		end = text + strcspn(text, "\n");
		read_line(&r, text, end);
	}
	end_function(&r);
	resolve_labels(&r);
	find_routines(&r);
	vec_free(&r.labels);
	vec_free(&r.calls);
	vec_free(&r.begins);
	return r.to;
}

void
sass_free(Sass *s)
{
	if (!s)
		return;
	vec_free(&s->funcs);
	vec_free(&s->insts);
	vec_free(&s->targets);
	xfree(s);
}

const Sass_func *
sass_find(const Sass *s, const char *name, size_t length)
{
	for (uint32_t k = 0; k < s->funcs.n; k++) {
		const Sass_func *f = &s->funcs.at[k];
		if (f->length == length && !memcmp(f->name, name, length) && f->end > f->first)
			return f;
	}
	return NULL;
}
