// Is every operator covered? Compile-time answers about kernel sets. `covers` and `covers_all` are true or do
// not compile; `covered`, `covered_all`, `holes` and `all_holes` are the same answers as values.
//
// A key is served by the kernel that a table with the set's kernels would hold in its slot, so composites count. Cost:
// linear in operators times keys.
export module topbit.core:static_dispatch.set_coverage;

import topbit.std;
import :keys.key;
import :static_dispatch.direct_call;
import :static_dispatch.kernel_set;
import :static_dispatch.set_algebra;
import :static_dispatch.set_index;
import :text.text;

namespace topbit {

namespace static_dispatch {

/// An operator without a kernel for a key.
export struct missing_kernel {
  std::string_view op;
  key_target key = topbit::key::Undefined;
};

/// Operators, as a list: `operators<add, mul>`.
export template <auto... Op>
struct operators {
  static_assert(detail::operator_types<decltype(Op)...>, "operators: wanted operators, as topbit::op declares them");
};
/// Keys, as a list: `keys<key::CPU, key::CUDA>`.
export template <key_target... Key>
struct keys {};

}  // namespace static_dispatch

namespace detail {

template <auto Op, key_target... Key>
struct declared_hole {
  static_assert(static_dispatch::operator_type<decltype(Op)>, "hole: wanted an operator, as topbit::op declares them");
};

}  // namespace detail

namespace static_dispatch {

/// Says in covers_all() that no kernel is meant to be there: `hole<relu, key::CUDA>`, or for several keys.
export template <auto Op, key_target... Key>
inline constexpr detail::declared_hole<Op, Key...> hole{};

}  // namespace static_dispatch

namespace detail {

template <class... Op>
struct operator_list {
  static constexpr std::array<const set_operator*, sizeof...(Op)> value{&set_operator_of<Op>...};
};

// Calls found(operator, key) for each pair that the set has no kernel for.
template <std::size_t Size, std::size_t N, std::size_t M, class Found>
constexpr void each_hole(const set_index<Size>& set, const std::array<const set_operator*, N>& ops,
                         const std::array<key_code, M>& keys, Found&& found) {
  for (const set_operator* op : ops) {
    for (key_code k : keys) {
      if (set.select(*op, k) == not_there) found(*op, k);
    }
  }
}

// One set asked about its own keys: those that calls can select, or the aliases where it was made for nothing else.
template <class Set, class... Op>
struct set_question {
  template <class Found>
  static constexpr void each_hole(Found&& found) {
    constexpr auto is_row = [](key_code k) { return !key_of(k).is_alias(); };
    constexpr bool has_rows = std::ranges::any_of(Set::key_codes, is_row);
    for (key_code k : Set::key_codes) {
      if (is_row(k) == has_rows) detail::each_hole(Set::index, operator_list<Op...>::value, std::array{k}, found);
    }
  }
};

// What may follow the keys of covers_all: sets, and declarations of holes.
template <class T>
struct given_part;
template <static_dispatch::kernel_set_type Set>
struct given_part<Set> {
  using kernels = Set::plain::list;
  using holes = kernel_list<>;
};
template <auto Op, key_target... Key>
struct given_part<declared_hole<Op, Key...>> {
  using kernels = kernel_list<>;
  using holes = kernel_list<set_kernel<code_of(Key), decltype(Op), nullptr>...>;
};
template <class T>
concept set_or_hole = requires { typename given_part<T>::holes; };

// All sets of an application asked about the operators and keys it names, with the holes it declares, which are kept as
// a set of kernels that there are not.
template <class Operators, class Keys, class... Given>
struct application_question;
template <auto... Op, key_target... Key, class... Given>
struct application_question<static_dispatch::operators<Op...>, static_dispatch::keys<Key...>, Given...> {
  using set = joined<key_list<>, kernel_list<>, typename given_part<Given>::kernels...>::type;
  using declared = joined<key_list<>, kernel_list<>, typename given_part<Given>::holes...>::type;
  static constexpr std::array<key_code, sizeof...(Key)> asked_keys{code_of(Key)...};

