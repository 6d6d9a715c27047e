"""Activations and what limits a value."""
from values import *
from writer import Family

NEAR = ((float16, 2e-3, 1e-7), (bfloat16, 1.6e-2, 1e-7), (float32, 3e-6, 1e-7), (float64, 1e-13, 1e-15))


def numbers(dtype):
    big = 60000.0 if dtype == float16 else 1e5
    return T([[nan, inf, -inf, 0.0], [0.5, -0.5, 1.0, -1.0], [2.25, -3.7, 10.3, -20.5]], dtype), \
        T([[[88.5, -100.0], [1e-3, -1e-3]], [[3.0, -3.0], [6.0, 5.9]], [[20.5, -2.9], [big, -big]]], dtype)


def gradients(f):
    """Of a finite gradient: at infinities PyTorch multiplies zero by infinity in some dtypes only."""
    def pairs(dtype):
        for x in numbers(dtype):
            x = torch.nan_to_num(x, nan=nan, posinf=7.5, neginf=-7.5).clamp(-20, 20)
            yield shaped(some(dtype), *x.shape, dtype=dtype), x

    # PyTorch's 1 / 6 is a float; its gelu_backward cancels far below zero.
    precision = {"hardsigmoid_backward": ((float64, 3e-8, 1e-15),), "gelu_backward": ((float32, 1e-5, 1e-7),)}

    def every(name, *args, rules=(), bounded=False):
        """`bounded`: of a result from 0 to 1, or -1 to 1."""
        f.op(f"aten::{name}", "elementwise", *rules, within=precision.get(name, ()))
        f.every(lambda d: (T([1, 3, 1, 2], d), T([1, 3, 0, 2], d), *args))
        for dtype in FLOATS:
            for g, x in pairs(dtype):
                # Of a NaN, PyTorch's gradients of shrinks pass what is in a SIMD register.
                x = torch.nan_to_num(x, nan=0.5) if "shrink" in name else x
                f.case(g, x.clamp(-1, 1) if bounded else x, *args)
        if name != "gelu_backward":  # refused by oneDNN
            f.case(T([1.5, 2.5]), T([[1.0], [-0.5]]), *args)
            f.case(none(0, 3), none(0, 3), *args)
        f.error("shape", quarters(2), quarters(3), *args)

    every("tanh_backward", bounded=True)
    every("sigmoid_backward", bounded=True)
    for name in ("silu", "mish", "hardsigmoid", "hardswish", "gelu"):
        every(f"{name}_backward")
    for dtype in FLOATS:
        for g, x in pairs(dtype):
            f.case(g, x, approximate="tanh")
    f.error("value", T([1.5]), T([1.5]), approximate="sigmoid")
    every("softplus_backward", 2, 5)
    for dtype in FLOATS:
        for g, x in pairs(dtype):
            f.case(g, x, 1, 20)
    for args in ((0.2, False), (0, False), (0.5, True)):
        every("leaky_relu_backward", *args)
    f.error("value", T([1.5]), T([1.5]), -0.5, True)
    for name in ("hardshrink_backward", "softshrink_backward"):
        every(name, 0.5, rules=("exact",))
    f.op("aten::elu_backward", "elementwise")
    f.every(lambda d: (T([1, 3, 1, 2], d), 1, 1, 1, False, T([1, 3, 0, 2], d)))
    for args in ((1.5, 2.0, 0.5, False), (1, 1, 1, True), (0.5, 2, 0.25, True)):
        for dtype in FLOATS:
            for g, x in pairs(dtype):
                f.case(g, *args, x.clamp(-args[0] * args[1], 20) if args[3] else x)
    f.error("value", T([1.5]), -1, 1, 1, True, T([0.5]))
    f.op("aten::_prelu_kernel", "elementwise", "exact", "signed zeros")
    f.every(lambda d: (T([1, 3, 0, 2], d), T([1], d)))
    for dtype in FLOATS:
        f.case(T([nan, inf, -inf, 0.0, -0.0, 1.5, -2.5], dtype), T([0.25], dtype))
        f.case(shaped(some(dtype), 2, 3, dtype=dtype), T([[0.25, -1.0, 2.0]], dtype))
    f.error("shape", quarters(2), quarters(3))
    # PyTorch's rounds between operations in the 16-bit types.
    f.op("aten::glu_backward", within=((float16, 3e-2, 1e-7), (bfloat16, 8e-2, 1e-7)))
    f.every(lambda d: (T([[1], [3]], d), T([[1, 2], [0, 3]], d), 1))
    for dtype in FLOATS:
        x = shaped(some(dtype), 4, 3, dtype=dtype)
        f.case(shaped(some(dtype, 1), 2, 3, dtype=dtype), x, 0)
        f.case(shaped(some(dtype, 1), 2, 3, 2, dtype=dtype), shaped(some(dtype), 2, 3, 4, dtype=dtype), -1)
    f.error("shape", quarters(2, 2), quarters(2, 3), 1)
    f.error("shape", quarters(2, 2), quarters(2, 2), 1)


