# SPDX-License-Identifier: MIT
# wait.tpl: a loop whose lanes wait for each other, each with its own iterations (wait_plan.c; docs/proofs/wait.md).
#
# %^mask   M, the lanes that came together           %^in     this lane's loop goes on      %^exit   the way by which it left
# %^want   it has the path in front of it            %^go     it goes on with its own part  %^n, %^more: short-lived
# votes:
# %^there  who is in          %^turn   rounds since the cut's turn began        %^least  so many lanes at the cut are a majority
# %^votes  who waits at the cut
# places, stops:
# %^place  where this lane stands: its number; -1: nowhere     %^turn   that of those who go on   %^most   so many stand there
# %^held   places where somebody stands                        %^left   rounds that its turn still has
# stops: %^held   lanes that wait for others
# ahead:
# %^noted  iterations of this batch that want the path, the first one in the lowest bit
# %^go     the lane's loop goes on behind what it has looked at       %^upto   iterations of the batch that it has passed
# %^bit    the bit of an iteration      %^bits   those of a group of looks      %^at     looks of the batch
#
# unified:
# %^other  likewise, those that take the second side          %^end    the one by which the lane leaves
# flatten(N):
# %^steps  iterations of the inner loop until the next meeting
# pool:
# %^has    this lane's own iterations are not all taken   %^givers   whose are not         %^next   whose turn it is to give one
# %^patience   rounds of idle lanes, of all of them, until they draw
# %^idle   who has no iteration to run; %^in: who has     %^got    the lane has drawn one, from lane %^from
#
# From the loop's code control comes to meet, by its way back, and to exit<k>, by its ways out; in flatten(N) to step, by the inner
# loop's way back; in `ahead`, where noted iterations are
# run whole, to run instead of meet; where they are run straight, by a way back that no lane takes, to batch.
#
# But for `ahead`, what lanes run before they meet for the first time has a copy of its own, which leads to ready. So all ways round the
# loop lead to meet, and that is not where the loop begins: that is round. Else ptxas sees one loop inside another, and lanes that leave
# the inner one wait for others, with whom they should vote.

