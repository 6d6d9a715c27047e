"""Arithmetic of two or three tensors."""
from values import *
from writer import Family

ULP = ((float16, 1e-3, 6e-8), (bfloat16, 8e-3, 1e-38), (float32, 2.4e-7, 2e-45), (float64, 5e-16, 1e-323))
NEAR = ((float16, 2e-3, 1e-7), (bfloat16, 1.6e-2, 1e-38), (float32, 2e-6, 1e-7), (float64, 1e-13, 1e-15))
# The pairs that promotion tables are about.
PAIRS = [(boolean, uint8), (boolean, int64), (boolean, float32), (uint8, int8), (uint8, int16), (int8, int16),
         (int16, int32), (int32, int64), (int64, float16), (int64, bfloat16), (int64, float32), (float16, bfloat16),
         (float16, float32), (bfloat16, float32), (float32, float64), (int8, float64), (uint8, int64), (int32, float32)]
# (a tensor with dimensions, one without): the second counts only if its category is higher.
POINTS = [(uint8, int64), (int8, int32), (float16, float64), (float32, float64), (int32, float64), (int64, float32),
          (boolean, int8), (bfloat16, float32), (int8, boolean)]


def nonzero(dtype, seed=1):
    return [1 if dtype == boolean else x for x in some(dtype, seed)]


def typed(f, make=lambda d: (shaped(some(d), 2, 3, dtype=d), shaped(nonzero(d, 2), 2, 3, dtype=d)), dtypes=ALL):
    f.sweep(dtypes, make)


def special(f, dtypes=FLOATS):
    """All pairs of special numbers."""
    for dtype in dtypes:
        a = [nan, inf, -inf, 0.0, -0.0, 1.5, -2.0]
        b = [nan, inf, -inf, 0.0, -0.0, 2.5, -1.0]
        f.case(T(a, dtype)[:, None], T(b, dtype)[None, :])


def mixed(f, ordered=False):
    """With ordered, without the number below 0 beside uint8: README.md, where topbit differs on purpose."""
    for a, b in PAIRS:
        f.case(shaped(some(a), 3, dtype=a), shaped(nonzero(b), 3, dtype=b))
        f.case(shaped(some(b), 3, dtype=b), shaped(nonzero(a), 3, dtype=a))
    for a, b in POINTS:
        if not (ordered and a == uint8):
            f.case(shaped(some(a), 3, dtype=a), T(nonzero(b)[0], b))
        f.case(T(some(b)[0], b), shaped(nonzero(a), 3, dtype=a))
    f.case(T(3, uint8), T(5, int64))
    f.case(T(1.5, float16), T(2, int64))


def broadcast(f):
    f.case(quarters(2, 1, 3), quarters(2, 1, seed=2) + 3)
    f.case(quarters(3, 1, dtype=float64), quarters(1, 4, dtype=float64, seed=2) + 3)
    f.case(T(2.5), T(1.25))
    f.case(none(0, 3), T([1.5, 2.5, 3.5]))
    f.case(none(2, 0), T(1.5))
    f.case(none(1, 0, dtype=float64), none(3, 1, dtype=float64))
    f.error("shape", T([1.5, 2.5]), T([1.5, 2.5, 3.5]))
    f.error("shape", none(0), T([1.5, 2.5]))
    f.error("shape", quarters(2, 3), quarters(3, 2))


def scalars(f, number_of=(2, -3, 2.5), dtypes=ALL, bools=True):
    for n in number_of:
        f.sweep(dtypes, lambda d: (shaped(some(d), 4, dtype=d), n if not (d == uint8 and n == -3) else 3))
    if bools:
        f.case(T([1, 2], int8), True)
        f.case(T([1.5, 2.5], float16), True)


def arithmetic(f):
    for name in ("add", "sub", "mul", "div"):
        f.op(f"aten::{name}.Tensor", "elementwise", "exact", "signed zeros")
        typed(f, dtypes=ALL if name != "sub" else ALL[1:])
        for d in INTEGERS if name != "div" else []:  # wraps around
            f.case(shaped(whole(d, -2 ** 63, 2 ** 63 - 1), 6, dtype=d), T([3, 100, 2, 1, 5, 7], d))
        special(f)
        if name == "sub":
            f.error("dtype", T([True]), T([True]))
            f.error("dtype", T([True]), T([False], boolean))
            f.case(T([1, 2], int8), T([1.5, 2.5], float16))
            f.case(T([9, 2], uint8), T([3, 5], int64))
        else:
            mixed(f)
        broadcast(f)
        if name in ("add", "sub"):
            f.op(f"aten::{name}.Tensor", "elementwise", within=ULP)  # rounded once or twice
            f.sweep(ALL[1:], lambda d: (shaped(some(d), 4, dtype=d), shaped(some(d, 2), 4, dtype=d)), alpha=2)
            f.case(T([1.5, 2.0]), T([3.0, 4.0]), alpha=-0.5)
            f.case(T([1, 2]), T([3.5, 4.0]), alpha=2.5)
            f.error("dtype", T([1, 2], int64), T([3, 4], int64), alpha=2.5)
    for name in ("add", "sub", "mul", "div", "rsub"):
        f.op(f"aten::{name}.Scalar", "elementwise", within=ULP)  # division may multiply by the reciprocal
        scalars(f, dtypes=ALL if name in ("add", "mul", "div") else ALL[1:], bools=name not in ("sub", "rsub"))
        if name in ("add", "sub", "rsub"):
            f.case(T([1.5, 2.0]), 3, 2)
            f.case(T([1, 2]), 3, -2)
            f.case(T([1.5, 2.0], float64), 0.5, 0.25)
        f.case(T([1.5, -1.0, 0.0]), inf)
        f.case(T([1.5, -1.0, 0.0]), 0)
        f.case(T(7, int32), 2.5)
        f.case(none(0, 2, dtype=int16), 3)
    f.op("aten::rsub.Tensor", "elementwise", within=ULP)
    typed(f, dtypes=ALL[1:])
    f.case(T([1.5, 2.0]), T([3.0, 4.0]), alpha=2)


