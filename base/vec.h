/* SPDX-License-Identifier: MIT */
/* Growable array of any element type.
 *
 *	typedef VEC(int) Ints;
 *	Ints v = {0};  *vec_push(&v) = 3; for (uint32_t i = 0; i < v.n; i++) use(v.at[i]);
 *	               vec_free(&v);
 *
 * vec_push returns the address of the new last element, uninitialised; it is valid until the next
 * push. */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VEC(T) struct { T *at; uint32_t n, cap; }

#define vec_push(v) \
	((v)->n == (v)->cap ? ((v)->at = vec_grow((v)->at, &(v)->cap, sizeof *(v)->at)) : (v)->at, \
		&(v)->at[(v)->n++])
#define vec_pop(v) (&(v)->at[--(v)->n])
#define vec_free(v) (vec_release((v)->at), (v)->at = NULL, (v)->n = (v)->cap = 0)

/* Iterates over the ids in list[from .. end): IDS_EACH(edges, first[i], first[i + 1], to)
 * use(to); */
#define IDS_EACH(list, from, end, id) \
	for (uint32_t id = 0, id##_at = (from), id##_end = (end); \
		id##_at < id##_end && (id = (list)[id##_at], true); id##_at++)

/* Doubles the capacity, in elements of size bytes, of an array. */
void *vec_grow(void *at, uint32_t *cap, size_t size);
void vec_release(void *at);

#endif
