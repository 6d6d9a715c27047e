"""Inputs: small, chosen for their edges, the same on every run."""
import torch

from writer import ALL, FLOATS, INTEGERS, SIGNED, NAMES  # noqa: F401: what cases/*.py use too

boolean, uint8, int8, int16, int32, int64 = torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64
float16, bfloat16, float32, float64 = torch.float16, torch.bfloat16, torch.float32, torch.float64
inf, nan = float("inf"), float("nan")
AS_NUMBER = {boolean: uint8}  # for Family.every(), where a bool is as good as the number 0 or 1


def T(values, dtype=None):
    """Of int64, bool or float32 where nothing else is said, as PyTorch and topbit read such lists."""
    return torch.tensor(values, dtype=dtype)


def shaped(values, *sizes, dtype=float32):
    """The first of these values as a tensor of these sizes, repeated where they are too few."""
    count = 1
    for n in sizes:
        count *= n
    return T([values[i % len(values)] for i in range(count)], dtype).reshape(sizes)


def whole(dtype, low=-128, high=127):
    """Integers of a dtype with its extremes, none beyond the bounds."""
    if dtype == boolean:
        return [True, False, False, True, True, False]
    limits = torch.iinfo(dtype)
    edges = [limits.min, limits.max, 0, 1, -1, 2, 7, -7, 100, -100, 3, 200]
    return [n for n in edges if max(limits.min, low) <= n <= min(limits.max, high)]


def reals(dtype):
    """Floating numbers of all magnitudes, signs and kinds."""
    limits = torch.finfo(dtype)
    return [nan, inf, -inf, 0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.25, -3.7, 10.3,
            limits.smallest_normal, -limits.smallest_normal / 4, limits.eps, 1e-3, -1e-3, 0.999, 1.001, 88.5, -100.0,
            limits.max, -limits.max, 3.0]


def some(dtype, seed=0):
    """Plain numbers of a dtype: no extremes, none zero where it is floating."""
    if dtype == boolean:
        return [True, False, True, True, False, False, True]
    if dtype == uint8:
        return [3, 1, 7, 2, 9, 4, 6, 5, 8, 11][seed:] + [12]
    if dtype in SIGNED:
        return [3, -1, 7, 2, -9, 4, -6, 5, 8, -11][seed:] + [12]
    return [1.5, -0.25, 3.0, -2.75, 0.5, 0.125, -1.0, 2.25, 4.5, -3.5, 0.75][seed:] + [1.25]


def quarters(*sizes, dtype=float32, seed=1, most=8):
    """Random multiples of 1/4 (of 1 for integers): sums and products of some of them are exact."""
    g = torch.Generator().manual_seed(seed)
    if dtype == boolean:
        return torch.randint(0, 2, sizes, generator=g).to(dtype)
    low = 0 if dtype == uint8 else -most
    x = torch.randint(low, most + 1, sizes, generator=g)
    return (x.to(float64) / 4).to(dtype) if dtype.is_floating_point else (x // 2).to(dtype)


def permuted(*sizes, dtype=float32, seed=1):
    """Distinct small numbers in random order."""
    g = torch.Generator().manual_seed(seed)
    count = 1
    for n in sizes:
        count *= n
    x = torch.randperm(count, generator=g)
    if dtype not in (uint8, boolean):
        x = x - count // 2
    return (x.to(float64) / 2).to(dtype).reshape(sizes) if dtype.is_floating_point else x.to(dtype).reshape(sizes)


def none(*sizes, dtype=float32):
    """A tensor without elements."""
    return torch.zeros(sizes, dtype=dtype)
