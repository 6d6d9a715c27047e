"""The same elements with other sizes, and copies of them."""
from values import *
from writer import Family


def numbered(dtype, *sizes):
    """Every element tells which it is, as far as its dtype can."""
    return permuted(*sizes, dtype=dtype) if dtype != boolean else quarters(*sizes, dtype=boolean)


def simple(f, name, sizes, *args, rules=("signed zeros",), more=(), wrong=(), empty=None, **kwargs):
    """One call of every dtype, `more` arguments for float32, `wrong` ones as (kind, arguments)."""
    f.op(f"aten::{name}", *rules)
    f.every(lambda d: (numbered(d, *sizes), *args), **kwargs)
    for extra in more:
        f.case(numbered(float32, *sizes), *extra)
    for kind, *extra in wrong:
        f.error(kind, numbered(float32, *sizes), *extra)
    if empty is not None:
        f.case(none(*empty), *args, **kwargs)


def dimensions(f):
    simple(f, "permute", (2, 3, 2), [2, 0, 1], more=([[0, 1, 2]], [[-1, -2, -3]]),
           wrong=(("shape", [0, 1]), ("shape", [0, 0, 1]), ("shape", [0, 1, 3])), empty=(0, 2, 3))
    for name in ("transpose.int", "swapaxes", "swapdims"):
        simple(f, name, (2, 3, 2), 0, 1, more=([-1, 0], [1, 1]), wrong=(("shape", 0, 3), ("shape", -4, 0)))
    simple(f, "movedim.int", (2, 3, 2), 0, 2, more=([-1, 0], [1, 1]), wrong=(("shape", 0, 3),))
    simple(f, "movedim.intlist", (2, 3, 2), [0, 1], [2, 0], more=([[], []], [[-1], [0]]),
           wrong=(("shape", [0], [3]), ("value", [0, 1], [0]), ("shape", [0, 0], [0, 1])))
    for name in ("t", "numpy_T"):
        simple(f, name, (2, 3))
        f.case(quarters(3))
        f.case(T(1.5))
    f.op("aten::t")
    f.error("shape", quarters(2, 2, 2))
    for name in ("mT", "mH", "adjoint"):
        simple(f, name, (2, 2, 3))
        f.error("shape", quarters(3))
    simple(f, "matrix_H", (2, 3))
    f.error("shape", quarters(2, 2, 2))
    simple(f, "squeeze", (2, 1, 3, 1))
    f.case(T([[1.5]]))
    f.case(T(1.5))
    simple(f, "squeeze.dim", (2, 1, 3), 1, more=([0], [-2]), wrong=(("shape", 3),))
    f.case(T(1.5), 0)
    simple(f, "unsqueeze", (2, 3), 1, more=([0], [2], [-1], [-3]), wrong=(("shape", 3), ("shape", -4)))
    f.case(T(1.5), 0)
    simple(f, "unflatten.int", (2, 6), 1, [2, 3], more=([-1, [3, -1]], [0, [2, 1]]),
           wrong=(("shape", 1, [4, 2]), ("shape", 2, [2])), rules=("signed zeros", "dense"))
    simple(f, "flatten.using_ints", (2, 3, 2), more=([1], [0, 1], [1, 1], [-2, -1]),
           wrong=(("shape", 2, 1), ("shape", 3)), empty=(0, 3, 2))
    f.case(T(1.5))
    simple(f, "ravel", (2, 3, 2))
    simple(f, "reshape", (2, 6), [3, 4], more=([[12]], [[-1, 3]], [[1, 2, 1, 6]], [[2, -1]]),
           wrong=(("shape", [5]), ("shape", [-1, -1]), ("shape", [-1, 5]), ("shape", [-2, 6])))
    f.case(none(0, 3), [3, 0])
    f.error("shape", none(0, 3), [-1, 0])
    simple(f, "view", (2, 6), [3, 4], more=([[12]], [[-1, 3]], [[1, 2, 1, 6]], [[2, -1]]),
           wrong=(("shape", [5]), ("shape", [-1, -1])), rules=("signed zeros", "dense"))
    for name in ("view_as", "reshape_as"):
        f.op(f"aten::{name}", *(["dense"] if name == "view_as" else []))
        f.every(lambda d: (numbered(d, 2, 3), quarters(3, 2)))
        f.error("shape", quarters(2, 3), quarters(2, 2))