=== loop
	{ // ccc: loop at line <loop_line>, policy <policy>
	#declare names
	#registers                              # ahead: those that look
	activemask.b32  %^mask;                 # W1
	mov.pred        %^in, -1;               # W4
#if pool
	mov.u32         %^lane, %laneid;
	mov.u32         %^lt, %lanemask_lt;
	mov.u32         %^next, 0;              # W9
 #if patient
	mov.u32         %^patience, <patience>; # W11
 #end
	mov.pred        %^has, 0;               # W8
	#again                                  # W8: uniform values that only some lanes have come past
#end
#if wait
	mov.pred        %^want, 0;              # W5
#end
#if places
	mov.u32         %^place, -1;                    # CANNOT: registers begin with no place's number here
	mov.u32         %^turn, <last_place>;   # W6
 #if in_turn
	mov.u32         %^left, 0;              # W6
 #end
#else
 #if majority_ends
	popc.b32        %^least, %^mask;
	min.s32         %^least, %^least, <n>;          # W6 # CANNOT: it only runs at other times
 #end
#end
#if turns
	mov.u32         %^turn, -1;             # W6
#end
#if retreats
	mov.u32         %^credit, <start>;
#end
#if whole                                       # as behind a batch
	mov.pred        %^go, 0;
	mov.u32         %^noted, 0;             # W14
 #if unified
	mov.u32         %^other, 0;             # W14
	mov.u32         %^end, 0;               # W14
 #end
#end
#if two_copies                                  # full warps have one with literal masks: ptxas makes one instruction of a vote there
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

=== copy                                        # of the loop
#if meets
	#first                                  # W3: up to the first meeting
 #if pool
$^fill:                                         # in place of the way into the loop
	mov.pred        %^has, -1;              # W8
  #if many_exits
	mov.u32         %^exit, <way>;
  #end
  #if stops
	mov.u32         %^place, -1;                    # CANNOT: registers begin with no place's number here
  #end
	mov.pred        %^in, 0;                # W4
	bra.uni         $^ready;                # W3
 #end
	#exits
 #if stands
  #each place
   #if early
$^early_cut<k>:
	mov.u32         %^place, <k>;           # W5
	bra.uni         $^ready;                # W3
   #end
  #end
 #end
 #if early_cut
$^early_cut:
	mov.pred        %^want, -1;             # W5
 #end
$^ready:
	#ask                                    # W1
#end
	#blocks                                 # W2, W5
	#exits
	#round                                  # converge, wait, votes or ahead

=== names                                       # of the text's own registers
	.pred   in want go more off
	.b32    mask exit votes n there
	.b32    noted bit bits at upto some
	.b32    other others end
	.b32    turn least
	.b32    place most held left
	.b32    steps
	.b32    credit                          # of a retreat (runtime_fallback.c)
	.pred   has got given
	.b32    lane lt next givers idle from lo hi patience
	.b16    half
	.b16    by2
	.b64    by8 far

=== exit                                        # the lane parks
$^<exit><k>:
#if many_exits
	mov.u32         %^exit, <k>;            # W18
#end
#if stops
	mov.u32         %^place, -1;            # W6
#end
#if whole
	mov.u32         %^noted, 0;             # W14 # CANNOT: none is, unless another thread changes what its test reads
 #if unified
	mov.u32         %^other, 0;             # CANNOT: likewise
	mov.u32         %^end, 0;               # CANNOT: likewise
 #end
#end
	mov.pred        %^in, 0;                # W4
	bra.uni         $<back>;                # W2

# ---- pool: who has no iteration draws the next one that an owner has to give; in front of the votes of all of M ---------------

=== spent                                       # in place of the way back, and of that out of it
$^spent:
#if stops
	mov.u32         %^place, -1;            # W6
#end
	mov.pred        %^in, 0;                # W4
	bra.uni         $^meet;                 # W2

=== draw
	setp.eq.u32     %^more, %^there, <mask>;
	@%^more bra.uni $<all_in>;              # W1, W11
#if patient                                     # idle lanes wait until that has cost about what a draw does
	popc.b32        %^n, %^there;
	add.s32         %^patience, %^patience, %^n;    # CANNOT: it only runs at other times
	sub.s32         %^patience, %^patience, <asking>;
	setp.gt.s32     %^more, %^patience, 0;  # CANNOT: likewise
	@%^more bra.uni $^drawn;                # CANNOT: likewise
	mov.u32         %^patience, <patience>; # CANNOT: likewise
#end
	vote.sync.ballot.b32    %^givers, %^has, <mask>; # W1
	setp.eq.u32     %^more, %^givers, 0;    # who draws from an empty pool gets nothing
	@%^more bra.uni $^drawn;                # W1, W11
	bar.warp.sync   <mask>;                 # W1: who draws sees what owners wrote in front of the loop
	shf.r.wrap.b32  %^n, %^givers, %^givers, %^next;        # those that have nothing to give lose their turn
	brev.b32        %^n, %^n;
	clz.b32         %^n, %^n;
	add.s32         %^next, %^next, %^n;    # W10
	xor.b32         %^idle, %^there, <mask>;
	and.b32         %^from, %^idle, %^lt;   # the idle lane of rank r draws from lane next + r
	popc.b32        %^from, %^from;         # W9
	add.s32         %^from, %^from, %^next;         # W9: its low 5 bits say which that is
	shf.r.wrap.b32  %^n, %^givers, %^givers, %^from;
	and.b32         %^n, %^n, 1;
	setp.ne.u32     %^got, %^n, 0;          # W9
	not.pred        %^more, %^in;
	and.pred        %^got, %^got, %^more;   # W9
	#fetch                                  # W8
	#compute                                # W8: what is not fetched, from what is
	popc.b32        %^idle, %^idle;
	sub.s32         %^n, %^lane, %^next;
	and.b32         %^n, %^n, 31;
	setp.lt.s32     %^given, %^n, %^idle;   # W9
	and.pred        %^given, %^given, %^has; # W9
	#advance                                # W8: owners go on to the next one, if there is one
#if stays
	@%^given mov.pred       %^has, <p>;     # W8
#else
	@%^given not.pred       %^has, <p>;     # W8
#end
	add.s32         %^next, %^next, %^idle;         # W9 # CANNOT: owners give in another order then
	or.pred         %^in, %^in, %^got;      # W4
#if before_meet                                 # they come to the meeting; who has drawn nothing, too
	@%^got bra      $<header>;              # W2, W11
#end
	bra.uni         $^meet;                 # W2, W11
$^nobody:                                       # is in, so nobody waits for the path; is nothing left?
	vote.sync.any.pred      %^more, %^has, <mask>; # W1, W11
	@%^more bra.uni $^round;
	bra.uni         $^leave;                # W18
$^drawn:

# ---- ask: all of M come here, and go on with round, or leave if nobody is in and nothing is left to draw. That is one branch, and
# ptxas puts it at the end of the round: to leave in front of a second vote costs each round a branch more -----------------------

=== ask
#if asks_any
	vote.sync.any.pred      %^more, %^in, <mask>; # W1
#else
	vote.sync.ballot.b32    %^there, %^in, <mask>; # W1
 #if wait
  #if ballots
	vote.sync.ballot.b32    %^votes, %^want, <mask>; # W1
  #end
 #end
	setp.ne.u32     %^more, %^there, 0;
#end
	@%^more bra.uni $^round;                # W1
#if pool
	bra.uni         $^nobody;               # W11
#else
	bra.uni         $^leave;                # W18
#end

# ---- converge, flatten: all of M meet at the end of each iteration, of the loop or of one inside it ---------------------------------------------------------------------

=== converge
#if steps                                       # n iterations of the inner loop between two meetings
$^step:
	sub.s32         %^steps, %^steps, 1;            # CANNOT: lanes only meet at other times
	setp.gt.s32     %^more, %^steps, 0;             # CANNOT: likewise
	@%^more bra     $<meet>;                        # W2 # CANNOT: likewise
#end
$^meet:
	#ask
$^round:
#if steps
	mov.u32         %^steps, <n>;                   # W2 # CANNOT: likewise
#end
#if pool
	#draw                                   # W1, W11
#end
	@%^in bra       $<meet>;                # W4, W6
	bra.uni         $^meet;                 # W2

# ---- wait: who comes to the path waits for others -----------------------------------------------------------------------------

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
#if majority                                    # half of those that are in?
	popc.b32        %^most, %^there;
	add.s32         %^n, %^n, %^n;          # CANNOT: it only runs at other times
	setp.ge.s32     %^more, %^n, %^most;    # W6
#else                                           # so many, or all that are in?
	setp.ge.s32     %^more, %^n, <n>;       # W6
 #if draws_last
 #else
	setp.eq.or.u32  %^more, %^votes, %^there, %^more; # W6
 #end
#end
#if draws_last                                  # all that are in? then others draw first
	@%^more bra.uni $^go;                   # CANNOT: it only runs at other times
	setp.ne.u32     %^more, %^votes, %^there; # W6
	@%^more bra.uni $^on;                   # W1
	#draw                                   # W1, W11
$^go:
#else
	@!%^more bra.uni        $^on;           # W1
#end
	@!%^want bra    $^meet;                 # W5: who waits runs the path, the others wait
	mov.pred        %^want, 0;              # W5
	bra.uni         $<cut>;                 # W5, W6
$^on:                                           # who waits goes on waiting
	@%^want bra     $^meet;                 # W5
	@%^in bra       $<meet>;                # W4, W6
	bra.uni         $^meet;

# ---- votes: lanes stand at the cut, or at <meet>, and who goes on is decided --------------------------------------------------

=== votes
$^cut:
	mov.pred        %^want, -1;             # W5
$^meet:
	#ask
$^round:
#if pool
	#draw                                   # W1, W11
#end
#if share                                       # of those that are in, n of 32?
	popc.b32        %^n, %^votes;
	popc.b32        %^most, %^there;
	shl.b32         %^n, %^n, 5;
	mul.lo.s32      %^most, %^most, <n>;            # CANNOT: it only runs at other times
	setp.ge.s32     %^more, %^n, %^most;    # W6
#end
#if majority_ends                               # once a lane has left, nobody waits
	setp.ne.u32     %^more, %^there, <mask>; # W6
	@%^more bra.uni $^both;
	popc.b32        %^n, %^votes;
	setp.ge.s32     %^more, %^n, %^least;   # W6
#end
#if turns
	add.s32         %^turn, %^turn, 1;
	setp.eq.u32     %^more, %^turn, <period>;
	selp.b32        %^turn, 0, %^turn, %^more; # W6
	setp.lt.u32     %^more, %^turn, <n>;            # W6 # CANNOT: it only runs at other times
 #if ballots                                    # a turn of nobody is the others'
	setp.ne.and.u32 %^more, %^votes, 0, %^more;     # W6 # CANNOT: it only runs at other times
	setp.eq.or.u32  %^more, %^votes, %^there, %^more; # W6 # CANNOT: it only runs at other times
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

# ---- places: lanes stand at one of many, and which is next is decided ---------------------------------------------------------

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
#if pool
	#draw                                   # W1, W11
#end
#if in_turn
 #if ballots                                    # those that nobody stands at are passed over
	mov.u32         %^held, 0;
  #each place
	setp.eq.u32     %^more, %^place, <k>;
	vote.sync.any.pred      %^more, %^more, <mask>; # W1, W6
	@%^more or.b32  %^held, %^held, <bit>;  # W6
  #end
	shl.b32         %^n, -2, %^turn;        # the next one behind this, or else the first of all
	and.b32         %^n, %^n, %^held;       # W6
	setp.eq.u32     %^more, %^n, 0;
	selp.b32        %^n, %^held, %^n, %^more; # W6
	add.s32         %^most, %^n, -1;        # the number of its lowest bit
	not.b32         %^n, %^n;
	and.b32         %^n, %^n, %^most;
	popc.b32        %^n, %^n;               # W6
	shr.u32         %^most, %^held, %^turn;          # CANNOT: it only runs at other times
	and.b32         %^most, %^most, 1;          # CANNOT: it only runs at other times
	min.u32         %^left, %^left, %^most; # W6 # CANNOT: a turn of nobody goes on
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
	max.u32         %^most, %^most, %^n;          # CANNOT: it only runs at other times
 #end
#end
	setp.ne.u32     %^more, %^place, %^turn;        # W5: who stands elsewhere waits
#if majority_ends                               # but once a lane has left, nobody does
	setp.eq.and.u32 %^more, %^there, <mask>, %^more;          # CANNOT: it only runs at other times
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

# ---- stops: lanes stand at predictions, or where they wait for nobody, and who goes on is decided -----------------------------

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
#each stop                                      # do so many stand there? the innermost first
	setp.eq.u32     %^more, %^place, <k>;
	vote.sync.ballot.b32    %^votes, %^more, <mask>; # W1, W6
	or.b32          %^held, %^held, %^votes; # W6
	popc.b32        %^n, %^votes;
	setp.ge.u32     %^more, %^n, <least>;   # W6
	@%^more bra.uni $^go<k>;                # CANNOT: it only runs at other times
#end
#if rests                                       # nowhere: who waits for nobody
	setp.ne.u32     %^more, %^held, %^there; # W6
	@%^more bra.uni $^rest;                 # W1, W6
#end
#if pool
	#draw                                   # W1, W11
#end
#each outward                                   # all wait: the outermost, who may come to the inner places yet
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
#if rests
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

# ---- ahead: lanes note which of their next iterations want the path, then run those ------------------------------------------

=== ahead
$^meet:                                         # a lane's looks begin where the lane is, and go on from batch to batch
	#look_from                              # W13
$^batch:                                        # all of M come here
	vote.sync.any.pred      %^more, %^in, <mask>; # W1, W17
	@!%^more bra.uni $^leave;               # W18
	#batch_from                             # W13
#if retreats
	setp.lt.s32     %^more, %^credit, 0;	# CANNOT: it only retreats at other times
	@%^more bra.uni $^retreat;		# CANNOT: it only retreats at other times
#end
	mov.pred        %^go, %^in;             # W15
	mov.u32         %^noted, 0;             # W14
	mov.u32         %^upto, 0;              # W13, W16
	#looks                                  # W12: row or look
#if whole                                       # the iteration by which a lane leaves is noted too
	not.pred        %^more, %^go;
	and.pred        %^more, %^more, %^in;
	shl.b32         %^bit, 1, %^upto;       # W16
 #if unified                                    # of those of both sides each is run once; that one last
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
#if retreats                                    # as it was, the path is run in each iteration that some lane has noted; now as often as by the one that has noted most
	redux.sync.or.b32       %^bits, %^noted, <mask>; # W1
	popc.b32        %^bits, %^bits;		# CANNOT: it only retreats at other times
	popc.b32        %^n, %^noted;           # CANNOT: it only retreats at other times
	redux.sync.max.u32      %^n, %^n, <mask>; # W1
	mad.lo.s32      %^credit, %^bits, <saved>, %^credit; # CANNOT: it only retreats at other times
	mad.lo.s32      %^credit, %^n, <noted>, %^credit; # CANNOT: it only retreats at other times
	add.s32         %^credit, %^credit, <batch>; # CANNOT: it only retreats at other times
	min.s32         %^credit, %^credit, <most>; # CANNOT: it only retreats at other times
#end
#if gathers
$^run:                                          # all of M: each lane its next noted iteration
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
#if gathers
#else
	setp.ne.s32     %^want, %^noted, 0;
#end
	#counts                                 # W13
#if straight
	#to_path                                # W13
#else
	bra.uni         $<meet>;
#end
#if gathers
#else
$^again:
	@%^want bra     $^next;                 # W14
#end
$^ran:
#if unified                                     # then those of the other side, then the last one; in the end all three words are 0
	mov.u32         %^noted, %^other;       # W14
	mov.u32         %^other, %^end;         # W14, W16
	mov.u32         %^end, 0;               # CANNOT: the lane leaves by it, where that is done too
	or.b32          %^n, %^noted, %^other;
	setp.ne.u32     %^want, %^n, 0;
	vote.sync.any.pred      %^more, %^want, <mask>; # W1, W17
	@%^more bra.uni $^run;
#end
	@%^go bra       $^batch;                # W17: who goes on has the next batch in front of it
#if straight
	@!%^in bra      $^batch;                # W4, W17
	mov.u32         %^n, %^upto;            # W16: who leaves runs its last iteration, without the path
	#counts                                 # W13, W16 # CANNOT: from its last noted one it comes there, too
	bra.uni         $<meet>;                # W16
#else
	bra.uni         $^meet;
#end

=== row                                         # looks without branches: own part after own part
	mov.u32         %^at, 0;
#if groups
$^look:
	mov.u32         %^bits, 0;
 #if unified
	mov.u32         %^others, 0;
 #end
#end
#if sure                                        # all lanes stay in the loop, but for what the last look tests
	#sure_test
	vote.sync.all.pred      %^more, %^more, <mask>; # W1, W15
	@!%^more bra.uni $^unsure;
	add.s32         %^upto, %^at, <sure_of>; # W16
	#sure_looks                             # W12
	bra.uni         $^rowed;
$^unsure:
#end
	#row_of_looks                           # W12
#if sure
$^rowed:
#end
#if groups
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

=== is_sure                                     # does the loop go on, and for longer than the group?
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

=== note_one                                    # in place of a branch to a path: wanted if <p> (negated: if not)
#if sure
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
#if groups
	@%^want or.b32  %^<to_bits>, %^<to_bits>, <bit>; # W14
#else
	@%^want or.b32  %^<to>, %^<to>, <bit>;  # W14
#end

=== stay_one                                    # in place of a branch that leaves the loop: it stays if <p> (negated: if not)
#if negated
	not.pred        %^more, <p>;
	and.pred        %^go, %^go, %^more;     # W15
#else
	and.pred        %^go, %^go, <p>;        # W15
#end

=== look_one                                    # the end of an iteration
	@%^go add.s32   %^upto, %^at, <passed>; # W16

=== look                                        # looks by the loop's own branches
	mov.u32         %^bit, 1;
	@!%^go bra      $^looked;               # W15
	#look_blocks                            # W12: to the path: note<k>; ways out: last; the way back: passed
$^last:                                         # the lane leaves the loop in this iteration
	mov.pred        %^go, 0;                # W15
	bra.uni         $^looked;
$^passed:
	add.s32         %^upto, %^upto, 1;      # W16
$^looked:
	vote.sync.any.pred      %^more, %^go, <mask>;   # W1 # CANNOT: it keeps lanes together, and ends in time
	shl.b32         %^bit, %^bit, 1;
	setp.ne.and.u32 %^more, %^bit, <end>, %^more;
	@!%^more bra.uni $^seen;
	@%^go bra       $<look>;                        # W15 # CANNOT: batches are of one iteration then
	bra.uni         $^looked;
$^seen:

=== note                                        # in place of a path, under the label note<k>
	or.b32          %^<to>, %^<to>, %^bit;  # W14

=== count                                       # <reg> = <from> + %^n times what an iteration adds to it
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

# ---- leave: all of M go on together, each where it left its loop --------------------------------------------------------------

=== leave
#if retreats                                    # who is in goes to the header of the loop as it was
$^retreat:
	@!%^in bra      $^leave;                # W4
	#back_to                                # W13: its own counts have not followed
	bra             <as_it_was>;
#end
$^leave:
#if pool
	bar.warp.sync   %^mask;                 # W1: owners see what others wrote
#end
	#ways_out

=== way_out
#if last
	<go>;
#else
	setp.eq.u32     %^more, %^exit, <k>;
	@%^more <go>;                           # W18
#end
