// Fronts of the kernels that see dense blocks: reductions, the classifier's loss.
module;

#include "kernel_abi.h"

module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::detail {

namespace {

// One dimension of a dense tensor, seen as [outer][length][inner].
tb_reduce reduction_of(const tensor& out, const tensor& in, std::size_t dim) {
  tb_reduce r{};
  r.out = out.data();
  r.in = in.data();
  r.outer = r.inner = 1;
  for (std::size_t i = 0; i < dim; ++i) r.outer *= in.sizes()[i];
  r.length = in.sizes()[dim];
  for (std::size_t i = dim + 1; i < in.dim(); ++i) r.inner *= in.sizes()[i];
  r.dtype = static_cast<int>(in.dtype());
  return r;
}

tensor flat(const tensor& dense_tensor) {
  return author::make_view(dense_tensor, {dense_tensor.numel()}, {1}, dense_tensor.record().offset);
}

tensor sum_one(backend_call c, const tensor& self, std::size_t dim) {
  dims sizes = self.sizes();
  sizes.erase(dim);
  tensor out = author::make_tensor(sizes, self.dtype(), self.device());
  if (c.table == nullptr || out.numel() == 0) return out;
  if (self.numel() == 0) return fill(c, out, 0);  // there is no address to sum from
  const tensor in = dense(c, self);
  const tb_reduce r = reduction_of(out, in, dim);
  check_status(c, c.table->sum(&r, nullptr), self);
  return out;
}

}  // namespace

tensor sum(backend_call c, const tensor& self, optional_sizes dim, bool keepdim, std::optional<dtype> type) {
  dims kept = self.sizes();
  std::array<bool, max_dims> summed{};
  if (dim.has_value() && !dim->empty()) {
    for (std::int64_t d : *dim) {
      const std::size_t i = dim_of(c, d, self);
      if (summed[i]) refuse<shape_error>(c, "dimension " + std::to_string(i) + " is given twice");
      summed[i] = true;
    }
  } else {
    summed.fill(true);
  }
  const dtype wanted = type.value_or(is_floating(self.dtype()) ? self.dtype() : dtype::int64);
  if (wanted == dtype::boolean) refuse<dtype_error>(c, "found dtype bool, wanted a number");
  if (c.table != nullptr) check_storage(c, self);
  tensor out =
      c.table == nullptr ? author::make_tensor(self.sizes(), wanted, self.device()) : in_dtype(c, self, wanted);
  const bool all =
      std::all_of(summed.begin(), summed.begin() + static_cast<std::ptrdiff_t>(self.dim()), [](bool s) { return s; });
  if (all) {
    out = sum_one(c, flat(dense(c, out)), 0);
  } else {
    for (std::size_t i = self.dim(); i-- > 0;) {
      if (summed[i]) out = sum_one(c, out, i);
    }
  }
  if (!keepdim) return out;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (summed[i]) kept[i] = 1;
  }
  return author::make_view(out, kept, dense_strides(kept), out.record().offset);
}

tensor argmax(backend_call c, const tensor& self, std::optional<std::int64_t> dim, bool keepdim) {
  const std::size_t d = dim.has_value() ? dim_of(c, *dim, self) : 0;
  if (c.table != nullptr) check_storage(c, self);
  const tensor in = dim.has_value() && self.dim() != 0 ? dense(c, self) : flat(dense(c, self));
  if (in.sizes()[d] == 0) refuse<shape_error>(c, "the dimension is empty, and has no greatest element");
  dims sizes = in.sizes();
  sizes.erase(d);
  tensor out = author::make_tensor(sizes, dtype::int64, self.device());
  if (c.table != nullptr && out.numel() != 0) {
    const tb_reduce r = reduction_of(out, in, d);
    check_status(c, c.table->argmax(&r, nullptr), self);
  }
  if (!keepdim) return out;
  dims kept = self.sizes();
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!dim.has_value() || i == d) kept[i] = 1;
  }
  return author::make_view(out, kept, dense_strides(kept), 0);
}

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
