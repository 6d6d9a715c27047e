// topbit.format: what the library prints, in std::format. A module of its own, since it is built only where the
// standard library has <format>; so it is the one interface besides topbit.std that takes a standard header.
module;

#include <format>
#include <string_view>

export module topbit.format;

export import topbit.tensor;
import topbit.core;

namespace topbit::detail {

constexpr auto end_of_specification(std::format_parse_context::iterator at, const std::format_parse_context& context,
                                    const char* refusal) {
  if (at != context.end() && *at != '}') throw std::format_error(refusal);
  return at;
}

}  // namespace topbit::detail

/// Names, keys, sets, sizes and answers: the text of to_string() as any string, with fill, width and alignment.
template <topbit::printable T>
struct std::formatter<T, char> : std::formatter<std::string_view, char> {
  auto format(const T& x, auto& context) const {
    return std::formatter<std::string_view, char>::format(to_string(x), context);
  }
};

/// `{}`, or `{:.2}` for at most two digits behind the point; otherwise as to_string() has it by default.
template <>
struct std::formatter<topbit::tensor, char> {
  constexpr auto parse(std::format_parse_context& context) {
    constexpr const char* refusal =
        "topbit.format: a tensor takes no specification but a precision of at most three digits, as {:.2}; use "
        "topbit::to_string for more";
    auto at = context.begin();
    if (at == context.end() || *at != '.') return topbit::detail::end_of_specification(at, context, refusal);
    int digits = 0, precision = 0;
    while (++at != context.end() && *at >= '0' && *at <= '9' && digits < 3) {
      precision = 10 * precision + (*at - '0');
      ++digits;
    }
    if (digits == 0) throw std::format_error(refusal);
    options_.precision = precision;
    return topbit::detail::end_of_specification(at, context, refusal);
  }
  auto format(const topbit::tensor& t, auto& context) const {
    return std::format_to(context.out(), "{}", to_string(t, options_));
  }

 private:
  topbit::print_options options_;
};

/// `{}` alone: what a specification of numbers would mean depends on which number it is.
template <>
struct std::formatter<topbit::scalar, char> {
  constexpr auto parse(std::format_parse_context& context) {
    return topbit::detail::end_of_specification(
        context.begin(), context,
        "topbit.format: a scalar takes no specification; format its to_double() or to_int64()");
  }
  auto format(const topbit::scalar& x, auto& context) const {
    return std::format_to(context.out(), "{}", to_string(x));
  }
};
