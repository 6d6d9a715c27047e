module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::detail {

tensor make_result(const result_meta& m) {
  if (m.strides.empty()) return author::make_tensor(m.sizes, m.type, m.where);
  return author::make_view(author::make_tensor(m.sizes, m.type, m.where), m.sizes, m.strides, 0);
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

void copy_result(const tensor& out, const tensor& result) {
  tensor to = out;
  ops::copy_.redispatch(key_of(out.device().type), to, result, false);
}

void alias_check::look(const tensor& in) noexcept {
  if (&in == &out_ || in.same_as(out_)) {
    found_ = found_ || !in_place_;
  } else if (author::share_memory(out_, in)) {
    found_ = found_ || !in_place_ || !author::same_view(out_, in);
  }
}

}  // namespace topbit::detail
