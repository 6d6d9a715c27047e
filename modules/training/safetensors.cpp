module;

#include <bit>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

module topbit.training;

import topbit.std;
import topbit.core;
import topbit.ops;

namespace topbit {

namespace {

static_assert(std::endian::native == std::endian::little, "elements are written as they lie in memory");

using json = nlohmann::ordered_json;

constexpr std::string_view metadata = "__metadata__";
constexpr std::uint64_t longest_header = 100'000'000;  // the format's own limit

struct code {
  std::string_view name;
  dtype type;
};
constexpr code codes[] = {{"BOOL", dtype::boolean}, {"U8", dtype::uint8},      {"I8", dtype::int8},
                          {"I16", dtype::int16},    {"I32", dtype::int32},     {"I64", dtype::int64},
                          {"F16", dtype::float16},  {"BF16", dtype::bfloat16}, {"F32", dtype::float32},
                          {"F64", dtype::float64}};

std::string all_codes() {
  std::string all;
  for (const code& c : codes) all += (all.empty() ? "" : ", ") + std::string(c.name);
  return all;
}

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

std::uint64_t bytes_of(const tensor& t) { return static_cast<std::uint64_t>(t.numel()) * size_of(t.dtype()); }

// --- writing

struct writer {
  std::string who;

  [[noreturn]] void refuse(const std::string& what) const { throw error(who + what, "save_tensors"); }

  void check(std::span<const named_tensor> tensors) const {
    std::unordered_set<std::string_view> names;
    for (const named_tensor& one : tensors) {
      if (!one.value.defined())
        refuse("found an undefined tensor, " + in_quotes(one.name) + ", wanted one with elements");
      if (one.name == metadata) refuse("found the name '__metadata__', which the format keeps for itself");
      if (!names.insert(one.name).second)
        refuse("found " + in_quotes(one.name) + " twice, wanted a name for each tensor");
    }
  }

  // Padded with spaces, so that elements are aligned to eight bytes.
  std::string header(std::span<const named_tensor> tensors) const {
    json all = json::object();
    std::uint64_t end = 0;
    for (const named_tensor& one : tensors) {
      const auto* const c = std::ranges::find(codes, one.value.dtype(), &code::type);
      const std::uint64_t begin = std::exchange(end, end + bytes_of(one.value));
      all[one.name] = {{"dtype", c->name},
                       {"shape", std::vector(one.value.sizes().begin(), one.value.sizes().end())},
                       {"data_offsets", {begin, end}}};
    }
    std::string text;
    try {
      text = all.dump();
    } catch (const json::type_error&) {
      refuse("found a name that is no UTF-8, wanted text");
    }
    text.resize((text.size() + 7) / 8 * 8, ' ');
    return text;
  }
};

// A file that is not there any more after a rename is none to remove.
struct removed_at_end {
  const std::string& path;
  ~removed_at_end() { std::remove(path.c_str()); }
};

}  // namespace

void save_tensors(const std::string& path, std::span<const named_tensor> tensors) {
  const no_grad guard;
  const writer w{"save_tensors: " + in_quotes(path) + ": "};
  w.check(tensors);
  const std::string header = w.header(tensors), beside = path + ".tmp";
  const std::uint64_t length = header.size();
  const removed_at_end unfinished{beside};
  std::ofstream out(beside, std::ios::binary | std::ios::trunc);
  if (!out) w.refuse("cannot be written; is its folder there, and yours to write to?");
  out.write(reinterpret_cast<const char*>(&length), sizeof length);
  out.write(header.data(), static_cast<std::streamsize>(header.size()));
  for (const named_tensor& one : tensors) {
    const tensor dense = ops::contiguous(to(one.value, cpu));
    out.write(static_cast<const char*>(dense.data()), static_cast<std::streamsize>(bytes_of(dense)));
  }
  out.close();
  std::error_code failed;
  if (out) std::filesystem::rename(beside, path, failed);
  if (!out || failed) {
    w.refuse(failed ? "cannot be replaced: " + failed.message() : "cannot be written to its end; is the disk full?");
  }
}

// --- reading

namespace {

struct entry {
  std::string name;
  dims sizes;
  dtype type = dtype::float32;
  std::uint64_t begin = 0, end = 0;
};

// What was found, as far as anyone would read it.
std::string shown(const json& found) {
  constexpr std::size_t most = 200;
  std::string text = found.dump();
  if (text.size() > most) text.replace(most, std::string::npos, "...");
  return text;
}

struct reader {
  std::string who;
  std::uint64_t elements = 0;  // bytes behind the header

