# SPDX-License-Identifier: MIT
# collect.tpl: the loop of Collaborative Context Collection, as it is written in front of the loop as it was (collect_plan.c; docs/proofs/collect.md).
#
# Of the site:                                                           Of a part, a path that is collected:
# %~mask   M, the lanes that came together   %~votes  who wants the path   %^want   this lane has a task of it in hand
# %~lt     lanes below this one              %~n      how many; short-lived %^top    tasks that wait
# %~size   how many lanes M has              %~slot   the slot this lane uses
# %~base   the warp's part of the buffer     %~more   short-lived
# %~in     this lane's loop goes on          %~exit   the way by which it left
#
# Sections come in the order of the loop. The votes stand at one of two places: in lockstep, where the paths' branches stood, and
# the loop is one chain of blocks without a branch; else behind the iteration, at the back edge, in turn.

=== loop
#if several
	{ // ccc: loop at line <loop_line>
 #each part
	// path at line <path_line>, policy <policy>    # CANNOT: it is a comment
 #end
#else
	{ // ccc: loop at line <loop_line>, path at line <path_line>, policy <policy>
#end
	#declare names
	#registers                              # the paths' own, and those of values that are computed again
	#entry
#if two_copies                                  # nothing sets the mask again: ptxas takes it for uniform so
	setp.ne.b32     %~off, %~mask, -1;
	@%~off bra      $~others;               # C24
	{
	#full_copy
	}
$~others:
#end
	#majority
#if rows
 #if others_late
	#group_numbers
 #end
#end
	#other_copy
	#leave
	}
$~plain:                                        # the loop as it was

=== copy                                        # of the loop, for full warps or for all other groups
	#own
	#first_vote                             # stack or queue; the next part's stands in its middle
#if retreats_over                               # the other copy does that for full warps too
$~retreat:
	#to_others                              # C24
#end

=== names                                       # of the text's own registers; ^: each part has one
	.pred   off ^want in few more mine over most
	.b32    mask lt size ^top base votes n idle slot bits exit at1 at2 at4 at8 at16
	.b32    thread block nx ny nz ty tz     # at the entry
	.b32    rank                            # of the lane in M
	.b32    which count numbers ready tasks not1 not2 not4 not8 not16  # of paths that share a vote
	.b32    credit                          # of a retreat (runtime_fallback.c)
	.pred   lost gone                       # it is used up; the lane goes on in the loop as it was
	.b32    ^enough                         # tasks for the path to run; N, or as many as M has lanes
	.b32    ^owner sum4 sum8 word32         # whose task it is; of reductions: a lane's slots; the bits of a number
	.b32    of1 of2 of4 of8 of16            # slots of what a lane keeps while the loop runs (emit_lane_invariants.c)
	.b64    word64
	.pred   number above below
	.pred   ^has row long on                # of rows (rows.tpl)
	.b32    lane place last last_place low below1 below2 below4 below8 below16 short walked rows whose left bit first total at t try from back source lo hi
	.b64    wide_n wide_lane wide_from wide_left wide_size wide_other
	.b16    half

# ---- entry: M and the warp's part of the buffer; where they cannot be had, the loop runs as it was -------------------------

=== entry
	activemask.b32  %~mask;                 # C1
	popc.b32        %~size, %~mask;         # C2
#if check_threads                               # is the block larger than the buffer?
	#count_block
	setp.gt.u32     %~off, %~block, <threads>;
	@%~off bra      $~plain;                # C3
#end
#if uses_thread                                 # x + nx * (y + ny * z)
	mov.u32         %~thread, %tid.x;       # C3
 #if three_dims
	mov.u32         %~tz, %tid.z;
	mov.u32         %~ny, %ntid.y;
	mov.u32         %~ty, %tid.y;
	mad.lo.u32      %~ty, %~tz, %~ny, %~ty; # C3
 #end
 #if two_dims
	mov.u32         %~ty, %tid.y;
 #end
 #if many_dims
	mov.u32         %~nx, %ntid.x;
	mad.lo.u32      %~thread, %~ty, %~nx, %~thread; # C3
 #end
#end
#if uses_buffer                                 # the warp's part
	shr.u32         %~n, %~thread, 5;       # C3
	mov.u32         %~base, <buffer>;
	mad.lo.u32      %~base, %~n, <stride>, %~base; # C3
#end
#if rows                                        # numbers of lanes; full warps that hand over come past the place where others get theirs
	#numbers
 #if others_early
	#group_numbers
 #end
#else
	mov.u32         %~lt, %lanemask_lt;     # C6
#end
#each part
	mov.u32         %^top, 0;               # C5, C6
#end
	mov.pred        %~in, -1;               # C15
#each part
	mov.pred        %^want, 0;              # C4
#end
#each part
 #if threshold
	min.s32         %^enough, %~size, <least>; # C17
 #end
#end
#if any_over
	mov.pred        %~over, 0;              # C15
#end
#if retreats
	mov.u32         %~credit, <start>;      # C25
	mov.pred        %~lost, 0;              # C25
	mov.pred        %~gone, 0;              # C25
#end
#if queue
 #if rows
	mov.u32         %~rank, %~lane;
 #else
	and.b32         %~rank, %~mask, %~lt;
	popc.b32        %~rank, %~rank;         # C6
 #end
#end
	#again                                  # C9: uniform values that only some lanes have come past

=== majority                                    # does M hold more than half of the lanes that its warp has?
	setp.gt.u32     %~most, %~size, 16;     # C3
#if partial_warps
	@%~most bra     $~entered;              # CANNOT: what follows says the same
 #if counts_block
	#count_block
 #end
	and.b32         %~n, %~thread, -32;
	sub.u32         %~n, <block>, %~n;      # C3: lanes of a warp that is not full; 32 and more: it is
	shl.b32         %~slot, %~size, 1;
	setp.gt.u32     %~most, %~slot, %~n;    # C3
	vote.sync.any.pred      %~most, %~most, %~mask; # C1: all say the same; this shows it to those who only read (convergence_check.c)
#end
	@!%~most bra    $~plain;                # C3
$~entered:

=== count_block                                 # its threads
	mov.u32         %~block, %ntid.x;
	mov.u32         %~ny, %ntid.y;
	mov.u32         %~nz, %ntid.z;
	mul.lo.u32      %~block, %~block, %~ny; # C3
	mul.lo.u32      %~block, %~block, %~nz; # C3

# ---- own: the iteration up to the vote, on the owner's registers -----------------------------------------------------------

=== own
#if grouped
	#before_group
#end
#if early                                       # what is written comes before the first vote
	bar.warp.sync   <mask>;                 # C8, C12, C13: what an earlier group left in the buffer is read
#end
#if keeps                                       # what the loop does not change, for whoever runs tasks of this lane
	#my_rows
	#keep                                   # C12
#end
#each part
 #if reductions                                 # nothing is in the slots yet
	#my_slots
	#identities                             # C13
 #end
#end
	#before_loop
	#exits                                  # CANNOT apart: the next place for them does; # CANNOT for others: likewise
#if lockstep                                    # %~in stands for the branches that leave the loop, %^want for that to the path
$<header>:
	#to_branch                              # C26
#else                                           # the path's entry leads to want, ways out to exit<k>, the way back to vote
 #if drains_full
$~drain:                                         # C24: full warps come here from their copy, none of their lanes in
 #end
$~round:                                         # the only way into the loop, which has one head so
 #if retreats_here
	@!%~lost bra.uni        $~on;		# CANNOT: it only retreats at other times
	or.pred         %~gone, %~gone, %~in;   # C25: who is in leaves, for the header of the loop as it was
	mov.pred        %~in, 0;                # C25
$~on:
 #end
	@!%~in bra      $<first>;               # C1
	bra.uni         $<header>;
	#blocks
	#exits
#end

=== want                                        # in place of a path
$<instead>:
	#take_own                               # C9
	#slice                                  # C11: what flows out of the path and its owner can compute
#if grouped
	mov.u32         %~which, <number>;      # C21
#else
	mov.pred        %^want, -1;             # C4
#end
	#behind_path                            # CANNOT in lockstep: the chain goes on there

=== wish                                        # in place of a branch to a path, in lockstep
#if negated
	not.pred        %^want, <p>;
	and.pred        %^want, %^want, %~in;   # C4, C26
#else
	and.pred        %^want, <p>, %~in;      # C4, C26
#end

=== cut                                         # behind the branch, in lockstep
	#prefix                                 # C10: what stands between the branch and the path
	#slice                                  # C11

=== hold                                        # a task of one of several own parts waits for the votes behind the last
	mov.pred        <want>, %^want;         # C18
	#hold_own                               # C18

=== stay                                        # in place of a branch that leaves the loop, in lockstep: it stays if <p> (negated: if not)
#if negated_or_many
	not.pred        %~mine, <p>;
#end
#if many_exits
 #if negated
	and.pred        %~more, <p>, %~in;
 #else
	and.pred        %~more, %~mine, %~in;
 #end
	@%~more mov.u32 %~exit, <k>;            # C26
#end
#if negated
	and.pred        %~in, %~in, %~mine;     # C26
#else
	and.pred        %~in, %~in, <p>;        # C26
#end

=== exit                                        # the lane parks: it goes on to vote or, in lockstep, to run along
$~<exit><k>:
#if many_exits
	mov.u32         %~exit, <k>;            # C15
#end
	mov.pred        %~in, 0;                # C15
	bra.uni         $<parked>;              # C1

# ---- stack: tasks wait until all lanes have one (CCC Fig. 3), or with threshold(N) N lanes ---------------------------------------------------------------

=== stack
$^vote:
#if asks_first
	#ask_first                              # C23 # CANNOT: what follows finds that nobody wants
#end
	vote.sync.ballot.b32    %~votes, %^want, <mask>; # C1, C2
	bar.warp.sync   <mask>;                 # C1, C7: pushes before pops, pops before pushes
#if looks_back
	#look_back				# CANNOT: it only retreats at other times
#end
	popc.b32        %~n, %~votes;
	sub.s32         %~idle, <size>, %~n;
#if threshold
	add.s32         %~slot, %^top, %~n;
	setp.lt.s32     %~few, %~slot, <enough>; # C17
#else
	setp.lt.s32     %~few, %^top, %~idle;   # C5
#end
	@%~few bra.uni  $^push;                 # C2
#if scored
	#charge				# CANNOT: it only retreats at other times
#end
#if ranks                                       # the idle lane of rank r takes slot top - 1 - r
	xor.b32         %~slot, %~votes, <mask>;
	and.b32         %~slot, %~slot, %~lt;
	popc.b32        %~slot, %~slot;
	sub.s32         %~slot, %^top, %~slot;  # C6
#end
#if threshold                                   # lanes for which there is no task go on
	setp.gt.s32     %~mine, %~slot, 0;      # C17
	or.pred         %~mine, %~mine, %^want; # C17
	sub.s32         %^top, %^top, %~idle;   # C5, C17
	max.s32         %^top, %^top, 0;        # C17
	@!%~mine bra    $<skip>;                # C1, C17
#end
#if context
	#addresses
 #if kept
 #else
	#take_own                               # C9
 #end
	#pop                                    # C6, C9
#end
#if no_threshold
	sub.s32         %^top, %^top, %~idle;   # C5, C6
#end
$^run:
#if tells_tasks
	mov.pred        <has>, -1;              # C22
#end
#if kept_values
	#owners_rows                            # C12
	#take_kept                              # C12
#end
	#compute                                # C9: what is not saved, from what is
	#begin_step                             # C19
	#path                                   # C10
#if reductions
$^fold:
	#fold_task                              # C13
#end
	#end_step                               # C19
	#rest
$^push:                                         # too few: the lanes that want put their tasks on top, in order
	setp.eq.u32     %~more, %~votes, 0;
#if scored
	@%~more add.s32 %~credit, %~credit, <unwanted>; # CANNOT: it only retreats at other times
#end
	@%~more bra.uni $<none>;                # C2
#if scored
	add.s32         %~credit, %~credit, <gained>; # CANNOT: it only retreats at other times
#end
#if context
	and.b32         %~slot, %~votes, %~lt;
	popc.b32        %~slot, %~slot;
	add.s32         %~slot, %^top, %~slot;  # C6
	#addresses
	#push                                   # C6, C9
#end
	add.s32         %^top, %^top, %~n;      # C5, C6
	bra.uni         $^ran;
	#if_none

=== ask_first                                   # where paths have loops: are all in, and does nobody want? The next iteration, then
	not.pred        %~more, %~in;
	or.pred         %~more, %~more, %^want; # C23
	vote.sync.any.pred      %~more, %~more, <mask>; # C1, C23
	@!%~more bra.uni        $<nobody>;       # CANNOT: what follows finds that nobody wants

=== ask_turns                                   # likewise, of all own parts: does nobody want?
	mov.pred        %~more, 0;              # CANNOT: what follows finds that nobody wants
#each turn
	or.pred         %~more, %~more, <want>; # C23
#end
	vote.sync.any.pred      %~more, %~more, <mask>; # C1, C23
	@!%~more bra.uni        $<wait>;        # CANNOT: what follows pushes nothing

=== look_back                                   # on the rounds before this one
	setp.lt.s32     %~lost, %~credit, 0;	# C25 # CANNOT: it only retreats at other times

=== charge                                      # of a run
	add.s32         %~credit, %~credit, <spent>; # C25 # CANNOT: it only retreats at other times
	min.s32         %~credit, %~credit, <most>; # CANNOT: it only retreats at other times

# ---- queue: every task goes through the buffer; as many as M has lanes are taken as soon as there are so many, or N --------------

=== queue
$^vote:
#if asks_first
 #if turns
	#ask_turns                              # C23 # CANNOT: likewise
 #else
	#ask_first                              # C23 # CANNOT: likewise
 #end
#end
#each turn                                      # queue(U): of each own part of the round
	vote.sync.ballot.b32    %~votes, <want>, <mask>; # C1, C2
 #if looks_back
	#look_back				# CANNOT in lockstep: it only retreats at other times
 #end
 #if one_turn
	setp.eq.u32     %~more, %~votes, 0;
  #if scored
	@%~more add.s32 %~credit, %~credit, <unwanted>; # CANNOT: it only retreats at other times
  #end
	@%~more bra.uni $<wait>;                # C2
  #if scored
	add.s32         %~credit, %~credit, <gained>; # CANNOT: it only retreats at other times
  #end
 #end
	popc.b32        %~n, %~votes;
 #if context
	and.b32         %~slot, %~votes, %~lt;
	popc.b32        %~slot, %~slot;
	add.s32         %~slot, %^top, %~slot;  # C6
	#addresses
	#push                                   # C6, C9
 #end
	add.s32         %^top, %^top, %~n;      # C5, C6
#end
#if scored_turns                                # by the last own part, for all of them
	setp.ne.u32     %~more, %~votes, 0;
	@%~more add.s32 %~credit, %~credit, <gained>; # CANNOT: it only retreats at other times
	add.s32         %~credit, %~credit, <unwanted>; # CANNOT: it only retreats at other times
#end
	setp.lt.s32     %~few, %^top, <enough>; # C5, C17
#if one_turn
	@%~few bra.uni  $^ran;                  # C2
#else
	@%~few bra.uni  $<wait>;                # C2
#end
#if turns
 #if context
	bar.warp.sync   <mask>;                 # C1, C7, C18: pushes before pops
 #end
$^more:
#end
#if scored
	#charge				# CANNOT: it only retreats at other times
#end
#if threshold
	mov.u32         %~n, %^top;
#end
	sub.s32         %^top, %^top, <size>;   # C5
#if threshold
	max.s32         %^top, %^top, 0;        # C17
	add.s32         %~slot, %^top, %~rank;  # C17
	setp.lt.s32     %~mine, %~slot, %~n;    # C17
#end
#if context
 #if one_turn
	bar.warp.sync   <mask>;                 # C1, C7: pushes before pops
 #end
 #if threshold
	#addresses
	#pop_mine                               # C6, C17
 #else
	add.s32         %~slot, %^top, %~rank;  # C6
	#addresses
	#pop_left                               # C6, C9
 #end
 #if one_turn
	bar.warp.sync   <mask>;                 # C1, C7: pops before pushes
 #end
#end
#if threshold                                   # lanes for which there is no task go on
	@!%~mine bra    $<done>;                # C1, C17
#end
$^run:
#if tells_tasks
	mov.pred        <has>, -1;              # C22
#end
#if kept_values
	#owners_rows                            # C12
	#take_kept                              # C12
#end
	#compute                                # C9: what is not saved, from what is
	#begin_step                             # C19
	#path                                   # C10
#if reductions
$^fold:                                          # CANNOT apart: its name is then the other copy's, where all can go on
	#fold_task                              # C13
#end
	#end_step                               # C19
#if turns
$^done:
	setp.ge.s32     %~more, %^top, <enough>; # C18: as often as there are enough
	@%~more bra.uni $^more;                 # C2, C18
 #if context
	bar.warp.sync   <mask>;                 # C1, C7, C18: pops before pushes
 #end
#end
	#rest
#if drains
$^wait:
 #if turns
  #if asks_first                                # nobody need have voted
  #else
	setp.ne.u32     %~more, %~votes, 0;
	@%~more bra.uni $^ran;                  # CANNOT in lockstep: all is pushed, and the second vote finds who is in
  #end
 #end
 #if hands_over                                 # the other copy's stands in front of its drain
 #else
	bar.warp.sync   <mask>;                 # C1, C7: pushes before the pops of the drain
 #end
	#drain
#end

# ---- group: of these paths an iteration takes one at most (shared_vote.c), so all have one vote, on the bits of the path's number, and all
# lanes push at once; lane k counts the tasks of path k, from 1. For full warps ----------------------------------------------------

=== before_group
	mov.u32         %~lane, %laneid;
	mov.u32         %~which, 0;             # C21: the path of which this lane has a task in hand
	mov.u32         %~count, 0;             # C21
	sub.u32         %~n, %~lane, 1;         # all ones in lanes that count
	setp.lt.u32     %~more, %~n, <paths>;
	selp.b32        %~numbers, -1, 0, %~more; # C21
#each bit
	and.b32         %~n, %~lane, <weight>;
	setp.eq.u32     %~more, %~n, 0;
	selp.b32        <not>, -1, 0, %~more;   # C21
#end

=== group
$^vote:
	bar.warp.sync   <mask>;                 # C1, C7, C21: pops before pushes
	mov.b32         %~votes, 0;
	mov.b32         %~slot, %~lt;           # lanes below that want the same path
	mov.b32         %~n, %~numbers;         # lanes that want path number %~lane
#each bit
	and.b32         %~idle, %~which, <weight>;
	setp.ne.u32     %~more, %~idle, 0;
	vote.sync.ballot.b32    %~bits, %~more, <mask>; # C1, C2, C21
	or.b32          %~votes, %~votes, %~bits;
	selp.b32        %~idle, 0, -1, %~more;
	lop3.b32        %~slot, %~slot, %~bits, %~idle, 0x60;   # C21: a & (b ^ c)
	lop3.b32        %~n, %~n, %~bits, <not>, 0x60; # C21
#end
	setp.eq.u32     %~more, %~votes, 0;
	@%~more bra.uni $~none;
	popc.b32        %~n, %~n;
#if pushes
	popc.b32        %~slot, %~slot;
	shfl.sync.idx.b32       %~idle, %~count, %~which, 31, <mask>; # C1, C21
	add.s32         %~slot, %~slot, %~idle; # C6, C21
	#push_wanted
#end
	mov.u32         %~which, 0;             # C4
	add.s32         %~count, %~count, %~n;  # C6, C21
	setp.ge.s32     %~more, %~count, 32;
	@%~more sub.s32 %~count, %~count, 32;   # C5, C21
	vote.sync.ballot.b32    %~ready, %~more, <mask>; # C1, C2, C21
	setp.eq.u32     %~more, %~ready, 0;
	@%~more bra.uni $~round;                # CANNOT: no part finds itself ready
	bar.warp.sync   <mask>;                 # C1, C7, C21: pushes before pops
	#runs
$~none:
	vote.sync.any.pred      %~more, %~in, <mask>; # C1, C15
	@%~more bra.uni $~round;                # CANNOT: the loop goes on in the other copy
#each part
	shfl.sync.idx.b32       %^top, %~count, <number>, 31, <mask>; # C1, C24
#end
	#to_others                              # C24

=== push_alike                                  # rows of one path stand as many bytes behind those of another
	setp.ne.u32     %~mine, %~which, 0;
	mad.lo.u32      %~tasks, %~which, <alike>, %~base;
	sub.u32         %~tasks, %~tasks, <alike>;
	#addresses
	#push                                   # C6, C21

=== push_one
	setp.eq.u32     %~mine, %~which, <number>;
	#addresses
	#push                                   # C6, C21

=== grouped                                     # each part: its tasks run, if there are enough for all
	and.b32         %~n, %~ready, <its_bit>;
	setp.eq.u32     %~few, %~n, 0;
	@%~few bra.uni  $^ran;                  # C2
#if context
	shfl.sync.idx.b32       %~slot, %~count, <number>, 31, <mask>; # C1, C21
	add.s32         %~slot, %~slot, %~lane; # C6, C21
	#addresses
	#pop_left                               # C6, C9
#end
#if kept_values
	#owners_rows                            # C12
	#take_kept                              # C12
#end
	#compute                                # C9: what is not saved, from what is
	#path                                   # C10
#if reductions
$^fold:                                          # CANNOT apart: its name is then that of the run in front of it, where all can go on
	#fold_task                              # C13
#end
	#rest

# ---- an inner loop, a task of which is one iteration: who goes on with it has a task in hand again, and all vote again --------

=== begin_step
#if steps
	mov.pred        %^want, 0;              # C4, C19
#end

=== end_step
#if steps
$^done:                                         # the inner loop has ended
	bra.uni         $^vote;                 # C1, C19
$^again:                                        # its header
 #if reductions
	#fold_step                              # C13, C19
 #end
	mov.pred        %^want, -1;             # C4, C19
 #if full
 #else
	@%~over bra     $^run;                  # C19: nobody is in: there is nothing to wait for
 #end
	bra.uni         $^vote;                 # C1, C19
#end

# ---- an inner loop of a path whose iterations are laid over the lanes (rows.tpl): all of M come to the meeting, whoever has no task or
# comes past the inner loop without a row --------------------------------------------------------------------------------------------

=== rows
#if folds                                       # nothing falls to it: what is in front of the meeting ends in branches
$^lacks:
	mov.pred        %^has, 0;               # C22
#end
$^idle:
	mov.b<w>        <n>, 0;                 # C22
	#meet                                   # C1, C22
#if chooses
	#choose                                 # CANNOT: rows are walked rightly either way
#end
	#long
	#short
	#back                                   # C22: what is behind the inner loop
$^round:
#if folds
	@!%^has bra     $<ran>;                 # C22
#end

=== rest                                        # on with the next part's vote; behind the last one's with the loop
$^ran:
#if keeps_wish
	mov.pred        %^want, 0;              # C4
#end
#if last
 #if lockstep
	#to_header                              # C26
  #if retreats                                   # to the copy that retreats
	@!%~lost bra.uni        $<header>;      # CANNOT: full warps go on in the other copy
	bra.uni         $~retreat;
  #else
	bra.uni         $<header>;
  #end
 #else
  #if retreats_over
	@!%~lost bra.uni        $~round;        # CANNOT: likewise
	bra.uni         $~retreat;
  #else
	bra.uni         $~round;
  #end
 #end
#else
	#next_vote                              # C1, C14
#end

=== if_none
#if drains
	#drain
#end

=== drain                                       # nobody wants; nobody is in: as many lanes as tasks are left run those
$^none:
#if looks                                       # the one vote of a round on this
	vote.sync.any.pred      %~more, %~in, <mask>; # C1, C15
	@%~more bra.uni $^ran;
#else
	@!%~over bra.uni $^ran;                 # C15
#end
#if hands_over
	#to_others                              # C24
#else
	#nothing_left
	#left_over
#end

=== to_others                                   # the other copy runs what is left
#each part
	mov.pred        %^want, 0;              # C4, C24 # CANNOT apart: nobody wants; in lockstep, other parts' may be of an earlier round
#end
	bra.uni         $~drain;                # C24

=== nothing_left
#if over
	mov.pred        %~over, -1;             # C15: every part runs what it has
#end
#if ends
	mov.u32         %~n, 0;                 # CANNOT in lockstep: so many want; # CANNOT apart: so many want
 #each part
	or.b32          %~n, %~n, %^top;        # C15
 #end
	setp.eq.s32     %~more, %~n, 0;
	@%~more bra.uni $~leave;                # C15
#end
	setp.eq.s32     %~more, %^top, 0;
	@%~more bra.uni $<empty>;               # C15

=== left_over
	and.b32         %~slot, %~mask, %~lt;
	popc.b32        %~slot, %~slot;
	setp.lt.s32     %~mine, %~slot, %^top;  # C6
	mov.u32         %^top, 0;               # C5, C6: the next vote finds nothing left
	@!%~mine bra    $<drained>;             # C1
#if context
	#addresses
	#pop_left                               # C6, C9
#end
	bra             $^run;

# ---- leave: all of M go on together, each where it left its loop -----------------------------------------------------------

=== leave
$~leave:
	bar.warp.sync   %~mask;                 # C1, C8, C13: owners see what helpers wrote; # CANNOT: the last vote's barrier did it
#if any_reductions
 #each part
  #if reductions
	#my_slots
	#fold_slots                             # C13
  #end
 #end
#end
#if any_folds
	bar.warp.sync   %~mask;                 # C1, C13: read before another loop uses the place
#end
#if retreats
	@%~gone bra     <as_it_was>;            # C25
#end
	#ways_out

=== way_out
#if last
	<go>;
#else
	setp.eq.u32     %~more, %~exit, <k>;
	@%~more <go>;                           # C11, C15
#end
