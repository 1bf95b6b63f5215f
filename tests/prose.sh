#!/bin/sh
# SPDX-License-Identifier: MIT
# prose.sh [FILE...]: comments, documents and messages avoid the phrases below, which usually make a sentence vague or inverted
# (HACKING.md, "House style"). Checks the files and folders of `clean`, or those given. Of a C file, comments and string literals
# are checked; of a template or a script, comments and string literals too; of a document, everything except code.
# A line with a phrase that is right goes to `allowed`, as FILE:TEXT, where TEXT is a part of the line.
set -u
cd "$(dirname "$0")/.." || exit 2
passed=0 failed=0

clean="README.md CHANGELOG.md base/diags.def docs/guide
docs/annotations.md docs/techniques.md docs/diagnostics.md docs/profiles.md docs/tuning.md docs/builds.md
docs/compatibility.md docs/choosing.md docs/emulator.md docs/verification.md docs/glossary.md docs/measurements
docs/ptxccc.1 docs/cccnvcc.1 docs/ptxrun.1 docs/ccc-tune.1 docs/ccc-ptxas.1 docs/ptxccc-run.1 docs/ptxccc.3 docs/ptxccc-annotations.7
docs/transformation.md docs/measurements/papers.md docs/design.md docs/markers.md docs/proofs HACKING.md CONTRIBUTING.md"

# In these folders, string literals are checked for all phrases, and comments for all except a few, which are usually right there.
messages="base lexer parser analysis profile transform validate suggest annotate report simt lib driver tune"

# One phrase (extended regular expression) per line.
phrases='comes? to|came to|come by|is come
so many|as it was|as they were
stands?( in| at| behind| for| there)?
goes on|go on|goes round|went round|hangs on
in hand|nobody|nothing of|by which|of its own|of their own|likewise
for want of|is no more|is come to
lanes (on|off)|off by guard|(room|place) for [0-9]+ warps|made-up
may part|parts? at
^Of (a|the|each|what|which)|[.] Of (a|the|each|what|which)'

allowed='transform/collect/emit.c:"nobody"
transform/wait/emit_wait.c:"stands"'

# text FILE [ONLY]: FILE:LINE: the text that a reader sees; with ONLY, the string literals of a C file.
text() {
	case $1 in
	*.md)
		awk -v f="$1" '/^```/ { code = !code; next }
			!code && !/^    / { gsub(/`[^`]*`/, ""); print f ":" FNR ": " $0 }' "$1"
		;;
	*.[1-9]) sed 's/^\.[A-Z][a-z]* *//' "$1" | awk -v f="$1" '{ print f ":" FNR ": " $0 }' ;;
	*.[chly] | *.def)
		awk -v f="$1" -v only="${2:-}" '{
			out = ""; s = $0
			while (s != "") {
				if (inside) {
					i = index(s, "*/")
					if (!only) out = out " " (i ? substr(s, 1, i - 1) : s)
					s = i ? substr(s, i + 2) : ""
					inside = !i
				} else if (match(s, /\/\*|\/\/|"([^"\\]|\\.)*"/)) {
					t = substr(s, RSTART, RLENGTH)
					s = substr(s, RSTART + RLENGTH)
					if (t == "/*") inside = 1
					else if (t == "//") { if (!only) out = out " " s; s = "" }
					else out = out " " t
				} else s = ""
			}
			if (out != "") print f ":" FNR ": " out
		}' "$1"
		;;
	*)
		awk -v f="$1" '{
			if (match($0, /^[ \t]*#/)) { print f ":" FNR ": " $0; next }
			s = $0; out = ""
			while (match(s, /"([^"\\]|\\.)*"/)) { out = out " " substr(s, RSTART, RLENGTH); s = substr(s, RSTART + RLENGTH) }
			if (out != "") print f ":" FNR ": " out
		}' "$1"
		;;
	esac
}

pattern=$(echo "$phrases" | tr '\n' '|')
files=$(mktemp) hits=$(mktemp) || exit 2
trap 'rm -f "$files" "$hits"' EXIT
trap 'exit 1' HUP INT TERM
# shellcheck disable=SC2086
{ [ $# -gt 0 ] && printf '%s\n' "$@" || find $clean -type f \( -name '*.md' -o -name '*.[1-9]' -o -name '*.[chly]' -o -name '*.def' \
	-o -name '*.tpl' -o -name '*.sh' -o -name '*.py' \); } >"$files" || failed=1
# shellcheck disable=SC2086
[ $# -gt 0 ] || find $messages -type f -name '*.[chly]' | sed 's/$/ only/; p; s/only$/all/' >>"$files"
while read -r file only; do
	[ -r "$file" ] || { failed=$((failed + 1)); echo "FAIL prose no file $file"; continue; }
	# A phrase is delimited by anything that is not a letter, a digit, an underscore or a hyphen.
	look=${pattern%|}
	[ "$only" != all ] || { only= look=$(echo "$look" | sed "s/|by which|of its own|of their own|likewise//; s/stands?([^)]*)?/stands?( in| at| behind| there)/"); }
	text "$file" "$only" | grep -E "(^|[^[:alnum:]_-])($look)([^[:alnum:]_-]|\$)" | while read -r line; do
		place=${line%%: *}
		echo "$allowed" | while IFS= read -r a; do
			case $place in "${a%%:*}":*) case $line in *"${a#*:}"*) echo allowed ;; esac ;; esac
		done | grep -q allowed || echo "$line"
	done >"$hits"
	if [ -s "$hits" ]; then
		failed=$((failed + 1))
		sed 's/^/FAIL prose /' "$hits" | cut -c 1-200
	else
		passed=$((passed + 1))
	fi
done <"$files"
echo "prose: $passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -gt 0 ]