def family():
    f = Family("Activations and what limits a value.", NEAR)
    exact = ("relu", "hardtanh", "relu6")
    for name in "relu sigmoid silu gelu softplus elu leaky_relu hardtanh relu6 mish hardswish hardsigmoid log_sigmoid".split():
        # PyTorch's own gelu loses digits below zero, and gives NaN for infinity in some dtypes.
        f.op(f"aten::{name}", "elementwise", *(["exact"] if name in exact else []),
             within=((bfloat16, 1.6e-2, 1e-4), (float32, 3e-6, 1e-6)) if name == "gelu" else ())
        for dtype in FLOATS:
            for x in numbers(dtype):
                f.case(torch.nan_to_num(x, nan=nan, posinf=7.5, neginf=-7.5) if name == "gelu" else x)
        if name == "sigmoid":
            f.sweep([boolean] + INTEGERS, lambda d: T(some(d)[:6], d))
        if name in ("relu", "relu6", "hardtanh"):
            f.sweep([uint8, int8, int16, int32, int64], lambda d: shaped(whole(d), 7, dtype=d))
        f.case(T(-0.75))
        f.case(none(0, 3))
        variants = {"gelu": [{"approximate": "tanh"}],
                    "softplus": [{"beta": 2, "threshold": 5}, {"beta": 0.5}],
                    "elu": [{"alpha": 1.5, "scale": 2.0, "input_scale": 0.5}, {"alpha": 0.3}],
                    "leaky_relu": [{"negative_slope": 0.2}, {"negative_slope": -1.5}],
                    "hardtanh": [{"min_val": -0.5, "max_val": 2.5}]}
        for kwargs in variants.get(name, []):
            for dtype in FLOATS:
                for x in numbers(dtype):
                    f.case(torch.nan_to_num(x, nan=nan, posinf=7.5, neginf=-7.5) if name == "gelu" else x, **kwargs)
        if name == "gelu":
            f.error("value", T([1.5]), approximate="sigmoid")
    # The form of an error has an out of self's dtype; numbers made of bool would fit into this one.
    f.op("aten::hardtanh.out")
    f.error("dtype", T([True, False]), -1, 1, out=T([5, 5]))
    f.op("aten::threshold", "elementwise", "exact")
    f.every(lambda d: (shaped(some(d) if d.is_floating_point else whole(d), 7, dtype=d), 3, 9))
    for dtype in FLOATS:
        for x in numbers(dtype):
            f.case(x, 0.5, -2.5)
    for name in ("hardshrink", "softshrink"):
        f.op(f"aten::{name}", "elementwise")
        f.every(lambda d: shaped(some(d), 5, dtype=d))
        for dtype in FLOATS:
            for x in numbers(dtype):
                f.case(x)
                f.case(x, 1.0)
        f.case(T(-0.75))
        f.case(none(0, 3))
    f.error("value", T([1.5]), -0.5)
    f.op("aten::prelu", "signed zeros")
    f.every(lambda d: (shaped(some(d), 2, 3, dtype=d), shaped(some(d, 1), 3, dtype=d)))
    for dtype in FLOATS:
        f.case(shaped(some(dtype), 2, 3, 2, dtype=dtype), T([0.25, -1.0, 2.0], dtype))
        f.case(shaped(some(dtype), 4, dtype=dtype), T([0.25], dtype))
    f.case(T(-1.5), T([0.25]))
    f.case(quarters(2, 3), T(0.25))
    f.error("shape", quarters(2, 3), T([0.25, 0.5]))
    f.error("dtype", quarters(2, 3), T([0.25], float64))
    f.op("aten::glu")
    f.every(lambda d: shaped(some(d), 2, 4, dtype=d))
    for dtype in FLOATS:
        f.case(shaped(some(dtype), 4, 2, dtype=dtype), 0)
    f.error("shape", quarters(2, 3))
    f.error("shape", T(1.5))
    gradients(f)
    f.op("aten::logit", "elementwise")
    for dtype in FLOATS:
        f.case(T([0.5, 0.1, 0.9, 0.999, 0.01, 0.0, 1.0, nan, -0.5, 1.5], dtype))
        f.case(T([0.5, 0.1, 0.9, 0.999, 0.01, 0.0, 1.0, nan, -0.5, 1.5], dtype), 0.0625)
    f.op("aten::nan_to_num", "elementwise", "exact", "signed zeros")
    for dtype in FLOATS:
        f.case(T([nan, inf, -inf, 1.5, -0.0, 0.0], dtype))
        f.case(T([[nan, inf], [-inf, 1.5]], dtype), 2.0, 100.0, -200.0)
        f.case(T([[nan, inf], [-inf, 1.5]], dtype), posinf=5.0)
    f.sweep([boolean] + INTEGERS, lambda d: T(some(d)[:4], d))
    f.op("aten::clamp", "elementwise", "exact")
    for dtype in INTEGERS:
        x = shaped(whole(dtype), 7, dtype=dtype)
        for limits in ((1, 5), (None, 3), (2, None), (5, 1)):
            f.case(x, *limits)
        f.case(x, -1 if dtype != uint8 else 1, 2.5)
    for dtype in FLOATS:
        x = T([nan, inf, -inf, 1.5, -0.75, 3.0, 2.5], dtype)
        for limits in ((-1, 2), (-0.5, None), (None, 2.5), (2, -1), (nan, 1.0), (-inf, inf)):
            f.case(x, *limits)
    f.error("value", T([1.5]))
    f.op("aten::clamp.Tensor", "elementwise", "exact")
    f.sweep(INTEGERS + FLOATS, lambda d: (shaped(some(d), 2, 3, dtype=d), T([1, 2, 3], d), T([[4], [3]], d)))
    f.case(T([nan, 1.0, 2.0, -1.0]), T([0.0, nan, 0.5, 0.0]), T([1.0, 1.0, nan, 1.0]))
    f.case(T([1, 5, 9], int32), T([2.5, 2.5, 2.5]), None)
    f.case(T([1, 5, 9], int32), None, T([6, 6, 6], int16))
    f.error("shape", T([1.5, 2.0]), T([1.0, 2.0, 3.0]), None)
    for name, other in (("clamp_min", "clamp_min.Tensor"), ("clamp_max", "clamp_max.Tensor")):
        f.op(f"aten::{name}", "elementwise", "exact")
        f.sweep(INTEGERS, lambda d: (shaped(whole(d), 7, dtype=d), 3))
        f.case(T([1, 5, 9], int32), 2.5)
        for dtype in FLOATS:
            f.case(T([nan, inf, -inf, 1.5, -0.75, 3.0], dtype), 1)
            f.case(T([nan, inf, -inf, 1.5, -0.75, 3.0], dtype), -0.5)
        f.op(f"aten::{other}", "elementwise", "exact")
        f.sweep(INTEGERS + FLOATS, lambda d: (shaped(some(d), 2, 3, dtype=d), T([1, 2, 3], d)))
        f.case(T([nan, 1.0, 2.0]), T([[0.0], [nan]]))
        f.case(T([1, 5, 9], uint8), T([2.5, 2.5, 12.5], float16))
    for name, variants in (("celu", [{"alpha": 0.5}, {"alpha": -2.0}]), ("selu", [])):
        f.op(f"aten::{name}", "elementwise")
        for dtype in FLOATS:
            for x in numbers(dtype):
                f.case(x)
                for kwargs in variants:
                    f.case(x, **kwargs)
        f.every(lambda d: T([1, 0, 1], d))
        f.case(T(-0.75))
        f.case(none(0, 3))
    f.op("aten::celu")
    f.error("value", T([1.5]), 0)
    f.op("aten::threshold_backward", "elementwise", "exact")
    f.every(lambda d: (T([1, 3, 1, 2], d), T([1, 3, 0, 2], d), 1))
    f.case(T([1.0, 2.0, nan, 4.0]), T([nan, inf, 2.0, -inf]), 0.5)
    f.case(T([1.5, 2.5]), T([[1.0], [0.0]]), 0)
    f.error("shape", quarters(2), quarters(3), 0)
    return f
