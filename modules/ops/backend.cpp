// The seam: tensors become plain structs, status codes become errors. Every function is shape rule, result, kernel; without
// a kernel table the last step is left out, which makes it the meta kernel.
module;

#include "kernel_abi.h"

module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::detail {

static_assert(static_cast<int>(dtype::boolean) == TB_BOOL && static_cast<int>(dtype::int64) == TB_I64);
static_assert(static_cast<int>(dtype::float32) == TB_F32 && static_cast<int>(dtype::float64) == TB_F64);
static_assert(max_dims == TB_MAX_DIMS && author::max_operands == TB_MAX_OPERANDS);
static_assert(static_cast<int>(unary_code::relu) == TB_RELU);
static_assert(static_cast<int>(binary_code::relu_backward) == TB_RELU_BACKWARD);
static_assert(static_cast<int>(compare_code::ge) == TB_GE);

namespace {

template <class Error>
[[noreturn]] void refuse(backend_call c, const std::string& why) {
  throw Error(std::string(c.op) + ": " + why, std::string(c.op));
}

std::string describe(const tensor& t) { return std::string(name_of(t.dtype())) + " " + to_string(t.sizes()); }

void check(backend_call c, tb_status status, const tensor& t) {
  switch (status) {
    case TB_OK: return;
    case TB_UNSUPPORTED_DTYPE:
      refuse<dtype_error>(c, "no kernel of " + std::string(c.table->name) + " takes " + std::string(name_of(t.dtype())));
    case TB_BAD_INDEX: refuse<shape_error>(c, "an index is out of range for " + describe(t));
    case TB_OUT_OF_MEMORY: throw std::bad_alloc();
    case TB_DEVICE_ERROR:
    case TB_NO_DEVICE:
    case TB_NOT_BUILT: break;
  }
  refuse<device_error>(c, std::string(c.table->name) + ": " +
                              (c.table->last_error != nullptr ? c.table->last_error()
                                                              : "failed with status " + std::to_string(status)));
}

tb_scalar to_abi(const scalar& s) { return {s.to_double(), s.to_int64()}; }
int to_abi(dtype t) { return static_cast<int>(t); }

tb_plan plan_of(std::initializer_list<const tensor*> operands) {
  const author::iteration_plan p = author::make_plan(operands);
  tb_plan out{};
  out.ndim = static_cast<std::int32_t>(p.ndim);
  out.operands = static_cast<std::int32_t>(p.operands);
  std::copy(p.sizes.begin(), p.sizes.end(), out.sizes);
  for (std::size_t k = 0; k < p.operands; ++k) {
    out.operand[k].data = p.operand[k].data;
    out.operand[k].dtype = to_abi(p.operand[k].type);
    std::copy(p.operand[k].strides.begin(), p.operand[k].strides.end(), out.operand[k].strides);
  }
  return out;
}

void check_defined(backend_call c, const tensor& t) {
  if (!t.defined()) refuse<error>(c, "found an undefined tensor");
}

void same_device(backend_call c, const tensor& a, const tensor& b) {
  check_defined(c, a);
  check_defined(c, b);
  if (a.device() == b.device()) return;
  refuse<device_error>(c, "found tensors on " + to_string(a.device()) + " and " + to_string(b.device()) +
                              ", wanted one device; move one with to()");
}

// A tensor without dimensions raises the dtype of another only into another category, as a number would.
dtype promoted(const tensor& a, const tensor& b) {
  if ((a.dim() == 0) == (b.dim() == 0)) return promote(a.dtype(), b.dtype());
  const dtype shaped = a.dim() == 0 ? b.dtype() : a.dtype();
  const dtype number = a.dim() == 0 ? a.dtype() : b.dtype();
  return is_floating(shaped) ? shaped : promote(shaped, number);
}

tensor dense_copy(backend_call c, const tensor& t, dtype type) {
  tensor fresh = author::make_tensor(t.sizes(), type, t.device());
  return copy(c, fresh, t);
}
tensor in_dtype(backend_call c, const tensor& t, dtype type) { return t.dtype() == type ? t : dense_copy(c, t, type); }
tensor dense(backend_call c, const tensor& t) { return t.is_contiguous() ? t : dense_copy(c, t, t.dtype()); }

void check_options(std::string_view op, std::optional<layout> how, std::optional<bool> pinned) {
  if (how.value_or(layout::strided) != layout::strided) {
    refuse<error>({nullptr, op}, "found a sparse layout, wanted strided");
  }
  if (pinned.value_or(false)) refuse<error>({nullptr, op}, "pin_memory is not supported, wanted False");
}

// An in-place or out operand must have a place of its own for each element.
void check_written(backend_call c, const tensor& out) {
  for (std::size_t i = 0; i < out.dim(); ++i) {
    if (out.sizes()[i] > 1 && out.strides()[i] == 0) {
      refuse<shape_error>(c, "writes to a tensor whose elements share memory (expanded); clone() it first");
    }
  }
}

// True if writing `out` element by element could overwrite elements of `in` that are still to be read.
bool overlaps_partly(const tensor& out, const tensor& in) {
  if (out.record().data.get() != in.record().data.get() || !out.record().data) return false;
  const bool same_view = out.record().offset == in.record().offset && out.sizes() == in.sizes() &&
                         out.strides() == in.strides() && out.dtype() == in.dtype();
  return !same_view;
}

// What is read while `out` is written: the tensor itself, in the dtype of the computation, or a copy if they overlap.
tensor readable(backend_call c, const tensor& out, const tensor& in, dtype type) {
  if (c.table == nullptr) return in;
  const tensor converted = in_dtype(c, in, type);
  return overlaps_partly(out, converted) ? dense_copy(c, converted, type) : converted;
}

struct binary_rule {
  dims sizes;
  dtype type;
};

binary_rule rule_of(backend_call c, binary_code code, const tensor& a, const tensor& b, const scalar& alpha) {
  same_device(c, a, b);
  dtype type = promoted(a, b);
  if (code == binary_code::div) type = to_floating(type);
  if (code == binary_code::sub && type == dtype::boolean) {
    refuse<dtype_error>(c, "found two bool tensors, wanted numbers; for bool, ne() is the difference");
  }
  if (code == binary_code::relu_backward && type == dtype::boolean) refuse<dtype_error>(c, "found bool, wanted a number");
  if (type == dtype::boolean && alpha.to_int64() != 1) {
    refuse<dtype_error>(c, "found alpha " + to_string(alpha) + " for bool tensors, wanted 1");
  }
  if (is_floating(alpha.type()) && !is_floating(type)) {
    refuse<dtype_error>(c, "found alpha " + to_string(alpha) + " for " + std::string(name_of(type)) +
                               " tensors, wanted an integer");
  }
  return {broadcast(c.op, a.sizes(), b.sizes()), type};
}

void run_binary(backend_call c, binary_code code, const tensor& out, const tensor& a, const tensor& b,
                const scalar& alpha) {
  if (c.table == nullptr || out.numel() == 0) return;
  const tb_plan plan = plan_of({&out, &a, &b});
  check(c, c.table->binary(static_cast<tb_binary_op>(code), &plan, to_abi(alpha), nullptr), out);
}

}  // namespace

tensor unary(backend_call c, unary_code code, const tensor& self) {
  const bool transcendental = code == unary_code::exp || code == unary_code::log;
  const dtype type = transcendental ? to_floating(self.dtype()) : self.dtype();
  if (type == dtype::boolean) refuse<dtype_error>(c, "found bool, wanted a number");
  tensor out = author::make_tensor(self.sizes(), type, self.device());
  if (c.table == nullptr || out.numel() == 0) return out;
  const tensor in = in_dtype(c, self, type);
  const tb_plan plan = plan_of({&out, &in});
  check(c, c.table->unary(static_cast<tb_unary_op>(code), &plan, nullptr), self);
  return out;
}

tensor binary(backend_call c, binary_code code, const tensor& a, const tensor& b, const scalar& alpha) {
  const binary_rule rule = rule_of(c, code, a, b, alpha);
  tensor out = author::make_tensor(rule.sizes, rule.type, a.device());
  if (c.table != nullptr) run_binary(c, code, out, in_dtype(c, a, rule.type), in_dtype(c, b, rule.type), alpha);
  return out;
}

tensor& binary_out(backend_call c, binary_code code, const tensor& a, const tensor& b, const scalar& alpha,
                   tensor& out) {
  const binary_rule rule = rule_of(c, code, a, b, alpha);
  same_device(c, a, out);
  if (out.sizes() != rule.sizes) {
    refuse<shape_error>(c, "the result has sizes " + to_string(rule.sizes) + ", the tensor to write " + to_string(out.sizes()));
  }
  const auto category = [](dtype t) { return is_floating(t) ? 2 : t == dtype::int64 ? 1 : 0; };
  if (category(rule.type) > category(out.dtype())) {
    refuse<dtype_error>(c, "the result is " + std::string(name_of(rule.type)) + " and cannot be written to " +
                               std::string(name_of(out.dtype())));
  }
  check_written(c, out);
  const tensor x = readable(c, out, a, rule.type), y = readable(c, out, b, rule.type);
  if (out.dtype() == rule.type) {
    run_binary(c, code, out, x, y, alpha);
    return out;
  }
  const tensor wide = author::make_tensor(rule.sizes, rule.type, out.device());
  run_binary(c, code, wide, x, y, alpha);
  return copy(c, out, wide);
}

tensor compare(backend_call c, compare_code code, const tensor& a, const tensor& b) {
  same_device(c, a, b);
  const dtype type = promoted(a, b);
  tensor out = author::make_tensor(broadcast(c.op, a.sizes(), b.sizes()), dtype::boolean, a.device());
  if (c.table == nullptr || out.numel() == 0) return out;
  const tensor x = in_dtype(c, a, type), y = in_dtype(c, b, type);
  const tb_plan plan = plan_of({&out, &x, &y});
  check(c, c.table->compare(static_cast<tb_compare_op>(code), &plan, nullptr), x);
  return out;
}

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
  r.dtype = to_abi(in.dtype());
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
  const tensor in = dense(c, self);
  const tb_reduce r = reduction_of(out, in, dim);
  check(c, c.table->sum(&r, nullptr), self);
  return out;
}

}  // namespace

