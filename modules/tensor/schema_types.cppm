// Schema names of this module's types, their defaults, and their text form.
export module topbit.tensor:schema_types;

import topbit.std;
import topbit.core;
import :device;
import :dtype;
import :generator;
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
struct schema_type<"Generator"> {
  using value = generator;
  using argument = const generator&;
};

template <>
struct author::schema_word<tensor> {
  static constexpr std::string_view value = "Tensor";
};
template <>
struct author::schema_word<scalar> {
  static constexpr std::string_view value = "Scalar";
};
template <>
struct author::schema_word<dtype> {
  static constexpr std::string_view value = "ScalarType";
};
template <>
struct author::schema_word<device> {
  static constexpr std::string_view value = "Device";
};
template <>
struct author::schema_word<layout> {
  static constexpr std::string_view value = "Layout";
};
template <>
struct author::schema_word<memory_format> {
  static constexpr std::string_view value = "MemoryFormat";
};
template <>
struct author::schema_word<generator> {
  static constexpr std::string_view value = "Generator";
};

/// As text: `float32`, also `float`, `double`, `long`.
template <>
struct boxed_type<dtype> {
  static dtype read(author::text_reader& in);
  static void write(std::string& out, dtype x);
};
/// As text: `cuda:0`.
template <>
struct boxed_type<device> {
  static device read(author::text_reader& in);
  static void write(std::string& out, device x);
};
/// As text: `strided`.
template <>
struct boxed_type<layout> {
  static layout read(author::text_reader& in);
  static void write(std::string& out, layout x);
};
/// As text: `contiguous_format`.
template <>
struct boxed_type<memory_format> {
  static memory_format read(author::text_reader& in);
  static void write(std::string& out, memory_format x);
};
/// As text: `True`, `2`, `2.0`.
template <>
struct boxed_type<scalar> {
  static scalar read(author::text_reader& in);
  static void write(std::string& out, const scalar& x);
};

template <>
struct author::schema_default<scalar> {
  static constexpr bool accepts(std::string_view text) {
    return author::schema_default<bool>::accepts(text) || author::schema_default<double>::accepts(text);
  }
  static constexpr scalar from(std::string_view text) {
    if (author::schema_default<bool>::accepts(text)) return scalar(author::schema_default<bool>::from(text));
    if (author::schema_default<std::int64_t>::accepts(text))
      return scalar(author::schema_default<std::int64_t>::from(text));
    return scalar(author::schema_default<double>::from(text));
  }
};
template <>
struct author::schema_default<dtype> {
  static constexpr bool accepts(std::string_view text) { return dtype_named(text).has_value(); }
  static constexpr dtype from(std::string_view text) { return *dtype_named(text); }
};
template <>
struct author::schema_default<device> {
  static constexpr bool accepts(std::string_view text) {
    return author::device_text(within(text)).type() != backend::none;
  }
  static constexpr device from(std::string_view text) {
    const author::device_text named(within(text));
    return {named.type(), static_cast<std::int8_t>(named.index)};
  }

 private:
  static constexpr std::string_view within(std::string_view quotes) { return quotes.substr(1, quotes.size() - 2); }
};
template <>
struct author::schema_default<layout> {
  static constexpr bool accepts(std::string_view text) {
    return std::ranges::any_of(all_layouts, [&](layout l) { return name_of(l) == text; });
  }
  static constexpr layout from(std::string_view text) {
    return *std::ranges::find_if(all_layouts, [&](layout l) { return name_of(l) == text; });
  }
};
template <>
struct author::schema_default<memory_format> {
  static constexpr bool accepts(std::string_view text) {
    return text == "contiguous_format" || text == "preserve_format";
  }
  static constexpr memory_format from(std::string_view text) {
    return text == "preserve_format" ? memory_format::preserve : memory_format::contiguous;
  }
};

}  // namespace topbit
