module topbit.tensor;

import topbit.std;
import topbit.core;

namespace topbit {

namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace

void detail::raise_bad_index(int index) {
  throw device_error("device cuda:" + std::to_string(index) + ": wanted an index of 0 to 127");
}

std::string_view name_of(memory_format f) noexcept {
  return f == memory_format::contiguous ? "contiguous_format" : "preserve_format";
}

std::string to_string(device d) {
  const std::string name = lower(name_of(d.type));
  return d.type == backend::CPU || d.type == backend::Meta ? name : name + ":" + std::to_string(d.index);
}

device parse_device(std::string_view text) {
  const author::device_text named(text);
  for (unsigned b = 1; b <= author::backend_count; ++b) {
    const auto type = static_cast<backend>(b);
    if (named.name == lower(name_of(type)) && named.may_be(type)) return {type, static_cast<std::int8_t>(named.index)};
  }
  throw device_error("device '" + std::string(text) + "': wanted cpu, cuda, cuda:N, meta, or another backend's name");
}

std::string to_string(const scalar& s) {
  if (s.type() == dtype::boolean) return s.to_int64() != 0 ? "true" : "false";
  if (s.type() == dtype::int64) return std::to_string(s.to_int64());
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, s.to_double()).ptr};
}

}  // namespace topbit
