// The kernel ABI at the operators' side: registers backends from their kernel tables, and implements empty, fill and
// copy on them. Without a table (meta) only shapes are computed.
module;

#include <stddef.h>

#include "kernel_abi.h"

module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :random.random_kernels;
import :registration.composite;
import :registration.factory;

#include "../registration/kernel_abi_bridge.h"

namespace topbit::detail {

static_assert(static_cast<int>(dtype::boolean) == TB_BOOL && static_cast<int>(dtype::uint8) == TB_U8);
static_assert(static_cast<int>(dtype::int8) == TB_I8 && static_cast<int>(dtype::int16) == TB_I16);
static_assert(static_cast<int>(dtype::int32) == TB_I32 && static_cast<int>(dtype::int64) == TB_I64);
static_assert(static_cast<int>(dtype::float16) == TB_F16 && static_cast<int>(dtype::bfloat16) == TB_BF16);
static_assert(static_cast<int>(dtype::float32) == TB_F32 && static_cast<int>(dtype::float64) == TB_F64);
static_assert(dtype_count == TB_DTYPE_COUNT);

namespace {

static_assert(static_cast<int>(table_entry::copy) == TB_ENTRY_COPY);
static_assert(static_cast<int>(table_entry::elementwise) == TB_ENTRY_ELEMENTWISE);
static_assert(static_cast<int>(table_entry::nonzero) == TB_ENTRY_NONZERO);
static_assert(static_cast<int>(table_entry::any) == TB_ENTRY_COUNT);

bool has_any(const tb_kernels& t) noexcept;

bool has(const tb_kernels& t, table_entry e) noexcept {
  switch (e) {
    case table_entry::copy: return t.copy != nullptr;
    case table_entry::arange: return t.arange != nullptr;
    case table_entry::elementwise: return t.elementwise != nullptr;
    case table_entry::reduce: return t.reduce != nullptr;
    case table_entry::rowwise: return t.rowwise != nullptr;
    case table_entry::matmul: return t.matmul != nullptr;
    case table_entry::take: return t.take != nullptr;
    case table_entry::random: return t.random != nullptr;
    case table_entry::nonzero: return t.nonzero != nullptr;
    case table_entry::pool: return t.pool != nullptr;
    case table_entry::convolve: return t.convolve != nullptr;
    case table_entry::update: return t.update != nullptr;
    case table_entry::attention: return t.attention != nullptr;
    case table_entry::channel_norm:
      return t.size >= offsetof(tb_kernels, channel_norm) + sizeof t.channel_norm && t.channel_norm != nullptr;
    case table_entry::any: break;
  }
  return has_any(t);
}
bool has_any(const tb_kernels& t) noexcept {
  for (int e = 0; e < TB_ENTRY_COUNT; ++e) {
    if (has(t, static_cast<table_entry>(e))) return true;
  }
  return false;
}

}  // namespace

bool offers(const tb_kernels* table, std::span<const table_kernel> wanted) noexcept {
  if (table == nullptr) return true;
  return std::ranges::all_of(wanted, [&](const table_kernel& k) {
    return author::offers(*table, {static_cast<std::int32_t>(k.entry), k.code});
  });
}

std::int32_t compute_code(dtype t) noexcept { return compute_codes[static_cast<std::size_t>(t)]; }

tb_plan plan_of(backend_call c, std::span<const tensor* const> operands) {
  for (const tensor* t : operands) check_storage(c, *t);
  return author::make_plan(operands);
}

tb_plan reduction_plan_of(backend_call c, std::span<const tensor* const> operands, const author::dim_mask& mask,
                          bool row_major) {
  for (const tensor* t : operands) check_storage(c, *t);
  return author::make_reduction_plan(operands, mask, row_major);
}

namespace {

tb_plan plan_of(backend_call c, std::initializer_list<const tensor*> operands) {
  return detail::plan_of(c, std::span<const tensor* const>(operands.begin(), operands.size()));
}

}  // namespace

tensor empty(std::string_view op, std::span<const std::int64_t> size, std::optional<dtype> type,
             std::optional<layout> how, std::optional<device> where, std::optional<bool> pinned,
             std::optional<memory_format> format) {
  const backend_call c{nullptr, op};
  check_options(c, how, pinned);
  if (format == memory_format::preserve) refuse<error>(c, "found memory_format preserve, wanted contiguous");
  return author::make_tensor(new_sizes(c, size), type.value_or(dtype::float32), where.value_or(cpu));
}

tensor& fill(backend_call c, tensor& self, const scalar& value) {
  check_written(c, self);
  if (c.table == nullptr || self.numel() == 0) return self;
  run_elementwise_in(c, elementwise::fill, self.dtype(), collect(value), self);
  return self;
}

namespace {

// Copies dense bytes between devices; through the host if no device can copy directly.
void move_bytes(const tensor& to, const tensor& from, bool non_blocking) {
  const std::size_t bytes = static_cast<std::size_t>(from.numel()) * size_of(from.dtype());
  const memory_hook &there = memory_of(to.device()), &here = memory_of(from.device());
  if (to.device().type == backend::CPU) {
    const auto move = non_blocking && here.start_copy_out != nullptr ? here.start_copy_out : here.copy_out;
    move(from.device(), to.data(), from.data(), bytes);
  } else if (from.device().type == backend::CPU) {
    const auto move = non_blocking && there.start_copy_in != nullptr ? there.start_copy_in : there.copy_in;
    move(to.device(), to.data(), from.data(), bytes);
  } else if (to.device().type == from.device().type && there.copy_across != nullptr) {
    there.copy_across(to.device(), to.data(), from.device(), from.data(), bytes);
  } else {
    const tensor host = author::make_tensor(from.sizes(), from.dtype(), cpu);
    move_bytes(host, from, false);
    move_bytes(to, host, false);
  }
}

}  // namespace

tensor& copy(backend_call c, tensor& self, const tensor& src, bool non_blocking) {
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
    // Each device's own kernels make its operand dense; only dense bytes of equal sizes are transferred.
    const bool is_packed = src.is_contiguous() && src.dtype() == self.dtype();
    const tensor packed =
        is_packed ? src
                  : aten::_to_copy(src, arg<"dtype"> = self.dtype(), arg<"memory_format"> = memory_format::contiguous);
    if (self.is_contiguous() && packed.sizes() == self.sizes()) {
      // A temporary is freed on return, so its transfer must not be asynchronous.
      move_bytes(self, packed, non_blocking && is_packed);
      return self;
    }
    const tensor landed = author::make_tensor(packed.sizes(), packed.dtype(), self.device());
    move_bytes(landed, packed, false);
    return aten::copy_(self, landed);
  }
  const bool overlaps = author::share_memory(self, src) && !author::same_view(self, src);
  const tensor from = overlaps ? dense_copy(c, src, src.dtype()) : src;
  const tb_plan plan = plan_of(c, {&self, &from});
  check_status(c, run_kernel(c, self, c.table->copy, &plan), src);
  return self;
}

