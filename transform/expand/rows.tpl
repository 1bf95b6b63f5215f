# SPDX-License-Identifier: MIT
# rows.tpl: rows, the inner loops of the lanes of M, are distributed over the lanes (docs/proofs/expand.md). Used by expand.tpl for inner
# loops of common code, and by collect.tpl for those of a path. ^ is the prefix of the labels.
#
# %~lane   this lane's number in M                   <n>      trip count of its row     %~first  number of this row's first
# %~place  its number in the warp                    %~row    it has a row                       iteration among those of short
# %~last   number of M's last lane                   %~votes  lanes with a row                   rows; %~total: their number
# <top>    place of that lane                        <whose>  owner of the row          %~t      number of its iteration
#
# All of M reach meet. After it, lanes with a row continue at <behind>, the others at round.

# ---- numbers of lanes -------------------------------------------------------------------------------------------------------

=== numbers
	sub.s32         %~last, %~size, 1;
	mov.u32         %~lt, %lanemask_lt;
	and.b32         %~lt, %~lt, %~mask;
	popc.b32        %~lane, %~lt;           # X5, X6
#if wide
	cvt.u64.u32     %~wide_size, %~size;
	cvt.u64.u32     %~wide_lane, %~lane;
#end
	mov.u32         %~place, %laneid;

=== group_numbers                               # for a group that may be less than the whole warp
	bfind.u32       %~last_place, %~mask;          # the last lane of M
	neg.s32         %~low, %~mask;          # bit of the first lane
	and.b32         %~low, %~low, %~mask;
	or.b32          %~below1, %~lt, %~low;  # lanes of M below this one
	bfind.u32       %~below1, %~below1;
	#lanes_below                            # X6

=== twice                                       # twice the distance
	shfl.sync.idx.b32       <farther>, <below>, <below>, 31, %~mask; # X1, X11

# ---- want: in place of the inner loop, computes its trip count --------------------------------------------------------------

=== come
$^want:
	#load_bound                             # X14
#if tested_before_step
	add.s<w>        <from>, <index>, <ahead>; # X4
#end
#if up
	sub.s<w>        <n>, <bound>, <from>;   # X4
#else
	sub.s<w>        <n>, <from>, <bound>;   # X4
#end
	setp.<cmp>      %~on, <from>, <bound>;  # X4
#if step_not_one
 #if strict
	sub.s<w>        <n>, <n>, 1;            # X4
 #end
 #if shifts
	shr.u<w>        <n>, <n>, <shift>;      # X4
 #else
	div.u<w>        <n>, <n>, <step>;       # X4
 #end
 #if rounds_up
	add.s<w>        <n>, <n>, 1;            # X4
 #end
#else
 #if inclusive
	add.s<w>        <n>, <n>, 1;            # X4
 #end
#end
	selp.b<w>       <n>, <n>, 0, %~on;      # X4
#if bottom                                      # test at the end of an iteration
	add.s<w>        <n>, <n>, 1;            # X4
#else                                           # test at the top: there may be no iteration
	setp.eq.u<w>    %~row, <n>, 0;
	#row_ends_at_once                       # X10
	@%~row bra      $<past>;                # X3
#end
	bra.uni         $^meet;                 # X3

# ---- meet: all of M arrive here, each with its row or with none -------------------------------------------------------------

=== meet
$^meet:
	setp.ne.u<w>    %~row, <n>, 0;          # X3
#if conditional                                      # if all are in and none has a row, continues with the next iteration
	not.pred        %~more, %~in;
	or.pred         %~more, %~more, %~row;
	vote.sync.any.pred      %~more, %~more, <mask>; # X1, X12
	@!%~more bra.uni        $<header>;      # X12 # CANNOT: the following code finds no row
#end
	vote.sync.ballot.b32    %~votes, %~row, <mask>; # X1, X2
	bar.warp.sync   <mask>;                 # X1: helpers see what owners wrote
	setp.eq.u32     %~more, %~votes, 0;
	@%~more bra.uni $^round;                # CANNOT: the following code finds no row
	setp.ge.u<w>    %~long, <n>, 32;

