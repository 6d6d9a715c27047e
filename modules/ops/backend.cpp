// The seam: tensors become plain structs, status codes become errors. Every function is shape rule, result, kernel;
// without a kernel table the last step is left out, which makes it the meta kernel.
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

tb_scalar to_abi(const scalar& s) { return {s.to_double(), s.to_int64()}; }
int to_abi(dtype t) { return static_cast<int>(t); }

tb_plan plan_of(backend_call c, std::initializer_list<const tensor*> operands) {
  for (const tensor* t : operands) check_storage(c, *t);
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
  check_defined(c, a);
  check_defined(c, b);
  dtype type = promoted(a, b);
  if (code == binary_code::div) type = to_floating(type);
  if (code == binary_code::sub && type == dtype::boolean) {
    refuse<dtype_error>(c, "found two bool tensors, wanted numbers; for bool, ne() is the difference");
  }
  if (code == binary_code::relu_backward && type == dtype::boolean)
    refuse<dtype_error>(c, "found bool, wanted a number");
  if (type == dtype::boolean && alpha.to_int64() != 1) {
    refuse<dtype_error>(c, "found alpha " + to_string(alpha) + " for bool tensors, wanted 1");
  }
  if (is_floating(alpha.type()) && !is_floating(type)) {
    refuse<dtype_error>(
        c, "found alpha " + to_string(alpha) + " for " + std::string(name_of(type)) + " tensors, wanted an integer");
  }
  return {broadcast(c.op, a.sizes(), b.sizes()), type};
}

void run_binary(backend_call c, binary_code code, const tensor& out, const tensor& a, const tensor& b,
                const scalar& alpha) {
  if (c.table == nullptr || out.numel() == 0) return;
  const tb_plan plan = plan_of(c, {&out, &a, &b});
  check_status(c, c.table->binary(static_cast<tb_binary_op>(code), &plan, to_abi(alpha), nullptr), out);
}

}  // namespace

tensor unary(backend_call c, unary_code code, const tensor& self) {
  const bool transcendental = code == unary_code::exp || code == unary_code::log;
  const dtype type = transcendental ? to_floating(self.dtype()) : self.dtype();
  if (type == dtype::boolean) refuse<dtype_error>(c, "found bool, wanted a number");
  tensor out = author::make_tensor(self.sizes(), type, self.device());
  if (c.table == nullptr || out.numel() == 0) return out;
  const tensor in = in_dtype(c, self, type);
  const tb_plan plan = plan_of(c, {&out, &in});
  check_status(c, c.table->unary(static_cast<tb_unary_op>(code), &plan, nullptr), self);
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
  check_defined(c, out);
  if (out.sizes() != rule.sizes) {
    refuse<shape_error>(
        c, "the result has sizes " + to_string(rule.sizes) + ", the tensor to write " + to_string(out.sizes()));
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
  check_defined(c, a);
  check_defined(c, b);
  const dtype type = promoted(a, b);
  tensor out = author::make_tensor(broadcast(c.op, a.sizes(), b.sizes()), dtype::boolean, a.device());
  if (c.table == nullptr || out.numel() == 0) return out;
  const tensor x = in_dtype(c, a, type), y = in_dtype(c, b, type);
  const tb_plan plan = plan_of(c, {&out, &x, &y});
  check_status(c, c.table->compare(static_cast<tb_compare_op>(code), &plan, nullptr), x);
  return out;
}

tensor empty(std::string_view op, std::span<const std::int64_t> size, std::optional<dtype> type,
             std::optional<layout> how, std::optional<device> where, std::optional<bool> pinned) {
  check_options({nullptr, op}, how, pinned);
  return author::make_tensor(sizes_of({nullptr, op}, size), type.value_or(dtype::float32), where.value_or(cpu));
}

tensor& fill(backend_call c, tensor& self, const scalar& value) {
  check_written(c, self);
  if (c.table == nullptr || self.numel() == 0) return self;
  const tb_plan plan = plan_of(c, {&self});
  check_status(c, c.table->fill(&plan, to_abi(value), nullptr), self);
  return self;
}

tensor arange(backend_call c, const scalar& end, std::optional<dtype> type, std::optional<layout> how,
              std::optional<device> where, std::optional<bool> pinned) {
  check_options(c, how, pinned);
  const dtype wanted = type.value_or(is_floating(end.type()) ? dtype::float32 : dtype::int64);
  if (wanted == dtype::boolean) refuse<dtype_error>(c, "found dtype bool, wanted a number");
  const double bound = end.to_double();
  if (!(bound >= 0 && bound <= 9.0e15)) refuse<shape_error>(c, "found end " + to_string(end) + ", wanted 0 to 9e15");
  auto count = static_cast<std::int64_t>(bound);
  if (static_cast<double>(count) < bound) ++count;
  tensor out = author::make_tensor({count}, wanted, where.value_or(cpu));
  if (c.table == nullptr || count == 0) return out;
  const tb_plan plan = plan_of(c, {&out});
  check_status(c, c.table->arange(&plan, to_abi(0), to_abi(1), nullptr), out);
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
    refuse<shape_error>(
        c, "found source sizes " + to_string(src.sizes()) + ", wanted them to broadcast to " + to_string(self.sizes()));
  }
  if (self.same_as(src) || self.numel() == 0) return self;
  if (self.device().type == backend::Meta) return self;
  if (src.device().type == backend::Meta) refuse<device_error>(c, "a meta tensor has no elements to copy");
  check_storage(c, self);
  check_storage(c, src);
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
  const tb_plan plan = plan_of(c, {&self, &from});
  check_status(c, c.table->copy(&plan, nullptr), src);
  return self;
}

}  // namespace topbit::detail
