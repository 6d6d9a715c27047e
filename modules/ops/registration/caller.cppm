// Errors of composites name the called operator, and then the operator in it that threw. Internal.
export module topbit.ops:registration.caller;

import topbit.std;
import topbit.core;

namespace topbit::detail {

// Fn as a kernel of Op. Costs nothing unless an exception is thrown.
template <auto Fn, const auto& Op, class F = decltype(Fn)>
struct names_caller;
template <auto Fn, const auto& Op, class R, class... A>
struct [[gnu::visibility("hidden")]] names_caller<Fn, Op, R (*)(A...)> {
  static R run(A... a) {
    try {
      return Fn(static_cast<A>(a)...);
    } catch (error& e) {
      e.called_by(Op.name());
      throw;
    }
  }
};

// The registration of a kernel that calls other operators.
template <auto Fn, const auto& Op>
constexpr author::kernel_row caller_row(key_target k = key::CompositeImplicitAutograd,
                                        std::source_location where = std::source_location::current()) {
  return author::row<&names_caller<Fn, Op>::run>(Op, k, where);
}

}  // namespace topbit::detail
