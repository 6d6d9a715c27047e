// The registrations of a table: each function of its dispatch lists is given by name, checked and registered.
//
// Templates that are instantiated for each entry or kernel do not have the list of functions among their arguments: it
// would be a part of each of their names.
export module topbit.tables:library;

import topbit.std;
import topbit.core;
import :check;
import :entry;
import :forms;
import :functions;
import :position;
import :table;

namespace topbit::tables {

// A concept, since compilers print an expression that was false in front of its sentence.
template <const mistake& M>
concept right = M.ok();

// The key of the private backend that has this name when this is called.
key_target registered_key(std::string_view file, position at, std::string_view word);

// Where an operator's registrations go.
struct destination {
  library_block& block;
  std::source_location where;
};

// Why this function cannot be what the table says, behind the place.
template <const auto& Table, position At, auto Fn, class Op>
consteval auto explain_misfit() {
  author::basic_verdict<900> v;
  v.add(parsed_table<Table>::source.file).add(":").add(At.line).add(":").add(At.column).add(": ");
  return v.add(author::explain_kernel<Fn, Op>().view());
}
template <const auto& Table, position At, auto Fn, class Op>
consteval void refuse_function() {
  static_assert(kernel_for<Fn, Op>, explain_misfit<Table, At, Fn, Op>());
}
template <const auto& Table, const mistake& M>
consteval void refuse() {
  static_assert(right<M>, explain<Table>(M));
}

template <const auto& Table, std::size_t Item>
key_target key_of_item() {
  constexpr const dispatch_item& item = parsed_table<Table>::all.items[Item];
  if constexpr (item.target.has_value())
    return *item.target;
  else
    return registered_key(parsed_table<Table>::source.file, item.key_at, item.key);
}

template <const auto& Table, std::size_t Entry, auto Fn, position At>
void add_kernel(const destination& to, key_target key) {
  using op = operator_at<Table, Entry>;
  if constexpr (kernel_for<Fn, op>)
    to.block.impl<Fn>(op(), key, to.where);
  else if constexpr (boxed_kernel<Fn>)
    to.block.impl_boxed<Fn>(op(), key, to.where);
  else
    refuse_function<Table, At, Fn, op>();
}
template <const auto& Table, std::size_t Item, auto Fn>
void add_item(const destination& to) {
  constexpr const dispatch_item& item = parsed_table<Table>::all.items[Item];
  using op = operator_at<Table, item.entry>;
  // What most are, with fewer templates.
  if constexpr (item.target.has_value() && kernel_for<Fn, op>)
    to.block.impl<Fn>(op(), *item.target, to.where);
  else
    add_kernel<Table, item.entry, Fn, item.function_at>(to, key_of_item<Table, Item>());
}

template <const auto& Table, std::size_t I>
inline constexpr mistake tag_mistake = [] {
  mistake m{.at = parsed_table<Table>::all.entries[I].tags_at};
  const std::string_view misfit =
      author::misfit_of(parsed_table<Table>::all.entries[I].tags, operator_at<Table, I>::schema());
  if (!misfit.empty()) m.text.add("found the tag ").add(misfit);
  return m;
}();

template <const auto& Table, std::size_t I>
void add_operator(const destination& to) {
  constexpr tag_set tags = parsed_table<Table>::all.entries[I].tags;
  operator_at<Table, I> op;
  to.block.def(op, to.where);
  if constexpr (!(tags == tag_set(tag::pointwise)) && !tags.empty()) {
    // No schema contradicts pointwise, the most frequent.
    if constexpr (right<tag_mistake<Table, I>>)
      to.block.tag(op, tags, to.where);
    else
      refuse<Table, tag_mistake<Table, I>>();
  } else if constexpr (!tags.empty()) {
    to.block.tag(op, tags, to.where);
  }
}

// ------------------------------------------------------------------------------------------------- structured groups

template <const auto& Table, std::size_t Out>
consteval bool has_meta() {
  for (const dispatch_item& i : parsed_table<Table>::view.items_of(parsed_table<Table>::all.entries[Out])) {
    if (same_text(i.key, "Meta")) return true;
  }
  return false;
}

template <const auto& Table, std::size_t Out>
inline constexpr mistake out_mistake =
    check_out_form(parsed_table<Table>::all.entries[Out], operator_at<Table, Out>::schema());
template <const auto& Table, std::size_t I, std::size_t Out>
inline constexpr mistake form_mistake =
    check_form(parsed_table<Table>::all.entries[I], operator_at<Table, I>::schema(),
               parsed_table<Table>::all.entries[Out], operator_at<Table, Out>::schema());

// The Meta kernel of an out form, where the table lists none.
template <const auto& Table, std::size_t Out, auto Shape>
void add_out_meta(const destination& to) {
  using op = operator_at<Table, Out>;
  if constexpr (right<out_mistake<Table, Out>> && !has_meta<Table, Out>()) {
    constexpr std::size_t results = outs_of(op::schema());
    to.block.impl<&forms_of<typename op::signature>::template out_meta<Shape, results>>(op(), key::Meta, to.where);
  }
}

template <const auto& Table, std::size_t I, std::size_t Item, auto Fn, auto Shape>
void add_form_kernel(const destination& to) {
  constexpr const dispatch_item& item = parsed_table<Table>::all.items[Item];
  using op = operator_at<Table, I>;
  using forms = forms_of<typename op::signature>;
  // A kernel of other types is refused where the out form has it.
  if constexpr (is_dense(item.key) && kernel_for<Fn, operator_at<Table, item.entry>>) {
    if constexpr (author::is_mutable(op::schema()))
      to.block.impl<&forms::template in_place<Fn>>(op(), key_of_item<Table, Item>(), to.where);
    else
      to.block.impl<&forms::template functional<Fn, Shape>>(op(), key_of_item<Table, Item>(), to.where);
  }
}

// A form that has its kernels of backends from the out form: these, of the items from the first of that on.
template <const auto& Table, std::size_t I, std::size_t Out, auto Shape, auto... Fn>
void add_form(const destination& to) {
  using op = operator_at<Table, I>;
  constexpr const table_entry& out = parsed_table<Table>::all.entries[Out];
  constexpr bool writes = author::is_mutable(op::schema());
  if constexpr (!right<out_mistake<Table, Out>>) {
    refuse<Table, out_mistake<Table, Out>>();
  } else if constexpr (!right<form_mistake<Table, I, Out>>) {
    refuse<Table, form_mistake<Table, I, Out>>();
  } else if constexpr (!writes && !kernel_for<Shape, op>) {
    refuse_function<Table, out.structured_at, Shape, op>();
  } else {
    [&]<std::size_t... J>(std::index_sequence<J...>) {
      (add_form_kernel<Table, I, out.first_item + J, Fn, Shape>(to), ...);
    }(std::make_index_sequence<sizeof...(Fn)>{});
    if constexpr (!has_meta<Table, Out>()) {
      using forms = forms_of<typename op::signature>;
      if constexpr (writes)
        to.block.impl<&forms::template in_place_meta<Shape>>(op(), key::Meta, to.where);
      else
        to.block.impl<&forms::template functional_meta<Shape>>(op(), key::Meta, to.where);
    }
  }
}

// ---------------------------------------------------------------------------------------------------------- the table

template <std::size_t Entries>
consteval bool is_first_of_group(const std::array<std::uint32_t, Entries>& delegates, std::size_t i) {
  for (std::size_t j = 0; j < i; ++j) {
    if (delegates[j] == delegates[i]) return false;
  }
  return true;
}

// What an entry has besides the kernels that it lists.
template <const auto& Table, std::size_t I, class... F>
void add_rest(const destination& to, functions<F...>) {
  constexpr const table_entry& e = parsed_table<Table>::all.entries[I];
  static constexpr auto& plan = resolved<Table, functions<F...>>;
  if constexpr (plan.implicit[I] != nothing)
    add_kernel<Table, I, function_parts<F...[plan.implicit[I]]>::function, e.func.at>(to,
                                                                                      key::CompositeImplicitAutograd);
  if constexpr (plan.gradient[I] != nothing)
    add_kernel<Table, I, function_parts<F...[plan.gradient[I]]>::function, e.gradient.at>(to, key::Autograd);
  if constexpr (e.structured && !right<out_mistake<Table, I>>) refuse<Table, out_mistake<Table, I>>();
  if constexpr (plan.delegate[I] != nothing) {
    constexpr std::size_t out = plan.delegate[I];
    constexpr const table_entry& of_out = parsed_table<Table>::all.entries[out];
    constexpr auto shape = function_parts<F...[plan.shape[I]]>::function;
    [&]<std::size_t... J>(std::index_sequence<J...>) {
      add_form<Table, I, out, shape, function_parts<F...[plan.of_item[of_out.first_item + J]]>::function...>(to);
    }(std::make_index_sequence<of_out.items>{});
    if constexpr (is_first_of_group(plan.delegate, I)) add_out_meta<Table, out, shape>(to);
  }
}

constexpr bool has_rest(const table_entry& e) noexcept {
  return !e.has_dispatch || e.structured || !e.structured_delegate.name.empty() || !e.gradient.name.empty();
}
template <const auto& Table>
inline constexpr std::size_t rest_count = [] {
  std::size_t n = 0;
  for (const table_entry& e : parsed_table<Table>::view.entries) n += has_rest(e) ? 1 : 0;
  return n;
}();
template <const auto& Table>
inline constexpr auto rest_of = [] {
  std::array<std::size_t, rest_count<Table>> all{};
  std::size_t n = 0;
  for (std::size_t i = 0; i < parsed_table<Table>::counts.entries; ++i) {
    if (has_rest(parsed_table<Table>::all.entries[i])) all[n++] = i;
  }
  return all;
}();

template <const auto& Table, class... F>
void add_functions(const destination& to, functions<F...> list) {
  using parsed = parsed_table<Table>;
  static constexpr auto& plan = resolved<Table, functions<F...>>;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (add_operator<Table, I>(to), ...);
  }(std::make_index_sequence<parsed::counts.entries>{});
  [&]<std::size_t... J>(std::index_sequence<J...>) {
    (add_item<Table, J, function_parts<F...[plan.of_item[J]]>::function>(to), ...);
  }(std::make_index_sequence<parsed::counts.items>{});
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    (add_rest<Table, rest_of<Table>[K]>(to, list), ...);
  }(std::make_index_sequence<rest_count<Table>>{});
}