# ---- choose: short rows of similar length stay with their owners, as distributing them costs more than it gains -------------

=== choose
	cvt.u32.u<w>    %~short, <n>;           # CANNOT: both ways of executing rows are correct
#if sums_at_once
	redux.sync.add.u32      %~total, %~short, <mask>;       # X1, X13 # CANNOT: both ways of executing rows are correct
#else
	mov.u32         %~first, %~short;       # CANNOT: both ways of executing rows are correct
	#sums                                   # CANNOT: both ways of executing rows are correct
	shfl.sync.idx.b32       %~total, %~first, <top>, 31, <mask>;    # CANNOT: both ways of executing rows are correct
#end
	shl.b32         %~short, %~short, 9;    # CANNOT: both ways of executing rows are correct
	mul.lo.u32      %~total, %~total, <weight>;     # CANNOT: both ways of executing rows are correct
	setp.gt.or.u32  %~more, %~short, %~total, %~long;       # one is much longer than the mean, or long # CANNOT: both ways of executing rows are correct
	vote.sync.any.pred      %~more, %~more, <mask>; # X1, X13
	@%~more bra.uni $^apart;                # CANNOT: both ways of executing rows are correct
	@!%~row bra     $^kept;
#if owner_unrolls
	#owner_rows                             # X13
#else
	#as_it_is                               # X13
#end
$^kept:
	bar.warp.sync   <mask>;                 # X1, X13: lanes continue together # CANNOT: this is only faster
	@!%~row bra     $^round;
	bra             $<behind>;

=== owner_rows                                  # the owner's row, unrolled as nvcc unrolls the loop without its annotation
	cvt.u32.u<w>    %~left, <n>;            # X13: iterations that remain; less than 32
	setp.lt.u32     %~more, %~left, <owner_unroll>; # X13
	@%~more bra     $^pair;
$^turns:
	#owner_round                            # X13
	sub.s32         %~left, %~left, <owner_unroll>; # X13
	setp.ge.u32     %~more, %~left, <owner_unroll>; # X13
	@%~more bra     $^turns;
$^pair:
#if owner_pairs
	and.b32         %~try, %~left, 2;       # X13
	setp.eq.u32     %~more, %~try, 0;       # X13
	@%~more bra     $^last;
	#owner_iteration                        # X13
	#owner_iteration                        # X13
$^last:
#end
	and.b32         %~try, %~left, 1;       # X13
	setp.eq.u32     %~more, %~try, 0;       # X13
	@%~more bra     $^kept;
	#owner_iteration                        # X13

# ---- long rows: all lanes execute them, one after the other -----------------------------------------------------------------

=== long
$^apart:                                        # the vote follows the branch: before it ptxas would not assume that lanes are converged here
	vote.sync.ballot.b32    %~rows, %~long, <mask>; # X1, X2
$^next:
	setp.eq.u32     %~more, %~rows, 0;
	@%~more bra.uni $^short;                # X2
	bfind.u32       <whose>, %~rows;
	shl.b32         %~bit, 1, <whose>;
	xor.b32         %~rows, %~rows, %~bit;  # X5
	#fetch                                  # X1, X8
	#fetch_count                            # X1, X5: <left_n>: iterations from the first lane's on
	#at_lane                                # X5, X8: advances induction variables by lane steps
	#row_identities                         # X9
#if read_only                                       # each lane loops on its own: ptxas then overlaps the loads of several iterations
	sub.s<w>        <left_n>, <left_n>, <lane_w>;   # X5: from this lane's first on
 #if unrolled                                        # several passes in a row, as long as all lanes have that many
	sub.s32         %~try, <laps_most>, %~lane;
  #if wide
	cvt.u64.u32     %~wide_from, %~try;
  #end
