"""Transposition, selection, joining, masks."""
import torch

from layout_writer import LayoutFamily, coo, densified, pattern_of
from samples import *

GRADIENTS = (float32, float64)


def transpositions(f):
    f.op("aten::t")
    for s in each(kinds=[coalesced, uncoalesced, empty, one, zeros, csr, csc, csr_empty]):
        f.case(s, dense=torch.t, flag="sum", gradient=s.dtype in GRADIENTS)
    f.op("aten::transpose.int")
    for d in LAYOUT_DTYPES:
        for kind in (coalesced, uncoalesced, empty, csr, csc):
            f.case(kind(d), 0, -1, dense=torch.transpose, flag="sum", gradient=d == float32)
        f.case(cube(d), 0, 2, dense=torch.transpose, flag="sum", gradient=d == float32)
    f.op("aten::permute")
    for d in (float32, int64):
        f.case(cube(d), [2, 0, 1], dense=torch.permute, flag="sum", gradient=d == float32)
        f.case(cube(d), [0, 1, 2], dense=torch.permute, flag="sum", gradient=d == float32)
        f.case(hybrid(d), [1, 0, 2], dense=torch.permute, flag="sum", gradient=d == float32)
    f.error("shape", cube(float32), [0, 1])


def sizes_of_one(f):
    f.op("aten::unsqueeze")
    for d in (float32, int64, boolean):
        for kind, dims in ((coalesced, (0, 1, 2, -1)), (hybrid, (0, 3)), (uncoalesced, (1,)), (empty, (0,))):
            for dim in dims:
                f.case(kind(d), dim, dense=torch.unsqueeze, flag="sum", gradient=d == float32)
    f.op("aten::squeeze.dim")
    for d in (float32, int64):
        # PyTorch has no squeeze of sparse tensors; selecting the only index says what the result is.
        f.case(coo([[0, 0, 0], [0, 1, 3]], numbers(d, 3), [1, 4], True), 0, dense=torch.squeeze, flag="sum",
               torch_call=lambda s, dim: torch.select(s, dim, 0))
        f.case(cube(d).unsqueeze(1), 1, dense=torch.squeeze, flag="sum", torch_call=lambda s, dim: torch.select(s, dim, 0))


def selections(f):
    f.op("aten::select.int")
    for s in each([float32, int64, boolean], [coalesced, uncoalesced, empty, one, zeros, hybrid, cube]):
        for dim, index in ((0, 1), (1, 2 if s.size(1) > 2 else 0), (0, -1)):
            f.case(s, dim, index, dense=torch.select, flag="sum", gradient=s.dtype == float32 and s.dim() > 0)
    f.op("aten::index_select")
    for s in each(LAYOUT_DTYPES, [coalesced, uncoalesced, empty, one, hybrid]):
        for dim, index in ((0, [2, 0]), (1, [1, 0, 1]), (0, [])):
            if s.dim() > dim:
                f.case(s, dim, T(index, int64), dense=torch.index_select, flag="sum", gradient=s.dtype in GRADIENTS)
    f.error("index", coalesced(float32), 0, T([3]))
    f.op("aten::slice.Tensor")
    for d in (float32, int64):
        for kind in (coalesced, uncoalesced, hybrid):
            for dim, start, end, step in ((0, 1, 3, 1), (1, 0, 2, 1), (0, 0, 3, 2)):
                # Slices of PyTorch are dense views; selecting the same indices says what the result is.
                f.case(kind(d), dim, start, end, step, flag="sum", gradient=d == float32,
                       dense=lambda x, dim, a, b, by: torch.index_select(x, dim, torch.arange(a, b, by)),
                       torch_call=lambda x, dim, a, b, by: torch.index_select(x, dim, torch.arange(a, b, by)))


def joining(f):
    f.op("aten::cat")
    for d in LAYOUT_DTYPES:
        for dim in (0, 1):
            f.case([coalesced(d), uncoalesced(d)], dim, flag="sum", gradient=d == float32, torch_call=torch.cat, dense=torch.cat)
    f.case([coalesced(float32), other(float32), empty(float32)], 0, flag="sum", gradient=True, torch_call=torch.cat, dense=torch.cat)
    f.case([hybrid(float32), hybrid(float32, 1)], 0, flag="sum", gradient=True, torch_call=torch.cat, dense=torch.cat)
    f.op("aten::stack")
    for d in (float32, int64):
        f.case([coalesced(d), other(d)], 0, flag="sum", gradient=d == float32, torch_call=torch.stack, dense=torch.stack)
        f.case([coalesced(d), other(d)], 1, flag="sum", gradient=d == float32, torch_call=torch.stack, dense=torch.stack)
    f.op("aten::unbind.int")
    for d in (float32, int64):
        for dim in (0, 1):
            f.case(coalesced(d), dim, flag="sum", torch_call=lambda s, dim: list(torch.unbind(s, dim)))


def masks(f):
    f.op("aten::sparse_mask")

    def case(x, mask):
        specified = pattern_of(mask)
        f.case(x, mask, flag="sum", torch_call=lambda a, b: a.sparse_mask(b), gradient=x.dtype in GRADIENTS,
               dense=lambda a, b: torch.where(specified, a, 0))
    for s in each(LAYOUT_DTYPES, [coalesced, empty, one, zeros]):
        case(quarters(3, 4, dtype=s.dtype), s)
    case(quarters(3, 4), csr(float32))
    case(other(float32), coalesced(float32))
    case(uncoalesced(float32), coalesced(float32))
    case(quarters(3, 2, 2), hybrid(float32))
    f.op("topbit::drop_zeros")
    for d in LAYOUT_DTYPES:
        for kind in (zeros, coalesced):
            f.case(kind(d), torch_call=lambda s: densified(s).to_sparse(), dense=lambda x: x)
        f.case(csr_zeros(d), torch_call=lambda s: densified(s).to_sparse_csr(), dense=lambda x: x)
    f.case(coo([[0, 0, 1], [1, 1, 0]], T([1.0, -1.0, 2.0]), [2, 2], False), flag="sum",
           torch_call=lambda s: densified(s).to_sparse())


def family():
    f = LayoutFamily("Transposition, selection, joining and masks of sparse tensors.", ((float32, 1e-6, 0),))
    transpositions(f)
    sizes_of_one(f)
    selections(f)
    joining(f)
    masks(f)
    return f
