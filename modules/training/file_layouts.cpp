module topbit.training;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :file_layouts;

namespace topbit::detail {

namespace {

using part = author::layout_payload::part;

std::string text_of(const tensor& t, std::span<const part> parts, const std::string& attributes) {
  std::string names;
  for (const part& p : parts) {
    if (p.value.defined()) (names += names.empty() ? "" : ",") += p.name;
  }
  return std::string(name_of(t.layout())) + " " + kind_of(t) + " " + names +
         (attributes.empty() ? "" : " " + attributes);
}

// What a text says.
struct description {
  layout how = layout::strided;
  dtype type = dtype::float32;
  shape sizes;
  std::vector<std::string_view> parts;
  std::string_view attributes;
};

// Removes the text before a separator, and the separator.
std::string_view take_until(std::string_view& text, std::string_view separator) {
  const std::size_t end = text.find(separator);
  const std::string_view found = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + separator.size());
  return found;
}

bool read_sizes(std::string_view text, shape& to) {
  while (!text.empty()) {
    const std::string_view number = take_until(text, ", ");
    std::int64_t n = 0;
    const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), n);
    if (problem != std::errc() || end != number.data() + number.size() || n < 0 || to.size() == max_dims) return false;
    to.push_back(n);
  }
  std::int64_t elements = 1;
  return !std::ranges::any_of(
      to, [&](std::int64_t n) { return __builtin_mul_overflow(elements, std::max<std::int64_t>(n, 1), &elements); });
}

std::optional<description> read_text(std::string_view text) {
  description d;
  const std::string_view layout_name = take_until(text, " "), dtype_name = take_until(text, " ");
  const auto* const how = std::ranges::find_if(all_layouts, [&](layout l) { return name_of(l) == layout_name; });
  const auto* const type = std::ranges::find_if(all_dtypes, [&](dtype t) { return name_of(t) == dtype_name; });
  if (how == all_layouts.end() || *how == layout::strided || type == all_dtypes.end()) return {};
  d.how = *how;
  d.type = *type;
  if (!text.starts_with('[')) return {};
  text.remove_prefix(1);
  if (!read_sizes(take_until(text, "] "), d.sizes)) return {};
  std::string_view names = take_until(text, " ");
  while (!names.empty()) d.parts.push_back(take_until(names, ","));
  d.attributes = text;
  return d;
}

}  // namespace

file_contents with_parts_apart(const std::string& who, std::span<const named_tensor> tensors,
                               const tensor_metadata& metadata) {
  const auto refuse = [&](const std::string& what) { throw error(who + what, "save_tensors"); };
  file_contents contents{{}, metadata};
  const auto reserved = metadata.lower_bound(std::string(layout_key));
  if (reserved != metadata.end() && reserved->first.starts_with(layout_key)) {
    refuse("found metadata of the name " + in_quotes(reserved->first) + ", wanted none that begins with " +
           in_quotes(layout_key));
  }
  std::unordered_set<std::string_view> names;
  for (const named_tensor& one : tensors) {
    if (!names.insert(one.name).second) {
      refuse("found " + in_quotes(one.name) + " twice, wanted a name for each tensor");
    }
    if (!one.value.defined() || one.value.layout() == layout::strided) {
      contents.tensors.push_back(one);
      continue;
    }
    const author::layout_payload* const payload = author::parts_of(one.value);
    if (payload == nullptr) {
      refuse("found " + in_quotes(one.name) + " of layout " + std::string(name_of(one.value.layout())) +
             ", wanted strided, or a layout whose tensors consist of strided ones");
    }
    const std::vector<part> parts = payload->parts();
    if (!contents.metadata.emplace(std::string(layout_key) + one.name, text_of(one.value, parts, payload->attributes()))
             .second) {
      refuse("found " + in_quotes(one.name) + " twice, wanted a name for each tensor");
    }
    for (const part& p : parts) {
      if (p.value.defined()) contents.tensors.push_back({one.name + "." + std::string(p.name), p.value});
    }
  }
  return contents;
}

std::vector<named_tensor> with_parts_joined(const std::string& who, file_contents contents) {
  std::map<std::string_view, std::size_t> by_name;
  for (std::size_t i = 0; i < contents.tensors.size(); ++i) by_name.emplace(contents.tensors[i].name, i);
  // A part is replaced by the whole where the first part was, and undefined otherwise.
  std::vector<named_tensor> joined(contents.tensors.size());
  std::vector<bool> is_part(contents.tensors.size(), false);
  for (auto at = contents.metadata.lower_bound(std::string(layout_key));
       at != contents.metadata.end() && at->first.starts_with(layout_key); ++at) {
    const std::string name = at->first.substr(layout_key.size()), begin = who + in_quotes(name) + ": ";
    const auto refuse = [&](const std::string& what) { throw error(begin + what, "load_tensors"); };
    const std::optional<description> d = read_text(at->second);
    if (!d || d->parts.empty()) {
      refuse("found the layout " + in_quotes(at->second) +
             ", wanted a text as 'sparse_coo float32 [3, 4] indices,values coalesced=1'");
    }
    if (by_name.contains(name)) refuse("found a tensor of this name, and the parts of another");
    std::vector<part> parts;
    std::size_t first = joined.size();
    for (const std::string_view each : d->parts) {
      const std::string part_name = name + "." + std::string(each);
      const auto found = by_name.find(part_name);
      if (found == by_name.end() || is_part[found->second]) {
        refuse("found no tensor " + in_quotes(part_name) + ", wanted each part of the layout");
      }
      is_part[found->second] = true;
      first = std::min(first, found->second);
      parts.push_back({each, contents.tensors[found->second].value});
    }
    try {
      joined[first] = {name, author::reader_of(d->how)(d->sizes, d->type, parts, d->attributes)};
    } catch (const error& e) {
      refuse(e.what());
    }
  }
  for (std::size_t i = 0; i < joined.size(); ++i) {
    if (!is_part[i]) joined[i] = std::move(contents.tensors[i]);
  }
  std::erase_if(joined, [](const named_tensor& one) { return !one.value.defined(); });
  return joined;
}

void remove_layouts(tensor_metadata& metadata) {
  std::erase_if(metadata, [](const auto& one) { return one.first.starts_with(layout_key); });
}

}  // namespace topbit::detail
