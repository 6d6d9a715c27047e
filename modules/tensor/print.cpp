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

std::string element(const tensor& t, std::int64_t offset) {
  const std::byte* at =
      static_cast<const std::byte*>(t.data()) + offset * static_cast<std::int64_t>(size_of(t.dtype()));
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

void append(std::string& text, const tensor& t, std::size_t dim, std::int64_t offset) {
  if (dim == t.dim()) {
    text += element(t, offset);
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
    append(text, t, dim + 1, offset + i * t.strides()[dim]);
  }
  text += "]";
}

}  // namespace

std::string to_string(const tensor& t) {
  if (!t.defined()) return "undefined tensor";
  std::string text;
  if (t.device().type == backend::CPU && t.record().data) {
    append(text, t, 0, 0);
    text += " ";
  }
  text += "(" + std::string(name_of(t.dtype())) + " " + to_string(t.sizes());
  if (t.device().type != backend::CPU) text += " on " + to_string(t.device());
  return text + ")";
}

}  // namespace topbit