def parts(f):
    simple(f, "select.int", (2, 3, 2), 1, 2, more=([0, -1], [-1, 0]),
           wrong=(("value", 1, 3), ("value", 1, -4), ("shape", 3, 0)))
    f.error("shape", T(1.5), 0, 0)
    simple(f, "slice.Tensor", (5, 3), 0, 1, 4, more=([0, None, None, 2], [0, 3], [0, -2], [1, 0, 100], [0, 4, 1],
                                                     [1, 1, 2], [-2, -100, 3, 2]),
           wrong=(("value", 0, 0, 2, 0), ("value", 0, 0, 2, -1), ("shape", 2)))
    simple(f, "narrow", (5, 3), 0, 1, 3, more=([1, 0, 0], [-1, -2, 2], [0, 5, 0]),
           wrong=(("value", 0, 3, 3), ("value", 0, 6, 0), ("value", 0, 0, -1), ("shape", 2, 0, 1)))
    simple(f, "unfold", (5, 3), 0, 2, 2, more=([0, 3, 1], [1, 3, 1], [-1, 1, 2], [0, 0, 1]),
           wrong=(("value", 0, 6, 1), ("value", 0, 2, 0), ("value", 0, -1, 1), ("shape", 2, 1, 1)))
    simple(f, "diagonal", (3, 4), more=([1], [-2], [3], [4], [0, 1, 0]), wrong=(("shape", 0, 0, 0), ("shape", 0, 0, 2)))
    f.case(numbered(float32, 2, 3, 2), 0, 0, 2)
    f.case(numbered(float32, 2, 3, 2), 1, -1, -2)
    simple(f, "as_strided", (2, 6), [3, 2], [2, 1], rules=("signed zeros", "dense"),
           more=([[2, 3], [1, 2], 3], [[4], [0]], [[], []], [[0, 5], [1, 1]]),
           wrong=(("shape", [2], [1, 1]), ("shape", [13], [1]), ("shape", [2], [1], 11), ("shape", [-1], [1])))
    simple(f, "unbind.int", (2, 3), more=([1], [-1]), wrong=(("shape", 2),))
    f.error("shape", T(1.5))
    simple(f, "chunk", (5, 2), 2, more=([3], [5], [7], [2, 1]), wrong=(("value", 0), ("shape", 2, 2)))
    simple(f, "split.Tensor", (5, 2), 2, more=([5], [7], [1, 1], [3, -2]), wrong=(("value", -1), ("value", 0), ("shape", 1, 2)))
    for name in ("split.sizes", "split_with_sizes"):
        simple(f, name, (5, 2), [2, 3], more=([[5]], [[1, 0, 4]], [[1, 1], 1]),
               wrong=(("value", [2, 2]), ("value", [6, -1]), ("shape", [5], 2)))
    simple(f, "tensor_split.sections", (5, 2), 2, more=([3], [7], [2, 1]), wrong=(("value", 0), ("shape", 2, 2)))
    simple(f, "tensor_split.tensor_indices_or_sections", (5, 2), T(2), rules=("signed zeros", "meta raises"),
           more=([T(7)], [T(2), 1], [T([1, 3])], [none(0, dtype=int64)], [T([3, -1])], [T([1]), 1]),
           wrong=[("value", *wrong) for wrong in ((T(0),), (T(2), 2), (T([1]), 2), (T(2.0),), (T(2, int32),), (T([[1]]),))])
    simple(f, "tensor_split.indices", (5, 2), [1, 3], more=([[]], [[3, 1]], [[-1]], [[2, 9]], [[1], 1]),
           wrong=(("shape", [1], 2),))


