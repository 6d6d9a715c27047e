// Sentences that the pages of several families share. Internal.
module topbit.operator_docs:sentences;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :derived;

namespace topbit::detail {

// Errors with their example.
consteval page_error bad_shape(std::string_view when, std::string_view example) {
  return raises<shape_error>(when, example);
}
consteval page_error bad_dtype(std::string_view when, std::string_view example) {
  return raises<dtype_error>(when, example);
}
consteval page_error bad_value(std::string_view when, std::string_view example) { return raises<error>(when, example); }

// Errors and lines of several families.
consteval page_error no_such_dimension(std::string_view example) {
  return bad_shape("self has no such dimension", example);
}
consteval page_error no_broadcast(std::string_view example) {
  return bad_shape("the operands do not broadcast", example);
}
consteval page_error wrong_sizes(std::string_view example) {
  return bad_shape("a size is below 0, or the number of elements overflows 64 bits", example);
}
consteval page_error not_floating(std::string_view example) { return bad_dtype("self is not floating", example); }
consteval page_error is_bool(std::string_view example) { return bad_dtype("self is bool", example); }
consteval page_error dtypes_differ(std::string_view example) { return bad_dtype("the dtypes differ", example); }

constexpr std::string_view same_shape = "self: [..] -> the same";
// Reductions.
constexpr std::string_view reduced_shapes =
    "self: [..] -> self's sizes without those of dim, or with 1 there if keepdim; no dim, or an empty one, means all";
constexpr std::string_view reduced_memory =
    "the result is new and dense, or out, which may have any dtype that the result can be cast to; if out shares "
    "memory with self, the result is computed in a temporary and copied";
constexpr std::string_view bad_dims = "dim is out of range or given twice";
// Products, for which all dtypes are the same.
constexpr std::string_view one_dtype =
    "numbers; all dtypes are the same, and the result's too; float16 and bfloat16 are computed in float32, integers in "
    "int64, and wrap";
consteval page_error not_one_dtype(std::string_view example) {
  return bad_dtype("the dtypes differ, or are bool", example);
}
constexpr std::string_view composed_memory =
    "the result is new and dense; for self and out it is computed in a temporary and copied, so they may share memory "
    "with anything";

}  // namespace topbit::detail
