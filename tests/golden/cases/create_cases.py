"""Tensors made from numbers and sizes."""
from values import *
from writer import Family


def family():
    f = Family("Tensors made from numbers and sizes.")
    near = ((float16, 1e-3, 1e-4), (bfloat16, 8e-3, 1e-3), (float32, 2.4e-7, 1e-7), (float64, 5e-16, 1e-15))
    f.op("aten::arange", within=near)
    for end in (5, 0, 1, 4.5, 3.0):
        f.case(end)
    f.sweep(INTEGERS + FLOATS, lambda d: 5, dtype=None)
    for d in INTEGERS + FLOATS:
        f.case(5, dtype=d)
    f.case(2.5, dtype=int64)
    f.error("value", -1)
    f.error("value", nan)
    f.error("value", inf)
    f.op("aten::arange.start", within=near)
    for a, b in ((2, 7), (-3, 2), (2, 2), (0.5, 3.5), (1, 4.25)):
        f.case(a, b)
    f.case(2, 6, dtype=float64)
    f.error("value", 3, 1)
    f.op("aten::arange.start_step", within=near)
    for a, b, step in ((2, 11, 3), (10, 0, -4), (0, 1, 0.25), (1, 0, -0.3), (0, 7, 7), (5, 5, 1), (0.0, 1.0, 0.1)):
        f.case(a, b, step)
    f.case(0, 100, 7, dtype=int16)
    f.case(0, 1, 0.125, dtype=float64)
    f.case(0, 1, 0.125, dtype=bfloat16)
    f.error("value", 0, 1, 0)
    f.error("value", 0, 1, -1)
    f.op("aten::range", within=near)
    f.case(1, 4)
    f.case(0.5, 3)
    f.case(1, 4, dtype=int64)
    f.op("aten::range.step", within=near)
    f.case(1, 7, 2)
    f.case(5, 1, -2)
    f.case(0, 1, 0.25, dtype=float64)
    f.error("value", 5, 1, 2)
    f.error("value", 1, 5, 0)
    f.op("aten::linspace", within=near)
    for args in ((0, 1, 5), (-2, 2, 9), (3, 3, 2), (0, 1, 1), (0, 1, 0), (1, 0, 4), (0, 10, 17)):
        f.case(*args)
    for d in FLOATS:
        f.case(-1, 1, 6, dtype=d)
    for d in SIGNED:
        f.case(0, 9, 4, dtype=d)
    f.error("value", 0, 1, -1)
    f.op("aten::eye")
    for d in ALL:
        f.case(3, dtype=d)
    f.case(0)
    f.case(1)
    f.error("value", -1)
    f.op("aten::eye.m")
    f.case(2, 4)
    f.case(4, 2, dtype=int64)
    f.case(0, 3)
    f.op("aten::full")
    for d in ALL:
        f.case([2, 2], 3, dtype=d)
        f.case([2], True, dtype=d)
    f.case([2, 2], 3)
    f.case([3], 2.5)
    f.case([3], True)
    f.case([2], nan)
    f.case([2], -inf, dtype=float16)
    f.case([], 7)
    f.case([0, 3], 1.5)
    f.error("shape", [2, -1], 1.5)
    for name in ("zeros", "ones"):
        f.op(f"aten::{name}")
        f.case([2, 3])
        f.case([])
        f.case([2, 0])
        for d in ALL:
            f.case([2], dtype=d)
        f.error("shape", [-1])
        f.op(f"aten::{name}_like")
        f.sweep(ALL, lambda d: shaped(some(d), 2, 2, dtype=d))
        f.case(T([1.5, 2.5]), dtype=int64)
        f.case(T(2, int8))
        f.case(none(0, 2))
    f.op("aten::full_like")
    f.sweep(ALL, lambda d: (shaped(some(d), 2, 2, dtype=d), 1))
    f.case(T([1.5, 2.5]), 3, dtype=int64)
    f.case(T([1, 2], int64), 3)
    f.case(T([1.5, 2.5]), nan)
    for name in ("tril", "triu"):
        f.op(f"aten::{name}", "signed zeros")
        f.sweep(ALL, lambda d: shaped(some(d), 3, 3, dtype=d))
        for k in (-1, 1, -5, 5):
            f.case(quarters(3, 4), k)
        f.case(quarters(2, 2, 3))
        f.case(T([[nan, inf], [-inf, nan]]))
        f.case(none(0, 3))
        f.case(none(2, 0, 3))
        f.error("shape", T([1.5, 2.5]))
        f.error("shape", T(1.5))
    return f
