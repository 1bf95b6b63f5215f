/* SPDX-License-Identifier: MIT */
/* The hooks that nvcc runs instead of cicc (option --cicc-prefix) and of the preprocessor
 * (--cpp-prefix) and of ptxas (--ptxas-prefix), and the command that runs nvcc:
 *
 *	ccc-annotate --hook [--ccc-...] -- /path/to/cicc arguments
 *	ccc-annotate --hook-cpp -- gcc -E arguments
 *	ccc-annotate --hook-ptxas -- ptxas arguments
 *	ccc-annotate --nvcc [--fixes] [--as=NAME] -- /path/to/nvcc arguments
 *
 * The cicc hook executes cicc unchanged if the source has no annotations. Otherwise it runs cicc
 * on the rewritten source and ptxccc on the resulting PTX. The command may be clang's device step,
 * `clang -cc1 ...`, instead: clang's driver is started with cccnvcc as its name, argv[0], and runs
 * that as its compiler. */
#ifndef ANNOTATE_HOOK_H
#define ANNOTATE_HOOK_H

/* argv[0]: path of this program, next to which ptxccc is looked for; argv[1 .. argc): options,
 * "--", command. Returns the exit status. */
int hook_cicc(int argc, char **argv);
/* The same without options. Turns the #CCC lines of the main file into pragmas. */
int hook_cpp(int argc, char **argv);
/* The same. Writes the code that ptxccc kept, or becomes the command. */
int hook_ptxas(int argc, char **argv);
/* The same, but options may precede "--". --as: argv[0] of the program. --fixes: after nvcc, prints the patch of --ccc-suggest=fix to
 * standard output. Removes nvcc's temporary files before it returns. A terminating signal is
 * forwarded to nvcc and all its descendants; this process ends by it after they have ended. */
int hook_nvcc(int argc, char **argv);

#endif
