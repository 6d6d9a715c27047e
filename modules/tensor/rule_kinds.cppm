// Kinds of rules about tensors: their function types, computed from an operator's signature.
export module topbit.tensor:rule_kinds;

import topbit.std;
import topbit.core;
import :handle;

namespace topbit {

namespace detail {

// One argument of an operator as a batching rule takes it: a list of types, and what each of them stands for.
template <class A>
struct batched {
  using types = std::tuple<std::type_identity<A>>;
  static constexpr std::array<std::string_view, 1> roles{""};
};
template <class A, class Dimension>
struct batched_with {
  using types = std::tuple<std::type_identity<A>, std::type_identity<Dimension>>;
  static constexpr std::array<std::string_view, 2> roles{"", "batch dimension"};
};
using batch_dimension = std::optional<std::int64_t>;
template <>
struct batched<const tensor&> : batched_with<const tensor&, batch_dimension> {};
template <>
struct batched<tensor&> : batched_with<tensor&, batch_dimension> {};
template <>
struct batched<const std::optional<tensor>&> : batched_with<const std::optional<tensor>&, batch_dimension> {};
template <>
struct batched<std::span<const tensor>> : batched_with<std::span<const tensor>, std::span<const batch_dimension>> {};

template <>
struct batched<std::span<const std::optional<tensor>>>
    : batched_with<std::span<const std::optional<tensor>>, std::span<const batch_dimension>> {};

template <class T>
struct batched_result {
  using types = std::tuple<T>;
};
template <>
struct batched_result<tensor> {
  using types = std::tuple<tensor, batch_dimension>;
};
template <>
struct batched_result<std::vector<tensor>> {
  using types = std::tuple<std::vector<tensor>, batch_dimension>;
};
template <class T>
struct batched_result<T&> {
  using types = std::tuple<>;  // written in place: there is nothing to return
};

template <class... T>
using joined = decltype(std::tuple_cat(std::declval<T>()...));

// A single type stands for itself, none for void.
template <class List>
struct result_of_list {
  using type = List;
};
template <class T>
struct result_of_list<std::tuple<T>> {
  using type = T;
};
template <>
struct result_of_list<std::tuple<>> {
  using type = void;
};

template <class R>
struct batched_results : result_of_list<typename batched_result<R>::types> {};
template <>
struct batched_results<void> {
  using type = void;
};
template <class... T>
struct batched_results<std::tuple<T...>> : result_of_list<joined<typename batched_result<T>::types...>> {};

template <class R, class List>
struct function_of;
template <class R, class... A>
struct function_of<R, std::tuple<std::type_identity<A>...>> {
  using type = R(A...);
};

template <class Sig>
struct batching_signature;
template <class R, class... A>
struct batching_signature<R(A...)> {
  using type = function_of<typename batched_results<R>::type, joined<typename batched<A>::types...>>::type;
  static constexpr std::size_t arity = (std::size_t{0} + ... + batched<A>::roles.size());
  static constexpr auto arguments = [] {
    std::array<author::rule_argument, arity> all;
    std::size_t at = 0, of = 0;
    const auto add = [&](const auto& roles) {
      for (std::string_view role : roles) all[at++] = {of, role};
      ++of;
    };
    (add(batched<A>::roles), ...);
    return all;
  }();
};

}  // namespace detail

/// For authors of operator libraries and backends.
export namespace author {

/// The metadata of an operator's results, without computing them: registered for key::Meta. It takes and returns what
/// the operator does, so that a Meta kernel is a meta function.
struct meta_function {
  static constexpr std::string_view name = "meta function";
  static constexpr bool takes_keys = true;
  template <class Sig>
  using signature = Sig;
};

/// An operator on tensors that may each have an additional batch dimension. Each tensor, optional tensor and mutable
/// tensor is followed by the index of that dimension, `std::optional<std::int64_t>`, none if the argument is the same
/// for the whole batch; after a list of tensors or of optional tensors a `std::span` of them. Results are a
/// `std::tuple` in which each tensor is followed by the index of its batch dimension; a result that is a mutable
/// argument is not returned. Everything else is as in the operator. (The convention of functorch.)
///   mul.Scalar(Tensor self, Scalar other) -> Tensor
///   std::tuple<tensor, std::optional<std::int64_t>>(const tensor&, std::optional<std::int64_t>, const scalar&)
struct batching_rule {
  static constexpr std::string_view name = "batching rule";
  static constexpr bool takes_keys = false;
  template <class Sig>
  using signature = detail::batching_signature<Sig>::type;
  template <class Sig>
  static constexpr auto arguments = detail::batching_signature<Sig>::arguments;
  static constexpr std::string_view result_mend = "; each tensor is followed by its batch dimension";
};

}  // namespace author

}  // namespace topbit
