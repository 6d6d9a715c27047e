"""Sparse tensors from parts and from other tensors, their parts, conversions, copies."""
import torch

from layout_writer import LayoutFamily, coo
from samples import *


def constructors(f):
    f.op("aten::sparse_coo_tensor.indices_size")
    for d in LAYOUT_DTYPES:
        values = numbers(d, 3)
        f.case(T([[0, 2, 1], [3, 0, 1]]), values, [3, 4], torch_call=lambda i, v, s: torch.sparse_coo_tensor(i, v, s))
    f.case(T([[0, 2, 1]]), numbers(float32, 3, 2), [3, 2], torch_call=lambda i, v, s: torch.sparse_coo_tensor(i, v, s))
    f.case(T([[0, 2, 2]]), numbers(float32, 3), [3], torch_call=lambda i, v, s: torch.sparse_coo_tensor(i, v, s))
    f.case(none(2, 0, dtype=int64), none(0), [2, 0], torch_call=lambda i, v, s: torch.sparse_coo_tensor(i, v, s))
    f.case(T([[0, 2, 1], [3, 0, 1]], int32), numbers(float32, 3), [3, 4],
           torch_call=lambda i, v, s: torch.sparse_coo_tensor(i, v, s))
    checked = lambda i, v, s: torch.sparse_coo_tensor(i, v, s, check_invariants=True)  # noqa: E731
    f.error("index", T([[0, 3], [0, 0]]), numbers(float32, 2), [3, 4], torch_call=checked)
    f.error("index", T([[0, -1], [0, 0]]), numbers(float32, 2), [3, 4], torch_call=checked)
    f.error("shape", T([[0, 1], [0, 0]]), numbers(float32, 3), [3, 4], torch_call=checked)
    f.error("shape", T([0, 1]), numbers(float32, 2), [3, 4], torch_call=checked)
    f.error("shape", T([[0, 1], [0, 0]]), numbers(float32, 2), [3], torch_call=checked)
    f.error("shape", T([[0, 1], [0, 0]]), numbers(float32, 2, 2), [3, 4, 3], torch_call=checked)
    f.error("shape", T([[0, 1], [0, 0]]), numbers(float32, 2), [3, -4], torch_call=checked)
    f.error("shape", T([[0, 1], [0, 0]]), numbers(float32, 2), [2 ** 40, 2 ** 40], torch_call=checked)
    f.op("aten::sparse_coo_tensor.indices")
    f.case(T([[0, 2, 1], [3, 0, 1]]), numbers(float32, 3), torch_call=torch.sparse_coo_tensor)
    f.case(T([[0, 2, 1]]), numbers(int64, 3, 2), torch_call=torch.sparse_coo_tensor)
    f.case(none(1, 0, dtype=int64), none(0), torch_call=torch.sparse_coo_tensor)
    for layout, name in ((torch.sparse_csr, "csr"), (torch.sparse_csc, "csc")):
        make = lambda c, p, v, s: torch.sparse_compressed_tensor(c, p, v, s, layout=layout, check_invariants=True)  # noqa: E731
        first = "crow_col" if name == "csr" else "ccol_row"
        f.op(f"aten::sparse_{name}_tensor.{first}_value_size")
        sizes = [3, 4] if name == "csr" else [4, 3]
        for d in LAYOUT_DTYPES:
            f.case(T([0, 2, 2, 4]), T([0, 3, 1, 2]), numbers(d, 4), sizes, torch_call=make)
        f.case(T([0, 2, 2, 4], int32), T([0, 3, 1, 2], int32), numbers(float32, 4), sizes, torch_call=make)
        f.case(T([0, 0, 0, 0]), none(0, dtype=int64), none(0), sizes, torch_call=make)
        f.case(T([0]), none(0, dtype=int64), none(0), [0, 4] if name == "csr" else [4, 0], torch_call=make)
        for compressed, plain in (([1, 2, 2, 4], [0, 3, 1, 2]), ([0, 2, 2, 3], [0, 3, 1, 2]), ([0, 3, 2, 4], [0, 3, 1, 2]),
                                  ([0, 2, 2, 4], [0, 4, 1, 2]), ([0, 2, 2, 4], [0, -1, 1, 2]), ([0, 2, 2, 4], [3, 0, 1, 2]),
                                  ([0, 2, 2, 4], [0, 0, 1, 2])):
            f.error("index", T(compressed), T(plain), numbers(float32, 4), sizes, torch_call=make)
        f.error("shape", T([0, 2, 4]), T([0, 3, 1, 2]), numbers(float32, 4), sizes, torch_call=make)
        f.error("shape", T([0, 2, 2, 4]), T([0, 3, 1, 2]), numbers(float32, 3), sizes, torch_call=make)
    f.op("aten::sparse_compressed_tensor.comp_plain_value_size")
    for layout in (torch.sparse_csr, torch.sparse_csc):
        f.case(T([0, 2, 2, 4]), T([0, 3, 1, 2]), numbers(float32, 4), [3, 4] if layout == torch.sparse_csr else [4, 3],
               layout=layout, torch_call=torch.sparse_compressed_tensor)


