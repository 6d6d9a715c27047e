// Element types, their sizes and names, and how two of them combine.
export module topbit.tensor:dtype;

import topbit.std;

namespace topbit {

/// An element type. The order is the order of promotion; the values are those of the kernel seam.
export enum class dtype : std::uint8_t { boolean = 0, int64 = 1, float32 = 2, float64 = 3 };

export constexpr std::size_t size_of(dtype t) noexcept { return t == dtype::boolean ? 1 : t == dtype::float32 ? 4 : 8; }

export constexpr std::string_view name_of(dtype t) noexcept {
  switch (t) {
    case dtype::boolean: return "bool";
    case dtype::int64: return "int64";
    case dtype::float32: return "float32";
    case dtype::float64: return "float64";
  }
  return "unknown";
}

export constexpr bool is_floating(dtype t) noexcept { return t >= dtype::float32; }

/// The smallest type both convert to without losing their category: bool < int64 < float32 < float64.
export constexpr dtype promote(dtype a, dtype b) noexcept { return a < b ? b : a; }

/// What true division and the transcendental functions compute in: the type itself if floating, else float32.
export constexpr dtype to_floating(dtype t) noexcept { return is_floating(t) ? t : dtype::float32; }

/// The dtype of a C++ element type.
export template <class T>
inline constexpr dtype dtype_of = [] {
  static_assert(
      std::same_as<T, bool> || std::same_as<T, std::int64_t> || std::same_as<T, float> || std::same_as<T, double>,
      "a tensor element is bool, std::int64_t, float or double");
  return std::same_as<T, bool>           ? dtype::boolean
         : std::same_as<T, std::int64_t> ? dtype::int64
         : std::same_as<T, float>        ? dtype::float32
                                         : dtype::float64;
}();

static_assert(promote(dtype::int64, dtype::float32) == dtype::float32);

}  // namespace topbit
