/* SPDX-License-Identifier: MIT */
/* Profiles as text: a line with the version, then records of several lines each.
 *
 *	cccprof 6
 *	memory 4814304000 261360000
 *	cut if "bfs.cu":14:3 _Z3bfsPKi 0123456789abcdef
 *	inlined "main.cu":20:5
 *	iterations 4096 128
 *	entries 256 8
 *	launches 2
 *	lanes 1:20 2:30 32:1
 *	trips 5000 900 140
 *	again 60
 *	block 1 12000 700 150000 31 60 3000
 *	atomics 620 620 600 310
 *	sectors 620 1240 155
 *	choice queue(4) 0.2.0
 *	end
 *
 * Files can be concatenated: records of one profile point add up, and the version line may occur
 * again. So runs append to a file, each with one write, and an incomplete record of a killed run
 * does not affect others. A record has counts, or a choice and the ptxccc version that measured it,
 * or both; of several choices the last one counts. The memory bandwidth is outside of records.
 * Blank lines and lines that begin with '#' are ignored. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "profile/profile.h"

/* ---- writing --------------------------------------------------------------------------------- */

typedef unsigned long long Ull; /* the type of printf's %llu */

static void
put_place(Cuda_pos at, Buf *out)
{
	buf_putc(out, '"');
	annot_put_escaped(out, at.file, strlen(at.file), "");
	buf_printf(out, "\":%u:%u", at.line, at.col);
}

void
profile_put_key(const Profile_key *k, Buf *out)
{
	buf_puts(out, "cut ");
	annot_put_escaped(out, k->kind, strlen(k->kind), "");
	buf_putc(out, ' ');
	put_place(k->at, out);
	buf_putc(out, ' ');
	annot_put_escaped(out, k->function, strlen(k->function), "$%");
	buf_printf(out, " %016llx\n", (Ull)k->hash);
	for (uint32_t i = 0; i < k->ninlined; i++) {
		buf_puts(out, "inlined ");
		put_place(k->inlined[i], out);
		buf_putc(out, '\n');
	}
}

static void
put_counts(const Frequency *f, Buf *out)
{
	buf_printf(out, "iterations %llu %llu\n", (Ull)f->iterations, (Ull)f->rounds);
	if (f->entries)
		buf_printf(out, "entries %llu %llu\n", (Ull)f->entries, (Ull)f->entered);
	if (f->launches)
		buf_printf(out, "launches %llu\n", (Ull)f->launches);
	if (f->warps) {
		buf_puts(out, "lanes");
		for (uint32_t k = 1; k < 33; k++)
			if (f->histogram[k])
				buf_printf(out, " %u:%llu", k, (Ull)f->histogram[k]);
		buf_putc(out, '\n');
	}
	if (f->trips && f->last)
		buf_printf(out, "trips %llu %llu %llu\n", (Ull)f->trips, (Ull)f->longest, (Ull)f->last);
	else if (f->trips)
		buf_printf(out, "trips %llu %llu\n", (Ull)f->trips, (Ull)f->longest);
	if (f->again)
		buf_printf(out, "again %llu\n", (Ull)f->again);
	for (uint32_t k = 0; k < f->nblocks; k++) {
		const Frequency_block *b = &f->blocks[k];
		buf_printf(out, "block %u %llu %llu %llu %llu", k + 1, (Ull)b->runs,
			(Ull)b->longest, (Ull)b->squares, (Ull)b->most);
		if (f->launches || f->again)
			buf_printf(out, " %llu %llu", (Ull)b->last, (Ull)b->changes);
		buf_putc(out, '\n');
	}
	if (f->atomics.runs)
		buf_printf(out, "atomics %llu %llu %llu %llu\n", (Ull)f->atomics.runs,
			(Ull)f->atomics.done, (Ull)f->atomics.compared, (Ull)f->atomics.same);
	if (f->loads.runs)
		buf_printf(out, "sectors %llu %llu %llu\n", (Ull)f->loads.runs,
			(Ull)f->loads.sectors, (Ull)f->loads.missed);
}

static void
put_record(const Profile_record *r, Buf *out)
{
	profile_put_key(&r->key, out);
	if (r->counted)
		put_counts(&r->counts, out);
	if (r->choice) {
		buf_puts(out, "choice ");
		annot_put_escaped(out, r->choice, strlen(r->choice), "()");
		buf_putc(out, ' ');
		annot_put_escaped(out, r->by, strlen(r->by), "");
		buf_putc(out, '\n');
	}
	buf_puts(out, "end\n");
}

static uint32_t
version_of(const Profile_record *r)
{
	const Frequency *f = &r->counts;

	return f->atomics.runs || f->loads.runs ? PROFILE_PLACES :
		f->launches || f->again		? PROFILE_LAUNCHES :
		f->nblocks || f->entries	? PROFILE_BLOCKS :
		r->choice			? PROFILE_CHOICES : 1;
}

