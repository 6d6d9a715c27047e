"""Normalisation and attention."""
from values import *
from writer import Family

NEAR = ((float16, 4e-3, 2e-3), (bfloat16, 3e-2, 2e-2), (float32, 5e-6, 2e-6), (float64, 1e-12, 1e-13))


def layers(f):
    f.op("aten::layer_norm")
    f.sweep(FLOATS, lambda d: (quarters(2, 4, dtype=d), [4]))
    f.sweep(FLOATS, lambda d: (quarters(2, 4, dtype=d), [4], quarters(4, dtype=d, seed=2), quarters(4, dtype=d, seed=3)))
    f.case(quarters(2, 2, 3), [2, 3], quarters(2, 3, seed=2), quarters(2, 3, seed=3))
    f.case(quarters(2, 3), [3], quarters(3, seed=2))
    f.case(quarters(2, 3), [3], None, quarters(3, seed=2))
    f.case(quarters(2, 3), [3], eps=0.5)
    f.case(quarters(3, 37), [37])
    f.case(quarters(2, 130), [130])
    f.case(quarters(3, 37) + 10.0, [37])
    f.case(T([[nan, 1.0], [inf, 1.0], [2.0, 2.0]]), [2])
    f.case(none(0, 3), [3])
    f.error("shape", quarters(2, 3), [2])
    f.error("shape", quarters(2, 3), [2, 3, 1])
    f.error("shape", quarters(2, 3), [])
    f.error("shape", quarters(2, 3), [3], quarters(2))
    f.op("aten::native_layer_norm")
    f.sweep([float32, float64], lambda d: (quarters(2, 4, dtype=d), [4], None, None, 1e-5))
    f.case(quarters(2, 2, 3), [2, 3], quarters(2, 3, seed=2), quarters(2, 3, seed=3), 0.25)
    f.case(quarters(3, 37), [37], quarters(37, seed=2), None, 1e-5)
    f.case(none(0, 3), [3], None, None, 1e-5)
    f.error("shape", quarters(2, 3), [2], None, None, 1e-5)
    f.op("aten::native_layer_norm_backward")
    f.every(lambda d: (quarters(2, 4, dtype=d), quarters(2, 4, dtype=d, seed=2), [4], T([[0.5], [-0.25]]).to(d),
                       T([[1.5], [0.75]]).to(d), quarters(4, dtype=d, seed=3), quarters(4, dtype=d, seed=4), [True] * 3))
    f.case(quarters(2, 2, 3), quarters(2, 2, 3, seed=2), [2, 3], T([[[0.5]], [[-0.25]]]), T([[[1.5]], [[0.75]]]),
           quarters(2, 3, seed=3), quarters(2, 3, seed=4), [True, True, True])
    f.case(quarters(3, 37), quarters(3, 37, seed=2), [37], T([[0.5], [-0.25], [0.0]]), T([[1.5], [0.75], [1.0]]),
           quarters(37, seed=3), quarters(37, seed=4), [True, True, True])
    f.error("shape", quarters(2, 4), quarters(2, 4), [3], T([[0.5], [0.5]]), T([[0.5], [0.5]]), None, None,
            [True, True, True])
    f.op("aten::rms_norm")
    f.sweep(FLOATS, lambda d: (quarters(2, 4, dtype=d), [4]))
    f.sweep(FLOATS, lambda d: (quarters(2, 4, dtype=d), [4], quarters(4, dtype=d, seed=2), 1e-3))
    f.case(quarters(2, 2, 3), [2, 3], quarters(2, 3, seed=2))
    f.case(quarters(3, 37), [37], quarters(37, seed=2))
    f.case(none(0, 3), [3])
    f.error("shape", quarters(2, 3), [2])
    f.error("shape", quarters(2, 3), [3], quarters(2))
    f.op("aten::group_norm")
    f.sweep(FLOATS, lambda d: (quarters(2, 4, 3, dtype=d), 2))
    f.sweep(FLOATS, lambda d: (quarters(2, 4, 2, dtype=d), 2, quarters(4, dtype=d, seed=2), quarters(4, dtype=d, seed=3)))
    f.case(quarters(1, 4, 2, 2), 4)
    f.case(quarters(1, 4, 2, 2), 1, quarters(4, seed=2), None, 0.5)
    f.case(quarters(2, 4), 2)
    f.error("value", quarters(2, 4, 3), 3)
    f.error("value", quarters(2, 4, 3), 0)
    f.error("shape", quarters(2, 4, 3), 2, quarters(3))