constinit std::atomic<const tb_kernels*> strided_tables[author::row_count]{};

constinit std::atomic<bool> tables_ask{false};

void announce(backend_call c) noexcept {
  if (c.table->calling != nullptr) c.table->calling(c.op.data(), c.op.size());
}

void serve(dispatch_key k, const tb_kernels* kernels) noexcept {
  if (kernels->calling != nullptr) tables_ask.store(true, std::memory_order_relaxed);
  strided_tables[key_set(k).row()].store(kernels, std::memory_order_release);
}

namespace {

tensor make_empty(std::span<const std::int64_t> size, std::optional<dtype> type, std::optional<layout> how,
                  std::optional<device> where, std::optional<bool> pinned, std::optional<memory_format> format) {
  constexpr backend_call c{nullptr, aten::empty_memory_format.name()};
  if (how.has_value() || pinned.has_value() || format.has_value()) {
    return empty(c.op, size, type, how, where, pinned, format);
  }
  return author::make_tensor(new_sizes(c, size), type.value_or(dtype::float32), where.value_or(cpu));
}
tensor& fill_with(key_set keys, tensor& self, const scalar& value) {
  check_layouts(aten::fill_Scalar_, self);
  return fill(call_on(keys, aten::fill_Scalar_.name()), self, value);
}
tensor& zero(key_set keys, tensor& self) {
  check_layouts(aten::zero_, self);
  return fill(call_on(keys, aten::zero_.name()), self, 0);
}
tensor& copy_from(key_set keys, tensor& self, const tensor& src, bool non_blocking) {
  check_layouts(aten::copy_, self, src);
  return copy(call_on(keys, aten::copy_.name()), self, src, non_blocking);
}

std::vector<std::span<const form_group>>& families() {
  static std::vector<std::span<const form_group>> all;
  return all;
}

void register_kernels(std::span<const form_group> groups, dispatch_key k, std::source_location where) {
  const tb_kernels* const table = table_of(k);
  std::vector<author::kernel_row> rows;
  for (const form_group& g : groups) {
    if (!offers(table, g.needs)) continue;
    for (const operator_form& f : g.forms) rows.push_back({f.computes.op, k, f.computes.impl, where});
  }
  author::register_rows(rows);
}

// Of operators on memory alone, which belong to no family.
constexpr std::array fills = all_of(elementwise::fill), copies = all_of(table_entry::copy);

}  // namespace