  [[noreturn]] void refuse(const std::string& what) const { throw error(who + what, "load_tensors"); }

  json parsed(const std::string& text) const {
    // The parser would keep the last of two members of one name.
    std::vector<std::unordered_set<std::string>> names;
    constexpr int deepest = 8;  // a header has three levels; what is written out again is walked by recursion
    const json::parser_callback_t no_name_twice = [&](int depth, json::parse_event_t event, json& value) {
      if (depth > deepest) {
        refuse("found a header nested more than " + std::to_string(deepest) +
               " deep, wanted a name, dtype, shape and "
               "data_offsets for each tensor");
      }
      if (event == json::parse_event_t::object_start) names.emplace_back();
      if (event == json::parse_event_t::object_end) names.pop_back();
      if (event == json::parse_event_t::key) {
        const auto& name = value.get_ref<const std::string&>();
        if (!names.back().insert(name).second) refuse("found " + in_quotes(name) + " twice in the header");
      }
      return true;
    };
    try {
      return json::parse(text, no_name_twice);
    } catch (const json::parse_error& e) {
      refuse("the header is no JSON, at its byte " + std::to_string(e.byte) + " of " + std::to_string(text.size()));
    }
  }

  dims sizes_of(const std::string& name, const json& shape) const {
    const auto refused = [&] {
      refuse(in_quotes(name) + ": found the shape " + shown(shape) + ", wanted a list of at most " +
             std::to_string(max_dims) + " sizes from 0 up");
    };
    if (!shape.is_array() || shape.size() > max_dims) refused();
    dims sizes;
    for (const json& size : shape) {
      if (!size.is_number_unsigned() || size.get<std::uint64_t>() > (std::uint64_t{1} << 62)) refused();
      sizes.push_back(size.get<std::int64_t>());
    }
    return sizes;
  }

  // As many as a shape says, or more than any file has.
  static std::uint64_t bytes_for(const dims& sizes, dtype type) {
    if (std::ranges::find(sizes, 0) != sizes.end()) return 0;
    std::uint64_t bytes = size_of(type);
    for (const std::int64_t size : sizes) {
      if (static_cast<std::uint64_t>(size) > std::numeric_limits<std::int64_t>::max() / bytes) {
        return std::numeric_limits<std::uint64_t>::max();
      }
      bytes *= static_cast<std::uint64_t>(size);
    }
    return bytes;
  }

  entry entry_of(const std::string& name, const json& said) const {
    if (!said.is_object() || said.size() != 3 || !said.contains("dtype") || !said.contains("shape") ||
        !said.contains("data_offsets")) {
      refuse(in_quotes(name) + ": found " + shown(said) + ", wanted the members dtype, shape and data_offsets");
    }
    const json& type = said["dtype"];
    const auto* const known =
        std::ranges::find_if(codes, [&](const code& c) { return type.is_string() && type == c.name; });
    if (known == std::end(codes)) {
      refuse(in_quotes(name) + ": found the dtype " + shown(type) + ", wanted one of " + all_codes());
    }
    const json& at = said["data_offsets"];
    if (!at.is_array() || at.size() != 2 || !at[0].is_number_unsigned() || !at[1].is_number_unsigned() ||
        at[0].get<std::uint64_t>() > at[1].get<std::uint64_t>()) {
      refuse(in_quotes(name) + ": found the data_offsets " + shown(at) + ", wanted where its elements begin and end");
    }
    entry e{name, sizes_of(name, said["shape"]), known->type, at[0].get<std::uint64_t>(), at[1].get<std::uint64_t>()};
    if (e.end > elements) {
      refuse(in_quotes(name) + ": its elements end at " + std::to_string(e.end) + ", but the file has " +
             std::to_string(elements) + " bytes of them; it was cut off");
    }
    if (const std::uint64_t wanted = bytes_for(e.sizes, e.type); e.end - e.begin != wanted) {
      refuse(in_quotes(name) + ": found " + std::to_string(e.end - e.begin) + " bytes of elements for " +
             std::string(name_of(e.type)) + " " + to_string(e.sizes) + ", which do not fit");
    }
    return e;
  }

  // By where their elements are; these must fill what is behind the header, each byte once.
  std::vector<entry> entries_of(const json& header) const {
    if (!header.is_object()) refuse("the header is no JSON object");
    std::vector<entry> all;
    for (const auto& [name, said] : header.items()) {
      if (name != metadata) all.push_back(entry_of(name, said));
    }
    std::ranges::sort(all, {}, [](const entry& e) { return std::tuple(e.begin, e.end, std::string_view(e.name)); });
    std::uint64_t end = 0;
    std::string before = "the header";
    for (const entry& e : all) {
      if (e.begin != end) {
        refuse(in_quotes(e.name) + ": its elements begin at " + std::to_string(e.begin) + ", wanted them at " +
               std::to_string(end) + ", behind " + before);
      }
      end = e.end;
      before = "those of " + in_quotes(e.name);
    }
    if (end != elements) {
      refuse("found " + std::to_string(elements) + " bytes of elements, but the tensors have " + std::to_string(end));
    }
    return all;
  }
};

std::string header_text(const reader& r, std::ifstream& in, std::uint64_t size) {
  std::uint64_t length = 0;
  if (size < sizeof length) {
    r.refuse("found " + std::to_string(size) + " bytes, wanted at least 8, the length of the header");
  }
  in.read(reinterpret_cast<char*>(&length), sizeof length);
  if (length > longest_header || length > size - sizeof length) {
    r.refuse("found a header of " + std::to_string(length) + " bytes in a file of " + std::to_string(size) +
             "; it was cut off, or is no safetensors file");
  }
  std::string text(length, '\0');
  in.read(text.data(), static_cast<std::streamsize>(length));
  return text;
}

}  // namespace

std::vector<named_tensor> load_tensors(const std::string& path) {
  reader r{"load_tensors: " + in_quotes(path) + ": "};
  std::ifstream in(path, std::ios::binary);
  std::error_code failed;
  const std::uint64_t size = std::filesystem::file_size(path, failed);
  if (!in || failed) r.refuse("cannot be read" + (failed ? ": " + failed.message() : std::string()));
  const std::string text = header_text(r, in, size);
  r.elements = size - sizeof(std::uint64_t) - text.size();
  std::vector<named_tensor> all;
  for (const entry& e : r.entries_of(r.parsed(text))) {
    const tensor t = author::make_tensor(e.sizes, e.type, cpu);
    in.read(static_cast<char*>(t.data()), static_cast<std::streamsize>(e.end - e.begin));
    if (e.type == dtype::boolean) {
      const std::span bytes(static_cast<const unsigned char*>(t.data()), e.end - e.begin);
      if (std::ranges::any_of(bytes, [](unsigned char b) { return b > 1; })) {
        r.refuse(in_quotes(e.name) + ": found a bool that is neither 0 nor 1");
      }
    }
    all.push_back({e.name, t});
  }
  if (!in) r.refuse("cannot be read to its end");
  return all;
}

}  // namespace topbit
