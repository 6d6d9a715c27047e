"""Convolution and pooling."""
from values import *
from writer import Family

NEAR = ((float16, 4e-3, 1e-2), (bfloat16, 3e-2, 1e-1), (float32, 2e-6, 2e-6), (float64, 1e-13, 1e-13))
AS_DOUBLE = {d: float64 for d in INTEGERS}


def convolution(f):
    f.op("aten::conv1d")

    def one(d, x=(2, 2, 5), w=(3, 2, 3), b=True):
        return quarters(*x, dtype=d), quarters(*w, dtype=d, seed=2), quarters(w[0], dtype=d, seed=3) if b else None
    f.sweep(FLOATS, one)
    for kwargs in ({"stride": 2}, {"padding": 1}, {"dilation": 2}, {"stride": 2, "padding": 2}):
        f.case(*one(float32, b=False), **{k: [v] for k, v in kwargs.items()})
    f.case(*one(float32, (1, 4, 5), (6, 2, 3)), groups=2)
    f.case(*one(float32, (2, 5), (3, 2, 3)))
    f.case(*one(float32, (0, 2, 5)))
    f.error("shape", *one(float32, (2, 3, 5)))
    f.error("shape", *one(float32, (1, 2, 2)))
    f.error("value", *one(float32), groups=3)
    f.error("value", *one(float32), stride=[0])
    f.op("aten::conv2d")

    def two(d, x=(1, 2, 4, 4), w=(2, 2, 3, 3), b=True):
        return one(d, x, w, b)
    f.sweep(FLOATS, two)
    for kwargs in ({"stride": [2, 2]}, {"padding": [1, 1]}, {"dilation": [1, 2], "padding": [0, 2]},
                   {"stride": [2, 1], "padding": [1, 0]}):
        f.case(*two(float32, b=False), **kwargs)
    f.case(*two(float32, (1, 4, 3, 3), (4, 1, 2, 2)), groups=4)
    f.case(*two(float32, (1, 4, 3, 3), (2, 2, 2, 3)), groups=2)
    f.case(*two(float32, (2, 1, 3, 5), (1, 1, 1, 1)))
    f.case(*two(float32, (2, 3, 3), (1, 2, 2, 2)))
    f.case(*two(float32, (1, 3, 9, 11), (5, 3, 3, 3)), padding=[1, 1])
    f.case(*two(float32, (0, 2, 4, 4)))
    f.error("shape", *two(float32, (1, 3, 4, 4)))
    f.error("shape", *two(float32, (1, 2, 2, 2)))
    f.error("shape", quarters(1, 2, 4, 4), quarters(2, 2, 3, 3), quarters(3))
    f.error("shape", quarters(4, 4), quarters(2, 2, 3, 3))
    f.error("dtype", quarters(1, 2, 4, 4), quarters(2, 2, 3, 3, dtype=float64))
    f.error("value", *two(float32), stride=[1, 0])
    f.error("value", *two(float32), padding=[-1, 0])


