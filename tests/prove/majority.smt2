; Two groups that each contain more than half of the lanes of one warp have a lane in common (docs/design.md
; 6.4). The unknowns are the numbers of lanes in both groups, in one only, and in neither.
(set-logic QF_LIA)
(declare-const both Int) (declare-const first Int) (declare-const second Int) (declare-const neither Int)
(assert (and (>= both 0) (>= first 0) (>= second 0) (>= neither 0)))
(define-fun warp () Int (+ both first second neither))
(assert (and (> (* 2 (+ both first)) warp) (> (* 2 (+ both second)) warp)))
(check-sat)
(assert (not (>= both 1)))
(check-sat)
