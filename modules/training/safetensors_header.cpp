module;

#include <nlohmann/json.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/join.hpp>
#include <range/v3/view/transform.hpp>

module topbit.training;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :safetensors_header;

namespace topbit::detail {

namespace views = ranges::views;

namespace {

using json = nlohmann::json;

constexpr std::string_view metadata_name = "__metadata__";

struct code {
  std::string_view name;
  dtype type;
};
constexpr code codes[] = {{"BOOL", dtype::boolean}, {"U8", dtype::uint8},      {"I8", dtype::int8},
                          {"I16", dtype::int16},    {"I32", dtype::int32},     {"I64", dtype::int64},
                          {"F16", dtype::float16},  {"BF16", dtype::bfloat16}, {"F32", dtype::float32},
                          {"F64", dtype::float64}};

std::string all_codes() {
  return codes | views::transform(&code::name) | views::join(std::string(", ")) | ranges::to<std::string>();
}

// Bytes of a tensor. As for strides, sizes of 0 count as 1 in the overflow check. Returns UINT64_MAX, more than any
// file has, if no tensor can have these sizes.
std::uint64_t bytes_for(const shape& sizes, dtype type) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max() / sizeof(double);
  std::uint64_t elements = 1;
  for (const std::int64_t size : sizes) {
    const auto factor = static_cast<std::uint64_t>(std::max<std::int64_t>(size, 1));
    if (factor > most / elements) return std::numeric_limits<std::uint64_t>::max();
    elements *= factor;
  }
  return std::ranges::find(sizes, 0) != sizes.end() ? 0 : elements * size_of(type);
}

// SAX callbacks of the JSON parser, in text order. Errors are thrown, so false is never returned. Depth 1: the object
// of tensors; 2: one tensor; 3: the numbers of a shape.
class header_handler {
 public:
  header_handler(const std::string& who, std::size_t size, std::uint64_t elements)
      : who_(who), size_(size), elements_(elements) {}

  file_header take() { return std::move(header_); }

  bool null() { return end_scalar("null", depth_ == 1); }
  bool boolean(bool b) { return end_scalar(b ? "true" : "false"); }
  bool number_integer(std::int64_t n) { return end_scalar(std::to_string(n)); }
  bool number_float(double, const std::string& digits) { return end_scalar(first_of(digits, most_shown)); }
  bool number_unsigned(std::uint64_t n) {
    check_metadata(false);
    if (is_list_ && numbers_.size() <= max_dims) numbers_.push_back(n);
    show(std::to_string(n));
    return end_value();
  }
  bool string(const std::string& text) {
    if (depth_ == 2 && is_metadata_) header_.metadata.insert_or_assign(std::move(metadata_key_), text);
    if (depth_ == 2 && member_ == member::dtype) type_ = std::ranges::find(codes, std::string_view(text), &code::name);
    return end_scalar(quoted(text), depth_ == 2);
  }
  bool binary(json::binary_t&) { return true; }  // JSON text has no binary values

  bool start_object(std::size_t) {
    open('{');
    check_metadata(depth_ == 2);
    if (depth_ == 2) is_described_ = !is_metadata_;
    if (depth_ > 2) is_list_ = false;
    return true;
  }
  bool start_array(std::size_t) {
    open('[');
    check_metadata(false);
    is_list_ = depth_ == 3 && is_described_;
    return true;
  }
  bool end_object() { return close('}'); }
  bool end_array() { return close(']'); }

  bool key(std::string& text) {
    if (depth_ == 1) {
      begin_tensor(std::move(text));
    } else if (depth_ == 2 && is_described_) {
      begin_member(text);
    } else {
      if (is_metadata_) metadata_key_ = text;
      show(quoted(text) + ":");
      after_value_ = false;
    }
    return true;
  }

  bool parse_error(std::size_t byte, const std::string&, const json::exception& e) {
    constexpr int out_of_range = 406;
    const std::string where = " at its byte " + std::to_string(byte) + " of " + std::to_string(size_);
    refuse(e.id == out_of_range ? "the header has a number outside the range of float64," + where
                                : "the header is not JSON," + where);
  }

 private:
  enum class member : std::uint8_t { none, other, dtype, shape, data_offsets };
  static constexpr std::size_t most_shown = 200;
  static constexpr int deepest = 127;  // limit of the original safetensors reader

