#!/bin/sh
# SPDX-License-Identifier: MIT
# signals.sh: signals that arrive at cccnvcc while a program of the build runs, at ptxccc while ptxas runs, and at ccc-tune
# and ptxrun. All descendants end, the program ends by that signal, and no temporary file is left. Temporary files are in
# folders of mode 700 or have no name. nvcc, cicc and the others are stand-ins that report their start and wait; needs neither
# nvcc nor a GPU.
set -u
cd "$(dirname "$0")/../.." || exit 2
part=signals
. tests/t.sh
tree=$PWD BIN=${BIN:-$PWD/build/bin}
ended=${BIN%/bin}/tests/ended_main
mkdir "$tmp/work" "$tmp/tmp" "$tmp/bin" || exit 2
cd "$tmp/work" || exit 2
TMPDIR=$tmp/tmp XDG_CACHE_HOME=$tmp/cache CCC_NVCC=$tmp/bin/nvcc
export TMPDIR XDG_CACHE_HOME CCC_NVCC
unset CCC_FLAGS NVCC_APPEND_FLAGS NVCC_PREPEND_FLAGS CCC_DEPTH CCC_DISABLE CCC_PTXAS

# A program of the build: if WAIT names it, it reports that it runs, and waits for its end.
cat >"$tmp/bin/step" <<'E2'
#!/bin/sh
[ "${WAIT:-}" = "$1" ] || exit 0
echo $$ >"$RUNS.new" && mv "$RUNS.new" "$RUNS"
while :; do sleep 1; done
E2
# Behaves as nvcc does: a signal ends it, but not the programs that it runs, and its files remain.
cat >"$tmp/bin/nvcc" <<'E2'
#!/bin/sh
prefix= run=
for a; do
	case $a in
	--cicc-prefix=*) prefix=${a#*=} ;;
	--dryrun) dryrun=1 ;;
	esac
done
[ -z "${dryrun:-}" ] || { echo "#$ $prefix cicc $TMPDIR"; exit 0; }
echo "$TMPDIR" >"$FOLDER"
temporary=$TMPDIR/tmpxft_$$
echo main >"$temporary.cpp" || exit 3
cat >"$temporary.ii" <<'E3'
# 1 "a.cu"
__attribute__((global)) void k(int n, int *p)
{
#pragma ccc for
	for (int i = 0; i < n; i++) {
#pragma ccc if
		if (p[i] & 1) p[i] /= 3;
	}
}
E3
echo "$$" >"$RUNS.nvcc"
"${0%/*}/step" host || exit
eval "$prefix" "'${0%/*}/cicc' --orig_src_file_name a.cu -arch compute_90 '$temporary.ii' -o '$temporary.ptx'" || exit
"${0%/*}/step" ptxas || exit
rm -f "$temporary".*
exit "${NVCC_STATUS:-0}"
E2
cat >"$tmp/bin/cicc" <<'E2'
#!/bin/sh
for a; do
	[ "${last:-}" = -o ] && out=$a
	case $a in *.ii) in=$a ;; esac
	last=$a
