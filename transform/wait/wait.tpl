# SPDX-License-Identifier: MIT
# wait.tpl: a loop whose lanes wait for each other, each with its own iterations (wait_plan.c; docs/design.md 6.12).
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
	activemask.b32  %^mask;
	mov.pred        %^in, -1;
#if pool
	mov.u32         %^lane, %laneid;
	mov.u32         %^lt, %lanemask_lt;
	mov.u32         %^next, 0;
 #if patient
	mov.u32         %^patience, <patience>;
 #end
	mov.pred        %^has, 0;
	#again                                  # uniform values that only some lanes have come past
#end
#if wait
	mov.pred        %^want, 0;
#end
#if places
	mov.u32         %^place, -1;                    # CANNOT: registers begin with no place's number here
	mov.u32         %^turn, <last_place>;
 #if in_turn
	mov.u32         %^left, 0;
 #end
#else
 #if majority_ends
	popc.b32        %^least, %^mask;
	min.s32         %^least, %^least, <n>;          # CANNOT: it only runs at other times
 #end
#end
#if turns
	mov.u32         %^turn, -1;
#end
#if retreats
	mov.u32         %^credit, <start>;
#end
#if whole                                       # as behind a batch
	mov.pred        %^go, 0;
	mov.u32         %^noted, 0;
 #if unified
	mov.u32         %^other, 0;
	mov.u32         %^end, 0;
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
	#first                                  # up to the first meeting
 #if pool
$^fill:                                         # in place of the way into the loop
	mov.pred        %^has, -1;
  #if many_exits
	mov.u32         %^exit, <way>;
  #end
  #if stops
	mov.u32         %^place, -1;                    # CANNOT: registers begin with no place's number here
  #end
	mov.pred        %^in, 0;
	bra.uni         $^ready;
 #end
	#exits
 #if stands
  #each place
   #if early
$^early_cut<k>:
	mov.u32         %^place, <k>;
	bra.uni         $^ready;
   #end
  #end
 #end
 #if early_cut
$^early_cut:
	mov.pred        %^want, -1;
 #end
$^ready:
	#ask
#end
	#blocks
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
	mov.u32         %^exit, <k>;
#end
#if stops
	mov.u32         %^place, -1;
#end
#if whole
	mov.u32         %^noted, 0;             # CANNOT: none is, unless another thread changes what its test reads
 #if unified
	mov.u32         %^other, 0;             # CANNOT: likewise
	mov.u32         %^end, 0;               # CANNOT: likewise
 #end
#end
	mov.pred        %^in, 0;
	bra.uni         $<back>;

# ---- pool: who has no iteration draws the next one that an owner has to give; in front of the votes of all of M ---------------

=== spent                                       # in place of the way back, and of that out of it
$^spent:
#if stops
	mov.u32         %^place, -1;
#end
	mov.pred        %^in, 0;
	bra.uni         $^meet;

=== draw
	setp.eq.u32     %^more, %^there, <mask>;
	@%^more bra.uni $<all_in>;
#if patient                                     # idle lanes wait until that has cost about what a draw does
	popc.b32        %^n, %^there;
	add.s32         %^patience, %^patience, %^n;    # CANNOT: it only runs at other times
	sub.s32         %^patience, %^patience, <asking>;
	setp.gt.s32     %^more, %^patience, 0;  # CANNOT: likewise
	@%^more bra.uni $^drawn;                # CANNOT: likewise
	mov.u32         %^patience, <patience>; # CANNOT: likewise
