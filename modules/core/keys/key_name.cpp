module topbit.core;

import topbit.std;

namespace topbit {

using detail::alias_names;
using detail::backend_names;
using detail::functionality_names;

namespace {

// Names given to private backends: null-terminated text that is never freed.
constinit std::array<std::atomic<const char*>, author::backend_count + 1> given_names{};

std::string instance_name(functionality f, std::string_view backend_name) {
  return std::string(f == functionality::Dense ? std::string_view{} : name_of(f)) + std::string(backend_name);
}

}  // namespace

std::string_view name_of(backend b) noexcept {
  const char* given = given_names[static_cast<unsigned>(b)].load(std::memory_order_acquire);
  return given != nullptr ? std::string_view(given) : backend_names[static_cast<unsigned>(b)];
}
std::string_view name_of(functionality f) noexcept { return functionality_names[static_cast<unsigned>(f)]; }
std::string_view name_of(alias_key a) noexcept { return alias_names[a.index]; }

std::string to_string(dispatch_key k) {
  if (!author::per_backend(k.layer)) return std::string(name_of(k.layer));
  if (k.device == backend::none) return std::string(name_of(k.layer)) + " (no backend)";
  return instance_name(k.layer, name_of(k.device));
}

std::string to_string(key_target t) { return t.is_alias() ? to_string(alias_key{t.alias}) : to_string(t.row); }

std::string to_string(key_set s) {
  std::string text = "{";
  for (dispatch_key k : s) {
    if (text.size() > 1) text += ", ";
    text += to_string(k);
  }
  return text + "}";
}

namespace {

struct named_key {
  key_target key;
  std::string name;
};
// The first key with a name that satisfies the predicate, and that name.
std::optional<named_key> find_key(auto&& wanted) {
  for (std::uint8_t i = 0; i < author::alias_count; ++i) {
    if (wanted(alias_names[i])) return named_key{alias_key{i}, std::string(alias_names[i])};
  }
  for (unsigned slot = 0; slot < author::row_count; ++slot) {
    const dispatch_key k = author::key_of_row(slot);
    if (detail::lacks_backend(k)) continue;
    if (std::string name = to_string(k); wanted(name)) return named_key{k, std::move(name)};
    if (!author::is_private(k.device)) continue;
    if (std::string own = instance_name(k.layer, detail::canonical_name(k.device)); wanted(own))
      return named_key{k, std::move(own)};
  }
  if (wanted("MAIA")) return named_key{key::MAIA, "MAIA"};
  return std::nullopt;
}

}  // namespace

std::optional<key_target> parse_key(std::string_view name) {
  const auto found = find_key([&](std::string_view each) { return each == name; });
  return found ? std::optional(found->key) : std::nullopt;
}

namespace {

std::optional<functionality> parse_functionality(std::string_view name) {
  for (unsigned f = 1; f <= author::functionality_count; ++f) {
    if (functionality_names[f] == name) return static_cast<functionality>(f);
  }
  return std::nullopt;
}

[[noreturn]] void refuse_key(std::string_view name, bool for_a_set) {
  detail::nearest_name near(name);
  for (unsigned slot = 1; slot < author::row_count; ++slot) {
    if (const dispatch_key k = author::key_of_row(slot); !detail::lacks_backend(k)) near.consider(to_string(k));
  }
  if (for_a_set) {
    for (unsigned f = 1; f <= author::functionality_count; ++f) near.consider(functionality_names[f]);
  } else {
    for (std::string_view alias : alias_names) near.consider(alias);
  }
  throw bad_argument("found the key '" + std::string(name) + "', wanted the name of a dispatch key" +
                     (for_a_set ? "" : " or an alias") + ", such as AutogradCPU" +
                     (near.best().empty() ? std::string() : "; the nearest name is " + near.best()));
}

}  // namespace

key_target key_named(std::string_view name) {
  if (const auto found = parse_key(name)) return *found;
  refuse_key(name, false);
}

key_set key_set_named(std::string_view names) {
  const auto trim = [](std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
  };
  names = trim(names);
  if (names.size() >= 2 && names.starts_with('{') && names.ends_with('}'))
    names = trim(names.substr(1, names.size() - 2));
  key_set all;
  while (!names.empty()) {
    const std::size_t comma = std::min(names.find(','), names.size());
    const std::string_view name = trim(names.substr(0, comma));
    if (const auto layer = parse_functionality(name))
      all = all | building_block{*layer};
    else if (const auto found = parse_key(name); !found)
      refuse_key(name, true);
    else if (found->is_alias())
      throw bad_argument(
          "found the alias '" + std::string(name) +
          "', wanted a dispatch key: an alias stands for several keys at registration, and is never in a set");
    else
      all = all | found->row;
    // After a trailing comma the next name is empty.
    if (comma + 1 == names.size()) refuse_key("", true);
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
  return all;
}

namespace detail {

std::string canonical_name(backend b) { return std::string(backend_names[static_cast<unsigned>(b)]); }

void set_backend_name(backend b, std::string_view name) noexcept {
  given_names[static_cast<unsigned>(b)].store(name.empty() ? nullptr : name.data(), std::memory_order_release);
}

bool equal_but_for_case(std::string_view a, std::string_view b) noexcept {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::string shared_instance(std::string_view a, std::string_view b) {
  for (unsigned f = 1; f <= author::functionality_count; ++f) {
    for (unsigned g = 1; g <= author::functionality_count; ++g) {
      const auto x = static_cast<functionality>(f), y = static_cast<functionality>(g);
      if (author::per_backend(x) && author::per_backend(y) &&
          equal_but_for_case(instance_name(x, a), instance_name(y, b)))
        return instance_name(x, a);
    }
  }
  return {};
}

std::string key_named_like(std::string_view name, backend b) {
  for (unsigned f = 1; f <= author::functionality_count; ++f) {
    const auto layer = static_cast<functionality>(f);
    if (equal_but_for_case(name_of(layer), name)) return std::string(name_of(layer));
    if (!author::per_backend(layer)) continue;
    const std::string instance = instance_name(layer, name);
    const auto found = find_key([&](std::string_view each) { return equal_but_for_case(each, instance); });
    // Also another key of the same backend: as "CsrPrivateUse1", its Sparse key would have the name of its SparseCsr
    // key.
    if (found && found->key != key_target(dispatch_key{layer, b})) return found->name;
  }
  return {};
}

}  // namespace detail

}  // namespace topbit
