"""Reductions: one result for many elements."""
from values import *
from writer import Family

NEAR = ((float16, 2e-3, 1e-6), (bfloat16, 1.6e-2, 1e-5), (float32, 3e-6, 1e-6), (float64, 1e-13, 1e-14))


def shapes(f, dtypes, dim_as_list=True, keep=True, whole_form=False, make=some, **kwargs):
    """Along one dimension, several, none given, kept; nothing to reduce; no dimensions."""
    def dims(*d):
        return list(d) if dim_as_list else d[0]
    f.sweep(dtypes, lambda d: (shaped(make(d), 2, 3, dtype=d), dims(1)), **kwargs)
    f.sweep(dtypes, lambda d: (shaped(make(d), 3, 2, 2, dtype=d), dims(-3)), **kwargs)
    if keep:
        f.sweep(dtypes[-2:], lambda d: (shaped(make(d), 2, 3, dtype=d), dims(0)), keepdim=True, **kwargs)
    if dim_as_list:
        f.sweep(dtypes[-2:], lambda d: (shaped(make(d), 3, 2, 2, dtype=d), [0, 2]), **kwargs)
        f.error("shape", quarters(2, 3), [0, 0], **kwargs)
        f.error("shape", quarters(2, 3), [0, -2], **kwargs)
    f.sweep(dtypes[-1:], lambda d: (none(2, 0, 3, dtype=d), dims(2)), **kwargs)
    f.sweep(dtypes[-1:], lambda d: (T(make(d)[0], d), dims(-1)), **kwargs)
    f.error("shape", quarters(2, 3), dims(2), **kwargs)
    f.error("shape", quarters(2, 3), dims(-3), **kwargs)


def long(dtype, *sizes):
    """Enough for all registers of a loop and what is left of them, and exact in every order."""
    return quarters(*sizes, dtype=dtype, most=4)


def sums(f):
    for name in ("sum", "mean", "nansum", "prod"):
        floating = FLOATS if name == "mean" else ALL
        if name != "nansum":
            f.op(f"aten::{name}")
            f.sweep(floating, lambda d: shaped(some(d), 2, 3, dtype=d))
            if name == "mean":
                f.error("dtype", T([1, 2]))
                f.error("dtype", T([True, False]))
            if name != "prod":
                f.sweep(floating[-4:], lambda d: long(d, 3, 47))
                f.case(T([nan, 1.0]))
            f.case(T([inf, 1.0, -inf]))
            f.case(none(0))
            f.case(T(2.5))
            f.case(T([1.5, 2.5], float16), dtype=float32)
            f.case(T([1, 2, 3], int8), dtype=float64)
            if name != "mean":
                f.case(T([1.5, 2.5]), dtype=int64)
                f.case(T([100, 100, 3], int8))
                f.case(T([100, 100, 3], int8), dtype=int8)
        f.op({"sum": "aten::sum.dim_IntList", "prod": "aten::prod.dim_int", "mean": "aten::mean.dim",
              "nansum": "aten::nansum"}[name])
        shapes(f, floating, dim_as_list=name != "prod")
        f.case(none(0, 3), [0] if name != "prod" else 0)
        f.case(none(0, 3), [1] if name != "prod" else 1)
        if name != "prod":
            f.case(quarters(2, 3), None)
            f.case(quarters(2, 3), [])
            f.case(quarters(2, 3), [], True)
            for sizes, dim in (((5, 37), 1), ((37, 5), 0), ((3, 4, 19), 1), ((2, 3, 20), 2)):
                for d in (float16, float32, int64 if name == "sum" else float64):
                    f.case(long(d, *sizes), [dim])
        if name == "nansum":
            f.case(T([[nan, 1.0, 2.0], [nan, nan, nan]]), [1])
            f.case(T([nan, 1.5], float16))
        f.case(T([[1, 2], [3, 4]], int32), [0] if name != "prod" else 0, dtype=float32)