$^laps:
	setp.le.u<w>    %~more, <left_n>, <laps_least>; # X2, X5
	@%~more bra     $^few;
	#along                                  # X8: induction variables that are computed from the index
	#laps_in_row                            # X5
	setp.le.u<w>    %~more, <left_n>, <laps_size>;
	@%~more bra     $^walked;
	sub.s<w>        <left_n>, <left_n>, <laps_size>;
	#index_next                             # X5, X8: advances the others by size steps
	bra             $^laps;                 # CANNOT: the rest is executed pass by pass
$^few:
 #end
	#along                                  # X8
$^lap:
	#iteration                              # X5
$^ran:
	setp.le.u<w>    %~more, <left_n>, <size_w>; # X2, X5
	@%~more bra     $^walked;
	sub.s<w>        <left_n>, <left_n>, <size_w>;
	#at_next                                # X5, X8: advances induction variables by size steps
	bra             $^lap;
#end
#if packs                                       # as long as all lanes have an iteration; the rest is laid end to end with short rows
	#along                                  # X8
$^lap:
	setp.lt.u32     %~more, %~left, 32;     # X2, X7
	@%~more bra.uni $^walked;
	#iteration                              # X5
$^ran:
	sub.s32         %~left, %~left, 32;     # X2, X7
	#at_next                                # X5, X8
	bra.uni         $^lap;
#end
#if writes_memory                                        # all lanes together: in other loops that write memory ptxas lets lanes diverge
 #if unrolled
$^laps:
	setp.lt.u<w>    %~more, <left_n>, <laps_size>; # X2, X5
	@%~more bra.uni $^few;
	#along                                  # X8
	#laps_in_row                            # X5
	sub.s<w>        <left_n>, <left_n>, <laps_size>;
	#index_next                             # X5, X8
	bra.uni         $^laps;                 # CANNOT: the rest is executed pass by pass
$^few:
 #end
	#along                                  # X8
$^lap:
	setp.le.u<w>    %~more, <left_n>, <lane_w>; # X5
	@%~more bra     $^ran;
	#iteration                              # X5
$^ran:
	setp.le.u<w>    %~more, <left_n>, <size_w>; # X2, X5
	@%~more bra.uni $^walked;
	sub.s<w>        <left_n>, <left_n>, <size_w>;
	#at_next                                # X5, X8
	bra.uni         $^lap;
#end
$^walked:
#if reductions                                  # all lanes' results are combined in the last one, and from there in the owner
	mov.u32         %~back, %~lane;
	mov.u32         <source>, <top>;
	setp.eq.u32     %~on, <whose>, <place>;
	#fold                                   # X9
#end
	bra.uni         $^next;

# ---- short rows: laid end to end --------------------------------------------------------------------------------------------

=== short
$^short:
	cvt.u32.u<w>    %~short, <n>;
#if packs
	and.b32         %~walked, %~short, -32; # X7
	sub.s32         %~short, %~short, %~walked; # X7
#else
	selp.b32        %~short, 0, %~short, %~long; # X5, X6
#end
	mov.u32         %~first, %~short;
	#sums                                   # X1, X6
	shfl.sync.idx.b32       %~total, %~first, <top>, 31, <mask>; # X1, X6
	sub.s32         %~first, %~first, %~short; # X6
	mov.u32         %~at, 0;
	setp.eq.u32     %~more, %~total, 0;
	@%~more bra.uni $^met;                  # CANNOT: the window finds none
$^window:
	add.s32         %~t, %~at, %~lane;      # X6
	mov.u32         <whose>, 0;
	#search                                 # X1, X6: the last lane whose first is at most t
	#found                                  # X6
	shfl.sync.idx.b32       %~bit, %~first, <whose>, 31, <mask>; # X1, X6
	sub.s32         %~bit, %~t, %~bit;      # X6
#if packs
	shfl.sync.idx.b32       %~try, %~walked, <whose>, 31, <mask>; # X1, X7
	add.s32         %~try, %~try, %~bit;    # X7