def division(f):
    def divided(f):
        typed(f, dtypes=ALL[1:])
        for d in SIGNED:
            f.case(T([7, -7, 7, -7, 0, -128], d), T([2, 2, -2, -2, 5, 3], d))
        f.case(T([255, 200, 7], uint8), T([2, 3, 200], uint8))
        for d in FLOATS:
            f.case(T([7.5, -7.5, 7.5, -7.5, 1.0, 0.5], d), T([2.0, 2.0, -2.0, -2.0, 0.25, 3.0], d))
            f.case(T([nan, inf, -inf, 1.0, -1.0, 0.0, 5.0, -5.0], d), T([1.0, 2.0, 2.0, 0.0, 0.0, 0.0, inf, inf], d))
        for a, b in PAIRS[3:]:
            f.case(shaped(some(a), 3, dtype=a), shaped(nonzero(b), 3, dtype=b))
        broadcast(f)
    for mode in ("Tensor_mode", "Scalar_mode"):
        f.op(f"aten::div.{mode}", "elementwise", "exact")
        for rounding in ("floor", "trunc"):
            for d in INTEGERS + FLOATS:
                a, b = ([7, 5, 9, 0], [2, 3, 5, 4]) if d == uint8 else ([7, -7, 9, -9], [2, 2, -5, -5])
                if mode == "Tensor_mode":
                    f.case(T(a, d), T(b, d), rounding_mode=rounding)
                else:
                    f.case(T(a, d), 2, rounding_mode=rounding)
                    f.case(T(a, d), 2.5, rounding_mode=rounding)
            if mode == "Tensor_mode":
                for d in FLOATS:
                    f.case(T([nan, inf, -inf, 1.0, -1.0, 0.0, 5.0, -5.0], d),
                           T([1.0, 2.0, 2.0, 0.0, 0.0, 0.0, inf, inf], d), rounding_mode=rounding)
                f.error("index", T([1, 2]), T([1, 0]), rounding_mode=rounding)
                f.case(T([7, -7], int8), T([2, 2], int32), rounding_mode=rounding)
                f.case(T([7, -7], int8), T(2.5, float64), rounding_mode=rounding)
        if mode == "Tensor_mode":
            f.case(T([7, -7]), T([2, 2]), rounding_mode=None)
            f.error("value", T([7, -7]), T([2, 2]), rounding_mode="round")
    f.op("aten::floor_divide", "elementwise", "exact")
    divided(f)
    f.error("index", T([1, 2]), T([1, 0]))
    for name in ("remainder", "fmod"):
        f.op(f"aten::{name}.Tensor", "elementwise", "exact")
        divided(f)
        f.error("index", T([1, 2]), T([1, 0]))
        f.op(f"aten::{name}.Scalar", "elementwise", "exact")
        scalars(f, dtypes=ALL[1:], bools=False)
    f.op("aten::remainder.Scalar_Tensor", "elementwise", "exact")
    f.sweep(ALL[1:], lambda d: (7, T([2, 3, 4], d)))


def powers(f):
    f.op("aten::pow.Tensor_Tensor", "elementwise")
    typed(f, lambda d: (T([2, 3, 1, 0, 5], d), T([3, 2, 7, 0, 1], d)), dtypes=ALL[1:])
    f.case(T([2, -3, -1, 1, -1], int32), T([3, 3, 7, 5, 4], int32))
    f.case(T([-1, 1, 2, -3, -1], int64), T([-3, -4, -1, -2, -2], int64))
    special(f)
    for a, b in PAIRS[3:]:
        f.case(T([2, 3, 1], a), T([3, 2, 2], b))
    broadcast(f)
    f.op("aten::pow.Scalar", "elementwise")
    for base in (2, 2.5, 0, 1):
        f.sweep(ALL[1:], lambda d: (base, T([3, 0, 1, 4], d)))
    f.case(2, T([-1.5, 0.5, nan, inf, -inf]))
    f.case(-2, T([1, 2, 3], int8))
    f.op("aten::pow.Tensor_Scalar", "elementwise")
    for exponent in (0, 1, 2, 3, 0.5, 2.5):
        f.sweep(ALL[1:], lambda d: (T([3, 0, 1, 4], d), exponent))
    for exponent in (-1, -2, -0.5, 2, 3, 0.5):
        for d in FLOATS:
            x = [1.5, -2.0, 0.25, 4.0, 0.0, inf, nan]  # libraries differ about roots of -0 and -inf
            f.case(T(x + ([-0.0, -inf] if abs(exponent) != 0.5 else []), d), exponent)
    f.error("value", T([1, 2], int32), -1)


