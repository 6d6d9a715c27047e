// The words of tables: dispatch keys and tags by PyTorch's names, at compile time.
export module topbit.tables:words;

import topbit.std;
import topbit.core;
import :cursor;
import :position;

namespace topbit::tables {

// The enumerators' names are the keys' names, so the compiler is asked for them: core prints names at run time only. It
// writes those of a pack as "topbit::backend::CPU, topbit::backend::CUDA". One function for all of them, since its
// value is computed anew in every unit that imports this.
template <auto... Enumerator>
constexpr auto enumerator_names() noexcept {
  const std::string_view pretty = __PRETTY_FUNCTION__;
  std::array<std::string_view, sizeof...(Enumerator)> names{};
  const char* const end = pretty.data() + pretty.size();
  const char* at = find_byte(pretty.data(), end, '=');
  for (std::string_view& name : names) {
    const char* last = find_byte(at, end, ',');
    at = last == end ? end : last + 1;
    while (last[-1] == ']' || last[-1] == '>' || last[-1] == '}') --last;
    const char* first = last;
    while (first[-1] != ':') --first;
    name = {first, static_cast<std::size_t>(last - first)};
  }
  return names;
}
template <class Enum, std::size_t Count>
constexpr auto names_of() noexcept {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return enumerator_names<static_cast<Enum>(I)...>();
  }(std::make_index_sequence<Count>{});
}
inline constexpr auto backend_words = names_of<backend, author::backend_count + 1>();
inline constexpr auto layer_words = names_of<functionality, author::functionality_count + 1>();

struct alias_word {
  std::string_view name;
  alias_key key;
};
inline constexpr std::array alias_words{
    alias_word{"Autograd", key::Autograd},
    alias_word{"CompositeImplicitAutograd", key::CompositeImplicitAutograd},
    alias_word{"CompositeExplicitAutograd", key::CompositeExplicitAutograd},
    alias_word{"CompositeExplicitAutogradNonFunctional", key::CompositeExplicitAutogradNonFunctional},
    alias_word{"CompositeImplicitAutogradNestedTensor", key::CompositeImplicitAutogradNestedTensor},
    alias_word{"FuncTorchBatchedDecomposition", key::FuncTorchBatchedDecomposition},
    alias_word{"Autocast", key::Autocast},
    alias_word{"AnySparse", key::AnySparse},
    alias_word{"AnySparseCsr", key::AnySparseCsr},
    alias_word{"AnyQuantized", key::AnyQuantized}};
static_assert(alias_words.size() == author::alias_count);

// Tags of PyTorch's that say nothing about an operator of topbit.
inline constexpr std::array<std::string_view, 9> words_without_tag{"core",
                                                                   "generated",
                                                                   "needs_exact_strides",
                                                                   "needs_fixed_stride_order",
                                                                   "needs_contiguous_strides",
                                                                   "flexible_layout",
                                                                   "maybe_aliasing_or_mutating",
                                                                   "pt2_compliant_tag",
                                                                   "cudagraph_unsafe"};

struct tag_word {
  std::string_view name;
  tag_set tags;
};
inline constexpr auto tag_words = [] {
  std::array<tag_word, static_cast<std::size_t>(tag::view_copy) + 3> all{};
  for (std::size_t t = 0; t + 2 < all.size(); ++t) all[t] = {name_of(static_cast<tag>(t)), static_cast<tag>(t)};
  all[all.size() - 2] = {"nondeterministic_seeded", tag::random};
  all[all.size() - 1] = {"nondeterministic_bitwise", tag::nondeterministic};
  return all;
}();

// The functionalities of which each backend has a key of its own.
inline constexpr std::array layered{functionality::Dense,     functionality::Quantized,    functionality::Sparse,
                                    functionality::SparseCsr, functionality::NestedTensor, functionality::Autograd,
                                    functionality::Autocast};
