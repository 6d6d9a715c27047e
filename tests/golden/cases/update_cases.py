"""Steps of optimizers. They return nothing: their results are the lists that they write."""
from values import *
from writer import Family

NEAR = ((float16, 4e-3, 1e-3), (bfloat16, 3e-2, 1e-2), (float32, 3e-6, 1e-6), (float64, 1e-13, 1e-14))


def lists(d, count):
    """Parameters, gradients and `count` lists of state; those behind the first are not negative."""
    def one(seed):
        return [quarters(2, 3, dtype=d, seed=seed), quarters(5, dtype=d, seed=seed + 10)]
    positive = [[x.abs() + 1 if d.is_floating_point else x for x in one(seed)] for seed in (4, 5)]
    return [one(1), one(2), one(3), *positive][:2 + count]


def sgd(f):
    f.op("aten::_fused_sgd_")

    def case(d, momentum, scale=None, found=None, **changed):
        plain = dict(weight_decay=0.0, momentum=momentum, lr=0.125, dampening=0.0, nesterov=False, maximize=False,
                     is_first_step=False)
        self, grads, buffers = lists(d, 1)
        f.case(self, grads, buffers if momentum else [], **{**plain, **changed}, grad_scale=scale, found_inf=found)
    for d in FLOATS:
        case(d, 0.0)
        case(d, 0.5, weight_decay=0.25, dampening=0.25)
    for momentum in (0.0, 0.5):
        case(float32, momentum, weight_decay=0.25)
        case(float32, momentum, maximize=True, weight_decay=0.25)
        case(float32, momentum, scale=T(4.0))
        case(float32, momentum, found=T(1.0))
    case(float64, 0.5, nesterov=True)
    case(float32, 0.5, is_first_step=True, dampening=0.5)
    given = dict(weight_decay=0.0, momentum=0.0, lr=0.1, dampening=0.0, nesterov=False, maximize=False,
                 is_first_step=False)
    x = quarters(3)
    for d in ALL:
        if not d.is_floating_point:
            f.error("dtype", [quarters(3, dtype=d)], [quarters(3, dtype=d)], [], **given)
    f.error("value", [x], [x, x], [], **given)


def adam(f, name):
    f.op(f"aten::{name}")

    def case(d, steps, scale=None, found=None, **changed):
        plain = dict(lr=0.125, beta1=0.75, beta2=0.5, weight_decay=0.0, eps=0.0078125, amsgrad=False, maximize=False)
        kept = {**plain, **changed}
        self, grads, averages, squares, greatest = lists(d, 3)
        f.case(self, grads, averages, squares, greatest if kept["amsgrad"] else [], [T(float(s)) for s in steps], **kept,
               grad_scale=scale, found_inf=found)
    for d in FLOATS:
        case(d, (1, 2))
        case(d, (3, 1), weight_decay=0.25, amsgrad=True)
    case(float32, (2, 2), maximize=True, weight_decay=0.25)
    case(float32, (1, 1), scale=T(4.0))
    case(float32, (1, 1), found=T(1.0))
    case(float64, (100, 1000), amsgrad=True, weight_decay=0.25)
    given = dict(lr=0.1, beta1=0.9, beta2=0.5, weight_decay=0.0, eps=0.5, amsgrad=False, maximize=False)
    x = quarters(3)
    for d in ALL:
        if not d.is_floating_point:
            y = [quarters(3, dtype=d)]
            f.error("dtype", y, y, y, y, [], [T(1.0)], **given)
    f.error("value", [x], [x], [x], [x], [], [], **given)


def family():
    f = Family("Steps of optimizers.", NEAR)
    sgd(f)
    adam(f, "_fused_adam_")
    adam(f, "_fused_adamw_")
    return f
