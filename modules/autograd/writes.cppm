// Kernels for key::ADInplaceOrView: writes are counted and views tracked, whether or not gradients are recorded.
export module topbit.autograd:writes;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :anomaly;
import :record;
import :view;

namespace topbit {

namespace detail {

// A mutable argument is a non-const reference.
template <class A>
void count_write(std::remove_reference_t<A>& x, const std::string_view* writer) noexcept {
  if constexpr (std::is_lvalue_reference_v<A> && !std::is_const_v<std::remove_reference_t<A>>) {
    each_tensor(x, [&](const tensor& t) { author::bump_version(t, writer); });
  }
}

}  // namespace detail

export namespace author {

/// The tensors that a call with these arguments writes to, in order, undefined ones too: those that the schema marks
/// or, where only a C++ signature was given, those passed by reference.
std::vector<tensor> written_tensors(const operator_handle& op, std::span<const value> arguments);

/// For operators that write to arguments: redispatches, then counts the writes.
template <const auto& Op, class Sig = std::remove_cvref_t<decltype(Op)>::signature>
struct counts_writes;
template <const auto& Op, class R, class... A>
struct counts_writes<Op, R(A...)> {
  static constexpr std::string_view writer = Op.name();
  static R run(key_set keys, A... a) {
    const std::string_view* const who = topbit::detail::writer_here(writer);
    if constexpr (std::is_void_v<R>) {
      Op.redispatch(keys & below(key::ADInplaceOrView), a...);
      (topbit::detail::count_write<A>(a, who), ...);
    } else {
      R result = Op.redispatch(keys & below(key::ADInplaceOrView), a...);
      (topbit::detail::count_write<A>(a, who), ...);
      return result;
    }
  }
};

/// For operators whose result, or each of a list of results, is a view of the first argument: redispatches, then tracks
/// the view.
template <const auto& Op, class Sig = std::remove_cvref_t<decltype(Op)>::signature>
struct tracks_view;
template <const auto& Op, class R, class... A>
struct tracks_view<Op, R(const tensor&, A...)> {
  static R run(key_set keys, const tensor& self, A... a) {
    R result = Op.redispatch(keys & below(key::ADInplaceOrView), self, a...);
    if constexpr (std::same_as<R, tensor>) {
      track_view(self, result);
    } else {
      for (const tensor& t : result) track_view(self, t, true);
    }
    return result;
  }
};

/// The same for any operator, from its schema: a boxed kernel for key::ADInplaceOrView of operators that write to
/// arguments, counting writes not yet counted, or whose results are views of the first tensor.
void count_writes_and_track_views(const operator_handle& op, key_set keys, boxed_stack& s);

}  // namespace author

}  // namespace topbit
