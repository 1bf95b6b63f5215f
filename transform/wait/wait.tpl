# SPDX-License-Identifier: MIT
# wait.tpl: a loop with a waiting policy; each lane executes its own iterations (wait_plan.c; docs/proofs/wait.md).
#
# %^mask   M, the lanes that arrived together        %^in     this lane's loop has not ended     %^exit   the exit that it took
# %^want   this lane waits in front of the path      %^go     it continues with its common code  %^n, %^more: temporaries
# votes:
# %^there  lanes that are in      %^turn   rounds since the cut's turn began       %^least  lanes at the cut that are a majority
# %^votes  lanes at the cut
# places, stops:
# %^place  number of the wait point at which this lane is; -1: none    %^turn   the one released next    %^most   its lanes
# %^held   places: wait points with lanes; stops: waiting lanes        %^left   remaining rounds of its turn
# ahead:
# %^noted  selected iterations of this batch, the first one in the lowest bit
# %^go     the lane's loop continues after the look-ahead iterations      %^upto   iterations of the batch that stay in the loop
# %^bit    bit of an iteration     %^bits   those of a group              %^at     look-ahead iterations so far
#
# unified:
# %^other  the same as %^noted, for the second arm           %^end    the iteration in which the lane leaves
# flatten(N):
# %^steps  iterations of the inner loop until the next vote
# pool:
# %^has    this lane has iterations left to give    %^givers   the lanes that have some    %^next   the lane whose turn it is to give one
# %^patience   delay of the next draw, in idle lanes times rounds
# %^idle   lanes without an iteration; %^in: with one             %^got    the lane has drawn one, from lane %^from
# pool of the block:
# %^has    there may be iterations left to draw     %^rest      its own registers hold an iteration that no thread was given yet
# %^trips  iterations that this thread gives        %^limit     numbers that are drawn; %^number: one of them
# %^thread its number in the block                  %^base      the warp's part of the buffer, its own or the owner's
#
# Back edges of the loop's code lead to meet, and exits to exit<k>. In flatten(N) the inner loop's back edge leads to step. In `ahead` the
# back edge leads to run instead of meet if selected iterations are executed whole, and to batch, where no lane takes it, if they are
# executed straight.
#
# Except in `ahead`, the code before the first vote is a copy of its own, which leads to ready. All ways around the loop thus lead to meet,
# while the loop's entry is round. Otherwise ptxas would find one loop inside another, and lanes that leave the inner one would wait for
# others, with which they should vote.

=== loop
	{ // ccc: loop at line <loop_line>, policy <policy>
	#declare names
	#registers                              # ahead: look-ahead registers
#if gathers
	bar.warp.sync   -1;                     # L5 # CANNOT: the emulator does not model the fault that it avoids
#end
	activemask.b32  %^mask;                 # W1
	mov.pred        %^in, -1;               # W4
#if draws_iterations
 #if of_block
	#of_block_entry
 #else
	mov.u32         %^lane, %laneid;
	mov.u32         %^lt, %lanemask_lt;
	mov.u32         %^next, 0;              # W9
 #end
 #if delays_draw
	mov.u32         %^patience, <patience>; # W11
 #end
	mov.pred        %^has, 0;               # W8
	#again                                  # W8: uniform values that only some lanes may have computed
#end
#if waits_at_point
	mov.pred        %^want, 0;              # W5
#end
#if any_wait_point
	mov.u32         %^place, -1;                    # CANNOT: registers start with a value that is no wait point's number here
	mov.u32         %^turn, <last_place>;   # W6
 #if rotates
	mov.u32         %^left, 0;              # W6
 #end
#else
 #if majority_ends
	popc.b32        %^least, %^mask;
	min.s32         %^least, %^least, <n>;          # W6 # CANNOT: only the time of execution changes
 #end
#end
#if alternates
	mov.u32         %^turn, -1;             # W6
#end
#if has_fallback
	mov.u32         %^credit, <start>;
#end
#if runs_whole_iterations                                       # as after a batch
	mov.pred        %^go, 0;
	mov.u32         %^noted, 0;             # W14
 #if unified
	mov.u32         %^other, 0;             # W14
	mov.u32         %^end, 0;               # W14
 #end
#end
#if two_copies                                  # full warps have a copy with literal masks, in which ptxas emits a vote as one instruction
	setp.ne.b32     %^off, %^mask, -1;
	@%^off bra      $^others;
	{
	#full_copy
	}
$^others:
#end
	#other_copy
	#leave
	}
#if check_threads
$^plain:                                        # the original loop
#end