done
echo "$in" >"$RUNS.source"
cat "$TREE/tests/golden/grid_stride.ptx" >"$out"
"${0%/*}/step" cicc
E2
cat >"$tmp/bin/ptxccc" <<'E2'
#!/bin/sh
"${0%/*}/step" ptxccc
exec "$REAL" "$@"
E2
cat >"$tmp/bin/ptxas" <<'E2'
#!/bin/sh
for a; do
	case $a in /*) [ -r "$a" ] || exit 1 ;; esac
done
exec "${0%/*}/step" verify
E2
chmod +x "$tmp"/bin/*
TREE=$tree REAL=$BIN/ptxccc RUNS=$tmp/runs FOLDER=$tmp/folder CCC_PTXCCC=$tmp/bin/ptxccc
export TREE REAL RUNS FOLDER CCC_PTXCCC

wait_for() { # wait_for COMMAND...: until it succeeds; the minute is for busy machines
	tries=0
	until "$@" 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -lt ${TRIES:-1200} ] || { echo "in vain: $*"; return 1; }
		sleep 0.05
	done
}
gone() { ! kill -0 "$1" 2>/dev/null || grep -q '^State:.*Z' "/proc/$1/status"; }
empty() { left=$(find "$TMPDIR" -mindepth 1) && [ -z "$left" ] || { echo "left: $left"; return 1; }; }
begin() { # begin STEP COMMAND...: runs it up to that step
	rm -rf "$RUNS" "$RUNS".* "$tmp/pid" "$tmp/ended" "${TMPDIR:?}"/*
	WAIT=$1
	export WAIT
	shift
	"$ended" "$tmp/pid" "$@" >"$tmp/ended" 2>"$tmp/err" &
	wait_for [ -s "$tmp/pid" ] && wait_for [ -s "$RUNS" -o -s "$tmp/ended" ] && unset WAIT && [ -s "$RUNS" ] || { cat "$tmp/ended" "$tmp/err"; return 1; }
}
end_by() { # end_by SIGNAL: sends it only to the command; checks how it ends, and the remaining files
	kill "-$1" "$(cat "$tmp/pid")" && wait_for [ -s "$tmp/ended" ] || { kill -KILL "$(cat "$RUNS")" "$(cat "$tmp/pid")"; return 1; }
	case $1 in HUP) n=1 ;; INT) n=2 ;; QUIT) n=3 ;; TERM) n=15 ;; KILL) n=9 ;; esac
	[ "$(cat "$tmp/ended")" = "signal $n" ] || { cat "$tmp/ended" "$tmp/err"; return 1; }
}
all_gone() { # each program of the build
	for f in "$RUNS" "$RUNS.nvcc"; do
		[ ! -f "$f" ] || gone "$(cat "$f")" || { echo "$f runs"; kill -KILL "$(cat "$f")"; return 1; }
	done
}

build() { # build STEP SIGNAL
	begin "$1" "$BIN/cccnvcc" -c a.cu && end_by "$2" && all_gone && empty
}
for step in host cicc ptxccc ptxas; do
	for signal in TERM HUP INT QUIT; do t "$step-$signal" build $step $signal; done
done
twice() { # a second signal from an impatient user
	begin cicc "$BIN/cccnvcc" -c a.cu && kill -INT "$(cat "$tmp/pid")" && kill -TERM "$(cat "$tmp/pid")" 2>/dev/null
	wait_for grep -q '^signal' "$tmp/ended" && all_gone && empty
}
t twice twice
killed() { # as before, but nvcc is killed too
	begin host "$BIN/cccnvcc" -c a.cu && end_by KILL && wait_for gone "$(cat "$RUNS.nvcc")"
	r=$?
	kill "$(cat "$RUNS")"
	rm -rf "${TMPDIR:?}"/*
	return $r
}
t killed killed
ignored() { # a signal that the parent ignores, as nohup does
	begin host sh -c 'trap "" HUP; exec "$@"' sh "$BIN/cccnvcc" -c a.cu && kill -HUP "$(cat "$tmp/pid")" && end_by TERM && empty
}
t ignored ignored

# ---- without a signal -------------------------------------------------------------------------------------------------------
statuses() {
	"$BIN/cccnvcc" -c a.cu && empty && ! [ -e "$(cat "$FOLDER")" ] && NVCC_STATUS=3 "$BIN/cccnvcc" -c a.cu
	[ $? = 3 ] && empty
}
t statuses statuses
private() { # permissions of nvcc's folder, and of the hook's folder in it
	begin cicc "$BIN/cccnvcc" -c a.cu && source=$(cat "$RUNS.source") &&
		[ "$(stat -c %a "$(cat "$FOLDER")" "${source%/*}" | tr '\n' ' ')" = "700 700 " ] && end_by TERM && empty
}
t private private
no_folder() { # nvcc itself reports the error about TMPDIR
	(TMPDIR=$tmp/none "$BIN/cccnvcc" -c a.cu)
	[ $? = 3 ] && [ "$(cat "$FOLDER")" = "$tmp/none" ]
}
t no-folder no_folder
users_folder() { # a folder that is displayed, and in which the program runs
	"$BIN/cccnvcc" --dryrun -c a.cu >out && grep -q " $TMPDIR\$" out && "$BIN/cccnvcc" -run a.cu && [ "$(cat "$FOLDER")" = "$TMPDIR" ] && empty
}
t users-folder users_folder
cat >"$tmp/bin/serving" <<'E2'
#!/bin/sh
case $* in *--dryrun*) echo "ccc-self-test cicc"; exit ;; esac
setsid sh -c 'echo $$ >"$RUNS.new" && mv "$RUNS.new" "$RUNS"; while [ ! -e "$RUNS.stop" ]; do sleep 0.05; done; echo "$TMPDIR" >"$TMPDIR/still" && mv "$TMPDIR/still" "$RUNS.done"' </dev/null >/dev/null 2>&1 &
while [ ! -e "$RUNS" ]; do sleep 0.05; done
E2
chmod +x "$tmp/bin/serving"
server() { # a server that a build starts outlives it, and so does its folder
	rm -f "$RUNS" "$RUNS".*
	CCC_NVCC=$tmp/bin/serving "$BIN/cccnvcc" -c a.cu && ! gone "$(cat "$RUNS")" && : >"$RUNS.stop" && wait_for [ -s "$RUNS.done" ] && wait_for gone "$(cat "$RUNS")"
	r=$?
	rm -rf "${TMPDIR:?}"/*
	return $r
}
if command -v setsid >/dev/null; then t server server; else skipped=$((skipped + 1)); fi

# ---- other programs ---------------------------------------------------------------------------------------------------------
hook_alone() { # no file with a predictable name is written
	sed -n '/^# 1 "a.cu"/,/^E3/p' "$tmp/bin/nvcc" | grep -v '^E3' >in.ii && echo mine >victim && rm -f "$RUNS".* &&
		sh -c 'for f in ii ptx followed report switched; do ln -s victim "in.ccc$$.$f"; done; exec "$@"' sh \
			"$BIN/ccc-annotate" --hook -- "$tmp/bin/cicc" --orig_src_file_name a.cu -arch compute_90 in.ii -o out.ptx
	r=$?
	[ $r = 0 ] && [ "$(cat victim)" = mine ] && [ -s out.ptx ] && [ -s "$RUNS.source" ]
	r=$?
	rm -f in.*
	[ -z "$(find . -name '*.ccc*')" ] && return $r
}
t hook-alone hook_alone
verify() { # ptxas reads and writes files without a name in TMPDIR
	begin verify "$BIN/ptxccc" --choose=always --verify-ptxas="$tmp/bin/ptxas" "$tree/tests/golden/grid_stride.ptx" -o "$tmp/out.ptx" && empty && end_by "$1" &&
		if [ "$1" = KILL ]; then kill "$(cat "$RUNS")"; fi && wait_for all_gone && empty
}
for signal in TERM KILL; do t "verify-$signal" verify $signal; done
listing() { # the same for ptxrun
	begin verify "$BIN/ptxrun" --ptxas="$tmp/bin/ptxas" "$tree/tests/simt/unrolled.ptx" k --block 64 --arg buf:2048:real --counts && empty && end_by "$1" &&
		kill "$(cat "$RUNS")" && wait_for all_gone && empty
}
t listing-TERM listing TERM
report() { # uses a separate folder; an existing file in its place is not written
	echo mine >victim
	"$BIN/ptxrun" -- sh -c 'stat -c %a "${PTXRUN_REPORT%/*}" "$PTXRUN_REPORT" >modes; ln -sf "$PWD/victim" "$PTXRUN_REPORT"; exec "$0"' "$BIN/ptxrun" --help >/dev/null 2>&1
	[ "$(tr '\n' ' ' <modes)" = "700 600 " ] && [ "$(cat victim)" = mine ] && empty
}
t report report
tune() { # tune SIGNAL: the build's programs end as well
	begin host "$BIN/ccc-tune" --build="'$BIN/cccnvcc' -c a.cu; exit 1" -- true && end_by "$1" && all_gone && empty
}
for signal in TERM HUP INT; do t "tune-$signal" tune $signal; done
written() { # strace sends the signal between the temporary file and its renaming
	command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null || { echo "no strace"; return 77; }
	mkdir -p to && rm -f to/* && echo old >to/o.ptx &&
		"$ended" "$tmp/pid" strace -o /dev/null -e trace=fchmod -e inject=fchmod:signal=TERM:when=1 "$BIN/ptxccc" "$tree/tests/golden/grid_stride.ptx" -o to/o.ptx >"$tmp/ended" 2>&1
	[ "$(cat "$tmp/ended")" = "signal 15" ] && [ "$(ls to)" = o.ptx ] && grep -q '^\.version' to/o.ptx
}
t written written
finish
