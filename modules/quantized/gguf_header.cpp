module;

#include <set>

module topbit.quantized;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :gguf;
import :gguf_header;

namespace topbit::quantized {

const gguf_value* gguf_contents::find(std::string_view name) const noexcept {
  const auto found =
      std::ranges::find(metadata, name, [](const auto& entry) -> std::string_view { return entry.first; });
  return found == metadata.end() ? nullptr : &found->second;
}

namespace gguf {

namespace {

// K-quants and the others without a dtype are known, so that files with them can be listed.
constexpr type_facts types[] = {{0, "f32", 1, 4, dtype::float32},
                                {1, "f16", 1, 2, dtype::float16},
                                {2, "q4_0", 32, 18, dtype::float32},
                                {3, "q4_1", 32, 20, dtype::float32},
                                {6, "q5_0", 32, 22, {}},
                                {7, "q5_1", 32, 24, {}},
                                {8, "q8_0", 32, 34, dtype::float32},
                                {9, "q8_1", 32, 36, {}},
                                {10, "q2_K", 256, 84, {}},
                                {11, "q3_K", 256, 110, {}},
                                {12, "q4_K", 256, 144, {}},
                                {13, "q5_K", 256, 176, {}},
                                {14, "q6_K", 256, 210, {}},
                                {15, "q8_K", 256, 292, {}},
                                {16, "iq2_xxs", 256, 66, {}},
                                {17, "iq2_xs", 256, 74, {}},
                                {18, "iq3_xxs", 256, 98, {}},
                                {19, "iq1_s", 256, 50, {}},
                                {20, "iq4_nl", 32, 18, {}},
                                {21, "iq3_s", 256, 110, {}},
                                {22, "iq2_s", 256, 82, {}},
                                {23, "iq4_xs", 256, 136, {}},
                                {24, "i8", 1, 1, dtype::int8},
                                {25, "i16", 1, 2, dtype::int16},
                                {26, "i32", 1, 4, dtype::int32},
                                {27, "i64", 1, 8, dtype::int64},
                                {28, "f64", 1, 8, dtype::float64},
                                {29, "iq1_m", 256, 56, {}},
                                {30, "bf16", 1, 2, dtype::bfloat16},
                                {34, "tq1_0", 256, 54, {}},
                                {35, "tq2_0", 256, 66, {}},
                                {39, "mxfp4", 32, 17, {}},
                                {40, "nvfp4", 64, 36, {}}};

enum class kind : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, string, array, u64, i64, f64 };
constexpr std::uint32_t last_kind = static_cast<std::uint32_t>(kind::f64);
constexpr std::uint64_t bytes_of_kind[] = {1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8};  // at least

constexpr std::string_view magic = "GGUF";
constexpr std::string_view alignment_name = "general.alignment";
constexpr std::uint64_t default_alignment = 32;
// The limit of the format's own reader.
constexpr std::uint64_t most_dims = 4;

std::string text(std::uint64_t n) { return std::to_string(n); }

class reader {
 public:
  reader(const std::string& who, const source& from) : who_(who), from_(from) {}

  gguf_contents read() {
    gguf_contents contents;
    char found[4] = {};
    read_bytes(found, sizeof found, "the letters GGUF");
    if (std::string_view(found, sizeof found) != magic) {
      refuse(0, "found " + in_quotes({found, sizeof found}), "the letters GGUF; this is a file of another format");
    }
    contents.version = number<std::uint32_t>("a version");
    if (contents.version < 2 || contents.version > 3) {
      const bool swapped = contents.version != 0 && contents.version % 65536 == 0;
      refuse(4, "found version " + text(contents.version),
             swapped ? "2 or 3; the file is for machines of the other byte order, which is not supported"
                     : "2 or 3; convert the file with the format's tools");
    }
    constexpr std::uint64_t least_tensor = 24, least_entry = 13;
    const std::uint64_t tensors = count("tensors", least_tensor);
    const std::uint64_t entries = count("named values", least_entry);
    for (std::uint64_t i = 0; i < entries; ++i) read_entry(contents);
    contents.alignment = alignment(contents);
    for (std::uint64_t i = 0; i < tensors; ++i) read_tensor(contents);
    place_tensors(contents);
    return contents;
  }

 private:
  [[noreturn]] void refuse(std::uint64_t position, const std::string& found, const std::string& wanted) const {
    throw error(who_ + "at byte " + text(position) + ": " + found + ", wanted " + wanted, operation(who_));
  }

  std::uint64_t left() const { return from_.size - position_; }

  void read_bytes(void* to, std::uint64_t bytes, std::string_view what) {
    if (bytes > left()) {
      refuse(position_, "found " + text(left()) + " bytes up to the end of the file",
             text(bytes) + " for " + std::string(what) + "; the file is truncated or damaged");
    }
    from_.read(from_.context, to, bytes);
    position_ += bytes;
  }

  template <class T>
  T number(std::string_view what) {
    T n{};
    read_bytes(&n, sizeof n, what);
    return n;
  }