def transposed(f):
    def three(d, x, w, outputs, b=True):
        return quarters(*x, dtype=d), quarters(*w, dtype=d, seed=2), quarters(outputs, dtype=d, seed=3) if b else None
    f.op("aten::conv_transpose1d")
    f.every(lambda d: three(d, (2, 2, 5), (2, 3, 3), 3), wider=AS_DOUBLE)
    for kwargs in ({"stride": [2]}, {"padding": [1]}, {"dilation": [2]}, {"stride": [2], "padding": [2]},
                   {"stride": [3], "output_padding": [2]}):
        f.case(*three(float32, (2, 2, 5), (2, 3, 3), 3), **kwargs)
    f.case(*three(float32, (1, 4, 5), (4, 3, 3), 6), groups=2)
    f.case(*three(float32, (2, 5), (2, 3, 3), 3, False))
    f.error("shape", *three(float32, (2, 3, 5), (2, 3, 3), 3))
    f.error("shape", *three(float32, (2, 2, 5), (2, 3, 3), 4))
    f.error("shape", *three(float32, (2, 2, 5), (2, 3, 3), 3), output_padding=[1])
    f.op("aten::conv_transpose2d.input")
    f.every(lambda d: three(d, (1, 2, 3, 4), (2, 2, 2, 3), 2), wider=AS_DOUBLE)
    for kwargs in ({"stride": [2, 2]}, {"padding": [1, 0]}, {"dilation": [1, 2], "padding": [0, 2]},
                   {"stride": [2, 3], "padding": [1, 0], "output_padding": [1, 2]}):
        f.case(*three(float32, (1, 2, 3, 4), (2, 2, 2, 3), 2), **kwargs)
    f.case(*three(float32, (1, 4, 3, 3), (4, 1, 2, 2), 4), groups=4)
    f.case(*three(float32, (2, 3, 3), (2, 1, 2, 2), 1))
    f.error("dtype", quarters(1, 2, 4, 4), quarters(2, 2, 3, 3, dtype=float64))
    f.op("aten::conv_transpose3d.input")
    f.every(lambda d: three(d, (1, 2, 2, 3, 2), (2, 1, 2, 1, 2), 1), wider=AS_DOUBLE)
    f.case(*three(float32, (1, 2, 2, 3, 2), (2, 1, 2, 1, 2), 1), stride=[2, 1, 2], padding=[0, 0, 1])
    f.op("aten::conv3d.padding")
    f.every(lambda d: (*three(d, (1, 2, 2, 3, 2), (2, 2, 1, 2, 1), 2), [1, 1, 1], "valid"))
    for padding in ("valid", "same"):
        f.case(*three(float32, (1, 2, 3, 4, 3), (2, 2, 2, 3, 1), 2), [1, 1, 1], padding)
    f.op("aten::convolution")
    f.case(*three(float32, (1, 2, 3, 4), (2, 2, 2, 3), 2), [2, 1], [1, 0], [1, 1], True, [1, 0], 1)


def rows(f):
    for name in ("max_pool1d", "max_pool1d_with_indices"):
        f.op(f"aten::{name}", "exact")
        f.every(lambda d: (permuted(1, 2, 6, dtype=d), [2]), wider=AS_DOUBLE)
        for args in (([3], [1], [1]), ([2], [2], [0], [2]), ([2], [2], [1], [1], True)):
            f.case(permuted(2, 2, 7), *args)
        f.case(permuted(2, 6), [3])
        f.error("shape", permuted(6), [2])
        f.error("shape", permuted(1, 6), [7])
    f.op("aten::avg_pool1d")
    f.every(lambda d: (quarters(1, 2, 6, dtype=d), [2]), but=[int64])
    for args in (([3], [1], [1]), ([2], [2], [1], True), ([2], [2], [1], False, False)):
        f.case(quarters(2, 2, 7), *args)
    f.case(quarters(2, 6), [3])
    f.error("shape", quarters(6), [2])
    f.op("aten::adaptive_avg_pool1d")
    f.every(lambda d: (quarters(1, 2, 6, dtype=d), [4]))
    f.case(quarters(2, 6), [1])
    f.op("aten::pixel_shuffle", "exact")
    f.sweep(ALL, lambda d: (shaped(some(d), 1, 4, 2, 3, dtype=d), 2))
    f.case(quarters(9, 1, 2), 3)
    f.case(quarters(2, 2, 4, 2, 1), 2)
    f.error("shape", quarters(1, 3, 2, 2), 2)
    f.error("shape", quarters(4, 2), 2)
    f.error("value", quarters(1, 4, 2, 2), 0)
    f.op("aten::pixel_unshuffle", "exact")
    f.sweep(ALL, lambda d: (shaped(some(d), 1, 1, 4, 6, dtype=d), 2))
    f.case(quarters(2, 3, 3), 3)
    f.error("shape", quarters(1, 1, 3, 4), 2)
    f.op("aten::channel_shuffle", "exact")
    f.every(lambda d: (shaped(some(d), 1, 6, 2, 1, dtype=d), 3))
    f.case(quarters(2, 4, 3), 2)
    f.error("value", quarters(1, 4, 2, 2), 3)
    f.op("aten::upsample_nearest2d", "exact")
    f.every(lambda d: (shaped(some(d), 1, 2, 2, 3, dtype=d), [4, 6]), wider={**AS_NUMBER, **AS_DOUBLE})
    for size in ([3, 3], [5, 7], [1, 1], [2, 4]):
        f.case(permuted(1, 1, 3, 4), size)
    f.case(permuted(1, 1, 3, 4), [6, 10], 2.0, 2.5)
    f.error("shape", permuted(3, 4), [2, 2])
    f.error("value", permuted(1, 1, 3, 4), [0, 2])


