module;

#include "kernel_abi.h"

module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :create.create_kernels;
import :registration.composite;
import :registration.factory;

#include "../registration/kernel_abi_bridge.h"

namespace topbit::detail {

namespace {

using optional_dtype = std::optional<dtype>;
using optional_layout = std::optional<layout>;
using optional_device = std::optional<device>;
using optional_bool = std::optional<bool>;

void check_counting(backend_call c, dtype type) {
  if (type == dtype::boolean) refuse<dtype_error>(c, "found dtype bool, wanted a number");
}

std::string found(const scalar& start, const scalar& end, const scalar& step) {
  return "found start " + to_string(start) + ", end " + to_string(end) + " and step " + to_string(step);
}

bool is_whole(const scalar& s) { return !is_floating(s.type()); }

// The number of elements start, start + step, ... before `end`; `closed` includes an `end` that is reached exactly.
std::int64_t count_between(backend_call c, const scalar& start, const scalar& end, const scalar& step, bool closed) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  const auto refuse_call = [&](const std::string& wanted) {
    refuse<error>(c, found(start, end, step) + ", " + wanted);
  };
  for (const scalar& s : {start, end, step}) {
    if (!std::isfinite(s.to_double())) refuse_call("wanted finite numbers");
  }
  if (step.to_double() == 0) refuse_call("wanted a step other than 0");
  const bool up = step.to_double() > 0;
  if (is_whole(start) && is_whole(end) && is_whole(step)) {
    const std::int64_t low = up ? start.to_int64() : end.to_int64(), high = up ? end.to_int64() : start.to_int64();
    if (low > high) refuse_call("wanted a step that leads to the end");
    const std::uint64_t way = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    const auto signed_step = static_cast<std::uint64_t>(step.to_int64());
    const std::uint64_t size = up ? signed_step : 0 - signed_step;
    const std::uint64_t count = way / size + (closed || way % size != 0 ? 1 : 0);
    if (count > most || (closed && count == 0)) refuse_call("more elements than 64 bits can count");
    return static_cast<std::int64_t>(count);
  }
  // The difference of numbers of opposite sign may overflow.
  const double way = end.to_double() - start.to_double();
  const double steps = std::isfinite(way) ? way / step.to_double()
                                          : end.to_double() / step.to_double() - start.to_double() / step.to_double();
  if (steps < 0) refuse_call("wanted a step that leads to the end");
  if (!(steps < 0x1p63 - 1024)) refuse_call("more elements than 64 bits can count");
  const auto whole = static_cast<std::int64_t>(steps);
  return whole + (closed || static_cast<double>(whole) < steps ? 1 : 0);
}

dtype type_of_numbers(std::initializer_list<scalar> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), is_whole) ? dtype::int64 : dtype::float32;
}

// Writes start, start + step, ... to a one-dimensional tensor.
void count_up(backend_call c, const scalar& start, const scalar& step, const tensor& out) {
  if (c.table == nullptr || out.numel() == 0) return;
  const tensor* const operands[] = {&out};
  const tb_plan plan = plan_of(c, operands);
  check_status(c, run_kernel(c, out, c.table->arange, &plan, to_abi(start), to_abi(step)), out);
}

tensor& sequence_out(backend_call c, const scalar& start, const scalar& end, const scalar& step, bool closed,
                     tensor& out) {
  check_defined(c, out);
  check_counting(c, out.dtype());
  check_out(c, out, {count_between(c, start, end, step, closed)});
  check_written(c, out);
  count_up(c, start, step, out);
  return out;
}

tensor new_sequence(backend_call c, const scalar& start, const scalar& end, const scalar& step, bool closed,
                    const tensor_options& o) {
  check_counting(c, *o.type);
  const std::int64_t count[] = {count_between(c, start, end, step, closed)};
  return new_tensor(c, count, o);
}

}  // namespace

tensor& arange_out(backend_call c, const scalar& start, const scalar& end, const scalar& step, tensor& out) {
  return sequence_out(c, start, end, step, false, out);
}
tensor& range_out(backend_call c, const scalar& start, const scalar& end, const scalar& step, tensor& out) {
  return sequence_out(c, start, end, step, true, out);
}

