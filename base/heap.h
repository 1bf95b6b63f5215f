/* SPDX-License-Identifier: MIT */
/* Where memory comes from, and what happens when there is no more.
 *
 * No caller of xmalloc and its kin checks for NULL, and a bug found at run time ends in die(). In a
 * program both end the process with a message (console.c). A library may not: it does its work in
 * heap_run(), under a heap of its own. Then failure is a way out of heap_run(), and the heap, which
 * knows every block got while it was current, gives them all back, whatever half-built arrays and
 * tables they were part of.
 *
 * The current heap belongs to the thread: threads with a heap each do not meet.
 */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/* malloc and realloc that never return NULL, and free (p may be NULL). Memory from these goes back
 * by xfree only. */
void *xmalloc(size_t size);
void *xrealloc(void *p, size_t size);
void xfree(void *p);
/* For sizes that no memory can have. */
_Noreturn void out_of_memory(void);
/* An internal error: a bug in this program. */
_Noreturn void die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
#define ASSERT(x) ((x) ? (void)0 : die("%s:%d: '%s' does not hold", __FILE__, __LINE__, #x))

/* Resizes p (NULL: a new block) to size bytes, aligned as malloc does; NULL if that cannot be, and
 * p is then as before. size 0: frees p. */
typedef void *Heap_allocate(void *user, void *p, size_t size);

typedef struct Heap_block Heap_block;
struct Heap_block { Heap_block *prev, *next; }; /* both NULL: got under no heap */

typedef struct {
	Heap_allocate *allocate;
	void *user;
	Heap_block blocks;      /* a ring */
	void *top;              /* the jmp_buf of the heap_run going on */
	char bug[200];          /* after HEAP_BUG: what die() was told */
} Heap;

typedef enum { HEAP_DONE, HEAP_NO_MEMORY, HEAP_BUG } Heap_end;

void heap_init(Heap *h, Heap_allocate *allocate, void *user); /* allocate NULL: the C library's */
/* Calls work(arg) with h as this thread's heap, until it returns or fails. What it allocated and
 * did not free stays. */
Heap_end heap_run(Heap *h, void (*work)(void *), void *arg);
/* Gives back all blocks of the heap. */
void heap_clear(Heap *h);

/* What ends the process where there is no heap; never returns. bug: an internal error. Programs:
 * console.c. */
_Noreturn void fatal(bool bug, const char *text);

#endif
