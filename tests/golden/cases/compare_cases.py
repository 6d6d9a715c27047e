"""Comparisons, logic and bits."""
from binary_cases import POINTS, PAIRS, broadcast, mixed, nonzero, special
from values import *
from writer import Family


def family():
    f = Family("Comparisons, logic and bits. All exact.")
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        f.op(f"aten::{name}.Tensor", "elementwise")
        f.sweep(ALL, lambda d: (shaped(some(d), 2, 3, dtype=d), shaped(some(d)[:2] + some(d, 3), 2, 3, dtype=d)))
        for d in INTEGERS:
            x = shaped(whole(d, -2 ** 63, 2 ** 63 - 1), 4, dtype=d)
            f.case(x[:, None], x[None, :])
        special(f)
        mixed(f, ordered=name not in ("eq", "ne"))
        broadcast(f)
        f.op(f"aten::{name}.Scalar", "elementwise")
        for number in (3, 1.5, True):
            f.sweep(ALL, lambda d: (shaped(some(d), 4, dtype=d), number))
        f.case(T([nan, inf, 1.0]), inf)
        f.case(T([nan, inf, 1.0]), nan)
        f.case(T([1, 2], uint8), 2.5)
        f.case(T(0.5), 0)
    for name in ("and", "or", "xor"):
        f.op(f"aten::bitwise_{name}.Scalar_Tensor", "elementwise")
        f.case(True, T([False, True]))
        f.every(lambda d: (6, T([0, 1, 3, 5], d)))
    for name in ("left", "right"):
        f.op(f"aten::bitwise_{name}_shift.Scalar_Tensor", "elementwise")
        f.every(lambda d: (6, T([0, 1, 3, 5], d)))
    for name in ("logical_and", "logical_or", "logical_xor"):
        f.op(f"aten::{name}", "elementwise")
        f.sweep(ALL, lambda d: (T([0, 0, 1, 3], d), T([0, 2, 0, 5], d)))
        f.case(T([nan, 0.0, -0.0, inf]), T([1.0, 1.0, 1.0, 0.0]))
        for a, b in PAIRS:
            f.case(T([0, 2, 1], a), T([3, 0, 1], b))
        f.case(T([0, 1], int8), T(1.5))
        f.error("shape", T([1.5, 2.5]), T([1.5, 2.5, 3.5]))
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        f.op(f"aten::{name}.Tensor", "elementwise")
        f.sweep([boolean] + INTEGERS, lambda d: (shaped(whole(d, -2 ** 63, 2 ** 63 - 1), 6, dtype=d),
                                                 shaped(some(d), 6, dtype=d)))
        for a, b in PAIRS:
            if not a.is_floating_point and not b.is_floating_point:
                f.case(shaped(some(a), 3, dtype=a), shaped(some(b), 3, dtype=b))
        for a, b in POINTS:
            if not a.is_floating_point and not b.is_floating_point:
                f.case(shaped(some(a), 3, dtype=a), T(some(b)[0], b))
        f.case(T([[1], [2]], int16), T([4, 6, 7], int16))
        f.error("dtype", T([1.5]), T([1.5]))
        f.error("dtype", T([1.5]), T([1], int64))
        f.error("shape", T([1, 2], int64), T([1, 2, 3], int64))
        f.op(f"aten::{name}.Scalar", "elementwise")
        f.sweep([boolean] + INTEGERS, lambda d: (shaped(some(d), 6, dtype=d), 6))
        f.case(T([True, False]), True)
        f.case(T([1, 2], int8), True)
    for name in ("bitwise_left_shift", "bitwise_right_shift"):
        f.op(f"aten::{name}.Tensor", "elementwise")
        f.sweep(INTEGERS, lambda d: (shaped(whole(d, -2 ** 63, 2 ** 63 - 1), 6, dtype=d), T([0, 1, 2, 3, 5, 6], d)))
        f.case(T([1, -8], int8), T([2, 1], int32))
        f.case(T([[1], [-80]], int64), T([0, 3, 40], int64))
        f.op(f"aten::{name}.Tensor_Scalar", "elementwise")
        f.sweep(INTEGERS, lambda d: (shaped(some(d), 6, dtype=d), 2))
    f.op("aten::heaviside", "elementwise")
    f.sweep(ALL[1:], lambda d: (shaped([0] + some(d)[:4], 5, dtype=d), T([7], d)))
    f.case(T([nan, -0.0, inf, -inf]), T(0.5))
    f.error("dtype", T([1.5]), T([1], int64))
    f.op("aten::isclose", "elementwise")
    f.sweep(ALL, lambda d: (T([1, 3, 0, 5], d), T([1, 2, 0, 5], d)))
    a, b = T([1.0, 1.0, nan, inf, inf, 0.0]), T([1.000001, 1.01, nan, inf, -inf, 1e-9])
    f.case(a, b)
    f.case(a, b, 0.1)
    f.case(a, b, 0.0, 0.02)
    f.case(a, b, equal_nan=True)
    f.error("dtype", T([1.0]), T([1.0], float64))
    f.op("aten::allclose", "meta raises")
    f.case(T([1.0, 2.0]), T([1.0, 2.000001]))
    f.case(T([1.0, 2.0]), T([1.0, 2.1]))
    f.case(T([1.0, 2.0]), T([1.0, 2.1]), 0.1)
    f.case(T([nan, 2.0], float64), T([nan, 2.0], float64))
    f.case(T([nan, 2.0], float64), T([nan, 2.0], float64), equal_nan=True)
    f.case(none(0), none(0))
    f.op("aten::equal", "meta raises")
    f.sweep(ALL, lambda d: (T([1, 3, 0], d), T([1, 3, 0], d)))
    f.sweep(ALL, lambda d: (T([1, 1, 0], d), T([1, 0, 0], d)))
    f.case(T([1.0, nan]), T([1.0, nan]))
    f.case(T([1.0, -0.0]), T([1.0, 0.0]))
    f.case(none(0, 2), none(0, 2))
    f.case(quarters(2, 3), quarters(2, 3))
    f.op("aten::_local_scalar_dense", "meta raises")
    f.sweep(ALL, lambda d: (T([[2]], d),))
    f.case(T(-2.5))
    f.case(T([nan], float64))
    f.case(T(2 ** 53 + 1))
    f.error("shape", T([1, 2]))
    f.op("aten::is_nonzero", "meta raises")
    f.sweep(ALL, lambda d: (T([[2]], d),))
    f.sweep(ALL, lambda d: (T([0], d),))
    f.case(T(nan))
    f.error("shape", T([1, 2]))
    return f
