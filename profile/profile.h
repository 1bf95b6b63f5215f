/* SPDX-License-Identifier: MIT */
/* Profiles: how often the cuts of a program were come to, in runs of it (docs/profiles.md).
 *
 *	Profile p = profile_new();
 *	profile_read(&p, text, len, &what_is_wrong);    several files add up
 *	profile_settle(&p);                             one record a cut, in order of their places
 *	profile_write(&p, &buf);
 *
 * A cut is known by its place in the CUDA source, the places where that code was inlined, the
 * function in the PTX, and a hash of its code. Counts are added by key: runs of one program, and of
 * its parts.
 */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include "analysis/region/execution_counts.h"
#include "base/buf.h"
#include "base/vec.h"

typedef struct {
	const char *kind;       /* of the annotation, as markers spell it: "if", "for-var" */
	Cuda_pos at;            /* column 0: not known */
	Cuda_pos *inlined; uint32_t ninlined; /* innermost first; none: not, or not known */
	const char *function;
	uint64_t hash;          /* of its code, whatever its registers are called (key.c) */
} Profile_key;

/* What is known of a cut: how often it was come to, and what its site is to be made of. */
typedef struct {
	Profile_key key;
	bool counted; Frequency counts;
	/* "queue(4)", "leave", "auto", of the site that the cut is in, and the ptxccc that it was
	 * measured with; NULL: nothing was chosen */
	const char *choice, *by;
	uint32_t order;         /* in which records came: of several choices the last one counts */
} Profile_record;

/* What memory behind the caches gives a multiprocessor in so many of its cycles, on the GPUs that
 * have counted; 0: none has, or none has said it. */
typedef struct { uint64_t bytes, cycles; } Profile_memory;

typedef struct {
	Arena *arena;           /* of the keys */
	Profile_memory memory;
	VEC(Profile_record) records;
	uint32_t next;          /* record's order */
	/* who asks has no annotations: a record is found by its place, which is that of the
	 * statement or a line or two above it; its code may be other code, and nothing is chosen */
	bool by_place;
} Profile;

Profile profile_new(void);
void profile_release(Profile *p);

/* The key of a cut; in arena a. */
Profile_key profile_key(const Fn *fn, const Region *cut, Arena *a);

/* Adds a record, its key copied. Of the counts, lanes, warps and histogram[0] follow from the
 * others, and need not be there. */
void profile_add(Profile *p, const Profile_key *key, const Frequency *counts);
/* Adds what a GPU's memory gives. */
void profile_add_memory(Profile *p, Profile_memory m);
/* Adds a record with a choice, all copied. */
void profile_choose(Profile *p, const Profile_key *key, const char *choice, const char *by);
/* Adds all of another, each count so many times. */
void profile_merge(Profile *to, const Profile *from, uint32_t weight);
/* Sorts the records, and adds up those of one key. */
void profile_settle(Profile *p);

/* The records as text (text.c); a key alone: the lines that begin a record. Version 2 has choices,
 * version 3 entries and blocks, version 4 launches, and runs compared with those before, version 5
 * where memory is, version 6 how fast: a profile is written as the first that has what it has. */
enum { PROFILE_VERSIONS = 6, PROFILE_CHOICES = 2, PROFILE_BLOCKS = 3, PROFILE_LAUNCHES = 4,
	PROFILE_PLACES = 5, PROFILE_MEMORY = 6 };
void profile_write(const Profile *p, Buf *out);
void profile_put_key(const Profile_key *k, Buf *out);
/* Adds the records of a text, those up to a fault. False: there is one; *said: where and
 * which. */
bool profile_read(Profile *p, const char *text, size_t len, Buf *said);

/* How alike are they? For each cut the smaller of its two shares of all lanes that came to cuts;
 * their sum, 0 to 1. */
double profile_overlap(const Profile *a, const Profile *b);
/* Bytes that memory gives a multiprocessor in a cycle; 0: not known. */
double profile_memory(const Profile *p);
/* A table for people. */
void profile_show(const Profile *p, Buf *out);

/* ---- for who compiles ------------------------------------------------------------------------ */

typedef enum {
	PROFILE_NONE,           /* nothing is known of the cut's place */
	PROFILE_STALE,          /* of the place, but its code is another */
	PROFILE_FOUND
} Profile_match;

/* What is known of a cut. *sum: of all records that are its; where places of inlining or functions
 * are not known, or have other names, those of its place and code. */
Profile_match profile_find(const Profile *p, const Profile_key *key, Frequency *sum);
/* What was chosen for the site of a cut, by the last of the records that fit best. FOUND or STALE:
 * *r is that record. */
Profile_match profile_chosen(const Profile *p, const Profile_key *key, const Profile_record **r);
/* Has it any counts? Who has none says nothing about what was not run. */
bool profile_counts(const Profile *p);

#endif
