module;

#include <set>
#include <variant>

module topbit.quantized;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :gguf;
import :gguf_header;

namespace topbit::quantized::gguf {

namespace {

// Codes of the format for what values are widened to.
enum class kind : std::uint32_t { boolean = 7, string = 8, array = 9, u64 = 10, i64 = 11, f64 = 12, u32 = 4 };

constexpr std::string_view alignment_name = "general.alignment";

struct text {
  std::string bytes;

  template <class T>
  void number(T n) {
    const auto from = std::bit_cast<std::array<char, sizeof(T)>>(n);
    bytes.append(from.data(), from.size());
  }
  void code(kind k) { number(static_cast<std::uint32_t>(k)); }
  void string(std::string_view s) {
    number(std::uint64_t{s.size()});
    bytes += s;
  }
};

constexpr kind kind_of(const std::uint64_t&) { return kind::u64; }
constexpr kind kind_of(const std::int64_t&) { return kind::i64; }
constexpr kind kind_of(const double&) { return kind::f64; }
constexpr kind kind_of(const bool&) { return kind::boolean; }
constexpr kind kind_of(const std::string&) { return kind::string; }

void write_one(text& out, const std::string& s) { out.string(s); }
void write_one(text& out, bool b) { out.number(static_cast<std::uint8_t>(b)); }
template <class T>
  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
void write_one(text& out, T n) {
  out.number(n);
}

template <class T>
void write_value(text& out, const T& value) {
  out.code(kind_of(value));
  write_one(out, value);
}
void write_value(text& out, const gguf_array& values) {
  out.code(kind::array);
  std::visit(
      [&]<class T>(const std::vector<T>& list) {
        out.code(kind_of(T{}));
        out.number(std::uint64_t{list.size()});
        for (const auto& value : list) write_one(out, static_cast<const T&>(value));
      },
      values);
}

void write_entry(text& out, const std::string& name, const gguf_value& value) {
  out.string(name);
  if (name == alignment_name && ::std::holds_alternative<std::uint64_t>(value)) {
    out.code(kind::u32);
    out.number(static_cast<std::uint32_t>(std::get<std::uint64_t>(value)));
    return;
  }
  std::visit([&](const auto& v) { write_value(out, v); }, value);
}

std::uint64_t alignment_of(const std::string& who, std::span<const std::pair<std::string, gguf_value>> metadata) {
  for (const auto& [name, value] : metadata) {
    if (name != alignment_name) continue;
    const std::uint64_t* const bytes = std::get_if<std::uint64_t>(&value);
    if (bytes == nullptr || !std::has_single_bit(*bytes) || *bytes > most_alignment) {
      throw error(who + "found a general.alignment that is no power of two up to 65536, wanted one, as an uint64",
                  operation(who));
    }
    return *bytes;
  }
  return 32;
}

template <class T>
void check_names(const std::string& who, std::span<const T> all, auto name_of) {
  ::std::set<std::string_view> names;
  for (const T& one : all) {
    if (const std::uint64_t length = name_of(one).size(); length > longest_name) {
      throw error(who + "found a name of " + std::to_string(length) + " bytes, wanted " + std::to_string(longest_name) +
                      " at most: " + in_quotes(name_of(one)),
                  operation(who));
    }
    if (!names.insert(name_of(one)).second) {
      throw error(who + "found " + in_quotes(name_of(one)) + " twice, wanted a name for each", operation(who));
    }
  }
}

}  // namespace

std::string write_header(const std::string& who, std::span<gguf_tensor> tensors,
                         std::span<const std::pair<std::string, gguf_value>> metadata) {
  check_names<gguf_tensor>(who, tensors, [](const gguf_tensor& t) { return std::string_view(t.name); });
  check_names(who, metadata, [](const auto& entry) { return std::string_view(entry.first); });
  const std::uint64_t alignment = alignment_of(who, metadata);
  text out{"GGUF"};
  out.number(std::uint32_t{3});
  out.number(std::uint64_t{tensors.size()});
  out.number(std::uint64_t{metadata.size()});
  for (const auto& [name, value] : metadata) write_entry(out, name, value);
  std::uint64_t offset = 0;
  for (gguf_tensor& t : tensors) {
    const type_facts& facts = *type_of(t.type);
    std::uint64_t elements = 1;
    for (const std::int64_t size : t.sizes) elements *= static_cast<std::uint64_t>(size);
    t.bytes = elements / facts.block * facts.bytes;
    t.offset = offset;
    out.string(t.name);
    out.number(static_cast<std::uint32_t>(t.sizes.size()));
    for (std::size_t d = t.sizes.size(); d-- > 0;) out.number(t.sizes[d]);
    out.number(facts.code);
    out.number(offset);
    offset = aligned(offset + t.bytes, alignment);
  }
  out.bytes.resize(aligned(out.bytes.size(), alignment), '\0');
  for (gguf_tensor& t : tensors) t.offset += out.bytes.size();
  return std::move(out.bytes);
}

}  // namespace topbit::quantized::gguf
