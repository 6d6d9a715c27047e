"""Random operators where chance has no choice: probabilities of 0 and 1, intervals of one number, no deviation. Of those
that leave it one, and of memory that nobody wrote, sizes and dtypes alone."""
from values import *
from writer import Family


def sizes_alone(f):
    for name in ("rand", "randn"):
        f.op(f"aten::{name}", "no elements")
        f.case([2, 3])
        f.every_option([2])
        f.error("shape", [2, -1])
        f.op(f"aten::{name}.generator", "no elements")
        f.every_option([2], generator=None)
        f.op(f"aten::{name}_like", "no elements")
        f.every(lambda d: shaped(some(d), 2, 3, dtype=d))
        f.case(T([1, 2]), dtype=float16)
    for name in ("exponential_", "random_"):
        f.op(f"aten::{name}", "no elements")
        f.every(lambda d: shaped(some(d), 2, 3, dtype=d))
    f.op("aten::exponential_")
    f.error("value", quarters(2, 3), -1.0)
    for name, args in (("empty.memory_format", ([2, 3],)), ("empty_strided", ([2, 3], [1, 2]))):
        f.op(f"aten::{name}", "no elements")
        f.case(*args)
        f.every_option(*args)
        f.error("shape", *([2, -1],) + args[1:])
    f.op("aten::empty_like", "no elements")
    f.every(lambda d: shaped(some(d), 2, 3, dtype=d))
    f.case(T([1.5]), dtype=int8)
    for name, args in (("new_empty", ([2, 3],)), ("new_empty_strided", ([2, 3], [1, 2]))):
        f.op(f"aten::{name}", "no elements")
        f.every(lambda d: (shaped(some(d), 4, dtype=d), *args))
        f.case(T([1.5]), *args, dtype=int8)


def family():
    f = Family("Random operators where chance has no choice. All exact.")
    f.op("aten::bernoulli")
    f.every(lambda d: T([0, 1, 1, 0], d))
    f.error("index", T([1.5]))
    f.op("aten::bernoulli.p")
    f.every(lambda d: (shaped(some(d), 2, 3, dtype=d), 1.0))
    f.case(quarters(2, 3), 0.0)
    f.error("value", quarters(2, 3), 1.5)
    f.op("aten::bernoulli_.Tensor")
    f.every(lambda d: (shaped(some(d), 4, dtype=d), T([0.0, 1.0, 1.0, 0.0])))
    for name in ("dropout", "alpha_dropout"):
        f.op(f"aten::{name}")
        f.every(lambda d: (shaped(some(d), 2, 3, dtype=d), 0.5, False))
        f.sweep(FLOATS, lambda d: (shaped(some(d), 2, 3, dtype=d), 0.0, True))
        f.error("value", quarters(2, 3), -0.5, True)
        f.error("value", quarters(2, 3), 1.5, False)
        f.op(f"aten::{name}_")
        f.every(lambda d: (shaped(some(d), 2, 3, dtype=d), 0.5, False))
    f.op("aten::dropout")
    f.sweep(FLOATS, lambda d: (shaped([1, 2, 3], 2, 3, dtype=d), 1.0, True))
    f.op("aten::native_dropout")
    f.every(lambda d: (shaped(some(d), 2, 3, dtype=d), 0.5, False))
    f.sweep(FLOATS, lambda d: (shaped([1, 2, 3], 2, 3, dtype=d), 1.0, True))
    f.op("aten::native_dropout_backward")
    f.every(lambda d: (shaped(some(d), 2, 3, dtype=d), T([[True, False, True]] * 2), 2.0))
    f.op("aten::multinomial")
    f.every(lambda d: (T([[0, 1, 0], [1, 0, 0]], d), 1))
    f.every(lambda d: (T([[0, 1, 0], [1, 0, 0]], d), 3, True))
    f.case(T([0.0, 0.0, 2.5]), 1)
    f.error("value", quarters(3).abs(), 4)
    f.error("value", quarters(3).abs(), 0)
    f.error("shape", quarters(2, 2, 2).abs(), 1)
    f.op("aten::normal.Tensor_float")
    f.every(lambda d: (shaped(some(d), 2, 3, dtype=d), 0.0))
    f.error("value", quarters(2, 3), -1.0)
    f.op("aten::normal.Tensor_Tensor")
    f.every(lambda d: (shaped(some(d), 2, 3, dtype=d), T([0, 0, 0], d)))
    f.op("aten::normal.float_Tensor")
    f.every(lambda d: (1.5, T([0, 0, 0], d)))
    f.op("aten::normal.float_float")
    f.case(1.5, 0.0, [2])
    f.every_option(1.5, 0.0, [2])
    f.error("value", 1.5, -1.0, [2])
    f.op("aten::normal_")
    f.every(lambda d: (shaped(some(d), 2, 3, dtype=d), 1.5, 0.0))
    f.error("value", quarters(2, 3), 0.0, -1.0)
    f.op("aten::uniform_")
    f.every(lambda d: (shaped(some(d), 2, 3, dtype=d), 1.5, 1.5))
    f.error("value", quarters(2, 3), 2.0, 1.0)
    f.op("aten::random_.from")
    f.every(lambda d: (shaped(some(d), 2, 3, dtype=d), 1, 2))
    f.error("value", quarters(2, 3), 2, 1)
    f.op("aten::random_.to")
    f.every(lambda d: (shaped(some(d), 2, 3, dtype=d), 1))
    f.error("value", quarters(2, 3), 0)
    for name, args in (("randint", (1, [2, 3])), ("randint.low", (1, 2, [2, 3])), ("randint.generator", (1, [2])),
                       ("randint.low_generator", (1, 2, [2])), ("randperm", (1,)), ("randperm.generator", (1,))):
        f.op(f"aten::{name}")
        kwargs = {"generator": None} if "generator" in name else {}
        f.case(*args, **kwargs)
        f.every_option(*args, wider=AS_NUMBER if "perm" in name else {}, **kwargs)
        if "perm" in name:
            f.case(0, **kwargs)
            f.error("value", -1, **kwargs)
        else:
            f.error("value", *([0] if args[0] == 1 and len(args) == 2 else [2, 2]), [2], **kwargs)
    for name, args in (("randint_like", (1,)), ("randint_like.low_dtype", (1, 2))):
        f.op(f"aten::{name}")
        f.every(lambda d: (shaped(some(d), 2, 3, dtype=d), *args))
        f.case(quarters(2, 3), *args, dtype=int8)
    sizes_alone(f)
    return f
