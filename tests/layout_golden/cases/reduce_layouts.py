"""Sums, softmax, comparison."""
import torch

from layout_writer import LayoutFamily, coo, densified, pattern_of
from samples import *

NEAR = ((float16, 4e-3, 4e-3), (bfloat16, 3e-2, 3e-2), (float32, 2e-6, 1e-6), (float64, 1e-12, 1e-14))


def sums_of_bools(s):
    """Duplicates of bools, which PyTorch counts as two: deviations_layouts.py."""
    return s.dtype == boolean and s.layout == torch.sparse_coo and not s.is_coalesced()


def sums(f):
    f.op("aten::sum", within=NEAR)
    for s in each(kinds=ALL_KINDS + [cube]):
        if not sums_of_bools(s):
            f.case(s, dense=torch.sum, gradient=s.dtype in (float32, float64))
    f.op("aten::sum.dim_IntList", within=NEAR)
    for s in each(kinds=[coalesced, uncoalesced, empty, one, zeros]):
        for dims in ([0], [1], [-1], [0, 1]) if not sums_of_bools(s) else ():
            f.case(s, dims, dense=torch.sum, flag="sum", gradient=s.dtype in (float32, float64))
    for kind, several in ((hybrid, ([0], [2], [0, 1], [1, 2], [0, 1, 2])), (cube, ([0], [1, 2])), (hybrid_uncoalesced, ([0], [1]))):
        for dims in several:
            f.case(kind(float32), dims, dense=torch.sum, flag="sum", gradient=True)
    f.case(coalesced(float32), [1], dtype=float64, torch_call=lambda s, d, dtype: torch.sparse.sum(s, d, dtype=dtype),
           dense=torch.sum, flag="sum")
    f.op("aten::any")
    for s in each(LAYOUT_DTYPES, [coalesced, uncoalesced, empty, zeros, hybrid]):
        f.case(s, dense=torch.any)
    f.op("aten::mean", within=NEAR)
    for s in each(LAYOUT_FLOATS):
        f.case(s, torch_call=nothing, dense=torch.mean, gradient=s.dtype in (float32, float64))
    f.op("aten::norm.Scalar", within=NEAR)
    for s in each([float32, float64]):
        f.case(s, 2, dense=torch.norm, gradient=s.dtype == float64 and s.numel() > 0 and densified(s).abs().sum() > 0)


def nothing(*args, **kwargs):
    """For operators that PyTorch does not have for sparse tensors."""
    raise NotImplementedError("not in PyTorch")


def softmaxes(f):
    for name in ("softmax", "log_softmax"):
        function = getattr(torch, name)

        def of_specified(specified):
            """Unspecified elements take no part, as if they were -inf; a line without others stays empty."""
            return lambda x, dim: torch.nan_to_num(function(torch.where(specified, x, -inf), dim), nan=0, neginf=0)  # noqa: B023

        f.op(f"aten::{name}.int", within=NEAR)
        for d in LAYOUT_FLOATS:
            for kind in (coalesced, uncoalesced, empty, one, zeros, cube, hybrid, csr, csr_one):
                s = kind(d)
                for dim in {csr: (1,), csr_one: (1,), hybrid: (0, 1, 2)}.get(kind, (0, 1)):
                    f.case(s, dim, torch_call=getattr(torch.sparse, name) if s.layout == torch.sparse_coo else nothing,
                           dense=of_specified(pattern_of(s)), kind="pattern", flag="sum",
                           gradient=d in (float32, float64))


def comparisons(f):
    f.op("aten::equal")

    def equal(a, b):
        return torch.equal(densified(a), densified(b))
    for d in LAYOUT_DTYPES:
        for kind in (coalesced, uncoalesced, hybrid, empty, csr):
            f.case(kind(d), kind(d), torch_call=equal)
        f.case(coalesced(d), other(d), torch_call=equal)
        f.case(csr(d), other_csr(d), torch_call=equal)
        f.case(uncoalesced(d), uncoalesced(d).coalesce(), torch_call=equal)
    f.case(empty(float32), coo([[0]], T([0.0]), [3], True).to_dense().to_sparse(), torch_call=lambda a, b: False)
    f.case(coo([[0, 1], [1, 1]], T([0.0, 1.0]), [3, 4], True), coo([[1], [1]], T([1.0]), [3, 4], True), torch_call=equal)


def extremes(f):
    for name in ("amax", "amin"):
        f.op(f"aten::{name}")
        function = getattr(torch, name)
        for s in each([float32, int64], [coalesced, uncoalesced, empty, one, zeros, csr, csr_empty]):
            f.case(s, torch_call=nothing, dense=lambda x: function(x))  # noqa: B023


def family():
    f = LayoutFamily("Sums, softmax and comparison of sparse tensors.")
    sums(f)
    softmaxes(f)
    comparisons(f)
    extremes(f)
    return f