def overwritten(f):
    """Copies in which a view is overwritten."""
    def scatter(name, sizes, part, *args, rules=("signed zeros",), more=(), wrong=()):
        f.op(f"aten::{name}_scatter", *rules)
        f.every(lambda d: (numbered(d, *sizes), quarters(*part, dtype=d), *args))
        for d, e in ((float32, float64), (float16, float32), (int64, float32), (float32, int8), (boolean, float32)):
            f.case(numbered(d, *sizes), quarters(*part, dtype=e), *args)
        for other, *extra in more:
            f.case(numbered(float32, *sizes), quarters(*other), *extra)
        for kind, other, *extra in wrong:
            f.error(kind, numbered(float32, *sizes), quarters(*other), *extra)

    scatter("select", (2, 3, 2), (2, 2), 1, 2, more=(((3, 2), 0, -1), ((2, 3), -1, 0)),
            wrong=(("shape", (2, 1), 1, 2), ("shape", (2,), 1, 2), ("shape", (2, 1, 2), 1, 2), ("value", (2, 2), 1, 3),
                   ("value", (2, 2), 1, -4), ("shape", (2, 2), 3, 0)))
    f.case(quarters(3), T(1.5), 0, 1)
    f.error("shape", T(1.5), T(2.5), 0, 0)
    f.error("shape", none(0, 2), quarters(2), 0, 0)
    scatter("slice", (5, 3), (3, 3), 0, 1, 4,
            more=(((5, 3),), ((3, 3), 0, None, None, 2), ((2, 3), 0, 3), ((3, 3), 0, None, -2), ((5, 3), 1, 0, 100),
                  ((0, 3), 0, 4, 1), ((5, 1), 1, 1, 2, 2), ((2, 3), -2, -100, 3, 2)),
            wrong=(("shape", (3,), 0, 1, 4), ("shape", (1, 3), 0, 1, 4), ("shape", (3, 1), 0, 1, 4),
                   ("value", (2, 3), 0, 0, 2, 0), ("value", (2, 3), 0, 0, 2, -1), ("shape", (5, 3), 2)))
    f.case(none(0, 2), none(0, 2))
    scatter("diagonal", (3, 4), (3,), more=(((3,), 1), ((1,), -2), ((1,), 3), ((0,), 4), ((3,), 0, 1, 0)),
            wrong=(("shape", (1,)), ("shape", (3, 1)), ("shape", (3,), 0, 0, 0), ("shape", (3,), 0, 0, 2)))
    f.case(numbered(float32, 2, 3, 2), quarters(3, 2), 0, 0, 2)
    f.case(numbered(float32, 2, 3, 2), quarters(2, 2), 1, -1, -2)
    scatter("as_strided", (2, 6), (3, 2), [3, 2], [3, 1], rules=("signed zeros", "dense"),
            more=(((2, 3), [2, 3], [1, 2], 3), ((1, 4), [1, 4], [0, 3]), ((), [], []), ((), [], [], 11),
                  ((0, 5), [0, 5], [1, 1]), ((12,), [12], [1], 0)),
            wrong=(("shape", (2,), [2], [1, 1]), ("shape", (13,), [13], [1]), ("shape", (2,), [2], [1], 11),
                   ("shape", (2,), [2], [0]), ("shape", (1,), [2], [1]), ("shape", (2, 1), [2], [1])))
    f.op("aten::as_strided_copy", "signed zeros", "dense")
    f.every(lambda d: (numbered(d, 2, 6), [3, 2], [3, 1]))
    f.case(numbered(float32, 2, 6), [2, 3], [0, 2], 3)
    f.case(numbered(float32, 2, 6), [], [], 11)
    f.case(numbered(float32, 2, 6), [0, 5], [1, 1])
    f.error("shape", numbered(float32, 2, 6), [13], [1])
    f.error("shape", numbered(float32, 2, 6), [2], [1, 1])


