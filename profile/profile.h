/* SPDX-License-Identifier: MIT */
/* Profiles: execution counts of a program's profile points (docs/profiles.md).
 *
 *	Profile p = profile_new();
 *	profile_read(&p, text, len, &what_is_wrong);    several files add up
 *	profile_sort_and_merge(&p);                     one record per point, sorted by position
 *	profile_write(&p, &buf);
 *
 * A profile point is identified by its position in the CUDA source, the positions where that code
 * was inlined, the function in the PTX, and a hash of its code. Counts with equal keys are added:
 * of runs of one program, and of its translation units. */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include "analysis/region/execution_counts.h"
#include "base/buf.h"
#include "base/vec.h"

typedef struct {
	const char *kind;       /* of the annotation, spelled as in markers: "if", "for-var" */
	Cuda_pos at;            /* column 0: unknown */
	Cuda_pos *inlined; uint32_t ninlined; /* innermost first; none: not inlined, or unknown */
	const char *function;
	/* of the code, independent of register names (key.c); of a record 0: it is for any code */
	uint64_t hash;
	/* for a look-up: the annotation was inserted by suggest/, so records are matched by
	 * position, which is that of the statement or up to two lines above it; the code may
	 * differ, and choices are ignored */
	bool by_place;
} Profile_key;

/* The counts of a profile point, and the policy chosen for its site. */
typedef struct {
	Profile_key key;
	bool counted; Execution_counts counts;
	/* "queue(4)", "leave", "auto": choice for the site of the profile point, and the ptxccc
	 * version that measured it; NULL: no choice */
	const char *choice, *by;
	uint32_t order;         /* input order of the records: the last of several choices counts */
} Profile_record;

/* Memory bandwidth of a multiprocessor, without the caches: bytes transferred in a number of its
 * cycles, summed over the GPUs that measured it; 0: unknown. */
typedef struct { uint64_t bytes, cycles; } Profile_memory;

typedef struct {
	Arena *arena;           /* holds the keys */
	Profile_memory memory;
	VEC(Profile_record) records;
	uint32_t next;          /* order of the next record */
} Profile;

Profile profile_new(void);
void profile_release(Profile *p);

/* Whether two compilations name the same file: bfs.cu, /home/me/bfs.cu. */
bool profile_same_file(const char *a, const char *b);

/* Returns the key of a profile point, allocated in arena a. */
Profile_key profile_key(const Fn *fn, const Region *point, Arena *a);

/* Adds a record and copies its key. Ignores lanes, warps and histogram[0] of the counts, which
 * follow from the others. */
void profile_add(Profile *p, const Profile_key *key, const Execution_counts *counts);
/* Adds a measured memory bandwidth. */
void profile_add_memory(Profile *p, Profile_memory m);
/* Adds a record with a choice; copies everything. */
void profile_add_choice(Profile *p, const Profile_key *key, const char *choice, const char *by);
/* Adds all records of another profile, with counts multiplied by weight. */
void profile_merge(Profile *to, const Profile *from, uint32_t weight);
/* Sorts the records, and adds up records with equal keys. */
void profile_sort_and_merge(Profile *p);

/* Write the records as text (text.c), or only a key: the lines that begin a record. Version 2 has
 * choices, version 3 entries and blocks, version 4 launches and comparisons of successive
 * executions, version 5 the locality of memory accesses, version 6 the memory bandwidth and the
 * largest block, version 7 exits and whole executions, version 8 sampling, version 9 iterations
 * that lanes ran apart, version 10 multiprocessors. A profile is written in the lowest version that
 * has all of its data. */
enum { PROFILE_VERSIONS = 10, PROFILE_CHOICES = 2, PROFILE_BLOCKS = 3, PROFILE_LAUNCHES = 4,
	PROFILE_PLACES = 5, PROFILE_MEMORY = 6, PROFILE_SIZES = 6, PROFILE_EXITS = 7,
	PROFILE_SAMPLED = 8, PROFILE_APART = 9, PROFILE_GPU = 10 };
void profile_write(const Profile *p, Buf *out);
void profile_put_key(const Profile_key *k, Buf *out);
/* Adds the records of a text, up to the first error. Returns false if there is an error; *said: its
 * position and message. */
bool profile_read(Profile *p, const char *text, size_t len, Buf *said);

/* Returns the similarity of two profiles, 0 to 1: the sum, over the profile points, of the smaller
 * of the two shares of lane executions. */
double profile_overlap(const Profile *a, const Profile *b);
/* Returns the memory bandwidth in bytes per cycle and multiprocessor; 0: unknown. */
double profile_memory(const Profile *p);
/* Returns the multiprocessors of the largest GPU that counted; 0: unknown. */
uint64_t profile_multiprocessors(const Profile *p);
/* Prints a table for users. */
void profile_show(const Profile *p, Buf *out);

/* ---- queries of the compiler ----------------------------------------------------------------- */

typedef enum {
	PROFILE_NONE,           /* nothing is known about the position */
	PROFILE_STALE,          /* the position is known, but its code has changed */
	PROFILE_FOUND
} Profile_match;

/* Finds the counts of a profile point. *sum: of all records that match it; if inline positions or
 * functions are unknown or renamed, of the records with its position and code. */
Profile_match profile_find(const Profile *p, const Profile_key *key, Execution_counts *sum);
/* Finds the counts of a profile point whose function had no annotations when it was counted. added:
 * number of lines with annotations, up to this one, that the source did not have then either. *at:
 * the place of the records. Returns how many lines that is away from the annotated statement; -1:
 * there are none. */
int profile_find_added(const Profile *p, const Profile_key *key, uint32_t added,
	Execution_counts *sum, Cuda_pos *at);
/* Finds the choice for the site of a profile point, the last one of the records that match best.
 * FOUND or STALE: *r is that record. */
Profile_match profile_find_choice(
	const Profile *p, const Profile_key *key, const Profile_record **r);
/* Adds up the counts of a candidate of --ccc-auto: of the records of that kind in the function at
 * that line and column. False: there are none. */
bool profile_find_candidate(const Profile *p, const char *kind, Cuda_pos at, const char *function,
	Execution_counts *sum);
/* Whether the profile has any counts. Without counts it says nothing about code that did not
 * run. */
bool profile_counts(const Profile *p);
/* Whether it has counts of the function with this name of n bytes, in the file if that is given. */
bool profile_has_function(const Profile *p, const char *name, size_t n, const char *file);
/* Whether two files differ; false if one of them cannot be read. */
typedef struct {
	bool (*differ)(void *user, const char *a, const char *b); void *user;
} Files_compared;
/* Renames the files of records that were made in another folder to those of the module: with the
 * same base name, and a place in the module for each record of its functions. Renames nothing if
 * several files can be meant or the files differ. Returns FOUND if the module's functions have
 * records, STALE if only in other files; *source: its first place. */
Profile_match profile_relocate(
	Profile *p, const Module *m, const Files_compared *compare, Cuda_pos *source);

#endif
