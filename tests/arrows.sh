#!/bin/sh
# SPDX-License-Identifier: MIT
# arrows.sh: checks that dependencies between folders have one direction. Each folder may include the folders listed after it.
# The subfolders of transform/, validate/, simt/ and analysis/ are listed from the bottom; each may use those before it.
# Checks #include lines and the symbols of objects, because a prototype can be repeated anywhere. A file may include only those
# headers of another folder that are public, which means listed in its README.md.
set -u
cd "$(dirname "$0")/.." || exit 2
B=${B:-build}
passed=0 failed=0
report() { # NAME BAD
	if [ -z "$2" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL arrows $1: $2"; fi
}
allow() { # FOLDER MAY-INCLUDE...
	folder=$1
	shift
	bad=$(grep -n '^#include "' "$folder"/*.c "$folder"/*.h "$folder"/*.y "$folder"/*.l 2>/dev/null |
		grep -v "\"$folder/[a-z0-9_]*\.[a-z]*\"" | grep -v -E "\"($(echo "$@" | tr ' ' '|'))/[a-z0-9_]*\.[a-z]*\"" |
		grep -v -E '"(ptx\.(tab|lex)\.h|[a-z]+\.(tpl|css|js)\.h|commit\.h|proofs\.h|ccc_profile_file\.h)"')
	ls "$folder"/*.[clh] >/dev/null 2>&1 || bad="$folder: no source"
	report "$folder" "$bad"
}
# Subfolders of FOLDER, from the bottom; the folder's own files count as ".". Others that they may include follow after "--".
folders() { # FOLDER SUBFOLDER... -- OTHERS...
	top=$1 below= others=
	shift
	list=$*
	others=${list#*-- }
	listed=
	for folder in ${list%% --*}; do
		[ "$folder" = . ] && folder=$top || folder=$top/$folder
		allow "$folder" $others $below
		below="$below $folder"
		listed="$listed $folder"
	done
	# a folder that is not listed
	bad=
	for d in "$top"/*/; do
		case " $listed " in *" ${d%/} "*) ;; *) bad="$bad ${d%/}" ;; esac
	done
	report "$top, all folders" "$bad"
	upward "$top" "$listed"
}
# Functions and variables of a higher folder that an object of a lower folder uses.
upward() { # NAME FOLDERS
	objects=$(for folder in $2; do ls "$B/obj/$folder"/*.o 2>/dev/null; done | while read -r o; do
		source=${o#"$B/obj/"} && [ -f "${source%.o}.c" ] && echo "$o"
	done)
	[ -n "$objects" ] || { report "$1, symbols" "nothing is built"; return; }
	report "$1, symbols" "$(nm -A $objects | awk -v folders="$2" -v root="$B/obj/" '
		BEGIN { n = split(folders, list, " "); for (i = 1; i <= n; i++) rank[list[i]] = i }
		{
			file = $1; sub(/:.*/, "", file); folder = substr(file, length(root) + 1); sub(/\/[^\/]*$/, "", folder)
			kind = $(NF - 1); name = $NF
			if (kind ~ /^[TDBRGC]$/) { at[name] = rank[folder]; where[name] = file }
			else if (kind == "U") { uses++; from[uses] = file; what[uses] = name; low[uses] = rank[folder] }
		}
		END { for (i = 1; i <= uses; i++) if (what[i] in at && at[what[i]] > low[i]) print from[i] " uses " what[i] " of " where[what[i]] }')"
}
allow base none
allow lexer base parser
allow parser base lexer
folders analysis cfg interproc dataflow memory loops contraction cost region . progress dump -- base parser
analysis='analysis(/[a-z]+)?'
allow profile base parser "$analysis"
folders validate state text task warp draws lookahead explore trial arms grid . -- base parser "$analysis"
folders transform text plan legality task cost emit expand collect wait output remap rewrite pipeline instrument -- base parser "$analysis" profile validate
allow suggest base parser "$analysis" profile 'transform/[a-z]+'
allow report base
folders annotate source . -- base report
folders simt . sass state checks memory operands isa decode report sched -- base parser "$analysis" profile
allow lib base parser profile 'transform/[a-z]+' suggest annotate report
allow tune base annotate report
allow driver base driver/rt driver/load parser "$analysis" profile 'transform/[a-z]+' suggest annotate report 'simt(/[a-z]+)?' lib
allow driver/rt base parser "$analysis" profile suggest annotate/source 'simt(/[a-z]+)?' driver/cudart/host
allow driver/cudart base driver/rt
allow driver/libcuda base driver/rt
allow driver/preload none
allow driver/load annotate driver/rt
# A folder's headers that its README.md does not list are private.
folders="analysis annotate base driver lexer lib parser profile report simt suggest transform tune validate"
report "private headers" "$(awk -f tests/headers.awk $(find $folders -name README.md) $(find $folders -name '*.[chly]'))"
# Every exported function or variable must have a user in another file, tests included. Names that AddressSanitizer adds are none. The library and CUDA's interfaces are exempt.
unused() {
	find "$B/obj" -name '*.o' | while read -r o; do source=${o#"$B/obj/"} && { [ -f "${source%.o}.c" ] || [ "$source" != "${source#gen/}" ]; } && echo "$o"; done | xargs nm -A |
		awk -v root="$B/obj/" '
		{
			file = $1; sub(/:.*/, "", file); file = substr(file, length(root) + 1); sub(/o$/, "c", file)
			if ($(NF - 1) ~ /^[TDBRGC]$/ && $NF !~ /^__odr_asan/) where[$NF] = file
			else if ($(NF - 1) == "U") used[$NF] = 1
		}
		END { for (n in where) if (!(n in used) && n != "main" && where[n] !~ /^(gen|tests|bench|driver\/(cudart|libcuda|preload)|lib)\//) print where[n] ": " n " should be static" }'
}
[ ! -d "$B/obj/tests/lib" ] || report "exported names" "$(unused)"
echo "arrows: $passed passed, $failed failed"
[ $failed = 0 ]