tensor sum(backend_call c, const tensor& self, optional_sizes dim, bool keepdim, std::optional<dtype> type) {
  dims kept = self.sizes();
  std::array<bool, max_dims> summed{};
  if (dim.has_value() && !dim->empty()) {
    for (std::int64_t d : *dim) {
      const std::size_t i = wrap_dim(c.op, d, self.dim());
      if (summed[i]) refuse<shape_error>(c, "dimension " + std::to_string(i) + " is given twice");
      summed[i] = true;
    }
  } else {
    summed.fill(true);
  }
  const dtype wanted = type.value_or(is_floating(self.dtype()) ? self.dtype() : dtype::int64);
  if (wanted == dtype::boolean) refuse<dtype_error>(c, "found dtype bool, wanted a number");
  tensor out = c.table == nullptr ? author::make_tensor(self.sizes(), wanted, self.device()) : in_dtype(c, self, wanted);
  const bool all = std::all_of(summed.begin(), summed.begin() + static_cast<std::ptrdiff_t>(self.dim()), [](bool s) { return s; });
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
  const std::size_t d = dim.has_value() ? wrap_dim(c.op, *dim, self.dim()) : 0;
  const tensor in = dim.has_value() ? dense(c, self) : flat(dense(c, self));
  if (in.sizes()[d] == 0) refuse<shape_error>(c, "the dimension is empty, and has no greatest element");
  dims sizes = in.sizes();
  sizes.erase(d);
  tensor out = author::make_tensor(sizes, dtype::int64, self.device());
  if (c.table != nullptr && out.numel() != 0) {
    const tb_reduce r = reduction_of(out, in, d);
    check(c, c.table->argmax(&r, nullptr), self);
  }
  if (!keepdim) return out;
  dims kept = self.sizes();
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!dim.has_value() || i == d) kept[i] = 1;
  }
  return author::make_view(out, kept, dense_strides(kept), 0);
}

