/* SPDX-License-Identifier: MIT */
/* The heap: every block has a header that links it in its heap's list. See heap.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/heap.h"

/* Keeps the memory after it aligned for any type. */
typedef union { Heap_block block; max_align_t align; } Block_head;

static _Thread_local Heap *current; /* set inside heap_run */

static void *
allocate_libc(void *user, void *p, size_t size)
{
	(void)user;
	if (size)
		return realloc(p, size);
	free(p);
	return NULL;
}

/* ---- failure --------------------------------------------------------------------------------- */

_Noreturn void
out_of_memory(void)
{
	if (current)
		longjmp(*(jmp_buf *)current->top, HEAP_NO_MEMORY);
	fatal(false, "out of memory");
}

_Noreturn void
die(const char *fmt, ...)
{
	char text[sizeof current->bug];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(current ? current->bug : text, sizeof text, fmt, ap);
	va_end(ap);
	if (current)
		longjmp(*(jmp_buf *)current->top, HEAP_BUG);
	fatal(true, text);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void
link_block(Heap *h, Heap_block *b)
{
	b->prev = &h->blocks;
	b->next = h->blocks.next;
	b->next->prev = b->prev->next = b;
}

static void *
resize_block(Block_head *old, size_t size)
{
	Heap_allocate *allocate = current ? current->allocate : allocate_libc;
	Block_head *b = size > SIZE_MAX / 2 ?
		NULL :
		allocate(current ? current->user : NULL, old, size + sizeof *b);

	if (!b)
		out_of_memory();
	return b;
}

void *
xmalloc(size_t size)
{
	Block_head *b = resize_block(NULL, size);

	b->block = (Heap_block){ 0 };
	if (current)
		link_block(current, &b->block);
	return b + 1;
}

void *
xrealloc(void *p, size_t size)
{
	if (!p)
		return xmalloc(size);
	Block_head *b = resize_block((Block_head *)p - 1, size);
	if (b->block.next)
		b->block.next->prev = b->block.prev->next = &b->block;
	return b + 1;
}

void
xfree(void *p)
{
	if (!p)
		return;
	Block_head *b = (Block_head *)p - 1;
	if (b->block.next) {
		b->block.next->prev = b->block.prev;
		b->block.prev->next = b->block.next;
	}
	if (current)
		current->allocate(current->user, b, 0);
	else
		free(b);
}

/* ---- heaps ----------------------------------------------------------------------------------- */

void
heap_init(Heap *h, Heap_allocate *allocate, void *user)
{
	*h = (Heap){ .allocate = allocate ? allocate : allocate_libc, .user = user };
	h->blocks.prev = h->blocks.next = &h->blocks;
}

Heap_end
heap_run(Heap *h, void (*work)(void *), void *arg)
{
	jmp_buf top;
	Heap *outer = current;
	Heap_end end;

	h->top = &top;
	current = h;
	switch (setjmp(top)) {
	case 0:
		work(arg);
		end = HEAP_DONE;
		break;
	case HEAP_NO_MEMORY:
		end = HEAP_NO_MEMORY;
		break;
	default:
		end = HEAP_BUG;
		break;
	}
	current = outer;
	h->top = NULL;
	return end;
}

void
heap_clear(Heap *h)
{
	for (Heap_block *b = h->blocks.next, *next; b != &h->blocks; b = next) {
		next = b->next;
		h->allocate(h->user, b, 0);
	}
	h->blocks.prev = h->blocks.next = &h->blocks;
}
