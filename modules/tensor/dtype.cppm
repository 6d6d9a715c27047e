// Element types, their sizes and names, and type promotion.
export module topbit.tensor:dtype;

import topbit.std;
import :half;

namespace topbit {

/// An element type. The values are those of the kernel ABI; ask the functions below, not the order.
export enum class dtype : std::uint8_t {
  boolean,
  uint8,
  int8,
  int16,
  int32,
  int64,
  float16,
  bfloat16,
  float32,
  float64
};

export inline constexpr std::size_t dtype_count = 10;

namespace detail {

struct dtype_facts {
  std::string_view name;
  std::uint8_t bytes;
  std::uint8_t category;  // 0 bool, 1 integer, 2 floating
};

inline constexpr std::array<dtype_facts, dtype_count> dtype_table{{{"bool", 1, 0},
                                                                   {"uint8", 1, 1},
                                                                   {"int8", 1, 1},
                                                                   {"int16", 2, 1},
                                                                   {"int32", 4, 1},
                                                                   {"int64", 8, 1},
                                                                   {"float16", 2, 2},
                                                                   {"bfloat16", 2, 2},
                                                                   {"float32", 4, 2},
                                                                   {"float64", 8, 2}}};

constexpr const dtype_facts& facts_of(dtype t) noexcept { return dtype_table[static_cast<std::size_t>(t)]; }

}  // namespace detail

/// Every element type, from bool up.
export inline constexpr std::array<dtype, dtype_count> all_dtypes{
    dtype::boolean, dtype::uint8,   dtype::int8,     dtype::int16,   dtype::int32,
    dtype::int64,   dtype::float16, dtype::bfloat16, dtype::float32, dtype::float64};

/// In bytes.
export constexpr std::size_t size_of(dtype t) noexcept { return detail::facts_of(t).bytes; }
export constexpr std::string_view name_of(dtype t) noexcept { return detail::facts_of(t).name; }
/// By its name, or by PyTorch's alias: long, int, short, half, float, double.
export constexpr std::optional<dtype> dtype_named(std::string_view name) noexcept {
  for (std::size_t i = 0; i < dtype_count; ++i) {
    if (detail::dtype_table[i].name == name) return static_cast<dtype>(i);
  }
  if (name == "long") return dtype::int64;
  if (name == "int") return dtype::int32;
  if (name == "short") return dtype::int16;
  if (name == "half") return dtype::float16;
  if (name == "float") return dtype::float32;
  if (name == "double") return dtype::float64;
  return std::nullopt;
}
export constexpr bool is_floating(dtype t) noexcept { return detail::facts_of(t).category == 2; }
/// int8 to int64 and uint8; not bool.
export constexpr bool is_integer(dtype t) noexcept { return detail::facts_of(t).category == 1; }

/// The promoted type of two operands: the wider one of a category, a floating one before an integer, any before bool;
/// int16 for uint8 and int8, float32 for float16 and bfloat16. (The promotion lattice of the array API, and of PyTorch,
/// which the integers with floating types are taken from.)
export constexpr dtype promote(dtype a, dtype b) noexcept {
  if (a == b) return a;
  const auto category = [](dtype t) { return detail::facts_of(t).category; };
  if (category(a) != category(b)) return category(a) < category(b) ? b : a;
  const dtype low = a < b ? a : b, high = a < b ? b : a;
  if (low == dtype::uint8 && high == dtype::int8) return dtype::int16;
  if (low == dtype::float16 && high == dtype::bfloat16) return dtype::float32;
  return high;
}

/// Whether a result of dtype `from` may be written to a tensor of `to`: not from floating to integer, and from neither
/// to bool. (PyTorch's canCast.)
export constexpr bool can_cast(dtype from, dtype to) noexcept {
  return detail::facts_of(from).category <= detail::facts_of(to).category;
}

/// The compute type of true division and the transcendental functions: the type itself if floating, else float32.
export constexpr dtype to_floating(dtype t) noexcept { return is_floating(t) ? t : dtype::float32; }

/// The dtype of sums and products: int64 for integers and bool, else the type itself.
export constexpr dtype to_summed(dtype t) noexcept { return is_floating(t) ? t : dtype::int64; }

namespace detail {

template <class T>
inline constexpr bool no_element = false;

template <class T>
constexpr dtype element_dtype() {
  if constexpr (std::same_as<T, bool>)
    return dtype::boolean;
  else if constexpr (std::same_as<T, half>)
    return dtype::float16;
  else if constexpr (std::same_as<T, bfloat16>)
    return dtype::bfloat16;
  else if constexpr (std::same_as<T, float>)
    return dtype::float32;
  else if constexpr (std::same_as<T, double>)
    return dtype::float64;
  else if constexpr (std::same_as<T, std::uint8_t>)
    return dtype::uint8;
  else if constexpr (std::same_as<T, std::int8_t>)
    return dtype::int8;
  else if constexpr (std::same_as<T, std::int16_t>)
    return dtype::int16;
  else if constexpr (std::same_as<T, std::int32_t>)
    return dtype::int32;
  else if constexpr (std::same_as<T, std::int64_t>)
    return dtype::int64;
  else
    static_assert(
        no_element<T>,
        "a tensor element is bool, std::uint8_t, std::int8_t to std::int64_t, half, bfloat16, float or double");
}

}  // namespace detail

/// The C++ types of a tensor's elements.
export template <class T>
concept tensor_element =
    std::same_as<T, bool> || std::same_as<T, half> || std::same_as<T, bfloat16> || std::same_as<T, float> ||
    std::same_as<T, double> || std::same_as<T, std::uint8_t> || std::same_as<T, std::int8_t> ||
    std::same_as<T, std::int16_t> || std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t>;

/// The dtype of a C++ element type.
export template <class T>
inline constexpr dtype dtype_of = detail::element_dtype<T>();

/// Calls visit with a value of the C++ type that stands for `t`, and returns what it returns.
export template <class Visit>
constexpr decltype(auto) with_element_type(dtype t, Visit&& visit) {
  switch (t) {
    case dtype::boolean: return visit(bool{});
    case dtype::uint8: return visit(std::uint8_t{});
    case dtype::int8: return visit(std::int8_t{});
    case dtype::int16: return visit(std::int16_t{});
    case dtype::int32: return visit(std::int32_t{});
    case dtype::int64: return visit(std::int64_t{});
    case dtype::float16: return visit(half{});
    case dtype::bfloat16: return visit(bfloat16{});
    case dtype::float32: return visit(float{});
    case dtype::float64: break;
  }
  return visit(double{});
}

static_assert(promote(dtype::uint8, dtype::int8) == dtype::int16 &&
              promote(dtype::int64, dtype::float16) == dtype::float16);
static_assert(promote(dtype::float16, dtype::bfloat16) == dtype::float32);
static_assert(promote(dtype::boolean, dtype::uint8) == dtype::uint8 &&
              promote(dtype::uint8, dtype::int16) == dtype::int16);

}  // namespace topbit