static_assert([] {
  std::size_t count = 0;
  for (unsigned l = 1; l <= author::functionality_count; ++l)
    count += author::per_backend(static_cast<functionality>(l));
  for (const functionality f : layered) count -= author::per_backend(f);
  return count == 0;
}());

constexpr std::string_view prefix_of(functionality f) noexcept {
  return f == functionality::Dense ? std::string_view{} : layer_words[static_cast<std::size_t>(f)];
}
constexpr bool is_small(char c) noexcept { return c >= 'a' && c <= 'z'; }

// Calls f(functionality, name of the backend) for each way to take the name apart, until it says true.
template <class F>
constexpr bool any_instance(std::string_view name, F f) {
  for (const functionality layer : layered) {
    const std::string_view prefix = prefix_of(layer);
    if (prefix.size() <= name.size() && same_text(name.substr(0, prefix.size()), prefix) &&
        f(layer, name.substr(prefix.size())))
      return true;
  }
  return false;
}

}  // namespace topbit::tables

export namespace topbit::tables {

/// The key or alias of this name, "SparseCPU"; none if it is none. Private backends go by PrivateUse1 to PrivateUse8
/// here, since the names they are given are not known to the compiler.
constexpr std::optional<key_target> key_of_word(std::string_view name) noexcept {
  std::optional<key_target> found;
  any_instance(name, [&](functionality layer, std::string_view device) {
    for (std::size_t b = 1; b < backend_words.size(); ++b) {
      if (same_text(backend_words[b], device)) {
        found = key_target(dispatch_key{layer, static_cast<backend>(b)});
        return true;
      }
    }
    return false;
  });
  if (found) return found;
  for (const alias_word& a : alias_words) {
    if (same_text(a.name, name)) return key_target(a.key);
  }
  for (unsigned l = 1; l <= author::functionality_count; ++l) {
    const auto layer = static_cast<functionality>(l);
    if (same_text(layer_words[l], name) && !author::per_backend(layer)) return key_target(dispatch_key{layer});
  }
  if (same_text(name, "MAIA")) return key_target(key::MAIA);
  return std::nullopt;
}

/// The tags that this word stands for, topbit's or PyTorch's; the empty set for one of PyTorch's that has no meaning
/// here; none if it is none.
constexpr std::optional<tag_set> tags_of_word(std::string_view word) noexcept {
  for (const tag_word& t : tag_words) {
    if (same_text(t.name, word)) return t.tags;
  }
  for (const std::string_view other : words_without_tag) {
    if (same_text(other, word)) return tag_set();
  }
  return std::nullopt;
}

}  // namespace topbit::tables

namespace topbit::tables {

// May be the key of a private backend by the name that it is given when it is registered: "opencl", "Sparseopencl".
// Such names begin with a small letter; the others are misspelt.
constexpr bool may_be_private_key(std::string_view name) noexcept {
  return any_instance(
      name, [](functionality, std::string_view device) { return !device.empty() && is_small(device.front()); });
}

// Propose what was meant.
constexpr void suggest_key(std::string_view name, author::verdict& v) {
  near_name near(name);
  for (const alias_word& a : alias_words) near.consider(a.name);
  for (unsigned l = 1; l <= author::functionality_count; ++l) {
    if (!author::per_backend(static_cast<functionality>(l))) near.consider(layer_words[l]);
  }
  for (const functionality layer : layered) {
    for (std::size_t b = 1; b < backend_words.size(); ++b) {
      char text[48]{};
      std::size_t n = 0;
      for (char c : prefix_of(layer)) text[n++] = c;
      for (char c : backend_words[b]) text[n++] = c;
      near.consider({text, n});
    }
  }
  near.suggest(v);
}
constexpr void suggest_tag(std::string_view word, author::verdict& v) {
  near_name near(word);
  for (const tag_word& t : tag_words) near.consider(t.name);
  for (const std::string_view other : words_without_tag) near.consider(other);
  near.suggest(v);
}

}  // namespace topbit::tables
