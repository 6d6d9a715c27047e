// What a mapped function may take and return: tensors, and structures of tensors.
export module topbit.transform:mapped;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

namespace detail {

template <class T>
concept tuple_like = requires { std::tuple_size<std::remove_cvref_t<T>>::value; };
template <class T>
concept lists_parameters =
    requires(T& x) { std::remove_cvref_t<T>::each_parameter(x, [](std::string_view, auto&) {}); };

template <class T>
consteval bool is_structure();
template <class Tuple, std::size_t... I>
consteval bool all_structures(std::index_sequence<I...>) {
  return ((is_structure<std::tuple_element_t<I, Tuple>>() && !std::is_reference_v<std::tuple_element_t<I, Tuple>>) &&
          ...);
}
template <class T>
consteval bool is_structure() {
  using type = std::remove_cvref_t<T>;
  if constexpr (std::same_as<type, tensor>)
    return true;
  else if constexpr (tuple_like<type>)
    return all_structures<type>(std::make_index_sequence<std::tuple_size_v<type>>{});
  else if constexpr (lists_parameters<type>)
    return true;
  else if constexpr (std::ranges::input_range<type>)
    // A range that does not own its elements would have the caller's replaced.
    return !std::ranges::enable_borrowed_range<type> && is_structure<std::ranges::range_value_t<type>>();
  else if constexpr (requires(type x) {
                       x.has_value();
                       *x;
                     })
    return is_structure<decltype(*std::declval<type&>())>();
  else
    return false;
}

// Calls f for each tensor of a structure, in order, to read or to replace it.
template <class T, class F>
void each_tensor_in(T& x, F&& f) {
  using type = std::remove_cvref_t<T>;
  if constexpr (std::same_as<type, tensor>) {
    f(x);
  } else if constexpr (tuple_like<type>) {
    std::apply([&](auto&... part) { (each_tensor_in(part, f), ...); }, x);
  } else if constexpr (lists_parameters<type>) {
    type::each_parameter(x, [&](std::string_view, auto& part) { each_tensor_in(part, f); });
  } else if constexpr (std::ranges::input_range<type>) {
    for (auto& part : x) each_tensor_in(part, f);
  } else {
    if (x.has_value()) each_tensor_in(*x, f);
  }
}

/// Why it cannot be mapped; empty if it can.
template <class T>
consteval author::verdict explain_mapped(std::string_view what, std::size_t index) {
  author::verdict v;
  if (is_structure<T>()) return v;
  v.add("vmap: ").add(what);
  if (what == "argument") v.add(" ").add(index);
  v.add(": found '")
      .add(type_name<std::remove_cvref_t<T>>())
      .add("', wanted a tensor, or a tuple, range, optional or ");
  v.add("struct with each_parameter() of tensors");
  if (what == "argument") v.add("; capture it in the function instead");
  return v;
}

}  // namespace detail

/// A tensor, or a tuple, array, range, optional or struct with each_parameter() of these: what a mapped function takes
/// and returns.
export template <class T>
concept tensor_structure = detail::is_structure<T>();

}  // namespace topbit
