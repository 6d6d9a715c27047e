"""Products of matrices and vectors. Most are exact: multiples of 1/4, few of them."""
from values import *
from writer import Family

NEAR = ((float16, 4e-3, 1e-2), (bfloat16, 3e-2, 1e-1), (float32, 2e-6, 2e-6), (float64, 1e-13, 1e-13))


def two(*shapes):
    return lambda d: tuple(quarters(*s, dtype=d, seed=i + 1) for i, s in enumerate(shapes))


def family():
    f = Family("Products of matrices and vectors.", NEAR)
    numbers = INTEGERS + FLOATS
    f.op("aten::mm")
    f.sweep(numbers, two((2, 3), (3, 2)))
    f.sweep([float32, float64, float16, int64], two((7, 9), (9, 11)))
    f.case(*two((17, 5), (5, 19))(float32))
    f.case(*two((1, 33), (33, 1))(float32))
    f.case(*two((5, 1), (1, 4))(float32))
    for a, b in (((2, 0), (0, 3)), ((0, 2), (2, 3)), ((2, 3), (3, 0))):
        f.case(quarters(*a), quarters(*b))
    f.case(T([[nan, 1.0]]), T([[0.0], [inf]]))
    f.error("shape", quarters(2, 3), quarters(2, 3))
    f.error("shape", quarters(3), quarters(3, 2))
    f.error("dtype", quarters(2, 3), quarters(3, 2, dtype=float64))
    f.op("aten::bmm")
    f.sweep(numbers, two((2, 2, 3), (2, 3, 2)))
    f.case(*two((3, 5, 7), (3, 7, 6))(float32))
    f.case(none(0, 2, 3), none(0, 3, 2))
    f.case(none(2, 2, 0), none(2, 0, 3))
    f.error("shape", quarters(2, 2, 3), quarters(3, 3, 2))
    f.error("shape", quarters(2, 3), quarters(3, 2))
    f.op("aten::matmul")
    for shapes in (((3,), (3,)), ((3,), (3, 2)), ((2, 3), (3,)), ((2, 3), (3, 2)), ((2, 2, 3), (3,)), ((3,), (2, 3, 2)),
                   ((2, 2, 3), (3, 2)), ((2, 3), (2, 3, 2)), ((2, 2, 3), (2, 3, 2)), ((2, 1, 2, 3), (2, 3, 2)),
                   ((1, 2, 3), (2, 3, 1)), ((0, 3), (3, 2)), ((2, 0), (0,)), ((0, 2, 3), (3, 2))):
        f.case(*two(*shapes)(float32))
    f.sweep(numbers, two((2, 2, 3), (3, 2)))
    f.error("shape", T(2.5), quarters(2))
    f.error("shape", quarters(3), quarters(4))
    f.error("shape", quarters(2, 3), quarters(2, 3))
    f.error("shape", quarters(2, 2, 3), quarters(3, 3, 2))
    f.error("dtype", quarters(2, 3), quarters(3, 2, dtype=float64))
    f.op("aten::addmm")
    f.sweep(numbers, two((2, 2), (2, 3), (3, 2)))
    f.sweep(numbers, two((2,), (2, 3), (3, 2)), beta=2, alpha=3)
    f.case(T([[nan, 1.0]]), *two((1, 3), (3, 2))(float32), beta=0)
    f.case(*two((2, 1), (2, 3), (3, 2))(float32), beta=0.5, alpha=-1.5)
    f.case(*two((2, 3), (2, 0), (0, 3))(float32), beta=2)
    f.error("shape", *two((3,), (2, 3), (3, 2))(float32))
    f.error("shape", *two((2,), (2, 3), (2, 3))(float32))
    f.error("dtype", quarters(2, dtype=float64), quarters(2, 3), quarters(3, 2))
    f.op("aten::baddbmm")
    f.sweep(numbers, two((2, 2, 2), (2, 2, 3), (2, 3, 2)))
    f.sweep(FLOATS, two((2, 1), (2, 2, 3), (2, 3, 2)), beta=2, alpha=0.5)
    f.case(shaped([nan], 2, 2, 2), *two((2, 2, 3), (2, 3, 2))(float32), beta=0)
    f.error("shape", *two((3,), (2, 2, 3), (2, 3, 2))(float32))
    f.op("aten::linear")
    f.sweep(numbers, two((2, 3), (4, 3)))
    f.sweep(numbers, two((2, 3), (4, 3), (4,)))
    for shapes in (((3,), (4, 3), (4,)), ((2, 2, 3), (4, 3), (4,)), ((2, 3), (3,)), ((0, 3), (4, 3), (4,)),
                   ((5, 19), (7, 19), (7,))):
        f.case(*two(*shapes)(float32))
    f.error("shape", quarters(2, 3), quarters(4, 2))
    f.error("shape", *two((2, 3), (4, 3), (3,))(float32))
    f.op("aten::dot")
    f.sweep(numbers, two((4,), (4,)))
    f.case(*two((53,), (53,))(float32))
    f.case(none(0), none(0))
    f.error("shape", quarters(3), quarters(4))
    f.error("shape", quarters(1, 3), quarters(3))
    f.error("dtype", quarters(3), quarters(3, dtype=float64))
    f.op("aten::mv")
    f.sweep(numbers, two((2, 3), (3,)))
    f.case(*two((11, 13), (13,))(float32))
    f.case(none(2, 0), none(0))
    f.error("shape", quarters(2, 3), quarters(2))
    f.error("shape", quarters(2, 3), quarters(3, 1))
    f.op("aten::addmv")
    f.sweep(numbers, two((2,), (2, 3), (3,)))
    f.sweep(FLOATS, two((2,), (2, 3), (3,)), beta=2, alpha=0.5)
    f.case(T([nan, nan]), *two((2, 3), (3,))(float32), beta=0)
    f.error("shape", *two((3,), (2, 3), (3,))(float32))
    f.op("aten::outer", "exact")
    f.sweep(ALL, two((3,), (2,)))
    f.case(quarters(3), quarters(2, dtype=int64))
    f.case(none(0), quarters(2))
    f.error("shape", quarters(2, 2), quarters(2))
    f.op("aten::trace")
    f.sweep(INTEGERS + [float32, float64], lambda d: quarters(2, 3, dtype=d))
    f.case(none(0, 3))
    f.error("shape", quarters(3))
    f.op("aten::diag", "exact")
    f.sweep(ALL, lambda d: quarters(3, dtype=d))
    f.sweep(ALL, lambda d: quarters(2, 3, dtype=d))
    for k in (1, -1, 2):
        f.case(quarters(2, 3), k)
        f.case(quarters(2), k)
    f.case(none(0))
    f.error("shape", quarters(2, 2, 2))
    f.op("aten::tensordot")
    f.sweep(FLOATS, lambda d: (*two((2, 3), (3, 2))(d), [1], [0]))
    f.case(*two((2, 3, 2), (3, 2, 4))(float32), [1, 2], [0, 1])
    f.case(*two((2, 3, 2), (2, 3, 4))(float32), [1, 2], [1, 0])
    f.case(*two((2,), (3,))(float32), [], [])
    f.error("shape", *two((2, 3), (2, 3))(float32), [1], [0])
    f.error("shape", *two((2, 3), (3, 2))(float32), [1, 0], [0])
    f.op("aten::einsum")
    for equation, *shapes in (("ij,jk->ik", (2, 3), (3, 2)), ("ij,jk", (2, 3), (3, 2)), ("ij->ji", (2, 3)),
                              ("ii->i", (3, 3)), ("ii", (3, 3)), ("ij->", (2, 3)), ("ij->j", (2, 3)),
                              ("i,j->ij", (2,), (3,)), ("bij,bjk->bik", (2, 2, 3), (2, 3, 2)),
                              ("...ij,...jk->...ik", (2, 2, 3), (3, 2)), ("ij,ij->i", (2, 3), (2, 3)),
                              ("bhqd,bhkd->bhqk", (1, 2, 2, 3), (1, 2, 2, 3)), ("i,i->", (3,), (3,)),
                              ("ij,jk,kl->il", (2, 3), (3, 2), (2, 2)), ("...->...", (2, 3)), ("ba", (2, 3)),
                              ("i j -> j i", (2, 3))):
        f.case(equation, list(two(*shapes)(float32)))
    f.sweep(FLOATS + [int64], lambda d: ("ij,kj->ik", list(two((2, 3), (2, 3))(d))))
    f.error("shape", "ij,jk->ik", [quarters(2, 3), quarters(2, 3)])
    f.error("shape", "ij", [quarters(2, 3, 1)])
    f.error("value", "ij,jk->ik", [quarters(2, 3)])
    f.error("value", "ij->k", [quarters(2, 3)])
    f.error("value", "i!->i", [quarters(2, 3)])
    return f
