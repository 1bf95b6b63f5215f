#!/bin/sh
# SPDX-License-Identifier: MIT
# pictures.sh: makes docs/lines.png and docs/report.png anew, of two samples as a browser shows
# them. Needs nvcc, chromium, and what `make` builds.
set -eu
cd "$(dirname "$0")/.."
here=$PWD bin=$PWD/build/bin
dir=/tmp/samples # the page of lines shows the name
mkdir "$dir"
trap 'rm -rf "$dir"' EXIT
cp samples/sample.cuh samples/crosssections.cu samples/hash.cu "$dir"
cd "$dir"
picture() { # picture PAGE HEIGHT
	HOME=$dir chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$dir/chromium" \
		--window-size="1100,$2" --screenshot="$here/docs/$1.png" "file://$dir/$1.html" >/dev/null 2>&1
}
"$bin/cccnvcc" --ccc-off -arch=sm_90 -lineinfo -cudart shared crosssections.cu -o crosssections
"$bin/ptxrun" --html=lines.html -- ./crosssections --particles 4096 --blocks 2 >/dev/null
"$bin/cccnvcc" -arch=sm_90 --ccc-report=report.html -c crosssections.cu hash.cu
picture lines 860
picture report 900