tensor mm(backend_call c, const tensor& a, const tensor& b) {
  same_device(c, a, b);
  if (a.dim() != 2 || b.dim() != 2 || a.sizes()[1] != b.sizes()[0]) {
    refuse<shape_error>(c, "found " + to_string(a.sizes()) + " and " + to_string(b.sizes()) + ", wanted [m, k] and [k, n]");
  }
  if (a.dtype() != b.dtype()) {
    refuse<dtype_error>(c, "found " + std::string(name_of(a.dtype())) + " and " + std::string(name_of(b.dtype())) +
                               ", wanted one dtype");
  }
  if (!is_floating(a.dtype())) {
    refuse<dtype_error>(c, "found " + std::string(name_of(a.dtype())) + ", wanted float32 or float64");
  }
  tensor out = author::make_tensor({a.sizes()[0], b.sizes()[1]}, a.dtype(), a.device());
  if (c.table == nullptr || out.numel() == 0) return out;
  tb_matmul m{};
  m.out = out.data();
  m.a = a.data();
  m.b = b.data();
  m.m = a.sizes()[0];
  m.n = b.sizes()[1];
  m.k = a.sizes()[1];
  m.out_row = out.strides()[0];
  m.a_row = a.strides()[0];
  m.a_col = a.strides()[1];
  m.b_row = b.strides()[0];
  m.b_col = b.strides()[1];
  m.dtype = to_abi(a.dtype());
  check(c, c.table->matmul(&m, nullptr), a);
  return out;
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
  r.dtype = to_abi(type);
  return r;
}

