#!/bin/sh
# SPDX-License-Identifier: MIT
# folder.sh FOLDER: the parts of the quick tests that belong to a folder (make quick FOLDER=transform/wait), one per line, for check.sh. Goldens
# and differential tests are selected by the annotations in them, unit tests by the headers that they include.
set -u
cd "$(dirname "$0")/.." || exit 2
folder=${1%/}
[ -d "$folder" ] || { echo "folder.sh: no folder $folder" >&2; exit 2; }
case $folder in
transform/collect | transform/task) has='policy\((stack|queue)' ;;
transform/expand) has='policy\(expand|ccc begin for-var' ;;
transform/wait) has='policy\((wait|majority|live|cycle|converge|flatten|ahead)|ccc begin (predict|unify|assign|delay)' ;;
transform/rewrite) has='ccc begin (distribute|grid)' ;;
transform/remap) has='ccc begin remap' ;;
transform/* | validate | validate/* | analysis | analysis/* | parser | lexer | base) has=. ;;
*) has= ;;
esac
names() { # FILE... whose annotations match
	[ -z "$has" ] || grep -l -E "$has" "$@" | sed 's|.*/||' | tr '\n' ' '
}
goldens=$(names tests/golden/*.ptx)
diffs=$(names tests/diff/*.ptx | sed 's/\.ptx//g')
units=$(grep -l "\"$folder/" tests/unit/*.c | sed 's|.*/||; s|\.c$||' | tr '\n' ' ')
[ -z "$goldens" ] || echo "sh tests/run.sh $goldens"
[ -z "$diffs" ] || echo "SHAPES='33 4,5,3' SEEDS=1 sh tests/diff/run.sh $diffs"
[ -z "$units" ] || echo "sh tests/units.sh $units"
case $folder in
analysis/cost | transform/cost) echo "sh tests/analysis/run.sh" && echo "sh tests/cost/run.sh" ;;
analysis*) echo "sh tests/analysis/run.sh" ;;
annotate) echo "sh tests/annotate/run.sh" ;;
simt*) echo "sh tests/simt/run.sh" ;;
suggest) echo "sh tests/suggest/run.sh" && echo "sh tests/cost/run.sh" ;;
profile | transform/instrument) echo "sh tests/profile/run.sh" ;;
lib) echo "sh tests/lib/run.sh" ;;
tune) echo "sh tests/tune/run.sh" ;;
report) echo "sh tests/report.sh" ;;
esac
echo "sh tests/arrows.sh"
echo "sh tests/house.sh"
