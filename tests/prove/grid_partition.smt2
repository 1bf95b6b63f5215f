; The blocks of the launch partition the virtual blocks: each number n below total is executed by exactly one
; block, n mod G, in exactly one iteration. That block is in the launch, and stays in the kernel (head of
; grid.tpl: a block stays if its own number is less than G). grid_next.smt2 shows that block `own` executes
; own + k G in iteration k.
;; grid.tpl mad.lo.u32 %^digit, %^z, %^ny, %^y;
;; grid.tpl mul.wide.u32 %^own, %^digit, %^nx;
;; grid.tpl add.u64 %^own, %^own, %^wide;
;; grid.tpl setp.ge.u64 %^over, %^own, %^wide;
;; grid.tpl @%^over ret;
(set-logic QF_NIA)
(declare-const total Int) (declare-const step Int) (declare-const n Int)
(declare-const own Int) (declare-const k Int) (declare-const other Int) (declare-const j Int)
(assert (and (< 0 step) (<= 0 n) (< n total)))
(assert (and (= n (+ own (* k step))) (= own (mod n step))))
(check-sat)
(assert (not (and (<= 0 own) (< own step) (< own total) (<= 0 k)
	(=> (and (<= 0 other) (< other step) (<= 0 j) (= n (+ other (* j step)))) (and (= other own) (= j k))))))
(check-sat)
