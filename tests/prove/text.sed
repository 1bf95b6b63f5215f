# SPDX-License-Identifier: MIT
# text.sed: renames the registers of a compiler output as the lemmas about it (bits.awk) spell them. %~x is a register of the inserted
# text; %~copy_x is the copy of register x in the code of a path, and %~p2_copy_x the one of the second path; %~u_x holds a value that
# is uniform. A register of the input keeps its name: %~x.
1i\
=== output
s/%ccc[0-9]*\(p[0-9]*\)\$/%~\1_copy_/g
s/%ccc[0-9]*\([a-z]*\)\$/%~\1_copy_/g
s/%~_copy_/%~copy_/g
s/%~u_copy_/%~u_/g
s/%ccc[0-9]*\(p[0-9]*\)_/%~\1_/g
s/%ccc[0-9]*_/%~/g
s/%\([a-z]*[0-9]\)/%~\1/g
s/ccc[0-9]*_tasks/<tasks>/g
