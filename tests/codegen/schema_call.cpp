// A call that leaves things to the schema is the full call: the same object code.
#include <cstdint>
#include <optional>
#include <string_view>
import topbit.core;

struct tensor_record {
  topbit::key_set keys;
};
struct tensor {
  const tensor_record* record;
};
inline topbit::key_set keys_of(const tensor& t) noexcept { return t.record->keys; }
template <>
struct topbit::schema_type<"Tensor"> {
  using value = tensor;
  using argument = const tensor&;
};

inline constexpr topbit::op<
    "codegen::scale(Tensor self, int by=2, float shift=-0.5, *, bool twice=False, int? limit=None) -> int">
    scale;

inline constexpr topbit::op<"codegen::scale.shape(Tensor self, int[] shape, *, bool twice=False) -> int"> scale_shape;
inline constexpr topbit::overloads<scale, scale_shape> either;

extern "C" std::int64_t in_full(const tensor& t) { return scale(t, 2, -0.5, true, std::nullopt); }
extern "C" std::int64_t by_schema(const tensor& t) { return scale(t, topbit::arg<"twice"> = true); }
extern "C" std::int64_t in_full_given(const tensor& t, std::int64_t by) {
  return scale(t, by, -0.5, false, std::optional<std::int64_t>(by));
}
extern "C" std::int64_t by_name_in_any_order(const tensor& t, std::int64_t by) {
  return scale(topbit::arg<"limit"> = by, topbit::arg<"self"> = t, topbit::arg<"by"> = by);
}

// Nor does a function that stands for several operators, or a list in braces.
extern "C" std::int64_t by_handle(const tensor& t, std::int64_t by) { return scale(t, by); }
extern "C" std::int64_t by_function(const tensor& t, std::int64_t by) { return either(t, by); }
extern "C" std::int64_t by_handle_with_list(const tensor& t, std::int64_t n) {
  const std::int64_t shape[] = {n, 3};
  return scale_shape(t, shape, true);
}
extern "C" std::int64_t by_function_with_braces(const tensor& t, std::int64_t n) {
  return either(t, {n, 3}, topbit::arg<"twice"> = true);
}