=== copy                                        # copy of the loop
#if meets_each_round
	#first                                  # W3: up to the first vote
 #if draws_iterations
$^fill:                                         # replaces the way into the loop
  #if of_block
	mov.pred        %^rest, -1;             # W20
  #else
	mov.pred        %^has, -1;              # W8
  #end
  #if many_exits
	mov.u32         %^exit, <way>;
  #end
  #if predicted_points
	mov.u32         %^place, -1;                    # CANNOT: registers start with a value that is no wait point's number here
  #end
	mov.pred        %^in, 0;                # W4
	bra.uni         $^ready;                # W3
 #end
	#exits
 #if several_wait_points
  #each place
   #if reached_before_meeting
$^early_cut<k>:
	mov.u32         %^place, <k>;           # W5
	bra.uni         $^ready;                # W3
   #end
  #end
 #end
 #if any_reached_before_meeting
$^early_cut:
	mov.pred        %^want, -1;             # W5
 #end
$^ready:
 #if of_block
	#share                                  # W20, W21
 #end
	#ask                                    # W1
#end
	#blocks                                 # W2, W5
	#exits
	#round                                  # converge, wait, votes, places, stops or ahead

=== names                                       # registers of the emitted code
	.pred   in want go more off
	.b32    mask exit votes n there
	.b32    noted bit bits at upto some
	.b32    other others end
	.b32    turn least
	.b32    place most held left
	.b32    steps
	.b32    credit                          # of the fallback
	.pred   has got given
	.b32    lane lt next givers idle from lo hi patience
	.b16    half
	.pred   rest mine big first
	.b32    trips limit number thread block nx ny ty tz base slot at1 at2 at4 at8 at16
	.b16    by2
	.b64    by8 far

=== exit                                        # the lane parks
$^<exit><k>:
#if many_exits
	mov.u32         %^exit, <k>;            # W18
#end
#if predicted_points
	mov.u32         %^place, -1;            # W6
#end
#if runs_whole_iterations
	mov.u32         %^noted, 0;             # W14 # CANNOT: it is 0, unless another thread changes what the test reads
 #if unified
	mov.u32         %^other, 0;             # CANNOT: as above
	mov.u32         %^end, 0;               # CANNOT: as above
 #end
#end
	mov.pred        %^in, 0;                # W4
	bra.uni         $<back>;                # W2

# ---- pool: a lane without an iteration draws the next one that an owner has to give; before the votes of all of M -----------

=== spent                                       # replaces the back edge and the exit
$^spent:
#if predicted_points
	mov.u32         %^place, -1;            # W6
#end
	mov.pred        %^in, 0;                # W4
	bra.uni         $^meet;                 # W2

=== draw
	setp.eq.u32     %^more, %^there, <mask>;
	@%^more bra.uni $<all_in>;              # W1, W11
#if delays_draw                                     # idle lanes wait until the loss is about the cost of a draw
	popc.b32        %^n, %^there;
	add.s32         %^patience, %^patience, %^n;    # CANNOT: only the time of execution changes
	sub.s32         %^patience, %^patience, <asking>;
	setp.gt.s32     %^more, %^patience, 0;  # CANNOT: as above
	@%^more bra.uni $^drawn;                # CANNOT: as above
	mov.u32         %^patience, <patience>; # CANNOT: as above
#end
#if of_block
	#draw_number
#else
	vote.sync.ballot.b32    %^givers, %^has, <mask>; # W1
	setp.eq.u32     %^more, %^givers, 0;    # nothing can be drawn from an empty pool
	@%^more bra.uni $^drawn;                # W1, W11
	bar.warp.sync   <mask>;                 # W1: a drawing lane sees what owners wrote before the loop
	shf.r.wrap.b32  %^n, %^givers, %^givers, %^next;        # lanes that have nothing to give are skipped
	brev.b32        %^n, %^n;
	clz.b32         %^n, %^n;
	add.s32         %^next, %^next, %^n;    # W10
	xor.b32         %^idle, %^there, <mask>;
	and.b32         %^from, %^idle, %^lt;   # the idle lane of rank r draws from lane next + r
	popc.b32        %^from, %^from;         # W9
	add.s32         %^from, %^from, %^next;         # W9: the low 5 bits are the lane's number
	shf.r.wrap.b32  %^n, %^givers, %^givers, %^from;
	and.b32         %^n, %^n, 1;
	setp.ne.u32     %^got, %^n, 0;          # W9
	not.pred        %^more, %^in;
	and.pred        %^got, %^got, %^more;   # W9
	#fetch                                  # W8
	#compute                                # W8: values that are not fetched, from those that are
	popc.b32        %^idle, %^idle;
	sub.s32         %^n, %^lane, %^next;
	and.b32         %^n, %^n, 31;
	setp.lt.s32     %^given, %^n, %^idle;   # W9
	and.pred        %^given, %^given, %^has; # W9
	#advance                                # W8: owners advance to their next iteration, if there is one