#end
	#fetch                                  # X1, X8
	#at_iteration                           # X8: advances induction variables by the number of its iteration
	#row_identities                         # X9
	setp.ge.s32     %~more, %~t, %~total;
	@%~more bra     $^done;                 # X6
	#along                                  # X8
	#iteration_again                        # X6
$^done:
#if reductions
	min.s32         %~back, %~bit, %~lane;  # X9: number of lanes before this one in its row
	add.s32         %~try, %~first, %~short;
	sub.s32         %~try, %~try, %~at;     # after the last lane in this one's row
	min.s32         %~from, %~try, <size>;
	sub.s32         %~from, %~from, 1;
	sub.s32         <whose>, %~first, %~at;
	setp.lt.s32     %~on, <whose>, <size>;  # X9: whether it has any
	setp.gt.and.s32 %~on, %~try, 0, %~on;   # X9
	setp.ne.and.u32 %~on, %~short, 0, %~on; # X9
	#places                                 # X9
	#fold                                   # X1, X9
#end
	add.s32         %~at, %~at, <size>;     # X6
	setp.lt.s32     %~more, %~at, %~total;  # X2, X6
	@%~more bra.uni $^window;
$^met:
	bar.warp.sync   <mask>;                 # X1: owners see what helpers wrote
	#row_ends                                   # X10: live-outs of the inner loop
	@!%~row bra     $^round;                # X3
	bra             $<behind>;

=== sum                                         # sum of the trip counts of this lane and of up to 2 <d> - 1 lanes before it
#if full_warp
	shfl.sync.up.b32        %~bit|%~more, %~first, <d>, 0, <mask>; # X1, X6
#else
	shfl.sync.idx.b32       %~bit, %~first, <below>, 31, <mask>; # X1, X6
	setp.ge.s32     %~more, %~lane, <d>;    # X6, X11
#end
	@%~more add.s32 %~first, %~first, %~bit;

=== probe                                       # among the lanes up to <d> later, the last one of M
	add.s32         %~try, <whose>, <d>;
#if full_warp
	shfl.sync.idx.b32       %~bit, %~first, %~try, 31, <mask>; # X1, X6
#else
	shl.b32         %~bit, 2, %~try;
	#last_below
	shfl.sync.idx.b32       %~bit, %~first, %~bit, 31, <mask>; # X1, X6
#end
	setp.le.s32     %~more, %~bit, %~t;
	selp.b32        <whose>, %~try, <whose>, %~more; # X6

=== last_below                                  # the last of M's lanes below bit %~bit, or else the first
	sub.s32         %~bit, %~bit, 1;
	and.b32         %~bit, %~bit, %~mask;
	or.b32          %~bit, %~bit, %~low;    # X11
	bfind.u32       %~bit, %~bit;

=== found
#if partial_group                                      # a place; it stands for the last lane up to there
	shl.b32         %~bit, 2, <whose>;
	#last_below
	mov.u32         <whose>, %~bit;
#end

=== places                                      # the lane from which each one takes a result
#if partial_group
	max.s32         %~from, %~from, 0;      # CANNOT: lower values are not used
	mov.u32         %~source, 0;
	#nths
#end

=== nth                                         # the place of lane number %~from of M: that many lanes precede it
	add.s32         %~try, %~source, <d>;
	shl.b32         %~bit, 1, %~try;
	sub.s32         %~bit, %~bit, 1;
	and.b32         %~bit, %~bit, %~mask;
	popc.b32        %~bit, %~bit;
	setp.le.s32     %~more, %~bit, %~from;
	selp.b32        %~source, %~try, %~source, %~more; # X9

=== scan                                        # scan of a reduction: this lane and up to 2 <d> - 1 lanes before it in its row
	#from_below                             # X1, X9
	setp.ge.s32     %~more, %~back, <d>;    # X9, X11
	@%~more <op>    <mine>, <mine>, <other>;

=== take                                        # the owner's result, from the last lane of its row
	#from_last                              # X1, X9
	@%~on <op>      <result>, <result>, <other>; # X9