def batches(f):
    mean, variance = T([0.5, -1.0, 2.0]), T([1.0, 4.0, 0.25])
    weight, bias = quarters(3, seed=2), quarters(3, seed=3)

    def typed(d, *tensors):
        return tuple(t.to(d) for t in tensors)
    for name, last in (("batch_norm", (False,)), ("native_batch_norm", ())):
        f.op(f"aten::{name}")
        for training in (False, True):
            # In training the running numbers would be written, which a case cannot say.
            running = (None, None) if training else (mean, variance)
            for sizes in ((4, 3), (2, 3, 4), (2, 3, 2, 2)):
                f.case(quarters(*sizes), weight, bias, *running, training, 0.1, 1e-5, *last)
            f.case(quarters(2, 3, 2), None, None, *running, training, 0.1, 0.5, *last)
            f.case(quarters(2, 3, 2), weight, None, *running, training, 0.1, 1e-5, *last)
            f.case(quarters(2, 3, 37), weight, bias, *running, training, 0.1, 1e-5, *last)
            for d in (float64, float16, bfloat16):
                if d == float64 or not training:
                    f.case(quarters(2, 3, 2, dtype=d), *typed(d, weight, bias),
                           *(running if training else typed(d, *running)), training, 0.1, 1e-5, *last)
        if name == "batch_norm":
            f.error("shape", quarters(2, 3, 2), quarters(2), bias, mean, variance, False, 0.1, 1e-5, *last)
            f.error("shape", quarters(2, 3, 2), weight, bias, quarters(4), variance, False, 0.1, 1e-5, *last)
            f.error("value", quarters(2, 3, 2), weight, bias, None, None, False, 0.1, 1e-5, *last)


def instances(f):
    f.op("aten::instance_norm")
    mean, variance = T([0.5, -1.0, 2.0]), T([1.0, 4.0, 0.25])
    weight, bias = quarters(3, seed=2), quarters(3, seed=3)
    for sizes in ((2, 3, 4), (2, 3, 2, 2)):
        f.case(quarters(*sizes), weight, bias, None, None, True, 0.1, 1e-5, False)
        f.case(quarters(*sizes), weight, bias, mean, variance, False, 0.1, 1e-5, False)
    f.every(lambda d: (quarters(2, 3, 4, dtype=d), None, None, None, None, True, 0.1, 0.5, False))
    f.error("shape", quarters(2, 3, 2), quarters(2), bias, None, None, True, 0.1, 1e-5, False)


def attention(f):
    f.op("aten::scaled_dot_product_attention")

    def three(d, *sizes, keys=None):
        other = sizes[:-2] + ((keys or sizes[-2]), sizes[-1])
        return quarters(*sizes, dtype=d), quarters(*other, dtype=d, seed=2), quarters(*other, dtype=d, seed=3)
    f.sweep(FLOATS, lambda d: three(d, 1, 2, 3, 4))
    f.sweep(FLOATS, lambda d: (*three(d, 1, 1, 3, 4), None, 0.0, True))
    f.case(*three(float32, 1, 2, 3, 4, keys=5))
    f.case(*three(float32, 2, 3, 4))
    f.case(*three(float32, 3, 4))
    mask = T([[True, False, True], [True, True, True], [False, False, True]])
    f.case(*three(float32, 1, 1, 3, 4), mask)
    f.case(*three(float32, 1, 2, 3, 4), quarters(3, 3, seed=4))
    f.case(*three(float32, 1, 2, 3, 4), quarters(1, 2, 3, 3, seed=4))
    f.case(*three(float32, 1, 1, 3, 4), scale=0.25)
    f.case(*three(float32, 1, 1, 9, 17, keys=21))
    q, k, v = three(float32, 1, 1, 3, 4)
    f.case(q, k, quarters(1, 1, 3, 2, seed=3))
    f.error("shape", q, quarters(1, 1, 3, 5), v)
    f.error("shape", quarters(4), quarters(4), quarters(4))
    f.error("dtype", q, k.double(), v)
    f.error("value", q, k, v, mask, 0.0, True)


def family():
    f = Family("Normalisation and attention.", NEAR)
    layers(f)
    batches(f)
    instances(f)
    attention(f)
    return f