#if loops_if_true
	@%^given mov.pred       %^has, <p>;     # W8
#else
	@%^given not.pred       %^has, <p>;     # W8
#end
	add.s32         %^next, %^next, %^idle;         # W9 # CANNOT: owners then give in another order
#end
	or.pred         %^in, %^in, %^got;      # W4
#if before_meet                                 # they, and lanes that have drawn nothing, reach the vote
	@%^got bra      $<header>;              # W2, W11
#end
	bra.uni         $^meet;                 # W2, W11
$^nobody:                                       # no lane is in, so none waits for the path; is the pool empty?
	vote.sync.any.pred      %^more, %^has, <mask>; # W1, W11
	@%^more bra.uni $^round;
#if of_block                                    # all threads of the block: does one have iterations that it has not counted yet?
	barrier.red.or.pred     %^more, 0, %^rest;      # W21, W23
	vote.sync.any.pred      %^more, %^more, <mask>; # W1: the value is the same in all lanes; the vote shows this to convergence_check.c
	@%^more bra.uni $^ready;                # W23 # CANNOT: random kernels have fewer iterations; tests/diff/assign_block.ptx has as many
#end
	bra.uni         $^leave;                # W18
$^drawn:

# ---- pool of the block: idle lanes draw numbers from a counter in shared memory; number k is iteration k / B of thread k mod B -------

=== of_block_entry
	mov.u32         %^thread, %tid.x;       # W20: x + nx * (y + ny * z)
#if three_dims
	mov.u32         %^tz, %tid.z;
	mov.u32         %^ny, %ntid.y;
	mov.u32         %^ty, %tid.y;
	mad.lo.u32      %^ty, %^tz, %^ny, %^ty; # W20
#end
#if two_dims
	mov.u32         %^ty, %tid.y;
#end
#if many_dims
	mov.u32         %^nx, %ntid.x;
	mad.lo.u32      %^thread, %^ty, %^nx, %^thread; # W20
#end
#if counts_block
	mov.u32         %^block, %ntid.x;
	mov.u32         %^n, %ntid.y;
	mul.lo.u32      %^block, %^block, %^n;  # W20
	mov.u32         %^n, %ntid.z;
	mul.lo.u32      %^block, %^block, %^n;  # W20
#end
#if check_threads                               # the buffer serves fewer threads
	setp.gt.u32     %^big, %^block, <threads>;
	@%^big bra.uni  $^plain;                # W20
#end
	mov.pred        %^rest, 0;              # W20

=== share                                       # owners leave their iterations in shared memory
	mov.u32         %^trips, 0;             # W20
	shr.u32         %^n, %^thread, 5;
	mov.u32         %^base, <buffer>;
	mad.lo.u32      %^base, %^n, <stride>, %^base; # W20
	and.b32         %^slot, %^thread, 31;
	mad.lo.u32      %^at, %^slot, 4, %^base; # W20
	#addresses
	barrier.sync    0;                      # W21: all threads have left loops that use the buffer
	setp.eq.u32     %^first, %^thread, 0;
	@%^first st.shared.u32  [%^base+<number_row>], 0; # W22
	@%^first st.shared.u32  [%^base+<most_row>], 0;   # W22
	@!%^rest bra    $^counted;              # W20
	#put                                    # W20
$^count:
	#advance                                # W8
	add.u32         %^trips, %^trips, 1;    # W20
#if loops_if_true
	mov.pred        %^rest, <p>;            # W20
#else
	not.pred        %^rest, <p>;            # W20
#end
	setp.lt.and.u32 %^more, %^trips, <most_trips>, %^rest; # W23
	@%^more bra     $^count;                # W20 # CANNOT: iterations are counted one at a time then
$^counted:
	st.shared.u32   [%^at+<trips_row>], %^trips; # W20
	barrier.sync    0;                      # W21
	mov.u32         %^base, <buffer>;
	red.shared.max.u32      [%^base+<most_row>], %^trips; # W22
	barrier.sync    0;                      # W21
	ld.shared.u32   %^limit, [%^base+<most_row>];
	mul.lo.u32      %^limit, %^limit, <block>; # W22
	setp.ne.u32     %^has, %^limit, 0;      # W22

