# SPDX-License-Identifier: MIT
# distribute.tpl: two arms of a branch as one piece of code (distribute.c, meld.h), in place of the first arm.
#
# %^then   this lane takes the first arm     %^s<k>   place: a register for one of each arm      %^<type><k>   a selected value

=== first                                       # replaces the begin marker of the first arm
	mov.pred        %^then, -1;             # D1
	#take                                   # live-ins
$^meld:                                         # arms at lines <first_line> and <second_line>
	#begin                                  # CANNOT: no lane reads these zeros; they end the live ranges of registers that only some lanes write
	#nodes

=== second                                      # replaces the begin marker of the second arm
	mov.pred        %^then, 0;              # D1
	#take
	bra             $^meld;

=== node                                        # blocks of both arms, or of one arm
$^m<k>:
#if jumped_over                                       # long, or with branches: the other arm's lanes skip it
	@<others> bra   $<over>;                # D3
#end
	#rows
	#go

=== select
	selp.b<bits>    <to>, <first>, <second>, %^then; # D2

=== select_predicate
	mov.pred        <to>, <second>;
	@%^then mov.pred        <to>, <first>;

=== select_way                                  # a predicate that one of the arms may negate
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

=== come                                        # to a place, from the arm's register; or 0, to end a live range
	mov.<type>      <to>, <from>;           # D4

=== back                                        # from a place to the arm's register
	@<lane> mov.<type>      <to>, <from>;   # D4

=== one_arm                                     # code of one arm, too long to be predicated
	@<others> bra   $^o<n>;                 # D2
	#statements
$^o<n>:

=== branch
	@<p> bra        $<taken>;
#if not_next
	bra             $<other>;
#end

=== leave                                       # after the arms
	#give                                   # live-outs return to their own registers
#if ways_differ
	@%^then bra     <first>;
#end
	bra             <second>;

=== open                                        # a common call, if it stays an annotated statement for a further call
	#marker
	#call
	bra             $^called;               # D6
$^back:

=== close                                       # replaces an end marker of the first arm then, so that markers keep their order
	bra             $^over;                 # D6
$^called:
	#marker
	bra             $^back;
$^over:
