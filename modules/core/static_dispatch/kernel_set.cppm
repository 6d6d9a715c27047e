// Kernel sets: kernels known at compile time, as one empty value. What is in a set is in its type, so a set is a
// template argument, is proven complete by the compiler, and calls its kernels directly. install() puts the very same
// rows into the dynamic table.
//
// Which kernel of a set stands for a key is decided by choose_for_slot, as in the table.
export module topbit.core:static_dispatch.kernel_set;

import topbit.std;
import :dispatch.concepts;
import :dispatch.operator_info;
import :keys.key;
import :keys.key_set;
import :keys.slot_relations;
import :operators.library;
import :operators.op;
import :schema.signature;
import :static_dispatch.direct_call;
import :static_dispatch.set_index;
import :text.text;

namespace topbit {

namespace detail {

template <class Op>
consteval author::verdict explain_bound_operator() {
  author::verdict v;
  if constexpr (!static_dispatch::operator_type<Op>) {
    v.add("bind: found '").add(type_name<Op>()).add("', wanted an operator, as topbit::op declares them");
  }
  return v;
}
template <class Op>
concept bound_operator = explain_bound_operator<Op>().ok();

template <class F, class Op>
concept kernel_type_for = explain_kernel<F, Op>().ok();

// Checks a binding, once for all functions of one type.
template <class Op, class F>
struct checked_binding {
  static_assert(bound_operator<Op>, explain_bound_operator<Op>());
};
template <static_dispatch::operator_type Op, class F>
struct checked_binding<Op, F> {
  static_assert(kernel_type_for<F, Op>, explain_kernel<F, Op>());
};
// The common case, apart since a static_assert makes its sentence even where it holds.
template <static_dispatch::operator_type Op, class F>
  requires std::same_as<F, typename Op::signature*>
struct checked_binding<Op, F> {};

template <class Op, auto Fn>
struct binding : checked_binding<Op, decltype(Fn)> {};

// One kernel of a set. Never defined.
template <key_code Key, class Op, auto Fn>
struct set_kernel;

template <class... Kernel>
struct kernel_list {
  template <std::size_t I>
  using kernel = Kernel...[I];
};

template <key_code... Key>
struct key_list {
  static constexpr std::array<key_code, sizeof...(Key)> value{Key...};
};

constexpr std::uint64_t keys_for(key_code k) noexcept {
  return key_of(k).is_alias() ? 0 : key_set(key_of(k).row).raw();
}
// What a call of this kernel ends in. No key said: the one it is bound for.
template <key_code Said, class Kernel>
struct target_of;
template <key_code Said, key_code BoundFor, class Op, auto Fn>
struct target_of<Said, set_kernel<BoundFor, Op, Fn>> {
  using type = kernel_target<Fn, keys_for(Said == no_key ? BoundFor : Said), typename Op::signature>;
};

template <class Op>
consteval set_operator operator_to_call() {
  static_assert(static_dispatch::operator_type<Op>, "call: wanted an operator, as topbit::op declares them");
  if constexpr (static_dispatch::operator_type<Op>) return set_operator_of<Op>;
  return {};
}

template <class Set, class Op, key_code Key>
consteval auto explain_no_call();

// The type of `set.call<op, key>`, from the place of the kernel. The compiler takes long over whatever has the type of
// a large set for an argument, so there are aliases alone on the way that is mostly taken.
template <std::size_t Place>
struct set_call {
  template <class Set, class Op, key_code Key>
  using type = direct_call<Op, typename target_of<Key, typename Set::list::template kernel<Place>>::type>;
};
template <>
struct set_call<not_there> {
  template <class Set, class Op, key_code Key>
  using type = decltype(explain_no_call<Set, Op, Key>());
};

template <class Set, class Op, key_code Key>
struct set_call_of {
  using set = Set::plain;
  using type = set_call<set::index.to_call(operator_to_call<Op>(), Key, set::key_codes)>::template type<set, Op, Key>;
};

}  // namespace detail

namespace static_dispatch {

/// Some kernels, of any number of operators and keys. Made by kernels(), merge() and override_with(); an empty value
/// that can be a template argument in any module.
export template <class Keys, class... Kernel>
struct kernel_set;
template <class Keys, detail::key_code... BoundFor, class... Op, auto... Fn>
struct kernel_set<Keys, detail::set_kernel<BoundFor, Op, Fn>...> {
  static constexpr std::size_t size() noexcept { return sizeof...(Op); }
  /// The kernels as rows, in the order they were bound: what install() registers.
  static constexpr std::array<author::kernel_row, sizeof...(Op)> rows{
      author::kernel_row{&detail::info_of<Op>::value,
                         detail::key_of(BoundFor),
                         &detail::kernel_thunk<Fn, typename Op::signature>::record,
                         {}}...};

  // For the templates about sets. Both lists have one more element, so that they have one.
  using plain = kernel_set;
  using list = detail::kernel_list<detail::set_kernel<BoundFor, Op, Fn>...>;
  static constexpr const auto& key_codes = Keys::value;
  static constexpr const detail::set_operator* operators[] = {&detail::set_operator_of<Op>..., nullptr};
  static constexpr detail::key_code bound_for[] = {BoundFor..., detail::no_key};
  static constexpr detail::set_index<sizeof...(Op)> index{operators, bound_for};

  /// `set.call<op>(arguments...)`: the kernel itself, called as the operator is, with its defaults and keywords.
  /// `call<op>` wants the operator to be bound for one key of the set; `call<op, key>` says for which key, and finds
  /// the kernel that a table with these kernels would hold there, composites included. A kernel that takes a key set is
  /// given that key. Throws what the kernel throws. Cost: the kernel's, inlined where its body is known.
  // Written out, since clang 22 crashes where this is an alias template with the set for an argument.
  template <auto Operator, key_target Key = key::Undefined>
  static constexpr typename detail::set_call<index.to_call(
      detail::operator_to_call<decltype(Operator)>(), detail::code_of(Key),
      key_codes)>::template type<kernel_set, decltype(Operator), detail::code_of(Key)>
      call{};
};

}  // namespace static_dispatch

namespace detail {

template <class T>
inline constexpr bool is_kernel_set = false;
template <class Keys, class... Kernel>
inline constexpr bool is_kernel_set<static_dispatch::kernel_set<Keys, Kernel...>> = true;

}  // namespace detail

namespace static_dispatch {

/// A kernel set: what kernels(), merge() and override_with() return, or a named_set of that.
export template <class T>
concept kernel_set_type = detail::is_kernel_set<typename std::remove_cvref_t<T>::plain>;

/// A set under the name of a struct, for sets of hundreds: the compiler looks at the whole type of a set for each
/// operator that is called by it, and a struct keeps it from that.
///
///   struct everything { static constexpr auto kernels = topbit::static_dispatch::merge(cpu, cuda); };
///   inline constexpr topbit::static_dispatch::named_set<everything> all;
export template <class Name>
  requires kernel_set_type<decltype(Name::kernels)>
struct named_set {
  using plain = std::remove_cvref_t<decltype(Name::kernels)>::plain;
  template <auto Operator, key_target Key = key::Undefined>
  static constexpr typename detail::set_call_of<named_set, decltype(Operator), detail::code_of(Key)>::type call{};
};

}  // namespace static_dispatch

namespace detail {

/// Why the set has not one kernel to call; empty if it has.
template <class Set, class Op, key_code Key>
consteval author::verdict explain_set_call() {
  author::verdict v;
  constexpr set_operator op = set_operator_of<Op>;
  if (Set::index.to_call(op, Key, Set::key_codes) != not_there) return v;
  std::size_t bound = 0;
  author::verdict for_keys;
  for (key_code k : Set::key_codes) {
    if (Set::index.find(op, k) == not_there) continue;
    if (bound++ != 0) for_keys.add(", ");
    add_key(for_keys, k);
  }
  v.add(Op::name());
  if (Key == no_key && bound > 1) {
    return v.add(": the set has kernels for ").add(for_keys.view()).add("; say which, call<op, key>");
  }
  v.add(": the set has no kernel");
  if (Key != no_key) {
    add_key(v.add(" for "), Key);
    if (bound != 0) v.add(", only for ").add(for_keys.view());
  }
  return v.add("; add bind<op, &kernel> to it");
}
template <class Set, class Op, key_code Key>
concept set_calls = explain_set_call<Set, Op, Key>().ok();

template <class Set, class Op, key_code Key>
consteval auto explain_no_call() {
  if constexpr (static_dispatch::operator_type<Op>) {
    static_assert(set_calls<Set, Op, Key>, explain_set_call<Set, Op, Key>());
    return nothing_to_call<typename function_traits<typename Op::signature>::result>{};
  } else {
    return nothing_to_call<void>{};
  }
}

consteval author::verdict explain_key(key_target k) {
  author::verdict v;
  if (k == key_target(key::Undefined)) {
    v.add("kernels: found key::Undefined, wanted a key; the one for kernels that serve every key is ");
    v.add("key::CompositeImplicitAutograd");
  } else if (!k.is_alias() && lacks_backend(k.row)) {
    v.add("kernels: found ").add(functionality_names[static_cast<unsigned>(k.row.layer)]);
    v.add(" without a backend, wanted a key");
  }
  return v;
}
template <key_target K>
concept has_a_row = explain_key(K).ok();

// What two entries for one operator's name and one key are called, and what would help.
template <class Set>
consteval author::verdict explain_repeated(std::string_view found, std::string_view help) {
  author::verdict v;
  const repeated_entry twice = Set::index.repeated();
  if (twice.second == not_there) return v;
  const set_entry a = Set::index[twice.first], b = Set::index[twice.second];
  v.add(a.op->name).add(": ");
  if (*a.op == *b.op) {
    add_key(v.add(found).add(" "), a.key);
    return v.add("; ").add(help);
  }
  add_key(v.add("bound for "), a.key);
  v.add(" with the signature '").add(for_people(*a.op->signature).view());
  add_key(v.add("' and for "), b.key);
  v.add(" with '").add(for_people(*b.op->signature).view());
  return v.add("'; the name of an operator has one signature");
}
template <class Set>
concept distinct_kernels = Set::index.repeated().second == not_there;

}  // namespace detail

namespace static_dispatch {

/// `bind<op, &kernel>`: the kernel of one operator, checked like impl(); on its way into kernels().
export template <auto Op, auto Fn>
inline constexpr detail::binding<decltype(Op), Fn> bind{};

/// The set of these kernels for one key, which may be an alias: `kernels<key::CPU>(bind<add, &add_cpu>, ...)`. Two
/// kernels of one operator do not compile. Cost: linear.
export template <key_target Key, class... Op, auto... Fn>
consteval auto kernels(const detail::binding<Op, Fn>&...) {
  static_assert(detail::has_a_row<Key>, detail::explain_key(Key));
  using made = kernel_set<detail::key_list<detail::code_of(Key)>, detail::set_kernel<detail::code_of(Key), Op, Fn>...>;
  if constexpr (detail::operator_types<Op...>) {
    static_assert(detail::distinct_kernels<made>,
                  detail::explain_repeated<made>("bound twice for", "leave one out, or use override_with(base, set)"));
  }
  return made{};
}

}  // namespace static_dispatch

}  // namespace topbit
