// Algebra of kernel sets: union, and replacement of kernels.
export module topbit.core:static_dispatch.set_algebra;

import topbit.std;
import :static_dispatch.kernel_set;
import :static_dispatch.set_index;
import :text.text;

namespace topbit {

namespace detail {

// The keys of several sets, each once, in the order they come.
template <class... Set>
struct joined_keys {
  static constexpr std::size_t most = (std::size_t{0} + ... + Set::key_codes.size());
  static constexpr auto all = [] {
    std::pair<std::array<key_code, most>, std::size_t> keys{};
    const auto add = [&](const auto& some) {
      for (key_code k : some) {
        if (std::find(keys.first.begin(), keys.first.begin() + keys.second, k) == keys.first.begin() + keys.second) {
          keys.first[keys.second++] = k;
        }
      }
    };
    (add(Set::key_codes), ...);
    return keys;
  }();
  using type = decltype([]<std::size_t... I>(std::index_sequence<I...>) {
    return key_list<all.first[I]...>{};
  }(std::make_index_sequence<all.second>{}));
};

template <class Keys, class... List>
struct joined;
template <class Keys, class... Kernel>
struct joined<Keys, kernel_list<Kernel...>> {
  using type = static_dispatch::kernel_set<Keys, Kernel...>;
};
template <class Keys, class... A, class... B, class... Rest>
struct joined<Keys, kernel_list<A...>, kernel_list<B...>, Rest...> : joined<Keys, kernel_list<A..., B...>, Rest...> {};
// Several at a time, for an application that declares hundreds of holes.
template <class Keys, class... A, class... B, class... C, class... D, class... E, class... F, class... G, class... H,
          class... Rest>
struct joined<Keys, kernel_list<A...>, kernel_list<B...>, kernel_list<C...>, kernel_list<D...>, kernel_list<E...>,
              kernel_list<F...>, kernel_list<G...>, kernel_list<H...>, Rest...>
    : joined<Keys, kernel_list<A..., B..., C..., D..., E..., F..., G..., H...>, Rest...> {};

// Of plain sets.
template <class... Set>
using united = joined<typename joined_keys<Set...>::type, kernel_list<>, typename Set::list...>::type;

// A kernel of the base, or the one of the other set that takes its place.
template <class Kernel, class Over, std::size_t At>
struct replaced {
  using type = Over::list::template kernel<At>;
};
template <class Kernel, class Over>
struct replaced<Kernel, Over, not_there> {
  using type = Kernel;
};
template <class Over, class Keys, key_code... Key, class... Op, auto... Fn>
auto overridden(const static_dispatch::kernel_set<Keys, set_kernel<Key, Op, Fn>...>&) -> static_dispatch::kernel_set<
    Keys, typename replaced<set_kernel<Key, Op, Fn>, Over, Over::index.find(set_operator_of<Op>, Key)>::type...>;

template <class Base, class Over>
consteval author::verdict explain_override() {
  author::verdict v;
  for (std::size_t i = 0; i < Over::size(); ++i) {
    const set_entry e = Over::index[i];
    if (Base::index.find(*e.op, e.key) != not_there) continue;
    v.add(e.op->name).add(": there is no kernel to override for ");
    add_key(v, e.key);
    return v.add("; add one with merge(base, set)");
  }
  return v;
}
template <class Base, class Over>
concept overrides = explain_override<Base, Over>().ok();

}  // namespace detail

namespace static_dispatch {

/// All kernels of these sets, in their order. Two kernels for one operator and key do not compile. Cost: linear.
export template <kernel_set_type... Set>
consteval auto merge(const Set&...) {
  using made = detail::united<typename Set::plain...>;
  static_assert(detail::distinct_kernels<made>,
                detail::explain_repeated<made>("more than one of these sets has a kernel for",
                                               "leave one out, or use override_with(base, set)"));
  return made{};
}
export template <kernel_set_type A, kernel_set_type B>
consteval auto operator|(const A& a, const B& b) {
  return merge(a, b);
}

/// `base` with the kernels of `over` instead of its own for the same operators and keys. A kernel that replaces
/// none does not compile. Cost: linear in `base`, and the two numbers multiplied for what is replaced.
export template <kernel_set_type Base, kernel_set_type Over>
consteval auto override_with(const Base&, const Over&) {
  using base = Base::plain;
  using over = Over::plain;
  static_assert(detail::overrides<base, over>, detail::explain_override<base, over>());
  return decltype(detail::overridden<over>(base{})){};
}

}  // namespace static_dispatch

}  // namespace topbit