  // A number of things of at least some bytes each, which must fit.
  std::uint64_t count(std::string_view things, std::uint64_t least) {
    const std::uint64_t start = position_, n = number<std::uint64_t>("the number of " + std::string(things));
    if (n > left() / least) {
      refuse(start, "found " + text(n) + " " + std::string(things),
             "at most " + text(left() / least) + ", as many as the rest of the file can hold");
    }
    return n;
  }

  std::string string(std::string_view what, std::uint64_t longest) {
    const std::uint64_t start = position_, bytes = number<std::uint64_t>("the length of " + std::string(what));
    if (bytes > longest || bytes > left()) {
      refuse(start, "found " + text(bytes) + " bytes for " + std::string(what),
             "at most " + text(std::min(longest, left())));
    }
    std::string s(bytes, '\0');
    read_bytes(s.data(), bytes, what);
    return s;
  }

  // A name that is not there yet.
  std::string unused_name(std::string_view what, ::std::set<std::string>& all) {
    const std::uint64_t start = position_;
    std::string s = string(what, longest_name);
    if (!all.insert(s).second) {
      refuse(start, "found " + std::string(what) + " " + in_quotes(s) + " twice", "each one once");
    }
    return s;
  }

  kind read_kind(std::string_view owner) {
    const std::uint64_t start = position_;
    const auto k = number<std::uint32_t>("the type of a value");
    if (k > last_kind) {
      refuse(start, "found type " + text(k) + " for " + in_quotes(owner), "0 to " + text(last_kind));
    }
    return static_cast<kind>(k);
  }

  bool boolean(std::string_view owner) {
    const std::uint64_t start = position_;
    const auto b = number<std::uint8_t>("a truth value");
    if (b > 1) refuse(start, "found the truth value " + text(b) + " for " + in_quotes(owner), "0 or 1");
    return b != 0;
  }

  // Calls f(read) for the kind of a value, where read() gives the next one, widened.
  template <class F>
  void with_kind(kind k, std::string_view owner, F f) {
    switch (k) {
      case kind::u8: return f([&] { return std::uint64_t{number<std::uint8_t>("a value")}; });
      case kind::i8: return f([&] { return std::int64_t{number<std::int8_t>("a value")}; });
      case kind::u16: return f([&] { return std::uint64_t{number<std::uint16_t>("a value")}; });
      case kind::i16: return f([&] { return std::int64_t{number<std::int16_t>("a value")}; });
      case kind::u32: return f([&] { return std::uint64_t{number<std::uint32_t>("a value")}; });
      case kind::i32: return f([&] { return std::int64_t{number<std::int32_t>("a value")}; });
      case kind::f32: return f([&] { return double{number<float>("a value")}; });
      case kind::boolean: return f([&] { return boolean(owner); });
      case kind::string: return f([&] { return string("a string", from_.size); });
      case kind::u64: return f([&] { return number<std::uint64_t>("a value"); });
      case kind::i64: return f([&] { return number<std::int64_t>("a value"); });
      case kind::f64: return f([&] { return number<double>("a value"); });
      case kind::array: return;
    }
  }

  gguf_array array(std::string_view owner) {
    const std::uint64_t start = position_;
    const kind k = read_kind(owner);
    if (k == kind::array) {
      refuse(start, "found an array of arrays for " + in_quotes(owner), "an array of numbers, truth values or strings");
    }
    const std::uint64_t n = count("elements of " + in_quotes(owner), bytes_of_kind[static_cast<std::size_t>(k)]);
    gguf_array values;
    with_kind(k, owner, [&](auto read) {
      std::vector<decltype(read())> list;
      list.reserve(n);
      for (std::uint64_t i = 0; i < n; ++i) list.push_back(read());
      values = std::move(list);
    });
    return values;
  }

  void read_entry(gguf_contents& contents) {
    std::string key = unused_name("the name of a value", keys_);
    const kind k = read_kind(key);
    gguf_value value;
    if (k == kind::array) {
      value = array(key);
    } else {
      if (key == alignment_name && k == kind::u32) alignment_position_ = position_;
      with_kind(k, key, [&](auto read) { value = read(); });
    }
    contents.metadata.emplace_back(std::move(key), std::move(value));
  }

  std::uint64_t alignment(const gguf_contents& contents) const {
    const gguf_value* const found = contents.find(alignment_name);
    if (found == nullptr) return default_alignment;
    if (!alignment_position_.has_value()) {
      throw error(who_ + "found a general.alignment of another type, wanted uint32", operation(who_));
    }
    const std::uint64_t bytes = std::get<std::uint64_t>(*found);
    if (!std::has_single_bit(bytes) || bytes > most_alignment) {
      refuse(*alignment_position_, "found an alignment of " + text(bytes) + " bytes",
             "a power of two, at most " + text(most_alignment));
    }
    return bytes;
  }

