module topbit.tensor;

import topbit.std;
import topbit.core;

namespace topbit {

namespace {

constexpr std::int64_t shown_at_each_end = 3;

// Which sign a NaN has depends on the processor that made it, and says nothing.
template <class T>
bool is_nan(T x) noexcept {
  const double number = static_cast<double>(x);
  return number != number;
}

std::string element(const tensor& t, const std::byte* at) {
  return with_element_type(t.dtype(), [at]<class T>(T x) -> std::string {
    char text[32];
    if constexpr (!std::same_as<T, bool>) std::memcpy(&x, at, sizeof x);
    if constexpr (std::same_as<T, bool>) {
      return *at != std::byte{0} ? "true" : "false";  // what nobody wrote may be no bool
    } else if constexpr (std::same_as<T, half> || std::same_as<T, bfloat16>) {
      return is_nan(x) ? "nan" : std::string(text, std::to_chars(text, text + sizeof text, static_cast<float>(x)).ptr);
    } else if constexpr (std::integral<T>) {
      return {text, std::to_chars(text, text + sizeof text, static_cast<std::int64_t>(x)).ptr};
    } else {
      return is_nan(x) ? "nan" : std::string(text, std::to_chars(text, text + sizeof text, x).ptr);
    }
  });
}

void append(std::string& text, const tensor& t, detail::element_reader& elements, std::size_t dim,
            std::int64_t offset) {
  if (dim == t.dim()) {
    text += element(t, elements.at(offset));
    return;
  }
  const std::int64_t n = t.sizes()[dim];
  text += "[";
  for (std::int64_t i = 0; i < n; ++i) {
    if (i != 0) text += ", ";
    if (i == shown_at_each_end && n > 2 * shown_at_each_end) {
      text += "...";
      i = n - shown_at_each_end - 1;
      continue;
    }
    append(text, t, elements, dim + 1, offset + i * t.strides()[dim]);
  }
  text += "]";
}

}  // namespace

bool detail::has_values(const tensor& t) noexcept {
  return t.layout() == layout::strided && t.device().type != backend::Meta && t.record().data;
}

detail::element_reader::element_reader(const tensor& t) : data_(*t.record().data), element_bytes_(size_of(t.dtype())) {}

const std::byte* detail::element_reader::at(std::int64_t offset) {
  const auto* const all = static_cast<const std::byte*>(data_.data);
  const std::size_t place = static_cast<std::size_t>(offset) * element_bytes_;
  if (data_.where.type == backend::CPU) return all + place;
  if (place < begin_ || place >= begin_ + window_.size()) {
    begin_ = place / window_bytes * window_bytes;
    window_.resize(std::min(window_bytes, data_.bytes - begin_));
    data_.hook->copy_out(data_.where, window_.data(), all + begin_, window_.size());
  }
  return window_.data() + (place - begin_);
}

std::string to_string(const tensor& t) {
  if (!t.defined()) return "undefined tensor";
  std::string text;
  if (detail::has_values(t)) {
    detail::element_reader elements(t);
    append(text, t, elements, 0, t.record().offset);
    text += " ";
  }
  text += "(" + std::string(name_of(t.dtype())) + " " + to_string(t.sizes());
  if (t.device().type != backend::CPU) text += " on " + to_string(t.device());
  return text + ")";
}

}  // namespace topbit
