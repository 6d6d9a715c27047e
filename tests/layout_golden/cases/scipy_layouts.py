"""Two-dimensional cases by scipy.sparse, which shares no code with PyTorch: random matrices, larger than the others."""
import numpy
import scipy.sparse
import torch

from layout_writer import LayoutFamily
from samples import *

TYPES = {numpy.float32: float32, numpy.float64: float64, numpy.int32: int32, numpy.int64: int64}


def random_matrix(rows, columns, density, dtype, seed):
    """Multiples of 1/4, or whole numbers: sums and products of some are exact."""
    generator = numpy.random.default_rng(seed)
    mask = generator.random((rows, columns)) < density
    values = generator.integers(-8, 9, (rows, columns))
    values = values / 4 if numpy.issubdtype(dtype, numpy.floating) else values
    return scipy.sparse.csr_matrix(numpy.where(mask, values, 0).astype(dtype))


def tensor_of(m):
    """Of scipy's csr, csc or coo matrix, as it is."""
    if m.format == "coo":
        places = torch.tensor(numpy.stack([m.row, m.col]).astype(numpy.int64))
        s = torch.sparse_coo_tensor(places, torch.tensor(m.data), m.shape)
        return s._coalesced_(bool(m.has_canonical_format))
    m.sort_indices()
    make = torch.sparse_csr_tensor if m.format == "csr" else torch.sparse_csc_tensor
    return make(torch.tensor(m.indptr.astype(numpy.int64)), torch.tensor(m.indices.astype(numpy.int64)),
                torch.tensor(m.data), m.shape)


def answered(f, result, *args):
    f.case(*args, torch_call=lambda *a: result, flag="sum")


def family():
    f = LayoutFamily("Two-dimensional sparse matrices, by scipy.", ((float32, 2e-6, 1e-6), (float64, 1e-12, 1e-12)))
    for number, t in enumerate(TYPES):
        a = random_matrix(9, 7, 0.3, t, number)
        b = random_matrix(7, 8, 0.3, t, number + 10)
        c = random_matrix(9, 7, 0.3, t, number + 20)
        wide = random_matrix(6, 7, 1.0, t, number + 30).toarray()
        x = random_matrix(7, 5, 1.0, t, number + 40).toarray()
        f.op("aten::mm")
        for convert in (scipy.sparse.csr_matrix, scipy.sparse.csc_matrix, scipy.sparse.coo_matrix):
            answered(f, torch.tensor(convert(a) @ x), tensor_of(convert(a)), torch.tensor(x))
            answered(f, torch.tensor(wide @ convert(b).toarray()), torch.tensor(wide), tensor_of(convert(b)))
        answered(f, torch.tensor(wide[:, :7] @ c.T.tocsc().toarray()), torch.tensor(wide), tensor_of(c.T.tocsc()))
        product = (a @ b).tocsr()
        answered(f, tensor_of(product), tensor_of(a), tensor_of(b))
        answered(f, tensor_of(scipy.sparse.coo_matrix(product)), tensor_of(scipy.sparse.coo_matrix(a)),
                 tensor_of(scipy.sparse.coo_matrix(b)))
        f.op("aten::add.Tensor")
        answered(f, tensor_of(union(a, c)), tensor_of(a), tensor_of(c))
        answered(f, tensor_of(scipy.sparse.coo_matrix(union(a, c))), tensor_of(scipy.sparse.coo_matrix(a)),
                 tensor_of(scipy.sparse.coo_matrix(c)))
        f.op("aten::t")
        answered(f, tensor_of(a.T), tensor_of(a))
        answered(f, tensor_of(a.tocsc().T), tensor_of(a.tocsc()))
        answered(f, tensor_of(a.T.tocsr().tocoo()), tensor_of(a.tocoo()))
        f.op("aten::coalesce")
        generator = numpy.random.default_rng(number)
        many = scipy.sparse.coo_matrix((wide.ravel()[:40], (generator.integers(0, 9, 40), generator.integers(0, 7, 40))),
                                       shape=(9, 7))
        summed = many.copy()
        summed.sum_duplicates()
        summed = summed.tocsr()  # row-major
        summed.sort_indices()
        answered(f, tensor_of(summed.tocoo()), tensor_of(many))
        f.op("aten::to_sparse_csr")
        answered(f, tensor_of(summed), tensor_of(many))
        answered(f, tensor_of(a), tensor_of(a.tocsc()))
        answered(f, tensor_of(a), tensor_of(a.tocoo()))
        f.op("aten::to_sparse_csc")
        answered(f, tensor_of(a.tocsc()), tensor_of(a))
        answered(f, tensor_of(a.tocsc()), tensor_of(a.tocoo()))
        f.op("aten::to_sparse")
        answered(f, tensor_of(a.tocoo()), tensor_of(a))
        answered(f, tensor_of(a.tocoo()), tensor_of(a.tocsc()))
        f.op("aten::to_dense")
        for m in (a, a.tocsc(), many):
            answered(f, torch.tensor(m.toarray()), tensor_of(m))
    return f


def union(a, c):
    """a + c with the places of both: scipy drops sums that are 0."""
    ones = lambda m: scipy.sparse.csr_matrix((numpy.ones_like(m.data), m.indices, m.indptr), shape=m.shape)  # noqa: E731
    places = (ones(a) + ones(c)).tocsr()
    places.sort_indices()
    full = (a + c).toarray()
    rows = numpy.repeat(numpy.arange(places.shape[0]), numpy.diff(places.indptr))
    places.data = full[rows, places.indices].astype(a.dtype)
    return places
