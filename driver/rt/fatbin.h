/* SPDX-License-Identifier: MIT */
/* Reads fat binaries, in a running program (the runtime) or in a file
 * (tests/unit/fatbin_main.c).
 *
 * A fat binary is a container of entries: PTX and machine code for several architectures, each
 * optionally compressed. */
#ifndef DRIVER_RT_FATBIN_H
#define DRIVER_RT_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/source.h"

#define FATBIN_MAGIC 0xba55ed50u
/* The first line of what the emulator's linker makes in place of machine code. */
#define LINKED_TEXT "// linked by ptxrun"

typedef enum { FATBIN_PTX = 1, FATBIN_ELF = 2 } Fatbin_kind;

enum { FATBIN_LZ4 = 0x2000, FATBIN_ZSTD = 0x8000 }; /* flags: compressed */

/* An entry as stored in its container. */
typedef struct {
	uint32_t kind, arch;    /* 90: for sm_90 */
	uint64_t flags;
	uint64_t bytes, plain;  /* stored size, and size after decompression */
	const uint8_t *at;
} Fatbin_entry;

/* Returns the first entry of the container at p, and sets *end to the container's end. At most
 * room bytes are readable (SIZE_MAX: unknown). Returns NULL if p is not a container, or if it is
 * longer than that. */
const uint8_t *fatbin_open(const uint8_t *p, size_t room, const uint8_t **end);
/* Reads the entry at *at and advances *at past it. Returns false if there is no readable entry. */
bool fatbin_next(const uint8_t **at, const uint8_t *end, Fatbin_entry *e);
/* Returns the decompressed, NUL-terminated contents, to be freed with xfree. Returns NULL if
 * that fails; *why then advises the user. */
char *fatbin_contents(const Fatbin_entry *e, const char **why);
/* Whether the entry is compressed by a method whose library is not installed. */
bool fatbin_unreadable(const Fatbin_entry *e);

/* Whether p is a program's fat binary: a container, or the wrapper of one. */
bool fatbin_is(const void *p);
/* Returns the k-th part (from 0) of a program's fat binary: its container or, for linked device
 * code, the container of a translation unit. Returns NULL beyond the last part. */
const void *fatbin_part(const void *fatbin, uint32_t k);
/* Calls f for the target of each PTX entry of a part, with 90 for sm_90. Returns false if the
 * part is not a fat binary; *why then gives the reason. */
typedef void Fatbin_visit(void *user, uint32_t arch);
bool fatbin_targets(const void *part, Fatbin_visit *f, void *user, const char **why);
/* Reads the PTX for an architecture into src, under the name program.sm_90.ptx. Returns false on
 * failure; *why then advises the user. */
bool fatbin_ptx(const void *part, uint32_t arch, const char *program, Source *src,
	const char **why);

#endif