#end
	vote.sync.ballot.b32    %^givers, %^has, <mask>;
	setp.eq.u32     %^more, %^givers, 0;    # who draws from an empty pool gets nothing
	@%^more bra.uni $^drawn;
	bar.warp.sync   <mask>;                 # who draws sees what owners wrote in front of the loop
	shf.r.wrap.b32  %^n, %^givers, %^givers, %^next;        # those that have nothing to give lose their turn
	brev.b32        %^n, %^n;
	clz.b32         %^n, %^n;
	add.s32         %^next, %^next, %^n;
	xor.b32         %^idle, %^there, <mask>;
	and.b32         %^from, %^idle, %^lt;   # the idle lane of rank r draws from lane next + r
	popc.b32        %^from, %^from;
	add.s32         %^from, %^from, %^next;         # its low 5 bits say which that is
	shf.r.wrap.b32  %^n, %^givers, %^givers, %^from;
	and.b32         %^n, %^n, 1;
	setp.ne.u32     %^got, %^n, 0;
	not.pred        %^more, %^in;
	and.pred        %^got, %^got, %^more;
	#fetch
	#compute                                # what is not fetched, from what is
	popc.b32        %^idle, %^idle;
	sub.s32         %^n, %^lane, %^next;
	and.b32         %^n, %^n, 31;
	setp.lt.s32     %^given, %^n, %^idle;
	and.pred        %^given, %^given, %^has;
	#advance                                # owners go on to the next one, if there is one
#if stays
	@%^given mov.pred       %^has, <p>;
#else
	@%^given not.pred       %^has, <p>;
#end
	add.s32         %^next, %^next, %^idle;         # CANNOT: owners give in another order then
	or.pred         %^in, %^in, %^got;
#if before_meet                                 # they come to the meeting; who has drawn nothing, too
	@%^got bra      $<header>;
#end
	bra.uni         $^meet;
$^nobody:                                       # is in, so nobody waits for the path; is nothing left?
	vote.sync.any.pred      %^more, %^has, <mask>;
	@%^more bra.uni $^round;
	bra.uni         $^leave;
$^drawn:

# ---- ask: all of M come here, and go on with round, or leave if nobody is in and nothing is left to draw. That is one branch, and
# ptxas puts it at the end of the round: to leave in front of a second vote costs each round a branch more -----------------------

=== ask
#if asks_any
	vote.sync.any.pred      %^more, %^in, <mask>;
#else
	vote.sync.ballot.b32    %^there, %^in, <mask>;
 #if wait
  #if ballots
	vote.sync.ballot.b32    %^votes, %^want, <mask>;
  #end
 #end
	setp.ne.u32     %^more, %^there, 0;
#end
	@%^more bra.uni $^round;
#if pool
	bra.uni         $^nobody;
#else
	bra.uni         $^leave;
#end

# ---- converge, flatten: all of M meet at the end of each iteration, of the loop or of one inside it ---------------------------------------------------------------------

=== converge
#if steps                                       # n iterations of the inner loop between two meetings
$^step:
	sub.s32         %^steps, %^steps, 1;            # CANNOT: lanes only meet at other times
	setp.gt.s32     %^more, %^steps, 0;             # CANNOT: likewise
	@%^more bra     $<meet>;                        # CANNOT: likewise
#end
$^meet:
	#ask
$^round:
#if steps
	mov.u32         %^steps, <n>;                   # CANNOT: likewise
#end
#if pool
	#draw
#end
	@%^in bra       $<meet>;
	bra.uni         $^meet;

# ---- wait: who comes to the path waits for others -----------------------------------------------------------------------------

=== wait
$^cut:
	mov.pred        %^want, -1;
$^meet:
	#ask
$^round:
#if draws_first
	#draw
#end
	popc.b32        %^n, %^votes;
#if majority                                    # half of those that are in?
	popc.b32        %^most, %^there;
	add.s32         %^n, %^n, %^n;          # CANNOT: it only runs at other times
	setp.ge.s32     %^more, %^n, %^most;
#else                                           # so many, or all that are in?
	setp.ge.s32     %^more, %^n, <n>;
 #if draws_last
 #else
	setp.eq.or.u32  %^more, %^votes, %^there, %^more;
 #end
#end
#if draws_last                                  # all that are in? then others draw first
	@%^more bra.uni $^go;                   # CANNOT: it only runs at other times
	setp.ne.u32     %^more, %^votes, %^there;
	@%^more bra.uni $^on;
	#draw
