// Fronts of the kernels of the classifier's loss, which see dense blocks.
module;

#include "kernel_abi.h"

module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::detail {

namespace {

tb_rows rows_of(const tensor& out, const tensor& in, const void* aux, const dims& sizes, dtype type) {
  const std::int64_t cols = sizes.empty() ? 1 : sizes[sizes.size() - 1];
  tb_rows r{};
  r.out = out.data();
  r.in = in.data();
  r.aux = aux;
  r.cols = cols;
  r.rows = 1;
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) r.rows *= sizes[i];
  r.dtype = static_cast<int>(type);
  return r;
}

void check_rows(backend_call c, const tensor& t, std::int64_t dim) {
  if (!is_floating(t.dtype())) {
    refuse<dtype_error>(c, "found " + std::string(name_of(t.dtype())) + ", wanted float32 or float64");
  }
  if (dim_of(c, dim, t) + 1 != std::max<std::size_t>(t.dim(), 1)) {
    refuse<shape_error>(c, "found dimension " + std::to_string(dim) + ", wanted the last of " + to_string(t.sizes()));
  }
}

void check_labels(backend_call c, const tensor& self, const tensor& target) {
  check_defined(c, self);
  check_defined(c, target);
  if (!is_floating(self.dtype()) || target.dtype() != dtype::int64) {
    refuse<dtype_error>(c, "found " + describe(self) + " and labels of " + std::string(name_of(target.dtype())) +
                               ", wanted floating log-probabilities and int64 labels");
  }
  if (self.dim() != 2 || target.dim() != 1 || self.sizes()[0] != target.sizes()[0]) {
    refuse<shape_error>(c, "found " + to_string(self.sizes()) + " and labels " + to_string(target.sizes()) +
                               ", wanted [n, classes] and [n]");
  }
}

}  // namespace

tensor log_softmax(backend_call c, const tensor& self, std::int64_t dim) {
  check_rows(c, self, dim);
  tensor out = author::make_tensor(self.sizes(), self.dtype(), self.device());
  if (c.table == nullptr || out.numel() == 0) return out;
  check_storage(c, self);
  const tensor in = dense(c, self);
  const tb_rows r = rows_of(out, in, nullptr, self.sizes(), self.dtype());
  check_status(c, c.table->log_softmax(&r, nullptr), self);
  return out;
}

tensor log_softmax_backward(backend_call c, const tensor& grad, const tensor& output, std::int64_t dim) {
  check_rows(c, output, dim);
  check_defined(c, grad);
  check_defined(c, output);
  if (grad.sizes() != output.sizes() || grad.dtype() != output.dtype()) {
    refuse<shape_error>(c, "found a gradient " + describe(grad) + " for a result " + describe(output));
  }
  tensor out = author::make_tensor(output.sizes(), output.dtype(), output.device());
  if (c.table == nullptr || out.numel() == 0) return out;
  check_storage(c, grad);
  check_storage(c, output);
  const tensor g = dense(c, grad), y = dense(c, output);
  const tb_rows r = rows_of(out, g, y.data(), output.sizes(), output.dtype());
  check_status(c, c.table->log_softmax_backward(&r, nullptr), output);
  return out;
}

tensor nll_loss(backend_call c, const tensor& self, const tensor& target) {
  check_labels(c, self, target);
  tensor out = author::make_tensor({}, self.dtype(), self.device());
  if (c.table == nullptr) return out;
  check_storage(c, self);
  check_storage(c, target);
  const tensor in = dense(c, self), labels = dense(c, target);
  const tb_rows r = rows_of(out, in, labels.data(), self.sizes(), self.dtype());
  check_status(c, c.table->nll_loss(&r, nullptr), self);
  return out;
}

tensor nll_loss_backward(backend_call c, const tensor& grad, const tensor& self, const tensor& target) {
  check_labels(c, self, target);
  check_defined(c, grad);
  check_defined(c, self);
  if (grad.numel() != 1 || grad.dtype() != self.dtype()) {
    refuse<shape_error>(
        c, "found a gradient " + describe(grad) + ", wanted one element of " + std::string(name_of(self.dtype())));
  }
  tensor out = author::make_tensor(self.sizes(), self.dtype(), self.device());
  if (c.table == nullptr || out.numel() == 0) return out;
  check_storage(c, grad);
  check_storage(c, target);
  const tensor labels = dense(c, target);
  const tb_rows r = rows_of(out, grad, labels.data(), self.sizes(), self.dtype());
  check_status(c, c.table->nll_loss_backward(&r, nullptr), self);
  return out;
}

}  // namespace topbit::detail
