# SPDX-License-Identifier: MIT
# distribute.tpl: two arms of a branch as one piece of code (distribute.c, meld.h). It stands where the first arm began.
#
# %^then   this lane runs the first arm      %^s<k>   a register for one of each arm      %^<type><k>   what a lane selected

=== first                                       # in place of the begin marker of the first arm
	mov.pred        %^then, -1;
	#take                                   # what comes in
$^meld:                                         # arms at lines <first_line> and <second_line>
	#begin                                  # CANNOT: nobody reads these zeros; they end the life of what only some lanes write
	#nodes

=== second                                      # in place of that of the second
	mov.pred        %^then, 0;
	#take
	bra             $^meld;

=== node                                        # blocks of both arms, or of one alone
$^m<k>:
#if alone                                       # long, or with branches: the others jump over it
	@<others> bra   $<over>;
#end
	#rows
	#go

=== select
	selp.b<bits>    <to>, <first>, <second>, %^then;

=== select_predicate
	mov.pred        <to>, <second>;
	@%^then mov.pred        <to>, <first>;

=== select_way                                  # a predicate that one of the arms may have negated
#if second_negated
	not.pred        <to>, <second>;
#else
	mov.pred        <to>, <second>;
#end
#if first_negated
	@%^then not.pred        <to>, <first>;
#else
	@%^then mov.pred        <to>, <first>;
#end

=== come                                        # to a register that stands for one of the arm; or nothing, for the analyses' sake
	mov.<type>      <to>, <from>;

=== back                                        # from it
	@<lane> mov.<type>      <to>, <from>;

=== one_arm                                     # code of one arm, too long for a predicate on each instruction
	@<others> bra   $^o<n>;
	#statements
$^o<n>:

=== branch
	@<p> bra        $<taken>;
#if far
	bra             $<other>;
#end

=== leave                                       # behind the arms
	#give                                   # what is read there goes back to its own register
#if ways_differ
	@%^then bra     $<first>;
#end
	bra             $<second>;
