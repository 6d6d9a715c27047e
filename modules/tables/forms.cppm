// The forms of a structured group, made of two functions: the shape function makes a result, the kernel of the out form
// fills it.
export module topbit.tables:forms;

import topbit.std;
import topbit.core;

namespace topbit::tables {

template <auto Out, class... A>
constexpr void call_out(key_set keys, A&... a) {
  if constexpr (requires { Out(keys, a...); })
    Out(keys, a...);
  else
    Out(a...);
}

template <class T>
inline constexpr bool is_tuple = false;
template <class... T>
inline constexpr bool is_tuple<std::tuple<T...>> = true;

template <class Sig>
struct forms_of;
template <class R, class... A>
struct forms_of<R(A...)> {
  static constexpr std::size_t arity = sizeof...(A);

  template <auto Out, auto Shape>
  static R functional(key_set keys, A... a) {
    R result = Shape(a...);
    if constexpr (is_tuple<R>)
      std::apply([&](auto&... each) { call_out<Out>(keys, a..., each...); }, result);
    else
      call_out<Out>(keys, a..., result);
    return result;
  }
  template <auto Out>
  static R in_place(key_set keys, A... a) {
    auto& self = std::get<0>(std::forward_as_tuple(a...));
    call_out<Out>(keys, a..., self);
    return self;
  }

  // Of tensors without elements: the shape function alone.
  template <auto Shape>
  static R functional_meta(A... a) {
    return Shape(a...);
  }
  template <auto Shape>
  static R in_place_meta(A... a) {
    static_cast<void>(Shape(a...));
    return std::get<0>(std::forward_as_tuple(a...));
  }
  // Results: how many of the arguments are some.
  template <auto Shape, std::size_t Results>
  static R out_meta(A... a) {
    auto all = std::forward_as_tuple(a...);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      static_cast<void>(Shape(std::get<I>(all)...));
    }(std::make_index_sequence<arity - Results>{});
    return [&]<std::size_t... I>(std::index_sequence<I...>) -> R {
      return R(std::get<arity - Results + I>(all)...);
    }(std::make_index_sequence<Results>{});
  }
};

}  // namespace topbit::tables
