"""One small call of every dtype, for operators whose other cases leave some out. Every number of them is in every dtype."""
from values import *
from writer import Family

NEAR = ((float16, 4e-3, 2e-3), (bfloat16, 3e-2, 2e-2), (float32, 5e-6, 2e-6), (float64, 1e-12, 1e-13))


def few(dtype, *sizes, seed=0):
    return shaped(([1, 0, 2, 3, 1, 2] if dtype != boolean else [1, 0, 0, 1, 1, 1])[seed:] + [1], *sizes, dtype=dtype)


def ones(dtype, *sizes):
    return shaped([1], *sizes, dtype=dtype)


def elementwise(f):
    for name in ("abs ceil floor round trunc frac elu gelu hardsigmoid hardswish hardtanh leaky_relu log_sigmoid logit "
                 "mish relu relu6 silu softplus").split():
        f.op(f"aten::{name}", "elementwise")
        f.every(lambda d: few(d, 5) if name != "gelu" else ones(d, 5), wider=AS_NUMBER if name == "abs" else None)
    f.op("aten::bitwise_not", "elementwise")
    f.every(lambda d: few(d, 5))
    f.op("aten::round.decimals", "elementwise")
    f.every(lambda d: few(d, 5), wider={d: float64 for d in INTEGERS}, decimals=1)
    for name in ("addcdiv", "addcmul", "clamp.Tensor"):
        f.op(f"aten::{name}", "elementwise")
        f.every(lambda d: (few(d, 5), ones(d, 5), ones(d, 5)), wider=AS_NUMBER if name == "clamp.Tensor" else None)
    for name in ("hypot", "logaddexp"):
        f.op(f"aten::{name}", "elementwise")
        f.every(lambda d: (few(d, 5), ones(d, 5)), wider={d: float32 for d in ALL[:6]}, back=False)
    for name in ("floor_divide remainder.Tensor fmod.Tensor heaviside pow.Tensor_Tensor rsub.Tensor "
                 "clamp_min.Tensor clamp_max.Tensor bitwise_and.Tensor bitwise_or.Tensor bitwise_xor.Tensor "
                 "bitwise_left_shift.Tensor bitwise_right_shift.Tensor").split():
        f.op(f"aten::{name}", "elementwise")
        f.every(lambda d: (few(d, 5), ones(d, 5)))
    for name in ("floor_divide.Scalar remainder.Scalar fmod.Scalar pow.Tensor_Scalar rsub.Scalar sub.Scalar clamp_min "
                 "clamp_max bitwise_and.Scalar bitwise_or.Scalar bitwise_xor.Scalar bitwise_left_shift.Tensor_Scalar "
                 "bitwise_right_shift.Tensor_Scalar").split():
        f.op(f"aten::{name}", "elementwise")
        f.every(lambda d: (few(d, 5), 2), wider={boolean: int64} if "sub." in name else None, back=False)
    f.op("aten::clamp", "elementwise")
    f.every(lambda d: (few(d, 5), 1, 2))
    for name in ("pow.Scalar", "remainder.Scalar_Tensor"):
        f.op(f"aten::{name}", "elementwise")
        f.every(lambda d: (2, ones(d, 5)))
    for mode in ("Tensor_mode", "Scalar_mode"):
        f.op(f"aten::div.{mode}", "elementwise")
        for rounding in ("floor", "trunc", None):
            f.every(lambda d: (few(d, 5), ones(d, 5) if mode == "Tensor_mode" else 2), rounding_mode=rounding)
    f.op("aten::lerp.Scalar", "elementwise")
    f.every(lambda d: (few(d, 5), ones(d, 5), 0.5))
    f.op("aten::lerp.Tensor", "elementwise")
    f.every(lambda d: (few(d, 5), ones(d, 5), ones(d, 5)))
    f.op("aten::allclose", "meta raises")
    f.every(lambda d: (few(d, 5), few(d, 5)))
    f.op("aten::where.self", "elementwise")
    f.every(lambda d: (few(d, 5), ones(float32, 5), ones(float32, 1)))
    f.op("aten::where", "meta raises")
    f.every(lambda d: few(d, 5))
    for name in ("ScalarOther", "ScalarSelf", "Scalar"):
        f.op(f"aten::where.{name}", "elementwise")
        a, b = (1 if "Self" in name or name == "Scalar" else ones(float32, 5)), (ones(float32, 5) if "Self" in name else 1)
        f.every(lambda d: (few(d, 5), a, b))


def reductions(f):
    for name in ("argmax", "argmin", "argsort", "sort", "median"):
        f.op(f"aten::{name}")
        f.every(lambda d: T([1, 0], d), wider=AS_NUMBER)
    f.op("aten::argsort.stable")
    f.every(lambda d: few(d, 5), stable=True)
    f.op("aten::median.dim")
    f.every(lambda d: (T([[1, 0], [0, 1]], d), 1), wider=AS_NUMBER)
    f.op("aten::topk")
    f.every(lambda d: (T([1, 0], d), 1), wider=AS_NUMBER)
    for name in ("mean", "std", "var", "var_mean"):
        f.op(f"aten::{name}")
        f.every(lambda d: few(d, 2, 3))
    for name in ("mean.dim", "std.dim", "var.dim", "logsumexp"):
        f.op(f"aten::{name}")
        f.every(lambda d: (few(d, 2, 3), [1]))
    for name in ("std", "var", "var_mean"):
        f.op(f"aten::{name}.correction")
        f.every(lambda d: (few(d, 2, 3), [1]), correction=1)
    f.op("aten::norm.Scalar")
    f.every(lambda d: (few(d, 2, 3), 2))
    f.op("aten::norm.ScalarOpt_dim")
    f.every(lambda d: (few(d, 2, 3), 2, [1]))
    f.op("aten::linalg_vector_norm")
    f.every(lambda d: few(d, 2, 3))
    for name in ("softmax", "log_softmax"):
        f.op(f"aten::{name}.int")
        f.every(lambda d: (few(d, 2, 3), 1))
        f.op(f"aten::_{name}")
        f.every(lambda d: (few(d, 2, 3), 1, False))


