/* SPDX-License-Identifier: MIT */
/* The annotations of ptxccc as macros.
 *
 *	CCC_FOR(threads(BLOCK))
 *	for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x)
 *		CCC_IF()
 *		if (level[v] == current)
 *			visit(v);
 *
 * They are equivalent to `#pragma ccc for threads(256)` etc. In addition, they can be used in
 * other macros, macros in their clauses are expanded, and compilers other than cccnvcc do not
 * warn about them. Clauses are separated by spaces; docs/annotations.md lists them. The macros
 * are prefixes of statements: write no semicolon after them. */
#ifndef PTXCCC_CCC_H
#define PTXCCC_CCC_H

#define CCC_FOR(...)       CCC_ANNOTATION(for __VA_ARGS__)       /* iterations are independent */
#define CCC_FOR_CONST(...) CCC_ANNOTATION(for const __VA_ARGS__) /* the same */
/* inner loops with a known trip count */
#define CCC_FOR_VAR(...)   CCC_ANNOTATION(for var __VA_ARGS__)
/* inner loops with an unknown trip count */
#define CCC_WHILE(...)     CCC_ANNOTATION(while __VA_ARGS__)
#define CCC_IF(...)        CCC_ANNOTATION(if __VA_ARGS__)        /* the then-statement is a path */
/* the else-statement is a path, too */
#define CCC_IF_ELSE(...)   CCC_ANNOTATION(if else __VA_ARGS__)
#define CCC_PATH(...)      CCC_ANNOTATION(path __VA_ARGS__)      /* the statement is a path */
#define CCC_SWITCH(...)    CCC_ANNOTATION(switch __VA_ARGS__)    /* each case is a path */
#define CCC_DISTRIBUTE(...) CCC_ANNOTATION(distribute __VA_ARGS__)   /* melds both statements */
#define CCC_DELAY(...)     CCC_ANNOTATION(delay __VA_ARGS__) /* alternates between its two sides */
#define CCC_UNIFY(...)     CCC_ANNOTATION(unify __VA_ARGS__) /* executes one side, then the other */
#define CCC_PREDICT(...)   CCC_ANNOTATION(predict __VA_ARGS__)      /* lanes wait before it */
#define CCC_REMAP(...)     CCC_ANNOTATION(remap __VA_ARGS__) /* threads exchange its executions */
#define CCC_ASSIGN(...)    CCC_ANNOTATION(assign __VA_ARGS__)       /* lanes draw iterations */
#define CCC_GRID(...)      CCC_ANNOTATION(grid __VA_ARGS__) /* a task loop around the kernel */

/* Only the device pass of nvcc and clang uses annotations. Plain nvcc would warn about each as an
 * unknown pragma (20199). */
#if (defined(__NVCC__) || defined(__clang__)) && defined(__CUDA_ARCH__)
#define CCC_ANNOTATION(...) CCC_PRAGMA(ccc __VA_ARGS__)
#define CCC_PRAGMA(...) _Pragma(#__VA_ARGS__)
#ifdef __NVCC_DIAG_PRAGMA_SUPPORT__
#pragma nv_diag_suppress 20199
#endif
#else
#define CCC_ANNOTATION(...)
#endif

#endif
