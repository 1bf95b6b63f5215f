# SPDX-License-Identifier: MIT
# promise.tpl: checks that iterations of annotated loops are independent (promise.c, which describes the table and the classes of accesses).
#
# %^run<k> %^it<k>   loop k: number of this execution, in units of 64; number of the iteration from 1, or 0: outside of the loop
# %^lane             this lane's number
# %^line             generic address of an access  %^was<piece>: values there before a store
# %^bit %^against %^failed   compare-and-swap: class of the access, classes that it conflicts with; 1: it only reads

=== names
	.pred   more first
	.b32    mask n one bit against
	.b64    lane at wide line now

=== functions                                   # of the module
.func ^report(.reg .b32 %one, .reg .b32 %other) # adds a pair of sites to the report
{
	.reg .pred %p;
	.reg .b32 %low, %high, %pair, %old, %left;
	.reg .b64 %at;
	min.u32 %low, %one, %other;
	max.u32 %high, %one, %other;
	shl.b32 %low, %low, 16;
	or.b32  %pair, %low, %high;
	mov.u32 %left, <reports>;
	mov.u64 %at, <state>;
$slot:
	atom.global.cas.b32     %old, [%at+32], 0, %pair; # P6
	setp.eq.u32     %p, %old, 0;            # CANNOT: copies of a pair are printed once
	setp.eq.or.u32  %p, %old, %pair, %p;
	@%p ret;
	add.u64 %at, %at, 4;
	sub.u32 %left, %left, 1;
	setp.ne.u32     %p, %left, 0;
	@%p bra $slot;
	mov.u64 %at, <state>;
	red.global.add.u64      [%at+24], 1;
}
.func ^check(.reg .b64 %at, .reg .b64 %run, .reg .b32 %it, .reg .b32 %class, .reg .b32 %against, .reg .b32 %site)
{
	.reg .pred %p, %q;
	.reg .b32 %n, %m, %was, %before, %now, %other, %left;
	.reg .b64 %key, %h, %e, %old, %table, %lanes, %mine;
	setp.eq.u32     %p, %it, 0;             # outside of the loop
	@%p ret;
	isspacep.local  %q, %at;
	@%q ret;
	mov.u64 %table, <state>;
	and.b64 %lanes, %run, 32;               # not 0: compare lanes, in global memory
	setp.ne.u64     %q, %lanes, 0;
	isspacep.global %p, %at;
	not.pred        %p, %p;
	and.pred        %p, %p, %q;
	@%p ret;
	@!%q red.global.add.u64 [%table+8], 1;          # P3
	shr.u64 %key, %at, <shift>;
	mad.lo.u64      %h, %key, 0x9e3779b97f4a7c15, %run;     # CANNOT: any entry will do
	mul.lo.u64      %h, %h, 0xd6e8feb86659fd93;             # CANNOT: any entry will do
	shr.u64 %h, %h, <rest>;
	mov.u32 %left, <probes>;
$probe:
	mov.u64 %table, <table>;
	mad.lo.u64      %e, %h, <entry>, %table;
	atom.global.cas.b64     %old, [%e], 0, %key;    # P2
	setp.eq.u64     %p, %old, 0;
	setp.eq.or.u64  %p, %old, %key, %p;
	@!%p bra        $next;
	atom.global.cas.b64     %old, [%e+8], 0, %run;
	setp.eq.u64     %p, %old, 0;
	setp.eq.or.u64  %p, %old, %run, %p;
	@%p bra $found;
$next:
	add.u64 %h, %h, 1;
	and.b64 %h, %h, <last>;
	sub.u32 %left, %left, 1;
	setp.ne.u32     %p, %left, 0;
	@%p bra $probe;
	mov.u64 %table, <state>;
	red.global.add.u64      [%table+16], 1;         # P3
	ret;
$found:
	@%q bra $lanes;
	ld.global.u32   %was, [%e+16];
	ld.global.u16   %before, [%e+20];
	ld.global.u16   %now, [%e+22];
	setp.eq.u32     %p, %was, %it;
	@%p bra $same;
	or.b32  %before, %before, %now;
	mov.u32 %now, 0;
$same:
	and.b32 %n, %now, <reads>;              # an atomic operation on what the iteration has read
	setp.ne.u32     %p, %n, 0;
	and.b32 %n, %class, <atomics>;
	setp.ne.and.u32 %p, %n, 0, %p;
	@%p shl.b32     %class, %class, 1;
	@%p and.b32     %against, %against, <unread>;
	or.b32  %n, %before, %now;              # the first access of a class is reported
	and.b32 %n, %n, %class;
	setp.ne.u32     %p, %n, 0;
	bfind.u32       %n, %class;
	mad.wide.u32    %mine, %n, 2, %e;
	@!%p st.global.u16      [%mine+24], %site;
	or.b32  %now, %now, %class;
	st.global.u32   [%e+16], %it;
	st.global.u16   [%e+20], %before;               # P4
	st.global.u16   [%e+22], %now;
	and.b32 %n, %before, %against;
	setp.eq.u32     %p, %n, 0;
	@%p ret;
	bfind.u32       %n, %n;
	mad.wide.u32    %mine, %n, 2, %e;
	ld.global.u16   %other, [%mine+24];
	call ^report, (%site, %other);
	ret;
$lanes:                                         # the sites of two lanes that read and of two that write, then the lanes
	setp.eq.u32     %q, %class, 1;
	selp.b32        %n, 0, 8, %q;
	mad.wide.u32    %mine, %n, 1, %e;
	mov.u32 %n, %laneid;
	shl.b32 %m, %site, 5;
	or.b32  %m, %m, %n;
	atom.global.cas.b32     %was, [%mine+24], 0, %m;
	xor.b32 %other, %was, %m;
	and.b32 %other, %other, 31;
	setp.ne.u32     %p, %other, 0;
	setp.ne.and.u32 %p, %was, 0, %p;
	@%p atom.global.cas.b32 %was, [%mine+28], 0, %m;
	membar.gl;                              # CANNOT: the emulator's memory is in order
	mov.u32 %m, 1;
	shl.b32 %m, %m, %n;
	cvt.u64.u32     %key, %m;
	@!%q shl.b64    %key, %key, 32;
	atom.global.or.b64      %old, [%e+16], %key;    # P5
	mov.b64 {%before, %now}, %old;          # lanes that have read, and written
	selp.b32        %now, %now, %before, %q;
	not.b32 %m, %m;
	and.b32 %now, %now, %m;
	setp.eq.u32     %p, %now, 0;
	@%p ret;
	membar.gl;                              # CANNOT: the emulator's memory is in order
	selp.b32        %m, 8, 0, %q;
	mad.wide.u32    %mine, %m, 1, %e;
	ld.relaxed.gpu.global.u32       %was, [%mine+24];
	and.b32 %other, %was, 31;
	setp.eq.u32     %p, %other, %n;
	@%p ld.relaxed.gpu.global.u32   %was, [%mine+28];
	shr.u32 %other, %was, 5;
	call ^report, (%site, %other);
}

