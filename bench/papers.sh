#!/bin/sh
# SPDX-License-Identifier: MIT
# The techniques of the other papers, each on its synthetic kernel: original, annotated and hand-written versions in one
# process. Prints a table in Markdown. Options and environment are those of ccc-programs.sh.
#
#	itdelay    iteration delaying (Han and Abdelrahman 2011): delay with majority, live, cycle
#	predict    speculative reconvergence (Damani and others 2020): loop merge, iteration delay, common call
#	brdist     branch distribution (Han and Abdelrahman 2011): distribute
#	kato       dynamic work assignment and branch path unification (Kato, Suda and Tamada): assign, unify
#	tdr        thread-data remapping (Lin, Wang and Liu 2018): remap with partition, hot, dgi; leaves of a nest
cd "$(dirname "$0")/.." || exit 2
PROGRAMS=${PROGRAMS:-itdelay predict brdist tdr kato} exec sh bench/ccc-programs.sh "$@"
