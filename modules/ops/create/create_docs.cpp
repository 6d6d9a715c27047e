module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr std::string_view bad_strides =
    "strides and sizes differ in number, a stride or size is below 0, or their extent overflows 64 bits";
constexpr std::string_view by_default_float32 = "any; float32 by default";
constexpr std::string_view by_default_selfs = "any; the result has self's dtype by default";
constexpr std::string_view one_pass = "one pass of stores";
constexpr std::string_view no_pass = "one allocation; no element is accessed";

constexpr family_lines of_sizes_family = {
    .shapes = "size: sizes -> [size..]",
    .dtypes = by_default_float32,
    .memory = "the result is new, dense and row-major; or out, which keeps its strides",
    .cost = one_pass};
constexpr family_lines like_self_family = {
    .shapes = same_shape,
    .dtypes = by_default_selfs,
    .memory =
        "the result is new and dense, in the memory order of self, or row-major with memory_format contiguous_format",
    .cost = one_pass};
constexpr family_lines new_of_sizes_family = {.shapes = "self: [..], size: sizes -> [size..]",
                                              .dtypes = by_default_selfs,
                                              .memory = "the result is new, dense and row-major",
                                              .cost = one_pass};

constexpr operator_page pages[] = {
    page<of_sizes_family, aten::empty_memory_format, aten::empty_out>(
        {.summary = "Makes a tensor of these sizes without setting its elements, or checks that out has them.",
         .memory = "the result is new, dense, row-major and not initialised; or out, unchanged",
         .cost = no_pass,
         .errors = {wrong_sizes("empty.memory_format([-1])"),
                    bad_value("layout is not strided, pin_memory is True, or memory_format is preserve_format, with "
                              "nothing to preserve",
                              "empty.memory_format([2], memory_format=preserve_format)")},
         .examples = {{"empty.memory_format([2, 0])", "[[], []] (float32 [2, 0])"}}}),
    page<aten::empty_strided>(
        {.summary = "Makes a tensor of these sizes and strides without setting its elements.",
         .shapes = "size: sizes, stride: as many strides -> [size..]",
         .dtypes = by_default_float32,
         .memory = "the result is new and not initialised; with a stride of 0, or strides that overlap, its elements "
                   "share memory",
         .cost = "one allocation up to the last element that the strides reach; no element is accessed",
         .errors = {bad_shape(bad_strides, "empty_strided([2], [1, 1])")},
         .examples = {{"empty_strided([0, 3], [1, 1])", "[] (float32 [0, 3])"}}}),
    page<like_self_family, aten::empty_like>(
        {.summary = "Makes a tensor like self without setting its elements.",
         .memory = "the result is new, not initialised and dense, in the memory order of self, or row-major with "
                   "memory_format contiguous_format",
         .cost = no_pass,
         .examples = {{"empty_like([[], []])", "[[], []] (float32 [2, 0])"}}}),
    page<of_sizes_family, aten::full, aten::full_out>(
        {.summary = "Makes a tensor of these sizes with fill_value in every element.",
         .dtypes = "any; where dtype is not given, float32 for a floating value, int64 for an integer, bool for a "
                   "bool; the value is converted",
         .errors = {wrong_sizes("full([-1], 1)")},
         .examples = {{"full([2], 7)", "[7, 7] (int64 [2])"}, {"full([], 2.5)", "2.5 (float32 [])"}}}),
    page<like_self_family, aten::full_like>(
        {.summary = "Makes a tensor like self with fill_value in every element.",
         .dtypes = "any; the result has self's dtype by default, and the value is converted to it",
         .examples = {{"full_like([1.5, 2.5], 7)", "[7, 7] (float32 [2])"}}}),
    page<of_sizes_family, aten::zeros, aten::zeros_out>(
        {.summary = "Makes a tensor of these sizes with 0 in every element.",
         .errors = {wrong_sizes("zeros([-1])")},
         .examples = {{"zeros([2, 3])", "[[0, 0, 0], [0, 0, 0]] (float32 [2, 3])"}}}),
    page<like_self_family, aten::zeros_like>({.summary = "Makes a tensor like self with 0 in every element.",
                                              .examples = {{"zeros_like([1.5, 2.5])", "[0, 0] (float32 [2])"}}}),
    page<of_sizes_family, aten::ones, aten::ones_out>(
        {.summary = "Makes a tensor of these sizes with 1 in every element.",
         .errors = {wrong_sizes("ones([-1])")},
         .examples = {{"ones([2, 3])", "[[1, 1, 1], [1, 1, 1]] (float32 [2, 3])"},
                      {"ones([2], dtype=bool)", "[true, true] (bool [2])"}}}),
    page<like_self_family, aten::ones_like>(
        {.summary = "Makes a tensor like self with 1 in every element.",
         .examples = {{"ones_like([1.5, 2.5])", "[1, 1] (float32 [2])"},
                      {"ones_like([1.5, 2.5], dtype=int64)", "[1, 1] (int64 [2])"}}}),
    page<aten::scalar_tensor>(
        {.summary = "Makes a zero-dimensional tensor of one number.",
         .shapes = "s: a number -> []",
         .dtypes = "any; float32 by default, also for an integer or bool",
         .cost = "one allocation and one store",
         .examples = {{"scalar_tensor(2)", "2 (float32 [])"}, {"scalar_tensor(2, dtype=int64)", "2 (int64 [])"}}}),
    page<new_of_sizes_family, aten::new_empty>(
        {.summary = "Makes a tensor of these sizes, of self's dtype and on its device, without setting its elements.",
         .memory = "the result is new, dense, row-major and not initialised; of self no element is read",
         .cost = no_pass,
         .errors = {wrong_sizes("new_empty([1], [-1])")},
         .examples = {{"new_empty([1.5], [2, 0])", "[[], []] (float32 [2, 0])"}}}),
    page<aten::new_empty_strided>(
        {.summary = "Makes a tensor of these sizes and strides, of self's dtype and on its device, without setting its "
                    "elements.",
         .shapes = "self: [..], size: sizes, stride: as many strides -> [size..]",
         .dtypes = by_default_selfs,
         .memory = "the result is new and not initialised; with a stride of 0, or strides that overlap, its elements "
                   "share memory; of self no element is read",
         .cost = "one allocation up to the last element that the strides reach; no element is accessed",
         .errors = {bad_shape(bad_strides, "new_empty_strided([1], [2], [-1])")},
         .examples = {{"new_empty_strided([1.5], [0, 3], [1, 1])", "[] (float32 [0, 3])"}}}),
    page<new_of_sizes_family, aten::new_full>(
        {.summary =
             "Makes a tensor of these sizes, of self's dtype and on its device, with fill_value in every element.",
         .dtypes = "any; the result has self's dtype by default, and the value is converted to it",
         .errors = {wrong_sizes("new_full([1], [-1], 7)")},
         .examples = {{"new_full([1.5], [2], 7)", "[7, 7] (float32 [2])"}}}),
    page<new_of_sizes_family, aten::new_zeros>(
        {.summary = "Makes a tensor of these sizes, of self's dtype and on its device, with 0 in every element.",
         .errors = {wrong_sizes("new_zeros([1], [-1])")},
         .examples = {{"new_zeros([1.5], [2])", "[0, 0] (float32 [2])"}}}),
    page<new_of_sizes_family, aten::new_ones>(
        {.summary = "Makes a tensor of these sizes, of self's dtype and on its device, with 1 in every element.",
         .errors = {wrong_sizes("new_ones([1], [-1])")},
         .examples = {{"new_ones([1.5], [2])", "[1, 1] (float32 [2])"}}}),
    page<aten::fill_Scalar, aten::fill_Tensor, aten::fill_Scalar_, aten::fill_Tensor_>(
        {.summary = "Returns a tensor like self filled with value, or fills self with value.",
         .shapes = "self: [..], value: [] or a number -> self's",
         .dtypes = "any; the result has self's dtype, and value is converted to it",
         .memory =
             "the result is new and dense, in the memory order of self; or self, whose elements must not share memory",
         .cost = "one pass of stores; value may be on another device, from which it is copied",
         .errors = {bad_shape("value is a tensor with dimensions", "fill_.Tensor([1, 2], [2.5])")},
         .examples = {{"fill.Scalar([1, 2], 7)", "[7, 7] (int64 [2])"},
                      {"fill_.Tensor([1.5, 2.5], 7)", "[7, 7] (float32 [2])"}}}),
    page<like_self_family, aten::zero, aten::zero_>(
        {.summary = "Returns a tensor like self filled with 0, or fills self with 0.",
         .dtypes = "any; the result has self's dtype",
         .memory =
             "the result is new and dense, in the memory order of self; or self, whose elements must not share memory",
         .examples = {{"zero_([1.5, 2.5])", "[0, 0] (float32 [2])"}}}),
    page<aten::copy_, aten::copy>(
        {.summary =
             "Writes the elements of src to self, or for copy to a new tensor like it, converted and from any device.",
         .shapes = "self: [..], src: broadcasts to self -> self's",
         .dtypes =
             "any; elements are converted to self's dtype: integers wrap, fractions are dropped, all but 0 is true",
         .memory = "copy_ writes self, of any strides; src may overlap it, and is then copied first; the result is "
                   "self; that of copy is new, dense and row-major, and no element of self is read or written",
         .cost = "one pass; between devices src is made dense in self's dtype where it is, and then moved; "
                 "non_blocking has no effect",
         .errors = {bad_shape(
                        "src does not broadcast to self, or self, which is written, has elements that share memory",
                        "copy_([0], [1.5, 2.5])"),
                    raises<device_error>("src is on the meta device, and has no elements")},
         .examples = {{"copy_([0.0, 0.0], [1.5])", "[1.5, 1.5] (float32 [2])"},
                      {"copy_([0, 0], [1.5, -2.5])", "[1, -2] (int64 [2])"},
                      {"copy([[0], [0]], 7)", "[[7], [7]] (int64 [2, 1])"}}}),
    page<like_self_family, aten::_to_copy>(
        {.summary = "Copies self to another dtype or device, even if it has both already.",
         .dtypes =
             "any; the result has self's dtype by default: integers wrap, fractions are dropped, all but 0 is true",
         .cost = "one pass; to another device self is made dense in the new dtype where it is, and then moved; "
                 "non_blocking has no effect",
         .errors = {raises<device_error>("self is on the meta device, and the result is not")},
         .examples = {{"_to_copy([1.5, -2.5], dtype=int64)", "[1, -2] (int64 [2])"},
                      {"_to_copy([300, -1], dtype=uint8)", "[44, 255] (uint8 [2])"}}}),
    page<aten::to_dense, aten::_to_dense>(
        {.summary = "Returns self, or a tensor of another layout as a strided one.",
         .shapes = same_shape,
         .dtypes = by_default_selfs,
         .memory = "self if it is strided and of this dtype; else new and row-major",
         .cost = "one pass of stores; none for self",
         .examples = {{"to_dense([1.5, -2.5])", "[1.5, -2.5] (float32 [2])"},
                      {"to_dense([1.5, -2.5], dtype=int64)", "[1, -2] (int64 [2])"}}}),
    page<aten::_local_scalar_dense>(
        {.summary = "Returns the only element as a number for the host.",
         .shapes = "self: [..] of one element -> a number",
         .dtypes = "any",
         .memory = "reads only; the result is not a tensor",
         .cost = "waits for the device",
         .errors = {bad_shape("self has another number of elements", "_local_scalar_dense([1, 2])")},
         .examples = {{"_local_scalar_dense([2.5])", "2.5"}, {"_local_scalar_dense(7)", "7"}}}),
    page<aten::is_nonzero>({.summary = "Tests whether the only element is not zero.",
                            .shapes = "self: [..] of one element -> a bool",
                            .dtypes = "any",
                            .memory = "reads only; the result is not a tensor",
                            .cost = "waits for the device",
                            .errors = {bad_shape("self has another number of elements", "is_nonzero([1, 2])")},
                            .examples = {{"is_nonzero([2.5])", "True"}, {"is_nonzero([False])", "False"}}}),
    page<like_self_family, aten::clone>({.summary = "Copies self.",
                                         .dtypes = "any; the result has self's dtype",
                                         .cost = "one pass",
                                         .examples = {{"clone([1.5, -2.5])", "[1.5, -2.5] (float32 [2])"}}}),
};

void publish_create_docs() { author::publish_pages({"Factory functions, fills and copies", pages}).keep(); }

}  // namespace topbit::detail