  [[noreturn]] void refuse(const std::string& what) const { throw error(who_ + what, "load_tensors"); }
  [[noreturn]] void refuse_tensor(const std::string& what) const { refuse(in_quotes(entry_.name) + ": " + what); }
  std::string found(const std::string& what) const {
    return "found " + what + std::string(first_of(shown_, most_shown)) + (shown_.size() > most_shown ? "..." : "");
  }
  static std::string quoted(std::string_view text) {
    std::string out;
    author::write_text(out, first_of(text, most_shown));
    return out;
  }

  // --- the value being read, as text, truncated for messages

  void begin_value(member m) {
    member_ = m;
    shown_.clear();
    numbers_.clear();
    is_list_ = after_value_ = false;
    type_ = std::end(codes);
  }
  void show(std::string_view token) {
    if (shown_.size() <= most_shown) shown_.append(after_value_ ? "," : "").append(token);
    after_value_ = true;
  }
  void open(char bracket) {
    if (++depth_ > deepest) {
      refuse("found a header nested more than " + std::to_string(deepest) +
             " deep, wanted a name, dtype, shape and data_offsets for each tensor");
    }
    show(std::string_view(&bracket, 1));
    after_value_ = false;
  }
  bool close(char bracket) {
    after_value_ = false;
    show(std::string_view(&bracket, 1));
    --depth_;
    return end_value();
  }
  bool end_scalar(std::string_view token, bool allowed_in_metadata = false) {
    check_metadata(allowed_in_metadata);
    is_list_ = false;
    show(token);
    return end_value();
  }
  bool end_value() {
    if (depth_ == 1) end_tensor();
    if (depth_ == 2 && is_described_) end_member();
    return true;
  }

  // --- tensors

  void check_metadata(bool allowed) const {
    if (is_metadata_ && !allowed) refuse("found a '__metadata__' that is not an object of strings");
  }
  void begin_tensor(std::string name) {
    is_metadata_ = name == metadata_name;
    if (is_metadata_ && std::exchange(has_metadata_, true)) refuse("found '__metadata__' twice in the header");
    entry_ = {std::move(name), {}, {}, 0, 0};
    members_ = 0;
    is_described_ = false;
    begin_value(member::none);
  }
  void end_tensor() {
    if (std::exchange(is_metadata_, false)) return;
    constexpr std::string_view wanted = ", wanted the members dtype, shape and data_offsets";
    if (!is_described_) refuse_tensor(found("").append(wanted));
    for (const auto& [m, name] : {std::pair(member::dtype, "dtype"), std::pair(member::shape, "shape"),
                                  std::pair(member::data_offsets, "data_offsets")}) {
      if ((members_ >> static_cast<int>(m) & 1U) == 0) refuse_tensor("found no " + std::string(name).append(wanted));
    }
    if (entry_.end > elements_) {
      refuse_tensor("its elements end at " + std::to_string(entry_.end) + ", but the file has " +
                    std::to_string(elements_) + " bytes of them; it is truncated");
    }
    if (entry_.end - entry_.begin != bytes_for(entry_.sizes, entry_.type)) {
      refuse_tensor("found " + std::to_string(entry_.end - entry_.begin) + " bytes of elements for " +
                    std::string(name_of(entry_.type)) + " " + to_string(entry_.sizes) + ", which do not match");
    }
    header_.tensors.push_back(std::move(entry_));
    is_described_ = false;
  }

  void begin_member(const std::string& name) {
    begin_value(name == "dtype"          ? member::dtype
                : name == "shape"        ? member::shape
                : name == "data_offsets" ? member::data_offsets
                                         : member::other);
    const unsigned bit = 1U << static_cast<int>(member_);
    if (member_ != member::other && (members_ & bit) != 0) refuse_tensor("found " + in_quotes(name) + " twice");
    members_ |= bit;
  }
  void end_member() {
    switch (std::exchange(member_, member::none)) {
      case member::dtype:
        if (type_ == std::end(codes)) refuse_tensor(found("the dtype ") + ", wanted one of " + all_codes());
        entry_.type = type_->type;
        break;
      case member::shape:
        if (!is_list_ || numbers_.size() > max_dims || std::ranges::any_of(numbers_, is_too_large)) {
          refuse_tensor(found("the shape ") + ", wanted a list of at most " + std::to_string(max_dims) +
                        " sizes from 0 up");
        }
        for (const std::uint64_t size : numbers_) entry_.sizes.push_back(static_cast<std::int64_t>(size));
        break;
      case member::data_offsets:
        if (!is_list_ || numbers_.size() != 2 || numbers_[0] > numbers_[1]) {
          refuse_tensor(found("the data_offsets ") + ", wanted where its elements begin and end");
        }
        entry_.begin = numbers_[0];
        entry_.end = numbers_[1];
        break;
      case member::other:
      case member::none: break;
    }
  }
  static bool is_too_large(std::uint64_t size) {
    return size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  }

