"""Losses."""
from values import *
from writer import Family

NEAR = ((float16, 4e-3, 1e-3), (bfloat16, 3e-2, 1e-2), (float32, 3e-6, 1e-6), (float64, 1e-13, 1e-14))
NONE, MEAN, SUM = 0, 1, 2


def classes(f):
    y = T([2, 0, 1])
    for name in ("nll_loss", "cross_entropy_loss"):
        f.op(f"aten::{name}")

        def x(*sizes, dtype=float32):
            return quarters(*sizes, dtype=dtype)
        for d in FLOATS:
            f.case(x(3, 4, dtype=d), y)
            f.case(x(3, 4, dtype=d), y, quarters(4, dtype=d, seed=2).abs() + 0.5)
        for reduction in (NONE, MEAN, SUM):
            f.case(x(3, 4), y, None, reduction)
            f.case(x(3, 4), y, T([0.5, 1.0, 2.0, 0.0]), reduction)
            f.case(x(3, 4), T([2, -100, 1]), T([0.5, 1.0, 2.0, 0.0]), reduction)
            f.case(x(3, 4), T([2, 0, 1]), None, reduction, 0)
            f.case(x(3, 4), T([-100, -100, -100]), None, reduction)
            f.case(none(0, 4), none(0, dtype=int64), None, reduction)
        f.case(x(4), T(2))
        f.case(x(33, 7), T([i % 7 for i in range(33)]))
        f.error("index", x(3, 4), T([2, 0, 4]))
        f.error("index", x(3, 4), T([2, 0, -1]))
        f.error("shape", x(3, 4), T([2, 0]))
        f.error("shape", x(3, 4), y, quarters(3))
        f.error("dtype", x(3, 4), T([2, 0, 1], int32))
    for smoothing in (0.0, 0.25, 1.0):
        f.case(quarters(3, 4), y, None, MEAN, -100, smoothing)
        f.case(quarters(3, 4), y, T([0.5, 1.0, 2.0, 0.25]), MEAN, -100, smoothing)
        f.case(quarters(3, 4), T([2, 0, -100]), None, NONE, -100, smoothing)
    for reduction in (NONE, MEAN, SUM):
        f.case(quarters(2, 3), T([[0.25, 0.5, 0.25], [1.0, 0.0, 0.0]]), None, reduction)
    f.case(quarters(2, 3), T([[0.25, 0.5, 0.25], [1.0, 0.0, 0.0]]), T([0.5, 1.0, 2.0]), MEAN, -100, 0.1)
    f.case(quarters(1, 3, 2), T([[2, 0]]))
    f.case(quarters(1, 3, 2, 2), T([[[2, 0], [1, 1]]]), None, NONE)
    f.error("value", quarters(3, 4), y, None, MEAN, -100, 1.5)


def distances(f):
    for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"):
        f.op(f"aten::{name}")
        for reduction in (NONE, MEAN, SUM):
            f.sweep(FLOATS, lambda d: (quarters(2, 3, dtype=d), quarters(2, 3, dtype=d, seed=2), reduction))
            f.case(none(0), none(0), reduction)
        f.case(T([nan, inf, 1.0]), T([1.0, 1.0, inf]), NONE)
        f.case(T(1.5), T(2.0))
        f.case(quarters(101), quarters(101, seed=2))
        f.error("shape", quarters(2, 3), quarters(3, 2))
        if name == "smooth_l1_loss":
            for beta in (0.5, 2.0, 0.0):
                f.case(quarters(2, 3), quarters(2, 3, seed=2), NONE, beta)
            f.error("value", quarters(2, 3), quarters(2, 3), MEAN, -1.0)
        if name == "huber_loss":
            for delta in (0.5, 2.0):
                f.case(quarters(2, 3), quarters(2, 3, seed=2), NONE, delta)
            f.error("value", quarters(2, 3), quarters(2, 3), MEAN, 0.0)


