// Operator documentation as data, which the compiler checks against the schemas. A library publishes the pages about
// its operators; tools show them, and a test can run the examples of each page.
export module topbit.core:inspect.operator_page;

import topbit.std;
import :dispatch.operator_info;
import :dispatch.rule_kind;
import :registry.registry;
import :schema.schema;
import :schema.tag;
import :text.characters;
import :text.error;
import :text.text;

namespace topbit {

/// For authors of operator libraries and backends.
export namespace author {

/// An operator that a page is about, and the variable it is declared as: "topbit::aten::sum_dim_IntList".
struct page_operator {
  const detail::operator_info* op = nullptr;
  std::string_view variable;
};

/// An error of one of the operators. Made by raises().
struct page_error {
  std::string_view type = {};     // of the exception, "shape_error"
  std::string_view when = {};     // "self and other do not broadcast"
  std::string_view example = {};  // a call that throws it, "add.Tensor([1], [1, 2])"; empty where no text can show it
};
template <std::derived_from<error> E>
consteval page_error raises(std::string_view when, std::string_view example = {}) {
  return {type_name<E>(), when, example};
}

/// A call with its arguments as call_text() reads them, "sum([1, 2])", and the results as it writes them, separated by
/// "; ". Without results, they are not the same each time.
struct page_example {
  std::string_view call = {}, results = {};
};

/// What a page says; a line that does not apply stays empty.
struct page_lines {
  std::string_view summary;      // one sentence
  std::string_view shapes = {};  // "self: [..], other: [..] -> broadcast"
  std::string_view dtypes = {};  // what is taken; what the result has
  std::string_view memory = {};  // is the result new, dense, a view; what is written
  std::string_view cost = {};
  page_error errors[8] = {};
  page_example examples[3] = {};
};

struct operator_page {
  std::span<const page_operator> operators;  // the one the page is named after comes first
  page_lines lines;
};

}  // namespace author

namespace detail {

// "topbit::aten::sum" of the variable that Op refers to.
template <const auto& Op>
consteval auto variable_name() {
  // The return type is auto because GCC appends "; std::string_view = ..." for a function whose type has an alias.
  const std::string_view pretty = __PRETTY_FUNCTION__;
  const std::size_t begin = pretty.find("Op = ") + 5;
  return pretty.substr(begin, pretty.size() - begin - 1);
}

template <const auto&... Op>
inline constexpr author::page_operator page_operators[] = {
    {&info_of<std::remove_cvref_t<decltype(Op)>>::value, variable_name<Op>()}...};

constexpr bool has_argument(std::span<const author::schema_view> operators, std::string_view name) noexcept {
  for (const author::schema_view& s : operators) {
    for (const author::schema_item& a : s.arguments) {
      if (a.name == name) return true;
    }
  }
  return false;
}

// The first word before a colon, to the left of the arrow, that no operator of the page has as an argument.
constexpr std::string_view unknown_argument(std::span<const author::schema_view> operators,
                                            std::string_view shapes) noexcept {
  shapes = shapes.substr(0, shapes.find("->"));
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (shapes[i] != ':') continue;
    std::size_t begin = i;
    while (begin != 0 && is_word(shapes[begin - 1])) --begin;
    if (!has_argument(operators, shapes.substr(begin, i - begin))) return shapes.substr(begin, i - begin);
  }
  return {};
}

// "sum.dim_IntList" begins the call, and is the name of an operator of the page.
constexpr bool calls_one(std::span<const author::schema_view> operators, std::string_view call) noexcept {
  for (const author::schema_view& s : operators) {
    std::string_view rest = call;
    if (!rest.starts_with(s.name)) continue;
    rest.remove_prefix(s.name.size());
    if (!s.overload.empty()) {
      if (!rest.starts_with('.') || !rest.substr(1).starts_with(s.overload)) continue;
      rest.remove_prefix(s.overload.size() + 1);
    }
    if (rest.starts_with('(') && rest.ends_with(')')) return true;
  }
  return false;
}

// Not for the evaluator of constant expressions: the compiler stops here, and shows what it was called with.
void refuse_page(const char* what);

}  // namespace detail