=== draw_number
	not.pred        %^got, %^in;
	and.pred        %^got, %^got, %^has;    # W22
	vote.sync.any.pred      %^more, %^got, <mask>; # W1
	@!%^more bra.uni $^drawn;               # W1, W11
	mov.u32         %^base, <buffer>;
	@%^got atom.shared.add.u32      %^number, [%^base+<number_row>], 1; # W22
	@%^got setp.lt.u32      %^has, %^number, %^limit; # W22
	div.u32         %^next, %^number, <block>;
	mul.lo.u32      %^n, %^next, <block>;
	sub.u32         %^slot, %^number, %^n;  # W22
	shr.u32         %^n, %^slot, 5;
	mad.lo.u32      %^base, %^n, <stride>, %^base; # W20
	and.b32         %^slot, %^slot, 31;
	mad.lo.u32      %^at, %^slot, 4, %^base; # W20
	#addresses
	ld.shared.u32   %^trips, [%^at+<trips_row>];
	setp.lt.and.u32 %^got, %^next, %^trips, %^got; # W22
	mov.pred        %^mine, %^got;
	#take                                   # W20
	#forward                                # W20
	#compute                                # W8: values that are not fetched, from those that are

=== step                                        # value of an induction variable in iteration %^next of its owner
#if wide
	cvt.u64.u32     %^by8, %^next;
	mul.lo.s64      %^by8, %^by8, <by>;     # W20
 #if minus
	@%^got sub.s64  <reg>, <reg>, %^by8;    # W20
 #else
	@%^got add.s64  <reg>, <reg>, %^by8;    # W20
 #end
#end
#if half
	cvt.u16.u32     %^by2, %^next;
	mul.lo.s16      %^by2, %^by2, <by>;     # W20
 #if minus
	@%^got sub.s16  <reg>, <reg>, %^by2;    # W20
 #else
	@%^got add.s16  <reg>, <reg>, %^by2;    # W20
 #end
#end
#if word
	mul.lo.s32      %^n, %^next, <by>;      # W20
 #if minus
	@%^got sub.s32  <reg>, <reg>, %^n;      # W20
 #else
	@%^got add.s32  <reg>, <reg>, %^n;      # W20
 #end
#end

# ---- ask: all of M arrive here, and continue at round, or leave if none is in and the pool is empty. This is one branch, which ptxas
# puts at the end of the round; leaving before a second vote would cost each round another branch ------------------------------------

=== ask
#if votes_any
	vote.sync.any.pred      %^more, %^in, <mask>; # W1
#else
	vote.sync.ballot.b32    %^there, %^in, <mask>; # W1
 #if waits_at_point
  #if ballots
	vote.sync.ballot.b32    %^votes, %^want, <mask>; # W1
  #end
 #end
	setp.ne.u32     %^more, %^there, 0;
#end
	@%^more bra.uni $^round;                # W1
#if draws_iterations
	bra.uni         $^nobody;               # W11
#else
	bra.uni         $^leave;                # W18
#end

# ---- converge, flatten: all of M meet at the end of each iteration, of the loop or of an inner loop -------------------------

=== converge
#if batches_inner                                       # n iterations of the inner loop between two votes
$^step:
	sub.s32         %^steps, %^steps, 1;            # CANNOT: lanes only meet at other times
	setp.gt.s32     %^more, %^steps, 0;             # CANNOT: as above
	@%^more bra     $<meet>;                        # W2 # CANNOT: as above
#end
$^meet:
	#ask
$^round:
#if batches_inner
	mov.u32         %^steps, <n>;                   # W2 # CANNOT: as above
#end
#if draws_iterations
	#draw                                   # W1, W11
#end
	@%^in bra       $<meet>;                # W4, W6
	bra.uni         $^meet;                 # W2

# ---- wait: a lane that reaches the path waits for others --------------------------------------------------------------------

=== wait
$^cut:
	mov.pred        %^want, -1;             # W5
$^meet:
	#ask
$^round:
#if draws_first
	#draw                                   # W1, W11
#end
	popc.b32        %^n, %^votes;
#if majority                                    # half of the lanes that are in
	popc.b32        %^most, %^there;
	add.s32         %^n, %^n, %^n;          # CANNOT: only the time of execution changes
	setp.ge.s32     %^more, %^n, %^most;    # W6
#else                                           # n lanes, or all that are in
	setp.ge.s32     %^more, %^n, <n>;       # W6
 #if draws_last
 #else
	setp.eq.or.u32  %^more, %^votes, %^there, %^more; # W6
 #end
#end
#if draws_last                                  # all that are in wait: idle lanes draw first
	@%^more bra.uni $^go;                   # CANNOT: only the time of execution changes
	setp.ne.u32     %^more, %^votes, %^there; # W6
	@%^more bra.uni $^on;                   # W1
	#draw                                   # W1, W11
$^go:
#else
	@!%^more bra.uni        $^on;           # W1
#end
	@!%^want bra    $^meet;                 # W5: the waiting lanes execute the path, the others wait
	mov.pred        %^want, 0;              # W5
	bra.uni         $<cut>;                 # W5, W6
$^on:                                           # the waiting lanes keep waiting
	@%^want bra     $^meet;                 # W5
	@%^in bra       $<meet>;                # W4, W6
	bra.uni         $^meet;

# ---- votes: lanes are at the cut or at <meet>, and the rule decides which of them continue ----------------------------------

=== votes
$^cut:
	mov.pred        %^want, -1;             # W5
$^meet:
	#ask
$^round:
#if draws_iterations
	#draw                                   # W1, W11
#end
#if share                                       # of the lanes that are in, n of 32
	popc.b32        %^n, %^votes;
	popc.b32        %^most, %^there;
	shl.b32         %^n, %^n, 5;
	mul.lo.s32      %^most, %^most, <n>;            # CANNOT: only the time of execution changes
	setp.ge.s32     %^more, %^n, %^most;    # W6
#end
#if majority_ends                               # once a lane has left, no lane waits
	setp.ne.u32     %^more, %^there, <mask>; # W6
	@%^more bra.uni $^both;
	popc.b32        %^n, %^votes;
	setp.ge.s32     %^more, %^n, %^least;   # W6
#end
#if alternates
	add.s32         %^turn, %^turn, 1;
	setp.eq.u32     %^more, %^turn, <period>;
	selp.b32        %^turn, 0, %^turn, %^more; # W6
	setp.lt.u32     %^more, %^turn, <n>;            # W6 # CANNOT: only the time of execution changes
 #if ballots                                    # a turn without lanes goes to the others
	setp.ne.and.u32 %^more, %^votes, 0, %^more;     # W6 # CANNOT: only the time of execution changes
	setp.eq.or.u32  %^more, %^votes, %^there, %^more; # W6 # CANNOT: only the time of execution changes
 #end
#end
	@!%^more bra.uni        $^on;           # W1
	@!%^want bra    $^meet;                 # W5
	mov.pred        %^want, 0;              # W5
	bra.uni         $<cut>;                 # W5, W6
$^on:
	@%^want bra     $^meet;                 # W5
	@%^in bra       $<meet>;                # W4, W6
	bra.uni         $^meet;
#if majority_ends
$^both:
	@!%^in bra      $^meet;                 # W4
	@!%^want bra    $<meet>;                # W5, W6
	mov.pred        %^want, 0;              # W5
	bra.uni         $<cut>;                 # W5, W6
#end

# ---- places: lanes are at one of many wait points, and the rule decides which is released next ------------------------------

=== places
#each place
$^cut<k>:
	mov.u32         %^place, <k>;           # W5
 #if last
 #else
	bra.uni         $^meet;
 #end
#end
$^meet:
	#ask
$^round:
#if draws_iterations
	#draw                                   # W1, W11
#end
#if rotates
 #if ballots                                    # wait points without lanes are skipped
	mov.u32         %^held, 0;
  #each place
	setp.eq.u32     %^more, %^place, <k>;
	vote.sync.any.pred      %^more, %^more, <mask>; # W1, W6
	@%^more or.b32  %^held, %^held, <bit>;  # W6
  #end
	shl.b32         %^n, -2, %^turn;        # the next one after the current, or else the first of all
	and.b32         %^n, %^n, %^held;       # W6
	setp.eq.u32     %^more, %^n, 0;
	selp.b32        %^n, %^held, %^n, %^more; # W6
	add.s32         %^most, %^n, -1;        # number of its lowest bit
	not.b32         %^n, %^n;
	and.b32         %^n, %^n, %^most;
	popc.b32        %^n, %^n;               # W6
	shr.u32         %^most, %^held, %^turn;          # CANNOT: only the time of execution changes
	and.b32         %^most, %^most, 1;          # CANNOT: only the time of execution changes
	min.u32         %^left, %^left, %^most; # W6 # CANNOT: a turn without lanes continues
 #else
	add.s32         %^n, %^turn, 1;
	setp.eq.u32     %^more, %^turn, <last_place>;
	selp.b32        %^n, 0, %^n, %^more;
 #end
	setp.ne.u32     %^more, %^left, 0;
	selp.b32        %^turn, %^turn, %^n, %^more; # W6
	setp.eq.u32     %^go, %^turn, 0;
	selp.b32        %^n, <n>, <others>, %^go;
	selp.b32        %^left, %^left, %^n, %^more;
	add.s32         %^left, %^left, -1;     # W6