def binary(f):
    f.op("aten::binary_cross_entropy")
    p, y = [0.25, 0.5, 0.875, 0.125], [0.0, 1.0, 1.0, 0.5]
    for reduction in (NONE, MEAN, SUM):
        f.sweep(FLOATS, lambda d: (T(p, d), T(y, d), None, reduction))
        f.case(T(p), T(y), T([0.5, 1.0, 2.0, 0.0]), reduction)
    f.case(T([0.0, 1.0, 0.0, 1.0]), T([0.0, 1.0, 1.0, 0.0]), None, NONE)
    f.error("shape", T(p), T([0.0, 1.0]))
    f.error("index", T([1.5]), T([1.0]))
    f.error("index", T([-0.5]), T([1.0]))
    f.op("aten::binary_cross_entropy_with_logits")
    x = [0.25, -1.5, 3.0, -0.5]
    for reduction in (NONE, MEAN, SUM):
        f.sweep(FLOATS, lambda d: (T(x, d), T(y, d), None, None, reduction))
        f.case(T(x), T(y), T([0.5, 1.0, 2.0, 0.0]), None, reduction)
        f.case(T(x), T(y), None, T([2.0, 0.5, 1.0, 3.0]), reduction)
        f.case(T([x, x]), T([y, y]), T([[0.5], [1.0]]), T([2.0, 0.5, 1.0, 3.0]), reduction)
    f.case(T([100.0, -100.0, 1000.0]), T([0.0, 1.0, 1.0]), None, None, NONE)
    f.error("shape", T(x), T([0.0, 1.0]))


def images(f):
    """nll_loss with places beside the classes, the parts it has, and the gradient of it."""
    for name in ("nll_loss2d", "nll_loss_nd"):
        f.op(f"aten::{name}")
        y = T([[[2, 0], [1, 1]]])
        f.every(lambda d: (quarters(1, 3, 2, 2, dtype=d), y))
        for reduction in (NONE, MEAN, SUM):
            f.case(quarters(1, 3, 2, 2), y, T([0.5, 1.0, 2.0]), reduction)
            f.case(quarters(1, 3, 2, 2), y, None, reduction, 1)
        f.error("shape", quarters(1, 3, 2, 2), T([[2, 0]]))
        f.error("index", quarters(1, 3, 2, 2), T([[[2, 0], [1, 3]]]))
    y = T([2, 0, 1])
    f.op("aten::nll_loss_nd")
    f.case(quarters(3, 4), y)
    f.case(quarters(2, 3, 2), T([[0, 1], [2, 1]]), None, SUM)
    f.case(quarters(3), T(1))
    f.op("aten::nll_loss_forward")
    f.every(lambda d: (quarters(3, 4, dtype=d), y, None, MEAN, -100))
    for reduction in (NONE, MEAN, SUM):
        f.case(quarters(3, 4), y, T([0.5, 1.0, 2.0, 0.25]), reduction, -100)
        f.case(quarters(3, 4), y, None, reduction, 0)
    f.case(quarters(4), T(2), None, MEAN, -100)
    f.error("index", quarters(3, 4), T([2, 0, 4]), None, MEAN, -100)
    f.error("shape", quarters(3, 4), T([2, 0]), None, MEAN, -100)
    f.op("aten::nll_loss_backward")
    f.every(lambda d: (T(1, d), quarters(3, 4, dtype=d), y, None, MEAN, -100, T(3, d)))
    for reduction in (MEAN, SUM):
        f.case(T(0.5), quarters(3, 4), y, T([0.5, 1.0, 2.0, 0.25]), reduction, -100, T(3.5))
        f.case(T(0.5), quarters(3, 4), y, None, reduction, 0, T(2.0))
    f.case(quarters(3), quarters(3, 4), y, T([0.5, 1.0, 2.0, 0.25]), NONE, -100, T(0.0))
    f.case(T(0.5), quarters(4), T(2), None, MEAN, -100, T(1.0))
    f.error("shape", T(0.5), quarters(3, 4), T([2, 0]), None, MEAN, -100, T(1.0))


def pairs(f):
    f.op("aten::kl_div")
    f.every(lambda d: (quarters(2, 3, dtype=d), T([[1, 0, 2], [3, 1, 0]], d), NONE))
    for reduction in (MEAN, SUM):
        f.case(quarters(2, 3), T([0.0, 0.25, 0.5]), reduction)
        f.case(quarters(2, 3), quarters(2, 3, seed=2), reduction, log_target=True)
    f.case(quarters(2, 3), quarters(2, 3, seed=2), NONE, log_target=True)
    f.error("shape", quarters(2, 3), quarters(2))
    f.op("aten::soft_margin_loss")
    f.every(lambda d: (quarters(2, 3, dtype=d), T([1, -1, 1] if d in SIGNED + FLOATS else [1, 0, 1], d), NONE))
    for reduction in (MEAN, SUM):
        f.case(quarters(2, 3), T([1.0, -1.0, 1.0]), reduction)


def family():
    f = Family("Losses.", NEAR)
    classes(f)
    pairs(f)
    distances(f)
    binary(f)
    images(f)
    return f