template <const auto& Table, class List>
consteval void refuse_list() {
  static_assert(complete<Table, List>, explain<Table>(resolved<Table, List>.wrong));
}
template <const auto& Table, class List>
void add_table(library_block& block, std::source_location where) {
  if constexpr (!valid_table<Table>)
    refuse_table<Table>();
  else if constexpr (!complete<Table, List>)
    refuse_list<Table, List>();
  else
    add_functions<Table>(destination{block, where}, List());
}

}  // namespace topbit::tables

export namespace topbit::tables {

/// Owns the namespace of the table, defines its operators and registers these functions for them, as library() does.
/// The compiler checks that every name of the table has a function here and every function is named, that each fits its
/// schema, and that structured groups are complete; keys of private backends are looked up here, and bad_registration
/// is thrown for one that is not registered, or as library() does. `ns` is the table's namespace.
template <const auto& Table, class... Function>
library_block library_from(std::string_view ns, registry& r = registry::process(),
                           std::source_location where = std::source_location::current()) {
  library_block block = library(ns, r, where);
  add_table<Table, typename flat<Function...>::type>(block, where);
  return block;
}
/// The same for operators that are added to a namespace, as fragment() does.
template <const auto& Table, class... Function>
library_block fragment_from(std::string_view ns, registry& r = registry::process(),
                            std::source_location where = std::source_location::current()) {
  library_block block = fragment(ns, r, where);
  add_table<Table, typename flat<Function...>::type>(block, where);
  return block;
}

}  // namespace topbit::tables
