; The loop of grid.tpl ends where the numbers do: with digits x and y in range, z < nz says that the number is one of the grid's.
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
