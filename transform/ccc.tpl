# SPDX-License-Identifier: MIT
# ccc.tpl: the loop of Collaborative Context Collection, as it is written in front of the loop as it was (p_ccc.c; docs/design.md 6).
#
# %^mask   M, the lanes that came together           %^in     this lane's loop goes on      %^votes  who wants the path
# %^lt     lanes below this one                      %^want   it has a task in hand         %^n      how many; short-lived
# %^size   how many lanes M has                      %^top    tasks that wait               %^slot   the slot this lane uses
# %^base   the warp's part of the buffer             %^exit   the way by which it left      %^more   short-lived
#
# Sections come in the order of the loop. The vote stands at one of two places: in lockstep, where the path's branch stood, and
# the loop is one chain of blocks without a branch; else behind the iteration, at the back edge.

=== loop
	{ // ccc: loop at line <loop_line>, path at line <path_line>, policy <policy>
	#declare names
	#registers                              # the path's own, and those of values that are computed again
	#entry
	#own
	#collect                                # stack or queue
	#leave
	}
$^plain:                                        # the loop as it was

=== names                                       # of the text's own registers
	.pred   off want in few more mine most
	.b32    mask lt size top base votes n idle slot bits exit at1 at2 at4 at8 at16
	.b32    thread block nx ny nz ty tz     # at the entry
	.b32    rank                            # of the lane in M

# ---- entry: M and the warp's part of the buffer; where they cannot be had, the loop runs as it was -------------------------

=== entry
	activemask.b32  %^mask;
	popc.b32        %^size, %^mask;
#if counts_block
	mov.u32         %^block, %ntid.x;
	mov.u32         %^ny, %ntid.y;
	mov.u32         %^nz, %ntid.z;
	mul.lo.u32      %^block, %^block, %^ny;
	mul.lo.u32      %^block, %^block, %^nz;
#end
#if check_threads                               # is the block larger than the buffer?
	setp.gt.u32     %^off, %^block, <threads>;
	@%^off bra      $^plain;
#end
#if uses_thread                                 # x + nx * (y + ny * z)
	mov.u32         %^thread, %tid.x;
 #if three_dims
	mov.u32         %^tz, %tid.z;
	mov.u32         %^ny, %ntid.y;
	mov.u32         %^ty, %tid.y;
	mad.lo.u32      %^ty, %^tz, %^ny, %^ty;
 #end
 #if two_dims
	mov.u32         %^ty, %tid.y;
 #end
 #if many_dims
	mov.u32         %^nx, %ntid.x;
	mad.lo.u32      %^thread, %^ty, %^nx, %^thread;
 #end
#end
	setp.gt.u32     %^most, %^size, 16;     # does M hold more than half of the lanes that its warp has?
#if partial_warps
	@%^most bra     $^entered;              # CANNOT: what follows says the same
	and.b32         %^n, %^thread, -32;
	sub.u32         %^n, <block>, %^n;      # lanes of a warp that is not full; 32 and more: it is
	shl.b32         %^slot, %^size, 1;
	setp.gt.u32     %^most, %^slot, %^n;
	vote.sync.any.pred      %^most, %^most, %^mask; # CANNOT: all say the same, but that is not seen from the text (sync.c)
#end
	@!%^most bra    $^plain;
$^entered:
#if uses_buffer                                 # the warp's part
	shr.u32         %^n, %^thread, 5;
	mov.u32         %^base, <buffer>;
	mad.lo.u32      %^base, %^n, <stride>, %^base;
#end
	mov.u32         %^lt, %lanemask_lt;
	mov.u32         %^top, 0;
	mov.pred        %^in, -1;
#if apart                                       # in lockstep every round sets it before it votes
	mov.pred        %^want, 0;
#end
#if queue
	and.b32         %^rank, %^mask, %^lt;
	popc.b32        %^rank, %^rank;
	bar.warp.sync   %^mask;                 # what an earlier group left in the buffer is read
#end
	#again                                  # uniform values that only some lanes have come past

# ---- own: the iteration up to the vote, on the owner's registers -----------------------------------------------------------

=== own
#if lockstep                                    # %^in stands for the branches that leave the loop, %^want for that to the path
	#before_loop
	#exits
$<header>:
	#to_branch
#else                                           # the path's entry leads to want, ways out to exit<k>, the way back to vote
	#blocks
	#exits
#end

=== want                                        # in place of the path
$^want:
	#take_own
	#slice                                  # what flows out of the path and its owner can compute
	mov.pred        %^want, -1;
	#behind_path

=== wish                                        # in place of the branch to the path, in lockstep
#if negated
	not.pred        %^want, <p>;
	and.pred        %^want, %^want, %^in;
#else
	and.pred        %^want, <p>, %^in;
#end
	#prefix                                 # what stands between the branch and the path
	#slice

=== stay                                        # in place of a branch that leaves the loop, in lockstep: it stays if <p> (negated: if not)
#if negated_or_many
	not.pred        %^mine, <p>;