def products(f):
    for name, *shapes in (("mm", (2, 3), (3, 2)), ("bmm", (2, 2, 3), (2, 3, 2)), ("matmul", (2, 2, 3), (3, 2)),
                          ("addmm", (2, 2), (2, 3), (3, 2)), ("_addmm_activation", (2, 2), (2, 3), (3, 2)),
                          ("baddbmm", (2, 2, 2), (2, 2, 3), (2, 3, 2)),
                          ("addmv", (2,), (2, 3), (3,)), ("mv", (2, 3), (3,)), ("dot", (4,), (4,)),
                          ("linear", (2, 3), (4, 3), (4,))):
        f.op(f"aten::{name}")
        f.every(lambda d: tuple(few(d, *s, seed=i) for i, s in enumerate(shapes)))
    f.op("aten::trace")
    f.every(lambda d: few(d, 2, 3), wider=AS_NUMBER)
    f.op("aten::tensordot")
    f.every(lambda d: (few(d, 2, 3), few(d, 3, 2), [1], [0]))
    f.op("aten::einsum")
    f.every(lambda d: ("ij,kj->ik", [few(d, 2, 3), few(d, 2, 3, seed=1)]))
    f.op("aten::conv1d")
    f.every(lambda d: (few(d, 2, 2, 5), few(d, 3, 2, 3, seed=1), few(d, 3)))
    f.op("aten::conv2d")
    f.every(lambda d: (few(d, 1, 2, 4, 4), few(d, 2, 2, 3, 3, seed=1), few(d, 2)))
    f.op("aten::scaled_dot_product_attention")
    f.every(lambda d: (few(d, 1, 2, 3), few(d, 1, 2, 3), few(d, 1, 2, 3)))
    f.op("aten::avg_pool2d")
    f.every(lambda d: (few(d, 1, 4, 4), [2, 2]), but=[int64])
    for name in ("max_pool2d", "max_pool2d_with_indices"):
        f.op(f"aten::{name}")
        f.every(lambda d: (T([[[1, 0]]], d), [1, 2]))


def layers(f):
    f.op("aten::layer_norm")
    f.every(lambda d: (few(d, 2, 4), [4]))
    f.op("aten::native_layer_norm")
    f.every(lambda d: (few(d, 2, 4), [4], None, None, 1e-5))
    f.op("aten::rms_norm")
    f.every(lambda d: (few(d, 2, 4), [4], None, 1e-5))
    f.op("aten::group_norm")
    f.every(lambda d: (few(d, 2, 4, 3), 2))
    f.op("aten::batch_norm")
    f.every(lambda d: (few(d, 2, 3), None, None, few(d, 3), ones(d, 3), False, 0.1, 1e-5, False))
    f.op("aten::native_batch_norm")
    f.every(lambda d: (few(d, 2, 3), None, None, few(d, 3), ones(d, 3), False, 0.1, 1e-5))
    for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy",
                 "binary_cross_entropy_with_logits"):
        f.op(f"aten::{name}")
        f.every(lambda d: (T([1, 0, 1, 0], d), ones(d, 4)))
    for name in ("nll_loss", "cross_entropy_loss"):
        f.op(f"aten::{name}")
        f.every(lambda d: (few(d, 2, 3), T([2, 0])))


def indices(f):
    f.op("aten::embedding")
    f.every(lambda d: (few(d, 3, 2), T([2, 0])))
    f.op("aten::bincount", "meta raises")
    f.every(lambda d: ones(d, 3))
    f.op("aten::one_hot")
    f.every(lambda d: (ones(d, 3), 2))
    f.op("aten::searchsorted.Tensor")
    f.every(lambda d: (T([0, 1], d), T([1], d)), wider=AS_NUMBER)
    f.op("aten::searchsorted.Scalar")
    f.every(lambda d: (T([0, 1], d), 1))


def factories(f):
    for name, *args in (("arange", 1), ("arange.start", 0, 1), ("arange.start_step", 0, 1, 1), ("eye.m", 2, 3),
                        ("range", 0, 1), ("range.step", 0, 1, 1), ("linspace", 0, 1, 2), ("logspace", 0, 1, 2),
                        ("tril_indices", 2, 2), ("triu_indices", 2, 2)):
        f.op(f"aten::{name}")
        f.every_option(*args, wider={d: int64 for d in ALL[1:]} if "indices" in name else {})


def family():
    f = Family("One small call of every dtype.", NEAR)
    elementwise(f)
    reductions(f)
    products(f)
    layers(f)
    indices(f)
    factories(f)
    return f