namespace {

void check_steps(backend_call c, const scalar& start, const scalar& end, std::int64_t steps) {
  if (steps < 0) refuse<error>(c, "found " + std::to_string(steps) + " steps, wanted 0 or more");
  if (!std::isfinite(start.to_double()) || !std::isfinite(end.to_double())) {
    refuse<error>(c, "found start " + to_string(start) + " and end " + to_string(end) + ", wanted finite numbers");
  }
}

// A view of `count` elements of a one-dimensional tensor, from `first` on.
tensor part_of(const tensor& t, std::int64_t first, std::int64_t count) {
  return author::make_view(t, {count}, t.strides(), author::record_of(t).offset + first * t.strides()[0]);
}

// Each half is computed from its own end, so that both ends are exact.
void space_evenly(backend_call c, double start, double end, const tensor& out) {
  const std::int64_t steps = out.numel(), half = steps / 2;
  // For up to 2 elements no step is needed. The difference may overflow.
  const double count = static_cast<double>(steps - 1), way = end - start;
  const double step = steps <= 2 ? 0 : std::isfinite(way) ? way / count : end / count - start / count;
  if (half > 0) count_up(c, start, step, part_of(out, 0, half));
  const tensor rest = part_of(out, half, steps - half);
  const tensor* const operands[] = {&rest};
  tb_plan plan = plan_of(c, operands);
  tb_operand& back = plan.operand[0];
  const auto bytes = static_cast<std::int64_t>(size_of(out.dtype()));
  back.data = static_cast<std::byte*>(back.data) + (rest.numel() - 1) * back.strides[0] * bytes;
  back.strides[0] = -back.strides[0];
  check_status(c, run_kernel(c, out, c.table->arange, &plan, to_abi(steps > 1 ? end : start), to_abi(-step)), out);
}

}  // namespace

tensor& linspace_out(backend_call c, const scalar& start, const scalar& end, std::int64_t steps, tensor& out) {
  check_defined(c, out);
  check_counting(c, out.dtype());
  check_steps(c, start, end, steps);
  check_out(c, out, {steps});
  check_written(c, out);
  if (c.table == nullptr || steps == 0) return out;
  const bool direct = is_floating(out.dtype());
  tensor made = direct ? out : author::make_tensor(out.sizes(), dtype::float64, out.device());
  space_evenly(c, start.to_double(), end.to_double(), made);
  return direct ? out : copy(c, out, made);
}

