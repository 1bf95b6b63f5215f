; The loop of grid.tpl ends at the last virtual block: with x and y in range, z < nz holds exactly if the
; number is below the number of virtual blocks.
;; grid.tpl setp.lt.u32 %^over, %^z, %^nz;
;; grid.tpl @%^over bra $^block;
(set-logic QF_NIA)
(declare-const nx Int) (declare-const ny Int) (declare-const nz Int)
(declare-const x Int) (declare-const y Int) (declare-const z Int)
(assert (and (< 0 nx) (< 0 ny) (< 0 nz) (<= 0 x) (< x nx) (<= 0 y) (< y ny) (<= 0 z)))
(define-fun row () Int (+ y (* ny z)))
(define-fun number () Int (+ x (* nx row)))
(check-sat)
(assert (not (= (< z nz) (< number (* nx ny nz)))))
(check-sat)
