"""Sparse tensors: small, one for each kind of pattern, of any dtype."""
import torch

from layout_writer import coo
from values import *  # noqa: F401, F403
from values import some, shaped, T

LAYOUT_DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int32, torch.int64, torch.bool]
LAYOUT_FLOATS = LAYOUT_DTYPES[:4]
NUMBERS = LAYOUT_DTYPES[:-1]


def numbers(dtype, *sizes, seed=0):
    return shaped(some(dtype, seed), *sizes, dtype=dtype)


def coalesced(d, seed=0):
    return coo([[0, 0, 1, 2], [0, 2, 1, 3]], numbers(d, 4, seed=seed), [3, 4], True)


def other(d, seed=2):
    """Shares two places with coalesced()."""
    return coo([[0, 1, 2, 2], [2, 0, 0, 3]], numbers(d, 4, seed=seed), [3, 4], True)


def uncoalesced(d, seed=1):
    return coo([[2, 0, 2, 0, 1], [1, 3, 1, 0, 2]], numbers(d, 5, seed=seed), [3, 4], False)


def hybrid(d, seed=0):
    return coo([[0, 1, 2], [1, 0, 1]], numbers(d, 3, 2, seed=seed), [3, 2, 2], True)


def hybrid_uncoalesced(d, seed=0):
    return coo([[1, 0, 1]], numbers(d, 3, 2, seed=seed), [3, 2], False)


def empty(d):
    return coo(torch.zeros(2, 0, dtype=torch.int64), torch.zeros(0, dtype=d), [3, 4], True)


def one(d):
    return coo([[1], [2]], numbers(d, 1), [3, 4], True)


def zeros(d):
    """Explicit zeros beside another element."""
    return coo([[0, 1, 2], [1, 1, 0]], T([0, 1, 0], d), [3, 4], True)


def cube(d):
    return coo([[0, 0, 1], [1, 2, 0], [1, 0, 1]], numbers(d, 3), [2, 3, 2], True)


def csr(d, seed=0, index=torch.int64, sizes=(3, 4)):
    """With an empty line."""
    return torch.sparse_csr_tensor(T([0, 2, 2, 4], index), T([0, 3, 1, 2], index), numbers(d, 4, seed=seed), sizes)


def other_csr(d, seed=2):
    return torch.sparse_csr_tensor(T([0, 1, 2, 4]), T([3, 0, 0, 2]), numbers(d, 4, seed=seed), (3, 4))


def csc(d, seed=0, index=torch.int64):
    return torch.sparse_csc_tensor(T([0, 1, 1, 3, 4], index), T([2, 0, 1, 0], index), numbers(d, 4, seed=seed), (3, 4))


def csr_empty(d):
    return torch.sparse_csr_tensor(T([0, 0, 0, 0]), torch.zeros(0, dtype=torch.int64), torch.zeros(0, dtype=d), (3, 4))


def csr_one(d):
    return torch.sparse_csr_tensor(T([0, 0, 1, 1]), T([2]), numbers(d, 1), (3, 4))


def csr_zeros(d):
    return torch.sparse_csr_tensor(T([0, 1, 2, 3]), T([1, 1, 0]), T([0, 1, 0], d), (3, 4))


COO = [coalesced, uncoalesced, hybrid, hybrid_uncoalesced, empty, one, zeros]
CSR = [csr, csc, csr_empty, csr_one, csr_zeros, lambda d: csr(d, index=torch.int32)]
# One for each kind of 3 x 4 matrix.
MATRICES = [coalesced, uncoalesced, empty, one, zeros]
ALL_KINDS = COO + CSR


def each(dtypes=LAYOUT_DTYPES, kinds=ALL_KINDS):
    """All kinds of float64 and float32 tensors, which have gradients; of others those that differ in their code."""
    for d in dtypes:
        for kind in kinds:
            if d in (torch.float32, torch.int64) or kind in (coalesced, uncoalesced, hybrid, csr, csc):
                yield kind(d)