$^go:
#else
	@!%^more bra.uni        $^on;
#end
	@!%^want bra    $^meet;                 # who waits runs the path, the others wait
	mov.pred        %^want, 0;
	bra.uni         $<cut>;
$^on:                                           # who waits goes on waiting
	@%^want bra     $^meet;
	@%^in bra       $<meet>;
	bra.uni         $^meet;

# ---- votes: lanes stand at the cut, or at <meet>, and who goes on is decided --------------------------------------------------

=== votes
$^cut:
	mov.pred        %^want, -1;
$^meet:
	#ask
$^round:
#if pool
	#draw
#end
#if share                                       # of those that are in, n of 32?
	popc.b32        %^n, %^votes;
	popc.b32        %^most, %^there;
	shl.b32         %^n, %^n, 5;
	mul.lo.s32      %^most, %^most, <n>;            # CANNOT: it only runs at other times
	setp.ge.s32     %^more, %^n, %^most;
#end
#if majority_ends                               # once a lane has left, nobody waits
	setp.ne.u32     %^more, %^there, <mask>;
	@%^more bra.uni $^both;
	popc.b32        %^n, %^votes;
	setp.ge.s32     %^more, %^n, %^least;
#end
#if turns
	add.s32         %^turn, %^turn, 1;
	setp.eq.u32     %^more, %^turn, <period>;
	selp.b32        %^turn, 0, %^turn, %^more;
	setp.lt.u32     %^more, %^turn, <n>;            # CANNOT: it only runs at other times
 #if ballots                                    # a turn of nobody is the others'
	setp.ne.and.u32 %^more, %^votes, 0, %^more;     # CANNOT: it only runs at other times
	setp.eq.or.u32  %^more, %^votes, %^there, %^more; # CANNOT: it only runs at other times
 #end
#end
	@!%^more bra.uni        $^on;
	@!%^want bra    $^meet;
	mov.pred        %^want, 0;
	bra.uni         $<cut>;
$^on:
	@%^want bra     $^meet;
	@%^in bra       $<meet>;
	bra.uni         $^meet;
#if majority_ends
$^both:
	@!%^in bra      $^meet;
	@!%^want bra    $<meet>;
	mov.pred        %^want, 0;
	bra.uni         $<cut>;
#end

# ---- places: lanes stand at one of many, and which is next is decided ---------------------------------------------------------

=== places
#each place
$^cut<k>:
	mov.u32         %^place, <k>;
 #if last
 #else
	bra.uni         $^meet;
 #end
#end
$^meet:
	#ask
$^round:
#if pool
	#draw
#end
#if in_turn
 #if ballots                                    # those that nobody stands at are passed over
	mov.u32         %^held, 0;
  #each place
	setp.eq.u32     %^more, %^place, <k>;
	vote.sync.any.pred      %^more, %^more, <mask>;
	@%^more or.b32  %^held, %^held, <bit>;
  #end
	shl.b32         %^n, -2, %^turn;        # the next one behind this, or else the first of all
	and.b32         %^n, %^n, %^held;
	setp.eq.u32     %^more, %^n, 0;
	selp.b32        %^n, %^held, %^n, %^more;
	add.s32         %^most, %^n, -1;        # the number of its lowest bit
	not.b32         %^n, %^n;
	and.b32         %^n, %^n, %^most;
	popc.b32        %^n, %^n;
	shr.u32         %^most, %^held, %^turn;          # CANNOT: it only runs at other times
	and.b32         %^most, %^most, 1;          # CANNOT: it only runs at other times
	min.u32         %^left, %^left, %^most; # CANNOT: a turn of nobody goes on
 #else
	add.s32         %^n, %^turn, 1;
	setp.eq.u32     %^more, %^turn, <last_place>;
	selp.b32        %^n, 0, %^n, %^more;
 #end
	setp.ne.u32     %^more, %^left, 0;
	selp.b32        %^turn, %^turn, %^n, %^more;
	setp.eq.u32     %^go, %^turn, 0;
	selp.b32        %^n, <n>, <others>, %^go;
	selp.b32        %^left, %^left, %^n, %^more;
	add.s32         %^left, %^left, -1;
