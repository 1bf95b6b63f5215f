/* SPDX-License-Identifier: MIT */
/* The hooks that nvcc runs in place of cicc (its option --cicc-prefix) and of the preprocessor
 * (--cpp-prefix), and what runs nvcc:
 *
 *	ccc-annotate --hook [--ccc-...] -- /path/to/cicc arguments
 *	ccc-annotate --hook-cpp -- gcc -E arguments
 *	ccc-annotate --nvcc -- /path/to/nvcc arguments
 *
 * Without annotations the first becomes cicc. Else it runs cicc on the rewritten source and ptxccc
 * on the PTX that comes out.
 */
#ifndef ANNOTATE_HOOK_H
#define ANNOTATE_HOOK_H

/* argv[0]: this program's path, beside which ptxccc is looked for; argv[1 .. argc): the options,
 * "--", the command. Returns the exit status. */
int hook_cicc(int argc, char **argv);
/* Likewise, without options. Turns the #CCC lines of the main file into pragmas. */
int hook_cpp(int argc, char **argv);
/* Likewise. nvcc's temporary files are gone when this returns. When a signal that ends programs
 * comes, nvcc and all that it runs get it, and this process ends by it when they have. */
int hook_nvcc(int argc, char **argv);

#endif
