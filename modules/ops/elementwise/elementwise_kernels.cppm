// Elementwise operators whose operation, numbers or dtype depend on more than their operands.
module topbit.ops:elementwise.elementwise_kernels;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.backend_call;
import :elementwise.elementwise;
import :elementwise.operation;
import :registration.structured;

namespace topbit::detail {

using rounding = std::optional<std::string_view>;

struct div_mode_kernel {
  static constexpr auto needs = all_of(elementwise::div, elementwise::div_floor, elementwise::div_trunc);
  static elementwise code_of(std::string_view op, const rounding& mode);
  static result_meta meta(std::string_view op, const tensor& a, const tensor& b, const rounding& mode);
  static void run(backend_call c, const tensor& a, const tensor& b, const rounding& mode, const tensor& out);
};

struct gelu_kernel {
  static constexpr auto needs = all_of(elementwise::gelu, elementwise::gelu_tanh);
  static elementwise code_of(std::string_view op, std::string_view approximate);
  static result_meta meta(std::string_view op, const tensor& self, std::string_view approximate);
  static void run(backend_call c, const tensor& self, std::string_view approximate, const tensor& out);
};

// Bounds promote as numbers do.
struct clamp_kernel {
  static constexpr auto needs = all_of(elementwise::clamp);
  using bound = std::optional<scalar>;
  static dtype type_of(std::string_view op, const tensor& self, const bound& min, const bound& max);
  static result_meta meta(std::string_view op, const tensor& self, const bound& min, const bound& max);
  static void run(backend_call c, const tensor& self, const bound& min, const bound& max, const tensor& out);
};

struct nan_to_num_kernel {
  static constexpr auto needs = all_of(elementwise::nan_to_num);
  using number = std::optional<double>;
  static result_meta meta(std::string_view op, const tensor& self, const number& nan, const number& high,
                          const number& low);
  static void run(backend_call c, const tensor& self, const number& nan, const number& high, const number& low,
                  const tensor& out);
};

struct logit_kernel {
  static constexpr auto needs = all_of(elementwise::logit);
  static result_meta meta(std::string_view op, const tensor& self, const std::optional<double>& eps);
  static void run(backend_call c, const tensor& self, const std::optional<double>& eps, const tensor& out);
};

// The bit width is that of the promoted type.
template <elementwise Code>
struct shift_kernel {
  static constexpr auto needs = all_of(Code);
  static result_meta meta(std::string_view op, const tensor& a, const tensor& b) {
    return elementwise_meta(op, Code, collect(a, b));
  }
  static void run(backend_call c, const tensor& a, const tensor& b, const tensor& out) {
    const dtype type = elementwise_type(c.op, Code, collect(a, b));
    run_elementwise_in(c, Code, type, collect(a, b, static_cast<std::int64_t>(8 * size_of(type))), out);
  }
};

// The condition is bool, or uint8 for compatibility.
struct where_kernel {
  static constexpr auto needs = all_of(elementwise::where);
  static result_meta meta(std::string_view op, const tensor& condition, const tensor& a, const tensor& b);
  static void run(backend_call c, const tensor& condition, const tensor& a, const tensor& b, const tensor& out);
};

// Operands must have one dtype.
bool have_same_type(const elementwise_arguments& a) noexcept;
void check_same_type(std::string_view op, const elementwise_arguments& a);

template <elementwise Code>
struct same_type_kernel : elementwise_kernel<Code> {
  template <class... A>
  static result_meta meta(std::string_view op, const A&... a) {
    check_same_type(op, collect(a...));
    return elementwise_meta(op, Code, collect(a...));
  }
  // A zero-dimensional operand of another dtype would be converted there, and is an error here.
  template <bool Makes, class... A>
  static bool fast_path(backend_call c, tensor& out, const A&... a) {
    return have_same_type(collect(a...)) && elementwise_kernel<Code>::template fast_path<Makes>(c, out, a...);
  }
};

}  // namespace topbit::detail
