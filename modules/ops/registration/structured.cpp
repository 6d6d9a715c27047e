module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.composite;

namespace topbit::detail {

tensor make_result(const result_meta& m) {
  const tensor dense = author::make_tensor(m.sizes, m.type, m.where);
  return m.strides.empty() ? dense : author::make_view(dense, m.sizes, m.strides, 0);
}

void check_result(std::string_view op, const result_meta& m, const tensor& out) {
  const backend_call c{nullptr, op};
  check_defined(c, out);
  if (out.sizes() != m.sizes) {
    refuse<shape_error>(
        c, "the result has sizes " + to_string(m.sizes) + ", the tensor to write " + to_string(out.sizes()));
  }
  if (!can_cast(m.type, out.dtype())) {
    refuse<dtype_error>(c, "the result is " + std::string(name_of(m.type)) + " and cannot be written to " +
                               std::string(name_of(out.dtype())));
  }
  check_written(c, out);
}

void check_result_device(std::string_view op, const result_meta& m, const tensor& out) {
  if (out.device() == m.where) return;
  refuse<device_error>({nullptr, op}, "the result is on " + to_string(m.where) + " and cannot be written to " +
                                          to_string(out.device()) + "; move it with to()");
}

void copy_result(const tensor& out, const tensor& result) {
  tensor to = out;
  aten::copy_.redispatch(key_of(out.device().type), to, result, false);
}

void check_result(std::string_view op, const tensor& result, const tensor& out) {
  check_result(op, result_meta{result.sizes(), result.dtype(), result.device(), {}}, out);
}

tensor& write_result(std::string_view op, const tensor& result, tensor& out) {
  check_result(op, result, out);
  copy_result(out, result);
  return out;
}

bool rounds_between(dtype result, dtype out) noexcept {
  if (is_integer(result)) return !(is_integer(out) && size_of(out) <= size_of(result)) && result != dtype::int64;
  return result == dtype::float16 || result == dtype::bfloat16;
}

void check_apart(std::string_view op, std::span<tensor* const> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (!out[i]->same_as(*out[k]) && !author::share_memory(*out[i], *out[k])) continue;
      refuse<shape_error>({nullptr, op}, "two results would be written to the same memory, " + describe(*out[k]) +
                                             " and " + describe(*out[i]) + "; clone() one first");
    }
  }
}

void alias_check::look(const tensor& in) noexcept {
  const bool may_be_it = can_.in_place && (first_ || !can_.first_only);
  first_ = false;
  if (&in == &out_ || in.same_as(out_)) {
    found_ = found_ || !may_be_it;
  } else if (author::share_memory(out_, in)) {
    found_ = found_ || !may_be_it || !author::same_view(out_, in);
  }
}

}  // namespace topbit::detail