#end
#if many_exits
 #if negated
	and.pred        %^more, <p>, %^in;
 #else
	and.pred        %^more, %^mine, %^in;
 #end
	@%^more mov.u32 %^exit, <k>;
#end
#if negated
	and.pred        %^in, %^in, %^mine;
#else
	and.pred        %^in, %^in, <p>;
#end

=== exit                                        # the lane parks: it goes on to vote or, in lockstep, to run along
$^exit<k>:
#if many_exits
	mov.u32         %^exit, <k>;
#end
	mov.pred        %^in, 0;
	bra.uni         $<parked>;

# ---- stack: tasks wait until all lanes have one (CCC Fig. 3) ---------------------------------------------------------------

=== stack
$^vote:                                          # CANNOT in lockstep: nothing goes there
	vote.sync.ballot.b32    %^votes, %^want, %^mask;
	bar.warp.sync   %^mask;                 # pushes before pops, pops before pushes
	popc.b32        %^n, %^votes;
	sub.s32         %^idle, %^size, %^n;
	setp.lt.s32     %^few, %^top, %^idle;
	@%^few bra.uni  $^push;
#if context                                     # the idle lane of rank r takes slot top - 1 - r
	xor.b32         %^slot, %^votes, %^mask;
	and.b32         %^slot, %^slot, %^lt;
	popc.b32        %^slot, %^slot;
	sub.s32         %^slot, %^top, %^slot;
	#addresses
 #if lockstep
	#take_own
 #end
	#pop
#end
	sub.s32         %^top, %^top, %^idle;
$^run:                                           # CANNOT in lockstep: nothing goes there
	#path
	#rest
$^push:                                         # too few: the lanes that want put their tasks on top, in order
	setp.eq.u32     %^more, %^votes, 0;
	@%^more bra.uni $^none;
#if context
	and.b32         %^slot, %^votes, %^lt;
	popc.b32        %^slot, %^slot;
	add.s32         %^slot, %^top, %^slot;
	#addresses
	#push
#end
	add.s32         %^top, %^top, %^n;
	bra.uni         $^ran;          # CANNOT in lockstep: who wants is in, so none leads there too
	#drain

# ---- queue: every task goes through the buffer; as many as M has lanes are taken as soon as there are so many --------------

=== queue
$^vote:                                          # CANNOT in lockstep: nothing goes there
	vote.sync.ballot.b32    %^votes, %^want, %^mask;
	popc.b32        %^n, %^votes;
#if context
	and.b32         %^slot, %^votes, %^lt;
	popc.b32        %^slot, %^slot;
	add.s32         %^slot, %^top, %^slot;
	#addresses
	#push
#end
	add.s32         %^top, %^top, %^n;
	setp.lt.s32     %^few, %^top, %^size;
	@%^few bra.uni  $^wait;
	sub.s32         %^top, %^top, %^size;
#if context
	bar.warp.sync   %^mask;                 # pushes before pops
	add.s32         %^slot, %^top, %^rank;
	#addresses
	#pop_left
	bar.warp.sync   %^mask;                 # pops before pushes
#end
$^run:                                           # CANNOT in lockstep: nothing goes there
	#path
	#rest
$^wait:
	setp.ne.u32     %^more, %^votes, 0;
	@%^more bra.uni $^ran;                  # CANNOT in lockstep: who wants is in, and the second vote says so
	bar.warp.sync   %^mask;                 # pushes before the pops of the drain
	#drain

=== rest                                        # on with the loop
$^ran:
#if lockstep
	#to_header
	bra.uni         $<header>;
#else
	mov.pred        %^want, 0;
	@%^in bra       $<header>;
	bra             $^vote;
#end

=== drain                                       # nobody wants; nobody is in: as many lanes as tasks are left run those
$^none:
	vote.sync.any.pred      %^more, %^in, %^mask;
	@%^more bra.uni $^ran;
#if apart
	setp.eq.s32     %^more, %^top, 0;
	@%^more bra.uni $^leave;
#end
	and.b32         %^slot, %^mask, %^lt;
	popc.b32        %^slot, %^slot;
	setp.lt.s32     %^mine, %^slot, %^top;
#if apart                                       # in lockstep nobody asks again
	mov.u32         %^top, 0;
#end
	@!%^mine bra    $<drained>;
#if context
	#addresses
	#pop_left
#end
#if lockstep                                    # a copy of its own keeps the divergence out of the loop
	#path_again
$^done:
#else                                           # the path's one copy: the next vote finds nothing left
	bra             $^run;
#end

# ---- leave: all of M go on together, each where it left its loop -----------------------------------------------------------

=== leave
$^leave:                                         # CANNOT in lockstep: nothing goes there
	bar.warp.sync   %^mask;                 # owners see what helpers wrote; # CANNOT apart: the last vote's barrier did it
	#ways_out

=== way_out
#if last
	<go>;
#else
	setp.eq.u32     %^more, %^exit, <k>;
	@%^more <go>;
#end
