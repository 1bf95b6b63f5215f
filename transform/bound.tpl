# SPDX-License-Identifier: MIT
# bound.tpl: a loop whose lanes wait for each other, each with its own iterations (p_bound.c; docs/design.md 6.12).
#
# %^mask   M, the lanes that came together           %^in     this lane's loop goes on      %^exit   the way by which it left
# %^want   it has the path in front of it            %^go     it goes on with its own part  %^n, %^more: short-lived
# ahead:
# %^noted  bit k: iteration k of this batch wants the path, or leaves the loop
# %^bit    the bit of the iteration that is looked at                 %^at     iterations of the batch that the lane's registers have behind them
# %^upto   iterations of the batch that were looked at                %^by     how many iterations further
#
# From the loop's code control comes to meet, by its way back, and to exit<k>, by its ways out.

=== loop
	{ // ccc: loop at line <loop_line>, policy <policy>
	#declare names
	#registers                              # ahead: those that look
	activemask.b32  %^mask;
	mov.pred        %^in, -1;
#if wait
	mov.pred        %^want, 0;
#end
#if ahead                                       # as behind a batch
	mov.u32         %^noted, 0;
	mov.u32         %^upto, 0;
	mov.u32         %^at, 0;  
#end
	#blocks
	#exits
	#round                                  # converge, wait or ahead
	#leave
	}

=== names                                       # of the text's own registers
	.pred   in want go more
	.b32    mask exit votes n there
	.b32    noted bit at upto by some
	.b16    by2
	.b64    by8

=== exit                                        # the lane parks
$^exit<k>:
#if many_exits
	mov.u32         %^exit, <k>;
#end
#if ahead
	mov.u32         %^noted, 0;             # CANNOT: none is, unless another thread changes what its test reads
#end
	mov.pred        %^in, 0;
	bra.uni         $^meet;

# ---- converge, flatten: all of M meet at the end of each iteration, of the loop or of one inside it ---------------------------------------------------------------------

=== converge
$^meet:
	vote.sync.any.pred      %^more, %^in, %^mask;
	@!%^more bra.uni $^leave;
	@%^in bra       $<meet>;
	bra.uni         $^meet;

# ---- wait: who comes to the path waits for others -----------------------------------------------------------------------------

=== wait
$^cut:
	mov.pred        %^want, -1;
$^meet:
	vote.sync.ballot.b32    %^votes, %^want, %^mask;
	popc.b32        %^n, %^votes;
#if majority                                    # half of those that are in?
	vote.sync.ballot.b32    %^there, %^in, %^mask;
	popc.b32        %^there, %^there;       # CANNOT: it only runs at other times
	add.s32         %^n, %^n, %^n;          # CANNOT: it only runs at other times
	max.s32         %^there, %^there, 1;
	setp.ge.s32     %^more, %^n, %^there;
#else
	setp.ge.s32     %^more, %^n, <n>;
#end
	@%^more bra.uni $^run;                  # CANNOT: it runs when nobody else can come
	not.pred        %^go, %^want;
	and.pred        %^go, %^go, %^in;
	vote.sync.any.pred      %^more, %^go, %^mask;
	@%^more bra.uni $^on;                   # others can still come
	setp.eq.u32     %^more, %^votes, 0;
	@%^more bra.uni $^leave;
$^run:                                          # who waits runs the path, the others wait
	@!%^want bra    $^meet;
	mov.pred        %^want, 0;
	bra.uni         $<cut>;
$^on:                                           # who waits goes on waiting
	@%^go bra       $<meet>;
	bra.uni         $^meet;

# ---- ahead: lanes note which of their next iterations want the path, then run those ------------------------------------------

=== ahead
$^meet:                                         # each lane its next noted iteration
	setp.ne.u32     %^want, %^noted, 0;
	vote.sync.any.pred      %^more, %^want, %^mask;
	@!%^more bra.uni $^batch;
	@!%^want bra    $^meet;
	brev.b32        %^n, %^noted;
	clz.b32         %^n, %^n;
	sub.s32         %^by, %^n, %^at;
	add.s32         %^at, %^n, 1;
	add.s32         %^n, %^noted, -1;
	and.b32         %^noted, %^noted, %^n;
	#counts
	bra.uni         $<meet>;
$^batch:                                        # none is left
	vote.sync.any.pred      %^more, %^in, %^mask;
	@!%^more bra.uni $^leave;
	mov.u32         %^bit, 1;
	mov.pred        %^go, %^in;
	@!%^in bra      $^looked;
	sub.s32         %^by, %^upto, %^at;
	#counts
	mov.u32         %^at, 0;
	mov.u32         %^upto, <n>;
	#look_from
	#look_blocks                            # to the path: note<k>; ways out: last; the way back: looked
$^last:                                         # the lane leaves the loop in this iteration, which is run for that
	or.b32          %^noted, %^noted, %^bit;
	mov.pred        %^go, 0;
	bfind.u32       %^upto, %^bit;          # CANNOT: it leaves, unless another thread changes what it reads meanwhile
	add.s32         %^upto, %^upto, 1;      # CANNOT: likewise
$^looked:
	vote.sync.any.pred      %^more, %^go, %^mask;   # CANNOT: it keeps lanes together, and ends in time
	shl.b32         %^bit, %^bit, 1;                # CANNOT: iteration after iteration is run then
	setp.ne.and.u32 %^more, %^bit, <end>, %^more;
	@!%^more bra.uni $^meet;
	@%^go bra       $<look>;
	bra.uni         $^looked;

=== note                                        # in place of a path, under the label note<k>
	or.b32          %^noted, %^noted, %^bit;

=== count                                       # %^by times what an iteration adds to a register
#if half
	cvt.u16.u32     %^by2, %^by;
	mul.lo.s16      %^by2, %^by2, <by>;
	<op>.s16        <reg>, <reg>, %^by2;
#end
#if word
	mul.lo.s32      %^some, %^by, <by>;
	<op>.s32        <reg>, <reg>, %^some;
#end
#if wide
	cvt.u64.u32     %^by8, %^by;
	mul.lo.s64      %^by8, %^by8, <by>;
	<op>.s64        <reg>, <reg>, %^by8;
#end

# ---- leave: all of M go on together, each where it left its loop --------------------------------------------------------------

=== leave
$^leave:
	#ways_out

=== way_out
#if last
	<go>;
#else
	setp.eq.u32     %^more, %^exit, <k>;
	@%^more <go>;
#end
