#!/bin/sh
# SPDX-License-Identifier: MIT
# choose.sh [NAME...]: with a profile of the same data, `auto` selects a plan close to the best legal one. Runs samples on the
# emulator under each legal policy (ccc-tune --top=100) and compares issue slots. LIMIT: permitted distance from the best
# plan, in percent (5). Ignores occupancy (--ccc-occupancy=ignore), which the emulator does not model. Launches must be long
# enough to fill the queues, as the model assumes. Run by hand; takes minutes, because nvcc runs once per policy.
set -u
cd "$(dirname "$0")/.." || exit 2
part=choose
. tests/t.sh
BIN=${BIN:-$PWD/build/bin} limit=${LIMIT:-5}
. tests/cuda.sh
tree=$PWD

near() { # NAME OPTIONS...
	[ -n "$nvcc" ] || { echo "no nvcc"; return 77; }
	name=$1
	shift
	mkdir "$tmp/$name" && cd "$tmp/$name" || return
	build="CCC_NVCC='$nvcc' '$BIN/cccnvcc' -O1 -arch=sm_75 --ccc-occupancy=ignore -lineinfo -cudart shared '$tree/samples/$name.cu' -o program"
	sh -c "$build --ccc-markers-only" && "$BIN/ptxrun" --no-races --no-unwritten --profile=p.cccprof -- ./program "$@" >/dev/null &&
		"$BIN/ptxccc" profile show p.cccprof || return
	"$BIN/ccc-tune" --no-stdout --timer=emulator --top=100 --export=json --build="$build --ccc-profile-use=p.cccprof" -- ./program "$@" >json
	[ $? -le 1 ] || return 1
	best=$(sed -n 's/^"worth": \([0-9.]*\),.*/\1/p' json)
	echo "$name: the best is worth $best of auto"
	echo "$name $best" >>"$tmp/worths"
	awk -v best="$best" -v limit="$limit" 'BEGIN { exit best > 1 + limit / 100 }'
}
row() { # NAME OPTIONS...
	case " ${names:-$1} " in *" $1 "*) t "$1" near "$@" ;; esac
}
names=$*
row primes --count 3000
row synthetic --items 400000 --length 20 --lanes 4
[ ! -f "$tmp/worths" ] || cat "$tmp/worths"
finish
