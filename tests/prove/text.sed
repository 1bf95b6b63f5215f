# SPDX-License-Identifier: MIT
# text.sed: names of an output as lemmas about it (bits.awk) have them. %~x: of the inserted text itself; %~copy_x: what stands for
# register x where a path runs, %~p2_copy_x in the second path; %~u_x: of a value that is the same for all lanes; %~x: the input's own.
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
