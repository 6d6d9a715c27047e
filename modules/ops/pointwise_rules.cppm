// Elementwise operators whose operation, numbers or dtype depend on more than their operands.
export module topbit.ops:pointwise_rules;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :backend_call;
import :pointwise;
import :pointwise_code;
import :structured;

namespace topbit::detail {

using rounding = std::optional<std::string_view>;

struct div_mode_rule {
  static constexpr auto needs = all_of(pointwise::div, pointwise::div_floor, pointwise::div_trunc);
  static pointwise code_of(std::string_view op, const rounding& mode);
  static result_meta meta(std::string_view op, const tensor& a, const tensor& b, const rounding& mode);
  static void run(backend_call c, const tensor& a, const tensor& b, const rounding& mode, const tensor& out);
};

struct gelu_rule {
  static constexpr auto needs = all_of(pointwise::gelu, pointwise::gelu_tanh);
  static pointwise code_of(std::string_view op, std::string_view approximate);
  static result_meta meta(std::string_view op, const tensor& self, std::string_view approximate);
  static void run(backend_call c, const tensor& self, std::string_view approximate, const tensor& out);
};

// Bounds promote as numbers do.
struct clamp_rule {
  static constexpr auto needs = all_of(pointwise::clamp);
  using bound = std::optional<scalar>;
  static dtype type_of(std::string_view op, const tensor& self, const bound& min, const bound& max);
  static result_meta meta(std::string_view op, const tensor& self, const bound& min, const bound& max);
  static void run(backend_call c, const tensor& self, const bound& min, const bound& max, const tensor& out);
};

struct nan_to_num_rule {
  static constexpr auto needs = all_of(pointwise::nan_to_num);
  using number = std::optional<double>;
  static result_meta meta(std::string_view op, const tensor& self, const number& nan, const number& high,
                          const number& low);
  static void run(backend_call c, const tensor& self, const number& nan, const number& high, const number& low,
                  const tensor& out);
};

struct logit_rule {
  static constexpr auto needs = all_of(pointwise::logit);
  static result_meta meta(std::string_view op, const tensor& self, const std::optional<double>& eps);
  static void run(backend_call c, const tensor& self, const std::optional<double>& eps, const tensor& out);
};

// The bit width is that of the promoted type.
template <pointwise Code>
struct shift_rule {
  static constexpr auto needs = all_of(Code);
  static result_meta meta(std::string_view op, const tensor& a, const tensor& b) {
    return pointwise_meta(op, Code, collect(a, b));
  }
  static void run(backend_call c, const tensor& a, const tensor& b, const tensor& out) {
    const dtype type = pointwise_type(c.op, Code, collect(a, b));
    run_pointwise_in(c, Code, type, collect(a, b, static_cast<std::int64_t>(8 * size_of(type))), out);
  }
};

// The condition is bool, or uint8 for compatibility.
struct where_rule {
  static constexpr auto needs = all_of(pointwise::where);
  static result_meta meta(std::string_view op, const tensor& condition, const tensor& a, const tensor& b);
  static void run(backend_call c, const tensor& condition, const tensor& a, const tensor& b, const tensor& out);
};

// Operands must have one dtype.
void check_same_type(std::string_view op, const pointwise_arguments& a);

template <pointwise Code>
struct same_type_rule {
  static constexpr auto needs = all_of(Code);
  template <class... A>
  static result_meta meta(std::string_view op, const A&... a) {
    check_same_type(op, collect(a...));
    return pointwise_meta(op, Code, collect(a...));
  }
  template <class... A>
  static void run(backend_call c, const A&... a_and_out) {
    pointwise_rule<Code>::run(c, a_and_out...);
  }
};

}  // namespace topbit::detail