void register_forms(std::span<const form_group> groups, std::source_location where) {
  std::vector<author::kernel_row> definitions, counts;
  for (const form_group& g : groups) {
    for (const operator_form& f : g.forms) {
      definitions.push_back({f.computes.op, key::Undefined, nullptr, where});
      if (g.tags.has_value()) definitions.push_back({f.computes.op, key::Undefined, nullptr, where, g.tags});
      if (f.counts.op == nullptr) continue;
      counts.push_back(f.counts);
      counts.back().where = where;
      add_refusal({f.refuses.op, f.refuses.key, f.refuses.impl, where});
    }
  }
  author::register_rows(definitions);
  register_kernels(groups, key::CPU, where);
  register_kernels(groups, key::Meta, where);
  families().push_back(groups);
  author::register_rows(counts);
}

void register_base_rows(dispatch_key k, std::source_location where) {
  using author::row;
  const tb_kernels* const table = table_of(k);
  const auto add = [&](std::span<const table_kernel> wanted, std::initializer_list<author::kernel_row> rows) {
    if (offers(table, wanted)) author::register_rows({rows.begin(), rows.size()});
  };
  add(all_of(table_entry::any), {caller_row<&make_empty, aten::empty_memory_format>(k, where)});
  add(fills, {row<&fill_with>(aten::fill_Scalar_, k, where), row<&zero>(aten::zero_, k, where)});
  add(copies, {row<&copy_from>(aten::copy_, k, where)});
}

}  // namespace topbit::detail

namespace topbit::author {

void register_strided_backend(const tb_kernels& kernels, dispatch_key k, std::source_location where) {
  using namespace detail;
  // Later builds of an ABI version may have longer tables, never shorter ones.
  constexpr std::size_t first_size = offsetof(tb_kernels, context) + sizeof kernels.context;
  if (kernels.version != TB_ABI_VERSION || kernels.size < first_size) {
    throw bad_registration("register_strided_backend: found a kernel table of ABI version " +
                           std::to_string(kernels.version) + " and " + std::to_string(kernels.size) +
                           " bytes, wanted version " + std::to_string(TB_ABI_VERSION) + " and at least " +
                           std::to_string(first_size) + " bytes; rebuild it with this <topbit/kernel_abi.h>");
  }
  // Kernels look up their table by dispatch key, so a key has one table while its kernels are registered.
  const tb_kernels* const served = table_of(k);
  if (served != nullptr && served != &kernels && inspect::has_kernel(aten::empty_memory_format.handle(), k)) {
    throw bad_registration("register_strided_backend: found the kernels of " + std::string(served->name) + " for " +
                           topbit::to_string(k) +
                           " already, wanted a key without; register kernels of your own with implement()");
  }
  if (!offers(&kernels, all_of(table_entry::any))) return;
  serve(k, &kernels);
  register_base_rows(k, where);
  for (const std::span<const form_group> groups : families()) register_kernels(groups, k, where);
}

bool offers(const tb_kernels& table, table_kernel k) noexcept {
  return detail::has(table, static_cast<detail::table_entry>(k.entry)) &&
         (k.code < 0 || table.runs == nullptr || table.runs(k.entry, k.code) != 0);
}

std::vector<table_kernel> kernels_used_by(std::string_view op) {
  static const detail::needs_by_name& needs = []() -> const detail::needs_by_name& {
    auto& made = *new detail::needs_by_name;
    for (const std::span<const detail::form_group> groups : detail::families()) {
      for (const detail::form_group& g : groups) {
        for (const detail::operator_form& f : g.forms) made[f.computes.op->name] = g.needs;
      }
    }
    made[aten::fill_Scalar_.name()] = made[aten::zero_.name()] = detail::fills;
    made[aten::copy_.name()] = detail::copies;
    return made;
  }();
  const auto found = needs.find(op);
  std::vector<table_kernel> all;
  if (found == needs.end()) return all;
  for (const detail::table_kernel& k : found->second) {
    if (k.entry != detail::table_entry::any) all.push_back({static_cast<std::int32_t>(k.entry), k.code});
  }
  return all;
}

}  // namespace topbit::author
