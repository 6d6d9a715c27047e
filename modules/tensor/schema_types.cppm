// The schema's names for this module's types, and how their defaults are written there.
export module topbit.tensor:schema_types;

import topbit.std;
import topbit.core;
import :device;
import :dtype;
import :handle;
import :scalar;

namespace topbit {

template <>
struct schema_type<"Tensor"> {
  using value = tensor;
  using argument = const tensor&;
};
template <>
struct schema_type<"Scalar"> {
  using value = scalar;
  using argument = const scalar&;
};
template <>
struct schema_type<"ScalarType"> {
  using value = dtype;
  using argument = dtype;
};
template <>
struct schema_type<"Device"> {
  using value = device;
  using argument = device;
};
template <>
struct schema_type<"Layout"> {
  using value = layout;
  using argument = layout;
};
template <>
struct schema_type<"MemoryFormat"> {
  using value = memory_format;
  using argument = memory_format;
};

template <>
struct schema_default<scalar> {
  static constexpr scalar from(std::string_view text) {
    if (text == "True" || text == "False") return scalar(text == "True");
    if (text.find_first_of(".e") == std::string_view::npos) return scalar(schema_default<std::int64_t>::from(text));
    return scalar(schema_default<double>::from(text));
  }
};

}  // namespace topbit
