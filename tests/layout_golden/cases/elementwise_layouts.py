"""Functions of elements, and arithmetic."""
import torch

from layout_writer import LayoutFamily, intersection, union
from samples import *

NEAR = ((float16, 2e-3, 1e-7), (bfloat16, 1.6e-2, 1e-37), (float32, 2e-6, 1e-7), (float64, 1e-12, 1e-14))
FUNCTIONS = ("abs sgn sign sqrt square sin sinh asin asinh tan tanh atan atanh expm1 log1p erf erfinv floor ceil round "
             "trunc frac deg2rad rad2deg relu nan_to_num neg isnan isinf isposinf isneginf signbit").split()
BOUNDED = ("asin", "atanh", "erfinv", "log1p")  # of elements in (-1, 1)
POSITIVE = ("sqrt",)
EXACT = ("abs", "sgn", "sign", "square", "floor", "ceil", "round", "trunc", "frac", "relu", "nan_to_num", "neg")


def scaled(s, factor, shift=False):
    values = (s._values() if s.layout == torch.sparse_coo else s.values()).clone()
    values = values.abs() if shift and values.dtype != boolean else values
    values = (values * factor).to(values.dtype) if values.dtype.is_floating_point else values
    if s.layout == torch.sparse_coo:
        return coo(s._indices(), values, s.shape, s.is_coalesced())
    parts = (s.crow_indices(), s.col_indices()) if s.layout == torch.sparse_csr else (s.ccol_indices(), s.row_indices())
    return torch.sparse_compressed_tensor(*parts, values, s.shape, layout=s.layout)


def functions(f):
    for name in FUNCTIONS:
        # The gradient of tanh cancels near 1.
        f.op(f"aten::{name}", *(["exact"] if name in EXACT else []), within=((float32, 2e-6, 1e-6),) if name == "tanh" else ())
        predicate = name.startswith("is") or name == "signbit"
        for s in each():
            if name in ("neg", "frac") and s.dtype == torch.bool or name == "frac" and not s.dtype.is_floating_point:
                continue
            s = scaled(s, 0.0625 if name in BOUNDED else 1, name in POSITIVE)
            f.case(s, dense=getattr(torch, name), kind="pattern", flag="sum",
                   gradient=not predicate and s.dtype in (float64, float32))
    f.op("aten::pow.Tensor_Scalar")
    for s in each(NUMBERS):
        f.case(s, 2, dense=torch.pow, kind="pattern", flag="sum", gradient=s.dtype in (float64, float32))
    f.case(scaled(coalesced(float32), 1, True), 0.5, dense=torch.pow, kind="pattern", gradient=True)
    f.case(scaled(csr(float32), 1, True), 1.5, dense=torch.pow, kind="pattern", gradient=True)


def refused(f):
    """Functions whose result would be dense."""
    for name in ("exp", "cos", "sigmoid", "log", "reciprocal", "cosh", "bitwise_not", "logical_not"):
        f.op(f"aten::{name}")
        f.error("value", coalesced(int64 if name == "bitwise_not" else float32))
    f.op("aten::pow.Tensor_Scalar")
    f.error("value", coalesced(float32), 0)
    f.op("aten::add.Scalar")
    f.error("value", coalesced(float32), 1, torch_call=torch.add)


def with_numbers(f):
    f.op("aten::mul.Tensor", within=((float16, 1e-3, 0), (bfloat16, 8e-3, 0)))
    for s in each():
        f.case(s, T(2, s.dtype), dense=torch.mul, kind="pattern", flag="sum")
    f.op("aten::mul.Scalar", within=((float16, 1e-3, 0), (bfloat16, 8e-3, 0)))
    for s in each(NUMBERS):
        f.case(s, 3, torch_call=torch.mul, dense=torch.mul, kind="pattern", flag="sum", gradient=s.dtype in (float32, float64))
    f.case(coalesced(int64), 0.5, torch_call=torch.mul, dense=torch.mul, kind="pattern")
    f.op("aten::div.Scalar")
    for s in each():
        duplicates = s.dtype == boolean and s.layout == torch.sparse_coo and not s.is_coalesced()
        # Two bools at one place are one; PyTorch divides each.
        f.case(s, 2, torch_call=(lambda x, n: torch.div(x.coalesce(), n)) if duplicates else torch.div, dense=torch.div,
               kind="pattern", flag="sum", gradient=s.dtype in (float32, float64))
    f.case(coalesced(float32), 0, torch_call=torch.div, flag="sum")
    f.op("aten::div.Tensor")
    for s in each(LAYOUT_FLOATS, COO):
        f.case(s, T(4, s.dtype), dense=torch.div, kind="pattern", flag="sum")
    f.op("aten::div.Scalar_mode")
    for mode in ("floor", "trunc"):
        for d in (float32, int64):
            f.case(coalesced(d), 2, rounding_mode=mode, torch_call=torch.div, dense=torch.div, kind="pattern", flag="sum")