void
profile_write(const Profile *p, Buf *out)
{
	uint32_t version = p->memory.cycles ? PROFILE_MEMORY : 1;

	for (uint32_t i = 0; i < p->records.n; i++)
		if (version_of(&p->records.at[i]) > version)
			version = version_of(&p->records.at[i]);
	buf_printf(out, "cccprof %u\n", version);
	if (p->memory.cycles)
		buf_printf(out, "memory %llu %llu\n", (Ull)p->memory.bytes, (Ull)p->memory.cycles);
	for (uint32_t i = 0; i < p->records.n; i++)
		put_record(&p->records.at[i], out);
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct {
	const char *at, *end;   /* current line */
	const char *wrong;      /* error in it, or NULL */
	Arena *arena;
} Line;

static void
blanks(Line *l)
{
	while (l->at < l->end && (*l->at == ' ' || *l->at == '\t' || *l->at == '\r'))
		l->at++;
}

static void
wrong(Line *l, const char *what)
{
	if (!l->wrong)
		l->wrong = what;
}

/* Reads a word up to a blank; "" if there is none. */
static const char *
word(Line *l)
{
	const char *s = l->at;

	while (l->at < l->end && *l->at != ' ' && *l->at != '\t' && *l->at != '\r')
		l->at++;
	char *to = arena_alloc(l->arena, (size_t)(l->at - s) + 1);
	if (!annot_unescape(s, (size_t)(l->at - s), to))
		wrong(l, "'=' must be followed by two hexadecimal digits");
	blanks(l);
	return to;
}

static uint64_t
number(Line *l, int base)
{
	uint64_t v = 0;
	const char *s = l->at;

	for (; l->at < l->end; l->at++) {
		char c = *l->at;
		int d = c >= '0' && c <= '9' ? c - '0' :
			c >= 'a' && c <= 'f' ? c - 'a' + 10 :
					       base;
		if (d >= base)
			break;
		if (v > (UINT64_MAX - (uint64_t)d) / (uint64_t)base)
			wrong(l, "the number is too large");
		v = v * (uint64_t)base + (uint64_t)d;
	}
	if (l->at == s)
		wrong(l, "a number is missing");
	return v;
}

static uint32_t
small(Line *l)
{
	uint64_t v = number(l, 10);

	if (v > UINT32_MAX)
		wrong(l, "the number is too large");
	return (uint32_t)v;
}

static void
mark(Line *l, char c)
{
	if (l->at < l->end && *l->at == c)
		l->at++;
	else
		wrong(l, c == '"' ? "a file's name in quotes is missing" : "a colon is missing");
}

static Cuda_pos
place(Line *l)
{
	Cuda_pos p = { .file = "" };

	mark(l, '"');
	const char *s = l->at;
	while (l->at < l->end && *l->at != '"')
		l->at++;
	char *file = arena_alloc(l->arena, (size_t)(l->at - s) + 1);
	if (!annot_unescape(s, (size_t)(l->at - s), file))
		wrong(l, "'=' must be followed by two hexadecimal digits");
	p.file = file;
	mark(l, '"');
	mark(l, ':');
	p.line = small(l);
	mark(l, ':');
	p.col = small(l);
	blanks(l);
	return p;
}

static void
histogram(Line *l, Frequency *f)
{
	while (l->at < l->end && !l->wrong) {
		uint32_t k = small(l);
		mark(l, ':');
		uint64_t n = number(l, 10);
		blanks(l);
		if (k < 1 || k > 32)
			wrong(l, "a warp has 1 to 32 lanes");
		else if (!l->wrong)
			f->histogram[k] = n;
	}
}

/* The current record. */
typedef struct {
	Profile_record r;
	VEC(Cuda_pos) inlined;
	bool open;              /* its end is missing so far */
} Reading;

static void
key(Line *l, Profile_key *k)
{
	*k = (Profile_key){ .kind = word(l) };
	k->at = place(l);
	k->function = word(l);
	k->hash = number(l, 16);
	if (!*k->kind || !*k->function)
		wrong(l, "a name is missing");
}

static void
pair(Line *l, uint64_t *a, uint64_t *b)
{
	*a = number(l, 10);
	blanks(l);
	*b = number(l, 10);
}

/* Whether the line continues. Older profiles have fewer numbers. */
static bool
more(Line *l)
{
	blanks(l);
	return l->at < l->end;
}

static void
trips(Line *l, Frequency *f)
{
	pair(l, &f->trips, &f->longest);
	if (more(l))
		f->last = number(l, 10);
}

/* Blocks must be in order. */
static void
block(Line *l, Frequency *f)
{
	uint32_t k = small(l);

	blanks(l);
	if (k != f->nblocks + 1 || k > FREQUENCY_BLOCKS) {
		wrong(l, "a cut's blocks have numbers from 1 to 16, in order");
		return;
	}
	Frequency_block *b = &f->blocks[f->nblocks++];
	pair(l, &b->runs, &b->longest);
	blanks(l);
	pair(l, &b->squares, &b->most);
	if (more(l))
		pair(l, &b->last, &b->changes);
}

static void
atomics(Line *l, Frequency_atomics *a)
{
	pair(l, &a->runs, &a->done);
	blanks(l);
	pair(l, &a->compared, &a->same);
}

static void
sectors(Line *l, Frequency_loads *f)
{
	pair(l, &f->runs, &f->sectors);
	blanks(l);
	f->missed = number(l, 10);
}

static void
choice(Line *l, Profile_record *r)
{
	r->choice = word(l);
	r->by = word(l);
	if (!*r->choice || !*r->by)
		wrong(l, "a choice has a policy and a version");
}

/* Adds it immediately, since it belongs to no record. */
static void
memory(Line *l, Profile *p)
{
	Profile_memory m;

	pair(l, &m.bytes, &m.cycles);
	if (!l->wrong && (!m.bytes || !m.cycles))
		wrong(l, "memory gives some bytes in some cycles");
	if (!l->wrong)
		profile_add_memory(p, m);
}

/* Adds a complete record. One without counts or choice is of code that did not run. */
static void
keep(Reading *x, Profile *p)
{
	Profile_record *r = &x->r;

	r->key.inlined = x->inlined.at;
	r->key.ninlined = x->inlined.n;
	if (r->counted || !r->choice)
		profile_add(p, &r->key, &r->counts);
	if (r->choice)
		profile_choose(p, &r->key, r->choice, r->by);
}

/* Reads a line of a record. */
static void
line_of_record(Line *l, const char *what, Reading *x)
{
	Frequency *f = &x->r.counts;

	if (!x->open)
		wrong(l, "no record, which 'cut' begins, is open");
	else if (strcmp(what, "inlined") == 0)
		*vec_push(&x->inlined) = place(l);
	else if (strcmp(what, "choice") == 0)
		choice(l, &x->r);
	else if (strcmp(what, "iterations") == 0)
		x->r.counted = true, pair(l, &f->iterations, &f->rounds);
	else if (strcmp(what, "entries") == 0)
		x->r.counted = true, pair(l, &f->entries, &f->entered);
	else if (strcmp(what, "lanes") == 0)
		x->r.counted = true, histogram(l, f);
	else if (strcmp(what, "trips") == 0)
		x->r.counted = true, trips(l, f);
	else if (strcmp(what, "launches") == 0)
		x->r.counted = true, f->launches = number(l, 10);
	else if (strcmp(what, "again") == 0)
		x->r.counted = true, f->again = number(l, 10);
	else if (strcmp(what, "block") == 0)
		x->r.counted = true, block(l, f);
	else if (strcmp(what, "atomics") == 0)
		x->r.counted = true, atomics(l, &f->atomics);
	else if (strcmp(what, "sectors") == 0)
		x->r.counted = true, sectors(l, &f->loads);
	else if (strcmp(what, "end") == 0)
		x->open = false;
	else
		wrong(l,
			"expected 'memory', 'cut', 'inlined', 'iterations', 'entries', 'launches', 'lanes', 'trips', 'again', 'block', 'atomics', 'sectors', 'choice' or 'end'");
}

static void
read_line(Line *l, Reading *x, Profile *p)
{
	blanks(l);
	if (l->at == l->end || *l->at == '#')
		return;
	const char *what = word(l);
	if (strcmp(what, "cccprof") == 0) {
		uint64_t version = number(l, 10);
		if (version < 1 || version > PROFILE_VERSIONS)
			wrong(l, "its version is none of 1 to 6: another ptxccc made it");
		x->open = false; /* a run was killed while writing */
	} else if (strcmp(what, "cut") == 0) {
		x->r = (Profile_record){ 0 };
		x->inlined.n = 0;
		x->open = true;
		key(l, &x->r.key);
	} else if (strcmp(what, "memory") == 0 && !x->open) {
		memory(l, p);
	} else {
		line_of_record(l, what, x);
	}
	blanks(l);
	if (l->at < l->end)
		wrong(l, "there is more in the line than there should be");
	if (!l->wrong && strcmp(what, "end") == 0)
		keep(x, p);
}

bool
profile_read(Profile *p, const char *text, size_t len, Buf *said)
{
	const char *end = text + len, *s = text;
	Reading x = { .open = false };
	Line l = { .arena = arena_new() };
	uint32_t n = 0;
	bool ours = len >= 8 && memcmp(text, "cccprof ", 8) == 0;

	if (!ours)
		buf_puts(said, "it is no profile: its first line is not 'cccprof 1'");
	for (const char *next; ours && s < end && !l.wrong; s = next) {
		const char *stop = memchr(s, '\n', (size_t)(end - s));
		next = stop ? stop + 1 : end;
		l.at = s;
		l.end = stop ? stop : end;
		n++;
		read_line(&l, &x, p);
	}
	if (l.wrong)
		buf_printf(said, "line %u: %s", n, l.wrong);
	vec_free(&x.inlined);
	arena_free(l.arena);
	return ours && !l.wrong;
}
