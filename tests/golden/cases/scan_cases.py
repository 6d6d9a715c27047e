"""Running sums and products, and softmax: as many results as elements, along one dimension."""
from values import *
from writer import Family

NEAR = ((float16, 4e-3, 1e-6), (bfloat16, 3e-2, 1e-5), (float32, 3e-6, 1e-6), (float64, 1e-13, 1e-14))


def family():
    f = Family("Running sums and products, and softmax.", NEAR)
    for name in ("cumsum", "cumprod"):
        f.op(f"aten::{name}")
        f.sweep(ALL, lambda d: (shaped(some(d), 2, 3, dtype=d), 1))
        f.sweep(ALL, lambda d: (shaped(some(d), 3, 2, dtype=d), -2))
        f.case(shaped(some(float32), 2, 3, 2), 1)
        f.case(T([1.0, inf, -inf, 2.0]), 0)
        f.case(T([1.0, nan, 2.0]), 0)
        f.case(T([100, 100, 2], int8), 0)
        f.case(T([100, 100, 2], int8), 0, dtype=int8)
        f.case(T([1.5, 2.5], float16), 0, dtype=float64)
        f.case(T(2.5), 0)
        f.case(none(0, 3), 0)
        f.case(none(2, 0, 3), 2)
        f.error("shape", quarters(2, 3), 2)
        f.error("shape", quarters(2, 3), -3)
        if name == "cumsum":
            f.case(quarters(2, 37, most=4), 1)
            f.case(quarters(37, 2, most=4, dtype=int64), 0)
    for name in ("softmax", "log_softmax"):
        f.op(f"aten::{name}.int")
        f.sweep(FLOATS, lambda d: (shaped(some(d), 2, 4, dtype=d), 1))
        f.sweep(FLOATS, lambda d: (shaped(some(d), 3, 2, 2, dtype=d), 0))
        f.sweep(FLOATS, lambda d: (shaped(some(d), 2, 3, 2, dtype=d), -2))
        f.case(T([[1000.0, 1001.0, 999.0], [-1000.0, -1000.0, -1e4], [0.0, -inf, 1.0]]), 1)
        f.case(T([[nan, 1.0, 2.0], [inf, 1.0, 2.0], [-inf, -inf, -inf]]), 1)
        f.case(quarters(3, 37), 1)
        f.case(quarters(37, 3), 0)
        f.case(quarters(2, 130, dtype=float64), 1)
        f.case(T([1.5, 2.5], float16), 0, dtype=float32)
        f.case(T([1, 2]), 0, dtype=float32)
        f.case(T(2.5), 0)
        f.case(T(2.5), -1)
        f.case(none(0, 3), 1)
        f.case(none(2, 0), 1)
        f.error("shape", quarters(2, 3), 2)
        f.error("dtype", T([1, 2]), 0)
        f.op(f"aten::_{name}")
        f.sweep(FLOATS, lambda d: (shaped(some(d), 2, 4, dtype=d), 1, False))
        f.case(quarters(5, 21), 0, False)
        f.case(T(2.5), 0, False)
        f.error("dtype", T([1, 2]), 0, False)
        f.error("shape", quarters(2, 3), 2, False)
    return f