#else
	mov.u32         %^most, 0;
 #each place
	setp.eq.u32     %^more, %^place, <k>;
	vote.sync.ballot.b32    %^votes, %^more, <mask>;
	popc.b32        %^n, %^votes;
	setp.gt.u32     %^more, %^n, %^most;
	selp.b32        %^turn, <k>, %^turn, %^more;
	max.u32         %^most, %^most, %^n;          # CANNOT: it only runs at other times
 #end
#end
	setp.ne.u32     %^more, %^place, %^turn;        # who stands elsewhere waits
#if majority_ends                               # but once a lane has left, nobody does
	setp.eq.and.u32 %^more, %^there, <mask>, %^more;          # CANNOT: it only runs at other times
#end
	@%^more bra     $^meet;
	@!%^in bra      $^meet;
	mov.u32         %^n, %^place;
	mov.u32         %^place, -1;
#each place
 #if last
	bra.uni         $<at>;
 #else
	setp.eq.u32     %^more, %^n, <k>;
  #if majority_ends
	@%^more bra     $<at>;
  #else
	@%^more bra.uni $<at>;
  #end
 #end
#end

# ---- stops: lanes stand at predictions, or where they wait for nobody, and who goes on is decided -----------------------------

=== stops
#each place
$^cut<k>:
	mov.u32         %^place, <k>;
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
	vote.sync.ballot.b32    %^votes, %^more, <mask>;
	or.b32          %^held, %^held, %^votes;
	popc.b32        %^n, %^votes;
	setp.ge.u32     %^more, %^n, <least>;
	@%^more bra.uni $^go<k>;                # CANNOT: it only runs at other times
#end
#if rests                                       # nowhere: who waits for nobody
	setp.ne.u32     %^more, %^held, %^there;
	@%^more bra.uni $^rest;
#end
#if pool
	#draw
#end
#each outward                                   # all wait: the outermost, who may come to the inner places yet
 #if innermost
 #else
	setp.eq.u32     %^more, %^place, <k>;
	vote.sync.any.pred      %^more, %^more, <mask>;
	@%^more bra.uni $^go<k>;
 #end
#end
#each stop
$^go<k>:
	setp.ne.u32     %^more, %^place, <k>;
	@%^more bra     $^meet;
	bra.uni         $<at>;
#end
#if rests
$^rest:
 #each rest
  #if last
	setp.ne.u32     %^more, %^place, <k>;
	@%^more bra     $^meet;
	bra.uni         $<at>;
  #else
	setp.eq.u32     %^more, %^place, <k>;
	@%^more bra     $<at>;
  #end
 #end
#end

# ---- ahead: lanes note which of their next iterations want the path, then run those ------------------------------------------

=== ahead
$^meet:                                         # a lane's looks begin where the lane is, and go on from batch to batch
	#look_from
$^batch:                                        # all of M come here
	vote.sync.any.pred      %^more, %^in, <mask>;
	@!%^more bra.uni $^leave;
	#batch_from
#if retreats
	setp.lt.s32     %^more, %^credit, 0;	# CANNOT: it only retreats at other times
	@%^more bra.uni $^retreat;		# CANNOT: it only retreats at other times
#end
	mov.pred        %^go, %^in;
	mov.u32         %^noted, 0;
	mov.u32         %^upto, 0;
	#looks                                  # row or look
