module topbit.tensor;

import topbit.std;
import topbit.core;

namespace topbit {

namespace {

// The significant decimal digits of a number and its decimal point: 0.d1d2d3... * 10^point.
struct digits {
  std::string text;
  int point = 0;
  bool negative = false;
};

// The fewest digits that distinguish x from its neighbours of type T.
template <class T>
digits shortest(T x) {
  char buffer[64];
  char* end = nullptr;
  if constexpr (std::same_as<T, half> || std::same_as<T, bfloat16>) {
    for (int more = 0; more < 12; ++more) {
      end =
          std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(x), std::chars_format::scientific, more).ptr;
      float back = 0;
      std::from_chars(buffer, end, back);
      if (T(back).bits == x.bits) break;
    }
  } else {
    end = std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::scientific).ptr;
  }
  std::string_view all(buffer, static_cast<std::size_t>(end - buffer));
  digits d;
  if (all.starts_with('-')) {
    d.negative = true;
    all.remove_prefix(1);
  }
  const std::size_t e = all.find('e');
  for (char c : all.substr(0, e)) {
    if (c != '.') d.text += c;
  }
  const std::string_view exponent = all.substr(e + (all[e + 1] == '+' ? 2 : 1));
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), d.point);
  ++d.point;
  while (d.text.size() > 1 && d.text.back() == '0') d.text.pop_back();
  if (d.text == "0") d.point = 1;
  return d;
}

// Rounds half up to `count` digits. The digits are exact or the shortest, so ties are decimal ties.
void round_to(digits& d, int count) {
  if (count >= static_cast<int>(d.text.size())) return;
  const bool up = count >= 0 && d.text[static_cast<std::size_t>(count)] >= '5';
  d.text.resize(static_cast<std::size_t>(std::max(count, 0)));
  if (up) {
    std::size_t i = d.text.size();
    while (i > 0 && d.text[i - 1] == '9') d.text[--i] = '0';
    if (i > 0) {
      ++d.text[i - 1];
    } else {
      d.text.insert(d.text.begin(), '1');
      ++d.point;
    }
  }
  while (!d.text.empty() && d.text.back() == '0') d.text.pop_back();
  if (d.text.empty()) d = {"0", 1, d.negative};
}

struct number_text {
  std::string whole, fraction;  // before and after the point, without it
  std::string exponent{};       // "e+05", or empty
};

number_text positional(digits d, int precision) {
  round_to(d, d.point + precision);
  std::string whole = d.negative ? "-" : "", fraction;
  if (d.point <= 0) {
    whole += '0';
    fraction.assign(static_cast<std::size_t>(-d.point), '0');
    fraction += d.text;
  } else {
    for (int i = 0; i < d.point; ++i) {
      whole += i < static_cast<int>(d.text.size()) ? d.text[static_cast<std::size_t>(i)] : '0';
    }
    if (static_cast<int>(d.text.size()) > d.point) fraction = d.text.substr(static_cast<std::size_t>(d.point));
  }
  return {whole, fraction == "0" ? "" : fraction};
}

// Fraction digits in scientific notation: at most `precision`, and no more than the shortest form has.
std::size_t scientific_digits(digits d, int precision) {
  round_to(d, precision + 1);
  return d.text.size() - 1;
}

// Scientific notation with `fraction` correctly rounded fraction digits and at least `exponent_digits` exponent digits.
number_text scientific(double x, std::size_t fraction, std::size_t exponent_digits) {
  char buffer[64];
  const char* const end =
      std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::scientific, static_cast<int>(fraction)).ptr;
  const std::string_view all(buffer, static_cast<std::size_t>(end - buffer));
  const std::size_t e = all.find('e'), point = std::min(all.find('.'), e);
  std::string exponent(all.substr(e));
  while (exponent.size() < exponent_digits + 2) exponent.insert(2, "0");
  return {std::string(all.substr(0, point)), std::string(point < e ? all.substr(point + 1, e - point - 1) : ""),
          exponent};
}

