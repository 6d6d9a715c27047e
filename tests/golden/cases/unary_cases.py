"""Functions of one element."""
from values import *
from writer import Family

NEAR = ((float16, 2e-3, 1e-7), (bfloat16, 1.6e-2, 1e-37), (float32, 2e-6, 1e-7), (float64, 1e-13, 1e-15))
LOOSE = ((float16, 4e-3, 1e-6), (bfloat16, 1.6e-2, 1e-37), (float32, 1e-5, 1e-6), (float64, 1e-10, 1e-12))

# What each is asked of beyond reals(): its own edges.
EDGES = {
    "exp": [709.5, -745.0, 87.0, -87.3, 11.0, -16.6], "exp2": [127.5, -149.0, 15.9, -24.0, 1023.5, 0.1],
    "expm1": [1e-5, -1e-5, 87.0, -20.0, 0.3, 11.0], "log": [1e-5, 1.0001, 100.0, 65504.0, 0.1, 7.0],
    "log2": [1e-5, 1.0001, 8.0, 1024.0, 0.1, 7.0], "log10": [1e-5, 1.0001, 1000.0, 10.0, 0.1, 7.0],
    "log1p": [1e-5, -1e-5, -0.999, 1000.0, 0.1, -1.5], "sin": [3.1416, 1.5708, -6.2832, 1000.0, 0.1, 100.5],
    "cos": [3.1416, 1.5708, -6.2832, 1000.0, 0.1, 100.5], "tan": [3.1416, 1.5, -6.2832, 1000.0, 0.1, 100.5],
    "asin": [0.99, -0.99, 0.1, -0.3, 1.5, -0.7], "acos": [0.99, -0.99, 0.1, -0.3, 1.5, -0.7],
    "atan": [1e4, -1e4, 0.1, -0.3, 1.5, -0.7], "acosh": [1.01, 1.5, 2.0, 100.0, 0.9, 1e4],
    "atanh": [0.99, -0.99, 0.1, -0.3, 1.5, -0.7], "sinh": [10.5, -10.5, 0.1, -0.3, 88.9, 1e-4],
    "cosh": [10.5, -10.5, 0.1, -0.3, 88.9, 1e-4], "tanh": [10.5, -10.5, 0.1, -0.3, 4.0, 1e-4],
    "asinh": [10.5, -10.5, 0.1, -0.3, 1e4, 1e-4], "erf": [0.1, -0.3, 2.0, -3.5, 4.0, 1e-4],
    "erfc": [0.1, -0.3, 2.0, -3.5, 4.0, 9.0], "erfinv": [0.1, -0.3, 0.9, -0.99, 0.9999, -1.5],
    "lgamma": [0.1, -0.3, 4.0, -2.5, 30.5, 1e-4], "digamma": [0.1, -0.3, 4.0, -2.5, 30.5, -10.25],
    "sqrt": [4.0, 1e-5, 1e4, 0.1, 9.0, 7.0], "rsqrt": [4.0, 1e-5, 1e4, 0.1, 9.0, 7.0],
    "round": [0.5, 1.5, 2.5, -0.5, -1.5, 4.501], "trunc": [0.5, 1.5, 2.9, -0.9, -1.5, 1e10],
    "floor": [0.5, 1.5, 2.9, -0.9, -1.5, 1e10], "ceil": [0.5, 1.5, 2.9, -0.9, -1.5, 1e10],
    "frac": [0.5, 1.25, 2.9, -0.9, -1.5, 1e10],
}
EXACT = ["neg", "abs", "sign", "sgn", "isposinf", "isneginf", "signbit", "floor", "ceil", "round", "trunc", "reciprocal", "square", "isnan", "isinf",
         "isfinite", "logical_not"]
PERIODIC = ["sin", "cos", "tan"]


def floats(f, name, dtype):
    numbers = reals(dtype)
    if name in PERIODIC:  # what is left of the greatest numbers after the period is all error
        numbers = [x for x in numbers if not 1e30 > abs(x) > 1e4 and abs(x) != torch.finfo(dtype).max]
    if name == "signbit":  # PyTorch's own NaNs differ in sign by dtype, and a text has none
        numbers = [x for x in numbers if x == x]
    if name in ("lgamma", "digamma"):  # poles: the sign of what comes there differs between libraries
        numbers = [x for x in numbers if x not in (0.0, -1.0) and abs(x) > 1e-30 and x != -inf and x != -100.0]
    f.case(shaped(numbers[:12], 3, 4, dtype=dtype))
    f.case(shaped(numbers[12:], 2, 3, 2, dtype=dtype))
    if name in EDGES:
        f.case(shaped(EDGES[name], 6, dtype=dtype))


def whole_numbers(name, dtype):
    bounds = (-128, 127) if name in ("square", "neg", "abs", "sign", "sgn", "isnan", "isinf", "isfinite") else (-7, 7)
    if name in ("lgamma", "digamma"):
        bounds = (1, 7)
    if name in ("neg", "abs", "sign", "sgn", "signbit", "logical_not", "floor", "ceil", "trunc", "round", "isfinite"):
        bounds = (-2 ** 63, 2 ** 63 - 1)
    return shaped(whole(dtype, *bounds), 6, dtype=dtype)


def family():
    f = Family("Functions of one element.", NEAR)
    names = ("neg abs sign sgn exp exp2 expm1 log log2 log10 log1p deg2rad rad2deg sqrt rsqrt square reciprocal sin cos tan asin acos atan "
             "sinh cosh tanh asinh acosh atanh erf erfc erfinv lgamma digamma floor ceil round trunc frac logical_not "
             "isnan isinf isposinf isneginf signbit isfinite").split()
    for name in names:
        directives = ["elementwise"]
        directives += ["exact"] if name in EXACT else []
        directives += ["signed zeros"] if name in ("neg", "abs", "sqrt", "floor", "ceil", "trunc", "round",
                                                   "reciprocal") else []
        f.op(f"aten::{name}", *directives, within=LOOSE if name in ("lgamma", "digamma", "erfinv", "erfc") else ())
        f.sweep([boolean] + INTEGERS, lambda d: whole_numbers(name, d))
        for dtype in FLOATS:
            floats(f, name, dtype)
        f.case(T(0.75))
        f.case(none(0))
        f.case(none(2, 0, 3, dtype=float64))
    f.op("aten::positive", "signed zeros")
    f.every(lambda d: shaped([0, 1, 3, 7], 2, 2, dtype=d))
    f.case(T([nan, -inf, -0.0]))
    f.case(none(2, 0, 3, dtype=float64))
    f.op("aten::round.decimals", "elementwise")
    for dtype in FLOATS:
        for decimals in (0, 1, 2, -1):
            f.case(T([1.249, -1.26, 14.9, 0.07, -27.3, 123.4], dtype), decimals=decimals)
    f.op("aten::bitwise_not", "elementwise")
    f.sweep([boolean] + INTEGERS, lambda d: shaped(whole(d, -2 ** 63, 2 ** 63 - 1), 6, dtype=d))
    f.error("dtype", T([1.5]))
    return f