=== head
	#declare names
	mov.u32 %^n, %laneid;
	cvt.u64.u32     %^lane, %^n;

=== zero
	mov.u32 %^it<k>, 0;                     # CANNOT: the emulator initialises registers with 0

=== outside
	mov.u32 %^it<k>, 0;

=== begun                                       # an iteration begins; lanes that begin the loop together get one number
	setp.ne.u32     %^more, %^it<k>, 0;
	@%^more bra     $^known<place>;
	activemask.b32  %^mask;
	brev.b32        %^one, %^mask;
	clz.b32 %^one, %^one;
	cvt.u64.u32     %^wide, %^one;
	setp.eq.u64     %^first, %^wide, %^lane;
	mov.u64 %^at, <state>;
	mov.u64 %^wide, 0;                      # CANNOT: the emulator initialises registers with 0
	@%^first atom.global.add.u64    %^wide, [%^at], 1; # P1
	mov.b64 {%^n, %^bit}, %^wide;
	shfl.sync.idx.b32       %^n, %^n, %^one, 31, %^mask;
	shfl.sync.idx.b32       %^bit, %^bit, %^one, 31, %^mask;        # CANNOT: no test has 2^32 executions
	mov.b64 %^wide, {%^n, %^bit};
	add.u64 %^wide, %^wide, 1;
	shl.b64 %^run<k>, %^wide, 6;
$^known<place>:
	add.u32 %^it<k>, %^it<k>, 1;

=== guard
#if guarded
	@<stays> bra    $^past<place>;
#end

=== past
#if guarded
$^past<place>:
#end

=== address
#if narrow
	cvt.u64.u32     %^line, <address>;
#else
	mov.u64 %^line, <address>;
#end
#if offset
	add.s64 %^line, %^line, <bytes>;
#end
#if shared
	cvta.shared.u64 %^line, %^line;
#end

=== before                                      # the value that a store replaces
	ld.volatile.<type>      %^was<piece>, [%^line+<at>]; # P7

=== after                                       # a store that changes nothing does not count
	ld.volatile.<type>      %^now, [%^line+<at>];
	setp.eq.u64     %^more, %^now, %^was<piece>;
	@%^more bra     $^kept<place>_<piece>;

=== kept
$^kept<place>_<piece>:

=== expected
	mov.b<bits>     %^cmp<bits>, <operand>;

=== failed                                      # a compare-and-swap that fails only reads
	setp.ne.b<bits> %^more, <operand>, %^cmp<bits>;
	selp.b32        %^bit, <read>, <class>, %^more;
	selp.b32        %^against, <againstread>, <against>, %^more;

=== access                                      # of one piece, for one loop
	add.u64 %^at, %^line, <at>;
	or.b64  %^wide, %^run<k>, %^lane;
#if swap
	call ^check, (%^at, %^wide, %^it<k>, %^bit, %^against, <site>);
#else
	call ^check, (%^at, %^wide, %^it<k>, <class>, <against>, <site>);
#end
#if lanes
	or.b64  %^wide, %^run<k>, 32;
	call ^check, (%^at, %^wide, %^it<k>, <class>, <against>, <site>);
#end

=== unchecked
	setp.eq.u32     %^more, %^it<k>, 0;
	@%^more bra     $^known<place>;
	call ^report, (<site>, 0);
$^known<place>:
