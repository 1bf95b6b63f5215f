# SPDX-License-Identifier: MIT
# estimates.sed: masks what the cost model predicts in plans, reports and emitted code (sed -E). The expectations of tests are
# compared without it, so that a changed cost constant changes files of tests/cost only.
s/[0-9]+\.[0-9]+x/N.NNx/g
s/[0-9.]+ issue slots/N issue slots/g
s/(N issue slots.* instead of) [0-9]+/\1 N/
# what decides whether a plan gains, if that is unclear without a profile
s/^(  expected: )unclear, profile it: .*/\1N.NNx (N issue slots an iteration instead of N; N.NNx to N.NNx by how many lanes need it)/
s/^( +expected: )unclear, count it .*/\1N.NNx to N.NNx, by how many lanes take it/
s/, gain unclear without a profile/, expected N.NNx/
s/"gains_if": "[^"]*"(, )?//
s/cost: common code [0-9.]+, path [0-9.]+(, collecting) [0-9.]+/cost: common code N, path N\1 N/
s/cost: common code [0-9.]+, path [0-9.]+$/cost: common code N, path N/
s/(slots, cost) [0-9]+/\1 N/
s/more than [0-9]+ % of the iterations/more than N % of the iterations/
# --suggest: shares of the issue slots and expected gains
s/^ +[0-9]+\.[0-9]%(.* )(none|unclear|N.NNx)(  \/)/  N.N%\1\2\3/
s/^(  N.N%.*) (  unclear|    N.NNx)(  \/)/\1     N.NNx\3/
s/(N.NNx, by how many lanes take) an exit with separate code/\1 it/
# --report=json
s/"(slots_before|slots)": [0-9.]+/"\1": N/g
s/"(expected|least|most|expected_percent|expected_least_percent|expected_most_percent)": [0-9.]+/"\1": N/g
# the fallback's counters and the shares of an expanded loop
s/^(.*%ccc[0-9]+_(credit|patience),.*[ -])[0-9]+;/\1N;/
s/^(.*mul\.lo\.u32.*%ccc[0-9]+_total, %ccc[0-9]+_total,) [0-9]+;/\1 N;/
