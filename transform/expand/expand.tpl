# SPDX-License-Identifier: MIT
# expand.tpl: an annotated loop with an expanded inner loop, emitted before the original loop, which becomes unreachable (expand_plan.c;
# docs/proofs/expand.md).
#
# %~mask   M, the lanes that arrived together        %~in     this lane's loop has not ended    %~first  number of this row's first
# %~lane   this lane's number in M                   <n>      trip count of its row                      iteration among those of short
# %~size   number of lanes in M                      %~row    it has a row                               rows; %~total: their number
# %~last   number of the last lane                   %~votes  lanes with a row                  %~whose  owner of the row it works on
# %~exit   the exit that it took                     %~more   temporary                         %~t      number of its iteration
#
# The loop is emitted twice: for full warps, in which a lane's number is its place, with literal masks; and for any other group, in which
# lanes are looked up among those of M. Sections are in the order of the loop. In a round lanes meet twice: at meet, after the common code
# up to the inner loop, and at round, after the rest of the iteration.

=== loop
	{ // ccc: loop at line <loop_line>, inner loop at line <path_line>, policy <policy>
	#declare names
	#registers                              # of helpers, and of recomputed values
	#entry
#each group
$^enter:
	#own                                    # X3: the inner loop's entry leads to want, exits to exit<k>, the back edge to meet
	#exits
	#meet                                   # X1
#if balances
	#choose                                 # CANNOT: both ways of executing rows are correct
#end
	#long                                   # X5
	#short                                  # X6
	#rest                                   # X3, X10: the code after the inner loop; exits lead to gone<k>, the back edge to round
	#gone
	#round
#end
	#leave
	}

=== names                                       # registers of the emitted code
	.pred   off in row more long on
	.b32    mask lane place lt size last last_place low below1 below2 below4 below8 below16 n votes exit short walked rows whose left bit first total at t try from back source lo hi
	.b64    wide_n wide_lane wide_from wide_left wide_size wide_other
	.b16    half

# ---- entry: the lanes of M --------------------------------------------------------------------------------------------------

=== entry
#if gathers
	bar.warp.sync   -1;                     # L5 # CANNOT: the emulator does not model the fault that it avoids
#end
	activemask.b32  %~mask;                 # X1
	mov.pred        %~in, -1;
	mov.b<w>        <n>, 0;                 # X3
	#again                                  # X8: uniform values that only some lanes may have computed
	popc.b32        %~size, %~mask;
	#numbers                                # X1
	setp.ne.s32     %~off, %~mask, -1;
	@!%~off bra     $<whole_enter>;
	#group_numbers                          # X1
	bra.uni         $<others_enter>;

=== exit                                        # the lane parks: it takes part in the meetings without a row
$^<left><k>:
#if many_exits
	mov.u32         %~exit, <k>;
#end
	mov.pred        %~in, 0;                # X3
	bra.uni         $^<left_to>;            # X3

# ---- round: ends when no lane's loop continues ------------------------------------------------------------------------------

=== round
$^round:
	vote.sync.any.pred      %~more, %~in, <mask>; # X1, X2
	@!%~more bra.uni        $~leave;        # X2
	mov.b<w>        <n>, 0;                 # X3
	@%~in bra       $<header>;              # X3
	bra             $^meet;                 # X3

# ---- leave: all of M continue together, each at its own exit ----------------------------------------------------------------

=== leave
$~leave:
	bar.warp.sync   <mask>;                 # X1 # CANNOT: the barrier after the last rows orders it
	#ways_out

=== way_out
#if last
	<go>;
#else
	setp.eq.u32     %~more, %~exit, <k>;
	@%~more <go>;                           # X10
#end
