"""Gradients that are sparse, of strided leaves: those of embedding with sparse=True and its relatives."""
import torch

from layout_writer import LayoutFamily, layout_text
from samples import *
from writer import text_of


def gradient_case(f, leaf, given, *args, result, **kwargs):
    """The call's line, with a gradient of the leaf, the first argument, that is sparse: as PyTorch makes it, with an
    entry for each row that was looked up, in order."""
    x = leaf.clone().requires_grad_()
    out = result(x, *args)
    (gradient,) = torch.autograd.grad(out, x, given.to(out.dtype))
    assert gradient.layout == torch.sparse_coo
    f.add((leaf, *args), kwargs, f"{layout_text(out.detach())} => {text_of(given.to(out.dtype))} => "
          f"{layout_text(gradient, 'sum')}")


def family():
    f = LayoutFamily("Sparse gradients of strided tensors.", ((float32, 2e-6, 1e-7),))
    function = torch.nn.functional
    f.op("aten::embedding")
    for d in (float32, float64):
        table = quarters(5, 3, dtype=d)
        for index in (T([0, 4, 2]), T([[1, 1], [3, 1]]), T([], int64)):
            given = quarters(*index.shape, 3, seed=2)
            gradient_case(f, table, given, index, -1, False, True,
                          result=lambda x, i, *_: function.embedding(i, x, sparse=True))
        gradient_case(f, table, quarters(4, 3, seed=2), T([2, 0, 2, 1]), 2, False, True,
                      result=lambda x, i, *_: function.embedding(i, x, padding_idx=2, sparse=True))
    f.op("aten::gather")
    for d in (float32, float64):
        for dim, index in ((1, T([[0, 0], [2, 1], [3, 3]])), (0, T([[0, 1, 2, 2]]))):
            gradient_case(f, quarters(3, 4, dtype=d), quarters(*index.shape, seed=2), dim, index, sparse_grad=True,
                          result=lambda x, dim, i: torch.gather(x, dim, i, sparse_grad=True))
    return f
