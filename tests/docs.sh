#!/bin/sh
# SPDX-License-Identifier: MIT
# docs.sh: the documentation is complete: every diagnostic has a row, every option is in the manual. Things that it names exist: sections,
# invariants, source files, identifiers.
set -u
cd "$(dirname "$0")/.." || exit 2
B=${B:-build}
passed=0 failed=0
has() { # FILE PATTERN WHAT
	if grep -q -e "$2" "$1"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL docs $1: nothing about $3"; fi
}
# all NUMBER WORD...: prints the words, and one more, which causes a failure, if there are fewer than NUMBER.
all() {
	least=$1
	shift
	echo "$@"
	[ $# -ge "$least" ] || echo "at-least-$least"
}
for name in $(all 20 $(sed -n 's/^DIAG([A-Z_]*, *"\([^"]*\)".*/\1/p' base/diags.def)); do
	has docs/diagnostics.md "^| \`$name\` |" "the diagnostic $name"
done
# Every row of the annotation language is in the reference and in ccc.h.
rows() { sed -n "s/^\($1\)([A-Z_]*, *\"\([^\"]*\)\".*/\2/p" base/annot.def; }
while read -r words; do
	has docs/annotations.md "^| .*\`$words\`" "the annotation $words"
	macro=CCC_$(echo "$words" | tr 'a-z ' 'A-Z_')
	has docs/ptxccc-annotations.7 "^\.It .*Ic $words\b" "the annotation $words"
	has annotate/ccc.h "^#define $macro(\.\.\.) *CCC_ANNOTATION($words __VA_ARGS__)" "$macro"
	has docs/annotations.md "\`$macro(" "$macro"
done <<END
$(rows 'KIND\|ALIAS')
END
for clause in $(all 10 $(rows CLAUSE)); do
	has docs/annotations.md "^| \`$clause\(\`\|(\)" "the clause $clause"
	has docs/ptxccc-annotations.7 "^\.It .*$clause\b" "the clause $clause"
done
for policy in $(all 5 $(rows POLICY)); do
	has docs/annotations.md "^| \`policy.*\`$policy\`" "the policy $policy"
	has docs/ptxccc-annotations.7 "^\.It .*\b$policy\b" "the policy $policy"
done
for program in ptxccc ptxrun ccc-tune ptxccc-run; do
	case $program in ptxccc-run) least=5 ;; *) least=10 ;; esac
	for option in $(all $least $("$B/bin/$program" --help | grep -o -e '--[a-z][a-z-]*' | sort -u)); do
		has docs/$program.1 "$(echo "${option#--}" | sed 's/-/.*-/g')" "$option of $program"
	done
done
for option in $(all 10 $("$B/bin/cccnvcc" --ccc-help 2>&1 | grep -o -e '--ccc-[a-z-]*' | sort -u)); do
	has docs/cccnvcc.1 "$(echo "${option#--}" | sed 's/-/.*-/g')" "$option of cccnvcc"
done
for function in $(all 10 $(sed -n 's/^PTXCCC_API .*\(ptxccc_[a-z_]*\)(.*/\1/p' lib/ptxccc.h)); do
	has docs/ptxccc.3 "^\.Nm $function" "the function $function"
done
for word in $(all 4 $(sed -n 's/.*PARSE_ARGV 1 arg "\([A-Z;]*\)" "\([A-Z;]*\)".*/\1 \2/p' cmake/CCCConfig.cmake | tr ';' ' ')); do
	has docs/builds.md "\`$word\`" "ccc_target's $word"
done
# The sections of documents that comments cite exist: docs/design.md 6.2.
while IFS=: read -r file cited; do
	doc=${cited% *} section=${cited##* }
	has "$doc" "^##* $section\.* " "section $section, which $file cites"
done <<END
$(grep -r -o -E 'docs/[a-z]+\.md [0-9](\.?[0-9])*' Makefile analysis annotate base cmake driver lexer lib parser samples simt tests/*.* tests/gen suggest transform)
END
# The invariants that templates cite are in docs/proofs/, and a template or another file of transform/ cites each of them.
invariants=$(sed -n 's/^\*\*\([CDPRTWX][0-9]*\)\..*/\1/p' docs/proofs/*.md)
for cited in $(all 60 $(awk -f tests/gen/invariants.awk transform/*/*.tpl | sed 's/ .*//' | sort -u)); do
	if echo "$invariants" | grep -q -x "$cited"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL docs: docs/proofs/ has no invariant $cited, which a template cites"; fi
done
for invariant in $(all 60 $invariants); do
	if grep -q -w -e "$invariant" transform/*/*.tpl transform/*/*.c; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL docs: nothing in transform/ cites invariant $invariant"; fi
done
[ "$(echo "$invariants" | sort | uniq -d)" = "" ] || { failed=$((failed + 1)); echo "FAIL docs: invariants stated twice:" $(echo "$invariants" | sort | uniq -d); }
# Source files that documents name exist, and identifiers in docs/proofs/ occur in the code.
sources=$(mktemp) documents=$(find . -name '*.md' ! -path './build/*' | sed 's|^\./||')
trap 'rm -f "$sources" "$sources.names"' EXIT
find . \( -name '*.[chly]' -o -name '*.tpl' \) ! -path './build/*' | sed 's|^\./||' >"$sources"
wrong=$(awk -f tests/names.awk "$sources" $documents)
if [ -z "$wrong" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL docs: names of files:" "$wrong"; fi
# The links of documents name files and headings that exist.
wrong=$(awk -f tests/links.awk $documents | while read -r mark where to path; do
	[ "$mark" = "?" ] || { echo "$mark $where"; continue; }
	[ -e "$path" ] || echo "$where: $to"
done)
if [ -z "$wrong" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL docs: links to nowhere:" "$wrong"; fi
# words PATTERN FILE...: the words of files, one per line
words() { pattern=$1; shift; cat "$@" | tr -c 'a-zA-Z0-9_~^%-' '\n' | sed -n "/^$pattern\$/p" | sort -u; }
identifier='[a-zA-Z_][a-zA-Z0-9_]*' option='--[a-z][a-z-]*'
named() { grep -o -h '`[^`]*`' docs/proofs/*.md | tr -d '`' | sed -n "s/<[a-z]*>//; $1"; }
missing() { # LEAST WORDS: prints the names on standard input that are not among the words; there must be at least LEAST
	sort -u >"$sources.names"
	[ "$(wc -l <"$sources.names")" -ge "$1" ] || echo "(only a few names)"
	echo "$2" | comm -23 "$sources.names" -
}
wrong=$(named "/^$identifier\$/p" | missing 100 "$(words "$identifier" base/annot.def parser/ops.def analysis/*/*.[ch] transform/*/*.[ch] transform/*/*.tpl validate/*.[ch] validate/*/*.[ch])"
	named 's/^%[~^]\([a-z_0-9]*\)$/\1/p' | missing 30 "$(words "$identifier" transform/*/*.tpl)"
	named "/^$option\$/p" | missing 2 "$(words "$option" driver/ptxccc_options.c annotate/cccnvcc.sh)")
if [ -z "$wrong" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL docs: names in docs/proofs/ that the code has not:" $wrong; fi
for file in samples/*.cu bench/*.sh; do
	name=$(basename "$file")
	has "$(dirname "$file")/README.md" "${name%.cu}" "$name"
done
# Every source file states its licence: in its first line (after #!) or, if tests or messages refer to its lines, in the last one.
no_licence=$(find .ci ./*.md ./*.yml packaging python docs Makefile analysis profile annotate base bench cmake completion driver lexer lib parser samples simt suggest tests transform tune \
	\( -name '*.[chly]' -o -name '*.def' -o -name '*.tpl' -o -name '*.map' -o -name '*.cu' -o -name '*.cuh' -o -name '*.cpp' \
	-o -name '*.sh' -o -name '*.awk' -o -name 'CMakeLists.txt' -o -name '*.cmake' -o -name '*.in' -o -name Makefile -o -name '*.md' -o -name '*.[137]' -o -name '*.py' -o -name '*.yml' -o -name '*.toml' -o -path .ci/run \) \
	! -path 'tests/corpus/out/*' | while read -r file; do
	{ sed -n 1,2p "$file"; sed -n '$p' "$file"; } | grep -q 'SPDX-License-''Identifier: MIT' || echo "$file"
done)
if [ -z "$no_licence" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL docs: no SPDX line in" $no_licence; fi
echo "docs: $passed passed, $failed failed"
[ $failed = 0 ]
