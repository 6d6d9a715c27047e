// How operators are batched: kinds, each with one kernel for all its operators, and tables that say which operator is
// of which kind. A table is a value whose type lists the operators; what does not suit a kind does not compile.
export module topbit.transform:kind;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :elementwise;

namespace topbit {

export namespace author {

/// What vmap does to a call with batched arguments. `dim` and `dims` are arguments of these names.
enum class batching_kind : std::uint8_t {
  elementwise,  // aligns the operands: the batch dimension first, then ones, then the example's dimensions
  reduction,    // reduces `dim` of each example, or all its dimensions if none is given
  dimension,    // works along `dim` or `dims` of operands with equal ranks
  like,         // makes a tensor of the example's sizes
  refused       // throws: examples may differ in the sizes of their results, or the result is not a tensor
};
constexpr std::string_view name_of(batching_kind k) noexcept {
  constexpr std::string_view names[] = {"elementwise", "reduction", "dimension", "like", "refused"};
  return names[static_cast<std::size_t>(k)];
}

}  // namespace author

namespace detail {

// The kernels of the kinds.
void batch_reduction(const operator_handle& op, boxed_stack& stack);
void batch_along_dimension(const operator_handle& op, boxed_stack& stack);
void batch_like(const operator_handle& op, boxed_stack& stack);
[[noreturn]] void refuse_batched(const operator_handle& op, boxed_stack& stack);
// Reduces all dimensions of an example by an operator that reduces one.
void batch_whole(const operator_handle& op, const operator_handle& of_dimension, boxed_stack& stack);

template <author::batching_kind Kind>
struct batching_kernel;
template <>
struct batching_kernel<author::batching_kind::elementwise> {
  static constexpr author::kernel_note note = batched_elementwise::note;
  static constexpr auto run = &batch_elementwise;
};
template <>
struct batching_kernel<author::batching_kind::reduction> {
  static constexpr author::kernel_note note{"reduces the dimensions of each example"};
  static constexpr auto run = &batch_reduction;
};
template <>
struct batching_kernel<author::batching_kind::dimension> {
  static constexpr author::kernel_note note{"works along a dimension of each example"};
  static constexpr auto run = &batch_along_dimension;
};
template <>
struct batching_kernel<author::batching_kind::like> {
  static constexpr author::kernel_note note{"makes a tensor of each example's sizes"};
  static constexpr auto run = &batch_like;
};
template <>
struct batching_kernel<author::batching_kind::refused> {
  static constexpr author::kernel_note note{"refused within vmap"};
  static constexpr auto run = &refuse_batched;
};

// A kernel of a kind, as the table of rows takes it.
template <author::batching_kind Kind>
struct kind_kernel : batching_kernel<Kind> {
  void operator()(const operator_handle& op, boxed_stack& stack) const { batching_kernel<Kind>::run(op, stack); }
};
template <auto OfDimension>
struct whole_kernel {
  static constexpr author::kernel_note note{"reduces all dimensions of each example"};
  void operator()(const operator_handle& op, boxed_stack& stack) const {
    batch_whole(op, decltype(OfDimension){}.handle(), stack);
  }
};

consteval bool is_tensor_item(const author::schema_item& i) { return i.type == "Tensor"; }
consteval bool is_list_item(const author::schema_item& i) { return i.modifiers[0] == author::type_modifier::list; }

// Not a template, which the compiler would make for each of some hundred operators.
consteval author::verdict explain_kind_of(std::string_view name, const author::schema_view& s,
                                          author::batching_kind kind) {
  using enum author::batching_kind;
  author::verdict v;
  const auto refuse = [&](std::string_view found, std::string_view wanted) {
    v.add(name).add(": batching kind ").add(author::name_of(kind)).add(": found ").add(found);
    v.add(", wanted ").add(wanted);
  };
  std::size_t tensors = 0, lists = 0;
  const author::schema_item* dim = nullptr;
  for (const author::schema_item& i : s.arguments) {
    if (is_tensor_item(i)) ++(is_list_item(i) ? lists : tensors);
    if (i.type != "int") continue;
    const bool list = is_list_item(i);
    // As the kernels read them: a reduction takes one or several dimensions, the others one, or a list of the plural
    // name.
    if (i.name == "dim" && (kind == reduction || !list)) dim = &i;
    if (i.name == "dims" && kind == dimension && list) dim = &i;
  }
  if (kind != refused && lists != 0) refuse("a list of tensors", "a rule of its own");
  if (v.ok() && kind != refused && tensors == 0) refuse("no tensor argument", "one");
  if (v.ok() && kind != refused) {
    for (const author::schema_item& r : s.returns) {
      if (!is_tensor_item(r) || is_list_item(r)) refuse("a result that is not a tensor", "tensors alone");
    }
  }
  if (v.ok() && kind == reduction && dim == nullptr) refuse("no argument 'int dim'", "one, or 'int[] dim'");
  if (v.ok() && kind == dimension && dim == nullptr) refuse("no argument 'int dim'", "one, or 'int[] dims'");
  return v;
}

/// Why the operator is none of the kind; empty if it is.
template <class Op, author::batching_kind Kind>
consteval author::verdict explain_batching_kind() {
  return explain_kind_of(Op::name(), Op::schema(), Kind);
}

/// Why an operator that reduces all dimensions is not computed by one that reduces one; empty if it is.
template <class Op, class OfDimension>
consteval author::verdict explain_whole() {
  author::verdict v;
  const author::schema_view &whole = Op::schema(), &part = OfDimension::schema();
  for (const author::schema_item& i : part.arguments) {
    bool found = i.name == "dim" || i.name == "keepdim";
    for (const author::schema_item& own : whole.arguments)
      found = found || (own.name == i.name && own.type == i.type &&
                        (own.modifiers == i.modifiers || i.modifiers[0] == author::type_modifier::optional));
    if (!found && v.ok()) {
      v.add(Op::name()).add(": is not computed by ").add(OfDimension::name()).add(": found its argument '").add(i.name);
      v.add("', wanted dim, keepdim and arguments of both");
    }
  }
  if (v.ok() && (whole.returns.size() != 1 || whole.arguments.empty() || whole.arguments[0].name != "self" ||
                 author::is_mutable(whole)))
    v.add(Op::name()).add(": batching::whole: wanted one result, and 'Tensor self' first");
  return v;
}
template <class Op, class OfDimension>
concept whole_of = explain_whole<Op, OfDimension>().ok();

template <class Op, author::batching_kind Kind>
concept batches_as = explain_batching_kind<Op, Kind>().ok();

// Operators, or overload sets of them, in one list.
template <class... Op>
struct operator_list {};
template <class X>
struct operators_in {
  using type = operator_list<X>;
};
template <auto... Op>
struct operators_in<overloads<Op...>> {
  using type = operator_list<std::remove_const_t<decltype(Op)>...>;
};
template <class Whole, class... More>
struct joined_operators {
  using type = Whole;
};
template <class... A, class... B, class... More>
struct joined_operators<operator_list<A...>, operator_list<B...>, More...>
    : joined_operators<operator_list<A..., B...>, More...> {};

// Where rows of kinds are from. Taken here once: in a template it would bring the name of a function with it, and with
// that the texts of schemas.
inline constexpr std::source_location location_of_kind_rows = std::source_location::current();

template <author::batching_kind Kind, class Op>
consteval author::kernel_row kind_row() {
  // The compiler makes the sentence even if the assertion holds.
  if constexpr (!batches_as<Op, Kind>) static_assert(batches_as<Op, Kind>, explain_batching_kind<Op, Kind>());
  if constexpr (Kind == author::batching_kind::elementwise && is_plain_elementwise<typename Op::signature>)
    return author::signature_row<batched_elementwise{}>(Op{}, key::FuncTorchBatched, location_of_kind_rows);
  else
    return author::boxed_row<kind_kernel<Kind>{}>(Op{}, key::FuncTorchBatched, location_of_kind_rows);
}
template <author::batching_kind Kind, class List>
struct kind_rows;
template <author::batching_kind Kind, class... Op>
struct kind_rows<Kind, operator_list<Op...>> {
  static constexpr std::array<author::kernel_row, sizeof...(Op)> rows{kind_row<Kind, Op>()...};
};

template <author::batching_kind Kind, auto... X>
using rows_of_kind =
    kind_rows<Kind, typename joined_operators<operator_list<>,
                                              typename operators_in<std::remove_const_t<decltype(X)>>::type...>::type>;

}  // namespace detail

/// What happens to a call with batched arguments of an operator that has no batching rule and is no composite.
export enum class missing_batching_rule : std::uint8_t {
  loops,  // it is called for each example
  raises  // it throws an error
};
/// Process-wide. The default is loops, or raises with TOPBIT_STRICT_BATCHING=1. Returns the previous value.
export missing_batching_rule set_missing_batching_rule(missing_batching_rule m) noexcept;

/// The rows of a table of batching rules, in operators or overload sets:
///
///   inline constexpr auto rules = batching::rules(batching::elementwise<my::twice, my::half>{},
///                                                 batching::by<my::solve, &batched_solve>{});
///   const auto registered = author::install_batching(rules);
export namespace batching {

template <auto... X>
using elementwise = detail::rows_of_kind<author::batching_kind::elementwise, X...>;
template <auto... X>
using reduction = detail::rows_of_kind<author::batching_kind::reduction, X...>;
template <auto... X>
using dimension = detail::rows_of_kind<author::batching_kind::dimension, X...>;
template <auto... X>
using like = detail::rows_of_kind<author::batching_kind::like, X...>;
template <auto... X>
using refused = detail::rows_of_kind<author::batching_kind::refused, X...>;
/// Op reduces all dimensions, and OfDimension one; both have the same other arguments.
template <auto Op, auto OfDimension>
struct whole {
  static_assert(detail::whole_of<std::remove_const_t<decltype(Op)>, std::remove_const_t<decltype(OfDimension)>>,
                detail::explain_whole<std::remove_const_t<decltype(Op)>, std::remove_const_t<decltype(OfDimension)>>());
  static constexpr std::array<author::kernel_row, 1> rows{
      author::boxed_row<detail::whole_kernel<OfDimension>{}>(Op, key::FuncTorchBatched, detail::location_of_kind_rows)};
};

}  // namespace batching

}  // namespace topbit