namespace {

tensor arange(const scalar& end, optional_dtype type, optional_layout how, optional_device where,
              optional_bool pinned) {
  tensor out = new_sequence({nullptr, aten::arange.name()}, 0, end, 1, false,
                            {type.value_or(type_of_numbers({end})), how, where, pinned});
  return aten::arange_start_out(0, end, 1, out);
}
tensor arange_start(const scalar& start, const scalar& end, optional_dtype type, optional_layout how,
                    optional_device where, optional_bool pinned) {
  tensor out = new_sequence({nullptr, aten::arange_start.name()}, start, end, 1, false,
                            {type.value_or(type_of_numbers({start, end})), how, where, pinned});
  return aten::arange_start_out(start, end, 1, out);
}
tensor arange_start_step(const scalar& start, const scalar& end, const scalar& step, optional_dtype type,
                         optional_layout how, optional_device where, optional_bool pinned) {
  tensor out = new_sequence({nullptr, aten::arange_start_step.name()}, start, end, step, false,
                            {type.value_or(type_of_numbers({start, end, step})), how, where, pinned});
  return aten::arange_start_out(start, end, step, out);
}
tensor& arange_end_out(const scalar& end, tensor& out) { return aten::arange_start_out(0, end, 1, out); }

tensor range(const scalar& start, const scalar& end, optional_dtype type, optional_layout how, optional_device where,
             optional_bool pinned) {
  tensor out = new_sequence({nullptr, aten::range.name()}, start, end, 1, true,
                            {type.value_or(dtype::float32), how, where, pinned});
  return aten::range_out(start, end, 1, out);
}
tensor range_step(const scalar& start, const scalar& end, const scalar& step, optional_dtype type, optional_layout how,
                  optional_device where, optional_bool pinned) {
  tensor out = new_sequence({nullptr, aten::range_step.name()}, start, end, step, true,
                            {type.value_or(dtype::float32), how, where, pinned});
  return aten::range_out(start, end, step, out);
}
tensor& range_step_one_out(const scalar& start, const scalar& end, tensor& out) {
  return aten::range_out(start, end, 1, out);
}

tensor new_spaced(backend_call c, const scalar& start, const scalar& end, std::int64_t steps, const tensor_options& o) {
  check_counting(c, o.type.value_or(dtype::float32));
  check_steps(c, start, end, steps);
  const std::int64_t sizes[] = {steps};
  return new_tensor(c, sizes, o);
}
tensor linspace(const scalar& start, const scalar& end, std::int64_t steps, optional_dtype type, optional_layout how,
                optional_device where, optional_bool pinned) {
  tensor out = new_spaced({nullptr, aten::linspace.name()}, start, end, steps, {type, how, where, pinned});
  return aten::linspace_out(start, end, steps, out);
}
tensor& logspace_out(const scalar& start, const scalar& end, std::int64_t steps, double base, tensor& out) {
  constexpr backend_call c{nullptr, aten::logspace_out.name()};
  check_defined(c, out);
  check_counting(c, out.dtype());
  check_steps(c, start, end, steps);
  check_out(c, out, {steps});
  const tensor exponents =
      aten::linspace(start, end, steps, arg<"dtype"> = dtype::float64, arg<"device"> = out.device());
  return aten::copy_(out, aten::pow_Scalar(base, exponents));
}
tensor logspace(const scalar& start, const scalar& end, std::int64_t steps, double base, optional_dtype type,
                optional_layout how, optional_device where, optional_bool pinned) {
  tensor out = new_spaced({nullptr, aten::logspace.name()}, start, end, steps, {type, how, where, pinned});
  return aten::logspace_out(start, end, steps, base, out);
}

void check_matrix(backend_call c, std::int64_t rows, std::int64_t columns) {
  if (rows >= 0 && columns >= 0) return;
  refuse<error>(c, "found " + std::to_string(rows) + " rows and " + std::to_string(columns) +
                       " columns, wanted 0 or more of each");
}

tensor& write_identity(tensor& out) {
  aten::zero_(out);
  const std::int64_t count = std::min(out.sizes()[0], out.sizes()[1]);
  if (count == 0) return out;
  tensor diagonal =
      author::make_view(out, {count}, {out.strides()[0] + out.strides()[1]}, author::record_of(out).offset);
  aten::fill_Scalar_(diagonal, 1);
  return out;
}
tensor new_identity(backend_call c, std::int64_t rows, std::int64_t columns, const tensor_options& o) {
  check_matrix(c, rows, columns);
  const std::int64_t sizes[] = {rows, columns};
  tensor out = new_tensor(c, sizes, o);
  return write_identity(out);
}
tensor& identity_out(backend_call c, std::int64_t rows, std::int64_t columns, tensor& out) {
  check_matrix(c, rows, columns);
  check_out(c, out, {rows, columns});
  check_written(c, out);
  return write_identity(out);
}
tensor eye(std::int64_t n, optional_dtype type, optional_layout how, optional_device where, optional_bool pinned) {
  return new_identity({nullptr, aten::eye.name()}, n, n, {type, how, where, pinned});
}
tensor eye_m(std::int64_t n, std::int64_t m, optional_dtype type, optional_layout how, optional_device where,
             optional_bool pinned) {
  return new_identity({nullptr, aten::eye_m.name()}, n, m, {type, how, where, pinned});
}
tensor& eye_out(std::int64_t n, tensor& out) { return identity_out({nullptr, aten::eye_out.name()}, n, n, out); }
tensor& eye_m_out(std::int64_t n, std::int64_t m, tensor& out) {
  return identity_out({nullptr, aten::eye_m_out.name()}, n, m, out);
}

// A matrix divided by a diagonal. The lower part of row r is its first r + 1 + offset elements, clamped to the row.
struct triangles {
  std::int64_t rows, columns, offset;