def pooling(f):
    kinds = [([2, 2],), ([2, 2], [1, 1]), ([3, 2], [2, 1], [1, 1]), ([3, 3], [2, 2], [1, 0])]
    for name in ("max_pool2d", "max_pool2d_with_indices"):
        f.op(f"aten::{name}", "exact")
        f.sweep(INTEGERS + FLOATS, lambda d: (permuted(1, 1, 4, 4, dtype=d), [2, 2]))
        for args in kinds + [([2, 2], [1, 1], [0, 0], [2, 2]), ([2, 2], [2, 2], [0, 0], [1, 1], True)]:
            f.case(permuted(1, 2, 5, 4), *args)
        f.case(permuted(2, 3, 3), [2, 2])
        f.case(T([[[[nan, 1.0], [2.0, 3.0]]]]), [2, 2])
        f.case(T([[[[-inf, -inf], [-inf, -inf]]]]), [2, 2])
        f.case(permuted(1, 1, 7, 9), [3, 3], [1, 1], [1, 1])
        f.case(none(0, 1, 4, 4), [2, 2])
        f.error("value", permuted(1, 1, 4, 4), [2, 2], [1, 1], [2, 2])
        f.error("value", permuted(1, 1, 4, 4), [0, 2])
        f.error("shape", permuted(4, 4), [2, 2])
        f.error("shape", permuted(1, 1, 2, 2), [3, 3])
    f.op("aten::avg_pool2d")
    f.sweep(FLOATS, lambda d: (quarters(1, 1, 4, 4, dtype=d), [2, 2]))
    for args in kinds + [([2, 2], [2, 2], [1, 1], True), ([2, 2], [2, 2], [1, 1], False, False),
                         ([2, 2], [2, 2], [0, 0], False, True, 3)]:
        f.case(quarters(1, 2, 5, 4), *args)
    f.case(quarters(2, 3, 3), [2, 2])
    f.case(quarters(1, 1, 7, 9), [3, 3], [1, 1], [1, 1])
    f.case(none(0, 1, 4, 4), [2, 2])
    f.error("value", quarters(1, 1, 4, 4), [2, 2], [1, 1], [2, 2])
    f.error("value", quarters(1, 1, 4, 4), [2, 2], [2, 2], [0, 0], False, True, 0)
    f.error("shape", quarters(4, 4), [2, 2])
    f.error("shape", quarters(1, 1, 2, 2), [3, 3])