export namespace author {

/// Why these lines are no page about the operators; empty if they are.
constexpr verdict explain_page(std::span<const schema_view> operators, const page_lines& lines) noexcept {
  verdict v;
  if (lines.summary.empty() || lines.summary[0] < 'A' || lines.summary[0] > 'Z' || !lines.summary.ends_with('.'))
    return v.add("the summary is a sentence, with a capital letter and a full stop; found '")
        .add(lines.summary)
        .add("'");
  for (std::string_view line : {lines.summary, lines.shapes, lines.dtypes, lines.memory, lines.cost}) {
    if (line.find('\n') != std::string_view::npos)
      return v.add("a line has no line break; found one in '").add(line).add("'");
  }
  if (const std::string_view name = detail::unknown_argument(operators, lines.shapes); !name.empty())
    return v.add("the shapes name '").add(name).add("', which is no argument of the operators");
  for (const page_error& e : lines.errors) {
    if (e.type.empty()) continue;
    if (e.when.empty()) return v.add("the error ").add(e.type).add(" needs a word about when it is thrown");
    if (!e.example.empty() && !detail::calls_one(operators, e.example))
      return v.add("the example '").add(e.example).add("' calls no operator of the page");
  }
  for (const page_example& e : lines.examples) {
    if (!e.call.empty() && !detail::calls_one(operators, e.call))
      return v.add("the example '").add(e.call).add("' calls no operator of the page");
  }
  return v;
}

/// A page about these operators, which have schemas. Does not compile where a line names an argument or calls an
/// operator they do not have, or where the summary is no sentence.
///
///   constexpr author::operator_page pages[] = {
///       author::page<my::twice, my::twice_out>({
///           .summary = "Doubles each element.",
///           .shapes = "self: [..] -> the same",
///           .examples = {{"twice([1, 2])", "[2, 4] (int64 [2])"}},
///       }),
///   };
template <const auto&... Op>
consteval operator_page page(page_lines lines) {
  const schema_view schemas[] = {Op.schema()...};
  const verdict v = explain_page(schemas, lines);
  if (!v.ok()) detail::refuse_page(v.data());
  return {detail::page_operators<Op...>, lines};
}

/// Pages that belong together, under a title.
struct page_group {
  std::string_view title;
  std::span<const operator_page> pages;
};

/// Owns published pages and unpublishes them when destroyed. Move-only.
class [[nodiscard("the pages are taken back when this is destroyed")]] published_pages {
 public:
  explicit inline published_pages(std::uint64_t id) noexcept : id_(id) {}
  inline published_pages(published_pages&& other) noexcept : id_(std::exchange(other.id_, 0)) {}
  published_pages& operator=(published_pages&& other) noexcept;
  ~published_pages();
  /// Keeps the pages registered permanently.
  inline void keep() noexcept { id_ = 0; }

 private:
  std::uint64_t id_;
};

/// Makes pages known to tools, for as long as the result lives, which the data must outlive.
published_pages publish_pages(page_group group);

/// All pages there are, in the order of publication. What they refer to stays while it is published.
std::vector<page_group> operator_pages();

/// The page as lines for people: what it says, the keys that the first operator has kernels for in `r`, and all
/// operators with their variables and schemas.
std::string to_string(const operator_page& p, registry& r = registry::process());

/// These groups as a Markdown document.
std::string to_markdown(std::span<const page_group> groups, registry& r = registry::process());

/// The keys that the page's first operator has kernels for, in the order in which a call looks at them; none where `r`
/// does not know it.
std::vector<std::string> keys_of_page(const operator_page& p, registry& r = registry::process());

/// The tags of the page's first operator; none where `r` does not know it.
tag_set tags_of_page(const operator_page& p, registry& r = registry::process());

}  // namespace author

}  // namespace topbit
