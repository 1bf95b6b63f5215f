# SPDX-License-Identifier: MIT
# totals.awk LOG...: adds the totals that runs of fuzz_diff print at their ends, on any machines, for seeds that must not
# overlap: kernels, failures, and the numbers of kernels transformed by each annotation, for docs/measurements/verification.md.
/^[0-9]+ kernels in / { kernels += $1; runs++ }
/^gen: [0-9]+ passed, [0-9]+ failed$/ { failed += $4 }
/^seeds [0-9]+ to [0-9]+; transformed, by annotation: / {
	ranges = ranges (ranges ? ", " : "") $2 " to " substr($4, 1, length($4) - 1)
	sub(/.*: /, "")
	n = split($0, kind, ", ")
	for (i = 1; i <= n; i++) {
		count = kind[i]
		sub(/.* /, "", count)
		sub(/ [0-9]+$/, "", kind[i])
		name[i] = kind[i]
		sum[i] += count
	}
}
END {
	printf "%d runs, %d kernels, %d failed; seeds %s\n", runs, kernels, failed, ranges
	for (i = 1; i <= n; i++)
		printf "| `%s` %s", name[i], i < n ? "" : "|\n"
	for (i = 1; i <= n; i++)
		printf "| %d %s", sum[i], i < n ? "" : "|\n"
	exit runs == 0
}
