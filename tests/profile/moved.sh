# SPDX-License-Identifier: MIT
# moved.sh, part of run.sh: a profile of a source in another folder is used if only one file can be meant.
moved() { # NAME...: cuts.cccprof with the records of cuts.cu in each of these files
	for name; do sed "s|\"cuts.cu\"|\"$name\"|" cuts.cccprof; done >"$tmp/moved"
	use "$tmp/moved" "${from:-$tmp/here.ptx}" >"$tmp/said"
	echo "$(grep -c -F '20.00 % of the lanes come, 6.2 of a warp' "$tmp/said") $(grep -c 'no counts for any loop .*-Wccc-profile-stale' "$tmp/said")"
}
mkdir "$tmp/a" "$tmp/b"
cp cuts.cu "$tmp/a/cuts.cu"
cp cuts.cu "$tmp/b/cuts.cu"
# the module with one path for all names of its source, as nvcc writes it
sed "s|\"[^\"]*cuts.cu\"|\"$tmp/a/cuts.cu\"|; s|\(ccc begin [^\"]*\"\)cuts.cu|\1$tmp/a/cuts.cu|" cuts.ptx >"$tmp/here.ptx"
same=$(moved "$tmp/a/cuts.cu")
check "${same#0 }" "$same" "the counts of the same path"
check "$(moved /elsewhere/cuts.cu)" "$same" "a profile made in another folder"
check "$(moved "$tmp/b/cuts.cu")" "$same" "a profile of a copy"
check "$(moved /elsewhere/x.cu)" "0 1" "a profile of a file of another name"
check "$(grep -c "it was made for '/elsewhere/x.cu'" "$tmp/said") $(grep -c profile-stale "$tmp/said")" "1 1" "the file that the profile is for, and no other reason"
check "$(moved /elsewhere/b/cuts.cu /elsewhere/c/cuts.cu)" "0 1" "two files of that name"
check "$(moved /elsewhere/b/cuts.cu /elsewhere/a/cuts.cu)" "$same" "two files of that name: the longer common end"
check "$(moved /elsewhere/cuts.cu "$tmp/a/cuts.cu")" "$same" "two files of that name, one of them this"
echo '// another version' >>"$tmp/b/cuts.cu"
check "$(moved "$tmp/b/cuts.cu")" "0 1" "another file of that name"
# annotations have the name that the compiler was given: an edited copy, compiled in its folder
sed "s|\(ccc begin [^\"]*\"\)$tmp/a/cuts.cu|\1cuts.cu|" "$tmp/here.ptx" >"$tmp/relative.ptx"
check "$(from=$tmp/relative.ptx moved "$tmp/b/cuts.cu")" "$same" "another file of that name whose counts are used"
sed 's/:34:/:3:/; s|"cuts.cu"|"/elsewhere/cuts.cu"|' cuts.cccprof >"$tmp/lines"
check "$(use "$tmp/lines" "$tmp/here.ptx" | grep -c 'no counts for any loop')" 1 "a line that the kernel lacks"
# a `do` loop: its record has the line of `do`, which has no code
sed 's/for-var "cuts.cu":20:/for-var "cuts.cu":16:/; s|"cuts.cu"|"/elsewhere/cuts.cu"|' cuts.cccprof >"$tmp/lines"
check "$(use "$tmp/lines" "$tmp/here.ptx" | grep -c -F '20.00 % of the lanes come')" "${same% *}" "a loop whose first line has no code"
sed -E 's/^(cut [a-z-]+ "cuts.cu"):/\1:9/' cuts.cccprof >"$tmp/edited"
sed "s|$tmp/a/cuts.cu|cuts.cu|" "$tmp/here.ptx" >"$tmp/edited.ptx"
check "$(use "$tmp/edited" "$tmp/edited.ptx" | grep -c "counts of this function are for other lines")" \
	"$(sed -n 's/^cut.* "cuts.cu":[0-9:]* \([^ ]*\) .*/\1/p' cuts.cccprof | sort -u | grep -c .)" "all lines have moved"