void check_rows(backend_call c, const tensor& t, std::int64_t dim) {
  if (!is_floating(t.dtype())) {
    refuse<dtype_error>(c, "found " + std::string(name_of(t.dtype())) + ", wanted float32 or float64");
  }
  const bool scalar_row = t.dim() == 0 && (dim == 0 || dim == -1);
  if (!scalar_row && wrap_dim(c.op, dim, t.dim()) != t.dim() - 1) {
    refuse<shape_error>(c, "found dimension " + std::to_string(dim) + ", wanted the last of " + to_string(t.sizes()));
  }
}

void check_labels(backend_call c, const tensor& self, const tensor& target) {
  same_device(c, self, target);
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
  const tensor in = dense(c, self);
  const tb_rows r = rows_of(out, in, nullptr, self.sizes(), self.dtype());
  check(c, c.table->log_softmax(&r, nullptr), self);
  return out;
}

tensor log_softmax_backward(backend_call c, const tensor& grad, const tensor& output, std::int64_t dim) {
  check_rows(c, output, dim);
  same_device(c, grad, output);
  if (grad.sizes() != output.sizes() || grad.dtype() != output.dtype()) {
    refuse<shape_error>(c, "found a gradient " + describe(grad) + " for a result " + describe(output));
  }
  tensor out = author::make_tensor(output.sizes(), output.dtype(), output.device());
  if (c.table == nullptr || out.numel() == 0) return out;
  const tensor g = dense(c, grad), y = dense(c, output);
  const tb_rows r = rows_of(out, g, y.data(), output.sizes(), output.dtype());
  check(c, c.table->log_softmax_backward(&r, nullptr), output);
  return out;
}

tensor nll_loss(backend_call c, const tensor& self, const tensor& target) {
  check_labels(c, self, target);
  tensor out = author::make_tensor({}, self.dtype(), self.device());
  if (c.table == nullptr) return out;
  const tensor in = dense(c, self), labels = dense(c, target);
  const tb_rows r = rows_of(out, in, labels.data(), self.sizes(), self.dtype());
  check(c, c.table->nll_loss(&r, nullptr), self);
  return out;
}

tensor nll_loss_backward(backend_call c, const tensor& grad, const tensor& self, const tensor& target) {
  check_labels(c, self, target);
  same_device(c, grad, self);
  if (grad.numel() != 1 || grad.dtype() != self.dtype()) {
    refuse<shape_error>(c, "found a gradient " + describe(grad) + ", wanted one element of " + std::string(name_of(self.dtype())));
  }
  tensor out = author::make_tensor(self.sizes(), self.dtype(), self.device());
  if (c.table == nullptr || out.numel() == 0) return out;
  const tensor labels = dense(c, target);
  const tb_rows r = rows_of(out, grad, labels.data(), self.sizes(), self.dtype());
  check(c, c.table->nll_loss_backward(&r, nullptr), self);
  return out;
}

