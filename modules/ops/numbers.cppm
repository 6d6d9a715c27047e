// Scalar overloads: operators with a number instead of a tensor. Composites, whose gradients follow from the tensor
// overload.
export module topbit.ops:numbers;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :caller;
import :rules;

namespace topbit::detail {

// The kernel of `Number`, the scalar overload of `Tensor`, which takes a number instead of one of two tensors.
template <const auto& Tensor, class Sig>
struct number_form;
template <const auto& Tensor, class... A>
struct number_form<Tensor, tensor(const tensor&, const scalar&, A...)> {
  static tensor run(const tensor& self, const scalar& other, A... a) {
    return Tensor(self, wrapped(self, other), a...);
  }
};
template <const auto& Tensor, class... A>
struct number_form<Tensor, tensor&(tensor&, const scalar&, A...)> {
  static tensor& run(tensor& self, const scalar& other, A... a) { return Tensor(self, wrapped(self, other), a...); }
};
template <const auto& Tensor, class... A>
struct number_form<Tensor, tensor&(const tensor&, const scalar&, A...)> {
  static tensor& run(const tensor& self, const scalar& other, A... a) {
    return Tensor(self, wrapped(self, other), a...);
  }
};
// The number first.
template <const auto& Tensor, class R, class... A>
struct number_form<Tensor, R(const scalar&, const tensor&, A...)> {
  static R run(const scalar& self, const tensor& other, A... a) { return Tensor(wrapped(other, self), other, a...); }
};

template <const auto& Number, const auto& Tensor>
constexpr author::kernel_row number_row(std::source_location where = std::source_location::current()) {
  using signature = std::remove_cvref_t<decltype(Number)>::signature;
  return caller_row<&number_form<Tensor, signature>::run, Number>(key::CompositeImplicitAutograd, where);
}

// Definition and kernel of composites.
template <auto Kernel, const auto& Op>
void register_composite(std::source_location where = std::source_location::current()) {
  const author::kernel_row rows[] = {author::define(Op, where),
                                     caller_row<Kernel, Op>(key::CompositeImplicitAutograd, where)};
  author::register_rows(rows);
}
template <const auto& Number, const auto& Tensor>
void register_number_form(std::source_location where = std::source_location::current()) {
  const author::kernel_row rows[] = {author::define(Number, where), number_row<Number, Tensor>(where)};
  author::register_rows(rows);
}

}  // namespace topbit::detail