  const std::string& who_;
  const std::size_t size_;
  const std::uint64_t elements_;
  file_header header_;
  std::string metadata_key_;
  int depth_ = 0;
  bool is_metadata_ = false, has_metadata_ = false;

  file_entry entry_;
  bool is_described_ = false;  // the value is an object
  unsigned members_ = 0;       // a bit for each member seen

  member member_ = member::none;
  std::string shown_;
  bool is_list_ = false;                // a list of unsigned integers only
  std::vector<std::uint64_t> numbers_;  // at most max_dims + 1 are kept: enough to detect too many
  bool after_value_ = false;
  const code* type_ = std::end(codes);
};

}  // namespace

file_header read_header(const std::string& who, std::string_view text, std::uint64_t elements) {
  const auto refuse = [&](const std::string& what) { throw error(who + what, "load_tensors"); };
  // The parser would skip a byte order mark or blanks, and treats a zero byte as the end.
  if (!text.starts_with('{')) refuse("found a header that does not begin with '{'");
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    refuse("the header is not JSON, at its byte " + std::to_string(zero + 1) + " of " + std::to_string(text.size()));
  }
  header_handler handler(who, text.size(), elements);
  json::sax_parse(text.begin(), text.end(), &handler);
  file_header header = handler.take();
  std::vector<file_entry>& all = header.tensors;

  std::vector<std::string_view> names;
  for (const file_entry& e : all) names.push_back(e.name);
  std::ranges::sort(names);
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (names[i] == names[i - 1]) refuse("found " + in_quotes(names[i]) + " twice in the header");
  }

  std::ranges::sort(all, {}, [](const file_entry& e) { return std::tuple(e.begin, e.end, std::string_view(e.name)); });
  std::uint64_t end = 0;
  const file_entry* before = nullptr;
  for (const file_entry& e : all) {
    if (e.begin != end) {
      refuse(in_quotes(e.name) + ": its elements begin at " + std::to_string(e.begin) + ", wanted them at " +
             std::to_string(end) + ", behind " + (before ? "those of " + in_quotes(before->name) : "the header"));
    }
    end = e.end;
    before = &e;
  }
  if (end != elements) {
    refuse("found " + std::to_string(elements) + " bytes of elements, but the tensors have " + std::to_string(end));
  }
  return header;
}

std::string write_header(const std::string& who, std::span<const named_tensor> tensors,
                         const tensor_metadata& metadata) {
  const auto refuse = [&](const std::string& what) { throw error(who + what, "save_tensors"); };
  std::unordered_set<std::string_view> names;
  std::string text = "{";
  if (!metadata.empty()) {
    try {
      text += json({{metadata_name, metadata}}).dump().substr(1);
      text.pop_back();
    } catch (const json::type_error&) {
      refuse("found metadata that are not UTF-8, wanted UTF-8");
    }
  }
  std::uint64_t end = 0;
  for (const named_tensor& one : tensors) {
    if (!one.value.defined()) {
      refuse("found an undefined tensor, " + in_quotes(one.name) + ", wanted one with elements");
    }
    if (one.name == metadata_name) refuse("found the name '__metadata__', which the format reserves");
    if (!names.insert(one.name).second) {
      refuse("found " + in_quotes(one.name) + " twice, wanted a name for each tensor");
    }
    if (!text.ends_with('{')) text += ',';
    try {
      text += json(one.name).dump();
    } catch (const json::type_error&) {
      refuse("found a name that is not UTF-8, wanted UTF-8");
    }
    const auto* const known = std::ranges::find(codes, one.value.dtype(), &code::type);
    const std::uint64_t begin = end;
    end += static_cast<std::uint64_t>(one.value.numel()) * size_of(one.value.dtype());
    text.append(":{\"dtype\":\"").append(known->name).append("\",\"shape\":[");
    for (const std::int64_t size : one.value.sizes()) text.append(std::to_string(size)).append(",");
    if (text.ends_with(',')) text.pop_back();
    text += "],\"data_offsets\":[" + std::to_string(begin) + "," + std::to_string(end) + "]}";
  }
  text += '}';
  text.resize((text.size() + 7) / 8 * 8, ' ');
  if (text.size() > longest_header) {
    refuse("found names and metadata that need a header of " + std::to_string(text.size()) + " bytes, wanted at most " +
           std::to_string(longest_header) + ", the format's own limit; save to several files");
  }
  return text;
}

}  // namespace topbit::detail
