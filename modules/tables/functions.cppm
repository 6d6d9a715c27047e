// Which functions of a list the names of a table mean.
export module topbit.tables:functions;

import topbit.std;
import topbit.core;
import :check;
import :entry;
import :position;
import :table;

export namespace topbit::tables {

/// The function that a table calls by this name: a kernel as library_block::impl() takes it, or a boxed one.
template <fixed_string Name, auto Fn>
struct named {};

/// The shape function of the structured operator of this name, "sub.out": takes what the functional form takes, and
/// returns its new result with undefined elements, or throws.
template <fixed_string Name, auto Fn>
struct shape {};

/// Several of these as one.
template <class... Named>
struct functions {};

}  // namespace topbit::tables

namespace topbit::tables {

template <class T>
struct function_parts;
template <fixed_string Name, auto Fn>
struct function_parts<named<Name, Fn>> {
  static constexpr std::string_view name = Name.view();
  static constexpr auto function = Fn;
  static constexpr bool is_shape = false;
};
template <fixed_string Name, auto Fn>
struct function_parts<shape<Name, Fn>> {
  static constexpr std::string_view name = Name.view();
  static constexpr auto function = Fn;
  static constexpr bool is_shape = true;
};

template <class T>
inline constexpr bool is_list = false;
template <class... T>
inline constexpr bool is_list<functions<T...>> = true;

// One list of functions and lists. Element by element only where there are lists among several.
template <class Done, class... T>
struct appended {
  using type = Done;
};
template <class... Done, class... Inner, class... Rest>
struct appended<functions<Done...>, functions<Inner...>, Rest...> : appended<functions<Done..., Inner...>, Rest...> {};
template <class... Done, class T, class... Rest>
struct appended<functions<Done...>, T, Rest...> : appended<functions<Done..., T>, Rest...> {};

template <class... T>
struct flat {
  using type = functions<T...>;
};
template <class... T>
  requires(is_list<T> || ...)
struct flat<T...> : appended<functions<>, T...> {};
template <class... T>
struct flat<functions<T...>> {
  using type = functions<T...>;
};

inline constexpr std::uint32_t nothing = ~std::uint32_t{};

// Which function each place of the table means: an index of the list, or nothing.
template <std::size_t Entries, std::size_t Items>
struct resolution {
  std::array<std::uint32_t, Items> of_item{};
  std::array<std::uint32_t, Entries> implicit{}, gradient{}, shape{},
      delegate{};  // delegate: the entry of the out form
  mistake wrong;
};

// The functions of a list, those of shapes apart.
struct function_names {
  std::span<const std::string_view> names;
  std::span<const bool> is_shape;
  std::span<std::uint32_t> slots, shape_slots;
  std::span<bool> used;
  std::string_view ns;

  constexpr auto at() const noexcept {
    return [this](std::uint32_t i) { return names[i]; };
  }
  constexpr void make_index(mistake& m) const {
    for (std::uint32_t i = 0; i < names.size() && m.ok(); ++i) {
      if (name_index{is_shape[i] ? shape_slots : slots}.insert(i, at()) == i) continue;
      m.text.add("found two functions '").add(names[i]).add("' in the list, wanted one");
    }
  }
  constexpr std::uint32_t find(std::string_view name, bool shape) const {
    const std::uint32_t found = find_name(shape ? shape_slots : slots, name, at(), nothing);
    if (found != nothing) used[found] = true;
    return found;
  }
  constexpr std::uint32_t need(std::string_view name, position place, std::string_view op, mistake& m) const {
    const std::uint32_t found = find(name, false);
    if (found == nothing && m.ok()) {
      m.at = place;
      m.text.add("found no function '").add(name).add("' for ").add(ns).add("::").add(op);
      m.text.add(", wanted tables::named<\"").add(name).add("\", &function> in the list");
      near_name near(name);
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (!is_shape[i]) near.consider(names[i]);
      }
      near.suggest(m.text);
    }
    return found;
  }
};

template <class Resolution>
constexpr void resolve_entry(const table_view& t, std::size_t i, const function_names& list, Resolution& r) {
  const table_entry& e = t.entries[i];
  mistake& m = r.wrong;
  r.implicit[i] = r.gradient[i] = r.shape[i] = r.delegate[i] = nothing;
  if (!e.gradient.name.empty()) r.gradient[i] = list.need(e.gradient.name, e.gradient.at, e.name, m);
  if (!e.structured_delegate.name.empty()) {
    const std::size_t out = t.find(e.structured_delegate.name);
    r.delegate[i] = static_cast<std::uint32_t>(out);
    r.shape[i] = list.find(e.structured_delegate.name, true);
    if (r.shape[i] != nothing || !m.ok()) return;
    m.at = t.entries[out].structured_at;
    m.text.add("found structured '").add(e.structured_delegate.name).add("' without a shape function for '");
    m.text.add(e.name).add("', wanted tables::shape<\"").add(e.structured_delegate.name);
    m.text.add("\", &function> in the list");
  } else if (!e.has_dispatch) {
    // With the overload's name or, as PyTorch has it, without.
    r.implicit[i] = list.find(e.name, false);
    if (r.implicit[i] == nothing) r.implicit[i] = list.need(e.name.substr(0, e.name.find('.')), e.func.at, e.name, m);
  }
}

template <const auto& Table, class... F>
consteval auto resolve(functions<F...>) {
  using parsed = parsed_table<Table>;
  constexpr std::size_t count = sizeof...(F);
  resolution<parsed::counts.entries, parsed::counts.items> r;
  const std::array<std::string_view, count> names{function_parts<F>::name...};
  const std::array<bool, count> shapes{function_parts<F>::is_shape...};
  std::array<std::uint32_t, 2 * count + 1> slots{}, shape_slots{};
  std::array<bool, count> used{};
  const function_names list{{names.data(), count},        {shapes.data(), count},
                            {slots.data(), slots.size()}, {shape_slots.data(), shape_slots.size()},
                            {used.data(), count},         parsed::ns};
  mistake& m = r.wrong;
  list.make_index(m);
  for (std::size_t i = 0; i < parsed::counts.items && m.ok(); ++i) {
    const dispatch_item& item = parsed::all.items[i];
    r.of_item[i] = list.need(item.function, item.function_at, parsed::all.entries[item.entry].name, m);
  }
  for (std::size_t i = 0; i < parsed::counts.entries && m.ok(); ++i) resolve_entry(parsed::view, i, list, r);
  for (std::size_t i = 0; i < count && m.ok(); ++i) {
    if (used[i]) continue;
    m.text.add("found the ").add(shapes[i] ? "shape function '" : "function '").add(names[i]);
    m.text.add(shapes[i] ? "', wanted that of an operator other entries delegate to"
                         : "', which no entry of the table names; remove it from the list");
    near_name near(names[i]);
    for (const dispatch_item& item : parsed::view.items) near.consider(item.function);
    if (!shapes[i]) near.suggest(m.text);
  }
  return r;
}

template <const auto& Table, class List>
inline constexpr auto resolved = resolve<Table>(List{});
template <const auto& Table, class List>
concept complete = resolved<Table, List>.wrong.ok();

}  // namespace topbit::tables