std::string padded(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

// Prints elements in aligned columns. Notation, digits and width are chosen from all shown elements.
class columns {
 public:
  columns(const tensor& t, const print_options& o)
      : t_(t),
        elements_(t),
        precision_(std::min(std::max(o.precision, 0), 400)),  // no double has more fraction digits in its shortest form
        edge_items_(std::max(o.edge_items, std::int64_t{1})),
        separator_(o.separator),
        line_end_(o.separator.substr(0, o.separator.find_last_not_of(' ') + 1)),
        summarised_(t.numel() > o.threshold) {
    if (t.numel() == 0) return;
    with_element_type(t.dtype(), [&]<class T>(T) { read<T>(); });
    text_ = block(0, " ", o.line_width);
  }
  std::string text() && { return std::move(text_); }

 private:
  static std::string special(double x) { return x != x ? "nan" : x < 0 ? "-inf" : "inf"; }

  bool skips(std::int64_t dim) const { return summarised_ && t_.sizes()[dim] - edge_items_ > edge_items_; }
  std::int64_t shown(std::int64_t dim) const { return skips(dim) ? 2 * edge_items_ : t_.sizes()[dim]; }

  // Fills words_ with the shown elements in order, padded to one width.
  template <class T>
  void read() {
    std::vector<T> values;
    visit<T>(0, author::record_of(t_).offset, values);
    if constexpr (std::same_as<T, bool>) {
      for (bool x : values) words_.push_back(x ? "True" : "False");
    } else if constexpr (std::integral<T>) {
      for (T x : values) words_.push_back(std::to_string(x));
    } else {
      real_words(values);
    }
    // Columns of bool fit "False" even if all elements are true.
    std::size_t width = std::same_as<T, bool> && t_.dim() != 0 ? 5 : 0;
    for (const std::string& w : words_) width = std::max(width, w.size());
    for (std::string& w : words_) w = padded(w, width);
  }

  template <class T>
  void visit(std::int64_t dim, std::int64_t offset, std::vector<T>& values) {
    if (dim == t_.dim()) {
      values.push_back(elements_.at<T>(offset));
      return;
    }
    const std::int64_t n = t_.sizes()[dim];
    for (std::int64_t i = 0; i < n; ++i) {
      if (skips(dim) && i == edge_items_) i = n - edge_items_;
      visit<T>(dim + 1, offset + i * t_.strides()[dim], values);
    }
  }

  // NumPy's condition for scientific notation, on absolute values: maximum >= 1e8, minimum < 1e-4 or ratio > 1000.
  template <class T>
  void real_words(const std::vector<T>& values) {
    double most = 0, least = std::numeric_limits<double>::infinity();
    for (T x : values) {
      const double size = std::abs(static_cast<double>(x));
      if (!(size > 0) || size == std::numeric_limits<double>::infinity()) continue;
      most = std::max(most, size);
      least = std::min(least, size);
    }
    const bool exponents = most > 0 && (most >= 1e8 || least < 1e-4 || most / least > 1000);
    std::vector<number_text> parts;
    std::size_t whole = 0, fraction = 0, exponent = 0;
    if (exponents) {
      for (T x : values) {
        if (!std::isfinite(static_cast<double>(x))) continue;
        fraction = std::max(fraction, scientific_digits(shortest(x), precision_));
        exponent = std::max(exponent, scientific(static_cast<double>(x), 0, 2).exponent.size() - 2);
      }
    }
    for (T x : values) {
      const auto number = static_cast<double>(x);
      if (!std::isfinite(number)) {
        parts.push_back({special(number), "?"});
        continue;
      }
      parts.push_back(exponents ? scientific(number, fraction, exponent) : positional(shortest(x), precision_));
      whole = std::max(whole, parts.back().whole.size());
      fraction = std::max(fraction, parts.back().fraction.size());
    }
    for (const number_text& p : parts) {
      if (p.fraction == "?") {
        words_.push_back(p.whole);
      } else {
        const std::string fill(fraction - p.fraction.size(), ' ');
        words_.push_back(padded(p.whole, whole) + "." + p.fraction + fill + p.exponent);
      }
    }
  }

  // The text of dimension `dim` and its inner dimensions; each line starts with `indent`.
  std::string block(std::int64_t dim, const std::string& indent, std::int64_t width) {
    if (dim == t_.dim()) return words_[next_++];
    const std::int64_t n = shown(dim);
    const bool innermost = dim + 1 == t_.dim();
    const std::string between = line_end_ + std::string(static_cast<std::size_t>(t_.dim() - dim - 1), '\n');
    std::string text, line = indent;
    const auto word = [&](const std::string& w) {
      const auto reached =
          static_cast<std::int64_t>(line.size() + w.size() + std::max<std::size_t>(line_end_.size(), 1));
      if (reached > width && line.size() > indent.size()) {
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
        line = indent;
      }
      line += w;
    };
    for (std::int64_t i = 0; i < n; ++i) {
      if (skips(dim) && i == edge_items_) {
        if (innermost) {
          word("...");
          line += separator_;
        } else {
          text += indent + "..." + between;
        }
      }
      const bool last = i + 1 == n;
      if (innermost) {
        word(words_[next_++]);
        if (!last) line += separator_;
      } else {
        text += indent + block(dim + 1, indent + " ", width - 1);
        if (!last) text += between;
      }
    }
    if (innermost) text += line;
    return "[" + text.substr(indent.size()) + "]";
  }

  const tensor& t_;
  detail::element_reader elements_;
  const int precision_;
  const std::int64_t edge_items_;
  const std::string separator_, line_end_;
  const bool summarised_;
  std::vector<std::string> words_;
  std::size_t next_ = 0;
  std::string text_ = "[]";
};

}  // namespace

std::string detail::columns_of(const tensor& t, const print_options& options) { return columns(t, options).text(); }

}  // namespace topbit