#else
	mov.u32         %^most, 0;
 #each place
	setp.eq.u32     %^more, %^place, <k>;
	vote.sync.ballot.b32    %^votes, %^more, <mask>; # W1, W6
	popc.b32        %^n, %^votes;
	setp.gt.u32     %^more, %^n, %^most;
	selp.b32        %^turn, <k>, %^turn, %^more; # W6
	max.u32         %^most, %^most, %^n;          # CANNOT: only the time of execution changes
 #end
#end
	setp.ne.u32     %^more, %^place, %^turn;        # W5: lanes at other wait points wait
#if majority_ends                               # but once a lane has left, none does
	setp.eq.and.u32 %^more, %^there, <mask>, %^more;          # CANNOT: only the time of execution changes
#end
	@%^more bra     $^meet;                 # W5
	@!%^in bra      $^meet;                 # W4
	mov.u32         %^n, %^place;
	mov.u32         %^place, -1;            # W6
#each place
 #if last
	bra.uni         $<at>;                  # W5
 #else
	setp.eq.u32     %^more, %^n, <k>;
  #if majority_ends
	@%^more bra     $<at>;                  # W5
  #else
	@%^more bra.uni $<at>;                  # W5
  #end
 #end
#end

# ---- stops: lanes are at predictions, or where they do not wait, and the rule decides which of them continue ----------------

=== stops
#each place
$^cut<k>:
	mov.u32         %^place, <k>;           # W5
 #if last
 #else
	bra.uni         $^meet;
 #end
#end
$^meet:
	#ask
$^round:
	mov.u32         %^held, 0;
#each stop                                      # whether enough lanes are there, innermost first
	setp.eq.u32     %^more, %^place, <k>;
	vote.sync.ballot.b32    %^votes, %^more, <mask>; # W1, W6
	or.b32          %^held, %^held, %^votes; # W6
	popc.b32        %^n, %^votes;
	setp.ge.u32     %^more, %^n, <least>;   # W6
	@%^more bra.uni $^go<k>;                # CANNOT: only the time of execution changes
#end
#if waits_for_nobody                                       # otherwise the lanes that do not wait
	setp.ne.u32     %^more, %^held, %^there; # W6
	@%^more bra.uni $^rest;                 # W1, W6
#end
#if draws_iterations
	#draw                                   # W1, W11
#end
#each outward                                   # all wait: the outermost, whose lanes may still reach the inner ones
 #if innermost
 #else
	setp.eq.u32     %^more, %^place, <k>;
	vote.sync.any.pred      %^more, %^more, <mask>; # W1, W6
	@%^more bra.uni $^go<k>;
 #end
#end
#each stop
$^go<k>:
	setp.ne.u32     %^more, %^place, <k>;
	@%^more bra     $^meet;                 # W5
	bra.uni         $<at>;                  # W5
#end
#if waits_for_nobody
$^rest:
 #each rest
  #if last
	setp.ne.u32     %^more, %^place, <k>;
	@%^more bra     $^meet;                 # W5
	bra.uni         $<at>;                  # W5
  #else
	setp.eq.u32     %^more, %^place, <k>;
	@%^more bra     $<at>;                  # W5
  #end
 #end
#end

# ---- ahead: lanes record which of their next iterations take the path, then execute those -----------------------------------

=== ahead
$^meet:                                         # the look-ahead starts at the lane's own position, and continues from batch to batch
	#look_from                              # W13
$^batch:                                        # all of M arrive here
	vote.sync.any.pred      %^more, %^in, <mask>; # W1, W17
	@!%^more bra.uni $^leave;               # W18
	#batch_from                             # W13
#if has_fallback
	setp.lt.s32     %^more, %^credit, 0;	# CANNOT: only the time of the fallback changes
	@%^more bra.uni $^retreat;		# CANNOT: only the time of the fallback changes
#end
	mov.pred        %^go, %^in;             # W15
	mov.u32         %^noted, 0;             # W14
	mov.u32         %^upto, 0;              # W13, W16
	#looks                                  # W12: row or look
