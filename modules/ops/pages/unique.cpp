module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::detail {

namespace {

using author::page;
using author::raises;

constexpr author::operator_page pages[] = {
    page<ops::isin, ops::isin_out>({
        .summary = "Tells which elements are among test_elements, or are not with invert; NaN is among none.",
        .shapes = "elements: [..], test_elements: [..] -> elements'",
        .dtypes = "any; both are promoted; the result is bool, in out 1 and 0 of that dtype",
        .memory = "the result is new and dense; or out, which may overlap the arguments",
        .cost = "one sort of test_elements, a search among them for each element, log n comparisons for n, and four "
                "passes over elements; assume_unique saves nothing",
        .errors = {raises<shape_error>("out has other sizes than elements, or elements that share memory",
                                       "isin.Tensor_Tensor_out([1, 2], [1], out=[0])"),
                   raises<device_error>("the tensors are on different devices")},
        .examples = {{"isin.Tensor_Tensor([1, 2, 3], [3, 1])", "[true, false, true] (bool [3])"},
                     {"isin.Tensor_Tensor([1.0, nan], [1.0, nan], invert=True)", "[false, true] (bool [2])"}},
    }),
    page<ops::isin_scalar, ops::isin_scalar_out>({
        .summary = "Tells which elements equal test_element, or do not with invert; NaN equals nothing: eq and ne.",
        .shapes = "elements: [..] -> the same",
        .dtypes = "any; both are promoted; the result is bool, in out 1 and 0 of that dtype",
        .memory = "the result is new and dense, in the memory order of elements; or out, which may overlap them",
        .cost = "one pass; elements are converted on the way, and the number is first made a tensor; one copy more for "
                "out",
        .errors = {raises<shape_error>("out has other sizes than elements, or elements that share memory",
                                       "isin.Tensor_Scalar_out([1, 2], 2, out=[0])"),
                   raises<device_error>("elements and out are on different devices")},
        .examples = {{"isin.Tensor_Scalar([1, 2], 2)", "[false, true] (bool [2])"},
                     {"isin.Tensor_Scalar([1, 2], 2, invert=True)", "[true, false] (bool [2])"}},
    }),
    page<ops::isin_scalar_base, ops::isin_scalar_base_out>({
        .summary = "Tells whether a number is among test_elements, or is not with invert; NaN is not.",
        .shapes = "test_elements: [..] -> []",
        .dtypes = "any; both are promoted; the result is bool, in out 1 or 0 of that dtype",
        .memory = "the result is new; or out, which may overlap test_elements",
        .cost = "one pass into a new tensor of test_elements' sizes, and one over that",
        .errors = {raises<shape_error>("out has dimensions", "isin.Scalar_Tensor_out(1, [3, 1], out=[0])"),
                   raises<device_error>("test_elements and out are on different devices")},
        .examples = {{"isin.Scalar_Tensor(1, [3, 1])", "true (bool [])"},
                     {"isin.Scalar_Tensor(1, [3, 1], invert=True)", "false (bool [])"}},
    }),
};

}  // namespace

void publish_unique_pages() { author::publish_pages({"Which elements there are", pages}).keep(); }

}  // namespace topbit::detail
