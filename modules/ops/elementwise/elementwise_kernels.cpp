module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :elementwise.elementwise_kernels;
import :registration.composite;

namespace topbit::detail {

elementwise div_mode_kernel::code_of(std::string_view op, const rounding& mode) {
  if (!mode.has_value()) return elementwise::div;
  if (*mode == "floor") return elementwise::div_floor;
  if (*mode == "trunc") return elementwise::div_trunc;
  refuse<error>({nullptr, op}, "found rounding_mode '" + std::string(*mode) + "', wanted None, 'trunc' or 'floor'");
}
result_meta div_mode_kernel::meta(std::string_view op, const tensor& a, const tensor& b, const rounding& mode) {
  return elementwise_meta(op, code_of(op, mode), collect(a, b));
}
void div_mode_kernel::run(backend_call c, const tensor& a, const tensor& b, const rounding& mode, const tensor& out) {
  run_elementwise(c, code_of(c.op, mode), collect(a, b), out);
}

elementwise gelu_kernel::code_of(std::string_view op, std::string_view approximate) {
  if (approximate == "none") return elementwise::gelu;
  if (approximate == "tanh") return elementwise::gelu_tanh;
  refuse<error>({nullptr, op}, "found approximate '" + std::string(approximate) + "', wanted 'none' or 'tanh'");
}
result_meta gelu_kernel::meta(std::string_view op, const tensor& self, std::string_view approximate) {
  return elementwise_meta(op, code_of(op, approximate), collect(self));
}
void gelu_kernel::run(backend_call c, const tensor& self, std::string_view approximate, const tensor& out) {
  run_elementwise(c, code_of(c.op, approximate), collect(self), out);
}

namespace {

// For an integer dtype, some representable value must be within the bounds.
void check_bounds(backend_call c, dtype type, const clamp_kernel::bound& min, const clamp_kernel::bound& max) {
  if (!is_integer(type)) return;
  with_element_type(type, [&]<class T>(T) {
    if constexpr (std::is_integral_v<T>) {
      constexpr std::int64_t least = std::numeric_limits<T>::min(), greatest = std::numeric_limits<T>::max();
      const std::string of = " for " + std::string(name_of(type));
      if (min && min->to_int64() > greatest) {
        refuse<error>(c, "found min " + to_string(*min) + of + ", wanted at most " + std::to_string(greatest));
      }
      if (max && max->to_int64() < least) {
        refuse<error>(c, "found max " + to_string(*max) + of + ", wanted at least " + std::to_string(least));
      }
    }
  });
}

}  // namespace

dtype clamp_kernel::type_of(std::string_view op, const tensor& self, const bound& min, const bound& max) {
  const backend_call c{nullptr, op};
  if (!min && !max) refuse<error>(c, "found no bound, wanted min, max or both");
  check_defined(c, self);
  dtype type = self.dtype();
  for (const bound& b : {min, max}) {
    if (b && is_floating(b->type()) && !is_floating(type)) type = dtype::float32;
    if (b && is_integer(b->type()) && type == dtype::boolean) type = dtype::int64;
  }
  if (type == dtype::boolean) type = elementwise_type(op, elementwise::clamp, collect(self));
  check_bounds(c, type, min, max);
  return type;
}
result_meta clamp_kernel::meta(std::string_view op, const tensor& self, const bound& min, const bound& max) {
  return broadcast_meta(op, collect(self), type_of(op, self, min, max));
}
void clamp_kernel::run(backend_call c, const tensor& self, const bound& min, const bound& max, const tensor& out) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  using limits = std::numeric_limits<std::int64_t>;
  const dtype type = type_of(c.op, self, min, max);
  const bool floating = is_floating(type);
  const scalar low = min.value_or(floating ? scalar(-infinity) : scalar(limits::min()));
  const scalar high = max.value_or(floating ? scalar(infinity) : scalar(limits::max()));
  run_elementwise_in(c, elementwise::clamp, type, collect(self, low, high), out);
}

result_meta nan_to_num_kernel::meta(std::string_view op, const tensor& self, const number&, const number&,
                                    const number&) {
  check_defined({nullptr, op}, self);
  return broadcast_meta(op, collect(self), self.dtype());
}
void nan_to_num_kernel::run(backend_call c, const tensor& self, const number& nan, const number& high,
                            const number& low, const tensor& out) {
  const dtype type = self.dtype();
  if (!is_floating(type)) return copy_result(out, self);
  const double greatest = greatest_of(type);
  run_elementwise_in(c, elementwise::nan_to_num, type,
                     collect(self, nan.value_or(0), high.value_or(greatest), low.value_or(-greatest)), out);
}

result_meta logit_kernel::meta(std::string_view op, const tensor& self, const std::optional<double>&) {
  return elementwise_meta(op, elementwise::logit, collect(self));
}
void logit_kernel::run(backend_call c, const tensor& self, const std::optional<double>& eps, const tensor& out) {
  run_elementwise(c, elementwise::logit, collect(self, eps.value_or(-1)), out);
}

result_meta where_kernel::meta(std::string_view op, const tensor& condition, const tensor& a, const tensor& b) {
  check_defined({nullptr, op}, condition);
  if (condition.dtype() != dtype::boolean && condition.dtype() != dtype::uint8) {
    refuse<dtype_error>({nullptr, op},
                        "found a condition of " + std::string(name_of(condition.dtype())) + ", wanted bool or uint8");
  }
  return elementwise_meta(op, elementwise::where, collect(condition, a, b));
}
void where_kernel::run(backend_call c, const tensor& condition, const tensor& a, const tensor& b, const tensor& out) {
  run_elementwise(c, elementwise::where, collect(condition, a, b), out);
}

bool have_same_type(const elementwise_arguments& a) noexcept {
  return std::ranges::all_of(a.operands(), [&](const tensor* t) { return t->dtype() == a.in[0]->dtype(); });
}

void check_same_type(std::string_view op, const elementwise_arguments& a) {
  const backend_call c{nullptr, op};
  for (const tensor* t : a.operands()) {
    check_defined(c, *t);
    if (t->dtype() == a.in[0]->dtype()) continue;
    refuse<dtype_error>(c, "found " + std::string(name_of(a.in[0]->dtype())) + " and " +
                               std::string(name_of(t->dtype())) + ", wanted one dtype; convert one with to()");
  }
}

}  // namespace topbit::detail
