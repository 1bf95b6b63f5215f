#!/bin/sh
# SPDX-License-Identifier: MIT
# surroundings.sh [-v] [PATTERN]: cccnvcc in unusual environments: odd paths, no nvcc or the wrong one on PATH, farms, an nvcc
# without --cicc-prefix, read-only or full folders, concurrent builds, killed builds. Needs nvcc, no GPU.
part=surroundings
. "$(dirname "$0")/frame.sh"
real=$("$nvcc" --dryrun -c x.cu 2>&1 | sed -n 's/^#\$ _HERE_=//p')/nvcc

# Runs as a user for whom write permissions matter.
as_user() {
	if [ "$(id -u)" = 0 ]; then setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; else "$@"; fi
}

# ---- places -----------------------------------------------------------------------------------------------------------------
odd_folder="it's a \$HOME \"b\" & c,d
e"
odd_place() { # installed in a folder with an odd name, called through a link in another one
	mkdir -p "$odd_folder/bin" && cp "$cccnvcc" "$BIN/ccc-annotate" "$odd_folder/bin/" && ln -sf "../work/$odd_folder/bin/cccnvcc" ../bin/link &&
		../bin/link "$D" -ptx a.cu -o o.ptx "--ccc-report=$odd_folder/r 'r" && here o.ptx && grep -q '^report of' "$odd_folder/r 'r"
}
on_path() { (PATH=$BIN:$PATH && cccnvcc "$D" -ptx a.cu -o o.ptx) && here o.ptx; }
read_only() { # sources, cache folder and home that the user cannot write
	chmod 755 "$top" && mkdir -p ../installed/bin ../ours && cp "$BIN/cccnvcc" "$BIN/ccc-annotate" ../installed/bin/ && chmod a+rx "$top/stand-in" &&
		chmod 777 ../ours "$TMPDIR" && : >>"$ARGS" && chmod 666 "$ARGS" && cp a.cu ../ours/ && chmod a-w ../ours/a.cu &&
		as_user env HOME=/ "$top/installed/bin/cccnvcc" "$D" -ptx a.cu -o ../ours/o.ptx && here ../ours/o.ptx
}
small_tmpdir() { # either a whole object, or an error and no object
	for size in 500 1000 1500 2000 2500 3000 4000 8000; do
		rm -f o.o
		mount -t tmpfs -o size=${size}k none "$TMPDIR" || return
		ccc -c a.cu -o o.o
		r=$?
		rm -rf "${TMPDIR:?}"/* # nvcc, when it fails, may leave its own
		umount "$TMPDIR"
		echo "$size: status $r"
		if [ $r = 0 ]; then both o.o || return 1; else [ ! -e o.o ] || return 1; fi
	done
	[ $r = 0 ]
}
no_tmpdir() { (TMPDIR=$top/none && STRIP='s/tmpxft_.*//' && same_as_nvcc -diag-suppress 20199 "$D" -c a.cu -o o.o); }
long_names() { # as long as nvcc accepts
	long=$(awk 'BEGIN { for (i = 0; i < 213; i++) printf "n" }')
	cp a.cu "$long.cu" && ccc -c "$long.cu" -o o.o && both o.o && ccc --ccc-markers-only -ptx a.cu -o "$long$(echo "$long" | cut -c 1-37).ptx" && grep -q 'ccc begin' "$long"*.ptx
	r=$?
	rm -f "$long"*
	return $r
}
others_folder() { # the output is writable, its folder is not
	chmod 777 ../ours "$TMPDIR" && echo old >../ours/o.ptx && chmod 666 ../ours/o.ptx && chmod 755 ../ours &&
		as_user env HOME=/ "$top/installed/bin/cccnvcc" "$D" --ccc-markers-only -ptx a.cu -o ../ours/o.ptx && grep -q 'ccc begin' ../ours/o.ptx
}
no_home() { # no place for a farm: --dryrun shows the steps nevertheless
	as_user env -u XDG_CACHE_HOME HOME=/nonexistent "$top/installed/bin/cccnvcc" --dryrun -c a.cu 2>said && grep -q 'ccc-annotate.*--hook' said
}
t place odd_place
t on-path on_path
t read-only read_only
t long-names long_names
if [ "$(id -u)" = 0 ]; then t folder-of-others others_folder; else skipped=$((skipped + 1)); fi
t no-home no_home
if mount -t tmpfs none "$TMPDIR" 2>/dev/null; then
	umount "$TMPDIR"
	t small-tmpdir small_tmpdir
else
	skipped=$((skipped + 1))
fi
t no-tmpdir no_tmpdir

# ---- which nvcc ---------------------------------------------------------------------------------------------------------------
self() { ln -sf "$cccnvcc" ../bin/nvcc && (PATH=$top/bin:$PATH && "$cccnvcc" "$D" -ptx a.cu -o o.ptx) && rm ../bin/nvcc && here o.ptx; }
loop() {
	printf '#!/bin/sh\nexec "%s" "$@"\n' "$cccnvcc" >../bin/nvcc && chmod +x ../bin/nvcc
	(PATH=$top/bin:$PATH && says 'leads back to cccnvcc' "$cccnvcc" -c a.cu)
	r=$?
	rm -f ../bin/nvcc
	return $r
}
no_nvcc() { (CCC_NVCC=/nowhere/nvcc says "there is no program '/nowhere/nvcc'" "$cccnvcc" -c a.cu); }
t nvcc-is-cccnvcc self
t nvcc-runs-cccnvcc loop
t no-nvcc no_nvcc

# ---- farms ------------------------------------------------------------------------------------------------------------------
farm() { # the toolkit's folders are present; making the farm again changes nothing
	"$cccnvcc" --ccc-farm "f arm" && [ -e "f arm/include/cuda_runtime.h" ] && "f arm/bin/nvcc" "$D" -ptx a.cu -o o.ptx && here o.ptx &&
		stat -c %i "f arm" >1 && "$cccnvcc" "--ccc-farm=f arm/" && stat -c %i "f arm" >2 && cmp 1 2
}
farm_mended() { rm "f arm/bin/ptxas" && "$cccnvcc" --ccc-farm "f arm" && [ -x "f arm/bin/ptxas" ] && ! ls -d "f arm".*; }
farm_refused() {
	mkdir -p full && : >full/file && status 2 "$cccnvcc" --ccc-farm full && says "'$PWD/full' is not empty" "$cccnvcc" --ccc-farm full &&
		status 2 "$cccnvcc" --ccc-farm a.cu && says 'name is missing' "$cccnvcc" --ccc-farm && ls full | cmp - list
}
farm_at_link() { # a link to an empty folder, and to a missing one
	mkdir -p there && ln -s there to-there && ln -s not-yet to-not-yet && "$cccnvcc" --ccc-farm to-there && "$cccnvcc" --ccc-farm to-not-yet/ &&
		[ -L to-there ] && [ -L to-not-yet ] && to-there/bin/nvcc "$D" -ptx a.cu -o o.ptx && once && not-yet/bin/nvcc "$D" -ptx a.cu -o o.ptx && once
}
farms_at_once() {
	for i in 1 2 3 4; do "$cccnvcc" --ccc-farm crowd & done
	wait
	[ "$(echo crowd*)" = crowd ] && crowd/bin/nvcc "$D" -ptx a.cu -o o.ptx && here o.ptx
}
once() { [ "$(grep -c ccc_was_here o.ptx)" = 1 ]; }
farm_on_path() { # cccnvcc uses the next nvcc on PATH: transformed once
	(PATH=$PWD/many/bin:$PATH && nvcc "$D" -ptx a.cu -o o.ptx && once && rm o.ptx && "$cccnvcc" "$D" -ptx a.cu -o o.ptx && once) &&
		rm o.ptx && CCC_NVCC=many/bin/nvcc "$cccnvcc" "$D" -ptx a.cu -o o.ptx && once &&
		CCC_NVCC=many/bin/nvcc "$cccnvcc" --ccc-farm another && [ "$(readlink another/bin/nvcc.real)" = "$(readlink many/bin/nvcc.real)" ]
}
farm_of_relative() { mkdir -p in/bin && cp "$BIN/cccnvcc" "$BIN/ccc-annotate" in/bin/ && in/bin/cccnvcc --ccc-farm in/farm && in/farm/bin/nvcc "$D" -ptx a.cu -o o.ptx && once; }
farm_by_link() { ln -sf "$PWD/many/bin/nvcc" ../bin/linked && ../bin/linked "$D" -ptx a.cu -o o.ptx && once; }
cicc_alone() { # as sccache does: the cicc step without the farm's nvcc
	rm -f "$ARGS"
	many/bin/nvcc "$D" --keep --keep-dir "$top/bin" --dryrun -ptx a.cu -o o.ptx 2>&1 | sed -n 's/^#\$ //p' >steps
	grep -q '^"$CICC_PATH/cicc"' steps && (CCC_FLAGS='--ccc-threads=96' && export CCC_FLAGS && CICC_PATH=$PWD/many/nvvm/bin && rm -f o.ptx &&
		grep -v '^[A-Z_]*=' steps >run && . ./run && once && grep -q -- --threads=96 "$ARGS")
}
echo file >list
"$cccnvcc" --ccc-farm many
t farm farm
t farm-mended farm_mended
t farm-refused farm_refused
t farm-at-link farm_at_link
t farms-at-once farms_at_once
t farm-on-path farm_on_path
t farm-of-relative farm_of_relative
t farm-by-link farm_by_link
t cicc-alone cicc_alone

# ---- the self-test ----------------------------------------------------------------------------------------------------------
# A toolkit whose nvcc is a script that records its arguments; `old` does not know --cicc-prefix, `half` not --ptxas-prefix.
mkdir -p toolkit/bin
ln -s "${real%/bin/nvcc}"/* toolkit/ 2>/dev/null
ln -s "${real%/nvcc}"/* toolkit/bin/
rm toolkit/bin/nvcc
ln -s "$real" toolkit/bin/nvcc.elf
cat >toolkit/bin/nvcc <<'E2'
#!/bin/sh
case $* in
*--dryrun*) echo asked >>"$ASKED" ;;
*) echo compiled >>"$ASKED" ;;
esac
case ${KIND:-}$* in
old*--cicc-prefix*) echo "nvcc fatal   : Unknown option '--cicc-prefix'" >&2; exit 1 ;;
half*--ptxas-prefix*) echo "nvcc fatal   : Unknown option '--ptxas-prefix'" >&2; exit 1 ;;
esac
exec "${0%/*}/nvcc.elf" "$@"
E2
chmod +x toolkit/bin/nvcc
ASKED=$top/asked
export ASKED
with() { # with [VARIABLE=VALUE ...]: compiles with that toolkit
	rm -f o.ptx
	env "$@" CCC_NVCC=toolkit/bin/nvcc "$cccnvcc" "$D" -ptx a.cu -o o.ptx && once
}
asked() { echo $(cat "$ASKED") >said && echo "$*" | diff - said; r=$?; rm -f "$ASKED"; return $r; }
remembered() {
	rm -rf "$XDG_CACHE_HOME" && with && asked asked compiled && with && asked compiled && [ "$(ls "$XDG_CACHE_HOME/ptxccc" | wc -l)" = 1 ] &&
		touch -d 2020-01-01 toolkit/bin/nvcc && with && asked asked compiled || return
	for f in "$XDG_CACHE_HOME"/ptxccc/ways-*; do echo rubbish >"$f"; done
	with && asked asked compiled
}
nowhere_to_remember() {
	with XDG_CACHE_HOME= HOME= && asked asked compiled && with XDG_CACHE_HOME=relative HOME="$top/a.cu" && asked asked compiled && [ ! -e relative ] &&
		with -u HOME -u XDG_CACHE_HOME && asked asked compiled
}
old() { # a farm in the cache folder replaces it, and is made once
	rm -rf "$XDG_CACHE_HOME" && with KIND=old && with KIND=old && ls -d "$XDG_CACHE_HOME"/ptxccc/farm-* && rm -f "$ASKED" &&
		rm -rf "$XDG_CACHE_HOME" && for i in 1 2 3; do (KIND=old CCC_NVCC=toolkit/bin/nvcc "$cccnvcc" "$D" -ptx a.cu -o o$i.ptx) & done
	wait
	rm -f "$ASKED"
	here o1.ptx && here o2.ptx && here o3.ptx && [ "$(ls "$XDG_CACHE_HOME/ptxccc" | wc -l)" = 2 ]
}
half() { rm -rf "$XDG_CACHE_HOME" && with KIND=half && asked asked asked compiled && with KIND=half && asked compiled; }
old_nowhere() { says 'make a farm (cccnvcc --ccc-farm DIR)' env -u HOME XDG_CACHE_HOME= KIND=old CCC_NVCC=toolkit/bin/nvcc "$cccnvcc" "$D" -ptx a.cu -o o.ptx; }
old_read_only() { says "cannot make '/proc/none/ptxccc'" env XDG_CACHE_HOME=/proc/none KIND=old CCC_NVCC=toolkit/bin/nvcc "$cccnvcc" "$D" -ptx a.cu -o o.ptx; }
t remembered remembered
t nowhere-to-remember nowhere_to_remember
t old-nvcc old
t no-ptxas-prefix half
t old-nvcc-nowhere old_nowhere
t old-nvcc-read-only old_read_only
rm -rf "$XDG_CACHE_HOME"

# ---- caches of compiled files ---------------------------------------------------------------------------------------------
# They identify the compiler by its file, and that of cccnvcc contains a checksum of the programs that it runs.
stamp() { [ "$(sed -n 's/^# Build \([0-9-]*\):.*/\1/p' "$BIN/cccnvcc")" = "$(cat "$tree/annotate/cccnvcc.sh" "$BIN/ptxccc" "$BIN/ccc-annotate" "$BIN/../lib/libptxccc.so.0" | cksum | tr ' ' -)" ]; }
hits() { # hits WANTED: cache hits of ccache since the last call
	ccache --print-stats >stats && echo "$1" >want && awk '/_cache_hit/ { n += $2 } END { print n + 0 }' stats | diff want - && ccache -z >/dev/null
}
cached() { # a hit the second time; none with other options, or after the compiler has changed
	mkdir -p in/bin && cp "$BIN/cccnvcc" "$BIN/ccc-annotate" in/bin/ && touch -d '1 minute ago' a.cu in/bin/cccnvcc && ccache -z >/dev/null || return
	ccache in/bin/cccnvcc "$D" -c a.cu -o o.o && hits 0 && rm o.o && ccache in/bin/cccnvcc "$D" -c a.cu -o o.o && hits 1 && both o.o &&
		ccache in/bin/cccnvcc "$D" --ccc-threads=64 -c a.cu -o o.o && hits 0 &&
		sed '/^# Build/s/ [0-9]*-/ 1-/' in/bin/cccnvcc >changed && cat changed >in/bin/cccnvcc &&
		ccache in/bin/cccnvcc "$D" -c a.cu -o o.o && hits 0
}
cached_behind() { # the same if ccache is the nvcc that cccnvcc finds
	mkdir -p in/bin linked && cp "$BIN/cccnvcc" "$BIN/ccc-annotate" in/bin/ && ln -sf "$(command -v ccache)" linked/nvcc && touch -d '1 minute ago' a.cu &&
		ccache -z >/dev/null || return
	for hits in 0 1; do
		(unset CCC_NVCC && PATH=$PWD/linked:${real%/*}:$PATH && in/bin/cccnvcc "$D" -c a.cu -o o.o) && both o.o && hits $hits || return
	done
	sed '/^id=/s/=[0-9]*-/=1-/' in/bin/cccnvcc >changed && cat changed >in/bin/cccnvcc &&
		(unset CCC_NVCC && PATH=$PWD/linked:${real%/*}:$PATH && in/bin/cccnvcc "$D" -c a.cu -o o.o) && both o.o && hits 0
}
plan() { # the steps that sccache parses: programs with nvcc's names, the hook's options in the line of cicc
	"$cccnvcc" "$D" --ccc-threads=64 "--ccc-report=a b" --dryrun -c a.cu 2>said && grep -q '^#\$ "$CICC_PATH/cicc" .* --ccc-threads=64' said &&
		grep -q "^#\\$ CCC_HOOK= '--ccc-report=a b'" said && ! grep -q ccc-annotate said
}
CCACHE_DIR=$top/ccache
export CCACHE_DIR
t stamp stamp
t plan plan
if command -v ccache >/dev/null; then t ccache cached; t ccache-behind cached_behind; else skipped=$((skipped + 1)); fi

# ---- concurrent and killed builds -----------------------------------------------------------------------------------------
parallel() {
	for i in 1 2 3 4; do
		"$cccnvcc" "$D" -ptx a.cu -o o$i.ptx --ccc-report=all &
	done
	wait
	for i in 1 2 3 4; do here o$i.ptx || return 1; done
	[ "$(grep -c '^report of o[1-4].ptx$' all)" = 4 ]
}
same_output() { # two builds of one file at once
	ccc -ptx a.cu -o o.ptx & ccc -ptx a.cu -o o.ptx && wait && once
}
# Terminated while cicc or ptxccc runs: nvcc and the hook end too, and their files are removed. Killed with SIGKILL, as a group: files remain.
killed() { # killed SIGNAL COMPILER
	rm -f o.ptx "$ARGS.slow" "$top/ended"
	"${BIN%/bin}/tests/ended_main" "$top/pid" setsid "$2" "$D" -ptx a.cu -o o.ptx >"$top/ended" &
	for _ in $(seq 600); do
		[ -e "$ARGS.slow" ] || [ -s "$top/ended" ] || sleep 0.1
	done
	pid=$(cat "$top/pid")
	case $1 in KILL) kill -KILL "-$pid" ;; *) kill "-$1" "$pid" ;; esac || return
	wait
	cat "$top/ended" && ls -A "$TMPDIR"
	grep -q '^signal' "$top/ended" && [ ! -e o.ptx ] && { [ "$1" = KILL ] || [ -z "$(ls -A "$TMPDIR")" ]; }
	r=$?
	rm -rf "${TMPDIR:?}"/*
	return $r
}
in_ptxccc() { STAND_IN=slow && export STAND_IN && killed "$1" "$cccnvcc"; r=$?; unset STAND_IN; return $r; }
in_cicc() { # a farm whose cicc is slow
	printf '#!/bin/sh\n: >"$ARGS.slow"; sleep 60\n' >slow && chmod +x slow && ln -sf "$PWD/slow" many/nvvm/bin/cicc.real && killed "$1" many/bin/nvcc
}
t parallel parallel
t same-output same_output
for signal in TERM INT KILL; do
	t killed-in-ptxccc-$signal in_ptxccc $signal
	t killed-in-cicc-$signal in_cicc $signal
done

finish