def extremes(f):
    for name in ("max", "min", "amax", "amin"):
        plain = name[0] == "m"
        f.op(f"aten::{name}")
        if plain:
            f.sweep(ALL, lambda d: shaped(some(d), 2, 3, dtype=d))
            f.error("shape", none(0))
        else:
            shapes(f, ALL)
            f.case(quarters(2, 3))
            f.case(quarters(2, 3), [], True)
            f.error("shape", none(0, 3), [0])
            f.error("shape", none(0))
        f.sweep(INTEGERS, lambda d: shaped(whole(d, -2 ** 63, 2 ** 63 - 1), 6, dtype=d))
        f.sweep(FLOATS, lambda d: T([1.5, nan, 3.0], d))
        f.sweep(FLOATS, lambda d: T([inf, 1.5, -inf], d))
        f.sweep([float32, int64, int8], lambda d: permuted(101, dtype=d))
        f.case(T(2.5))
        if plain:
            f.op(f"aten::{name}.dim")
            f.sweep(ALL, lambda d: (permuted(2, 3, dtype=d) if d != boolean else T([[False, True], [True, False]]), 1))
            f.sweep(ALL[1:], lambda d: (permuted(3, 2, 2, dtype=d), -3))
            f.case(T([[1.0, 3.0, 3.0], [2.0, 2.0, 1.0]]), 1)
            f.case(T([[1.0, nan, 3.0], [inf, 2.0, -inf]]), 1)
            f.case(T([[1.0, nan, nan], [inf, 2.0, -inf]], float16), 0, True)
            f.case(permuted(3, 37), 1)
            f.case(permuted(37, 3, dtype=int64), 0)
            f.case(T(2.5), 0)
            f.case(none(0, 3), 1)
            f.error("shape", none(0, 3), 0)
            f.error("shape", quarters(2, 3), 2)
    for name in ("argmax", "argmin"):
        f.op(f"aten::{name}")
        f.sweep(ALL[1:], lambda d: permuted(2, 3, dtype=d))
        shapes(f, ALL[1:], dim_as_list=False, make=lambda d: some(d)[:4])
        f.sweep(ALL[1:], lambda d: (permuted(3, 2, 2, dtype=d), 1))
        f.case(T([1.0, 3.0, 3.0, 1.0]))
        f.case(T([[1.0, nan, 3.0], [inf, -inf, -inf]]), 1)
        f.case(T([nan, nan, 3.0], float64))
        f.case(permuted(3, 37), 1)
        f.case(permuted(37, 3), 0)
        f.case(permuted(101, dtype=int32))
        f.case(quarters(2, 3), None, True)
        f.case(T(2.5))
        f.error("shape", none(0))
        f.error("shape", none(0, 3), 0)
        f.error("shape", quarters(2, 3), 2)
    f.op("aten::aminmax")
    f.sweep(ALL, lambda d: shaped(some(d), 2, 3, dtype=d))
    f.sweep(ALL, lambda d: shaped(some(d), 2, 3, dtype=d), dim=1)
    f.case(T([[1.0, nan], [2.0, 3.0]]), dim=1, keepdim=True)
    f.case(T([inf, nan]))
    f.error("shape", none(0))


def logic(f):
    for name in ("any", "all"):
        f.op(f"aten::{name}")
        for values in ([0, 0, 2], [0, 0, 0], [1, 1, 3]):
            f.sweep(ALL, lambda d: T(values, d))
        f.case(none(0))
        f.case(T(0.0))
        f.case(T([nan, 0.0]))
        f.op(f"aten::{name}.dim")
        f.sweep(ALL, lambda d: (T([[0, 0, 2], [0, 0, 0], [1, 1, 1]], d), 1))
        f.case(T([[0.0, 1.0], [0.0, 0.0]]), 0, True)
        f.case(none(0, 2), 0)
        f.case(none(2, 0), 0)
        f.case(T(1.5), 0)
        f.error("shape", quarters(2, 3), 2)
    f.op("aten::count_nonzero")
    f.sweep(ALL, lambda d: T([[0, 0, 2], [0, 1, 0]], d))
    f.case(T([[0.0, nan], [-0.0, 2.5]]), 1)
    f.case(none(0, 2))
    f.case(none(0, 2), 0)
    f.error("shape", quarters(2, 3), 2)
    f.op("aten::count_nonzero.dim_IntList")
    f.sweep(ALL, lambda d: (T([[[0, 0, 2], [0, 1, 0]]], d), [0, 2]))
    f.case(T([[0.0, nan], [-0.0, 2.5]]), [1])


def moments(f):
    for name in ("var", "std"):
        f.op(f"aten::{name}")
        f.sweep(FLOATS, lambda d: shaped(some(d), 2, 3, dtype=d))
        f.case(quarters(2, 3), False)
        f.case(T([nan, 1.0, 2.0]))
        f.case(T([1.5]), False)
        f.case(T([1.5]))
        f.case(quarters(101) + 1000.0)
        f.error("dtype", T([1, 2, 3]))
        f.op(f"aten::{name}.dim")
        shapes(f, FLOATS)
        f.case(quarters(2, 3), [1], False)
        f.case(quarters(2, 3), [1], False, True)
        f.case(quarters(3, 37), [1])
        f.case(quarters(37, 3), [0])
        f.error("dtype", T([[1, 2, 3]]), [1])
    for name in ("var", "std", "var_mean"):
        f.op(f"aten::{name}.correction")
        shapes(f, FLOATS, correction=1)
        for correction in (0, 1, 2, None):
            f.case(quarters(2, 3), [1], correction=correction)
        f.case(quarters(2, 3), [0], correction=2)
        f.case(quarters(2, 3), None, correction=1, keepdim=True)
        f.case(none(2, 0), [1], correction=0)
        f.error("dtype", T([[1, 2, 3]]), [1], correction=1)
    f.op("aten::var_mean")
    f.sweep(FLOATS, lambda d: shaped(some(d), 2, 3, dtype=d))