  // Sizes in the order of the file, and the number of elements, which fits in a tensor of any dtype.
  shape sizes(std::string_view owner) {
    const std::uint64_t start = position_, dims = number<std::uint32_t>("the number of dimensions");
    if (dims > most_dims) {
      refuse(start, "found " + text(dims) + " dimensions for " + in_quotes(owner), "at most " + text(most_dims));
    }
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max() / sizeof(double);
    std::uint64_t elements = 1;
    shape found;
    for (std::uint64_t d = 0; d < dims; ++d) {
      const std::uint64_t at = position_, size = number<std::uint64_t>("a size");
      // A size of 0 counts as 1, as for strides.
      const std::uint64_t factor = std::max<std::uint64_t>(size, 1);
      if (factor > most / elements) {
        refuse(at, "found a size of " + text(size) + " for " + in_quotes(owner),
               "sizes whose product is at most " + text(most));
      }
      elements *= factor;
      found.push_back(static_cast<std::int64_t>(size));
    }
    return found;
  }

  void read_tensor(gguf_contents& contents) {
    gguf_tensor t;
    t.name = unused_name("the name of a tensor", names_);
    const std::uint64_t sizes_position = position_;
    const shape from_file = sizes(t.name);
    for (std::size_t d = from_file.size(); d-- > 0;) t.sizes.push_back(from_file[d]);
    const std::uint64_t type_position = position_;
    const auto code = number<std::uint32_t>("the type of a tensor");
    const auto* const facts = std::ranges::find(types, code, &type_facts::code);
    if (facts == std::end(types)) {
      refuse(type_position, "found type " + text(code) + " for " + in_quotes(t.name), "a type that is in use");
    }
    t.type = facts->name;
    t.is_supported = facts->elements.has_value();
    const std::uint64_t row = t.sizes.empty() ? 1 : static_cast<std::uint64_t>(from_file[0]);
    if (row % facts->block != 0) {
      refuse(sizes_position, "found rows of " + text(row) + " elements for " + in_quotes(t.name),
             "a multiple of " + text(facts->block) + ", since its type is " + std::string(t.type));
    }
    std::uint64_t elements = 1;
    for (const std::int64_t size : t.sizes) elements *= static_cast<std::uint64_t>(size);
    t.bytes = elements / facts->block * facts->bytes;
    offset_positions_.push_back(position_);
    t.offset = number<std::uint64_t>("an offset");
    contents.tensors.push_back(std::move(t));
  }

  // From offsets in the data, which begin after the header, to offsets in the file.
  void place_tensors(gguf_contents& contents) const {
    const std::uint64_t start = std::min(aligned(position_, contents.alignment), from_.size);
    const std::uint64_t room = from_.size - start;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < contents.tensors.size(); ++i) {
      gguf_tensor& t = contents.tensors[i];
      const std::uint64_t position = offset_positions_[i];
      if (t.offset % contents.alignment != 0) {
        refuse(position, "found the offset " + text(t.offset) + " for " + in_quotes(t.name),
               "a multiple of the alignment, " + text(contents.alignment));
      }
      if (t.bytes != 0 && (t.offset > room || t.bytes > room - t.offset)) {
        refuse(position,
               "found " + text(t.bytes) + " bytes at the offset " + text(t.offset) + " for " + in_quotes(t.name),
               "them within the " + text(room) + " bytes of elements; the file is truncated or damaged");
      }
      if (t.bytes == 0) {
        t.offset = start;
        continue;
      }
      t.offset += start;
      order.push_back(i);
    }
    std::ranges::sort(order, {}, [&](std::size_t i) { return contents.tensors[i].offset; });
    for (std::size_t i = 1; i < order.size(); ++i) {
      const gguf_tensor &before = contents.tensors[order[i - 1]], &t = contents.tensors[order[i]];
      if (t.offset - before.offset < before.bytes) {
        refuse(offset_positions_[order[i]],
               "found elements of " + in_quotes(t.name) + " among those of " + in_quotes(before.name),
               "each byte in one tensor");
      }
    }
  }

  const std::string& who_;
  const source& from_;
  std::uint64_t position_ = 0;
  ::std::set<std::string> keys_, names_;
  std::optional<std::uint64_t> alignment_position_;
  std::vector<std::uint64_t> offset_positions_;
};

}  // namespace

const type_facts* type_of(std::string_view name) noexcept {
  const auto* const found = std::ranges::find(types, name, &type_facts::name);
  return found == std::end(types) ? nullptr : found;
}

std::string in_quotes(std::string_view name) {
  constexpr std::size_t most = 100;
  std::string quoted;
  author::write_text(quoted, name.substr(0, most));
  if (name.size() > most) quoted.insert(quoted.size() - 1, "...");
  quoted.front() = quoted.back() = '\'';
  return quoted;
}

std::string operation(std::string_view who) { return std::string(who.substr(0, who.find(':'))); }

gguf_contents read_header(const std::string& who, const source& from) { return reader(who, from).read(); }

}  // namespace gguf

}  // namespace topbit::quantized