tensor empty(std::string_view op, std::span<const std::int64_t> size, std::optional<dtype> type, std::optional<layout> how,
             std::optional<device> where, std::optional<bool> pinned) {
  check_options(op, how, pinned);
  return author::make_tensor(size, type.value_or(dtype::float32), where.value_or(cpu));
}

tensor& fill(backend_call c, tensor& self, const scalar& value) {
  check_written(c, self);
  if (c.table == nullptr || self.numel() == 0) return self;
  const tb_plan plan = plan_of({&self});
  check(c, c.table->fill(&plan, to_abi(value), nullptr), self);
  return self;
}

tensor arange(backend_call c, const scalar& end, std::optional<dtype> type, std::optional<layout> how,
              std::optional<device> where, std::optional<bool> pinned) {
  check_options(c.op, how, pinned);
  const dtype wanted = type.value_or(is_floating(end.type()) ? dtype::float32 : dtype::int64);
  if (wanted == dtype::boolean) refuse<dtype_error>(c, "found dtype bool, wanted a number");
  const double bound = end.to_double();
  if (!(bound >= 0 && bound <= 9.0e15)) refuse<shape_error>(c, "found end " + to_string(end) + ", wanted 0 to 9e15");
  auto count = static_cast<std::int64_t>(bound);
  if (static_cast<double>(count) < bound) ++count;
  tensor out = author::make_tensor({count}, wanted, where.value_or(cpu));
  if (c.table == nullptr || count == 0) return out;
  const tb_plan plan = plan_of({&out});
  check(c, c.table->arange(&plan, to_abi(0), to_abi(1), nullptr), out);
  return out;
}

namespace {

// Bytes of a dense tensor from one device to another; one of them is the host, or the bytes go through it.
void move_bytes(const tensor& to, const tensor& from) {
  const std::size_t bytes = static_cast<std::size_t>(from.numel()) * size_of(from.dtype());
  if (to.device().type == backend::CPU) {
    memory_of(from.device()).copy_out(from.device(), to.data(), from.data(), bytes);
  } else if (from.device().type == backend::CPU) {
    memory_of(to.device()).copy_in(to.device(), to.data(), from.data(), bytes);
  } else {
    const tensor host = author::make_tensor(from.sizes(), from.dtype(), cpu);
    move_bytes(host, from);
    move_bytes(to, host);
  }
}

}  // namespace

tensor& copy(backend_call c, tensor& self, const tensor& src) {
  check_defined(c, self);
  check_defined(c, src);
  check_written(c, self);
  if (broadcast(c.op, self.sizes(), src.sizes()) != self.sizes()) {
    refuse<shape_error>(c, "found source sizes " + to_string(src.sizes()) + ", wanted them to broadcast to " + to_string(self.sizes()));
  }
  if (self.same_as(src) || self.numel() == 0) return self;
  if (self.device().type == backend::Meta) return self;
  if (src.device().type == backend::Meta) refuse<device_error>(c, "a meta tensor has no elements to copy");
  if (self.device() != src.device()) {
    // Each side's own kernels make its part dense; only equal, dense bytes cross.
    const tensor packed = ops::to_copy(src, arg<"dtype"> = self.dtype());
    if (self.is_contiguous() && packed.sizes() == self.sizes()) {
      move_bytes(self, packed);
      return self;
    }
    const tensor landed = author::make_tensor(packed.sizes(), packed.dtype(), self.device());
    move_bytes(landed, packed);
    return ops::copy_(self, landed);
  }
  const tensor from = overlaps_partly(self, src) ? dense_copy(c, src, src.dtype()) : src;
  const tb_plan plan = plan_of({&self, &from});
  check(c, c.table->copy(&plan, nullptr), src);
  return self;
}

}  // namespace topbit::detail
