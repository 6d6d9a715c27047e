"""Matrix products. Most are exact: multiples of 1/4, few of them."""
import torch

from layout_writer import LayoutFamily, pattern_of, product
from samples import *

NEAR = ((float16, 4e-3, 1e-2), (bfloat16, 3e-2, 1e-1), (float32, 2e-6, 2e-6), (float64, 1e-12, 1e-12))


def with_dense(f):
    gradients = (float32, float64)
    f.op("aten::mm")
    for s in each(NUMBERS, MATRICES + CSR):
        d = s.dtype
        f.case(s, quarters(4, 3, dtype=d), torch_call=torch.sparse.mm, dense=torch.mm, gradient=d in gradients)
        f.case(quarters(2, 3, dtype=d), s, dense=torch.mm, gradient=d in gradients)
    f.case(coalesced(float32), quarters(4, 70), torch_call=torch.sparse.mm, dense=torch.mm)
    f.case(csr(float32), quarters(4, 70), torch_call=torch.sparse.mm, dense=torch.mm)
    f.case(csr(float32), none(4, 0), torch_call=torch.sparse.mm, dense=torch.mm)
    f.case(csr(float32), T([[1, inf], [nan, 2], [3, 4], [5, 6]]), torch_call=torch.sparse.mm)
    f.error("shape", coalesced(float32), quarters(3, 3))
    f.error("shape", csr(float32), quarters(3, 3))
    f.error("dtype", coalesced(float32), quarters(4, 3, dtype=float64))
    f.op("aten::mv")
    for s in each(NUMBERS, MATRICES + CSR):
        f.case(s, quarters(4, dtype=s.dtype), dense=torch.mv, gradient=s.dtype in gradients)
    f.op("aten::addmm")
    for s in each(NUMBERS, MATRICES + CSR):
        d = s.dtype
        f.case(quarters(3, 2, dtype=d, seed=3), s, quarters(4, 2, dtype=d),
               torch_call=lambda *a, **k: torch.sparse.addmm(*a, **k), dense=torch.addmm, gradient=d in gradients)
    for kind in (coalesced, csr):
        f.case(quarters(3, 2, seed=3), kind(float32), quarters(4, 2), beta=0.5, alpha=2, dense=torch.addmm,
               torch_call=lambda *a, **k: torch.sparse.addmm(*a, **k), gradient=True)
        f.case(T([[nan, nan]] * 3), kind(float32), quarters(4, 2), beta=0, dense=torch.addmm)
    f.op("aten::bmm")
    for d in NUMBERS:
        f.case(cube(d), quarters(2, 2, 3, dtype=d), dense=torch.bmm, gradient=d in gradients)
    f.op("aten::linear")
    for d in (float32, float64):
        for kind in (coalesced, csr):
            f.case(quarters(2, 4, dtype=d), kind(d), dense=torch.nn.functional.linear, gradient=True)
            f.case(quarters(2, 2, 4, dtype=d), kind(d), quarters(3, dtype=d), dense=torch.nn.functional.linear, gradient=True)


def flipped(s):
    """A matrix of the transposed shape."""
    d = s.dtype
    if s.layout == torch.sparse_csr:
        return torch.sparse_csr_tensor(T([0, 1, 1, 3, 4]), T([2, 0, 1, 0]), numbers(d, 4, seed=3), (4, 3))
    return coo([[0, 1, 3, 3], [1, 2, 0, 2]], numbers(d, 4, seed=3), [4, 3], True)


def of_two(f):
    f.op("aten::mm")
    for s in each(NUMBERS, MATRICES + [csr, csr_empty, csr_one, csr_zeros]):
        f.case(s, flipped(s), torch_call=torch.sparse.mm, dense=torch.mm, kind=product, flag="sum", gradient=s.dtype in (float32, float64))


def reductions(f):
    def reference(kind):
        def call(full, matrix, reduce):
            # Over the specified entries of a row; a row without them gives 0.
            product = torch.where(specified[:, :, None], full[:, :, None] * matrix[None], {"amax": -inf, "amin": inf}.get(reduce, 0))
            count = specified.sum(1)[:, None]
            if reduce == "sum":
                return product.sum(1)
            if reduce == "mean":
                return product.sum(1) / count.clamp(min=1)
            found = product.amax(1) if reduce == "amax" else product.amin(1)
            return torch.where(count > 0, found, 0).to(matrix.dtype)
        specified = pattern_of(kind)
        return call

    f.op("topbit::mm_reduce")
    for s in each([float32, float64, float16, bfloat16], [csr, csr_empty, csr_one, csr_zeros]):
        for reduce in ("sum", "mean", "amax", "amin"):
            # Distinct products: a maximum has one place.
            matrix = permuted(4, 3, dtype=s.dtype, seed=5)
            f.case(s, matrix, reduce, torch_call=torch.sparse.mm, dense=reference(s),
                   gradient=s.dtype in (float32, float64))


def sampled(f):
    f.op("aten::sparse_sampled_addmm")
    for s in each([float32, float64, float16, bfloat16], [coalesced, empty, one, zeros, csr, csr_empty, csr_one, csr_zeros]):
        d = s.dtype
        a, b = quarters(3, 2, dtype=d, seed=3), quarters(2, 4, dtype=d, seed=4)
        specified = pattern_of(s)

        def dense(full, x, y, *, beta=1, alpha=1):
            return torch.where(specified, beta * full + alpha * (x @ y), 0)  # noqa: B023
        call = (lambda *x, **k: torch.sparse.sampled_addmm(*x, **k)) if s.layout == torch.sparse_csr else None
        f.case(s, a, b, torch_call=call, dense=dense, kind="pattern", gradient=d in (float32, float64))
        if d == float32:
            f.case(s, a, b, beta=0.5, alpha=-2, torch_call=call, dense=dense, kind="pattern", gradient=True)
    f.error("shape", csr(float32), quarters(3, 2), quarters(3, 4))


def family():
    f = LayoutFamily("Matrix products of sparse tensors.", NEAR)
    with_dense(f)
    of_two(f)
    reductions(f)
    sampled(f)
    return f
