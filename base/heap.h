/* SPDX-License-Identifier: MIT */
/* Memory allocation, and handling of its failure.
 *
 * No caller of xmalloc and the others checks for NULL, and a bug found at run time ends in die().
 * In a program both end the process with a message (console.c). A library must not: it works inside
 * heap_run() with its own heap. A failure then leaves heap_run(), and the heap, which knows every
 * block allocated while it was current, frees them all, including those of incomplete data
 * structures.
 *
 * The current heap is thread-local: threads with a heap each are independent. */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/* malloc and realloc that never return NULL, and free (p may be NULL). Memory from these must be
 * freed with xfree. */
void *xmalloc(size_t size);
void *xrealloc(void *p, size_t size);
void xfree(void *p);
/* Fails like xmalloc; for sizes that cannot be allocated. */
_Noreturn void out_of_memory(void);
/* Reports an internal error: a bug in this program. */
_Noreturn void die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
#define ASSERT(x) ((x) ? (void)0 : die("%s:%d: '%s' does not hold", __FILE__, __LINE__, #x))

/* Resizes p (NULL: a new block) to size bytes, aligned as by malloc. Returns NULL on failure; p is
 * then unchanged. size 0: frees p. */
typedef void *Heap_allocate(void *user, void *p, size_t size);

typedef struct Heap_block Heap_block;
struct Heap_block { Heap_block *prev, *next; }; /* both NULL: allocated without a heap */

typedef struct {
	Heap_allocate *allocate;
	void *user;
	Heap_block blocks;      /* circular list */
	void *top;              /* jmp_buf of the active heap_run */
	char bug[200];          /* after HEAP_BUG: the message of die() */
} Heap;

typedef enum { HEAP_DONE, HEAP_NO_MEMORY, HEAP_BUG } Heap_end;

/* allocate NULL: the C library's allocator */
void heap_init(Heap *h, Heap_allocate *allocate, void *user);
/* Calls work(arg) with h as this thread's heap, until it returns or fails. Blocks that it did not
 * free remain allocated. */
Heap_end heap_run(Heap *h, void (*work)(void *), void *arg);
/* Frees all blocks of the heap. */
void heap_clear(Heap *h);

/* Ends the process on failure without a heap. bug: an internal error. For programs: console.c. */
_Noreturn void fatal(bool bug, const char *text);

#endif