def family():
    f = Family("Arithmetic of two or three tensors.", NEAR)
    arithmetic(f)
    division(f)
    powers(f)
    f.op("aten::xlogy.Scalar_Other", "elementwise")
    f.sweep(ALL, lambda d: (shaped(some(d), 4, dtype=d), 2.5))
    f.case(T([0.0, nan, 1.0]), 0.0)
    f.op("aten::xlogy.Scalar_Self", "elementwise")
    f.sweep(ALL, lambda d: (2.5, shaped([1, 2, 0, 5], 4, dtype=d)))
    f.case(0, T([0.0, nan, inf]))
    for name in ("atan2", "hypot", "maximum", "minimum", "fmax", "fmin", "copysign.Tensor", "logaddexp", "xlogy.Tensor",
                 "max.other", "min.other"):
        directives = {"copysign.Tensor": ["exact", "signed zeros"], "maximum": ["exact"], "minimum": ["exact"],
                      "fmax": ["exact"], "fmin": ["exact"], "max.other": ["exact"], "min.other": ["exact"]}
        f.op(f"aten::{name}", "elementwise", *directives.get(name, []))
        typed(f)
        special(f)
        if name in ("atan2", "maximum", "minimum", "copysign.Tensor", "xlogy.Tensor"):
            for a, b in PAIRS:
                f.case(shaped(some(a), 3, dtype=a), shaped(nonzero(b), 3, dtype=b))
            for a, b in POINTS:
                if not (a == uint8 and name in ("maximum", "minimum")):
                    f.case(shaped(some(a), 3, dtype=a), T(nonzero(b)[0], b))
        broadcast(f)
    f.op("aten::copysign.Scalar", "elementwise", "exact", "signed zeros")
    scalars(f)
    f.op("aten::where.self", "elementwise", "exact", "signed zeros")
    f.sweep(ALL, lambda d: (T([[True, False, True], [False, False, True]]), shaped(some(d), 2, 3, dtype=d),
                            shaped(some(d, 2), 3, dtype=d)))
    for a, b in PAIRS:
        f.case(T([True, False]), shaped(some(a), 2, dtype=a), shaped(some(b), 2, dtype=b))
    f.case(T(True), T(1.5), T([2, 3]))
    f.case(T([[True], [False]]), T([nan, -0.0]), T(-inf))
    f.error("dtype", T([1, 0], int64), T([1.5, 2.5]), T([3.5, 4.5]))
    f.error("shape", T([True, False]), T([1.5, 2.5, 3.5]), T([3.5, 4.5, 5.5]))
    f.op("aten::lerp.Scalar", "elementwise", within=((float32, 1e-6, 1e-7),))
    for weight in (0.25, 0.75, 2, 0):
        f.sweep(FLOATS, lambda d: (T([1.5, -2.0, 0.25, inf], d), T([2.5, 2.0, -0.25, 1.0], d), weight))
    f.error("dtype", T([1.5]), T([1.5], float64), 0.5)
    f.error("shape", T([1.5, 2.5]), T([1.5, 2.5, 3.5]), 0.5)
    f.op("aten::lerp.Tensor", "elementwise", within=((float32, 1e-6, 1e-7),))
    f.sweep(FLOATS, lambda d: (T([[1.5, -2.0], [0.25, 4.0]], d), T([2.5, 2.0], d), T([[0.25], [0.75]], d)))
    for name in ("addcmul", "addcdiv"):
        f.op(f"aten::{name}", "elementwise", within=((float32, 1e-6, 1e-7),))
        dtypes = INTEGERS + FLOATS if name == "addcmul" else FLOATS
        f.sweep(dtypes, lambda d: (shaped(some(d), 2, 3, dtype=d), shaped(some(d, 1), 3, dtype=d),
                                   shaped(some(d, 3), 2, 1, dtype=d)))
        f.sweep(dtypes, lambda d: (shaped(some(d), 3, dtype=d), shaped(some(d, 1), 3, dtype=d),
                                   shaped(some(d, 3), 3, dtype=d)), value=3)
        f.case(T([1.5, 2.0]), T([0.5, 3.0]), T([4.0, 2.0]), value=-0.5)
        f.case(T([1.5, 2.0], float16), T([0.5, 3.0]), T([4.0, 2.0], float64))
        f.error("shape", T([1.5, 2.0]), T([0.5, 3.0, 1.0]), T([4.0, 2.0]))
    return f