# a profile of the plain program serves the annotated one, whether or not the source had the lines of the annotations
grep -v '// \.ccc ' cuts.ptx >"$tmp/unmarked.ptx"
"$BIN/ptxrun" "$tmp/unmarked.ptx" deep --block 96 --grid 2 --arg buf:4000:index --arg buf:8000 --arg s32:1000 --quiet --profile="$tmp/unmarked.cccprof"
annotated=$(grep -n '#pragma ccc' cuts.cu | sed 's/:.*//')
before() { # without the lines of annotations
	awk -v lines="$annotated" 'BEGIN { n = split(lines, of, "\n") }
		$1 == "cut" { split($3, at, ":"); k = 0; for (i = 1; i <= n; i++) k += of[i] < at[2]; $3 = at[1] ":" at[2] - k ":" at[3] } { print }' "$tmp/unmarked.cccprof"
}
before >"$tmp/before.cccprof"
for profile in unmarked before; do
	use "$tmp/$profile.cccprof" cuts.ptx >"$tmp/said"
	check "$(grep -c -F '20.00 % of the lanes come, 6.2 of a warp' "$tmp/said") $(grep -c 'expected: .*; by the profile' "$tmp/said") $(grep -c profile-stale "$tmp/said")" "1 1 0" \
		"counts of the program without annotations, $profile"
done
# a loop whose code starts six lines below the annotation, where the profile of the plain program has it
grep -v '// \.ccc ' below.ptx >"$tmp/unmarked.ptx"
"$BIN/ptxrun" "$tmp/unmarked.ptx" _Z4rowsPKiPKfS0_S2_Pfi --block 96 --grid 2 --arg buf:4100:index --arg buf:4096 --arg buf:4096:index --arg buf:4096 --arg buf:4096 \
	--arg s32:1000 --quiet --profile="$tmp/below.cccprof"
check "$(use "$tmp/below.cccprof" below.ptx | grep -c '31.2 of a warp together, 1.0 iterations a lane')" 1 "a loop's counts by the line of its code"
# the rest of an iteration as a path: its counts are those of the branch before it
grep -v '// \.ccc ' rest.ptx >"$tmp/unmarked.ptx"
"$BIN/ptxrun" "$tmp/unmarked.ptx" _Z5probePKiS0_S0_S0_Pii --block 96 --grid 2 --arg buf:4000:mod:8 --arg buf:4000:index:2 --arg buf:4000:mod:4 --arg buf:4000:mod:4 \
	--arg buf:4000 --arg s32:150 --quiet --profile="$tmp/rest.cccprof"
check "$(use "$tmp/rest.cccprof" rest.ptx | grep -c '23.59 % of the lanes come, 6.6 of a warp together')" 1 "a path that is the rest of an iteration"
# the branch of a path, or the guard of its loop, by the lines of the annotations: the one with the path's counted blocks
grep -v '// \.ccc ' guard.ptx >"$tmp/unmarked.ptx"
"$BIN/ptxrun" "$tmp/unmarked.ptx" _Z6filterPKiS0_Pii --block 96 --grid 2 --arg buf:4004:index:5 --arg buf:40000:mod:1000:3 --arg buf:4000 --arg s32:1000 --quiet \
	--profile="$tmp/guard.cccprof"
sed 's/:11:/:9:/; s/:14:/:11:/' "$tmp/guard.cccprof" >"$tmp/guard-before.cccprof"
for profile in guard guard-before; do
	check "$(use "$tmp/$profile.cccprof" guard.ptx | grep -c '13.65 % of the lanes come, 4.4 of a warp together$\|expected: .*; by the profile')" 2 \
		"a path whose branch may be in the line of another, $profile"
done
sed -E 's/^(cut [a-z-]+ "[^"]*"):/\1:9/' "$tmp/before.cccprof" >"$tmp/edited"
check "$(use "$tmp/edited" cuts.ptx | grep -c "counts of this function are for other lines\|count the program as it is now, built with --ccc-profile-generate")" 2 "neither"
