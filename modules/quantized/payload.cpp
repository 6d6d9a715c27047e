module topbit.quantized;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::quantized {

namespace {

constexpr std::array<std::string_view, 3> granularities{"per_tensor", "per_channel", "per_group"};

[[noreturn]] void refuse_text(std::string_view text) {
  throw bad_argument("a quantization scheme: found '" + std::string(text) +
                     "', wanted per_tensor, per_channel axis=N or per_group group=N, bits=8 or bits=4, and "
                     "dynamic_activations where it is so");
}

// The number behind "name=".
std::optional<std::int64_t> number_after(std::string_view name, std::string_view word) {
  if (!word.starts_with(name)) return std::nullopt;
  word.remove_prefix(name.size());
  std::int64_t n = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), n);
  if (problem != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return n;
}

}  // namespace

std::string_view name_of(granularity g) noexcept { return granularities[static_cast<std::size_t>(g)]; }

std::string to_string(const scheme& s) {
  std::string text(name_of(s.scales));
  if (s.scales == granularity::per_channel) text += " axis=" + std::to_string(s.axis);
  if (s.scales == granularity::per_group) text += " group=" + std::to_string(s.group);
  text += " bits=" + std::to_string(s.bits);
  if (s.dynamic_activations) text += " dynamic_activations";
  return text;
}

scheme parse_scheme(std::string_view text) {
  scheme s;
  bool has_granularity = false;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const auto named = std::ranges::find(granularities, word);
    if (named != granularities.end()) {
      s.scales = static_cast<granularity>(named - granularities.begin());
      has_granularity = true;
    } else if (const auto axis = number_after("axis=", word); axis.has_value()) {
      s.axis = *axis;
    } else if (const auto group = number_after("group=", word); group.has_value()) {
      s.group = *group;
    } else if (const auto bits = number_after("bits=", word); bits == 8 || bits == 4) {
      s.bits = static_cast<int>(*bits);
    } else if (word == "dynamic_activations") {
      s.dynamic_activations = true;
    } else {
      refuse_text(text);
    }
  }
  if (!has_granularity) refuse_text(text);
  return s;
}

std::vector<payload::part> payload::parts() const {
  return {{"codes", codes}, {"scales", scales}, {"offsets", offsets}};
}

std::string payload::attributes() const { return to_string(how) + (transposed ? " transposed" : ""); }

intrusive_ptr<tensor_extension> payload::with_parts(std::span<const tensor> parts) const {
  return intrusive_ptr<tensor_extension>(new payload(how, parts[0], parts[1], parts[2], transposed));
}

shape sizes_of_parts(const tensor& t) {
  return t.payload<payload>().transposed ? shape{t.sizes()[1], t.sizes()[0]} : t.sizes();
}

shape code_sizes(const scheme& s, const shape& sizes) {
  shape packed = sizes;
  if (s.bits == 4 && !packed.empty()) {
    std::int64_t& last = packed[packed.size() - 1];
    last = last / 2 + last % 2;
  }
  return packed;
}

shape scale_sizes(const scheme& s, const shape& sizes) {
  if (s.scales == granularity::per_tensor) return {};
  if (s.scales == granularity::per_channel) return {sizes[s.axis]};
  shape groups = sizes;
  std::int64_t& last = groups[groups.size() - 1];
  last = last / s.group + (last % s.group != 0 ? 1 : 0);
  return groups;
}

tensor trusted(const scheme& s, const shape& sizes, dtype type, tensor codes, tensor scales, tensor offsets,
               bool transposed) {
  const device where = codes.device();
  const shape seen = transposed ? shape{sizes[1], sizes[0]} : sizes;
  return author::make_opaque(seen, type, where, keys_of(layout::quantized, where, type),
                             intrusive_ptr<tensor_extension>(
                                 new payload(s, std::move(codes), std::move(scales), std::move(offsets), transposed)),
                             layout::quantized);
}

}  // namespace topbit::quantized