  template <class Found>
  static constexpr void each_hole(Found&& found) {
    detail::each_hole(set::index, operator_list<decltype(Op)...>::value, asked_keys,
                      [&](const set_operator& op, key_code k) {
                        if (declared::index.find(op, k) == not_there) found(op, k);
                      });
  }
  // The first declaration of a hole that is none, or not_there.
  static constexpr std::size_t stale = [] {
    std::array<bool, declared::size() + 1> is_hole{};
    detail::each_hole(set::index, operator_list<decltype(Op)...>::value, asked_keys,
                      [&](const set_operator& op, key_code k) {
                        const std::size_t at = declared::index.find(op, k);
                        is_hole[at == not_there ? declared::size() : at] = true;
                      });
    for (std::size_t i = 0; i < declared::size(); ++i) {
      if (!is_hole[i]) return i;
    }
    return not_there;
  }();
};

template <class Question>
constexpr std::size_t hole_count = [] {
  std::size_t count = 0;
  Question::each_hole([&](const set_operator&, key_code) { ++count; });
  return count;
}();

template <class Question>
constexpr auto holes_of = [] {
  std::array<static_dispatch::missing_kernel, hole_count<Question>> holes{};
  std::size_t i = 0;
  Question::each_hole([&](const set_operator& op, key_code k) { holes[i++] = {op.name, key_of(k)}; });
  return holes;
}();

template <class Question>
consteval author::verdict explain_holes(bool may_declare) {
  author::verdict v;
  if constexpr (hole_count<Question> != 0) {
    const static_dispatch::missing_kernel& first = holes_of<Question>.front();
    const key_code k = code_of(first.key);
    add_key(v.add(first.op).add(": no kernel for "), k);
    if constexpr (hole_count<Question> > 1) {
      v.add(", the first of ").add(hole_count<Question>).add(" that are missing");
    }
    v.add("; add bind<op, &kernel> to kernels<key::");
    add_key(v, k);
    v.add(">()");
    if (may_declare) {
      add_key(v.add(", or declare hole<op, key::"), k);
      v.add(">");
    }
  }
  return v;
}
template <class Question>
concept no_hole = hole_count<Question> == 0;

template <class Question>
consteval author::verdict explain_stale() {
  author::verdict v;
  if constexpr (Question::stale != not_there) {
    const set_entry e = Question::declared::index[Question::stale];
    add_key(v.add(e.op->name).add(": hole<op, key::"), e.key);
    v.add("> is declared, but ");
    if (Question::declared::index.find(*e.op, e.key) != Question::stale) {
      v.add("more than once");
    } else if (Question::set::index.select(*e.op, e.key) != not_there) {
      v.add("there is a kernel for it");
    } else {
      v.add("is not among the operators and keys asked about");
    }
    v.add("; remove the declaration");
  }
  return v;
}
template <class Question>
concept nothing_stale = Question::stale == not_there;

template <class Set, class... Op>
consteval bool covers_or_says_why() {
  static_assert(static_dispatch::kernel_set_type<Set>, "covers: wanted a kernel set first, then operators");
  static_assert(operator_types<Op...>, "covers: wanted operators after the set, as topbit::op declares them");
  if constexpr (static_dispatch::kernel_set_type<Set> && operator_types<Op...>) {
    using question = set_question<typename Set::plain, Op...>;
    static_assert(no_hole<question>, explain_holes<question>(false));
  }
  return true;
}

template <class Operators, class Keys>
inline constexpr bool are_lists = false;
template <auto... Op, key_target... Key>
inline constexpr bool are_lists<static_dispatch::operators<Op...>, static_dispatch::keys<Key...>> = true;
template <class Operators, class Keys>
concept operators_and_keys = are_lists<Operators, Keys>;
template <class... Given>
concept sets_or_holes = all({set_or_hole<Given>...});

template <class Operators, class Keys, class... Given>
consteval bool application_covered_or_says_why() {
  static_assert(operators_and_keys<Operators, Keys>, "covers_all: wanted operators<...> and keys<...> first");
  static_assert(sets_or_holes<Given...>, "covers_all: wanted kernel sets and hole<op, key> after the keys");
  if constexpr (operators_and_keys<Operators, Keys> && sets_or_holes<Given...>) {
    using question = application_question<Operators, Keys, Given...>;
    using set = question::set;
    static_assert(distinct_kernels<set>, explain_repeated<set>("more than one of these sets has a kernel for",
                                                               "leave one out, or use override_with(base, set)"));
    static_assert(no_hole<question>, explain_holes<question>(true));
    static_assert(nothing_stale<question>, explain_stale<question>());
  }
  return true;
}

}  // namespace detail

namespace static_dispatch {

/// True if the set has a kernel for each of these operators, for every dispatch key it was made for (for its aliases
/// where it was made for nothing else); otherwise an error that names the operator and the key.
export template <auto Set, auto... Op>
inline constexpr bool covers = detail::covers_or_says_why<decltype(Set), decltype(Op)...>();
/// The same as an answer.
export template <auto Set, auto... Op>
inline constexpr bool covered = detail::no_hole<detail::set_question<typename decltype(Set)::plain, decltype(Op)...>>;
/// What is missing: an array of missing_kernel, by key and then by operator, both in their order.
export template <auto Set, auto... Op>
inline constexpr const auto& holes =
    detail::holes_of<detail::set_question<typename decltype(Set)::plain, decltype(Op)...>>;

/// A whole application: `covers_all<operators<...>, keys<...>, cpu, cuda, hole<relu, key::CUDA>>` is true if these sets
/// together have a kernel for each operator and key but for the holes declared; otherwise an error that names the first
/// one missing. A declared hole that is none is an error too, and so are two kernels for one operator and key.
export template <class Operators, class Keys, auto... SetOrHole>
inline constexpr bool covers_all = detail::application_covered_or_says_why<Operators, Keys, decltype(SetOrHole)...>();
/// The same as an answer.
export template <class Operators, class Keys, auto... SetOrHole>
inline constexpr bool covered_all =
    detail::distinct_kernels<typename detail::application_question<Operators, Keys, decltype(SetOrHole)...>::set> &&
    detail::no_hole<detail::application_question<Operators, Keys, decltype(SetOrHole)...>> &&
    detail::nothing_stale<detail::application_question<Operators, Keys, decltype(SetOrHole)...>>;
/// What is missing beyond the holes declared: an array of missing_kernel, operators in their order.
export template <class Operators, class Keys, auto... SetOrHole>
inline constexpr const auto& all_holes =
    detail::holes_of<detail::application_question<Operators, Keys, decltype(SetOrHole)...>>;

}  // namespace static_dispatch

}  // namespace topbit
