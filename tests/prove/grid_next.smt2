; The latch of grid.tpl: a block of the launch continues with the virtual block whose number is greater by G.
; It adds G's digits (gx, gy, gz) to those of its current number (x + nx (y + ny z)), with carries. If the
; digits are in range, so are the new ones, the number is greater by G, and no sum exceeds 32 bits. A block
; thus executes the numbers own, own + G, own + 2 G, ... up to the end of the grid.
;; grid.tpl add.u32 %^x, %^x, %^gx;
;; grid.tpl setp.ge.u32 %^over, %^x, %^nx;
;; grid.tpl selp.u32 %^digit, %^nx, 0, %^over;
;; grid.tpl sub.u32 %^x, %^x, %^digit;
;; grid.tpl selp.u32 %^digit, 1, 0, %^over;
;; grid.tpl add.u32 %^y, %^y, %^gy;
;; grid.tpl add.u32 %^y, %^y, %^digit;
;; grid.tpl setp.ge.u32 %^over, %^y, %^ny;
;; grid.tpl selp.u32 %^digit, %^ny, 0, %^over;
;; grid.tpl sub.u32 %^y, %^y, %^digit;
;; grid.tpl selp.u32 %^digit, 1, 0, %^over;
;; grid.tpl add.u32 %^z, %^z, %^gz;
;; grid.tpl add.u32 %^z, %^z, %^digit;
(set-logic QF_NIA)
(declare-const nx Int) (declare-const ny Int) (declare-const nz Int)
(declare-const x Int) (declare-const y Int) (declare-const z Int)
(declare-const gx Int) (declare-const gy Int) (declare-const gz Int)
; CUDA's limits of a grid; G, the number of blocks that stay, is below 2^31
(assert (and (< 0 nx 2147483648) (< 0 ny 65536) (< 0 nz 65536)))
(assert (and (<= 0 x) (< x nx) (<= 0 y) (< y ny) (<= 0 z) (< z nz)))
(assert (and (<= 0 gx) (< gx nx) (<= 0 gy) (< gy ny) (<= 0 gz) (< gz 2147483648)))
; x: add, setp.ge, selp, sub; y and z in the same way
(define-fun x1 () Int (+ x gx))
(define-fun x2 () Int (- x1 (ite (>= x1 nx) nx 0)))
(define-fun y1 () Int (+ y gy (ite (>= x1 nx) 1 0)))
(define-fun y2 () Int (- y1 (ite (>= y1 ny) ny 0)))
(define-fun z1 () Int (+ z gz (ite (>= y1 ny) 1 0)))
(check-sat)
(assert (not (and (<= 0 x2) (< x2 nx) (<= 0 y2) (< y2 ny) (<= 0 z1)
	(< x1 4294967296) (< y1 4294967296) (< z1 4294967296)
	(= (+ x2 (* nx (+ y2 (* ny z1)))) (+ x (* nx (+ y (* ny z))) gx (* nx (+ gy (* ny gz))))))))
(check-sat)
