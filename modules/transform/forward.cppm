// How operators take tangents from arguments to results: kernels for key::ForwardAD, one for each kind. Internal.
module topbit.transform:forward;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :dual;

namespace topbit::detail {

// A call with dual arguments.
struct dual_call {
  const operator_handle& op;
  std::span<const value> arguments, results;
};

// One for each tensor in the results, in order; undefined ones are zero.
using found_tangents = std::vector<tensor>;
using forward_formula = found_tangents (*)(const dual_call& call, std::uint64_t level);

// The operator of the tangents, with zeros where an argument has none: it is linear in all its floating arguments.
found_tangents linear_tangents(const dual_call& call, std::uint64_t level);
// The same for operators whose other tensors are terms too, and not indices or masks.
found_tangents sum_tangents(const dual_call& call, std::uint64_t level);
// The same for as_strided, whose offset is one in the memory of the tensor.
found_tangents as_strided_tangents(const dual_call& call, std::uint64_t level);
// The sum over the arguments with a tangent, of the operator with it in the argument's place: a product.
found_tangents product_tangents(const dual_call& call, std::uint64_t level);
// The same of linear(input, weight, bias), and the tangent of the bias.
found_tangents layer_tangents(const dual_call& call, std::uint64_t level);
// An element of the result depends on one element of each argument, so that the gradient rule, given the tangent as
// the gradient, computes what is wanted.
found_tangents elementwise_tangents(const dual_call& call, std::uint64_t level);
// Any operator with a gradient rule: the rule is linear in the gradient, and the gradient of that linear function is
// the product with the tangent.
found_tangents transposed_tangents(const dual_call& call, std::uint64_t level);

// Adds a term to a sum; an undefined one is zero.
void add_term(tensor& sum, const tensor& term);
// For rules that read the result.
void remember_result(const tensor& t);

// Calls the operator below forward mode, and gives its results the tangents of each level.
void call_with_tangents(const operator_handle& op, key_set keys, boxed_stack& stack, forward_formula formula);
// The kernel of all operators that are in no table.
void forward_without_kind(const operator_handle& op, key_set keys, boxed_stack& stack);
// The same for a call of apply(): by its jvp(), else its backward() transposed.
void forward_function(const author::applied_function& call);
// self becomes dual as the source is.
void forward_copy(const operator_handle& op, key_set keys, boxed_stack& stack);

template <forward_formula Formula>
struct formula_kind {
  void operator()(const operator_handle& op, key_set keys, boxed_stack& s) const {
    call_with_tangents(op, keys, s, Formula);
  }
};
struct linear_kind : formula_kind<&linear_tangents> {
  static constexpr author::kernel_note note{"tangents: the operator of the tangents"};
};
struct sum_kind : formula_kind<&sum_tangents> {
  static constexpr author::kernel_note note = linear_kind::note;
};
struct as_strided_kind : formula_kind<&as_strided_tangents> {
  static constexpr author::kernel_note note = linear_kind::note;
};
struct product_kind : formula_kind<&product_tangents> {
  static constexpr author::kernel_note note{"tangents: the product with each argument's tangent"};
};
struct layer_kind : formula_kind<&layer_tangents> {
  static constexpr author::kernel_note note{"tangents: the product with each argument's tangent, and that of the bias"};
};
struct elementwise_kind : formula_kind<&elementwise_tangents> {
  static constexpr author::kernel_note note{"tangents: the gradient rule, element by element"};
};
struct copy_kind {
  static constexpr author::kernel_note note{"tangents: those of the source"};
  void operator()(const operator_handle& op, key_set keys, boxed_stack& s) const { forward_copy(op, keys, s); }
};
struct transposed_kind {
  static constexpr author::kernel_note note{"tangents: the gradient rule, transposed"};
  void operator()(const operator_handle& op, key_set keys, boxed_stack& s) const { forward_without_kind(op, keys, s); }
};

}  // namespace topbit::detail
