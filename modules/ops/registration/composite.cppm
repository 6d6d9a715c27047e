// Composites: operators composed of others, out variants that copy a functional result, and scalar overloads that call
// the tensor overload. Internal.
module topbit.ops:registration.composite;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :registration.caller;
import :registration.device_check;
import :registration.families;
import :registration.operands;
import :registration.structured;

namespace topbit::detail {

// The kernel of `Number`, the scalar overload of `Tensor`, which takes a number instead of one of two tensors.
template <const auto& Tensor, class Sig>
struct scalar_overload;
template <const auto& Tensor, class... A>
struct scalar_overload<Tensor, tensor(const tensor&, const scalar&, A...)> {
  static tensor run(const tensor& self, const scalar& other, A... a) {
    return Tensor(self, wrapped(self, other), a...);
  }
};
template <const auto& Tensor, class... A>
struct scalar_overload<Tensor, tensor&(tensor&, const scalar&, A...)> {
  static tensor& run(tensor& self, const scalar& other, A... a) { return Tensor(self, wrapped(self, other), a...); }
};
template <const auto& Tensor, class... A>
struct scalar_overload<Tensor, tensor&(const tensor&, const scalar&, A...)> {
  static tensor& run(const tensor& self, const scalar& other, A... a) {
    return Tensor(self, wrapped(self, other), a...);
  }
};
// Overloads with the number first.
template <const auto& Tensor, class R, class... A>
struct scalar_overload<Tensor, R(const scalar&, const tensor&, A...)> {
  static R run(const scalar& self, const tensor& other, A... a) { return Tensor(wrapped(other, self), other, a...); }
};

template <const auto& Number, const auto& Tensor>
constexpr author::kernel_row scalar_overload_row(std::source_location where = std::source_location::current()) {
  using signature = std::remove_cvref_t<decltype(Number)>::signature;
  return caller_row<&scalar_overload<Tensor, signature>::run, Number>(key::CompositeImplicitAutograd, where);
}

// Definition and kernel of composites.
template <auto Kernel, const auto& Op>
void register_composite(std::source_location where = std::source_location::current()) {
  const author::kernel_row rows[] = {author::define(Op, where),
                                     caller_row<Kernel, Op>(key::CompositeImplicitAutograd, where)};
  author::register_rows(rows);
}
template <const auto& Number, const auto& Tensor>
void register_scalar_overload(std::source_location where = std::source_location::current()) {
  const author::kernel_row rows[] = {author::define(Number, where), scalar_overload_row<Number, Tensor>(where)};
  author::register_rows(rows);
}

// The kernel of Op, which writes the result of Functional to its last argument, or in place to the first.
template <const auto& Functional, const auto& Op>
struct out_variant {
  template <class Sig>
  struct form;
  template <class First, class... A>
  struct form<tensor&(First, A...)> {
    static tensor& run(First first, A... a) {
      author::check_one_device(Op, first, a...);
      if constexpr (std::same_as<First, tensor&>) {
        return write_result(Op.name(), Functional(std::as_const(first), a...), first);
      } else {
        const auto all = std::tie(first, a...);
        return [&]<std::size_t... I>(std::index_sequence<I...>) -> tensor& {
          return write_result(Op.name(), Functional(std::get<I>(all)...), std::get<sizeof...(A)>(all));
        }(std::make_index_sequence<sizeof...(A)>{});
      }
    }
  };
};

template <const auto& Functional, const auto& Op>
constexpr author::kernel_row out_variant_row() {
  using signature = std::remove_cvref_t<decltype(Op)>::signature;
  return caller_row<&out_variant<Functional, Op>::template form<signature>::run, Op>(key::CompositeExplicitAutograd);
}

// Definitions and kernels of the out and in-place forms of one operator.
template <const auto& Functional, const auto&... Ops>
void register_out_variants() {
  static constexpr author::kernel_row all[] = {author::define(Ops)..., out_variant_row<Functional, Ops>()...};
  author::register_rows(all);
  register_writing<Ops...>();
}

// Kernels of a structured operator and of its other forms for the backends whose table lacks its kernels: Parts is
// composed of other operators.
template <auto Parts, const auto& Op, const auto&... Forms>
void register_in_parts() {
  static constexpr author::kernel_row all[] = {caller_row<Parts, Op>(key::CompositeExplicitAutograd),
                                               out_variant_row<Op, Forms>()...};
  author::register_rows(all);
}

}  // namespace topbit::detail
