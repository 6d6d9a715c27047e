// What follows from the schemas of the operators that a page is about, and from the lines that a family shares: a page
// says by hand only what is special. Internal.
module topbit.operator_docs:derived;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;

namespace topbit::detail {

using author::operator_page;
using author::page_error;
using author::page_example;
using author::page_lines;
using author::raises;

// The forms of the operators of a page.
struct page_forms {
  bool in_place = false;           // some form writes self
  bool out = false;                // some form writes tensors that are given for the results
  bool out_of_tensors = false;     // such a form takes other tensors as well, from which the result has its dtype
  bool device = false;             // some form takes a device
  bool pin_memory = false;         // some form takes options of memory
  std::size_t results = 0;         // of the first operator
  std::size_t most_tensors = 0;    // in a call; a list counts as two
  std::size_t fewest_tensors = 8;  // in a call, without those for results
};

constexpr std::size_t tensors_of(const author::schema_item& argument) noexcept {
  if (argument.type != "Tensor") return 0;
  return std::ranges::find(argument.modifiers, author::type_modifier::list) != argument.modifiers.end() ? 2 : 1;
}

constexpr page_forms forms_of(std::span<const author::schema_view> operators) noexcept {
  page_forms f;
  f.results = operators[0].returns.size();
  for (const author::schema_view& s : operators) {
    std::size_t given = 0, written = 0;
    for (const author::schema_item& a : s.arguments) {
      (author::is_out(a) ? written : given) += tensors_of(a);
      f.device |= a.type == "Device";
      f.pin_memory |= a.name == "pin_memory";
    }
    f.in_place |= author::is_in_place(s);
    f.out |= written != 0;
    f.out_of_tensors |= written != 0 && given != 0;
    f.most_tensors = std::max(f.most_tensors, given + written);
    f.fewest_tensors = std::min(f.fewest_tensors, given);
  }
  return f;
}

template <const auto&... Op>
inline constexpr author::schema_view page_schemas[] = {Op.schema()...};
template <const auto&... Op>
inline constexpr page_forms page_forms_of = forms_of(page_schemas<Op...>);

// A line that is put together during compilation.
using page_text = author::verdict;

// The text that Compose, a function without state, returns; without the room that is left in it.
template <auto Compose>
inline constexpr auto composed_characters = [] {
  std::array<char, Compose().size()> characters{};
  std::ranges::copy(Compose().view(), characters.begin());
  return characters;
}();
template <auto Compose>
consteval std::string_view composed() {
  return {composed_characters<Compose>.data(), composed_characters<Compose>.size()};
}

// The arguments that the first form with some has for results: "values or indices".
constexpr page_text names_of_outs(std::span<const author::schema_view> operators, std::string_view joint) noexcept {
  page_text names;
  for (const author::schema_view& s : operators) {
    for (const author::schema_item& a : s.arguments) {
      if (author::is_out(a)) names.add(names.ok() ? "" : joint).add(a.name);
    }
    if (!names.ok()) break;
  }
  return names;
}

// What a call writes to, other than new results.
enum class written_forms : std::uint8_t { out, in_place, both };
template <written_forms Forms, const auto&... Op>
constexpr page_text written_name() {
  page_text name;
  if (Forms != written_forms::out) name.add("self in place");
  if (Forms == written_forms::both) name.add(", or ");
  if (Forms != written_forms::in_place) name.add(names_of_outs(page_schemas<Op...>, " or ").view());
  return name;
}

template <written_forms Forms, const auto&... Op>
consteval page_error written_has_other_shape() {
  return raises<shape_error>(composed<[] {
    constexpr bool one = page_forms_of<Op...>.results == 1;
    return written_name<Forms, Op...>()
        .add(Forms == written_forms::both ? "," : "")
        .add(one ? " has another shape than the result" : " have another shape than the result for them")
        .add(", or elements that share memory");
  }>());
}
template <written_forms Forms, const auto&... Op>
consteval page_error written_has_lower_dtype() {
  return raises<dtype_error>(composed<[] {
    constexpr bool one = page_forms_of<Op...>.results == 1;
    return page_text()
        .add(one ? "the" : "a")
        .add(" result is of a higher category (bool, integers, floating) than ")
        .add(written_name<Forms, Op...>().view());
  }>());
}

template <const auto&... Op>
constexpr page_text memory_of_forms() {
  constexpr page_forms f = page_forms_of<Op...>;
  page_text text;
  text.add(f.results == 1 ? "the result is new and dense" : "the results are new and dense");
  if (f.in_place) text.add("; or self");
  if (f.out) {
    text.add(f.in_place ? " or " : "; or ")
        .add(names_of_outs(page_schemas<Op...>, " and ").view())
        .add(", which may overlap the arguments");
    if (f.results != 1) text.add(", but not each other");
  }
  return text;
}

// Errors without an example: tests/pages provokes them by changing an example of the page.
constexpr std::string_view two_devices = "the tensors are on different devices";
constexpr std::string_view no_such_device = "device is not available in this build or on this machine";
constexpr std::string_view wrong_options = "layout is not strided, or pin_memory is True";

consteval void add_error(page_lines& lines, page_error e) {
  for (page_error& place : lines.errors) {
    if (!place.type.empty()) continue;
    place = e;
    return;
  }
  throw "the page has more errors than page_lines has room for";  // the compiler stops here
}

// Whether some form refuses tensors of several devices.
template <const auto&... Op>
constexpr bool one_device =
    ((!author::spans_devices<std::remove_reference_t<decltype(Op)>> && forms_of(page_schemas<Op>).most_tensors > 1) ||
     ...);

// Adds the errors that follow from the forms. A call that converts the result to bool, like the first example, fits
// every out.
template <const auto&... Op>
consteval void add_form_errors(page_lines& lines, bool written_errors) {
  constexpr page_forms f = page_forms_of<Op...>;
  if constexpr (f.out) {
    if (written_errors) {
      add_error(lines, written_has_other_shape<written_forms::out, Op...>());
      const bool all_fit = lines.examples[0].results.find("(bool [") != std::string_view::npos;
      if (f.out_of_tensors && !all_fit) add_error(lines, written_has_lower_dtype<written_forms::out, Op...>());
    }
  }
  if (f.pin_memory) add_error(lines, raises<error>(wrong_options));
  if (f.device) add_error(lines, raises<device_error>(no_such_device));
  if (one_device<Op...>) add_error(lines, raises<device_error>(two_devices));
}

// What the pages of a family say unless they have a line of their own.
struct family_lines {
  std::string_view shapes = {}, dtypes = {}, memory = {}, cost = {};
};

consteval page_lines completed(page_lines own, const family_lines& family) {
  const auto complete = [](std::string_view& line, std::string_view common) {
    if (line.empty()) line = common;
  };
  complete(own.shapes, family.shapes);
  complete(own.dtypes, family.dtypes);
  complete(own.memory, family.memory);
  complete(own.cost, family.cost);
  return own;
}

template <const auto&... Op>
consteval operator_page derived_page(page_lines lines) {
  if (lines.memory.empty()) lines.memory = composed<[] { return memory_of_forms<Op...>(); }>();
  add_form_errors<Op...>(lines, true);
  return author::page<Op...>(lines);
}

template <const auto& Value>
concept family_argument = std::same_as<decltype(Value), const family_lines&>;

/// A page: its own lines, those of its family, and what follows from the schemas.
template <const auto&... Op>
  requires(!family_argument<Op> && ...)
consteval operator_page page(page_lines own) {
  return derived_page<Op...>(own);
}
template <const auto& Family, const auto&... Op>
  requires family_argument<Family>
consteval operator_page page(page_lines own) {
  return derived_page<Op...>(completed(own, Family));
}

}  // namespace topbit::detail