def parts(f):
    f.op("aten::coalesce")
    for s in each(kinds=COO + [cube]):
        f.case(s, dense=lambda x: x, kind="dense", gradient=s.dtype in (float32, float64))
    f.case(coo([[0] * 7], T([0.1] * 7, float32), [1], False))
    for name, call in (("is_coalesced", lambda s: s.is_coalesced()), ("_nnz", lambda s: s._nnz()),
                       ("sparse_dim", lambda s: s.sparse_dim()), ("dense_dim", lambda s: s.dense_dim())):
        f.op(f"aten::{name}")
        for kind in COO:
            f.case(kind(float32), torch_call=call)
        if name == "_nnz":
            for kind in CSR:
                f.case(kind(float32), torch_call=call)
    for name in ("indices", "values"):
        f.op(f"aten::{name}")
        for d in LAYOUT_DTYPES if name == "values" else [float32]:
            for kind in (coalesced, hybrid, empty, one, zeros):
                f.case(kind(d), gradient=name == "values" and d == float32)
        f.error("value", uncoalesced(float32))
    f.op("aten::_indices")
    f.case(uncoalesced(float32))
    f.op("aten::_values")
    f.case(uncoalesced(float32))
    f.op("aten::values")
    for kind in CSR:
        f.case(kind(float32), gradient=True)
    for name, kinds in (("crow_indices", [csr, csr_empty]), ("col_indices", [csr, csr_empty]), ("ccol_indices", [csc]),
                        ("row_indices", [csc])):
        f.op(f"aten::{name}")
        for kind in kinds:
            f.case(kind(float32))
            if kind in (csr, csc):
                f.case(kind(float32, index=torch.int32))


def conversions(f):
    to_dense = lambda s: s.to_dense()  # noqa: E731
    f.op("aten::to_dense")
    for s in each(kinds=ALL_KINDS + [cube]):
        f.case(s, torch_call=to_dense, dense=lambda x: x, gradient=s.dtype in (float32, float64))
    for d in LAYOUT_DTYPES:
        full = coalesced(d).to_dense()
        f.op("aten::to_sparse")
        f.case(full, torch_call=lambda x: x.to_sparse(), gradient=d in (float32, float64))
        f.op("aten::to_sparse.sparse_dim")
        f.case(hybrid(d).to_dense(), 2, torch_call=lambda x, n: x.to_sparse(n), gradient=d == float32)
        for name in ("csr", "csc"):
            f.op(f"aten::to_sparse_{name}")
            call = lambda x: getattr(x, f"to_sparse_{name}")()  # noqa: E731, B023
            f.case(full, torch_call=call, gradient=d == float32)
            for kind in (coalesced, uncoalesced, empty, one, zeros, csr, csc):
                f.case(kind(d), torch_call=call, dense=lambda x: x, gradient=d in (float32, float64))
    f.op("aten::to_sparse")
    f.case(T([[0.0, -0.0, nan], [1.0, 0.0, inf]]), torch_call=lambda x: x.to_sparse())
    f.case(none(0, 3), torch_call=lambda x: x.to_sparse())
    for kind in CSR:
        # PyTorch's entries of a CSC matrix stay in the order of columns.
        f.case(kind(float32), torch_call=lambda x: x.to_sparse(), dense=lambda x: x, flag="sum", gradient=True)


def copies(f):
    for name, call in (("clone", torch.clone), ("detach", torch.detach)):
        f.op(f"aten::{name}")
        for s in each():
            f.case(s, torch_call=call)
    f.op("aten::zeros_like")
    for s in each():
        f.case(s, torch_call=torch.zeros_like)
    f.op("aten::empty_like")
    for kind in COO:
        f.case(kind(float32), torch_call=torch.empty_like)
    f.op("aten::_to_copy")
    for kind in (coalesced, uncoalesced, hybrid, csr, csc):
        for source, target in ((float32, float64), (float64, float16), (int64, float32), (float32, int32), (float32, float32)):
            # Entries at one place are added before a conversion, and there is one of them afterwards.
            if kind is uncoalesced and source is not target:
                continue
            f.case(kind(source), dtype=target, torch_call=lambda s, dtype: s.to(dtype, copy=True))
    f.op("aten::copy_")
    f.case(coalesced(float32), other(float32), torch_call=lambda a, b: a.clone().copy_(b))
    f.case(empty(float32), uncoalesced(float32), torch_call=lambda a, b: a.clone().copy_(b))


def family():
    f = LayoutFamily("Sparse tensors from parts and other tensors, their parts, conversions, copies.",
                     ((float32, 1e-6, 0),))
    constructors(f)
    parts(f)
    conversions(f)
    copies(f)
    return f