def spread(f):
    simple(f, "expand", (2, 1), [2, 3], more=([[-1, 3]], [[4, 2, 1]], [[4, -1, 2]], [[2, 0]]),
           wrong=(("shape", [3, 1]), ("shape", [2]), ("shape", [-1, 2, 1])))
    f.case(T(1.5), [2, 2])
    simple(f, "broadcast_to", (2, 1), [2, 3], more=([[4, 2, 1]],), wrong=(("shape", [3, 1]), ("shape", [2])))
    f.op("aten::expand_as")
    f.every(lambda d: (numbered(d, 2, 1), quarters(2, 3)))
    f.error("shape", quarters(2, 3), quarters(2, 1))
    f.op("aten::broadcast_tensors")
    f.every(lambda d: ([numbered(d, 2, 1), quarters(3)],))
    f.case([quarters(2, 3)])
    f.case([T(1.5), quarters(0, 2)])
    f.error("shape", [quarters(2), quarters(3)])
    for name, kwargs in (("meshgrid", {}), ("meshgrid.indexing", {"indexing": "xy"})):
        f.op(f"aten::{name}")
        f.every(lambda d: ([numbered(d, 2), numbered(d, 3)],), **kwargs)
        f.case([quarters(2), T(1.5)], **kwargs)
        f.error("shape", [quarters(2, 2)], **kwargs)
        f.error("dtype", [quarters(2), quarters(2, dtype=float64)], **kwargs)
        f.error("value", [], **kwargs)
    f.case([quarters(2), quarters(3)], indexing="ij")
    f.error("value", [quarters(2)], indexing="yx")
    for name in ("atleast_1d", "atleast_2d", "atleast_3d"):
        f.op(f"aten::{name}")
        f.every(lambda d: numbered(d, 3))
        f.case(T(1.5))
        f.case(quarters(2, 3))
        f.case(quarters(2, 1, 2))
        f.op(f"aten::{name}.Sequence")
        f.every(lambda d: ([numbered(d, 3), numbered(d, 2, 2)],))
        f.case([T(1.5), quarters(2, 1, 2), T([1, 2])])
        f.case([])
    for name in ("hstack", "vstack"):
        f.op(f"aten::{name}", "signed zeros")
        f.every(lambda d: ([numbered(d, 2, 2), numbered(d, 2, 2)],))
        f.case([quarters(2), quarters(2)])
        f.case([T(1.5), T(2.5)])
        f.case([T([1], int8), T([1.5], float16)])
        f.error("shape", [quarters(2, 3), quarters(3, 2)])
        f.error("value", [])


def copies(f):
    for name in ("alias", "detach", "clone", "contiguous", "to_dense"):
        simple(f, name, (2, 3), empty=(0, 2))
        f.case(T(1.5))
    f.op("aten::_to_copy", "signed zeros")
    for d in ALL:
        for e in ALL:
            f.case(shaped(some(d), 4, dtype=d), dtype=e)
    for d in FLOATS:
        f.case(T([0.0, -0.0, nan, inf, 1.0039, 1.0117, 65519.0, 70000.0, 1e-8], d), dtype=float16)
        f.case(T([0.0, -0.0, nan, inf, 1.0039, 1.0117, 65519.0, 70000.0, 1e-8], d), dtype=bfloat16)
        f.case(T([nan, 0.25, -0.0, inf], d), dtype=boolean)
    f.case(quarters(2, 3))
    f.op("aten::copy_", "signed zeros")
    for d in ALL:
        for e in ALL:
            f.case(shaped([1], 2, 3, dtype=d), shaped(some(e), 3, dtype=e))
    f.case(quarters(2, 2), T(2.5))
    f.error("shape", quarters(2), quarters(3))
    f.error("shape", quarters(2), quarters(2, 2))


def family():
    f = Family("The same elements with other sizes, and copies of them. All exact.")
    dimensions(f)
    parts(f)
    overwritten(f)
    spread(f)
    copies(f)
    return f
