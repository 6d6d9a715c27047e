module;

#include "kernel_abi.h"

module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.composite;
import :rowwise.rowwise;

#include "../registration/kernel_abi_bridge.h"

namespace topbit::detail {

static_assert(static_cast<int>(rowwise::count) == TB_ROWWISE_COUNT);
static_assert(static_cast<int>(rowwise::sort) == TB_SORT && static_cast<int>(rowwise::gather) == TB_GATHER);
static_assert(static_cast<int>(rowwise::rms_norm) == TB_RMS_NORM && static_cast<int>(rowwise::nll) == TB_NLL);
static_assert(static_cast<int>(rowwise::cross_entropy) == TB_CROSS_ENTROPY);
static_assert(static_cast<int>(rowwise::minmax) == TB_MINMAX && static_cast<int>(rowwise::compress) == TB_COMPRESS);
static_assert(static_cast<int>(rowwise::distance) == TB_DISTANCE);
static_assert(static_cast<int>(rowwise::check_index) == TB_CHECK_INDEX &&
              static_cast<int>(take_code::put_add) == TB_PUT_ADD && TB_TAKE_COUNT == 4);

namespace {

// The address of rows without elements; a null address means that the operand is missing.
char nothing;

[[noreturn]] void refuse_index(backend_call c, std::int64_t index, std::int64_t lowest, std::int64_t range) {
  refuse<shape_error>(c, "found the index " + std::to_string(index) + ", wanted " +
                             (range == 0 ? std::string("none, since the dimension is empty")
                                         : std::to_string(lowest) + " to " + std::to_string(range - 1)));
}

// `row` is 0 before. It is written in place: a copy would wait for the stores of its fields.
void set_operand(backend_call c, const row_operand& o, std::size_t dim, const shape& batch, tb_row_operand& row) {
  row.written = o.written ? 1 : 0;
  if (o.of == nullptr || !o.of->defined()) return;
  check_storage(c, *o.of);
  row.data = o.of->data() != nullptr ? o.of->data() : &nothing;
  row.dtype = static_cast<std::int32_t>(o.of->dtype());
  const bool single = o.of->dim() == 0;
  row.length = single ? 1 : o.of->sizes()[dim];
  row.step = single ? 1 : o.of->strides()[dim];
  std::size_t at = 0;
  for (std::size_t d = batch.size(); d-- > 0;) {
    if (d != dim) row.strides[at++] = single ? 0 : o.of->strides()[d];
  }
}

}  // namespace

void run_rows(backend_call c, const row_call& call, std::initializer_list<row_operand> rows,
              std::initializer_list<scalar> numbers) {
  tb_rowwise r{};
  r.op = static_cast<std::int32_t>(call.code);
  r.compute = compute_code(call.type);
  std::int64_t positions = 1, bad = 0;
  for (std::size_t d = call.batch.size(); d-- > 0;) {
    if (d == call.dim) continue;
    r.sizes[r.ndim++] = call.batch[d];
    positions *= call.batch[d];
  }
  if (positions == 0) return;
  for (const row_operand& o : rows) set_operand(c, o, call.dim, call.batch, r.row[r.operands++]);
  std::size_t n = 0;
  for (const scalar& s : numbers) r.number[n++] = to_abi(s);
  r.bad_index = &bad;
  const int status = run_kernel(c, *rows.begin()->of, c.table->rowwise, &r);
  if (status == TB_BAD_INDEX) refuse_index(c, bad, 0, call.range);
  check_status(c, status, *rows.begin()->of);
}

void run_take(backend_call c, const take_call& call, const tensor& rows, const tensor& table) {
  check_storage(c, rows);
  check_storage(c, table);
  tb_take t{};
  t.rows = rows.data();
  t.table = table.data();
  for (const tensor& index : call.index) {
    check_storage(c, index);
    t.length[t.indices] = call.length[static_cast<std::size_t>(t.indices)];
    t.index[t.indices++] = static_cast<const std::int64_t*>(index.data());
  }
  t.outer = call.outer;
  t.count = call.count;
  t.inner = call.inner;
  t.wraps = call.wraps ? 1 : 0;
  t.op = static_cast<std::int32_t>(call.code);
  t.dtype = static_cast<std::int32_t>(table.dtype());
  std::int64_t bad[2] = {};
  t.bad_index = bad;
  const int status = run_kernel(c, table, c.table->take, &t);
  if (status == TB_BAD_INDEX) {
    const std::int64_t range = call.length[static_cast<std::size_t>(bad[1])];
    refuse_index(c, bad[0], call.wraps ? -range : 0, range);
  }
  check_status(c, status, table);
}

tensor nonzero_of(backend_call c, const tensor& self) {
  check_defined(c, self);
  if (c.table == nullptr) {
    refuse<error>(c, "a meta tensor has no elements, and the result's size depends on them");
  }
  check_storage(c, self);
  tb_nonzero n{};
  n.coordinates = static_cast<std::int32_t>(self.dim());
  n.plan.operands = 1;
  n.plan.ndim = std::max(n.coordinates, 1);
  n.plan.sizes[0] = 1;
  n.plan.operand[0].data = self.data();
  n.plan.operand[0].dtype = static_cast<std::int32_t>(self.dtype());
  for (std::size_t d = 0; d < self.sizes().size(); ++d) {
    n.plan.sizes[self.dim() - 1 - d] = self.sizes()[d];
    n.plan.operand[0].strides[self.dim() - 1 - d] = self.strides()[d];
  }
  if (self.numel() != 0) check_status(c, run_kernel(c, self, c.table->nonzero, &n), self);
  const tensor out = author::make_tensor({n.count, n.coordinates}, dtype::int64, self.device());
  if (out.numel() == 0) return out;
  n.out = static_cast<std::int64_t*>(out.data());
  check_status(c, run_kernel(c, self, c.table->nonzero, &n), self);
  return out;
}

void copy_flipped(backend_call c, const tensor& out, const tensor& self, const std::array<bool, max_dims>& flipped) {
  check_storage(c, self);
  tb_plan plan{};
  plan.operands = 2;
  plan.ndim = 1;
  plan.sizes[0] = 1;
  const auto bytes = static_cast<std::int64_t>(size_of(self.dtype()));
  auto* from = static_cast<std::byte*>(self.data());
  for (std::size_t d = self.dim(), at = 0; d-- > 0; ++at) {
    plan.ndim = static_cast<std::int32_t>(at + 1);
    plan.sizes[at] = self.sizes()[d];
    plan.operand[0].strides[at] = out.strides()[d];
    plan.operand[1].strides[at] = flipped[d] ? -self.strides()[d] : self.strides()[d];
    if (flipped[d]) from += (self.sizes()[d] - 1) * self.strides()[d] * bytes;
  }
  // The kernel works in rows of dimension 0: a row of a few elements costs as much as one of many.
  constexpr std::int64_t few = 8;
  if (plan.ndim >= 2 && plan.sizes[0] < few && plan.sizes[0] < plan.sizes[1]) {
    std::swap(plan.sizes[0], plan.sizes[1]);
    for (tb_operand& operand : plan.operand) std::swap(operand.strides[0], operand.strides[1]);
  }
  plan.operand[0].data = out.data();
  plan.operand[1].data = from;
  plan.operand[0].dtype = plan.operand[1].dtype = static_cast<std::int32_t>(self.dtype());
  check_status(c, run_kernel(c, self, c.table->copy, &plan), self);
}

tensor counted(backend_call c, std::int64_t first, std::int64_t count, device where) {
  const tensor out = author::make_tensor({count}, dtype::int64, where);
  if (count == 0) return out;
  const tensor* const operands[] = {&out};
  const tb_plan plan = plan_of(c, operands);
  check_status(c, run_kernel(c, out, c.table->arange, &plan, to_abi(first), to_abi(1)), out);
  return out;
}

tensor reshaped(const tensor& t, const shape& sizes) {
  if (t.is_contiguous()) return author::make_view(t, sizes, dense_strides(sizes), author::record_of(t).offset);
  shape strides(sizes.size(), 1);
  std::size_t from = t.dim();
  for (std::size_t d = sizes.size(); d-- > 0;) {
    while (from > 0 && t.sizes()[from - 1] == 1 && sizes[d] != 1) --from;
    if (sizes[d] != 1) strides[d] = t.strides()[--from];
  }
  return author::make_view(t, sizes, strides, author::record_of(t).offset);
}

tensor at_least_1d(const tensor& t) {
  return t.dim() == 0 ? author::make_view(t, {1}, {1}, author::record_of(t).offset) : t;
}

result_meta dense_meta(const shape& sizes, dtype type, const tensor& like) { return {sizes, type, like.device(), {}}; }

}  // namespace topbit::detail