  std::int64_t lower(std::int64_t row) const { return std::min(columns, std::max<std::int64_t>(row + 1 + offset, 0)); }
  // In all rows: empty rows, then rows that grow by one, then full rows.
  std::int64_t all_lower() const {
    const auto within = [&](std::int64_t row) { return std::min(rows, std::max<std::int64_t>(row, 0)); };
    const std::int64_t first = within(-offset), full = std::max(first, within(columns - offset - 1));
    const std::int64_t growing = full - first;
    return growing * (first + 1 + offset) + growing * (growing - 1) / 2 + (rows - full) * columns;
  }
};

tensor triangle_indices(backend_call c, std::int64_t rows, std::int64_t columns, std::int64_t offset, bool upper,
                        const tensor_options& o) {
  check_matrix(c, rows, columns);
  check_counting(c, o.type.value_or(dtype::int64));
  std::int64_t area = 0;
  if (__builtin_mul_overflow(rows, columns, &area) || area > std::int64_t{1} << 60) {
    refuse<error>(c, "found " + std::to_string(rows) + " rows and " + std::to_string(columns) +
                         " columns, more indices than memory can hold");
  }
  // Clamps diagonals outside the matrix.
  const std::int64_t cut = std::min(columns, std::max(-rows, offset)) - (upper ? 1 : 0);
  const triangles of{rows, columns, cut};
  const std::int64_t lower = area == 0 ? 0 : of.all_lower(), count = upper ? area - lower : lower;
  const std::int64_t sizes[] = {2, count};
  tensor out = new_tensor(c, sizes, {o.type.value_or(dtype::int64), o.how, o.where, o.pinned});
  if (out.device().type == backend::Meta) return out;
  std::int64_t at = 0;
  for (std::int64_t row = 0; row < rows && at < count; ++row) {
    const std::int64_t first = upper ? of.lower(row) : 0, last = upper ? columns : of.lower(row);
    if (first == last) continue;
    tensor of_rows = author::make_view(out, {last - first}, {1}, at);
    tensor of_columns = author::make_view(out, {last - first}, {1}, count + at);
    aten::fill_Scalar_(of_rows, row);
    aten::arange_start_out(first, last, 1, of_columns);
    at += last - first;
  }
  return out;
}
tensor tril_indices(std::int64_t rows, std::int64_t columns, std::int64_t offset, optional_dtype type,
                    optional_layout how, optional_device where, optional_bool pinned) {
  return triangle_indices({nullptr, aten::tril_indices.name()}, rows, columns, offset, false,
                          {type, how, where, pinned});
}
tensor triu_indices(std::int64_t rows, std::int64_t columns, std::int64_t offset, optional_dtype type,
                    optional_layout how, optional_device where, optional_bool pinned) {
  return triangle_indices({nullptr, aten::triu_indices.name()}, rows, columns, offset, true,
                          {type, how, where, pinned});
}

}  // namespace

void register_sequence() {
  register_forms(sequence_forms);
  register_factory<&arange, aten::arange>();
  register_factory<&arange_start, aten::arange_start>();
  register_factory<&arange_start_step, aten::arange_start_step>();
  register_composite<&arange_end_out, aten::arange_out>();
  register_factory<&range, aten::range>();
  register_factory<&range_step, aten::range_step>();
  register_composite<&range_step_one_out, aten::range_out_>();
  register_factory<&linspace, aten::linspace>();
  register_factory<&logspace, aten::logspace>();
  register_composite<&logspace_out, aten::logspace_out>();
  register_factory<&eye, aten::eye>();
  register_factory<&eye_m, aten::eye_m>();
  register_composite<&eye_out, aten::eye_out>();
  register_composite<&eye_m_out, aten::eye_m_out>();
  register_factory<&tril_indices, aten::tril_indices>();
  register_factory<&triu_indices, aten::triu_indices>();
  register_without_gradient<aten::arange, aten::arange_start, aten::arange_start_step, aten::range, aten::range_step,
                            aten::linspace, aten::logspace, aten::eye, aten::eye_m, aten::tril_indices,
                            aten::triu_indices>();
}

}  // namespace topbit::detail