#if runs_whole_iterations                                       # the iteration in which a lane leaves is selected too
	not.pred        %^more, %^go;
	and.pred        %^more, %^more, %^in;
	shl.b32         %^bit, 1, %^upto;       # W16
 #if unified                                    # an iteration of both arms executes once, and that one last
	selp.b32        %^end, %^bit, 0, %^more; # W16
	not.b32         %^bit, %^end;
	and.b32         %^noted, %^noted, %^bit; # W14
	or.b32          %^bit, %^noted, %^end;
	not.b32         %^bit, %^bit;
	and.b32         %^other, %^other, %^bit; # W14
 #else
	@%^more or.b32  %^noted, %^noted, %^bit; # W16
 #end
#end
#if has_fallback                                    # before: one execution per iteration that some lane selects; now: as many as the lane with most of them needs
	redux.sync.or.b32       %^bits, %^noted, <mask>; # W1
	popc.b32        %^bits, %^bits;		# CANNOT: only the time of the fallback changes
	popc.b32        %^n, %^noted;           # CANNOT: only the time of the fallback changes
	redux.sync.max.u32      %^n, %^n, <mask>; # W1
	mad.lo.s32      %^credit, %^bits, <saved>, %^credit; # CANNOT: only the time of the fallback changes
	mad.lo.s32      %^credit, %^n, <noted>, %^credit; # CANNOT: only the time of the fallback changes
	add.s32         %^credit, %^credit, <batch>; # CANNOT: only the time of the fallback changes
	min.s32         %^credit, %^credit, <most>; # CANNOT: only the time of the fallback changes
#end
#if meets_before_run
$^run:                                          # all of M: each lane takes its next selected iteration
	setp.ne.s32     %^want, %^noted, 0;
	vote.sync.any.pred      %^more, %^want, <mask>; # W1, W17
	@!%^more bra.uni $^ran;
	@!%^want bra    $^run;                  # W17
#else
	setp.eq.s32     %^more, %^noted, 0;
	@%^more bra     $^ran;
$^next:
#end
	brev.b32        %^n, %^noted;
	bfind.shiftamt.u32      %^n, %^n;       # W14
	add.s32         %^bit, %^noted, -1;
	and.b32         %^noted, %^noted, %^bit; # W14
#if meets_before_run
#else
	setp.ne.s32     %^want, %^noted, 0;
#end
	#counts                                 # W13
#if path_alone
	#to_path                                # W13
#else
	bra.uni         $<meet>;
#end
#if meets_before_run
#else
$^again:
	@%^want bra     $^next;                 # W14
#end
$^ran:
#if unified                                     # then the other arm's, then the last one; in the end all three words are 0
	mov.u32         %^noted, %^other;       # W14
	mov.u32         %^other, %^end;         # W14, W16
	mov.u32         %^end, 0;               # CANNOT: the lane leaves in that iteration, where this is done too
	or.b32          %^n, %^noted, %^other;
	setp.ne.u32     %^want, %^n, 0;
	vote.sync.any.pred      %^more, %^want, <mask>; # W1, W17
	@%^more bra.uni $^run;
#end
	@%^go bra       $^batch;                # W17: a lane that stays continues with the next batch
#if path_alone
	@!%^in bra      $^batch;                # W4, W17
	mov.u32         %^n, %^upto;            # W16: a lane that leaves executes its last iteration, without the path
	#counts                                 # W13, W16 # CANNOT: the registers follow from its last selected iteration, too
	bra.uni         $<meet>;                # W16
#else
	bra.uni         $^meet;
#end

=== row                                         # look-ahead without branches: one iteration of common code after the other
	mov.u32         %^at, 0;
#if grouped_lookahead
$^look:
	mov.u32         %^bits, 0;
 #if unified
	mov.u32         %^others, 0;
 #end
#end
#if known_to_stay                                        # all lanes stay in the loop, except for the test of the last iteration
	#sure_test
	vote.sync.all.pred      %^more, %^more, <mask>; # W1, W15
	@!%^more bra.uni $^unsure;
	add.s32         %^upto, %^at, <sure_of>; # W16
	#sure_looks                             # W12
	bra.uni         $^rowed;
$^unsure:
#end
	#row_of_looks                           # W12
#if known_to_stay
$^rowed:
#end
#if grouped_lookahead
	shl.b32         %^bits, %^bits, %^at;   # W14
	or.b32          %^noted, %^noted, %^bits; # W14
 #if unified
	shl.b32         %^others, %^others, %^at; # W14
	or.b32          %^other, %^other, %^others; # W14
 #end
	add.s32         %^at, %^at, <group>;
	vote.sync.any.pred      %^more, %^go, <mask>; # W1
	setp.ne.and.u32 %^more, %^at, <n>, %^more;
	@%^more bra.uni $^look;                 # CANNOT: batches are shorter then
#end