#if whole                                       # the iteration by which a lane leaves is noted too
	not.pred        %^more, %^go;
	and.pred        %^more, %^more, %^in;
	shl.b32         %^bit, 1, %^upto;
 #if unified                                    # of those of both sides each is run once; that one last
	selp.b32        %^end, %^bit, 0, %^more;
	not.b32         %^bit, %^end;
	and.b32         %^noted, %^noted, %^bit;
	or.b32          %^bit, %^noted, %^end;
	not.b32         %^bit, %^bit;
	and.b32         %^other, %^other, %^bit;
 #else
	@%^more or.b32  %^noted, %^noted, %^bit;
 #end
#end
#if retreats                                    # as it was, the path is run in each iteration that some lane has noted; now as often as by the one that has noted most
	redux.sync.or.b32       %^bits, %^noted, <mask>;
	popc.b32        %^bits, %^bits;		# CANNOT: it only retreats at other times
	popc.b32        %^n, %^noted;           # CANNOT: it only retreats at other times
	redux.sync.max.u32      %^n, %^n, <mask>;
	mad.lo.s32      %^credit, %^bits, <saved>, %^credit; # CANNOT: it only retreats at other times
	mad.lo.s32      %^credit, %^n, <noted>, %^credit; # CANNOT: it only retreats at other times
	add.s32         %^credit, %^credit, <batch>; # CANNOT: it only retreats at other times
	min.s32         %^credit, %^credit, <most>; # CANNOT: it only retreats at other times
#end
#if gathers
$^run:                                          # all of M: each lane its next noted iteration
	setp.ne.s32     %^want, %^noted, 0;
	vote.sync.any.pred      %^more, %^want, <mask>;
	@!%^more bra.uni $^ran;
	@!%^want bra    $^run;
#else
	setp.eq.s32     %^more, %^noted, 0;
	@%^more bra     $^ran;
$^next:
#end
	brev.b32        %^n, %^noted;
	bfind.shiftamt.u32      %^n, %^n;
	add.s32         %^bit, %^noted, -1;
	and.b32         %^noted, %^noted, %^bit;
#if gathers
#else
	setp.ne.s32     %^want, %^noted, 0;
#end
	#counts
#if straight
	#to_path
#else
	bra.uni         $<meet>;
#end
#if gathers
#else
$^again:
	@%^want bra     $^next;
#end
$^ran:
#if unified                                     # then those of the other side, then the last one; in the end all three words are 0
	mov.u32         %^noted, %^other;
	mov.u32         %^other, %^end;
	mov.u32         %^end, 0;               # CANNOT: the lane leaves by it, where that is done too
	or.b32          %^n, %^noted, %^other;
	setp.ne.u32     %^want, %^n, 0;
	vote.sync.any.pred      %^more, %^want, <mask>;
	@%^more bra.uni $^run;
#end
	@%^go bra       $^batch;                # who goes on has the next batch in front of it
#if straight
	@!%^in bra      $^batch;
	mov.u32         %^n, %^upto;            # who leaves runs its last iteration, without the path
	#counts                                 # CANNOT: from its last noted one it comes there, too
	bra.uni         $<meet>;
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
	vote.sync.all.pred      %^more, %^more, <mask>;
	@!%^more bra.uni $^unsure;
	add.s32         %^upto, %^at, <sure_of>;
	#sure_looks
	bra.uni         $^rowed;
$^unsure:
#end
	#row_of_looks
#if sure
$^rowed:
#end
#if groups
	shl.b32         %^bits, %^bits, %^at;
	or.b32          %^noted, %^noted, %^bits;
 #if unified
	shl.b32         %^others, %^others, %^at;
	or.b32          %^other, %^other, %^others;
 #end
	add.s32         %^at, %^at, <group>;
	vote.sync.any.pred      %^more, %^go, <mask>;
	setp.ne.and.u32 %^more, %^at, <n>, %^more;
	@%^more bra.uni $^look;                 # CANNOT: batches are shorter then
#end

