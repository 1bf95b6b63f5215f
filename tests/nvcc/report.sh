#!/bin/sh
# SPDX-License-Identifier: MIT
# report.sh [-v] [PATTERN]: the report of a build in one file: several sources, architectures and folders, concurrent
# compilations, recompilation. tests/report/check.py (python3) checks each format, and a browser the page if there is one.
# Needs nvcc, no GPU.
part=build-report
. "$(dirname "$0")/frame.sh"
unset CCC_PTXCCC
cd .. && mkdir work/sub # frame.sh leaves us in work
cat >work/a.cu <<'E2'
template <int N, typename T> __global__ void visit(const T *x, T *y, int n)
{
	#pragma ccc for threads(256)
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		T v = x[i];
		#pragma ccc if
		if (v > N) {
			T s = v;
			for (int k = 0; k < 100 && s < 1000000; k++)
				s = s * 3 + k;
			y[i] = s;
		}
	}
}
template __global__ void visit<4, float>(const float *, float *, int);
template __global__ void visit<7, int>(const int *, int *, int);
E2
cat >work/sub/b.cu <<'E2'
extern "C" __global__ void out(const int *x, int *y, int n)
{
	int s = 1;
	#pragma ccc for
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		#pragma ccc if
		if (x[i] & 1)
			s = s * 5 + y[s & 7];
		y[i & 7] = s; // "quoted" <b> & 'so'
	}
}
E2
cp work/a.cu work/1.cu
cp work/a.cu work/2.cu
cat >work/Makefile <<'E2'
all: 1.80 2.80 1.90 2.90 b.90
few: 1.90 b.90
%.80: %.cu
	$(CCC) -arch=sm_80 --ccc-report=$(TO) -ptx $< -o $@
%.90: %.cu
	$(CCC) -arch=sm_90 --ccc-report=$(TO) -ptx $< -o $@
b.90:
	cd sub && $(CCC) -arch=sm_90 --ccc-report=$(TO) -ptx b.cu -o ../$@
E2
build() { rm -f work/*.[89]0; make -s -j5 -C work CCC="$cccnvcc" TO="$top/work/$1" "${2:-all}" 2>err || { cat err; return 1; }; }
# Two sources for two architectures with two instances, and one that is left unchanged.
read_it() { # read_it NAME SITES DONE
	command -v python3 >/dev/null 2>&1 || { echo "no python3"; return 77; }
	case $1 in *.yaml) python3 -c 'import yaml' 2>/dev/null || { echo "no yaml for python3"; return 77; } ;; esac
	python3 "$tree/tests/report/check.py" "work/$1" >n && cat n && [ "$(cat n)" = "$2 $3" ]
}
json() { build r.json && read_it r.json 9 8; }
format() { build "$1" few && grep -q 'b\.cu:8' "work/$1" && read_it "$1" 3 2; }
once() { cp work/r.json first.json && build r.json && cmp first.json work/r.json; } # a second build replaces the first's, in whatever order
facts() { # by CUDA line
	for fact in '"name": "visit<4, float>", "instance": "<4, float>"' '"arch": "sm_80"' '"computed": {"file": "1.cu", "line": 4' \
		'"diagnostic": "ccc-live-out"' '"at": {"file": "b.cu", "line": 8' '"remedy": "let the path store' "\"folder\": \"$top/work/sub\""; do
		grep -qF "$fact" work/r.json || { echo "no $fact"; return 1; }
	done
}
machine() { command -v ptxas >/dev/null || return 77; grep -q '"registers_before": [1-9][0-9]*, "registers": [1-9][0-9]*, "occupancy_block": 256, "warps_before": 64, "warps": 64' work/r.json; }
# A source that is compiled a second time (annotate/again.c) has both kinds: a site left unchanged, and a transformed one.
again() {
	{ cat work/a.cu; sed 's/out/left/' work/sub/b.cu; } >work/both.cu
	(cd work && "$cccnvcc" -arch=sm_90 --ccc-report=both.json -ptx both.cu -o both.ptx 2>/dev/null) && grep -c '"transformed": true' work/both.json | grep -qx 2 &&
		grep -c '"transformed": false' work/both.json | grep -qx 1
}
# The next build applies and reports what a profile chooses for a site, by the key in the report; also if other annotations are missing in its
# second compilation. Tests the environment variable, and names with blanks.
chosen() {
	version=$("$BIN/ptxccc" --version | sed 's/^ptxccc \([^ ]*\).*/\1/')
	{ echo 'cccprof 2'; sed -n 's/.*"key": "\(cut [^"]*"[^"]*"[^"]*\)".*/\1/p' work/both.json | sed 's/\\"/"/g; s/\\u000a/\n/g' | sed "s/^\$/choice $1 $version\nend/"; } >"work/the choice"
	(cd work && CCC_FLAGS= CCC_PROFILE_USE="the choice" CCC_REPORT="re port.json" "$cccnvcc" -arch=sm_90 -ptx both.cu -o chosen.ptx 2>err)
}
choices() {
	[ -f work/both.json ] || again || return
	for policy in stack 'queue(4)' 'ahead(8)'; do
		chosen "$policy" && ! grep "of other code" work/err && [ "$(grep -c "\"transformed\": true.*\"choice\": \"$policy\"" 'work/re port.json')" = 2 ] || return
		mv work/chosen.ptx "work/$policy.ptx"
	done
	! cmp -s work/stack.ptx 'work/queue(4).ptx' && chosen leave && ! grep -q '"transformed": true' 'work/re port.json' &&
		[ "$(grep -c '"choice": "leave"' 'work/re port.json')" = 3 ]
}
text() { (cd work && "$cccnvcc" -arch=sm_90 --ccc-report=r.txt -ptx a.cu -o a.ptx && "$cccnvcc" -arch=sm_90 --ccc-report=r.txt -ptx a.cu -o a.ptx) && [ "$(grep -c '^== a.cu, sm_90$' work/r.txt)" = 1 ]; }
page() { # the page as a browser shows it
	browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || { echo "no browser"; return 77; }
	HOME=$top timeout 1000 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$top/chromium" --dump-dom "file://$top/work/r.html" >dom 2>chromium.err
	[ "$(grep -o '<tr class="site ' dom | wc -l)" = 3 ] && grep -q '"quoted" &lt;b&gt; &amp;' dom && grep -q '<b>What to do:</b> let the path store' dom &&
		grep -q '<code>visit&lt;4, float&gt;</code> for sm_90' dom
	status=$?
	rm -rf "$top/chromium"
	return $status
}
cannot() { (cd work && "$cccnvcc" -arch=sm_90 --ccc-report=/nowhere/r.json -ptx a.cu -o c.ptx 2>err; [ $? != 0 ] && grep -q "cannot write '/nowhere/r.json':" err) ; }

t "json" json
t "json, facts" facts
t "json, messages of ptxas" machine
t "built again" once
t "sarif" format r.sarif
t "remarks" format r.opt.yaml
t "page" format r.html
t "page in a browser" page
t "second compilation" again
t "choices" choices
t "text" text
t "cannot be written" cannot
finish