=== is_sure                                     # whether the loop continues beyond the group
#if wide
	add.s64         %^by8, <index>, <plus>;
	setp.<cmp>      %^more, %^by8, <bound>; # W15
 #if up
	sub.s64         %^by8, <bound>, %^by8;
 #else
	sub.s64         %^by8, %^by8, <bound>;
 #end
	setp.gt.and.u64 %^more, %^by8, <far>, %^more;
#else
	add.s32         %^some, <index>, <plus>;
	setp.<cmp>      %^more, %^some, <bound>; # W15
 #if up
	sub.s32         %^some, <bound>, %^some;
 #else
	sub.s32         %^some, %^some, <bound>;
 #end
	setp.gt.and.u32 %^more, %^some, <far>, %^more;
#end
	and.pred        %^more, %^more, %^go;   # W15

=== note_one                                    # replaces a branch to a path, taken if <p> (negated: if not)
#if known_to_stay
 #if negated
	not.pred        %^want, <p>;
 #else
	mov.pred        %^want, <p>;
 #end
#else
 #if negated
	not.pred        %^want, <p>;
	and.pred        %^want, %^want, %^go;   # W15
 #else
	and.pred        %^want, <p>, %^go;      # W15
 #end
#end
#if grouped_lookahead
	@%^want or.b32  %^<to_bits>, %^<to_bits>, <bit>; # W14
#else
	@%^want or.b32  %^<to>, %^<to>, <bit>;  # W14
#end

=== stay_one                                    # replaces a branch that leaves the loop: the lane stays if <p> (negated: if not)
#if negated
	not.pred        %^more, <p>;
	and.pred        %^go, %^go, %^more;     # W15
#else
	and.pred        %^go, %^go, <p>;        # W15
#end

=== look_one                                    # end of an iteration
	@%^go add.s32   %^upto, %^at, <passed>; # W16

=== look                                        # look-ahead with the loop's own branches
	mov.u32         %^bit, 1;
	@!%^go bra      $^looked;               # W15
	#look_blocks                            # W12: to the path: note<k>; exits: last; the back edge: passed
$^last:                                         # the lane leaves the loop in this iteration
	mov.pred        %^go, 0;                # W15
	bra.uni         $^looked;
$^passed:
	add.s32         %^upto, %^upto, 1;      # W16
$^looked:
	vote.sync.any.pred      %^more, %^go, <mask>;   # W1
	shl.b32         %^bit, %^bit, 1;
	setp.ne.and.u32 %^more, %^bit, <end>, %^more;
	@!%^more bra.uni $^seen;
	@%^go bra       $<look>;                        # W15 # CANNOT: a batch has one iteration then
	bra.uni         $^looked;
$^seen:

=== note                                        # replaces a path, at the label note<k>
	or.b32          %^<to>, %^<to>, %^bit;  # W14

=== count                                       # <reg> = <from> + %^n times the increment of an iteration
#if minus
 #if half
	cvt.u16.u32     %^by2, %^n;
	mul.lo.s16      %^by2, %^by2, <by>;
	sub.s16         <reg>, <from>, %^by2;   # W13
 #end
 #if word
	mul.lo.s32      %^some, %^n, <by>;
	sub.s32         <reg>, <from>, %^some;  # W13
 #end
 #if wide
	cvt.u64.u32     %^by8, %^n;
	mul.lo.s64      %^by8, %^by8, <by>;
	sub.s64         <reg>, <from>, %^by8;   # W13
 #end
#else
 #if half
	cvt.u16.u32     %^by2, %^n;
	mad.lo.s16      <reg>, %^by2, <by>, <from>; # W13
 #end
 #if word
	mad.lo.s32      <reg>, %^n, <by>, <from>; # W13
 #end
 #if wide
  #if narrow
	mad.wide.s32    <reg>, %^n, <by>, <from>; # W13
  #else
	cvt.u64.u32     %^by8, %^n;
	mad.lo.s64      <reg>, %^by8, <by>, <from>; # W13
  #end
 #end
#end

# ---- leave: all of M continue together, each at its own exit ----------------------------------------------------------------

=== leave
#if has_fallback                                    # lanes that are in continue at the header of the original loop
$^retreat:
	@!%^in bra      $^leave;                # W4
	#back_to                                # W13: their own induction variables are not current
	bra             <as_it_was>;
#end
$^leave:
#if draws_iterations
	bar.warp.sync   %^mask;                 # W1: owners see what other lanes wrote
#end
	#ways_out

=== way_out
#if last
	<go>;
#else
	setp.eq.u32     %^more, %^exit, <k>;
	@%^more <go>;                           # W18
#end