=== is_sure                                     # does the loop go on, and for longer than the group?
#if wide
	add.s64         %^by8, <index>, <plus>;
	setp.<cmp>      %^more, %^by8, <bound>;
 #if up
	sub.s64         %^by8, <bound>, %^by8;
 #else
	sub.s64         %^by8, %^by8, <bound>;
 #end
	setp.gt.and.u64 %^more, %^by8, <far>, %^more;
#else
	add.s32         %^some, <index>, <plus>;
	setp.<cmp>      %^more, %^some, <bound>;
 #if up
	sub.s32         %^some, <bound>, %^some;
 #else
	sub.s32         %^some, %^some, <bound>;
 #end
	setp.gt.and.u32 %^more, %^some, <far>, %^more;
#end
	and.pred        %^more, %^more, %^go;

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
	and.pred        %^want, %^want, %^go;
 #else
	and.pred        %^want, <p>, %^go;
 #end
#end
#if groups
	@%^want or.b32  %^<to_bits>, %^<to_bits>, <bit>;
#else
	@%^want or.b32  %^<to>, %^<to>, <bit>;
#end

=== stay_one                                    # in place of a branch that leaves the loop: it stays if <p> (negated: if not)
#if negated
	not.pred        %^more, <p>;
	and.pred        %^go, %^go, %^more;
#else
	and.pred        %^go, %^go, <p>;
#end

=== look_one                                    # the end of an iteration
	@%^go add.s32   %^upto, %^at, <passed>;

=== look                                        # looks by the loop's own branches
	mov.u32         %^bit, 1;
	@!%^go bra      $^looked;
	#look_blocks                            # to the path: note<k>; ways out: last; the way back: passed
$^last:                                         # the lane leaves the loop in this iteration
	mov.pred        %^go, 0;
	bra.uni         $^looked;
$^passed:
	add.s32         %^upto, %^upto, 1;
$^looked:
	vote.sync.any.pred      %^more, %^go, <mask>;   # CANNOT: it keeps lanes together, and ends in time
	shl.b32         %^bit, %^bit, 1;
	setp.ne.and.u32 %^more, %^bit, <end>, %^more;
	@!%^more bra.uni $^seen;
	@%^go bra       $<look>;                        # CANNOT: batches are of one iteration then
	bra.uni         $^looked;
$^seen:

=== note                                        # in place of a path, under the label note<k>
	or.b32          %^<to>, %^<to>, %^bit;

=== count                                       # <reg> = <from> + %^n times what an iteration adds to it
#if minus
 #if half
	cvt.u16.u32     %^by2, %^n;
	mul.lo.s16      %^by2, %^by2, <by>;
	sub.s16         <reg>, <from>, %^by2;
 #end
 #if word
	mul.lo.s32      %^some, %^n, <by>;
	sub.s32         <reg>, <from>, %^some;
 #end
 #if wide
	cvt.u64.u32     %^by8, %^n;
	mul.lo.s64      %^by8, %^by8, <by>;
	sub.s64         <reg>, <from>, %^by8;
 #end
#else
 #if half
	cvt.u16.u32     %^by2, %^n;
	mad.lo.s16      <reg>, %^by2, <by>, <from>;
 #end
 #if word
	mad.lo.s32      <reg>, %^n, <by>, <from>;
 #end
 #if wide
  #if narrow
	mad.wide.s32    <reg>, %^n, <by>, <from>;
  #else
	cvt.u64.u32     %^by8, %^n;
	mad.lo.s64      <reg>, %^by8, <by>, <from>;
  #end
 #end
#end

# ---- leave: all of M go on together, each where it left its loop --------------------------------------------------------------

=== leave
#if retreats                                    # who is in goes to the header of the loop as it was
$^retreat:
	@!%^in bra      $^leave;
	#back_to                                # its own counts have not followed
	bra             <as_it_was>;
#end
$^leave:
#if pool
	bar.warp.sync   %^mask;                 # owners see what others wrote
#end
	#ways_out

=== way_out
#if last
	<go>;
#else
	setp.eq.u32     %^more, %^exit, <k>;
	@%^more <go>;
#end
