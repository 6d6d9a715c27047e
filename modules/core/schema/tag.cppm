// What is known of an operator beyond its schema, for tools that must treat kinds of operators apart.
export module topbit.core:schema.tag;

import topbit.std;
import :schema.schema;

namespace topbit {

/// A property of an operator, whatever its kernels.
export enum class tag : std::uint8_t {
  view,                   // a result shares the memory of an argument, which is not written; follows from the schema
  pointwise,              // each element of the result depends on one element of each argument, after broadcasting
  reduction,              // elements along dimensions are combined to one
  random,                 // draws random numbers: PyTorch's nondeterministic_seeded; follows from a Generator argument
  escape,                 // returns a value to the host that depends on elements: item, equal
  data_dependent_output,  // results other than tensors, or their existence, depend on elements
  dynamic_output_shape,   // sizes of results depend on elements: nonzero
  nondeterministic,       // the bits of its results differ from run to run
  collective,             // communicates with other processes
  effect,                 // does something besides computing its results and writing what the schema says
  inplace_view,           // changes sizes and strides of an argument: t_
  view_copy               // a new tensor with the elements of a view
};

/// "dynamic_output_shape"
export constexpr std::string_view name_of(tag t) noexcept {
  constexpr std::string_view names[] = {"view",
                                        "pointwise",
                                        "reduction",
                                        "random",
                                        "escape",
                                        "data_dependent_output",
                                        "dynamic_output_shape",
                                        "nondeterministic",
                                        "collective",
                                        "effect",
                                        "inplace_view",
                                        "view_copy"};
  return names[static_cast<std::size_t>(t)];
}

/// Some of the tags. Two bytes, constexpr.
export class tag_set {
 public:
  constexpr tag_set() noexcept = default;
  constexpr tag_set(tag t) noexcept : bits_(static_cast<std::uint16_t>(1U << static_cast<unsigned>(t))) {}
  constexpr tag_set(std::initializer_list<tag> all) noexcept {
    for (const tag t : all) *this = *this | t;
  }
  constexpr bool contains(tag t) const noexcept { return (bits_ >> static_cast<unsigned>(t) & 1) != 0; }
  constexpr bool empty() const noexcept { return bits_ == 0; }
  constexpr friend tag_set operator|(tag_set a, tag_set b) noexcept {
    a.bits_ = static_cast<std::uint16_t>(a.bits_ | b.bits_);
    return a;
  }
  constexpr friend bool operator==(tag_set, tag_set) noexcept = default;

  /// The tags in the order of the enumeration.
  std::vector<tag> list() const;

 private:
  std::uint16_t bits_ = 0;
};

/// "view, random"; empty for no tag.
export std::string to_string(tag_set tags);

export namespace author {

/// The tags that follow from a schema: view where a result is in an alias set and nothing is written, random where an
/// argument is a Generator.
constexpr tag_set derived_tags(const schema_view& s) noexcept {
  const auto aliases = [](const schema_item& r) { return !r.alias.empty(); };
  const auto draws = [](const schema_item& a) { return a.type == "Generator"; };
  tag_set tags;
  if (!is_mutable(s) && std::ranges::any_of(s.returns, aliases)) tags = tags | tag::view;
  if (std::ranges::any_of(s.arguments, draws)) tags = tags | tag::random;
  return tags;
}

/// Why these tags do not suit the schema, empty if they do: view and inplace_view are refused where it says otherwise.
constexpr std::string_view misfit_of(tag_set tags, const schema_view& s) noexcept {
  if (tags.contains(tag::view) && is_mutable(s))
    return "view: found an argument that is written, wanted none; inplace_view is for t_ and its like";
  if (tags.contains(tag::view) && !derived_tags(s).contains(tag::view))
    return "view: found no result that shares an argument's memory, wanted one in an alias set, as in 'Tensor(a)'";
  if (tags.contains(tag::inplace_view) && !is_mutable(s))
    return "inplace_view: found no argument that is written, wanted one, as in 'Tensor(a!)'";
  if (tags.contains(tag::view_copy) && derived_tags(s).contains(tag::view))
    return "view_copy: found a result that shares an argument's memory, wanted a new tensor";
  return {};
}

}  // namespace author

}  // namespace topbit
