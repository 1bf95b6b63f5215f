# SPDX-License-Identifier: MIT
# collect.tpl: the loop of Collaborative Context Collection, emitted before the original loop (collect_plan.c; docs/proofs/collect.md).
#
# Registers of the site (~):                                  Registers of a task region (^):
# %~mask   M, the lanes that arrived together                 %^want   this lane has a pending task
# %~size   number of lanes in M                               %^top    number of queued tasks
# %~lt     lanes below this one
# %~base   the warp's part of the buffer                      Temporaries:
# %~in     this lane's loop has not ended                     %~votes  lanes with a pending task;   %~n   their number
# %~exit   the exit that this lane took                       %~slot   the slot that this lane uses;   %~more
#
# Sections are in the order of the loop. The votes are at one of two places. In lockstep they replace the branches to the paths, and
# the common code is one chain of blocks without branches. Apart, they follow the iteration, at the back edge, one after the other.

=== loop
#if several_regions
	{ // ccc: loop at line <loop_line>
 #each region
	// path at line <path_line>, policy <policy>    # CANNOT: it is a comment
 #end
#else
	{ // ccc: loop at line <loop_line>, path at line <path_line>, policy <policy>
#end
	#declare names
	#registers                              # of the paths' tasks, and of recomputed values
	#entry
#if two_copies                                  # the mask is not set again, so that ptxas knows it to be uniform
	setp.ne.b32     %~off, %~mask, -1;
	@%~off bra      $~others;               # C24
	{
	#full_copy
	}
$~others:
#end
	#majority
#if expansions
 #if partial_groups_last
	#group_numbers
 #end
#end
	#other_copy
	#leave
	}
$~plain:                                        # the original loop

=== copy                                        # copy of the loop, for full warps or for all other groups
	#own
	#first_vote                             # stack or queue; it contains the votes of the following regions
#if falls_back_to_partial_copy                               # the copy for other groups falls back for full warps too
$~retreat:
	#to_others                              # C24
#end

=== names                                       # registers of the emitted code; ^: one for each region
	.pred   off ^want in few more mine over most
	.b32    mask lt size ^top base votes n idle slot bits exit at1 at2 at4 at8 at16
	.b32    thread block nx ny nz ty tz     # used at the entry
	.b32    rank                            # of the lane in M
	.b32    which count numbers ready tasks not1 not2 not4 not8 not16  # shared vote
	.b32    credit                          # of the fallback (runtime_fallback.c)
	.pred   lost gone                       # the credit is used up; this lane continues in the original loop
	.b32    ^enough                         # tasks that let the path execute: N, or the number of lanes in M
	.b32    ^owner sum4 sum8 word32         # owner of the task; a lane's reduction slots; bits of a number
	.b32    of1 of2 of4 of8 of16            # addresses of lane invariants (emit_lane_invariants.c)
	.b64    word64
	.pred   number above below
	.pred   ^has row long on                # expanded inner loops (rows.tpl)
	.b32    lane place last last_place low below1 below2 below4 below8 below16 short walked rows whose left bit first total at t try from back source lo hi
	.b64    wide_n wide_lane wide_from wide_left wide_size wide_other
	.b16    half

# ---- entry: M and the warp's part of the buffer; without them the original loop executes ------------------------------------

=== entry
#if gathers
	bar.warp.sync   -1;                     # L5 # CANNOT: the emulator does not model the fault that it avoids
#end
	activemask.b32  %~mask;                 # C1
	popc.b32        %~size, %~mask;         # C2
#if check_threads                               # the block may be larger than the buffer serves
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
#if expansions                                        # numbers of lanes; full warps that hand over continue where the other groups have computed theirs
	#numbers
 #if partial_groups_first
	#group_numbers
 #end
#else
	mov.u32         %~lt, %lanemask_lt;     # C6
#end
#each region
	mov.u32         %^top, 0;               # C5, C6
#end
	mov.pred        %~in, -1;               # C15
#each region
	mov.pred        %^want, 0;              # C4
#end
#each region
 #if threshold
	min.s32         %^enough, %~size, <least>; # C17
 #end
#end
#if uses_all_done
	mov.pred        %~over, 0;              # C15
#end
#if has_fallback
	mov.u32         %~credit, <start>;      # C25
	mov.pred        %~lost, 0;              # C25
	mov.pred        %~gone, 0;              # C25
#end
#if queue
 #if expansions
	mov.u32         %~rank, %~lane;
 #else
	and.b32         %~rank, %~mask, %~lt;
	popc.b32        %~rank, %~rank;         # C6
 #end
#end
	#again                                  # C9: uniform values that only some lanes may have computed

=== majority                                    # M must hold more than half of the lanes that its warp has
	setp.gt.u32     %~most, %~size, 16;     # C3
#if partial_warps
	@%~most bra     $~entered;              # CANNOT: the following code gives the same result
 #if counts_block
	#count_block
 #end
	and.b32         %~n, %~thread, -32;
	sub.u32         %~n, <block>, %~n;      # C3: lanes of a partial warp; 32 or more if it is full
	shl.b32         %~slot, %~size, 1;
	setp.gt.u32     %~most, %~slot, %~n;    # C3
	vote.sync.any.pred      %~most, %~most, %~mask; # C1: the value is the same in all lanes; the vote shows this to convergence_check.c
#end
	@!%~most bra    $~plain;                # C3
$~entered:

=== count_block                                 # number of threads in the block
	mov.u32         %~block, %ntid.x;
	mov.u32         %~ny, %ntid.y;
	mov.u32         %~nz, %ntid.z;
	mul.lo.u32      %~block, %~block, %~ny; # C3
	mul.lo.u32      %~block, %~block, %~nz; # C3

# ---- own: the iteration up to the vote, on the owner's registers ------------------------------------------------------------

=== own
#if shares_vote
	#before_group
#end
#if barrier_before_vote                                       # the buffer is written before the first vote
	bar.warp.sync   <mask>;                 # C8, C12, C13: an earlier group has read what it left in the buffer
#end
#if any_lane_invariants                                       # lane invariants, for the lanes that execute this lane's tasks
	#my_rows
	#keep                                   # C12
#end
#each region
 #if reductions                                 # the slots are not initialised yet
	#my_slots
	#identities                             # C13
 #end
#end
	#before_loop
	#exits                                  # CANNOT apart: the next #exits emits them; # CANNOT for others: as above
#if lockstep                                    # %~in replaces the branches that leave the loop, %^want the branch to the path
$<header>:
	#to_branch                              # C26
#else                                           # the path's entry leads to want, exits to exit<k>, the back edge to vote
 #if is_drain_target
$~drain:                                         # C24: full warps arrive here from their copy; all of their lanes have left
 #end
$~round:                                         # the only entry of the loop, so that it has a single header
 #if falls_back_here
	@!%~lost bra.uni        $~on;		# CANNOT: only the time of the fallback changes
	or.pred         %~gone, %~gone, %~in;   # C25: lanes that are in leave for the header of the original loop
	mov.pred        %~in, 0;                # C25
$~on:
 #end
	@!%~in bra      $<first>;               # C1
	bra.uni         $<header>;
	#blocks
	#exits
#end

=== want                                        # replaces a path
$<instead>:
	#take_own                               # C9
	#slice                                  # C11: live-outs of the path that the owner can compute
#if shares_vote
	mov.u32         %~which, <number>;      # C21
#else
	mov.pred        %^want, -1;             # C4
#end
	#behind_path                            # CANNOT in lockstep: the chain continues there

=== wish                                        # replaces a branch to a path, in lockstep
#if negated
	not.pred        %^want, <p>;
	and.pred        %^want, %^want, %~in;   # C4, C26
#else
	and.pred        %^want, <p>, %~in;      # C4, C26
#end

=== cut                                         # after the branch, in lockstep
	#prefix                                 # C10: the blocks between the branch and the path
	#slice                                  # C11

=== hold                                        # a task of an iteration of the batch waits for the votes after the last one
	mov.pred        <want>, %^want;         # C18
	#hold_own                               # C18

=== stay                                        # replaces a branch that leaves the loop, in lockstep: the lane stays if <p> (negated: if not)
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

=== exit                                        # the lane parks: it continues at vote or, in lockstep, executes the chain
$~<exit><k>:
#if many_exits
	mov.u32         %~exit, <k>;            # C15
#end
	mov.pred        %~in, 0;                # C15
	bra.uni         $<parked>;              # C1

# ---- stack: tasks wait until all lanes have one (CCC Fig. 3), or with threshold(N) N lanes ----------------------------------

=== stack
$^vote:
#if tests_vote_first
	#ask_first                              # C23 # CANNOT: the following vote finds no pending task
#end
	vote.sync.ballot.b32    %~votes, %^want, <mask>; # C1, C2
	bar.warp.sync   <mask>;                 # C1, C7: between pushes and pops, and between pops and pushes
#if checks_credit
	#look_back				# CANNOT: only the time of the fallback changes
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
#if counts_credit
	#charge				# CANNOT: only the time of the fallback changes
#end
#if needs_rank                                       # the idle lane of rank r takes slot top - 1 - r
	xor.b32         %~slot, %~votes, <mask>;
	and.b32         %~slot, %~slot, %~lt;
	popc.b32        %~slot, %~slot;
	sub.s32         %~slot, %^top, %~slot;  # C6
#end
#if threshold                                   # lanes without a task skip the path
	setp.gt.s32     %~mine, %~slot, 0;      # C17
	or.pred         %~mine, %~mine, %^want; # C17
	sub.s32         %^top, %^top, %~idle;   # C5, C17
	max.s32         %^top, %^top, 0;        # C17
	@!%~mine bra    $<skip>;                # C1, C17
#end
#if has_context
	#addresses
 #if task_in_registers
 #else
	#take_own                               # C9
 #end
	#pop                                    # C6, C9
#end
#if no_threshold
	sub.s32         %^top, %^top, %~idle;   # C5, C6
#end
$^run:
#if reports_tasks
	mov.pred        <has>, -1;              # C22
#end
#if lane_invariants
	#owners_rows                            # C12
	#take_kept                              # C12
#end
	#compute                                # C9: values that are not saved, from those that are
	#begin_step                             # C19
	#path                                   # C10
#if reductions
$^fold:
	#fold_task                              # C13
#end
	#end_step                               # C19
	#rest
$^push:                                         # too few tasks: the lanes with a pending task push it, in order
	setp.eq.u32     %~more, %~votes, 0;
#if counts_credit
	@%~more add.s32 %~credit, %~credit, <unwanted>; # CANNOT: only the time of the fallback changes
#end
	@%~more bra.uni $<none>;                # C2
#if counts_credit
	add.s32         %~credit, %~credit, <gained>; # CANNOT: only the time of the fallback changes
#end
#if has_context
	and.b32         %~slot, %~votes, %~lt;
	popc.b32        %~slot, %~slot;
	add.s32         %~slot, %^top, %~slot;  # C6
	#addresses
	#push                                   # C6, C9
#end
	add.s32         %^top, %^top, %~n;      # C5, C6
	bra.uni         $^ran;
	#if_none

=== ask_first                                   # if paths have loops: if all lanes are in and none has a pending task, continues with the next iteration
	not.pred        %~more, %~in;
	or.pred         %~more, %~more, %^want; # C23
	vote.sync.any.pred      %~more, %~more, <mask>; # C1, C23
	@!%~more bra.uni        $<nobody>;       # CANNOT: the following vote finds no pending task

=== ask_turns                                   # the same for all iterations of the batch
	mov.pred        %~more, 0;              # CANNOT: the following vote finds no pending task
#each turn
	or.pred         %~more, %~more, <want>; # C23
#end
	vote.sync.any.pred      %~more, %~more, <mask>; # C1, C23
	@!%~more bra.uni        $<wait>;        # CANNOT: the following code pushes nothing

=== look_back                                   # evaluates the rounds before this one
	setp.lt.s32     %~lost, %~credit, 0;	# C25 # CANNOT: only the time of the fallback changes

=== charge                                      # the cost of an execution
	add.s32         %~credit, %~credit, <spent>; # C25 # CANNOT: only the time of the fallback changes
	min.s32         %~credit, %~credit, <most>; # CANNOT: only the time of the fallback changes

# ---- queue: each task goes through the buffer; when it holds as many as M has lanes, or N, that many are taken --------------

=== queue
$^vote:
#if tests_vote_first
 #if batched
	#ask_turns                              # C23 # CANNOT: as above
 #else
	#ask_first                              # C23 # CANNOT: as above
 #end
#end
#each turn                                      # queue(U): for each iteration of the batch
	vote.sync.ballot.b32    %~votes, <want>, <mask>; # C1, C2
 #if checks_credit
	#look_back				# CANNOT in lockstep: only the time of the fallback changes
 #end
 #if not_batched
	setp.eq.u32     %~more, %~votes, 0;
  #if counts_credit
	@%~more add.s32 %~credit, %~credit, <unwanted>; # CANNOT: only the time of the fallback changes
  #end
	@%~more bra.uni $<wait>;                # C2
  #if counts_credit
	add.s32         %~credit, %~credit, <gained>; # CANNOT: only the time of the fallback changes
  #end
 #end
	popc.b32        %~n, %~votes;
 #if has_context
	and.b32         %~slot, %~votes, %~lt;
	popc.b32        %~slot, %~slot;
	add.s32         %~slot, %^top, %~slot;  # C6
	#addresses
	#push                                   # C6, C9
 #end
	add.s32         %^top, %^top, %~n;      # C5, C6
#end
#if counts_batch_credit                                # by the last iteration of the batch, for all of them
	setp.ne.u32     %~more, %~votes, 0;
	@%~more add.s32 %~credit, %~credit, <gained>; # CANNOT: only the time of the fallback changes
	add.s32         %~credit, %~credit, <unwanted>; # CANNOT: only the time of the fallback changes
#end
	setp.lt.s32     %~few, %^top, <enough>; # C5, C17
#if not_batched
	@%~few bra.uni  $^ran;                  # C2
#else
	@%~few bra.uni  $<wait>;                # C2
#end
#if batched
 #if has_context
	bar.warp.sync   <mask>;                 # C1, C7, C18: between pushes and pops
 #end
$^more:
#end
#if counts_credit
	#charge				# CANNOT: only the time of the fallback changes
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
#if has_context
 #if not_batched
	bar.warp.sync   <mask>;                 # C1, C7: between pushes and pops
 #end
 #if threshold
	#addresses
	#pop_mine                               # C6, C17
 #else
	add.s32         %~slot, %^top, %~rank;  # C6
	#addresses
	#pop_left                               # C6, C9
 #end
 #if not_batched
	bar.warp.sync   <mask>;                 # C1, C7: between pops and pushes
 #end
#end
#if threshold                                   # lanes without a task skip the path
	@!%~mine bra    $<done>;                # C1, C17
#end
$^run:
#if reports_tasks
	mov.pred        <has>, -1;              # C22
#end
#if lane_invariants
	#owners_rows                            # C12
	#take_kept                              # C12
#end
	#compute                                # C9: values that are not saved, from those that are
	#begin_step                             # C19
	#path                                   # C10
#if reductions
$^fold:                                          # CANNOT apart: the name then refers to the label in the other copy, where all lanes can continue
	#fold_task                              # C13
#end
	#end_step                               # C19
#if batched
$^done:
	setp.ge.s32     %~more, %^top, <enough>; # C18: as long as there are enough tasks
	@%~more bra.uni $^more;                 # C2, C18
 #if has_context
	bar.warp.sync   <mask>;                 # C1, C7, C18: between pops and pushes
 #end
#end
	#rest
#if drains
$^wait:
 #if batched
  #if tests_vote_first                                # the lanes may not have voted
  #else
	setp.ne.u32     %~more, %~votes, 0;
	@%~more bra.uni $^ran;                  # CANNOT in lockstep: all tasks are pushed, and the second vote finds the lanes that are in
  #end
 #end
 #if jumps_to_partial_copy                                 # in the other copy the barrier precedes the drain
 #else
	bar.warp.sync   <mask>;                 # C1, C7: between pushes and the pops of the drain
 #end
	#drain
#end

# ---- group: a shared vote (shared_vote.c). An iteration takes at most one of the paths, so all have one vote, on the bits of the path's
# number, and all lanes push at once. Lane k holds the task count of path k, from 1. For full warps only. ----------------------------

=== before_group
	mov.u32         %~lane, %laneid;
	mov.u32         %~which, 0;             # C21: the path of this lane's pending task
	mov.u32         %~count, 0;             # C21
	sub.u32         %~n, %~lane, 1;         # all ones in lanes that hold a count
	setp.lt.u32     %~more, %~n, <paths>;
	selp.b32        %~numbers, -1, 0, %~more; # C21
#each bit
	and.b32         %~n, %~lane, <weight>;
	setp.eq.u32     %~more, %~n, 0;
	selp.b32        <not>, -1, 0, %~more;   # C21
#end

=== group
$^vote:
	bar.warp.sync   <mask>;                 # C1, C7, C21: between pops and pushes
	mov.b32         %~votes, 0;
	mov.b32         %~slot, %~lt;           # lower lanes with the same path
	mov.b32         %~n, %~numbers;         # lanes whose path is number %~lane
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
	@%~more bra.uni $~round;                # CANNOT: no region has enough tasks
	bar.warp.sync   <mask>;                 # C1, C7, C21: between pushes and pops
	#runs
$~none:
	vote.sync.any.pred      %~more, %~in, <mask>; # C1, C15
	@%~more bra.uni $~round;                # CANNOT: the loop continues in the other copy
#each region
	shfl.sync.idx.b32       %^top, %~count, <number>, 31, <mask>; # C1, C24
#end
	#to_others                              # C24

=== push_alike                                  # the rows of consecutive paths have the same distance
	setp.ne.u32     %~mine, %~which, 0;
	mad.lo.u32      %~tasks, %~which, <alike>, %~base;
	sub.u32         %~tasks, %~tasks, <alike>;
	#addresses
	#push                                   # C6, C21

=== push_one
	setp.eq.u32     %~mine, %~which, <number>;
	#addresses
	#push                                   # C6, C21

=== grouped                                     # for each region: executes the path if all lanes get a task
	and.b32         %~n, %~ready, <its_bit>;
	setp.eq.u32     %~few, %~n, 0;
	@%~few bra.uni  $^ran;                  # C2
#if has_context
	shfl.sync.idx.b32       %~slot, %~count, <number>, 31, <mask>; # C1, C21
	add.s32         %~slot, %~slot, %~lane; # C6, C21
	#addresses
	#pop_left                               # C6, C9
#end
#if lane_invariants
	#owners_rows                            # C12
	#take_kept                              # C12
#end
	#compute                                # C9: values that are not saved, from those that are
	#path                                   # C10
#if reductions
$^fold:                                          # CANNOT apart: the name then refers to the preceding execution's label, where all lanes can continue
	#fold_task                              # C13
#end
	#rest

# ---- steps: a task is one iteration of an inner loop; a lane that continues with it has a pending task again ----------------

=== begin_step
#if iteration_tasks
	mov.pred        %^want, 0;              # C4, C19
#end

=== end_step
#if iteration_tasks
$^done:                                         # the inner loop has ended
	bra.uni         $^vote;                 # C1, C19
$^again:                                        # its header
 #if reductions
	#fold_step                              # C13, C19
 #end
	mov.pred        %^want, -1;             # C4, C19
 #if full
 #else
	@%~over bra     $^run;                  # C19: no lane is in, so there is nothing to wait for
 #end
	bra.uni         $^vote;                 # C1, C19
#end

# ---- rows: an inner loop of a path is expanded (rows.tpl); all of M reach the meeting point, also lanes without a task, and those that
# bypass the inner loop and have no row ----------------------------------------------------------------------------------------------

=== rows
#if folds_into_owner                                       # reached by branches only, since the code before the meeting point ends in branches
$^lacks:
	mov.pred        %^has, 0;               # C22
#end
$^idle:
	mov.b<w>        <n>, 0;                 # C22
	#meet                                   # C1, C22
#if balances
	#choose                                 # CANNOT: both ways of executing rows are correct
#end
	#long
	#short
	#back                                   # C22: the code after the inner loop
$^round:
#if folds_into_owner
	@!%^has bra     $<ran>;                 # C22
#end

=== rest                                        # continues with the next region's vote, or after the last one with the loop
$^ran:
#if saves_want
	mov.pred        %^want, 0;              # C4
#end
#if last
 #if lockstep
	#to_header                              # C26
  #if has_fallback                                   # to the copy that falls back
	@!%~lost bra.uni        $<header>;      # CANNOT: full warps continue in the other copy
	bra.uni         $~retreat;
  #else
	bra.uni         $<header>;
  #end
 #else
  #if falls_back_to_partial_copy
	@!%~lost bra.uni        $~round;        # CANNOT: as above
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

=== drain                                       # no task is pending and no lane is in: one lane for each queued task executes it
$^none:
#if votes_on_exit                                       # the only vote of a round on this
	vote.sync.any.pred      %~more, %~in, <mask>; # C1, C15
	@%~more bra.uni $^ran;
#else
	@!%~over bra.uni $^ran;                 # C15
#end
#if jumps_to_partial_copy
	#to_others                              # C24
#else
	#nothing_left
	#left_over
#end

=== to_others                                   # the other copy executes the queued tasks
#each region
	mov.pred        %^want, 0;              # C4, C24 # CANNOT apart: no task is pending; in lockstep those of other regions may be of an earlier round
#end
	bra.uni         $~drain;                # C24

=== nothing_left
#if sets_all_done
	mov.pred        %~over, -1;             # C15: each region executes its queued tasks
#end
#if tests_tasks_left
	mov.u32         %~n, 0;                 # CANNOT in lockstep: tasks are pending; # CANNOT apart: tasks are pending
 #each region
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
	mov.u32         %^top, 0;               # C5, C6: the next vote finds an empty queue
	@!%~mine bra    $<drained>;             # C1
#if has_context
	#addresses
	#pop_left                               # C6, C9
#end
	bra             $^run;

# ---- leave: all of M continue together, each at its own exit ----------------------------------------------------------------

=== leave
$~leave:
	bar.warp.sync   %~mask;                 # C1, C8, C13: owners see what helpers wrote; # CANNOT: the last vote's barrier orders it
#if any_reductions
 #each region
  #if reductions
	#my_slots
	#fold_slots                             # C13
  #end
 #end
#end
#if any_folds_into_owner
	bar.warp.sync   %~mask;                 # C1, C13: slots are read before another loop uses them
#end
#if has_fallback
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
