/* SPDX-License-Identifier: MIT */
/* ccc.h: the annotations of ptxccc as macros.
 *
 *	CCC_FOR(threads(BLOCK))
 *	for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x)
 *		CCC_IF()
 *		if (level[v] == current)
 *			visit(v);
 *
 * They do what `#pragma ccc for threads(256)` does, and besides: they can stand in other macros,
 * macros in their clauses are expanded, and compilers other than cccnvcc say nothing about them.
 * Clauses are separated by blanks; docs/annotations.md lists them. The macros are statements'
 * prefixes, not statements: no semicolon behind them.
 */
#ifndef PTXCCC_CCC_H
#define PTXCCC_CCC_H

#define CCC_FOR(...)       CCC_ANNOTATION(for __VA_ARGS__)       /* iterations are independent */
#define CCC_FOR_CONST(...) CCC_ANNOTATION(for const __VA_ARGS__) /* the same */
#define CCC_FOR_VAR(...)   CCC_ANNOTATION(for var __VA_ARGS__)   /* inside: trip count differs */
#define CCC_WHILE(...)     CCC_ANNOTATION(while __VA_ARGS__)     /* inside: trip count unknown */
#define CCC_IF(...)        CCC_ANNOTATION(if __VA_ARGS__)        /* the then-statement is a path */
#define CCC_IF_ELSE(...)   CCC_ANNOTATION(if else __VA_ARGS__)   /* so is the else-statement */
#define CCC_PATH(...)      CCC_ANNOTATION(path __VA_ARGS__)      /* the statement is a path */
#define CCC_SWITCH(...)    CCC_ANNOTATION(switch __VA_ARGS__)    /* each case is a path */
#define CCC_DISTRIBUTE(...) CCC_ANNOTATION(distribute __VA_ARGS__)   /* both statements as one */
#define CCC_DELAY(...)     CCC_ANNOTATION(delay __VA_ARGS__)        /* its sides take turns */
#define CCC_UNIFY(...)     CCC_ANNOTATION(unify __VA_ARGS__)        /* one side, then the other */
#define CCC_PREDICT(...)   CCC_ANNOTATION(predict __VA_ARGS__)      /* lanes wait at it */
#define CCC_REMAP(...)     CCC_ANNOTATION(remap __VA_ARGS__)        /* threads exchange it */
#define CCC_ASSIGN(...)    CCC_ANNOTATION(assign __VA_ARGS__)       /* lanes draw iterations */
#define CCC_GRID(...)      CCC_ANNOTATION(grid __VA_ARGS__)         /* blocks stride */

/* Only nvcc's device pass looks at annotations. nvcc alone would warn of each as an unknown pragma
 * (20199). */
#if defined(__NVCC__) && defined(__CUDA_ARCH__)
#define CCC_ANNOTATION(...) CCC_PRAGMA(ccc __VA_ARGS__)
#define CCC_PRAGMA(...) _Pragma(#__VA_ARGS__)
#ifdef __NVCC_DIAG_PRAGMA_SUPPORT__
#pragma nv_diag_suppress 20199
#endif
#else
#define CCC_ANNOTATION(...)
#endif

#endif
