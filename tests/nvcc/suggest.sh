#!/bin/sh
# SPDX-License-Identifier: MIT
# suggest.sh [-v] [-b] [PATTERN]: the advice of --ccc-suggest for programs in common styles (styles/; -b rewrites styles/advice.txt).
# Each advice, pasted at its place, compiles and reaches a statement there, which is transformed or refused with a reason.
# The same of the samples, without their annotations (not with FEW=1). Needs nvcc, no GPU.
part=suggestions
bless=
[ "${1:-}" != -b ] || { bless=1; shift; }
. "$(dirname "$0")/frame.sh"
unset CCC_PTXCCC
export CCC_PTXAS=
cp -r "$tree/tests/nvcc/styles" styles
cp -r "$tree/samples" samples
sed -i -E '/^[[:blank:]]*#pragma ccc/s/.*//' samples/*.cu
# the sites of DIR/FILE, with the advice or the reason against it
advice() { (cd "$1" && "$cccnvcc" --ccc-suggest -std=c++17 --extended-lambda -arch=sm_80 -ptx "$2" -o "$top/s.ptx" 2>&1) | sed "s|$PWD/$1/||g"; }
sites() { sed -n -E 's/^ *[0-9.]+% .*(x|unclear|none)  (.*)$/\2/p; s/^         (to do: .#pragma.*|why not: .*)/\t\1/p'; }
advised() { # styles/advice.txt
	for source in styles/*.cu; do
		advice styles "${source#*/}" | sites
	done >got
	[ -z "$bless" ] || cp got "$tree/tests/nvcc/styles/advice.txt"
	diff "$tree/tests/nvcc/styles/advice.txt" got
}
# paste DIR FILE: each advice in a separate copy
paste_all() {
	advice "$1" "$2" >said
	n=$(awk -v only=0 -f "$tree/tests/nvcc/paste.awk" said) || return 1
	[ "$n" -gt 0 ] || ! grep -q 'to do: .#pragma' said || return 1
	k=1
	while [ "$k" -le "$n" ]; do
		paste_one "$1" "$2" "$k" || { cat said plan out; return 1; }
		k=$((k + 1))
	done
}
paste_one() { # DIR FILE N
	awk -v only="$3" -f "$tree/tests/nvcc/paste.awk" said >plan
	rm -rf pasted && cp -r "$1" pasted || return 1
	for file in $(cut -d' ' -f1 plan | sort -u); do
		awk -v of="$file" -f "$tree/tests/nvcc/paste.awk" plan "$1/$file" >"pasted/$file" || return 1
	done
	(cd pasted && "$cccnvcc" --ccc-report -std=c++17 --extended-lambda -arch=sm_80 -ptx "$2" -o "$top/p.ptx") >out 2>&1 || return 1
	grep -q 'annotated loops\? transformed' out && ! grep -q 'the compiler removed it\|the compiler left no loop' out || return 1
	# the annotation's line in the copy, which the report or a message names
	file=$(head -1 plan | cut -d' ' -f1) text=$(head -1 plan | cut -d' ' -f5-)
	for line in $(grep -n -x -F -e "$text" "pasted/$file" | cut -d: -f1); do
		grep -q "\\b$(basename "$file"):$line\\b" out && return
	done
	return 1
}
elsewhere() { # called by its path, from another folder, and with #line: the same places
	mkdir -p "else/where" && cp styles/* else/where/ && advice styles lines.cu >want
	(cd else && "$cccnvcc" --ccc-suggest -arch=sm_80 -I ./where/.. -ptx ./../else/where/lines.cu -o "$top/s.ptx" 2>&1) | sed "s|$PWD/[^ ]*/lines.cu|lines.cu|g" >got
	diff want got
}
no_line() { # code without a line is in a function, never in a temporary file
	cat >n.cu <<-'E2'
	__global__ void k(const float *in, float *out, int n)
	{
		for (int i = threadIdx.x; i < n; i += blockDim.x)
			out[i] = fmodf(in[i], in[i + 1]);
	}
	E2
	for source in n styles/macros styles/header; do
		"$cccnvcc" --ccc-suggest -arch=sm_80 -ptx $source.cu -o s.ptx 2>said
		cat said
		grep -q '%' said && ! grep -q 'made\.ptx\|tmpxft' said || return 1
	done
}
placed() { # --ccc-auto counts there: FILE, lines of the markers
	(cd styles && "$cccnvcc" --ccc-auto --ccc-markers-only -arch=sm_80 -ptx "$1.cu" -o ../s.ptx)
	sed -n 's/^.*\.ccc begin \([a-z-]*\) [0-9]* "[^"]*":\([0-9]*\).*/\1 \2/p' s.ptx | grep -v '^iteration' | sort -k2n -u | tr '\n' ' ' >got; cat got
	[ "$(cat got)" = "$2 " ]
}
exit_code() { # before a break: the advice names an annotation that transforms the loop
	cat >e.cu <<-'E2'
	__global__ void k(const float *in, float *out, int n)
	{
		float x = in[threadIdx.x], s = 0;
		for (int i = 0; i < n; ++i) {
			x = x * 1.01f + 0.5f;
			if (x > 100) {
				for (int j = 0; j < n && s < x; ++j)
					s += sinf(x + s) + 1.5f;
				break;
			}
		}
		out[threadIdx.x] = s;
	}
	E2
	"$cccnvcc" --ccc-suggest -arch=sm_80 -ptx e.cu -o s.ptx 2>said
	cat said
	grep -q "with '#pragma ccc for policy(converge)' over that loop" said || return 1
	sed 's/^.*int i = 0/\n#pragma ccc for policy(converge)\n&/' e.cu >f.cu
	"$cccnvcc" --ccc-report -arch=sm_80 -ptx f.cu -o s.ptx 2>&1 | grep 'transformed, policy converge'
}
t "advice" advised
t "code before a break" exit_code
t "another folder" elsewhere
t "no line" no_line
t "a do loop in a kernel with one task per thread" placed repeat "for-var 10"
t "an inner loop in such a kernel" placed rows "if 10 for 18"
t "guards" placed guards "if 10 for 20"
t "code that is no statement" placed none "for 8 for-var 17"
t "lines" placed lines "for 11"
t "conditions that call" placed calls "for 8 for 14"
for source in styles/*.cu samples/*.cu; do
	case $source in samples/*) [ "${FEW:-}" ] && continue ;; esac
	t "paste $source" paste_all "${source%/*}" "${source##*/}"
done
finish
