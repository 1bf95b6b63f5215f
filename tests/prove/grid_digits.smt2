; The head of grid.tpl: the digits of G to the bases nx and ny, each below its base except the last, so that
; gx + nx (gy + ny gz) is G; and this block's own number, x + nx (y + ny z), which is less than the number of
; virtual blocks. grid_next.smt2 and grid_partition.smt2 use both.
;; grid.tpl mad.lo.u32 %^digit, %^z, %^ny, %^y;
;; grid.tpl mul.wide.u32 %^own, %^digit, %^nx;
;; grid.tpl cvt.u64.u32 %^wide, %^x;
;; grid.tpl add.u64 %^own, %^own, %^wide;
;; grid.tpl div.u32 %^gy, %^step, %^nx;
;; grid.tpl rem.u32 %^gx, %^step, %^nx;
;; grid.tpl div.u32 %^gz, %^gy, %^ny;
;; grid.tpl rem.u32 %^gy, %^gy, %^ny;
(set-logic QF_NIA)
(declare-const nx Int) (declare-const ny Int) (declare-const nz Int) (declare-const step Int)
(declare-const x Int) (declare-const y Int) (declare-const z Int)
(declare-const q Int) (declare-const gx Int) (declare-const gz Int) (declare-const gy Int)
(assert (and (< 0 nx 2147483648) (< 0 ny 65536) (< 0 nz 65536) (< 0 step 2147483648)))
(assert (and (<= 0 x) (< x nx) (<= 0 y) (< y ny) (<= 0 z) (< z nz)))
; the definitions of div and rem, for both bases
(assert (and (= step (+ gx (* nx q))) (<= 0 gx) (< gx nx) (= q (+ gy (* ny gz))) (<= 0 gy) (< gy ny)))
(check-sat)
(assert (not (and (= step (+ gx (* nx (+ gy (* ny gz))))) (<= 0 gz) (< gz 2147483648)
	(< (+ y (* z ny)) 4294967296)
	(< (+ x (* nx (+ y (* ny z)))) (* nx ny nz)))))
(check-sat)