PAIRS = [(coalesced, other), (coalesced, uncoalesced), (uncoalesced, uncoalesced), (coalesced, empty), (empty, other),
         (empty, empty), (one, coalesced), (zeros, zeros), (hybrid, hybrid), (hybrid_uncoalesced, hybrid_uncoalesced)]
CSR_PAIRS = [(csr, other_csr), (csr, csr_empty), (csr_empty, csr_empty), (csr_one, csr), (csr_zeros, csr_zeros)]


def pairs(dtypes, lists):
    for d in dtypes:
        for a, b in lists:
            if d in (float32, int64) or (a, b) in ((coalesced, other), (coalesced, uncoalesced), (csr, other_csr)):
                yield a(d), b(d)


def with_tensors(f):
    for name, operation in (("add", torch.add), ("sub", torch.sub)):
        f.op(f"aten::{name}.Tensor", "exact")
        for a, b in pairs(NUMBERS, PAIRS + CSR_PAIRS):
            f.case(a, b, dense=operation, kind=union, flag="sum", gradient=a.dtype in (float32, float64))
        f.case(coalesced(float32), other(float32), alpha=0.5, dense=operation, flag="sum", gradient=True)
        f.case(csr(float64), other_csr(float64), alpha=-2, dense=operation, kind=union, flag="sum", gradient=True)
        f.case(coalesced(float32), other(int64), dense=operation, flag="sum")
        f.case(coalesced(int32), other(int64), dense=operation, flag="sum")
        # Dense on either side gives dense; PyTorch takes it on the left alone for COO.
        for d in NUMBERS:
            full = quarters(3, 4, dtype=d)
            for kind in (coalesced, uncoalesced, empty, csr, csc):
                f.case(full, kind(d), dense=operation, gradient=d in (float32, float64))
        f.case(quarters(3, 2, 2), hybrid(float32), dense=operation, gradient=True)
        f.case(quarters(3, 4), coalesced(float32), alpha=2, dense=operation, gradient=True)
        f.error("shape", coalesced(float32), cube(float32))
    f.op("aten::mul.Tensor", "exact", within=((float16, 1e-3, 0), (bfloat16, 8e-3, 0)))
    for a, b in pairs(LAYOUT_DTYPES, PAIRS + CSR_PAIRS):
        # Of an uncoalesced one PyTorch gives its whole pattern.
        f.case(a, b, torch_call=lambda x, y: torch.mul(*(t.coalesce() if t.layout == torch.sparse_coo else t for t in (x, y))),
               dense=torch.mul, kind=intersection, flag="sum", gradient=a.dtype in (float32, float64))
    for d in NUMBERS:
        for kind in (coalesced, uncoalesced, empty, csr):
            full = quarters(3, 4, dtype=d)
            f.case(kind(d), full, dense=torch.mul, kind="pattern", flag="sum", gradient=d in (float32, float64))
            f.case(full, kind(d), dense=torch.mul, kind="pattern", flag="sum", gradient=d == float32)
    for sizes in ((4,), (1, 4), (3, 1)):
        f.case(coalesced(float32), quarters(*sizes), dense=torch.mul, kind="pattern", flag="sum", gradient=True)
    f.case(hybrid(float32), quarters(3, 2, 2), dense=torch.mul, kind="pattern", flag="sum", gradient=True)
    f.case(coalesced(float32), T([[inf, 1, nan, 1], [1, 1, 1, 1], [1, inf, 1, -inf]]), flag="sum")


def written(f):
    f.op("aten::zero_")
    for s in each(kinds=COO):
        f.case(s, flag="sum")
    for name in ("abs_", "neg_", "sqrt_", "relu_"):
        f.op(f"aten::{name}")
        f.case(scaled(coalesced(float32), 1, name == "sqrt_"), flag="sum")
        f.case(scaled(csr(float32), 1, name == "sqrt_"), flag="sum")
    f.op("aten::add_.Tensor", "exact")
    f.case(coalesced(float32), other(float32), flag="sum")
    f.case(uncoalesced(float32), other(float32), alpha=2, flag="sum")
    f.case(quarters(3, 4), coalesced(float32), flag="sum")
    f.case(quarters(3, 4), csr(float32), alpha=2, flag="sum")
    f.op("aten::mul_.Scalar", "exact")
    f.case(coalesced(float32), 2, torch_call=lambda a, b: a.mul_(b), flag="sum")
    f.case(csr(float32), 2, torch_call=lambda a, b: a.mul_(b), flag="sum")
    f.op("aten::sub.out", "exact")
    f.case(coalesced(float32), other(float32), out=empty(float32), flag="sum")


def family():
    f = LayoutFamily("Functions of elements and arithmetic of sparse tensors.", NEAR)
    functions(f)
    refused(f)
    with_numbers(f)
    with_tensors(f)
    written(f)
    return f