def norms(f):
    orders = (2, 1, 0, 3, inf, -inf, 0.5, -1.0)
    f.op("aten::norm.Scalar")
    for p in orders:
        f.case(quarters(2, 3), p)
    f.sweep(FLOATS, lambda d: (shaped(some(d), 2, 3, dtype=d)))
    f.case(none(0))
    f.op("aten::norm.ScalarOpt_dim")
    for p in orders + (None,):
        f.case(quarters(2, 3), p, [1])
    f.sweep(FLOATS, lambda d: (shaped(some(d), 2, 3, dtype=d), 2, [0], True))
    f.error("shape", quarters(2, 3), 2, [2])
    f.op("aten::linalg_vector_norm")
    for p in orders:
        f.case(quarters(2, 3), p)
        f.case(quarters(2, 3), p, [1])
    f.sweep(FLOATS, lambda d: (shaped(some(d), 2, 3, dtype=d), 2, [0], True))
    f.case(quarters(3, 37), 2, [1])
    f.case(T([3.0, 4.0], float16), dtype=float32)
    f.case(T([nan, 1.0]), inf)
    f.case(T([inf, 1.0]))
    f.case(none(0))
    f.error("dtype", T([1, 2]))
    f.error("shape", quarters(2, 3), 2, [2])
    f.error("shape", none(0), inf)
    f.op("aten::logsumexp")
    shapes(f, FLOATS)
    f.case(T([[inf, 1.0], [-inf, -inf], [1000.0, 1000.0], [nan, 1.0]]), [1])
    f.case(T([[1, 2], [3, 4]]), [0])
    f.case(none(2, 0), [1])


def pairs(f):
    """Two results at once, and norms of another dtype."""
    f.op("aten::std_mean")
    f.every(lambda d: T([[1, 0, 1], [0, 0, 1]], d))
    f.case(quarters(2, 3), False)
    f.op("aten::std_mean.correction")
    f.every(lambda d: (T([[1, 0, 1], [0, 0, 1]], d), [1]), correction=1)
    f.case(quarters(2, 3), [0], correction=0, keepdim=True)
    f.case(quarters(2, 3), None, correction=2)
    f.error("shape", quarters(2, 3), [2], correction=1)
    for name in ("std_mean.dim", "var_mean.dim"):
        f.op(f"aten::{name}")
        f.every(lambda d: (T([[1, 0, 1], [0, 0, 1]], d), [1]))
        f.case(quarters(2, 3), [0], False, True)
        f.case(quarters(3, 37), [1])
        f.case(quarters(2, 3), None)
        f.error("shape", quarters(2, 3), [2])
        f.error("shape", quarters(2, 3), [0, 0])
    f.op("aten::norm.ScalarOpt_dtype")
    f.every(lambda d: (T([[1, 0, 1], [0, 0, 1]], d), 2), dtype=float64)
    f.case(T([3.0, 4.0], float16), None, dtype=float32)
    f.case(quarters(2, 3), 1, dtype=float64)
    f.error("dtype", quarters(2, 3), 2, dtype=int64)
    f.op("aten::norm.ScalarOpt_dim_dtype")
    f.every(lambda d: (T([[1, 0, 1], [0, 0, 1]], d), 2, [1], False), dtype=float64)
    f.case(T([[3.0, 4.0]], float16), None, [1], True, dtype=float32)
    f.error("shape", quarters(2, 3), 2, [2], False, dtype=float64)


def medians(f):
    f.op("aten::median")
    f.sweep(ALL[1:], lambda d: permuted(7, dtype=d))
    f.sweep(ALL[1:], lambda d: permuted(2, 3, dtype=d))
    f.case(T([1.0, nan, 3.0]))
    f.case(none(0))
    f.case(T(2.5))
    f.op("aten::median.dim")
    f.sweep(ALL[1:], lambda d: (permuted(2, 5, dtype=d), 1))
    f.sweep([float32, int64], lambda d: (permuted(4, 2, dtype=d), 0, True))
    f.case(T([[1.0, nan, 3.0], [1.0, 2.0, 4.0]]), 1)
    f.case(T(2.5), 0)
    f.error("shape", quarters(2, 3), 2)
    f.error("shape", none(0, 2), 0)


def family():
    f = Family("Reductions: one result for many elements.", NEAR)
    sums(f)
    extremes(f)
    logic(f)
    moments(f)
    norms(f)
    pairs(f)
    medians(f)
    return f
