// The tensors inside a boxed value, which a boxed layer reads and replaces.
export module topbit.tensor:boxed;

import topbit.std;
import topbit.core;
import :handle;

namespace topbit {

namespace detail {

using boxed_tensors = std::span<const tensor>;
using boxed_optional_tensors = std::span<const std::optional<tensor>>;

// Calls f with the tensor, the list of tensors or the list of optional ones that the value holds, if it does.
template <class F>
void with_tensors(const value& v, F f) {
  if (v.is<tensor>())
    f(v.get<tensor>());
  else if (v.is<boxed_tensors>())
    f(v.get<boxed_tensors>());
  else if (v.is<boxed_optional_tensors>())
    f(v.get<boxed_optional_tensors>());
  else if (v.is<std::vector<tensor>>())
    f(v.get<std::vector<tensor>>());  // a mutable list
}

}  // namespace detail

export namespace author {

/// Calls visit(t) for each tensor t in the value, in order, undefined ones too: the value itself or the elements of a
/// list. An absent optional has none. Allocates nothing.
template <class F>
void each_tensor(const value& v, F visit) {
  detail::with_tensors(v, [&]<class T>(const T& held) {
    if constexpr (std::same_as<T, tensor>) {
      visit(held);
    } else {
      for (const auto& x : held) {
        if constexpr (requires { x.has_value(); }) {
          if (x.has_value()) visit(*x);
        } else {
          visit(x);
        }
      }
    }
  });
}

/// The first tensor t that each_tensor() visits for which fits(t); null if there is none. Lives as long as the value.
template <class F>
const tensor* find_tensor(const value& v, F fits) {
  const tensor* found = nullptr;
  each_tensor(v, [&](const tensor& t) {
    if (found == nullptr && fits(t)) found = &t;
  });
  return found;
}

/// The value with f(t) instead of each tensor t that each_tensor() visits: an owned value, or a copy if it has no
/// tensors. The value itself is unchanged.
template <class F>
value map_tensors(const value& v, F f) {
  std::optional<value> mapped;
  detail::with_tensors(v, [&]<class T>(const T& held) {
    if constexpr (std::same_as<T, tensor>) {
      mapped.emplace(f(held));
    } else {
      std::vector<typename T::value_type> all(held.begin(), held.end());
      for (auto& x : all) {
        if constexpr (requires { x.has_value(); }) {
          if (x.has_value()) x = f(*x);
        } else {
          x = f(x);
        }
      }
      if constexpr (std::same_as<T, std::vector<tensor>>) {
        mapped = value::refer(all);  // stays a mutable list
        mapped->make_owned();
      } else {
        mapped.emplace(std::move(all));
      }
    }
  });
  return mapped.has_value() ? *std::move(mapped) : v;
}

}  // namespace author

}  // namespace topbit
