module topbit.tensor;

import topbit.std;
import topbit.core;

namespace topbit {

namespace {

// True if the elements can be copied to the host.
bool has_values(const tensor& t) noexcept {
  return t.layout() == layout::strided && t.device().type != backend::Meta && author::record_of(t).data;
}

// NaNs are printed without sign: it differs between processors and has no meaning.
template <class T>
bool is_nan(T x) noexcept {
  const double number = static_cast<double>(x);
  return number != number;
}

std::string element(detail::element_reader& elements, dtype type, std::int64_t offset) {
  return with_element_type(type, [&]<class T>(T) -> std::string {
    char text[32];
    const T x = elements.at<T>(offset);
    if constexpr (std::same_as<T, bool>) {
      return x ? "true" : "false";
    } else if constexpr (std::same_as<T, half> || std::same_as<T, bfloat16>) {
      return is_nan(x) ? "nan" : std::string(text, std::to_chars(text, text + sizeof text, static_cast<float>(x)).ptr);
    } else if constexpr (std::integral<T>) {
      return {text, std::to_chars(text, text + sizeof text, static_cast<std::int64_t>(x)).ptr};
    } else {
      return is_nan(x) ? "nan" : std::string(text, std::to_chars(text, text + sizeof text, x).ptr);
    }
  });
}

class line {
 public:
  line(const tensor& t, const print_options& o)
      : t_(t), elements_(t), edge_items_(std::max(o.edge_items, std::int64_t{1})) {
    append(0, author::record_of(t).offset);
  }
  std::string text() && { return std::move(text_); }

 private:
  void append(std::int64_t dim, std::int64_t offset) {
    if (dim == t_.dim()) {
      text_ += element(elements_, t_.dtype(), offset);
      return;
    }
    const std::int64_t n = t_.sizes()[dim];
    text_ += "[";
    for (std::int64_t i = 0; i < n; ++i) {
      if (i != 0) text_ += ", ";
      if (i == edge_items_ && n - edge_items_ > edge_items_) {
        text_ += "..., ";
        i = n - edge_items_;
      }
      append(dim + 1, offset + i * t_.strides()[dim]);
    }
    text_ += "]";
  }

  const tensor& t_;
  detail::element_reader elements_;
  const std::int64_t edge_items_;
  std::string text_;
};

std::string description(const tensor& t) {
  std::string text = "(" + std::string(name_of(t.dtype())) + " " + to_string(t.sizes());
  if (t.layout() != layout::strided) text += " " + std::string(name_of(t.layout()));
  if (t.device().type != backend::CPU) text += " on " + to_string(t.device());
  return text + ")";
}

// Parts of a payload, each as its values alone, and what is known of the whole.
std::string of_parts(const tensor& t, const print_options& options) {
  const author::layout_payload* const payload = author::parts_of(t);
  if (payload == nullptr) return description(t);
  const std::string_view between = options.one_line ? "; " : "\n";
  std::string text;
  for (const auto& [name, value] : payload->parts()) {
    if (!value.defined()) continue;
    print_options of_part = options;
    of_part.describe = false;
    (text += name) += options.one_line ? " " : ":\n";
    (text += to_string(value, of_part)) += between;
  }
  if (const std::string more = payload->attributes(); !more.empty()) (text += more) += between;
  return text + description(t);
}

}  // namespace

detail::element_reader::element_reader(const tensor& t)
    : data_(*author::record_of(t).data), element_bytes_(size_of(t.dtype())) {}

const std::byte* detail::element_reader::bytes_at(std::int64_t offset) {
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

std::string to_string(const tensor& t, const print_options& options) {
  if (!t.defined()) return "undefined tensor";
  if (std::string text; detail::describe_wrapper(t, text, options)) return text;
  if (t.layout() != layout::strided) return of_parts(t, options);
  if (!has_values(t)) return description(t);
  const std::string values = options.one_line ? line(t, options).text() : detail::columns_of(t, options);
  return options.describe ? values + " " + description(t) : values;
}

}  // namespace topbit