def general(f):
    """Convolutions of other ranks, with words for padding; their gradients."""
    def three(d, x, w, b=True):
        return quarters(*x, dtype=d), quarters(*w, dtype=d, seed=2), quarters(w[0], dtype=d, seed=3) if b else None
    for name, x, w in (("conv1d.padding", (2, 2, 5), (3, 2, 3)), ("conv2d.padding", (1, 2, 4, 4), (2, 2, 3, 2))):
        f.op(f"aten::{name}")
        f.every(lambda d: three(d, x, w))
        f.case(*three(float32, x, w), padding="same")
        f.case(*three(float32, x, w, False), padding="same", dilation=[2])
        f.error("value", *three(float32, x, w), padding="full")
        f.error("value", *three(float32, x, w), padding="same", stride=[2])
    f.op("aten::conv3d")
    x, w = (1, 2, 3, 3, 4), (2, 2, 2, 2, 3)
    f.every(lambda d: three(d, x, w))
    for kwargs in ({"stride": [2, 1, 1]}, {"padding": [1, 0, 1]}, {"dilation": [1, 2, 1]}):
        f.case(*three(float32, x, w, False), **kwargs)
    f.case(*three(float32, (2, 3, 3, 4), w))
    f.error("shape", *three(float32, (1, 3, 3, 3, 4), w))
    f.op("aten::convolution")
    plain = ([1], [0], [1], False, [0], 1)
    f.every(lambda d: (*three(d, (2, 2, 5), (3, 2, 3)), *plain))
    f.error("shape", quarters(2, 3, 5), quarters(3, 2, 3), None, *plain)
    f.error("value", quarters(2, 2, 5), quarters(3, 2, 3), None, [0], [0], [1], False, [0], 1)
    f.op("aten::convolution_backward")
    every = [True, True, True]

    def gradient(d, g, x, w):
        return quarters(*g, dtype=d), quarters(*x, dtype=d, seed=2), quarters(*w, dtype=d, seed=3), [w[0]]
    f.every(lambda d: (*gradient(d, (2, 3, 3), (2, 2, 5), (3, 2, 3)), *plain, every), wider=AS_DOUBLE)
    f.case(*gradient(float32, (1, 2, 2, 2), (1, 2, 4, 4), (2, 2, 3, 3)), [1, 1], [0, 0], [1, 1], False, [0, 0], 1, every)
    f.case(*gradient(float32, (1, 2, 2, 2), (1, 2, 4, 3), (2, 2, 3, 2)), [2, 1], [1, 0], [1, 1], False, [0, 0], 1, every)
    f.case(*gradient(float32, (1, 4, 2), (1, 4, 3), (4, 2, 2)), [1], [0], [1], False, [0], 2, every)


def shrinking(f):
    for name in ("adaptive_avg_pool2d", "_adaptive_avg_pool2d"):
        f.op(f"aten::{name}")
        f.every(lambda d: (quarters(1, 2, 4, 3, dtype=d, most=4), [2, 2]))
        for size in ([1, 1], [4, 3], [3, 2], [5, 4]):
            f.case(quarters(1, 2, 4, 3), size)
        f.case(quarters(2, 3, 3), [2, 2])
        f.case(none(0, 1, 4, 4), [2, 2])
        f.error("shape", quarters(4, 4), [2, 2])
    f.op("aten::_adaptive_avg_pool2d_backward")
    f.every(lambda d: (quarters(1, 2, 2, 2, dtype=d), quarters(1, 2, 4, 3, dtype=d)))
    f.case(quarters(1, 2, 1, 1), quarters(1, 2, 4, 3))
    f.case(quarters(1, 2, 3, 2), quarters(1, 2, 4, 3))
    f.op("aten::avg_pool2d_backward")
    f.every(lambda d: (quarters(1, 1, 2, 2, dtype=d), quarters(1, 1, 4, 4, dtype=d), [2, 2], [2, 2], [0, 0], False,
                       True, None), but=[int64])
    f.case(quarters(1, 1, 3, 3), quarters(1, 1, 4, 4), [2, 2], [2, 2], [1, 1], False, False, None)
    f.case(quarters(1, 1, 3, 3), quarters(1, 1, 4, 4), [2, 2], [1, 1], [0, 0], False, True, 3)
    f.error("shape", quarters(1, 1, 3, 3), quarters(1, 1, 4, 4), [2, 2], [2, 2], [0, 0], False, True, None)
    f.op("aten::max_pool2d_with_indices_backward")
    f.every(lambda d: (T([[[1, 0], [1, 1]]], d), permuted(1, 4, 4, dtype=d) if d != boolean else quarters(1, 4, 4, dtype=d),
                       [2, 2], [2, 2], [0, 0], [1, 1], False, T([[[0, 3], [9, 14]]], int64)))
    f.case(quarters(1, 1, 3, 3), permuted(1, 1, 4, 4), [2, 2], [1, 1], [0, 0], [1, 1], False,
           T([[[[0, 1, 2], [5, 5, 6], [9, 9, 10]]]], int64))
    f.error("shape", quarters(1, 1, 3, 3), permuted(1, 1, 4, 4), [2, 2], [2, 2], [0, 0], [1, 1], False,
            T([[[[0, 1, 2], [5, 5, 6], [9, 9, 10]]]], int64))


def family():
    f = Family("Convolution and pooling.", NEAR)
    convolution(f)
    transposed(f)
    pooling(f)
    general(f)
    shrinking(f)
    rows(f)
    return f
