#!/bin/sh
# cccnvcc: nvcc, with the annotations of CUDA sources (#pragma ccc ...) compiled.
#
# All arguments but --ccc-... go to the real nvcc as they are, with one more in front: its option --cicc-prefix, which makes
# it run `ccc-annotate --hook` in place of cicc. nvcc does everything else. See cccnvcc(1) and annotate/hook.c.
set -u

say() { printf 'cccnvcc: %s\n' "$*" >&2; }
fatal() { say "error: $*"; exit 2; }

# ---- this script's folder, symbolic links resolved ---------------------------------------------------------------------
self=$0
case $self in
*/*) ;;
*) self=$(command -v -- "$self") || self=./$0 ;;
esac
while [ -L "$self" ]; do
	link=$(readlink -- "$self") || break
	case $link in
	/*) self=$link ;;
	*) self=${self%/*}/$link ;;
	esac
done
dir=${self%/*}
case $dir in
/*) ;;
*) dir=$PWD/$dir ;;
esac

# ---- the real nvcc: CCC_NVCC, else PATH but never this script, else the usual places -------------------------------------
find_nvcc() {
	if [ -n "${CCC_NVCC:-}" ]; then
		nvcc=$CCC_NVCC
		case $nvcc in
		*/*) [ -x "$nvcc" ] || fatal "CCC_NVCC: there is no program '$nvcc'" ;;
		*) command -v -- "$nvcc" >/dev/null || fatal "CCC_NVCC: there is no program '$nvcc' on PATH" ;;
		esac
		return
	fi
	ifs=$IFS
	IFS=:
	set -f
	for d in $PATH "${CUDA_HOME:-}/bin" "${CUDA_PATH:-}/bin" /usr/local/cuda/bin /opt/cuda/bin /usr/lib/cuda/bin \
		/usr/lib/nvidia-cuda-toolkit/bin; do
		nvcc=${d:-.}/nvcc
		if [ -f "$nvcc" ] && [ -x "$nvcc" ] && ! [ "$nvcc" -ef "$self" ]; then
			IFS=$ifs
			set +f
			return
		fi
	done
	fatal "no nvcc on PATH nor in /usr/local/cuda: install the CUDA toolkit, or set CCC_NVCC to nvcc's path"
}

# ---- own options -------------------------------------------------------------------------------------------------------
own_help() {
	cat <<'EOF'
cccnvcc: nvcc with the annotations `#pragma ccc ...` compiled (see cccnvcc(1) and docs/annotations.md).

  --ccc-report[=FILE]   what was transformed and what not: to standard error, or appended to FILE
  --ccc-off             plain nvcc
  --ccc-strict          an annotation that could not be followed is an error
  --ccc-policy=P        stack, queue, expand or auto, where an annotation names none
  --ccc-threads=N       threads a block has at most, where the source does not say
  --ccc-W...            a -W option of ptxccc: --ccc-Wno-NAME, --ccc-Werror=NAME
  --ccc-markers-only    annotations to markers in the PTX, nothing transformed
  --ccc-keep            keep NAME.ccc.ii, NAME.orig.ptx and NAME.ptx
  --ccc-verbose         show the commands run
  --ccc-version         this program's version
  --ccc-help            this text
  CCC_FLAGS             options to put in front of these;  CCC_NVCC  which nvcc to run

EOF
}

quote() { # sets $quoted
	quoted=
	rest=$1
	while :; do
		case $rest in
		*\'*) quoted="$quoted${rest%%\'*}'\\''" rest=${rest#*\'} ;;
		*) break ;;
		esac
	done
	quoted="'$quoted$rest'"
}

off=
hook=
own() {
	case $1 in
	--ccc-off) off=1 ;;
	--ccc-help) own_help; exit 0 ;;
	--ccc-version) exec "$dir/ccc-annotate" --version ;;
	--ccc-policy=stack | --ccc-policy=queue | --ccc-policy=expand | --ccc-policy=auto) quote "$1"; hook="$hook $quoted" ;;
	--ccc-policy*) fatal "'$1': the policies are stack, queue, expand and auto" ;;
	--ccc-threads= | --ccc-threads=*[!0-9]*) fatal "'$1': not a number" ;;
	--ccc-report=) fatal "'$1': the file's name is missing" ;;
	--ccc-report | --ccc-report=* | --ccc-strict | --ccc-keep | --ccc-markers-only | --ccc-verbose | --ccc-threads=* | --ccc-W?*)
		quote "$1"; hook="$hook $quoted" ;;
	*) fatal "unknown option '$1' (cccnvcc --ccc-help shows all)" ;;
	esac
}

if [ -n "${CCC_FLAGS:-}" ]; then
	set -f
	for a in $CCC_FLAGS; do
		own "$a"
	done
	set +f
fi
case $* in
*--ccc-*)
	i=0
	others=
	for a; do
		i=$((i + 1))
		case $a in
		--ccc-*) own "$a" ;;
		*) others="$others \"\${$i}\"" ;;
		esac
	done
	eval "set -- $others"
	;;
esac
find_nvcc

# An nvcc on PATH that leads back here (a script that runs cccnvcc) must not loop for ever.
CCC_DEPTH=$((${CCC_DEPTH:-0} + 1))
export CCC_DEPTH
[ "$CCC_DEPTH" -le 8 ] || fatal "'$nvcc' leads back to cccnvcc: set CCC_NVCC to the real nvcc"

# <ccc.h> is found; on an environment variable, so that the command line stays as it is.
if [ -f "$dir/../include/ptxccc/ccc.h" ]; then
	CPLUS_INCLUDE_PATH=${CPLUS_INCLUDE_PATH:+$CPLUS_INCLUDE_PATH:}$dir/../include/ptxccc
	export CPLUS_INCLUDE_PATH
fi

[ -z "$off" ] || exec "$nvcc" "$@"

# ---- what the hook would not see ----------------------------------------------------------------------------------------
case " $* ${NVCC_PREPEND_FLAGS:-} ${NVCC_APPEND_FLAGS:-} " in
*-cicc-prefix*) say "warning: another --cicc-prefix is given, which nvcc prefers: annotations are not compiled" ;;
esac
case " $* " in
*" --keep "* | *" -keep "* | *" --save-temps "* | *" -save-temps "*) hook="$hook --ccc-keep-ptx" ;;
esac
case " $* " in
*" --help "* | *" -h "* | *" -help "*) own_help ;;
esac
case "$* " in
*.ptx\ *)
	last=
	for a; do
		case $last:$a in
		-o:* | --output-file:*) ;;
		*.ptx)
			if [ -f "$a" ] && grep -q '^[[:space:]]*// \.ccc begin ' "$a" 2>/dev/null; then
				say "warning: '$a' has annotations that only ptxccc can compile: run 'ptxccc -o OUT.ptx $a' first"
			fi
			;;
		esac
		last=$a
	done
	;;
esac

# The CCC paper's spelling, `#CCC for const`, must be gone before gcc sees it.
paper=
for a; do
	case $a in
	*.cu | *.cpp | *.cc | *.cxx)
		if [ -f "$a" ] && grep -q '^[[:blank:]]*#[[:blank:]]*CCC[[:blank:]]' "$a" 2>/dev/null; then
			paper=1
		fi
		;;
	esac
done

quote "$dir/ccc-annotate"
[ -z "$paper" ] || set -- --cpp-prefix="$quoted --hook-cpp --" "$@"
exec "$nvcc" --cicc-prefix="$quoted --hook$hook --" "$@"
