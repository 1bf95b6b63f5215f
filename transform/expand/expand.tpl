# SPDX-License-Identifier: MIT
# expand.tpl: an annotated loop whose inner loop is laid over the lanes, as it is written in front of the loop as it was, to which nobody
# comes (expand_plan.c; docs/proofs/expand.md).
#
# %~mask   M, the lanes that came together           %~in     this lane's loop goes on      %~first  the number of its row's first
# %~lane   this one's number                         <n>      iterations of its row                  iteration among those of short
# %~size   how many lanes M has                      %~row    it has one                             rows; %~total: how many those are
# %~last   the last one's number                     %~votes  who has one                   %~whose  whose row it walks
# %~exit   the way by which it left                  %~more   short-lived                   %~t      the iteration it takes, of all
#
# The loop stands there twice: for M of all 32 lanes, whose number is their place, with literal masks; and for any other group, where
# lanes are looked up among those of M. Sections come in the order of the loop. A round has two meetings: at meet, behind the own part up to the inner loop, and at round,
# behind the rest of the iteration.

=== loop
	{ // ccc: loop at line <loop_line>, inner loop at line <path_line>, policy <policy>
	#declare names
	#registers                              # the helpers' own, and those of values that are computed again
	#entry
#each group
$^enter:
	#own                                    # X3: the inner loop's entry leads to want, ways out to exit<k>, the way back to meet
	#exits
	#meet                                   # X1
#if chooses
	#choose                                 # CANNOT: rows are walked rightly either way
#end
	#long                                   # X5
	#short                                  # X6
	#rest                                   # X3, X10: what is behind the inner loop; ways out to gone<k>, the way back to round
	#gone
	#round
#end
	#leave
	}

=== names                                       # of the text's own registers
	.pred   off in row more long on
	.b32    mask lane place lt size last last_place low below1 below2 below4 below8 below16 n votes exit short walked rows whose left bit first total at t try from back source lo hi
	.b64    wide_n wide_lane wide_from wide_left wide_size wide_other
	.b16    half

# ---- entry: who is there? ---------------------------------------------------------------------------------------------------

=== entry
	activemask.b32  %~mask;                 # X1
	mov.pred        %~in, -1;
	mov.b<w>        <n>, 0;                 # X3
	#again                                  # X8: uniform values that only some lanes have come past
	popc.b32        %~size, %~mask;
	#numbers                                # X1
	setp.ne.s32     %~off, %~mask, -1;
	@!%~off bra     $<whole_enter>;
	#group_numbers                          # X1
	bra.uni         $<others_enter>;

=== exit                                        # the lane parks: it comes to the meetings without a row
$^<left><k>:
#if many_exits
	mov.u32         %~exit, <k>;
#end
	mov.pred        %~in, 0;                # X3
	bra.uni         $^<left_to>;            # X3

# ---- round: does anybody's loop go on? --------------------------------------------------------------------------------------

=== round
$^round:
	vote.sync.any.pred      %~more, %~in, <mask>; # X1, X2
	@!%~more bra.uni        $~leave;        # X2
	mov.b<w>        <n>, 0;                 # X3
	@%~in bra       $<header>;              # X3
	bra             $^meet;                 # X3

# ---- leave: all of M go on together, each where it left its loop -----------------------------------------------------------

=== leave
$~leave:
	bar.warp.sync   <mask>;                 # X1 # CANNOT: the barrier behind the last rows did it
	#ways_out

=== way_out
#if last
	<go>;
#else
	setp.eq.u32     %~more, %~exit, <k>;
	@%~more <go>;                           # X10
#end
